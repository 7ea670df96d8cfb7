/* The command line (options.h). getopt_long splits it into options; the messages are printed here.
 * Abbreviations such as --thr are errors, because a new option could make them ambiguous. */
#include "options.h"
#include "results.h"
#include "table.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { SIZES, LETTERS, NAMES, NUMBER, SEED, FILE_NAME, FLAG, LIST, HELP, VERSION };

#define AT(member) offsetof(struct options, member)
#define MANY       (UINT64_C(1) << 40)

/* In the order of --help. `always`: all programs have the option; the others name it in `takes`. */
static const struct spec {
    const char *name, *argument, *what;
    enum kind kind;
    bool always;
    size_t at; /* offset of what it sets */
    uint64_t low, high;
} specs[] = {
    {"n", "LIST", "unknowns", SIZES, false, AT(n), 1, MANY},
    {"batch", "LIST", "systems", SIZES, false, AT(batch), 1, UINT64_C(1) << 31},
    {"rows", "LIST", "rows of all systems, instead of --batch", SIZES, false, AT(rows), 1, MANY},
    {"blocks", "LIST", "thread blocks G of the GPU", SIZES, false, AT(blocks), 1, INT32_MAX},
    {"threads", "LIST", "threads T of a block", SIZES, false, AT(threads), 1, 1024},
    {"parts", "LIST", "partitions", SIZES, false, AT(parts), 1, MANY},
    {"nest", "LIST", "levels of nesting n_it", SIZES, false, AT(nest), 1, 16},
    {"cores", "LIST", "cores of the CPU", SIZES, false, AT(cores), 1, 1024},
    {"tdse", NULL,
     "the time-dependent Schroedinger equation instead; with --csv FILE.csv it writes "
     "FILE_free.csv and others",
     FLAG, false, AT(tdse), 0, 0},
    {"gpus", "NUMBER", "ranks of a host that take a GPU; default all its GPUs", NUMBER, false,
     AT(gpus), 0, 1024},
    {"type", "LIST", "number types, BLAS's letters", LETTERS, false, AT(types), 0, 0},
    {"case", "LIST", "cost of s_i: low, medium, high", LETTERS, false, AT(cases), 0, 0},
    {"variant", "LIST", "names that --list shows; default all", NAMES, true, 0, 0, 0},
    {"quick", NULL, "small sizes where none are given", FLAG, true, AT(quick), 0, 0},
    {"paper", NULL, "the paper's sizes where none are given", FLAG, true, AT(paper), 0, 0},
    {"reps", "NUMBER", "samples of a measurement", NUMBER, true, AT(reps), 1, 1000},
    {"seed", "NUMBER", "of the random inputs", SEED, true, AT(seed), 0, UINT64_MAX},
    {"check", NULL, "verify all variants over sizes and edge cases, time nothing", FLAG, true,
     AT(check), 0, 0},
    {"csv", "FILE", "write the results to this file", FILE_NAME, true, AT(csv), 0, 0},
    {"wide", NULL, "a table with all columns, wider than 100 characters", FLAG, true, AT(wide), 0,
     0},
    {"list", NULL, "show the variants", LIST, true, 0, 0, 0},
    {"help", NULL, "show this", HELP, true, 0, 0, 0},
    {"version", NULL, "show revision, device and compiler", VERSION, true, 0, 0, 0},
};
enum { SPECS = sizeof specs / sizeof *specs };

/* Returns NULL if the program does not have the option, otherwise what follows its name in
 * program->takes: "" or "=LETTERS", up to a blank. */
static const char *taken(const struct program *program, const struct spec *spec)
{
    size_t length = strlen(spec->name);
    if (spec->always)
        return "";
    for (const char *word = program->takes; *word;) {
        if (strncmp(word, spec->name, length) == 0 && strchr("= ", word[length]))
            return word + length; /* strchr also finds the end of the text */
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    return NULL;
}

/* Stores the letters that the program allows for --type or --case. */
static void allowed_letters(const struct program *program, const struct spec *spec, char letters[8])
{
    const char *after = taken(program, spec);
    if (*after == '=')
        snprintf(letters, 8, "%.*s", (int)strcspn(after + 1, " "), after + 1);
    else
        strcpy(letters, spec->at == AT(types) ? "sdcz" : "LMH");
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
static void print_allowed(FILE *file, const struct program *program, const struct spec *spec)
{
    char letters[8];
    switch (spec->kind) {
    case LETTERS:
        allowed_letters(program, spec, letters);
        for (const char *c = letters; *c; c++)
            fprintf(file, "%s%c", c == letters ? "" : ", ", *c);
        break;
    case NAMES:
        for (const struct variant *v = program->variants; v->name; v++)
            fprintf(file, "%s%s", v == program->variants ? "" : ", ", v->name);
        break;
    case FILE_NAME:
        fprintf(file, "a file name");
        break;
    default:
        print_number(file, spec->low);
        fprintf(file, " to ");
        print_number(file, spec->high);
    }
}

/* Prints text from the command line on stderr. Control characters, which could break the line, are
 * printed as '?'. */
static void print_text(const char *text, size_t length)
{
    for (const char *c = text; *c && c < text + length; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, stderr);
}

/* Prints one line that names the option, the value (unless NULL), what is wrong, and the allowed
 * values. */
static int bad_value(const struct program *program, const struct spec *spec, const char *value,
                     const char *what)
{
    fprintf(stderr, "%s: --%s: ", program->name, spec->name);
    if (value) {
        fputc('\'', stderr);
        print_text(value, strlen(value));
        fputs("' ", stderr);
    }
    fputs(what, stderr);
    if (spec->argument) {
        fputs(" (", stderr);
        print_allowed(stderr, program, spec);
        fputc(')', stderr);
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int bad_word(const struct program *program, const char *what, const char *word,
                    size_t length)
{
    fprintf(stderr, "%s: %s '", program->name, what);
    print_text(word, length);
    fputs("' (see --help)\n", stderr);
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

/* Stores one item of a list. Returns NULL, or what is wrong with it. */
static const char *store_item(const struct program *program, const struct spec *spec,
                              const char *item, struct options *options)
{
    char *at = (char *)options + spec->at, letters[8];
    if (spec->kind == NAMES) {
        int v = variant_index(program->variants, item);
        if (v < 0)
            return "is unknown";
        options->has_variant[v] = true;
        return NULL;
    }
    if (spec->kind == LETTERS) {
        allowed_letters(program, spec, letters);
        if (!strchr(letters, item[0]) || item[1])
            return "is unknown";
        if (!strchr(at, item[0]))
            strcat(at, item);
        return NULL;
    }
    uint64_t value;
    struct list *list = (struct list *)at;
    const char *wrong = scan_number(item, spec->low, spec->high, &value);
    if (!wrong)
        list->value[list->count++] = (int64_t)value;
    return wrong;
}

static int store_list(const struct program *program, const struct spec *spec, const char *text,
                      struct options *options)
{
    char *at = (char *)options + spec->at;
    if (spec->kind == NAMES)
        memset(options->has_variant, 0, sizeof options->has_variant);
    else if (spec->kind == LETTERS)
        at[0] = 0;
    else
        ((struct list *)at)->count = 0;

    int status = -1, items = 0;
    char *copy = strdup(text), *rest = copy, *item;
    while (status < 0 && (item = strsep(&rest, ","))) {
        const char *wrong;
        if (!*item)
            status = bad_value(program, spec, text, "has an empty item");
        else if (items++ == LIST_MAX)
            status = bad_value(program, spec, text, "has more than 64 items");
        else if ((wrong = store_item(program, spec, item, options)))
            status = bad_value(program, spec, item, wrong);
    }
    free(copy);
    return status;
}
_Static_assert(LIST_MAX == 64, "the message above says 64");

/* Prints the words of a text in lines of at most 80 characters. The first line begins at column
 * `at`, the others at column `indent`. */
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

/* Prints the experiments of program->paper or program->quick. */
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

static void print_options(const struct program *program)
{
    static const struct {
        const char *first, *text;
    } headings[] = {{"n", "What is run"}, {"reps", "How it is measured"}, {"csv", "What is shown"}};
    enum { COLUMN = 19 }; /* where the texts about the options begin */
    for (const struct spec *spec = specs; spec < specs + SPECS; spec++) {
        for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
            if (strcmp(spec->name, headings[i].first) == 0)
                printf("\n%s:\n", headings[i].text);
        if (!taken(program, spec))
            continue;
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        fputs(spec->what, file);
        if (spec->argument && spec->kind != NAMES && spec->kind != FILE_NAME) {
            fprintf(file, " (");
            print_allowed(file, program, spec);
            fprintf(file, ")");
        }
        fclose(file);
        int at = printf("  --%s %s", spec->name, spec->argument ? spec->argument : "");
        printf("%*s", COLUMN - at, "");
        print_wrapped(text, COLUMN, COLUMN);
        free(text);
    }
}

static void print_help(const struct program *program)
{
    printf("Usage: %s [OPTION]...\n", program->name);
    print_wrapped(program->summary, 0, 0);
    print_options(program);
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

static void print_version(const struct program *program)
{
    printf("%s %s, revision %s\ndevice: %s\ncompiler: %s\nflags: %s\n", program->name,
           build_version(), build_revision(), program->device, build_compiler(), build_flags());
}

/* Stores one option and its value in `options`. Returns -1, or the status to exit with. */
static int store(const struct program *program, const struct spec *spec, const char *text,
                 struct options *options)
{
    char *at = (char *)options + spec->at;
    uint64_t value;
    if (spec->argument && !*text)
        return bad_value(program, spec, text, "is empty");
    switch (spec->kind) {
    case NUMBER:
    case SEED: {
        const char *wrong = scan_number(text, spec->low, spec->high, &value);
        if (wrong)
            return bad_value(program, spec, text, wrong);
        if (spec->kind == SEED)
            options->seed = value;
        else
            *(int *)at = (int)value;
        return -1;
    }
    case FILE_NAME:
        options->csv = text;
        return -1;
    case FLAG:
        if (spec->at == AT(quick) || spec->at == AT(paper)) /* the last one counts */
            options->quick = options->paper = false;
        *(bool *)at = true;
        return -1;
    case LIST:
        print_list(program);
        return EXIT_VERIFIED;
    case HELP:
        print_help(program);
        return EXIT_VERIFIED;
    case VERSION:
        print_version(program);
        return EXIT_VERIFIED;
    default:
        return store_list(program, spec, text, options);
    }
}

/* Reads one command line into `options`. *sized becomes true if the line contains a size option.
 * Returns -1, or the status to exit with. */
static int parse(const struct program *program, int argc, char **argv, struct options *options,
                 bool *sized)
{
    enum { FIRST = 256 }; /* getopt_long's values of the options; those below are characters */
    struct option table[SPECS + 1] = {{0}};
    int count = 0;
    for (int i = 0; i < SPECS; i++)
        if (taken(program, &specs[i]))
            table[count++] =
                (struct option){specs[i].name, specs[i].argument ? required_argument : no_argument,
                                NULL, FIRST + i};

    opterr = 0; /* getopt_long prints nothing */
    optind = 0; /* tells getopt_long that a new command line begins */
    *sized = false;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int c = getopt_long(argc, argv, "+:", table, NULL);
        if (c == -1)
            break;
        const char *word = argv[at];
        size_t length = strcspn(word, "=");
        int which = (c == ':' || c == '?' ? optopt : c) - FIRST;
        if (which < 0 || length != 2 + strlen(specs[which].name))
            return bad_word(program, "unknown option", word, length);
        const struct spec *spec = &specs[which];
        if (c == ':')
            return bad_value(program, spec, NULL, "the value is missing");
        if (c == '?')
            return bad_value(program, spec, word + length + 1, "is too much: it takes no value");
        *sized = *sized || spec->kind == SIZES;
        int status = store(program, spec, optarg, options);
        if (status >= 0)
            return status;
    }
    if (optind < argc)
        return bad_word(program, "unexpected argument", argv[optind], strlen(argv[optind]));
    return -1;
}

/* Reads the first experiment of `text`. An error in it is a bug in the program. */
static void parse_defaults(const struct program *program, const char *text, struct options *options)
{
    char *copy = strndup(text, strcspn(text, ";")), *rest = copy;
    char *words[4 * SPECS] = {(char *)program->name};
    int count = 1;
    bool sized;
    for (char *word; (word = strtok_r(rest, " ", &rest)) && count < 4 * SPECS - 1;)
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
    /* argv is read first to find out which defaults to use, and then to override these. */
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
