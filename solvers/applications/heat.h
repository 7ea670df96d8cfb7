/* Solves the heat equation in two dimensions by alternating directions (ADI; Peaceman and Rachford
 * 1955). It demonstrates a use of tridiagonal_batch.h. To run it: build/cpu/heat.
 *
 *   u_t = u_xx + u_yy on the unit square, u = 0 on its edge; n x n interior points, h = 1/(n + 1)
 *
 *   first half step:   (1 - r Dx) u*        = (1 + r Dy) u(t)
 *   second half step:  (1 - r Dy) u(t + dt) = (1 + r Dx) u* = 2 u* - (right-hand side of the first)
 *
 * r = dt/(2 h^2); D is the second difference, (D u)_i = u_{i-1} - 2 u_i + u_{i+1}. The method is
 * stable for any dt and of second order in h and dt. Each half step solves n tridiagonal systems of
 * n rows. Only the first right-hand side of a call needs a stencil; the solver computes the others
 * (crank_nicolson in tridiagonal_batch.h).
 *
 * Point ((i + 1) h, (j + 1) h) is element j * n + i of an array. Along x the systems are the rows
 * of the array (contiguous); along y they are its columns (interleaved). So nothing is transposed.
 * No matrix is stored either, as its diagonals are constant.
 *
 * Traffic: a step moves at least 4 elements for each point, as each of the two solvers reads one
 * and writes one (README.md). The first right-hand side of a call costs 2 elements.
 *
 * No function allocates, waits or prints. Each puts its work on a stream and returns the first
 * error; all calls can be captured in a graph. They do nothing and return cudaErrorInvalidValue if
 * a member is out of range, or if an array that they need is NULL or not aligned. u, in and out
 * must be aligned to their elements, work to 16 bytes. There is no status for breakdowns, because
 * every row is diagonally dominant, so no pivot can be zero. u must be finite.
 *
 * Copy: heat.h heat.cu solvers/tridiagonal_batch.h solvers/tridiagonal_problem.h
 * solvers/tridiagonal_batch_problem.h solvers/tridiagonal_batch.cu
 * solvers/tridiagonal_batch_tile.cuh solvers/tridiagonal_batch_rows.cuh
 * solvers/tridiagonal_batch_staging.cuh solvers/tridiagonal_batch_threads.cuh
 * solvers/tridiagonal_batch_contiguous.cuh solvers/tridiagonal_batch_one_matrix.cuh
 * solvers/tridiagonal_batch_lists.cuh solvers/tridiagonal_batch_interleaved.cuh
 * solvers/tridiagonal_batch_rings.cuh solvers/tridiagonal_batch_teams.cuh
 * solvers/tridiagonal_gradient.cuh solvers/message.cuh solvers/partition.cuh
 * solvers/partition_rows.cuh solvers/partition_plain.cuh solvers/partition_pivoted.cuh
 * solvers/arithmetic.cuh solvers/certificate.cuh solvers/scalar.cuh common/device.h
 * common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heat {
    char type; /* 's' float, 'd' double */
    int64_t n; /* interior points in each direction, 1 to HEAT_MOST */
    double dt; /* time step, > 0, and large enough that 1 + 2 r is not rounded to 1 in this type */
    void *u;   /* on the device, n * n elements; steps replace u(t) by a later u */
    /* On the device, heat_work() bytes, aligned to 16 bytes. heat_prepare() writes the matrix
     * there, so the caller must not change it until the last step. */
    void *work;
};
enum { HEAT_MOST = 1 << 18 };

/* Returns the number of bytes of `work` that type, n and dt require, or 0 if one of them is out of
 * range. u and work are not used. */
size_t heat_work(const struct heat *s);

/* Writes the matrix into `work`. Call it before the first step, and again after a change of type,
 * n, dt or work. u is not used, and may be NULL. */
cudaError_t heat_prepare(const struct heat *s, cudaStream_t stream);

/* Makes `steps` steps, at least 0, in place: u(t) becomes u(t + steps dt). One call with many steps
 * is faster than many calls. */
cudaError_t heat_steps(const struct heat *s, int64_t steps, cudaStream_t stream);

/* Computes the right-hand side of a half step by a stencil: out = (1 + r D) in, with D along x or
 * along y. in and out have n * n elements each and must not overlap. s->u and s->work are not
 * used. */
enum heat_direction { HEAT_ALONG_X, HEAT_ALONG_Y };
cudaError_t heat_explicit(const struct heat *s, enum heat_direction along, const void *in,
                          void *out, cudaStream_t stream);

/* Returns the r that the steps use. It differs from dt/(2 h^2) because of rounding to s->type (see
 * heat.cu). */
double heat_ratio(const struct heat *s);

#ifdef __cplusplus
}
#endif
