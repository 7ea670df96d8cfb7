/* Tests of the claims of W13: small made-up CSV files that flip each verdict. */
#include "test_report.h"

/* Best totals at N = 256K, G = 32: x[0] and x[1] ms without rearrangement in cases M and H; with it
 * 1 ms, in case H x[2] ms at T = 256. */
static const char *layout_rows(const double x[4])
{
    return text("pscheme_g,cpu_paper,s,262144,,,,,1,,,M,total,CPU,100,,ok\n"
                "pscheme_g,cpu_paper,s,262144,,,,,1,,,H,total,CPU,300,,ok\n"
                "pscheme_g,block,s,262144,,32,64,,,,,M,total,GPU,%g,,ok\n"
                "pscheme_g,block,s,262144,,32,128,,,,,M,total,GPU,9,,ok\n"
                "pscheme_g,block,s,262144,,16,64,,,,,M,total,GPU,0.1,,ok\n"
                "pscheme_g,block,s,262144,,32,64,,,,,H,total,GPU,%g,,ok\n"
                "pscheme_g,extended,s,262144,,32,64,,,,,M,total,GPU,2,,ok\n"
                "pscheme_g,extended,s,262144,,32,128,,,,,M,total,GPU,1,,ok\n"
                "pscheme_g,extended,s,262144,,32,128,,,,,H,total,GPU,1,,%s\n"
                "pscheme_g,extended,s,262144,,32,256,,,,,H,total,GPU,%g,,ok\n",
                x[0], x[1], x[3] == 0 ? "ok" : "wrong", x[2]);
}

static void test_w13_1(void)
{
    /* The gains of clause b are 0.36 to 0.5625 in case M and 0.184 to 0.2875 in case H. In case H
     * the best T are 256, then a near tie with 128, which is near enough to 64. */
    static const struct made made[] = {
        {{1.4, 1.2, 2}, "abc"},    {{1.56, 1.28, 2}, "abc"}, {{1.57, 1.2, 2}, "a-c"},
        {{1.4, 1.29, 2}, "a-c"},   {{1.35, 1.2, 2}, "a-c"},  {{1.4, 1.18, 2}, "a-c"},
        {{1.4, 0.99, 2}, "--c"},   {{1, 1, 2}, "--c"},       {{1.428, 1.224, 0.97}, "ab-"},
        {{1.4, 1.2, 0.99}, "abc"}, {{1.4, 1.2, NAN, 1}, ""}, {{1.4, NAN, 2}, ""}};
    EXPECT_MADE("W13-1", layout_rows, made);
    const struct claim *claim = judged("W13-1", layout_rows((double[4]){1.4, 1.2, 2}));
    EXPECT_NUMBER(claim, 'a', 1, 1.2, 0);
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_NUMBER(judged("W13-1", layout_rows((double[4]){NAN, 1.2, 2})), 'a', 0, 9, 0);
}

/* Times through global memory at both sizes of the text. x[2]: those that are wrong, 1 or 2. */
static const char *transpose_rows(const double x[4])
{
    return text("pscheme_g,transpose_global,s,256000,,,,,,,,,rearrange,GPU,%g,8,%s\n"
                "pscheme_g,transpose_tile,s,256000,,,,,,,,,rearrange,GPU,1,8,ok\n"
                "pscheme_g,transpose_global,s,1000000,,,,,,,,,rearrange,GPU,%g,8,ok\n"
                "pscheme_g,transpose_tile,s,1000000,,,,,,,,,rearrange,GPU,2,8,ok\n"
                "pscheme_g,transpose_tile,s,1000000,,,,,,,,,rearrange,GPU,0.1,8,wrong\n"
                "pscheme_g,transpose_tile,d,1000000,,,,,,,,,rearrange,GPU,0.1,8,ok\n"
                "pscheme_g,transpose_global,s,262144,,,,,,,,,rearrange,GPU,99,8,ok\n"
                "pscheme_g,transpose_tile,s,262144,,,,,,,,,rearrange,GPU,1,8,ok\n",
                x[0], x[2] == 0 ? "ok" : "wrong", x[1]);
}

static void test_w13_2(void)
{
    static const struct made made[] = {
        {{1.9, 6.5}, "a"}, {{1.79, 5}, "-"}, {{2, 6.7}, "-"}, {{2, 5, 1}, ""}, {{2, NAN}, ""}};
    EXPECT_MADE("W13-2", transpose_rows, made);
    const char *rows = transpose_rows((double[4]){1.9, 6.5});
    const struct claim *claim = judged("W13-2", rows);
    EXPECT_NUMBER(claim, 'a', 1, 3.25, 0);
    EXPECT(clause_named(claim, 'a')->count == 2, "the sizes of the text only");
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_OUTCOME(
        judged_with("W13-2", rows, "pscheme_g_16M.csv",
                    COLUMNS "pscheme_g,transpose_tile,s,256000,,,,,,,,,rearrange,GPU,0.1,8,ok\n"),
        "a");
}

/* Times of pscheme_g at one N that follow the paper's model with beta = 1: alpha N/P, P and gamma
 * N/P ns. The totals follow a model of their own: total N/P + P. A member that is 0 or NULL has a
 * value for which W13-3 to W13-6 hold. */
struct times {
    double n, alpha[3], gamma, total[3]; /* for cases L, M, H */
    double launch;                       /* ns, in each phase beside the model */
    double largest;                      /* factor of the totals at G = 128, the largest G */
    double speedup[3];                   /* best speed-up over cpu_paper */
    double soa[3];                       /* pre-computation of soa over that of extended */
    const char *status;                  /* of case H */
    double blocks;                       /* the first G */
};
#define TIMES(...) ((struct times){__VA_ARGS__})

static const char *gpu_rows(struct times t)
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    static const double alphas[] = {1.6, 20, 91.7}, totals[] = {2.7, 21.1, 92.8},
                        speedups[] = {8, 200, 400};
    const double n = or_else(t.n, 1e6);
    char *rows = keep(100000), *to = rows;
    for (int c = 0; c < 3; c++) {
        double best = INFINITY;
        for (double G = or_else(t.blocks, 16); G <= 128; G *= 2)
            for (double T = 16; T <= 256; T *= 2) {
                double P = G * T, larger = G == 128 ? or_else(t.largest, 1.1) : G == 64 ? 1.02 : 1;
                double ns[] = {or_else(t.alpha[c], alphas[c]) * n / P + t.launch, P + t.launch,
                               or_else(t.gamma, 1.1) * n / P + t.launch,
                               (or_else(t.total[c], totals[c]) * n / P + P) * larger};
                for (int i = 0; i < 8; i++) {
                    double soa = i / 2 == 0 ? or_else(t.soa[c], 1.1) : 2;
                    bool own = i % 2 == 0;
                    to += sprintf(to, "pscheme_g,%s,s,%.0f,,%.0f,%.0f,,,,,%c,%s,GPU,%.17g,,%s\n",
                                  own ? "extended" : "soa", n, G, T, "LMH"[c], phase[i / 2],
                                  1e-6 * ns[i / 2] * (own ? 1 : soa),
                                  own && c == 2 && t.status != NULL ? t.status : "ok");
                }
                best = fmin(best, ns[3] * 1e-6);
            }
        to += sprintf(to, "pscheme_g,cpu_paper,s,%.0f,,,,,1,,,%c,total,CPU,%.17g,,ok\n", n,
                      "LMH"[c], best * or_else(t.speedup[c], speedups[c]));
    }
    return rows;
}

/* Appends rows that must not count: a very short time that is wrong, one that is disturbed, one
 * in double precision, and a row without a time. */
static const char *with_bad_rows(const char *rows, const char *phase)
{
    return text("%spscheme_g,extended,s,1000000,,64,64,,,,,H,%s,GPU,1e-9,,wrong\n"
                "pscheme_g,extended,s,1000000,,64,64,,,,,H,%s,GPU,1e-9,,disturbed\n"
                "pscheme_g,extended,s,1000000,,64,64,,,,,H,%s,GPU,,,ok\n"
                "pscheme_g,extended,d,1000000,,64,64,,,,,H,%s,GPU,1e-9,,ok\n",
                rows, phase, phase, phase, phase);
}

static const struct {
    const char *id;
    struct times times;
    const char *outcome;
} cases[] = {
    {"W13-3", {.alpha[1] = 41}, "-b"},
    {"W13-3", {.gamma = 2.3}, "a-"},
    {"W13-3", {.gamma = 0.5, .alpha[0] = 3.3}, "--"},
    {"W13-3", {.gamma = 0.5, .alpha[0] = -1}, ""},
    {"W13-3", {.launch = 3000}, "ab"}, /* a constant in each phase does not count */
    /* Case L: P_opt 986, best G·T 4096; 4107 and 4096; 1000 and 512, where G = 128 has at least
     * 2048 threads, so clause d fails, too. The paper: 1643, 2048. */
    {"W13-4", {.gamma = 0.572, .alpha[0] = 0.4, .total[0] = 16.8}, "-bcd"},
    {"W13-4", {.alpha[0] = 15.77, .total[0] = 16.8}, "a-cd"},
    {"W13-4", {.gamma = 0.572, .alpha[0] = 0.428, .total[0] = 0.26}, "ab--"},
    {"W13-4", {.launch = 5e4}, "abcd"},     /* a constant in each phase does not count */
    {"W13-4", {.blocks = 32}, ""},          /* G = 16 is missing */
    {"W13-4", {.alpha[0] = -2}, ""},        /* no P_opt */
    {"W13-5", {.speedup[2] = 199}, "--cd"}, /* not above case M */
    {"W13-5", {.speedup[2] = 199, .speedup[1] = 190}, "a-cd"},
    {"W13-5", {.speedup[0] = 4.7}, "a-cd"}, /* 0.66 of 7.1 */
    {"W13-5", {.speedup[0] = 4.8, .speedup[1] = 276}, "a-cd"},
    {"W13-5", {.largest = 1}, "ab--"}, /* equal is not worse */
    {"W13-5", {.largest = 0.9}, "ab--"},
    {"W13-5", {.largest = 1.19}, "abcd"},
    {"W13-5", {.largest = 1.21}, "ab--"},
    {"W13-5", {.speedup[1] = NAN}, ""}, /* no cpu_paper */
    {"W13-5", {.blocks = 32}, "ab??"},  /* no eighth of the largest G, not all of the paper's */
    {"W13-8", {.largest = 1.019}, "ab"},
    {"W13-8", {.largest = 1.021}, "--"},
    {"W13-8", {.largest = 0.9}, "ab"},
    {"W13-8", {.blocks = 32}, ""},
    {"W13-6", {.soa[1] = 1.04}, "?-"},
};
static void test_gpu_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *is = outcome(judged(cases[i].id, gpu_rows(cases[i].times)));
        EXPECT(same(is, cases[i].outcome), "case %zu, %s: it is '%s'", i, cases[i].id, is);
    }
    static const char *const whole[][2] = {
        {"W13-3", "ab"}, {"W13-4", "abcd"}, {"W13-5", "abcd"}, {"W13-6", "?b"}, {"W13-8", "--"}};
    for (size_t i = 0; i < 5; i++) {
        const char *id = whole[i][0], *holds = whole[i][1], *good = gpu_rows(TIMES(0));
        EXPECT_OUTCOME(judged(id, good), holds);
        EXPECT_DEVICE(judged(id, good), "GPU");
        EXPECT_OUTCOME(judged(id, with_bad_rows(good, "total")), holds);
        EXPECT_OUTCOME(judged(id, with_bad_rows(good, "precompute")), holds);
        EXPECT_OUTCOME(judged(id, gpu_rows(TIMES(.n = 1 << 20))), holds);
        EXPECT_OUTCOME(judged(id, gpu_rows(TIMES(.n = 1 << 19))), "");
        EXPECT_OUTCOME(judged(id, gpu_rows(TIMES(.status = "disturbed"))), "disturbed");
        EXPECT_OUTCOME(judged(id, gpu_rows(TIMES(.status = "wrong"))), "");
    }
}

/* The rows and one more, a total of `extended` at 10^6. */
static const char *plus(const char *rows, char case_, int G, int T, double ms)
{
    return text("%spscheme_g,extended,s,1000000,,%d,%d,,,,,%c,total,GPU,%g,,ok\n", rows, G, T,
                case_, ms);
}

static void test_numbers(void)
{
    const char *good = gpu_rows(TIMES(0)), *more = gpu_rows(TIMES(.largest = 2));
    const struct claim *claim;
    /* Clauses c and d take the paper's G alone: at G = 132 case L has its best total at 8448. */
    claim = judged("W13-4", plus(good, 'L', 132, 64, 1e-4));
    EXPECT_OUTCOME(claim, "-bcd");
    EXPECT_NUMBER(claim, 'c', 0, 1, 0);
    EXPECT_NUMBER(claim, 'd', 0, 1, 0);
    /* At G = 64 alone the best G·T of case L is 1024, then 8192: 2 and 4 times from the others. A
     * near tie does not count. */
    claim = judged("W13-4", plus(good, 'L', 64, 16, 0.00332));
    EXPECT_OUTCOME(claim, "abcd");
    EXPECT_NUMBER(claim, 'd', 0, 2, 0);
    EXPECT_OUTCOME(judged("W13-4", plus(good, 'L', 64, 128, 0.00332)), "abc-");
    EXPECT_NUMBER(judged("W13-4", plus(good, 'L', 64, 128, 0.0034)), 'd', 0, 1, 0);
    /* Nor does it in clauses a and c: at G = 16 8192 is 1% faster than 2048, then 5%. */
    EXPECT_OUTCOME(judged("W13-4", plus(good, 'L', 16, 512, 0.00333)), "abcd");
    EXPECT_OUTCOME(judged("W13-4", plus(good, 'L', 16, 512, 0.0032)), "-b--");
    /* Without one of two, four and eight blocks a multiprocessor nothing is eight of them. */
    EXPECT_OUTCOME(judged("W13-8", plus(plus(good, 'M', 132, 64, 1), 'H', 132, 64, 1)), "-?");
    EXPECT_NUMBER(judged("W13-8", gpu_rows(TIMES(.largest = 0.9))), 'a', 0, 0.9, 1e-9);
    /* 132 multiprocessors: what counts is G = 1056, and the paper's 128 by itself. The speed-ups
     * grow with the shorter times. */
    for (int k = 0; k < 3; k++)
        for (int G = 132; G <= 1056; G *= 2)
            more = plus(more, "LMH"[k], G, 16, G == 1056 ? 1.1e-3 : 1e-3);
    claim = judged("W13-5", more);
    EXPECT_OUTCOME(claim, "a-c-");
    EXPECT_NUMBER(claim, 'c', 1, 1.1, 1e-9);
    EXPECT_NUMBER(claim, 'd', 1, 2, 1e-9);
    claim = judged("W13-8", more);
    EXPECT_OUTCOME(claim, "--");
    EXPECT_NUMBER(claim, 'a', 0, 2, 1e-9);
    EXPECT_NUMBER(claim, 'b', 1, 1.1, 1e-9);
}

static void test_w13_6(void)
{
    /* All sizes count: at two of three pre-computation gains nothing. */
    const char *first = gpu_rows(TIMES(0));
    EXPECT_OUTCOME(
        judged("W13-6", text("%s%s%s", first, gpu_rows(TIMES(.n = 256 << 10, .soa[0] = 1)),
                             gpu_rows(TIMES(.n = 1 << 20, .soa[0] = 1)))),
        "?-");
    /* The profiler counts for all cases and both kernels of soa. */
    static const char name[] = "ncu_wakatani2013.csv",
                      profile[] =
                          "variant,case,kernel,instructions,branches,branches_divergent\n"
                          "soa,L,precompute,50,60,0\nsoa,M,precompute,50,40,0\n"
                          "soa,L,determine,9,100,%d\nextended,L,determine_extended,9,99,99\n"
                          "extended,L,precompute_extended,40,99,99\n";
    const struct claim *claim = judged_with("W13-6", first, name, text(profile, 2));
    EXPECT_OUTCOME(claim, "ab");
    EXPECT_NUMBER(claim, 'a', 0, 1, 0);
    EXPECT_OUTCOME(judged_with("W13-6", first, name, text(profile, 1)), "-b");
    EXPECT_OUTCOME(judged_with("W13-6", first, name, "variant,case,kernel,branches\n"), "?b");
}

/* x[0], x[1], x[2]: P-scheme over the substitution at three sizes, NaN for none. */
static const char *fig1_rows(const double x[4])
{
    const char *rows = "pscheme_cpu,recurrence_pscheme,s,1024,,,,,2,,,,total,CPU,1,,ok\n"
                       "pscheme_cpu,recurrence_pscheme,d,1024,,,,,1,,,,total,CPU,1,,ok\n"
                       "pscheme_cpu,pscheme_eq13,s,1024,,,,,1,,,,total,CPU,1,,ok\n";
    for (int i = 0; i < 3; i++)
        rows = joined(rows, "",
                      "pscheme_cpu,recurrence,s,%d,,,,,1,,,,total,CPU,10,,ok\n"
                      "pscheme_cpu,recurrence_pscheme,s,%d,,,,,1,,,,total,CPU,%g,,ok\n",
                      1024 << i, 1024 << i, 10 * x[i]);
    return rows;
}

/* x[0]: fused over ends at N = 1M in case H. x[1]: total over the sum of its phases in case M, at
 * the best of two (G, T). x[2]: that at the other, NaN for no phases. */
static const char *parts_rows(const double x[4])
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    const char *rows = "";
    for (int c = 0; c < 3; c++) {
        for (int n = 1 << 18; n <= 1 << 20; n *= 4)
            rows = joined(rows, "",
                          "pscheme_g,ends,s,%d,,16,64,,,,,%c,total,GPU,1,,ok\n"
                          "pscheme_g,fused,s,%d,,32,16,,,,,%c,total,GPU,%g,,ok\n",
                          n, "LMH"[c], n, "LMH"[c], c == 2 && n == 1 << 20 ? x[0] : 1);
        for (int i = 0; i < 8; i++) {
            double ms = i == 3   ? 6 * (c == 1 ? x[1] : 1)
                        : i == 7 ? 60 * x[2]
                                 : i / 4 * 18 + 1 + i % 4;
            rows = joined(rows, "", "pscheme_g,extended,s,1000000,,16,%d,,,,,%c,%s,GPU,%g,,ok\n",
                          i < 4 ? 64 : 32, "LMH"[c], phase[i % 4], ms);
        }
    }
    return rows;
}

static void test_w13_7_and_9(void)
{
    static const struct made made_7[] = {
        {{2, 2, 2}, "a"},       {{1, 1.51, 9}, "a"},  {{1.49, 1.49, 9}, "-"}, {{9, 2.99, 1}, "a"},
        {{3.01, 3.01, 1}, "-"}, {{NAN, 2, NAN}, "a"}, {{NAN, NAN, NAN}, ""}};
    EXPECT_MADE("W13-7", fig1_rows, made_7);
    EXPECT_DEVICE(judged("W13-7", fig1_rows((double[4]){2, 2, 2})), "CPU");
    static const struct made made_9[] = {
        {{1, 1, 1}, "ab"},    {{0.81, 1, 1}, "ab"},  {{0.79, 1, 1}, "-b"},  {{1.24, 1, 1}, "ab"},
        {{1.26, 1, 1}, "-b"}, {{1, 1.019, 1}, "ab"}, {{1, 1.021, 1}, "a-"}, {{1, 0.9, 2}, "ab"},
        {{NAN, 1, 1}, ""},    {{1, NAN, NAN}, ""}};
    EXPECT_MADE("W13-9", parts_rows, made_9);
    EXPECT_DEVICE(judged("W13-9", parts_rows((double[4]){1, 1, 1})), "GPU");
}

void test_claims_w13(void)
{
    test_w13_1();
    test_w13_2();
    test_gpu_cases();
    test_numbers();
    test_w13_6();
    test_w13_7_and_9();
}
