/* Tests of the claims of L22 but L22-7: small made-up CSV files that flip each verdict. */
#include "test_report.h"

enum { N = 300000 };

/* Appends a total time of nshape on a GPU. */
static const char *row(const char *rows, const char *variant, const char *type, double n, int nest,
                       double parts, double ms)
{
    return joined(rows, "", "nshape,%s,%s,%.0f,,,32,%.0f,,%d,,,total,GPU,%.15g,%.15g,ok\n", variant,
                  type, n, parts, nest, ms, 1000 * n);
}
/* The same of the judged variant at n = N. */
static const char *nest_row(const char *rows, int nest, double parts, double ms)
{
    return row(rows, "nshape", "z", N, nest, parts, ms);
}

/* Times that follow L22 eq. 6 and 7 exactly but for what the members change. 0: nothing. */
struct model {
    double n;       /* 0: N */
    int nest;       /* 0: 1 */
    double alpha;   /* in ns, 0: 1200; beta is 300 ns, the constant 20 µs */
    double shift;   /* the times at P1 are those of the model at P1/shift */
    double dent;    /* at this P1 the time is the shortest of all by 1% */
    double scatter; /* every second time far from the optimum is this many times longer */
    double largest; /* P1; 0: 30000 */
};
#define MODEL(...) ((struct model){__VA_ARGS__})

static double model_ns(struct model m, double P)
{
    double last = pow(P, 1. / m.nest);
    return m.alpha * (m.n / P + (m.nest - 1) * last) + 300 * last + 20000;
}

static const char *model_rows(const char *rows, struct model m)
{
    m.n = or_else(m.n, N);
    m.nest = m.nest == 0 ? 1 : m.nest;
    m.alpha = or_else(m.alpha, 1200);
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

/* Times of n_it = 1 at three n. alpha grows as n^x, so the optimum as n^(1/2 + x/2). */
static const char *three_n(const double x[4])
{
    const char *rows = "";
    for (double n = 30000; n <= 3000000; n *= 10)
        rows = model_rows(rows, MODEL(.n = n, .alpha = 1200 * pow(n / N, x[0])));
    return rows;
}

static void test_l22_1(void)
{
    static const struct {
        struct model model;
        const char *outcome;
    } cases[] = {
        {{0}, "ab?d"},
        {{.scatter = 2.2}, "-b?d"},
        {{.dent = 493}, "a-?d"}, /* where the shortest time is; the prediction is near 1095 */
        {{.dent = 2253}, "a-?d"},
        {{.largest = 900}, "a-?d"},
        {{.alpha = 29}, "ab?-"}, /* over beta, which is 300 ns */
        {{.alpha = 3030}, "ab?-"},
        {{.n = 30000}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(judged("L22-1", model_rows("", cases[i].model)), cases[i].outcome);
    const struct claim *claim = judged("L22-1", model_rows("", MODEL(0)));
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_LABEL(judged("L22-1", model_rows("", MODEL(.largest = 900))), 'b', 0, "at an end");

    /* The fit would make the constant negative, or beta, since the times fall with P1. */
    const char *bound = "", *falling = "";
    for (double P = 100; P < 30000; P *= 1.5) {
        bound = nest_row(bound, 1, P, (1200 * N / P + 300 * P - 50000) / 1e6);
        falling = nest_row(falling, 1, P, 100 / P + 1 - P / 40000);
    }
    claim = judged("L22-1", bound);
    EXPECT_OUTCOME(claim, "ab?d");
    EXPECT_SHOWS(claim, "Constant = 0 µs (without this bound");
    claim = judged("L22-1", falling);
    EXPECT(clause_outcome(clause_named(claim, 'b')) == FAILS, "no optimum");
    EXPECT_LABEL(claim, 'b', 0, "negative");
    EXPECT(isnan(clause_named(claim, 'd')->judged[0].value), "alpha/beta");
    EXPECT_OUTCOME(judged("L22-1", ""), "");
    EXPECT_OUTCOME(judged("L22-1", nest_row(nest_row("", 1, 100, 1), 1, 1000, 1)), "");

    /* How the optimum grows with n. Two n are too few, also with a third whose best P1 is at an
     * end. */
    static const struct made growth[] = {
        {{0}, "abcd"}, {{0.26}, "abcd"}, {{0.34}, "ab-d"}, {{-0.26}, "abcd"}, {{-0.34}, "ab-d"}};
    EXPECT_MADE("L22-1", three_n, growth);
    claim = judged("L22-1", three_n((double[4]){0}));
    EXPECT_SHOWS(claim, "in 2 of 2 cases");
    const char *two = model_rows(model_rows("", MODEL(0)), MODEL(.n = 1e7));
    EXPECT_OUTCOME(judged("L22-1", two), "ab?d");
    claim = judged("L22-1", model_rows(two, MODEL(.n = 3e6, .largest = 1000)));
    EXPECT_OUTCOME(claim, "ab?d");
    EXPECT_SHOWS(claim, "in 1 of 1 cases");
}

/* n_it = 1, 2 and 3, with the times of the latter two moved to another P1. */
static const char *nested(const double x[4])
{
    const char *rows = model_rows(model_rows("", MODEL(0)), MODEL(.nest = 2, .shift = x[0]));
    return model_rows(rows, MODEL(.nest = 3, .shift = x[1], .largest = 1e5));
}

/* Times whose best n_it is best[i] at n[i] and grow as (log n)^power. The n_it above the best takes
 * `next` times as long. */
static const char *best_nests(const int best[4], double next, int most_nest, double power)
{
    static const double n[4] = {1000, 10000, 100000, 1000000};
    const char *rows = nested((double[4]){1, 1});
    for (int i = 0; i < 4; i++)
        for (int nest = 1; nest <= most_nest; nest++) {
            double ms = pow(log(n[i]) / log(1000), power);
            rows = row(rows, "nshape", "z", n[i], nest, 100, 90 * ms);
            ms *= nest == best[i] + 1 ? next : 1 + fabs((double)(nest - best[i]));
            rows = row(rows, "nshape", "z", n[i], nest, 50, ms);
        }
    return rows;
}

static void test_l22_2(void)
{
    /* Predicted over measured: 1.12 and 1.1. */
    static const struct made made[] = {{{1, 1}, "a??"},
                                       {{1.12 / 0.54, 1.1 / 0.54}, "a??"},
                                       {{1.12 / 1.9, 1.1 / 1.9}, "a??"},
                                       {{1.12 / 0.47, 1}, "-??"},
                                       {{1.12 / 2.12, 1}, "-??"},
                                       {{1, 1.1 / 0.47}, "-??"},
                                       {{1, 1.1 / 2.12}, "-??"}};
    EXPECT_MADE("L22-2", nested, made);
    const struct claim *claim = judged("L22-2", nested((double[4]){1, 1}));
    EXPECT_NUMBER(claim, 'a', 0, 1.12, 0.05);
    EXPECT_NUMBER(claim, 'a', 1, 1.1, 0.05);
    EXPECT_OUTCOME(judged("L22-2", model_rows(model_rows("", MODEL(0)), MODEL(.nest = 2))), "");
    EXPECT_OUTCOME(judged("L22-2", model_rows(model_rows("", MODEL(.nest = 2)), MODEL(.nest = 3))),
                   "");

    /* How the best n_it grows; ln 10^5/ln 10^3 = 5/3. An n beyond the cache does not count. If the
     * next n_it is at most 2% slower, it counts as the best, too. */
    static const struct {
        int best[4];
        double next;
        int most_nest;
        const char *outcome;
    } cases[] = {{{3, 4, 5, 1}, 2, 8, "abc"},         {{3, 4, 6, 9}, 2, 8, "abc"},
                 {{3, 5, 7, 9}, 2, 8, "a-c"},         {{6, 7, 8, 9}, 2, 8, "abc"},
                 {{7, 7, 8, 9}, 2, 8, "a-c"},         {{4, 4, 4, 4}, 2, 8, "a-c"},
                 {{3, 4, 5, 1}, 2, 7, "a??"},         {{3, 4, 6, 1}, 1.01 * TIE, 8, "abc"},
                 {{3, 4, 6, 1}, 0.99 * TIE, 8, "a-c"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        claim = judged("L22-2", best_nests(cases[i].best, cases[i].next, cases[i].most_nest, 1));
        EXPECT_OUTCOME(claim, cases[i].outcome);
    }
    /* 4, 4, 6 at the least and 3, 5, 7 at the most: values on both sides of a bound. */
    double x = log(5. / 3);
    EXPECT_NUMBER(claim, 'b', 0, log(6. / 4) / x, 0.05);
    EXPECT_NUMBER(claim, 'b', 1, log(7. / 3) / x, 0.05);
    EXPECT_LABEL(claim, 'b', 1, "undecided");
    EXPECT(clause_named(claim, 'b')->judged[0].holds, "the least");
    EXPECT_SHOWS(claim, "3 to 4 (n = 1000), 4 to 5 (n = 10000), 6 to 7 (n = 100000)");
    /* The time of the best n_it; 1 ms is 44 times alpha e ln 1000 with the alpha of the model. */
    static const struct {
        double power;
        const char *outcome;
    } times[] = {{0.45, "ab-"}, {0.55, "abc"}, {1.45, "abc"}, {1.55, "ab-"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        claim = judged("L22-2", best_nests(cases[0].best, 2, 8, times[i].power));
        EXPECT_OUTCOME(claim, times[i].outcome);
        EXPECT_NUMBER(claim, 'c', 0, times[i].power, 1e-9);
    }
    EXPECT_SHOWS(claim, "Its time over alpha e ln n: 44.38 (n = 1000)");
}

static const char *times_3(const double x[4])
{
    return nest_row(nest_row(nest_row("", 1, 100, x[0]), 2, 100, x[1]), 3, 100, x[2]);
}

static void test_l22_3(void)
{
    static const struct made made[] = {{{3, 2.9, 2.8}, "a"},
                                       {{3, 3, 1}, "-"},
                                       {{3, 2, 2.5}, "-"},
                                       {{2, 3, 1}, "-"},
                                       {{3, 2, NAN}, ""}};
    EXPECT_MADE("L22-3", times_3, made);
    EXPECT(clause_named(judged("L22-3", times_3(made[3].x)), 'a')->judged[1].holds, "n_it = 3");
    /* The best P1 counts, and no other n, type, variant, phase or wrong row, and no CPU. */
    const char *more = nest_row(times_3((double[4]){3, 2, 5}), 3, 200, 1);
    more = row(row(more, "nshape", "z", 30000, 2, 100, 0.5), "nshape", "c", N, 2, 100, 0.5);
    more = row(more, "nshape_atomic", "z", N, 2, 100, 0.5);
    more = joined(more, "",
                  "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,0.5,1,wrong\n"
                  "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,0.5,1,disturbed\n"
                  "nshape,nshape,z,300000,,,32,9,,2,,,total,GPU,,1,ok\n"
                  "nshape,nshape,z,300000,,,32,9,,2,,,RS,GPU,0.5,1,ok\n"
                  "nshape,nshape,z,300000,,,,9,8,2,,,total,CPU,0.5,1,ok\n");
    const struct claim *claim = judged("L22-3", more);
    EXPECT_OUTCOME(claim, "a");
    EXPECT_NUMBER(claim, 'a', 1, 0.5, 0);
    EXPECT(!shows(claim, "Single complex") && !shows(claim, "atomic"), "one n_it of three");
    more = joined(times_3((double[4]){3, 2, NAN}), "",
                  "nshape,nshape,z,300000,,,32,9,,3,,,total,GPU,1,1,disturbed\n");
    EXPECT_OUTCOME(judged("L22-3", more), "disturbed");
}

/* Appends three times of which the middle one is the shortest, n^e. */
static const char *inside(const char *rows, double n, int nest, double e)
{
    for (int i = 0; i < 3; i++)
        rows = row(rows, "nshape", "z", n, nest, pow(10, i + 1), pow(n, e) * (i == 1 ? 1 : 2));
    return rows;
}

/* Times at three n from `from` to `to` that grow as the model says, but for what is added to the
 * exponents of n_it = 1, 2, 3 and of Thomas on the GPU. */
static const char *growing(const char *rows, const double added[4], double from, double to)
{
    for (double n = from; n <= 1.01 * to; n *= sqrt(30)) {
        double whole = floor(n + 0.5);
        for (int nest = 1; nest <= 3; nest++)
            rows = inside(rows, whole, nest, 1. / (nest + 1) + added[nest - 1]);
        rows = row(rows, "thomas_gpu", "z", whole, 0, 0, pow(whole, 1 + added[3]));
    }
    return rows;
}
static const char *cached(const double added[4])
{
    return growing("", added, 10000, N);
}
/* The same beyond the cache, where Thomas does not count. */
static const char *beyond(const double added[4])
{
    return growing(cached((double[4]){0}), added, 1e6, 3e7);
}

static void test_l22_4(void)
{
    static const struct made small[] = {{{0}, "abcd??"},
                                        {{0.11}, "-bcd??"},
                                        {{0, 0.11}, "a-cd??"},
                                        {{0, 0, 0.11}, "ab-d??"},
                                        {{0, 0, 0, 0.11}, "abc-??"},
                                        {{-0.11}, "-bcd??"},
                                        {{0, -0.11}, "a-cd??"},
                                        {{0, 0, -0.11}, "ab-d??"},
                                        {{0, 0, 0, -0.11}, "abc-??"},
                                        {{0.095, 0.095, 0.095, 0.095}, "abcd??"},
                                        {{-0.095, -0.095, -0.095, -0.095}, "abcd??"}};
    EXPECT_MADE("L22-4", cached, small);
    static const struct made large[] = {{{0.095, 0.095, 0.095, 8}, "abcde?"},
                                        {{-0.095, -0.095, -0.095, 8}, "abcde?"},
                                        {{0.11}, "abcd-?"},
                                        {{0, 0.11}, "abcd-?"},
                                        {{0, 0, 0.11}, "abcd-?"},
                                        {{-0.11}, "abcd-?"},
                                        {{0, -0.11}, "abcd-?"},
                                        {{0, 0, -0.11}, "abcd-?"}};
    EXPECT_MADE("L22-4", beyond, large);
    static const double one[4] = {1, 1, 1, 1};
    EXPECT_OUTCOME(judged("L22-4", growing(cached(one), one, 1e6, 3e7)), "-----?");
    const struct claim *claim = judged("L22-4", cached((double[4]){0}));
    EXPECT_NUMBER(claim, 'b', 0, 1. / 3, 1e-6);
    EXPECT_LABEL(claim, 'a', 0, "n_it = 1, n from 10000 to 300000");
}

/* Which n and which times count. */
static void test_l22_4_rows(void)
{
    static const double zero[4] = {0};
    const char *good = cached(zero);
    /* Two n are too few; so are three that span a factor of less than 30, or 10 beyond the cache.
     * A time between the two ranges does not count. */
    EXPECT_OUTCOME(judged("L22-4", growing("", zero, 50000, N)), "");
    const char *more = growing(good, zero, 1e6, 6e6);
    EXPECT_OUTCOME(judged("L22-4", more), "abcd??");
    for (int nest = 1; nest <= 3; nest++)
        more = inside(more, 9e6, nest, 2);
    EXPECT_OUTCOME(judged("L22-4", more), "abcd??"); /* three n, a factor of 9 */
    for (int nest = 1; nest <= 3; nest++)
        more = inside(inside(inside(more, 1e7, nest, 2), 1000, nest, 2), 500000, nest, 2);
    EXPECT_OUTCOME(judged("L22-4", more), "abcd-?");
    /* If the best P1 is at an end, a better one may lie beyond, so the time does not count. */
    EXPECT_OUTCOME(judged("L22-4", nest_row(good, 2, 5, 0.1)), "");
    more = beyond(zero);
    EXPECT_OUTCOME(judged("L22-4", row(more, "nshape", "z", 3e7, 3, 5, 0.1)), "abcd??");
    for (int nest = 1; nest <= 3; nest++)
        more = inside(more, 2e8, nest, 1. / (nest + 1));
    const struct claim *claim = judged("L22-4", row(more, "nshape", "z", 2e8, 1, 5, 0.1));
    EXPECT_OUTCOME(claim, "abcde?");
    EXPECT_LABEL(claim, 'e', 0, "n_it = 1, n from 1000000 to 30000000:");
    EXPECT_LABEL(claim, 'e', 1, "to 200000000: 0.33");

    /* Without thomas_gpu, Thomas on one thread of the CPU is judged, not on more. */
    for (int cores = 1; cores <= 8; cores += 7) {
        const char *cpu = "";
        for (double n = 10000; n <= 303000; n *= sqrt(30)) {
            for (int nest = 1; nest <= 3; nest++)
                cpu = inside(cpu, floor(n + 0.5), nest, 1. / (nest + 1));
            cpu = joined(cpu, "", "nshape,thomas_cpu,z,%.0f,,,,,%d,,,,total,CPU,%g,1,ok\n",
                         floor(n + 0.5), cores, n);
        }
        claim = judged("L22-4", cpu);
        EXPECT_OUTCOME(claim, cores == 1 ? "abcd??" : "");
    }
}

/* alpha is x[0]; the best times of n_it = 2 and 3 are x[1] and x[2] times those of eq. 9. */
static const char *by_factor(const double x[4])
{
    const char *rows = "";
    for (double n = 10000; n <= N; n += n < 50000 ? 40000 : 250000) {
        rows = model_rows(rows, MODEL(.n = n, .alpha = x[0]));
        for (int nest = 2; nest <= 3; nest++)
            for (int i = 0; i < 3; i++) {
                double ns = (nest * x[0] + 300) * pow(n, 1. / (nest + 1)) + 20000;
                rows = row(rows, "nshape", "z", n, nest, pow(10, i + 1),
                           (i == 1 ? 1 : 2) * x[nest - 1] * ns / 1e6);
            }
        rows = row(rows, "thomas_gpu", "z", n, 0, 0, n);
    }
    return rows;
}

static void test_l22_4_factor(void)
{
    static const struct made made[] = {
        {{1200, 1, 1}, "abcd?f"},    {{1200, 0.51, 1.95}, "abcd?f"}, {{1200, 1.95, 0.51}, "abcd?f"},
        {{1200, 0.49, 1}, "abcd?-"}, {{1200, 2.05, 1}, "abcd?-"},    {{1200, 1, 0.49}, "abcd?-"},
        {{1200, 1, 2.05}, "abcd?-"}, {{4000, 1, 1}, "abcd?f"}, /* n_it = 1: 0.514 of eq. 9 */
        {{4800, 1, 1}, "abcd?-"}};
    EXPECT_MADE("L22-4", by_factor, made);
    const struct claim *claim = judged("L22-4", by_factor(made[1].x));
    EXPECT_NUMBER(claim, 'f', 1, 0.51, 1e-6);
    EXPECT_NUMBER(claim, 'f', 2, 1.95, 1e-6);
}

/* The profiler's shares of 1000 sectors in single and in double complex. */
struct profiled {
    int l1[2], memory[2], stores[2];
};
static const struct profiled good_5 = {{770, 680}, {150, 240}, {600, 510}};
static const double slower[3] = {11, 12, 13}, faster[3] = {9, 9, 9};

static const char *profile_rows(struct profiled p)
{
    const char *rows = "";
    for (int i = 0; i < 2; i++) {
        const char *type = i == 0 ? "c" : "z";
        rows = joined(rows, "",
                      "nshape,%s,300000,1000,1,600,%d,500,%d,%d,10\n"
                      "nshape,%s,300000,1000,1,400,0,500,0,0,10\n"
                      "nshape,%s,300000,100,1,400,400,100,60,3200,10\n"
                      "nshape,%s,300000,1000,2,400,400,100,60,3200,10\n"
                      "nshape,%s,3000,1000,1,400,400,100,60,3200,10\n"
                      "nshape_complex_type,%s,300000,1000,1,400,400,1,1,1,50\n",
                      type, p.l1[i], p.stores[i], 32 * p.memory[i], type, type, type, type, type);
    }
    return rows;
}

/* Times of the complex type for n_it = 1, 2 and 3; those of real and imaginary parts are 10. */
static const char *times_5(const double ms[3])
{
    const char *rows = "";
    for (int nest = 1; nest <= 3; nest++) {
        rows = nest_row(rows, nest, 1000, 10);
        rows = row(rows, "nshape_complex_type", "z", N, nest, 1000, ms[nest - 1]);
    }
    return rows;
}
static const struct claim *judged_5(const char *times, const char *profile)
{
    return judged_with("L22-5", times, "ncu_lutsyshyn2022.csv",
                       text("variant,type,n,parts,nest,load_sectors,load_sectors_l1,"
                            "l2_write_sectors,l2_write_sectors_l2,dram_read_bytes,instructions\n%s",
                            profile));
}

static void test_l22_5(void)
{
    const char *times = times_5(slower), *profile = profile_rows(good_5);
    const struct claim *claim = judged_5(times, profile);
    EXPECT_OUTCOME(claim, "abcdef");
    EXPECT(clause_named(claim, 'd')->count == 2 && clause_named(claim, 'b')->count == 3, "all");
    EXPECT_LABEL(claim, 'a', 0, "single complex");
    EXPECT_LABEL(claim, 'e', 0, "double complex");
    EXPECT(claim->shown_count == 8, "each profile once, not %zu lines", claim->shown_count);
    for (int nest = 0; nest <= 3; nest++) {
        double ms[3] = {11, 11, 11};
        ms[nest % 3] = nest == 3 ? 10 : 9; /* equal: not slower */
        EXPECT_OUTCOME(judged_5(times_5(ms), profile), "a-cdef");
    }
    /* Only the T of the complex type is compared. */
    claim = judged_5(text("%snshape,nshape,z,300000,,,64,1000,,1,,,total,GPU,2,1,ok\n", times),
                     profile);
    EXPECT_NUMBER(claim, 'b', 0, 1.1, 0);

    static const struct {
        int l1, memory, stores;
        const char *outcome[2]; /* in single and in double complex */
    } cases[] = {{660, 150, 600, {"-bcdef", "abcd-f"}}, {680, 150, 600, {"abcdef", "abcdef"}},
                 {860, 100, 600, {"abcdef", "abcdef"}}, {880, 100, 600, {"-bcdef", "abcd-f"}},
                 {770, 40, 600, {"ab-def", "abcde-"}},  {770, 60, 600, {"abcdef", "abcdef"}},
                 {770, 240, 600, {"abcdef", "abcdef"}}, {770, 260, 600, {"ab-def", "abcde-"}},
                 {770, 150, 490, {"abc-ef", "abc-ef"}}, {770, 150, 510, {"abcdef", "abcdef"}},
                 {770, 150, 690, {"abcdef", "abcdef"}}, {770, 150, 710, {"abc-ef", "abc-ef"}}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct profiled p = good_5;
        p.l1[i % 2] = cases[i / 2].l1;
        p.memory[i % 2] = cases[i / 2].memory;
        p.stores[i % 2] = cases[i / 2].stores;
        EXPECT_OUTCOME(judged_5(times, profile_rows(p)), cases[i / 2].outcome[i % 2]);
    }
    const struct profiled over = {{770, 680}, {150, 240}, {1002, 510}},
                          none = {{100, 100}, {900, 900}, {0, 0}};
    EXPECT_NUMBER(judged_5(times, profile_rows(over)), 'd', 0, 1, 0);
    EXPECT_OUTCOME(judged_5(times_5(faster), profile_rows(none)), "------");
}

static void test_l22_5_not_measured(void)
{
    const char *times = times_5(slower), *profile = profile_rows(good_5);
    const char *complex_type = row("", "nshape_complex_type", "z", N, 1, 1000, 9);
    EXPECT_OUTCOME(judged("L22-5", times), "");
    EXPECT_OUTCOME(judged_5(joined(complex_type, "", "%s", times_3((double[4]){3, 2, 1})), profile),
                   "");
    EXPECT_OUTCOME(judged_5("", profile), "");
    EXPECT_OUTCOME(judged_5(complex_type, profile), "");
    static const char single[] = "nshape,c,300000,1000,1,100,77,100,60,480,1\n";
    static const char *const profiles[] = {"", /* one type; then another n, P1 and n_it */
                                           "nshape,z,3000,1000,1,100,77,100,60,480,1\n",
                                           "nshape,z,300000,3000,1,100,77,100,60,480,1\n",
                                           "nshape,z,300000,1000,2,100,77,100,60,480,1\n"};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        EXPECT_OUTCOME(judged_5(times, text("%s%s", single, profiles[i])), "");
    EXPECT_OUTCOME(judged_5(times, "nshape,z,300000,1000,1,100,77,100,60,480,1\n"), "");
}

/* Columns of n, nbl, the divisions in parallel, of RS and of Thomas, and its other operations. */
static const struct claim *operations(const char *rows)
{
    return judged_with("L22-6", "", "nshape_divisions.csv",
                       text("n,parts,parallel,serial,thomas,thomas_multiplications,"
                            "thomas_additions\n%s",
                            rows));
}

static void test_l22_6(void)
{
    static const char *const cases[][2] = {
        {"1000,100,2703,303,1999,3000,3000\n2000,100,5697,297,3999,5997,6003\n", "abcde"},
        {"1000,100,2704,300,1999,3000,3000\n2000,100,5700,300,3999,6000,6000\n", "-bcde"},
        {"1000,100,2696,300,1999,3000,3000\n", "-bcde"},
        {"1000,100,2700,304,1999,3000,3000\n", "a-cde"},
        {"1000,100,2700,300,1999,3000,3000\n2000,100,5700,201,3999,6000,6000\n", "a-cde"},
        {"1000,100,1,1,1996,1,1\n", "-----"},
        {"1000,100,2700,,1999,3000,3000\n2000,100,5700,300,3999,6000,6000\n", "a-cde"},
        {"1000,100,2700,300,2003,3003,2997\n", "abcde"},
        {"1000,100,2700,300,2004,3000,3000\n", "ab-de"},
        {"1000,100,2700,300,2000,3004,3000\n", "abc-e"},
        {"1000,100,2700,300,2000,2996,3000\n", "abc-e"},
        {"1000,100,2700,300,2000,3000,3004\n", "abcd-"},
        {"1000,100,2700,300,2000,3000,2996\n", "abcd-"},
        {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(operations(cases[i][0]), cases[i][1]);
    EXPECT_OUTCOME(judged("L22-6", ""), "");
    const struct claim *claim =
        operations("1000,100,2697,201,1999,2997,2997\n2000,100,5697,201,3998,5997,5997\n");
    EXPECT_SHOWS(claim, "In parallel: exactly 3(n");
    EXPECT_SHOWS(claim, "Serially: exactly 2 nbl");
    EXPECT_LABEL(claim, 'b', 0, "n = 1000, nbl = 100: 201 counted, 300 by the paper");
    EXPECT_DEVICE(claim, "counted");
    claim = judged_with("L22-6", "", "nshape_divisions.csv", /* of an older program */
                        "n,parts,parallel,serial,thomas\n1000,100,2703,303,1999\n");
    EXPECT_OUTCOME(claim, "abc??");
}

static const struct claim *elements(const char *rows)
{
    return judged_with("L22-8", "", "nshape_divisions.csv", text("n,parts,elements\n%s", rows));
}

/* 5 elements a row are 1500000; only two nbl are judged, at n = N. */
static void test_l22_8(void)
{
    static const char *const cases[][2] = {
        {"300000,1000,1500000\n300000,10000,1500000\n300000,150000,9000000\n", "a"},
        {"300000,1000,1649999\n300000,10000,1649999\n", "a"},
        {"300000,1000,1650000\n300000,10000,1500000\n", "-"},
        {"300000,1000,1500000\n300000,10000,1650000\n", "-"},
        {"300000,100,1500000\n30000,1000,150000\n", ""},
        {"300000,1000,\n", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_OUTCOME(elements(cases[i][0]), cases[i][1]);
    EXPECT_SHOWS(elements(cases[0][0]), "nbl = 150000: 30.0 elements a row");
    EXPECT_DEVICE(elements(cases[0][0]), "counted");
    EXPECT_OUTCOME(judged_with("L22-8", "", "nshape_divisions.csv", "n,parts\n300000,1000\n"), "");
    EXPECT_OUTCOME(judged("L22-8", ""), "");
}

void test_claims_l22(void)
{
    test_l22_1();
    test_l22_2();
    test_l22_3();
    test_l22_4();
    test_l22_4_rows();
    test_l22_4_factor();
    test_l22_5();
    test_l22_5_not_measured();
    test_l22_6();
    test_l22_8();
}
