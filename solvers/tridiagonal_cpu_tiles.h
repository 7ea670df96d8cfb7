/* The two passes of tridiagonal_cpu.h, with one partition in every lane. The first pass reduces
 * every partition to a joint line; the second pass computes x of the rows between the joint lines.
 * In memory the rows of a partition are consecutive, but a vector needs one row of every partition.
 * So the elements are rearranged as in W12 Fig. 2: squares of W reals by W lanes are transposed in
 * registers. */

/* ---- loading tiles ---- */

/* SQUARE rows of every lane of a tile, after the transposition. The square m[i][v] has the elements
 * of array i (0 sub, 1 diag, 2 super, 3 rhs) for the lanes of vector v. Each VEC of the square has
 * the same REAL of each lane's rows. */
struct NAME(squares) {
    VEC m[4][VECTORS][W];
};
LANES_INLINE SYSTEM NAME(tile_rows)(const LEVEL *l, int64_t t, const int r)
{
    SYSTEM rows = NAME(rows_from)(l, t * TILE_LANES * r);
    if (l->first_b && t == 0)
        rows.b = l->first_b;
    if (l->last_c && t == l->tiles - 1)
        rows.c = l->last_c;
    return rows;
}
/* Loads square m[j / VECTORS][j % VECTORS], which begins with row `row` of every lane. */
LANES_INLINE void NAME(load_square)(const SYSTEM *tile, int r, int row, int j, SQUARES *to)
{
    const SCALAR *const arrays[] = {tile->b, tile->a, tile->c, tile->d};
    const SCALAR *from = arrays[j / VECTORS] + (j % VECTORS) * W * r + row;
    LANES(lanes_load_square)((const REAL *)from, r * REALS, to->m[j / VECTORS][j % VECTORS]);
}
/* While the current SQUARE rows are eliminated, the 4 VECTORS squares of the next SQUARE rows are
 * loaded: at row i those numbered j. So the loads and shuffles run while the divisions wait. */
#define NEXT_SQUARES(i)                                                                            \
    LANES_UNROLL for (int j = (i)*4 * VECTORS / SQUARE; j < ((i) + 1) * 4 * VECTORS / SQUARE; j++)

/* At row `row` + i of this tile, prefetches an equal share of the cache lines of the tile that
 * begins `ahead` elements later in `array`. Each lane reads a stream of its own, too many for the
 * hardware to prefetch. */
LANES_INLINE void NAME(prefetch)(const void *array, int64_t ahead, int row, int i, int to_write)
{
    enum { LINES = TILE_LANES * LANES_BYTES / LANES_LINE };
    uintptr_t from = (uintptr_t)array + (uintptr_t)(ahead + row * TILE_LANES) * sizeof(SCALAR);
    int line = i * LINES / SQUARE;
    lanes_fetch(from + (uintptr_t)line * LANES_LINE, (i + 1) * LINES / SQUARE - line, to_write);
}
LANES_INLINE void NAME(prefetch_rows)(const SYSTEM *tile, int64_t ahead, int row, int i)
{
    NAME(prefetch)(tile->b, ahead, row, i, 0);
    NAME(prefetch)(tile->a, ahead, row, i, 0);
    NAME(prefetch)(tile->c, ahead, row, i, 0);
    NAME(prefetch)(tile->d, ahead, row, i, 0);
}

/* sub_0 of the whole system must have no effect, whatever its value. So it is replaced by 0. */
LANES_INLINE void NAME(clear_first_sub)(const LEVEL *l, int64_t t, int row, SQUARES *now)
{
    if (t == 0 && row == 0 && !l->has_left)
        for (int k = 0; k < REALS; k++)
            now->m[0][0][k][0] = 0;
}

/* ---- first pass: reduce_partition() in every lane ---- */

/* The chain of dependent operations of each vector; the members are the variables of
 * reduce_partition(), with w for v. */
struct NAME(chains) {
    NUMBERS c[VECTORS], d[VECTORS], s[VECTORS], u[VECTORS], w[VECTORS], all_s[VECTORS];
    struct NAME(sums) sums[VECTORS];
};
LANES_INLINE void NAME(begin_partitions)(struct NAME(chains) * k)
{
    const NUMBERS zero = NAME(broadcast)(0), one = NAME(broadcast)(1);
    EACH_VECTOR
    {
        k->c[v] = k->d[v] = k->u[v] = k->all_s[v] = zero;
        k->w[v] = one;
        k->s[v] = NAME(minus)(zero, one);
        k->sums[v] = (struct NAME(sums)){{0}, {0}, {0}};
    }
}
/* Eliminates row i of the squares. */
LANES_INLINE void NAME(eliminate_row)(struct NAME(chains) * k, const SQUARES *at, int i,
                                      const bool certify)
{
    const NUMBERS zero = NAME(broadcast)(0);
    EACH_VECTOR
    {
        NUMBERS b = NAME(row_of_square)(at->m[0][v], i), a = NAME(row_of_square)(at->m[1][v], i);
        VEC ratio;
        NUMBERS q =
            NAME(inverse_summed)(NAME(minus_product)(a, b, k->c[v]), a, &k->sums[v], &ratio);
        NUMBERS down = NAME(times)(b, q);
        k->c[v] = NAME(times)(NAME(row_of_square)(at->m[2][v], i), q);
        k->d[v] =
            NAME(times)(NAME(minus_product)(NAME(row_of_square)(at->m[3][v], i), b, k->d[v]), q);
        k->s[v] = NAME(minus_product)(zero, down, k->s[v]);
        if (certify)
            k->sums[v].flow = ratio =
                NAME(squares)(down) * k->sums[v].flow + (ratio + NAME(squares)(k->c[v]));
        k->sums[v].ratios += ratio;
        k->u[v] = NAME(plus_product)(k->u[v], k->w[v], k->d[v]);
        k->all_s[v] = NAME(plus_product)(k->all_s[v], k->w[v], k->s[v]);
        k->w[v] = NAME(minus_product)(zero, k->w[v], k->c[v]);
    }
}
/* Stores the joint lines of tile t, which are the last rows of the squares. */
LANES_INLINE void NAME(store_joint_lines)(const LEVEL *l, int64_t t, const struct NAME(chains) * k,
                                          const SQUARES *last)
{
    EACH_VECTOR
    {
        int64_t j = t * TILE_LANES + v * W;
        NUMBERS b = NAME(row_of_square)(last->m[0][v], SQUARE - 1),
                a = NAME(row_of_square)(last->m[1][v], SQUARE - 1);
        NUMBERS rhs = NAME(row_of_square)(last->m[3][v], SQUARE - 1);
        NAME(store_numbers)(l->b + j, NAME(minus_product)(NAME(broadcast)(0), b, k->s[v]));
        NAME(store_numbers)(l->a + j, NAME(minus_product)(a, b, k->c[v]));
        NAME(store_numbers)(l->c + j, NAME(row_of_square)(last->m[2][v], SQUARE - 1));
        NAME(store_numbers)(l->d + j, NAME(minus_product)(rhs, b, k->d[v]));
        NAME(store_numbers)(l->u + j, k->u[v]);
        NAME(store_numbers)(l->v + j, k->w[v]);
        NAME(store_numbers)(l->s + j, k->all_s[v]);
    }
}
/* ---- the certificate of automatic pivoting ----
 *
 * A system is solved without pivoting if this is as accurate as with it. When a row is divided by
 * its pivot, it has a rounding error of about u e, where e^2 = |a/pivot|^2 + |c'|^2 is not much
 * larger than 1 in a dominant row.
 *
 * Rows are eliminated twice, and the second pass, which is given x_left, rounds differently. It
 * does not use the equation of joint line J. So the errors of all rows of a partition come together
 * in the residual of J and, through x_first, in that of the joint line before. From row to row they
 * are multiplied by |b/pivot|, and they grow if the partition alone is nearly singular, even where
 * all its rows are dominant. The mean square of the error of row i is estimated by
 *
 *     flow_i = |b_i/pivot_i|^2 flow_{i-1} + e_i^2
 *
 * and x_first has at most the errors of all rows. So the sum of all flow_i must be small. It bounds
 * every e_i, too. */

/* Partition p has too large a sum. This is harmless if the joint line before, the only one to use
 * x_first, is hardly coupled to it: for example at a Neumann boundary. */
static bool NAME(is_decoupled)(const LEVEL *l, int64_t p, REAL sum, REAL last)
{
    REAL c = 0, a = 1;
    if (p > 0) {
        SYSTEM before = NAME(rows_from)(l, p * l->r - 1);
        c = NAME(square)(*before.c);
        a = NAME(square)(*before.a);
    }
    return 4 * sum * c <= FLOW_MOST * a && sum <= FLOW_MOST_DECOUPLED && last <= FLOW_LAST_MOST;
}
/* True if all partitions of tile t have the certificate. Their joint lines must not have larger
 * coefficients than before. */
LANES_INLINE bool NAME(certified)(const LEVEL *l, int64_t t, const struct NAME(chains) * k)
{
    bool all = true;
    EACH_VECTOR
    {
        VEC coefficients = NAME(squares)(k->c[v]) + NAME(squares)(k->s[v]) +
                           NAME(squares)(k->w[v]) + NAME(squares)(k->all_s[v]);
        MASK flows = k->sums[v].ratios <= FLOW_MOST, small = coefficients <= 8;
        for (int i = 0; i < W; i++)
            all = all && small[i] &&
                  (flows[i] || NAME(is_decoupled)(l, t * TILE_LANES + v * W + i,
                                                  k->sums[v].ratios[i], k->sums[v].flow[i]));
    }
    return all;
}

/* Reduces the tiles from … to - 1, with r rows in each lane. `streamed`: the level is larger than
 * the cache, so the next tile is prefetched. */
LANES_INLINE RANGE NAME(reduce_tiles)(const LEVEL *l, int64_t from, int64_t to, const int r,
                                      const int streamed, const bool certify)
{
    SQUARES squares[2];
    struct NAME(chains) k;
    VEC most_pivots = {0}, most_x = {0};
    MASK suspect = (MASK)most_x;
    int now = 0;
    bool accurate = true;
    SYSTEM here = NAME(tile_rows)(l, from, r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    for (int64_t t = from; t < to; t++) {
        SYSTEM following = NAME(tile_rows)(l, t + 1 < to ? t + 1 : t, r);
        NAME(begin_partitions)(&k);
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(clear_first_sub)(l, t, row, at);
            LANES_UNROLL for (int i = 0; i < SQUARE; i++)
            {
                NEXT_SQUARES(i)
                NAME(load_square)(more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (streamed)
                    NAME(prefetch_rows)(&here, TILE_LANES * r, row, i);
                if (i == SQUARE - 1 && !more)
                    break; /* row i is the joint line, which is not eliminated */
                NAME(eliminate_row)(&k, at, i, certify);
            }
        }
        NAME(store_joint_lines)(l, t, &k, &squares[!now]);
        if (certify)
            accurate = accurate && NAME(certified)(l, t, &k);
        EACH_VECTOR
        {
            /* Marks lanes that may have a bad pivot. pivot_ok() is false only if |a/pivot| is at
             * least about 1/(2 EPSILON) or NaN, and either makes the sum of ratios large or NaN. A
             * value that is not finite makes u not finite, because u includes every d. So u also
             * serves as an estimate of the size of x. */
            suspect |=
                ~(k.sums[v].ratios + NAME(zero_if_finite)(k.u[v]) < 1 / (16 * EPSILON * EPSILON));
            most_pivots = NAME(largest)(most_pivots, k.sums[v].pivots);
            most_x = NAME(larger_part)(most_x, k.u[v]);
        }
        here = following;
    }
    RANGE range = {0, 0, false, !accurate};
    for (int i = 0; i < W; i++)
        NAME(add_range)(&range, (RANGE){most_pivots[i], most_x[i], suspect[i] != 0, false});
    return range;
}
/* The functions reduce_VERSION. The compiler makes each from a copy of reduce_tiles(). */
#define REDUCE(version, r, streamed, certify)                                                      \
    NOT_INLINE RANGE NAME(reduce_##version)(const LEVEL *l, int64_t from, int64_t to)              \
    {                                                                                              \
        return NAME(reduce_tiles)(l, from, to, r, streamed, certify);                              \
    }
REDUCE(cached, ROWS, 0, false)
REDUCE(streamed, ROWS, 1, false)
REDUCE(short, ROWS_SHORT, 0, false)
REDUCE(cached_certify, ROWS, 0, true)
REDUCE(streamed_certify, ROWS, 1, true)
REDUCE(short_certify, ROWS_SHORT, 0, true)
static RANGE NAME(reduce_unscaled)(const LEVEL *l, int64_t from, int64_t to, bool certify)
{
    if (l->r != ROWS)
        return certify ? NAME(reduce_short_certify)(l, from, to) : NAME(reduce_short)(l, from, to);
    if (NAME(is_streamed)(l))
        return certify ? NAME(reduce_streamed_certify)(l, from, to)
                       : NAME(reduce_streamed)(l, from, to);
    return certify ? NAME(reduce_cached_certify)(l, from, to) : NAME(reduce_cached)(l, from, to);
}

/* Reduces the tiles with scaled rows. Returns the first row with a bad pivot, or NO_ROW. */
static int64_t NAME(reduce_scaled)(const LEVEL *l, int64_t from, int64_t to)
{
    int64_t first_bad = NO_ROW;
    RANGE range = {0};
    for (int64_t k = from * TILE_LANES; k < to * TILE_LANES; k++) {
        int64_t bad;
        REDUCED e = NAME(reduce_partition)(l, k * l->r, l->r, &bad, &range, true);
        first_bad = bad < first_bad ? bad : first_bad;
        l->b[k] = e.b;
        l->a[k] = e.a;
        l->c[k] = e.c;
        l->d[k] = e.d;
        l->u[k] = e.u;
        l->v[k] = e.v;
        l->s[k] = e.s;
    }
    return first_bad;
}

/* Completes the joint lines of tiles `from` to `to` - 1, after all tiles are reduced: eliminates
 * x_{J+1} from joint line J with the second equation of the next partition (struct reduced). No
 * line is computed by scalar code, which might round differently, so the bits do not depend on
 * the number of cores. */
NOT_INLINE void NAME(join_neighbours)(const LEVEL *l, int64_t from, int64_t to)
{
    if (from < to && to * TILE_LANES * l->r == l->n)
        l->c[to * TILE_LANES - 1] = 0; /* super of the last row of the system must have no effect */
    for (int64_t j = from * TILE_LANES; j < to * TILE_LANES; j += W) {
        NUMBERS c = NAME(load_numbers)(l->c + j), u = NAME(load_numbers)(l->u + j + 1);
        NUMBERS v = NAME(load_numbers)(l->v + j + 1), s = NAME(load_numbers)(l->s + j + 1);
        NUMBERS a = NAME(load_numbers)(l->a + j), d = NAME(load_numbers)(l->d + j);
        NAME(store_numbers)(l->a + j, NAME(minus_product)(a, c, s));
        NAME(store_numbers)(l->d + j, NAME(minus_product)(d, c, u));
        NAME(store_numbers)(l->c + j, NAME(times)(c, v));
    }
}
/* Copies the rows that do not fill a tile to the next level. join_neighbours() treats the first of
 * them as a partition of one row: x_first = 0 + 1 x_J - 0 x_left, so u = 0, v = 1 and s = 0. */
static void NAME(copy_remainder_down)(const LEVEL *l, bool scaled)
{
    int64_t lines = l->tiles * TILE_LANES, done = lines * l->r;
    for (int64_t i = 0; i < l->n - done; i++) {
        ROW r = scaled ? NAME(row_at)(l, done + i, true) : NAME(row_at)(l, done + i, false);
        l->b[lines + i] = r.b;
        l->a[lines + i] = r.a;
        l->c[lines + i] = r.c;
        l->d[lines + i] = r.d;
    }
    l->u[lines] = l->s[lines] = 0;
    l->v[lines] = 1;
}

/* ---- second pass ---- */

/* Runs the Thomas algorithm in every lane, between two joint lines whose x is known. To repeat the
 * elimination takes less time than storing and loading its results. The tiles are processed from
 * the last to the first, because the first pass read the last ones most recently, so they are still
 * in the cache. */
LANES_INLINE bool NAME(substitute_tiles)(const LEVEL *l, int64_t from, int64_t to, const int r,
                                         const int streamed)
{
    SQUARES squares[2];
    VEC nothing = {0}; /* NaN in lanes whose x was not finite */
    NUMBERS w[ROWS][VECTORS], y[ROWS][VECTORS], c[VECTORS], d[VECTORS], x[VECTORS];
    int now = 0;
    SYSTEM here = NAME(tile_rows)(l, to - 1, r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    for (int64_t t = to - 1; t >= from; t--) {
        SYSTEM following = NAME(tile_rows)(l, t > from ? t - 1 : t, r);
        SCALAR *x_here = l->x + t * TILE_LANES * r;
        EACH_VECTOR
        {
            c[v] = NAME(broadcast)(0);
            d[v] = NAME(load_numbers)(l->joint_x + t * TILE_LANES + v * W - 1);
            x[v] = NAME(load_numbers)(l->joint_x + t * TILE_LANES + v * W);
        }
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(clear_first_sub)(l, t, row, at);
            LANES_UNROLL for (int i = 0; i < SQUARE; i++)
            {
                NEXT_SQUARES(i)
                NAME(load_square)(more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (streamed) {
                    NAME(prefetch_rows)(&here, -TILE_LANES * r, row, i);
                    NAME(prefetch)(x_here, -TILE_LANES * r, row, i, 1);
                }
                EACH_VECTOR
                {
                    NUMBERS b = NAME(row_of_square)(at->m[0][v], i),
                            a = NAME(row_of_square)(at->m[1][v], i);
                    NUMBERS q = NAME(inverse)(NAME(minus_product)(a, b, c[v]));
                    w[row + i][v] = c[v] = NAME(times)(NAME(row_of_square)(at->m[2][v], i), q);
                    y[row + i][v] = d[v] = NAME(times)(
                        NAME(minus_product)(NAME(row_of_square)(at->m[3][v], i), b, d[v]), q);
                }
            }
        }
        EACH_VECTOR
        {
            /* with w = 0 the back substitution gives x = y, the known x of the joint line */
            w[r - 1][v] = NAME(broadcast)(0);
            y[r - 1][v] = x[v];
        }
        for (int row = r - SQUARE; row >= 0; row -= SQUARE) {
            VEC out[VECTORS][W];
            LANES_UNROLL for (int i = SQUARE - 1; i >= 0; i--) EACH_VECTOR
            {
                x[v] = NAME(minus_product)(y[row + i][v], w[row + i][v], x[v]);
                NAME(set_row_of_square)(out[v], i, x[v]);
            }
            EACH_VECTOR LANES(lanes_store_square)((REAL *)(x_here + v * W * r + row), r * REALS,
                                                  out[v]);
        }
        EACH_VECTOR nothing += NAME(zero_if_finite)(x[v]);
        here = following;
    }
    bool finite = true;
    for (int k = 0; k < W; k++)
        finite = finite && nothing[k] == 0;
    return finite;
}
NOT_INLINE bool NAME(substitute_cached)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(substitute_tiles)(l, from, to, ROWS, 0);
}
NOT_INLINE bool NAME(substitute_streamed)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(substitute_tiles)(l, from, to, ROWS, 1);
}
NOT_INLINE bool NAME(substitute_short)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(substitute_tiles)(l, from, to, ROWS_SHORT, 0);
}
/* Substitutes in the tiles with scaled rows. */
static bool NAME(substitute_scaled)(const LEVEL *l, int64_t from, int64_t to)
{
    SCALAR w[ROWS], y[ROWS];
    RANGE range = {0};
    bool finite = true;
    for (int64_t k = from * TILE_LANES; k < to * TILE_LANES; k++) {
        SCALAR *x = l->x + k * l->r;
        NAME(thomas_down)(l, k * l->r, l->r - 1, l->joint_x[k - 1], w, y, &range, true);
        x[l->r - 1] = l->joint_x[k];
        NAME(thomas_up)(l->r - 1, w, y, x);
        finite = finite && NAME(abs1)(x[0]) <= MAX;
    }
    return finite;
}
/* Copies x of the rows that do not fill a tile back from the next level. */
static void NAME(copy_remainder_up)(const LEVEL *l)
{
    int64_t lines = l->tiles * TILE_LANES, done = lines * l->r;
    memcpy(l->x + done, l->joint_x + lines, (size_t)(l->n - done) * sizeof(SCALAR));
}
