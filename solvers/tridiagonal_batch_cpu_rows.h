/* Blocks of rows for tridiagonal_batch_cpu.h: a vector has the same row of W systems. How it is
 * loaded and stored depends on where the elements are. */

/* ---- groups ---- */

/* Where the systems of a group have their elements in an array: that of row i is element first +
 * i * stride. */
PLACE
{
    int64_t first[GROUP_LANES], stride;
    enum access access[VECTORS];
};
GROUP
{
    const struct call *c;
    int64_t system;                         /* the first one */
    int count;                              /* of systems; the other lanes repeat the last one */
    int64_t rows[GROUP_LANES], n, shortest; /* rows of each system, of the longest and shortest */
    PLACE own, matrix;
    NUMBERS *work;
    REAL *sums[3]; /* the derivatives of a shared matrix, from element `sums_first` on */
    int64_t sums_first;
    BITS shift[VECTORS];                       /* the checked attempt solves for 2^-shift x */
    NUMBERS x_first[VECTORS], x_last[VECTORS]; /* of rings */
    BITS infinite[VECTORS];                    /* the last row whose x is not finite, or -1 */
};

/* Loads row j of each lane one by one. Rows that do not exist are those of the ring, or else 0. */
static void NAME(load_apart)(const GROUP *g, const PLACE *p, const REAL *array, int64_t j, int v,
                             NUMBERS *to)
{
    *to = NAME(broadcast)(0);
    if (g->c->b.periodic)
        j = (j + g->n) % g->n;
    for (int k = 0; k < W; k++)
        if (j >= 0 && j < g->rows[v * W + k])
            NAME(set_lane)(to, k, array + (p->first[v * W + k] + j * p->stride) * REALS);
}
/* Loads the rows r of a vector, begin <= r < end, that lie at row `from` + r of each lane, by squares
 * of rows. Returns false if there is no square with these rows. */
LANES_INLINE bool NAME(load_squares)(const GROUP *g, const PLACE *p, const REAL *array,
                                     int64_t from, int begin, int end, int v,
                                     NUMBERS to[ROWS][VECTORS])
{
    for (int r = begin; r < end; r += SQUARE) {
        /* the last square may begin before row r */
        int top = from + r + SQUARE <= g->shortest ? r : (int)(g->shortest - SQUARE - from);
        VEC m[W];
        if (from + top < 0)
            return false;
        LANES_UNROLL for (int k = 0; k < W; k++) m[k] =
            LANES(lanes_load)(array + (p->first[v * W + k] + from + top) * REALS);
        LANES(lanes_transpose)(m);
        LANES_UNROLL for (int i = 0; i < SQUARE; i++) if (top + i >= r && top + i < end)
            to[top + i][v] = NAME(row_of_square)(m, i);
    }
    return true;
}
/* Loads `count` rows of an array from row i + shift on, those of every vector. */
NOT_INLINE void NAME(load_rows)(const GROUP *g, const PLACE *p, const void *array_of, int shift,
                                int64_t i, int count, NUMBERS to[ROWS][VECTORS])
{
    const REAL *array = array_of;
    const int64_t from = i + shift, left = g->shortest - from;
    for (int v = 0; v < VECTORS; v++) {
        /* rows before `begin` and from `end` on do not exist in all lanes */
        int begin = from < 0 ? 1 : 0, end = left < count ? left > 0 ? (int)left : 0 : count;
        const REAL *row = array + (p->first[v * W] + from * p->stride) * REALS;
        const int64_t stride = p->stride * REALS;
        switch (p->access[v]) {
        case SAME:
            for (int r = begin; r < end; r++)
                to[r][v] = NAME(load_same)(row + r * stride);
            break;
        case NEIGHBOURS:
            for (int r = begin; r < end; r++)
                to[r][v] = NAME(load_neighbours)(row + r * stride);
            break;
        case ROWWISE:
            if (NAME(load_squares)(g, p, array, from, begin, end, v, to))
                break;
            __attribute__((fallthrough));
        default:
            end = begin;
        }
        for (int r = 0; r < begin; r++)
            NAME(load_apart)(g, p, array, from + r, v, &to[r][v]);
        for (int r = end; r < count; r++)
            NAME(load_apart)(g, p, array, from + r, v, &to[r][v]);
    }
}
/* Stores `count` rows of the kept lanes from row i on. */
NOT_INLINE void NAME(store_rows)(const GROUP *g, void *array_of, int64_t i, int count,
                                 NUMBERS from[ROWS][VECTORS], const BITS keep[VECTORS])
{
    const PLACE *p = &g->own;
    const int64_t stride = p->stride * REALS;
    for (int v = 0; v < VECTORS; v++) {
        REAL *array = array_of, *row = array + (p->first[v * W] + i * p->stride) * REALS;
        int r = 0;
        if (p->access[v] == NEIGHBOURS && !NAME(any)(~keep[v]))
            for (; r < count && i + r < g->shortest; r++)
                NAME(store_neighbours)(row + r * stride, from[r][v]);
        else if (p->access[v] == ROWWISE)
            for (; r + SQUARE <= count && i + r + SQUARE <= g->shortest; r += SQUARE) {
                VEC m[W];
                LANES_UNROLL for (int e = 0; e < SQUARE; e++)
                    NAME(set_row_of_square)(m, e, from[r + e][v]);
                LANES(lanes_transpose)(m);
                LANES_UNROLL for (int k = 0; k < W; k++) if (keep[v][k])
                    LANES(lanes_store)(array + (p->first[v * W + k] + i + r) * REALS, m[k]);
            }
        for (; r < count; r++)
            for (int k = 0; k < W; k++)
                if (keep[v][k] && i + r < g->rows[v * W + k])
                    NAME(get_lane)
        (from[r][v], k, array + (p->first[v * W + k] + (i + r) * p->stride) * REALS);
    }
}

/* ---- rows of the matrix ---- */

/* A system of one or two rows that is a ring is not one: its couplings come together. */
static void NAME(fold_ring)(int64_t n, NUMBERS m[ARRAYS][ROWS][VECTORS])
{
    const NUMBERS none = NAME(broadcast)(0);
    EACH_VECTOR
    {
        NUMBERS *sub = &m[SUB][0][v], *to = n == 1 ? &m[DIAG][0][v] : &m[SUPER][0][v],
                *super = &m[SUPER][n - 1][v], *last = n == 1 ? to : &m[SUB][1][v];
        *to = NAME(plus)(*to, *sub);
        *last = NAME(plus)(*last, *super);
        *sub = *super = none;
    }
}
/* Makes the rows behind a shorter system those of x = 0, and masks its last super. */
static void NAME(end_systems)(const GROUP *g, int64_t i, int count,
                              NUMBERS m[ARRAYS][ROWS][VECTORS])
{
    const REAL none[2] = {0, 0}, one[2] = {1, 0};
    for (int v = 0; v < VECTORS; v++)
        for (int k = 0; k < W; k++) {
            int64_t left = g->rows[v * W + k] - i;
            if (left > 0 && left <= count)
                NAME(set_lane)(&m[SUPER][left - 1][v], k, none);
            for (int64_t r = left > 0 ? left : 0; r < count; r++)
                for (int a = SUB; a < ARRAYS; a++)
                    NAME(set_lane)(&m[a][r][v], k, a == DIAG ? one : none);
        }
}
/* Loads `count` rows of the systems from row i on. */
NOT_INLINE void NAME(load_systems)(const GROUP *g, int64_t i, int count,
                                   NUMBERS m[ARRAYS][ROWS][VECTORS])
{
    const struct call *c = g->c;
    for (int a = SUB; a < ARRAYS; a++) {
        NAME(load_rows)(g, a < RHS ? &g->matrix : &g->own, c->in[a], c->shift[a], i, count, m[a]);
        for (int r = 0; COMPLEX && c->d && a < RHS && r < count; r++)
            EACH_VECTOR m[a][r][v] = NAME(conjugate)(m[a][r][v]);
    }
    if (c->b.periodic) {
        if (g->n <= 2)
            NAME(fold_ring)(g->n, m);
        return;
    }
    if (i == 0)
        EACH_VECTOR m[SUB][0][v] = NAME(broadcast)(0);
    if (g->shortest < g->n)
        NAME(end_systems)(g, i, count, m);
    else if (i + count == g->n)
        EACH_VECTOR m[SUPER][count - 1][v] = NAME(broadcast)(0);
}

/* ---- solutions ---- */

/* Adds rows of derivatives to those of the shared matrix. */
static void NAME(add_rows)(const GROUP *g, REAL *sums, int64_t i, int count,
                           NUMBERS rows[ROWS][VECTORS])
{
    const PLACE *p = &g->matrix;
    for (int v = 0; v < VECTORS; v++)
        for (int r = 0; r < count; r++) {
            NUMBERS row = rows[r][v];
            if (p->stride == 0) /* one element for all rows */
                for (; r + 1 < count; r++)
                    row = NAME(plus)(row, rows[r + 1][v]);
            if (p->access[v] == SAME) {
                REAL sum[2] = {0, 0};
                LANES_UNROLL for (int k = 0; k < W; k++) NAME(add_lane)(sum, row, k);
                for (int e = 0; e < REALS; e++)
                    sums[(p->first[v * W] + (i + r) * p->stride - g->sums_first) * REALS + e] +=
                        sum[e];
            } else
                for (int k = 0; k < W; k++)
                    NAME(add_lane)
            (sums + (p->first[v * W + k] + i + r - g->sums_first) * REALS, row, k);
        }
}
/* The derivatives by the matrix in rows in which the adjoint system has the solution a. */
static void NAME(store_derivatives)(const GROUP *g, int64_t i, int count, NUMBERS a[ROWS][VECTORS],
                                    const BITS keep[VECTORS])
{
    const struct call *c = g->c;
    const struct tridiagonal_batch *b = &c->b;
    void *const to[] = {c->d->dsub, c->d->ddiag, c->d->dsuper};
    const NUMBERS none = NAME(broadcast)(0);
    for (int e = 0; e < 3; e++) {
        NUMBERS x[ROWS][VECTORS], rhs[ROWS][VECTORS];
        if (!to[e])
            continue;
        NAME(load_rows)(g, &g->own, b->x, e - 1, i, count, x);
        if (b->crank_nicolson) /* x + rhs = 2 A^-1 rhs */
            NAME(load_rows)(g, &g->own, b->rhs, e - 1, i, count, rhs);
        for (int r = 0; r < count; r++)
            EACH_VECTOR
            {
                NUMBERS y = b->crank_nicolson ? NAME(plus)(x[r][v], rhs[r][v]) : x[r][v];
                y = NAME(neg_mul_add)(none, a[r][v], NAME(conjugate)(y));
                x[r][v] = c->shared ? NAME(select)(keep[v], y, none) : y;
            }
        if (c->shared)
            NAME(add_rows)(g, g->sums[e], i, count, x);
        else
            NAME(store_rows)(g, to[e], i, count, x, keep);
    }
}
/* Stores what the call computes from the solution x in rows of the kept lanes. `wrong` is NaN in
 * lanes in which an x of these rows, or of rows below, is not finite. */
NOT_INLINE void NAME(finish_rows)(GROUP *g, int64_t i, int count, NUMBERS x[ROWS][VECTORS],
                                  const VEC wrong[VECTORS], const BITS keep[VECTORS])
{
    const struct call *c = g->c;
    NUMBERS rhs[ROWS][VECTORS];
    EACH_VECTOR if (NAME(any)((wrong[v] != 0) & (g->infinite[v] < 0))) for (int r = 0; r < count;
                                                                            r++)
    {
        BITS here = (NAME(zero_if_finite)(x[r][v]) != 0) & (g->infinite[v] < (INTEGER)(i + r));
        g->infinite[v] = (g->infinite[v] & ~here) | (((BITS){0} + (INTEGER)(i + r)) & here);
    }
    if (c->b.crank_nicolson)
        NAME(load_rows)(g, &g->own, c->in[RHS], 0, i, count, rhs);
    if (c->d)
        NAME(store_derivatives)(g, i, count, x, keep);
    for (int r = 0; c->b.crank_nicolson && r < count; r++)
        EACH_VECTOR x[r][v] = NAME(minus)(NAME(plus)(x[r][v], x[r][v]), rhs[r][v]);
    NAME(store_rows)(g, c->x, i, count, x, keep);
}
