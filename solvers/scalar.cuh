/* What the kernels that stream share: numbers of the four types, words handed from lane to lane and from block to block; and what their
 * launchers ask of a GPU.
 * Goes with device.h. */
#ifndef SCALAR_CUH
#define SCALAR_CUH

#include "device.h"

#include <string.h>

enum { WARP = 32, CHUNK = 16 /* bytes */ };
#define ALL_LANES 0xffffffffu

template <class T> struct alignas(CHUNK) chunk {
    T word[CHUNK / sizeof(T)];
};

/* ---- numbers ---- */

static __host__ __device__ inline int64_t over(int64_t n, int64_t by) /* rounded up */
{
    return n / by + (n % by != 0);
}

/* Bytes of BLAS's 's', 'd', 'c', 'z'; 0: no such type. */
static inline size_t size_of_word(char type)
{
    return type == 's' ? 4 : type == 'd' || type == 'c' ? 8 : type == 'z' ? 16 : 0;
}

template <class R> struct alignas(2 * sizeof(R)) complex_of {
    FIELDS(complex_of, R, re, im);
};

template <class R> static __device__ inline R zero_of(R)
{
    return 0;
}
template <class R> static __device__ inline complex_of<R> zero_of(complex_of<R>)
{
    return {0, 0};
}
template <class R> static __device__ inline R one_of(R)
{
    return 1;
}
template <class R> static __device__ inline complex_of<R> one_of(complex_of<R>)
{
    return {1, 0};
}
static __device__ inline float conjugate(float x)
{
    return x;
}
static __device__ inline double conjugate(double x)
{
    return x;
}
template <class R> static __device__ inline complex_of<R> conjugate(complex_of<R> x)
{
    return {x.re, -x.im};
}
template <class R>
static __device__ inline complex_of<R> operator*(complex_of<R> x, complex_of<R> y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class R>
static __device__ inline complex_of<R> operator+(complex_of<R> x, complex_of<R> y)
{
    return {x.re + y.re, x.im + y.im};
}
/* a x + b */
static __device__ inline float step(float a, float x, float b)
{
    return a * x + b;
}
static __device__ inline double step(double a, double x, double b)
{
    return a * x + b;
}
template <class R>
static __device__ inline complex_of<R> step(complex_of<R> a, complex_of<R> x, complex_of<R> b)
{
    return {a.re * x.re + (b.re - a.im * x.im), a.re * x.im + (a.im * x.re + b.im)};
}

template <class T> static __device__ inline T from_lane(T x, int lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}
template <class R> static __device__ inline complex_of<R> from_lane(complex_of<R> x, int lane)
{
    return {from_lane(x.re, lane), from_lane(x.im, lane)};
}

/* ---- what blocks tell each other ---- */

/* Half a 64-bit word is payload, the other half the number of the call. A word is seen whole or not at all, so no flag, no
 * fence and no clearing is needed: what an earlier call left has another number. Words lie in pairs, pairs of a value
 * `tiles` apart, so that a warp reads those of 32 tiles as neighbours. */
template <class V> static __host__ __device__ constexpr int64_t words_told(void)
{
    return sizeof(V) / 4;
}
template <class V>
static __device__ inline void tell(uint64_t *table, int64_t tiles, int64_t tile, V value,
                                   unsigned call)
{
    constexpr int words = words_told<V>();
    unsigned half[words];
    uint64_t word[words];
    memcpy(half, &value, sizeof(V));
    for (int k = 0; k < words; k++)
        word[k] = (uint64_t)call << 32 | half[k];
    if (words == 1)
        store_relaxed(table + tile, word);
    else
        for (int k = 0; k < words; k += 2)
            store_relaxed_pair(table + 2 * tile + k * tiles, word + k);
}
/* Loading and looking apart, so that many loads can be on their way. */
template <class V>
static __device__ inline void ask(const uint64_t *table, int64_t tiles, int64_t tile,
                                  uint64_t *word)
{
    constexpr int words = words_told<V>();
    if (words == 1)
        load_relaxed(table + tile, word);
    else
        for (int k = 0; k < words; k += 2)
            load_relaxed_pair(table + 2 * tile + k * tiles, word + k);
}
template <class V>
static __device__ inline bool answered(const uint64_t *word, V *value, unsigned call)
{
    constexpr int words = words_told<V>();
    unsigned half[words];
    bool all = true;
    for (int k = 0; k < words; k++) {
        half[k] = (unsigned)word[k];
        all = all && word[k] >> 32 == call;
    }
    memcpy((void *)value, half, sizeof(V));
    return all;
}
template <class V>
static __device__ inline V wait_for(const uint64_t *table, int64_t tiles, int64_t tile,
                                    unsigned call)
{
    uint64_t word[words_told<V>()];
    V value;
    for (;;) {
        ask<V>(table, tiles, tile, word);
        if (answered(word, &value, call))
            return value;
        device_pause();
    }
}

/* ---- for launchers ---- */

/* The GPU at hand: multiprocessors, and bytes of shared memory that a block can have. */
struct machine {
    int processors;
    size_t room;
};
static inline cudaError_t look(struct machine *m)
{
    int device, room;
    TRY(cudaGetDevice(&device));
    TRY(device_attribute(&m->processors, cudaDevAttrMultiProcessorCount, device));
    TRY(device_attribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    m->room = (size_t)room;
    return cudaSuccess;
}

#endif
