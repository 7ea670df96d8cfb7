/* On the host: the coefficients, and the powers of the state's matrix in long double. */
#pragma once

#include "filter_state.cuh"

#include "filter.h"

#include <math.h>

/* The sections, divided by a_0 and rounded to the type of the carried state */
struct host_filter {
    int sections, order;
    long double b[FILTER_STATES_MOST][FILTER_STATES_MOST + 1],
        a[FILTER_STATES_MOST][FILTER_STATES_MOST + 1];
};
struct host_matrix {
    long double at[FILTER_STATES_MOST][FILTER_STATES_MOST];
};

static bool filter_numbers_valid(const struct filter *p)
{
    return p && (p->type == 's' || p->type == 'd') && p->length >= 0 && p->batch >= 0 &&
           p->batch <= INT64_MAX / 256 / (p->length > 0 ? p->length : 1) && p->sections >= 1 &&
           p->order >= 1 && p->sections <= FILTER_STATES_MOST &&
           p->order <= FILTER_STATES_MOST / p->sections;
}
static bool carries_double(const struct filter *p)
{
    return p->type == 'd' || p->carry_in_double != 0;
}

/* False if a coefficient is not finite in the types that compute with it. */
static bool read_coefficients(const struct filter *p, struct host_filter *f)
{
    *f = {};
    f->sections = p->sections;
    f->order = p->order;
    for (int n = 0; n < p->sections && p->coefficients; n++) {
        const double *b = p->coefficients + n * 2 * (p->order + 1), *a = b + p->order + 1;
        for (int i = 0; i <= p->order; i++) {
            const double of_b = b[i] / a[0], of_a = a[i] / a[0];
            if (!isfinite(of_b) || !isfinite(of_a) ||
                (p->type == 's' && (!isfinite((float)of_b) || !isfinite((float)of_a))))
                return false;
            f->b[n][i] = carries_double(p) ? of_b : (float)of_b;
            f->a[n][i] = carries_double(p) ? of_a : (float)of_a;
        }
    }
    return p->coefficients != NULL;
}

/* One step, as step() makes it on the device */
static void host_step(const struct host_filter *f, long double *z, long double x)
{
    for (int n = 0; n < f->sections; n++, z += f->order) {
        const long double y = f->b[n][0] * x + z[0];
        for (int i = 0; i < f->order; i++)
            z[i] = f->b[n][i + 1] * x - f->a[n][i + 1] * y + (i + 1 < f->order ? z[i + 1] : 0);
        x = y;
    }
}
/* Column j of A is the step from unit vector j. */
static struct host_matrix matrix_of(const struct host_filter *f)
{
    struct host_matrix m = {};
    for (int j = 0; j < f->sections * f->order; j++) {
        long double z[FILTER_STATES_MOST] = {};
        z[j] = 1;
        host_step(f, z, 0);
        for (int i = 0; i < f->sections * f->order; i++)
            m.at[i][j] = z[i];
    }
    return m;
}
/* The maximum norm; infinity if an element is not finite */
static double norm_of(const struct host_matrix *m)
{
    double norm = 0;
    for (int i = 0; i < FILTER_STATES_MOST; i++) {
        double row = 0;
        for (int j = 0; j < FILTER_STATES_MOST; j++)
            row += fabs((double)m->at[i][j]);
        if (!isfinite(row))
            return INFINITY;
        norm = row > norm ? row : norm;
    }
    return norm;
}
static struct host_matrix product_of(const struct host_filter *f, const struct host_matrix *x,
                                     const struct host_matrix *y)
{
    struct host_matrix m = {};
    const int states = f->sections * f->order;
    for (int i = 0; i < states; i++)
        for (int k = 0; k < (i / f->order + 1) * f->order; k++)
            for (int j = 0; j < (k / f->order + 1) * f->order; j++)
                m.at[i][j] += x->at[i][k] * y->at[k][j];
    return m;
}

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

/* Fills in the tables of N sections of order K. The sections and states that the filter does not
 * have are 0, but for b_0 = 1: then the output of a section is its input. False if the filter is
 * not valid or its growth is too large. */
template <class T, class C, int N, int K>
static bool make_tables(const struct filter *p, filter_tables<T, C, N, K> *t)
{
    struct host_filter f;
    struct host_matrix powers[POWERS];
    if (!read_coefficients(p, &f) ||
        !growth_allowed(p, powers_of(&f, elements_of(p), p->length, powers)))
        return false;
    const int order = f.order, states = f.sections * order;
    /* Where state i of the filter is in the tables */
    auto place = [&](int i) { return i / order * K + i % order; };
    *t = {};
    for (int n = 0; n < N; n++) {
        t->b[n][0] = 1;
        for (int i = 0; n < f.sections && i <= order; i++) {
            t->b[n][i] = (T)f.b[n][i];
            if (i > 0)
                t->minus_a[n][i - 1] = (T)-f.a[n][i];
        }
    }
    for (int j = 0; j < POWERS; j++)
        for (int i = 0; i < states; i++)
            for (int k = 0; k < states; k++)
                t->powers[j].at[place(i)][place(k)] = (C)powers[j].at[i][k];
    long double z[FILTER_STATES_MOST] = {};
    host_step(&f, z, 1);
    for (int k = thread_elements<T>(); k-- > 0 && p->length > thread_elements<T>();) {
        for (int i = 0; i < states; i++) {
            t->weights[k][place(i)] = (C)z[i];
            if (!isfinite((C)z[i]))
                return false;
        }
        host_step(&f, z, 0);
    }
    return true;
}
