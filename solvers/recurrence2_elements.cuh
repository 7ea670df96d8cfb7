/* What a thread of recurrence2.cu does with its elements: the pre-computation of their map (W13
 * eq. 3), and the determination of x from the state before them (W13 eq. 5). */
#pragma once

#include "message.cuh"
#include "recurrence2_map.cuh"
#include "teams.cuh"

/* The arrays that a tile stages */
static __host__ __device__ constexpr int inputs_of(int kind)
{
    return kind == RECURRENCE2_MOBIUS ? 4 : 3;
}
/* The 16-byte chunks of each array that a thread owns, as in recurrence_tile.cuh: an odd number,
 * and nearly the largest with which three tiles fit into 227 KiB. */
static __host__ __device__ constexpr int chunks_for(int kind)
{
    return kind == RECURRENCE2_MOBIUS ? 9 : 11;
}
/* The elements of a thread */
template <class T> static __host__ __device__ constexpr int elements_for(int kind)
{
    return chunks_for(kind) * CHUNK / (int)sizeof(T);
}

/* Calls f(k, v) for the first `count` of a thread's elements k; v has one element of each input.
 * Then the first `outputs` of v are written back. `mine`: the thread's elements of input 0; those
 * of the next input are `tile` elements behind. whole: all elements exist. */
template <class T, int kind, int outputs, bool whole, class F>
static __device__ inline void for_chunks(T *mine, int tile, int count, F f)
{
    constexpr int each = CHUNK / sizeof(T), inputs = inputs_of(kind);
    UNROLL(1)
    for (int c = 0; c * each < (whole ? elements_for<T>(kind) : count); c++) {
        chunk<T> at[inputs];
        UNROLL()
        for (int k = 0; k < inputs; k++)
            at[k] = ((const chunk<T> *)(mine + k * tile))[c];
        UNROLL()
        for (int e = 0; e < each; e++) {
            T v[inputs];
            UNROLL()
            for (int k = 0; k < inputs; k++)
                v[k] = at[k].element[e];
            if (whole || c * each + e < count)
                f(c * each + e, v);
            UNROLL()
            for (int k = 0; k < outputs; k++)
                at[k].element[e] = v[k];
        }
        UNROLL()
        for (int k = 0; k < outputs; k++)
            ((chunk<T> *)(mine + k * tile))[c] = at[k];
    }
}
template <class T, int kind, int outputs, class F>
static __device__ inline void for_elements(T *mine, int tile, int count, F f)
{
    if (count == elements_for<T>(kind))
        for_chunks<T, kind, outputs, true>(mine, tile, count, f);
    else
        for_chunks<T, kind, outputs, false>(mine, tile, count, f);
}

/* Pre-computation: the map of the thread's elements. */
template <class T, int kind>
static __device__ inline void precompute(T *mine, int tile, int count, linear_map<T> *f)
{
    set_identity(f);
    for_elements<T, kind, 0>(mine, tile, count, [&](int, const T *v) {
        const linear_map<T> old = *f;
        UNROLL()
        for (int j = 0; j < 2; j++) {
            f->m[0][j] = sum_of_two(v[0], old.m[0][j], v[1], old.m[1][j]);
            f->m[1][j] = old.m[0][j];
        }
        f->t[0] = mul_add(v[0], old.t[0], mul_add(v[1], old.t[1], v[2]));
        f->t[1] = old.t[0];
    });
}
/* Over a few elements the four components of the matrix are exact enough. MOBIUS composes the maps
 * of five chunks and of the others: with nearly parallel rows the components lose the determinant,
 * which LU has without cancellation. */
template <class T, int kind>
static __device__ inline void precompute(T *mine, int tile, int count, projective_map<T> *f)
{
    constexpr int few = 5 * CHUNK / (int)sizeof(T);
    T m[2][2] = {{1, 0}, {0, 1}}, determinant = 1;
    int exponent = 0;
    auto compose_few = [&](bool first) {
        const projective_map<T> next = map_of(m, determinant, exponent);
        *f = first ? next : compose(*f, next);
        m[0][0] = m[1][1] = determinant = 1;
        m[0][1] = m[1][0] = 0;
        exponent = 0;
    };
    for_elements<T, kind, 0>(mine, tile, count, [&](int k, const T *v) {
        UNROLL()
        for (int j = 0; j < 2; j++) {
            const T n = m[0][j], d = m[1][j];
            if (kind == RECURRENCE2_LU) {
                m[0][j] = v[2] * d;
                m[1][j] = sum_of_two(v[1], d, -v[0], n);
            } else {
                m[0][j] = sum_of_two(v[0], n, v[1], d);
                m[1][j] = sum_of_two(v[2], n, v[3], d);
            }
        }
        const T scale = half_scale(max_of(largest_of(m[0]), largest_of(m[1])));
        UNROLL()
        for (int e = 0; e < 4; e++)
            m[e / 2][e % 2] *= scale;
        if (kind == RECURRENCE2_LU) {
            determinant = determinant * (v[0] * scale) * (v[2] * scale);
            exponent -= ilogb(scale);
        } else
            determinant *= sum_of_two(v[0] * scale, v[3] * scale, -v[1] * scale, v[2] * scale);
        if (kind == RECURRENCE2_MOBIUS && k == few - 1)
            compose_few(true);
    });
    if (kind == RECURRENCE2_LU || count != few)
        compose_few(kind == RECURRENCE2_LU || count < few);
}

/* Determination: x replaces input 0, and u of LU replaces input 1. Returns the first element at
 * which LU breaks down, or `count`. */
template <class T, int kind>
static __device__ inline int determine(T *mine, int tile, int count, linear_state<T> x)
{
    for_elements<T, kind, 1>(mine, tile, count, [&](int, T *v) {
        const T next = mul_add(v[0], x.at[0], mul_add(v[1], x.at[1], v[2]));
        x.at[1] = x.at[0];
        v[0] = x.at[0] = next;
    });
    return count;
}
/* MOBIUS goes on with N and D, so that it passes poles. The next element does not wait for the
 * division of x. */
template <class T, int kind>
static __device__ inline int determine(T *mine, int tile, int count, projective_state<T> s)
{
    int broken = count;
    T x = s.at[0] / s.at[1];
    for_elements<T, kind, kind == RECURRENCE2_LU ? 2 : 1>(mine, tile, count, [&](int k, T *v) {
        if (kind == RECURRENCE2_LU) {
            const T u = neg_mul_add(v[1], v[0], x);
            v[0] = x = v[2] / u;
            v[1] = u;
            if (!(all_finite(u) && u != 0) && broken > k)
                broken = k;
        } else {
            const T n = sum_of_two(v[0], s.at[0], v[1], s.at[1]);
            s.at[1] = sum_of_two(v[2], s.at[0], v[3], s.at[1]);
            s.at[0] = n;
            rescale(&s);
            v[0] = s.at[0] / s.at[1];
        }
    });
    return broken;
}

/* Does the last x agree with the state after the thread's elements, from which the next thread goes
 * on? For LU it must, or the factors do not belong to the matrix. */
template <class T> static __device__ inline bool agrees(T x, const projective_state<T> &after)
{
    const T tolerance = sizeof(T) == 4 ? (T)0x1p-12 : (T)0x1p-26, product = x * after.at[1];
    return abs1(after.at[0] - product) <= tolerance * (abs1(after.at[0]) + abs1(product));
}
