/* The N-shaped partition method on the lanes and cores of a CPU: L22 (Lutsyshyn, Navarrete, Bauer, arXiv:2205.00856) with
 * the lanes as its blocks, laid out as W12 (Wakatani, FUTURE COMPUTING 2012) rearranges P-scheme. One tridiagonal system
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * Two passes, 9 words a row: the first reads sub, diag, super, rhs and leaves of every 32 rows (of 8 or 16 where there are
 * few) one joint line; the joint lines are a tridiagonal system that is solved in the same way; the second reads the four
 * arrays again and writes x.
 *
 *   long long status = tridiagonal_cpu_solve(&(struct tridiagonal_cpu){'d', n, sub, diag, super, rhs, x, work, cores});
 *
 * Copy: tridiagonal_cpu.h tridiagonal_cpu.c tridiagonal_cpu_body.h common/lanes.h common/lanes_body.h.
 * Compile with gcc or clang, -O3 -march=native -fopenmp (without it everything runs on one core)
 * -lm, in strict C also -ffp-contract=fast. Nothing is allocated or printed. */
#ifndef TRIDIAGONAL_CPU_H
#define TRIDIAGONAL_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tridiagonal_cpu {
    char type; /* 's', 'd', 'c', 'z': float, double, and pairs of them (real, imaginary) */
    int64_t n; /* >= 0 */
    /* n words each, aligned as one real number is (64 bytes is best); kept. sub_0 and super_{n-1} are not used. */
    const void *sub, *diag, *super, *rhs;
    void *x;    /* out: n words; may be rhs, must not overlap anything else */
    void *work; /* tridiagonal_cpu_work() bytes, aligned to 64 */
    int cores;  /* at most so many OpenMP threads, >= 1; few rows are left to fewer */
};

/* About a quarter of one array, if it is large. 0 for an unknown type or n < 0. */
size_t tridiagonal_cpu_work(char type, int64_t n);

/* Returns 0; or 1 + i of the row i that, in the order of elimination, is the first with a bad
 * pivot: zero within rounding of its terms, not a number, or out of range; then x means nothing; or
 * -1: the arguments make no sense (type, n, cores; a pointer that is NULL or misaligned, unless n =
 * 0), nothing was touched. rhs is not looked at. Needed are the pivots of the rows between two
 * joint lines taken alone and of the joint lines, which dominant and definite systems have: no rows
 * are exchanged.
 *
 * Range: matrices and right-hand sides may be as small or large as the type allows, each row in
 * another way. Where pivots are far from 1 (in single precision beyond 1e-14 to 1e14, in double
 * 1e-145 to 1e145), where x is so small that flushing would show, or a pivot is bad, the rows are
 * solved again, scaled by powers of two and one at a time, which takes several times as long. Then
 * a pivot is out of range if it is less than 2^-97 (double 2^-964) of its row's largest
 * coefficient. Words of x that are too large are infinite or not a number, with status 0, and all
 * others mean nothing then; words below the smallest normal number may be 0. Results depend on n
 * and the build's vectors, not on cores. */
long long tridiagonal_cpu_solve(const struct tridiagonal_cpu *s);

/* ---- a part of a larger system, as an MPI rank has it (nshape.h, nshape_mpi.h) ----
 *
 * The n >= 2 rows are J_w … J_{w+1} of that system; both are left as two words an array in sub[2],
 * diag[2], super[2], rhs[2] (n words of the four arrays are read; sub_0 and super_{n-1} are not).
 * Status as above, for the rows between. Then, with x of both lines in x[2], the rows between
 * follow. Between the two calls work must stay as it is. The lines' words are in the units of their
 * rows: what is below the smallest normal number there has fewer digits. With arguments that make
 * no sense (x[2] is looked at by _finish alone) _reduce returns -1 and _finish does nothing. */
struct tridiagonal_cpu_lines {
    void *sub, *diag, *super, *rhs, *x;
};
long long tridiagonal_cpu_reduce(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines);
void tridiagonal_cpu_finish(const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines lines);

#ifdef __cplusplus
}
#endif
#endif
