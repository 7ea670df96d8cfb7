/* Tests of the claims L22-1 to L22-6: small made-up CSV files that flip each verdict. */
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
    EXPECT_OUTCOME(claim, "reproduced: ab?d");
    EXPECT(clause_named(claim, 'a')->judged[0].value < 1e-3, "misfit %g",
           clause_named(claim, 'a')->judged[0].value);
    EXPECT_NUMBER(claim, 'b', 0, 1, 0.05);
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_SHOWS(claim, "Constant = 20 µs");
    EXPECT_LABEL(claim, 'd', 0, "alpha = 1200 ns, beta = 300 ns");
    EXPECT_NUMBER(claim, 'd', 0, 4, 1e-3);

    EXPECT_OUTCOME(judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .scatter = 2.05)),
                   "reproduced: ab?d");
    EXPECT_OUTCOME(judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .scatter = 2.2)),
                   "in part: -b?d");
    /* Where the shortest time is; the prediction is near 1095. */
    static const struct {
        double at;
        const char *outcome;
    } dents[] = {{493, "in part: a-?d"},
                 {542, "reproduced: ab?d"},
                 {2049, "reproduced: ab?d"},
                 {2253, "in part: a-?d"}};
    for (size_t i = 0; i < sizeof dents / sizeof *dents; i++) {
        claim = judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .dent = dents[i].at));
        EXPECT_OUTCOME(claim, dents[i].outcome);
        double ratio = clause_named(claim, 'b')->judged[0].value;
        EXPECT((ratio > 1) == (dents[i].at < 1095), "predicted over measured %g", ratio);
    }
    claim = judged_1(MODEL(.n = 300000, .nest = 1, .alpha = 1200, .largest = 900));
    EXPECT_OUTCOME(claim, "in part: a-?d");
    EXPECT_LABEL(claim, 'b', 0, "at an end");

    /* The fit would make the constant negative. */
    const char *rows = "";
    for (double P = 100; P < 30000; P *= 1.5)
        rows = row(rows, "nshape", "z", 300000, 1, P, (1200 * 300000 / P + 300 * P - 50000) / 1e6);
    claim = judged("L22-1", rows);
    EXPECT_OUTCOME(claim, "reproduced: ab?d");
    EXPECT_SHOWS(claim, "Constant = 0 µs (without this bound");

    EXPECT_OUTCOME(judged("L22-1", ""), "not measured here");
    EXPECT_OUTCOME(judged("L22-1", row(row("", "nshape", "z", 300000, 1, 100, 1), "nshape", "z",
                                       300000, 1, 1000, 1)),
                   "not measured here"); /* too few points */
    EXPECT_OUTCOME(judged_1(MODEL(.n = 30000, .nest = 1, .alpha = 1200)), "not measured here");
}

/* alpha over beta, which is 300 ns. */
static void test_l22_1_ratio(void)
{
    static const struct {
        double alpha;
        const char *outcome;
    } ratios[] = {{29, "in part: ab?-"},
                  {31, "reproduced: ab?d"},
                  {2970, "reproduced: ab?d"},
                  {3030, "in part: ab?-"}};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        EXPECT_OUTCOME(judged_1(MODEL(.n = 300000, .nest = 1, .alpha = ratios[i].alpha)),
                       ratios[i].outcome);
}

/* How the optimum grows with n. */
static void test_l22_1_growth(void)
{
    const struct claim *claim = judged("L22-1", three_n(0));
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT_NUMBER(claim, 'c', 0, 0.5, 0.02);
    EXPECT_SHOWS(claim, "in 2 of 2 cases");
    EXPECT_LABEL(claim, 'c', 0, "n_it = 1, n from 30000 to 3000000");
    EXPECT_OUTCOME(judged("L22-1", three_n(0.26)), "reproduced: abcd");
    EXPECT_OUTCOME(judged("L22-1", three_n(0.34)), "in part: ab-d");
    EXPECT_OUTCOME(judged("L22-1", three_n(-0.26)), "reproduced: abcd");
    EXPECT_OUTCOME(judged("L22-1", three_n(-0.34)), "in part: ab-d");
    /* Two n are too few, also with a third whose best P1 is at an end. */
    const char *two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200)),
                                 MODEL(.n = 10000000, .nest = 1, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-1", two), "reproduced: ab?d");
    claim = judged("L22-1",
                   model_rows(two, MODEL(.n = 3000000, .nest = 1, .alpha = 1200, .largest = 1000)));
    EXPECT_OUTCOME(claim, "reproduced: ab?d");
    EXPECT_SHOWS(claim, "in 1 of 1 cases");
}

/* The times fall with P1 over the whole range, so the fitted beta is negative. */
static void test_l22_1_without_optimum(void)
{
    const char *rows = "";
    for (double P = 100; P < 30000; P *= 2)
        rows = row(rows, "nshape", "z", 300000, 1, P, 100 / P + 1 - P / 40000);
    const struct claim *claim = judged("L22-1", rows);
    EXPECT(!clause_holds(clause_named(claim, 'b')) &&
               strstr(clause_named(claim, 'b')->judged[0].label, "negative") != NULL,
           "%s", clause_named(claim, 'b')->judged[0].label);
    EXPECT(isnan(clause_named(claim, 'd')->judged[0].value), "alpha/beta");
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
    EXPECT(clause_named(claim, 'a')->count == 2, "%zu n_it", clause_named(claim, 'a')->count);
    EXPECT_SHOWS(claim, "n_it = 2: misfit over all P1 0%");
    EXPECT_SHOWS(claim, "n_it = 3: misfit over all P1 0%");
    double at[] = {clause_named(claim, 'a')->judged[0].value,
                   clause_named(claim, 'a')->judged[1].value};
    EXPECT(about(at[0], 1.12, 0.05) && about(at[1], 1.1, 0.05), "%g and %g", at[0], at[1]);
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 0.52, at[1] / 0.52)), "reproduced: a?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 1.92, at[1] / 1.92)), "reproduced: a?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 0.48, 1)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(at[0] / 2.08, 1)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(1, at[1] / 0.48)), "not reproduced: -?");
    EXPECT_OUTCOME(judged("L22-2", nested(1, at[1] / 2.08)), "not reproduced: -?");
    claim = judged("L22-2", nested(4, 1));
    EXPECT(!clause_named(claim, 'a')->judged[0].holds && clause_named(claim, 'a')->judged[1].holds,
           "only n_it = 2 fails");

    const char *two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 1, .alpha = 1200)),
                                 MODEL(.n = 300000, .nest = 2, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-2", two), "not measured here");
    two = model_rows(model_rows("", MODEL(.n = 300000, .nest = 2, .alpha = 1200)),
                     MODEL(.n = 300000, .nest = 3, .alpha = 1200));
    EXPECT_OUTCOME(judged("L22-2", two), "not measured here"); /* nothing to fit */

    claim = judged("L22-2", row(row(good, "nshape", "z", 300000, 4, 500, 0.01), "nshape_model", "z",
                                300000, 8, 700, 0.02));
    EXPECT_SHOWS(claim, "The best of all that were run: n_it = 4, P1 = 500, 0.01 ms");
    EXPECT_SHOWS(claim, "nshape_model chooses by the model: n_it = 8, P1 = 700, 0.02 ms");
    EXPECT_SHOWS(claim, "nshape_model over the best time: 2.00 (n = 300000)");
}

/* Times whose best n_it is best[i] at n[i]. The one above it takes `next` times as long. */
static const char *best_nests(const int best[4], double next, int most_nest)
{
    static const double n[4] = {1000, 10000, 100000, 1000000};
    const char *rows = nested(1, 1);
    for (int i = 0; i < 4; i++)
        for (int nest = 1; nest <= most_nest; nest++)
            rows = row(row(rows, "nshape", "z", n[i], nest, 100, 9), "nshape", "z", n[i], nest, 50,
                       nest == best[i] + 1 ? next : 1 + fabs((double)(nest - best[i])));
    return rows;
}

/* How the best n_it grows; ln 10^5/ln 10^3 = 5/3. */
static void test_l22_2_limit(void)
{
    const struct claim *claim = judged("L22-2", best_nests((int[4]){3, 4, 5, 1}, 2, 8));
    EXPECT_OUTCOME(claim, "reproduced: ab");
    for (int i = 0; i < 2; i++)
        EXPECT_NUMBER(claim, 'b', i, 1, 1e-6);
    EXPECT_SHOWS(claim, "5 (n = 100000), 1 (n = 1000000)");
    EXPECT_SHOWS(claim, "n = 1000: each application beyond the fastest n_it takes 1e+03 µs longer");
    static const struct {
        int best[4];
        const char *outcome;
    } cases[] = {{{3, 4, 6, 9}, "reproduced: ab"},
                 {{3, 5, 7, 9}, "in part: a-"},
                 {{6, 7, 8, 9}, "reproduced: ab"},
                 {{7, 7, 8, 9}, "in part: a-"},
                 {{4, 4, 4, 4}, "in part: a-"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged("L22-2", best_nests(cases[i].best, 2, 8)), cases[i].outcome);
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){3, 4, 5, 1}, 2, 7)), "reproduced: a?");
}

/* An n_it at most 2% slower than the fastest counts as the best, too. */
static void test_l22_2_equal(void)
{
    EXPECT_OUTCOME(judged("L22-2", best_nests((int[4]){3, 4, 6, 1}, 1.03, 8)), "reproduced: ab");
    const struct claim *claim = judged("L22-2", best_nests((int[4]){3, 4, 6, 1}, 1.01, 8));
    EXPECT_OUTCOME(claim, "in part: a-"); /* 4, 4, 6 at the least and 3, 5, 7 at the most */
    const struct clause *part = clause_named(claim, 'b');
    EXPECT(has(part->judged[1].label, "undecided"), "values on both sides of a bound");
    double x = log(5. / 3), least = log(6. / 4) / x, largest = log(7. / 3) / x;
    EXPECT(about(part->judged[0].value, least, 0.05) && part->judged[0].holds, "least %g, not %g",
           part->judged[0].value, least);
    EXPECT(about(part->judged[1].value, largest, 0.05) && !part->judged[1].holds,
           "largest %g, not %g", part->judged[1].value, largest);
    EXPECT_SHOWS(claim, "3 to 4 (n = 1000), 4 to 5 (n = 10000), 6 to 7 (n = 100000)");
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
    EXPECT(!clause_named(claim, 'a')->judged[0].holds && clause_named(claim, 'a')->judged[1].holds,
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
    EXPECT_NUMBER(claim, 'a', 1, 0.5, 0);
    EXPECT_SHOWS(claim, "thomas_cpu on one thread 14 ms");
    EXPECT_SHOWS(claim, "nshape_cpu on its best number of cores 4 ms");
    EXPECT(!shows(claim, "Single complex") && !shows(claim, "atomic"), "one n_it of three");

    more = joined(row(times_3(3, 2, 1), "nshape", "c", 300000, 1, 100, 2), "",
                  "nshape,copy,s,1000,,,,,,,,,total,GPU,0.00001,8000,ok\n"
                  "nshape,copy,s,1000000,,,,,,,,,total,GPU,0.01,8000000,ok\n");
    more = row(row(more, "nshape", "c", 300000, 2, 100, 1.5), "nshape", "c", 300000, 3, 100, 0.5);
    claim = judged("L22-3", more);
    EXPECT_SHOWS(claim, "Single complex, n_it = 1, 2, 3: 2, 1.5, 0.5 ms");
    EXPECT_SHOWS(claim, "n_it = 1: its least bytes at 100 GB/s, 12% of");

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
    EXPECT_NUMBER(claim, 'b', 0, third, 1e-6);
    EXPECT_LABEL(claim, 'a', 0, "n_it = 1, n from 10000 to 300000");
    EXPECT_SHOWS(claim, "n = 300000, n_it = 1: its least bytes");
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
}

/* Which n are fitted. */
static void test_l22_4_sizes(void)
{
    const double half = 1. / 2, third = 1. / 3, fourth = 1. / 4;
    const char *good = cached(half, third, fourth, 1);
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
    const char *end = row(more, "nshape", "z", 3e7, 3, 5, 0.1);
    EXPECT_OUTCOME(judged("L22-4", end), "reproduced: abcd?");
    for (int nest = 1; nest <= 3; nest++)
        more = inside(more, 2e8, nest, 1. / (nest + 1));
    const struct claim *claim = judged("L22-4", row(more, "nshape", "z", 2e8, 1, 5, 0.1));
    EXPECT_OUTCOME(claim, "reproduced: abcde");
    EXPECT_LABEL(claim, 'e', 0, "n_it = 1, n from 1000000 to 30000000:");
    EXPECT_LABEL(claim, 'e', 1, "to 200000000: 0.33");
}

/* Without thomas_gpu, Thomas on one thread of the CPU is judged, not on more. */
static void test_l22_4_cpu(void)
{
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
    const struct claim *claim = judged("L22-4", cpu);
    EXPECT_OUTCOME(claim, "reproduced: abcd?");
    EXPECT_LABEL(claim, 'd', 0, "thomas_cpu");
    EXPECT_DEVICE(claim, "GPU");
}

/* The profiler's shares of 1000 sectors in single and in double complex. */
struct profiled {
    int l1[2], memory[2], stores[2];
};
static const struct profiled good_5 = {{770, 680}, {150, 240}, {600, 510}};

static const char *profile_rows(struct profiled p)
{
    const char *rows = "";
    for (int i = 0; i < 2; i++) {
        const char *type = i == 0 ? "c" : "z";
        rows = joined(rows, "",
                      "nshape,%s,300000,1000,1,600,%d,500,%d,%d,10\n"
                      "nshape,%s,300000,1000,1,400,0,500,0,0,10\n",
                      type, p.l1[i], p.stores[i], 32 * p.memory[i], type);
        rows = joined(rows, "",
                      "nshape,%s,300000,100,1,400,400,100,60,3200,10\n"
                      "nshape,%s,300000,1000,2,400,400,100,60,3200,10\n"
                      "nshape,%s,3000,1000,1,400,400,100,60,3200,10\n"
                      "nshape_complex_type,%s,300000,1000,1,400,400,1,1,1,50\n",
                      type, type, type, type);
    }
    return rows;
}

/* The times and the profiler's table. Times of the complex type for n_it = 1, 2 and 3; those of
 * real and imaginary parts are 10. */
static struct run times_5(double one, double two, double three)
{
    const double ms[] = {one, two, three};
    const char *rows = "";
    for (int nest = 1; nest <= 3; nest++) {
        rows = row(rows, "nshape", "z", 300000, nest, 1000, 10);
        rows = row(rows, "nshape_complex_type", "z", 300000, nest, 1000, ms[nest - 1]);
    }
    return run_of("nshape.csv", rows);
}
static void add_profile(struct run *run, const char *rows)
{
    EXPECT(run_add(run, "ncu_lutsyshyn2022.csv",
                   text("variant,type,n,parts,nest,load_sectors,load_sectors_l1,l2_write_sectors,"
                        "l2_write_sectors_l2,dram_read_bytes,instructions\n%s",
                        rows)),
           "table");
}
static struct run run_5(struct profiled p, double one, double two, double three)
{
    struct run run = times_5(one, two, three);
    add_profile(&run, profile_rows(p));
    return run;
}

static void test_l22_5(void)
{
    struct run run = run_5(good_5, 11, 12, 13);
    const struct claim *claim = judged_by("L22-5", &run);
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    const struct clause *part = clause_named(claim, 'a');
    EXPECT(part->count == 2 && part->judged[0].value == 0.77 && part->judged[1].value == 0.68,
           "both types");
    EXPECT(strcmp(part->judged[1].label, "double complex, n_it = 1, P1 = 1000") == 0, "%s",
           part->judged[1].label);
    EXPECT(clause_named(claim, 'b')->count == 3 &&
               about(clause_named(claim, 'b')->judged[2].value, 1.3, 1e-12),
           "n_it = 3: %g", clause_named(claim, 'b')->judged[2].value);
    EXPECT(shows(claim, "P1 = 1000: of the loads 77% hit L1, 8% L2, 15% come from memory") &&
               shows(claim, "double complex, n_it = 2, P1 = 1000: of the loads 100% hit L1") &&
               shows(claim, "double complex, n_it = 1, P1 = 1000: with the complex type a solve "
                            "takes 2.50 times the instructions") &&
               claim->shown_count == 8,
           "the other shares");
    for (int nest = 1; nest <= 3; nest++) {
        run = run_5(good_5, nest == 1 ? 9 : 11, nest == 2 ? 9 : 11, nest == 3 ? 9 : 11);
        EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: a-cd");
    }
    run = run_5(good_5, 10, 12, 13); /* equal: not slower */
    EXPECT_OUTCOME(judged_by("L22-5", &run), "in part: a-cd");

    /* Only the T of the complex type is compared. */
    run = run_5(good_5, 11, 12, 13);
    EXPECT(run_add(&run, "more.csv",
                   COLUMNS "nshape,nshape,z,300000,,,64,1000,,1,,,total,GPU,2,1,ok\n"
                           "nshape,nshape,c,300000,,,32,1000,,1,,,total,GPU,5,1,ok\n"),
           "rows");
    claim = judged_by("L22-5", &run);
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT_NUMBER(claim, 'b', 0, 1.1, 0);
}

/* Each type must keep each share. */
static void test_l22_5_shares(void)
{
    for (int i = 0; i < 2; i++) {
        const struct {
            int l1, memory, stores;
            const char *outcome;
        } cases[] = {{660, 150, 600, "in part: -bcd"},    {680, 150, 600, "reproduced: abcd"},
                     {860, 100, 600, "reproduced: abcd"}, {880, 100, 600, "in part: -bcd"},
                     {770, 40, 600, "in part: ab-d"},     {770, 60, 600, "reproduced: abcd"},
                     {770, 240, 600, "reproduced: abcd"}, {770, 260, 600, "in part: ab-d"},
                     {770, 150, 490, "in part: abc-"},    {770, 150, 510, "reproduced: abcd"},
                     {770, 150, 690, "reproduced: abcd"}, {770, 150, 710, "in part: abc-"}};
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
            struct profiled p = good_5;
            p.l1[i] = cases[j].l1, p.memory[i] = cases[j].memory, p.stores[i] = cases[j].stores;
            struct run run = run_5(p, 11, 12, 13);
            EXPECT_OUTCOME(judged_by("L22-5", &run), cases[j].outcome);
        }
    }
    struct profiled over = good_5;
    over.stores[0] = 1002;
    struct run run = run_5(over, 11, 12, 13);
    const struct claim *claim = judged_by("L22-5", &run);
    EXPECT_NUMBER(claim, 'd', 0, 1, 0);
    struct profiled none = {{100, 100}, {900, 900}, {0, 0}};
    run = run_5(none, 9, 9, 9);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not reproduced: ----");
}

static void test_l22_5_not_measured(void)
{
    struct run run = times_5(11, 12, 13);
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* no table */
    const char *complex_type = row("", "nshape_complex_type", "z", 300000, 1, 1000, 9);
    run = run_of("nshape.csv", text("%s%s", times_3(3, 2, 1), complex_type));
    add_profile(&run, profile_rows(good_5));
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* n_it = 1 alone */
    run = run_5(good_5, 11, 12, 13);
    run.rows = 0;
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* no times */
    EXPECT(run_add(&run, "more.csv", text(COLUMNS "%s", complex_type)), "rows");
    EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here"); /* of the complex type alone */
    static const char *const profiles[] = {
        "nshape,c,300000,1000,1,100,77,100,60,480,1\n", /* one type */
        "nshape,z,300000,1000,1,100,77,100,60,480,1\n",
        "nshape,c,300000,1000,1,100,77,100,60,480,1\nnshape,z,3000,1000,1,100,77,100,60,480,1\n",
        "nshape,c,300000,1000,1,100,77,100,60,480,1\nnshape,z,300000,3000,1,100,77,100,60,480,1\n",
        "nshape,c,300000,1000,1,100,77,100,60,480,1\nnshape,z,300000,1000,2,100,77,100,60,480,1\n"};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        run = times_5(11, 12, 13);
        add_profile(&run, profiles[i]);
        EXPECT_OUTCOME(judged_by("L22-5", &run), "not measured here");
    }
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
    EXPECT_SHOWS(claim, "In parallel: exactly 3(n");
    EXPECT_SHOWS(claim, "Serially: exactly 2 nbl");
    EXPECT_SHOWS(claim, "Thomas alone: not 2n");
    EXPECT_SHOWS(claim, "n from 1000 to 2000");
    EXPECT_LABEL(claim, 'b', 0, "n = 1000, nbl = 100: 201 counted, 300 by the paper");
    EXPECT_DEVICE(claim, "counted");
    EXPECT_SHOWS(divisions("1000,100,1,2697,201,1999\n"), "Thomas alone: exactly 2n");
}

void test_claims_l22(void)
{
    test_l22_1();
    test_l22_1_ratio();
    test_l22_1_growth();
    test_l22_1_without_optimum();
    test_l22_2();
    test_l22_2_limit();
    test_l22_2_equal();
    test_l22_3();
    test_l22_4();
    test_l22_4_sizes();
    test_l22_4_cpu();
    test_l22_5();
    test_l22_5_shares();
    test_l22_5_not_measured();
    test_l22_6();
}
