/* The attempts of tridiagonal_batch_cpu.h with rows that are scaled by powers of two, so that the
 * largest coefficient of each is in [1, 2):
 *
 *   pivoted   Scaled partial pivoting. The pivot of x_i is its largest coefficient in the row that
 *             is carried down and in the next row; in a ring two rows are carried. The rows are
 *             exchanged by selects, without branches.
 *   checked   For systems with numbers near the ends of the type's range, and to find the row of a
 *             breakdown; the same with or without pivoting. In addition rhs is scaled so that the
 *             largest one is near 1, and every pivot is tested.
 *
 * Row i becomes x_i + v x_{i+1} + w x_{i+2} + left x_{n-1} + first x_0 = rhs; the last two terms only
 * in rings. There x_0 and x_{n-1} are found last, from the two carried rows. */

/* A row in the window of x_i (u), x_{i+1} (v) and x_{i+2} (w), and its coefficients of x_{n-1} and
 * x_0. In a ring n products may be subtracted from left, first and rhs; low: subtract_product() */
struct NAME(row) {
    NUMBERS u, v, w, left, first, rhs, low[3];
};

LANES_INLINE void NAME(swap)(BITS where, NUMBERS *a, NUMBERS *b)
{
    NUMBERS old = *a;
    *a = NAME(select)(where, *b, *a);
    *b = NAME(select)(where, old, *b);
}
LANES_INLINE void NAME(swap_rows)(BITS where, ROW *a, ROW *b, const bool ring)
{
    NAME(swap)(where, &a->u, &b->u);
    NAME(swap)(where, &a->v, &b->v);
    NAME(swap)(where, &a->w, &b->w);
    NAME(swap)(where, &a->rhs, &b->rhs);
    if (ring) {
        NAME(swap)(where, &a->left, &b->left);
        NAME(swap)(where, &a->first, &b->first);
        for (int k = 0; k < 3; k++)
            NAME(swap)(where, &a->low[k], &b->low[k]);
    }
}
/* Eliminates u from row a with the pivot row; q is 1 / pivot. The window moves on. */
LANES_INLINE ROW NAME(eliminate_from)(ROW a, const ROW *pivot, NUMBERS q, const bool ring)
{
    NUMBERS f = NAME(times)(a.u, q);
    a.u = NAME(neg_mul_add)(a.v, f, pivot->v);
    a.v = NAME(neg_mul_add)(a.w, f, pivot->w);
    a.w = NAME(broadcast)(0);
    if (ring) {
        NAME(subtract_product)(&a.left, &a.low[0], f, pivot->left);
        NAME(subtract_product)(&a.first, &a.low[1], f, pivot->first);
        NAME(subtract_product)(&a.rhs, &a.low[2], f, pivot->rhs);
    } else
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
    VEC growth; /* the largest coefficient of x_{n-1} and x_0 in a ring, which no pivot bounds */
    BITS row;   /* checked: -1, or the first row with a bad pivot or a value that is not finite */
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
/* Eliminates x_i with the next row. */
LANES_INLINE void NAME(pivot_step)(struct NAME(carried) * k, ROW next, int64_t i, bool pivoting,
                                   NUMBERS *to, const int vectors, const bool ring,
                                   const bool checked)
{
    const BITS allowed = (BITS){0} - (INTEGER)pivoting;
    ROW pivot, *below = ring ? &k->y : &k->x;
    if (ring) /* the next row may take the place of x only if it is no pivot */
        NAME(swap_rows)
    (allowed & (NAME(size)(k->x.u) > NAME(size)(next.u)), &k->x, &next, true);
    /* without pivoting the row above eliminates, otherwise the larger one */
    BITS next_is_pivot = allowed & (NAME(size)(next.u) > NAME(size)(below->u));
    pivot = *below;
    NAME(swap_rows)(next_is_pivot, &pivot, &next, ring);
    NUMBERS q = NAME(inverse_of_pivot)(k, pivot.u, pivot.rhs, i, checked);
    *below = NAME(eliminate_from)(next, &pivot, q, ring);
    if (ring) {
        k->x = NAME(eliminate_from)(k->x, &pivot, q, ring);
        const ROW *const rows[] = {&k->x, &k->y};
        for (int e = 0; e < 2; e++) {
            k->growth = NAME(largest)(k->growth, NAME(size)(rows[e]->left));
            k->growth = NAME(largest)(k->growth, NAME(size)(rows[e]->first));
        }
    }
    to[0] = NAME(times)(pivot.v, q);
    to[vectors] = NAME(times)(pivot.w, q);
    to[2 * vectors] = NAME(times)(pivot.rhs, q);
    if (ring) {
        to[3 * vectors] = NAME(times)(pivot.left, q);
        to[4 * vectors] = NAME(times)(pivot.first, q);
    }
}
/* The two equations of a ring that are left, in x_{n-1} and x_0. */
LANES_INLINE void NAME(solve_ends)(GROUP *g, struct NAME(carried) * k, bool pivoting, int v,
                                   const bool checked)
{
    const BITS allowed = (BITS){0} - (INTEGER)pivoting;
    const int64_t n = g->n;
    ROW *const rows[] = {&k->x, &k->y};
    for (int e = 0; e < 2; e++) {
        rows[e]->u = NAME(plus)(rows[e]->u, rows[e]->left);
        rows[e]->v = NAME(plus)(rows[e]->v, rows[e]->first);
    }
    NAME(swap_rows)(allowed & (NAME(size)(k->x.u) > NAME(size)(k->y.u)), &k->x, &k->y, false);
    NUMBERS q = NAME(inverse_of_pivot)(k, k->y.u, k->y.rhs, n - 1, checked);
    ROW x = NAME(eliminate_from)(k->x, &k->y, q, false);
    NUMBERS p = NAME(inverse_of_pivot)(k, x.u, x.rhs, n - 1, checked);
    g->x_first[v] = NAME(times)(x.rhs, p);
    g->x_last[v] = NAME(times)(NAME(neg_mul_add)(k->y.rhs, k->y.v, g->x_first[v]), q);
}

/* Row r of a block, scaled, in the window of x_{i-1}, x_i and x_{i+1} */
LANES_INLINE ROW NAME(scaled_row)(const GROUP *g, NUMBERS m[ARRAYS][ROWS][VECTORS], int r, int v,
                                  const bool checked)
{
    const NUMBERS none = NAME(broadcast)(0);
    /* at least 2^(1 - BIAS): the smallest power that the type has as a normal number */
    const BITS most = (BITS){0} + ((INTEGER)BIAS - 1);
    BITS size = NAME(exponent)(NAME(largest_part)(m, r, v)), high = size > most,
         exponent = -((size & ~high) | (most & high));
    VEC by = NAME(power)(exponent);
    return (ROW){NAME(times_real)(m[SUB][r][v], by),
                 NAME(times_real)(m[DIAG][r][v], by),
                 NAME(times_real)(m[SUPER][r][v], by),
                 none,
                 none,
                 checked ? NAME(scaled_by)(m[RHS][r][v], exponent - g->shift[v])
                         : NAME(times_real)(m[RHS][r][v], by),
                 {none, none, none}};
}
/* Sets *ok to the lanes that are solved. For the other lanes `row` has the row of the breakdown, or
 * if it is not checked -1; *zero: those that are solved unless some rhs is not 0. */
LANES_INLINE void NAME(scaled_down)(GROUP *g, bool pivoting, BITS ok[VECTORS], BITS zero[VECTORS],
                                    BITS row[VECTORS], const int vectors, const bool ring,
                                    const bool checked)
{
    const NUMBERS none = NAME(broadcast)(0), one = NAME(broadcast)(1);
    const int fields = ring ? 5 : 3, carried = ring ? 2 : 1;
    NUMBERS m[ARRAYS][ROWS][VECTORS], *to = g->work;
    const ROW no_row = {none, none, none, none, none, none, {none, none, none}};
    struct NAME(carried) k[VECTORS];
    EACH_VECTOR k[v] = (struct NAME(carried)){no_row, no_row, {0}, {0}, {0}, (BITS){0} - 1};
    for (int64_t i = 0; i < g->n; i += ROWS) {
        int count = g->n - i < ROWS ? (int)(g->n - i) : ROWS, r = 0;
        NAME(load_systems)(g, i, count, m);
        NAME(fetch_solution)(g, i, vectors);
        if (i == 0) {
            EACH_VECTOR
            {
                ROW a = NAME(scaled_row)(g, m, 0, v, checked);
                k[v].x = (ROW){a.v, a.w, none, none, none, a.rhs, {none, none, none}};
                k[v].most = NAME(larger_part)(k[v].most, a.rhs);
                if (ring) {
                    ROW b = NAME(scaled_row)(g, m, 1, v, checked);
                    k[v].x = (ROW){a.w, none, none, a.u, a.v, a.rhs, {none, none, none}};
                    k[v].y = (ROW){b.v, b.w, none, none, b.u, b.rhs, {none, none, none}};
                    k[v].most = NAME(larger_part)(k[v].most, b.rhs);
                }
            }
            r = carried;
            to += (carried - 1) * fields * vectors;
        }
        for (; r < count; r++, to += fields * vectors)
            EACH_VECTOR
            {
                ROW next = NAME(scaled_row)(g, m, r, v, checked);
                k[v].most = NAME(larger_part)(k[v].most, next.rhs);
                NAME(pivot_step)(&k[v], next, i + r - 1, pivoting, to + v, vectors, ring, checked);
            }
    }
    EACH_VECTOR
    {
        NUMBERS last;
        if (ring) {
            NAME(solve_ends)(g, &k[v], pivoting, v, checked);
            last = NAME(plus)(g->x_first[v], g->x_last[v]);
        } else { /* with a row that does not contain the last unknown */
            ROW next = {none, one, none, none, none, none, {none, none, none}};
            NAME(pivot_step)(&k[v], next, g->n - 1, pivoting, to + v, vectors, ring, checked);
            last = to[2 * vectors + v];
        }
        /* x is at least rhs / (|sub| + |diag| + |super|), which is less than 6, or for complex
         * numbers 12 */
        BITS large = k[v].most >= 12 * LEAST;
        ok[v] =
            (NAME(zero_if_finite)(last) == 0) & (checked ? k[v].row < 0 : k[v].range <= 1 / LEAST);
        if (ring && pivoting)
            ok[v] &= k[v].growth <= PIVOTED_GROWTH_MOST;
        zero[v] = ok[v] & ~large;
        ok[v] &= checked ? ok[v] : large;
        row[v] = k[v].row;
    }
}
LANES_INLINE void NAME(scaled_up)(GROUP *g, const BITS keep[VECTORS], const int vectors,
                                  const bool ring, const bool checked)
{
    const int fields = ring ? 5 : 3;
    NUMBERS x[VECTORS], behind[VECTORS], out[ROWS][VECTORS];
    VEC wrong[VECTORS];
    EACH_VECTOR
    {
        x[v] = behind[v] = NAME(broadcast)(0);
        wrong[v] = (VEC){0};
        if (ring)
            x[v] = g->x_first[v];
    }
    for (int64_t i = (g->n - 1) / ROWS * ROWS; i >= 0; i -= ROWS) {
        int count = g->n - i < ROWS ? (int)(g->n - i) : ROWS;
        for (int r = count - 1; r >= 0; r--) {
            const NUMBERS *from = g->work + (i + r) * fields * vectors;
            EACH_VECTOR
            {
                NUMBERS now = from[2 * vectors + v];
                if (ring && i + r == g->n - 1)
                    now = g->x_last[v];
                else if (ring && i + r == 0)
                    now = g->x_first[v];
                else {
                    now = NAME(neg_mul_add)(now, from[v], x[v]);
                    now = NAME(neg_mul_add)(now, from[vectors + v], behind[v]);
                    if (ring) {
                        now = NAME(neg_mul_add)(now, from[3 * vectors + v], g->x_last[v]);
                        now = NAME(neg_mul_add)(now, from[4 * vectors + v], g->x_first[v]);
                    }
                }
                behind[v] = x[v];
                x[v] = now;
                out[r][v] = checked ? NAME(scaled_by)(now, g->shift[v]) : now;
                wrong[v] += NAME(zero_if_finite)(out[r][v]);
            }
        }
        NAME(finish_rows)(g, i, count, out, wrong, keep);
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
        int count = g->n - i < ROWS ? (int)(g->n - i) : ROWS;
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
