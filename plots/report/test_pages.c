/* Tests of report.html, report.md and of the sentences at their top. The pages are written into a
 * directory of their own. */
#include "test_report.h"

#include <stdlib.h>
#include <sys/stat.h>

#define PAGE_COLUMNS                                                                               \
    "program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,"  \
    "median_ms,bytes,status\n"

/* Writes a results directory with one CSV file and, if `figures` is not NULL, one figure. */
static const char *results(const char *parent, const char *name, const char *rows,
                           const char *figures)
{
    const char *directory = text("%s/%s", parent, name);
    EXPECT(mkdir(directory, 0700) == 0 && mkdir(text("%s/figures", directory), 0700) == 0, "%s",
           directory);
    write_file(text("%s/rows.csv", directory),
               text("# cpu: A <fast> CPU\n" PAGE_COLUMNS "%s", rows));
    if (figures != NULL) {
        write_file(
            text("%s/figures/figures.csv", directory),
            text("figure,own_points,reference_points,paper_points,title,caption\n%s", figures));
        write_file(text("%s/figures/wakatani2012_fig1.svg", directory),
                   text("<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\">"
                        "<desc>of %s</desc></svg>\n",
                        name));
    }
    return directory;
}

/* Reads and judges a run. */
static const struct report *report_of(const char *directory, const char *reference)
{
    struct run *run = keep(sizeof *run), *other = keep(sizeof *other);
    struct report *report = keep(sizeof *report);
    EXPECT(run_read(run, directory) && (reference == NULL || run_read(other, reference)) &&
               report_read(report, run, reference == NULL ? NULL : other),
           "%s", directory);
    return report;
}
/* Writes the pages of a run and returns report.html. */
static const char *page_of(const char *directory, const char *reference)
{
    const struct report *report = report_of(directory, reference);
    EXPECT(write_page(report) && write_index(report), "%s", directory);
    const char *page = read_file(text("%s/report.html", directory));
    return page == NULL ? "" : page;
}

/* How many words of text stand before the first figure. Tags and the style do not count. */
static int words_before_figure(const char *page)
{
    const char *end = strstr(page, "<figure"), *at = strstr(page, "<body");
    int words = 0;
    bool inside = false;
    for (; at != NULL && end != NULL && at < end; at++) {
        if (*at == '<') {
            at += strcspn(at, ">");
            inside = false;
        } else {
            bool space = *at == ' ' || *at == '\n';
            words += !space && !inside;
            inside = !space;
        }
    }
    return words;
}

static const char CPU_ROWS[] =
    "pscheme_cpu,substitution,s,1024,,,,,1,,,,p,A <fast> CPU,clock,2,1,ok\n"
    "pscheme_cpu,pscheme_eq13,s,1024,,,,,1,,,,p,A <fast> CPU,clock,4,1,ok\n";

static void test_page_of_a_cpu(const char *parent)
{
    const char *reference =
        results(parent, "gpu", "pcr,pcr,s,1024,,1,1,,,,,,total,GPU & Co,events,1,1,ok\n",
                "wakatani2012_fig1,3,0,0,A title,Of the reference.\n");
    const char *cpu = results(parent, "cpu", CPU_ROWS,
                              "wakatani2012_fig1,2,1,1,A title,What is drawn.\n"
                              "wakatani2012_fig4,0,1,1,A title,Nothing of this machine.\n");
    write_file(text("%s/figures/wakatani2012_fig4.svg", cpu), "<svg id=\"four\"></svg>");
    write_file(text("%s/run.txt", cpu), "pscheme_cpu\tquick\t0\t70\t1\npcr\tquick\t0\t5\t2\n");
    static const char *const there[] =
        {"A &lt;fast&gt; CPU, no GPU",
         "2 rows verified, 0 wrong</b> in 1 min 15 s",
         "this machine judged 1: 1 clause holds, 0 fail.",
         "P-scheme for p_i (W12 eq. 5) on one CPU thread (n = 1K, single, one core): 4 ms, 2.00 "
         "times as long as the substitution on one core.",
         "of cpu", /* its own figure; another one without anything of this machine is folded away */
         "Needs a GPU: the reference run (GPU &amp; Co), figures: 1</summary>\n<figure "
         "id=\"wakatani2012_fig4\"",
         "It needs times of pscheme_gpu",
         "id=\"L22-7\""},
                             *const absent[] = {"of gpu", "<?xml", "src=\"http", "@import",
                                                "<link"};
    const char *page = page_of(cpu, reference), *index = read_file(text("%s/report.md", cpu));
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        EXPECT(has(page, there[i]), "%s", there[i]);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        EXPECT(!has(page, absent[i]), "%s", absent[i]);
    int words = words_before_figure(page);
    EXPECT(words > 30 && words < 150, "%d words before the first figure", words);
    EXPECT(has(index, "| W12-1 | ") && has(index, " reproduced ✓– | not measured here |") &&
               has(index, "# Report: A &lt;fast> CPU\n"), /* no HTML */
           "the index");
}

/* The first lines of both pages name the revision, and how many files are of others. */
static void test_revisions(const char *parent)
{
    static const struct {
        const char *file, *content, *says;
    } steps[] = {
        {"note.csv", "a,b\n", "0 wrong</b></p>"},
        {"a.csv", "# revision: 0123456\na,b\n", "0 wrong</b>; revision 0123456</p>"},
        {"ncu.csv", "# NVIDIA, revision 0123456789: kernels of\na,b\n", /* with more digits */
         "0 wrong</b>; revision 0123456</p>"},
        {"b.csv", "# revision: 0123456-dirty\na,b\n",
         "0123456, but 1 of 3 CSV files is of another revision</p>"},
        {"c.csv", "# of this revision: none\n# revision: fedcba9\na,b\n",
         "wrong</b>; revision 0123456, but 2 of 4 CSV files are of 2 other revisions</p>"}};
    const char *mixed = results(parent, "mixed", CPU_ROWS, NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        write_file(text("%s/%s", mixed, steps[i].file), steps[i].content);
        EXPECT(has(page_of(mixed, NULL), steps[i].says), "%s", steps[i].says);
    }
    EXPECT(has(read_file(text("%s/report.md", mixed)),
               " 0 wrong; revision 0123456, but 2 of 4 CSV files"),
           "index");
}

/* A sentence names the cores of the row that it takes, also of the peer's. */
static void test_cores_of_a_highlight(void)
{
    static const char *const rows =
        "thomas_batch,lapack_gtsv,d,64,100,,,,%d,,,,total,CPU,%d,1,ok\n"
        "thomas_batch,thomas_cpu_lanes,d,64,100,,,,16,,,,total,CPU,5,1,ok\n";
    for (int cores = 1; cores <= 16; cores += 15) {
        struct run run = run_of("thomas_batch.csv", text(rows, cores, 160 / cores));
        struct highlight found[HIGHLIGHTS];
        EXPECT(highlights(&run, found) == 1, "one sentence");
        const char *end = cores == 1 ? "double, 16 cores): 5 ms, 32.0 times as fast as LAPACK on "
                                       "one core."
                                     : "double, 16 cores): 5 ms, 2.0 times as fast as LAPACK on "
                                       "16 cores.";
        EXPECT(has(found[0].sentence, end), "%s", found[0].sentence);
    }
}

/* Without gnuplot there is no list of figures. */
static void test_page_without_figures(const char *parent)
{
    const char *bare = results(parent, "bare", CPU_ROWS, NULL);
    const char *page = page_of(bare, text("%s/gpu", parent));
    EXPECT(has(page, "has no gnuplot") && has(page, "of gpu"), "the reference's figure");
    EXPECT(!has(page, "<span class=\"own\">this machine</span></span></figcaption>"),
           "not as its own");
    page = page_of(bare, NULL);
    EXPECT(has(page, "There are no figures"), "no figures at all");
    EXPECT(!has(page, "reference run"), "no reference");
}

static void test_page_with_faults(const char *parent)
{
    const char *faulty = results(parent, "faulty",
                                 "pcr,pcr,s,1024,,1,1,,,,,,total,GPU,events,1,1,wrong <result>\n"
                                 "pcr,pcr,s,2048,,1,1,,,,,,total,GPU,events,1,1,disturbed\n"
                                 "pcr,pcr,s,4096,,1,1,,,,,,total,GPU,events,1,1,ok\n",
                                 NULL);
    const char *page = page_of(faulty, NULL);
    EXPECT(has(page, "verified bad\"><b>2 rows verified, 1 wrong</b>"), "a wrong row");
    EXPECT(has(page, "pcr pcr, type s, n = 1024: wrong &lt;result&gt;"), "is named");
    EXPECT(has(page, "1 time disturbed by other load: hollow"), "a disturbed one is counted");
    EXPECT(!has(page, ", no GPU"), "it has a GPU");
    struct run odd;
    EXPECT(mkdir(text("%s/odd", parent), 0700) == 0 &&
               mkdir(text("%s/odd/x.csv", parent), 0700) == 0 &&
               !run_read(&odd, text("%s/odd", parent)),
           "a directory is no file");
    FILE *binary = fopen(text("%s/zero", parent), "w");
    EXPECT(binary != NULL && fwrite("a\0b", 1, 3, binary) == 3 && fclose(binary) == 0 &&
               read_file(text("%s/zero", parent)) == NULL,
           "a zero byte");
    write_file(text("%s/run.txt", faulty), "pcr\tquick\t0\tinf\t1\npcr\tquick\t0\t-5\t2\n");
    EXPECT(has(page_of(faulty, NULL), "1 wrong</b></p>"), "an unknown time");
    const char *no_svg = results(parent, "no_svg", CPU_ROWS, "wakatani2012_fig4,1,0,0,t,c\n"),
               *bad_list = results(parent, "bad_list", CPU_ROWS, "wakatani2012_fig1,1\n");
    EXPECT(!write_page(report_of(no_svg, text("%s/gpu", parent))), "a figure without its picture");
    write_file(text("%s/figures/wakatani2012_fig4.svg", no_svg), "<svg><path");
    EXPECT(!write_page(report_of(no_svg, NULL)), "a picture that is cut off");
    EXPECT(!write_page(report_of(bad_list, text("%s/gpu", parent))), "a damaged list of figures");
    struct run run = {.directory = faulty};
    struct report report;
    EXPECT(report_read(&report, &run, NULL) && write_page(&report), "every claim has a section");
    report.claim[5].paper = "X99";
    EXPECT(!write_page(&report), "a claim without a section");
    run.directory = text("%s/none", parent);
    EXPECT(report_read(&report, &run, NULL) && !write_page(&report) && !write_index(&report),
           "a directory that does not exist");
}

void test_pages(void)
{
    const char *parent = temporary_directory();
    test_cores_of_a_highlight();
    test_page_of_a_cpu(parent);
    test_page_without_figures(parent);
    test_page_with_faults(parent);
    test_revisions(parent);
    EXPECT(system(text("rm -r '%s'", parent)) == 0, "%s", parent);
}
