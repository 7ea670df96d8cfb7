/* The command line of all programs. Options are GNU long options and have the same names in every
 * program (see --help). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses of all programs. VERIFIED: all results are right. WRONG: a result is wrong.
 * USAGE: the options are wrong, or a file cannot be written. DEVICE: there is no device, or not
 * enough memory. */
enum { EXIT_VERIFIED = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_DEVICE = 3 };

enum { LIST_MAX = 64, SEED_DEFAULT = 1 };

struct list {
    int count;
    int64_t value[LIST_MAX];
};

/* Which builds of a program have a variant: all of them, or only the GPU build; HOST_CORES means a
 * variant without kernels, which runs on the cores of the host in every build. */
enum runs_on { ANY_DEVICE, GPU_BUILD, HOST_CORES };

struct peer; /* solvers/bench/peers.h */

/* A variant of a program: all that its sweep, its checks and its reports must know of it. Members
 * that a program does not use stay zero. */
struct variant {
    const char *name;
    const char *what;    /* what it is, for --list, whose lines have at most 80 characters */
    const char *library; /* of a peer: "cuSPARSE", "CUB", "LAPACK"; NULL: the variant is ours */
    const char *types;   /* letters; NULL: all types that the program takes */
    enum runs_on runs_on;
    int id;           /* the program's own name of it: a value of an enum, or a function's index */
    bool interleaved; /* the layout of a batch; false: contiguous */
    int pivot;        /* how it pivots, a value of the solver's enum */
    int matrix;       /* what matrices its systems have, a value of the bench's enum */
    int bound;        /* which bound its error has, a value of the program's enum */
    const struct peer *peer; /* the functions that call the library */
};

/* The description of a program, from which the functions below derive its options.
 *
 * `takes` names the options that the program has in addition to those of all programs, e.g. "n
 * blocks threads type=sd". Letters after "=" are the values that --type or --case allow. Without
 * "=" these are s d c z for --type and L M H for --case.
 *
 * `paper` and `quick` are default options, written as a command line, e.g. "--n 256K,1M --blocks
 * 4,8,16,32". They are text so that --help can print what a run without options does. Further
 * experiments with other sizes may follow, each after "; ". If the user gives no sizes, the
 * experiments run one after the other (options_next). */
struct program {
    const char *name;
    const char *summary;
    const struct variant *variants; /* those of the paper come first; the last has name NULL */
    const char *takes;
    const char *paper;
    const char *quick;
    const char *device; /* name of the device, from device_name() or cpu_name() */
    /* True: a run without sizes uses `quick` instead of `paper`, because the kernels run on the
     * CPU device, which is slow. */
    bool quick_default;
};

struct options {
    struct list n, batch, rows, blocks, threads, parts, nest, cores;
    bool has_variant[LIST_MAX]; /* element i: is program->variants[i] chosen? */
    char types[8];              /* letters of the chosen types, e.g. "sd" */
    char cases[8];              /* letters of the chosen cases, e.g. "LMH" */
    int reps;
    int gpus; /* -1 if not given */
    uint64_t seed;
    const char *csv; /* file name; NULL: write no file */
    bool check, quick, paper, wide, tdse;
    bool sized;       /* the command line gives sizes, so that none are defaults */
    const char *next; /* text of the next default experiment; NULL: there is none */
};

/* Fills in `options` from the program's defaults and then from argv. Returns -1 if the program is
 * to run. Otherwise it returns the status to exit with: 0 after --help, --version or --list, which
 * print on stdout; EXIT_USAGE after an error, with one line on stderr that names the option, the
 * value and the allowed values. */
int options_parse(const struct program *program, int argc, char **argv, struct options *options);

/* Stores the sizes of the next default experiment in `options`. Returns false if there is none. */
bool options_next(const struct program *program, struct options *options);

/* Does the variant solve problems of this type? */
bool variant_has_type(const struct variant *variant, char type);

/* The index of the variant with this name in program->variants, or -1. */
int variant_index(const struct variant *variants, const char *name);

/* Returns the largest item of the list, or `least` if all items are smaller. */
int64_t list_largest(const struct list *list, int64_t least);

/* Stores in prefix[PREFIX_MOST] how the names of further CSV files begin. For --csv DIR/FILE.csv
 * this is DIR/FILE, or DIR/`instead` if `instead` is not NULL. Returns prefix, or NULL if --csv is
 * not given. */
enum { PREFIX_MOST = 4096 };
const char *options_csv_prefix(const struct options *options, const char *instead, char *prefix);

/* Reads a number in [low, high], such as "12", "256K", "1M" or "2G". The suffixes K, M and G are
 * powers of 1024; lower case is allowed, signs and blanks are not. Returns false and stores nothing
 * if the text is not such a number. */
bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
