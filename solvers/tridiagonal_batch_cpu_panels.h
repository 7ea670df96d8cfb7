/* Panels of systems side by side, for tridiagonal_batch_cpu.h. A group of interleaved systems
 * reads some bytes of each row, and the next row is far away. From memory that is slow. So a panel
 * of many vectors is solved row by row, without pivoting: each row of the panel is one stretch of
 * memory. Each lane computes what plain_down() and plain_up() compute. */

/* Bytes of the workspace of a panel: what is found, the row below, and the factors of n rows. */
static size_t NAME(panel_bytes)(int64_t n, int64_t systems)
{
    const size_t vector = 3 * sizeof(VEC) + (size_t)(2 * n + 1) * sizeof(NUMBERS);
    return ((size_t)(systems / W) * vector + 63) / 64 * 64;
}

/* Eliminates a row of `vectors` vectors. `top` and `last` are known to the compiler: a branch
 * between a product and its sum would prevent a fused multiply-add. */
LANES_INLINE void NAME(panel_row)(const REAL *const row[ARRAYS], int64_t vectors, const bool top,
                                  const bool last, VEC *range, VEC *growth, NUMBERS *factors)
{
    const NUMBERS none = NAME(broadcast)(0), *above = factors - 2 * vectors;
    for (int64_t v = 0; v < vectors; v++) {
        const int64_t k = v * W * REALS;
        NUMBERS sub = top ? none : NAME(load_neighbours)(row[SUB] + k),
                super = last ? none : NAME(load_neighbours)(row[SUPER] + k),
                diag = NAME(load_neighbours)(row[DIAG] + k),
                rhs = NAME(load_neighbours)(row[RHS] + k), c = top ? none : above[v],
                d = top ? none : above[vectors + v],
                q = NAME(inverse_in_range)(NAME(neg_mul_add)(diag, sub, c), &range[v]);
        factors[v] = NAME(times)(super, q);
        factors[vectors + v] = NAME(times)(NAME(neg_mul_add)(rhs, sub, d), q);
        growth[v] = NAME(larger_size)(growth[v], factors[v]);
    }
}
/* Sweeps down the rows that begin at element `first`. Returns whether all lanes may be solved. */
static bool NAME(panel_down)(const struct call *c, int64_t first, int64_t vectors, VEC *found,
                             NUMBERS *factors)
{
    const struct tridiagonal_batch *b = &c->b;
    VEC *range = found, *growth = found + vectors, *most = found + 2 * vectors;
    memset(found, 0, (size_t)(3 * vectors) * sizeof *found);
    for (int64_t i = 0; i < b->n; i++, factors += 2 * vectors) {
        const REAL *row[ARRAYS];
        for (int a = SUB; a < ARRAYS; a++)
            row[a] = (const REAL *)c->in[a] + (first + i * b->row_stride) * REALS;
        const bool last = i == b->n - 1;
        if (i == 0 && last)
            NAME(panel_row)(row, vectors, true, true, range, growth, factors);
        else if (i == 0)
            NAME(panel_row)(row, vectors, true, false, range, growth, factors);
        else if (last)
            NAME(panel_row)(row, vectors, false, true, range, growth, factors);
        else
            NAME(panel_row)(row, vectors, false, false, range, growth, factors);
        if (last || i % ROWS == ROWS - 1)
            for (int64_t v = 0; v < vectors; v++)
                most[v] = NAME(larger_part)(most[v], factors[vectors + v]);
    }
    bool all = true;
    for (int64_t v = 0; v < vectors; v++) {
        struct NAME(found) f = {range[v], most[v], growth[v], {0}, {0}, {0}};
        BITS ok, zero;
        f.last = NAME(zero_if_finite)(factors[v - vectors]);
        NAME(judge)(f, b->pivot == TRIDIAGONAL_PIVOT_AUTO, &ok, &zero);
        all = all && !NAME(any)(~ok);
    }
    return all;
}
/* Sweeps up. `below` becomes the first row of x. */
static void NAME(panel_up)(const struct call *c, int64_t first, int64_t vectors, NUMBERS *below,
                           const NUMBERS *factors)
{
    memset(below, 0, (size_t)vectors * sizeof *below);
    for (int64_t i = c->b.n - 1; i >= 0; i--) {
        REAL *x = (REAL *)c->x + (first + i * c->b.row_stride) * REALS;
        const NUMBERS *row = factors + i * 2 * vectors;
        for (int64_t v = 0; v < vectors; v++) {
            below[v] = NAME(neg_mul_add)(row[vectors + v], row[v], below[v]);
            NAME(store_neighbours)(x + v * W * REALS, below[v]);
        }
    }
}
/* Solves the systems from number `system` on. Returns false if some may need another attempt; then
 * x is not written. *broken: one more for each system that broke down. */
static bool NAME(solve_panel)(const struct call *c, int64_t system, int64_t vectors, VEC *work,
                              long long *broken)
{
    const struct tridiagonal_batch *b = &c->b;
    const int64_t first = system / b->inner * b->plane_stride + system % b->inner;
    NUMBERS *below = (NUMBERS *)(work + 3 * vectors), *factors = below + vectors;
    if (!NAME(panel_down)(c, first, vectors, work, factors))
        return false;
    NAME(panel_up)(c, first, vectors, below, factors);
    for (int64_t k = 0; k < vectors * W; k++) {
        int status = 0;
        if (NAME(zero_if_finite)(below[k / W])[k % W] != 0) { /* it reaches x_0 */
            const REAL *x = (const REAL *)c->x + (first + k) * REALS;
            int64_t i = b->n - 1;
            for (; i > 0; i--) {
                const REAL *at = x + i * b->row_stride * REALS;
                if (at[0] - at[0] != 0 || at[REALS - 1] - at[REALS - 1] != 0)
                    break;
            }
            status = 1 + (int)i;
        }
        *broken += status != 0;
        if (b->status)
            b->status[system + k] = status;
    }
    return true;
}
