/* Solves one tridiagonal system on the SIMD lanes and cores of a CPU:
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * The method is the N-shaped partition (L22: Lutsyshyn, Navarrete, Bauer, arXiv:2205.00856), a
 * variant of Wang's partition method. Each SIMD lane eliminates one partition; for this the rows
 * are rearranged as in W12 (Wakatani, FUTURE COMPUTING 2012). The solver makes two passes and moves
 * 9 elements per row. The first pass reads sub, diag, super and rhs and reduces each partition of
 * 32 rows (8 or 16 in small systems) to one equation, its joint line. The joint lines form a
 * tridiagonal system that is solved in the same way. The second pass reads the four arrays again
 * and writes x. With pivoting, partitions have 64 rows (complex: 32) and are reduced from the
 * middle outwards to two equations each, which one core solves.
 *
 *   struct tridiagonal_cpu s = {'d', n, sub, diag, super, rhs, x, work, cores,
 *                               TRIDIAGONAL_PIVOT_AUTO};
 *   long long status = tridiagonal_cpu_solve(&s);
 *
 * Copy: tridiagonal_cpu.h tridiagonal_problem.h tridiagonal_cpu.c tridiagonal_cpu_body.h
 * tridiagonal_cpu_number.h tridiagonal_cpu_rows.h tridiagonal_cpu_tiles.h tridiagonal_cpu_levels.h
 * tridiagonal_cpu_pivoted.h tridiagonal_cpu_pivoted_tiles.h tridiagonal_cpu_solve.h common/lanes.h
 * common/lanes_body.h. Compile with gcc or clang, -O3 -march=native -fopenmp -lm. Without -fopenmp
 * everything runs on one core; with -std=c11 (not gnu11) add -ffp-contract=fast, because gcc
 * otherwise forms no fused multiply-adds. The functions allocate and print nothing. */
#pragma once

#include "tridiagonal_problem.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tridiagonal_cpu {
    char type; /* 's' float, 'd' double, 'c' and 'z' complex: pairs (real, imaginary) of them */
    int64_t n; /* >= 0 */
    /* Inputs, not modified: n elements each, aligned to one real number (64 bytes is best). sub_0
     * and super_{n-1} have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* output, n elements; may be the same array as rhs, must not overlap another one */
    void *work; /* workspace of tridiagonal_cpu_work() bytes, aligned to 64 */
    int cores;  /* maximum number of OpenMP threads, >= 1; a small system uses fewer */
    int pivot;  /* enum tridiagonal_pivot; 0 is NEVER */
};

/* Returns the bytes of the workspace, for every `pivot` and for the gradient. For a large system
 * this is about a quarter of the bytes of one array (complex: three eighths). Returns 0 for an
 * unknown type or n < 0. */
size_t tridiagonal_cpu_work(char type, int64_t n);

/* Solves the system. Returns
 *
 *   0       no pivot was bad, and x is finite. The backward error of each row is small: with
 *           pivoting for every matrix, without it if the matrix needs none
 *   1 + i   row i has a bad pivot: zero (NEVER: within the rounding of its terms), NaN, or out of
 *           range. It is the first one in the order of elimination. Or x overflows: row i is the
 *           first one that does, with pivoting that row or one before it in its partition. The
 *           contents of x are undefined.
 *   -1      invalid arguments: type, n, cores, pivot; a pointer that is NULL or not aligned, unless
 *           n = 0. Nothing is read or written.
 *
 * The status depends on rhs only where x overflows. The choices of `pivot`:
 *
 *   NEVER   rows are not exchanged, so the elimination within each partition and that of the joint
 *           lines must have nonzero pivots, as is the case for diagonally dominant and for definite
 *           matrices
 *   ALWAYS  scaled partial pivoting
 *   AUTO    as NEVER, but while a partition is eliminated, its errors are estimated
 *           (tridiagonal_cpu_tiles.h). If they may be large, a pivot is bad, or values may leave
 *           the range of the type, the solver starts again as with ALWAYS, before x is written
 *
 * Each row of the matrix and its right-hand side may have a scale of its own, within the range of
 * the type. ALWAYS scales each row by a power of two. NEVER starts again with scaled rows, which
 * takes several times as long, if a pivot is bad or far from 1 (in single precision outside 1e-14
 * to 1e14, in double 1e-145 to 1e145), or if x is so small that flushing to zero would change it
 * noticeably. A scaled pivot is out of range if it is less than 2^-97 (double 2^-964; ALWAYS: below
 * the smallest normal number) of the largest coefficient of its row. Elements of x may
 * become 0 if they are below the smallest normal number, or by this factor below the largest one.
 * The result depends on n and on the vector length of the build, but not on the number of cores. */
long long tridiagonal_cpu_solve(const struct tridiagonal_cpu *s);

/* Computes the gradient of a real function L of x (tridiagonal_problem.h). *s must have the members
 * with which tridiagonal_cpu_solve() was called, and s->x must hold its result. s->x is read, and
 * s->rhs is not used. Returns the status of the adjoint solve, as tridiagonal_cpu_solve() does. */
long long tridiagonal_cpu_gradient(const struct tridiagonal_cpu *s,
                                   const struct tridiagonal_derivatives *d);

/* ---- a part of a larger system, as an MPI rank has it (nshape.h, nshape_mpi.h) ----
 *
 * Only without pivoting: `pivot` must be NEVER.
 *
 * The n >= 2 rows of the struct are part number w of the larger system. The first row is the joint
 * line J_w of the larger system, and the last row is the joint line J_{w+1}.
 * tridiagonal_cpu_reduce() reduces the part to its two joint lines: it writes two elements of each
 * array to sub, diag, super and rhs of `lines`. It reads n elements of the four arrays of the
 * struct; sub_0 and super_{n-1} have no effect. It returns the same values as
 * tridiagonal_cpu_solve(), for the rows between the two lines. `lines` are not scaled, even if the
 * rows were, so their subnormal values have fewer digits.
 *
 * tridiagonal_cpu_finish() then reads x of the two lines from x of `lines` and writes n elements of
 * x of the struct. It returns 0, or 1 + the first row whose x is not finite. The workspace must not
 * change between the two calls. With invalid arguments both return -1. lines.x may be NULL for
 * tridiagonal_cpu_reduce(). */
struct tridiagonal_cpu_lines {
    void *sub, *diag, *super, *rhs, *x;
};
long long tridiagonal_cpu_reduce(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines);
long long tridiagonal_cpu_finish(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines);

#ifdef __cplusplus
}
#endif
