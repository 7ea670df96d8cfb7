/* Crank-Nicolson steps (L22 sections 2, 4.2, 5.3): applications, their memory, and the order of the
 * stages. Read nshape_stages.h and tdse_stages.cuh first. Run: build/gpu/nshape --tdse. */
#include "tdse.h"
#include "tdse_stages.cuh"
#include "tdse_tridiagonal.cuh"

#include <initializer_list>

template <class R> struct all_levels {
    level<R> levels[NSHAPE_NEST_MOST], last; /* last: the last application, but `down` is for RS */
    int count;
    bool kept;
};

static bool arguments_valid(const struct tdse *s)
{
    bool divided = s->solver == TDSE_N_SHAPED && s->nest >= 1;
    size_t real = s->type == 'z' ? sizeof(double) : sizeof(float);
    if (!device_aligned(s->v, real) || !device_aligned(s->psi, 2 * real) ||
        !device_aligned(s->work, 16) ||
        (s->joints && !device_aligned(s->joints, sizeof *s->joints)))
        return false;
    return s->n >= 2 && s->first >= 0 &&
           partition_valid(s->n, divided ? s->nest : 0, NSHAPE_NEST_MOST, s->parts, s->threads) &&
           (divided || s->solver == TDSE_TRIDIAGONAL) && (s->type == 'c' || s->type == 'z') &&
           (s->matrix == TDSE_REBUILT || s->matrix == TDSE_KEPT);
}

/* The workspace holds a status that nobody reads, because no pivot of the matrix T (tdse.h) can
 * vanish; b, a, c, d of the given rows; and b, a, c, d, psi, extra_a, extra_d of each application's
 * joint lines. With TDSE_KEPT the rows and the joint lines have two more arrays each, for the
 * factors. */
enum { ROW_ARRAYS = 4, LINE_ARRAYS = 7, FACTOR_ARRAYS = 2, STATUS_BYTES = 16 };

size_t tdse_work(const struct tdse *s)
{
    if (s->solver == TDSE_TRIDIAGONAL)
        return system_work(s);
    size_t factors = s->matrix == TDSE_KEPT ? FACTOR_ARRAYS : 0;
    size_t elements = (size_t)s->n * (ROW_ARRAYS + factors);
    for (int l = 0; l < s->nest; l++)
        elements += ((size_t)s->parts[l] + 1) * (LINE_ARRAYS + factors);
    return STATUS_BYTES + elements * (s->type == 'z' ? 16 : 8);
}

template <class R> static half_step<R> half_step_of(const struct tdse *s, double field)
{
    return {(R)(-s->dt / (4 * s->dx * s->dx)),
            (R)(s->dt / 2),
            (R)(1 / (s->dx * s->dx)),
            (R)s->x0,
            (R)s->dx,
            (R)field,
            s->first,
            (const R *)s->v};
}

/* The next n unused elements of the workspace. */
template <class T> static T *take(T **free, int64_t n)
{
    T *array = *free;
    *free += n;
    return array;
}

template <class R> static all_levels<R> levels_of(const struct tdse *s, double field)
{
    typedef complex_of<R> T;
    all_levels<R> all = {};
    T *free = (T *)((char *)s->work + STATUS_BYTES);
    lines<T> rows = {};
    all.count = s->nest;
    all.kept = s->matrix == TDSE_KEPT;
    rows.n = s->n;
    rows.psi = (T *)s->psi;
    for (T **array : {&rows.b, &rows.a, &rows.c, &rows.d})
        *array = take(&free, rows.n);
    T *down = all.kept ? take(&free, rows.n) : NULL;
    T *up = all.kept ? take(&free, rows.n) : NULL;
    for (int i = 0; i < s->nest; i++) {
        level<R> *l = &all.levels[i];
        l->p = {rows, {}, s->parts[i], i == 0 ? s->joints : NULL, false, (long long *)s->work};
        l->t = half_step_of<R>(s, field);
        l->given = i == 0;
        l->down = down;
        l->up = up;
        rows = {};
        rows.n = s->parts[i] + 1;
        rows.number = i + 1;
        for (T **array :
             {&rows.b, &rows.a, &rows.c, &rows.d, &rows.psi, &rows.extra_a, &rows.extra_d})
            *array = take(&free, rows.n);
        if (all.kept) {
            down = take(&free, rows.n);
            up = take(&free, rows.n);
        }
        l->p.joints = rows;
    }
    all.last = all.levels[s->nest - 1];
    all.last.down = down;
    return all;
}

/* Runs RD, JD, RU and JU of the applications 0 to to - 1. */
template <class R>
static cudaError_t reduce_levels(const struct place *at, const all_levels<R> *all, int to)
{
    for (int l = 0; l < to; l++) {
        const level<R> *now = &all->levels[l];
        int64_t nbl = now->p.nbl;
        if (all->kept) {
            TRY(for_each<kept_reduce<R>>(at, now, nbl));
            TRY(for_each<kept_end_line<R>>(at, now, nbl + 1));
        } else {
            TRY(for_each<rebuilt_reduce<R>>(at, now, nbl));
            TRY(for_each<end_line<complex_of<R>>>(at, &now->p, nbl + 1));
        }
    }
    return cudaSuccess;
}

/* inverted: the array a contains 1/a. */
template <class R>
static cudaError_t substitute_levels(const struct place *at, const all_levels<R> *all,
                                     bool inverted)
{
    typedef complex_of<R> T;
    for (int l = all->count - 1; l >= 0; l--) {
        const application<T> *p = &all->levels[l].p;
        TRY((inverted ? for_each<substitute<T, true>>(at, p, p->nbl)
                      : for_each<substitute<T>>(at, p, p->nbl)));
    }
    return cudaSuccess;
}

template <class R>
static cudaError_t step(const struct tdse *s, double field, const struct place *at)
{
    half_step<R> t = half_step_of<R>(s, field);
    if (s->solver == TDSE_TRIDIAGONAL)
        return system_step(s, &t, at);
    all_levels<R> all = levels_of<R>(s, field);
    TRY(reduce_levels(at, &all, all.count));
    if (all.kept)
        TRY(for_each<kept_solve<R>>(at, &all.last, 1));
    else
        TRY(for_each<solve_lines<complex_of<R>>>(at, &all.last.p, 1));
    return substitute_levels(at, &all, all.kept);
}

/* TDSE_KEPT: the reduction runs as in a step; its d is not used, and psi does not change. */
template <class R> static cudaError_t keep_levels(const struct place *at, const all_levels<R> *all)
{
    for (int l = 0; l < all->count; l++) {
        const level<R> *now = &all->levels[l];
        int64_t nbl = now->p.nbl;
        TRY(for_each<keep_off_diagonals<R>>(at, now, nbl));
        TRY(for_each<rebuilt_reduce<R>>(at, now, nbl));
        TRY(for_each<end_line<complex_of<R>>>(at, &now->p, nbl + 1));
        TRY(for_each<keep_factors<R>>(at, now, nbl));
    }
    return cudaSuccess;
}

template <class R>
static cudaError_t keep(const struct tdse *s, double field, const struct place *at)
{
    half_step<R> t = half_step_of<R>(s, field);
    if (s->solver == TDSE_TRIDIAGONAL)
        return system_keep(s, &t, at);
    all_levels<R> all = levels_of<R>(s, field);
    TRY(keep_levels(at, &all));
    return for_each<keep_solve_factors<R>>(at, &all.last, 1);
}

template <class R>
static cudaError_t one_part_stage(const struct tdse *s, enum nshape_part_stage stage, double field,
                                  const struct place *at)
{
    all_levels<R> all = levels_of<R>(s, field);
    const level<R> *last = &all.levels[all.count - 1];
    switch (stage) {
    case NSHAPE_PART_KEEP:
        return all.kept ? keep_levels(at, &all) : cudaErrorInvalidValue;
    case NSHAPE_PART_DOWN:
        TRY(reduce_levels(at, &all, all.count - 1));
        return all.kept ? for_each<kept_part_down<R>>(at, last, 1)
                        : for_each<rebuilt_part_down<R>>(at, last, 1);
    case NSHAPE_PART_UP:
        return all.kept ? for_each<kept_part_up<R>>(at, last, 1)
                        : for_each<rebuilt_part_up<R>>(at, last, 1);
    case NSHAPE_PART_INVERT:
        for (int l = 0; l < all.count && !all.kept; l++)
            TRY(for_each<invert<complex_of<R>>>(at, &all.levels[l].p, all.levels[l].p.nbl));
        return cudaSuccess;
    case NSHAPE_PART_FINISH:
        return substitute_levels(at, &all, all.kept);
    case NSHAPE_PART_FINISH_INVERTED:
        return substitute_levels(at, &all, true);
    default:
        return cudaErrorInvalidValue;
    }
}

/* Can these steps be made at this place? */
static bool call_valid(const struct tdse *s, const struct place *at)
{
    return arguments_valid(s) && (at->gpu || (s->solver == TDSE_N_SHAPED && at->cores >= 1));
}

static cudaError_t step_at(const struct tdse *s, double field, const struct place *at)
{
    if (!call_valid(s, at) || (s->solver == TDSE_TRIDIAGONAL && s->first > 0))
        return cudaErrorInvalidValue;
    return s->type == 'c' ? step<float>(s, field, at) : step<double>(s, field, at);
}

static cudaError_t keep_at(const struct tdse *s, double field, const struct place *at)
{
    if (!call_valid(s, at) || (s->solver == TDSE_N_SHAPED && s->matrix != TDSE_KEPT))
        return cudaErrorInvalidValue;
    return s->type == 'c' ? keep<float>(s, field, at) : keep<double>(s, field, at);
}

struct tdse tdse_plan(char type, int64_t n, double x0, double dx, double dt, int nest,
                      const int64_t *parts)
{
    struct tdse s = {type, n, 0, x0, dx, dt};
    s.nest = nest;
    for (int l = 0; l < nest && l < NSHAPE_NEST_MOST; l++)
        s.parts[l] = parts[l];
    s.threads = 128;
    return s;
}

cudaError_t tdse_step(const struct tdse *s, double field, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    return step_at(s, field, &at);
}

cudaError_t tdse_keep(const struct tdse *s, double field, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    return keep_at(s, field, &at);
}

cudaError_t tdse_system(const struct tdse *s, double field, const void *around,
                        struct tridiagonal *t, cudaStream_t stream)
{
    if (!arguments_valid(s) || s->solver != TDSE_TRIDIAGONAL || !around || !t)
        return cudaErrorInvalidValue;
    struct place at = {true, stream, s->threads, 0};
    if (s->type == 'c') {
        half_step<float> half = half_step_of<float>(s, field);
        return system_rows(s, &half, around, t, &at);
    }
    half_step<double> half = half_step_of<double>(s, field);
    return system_rows(s, &half, around, t, &at);
}
cudaError_t tdse_step_cpu(const struct tdse *s, double field, int cores)
{
    struct place at = {false, NULL, 0, cores};
    return step_at(s, field, &at);
}

cudaError_t tdse_keep_cpu(const struct tdse *s, double field, int cores)
{
    struct place at = {false, NULL, 0, cores};
    return keep_at(s, field, &at);
}

cudaError_t tdse_part(const struct tdse *s, enum nshape_part_stage stage, double field,
                      cudaStream_t stream, int cores)
{
    struct place at = {cores == 0, stream, s->threads, cores};
    if (!arguments_valid(s) || s->solver != TDSE_N_SHAPED || cores < 0 ||
        s->parts[s->nest - 1] != 1)
        return cudaErrorInvalidValue;
    return s->type == 'c' ? one_part_stage<float>(s, stage, field, &at)
                          : one_part_stage<double>(s, stage, field, &at);
}

template <class R> static void find_lines(const struct tdse *s, struct nshape_lines *found)
{
    all_levels<R> all = levels_of<R>(s, 0);
    const lines<complex_of<R>> *joints = &all.last.p.joints;
    *found = {joints->b, joints->a, joints->c, joints->d, joints->psi};
}

struct nshape_lines tdse_lines(const struct tdse *s)
{
    struct nshape_lines found;
    if (s->type == 'c')
        find_lines<float>(s, &found);
    else
        find_lines<double>(s, &found);
    return found;
}
