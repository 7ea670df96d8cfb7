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
 * stream and returns the first error of a launch. If an argument is invalid, or if an array that it
 * needs is NULL or not aligned to its elements, it does nothing and returns cudaErrorInvalidValue.
 * There is no pivoting: use the solvers for matrices that need none (diagonally dominant, positive
 * definite, ...). A pivot that fails is reported in `status`. solvers/tridiagonal_batch.h has a
 * solver that is made for speed. */
#ifndef THOMAS_BATCH_H
#define THOMAS_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thomas_batch_variant {
    THOMAS_GLOBAL, /* one thread solves one system; all arrays are in global memory (PL19) */
    /* One thread solves one system. It copies its current row to shared memory and computes there
     * (PL19). */
    THOMAS_SHARED,
    /* One warp solves 32 systems. It copies their rows to shared memory, tile by tile, with
     * coalesced accesses. The copy of the next tile runs while the warp eliminates the current
     * tile. */
    THOMAS_TILE,
    /* One thread solves one system. It stores only two levels of the reduction at a time, and
     * computes a level again when it needs it (PL19). */
    SERICR_GLOBAL,
    /* In SERICR_GLOBAL, a reduction reads every second row of a level twice from global memory.
     * This variant first copies the rows to shared memory, so a reduction reads each row only once
     * (PL19). */
    SERICR_SHARED,
    PARACR_GLOBAL, /* one thread computes one row; each level has a launch of its own (PL19) */
    /* A block keeps its rows in shared memory, and also the two factors by which each row
     * multiplies its neighbours (PL19). */
    PARACR_SHARED,
    PARACR_PARTIAL, /* a block keeps its rows in shared memory, the factors in registers (PL19) */
    /* A block keeps a whole system in shared memory and computes all levels there. A system that is
     * too long is first split into shorter, independent systems. */
    PARACR_BLOCK,
    THOMAS_BATCH_VARIANTS
};

/* The caller allocates all arrays, in device memory. If n = 0, the functions use only `status`. If
 * batch = 0, they use no array. */
struct thomas_batch {
    /* 's': the elements of all arrays are float; 'd': double */
    char type;
    /* false: element i of system k is at k * n + i (contiguous layout). true: it is at i * batch +
     * k (interleaved layout). */
    bool interleaved;
    int64_t n, batch; /* 0 <= n < 2^40, batch >= 0; thomas_batch_blocks() < 2^31 */
    /* Inputs, not modified. Each array has n * batch elements. sub_0 and super_{n-1} of each system
     * have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* out: n * batch elements; must not overlap an input */
    void *work; /* workspace of thomas_batch_work() elements; NULL if it is 0 */
    /* out: `batch` elements. An element is 0 if all pivots of its system are valid. It is 1 + i if
     * the pivot in row i failed. Then x of this system is meaningless, but the other systems are
     * not affected. A pivot is a sum. It fails if it is NaN, or if it is not larger than the
     * rounding error of that sum. With Thomas it also fails if it is so small that its inverse
     * overflows.
     *
     * Each method has its own pivots, so the methods may report different rows. Cyclic reduction
     * has pivots in several levels. It reports the lowest level that has a failed pivot, and in
     * that level the first row with a failed pivot. */
    long long *status;
    /* T, the number of threads of a block: a multiple of 32, from 32 to 1024. THOMAS_TILE always
     * uses 32 threads. PARACR_BLOCK uses more than T threads if otherwise a thread would have more
     * than 4 rows. */
    int threads;
    /* 0, or bytes: PARACR_GLOBAL, PARACR_SHARED and PARACR_PARTIAL then run as on a GPU whose
     * multiprocessors have only this much shared memory, for experiments. Each block asks for more
     * shared memory than it uses, so that no more blocks share a multiprocessor than on such a GPU,
     * and so that the caches get what shared memory leaves. If one block needs more,
     * thomas_batch_solve() returns cudaErrorInvalidValue. */
    int shared_limit;
};

/* Returns the number of elements that the variant needs in s->work. */
int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Describe the launch of the variant's main kernel. thomas_batch_blocks() returns the number of
 * blocks, or 0 if the arguments are invalid or there is no row. thomas_batch_threads() returns the
 * number of threads of a block. */
int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s);
int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Returns the bytes of shared memory that a block of the variant needs, whatever shared_limit is.
 * If the GPU has less, thomas_batch_solve() returns the error of the launch. The 64 KiB of a T4 are
 * enough for every T in single precision. In double precision they are enough for T <= 800 with
 * THOMAS_SHARED and T <= 672 with SERICR_SHARED. */
size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Solves all systems by the variant. Writes s->x and s->status. */
cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
