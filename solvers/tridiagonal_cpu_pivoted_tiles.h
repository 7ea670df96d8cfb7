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
 * pivots before the first bad one; valid if rhs is shifted. `growth` is the largest coefficient of
 * x_left and x_first, which no pivot bounds. */
struct NAME(carried_rows) {
    LANE_ROW x[VECTORS], y[VECTORS];
    VEC sums[VECTORS], growth[VECTORS];
    MASK good[VECTORS];
};

LANES_INLINE void NAME(begin_rows)(struct NAME(carried_rows) * k)
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        k->x[v] = k->y[v] = (LANE_ROW){none, none, none, none, none, none};
        k->sums[v] = k->growth[v] = (VEC){0};
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
/* How a row is appended: the next row changes places with x, then with y, and becomes the pivot
 * row. Multiples of it are subtracted from the other two. */
struct NAME(appending) {
    MASK with_x, with_y;
    NUMBERS factor_x, factor_y;
};
LANES_INLINE void NAME(append_coefficient)(const struct NAME(appending) * how, NUMBERS *x,
                                           NUMBERS *y, NUMBERS *next)
{
    NAME(exchange)(how->with_x, x, next);
    NAME(exchange)(how->with_y, y, next);
    *x = NAME(minus_product)(*x, how->factor_x, *next);
    *y = NAME(minus_product)(*y, how->factor_y, *next);
}
/* Appends a row of vector v. `next` becomes the pivot row, and *q 1/pivot. With `ends` the rows
 * have x_left and x_first. One coefficient after the other is appended, to need few registers. */
LANES_INLINE void NAME(append_row)(struct NAME(carried_rows) * k, int v, LANE_ROW *next, NUMBERS *q,
                                   const bool ends)
{
    LANE_ROW *x = &k->x[v], *y = &k->y[v];
    struct NAME(appending) how;
    how.with_x = NAME(size)(x->u) > NAME(size)(next->u);
    NAME(exchange)(how.with_x, &x->u, &next->u);
    how.with_y = NAME(size)(y->u) > NAME(size)(next->u);
    NAME(exchange)(how.with_y, &y->u, &next->u);
    *q = NAME(inverse_in_range)(next->u);
    how.factor_x = NAME(times)(x->u, *q);
    how.factor_y = NAME(times)(y->u, *q);
    NAME(append_coefficient)(&how, &x->v, &y->v, &next->v);
    x->u = x->v;
    y->u = y->v;
    x->v = y->v = NAME(broadcast)(0);
    NAME(append_coefficient)(&how, &x->v, &y->v, &next->w);
    NAME(append_coefficient)(&how, &x->rhs, &y->rhs, &next->rhs);
    if (ends) {
        NAME(append_coefficient)(&how, &x->left, &y->left, &next->left);
        NAME(append_coefficient)(&how, &x->first, &y->first, &next->first);
        VEC left = NAME(larger)(NAME(size)(x->left), NAME(size)(y->left)),
            first = NAME(larger)(NAME(size)(x->first), NAME(size)(y->first));
        k->growth[v] = NAME(larger)(k->growth[v], NAME(larger)(left, first));
    }
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
                                   int rhs_exponent, const bool shifted)
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        LANE_ROW next = NAME(lane_row_at)(at, v, i, rhs_exponent, shifted);
        k->sums[v] += NAME(squares)(next.rhs);
        if (row + i == 0) {
            k->y[v] = (LANE_ROW){next.u, next.v, next.w, none, none, next.rhs};
        } else if (row + i == 1) {
            k->x[v] = (LANE_ROW){none, next.u, next.v, next.w, none, next.rhs};
        } else {
            NUMBERS q;
            NAME(append_row)(k, v, &next, &q, true);
            k->sums[v] += NAME(squares)(q);
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
                if (k.growth[v][i] > PIVOTED_GROWTH_MOST && *bad == NO_ROW)
                    *bad = (t * TILE_LANES + v * W + i) * r;
                if (shifted && k.good[v][i] < r - 2 && *bad == NO_ROW)
                    *bad = (t * TILE_LANES + v * W + i) * r + k.good[v][i] + 1;
            }
        }
        here = following;
    }
    return (RANGE){0, 0, suspect, false};
}

/* A pivot row in every lane, divided by its pivot: x_i + v x_{i+1} + w x_{i+2} = y. */
struct NAME(lane_pivot) {
    NUMBERS v, w, y;
};
/* Appends row `row` + i in the second pass, where x_left and x_first are known. Its pivot row, that
 * of the row before, is stored. */
LANES_INLINE void NAME(repeat_row)(struct NAME(carried_rows) * k, const SQUARES *at, int row, int i,
                                   const NUMBERS left[VECTORS], const NUMBERS first[VECTORS],
                                   int rhs_exponent, const bool shifted,
                                   LANE_PIVOT pivots[][VECTORS])
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        LANE_ROW next = NAME(lane_row_at)(at, v, i, rhs_exponent, shifted);
        if (row + i == 0) {
            next.rhs = NAME(minus_product)(next.rhs, next.u, left[v]);
            next.rhs = NAME(minus_product)(next.rhs, next.v, first[v]);
            k->y[v] = (LANE_ROW){none, none, next.w, none, none, next.rhs};
        } else if (row + i == 1) {
            next.rhs = NAME(minus_product)(next.rhs, next.u, first[v]);
            k->x[v] = (LANE_ROW){none, none, next.v, next.w, none, next.rhs};
        } else {
            NUMBERS q;
            NAME(append_row)(k, v, &next, &q, false);
            pivots[row + i - 1][v] = (LANE_PIVOT){NAME(times)(next.v, q), NAME(times)(next.w, q),
                                                  NAME(times)(next.rhs, q)};
        }
    }
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
    LANE_PIVOT pivots[PIVOTED_ROWS][VECTORS];
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
                NAME(repeat_row)(&k, at, row, i, left, first, l->rhs_exponent, shifted, pivots);
            }
        }
        NUMBERS x[VECTORS], behind[VECTORS];
        EACH_VECTOR
        {
            /* with v = w = 0 the substitution gives x = y, the known x */
            pivots[0][v] = (LANE_PIVOT){none, none, first[v]};
            pivots[r - 1][v] = (LANE_PIVOT){none, none, NAME(load_numbers)(s->last + lane + v * W)};
            x[v] = NAME(load_numbers)(s->first + lane + v * W + 1);
            behind[v] = none;
        }
        for (int row = r - SQUARE; row >= 0; row -= SQUARE) {
            VEC out[VECTORS][W];
            LANES_UNROLL for (int i = SQUARE - 1; i >= 0; i--) EACH_VECTOR
            {
                const LANE_PIVOT *p = &pivots[row + i][v];
                NUMBERS y = NAME(minus_product)(p->y, p->w, behind[v]);
                behind[v] = x[v];
                x[v] = NAME(minus_product)(y, p->v, x[v]);
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
