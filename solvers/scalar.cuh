/* What the kernels that stream share: numbers of the four types, words handed from lane to lane and from block to block; and what their
 * launchers ask of a GPU.
 * Goes with device.h. */
#ifndef SCALAR_CUH
#define SCALAR_CUH

#include "device_async.h"

#include <string.h>

enum { WARP = 32, CHUNK = 16 /* bytes */ };
#define ALL_LANES 0xffffffffu

template <class T> struct alignas(CHUNK) chunk {
    T element[CHUNK / sizeof(T)];
};

/* ---- numbers ---- */

static __host__ __device__ inline int64_t ceil_div(int64_t n, int64_t by) /* rounded up */
{
    return n / by + (n % by != 0);
}

/* Bytes of BLAS's 's', 'd', 'c', 'z'; 0: no such type. */
static inline size_t element_bytes(char type)
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
static __device__ inline float mul_add(float a, float x, float b)
{
    return a * x + b;
}
static __device__ inline double mul_add(double a, double x, double b)
{
    return a * x + b;
}
template <class R>
static __device__ inline complex_of<R> mul_add(complex_of<R> a, complex_of<R> x, complex_of<R> b)
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

/* ---- for launchers ---- */

/* The GPU at hand: multiprocessors, and bytes of shared memory that a block can have. */
struct device_properties {
    int multiprocessors;
    size_t shared_bytes;
};
static inline cudaError_t query_device(struct device_properties *m)
{
    int device, shared_bytes;
    TRY(cudaGetDevice(&device));
    TRY(device_attribute(&m->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    TRY(device_attribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    m->shared_bytes = (size_t)shared_bytes;
    return cudaSuccess;
}

#endif
