/* The certificate of automatic pivoting: a system that has it is solved without pivoting as
 * accurately as with it. An attempt without pivoting tests it during the elimination. It has four
 * clauses:
 *
 *   1. Every row is diagonally dominant: is_dominant(). Elimination then adds no large multiples of
 *      rows, in any order of the unknowns (tridiagonal.md says why).
 *   2. No pivot is zero, not finite or out of range. The solvers see that as NaN in the equations
 *      that remain.
 *   3. For tridiagonal, which eliminates rows twice, in two orders: error_flow stays small in every
 *      group of rows.
 *   4. For tridiagonal_batch: eliminated rows stay dominant, and no pivot becomes much smaller when
 *      PCR or the ends of a ring change it (DOMINANCE, AUTO_GROWTH, PERIODIC_GROWTH).
 *
 * Needs device.h, scalar.cuh and arithmetic.cuh. */
#pragma once

#include "arithmetic.cuh"

/* Is the row diagonally dominant, |diag| >= |sub| + |super|, up to 8 units of roundoff? The result
 * is false if an element is NaN or infinite, or if |diag| is so small or large that multipliers
 * between two rows, or the squares below, could leave the range of the type. */
template <class R> static __host__ __device__ inline bool is_dominant(R sub, R diag, R super)
{
    const bool single = sizeof(R) == sizeof(float);
    const R least = single ? (R)0x1p-50 : (R)0x1p-500, most = 1 / least,
            units_8 = single ? (R)0x1p-21 : (R)0x1p-50, d = fabs(diag);
    return d >= least && d <= most && d * (1 + units_8) >= fabs(sub) + fabs(super);
}
/* |diag|^2 >= 2 (|sub|^2 + |super|^2) is sufficient and needs no square root. */
template <class R>
static __host__ __device__ inline bool is_dominant(complex_of<R> sub, complex_of<R> diag,
                                                   complex_of<R> super)
{
    const bool single = sizeof(R) == sizeof(float);
    const R least = single ? (R)0x1p-100 : (R)0x1p-1000, most = 1 / least,
            units_8 = single ? (R)0x1p-21 : (R)0x1p-50;
    R d = diag.re * diag.re + diag.im * diag.im,
      others = sub.re * sub.re + sub.im * sub.im + (super.re * super.re + super.im * super.im);
    return d >= least && d <= most && d * (1 + 2 * units_8) >= 2 * others;
}

/* The two eliminations of a group of rows round differently. The second one is given x_last and
 * does not use the equation of the last row. So the rounding errors of all rows come together in
 * two equations: that of the last row, and that of x_first, which the group before also uses. An
 * error of row j comes there with the factor f_j by which row j is added. f_j is large if the rows
 * of the group alone are nearly singular, even if all are dominant.
 *
 * `first` and `last` are the largest |f_j diag_j| in the two equations; `diag` is |diag| of the
 * last row. */
template <class T> struct error_flow {
    decltype(abs1(T())) first, last, diag;
};
template <class T> static __host__ __device__ inline error_flow<T> flow_of_first_row(T diag)
{
    return {0, abs1(diag), abs1(diag)};
}
/* Appends a row. `down` times the last row is added to the new one, and `up` times the last row to
 * the first one. */
template <class T>
static __host__ __device__ inline error_flow<T> flow_with_row(const error_flow<T> &flow, T up,
                                                              T down, T diag)
{
    return {max_of(flow.first, abs1(up) * flow.last), max_of(abs1(diag), abs1(down) * flow.last),
            abs1(diag)};
}
/* Merges the flows of two partitions. The interface unknown is eliminated with pivot 1 / p; it is
 * added to the equation of the upper x_first with the factor `up`, to that of the lower x_last with
 * `down`, and `right` couples it to the lower partition. */
template <class T>
static __host__ __device__ inline error_flow<T>
merged_flow(const error_flow<T> &upper, const error_flow<T> &lower, T p, T up, T down, T right)
{
    auto between = max_of(upper.last, abs1(right) * lower.first) * abs1(p);
    return {max_of(upper.first, abs1(up) * between), max_of(lower.last, abs1(down) * between),
            lower.diag};
}
/* The third clause: at most 8 times the error of the row itself. */
template <class T> static __host__ __device__ inline bool flow_is_small(const error_flow<T> &flow)
{
    return flow.first <= 8 && flow.last <= 8 * flow.diag;
}

/* A row that was eliminated: |sub| + |super| <= |pivot|, up to a small factor; q is 1 / pivot. In
 * exact arithmetic dominant rows stay dominant. But where rows are nearly singular, a pivot may
 * consist of rounding errors, and then errors would grow from row to row. */
static constexpr float DOMINANCE = 1.25f;
template <class T> static __device__ inline bool row_stayed_dominant(T sub, T q, T super)
{
    return (modulus(sub) + modulus(super)) * modulus(q) <= DOMINANCE;
}
/* The same for an equation that was divided by its pivot: x + left x_left + right x_right = rhs. */
template <class T> static __device__ inline bool equation_stayed_dominant(T left, T right)
{
    return modulus(left) + modulus(right) <= DOMINANCE;
}

/* The largest |pivot before| / |pivot after| of a row in PCR. It is 2 for the Poisson equation, and
 * less for rows that are more dominant. */
enum { AUTO_GROWTH = 16 };
/* The largest |pivot of the open system| / |pivot| of the last unknown of a periodic system. In a
 * singular system this pivot consists of rounding errors. */
enum { PERIODIC_GROWTH = 4096 };
