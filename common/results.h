/* Results: a table on stdout while the program runs, and a CSV file (RFC 4180, one schema for all
 * programs) at its end. The file appears whole or not at all: rows are kept in memory, written to a
 * temporary file beside it, and renamed. */
#ifndef RESULTS_H
#define RESULTS_H

#include "timing.h"
#include "verify.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement. Zero or NULL means "does not apply" and leaves the CSV field empty. */
struct row {
    const char *variant;
    char type;
    int64_t n, batch;
    int64_t blocks, threads; /* the GPU's G and T */
    int64_t parts, cores, nest, ranks;
    char case_;         /* 'L', 'M', 'H' (W13) */
    const char *phase;  /* "precompute", "propagate", …, "total" */
    const char *device; /* what ran it: device_name() or cpu_name() */
    struct timing time;
    double bytes;       /* least bytes that the algorithm must move through memory */
    double error;       /* as verification measured it; NaN is a failure; < 0: nothing to verify */
    const char *status; /* "ok", or what is wrong, in a word or two; NULL counts as wrong */
};

struct results;

/* The first line of every CSV after its `#` lines:
 * program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,
 * samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status */
extern const char results_schema[];

/* Starts a table. csv: the file's name, or NULL. Returns NULL, with one line on stderr, if the file
 * could not be written: an error is found before the work, not after it. */
struct results *results_open(const char *program, const char *device, const char *csv);

/* If the time of an "ok" row is disturbed (timing.h), the row's status becomes "disturbed". That is
 * no failure, but figures show the point hollow and no claim uses it. */
void results_add(struct results *results, const struct row *row);

/* Writes the file and frees everything. Returns 0; EXIT_WRONG (1) if a row's status was not "ok"
 * (the file is still written, since a failure is a result); EXIT_USAGE (2) if there was no row, as
 * this build has none of the variants asked for, or if the file could not be written. */
int results_close(struct results *results);

/* Shows "program: done/all what, 12 s" on stderr if that is a terminal. The line ends when done is
 * all. */
void progress(const char *program, int64_t done, int64_t all, const char *what);

/* The CPU's model name and core count, without commas: "Intel(R) Xeon(R) Processor (2 cores)". */
const char *cpu_name(void);
/* Version (the file VERSION), git revision, compiler and flags of this build, for --version and the
 * CSV header. */
const char *build_version(void);
const char *build_revision(void);
const char *build_compiler(void);
const char *build_flags(void);

/* Main memory that is free or can be freed, in bytes; INFINITY if the system does not tell. */
double memory_available(void);

/* Follows symbolic links from `path` to the file that a result must replace, so that the links
 * stay; the file need not exist. *target is for free(). Returns 0, or an errno (EISDIR, EINVAL for
 * a device, ELOOP, …) with *target NULL. */
int csv_target(const char *path, char **target);

/* Writes one CSV field, quoted if necessary. */
void csv_field(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif
#endif
