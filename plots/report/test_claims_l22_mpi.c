/* Tests of the claim L22-7: small made-up CSV files that flip its verdict. */
#include "test_report.h"

/* A row of nshape_mpi: `elements` double complex numbers are sent for each part. The quartiles are
 * the median times 1 - spread and 1 + spread. */
struct wait {
    const char *variant, *device;
    double n, ms, spread, elements; /* 0 for spread: 0.001 */
    int batch, ranks;               /* 0: 1 system, 2 ranks */
    const char *status;
};
#define WAIT(...) ((struct wait){__VA_ARGS__})
static const char *wait_row(const char *rows, struct wait w)
{
    int batch = w.batch == 0 ? 1 : w.batch, ranks = w.ranks == 0 ? 2 : w.ranks;
    double spread = or_else(w.spread, 0.001);
    return joined(
        rows, "", "nshape_mpi,%s,z,%.0f,%d,,,%d,1,,%d,,wait,%s,%.15g,%.15g,%.15g,%.15g,%s\n",
        w.variant, w.n, batch, ranks, ranks, w.device, w.ms, w.ms * (1 - spread),
        w.ms * (1 + spread), 16 * w.elements * ranks * batch, w.status == NULL ? "ok" : w.status);
}

/* A run of such rows in a file of this name. */
static void add(struct run *run, const char *file, const char *rows)
{
    EXPECT(run_add(run, file,
                   text("program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,"
                        "phase,device,median_ms,q1_ms,q3_ms,bytes,status\n%s",
                        rows)),
           "%s", file);
}
static const struct claim *judged_7(const char *rows)
{
    struct run run = {.directory = ""};
    add(&run, "nshape_mpi_2.csv", rows);
    return judged_by("L22-7", &run);
}

/* The waits of all variants at two n, in ms at the larger one; a plain step waits 10 ms. elements:
 * for each part. */
struct waits {
    double early, inverse, ahead, flight, elements;
};
#define WAITS(...) ((struct waits){__VA_ARGS__})
static const char *waits_at(struct waits w, double n, const char *device, int ranks)
{
    const struct wait all[] = {
        {"step", device, n, 10, 0, w.elements, 1, ranks, "ok"},
        {"step_early", device, n, w.early, 0, w.elements, 1, ranks, "ok"},
        {"step_inverse", device, n, w.inverse, 0, w.elements, 1, ranks, "ok"},
        {"step_kept", device, n, 20, 0, 4, 1, ranks, "ok"},
        {"step_ahead", device, n, w.ahead, 0, w.elements, 1, ranks, "ok"},
        {"step_flight", device, n, 4 * w.flight, 0, w.elements, 4, ranks, "ok"}};
    const char *rows = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rows = wait_row(rows, all[i]);
    return rows;
}
static const char *waits(struct waits w, const char *device)
{
    return text("%s%s", waits_at(WAITS(1, 20, 1, 20, w.elements), 1000, device, 2),
                waits_at(w, 5000, device, 2));
}

static const struct waits good = {9.5, 9.6, 9.7, 9.8, 6}, bad = {9, 11, 7, 6, 6};
static const char two[] = "2 x CPU (16 cores)", mixed[] = "1 x GPU + 1 x CPU (16 cores)";

static void test_l22_7(void)
{
    static const struct {
        struct waits waits;
        const char *device, *outcome;
    } cases[] = {
        {{9.5, 9.6, 9.7, 9.8, 6}, mixed, "abcdefgh"},
        {{9.5, 9.6, 9.7, 9.8, 6}, two, "abc?efgh"},        /* without a GPU nothing can be mixed */
        {{9.5, 9.6, 9.7, 9.8, 6}, "2 x GPU", "abc-efgh"},  /* with GPUs alone nothing was */
        {{9.5, 9.6, 9.7, 9.8, 6}, "2 x CPU (1 core)", ""}, /* ranks that share a core */
        {{11, 8, 7, 6, 6}, two, "abc?-fgh"},
        {{9, 11, 7, 6, 6}, two, "abc?e-gh"},
        {{9, 8, 11, 6, 6}, two, "abc?ef-h"},
        {{9, 8, 7, 11, 6}, two, "abc?efg-"},
        {{9, 8, 7, NAN, 6}, two, ""},
        {{9, 8, 7, 6, 9}, two, "abc?efgh"}, /* 18 elements over 2 parts */
        {{9, 8, 7, 6, 9.1}, two, "ab-?efgh"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(waits(cases[i].waits, cases[i].device)), cases[i].outcome);
    const struct claim *claim = judged_7(waits(good, mixed));
    EXPECT_NUMBER(claim, 'h', 0, 9.8 * 1.001 / 9.99, 1e-12);
    EXPECT_DEVICE(claim, mixed);
    EXPECT_SHOWS(claim, "Wait, factors kept, 1 x GPU + 1 x CPU (16 cores), n = 5000: 2e+04 µs "
                        "(1.998e+04 to 2.002e+04), plain 1e+04 µs (9990 to 1.001e+04)");
    EXPECT(!shows(claim, "whole step"), "no times of the whole step");
    EXPECT_OUTCOME(judged("L22-7", ""), "");
}

/* The elements that travel: the same at every n, and at most 6(nbl + 1). */
static void test_elements(void)
{
    for (int elements = 15; elements <= 16;
         elements++) { /* over 2; 30 over 4 parts are the limit */
        const char *more = text("%s%s", waits(WAITS(9, 8, 7, 6, 9), two),
                                waits_at(WAITS(9, 8, 7, 6, elements / 2.), 5000, two, 4));
        EXPECT_OUTCOME(judged_7(more), elements == 15 ? "abc?efgh" : "ab-?efgh");
    }
    EXPECT_OUTCOME(judged_7(waits_at(good, 5000, two, 2)), "a?c?efgh"); /* one n */
    for (int sign = -1; sign <= 1; sign += 2) {
        const char *solve =
            wait_row(waits(good, two), WAIT("solve", two, 1000, 1, .elements = 6 + 0.5 * sign));
        const struct claim *claim =
            judged_7(wait_row(solve, WAIT("solve", two, 3000, 1, .elements = 6)));
        EXPECT_OUTCOME(claim, "a-c?efgh");
        EXPECT_LABEL(claim, 'b', 0, "2 ranks, solve, n from 1000 to 3000");
    }
    /* Other elements over other ranks are no change with n. */
    const char *more =
        wait_row(waits(good, two), WAIT("step", two, 7000, 10, .elements = 7, .ranks = 3));
    EXPECT_OUTCOME(judged_7(more), "abc?efgh");
}

/* The gain must exceed the spread: the plain wait's lower quartile is 9.99. */
static void test_spread(void)
{
    static const struct made early[] = {{{9.5, 0.05}, "abc?efgh"}, /* to 9.975 */
                                        {{9.5, 0.06}, "abc?-fgh"}, /* to 10.07 */
                                        {{10, 0.001}, "abc?-fgh"},
                                        {{10.5, 0.04}, "abc?-fgh"},
                                        {{9.5, NAN}, ""}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        EXPECT_OUTCOME(judged_7(wait_row(waits(WAITS(NAN, 9.6, 9.7, 9.8, 6), two),
                                         WAIT("step_early", two, 5000, early[i].x[0], early[i].x[1],
                                              .elements = 6))),
                       early[i].outcome);
    /* So does the spread of the plain step: from 9.4 to 10.6. */
    const char *rows = wait_row(waits(WAITS(9.3, 9.3, 9.3, 9.5, 6), two),
                                WAIT("step", two, 5000, 9.9999, 0.06, .elements = 6));
    EXPECT_OUTCOME(judged_7(rows), "abc?efg-");
}

/* Over a slow network the ranks may share cores, and other sets are not judged. */
static void test_slow(void)
{
    struct run run = {.directory = ""};
    add(&run, "nshape_mpi_2.csv", waits(bad, two));
    add(&run, "nshape_mpi_slow_2.csv", waits(good, "2 x CPU (1 core)"));
    EXPECT_OUTCOME(judged_by("L22-7", &run), "abc?efgh");
    run = (struct run){.directory = ""};
    add(&run, "nshape_mpi_2.csv", waits(good, two));
    add(&run, "nshape_mpi_slow_2.csv", waits(bad, "2 x CPU (1 core)"));
    add(&run, "nshape_mpi_slow_4.csv", waits_at(good, 9000, "4 x CPU (1 core)", 4));
    const struct claim *claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "abc?e-gh"); /* each set at its own largest n */
    EXPECT_LABEL(claim, 'f', 0, "slow network, n = 5000");
    EXPECT(clause_named(claim, 'e')->count == 2, "two sets");
    EXPECT(same(judged_name(clause_named(claim, 'b')->judged), "holds"), "bounds that are equal");
    const char *devices = clause_named(claim, 'e')->device;
    EXPECT(
        same(devices, "2 x CPU (1 core), emulated network; 4 x CPU (1 core), emulated network") &&
            clause_named(claim, 'a')->device == NULL,
        "the devices of clause e: %s", devices);
}

/* A wrong row of any phase fails; a disturbed one does not, and its wait does not count. */
static void test_rows(void)
{
    static const struct {
        const char *row, *outcome;
    } cases[] = {
        {"nshape_mpi,step,z,1000,1,,,2,1,,2,,total,2 x CPU (16 cores),1,1,1,1,wrong\n", "-bc?efgh"},
        {"nshape_mpi,step_early,z,9000,1,,,2,1,,2,,wait,2 x CPU (16 "
         "cores),99,99,99,192,disturbed\n",
         "abc?efgh"},
        {"nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU (9 cores),9,9,9,1,wrong\n", "abc?efgh"},
        {"nshape_mpi,step,z,5000,1,,,2,1,,2,,wait,2 x CPU (16 cores),,,,,ok\n", "abc?efgh"},
        {"nshape_mpi,step,z,1000,1,,,2,1,,2,,total,1 x GPU + 1 x CPU (16 cores),1,1,1,1,wrong\n",
         "-bc-efgh"}, /* mixed, but wrong */
        /* A set without a plain step is left out. */
        {"nshape_mpi,step_early,z,5000,1,,,2,1,,2,,wait,2 x CPU (3 cores),9,9,9,192,ok\n",
         "abc?efgh"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(text("%s%s", waits(good, two), cases[i].row)), cases[i].outcome);
    const char *disturbed =
        wait_row(waits(WAITS(9, 8, 7, NAN, 6), two),
                 WAIT("step_flight", two, 5000, 9, .elements = 6, .status = "disturbed"));
    EXPECT_OUTCOME(judged_7(disturbed), "disturbed");
}

/* Every set of devices must hold; ranks that share cores are left out; GPUs name no cores. */
static void test_sets(void)
{
    static const struct {
        const char *device, *outcome;
        int ranks;
    } cases[] = {{mixed, "abcde-gh", 2},
                 {"4 x CPU (3 cores)", "abc?efgh", 4},
                 {"4 x CPU (4 cores)", "abc?e-gh", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(text("%s%s", waits(good, two),
                                     waits_at(bad, 5000, cases[i].device, cases[i].ranks))),
                       cases[i].outcome);
    const char *more = text("%s%s", waits(good, two), waits_at(bad, 5000, mixed, 2));
    EXPECT_DEVICE(judged_7(more), "2 x CPU (16 cores); 1 x GPU + 1 x CPU (16 cores)");
    more = waits(good, two);
    for (int ranks = 3; ranks < 40; ranks++)
        more = text("%s%s", more, waits_at(good, 5000, text("%d x CPU (40 cores)", ranks), ranks));
    const struct claim *claim = judged_7(more);
    EXPECT_OUTCOME(claim, "abc?efgh");
    EXPECT(clause_named(claim, 'h')->count == 38, "many sets");
    EXPECT_SHOWS(judged_7(waits(good, text("%03000d", 7))), "plain 1e+04 µs");
}

void test_claims_l22_mpi(void)
{
    test_l22_7();
    test_elements();
    test_spread();
    test_slow();
    test_rows();
    test_sets();
}
