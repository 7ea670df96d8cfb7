/* W12 problem A (eq. 1-6), the tridiagonal system, by P-scheme. a_i is diag_i, b_i is off_i, c_i is
 * rhs_i.
 *
 * The elimination turns row i into x_i = p_i x_{i+1} + q_i. p is a non-linear recurrence, q and x
 * are linear ones. Each needs P-scheme's three phases; the kernels that determine p and q also
 * pre-compute q and x, so there are seven kernels (enum pscheme_tridiagonal_phase).
 *
 * The paper's arrays beta, gamma, delta (W12 eq. 9-12) run backwards and are right for every row of
 * a part only if the coefficients are constant. Here the map from p_in, the p before the part, to
 * p_i has another form. It runs forwards, allows variable coefficients and b_i = 0, and is as
 * accurate as substitution (derivation in pscheme_cpu/README.md). Its numbers are local, e and c
 * (not the paper's c_i):
 *
 *     p_i = local + e p_in / (1 + c p_in)                                (in place of W12 eq. 13)
 *     before the first row: local = 0, e = 1, c = 0
 *     for row i: pivot = a_i - b_i local;  local <- b_i / pivot;  c <- c - local e;  e <- e local^2
 *
 * If a pivot is bad, *status is the smallest row with a bad pivot. The pivots of the system count,
 * and those of each part when it is solved alone. */
#pragma once

#include "pscheme_gpu_layout.cuh"

template <class T> static __device__ inline T apply_map(T local, T e, T c, T p_in)
{
    return local + e * p_in / (1 + c * p_in);
}

/* pscheme_tridiagonal.work, divided into arrays. */
template <class T> struct workspace {
    /* For each row, in the layout. `product` first holds the products of the factors of q, later of
     * x. row_local, row_e and row_c, the map from p_in to the p of each row, share the memory of p,
     * q and product, because p_determine reads the map of a row before it writes these. */
    T *p, *q, *product;
    T *row_local, *row_e, *row_c;
    /* For each part: the map of p over the part; p and q before it and x after it; q at its last
     * row and x at its first, with the products of their factors over the part. */
    T *local, *e, *c;
    T *p_in, *q_in, *x_in;
    T *q_last, *q_product;
    T *x_first, *x_product;
};

/* ---- pivots ---- */

/* *status begins as NO_ROW, which is larger than every row, and ends as the smallest row with a bad
 * pivot, or 0. */
static const unsigned long long NO_ROW = ~0ull;

static __global__ void begin_status(long long *status)
{
    *status = (long long)NO_ROW;
}

static __global__ void end_status(long long *status)
{
    if (*status == (long long)NO_ROW)
        *status = 0;
}

static __device__ inline void report_pivot(long long *status, int64_t row)
{
    atomicMin((unsigned long long *)status, (unsigned long long)row);
}

template <class T> static __device__ inline bool is_finite(T value)
{
    return value - value == 0;
}

/* Is `pivot`, the difference of `term` and a correction, finite and more than epsilon |term|? A
 * smaller one consists of rounding errors only. */
template <class T> static __device__ inline bool good_pivot(T pivot, T term)
{
    const T epsilon = sizeof(T) == 4 ? T(1.1920929e-7) : T(2.220446049250313e-16);
    T size = pivot < 0 ? -pivot : pivot, limit = epsilon * (term < 0 ? -term : term);
    return size > limit && is_finite(pivot);
}

/* ---- p ---- */

/* Pre-computation of p: the map to each row of the part. The map to the last row is that of the
 * part, for the propagation. */
template <class T>
static __global__ void p_precompute(struct pscheme_layout layout, const T *diag, const T *off,
                                    workspace<T> work, long long *status)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T local = 0, e = 1, c = 0;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T pivot = diag[k] - off[k] * local;
        if (!good_pivot(pivot, diag[k]))
            report_pivot(status, part * layout.rows + i + 1);
        local = off[k] / pivot;
        T change = local * e;
        c -= change;
        e = change * local;
        work.row_local[k] = local;
        work.row_e[k] = e;
        work.row_c[k] = c;
    }
    if (part < layout.parts) {
        work.local[part] = local;
        work.e[part] = e;
        work.c[part] = c;
    }
}

/* Propagation of p. One thread applies the map of one part after the other, in place of W12 eq.
 * 13. */
template <class T>
static __global__ void p_propagate(struct pscheme_layout layout, workspace<T> work)
{
    T p = 0; /* W12 eq. 4 */
    for (int64_t part = 0; part <= last_part(layout); part++) {
        work.p_in[part] = p;
        p = apply_map(work.local[part], work.e[part], work.c[part], p);
    }
}

/* Determination of p by the stored maps, and pre-computation of q (W12 eq. 5) and of the products
 * of its factors b_i / pivot_i, as if the q before the part were 0.
 *
 * W12 eq. 5 could also compute p from p_in. But then p at the end of a part would have two values,
 * one from eq. 5 and one from the map in the propagation. On Poisson rows with M rows in a part
 * they differ by M/3 units of roundoff, and the backward error of x would be as large. */
template <class T>
static __global__ void __launch_bounds__(1024)
    p_determine(struct pscheme_layout layout, const T *diag, const T *off, const T *rhs,
                workspace<T> work, long long *status)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T p_in = rows > 0 ? work.p_in[part] : T(0), p = p_in, q = 0, product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T pivot = diag[k] - off[k] * p; /* W12 eq. 5 */
        T factor = off[k] / pivot;
        q = factor * q + rhs[k] / pivot;
        product *= factor;
        T c = work.row_c[k];
        p = apply_map(work.row_local[k], work.row_e[k], c, p_in);
        if (!good_pivot(pivot, diag[k]) || !good_pivot(1 + c * p_in, T(1)) || !is_finite(p))
            report_pivot(status, part * layout.rows + i + 1);
        work.p[k] = p;
        work.q[k] = q;
        work.product[k] = product;
    }
    if (rows > 0) {
        work.q_last[part] = q;
        work.q_product[part] = product;
    }
}

/* ---- q and x ---- */

template <class T>
static __global__ void q_propagate(struct pscheme_layout layout, T first, workspace<T> work)
{
    T q = first; /* W12 eq. 4 */
    for (int64_t part = 0; part <= last_part(layout); part++) {
        work.q_in[part] = q;
        q = work.q_last[part] + work.q_product[part] * q;
    }
}

/* Determination of q, and pre-computation of x (W12 eq. 6), backwards, as if the x after the part
 * were 0. */
template <class T>
static __global__ void q_determine(struct pscheme_layout layout, T *x, workspace<T> work)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride + (rows - 1) * layout.row_stride;
    T q_in = rows > 0 ? work.q_in[part] : T(0), current = 0, product = 1;
    for (int64_t i = rows - 1; i >= 0; i--, k -= layout.row_stride) {
        T p = work.p[k], q = work.q[k] + work.product[k] * q_in;
        current = p * current + q;
        product *= p;
        x[k] = current;
        work.product[k] = product; /* now the product of x's factors p */
    }
    if (rows > 0) {
        work.x_first[part] = current;
        work.x_product[part] = product;
    }
}

template <class T>
static __global__ void x_propagate(struct pscheme_layout layout, T last, workspace<T> work)
{
    T x = last; /* W12 eq. 3 */
    for (int64_t part = last_part(layout); part >= 0; part--) {
        work.x_in[part] = x;
        x = work.x_first[part] + work.x_product[part] * x;
    }
}

template <class T>
static __global__ void x_determine(struct pscheme_layout layout, T *x, workspace<T> work)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T x_in = rows > 0 ? work.x_in[part] : T(0);
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride)
        x[k] += work.product[k] * x_in;
}

/* ---- launchers ---- */

template <class T> static workspace<T> divide_workspace(const struct pscheme_tridiagonal *t)
{
    int64_t elements = pscheme_elements(&t->layout), parts = t->layout.parts;
    T *base = (T *)t->work;
    workspace<T> work;
    work.p = work.row_local = base;
    work.q = work.row_e = base + elements;
    work.product = work.row_c = base + 2 * elements;
    T **each_part[] = {&work.local, &work.e,      &work.c,         &work.p_in,    &work.q_in,
                       &work.x_in,  &work.q_last, &work.q_product, &work.x_first, &work.x_product};
    T *next = base + 3 * elements;
    for (T **array : each_part) {
        *array = next;
        next += parts;
    }
    return work;
}

template <class T>
static cudaError_t tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                     enum pscheme_tridiagonal_phase phase, cudaStream_t stream)
{
    workspace<T> work = divide_workspace<T>(t);
    const T *diag = (const T *)t->diag, *off = (const T *)t->off;
    const T *rhs = (const T *)t->rhs;
    T *x = (T *)t->x;
    switch (phase) {
    case PSCHEME_P_PRECOMPUTE:
        return LAUNCH((p_precompute<T>), t->blocks, t->threads, 0, stream, t->layout, diag, off,
                      work, t->status);
    case PSCHEME_P_PROPAGATE:
        return LAUNCH((p_propagate<T>), 1, 1, 0, stream, t->layout, work);
    case PSCHEME_P_DETERMINE:
        return LAUNCH((p_determine<T>), t->blocks, t->threads, 0, stream, t->layout, diag, off, rhs,
                      work, t->status);
    case PSCHEME_Q_PROPAGATE:
        return LAUNCH((q_propagate<T>), 1, 1, 0, stream, t->layout, (T)t->first, work);
    case PSCHEME_Q_DETERMINE:
        return LAUNCH((q_determine<T>), t->blocks, t->threads, 0, stream, t->layout, x, work);
    case PSCHEME_X_PROPAGATE:
        return LAUNCH((x_propagate<T>), 1, 1, 0, stream, t->layout, (T)t->last, work);
    case PSCHEME_X_DETERMINE:
        return LAUNCH((x_determine<T>), t->blocks, t->threads, 0, stream, t->layout, x, work);
    default:
        return cudaErrorInvalidValue;
    }
}
