/* Tests of the page to play with. test_explore.sh opens it in a browser. */
#include "test_report.h"

#include <unistd.h>

/* The page of a run, as a string. */
static const char *explored(const struct run *run, const struct run *reference)
{
    const char *directory = temporary_directory(), *path = text("%s/explore.html", directory);
    EXPECT(write_explore(run, reference, path), "%s is written", path);
    const char *page = read_file(path);
    unlink(path);
    rmdir(directory);
    return page == NULL ? "" : page;
}

void test_explore(void)
{
    struct run gpu, cpu = {.directory = ""};
    EXPECT(run_read(&gpu, REFERENCE), "the reference run");
    const char *page = explored(&gpu, NULL), *data = strstr(page, "const DATA = ");
    EXPECT(data != NULL && has(page, "</html>"), "the whole page");
    expect_lines(read_file(REFERENCE "/explore.html"), text("%.*s", (int)strcspn(data, ";"), data),
                 "explore.html");
    EXPECT(run_add(&cpu, "pscheme_cpu.csv",
                   COLUMNS "pscheme_cpu,serial,s,64,,,,,1,,,,total,CPU,1,,ok\n"),
           "a run without a GPU");
    EXPECT(has(explored(&cpu, NULL), "{\"devices\":[],\"counts\":[]}"), "it has no fits");
    page = explored(&cpu, &gpu);
    EXPECT(has(page, "{\"source\":\"reference\",") && !has(page, "\"source\":\"this machine\""),
           "the reference alone");
    EXPECT(has(page, "\"sectors\":"), "the counts of the reference");
    EXPECT(has(explored(&gpu, &gpu), "]}]},\n{\"source\":\"reference\""), "both");
    EXPECT(!write_explore(&cpu, NULL, "/tmp/no_such_directory/explore.html"), "a bad path");

    const char *rows = ""; /* more than one (G, T); one without phases; another experiment */
    for (int i = 0; i < 12; i++)
        rows = joined(rows, "",
                      "pscheme_gpu,rearranged,s,1024,,2,%d,,,,,,%s,\"</script>\"\"\",%d,,ok\n",
                      16 << i / 3,
                      i % 3 == 0   ? "precompute"
                      : i % 3 == 1 ? "propagate"
                                   : "determine",
                      i + 1);
    gpu = run_of("pscheme_gpu.csv",
                 joined(rows, "",
                        "pscheme_gpu,rearranged,s,1024,,2,16,,,,,,total,D,4,,ok\n"
                        "pscheme_gpu,rearranged,s,1024,,2,256,,,,,,total,D,4,,ok\n"));
    EXPECT(run_add(&gpu, "pscheme_gpu_more.csv", text(COLUMNS "%s", rows)), "another experiment");
    page = explored(&gpu, NULL);
    EXPECT(has(page, "\"name\":\"\\u003c/script\\u003e\\u0022\""), "no end of the script");
    EXPECT(has(page, "\"points\":[[2,16,1,2,3,4]]"), "one point has all times");
}
