/* The maps of recurrence2.cu: what a range of elements does to the state before it.
 *
 *     LINEAR        state (x_i, x_(i-1)), map s -> m s + t
 *     MOBIUS, LU    state (N, D) with x_i = N / D, map s -> m s
 *
 * An element has the matrix (a b; 1 0) and t = (c, 0) if it is LINEAR, (a b; c d) if MOBIUS, and
 * (0 c; -a b) if LU. A state with D = 0 is x_i = infinity, which is a point like any other. Only
 * its direction (N, D) counts, but in LU D is also the determinant of the rows so far.
 *
 * A product of matrices of MOBIUS or LU soon has nearly parallel rows, since most of these
 * recurrences forget where they began. Its four components would lose the small difference between
 * the rows, its determinant, which still matters where a state comes close to the pole of the map.
 * With m = (2 -1; 1 0)^n, of Poisson's equation, components of size n would have to be known to
 * 1/n^2 of their size. So a map keeps a pivot f, a component that is not much smaller than the
 * largest one, the row and the column of the pivot divided by it, and as fourth number the Schur
 * complement e, which is det m / f^2 but for the sign. The determinant of a product is a product
 * and loses nothing. With the pivot in row i and column j
 *
 *     m = f (C R^T + e E),   C_i = R_j = 1, C_(1-i) = c, R_(1-j) = r,   E 1 at (1-i, 1-j), else 0
 *
 * c, r and e are of size 1, so they do not overflow, and e may underflow: then it does not matter.
 * f is scaled by powers of two, which is exact. */
#pragma once

#include "recurrence_map.cuh"

#include "arithmetic.cuh"
#include "recurrence2.h"

template <class T> struct linear_map {
    T m[2][2], t[2];
};
template <class T> struct linear_state {
    T at[2];
};
template <class T> struct projective_map {
    T c, r, e, f;
    int exponent; /* f is to be multiplied by 2^exponent */
    int pivot;    /* 2 i + j */
};
template <class T> struct projective_state {
    T at[2];
    int64_t exponent;
};
template <class T, int kind> struct of_kind {
    typedef projective_map<T> map;
    typedef projective_state<T> state;
};
template <class T> struct of_kind<T, RECURRENCE2_LINEAR> {
    typedef linear_map<T> map;
    typedef linear_state<T> state;
};

template <class T> static __device__ inline void set_identity(linear_map<T> *f)
{
    *f = {{{1, 0}, {0, 1}}, {0, 0}};
}
template <class T> static __device__ inline void set_identity(projective_map<T> *f)
{
    *f = {0, 0, 1, 1, 0, 0};
}

/* The scale that brings the largest component from any magnitude below 1/2. Of 0 it is finite. */
template <class T> static __device__ inline T half_scale(T largest)
{
    return normalizing_scale(largest) * (T)0.125;
}
template <class T> static __device__ inline T largest_of(const T (&v)[2])
{
    return max_of(abs1(v[0]), abs1(v[1]));
}
/* Scales the state so that the next product cannot overflow. */
template <class T> static __device__ inline void rescale(projective_state<T> *x)
{
    const T scale = half_scale(largest_of(x->at));
    x->at[0] *= scale, x->at[1] *= scale;
    x->exponent -= ilogb(scale);
}

/* a x + b y */
template <class T> static __device__ inline T sum_of_two(T a, T x, T b, T y)
{
    return mul_add(a, x, b * y);
}
template <class T>
static __device__ inline linear_map<T> compose(const linear_map<T> &first,
                                               const linear_map<T> &then)
{
    linear_map<T> f;
    UNROLL()
    for (int i = 0; i < 2; i++) {
        UNROLL()
        for (int j = 0; j < 2; j++)
            f.m[i][j] = sum_of_two(then.m[i][0], first.m[0][j], then.m[i][1], first.m[1][j]);
        f.t[i] = mul_add(then.m[i][0], first.t[0], mul_add(then.m[i][1], first.t[1], then.t[i]));
    }
    return f;
}
/* 1/x, but 0 of 0: a matrix or a product that is 0 stays 0, and with it the determinant. */
template <class T> static __device__ inline T inverse_or_zero(T x)
{
    return x == 0 ? 0 : 1 / x;
}
/* The map with this matrix and determinant */
template <class T>
static __device__ inline projective_map<T> map_of(const T (&m)[2][2], T determinant, int exponent)
{
    const bool i = largest_of(m[1]) > largest_of(m[0]), j = abs1(m[i][1]) > abs1(m[i][0]);
    const T f = m[i][j], inverse = inverse_or_zero(f);
    return {m[!i][j] * inverse,
            m[i][!j] * inverse,
            (i == j ? determinant : -determinant) * inverse * inverse,
            f,
            exponent,
            2 * i + j};
}
/* With C and R of both maps, and s = R_then^T C_first, the product is f_then f_first s times
 *
 *     (C_then + e_then E_then C_first / s) (R_first + e_first E_first^T R_then / s)^T
 *
 * plus a Schur complement. If s is small, the other component of the column is the pivot. */
template <class T>
static __device__ inline projective_map<T> compose(const projective_map<T> &first,
                                                   const projective_map<T> &then)
{
    const bool same = first.pivot / 2 == then.pivot % 2;
    const T ee = first.e * then.e, s = same ? mul_add(then.r, first.c, (T)1) : then.r + first.c,
            other = mul_add(s, then.c, same ? then.e * first.c : then.e),
            row = same ? first.e * then.r : first.e;
    const bool flip = !(abs1(other) <= abs1(s));
    const T pivot = flip ? other : s, inverse = inverse_or_zero(pivot);
    projective_map<T> f;
    f.c = (flip ? s : other) * inverse;
    f.r = mul_add(flip ? mul_add(row, then.c, same ? ee : 0) : row, inverse, first.r);
    f.e = (same == flip ? -ee : ee) * inverse * inverse;
    f.f = first.f * then.f * pivot;
    f.pivot = (then.pivot / 2 ^ flip) * 2 + first.pivot % 2;
    if (abs1(f.r) > 1) { /* a larger pivot in the other column */
        const T by = 1 / f.r;
        f.c = mul_add(f.e, by, f.c);
        f.e = -f.e * by * by;
        f.f *= f.r;
        f.r = by;
        f.pivot ^= 1;
    }
    const T scale = half_scale(abs1(f.f));
    f.f *= scale;
    f.exponent = first.exponent + then.exponent - ilogb(scale);
    return f;
}
template <class T>
static __device__ inline linear_state<T> apply(const linear_map<T> &f, const linear_state<T> &x)
{
    linear_state<T> y;
    UNROLL()
    for (int i = 0; i < 2; i++)
        y.at[i] = mul_add(f.m[i][0], x.at[0], mul_add(f.m[i][1], x.at[1], f.t[i]));
    return y;
}
template <class T>
static __device__ inline projective_state<T> apply(const projective_map<T> &f,
                                                   const projective_state<T> &x)
{
    const int i = f.pivot / 2, j = f.pivot % 2;
    const T s = mul_add(f.r, j ? x.at[0] : x.at[1], j ? x.at[1] : x.at[0]),
            other = mul_add(s, f.c, f.e * (j ? x.at[0] : x.at[1]));
    projective_state<T> y = {{(i ? other : s) * f.f, (i ? s : other) * f.f},
                             x.exponent + f.exponent};
    rescale(&y);
    return y;
}

template <class T> static __device__ inline linear_map<T> from_lane(linear_map<T> f, int lane)
{
    UNROLL()
    for (int i = 0; i < 2; i++) {
        f.m[i][0] = from_lane(f.m[i][0], lane);
        f.m[i][1] = from_lane(f.m[i][1], lane);
        f.t[i] = from_lane(f.t[i], lane);
    }
    return f;
}
template <class T>
static __device__ inline projective_map<T> from_lane(const projective_map<T> &f, int lane)
{
    return {from_lane(f.c, lane), from_lane(f.r, lane),        from_lane(f.e, lane),
            from_lane(f.f, lane), from_lane(f.exponent, lane), from_lane(f.pivot, lane)};
}
