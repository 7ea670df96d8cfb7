/* Blocks of rows for tridiagonal_batch_cpu.h: a vector has the same row of W systems. How it is
 * loaded and stored depends on where the elements are. */

/* cache lines of the elements of a row, if they are neighbours */
enum { NAME(LINES) = (GROUP_LANES * REALS * (int)sizeof(REAL) + LANES_LINE - 1) / LANES_LINE };

/* ---- groups ---- */

/* Where the systems of a group have their elements in an array: row i is at first + i * stride. */
struct NAME(place) {
    int64_t first[GROUP_LANES], stride;
    enum access access[VECTORS], all; /* all: if it is the same for all lanes, else APART */
    int64_t step;                     /* all = ROWWISE: from lane to lane */
};
struct NAME(group) {
    const struct call *c;
    int vectors;                            /* VECTORS, or 1 in a narrow group */
    int64_t system;                         /* the first one */
    int count;                              /* of systems; the other lanes repeat the last one */
    int64_t rows[GROUP_LANES], n, shortest; /* rows of each system, of the longest and shortest */
    PLACE own, matrix;
    NUMBERS *work;
    REAL *sums[3]; /* the derivatives of a shared matrix, from element `sums_first` on */
    int64_t sums_first;
    BITS shift[VECTORS];      /* the checked attempt solves for 2^-shift x */
    NUMBERS x_first[VECTORS]; /* of rings without pivoting */
    BITS infinite[VECTORS];   /* a row whose x is not finite, or -1 */
};

/* The rows of a block from row i on, of n rows */
static int NAME(block_rows)(int64_t n, int64_t i)
{
    return n - i < ROWS ? (int)(n - i) : ROWS;
}
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
/* Loads and stores of whole blocks, whose rows or lanes have the same distance. What is needed
 * later is prefetched: each row or lane is a stream of its own, too many for the hardware. */
LANES_INLINE void NAME(load_neighbour_rows)(const REAL *row, int64_t stride, const REAL *next,
                                            NUMBERS to[ROWS][VECTORS])
{
    const int vectors = VECTORS;
    LANES_UNROLL for (int r = 0; r < ROWS; r++, row += stride, next += stride)
    {
        EACH_VECTOR to[r][v] = NAME(load_neighbours)(row + v * W * REALS);
        lanes_fetch((uintptr_t)next, NAME(LINES), 0);
    }
}
LANES_INLINE void NAME(load_block)(const REAL *lane, int64_t step, const REAL *next,
                                   int64_t next_step, int vectors, NUMBERS to[ROWS][VECTORS])
{
    for (int v = 0; v < vectors; v++, lane += W * step, next += W * next_step) {
        LANES_UNROLL for (int r = 0; r < ROWS; r += SQUARE)
        {
            VEC m[W];
            LANES(lanes_load_square)(lane + r * REALS, step, m);
            LANES_UNROLL for (int i = 0; i < SQUARE; i++) to[r + i][v] = NAME(row_of_square)(m, i);
        }
        LANES_UNROLL for (int k = 0; k < W; k++)
            lanes_fetch((uintptr_t)(next + k * next_step), BLOCK_LINES, 0);
    }
}
LANES_INLINE void NAME(store_neighbour_rows)(REAL *row, int64_t stride, NUMBERS from[ROWS][VECTORS])
{
    const int vectors = VECTORS;
    LANES_UNROLL for (int r = 0; r < ROWS; r++, row += stride)
    {
        EACH_VECTOR NAME(store_neighbours)(row + v * W * REALS, from[r][v]);
        lanes_fetch((uintptr_t)(row - ROWS * stride), NAME(LINES), 1);
    }
}
LANES_INLINE void NAME(store_block)(REAL *lane, int64_t step, int vectors, bool fetches,
                                    NUMBERS from[ROWS][VECTORS])
{
    for (int v = 0; v < vectors; v++, lane += W * step) {
        LANES_UNROLL for (int r = 0; r < ROWS; r += SQUARE)
        {
            VEC m[W];
            LANES_UNROLL for (int i = 0; i < SQUARE; i++)
                NAME(set_row_of_square)(m, i, from[r + i][v]);
            LANES(lanes_store_square)(lane + r * REALS, step, m);
        }
        if (fetches)
            LANES_UNROLL for (int k = 0; k < W; k++)
                lanes_fetch((uintptr_t)(lane + k * step - ROWS * REALS), BLOCK_LINES, 1);
    }
}
/* During the sweep down prefetches as many elements of x as a block has, in the order of memory. */
LANES_INLINE void NAME(fetch_solution)(const GROUP *g, int64_t i, int vectors)
{
    const REAL *x = (const REAL *)g->c->x + (g->own.first[0] + i * vectors * W) * REALS;
    if (g->c->fetches_x)
        for (int k = 0; k < vectors * W; k++)
            lanes_fetch((uintptr_t)(x + k * ROWS * REALS), BLOCK_LINES, 1);
}

/* Loads rows begin to end - 1 of a block, whose row 0 is row `from` of each lane, by squares of
 * rows. Returns false if there is no square with these rows. */
static bool NAME(load_squares)(const PLACE *p, const REAL *array, int64_t from, int begin, int end,
                               int v, NUMBERS to[ROWS][VECTORS])
{
    for (int r = begin; r < end; r += SQUARE) {
        VEC m[W];
        int top = r + SQUARE <= end ? r : end - SQUARE; /* the last square may begin before row r */
        if (from + top < 0)
            return false;
        LANES_UNROLL for (int k = 0; k < W; k++) m[k] =
            LANES(lanes_load)(array + (p->first[v * W + k] + from + top) * REALS);
        LANES(lanes_transpose)(m);
        LANES_UNROLL for (int i = 0; i < SQUARE; i++) if (top + i >= r) to[top + i][v] =
            NAME(row_of_square)(m, i);
    }
    return true;
}
/* Loads `count` rows of an array from row i + shift on, those of every vector. */
NOT_INLINE void NAME(load_rows)(const GROUP *g, const PLACE *p, const void *array_of, int shift,
                                int64_t i, int count, NUMBERS to[ROWS][VECTORS])
{
    const int64_t from = i + shift, left = g->shortest - from, stride = p->stride * REALS;
    const REAL *array = array_of, *first = array + (p->first[0] + from * p->stride) * REALS;
    if (count == ROWS && from >= 0 && left >= ROWS) {
        /* the next block, or the first block of the next group */
        const int64_t lanes = g->vectors * W, ahead = i + 2 * ROWS > g->n
                                                          ? p->step * lanes - from * p->stride
                                                          : ROWS * p->stride;
        const REAL *next = first + ahead * REALS;
        if (p->all == ROWWISE) {
            NAME(load_block)(first, p->step * REALS, next, p->step * REALS, g->vectors, to);
            return;
        }
        if (p->all == NEIGHBOURS) {
            NAME(load_neighbour_rows)(first, stride, next, to);
            return;
        }
    }
    /* rows before `begin` and from `end` on do not exist in all lanes */
    const int begin = from < 0 ? 1 : 0, end = left < count ? left > 0 ? (int)left : 0 : count;
    for (int v = 0; v < g->vectors; v++) {
        const REAL *row = array + (p->first[v * W] + from * p->stride) * REALS;
        int loaded = end;
        if (p->access[v] == SAME)
            for (int r = begin; r < end; r++)
                to[r][v] = NAME(load_same)(row + r * stride);
        else if (p->access[v] == NEIGHBOURS)
            for (int r = begin; r < end; r++)
                to[r][v] = NAME(load_neighbours)(row + r * stride);
        else if (p->access[v] != ROWWISE || !NAME(load_squares)(p, array, from, begin, end, v, to))
            loaded = begin;
        for (int r = 0; r < begin; r++)
            NAME(load_apart)(g, p, array, from + r, v, &to[r][v]);
        for (int r = loaded; r < count; r++)
            NAME(load_apart)(g, p, array, from + r, v, &to[r][v]);
    }
}
/* Stores `count` rows of the kept lanes from row i on. */
NOT_INLINE void NAME(store_rows)(const GROUP *g, void *array_of, int64_t i, int count,
                                 NUMBERS from[ROWS][VECTORS], const BITS keep[VECTORS])
{
    const PLACE *p = &g->own;
    const int64_t stride = p->stride * REALS;
    REAL *array = array_of, *first = array + (p->first[0] + i * p->stride) * REALS;
    BITS left_out = ~keep[0];
    for (int v = 1; v < g->vectors; v++)
        left_out |= ~keep[v];
    if (count == ROWS && i + ROWS <= g->shortest && p->all != APART && !NAME(any)(left_out)) {
        if (p->all == ROWWISE)
            NAME(store_block)(first, p->step * REALS, g->vectors, !g->c->fetches_x, from);
        else
            NAME(store_neighbour_rows)(first, stride, from);
        return;
    }
    for (int v = 0; v < g->vectors; v++) {
        REAL *row = array + (p->first[v * W] + i * p->stride) * REALS;
        int r = 0;
        if (p->access[v] == NEIGHBOURS && !NAME(any)(~keep[v]))
            for (; r < count && i + r < g->shortest; r++)
                NAME(store_neighbours)(row + r * stride, from[r][v]);
        for (; p->access[v] == ROWWISE && r + SQUARE <= count && i + r + SQUARE <= g->shortest;
             r += SQUARE) {
            VEC m[W];
            LANES_UNROLL for (int e = 0; e < SQUARE; e++)
                NAME(set_row_of_square)(m, e, from[r + e][v]);
            LANES(lanes_transpose)(m);
            for (int k = 0; k < W; k++)
                if (keep[v][k])
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
static void NAME(fold_ring)(int64_t n, int vectors, NUMBERS m[ARRAYS][ROWS][VECTORS])
{
    const NUMBERS none = NAME(broadcast)(0);
    FOR_VECTORS
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
    for (int v = 0; v < g->vectors; v++)
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
    const int vectors = g->vectors;
    for (int a = SUB; a < ARRAYS; a++) {
        NAME(load_rows)(g, a < RHS ? &g->matrix : &g->own, c->in[a], c->shift[a], i, count, m[a]);
        for (int r = 0; COMPLEX && c->d && a < RHS && r < count; r++)
            FOR_VECTORS m[a][r][v] = NAME(conjugate)(m[a][r][v]);
    }
    if (c->b.periodic) {
        if (g->n <= 2)
            NAME(fold_ring)(g->n, vectors, m);
        return;
    }
    if (i == 0)
        FOR_VECTORS m[SUB][0][v] = NAME(broadcast)(0);
    if (g->shortest < g->n)
        NAME(end_systems)(g, i, count, m);
    else if (i + count == g->n)
        FOR_VECTORS m[SUPER][count - 1][v] = NAME(broadcast)(0);
}

/* ---- solutions ---- */

/* Adds rows of derivatives to those of the shared matrix. */
static void NAME(add_rows)(const GROUP *g, REAL *sums, int64_t i, int count,
                           NUMBERS rows[ROWS][VECTORS])
{
    const PLACE *p = &g->matrix;
    for (int v = 0; v < g->vectors; v++)
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
    const int vectors = g->vectors;
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
            FOR_VECTORS
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
    const int vectors = g->vectors;
    NUMBERS rhs[ROWS][VECTORS];
    FOR_VECTORS if (NAME(any)((wrong[v] != 0) & (g->infinite[v] < 0))) for (int r = 0; r < count;
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
        FOR_VECTORS x[r][v] = NAME(minus)(NAME(plus)(x[r][v], x[r][v]), rhs[r][v]);
    NAME(store_rows)(g, c->x, i, count, x, keep);
}
