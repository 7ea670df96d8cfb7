/* A. Wakatani, FUTURE COMPUTING 2012 (W12), section II: solvers for a tridiagonal system (problem
 * A) and for a linear recurrence (problem B) on CPU cores. Each problem is solved by a serial
 * method, substitution, and by P-scheme, which divides the rows into parts that are solved in
 * parallel.
 *
 * Problem A (W12 eq. 1-3; the paper's a, b, c are diag, off, rhs):
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1}
 *
 * Problem B (W12 section V-A): w_i = s_i w_{i-1} + t_i, 1 <= i <= n.
 *
 * Copy: pscheme_cpu.h pscheme_cpu.c pscheme_cpu_body.h simd/pscheme_lanes_body.h common/lanes.h
 * common/lanes_body.h. Compile with -O3 -march=native -fopenmp. Without -fopenmp everything runs
 * on one core. Functions with the suffix _s compute with float, those with the suffix _d with
 * double.
 *
 * Common to all functions
 *   Arrays   Arrays of problem A have n >= 1 elements. diag and off of the first and the last row
 *            are not read. Inputs are not modified. Outputs and work must not overlap inputs.
 *   parts    P >= 1, the number of parts of P-scheme. The interior rows 1..n-2 (problem B: 1..n)
 *            are divided evenly into P parts of consecutive rows. A part may be empty. Results
 *            depend on the number of parts, but not on the number of cores.
 *   cores    The number of OpenMP threads, at least 1. In the parallel phases these threads share
 *            the parts.
 *   work     Workspace that the caller allocates. The comment at each function gives its size in
 *            elements. No function allocates memory or prints.
 *   Returns  A function returns 0 if all pivots are good. If a row i > 0 has a bad pivot, the
 *            function returns i, and its outputs are undefined. If an argument is invalid, it
 *            returns PSCHEME_REFUSED. Functions without pivots return 0 or PSCHEME_REFUSED.
 *   Pivots   A pivot is the difference of a term, such as diag_i, and a correction, such as
 *            off_i p_{i-1}. It is bad if it is zero, if it is not finite, or if it is at most
 *            epsilon times the term. In the last case it consists of rounding errors only. If
 *            several bad pivots are found, the smallest row is returned. No method exchanges rows.
 *            Substitution succeeds if the pivots of the whole system are good. P-scheme succeeds
 *            only if, in addition, every part has good pivots when it is solved alone. Systems
 *            that are diagonally dominant or symmetric definite have good pivots in both cases.
 *            No function searches rhs for NaN or infinity. */
#ifndef PSCHEME_CPU_H
#define PSCHEME_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function returns this value, and writes nothing, in these cases:
 * - n, parts or cores is less than 1 (problem B: n is less than 0);
 * - n or parts is more than 2^57 - 1;
 * - the method is unknown;
 * - an array is NULL or not aligned to its elements.
 *
 * pscheme_p_eq13, and pscheme_solve with PSCHEME_EQ13, also return it if the coefficients vary from
 * row to row or if off is 0, because W12 eq. 13 does not hold then. In this case they may have
 * written to p and work. */
enum { PSCHEME_REFUSED = -1 };

/* How pscheme_solve computes p: by pscheme_p_eq13, pscheme_p_repeat or pscheme_p_map. */
enum pscheme_method { PSCHEME_EQ13, PSCHEME_REPEAT, PSCHEME_MAP };

/* The size of the workspace of pscheme_solve, in elements. It is enough for every function of
 * problem A. */
static inline int64_t pscheme_work_elements(int64_t n, int64_t parts)
{
    return 3 * n + 5 * parts;
}

/* Substitution has one function for each of its three sweeps over the rows. substitution_p computes
 * p by W12 eq. 4-5 and sets p_{n-1} = 0. substitution_q computes q from p by W12 eq. 4-5 and sets
 * q_{n-1} = rhs_{n-1}. substitution_x computes x from p and q by W12 eq. 6. */
int64_t substitution_p_s(int64_t n, const float *diag, const float *off, float *p);
int64_t substitution_p_d(int64_t n, const double *diag, const double *off, double *p);
int64_t substitution_q_s(int64_t n, const float *diag, const float *off, const float *rhs,
                         const float *p, float *q);
int64_t substitution_q_d(int64_t n, const double *diag, const double *off, const double *rhs,
                         const double *p, double *q);
int64_t substitution_x_s(int64_t n, const float *p, const float *q, float *x);
int64_t substitution_x_d(int64_t n, const double *p, const double *q, double *x);

/* Computes p by W12 eq. 9-13 as the paper prints them. All interior rows must have the same diag
 * and the same off, and off must not be 0. work: 3 * n elements. */
int64_t pscheme_p_eq13_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                         float *p, float *work);
int64_t pscheme_p_eq13_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                         double *p, double *work);

/* Computes p in two steps. W12 eq. 9-13 give p at the end of each part, with which the next part
 * begins. Then W12 eq. 5 gives p of all rows. The coefficients may vary, and off may be 0. work:
 * 5 * parts elements. */
int64_t pscheme_p_repeat_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                           float *p, float *work);
int64_t pscheme_p_repeat_d(int64_t n, int64_t parts, int cores, const double *diag,
                           const double *off, double *p, double *work);

/* Computes p by maps. The map of a row i gives p_i as a function of p_start, the p of the row
 * before the part (README.md). The maps are computed forwards, row by row. The coefficients may
 * vary, and off may be 0. A map contains squares of the p that the part has when it is solved
 * alone. If such a square overflows, the row is returned as a row with a bad pivot. work: 3 * n
 * elements. */
int64_t pscheme_p_map_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                        float *p, float *work);
int64_t pscheme_p_map_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                        double *p, double *work);

/* Compute q and x by P-scheme. When p is known, q and x are solutions of linear recurrences. work:
 * n + parts elements. */
int64_t pscheme_q_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                    const float *rhs, const float *p, float *q, float *work);
int64_t pscheme_q_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                    const double *rhs, const double *p, double *q, double *work);
int64_t pscheme_x_s(int64_t n, int64_t parts, int cores, const float *p, const float *q, float *x,
                    float *work);
int64_t pscheme_x_d(int64_t n, int64_t parts, int cores, const double *p, const double *q,
                    double *x, double *work);

/* Solve problem A: they compute p, then q, then x. All three arrays are outputs. work:
 * pscheme_work_elements(n, parts) elements. */
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

/* Solve problem A with the SIMD lanes of the cores as P-scheme's processors. p, q and x are
 * outputs. For each row 8 elements are read from or written to memory. The coefficients may vary,
 * and off may be 0.
 *
 * The rows are divided into tiles, each with 32 rows for every lane (simd/pscheme_lanes_body.h).
 * The tiles depend on n alone, so results do not depend on the number of cores. If n is small, the
 * functions use substitution. A pivot in a tile may be bad only because a lane solves its rows
 * alone. If any pivot in a tile is bad, the tile is solved row by row. Therefore it is enough that
 * the system has good pivots, and the returned row is the row that substitution returns. The cores
 * wait for each other at every tile, so `cores` should not exceed the number of idle cores.
 *
 * Range. Results below MIN, the smallest normal number, are flushed to 0. In the following cases
 * substitution_solve, which flushes nothing, solves the system again on one core:
 * - every |x_i| is less than 64 MIN / epsilon (6e-30, in double 6e-291), and rhs is not 0;
 * - a pivot, its inverse or p exceeds about 1e19 (in double 1e154);
 * - a pivot is bad.
 *
 * In all other cases the error that flushing causes is less than epsilon times the largest |x_i|.
 * But an x_i that is far smaller than the largest one may have fewer correct digits than after
 * substitution, or be 0. */
int64_t pscheme_solve_lanes_s(int64_t n, int cores, const float *diag, const float *off,
                              const float *rhs, float *p, float *q, float *x);
int64_t pscheme_solve_lanes_d(int64_t n, int cores, const double *diag, const double *off,
                              const double *rhs, double *p, double *q, double *x);

/* Solve problem B for n >= 0. s and t have the n elements s_1..s_n and t_1..t_n. w has the n + 1
 * elements w_0..w_n. If n = 0, s and t may be NULL. work: n + 1 + parts elements. */
int64_t recurrence_serial_s(int64_t n, float w0, const float *s, const float *t, float *w);
int64_t recurrence_serial_d(int64_t n, double w0, const double *s, const double *t, double *w);
int64_t recurrence_pscheme_s(int64_t n, int64_t parts, int cores, float w0, const float *s,
                             const float *t, float *w, float *work);
int64_t recurrence_pscheme_d(int64_t n, int64_t parts, int cores, double w0, const double *s,
                             const double *t, double *w, double *work);
/* Solve problem B with the SIMD lanes as P-scheme's processors. For each row 3 elements are read
 * from or written to memory. Tiles, cores and flushing are as in pscheme_solve_lanes. The product
 * of s over a tile must not overflow. If it does, w may be NaN where recurrence_serial gives finite
 * values.
 *
 * Range. If every |w_i| is less than 64 MIN / epsilon, and w0 or some t_i is not 0,
 * recurrence_serial solves the problem again. Otherwise flushing changes w_i by at most F_i:
 *     F_0 = 0,      F_i = |s_i| F_{i-1} + 8 MIN (1 + B_i)
 *     b_0 = |w_0|,  b_i = |s_i| b_{i-1} + |t_i|,  B_i = the largest of b_0..b_i
 * A product of s that falls below MIN becomes 0 and stays 0, even if large s follow. Therefore, if
 * |w_i| falls to MIN B_i and w grows again after row i, w may be 0 here although it is not 0 in
 * recurrence_serial. */
int64_t recurrence_lanes_s(int64_t n, int cores, float w0, const float *s, const float *t,
                           float *w);
int64_t recurrence_lanes_d(int64_t n, int cores, double w0, const double *s, const double *t,
                           double *w);

#ifdef __cplusplus
}
#endif
#endif
