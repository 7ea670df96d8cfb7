/* Tests of automatic pivoting (TRIDIAGONAL_PIVOT_AUTO). The solution of a dominant system must
 * have the bits of the one without pivoting. A single row that is not dominant must make the
 * solver pivot. LAPACK's types of matrices and random hard systems must be solved as accurately
 * as with pivoting. */
#include "test/hard_systems.h"
#include "test/tridiagonal_test.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

static const enum tridiagonal_way WAYS[] = {TRIDIAGONAL_RESIDENT, TRIDIAGONAL_PARTLY_RESIDENT,
                                            TRIDIAGONAL_TWO_PASS};

/* Solves the case with another value of `pivot`. Returns true if the status is 0 and x, with the
 * memory around it (its image, tridiagonal_case.h), has the bytes of `x`. */
static bool has_bits_of(struct tridiagonal_case *c, int pivot, const void *x)
{
    struct tridiagonal t = c->t;
    t.pivot = pivot;
    return case_solve(c, &t) == 0 && memcmp(x, c->host[X], case_image_bytes(c, X)) == 0;
}

/* Fills the arrays with real numbers, also in the complex types: products of complex numbers whose
 * imaginary parts are not 0 may be rounded differently in two kernels, depending on which of their
 * terms the compiler computes by fused multiply-adds. */
static void fill_dominant(const struct tridiagonal_case *c, uint64_t seed)
{
    struct random r = {seed};
    const int64_t rows = c->s.toeplitz ? 1 : c->s.n;
    for (int64_t i = 0; i < rows; i++) {
        double sub = random_uniform(&r, -1, 1), super = random_uniform(&r, -1, 1);
        case_put_row(c, i, sub, 1.5 * (fabs(sub) + fabs(super)), super);
    }
    for (int64_t i = 0; i < c->elements; i++)
        case_put(c, RHS, i, random_uniform(&r, -1, 1));
    case_upload(c);
}

static void check_dominant(const struct shape &s, enum tridiagonal_way way, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c = case_make(s, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, seed);
    c.t.way = way;
    fill_dominant(&c, seed);
    void *x = memory_host(&c.memory, case_image_bytes(&c, X));
    long long status = case_solve(&c, &c.t);
    memcpy(x, c.host[X], case_image_bytes(&c, X));
    EXPECT(status == 0 && has_bits_of(&c, TRIDIAGONAL_PIVOT_NEVER, x),
           "%s: status %lld, or other bits than without pivoting", case_text(&c), status);
    case_close(&c);
}

/* The system is dominant but for row `at`, whose sub and super are 1/2. */
static void check_one_row(char type, enum tridiagonal_way way, int64_t n, int64_t at, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c =
        case_make({.type = type, .n = n}, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, seed);
    c.t.way = way;
    void *x = memory_host(&c.memory, case_image_bytes(&c, X));
    const bool inner = at > 0 && at < n - 1;
    fill_dominant(&c, seed);
    /* index 2: as small as it may be. The test for complex types is not exact in the first and the
     * last row, where one of sub and super has no effect. */
    const double diags[] = {0, inner ? 0.999 : 0.499, inner ? 1 : is_complex(type) ? 0.71 : 0.5};
    for (int k = 0; k < 3; k++) {
        case_put_row(&c, at, -0.5, diags[k], 0.5);
        case_upload(&c);
        long long status = case_solve(&c, &c.t);
        EXPECT(status == 0 && case_errors(&c).rows <= BOUND,
               "%s, diag %g in row %lld: status %lld, backward error %g u", case_text(&c), diags[k],
               (long long)at, status, case_errors(&c).rows);
        memcpy(x, c.host[X], case_image_bytes(&c, X));
        bool plain = has_bits_of(&c, TRIDIAGONAL_PIVOT_NEVER, x);
        EXPECT(plain == (k == 2), "%s, diag %g in row %lld: the bits are %sthose without pivoting",
               case_text(&c), diags[k], (long long)at, plain ? "" : "not ");
        /* With pivoting the resident kernels have other numbers of threads, except in type s. */
        EXPECT(k == 2 || (way != TRIDIAGONAL_TWO_PASS && type != 's') ||
                   has_bits_of(&c, TRIDIAGONAL_PIVOT_ALWAYS, x),
               "%s, diag %g in row %lld: other bits than with pivoting", case_text(&c), diags[k],
               (long long)at);
    }
    case_close(&c);
}

static void check_borders(char type, bool all, uint64_t seed)
{
    struct random r = {seed};
    struct cuts cut = tridiagonal_cuts(type, TRIDIAGONAL_PIVOT_AUTO),
                first = tridiagonal_cuts(type, TRIDIAGONAL_PIVOT_NEVER);
    int k = 0;
    for (enum tridiagonal_way way : WAYS) {
        bool two_pass = way == TRIDIAGONAL_TWO_PASS;
        int64_t n = two_pass ? first.pass1_lane + first.thread + 3 : cut.block + 2 * cut.chunk + 3;
        if (way == TRIDIAGONAL_PARTLY_RESIDENT)
            n = cut.resident[3] + cut.block + 3;
        for (int64_t at : {(int64_t)0, n - 1, n / 2, cut.chunk - 1, cut.chunk, 32 * cut.chunk - 1,
                           32 * cut.chunk, cut.block - 1, cut.block, first.thread, cut.thread - 1,
                           first.group - 1, first.group, first.pass1_lane - 1, first.pass1_lane})
            if (at < n &&
                (all || at == 0 || at == n - 1 || k++ % 2 == 0 || random_bits(&r) % 4 == 0))
                check_one_row(type, way, n, at, seed);
        for (struct shape s : {shape{.n = n}, shape{.n = n, .periodic = true},
                               shape{.n = n / 3, .sides = 2, .stride = n, .toeplitz = true},
                               shape{.n = n / 3, .sides = 2, .stride = n, .in_place = true}}) {
            s.type = type;
            check_dominant(s, way, seed);
        }
    }
}

/* ---- hard systems ---- */

static void check_lapack(char type, int64_t n, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c =
        case_make({.type = type, .n = n}, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, seed);
    for (int which = 1; which <= LAPACK_TYPES; which++)
        for (enum tridiagonal_way way : WAYS) {
            if (!lapack_fill(which, type, n, seed, case_host(&c, SUB), case_host(&c, DIAG),
                             case_host(&c, SUPER), case_host(&c, RHS), case_host(&c, X)))
                continue;
            case_upload(&c);
            c.t.way = way;
            long long status = case_solve(&c, &c.t);
            double error = status == 0 ? case_errors(&c).rows : 0;
            /* 8 eps, as the accuracy experiment allows the solver with pivoting */
            EXPECT(lapack_is_singular(which) ? status > 0 && status <= n
                                             : status == 0 && error <= 16,
                   "%s, LAPACK's type %d (%s): status %lld, backward error %g u", case_text(&c),
                   which, lapack_text(which), status, error);
        }
    case_close(&c);
}

/* Solves random systems. If the status is 0, the residual must be small. If not, the solver with
 * pivoting must break down, too, where both have the same number of threads. */
static void check_families(char type, int64_t count, uint64_t seed)
{
    enum { MOST = 600 };
    struct random r = {seed};
    /* one case for all systems, which use the first elements of its arrays */
    struct tridiagonal_case largest =
        case_make({.type = type, .n = MOST}, TRIDIAGONAL_PIVOT_AUTO, SKEW, seed);
    int64_t solved = 0;
    double worst = 0;
    for (int64_t k = 0; k < count; k++) {
        int family = (int)(k % FAMILIES), turn = (int)(k / FAMILIES % 16);
        int64_t n = 1 + (int64_t)(random_bits(&r) % (k / FAMILIES % 50 ? 40 : MOST));
        struct tridiagonal_case c = largest;
        c.s.n = c.t.n = c.elements = n;
        c.t.rhs = k % 7 == 1 ? c.t.x : c.t.rhs;
        uint64_t begin = r.state;
        family_fill(family, type, n, &r, case_host(&c, SUB), case_host(&c, DIAG),
                    case_host(&c, SUPER), case_host(&c, RHS));
        case_upload(&c);
        c.t.way = WAYS[turn < 11 ? 0 : turn < 12 ? 1 : 2];
        long long status = case_solve(&c, &c.t);
        double error = status == 0 ? case_errors(&c).rows : 0;
        EXPECT(status == 0 ? error <= BOUND : status > 0 && status <= n,
               "%s, %s, random number %llu: status %lld, backward error %g u", case_text(&c),
               family_text(family), (unsigned long long)begin, status, error);
        if (status > 0 && (type == 's' || c.t.way == TRIDIAGONAL_TWO_PASS)) {
            struct tridiagonal t = c.t;
            t.pivot = TRIDIAGONAL_PIVOT_ALWAYS;
            EXPECT(case_solve(&c, &t) > 0, "%s, %s, random number %llu: pivoting solves it",
                   case_text(&c), family_text(family), (unsigned long long)begin);
        }
        solved += status == 0;
        worst = fmax(worst, error);
    }
    case_close(&largest);
    printf(
        "automatic pivoting, type %c: %lld of %lld hard systems solved, the others are singular; "
        "largest backward error %.3g u of a row\n",
        type, (long long)solved, (long long)count, worst);
}

void tridiagonal_check_automatic(bool all, uint64_t seed)
{
    for (char type : {'s', 'd', 'c', 'z'}) {
        check_borders(type, all, seed);
        check_lapack(type, 130, seed);
        check_families(type, all ? 250000 : expect_few ? 500 : 5000, seed);
    }
}
