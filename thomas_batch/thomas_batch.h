/* Many tridiagonal systems on a GPU (K. S. Pogorelskikh, L. V. Loganova 2019, "PL19"), by three
 * methods: Thomas's elimination, serial cyclic reduction (SERICR) and parallel cyclic reduction
 * (PARACR). Each method runs in the paper's kinds of memory. THOMAS_TILE and PARACR_BLOCK go one
 * step beyond the paper.
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * Copy: thomas_batch.h thomas_batch.cu batch.cuh thomas.cuh cyclic_reduction.cuh common/device.h
 * common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * No function allocates, prints or waits. A function that takes a stream puts its work on the
 * stream and returns the first error of a launch. For invalid arguments, and for an array that is
 * needed but NULL or not aligned to its elements, it does nothing and returns
 * cudaErrorInvalidValue. There is no pivoting: use the solvers for matrices that need none
 * (diagonally dominant, positive definite, ...). A pivot that fails is reported in `status`. For
 * speed see solvers/tridiagonal_batch.h. */
#ifndef THOMAS_BATCH_H
#define THOMAS_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thomas_batch_variant {
    THOMAS_GLOBAL, /* one thread for each system, all arrays in global memory (PL19) */
    THOMAS_SHARED, /* a thread copies the current row to shared memory and computes there (PL19) */
    /* a warp copies tiles of 32 systems, coalesced, one tile ahead of the elimination */
    THOMAS_TILE,
    /* one thread for each system; stores two levels and computes the other levels again when it
     * needs them (PL19) */
    SERICR_GLOBAL,
    /* as SERICR_GLOBAL, but each row of a level is read once, to shared memory (PL19) */
    SERICR_SHARED,
    PARACR_GLOBAL, /* one thread for each row, one launch for each level (PL19) */
    /* the rows of a block and their factors alpha, gamma are in shared memory (PL19) */
    PARACR_SHARED,
    PARACR_PARTIAL, /* the rows of a block are in shared memory, the factors in registers (PL19) */
    /* a block keeps a whole system in shared memory; systems that are too long are first split */
    PARACR_BLOCK,
    THOMAS_BATCH_VARIANTS
};

/* All arrays are device memory and belong to the caller. If n = 0, only status is needed; if batch
 * = 0, no array is needed. */
struct thomas_batch {
    /* 's': the elements of all arrays are float; 'd': double */
    char type;
    /* Element i of system k is at k n + i (false: contiguous) or at i batch + k (true:
     * interleaved). */
    bool interleaved;
    int64_t n, batch; /* n >= 0, batch >= 0; n < 2^40; thomas_batch_blocks() < 2^31 */
    /* Inputs, not modified: n batch elements each. sub_0 and super_{n-1} of each system have no
     * effect. */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* out: n batch elements; must not overlap an input */
    void *work; /* workspace of thomas_batch_work() elements; NULL if it is 0 */
    /* out: `batch` elements. 0: all pivots of the system are valid. 1 + i: the pivot in row i of
     * the system failed, so x of the system is meaningless; the other systems are not affected. A
     * pivot fails if it is NaN or is zero within the rounding error of its terms. With Thomas it
     * also fails if it is so small that its inverse overflows.
     *
     * Each method has its own pivots, so the methods may report different rows. With cyclic
     * reduction, i is the first row with a failed pivot in the lowest level that has one. */
    long long *status;
    /* T, the threads of a block: a multiple of 32 from 32 to 1024. THOMAS_TILE always uses 32.
     * PARACR_BLOCK uses more than T if a thread would have more than 4 rows. */
    int threads;
};

/* The number of elements of `work`. */
int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* The number of blocks G and of threads T of the variant's main kernel. G = 0 for invalid
 * arguments. */
int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s);
int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Bytes of shared memory of a block. If the GPU has less, the launch fails. The 64 KiB of a T4 are
 * enough for every T in single precision. In double precision they are enough for T <= 800 with
 * THOMAS_SHARED and T <= 672 with SERICR_SHARED. */
size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Solves all systems. Writes x and status. */
cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
