/* The elements of one thread are an odd number of neighbouring chunks of the tile in shared memory.
 * The thread goes through them twice: in the pre-computation to find their map (W13 eq. 3), and in
 * the determination to find the values w (W13 eq. 5). */
#pragma once

#include "recurrence_tile.cuh"

#include <limits.h>

template <class S> struct thread_context {
    S *t, *s, *w; /* the staging buffers of the tile */
    int group, rank, warp,
        lane;   /* the group in the block; the thread in the group; its warp, lane */
    int thread; /* its chunks begin at chunk number thread * chunks_of() of a buffer */
    bool reverse;
};

template <class S> static __device__ inline chunk<S> flip(chunk<S> c)
{
    constexpr int last = CHUNK / sizeof(S) - 1;
    chunk<S> flipped;
    for (int e = 0; e <= last; e++)
        flipped.element[e] = c.element[last - e];
    return flipped;
}
template <class S> static __device__ inline chunk<S> chunk_at(const S *tile, int at, bool reverse)
{
    chunk<S> c = ((const chunk<S> *)tile)[at];
    return reverse ? flip(c) : c;
}

/* Calls f(k, s, t) for the elements k of the chunks that have some of [from, to), in the order of
 * the recurrence; a constant s is not in the tile, and is 0 here. `writes`: f changes t (for the
 * gradient also s), and the new values are written back. */
template <class S, int kind, bool writes, int unroll, class F>
static __device__ inline void for_elements(const thread_context<S> &my, int from, int to, F f)
{
    constexpr int arrays = arrays_of(kind), chunks = chunks_of<kind>(), each = CHUNK / sizeof(S);
    UNROLL(unroll)
    for (int c = from / each; c * each < to; c++) {
        int at = my.thread * chunks + (my.reverse ? chunks - 1 - c : c);
        chunk<S> s, t = chunk_at(my.t, at, my.reverse);
        if (arrays != CONSTANT)
            s = chunk_at(my.s, at, my.reverse);
        UNROLL()
        for (int e = 0; e < each; e++) {
            computed<S> s_e = zero_of(computed<S>()), t_e = value_of(t.element[e]);
            if (arrays != CONSTANT)
                s_e = value_of(s.element[e]);
            f(c * each + e, s_e, t_e);
            if (writes)
                t.element[e] = element_of<S>(t_e);
            if (writes && arrays == GRADIENT)
                s.element[e] = element_of<S>(s_e);
        }
        if (writes)
            ((chunk<S> *)my.t)[at] = my.reverse ? flip(t) : t;
        if (writes && arrays == GRADIENT)
            ((chunk<S> *)my.s)[at] = my.reverse ? flip(s) : s;
    }
}

/* Which of a thread's elements exist and at which of them sequences begin. Elements are counted
 * from the first one of the thread. */
template <class S> struct range {
    int64_t first; /* position of the thread's first element */
    int from, to;  /* [from, to): the elements that exist */
    /* the next element at which a sequence begins, the number of elements if there is none; this
     * sequence */
    int start;
    int64_t sequence;
    int64_t inside; /* the sequence of the first element that exists */
    int length;     /* of equal sequences, at most the number of the thread's elements */
    computed<S> s;  /* if it is constant: that of the next element */
    /* a sequence begins at element 0 and has all these elements */
    bool head;
    bool plain; /* all elements exist, and no sequence begins at an element other than 0 */
};

/* Sets the next start: that of `sequence`, which is not empty. */
template <class S, int kind>
static __device__ inline void set_start(const pass<S> &p, range<S> *r, int64_t sequence)
{
    constexpr int elements = tile_of<S, kind>() / GROUP;
    const int64_t start = sequence < p.count ? start_of<kind>(p, sequence) - r->first : elements;
    r->sequence = sequence;
    r->start = start < elements ? (int)start : elements;
}
/* `first` is the position of the thread's first element. */
template <class S, int kind>
static __device__ inline range<S> range_of(const pass<S> &p, int64_t first, computed<S> constant_s,
                                           int lane)
{
    constexpr int elements = tile_of<S, kind>() / GROUP;
    const int64_t begin = first < 0 ? 0 : first, left = p.n - first;
    range<S> r = {};
    r.first = first;
    r.length = (int)(p.length < elements ? p.length : elements);
    r.from = (int)(begin - first < elements ? begin - first : elements);
    r.to = (int)(left < 0 ? 0 : left < elements ? left : elements);
    const int64_t sequence = next_of_lanes<kind>(p, begin < p.n ? begin : p.n, lane);
    if (r.from < r.to) {
        r.s = constant_s;
        if (is_varied(kind) && arrays_of(kind) == CONSTANT && p.s_each && sequence > 0)
            r.s = value_of(p.s[index_of(p, sequence - 1)]);
        set_start<S, kind>(p, &r, not_empty<kind>(p, sequence));
        r.inside = r.start == r.from ? r.sequence : sequence - 1;
    } else
        r.start = elements;
    /* A start at element 0, and the next one not before the end */
    r.head =
        r.start == 0 && (is_varied(kind) ? start_of<kind>(p, r.sequence + 1) - first >= elements
                                         : p.length >= elements);
    r.plain = r.from == 0 && r.to == elements && (r.start == elements || r.head);
    return r;
}

/* Returns the value before the sequence that begins at element r->start, and goes on to the next
 * sequence. In a gradient this value is 0. */
template <class S, int kind>
static __device__ inline computed<S> begin_sequence(const pass<S> &p, range<S> *r)
{
    const int64_t at = index_of(p, r->sequence);
    computed<S> x = zero_of(computed<S>());
    if (arrays_of(kind) != GRADIENT && p.w0)
        x = value_of(p.w0[at]);
    if (is_varied(kind) && arrays_of(kind) == CONSTANT && p.s_each)
        r->s = value_of(p.s[at]);
    if (is_varied(kind))
        set_start<S, kind>(p, r, not_empty<kind>(p, r->sequence + 1));
    else {
        r->sequence++;
        r->start = r->start + r->length < r->to ? r->start + r->length : INT_MAX;
    }
    return x;
}

/* Pre-computation (W13 eq. 3): returns the map of the thread's elements. The recurrence of the
 * gradient is dt_i = dw_i + c_{i+1}; the value that is passed on is c_i = conj(s_i) dt_i, so c_i =
 * conj(s_i) c_{i+1} + conj(s_i) dw_i. */
template <class S, int kind>
static __device__ inline map<computed<S>> precompute(const pass<S> &p, const thread_context<S> &my,
                                                     range<S> r)
{
    typedef computed<S> T;
    constexpr int elements = tile_of<S, kind>() / GROUP;
    map<T> m = identity<T>();
    auto add = [&](T s, T t) {
        if (arrays_of(kind) == CONSTANT)
            s = r.s;
        if (arrays_of(kind) == GRADIENT) {
            s = conjugate(s);
            t = s * t;
        }
        m.a = s * m.a;
        m.b = mul_add(s, m.b, t);
    };
    if (r.from == r.to)
        return m;
    if (r.plain) {
        if (r.head)
            m.b = begin_sequence<S, kind>(p, &r);
        for_elements<S, kind, false, 3>(my, 0, elements, [&](int, T s, T t) { add(s, t); });
    } else
        for_elements<S, kind, false, 1>(my, r.from, r.to, [&](int k, T s, T t) {
            if (k == r.start)
                m.b = begin_sequence<S, kind>(p, &r);
            if (k >= r.from && k < r.to)
                add(s, t);
        });
    return m;
}

/* Determination (W13 eq. 5): computes the thread's elements from x, the value before the first
 * one. */
template <class S, int kind>
static __device__ inline void determine(const pass<S> &p, const thread_context<S> &my, range<S> r,
                                        computed<S> x)
{
    typedef computed<S> T;
    constexpr bool constant = arrays_of(kind) == CONSTANT;
    constexpr int elements = tile_of<S, kind>() / GROUP;
    if (r.from == r.to)
        return;
    if (r.plain) {
        if (r.head)
            x = begin_sequence<S, kind>(p, &r);
        for_elements<S, kind, true, 3>(
            my, 0, elements, [&](int, T s, T &t) { t = x = mul_add(constant ? r.s : s, x, t); });
    } else
        for_elements<S, kind, true, 1>(my, r.from, r.to, [&](int k, T s, T &t) {
            if (k == r.start)
                x = begin_sequence<S, kind>(p, &r);
            if (k >= r.from && k < r.to)
                t = x = mul_add(constant ? r.s : s, x, t);
        });
}

/* Determination of the gradient. x is the value c (see precompute()) before the thread's first
 * element. dt replaces t, and ds_i = dt_i conj(w_{i-1}) replaces s. The gradient runs in the
 * opposite direction of the recurrence, so w_{i-1} is the element that comes next: in this tile, or
 * in global memory if it is in the next tile, or w0 at the end of a sequence. */
template <class S, int kind>
static __device__ inline void determine_gradient(const pass<S> &p, const thread_context<S> &my,
                                                 range<S> r, computed<S> x)
{
    typedef computed<S> T;
    constexpr int tile = tile_of<S, kind>(), elements = tile / GROUP;
    /* The sequence of the next element, and its last element */
    int64_t sequence = 0;
    int end = elements;
    auto end_after = [&](int64_t number) {
        const int64_t last = start_of<kind>(p, number + 1) - r.first - 1;
        sequence = number;
        end = last < elements ? (int)last : elements;
    };
    if (r.from == r.to)
        return;
    end_after(r.inside);
    for_elements<S, kind, true, 1>(my, r.from, r.to, [&](int k, T &s, T &t) {
        if (k == r.start)
            x = begin_sequence<S, kind>(p, &r);
        if (k < r.from || k >= r.to)
            return;
        T dt = t + x;
        x = conjugate(s) * dt;
        int offset = my.rank * elements + k + 1;
        T before;
        if (k == end) {
            const int64_t at = index_of(p, sequence);
            before = p.w0 ? value_of(p.w0[at]) : zero_of(T());
            if (p.dw0)
                p.dw0[at] = element_of<S>(x);
            if (!is_varied(kind)) {
                sequence++;
                end += r.length;
            } else if (k + 1 < r.to)
                end_after(not_empty<kind>(p, sequence + 1));
        } else if (offset < tile)
            before = value_of(my.w[p.reverse ? tile - 1 - offset : offset]);
        else
            before = value_of(p.w_in[p.reverse ? p.n - 2 - r.first - k : r.first + k + 1]);
        s = dt * conjugate(before);
        t = dt;
    });
}
