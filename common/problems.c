/* Inputs of the experiments (problems.h). Values are drawn in double precision and then rounded, so
 * that a seed gives the same system in single and double precision. */
#include "problems.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void random_skip(struct random *r, int64_t count)
{
    r->state += (uint64_t)count * UINT64_C(0x9e3779b97f4a7c15);
}

double random_uniform(struct random *r, double low, double high)
{
    double value = low + (high - low) * ((double)(random_bits(r) >> 11) * 0x1p-53);
    return value < high ? value : low; /* rounding can make the sum equal to high */
}

/* Returns value with a random sign. A branch would be predicted wrongly half of the time. */
static double random_sign(struct random *r, double value)
{
    uint64_t bits, sign = random_bits(r) & UINT64_C(1) << 63;
    memcpy(&bits, &value, sizeof bits);
    bits ^= sign;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* A number whose absolute value is uniform in [low, high), with random sign. */
static double random_signed(struct random *r, double low, double high)
{
    return random_sign(r, random_uniform(r, low, high));
}

/* Never near 0, so that the result is visibly wrong if a solver omits a term. */
static double random_term(struct random *r)
{
    return random_signed(r, 1e-3, 1);
}

/* Numbers of 16 bits: a sign, an exponent, and a mantissa of so many bits. */
static bool is_half(char type)
{
    return type == 'h' || type == 'b';
}
static int mantissa_bits(char type)
{
    return type == 'h' ? 10 : 7;
}
/* To nearest; a tie goes to the even one. A subnormal number has the smallest exponent. */
static uint16_t half_bits(char type, double value)
{
    const int mantissa = mantissa_bits(type), bias = (1 << (14 - mantissa)) - 1;
    const int sign = signbit(value) ? 1 << 15 : 0, infinity = (2 * bias + 1) << mantissa;
    if (isnan(value))
        return (uint16_t)(infinity | 1 << (mantissa - 1));
    int exponent = isinf(value) ? 0 : ilogb(value); /* of 0: the least int */
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    const double steps = rint(ldexp(fabs(value), mantissa - exponent)); /* of the last bit */
    const double bits = steps + (double)((exponent + bias - 1) << mantissa);
    return (uint16_t)(sign | (bits < infinity ? (int)bits : infinity));
}
static double half_value(char type, uint16_t bits)
{
    const int mantissa = mantissa_bits(type), bias = (1 << (14 - mantissa)) - 1;
    const int exponent = (bits & 0x7fff) >> mantissa, rest = bits & ((1 << mantissa) - 1);
    const double size = exponent > 2 * bias ? (rest ? (double)NAN : (double)INFINITY)
                        : exponent == 0     ? ldexp(rest, 1 - bias - mantissa)
                                        : ldexp(rest + (1 << mantissa), exponent - bias - mantissa);
    return bits >> 15 ? -size : size;
}

void put(char type, void *array, int64_t i, double value)
{
    if (is_half(type))
        ((uint16_t *)array)[i] = half_bits(type, value);
    else if (type == 's')
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

double get(char type, const void *array, int64_t i)
{
    return is_half(type) ? half_value(type, ((const uint16_t *)array)[i])
           : type == 's' ? (double)((const float *)array)[i]
                         : ((const double *)array)[i];
}

int size_of(char type)
{
    return is_half(type) ? 2 : type == 's' ? 4 : type == 'z' ? 16 : 8;
}

bool is_complex(char type)
{
    return type == 'c' || type == 'z';
}

char real_type(char type)
{
    return type == 'c' ? 's' : type == 'z' ? 'd' : type;
}

const char *recurrence_name(enum recurrence_kind kind)
{
    static const char *const names[RECURRENCE_KINDS] = {"contracting", "near-one", "with-zeros"};
    return names[kind];
}

void fill_recurrence(char type, enum recurrence_kind kind, uint64_t seed, int64_t n, void *s,
                     void *t)
{
    struct random r = {seed};
    for (int64_t i = 0; i < n; i++) {
        double factor = kind == RECURRENCE_NEAR_ONE
                            ? random_signed(&r, 1, 1) * (1 + random_signed(&r, 1e-5, 1e-5))
                            : random_signed(&r, 0.1, 0.9);
        bool zero = kind == RECURRENCE_WITH_ZEROS && (i + 1) % 17 == 0;
        put(type, s, i, zero ? 0 : factor);
        put(type, t, i, random_term(&r));
    }
}

const char *tridiagonal_name(enum tridiagonal_kind kind)
{
    static const char *const names[TRIDIAGONAL_KINDS] = {"constant", "dominant", "poisson", "heat",
                                                         "with-zeros"};
    return names[kind];
}

void fill_tridiagonal(char type, enum tridiagonal_kind kind, uint64_t seed, int64_t n, void *diag,
                      void *off, void *rhs)
{
    struct random r = {seed};
    for (int64_t i = 0; i < n; i++) {
        double a, b;
        if (kind == TRIDIAGONAL_CONSTANT || kind == TRIDIAGONAL_POISSON) {
            a = kind == TRIDIAGONAL_CONSTANT ? 4 : 2;
            b = 1;
        } else if (kind == TRIDIAGONAL_HEAT) {
            b = random_uniform(&r, 0.1, 10);
            a = 1 + 2 * b;
        } else {
            b = random_term(&r);
            a = 2 * fabs(b) + random_uniform(&r, 0.5, 1.5);
            a = random_sign(&r, a);
            if (kind == TRIDIAGONAL_WITH_ZEROS && (i + 1) % 13 == 0)
                b = 0;
        }
        bool boundary = i == 0 || i == n - 1;
        put(type, diag, i, boundary ? 1 : a);
        put(type, off, i, boundary ? 0 : b);
        put(type, rhs, i, random_term(&r));
    }
}

const char *system_name(enum system kind)
{
    static const char *const names[SYSTEM_KINDS] = {"dominant", "poisson", "barely", "mixed"};
    return names[kind];
}

/* A random power of two from 2^-20 to 2^20. */
static double random_scale(struct random *r)
{
    return ldexp(1, (int)(random_bits(r) % 41) - 20);
}

/* Writes element i. In a complex type it is value times exp(i angle), random if `turn` is true. */
static void put_turned(char type, struct random *r, bool turn, void *array, int64_t i, double value)
{
    if (!is_complex(type)) {
        put(type, array, i, value);
        return;
    }
    double angle = turn ? random_uniform(r, -3.14159265, 3.14159265) : 0;
    put(real_type(type), array, 2 * i, value * cos(angle));
    put(real_type(type), array, 2 * i + 1, value * sin(angle));
}

/* The rows that share a stream of random numbers, so that several threads can fill a system. */
enum { ROWS_A_STREAM = 4096 };

/* Fills the rows of system k from `from` to `to`. */
static void fill_rows(char type, enum system kind, uint64_t seed, int64_t n, int64_t k,
                      int64_t from, int64_t to, void *sub, void *diag, void *super, void *rhs)
{
    struct random r = {seed ^ (uint64_t)k * UINT64_C(0x9e3779b97f4a7c15)};
    r.state = random_bits(&r); /* so that similar seeds give different systems */
    double system_scale = kind == SYSTEM_MIXED ? random_scale(&r) : 1;
    bool turn = kind != SYSTEM_POISSON;
    if (from > 0) {
        r.state ^= (uint64_t)(from / ROWS_A_STREAM) * UINT64_C(0xbf58476d1ce4e5b9);
        r.state = random_bits(&r);
    }
    for (int64_t i = from; i < to; i++) {
        double below = i > 0 ? random_term(&r) : 0, above = i < n - 1 ? random_term(&r) : 0;
        double off = fabs(below) + fabs(above), scale = system_scale;
        double b = kind == SYSTEM_BARELY
                       ? (off > 0 ? off : 1) * (1 + 1e-3 * random_uniform(&r, 0.5, 1.5))
                       : off + random_uniform(&r, 0.5, 1.5);
        b = random_sign(&r, b);
        if (kind == SYSTEM_POISSON)
            below = above = -1, b = 2;
        if (kind == SYSTEM_MIXED)
            scale *= random_scale(&r);
        put_turned(type, &r, turn, sub, k * n + i, i > 0 ? scale * below : (double)NAN);
        put_turned(type, &r, turn, diag, k * n + i, scale * b);
        put_turned(type, &r, turn, super, k * n + i, i < n - 1 ? scale * above : (double)NAN);
        put_turned(type, &r, true, rhs, k * n + i, scale * random_term(&r));
    }
}

void fill_systems(char type, enum system kind, uint64_t seed, int64_t n, int64_t batch, void *sub,
                  void *diag, void *super, void *rhs)
{
    int64_t streams = (n + ROWS_A_STREAM - 1) / ROWS_A_STREAM;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < batch * streams; j++) {
        int64_t k = j / streams, from = j % streams * ROWS_A_STREAM;
        int64_t to = n - from < ROWS_A_STREAM ? n : from + ROWS_A_STREAM;
        fill_rows(type, kind, seed, n, k, from, to, sub, diag, super, rhs);
    }
}
