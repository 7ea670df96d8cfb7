/* Crank-Nicolson on the N-shaped partition method: see tdse.h. Read nshape_stages.h first; here is what the time step
 * adds to its stages: RD that makes T and d = T^dagger psi as it goes, and stages that treat d alone with the factors
 * r_i of an earlier reduction. At the end, what makes T and d for tridiagonal.h. Run: make run. */
#include "tdse.h"
#include "nshape_stages.h"
#include "tridiagonal.h"

/* ---- T and T^dagger ---- */

/* Row i of T: off-diagonals i off, diagonal 1 + i h, h = half_dt (1/dx^2 + V_i + E x_i). */
template <class R> struct propagator {
    R off, half_dt, kinetic, x0, dx, field;
    int64_t first;
    const R *v;
};

template <class R> HOST_DEVICE complex_of<R> times_i(R factor, complex_of<R> z)
{
    return {-factor * z.im, factor * z.re};
}
template <class R> HOST_DEVICE R half_step_energy(const propagator<R> *t, int64_t i)
{
    R x = t->x0 + (R)(t->first + i) * t->dx;
    return t->half_dt * (t->kinetic + t->v[i] + t->field * x);
}
/* The terms of (T^dagger psi)_i: of row i itself, and of a neighbour. */
template <class R> HOST_DEVICE complex_of<R> explicit_here(R h, complex_of<R> psi)
{
    return psi - times_i(h, psi);
}
template <class R>
HOST_DEVICE complex_of<R> explicit_neighbour(const propagator<R> *t, complex_of<R> psi)
{
    return times_i(-t->off, psi);
}

/* ---- one application of the method ---- */

template <class R> struct level {
    application<complex_of<R>> p;
    propagator<R> t;
    bool given; /* the first application, whose rows are those of T; else they are joint lines */
    /* TDSE_KEPT: r of RD and JD, of RU and JU, by the row they belong to. Then p.rows.a is 1/a. */
    complex_of<R> *down, *up;
};

/* Row j of the given ones in T and in T^dagger psi; the first of a part is made by the part above. */
template <class R> HOST_DEVICE bool is_shared(const level<R> *l, int64_t j)
{
    return j == 0 && l->t.first > 0;
}
template <class R> HOST_DEVICE complex_of<R> diagonal(const level<R> *l, int64_t j)
{
    if (is_shared(l, j))
        return {0, 0};
    return {1, half_step_energy(&l->t, j)};
}
template <class R> HOST_DEVICE complex_of<R> explicit_diagonal(const level<R> *l, int64_t j)
{
    if (is_shared(l, j))
        return {0, 0};
    return explicit_here(half_step_energy(&l->t, j), l->p.rows.psi[j]);
}

/* What block w leaves of (T^dagger psi) to its joint lines: the row's own term to the line above the block (and below
 * the last one), in their d; its neighbour's term is added to what JU and JD send. So each line gets the two
 * neighbours' terms from two blocks, and no block reads psi beyond its joint lines. */
template <class R> HOST_DEVICE void explicit_lines(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    s->d[j] = explicit_diagonal(l, j);
    if (w + 1 == l->p.nbl)
        s->d[end] = explicit_diagonal(l, end);
}
template <class R> HOST_DEVICE void add_explicit_down(const level<R> *l, int64_t w)
{
    complex_of<R> *d = &l->p.joints.extra_d[w + 1];
    *d = *d + explicit_neighbour(&l->t, l->p.rows.psi[joint_line(&l->p, w + 1) - 1]);
}
template <class R> HOST_DEVICE void add_explicit_up(const level<R> *l, int64_t w)
{
    complex_of<R> *d = &l->p.joints.d[w];
    *d = *d + explicit_neighbour(&l->t, l->p.rows.psi[joint_line(&l->p, w) + 1]);
}

/* ---- TDSE_REBUILT ---- */

/* RD of rows that are not there yet: T's from V, d from psi. V and psi are all that is read. c is written for RU,
 * which replaced it in the step before. */
template <class R> HOST_DEVICE void reduce_down_explicit(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    complex_of<R> off = {0, l->t.off}, one = {1, 0}, b = off, a = one, d = {0, 0};
    complex_of<R> above = s->psi[j], here = s->psi[j + 1];
    for (int64_t i = j + 1; i < end; i++) {
        complex_of<R> below = s->psi[i + 1];
        R h = half_step_energy(&l->t, i);
        complex_of<R> a_i = {1, h};
        complex_of<R> d_i = explicit_here(h, here) + explicit_neighbour(&l->t, above + below);
        if (i == j + 1) {
            a = a_i;
            d = d_i;
        } else {
            complex_of<R> r = -(off * inverse(a));
            b = r * b;
            a = a_i + r * off;
            d = d_i + r * d;
        }
        s->b[i] = b;
        s->a[i] = a;
        s->c[i] = off;
        s->d[i] = d;
        above = here;
        here = below;
    }
}

template <class R> HOST_DEVICE void rebuilt_down(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    if (!l->given) {
        reduce_down(&l->p, w);
        return join_down(&l->p, w);
    }
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    complex_of<R> off = {0, l->t.off};
    s->c[j] = off; /* what this block's JU and JD read; a is for the line */
    s->b[end] = off;
    s->a[j] = diagonal(l, j);
    if (w + 1 == l->p.nbl)
        s->a[end] = diagonal(l, end);
    explicit_lines(l, w);
    reduce_down_explicit(l, w);
    join_down(&l->p, w);
    add_explicit_down(l, w);
}
template <class R> HOST_DEVICE void rebuilt_up(const level<R> *l, int64_t w)
{
    reduce_up(&l->p, w);
    join_up(&l->p, w);
    if (l->given)
        add_explicit_up(l, w);
}
template <class R> HOST_DEVICE void rebuilt_reduce(const level<R> *l, int64_t w)
{
    rebuilt_down(l, w);
    rebuilt_up(l, w);
}

/* ---- TDSE_KEPT: the factors ---- */

/* Before the reduction: keep the b and c from which r will be made. */
template <class R> HOST_DEVICE void keep_off_diagonals(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    complex_of<R> off = {0, l->t.off};
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    for (int64_t i = j; i < end; i++) {
        l->up[i] = l->given ? off : s->c[i];
        l->down[i + 1] = l->given ? off : s->b[i + 1];
    }
}

/* After it: a is what the stages divided by. */
template <class R> HOST_DEVICE void keep_factors(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    for (int64_t i = j + 1; i < end; i++) {
        s->a[i] = inverse(s->a[i]);
        l->up[i - 1] = -(l->up[i - 1] * s->a[i]);
        l->down[i + 1] = -(l->down[i + 1] * s->a[i]);
    }
}

template <class R> HOST_DEVICE void keep_solve_factors(const level<R> *l, int64_t)
{
    reduced_solve(&l->p, &l->p.joints);
    reduced_factors(&l->p.joints, l->down);
}

/* ---- TDSE_KEPT: the stages, on d alone ---- */

template <class R> HOST_DEVICE void kept_down(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    int64_t first = joint_line(&l->p, w) + 1, end = joint_line(&l->p, w + 1);
    complex_of<R> zero = {0, 0}, d = zero;
    if (l->given)
        explicit_lines(l, w);
    for (int64_t i = first; i < end; i++) { /* RD */
        complex_of<R> d_i = s->d[i];
        if (l->given)
            d_i = explicit_here(half_step_energy(&l->t, i), s->psi[i]) +
                  explicit_neighbour(&l->t, s->psi[i - 1] + s->psi[i + 1]);
        s->d[i] = d = i == first ? d_i : d_i + l->down[i] * d;
    }
    l->p.joints.extra_d[w + 1] = first < end ? l->down[end] * d : zero; /* JD */
    if (l->given)
        add_explicit_down(l, w);
}
template <class R> HOST_DEVICE void kept_up(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    int64_t j = joint_line(&l->p, w), first = j + 1, end = joint_line(&l->p, w + 1);
    complex_of<R> zero = {0, 0}, d = first < end ? s->d[end - 1] : zero;
    for (int64_t i = end - 2; i >= first; i--) /* RU */
        s->d[i] = d = s->d[i] + l->up[i] * d;
    l->p.joints.d[w] = first < end ? l->up[j] * d : zero; /* JU */
    if (l->given)
        add_explicit_up(l, w);
}
template <class R> HOST_DEVICE void kept_reduce(const level<R> *l, int64_t w)
{
    kept_down(l, w);
    kept_up(l, w);
}

template <class R> HOST_DEVICE void kept_end_line(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *to = &l->p.joints;
    complex_of<R> d = l->p.rows.d[joint_line(&l->p, w)];
    if (w < l->p.nbl)
        d = d + to->d[w];
    if (w > 0)
        d = d + to->extra_d[w];
    to->d[w] = d;
}

template <class R> HOST_DEVICE void kept_solve(const level<R> *l, int64_t)
{
    reduced_solve_kept(&l->p.joints, l->down);
}

/* ---- the one block that is left of a part (nshape.h) ---- */

template <class R> HOST_DEVICE void rebuilt_part_down(const level<R> *l, int64_t)
{
    rebuilt_down(l, 0);
    end_line(&l->p, 1);
}
template <class R> HOST_DEVICE void rebuilt_part_up(const level<R> *l, int64_t)
{
    rebuilt_up(l, 0);
    end_line(&l->p, 0);
}
template <class R> HOST_DEVICE void kept_part_down(const level<R> *l, int64_t)
{
    kept_down(l, 0);
    kept_end_line(l, 1);
}
template <class R> HOST_DEVICE void kept_part_up(const level<R> *l, int64_t)
{
    kept_up(l, 0);
    kept_end_line(l, 0);
}

/* ---- applications and their memory ---- */

template <class R> struct all_levels {
    level<R> levels[NSHAPE_NEST_MOST], last; /* last: the factors of RS */
    int count;
    bool kept;
};

static bool arguments_valid(const struct tdse *s)
{
    bool divided = s->solver == TDSE_N_SHAPED && s->nest >= 1 && s->first >= 0;
    size_t real = s->type == 'z' ? sizeof(double) : sizeof(float);
    if (!device_aligned(s->v, real) || !device_aligned(s->psi, 2 * real) ||
        !device_aligned(s->work, 16) ||
        (s->joints && !device_aligned(s->joints, sizeof *s->joints)))
        return false;
    return s->n >= 2 &&
           are_sound(s->n, divided ? s->nest : 0, NSHAPE_NEST_MOST, s->parts, s->threads) &&
           (divided || (s->solver == TDSE_TRIDIAGONAL && s->first == 0)) &&
           (s->type == 'c' || s->type == 'z') &&
           (s->matrix == TDSE_REBUILT || s->matrix == TDSE_KEPT);
}

/* Arrays of words: of the given rows b, a, c, d; of joint lines b, a, c, d, psi and JD's two; TDSE_KEPT adds two of
 * factors. One word more takes reports of pivots, of which there are none. */
enum { ROW_ARRAYS = 4, LINE_ARRAYS = 7, FACTOR_ARRAYS = 2, STATUS_BYTES = 16 };

/* TDSE_TRIDIAGONAL: the off-diagonal (one array for both), the diagonal, d, each beginning where a bulk copy may; behind them
 * the solver's own. */
enum { WHOLE_ARRAYS = 3, ALIGNMENT = 16 };
static size_t whole_array(const struct tdse *s)
{
    size_t bytes = (size_t)s->n * (s->type == 'z' ? 16 : 8);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
/* All but pointers. Without pivoting: none can vanish, see tdse.h. */
static struct tridiagonal whole_system(const struct tdse *s)
{
    struct tridiagonal t = {};
    t.type = s->type;
    t.n = s->n;
    return t;
}

size_t tdse_work(const struct tdse *s)
{
    if (s->solver == TDSE_TRIDIAGONAL) {
        struct tridiagonal t = whole_system(s);
        return WHOLE_ARRAYS * whole_array(s) + tridiagonal_workspace(&t);
    }
    size_t factors = s->matrix == TDSE_KEPT ? FACTOR_ARRAYS : 0;
    size_t words = (size_t)s->n * (ROW_ARRAYS + factors);
    for (int l = 0; l < s->nest; l++)
        words += ((size_t)s->parts[l] + 1) * (LINE_ARRAYS + factors);
    return STATUS_BYTES + words * (s->type == 'z' ? 16 : 8);
}

template <class R> static propagator<R> propagator_of(const struct tdse *s, double field)
{
    propagator<R> t;
    t.off = (R)(-s->dt / (4 * s->dx * s->dx));
    t.half_dt = (R)(s->dt / 2);
    t.kinetic = (R)(1 / (s->dx * s->dx));
    t.x0 = (R)s->x0;
    t.dx = (R)s->dx;
    t.field = (R)field;
    t.first = s->first;
    t.v = (const R *)s->v;
    return t;
}

template <class R> static all_levels<R> levels_of(const struct tdse *s, double field)
{
    typedef complex_of<R> T;
    all_levels<R> all = {};
    char *work = (char *)s->work;
    T *free_words = (T *)(work + STATUS_BYTES), *down = NULL, *up = NULL;
    bool kept = s->matrix == TDSE_KEPT;
    int64_t n = s->n;
    lines<T> rows = {};
    rows.n = n;
    rows.psi = (T *)s->psi;
    rows.b = free_words;
    rows.a = free_words + n;
    rows.c = free_words + 2 * n;
    rows.d = free_words + 3 * n;
    free_words += ROW_ARRAYS * n;
    if (kept) {
        down = free_words;
        up = free_words + n;
        free_words += FACTOR_ARRAYS * n;
    }
    all.count = s->nest;
    all.kept = kept;
    for (int i = 0; i < s->nest; i++) {
        level<R> *l = &all.levels[i];
        int64_t m = s->parts[i] + 1;
        l->given = i == 0;
        l->down = down;
        l->up = up;
        l->t = propagator_of<R>(s, field);
        l->p.rows = rows;
        l->p.nbl = s->parts[i];
        l->p.joint = i == 0 ? s->joints : NULL;
        l->p.status = (long long *)work;
        rows = {};
        rows.n = m;
        rows.number = i + 1;
        T **const arrays[] = {&rows.b,   &rows.a,       &rows.c,      &rows.d,
                              &rows.psi, &rows.extra_a, &rows.extra_d};
        for (T **array : arrays) {
            *array = free_words;
            free_words += m;
        }
        if (kept) {
            down = free_words;
            up = free_words + m;
            free_words += FACTOR_ARRAYS * m;
        }
        l->p.joints = rows;
    }
    all.last = all.levels[s->nest - 1];
    all.last.down = down;
    return all;
}

/* ---- a step ---- */

/* Applications 0 … to - 1. */
template <class R>
static cudaError_t reduce_levels(const struct place *at, const all_levels<R> *all, int to)
{
    for (int l = 0; l < to; l++) {
        const level<R> *now = &all->levels[l];
        int64_t nbl = now->p.nbl;
        if (all->kept) {
            TRY((for_each<level<R>, kept_reduce<R>>(at, now, nbl)));
            TRY((for_each<level<R>, kept_end_line<R>>(at, now, nbl + 1)));
        } else {
            TRY((for_each<level<R>, rebuilt_reduce<R>>(at, now, nbl)));
            TRY((for_each<application<complex_of<R>>, end_line<complex_of<R>>>(at, &now->p,
                                                                               nbl + 1)));
        }
    }
    return cudaSuccess;
}

/* inverted: a is 1/a. */
template <class R>
static cudaError_t substitute_levels(const struct place *at, const all_levels<R> *all,
                                     bool inverted)
{
    typedef complex_of<R> T;
    for (int l = all->count - 1; l >= 0; l--) {
        const application<T> *p = &all->levels[l].p;
        if (inverted)
            TRY((for_each<application<T>, substitute_inverted<T>>(at, p, p->nbl)));
        else
            TRY((for_each<application<T>, substitute<T>>(at, p, p->nbl)));
    }
    return cudaSuccess;
}

template <class R>
static cudaError_t step(const struct tdse *s, double field, const struct place *at)
{
    all_levels<R> all = levels_of<R>(s, field);
    TRY(reduce_levels(at, &all, all.count));
    if (all.kept)
        TRY((for_each<level<R>, kept_solve<R>>(at, &all.last, 1)));
    else
        TRY((for_each<application<complex_of<R>>, solve_lines<complex_of<R>>>(at, &all.last.p, 1)));
    return substitute_levels(at, &all, all.kept);
}

/* The stages of a step without RS and SS, which leave psi as it is; d is not used. */
template <class R> static cudaError_t keep_levels(const struct place *at, const all_levels<R> *all)
{
    for (int l = 0; l < all->count; l++) {
        const level<R> *now = &all->levels[l];
        int64_t nbl = now->p.nbl;
        TRY((for_each<level<R>, keep_off_diagonals<R>>(at, now, nbl)));
        TRY((for_each<level<R>, rebuilt_reduce<R>>(at, now, nbl)));
        TRY((for_each<application<complex_of<R>>, end_line<complex_of<R>>>(at, &now->p, nbl + 1)));
        TRY((for_each<level<R>, keep_factors<R>>(at, now, nbl)));
    }
    return cudaSuccess;
}

template <class R>
static cudaError_t keep(const struct tdse *s, double field, const struct place *at)
{
    all_levels<R> all = levels_of<R>(s, field);
    TRY(keep_levels(at, &all));
    return for_each<level<R>, keep_solve_factors<R>>(at, &all.last, 1);
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
        return all.kept ? for_each<level<R>, kept_part_down<R>>(at, last, 1)
                        : for_each<level<R>, rebuilt_part_down<R>>(at, last, 1);
    case NSHAPE_PART_UP:
        return all.kept ? for_each<level<R>, kept_part_up<R>>(at, last, 1)
                        : for_each<level<R>, rebuilt_part_up<R>>(at, last, 1);
    case NSHAPE_PART_INVERT:
        for (int l = 0; l < all.count && !all.kept; l++)
            TRY((for_each<application<complex_of<R>>, invert<complex_of<R>>>(at, &all.levels[l].p,
                                                                             all.levels[l].p.nbl)));
        return cudaSuccess;
    case NSHAPE_PART_FINISH:
        return substitute_levels(at, &all, all.kept);
    case NSHAPE_PART_FINISH_INVERTED:
        return substitute_levels(at, &all, true);
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- TDSE_TRIDIAGONAL ---- */

template <class R> struct whole {
    propagator<R> t;
    int64_t n;
    const complex_of<R> *psi;
    complex_of<R> *off, *diagonal, *d;
    bool kept;
};

template <class R> static whole<R> whole_of(const struct tdse *s, double field)
{
    typedef complex_of<R> T;
    char *work = (char *)s->work;
    size_t bytes = whole_array(s);
    whole<R> w;
    w.t = propagator_of<R>(s, field);
    w.n = s->n;
    w.psi = (const T *)s->psi;
    w.off = (T *)work;
    w.diagonal = (T *)(work + bytes);
    w.d = (T *)(work + 2 * bytes);
    w.kept = s->matrix == TDSE_KEPT;
    return w;
}

/* Row i of T: 1.5 words with V, once for all steps. */
template <class R> HOST_DEVICE void whole_matrix(const whole<R> *w, int64_t i)
{
    w->off[i] = {0, w->t.off};
    w->diagonal[i] = {1, half_step_energy(&w->t, i)};
}

/* Row i of d: psi (its neighbours' from the cache) and V read, d written, the diagonal if it is new: 2.5 or 3.5 words. A
 * solver that made T and d itself would move no more than those 2.5, psi and V read and psi written (4 where it brings rows
 * twice). */
template <class R> HOST_DEVICE void whole_explicit(const whole<R> *w, int64_t i)
{
    complex_of<R> zero = {0, 0}, above = i > 0 ? w->psi[i - 1] : zero,
                  below = i + 1 < w->n ? w->psi[i + 1] : zero;
    R h = half_step_energy(&w->t, i);
    w->d[i] = explicit_here(h, w->psi[i]) + explicit_neighbour(&w->t, above + below);
    if (!w->kept)
        w->diagonal[i] = {1, h};
}

template <class R>
static cudaError_t whole_keep(const struct tdse *s, double field, const struct place *at)
{
    whole<R> w = whole_of<R>(s, field);
    struct tridiagonal t = whole_system(s);
    char *workspace = (char *)s->work + WHOLE_ARRAYS * whole_array(s);
    TRY(tridiagonal_prepare(workspace, tridiagonal_workspace(&t), at->stream));
    return for_each<whole<R>, whole_matrix<R>>(at, &w, s->n);
}

template <class R>
static cudaError_t whole_step(const struct tdse *s, double field, const struct place *at)
{
    whole<R> w = whole_of<R>(s, field);
    struct tridiagonal t = whole_system(s);
    t.sub = w.off;
    t.diag = w.diagonal;
    t.super = w.off;
    t.rhs = w.d;
    t.x = s->psi;
    char *workspace = (char *)s->work + WHOLE_ARRAYS * whole_array(s);
    TRY((for_each<whole<R>, whole_explicit<R>>(at, &w, s->n)));
    return tridiagonal_solve(&t, workspace, tridiagonal_workspace(&t), at->stream);
}

/* ---- public functions ---- */

static cudaError_t step_at(const struct tdse *s, double field, const struct place *at)
{
    bool whole = s->solver == TDSE_TRIDIAGONAL;
    if (!arguments_valid(s) || (!at->gpu && (whole || at->cores < 1)))
        return cudaErrorInvalidValue;
    if (whole)
        return s->type == 'c' ? whole_step<float>(s, field, at) : whole_step<double>(s, field, at);
    return s->type == 'c' ? step<float>(s, field, at) : step<double>(s, field, at);
}

static cudaError_t keep_at(const struct tdse *s, double field, const struct place *at)
{
    bool whole = s->solver == TDSE_TRIDIAGONAL;
    if (!arguments_valid(s) || (!whole && s->matrix != TDSE_KEPT) ||
        (!at->gpu && (whole || at->cores < 1)))
        return cudaErrorInvalidValue;
    if (whole)
        return s->type == 'c' ? whole_keep<float>(s, field, at) : whole_keep<double>(s, field, at);
    return s->type == 'c' ? keep<float>(s, field, at) : keep<double>(s, field, at);
}

struct tdse tdse_plan(char type, int64_t n, double x0, double dx, double dt, int nest,
                      const int64_t *parts)
{
    struct tdse s = {};
    s.type = type;
    s.n = n;
    s.x0 = x0;
    s.dx = dx;
    s.dt = dt;
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
