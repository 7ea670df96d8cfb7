/* The heat equation in two dimensions by alternating directions (Peaceman and Rachford 1955) on tridiagonal_batch.h:
 *
 *   u_t = u_xx + u_yy on the unit square, u = 0 on its edge; n x n points inside, h = 1/(n + 1)
 *   (1 - r Dx) u* = (1 + r Dy) u,   (1 - r Dy) u(t + dt) = (1 + r Dx) u*,   r = dt/(2 h^2),   D = u_{i-1} - 2 u_i + u_{i+1}
 *
 * The point ((i + 1) h, (j + 1) h) is word j n + i. Each half step makes a right-hand side by a stencil in one direction, and
 * solves n tridiagonal systems of n rows in the other: along x they are the rows of the array, contiguous; along y its columns,
 * interleaved. No transposition, and no matrix in memory: its diagonals are constant. Words that a point moves in a step: 8 at
 * least (each of the two stencils and of the two solvers reads one and writes one); a solver whose systems do not fit reads one twice.
 *
 * Stable for any dt, of second order in h and dt. No pivot can vanish (rows are dominant by 1), so there is no status; u must be
 * finite.
 *
 * Copy: heat.h heat.cu solvers/tridiagonal_batch.h solvers/tridiagonal_batch.cu
 * solvers/scalar.cuh solvers/arithmetic.cuh solvers/partition.cuh solvers/partition_rows.cuh
 * solvers/partition_plain.cuh solvers/partition_pivoted.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device. Functions put work on
 * a stream and return the first error, cudaErrorInvalidValue, with nothing done, for a struct that
 * makes no sense and for an array that is needed but NULL or not aligned (u, in and out to their
 * words, work to 16 bytes); none allocates, waits or prints; all can be captured in a graph. */
#ifndef HEAT_H
#define HEAT_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heat {
    char type; /* 's' or 'd' */
    int64_t n; /* 1 to HEAT_MOST */
    double dt; /* > 0; 1 + 2 r must differ from 1 in this type */
    void *u;   /* on the device, n n words: u(t) in, u(t + dt) out */
    /* On the device, heat_work() bytes, aligned to 16. Must last from heat_prepare to the last step. */
    void *work;
};
enum { HEAT_MOST = 1 << 18 };

/* 0 for a struct that makes no sense. */
size_t heat_work(const struct heat *s);

/* Before the first step, and after a change of anything but what u holds. */
cudaError_t heat_prepare(const struct heat *s, cudaStream_t stream);

cudaError_t heat_step(const struct heat *s, cudaStream_t stream);

/* One stencil of a step: out = (1 + r D) in along x, or along y. n n words each, not in place. */
enum heat_direction { HEAT_ALONG_X, HEAT_ALONG_Y };
cudaError_t heat_explicit(const struct heat *s, enum heat_direction along, const void *in,
                          void *out, cudaStream_t stream);

/* r as a step has it, in s->type: that of the given dt but for rounding. */
double heat_ratio(const struct heat *s);

#ifdef __cplusplus
}
#endif
#endif
