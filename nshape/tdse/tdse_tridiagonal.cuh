/* TDSE_TRIDIAGONAL: a step by tridiagonal.h, which leaves the matrix T of the system (tdse.h) as it
 * is. So a step writes only the right-hand side d and, with TDSE_REBUILT, the diagonal of T. */
#pragma once

#include "tdse.h"
#include "tdse_stages.cuh"
#include "tridiagonal.h"

/* The workspace: the off-diagonal (for both), the diagonal, d; then the solver's own. */
enum { SYSTEM_ARRAYS = 3, BULK_ALIGNMENT = 16 };

template <class R> struct system_of_t {
    half_step<R> t;
    int64_t n;
    const complex_of<R> *psi;
    complex_of<R> before, after; /* psi beyond the two ends */
    complex_of<R> *off, *diagonal, *d;
    bool kept;
};

static size_t system_array_bytes(const struct tdse *s)
{
    size_t bytes = (size_t)s->n * (s->type == 'z' ? 16 : 8);
    return (bytes + BULK_ALIGNMENT - 1) / BULK_ALIGNMENT * BULK_ALIGNMENT;
}

/* The solver does not pivot, because no pivot can vanish (tdse.h). */
static struct tridiagonal system_shape(const struct tdse *s)
{
    struct tridiagonal t = {};
    t.type = s->type;
    t.n = s->n;
    return t;
}

static size_t system_work(const struct tdse *s)
{
    struct tridiagonal t = system_shape(s);
    return SYSTEM_ARRAYS * system_array_bytes(s) + tridiagonal_workspace(&t);
}

static char *system_workspace(const struct tdse *s)
{
    return (char *)s->work + SYSTEM_ARRAYS * system_array_bytes(s);
}

template <class R>
static system_of_t<R> system_arrays(const struct tdse *s, const half_step<R> *half)
{
    typedef complex_of<R> T;
    char *work = (char *)s->work;
    size_t bytes = system_array_bytes(s);
    const T zero = {0, 0};
    return {*half,
            s->n,
            (const T *)s->psi,
            zero,
            zero,
            (T *)work,
            (T *)(work + bytes),
            (T *)(work + 2 * bytes),
            s->matrix == TDSE_KEPT};
}

/* Computes row i of T. tdse_keep() calls it once, before all steps. */
template <class R> HOST_DEVICE void system_matrix(const system_of_t<R> *w, int64_t i)
{
    w->off[i] = {0, w->t.off};
    w->diagonal[i] = {1, half_step_energy(&w->t, i)};
}

/* d = T^dagger psi (L22 eq. 3) and, with TDSE_REBUILT, the diagonal of T. It moves 2.5 elements a
 * row, with the diagonal 3.5. A solver that computed T and d itself would move 2.5 in the whole
 * step, or 4 if it read the rows twice. */
template <class R> HOST_DEVICE void system_explicit(const system_of_t<R> *w, int64_t i)
{
    complex_of<R> above = i > 0 ? w->psi[i - 1] : w->before,
                  below = i + 1 < w->n ? w->psi[i + 1] : w->after;
    R h = half_step_energy(&w->t, i);
    w->d[i] = explicit_here(h, w->psi[i]) + explicit_neighbour(&w->t, above + below);
    if (!w->kept)
        w->diagonal[i] = {1, h};
}

template <class R>
static cudaError_t system_keep(const struct tdse *s, const half_step<R> *half,
                               const struct place *at)
{
    system_of_t<R> w = system_arrays(s, half);
    struct tridiagonal t = system_shape(s);
    TRY(tridiagonal_prepare(system_workspace(s), tridiagonal_workspace(&t), at->stream));
    return for_each<system_matrix<R>>(at, &w, s->n);
}

/* `around`: psi before and after the rows, or NULL for zeros. Sets the arrays of *t. */
template <class R>
static cudaError_t system_rows(const struct tdse *s, const half_step<R> *half, const void *around,
                               struct tridiagonal *t, const struct place *at)
{
    system_of_t<R> w = system_arrays(s, half);
    if (around) {
        memcpy((void *)&w.before, around, sizeof w.before);
        memcpy((void *)&w.after, (const char *)around + sizeof w.before, sizeof w.after);
    }
    t->sub = w.off;
    t->diag = w.diagonal;
    t->super = w.off;
    t->rhs = w.d;
    t->x = s->psi;
    return for_each<system_explicit<R>>(at, &w, s->n);
}

template <class R>
static cudaError_t system_step(const struct tdse *s, const half_step<R> *half,
                               const struct place *at)
{
    struct tridiagonal t = system_shape(s);
    TRY(system_rows(s, half, NULL, &t, at));
    return tridiagonal_solve(&t, system_workspace(s), tridiagonal_workspace(&t), at->stream);
}
