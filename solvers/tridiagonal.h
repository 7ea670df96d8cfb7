/* One large tridiagonal system on a GPU at the speed of its memory, without and with pivoting:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * The N-shaped partition (L22) with a thread's rows as a block; tridiagonal.cu says how. What fits into the multiprocessors'
 * shared memory is read once and written once (5 words a row, one launch, one exchange between blocks); what does not is
 * read twice and written once (9 words): made again instead of stored (Klein, Strzodka, ICPP 2021).
 *
 * Copy: tridiagonal.h tridiagonal.cu common/device.h common/device_async.h common/device_limits.h scalar.cuh message.cuh
 * arithmetic.cuh partition.cuh partition_rows.cuh partition_plain.cuh partition_pivoted.cuh; for a CPU also common/cpu_device.
 *
 *     #include "tridiagonal.h"
 *
 *     // n doubles each, on the device. Gives 0, 1 + the row of a breakdown, or -1: not run.
 *     long long solve(int64_t n, const double *sub, const double *diag, const double *super, const double *rhs, double *x)
 *     {
 *         struct tridiagonal t = {};
 *         t.type = 'd', t.n = n, t.pivot = 1;
 *         t.sub = sub, t.diag = diag, t.super = super, t.rhs = rhs, t.x = x;
 *         size_t bytes = tridiagonal_workspace(&t);
 *         void *workspace = NULL;
 *         long long status = -1, *on_device = NULL;
 *         cudaMalloc(&workspace, bytes);
 *         cudaMalloc(&on_device, sizeof status);
 *         t.status = on_device;
 *         if (tridiagonal_prepare(workspace, bytes, 0) == cudaSuccess && // once; then any number of calls
 *             tridiagonal_solve(&t, workspace, bytes, 0) == cudaSuccess)
 *             cudaMemcpy(&status, on_device, sizeof status, cudaMemcpyDeviceToHost); // waits
 *         cudaFree(workspace);
 *         cudaFree(on_device);
 *         return status;
 *     }
 *
 * Functions put work on a stream and return the first error; none allocates, waits or prints; all
 * can be captured in a graph. cudaErrorInvalidValue: a struct that makes no sense, a pointer that
 * is NULL or not aligned (arrays of no rows and status may be NULL), or a workspace that is too
 * small; then nothing was touched. The same call gives the same bits on every run of a GPU. */
#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the rows are while they are solved. */
enum tridiagonal_way {
    TRIDIAGONAL_AUTO,     /* RESIDENT where the rows fit, else TWO_PASS */
    TRIDIAGONAL_RESIDENT, /* in shared memory, all at once: cooperative launch */
    TRIDIAGONAL_TWO_PASS  /* brought twice, tile after tile */
};

/* Arrays are on the device and aligned to their words (all to 16 bytes is fastest).
 *
 * Runs from compute capability 7.5 on. Of the shared memory that a GPU gives a block it takes what
 * it can use: with 227 KiB ON_CHIP keeps 7 chunks of 16 bytes of each array a thread (H100, H200:
 * there the speed was measured), with 163 (A100) 5, with 99 (RTX 4090) 3, with 64 (T4) 1, in double
 * complex more; TWICE has 12, 11, 7 and 4 warps a block in single precision. Before 9.0 there are
 * no bulk copies: threads bring the words, slower. */
struct tridiagonal {
    char type; /* 's', 'd', 'c', 'z', as in BLAS */
    int64_t n; /* >= 0 */
    /* n words each, kept. sub_0 and super_{n-1} have no effect, unless periodic. With `toeplitz` one word each. */
    const void *sub, *diag, *super;
    /* Right-hand side and solution number k begin at word k stride. x may be rhs. Each side is a solve of its own. */
    const void *rhs;
    void *x;
    int64_t sides, stride; /* sides 0: one */
    int toeplitz;          /* not 0: the same three words in all rows */
    int periodic;          /* not 0: sub_0 multiplies x_{n-1}, super_{n-1} multiplies x_0 */
    /* not 0: scaled partial pivoting (rows scaled by powers of two; each pivot the largest of all rows of the partition
     * that have its unknown). 0: for matrices that need none. */
    int pivot;
    /* out, one word, or NULL: 0, or 1 + i if a pivot was zero, not a number or out of range, where i is the first row of the
     * unit (some hundred rows), or of the block of them, in which that was met; then x is NaN, at least in that unit, and means
     * nothing. Range: 2^-124 to 2^128, in double precision 2^-1020 to 2^1024, in double complex 2^-510 to 2^512. */
    long long *status;
    enum tridiagonal_way way;
};

/* Bytes of device memory, aligned to 16, that such a call needs; pointers in it are not looked at. At most a tenth of
 * the four arrays and 160 KiB. 0 for a struct that makes no sense. */
size_t tridiagonal_workspace(const struct tridiagonal *t);

/* Once before the first use of a workspace, and after a call that failed. Each call leaves it ready for the next, of any
 * kind that it is large enough for; calls that share one must not overlap. (After 2^32 - 1 calls: again.) */
cudaError_t tridiagonal_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t tridiagonal_solve(const struct tridiagonal *t, void *workspace, size_t bytes,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
