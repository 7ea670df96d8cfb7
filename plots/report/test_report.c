/* Tests of the report: reading CSV files, statistics, the claims of plots/paper, and the tests of
 * the other files. */
#include "test_report.h"

#include <ctype.h>
#include <stdlib.h>

struct run run_of(const char *file, const char *rows)
{
    struct run run = {.directory = ""};
    EXPECT(run_add(&run, file, text(COLUMNS "%s", rows)), "rows of %s", file);
    return run;
}

const struct claim *judged_by(const char *id, const struct run *run)
{
    struct claim *claim = keep(CLAIMS * sizeof *claim);
    size_t claims = claims_read(claim, "plots/paper");
    EXPECT(claims == CLAIMS, "%zu claims", claims);
    claims_judge(claim, claims, run);
    for (size_t i = 0; i < claims; i++)
        if (strcmp(claim[i].id, id) == 0)
            return &claim[i];
    EXPECT(false, "no claim %s", id);
    return claim;
}

static const char *file_of(const char *rows)
{
    return text("%.*s.csv", (int)strcspn(rows, ","), rows);
}

const struct claim *judged(const char *id, const char *rows)
{
    struct run run = run_of(file_of(rows), rows);
    return judged_by(id, &run);
}

const struct claim *judged_with(const char *id, const char *rows, const char *name, const char *csv)
{
    struct run run = run_of(file_of(rows), rows);
    EXPECT(run_add(&run, name, csv), "%s", name);
    return judged_by(id, &run);
}

const struct clause *clause_named(const struct claim *claim, char letter)
{
    size_t i = 0;
    while (i + 1 < claim->clauses && claim->clause[i].letter[0] != letter)
        i++;
    EXPECT(claim->clause[i].letter[0] == letter, "%s has no clause %c", claim->id, letter);
    return &claim->clause[i];
}

const char *outcome(const struct claim *claim)
{
    const char *result = "";
    size_t holding = 0, failing = 0;
    for (size_t i = 0; i < claim->clauses && claim->verdict != NOT_MEASURED; i++) {
        const struct clause *clause = &claim->clause[i];
        enum outcome is = clause_outcome(clause);
        result = text("%s%s", result, is == NOT_JUDGED ? "?" : is == HOLDS ? clause->letter : "-");
        holding += is == HOLDS && !clause->extension;
        failing += is == FAILS && !clause->extension;
    }
    enum verdict verdict = holding + failing == 0 ? NOT_MEASURED
                           : failing == 0         ? REPRODUCED
                           : holding == 0         ? NOT_REPRODUCED
                                                  : IN_PART;
    EXPECT(claim->verdict == verdict, "%s: %s", claim->id, verdict_name(claim->verdict));
    return claim->disturbed ? "disturbed" : result;
}

void expect_made(const char *id, make_rows *make, size_t count, const struct made made[])
{
    for (size_t i = 0; i < count; i++) {
        const double *x = made[i].x;
        const char *is = outcome(judged(id, make(x)));
        EXPECT(same(is, made[i].outcome), "%s of %g, %g, %g, %g is '%s', not '%s'", id, x[0], x[1],
               x[2], x[3], is, made[i].outcome);
    }
}

bool shows(const struct claim *claim, const char *words)
{
    for (size_t i = 0; i < claim->shown_count; i++)
        if (strstr(claim->shown[i], words) != NULL)
            return true;
    return false;
}

bool has(const char *page, const char *words)
{
    return strstr(page, words) != NULL;
}

const char *temporary_directory(void)
{
    char path[] = "/tmp/test_report.XXXXXX";
    EXPECT(mkdtemp(path) != NULL, "%s", path);
    return text("%s", path);
}

void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0, "%s", path);
}

void expect_lines(const char *page, const char *lines, const char *what)
{
    for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        EXPECT(has(page, text("%.*s", (int)length, lines)), "%s: %.*s", what, (int)length, lines);
    }
}

double or_else(double x, double instead)
{
    return x == 0 ? instead : x;
}

bool about(double x, double y, double tolerance)
{
    return fabs(x - y) <= tolerance * fabs(y);
}

static void test_csv(void)
{
    struct run run = {.directory = ""};
    EXPECT(run_add(&run, "a.csv",
                   "# device: X, Y\r\n#odd\n#\nn,\"odd \"\"name\",status\r\n1,\"a,\nb\",ok\n,,\n"),
           "a good file");
    const struct table *table = run_table(&run, "a.csv");
    EXPECT(table != NULL && run_table(&run, "b.csv") == NULL, "found by name");
    EXPECT(same(table->header[0], "device: X, Y") && same(table->header[1], "odd") &&
               same(table->header[2], "") && table->header[3] == NULL,
           "header '%s'", table->header[0]);
    EXPECT(table->columns == 3 && table->rows == 2, "%zu columns, %zu rows", table->columns,
           table->rows);
    EXPECT(same(text_at(table, 0, "odd \"name"), "a,\nb"), "a quoted field");
    EXPECT(number_at(table, 0, "n") == 1 && isnan(number_at(table, 1, "n")) &&
               isnan(number_at(table, 0, "status")),
           "numbers");
    EXPECT(text_at(table, 0, "none")[0] == '\0' && !has_column(table, "none"), "no such column");
    EXPECT(run.rows == 0, "a table without the columns of a program's results");
    EXPECT(run_add(&run, "empty.csv", "") && run_table(&run, "empty.csv")->rows == 0,
           "an empty file");
    EXPECT(run_add(&run, "names.csv", "\"a\nb\",c,d,e,f,g\n1,2,3,4,5,6") &&
               run_table(&run, "names.csv")->columns == 6,
           "a line end in a column name, none at the end of the file");
    static const char *const bad[] = {"a,b\n1\n",
                                      "a,b\n1,2,3\n",
                                      "a,b\n1,\"2\n3,4\n",
                                      "a\n\"1\"x\"2\"x\"3\"x\"4\"x\"5\"x\n",
                                      "a\r1\r2\r3\r4\r5\r6\r7\r8\r",
                                      "#a\r#b\r#c\r#d\r#e\r#f\n1,2\r3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT(!run_add(&run, "bad.csv", bad[i]), "bad file %zu", i);
}

static void test_find(void)
{
    struct run run = {.directory = ""};
    EXPECT(run_add(&run, "a.csv",
                   "program,variant,n,threads,cores,phase,device,median_ms,status\n"
                   "p,a,8,1,,total,D,5,ok\np,a,8,2,,total,D,3,ok\np,a,8,4,,total,D,1,wrong\n"
                   "p,a,8,8,,total,D,2,disturbed\np,a,8,16,,total,D,,ok\np,a,16,1,4,total,E,7,ok\n"
                   "p,b,8,2,,total,D,6,ok\np,a,32,1,,total,D,inf,ok\np,a,32,1,,total,D,0,ok\n"
                   "p,a,32,1,,total,D,-1,ok\np,a,32,1,,total,D,nan,ok\np,a,inf,1,,total,D,9,ok\n"),
           "rows");
    EXPECT(run.rows == 12, "%zu rows", run.rows);
    const struct {
        const char *what;
        struct where where;
        double ms;
    } times[] = {{"neither wrong nor disturbed rows", WHERE(.n = 8), 3},
                 {"infinity is no number", WHERE(.n = ABSENT), 9},
                 {"cores present", WHERE(.cores = PRESENT), 7},
                 {"cores absent", WHERE(.cores = ABSENT, .threads = 1), 5},
                 {"at least 2 threads", WHERE(.variant = "b", .least_threads = 2), 6},
                 {"at most 1 thread", WHERE(.n = 8, .most_threads = 1), 5},
                 {"no such row", WHERE(.n = 9), NAN},
                 {"a time is finite and over 0", WHERE(.n = 32), NAN},
                 {"no row with 3 threads or more", WHERE(.n = 8, .least_threads = 3), NAN}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double ms = time_ms(&run, times[i].where);
        EXPECT(ms == times[i].ms || (isnan(ms) && isnan(times[i].ms)), "%s: %g", times[i].what, ms);
    }
    EXPECT(fastest(&run, WHERE(.n = 8))->threads == 2, "the fastest row");
    EXPECT(fastest_of_largest(&run, WHERE(.variant = "a"))->median_ms == 7 &&
               fastest_of_largest(&run, WHERE(.n = 9)) == NULL,
           "the fastest of the largest n");
    EXPECT(same(device_of(&run, WHERE(.n = 16)), "E"), "its device");
    struct list threads = distinct(&run, WHERE(.variant = "a"), MEMBER(threads));
    EXPECT(threads.count == 2 && threads.x[0] == 1 && threads.x[1] == 2, "%zu values",
           threads.count);
    struct list ratio = {0};
    add_ratios(&ratio, &run, WHERE(.variant = "a"), WHERE(.variant = "b"));
    EXPECT(ratio.count == 1 && ratio.x[0] == 0.5, "only T = 2 has a partner, not %zu", ratio.count);
    run.with_disturbed = true;
    EXPECT(time_ms(&run, WHERE(.n = 8)) == 2, "the disturbed row");
}

/* Rows of a solver are found in the file of any program that has them. */
static void test_files_of_solvers(void)
{
    static const struct {
        const char *file, *program;
        bool is_main;
    } cases[] = {{"pscheme_g.csv", "pscheme_g", true},
                 {"pscheme_g_16M.csv", "pscheme_g", false},
                 {"pscheme_gpu.csv", "pscheme_gpu", true},
                 {"pscheme_gpu_blocks.csv", "pscheme_gpu", false},
                 {"recurrence.csv", "recurrence", true},
                 {"pscheme_g_long.csv", "recurrence", false},
                 {"tridiagonal.csv", "tridiagonal", true},
                 {"nshape_pivoting.csv", "tridiagonal", false},
                 {"tridiagonal_batch.csv", "tridiagonal_batch", true},
                 {"thomas_batch_ways.csv", "tridiagonal_batch", false},
                 {"rows.csv", "nshape", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct measurement row = {.file = cases[i].file, .program = cases[i].program};
        EXPECT(of_main_file(&row) == cases[i].is_main, "%s of %s", row.file, row.program);
    }
    EXPECT(listed("a ab", "ab") && listed("a", "a") && !listed("ab", "a") && !listed("ba", "a"),
           "whole words");
    static const char row[] = "tridiagonal,d,64,,,,,,,,,total,D,2,,ok\n",
                      peer[] = "cusparse_gtsv2_nopivot,d,64,,,,,,,,,total,D,6,,ok\n";
    static const char *const programs[] = {"nshape", "tridiagonal", "pscheme_gpu"};
    struct highlight found[HIGHLIGHTS];
    for (size_t i = 0; i < 3; i++) {
        struct run of = run_of("rows.csv", text("%s,%s%s,%s", programs[i], row, programs[i], peer));
        EXPECT(highlights(&of, found) == (i < 2), "%s: P-scheme's variant is another", programs[i]);
        EXPECT(i == 2 || has(found[0].sentence, "3.0 times as fast"), "%s", found[0].sentence);
    }
    struct run run = run_of("recurrence.csv", "recurrence,cub_scan,s,64,,,,,,,,,total,D,6,,ok\n"
                                              "recurrence,one_pass,s,64,,,,,,,,,total,D,2,,ok\n"
                                              "pscheme_g,one_pass,s,64,,,,,,,,L,total,D,1,,ok\n");
    EXPECT(highlights(&run, found) == 1 && has(found[0].sentence, "3.0 times as fast"),
           "a row with a case: %s", found[0].sentence);
}

static struct list list_of(size_t count, const double x[])
{
    struct list list = {0};
    for (size_t i = 0; i < count; i++)
        list_add(&list, x[i]);
    return list;
}
#define LIST(...) list_of(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void test_statistics(void)
{
    struct list none = {0};
    EXPECT(isnan(median(none)) && isnan(least(none)) && isnan(most(none)) &&
               isnan(geometric_mean(none)),
           "an empty list");
    EXPECT(median(LIST(3, 1, 2)) == 2 && median(LIST(4, 1, 2, 3)) == 2.5, "medians");
    EXPECT(least(LIST(3, 1, 2)) == 1 && most(LIST(3, 1, 2)) == 3, "extremes");
    EXPECT(isnan(least(LIST(3, NAN, 2))) && isnan(most(LIST(NAN, 1))), "NaN is not hidden");
    EXPECT(about(geometric_mean(LIST(2, 8)), 4, 1e-15), "geometric mean");
    EXPECT(about(log_slope(LIST(1, 2, 4), LIST(3, 12, 48)), 2, 1e-14), "y = 3 x^2");
    EXPECT(isnan(log_slope(LIST(2, 2), LIST(1, 5))) && isnan(log_slope(LIST(2), LIST(1))),
           "no slope");
    EXPECT(strcmp(range_text(LIST(1, 2, 4), 1), "2.0 (1.0 to 4.0)") == 0, "range");
    /* y = 2 u + 3 v + 5 exactly */
    struct list u[3] = {LIST(1, 2, 3, 4, 6), LIST(6, 3, 2, 1.5, 1), LIST(1, 1, 1, 1, 1)}, y = {0};
    for (size_t i = 0; i < 5; i++)
        list_add(&y, 2 * u[0].x[i] + 3 * u[1].x[i] + 5);
    double c[3], misfit;
    EXPECT(fit_relative(3, u, y, c, &misfit) && about(c[0], 2, 1e-9) && about(c[1], 3, 1e-9) &&
               about(c[2], 5, 1e-9),
           "%g %g %g", c[0], c[1], c[2]);
    EXPECT(misfit < 1e-9, "misfit %g", misfit);
    EXPECT(fit_relative(1, u, LIST(2.2, 3.6, 6.6, 7.2, 13.2), c, &misfit),
           "a line through the origin");
    EXPECT(about(misfit, 0.0909, 0.1), "residuals near a tenth: %g", misfit);
    struct list equal[2] = {u[0], u[0]};
    EXPECT(!fit_relative(2, equal, y, c, &misfit), "two equal columns");
    EXPECT(!fit_relative(2, u, LIST(1, 2), c, &misfit), "too few points");
}

/* plots/paper has text, parts and bounds for every claim; an empty run judges none. */
static void test_claims_of_nothing(void)
{
    struct claim claim[CLAIMS];
    EXPECT(claims_read(claim, "plots/paper") == CLAIMS, "claims");
    for (size_t i = 0; i < CLAIMS; i++) {
        EXPECT(claim[i].clauses > 0 && claim[i].quote[0] != '\0' && claim[i].needs[0] != '\0', "%s",
               claim[i].id);
        for (size_t j = 0; j < claim[i].clauses; j++)
            EXPECT(claim[i].clause[j].letter[0] == (char)('a' + j) &&
                       claim[i].clause[j].low <= claim[i].clause[j].high,
                   "%s clause %zu", claim[i].id, j);
    }
    const struct run empty = {.directory = ""};
    claims_judge(claim, CLAIMS, &empty);
    for (size_t i = 0; i < CLAIMS; i++)
        EXPECT(claim[i].verdict == NOT_MEASURED && !claim[i].disturbed, "%s of nothing",
               claim[i].id);
}

/* The letters and digits of a text, in lower case, without signs and LaTeX's commands for them: so
 * blanks, hyphens and markup make no difference. Greek and Cyrillic letters stay. */
static const char *letters(const char *from)
{
    char *result = keep(strlen(from) + 1), *to = result;
    for (; *from != '\0'; from++) {
        const unsigned char c = (unsigned char)*from;
        if (strncmp(from, "\\times", 6) == 0 || strncmp(from, "\\cdot", 5) == 0 ||
            strncmp(from, "\\text", 5) == 0)
            from += from[1] == 't' && from[2] == 'i' ? 5 : 4;
        else if (c >= 0xce && c <= 0xd1 && from[1] != '\0')
            *to++ = *from, *to++ = *++from;
        else if (isalnum(c))
            *to++ = (char)tolower(c);
    }
    *to = '\0';
    return result;
}

/* Where the papers' texts are, every quote is in them, up to blanks, hyphens and markup. */
static void test_quotes(void)
{
    static const char *const papers[][2] = {{"W12", "wakatani2012"},
                                            {"W13", "wakatani2013"},
                                            {"PL19", "pogorelskikh2019"},
                                            {"L22", "lutsyshyn2022"}};
    struct claim claim[CLAIMS];
    EXPECT(claims_read(claim, "plots/paper") == CLAIMS, "claims");
    EXPECT(strstr(letters("the \\times w_{i-1} is _not_ her\nbert"), "thewi1isnotherbert") != NULL,
           "'%s'", letters("the \\times w_{i-1} is _not_ her\nbert"));
    for (size_t p = 0; p < sizeof papers / sizeof *papers; p++) {
        const char *paper = read_file(text("../shared/papers/%s.txt", papers[p][1]));
        if (paper == NULL) {
            printf("left out: the quotes of %s, whose text is not here\n", papers[p][0]);
            continue;
        }
        paper = letters(paper);
        for (size_t i = 0; i < CLAIMS; i++)
            for (const char *from = claim[i].quote, *next; same(claim[i].paper, papers[p][0]);
                 from = next + strlen("…")) {
                next = strstr(from, "…");
                size_t length = next == NULL ? strlen(from) : (size_t)(next - from);
                EXPECT(strstr(paper, letters(text("%.*s", (int)length, from))) != NULL,
                       "%s is not in the paper: %.*s", claim[i].id, (int)length, from);
                if (next == NULL)
                    break;
            }
    }
}

/* Copies the two files of plots/paper into a directory, claims.csv without its last `cut` bytes and
 * criteria.csv with `bound` as the lower bound of W12-1. Returns how many claims are read. */
static size_t claims_of(const char *directory, size_t cut, const char *bound)
{
    static const char line[] = "W12-1,a,,1.5,";
    const char *claims = read_file("plots/paper/claims.csv"),
               *criteria = read_file("plots/paper/criteria.csv"), *at = strstr(criteria, line);
    EXPECT(at != NULL, "the line of W12-1");
    write_file(text("%s/claims.csv", directory), text("%.*s", (int)(strlen(claims) - cut), claims));
    write_file(text("%s/criteria.csv", directory), text("%.*sW12-1,a,,%s,%s", (int)(at - criteria),
                                                        criteria, bound, at + strlen(line)));
    struct claim claim[CLAIMS];
    return claims_read(claim, directory);
}

static void test_damaged_claims(void)
{
    const char *directory = temporary_directory(), *claims = read_file("plots/paper/claims.csv");
    size_t names = strcspn(claims, "\n") + 1;
    EXPECT(claims_of(directory, 0, "1.5") == CLAIMS, "whole files");
    EXPECT(claims_of(directory, strlen(claims) - names, "1.5") == 0, "no claims");
    EXPECT(claims_of(directory, 9, "1.5") == 0, "the last claim is cut off");
    EXPECT(claims_of(directory, 0, "1.5x") == 0, "a bound that is no number");
    EXPECT(claims_of(directory, 0, ">") == 0, "a bound without a number");
    EXPECT(system(text("rm -r '%s'", directory)) == 0, "%s", directory);
}

/* The committed report of a GPU has every number that its CSV files give. If code or criteria have
 * changed, plots/report.sh writes it again. */
static void test_reference(void)
{
    /* The path makes it a report of the reference machine. */
    const char *page = read_file(REFERENCE "/report.html"), *top = temporary_directory(),
               *directory = text("%s/plots/reference/.", top);
    EXPECT(system(text("mkdir -p '%s'", directory)) == 0, "%s", directory);
    struct report *report = keep(sizeof *report);
    struct run run;
    EXPECT(run_read(&run, REFERENCE) && report_read(report, &run, NULL), "the reference run");
    run.directory = directory;
    EXPECT(write_claims(report) && write_index(report) && write_fits(&run, directory), "written");
    static const char *const files[] = {"claims.csv", "report.md", "fit.csv", "fit_l22.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        expect_lines(read_file(text(REFERENCE "/%s", files[i])),
                     read_file(text("%s/%s", directory, files[i])), files[i]);
    for (size_t i = 0; i < CLAIMS; i++) {
        const char *list = "</p><ul>"; /* whole, so that no line may be missing */
        if (report->claim[i].shown_count == 0)
            continue;
        for (size_t k = 0; k < report->claim[i].shown_count; k++)
            list = text("%s<li>%s</li>", list, html(report->claim[i].shown[k]));
        expect_lines(page, text("%s</ul>", list), report->claim[i].id);
    }
    EXPECT(system(text("rm -r '%s'", top)) == 0, "%s", top);
}

int main(void)
{
    test_csv();
    test_find();
    test_files_of_solvers();
    test_statistics();
    test_claims_of_nothing();
    test_quotes();
    test_damaged_claims();
    test_reference();
    test_claims_w12();
    test_claims_w13();
    test_claims_pl19();
    test_claims_l22();
    test_claims_l22_mpi();
    test_fits();
    test_summary();
    test_pages();
    test_explore();
    release_all();
    return expect_done();
}
