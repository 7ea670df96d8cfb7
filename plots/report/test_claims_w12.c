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
    EXPECT_NUMBER(claim, 'a', 0, 2, 0);
    EXPECT_LABEL(claim, 'a', 0, "3 sizes, n = 1000 to 3000");
    EXPECT_DEVICE(claim, "CPU");
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
 * gamma N/P ns, and totals from a model of their own, so that each can be changed alone. A member
 * that is 0 or NULL is that of paper(). */
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
#define TIMES(...) ((struct times){__VA_ARGS__})
/* Times for which W12-2 to W12-5 hold, but for what the members of t change. */
static struct times paper(struct times t)
{
    return (struct times){or_else(t.alpha, 1),
                          or_else(t.beta, 3),
                          or_else(t.gamma, 1),
                          or_else(t.total_beta, 3),
                          t.bend_alpha,
                          t.bend_beta,
                          t.bend_gamma,
                          or_else(t.parallel, 2),
                          or_else(t.total, 1),
                          or_else(t.propagate, 1),
                          or_else(t.largest, 1),
                          or_else(t.odd, 1),
                          t.blocks == 0 ? 4 : t.blocks,
                          t.status == NULL ? "ok" : t.status,
                          t.missing == NULL ? "" : t.missing,
                          or_else(t.missing_n, 1 << 20)};
}

static const char *gpu_rows(struct times t)
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    char *rows = keep(100000), *to = rows;
    t = paper(t);
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
static void test_gpu_claim(const char *id, const char *holds, size_t shown)
{
    const char *good = gpu_rows(TIMES(0));
    const struct claim *claim = judged_gpu(id, good);
    EXPECT_OUTCOME(claim, holds);
    EXPECT_DEVICE(claim, "GPU");
    EXPECT(claim->shown_count == shown, "%zu shown", claim->shown_count);
    EXPECT_OUTCOME(judged_gpu(id, with_bad_rows(good, "total")), holds);
    EXPECT_OUTCOME(judged_gpu(id, with_bad_rows(good, "precompute")), holds);
    claim = judged_gpu(id, gpu_rows(TIMES(.status = "disturbed")));
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(claim->disturbed, "other load is the reason");
    claim = judged_gpu(id, gpu_rows(TIMES(.status = "wrong")));
    EXPECT_OUTCOME(claim, "not measured here");
    EXPECT(!claim->disturbed, "wrong is not disturbed");
}

static const struct {
    const char *id;
    struct times times;
    const char *outcome;
} gpu_cases[] = {
    {"W12-2", {.missing = "precompute determine"}, "not measured here"},
    {"W12-3", {.missing = "total"}, "not measured here"},
    {"W12-4", {.missing = "determine"}, "not measured here"},
    {"W12-5", {.missing = "total"}, "not measured here"},
    {"W12-2", {.missing = "total", .missing_n = 256 << 10}, "not measured here"},
    {"W12-2", {.blocks = 6}, "not measured here"}, /* G = 6, 12, 24 */
    {"W12-2", {.parallel = 1.99}, "in part: -bcd"},
    {"W12-2", {.parallel = 10.1}, "in part: -bcd"},
    {"W12-2", {.beta = 128.0 / 4096 * 1.01}, "reproduced: abcd"},
    {"W12-2", {.beta = 128.0 / 4096}, "in part: a-cd"}, /* exactly half */
    {"W12-2", {.total = 1.10}, "reproduced: abcd"},
    {"W12-2", {.total = 1.12}, "in part: ab-d"},
    {"W12-2", {.total = 0.89}, "in part: ab-d"},
    {"W12-2", {.propagate = 1.10}, "reproduced: abcd"},
    {"W12-2", {.propagate = 1.12}, "in part: abc-"},
    {"W12-2",
     {.propagate = 0.89, .total = 1.12, .parallel = 1, .beta = 0.001},
     "not reproduced: ----"},
    {"W12-3", {.missing = "propagate"}, "not measured here"},
    {"W12-3", {.missing = "determine"}, "not measured here"},
    {"W12-3", {.alpha = 1.49}, "reproduced: abcd"},
    {"W12-3", {.alpha = 1.51}, "in part: -bcd"},
    {"W12-3", {.alpha = 0.6668}, "reproduced: abcd"}, /* just over 2/3 */
    {"W12-3", {.alpha = 0.6666}, "in part: -bcd"},
    {"W12-3", {.bend_alpha = 0.24}, "reproduced: abcd"},
    {"W12-3", {.bend_alpha = 0.26}, "in part: a-cd"},
    {"W12-3", {.bend_alpha = -0.26}, "in part: a-cd"},
    {"W12-3", {.bend_gamma = 0.24}, "reproduced: abcd"},
    {"W12-3", {.bend_gamma = 0.26}, "in part: a-cd"},
    {"W12-3", {.bend_gamma = -0.26}, "in part: a-cd"},
    {"W12-3", {.bend_beta = 0.26}, "in part: ab-d"},
    {"W12-3", {.bend_beta = -0.26}, "in part: ab-d"},
    /* G = 4 has its best P at 64, the others at 512 and 1024. */
    {"W12-3", {.odd = 0.01}, "in part: abc-"},
    {"W12-3", {.blocks = 32}, "not measured here"},
    /* beta/alpha is less than 2. */
    {"W12-4", {.alpha = 1.51, .gamma = 1.51}, "in part: -bcd"},
    {"W12-4", {.beta = 8.1, .total_beta = 8.1}, "in part: -bcd"},
    {"W12-4", {.gamma = 2.1}, "in part: a-cd"},
    {"W12-4", {.gamma = 0.49}, "in part: a-cd"},
    /* P_opt = 222 (256K), best P = 512: T = 128 and 64 for G = 4 and 8 instead of 55 and 28. Then
         * the totals' best P moves to P_opt, far below the paper's. */
    {"W12-4", {.beta = 8, .gamma = 0.5, .total_beta = 2.5}, "in part: ab-d"},
    {"W12-4", {.beta = 8, .gamma = 0.5, .total_beta = 24}, "in part: abc-"},
    /* None of the paper's G, one of them missing, and propagation that does not grow with P. */
    {"W12-4", {.blocks = 6}, "not measured here"},
    {"W12-4", {.blocks = 8}, "not measured here"},
    {"W12-4", {.beta = -1}, "not measured here"},
    {"W12-5", {.largest = 1.049}, "reproduced: a???"},
    {"W12-5", {.largest = 0.5}, "reproduced: a???"},
    {"W12-5", {.largest = 0.5, .blocks = 32}, "not measured here"},
    {"W12-5", {.largest = 1.051}, "not reproduced: -???"},
    {"W12-4", {.odd = 0.01}, "reproduced: abcd"},
    {"W12-2", {.propagate = 0.89}, "in part: abc-"},
};
static void test_gpu_cases(void)
{
    for (size_t i = 0; i < sizeof gpu_cases / sizeof *gpu_cases; i++) {
        const char *is = outcome(judged_gpu(gpu_cases[i].id, gpu_rows(gpu_cases[i].times)));
        EXPECT(same(is, gpu_cases[i].outcome), "case %zu, %s: it is '%s'", i, gpu_cases[i].id, is);
    }
}

/* The rows and one more at N = 256K. */
static const char *plus(const char *rows, const char *variant, int G, int T, const char *phase,
                        double ms)
{
    return text("%spscheme_gpu,%s,s,262144,,%d,%d,,,,,,%s,GPU,%.17g,,ok\n", rows, variant, G, T,
                phase, ms);
}

static void test_w12_2(void)
{
    test_gpu_claim("W12-2", "reproduced: abcd", 5);
    const char *good = gpu_rows(TIMES(0)), *past_l1 = good;
    const struct claim *claim = judged_gpu("W12-2", good);
    EXPECT_NUMBER(claim, 'a', 1, 2, 1e-12);
    /* At T = 128, P = 4096: N/P = 64 for each parallel phase, 3 P for propagation. */
    EXPECT_NUMBER(claim, 'b', 0, 100 * 12288.0 / 12416, 1e-12);
    claim = judged_gpu("W12-2", plus(plus(good, "block", 4, 1024, "precompute", 1000), "rearranged",
                                     4, 1024, "precompute", 1));
    EXPECT_NUMBER(claim, 'a', 0, 2, 1e-12); /* the median */
    EXPECT_NUMBER(judged_gpu("W12-2", gpu_rows(TIMES(.propagate = 0.89))), 'd', 0, 0.89, 1e-12);
    /* Past L1 the gain at G = 32, T >= 128 is shown. That at T = 64 does not count. */
    for (int T = 64; T <= 512; T *= 2)
        for (int i = 0; i < 2; i++) {
            const char *phase = i == 0 ? "propagate" : "total";
            past_l1 = plus(past_l1, "block_no_l1", 32, T, phase, T == 64 ? 9 : 1 + i + T / 512.0);
            past_l1 = plus(past_l1, "rearranged_no_l1", 32, T, phase, 1);
        }
    claim = judged_gpu("W12-2", past_l1);
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT_SHOWS(claim, "loads bypass L1: 1.50, and of the total: 2.50 (2.25 to 3.00)");
}

static void test_w12_3(void)
{
    test_gpu_claim("W12-3", "reproduced: abcd", 4);
    const char *good = gpu_rows(TIMES(0));
    const struct claim *claim =
        judged_gpu("W12-3", plus(plus(good, "rearranged", 4, 1024, "precompute", 1000),
                                 "rearranged", 4, 1024, "determine", 1));
    EXPECT_NUMBER(claim, 'a', 0, 1, 1e-12); /* the median */
    claim = judged_gpu("W12-3", plus(plus(good, "rearranged_no_l1", 4, 64, "precompute", 3),
                                     "rearranged_no_l1", 4, 64, "determine", 4));
    EXPECT_SHOWS(claim, "the same if loads bypass L1: 0.75");
    /* What limits pre-computation: at G = 4, T = 32 it takes 2048 ns. */
    const char *rows = plus(good, "rearranged_no_l1", 4, 64, "precompute", 8);
    rows = plus(rows, "rearranged_no_l1", 8, 64, "precompute", 2); /* 4 times in an octave */
    claim = judged_gpu("W12-3", plus(rows, "register", 4, 32, "precompute", 0.001));
    EXPECT_SHOWS(claim, "slope of pre-computation at N = 256K if loads bypass L1: -2.00");
    EXPECT_SHOWS(claim, "slope of pre-computation at N = 256K less the constant of a fit, ");
    EXPECT_SHOWS(claim, " us: -1.00");
    EXPECT_SHOWS(claim, "G = 4, and that of register, which only stores: 2.05 and 1 us (T = 32)");
}

static void test_w12_4(void)
{
    test_gpu_claim("W12-4", "reproduced: abcd", 6);
    const char *good = gpu_rows(TIMES(0)), *past_l1 = good;
    const struct claim *claim = judged_gpu("W12-4", good);
    EXPECT_NUMBER(claim, 'a', 0, 0.75, 1e-9); /* 3 over the paper's 4 */
    EXPECT_SHOWS(claim, "best T at N = 256K: 128 (G = 4), 64 (G = 8), 32 (G = 16), 16 (G = 32)");
    EXPECT_LABEL(claim, 'd', 0,
                 "of 4 G, N = 256K; at 1 of these the best T is exactly half the paper's, which "
                 "still holds");
    EXPECT(!has(clause_named(claim, 'd')->judged[0].label, "systematic"), "one of four");
    /* The best P is 1024 at each G, the paper's is 1024 or 512. */
    EXPECT_LABEL(judged_gpu("W12-4", gpu_rows(TIMES(.total_beta = 0.5))), 'd', 0,
                 "at 3 of these the best T is exactly twice the paper's, which still holds: a "
                 "systematic shift");
    for (int T = 16; T <= 512; T *= 2) {
        past_l1 = plus(past_l1, "rearranged_no_l1", 4, T, "precompute", 8192.0 / T);
        past_l1 = plus(past_l1, "rearranged_no_l1", 4, T, "propagate", T * 0.5);
        past_l1 = plus(past_l1, "rearranged_no_l1", 4, T, "determine", 2 * 8192.0 / T);
    }
    /* N/P = 65536/T, P = 4 T: alpha is 1/8, beta 1/8, gamma 1/4. */
    claim = judged_gpu("W12-4", past_l1);
    EXPECT_SHOWS(claim, "N = 256K if loads bypass L1: 1:1.00:2.00");
    /* The best T of G = 4 alone is far from both. */
    claim = judged_gpu("W12-4", gpu_rows(TIMES(.odd = 0.01)));
    EXPECT_NUMBER(claim, 'c', 1, 1, 0);
    EXPECT_NUMBER(claim, 'd', 0, 1, 0);
}

/* A row of the sweep over more blocks. */
static const char *more_row(double n, int blocks, int threads, double ms)
{
    return text("pscheme_gpu,rearranged,s,%.0f,,%d,%d,,,,,,total,GPU,%.17g,,ok\n", n, blocks,
                threads, ms);
}
/* 132 multiprocessors: times at G = 132 and 264, in units of the best of gpu_rows(TIMES(0)). The
 * parallel phases take 12 and 6 us at each T with 132 blocks, and 1/`gain` of that with 264. */
static const char *more_rows(double full, double twice, double gain)
{
    const char *rows = "";
    for (int i = 0; i < 2; i++) {
        double n = i == 0 ? 256 << 10 : 1 << 20, P = i == 0 ? 512 : 1024;
        double ms = 1e-6 * (2 * n / P + 3 * P); /* the least of gpu_rows(TIMES(0)) */
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
    const char *rows = gpu_rows(TIMES(0));
    const struct claim *claim = judged_gpu_more("W12-5", rows, more_rows(1.049, 1, 1.2));
    EXPECT_OUTCOME(claim, "reproduced: abcd");
    EXPECT_NUMBER(claim, 'b', 1, 1.049, 1e-12);
    EXPECT_NUMBER(claim, 'd', 1, 1 / 1.049, 1e-12);
    EXPECT_NUMBER(claim, 'c', 0, 1.2, 1e-12);
    EXPECT_SHOWS(claim, "N = 256K, a block for each multiprocessor: ");
    EXPECT_SHOWS(claim, "(G = 132, T = 8)");
    EXPECT_SHOWS(claim, "(G = 264, T = 4)");
    EXPECT_SHOWS(claim, "with twice this T: ");
    /* At T = 4 G = 264 takes 2/1.2 of G = 132, at T = 8 1/1.2. */
    EXPECT_SHOWS(claim, "G = 132 over G = 264 at the same T: 1.20 (0.60 to 1.20)");
    EXPECT_SHOWS(claim, "over one of 2 T: 1.67 (T = 4), 0.83 (T = 8)");
    EXPECT_SHOWS(claim, "(G = 4, T = 128; phases 0.512 + 1.54 + 0.512 us)");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1.051, 1.051, 1)), "in part: a-cd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.951, 1)), "in part: a-cd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.96, 1)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 0.94, 1)), "in part: a-c-");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(0.5, 0.5, 1)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 1.26)), "in part: ab-d");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 1.24)), "reproduced: abcd");
    EXPECT_OUTCOME(judged_gpu_more("W12-5", rows, more_rows(1, 1, 0.79)), "in part: ab-d");
    /* One number of blocks alone, or one N alone, judges none of them; totals alone not clause c.
     */
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
    test_gpu_claim("W12-5", "reproduced: a???", 3);
    const char *rows = gpu_rows(TIMES(0));
    EXPECT_NUMBER(judged_gpu("W12-5", gpu_rows(TIMES(.largest = 1.051))), 'a', 0, 1.051, 1e-12);
    /* T = 1024 was run at one G only. */
    EXPECT_OUTCOME(judged_gpu("W12-5", plus(rows, "block", 8, 1024, "total", 1)),
                   "not measured here");
    /* Half a warp: (32, 16) has the P of (16, 32), whose parallel phases take 1024 ns here. */
    EXPECT_SHOWS(judged_gpu("W12-5", rows), "(G/2, T = 32): 1.00 (1.00 to 1.00)");
    rows = plus(plus(rows, "rearranged", 16, 32, "determine", 256e-6), "rearranged", 16, 32,
                "precompute", 256e-6);
    EXPECT_SHOWS(judged_gpu("W12-5", rows), "(G/2, T = 32): 1.00 (1.00 to 2.00)");
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
    EXPECT_SHOWS(claim,
                 "speed-up of P-scheme over one CPU thread at N = 256K: 10.00 (G = 32, T = 64)");
    EXPECT_SHOWS(claim, "PCR at its best G and T over one CPU thread at N = 256K: 20.00 (G = 264");
    EXPECT(claim->shown_count == 5 && shows(claim, "2.00 (T = 256)"), "%zu shown",
           claim->shown_count);
    claim = judged("W12-6", text("%spcr,copy,s,4096,,,,,,,,,total,GPU,2,6e6,ok\n"
                                 "pcr,pcr,s,1048576,,528,512,,,,,,total,GPU,1,7e6,ok\n",
                                 more_pcr(1.5, 4.5)));
    EXPECT_SHOWS(claim, "at its best G and T at N = 1M: 7 GB/s; a large copy: 3 GB/s");
}

static void test_w12_6(void)
{
    const struct claim *claim = judged("W12-6", pcr_rows(4, 5, "ok"));
    EXPECT_OUTCOME(claim, "in part: a-?");
    EXPECT_NUMBER(claim, 'a', 0, 2, 0);
    EXPECT_NUMBER(claim, 'a', 1, 1.25, 0);
    EXPECT_NUMBER(claim, 'b', 0, 2 / (1.935 / 1.32), 1e-15);
    EXPECT_NUMBER(claim, 'b', 1, 1.25 / (4.48 / 1.25), 1e-15);
    /* At 256K the factor is 2 over 1.47; at 1M it must be 0.69 to 1.5 times 3.58: 2.48 to 5.38. */
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 2.47, "ok")), "in part: a-?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 2.48, "ok")), "reproduced: ab?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 5.37, "ok")), "reproduced: ab?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(1, 5.38, "ok")), "in part: a-?");
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "ok")), "not reproduced: --?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 5, "ok")), "not reproduced: --?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "wrong")), "in part: a-?"); /* 99 over 5 */
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(5, 4, "disturbed")), "in part: a-?");
    EXPECT_OUTCOME(judged("W12-6", pcr_rows(NAN, 4, "ok")), "not measured here");

    /* clauses a and b are the paper's setting alone, clause c the best of each. */
    claim = judged("W12-6", more_pcr(1.5, 4.5));
    EXPECT_OUTCOME(claim, "reproduced: abc");
    EXPECT_NUMBER(claim, 'a', 0, 2, 0);
    EXPECT_NUMBER(claim, 'c', 0, 1.5, 0);
    EXPECT_OUTCOME(judged("W12-6", more_pcr(0.9, 4.5)), "in part: ab-");
    EXPECT_OUTCOME(judged("W12-6", more_pcr(1.5, 2)), "in part: ab-");
    EXPECT_OUTCOME(judged("W12-6", more_pcr(3, 5)), "reproduced: abc");
    EXPECT_NUMBER(judged("W12-6", more_pcr(3, 6)), 'c', 0, 2, 0);
    claim = judged("W12-6", text("%spcr,pcr,s,262144,,32,1024,,,,,,total,GPU,0.5,,ok\n",
                                 pcr_rows(4, 5, "ok")));
    EXPECT_OUTCOME(claim, "in part: a-?"); /* T = 1024 is not the paper's */
    /* The best of P-scheme is also that of pscheme_gpu, at any G. */
    claim = judged_both(more_pcr(1.5, 4.5), "pscheme_gpu,rearranged,s,262144,,8,128,,,,,,total,GPU,"
                                            "0.5,,ok\n");
    EXPECT_OUTCOME(claim, "reproduced: abc");
    EXPECT_NUMBER(claim, 'c', 0, 3, 0);
    struct run run = run_of("pcr.csv", more_pcr(1.5, 4.5));
    EXPECT(run_add(&run, "pscheme_gpu_blocks.csv",
                   COLUMNS "pscheme_gpu,rearranged,s,262144,,132,8,,,,,,total,GPU,0.25,,ok\n"),
           "rows of more blocks");
    EXPECT_NUMBER(judged_by("W12-6", &run), 'c', 0, 6, 0);
    test_pcr_speeds();
}

void test_claims_w12(void)
{
    test_w12_1();
    test_gpu_cases();
    test_w12_2();
    test_w12_3();
    test_w12_4();
    test_w12_5();
    test_more_blocks();
    test_w12_6();
}
