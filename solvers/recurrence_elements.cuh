/* The elements of one thread are an odd number of neighbouring chunks of the tile in shared memory.
 * The thread goes through them twice: in the pre-computation to find their map (W13 eq. 3), and in
 * the determination to find the values w (W13 eq. 5). */
#pragma once

#include "recurrence_tile.cuh"

template <class T> struct thread_context {
    T *t, *s, *w; /* the staging buffers of the tile */
    T constant_s;
    int group, rank, warp,
        lane;   /* the group in the block; the thread in the group; its warp, lane */
    int thread; /* its chunks begin at chunk number thread * chunks_of() of a buffer */
    bool reverse;
};

template <class T> static __device__ inline chunk<T> flip(chunk<T> c)
{
    constexpr int last = CHUNK / sizeof(T) - 1;
    chunk<T> flipped;
    for (int e = 0; e <= last; e++)
        flipped.element[e] = c.element[last - e];
    return flipped;
}
template <class T> static __device__ inline chunk<T> chunk_at(const T *tile, int at, bool reverse)
{
    chunk<T> c = ((const chunk<T> *)tile)[at];
    return reverse ? flip(c) : c;
}

/* Calls f(k, s, t) for the thread's elements k = 0, 1, … in the order of the recurrence. `writes`:
 * f changes t (for the gradient also s), and the new values are written back. */
template <class T, int kind, bool writes, int unroll, class F>
static __device__ inline void for_elements(const thread_context<T> &my, F f)
{
    constexpr int arrays = arrays_of(kind), chunks = chunks_of<kind>(), each = CHUNK / sizeof(T);
    UNROLL(unroll)
    for (int c = 0; c < chunks; c++) {
        int at = my.thread * chunks + (my.reverse ? chunks - 1 - c : c);
        chunk<T> s, t = chunk_at(my.t, at, my.reverse);
        if (arrays != CONSTANT)
            s = chunk_at(my.s, at, my.reverse);
        UNROLL()
        for (int e = 0; e < each; e++) {
            if (arrays == CONSTANT)
                s.element[e] = my.constant_s;
            f(c * each + e, s.element[e], t.element[e]);
        }
        if (writes)
            ((chunk<T> *)my.t)[at] = my.reverse ? flip(t) : t;
        if (writes && arrays == GRADIENT)
            ((chunk<T> *)my.s)[at] = my.reverse ? flip(s) : s;
    }
}

/* Which of a thread's elements exist and at which of them sequences begin. Elements are counted
 * from the first one of the thread. */
template <class T> struct range {
    int from, to; /* [from, to): the elements that exist */
    /* the next element at which a sequence begins; the number of elements if there is none */
    int start;
    int length;    /* elements of a sequence, but at most the number of elements of the thread */
    const T *w0;   /* the value before the sequence that begins at `start`; NULL: zero */
    int direction; /* +1 or -1: the step from this w0 to that of the next sequence */
    /* a sequence begins at element 0, and no other sequence begins in these elements */
    bool head;
    bool plain; /* all elements exist, and no sequence begins at an element other than 0 */
};

/* `first` is the position of the thread's first element. `zero`: all sequences start from zero. */
template <class T>
static __device__ inline range<T> range_of(const pass<T> &p, int64_t first, int elements, bool zero)
{
    int64_t begin = first < 0 ? 0 : first, start = next_start(p, begin), left = p.n - first;
    range<T> r;
    r.from = (int)(begin - first < elements ? begin - first : elements);
    r.to = (int)(left < 0 ? 0 : left < elements ? left : elements);
    r.start = start < p.n && start - first < elements ? (int)(start - first) : elements;
    r.length = (int)(p.length < elements ? p.length : elements);
    r.w0 = r.start < elements && p.w0 && !zero ? p.w0 + sequence_at(p, start) : NULL;
    r.direction = p.reverse ? -1 : 1;
    r.head = r.start == 0 && p.length >= elements;
    r.plain = r.from == 0 && r.to == elements && (r.start == elements || r.head);
    return r;
}

/* The value before the sequence that begins at element r->start. Advances *r to the next one. */
template <class T> static __device__ inline T begin_sequence(range<T> *r)
{
    T x = zero_of(T());
    if (r->w0) {
        x = *r->w0;
        if (r->start + r->length < r->to)
            r->w0 += r->direction;
    }
    r->start += r->length;
    return x;
}

/* Pre-computation (W13 eq. 3): returns the map of the thread's elements. The recurrence of the
 * gradient is dt_i = dw_i + c_{i+1}; the value that is passed on is c_i = conj(s_i) dt_i, so c_i =
 * conj(s_i) c_{i+1} + conj(s_i) dw_i. */
template <class T, int kind>
static __device__ inline map<T> precompute(const thread_context<T> &my, range<T> r)
{
    map<T> m = identity<T>();
    auto add = [&](T s, T t) {
        if (kind == GRADIENT) {
            s = conjugate(s);
            t = s * t;
        }
        m.a = s * m.a;
        m.b = mul_add(s, m.b, t);
    };
    if (r.plain) {
        if (r.head)
            m.b = begin_sequence(&r);
        for_elements<T, kind, false, 3>(my, [&](int, T s, T t) { add(s, t); });
    } else
        for_elements<T, kind, false, 1>(my, [&](int k, T s, T t) {
            if (k == r.start)
                m.b = begin_sequence(&r);
            if (k >= r.from && k < r.to)
                add(s, t);
        });
    return m;
}

/* Determination (W13 eq. 5): computes the thread's elements from x, the value before the first
 * one. */
template <class T, int kind>
static __device__ inline void determine(const thread_context<T> &my, range<T> r, T x)
{
    if (r.plain) {
        if (r.head)
            x = begin_sequence(&r);
        for_elements<T, kind, true, 3>(my, [&](int, T s, T &t) { t = x = mul_add(s, x, t); });
    } else
        for_elements<T, kind, true, 1>(my, [&](int k, T s, T &t) {
            if (k == r.start)
                x = begin_sequence(&r);
            if (k >= r.from && k < r.to)
                t = x = mul_add(s, x, t);
        });
}

/* Determination of the gradient. x is the value c (see precompute()) before the thread's first
 * element. dt replaces t, and ds_i = dt_i conj(w_{i-1}) replaces s. The gradient runs in the
 * opposite direction of the recurrence, so w_{i-1} is the element that comes next: in this tile, or
 * in global memory if it is in the next tile, or w0 at the end of a sequence. */
template <class T>
static __device__ inline void determine_gradient(const pass<T> &p, const thread_context<T> &my,
                                                 range<T> r, int64_t first, T x)
{
    constexpr int tile = tile_of<T, GRADIENT>(), elements = tile / GROUP;
    int64_t after = next_start(p, (first < 0 ? 0 : first) + 1);
    int end = (int)(after - first <= elements ? after - first - 1 : elements);
    const int length = r.length;
    int64_t sequence = end < elements ? sequence_at(p, after - p.length) : 0;
    for_elements<T, GRADIENT, true, 1>(my, [&](int k, T &s, T &t) {
        if (k == r.start)
            x = begin_sequence(&r);
        if (k < r.from || k >= r.to)
            return;
        T dt = t + x;
        x = conjugate(s) * dt;
        int offset = my.rank * elements + k + 1;
        T before;
        if (k == end) {
            before = p.w0 ? p.w0[sequence] : zero_of(T());
            if (p.dw0)
                p.dw0[sequence] = x;
            end += length;
            sequence += p.reverse ? -1 : 1;
        } else if (offset < tile)
            before = my.w[p.reverse ? tile - 1 - offset : offset];
        else
            before = p.w_in[p.reverse ? p.n - 2 - first - k : first + k + 1];
        s = dt * conjugate(before);
        t = dt;
    });
}
