/* One contiguous sequence, for recurrence_cpu.h: the lanes of a vector are consecutive elements.
 * The recurrence is composed with itself (look-ahead) until an element depends on the one that is W
 * before it, which is in the same lane of the vector before:
 *
 *     y_i = f_i y_{i-1} + t_i
 *         = (f_i f_{i-1}) y_{i-2} + (f_i t_{i-1} + t_i) = ... = a_i y_{i-W} + b_i
 *
 * This takes log2 W compositions of all lanes. The first one loads f_{i-1} and t_{i-1}; the others
 * shift the vectors of the composition before. Then the NAME(VECTORS) vectors of a block are composed, so
 * that the y of the block before are needed as late as possible.
 *
 * The gradient is such a recurrence, too: y = dt, t = dw, and f_i is conj(s) of the element before
 * i in this order, 1 for the first element. In memory the order is up or `down`. */

enum { NAME(LEVELS) = W == 2 ? 1 : W == 4 ? 2 : W == 8 ? 3 : 4 }; /* log2 W */
enum { NAME(VECTORS) = COMPLEX ? COMPLEX_VECTORS : REAL_VECTORS, NAME(BLOCK) = NAME(VECTORS) * W };

/* The state before a block. */
struct NAME(run) {
    /* f and t of the next vector, one element earlier: the block that is stored may replace them */
    NUMBERS f_before, f, t_before;
    NUMBERS a[NAME(LEVELS)], b[NAME(LEVELS)]; /* the last vector of each composition but the last */
    NUMBERS y;
    NUMBERS product; /* of all f so far; CONSTANT: and of those of the next vector */
    NUMBERS power[NAME(LEVELS) + 2]; /* CONSTANT: s, s^2, s^4, ... */
};

LANES_INLINE NUMBERS NAME(factors)(int kind, const NUMBER *f)
{
    NUMBERS a = NAME(load)(f);
    return kind == GRADIENT ? NAME(conjugate)(a) : a;
}

/* Loads what a block at the address of `at` needs of the block before it. */
LANES_INLINE void NAME(load_before)(int kind, int down, const ROWS *at, ptrdiff_t first,
                                    struct NAME(run) * m)
{
    const ptrdiff_t one = down ? -1 : 1;
    if (kind == GRADIENT)
        m->f = NAME(factors)(kind, at->s + first - one);
    if (kind != CONSTANT)
        m->f_before = NAME(factors)(kind, at->s + first - (kind == GRADIENT ? 2 * one : one));
    m->t_before = NAME(load)(at->t + first - one);
}

/* Composes the recurrence of a vector: *a and *b become a_i and b_i. */
LANES_INLINE void NAME(look_ahead)(int kind, int down, NUMBERS f_before, NUMBERS t_before,
                                   NUMBERS *a, NUMBERS *b, struct NAME(run) * m)
{
    *b = NAME(mul_add)(kind == CONSTANT ? m->power[0] : *a, t_before, *b);
    if (kind != CONSTANT)
        *a = NAME(mul)(*a, f_before);
    LANES_UNROLL for (int l = 1; l < NAME(LEVELS); l++)
    {
        NUMBERS earlier_b = NAME(shift)(down, 1 << l, m->b[l], *b);
        m->b[l] = *b;
        *b = NAME(mul_add)(kind == CONSTANT ? m->power[l] : *a, earlier_b, *b);
        if (kind != CONSTANT) {
            NUMBERS earlier_a = NAME(shift)(down, 1 << l, m->a[l], *a);
            m->a[l] = *a;
            *a = NAME(mul)(*a, earlier_a);
        }
    }
    if (kind == CONSTANT)
        *a = m->power[NAME(LEVELS)];
}

/* One block, from element i_tile of the tile on, before that at `next`. Without `store` y and the products
 * go to *state. */
LANES_INLINE void NAME(block)(int kind, int store, int down, const ROWS *at, const ROWS *next,
                              int64_t i_tile, STATE *state, struct NAME(run) * m)
{
    const ptrdiff_t one = down ? -1 : 1, first = down ? (NAME(VECTORS) - 1) * W : 0;
    NUMBERS a[NAME(VECTORS)], b[NAME(VECTORS)], f_before[NAME(VECTORS)], t_before[NAME(VECTORS)];
    LANES_UNROLL for (int u = 0; u < NAME(VECTORS); u++)
    {
        ptrdiff_t i = first + u * one * W, of_s = i - (kind == GRADIENT ? one : 0);
        b[u] = NAME(load)(at->t + i);
        t_before[u] = u == 0 ? m->t_before : NAME(load)(at->t + i - one);
        if (kind != CONSTANT) {
            a[u] = u == 0 && kind == GRADIENT ? m->f : NAME(factors)(kind, at->s + of_s);
            f_before[u] = u == 0 ? m->f_before : NAME(factors)(kind, at->s + of_s - one);
        }
    }
    NAME(load_before)(kind, down, next, first, m);
    LANES_UNROLL for (int u = 0; u < NAME(VECTORS); u++)
        NAME(look_ahead)(kind, down, f_before[u], t_before[u], &a[u], &b[u], m);
    NUMBERS y[NAME(VECTORS)];
    LANES_UNROLL for (int u = 0; u < NAME(VECTORS); u++)
    {
        if (kind == CONSTANT && !COMPLEX && u % 2 == 1) {
            b[u] = NAME(mul_add)(a[u], b[u - 1], b[u]);
            y[u] = NAME(mul_add)(m->power[NAME(LEVELS) + 1], u < 2 ? m->y : y[u - 2], b[u]);
        } else {
            y[u] = NAME(mul_add)(a[u], u == 0 ? m->y : y[u - 1], b[u]);
        }
        const int64_t in_memory = i_tile / W + (down ? NAME(VECTORS) - 1 - u : u);
        if (!store) {
            if (kind != CONSTANT)
                m->product = NAME(mul)(a[u], m->product);
            state->product_of[in_memory] = m->product;
            if (kind == CONSTANT)
                m->product = NAME(mul)(m->power[NAME(LEVELS)], m->product);
            state->y_of[in_memory] = y[u];
        }
    }
    m->y = y[NAME(VECTORS) - 1];
    LANES_UNROLL for (int u = 0; u < NAME(VECTORS); u++)
    {
        ptrdiff_t i = first + u * one * W;
        if (store)
            NAME(store)(at->y + i, y[u]);
        if (store && kind == GRADIENT)
            NAME(store)(at->ds + i, NAME(mul)(y[u], NAME(conjugate)(NAME(load)(at->v + i + one))));
    }
}

/* The elements [i, end) of the pending tile. */
LANES_INLINE void NAME(determine)(int kind, int down, int64_t i, int64_t end, const STATE *state)
{
    const NUMBERS before = NAME(broadcast)(state->before);
    const ROWS at = state->pending.rows;
    for (; i < end; i += W) {
        NUMBERS y = NAME(mul_add)(state->product_of[i / W], before, state->y_of[i / W]);
        NAME(store)(at.y + i, y);
        if (kind == GRADIENT)
            NAME(store)
        (at.ds + i, NAME(mul)(y, NAME(conjugate)(NAME(load)(at.v + i + (down ? -1 : 1)))));
    }
}

/* Elements of a block in a buffer, with W elements before it and W after it. */
enum { NAME(BUFFER) = NAME(BLOCK) + 2 * W };

/* A tile. For *state see recurrence_cpu_tiles.h. */
LANES_INLINE void NAME(run_time)(int kind, int store, int down, const TILE *tile, STATE *state)
{
    const int64_t n = tile->count;
    const NUMBER *v_end = tile->v_end;
    const ROWS a = tile->rows;
    const NUMBER last_s = kind == CONSTANT ? *a.s : a.s[down ? 0 : n - 1];
    NUMBER s[NAME(BUFFER)], t[NAME(BUFFER)], v[NAME(BUFFER)], y[NAME(BUFFER)], ds[NAME(BUFFER)];
    struct NAME(run) m = {.product = NAME(broadcast)(NAME(one)())};
    /* The first block may be incomplete. It is in the buffer, behind elements with s = 1, t = 0. */
    const int64_t head = (n - 1) % NAME(BLOCK) + 1, known = n < head + W ? n : head + W,
                  from = down ? n - known : 0,
                  to = down ? W + head - known : W + NAME(BLOCK) - head,
                  first = down ? W + head - 1 : to, one = down ? -1 : 1;
    for (int i = 0; i < NAME(BUFFER); i++) {
        s[i] = NAME(one)();
        t[i] = v[i] = (NUMBER){0};
    }
    memcpy(t + to, a.t + from, (size_t)known * sizeof *t);
    if (kind != CONSTANT)
        memcpy(s + to, a.s + from, (size_t)known * sizeof *s);
    if (kind == GRADIENT && store) {
        memcpy(v + to, a.v + from, (size_t)known * sizeof *v);
        if (n == head && v_end)
            v[first + one * n] = *v_end;
    }
    t[first] = kind == GRADIENT   ? ONE(mul_add)(NAME(one)(), state->y[0], t[first])
               : kind == CONSTANT ? ONE(mul_add)(*a.s, state->y[0], t[first])
                                  : ONE(mul_add)(s[first], state->y[0], t[first]);
    if (kind == CONSTANT) {
        m.power[0] = NAME(broadcast)(*a.s);
        for (int l = 0; l <= NAME(LEVELS); l++)
            m.power[l + 1] = NAME(mul)(m.power[l], m.power[l]);
        NUMBER powers[W];
        for (int k = 0; k < W; k++)
            powers[down ? W - 1 - k : k] =
                k == 0 ? *a.s : ONE(mul)(*a.s, powers[down ? W - k : k - 1]);
        m.product = NAME(load)(powers);
    } else {
        for (int l = 1; l < NAME(LEVELS); l++)
            m.a[l] = NAME(broadcast)(NAME(one)());
    }
    ROWS here = {s + W, t + W, v + W, y + W, ds + W, one};
    NAME(load_before)(kind, down, &here, down ? NAME(BLOCK) - W : 0, &m);
    const int64_t out = down ? n - head : 0, in = down ? W : W + NAME(BLOCK) - head;
    ROWS next = NAME(rows_from)(kind, store, &here, one * NAME(BLOCK));
    int64_t i = down ? n - head : 0;
    const bool pending = !store && state->pending.count > 0;
    for (int64_t done = head;; done += NAME(BLOCK)) {
        if (pending)
            NAME(determine)(kind, down, i, i + NAME(BLOCK), state);
        NAME(block)(kind, store, down, &here, &next, i, state, &m);
        if (store && done == head)
            memcpy(a.y + out, y + in, (size_t)head * sizeof *y);
        if (store && done == head && kind == GRADIENT)
            memcpy(a.ds + out, ds + in, (size_t)head * sizeof *ds);
        if (done == n)
            break;
        i = down ? n - done - NAME(BLOCK) : done;
        here = NAME(rows_from)(kind, store, &a, i);
        if (done + NAME(BLOCK) < n) {
            next = NAME(rows_from)(kind, store, &a, i + one * NAME(BLOCK));
        } else { /* load something that exists */
            next.s = s + W;
            next.t = t + W;
            if (store && kind == GRADIENT && v_end) {
                here.v = v + 1;
                memcpy(v + 1, a.v + i, NAME(BLOCK) * sizeof *v);
                v[down ? 0 : NAME(BLOCK) + 1] = *v_end;
            }
        }
    }
    const int end = down ? 0 : W - 1;
    const NUMBER factor = kind == GRADIENT ? ONE(conjugate)(last_s) : NAME(one)(),
                 last = NAME(lane)(m.y, end);
    state->y[0] = kind == GRADIENT ? ONE(mul)(factor, last) : last;
    if (!store) {
        const NUMBER all = NAME(lane)(state->product_of[down ? 0 : n / W - 1], end);
        state->product[0] = kind == GRADIENT ? ONE(mul)(factor, all) : all;
    }
}
