/* Many tridiagonal systems: the struct that describes them to tridiagonal_batch.h, which solves
 * them on a GPU, and to tridiagonal_batch_cpu.h. */
#pragma once

#include "tridiagonal_problem.h"

#include <stdint.h>

/* How many matrices there are. This determines the number of elements of sub, diag and super. */
enum tridiagonal_matrix {
    /* one for each system, or for each `sides` systems: n * batch elements in each array, or n *
     * batch / sides */
    TRIDIAGONAL_BATCH_OWN,
    /* one for all systems, which differ in rhs: n elements in each array */
    TRIDIAGONAL_BATCH_SHARED,
    /* one for all systems, with constant diagonals: 1 element in each array */
    TRIDIAGONAL_BATCH_CONSTANT
};

/* All arrays are on the device, for tridiagonal_batch_cpu.h in main memory, and aligned to their
 * elements. The solvers are fastest if they are
 * aligned to 16 bytes. n need not be a power of two or a multiple of some number. */
struct tridiagonal_batch {
    char type; /* 's' float, 'd' double, 'c' and 'z' complex, as in BLAS */
    int64_t n, batch;
    /* Inputs, not modified. `inner` and the strides below say where row i of system k is: element
     * k n + i if they are 0. The first sub and the last super of a system have no effect unless
     * `periodic` is set. */
    const void *sub, *diag, *super, *rhs;
    void *x; /* output, with the layout of rhs; may be the same array as rhs */
    /* Output, `batch` elements, or NULL. 0: elimination met no pivot that is zero or out of range,
     * and no number that is not finite. Otherwise 1 + a row at which it did; then x of this system
     * must not be used. The other systems are unaffected. Status 0 does not prove that x is right
     * if TRIDIAGONAL_PIVOT_NEVER is used for a matrix that needs pivoting. As in LAPACK, a
     * matrix that is singular but for rounding errors is not detected. */
    int *status;
    /* A value of enum tridiagonal_pivot. Pivoting is scaled partial pivoting: rows are scaled by
     * powers of two, and the pivot of an unknown is the largest coefficient in all rows of the
     * partition that contain it. AUTO pivots only where that may be needed, never if all rows are
     * diagonally dominant, |diag| >= |sub| + |super|: as safe as ALWAYS for any matrix, and about
     * as fast as NEVER where rows are dominant. */
    int pivot;
    enum tridiagonal_matrix matrix;
    /* The number of consecutive systems that have the same matrix: systems m sides to m sides +
     * sides - 1 have matrix m. 0 means 1. If it is greater than 1, `matrix` must be
     * TRIDIAGONAL_BATCH_OWN, and sub, diag and super have n * batch / sides elements: row i of
     * matrix m is element m n + i, whatever the layout of rhs and x is. For sides = batch
     * TRIDIAGONAL_BATCH_SHARED is the same and may be faster. */
    int64_t sides;
    /* Nonzero: each system is a ring. Its first sub multiplies x_{n-1} and its last super x_0. So
     * if n = 2, both couplings of a row multiply the other unknown; if n = 1, the equation is (sub
     * + diag + super) x = rhs. */
    int periodic;
    /* The layout. The systems lie along the middle axis of arrays of the shape (outer, n, inner),
     * where outer = batch / inner. Row i of system o inner + k is element
     *
     *     o plane_stride + i row_stride + k,  0 <= o < outer,  0 <= i < n,  0 <= k < inner.
     *
     * inner = 0 means 1, row_stride = 0 means inner, and plane_stride = 0 means n row_stride. So
     *
     *     all three 0      contiguous systems, one after the other
     *     inner = batch    interleaved systems: the columns of an n x batch array
     *
     * Larger strides leave elements out, which are neither read nor written: rows (row_stride >=
     * inner) or planes (plane_stride) with padding, or a part of a larger array. The planes may
     * follow one another, or lie side by side in each row (plane_stride >= inner and row_stride >=
     * (outer - 1) plane_stride + inner). sub, diag and super have no padding if systems share a
     * matrix. With inner = sides the right-hand sides of a matrix are the columns of an n x sides
     * array, and these arrays follow one another. */
    int64_t inner, row_stride, plane_stride;
    /* NULL if all systems have n rows. Otherwise batch + 1 elements for contiguous systems of
     * different lengths: system k consists of the elements offset[k] to offset[k + 1] - 1 of the
     * arrays, and n is the greatest length, on a GPU at most tridiagonal_batch_longest. A longer
     * system is not solved, and its status is not 0. The systems must not be periodic or share a
     * matrix. */
    const int64_t *offset;
    /* Nonzero: x becomes 2 A^-1 rhs - rhs, where A is the matrix of the system. If A is 1 + L, that
     * is (1 + L)^-1 (1 - L) rhs, a time step of Crank and Nicolson, and nobody has to compute
     * (1 - L) rhs. */
    int crank_nicolson;
    /* workspace of tridiagonal_batch_work() bytes on the device, aligned to 16, or of
     * tridiagonal_batch_cpu_work() bytes, aligned to 64; may be NULL if that is 0. It is used only
     * during the call. */
    void *work;
};
