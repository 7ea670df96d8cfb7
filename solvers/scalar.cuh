/* Functions that the kernels of all solvers use: arithmetic on the four number types ('s', 'd',
 * 'c', 'z' as in BLAS), exchange of values between the lanes of a warp, and the properties of a GPU
 * that launchers need. Needs device.h and device_async.h. */
#ifndef SCALAR_CUH
#define SCALAR_CUH

#include "device_async.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* WARP: threads of a warp. CHUNK: bytes that a thread loads or stores at once. */
enum { WARP = 32, CHUNK = 16 };
#define ALL_LANES 0xffffffffu

/* The elements that a thread loads or stores at once. */
template <class T> struct alignas(CHUNK) chunk {
    T element[CHUNK / sizeof(T)];
};

/* ---- numbers ---- */

/* Returns n / by, rounded up. */
static __host__ __device__ inline int64_t ceil_div(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

/* Bytes of an element of the type 's', 'd', 'c' or 'z'; 0 for another letter. */
static inline size_t element_bytes(char type)
{
    return type == 's' ? 4 : type == 'd' || type == 'c' ? 8 : type == 'z' ? 16 : 0;
}

/* A complex number with real type R. Because of the alignment, one instruction can load or store
 * both parts. */
template <class R> struct alignas(2 * sizeof(R)) complex_of {
    FIELDS(complex_of, R, re, im);
};

/* Return 0 and 1 in the type of the argument. The value of the argument is not used. */
template <class R> static __host__ __device__ inline R zero_of(R)
{
    return 0;
}
template <class R> static __host__ __device__ inline complex_of<R> zero_of(complex_of<R>)
{
    return {0, 0};
}
template <class R> static __host__ __device__ inline R one_of(R)
{
    return 1;
}
template <class R> static __host__ __device__ inline complex_of<R> one_of(complex_of<R>)
{
    return {1, 0};
}
/* The complex conjugate; a real number is its own conjugate. */
static __host__ __device__ inline float conjugate(float x)
{
    return x;
}
static __host__ __device__ inline double conjugate(double x)
{
    return x;
}
template <class R> static __host__ __device__ inline complex_of<R> conjugate(complex_of<R> x)
{
    return {x.re, -x.im};
}
template <class R>
static __host__ __device__ inline complex_of<R> operator*(complex_of<R> x, complex_of<R> y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class R>
static __host__ __device__ inline complex_of<R> operator+(complex_of<R> x, complex_of<R> y)
{
    return {x.re + y.re, x.im + y.im};
}
/* Returns a * x + b. Where a fused multiply-add is fast, the compiler must use one: nvcc always
 * does, but gcc 14 decides differently for each place where the function is inlined. Two kernels
 * would then give different bits for the same system. Hence fma(). */
static __host__ __device__ inline float mul_add(float a, float x, float b)
{
#ifdef FP_FAST_FMAF
    return fmaf(a, x, b);
#else
    return a * x + b;
#endif
}
static __host__ __device__ inline double mul_add(double a, double x, double b)
{
#ifdef FP_FAST_FMA
    return fma(a, x, b);
#else
    return a * x + b;
#endif
}
template <class R>
static __host__ __device__ inline complex_of<R> mul_add(complex_of<R> a, complex_of<R> x,
                                                        complex_of<R> b)
{
    return {mul_add(a.re, x.re, mul_add(-a.im, x.im, b.re)),
            mul_add(a.re, x.im, mul_add(a.im, x.re, b.im))};
}

/* Returns the value of x in lane `lane`. All lanes of the warp must call it. */
template <class T> static __device__ inline T from_lane(T x, int lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}
template <class R> static __device__ inline complex_of<R> from_lane(complex_of<R> x, int lane)
{
    return {from_lane(x.re, lane), from_lane(x.im, lane)};
}

/* ---- for launchers ---- */

/* A solver writes `bytes` bytes at x + k stride, 0 <= k < sides. True if that overlaps the `other`
 * bytes at `from` + j stride, 0 <= j < from_sides. */
static inline bool sides_overlap(const void *from, int64_t other, int64_t from_sides, const void *x,
                                 int64_t bytes, int64_t sides, int64_t stride)
{
    int64_t apart = (int64_t)((intptr_t)from - (intptr_t)x), least = 1 - from_sides, k = least;
    if (stride > 0) { /* k: the first side of x that ends behind `from` */
        int64_t before = apart - bytes;
        k = before >= 0 ? before / stride + 1 : -((-before - 1) / stride);
        k = k < least ? least : k;
    }
    return k < sides && k * stride > apart - bytes && k * stride < apart + other;
}
/* True if x overlaps an input of a solver of one system: the arrays of the matrix, of n elements or
 * one, or rhs, unless rhs is x. */
static inline bool overwrites_input(const void *sub, const void *diag, const void *super,
                                    const void *rhs, const void *x, int64_t n, bool toeplitz,
                                    int64_t sides, int64_t stride, size_t element)
{
    const int64_t size = (int64_t)element, bytes = n * size, one = toeplitz ? size : bytes;
    sides = sides > 1 ? sides : 1;
    stride = sides > 1 ? stride * size : 0;
    for (const void *array : {sub, diag, super})
        if (sides_overlap(array, one, 1, x, bytes, sides, stride))
            return true;
    return rhs != x && sides_overlap(rhs, bytes, sides, x, bytes, sides, stride);
}

/* Properties of the current GPU: the number of its multiprocessors, the maximum bytes of shared
 * memory of a block, and the bytes of its second cache. */
struct device_properties {
    int multiprocessors;
    size_t shared_bytes;
    int64_t l2_bytes;
};
static inline cudaError_t query_device(struct device_properties *properties)
{
    int device, shared_bytes, l2_bytes;
    TRY(cudaGetDevice(&device));
    TRY(device_attribute(&properties->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    TRY(device_attribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    TRY(device_attribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    properties->shared_bytes = (size_t)shared_bytes;
    properties->l2_bytes = l2_bytes;
    return cudaSuccess;
}

#endif
