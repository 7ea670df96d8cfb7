/* The attempt without pivoting for one vector of contiguous systems, for tridiagonal_batch_cpu.h.
 * It computes the bits of plain_down() and plain_up(). But while a row waits for its division it
 * loads and transposes the next square of rows, and each row prefetches a little of one array of
 * one lane: hardware follows fewer arrays than four of every lane. */

/* A square of rows from row `row` on of array a */
LANES_INLINE void NAME(load_square)(const GROUP *g, int a, int64_t row, NUMBERS to[SQUARE])
{
    const int64_t *first = a < RHS ? g->matrix.first : g->own.first;
    const REAL *array = g->c->in[a];
    VEC m[W];
    LANES_UNROLL for (int k = 0; k < W; k++) m[k] =
        LANES(lanes_load)(array + (first[k] + row) * REALS);
    LANES(lanes_transpose)(m);
    LANES_UNROLL for (int i = 0; i < SQUARE; i++) to[i] = NAME(row_of_square)(m, i);
}
LANES_INLINE void NAME(store_square)(const GROUP *g, int64_t row, const NUMBERS from[SQUARE])
{
    REAL *x = g->c->x;
    VEC m[W];
    LANES_UNROLL for (int i = 0; i < SQUARE; i++) NAME(set_row_of_square)(m, i, from[i]);
    LANES(lanes_transpose)(m);
    LANES_UNROLL for (int k = 0; k < W; k++)
        LANES(lanes_store)(x + (g->own.first[k] + row) * REALS, m[k]);
}
/* Prefetches for row `row` the next lines of one of the streams, which are the arrays of all lanes:
 * of all streams in as many rows as there are. Beyond the end of a system comes the next group. */
LANES_INLINE void NAME(fetch_stream)(const GROUP *g, int64_t row)
{
    enum { STREAMS = ARRAYS * W, BYTES = STREAMS * REALS * sizeof(REAL) };
    const int stream = (int)(row % STREAMS), a = stream / W;
    const PLACE *p = a < RHS ? &g->matrix : &g->own;
    const int64_t ahead = row - stream + STREAMS,
                  at = p->first[stream % W] + ahead + (ahead < g->n ? 0 : W * p->step - g->n);
    lanes_fetch((uintptr_t)((const REAL *)g->c->in[a] + at * REALS),
                (BYTES + LANES_LINE - 1) / LANES_LINE, 0);
}
/* Eliminates row i of a square, as plain_down(). */
LANES_INLINE void NAME(eliminate)(struct NAME(found) * f, NUMBERS rows[ARRAYS][SQUARE], int i,
                                  NUMBERS above[2], NUMBERS *to)
{
    NUMBERS b = rows[SUB][i],
            q = NAME(inverse_in_range)(NAME(neg_mul_add)(rows[DIAG][i], b, above[0]), &f->range);
    to[0] = above[0] = NAME(times)(rows[SUPER][i], q);
    to[1] = above[1] = NAME(times)(NAME(neg_mul_add)(rows[RHS][i], b, above[1]), q);
    f->growth = NAME(larger_size)(f->growth, above[0]);
}
NOT_INLINE void NAME(down_squares)(GROUP *g, BITS ok[VECTORS], BITS zero[VECTORS])
{
    const int64_t n = g->n, last = (n - 1) / SQUARE * SQUARE;
    const NUMBERS none = NAME(broadcast)(0);
    NUMBERS squares[2][ARRAYS][SQUARE], above[2] = {none, none}, *to = g->work;
    NUMBERS(*now)[SQUARE] = squares[0], (*then)[SQUARE] = squares[1];
    struct NAME(found) f = {{0}, {0}, {0}, {0}, {0}, {0}};
    for (int a = SUB; a < ARRAYS; a++)
        NAME(load_square)(g, a, 0, now[a]);
    now[SUB][0] = none;
    for (int64_t row = 0; row < last; row += SQUARE) {
        const int64_t next = row + SQUARE < n - SQUARE ? row + SQUARE : n - SQUARE;
        LANES_UNROLL for (int i = 0; i < SQUARE; i++, to += 2)
        {
            NAME(eliminate)(&f, now, i, above, to);
            LANES_UNROLL for (int a = i * ARRAYS / SQUARE; a < (i + 1) * ARRAYS / SQUARE; a++)
                NAME(load_square)(g, a, next, then[a]);
            NAME(fetch_stream)(g, row + i);
        }
        if ((row + SQUARE) % ROWS == 0)
            f.most = NAME(larger_part)(f.most, above[1]);
        NUMBERS(*done)[SQUARE] = now;
        now = then;
        then = done;
    }
    now[SUPER][SQUARE - 1] = none;
    for (int64_t i = last; i < n; i++, to += 2)
        NAME(eliminate)(&f, now, (int)(i - (n - SQUARE)), above, to);
    f.most = NAME(larger_part)(f.most, above[1]);
    f.last = NAME(zero_if_finite)(above[1]);
    NAME(judge)(f, g->c->b.pivot == TRIDIAGONAL_PIVOT_AUTO, &ok[0], &zero[0]);
}
NOT_INLINE void NAME(up_squares)(GROUP *g, const BITS keep[VECTORS])
{
    enum { AHEAD = 8 * LANES_BYTES };
    const int64_t n = g->n, last = (n - 1) / SQUARE * SQUARE;
    const NUMBERS *from = g->work;
    NUMBERS x = NAME(broadcast)(0), m[SQUARE];
    if (!NAME(any)(~keep[0])) {
        for (int64_t i = n - 1; i >= n - SQUARE; i--)
            m[i - (n - SQUARE)] = x = NAME(neg_mul_add)(from[2 * i + 1], from[2 * i], x);
        NAME(store_square)(g, n - SQUARE, m);
        x = m[last - (n - SQUARE)];
        for (int64_t row = last - SQUARE; row >= 0; row -= SQUARE) {
            const NUMBERS *at = from + 2 * row;
            LANES_UNROLL for (int i = SQUARE - 1; i >= 0; i--) m[i] = x =
                NAME(neg_mul_add)(at[2 * i + 1], at[2 * i], x);
            NAME(store_square)(g, row, m);
            LANES_UNROLL for (int k = 0; k < W; k++) lanes_fetch(
                (uintptr_t)((const REAL *)g->c->x + (g->own.first[k] + row) * REALS) - AHEAD, 1, 1);
        }
        if (!NAME(any)(NAME(zero_if_finite)(x) != 0)) /* what is not finite reaches the first x */
            return;
    }
    NAME(up_plain)(g, keep);
}
