/* A. Wakatani, FUTURE COMPUTING 2012 (W12), section II: a tridiagonal system by substitution and by
 * P-scheme on CPU cores, and the linear recurrence by the same two methods.
 *
 * Problem A (eq. 1-3). The paper's a, b, c are here diag, off, rhs:
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1}
 *
 * Problem B: w_i = s_i w_{i-1} + t_i, 1 <= i <= n.
 *
 * Copy: pscheme_cpu.h pscheme_cpu.c pscheme_cpu_body.h simd/pscheme_lanes_body.h common/lanes.h
 * common/lanes_body.h. Compile with -O3 -march=native -fopenmp (without the last everything runs on
 * one core). Suffix _s: float, _d: double.
 *
 * Common to all functions
 *   Arrays   of problem A hold n >= 1 words. diag and off of the first and last row are not read.
 *            Inputs are not changed; outputs and work must not overlap inputs.
 *   parts    1 or more. The rows 1..n-2 (problem B: 1..n) are split evenly into that many parts in
 *            order; parts that are left empty do no harm. Results depend on parts, never on cores.
 *   cores    1 or more OpenMP threads, which share the parts of a parallel phase.
 *   work     space that the caller owns; its size in words stands at each function. Nothing is
 *            allocated or printed.
 *   Returns  0; or the row i > 0, the smallest one found, where a pivot is zero, not finite, or
 *            at most epsilon times the term it was subtracted from, so that nothing but rounding
 *            is left of it (then the outputs are undefined); or PSCHEME_REFUSED. No method
 *            exchanges rows. Substitution needs the pivots of the system; P-scheme needs also
 *            those of every part taken alone, which dominant and symmetric definite systems
 *            always have; when one of these is zero the row is where that was met. rhs is not
 *            looked at. What has no pivots returns 0 or PSCHEME_REFUSED. */
#ifndef PSCHEME_CPU_H
#define PSCHEME_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n, parts or cores is less than 1 (n of problem B: less than 0), n or parts is more than 2^57 - 1,
 * the method is none of these, or an array is NULL or not aligned to its words (nothing was
 * touched); or eq. 13 was asked for with coefficients that vary from row to row, or with off = 0 (p
 * is undefined). */
enum { PSCHEME_REFUSED = -1 };

enum pscheme_method { PSCHEME_EQ13, PSCHEME_REPEAT, PSCHEME_MAP };

/* Words of work that pscheme_solve needs, enough for any function of problem A. */
static inline int64_t pscheme_work_elements(int64_t n, int64_t parts)
{
    return 3 * n + 5 * parts;
}

/* Substitution, three sweeps: p of eq. 4-5 (p_{n-1} = 0); q of eq. 4-5 (q_{n-1} = rhs_{n-1}); x of
 * eq. 6 from p and q. */
int64_t substitution_p_s(int64_t n, const float *diag, const float *off, float *p);
int64_t substitution_p_d(int64_t n, const double *diag, const double *off, double *p);
int64_t substitution_q_s(int64_t n, const float *diag, const float *off, const float *rhs,
                         const float *p, float *q);
int64_t substitution_q_d(int64_t n, const double *diag, const double *off, const double *rhs,
                         const double *p, double *q);
int64_t substitution_x_s(int64_t n, const float *p, const float *q, float *x);
int64_t substitution_x_d(int64_t n, const double *p, const double *q, double *x);

/* p by eq. 9-13 as printed, for constant coefficients. work: 3n words. */
int64_t pscheme_p_eq13_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                         float *p, float *work);
int64_t pscheme_p_eq13_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                         double *p, double *work);

/* p by eq. 9-12 for the last row of each part, eq. 13 between parts and eq. 5 inside. Any
 * coefficients, off = 0 too. work: 5 parts words. */
int64_t pscheme_p_repeat_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                           float *p, float *work);
int64_t pscheme_p_repeat_d(int64_t n, int64_t parts, int cores, const double *diag,
                           const double *off, double *p, double *work);

/* p by a forward chain of the map p_kM -> p_i, kept for every row. Any coefficients, off = 0 too,
 * but the square of a p of a part taken alone must not overflow: its row is returned as one with a
 * bad pivot. work: 3n words. */
int64_t pscheme_p_map_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                        float *p, float *work);
int64_t pscheme_p_map_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                        double *p, double *work);

/* q and x, linear recurrences once p is known, by P-scheme. work: n + parts words. */
int64_t pscheme_q_s(int64_t n, int64_t parts, int cores, const float *diag, const float *off,
                    const float *rhs, const float *p, float *q, float *work);
int64_t pscheme_q_d(int64_t n, int64_t parts, int cores, const double *diag, const double *off,
                    const double *rhs, const double *p, double *q, double *work);
int64_t pscheme_x_s(int64_t n, int64_t parts, int cores, const float *p, const float *q, float *x,
                    float *work);
int64_t pscheme_x_d(int64_t n, int64_t parts, int cores, const double *p, const double *q,
                    double *x, double *work);

/* The whole of problem A: p, q and x are outputs. work: pscheme_work_elements(n, parts). */
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

/* The whole of problem A with the lanes of the cores as processors (lanes.h): p, q and x are
 * outputs, 8 words a row go through memory, no work is needed. Any coefficients, off = 0 too. Tiles
 * of 32 rows a lane (pscheme_lanes_body.h) follow from n alone, so results never depend on cores;
 * small n is substitution's. Tiles in which a pivot is bad, be it only of lanes taken alone, are
 * done row by row: substitution's pivots are all that is needed, and the row returned is
 * substitution's. Cores wait for each other at every tile: do not ask for more than are free.
 *
 * Range: results below the smallest normal number, MIN, are flushed to 0. Where that would show,
 * all is done again by substitution_solve, which flushes nothing, on one core: where no |x_i|
 * reaches 64 MIN / epsilon (6e-30, in double 6e-291) though rhs is not 0; where a pivot, its
 * inverse or p is larger than some 1e18 (double 1e153); and where a pivot is bad. Else each number
 * that is flushed counts less than epsilon of the largest |x_i|: an x_i that is far smaller than
 * that one may have fewer digits than substitution's, or be 0. */
int64_t pscheme_solve_lanes_s(int64_t n, int cores, const float *diag, const float *off,
                              const float *rhs, float *p, float *q, float *x);
int64_t pscheme_solve_lanes_d(int64_t n, int cores, const double *diag, const double *off,
                              const double *rhs, double *p, double *q, double *x);

/* Problem B: s and t hold s_1..s_n, t_1..t_n; w holds w_0..w_n (n + 1 words). There are no pivots.
 * n is 0 or more; with n = 0 s and t may be NULL. work: n + 1 + parts words. */
int64_t recurrence_serial_s(int64_t n, float w0, const float *s, const float *t, float *w);
int64_t recurrence_serial_d(int64_t n, double w0, const double *s, const double *t, double *w);
int64_t recurrence_pscheme_s(int64_t n, int64_t parts, int cores, float w0, const float *s,
                             const float *t, float *w, float *work);
int64_t recurrence_pscheme_d(int64_t n, int64_t parts, int cores, double w0, const double *s,
                             const double *t, double *w, double *work);
/* With lanes: 3 words a row go through memory. The products of s over a tile of rows must not
 * overflow, else w may be NaN where recurrence_serial's is finite. The rest is as for
 * pscheme_solve_lanes, with:
 *
 * Range: where no |w_i| reaches 64 MIN / epsilon though w0 and t are not 0, all is done again by
 * recurrence_serial. Else flushing changes w_i by at most F_i = |s_i| F_{i-1} + 8 MIN (1 + B_i),
 * F_0 = 0, B_i the largest up to i of b_0 = |w_0|, b_k = |s_k| b_{k-1} + |t_k|. So products of s
 * that fall below MIN are lost to the large s that may follow them: a w that goes down to MIN B_i
 * and up again may be 0 where recurrence_serial's is not. */
int64_t recurrence_lanes_s(int64_t n, int cores, float w0, const float *s, const float *t,
                           float *w);
int64_t recurrence_lanes_d(int64_t n, int cores, double w0, const double *s, const double *t,
                           double *w);

#ifdef __cplusplus
}
#endif
#endif
