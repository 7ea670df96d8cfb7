/* The tests of tridiagonal_batch.h, in all four types. The sizes are near the number of rows of a
 * thread, a warp and a block, and beyond shared memory. The arrays begin at every offset from a
 * 16-byte boundary. The error of each row is judged relative to the row's own terms, so an error
 * caused by a neighbouring system is detected even in a row of small numbers. */
#include "test/tridiagonal_batch_test.h"
#include "test/replay.h"
#include "test/tridiagonal_batch_trial.h"

#include <float.h>
#include <initializer_list>

enum { NEVER, ALWAYS, AUTO }; /* enum tridiagonal_pivot */
static const char TYPES[] = {'s', 'd', 'c', 'z'};

/* ---- systems that break down ---- */

enum fault { NONE, ZERO_ROW, NAN_DIAG, INFINITE_RHS, NAN_LAST, TINY, FAULTS };
static const char *const fault_names[FAULTS] = {"sound",
                                                "a row of zeros",
                                                "NaN on the diagonal",
                                                "an infinite right-hand side",
                                                "NaN in the last row",
                                                "a tiny pivot"};

/* Writes a fault into row i of system k, which breaks it down, and if the fault is in the matrix,
 * all systems that share it. TINY: the reciprocal of the pivot overflows, or its product with the
 * right-hand side does. */
static void set_fault(const struct trial *t, enum fault fault, int64_t k, int64_t i)
{
    const double large = real_type(t->shape.type) == 's' ? 1e38 : 1e308;
    if (fault == NAN_DIAG || fault == NAN_LAST)
        set_row(t, DIAG, k, i, (double)NAN);
    else if (fault == INFINITE_RHS)
        set_row(t, RHS, k, i, (double)INFINITY);
    else
        for (int a = SUB; a <= SUPER; a++)
            set_row(t, a, k, i, fault == TINY && a == DIAG ? 1 / large : 0);
    if (fault == TINY)
        set_row(t, RHS, k, i, large);
    t->outcome[k] = BROKEN;
    for (int64_t j = 0; j < t->shape.batch && fault != INFINITE_RHS; j++)
        if (i < length_of(t, j) && element_at(t, DIAG, j, i) == element_at(t, DIAG, k, i))
            t->outcome[j] = BROKEN;
}

/* Writes the fault into the middle row of systems first, first + every, …; with FAULTS its kind
 * and its row change from system to system. A tiny pivot may break down only some of the systems
 * that share a matrix, so INFINITE_RHS takes its place there. */
static void break_systems(const struct trial *t, enum fault fault, int64_t first, int64_t every)
{
    const struct shape *s = &t->shape;
    const bool shared = s->matrix != TRIDIAGONAL_BATCH_OWN || s->sides > 1;
    for (int64_t k = first; k < s->batch && fault != NONE; k += every) {
        const int64_t n = length_of(t, k), at = fault == FAULTS ? k / 2 % (n + !n) : n / 2;
        enum fault kind = fault == FAULTS ? (enum fault)(1 + k / 2 % (FAULTS - 1)) : fault;
        if (kind == TINY && shared)
            kind = INFINITE_RHS;
        if (n > 0)
            set_fault(t, kind, k, fault == NAN_LAST ? n - 1 : at);
        if (fault == INFINITE_RHS && k % 2)
            set_row(t, RHS, k, at, (double)NAN);
    }
}
static void check_some(struct shape shape, enum fault fault, int64_t first, int64_t every)
{
    static int turn;
    struct trial t = open_trial(shape);
    break_systems(&t, fault, first, every);
    expect_solved(&t, fault < FAULTS ? fault_names[fault] : "every other broken");
    if (turn++ % 3 == 0)
        expect_crank_nicolson(&t);
    close_trial(&t);
}
static void check_one(struct shape shape, enum fault fault)
{
    if (static int turns; !expect_skips(&turns))
        check_some(shape, fault, shape.batch / 2, shape.batch);
}
static void check_many_broken(struct shape shape)
{
    if (static int turns; !expect_skips(&turns))
        check_some(shape, FAULTS, 1, 2);
}
/* Systems that share a matrix, so many that a block has several tiles. */
static void check_many_tiles(struct shape shape)
{
    if (static int turns; !expect_skips(&turns))
        check_some(shape, INFINITE_RHS, shape.batch / 3, shape.batch / 7 + 1);
}

/* error_of must exceed BOUND if one element of x is wrong, wherever it is. */
static void check_judge(void)
{
    for (enum layout layout : {CONTIGUOUS, INTERLEAVED}) {
        struct trial t = open_trial({.type = 'd', .n = 50, .batch = 3, .layout = layout});
        CHECK(solve(&t));
        for (int64_t i = 0; i < 50; i++)
            for (double value : {(double)NAN, (double)INFINITY, 1e-3}) {
                double right = at(&t, X, 1, i).re;
                set_row(&t, X, 1, i, value);
                EXPECT(!(error_of(&t, 1) <= BOUND) && error_of(&t, 0) <= BOUND,
                       "%g in row %lld is not seen", value, (long long)i);
                set_row(&t, X, 1, i, right);
            }
        close_trial(&t);
    }
}

/* ---- the same bits ---- */

/* The inputs of `one`, which is solved, must give the same bits in another layout or batch. */
static void expect_same_bits(const struct trial *one, struct shape shape, const char *what)
{
    struct trial other = open_trial(shape);
    copy_inputs(&other, one);
    CHECK(solve(&other));
    EXPECT(same_bits(one, &other), "%s, %s: other bits", trial_text(&other), what);
    close_trial(&other);
}

/* The first systems of a batch must have the same bits if they are solved without the others. (One
 * interleaved system is a contiguous one, which another kernel solves.) */
static void check_same_bits(struct shape shape)
{
    if (static int turns; expect_skips(&turns))
        return;
    int64_t together = shape.sides ? shape.sides : 1; /* divides 90 */
    shape.batch = 90;
    struct trial many = open_trial(shape);
    CHECK(solve(&many));
    for (shape.batch = together * (shape.layout ? 3 : 1); shape.batch < 90;
         shape.batch = 2 * shape.batch + together)
        expect_same_bits(&many, shape, "the first of 90 systems, alone");
    close_trial(&many);
}

/* A broken system must not change the bits of the systems before it. Complex types are not tested:
 * the solver solves a tile that contains a broken system again with checks, and may then round
 * complex products differently. */
static void check_same_bits_before(char type, int pivot, int64_t n)
{
    struct shape shape = {.type = type, .pivot = pivot, .n = n, .batch = 21};
    struct trial sound = open_trial(shape), broken = open_trial(shape);
    set_fault(&broken, NAN_DIAG, 20, n / 2);
    CHECK(solve(&sound));
    CHECK(solve(&broken));
    EXPECT(same_bits(&sound, &broken) && broken.host_status[20] > 0,
           "%s: other bits before a system that breaks down", trial_text(&broken));
    close_trial(&sound);
    close_trial(&broken);
}

/* Coefficients just below the largest number of the type, of matrices that need no scaling. */
static void check_largest_numbers(char type)
{
    const double most = real_type(type) == 's' ? FLT_MAX : DBL_MAX;
    for (int pivot : {NEVER, ALWAYS, AUTO})
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED})
            for (double diag : {0.2, 0.9}) {
                struct trial t = open_trial(
                    {.type = type, .pivot = pivot, .n = 3, .batch = 40, .layout = layout});
                for (int64_t k = 0; k < 40; k++) {
                    if (pivot == NEVER && !trial_cores) /* a pivot may be out of range */
                        t.outcome[k] = EITHER;
                    for (int64_t i = 0; i < 3; i++) {
                        set_row(&t, SUB, k, i, (diag < 0.5 ? 0.55 : 0.3) * most);
                        set_row(&t, DIAG, k, i, diag * most);
                        set_row(&t, SUPER, k, i, (diag < 0.5 ? 0.55 : 0.3) * most);
                        set_row(&t, RHS, k, i, k % 2 ? 1e5 : 0.3 * most);
                    }
                }
                expect_solved(&t, "the largest numbers");
                close_trial(&t);
            }
}

/* So many systems that the cores solve panels (tridiagonal_batch_cpu_panels.h) or, if they are
 * contiguous, squares (tridiagonal_batch_cpu_squares.h): sound ones, whose bits must be those of a
 * few systems, and two of which x overflows while all factors are finite. */
static void check_many(char type, int pivot, enum layout layout)
{
    const double large = real_type(type) == 's' ? 4e37 : 2e307;
    for (int64_t n : {layout == CONTIGUOUS ? 513 : 1, 3, layout == CONTIGUOUS ? 70 : 50}) {
        struct shape shape = {.type = type, .pivot = pivot, .n = n, .layout = layout};
        shape.batch = (1000000 / size_of(type) / n) / 2 * 2;
        shape.padding = layout == INTERLEAVED ? TIGHT : GAPS;
        struct trial t = open_trial(shape);
        CHECK(solve(&t));
        shape.layout = INTERLEAVED;
        shape.batch = 3;
        expect_same_bits(&t, shape, "the first systems, alone");
        for (int64_t k : {(int64_t)7, t.shape.batch - 1}) {
            t.outcome[k] = n < 3 ? SOLVED : BROKEN;
            for (int64_t i = 0; i < n; i++) {
                set_row(&t, SUB, k, i, 0);
                set_row(&t, DIAG, k, i, 1);
                set_row(&t, SUPER, k, i, -4);
                set_row(&t, RHS, k, i, large);
            }
        }
        expect_solved(&t, "x overflows");
        close_trial(&t);
    }
}

/* Automatic pivoting must accept a dominant matrix that all systems share. Then x has the same bits
 * as without pivoting. The matrix of the Poisson equation is only just dominant. */
static void check_auto_accepts(char type, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct shape shape = {.type = type, .n = n, .batch = 30, .matrix = TRIDIAGONAL_BATCH_CONSTANT};
    struct trial t = open_trial(shape);
    for (int a = SUB; a <= SUPER; a++)
        set(&t, a, 0, a == DIAG ? 2 : -1, 0);
    expect_solved(&t, "Poisson");
    shape.pivot = AUTO;
    expect_same_bits(&t, shape, "AUTO pivots in the Poisson matrix");
    close_trial(&t);
}

/* Right-hand sides that share a matrix must get the bits that they get from one matrix for all. */
static void check_bits_of_sides(char type, int pivot, int64_t n, enum layout layout, bool periodic)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct shape shape = {
        .type = type, .pivot = pivot, .n = n, .batch = 12, .layout = layout, .periodic = periodic};
    shape.matrix = TRIDIAGONAL_BATCH_SHARED;
    struct trial one = open_trial(shape);
    CHECK(solve(&one));
    shape.matrix = TRIDIAGONAL_BATCH_OWN;
    shape.sides = 12;
    expect_same_bits(&one, shape, "sides = batch");
    close_trial(&one);
}

/* The layouts other than contiguous ones must all give the same bits. */
static void check_bits_of_layouts(char type, int pivot, int64_t n, bool periodic)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct shape shape = {.type = type, .pivot = pivot, .n = n, .batch = 12, .periodic = periodic};
    shape.layout = INTERLEAVED;
    struct trial columns = open_trial(shape);
    CHECK(solve(&columns));
    for (int layout = INTERLEAVED; layout < LAYOUTS; layout++)
        for (int padding = TIGHT; padding < PADDINGS; padding++) {
            shape.layout = (enum layout)layout;
            shape.padding = (enum padding)padding;
            expect_same_bits(&columns, shape, "interleaved, in another layout");
        }
    close_trial(&columns);
}

/* Captures a call and replays it twice, with other inputs the second time: now the middle system
 * breaks down. Each replay must solve the systems, with the bits of a direct call. */
static void check_graph(struct shape shape)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct trial t = open_trial(shape), direct = open_trial(shape);
    auto before = [&](int k) {
        for (const struct trial *one : {&direct, &t})
            break_systems(one, k ? NAN_DIAG : NONE, shape.batch / 2, shape.batch);
        expect_solved(&direct, "called directly");
        prepare(&t);
        host_poison(t.host[X], bytes_of(&t, X));
    };
    auto after = [&](int k) {
        fetch(&t);
        expect_right(&t, cudaSuccess, "replayed in a graph");
        EXPECT(same_bits(&direct, &t), "%s, %s: a graph gives other bits", trial_text(&t),
               fault_names[k ? NAN_DIAG : NONE]);
    };
    replay(
        2, [&](cudaStream_t stream) { return batch_solve(&t.call, stream); }, before, after);
    close_trial(&t);
    close_trial(&direct);
}

/* Every kind of call: one tile and longer; all layouts; periodic; one matrix for all or for some
 * systems; different lengths. With automatic pivoting some systems need pivoting, so that second
 * launches have work. */
static void check_graphs(char type, int pivot)
{
    int64_t beyond = batch_longest(type, pivot) + 1;
    for (struct shape shape : {
             shape{.n = 10},
             shape{.n = 300},
             shape{.n = beyond, .batch = 3},
             shape{.n = 100, .lengths = true},
             shape{.n = 100, .layout = CONTIGUOUS, .padding = GAPS},
             shape{.n = 100, .layout = INTERLEAVED},
             shape{.n = 700, .layout = INTERLEAVED},
             shape{.n = 500, .layout = INTERLEAVED, .periodic = true},
             shape{.n = 700, .in_place = true, .layout = INTERLEAVED},
             shape{.n = 100, .layout = NARROW, .padding = LINES},
             shape{.n = 700, .layout = WIDE},
             shape{.n = 400, .layout = BESIDE, .padding = GAPS},
             shape{.n = 100, .periodic = true},
             shape{.n = 700, .layout = INTERLEAVED, .periodic = true},
             shape{.n = 100, .sides = 5},
             shape{.n = beyond, .batch = 4, .sides = 2},
             shape{.n = 400, .layout = INTERLEAVED, .sides = 5},
             shape{.n = 100, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = beyond, .batch = 3, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = 400, .layout = NARROW, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = 100, .in_place = true, .matrix = TRIDIAGONAL_BATCH_CONSTANT},
             shape{.n = 400, .layout = INTERLEAVED, .matrix = TRIDIAGONAL_BATCH_CONSTANT},
         }) {
        shape.type = type;
        shape.pivot = pivot;
        shape.batch = shape.batch ? shape.batch : 20;
        if (!expect_few || shape.n <= 400)
            check_graph(shape);
    }
}

/* ---- matrices ---- */

enum family {
    /* Rows that are only just dominant, so that many groups of rows are nearly singular. Without
     * pivoting some solutions would be wrong by hundreds of units of roundoff and more. */
    BARELY,
    /* Rows whose sum in a ring is 0. The odd systems are slightly regular. A solver cannot tell a
     * singular system from a nearly singular one. */
    LAPLACIAN,
    /* In some groups of 32 systems, which teams of blocks skip, no row is dominant. */
    SKEWED_GROUPS,
    /* Systems 6 and 7 of eight are singular. Elimination in one leaves a row of zeros where a row
     * of the other is expected. The systems before them are identities. */
    ZERO_ROWS,
    SAID_TOO_SHORT, /* regular; those with more than 50 rows must not be solved */
    FAMILIES
};
static const char *const family_names[FAMILIES] = {"barely dominant rows", "Laplacian",
                                                   "groups of rows that are not dominant",
                                                   "zero rows", "longer than was said"};

static void barely_row(struct trial *t, int64_t i, double row[3])
{
    static const double margins[] = {0, 0, 1e-16, 1e-12, 1e-6, 0.1};
    const bool periodic = t->shape.periodic;
    for (int a : {SUB, SUPER}) {
        double kind = draw(t) + 0.5;
        row[a] = kind < 0.6    ? 1
                 : kind < 0.75 ? fabs(draw(t)) + 1e-3
                               : pow(10, -12 * (draw(t) + 0.5));
        row[a] *= draw(t) < 0 ? -1 : 1;
    }
    double margin = i == 0 || draw(t) < -0.4 ? margins[(int)((draw(t) + 0.5) * 6)] : 0;
    row[DIAG] = ((periodic || i > 0 ? fabs(row[SUB]) : 0) +
                 (periodic || i < t->shape.n - 1 ? fabs(row[SUPER]) : 0)) *
                (1 + margin);
    row[DIAG] *= draw(t) < 0 ? -1 : 1;
}
/* Gives system k a matrix of the family, if it needs another one, and its outcome. */
static void set_matrix(struct trial *t, enum family family, int64_t k)
{
    static const double last[7][3] = {{0, 1, -1}, {0, 1, -1}, {0, 0, -1}, {0, 1, 0},
                                      {1, 1, 0},  {1, 1, 0},  {1, 1, 0}};
    t->outcome[k] = family == BARELY           ? EITHER
                    : family == LAPLACIAN      ? k % 2 ? SOLVED : EITHER
                    : family == ZERO_ROWS      ? k < 6 ? SOLVED : BROKEN
                    : family == SAID_TOO_SHORT ? length_of(t, k) <= 50 ? SOLVED : BROKEN
                                               : SOLVED;
    if (family == SKEWED_GROUPS && k / 32 * 7 % 5 >= 2)
        return;
    for (int64_t i = 0; i < length_of(t, k); i++) {
        double row[3] = {-1, 2, -1};
        if (family == BARELY)
            barely_row(t, i, row);
        else if (family == LAPLACIAN)
            row[DIAG] += (double)(k % 2) * pow(10, -(double)k / 3);
        else if (family == SAID_TOO_SHORT)
            row[DIAG] = 2.0001;
        else if (family == SKEWED_GROUPS)
            row[SUB] = 1, row[DIAG] = 0.25, row[SUPER] = -0.5;
        for (int a = SUB; a <= SUPER; a++) {
            if (family == ZERO_ROWS)
                row[a] = k == 7 ? last[i][a] : a == DIAG && !(k == 6 && i == 0);
            set_row(t, a, k, i, row[a]);
        }
    }
}

/* Solves a batch of a family, or, if the systems share a matrix, `matrices` of them one after the
 * other. */
static void check_family(enum family family, struct shape shape, int matrices = 1)
{
    static int turns[FAMILIES];
    if (expect_skips(&turns[family]))
        return;
    struct trial t = open_trial(shape);
    int64_t solved = 0;
    if (family == SAID_TOO_SHORT)
        t.call.n = 50;
    for (int m = 0; m < matrices; m++) {
        for (int64_t k = 0; k < (shape.matrix == TRIDIAGONAL_BATCH_OWN ? shape.batch : 1); k++)
            set_matrix(&t, family, k);
        for (int64_t k = 1; k < shape.batch && shape.matrix != TRIDIAGONAL_BATCH_OWN; k++)
            t.outcome[k] = t.outcome[0];
        solved += expect_solved(&t, family_names[family]);
    }
    /* most short systems are regular */
    EXPECT(family != BARELY || shape.n > 300 || solved > matrices * shape.batch / 2,
           "%s, %s: %lld of %d matrices solved", trial_text(&t), family_names[family],
           (long long)solved, matrices);
    close_trial(&t);
}

/* If all systems share a matrix, the staging buffer contains not only the rows of a tile, but also
 * the rows of the matrix before and after them. The solver must mask these other rows. With 4 rows
 * this matrix is regular, but if they are not masked it has 8 rows and is singular. */
static void check_chain(char type)
{
    for (int64_t batch : {1, 2, 7}) {
        struct trial t = open_trial({.type = type,
                                     .pivot = ALWAYS,
                                     .n = 4,
                                     .batch = batch,
                                     .matrix = TRIDIAGONAL_BATCH_CONSTANT});
        for (int a = SUB; a <= SUPER; a++)
            set(&t, a, 0, a == DIAG ? -2 * cos(2 * acos(-1.) / 9) : 1, 0);
        expect_solved(&t, "-2 cos(2 pi / 9)");
        close_trial(&t);
    }
}

/* Automatic pivoting must solve dominant systems, and systems of which one row, anywhere, is not
 * dominant. In a periodic system this may be so because of the coupling between its ends. */
static void check_auto(char type, int64_t n, bool periodic)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct trial t = open_trial({.type = type, .n = n, .batch = 7, .periodic = periodic});
    set_pivot(&t, AUTO);
    expect_solved(&t, "dominant rows");
    for (int64_t i : {(int64_t)0, n / 3, n - 1}) {
        set_row(&t, DIAG, 3, i, 1e-30);
        expect_solved(&t, "a tiny diagonal element");
    }
    if (periodic) {
        set_row(&t, SUB, 2, 0, 1e10);
        set_row(&t, SUPER, 4, n - 1, 1e10);
        expect_solved(&t, "a large coupling between the ends");
    }
    close_trial(&t);
}

/* System k has one row that is not dominant, row k, for which pivoting is needed. Automatic
 * pivoting must find it wherever it is. Without pivoting at least every second system must be
 * wrong, otherwise this tests nothing. */
static void check_one_hard_row(char type, int64_t n, enum layout layout, bool periodic)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct trial t = open_trial({.type = type,
                                 .n = n,
                                 .batch = n,
                                 .layout = layout,
                                 .padding = GAPS,
                                 .periodic = periodic});
    for (int64_t k = 0; k < n; k++) {
        set_row(&t, SUB, k, k, 0.4);
        set_row(&t, DIAG, k, k, real_type(type) == 's' ? 1e-6 : 1e-12);
        set_row(&t, SUPER, k, k, 0.4);
        if (k > 0 || periodic)
            set_row(&t, SUPER, k, (k + n - 1) % n, 0);
    }
    CHECK(solve(&t));
    t.shape.pivot = AUTO; /* the same measure of the error for both */
    int64_t wrong = 0;
    for (int64_t k = 0; k < n; k++)
        wrong += !(error_of(&t, k) <= BOUND);
    EXPECT(n < 20 || 2 * wrong >= n, "type %c, n = %lld: without pivoting only %lld are wrong",
           type, (long long)n, (long long)wrong);
    set_pivot(&t, AUTO);
    expect_solved(&t, "row k of system k is not dominant");
    close_trial(&t);
}

/* ---- calls ---- */

static void check_refused(const struct trial *t)
{
    struct tridiagonal_batch b = t->call;
    auto refused = [&](const char *what) {
        EXPECT(batch_solve(&b, 0) == cudaErrorInvalidValue, "%s", what);
        b = t->call;
    };
    b.type = 'q', refused("type");
    b.diag = NULL, refused("no diag");
    b.n = batch_longest('d', 0) + 1, b.work = NULL, refused("n, no work");
    for (int64_t n : {INT64_C(-1), INT64_C(1) << 40})
        b.n = n, refused("n");
    for (int64_t batch : {INT64_C(-1), INT64_C(1) << 60})
        b.batch = batch, refused("batch");
    for (int pivot : {3, -1})
        b.pivot = pivot, refused("pivot");
    b.matrix = (enum tridiagonal_matrix)3, refused("matrix");
    for (int64_t sides : {INT64_C(-1), INT64_C(2), INT64_C(6), INT64_MAX})
        b.sides = sides, refused("sides");
    for (int matrix : {TRIDIAGONAL_BATCH_SHARED, TRIDIAGONAL_BATCH_CONSTANT})
        b.matrix = (enum tridiagonal_matrix)matrix, b.sides = 3, refused("sides of one matrix");
    for (int64_t inner : {INT64_C(-1), INT64_C(2), INT64_C(4), INT64_MAX})
        b.inner = inner, refused("inner");
    for (int64_t stride : {INT64_C(-1), INT64_C(2), INT64_MAX / 100, INT64_MAX})
        b.inner = 3, b.row_stride = stride, refused("row_stride");
    for (int64_t stride : {INT64_C(-1), INT64_C(99), INT64_MAX / 3, INT64_MAX})
        b.plane_stride = stride, refused("plane_stride");
    b.row_stride = 6, b.plane_stride = 3, refused("planes side by side, the third in the next row");
    b.x = (char *)b.x + 1, refused("x is not aligned");
    for (const void *x :
         {b.sub, b.diag, b.super, (const void *)((double *)b.sub + 299),
          (const void *)((double *)b.super + 1), (const void *)((double *)b.rhs + 299),
          (const void *)((double *)b.rhs - 1)})
        b.x = (void *)x, refused("x overlaps an input");
    b.x = (void *)b.diag, b.inner = 3, refused("interleaved, x is diag");
    const int64_t *offset = t->device_first;
    b.offset = offset, b.inner = b.batch, refused("lengths, inner");
    b.offset = offset, b.plane_stride = 101, refused("lengths, plane_stride");
    b.offset = offset, b.periodic = 1, refused("lengths, periodic");
    b.offset = offset, b.sides = 3, refused("lengths, sides");
    if (!trial_cores)
        b.offset = offset, b.n = batch_longest('d', 0) + 1, refused("lengths, n");
}

static void check_calls(void)
{
    struct trial t = open_trial({.type = 'd', .n = 100, .batch = 3});
    struct tridiagonal_batch *b = &t.call;
    int *status = b->status;
    b->status = NULL;
    EXPECT(solve(&t) == cudaSuccess && error_of(&t, 1) <= BOUND, "without a status");
    b->status = status;
    check_refused(&t);
    b->n = 0;
    CHECK(cudaMemset(status, 0x55, 3 * sizeof *status));
    EXPECT(batch_solve(b, 0) == cudaSuccess, "n = 0");
    device_download(t.host_status, status, 3 * sizeof *status);
    EXPECT(t.host_status[0] == 0 && t.host_status[2] == 0, "status of n = 0");
    b->n = 100;
    b->batch = 0;
    EXPECT(batch_solve(b, 0) == cudaSuccess, "batch = 0");
    close_trial(&t);
}

/* How many times rows are read. */
static void check_reads(void)
{
    int64_t longest = tridiagonal_batch_longest('d', 0);
    int64_t offset = 0;
    struct tridiagonal_batch r = {};
    EXPECT(batch_longest('q', 0) == 0, "longest of no type");
    EXPECT(tridiagonal_batch_reads(&r) == 0, "reads of no type");
    for (int64_t n : {(int64_t)100, longest + 1}) {
        r = {.type = 'd', .n = n, .batch = 3, .offset = &offset};
        EXPECT(tridiagonal_batch_reads(&r) == (n <= longest), "different lengths, up to %lld",
               (long long)n);
    }
    longest = batch_longest('s', 0);
    for (int pivot : {NEVER, ALWAYS, AUTO})
        for (int64_t inner : {0, 10})
            for (int64_t n : {(int64_t)0, (int64_t)320, longest, longest + 1}) {
                const int64_t most = inner ? 320 : longest;
                r = {.type = 's', .n = n, .batch = 10, .pivot = pivot, .inner = inner};
                int reads = tridiagonal_batch_reads(&r);
                EXPECT(reads == 1 + (n > most), "%lld rows, inner %lld, are read %d times",
                       (long long)n, (long long)inner, reads);
            }
}

/* Pointers that are NULL or misaligned must be refused, and nothing may be written. A pointer to an
 * array that the call does not need may be NULL. */
static void check_pointers(char type)
{
    const unsigned char poison = 0x5a;
    const size_t element = (size_t)size_of(type), statuses = 3 * sizeof(int);
    const int64_t beyond = batch_longest(type, 0) + 1;
    for (struct shape shape : {shape{.n = 100}, shape{.n = 100, .layout = INTERLEAVED},
                               shape{.n = 700, .layout = INTERLEAVED},
                               shape{.n = 100, .lengths = true}, shape{.n = beyond}}) {
        shape.type = type;
        shape.batch = 3;
        struct trial t = open_trial(shape);
        struct tridiagonal_batch call = t.call;
        const size_t work_bytes = batch_work(&call);
        CHECK(cudaMemset(call.x, poison, bytes_of(&t, X)));
        CHECK(cudaMemset(call.status, poison, statuses));
        CHECK(cudaMemset(call.work, poison, work_bytes));
        auto solve = [&] { return batch_solve(&call, 0); };
        struct expect_pointer arrays[] = {EXPECT_POINTER(call.sub, element),
                                          EXPECT_POINTER(call.diag, element),
                                          EXPECT_POINTER(call.super, element),
                                          EXPECT_POINTER(call.rhs, element),
                                          EXPECT_POINTER(call.x, element)},
                              status[] = {EXPECT_POINTER_OR_NULL(call.status, sizeof *call.status)},
                              offset[] = {EXPECT_POINTER_OR_NULL(call.offset, 8)},
                              work[] = {EXPECT_POINTER(call.work, 16)};
        EXPECT_POINTERS(arrays, solve(), cudaErrorInvalidValue);
        EXPECT_POINTERS(status, solve(), cudaErrorInvalidValue);
        if (shape.lengths) {
            EXPECT_POINTERS(offset, solve(), cudaErrorInvalidValue);
            EXPECT_REFUSED(call, call.periodic = 1, solve());
        }
        if (work_bytes > 0)
            EXPECT_POINTERS(work, solve(), cudaErrorInvalidValue);
        EXPECT(shape.n == 100 || work_bytes > 0, "type %c: a long system needs no work", type);
        EXPECT_REFUSED(call, call.sides = 2, solve());
        call.n = 0;
        EXPECT_POINTERS(status, solve(), cudaErrorInvalidValue);
        EXPECT_REFUSED(call, call.batch = INT64_MAX / 3, solve());
        EXPECT(device_holds(t.call.x, poison, bytes_of(&t, X)) &&
                   device_holds(t.call.status, poison, statuses) &&
                   device_holds(t.call.work, poison, work_bytes),
               "%s: a refused call wrote", trial_text(&t));
        close_trial(&t);
    }
    EXPECT(batch_solve(NULL, 0) == cudaErrorInvalidValue && batch_work(NULL) == 0, "no struct");
    for (int64_t n : {0, 3}) {
        struct tridiagonal_batch none = {.type = type, .n = n, .batch = 3 - n};
        EXPECT(batch_solve(&none, 0) == cudaSuccess, "type %c: no rows or no systems, no arrays",
               type);
    }
}

/* ---- sizes ---- */

/* The matrices of a batch, beyond enum tridiagonal_matrix. */
enum { SIDES = TRIDIAGONAL_BATCH_CONSTANT + 1, LENGTHS, MATRIX_KINDS };

/* Near a thread, a slice, a partition, a warp and a block, and the longest of teams of blocks. */
static const int64_t lengths[] = {
    0,   1,   2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   19,  20,  21,
    31,  39,  40,   41,   64,   79,   80,   81,   100,  127,  159,  160,  161, 162, 239,
    240, 241, 319,  320,  321,  322,  333,  399,  400,  401,  479,  480,  600, 640, 641,
    720, 961, 1000, 1200, 1919, 1920, 2079, 2557, 4799, 4800, 5119, 5120, 5121};

/* Tests a part of all kinds of batches: layout, padding, matrices, periodic, in place, number of
 * systems. Faults and alignments take turns. `turn` makes each kind test other numbers. */
static void check_length(char type, int pivot, int64_t n, bool all, int *turn)
{
    const int64_t most = all ? 1000000 : expect_few ? 2000 : 20000;
    const int step = all ? 17 : expect_few ? 599 : 89;
    enum { KINDS = (int)LAYOUTS * PADDINGS * MATRIX_KINDS * 4 };
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t batch : {1, 2, 3, 7, 35, 40, 66, 100, 130, 900, 1000, 5000}) {
            const int matrix = kind / 4 % MATRIX_KINDS;
            struct shape shape = {.type = type, .pivot = pivot, .n = n, .batch = batch};
            shape.layout = (enum layout)(kind / 4 / MATRIX_KINDS / PADDINGS);
            shape.padding = (enum padding)(kind / 4 / MATRIX_KINDS % PADDINGS);
            shape.periodic = kind & 1;
            shape.in_place = kind & 2;
            shape.lengths = matrix == LENGTHS;
            if ((n * batch > most && batch > 3) ||
                (shape.lengths && (n > batch_longest(type, pivot) || shape.layout ||
                                   shape.padding || shape.periodic)) ||
                ++*turn % step != 0)
                continue;
            const int turns = *turn / step;
            if (matrix == SIDES) {
                static const int64_t sides[] = {2, 5, 1, 41, 3, 7, 33};
                shape.sides = sides[turns % 7];
                shape.batch = (batch + shape.sides - 1) / shape.sides * shape.sides;
            } else if (!shape.lengths)
                shape.matrix = (enum tridiagonal_matrix)matrix;
            shape.offset = turns / FAULTS % 3 == 0;
            shape.rhs_aligned = turns / FAULTS % 2 == 0;
            check_one(shape, n > 0 ? (enum fault)(turns % FAULTS) : NONE);
        }
}
static void check_lengths(char type, int pivot, bool all, int *turn)
{
    const int64_t longest = batch_longest(type, pivot);
    for (int64_t n : lengths)
        check_length(type, pivot, n, all, turn);
    for (int64_t n : {longest / 4 + 1, longest / 2 + 1, longest, longest + 1, 3 * longest + 5})
        check_length(type, pivot, n, all, turn);
}

/* Tests all kinds of batches with many faults, and whether systems depend on their neighbours. */
static void check_neighbours(char type, int pivot, bool all)
{
    const int64_t longest = batch_longest(type, pivot);
    for (struct shape shape :
         {shape{}, shape{.lengths = true}, shape{.layout = INTERLEAVED}, shape{.periodic = true},
          shape{.layout = INTERLEAVED, .periodic = true}}) {
        shape.type = type;
        shape.pivot = pivot;
        shape.batch = expect_few ? 11 : 60;
        for (int64_t n : {1, 2, 3, 5, 10, 21, 50, 64, 700, 2079, 2557})
            if (n <= longest && (all || n <= (expect_few ? 50 : 700))) {
                shape.n = n;
                check_many_broken(shape);
            }
    }
    for (enum layout layout : {CONTIGUOUS, INTERLEAVED})
        for (int matrix = 0; matrix < SIDES; matrix++)
            for (bool periodic : {false, true})
                for (int64_t n : {3, 100, 300, 1001}) {
                    struct shape shape = {.type = type, .pivot = pivot, .n = n, .layout = layout};
                    shape.matrix = (enum tridiagonal_matrix)matrix;
                    shape.periodic = periodic;
                    /* with AUTO the bits of a contiguous system depend on its neighbours */
                    if (n <= (all ? 1001 : expect_few ? 100 : 300) && pivot != AUTO)
                        check_same_bits(shape);
                }
    for (int64_t n : {3, 50, 300})
        if (!is_complex(type) && pivot != AUTO)
            check_same_bits_before(type, pivot, n);
}

/* Tests batches that share a matrix, in tiles of many systems. */
static void check_shared(char type, int pivot, bool all, int *turn)
{
    for (int64_t n : {1, 37, 1000})
        for (enum tridiagonal_matrix matrix :
             {TRIDIAGONAL_BATCH_SHARED, TRIDIAGONAL_BATCH_CONSTANT}) {
            struct shape shape = {.type = type, .pivot = pivot, .n = n, .matrix = matrix};
            shape.batch = 1 + (all ? 5000000 : expect_few ? 4000 : 100000) / n;
            shape.offset = *turn % 3 == 2;
            shape.in_place = (*turn)++ % 2 == 0;
            check_many_tiles(shape);
            shape.offset = 0;
            if (n < 100 || (all && !expect_few))
                check_same_bits(shape);
        }
    for (int64_t n : {3, 200})
        check_one(
            {.type = type, .pivot = pivot, .n = n, .batch = 50, .matrix = TRIDIAGONAL_BATCH_SHARED},
            ZERO_ROW);
}

/* ---- layouts and automatic pivoting ---- */

/* One value of `pivot`, periodic or not. */
static void check_axis(char type, int pivot, bool periodic)
{
    for (int64_t n : {1, 33, 320, 350, 500})
        if (n < 100 || !expect_few)
            check_bits_of_layouts(type, pivot, n, periodic);
    for (enum layout layout : {CONTIGUOUS, NARROW}) {
        struct shape shape = {.type = type, .pivot = pivot, .n = 33, .layout = layout};
        shape.periodic = periodic;
        shape.sides = 5;
        if (layout != CONTIGUOUS || periodic) /* others have a kernel for one matrix */
            check_bits_of_sides(type, pivot, 21, layout, periodic);
        /* with AUTO the bits of a contiguous system depend on its neighbours */
        if (pivot != AUTO || layout != CONTIGUOUS || periodic)
            check_same_bits(shape);
        shape.sides = 0;
        shape.padding = GAPS;
        shape.n = expect_few ? 30 : 170;
        check_same_bits(shape);
    }
}

/* The tests of this section, for one type. */
static void check_axes(char type)
{
    int multiprocessors;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    for (bool periodic : {false, true}) {
        for (int pivot : {NEVER, ALWAYS, AUTO})
            check_axis(type, pivot, periodic);
        /* each team has eight groups or more */
        struct shape shape = {.type = type, .pivot = AUTO, .n = 500, .layout = INTERLEAVED};
        shape.batch = 32 * (4 * multiprocessors + 7);
        shape.periodic = periodic;
        if (!expect_few && !is_complex(type))
            check_family(SKEWED_GROUPS, shape);
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED, WIDE})
            for (int64_t n : {1, 2, 23, 190, 500})
                if (n < 100 || (!expect_few && layout == INTERLEAVED))
                    check_one_hard_row(type, n, layout, periodic);
    }
    for (int pivot : {ALWAYS, AUTO})
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED})
            for (int64_t n : {1, 2, 3, 19, 20, 21, 41, 320, 321, 480, 640, 1000, 5000, 5120, 5121})
                if (n < 1000 || !expect_few)
                    check_family(LAPLACIAN, {.type = type,
                                             .pivot = pivot,
                                             .n = n,
                                             .batch = 14,
                                             .layout = layout,
                                             .periodic = true});
}

/* Automatic pivoting, for one type. */
static void check_automatic(char type, bool all)
{
    /* A compiler may round complex products differently in the two kernels. */
    for (int64_t n : {1, 2, 28, 300, 1000})
        if (!is_complex(type))
            check_auto_accepts(type, n);
    for (int64_t n : {1, 2, 3, 20, 64, 300, 1000, 4095, 30000})
        for (bool periodic : {false, true})
            if (!periodic || n < 2000)
                check_auto(type, n, periodic);
    /* without its tests of pivots a solver fails in some of 600000 / 33 matrices */
    const int matrices = expect_few ? 2000 : all || type == 's' ? 600000 : 50000;
    struct shape shape = {.type = type, .pivot = AUTO, .batch = 2};
    shape.matrix = TRIDIAGONAL_BATCH_SHARED;
    for (int64_t n : {33, 300, 2000})
        shape.n = n, check_family(BARELY, shape, 2 + matrices / (int)n);
    shape.matrix = TRIDIAGONAL_BATCH_OWN;
    for (int64_t n : {7, 33, 300, 4095, 20000})
        for (bool periodic : {false, true})
            for (enum layout layout : {CONTIGUOUS, INTERLEAVED}) {
                const int64_t rows = all ? 3000000 : expect_few ? 5000 : periodic ? 60000 : 1000000;
                shape.n = n;
                shape.batch = 1 + rows / n;
                shape.layout = layout;
                shape.periodic = periodic;
                check_family(BARELY, shape);
            }
}

#ifndef __CUDACC__
/* Blocks that wait for one another must do so in every order of blocks and threads, which the CPU
 * device shuffles. Row 1 of each system needs pivoting, which teams find out while they eliminate
 * their first group. */
static void check_orders(void)
{
    for (uint64_t order = 1; order <= 6; order++) {
        cpu_device_shuffle(order);
        for (int pivot : {NEVER, AUTO})
            for (int64_t batch : {3, 100}) {
                struct trial t = open_trial(
                    {.type = 's', .pivot = pivot, .n = 500, .batch = batch, .layout = INTERLEAVED});
                for (int64_t k = 0; k < batch && pivot; k++)
                    set_row(&t, DIAG, k, 1, 1e-6);
                expect_solved(&t, "in another order");
                close_trial(&t);
            }
    }
    cpu_device_shuffle(0);
}
#endif

/* The tests of the device's solver or, with trial_cores, of tridiagonal_batch_cpu.h. */
static void check_solver(bool all, uint64_t seed)
{
    int turn = 0, size_turn = 0;
    for (char type : TYPES) {
        check_family(ZERO_ROWS, {.type = type, .pivot = ALWAYS, .n = 7, .batch = 8});
        check_chain(type);
        for (int pivot : {NEVER, ALWAYS, AUTO}) {
            if (all || type == 's' || type == 'z')
                check_graphs(type, pivot);
            check_shared(type, pivot, all, &turn);
            check_lengths(type, pivot, all, &size_turn);
            check_neighbours(type, pivot, all);
        }
        check_automatic(type, all);
        check_axes(type);
        for (enum layout layout : {INTERLEAVED, WIDE, CONTIGUOUS})
            if (trial_cores) {
                check_many(type, NEVER, layout);
                check_many(type, AUTO, layout);
            }
        check_largest_numbers(type);
        check_pointers(type);
    }
    check_calls();
    check_family(SAID_TOO_SHORT, {.type = 'd', .n = 100, .batch = 40, .lengths = true});
    check_judge();
    tridiagonal_batch_check_hard(all, seed);
    tridiagonal_batch_check_gradient(all);
}

int tridiagonal_batch_check(bool all, uint64_t seed)
{
    const int before = expect_failed;
    trial_seed = seed;
    for (int cores : {0, 2}) {
        int passed = expect_passed, failed = expect_failed;
        if (cores && !device_is_cpu())
            break;
        trial_cores = cores;
        worst_error = 0;
        check_solver(all, seed);
        if (!cores) {
#ifndef __CUDACC__
            check_orders();
#endif
            check_reads();
        }
        printf(
            "tridiagonal_batch%s.h: %d tests, largest backward error of a row's terms %.3g units "
            "of roundoff\n",
            cores ? "_cpu" : "", expect_passed - passed + expect_failed - failed, worst_error);
    }
    trial_cores = 0;
    return expect_failed - before;
}
