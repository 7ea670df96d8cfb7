/* Solves many tridiagonal systems on a GPU. Systems that fit on the chip are read once, longer ones
 * twice:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for `batch` systems
 *
 * tridiagonal_batch.md has a table "your problem -> the call" and times, and explains the method.
 *
 * Copy: tridiagonal_batch.h tridiagonal_batch_problem.h tridiagonal_problem.h tridiagonal_batch.cu
 * tridiagonal_batch_tile.cuh tridiagonal_batch_rows.cuh tridiagonal_batch_staging.cuh
 * tridiagonal_batch_threads.cuh tridiagonal_batch_contiguous.cuh tridiagonal_batch_one_matrix.cuh
 * tridiagonal_batch_lists.cuh tridiagonal_batch_interleaved.cuh tridiagonal_batch_rings.cuh
 * tridiagonal_batch_teams.cuh tridiagonal_gradient.cuh message.cuh partition.cuh
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
 *         b.type = 'd', b.n = n, b.batch = batch, b.pivot = TRIDIAGONAL_PIVOT_AUTO;
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
 * row_stride = 1 may give others. */
#pragma once

#include "device.h"
#include "tridiagonal_batch_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * that are not periodic and whose `sides` is not above 1, and for invalid arguments. */
size_t tridiagonal_batch_work(const struct tridiagonal_batch *b);

/* Returns how many times a call reads each row: once if the rows stay on the chip, else twice. With
 * automatic pivoting this holds for dominant systems; the others may be read more often. Returns 0
 * for invalid arguments. */
int tridiagonal_batch_reads(const struct tridiagonal_batch *b);

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream);

/* Computes the gradient of a real function L of x (tridiagonal_problem.h), with one solve and one
 * pass. *b must have the members with which tridiagonal_batch_solve() was called, and b->x must
 * hold its result. b->x is read, and so is b->rhs if crank_nicolson is set; then x and rhs must be
 * different arrays. b->status gets the statuses of the solve, which has the matrices A^H. If that
 * of a system is not 0, neither its drhs nor the derivatives of its matrix must be used.
 *
 * b->work has tridiagonal_batch_gradient_work() bytes. This is what tridiagonal_batch_work()
 * returns and in addition
 *
 *     a copy of sub and super, if systems share matrices that are not constant, or if row_stride is
 *     1 and the systems are periodic or have padding between them
 *     a copy of rhs with crank_nicolson (used only if drhs and dx are the same array)
 *     up to 3 n batch / 16 elements, and at most 2^17 each, for the sums of shared matrices */
size_t tridiagonal_batch_gradient_work(const struct tridiagonal_batch *b);
cudaError_t tridiagonal_batch_gradient(const struct tridiagonal_batch *b,
                                       const struct tridiagonal_derivatives *d,
                                       cudaStream_t stream);

#ifdef __cplusplus
}
#endif
