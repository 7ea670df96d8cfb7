/* Thomas with systems as the lanes of one core, for one precision, REAL: W systems at once, row r
 * of all a vector. A chain waits for its one division a row; the rows to come are loaded and
 * transposed meanwhile. (Two vectors of systems side by side fill the wait better, but walk through
 * twice as many arrays at once, which caches and prefetchers cannot follow: slower for systems that
 * are not short.) */

#define VEC NAME(lanes_vec)
#define W   NAME(LANES)

/* Rows row … row + W - 1 of systems that begin at a[system[k]]: m[i][k] is row i of lane k. */
LANES_INLINE void NAME(load_rows)(const REAL *a, const int64_t system[W], int64_t row, VEC m[W])
{
    LANES_UNROLL for (int k = 0; k < W; k++) m[k] = NAME(lanes_load)(a + system[k] + row);
    NAME(lanes_transpose)(m);
}

/* The reverse; m is destroyed. */
LANES_INLINE void NAME(store_rows)(REAL *x, const int64_t system[W], int64_t row, VEC m[W])
{
    NAME(lanes_transpose)(m);
    LANES_UNROLL for (int k = 0; k < W; k++) NAME(lanes_store)(x + system[k] + row, m[k]);
}

/* What elimination carries from row to row. */
struct NAME(chain) {
    VEC alpha, beta;
    VEC doubt; /* sum of (term/pivot)^2: large or NaN where a pivot may have failed */
};

/* Row i of rows (sub, diag, super, rhs), by the arithmetic of thomas(). */
LANES_INLINE void NAME(eliminate)(struct NAME(chain) * c, VEC rows[4][W], int i, VEC kept[2])
{
    VEC pivot = rows[1][i] + rows[0][i] * c->alpha, inverse = 1 / pivot;
    VEC growth = (pivot - rows[1][i]) * inverse;
    c->doubt += growth * growth;
    kept[0] = c->alpha = -rows[2][i] * inverse;
    kept[1] = c->beta = (rows[3][i] - rows[0][i] * c->beta) * inverse;
}

/* Systems first … first + count - 1, 1 <= count <= W <= n, in squares of W rows; the last square
 * ends at row n and so may begin inside the one before. Lanes beyond count repeat the last system.
 * kept: alpha and beta, 2 n vectors. */
static void NAME(group)(const struct cpu_batch *s, int64_t first, int64_t count, VEC *kept)
{
    enum { STREAMS = 4 * W, X_AHEAD = 8 };
    const REAL *in[4] = {s->sub, s->diag, s->super, s->rhs};
    REAL *x = s->x;
    int64_t n = s->n, last = (n - 1) / W * W, system[W];
    VEC squares[2][4][W], (*now)[W] = squares[0], (*then)[W] = squares[1];
    struct NAME(chain) c = {{0}, {0}, {0}};
    for (int k = 0; k < W; k++)
        system[k] = (first + (k < count ? k : count - 1)) * n;
    for (int a = 0; a < 4; a++)
        NAME(load_rows)(in[a], system, 0, now[a]);
    now[0][0] = c.alpha; /* the first sub may be anything, here it is 0 */
    for (int64_t row = 0; row < last; row += W) {
        int64_t next = row + W < n - W ? row + W : n - W;
        LANES_UNROLL for (int i = 0; i < W; i++)
        {
            NAME(eliminate)(&c, now, i, kept + 2 * (row + i));
            LANES_UNROLL for (int a = i * 4 / W; a < (i + 1) * 4 / W; a++)
                NAME(load_rows)(in[a], system, next, then[a]);
            /* Too many streams for the hardware to follow: at each row a few lines of one are
             * called, at STREAMS rows of all. Behind the end of a system comes the one of this lane
             * in the next group. */
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
        NAME(eliminate)(&c, now, (int)(i - (n - W)), kept + 2 * i);

    VEC m[W], value = kept[2 * (n - 1) + 1];
    m[W - 1] = value;
    for (int64_t i = n - 2; i >= n - W; i--)
        m[i - (n - W)] = value = kept[2 * i] * value + kept[2 * i + 1];
    value = m[last - (n - W)];
    NAME(store_rows)(x, system, n - W, m);
    for (int64_t row = last - W; row >= 0; row -= W) {
        const VEC *at = kept + 2 * row;
        LANES_UNROLL for (int i = W - 1; i >= 0; i--) m[i] = value =
            at[2 * i] * value + at[2 * i + 1];
        NAME(store_rows)(x, system, row, m);
        LANES_UNROLL for (int k = 0; k < W; k++)
            lanes_fetch((uintptr_t)(x + system[k] + row) - X_AHEAD * LANES_BYTES, 1, 1);
    }
    /* A pivot that fails is at most EPSILON times its terms, so growth at least 1/(2 EPSILON), or
     * not finite. */
    for (int k = 0; k < count; k++)
        if (c.doubt[k] < 1 / (16 * EPSILON * EPSILON))
            s->status[first + k] = 0;
        else
            NAME(thomas)(s, first + k, kept);
}

/* Systems first … end - 1, with the work of one core. */
static void NAME(lanes)(const struct cpu_batch *s, int64_t first, int64_t end, void *work)
{
    VEC *kept = (VEC *)(((uintptr_t)work + LANES_BYTES - 1) / LANES_BYTES * LANES_BYTES);
    for (int64_t k = first; k < end; k += W) {
        int64_t count = end - k < W ? end - k : W;
        if (s->n >= W && count > ALONE(W))
            NAME(group)(s, k, count, kept);
        else
            for (int64_t i = k; i < k + count; i++)
                NAME(thomas)(s, i, work);
    }
}
#undef VEC
#undef W
