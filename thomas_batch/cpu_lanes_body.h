/* Thomas on SIMD lanes, in the precision REAL: row r of W systems is one vector. The next rows are
 * loaded and transposed while the elimination waits for a division. Two groups at once would read
 * more arrays than caches and prefetchers follow. */

#define VEC NAME(lanes_vec)
#define W   NAME(LANES)

/* Lane k of m[i] becomes row `row` + i of the system that begins at a[system[k]]. */
LANES_INLINE void NAME(load_rows)(const REAL *a, const int64_t system[W], int64_t row, VEC m[W])
{
    LANES_UNROLL for (int k = 0; k < W; k++) m[k] = NAME(lanes_load)(a + system[k] + row);
    NAME(lanes_transpose)(m);
}

/* Stores m as rows of x; the reverse of load_rows(). Overwrites m. */
LANES_INLINE void NAME(store_rows)(REAL *x, const int64_t system[W], int64_t row, VEC m[W])
{
    NAME(lanes_transpose)(m);
    LANES_UNROLL for (int k = 0; k < W; k++) NAME(lanes_store)(x + system[k] + row, m[k]);
}

/* The values that the elimination of a row needs from the previous row. */
struct NAME(chain) {
    VEC alpha, beta;
    VEC growth; /* sum of (term/pivot)^2 over all rows; large or NaN if a pivot may have failed */
};

/* Eliminates row i of `rows` with the same arithmetic as thomas(). `factors`: alpha and beta. */
LANES_INLINE void NAME(eliminate)(struct NAME(chain) * c, VEC rows[4][W], int i, VEC factors[2])
{
    VEC pivot = rows[1][i] + rows[0][i] * c->alpha, inverse = 1 / pivot;
    VEC ratio = (pivot - rows[1][i]) * inverse;
    c->growth += ratio * ratio;
    factors[0] = c->alpha = -rows[2][i] * inverse;
    factors[1] = c->beta = (rows[3][i] - rows[0][i] * c->beta) * inverse;
}

/* Substitutes alpha and beta of the n rows in `factors`, and stores x. */
LANES_INLINE void NAME(back_substitute)(REAL *x, const int64_t system[W], int64_t n,
                                        const VEC *factors)
{
    enum { X_AHEAD = 8 };
    int64_t last = (n - 1) / W * W;
    VEC m[W], value = factors[2 * (n - 1) + 1];
    m[W - 1] = value;
    for (int64_t i = n - 2; i >= n - W; i--)
        m[i - (n - W)] = value = factors[2 * i] * value + factors[2 * i + 1];
    value = m[last - (n - W)];
    NAME(store_rows)(x, system, n - W, m);
    for (int64_t row = last - W; row >= 0; row -= W) {
        const VEC *at = factors + 2 * row;
        LANES_UNROLL for (int i = W - 1; i >= 0; i--) m[i] = value =
            at[2 * i] * value + at[2 * i + 1];
        NAME(store_rows)(x, system, row, m);
        LANES_UNROLL for (int k = 0; k < W; k++)
            lanes_fetch((uintptr_t)(x + system[k] + row) - X_AHEAD * LANES_BYTES, 1, 1);
    }
}

/* Solves `count` systems from `first` on, 1 <= count <= W <= n; further lanes solve the last system
 * again. Rows are loaded in squares of W rows by W lanes. The last square ends with row n - 1, so
 * it may overlap the previous one. `factors`: 2 n vectors, alpha and beta of each row. */
static void NAME(group)(const struct cpu_batch *s, int64_t first, int64_t count, VEC *factors)
{
    enum { STREAMS = 4 * W };
    const REAL *in[4] = {s->sub, s->diag, s->super, s->rhs};
    int64_t n = s->n, last = (n - 1) / W * W, system[W];
    VEC squares[2][4][W], (*now)[W] = squares[0], (*then)[W] = squares[1];
    struct NAME(chain) c = {{0}, {0}, {0}};
    for (int k = 0; k < W; k++)
        system[k] = (first + (k < count ? k : count - 1)) * n;
    for (int a = 0; a < 4; a++)
        NAME(load_rows)(in[a], system, 0, now[a]);
    now[0][0] = c.alpha; /* c.alpha is 0: the first sub has no effect, whatever memory contains */
    for (int64_t row = 0; row < last; row += W) {
        int64_t next = row + W < n - W ? row + W : n - W;
        LANES_UNROLL for (int i = 0; i < W; i++)
        {
            NAME(eliminate)(&c, now, i, factors + 2 * (row + i));
            LANES_UNROLL for (int a = i * 4 / W; a < (i + 1) * 4 / W; a++)
                NAME(load_rows)(in[a], system, next, then[a]);
            /* The loop reads STREAMS arrays at once, more than hardware prefetchers follow. So each
             * row prefetches the next cache lines of one array, and after STREAMS rows all arrays
             * have been prefetched. Beyond the end of its system a lane prefetches the system that
             * it solves in the next group. */
            int stream = (int)((row + i) % STREAMS);
            int64_t ahead = row + i - stream + STREAMS;
            const REAL *line =
                in[stream / W] + system[stream % W] + ahead + (ahead < n ? 0 : (W - 1) * n);
            lanes_fetch((uintptr_t)line,
                        (STREAMS * (int)sizeof(REAL) + LANES_LINE - 1) / LANES_LINE, 0);
        }
        VEC(*done)[W] = now;
        now = then;
        then = done;
    }
    for (int64_t i = last; i < n; i++)
        NAME(eliminate)(&c, now, (int)(i - (n - W)), factors + 2 * i);
    NAME(back_substitute)(s->x, system, n, factors);
    /* A pivot fails if it is at most EPSILON (|diag| + |term|), where the sum is about 2 |term|.
     * Then |term/pivot| is at least about 1/(2 EPSILON), or NaN. The limit is a quarter of its
     * square. Above it thomas() solves the system again and reports the row. */
    for (int k = 0; k < count; k++)
        if (c.growth[k] < 1 / (16 * EPSILON * EPSILON))
            s->status[first + k] = 0;
        else
            NAME(thomas)(s, first + k, factors);
}

/* Solves the systems from `first` to end - 1. `work` is the workspace of one core. */
static void NAME(lanes)(const struct cpu_batch *s, int64_t first, int64_t end, void *work)
{
    VEC *factors = (VEC *)(((uintptr_t)work + LANES_BYTES - 1) / LANES_BYTES * LANES_BYTES);
    for (int64_t k = first; k < end; k += W) {
        int64_t count = end - k < W ? end - k : W;
        if (s->n >= W && count > few_systems(W))
            NAME(group)(s, k, count, factors);
        else
            for (int64_t i = k; i < k + count; i++)
                NAME(thomas)(s, i, work);
    }
}
#undef VEC
#undef W
