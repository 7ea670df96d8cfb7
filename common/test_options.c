/* Tests of options.h: what the command line accepts, and the messages about what it refuses. */
#include "expect.h"
#include "options.h"
#include "results.h"
#include "test_text.h"

static const struct variant variants[] = {{.name = "plain", .what = "as it is"},
                                          {.name = "rearranged", .what = "transposed"},
                                          {.name = "fast", .what = "not the paper's"},
                                          {0}};

static struct program program = {
    .name = "demo", .summary = "A program.", .variants = variants, .device = "a device"};

/* What the tested programs have of options, and their default experiments. */
enum setting { USUAL, ALL_SIZES, THREE, ONE_QUICK, ONE_OF_PAPER };
static void set(enum setting k)
{
    static const char *const settings[][3] = {
        [USUAL] = {"n blocks threads type=sd case seeds",
                   "--n 256K,1M --blocks 4,8,16,32 --threads 16 --type s --case L",
                   "--n 4K --blocks 4 --threads 32 --type s,d --case H --reps 3"},
        [ALL_SIZES] = {"n batch blocks threads parts nest cores type", "--n 7; --n 8",
                       "--n 7; --n 8"},
        [THREE] = {"n blocks threads type=sd case",
                   "--n 1K,2K --blocks 4,8 --threads 16 --type s --case H --reps 5; "
                   "--n 3K --threads 32,64,128; --blocks 2",
                   "--n 7 --blocks 3 --threads 32 --type s,d --reps 2; --n 9,8"},
        [ONE_QUICK] = {"n", "--n 3; --n 4", "--n 7"},
        [ONE_OF_PAPER] = {"n", "--n 7", "--n 7; --n 8"},
    };
    program.takes = settings[k][0], program.paper = settings[k][1];
    program.quick = settings[k][2];
}

static char out[8192], err[8192]; /* what the last parse() printed on stdout and stderr */

/* Parses a command line whose arguments are separated by bars. */
static int parse(struct options *options, const char *line)
{
    static char copy[4096]; /* options point to it */
    char *argv[64] = {"demo"}, *at = copy;
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line ? line : "");
    for (; line && at; argc++) {
        argv[argc] = at;
        at = strchr(at, '|');
        if (at)
            *at++ = 0;
    }
    char files[2][32] = {"/tmp/test_options.XXXXXX", "/tmp/test_options.XXXXXX"};
    for (int i = 0; i < 2; i++) {
        close(mkstemp(files[i]));
        redirect(1 + i, files[i]);
    }
    int status = options_parse(&program, argc, argv, options);
    for (int i = 0; i < 2; i++) {
        redirect(1 + i, NULL);
        read_text(files[i], i ? err : out, sizeof out);
        unlink(files[i]);
    }
    return status;
}

static void test_numbers(void)
{
    const char *wrong = "; 1;1 ;+1;-1;-;K;1KB;1KK;1T;0x10;1e3;1.5;1,2;9223372036854775808;"
                        "18446744073709551616;99999999999999999999999;8589934592G;17179869184G;"
                        "18014398509481985K";
    const char *right = "12=12;0=0;007=7;256K=262144;256k=262144;1M=1048576;1m=1048576;"
                        "2G=2147483648;2g=2147483648;9223372036854775807=9223372036854775807;"
                        "8589934591G=9223372035781033984";
    int64_t value = -1;
    char item[64], text[32];
    while (wrong) {
        wrong = next_item(wrong, item, sizeof item);
        EXPECT(!parse_number(item, 0, INT64_MAX, &value) && value == -1, "'%s' gives %lld", item,
               (long long)value);
    }
    while (right) {
        long long expected;
        right = next_item(right, item, sizeof item);
        sscanf(item, "%31[^=]=%lld", text, &expected);
        EXPECT(parse_number(text, 0, INT64_MAX, &value) && value == expected, "'%s' gives %lld",
               text, (long long)value);
    }
    EXPECT(parse_number("5", 5, 5, &value) && value == 5, "5 in [5, 5]");
    EXPECT(!parse_number("4", 5, 7, &value) && !parse_number("8", 5, 7, &value) && value == 5,
           "4, 8 in [5, 7] store %lld", (long long)value);
    EXPECT(!parse_number("0", -2, -1, &value), "0 in [-2, -1]");
}

/* Lists all options, the sizes first: " n=7 batch= … csv=a.csv ". */
static const char *described(const struct options *o)
{
    static char text[8192];
    const struct {
        const char *name;
        const struct list *list;
    } lists[] = {{"n", &o->n},         {"batch", &o->batch}, {"blocks", &o->blocks},
                 {"parts", &o->parts}, {"nest", &o->nest},   {"threads", &o->threads},
                 {"cores", &o->cores}};
    FILE *to = fmemopen(text, sizeof text, "w");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        fprintf(to, " %s=", lists[k].name);
        for (int i = 0; i < lists[k].list->count; i++)
            fprintf(to, "%s%lld", i ? "," : "", (long long)lists[k].list->value[i]);
    }
    fprintf(to, " types=%s cases=%s variants=", o->types, o->cases);
    for (int i = 0; i < 4; i++)
        fputc('0' + o->has_variant[i], to);
    fprintf(to, " reps=%d seed=%llu check=%d quick=%d wide=%d csv=%s ", o->reps,
            (unsigned long long)o->seed, o->check, o->quick, o->wide, o->csv ? o->csv : "");
    fclose(to);
    return text;
}

/* Are all words up to ';' or the end in `text`? */
static bool has_words(const char *text, const char *words)
{
    char word[256];
    for (int length; sscanf(words, " %254[^ ;]%n", word + 1, &length) == 1; words += length) {
        word[0] = ' ';
        strcat(word, " ");
        if (!strstr(text, word))
            return false;
    }
    return true;
}

#define EVERY "types=d cases=LM variants=0010 reps=7 seed=9 check=0 quick=0 csv=a.csv"
#define QUICK "blocks=3 threads=32 types=sd reps=4 quick=1 csv=a.csv"
static const struct {
    enum setting setting;
    /* Is --quick the default, as on the CPU device? Does a line on stderr say that it is used? */
    enum { NO, CPU, SAID } quick;
    const char *lines, *expected; /* command lines; the options of each experiment */
} accepted[] = {
    {USUAL, NO, "",
     "n=262144,1048576 blocks=4,8,16,32 threads=16 parts= types=s cases=L variants=1110 reps=20 "
     "seed=1 check=0 quick=0 wide=0 csv="},
    {USUAL, CPU, "--paper;--quick|--paper", "n=262144,1048576 quick=0"},
    {USUAL, CPU, "--quick;--paper|--quick", "n=4096 quick=1"},
    {USUAL, CPU, "--threads|64", "n=262144,1048576 threads=64 quick=0"},
    {USUAL, CPU, "--check", "check=1 quick=0"},
    {USUAL, SAID, "--type|d|--variant|fast", "n=4096 types=d quick=1"},
    {USUAL, NO,
     "--n=1,2k,3M|--blocks|2147483647|--threads|1,1024|--type|d,s,d|--case|M,H|--variant|"
     "fast,plain,fast|--reps|1000|--seed|18446744073709551615|--csv|a b.csv|--check|--wide",
     "n=1,2048,3145728 blocks=2147483647 threads=1,1024 types=ds cases=MH variants=1010 reps=1000 "
     "seed=18446744073709551615 check=1 wide=1 csv=a b.csv"},
    {USUAL, NO, "--n|1024G|--n|5", "n=5"}, /* the last counts */
    {USUAL, NO, "--variant|fast,fast", "variants=0010"},
    /* Wherever --quick stands, the sizes of other options replace its own. */
    {USUAL, NO, "--n|7|--reps|5|--quick",
     "n=7 blocks=4 threads=32 types=sd cases=H reps=5 quick=1"},
    {USUAL, NO, "--quick|--n|7", "n=7 threads=32 reps=3 quick=1"},
    {ALL_SIZES, NO, "--type|s,d,c,z", "types=sdcz; n=8"},
    {ALL_SIZES, NO, "--n|1024G|--batch|2G|--parts|1024G|--nest|16|--cores|1024",
     "n=1099511627776 batch=2147483648 parts=1099511627776 nest=16 cores=1024"},
    {THREE, NO, "--check",
     "n=1024,2048 blocks=4,8 threads=16 types=s cases=H reps=5; "
     "n=3072 blocks=4,8 threads=32,64,128; n=3072 blocks=2 threads=32,64,128"},
    /* Options of the command line that are not sizes apply to every experiment. */
    {THREE, NO, "--type|d|--case|L,M|--variant|fast|--reps|7|--seed|9|--csv|a.csv",
     "n=1024,2048 " EVERY "; n=3072 " EVERY "; n=3072 " EVERY},
    {THREE, NO, "--quick|--reps|4|--csv|a.csv", "n=7 " QUICK "; n=9,8 " QUICK},
    {THREE, SAID, "--reps|4|--csv|a.csv", "n=7 " QUICK "; n=9,8 " QUICK},
    {ONE_QUICK, NO, "--quick", "n=7"},
    {ONE_OF_PAPER, NO, "--seed|1", "n=7"},
    /* With a size there is only one experiment, even if none of them names that size. */
    {ALL_SIZES, NO, "--n=5|--csv|a;--quick|--n=5|--reps|2", "n=5"},
    {ALL_SIZES, NO,
     "--batch=5|--csv|a;--blocks=5|--csv|a;--threads=5|--csv|a;--parts=5|--csv|a;--nest=5|--csv|a;"
     "--cores=5|--csv|a;--quick|--batch=5|--reps|2;--quick|--blocks=5|--reps|2;"
     "--quick|--threads=5|--reps|2;--quick|--parts=5|--reps|2;--quick|--nest=5|--reps|2;"
     "--quick|--cores=5|--reps|2",
     "n=7"}};

/* Tests that the line is accepted and gives these experiments, which differ in their sizes only. */
static void accepts(const char *line, const char *experiments, bool says_so)
{
    static const char said[] =
        "demo: the kernels run on the CPU device: the --quick sizes are used\n";
    struct options o;
    char rest[1024], words[1024], last[8192];
    EXPECT(parse(&o, line) == -1 && strcmp(err, says_so ? said : "") == 0 && !*out, "%s: %s", line,
           err);
    snprintf(rest, sizeof rest, "%s", strstr(described(&o), " types="));
    for (int i = 0; experiments; i++) {
        experiments = next_item(experiments, words, sizeof words);
        EXPECT(i == 0 || options_next(&program, &o), "%s: there is no experiment %d", line, i);
        EXPECT(has_words(described(&o), words) && strstr(described(&o), rest),
               "%s, experiment %d is%s, not %s", line, i, described(&o), words);
    }
    snprintf(last, sizeof last, "%s", described(&o));
    for (int i = 0; i < 2; i++)
        EXPECT(!options_next(&program, &o) && strcmp(last, described(&o)) == 0,
               "%s: after the last experiment%s", line, described(&o));
}

static void test_accepted(void)
{
    for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++) {
        set(accepted[k].setting);
        program.quick_default = accepted[k].quick != NO;
        for (const char *lines = accepted[k].lines; lines;) {
            char line[512];
            lines = next_item(lines, line, sizeof line);
            accepts(*line ? line : NULL, accepted[k].expected, accepted[k].quick == SAID);
        }
    }
    program.quick_default = false;
}

#define UP_TO(most) ": '%s' is out of range (1 to " most ")"
/* Messages, and the command lines that give them. %s is what the line has in brackets. The first
 * four are about options of ALL_SIZES. */
enum { OF_ALL_SIZES = 4 };
static const char *const refused[][2] = {
    {"--batch" UP_TO("2G"), "--batch|[2147483649]"},
    {"--parts" UP_TO("1024G"), "--parts|[1025G]"},
    {"--nest" UP_TO("16"), "--nest|[17]"},
    {"--cores" UP_TO("1024"), "--cores|[0]"},
    {"--threads" UP_TO("1024"), "--threads|[2048];--threads|32,[0],64;--threads=[-1]"},
    {"--n" UP_TO("1024G"), "--n|[0];--n|[1025G];--n|[99999999999999999999];--n|[-5K]"},
    {"--n: '%s' is not a number (1 to 1024G)", "--n|[12x];--n|1,[abc];--n|1,[ 2];--n|[--quick]"},
    {"--n: '1?2' is not a number (1 to 1024G)", "--n|1\n2"},
    {"--n: '' is empty (1 to 1024G)", "--n|"},
    {"--n: '%s' has an empty item (1 to 1024G)", "--n|[1,];--n|[,1];--n|[1,,2];--n|[,]"},
    {"--n: the value is missing (1 to 1024G)", "--n"},
    {"--blocks" UP_TO("2147483647"), "--blocks|[2G]"},
    {"--reps" UP_TO("1000"), "--reps|[0];--reps|[1001]"},
    {"--reps: '1,2' is not a number (1 to 1000)", "--reps|1,2"},
    {"--reps: '' is empty (1 to 1000)", "--reps|"},
    {"--seed: '%s' is out of range (0 to 18446744073709551615)",
     "--seed|[-1];--seed|[18446744073709551616]"},
    {"--type: '%s' is unknown (s, d)", "--type|s,[c];--type|[sd]"},
    {"--case: 'l' is unknown (L, M, H)", "--case|l"},
    {"--variant: 'slow' is unknown (plain, rearranged, fast)", "--variant|plain,slow"},
    {"--variant: '' is empty (plain, rearranged, fast)", "--variant|"},
    {"--variant: 'fast,' has an empty item (plain, rearranged, fast)", "--variant|fast,"},
    {"--csv: '' is empty (a file name)", "--csv|"},
    {"--csv: the value is missing (a file name)", "--check|--csv"},
    {"--quick: 'yes' is too much: it takes no value", "--quick=yes"},
    {"unknown option '--f?o' (see --help)", "--f\no"},
    /* --cores is another program's option. Abbreviations are no options. */
    {"unknown option '%s' (see --help)",
     "[--foo];[--foo]=1|--n|1;[-n]|1;[-abc];[--cores]|2;[--thr]|2;[--thr];[--qui];[--c]"},
    {"unexpected argument '%s' (see --help)", "--quick|[7];[7]|--foo;--|[--n];[]"}};

/* Tests that the line is refused with one line on stderr, and nothing on stdout. */
static void refuses(const char *message, const char *line)
{
    struct options o;
    char bare[256], wrong[256] = "", expected[300] = "demo: ";
    int length = 0;
    for (const char *c = line; *c; c++)
        if (*c != '[' && *c != ']')
            bare[length++] = *c;
    bare[length] = 0;
    sscanf(line, *line == '[' ? "[%255[^]]" : "%*[^[][%255[^]]", wrong);
    snprintf(expected + 6, sizeof expected - 6, message, wrong);
    strcat(expected, "\n");
    int status = parse(&o, bare);
    EXPECT(status == EXIT_USAGE && strcmp(err, expected) == 0 && !*out,
           "%s: status %d, '%s' instead of '%s', '%s' on stdout", bare, status, err, expected, out);
}

static void test_refused(void)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        set(k < OF_ALL_SIZES ? ALL_SIZES : USUAL);
        for (const char *lines = refused[k][1]; lines;) {
            char line[256];
            lines = next_item(lines, line, sizeof line);
            refuses(refused[k][0], line);
        }
    }
}

static void test_longest_list(void)
{
    char line[2 * LIST_MAX + 8] = "--n|9";
    for (int i = 1; i < LIST_MAX; i++)
        strcat(line, ",9");
    struct options o;
    EXPECT(parse(&o, line) == -1 && o.n.count == LIST_MAX && o.n.value[LIST_MAX - 1] == 9, "%s",
           err);
    strcat(line, ",9");
    EXPECT(parse(&o, line) == EXIT_USAGE && strstr(err, "demo: --n: '9,9,9") == err &&
               strstr(err, "has more than 64 items (1 to 1024G)\n") &&
               strchr(err, '\n') == err + strlen(err) - 1,
           "%s", err);
}

static void test_shows(void)
{
    struct options o;
    EXPECT(parse(&o, "--help") == 0 && !*err, "--help: %s", err);
    static const char *const parts[] = {
        "--n LIST", "--threads LIST", "1 to 1024)", "--type LIST", "(s, d)",  "--variant LIST",
        "--reps",   "--seed",         "--csv FILE", "--check",     "--quick", "--wide",
        "--list",   "--version",      "A program.", "Exit status", "NO_COLOR"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        EXPECT(strstr(out, parts[i]), "--help lacks '%s':\n%s", parts[i], out);
    EXPECT(strstr(flat(out), program.paper) && strstr(flat(out), program.quick),
           "--help lacks the defaults");
    EXPECT(!strstr(out, "--cores") && !strstr(out, "--batch"), "--help has others' options");
    EXPECT(!strstr(out, "rearranged"), "--help shows the variants:\n%s", out);
    EXPECT(parse(&o, "--list") == 0 && !*err, "--list: %s", err);
    EXPECT(strcmp(out,
                  "plain       as it is\nrearranged  transposed\nfast        not the paper's\n") ==
               0,
           "%s", out);
    EXPECT(parse(&o, "--version|--foo") == 0 && !*err, "--version: %s", err);
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
    EXPECT(parse(&o, "--help") == 0 && longest_line(out) <= 80 && longest_line(out) > 72,
           "%zu:\n%s", longest_line(out), out);
    EXPECT(strstr(flat(out), program.summary) &&
               strstr(flat(out), "--threads 1,2,3,4,5,6,7,8,9 --parts 1,2,3 --n 7"),
           "--help lost a word:\n%s", out);
    EXPECT(strstr(out, "\n  --n 7\n"), "an experiment does not begin a line:\n%s", out);
    program.variants = long_names;
    EXPECT(parse(&o, "--list") == 0 &&
               strcmp(out, "short                       a\n"
                           "a_name_of_exactly_forty_characters_length  b\n") == 0,
           "%s", out);
    program = saved;
}

int main(void)
{
    struct options o;
    test_numbers();
    test_accepted();
    test_refused();
    set(THREE);
    EXPECT(parse(&o, "--help") == 0 && strstr(out, "\n  --n 3K --threads 32,64,128\n") &&
               strstr(out, "\n  --blocks 2\n") && strstr(out, "\n  --n 9,8\n"),
           "--help lacks an experiment:\n%s", out);
    set(USUAL);
    test_longest_list();
    test_shows();
    test_widths();
    return expect_done();
}
