/* The attempt without pivoting of tridiagonal_batch_cpu.h: the Thomas algorithm in every lane, with
 * one division a row. Row i becomes
 *
 *     x_i + c_i x_{i+1} = d_i,                      c_i = super_i / pivot_i
 *
 * and in a ring, whose row 0 is carried down and gives x_0 in the end,
 *
 *     x_i + c_i x_{i+1} + e_i x_0 = d_i,            u x_i + ... = ...   (the carried row)
 *
 * The certificate of AUTO. The attempt factors the matrix into A = L U, where row i of L has sub_i and
 * pivot_i, and row i of U has 1 and c_i. So |L||U| exceeds |A| only on the diagonal, where it is at
 * most |diag_i| + 2 |sub_i c_{i-1}|. The backward error of a row is a few units of roundoff of this
 * row of |L||U| (Higham, Accuracy and Stability of Numerical Algorithms, 9.3). So it is small if no
 * |c_i| exceeds GROWTH_MOST, whatever the pivots are. Rows that are dominant have |c_i| <= 1. In a
 * ring no |e_i| may exceed it either, and the sum of the |u| is bounded, because each step adds its
 * rounding error to the carried row. */

/* The larger one in every lane of `most` and the size of a */
LANES_INLINE VEC NAME(larger_size)(VEC most, NUMBERS a)
{
    return NAME(largest)(most, NAME(size)(a));
}

/* What a sweep down finds, in every lane */
struct NAME(found) {
    VEC range, most;  /* inverse_in_range(); the largest part of a |d| */
    VEC growth, flow; /* the largest |c| and |e|; in a ring, the sum of the |u| */
    VEC scale;        /* of the carried row: the sum of its coefficients */
    VEC last;         /* 0 if the last d is finite, else NaN: what is not finite reaches it */
};

/* Sets *ok to the lanes that are solved, and *zero to those that are unless some rhs is not 0: all d
 * are so small that results flushed to zero may matter (LEAST), or 0. */
LANES_INLINE void NAME(judge)(struct NAME(found) f, bool is_auto, BITS *ok, BITS *zero)
{
    VEC ratio = f.most / LEAST;
    BITS sound = (f.range <= 1 / LEAST) & (f.last == 0);
    if (is_auto)
        sound &= (f.growth <= GROWTH_MOST) & (f.flow <= RING_GROWTH_MOST * f.scale);
    BITS large = (ratio >= 1) & (ratio * ratio >= f.range);
    *ok = sound & large;
    *zero = sound & ~large;
}

LANES_INLINE void NAME(plain_down)(GROUP *g, BITS ok[VECTORS], BITS zero[VECTORS],
                                   const int vectors, const bool ring)
{
    enum { FIELDS = 2 + 1 };
    const NUMBERS none = NAME(broadcast)(0);
    const int fields = ring ? FIELDS : FIELDS - 1;
    NUMBERS m[ARRAYS][ROWS][VECTORS], c[VECTORS], d[VECTORS], e[VECTORS], *to = g->work;
    /* of the carried row; n products are subtracted from first and rhs */
    NUMBERS u[VECTORS], left[VECTORS], first[VECTORS], rhs[VECTORS], low[2][VECTORS];
    struct NAME(found) f[VECTORS] = {{{0}, {0}, {0}, {0}, {0}, {0}}};
    EACH_VECTOR
    {
        c[v] = d[v] = u[v] = left[v] = first[v] = rhs[v] = low[0][v] = low[1][v] = none;
        e[v] = NAME(broadcast)(-1); /* x_0 = x_0 takes the place of the carried row */
    }
    for (int64_t i = 0; i < g->n; i += ROWS) {
        int count = NAME(block_rows)(g->n, i), r = 0;
        NAME(load_systems)(g, i, count, m);
        NAME(fetch_solution)(g, i, vectors);
        if (ring && i == 0) {
            EACH_VECTOR
            {
                left[v] = m[SUB][0][v];
                first[v] = m[DIAG][0][v];
                u[v] = m[SUPER][0][v];
                rhs[v] = m[RHS][0][v];
                f[v].scale = NAME(size)(left[v]) + NAME(size)(first[v]) + NAME(size)(u[v]);
                to[v] = c[v];
                to[vectors + v] = d[v];
                to[2 * vectors + v] = e[v];
            }
            r = 1;
            to += fields * vectors;
        }
        for (; r < count; r++, to += fields * vectors) {
            const bool last = ring && i + r == g->n - 1;
            EACH_VECTOR
            {
                NUMBERS b = m[SUB][r][v], super = m[SUPER][r][v];
                NUMBERS q =
                    NAME(inverse_in_range)(NAME(neg_mul_add)(m[DIAG][r][v], b, c[v]), &f[v].range);
                c[v] = NAME(times)(last ? none : super, q);
                d[v] = NAME(times)(NAME(neg_mul_add)(m[RHS][r][v], b, d[v]), q);
                f[v].growth = NAME(larger_size)(f[v].growth, c[v]);
                to[v] = c[v];
                to[vectors + v] = d[v];
                if (ring) {
                    e[v] = NAME(times)(NAME(neg_mul_add)(last ? super : none, b, e[v]), q);
                    to[2 * vectors + v] = e[v];
                    f[v].growth = NAME(larger_size)(f[v].growth, e[v]);
                    f[v].flow += NAME(size)(u[v]);
                    if (last)
                        u[v] = NAME(plus)(u[v], left[v]);
                    NAME(subtract_product)(&first[v], &low[0][v], u[v], e[v]);
                    NAME(subtract_product)(&rhs[v], &low[1][v], u[v], d[v]);
                    u[v] = NAME(neg_mul_add)(none, u[v], c[v]);
                }
            }
        }
        EACH_VECTOR f[v].most = NAME(larger_part)(f[v].most, d[v]);
    }
    EACH_VECTOR
    {
        if (ring) {
            g->x_first[v] = d[v] =
                NAME(times)(rhs[v], NAME(inverse_in_range)(first[v], &f[v].range));
            f[v].most = NAME(larger_part)(f[v].most, d[v]);
        }
        f[v].last = NAME(zero_if_finite)(d[v]);
        NAME(judge)(f[v], g->c->b.pivot == TRIDIAGONAL_PIVOT_AUTO, &ok[v], &zero[v]);
    }
}
/* Finds x of row i from x of the row below, *x, and stores it in the kept lanes. */
LANES_INLINE void NAME(plain_up)(GROUP *g, const BITS keep[VECTORS], const int vectors,
                                 const bool ring)
{
    const int fields = ring ? 3 : 2;
    NUMBERS x[VECTORS], out[ROWS][VECTORS];
    EACH_VECTOR x[v] = NAME(broadcast)(0);
    for (int64_t i = (g->n - 1) / ROWS * ROWS; i >= 0; i -= ROWS) {
        int count = NAME(block_rows)(g->n, i);
        for (int r = count - 1; r >= 0; r--) {
            const NUMBERS *from = g->work + (i + r) * fields * vectors;
            EACH_VECTOR
            {
                x[v] = NAME(neg_mul_add)(from[vectors + v], from[v], x[v]);
                if (ring)
                    x[v] = NAME(neg_mul_add)(x[v], from[2 * vectors + v], g->x_first[v]);
                out[r][v] = x[v];
            }
        }
        VEC wrong[VECTORS];
        EACH_VECTOR wrong[v] = NAME(zero_if_finite)(x[v]);
        NAME(finish_rows)(g, i, count, out, wrong, keep);
    }
}
NOT_INLINE void NAME(down_plain)(GROUP *g, BITS ok[VECTORS], BITS zero[VECTORS])
{
    if (g->c->ring)
        NAME(plain_down)(g, ok, zero, VECTORS, true);
    else if (g->vectors > 1)
        NAME(plain_down)(g, ok, zero, VECTORS, false);
    else
        NAME(plain_down)(g, ok, zero, 1, false);
}
NOT_INLINE void NAME(up_plain)(GROUP *g, const BITS keep[VECTORS])
{
    if (g->c->ring)
        NAME(plain_up)(g, keep, VECTORS, true);
    else if (g->vectors > 1)
        NAME(plain_up)(g, keep, VECTORS, false);
    else
        NAME(plain_up)(g, keep, 1, false);
}
