/* The stages of a Crank-Nicolson step (L22 eq. 2-4) for one block or joint line: those of
 * nshape_stages.h, and
 *
 *   rebuilt_...  RD computes row i of T and d_i just before it reduces the row (L22 5.3)
 *   kept_...     T is constant: kept factors r_i are applied only to d (L22 5.2.4)
 *
 * In both kinds, no block reads psi of another block's interior rows. */
#pragma once

#include "nshape_stages.h"

/* ---- T and T^dagger (L22 eq. 2) ---- */

/* T: row i has the off-diagonals i off and the diagonal 1 + i h_i, where the i before off and
 * before h_i is the imaginary unit. h_i = half_dt (kinetic + V_i + field x_i), kinetic = 1/dx^2,
 * x_i = x0 + (first + i) dx. */
template <class R> struct half_step {
    R off, half_dt, kinetic, x0, dx, field;
    int64_t first;
    const R *v;
};

template <class R> HOST_DEVICE complex_of<R> times_i(R factor, complex_of<R> z)
{
    return {-factor * z.im, factor * z.re};
}

/* h_i of row i of T. */
template <class R> HOST_DEVICE R half_step_energy(const half_step<R> *t, int64_t i)
{
    R x = t->x0 + (R)(t->first + i) * t->dx;
    return t->half_dt * (t->kinetic + t->v[i] + t->field * x);
}

/* L22 eq. 3: d_i is explicit_here() of psi_i + explicit_neighbour() of psi_{i-1} + psi_{i+1}. */
template <class R> HOST_DEVICE complex_of<R> explicit_here(R h, complex_of<R> psi)
{
    return psi - times_i(h, psi);
}
template <class R>
HOST_DEVICE complex_of<R> explicit_neighbour(const half_step<R> *t, complex_of<R> psi)
{
    return times_i(-t->off, psi);
}

template <class R> struct level {
    application<complex_of<R>> p;
    half_step<R> t;
    bool given; /* true for the first application: its rows are those of T, not joint lines */
    /* TDSE_KEPT: the factors r that change row i, of RD and JD (down[i]) and of RU and JU (up[i]);
     * p.rows.a then contains 1/a. */
    complex_of<R> *down, *up;
};

/* Row j is shared with the part above it, which supplies its diagonal and its d. */
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

/* d on the joint lines of block w is a sum of three terms. explicit_lines() stores the line's own
 * term; each block does so for the line above it, the last block also for the last line. The others
 * add the term of the row before a line to that of JD, of the row after it to that of JU. */
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

/* RD with each row of T from V and each d_i from psi (L22 5.3), so it reads only V and psi. It also
 * writes c, which RU of the previous step has overwritten. */
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

/* RD and JD of block w, for a matrix that is rebuilt. */
template <class R> HOST_DEVICE void rebuilt_down(const level<R> *l, int64_t w)
{
    const lines<complex_of<R>> *s = &l->p.rows;
    if (!l->given) {
        reduce_down(&l->p, w);
        return join_down(&l->p, w);
    }
    int64_t j = joint_line(&l->p, w), end = joint_line(&l->p, w + 1);
    complex_of<R> off = {0, l->t.off};
    /* JU and JD of this block read c and b of its joint lines. end_line() reads a. */
    s->c[j] = off;
    s->b[end] = off;
    s->a[j] = diagonal(l, j);
    if (w + 1 == l->p.nbl)
        s->a[end] = diagonal(l, end);
    explicit_lines(l, w);
    reduce_down_explicit(l, w);
    join_down(&l->p, w);
    add_explicit_down(l, w);
}

/* RU and JU of block w, for a matrix that is rebuilt. */
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

/* ---- TDSE_KEPT: the factors r_i of a constant T (L22 5.2.4) ---- */

/* Before the reduction overwrites b and c: copies them for keep_factors(). */
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

/* When a contains the pivots: r = -b/a in `down`, r = -c/a in `up`, and 1/a in a. */
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

/* Runs RS once and computes its factors in l->down. */
template <class R> HOST_DEVICE void keep_solve_factors(const level<R> *l, int64_t)
{
    reduced_solve(&l->p, &l->p.joints);
    reduced_factors(&l->p.joints, l->down);
}

/* ---- TDSE_KEPT: the stages, applied only to d ---- */

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

/* d of joint line w: its row's plus the terms of JU (not the last line) and JD (not the first). */
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

/* RS with kept factors. */
template <class R> HOST_DEVICE void kept_solve(const level<R> *l, int64_t)
{
    reduced_solve_kept(&l->p.joints, l->down);
}

/* ---- a part of a larger grid (nshape.h): its last application has one block between two joint
 * lines; the functions ..._down() complete the last line, the functions ..._up() the first ---- */

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
