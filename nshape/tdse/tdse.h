/* The time-dependent Schroedinger equation in one dimension by Crank-Nicolson (L22 2, 4.2) on the N-shaped partition
 * method, the paper's form (nshape.h) or the one at the speed of memory (tridiagonal.h), in atomic units:
 *
 *   i d/dt psi = H psi,  H = -1/2 d^2/dx^2 + V(x) + E(t) x,  T psi(t + dt) = T^dagger psi(t),
 *   T = 1 + (i dt/2) H(t + dt/2)
 *
 * on the grid x_i = x0 + i dx, 0 <= i < n, with psi = 0 one step outside it (reflecting walls). T is tridiagonal: both
 * off-diagonals are -i dt/(4 dx^2), row i's diagonal is 1 + (i dt/2) (1/dx^2 + V_i + E x_i). In the paper's form the
 * explicit half-step d = T^dagger psi(t) is folded into RD (L22 5.3): d_i is made just before RD uses it, and no block reads
 * psi of another block's rows. In the other a kernel of its own makes d.
 *
 * No pivot can vanish, so there is no status: the Hermitian part of T is 1, and that of a Schur
 * complement of T is then at least 1. Pivots that are too large (nshape.h and tridiagonal.h say for
 * which type) make psi NaN.
 *
 * Copy: tdse.h tdse.cu nshape/nshape.h nshape/nshape.cu nshape/nshape_stages.h
 * solvers/tridiagonal.h solvers/tridiagonal.cu solvers/scalar.cuh solvers/message.cuh solvers/partition.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 * Nothing here allocates, prints or waits. */
#ifndef TDSE_H
#define TDSE_H

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tdse_matrix {
    TDSE_REBUILT, /* T is made and reduced in every step */
    TDSE_KEPT /* the factors r_i of tdse_keep() serve every step, which treats d alone (L22 5.2.4) */
};

/* TDSE_TRIDIAGONAL, on a GPU: T is an input that the solver keeps, so nothing of it is written again in a step but, with
 * TDSE_REBUILT, its diagonal. Words of psi's type that a row moves in a step (V has half a one):
 *
 *                                             rebuilt     kept
 *   TDSE_N_SHAPED                             17.5        11.5
 *   TDSE_TRIDIAGONAL, rows fit on the chip    8.5 (7.5)   7.5 (6.5)
 *   TDSE_TRIDIAGONAL, else                    12.5 (10.5) 11.5 (9.5)
 *
 * in brackets what the memory sees where a cache serves the second off-diagonal, which is the first once more. The chip
 * of an H100 holds some 470000 rows of type z, twice as many of c. */
enum tdse_solver { TDSE_N_SHAPED, TDSE_TRIDIAGONAL };

struct tdse {
    char type; /* 'c' or 'z': psi; V has real words of the same precision */
    int64_t n; /* >= 2 */
    /* x_i = x0 + (first + i) dx. A part of a larger grid (tdse_part) begins with its row `first`; its row 0 belongs to
     * the part above, too, unless first is 0. */
    int64_t first;
    double x0, dx, dt;
    const void *v; /* n real words */
    /* n complex words, aligned to them (8 and 16 bytes): psi(t) in, psi(t + dt) out */
    void *psi;
    enum tdse_matrix matrix;
    enum tdse_solver solver;
    /* As in struct nshape; nothing to TDSE_TRIDIAGONAL. */
    int nest;
    int64_t parts[NSHAPE_NEST_MOST];
    const int64_t *joints;
    /* tdse_work() bytes, aligned to 16; with TDSE_KEPT or TDSE_TRIDIAGONAL it must last from step to step */
    void *work;
    int threads; /* T of a GPU block */
};

/* Fill in everything but pointers: equal blocks, TDSE_REBUILT, TDSE_N_SHAPED, T = 128. */
struct tdse tdse_plan(char type, int64_t n, double x0, double dx, double dt, int nest,
                      const int64_t *parts);

size_t tdse_work(const struct tdse *s);

/* One step, on device memory; field is E(t + dt/2). V may be changed between steps, too. With
 * TDSE_KEPT neither: field is that of tdse_keep(). Gives, as all functions here, the first error of
 * a launch, or cudaErrorInvalidValue for a struct that makes no sense or has a pointer that is NULL
 * (joints may be) or not aligned; then nothing was touched. */
cudaError_t tdse_step(const struct tdse *s, double field, cudaStream_t stream);

/* TDSE_KEPT: the factors of T, needed before the first step and after a change of dx, dt, V, field or the blocks.
 * TDSE_TRIDIAGONAL: the same for T itself; with TDSE_REBUILT, too, where V and field may change without it. Once more after a
 * step that failed, and after 2^32 - 1 steps. */
cudaError_t tdse_keep(const struct tdse *s, double field, cudaStream_t stream);

/* The same on CPU cores, on host memory: TDSE_N_SHAPED alone. The result has the same bits on any number of cores. */
cudaError_t tdse_step_cpu(const struct tdse *s, double field, int cores);
cudaError_t tdse_keep_cpu(const struct tdse *s, double field, int cores);

/* A step, or NSHAPE_PART_KEEP, of a part of a larger grid: as nshape_part() of nshape.h. psi of both end rows must be
 * there in all parts that have them. TDSE_N_SHAPED alone. */
cudaError_t tdse_part(const struct tdse *s, enum nshape_part_stage stage, double field,
                      cudaStream_t stream, int cores);

/* Where in work the joint lines of the last application are. */
struct nshape_lines tdse_lines(const struct tdse *s);

#ifdef __cplusplus
}
#endif
#endif
