/* One large tridiagonal system on a GPU at the speed of its memory, without and with pivoting:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * The partition method (Wang; L22): each thread reduces its rows to two equations, and these are
 * merged over warps, blocks and the grid. A system that fits into the shared memory of the
 * multiprocessors is read once (5 elements a row move, one launch). A larger one is read twice (9
 * elements a row): the second pass recomputes the factors instead of loading them, as RPTS does
 * (Klein, Strzodka, ICPP 2021). tridiagonal.md has timings, tridiagonal.cu explains the method.
 *
 * Copy: tridiagonal.h tridiagonal.cu tridiagonal_rows.cuh tridiagonal_grid.cuh
 * tridiagonal_status.cuh tridiagonal_resident.cuh tridiagonal_two_pass.cuh scalar.cuh message.cuh
 * arithmetic.cuh partition.cuh partition_rows.cuh partition_plain.cuh partition_pivoted.cuh
 * common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 *     #include "tridiagonal.h"
 *
 *     // n doubles each, on the device. Returns 0, 1 + the row of a breakdown, or -1: not run.
 *     long long solve(int64_t n, const double *sub, const double *diag, const double *super,
 *                     const double *rhs, double *x)
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
 *         if (tridiagonal_prepare(workspace, bytes, 0) == cudaSuccess && // once
 *             tridiagonal_solve(&t, workspace, bytes, 0) == cudaSuccess)
 *             cudaMemcpy(&status, on_device, sizeof status, cudaMemcpyDeviceToHost); // waits
 *         cudaFree(workspace);
 *         cudaFree(on_device);
 *         return status;
 *     }
 *
 * Functions put work on a stream and return the first error. None allocates, waits or prints, and
 * all can be captured in a graph. They return cudaErrorInvalidValue, and write nothing, for a field
 * out of range, a pointer that is NULL or not aligned (arrays of no rows and status may be NULL),
 * and a workspace that is too small. The same call gives the same bits on every run of a GPU. */
#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the rows are between elimination and substitution. */
enum tridiagonal_way {
    TRIDIAGONAL_AUTO,     /* RESIDENT where the rows fit, else TWO_PASS */
    TRIDIAGONAL_RESIDENT, /* in shared memory; a cooperative launch of all blocks */
    TRIDIAGONAL_TWO_PASS  /* in global memory, loaded twice */
};

/* Arrays are on the device and aligned to their elements; alignment of all to 16 bytes is fastest.
 *
 * Needs compute capability 7.5 or later. The kernels adapt to the shared memory of a block: with
 * 227 KiB (H100, H200, the GPUs that were timed) RESIDENT keeps 7 chunks of 16 bytes of each array
 * in a thread, with 163 (A100) 5, with 99 (RTX 4090) 3, with 64 (T4) 1, in double complex more.
 * TWO_PASS has 12, 11, 7 and 4 warps a block in single precision. Before compute capability 9.0
 * there are no bulk copies: the threads load the elements, which is slower. */
struct tridiagonal {
    char type; /* 's', 'd', 'c', 'z', as in BLAS */
    int64_t n; /* >= 0 */
    /* Inputs, not modified: n elements each, or one each if toeplitz is set. sub_0 and super_{n-1}
     * have no effect unless periodic is set. */
    const void *sub, *diag, *super;
    /* Right-hand sides and solutions: number k begins at element k stride. x may be rhs. Each is
     * solved by itself. sides 0 means one. */
    const void *rhs;
    void *x;
    int64_t sides, stride;
    int toeplitz; /* nonzero: the same three elements in all rows */
    int periodic; /* nonzero: sub_0 multiplies x_{n-1}, super_{n-1} multiplies x_0 */
    /* Nonzero: scaled partial pivoting. Rows are scaled by powers of two, and each pivot is the
     * largest among the rows at hand that contain its unknown. 0: for matrices that need no
     * pivoting. */
    int pivot;
    /* Output, one element, or NULL. 0: solved. 1 + i: a pivot was zero, not finite or out of range
     * in the block of rows (some hundred or more) that begins with row i. Then x is NaN at least
     * there and must not be used. The range is 2^-124 to 2^128 in single precision, 2^-1020 to
     * 2^1024 in double, and 2^-510 to 2^512 in double complex. */
    long long *status;
    enum tridiagonal_way way;
};

/* Bytes of workspace (device memory aligned to 16 bytes) that this call needs. Pointers in *t are
 * ignored. At most a tenth of the four arrays and 160 KiB. 0 if a field is out of range. */
size_t tridiagonal_workspace(const struct tridiagonal *t);

/* Call this before the first use of a workspace and after a call that failed. Each solve leaves the
 * workspace ready for the next, of any kind for which it is large enough. Calls that share one must
 * not overlap. It must be called again after 2^32 - 1 solves. */
cudaError_t tridiagonal_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t tridiagonal_solve(const struct tridiagonal *t, void *workspace, size_t bytes,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
