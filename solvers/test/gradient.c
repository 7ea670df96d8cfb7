/* See gradient.h. */
#include "test/gradient.h"

#include "problems.h"
#include "verify.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double complex number;

static number at(char type, const void *array, int64_t i)
{
    const char real = real_type(type);
    return is_complex(type) ? get(real, array, 2 * i) + I * get(real, array, 2 * i + 1)
                            : get(real, array, i);
}
/* *worst becomes the larger of both; infinite if the error is NaN. */
static void raise_to(double *worst, long double error)
{
    if (!((double)error <= *worst))
        *worst = isnan(error) ? (double)INFINITY : (double)error;
}
/* The unknown that coefficient a (0 sub, 1 diag, 2 super) of row i multiplies, or -1. */
static int64_t neighbour(const struct gradient_test *t, int64_t n, int64_t i, int a)
{
    int64_t j = i + a - 1;
    return j >= 0 && j < n ? j : t->periodic ? (j + n) % n : -1;
}
static int64_t element(const struct gradient_test *t, int array, int64_t k, int64_t i)
{
    return t->element(t->of, array, k, i);
}

/* ---- the definition ---- */

/* lambda of A^H lambda = dx, for row i of system k. */
static number lambda_at(const struct gradient_test *t, int64_t k, int64_t i)
{
    int64_t e = element(t, 3, k, i);
    number drhs = at(t->type, t->d[3], e);
    return t->crank_nicolson ? (drhs + at(t->type, t->dx, e)) / 2 : drhs;
}
/* The size of the numbers from which lambda_at() was computed. */
static long double lambda_size(const struct gradient_test *t, int64_t k, int64_t i)
{
    int64_t e = element(t, 3, k, i);
    long double drhs = cabsl(at(t->type, t->d[3], e));
    return t->crank_nicolson ? drhs + cabsl(at(t->type, t->dx, e)) : drhs;
}
static double adjoint_error(const struct gradient_test *t, int64_t k)
{
    int64_t n = t->length(t->of, k);
    long double largest = 0;
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmaxl(largest, lambda_size(t, k, i));
    number *residual = calloc((size_t)n + 1, sizeof *residual);
    long double *terms = calloc((size_t)n + 1, sizeof *terms);
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            int64_t j = neighbour(t, n, i, a);
            if (j < 0)
                continue;
            number coefficient = at(t->type, t->in[a], element(t, a, k, i));
            residual[j] += conjl(coefficient) * lambda_at(t, k, i);
            terms[j] += cabsl(coefficient) * largest;
        }
    for (int64_t i = 0; i < n; i++) {
        number dx = at(t->type, t->dx, element(t, 3, k, i));
        long double size = terms[i] + cabsl(dx), r = cabsl(residual[i] - dx);
        raise_to(&worst, r == 0 ? 0 : r / size / unit_roundoff(t->type));
    }
    free(residual);
    free(terms);
    return worst;
}

/* What the definition says about an element of dsub, ddiag or dsuper. */
struct sum {
    number value;
    long double size;
    int64_t terms;
    bool used; /* by a row */
};
static double matrix_error(const struct gradient_test *t, int a)
{
    struct sum *sums = calloc((size_t)t->elements[a] + 1, sizeof *sums);
    double worst = 0;
    for (int64_t k = 0; k < t->systems; k++)
        for (int64_t i = 0, n = t->length(t->of, k); i < n; i++) {
            struct sum *sum = &sums[element(t, a, k, i)];
            int64_t j = neighbour(t, n, i, a);
            sum->used = true;
            if (j < 0)
                continue;
            int64_t e = element(t, 3, k, j);
            number x = at(t->type, t->x, e);
            long double size = cabsl(x);
            if (t->crank_nicolson) {
                number rhs = at(t->type, t->in[3], e);
                x += rhs;
                size += cabsl(rhs);
            }
            sum->value -= lambda_at(t, k, i) * conjl(x);
            sum->size += lambda_size(t, k, i) * size;
            sum->terms++;
        }
    for (int64_t e = 0; e < t->elements[a]; e++) {
        const char *bytes = (const char *)t->d[a] + e * size_of(t->type);
        const struct sum *sum = &sums[e];
        if (sum->used) {
            long double difference = cabsl(at(t->type, t->d[a], e) - sum->value),
                        bound = unit_roundoff(t->type) * sum->size * (long double)(sum->terms + 5);
            raise_to(&worst, difference == 0 ? 0 : difference / bound);
        } else
            for (int b = 0; b < size_of(t->type); b++)
                raise_to(&worst, (unsigned char)bytes[b] == 0xff ? 0 : INFINITY);
    }
    free(sums);
    return worst;
}
struct gradient_errors gradient_errors(const struct gradient_test *t)
{
    struct gradient_errors errors = {0, 0};
    for (int64_t k = 0; k < t->systems; k++)
        raise_to(&errors.adjoint, adjoint_error(t, k));
    for (int a = 0; a < 3; a++)
        if (t->d[a])
            raise_to(&errors.matrix, matrix_error(t, a));
    return errors;
}

/* ---- finite differences ---- */

/* The inputs in long double, with the element that is being changed. */
struct inputs {
    number *in[4];
};
/* Solves A x = b, or A^H x = b, for system k by Gaussian elimination with partial pivoting. */
static void solve_dense(const struct gradient_test *t, const struct inputs *p, int64_t k,
                        bool adjoint, const number *b, number *x)
{
    enum { MOST = GRADIENT_SMALL };
    number m[MOST][MOST + 1];
    int n = (int)t->length(t->of, k);
    memset(m, 0, sizeof m);
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            int j = (int)neighbour(t, n, i, a);
            number value = p->in[a][element(t, a, k, i)];
            if (j >= 0 && adjoint)
                m[j][i] += conjl(value);
            else if (j >= 0)
                m[i][j] += value;
        }
        m[i][n] = b[i];
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c; i < n; i++)
            pivot = cabsl(m[i][c]) > cabsl(m[pivot][c]) ? i : pivot;
        for (int j = 0; j <= n; j++) {
            number old = m[c][j];
            m[c][j] = m[pivot][j];
            m[pivot][j] = old;
        }
        for (int i = 0; i < n; i++) {
            number factor = i == c ? 0 : m[i][c] / m[c][c];
            for (int j = c; j <= n; j++)
                m[i][j] -= factor * m[c][j];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = m[i][n] / m[i][i];
}
/* L, the sum of Re(conj(dx_i) x_i), of which dx is the derivative. */
static long double loss(const struct gradient_test *t, const struct inputs *p)
{
    long double sum = 0;
    for (int64_t k = 0; k < t->systems; k++) {
        number b[GRADIENT_SMALL], x[GRADIENT_SMALL];
        int64_t n = t->length(t->of, k);
        for (int64_t i = 0; i < n; i++)
            b[i] = p->in[3][element(t, 3, k, i)];
        solve_dense(t, p, k, false, b, x);
        for (int64_t i = 0; i < n; i++) {
            number value = t->crank_nicolson ? 2 * x[i] - b[i] : x[i];
            sum += creall(conjl(at(t->type, t->dx, element(t, 3, k, i))) * value);
        }
    }
    return sum;
}
/* The largest difference between drhs and a dense solve with A^H. */
static double dense_difference(const struct gradient_test *t, const struct inputs *p)
{
    double worst = 0;
    for (int64_t k = 0; k < t->systems; k++) {
        number dx[GRADIENT_SMALL], lambda[GRADIENT_SMALL];
        int64_t n = t->length(t->of, k);
        for (int64_t i = 0; i < n; i++)
            dx[i] = at(t->type, t->dx, element(t, 3, k, i));
        solve_dense(t, p, k, true, dx, lambda);
        for (int64_t i = 0; i < n; i++)
            raise_to(&worst, cabsl(lambda_at(t, k, i) - lambda[i]));
    }
    return worst;
}
double gradient_difference(const struct gradient_test *t)
{
    const long double step = 1e-7L;
    struct inputs p;
    double worst = 0;
    for (int a = 0; a < 4; a++) {
        p.in[a] = malloc((size_t)(t->elements[a] + 1) * sizeof(number));
        for (int64_t e = 0; e < t->elements[a]; e++)
            p.in[a][e] = at(t->type, t->in[a], e);
    }
    for (int a = 0; a < 4; a++) {
        long double largest = 1e-3L;
        double difference = a == 3 ? dense_difference(t, &p) : 0;
        for (int64_t e = 0; e < t->elements[a] && t->d[a]; e++) {
            number given = at(t->type, t->d[a], e), kept = p.in[a][e];
            for (int part = 0; part <= is_complex(t->type) && isfinite(creall(given)); part++) {
                number h = part ? step * I : step;
                p.in[a][e] = kept + h;
                long double up = loss(t, &p);
                p.in[a][e] = kept - h;
                long double down = loss(t, &p), found = part ? cimagl(given) : creall(given);
                p.in[a][e] = kept;
                raise_to(&difference, fabsl((up - down) / (2 * step) - found));
            }
            if (isfinite(creall(given)))
                largest = fmaxl(largest, cabsl(given));
        }
        raise_to(&worst, difference / largest);
    }
    for (int a = 0; a < 4; a++)
        free(p.in[a]);
    return worst;
}
