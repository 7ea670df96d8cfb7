/* Crank-Nicolson steps of the time-dependent Schroedinger equation in one dimension (L22 sections 2
 * and 4.2), in atomic units:
 *
 *   i d/dt psi = H psi,  H = -1/2 d^2/dx^2 + V(x) + E(t) x           L22 eq. 1
 *   T psi(t + dt) = T^dagger psi(t),  T = 1 + (i dt/2) H(t + dt/2)    L22 eq. 2
 *
 * on the grid x_i = x0 + i dx, 0 <= i < n. One step outside the grid psi = 0, so its ends reflect.
 * T is tridiagonal: both off-diagonals are -i dt/(4 dx^2), and row i has the diagonal 1 + (i dt/2)
 * (1/dx^2 + V_i + E x_i). A step computes d = T^dagger psi(t) (L22 eq. 3) and solves T psi(t + dt)
 * = d (L22 eq. 4) by one of two solvers:
 *
 *   TDSE_N_SHAPED      the paper's, nshape.h. RD computes d_i just before it uses d_i (L22 5.3),
 *                      and no block reads psi of another block's interior rows.
 *   TDSE_TRIDIAGONAL   solvers/tridiagonal.h. A kernel of its own computes d.
 *
 * There is no status, because no pivot can vanish: T has the Hermitian part 1, and the Hermitian
 * part of each Schur complement of T is at least 1. A pivot that is too large for its type (see
 * nshape.h and tridiagonal.h) makes psi NaN.
 *
 * Copy: tdse.h tdse.cu tdse_stages.cuh tdse_tridiagonal.cuh nshape/nshape.h nshape/nshape.cu
 * nshape/nshape_stages.h solvers/tridiagonal.h solvers/tridiagonal.cu
 * solvers/tridiagonal_rows.cuh solvers/tridiagonal_grid.cuh solvers/tridiagonal_status.cuh
 * solvers/tridiagonal_resident.cuh solvers/tridiagonal_two_pass.cuh solvers/scalar.cuh
 * solvers/message.cuh solvers/arithmetic.cuh solvers/partition.cuh solvers/partition_rows.cuh
 * solvers/partition_plain.cuh solvers/partition_pivoted.cuh common/device.h common/device_async.h
 * common/device_limits.h; for a CPU also common/cpu_device.
 *
 * Nothing here allocates, prints or waits. A function puts work on a stream and returns the first
 * error of a launch. It returns cudaErrorInvalidValue, and touches nothing, for arguments out of
 * range and for a pointer that is NULL (joints may be) or not aligned. */
#ifndef TDSE_H
#define TDSE_H

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tdse_matrix {
    TDSE_REBUILT, /* every step computes T and reduces it, so V and E may change */
    TDSE_KEPT /* T is constant: tdse_keep() reduces it once, a step treats d alone (L22 5.2.4) */
};

/* Elements of psi's type that a step moves for each row (V counts as half an element):
 *
 *                                                        rebuilt       kept
 *   TDSE_N_SHAPED                                        17.5          11.5
 *   TDSE_TRIDIAGONAL, all rows fit into shared memory    8.5 (7.5)     7.5 (6.5)
 *   TDSE_TRIDIAGONAL, else                               12.5 (10.5)   11.5 (9.5)
 *
 * In brackets: what memory sees if a cache serves the second off-diagonal, which is the same array
 * as the first. The shared memory of an H100 holds some 470000 rows of type z, and twice as many of
 * c. */
enum tdse_solver { TDSE_N_SHAPED, TDSE_TRIDIAGONAL /* on a GPU alone */ };

struct tdse {
    char type; /* of psi: 'c' or 'z', pairs (real, imaginary) of float or double */
    int64_t n; /* >= 2 */
    /* x_i = x0 + (first + i) dx. A part of a larger grid (tdse_part) begins with the grid's row
     * `first`. If first > 0, the part above ends with this row, too. Else first = 0. */
    int64_t first;
    double x0, dx, dt;
    const void *v; /* V: n reals of psi's precision */
    void *psi;     /* n elements, aligned to one (8 or 16 bytes): psi(t) in, psi(t + dt) out */
    enum tdse_matrix matrix;
    enum tdse_solver solver;
    /* L22's n_it and its blocks, as in struct nshape; TDSE_TRIDIAGONAL ignores them. */
    int nest;
    int64_t parts[NSHAPE_NEST_MOST];
    const int64_t *joints;
    /* tdse_work() bytes, aligned to 16. With TDSE_KEPT or TDSE_TRIDIAGONAL its content must last
     * from step to step. */
    void *work;
    int threads; /* T of a GPU block, 1 to 1024 */
};

/* Fill in everything but pointers: equal blocks, TDSE_REBUILT, TDSE_N_SHAPED, T = 128. */
struct tdse tdse_plan(char type, int64_t n, double x0, double dx, double dt, int nest,
                      const int64_t *parts);

size_t tdse_work(const struct tdse *s);

/* One step, psi(t) to psi(t + dt); arrays are device memory. field is E(t + dt/2). With
 * TDSE_REBUILT, V and field may differ from step to step. With TDSE_KEPT, both must be those of
 * tdse_keep(). */
cudaError_t tdse_step(const struct tdse *s, double field, cudaStream_t stream);

/* Prepare steps. TDSE_KEPT: compute the factors of T, before the first step and after a change of
 * dx, dt, V, field or the blocks. TDSE_TRIDIAGONAL: compute T; with TDSE_REBUILT a change of V or
 * field needs no new call. TDSE_TRIDIAGONAL needs a new call after a step that failed, and after
 * 2^32 - 1 steps. */
cudaError_t tdse_keep(const struct tdse *s, double field, cudaStream_t stream);

/* The same on `cores` CPU cores; arrays are in main memory. TDSE_N_SHAPED alone. The result has the
 * same bits on any number of cores. */
cudaError_t tdse_step_cpu(const struct tdse *s, double field, int cores);
cudaError_t tdse_keep_cpu(const struct tdse *s, double field, int cores);

/* One stage of a step for a part of a larger grid, or NSHAPE_PART_KEEP; see nshape_part() in
 * nshape.h. TDSE_N_SHAPED alone. A row that two parts share must have the same psi in both. cores =
 * 0: on a GPU. */
cudaError_t tdse_part(const struct tdse *s, enum nshape_part_stage stage, double field,
                      cudaStream_t stream, int cores);

/* Pointers into work: the joint lines of the last application. */
struct nshape_lines tdse_lines(const struct tdse *s);

#ifdef __cplusplus
}
#endif
#endif
