/* On the host: the coefficients of a filter, and products of its state's matrix in long double. For
 * filter.cu and, in C, filter_cpu.c. filter_state.cuh explains the state. */
#pragma once

#include "filter_problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The sections, divided by a_0 and rounded to the type of the carried state */
struct host_filter {
    int sections, order;
    long double b[FILTER_STATES_MOST][FILTER_STATES_MOST + 1],
        a[FILTER_STATES_MOST][FILTER_STATES_MOST + 1];
};
struct host_matrix {
    long double at[FILTER_STATES_MOST][FILTER_STATES_MOST];
};

static inline bool filter_numbers_valid(const struct filter *p)
{
    return p && (p->type == 's' || p->type == 'd') && p->length >= 0 && p->batch >= 0 &&
           p->batch <= INT64_MAX / 256 / (p->length > 0 ? p->length : 1) && p->sections >= 1 &&
           p->order >= 1 && p->sections <= FILTER_STATES_MOST &&
           p->order <= FILTER_STATES_MOST / p->sections;
}
static inline bool carries_double(const struct filter *p)
{
    return p->type == 'd' || p->carry_in_double != 0;
}

/* False if a coefficient is not finite in the types that compute with it. */
static inline bool read_coefficients(const struct filter *p, struct host_filter *f)
{
    memset(f, 0, sizeof *f);
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
static inline void host_step(const struct host_filter *f, long double *z, long double x)
{
    for (int n = 0; n < f->sections; n++, z += f->order) {
        const long double y = f->b[n][0] * x + z[0];
        for (int i = 0; i < f->order; i++)
            z[i] = f->b[n][i + 1] * x - f->a[n][i + 1] * y + (i + 1 < f->order ? z[i + 1] : 0);
        x = y;
    }
}
/* Column j of A is the step from unit vector j. */
static inline struct host_matrix matrix_of(const struct host_filter *f)
{
    struct host_matrix m;
    memset(&m, 0, sizeof m);
    for (int j = 0; j < f->sections * f->order; j++) {
        long double z[FILTER_STATES_MOST] = {0};
        z[j] = 1;
        host_step(f, z, 0);
        for (int i = 0; i < f->sections * f->order; i++)
            m.at[i][j] = z[i];
    }
    return m;
}
/* The maximum norm; infinity if an element is not finite */
static inline double norm_of(const struct host_matrix *m)
{
    long double norm = 0;
    for (int i = 0; i < FILTER_STATES_MOST; i++) {
        long double row = 0;
        for (int j = 0; j < FILTER_STATES_MOST; j++)
            row += fabsl(m->at[i][j]);
        if (!isfinite((double)row))
            return INFINITY;
        norm = row > norm ? row : norm;
    }
    return (double)norm;
}
/* Elements so small that a product of two may underflow become 0. They are far below what the
 * tables hold, and arithmetic with numbers below LDBL_MIN takes a hundred times as long. */
static inline struct host_matrix
product_of(const struct host_filter *f, const struct host_matrix *x, const struct host_matrix *y)
{
    struct host_matrix m;
    memset(&m, 0, sizeof m);
    const long double least = sqrtl(LDBL_MIN);
    const int states = f->sections * f->order;
    for (int i = 0; i < states; i++)
        for (int j = 0; j < (i / f->order + 1) * f->order; j++) {
            long double sum = 0;
            for (int k = j / f->order * f->order; k < (i / f->order + 1) * f->order; k++)
                sum += x->at[i][k] * y->at[k][j];
            m.at[i][j] = fabsl(sum) < least ? 0 : sum;
        }
    return m;
}
