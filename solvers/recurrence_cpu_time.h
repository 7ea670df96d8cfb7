/* One contiguous sequence, for recurrence_cpu.h: the lanes of a vector are consecutive elements.
 * The recurrence is composed with itself (look-ahead) until an element depends on the one that is W
 * before it, which is in the same lane of the vector before:
 *
 *     y_i = f_i y_{i-1} + t_i
 *         = (f_i f_{i-1}) y_{i-2} + (f_i t_{i-1} + t_i) = ... = a_i y_{i-W} + b_i
 *
 * This takes log2 W compositions of all lanes. The first one loads f_{i-1} and t_{i-1}; the others
 * shift the vectors of the composition before. Then the BLOCK_VECTORS vectors of a block are composed, so
 * that the y of the block before are needed as late as possible.
 *
 * The gradient is such a recurrence, too: y = dt, t = dw, and f_i is conj(s) of the element before
 * i in this order, 1 for the first element. In memory the order is up or `down`. */

enum { NAME(LEVELS) = W == 2 ? 1 : W == 4 ? 2 : W == 8 ? 3 : 4 }; /* log2 W */
enum { NAME(BLOCK) = BLOCK_VECTORS * W };

/* The state before a block. */
struct NAME(run) {
    /* f and t of the next vector, one element earlier: the block that is stored may replace them */
    NUMBERS f_before, f, t_before;
    NUMBERS a[NAME(LEVELS)], b[NAME(LEVELS)]; /* the last vector of each composition but the last */
    NUMBERS y;
    NUMBERS product;                 /* of all f so far, in the last lane */
    NUMBERS power[NAME(LEVELS) + 1]; /* CONSTANT: s, s^2, s^4, ... */
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

/* One block. `next` is the distance to the next one. */
LANES_INLINE void NAME(block)(int kind, int store, int down, const ROWS *at, ptrdiff_t next,
                              struct NAME(run) * m)
{
    const ptrdiff_t one = down ? -1 : 1, first = down ? (BLOCK_VECTORS - 1) * W : 0;
    NUMBERS a[BLOCK_VECTORS], b[BLOCK_VECTORS], f_before[BLOCK_VECTORS], t_before[BLOCK_VECTORS];
    LANES_UNROLL for (int u = 0; u < BLOCK_VECTORS; u++)
    {
        ptrdiff_t i = first + u * one * W, of_s = i - (kind == GRADIENT ? one : 0);
        b[u] = NAME(load)(at->t + i);
        t_before[u] = u == 0 ? m->t_before : NAME(load)(at->t + i - one);
        if (kind != CONSTANT) {
            a[u] = u == 0 && kind == GRADIENT ? m->f : NAME(factors)(kind, at->s + of_s);
            f_before[u] = u == 0 ? m->f_before : NAME(factors)(kind, at->s + of_s - one);
        }
    }
    NAME(load_before)(kind, down, at, next + first, m);
    LANES_UNROLL for (int u = 0; u < BLOCK_VECTORS; u++)
        NAME(look_ahead)(kind, down, f_before[u], t_before[u], &a[u], &b[u], m);
    LANES_UNROLL for (int u = 1; u < BLOCK_VECTORS; u++)
    {
        b[u] = NAME(mul_add)(a[u], b[u - 1], b[u]);
        a[u] = NAME(mul)(a[u], a[u - 1]);
    }
    if (!store)
        m->product = NAME(mul)(a[BLOCK_VECTORS - 1], m->product);
    NUMBERS y = m->y;
    LANES_UNROLL for (int u = 0; u < BLOCK_VECTORS; u++)
    {
        ptrdiff_t i = first + u * one * W;
        m->y = NAME(mul_add)(a[u], y, b[u]);
        if (store)
            NAME(store)(at->y + i, m->y);
        if (store && kind == GRADIENT)
            NAME(store)(at->ds + i, NAME(mul)(m->y, NAME(conjugate)(NAME(load)(at->v + i + one))));
    }
}

/* Elements of a block in a buffer, with W elements before it and W after it. */
enum { NAME(BUFFER) = NAME(BLOCK) + 2 * W };

/* n >= 1 elements; `at` is the lowest address. For v_end and *state see recurrence_cpu_tiles.h. */
LANES_INLINE void NAME(run_time)(int kind, int store, int down, const ROWS *at, int64_t n,
                                 const NUMBER *v_end, STATE *state)
{
    const NUMBER last_s = kind == CONSTANT ? *at->s : at->s[down ? 0 : n - 1];
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
    memcpy(t + to, at->t + from, (size_t)known * sizeof *t);
    if (kind != CONSTANT)
        memcpy(s + to, at->s + from, (size_t)known * sizeof *s);
    if (kind == GRADIENT && store) {
        memcpy(v + to, at->v + from, (size_t)known * sizeof *v);
        if (n == head && v_end)
            v[first + one * n] = *v_end;
    }
    t[first] = kind == GRADIENT   ? ONE(mul_add)(NAME(one)(), state->y[0], t[first])
               : kind == CONSTANT ? ONE(mul_add)(*at->s, state->y[0], t[first])
                                  : ONE(mul_add)(s[first], state->y[0], t[first]);
    if (kind == CONSTANT) {
        m.power[0] = NAME(broadcast)(*at->s);
        for (int l = 0; l < NAME(LEVELS); l++)
            m.power[l + 1] = NAME(mul)(m.power[l], m.power[l]);
    }
    ROWS here = {s + W, t + W, v + W, y + W, ds + W, one};
    NAME(load_before)(kind, down, &here, down ? NAME(BLOCK) - W : 0, &m);
    NAME(block)(kind, store, down, &here, one * NAME(BLOCK), &m);
    const int64_t out = down ? n - head : 0, in = down ? W : W + NAME(BLOCK) - head;
    if (store)
        memcpy(at->y + out, y + in, (size_t)head * sizeof *y);
    if (store && kind == GRADIENT)
        memcpy(at->ds + out, ds + in, (size_t)head * sizeof *ds);

    for (int64_t done = head; done < n; done += NAME(BLOCK)) {
        const int64_t i = down ? n - done - NAME(BLOCK) : done;
        const bool more = done + NAME(BLOCK) < n;
        here = (ROWS){kind == CONSTANT ? at->s : at->s + i, at->t + i, NULL, NULL, NULL, one};
        if (store)
            here.y = at->y + i;
        if (store && kind == GRADIENT) {
            here.ds = at->ds + i;
            here.v = at->v + i;
            if (!more && v_end) {
                here.v = v + 1;
                memcpy(v + 1, at->v + i, NAME(BLOCK) * sizeof *v);
                v[down ? 0 : NAME(BLOCK) + 1] = *v_end;
            }
        }
        /* After the last block, load something that exists. */
        NAME(block)(kind, store, down, &here, one * (more ? NAME(BLOCK) : W), &m);
    }
    NUMBER last = NAME(lane)(m.y, down ? 0 : W - 1), all = NAME(lane)(m.product, down ? 0 : W - 1);
    state->y[0] = kind == GRADIENT ? ONE(mul)(ONE(conjugate)(last_s), last) : last;
    state->product[0] = kind == GRADIENT ? ONE(mul)(ONE(conjugate)(last_s), all) : all;
}
