/* Tests of the claims of L22: small made-up CSV files that flip each verdict. */
#include "test_report.h"

/* Appends a total time of nshape on a GPU. */
static const char *row(const char *rows, const char *variant, const char *type, double n, int nest,
                       double parts, double ms)
{
    return joined(rows, "", "nshape,%s,%s,%.0f,,,32,%.0f,,%d,,,total,GPU,%.15g,%.15g,ok\n", variant,
                  type, n, parts, nest, ms, 1000 * n);
}

/* Times that follow L22 eq. 6 and 7 exactly but for what the members change. */
struct model {
    double n;
    int nest;
    double alpha;   /* in ns; beta is 300 ns, the constant 20 µs */
    double shift;   /* the times at P1 are those of the model at P1/shift; 0 means 1 */
    double dent;    /* at this P1 the time is the shortest of all by 1%; 0: nowhere */
    double scatter; /* every second time far from the optimum is so many times longer; 0 means 1 */
    double largest; /* P1; 0 means 30000 */
};
#define MODEL(...) ((struct model){__VA_ARGS__})

static double or_else(double x, double instead)
{
    return x == 0 ? instead : x;
}

static double model_ns(struct model m, double P)
{
    double last = pow(P, 1. / m.nest);
    return m.alpha * (m.n / P + (m.nest - 1) * last) + 300 * last + 20000;
}

static const char *model_rows(const char *rows, struct model m)
{
    double optimum = sqrt(m.alpha / 300 * m.n);
    int count = 0;
    for (double P = 100; P <= or_else(m.largest, 30000); P = floor(P * 1.1)) {
        double ns = model_ns(m, P / or_else(m.shift, 1));
        if (m.dent > P / 1.1 && m.dent <= P)
            ns = 0.99 * model_ns(m, optimum);
        if (fabs(log(P / optimum)) > log(4) && count++ % 2 == 0)
            ns *= or_else(m.scatter, 1);
        rows = row(rows, "nshape", "z", m.n, m.nest, P, ns / 1e6);
    }
    return rows;
}

/* Times of n_it = 1 at three n. alpha grows as n^power, so the optimum as n^(1/2 + power/2). */
static const char *three_n(double power)
{
    const char *rows = "";
    for (double n = 30000; n <= 3000000; n *= 10)
        rows = model_rows(rows, MODEL(.n = n, .nest = 1, .alpha = 1200 * pow(n / 300000, power)));
    return rows;
}

static const struct claim *judged_1(struct model m)
{
    return judged("L22-1", model_rows("", m));
}

static void test_l22_1(void)
{
    const char *one = model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200));
    const struct claim *claim = judged("L22-1", one);
    EXPECT_OUTCOME(claim, "reproduced: ab?");
    EXPECT(part_named(claim, 'a')->judged[0].value < 1e-3, "misfit %g",
           part_named(claim, 'a')->judged[0].value);
    EXPECT(about(part_named(claim, 'b')->judged[0].value, 1, 0.05), "predicted over measured %g",
           part_named(claim, 'b')->judged[0].value);
    EXPECT(strcmp(claim->device, "GPU") == 0, "device '%s'", claim->device);
    EXPECT(shows(claim, "alpha = 1200 ns, beta = 300 ns, constant = 20 µs") &&
               shows(claim, "alpha/beta = 4;"),
           "the fit");

    EXPECT_OUTCOME(judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .scatter = 2.05)),
                   "reproduced: ab?");
    EXPECT_OUTCOME(judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .scatter = 2.2)),
                   "in part: -b?");
    /* Where the shortest time is; the prediction is near 1095. */
    static const struct {
        double at;
        const char *outcome;
    } dents[] = {{493, "in part: a-?"},
                 {542, "reproduced: ab?"},
                 {2049, "reproduced: ab?"},
                 {2253, "in part: a-?"}};
    for (size_t i = 0; i < sizeof dents / sizeof *dents; i++) {
        claim = judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .dent = dents[i].at));
        EXPECT_OUTCOME(claim, dents[i].outcome);
        double ratio = part_named(claim, 'b')->judged[0].value;
        EXPECT((ratio > 1) == (dents[i].at < 1095), "predicted over measured %g", ratio);
    }
    claim = judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .largest = 900));
    EXPECT_OUTCOME(claim, "in part: a-?");
    EXPECT(strstr(part_named(claim, 'b')->judged[0].label, "at an end") != NULL, "%s",
           part_named(claim, 'b')->judged[0].label);

    /* The fit would make the constant negative. */
    const char *rows = "";
    for (double P = 100; P < 30000; P *= 1.5)
        rows = row(rows, "nshape", "z", 300000, 1, P, (1200 * 300000 / P + 300 * P - 50000) / 1e6);
    claim = judged("L22-1", rows);
    EXPECT_OUTCOME(claim, "reproduced: ab?");
    EXPECT(shows(claim, "constant = 0 µs (without this bound"), "the bound");

    EXPECT_OUTCOME(judged("L22-1", ""), "not measured here");
    EXPECT_OUTCOME(judged("L22-1", row(row("", "nshape", "z", 300000, 1, 100, 1), "nshape", "z",
                                       300000, 1, 1000, 1)),
                   "not measured here"); /* too few points */
    EXPECT_OUTCOME(judged_1(MODEL(.n = 30000, .nest = 1, .alpha = 1200)), "not measured here");
}

/* How the optimum grows with n. */
static void test_l22_1_growth(void)
{
    const struct claim *claim = judged("L22-1", three_n(0));
    EXPECT_OUTCOME(claim, "reproduced: abc");
    EXPECT(about(part_named(claim, 'c')->judged[0].value, 0.5, 0.02), "exponent %g",
           part_named(claim, 'c')->judged[0].value);
    EXPECT(shows(claim, "in 2 of 2 cases"), "other n");
    EXPECT_OUTCOME(judged("L22-1", three_n(0.26)), "reproduced: abc");
    EXPECT_OUTCOME(judged("L22-1", three_n(0.34)), "in part: ab-");
    EXPECT_OUTCOME(judged("L22-1", three_n(-0.26)), "reproduced: abc");
    EXPECT_OUTCOME(judged("L22-1", three_n(-0.34)), "in part: ab-");
    /* Two n are too few, also with a third whose best P1 is at an end. */
    const char *two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200)),
                                 MODEL(.n = 10000000, .nest = 1, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-1", two), "reproduced: ab?");
    claim = judged("L22-1",
                   model_rows(two, MODEL(.n = 3000000, .nest = 1, .alpha = 1200, .largest = 1000)));
    EXPECT_OUTCOME(claim, "reproduced: ab?");
    EXPECT(shows(claim, "in 1 of 1 cases"), "an optimum at an end is none");
}

/* The times fall with P1 over the whole range, so the fitted beta is negative. */
static void test_l22_1_without_optimum(void)
{
    const char *rows = "";
    for (double P = 100; P < 30000; P *= 2)
        rows = row(rows, "nshape", "z", 300000, 1, P, 100 / P + 1 - P / 40000);
    const struct claim *claim = judged("L22-1", rows);
    EXPECT(!part_holds(part_named(claim, 'b')) &&
               strstr(part_named(claim, 'b')->judged[0].label, "negative") != NULL,
           "%s", part_named(claim, 'b')->judged[0].label);
}

static const char *nested(double shift_2, double shift_3)
{
    const char *rows = model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200));
    rows = model_rows(rows, MODEL(.n = 300000, .nest = 2, .alpha = 1200, .shift = shift_2));
    return model_rows(
        rows, MODEL(.n = 300000, .nest = 3, .alpha = 1200, .shift = shift_3, .largest = 1e5));
}

static void test_l22_2(void)
{
    const char *good = nested(1, 1);
    const struct claim *claim = judged("L22-2", good);
    EXPECT_OUTCOME(claim, "reproduced: a?");
    EXPECT(part_named(claim, 'a')->count == 2, "%zu n_it", part_named(claim, 'a')->count);
    EXPECT(shows(claim, "n_it = 2: misfit over all P1 0%") &&
               shows(claim, "n_it = 3: misfit over all P1 0%"),
           "exact");
    double at[] = {part_named(claim, 'a')->judged[0].value,
                   part_named(claim, 'a')->judged[1].value};
    EXPECT(about(at[0], 1.12, 0.05) && about(at[1], 1.1, 0.05), "%g and %g", at[0], at[1]);
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 0.52, at[1] / 0.52)), "reproduced: a?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 1.92, at[1] / 1.92)), "reproduced: a?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 0.48, 1)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 2.08, 1)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(1, at[1] / 0.48)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(1, at[1] / 2.08)), "not reproduced: -?");
    claim = judged("L22-2", nested(4, 1));
    EXPECT(!part_named(claim, 'a')->judged[0].holds && part_named(claim, 'a')->judged[1].holds,
           "only n_it = 2 fails");

    const char *two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200)),
                                 MODEL(.n = 300000, .nest = 2, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-2", two), "not measured here");
    two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 2, .alpha = 1200)),
                     MODEL(.n = 300000, .nest = 3, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-2", two), "not measured here"); /* nothing to fit */

    claim = judged("L22-2", row(row(good, "nshape", "z", 300000, 4, 500, 0.01), "nshape_model", "z",
                                300000, 8, 700, 0.02));
    EXPECT(shows(claim, "The best of all that were run: n_it = 4, P1 = 500, 0.01 ms") &&
               shows(claim, "nshape_model chooses by the model: n_it = 8, P1 = 700, 0.02 ms") &&
               shows(claim, "nshape_model over the best time: 2.00 (n = 300000)"),
           "the choice of nshape_model");
}

/* Times whose best n_it is best[i] at n[i]. */
static const char *best_nests(const int best[4], int most_nest)
{
    static const double n[4] = {1000, 10000, 100000, 1000000};
    const char *rows = nested(1, 1);
    for (int i = 0; i < 4; i++)
        for (int nest = 1; nest <= most_nest; nest++)
            rows = row(row(rows, "nshape", "z", n[i], nest, 100, 9), "nshape", "z", n[i], nest, 50,
                       1 + fabs((double)(nest - best[i])));
    return rows;
}

/* How the best n_it grows; ln 10^5/ln 10^3 = 5/3. */
static void test_l22_2_limit(void)
{
    const struct claim *claim = judged("L22-2", best_nests((int[4]){3, 4, 5, 1}, 8));
    EXPECT_OUTCOME(claim, "reproduced: ab");
    EXPECT(about(part_named(claim, 'b')->judged[0].value, 1, 1e-6), "exponent %g",
           part_named(claim, 'b')->judged[0].value);
    EXPECT(shows(claim, "5 (n = 100000), 1 (n = 1000000)"), "beyond the cache: shown, not judged");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){3, 4, 6, 9}, 8)), "reproduced: ab");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){3, 5, 7, 9}, 8)), "in part: a-");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){6, 7, 8, 9}, 8)), "reproduced: ab");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){7, 7, 8, 9}, 8)), "in part: a-");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){4, 4, 4, 4}, 8)), "in part: a-");
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){3, 4, 5, 1}, 7)), "reproduced: a?");
}

static const char *times_3(double one, double two, double three)
{
    const char *rows = row("", "nshape", "z", 300000, 1, 100, one);
    return row(row(rows, "nshape", "z", 300000, 2, 100, two), "nshape", "z", 300000, 3, 100, three);
}

static void test_l22_3(void)
{
    EXPECT_OUTCOME(judged("L22-3", times_3(3, 2.9, 2.8)), "reproduced: a");
    EXPECT_OUTCOME(judged("L22-3", times_3(3, 3, 1)), "not reproduced: -"); /* equal: not faster */
    EXPECT_OUTCOME(judged("L22-3", times_3(3, 2, 2.5)), "not reproduced: -");
    const struct claim *claim = judged("L22-3", times_3(2, 3, 1));
    EXPECT(!part_named(claim, 'a')->judged[0].holds && part_named(claim, 'a')->judged[1].holds,
           "only n_it = 2 fails");
    /* The best P1 counts, and no other n, type, variant, phase or wrong row, and no CPU. */
    const char *more = row(times_3(3, 2, 5), "nshape", "z", 300000, 3, 200, 1);
    more = row(more, "nshape", "z", 30000, 2, 100, 0.5);
    more = row(more, "nshape", "c", 300000, 2, 100, 0.5);
    more = row(more, "nshape_atomic", "z", 300000, 2, 100, 0.5);
    more = joined(more, "", "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,0.5,1,wrong\n");
    more = joined(more, "", "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,0.5,1,disturbed\n");
    more = joined(more, "", "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,,1,ok\n");
    more = joined(more, "", "nshape,nshape,z,300000,,,32,9,,2,,,RS,GPU,0.5,1,ok\n");
    more = joined(more, "", "nshape,nshape,z,300000,,,,9,8,2,,,total,CPU,0.5,1,ok\n");
    more = joined(more, "", "nshape,thomas_cpu,z,300000,,,,,1,,,,total,CPU,14,1,ok\n");
    more = joined(more, "", "nshape,nshape_cpu,z,300000,,,,9,8,2,,,total,CPU,4,1,ok\n");
    claim = judged("L22-3", more);
    EXPECT_OUTCOME(claim, "reproduced: a");
    EXPECT(part_named(claim, 'a')->judged[1].value == 0.5, "the best P1");
    EXPECT(shows(claim, "thomas_cpu on one thread 14 ms") &&
               shows(claim, "nshape_cpu on its best number of cores 4 ms"),
           "CPU code");
    EXPECT(!shows(claim, "Single complex") && !shows(claim, "atomic"), "one n_it of three");

    more = joined(row(times_3(3, 2, 1), "nshape", "c", 300000, 1, 100, 2), "",
                  "nshape,copy,s,1000,,,,,,,,,total,GPU,0.00001,8000,ok\n"
                  "nshape,copy,s,1000000,,,,,,,,,total,GPU,0.01,8000000,ok\n");
    more = row(row(more, "nshape", "c", 300000, 2, 100, 1.5), "nshape", "c", 300000, 3, 100, 0.5);
    claim = judged("L22-3", more);
    EXPECT(shows(claim, "Single complex, n_it = 1, 2, 3: 2, 1.5, 0.5 ms"), "single complex");
    EXPECT(shows(claim, "n_it = 1: its least bytes at 100 GB/s, 12% of"), "the largest copy");

    const char *two =
        row(row("", "nshape", "z", 300000, 1, 100, 3), "nshape", "z", 300000, 2, 100, 2);
    EXPECT_OUTCOME(judged("L22-3", two), "not measured here");
    claim = judged("L22-3",
                   joined(two, "", "nshape,nshape,z,300000,,,32,9,,3,,,total,GPU,1,1,disturbed\n"));
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "only with disturbed times");
}

/* Appends three times of which the middle one is the shortest, n^e. */
static const char *inside(const char *rows, double n, int nest, double e)
{
    for (int i = 0; i < 3; i++)
        rows = row(rows, "nshape", "z", n, nest, pow(10, i + 1), pow(n, e) * (i == 1 ? 1 : 2));
    return rows;
}

/* Times that grow as n^e, for n_it = 1, 2, 3 and Thomas on the GPU, at n from `from` to `to`. */
static const char *growing(const char *rows, double e1, double e2, double e3, double thomas,
                           double from, double to)
{
    for (double n = from; n <= 1.01 * to; n *= sqrt(30)) {
        double exponent[] = {e1, e2, e3}, whole = floor(n + 0.5);
        for (int nest = 1; nest <= 3; nest++)
            rows = inside(rows, whole, nest, exponent[nest - 1]);
        rows = row(rows, "thomas_gpu", "z", whole, 0, 0, pow(whole, thomas));
    }
    return rows;
}
static const char *cached(double e1, double e2, double e3, double thomas)
{
    return growing("", e1, e2, e3, thomas, 10000, 300000);
}

static void test_l22_4(void)
{
    const double half = 1. / 2, third = 1. / 3, fourth = 1. / 4;
    const char *good = cached(half, third, fourth, 1);
    const struct claim *claim = judged("L22-4", good);
    EXPECT_OUTCOME(claim, "reproduced: abcd?");
    EXPECT(about(part_named(claim, 'b')->judged[0].value, third, 1e-6), "exponent %g",
           part_named(claim, 'b')->judged[0].value);
    EXPECT(strcmp(part_named(claim, 'a')->judged[0].label, "n_it = 1, n from 10000 to 300000") == 0,
           "%s", part_named(claim, 'a')->judged[0].label);
    EXPECT(shows(claim, "n = 300000, n_it = 1: its least bytes"), "traffic at the largest n");
    for (int sign = -1; sign <= 1; sign += 2) {
        double near = sign * 0.095;
        EXPECT_OUTCOME(judged("L22-4", cached(half + near, third + near, fourth + near, 1 + near)),
                       "reproduced: abcd?");
        double off = sign * 0.11;
        EXPECT_OUTCOME(judged("L22-4", cached(half + off, third, fourth, 1)), "in part: -bcd?");
        EXPECT_OUTCOME(judged("L22-4", cached(half, third + off, fourth, 1)), "in part: a-cd?");
        EXPECT_OUTCOME(judged("L22-4", cached(half, third, fourth + off, 1)), "in part: ab-d?");
        EXPECT_OUTCOME(judged("L22-4", cached(half, third, fourth, 1 + off)), "in part: abc-?");
        /* beyond the cache */
        for (int nest = 0; nest <= 3; nest++) {
            const char *more =
                growing(good, half + (nest == 1 ? off : near), third + (nest == 2 ? off : near),
                        fourth + (nest == 3 ? off : near), 9, 1e6, 3e7);
            EXPECT_OUTCOME(judged("L22-4", more),
                           nest == 0 ? "reproduced: abcde" : "in part: abcd-");
        }
    }
    EXPECT_OUTCOME(judged("L22-4", growing(cached(1, 1, 1, 2), 1, 1, 1, 1, 1e6, 3e7)),
                   "not reproduced: -----");
    /* Two n are too few; so are three that span a factor of less than 30, or 10 beyond the cache.
     * A time between the two ranges does not count. */
    EXPECT_OUTCOME(judged("L22-4", growing("", half, third, fourth, 1, 50000, 300000)),
                   "not measured here");
    const char *more = growing(good, half, third, fourth, 1, 1e6, 6e6);
    EXPECT_OUTCOME(judged("L22-4", more), "reproduced: abcd?");
    for (int nest = 1; nest <= 3; nest++)
        more = inside(more, 9e6, nest, 2);
    EXPECT_OUTCOME(judged("L22-4", more), "reproduced: abcd?"); /* three n, a factor of 9 */
    for (int nest = 1; nest <= 3; nest++)
        more = inside(inside(inside(more, 1e7, nest, 2), 1000, nest, 2), 500000, nest, 2);
    EXPECT_OUTCOME(judged("L22-4", more), "in part: abcd-");
    /* If the best P1 is at an end, a better one may lie beyond, so the time does not count. */
    more = row(good, "nshape", "z", 300000, 2, 5, 0.1);
    EXPECT_OUTCOME(judged("L22-4", more), "not measured here");
    more = growing(good, half, third, fourth, 1, 1e6, 3e7);
    more = row(more, "nshape", "z", 3e7, 3, 5, 0.1);
    EXPECT_OUTCOME(judged("L22-4", more), "reproduced: abcd?");

    /* Without thomas_gpu, Thomas on one thread of the CPU is judged, not on more. */
    const char *cpu = "";
    const double n[] = {10000, 54772, 300000};
    for (int i = 0; i < 3; i++) {
        for (int nest = 1; nest <= 3; nest++)
            cpu = inside(cpu, n[i], nest, 1. / (nest + 1));
        cpu = joined(cpu, "", "nshape,thomas_cpu,z,%.0f,,,,,8,,,,total,CPU,1,1,ok\n", n[i]);
    }
    EXPECT_OUTCOME(judged("L22-4", cpu), "not measured here");
    for (int i = 0; i < 3; i++)
        cpu = joined(cpu, "", "nshape,thomas_cpu,z,%.0f,,,,,1,,,,total,CPU,%g,1,ok\n", n[i], n[i]);
    claim = judged("L22-4", cpu);
    EXPECT_OUTCOME(claim, "reproduced: abcd?");
    EXPECT(strstr(part_named(claim, 'd')->judged[0].label, "thomas_cpu") != NULL, "%s",
           part_named(claim, 'd')->judged[0].label);
    EXPECT(strcmp(claim->device, "GPU") == 0, "device '%s'", claim->device);
}

/* The times and the profiler's table. l1: sectors of 1000 that hit L1; times of the complex type
 * for n_it = 1, 2 and 3, those of real and imaginary parts are 10. */
static struct run run_5(int l1, double one, double two, double three)
{
    const double ms[] = {one, two, three};
    const char *rows = "";
    for (int nest = 1; nest <= 3; nest++) {
        rows = row(rows, "nshape", "z", 300000, nest, 1000, 10);
        rows = row(rows, "nshape_complex_type", "z", 300000, nest, 1000, ms[nest - 1]);
    }
    struct run run = {.directory = ""};
    bool added = run_add(&run, "nshape.csv", text(COLUMNS "%s", rows));
    added =
        run_add(&run, "ncu_lutsyshyn2022.csv",
                text("variant,n,parts,nest,threads,load_sectors,load_sectors_l1,l2_read_sectors,"
                     "l2_read_sectors_l2,l2_write_sectors,l2_write_sectors_l2,dram_read_bytes,"
                     "instructions\n"
                     "nshape,300000,1000,1,32,600,%d,100,50,100,60,3200,10\n"
                     "nshape,300000,1000,1,32,400,0,100,50,100,60,3200,10\n"
                     "nshape,300000,100,1,32,400,400,100,50,100,60,3200,10\n"
                     "nshape,300000,1000,2,32,400,400,100,50,100,60,3200,10\n"
                     "nshape,3000,1000,1,32,400,400,100,50,100,60,3200,10\n"
                     "nshape_complex_type,300000,1000,1,32,400,400,1,1,1,1,1,50\n",
                     l1)) &&
        added;
    EXPECT(added, "run");
    return run;
}

static void test_l22_5(void)
{
    struct run run = run_5(680, 11, 12, 13);
    const struct claim *claim = judged_by("L22-5", &run);
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT(part_named(claim, 'a')->judged[0].value == 0.68, "share %g",
           part_named(claim, 'a')->judged[0].value);
    EXPECT(part_named(claim, 'b')->count == 3 &&
               about(part_named(claim, 'b')->judged[2].value, 1.3, 1e-12),
           "n_it = 3: %g", part_named(claim, 'b')->judged[2].value);
    EXPECT(shows(claim, "P1 = 1000: of the loads 68% hit L1, 12% L2, 20% come from memory") &&
               shows(claim, "double complex, n_it = 2, P1 = 1000: of the loads 100% hit L1") &&
               shows(claim, "2.50 times the instructions") && claim->shown_count == 4,
           "the other shares");
    run = run_5(660, 11, 12, 13);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: -bcd");
    run = run_5(860, 10.5, 10.5, 10.5);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "reproduced: abcd");
    run = run_5(880, 11, 12, 13);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: -bcd");
    for (int nest = 1; nest <= 3; nest++) {
        run = run_5(680, nest == 1 ? 9 : 11, nest == 2 ? 9 : 11, nest == 3 ? 9 : 11);
        EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: a-cd");
    }
    run = run_5(680, 10, 12, 13); /* equal: not slower */
    EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: a-cd");
    run = run_5(500, 9, 9, 9);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: --cd");

    /* Only the T of the complex type is compared. */
    run = run_5(680, 11, 12, 13);
    EXPECT(run_add(&run, "more.csv",
                   COLUMNS "nshape,nshape,z,300000,,,64,1000,,1,,,total,GPU,2,1,ok\n"
                           "nshape,nshape,c,300000,,,32,1000,,1,,,total,GPU,5,1,ok\n"),
           "rows");
    claim = judged_by("L22-5", &run);
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT(part_named(claim, 'b')->judged[0].value == 1.1, "same T: %g",
           part_named(claim, 'b')->judged[0].value);
}

static void test_l22_5_not_measured(void)
{
    struct run run = {.directory = ""};
    EXPECT(run_add(&run, "nshape.csv",
                   text(COLUMNS "%s",
                        row(times_3(3, 2, 1), "nshape_complex_type", "z", 300000, 1, 1000, 9))),
           "rows");
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* no table */
    EXPECT(run_add(&run, "ncu_lutsyshyn2022.csv",
                   "variant,n,parts,nest,load_sectors\n"
                   "nshape,300000,1000,1,9\n"),
           "table");
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* n_it = 1 alone */
    const char *complex_type = row("", "nshape_complex_type", "z", 300000, 1, 1000, 9);
    run = run_5(680, 11, 12, 13);
    run.rows = 0;
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* no times */
    EXPECT(run_add(&run, "more.csv", text(COLUMNS "%s", complex_type)), "rows");
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* of the complex type alone */
    run = run_5(680, 11, 12, 13);
    run.tables = 1;
    EXPECT(run_add(&run, "ncu_lutsyshyn2022.csv",
                   "variant,n,parts,nest,load_sectors\n"
                   "nshape,3000,1000,1,9\n"),
           "table");
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* another n profiled */
    run = run_5(500, 11, 12, 13);
    run.tables = 1;
    EXPECT(run_add(&run, "ncu_lutsyshyn2022.csv",
                   "variant,type,n,parts,nest,load_sectors,load_sectors_l1,l2_write_sectors,"
                   "l2_write_sectors_l2,dram_read_bytes\n"
                   "nshape,z,300000,1000,1,100,50,100,100,960\n"
                   "nshape,c,300000,1000,1,100,76,100,100,480\n"
                   "nshape,c,300000,3000,1,100,70,100,60,480\n"),
           "table");
    const struct claim *claim = judged_by("L22-5", &run);
    EXPECT_OUTCOME(claim, "in part: abc-"); /* the nearest profile, in each part */
    EXPECT(strcmp(part_named(claim, 'a')->judged[0].label, "single complex, n_it = 1, P1 = 1000") ==
               0,
           "%s", part_named(claim, 'a')->judged[0].label);
}

static const struct claim *divisions(const char *rows)
{
    struct run run = {.directory = ""};
    EXPECT(run_add(&run, "nshape_divisions.csv",
                   text("n,parts,nest,parallel,serial,thomas\n%s", rows)),
           "divisions");
    return judged_by("L22-6", &run);
}

static void test_l22_6(void)
{
    EXPECT_OUTCOME(divisions("1000,100,1,2703,303,1999\n2000,100,1,5697,297,3999\n"),
                   "reproduced: abc");
    EXPECT_OUTCOME(divisions("1000,100,1,2704,300,1999\n2000,100,1,5700,300,3999\n"),
                   "in part: -bc");
    EXPECT_OUTCOME(divisions("1000,100,1,2696,300,1999\n"), "in part: -bc");
    EXPECT_OUTCOME(divisions("1000,100,1,2700,304,1999\n"), "in part: a-c");
    EXPECT_OUTCOME(divisions("1000,100,1,2700,300,1999\n2000,100,1,5700,201,3999\n"),
                   "in part: a-c");
    EXPECT_OUTCOME(divisions("1000,100,1,1,1,1996\n"), "not reproduced: ---");
    EXPECT_OUTCOME(divisions("1000,100,1,2700,,1999\n2000,100,1,5700,300,3999\n"), "in part: a-c");
    EXPECT_OUTCOME(divisions("1000,100,1,2700,300,2003\n"), "reproduced: abc");
    EXPECT_OUTCOME(divisions("1000,100,1,2700,300,2004\n"), "in part: ab-");
    EXPECT_OUTCOME(divisions(""), "not measured here");
    const struct run empty = {.directory = ""};
    EXPECT_OUTCOME(judged_by("L22-6", &empty), "not measured here");
    const struct claim *claim = divisions("1000,100,1,2697,201,1999\n2000,100,1,5697,201,3998\n");
    EXPECT(shows(claim, "In parallel: exactly 3(n") && shows(claim, "Serially: exactly 2 nbl") &&
               shows(claim, "Thomas alone: not 2n"),
           "exact counts");
    EXPECT(shows(claim, "n from 1000 to 2000"), "sizes");
    EXPECT(strcmp(claim->device, "counted") == 0, "device '%s'", claim->device);
    EXPECT(shows(divisions("1000,100,1,2697,201,1999\n"), "Thomas alone: exactly 2n"), "2n - 1");
}

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

/* The waits of all variants over two ranks at two n, in ms at the larger one. */
struct waits {
    double early, inverse, kept, flight, elements;
};
static const char *waits_at(struct waits w, double n, const char *device, int ranks)
{
    const char *rows = wait_row("", "step", n, 1, ranks, device, 10, w.elements, "ok");
    rows = wait_row(rows, "step_early", n, 1, ranks, device, w.early, w.elements, "ok");
    rows = wait_row(rows, "step_inverse", n, 1, ranks, device, w.inverse, w.elements, "ok");
    rows = wait_row(rows, "step_kept", n, 1, ranks, device, w.kept, 4, "ok");
    rows = wait_row(rows, "step_ahead", n, 1, ranks, device, 20, w.elements, "ok");
    return wait_row(rows, "step_flight", n, 4, ranks, device, 4 * w.flight, w.elements, "ok");
}
static const char *waits(struct waits w, const char *device)
{
    const struct waits small = {1, 20, 1, 20, w.elements};
    return text("%s%s", waits_at(small, 1000, device, 2), waits_at(w, 5000, device, 2));
}

static const struct waits good = {9.5, 9.6, 9.7, 9.8, 8};
static const char two[] = "2 x CPU (16 cores)", mixed[] = "1 x GPU + 1 x CPU (16 cores)";

static void test_l22_7(void)
{
    const struct claim *claim = judged_7(waits(good, mixed));
    EXPECT_OUTCOME(claim, "reproduced: abcdefg");
    EXPECT(about(part_named(claim, 'g')->judged[0].value, 0.98, 1e-12),
           "for each wave function: %g", part_named(claim, 'g')->judged[0].value);
    EXPECT(strcmp(claim->device, mixed) == 0, "device '%s'", claim->device);
    EXPECT(shows(claim, "n = 5000: 2e+04 µs (1.998e+04 to 2.002e+04), plain 1e+04 µs") &&
               shows(claim, "factors kept, 4 elements"),
           "shown");
    /* without a GPU nothing can be mixed; with GPUs alone nothing was */
    EXPECT_OUTCOME(judged_7(waits(good, two)), "reproduced: ab?defg");
    EXPECT_OUTCOME(judged_7(waits(good, "2 x GPU")), "in part: ab-defg");

    EXPECT_OUTCOME(judged_7(waits((struct waits){11, 8, 7, 6, 8}, two)), "in part: ab?-efg");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 11, 7, 6, 8}, two)), "in part: ab?d-fg");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 11, 6, 8}, two)), "in part: ab?de-g");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 7, 11, 8}, two)), "in part: ab?def-");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 7, 6, 8.5}, two)), "in part: a-?defg");
    EXPECT_OUTCOME(judged_7(waits((struct waits){9, 8, 7, 6, 7.5}, two)), "in part: a-?defg");
    EXPECT_OUTCOME(judged_7(waits_at(good, 5000, two, 2)), "in part: a-?defg"); /* one n */
    const char *nine = wait_row(waits(good, two), "solve", 1000, 1, 2, two, 1, 9, "ok");
    EXPECT_OUTCOME(judged_7(nine), "in part: a-?defg");
}

/* Two waits whose quartiles overlap decide nothing. The plain wait's are 9.99 and 10.01. */
static void test_l22_7_spread(void)
{
    static const struct {
        double ms, spread;
        const char *outcome;
    } early[] = {{9.5, 0.05, "reproduced: ab?defg"}, /* to 9.975 */
                 {9.5, 0.06, "reproduced: ab??efg"}, /* to 10.07 */
                 {10, 0.001, "reproduced: ab??efg"},
                 {10.5, 0.05, "reproduced: ab??efg"}, /* from 9.975 */
                 {10.5, 0.04, "in part: ab?-efg"},    /* from 10.08 */
                 {9.5, NAN, "reproduced: ab??efg"}};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        const char *rows = waits((struct waits){NAN, 9.6, 9.7, 9.8, 8}, two);
        rows =
            spread_row(rows, "step_early", 5000, 1, 2, two, early[i].ms, early[i].spread, 8, "ok");
        const struct claim *claim = judged_7(rows);
        EXPECT_OUTCOME(claim, early[i].outcome);
        EXPECT((part_named(claim, 'd')->count == 0) ==
                   shows(claim, "JD sent early, 2 x CPU (16 cor"),
               "undecided waits are shown");
    }
}

/* Over a slow network the ranks may share cores, and other sets are not judged. */
static void test_l22_7_slow(void)
{
    const struct waits bad = {9, 11, 7, 6, 8};
    struct run run = {.directory = ""};
    add_7(&run, "nshape_mpi_2.csv", waits(bad, two));
    add_7(&run, "nshape_mpi_slow_2.csv", waits(good, "2 x CPU (1 core)"));
    EXPECT_OUTCOME(judged_by("L22-7", &run), "reproduced: ab?defg");
    run = (struct run){.directory = ""};
    add_7(&run, "nshape_mpi_2.csv", waits(good, two));
    add_7(&run, "nshape_mpi_slow_2.csv", waits(bad, "2 x CPU (1 core)"));
    const struct claim *claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "in part: ab?d-fg");
    EXPECT(strstr(part_named(claim, 'e')->judged[0].label, "slow network, n = 5000") != NULL, "%s",
           part_named(claim, 'e')->judged[0].label);
    add_7(&run, "nshape_mpi_slow_4.csv", waits_at(good, 9000, "4 x CPU (1 core)", 4));
    claim = judged_by("L22-7", &run);
    EXPECT_OUTCOME(claim, "in part: ab?d-fg"); /* each set at its own largest n */
    EXPECT(part_named(claim, 'd')->count == 2, "two sets");
}

/* A wrong row of any phase fails; a disturbed one does not, and its wait does not count. */
static void test_l22_7_rows(void)
{
    const char *more = joined(waits(good, two), "",
                              "nshape_mpi,step,z,1000,1,,,2,1,,2,,total,%s,1,1,1,1,wrong\n", two);
    EXPECT_OUTCOME(judged_7(more), "in part: -b?defg");
    more = wait_row(waits(good, two), "step_early", 9000, 1, 2, two, 99, 8, "disturbed");
    EXPECT_OUTCOME(judged_7(more), "reproduced: ab?defg");
    more = joined(waits(good, two), "",
                  "nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU,9,9,9,1,wrong\n"
                  "nshape_mpi,step,z,9000,1,,,1,1,,1,,wait,CPU (9 cores),9,9,9,1,ok\n");
    EXPECT(part_named(judged_7(more), 'a')->judged[0].holds, "one rank");
    more = joined(waits(good, two), "", "nshape_mpi,step,z,5000,1,,,2,1,,2,,wait,%s,,,,,ok\n", two);
    EXPECT_OUTCOME(judged_7(more), "reproduced: ab?defg"); /* no time, no bytes */
    more = joined(waits(good, two), "",
                  "nshape_mpi,step,z,1000,1,,,2,1,,2,,total,%s,1,1,1,1,wrong\n", mixed);
    EXPECT_OUTCOME(judged_7(more), "in part: -b-defg"); /* mixed, but wrong */
}

/* Every set of devices must hold; ranks that share cores are left out; GPUs name no cores. */
static void test_l22_7_sets(void)
{
    const struct waits bad = {9, 11, 7, 6, 8};
    const char *more = text("%s%s", waits(good, two), waits_at(bad, 5000, mixed, 2));
    const struct claim *claim = judged_7(more);
    EXPECT_OUTCOME(claim, "in part: abcd-fg");
    EXPECT(part_named(claim, 'e')->judged[0].holds && !part_named(claim, 'e')->judged[1].holds,
           "one of two sets");
    EXPECT(strcmp(claim->device, "2 x CPU (16 cores); 1 x GPU + 1 x CPU (16 cores)") == 0,
           "device '%s'", claim->device);
    more = text("%s%s", waits(good, two), waits_at(bad, 5000, "4 x CPU (3 cores)", 4));
    EXPECT_OUTCOME(judged_7(more), "reproduced: ab?defg");
    more = text("%s%s", waits(good, two), waits_at(bad, 5000, "4 x CPU (4 cores)", 4));
    EXPECT_OUTCOME(judged_7(more), "in part: ab?d-fg");
    EXPECT_OUTCOME(judged_7(waits(good, "2 x CPU (1 core)")), "not measured here");
    more = waits(good, two);
    for (int ranks = 3; ranks < 40; ranks++)
        more =
            joined(more, "", "%s", waits_at(good, 5000, text("%d x CPU (40 cores)", ranks), ranks));
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "reproduced: ab?defg");
    EXPECT(part_named(claim, 'g')->count == 38 && claim->shown_count == 39, "many sets");
    const char *long_name = text("%03000d", 7);
    EXPECT(shows(judged_7(waits(good, long_name)), "plain 1e+04 µs"), "a long name");

    /* A set without a plain step is left out. A part that no set measures makes the claim
     * unmeasured. */
    more = wait_row(waits(good, two), "step_early", 5000, 1, 2, "2 x CPU (3 cores)", 9, 8, "ok");
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "reproduced: ab?defg");
    EXPECT(part_named(claim, 'd')->count == 1, "one set");
    const struct waits no_flight = {9, 8, 7, NAN, 8};
    EXPECT_OUTCOME(judged_7(waits(no_flight, two)), "not measured here");

    EXPECT_OUTCOME(judged("L22-7", ""), "not measured here");
    more = wait_row(waits(no_flight, two), "step_flight", 5000, 1, 2, two, 9, 8, "disturbed");
    claim = judged_7(more);
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "only with disturbed times");
}

void test_claims_l22(void)
{
    test_l22_1();
    test_l22_1_growth();
    test_l22_1_without_optimum();
    test_l22_2();
    test_l22_2_limit();
    test_l22_3();
    test_l22_4();
    test_l22_5();
    test_l22_5_not_measured();
    test_l22_6();
    test_l22_7();
    test_l22_7_spread();
    test_l22_7_slow();
    test_l22_7_rows();
    test_l22_7_sets();
}
