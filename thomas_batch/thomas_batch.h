/* Many tridiagonal systems on a GPU (K. S. Pogorelskikh, L. V. Loganova 2019, "PL19"): Thomas's elimination,
 * serial and parallel cyclic reduction (SERICR, PARACR), each in the paper's kinds of memory, and one rung more
 * of each family.
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * Copy: thomas_batch.h thomas_batch.cu common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device. Nothing
 * here allocates, prints or waits: a function that takes a stream puts work on it and returns the
 * first error of a launch, or cudaErrorInvalidValue, with nothing done, for a struct that makes no
 * sense and for an array that is needed but NULL or not aligned to its words. No pivoting: for
 * matrices that need none (diagonally dominant, positive definite, …); a pivot that fails is
 * reported. */
#ifndef THOMAS_BATCH_H
#define THOMAS_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum thomas_batch_variant {
    THOMAS_GLOBAL, /* one thread a system; all arrays in global memory */
    THOMAS_SHARED, /* the row at hand brought into shared memory, computed there (PL19) */
    THOMAS_TILE, /* a warp brings tiles of 32 systems, coalesced and one tile ahead; 32 threads a block */
    SERICR_GLOBAL, /* cyclic reduction by one thread a system: two levels kept, the others computed again */
    SERICR_SHARED,  /* its rows brought into shared memory, each once a pass */
    PARACR_GLOBAL,  /* one thread a row, a launch a level */
    PARACR_SHARED,  /* the block's rows and their factors alpha, gamma in shared memory */
    PARACR_PARTIAL, /* the block's rows only: they are used more than once, the factors are not */
    PARACR_BLOCK, /* a whole system in the shared memory of a block; larger ones by levels until they fit */
    THOMAS_BATCH_VARIANTS
};

/* All pointers are device memory; words are float (type 's') or double ('d'). Where n = 0 only the
 * status is needed, where batch = 0 no array. */
struct thomas_batch {
    char type;
    /* Word i of system k: k n + i (contiguous), or i batch + k (interleaved). */
    bool interleaved;
    int64_t n, batch; /* n >= 0, batch >= 0; n < 2^40; fewer than 2^31 GPU blocks */
    /* n batch words each; not changed. sub_0 and super_{n-1} of a system have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x; /* out: n batch words; not the same memory as an input */
    /* thomas_batch_work() words; NULL if that is 0 */
    void *work;
    /* out: batch words: 0, or 1 + i if the pivot in row i of that system is zero, within rounding of its
     * terms, so small that its inverse overflows (Thomas), or not a number; then x of that system means nothing, and the others are not touched. Cyclic
     * reduction divides by other numbers than Thomas does: the pivots are the method's own, i the first row
     * of the first level that has one. */
    long long *status;
    int threads; /* T of a block, a multiple of 32, 32..1024; THOMAS_TILE uses 32 whatever is given */
};

/* Words of `work`. */
int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* G and T of the variant's main kernel; G = 0 for a struct that makes no sense. */
int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s);
int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s);

/* Bytes of shared memory that a block of it asks for: what a GPU does not give is refused. A T4
 * gives 64 KiB: enough for any `threads` in single precision, and for 800 (THOMAS_SHARED) and 672
 * (SERICR_SHARED) in double. */
size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s);

cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
