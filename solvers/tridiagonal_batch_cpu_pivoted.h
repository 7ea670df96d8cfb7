/* The attempts of tridiagonal_batch_cpu.h with rows that are scaled by powers of two, so that the
 * largest coefficient of each is in [1, 2):
 *
 *   pivoted   Scaled partial pivoting. The pivot of an unknown is its largest coefficient in the
 *             row that is carried down and in the next row; in a ring two rows are carried. The
 *             rows are exchanged by selects, without branches.
 *   checked   For systems with numbers near the ends of the type's range, and to find the row of a
 *             breakdown; the same with or without pivoting. In addition rhs is scaled so that the
 *             largest one is near 1, and every pivot is tested.
 *
 * Unknowns are eliminated by position. In a chain the position of x_i is i. A ring is folded: its
 * unknowns are taken from both ends in turn, x_0, x_{n-1}, x_1, x_{n-2}, and so on. Then neighbours
 * are two positions apart, or one at the two folds, and the matrix has two diagonals on each side.
 * So with pivoting the coefficients of a ring grow at most sevenfold (N. J. Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., section 9.6).
 *
 * The row at position q becomes x_q + c_1 x_{q+1} + … = rhs, with WINDOW - 1
 * or RING_WINDOW - 1 coefficients c (tridiagonal_batch_cpu.c). */
/* The coefficients of the unknown that is eliminated next and of those after it */
struct NAME(row) {
    NUMBERS c[RING_WINDOW], rhs;
};

LANES_INLINE void NAME(swap)(BITS where, NUMBERS *a, NUMBERS *b)
{
    NUMBERS old = *a;
    *a = NAME(select)(where, *b, *a);
    *b = NAME(select)(where, old, *b);
}
LANES_INLINE void NAME(swap_rows)(BITS where, ROW *a, ROW *b, const bool ring)
{
    const int window = ring ? RING_WINDOW : WINDOW;
    LANES_UNROLL for (int e = 0; e < window; e++) NAME(swap)(where, &a->c[e], &b->c[e]);
    NAME(swap)(where, &a->rhs, &b->rhs);
}
/* Eliminates c[0] from row a with the pivot row; q is 1 / pivot. The window moves on. */
LANES_INLINE ROW NAME(eliminate_from)(ROW a, const ROW *pivot, NUMBERS q, const bool ring)
{
    const int window = ring ? RING_WINDOW : WINDOW;
    NUMBERS f = NAME(times)(a.c[0], q);
    LANES_UNROLL for (int e = 1; e < window; e++) a.c[e - 1] =
        NAME(neg_mul_add)(a.c[e], f, pivot->c[e]);
    a.c[window - 1] = NAME(broadcast)(0);
    a.rhs = NAME(neg_mul_add)(a.rhs, f, pivot->rhs);
    return a;
}

/* ---- powers of two ---- */

/* 2^exponent, or the nearest normal power of two */
LANES_INLINE VEC NAME(power)(BITS exponent)
{
    const BITS bias = (BITS){0} + (INTEGER)BIAS, least = 1 - bias;
    BITS low = exponent<least, high = exponent> bias;
    exponent = (exponent & ~low) | (least & low);
    exponent = (exponent & ~high) | (bias & high);
    return (VEC)((exponent + bias) << MANTISSA);
}
LANES_INLINE NUMBERS NAME(scaled_by)(NUMBERS a, BITS exponent)
{
    BITS half = exponent >> 1;
    return NAME(times_real)(NAME(times_real)(a, NAME(power)(half)), NAME(power)(exponent - half));
}
/* The exponent e of 2^e <= a < 2^{e+1}; for subnormal a that of the smallest normal number */
LANES_INLINE BITS NAME(exponent)(VEC a)
{
    return (((BITS)a >> MANTISSA) & (2 * (INTEGER)BIAS + 1)) - (INTEGER)BIAS;
}
/* The largest part of a coefficient of row r */
LANES_INLINE VEC NAME(largest_part)(NUMBERS m[ARRAYS][ROWS][VECTORS], int r, int v)
{
    VEC most = NAME(larger_part)((VEC){0}, m[SUB][r][v]);
    return NAME(larger_part)(NAME(larger_part)(most, m[DIAG][r][v]), m[SUPER][r][v]);
}

/* ---- sweeps ---- */

/* What a vector of lanes carries down the rows */
struct NAME(carried) {
    ROW x, y; /* y only in rings */
    VEC range, most;
    BITS row; /* checked: -1, or the first row with a bad pivot or a value that is not finite */
};

/* 1/pivot. checked: |pivot|^2 may be out of the type's range; marks row i if the pivot is bad. */
LANES_INLINE NUMBERS NAME(inverse_of_pivot)(struct NAME(carried) * k, NUMBERS pivot, NUMBERS rhs,
                                            int64_t i, const bool checked)
{
    if (!checked)
        return NAME(inverse_in_range)(pivot, &k->range);
    VEC unused = {0};
    BITS exponent = -NAME(exponent)(NAME(larger_part)((VEC){0}, pivot));
    NUMBERS q = NAME(inverse_in_range)(NAME(scaled_by)(pivot, exponent), &unused);
    q = NAME(scaled_by)(q, exponent);
    BITS good = (NAME(size)(pivot) >= MIN) & (NAME(zero_if_finite)(pivot) == 0) &
                (NAME(zero_if_finite)(NAME(times)(rhs, q)) == 0),
         first = ~good & (k->row < 0);
    k->row = (k->row & ~first) | (((BITS){0} + (INTEGER)i) & first);
    return q;
}
/* Eliminates the next unknown, x_i, with the row `next`. */
LANES_INLINE void NAME(pivot_step)(struct NAME(carried) * k, ROW next, int64_t i, bool pivoting,
                                   NUMBERS *to, const int vectors, const bool ring,
                                   const bool checked)
{
    const BITS allowed = (BITS){0} - (INTEGER)pivoting;
    const int window = ring ? RING_WINDOW : WINDOW;
    ROW pivot = k->x; /* without pivoting the oldest row */
    if (ring)
        NAME(swap_rows)
    (allowed & (NAME(size)(k->y.c[0]) > NAME(size)(pivot.c[0])), &pivot, &k->y, ring);
    NAME(swap_rows)
    (allowed & (NAME(size)(next.c[0]) > NAME(size)(pivot.c[0])), &pivot, &next, ring);
    NUMBERS q = NAME(inverse_of_pivot)(k, pivot.c[0], pivot.rhs, i, checked);
    k->x = NAME(eliminate_from)(ring ? k->y : next, &pivot, q, ring);
    if (ring)
        k->y = NAME(eliminate_from)(next, &pivot, q, ring);
    LANES_UNROLL for (int e = 1; e < window; e++, to += vectors) *to = NAME(times)(pivot.c[e], q);
    *to = NAME(times)(pivot.rhs, q);
}

/* Row r of a block, scaled, in a chain's window of x_{i-1}, x_i and x_{i+1} */
LANES_INLINE ROW NAME(scaled_row)(const GROUP *g, NUMBERS m[ARRAYS][ROWS][VECTORS], int r, int v,
                                  const bool checked)
{
    const NUMBERS none = NAME(broadcast)(0);
    /* at least 2^(1 - BIAS): the smallest power that the type has as a normal number */
    const BITS most = (BITS){0} + ((INTEGER)BIAS - 1);
    BITS size = NAME(exponent)(NAME(largest_part)(m, r, v)), high = size > most,
         exponent = -((size & ~high) | (most & high));
    VEC by = NAME(power)(exponent);
    return (ROW){{NAME(times_real)(m[SUB][r][v], by), NAME(times_real)(m[DIAG][r][v], by),
                  NAME(times_real)(m[SUPER][r][v], by), none, none},
                 checked ? NAME(scaled_by)(m[RHS][r][v], exponent - g->shift[v])
                         : NAME(times_real)(m[RHS][r][v], by)};
}
/* Row r of a block as that at position q: its unknowns are where the window of the unknown that it
 * eliminates has them. `back`: a ring's row from the end, whose coefficients come in reverse. */
LANES_INLINE ROW NAME(row_at)(const GROUP *g, NUMBERS m[ARRAYS][ROWS][VECTORS], int r, int v,
                              int64_t q, const bool ring, const bool back, const bool checked)
{
    const NUMBERS none = NAME(broadcast)(0);
    ROW a = NAME(scaled_row)(g, m, r, v, checked);
    NUMBERS before = a.c[back ? 2 : 0], own = a.c[1], after = a.c[back ? 0 : 2];
    if (!ring)
        return q > 0 ? a : (ROW){{own, after, none, none, none}, a.rhs};
    if (q == 0)
        return (ROW){{own, before, after, none, none}, a.rhs};
    if (q == 1 && g->n > 3)
        return (ROW){{before, own, none, after, none}, a.rhs};
    if (q == 1)
        return (ROW){{before, own, after, none, none}, a.rhs};
    const bool last = q == g->n - 1, second = q == g->n - 2;
    return (ROW){
        {before, last ? after : none, own, second ? after : none, last || second ? none : after},
        a.rhs};
}
static int64_t NAME(row_of_position)(const GROUP *g, int64_t q, const bool ring)
{
    return !ring ? q : q % 2 ? g->n - 1 - q / 2 : q / 2;
}
/* Takes over row r of a block, at position q. */
LANES_INLINE void NAME(append_row)(GROUP *g, struct NAME(carried) k[VECTORS], bool pivoting,
                                   NUMBERS m[ARRAYS][ROWS][VECTORS], int r, int64_t q,
                                   const int vectors, const bool ring, const bool back,
                                   const bool checked)
{
    const int window = ring ? RING_WINDOW : WINDOW, carried = ring ? 2 : 1;
    const int64_t to = q - carried;
    EACH_VECTOR
    {
        ROW next = NAME(row_at)(g, m, r, v, q, ring, back, checked);
        k[v].most = NAME(larger_part)(k[v].most, next.rhs);
        if (to >= 0)
            NAME(pivot_step)
        (&k[v], next, NAME(row_of_position)(g, to, ring), pivoting,
         g->work + to * window * vectors + v, vectors, ring, checked);
        else if (q == 0) k[v].x = next;
        else k[v].y = next;
    }
}
/* Sets *ok to the lanes that are solved. For the other lanes `row` has the row of the breakdown, or
 * if it is not checked -1; *zero: those that are solved unless some rhs is not 0. */
LANES_INLINE void NAME(scaled_down)(GROUP *g, bool pivoting, BITS ok[VECTORS], BITS zero[VECTORS],
                                    BITS row[VECTORS], const int vectors, const bool ring,
                                    const bool checked)
{
    const NUMBERS none = NAME(broadcast)(0);
    const int window = ring ? RING_WINDOW : WINDOW;
    const int64_t n = g->n, turns = ring ? n - n / 2 : n, carried = ring ? 2 : 1;
    NUMBERS m[ARRAYS][ROWS][VECTORS], behind[ARRAYS][ROWS][VECTORS];
    const ROW no_row = {{none, none, none, none, none}, none};
    struct NAME(carried) k[VECTORS];
    EACH_VECTOR k[v] = (struct NAME(carried)){no_row, no_row, {0}, {0}, (BITS){0} - 1};
    for (int64_t i = 0; i < turns; i += ROWS) {
        const int count = NAME(block_rows)(turns, i), backs = ring ? NAME(block_rows)(n / 2, i) : 0;
        NAME(load_systems)(g, i, count, m);
        if (backs > 0)
            NAME(load_systems)(g, n - i - backs, backs, behind);
        NAME(fetch_solution)(g, i, vectors);
        for (int r = 0; r < count; r++) {
            const int64_t q = ring ? 2 * (i + r) : i + r;
            NAME(append_row)(g, k, pivoting, m, r, q, vectors, ring, false, checked);
            if (r < backs)
                NAME(append_row)
            (g, k, pivoting, behind, backs - 1 - r, q + 1, vectors, true, true, checked);
        }
    }
    for (int64_t q = n - carried; q < n; q++)
        EACH_VECTOR NAME(pivot_step)(&k[v], no_row, NAME(row_of_position)(g, q, ring), pivoting,
                                     g->work + q * window * vectors + v, vectors, ring, checked);
    EACH_VECTOR
    {
        const NUMBERS last = g->work[(n * window - 1) * vectors + v];
        /* x is at least rhs / (|sub| + |diag| + |super|), which is less than 6, or for complex
         * numbers 12 */
        BITS large = k[v].most >= 12 * LEAST;
        ok[v] =
            (NAME(zero_if_finite)(last) == 0) & (checked ? k[v].row < 0 : k[v].range <= 1 / LEAST);
        zero[v] = ok[v] & ~large;
        ok[v] &= checked ? ok[v] : large;
        row[v] = k[v].row;
    }
}
/* x at position q, where x[0], x[1], … are those after it. They move on. */
LANES_INLINE void NAME(substitute)(GROUP *g, NUMBERS x[RING_WINDOW][VECTORS], int64_t q,
                                   NUMBERS out[VECTORS], VEC wrong[VECTORS], const int vectors,
                                   const bool ring, const bool checked)
{
    const int window = ring ? RING_WINDOW : WINDOW;
    const NUMBERS *from = g->work + q * window * vectors;
    EACH_VECTOR
    {
        NUMBERS now = from[(window - 1) * vectors + v];
        LANES_UNROLL for (int e = window - 2; e >= 0; e--) now =
            NAME(neg_mul_add)(now, from[e * vectors + v], x[e][v]);
        LANES_UNROLL for (int e = window - 2; e > 0; e--) x[e][v] = x[e - 1][v];
        x[0][v] = now;
        out[v] = checked ? NAME(scaled_by)(now, g->shift[v]) : now;
        wrong[v] += NAME(zero_if_finite)(out[v]);
    }
}
LANES_INLINE void NAME(scaled_up)(GROUP *g, const BITS keep[VECTORS], const int vectors,
                                  const bool ring, const bool checked)
{
    const int64_t n = g->n, turns = ring ? n - n / 2 : n;
    NUMBERS x[RING_WINDOW][VECTORS], out[ROWS][VECTORS], behind[ROWS][VECTORS];
    VEC wrong[VECTORS];
    EACH_VECTOR
    {
        for (int e = 0; e < RING_WINDOW; e++)
            x[e][v] = NAME(broadcast)(0);
        wrong[v] = (VEC){0};
    }
    for (int64_t i = (turns - 1) / ROWS * ROWS; i >= 0; i -= ROWS) {
        const int count = NAME(block_rows)(turns, i), backs = ring ? NAME(block_rows)(n / 2, i) : 0;
        for (int r = count - 1; r >= 0; r--) {
            const int64_t q = ring ? 2 * (i + r) : i + r;
            if (r < backs)
                NAME(substitute)
            (g, x, q + 1, behind[backs - 1 - r], wrong, vectors, ring, checked);
            NAME(substitute)(g, x, q, out[r], wrong, vectors, ring, checked);
        }
        NAME(finish_rows)(g, i, count, out, wrong, keep);
        if (backs > 0)
            NAME(finish_rows)(g, n - i - backs, backs, behind, wrong, keep);
    }
}
NOT_INLINE void NAME(down_pivoted)(GROUP *g, BITS ok[VECTORS], BITS zero[VECTORS])
{
    BITS row[VECTORS];
    if (g->c->ring)
        NAME(scaled_down)(g, true, ok, zero, row, VECTORS, true, false);
    else if (g->vectors > 1)
        NAME(scaled_down)(g, true, ok, zero, row, VECTORS, false, false);
    else
        NAME(scaled_down)(g, true, ok, zero, row, 1, false, false);
}
NOT_INLINE void NAME(up_pivoted)(GROUP *g, const BITS keep[VECTORS])
{
    if (g->c->ring)
        NAME(scaled_up)(g, keep, VECTORS, true, false);
    else if (g->vectors > 1)
        NAME(scaled_up)(g, keep, VECTORS, false, false);
    else
        NAME(scaled_up)(g, keep, 1, false, false);
}

/* Scales all rhs of a lane so that the largest one, of a scaled row, becomes near 1. */
static void NAME(find_shift)(GROUP *g)
{
    NUMBERS m[ARRAYS][ROWS][VECTORS];
    const int vectors = VECTORS;
    const BITS least = (BITS){0} - 4 * (INTEGER)BIAS;
    EACH_VECTOR g->shift[v] = least;
    for (int64_t i = 0; i < g->n; i += ROWS) {
        int count = NAME(block_rows)(g->n, i);
        NAME(load_systems)(g, i, count, m);
        for (int r = 0; r < count; r++)
            EACH_VECTOR
            {
                VEC rhs = NAME(larger_part)((VEC){0}, m[RHS][r][v]);
                BITS here = NAME(exponent)(rhs) - NAME(exponent)(NAME(largest_part)(m, r, v)),
                     larger = (here > g->shift[v]) & (rhs > 0) & (rhs <= MAX);
                g->shift[v] = (g->shift[v] & ~larger) | (here & larger);
            }
    }
    EACH_VECTOR g->shift[v] &= g->shift[v] > least; /* 0 if all rhs are 0 */
}
NOT_INLINE void NAME(down_checked)(GROUP *g, BITS ok[VECTORS], BITS row[VECTORS])
{
    BITS unused[VECTORS];
    const bool pivoting = g->c->b.pivot != TRIDIAGONAL_PIVOT_NEVER;
    NAME(find_shift)(g);
    if (g->c->ring)
        NAME(scaled_down)(g, pivoting, ok, unused, row, VECTORS, true, true);
    else
        NAME(scaled_down)(g, pivoting, ok, unused, row, VECTORS, false, true);
}
NOT_INLINE void NAME(up_checked)(GROUP *g, const BITS keep[VECTORS])
{
    if (g->c->ring)
        NAME(scaled_up)(g, keep, VECTORS, true, true);
    else
        NAME(scaled_up)(g, keep, VECTORS, false, true);
}
