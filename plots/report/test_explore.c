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

/* Times that follow the model exactly: alpha = 2, beta = 5, gamma = 3 ns, n = 1024. */
static const char *times(const char *device)
{
    const char *rows = "program,variant,type,n,blocks,threads,case,phase,device,median_ms,status\n";
    for (int threads = 16; threads <= 128; threads *= 2) {
        double part = 1024.0 / (2 * threads), parts = 2 * threads;
        const double ms[] = {2e-6 * part, 5e-6 * parts, 3e-6 * part, 5e-6 * (part + parts)};
        const char *const phase[] = {"precompute", "propagate", "determine", "total"};
        for (int i = 0; i < 4; i++)
            rows = joined(rows, "", "pscheme_gpu,rearranged,s,1024,2,%d,,%s,%s,%.9g,ok\n", threads,
                          phase[i], device, ms[i]);
    }
    return joined(rows, "", "pscheme_gpu,rearranged,s,1024,2,256,,total,%s,1,ok\n", device);
}

void test_explore(void)
{
    struct run gpu = {.directory = ""}, cpu = {.directory = ""}, faulty = {.directory = ""};
    EXPECT(run_add(&gpu, "pscheme_gpu.csv", times("\"A </script>\"\" GPU\"")), "times");
    EXPECT(run_add(&gpu, "pscheme_gpu_more.csv",
                   COLUMNS "pscheme_gpu,rearranged,s,1024,,4,64,,,,,,precompute,D,1,,ok\n"
                           "pscheme_gpu,rearranged,s,1024,,4,64,,,,,,propagate,D,1,,ok\n"
                           "pscheme_gpu,rearranged,s,1024,,4,64,,,,,,determine,D,1,,ok\n"
                           "pscheme_gpu,rearranged,s,1024,,4,64,,,,,,total,D,3,,ok\n"),
           "another experiment");
    EXPECT(run_add(&gpu, "counts.csv",
                   "program,variant,type,n,G,T,kernel,space,op,requests,sectors\n"
                   "pscheme_gpu,block,s,64,1,32,precompute,global,store,2,64\n"
                   "pscheme_gpu,block,s,64,1,32,precompute,global,store,2,64\n"
                   "pscheme_gpu,block,s,64,1,32,propagate,global,store,9,9\n"
                   "pscheme_gpu,rearranged,s,64,1,32,precompute,global,store,2,8\n"),
           "counts");
    const char *page = explored(&gpu, NULL);
    EXPECT(has(page, "\"source\":\"this machine\",\"name\":\"A \\u003c/script\\u003e\\u0022 GPU\""),
           "the device, no end of the script");
    EXPECT(has(page, "\"n\":1024,\"ns\":[2,5,3],\"popt\":32,"), "alpha, beta, gamma, P_opt");
    EXPECT(has(page, "\"points\":[[2,16,6.4e-05,0.00016,9.6e-05,0.00032],[2,32,"), "points");
    EXPECT(!has(page, "[2,256,"), "a point without phases");
    EXPECT(!has(page, "[4,64,"), "a point that was not fitted");
    EXPECT(has(page,
               "\"counts\":[\n{\"variant\":\"block\",\"type\":\"s\",\"n\":64,\"G\":1,\"T\":32,"
               "\"op\":\"store\",\"requests\":2,\"sectors\":64},\n{\"variant\":\"rearranged\","),
           "one of two equal rows");
    EXPECT(!has(page, "const DATA = {};") && has(page, "</html>"), "the whole page");

    EXPECT(run_add(&cpu, "pscheme_cpu.csv",
                   "program,variant,type,n,cores,phase,device,median_ms,status\n"
                   "pscheme_cpu,serial,s,64,1,total,CPU,1,ok\n"),
           "a run without a GPU");
    EXPECT(has(explored(&cpu, NULL), "{\"devices\":[],\"counts\":[]}"), "it has no fits");
    page = explored(&cpu, &gpu);
    EXPECT(has(page, "{\"source\":\"reference\",") && !has(page, "\"source\":\"this machine\""),
           "the reference alone");
    EXPECT(has(page, "\"sectors\":64}"), "the counts of the reference");
    page = explored(&gpu, &gpu);
    EXPECT(has(page, "]}]},\n{\"source\":\"reference\""), "both");
    EXPECT(!write_explore(&faulty, NULL, "/tmp/no_such_directory/explore.html"), "a bad path");
}
