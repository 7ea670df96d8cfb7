/* On the host: the arguments of the kernel. */
#pragma once

#include "filter_state.cuh"

#include "filter.h"
#include "filter_powers.h"

#include <limits>

/* Stores powers[j] = A^(elements 2^j), which is 0 unless elements 2^j < length. `elements` is 17
 * 2^k. Returns the growth of filter.h. */
static double powers_of(const struct host_filter *f, int elements, int64_t length,
                        struct host_matrix powers[POWERS])
{
    const struct host_matrix a = matrix_of(f);
    struct host_matrix m = a;
    double growth = 1;
    int64_t exponent = 1;
    for (int j = 0; j < POWERS; j++)
        powers[j] = {};
    for (; exponent < FILTER_CHUNKS - 1; exponent *= 2)
        m = product_of(f, &m, &m);
    m = product_of(f, &m, &a);
    for (exponent++; exponent < elements; exponent *= 2)
        m = product_of(f, &m, &m);
    for (int j = 0; exponent < length; j++, exponent *= 2) {
        if (j < POWERS)
            powers[j] = m;
        const double norm = norm_of(&m);
        growth = norm > growth ? norm : growth;
        m = product_of(f, &m, &m);
    }
    return growth;
}
static int elements_of(const struct filter *p)
{
    return p->type == 's' ? thread_elements<float>() : thread_elements<double>();
}

/* Is S growth^2 u small enough (filter.h)? */
static bool growth_allowed(const struct filter *p, double growth)
{
    const double u = carries_double(p) ? 0x1p-53 : 0x1p-24;
    return growth * growth * u * p->sections * p->order <= 1.0 / 32;
}

/* What rounds to 0 is not converted, since that takes a hundred times as long. */
template <class C> static C rounded(long double x)
{
    return fabsl(x) < std::numeric_limits<C>::denorm_min() / 2.0L ? 0 : (C)x;
}

/* Fills in the tables of N sections of order K. The sections and states that the filter does not
 * have are 0, but for b_0 = 1: then the output of a section is its input. False if the filter is
 * not valid or its growth is too large. */
template <class T, class C, int N, int K>
static bool make_tables(const struct filter *p, filter_coefficients<C, N, K> *c,
                        filter_tables<T, C, N, K> *t)
{
    struct host_filter f;
    struct host_matrix powers[POWERS];
    if (!read_coefficients(p, &f) ||
        !growth_allowed(p, powers_of(&f, elements_of(p), p->length, powers)))
        return false;
    const int order = f.order, states = f.sections * order;
    /* Where state i of the filter is in the tables */
    auto place = [&](int i) { return i / order * K + i % order; };
    *c = {};
    *t = {};
    for (int n = 0; n < N; n++) {
        c->b[n][0] = 1;
        for (int i = 0; n < f.sections && i <= order; i++) {
            c->b[n][i] = (C)f.b[n][i];
            if (i > 0)
                c->minus_a[n][i - 1] = (C)-f.a[n][i];
        }
    }
    for (int j = 0; j < POWERS; j++)
        for (int i = 0; i < states; i++)
            for (int k = 0; k < states; k++)
                t->powers[j].row[place(i)].z[place(k)] = rounded<C>(powers[j].at[i][k]);
    long double z[FILTER_STATES_MOST] = {};
    host_step(&f, z, 1);
    for (int k = thread_elements<T>(); k-- > 0 && p->length > thread_elements<T>();) {
        for (int i = 0; i < states; i++) {
            t->weights[k].z[place(i)] = rounded<C>(z[i]);
            if (!isfinite(t->weights[k].z[place(i)]))
                return false;
        }
        host_step(&f, z, 0);
    }
    return true;
}
