/* Tests of tridiagonal.h with systems that have no solution, and with numbers near the ends of a
 * type's range. If elimination breaks down, the status must name a row near the cause, every
 * element of x must be NaN, and the next call must not be affected. */
#include "test/tridiagonal_test.h"

#include <initializer_list>
#include <math.h>

/* Gives every row the same coefficients and the same right-hand side. */
static void put_rows(const struct tridiagonal_case *c, double sub, double diag, double super,
                     double rhs)
{
    for (int64_t i = 0; i < c->s.n; i++) {
        case_put_row(c, i, sub, diag, super);
        case_put(c, RHS, i, rhs);
    }
}

/* The faults that put_fault() writes near row `at`. Each makes the matrix singular or puts NaN into
 * it. The coefficients involved are 0, 1 or NaN, so elimination computes with them exactly: no
 * rounding error can turn a pivot of 0 into a small number that hides the fault. */
enum fault {
    ZERO_ROW,
    ZERO_COLUMN,
    EQUAL_ROWS, /* rows at and at + 1 are equal, so the matrix is singular */
    NAN_SUB,
    NAN_DIAG,
    NAN_SUPER,
    FAULTS
};
static const char *const fault_names[FAULTS] = {"row of zeros", "column of zeros", "equal rows",
                                                "NaN in sub",   "NaN in diag",     "NaN in super"};
static void put_fault(const struct tridiagonal_case *c, int fault, int64_t at)
{
    const int64_t n = c->s.n;
    switch (fault) {
    case ZERO_ROW:
        case_put_row(c, at, 0, 0, 0);
        break;
    case ZERO_COLUMN:
        case_put(c, DIAG, at, 0);
        if (at > 0)
            case_put(c, SUPER, at - 1, 0);
        if (at < n - 1)
            case_put(c, SUB, at + 1, 0);
        break;
    case EQUAL_ROWS:
        case_put_row(c, at, 0, 1, 1);
        case_put_row(c, at + 1, 1, 1, 0);
        if (at > 0)
            case_put(c, SUPER, at - 1, 0);
        if (at + 2 < n)
            case_put(c, SUB, at + 2, 0);
        break;
    default:
        case_put(c, fault - NAN_SUB + SUB, at, (double)NAN);
    }
    case_upload(c);
}

/* The status must be from low to high, and all x NaN. */
static void expect_broken(const struct tridiagonal_case *c, int64_t low, int64_t high,
                          const char *fault, int64_t at)
{
    long long status = case_solve(c, &c->t);
    EXPECT(status >= low && status <= high && case_all_nan(c, 0, c->s.n),
           "%s, %s, row %lld: status %lld, x %s", case_text(c), fault, (long long)at, status,
           case_all_nan(c, 0, c->s.n) ? "NaN" : "not all NaN");
}
/* The call after a breakdown. */
static void expect_unaffected(const struct tridiagonal_case *c, uint64_t seed, const char *fault)
{
    case_fill(c, DOMINANT, seed);
    long long status = case_solve(c, &c->t);
    EXPECT(status == 0 && case_errors(c).terms <= BOUND, "%s, after %s: status %lld", case_text(c),
           fault, status);
}

static void check_faults(char type, int pivot, enum tridiagonal_way way, int64_t n, uint64_t seed,
                         struct random *r, bool few)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c = case_make({.type = type, .n = n}, pivot, DOMINANT, seed);
    c.t.way = way;
    for (int fault = 0; fault < FAULTS; fault++) {
        if (few && (fault + pivot + (way == TRIDIAGONAL_TWO_PASS) + size_of(type) / 8) % 3)
            continue;
        int64_t places[] = {0, n - 1, (int64_t)(random_bits(r) % (uint64_t)n)};
        int64_t at = places[random_bits(r) % 3];
        at -= (fault == EQUAL_ROWS || fault == NAN_SUPER) && at == n - 1;
        at += fault == NAN_SUB && at == 0;
        case_fill(&c, DOMINANT, seed);
        put_fault(&c, fault, at);
        expect_broken(&c, 1, at + 1, fault_names[fault], at);
        if (!few || fault >= FAULTS / 2)
            expect_unaffected(&c, seed, fault_names[fault]);
    }
    case_close(&c);
}

/* The first call with a workspace breaks down in the first rows, the second one in the last rows.
 * It must report its own row, not that of the first call. */
static void check_two_breakdowns(char type, int pivot, enum tridiagonal_way way, int64_t n,
                                 uint64_t seed)
{
    struct tridiagonal_case c = case_make({.type = type, .n = n}, pivot, DOMINANT, seed);
    c.t.way = way;
    for (int64_t at : {INT64_C(0), n - 1}) {
        case_fill(&c, DOMINANT, seed);
        put_fault(&c, NAN_DIAG, at);
        expect_broken(&c, at ? 2 : 1, at + 1, "NaN in two calls", at);
    }
    case_close(&c);
}

/* Solves a system in which row or column `at` contains only zeros. The status locates such a
 * breakdown only up to a group of rows (TRIDIAGONAL_TWO_PASS) or a block of rows (the other ways),
 * which have at most `most` rows. With PARTLY_RESIDENT all blocks but the last have `most` rows, so
 * the status is known. All this must hold also if the breakdown appears only when blocks or groups
 * are merged, or in the last two equations. */
static void check_place(char type, int pivot, enum tridiagonal_way way, int64_t n, int64_t most,
                        bool all, struct random *r)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c = case_make({.type = type, .n = n}, pivot, DOMINANT, 3);
    c.t.way = way;
    for (int64_t at : {INT64_C(0), INT64_C(1), most - 1, most, most + 1, n / 2, n - most - 1,
                       n - most, n - 3, n - 2, n - 1})
        for (int kind = 0; kind < 3; kind++) {
            if (at < 0 || at >= n || (!all && random_bits(r) % (expect_few ? 9 : 3) && at < n - 2))
                continue;
            case_fill(&c, DOMINANT, 3);
            case_put(&c, SUB, 0, 0);
            case_put(&c, SUPER, n - 1, 0);
            c.t.periodic = kind == 2;
            put_fault(&c, kind == 1 ? ZERO_COLUMN : ZERO_ROW, at);
            const int64_t first = at / most * most + 1; /* of the block */
            const bool known = way == TRIDIAGONAL_PARTLY_RESIDENT;
            expect_broken(&c,
                          known               ? first
                          : at + 2 - most > 1 ? at + 2 - most
                                              : 1,
                          known ? first : at + 1, kind == 1 ? "column of zeros" : "row of zeros",
                          at);
        }
    case_close(&c);
}

/* Row `at` has a 0 on its diagonal. In the second pass this 0 is the first pivot of a thread. In
 * the first pass it is no pivot, so the first pass does not fail. Either x is correct or the status
 * reports the breakdown. The next call must not be affected. */
static void check_second_pass(char type, int64_t n, int64_t at, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct tridiagonal_case c = case_make({.type = type, .n = n}, 0, DOMINANT, seed);
    c.t.way = TRIDIAGONAL_TWO_PASS;
    put_rows(&c, -1, 4, -1, 1);
    case_put(&c, DIAG, at, 0);
    case_upload(&c);
    long long status = case_solve(&c, &c.t);
    EXPECT(status == 0 ? case_errors(&c).terms <= BOUND : status > 0 && status <= at + 1,
           "%s, no diagonal in row %lld: status %lld", case_text(&c), (long long)at, status);
    expect_unaffected(&c, seed, "no diagonal in a row");
    case_close(&c);
}

/* Returns the rows of the longest system that fits into the shared memory of this device. It fills
 * all blocks, with `full` rows each. */
static int64_t longest_resident(char type, int pivot, const struct cuts &cut, int64_t *full)
{
    for (int k = 3;; k--) {
        struct tridiagonal_case c =
            case_make({.type = type, .n = cut.resident[k]}, pivot, DOMINANT, 3);
        c.t.way = TRIDIAGONAL_RESIDENT;
        const bool fits = case_solve(&c, &c.t) != -1;
        case_close(&c);
        if (fits || k == 0) {
            *full = cut.resident[k] / (cut.resident[0] / cut.block);
            return cut.resident[k];
        }
    }
}

void tridiagonal_check_breakdowns(char type, int pivot, bool all, uint64_t seed, struct random *r,
                                  struct random *places)
{
    struct cuts cut = tridiagonal_cuts(type, pivot);
    int shared;
    CHECK(device_attribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    for (enum tridiagonal_way way :
         {TRIDIAGONAL_RESIDENT, TRIDIAGONAL_PARTLY_RESIDENT, TRIDIAGONAL_TWO_PASS}) {
        bool two_pass = way == TRIDIAGONAL_TWO_PASS;
        if (all || !two_pass)
            check_faults(type, pivot, way, 5, seed, r, !all);
        check_faults(type, pivot, way, (two_pass ? cut.group : cut.block) + 7, seed, r, !all);
        /* Tests the resident kernel with several chunks per thread. A GPU with less shared memory
         * tests it with one chunk per thread. */
        if (all)
            check_faults(type, pivot, way, cut.resident[shared >= 227 * 1024 ? 2 : 0], seed, r,
                         false);
    }
    check_two_breakdowns(type, pivot, TRIDIAGONAL_TWO_PASS, cut.group + 7, seed);
    int64_t full, longest = longest_resident(type, pivot, cut, &full);
    check_place(type, pivot, TRIDIAGONAL_RESIDENT, longest, full, all, places);
    /* On two multiprocessors or more, a block of the partly resident kernel has cut.block of these
     * n rows. */
    int64_t n = cut.block + cut.block / 2, most = n > cut.resident[0] ? n : cut.block;
    check_place(type, pivot, TRIDIAGONAL_PARTLY_RESIDENT, n, most, all, places);
    check_place(type, pivot, TRIDIAGONAL_TWO_PASS, 2 * cut.group + 7, cut.group, all, places);
    for (int64_t thread = 1; thread < 80 && pivot == 0; thread += 13)
        check_second_pass(type, 3000, thread * cut.thread, seed);
    if (cut.resident[0] == cut.block)
        return; /* one multiprocessor: the resident kernels have one block, so the status is 1 */
    check_two_breakdowns(type, pivot, TRIDIAGONAL_RESIDENT, longest, seed);
    check_two_breakdowns(type, pivot, TRIDIAGONAL_PARTLY_RESIDENT, cut.resident[3] + 7, seed);
}

/* Solves systems whose coefficients are small integers. Elimination makes no rounding errors with
 * them. So a singular system must be reported, and the solution of every other system must be
 * exact. */
static void check_exact(char type, enum tridiagonal_way way, int64_t n, bool arrays)
{
    if (static int turns; expect_skips(&turns))
        return;
    static const struct {
        double sub, diag, super;
        bool periodic, singular[2]; /* index 0: n is even; 1: n is odd */
        bool plain;                 /* also test without pivoting */
    } cases[] = {{1, 0, 1, false, {false, true}, false},
                 {-1, 1, 0, true, {true, true}, true},
                 {1, 1, 0, true, {true, false}, true},
                 {0, 1, 1, false, {false, false}, true},
                 {0, 0, 1, false, {true, true}, true}};
    for (auto &k : cases)
        for (int pivot = k.plain ? 0 : 1; pivot < PIVOTS; pivot++)
            for (int toeplitz = arrays ? 0 : 1; toeplitz < 2; toeplitz++) {
                struct tridiagonal_case c = case_make(
                    {.type = type, .n = n, .toeplitz = toeplitz == 1, .periodic = k.periodic},
                    pivot, toeplitz ? SKEW : DOMINANT, 1);
                c.t.way = way;
                for (int64_t i = 0; i < (toeplitz ? 1 : n); i++)
                    case_put_row(&c, i, k.sub, k.diag, k.super);
                for (int64_t i = 0; i < n; i++)
                    case_put(&c, RHS, i, (double)(i % 3 - 1));
                case_upload(&c);
                if (k.singular[n % 2])
                    expect_broken(&c, 1, n, "integers", 0);
                else
                    EXPECT(case_solve(&c, &c.t) == 0 && case_errors(&c).rows == 0,
                           "%g, %g, %g, %s: %g", k.sub, k.diag, k.super, case_text(&c),
                           case_errors(&c).rows);
                case_close(&c);
            }
}
void tridiagonal_check_exact(bool all)
{
    for (int64_t n : {1, 5, 8, 6, 7})
        check_exact("sdcz"[n % 4], n % 3 ? TRIDIAGONAL_RESIDENT : TRIDIAGONAL_PARTLY_RESIDENT, n,
                    true);
    for (int64_t n = 3600; n < 3602; n++)
        for (enum tridiagonal_way way : {TRIDIAGONAL_PARTLY_RESIDENT, TRIDIAGONAL_TWO_PASS})
            check_exact(n % 2 ? 's' : 'd', way, n, all);
}

/* Solves systems whose pivots are near the ends of the type's range. Either x is correct or the
 * status reports a breakdown. */
void tridiagonal_check_range(char type, int pivot)
{
    static const double singles[] = {1e-44, 1e-37, 3e-25, 1e25, 3e38},
                        doubles[] = {1e-320, 1e-307, 1e-200, 1e200, 1.7e308};
    for (int k = 0; k < 5; k++)
        for (int diagonal = 0; diagonal < 2; diagonal++) {
            const double size = real_type(type) == 's' ? singles[k] : doubles[k];
            struct tridiagonal_case c = case_make({.type = type, .n = 40}, pivot, DOMINANT, 1);
            double off = diagonal ? 0 : 0.1 * size;
            put_rows(&c, off, size, 2 * off, 0.5 * size);
            case_upload(&c);
            long long status = case_solve(&c, &c.t);
            struct errors e = case_errors(&c);
            EXPECT(status > 0 ? case_all_nan(&c, 0, c.s.n) : e.terms <= BOUND,
                   "%s, pivots of %g%s: status %lld, backward error %g u", case_text(&c), size,
                   diagonal ? ", diagonal" : "", status, e.terms);
            case_close(&c);
        }
}

/* Solves a system that has a solution, although the sum of the coefficients of one row overflows.
 * Neither this call nor the next one may take the row for a breakdown. */
void tridiagonal_check_large_row(void)
{
    struct tridiagonal_case c = case_make({.type = 's', .n = 7168}, 0, DOMINANT, 1);
    c.t.way = TRIDIAGONAL_TWO_PASS;
    put_rows(&c, -1, 4, -1, 1);
    case_put_row(&c, 3583, 0, 3e38, 1e38);
    case_put(&c, RHS, 3583, 1e38);
    case_upload(&c);
    long long status = case_solve(&c, &c.t);
    EXPECT(status == 0 && case_errors(&c).terms <= BOUND, "a row of 3e38 and 1e38: status %lld",
           status);
    case_put(&c, DIAG, c.s.n - 1, (double)NAN);
    case_upload(&c);
    status = case_solve(&c, &c.t);
    EXPECT(status > 3584, "NaN in the last row after that: status %lld", status);
    case_close(&c);
}

/* Blocks of `rows` rows -1, 2, -1. The first and the last row have the diagonal 1, and -coupling
 * instead of -1 towards the next block. Without that coupling each block is singular, so
 * elimination may lose it, and x grows beyond the range of the type. Then the status must say so.
 * With `extra`, which is added to these diagonals of every second block, the system is regular and
 * its status may be 0; then x must be right. The two passes of the two-pass solver may differ by
 * 2^14 units (pivoted::fits). */
struct blocks {
    int rows;
    double coupling, extra;
    bool quick;
};
static void check_singular_blocks(const struct tridiagonal_case &c, const struct blocks &b)
{
    for (int64_t i = 0; i < c.s.n; i++) {
        const bool first = i % b.rows == 0, last = i % b.rows == b.rows - 1;
        const double extra = i / b.rows % 2 == 0 ? b.extra : 0;
        case_put_row(&c, i, first ? -b.coupling : -1, first || last ? 1 + extra : 2,
                     last ? -b.coupling : -1);
    }
    case_upload(&c);
    for (int pivot = 0; pivot < PIVOTS; pivot++)
        for (int way = TRIDIAGONAL_AUTO; way <= TRIDIAGONAL_TWO_PASS; way++) {
            struct tridiagonal t = c.t;
            t.pivot = pivot;
            t.way = (enum tridiagonal_way)way;
            const long long status = case_solve(&c, &t);
            if (status == -1 && way == TRIDIAGONAL_RESIDENT)
                continue; /* does not fit */
            const double error = case_errors(&c).rows;
            /* Without pivoting the two passes may differ (tridiagonal.h), but x is finite. */
            const bool solved = pivot == TRIDIAGONAL_PIVOT_NEVER
                                    ? isfinite(error)
                                    : error <= (b.extra > 0 ? 1 << 14 : BOUND);
            EXPECT(status == 0 ? solved : status > 0 && status <= c.s.n,
                   "%s, pivot %d, way %d, blocks of %d rows coupled by %g, extra %g: status %lld, "
                   "backward error %g u of a row",
                   case_text(&c), pivot, way, b.rows, b.coupling, b.extra, status, error);
        }
}
void tridiagonal_check_singular_blocks(char type, bool all, uint64_t seed)
{
    static const struct blocks blocks[] = {
        {50, 1e-9, 0, true},     {64, 1e-24, 0, true},     {64, 1e-30, 0, false},
        {100, 1e-9, 0, true},    {100, 1e-12, 0, true},    {128, 1e-18, 0, true},
        {200, 1e-7, 0, false},   {333, 1e-12, 0, false},   {500, 1e-30, 0, true},
        {1000, 1e-9, 0, true},   {100, 1e-15, 1e-3, true}, {64, 1e-30, 0.1, true},
        {100, 1e-12, 0.1, true}, {100, 1e-30, 0.1, true},  {128, 1e-24, 0.1, true},
        {100, 1e-24, 1e-4, true}};
    for (int64_t n : {1000, 1300, 2500, 20000, 1000000}) {
        if (!all && n != 1300 && n != 20000)
            continue;
        struct tridiagonal_case c =
            case_make({.type = type, .n = n}, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, seed);
        for (auto &b : blocks)
            if (all || (b.quick && (b.extra > 0) == (n == 1300)))
                check_singular_blocks(c, b);
        case_close(&c);
    }
}
