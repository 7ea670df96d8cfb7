/* One contiguous sequence, for recurrence_cpu.h: the lanes of a vector are consecutive elements.
 * The recurrence is composed with itself (look-ahead) until an element depends on the one that is W
 * before it, which is in the same lane of the vector before:
 *
 *     y_i = f_i y_{i-1} + t_i
 *         = (f_i f_{i-1}) y_{i-2} + (f_i t_{i-1} + t_i) = ... = a_i y_{i-W} + b_i
 *
 * This takes log2 W compositions of all lanes. The first one loads f_{i-1} and t_{i-1}; the others
 * shift the vectors of the composition before. Then the NAME(VECTORS) vectors of a block are
 * composed, so that the y of the block before are needed as late as possible.
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

/* One block, from element i_tile of the tile on, before that at `next`. Without `store` y and the
 * products go to *state. */
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
    if (!store) { /* the hardware prefetches up to the end of a page */
        enum { LINES = NAME(BLOCK) * (int)sizeof(NUMBER) / LANES_LINE };
        const uintptr_t page = (uintptr_t)(one * PAGE);
        lanes_fetch((uintptr_t)at->t + page, LINES, 0);
        if (kind != CONSTANT)
            lanes_fetch((uintptr_t)at->s + page, LINES, 0);
    }
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
        const int64_t in_memory =
            (int64_t)((size_t)i_tile / W) + (down ? NAME(VECTORS) - 1 - u : u);
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
        NAME(store_row)(kind, store, at, first + u * one * W, one, y[u]);
}

/* The elements [i, end) of the pending tile. */
LANES_INLINE void NAME(determine)(int kind, int down, int64_t i, int64_t end, const STATE *state)
{
    const NUMBERS before = NAME(broadcast)(state->before.y[0]);
    const ROWS at = state->pending.rows;
    for (; i < end; i += W) {
        const size_t k = (size_t)i / W;
        const NUMBERS y = NAME(mul_add)(state->product_of[k], before, state->y_of[k]);
        NAME(store_row)(kind, 1, &at, i, down ? -1 : 1, y);
    }
}

/* The first elements of a tile, in a buffer: the first block has the BLOCK ones from FIRST on. */
enum { NAME(FIRST) = NAME(BLOCK) + W, NAME(BUFFER) = NAME(FIRST) + 2 * NAME(BLOCK) + W };

/* Copies `head` elements of an array of n, which may be the first block or a part of it, and those
 * that the next block needs. They are last in the block; `fill` comes before them. */
LANES_INLINE void NAME(fill_first)(int down, NUMBER fill, const NUMBER *from, int64_t n,
                                   int64_t head, NUMBER *buffer)
{
    enum { COPIED = NAME(BLOCK) + W };
    const NUMBERS fills = NAME(broadcast)(fill);
    LANES_UNROLL for (int k = -W; k < NAME(BLOCK) + W; k += W)
        NAME(store)(buffer + NAME(FIRST) + k, fills);
    const int64_t count = n < COPIED ? n : COPIED, begin = down ? n - count : 0;
    NUMBER *to = buffer + NAME(FIRST) + (down ? head - count : NAME(BLOCK) - head);
    if (count < COPIED)
        memcpy(to, from + begin, (size_t)count * sizeof *to);
    else
        LANES_UNROLL for (int k = 0; k < COPIED; k += W)
            NAME(store)(to + k, NAME(load)(from + begin + k));
}

/* What the first block needs of elements before it: none. */
LANES_INLINE struct NAME(run) NAME(start_run)(int kind, int down, const NUMBER *s)
{
    struct NAME(run) m = {.product = NAME(broadcast)(NAME(one)())};
    for (int l = 1; l < NAME(LEVELS); l++)
        m.a[l] = NAME(broadcast)(NAME(one)());
    if (kind != CONSTANT)
        return m;
    NUMBER powers[W];
    for (int k = 0; k < W; k++)
        powers[down ? W - 1 - k : k] = k == 0 ? *s : ONE(mul)(*s, powers[down ? W - k : k - 1]);
    m.product = NAME(load)(powers);
    m.power[0] = NAME(broadcast)(*s);
    for (int l = 0; l <= NAME(LEVELS); l++)
        m.power[l + 1] = NAME(mul)(m.power[l], m.power[l]);
    return m;
}

/* 0 in the lanes where a is finite, NaN in the others */
LANES_INLINE VEC NAME(zero_if_finite)(NUMBERS a)
{
    VEC nothing = a.re - a.re;
#if COMPLEX
    nothing += a.im - a.im;
#endif
    return nothing;
}
LANES_INLINE bool NAME(all_zero)(VEC a)
{
    bool zero = true;
    for (int k = 0; k < W; k++)
        zero = zero && a[k] == 0;
    return zero;
}
/* Whether no product or sum of a tile has left the range of the type. Every lane passes on what is
 * not finite to the end of the tile, or to one of its last vectors if s is constant. */
LANES_INLINE bool NAME(all_finite)(int64_t n, int down, const STATE *state)
{
    VEC nothing = {0};
    for (int u = 0; u < NAME(VECTORS) && u < n / W; u++) {
        const int64_t k = down ? u : n / W - 1 - u;
        nothing +=
            NAME(zero_if_finite)(state->product_of[k]) + NAME(zero_if_finite)(state->y_of[k]);
    }
    return NAME(all_zero)(nothing);
}

/* A tile of one sequence. For *value, which is y before and after it, and *state see
 * recurrence_cpu_tiles.h. */
LANES_INLINE void NAME(run_time)(int kind, int store, int down, const TILE *tile, NUMBER *value,
                                 STATE *state)
{
    const ROWS a = tile->rows;
    struct NAME(run) m = NAME(start_run)(kind, down, a.s);
    if (store && kind == CONSTANT &&
        !NAME(all_zero)(NAME(zero_if_finite)(m.power[NAME(LEVELS) + 1]))) {
        NUMBER f = *a.s; /* no power of it is used */
        NAME(serial)(CONSTANT, down, &a, 0, tile->count, 0, 1, NULL, value, &f);
        return;
    }
    const bool gradient = kind == GRADIENT, pending = !store && state->pending.count > 0;
    const int64_t n = tile->count, head = (n - 1) % NAME(BLOCK) + 1, one = down ? -1 : 1,
                  first = NAME(FIRST) + (down ? head - 1 : NAME(BLOCK) - head);
    const NUMBER last_s = kind == CONSTANT ? *a.s : a.s[down ? 0 : n - 1];
    NUMBER s[NAME(BUFFER)], t[NAME(BUFFER)], v[NAME(BUFFER)], y[NAME(BLOCK)], ds[NAME(BLOCK)];
    NAME(fill_first)(down, (NUMBER){.re = 0}, a.t, n, head, t);
    if (kind != CONSTANT)
        NAME(fill_first)(down, NAME(one)(), a.s, n, head, s);
    if (gradient && store) {
        NAME(fill_first)(down, (NUMBER){.re = 0}, a.v, n, head, v);
        if (n == head && tile->v_end)
            v[first + one * n] = *tile->v_end;
    }
    t[first] = ONE(mul_add)(gradient           ? NAME(one)()
                            : kind == CONSTANT ? *a.s
                                               : s[first],
                            *value, t[first]);
    ROWS here = {s + NAME(FIRST), t + NAME(FIRST), v + NAME(FIRST), y, ds, one},
         next = {here.s + one * NAME(BLOCK), here.t + one * NAME(BLOCK), NULL, NULL, NULL, one};
    NAME(load_before)(kind, down, &here, down ? NAME(BLOCK) - W : 0, &m);
    int64_t i = down ? n - head : 0;
    for (int64_t done = head;; done += NAME(BLOCK)) {
        if (pending)
            NAME(determine)(kind, down, i, i + NAME(BLOCK), state);
        NAME(block)(kind, store, down, &here, &next, i, state, &m);
        if (store && done == head)
            memcpy(a.y + i, y + (down ? 0 : NAME(BLOCK) - head), (size_t)head * sizeof *y);
        if (store && done == head && gradient)
            memcpy(a.ds + i, ds + (down ? 0 : NAME(BLOCK) - head), (size_t)head * sizeof *ds);
        if (done == n)
            break;
        i = down ? n - done - NAME(BLOCK) : done;
        here = NAME(rows_from)(kind, store, &a, i);
        if (done + NAME(BLOCK) < n) {
            next = NAME(rows_from)(kind, store, &a, i + one * NAME(BLOCK));
        } else { /* load something that exists */
            next.s = s + NAME(FIRST);
            next.t = t + NAME(FIRST);
            if (gradient && store && tile->v_end) {
                here.v = v + 1;
                memcpy(v + 1, a.v + i, NAME(BLOCK) * sizeof *v);
                v[down ? 0 : NAME(BLOCK) + 1] = *tile->v_end;
            }
        }
    }
    const int end = down ? 0 : W - 1;
    const NUMBER last = NAME(lane)(m.y, end), factor = ONE(conjugate)(last_s);
    *value = gradient ? ONE(mul)(factor, last) : last;
    if (!store) {
        const NUMBER all = NAME(lane)(state->product_of[down ? 0 : n / W - 1], end);
        state->columns.product[0] = gradient ? ONE(mul)(factor, all) : all;
        if (!NAME(all_finite)(n, down, state)) /* then the value after the tile must not be used */
            *value = state->columns.product[0] = (NUMBER){.re = (REAL)NAN};
    }
}
