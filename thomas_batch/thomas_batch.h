/* Many tridiagonal systems on a GPU (K. S. Pogorelskikh, L. V. Loganova 2019, "PL19"):
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * by Thomas, serial (SERICR) and parallel cyclic reduction (PARACR), in the paper's kinds of
 * memory. THOMAS_TILE and PARACR_BLOCK go beyond the paper. For speed take
 * solvers/tridiagonal_batch.h.
 *
 * Copy: thomas_batch.h thomas_batch.cu batch.cuh thomas.cuh cyclic_reduction.cuh common/device.h
 * common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * No function allocates, prints or waits. A function that takes a stream returns the first error of
 * a launch. For an invalid argument, or an array that is NULL or not aligned to its elements, it
 * does nothing and returns cudaErrorInvalidValue. There is no pivoting: the matrices must need none
 * (dominant, positive definite, …). `status` reports a pivot that fails. */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thomas_batch_variant {
    /* one thread solves one system; all arrays are in global memory (PL19) */
    THOMAS_GLOBAL,
    THOMAS_GLOBAL_EARLY, /* the same, with all loads of a row before its division */
    /* one thread solves one system; it copies its current row to shared memory (PL19) */
    THOMAS_SHARED,
    /* One warp solves 32 systems. It copies tiles of rows to shared memory, coalesced, the next
     * tile while it eliminates the current one. */
    THOMAS_TILE,
    /* one thread solves one system; two levels are stored, others computed again (PL19) */
    SERICR_GLOBAL,
    /* the rows of a reduction in shared memory, so that each is read once (PL19) */
    SERICR_SHARED,
    PARACR_GLOBAL, /* one thread computes one row; each level has a launch of its own (PL19) */
    /* a block's rows in shared memory, and the factors that multiply their neighbours (PL19) */
    PARACR_SHARED,
    PARACR_PARTIAL, /* a block keeps its rows in shared memory, the factors in registers (PL19) */
    /* A block keeps a whole system in shared memory and computes all levels there. A longer system
     * is first split into independent ones. */
    PARACR_BLOCK,
    THOMAS_BATCH_VARIANTS
};

/* All arrays are in device memory. n = 0 needs only `status`, batch = 0 no array. */
struct thomas_batch {
    /* 's': the elements of all arrays are float; 'd': double */
    char type;
    /* false, contiguous: element i of system k is at k * n + i; true, interleaved: i * batch + k */
    bool interleaved;
    int64_t n, batch; /* 0 <= n < 2^40, batch >= 0; thomas_batch_blocks() < 2^31 */
    /* inputs, n * batch elements each, not modified; sub_0 and super_{n-1} have no effect */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* out: n * batch elements; must not overlap an input */
    void *work; /* workspace of thomas_batch_work() elements; NULL if it is 0 */
    /* out: `batch` elements, 0, or 1 + i if the pivot in row i failed. Then x of this system is
     * meaningless; other systems are not affected. A pivot is a sum; it fails if it is NaN or not
     * larger than the rounding error of that sum, with Thomas also if its inverse overflows. Each
     * method has its own pivots. Cyclic reduction reports the lowest level, and in it the first
     * row. */
    long long *status;
    /* T: a multiple of 32, up to 1024. THOMAS_TILE always uses 32. PARACR_BLOCK uses more than T if
     * otherwise a thread would have more than 4 rows. */
    int threads;
    /* 0, or bytes: PARACR_GLOBAL, _SHARED and _PARTIAL run as if a multiprocessor had only this
     * much shared memory: each block asks for more than it uses, so that no more blocks share a
     * multiprocessor, and the caches get the rest. cudaErrorInvalidValue if a block needs more. */
    int shared_limit;
};

/* Returns the number of elements that the variant needs in s->work. */
int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* The launch of the main kernel: blocks (0: invalid arguments, or no row), threads of a block. */
int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s);
int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Returns the bytes of shared memory that a block needs, whatever shared_limit is. A T4's 64 KiB
 * are enough but in double precision: T <= 800 with THOMAS_SHARED, 672 with SERICR_SHARED. */
size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Solves all systems by the variant. Writes s->x and s->status. */
cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
