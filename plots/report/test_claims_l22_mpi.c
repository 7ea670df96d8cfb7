/* Tests of the claim L22-7: small made-up CSV files that flip its verdict. */
#include "test_report.h"

/* A row of nshape_mpi: `elements` double complex numbers are sent for each part. The quartiles are
 * `spread` of the median away from it. */
static const char *spread_row(const char *rows, const char *variant, double n, int batch, int ranks,
                              const char *device, double ms, double spread, double elements,
                              const char *status)
{
    return joined(rows, "",
                  "nshape_mpi,%s,z,%.0f,%d,,,%d,1,,%d,,wait,%s,%.15g,%.15g,%.15g,%.15g,%s\n",
                  variant, n, batch, ranks, ranks, device, ms, ms * (1 - spread), ms * (1 + spread),
                  16 * elements * ranks * batch, status);
}
static const char *wait_row(const char *rows, const char *variant, double n, int batch, int ranks,
                            const char *device, double ms, double elements, const char *status)
{
    return spread_row(rows, variant, n, batch, ranks, device, ms, 0.001, elements, status);
}

/* A run of such rows in a file of this name; judged_7() judges it. */
static void add_7(struct run *run, const char *file, const char *rows)
{
    EXPECT(run_add(run, file,
                   text("program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,"
                        "phase,device,median_ms,q1_ms,q3_ms,bytes,status\n%s",
                        rows)),
           "rows");
}
static const struct claim *judged_7(const char *rows)
{
    struct run run = {.directory = ""};
    add_7(&run, "nshape_mpi_2.csv", rows);
    return judged_by("L22-7", &run);
}

/* The waits of all variants over two ranks at two n, in ms at the larger one; a plain step waits 10
 * ms. elements: for each part. */
struct waits {
    double early, inverse, ahead, flight, elements;
};
static const char *waits_at(struct waits w, double n, const char *device, int ranks)
{
    const char *rows = wait_row("", "step", n, 1, ranks, device, 10, w.elements, "ok");
    rows = wait_row(rows, "step_early", n, 1, ranks, device, w.early, w.elements, "ok");
    rows = wait_row(rows, "step_inverse", n, 1, ranks, device, w.inverse, w.elements, "ok");
    rows = wait_row(rows, "step_kept", n, 1, ranks, device, 20, 4, "ok");
    rows = wait_row(rows, "step_ahead", n, 1, ranks, device, w.ahead, w.elements, "ok");
    return wait_row(rows, "step_flight", n, 4, ranks, device, 4 * w.flight, w.elements, "ok");
}
static const char *waits(struct waits w, const char *device)
{
    const struct waits small = {1, 20, 1, 20, w.elements};
    return text("%s%s", waits_at(small, 1000, device, 2), waits_at(w, 5000, device, 2));
}

static const struct waits good = {9.5, 9.6, 9.7, 9.8, 6};
static const char two[] = "2 x CPU (16 cores)", mixed[] = "1 x GPU + 1 x CPU (16 cores)";

static void test_l22_7(void)
{
    const struct claim *claim = judged_7(waits(good, mixed));
    EXPECT_OUTCOME(claim, "reproduced: abcdefgh");
    EXPECT_NUMBER(claim, 'h', 0, 9.8 * 1.001 / 9.99, 1e-12);
    EXPECT_DEVICE(claim, mixed);
    EXPECT_SHOWS(claim, "Wait, factors kept, 1 x GPU + 1 x CPU (16 cores), n = 5000: 2e+04 µs "
                        "(1.998e+04 to 2.002e+04), plain 1e+04 µs (9990 to 1.001e+04)");
    EXPECT_SHOWS(claim, "Wait in a plain step, 1 x GPU + 1 x CPU (16 cores), n = 5000: 1e+04 µs, n "
                        "= 1000: 1e+04 µs");
    EXPECT(!shows(claim, "whole step"), "no times of the whole step");
    /* without a GPU nothing can be mixed; with GPUs alone nothing was */
    EXPECT_OUTCOME(judged_7(waits(good, two)), "reproduced: abc?efgh");
    EXPECT_OUTCOME(judged_7(waits(good, "2 x GPU")), "in part: abc-efgh");

    EXPECT_OUTCOME(judged_7(waits((struct waits){11, 8, 7, 6, 6}, two)), "in part: abc?-fgh");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 11, 7, 6, 6}, two)), "in part: abc?e-gh");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 11, 6, 6}, two)), "in part: abc?ef-h");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 7, 11, 6}, two)), "in part: abc?efg-");

    const char *steps = joined(waits(good, two), "",
                               "nshape_mpi,step,z,5000,1,,,2,1,,2,,total,%s,20,20,20,1,ok\n"
                               "nshape_mpi,step_flight,z,5000,4,,,2,1,,2,,total,%s,40,40,40,1,ok\n",
                               two, two);
    EXPECT_SHOWS(judged_7(steps), "Time of the whole step over that of a plain one, 2 x CPU (16 "
                                  "cores), n = 5000: several in flight 0.50");
}

/* The elements that travel: the same at every n, and at most 6(nbl + 1). */
static void test_l22_7_elements(void)
{
    const struct waits at_most = {9, 8, 7, 6, 9}, above = {9, 8, 7, 6, 9.1};
    const struct claim *claim = judged_7(waits(at_most, two)); /* 18 over 2 parts */
    EXPECT_OUTCOME(claim, "reproduced: abc?efgh");
    EXPECT_LABEL(claim, 'c', 0, "2 parts: 18 elements, 9 for each part");
    EXPECT_SHOWS(claim, "2 parts, step_kept: 4 elements for each part");
    EXPECT_OUTCOME(judged_7(waits(above, two)), "in part: ab-?efgh");
    struct waits four = {9, 8, 7, 6, 7.5}; /* 30 over 4 parts */
    const char *more = text("%s%s", waits(at_most, two), waits_at(four, 5000, two, 4));
    EXPECT_OUTCOME(judged_7(more), "reproduced: abc?efgh");
    four.elements = 8;
    more = text("%s%s", waits(at_most, two), waits_at(four, 5000, two, 4));
    EXPECT_OUTCOME(judged_7(more), "in part: ab-?efgh");

    EXPECT_OUTCOME(judged_7(waits_at(good, 5000, two, 2)), "reproduced: a?c?efgh"); /* one n */
    for (int sign = -1; sign <= 1; sign += 2) {
        const char *solve =
            wait_row(waits(good, two), "solve", 1000, 1, 2, two, 1, 6 + 0.5 * sign, "ok");
        solve = wait_row(solve, "solve", 3000, 1, 2, two, 1, 6, "ok");
        claim = judged_7(solve);
        EXPECT_OUTCOME(claim, "in part: a-c?efgh");
        EXPECT_LABEL(claim, 'b', 0, "2 ranks, solve, n from 1000 to 3000");
    }
    /* Other elements over other ranks are no change with n. */
    more = wait_row(waits(good, two), "step", 7000, 1, 3, two, 10, 7, "ok");
    EXPECT_OUTCOME(judged_7(more), "reproduced: abc?efgh");
}

/* The gain must exceed the spread: the plain wait's lower quartile is 9.99. */
static void test_l22_7_spread(void)
{
    static const struct {
        double ms, spread;
        const char *outcome;
    } early[] = {{9.5, 0.05, "reproduced: abc?efgh"}, /* to 9.975 */
                 {9.5, 0.06, "in part: abc?-fgh"},    /* to 10.07 */
                 {10, 0.001, "in part: abc?-fgh"},
                 {10.5, 0.04, "in part: abc?-fgh"},
                 {9.5, NAN, "not measured here"}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        const char *rows = waits((struct waits){NAN, 9.6, 9.7, 9.8, 6}, two);
        rows =
            spread_row(rows, "step_early", 5000, 1, 2, two, early[i].ms, early[i].spread, 6, "ok");
        EXPECT_OUTCOME(judged_7(rows), early[i].outcome);
    }
    /* So does the spread of the plain step: from 9.4 to 10.6. */
    const char *rows = waits((struct waits){9.3, 9.3, 9.3, 9.5, 6}, two);
    rows = spread_row(rows, "step", 5000, 1, 2, two, 9.9999, 0.06, 6, "ok");
    EXPECT_OUTCOME(judged_7(rows), "in part: abc?efg-");
}

/* Over a slow network the ranks may share cores, and other sets are not judged. */
static void test_l22_7_slow(void)
{
    const struct waits bad = {9, 11, 7, 6, 6};
    struct run run = {.directory = ""};
    add_7(&run, "nshape_mpi_2.csv", waits(bad, two));
    add_7(&run, "nshape_mpi_slow_2.csv", waits(good, "2 x CPU (1 core)"));
    EXPECT_OUTCOME(judged_by("L22-7", &run), "reproduced: abc?efgh");
    run = (struct run){.directory = ""};
    add_7(&run, "nshape_mpi_2.csv", waits(good, two));
    add_7(&run, "nshape_mpi_slow_2.csv", waits(bad, "2 x CPU (1 core)"));
    const struct claim *claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "in part: abc?e-gh");
    EXPECT_LABEL(claim, 'f', 0, "slow network, n = 5000");
    add_7(&run, "nshape_mpi_slow_4.csv", waits_at(good, 9000, "4 x CPU (1 core)", 4));
    claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "in part: abc?e-gh"); /* each set at its own largest n */
    EXPECT(clause_named(claim, 'e')->count == 2, "two sets");
    EXPECT(strcmp(judged_name(clause_named(claim, 'b')->judged), "holds") == 0,
           "a clause that asks for one value");
    EXPECT(strcmp(clause_named(claim, 'e')->device,
                  "2 x CPU (1 core), emulated network; 4 x CPU (1 core), emulated network") == 0 &&
               clause_named(claim, 'a')->device == NULL,
           "the devices of clause e: %s", clause_named(claim, 'e')->device);
}

/* A wrong row of any phase fails; a disturbed one does not, and its wait does not count. */
static void test_l22_7_rows(void)
{
    const char *more = joined(waits(good, two), "",
                              "nshape_mpi,step,z,1000,1,,,2,1,,2,,total,%s,1,1,1,1,wrong\n", two);
    EXPECT_OUTCOME(judged_7(more), "in part: -bc?efgh");
    more = wait_row(waits(good, two), "step_early", 9000, 1, 2, two, 99, 6, "disturbed");
    EXPECT_OUTCOME(judged_7(more), "reproduced: abc?efgh");
    more = joined(waits(good, two), "",
                  "nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU,9,9,9,1,wrong\n"
                  "nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU (9 cores),9,9,9,1,ok\n");
    EXPECT(clause_named(judged_7(more), 'a')->judged[0].holds, "one rank");
    more = joined(waits(good, two), "", "nshape_mpi,step,z,5000,1,,,2,1,,2,,wait,%s,,,,,ok\n", two);
    EXPECT_OUTCOME(judged_7(more), "reproduced: abc?efgh"); /* no time, no bytes */
    more = joined(waits(good, two), "",
                  "nshape_mpi,step,z,1000,1,,,2,1,,2,,total,%s,1,1,1,1,wrong\n", mixed);
    EXPECT_OUTCOME(judged_7(more), "in part: -bc-efgh"); /* mixed, but wrong */
}

/* Every set of devices must hold; ranks that share cores are left out; GPUs name no cores. */
static void test_l22_7_sets(void)
{
    const struct waits bad = {9, 11, 7, 6, 6};
    const char *more = text("%s%s", waits(good, two), waits_at(bad, 5000, mixed, 2));
    const struct claim *claim = judged_7(more);
    EXPECT_OUTCOME(claim, "in part: abcde-gh");
    EXPECT(clause_named(claim, 'f')->judged[0].holds && !clause_named(claim, 'f')->judged[1].holds,
           "one of two sets");
    EXPECT_DEVICE(claim, "2 x CPU (16 cores); 1 x GPU + 1 x CPU (16 cores)");
    more = text("%s%s", waits(good, two), waits_at(bad, 5000, "4 x CPU (3 cores)", 4));
    EXPECT_OUTCOME(judged_7(more), "reproduced: abc?efgh");
    more = text("%s%s", waits(good, two), waits_at(bad, 5000, "4 x CPU (4 cores)", 4));
    EXPECT_OUTCOME(judged_7(more), "in part: abc?e-gh");
    EXPECT_OUTCOME(judged_7(waits(good, "2 x CPU (1 core)")), "not measured here");
    more = waits(good, two);
    for (int ranks = 3; ranks < 40; ranks++)
        more =
            joined(more, "", "%s", waits_at(good, 5000, text("%d x CPU (40 cores)", ranks), ranks));
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "reproduced: abc?efgh");
    EXPECT(clause_named(claim, 'h')->count == 38 && claim->shown_count == 77, "many sets");
    const char *long_name = text("%03000d", 7);
    EXPECT_SHOWS(judged_7(waits(good, long_name)), "plain 1e+04 µs");

    /* A set without a plain step is left out. A clause that no set measures makes the claim
     * unmeasured. */
    more = wait_row(waits(good, two), "step_early", 5000, 1, 2, "2 x CPU (3 cores)", 9, 6, "ok");
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "reproduced: abc?efgh");
    EXPECT(clause_named(claim, 'e')->count == 1, "one set");
    const struct waits no_flight = {9, 8, 7, NAN, 6};
    EXPECT_OUTCOME(judged_7(waits(no_flight, two)), "not measured here");

    EXPECT_OUTCOME(judged("L22-7", ""), "not measured here");
    more = wait_row(waits(no_flight, two), "step_flight", 5000, 1, 2, two, 9, 6, "disturbed");
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "only with disturbed times");
}

void test_claims_l22_mpi(void)
{
    test_l22_7();
    test_l22_7_elements();
    test_l22_7_spread();
    test_l22_7_slow();
    test_l22_7_rows();
    test_l22_7_sets();
}
