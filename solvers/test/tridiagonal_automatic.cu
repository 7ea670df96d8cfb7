/* Tests of automatic pivoting (TRIDIAGONAL_PIVOT_AUTO). Dominant systems must have the bits of the
 * solver without pivoting, and one row that is not dominant must switch to pivoting. LAPACK's types
 * of matrices and random systems of hard families must be solved as well as with pivoting. */
#include "test/matrices.h"
#include "test/tridiagonal_test.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

static const enum tridiagonal_way WAYS[] = {TRIDIAGONAL_RESIDENT, TRIDIAGONAL_PARTLY_RESIDENT,
                                            TRIDIAGONAL_TWO_PASS};

/* Solves the case with another value of `pivot`. Returns true if the status is 0 and the image of x
 * is the same as `x`. */
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
        for (int periodic = 0; periodic < 2; periodic++) {
            check_dominant({.type = type, .n = n, .periodic = periodic == 1}, way, seed);
            check_dominant({.type = type,
                            .n = n / 3,
                            .sides = 2,
                            .stride = n,
                            .toeplitz = periodic == 0,
                            .in_place = periodic == 1},
                           way, seed);
        }
    }
}

/* ---- LAPACK's types ---- */

/* The twelve types of matrices with which LAPACK tests its tridiagonal solvers (xDRVGT). Types 4 to
 * 6 are made by LAPACK's xLATMS, as matrix 9 of matrices.h. Types 2 and 3 consist of blocks of two
 * rows here: a rotation, a diagonal with this condition number, and another rotation. */
static const char *const lapack_types[] = {"",
                                           "diagonal",
                                           "condition 2",
                                           "condition 1 / sqrt(eps)",
                                           "condition 1 / eps",
                                           "as 4, near underflow",
                                           "as 4, near overflow",
                                           "random",
                                           "first column 0",
                                           "last column 0",
                                           "last n / 2 columns 0",
                                           "random, near underflow",
                                           "random, near overflow"};

static void put_random_row(const struct tridiagonal_case *c, int64_t i, struct random *r)
{
    for (int a = SUB; a <= SUPER; a++) {
        double re = random_uniform(r, -1, 1), im = random_uniform(r, -1, 1);
        case_put(c, a, i, re, im);
    }
}
static void scale_arrays(const struct tridiagonal_case *c, double by)
{
    int parts = is_complex(c->s.type) ? 2 : 1;
    char real = real_type(c->s.type);
    for (int a = SUB; a <= RHS; a++)
        for (int64_t i = 0; i < parts * c->s.n; i++)
            put(real, case_host(c, a), i, by * get(real, case_host(c, a), i));
}
/* Makes one of the types. rhs is A x for a random x. Returns false if this build cannot. */
static bool fill_lapack(const struct tridiagonal_case *c, int which, uint64_t seed)
{
    const char type = c->s.type;
    const int64_t n = c->s.n;
    const bool single = real_type(type) == 's';
    const double small = single ? 0x1p-104 : 0x1p-970, pi = 3.14159265358979;
    struct random r = {seed + (uint64_t)which};
    if (which >= 4 && which <= 6) {
        if (!matrix_fill(9, type, n, seed, case_host(c, SUB), case_host(c, DIAG),
                         case_host(c, SUPER)))
            return false;
    } else
        for (int64_t i = 0; i < n; i++)
            put_random_row(c, i, &r);
    double s[2] = {1, which == 2 ? 0.5 : sqrt(unit_roundoff(type))};
    for (int64_t i = 0; i < n && which <= 3; i += 2) {
        double a = random_uniform(&r, 0, pi), b = random_uniform(&r, 0, pi),
               row[2][2] = {{s[0] * cos(a) * cos(b) - s[1] * sin(a) * sin(b),
                             -s[0] * cos(a) * sin(b) - s[1] * sin(a) * cos(b)},
                            {s[0] * sin(a) * cos(b) + s[1] * cos(a) * sin(b),
                             -s[0] * sin(a) * sin(b) + s[1] * cos(a) * cos(b)}};
        for (int k = 0; k < 2 && i + k < n; k++)
            if (which == 1 || i + 1 == n)
                case_put_row(c, i + k, 0, random_uniform(&r, 0.1, 1), 0);
            else
                case_put_row(c, i + k, k ? row[1][0] : 0, row[k][k], k ? 0 : row[0][1]);
    }
    int64_t zero_from = which == 8    ? 0
                        : which == 9  ? n - 1
                        : which == 10 ? n / 2
                                      : n,
            zero_to = which == 8 ? 1 : n;
    for (int64_t j = zero_from; j < zero_to; j++) {
        case_put(c, DIAG, j, 0);
        if (j > 0)
            case_put(c, SUPER, j - 1, 0);
        if (j < n - 1)
            case_put(c, SUB, j + 1, 0);
    }
    matrix_solution(type, n, seed, case_host(c, X));
    matrix_product(type, n, case_host(c, SUB), case_host(c, DIAG), case_host(c, SUPER),
                   case_host(c, X), case_host(c, RHS));
    if (which == 5 || which == 11)
        scale_arrays(c, small);
    if (which == 6 || which == 12)
        scale_arrays(c, 1 / small);
    case_upload(c);
    return true;
}

static void check_lapack(char type, int64_t n, uint64_t seed)
{
    struct tridiagonal_case c =
        case_make({.type = type, .n = n}, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, seed);
    for (int which = 1; which <= 12; which++)
        for (enum tridiagonal_way way : WAYS) {
            if (!fill_lapack(&c, which, seed))
                continue;
            c.t.way = way;
            long long status = case_solve(&c, &c.t);
            double error = status == 0 ? case_errors(&c).rows : 0;
            bool singular = which >= 8 && which <= 10;
            /* 8 eps, as the accuracy experiment allows the solver with pivoting */
            EXPECT(singular ? status > 0 && status <= n : status == 0 && error <= 16,
                   "%s, LAPACK's type %d (%s): status %lld, backward error %g u", case_text(&c),
                   which, lapack_types[which], status, error);
        }
    case_close(&c);
}

/* ---- hard families ---- */

/* u below is a unit of roundoff. */
static const char *const families[] = {
    "signs: all elements 1 or -1",
    "tiny diagonals, down to 2^-60",
    "graded: dominant rows, the scale of each 1/16 to 16 times that of the row before",
    "a graph Laplacian: the sum of every row is 0, so the matrix is singular",
    "birth and death: sums near 0, and sub and super differ by up to 2^20",
    "dominant, except one row",
    "on the border: |diag| is |sub| + |super| but for -12 u to 12 u",
    "random",
    "decoupled: on the border, sub or super may be tiny or 0",
};
enum { FAMILIES = sizeof families / sizeof *families };

static double sign(struct random *r)
{
    return random_bits(r) % 2 ? 1 : -1;
}
/* A power of two from 2^-most to 1. */
static double power(struct random *r, int most)
{
    return ldexp(1, -(int)(random_bits(r) % (uint64_t)(most + 1)));
}
static void fill_family(const struct tridiagonal_case *c, int family, struct random *r)
{
    const int64_t n = c->s.n, odd = (int64_t)(random_bits(r) % (uint64_t)n);
    const double u = unit_roundoff(c->s.type), angle = random_uniform(r, 0, 6.2831853);
    const bool rounded = random_bits(r) % 2, ends = random_bits(r) % 2;
    const int tiny = real_type(c->s.type) == 's' ? 30 : 70;
    double scale = 1;
    for (int64_t i = 0; i < n; i++) {
        double sub = random_uniform(r, 0.1, 1), super = random_uniform(r, 0.1, 1), diag,
               units = (double)(random_bits(r) % 25) - 12;
        switch (family) {
        case 0:
            sub = sign(r), diag = sign(r), super = sign(r);
            break;
        case 1:
            diag = random_uniform(r, -1, 1) * power(r, 60);
            sub *= sign(r), super *= sign(r);
            break;
        case 2:
            scale *= ldexp(1, (int)(random_bits(r) % 9) - 4);
            scale = fmin(fmax(scale, 0x1p-80), 0x1p80);
            diag = (sub + super) * random_uniform(r, 1, 1.5) * scale;
            sub *= scale * sign(r), super *= scale * sign(r);
            break;
        case 4:
            sub *= power(r, 20), super *= power(r, 20);
            [[fallthrough]];
        case 3:
            sub = i == 0 && !ends ? 0 : sub, super = i == n - 1 && !ends ? 0 : super;
            diag = -(sub + super) * (rounded ? 1 : 1 + units * u);
            break;
        case 8:
            sub *= random_bits(r) % 3 ? power(r, tiny) : sign(r);
            super *= random_bits(r) % 3 ? power(r, tiny) : sign(r);
            sub = random_bits(r) % 8 ? sub : 0, super = random_bits(r) % 8 ? super : 0;
            diag = (fabs(sub) + fabs(super)) * (rounded ? 1 : 1 + units * u);
            break;
        case 5:
            diag =
                (sub + super) * random_uniform(r, 1, 1.2) * sign(r) * (i == odd ? power(r, 30) : 1);
            break;
        case 6:
            sub *= sign(r), super *= sign(r);
            diag = (fabs(sub) + fabs(super)) * (1 + units * u) * sign(r);
            break;
        default:
            sub *= sign(r), super *= sign(r);
            diag = random_uniform(r, -1, 1);
        }
        if (is_complex(c->s.type)) { /* one phase for all, so that sums stay near 0 */
            case_put(c, SUB, i, sub * cos(angle), sub * sin(angle));
            case_put(c, DIAG, i, diag * cos(angle), diag * sin(angle));
            case_put(c, SUPER, i, super * cos(angle), super * sin(angle));
        } else
            case_put_row(c, i, sub, diag, super);
        bool zero = rounded && random_bits(r) % 4;
        case_put(c, RHS, i, zero ? 0 : random_uniform(r, -1, 1) * power(r, zero ? 0 : 3));
    }
    case_upload(c);
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
        int64_t n = 1 + (int64_t)(random_bits(&r) % (k % 50 ? 40 : MOST));
        struct tridiagonal_case c = largest;
        c.s.n = c.t.n = c.elements = n;
        c.t.rhs = k % 7 == 1 ? c.t.x : c.t.rhs;
        uint64_t begin = r.state;
        fill_family(&c, family, &r);
        c.t.way = WAYS[turn < 11 ? 0 : turn < 12 ? 1 : 2];
        long long status = case_solve(&c, &c.t);
        double error = status == 0 ? case_errors(&c).rows : 0;
        EXPECT(status == 0 ? error <= BOUND : status > 0 && status <= n,
               "%s, %s, random number %llu: status %lld, backward error %g u", case_text(&c),
               families[family], (unsigned long long)begin, status, error);
        if (status > 0 && (type == 's' || c.t.way == TRIDIAGONAL_TWO_PASS)) {
            struct tridiagonal t = c.t;
            t.pivot = TRIDIAGONAL_PIVOT_ALWAYS;
            EXPECT(case_solve(&c, &t) > 0, "%s, %s, random number %llu: pivoting solves it",
                   case_text(&c), families[family], (unsigned long long)begin);
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
        check_families(type, all ? 250000 : SANITIZED ? 500 : 5000, seed);
    }
}
