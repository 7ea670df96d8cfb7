/* Results: a table on stdout while the program runs, a CSV file (RFC 4180, one schema for all
 * programs) when it is done. The file appears whole or not at all: rows are kept in memory, written
 * to a neighbour of the file and renamed. */
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
    const char *device; /* what ran it, see device_name() and cpu_name() */
    struct timing time;
    double bytes;       /* least bytes that the algorithm must move through memory */
    double error;       /* of the verification: NaN is a failure, below 0 nothing was to verify */
    const char *status; /* "ok", or in a word or two what is wrong; NULL counts as wrong */
};

struct results;

/* The first line of every CSV after its `#` lines:
 * program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,samples,
 * median_ms,q1_ms,q3_ms,min_ms,bytes,error,status */
extern const char results_schema[];

/* Start a table. csv may be NULL. Returns NULL, with one line on stderr, when the file cannot be
 * written later: found out before the work, not after. */
struct results *results_open(const char *program, const char *device, const char *csv);

/* A row that is "ok" is shown and written as "disturbed" when its time is (timing.h): no failure,
 * but no figure's solid point, and for no claim. */
void results_add(struct results *results, const struct row *row);

/* Write the file, free everything. 0, or EXIT_WRONG (1) when a row's status was not "ok" (the file is
 * written all the same: a failure is a result), or EXIT_USAGE (2) when there was no row (nothing that was
 * asked for is in this build) or the file could not be written. */
int results_close(struct results *results);

/* Progress: "program: done/all what, 12 s" on stderr when that is a terminal; ended by done == all. */
void progress(const char *program, int64_t done, int64_t all, const char *what);

/* The CPU's model name and core count, without commas: "Intel(R) Xeon(R) Processor (2 cores)". */
const char *cpu_name(void);
/* Version (the file VERSION), git revision, compiler and flags of this build, for --version and the
 * CSV header. */
const char *build_version(void);
const char *build_revision(void);
const char *build_compiler(void);
const char *build_flags(void);

/* Main memory that is free or can be freed, in bytes; INFINITY where the system does not tell. */
double memory_available(void);

/* The file that symbolic links lead to from `path`, there or not, or path itself: what is to be
 * written beside and renamed, so that links stay. *target is for free(). 0 or errno: EISDIR, EINVAL
 * where a directory or a device is, ELOOP, … (then *target is NULL). */
int csv_target(const char *path, char **target);

/* One CSV field, quoted if it must be. */
void csv_field(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif
#endif
