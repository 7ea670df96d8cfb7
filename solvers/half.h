/* Numbers of 16 bits and floats: IEEE half and bfloat16, without branches, so that compilers turn
 * loops of conversions into vector instructions. For recurrence_cpu.h and the CPU device. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
/* One of two numbers without a branch, which vector instructions do not have. */
static inline int32_t choose(bool first, int32_t a, int32_t b)
{
    const int32_t mask = -(int32_t)first;
    return (a & mask) | (b & ~mask);
}
/* The exponent of a half is 112 less than that of a float. A subnormal one gets the exponent -14,
 * and then 2^-14 is subtracted, so that no operand is a subnormal float. */
static inline float float_of_half(uint16_t x)
{
    const int32_t size = (x & 0x7fff) << 13, normal = size + (112 << 23),
                  subnormal = bits_of(float_of(size + (113 << 23)) - 0x1p-14f),
                  finite = choose(size < 1 << 23, subnormal, normal),
                  bits = finite | choose(size >= 31 << 23, 0x7f800000, 0);
    return float_of((int32_t)((uint32_t)bits | (x & 0x8000u) << 16));
}
/* Without the low bits, to nearest; a tie goes to the even one. */
static inline int32_t without_low_bits(int32_t bits, int low)
{
    return (bits + (1 << (low - 1)) - 1 + (bits >> low & 1)) >> low;
}
/* A sum with 2^-1 has no bits below 2^-24, the last bit of a subnormal half. */
static inline uint16_t half_of_float(float x)
{
    const int32_t infinity = 255 << 23, size = bits_of(x) & 0x7fffffff,
                  sign = bits_of(x) >> 16 & 0x8000,
                  most = choose(size < 143 << 23, size, 143 << 23),
                  normal = without_low_bits(most - (112 << 23), 13),
                  subnormal = bits_of(float_of(most) + 0.5f) - (126 << 23),
                  half = choose(size < 113 << 23, subnormal, normal);
    return (uint16_t)(sign | choose(size > infinity, 0x7e00, half));
}
static inline float float_of_bfloat(uint16_t x)
{
    return float_of((int32_t)((uint32_t)x << 16));
}
static inline uint16_t bfloat_of_float(float x)
{
    const int32_t infinity = 255 << 23, size = bits_of(x) & 0x7fffffff,
                  sign = bits_of(x) >> 16 & 0x8000,
                  rounded = without_low_bits(choose(size > infinity, infinity, size), 16);
    return (uint16_t)(sign | choose(size > infinity, 0x7fc0, rounded));
}
