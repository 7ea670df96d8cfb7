/* The method of filter_cpu.c for one type of numbers: REAL, VEC of W lanes, and NAME. */

struct NAME(tables) {
    int sections, order;
    REAL b[FILTER_STATES_MOST][FILTER_STATES_MOST + 1],
        minus_a[FILTER_STATES_MOST][FILTER_STATES_MOST + 1];
    bool allowed[LEVELS]; /* the lanes may share a sequence by powers[level] (filter_cpu.h) */
    /* Column j of the power of the state's matrix over lane_elements(level) elements */
    REAL powers[LEVELS][FILTER_STATES_MOST][FILTER_STATES_MOST];
};

/* `shared`: the lanes share some of the sequences. */
static void NAME(make)(const struct host_filter *f, bool shared, struct NAME(tables) * t)
{
    const int states = f->sections * f->order;
    t->sections = f->sections, t->order = f->order;
    for (int n = 0; n < f->sections; n++)
        for (int i = 0; i <= f->order; i++) {
            t->b[n][i] = (REAL)f->b[n][i];
            t->minus_a[n][i] = (REAL)-f->a[n][i];
        }
    memset(t->allowed, 0, sizeof t->allowed);
    if (!shared)
        return;
    struct host_matrix m = matrix_of(f);
    for (int exponent = 1; exponent < LANE_LEAST; exponent *= 2)
        m = product_of(f, &m, &m);
    for (int level = 0; level < LEVELS; level++) {
        if (level > 0)
            m = product_of(f, &m, &m);
        t->allowed[level] = (states + 2) * (norm_of(&m) + 1) <= lane_elements(level);
        for (int j = 0; j < states; j++)
            for (int i = 0; i < states; i++)
                t->powers[level][j][i] = (REAL)m.at[i][j];
    }
}

/* `count` rows of one section, in place. z: its state before them and after them. */
LANES_INLINE void NAME(section)(int order, const REAL *b, const REAL *minus_a, VEC *state,
                                VEC *rows, int count)
{
    VEC z[FILTER_STATES_MOST];
    LANES_UNROLL for (int i = 0; i < order; i++) z[i] = state[i];
    for (int r = 0; r < count; r++) {
        const VEC x = rows[r], y = b[0] * x + z[0];
        LANES_UNROLL for (int i = 0; i + 1 < order; i++) z[i] =
            minus_a[i + 1] * y + (b[i + 1] * x + z[i + 1]);
        z[order - 1] = minus_a[order] * y + b[order] * x;
        rows[r] = y;
    }
    LANES_UNROLL for (int i = 0; i < order; i++) state[i] = z[i];
}
/* All sections */
LANES_INLINE void NAME(cascade)(const struct NAME(tables) * t, VEC *state, VEC *rows, int count)
{
    for (int n = 0; n < t->sections; n++)
        switch (t->order) {
#define ORDER(k)                                                                                   \
    case k:                                                                                        \
        NAME(section)(k, t->b[n], t->minus_a[n], state + k * n, rows, count);                      \
        break;
            ORDER(1)
            ORDER(2)
            ORDER(4)
            ORDER(8)
#undef ORDER
        }
}

/* A sequence of `length` elements in each of the first `count` lanes, each `stride` elements after
 * the one before it. y NULL: only the states. next: the address of what to prefetch, of this
 * shape, or 0: the lanes of a block are too many streams for the hardware. */
static void NAME(filter_lanes)(const struct NAME(tables) * t, const REAL *x, REAL *y,
                               int64_t stride, int64_t length, int count, uintptr_t next,
                               VEC *state)
{
    VEC rows[W];
    int64_t done = 0;
    for (; count == W && done + W <= length; done += W) {
        for (int k = 0; next && k < W; k++)
            lanes_fetch(next + sizeof(REAL) * (uintptr_t)(k * stride + done), 1, 0);
        NAME(lanes_load_square)(x + done, stride, rows);
        NAME(cascade)(t, state, rows, W);
        if (y)
            NAME(lanes_store_square)(y + done, stride, rows);
    }
    for (int some; done < length; done += some) {
        some = length - done < W ? (int)(length - done) : W;
        for (int r = 0; r < some; r++) {
            rows[r] = x[done + r] + (VEC){0}; /* quicker than to store lane 0 alone */
            for (int k = 1; k < count; k++)
                rows[r][k] = x[k * stride + done + r];
        }
        NAME(cascade)(t, state, rows, some);
        for (int r = 0; r < some && y; r++)
            for (int k = 0; k < count; k++)
                y[k * stride + done + r] = rows[r][k];
    }
}

/* The lanes share W lane_elements(level) elements of one sequence, by P-scheme. Lane 0 of `state`
 * is the state before them, then the one after them. */
static void NAME(filter_block)(const struct NAME(tables) * t, int level, const REAL *x, REAL *y,
                               VEC *state)
{
    const int states = t->sections * t->order, elements = lane_elements(level);
    const uintptr_t next = (uintptr_t)x + sizeof(REAL) * (uintptr_t)(W * elements);
    VEC v[FILTER_STATES_MOST] = {{0}};
    REAL before[FILTER_STATES_MOST];
    /* Pre-computation: the states after each lane's elements if those before them are 0 */
    NAME(filter_lanes)(t, x, NULL, elements, elements, W, (uintptr_t)y, v);
    for (int i = 0; i < states; i++)
        before[i] = state[i][0];
    for (int k = 0; k < W; k++) { /* propagation */
        REAL after[FILTER_STATES_MOST];
        for (int i = 0; i < states; i++)
            after[i] = v[i][k];
        for (int j = 0; j < states; j++)
            for (int i = 0; i < states; i++)
                after[i] += t->powers[level][j][i] * before[j];
        for (int i = 0; i < states; i++) {
            v[i][k] = before[i];
            before[i] = after[i];
        }
    }
    NAME(filter_lanes)(t, x, y, elements, elements, W, next, v); /* determination */
    for (int i = 0; i < states; i++)
        state[i][0] = v[i][W - 1];
}

/* One sequence, or W */
static void NAME(filter_some)(const struct NAME(tables) * t, const REAL *x, REAL *y, int64_t stride,
                              int64_t length, int count, VEC *state)
{
    int64_t done = 0;
    for (int level = LEVELS; count == 1 && level-- > 0;) {
        const int64_t block = (int64_t)W * lane_elements(level);
        for (; t->allowed[level] && done + block <= length; done += block)
            NAME(filter_block)(t, level, x + done, y + done, state);
    }
    NAME(filter_lanes)(t, x + done, y + done, stride, length - done, count, 0, state);
}

/* The states before the sequences from `first` on, and those after them */
static void NAME(load_states)(const struct filter *p, const struct NAME(tables) * t, int64_t first,
                              int count, VEC *state)
{
    for (int n = 0; n < p->sections && p->zi; n++)
        for (int i = 0; i < p->order; i++)
            for (int k = 0; k < count; k++)
                state[n * t->order + i][k] =
                    (REAL)element(p, p->zi, state_index(p, first + k, n, i));
}
static void NAME(store_states)(const struct filter *p, const struct NAME(tables) * t, int64_t first,
                               int count, const VEC *state)
{
    for (int n = 0; n < p->sections && p->zf; n++)
        for (int i = 0; i < p->order; i++)
            for (int k = 0; k < count; k++) {
                const int64_t index = state_index(p, first + k, n, i);
                const REAL z = state[n * t->order + i][k];
                if (p->type == 's')
                    ((float *)p->zf)[index] = (float)z;
                else
                    ((double *)p->zf)[index] = z;
            }
}
