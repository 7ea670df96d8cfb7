/* Crank-Nicolson steps of the time-dependent Schroedinger equation in one dimension (L22 sections 2
 * and 4.2), in atomic units:
 *
 *   i d/dt psi = H psi,  H = -1/2 d^2/dx^2 + V(x) + E(t) x           L22 eq. 1
 *   T psi(t + dt) = T^dagger psi(t),  T = 1 + (i dt/2) H(t + dt/2)    L22 eq. 2
 *
 * on the grid x_i = x0 + i dx, 0 <= i < n, with psi = 0 beyond it, so its ends reflect. T is
 * tridiagonal: off-diagonals -i dt/(4 dx^2), diagonal 1 + (i dt/2) (1/dx^2 + V_i + E x_i). A step
 * computes d = T^dagger psi(t) (L22 eq. 3) and solves T psi(t + dt) = d (L22 eq. 4):
 *
 *   TDSE_N_SHAPED      by the paper's method (nshape.h). RD computes d_i just before it uses d_i
 * (L22 5.3). No block reads psi of another block's interior rows. TDSE_TRIDIAGONAL   by
 * solvers/tridiagonal.h. A separate kernel computes d before it.
 *
 * No pivot can vanish: T is 1 plus i times a Hermitian matrix, so the real part of each pivot, a
 * Schur complement of T, is at least 1. If one is too large for its type, psi becomes NaN.
 *
 * Copy: tdse.h tdse.cu tdse_stages.cuh tdse_tridiagonal.cuh nshape/nshape.h nshape/nshape.cu
 * nshape/nshape_stages.h solvers/tridiagonal.h solvers/tridiagonal_problem.h solvers/tridiagonal.cu
 * solvers/tridiagonal_rows.cuh solvers/tridiagonal_grid.cuh solvers/tridiagonal_status.cuh
 * solvers/tridiagonal_resident.cuh solvers/tridiagonal_partly_resident.cuh
 * solvers/tridiagonal_two_pass.cuh solvers/tridiagonal_gradient.cuh solvers/scalar.cuh
 * solvers/message.cuh solvers/arithmetic.cuh solvers/certificate.cuh solvers/partition.cuh
 * solvers/partition_rows.cuh solvers/partition_plain.cuh solvers/partition_pivoted.cuh
 * common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * No function allocates, prints or waits. Each returns the first error of a launch. For arguments
 * out of range, and for a pointer that is NULL (but joints) or not aligned, it returns
 * cudaErrorInvalidValue and reads and writes nothing. */
#pragma once

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tdse_matrix {
    TDSE_REBUILT, /* every step computes T and reduces it, so V and E may change */
    /* T is constant, and tdse_keep() processes it once. With TDSE_N_SHAPED it keeps the factors of
     * the reduction, so a step reduces only d (L22 5.2.4). */
    TDSE_KEPT
};

/* The elements of psi's type that a step moves for each row (an element of V counts as half):
 *
 *                                                        rebuilt       kept
 *   TDSE_N_SHAPED                                        17.5          11.5
 *   TDSE_TRIDIAGONAL, all rows fit into shared memory    8.5 (7.5)     7.5 (6.5)
 *   TDSE_TRIDIAGONAL, else (the rows are read twice)     12.5 (10.5)   11.5 (9.5)
 *
 * In brackets: a cache supplies the second off-diagonal, which is the same array as the first. The
 * shared memory of an H100 holds about 470000 rows of type z, twice as many of type c. */
enum tdse_solver { TDSE_N_SHAPED, TDSE_TRIDIAGONAL /* only on a GPU */ };

struct tdse {
    char type; /* of psi: 'c' or 'z', pairs (real, imaginary) of float or double */
    int64_t n; /* >= 2 */
    /* x_i = x0 + (first + i) dx. In a part of a larger grid (tdse_part), `first` is the grid's row
     * of row 0; if it is > 0, the part above has that row, too. */
    int64_t first;
    double x0, dx, dt;
    const void *v; /* V: n reals of psi's precision */
    /* in: psi(t), out: psi(t + dt); n elements, aligned to an element (8 or 16 bytes) */
    void *psi;
    enum tdse_matrix matrix;
    enum tdse_solver solver;
    /* n_it and the blocks of L22, as in struct nshape; not used by TDSE_TRIDIAGONAL */
    int nest;
    int64_t parts[NSHAPE_NEST_MOST];
    const int64_t *joints;
    /* tdse_work() bytes, aligned to 16; TDSE_KEPT and TDSE_TRIDIAGONAL need it unchanged between
     * steps */
    void *work;
    int threads; /* T, the threads of a GPU block: 1 to 1024 */
};

/* Returns a struct in which all pointers are NULL and all other members are set: equal blocks,
 * TDSE_REBUILT, TDSE_N_SHAPED, T = 128. */
struct tdse tdse_plan(char type, int64_t n, double x0, double dx, double dt, int nest,
                      const int64_t *parts);

/* Returns the size of the workspace in bytes. */
size_t tdse_work(const struct tdse *s);

/* Makes one step, from psi(t) to psi(t + dt). Arrays are device memory. field is E(t + dt/2). With
 * TDSE_KEPT, V and field must be those of the last tdse_keep(). */
cudaError_t tdse_step(const struct tdse *s, double field, cudaStream_t stream);

/* Prepares the workspace. Call it before the first step and after a change of x0, dx, dt, V, field
 * or the blocks. TDSE_N_SHAPED: computes the factors of T; only for TDSE_KEPT, else
 * cudaErrorInvalidValue. TDSE_TRIDIAGONAL: computes T; with TDSE_REBUILT x0, V and field may change
 * without it. It is needed again after a step that failed, and after 2^32 - 1 steps. */
cudaError_t tdse_keep(const struct tdse *s, double field, cudaStream_t stream);

/* For a grid over MPI ranks, with TDSE_TRIDIAGONAL: computes this rank's n rows of T and d =
 * T^dagger psi(t) and stores their arrays in sub, diag, super, rhs, x of *t, for
 * tridiagonal_mpi_solve(). `around`: psi(t) in the rows before and after, 0 beyond the grid, in
 * main memory. Needs tdse_keep() as tdse_step() does. */
struct tridiagonal;
cudaError_t tdse_system(const struct tdse *s, double field, const void *around,
                        struct tridiagonal *t, cudaStream_t stream);

/* The same on `cores` CPU cores (TDSE_N_SHAPED only); their number does not change the bits. */
cudaError_t tdse_step_cpu(const struct tdse *s, double field, int cores);
cudaError_t tdse_keep_cpu(const struct tdse *s, double field, int cores);

/* Runs one stage of a part of a larger grid (enum nshape_part_stage). NSHAPE_PART_KEEP, only with
 * TDSE_KEPT, runs before the first step. TDSE_N_SHAPED only; the last application must have one
 * block. A row that two parts share must have the same psi in both. cores = 0: on a GPU. */
cudaError_t tdse_part(const struct tdse *s, enum nshape_part_stage stage, double field,
                      cudaStream_t stream, int cores);

/* Returns the joint lines of the last application, in the workspace. TDSE_N_SHAPED only. */
struct nshape_lines tdse_lines(const struct tdse *s);

#ifdef __cplusplus
}
#endif
