/* The command line of all programs: GNU long options with the same names everywhere (--help). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

__BEGIN_DECLS

/* Exit statuses. VERIFIED: all results are right. WRONG: one is not. USAGE: the options are wrong,
 * or a file cannot be written. DEVICE: there is no device, or not enough memory. */
enum { EXIT_VERIFIED = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_DEVICE = 3 };

enum { LIST_MAX = 64, SEED_DEFAULT = 1 };

struct list {
    int count;
    int64_t value[LIST_MAX];
};

/* Which builds have a variant: all, or only the GPU build. HOST_CORES: in all builds it runs on the
 * cores of the host, without kernels. */
enum runs_on { ANY_DEVICE, GPU_BUILD, HOST_CORES };

struct peer; /* solvers/bench/peers.h */

/* All that a program must know of a variant. Members that it does not use stay zero. */
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

/* A program, from which the functions below derive its options.
 *
 * `takes` names the options that it has in addition to those of all programs, e.g. "n blocks
 * threads type=sd". Letters after "=" are the values of --type or --case, without "=" s d c z and L
 * M H.
 *
 * `paper` and `quick` are default options as a command line, e.g. "--n 256K,1M --blocks 4,8,16,32",
 * which --help prints. Further experiments with other sizes may follow, each after "; ". If the
 * user gives no sizes, the experiments run one after the other (options_next). */
struct program {
    const char *name;
    const char *summary;
    const struct variant *variants; /* those of the paper come first; the last has name NULL */
    const char *takes;
    const char *paper;
    const char *quick;
    const char *device; /* name of the device, from device_name() or cpu_name() */
    bool quick_default; /* a run without sizes uses `quick`: the kernels run on the CPU device */
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
 * to run, otherwise the status to exit with: 0 after --help, --version or --list, which print on
 * stdout; EXIT_USAGE after an error, with one line on stderr that names option, value and what is
 * allowed. */
int options_parse(const struct program *program, int argc, char **argv, struct options *options);

/* Stores the sizes of the next default experiment. Returns false if there is none. */
bool options_next(const struct program *program, struct options *options);

/* Does the variant solve problems of this type? */
bool variant_has_type(const struct variant *variant, char type);

/* The index of the variant with this name in program->variants, or -1. */
int variant_index(const struct variant *variants, const char *name);

/* The largest item of the list, or `least` if all items are smaller. */
int64_t list_largest(const struct list *list, int64_t least);

/* Stores in prefix[PREFIX_MOST] how the names of further CSV files begin: for --csv DIR/FILE.csv
 * DIR/FILE, or DIR/`instead` unless that is NULL. Returns prefix, or NULL without --csv. */
enum { PREFIX_MOST = 4096 };
const char *options_csv_prefix(const struct options *options, const char *instead, char *prefix);

/* Reads a number in [low, high], such as "12", "256K", "1m" or "2G" (powers of 1024), without signs
 * or blanks. Returns false and stores nothing if the text is not such a number. */
bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value);

__END_DECLS
