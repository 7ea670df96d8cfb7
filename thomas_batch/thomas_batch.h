/* Many tridiagonal systems on a GPU (K. S. Pogorelskikh, L. V. Loganova 2019, "PL19"): Thomas's
 * elimination, serial and parallel cyclic reduction (SERICR, PARACR), each in the paper's kinds of
 * memory, and one more step of each ladder (THOMAS_TILE, PARACR_BLOCK).
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * Copy: thomas_batch.h thomas_batch.cu batch.cuh thomas.cuh cyclic_reduction.cuh common/device.h
 * common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * No function allocates, prints or waits. A function with a stream puts work on it and returns the
 * first error of a launch. It returns cudaErrorInvalidValue, and does nothing, for invalid
 * arguments and for an array that is needed but NULL or not aligned to its elements. There is no
 * pivoting: use it for matrices that need none (diagonally dominant, positive definite, ...). A
 * pivot that fails is reported in `status`. For speed see solvers/tridiagonal_batch.h. */
#ifndef THOMAS_BATCH_H
#define THOMAS_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thomas_batch_variant {
    THOMAS_GLOBAL,  /* one thread a system, all arrays in global memory (PL19) */
    THOMAS_SHARED,  /* the current row is copied to shared memory and computed there (PL19) */
    THOMAS_TILE,    /* a warp copies tiles of 32 systems, coalesced, one tile ahead */
    SERICR_GLOBAL,  /* one thread a system; stores two levels, computes the others again (PL19) */
    SERICR_SHARED,  /* the rows of a reduction in shared memory, each read once a pass (PL19) */
    PARACR_GLOBAL,  /* one thread a row, one launch a level (PL19) */
    PARACR_SHARED,  /* a block's rows and their factors alpha, gamma in shared memory (PL19) */
    PARACR_PARTIAL, /* a block's rows in shared memory, the factors in registers (PL19) */
    PARACR_BLOCK,   /* a whole system in a block's shared memory; levels split longer ones first */
    THOMAS_BATCH_VARIANTS
};

/* All arrays are device memory and belong to the caller; elements are float (type 's') or double
 * ('d'). With n = 0 only status is needed, with batch = 0 no array. */
struct thomas_batch {
    char type;
    /* Element i of system k: k n + i (contiguous), or i batch + k (interleaved). */
    bool interleaved;
    int64_t n, batch; /* n >= 0, batch >= 0; n < 2^40; fewer than 2^31 GPU blocks */
    /* Inputs, not modified; n batch elements each. sub_0 and super_{n-1} of a system have no
     * effect. */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* out: n batch elements; must not overlap an input */
    void *work; /* thomas_batch_work() elements; NULL if that is 0 */
    /* out: `batch` elements. 0, or 1 + i if the pivot in row i of that system is NaN, is zero
     * within the rounding error of its terms or, with Thomas, is so small that its inverse
     * overflows. Then x of that system is meaningless; the other systems are not affected. Each
     * method has its own pivots: those of cyclic reduction are not those of Thomas, and i is the
     * first row of the lowest level with a failed pivot. */
    long long *status;
    int threads; /* T of a block: a multiple of 32 in 32..1024. THOMAS_TILE always uses 32. */
};

/* Elements of `work`. */
int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* G and T of the variant's main kernel. G = 0 for invalid arguments. */
int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s);
int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Bytes of shared memory of a block. If the GPU has less, the launch fails. A T4 has 64 KiB: enough
 * for any `threads` in single precision, in double for 800 (THOMAS_SHARED) and 672
 * (SERICR_SHARED). */
size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Solves all systems: x and status. */
cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
