/* Solves many tridiagonal systems on a GPU. Systems that fit on the chip are read once, longer ones
 * twice:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for `batch` systems
 *
 * tridiagonal_batch.md has a table "your problem -> the call" and times, and explains the method.
 *
 * Copy: tridiagonal_batch.h tridiagonal_batch.cu tridiagonal_batch_tile.cuh
 * tridiagonal_batch_rows.cuh tridiagonal_batch_staging.cuh tridiagonal_batch_threads.cuh
 * tridiagonal_batch_contiguous.cuh tridiagonal_batch_one_matrix.cuh tridiagonal_batch_lists.cuh
 * tridiagonal_batch_interleaved.cuh tridiagonal_batch_teams.cuh message.cuh partition.cuh
 * partition_rows.cuh partition_plain.cuh partition_pivoted.cuh arithmetic.cuh certificate.cuh
 * scalar.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 *     #include "tridiagonal_batch.h"
 *
 *     // Arrays on the device: n * batch doubles each; `batch` statuses, 0 where x is a solution.
 *     // Other layouts, periodic and long systems may need tridiagonal_batch_work() bytes: b.work.
 *     cudaError_t solve(int64_t n, int64_t batch, const double *sub, const double *diag,
 *                       const double *super, const double *rhs, double *x, int *status)
 *     {
 *         struct tridiagonal_batch b = {};
 *         b.type = 'd', b.n = n, b.batch = batch, b.pivot = TRIDIAGONAL_BATCH_PIVOT_AUTO;
 *         b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = x, b.status = status;
 *         return tridiagonal_batch_solve(&b, 0);
 *     }
 *
 * No function allocates, waits or prints. tridiagonal_batch_solve puts its work on a stream and
 * returns the first error; it can be captured in a graph. It returns cudaErrorInvalidValue, and has
 * done nothing, if it is given
 *
 *     a member that is out of range
 *     an array, or `work` where it is needed, that is NULL or not aligned as the struct says
 *     a batch that is no multiple of `inner` or of `sides`, or strides that make systems overlap
 *     an x that overlaps an input, unless it is the same array as rhs
 *     systems of different lengths (`offset`) that are longer than tridiagonal_batch_longest, are
 *     periodic, or share a matrix
 *
 * If n or batch is 0 no array is needed. On one GPU the solution of a system has the same bits on
 * every run, and it does not depend on the systems that follow, with two exceptions. If a complex
 * system breaks down, systems shortly before it may be rounded differently. With automatic pivoting
 * contiguous systems that share a tile are solved in the same way, so the bits depend on whether
 * the others are dominant. Contiguous systems without padding are solved by another kernel than all
 * other layouts, so their bits are others; an interleaved batch of one system is contiguous. The
 * other layouts all give the same bits, but for systems of more than 320 real numbers those with
 * row_stride = 1 may give others. Periodic systems of up to 320 real numbers have the same bits in
 * all layouts. */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* When to pivot. */
enum tridiagonal_batch_pivot {
    /* for matrices that need no pivoting (diagonally dominant, for example) */
    TRIDIAGONAL_BATCH_PIVOT_NEVER,
    /* Scaled partial pivoting: rows are scaled by powers of two, and the pivot of an unknown is the
     * largest coefficient in all rows of the partition that contain it. */
    TRIDIAGONAL_BATCH_PIVOT_ALWAYS,
    /* Pivoting only where rows are not diagonally dominant, |diag| >= |sub| + |super|. As safe as
     * ALWAYS for any matrix, and about as fast as NEVER where rows are dominant. */
    TRIDIAGONAL_BATCH_PIVOT_AUTO
};

/* All arrays are on the device and aligned to their elements. The solver is fastest if they are
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
     * if TRIDIAGONAL_BATCH_PIVOT_NEVER is used for a matrix that needs pivoting. As in LAPACK, a
     * matrix that is singular but for rounding errors is not detected. */
    int *status;
    int pivot; /* enum tridiagonal_batch_pivot */
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
     * arrays, and n is the greatest length, at most tridiagonal_batch_longest. A longer system is
     * not solved, and its status is not 0. The systems must not be periodic or share a matrix. */
    const int64_t *offset;
    /* Nonzero: x becomes 2 A^-1 rhs - rhs, where A is the matrix of the system. If A is 1 + L, that
     * is (1 + L)^-1 (1 - L) rhs, a time step of Crank and Nicolson, and nobody has to compute
     * (1 - L) rhs. */
    int crank_nicolson;
    /* workspace of tridiagonal_batch_work() bytes on the device, aligned to 16; may be NULL if that
     * is 0. It is used only during the call. */
    void *work;
};

/* Returns the largest n of contiguous systems that are read once, which moves 5 elements per row.
 * Longer systems are read twice, which moves 9. Returns 0 for an unknown type. The result is the
 * same for all values of `pivot`. It depends on the shared memory that the GPU gives to a block:
 *
 *                                              's'     'd', 'c'   'z'
 *     H100, H200 (227 KiB; speed measured)     10721   5361       2681
 *     A100 (163 KiB)                            8033   4017       2009
 *     RTX 4090 (99 KiB)                         4449   2225       1113
 *     T4 (64 KiB)                               2657   1329        665
 *
 * With less shared memory, fewer threads of a multiprocessor are used. The GPU must have compute
 * capability 7.5 or later. Before 9.0 there are no bulk copies, so threads load the elements, which
 * is slower. */
int64_t tridiagonal_batch_longest(char type, int pivot);

/* Returns the bytes of `work` that a call with this type, n, batch, pivot, matrix, sides, periodic,
 * layout and offset needs. Returns 0 for contiguous systems with n up to tridiagonal_batch_longest
 * that are not periodic, and for invalid arguments. */
size_t tridiagonal_batch_work(const struct tridiagonal_batch *b);

/* Returns how many times a call reads each row: once if the rows stay on the chip, else twice. With
 * automatic pivoting this holds for dominant systems; the others may be read more often. Returns 0
 * for invalid arguments. */
int tridiagonal_batch_reads(const struct tridiagonal_batch *b);

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
