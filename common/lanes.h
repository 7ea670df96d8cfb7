/* The SIMD lanes of a CPU core, used as the processors of a parallel algorithm, by the vector
 * extensions of gcc and clang. Vectors are as wide as the build target's registers: 64 bytes with
 * AVX-512, 32 with AVX, otherwise 16 (SSE2, NEON, plain C).
 *
 * P-scheme gives each lane a range of consecutive rows, and a vector instruction computes with one
 * row of every lane. To gather these, W consecutive rows of each of the W lanes are loaded as a
 * square, which is transposed in registers. W12 section III rearranges an array in a similar way,
 * so that the threads of a GPU read consecutive elements.
 *
 * Suffix _s: float, _d: double. All functions are inline and allocate nothing.
 *
 *   lanes_vec_s, lanes_vec_d   a vector of LANES_s or LANES_d elements
 *   lanes_load, lanes_store    load or store one vector at an address of any alignment
 *   lanes_transpose            transposes a square: m[i][k] becomes m[k][i]
 *   lanes_load_square          m[i][k] = a[k stride + i], which is row i of lane k
 *   lanes_store_square         the reverse of lanes_load_square; it destroys m
 *   lanes_fetch                prefetches cache lines, for reading or for writing
 *   lanes_core, lanes_cores    number of this OpenMP thread, and of threads; or 0 and 1
 *   lanes_begin, lanes_end     between them subnormal results become 0
 *
 * Subnormal results occur as products of coefficients that decay along a lane, and many processors
 * are slow with them. lanes_begin() changes the mode of the calling thread (SSE only); its result
 * is the argument of lanes_end(). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined __AVX512F__
#define LANES_BYTES       64
#define LANES_TRANSPOSE_s LANES_TRANSPOSE_16
#define LANES_TRANSPOSE_d LANES_TRANSPOSE_8
#elif defined __AVX__
#define LANES_BYTES       32
#define LANES_TRANSPOSE_s LANES_TRANSPOSE_8
#define LANES_TRANSPOSE_d LANES_TRANSPOSE_4
#else
#define LANES_BYTES       16
#define LANES_TRANSPOSE_s LANES_TRANSPOSE_4
#define LANES_TRANSPOSE_d LANES_TRANSPOSE_2
#endif
enum { LANES_s = LANES_BYTES / sizeof(float), LANES_d = LANES_BYTES / sizeof(double) };

#define LANES_INLINE static inline __attribute__((always_inline, unused))
#define LANES_UNROLL _Pragma("GCC unroll 16")

enum { LANES_LINE = 64 }; /* bytes of a cache line */
/* `lines` lines from the one that contains the address `from` on, which need not be valid. */
LANES_INLINE void lanes_fetch(uintptr_t from, int lines, int to_write)
{
    LANES_UNROLL for (int k = 0; k < lines; k++)
    {
        const void *line = (const void *)(from + (uintptr_t)k * LANES_LINE);
        if (to_write)
            __builtin_prefetch(line, 1);
        else
            __builtin_prefetch(line, 0);
    }
}

LANES_INLINE int lanes_core(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}
LANES_INLINE int lanes_cores(void)
{
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

#if defined __SSE__
#include <xmmintrin.h>
LANES_INLINE unsigned lanes_begin(void)
{
    enum { FLUSH_TO_ZERO = 1 << 15 };
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH_TO_ZERO);
    return before;
}
LANES_INLINE void lanes_end(unsigned before)
{
    _mm_setcsr(before);
}
#else
LANES_INLINE unsigned lanes_begin(void)
{
    return 0;
}
LANES_INLINE void lanes_end(unsigned before)
{
    (void)before;
}
#endif

/* LANES_N(f, h, w) lists f(0, h, w) to f(N - 1, h, w). For N = w these are the indices of a
 * shuffle. */
#define LANES_2(f, h, w) f(0, h, w), f(1, h, w)
#define LANES_4(f, h, w) LANES_2(f, h, w), f(2, h, w), f(3, h, w)
#define LANES_8(f, h, w) LANES_4(f, h, w), f(4, h, w), f(5, h, w), f(6, h, w), f(7, h, w)
#define LANES_16(f, h, w)                                                                          \
    LANES_8(f, h, w), f(8, h, w), f(9, h, w), f(10, h, w), f(11, h, w), f(12, h, w), f(13, h, w),  \
        f(14, h, w), f(15, h, w)
/* A step of the transposition exchanges groups of h elements between the rows i and i + h. A
 * shuffle forms each new row from the two old ones: its indices 0 to w - 1 are the elements of row
 * i, w to 2 w - 1 those of row i + h. LANES_LOW and LANES_HIGH are the indices of the elements that
 * move to position k of the new rows i and i + h. */
#define LANES_LOW(k, h, w)  ((k) & (h) ? (w) + (k) - (h) : (k))
#define LANES_HIGH(k, h, w) ((k) & (h) ? (w) + (k) : (k) + (h))
/* Does this step for all pairs of rows i and i + h of the square m. `all` is LANES_w. */
#define LANES_EXCHANGE(all, h, w)                                                                  \
    LANES_UNROLL for (int k = 0; k < (w); k += 2 * (h))                                            \
        LANES_UNROLL for (int i = k; i < k + (h); i++)                                             \
    {                                                                                              \
        VEC low = m[i], high = m[i + (h)];                                                         \
        m[i] = __builtin_shufflevector(low, high, all(LANES_LOW, h, w));                           \
        m[i + (h)] = __builtin_shufflevector(low, high, all(LANES_HIGH, h, w));                    \
    }
#define LANES_TRANSPOSE_2 LANES_EXCHANGE(LANES_2, 1, 2)
#define LANES_TRANSPOSE_4 LANES_EXCHANGE(LANES_4, 2, 4) LANES_EXCHANGE(LANES_4, 1, 4)
#define LANES_TRANSPOSE_8                                                                          \
    LANES_EXCHANGE(LANES_8, 4, 8) LANES_EXCHANGE(LANES_8, 2, 8) LANES_EXCHANGE(LANES_8, 1, 8)
#define LANES_TRANSPOSE_16                                                                         \
    LANES_EXCHANGE(LANES_16, 8, 16)                                                                \
    LANES_EXCHANGE(LANES_16, 4, 16)                                                                \
    LANES_EXCHANGE(LANES_16, 2, 16) LANES_EXCHANGE(LANES_16, 1, 16)

#define REAL       float
#define VEC        lanes_vec_s
#define W          LANES_s
#define NAME(name) name##_s
#include "lanes_body.h"

#define REAL       double
#define VEC        lanes_vec_d
#define W          LANES_d
#define NAME(name) name##_d
#include "lanes_body.h"
