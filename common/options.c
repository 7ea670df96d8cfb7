/* The command line (options.h). getopt_long splits it into options. The error messages are printed
 * here, so getopt's own are turned off (opterr = 0). Abbreviations such as --thr for --threads are
 * errors, because they could become ambiguous when a program gets a new option. */
#include "options.h"
#include "results.h"
#include "table.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The order matters: first the sizes (to ID_CORES), then the other options that a program must name
 * in `takes` (to ID_CASE), then the options that all programs have. --help shows them in this
 * order. */
enum id {
    ID_N,
    ID_BATCH,
    ID_ROWS,
    ID_BLOCKS,
    ID_THREADS,
    ID_PARTS,
    ID_NEST,
    ID_CORES,
    ID_TDSE,
    ID_GPUS,
    ID_TYPE,
    ID_CASE,
    ID_VARIANT,
    ID_QUICK,
    ID_PAPER,
    ID_REPS,
    ID_SEED,
    ID_CHECK,
    ID_CSV,
    ID_WIDE,
    ID_LIST,
    ID_HELP,
    ID_VERSION,
    IDS
};

static const struct spec {
    const char *name, *argument, *what;
    uint64_t low, high;
    size_t list; /* for options that are lists of numbers: offset of the list */
} specs[IDS] = {
    [ID_N] = {"n", "LIST", "unknowns", 1, UINT64_C(1) << 40, offsetof(struct options, n)},
    [ID_BATCH] = {"batch", "LIST", "systems", 1, UINT64_C(1) << 31,
                  offsetof(struct options, batch)},
    [ID_ROWS] = {"rows", "LIST", "rows of all systems, instead of --batch", 1, UINT64_C(1) << 40,
                 offsetof(struct options, rows)},
    [ID_BLOCKS] = {"blocks", "LIST", "thread blocks G of the GPU", 1, INT32_MAX,
                   offsetof(struct options, blocks)},
    [ID_THREADS] = {"threads", "LIST", "threads T of a block", 1, 1024,
                    offsetof(struct options, threads)},
    [ID_PARTS] = {"parts", "LIST", "partitions", 1, UINT64_C(1) << 40,
                  offsetof(struct options, parts)},
    [ID_NEST] = {"nest", "LIST", "levels of nesting n_it", 1, 16, offsetof(struct options, nest)},
    [ID_CORES] = {"cores", "LIST", "cores of the CPU", 1, 1024, offsetof(struct options, cores)},
    [ID_TDSE] = {"tdse", NULL,
                 "the time-dependent Schroedinger equation instead; with --csv FILE.csv it writes "
                 "FILE_free.csv and others",
                 0, 0, 0},
    [ID_GPUS] = {"gpus", "NUMBER", "ranks of a host that take a GPU; default all its GPUs", 0, 1024,
                 0},
    [ID_TYPE] = {"type", "LIST", "number types, BLAS's letters", 0, 0, 0},
    [ID_CASE] = {"case", "LIST", "cost of s_i: low, medium, high", 0, 0, 0},
    [ID_VARIANT] = {"variant", "LIST", "names that --list shows; default all", 0, 0, 0},
    [ID_QUICK] = {"quick", NULL, "small sizes where none are given", 0, 0, 0},
    [ID_PAPER] = {"paper", NULL, "the paper's sizes where none are given", 0, 0, 0},
    [ID_REPS] = {"reps", "NUMBER", "samples of a measurement", 1, 1000, 0},
    [ID_SEED] = {"seed", "NUMBER", "of the random inputs", 0, UINT64_MAX, 0},
    [ID_CHECK] = {"check", NULL, "verify all variants over sizes and edge cases, time nothing", 0,
                  0, 0},
    [ID_CSV] = {"csv", "FILE", "write the results to this file", 0, 0, 0},
    [ID_WIDE] = {"wide", NULL, "a table with all columns, wider than 100 characters", 0, 0, 0},
    [ID_LIST] = {"list", NULL, "show the variants", 0, 0, 0},
    [ID_HELP] = {"help", NULL, "show this", 0, 0, 0},
    [ID_VERSION] = {"version", NULL, "show revision, device and compiler", 0, 0, 0},
};

static struct list *list_of(struct options *options, enum id id)
{
    return (struct list *)((char *)options + specs[id].list);
}

/* Returns whether the program has this option. For --type and --case it also stores the letters
 * that the program allows in `letters`. */
static bool takes(const struct program *program, enum id id, char letters[8])
{
    strcpy(letters, id == ID_TYPE ? "sdcz" : "LMH");
    if (id > ID_CASE)
        return true;
    for (const char *word = program->takes; *word; word += strspn(word, " ")) {
        size_t name = strcspn(word, " ="), all = strcspn(word, " ");
        if (name == strlen(specs[id].name) && memcmp(word, specs[id].name, name) == 0) {
            if (name < all)
                snprintf(letters, 8, "%.*s", (int)(all - name - 1), word + name + 1);
            return true;
        }
        word += all;
    }
    return false;
}

/* Prints multiples of 2^20 and 2^30 with the suffix M or G, e.g. 1024G. */
static void print_number(FILE *file, uint64_t value)
{
    int shift = value == 0 || value % (1 << 20) ? 0 : value % (1 << 30) ? 20 : 30;
    fprintf(file, "%llu%s", (unsigned long long)(value >> shift),
            shift == 30   ? "G"
            : shift == 20 ? "M"
                          : "");
}

/* Prints the allowed values of an option, for --help and for error messages. */
static void print_allowed(FILE *file, const struct program *program, enum id id)
{
    char letters[8];
    takes(program, id, letters);
    switch (id) {
    case ID_TYPE:
    case ID_CASE:
        for (const char *c = letters; *c; c++)
            fprintf(file, "%s%c", c == letters ? "" : ", ", *c);
        break;
    case ID_VARIANT:
        for (const struct variant *v = program->variants; v->name; v++)
            fprintf(file, "%s%s", v == program->variants ? "" : ", ", v->name);
        break;
    case ID_CSV:
        fprintf(file, "a file name");
        break;
    default:
        print_number(file, specs[id].low);
        fprintf(file, " to ");
        print_number(file, specs[id].high);
    }
}

/* Prints text from the command line on stderr. Control characters are printed as '?', because they
 * could break the line. */
static void print_text(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fputc(*c < ' ' || *c == 127 ? '?' : *c, stderr);
}

static int bad_value(const struct program *program, enum id id, const char *value, const char *what)
{
    fprintf(stderr, "%s: --%s: '", program->name, specs[id].name);
    print_text(value);
    fprintf(stderr, "' %s (", what);
    print_allowed(stderr, program, id);
    fprintf(stderr, ")\n");
    return EXIT_USAGE;
}

static int bad_word(const struct program *program, const char *what, const char *word, int length)
{
    char *text = strndup(word, (size_t)length);
    fprintf(stderr, "%s: %s '", program->name, what);
    print_text(text ? text : "");
    fprintf(stderr, "' (see --help)\n");
    free(text);
    return EXIT_USAGE;
}

/* Reads a number and stores it in *value. Returns NULL, or what is wrong with the text. */
static const char *scan_number(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    static const char out_of_range[] = "is out of range", no_number[] = "is not a number";
    bool negative = *text == '-', overflow = false;
    text += negative;
    if (*text < '0' || *text > '9')
        return no_number;
    uint64_t v = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        overflow = overflow || v > (UINT64_MAX - digit) / 10;
        v = 10 * v + digit;
    }
    int shift = 0;
    if (*text) {
        static const char suffixes[] = "KkMmGg";
        const char *suffix = strchr(suffixes, *text);
        if (!suffix || text[1])
            return no_number;
        shift = 10 * (1 + (int)(suffix - suffixes) / 2);
    }
    if (negative || overflow || v > UINT64_MAX >> shift || v << shift < low || v << shift > high)
        return out_of_range;
    *value = v << shift;
    return NULL;
}

bool parse_number(const char *text, int64_t low, int64_t high, int64_t *value)
{
    uint64_t v;
    if (high < 0 || scan_number(text, low < 0 ? 0 : (uint64_t)low, (uint64_t)high, &v))
        return false;
    *value = (int64_t)v;
    return true;
}

const char *options_csv_prefix(const struct options *options, const char *instead, char *prefix)
{
    if (!options->csv)
        return NULL;
    snprintf(prefix, PREFIX_MOST - 8, "%s", options->csv);
    char *name = strrchr(prefix, '/');
    size_t length = strlen(prefix);
    if (instead)
        strcpy(name ? name + 1 : prefix, instead);
    else if (length > 4 && strcmp(prefix + length - 4, ".csv") == 0)
        prefix[length - 4] = 0;
    return prefix;
}

bool variant_has_type(const struct variant *variant, char type)
{
    return !variant->types || strchr(variant->types, type);
}

int variant_index(const struct variant *variants, const char *name)
{
    for (int i = 0; variants[i].name; i++)
        if (strcmp(variants[i].name, name) == 0)
            return i;
    return -1;
}

int64_t list_largest(const struct list *list, int64_t least)
{
    for (int i = 0; i < list->count; i++)
        least = list->value[i] > least ? list->value[i] : least;
    return least;
}

static const char *store_item(const struct program *program, enum id id, const char *item,
                              struct options *options)
{
    if (id == ID_VARIANT) {
        int v = variant_index(program->variants, item);
        if (v < 0)
            return "is unknown";
        options->has_variant[v] = true;
        return NULL;
    }
    if (id == ID_TYPE || id == ID_CASE) {
        char letters[8], *into = id == ID_TYPE ? options->types : options->cases;
        takes(program, id, letters);
        if (!strchr(letters, item[0]) || item[1])
            return "is unknown";
        if (!strchr(into, item[0]))
            strcat(into, item);
        return NULL;
    }
    uint64_t value;
    const char *wrong = scan_number(item, specs[id].low, specs[id].high, &value);
    if (!wrong) {
        struct list *list = list_of(options, id);
        list->value[list->count++] = (int64_t)value;
    }
    return wrong;
}

static int store_list(const struct program *program, enum id id, const char *text,
                      struct options *options)
{
    if (id == ID_VARIANT)
        memset(options->has_variant, 0, sizeof options->has_variant);
    else if (id == ID_TYPE)
        options->types[0] = 0;
    else if (id == ID_CASE)
        options->cases[0] = 0;
    else
        list_of(options, id)->count = 0;

    int status = -1, items = 0;
    char *copy = strdup(text), *rest = copy, *item;
    while (status < 0 && (item = strsep(&rest, ","))) {
        const char *wrong;
        if (!*item)
            status = bad_value(program, id, text, *text ? "has an empty item" : "is empty");
        else if (items++ == LIST_MAX)
            status = bad_value(program, id, text, "has more than 64 items");
        else if ((wrong = store_item(program, id, item, options)))
            status = bad_value(program, id, item, wrong);
    }
    free(copy);
    return status;
}
_Static_assert(LIST_MAX == 64, "the message above says 64");

/* Prints the words of a text in lines of at most 80 characters. The first line is already filled
 * up to column `at`. The others begin at column `indent`. */
static void print_wrapped(const char *text, int at, int indent)
{
    enum { WIDTH = 80 };
    const char *blank = "";
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at + (int)strlen(blank) + length > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
            blank = "";
        }
        at += printf("%s%.*s", blank, length, text);
        blank = " ";
        text += length + strspn(text + length, " ");
    }
    printf("\n");
}

/* Prints the experiments of `text`, which is program->paper or program->quick, each from a new
 * line on. */
static void print_experiments(const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, ";");
        char *one = strndup(text, (size_t)length);
        printf("  ");
        print_wrapped(one, 2, 6);
        free(one);
        text += length + strspn(text + length, "; ");
    }
}

static void print_help(const struct program *program)
{
    char letters[8];
    enum { COLUMN = 19 }; /* where the texts about the options begin */
    printf("Usage: %s [OPTION]...\n", program->name);
    print_wrapped(program->summary, 0, 0);
    for (enum id id = 0; id < IDS; id++) {
        if (id == ID_N || id == ID_REPS || id == ID_CSV)
            printf("\n%s:\n", id == ID_N      ? "What is run"
                              : id == ID_REPS ? "How it is measured"
                                              : "What is shown");
        if (!takes(program, id, letters))
            continue;
        const struct spec *spec = &specs[id];
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        fputs(spec->what, file);
        if (spec->argument && id != ID_VARIANT && id != ID_CSV) {
            fprintf(file, " (");
            print_allowed(file, program, id);
            fprintf(file, ")");
        }
        fclose(file);
        int at = printf("  --%s %s", spec->name, spec->argument ? spec->argument : "");
        printf("%*s", COLUMN - at, "");
        print_wrapped(text, COLUMN, COLUMN);
        free(text);
    }
    printf("\nA LIST is separated by commas. K, M, G after a number are powers of 1024. If an\n"
           "option is given twice, the last counts. Names are not abbreviated.\n\n");
    printf("--paper%s:\n", program->quick_default ? " (default on a GPU)" : " (default)");
    print_experiments(program->paper);
    printf("--quick%s:\n", program->quick_default ? " (default here, on the CPU device)" : "");
    print_experiments(program->quick);
    printf("Unless given: --reps %d --seed %d\n\n", REPS_DEFAULT, SEED_DEFAULT);
    printf("In the table:\n"
           "  threads    blocks x threads of the GPU, or cores of the CPU\n"
           "  spread     (third - first quartile) / median\n"
           "  GB/s       of the least bytes that the algorithm must move\n"
           "  disturbed  the result is right, but other load disturbed its time\n"
           "Colours are used on a terminal, unless NO_COLOR is set.\n\n");
    printf("Exit status: %d done and verified, %d a result failed verification, %d usage,\n"
           "%d no device or not enough memory.\n",
           EXIT_VERIFIED, EXIT_WRONG, EXIT_USAGE, EXIT_DEVICE);
}

/* Returns the length of the longest name of a variant. */
static int longest_name(const struct program *program)
{
    size_t most = 0;
    for (const struct variant *v = program->variants; v->name; v++)
        most = strlen(v->name) > most ? strlen(v->name) : most;
    return (int)most;
}

static void print_list(const struct program *program)
{
    enum { WIDTH_MOST = 26 }; /* longer names move the text that follows */
    int width = longest_name(program) < WIDTH_MOST ? longest_name(program) : WIDTH_MOST;
    for (const struct variant *v = program->variants; v->name; v++)
        printf("%-*s  %s%s%s\n", width, v->name, v->library ? "peer: " : "", v->what,
               v->runs_on == GPU_BUILD ? " (GPU builds)" : "");
}

/* Stores one option and its value in `options`. Returns -1, or the status to exit with. */
static int store(const struct program *program, enum id id, const char *text,
                 struct options *options)
{
    uint64_t value = 0;
    if (id == ID_REPS || id == ID_SEED || id == ID_GPUS) {
        const char *wrong =
            *text ? scan_number(text, specs[id].low, specs[id].high, &value) : "is empty";
        if (wrong)
            return bad_value(program, id, text, wrong);
    }
    switch (id) {
    case ID_REPS:
        options->reps = (int)value;
        return -1;
    case ID_SEED:
        options->seed = value;
        return -1;
    case ID_GPUS:
        options->gpus = (int)value;
        return -1;
    case ID_CSV:
        if (!*text)
            return bad_value(program, id, text, "is empty");
        options->csv = text;
        return -1;
    case ID_TDSE:
        options->tdse = true;
        return -1;
    case ID_CHECK:
        options->check = true;
        return -1;
    case ID_WIDE:
        options->wide = true;
        return -1;
    case ID_QUICK:
    case ID_PAPER: /* if both are given, the last one counts */
        options->quick = id == ID_QUICK;
        options->paper = id == ID_PAPER;
        return -1;
    case ID_LIST:
        print_list(program);
        return EXIT_VERIFIED;
    case ID_HELP:
        print_help(program);
        return EXIT_VERIFIED;
    case ID_VERSION:
        printf("%s %s, revision %s\ndevice: %s\ncompiler: %s\nflags: %s\n", program->name,
               build_version(), build_revision(), program->device, build_compiler(), build_flags());
        return EXIT_VERIFIED;
    default:
        return store_list(program, id, text, options);
    }
}

/* Reads one command line into `options`. *sized becomes true if the line contains a size option.
 * Returns -1, or the status to exit with. */
static int parse(const struct program *program, int argc, char **argv, struct options *options,
                 bool *sized)
{
    char letters[8];
    struct option table[IDS + 1] = {{0}};
    int count = 0;
    for (enum id id = 0; id < IDS; id++)
        if (takes(program, id, letters))
            table[count++] = (struct option){
                specs[id].name, specs[id].argument ? required_argument : no_argument, NULL, 1};

    opterr = 0;
    optind = 0; /* tells getopt_long that a new command line begins */
    *sized = false;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int c = getopt_long(argc, argv, "+:", table, NULL);
        if (c == -1)
            break;
        const char *word = argv[at];
        int length = (int)strcspn(word, "=");
        enum id id = 0;
        while (id < IDS &&
               !(takes(program, id, letters) && length > 2 &&
                 (size_t)(length - 2) == strlen(specs[id].name) && memcmp(word, "--", 2) == 0 &&
                 memcmp(word + 2, specs[id].name, (size_t)(length - 2)) == 0))
            id++;
        if (id == IDS)
            return bad_word(program, "unknown option", word, length);
        if (c == ':') {
            fprintf(stderr, "%s: --%s: the value is missing (", program->name, specs[id].name);
            print_allowed(stderr, program, id);
            fprintf(stderr, ")\n");
            return EXIT_USAGE;
        }
        if (c == '?') {
            fprintf(stderr, "%s: --%s: '", program->name, specs[id].name);
            print_text(word + length + 1);
            fprintf(stderr, "' is too much: it takes no value\n");
            return EXIT_USAGE;
        }
        *sized = *sized || id <= ID_CORES;
        int status = store(program, id, optarg, options);
        if (status >= 0)
            return status;
    }
    if (optind < argc)
        return bad_word(program, "unexpected argument", argv[optind], (int)strlen(argv[optind]));
    return -1;
}

/* Reads the first experiment of `text`, which is (part of) program->paper or program->quick. An
 * error in this text is a bug in the program. */
static void parse_defaults(const struct program *program, const char *text, struct options *options)
{
    char *copy = strndup(text, strcspn(text, ";")), *rest = copy;
    char *words[4 * IDS] = {(char *)program->name};
    int count = 1;
    bool sized;
    for (char *word; (word = strtok_r(rest, " ", &rest)) && count < 4 * IDS - 1;)
        words[count++] = word;
    const char *csv = options->csv;
    if (parse(program, count, words, options, &sized) >= 0 || options->csv != csv) {
        fprintf(stderr, "%s: a bug: its defaults are not a command line: %s\n", program->name,
                text);
        abort();
    }
    free(copy);
    text = strchr(text, ';');
    options->next = text ? text + 1 : NULL;
}

bool options_next(const struct program *program, struct options *options)
{
    if (options->next) {
        parse_defaults(program, options->next, options);
        return true;
    }
    return false;
}

/* Registered by atexit(): ends the program with an error if its output could not be written. */
static void close_stdout(void)
{
    bool failed = ferror(stdout);
    if (fclose(stdout) != 0 || failed) {
        fputs("cannot write to standard output\n", stderr);
        _exit(EXIT_USAGE);
    }
}

int options_parse(const struct program *program, int argc, char **argv, struct options *options)
{
    static bool registered;
    if (!registered)
        atexit(close_stdout);
    registered = true;
    /* argv is read twice. The first pass finds out which defaults to use. The second pass overrides
     * these defaults. */
    struct options given = {0};
    bool sized;
    int status = parse(program, argc, argv, &given, &sized);
    if (status >= 0)
        return status;
    bool quick = given.quick;
    if (program->quick_default && !sized && !given.quick && !given.paper && !given.check) {
        fprintf(stderr, "%s: the kernels run on the CPU device: the --quick sizes are used\n",
                program->name);
        quick = true;
    }
    *options = (struct options){.reps = REPS_DEFAULT, .gpus = -1, .seed = SEED_DEFAULT};
    for (int i = 0; program->variants[i].name; i++)
        options->has_variant[i] = true;
    parse_defaults(program, quick ? program->quick : program->paper, options);
    status = parse(program, argc, argv, options, &sized);
    options->next = sized ? NULL : options->next;
    options->sized = sized;
    options->quick = quick;
    table_style(longest_name(program), options->wide);
    return status;
}
