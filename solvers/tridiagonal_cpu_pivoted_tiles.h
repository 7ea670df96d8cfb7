/* The two passes of tridiagonal_cpu_pivoted.h, with one partition in every lane. Rows are exchanged
 * by selects, without branches. */

/* A row in every lane: its coefficients of the unknown that is eliminated next and of the four
 * after it */
struct NAME(lane_row) {
    NUMBERS c[5], rhs;
};
/* The rows of a tile: sub, diag, super and rhs, scaled. After elimination the pivot rows,
 *
 *     x_q = c[4] - c[0] x_{q+1} - c[1] x_{q+2} - c[2] x_{q+3} - c[3] x_{q+4} at position q,
 *
 * and after substitution x in c[0]. */
struct NAME(tile) {
    NUMBERS c[PIVOTED_ROWS][5][VECTORS];
};
/* The rows that a lane carries. `sums` is the sum of |1/pivot|^2 and |rhs|^2, which is large or NaN
 * if a value is out of range or not finite. `good` is the number of pivots before the first bad
 * one; valid if rhs is shifted. */
struct NAME(carried_rows) {
    LANE_ROW x[VECTORS], y[VECTORS];
    VEC sums[VECTORS];
    MASK good[VECTORS];
};

LANES_INLINE MASK NAME(between)(MASK a, int least, int most)
{
    MASK low = a<least, high = a> most;
    return (a & ~low & ~high) | (least & low) | (most & high);
}
/* Scales a row so that its largest coefficient is in [2, 4), or NaN if this is 0, subnormal or not
 * finite. With `shifted` it is scaled by a power of two for all values, and rhs also by
 * 2^rhs_exponent. This is done by two factors, because one could be out of range. */
LANES_INLINE void NAME(scale_row)(NUMBERS row[5][VECTORS], int v, int rhs_exponent,
                                  const bool shifted)
{
    enum { MANTISSA = sizeof(REAL) > 4 ? 52 : 23, BIAS = sizeof(REAL) > 4 ? 1023 : 127 };
    VEC most = NAME(larger)(NAME(larger)(NAME(size)(row[0][v]), NAME(size)(row[1][v])),
                            NAME(size)(row[2][v]));
    const MASK exponents = (MASK)((VEC){0} + (REAL)INFINITY);
    VEC scale = (VEC)(exponents - ((MASK)most & exponents)), factor = scale;
    if (shifted) {
        MASK to = NAME(between)(2 * BIAS - ((MASK)most >> MANTISSA), 1, 2 * BIAS);
        MASK rhs = to - BIAS + rhs_exponent, half = rhs >> 1;
        scale = (VEC)(to << MANTISSA);
        row[3][v] =
            NAME(scaled_by)(row[3][v], (VEC)(NAME(between)(half + BIAS, 1, 2 * BIAS) << MANTISSA));
        factor = (VEC)(NAME(between)(rhs - half + BIAS, 1, 2 * BIAS) << MANTISSA);
    }
    LANES_UNROLL for (int e = 0; e < 4; e++) row[e][v] =
        NAME(scaled_by)(row[e][v], e < 3 ? scale : factor);
}
/* super of the last row of the whole system must have no effect, whatever its value. */
LANES_INLINE void NAME(clear_last_super)(const LEVEL *l, int64_t t, int row, SQUARES *now)
{
    if (row + SQUARE == l->r && (t + 1) * TILE_LANES * l->r == l->n)
        for (int k = 0; k < REALS; k++)
            now->m[2][VECTORS - 1][W - REALS + k][W - 1] = 0;
}
/* Loads tile t and scales its rows. */
LANES_INLINE void NAME(load_tile)(const LEVEL *l, int64_t t, struct NAME(tile) * tile,
                                  const bool shifted)
{
    const SYSTEM here = NAME(tile_rows)(l, t, l->r);
    SQUARES squares;
    for (int row = 0; row < l->r; row += SQUARE) {
        LANES_UNROLL for (int j = 0; j < 4 * VECTORS; j++)
            NAME(load_square)(&here, l->r, row, j, &squares);
        NAME(clear_first_sub)(l, t, row, &squares);
        NAME(clear_last_super)(l, t, row, &squares);
        LANES_UNROLL for (int i = 0; i < SQUARE; i++) EACH_VECTOR
        {
            LANES_UNROLL for (int e = 0; e < 4; e++) tile->c[row + i][e][v] =
                NAME(row_of_square)(squares.m[e][v], i);
            NAME(scale_row)(tile->c[row + i], v, l->rhs_exponent, shifted);
        }
    }
}

/* The row, and unknown, at position q of a partition of r rows */
LANES_INLINE int NAME(row_of_position)(int r, int q)
{
    return q % 2 ? (r - q - 1) / 2 : (r + q) / 2;
}
LANES_INLINE void NAME(exchange)(MASK where, NUMBERS *a, NUMBERS *b)
{
    NUMBERS old = *a;
    *a = NAME(select)(where, *b, *a);
    *b = NAME(select)(where, old, *b);
}
/* Appends the row `next`: the largest coefficient c[0] of x, y and next makes a row the pivot row,
 * multiples of which are subtracted from the other two. These are then carried. The pivot row is
 * written to `to` unless this is NULL. Returns 1/pivot. One coefficient after the other is
 * processed, to need few registers. */
LANES_INLINE NUMBERS NAME(append_row)(LANE_ROW *x, LANE_ROW *y, LANE_ROW next,
                                      NUMBERS to[5][VECTORS], int v)
{
    const MASK with_y = NAME(size)(y->c[0]) > NAME(size)(x->c[0]);
    NAME(exchange)(with_y, &x->c[0], &y->c[0]);
    const MASK with_next = NAME(size)(next.c[0]) > NAME(size)(x->c[0]);
    NAME(exchange)(with_next, &x->c[0], &next.c[0]);
    const NUMBERS q = NAME(inverse_in_range)(x->c[0]), factor_y = NAME(times)(y->c[0], q),
                  factor_next = NAME(times)(next.c[0], q);
    LANES_UNROLL for (int e = 1; e < 6; e++)
    {
        NUMBERS *a = e < 5 ? &x->c[e] : &x->rhs, *b = e < 5 ? &y->c[e] : &y->rhs,
                *c = e < 5 ? &next.c[e] : &next.rhs;
        NAME(exchange)(with_y, a, b);
        NAME(exchange)(with_next, a, c);
        const NUMBERS pivot = *a;
        if (to)
            to[e - 1][v] = NAME(times)(pivot, q);
        *(e < 5 ? &x->c[e - 1] : a) = NAME(minus_product)(*b, factor_y, pivot);
        *(e < 5 ? &y->c[e - 1] : b) = NAME(minus_product)(*c, factor_next, pivot);
    }
    x->c[4] = y->c[4] = NAME(broadcast)(0);
    return q;
}
/* Eliminates the unknowns of a tile at positions 0 to r - 3. With `keep` their pivot rows take the
 * place of the rows. If `ahead` is not 0 the rows so many elements later are prefetched, and so is
 * x unless it is NULL. */
LANES_INLINE void NAME(eliminate_tile)(struct NAME(carried_rows) * k, struct NAME(tile) * tile,
                                       int r, const SYSTEM *here, const SCALAR *x, int64_t ahead,
                                       const bool keep, const bool shifted)
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        NUMBERS(*a)[VECTORS] = tile->c[r / 2], (*b)[VECTORS] = tile->c[r / 2 - 1];
        k->x[v] = (LANE_ROW){{a[1][v], a[0][v], a[2][v], none, none}, a[3][v]};
        k->y[v] = (LANE_ROW){{b[2][v], b[1][v], none, b[0][v], none}, b[3][v]};
        k->sums[v] = NAME(squares)(a[3][v]) + NAME(squares)(b[3][v]);
        k->good[v] = (MASK)(VEC){0};
    }
    for (int q = 2; q < r; q++) {
        const int before = q % 2 ? 2 : 0;
        NUMBERS(*a)[VECTORS] = tile->c[NAME(row_of_position)(r, q)];
        NUMBERS(*to)[VECTORS] = tile->c[NAME(row_of_position)(r, q - 2)];
        for (int row = ahead ? q == 2 ? 0 : q : r; row <= q; row++) {
            NAME(prefetch_rows)(here, ahead, row / SQUARE * SQUARE, row % SQUARE);
            if (x)
                NAME(prefetch)(x, ahead, row / SQUARE * SQUARE, row % SQUARE, 1);
        }
        EACH_VECTOR
        {
            LANE_ROW next = {{a[before][v], none, a[1][v], none, a[2 - before][v]}, a[3][v]};
            NUMBERS inverse = NAME(append_row)(&k->x[v], &k->y[v], next, keep ? to : NULL, v);
            if (keep)
                continue;
            k->sums[v] += NAME(squares)(next.rhs) + NAME(squares)(inverse);
            if (shifted) {
                MASK ok = (NAME(size)(inverse) > 0) & (NAME(size)(inverse) <= MAX);
                k->good[v] -= ok & (k->good[v] == q - 2);
            }
        }
    }
}

LANES_INLINE void NAME(store_equation)(EQUATIONS to, int64_t j, const LANE_ROW *row)
{
    SCALAR *const arrays[] = {to.last, to.first, to.right, to.left};
    for (int e = 0; e < 4; e++)
        NAME(store_numbers)(arrays[e] + j, row->c[e]);
    NAME(store_numbers)(to.rhs + j, row->rhs);
}
/* First pass over the tiles from … to - 1 of part `part`. *bad becomes a row without a pivot, or
 * NO_ROW. */
LANES_INLINE RANGE NAME(reduce_tiles_pivoted)(const PIVOTING *s, int part, int64_t from, int64_t to,
                                              int64_t *bad, bool streamed, const bool shifted)
{
    const LEVEL *l = &s->part[part];
    const int r = l->r;
    struct NAME(tile) tile;
    struct NAME(carried_rows) k;
    bool suspect = false;
    *bad = NO_ROW;
    for (int64_t t = from; t < to; t++) {
        const SYSTEM here = NAME(tile_rows)(l, t, r);
        NAME(load_tile)(l, t, &tile, shifted);
        NAME(eliminate_tile)
        (&k, &tile, r, &here, NULL, streamed ? TILE_LANES * r : 0, false, shifted);
        EACH_VECTOR
        {
            int64_t j = t * TILE_LANES + v * W;
            NAME(store_equation)(s->p, s->lines[part] + j, &k.x[v]);
            NAME(store_equation)(s->q, s->lines[part] + j, &k.y[v]);
            for (int i = 0; i < W; i++) {
                const int good = (int)k.good[v][i];
                suspect |= !(k.sums[v][i] <= 1 / LEAST);
                if (shifted && good < r - 2 && *bad == NO_ROW)
                    *bad = (j + i) * r + NAME(row_of_position)(r, good);
            }
        }
    }
    return (RANGE){0, 0, suspect, false};
}
NOT_INLINE RANGE NAME(reduce_pivoted_tiles)(const PIVOTING *s, int part, int64_t from, int64_t to,
                                            int64_t *bad, bool streamed, bool shifted)
{
    return shifted ? NAME(reduce_tiles_pivoted)(s, part, from, to, bad, streamed, true)
                   : NAME(reduce_tiles_pivoted)(s, part, from, to, bad, streamed, false);
}

/* Computes x of a tile from the pivot rows and x of its outer unknowns; `lane` is the number of its
 * first partition. *nothing becomes NaN in lanes whose x is not finite. */
LANES_INLINE void NAME(substitute_tile)(const PIVOTING *s, struct NAME(tile) * tile, int r,
                                        int64_t lane, VEC *nothing)
{
    NUMBERS x[4][VECTORS];
    EACH_VECTOR
    {
        const int64_t j = lane + v * W;
        x[0][v] = tile->c[r - 1][0][v] = NAME(load_numbers)(s->last + j);
        x[1][v] = tile->c[0][0][v] = NAME(load_numbers)(s->first + j);
        x[2][v] = NAME(load_numbers)(s->first + j + 1);
        x[3][v] = NAME(load_numbers)(s->last + j - 1);
    }
    for (int q = r - 3; q >= 0; q--) {
        NUMBERS(*c)[VECTORS] = tile->c[NAME(row_of_position)(r, q)];
        EACH_VECTOR
        {
            NUMBERS now = c[4][v];
            LANES_UNROLL for (int e = 3; e >= 0; e--) now =
                NAME(minus_product)(now, c[e][v], x[e][v]);
            LANES_UNROLL for (int e = 3; e > 0; e--) x[e][v] = x[e - 1][v];
            x[0][v] = c[0][v] = now;
            *nothing += NAME(zero_if_finite)(now);
        }
    }
}
/* Second pass over the same tiles: eliminates again, and substitutes. Returns false if an x is not
 * finite. */
LANES_INLINE bool NAME(substitute_tiles_pivoted)(const PIVOTING *s, int part, int64_t from,
                                                 int64_t to, bool streamed, const bool shifted)
{
    const LEVEL *l = &s->part[part];
    const int r = l->r;
    struct NAME(tile) tile;
    struct NAME(carried_rows) k;
    VEC nothing = {0};
    for (int64_t t = to - 1; t >= from; t--) {
        const SYSTEM here = NAME(tile_rows)(l, t, r);
        SCALAR *x = l->x + t * TILE_LANES * r;
        NAME(load_tile)(l, t, &tile, shifted);
        NAME(eliminate_tile)
        (&k, &tile, r, &here, x, streamed ? -TILE_LANES * r : 0, true, shifted);
        NAME(substitute_tile)(s, &tile, r, s->lines[part] + t * TILE_LANES, &nothing);
        for (int row = 0; row < r; row += SQUARE)
            EACH_VECTOR
            {
                VEC out[W];
                LANES_UNROLL for (int i = 0; i < SQUARE; i++)
                    NAME(set_row_of_square)(out, i, tile.c[row + i][0][v]);
                LANES(lanes_store_square)((REAL *)(x + v * W * r + row), r * REALS, out);
            }
    }
    bool finite = true;
    for (int i = 0; i < W; i++)
        finite = finite && nothing[i] == 0;
    return finite;
}
NOT_INLINE bool NAME(substitute_pivoted_tiles)(const PIVOTING *s, int part, int64_t from,
                                               int64_t to, bool streamed, bool shifted)
{
    return shifted ? NAME(substitute_tiles_pivoted)(s, part, from, to, streamed, true)
                   : NAME(substitute_tiles_pivoted)(s, part, from, to, streamed, false);
}
