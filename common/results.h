/* The results of a program: a table on stdout (table.h), printed while the program runs, and a CSV
 * file, written at its end (RFC 4180, the same columns for all programs). */
#pragma once

#include "timing.h"
#include "verify.h"

#include <stdio.h>

__BEGIN_DECLS

/* One measurement. Zero or NULL leaves the CSV field empty, with marked exceptions. */
struct row {
    const char *variant;
    char type;
    int64_t n, batch;
    int64_t blocks, threads; /* G and T of the GPU */
    int64_t parts, cores, nest, ranks;
    char case_;         /* 'L', 'M' or 'H': the cost of computing s_i (W13) */
    const char *phase;  /* the part that was timed: "precompute", "propagate", …, or "total" */
    const char *device; /* what ran it: device_name() or cpu_name() */
    struct timing time;
    double bytes; /* that the algorithm must read and write at least */
    double error; /* of the verification; NaN: failure; negative: there was nothing to verify */
    const char *status; /* "ok", or one or two words that say what is wrong; NULL counts as wrong */
};

struct results;

/* The names of the columns, the first line of every CSV file after its `#` lines:
 * program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,
 * samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status */
extern const char results_schema[];

/* Starts a table. csv: the name of the CSV file, or NULL for none. If the file cannot be written,
 * prints one line on stderr and returns NULL. */
struct results *results_open(const char *program, const char *device, const char *csv);

/* Prints the row in the table and keeps it for the CSV file. If other load disturbed the time of an
 * "ok" row (timing.h), its status becomes "disturbed": no failure, but no claim uses it. */
void results_add(struct results *results, const struct row *row);

/* Writes the CSV file and frees everything. Returns 0 if every row is "ok" or "disturbed";
 * EXIT_WRONG (1) if some row has another status; EXIT_USAGE (2) if the file could not be written,
 * or if there is no row because this build has none of the chosen variants. */
int results_close(struct results *results);

/* Shows "program: done/all what, 12 s" on stderr if that is a terminal that can move its cursor.
 * The next call overwrites the line, until done equals all. */
void progress(const char *program, int64_t done, int64_t all, const char *what);

/* The CPU's model name and core count, without commas: "Intel(R) Xeon(R) Processor (2 cores)". */
const char *cpu_name(void);
/* Of this build, for --version and CSV files. */
const char *build_version(void);
const char *build_revision(void);
const char *build_compiler(void);
const char *build_flags(void);

/* Bytes of main memory that are free or can be freed; INFINITY if the system does not say. */
double memory_available(void);

/* Follows symbolic links from `path` to the file at their end, which may not exist yet and is the
 * one to replace. Stores its name in *target, to be released by free(). Returns 0, or an errno
 * (EISDIR for a directory, EINVAL for a device, ELOOP, …) and *target NULL. */
int csv_target(const char *path, char **target);

/* Writes one CSV field, in quotation marks if necessary; nothing for NULL. */
void csv_field(FILE *file, const char *text);

__END_DECLS
