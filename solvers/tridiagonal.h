/* Solves one large tridiagonal system on a GPU at the speed of its memory, with or without
 * pivoting:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * The partition method (Wang; L22): each thread reduces its rows to two equations, and these are
 * merged over warps, blocks and the grid. If the system fits into the shared memory of all
 * multiprocessors, it is read once: one launch moves 5 elements per row. Of a larger system the
 * rows that do not fit are read twice, and of a much larger one all rows, which moves 9 elements
 * per row. The second time the factors are recomputed instead of loaded, as in RPTS (Klein,
 * Strzodka, ICPP 2021). tridiagonal.md has an example and timings, examples/tridiagonal.cu is a
 * program, and tridiagonal.cu explains the method.
 *
 * Copy: tridiagonal.h tridiagonal_problem.h tridiagonal.cu tridiagonal_rows.cuh
 * tridiagonal_grid.cuh tridiagonal_status.cuh tridiagonal_resident.cuh
 * tridiagonal_partly_resident.cuh tridiagonal_two_pass.cuh tridiagonal_gradient.cuh scalar.cuh
 * message.cuh arithmetic.cuh certificate.cuh partition.cuh partition_rows.cuh partition_plain.cuh
 * partition_pivoted.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU
 * also common/cpu_device.
 *
 * Functions put work on a stream and return the first error. None allocates, waits or prints, and
 * all can be captured in a graph. They return cudaErrorInvalidValue, and write nothing, if a field
 * is out of range, a pointer is NULL or not aligned, x overlaps an input (it may be rhs itself), or
 * the workspace is too small. `status` may be NULL, and if n is 0 the arrays may be NULL. The same
 * call gives the same bits on every run on the same GPU. */
#pragma once

#include "device.h"
#include "tridiagonal_problem.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the rows are kept between elimination and substitution. */
enum tridiagonal_way {
    /* RESIDENT if the rows fit into shared memory; PARTLY_RESIDENT up to 20 times as many; else
     * TWO_PASS. The first two run all blocks at the same time (cooperative launch). */
    TRIDIAGONAL_AUTO,
    TRIDIAGONAL_RESIDENT,        /* in shared memory */
    TRIDIAGONAL_PARTLY_RESIDENT, /* as many as fit; the others as with TWO_PASS */
    TRIDIAGONAL_TWO_PASS         /* in global memory, loaded twice */
};

/* Arrays are on the device and aligned to their elements; 16 bytes are fastest.
 *
 * The GPU must have compute capability 7.5 or later. The kernels adapt to the shared memory of a
 * block. With 227 KiB (H100, H200, the GPUs that were timed) RESIDENT keeps at most 7 chunks of 16
 * bytes of each array per thread; with 163 KiB (A100) 5, with 99 KiB (RTX 4090) 3, and with 64 KiB
 * (T4) 1. In double complex, and with pivoting in double, these numbers are larger. AUTO chooses
 * PARTLY_RESIDENT only where they are larger than 3. On the same GPUs TWO_PASS has 12, 11, 7 and 4
 * warps per block in single precision. Before compute capability 9.0 there are no bulk copies, so
 * the threads load the elements, which is slower. */
struct tridiagonal {
    char type; /* 's', 'd', 'c', 'z', as in BLAS */
    int64_t n; /* >= 0 */
    /* Inputs, not modified. Each array has n elements, or one element if toeplitz is set. sub_0 and
     * super_{n-1} have no effect unless periodic is set. */
    const void *sub, *diag, *super;
    /* rhs has `sides` right-hand sides, and x gets as many solutions; 0 means one. Number k begins
     * at element k * stride of both arrays. x may be the same array as rhs. The systems are solved
     * one after the other, and the elimination is repeated for each right-hand side. */
    const void *rhs;
    void *x;
    int64_t sides, stride;
    int toeplitz; /* nonzero: all rows have the same three elements */
    int periodic; /* nonzero: sub_0 multiplies x_{n-1}, super_{n-1} multiplies x_0 */
    /* A value of enum tridiagonal_pivot. Pivoting is scaled partial pivoting: rows are scaled by
     * powers of two, and each pivot is the largest coefficient of its unknown among the three or
     * four rows that are compared.
     *
     * NEVER: TWO_PASS may have a large error if some hundred consecutive rows, even dominant ones,
     * are nearly singular by themselves.
     *
     * AUTO: as fast as NEVER for diagonally dominant matrices: without pivoting if all rows have
     * |diag| >= |sub| + |super|, up to rounding, and the elimination succeeds; else the call solves
     * the system a second time, with pivoting. In the complex types the rows must have |diag|^2 >=
     * 2 (|sub|^2 + |super|^2), and in all types |diag| must be 2^-50 to 2^50, in double and double
     * complex 2^-500 to 2^500. TWO_PASS also pivots if some hundred consecutive rows are nearly
     * singular by themselves. */
    int pivot;
    /* Output, one element, or NULL. 0: solved, and x is finite. 1 + i: in the some hundred or more
     * rows that begin with row i a pivot was zero, not finite or out of range, or x is out of
     * range, as it may be if the matrix is singular to working precision; or, with pivoting and
     * TWO_PASS, rounding errors of these rows left x with a backward error above some 2^14 units.
     * Then x must not be used. The range of pivots is 2^-124 to 2^128 in single precision, 2^-1020
     * to 2^1024 in double, and 2^-510 to 2^512 in double complex. */
    long long *status;
    enum tridiagonal_way way;
};

/* Bytes of workspace (device memory aligned to 16 bytes) that a solve of *t needs: at most a tenth
 * of the bytes of the four arrays, plus 160 KiB. Pointers in *t are ignored. Returns 0 if a field
 * is out of range. */
size_t tridiagonal_workspace(const struct tridiagonal *t);

/* Prepares a workspace. Call it before the first use, after a call that failed, and after 2^31
 * solves of a right-hand side. A successful solve leaves the workspace ready for the next one, of
 * any type, size and options for which it is large enough. Calls that share a workspace must not
 * overlap in time. */
cudaError_t tridiagonal_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t tridiagonal_solve(const struct tridiagonal *t, void *workspace, size_t bytes,
                              cudaStream_t stream);

/* Computes the gradient of a real function L of x (tridiagonal_problem.h), with one solve and one
 * pass. *t must have the members with which tridiagonal_solve() was called, and t->x must hold its
 * result. t->x is read, and t->rhs is not used. drhs and dx have the layout of rhs (sides, stride);
 * dsub, ddiag and dsuper are summed over the right-hand sides. *t->status gets the status of the
 * solve, which has the matrix A^H; if it is not 0, no result must be used. The workspace has
 * tridiagonal_gradient_workspace() bytes, and tridiagonal_prepare() prepares it, too. Its first
 * tridiagonal_workspace() bytes serve solves as well. */
size_t tridiagonal_gradient_workspace(const struct tridiagonal *t);
cudaError_t tridiagonal_gradient(const struct tridiagonal *t,
                                 const struct tridiagonal_derivatives *d, void *workspace,
                                 size_t bytes, cudaStream_t stream);

/* ---- a part of a larger system, as an MPI rank has it (tridiagonal_mpi.h) ----
 *
 * The n >= 1 rows of *t are consecutive rows of a larger system. tridiagonal_reduce() reads them
 * once and reduces them to two equations (partition_plain.cuh and partition_pivoted.cuh say which).
 * The caller merges the equations of all parts, solves them, and gives each part its four boundary
 * values. Then tridiagonal_finish() reads the rows again and writes x. The workspace and *t must
 * not change between these calls.
 *
 * `way` is AUTO or TWO_PASS; both mean TWO_PASS. `pivot` is NEVER or ALWAYS: only the caller knows
 * all parts, so it must decide. sides is 0 or 1: each further right-hand side needs its own calls
 * and workspace. `periodic` has no effect. Instead `ends` says which elements have none: sub_0 with
 * TRIDIAGONAL_FIRST, super_{n-1} with TRIDIAGONAL_LAST. */
enum tridiagonal_ends {
    TRIDIAGONAL_FIRST = 1, /* there is no unknown before row 0 */
    TRIDIAGONAL_LAST = 2   /* there is no unknown after row n - 1 */
};

/* The bytes of the two equations: 7 elements, with pivoting 10. */
size_t tridiagonal_equations(char type, int pivot);

/* Writes the equations to memory that the device can write: its own, or pinned memory of the host.
 * If elimination breaks down, they are not finite or not independent. */
cudaError_t tridiagonal_reduce(const struct tridiagonal *t, int ends, void *equations,
                               void *workspace, size_t bytes, cudaStream_t stream);

/* After a reduction that leads to no solution: writes 1 + the row to *t->status, which may not be
 * NULL, with the meaning that it has in struct tridiagonal. `where` is what the caller knows. */
enum tridiagonal_where {
    TRIDIAGONAL_INSIDE,     /* these rows cannot be eliminated, whatever the other parts are */
    TRIDIAGONAL_FIRST_ROWS, /* the first unknown has no pivot */
    TRIDIAGONAL_LAST_ROWS   /* the last one has none */
};
cudaError_t tridiagonal_locate(const struct tridiagonal *t, int ends, enum tridiagonal_where where,
                               void *workspace, size_t bytes, cudaStream_t stream);

/* around: four elements in main memory, x_{-1}, x_0, x_{n-1} and x_n. They are read before the
 * function returns. Without pivoting only x_{-1} and x_{n-1} have an effect. *t->status becomes 0,
 * or 1 + the row of a breakdown that only this pass has. */
cudaError_t tridiagonal_finish(const struct tridiagonal *t, int ends, const void *around,
                               void *workspace, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
