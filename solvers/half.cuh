/* Numbers that are stored in 16 bits and computed in single precision: types 'h' (IEEE half) and
 * 'b' (bfloat16) of recurrence.h. `computed<S>` is the type in which elements of type S are computed:
 * S itself, or float. */
#pragma once

#include "scalar.cuh"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

struct half_element {
    uint16_t bits; /* sign, 5 bits of exponent, 10 of mantissa */
};
struct bfloat_element {
    uint16_t bits; /* the upper half of a float */
};

template <class S> struct computed_of {
    typedef S type;
};
template <> struct computed_of<half_element> {
    typedef float type;
};
template <> struct computed_of<bfloat_element> {
    typedef float type;
};
template <class S> using computed = typename computed_of<S>::type;

template <class S> static __host__ __device__ inline S value_of(S x)
{
    return x;
}
static __host__ __device__ inline float rounded_to(float, float x)
{
    return x;
}
static __host__ __device__ inline double rounded_to(double, double x)
{
    return x;
}
template <class R>
static __host__ __device__ inline complex_of<R> rounded_to(complex_of<R>, complex_of<R> x)
{
    return x;
}
#ifdef __CUDACC__
static __device__ inline float value_of(half_element x)
{
    return __half2float(__ushort_as_half(x.bits));
}
static __device__ inline float value_of(bfloat_element x)
{
    return __uint_as_float((unsigned)x.bits << 16);
}
static __device__ inline half_element rounded_to(half_element, float x)
{
    return {__half_as_ushort(__float2half_rn(x))};
}
static __device__ inline bfloat_element rounded_to(bfloat_element, float x)
{
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
}
#else
static inline unsigned bits_of(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float float_of(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float value_of(bfloat_element x)
{
    return float_of((unsigned)x.bits << 16);
}
/* The exponent of a half is 112 less than that of a float; the product also normalizes. */
static inline float value_of(half_element x)
{
    const unsigned size = (x.bits & 0x7fffu) << 13, sign = (x.bits & 0x8000u) << 16;
    if (size >= 0x7c00u << 13) /* infinity or NaN */
        return float_of(sign | size | 0x7f800000u);
    return float_of(sign | bits_of(float_of(size) * 0x1p112f));
}
/* To nearest; a tie goes to the even one. */
static inline unsigned without_low_bits(unsigned bits, int low)
{
    return (bits + (1u << (low - 1)) - 1 + (bits >> low & 1)) >> low;
}
static inline bfloat_element rounded_to(bfloat_element, float x)
{
    const unsigned bits = bits_of(x);
    return {(uint16_t)(x != x ? bits >> 16 | 0x40 : without_low_bits(bits, 16))};
}
static inline half_element rounded_to(half_element, float x)
{
    const unsigned sign = bits_of(x) >> 16 & 0x8000, size = bits_of(x) & 0x7fffffff;
    const float positive = float_of(size);
    const unsigned half = x != x                ? 0x7e00
                          : positive >= 65520   ? 0x7c00
                          : positive < 0x1p-14f ? bits_of(positive + 0.5f) - bits_of(0.5f)
                                                : without_low_bits(size - (112u << 23), 13);
    return {(uint16_t)(sign | half)};
}
#endif
/* x in the type of an array's elements */
template <class S> static __device__ inline S element_of(computed<S> x)
{
    return rounded_to(S(), x);
}
static __host__ __device__ inline half_element zero_of(half_element)
{
    return {0};
}
static __host__ __device__ inline bfloat_element zero_of(bfloat_element)
{
    return {0};
}

/* For launchers: bytes of an element and of the number that is computed; 0 for another letter. */
static inline size_t stored_bytes(char type)
{
    return type == 'h' || type == 'b' ? 2 : element_bytes(type);
}
static inline size_t number_bytes(char type)
{
    return type == 'h' || type == 'b' ? 4 : element_bytes(type);
}
#define BY_STORED_TYPE(type, function, ...)                                                        \
    ((type) == 'h'   ? function<half_element>(__VA_ARGS__)                                         \
     : (type) == 'b' ? function<bfloat_element>(__VA_ARGS__)                                       \
                     : BY_TYPE(type, function, __VA_ARGS__))
