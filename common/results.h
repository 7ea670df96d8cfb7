/* The results of a program: a table on stdout (table.h), printed while the program runs, and a CSV
 * file, written at its end (RFC 4180, the same columns for all programs). Rows are kept in memory
 * until then. They are written to a temporary file in the same directory, which is then renamed, so
 * an incomplete file never has the final name. */
#ifndef RESULTS_H
#define RESULTS_H

#include "timing.h"
#include "verify.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement. In most fields zero or NULL means "does not apply" and leaves the CSV field
 * empty; the exceptions are marked. */
struct row {
    const char *variant;
    char type;
    int64_t n, batch;
    int64_t blocks, threads; /* number of blocks G and threads per block T on the GPU */
    int64_t parts, cores, nest, ranks;
    char case_;         /* 'L', 'M' or 'H': the cost of computing s_i (W13) */
    const char *phase;  /* the part that was timed: "precompute", "propagate", …, or "total" */
    const char *device; /* name of the processor that ran it, from device_name() or cpu_name() */
    struct timing time;
    double bytes; /* minimum traffic of the algorithm: bytes that it must read and write */
    /* The error that verification measured; 0 means no error; NaN means failure; negative: there
     * was nothing to verify. */
    double error;
    const char *status; /* "ok", or one or two words that say what is wrong; NULL counts as wrong */
};

struct results;

/* The names of the columns, which are the first line of every CSV after its `#` lines:
 * program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,
 * samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status */
extern const char results_schema[];

/* Starts a table. csv: the name of the CSV file, or NULL for none. If the file cannot be written,
 * prints one line on stderr and returns NULL. So the user learns of it before the measurements and
 * not after them. */
struct results *results_open(const char *program, const char *device, const char *csv);

/* Prints the row in the table and keeps it for the CSV file. If other load disturbed the time of a
 * row whose status is "ok" (timing.h), its status becomes "disturbed". This is no failure, but
 * figures show the point hollow, and no claim uses it. */
void results_add(struct results *results, const struct row *row);

/* Writes the CSV file and frees everything. Returns 0 if every row is "ok" or "disturbed";
 * EXIT_WRONG (1) if some row has another status (the file is still written, because a failure is
 * also a result); EXIT_USAGE (2) if the file could not be written, or if there is no row because
 * this build contains none of the chosen variants. */
int results_close(struct results *results);

/* Shows the progress on stderr if that is a terminal that can move its cursor, as "program:
 * done/all what, 12 s". The line is overwritten by the next call, until done equals all. */
void progress(const char *program, int64_t done, int64_t all, const char *what);

/* The CPU's model name and core count, without commas: "Intel(R) Xeon(R) Processor (2 cores)". */
const char *cpu_name(void);
/* Version (from the file VERSION), git revision, compiler and flags of this build. They are printed
 * by --version and written to the CSV file. */
const char *build_version(void);
const char *build_revision(void);
const char *build_compiler(void);
const char *build_flags(void);

/* Returns how many bytes of main memory are free or can be freed; INFINITY if the system does not
 * say. */
double memory_available(void);

/* Follows symbolic links from `path` to the file at their end, which may not exist yet. A result
 * must replace that file, so that the links remain. Stores its name in *target, which the caller
 * releases by free(). Returns 0, or an errno (EISDIR for a directory, EINVAL for a device, ELOOP,
 * …) and *target NULL. */
int csv_target(const char *path, char **target);

/* Writes one CSV field, in quotation marks if necessary. */
void csv_field(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif
#endif
