/* The two passes of tridiagonal_cpu_pivoted.h, with one partition in every lane. Rows are exchanged
 * by selects, without branches. */

/* A row takes some 250 instructions, so a whole square would take long to compile. */
#define UNROLL_4 _Pragma("GCC unroll 4")

/* A carried row, or the next one, in every lane: the coefficients of x_left and x_first, of the
 * unknown that is eliminated next (u), and of the two unknowns after it. */
struct NAME(lane_row) {
    NUMBERS left, first, u, v, w, rhs;
};
/* The rows that a lane carries. `sums` is the sum of |1/pivot|^2 and |rhs|^2, which is large or NaN
 * if a value is out of range or not finite. `good` is the number of
 * pivots before the first bad one; valid if rhs is shifted. */
struct NAME(carried_rows) {
    LANE_ROW x[VECTORS], y[VECTORS];
    VEC sums[VECTORS];
    MASK good[VECTORS];
};

LANES_INLINE void NAME(begin_rows)(struct NAME(carried_rows) * k)
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        k->x[v] = k->y[v] = (LANE_ROW){none, none, none, none, none, none};
        k->sums[v] = (VEC){0};
        k->good[v] = (MASK)k->sums[v];
    }
}

LANES_INLINE MASK NAME(between)(MASK a, int least, int most)
{
    MASK low = a<least, high = a> most;
    return (a & ~low & ~high) | (least & low) | (most & high);
}
/* Row i of the squares, with its largest coefficient in [2, 4), or NaN if this is 0, subnormal or
 * not finite. With `shifted` it is scaled by a power of two for all values, and rhs also by
 * 2^rhs_exponent. This is done by two factors, because one could be out of range. */
LANES_INLINE LANE_ROW NAME(lane_row_at)(const SQUARES *at, int v, int i, int rhs_exponent,
                                        bool shifted)
{
    enum { MANTISSA = sizeof(REAL) > 4 ? 52 : 23, BIAS = sizeof(REAL) > 4 ? 1023 : 127 };
    NUMBERS b = NAME(row_of_square)(at->m[0][v], i), a = NAME(row_of_square)(at->m[1][v], i),
            c = NAME(row_of_square)(at->m[2][v], i), d = NAME(row_of_square)(at->m[3][v], i);
    VEC most = NAME(larger)(NAME(larger)(NAME(size)(b), NAME(size)(a)), NAME(size)(c));
    const MASK exponents = (MASK)((VEC){0} + (REAL)INFINITY);
    VEC scale = (VEC)(exponents - ((MASK)most & exponents)), factor = scale;
    if (shifted) {
        MASK to = NAME(between)(2 * BIAS - ((MASK)most >> MANTISSA), 1, 2 * BIAS);
        MASK rhs = to - BIAS + rhs_exponent, half = rhs >> 1;
        scale = (VEC)(to << MANTISSA);
        d = NAME(scaled_by)(d, (VEC)(NAME(between)(half + BIAS, 1, 2 * BIAS) << MANTISSA));
        factor = (VEC)(NAME(between)(rhs - half + BIAS, 1, 2 * BIAS) << MANTISSA);
    }
    const NUMBERS none = NAME(broadcast)(0);
    return (LANE_ROW){none,
                      none,
                      NAME(scaled_by)(b, scale),
                      NAME(scaled_by)(a, scale),
                      NAME(scaled_by)(c, scale),
                      NAME(scaled_by)(d, factor)};
}

LANES_INLINE void NAME(exchange)(MASK where, NUMBERS *a, NUMBERS *b)
{
    NUMBERS old = *a;
    *a = NAME(select)(where, *b, *a);
    *b = NAME(select)(where, old, *b);
}
/* The next row becomes the pivot row if its coefficient u is the largest one; else it changes
 * places with the carried row. With `ends` the rows have x_left and x_first. */
LANES_INLINE void NAME(compete)(LANE_ROW *carried, LANE_ROW *next, const bool ends)
{
    MASK where = NAME(size)(carried->u) > NAME(size)(next->u);
    NAME(exchange)(where, &carried->u, &next->u);
    NAME(exchange)(where, &carried->v, &next->v);
    NAME(exchange)(where, &carried->w, &next->w);
    NAME(exchange)(where, &carried->rhs, &next->rhs);
    if (ends) {
        NAME(exchange)(where, &carried->left, &next->left);
        NAME(exchange)(where, &carried->first, &next->first);
    }
}
LANES_INLINE NUMBERS NAME(minus_product)(NUMBERS a, NUMBERS b, NUMBERS c)
{
    return NAME(minus)(a, NAME(times)(b, c));
}
/* Eliminates the unknown u of the pivot row from a carried row. q is 1/pivot. */
LANES_INLINE void NAME(eliminate_from)(LANE_ROW *row, const LANE_ROW *pivot, NUMBERS q,
                                       const bool ends)
{
    NUMBERS factor = NAME(times)(row->u, q);
    if (ends) {
        row->left = NAME(minus_product)(row->left, factor, pivot->left);
        row->first = NAME(minus_product)(row->first, factor, pivot->first);
    }
    row->u = NAME(minus_product)(row->v, factor, pivot->v);
    row->v = NAME(minus_product)(row->w, factor, pivot->w);
    row->rhs = NAME(minus_product)(row->rhs, factor, pivot->rhs);
}
/* Appends a row of vector v. Returns the pivot row; *q becomes 1/pivot. */
LANES_INLINE LANE_ROW NAME(append_row)(struct NAME(carried_rows) * k, int v, LANE_ROW next,
                                       NUMBERS *q, const bool ends)
{
    k->x[v].w = k->y[v].w = NAME(broadcast)(0);
    NAME(compete)(&k->x[v], &next, ends);
    NAME(compete)(&k->y[v], &next, ends);
    *q = NAME(inverse_in_range)(next.u);
    NAME(eliminate_from)(&k->x[v], &next, *q, ends);
    NAME(eliminate_from)(&k->y[v], &next, *q, ends);
    return next;
}

/* super of the last row of the whole system must have no effect, whatever its value. */
LANES_INLINE void NAME(clear_last_super)(const LEVEL *l, int64_t t, int row, SQUARES *now)
{
    if (row + SQUARE == l->r && (t + 1) * TILE_LANES * l->r == l->n)
        for (int k = 0; k < REALS; k++)
            now->m[2][VECTORS - 1][W - REALS + k][W - 1] = 0;
}

/* Appends row `row` + i of the partitions in the first pass. The first two rows are carried. */
LANES_INLINE void NAME(reduce_row)(struct NAME(carried_rows) * k, const SQUARES *at, int row, int i,
                                   int rhs_exponent, bool shifted)
{
    EACH_VECTOR
    {
        LANE_ROW next = NAME(lane_row_at)(at, v, i, rhs_exponent, shifted);
        k->sums[v] += NAME(squares)(next.rhs);
        if (row + i == 0) {
            const NUMBERS none = NAME(broadcast)(0);
            k->y[v] = (LANE_ROW){next.u, next.v, next.w, none, none, next.rhs};
        } else if (row + i == 1) {
            const NUMBERS none = NAME(broadcast)(0);
            k->x[v] = (LANE_ROW){none, next.u, next.v, next.w, none, next.rhs};
        } else {
            NUMBERS q;
            NAME(append_row)(k, v, next, &q, true);
            VEC square = NAME(squares)(q);
            k->sums[v] += square;
            if (shifted) {
                MASK ok = (NAME(size)(q) > 0) & (NAME(size)(q) <= MAX);
                k->good[v] -= ok & (k->good[v] == row + i - 2);
            }
        }
    }
}
LANES_INLINE void NAME(store_equation)(EQUATIONS to, int64_t j, const LANE_ROW *row)
{
    NAME(store_numbers)(to.left + j, row->left);
    NAME(store_numbers)(to.first + j, row->first);
    NAME(store_numbers)(to.last + j, row->u);
    NAME(store_numbers)(to.right + j, row->v);
    NAME(store_numbers)(to.rhs + j, row->rhs);
}

/* First pass over the tiles from … to - 1 of part `part`. *bad becomes the first row without a
 * pivot, or NO_ROW. */
NOT_INLINE RANGE NAME(reduce_pivoted_tiles)(const PIVOTING *s, int part, int64_t from, int64_t to,
                                            int64_t *bad, bool streamed, bool shifted)
{
    const LEVEL *l = &s->part[part];
    const int r = l->r;
    SQUARES squares[2];
    struct NAME(carried_rows) k;
    int now = 0;
    bool suspect = false;
    SYSTEM here = NAME(tile_rows)(l, from, r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    *bad = NO_ROW;
    for (int64_t t = from; t < to; t++) {
        SYSTEM following = NAME(tile_rows)(l, t + 1 < to ? t + 1 : t, r);
        NAME(begin_rows)(&k);
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(clear_first_sub)(l, t, row, at);
            NAME(clear_last_super)(l, t, row, at);
            UNROLL_4 for (int i = 0; i < SQUARE; i++)
            {
                for (int j = i * 4 * VECTORS / SQUARE; j < (i + 1) * 4 * VECTORS / SQUARE; j++)
                    NAME(load_square)
                (more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (streamed)
                    NAME(prefetch_rows)(&here, TILE_LANES * r, row, i);
                NAME(reduce_row)(&k, at, row, i, l->rhs_exponent, shifted);
            }
        }
        EACH_VECTOR
        {
            int64_t j = s->lines[part] + t * TILE_LANES + v * W;
            NAME(store_equation)(s->p, j, &k.x[v]);
            NAME(store_equation)(s->q, j, &k.y[v]);
            for (int i = 0; i < W; i++) {
                suspect |= !(k.sums[v][i] <= 1 / LEAST);
                if (shifted && k.good[v][i] < r - 2 && *bad == NO_ROW)
                    *bad = (t * TILE_LANES + v * W + i) * r + k.good[v][i] + 1;
            }
        }
        here = following;
    }
    return (RANGE){0, 0, suspect, false};
}

/* Second pass over the same tiles: eliminates the rows between the first and the last one of each
 * partition again, and substitutes. Returns false if an x is not finite. */
NOT_INLINE bool NAME(substitute_pivoted_tiles)(const PIVOTING *s, int part, int64_t from,
                                               int64_t to, bool streamed, bool shifted)
{
    const LEVEL *l = &s->part[part];
    const int r = l->r;
    SQUARES squares[2];
    struct NAME(carried_rows) k;
    /* x_i + pv x_{i+1} + pw x_{i+2} = py of row i of each lane */
    NUMBERS pv[PIVOTED_ROWS][VECTORS], pw[PIVOTED_ROWS][VECTORS], py[PIVOTED_ROWS][VECTORS];
    VEC nothing = {0}; /* NaN in lanes whose x was not finite */
    const NUMBERS none = NAME(broadcast)(0);
    int now = 0;
    SYSTEM here = NAME(tile_rows)(l, to - 1, r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    for (int64_t t = to - 1; t >= from; t--) {
        SYSTEM following = NAME(tile_rows)(l, t > from ? t - 1 : t, r);
        SCALAR *x_here = l->x + t * TILE_LANES * r;
        const int64_t lane = s->lines[part] + t * TILE_LANES;
        NUMBERS left[VECTORS], first[VECTORS];
        NAME(begin_rows)(&k);
        EACH_VECTOR
        {
            left[v] = NAME(load_numbers)(s->last + lane + v * W - 1);
            first[v] = NAME(load_numbers)(s->first + lane + v * W);
        }
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(clear_first_sub)(l, t, row, at);
            NAME(clear_last_super)(l, t, row, at);
            UNROLL_4 for (int i = 0; i < SQUARE; i++)
            {
                for (int j = i * 4 * VECTORS / SQUARE; j < (i + 1) * 4 * VECTORS / SQUARE; j++)
                    NAME(load_square)
                (more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (streamed) {
                    NAME(prefetch_rows)(&here, -TILE_LANES * r, row, i);
                    NAME(prefetch)(x_here, -TILE_LANES * r, row, i, 1);
                }
                EACH_VECTOR
                {
                    LANE_ROW n = NAME(lane_row_at)(at, v, i, l->rhs_exponent, shifted);
                    if (row + i == 0) {
                        n.rhs = NAME(minus_product)(n.rhs, n.u, left[v]);
                        n.rhs = NAME(minus_product)(n.rhs, n.v, first[v]);
                        k.y[v] = (LANE_ROW){none, none, n.w, none, none, n.rhs};
                    } else if (row + i == 1) {
                        n.rhs = NAME(minus_product)(n.rhs, n.u, first[v]);
                        k.x[v] = (LANE_ROW){none, none, n.v, n.w, none, n.rhs};
                    } else {
                        NUMBERS q;
                        n = NAME(append_row)(&k, v, n, &q, false);
                        pv[row + i - 1][v] = NAME(times)(n.v, q);
                        pw[row + i - 1][v] = NAME(times)(n.w, q);
                        py[row + i - 1][v] = NAME(times)(n.rhs, q);
                    }
                }
            }
        }
        NUMBERS x[VECTORS], behind[VECTORS];
        EACH_VECTOR
        {
            /* with pv = pw = 0 the substitution gives x = py, the known x */
            pv[0][v] = pw[0][v] = pv[r - 1][v] = pw[r - 1][v] = none;
            py[0][v] = first[v];
            py[r - 1][v] = NAME(load_numbers)(s->last + lane + v * W);
            x[v] = NAME(load_numbers)(s->first + lane + v * W + 1);
            behind[v] = none;
        }
        for (int row = r - SQUARE; row >= 0; row -= SQUARE) {
            VEC out[VECTORS][W];
            LANES_UNROLL for (int i = SQUARE - 1; i >= 0; i--) EACH_VECTOR
            {
                NUMBERS y = NAME(minus_product)(py[row + i][v], pw[row + i][v], behind[v]);
                behind[v] = x[v];
                x[v] = NAME(minus_product)(y, pv[row + i][v], x[v]);
                nothing += NAME(zero_if_finite)(x[v]);
                NAME(set_row_of_square)(out[v], i, x[v]);
            }
            EACH_VECTOR LANES(lanes_store_square)((REAL *)(x_here + v * W * r + row), r * REALS,
                                                  out[v]);
        }
        here = following;
    }
    bool finite = true;
    for (int i = 0; i < W; i++)
        finite = finite && nothing[i] == 0;
    return finite;
}
