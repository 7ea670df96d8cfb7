/* One command line for all programs: GNU long options, the same names everywhere (see --help). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses of every program. */
enum { EXIT_VERIFIED = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_DEVICE = 3 };

enum { LIST_MAX = 64, SEED_DEFAULT = 1 };

struct list {
    int count;
    int64_t value[LIST_MAX];
};

struct variant {
    const char *name;
    const char *what; /* one line for --list */
};

/* What a program says of itself. `takes` names the options it has besides those that all have, e.g.
 * "n blocks threads type=sd" (without "=letters", --type allows s d c z and --case L M H); `paper`
 * and `quick` are its defaults written as a command line, e.g. "--n 256K,1M --blocks 4,8,16,32", so
 * that what a run without options does is what --help prints. More experiments may follow after "; ", each with
 * sizes of its own: they are run where no sizes are given (options_next). */
struct program {
    const char *name;
    const char *summary;
    const struct variant *variants; /* ended by a NULL name; the first is the paper's own */
    const char *takes;
    const char *paper;
    const char *quick;
    const char *device; /* the device of this build, see device_name() and cpu_name() */
    bool quick_default; /* true for kernels on the CPU device: no option means --quick */
};

struct options {
    struct list n, batch, rows, blocks, threads, parts, nest, cores;
    bool has_variant[LIST_MAX]; /* by index into program->variants */
    char types[8];              /* e.g. "sd" */
    char cases[8];              /* e.g. "LMH" */
    int reps;
    int gpus; /* -1: not given */
    uint64_t seed;
    const char *csv; /* NULL: no file */
    bool check, quick, paper, tdse;
    const char *next; /* of options_next() */
};

/* Read the defaults, then argv. Returns -1 to go on, else the exit status to leave with: 0 after
 * --help, --version or --list (printed on stdout), EXIT_USAGE after one line on stderr that names
 * the option, the value and what is allowed. */
int options_parse(const struct program *program, int argc, char **argv, struct options *options);

/* Put the sizes of the next experiment of the defaults into options; false when there is none. */
bool options_next(const struct program *program, struct options *options);

/* The largest item, or `least` if that is larger or the list is empty. */
int64_t list_largest(const struct list *list, int64_t least);

/* What the names of more CSV files begin with: --csv FILE.csv gives FILE, or `instead` (if not NULL) in the same
 * directory, in prefix[PREFIX_MOST]. NULL without --csv. */
enum { PREFIX_MOST = 4096 };
const char *options_csv_prefix(const struct options *options, const char *instead, char *prefix);

/* "12", "256K", "1M", "2G" (powers of 1024, also in lower case; no sign, no blanks) in [low, high];
 * false and nothing stored otherwise. */
bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
