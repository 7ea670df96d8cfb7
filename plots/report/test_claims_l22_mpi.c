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
static const char *phase_row(const char *rows, const char *phase, struct wait w)
{
    int batch = w.batch == 0 ? 1 : w.batch, ranks = w.ranks == 0 ? 2 : w.ranks;
    double spread = or_else(w.spread, 0.001);
    return joined(
        rows, "", "nshape_mpi,%s,z,%.0f,%d,,,%d,1,,%d,,%s,%s,%.15g,%.15g,%.15g,%.15g,%s\n",
        w.variant, w.n, batch, ranks, ranks, phase, w.device, w.ms, w.ms * (1 - spread),
        w.ms * (1 + spread), 16 * w.elements * ranks * batch, w.status == NULL ? "ok" : w.status);
}
static const char *wait_row(const char *rows, struct wait w)
{
    return phase_row(rows, "wait", w);
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
static const struct claim *judged_in(const char *file, const char *rows)
{
    struct run run = {.directory = ""};
    add(&run, file, rows);
    return judged_by("L22-7", &run);
}
static const struct claim *judged_7(const char *rows)
{
    return judged_in("nshape_mpi_slow_2.csv", rows);
}

/* The waits of all variants at two n, in ms at the larger one; a plain step waits 10 ms. elements:
 * for each part. */
struct waits {
    double early, inverse, ahead, flight, elements;
};
#define WAITS(...) ((struct waits){__VA_ARGS__})
static const char *waits_alone(struct waits w, double n, const char *device, int ranks)
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
/* The times of whole steps for each wave function; a plain one takes 20 ms. */
static const char *steps_at(double ahead, double flight, double n, const char *device, int ranks)
{
    const struct wait all[] = {{"step", device, n, 20, 0, 0, 1, ranks, "ok"},
                               {"step_ahead", device, n, ahead, 0, 0, 1, ranks, "ok"},
                               {"step_flight", device, n, 4 * flight, 0, 0, 4, ranks, "ok"}};
    const char *rows = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rows = phase_row(rows, "total", all[i]);
    return rows;
}
static const char *waits_at(struct waits w, double n, const char *device, int ranks)
{
    return text("%s%s", waits_alone(w, n, device, ranks), steps_at(19, 19, n, device, ranks));
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
        {{9.5, 9.6, 9.7, 9.8, 6}, mixed, "?bcdefghij"},
        {{9.5, 9.6, 9.7, 9.8, 6}, two, "?bc?efghij"},       /* without a GPU nothing can be mixed */
        {{9.5, 9.6, 9.7, 9.8, 6}, "2 x GPU", "?bc-efghij"}, /* with GPUs alone nothing was */
        {{11, 8, 7, 6, 6}, two, "?bc?-fghij"},
        {{9, 11, 7, 6, 6}, two, "?bc?e-ghij"},
        {{9, 8, 11, 6, 6}, two, "?bc?ef-hij"},
        {{9, 8, 7, 11, 6}, two, "?bc?efg-ij"},
        {{9, 8, 7, NAN, 6}, two, ""},
        {{9, 8, 7, 6, 9}, two, "?bc?efghij"}, /* 18 elements over 2 parts */
        {{9, 8, 7, 6, 9.1}, two, "?b-?efghij"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(waits(cases[i].waits, cases[i].device)), cases[i].outcome);
    const struct claim *claim = judged_7(waits(good, mixed));
    EXPECT_NUMBER(claim, 'h', 0, 9.8 * 1.001 / 9.99, 1e-12);
    EXPECT_DEVICE(claim, mixed);
    EXPECT_SHOWS(claim, "Wait, factors kept, 1 x GPU + 1 x CPU (16 cores), slow network, n = 5000: "
                        "2e+04 µs (1.998e+04 to 2.002e+04), plain 1e+04 µs (9990 to 1.001e+04)");
    EXPECT_SHOWS(claim, "factors made ahead 0.95, several in flight 0.95");
    EXPECT_OUTCOME(judged("L22-7", ""), "");
    /* Within one machine nothing is hidden; ranks that share a core are left out. */
    EXPECT_OUTCOME(judged_in("nshape_mpi_2.csv", waits(good, two)), "?bc???????");
    EXPECT_OUTCOME(judged_in("nshape_mpi_2.csv", waits(good, "2 x CPU (1 core)")), "");
}

/* Rows of phases "memory" and "share" of `ranks` ranks, in elements. */
static const char *memory_rows(const char *rows, const char *variant, double n, int ranks,
                               double memory, double share)
{
    const char *begin = text("nshape_mpi,%s,z,%.0f,1,,,%d,1,,%d,,", variant, n, ranks, ranks);
    return joined(rows, "", "%smemory,%s,,,,%.0f,ok\n%sshare,%s,,,,%.0f,ok\n", begin, two,
                  16 * memory, begin, two, 16 * share);
}

/* One rank alone holds 8 elements for each row. At most 0.1 n more than the share may be held. */
static void test_memory(void)
{
    const char *times = waits(good, two), *one = memory_rows(times, "step", 1000, 1, 8000, 1000);
    static const struct {
        double memory, share;
        const char *outcome;
    } cases[] = {{20000, 2500, "abc?efghij"}, /* of 5000 rows */
                 {20490, 2500, "abc?efghij"}, {20510, 2500, "-bc?efghij"},
                 {25000, 2500, "-bc?efghij"}, /* all of psi besides */
                 {32000, 4000, "abc?efghij"}, {19000, 2500, "abc?efghij"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(memory_rows(one, "step", 5000, 2, cases[i].memory, cases[i].share)),
                       cases[i].outcome);
    /* The worst kind of step and n of each number of ranks; each kind beside its own one rank. */
    const char *more = memory_rows(one, "step_kept", 1000, 1, 10000, 1000);
    more = memory_rows(more, "step_kept", 5000, 2, 25000, 2500);
    more = memory_rows(memory_rows(more, "step", 5000, 2, 20100, 2500), "step", 1000, 2, 4050, 500);
    more = memory_rows(more, "step", 5000, 3, 16000, 2000);
    more = wait_row(more, WAIT("step", two, 5000, 10, .elements = 4, .ranks = 3));
    const struct claim *claim = judged_7(more);
    EXPECT_OUTCOME(claim, "abc?efghij");
    EXPECT(clause_named(claim, 'a')->count == 2, "2 and 3 ranks");
    EXPECT_NUMBER(claim, 'a', 0, 0.05, 1e-12);
    EXPECT_LABEL(claim, 'a', 0,
                 "2 ranks, step, n = 1000: 8.1 elements for each of its rows, 50% of "
                 "all; one rank alone 8");
    EXPECT_OUTCOME(judged_7(memory_rows(one, "step_early", 5000, 2, 30000, 2500)), "?bc?efghij");
    /* A step with a single part is that of one rank. */
    more = memory_rows(one, "step", 5000, 2, 20000, 2500);
    more = joined(more, "",
                  "nshape_mpi,step,z,700,1,,,1,1,,2,,memory,%s,,,,999999,ok\n"
                  "nshape_mpi,step,z,700,1,,,1,1,,2,,share,%s,,,,11200,ok\n",
                  two, two);
    EXPECT_OUTCOME(judged_7(more), "abc?efghij");
}

/* The elements that travel: the same at every n, and at most 6(nbl + 1). */
static void test_elements(void)
{
    for (int elements = 15; elements <= 16;
         elements++) { /* over 2; 30 over 4 parts are the limit */
        const char *more = text("%s%s", waits(WAITS(9, 8, 7, 6, 9), two),
                                waits_at(WAITS(9, 8, 7, 6, elements / 2.), 5000, two, 4));
        EXPECT_OUTCOME(judged_7(more), elements == 15 ? "?bc?efghij" : "?b-?efghij");
    }
    EXPECT_OUTCOME(judged_7(waits_at(good, 5000, two, 2)), "??c?efghij"); /* one n */
    for (int sign = -1; sign <= 1; sign += 2) {
        const char *solve =
            wait_row(waits(good, two), WAIT("solve", two, 1000, 1, .elements = 6 + 0.5 * sign));
        const struct claim *claim =
            judged_7(wait_row(solve, WAIT("solve", two, 3000, 1, .elements = 6)));
        EXPECT_OUTCOME(claim, "?-c?efghij");
        EXPECT_LABEL(claim, 'b', 0, "2 ranks, solve, n from 1000 to 3000");
    }
    /* Other elements over other ranks are no change with n. */
    const char *more =
        wait_row(waits(good, two), WAIT("step", two, 7000, 10, .elements = 7, .ranks = 3));
    EXPECT_OUTCOME(judged_7(more), "?bc?efghij");
}

/* The gain must exceed the spread: the plain wait's lower quartile is 9.99. */
static void test_spread(void)
{
    static const struct made early[] = {{{9.5, 0.05}, "?bc?efghij"}, /* to 9.975 */
                                        {{9.5, 0.06}, "?bc?-fghij"}, /* to 10.07 */
                                        {{10, 0.001}, "?bc?-fghij"},
                                        {{10.5, 0.04}, "?bc?-fghij"},
                                        {{9.5, NAN}, ""}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        EXPECT_OUTCOME(judged_7(wait_row(waits(WAITS(NAN, 9.6, 9.7, 9.8, 6), two),
                                         WAIT("step_early", two, 5000, early[i].x[0], early[i].x[1],
                                              .elements = 6))),
                       early[i].outcome);
    /* So does the spread of the plain step: from 9.4 to 10.6. */
    const char *rows = wait_row(waits(WAITS(9.3, 9.3, 9.3, 9.5, 6), two),
                                WAIT("step", two, 5000, 9.9999, 0.06, .elements = 6));
    EXPECT_OUTCOME(judged_7(rows), "?bc?efg-ij");
}

/* The lower quartile of a whole plain step is 19.98, the upper one of the others 1.001 times. */
static void test_whole_steps(void)
{
    static const struct made steps[] = {{{19.95, 19.95}, "??c?efghij"},
                                        {{19.97, 19}, "??c?efgh-j"},
                                        {{19, 19.97}, "??c?efghi-"},
                                        {{NAN, 19}, ""}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        EXPECT_OUTCOME(judged_7(text("%s%s", waits_alone(good, 5000, two, 2),
                                     steps_at(steps[i].x[0], steps[i].x[1], 5000, two, 2))),
                       steps[i].outcome);
}

/* Over a slow network the ranks may share cores, and other sets are not judged. */
static void test_slow(void)
{
    struct run run = {.directory = ""};
    add(&run, "nshape_mpi_2.csv", waits(bad, two));
    add(&run, "nshape_mpi_slow_2.csv", waits(good, "2 x CPU (1 core)"));
    EXPECT_OUTCOME(judged_by("L22-7", &run), "?bc?efghij");
    run = (struct run){.directory = ""};
    add(&run, "nshape_mpi_2.csv", waits(good, two));
    add(&run, "nshape_mpi_slow_2.csv", waits(bad, "2 x CPU (1 core)"));
    add(&run, "nshape_mpi_slow_4.csv", waits_at(good, 9000, "4 x CPU (1 core)", 4));
    const struct claim *claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "?bc?e-ghij"); /* each set at its own largest n */
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
        {"nshape_mpi,step,z,1000,1,,,2,1,,2,,total,2 x CPU (16 cores),1,1,1,1,wrong\n",
         "-bc?efghij"},
        {"nshape_mpi,step_early,z,9000,1,,,2,1,,2,,wait,2 x CPU (16 "
         "cores),99,99,99,192,disturbed\n",
         "?bc?efghij"},
        {"nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU (9 cores),9,9,9,1,wrong\n", "?bc?efghij"},
        {"nshape_mpi,step,z,5000,1,,,2,1,,2,,wait,2 x CPU (16 cores),,,,,ok\n", "?bc?efghij"},
        {"nshape_mpi,step,z,1000,1,,,2,1,,2,,total,1 x GPU + 1 x CPU (16 cores),1,1,1,1,wrong\n",
         "-bc-efghij"}, /* mixed, but wrong */
        /* A set without a plain step is left out. */
        {"nshape_mpi,step_early,z,5000,1,,,2,1,,2,,wait,2 x CPU (3 cores),9,9,9,192,ok\n",
         "?bc?efghij"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged_7(text("%s%s", waits(good, two), cases[i].row)), cases[i].outcome);
    const char *disturbed =
        wait_row(waits(WAITS(9, 8, 7, NAN, 6), two),
                 WAIT("step_flight", two, 5000, 9, .elements = 6, .status = "disturbed"));
    EXPECT_OUTCOME(judged_7(disturbed), "disturbed");
}

/* Every set of devices must hold; GPUs name no cores. */
static void test_sets(void)
{
    static const struct {
        const char *device, *outcome;
        int ranks;
    } cases[] = {{mixed, "?bcde-ghij", 2}, {"4 x CPU (4 cores)", "?bc?e-ghij", 4}};
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
    EXPECT_OUTCOME(claim, "?bc?efghij");
    EXPECT(clause_named(claim, 'h')->count == 38, "many sets");
    EXPECT_SHOWS(judged_7(waits(good, text("%03000d", 7))), "plain 1e+04 µs");
}

void test_claims_l22_mpi(void)
{
    test_l22_7();
    test_memory();
    test_elements();
    test_spread();
    test_whole_steps();
    test_slow();
    test_rows();
    test_sets();
}
