/* A. Wakatani, FUTURE COMPUTING 2012 (W12), section II: a tridiagonal system (problem A) and a
 * linear recurrence (problem B) on CPU cores, by substitution, which is serial, and by P-scheme,
 * which solves parts of the rows in parallel.
 *
 * Problem A (W12 eq. 1-3; the paper's a, b, c are diag, off, rhs):
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1}
 *
 * Problem B (W12 section V-A): w_i = s_i w_{i-1} + t_i, 1 <= i <= n.
 *
 * Copy: pscheme_cpu.h pscheme_cpu.c pscheme_cpu_body.h simd/pscheme_lanes_body.h common/lanes.h
 * common/lanes_body.h. Compile with -O3 -march=native -fopenmp (without -fopenmp: one core). Suffix
 * _s: float, suffix _d: double.
 *
 * Common to all functions
 *
 *   Arrays   of problem A have n >= 1 elements. diag and off of the first and the last row are not
 *            read. Inputs are not modified. Outputs and work must not overlap inputs.
 *   parts    P >= 1. The interior rows 1..n-2 (problem B: 1..n) are divided evenly into P parts of
 *            consecutive rows; a part may be empty. Results depend on P, but not on the cores.
 *   cores    The number of OpenMP threads, at least 1, which share the parts.
 *   work     Workspace of the caller, in elements. No function allocates memory or prints.
 *   Returns  0 if all pivots are good; i > 0 if row i has a bad pivot: then outputs are undefined;
 *            PSCHEME_REFUSED if an argument is invalid.
 *   Pivots   A pivot is the difference of a term, such as diag_i, and a correction, such as
 *            off_i p_{i-1}. It is bad if it is not finite or at most epsilon times the term: then
 *            it consists of rounding errors only. Of several bad pivots the smallest row is
 *            returned. No method exchanges rows. Substitution needs good pivots of the system.
 *            P-scheme also needs good pivots of every part when it is solved alone. Diagonally
 *            dominant and symmetric definite systems have both. No function searches rhs for NaN or
 *            infinity. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function returns this, and writes nothing, if n, parts or cores is less than 1 (problem B: n <
 * 0), n or parts is more than 2^57 - 1, the method is unknown, or an array is NULL or not aligned
 * to its elements. pscheme_p_eq13 and PSCHEME_EQ13 also return it, but may have written to p and
 * work, if the coefficients vary from row to row or off is 0, because W12 eq. 13 does not hold
 * then. */
enum { PSCHEME_REFUSED = -1 };

/* How pscheme_solve computes p. */
enum pscheme_method { PSCHEME_EQ13, PSCHEME_REPEAT, PSCHEME_MAP };

/* The workspace of pscheme_solve, enough for every function of problem A. */
static inline int64_t pscheme_work_elements(int64_t n, int64_t parts)
{
    return 3 * n + 5 * parts;
}

/* Substitution: p by W12 eq. 4-5, with p_{n-1} = 0; q from p by W12 eq. 4-5, with q_{n-1} =
 * rhs_{n-1}; x from p and q by W12 eq. 6. */
int64_t substitution_p_s(int64_t n, const float *diag, const float *off, float *p);
int64_t substitution_p_d(int64_t n, const double *diag, const double *off, double *p);
int64_t substitution_q_s(int64_t n, const float *diag, const float *off, const float *rhs,
                         const float *p, float *q);
int64_t substitution_q_d(int64_t n, const double *diag, const double *off, const double *rhs,
                         const double *p, double *q);
int64_t substitution_x_s(int64_t n, const float *p, const float *q, float *x);
int64_t substitution_x_d(int64_t n, const double *p, const double *q, double *x);

/* p by W12 eq. 9-13 as printed. All interior rows must have the same diag and the same off, and off
 * must not be 0. work: 3 * n elements. */
int64_t pscheme_p_eq13_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                         float *p, float *work);
int64_t pscheme_p_eq13_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                         double *p, double *work);

/* W12 eq. 9-13 give p at the end of each part, W12 eq. 5 then gives p of all rows. The coefficients
 * may vary, and off may be 0. work: 5 * parts elements. */
int64_t pscheme_p_repeat_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                           float *p, float *work);
int64_t pscheme_p_repeat_d(int64_t n, int64_t parts, int cores, const double *diag,
                           const double *off, double *p, double *work);

/* p by maps (README.md): p_i as a function of p_start, the p before the part, computed forwards.
 * The coefficients may vary, and off may be 0. A map contains squares of the p of the part alone;
 * if one overflows, its row counts as a row with a bad pivot. work: 3 * n elements. */
int64_t pscheme_p_map_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                        float *p, float *work);
int64_t pscheme_p_map_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                        double *p, double *work);

/* q and x, which are linear recurrences when p is known. work: n + parts elements. */
int64_t pscheme_q_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                    const float *rhs, const float *p, float *q, float *work);
int64_t pscheme_q_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                    const double *rhs, const double *p, double *q, double *work);
int64_t pscheme_x_s(int64_t n, int64_t parts, int cores, const float *p, const float *q, float *x,
                    float *work);
int64_t pscheme_x_d(int64_t n, int64_t parts, int cores, const double *p, const double *q,
                    double *x, double *work);

/* Problem A: p, then q, then x, which all are outputs. work: pscheme_work_elements(n, parts). */
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

/* Problem A with the SIMD lanes of the cores as processors. p, q and x are outputs. A row moves 8
 * elements. The coefficients may vary, and off may be 0.
 *
 * A tile has 32 rows for every lane (simd/pscheme_lanes_body.h). Tiles depend on n alone, so
 * results do not depend on the cores; small n use substitution. A tile with a bad pivot, which may
 * be bad only in a lane alone, is solved row by row. So the system needs good pivots only, and the
 * returned row is that of substitution. The cores wait for each other at every tile, so `cores`
 * should not exceed the number of idle cores.
 *
 * Range. Results below MIN, the smallest normal number, are flushed to 0. In these cases
 * substitution_solve, which flushes nothing, solves the system again on one core:
 *
 *     - every |x_i| is less than 64 MIN / epsilon (6e-30, in double 6e-291), and rhs is not 0;
 *     - a pivot, its inverse or p exceeds about 1e19 (in double 1e154);
 *     - a pivot is bad.
 *
 * Otherwise flushing causes an error of less than epsilon times the largest |x_i|. But a far
 * smaller x_i may have fewer correct digits than after substitution, or be 0. */
int64_t pscheme_solve_lanes_s(int64_t n, int cores, const float *diag, const float *off,
                              const float *rhs, float *p, float *q, float *x);
int64_t pscheme_solve_lanes_d(int64_t n, int cores, const double *diag, const double *off,
                              const double *rhs, double *p, double *q, double *x);

/* Problem B for n >= 0: s_1..s_n and t_1..t_n, which may be NULL if n = 0, and w_0..w_n. work: n +
 * 1 + parts elements. */
int64_t recurrence_serial_s(int64_t n, float w0, const float *s, const float *t, float *w);
int64_t recurrence_serial_d(int64_t n, double w0, const double *s, const double *t, double *w);
int64_t recurrence_pscheme_s(int64_t n, int64_t parts, int cores, float w0, const float *s,
                             const float *t, float *w, float *work);
int64_t recurrence_pscheme_d(int64_t n, int64_t parts, int cores, double w0, const double *s,
                             const double *t, double *w, double *work);
/* Problem B with the SIMD lanes as processors. A row moves 3 elements. Tiles, cores and flushing
 * are as in pscheme_solve_lanes. If the product of s over a tile overflows, w may be NaN where
 * recurrence_serial gives finite values.
 *
 * Range. If every |w_i| is less than 64 MIN / epsilon, and w0 or some t_i is not 0,
 * recurrence_serial solves the problem again. Otherwise flushing changes w_i by at most F_i:
 *
 *     F_0 = 0,      F_i = |s_i| F_{i-1} + 8 MIN (1 + B_i)
 *     b_0 = |w_0|,  b_i = |s_i| b_{i-1} + |t_i|,  B_i = the largest of b_0..b_i
 *
 * A product of s that falls below MIN becomes 0 and stays 0. So if |w_i| falls to MIN B_i and grows
 * again after row i, w may be 0 where it is not 0 in recurrence_serial. */
int64_t recurrence_lanes_s(int64_t n, int cores, float w0, const float *s, const float *t,
                           float *w);
int64_t recurrence_lanes_d(int64_t n, int cores, double w0, const double *s, const double *t,
                           double *w);

#ifdef __cplusplus
}
#endif
