/* The tests of tridiagonal_batch.h, a part of thomas_batch --check. They run in all four types,
 * without and with pivoting. The sizes are near the number of rows of a thread, a warp and a block.
 * The arrays begin at every offset from a 16-byte boundary, and x may replace rhs. Some systems
 * break down while their neighbours do not. The systems may lie along any axis of an array, with
 * padding, or have different lengths, or one matrix for all or for some of them, or be too long for
 * shared memory, or be periodic. 2 x - rhs must have the bits that follow from x. Calls are
 * captured in CUDA graphs. Invalid calls are tested, too.
 *
 * The error of each row is judged relative to the row's own terms. So an error caused by a
 * neighbouring system is detected even in a row of small numbers. */
#include "test/tridiagonal_batch_test.h"
#include "test/tridiagonal_batch_trial.h"

#include <initializer_list>

/* ---- systems that break down ---- */

enum fault { NONE, ZERO_ROW, NAN_DIAG, INFINITE_RHS, NAN_LAST, TINY, FAULTS };
static const char *const fault_names[FAULTS] = {"sound",
                                                "a row of zeros",
                                                "NaN on the diagonal",
                                                "an infinite right-hand side",
                                                "NaN in the last row",
                                                "a tiny pivot"};

/* Writes a fault into row i of system k. TINY: the reciprocal of the pivot overflows, or its
 * product with the right-hand side does. */
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
}

/* Writes the fault into the middle system. If all systems share a matrix, a fault in the matrix
 * breaks down all of them. Then the fault is INFINITE_RHS, which is in one right-hand side only. If
 * some systems share a matrix, a fault in it breaks down these. A tiny pivot may break down only
 * one of them, so its place is taken by INFINITE_RHS, too. */
static void break_middle(struct trial *t, enum fault fault)
{
    const struct shape *s = &t->shape;
    if (fault == NONE)
        return;
    if (s->matrix != TRIDIAGONAL_BATCH_OWN || (s->sides > 1 && fault == TINY))
        fault = INFINITE_RHS;
    t->broken = s->batch / 2;
    t->broken_matrix = s->sides > 1 && fault != INFINITE_RHS;
    set_fault(t, fault, t->broken, fault == NAN_LAST ? s->n - 1 : s->n / 2);
}
static void check_one(struct shape shape, enum fault fault)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    static int turn = 0;
    struct trial t = open_trial(shape);
    break_middle(&t, fault);
    expect_solved(&t, fault_names[fault]);
    if (turn++ % 3 == 0)
        expect_crank_nicolson(&t);
    close_trial(&t);
}

/* Solves a batch in which every second system has a fault. The kinds of faults take turns. */
static void check_many_broken(struct shape shape)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct trial t = open_trial(shape);
    t.broken = 1;
    t.every = 2;
    for (int64_t k = 1; k < shape.batch; k += 2)
        if (length_of(&t, k) > 0)
            set_fault(&t, (enum fault)(1 + k / 2 % (FAULTS - 1)), k, k / 2 % length_of(&t, k));
    expect_solved(&t, "every other broken");
    close_trial(&t);
}

/* Systems that share a matrix, so many that a block has several tiles. Some right-hand sides have a
 * NaN or Inf. */
static void check_many_tiles(struct shape shape)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct trial t = open_trial(shape);
    t.broken = shape.batch / 3;
    t.every = shape.batch / 7 + 1;
    for (int64_t k = t.broken; k < shape.batch; k += t.every)
        set_row(&t, RHS, k, k % shape.n, k % 2 ? (double)NAN : (double)INFINITY);
    expect_solved(&t, "many tiles, rhs is not finite");
    close_trial(&t);
}

/* If a shared matrix has a row of zeros, every system breaks down. */
static void check_singular_matrix(char type, int pivot, int64_t n)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct trial t = open_trial(
        {.type = type, .pivot = pivot, .n = n, .batch = 50, .matrix = TRIDIAGONAL_BATCH_SHARED});
    t.broken = 0;
    t.every = 1;
    set_fault(&t, ZERO_ROW, 0, n / 2);
    expect_solved(&t, "a matrix with a row of zeros");
    close_trial(&t);
}

/* Automatic pivoting must accept a dominant matrix that all systems share. Then x has the same bits
 * as without pivoting. The matrix of the Poisson equation is only just dominant. */
static void check_auto_accepts(char type, int64_t n)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct shape shape = {.type = type, .n = n, .batch = 30, .matrix = TRIDIAGONAL_BATCH_CONSTANT};
    struct trial t = open_trial(shape);
    size_t bytes = bytes_of(&t, X);
    set(&t, SUB, 0, -1, 0);
    set(&t, DIAG, 0, 2, 0);
    set(&t, SUPER, 0, -1, 0);
    CHECK(solve(&t));
    char *x = (char *)memory_host(&t.memory, bytes);
    memcpy(x, t.host[X], bytes);
    t.shape.pivot = t.call.pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO;
    expect_solved(&t, "AUTO, Poisson");
    EXPECT(!memcmp(x, t.host[X], bytes), "type %c, n = %lld: AUTO pivots in the Poisson matrix",
           type, (long long)n);
    close_trial(&t);
}

/* error_of must exceed BOUND if one element of x is wrong, wherever it is. */
static void check_judge(void)
{
    static const double wrong[] = {(double)NAN, (double)INFINITY, 1e-3};
    for (enum layout layout : {CONTIGUOUS, INTERLEAVED}) {
        struct trial t = open_trial({.type = 'd', .n = 50, .batch = 3, .layout = layout});
        CHECK(solve(&t));
        for (int64_t i = 0; i < 50; i++)
            for (double value : wrong) {
                double right = at(&t, X, 1, i).re;
                set_row(&t, X, 1, i, value);
                EXPECT(!(error_of(&t, 1) <= BOUND) && error_of(&t, 0) <= BOUND,
                       "%g in row %lld is not seen", value, (long long)i);
                set_row(&t, X, 1, i, right);
            }
        close_trial(&t);
    }
}

/* The first systems of a batch must have the same bits if they are solved without the others. (One
 * interleaved system is a contiguous one, which another kernel solves.) */
static void check_same_bits(struct shape shape)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    size_t bytes = (size_t)size_of(shape.type);
    int64_t together = shape.sides ? shape.sides : 1; /* divides 90 */
    shape.batch = 90;
    struct trial many = open_trial(shape);
    CHECK(solve(&many));
    for (shape.batch = together * (shape.layout ? 3 : 1); shape.batch < 90;
         shape.batch = 2 * shape.batch + together) {
        bool same = true;
        struct trial few = open_trial(shape);
        for (int a = 0; a <= X; a++) {
            if (a == X)
                CHECK(solve(&few));
            for (int64_t k = 0; k < shape.batch; k++)
                for (int64_t i = 0; i < shape.n; i++) {
                    char *mine = (char *)few.host[a] + bytes * (size_t)element_at(&few, a, k, i);
                    const char *other =
                        (const char *)many.host[a] + bytes * (size_t)element_at(&many, a, k, i);
                    if (a < X)
                        memcpy(mine, other, bytes);
                    else
                        same = same && !memcmp(mine, other, bytes);
                }
        }
        EXPECT(same,
               "tridiagonal_batch: type %c, pivot %d, n = %lld, matrix %d, layout %d.%d: the first "
               "%lld of 90 "
               "systems have other bits alone",
               shape.type, shape.pivot, (long long)shape.n, shape.matrix, shape.layout,
               shape.padding, (long long)shape.batch);
        close_trial(&few);
    }
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
    EXPECT(!memcmp(sound.host[X], broken.host[X], (size_t)(20 * n * size_of(type))) &&
               broken.host_status[20] > 0,
           "tridiagonal_batch: type %c, pivot %d, n = %lld: other bits before a system that breaks "
           "down",
           type, pivot, (long long)n);
    close_trial(&sound);
    close_trial(&broken);
}

/* Automatic pivoting must solve dominant systems, and systems of which one row, anywhere, is not
 * dominant. In a periodic system this may be so because of the coupling between its ends. */
static void check_auto(char type, int64_t n, bool periodic)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct trial t = open_trial({.type = type, .n = n, .batch = 7, .periodic = periodic});
    t.shape.pivot = t.call.pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO;
    t.call.work = memory_device(&t.memory, tridiagonal_batch_work(&t.call));
    expect_solved(&t, "AUTO, dominant rows");
    for (int64_t i : {(int64_t)0, n / 3, n - 1}) {
        set_row(&t, DIAG, 3, i, 1e-30);
        expect_solved(&t, "AUTO, a tiny diagonal element");
    }
    if (periodic) {
        set_row(&t, SUB, 2, 0, 1e10);
        set_row(&t, SUPER, 4, n - 1, 1e10);
        expect_solved(&t, "AUTO, a large coupling between the ends");
    }
    close_trial(&t);
}

/* Random systems whose rows are only just dominant. So many groups of rows are nearly singular by
 * themselves. Without pivoting some solutions would be wrong by hundreds of units of roundoff and
 * more. Automatic pivoting must notice that. If the systems share a matrix, `matrices` are tested
 * one after the other. */
static void check_barely_dominant(char type, int64_t n, int64_t batch, enum layout layout,
                                  bool periodic, int matrices = 1)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    static const double margins[] = {0, 0, 1e-16, 1e-12, 1e-6, 0.1};
    struct shape shape = {
        .type = type, .n = n, .batch = batch, .layout = layout, .periodic = periodic};
    shape.pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO;
    if (matrices > 1)
        shape.matrix = TRIDIAGONAL_BATCH_SHARED;
    struct trial t = open_trial(shape);
    auto off_diagonal = [&]() {
        double kind = draw(&t) + 0.5, size = kind < 0.6    ? 1
                                             : kind < 0.75 ? fabs(draw(&t)) + 1e-3
                                                           : pow(10, -12 * (draw(&t) + 0.5));
        return draw(&t) < 0 ? -size : size;
    };
    double worst = 0;
    int64_t solved = 0;
    for (int m = 0; m < matrices; m++) {
        for (int64_t k = 0; k < (shape.matrix == TRIDIAGONAL_BATCH_OWN ? batch : 1); k++)
            for (int64_t i = 0; i < n; i++) {
                double sub = off_diagonal(), super = off_diagonal(),
                       margin =
                           i == 0 || draw(&t) < -0.4 ? margins[(int)((draw(&t) + 0.5) * 6)] : 0,
                       diag = ((periodic || i > 0 ? fabs(sub) : 0) +
                               (periodic || i < n - 1 ? fabs(super) : 0)) *
                              (1 + margin);
                set_row(&t, SUB, k, i, sub);
                set_row(&t, SUPER, k, i, super);
                set_row(&t, DIAG, k, i, draw(&t) < 0 ? -diag : diag);
            }
        CHECK(solve(&t));
        for (int64_t k = 0; k < batch; k++) {
            solved += t.host_status[k] == 0;
            double error = t.host_status[k] == 0 ? error_of(&t, k) : 0;
            worst = error > worst || isnan(error) ? error : worst;
        }
    }
    EXPECT(
        worst <= BOUND,
        "type %c, n = %lld%s%s, %d matrices, barely dominant rows: a wrong x with status 0, %.3g",
        type, (long long)n, layout ? ", interleaved" : "", periodic ? ", periodic" : "", matrices,
        worst);
    /* most short systems are regular */
    EXPECT(n > 300 || solved > matrices * batch / 2,
           "type %c, n = %lld, barely dominant rows: %lld of %lld solved", type, (long long)n,
           (long long)solved, (long long)(matrices * batch));
    close_trial(&t);
}

/* Periodic Laplacians, whose rows are dominant but have the sum 0, with odd systems slightly
 * regular. A solver cannot tell a singular system from a nearly singular one, so the status may be
 * 0. But then x must have a small backward error. The odd systems must be solved. */
static void check_rings(char type, int pivot, int64_t n, enum layout layout)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct trial t = open_trial(
        {.type = type, .pivot = pivot, .n = n, .batch = 14, .layout = layout, .periodic = true});
    for (int64_t k = 0; k < 14; k++)
        for (int64_t i = 0; i < n; i++) {
            set_row(&t, SUB, k, i, -1);
            set_row(&t, DIAG, k, i, 2 + (k % 2) * pow(10, -(double)k / 3));
            set_row(&t, SUPER, k, i, -1);
        }
    CHECK(solve(&t));
    for (int64_t k = 0; k < 14; k++)
        EXPECT((t.host_status[k] == 0 || k % 2 == 0) &&
                   (t.host_status[k] > 0 || error_of(&t, k) <= BOUND),
               "type %c, pivot %d, n = %lld, layout %d: periodic Laplacian %lld: status %d, %g",
               type, pivot, (long long)n, layout, (long long)k, t.host_status[k], error_of(&t, k));
    close_trial(&t);
}

/* Systems 6 and 7 are singular and lie next to each other. Elimination in one leaves a row of zeros
 * where a row of the other is expected. The systems before them are identities and must be
 * solved. */
static void check_zero_rows(char type)
{
    static const double last[7][3] = {{0, 1, -1}, {0, 1, -1}, {0, 0, -1}, {0, 1, 0},
                                      {1, 1, 0},  {1, 1, 0},  {1, 1, 0}};
    struct trial t = open_trial({.type = type, .pivot = 1, .n = 7, .batch = 8});
    for (int64_t k = 0; k < 8; k++)
        for (int64_t i = 0; i < 7; i++) {
            for (int a = SUB; a <= SUPER; a++)
                set_row(&t, a, k, i, k == 7 ? last[i][a] : a == DIAG && !(k == 6 && i == 0));
            set_row(&t, RHS, k, i, 1);
        }
    CHECK(solve(&t));
    for (int64_t k = 0; k < 8; k++)
        EXPECT(k < 6 ? t.host_status[k] == 0 && error_of(&t, k) <= BOUND : t.host_status[k] > 0,
               "type %c, zero rows: system %lld, status %d", type, (long long)k, t.host_status[k]);
    close_trial(&t);
}

/* If all systems share a matrix, the staging buffer contains not only the rows of a tile, but also
 * the rows of the matrix before and after them. The solver must mask these other rows. With 4 rows
 * this matrix is regular, but if they are not masked it has 8 rows and is singular. */
static void check_chain(char type)
{
    for (int64_t batch : {1, 2, 7}) {
        struct trial t = open_trial({.type = type,
                                     .pivot = 1,
                                     .n = 4,
                                     .batch = batch,
                                     .matrix = TRIDIAGONAL_BATCH_CONSTANT});
        set(&t, SUB, 0, 1, 0);
        set(&t, SUPER, 0, 1, 0);
        set(&t, DIAG, 0, -2 * cos(2 * acos(-1.) / 9), 0);
        expect_solved(&t, "-2 cos(2 pi / 9)");
        close_trial(&t);
    }
}

/* ---- layouts and automatic pivoting ---- */

/* Tests each combination of layout, padding, matrix and place of x, with numbers of rows up to 600
 * and around those that a slice, a partition and a block have. `turn` makes each combination test
 * some of the numbers. */
static void check_layouts(char type, int pivot, bool periodic, bool all, int *turn)
{
    static const int64_t sizes[] = {0,   1,   2,   3,   4,   5,   6,   9,   10,  11,  19,
                                    20,  21,  39,  40,  41,  79,  80,  81,  127, 159, 160,
                                    161, 162, 239, 240, 241, 319, 320, 321, 322, 399, 400,
                                    401, 479, 480, 600, 640, 641, 720, 961, 1000},
                         batches[] = {1, 6, 35, 66, 130},
                         sides[][5] = {{0, 2, 5, 2, 10}, {1, 3, 7, 33, 65}, {0, 6, 5, 11, 13}};
    enum { SIDES = TRIDIAGONAL_BATCH_CONSTANT + 1 };
    const int step = all ? 1 : expect_few ? 97 : periodic ? 37 : 17;
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int padding = 0; padding < PADDINGS; padding++)
            for (int matrix = 0; matrix <= SIDES; matrix++)
                for (bool in_place : {false, true})
                    for (int64_t n : sizes) {
                        if (++*turn % step != 0)
                            continue;
                        int one = *turn / step % 5;
                        struct shape shape = {.type = type,
                                              .pivot = pivot,
                                              .n = n,
                                              .batch = batches[one],
                                              .offset = *turn / step % 3 == 0,
                                              .in_place = in_place,
                                              .layout = (enum layout)layout,
                                              .padding = (enum padding)padding,
                                              .periodic = periodic};
                        if (matrix == SIDES)
                            shape.sides = sides[*turn / step / 5 % 3][one];
                        else
                            shape.matrix = (enum tridiagonal_matrix)matrix;
                        check_one(shape, n > 0 ? (enum fault)(*turn / step % FAULTS) : NONE);
                    }
}

/* Right-hand sides that share a matrix must get the bits that they get from one matrix for all. */
static void check_bits_of_sides(char type, int pivot, int64_t n, enum layout layout, bool periodic)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct shape shape = {
        .type = type, .pivot = pivot, .n = n, .batch = 12, .layout = layout, .periodic = periodic};
    shape.matrix = TRIDIAGONAL_BATCH_SHARED;
    struct trial one = open_trial(shape);
    shape.matrix = TRIDIAGONAL_BATCH_OWN;
    shape.sides = 12;
    struct trial all = open_trial(shape);
    for (int a = 0; a < X; a++)
        memcpy(all.host[a], one.host[a], bytes_of(&all, a));
    CHECK(solve(&one));
    CHECK(solve(&all));
    EXPECT(!memcmp(one.host[X], all.host[X], bytes_of(&all, X)),
           "type %c, pivot %d, n = %lld, layout %d: sides = batch gives other bits", type, pivot,
           (long long)n, layout);
    close_trial(&one);
    close_trial(&all);
}

/* The layouts other than contiguous ones must all give the same bits. For periodic systems that fit
 * into one block the contiguous ones must, too, except that complex products may be rounded
 * differently. */
static void check_bits_of_layouts(char type, int pivot, int64_t n, bool periodic)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct shape shape = {.type = type,
                          .pivot = pivot,
                          .n = n,
                          .batch = 12,
                          .layout = INTERLEAVED,
                          .periodic = periodic};
    size_t bytes = (size_t)size_of(type);
    bool real_ring = periodic && !is_complex(type) && n <= 320;
    struct trial columns = open_trial(shape);
    CHECK(solve(&columns));
    for (int layout = real_ring ? CONTIGUOUS : INTERLEAVED; layout < LAYOUTS; layout++)
        for (int padding = TIGHT; padding < PADDINGS; padding++) {
            shape.layout = (enum layout)layout;
            shape.padding = (enum padding)padding;
            struct trial t = open_trial(shape);
            bool same = true;
            for (int a = 0; a <= X; a++) {
                if (a == X)
                    CHECK(solve(&t));
                for (int64_t k = 0; k < shape.batch; k++)
                    for (int64_t i = 0; i < n; i++) {
                        char *mine = (char *)t.host[a] + bytes * (size_t)element_at(&t, a, k, i);
                        const char *other = (const char *)columns.host[a] +
                                            bytes * (size_t)element_at(&columns, a, k, i);
                        if (a < X)
                            memcpy(mine, other, bytes);
                        else
                            same = same && !memcmp(mine, other, bytes);
                    }
            }
            EXPECT(same, "type %c, pivot %d, n = %lld: layout %d.%d gives other bits", type, pivot,
                   (long long)n, layout, padding);
            close_trial(&t);
        }
    close_trial(&columns);
}

/* System k has one row that is not dominant, row k, for which pivoting is needed. Automatic
 * pivoting must find it wherever it is. Without pivoting at least every second system must be
 * wrong, otherwise this tests nothing. */
static void check_one_hard_row(char type, int64_t n, enum layout layout, bool periodic)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    int64_t wrong = 0;
    for (int pivot : {TRIDIAGONAL_BATCH_PIVOT_NEVER, TRIDIAGONAL_BATCH_PIVOT_AUTO}) {
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
        t.shape.pivot = t.call.pivot = pivot;
        t.call.work = memory_device(&t.memory, tridiagonal_batch_work(&t.call));
        CHECK(solve(&t));
        t.shape.pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO; /* the same measure of the error for both */
        for (int64_t k = 0; k < n; k++) {
            double error = error_of(&t, k);
            if (pivot == TRIDIAGONAL_BATCH_PIVOT_NEVER)
                wrong += !(error <= BOUND);
            else
                EXPECT(t.host_status[k] == 0 && error <= BOUND,
                       "type %c, n = %lld, layout %d: row %lld is not dominant: status %d, %g",
                       type, (long long)n, layout, (long long)k, t.host_status[k], error);
        }
        close_trial(&t);
    }
    EXPECT(n < 20 || 2 * wrong >= n, "type %c, n = %lld: without pivoting only %lld are wrong",
           type, (long long)n, (long long)wrong);
}

/* Families of matrices for which elimination without pivoting gives wrong results. Each x with
 * status 0 must solve its system. In the families whose x does not grow without bounds, the status
 * must be 0. */
static void check_hard(char type, int pivot, enum layout layout, int64_t n, int64_t batch,
                       bool periodic)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    enum { SIGNS, TINY_DIAGONAL, GRADED, ZERO_DIAGONAL, NEARLY_SINGULAR, SINGULAR, FAMILIES };
    struct trial t = open_trial({.type = type,
                                 .pivot = pivot,
                                 .n = n,
                                 .batch = batch,
                                 .layout = layout,
                                 .padding = GAPS,
                                 .periodic = periodic});
    double unit = unit_roundoff(type);
    for (int64_t k = 0; k < batch; k++) {
        int family = (int)(k % FAMILIES);
        double level = 1;
        for (int64_t i = 0; i < n; i++) {
            double diag = 2 + draw(&t), sub = -1, super = -1;
            level = i % 40 == 0 ? 1 : level * (draw(&t) > 0 ? 0.7 : 0.4);
            if (family == SIGNS) {
                diag = i % 2 == 0 ? 1 : -1;
                sub = draw(&t) > 0 ? 1 : -1.5;
                super = draw(&t);
            } else if (family == TINY_DIAGONAL)
                diag = unit * draw(&t);
            else if (family == GRADED) {
                diag = level * draw(&t);
                sub = level;
                super = level * 0.5;
            } else if (family == ZERO_DIAGONAL) {
                diag = i % 3 == 0 ? 0 : draw(&t);
                sub = 1 + draw(&t);
                super = 1 + draw(&t);
            } else if (family == NEARLY_SINGULAR) /* rows of sum 0, but for roundoff */
                diag = (i == 0 || i == n - 1 ? 1 : 2) * (1 + (i == n / 2 ? 4 * unit : 0));
            else if (family == SINGULAR && i == n / 2)
                diag = sub = super = 0;
            set_row(&t, SUB, k, i, sub);
            set_row(&t, DIAG, k, i, diag);
            set_row(&t, SUPER, k, i, super);
        }
    }
    CHECK(solve(&t));
    int64_t wrong = -1;
    for (int64_t k = 0; k < batch; k++) {
        int status = t.host_status[k];
        bool right = k % FAMILIES == SINGULAR ? status > 0 : status > 0 || error_of(&t, k) <= BOUND;
        /* a ring with a diagonal of 0 is singular if n is a multiple of 4 */
        if (((k % FAMILIES == TINY_DIAGONAL && !periodic) || k % FAMILIES == ZERO_DIAGONAL) &&
            status > 0)
            right = false;
        if (!right && wrong < 0)
            wrong = k;
    }
    EXPECT(wrong < 0,
           "type %c, pivot %d, layout %d%s, n = %lld: system %lld of a hard family: status %d, %g",
           type, pivot, layout, periodic ? ", periodic" : "", (long long)n, (long long)wrong,
           wrong < 0 ? 0 : t.host_status[wrong], wrong < 0 ? 0 : error_of(&t, wrong));
    close_trial(&t);
}

/* Systems of which no row is dominant, in some of the groups of neighbouring systems that teams of
 * blocks skip, and dominant systems in the others; each team has eight groups or more. */
static void check_skipped_groups(char type, bool periodic, int multiprocessors)
{
    enum { GROUP = 32 };
    struct trial t = open_trial({.type = type,
                                 .pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO,
                                 .n = 500,
                                 .batch = GROUP * (4 * multiprocessors + 7),
                                 .layout = INTERLEAVED,
                                 .periodic = periodic});
    for (int64_t k = 0; k < t.shape.batch; k++)
        if (k / GROUP * 7 % 5 < 2)
            for (int64_t i = 0; i < t.shape.n; i++) {
                set_row(&t, SUB, k, i, 1);
                set_row(&t, DIAG, k, i, 0.25);
                set_row(&t, SUPER, k, i, -0.5);
            }
    CHECK(solve(&t));
    int64_t wrong = -1;
    for (int64_t k = t.shape.batch - 1; k >= 0; k--)
        if (t.host_status[k] != 0 || !(error_of(&t, k) <= BOUND))
            wrong = k;
    EXPECT(wrong < 0, "type %c: system %lld of some groups without dominant rows: status %d, %g",
           type, (long long)wrong, wrong < 0 ? 0 : t.host_status[wrong],
           wrong < 0 ? 0 : error_of(&t, wrong));
    close_trial(&t);
}

/* The tests of this section, for one type. */
static void check_axes(char type, bool all, int *turn)
{
    for (int pivot : {0, 1, 2})
        for (bool periodic : {false, true}) {
            check_layouts(type, pivot, periodic, all, turn);
            for (int64_t n : {1, 33, 320, 350, 500})
                if (n < 100 || !expect_few)
                    check_bits_of_layouts(type, pivot, n, periodic);
            for (enum layout layout : {CONTIGUOUS, NARROW})
                check_same_bits({.type = type,
                                 .pivot = pivot,
                                 .n = expect_few ? 30 : 170,
                                 .layout = layout,
                                 .padding = GAPS,
                                 .periodic = periodic});
            for (enum layout layout : {CONTIGUOUS, NARROW}) {
                if (layout != CONTIGUOUS || periodic) /* others have a kernel for one matrix */
                    check_bits_of_sides(type, pivot, 21, layout, periodic);
                /* with AUTO the bits of a contiguous system depend on its neighbours */
                if (pivot == TRIDIAGONAL_BATCH_PIVOT_AUTO && layout == CONTIGUOUS && !periodic)
                    continue;
                check_same_bits({.type = type,
                                 .pivot = pivot,
                                 .n = 33,
                                 .layout = layout,
                                 .periodic = periodic,
                                 .sides = 5});
            }
            for (enum layout layout : {CONTIGUOUS, INTERLEAVED, NARROW})
                for (int64_t n : {2, 6, 100, 500, 700})
                    if (pivot && (n <= 100 || !expect_few))
                        check_hard(type, pivot, layout, n, expect_few || n > 100 ? 36 : 300,
                                   periodic);
        }
    int multiprocessors;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    for (int64_t n : {350, 500}) /* enough systems for wide blocks, and for more lists than 32 */
        if (!expect_few)
            check_hard(type, TRIDIAGONAL_BATCH_PIVOT_AUTO, INTERLEAVED, n,
                       64 * (multiprocessors + 40), false);
    if (!expect_few && !is_complex(type))
        for (bool periodic : {false, true})
            check_skipped_groups(type, periodic, multiprocessors);
    for (bool periodic : {false, true})
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED, WIDE})
            for (int64_t n : {1, 2, 23, 190, 500})
                if (n < 100 || (!expect_few && layout == INTERLEAVED))
                    check_one_hard_row(type, n, layout, periodic);
    /* up to the longest systems that teams of blocks solve */
    for (int pivot : {0, 1, 2})
        for (bool periodic : {false, true})
            for (int64_t n : {1919, 1920, 4799, 4800, 5119, 5120, 5121})
                if (++*turn, !expect_few || n == 5120)
                    check_one({.type = type,
                               .pivot = pivot,
                               .n = n,
                               .batch = 70,
                               .in_place = *turn % 2 == 0,
                               .layout = *turn % 3 == 0 ? NARROW : INTERLEAVED,
                               .periodic = periodic},
                              (enum fault)(*turn % FAULTS));
    for (int pivot : {TRIDIAGONAL_BATCH_PIVOT_ALWAYS, TRIDIAGONAL_BATCH_PIVOT_AUTO})
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED})
            for (int64_t n : {1, 2, 3, 19, 20, 21, 41, 320, 321, 480, 640, 1000, 5000, 5120, 5121})
                if (n < 1000 || !expect_few)
                    check_rings(type, pivot, n, layout);
}

/* ---- calls ---- */

static void check_calls(void)
{
    struct trial t = open_trial({.type = 'd', .n = 100, .batch = 3});
    struct tridiagonal_batch *b = &t.call;
    int *status = b->status;
    b->status = NULL;
    EXPECT(solve(&t) == cudaSuccess && error_of(&t, 1) <= BOUND, "without a status");
    b->status = status;
    EXPECT_REFUSED(*b, b->type = 'q', tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->n = -1, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->batch = -1, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->n = tridiagonal_batch_longest('d', 0) + 1, b->work = NULL),
                   tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->diag = NULL, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->x = (char *)b->x + 1, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->n = int64_t(1) << 40, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->batch = int64_t(1) << 60, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->matrix = (enum tridiagonal_matrix)3, tridiagonal_batch_solve(b, 0));
    const void *const overlaps[] = {b->sub,
                                    b->diag,
                                    b->super,
                                    (const double *)b->sub + 299,
                                    (const double *)b->super + 1,
                                    (const double *)b->rhs + 299,
                                    (const double *)b->rhs - 1};
    for (const void *x : overlaps)
        EXPECT_REFUSED(*b, b->x = (void *)x, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->x = (void *)b->diag, b->inner = 3), tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->pivot = 3, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, b->pivot = -1, tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->offset = t.device_first, b->inner = b->batch),
                   tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->offset = t.device_first, b->plane_stride = 101),
                   tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->offset = t.device_first, b->periodic = 1),
                   tridiagonal_batch_solve(b, 0));
    EXPECT_REFUSED(*b, (b->offset = t.device_first, b->sides = 3), tridiagonal_batch_solve(b, 0));
    for (int64_t wrong : {int64_t(-1), int64_t(2), int64_t(6), INT64_MAX})
        EXPECT_REFUSED(*b, b->sides = wrong, tridiagonal_batch_solve(b, 0));
    for (int matrix : {TRIDIAGONAL_BATCH_SHARED, TRIDIAGONAL_BATCH_CONSTANT})
        EXPECT_REFUSED(*b, (b->matrix = (enum tridiagonal_matrix)matrix, b->sides = 3),
                       tridiagonal_batch_solve(b, 0));
    for (int64_t wrong : {int64_t(-1), int64_t(2), int64_t(4), INT64_MAX})
        EXPECT_REFUSED(*b, b->inner = wrong, tridiagonal_batch_solve(b, 0));
    for (int64_t wrong : {int64_t(-1), int64_t(2), INT64_MAX / 100, INT64_MAX})
        EXPECT_REFUSED(*b, (b->inner = 3, b->row_stride = wrong), tridiagonal_batch_solve(b, 0));
    for (int64_t wrong : {int64_t(-1), int64_t(99), INT64_MAX / 3, INT64_MAX})
        EXPECT_REFUSED(*b, b->plane_stride = wrong, tridiagonal_batch_solve(b, 0));
    /* planes side by side, three elements apart: the third would run into the next row */
    EXPECT_REFUSED(*b, (b->row_stride = 6, b->plane_stride = 3), tridiagonal_batch_solve(b, 0));
    b->n = 0;
    CHECK(cudaMemset(status, 0x55, 3 * sizeof *status));
    EXPECT(tridiagonal_batch_solve(b, 0) == cudaSuccess, "n = 0");
    device_download(t.host_status, status, 3 * sizeof *status);
    EXPECT(t.host_status[0] == 0 && t.host_status[2] == 0, "status of n = 0");
    b->n = 100;
    b->batch = 0;
    EXPECT(tridiagonal_batch_solve(b, 0) == cudaSuccess, "batch = 0");
    EXPECT(tridiagonal_batch_longest('q', 0) == 0, "longest of no type");
    struct tridiagonal_batch r = {};
    EXPECT(tridiagonal_batch_reads(&r) == 0, "reads of no type");
    r = *b, r.offset = t.device_first, r.n = 100, r.batch = 3;
    EXPECT(tridiagonal_batch_reads(&r) == 1, "reads of systems of different lengths");
    r.n = tridiagonal_batch_longest('d', 0) + 1;
    EXPECT(tridiagonal_batch_reads(&r) == 0, "reads of too long systems of different lengths");
    EXPECT_REFUSED(*b, (b->batch = 3, b->offset = t.device_first, b->n = r.n),
                   tridiagonal_batch_solve(b, 0));
    r = {};
    r.type = 's', r.batch = 10;
    for (int pivot : {0, 1, 2}) {
        int64_t longest = tridiagonal_batch_longest('s', r.pivot = pivot);
        for (int64_t n : {int64_t(0), longest, longest + 1}) {
            r.n = n, r.inner = 0;
            int reads = tridiagonal_batch_reads(&r);
            EXPECT(reads == 1 + (n > longest), "%lld rows are read %d times", (long long)n, reads);
        }
        r.inner = 10;
        for (int64_t n : {320, 6000}) {
            r.n = n;
            int reads = tridiagonal_batch_reads(&r);
            EXPECT(reads == 1 + (n > 320), "%lld columns are read %d times", (long long)n, reads);
        }
    }
    close_trial(&t);
}

/* Some systems have more rows than the call's n. Their status must not be 0, and all others must be
 * solved. */
static void check_too_long(void)
{
    struct trial t = open_trial({.type = 'd', .n = 100, .batch = 40, .lengths = true});
    t.call.n = 50;
    for (int64_t i = 0; i < t.first[40]; i++) {
        set(&t, SUB, i, -1, 0);
        set(&t, DIAG, i, 2.0001, 0);
        set(&t, SUPER, i, -1, 0);
    }
    CHECK(solve(&t));
    for (int64_t k = 0; k < 40; k++)
        EXPECT(t.host_status[k] != 0 || error_of(&t, k) <= BOUND, "longer than was said: %lld",
               (long long)k);
    close_trial(&t);
}

/* Pointers that are NULL or misaligned must be refused, and nothing may be written. A pointer to an
 * array that the call does not need may be NULL. */
static void check_pointers(char type)
{
    const unsigned char poison = 0x5a;
    size_t element = (size_t)size_of(type);
    enum { SHORT, COLUMNS, LONG_COLUMNS, LENGTHS, LONG };
    for (int kind = SHORT; kind <= LONG; kind++) {
        struct trial t = open_trial(
            {.type = type,
             .n = kind == LONG           ? tridiagonal_batch_longest(type, 0) + 1
                  : kind == LONG_COLUMNS ? 500
                                         : 100,
             .batch = 3,
             .layout = kind == COLUMNS || kind == LONG_COLUMNS ? INTERLEAVED : CONTIGUOUS,
             .lengths = kind == LENGTHS});
        struct tridiagonal_batch call = t.call;
        size_t work_bytes = tridiagonal_batch_work(&call);
        CHECK(cudaMemset(call.x, poison, bytes_of(&t, X)));
        CHECK(cudaMemset(call.status, poison, 3 * sizeof *call.status));
        CHECK(cudaMemset(call.work, poison, work_bytes));
        struct expect_pointer arrays[] = {EXPECT_POINTER(call.sub, element),
                                          EXPECT_POINTER(call.diag, element),
                                          EXPECT_POINTER(call.super, element),
                                          EXPECT_POINTER(call.rhs, element),
                                          EXPECT_POINTER(call.x, element),
                                          EXPECT_POINTER_OR_NULL(call.status, sizeof *call.status)};
        EXPECT_POINTERS(arrays, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        struct expect_pointer offset[] = {EXPECT_POINTER_OR_NULL(call.offset, 8)};
        if (kind == LENGTHS)
            EXPECT_POINTERS(offset, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        struct expect_pointer work[] = {EXPECT_POINTER(call.work, 16)};
        if (work_bytes > 0)
            EXPECT_POINTERS(work, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        EXPECT((kind != LONG && kind != LONG_COLUMNS) || work_bytes > 0,
               "type %c: a long system needs no work", type);
        if (kind == LENGTHS)
            EXPECT_REFUSED(call, call.periodic = 1, tridiagonal_batch_solve(&call, 0));
        EXPECT_REFUSED(call, call.sides = 2, tridiagonal_batch_solve(&call, 0));
        call.n = 0;
        struct expect_pointer status[] = {EXPECT_POINTER_OR_NULL(call.status, sizeof *call.status)};
        EXPECT_POINTERS(status, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        call.batch = INT64_MAX / 3;
        EXPECT(tridiagonal_batch_solve(&call, 0) == cudaErrorInvalidValue, "2^63 / 3 statuses");
        EXPECT(device_holds(t.call.x, poison, bytes_of(&t, X)) &&
                   device_holds(t.call.status, poison, 3 * sizeof *t.call.status) &&
                   device_holds(t.call.work, poison, work_bytes),
               "type %c, kind %d: a refused call wrote", type, kind);
        close_trial(&t);
    }
    EXPECT(tridiagonal_batch_solve(NULL, 0) == cudaErrorInvalidValue &&
               tridiagonal_batch_work(NULL) == 0,
           "no struct");
    struct tridiagonal_batch none = {.type = type, .batch = 3};
    EXPECT(tridiagonal_batch_solve(&none, 0) == cudaSuccess, "type %c: no rows, no arrays", type);
    none.n = 3;
    none.batch = 0;
    EXPECT(tridiagonal_batch_solve(&none, 0) == cudaSuccess, "type %c: no systems, no arrays",
           type);
}

/* ---- CUDA graphs ---- */

/* A call that can be repeated. On a GPU it is captured in a graph, which is launched again. The CPU
 * device has no graphs; there it is called again. */
#ifdef __CUDACC__
struct repeated {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};
static struct repeated capture(const struct tridiagonal_batch *call)
{
    struct repeated r;
    CHECK(cudaStreamCreate(&r.stream));
    CHECK(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeGlobal));
    CHECK(tridiagonal_batch_solve(call, r.stream));
    CHECK(cudaStreamEndCapture(r.stream, &r.graph));
    CHECK(cudaGraphInstantiate(&r.exec, r.graph, 0));
    return r;
}
static cudaError_t repeat(const struct repeated *r)
{
    CHECK(cudaGraphLaunch(r->exec, r->stream));
    return cudaStreamSynchronize(r->stream);
}
static void release(struct repeated *r)
{
    CHECK(cudaGraphExecDestroy(r->exec));
    CHECK(cudaGraphDestroy(r->graph));
    CHECK(cudaStreamDestroy(r->stream));
}
#else
struct repeated {
    const struct tridiagonal_batch *call;
};
static struct repeated capture(const struct tridiagonal_batch *call)
{
    return {call};
}
static cudaError_t repeat(const struct repeated *r)
{
    return tridiagonal_batch_solve(r->call, 0);
}
static void release(struct repeated *)
{
}
#endif

/* Captures a call and replays it twice, with other inputs the second time: now the middle system
 * breaks down. Each replay must solve the systems, with the bits of a direct call. */
static void check_graph(struct shape shape)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    size_t bytes = (size_t)size_of(shape.type);
    struct trial t = open_trial(shape);
    struct repeated call = {};
    char *x = (char *)memory_host(&t.memory, bytes_of(&t, X));
    for (enum fault fault : {NONE, NAN_DIAG}) {
        break_middle(&t, fault);
        expect_solved(&t, "called directly");
        memcpy(x, t.host[X], bytes_of(&t, X));
        if (fault == NONE)
            call = capture(&t.call);
        prepare(&t);
        host_poison(t.host[X], bytes_of(&t, X));
        cudaError_t error = repeat(&call);
        fetch(&t);
        expect_right(&t, error, "replayed in a graph");
        bool same = true;
        for (int64_t k = 0; k < shape.batch; k++)
            for (int64_t i = 0; i < length_of(&t, k) && !is_broken(&t, k); i++) {
                size_t at = bytes * (size_t)element_at(&t, X, k, i);
                same = same && !memcmp(x + at, (char *)t.host[X] + at, bytes);
            }
        EXPECT(same,
               "type %c, pivot %d, n = %lld, matrix %d, layout %d.%d, %s: a graph gives other bits",
               shape.type, shape.pivot, (long long)shape.n, shape.matrix, shape.layout,
               shape.padding, fault_names[fault]);
    }
    release(&call);
    close_trial(&t);
}

/* Every kind of call: one tile and longer; all layouts; periodic; one matrix for all or for some
 * systems; different lengths. With automatic pivoting some systems need pivoting, so that second
 * launches have work. */
static void check_graphs(char type, int pivot)
{
    int64_t longest = tridiagonal_batch_longest(type, pivot), beyond = longest + 1;
    for (struct shape shape : {
             shape{.n = 10},
             shape{.n = 300},
             shape{.n = beyond, .batch = 3},
             shape{.n = 100, .lengths = true},
             shape{.n = 100, .layout = CONTIGUOUS, .padding = GAPS},
             shape{.n = 100, .layout = INTERLEAVED},
             shape{.n = 500, .layout = INTERLEAVED},
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
        if (shape.batch == 0)
            shape.batch = 20;
        if (!expect_few || shape.n <= 400)
            check_graph(shape);
    }
}

/* ---- sizes ---- */

/* Sets offset and in_place by `turn`. If `turn` changes from case to case, the tests combine them
 * in many ways with faults and kinds of batches. */
static void take_turn(struct shape *shape, int turn)
{
    shape->offset = turn % 3 == 2;
    shape->in_place = turn % 2 == 0;
}

/* Tests all kinds of batches except the plain one, which check_plain() tests. In a plain batch the
 * systems are contiguous, have the same length, and each has its own matrix. */
static void check_kinds(char type, int pivot, bool all)
{
    static const struct {
        enum tridiagonal_matrix matrix;
        enum layout layout;
        bool lengths;
        bool periodic;
    } kinds[] = {{TRIDIAGONAL_BATCH_OWN, CONTIGUOUS, false, false},
                 {TRIDIAGONAL_BATCH_SHARED, CONTIGUOUS, false, false},
                 {TRIDIAGONAL_BATCH_CONSTANT, CONTIGUOUS, false, false},
                 {TRIDIAGONAL_BATCH_OWN, INTERLEAVED, false, false},
                 {TRIDIAGONAL_BATCH_SHARED, INTERLEAVED, false, false},
                 {TRIDIAGONAL_BATCH_CONSTANT, INTERLEAVED, false, false},
                 {TRIDIAGONAL_BATCH_OWN, CONTIGUOUS, true, false},
                 {TRIDIAGONAL_BATCH_OWN, CONTIGUOUS, false, true},
                 {TRIDIAGONAL_BATCH_OWN, INTERLEAVED, false, true}};
    static const int64_t sizes[] = {1, 2, 5, 21, 100, 333, 1200};
    int64_t longest = tridiagonal_batch_longest(type, pivot), most = all          ? 1000000
                                                                     : expect_few ? 2000
                                                                                  : 20000;
    int turn = 0, skipped = 0;
    for (const auto &kind : kinds) {
        bool first = &kind == kinds;
        struct shape shape = {.type = type,
                              .pivot = pivot,
                              .layout = kind.layout,
                              .lengths = kind.lengths,
                              .matrix = kind.matrix,
                              .periodic = kind.periodic};
        for (int64_t n : sizes)
            for (int64_t batch : {1, 7, 100, 1000}) {
                if (first || (n * batch > most && batch > 7) || (expect_few && skipped++ % 3))
                    continue;
                if (shape.lengths && n > longest) /* refused if the GPU has less shared memory */
                    continue;
                shape.n = n;
                shape.batch = batch;
                take_turn(&shape, turn);
                check_one(shape, NONE);
                check_one(shape, (enum fault)(1 + turn++ % (FAULTS - 1)));
            }
        if (!shape.lengths) /* contiguous systems of these lengths do not fit in shared memory */
            for (int64_t n : {longest + 1, 3 * longest + 5}) {
                if (expect_few && n > longest + 1)
                    continue;
                shape.n = n;
                shape.batch = all ? 40 : 3;
                take_turn(&shape, turn);
                check_one(shape, (enum fault)(turn++ % FAULTS));
            }
        shape.offset = 0;
        if (shape.matrix == TRIDIAGONAL_BATCH_OWN)
            for (int64_t n : {3, 50, 700}) {
                if (shape.lengths && n > longest)
                    continue;
                shape.n = n;
                shape.batch = expect_few ? 11 : 60;
                check_many_broken(shape);
            }
        shape.n = expect_few ? 30 : 300;
        if (!shape.lengths && !first)
            check_same_bits(shape);
    }
    /* tiles with many matrices, with one, and with a part of one */
    for (int64_t n : {int64_t(1), int64_t(2), int64_t(5), int64_t(21), int64_t(100), int64_t(333),
                      int64_t(1200), longest, longest + 1, 3 * longest + 5})
        for (int64_t sides : {2, 3, 41}) {
            struct shape shape = {.type = type, .pivot = pivot, .n = n, .sides = sides};
            shape.batch = sides * (n < 100 ? 30 : 3);
            if (n * shape.batch > most && (sides > 2 || (expect_few && n > longest)))
                continue;
            take_turn(&shape, turn);
            check_one(shape, (enum fault)(turn++ % FAULTS));
        }
    for (int64_t n : {longest / 3, longest})
        check_one({.type = type, .pivot = pivot, .n = n, .batch = 6, .offset = 1, .lengths = true},
                  NAN_DIAG);
}

/* Tests contiguous systems of one length, each with its own matrix. The CPU device does not test
 * every size in every type; `turn` makes each type test other sizes, so that each size is tested in
 * some type. */
static void check_plain(char type, int pivot, bool all, int turn)
{
    static const int64_t sizes[] = {1,  2,  3,  4,   5,   7,   8,   9,    10,   19,  20,
                                    21, 31, 64, 100, 127, 640, 641, 1000, 2079, 2557},
                         batches[] = {1, 2, 7, 40, 900, 5000}, bits[] = {3, 100, 1001};
    static int fault = 0;
    int64_t longest = tridiagonal_batch_longest(type, pivot),
            most = all          ? 2000000
                   : expect_few ? 700
                                : 4000,
            most_broken = all          ? 3000
                          : expect_few ? 10
                                       : 64;
    struct shape shape = {.type = type, .pivot = pivot};
    for (int64_t n : sizes) {
        if (turn++ % (all ? 1 : expect_few ? 5 : 2) != 0)
            continue;
        for (int64_t batch : batches) {
            if (n > longest || (n * batch > most && batch > 2))
                continue;
            shape.n = n;
            shape.batch = batch;
            shape.offset = batch % 2;
            shape.in_place = n % 2 != 0;
            check_one(shape, NONE);
            shape.offset = 0;
            shape.in_place = !shape.in_place;
            check_one(shape, (enum fault)(1 + fault++ % (FAULTS - 1)));
        }
    }
    shape.in_place = false;
    shape.batch = 3;
    for (shape.n = longest; shape.n > 0 && shape.n > longest / 8; shape.n = shape.n / 2 + 1) {
        shape.offset = shape.n % 2;
        check_one(shape, (enum fault)(fault++ % FAULTS));
    }
    shape.offset = 0;
    shape.batch = 60;
    for (int64_t n : sizes)
        if (n <= longest && n <= most_broken && turn++ % (expect_few ? 3 : 1) == 0) {
            shape.n = n;
            check_many_broken(shape);
        }
    for (int64_t n : bits)
        if (all || n <= (expect_few ? 3 : 100)) {
            shape.n = n;
            check_same_bits(shape);
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
        for (int pivot : {TRIDIAGONAL_BATCH_PIVOT_NEVER, TRIDIAGONAL_BATCH_PIVOT_AUTO})
            for (int64_t batch : {3, 100}) {
                struct trial t = open_trial(
                    {.type = 's', .pivot = pivot, .n = 500, .batch = batch, .layout = INTERLEAVED});
                for (int64_t k = 0; k < batch && pivot; k++)
                    set_row(&t, DIAG, k, 1, 1e-6);
                CHECK(solve(&t));
                for (int64_t k = 0; k < batch; k++)
                    EXPECT(t.host_status[k] == 0 && error_of(&t, k) <= BOUND,
                           "order %llu, pivot %d, system %lld of %lld: status %d, %g",
                           (unsigned long long)order, pivot, (long long)k, (long long)batch,
                           t.host_status[k], error_of(&t, k));
                close_trial(&t);
            }
    }
    cpu_device_shuffle(0);
}
#endif

int tridiagonal_batch_check(bool all, uint64_t seed)
{
    trial_seed = seed;
    worst_error = 0;
    int turn = 0, layout_turn = 0, passed = expect_passed, failed = expect_failed;
    for (char type : {'s', 'd', 'c', 'z'}) {
        for (int pivot : {0, 1}) {
            check_plain(type, pivot, all, turn++);
            check_kinds(type, pivot, all);
            for (int64_t n : {3, 50, 300})
                if (!is_complex(type))
                    check_same_bits_before(type, pivot, n);
            if (pivot) {
                check_zero_rows(type);
                check_chain(type);
            }
        }
        for (int pivot : {0, 1, 2})
            if (all || type == 's' || type == 'z')
                check_graphs(type, pivot);
        for (int pivot : {0, 1, 2}) {
            for (int64_t n : {1, 37, 1000})
                for (enum tridiagonal_matrix matrix :
                     {TRIDIAGONAL_BATCH_SHARED, TRIDIAGONAL_BATCH_CONSTANT}) {
                    struct shape shape = {.type = type, .pivot = pivot, .n = n, .matrix = matrix};
                    shape.batch = 1 + (all ? 5000000 : expect_few ? 4000 : 100000) / n;
                    take_turn(&shape, turn++);
                    check_many_tiles(shape);
                    shape.offset = 0;
                    if (n < 100 || (all && !expect_few))
                        check_same_bits(shape);
                }
            check_singular_matrix(type, pivot, 3);
            check_singular_matrix(type, pivot, 200);
        }
        /* A compiler may round complex products differently in the two kernels. */
        for (int64_t n : {1, 2, 28, 300, 1000})
            if (!is_complex(type))
                check_auto_accepts(type, n);
        /* without its tests of pivots a solver fails in some of 600000 / 33 matrices */
        for (int64_t n : {33, 300, 2000})
            check_barely_dominant(type, n, 2, CONTIGUOUS, false,
                                  2 + (int)((expect_few           ? 2000
                                             : all || type == 's' ? 600000
                                                                  : 50000) /
                                            n));
        check_axes(type, all, &layout_turn);
        for (int64_t n : {1, 2, 3, 20, 64, 300, 1000, 4095, 30000})
            for (bool periodic : {false, true})
                if (!periodic || n < 2000)
                    check_auto(type, n, periodic);
        for (int64_t n : {7, 33, 300, 4095, 20000})
            for (bool periodic : {false, true})
                for (enum layout layout : {CONTIGUOUS, INTERLEAVED})
                    check_barely_dominant(type, n,
                                          1 + (all          ? 3000000
                                               : expect_few ? 5000
                                               : periodic   ? 60000
                                                            : 1000000) /
                                                  n,
                                          layout, periodic);
    }
#ifndef __CUDACC__
    check_orders();
#endif
    check_calls();
    check_too_long();
    for (char type : {'s', 'd', 'c', 'z'})
        check_pointers(type);
    check_judge();
    tridiagonal_batch_check_hard(all, seed);
    printf("tridiagonal_batch.h: %d tests, largest backward error of a row's terms %.3g units of "
           "roundoff\n",
           expect_passed - passed + expect_failed - failed, worst_error);
    return expect_failed - failed;
}
