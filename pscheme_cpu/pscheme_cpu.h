/* A. Wakatani, FUTURE COMPUTING 2012 (W12), section II: a tridiagonal system by substitution and by
 * P-scheme on CPU cores, and the linear recurrence by the same two methods.
 *
 * Problem A (W12 eq. 1-3; the paper's a, b, c are diag, off, rhs):
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1}
 *
 * Problem B (W12 section V-A): w_i = s_i w_{i-1} + t_i, 1 <= i <= n.
 *
 * Copy: pscheme_cpu.h pscheme_cpu.c pscheme_cpu_body.h simd/pscheme_lanes_body.h common/lanes.h
 * common/lanes_body.h. Compile with -O3 -march=native -fopenmp; without -fopenmp everything runs on
 * one core. Suffix _s: float, _d: double.
 *
 * Common to all functions
 *   Arrays   of problem A have n >= 1 elements. diag and off of the first and the last row are not
 *            read. Inputs are not modified. Outputs and work must not overlap inputs.
 *   parts    P >= 1. Rows 1..n-2 (problem B: 1..n) are divided evenly into P parts, in order. Parts
 *            may be empty. Results depend on the number of parts, not on the number of cores.
 *   cores    OpenMP threads, at least 1, which share the parts in the parallel phases.
 *   work     workspace of the caller; its size in elements stands at each function. Nothing is
 *            allocated or printed.
 *   Returns  0; or a row i > 0 with a bad pivot, and then the outputs are undefined; or
 *            PSCHEME_REFUSED. Functions without pivots return 0 or PSCHEME_REFUSED.
 *   Pivots   A pivot is bad if it is zero, not finite, or at most epsilon times the term it was
 *            subtracted from, so that only rounding errors are left of it. The smallest bad row
 *            that was found is returned. No method exchanges rows. Substitution needs good
 *            pivots of the system. P-scheme also needs good pivots of every part taken alone;
 *            dominant and symmetric definite systems have them. rhs is not checked. */
#ifndef PSCHEME_CPU_H
#define PSCHEME_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing was written, because
 *   n, parts or cores is less than 1 (n of problem B: less than 0), or n or parts is more than
 *   2^57 - 1; or the method is unknown; or an array is NULL or not aligned to its elements.
 * Or W12 eq. 13 was asked for, and the coefficients vary from row to row or off = 0, so that p is
 * undefined. */
enum { PSCHEME_REFUSED = -1 };

/* How p is computed: see pscheme_p_eq13, pscheme_p_repeat and pscheme_p_map. */
enum pscheme_method { PSCHEME_EQ13, PSCHEME_REPEAT, PSCHEME_MAP };

/* Elements of work for pscheme_solve; enough for any function of problem A. */
static inline int64_t pscheme_work_elements(int64_t n, int64_t parts)
{
    return 3 * n + 5 * parts;
}

/* Substitution, one function a sweep: p of W12 eq. 4-5 with p_{n-1} = 0; q of W12 eq. 4-5 with
 * q_{n-1} = rhs_{n-1}; x of W12 eq. 6. */
int64_t substitution_p_s(int64_t n, const float *diag, const float *off, float *p);
int64_t substitution_p_d(int64_t n, const double *diag, const double *off, double *p);
int64_t substitution_q_s(int64_t n, const float *diag, const float *off, const float *rhs,
                         const float *p, float *q);
int64_t substitution_q_d(int64_t n, const double *diag, const double *off, const double *rhs,
                         const double *p, double *q);
int64_t substitution_x_s(int64_t n, const float *p, const float *q, float *x);
int64_t substitution_x_d(int64_t n, const double *p, const double *q, double *x);

/* p by W12 eq. 9-13 as printed, for constant coefficients. work: 3n. */
int64_t pscheme_p_eq13_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                         float *p, float *work);
int64_t pscheme_p_eq13_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                         double *p, double *work);

/* p by W12 eq. 9-12 for the last row of each part, eq. 13 from part to part, and eq. 5 inside the
 * parts. Any coefficients, off = 0 too. work: 5 parts. */
int64_t pscheme_p_repeat_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                           float *p, float *work);
int64_t pscheme_p_repeat_d(int64_t n, int64_t parts, int cores, const double *diag,
                           const double *off, double *p, double *work);

/* p by the map p_kM -> p_i (README.md), which a forward chain computes for every row. Any
 * coefficients, off = 0 too. The chain squares the p of each part taken alone; a row where the
 * square overflows is returned as one with a bad pivot. work: 3n. */
int64_t pscheme_p_map_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                        float *p, float *work);
int64_t pscheme_p_map_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                        double *p, double *work);

/* q and x by P-scheme; they are linear recurrences once p is known. work: n + parts. */
int64_t pscheme_q_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                    const float *rhs, const float *p, float *q, float *work);
int64_t pscheme_q_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                    const double *rhs, const double *p, double *q, double *work);
int64_t pscheme_x_s(int64_t n, int64_t parts, int cores, const float *p, const float *q, float *x,
                    float *work);
int64_t pscheme_x_d(int64_t n, int64_t parts, int cores, const double *p, const double *q,
                    double *x, double *work);

/* All of problem A. p, q and x are outputs. work: pscheme_work_elements(n, parts). */
int64_t substitution_solve_s(int64_t n, const float *diag, const float *off, const float *rhs,
                             float *p, float *q, float *x);
int64_t substitution_solve_d(int64_t n, const double *diag, const double *off, const double *rhs,
                             double *p, double *q, double *x);
int64_t pscheme_solve_s(enum pscheme_method method, int64_t n, int64_t parts, int cores,
                        const float *diag, const float *off, const float *rhs, float *p, float *q,
                        float *x, float *work);
int64_t pscheme_solve_d(enum pscheme_method method, int64_t n, int64_t parts, int cores,
                        const double *diag, const double *off, const double *rhs, double *p,
                        double *q, double *x, double *work);

/* All of problem A with the SIMD lanes of the cores as P-scheme's processors. p, q and x are
 * outputs; 8 elements a row go through memory. Any coefficients, off = 0 too.
 *
 * The rows are divided into tiles of 32 rows a lane (simd/pscheme_lanes_body.h), which depend on n
 * alone, so results do not depend on the cores. A small n is solved by substitution. A tile with a
 * bad pivot, even if only of a lane taken alone, is solved row by row: good pivots of the system
 * are enough, and the row returned is that of substitution. Cores wait for each other at every
 * tile, so `cores` should not exceed the number of idle ones.
 *
 * Range. Results below the smallest normal number, MIN, are flushed to 0. substitution_solve, which
 * flushes nothing, solves the system again on one core where that would show:
 *   - no |x_i| reaches 64 MIN / epsilon (6e-30, in double 6e-291) though rhs is not 0;
 *   - a pivot, its inverse or p exceeds about 1e18 (in double 1e153);
 *   - a pivot is bad.
 * Otherwise a flushed number is less than epsilon of the largest |x_i|. An x_i that is far
 * smaller than the largest one may have fewer digits than by substitution, or be 0. */
int64_t pscheme_solve_lanes_s(int64_t n, int cores, const float *diag, const float *off,
                              const float *rhs, float *p, float *q, float *x);
int64_t pscheme_solve_lanes_d(int64_t n, int cores, const double *diag, const double *off,
                              const double *rhs, double *p, double *q, double *x);

/* Problem B. s and t have the n elements s_1..s_n and t_1..t_n, w has the n + 1 elements w_0..w_n.
 * n >= 0; if n = 0 s and t may be NULL. work: n + 1 + parts. */
int64_t recurrence_serial_s(int64_t n, float w0, const float *s, const float *t, float *w);
int64_t recurrence_serial_d(int64_t n, double w0, const double *s, const double *t, double *w);
int64_t recurrence_pscheme_s(int64_t n, int64_t parts, int cores, float w0, const float *s,
                             const float *t, float *w, float *work);
int64_t recurrence_pscheme_d(int64_t n, int64_t parts, int cores, double w0, const double *s,
                             const double *t, double *w, double *work);
/* Problem B with the SIMD lanes as P-scheme's processors; 3 elements a row go through memory.
 * Tiles, cores and flushing are those of pscheme_solve_lanes. The products of s over a tile must
 * not overflow, else w may be NaN where recurrence_serial's w is finite.
 *
 * Range. If no |w_i| reaches 64 MIN / epsilon though w0 and t are not 0, recurrence_serial solves
 * the problem again. Otherwise flushing changes w_i by at most F_i, with
 *     F_0 = 0, F_i = |s_i| F_{i-1} + 8 MIN (1 + B_i),
 *     B_i = the largest of b_0..b_i, b_0 = |w_0|, b_k = |s_k| b_{k-1} + |t_k|.
 * A product of s below MIN is lost even if large s follow it: a w that falls to MIN B_i and
 * grows again may be 0 where recurrence_serial's w is not. */
int64_t recurrence_lanes_s(int64_t n, int cores, float w0, const float *s, const float *t,
                           float *w);
int64_t recurrence_lanes_d(int64_t n, int cores, double w0, const double *s, const double *t,
                           double *w);

#ifdef __cplusplus
}
#endif
#endif
