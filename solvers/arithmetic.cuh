/* Arithmetic of the tridiagonal kernels, in addition to scalar.cuh: a branch-free reciprocal that
 * turns a breakdown into NaN, magnitudes for the choice of pivots, and exact scaling by powers of
 * two. Needs device.h and scalar.cuh. */
#pragma once

#include "scalar.cuh"

#include <math.h>

template <class R>
static __host__ __device__ inline complex_of<R> operator-(complex_of<R> x, complex_of<R> y)
{
    return {x.re - y.re, x.im - y.im};
}
template <class R> static __host__ __device__ inline complex_of<R> operator-(complex_of<R> x)
{
    return {-x.re, -x.im};
}
/* Branch-free 1/x; NaN for zero and non-finite x, so a breakdown propagates to the result. One
 * Newton step refines the estimate. The factors 0.25 extend the range to large x, whose reciprocal
 * is subnormal. */
static __host__ __device__ inline float reciprocal(float x)
{
    float x4 = x * 0.25f, y = reciprocal_estimate(x4), y4 = y * 0.25f;
    return mul_add(y4, mul_add(-x4, y, 1.0f), y4);
}
/* As for float, but the additional term e^2 makes the refinement a step of third order. */
static __host__ __device__ inline double reciprocal(double x)
{
    double x4 = x * 0.25, y = reciprocal_estimate(x4), y4 = y * 0.25, e = mul_add(-x4, y, 1.0);
    return mul_add(y4, mul_add(e, e, e), y4);
}
/* b - a * x */
template <class T> static __host__ __device__ inline T neg_mul_add(T b, T a, T x)
{
    return mul_add(-a, x, b);
}
/* 2 x - y */
template <class T> static __host__ __device__ inline T twice_minus(T x, T y)
{
    return x + x - y;
}
/* The magnitude for comparisons. For complex x it is |re| + |im|, as LAPACK's cabs1, which needs no
 * square root. */
template <class R> static __host__ __device__ inline R abs1(R x)
{
    return fabs(x);
}
template <class R> static __host__ __device__ inline R abs1(complex_of<R> x)
{
    return abs1(x.re) + abs1(x.im);
}
/* An estimate of |x| without a square root, exact for real x and within 4% for complex x. */
template <class R> static __host__ __device__ inline R modulus(R x)
{
    return fabs(x);
}
template <class R> static __host__ __device__ inline R modulus(complex_of<R> x)
{
    R re = abs1(x.re), im = abs1(x.im), sum = re + im, largest = re > im ? re : im;
    return (R)0.5625 * largest + (R)0.398 * sum;
}
template <class R> static __host__ __device__ inline R max_of(R x, R y)
{
    return fmax(x, y);
}
template <class T> static __host__ __device__ inline bool all_finite(T x)
{
    return abs1(x) * 0 == 0;
}
template <class R> static __host__ __device__ inline R nan_of(R)
{
    return NAN;
}
template <class R> static __host__ __device__ inline complex_of<R> nan_of(complex_of<R>)
{
    return {NAN, 0};
}
template <class R> static __host__ __device__ inline bool is_nan(R x)
{
    return x != x;
}
template <class R> static __host__ __device__ inline bool is_nan(complex_of<R> x)
{
    return is_nan(x.re);
}
/* The power of two that brings m > 0 into [1, 2), or the nearest normal power of two; to multiply
 * by it is exact. If m has the biased exponent e, the result has 2 bias - e. */
static __host__ __device__ inline float normalizing_scale(float m)
{
    uint32_t bits;
    memcpy(&bits, &m, 4);
    bits = 0x7f000000u - (bits & 0x7f800000u);
    if ((int32_t)bits < 0x00800000)
        bits = 0x00800000u;
    memcpy(&m, &bits, 4);
    return m;
}
static __host__ __device__ inline double normalizing_scale(double m)
{
    uint64_t bits;
    memcpy(&bits, &m, 8);
    bits = 0x7fe0000000000000u - (bits & 0x7ff0000000000000u);
    if ((int64_t)bits < 0x0010000000000000)
        bits = 0x0010000000000000u;
    memcpy(&m, &bits, 8);
    return m;
}
/* 1/x = conj(x) / |x|^2. In single precision x is scaled first, because |x|^2 easily overflows. */
static __host__ __device__ inline complex_of<float> reciprocal(complex_of<float> x)
{
    float scale = normalizing_scale(max_of(abs1(x.re), abs1(x.im))), re = x.re * scale,
          im = x.im * scale, factor = scale * reciprocal(re * re + im * im);
    return {re * factor, -im * factor};
}
static __host__ __device__ inline complex_of<double> reciprocal(complex_of<double> x)
{
    double factor = reciprocal(x.re * x.re + x.im * x.im);
    return {x.re * factor, -x.im * factor};
}
template <class R> static __host__ __device__ inline R scaled(R x, R by)
{
    return x * by;
}
template <class R> static __host__ __device__ inline complex_of<R> scaled(complex_of<R> x, R by)
{
    return {x.re * by, x.im * by};
}

template <class V> static __host__ __device__ inline void swap_if(bool condition, V &x, V &y)
{
    V old = x;
    x = condition ? y : x;
    y = condition ? old : y;
}
