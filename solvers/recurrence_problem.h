/* Linear recurrences of first order: the struct that describes them to recurrence.h, which solves
 * them on a GPU, and to recurrence_cpu.h. */
#pragma once

#include <stdint.h>

/* A tile is some thousands of consecutive elements. Its map computes the last value of the tile
 * from the value before it. The ways in which a tile gets that value (recurrence_carry.cuh): */
enum recurrence_carry {
    RECURRENCE_AUTO, /* LOOKBACK up to 256 tiles, else CARRY_WARP */
    /* each tile composes the maps of all tiles before it; at most 256 tiles */
    RECURRENCE_LOOKBACK,
    RECURRENCE_CARRY_WARP /* one warp passes the value from tile to tile: propagation, W13 eq. 4 */
};

/* `batch` sequences of `length` elements. Arrays are in device memory, for recurrence_cpu.h in main
 * memory. Access is fastest if the addresses of all
 * arrays are equal modulo 16. The number of elements, n = length batch, may exceed 2^32.
 *
 * The GPU must have compute capability 7.5 or later. Before 9.0 there are no bulk copies, so
 * threads load the elements, which is slower. The shared memory of a block determines how many
 * tiles it works on at the same time: three large ones with 227 KiB (H100, H200), two large ones
 * with 163 KiB (A100), three small ones with 99 KiB (RTX 4090), and with 64 KiB (T4) two small
 * ones, or three if s is constant. For the gradient, RTX 4090 and T4 have one tile at a time. The
 * speed was measured only on H100 and H200: up to 99% of that of a triad (two arrays read, one
 * written). */
struct recurrence {
    char type; /* 's' float, 'd' double, 'c' and 'z' complex, as in BLAS */
    int64_t length, batch;
    /* not 0: w_i = s_i w_{i+1} + t_i, from the last element of a sequence to the first */
    int reverse;
    int constant; /* not 0: s has one element, which is used for all i */
    const void *s, *t;
    /* one element for each sequence: the value before its first element; NULL: zeros */
    const void *w0;
    void *w; /* output; may be the same array as t, or as s unless `constant` is set */
    enum recurrence_carry carry;
    int blocks; /* maximum number of thread blocks; 0: the solver chooses */
    /* The layout, for recurrence_cpu.h; on a GPU all three are 0. The sequences lie along the middle
     * axis of arrays of the shape (outer, length, inner), where outer = batch / inner. Element i of
     * sequence o inner + k is element
     *
     *     o plane_stride + i row_stride + k,  0 <= o < outer,  0 <= i < length,  0 <= k < inner.
     *
     * inner = 0 means 1, row_stride = 0 means inner, and plane_stride = 0 means length row_stride:
     * with all three 0, one sequence after the other. */
    int64_t inner, row_stride, plane_stride;
};
