/* Tests of the claims of W12: small made-up CSV files that flip each verdict. */
#include "test_report.h"

static void test_w12_1(void)
{
    /* Ratios 1, 2 and 9: the median counts. */
    const char *two = "pscheme_cpu,substitution,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                      "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                      "pscheme_cpu,substitution,s,2000,,,,,1,,,,p,CPU,10,,ok\n"
                      "pscheme_cpu,pscheme_eq13,s,2000,,,,,1,,,,p,CPU,20,,ok\n",
               *three = "pscheme_cpu,substitution,s,3000,,,,,1,,,,p,CPU,1,,ok\n"
                        "pscheme_cpu,pscheme_eq13,s,3000,,,,,1,,,,p,CPU,9,,ok\n";
    const struct claim *claim = judged("W12-1", text("%s%s", two, three));
    EXPECT_OUTCOME(claim, "reproduced: a");
    EXPECT(clause_named(claim, 'a')->judged[0].value == 2, "median of three");
    EXPECT(strstr(clause_named(claim, 'a')->judged[0].label, "3 sizes, n = 1000 to 3000") != NULL,
           "%s", clause_named(claim, 'a')->judged[0].label);
    EXPECT(strcmp(claim->device, "CPU") == 0, "device %s", claim->device);
    EXPECT(claim->shown_count == 1, "%zu variants", claim->shown_count);
    EXPECT_OUTCOME(judged("W12-1", text("%s"
                                        "pscheme_cpu,pscheme_eq13,s,3000,,,,,1,,,,p,CPU,9,,ok\n",
                                        two)),
                   "reproduced: a");
    claim =
        judged("W12-1", text("%spscheme_cpu,pscheme_repeat,s,1000,,,,,1,,,,p,CPU,12,,ok\n", two));
    EXPECT(clause_named(claim, 'a')->judged[0].value == 1.5 && claim->shown_count == 2 &&
               strstr(claim->shown[1], "3.00 (3.00 to 3.00)") != NULL,
           "%s", claim->shown[1]);
    const char *slow = "pscheme_cpu,substitution,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                       "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,12.1,,ok\n";
    EXPECT_OUTCOME(judged("W12-1", slow), "not reproduced: -");
    EXPECT_OUTCOME(judged("W12-1", "pscheme_cpu,substitution,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                                   "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,5.9,,ok\n"),
                   "not reproduced: -");
    /* None of these rows counts: another number of cores, type, phase, and a wrong row. */
    EXPECT_OUTCOME(
        judged("W12-1", text("%spscheme_cpu,pscheme_eq13,s,1000,,,,,2,,,,p,CPU,8,,ok\n"
                             "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,total,CPU,8,,ok\n"
                             "pscheme_cpu,pscheme_eq13,d,1000,,,,,1,,,,p,CPU,8,,ok\n"
                             "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,8,,wrong\n"
                             "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,8,,disturbed\n"
                             "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,,,ok\n",
                             slow)),
        "not reproduced: -");
    EXPECT_OUTCOME(judged("W12-1", "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                                   "pscheme_cpu,substitution,s,2000,,,,,1,,,,p,CPU,4,,ok\n"),
                   "not measured here");
    claim = judged("W12-1", "pscheme_cpu,substitution,s,1000,,,,,1,,,,p,CPU,4,,ok\n"
                            "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,8,,disturbed\n");
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "other load is the reason");
}

/* Times of pscheme_gpu that follow the paper's model: with rearrangement alpha N/P, beta P and
 * gamma N/P ns, and totals from a model of their own, so that each can be changed alone. */
struct times {
    double alpha, beta, gamma;
    double total_beta; /* propagation in the totals, so that their best P moves */
    double bend_alpha, bend_beta, bend_gamma; /* added to the powers of P: -1, 1 and -1 */
    double parallel;  /* parallel phases without rearrangement over those with it */
    double total;     /* the same of the total at T = 512 */
    double propagate; /* the same of propagation */
    double largest;   /* factor of the totals at G = 32, the largest G */
    double odd;       /* factor of the total at G = 4, T = 16 */
    int blocks;       /* the first G */
    const char *status;
    const char *missing; /* the phases that are missing at N = missing_n */
    double missing_n;
};
/* Times for which W12-2 to W12-5 hold. */
static struct times paper(void)
{
    return (struct times){.alpha = 1,
                          .beta = 3,
                          .gamma = 1,
                          .total_beta = 3,
                          .parallel = 2,
                          .total = 1,
                          .propagate = 1,
                          .largest = 1,
                          .odd = 1,
                          .blocks = 4,
                          .status = "ok",
                          .missing = "",
                          .missing_n = 1 << 20};
}

static const char *gpu_rows(struct times t)
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    char *rows = keep(100000), *to = rows;
    for (double n = 256 << 10; n <= 1 << 20; n *= 4)
        for (int G = t.blocks; G <= 32; G *= 2)
            for (int T = 16; T <= 512; T *= 2) {
                double P = G * T, middle = P / 1024; /* 1024 is the median of all P */
                double total = ((t.alpha + t.gamma) * n / P + t.total_beta * P) *
                               (G == 32 ? t.largest : 1) * (G == 4 && T == 16 ? t.odd : 1);
                double ns[] = {t.alpha * n / P * pow(middle, t.bend_alpha),
                               t.beta * P * pow(middle, t.bend_beta),
                               t.gamma * n / P * pow(middle, t.bend_gamma), total};
                double block[] = {ns[0] * t.parallel, ns[1] * t.propagate, ns[2] * t.parallel,
                                  total * (T == 512 ? t.total : 1)};
                for (int i = 0; i < 4; i++)
                    if (n != t.missing_n || strstr(t.missing, phase[i]) == NULL)
                        to += sprintf(to,
                                      "pscheme_gpu,rearranged,s,%.0f,,%d,%d,,,,,,%s,GPU,%.17g,,%s\n"
                                      "pscheme_gpu,block,s,%.0f,,%d,%d,,,,,,%s,GPU,%.17g,,%s\n",
                                      n, G, T, phase[i], ns[i] * 1e-6, t.status, n, G, T, phase[i],
                                      block[i] * 1e-6, t.status);
            }
    return rows;
}
/* Rows that would change the verdict if they counted: very short times that are wrong, disturbed,
 * absent, in double precision or of W13's program. */
static const char *with_bad_rows(const char *rows, const char *phase)
{
    return text("%spscheme_gpu,rearranged,s,262144,,8,64,,,,,,%s,GPU,1e-9,,wrong\n"
                "pscheme_gpu,rearranged,s,262144,,8,64,,,,,,%s,GPU,1e-9,,disturbed\n"
                "pscheme_gpu,rearranged,s,1048576,,8,64,,,,,,%s,GPU,,,ok\n"
                "pscheme_gpu,rearranged,d,262144,,8,64,,,,,,%s,GPU,1e-9,,ok\n"
                "pscheme_g,rearranged,s,262144,,8,64,,,,,L,%s,GPU,1e-9,,ok\n",
                rows, phase, phase, phase, phase, phase);
}

/* The claim judged by a run of pscheme_gpu with these rows, and with those of its sweep over more
 * blocks. */
static const struct claim *judged_gpu_more(const char *id, const char *rows, const char *more)
{
    struct run run = run_of("pscheme_gpu.csv", rows);
    EXPECT(run_add(&run, "pscheme_gpu_blocks.csv", text(COLUMNS "%s", more)),
           "rows of more blocks");
    return judged_by(id, &run);
}
static const struct claim *judged_gpu(const char *id, const char *rows)
{
    return judged_gpu_more(id, rows, "");
}

/* What claims W12-2 to W12-5 share. For the paper's own times `holds` is the outcome, and that many
 * numbers are shown. */
static void test_gpu_claim(const char *id, const char *holds, size_t shown, const char *missing)
{
    struct times t = paper();
    const struct claim *claim = judged_gpu(id, gpu_rows(t));
    EXPECT_OUTCOME(claim, holds);
    EXPECT(strcmp(claim->device, "GPU") == 0, "device %s", claim->device);
    EXPECT(claim->shown_count == shown, "%zu shown", claim->shown_count);
    EXPECT_OUTCOME(judged_gpu(id, with_bad_rows(gpu_rows(t), "total")), holds);
    EXPECT_OUTCOME(judged_gpu(id, with_bad_rows(gpu_rows(t), "precompute")), holds);
    t.missing = missing;
    EXPECT_OUTCOME(judged_gpu(id, gpu_rows(t)), "not measured here");
    t = paper();
    t.status = "disturbed";
    claim = judged_gpu(id, gpu_rows(t));
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "other load is the reason");
    t.status = "wrong";
    claim = judged_gpu(id, gpu_rows(t));
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(!claim->disturbed, "wrong is not disturbed");
}

/* Past L1 the gain at G = 32, T >= 128 is shown. That at T = 64 does not count. */
static void test_gain_past_l1(void)
{
    const char *past_l1 = "";
    for (int T = 64; T <= 512; T *= 2)
        for (int i = 0; i < 2; i++)
            past_l1 = text("%spscheme_gpu,block_no_l1,s,262144,,32,%d,,,,,,%s,GPU,%g,,ok\n"
                           "pscheme_gpu,rearranged_no_l1,s,262144,,32,%d,,,,,,%s,GPU,1,,ok\n",
                           past_l1, T, i == 0 ? "propagate" : "total",
                           T == 64 ? 9 : 1 + i + T / 512.0, T, i == 0 ? "propagate" : "total");
    const struct claim *claim = judged_gpu("W12-2", text("%s%s", gpu_rows(paper()), past_l1));
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT(shows(claim, "loads bypass L1: 1.50, and of the total: 2.50 (2.25 to 3.00)"),
           "%zu shown", claim->shown_count);
}

static void test_w12_2(void)
{
    test_gpu_claim("W12-2", "reproduced: abcd", 5, "precompute determine");
    test_gain_past_l1();
    struct times t = paper();
    t.missing = "total";
    t.missing_n = 256 << 10;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "not measured here");
    t = paper();
    const struct claim *claim = judged_gpu("W12-2", gpu_rows(t));
    EXPECT(about(clause_named(claim, 'a')->judged[1].value, 2, 1e-12), "both phases gain 2");
    /* At T = 128, P = 4096: N/P = 64 for each parallel phase, 3 P for propagation. */
    EXPECT(about(clause_named(claim, 'b')->judged[0].value, 100 * 12288.0 / 12416, 1e-12), "share");
    claim = judged_gpu("W12-2",
                       text("%spscheme_gpu,block,s,262144,,4,1024,,,,,,precompute,GPU,1000,,ok\n"
                            "pscheme_gpu,rearranged,s,262144,,4,1024,,,,,,precompute,GPU,1,,ok\n",
                            gpu_rows(t)));
    EXPECT(about(clause_named(claim, 'a')->judged[0].value, 2, 1e-12), "the median");
    t.blocks = 6; /* G = 6, 12, 24 */
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "not measured here");
    t = paper();
    t.parallel = 1.99;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: -bcd");
    t.parallel = 10.1;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: -bcd");
    t = paper();
    t.beta = 128.0 / 4096 * 1.01;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "reproduced: abcd");
    t.beta = 128.0 / 4096; /* exactly half */
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: a-cd");
    t = paper();
    t.total = 1.10;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "reproduced: abcd");
    t.total = 1.12;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: ab-d");
    t.total = 0.89;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: ab-d");
    t = paper();
    t.propagate = 1.10;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "reproduced: abcd");
    t.propagate = 1.12;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "in part: abc-");
    t.propagate = 0.89;
    claim = judged_gpu("W12-2", gpu_rows(t));
    EXPECT_OUTCOME(claim, "in part: abc-");
    EXPECT(about(clause_named(claim, 'd')->judged[0].value, 0.89, 1e-12), "its gain");
    t.total = 1.12;
    t.parallel = 1;
    t.beta = 0.001;
    EXPECT_OUTCOME(judged_gpu("W12-2", gpu_rows(t)), "not reproduced: ----");
}

/* What limits pre-computation: at G = 4, T = 32 it takes 2048 ns. */
static void test_limits(void)
{
    const struct claim *claim = judged_gpu(
        "W12-3", text("%spscheme_gpu,rearranged_no_l1,s,262144,,4,64,,,,,,precompute,GPU,8,,ok\n"
                      "pscheme_gpu,rearranged_no_l1,s,262144,,8,64,,,,,,precompute,GPU,2,,ok\n"
                      "pscheme_gpu,register,s,262144,,4,32,,,,,,precompute,GPU,0.001,,ok\n",
                      gpu_rows(paper())));
    EXPECT(shows(claim, "slope of pre-computation at N = 256K if loads bypass L1: -2.00"),
           "4 times in an octave");
    EXPECT(shows(claim, "slope of pre-computation at N = 256K less the constant of a fit, ") &&
               shows(claim, " us: -1.00"),
           "a constant of nothing");
    EXPECT(shows(claim, "G = 4, and that of register, which only stores: 2.05 and 1 us (T = 32)"),
           "the same G and T");
}

static void test_w12_3(void)
{
    test_gpu_claim("W12-3", "reproduced: abcd", 4, "total");
    test_limits();
    struct times t = paper();
    t.missing = "propagate";
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "not measured here");
    t.missing = "determine";
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "not measured here");
    t = paper();
    const struct claim *claim = judged_gpu(
        "W12-3", text("%spscheme_gpu,rearranged,s,262144,,4,1024,,,,,,precompute,GPU,1000,,ok\n"
                      "pscheme_gpu,rearranged,s,262144,,4,1024,,,,,,determine,GPU,1,,ok\n",
                      gpu_rows(t)));
    EXPECT(about(clause_named(claim, 'a')->judged[0].value, 1, 1e-12), "the median");
    claim = judged_gpu(
        "W12-3", text("%spscheme_gpu,rearranged_no_l1,s,262144,,4,64,,,,,,precompute,GPU,3,,ok\n"
                      "pscheme_gpu,rearranged_no_l1,s,262144,,4,64,,,,,,determine,GPU,4,,ok\n",
                      gpu_rows(t)));
    EXPECT(shows(claim, "the same if loads bypass L1: 0.75"), "%zu shown", claim->shown_count);
    t.alpha = 1.49;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "reproduced: abcd");
    t.alpha = 1.51;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: -bcd");
    t.alpha = 0.6668; /* just over 2/3 */
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "reproduced: abcd");
    t.alpha = 0.6666;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: -bcd");
    t = paper();
    t.bend_alpha = 0.24;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "reproduced: abcd");
    t.bend_alpha = 0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: a-cd");
    t.bend_alpha = -0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: a-cd");
    t = paper();
    t.bend_gamma = 0.24;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "reproduced: abcd");
    t.bend_gamma = 0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: a-cd");
    t.bend_gamma = -0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: a-cd");
    t = paper();
    t.bend_beta = 0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: ab-d");
    t.bend_beta = -0.26;
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: ab-d");
    t = paper();
    t.odd = 0.01; /* G = 4 has its best P at 64, the others at 512 and 1024 */
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "in part: abc-");
    t = paper();
    t.blocks = 32; /* a single G */
    EXPECT_OUTCOME(judged_gpu("W12-3", gpu_rows(t)), "not measured here");
}

static void test_w12_4(void)
{
    test_gpu_claim("W12-4", "reproduced: abcd", 6, "determine");
    struct times t = paper();
    const struct claim *claim = judged_gpu("W12-4", gpu_rows(t));
    EXPECT(about(clause_named(claim, 'a')->judged[0].value, 0.75, 1e-9), "3 over the paper's 4");
    EXPECT(shows(claim, "best T at N = 256K: 128 (G = 4), 64 (G = 8), 32 (G = 16), 16 (G = 32)"),
           "the best T");
    EXPECT(has(clause_named(claim, 'd')->judged[0].label,
               "of 4 G, N = 256K; at 1 of these the best T is exactly half the paper's, which "
               "still holds") &&
               !has(clause_named(claim, 'd')->judged[0].label, "systematic"),
           "256 is the paper's at G = 4: %s", clause_named(claim, 'd')->judged[0].label);
    t.total_beta = 0.5; /* the best P is 1024 at each G, the paper's is 1024 or 512 */
    EXPECT(has(clause_named(judged_gpu("W12-4", gpu_rows(t)), 'd')->judged[0].label,
               "at 3 of these the best T is exactly twice the paper's, which still holds: a "
               "systematic shift"),
           "a shift");
    t = paper();
    const char *past_l1 = "";
    for (int T = 16; T <= 512; T *= 2)
        past_l1 = text("%spscheme_gpu,rearranged_no_l1,s,262144,,4,%d,,,,,,precompute,GPU,%g,,ok\n"
                       "pscheme_gpu,rearranged_no_l1,s,262144,,4,%d,,,,,,propagate,GPU,%g,,ok\n"
                       "pscheme_gpu,rearranged_no_l1,s,262144,,4,%d,,,,,,determine,GPU,%g,,ok\n",
                       past_l1, T, 8192.0 / T, T, T * 0.5, T, 2 * 8192.0 / T);
    /* N/P = 65536/T, P = 4 T: alpha is 1/8, beta 1/8, gamma 1/4. */
    claim = judged_gpu("W12-4", text("%s%s", gpu_rows(t), past_l1));
    EXPECT(shows(claim, "N = 256K if loads bypass L1: 1:1.00:2.00"), "%zu shown",
           claim->shown_count);
    t.alpha = t.gamma = 1.51; /* beta/alpha is less than 2 */
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: -bcd");
    t = paper();
    t.beta = t.total_beta = 8.1;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: -bcd");
    t = paper();
    t.gamma = 2.1;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: a-cd");
    t.gamma = 0.49;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: a-cd");
    /* The best T of G = 4 alone is far from both. */
    t = paper();
    t.odd = 0.01;
    claim = judged_gpu("W12-4", gpu_rows(t));
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT(clause_named(claim, 'c')->judged[1].value == 1 &&
               clause_named(claim, 'd')->judged[0].value == 1,
           "one G is far");
    /* P_opt = 222 (256K), best P = 512: T = 128 and 64 for G = 4 and 8 instead of 55 and 28. */
    t = paper();
    t.beta = 8;
    t.gamma = 0.5;
    t.total_beta = 2.5;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: ab-d");
    /* The totals' best P moves to P_opt, far below the paper's. */
    t.total_beta = 24;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "in part: abc-");
    t = paper();
    t.blocks = 6; /* none of the paper's G */
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "not measured here");
    t.blocks = 8; /* one of the paper's G is missing */
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "not measured here");
    /* Propagation that does not grow with P has no P_opt. */
    t = paper();
    t.beta = -1;
    EXPECT_OUTCOME(judged_gpu("W12-4", gpu_rows(t)), "not measured here");
}

/* A row of the sweep over more blocks. */
static const char *more_row(double n, int blocks, int threads, double ms)
{
    return text("pscheme_gpu,rearranged,s,%.0f,,%d,%d,,,,,,total,GPU,%.17g,,ok\n", n, blocks,
                threads, ms);
}
/* 132 multiprocessors: times at G = 132 and 264, in units of the best of gpu_rows(paper()). The
 * parallel phases take 12 and 6 us at each T with 132 blocks, and 1/`gain` of that with 264. */
static const char *more_rows(double full, double twice, double gain)
{
    const char *rows = "";
    for (int i = 0; i < 2; i++) {
        double n = i == 0 ? 256 << 10 : 1 << 20, P = i == 0 ? 512 : 1024;
        double ms = 1e-6 * (2 * n / P + 3 * P); /* the least of gpu_rows(paper()) */
        rows = text("%s%s%s%s", rows, more_row(n, 132, 8, full * ms), more_row(n, 132, 16, 9 * ms),
                    more_row(n, 264, 4, twice * ms));
        for (int T = 4; T <= 16; T *= 2)
            for (int k = 0; k < 4; k++)
                rows = text("%spscheme_gpu,rearranged,s,%.0f,,%d,%d,,,,,,%s,GPU,%.17g,,ok\n", rows,
                            n, k < 2 ? 132 : 264, T, k % 2 == 0 ? "precompute" : "determine",
                            (k % 2 == 0 ? 0.012 : 0.006) / (k < 2 ? 1 : gain) *
                                (k > 1 && T == 4 ? 2 : 1));
    }
    return rows;
}

/* As many blocks as multiprocessors, and more. */
static void test_more_blocks(void)
{
    const char *rows = gpu_rows(paper());
    const struct claim *claim = judged_gpu_more("W12-5", rows, more_rows(1.049, 1, 1.2));
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT(about(clause_named(claim, 'b')->judged[1].value, 1.049, 1e-12) &&
               about(clause_named(claim, 'd')->judged[1].value, 1 / 1.049, 1e-12),
           "the fastest T of each G");
    EXPECT(about(clause_named(claim, 'c')->judged[0].value, 1.2, 1e-12), "the median over T");
    EXPECT(shows(claim, "N = 256K, a block for each multiprocessor: ") &&
               shows(claim, "(G = 132, T = 8)") && shows(claim, "(G = 264, T = 4)") &&
               shows(claim, "with twice this T: "),
           "the T of each");
    /* At T = 4 G = 264 takes 2/1.2 of G = 132, at T = 8 1/1.2. */
    EXPECT(shows(claim, "G = 132 over G = 264 at the same T: 1.20 (0.60 to 1.20)") &&
               shows(claim, "over one of 2 T: 1.67 (T = 4), 0.83 (T = 8)"),
           "the same P");
    EXPECT(shows(claim, "(G = 4, T = 128; phases 0.512 + 1.54 + 0.512 us)"), "phases");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1.051, 1.051, 1)), "in part: a-cd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.951, 1)), "in part: a-cd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.96, 1)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.94, 1)), "in part: a-c-");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(0.5, 0.5, 1)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 1.26)), "in part: ab-d");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 1.24)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 0.79)), "in part: ab-d");
    /* One number of blocks alone, or one N alone, judges none of them; totals alone not clause c. */
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_row(256 << 10, 132, 8, 1)),
                   "reproduced: a???");
    const char *totals =
        text("%s%s", more_row(256 << 10, 132, 8, 1), more_row(256 << 10, 264, 8, 1));
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, totals), "reproduced: a???");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows,
                                   text("%s%s%s", totals, more_row(1 << 20, 132, 8, 1),
                                        more_row(1 << 20, 264, 8, 1))),
                   "in part: a-?d");
    /* The other claims take no rows of this sweep: they would halve the best P. */
    const char *far =
        text("%s%s", more_row(256 << 10, 132, 2, 1e-9), more_row(1 << 20, 132, 2, 1e-9));
    EXPECT_OUTCOME(judged_gpu_more("W12-3", rows, far), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-4", rows, far), "reproduced: abcd");
}

static void test_w12_5(void)
{
    test_gpu_claim("W12-5", "reproduced: a???", 3, "total");
    struct times t = paper();
    t.largest = 1.049;
    EXPECT_OUTCOME(judged_gpu("W12-5", gpu_rows(t)), "reproduced: a???");
    t.largest = 1.051;
    const struct claim *claim = judged_gpu("W12-5", gpu_rows(t));
    EXPECT_OUTCOME(claim, "not reproduced: -???");
    EXPECT(about(clause_named(claim, 'a')->judged[0].value, 1.051, 1e-12),
           "its best over the best");
    t.largest = 0.5;
    EXPECT_OUTCOME(judged_gpu("W12-5", gpu_rows(t)), "reproduced: a???");
    /* T = 1024 was run at one G only, or one G only was run. */
    EXPECT_OUTCOME(judged_gpu("W12-5", text("%spscheme_gpu,block,s,262144,,8,1024,,,,,,total,GPU,1,"
                                            ",ok\n",
                                            gpu_rows(t))),
                   "not measured here");
    t.blocks = 32;
    EXPECT_OUTCOME(judged_gpu("W12-5", gpu_rows(t)), "not measured here");

    test_more_blocks();

    const char *rows = gpu_rows(paper());
    /* Half a warp: (32, 16) has the P of (16, 32), whose parallel phases take 1024 ns here. */
    EXPECT(shows(judged_gpu("W12-5", rows), "(G/2, T = 32): 1.00 (1.00 to 1.00)"), "the same P");
    claim = judged_gpu(
        "W12-5", text("%spscheme_gpu,rearranged,s,262144,,16,32,,,,,,determine,GPU,256e-6,,ok\n"
                      "pscheme_gpu,rearranged,s,262144,,16,32,,,,,,precompute,GPU,256e-6,,ok\n",
                      rows));
    EXPECT(shows(claim, "(G/2, T = 32): 1.00 (1.00 to 2.00)"), "half a warp");
}

static const char *pcr_rows(double pscheme, double pcr, const char *status)
{
    return text("pcr,pcr,s,262144,,32,512,,,,,,total,GPU,2,,ok\n"
                "pcr,pcr,s,1048576,,32,256,,,,,,total,GPU,99,,ok\n"
                "pcr,pcr,s,1048576,,32,512,,,,,,total,GPU,%g,,%s\n"
                "pcr,pscheme,s,262144,,32,64,,,,,,total,GPU,1,,ok\n"
                "pcr,pscheme,s,262144,,32,32,,,,,,total,GPU,98,,ok\n"
                "pcr,pscheme,d,262144,,32,64,,,,,,total,GPU,0.1,,ok\n"
                "pcr,pscheme,s,1048576,,32,64,,,,,,total,GPU,%g,,ok\n",
                pcr, status, pscheme);
}
/* W12-6 judged by rows of pcr and rows of pscheme_gpu. */
static const struct claim *judged_both(const char *pcr, const char *pscheme_gpu)
{
    struct run run = run_of("pcr.csv", pcr);
    EXPECT(run_add(&run, "pscheme_gpu.csv", text(COLUMNS "%s", pscheme_gpu)), "rows");
    return judged_by("W12-6", &run);
}
/* PCR with more blocks than the paper's 32, at 256K and 1M. */
static const char *more_pcr(double small, double large)
{
    return text("%spcr,pcr,s,262144,,264,1024,,,,,,total,GPU,%g,,ok\n"
                "pcr,pcr,s,1048576,,264,1024,,,,,,total,GPU,%g,,ok\n",
                pcr_rows(2, 5, "ok"), small, large);
}

/* The baseline of all speed-ups is that of pscheme_gpu. */
static void test_pcr_speeds(void)
{
    EXPECT(judged("W12-6",
                  text("%spcr,serial,s,262144,,,,,1,,,,total,CPU,7,,ok\n", pcr_rows(4, 5, "ok")))
                   ->shown_count == 0,
           "not that of pcr");
    const struct claim *claim = judged_both(
        more_pcr(0.5, 2), "pscheme_gpu,serial,s,262144,,,,,1,,,,total,CPU,10,,ok\n"
                          "pscheme_gpu,rearranged,s,262144,,4,256,,,,,,total,GPU,5,,ok\n");
    EXPECT(shows(claim,
                 "speed-up of P-scheme over one CPU thread at N = 256K: 10.00 (G = 32, T = 64)"),
           "%s", claim->shown[0]);
    EXPECT(shows(claim, "PCR at its best G and T over one CPU thread at N = 256K: 20.00 (G = 264"),
           "the best of PCR");
    EXPECT(claim->shown_count == 5 && shows(claim, "2.00 (T = 256)"), "%zu shown",
           claim->shown_count);
    claim = judged("W12-6", text("%spcr,copy,s,4096,,,,,,,,,total,GPU,2,6e6,ok\n"
                                 "pcr,pcr,s,1048576,,528,512,,,,,,total,GPU,1,7e6,ok\n",
                                 more_pcr(1.5, 4.5)));
    EXPECT(shows(claim, "at its best G and T at N = 1M: 7 GB/s; a large copy: 3 GB/s"), "speeds");
}

static void test_w12_6(void)
{
    const struct claim *claim = judged("W12-6", pcr_rows(4, 5, "ok"));
    EXPECT_OUTCOME(claim, "in part: a-?");
    EXPECT(clause_named(claim, 'a')->judged[0].value == 2 &&
               clause_named(claim, 'a')->judged[1].value == 1.25,
           "the fastest over T");
    EXPECT(about(clause_named(claim, 'b')->judged[0].value, 2 / (1.935 / 1.32), 1e-15) &&
               about(clause_named(claim, 'b')->judged[1].value, 1.25 / (4.48 / 1.25), 1e-15),
           "over the paper's factors");
    /* At 256K the factor is 2 over 1.47; at 1M it must be 0.69 to 1.5 times 3.58: 2.48 to 5.38. */
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 2.47, "ok")), "in part: a-?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 2.48, "ok")), "reproduced: ab?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 5.37, "ok")), "reproduced: ab?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 5.38, "ok")), "in part: a-?");
    EXPECT(strcmp(claim->device, "GPU") == 0, "device %s", claim->device);
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "ok")), "not reproduced: --?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 5, "ok")), "not reproduced: --?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "wrong")), "in part: a-?"); /* 99 over 5 */
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "disturbed")), "in part: a-?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(NAN, 4, "ok")), "not measured here");

    /* clauses a and b are the paper's setting alone, clause c the best of each. */
    claim = judged("W12-6", more_pcr(1.5, 4.5));
    EXPECT_OUTCOME(claim, "reproduced: abc");
    EXPECT(clause_named(claim, 'a')->judged[0].value == 2 &&
               clause_named(claim, 'c')->judged[0].value == 1.5,
           "more blocks are in clause c");
    EXPECT_OUTCOME(judged("W12-6", more_pcr(0.9, 4.5)), "in part: ab-");
    EXPECT_OUTCOME(judged("W12-6", more_pcr(1.5, 2)), "in part: ab-");
    EXPECT_OUTCOME(judged("W12-6", more_pcr(3, 5)), "reproduced: abc");
    EXPECT(clause_named(judged("W12-6", more_pcr(3, 6)), 'c')->judged[0].value == 2,
           "a larger G may be slower");
    claim = judged("W12-6", text("%spcr,pcr,s,262144,,32,1024,,,,,,total,GPU,0.5,,ok\n",
                                 pcr_rows(4, 5, "ok")));
    EXPECT_OUTCOME(claim, "in part: a-?"); /* T = 1024 is not the paper's */
    /* The best of P-scheme is also that of pscheme_gpu, at any G. */
    claim = judged_both(more_pcr(1.5, 4.5), "pscheme_gpu,rearranged,s,262144,,8,128,,,,,,total,GPU,"
                                            "0.5,,ok\n");
    EXPECT_OUTCOME(claim, "reproduced: abc");
    EXPECT(clause_named(claim, 'c')->judged[0].value == 3, "1.5 over 0.5");
    struct run run = run_of("pcr.csv", more_pcr(1.5, 4.5));
    EXPECT(run_add(&run, "pscheme_gpu_blocks.csv",
                   COLUMNS "pscheme_gpu,rearranged,s,262144,,132,8,,,,,,total,GPU,0.25,,ok\n"),
           "rows of more blocks");
    EXPECT(clause_named(judged_by("W12-6", &run), 'c')->judged[0].value == 6, "1.5 over 0.25");
    test_pcr_speeds();
}

void test_claims_w12(void)
{
    test_w12_1();
    test_w12_2();
    test_w12_3();
    test_w12_4();
    test_w12_5();
    test_w12_6();
}
