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

/* A program's description of itself.
 *
 * `takes` names its options besides those that all programs have, e.g. "n blocks threads type=sd".
 * Letters after "=" are the values that --type or --case allow; without them they are s d c z and L
 * M H.
 *
 * `paper` and `quick` are its default options, written as a command line, e.g. "--n 256K,1M
 * --blocks 4,8,16,32", so that --help can print what a run without options does. After "; " may
 * follow more such experiments with other sizes. They run one after the other when no sizes are
 * given (options_next). */
struct program {
    const char *name;
    const char *summary;
    const struct variant *variants; /* the paper's own first; ends with a NULL name */
    const char *takes;
    const char *paper;
    const char *quick;
    const char *device; /* device_name() or cpu_name() */
    bool quick_default; /* no option means --quick: true if kernels run on the CPU device */
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
    const char *next; /* the defaults' next experiment */
};

/* Reads the defaults, then argv. Returns -1, or the status to exit with: 0 after --help, --version
 * or --list (printed on stdout), EXIT_USAGE after one line on stderr that names the option, the
 * value and the allowed values. */
int options_parse(const struct program *program, int argc, char **argv, struct options *options);

/* Puts the sizes of the defaults' next experiment into options; false if there is none. */
bool options_next(const struct program *program, struct options *options);

/* The largest item of the list, but not less than `least`. */
int64_t list_largest(const struct list *list, int64_t least);

/* The beginning of the names of further CSV files, in prefix[PREFIX_MOST]: for --csv DIR/FILE.csv
 * it is DIR/FILE, or DIR/`instead` if `instead` is not NULL. Returns prefix, or NULL without
 * --csv. */
enum { PREFIX_MOST = 4096 };
const char *options_csv_prefix(const struct options *options, const char *instead, char *prefix);

/* Reads a number in [low, high]: "12", "256K", "1M" or "2G" (powers of 1024, also in lower case; no
 * sign, no blanks). Returns false and stores nothing if the text is anything else. */
bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
