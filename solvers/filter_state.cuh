/* The state of a filter, and what carries it on: steps over one element, and powers of its matrix
 * over many.
 *
 * The state z of section n, in transposed direct form II, is z_0 … z_(K-1), and
 *
 *     y = b_0 x + z_0,   z_i = b_(i+1) x - a_(i+1) y + z_(i+1),   z_K = 0;   y is the next x.
 *
 * Over all N sections a step is z -> A z + B x, and m steps without input are z -> A^m z. No
 * section sees those after it, so A and its powers are block lower triangular. */
#pragma once

#include "teams.cuh"

/* The chunks of a thread, an odd number as in recurrence_tile.cuh */
enum { FILTER_CHUNKS = 33 };
template <class T> static __host__ __device__ constexpr int thread_elements(void)
{
    return FILTER_CHUNKS * CHUNK / (int)sizeof(T);
}

/* Numbers of powers A^(L 2^j), where L is thread_elements(): they carry the state over 2^j lanes,
 * over 2^j warps, over 2^j tiles, and over a span. */
enum {
    LANE_POWERS = WARP_LOG,
    WARP_POWERS = 2,
    TILE_POWERS = 6,
    POWERS = LANE_POWERS + WARP_POWERS + TILE_POWERS + 1,
    SPAN = 1 << TILE_POWERS /* tiles that read each other's messages, see filter.cu */
};

/* Shared memory delivers up to 16 bytes at once. */
template <class C, int N, int K>
struct alignas(N *K * sizeof(C) < CHUNK ? N * K * sizeof(C) : size_t{CHUNK}) state {
    C z[N * K];
};
template <class C, int N, int K> struct power {
    state<C, N, K> row[N * K];
};

/* What a filter computes with: N sections of order K. T is the type of the elements in memory, C
 * that of the states and of all arithmetic. */
template <class C, int N, int K> struct filter_coefficients {
    C b[N][K + 1], minus_a[N][K];
};
template <class T, class C, int N, int K> struct filter_tables {
    power<C, N, K> powers[POWERS];
    state<C, N, K> weights[thread_elements<T>()]; /* A^(L-1-k) B, for element k of a thread */
};

template <class C, int N, int K>
static __device__ inline state<C, N, K> from_lane(state<C, N, K> x, int lane)
{
    UNROLL()
    for (int i = 0; i < N * K; i++)
        x.z[i] = from_lane(x.z[i], lane);
    return x;
}
template <class C, int N, int K>
static __device__ inline state<C, N, K> add(state<C, N, K> x, state<C, N, K> v)
{
    UNROLL()
    for (int i = 0; i < N * K; i++)
        v.z[i] += x.z[i];
    return v;
}
/* p x + v */
template <class C, int N, int K>
static __device__ inline state<C, N, K> carry_over(const power<C, N, K> &p, state<C, N, K> x,
                                                   state<C, N, K> v)
{
    UNROLL()
    for (int i = 0; i < N * K; i++) {
        UNROLL()
        for (int j = 0; j < (i / K + 1) * K; j++)
            v.z[i] = mul_add(p.row[i].z[j], x.z[j], v.z[i]);
    }
    return v;
}
/* Carries x over `times` ranges, whose first powers are p[0], p[1], … for 1, 2, … of them. */
template <int count, class C, int N, int K>
static __device__ inline state<C, N, K> carry_over_many(const power<C, N, K> *p, state<C, N, K> x,
                                                        int times)
{
    UNROLL()
    for (int j = 0; j < count; j++)
        if (times >> j & 1)
            x = carry_over(p[j], x, state<C, N, K>{});
    return x;
}
/* Inclusive scan over lanes of a warp. `rank` is the lane's place in its sequence, and at most
 * `most` lanes belong to one. A lane gets the state after its range if that before rank 0 is 0. */
template <int count, class C, int N, int K>
static __device__ inline state<C, N, K> scan_states(const power<C, N, K> *p, state<C, N, K> v,
                                                    int rank, int most, int lane)
{
    UNROLL()
    for (int j = 0; j < count; j++) {
        const int h = 1 << j;
        if (h >= most)
            break;
        state<C, N, K> before = from_lane(v, lane < h ? lane : lane - h);
        if (rank >= h)
            v = carry_over(p[j], before, v);
    }
    return v;
}

/* One step of all sections. */
template <class C, int N, int K>
static __device__ inline C step(const filter_coefficients<C, N, K> &f, state<C, N, K> *s, C x)
{
    UNROLL()
    for (int n = 0; n < N; n++) {
        C *z = s->z + n * K, y = mul_add(f.b[n][0], x, z[0]);
        UNROLL()
        for (int i = 0; i < K - 1; i++)
            z[i] = mul_add(f.minus_a[n][i], y, mul_add(f.b[n][i + 1], x, z[i + 1]));
        z[K - 1] = mul_add(f.minus_a[n][K - 1], y, f.b[n][K] * x);
        x = y;
    }
    return x;
}

/* Pre-computation (W13 eq. 3): the state after a thread's elements if that before them is 0. A sum
 * with weights takes N K operations an element, where steps take N (2 K + 1), and these wait for
 * each other. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K> precompute(const filter_tables<T, C, N, K> &f,
                                                   const T *mine)
{
    constexpr int each = CHUNK / sizeof(T);
    state<C, N, K> v = {};
    UNROLL(3)
    for (int c = 0; c < FILTER_CHUNKS; c++) {
        const chunk<T> x = ((const chunk<T> *)mine)[c];
        UNROLL()
        for (int e = 0; e < each; e++) {
            const state<C, N, K> weight = f.weights[c * each + e];
            UNROLL()
            for (int i = 0; i < N * K; i++)
                v.z[i] = mul_add(weight.z[i], (C)x.element[e], v.z[i]);
        }
    }
    return v;
}

/* Determination (W13 eq. 5): y replaces x in the first `count` elements of a thread. s is the
 * state before them; returns the state after them. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K> determine(const filter_coefficients<C, N, K> &f, T *mine,
                                                  int count, state<C, N, K> s)
{
    constexpr int each = CHUNK / sizeof(T);
    if (count == thread_elements<T>()) {
        UNROLL(3)
        for (int c = 0; c < FILTER_CHUNKS; c++) {
            chunk<T> x = ((const chunk<T> *)mine)[c];
            UNROLL()
            for (int e = 0; e < each; e++)
                x.element[e] = (T)step(f, &s, (C)x.element[e]);
            ((chunk<T> *)mine)[c] = x;
        }
    } else {
        UNROLL(1)
        for (int k = 0; k < count; k++)
            mine[k] = (T)step(f, &s, (C)mine[k]);
    }
    return s;
}
