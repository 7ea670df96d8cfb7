/* What the kernels of all solvers use: arithmetic on the four number types ('s', 'd', 'c', 'z' as
 * in BLAS), exchange between the lanes of a warp, and what launchers ask about arrays and the GPU.
 * Needs device.h and device_async.h. */
#pragma once

#include "device_async.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* CHUNK: bytes that a thread loads or stores at once. */
enum { WARP = 32, WARP_LOG = 5, CHUNK = 16 };
#define ALL_LANES 0xffffffffu

template <class T> struct alignas(CHUNK) chunk {
    T element[CHUNK / sizeof(T)];
};

/* ---- numbers ---- */

/* n / by, rounded up. */
static __host__ __device__ inline int64_t ceil_div(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

/* Bytes of an element of the type 's', 'd', 'c' or 'z'; 0 for another letter. */
static inline size_t element_bytes(char type)
{
    return type == 's' ? 4 : type == 'd' || type == 'c' ? 8 : type == 'z' ? 16 : 0;
}

/* Because of the alignment, one instruction can load or store both parts. */
template <class R> struct alignas(2 * sizeof(R)) complex_of {
    FIELDS(complex_of, R, re, im);
};

/* 0 and 1 in the type of the argument. */
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
template <class R> static __host__ __device__ inline R conjugate(R x)
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
/* a * x + b. Where a fused multiply-add is fast, the compiler must use one: gcc 14 would decide
 * anew wherever the function is inlined, and two kernels would give different bits. */
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

/* x of lane `lane`. All lanes of the warp must call it. */
template <class T> static __device__ inline T from_lane(T x, int lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}
template <class R> static __device__ inline complex_of<R> from_lane(complex_of<R> x, int lane)
{
    return {from_lane(x.re, lane), from_lane(x.im, lane)};
}

/* ---- for launchers ---- */

static inline bool all_aligned(std::initializer_list<const void *> arrays, size_t alignment)
{
    for (const void *array : arrays)
        if (!device_aligned(array, alignment))
            return false;
    return true;
}

/* The number of multiprocessors, and the bytes of a block's shared memory and of the second
 * cache. */
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
