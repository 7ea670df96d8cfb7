/* Numbers that are stored in 16 bits and computed in single precision: types 'h' (IEEE half) and
 * 'b' (bfloat16) of recurrence.h. Elements of type S are computed in the type computed<S>: S
 * itself, or float. */
#pragma once

#include "scalar.cuh"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include "half.h"
#endif

struct half_element {
    FIELDS(half_element, uint16_t, bits); /* sign, 5 bits of exponent, 10 of mantissa */
};
struct bfloat_element {
    FIELDS(bfloat_element, uint16_t, bits); /* the upper half of a float */
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
static inline float value_of(half_element x)
{
    return float_of_half(x.bits);
}
static inline float value_of(bfloat_element x)
{
    return float_of_bfloat(x.bits);
}
static inline half_element rounded_to(half_element, float x)
{
    return {half_of_float(x)};
}
static inline bfloat_element rounded_to(bfloat_element, float x)
{
    return {bfloat_of_float(x)};
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
