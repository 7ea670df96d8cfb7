/* What the kernels share: the arrays of a batch in both layouts, and the test of a pivot. */
#pragma once

#include "device_async.h"

#include <stdint.h>

enum { WARP = 32 };

/* Element i of system k is at k * system_stride + i * row_stride: (n, 1) in the contiguous layout,
 * (1, batch) in the interleaved one. */
template <class T> struct device_systems {
    const T *a, *b, *c, *k; /* PL19's letters: sub-diagonal, diagonal, super-diagonal, rhs */
    T *x;
    int64_t n, batch, system_stride, row_stride;
    long long *status; /* one element for each system, see thomas_batch.h */
};

template <class T> static __device__ inline T abs1(T value)
{
    return value < 0 ? -value : value;
}

/* `terms`: the sum of the magnitudes of the terms of the pivot. The pivot is valid if it exceeds
 * their rounding error. NaN is not valid. */
template <class T> static __device__ inline bool pivot_valid(T pivot, T terms)
{
    const T epsilon = sizeof(T) == 4 ? T(1.1920929e-7) : T(2.220446049250313e-16);
    return abs1(pivot) > epsilon * terms;
}
