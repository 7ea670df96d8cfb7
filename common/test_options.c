/* Tests of options.h: which values the command line accepts, and that every error is reported in
 * one line with the option, the value and the allowed values. Run: make test. */
#include "expect.h"
#include "options.h"
#include "results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct variant variants[] = {{.name = "plain", .what = "as it is"},
                                          {.name = "rearranged", .what = "transposed"},
                                          {.name = "fast", .what = "not the paper's"},
                                          {0}};

static struct program program = {
    .name = "demo",
    .summary = "A program.",
    .variants = variants,
    .takes = "n blocks threads type=sd case seeds",
    .paper = "--n 256K,1M --blocks 4,8,16,32 --threads 16 --type s --case L",
    .quick = "--n 4K --blocks 4 --threads 32 --type s,d --case H --reps 3",
    .device = "a device",
};

static char out[8192], err[8192]; /* what the last parse() printed on stdout and stderr */

static void read_back(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* Calls options_parse with stdout and stderr redirected into `out` and `err`. */
static int parse(struct options *options, int argc, char **argv)
{
    FILE *files[2] = {tmpfile(), tmpfile()};
    int saved[2];
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        saved[i] = dup(1 + i);
        if (!files[i] || saved[i] < 0 || dup2(fileno(files[i]), 1 + i) < 0)
            abort();
    }
    int status = options_parse(&program, argc, argv, options);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], 1 + i);
        close(saved[i]);
    }
    read_back(files[0], out, sizeof out);
    read_back(files[1], err, sizeof err);
    return status;
}

#define ARGV(...)                                                                                  \
    (char *[])                                                                                     \
    {                                                                                              \
        "demo", __VA_ARGS__, NULL                                                                  \
    }
#define PARSE(options, ...)                                                                        \
    parse(options, (int)(sizeof ARGV(__VA_ARGS__) / sizeof(char *)) - 1, ARGV(__VA_ARGS__))

/* Tests a command line that is invalid: options_parse must return EXIT_USAGE and print exactly
 * "demo: ", `line` and a newline on stderr, and nothing on stdout. */
#define FAILS(line, ...)                                                                           \
    do {                                                                                           \
        struct options o_;                                                                         \
        int status_ = PARSE(&o_, __VA_ARGS__);                                                     \
        EXPECT(status_ == EXIT_USAGE, "status %d for: %s", status_, line);                         \
        EXPECT(strcmp(err, "demo: " line "\n") == 0, "'%s' instead of '%s'", err, line);           \
        EXPECT(out[0] == 0, "'%s' on stdout", out);                                                \
    } while (0)

static bool list_is(const struct list *list, int count, const int64_t *values)
{
    return list->count == count && memcmp(list->value, values, (size_t)count * sizeof *values) == 0;
}
#define LIST_IS(list, ...)                                                                         \
    list_is(&(list), (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                    \
            (int64_t[]){__VA_ARGS__})

static void test_numbers(void)
{
    static const struct {
        const char *text;
        int64_t value; /* -1: the text must be refused */
    } cases[] = {
        {"12", 12},
        {"0", 0},
        {"007", 7},
        {"256K", 262144},
        {"256k", 262144},
        {"1M", 1048576},
        {"1m", 1048576},
        {"2G", INT64_C(2147483648)},
        {"2g", INT64_C(2147483648)},
        {"9223372036854775807", INT64_MAX},
        {"8589934591G", INT64_C(8589934591) << 30},
        {"", -1},
        {" 1", -1},
        {"1 ", -1},
        {"+1", -1},
        {"-1", -1},
        {"-", -1},
        {"K", -1},
        {"1KB", -1},
        {"1KK", -1},
        {"1T", -1},
        {"0x10", -1},
        {"1e3", -1},
        {"1.5", -1},
        {"1,2", -1},
        {"9223372036854775808", -1},
        {"18446744073709551616", -1},
        {"99999999999999999999999", -1},
        {"8589934592G", -1},
        {"17179869184G", -1},
        {"18014398509481985K", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -1;
        bool good = parse_number(cases[i].text, 0, INT64_MAX, &value);
        EXPECT(good == (cases[i].value >= 0) && value == cases[i].value, "'%s' gives %lld",
               cases[i].text, (long long)value);
    }
    int64_t value = -1;
    EXPECT(parse_number("5", 5, 5, &value) && value == 5, "5 in [5, 5]");
    EXPECT(!parse_number("4", 5, 7, &value) && !parse_number("8", 5, 7, &value) && value == 5,
           "4, 8 in [5, 7] store %lld", (long long)value);
    EXPECT(!parse_number("0", -2, -1, &value), "0 in [-2, -1]");
}

static void test_defaults(void)
{
    struct options o;
    EXPECT(parse(&o, 1, (char *[]){"demo", NULL}) == -1 && !*err && !*out, "no option: %s", err);
    EXPECT(LIST_IS(o.n, 262144, 1048576) && LIST_IS(o.blocks, 4, 8, 16, 32) &&
               LIST_IS(o.threads, 16) && o.parts.count == 0,
           "the paper's sizes");
    program.quick_default = true; /* programs set this on the CPU device */
    EXPECT(PARSE(&o, "--paper") == -1 && !*err && !o.quick && LIST_IS(o.n, 262144, 1048576),
           "--paper: %s", err);
    EXPECT(PARSE(&o, "--paper", "--quick") == -1 && o.quick && !LIST_IS(o.n, 262144, 1048576),
           "--paper --quick");
    EXPECT(PARSE(&o, "--quick", "--paper") == -1 && !o.quick && LIST_IS(o.n, 262144, 1048576),
           "--quick --paper");
    program.quick_default = false;
    EXPECT(parse(&o, 1, (char *[]){"demo", NULL}) == -1, "as before");
    EXPECT(strcmp(o.types, "s") == 0 && strcmp(o.cases, "L") == 0, "'%s' '%s'", o.types, o.cases);
    EXPECT(o.has_variant[0] && o.has_variant[1] && o.has_variant[2] && !o.has_variant[3],
           "all variants by default");
    EXPECT(o.reps == 20 && o.seed == SEED_DEFAULT && !o.csv && !o.check && !o.quick && !o.wide,
           "defaults");
}

static void test_values(void)
{
    struct options o;
    EXPECT(PARSE(&o, "--n=1,2k,3M", "--blocks", "2147483647", "--threads", "1,1024", "--type",
                 "d,s,d", "--case", "M,H", "--variant", "fast,plain,fast", "--reps", "1000",
                 "--seed", "18446744073709551615", "--csv", "a b.csv", "--check", "--wide") == -1,
           "%s", err);
    EXPECT(LIST_IS(o.n, 1, 2048, 3145728) && LIST_IS(o.blocks, 2147483647) &&
               LIST_IS(o.threads, 1, 1024),
           "lists");
    EXPECT(strcmp(o.types, "ds") == 0 && strcmp(o.cases, "MH") == 0, "'%s' '%s'", o.types, o.cases);
    EXPECT(o.has_variant[0] && !o.has_variant[1] && o.has_variant[2], "two variants");
    EXPECT(o.reps == 1000 && o.seed == UINT64_MAX && strcmp(o.csv, "a b.csv") == 0 && o.check &&
               o.wide,
           "rest");

    EXPECT(PARSE(&o, "--n", "1024G", "--n", "5") == -1 && LIST_IS(o.n, 5), "the last counts");

    program.takes = "type";
    program.paper = "";
    EXPECT(PARSE(&o, "--type", "s,d,c,z") == -1 && strcmp(o.types, "sdcz") == 0, "%s", err);
    program.takes = "n batch parts nest cores";
    EXPECT(PARSE(&o, "--n", "1024G", "--batch", "2G", "--parts", "1024G", "--nest", "16", "--cores",
                 "1024") == -1 &&
               LIST_IS(o.n, INT64_C(1) << 40) && LIST_IS(o.batch, INT64_C(1) << 31) &&
               LIST_IS(o.parts, INT64_C(1) << 40) && LIST_IS(o.nest, 16) && LIST_IS(o.cores, 1024),
           "upper ends: %s", err);
    FAILS("--batch: '2147483649' is out of range (1 to 2G)", "--batch", "2147483649");
    FAILS("--parts: '1025G' is out of range (1 to 1024G)", "--parts", "1025G");
    FAILS("--nest: '17' is out of range (1 to 16)", "--nest", "17");
    FAILS("--cores: '0' is out of range (1 to 1024)", "--cores", "0");
}

static void test_quick(void)
{
    struct options o;
    /* --quick may be the first or the last option. In both cases the sizes of the other options
     * replace those of --quick. */
    EXPECT(PARSE(&o, "--n", "7", "--reps", "5", "--quick") == -1 && o.quick && LIST_IS(o.n, 7) &&
               LIST_IS(o.blocks, 4) && LIST_IS(o.threads, 32) && o.reps == 5 &&
               strcmp(o.types, "sd") == 0 && strcmp(o.cases, "H") == 0,
           "--quick last: %s", err);
    EXPECT(PARSE(&o, "--quick", "--n", "7") == -1 && o.quick && LIST_IS(o.n, 7) &&
               LIST_IS(o.threads, 32) && o.reps == 3,
           "--quick first");

    program.quick_default = true;
    EXPECT(PARSE(&o, "--type", "d", "--variant", "fast") == -1 && o.quick && LIST_IS(o.n, 4096) &&
               strcmp(o.types, "d") == 0,
           "the CPU device");
    EXPECT(strcmp(err, "demo: the kernels run on the CPU device: the --quick sizes are used\n") ==
               0,
           "'%s'", err);
    EXPECT(PARSE(&o, "--threads", "64") == -1 && !*err && !o.quick && LIST_IS(o.threads, 64) &&
               LIST_IS(o.n, 262144, 1048576),
           "a size: '%s'", err);
    EXPECT(PARSE(&o, "--quick") == -1 && !*err && o.quick, "--quick: '%s'", err);
    EXPECT(PARSE(&o, "--check") == -1 && !*err && o.check && !o.quick, "--check: '%s'", err);
    program.quick_default = false;
}

static void test_errors(void)
{
    FAILS("--threads: '2048' is out of range (1 to 1024)", "--threads", "2048");
    FAILS("--threads: '0' is out of range (1 to 1024)", "--threads", "32,0,64");
    FAILS("--threads: '-1' is out of range (1 to 1024)", "--threads=-1");
    FAILS("--n: '0' is out of range (1 to 1024G)", "--n", "0");
    FAILS("--n: '1025G' is out of range (1 to 1024G)", "--n", "1025G");
    FAILS("--n: '99999999999999999999' is out of range (1 to 1024G)", "--n",
          "99999999999999999999");
    FAILS("--n: '-5K' is out of range (1 to 1024G)", "--n", "-5K");
    FAILS("--n: '12x' is not a number (1 to 1024G)", "--n", "12x");
    FAILS("--n: 'abc' is not a number (1 to 1024G)", "--n", "1,abc");
    FAILS("--n: ' 2' is not a number (1 to 1024G)", "--n", "1, 2");
    FAILS("--n: '' is empty (1 to 1024G)", "--n", "");
    FAILS("--n: '1,' has an empty item (1 to 1024G)", "--n", "1,");
    FAILS("--n: ',1' has an empty item (1 to 1024G)", "--n", ",1");
    FAILS("--n: '1,,2' has an empty item (1 to 1024G)", "--n", "1,,2");
    FAILS("--n: ',' has an empty item (1 to 1024G)", "--n", ",");
    FAILS("--n: '1?2' is not a number (1 to 1024G)", "--n", "1\n2");
    FAILS("--n: '--quick' is not a number (1 to 1024G)", "--n", "--quick");
    FAILS("--n: the value is missing (1 to 1024G)", "--n");
    FAILS("--blocks: '2G' is out of range (1 to 2147483647)", "--blocks", "2G");
    FAILS("--reps: '0' is out of range (1 to 1000)", "--reps", "0");
    FAILS("--reps: '1001' is out of range (1 to 1000)", "--reps", "1001");
    FAILS("--reps: '1,2' is not a number (1 to 1000)", "--reps", "1,2");
    FAILS("--reps: '' is empty (1 to 1000)", "--reps", "");
    FAILS("--seed: '-1' is out of range (0 to 18446744073709551615)", "--seed", "-1");
    FAILS("--seed: '18446744073709551616' is out of range (0 to 18446744073709551615)", "--seed",
          "18446744073709551616");
    FAILS("--type: 'c' is unknown (s, d)", "--type", "s,c");
    FAILS("--type: 'sd' is unknown (s, d)", "--type", "sd");
    FAILS("--case: 'l' is unknown (L, M, H)", "--case", "l");
    FAILS("--variant: 'slow' is unknown (plain, rearranged, fast)", "--variant", "plain,slow");
    FAILS("--variant: '' is empty (plain, rearranged, fast)", "--variant", "");
    FAILS("--variant: 'fast,' has an empty item (plain, rearranged, fast)", "--variant", "fast,");
    FAILS("--csv: '' is empty (a file name)", "--csv", "");
    FAILS("--csv: the value is missing (a file name)", "--check", "--csv");
    FAILS("--quick: 'yes' is too much: it takes no value", "--quick=yes");
    FAILS("unknown option '--foo' (see --help)", "--foo");
    FAILS("unknown option '--foo' (see --help)", "--foo=1", "--n", "1");
    FAILS("unknown option '--f?o' (see --help)", "--f\no");
    FAILS("unknown option '-n' (see --help)", "-n", "1");
    FAILS("unknown option '-abc' (see --help)", "-abc");
    /* The program must refuse options of other programs, and abbreviations of its own options, with
     * and without a value. */
    FAILS("unknown option '--cores' (see --help)", "--cores", "2");
    FAILS("unknown option '--thr' (see --help)", "--thr", "2");
    FAILS("unknown option '--thr' (see --help)", "--thr");
    FAILS("unknown option '--qui' (see --help)", "--qui");
    FAILS("unknown option '--c' (see --help)", "--c");
    FAILS("unexpected argument '7' (see --help)", "--quick", "7");
    FAILS("unexpected argument '7' (see --help)", "7", "--foo");
    FAILS("unexpected argument '--n' (see --help)", "--", "--n");
    FAILS("unexpected argument '' (see --help)", "");
}

static void test_longest_list(void)
{
    char text[2 * LIST_MAX + 2] = "";
    for (int i = 0; i < LIST_MAX; i++)
        strcat(text, i ? ",9" : "9");
    struct options o;
    EXPECT(PARSE(&o, "--n", text) == -1 && o.n.count == LIST_MAX && o.n.value[63] == 9, "%s", err);
    EXPECT(PARSE(&o, "--variant", "fast,fast") == -1 && o.has_variant[2], "%s", err);
    strcat(text, ",9");
    EXPECT(PARSE(&o, "--n", text) == EXIT_USAGE && strstr(err, "demo: --n: '9,9,9") == err &&
               strstr(err, "has more than 64 items (1 to 1024G)\n") &&
               strchr(err, '\n') == err + strlen(err) - 1,
           "%s", err);
}

/* Returns the length of the longest line of `out`, in bytes. */
static size_t longest_line(void)
{
    size_t most = 0;
    for (const char *line = out; *line; line += strcspn(line, "\n"), line += *line == '\n')
        most = strcspn(line, "\n") > most ? strcspn(line, "\n") : most;
    return most;
}

/* Is `text` in `out`, if each sequence of blanks and line breaks counts as one blank? */
static bool out_has(const char *text)
{
    static char flat[sizeof out];
    char *to = flat;
    for (const char *from = out; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
        else if (to > flat && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
    return strstr(flat, text);
}

static void test_shows(void)
{
    struct options o;
    EXPECT(PARSE(&o, "--help") == 0 && !*err, "--help: %s", err);
    static const char *const parts[] = {
        "--n LIST", "--threads LIST", "1 to 1024)", "--type LIST", "(s, d)",  "--variant LIST",
        "--reps",   "--seed",         "--csv FILE", "--check",     "--quick", "--wide",
        "--list",   "--version",      "A program.", "Exit status", "NO_COLOR"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        EXPECT(strstr(out, parts[i]), "--help lacks '%s':\n%s", parts[i], out);
    EXPECT(out_has(program.paper) && out_has(program.quick), "--help lacks the defaults");
    EXPECT(!strstr(out, "--cores") && !strstr(out, "--batch"), "--help has others' options");
    EXPECT(!strstr(out, "rearranged"), "--help shows the variants:\n%s", out);
    EXPECT(PARSE(&o, "--list") == 0 && !*err, "--list: %s", err);
    EXPECT(strcmp(out,
                  "plain       as it is\nrearranged  transposed\nfast        not the paper's\n") ==
               0,
           "%s", out);
    EXPECT(PARSE(&o, "--version", "--foo") == 0 && !*err, "--version: %s", err);
    EXPECT(strncmp(out, "demo ", 5) == 0 && strstr(out, build_version()) == out + 5 &&
               strstr(out, ", revision ") && strstr(out, "\ndevice: a device\n") &&
               strstr(out, "\ncompiler: ") && strstr(out, "\nflags: "),
           "%s", out);
}

/* --help fills lines of 80 characters and breaks none that fits. A name that is longer than the
 * column of names in --list moves only its own text. */
static void test_widths(void)
{
    static const struct variant long_names[] = {
        {.name = "short", .what = "a"},
        {.name = "a_name_of_exactly_forty_characters_length", .what = "b"},
        {0}};
    struct program saved = program;
    struct options o;
    program.takes = "n batch rows blocks threads parts nest cores tdse gpus type case";
    program.summary = "Word by word this summary grows until it is longer than a line of a "
                      "terminal, which has eighty characters.";
    program.paper = "--n 1,2,3,4,5,6,7,8 --blocks 1,2,3,4,5,6,7,8 --threads 1,2,3,4,5,6,7,8,9 "
                    "--parts 1,2,3; --n 7";
    EXPECT(PARSE(&o, "--help") == 0 && longest_line() <= 80 && longest_line() > 72, "%zu:\n%s",
           longest_line(), out);
    EXPECT(out_has(program.summary) && out_has("--threads 1,2,3,4,5,6,7,8,9 --parts 1,2,3 --n 7"),
           "--help lost a word:\n%s", out);
    EXPECT(strstr(out, "\n  --n 7\n"), "an experiment does not begin a line:\n%s", out);
    program.variants = long_names;
    EXPECT(PARSE(&o, "--list") == 0 &&
               strcmp(out, "short                       a\n"
                           "a_name_of_exactly_forty_characters_length  b\n") == 0,
           "%s", out);
    program = saved;
}

/* Do *a and *b agree in all options but the sizes? program.paper and program.quick may list several
 * experiments, and options_next() moves from one to the next. It may change only the sizes. */
static bool same_but_sizes(const struct options *a, const struct options *b)
{
    return memcmp(a->has_variant, b->has_variant, sizeof a->has_variant) == 0 &&
           strcmp(a->types, b->types) == 0 && strcmp(a->cases, b->cases) == 0 &&
           a->reps == b->reps && a->seed == b->seed && a->csv == b->csv && a->check == b->check &&
           a->quick == b->quick;
}

static void test_experiments(void)
{
    struct options o, first;
    program.takes = "n blocks threads type=sd case";
    program.paper = "--n 1K,2K --blocks 4,8 --threads 16 --type s --case H --reps 5; "
                    "--n 3K --threads 32,64,128; --blocks 2";
    program.quick = "--n 7 --blocks 3 --threads 32 --type s,d --reps 2; --n 9,8";
    EXPECT(PARSE(&o, "--check") == -1 && LIST_IS(o.n, 1024, 2048) && LIST_IS(o.blocks, 4, 8) &&
               LIST_IS(o.threads, 16) && strcmp(o.types, "s") == 0 && strcmp(o.cases, "H") == 0 &&
               o.reps == 5,
           "the first: %s", err);
    first = o;
    EXPECT(options_next(&program, &o) && LIST_IS(o.n, 3072) && LIST_IS(o.blocks, 4, 8) &&
               LIST_IS(o.threads, 32, 64, 128) && same_but_sizes(&o, &first),
           "the second");
    EXPECT(options_next(&program, &o) && LIST_IS(o.n, 3072) && LIST_IS(o.blocks, 2) &&
               LIST_IS(o.threads, 32, 64, 128) && same_but_sizes(&o, &first),
           "the third");
    for (int i = 0; i < 2; i++)
        EXPECT(!options_next(&program, &o) && LIST_IS(o.n, 3072) && LIST_IS(o.blocks, 2) &&
                   LIST_IS(o.threads, 32, 64, 128) && same_but_sizes(&o, &first),
               "after the last");
}

static void test_given_experiments(void)
{
    struct options o;
    /* Options of the command line that are not sizes apply to every experiment. */
    EXPECT(PARSE(&o, "--type", "d", "--case", "L,M", "--variant", "fast", "--reps", "7", "--seed",
                 "9", "--csv", "a.csv") == -1 &&
               LIST_IS(o.n, 1024, 2048),
           "%s", err);
    for (int i = 1; options_next(&program, &o); i++)
        EXPECT(i <= 2 && LIST_IS(o.n, 3072) && strcmp(o.types, "d") == 0 &&
                   strcmp(o.cases, "LM") == 0 && !o.has_variant[0] && !o.has_variant[1] &&
                   o.has_variant[2] && o.reps == 7 && o.seed == 9 && o.csv &&
                   strcmp(o.csv, "a.csv") == 0 && !o.check && !o.quick,
               "given, experiment %d: '%s' '%s' %d", i + 1, o.types, o.cases, o.reps);

    /* If --quick is given or is the default, the experiments are those of program.quick. */
    for (int i = 0; i < 2; i++) {
        program.quick_default = i;
        EXPECT((i ? PARSE(&o, "--reps", "4", "--csv", "a.csv")
                  : PARSE(&o, "--quick", "--reps", "4", "--csv", "a.csv")) == -1 &&
                   LIST_IS(o.n, 7),
               "--quick: %s", err);
        EXPECT(options_next(&program, &o) && o.quick && LIST_IS(o.n, 9, 8) &&
                   LIST_IS(o.blocks, 3) && LIST_IS(o.threads, 32) && strcmp(o.types, "sd") == 0 &&
                   o.reps == 4 && o.csv && strcmp(o.csv, "a.csv") == 0,
               "--quick, the second");
        EXPECT(!options_next(&program, &o) && LIST_IS(o.n, 9, 8), "--quick, after the last");
    }
    program.quick_default = false;
}

static void test_single_experiments(void)
{
    struct options o;
    EXPECT(PARSE(&o, "--help") == 0 && strstr(out, "\n  --n 3K --threads 32,64,128\n") &&
               strstr(out, "\n  --blocks 2\n") && strstr(out, "\n  --n 9,8\n"),
           "--help lacks an experiment:\n%s", out);

    program.quick = "--n 7";
    EXPECT(PARSE(&o, "--quick") == -1 && !options_next(&program, &o) && LIST_IS(o.n, 7),
           "--quick has one");
    program.paper = "--n 7";
    program.quick = "--n 7; --n 8";
    EXPECT(PARSE(&o, "--seed", "1") == -1 && !options_next(&program, &o) && LIST_IS(o.n, 7),
           "the paper has one");

    /* If the command line gives a size, there is only one experiment, even if none of the
     * experiments names that size. */
    program.takes = "n batch blocks threads parts nest cores";
    program.paper = program.quick = "--n 7; --n 8";
    static char *const sizes[] = {"--n=5",     "--batch=5", "--blocks=5", "--threads=5",
                                  "--parts=5", "--nest=5",  "--cores=5"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        EXPECT(PARSE(&o, sizes[i], "--csv", "a.csv") == -1 && !options_next(&program, &o) &&
                   LIST_IS(o.n, i == 0 ? 5 : 7),
               "an experiment after %s: %s", sizes[i], err);
        EXPECT(PARSE(&o, "--quick", sizes[i], "--reps", "2") == -1 && !options_next(&program, &o) &&
                   LIST_IS(o.n, i == 0 ? 5 : 7),
               "an experiment after --quick %s: %s", sizes[i], err);
    }
}

int main(void)
{
    const char *takes = program.takes, *paper = program.paper;
    test_numbers();
    test_defaults();
    test_quick();
    test_values();
    const char *quick = program.quick;
    test_experiments();
    test_given_experiments();
    test_single_experiments();
    program.quick = quick;
    program.takes = takes;
    program.paper = paper;
    test_errors();
    test_longest_list();
    test_shows();
    test_widths();
    return expect_done();
}
