/* See tridiagonal_case.h. */
#include "bench/tridiagonal_case.h"
#include "test/matrices.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static size_t bytes_of(const struct tridiagonal_case *c, int64_t elements)
{
    return (size_t)(elements * size_of(c->s.type));
}
static size_t array_begin(const struct tridiagonal_case *c, int array)
{
    return (array == X ? GUARD : 0) + bytes_of(c, c->s.offset[array]);
}
size_t case_image_bytes(const struct tridiagonal_case *c, int array)
{
    int64_t elements = array >= RHS ? c->elements : c->s.toeplitz ? 1 : c->s.n;
    return array_begin(c, array) + bytes_of(c, elements) + (array == X ? GUARD : 0);
}
void *case_host(const struct tridiagonal_case *c, int array, int64_t i)
{
    return (char *)c->host[array] + array_begin(c, array) + bytes_of(c, i);
}

struct tridiagonal_case case_make(const struct shape &s, int pivot, int matrix, uint64_t seed)
{
    struct tridiagonal_case made = {.s = s}, *c = &made;
    c->elements = s.n + (s.sides > 1 ? (s.sides - 1) * s.stride : 0);
    void *array[ARRAYS];
    for (int a = 0; a < ARRAYS; a++) {
        size_t bytes = case_image_bytes(c, a);
        c->host[a] = memory_host(&c->memory, bytes + 1); /* + 1: if n = 0, bytes may be 0 */
        c->device[a] = memory_device(&c->memory, bytes + 1);
        host_poison(c->host[a], bytes);
        array[a] = (char *)c->device[a] + array_begin(c, a);
    }
    c->status = (long long *)memory_device(&c->memory, sizeof *c->status);
    c->t = {.type = s.type,
            .n = s.n,
            .sub = array[SUB],
            .diag = array[DIAG],
            .super = array[SUPER],
            .rhs = array[s.in_place ? X : RHS],
            .x = array[X],
            .sides = s.sides,
            .stride = s.stride,
            .toeplitz = s.toeplitz,
            .periodic = s.periodic,
            .pivot = pivot,
            .status = c->status,
            .way = TRIDIAGONAL_AUTO};
    c->work_bytes = tridiagonal_workspace(&c->t);
    c->work = memory_device(&c->memory, c->work_bytes + GUARD);
    device_poison(c->work, c->work_bytes + GUARD);
    CHECK(tridiagonal_prepare(c->work, c->work_bytes, 0));
    case_fill(c, matrix, seed);
    return made;
}
void case_close(struct tridiagonal_case *c)
{
    memory_free(&c->memory);
}

void case_upload(const struct tridiagonal_case *c)
{
    for (int a = 0; a < X; a++)
        device_upload(c->device[a], c->host[a], case_image_bytes(c, a));
}

long long case_solve(const struct tridiagonal_case *c, const struct tridiagonal *t)
{
    long long status = 0;
    device_poison(c->device[X], case_image_bytes(c, X));
    if (t->rhs == t->x)
        device_upload(t->x, case_host(c, RHS), bytes_of(c, c->elements));
    CHECK(cudaMemset(c->status, 0x55, sizeof *c->status));
    cudaError_t error = tridiagonal_solve(t, c->work, c->work_bytes, 0);
    if (error == cudaErrorInvalidValue)
        return -1;
    CHECK(error);
    device_download(c->host[X], c->device[X], case_image_bytes(c, X));
    if (t->status)
        device_download(&status, t->status, sizeof status);
    return status;
}

/* ---- matrices ---- */

void case_put(const struct tridiagonal_case *c, int array, int64_t i, double re, double im)
{
    put(real_type(c->s.type), case_host(c, array, i), 0, re);
    if (is_complex(c->s.type))
        put(real_type(c->s.type), case_host(c, array, i), 1, im);
}
void case_put_row(const struct tridiagonal_case *c, int64_t i, double sub, double diag,
                  double super)
{
    case_put(c, SUB, i, sub);
    case_put(c, DIAG, i, diag);
    case_put(c, SUPER, i, super);
}

static void fill_matrix(const struct tridiagonal_case *c, int matrix, uint64_t seed)
{
    void *sub = case_host(c, SUB), *diag = case_host(c, DIAG), *super = case_host(c, SUPER);
    if (matrix > 0)
        matrix_fill(matrix, c->s.type, c->s.n, seed, sub, diag, super);
    else if (matrix == DOMINANT || matrix == MIXED)
        fill_systems(c->s.type, matrix == MIXED ? SYSTEM_MIXED : SYSTEM_DOMINANT, seed, c->s.n, 1,
                     sub, diag, super, case_host(c, RHS));
    else {
        for (int64_t i = 0; i < c->s.n; i++)
            case_put_row(c, i, -1, 0.5, 1);
        case_put(c, SUB, 0, (double)NAN);
        case_put(c, SUPER, c->s.n - 1, (double)NAN);
    }
}

/* Fills an array with the next `count` numbers of r from -1 to 1. Leaves r as it is. */
static void fill_uniform(char real, const struct random *r, int64_t count, void *array)
{
    const int64_t part = 1 << 16;
#pragma omp parallel for schedule(static) if (count > part)
    for (int64_t from = 0; from < count; from += part) {
        struct random mine = *r;
        random_skip(&mine, from);
        for (int64_t i = from; i < count && i < from + part; i++)
            put(real, array, i, random_uniform(&mine, -1, 1));
    }
}

void case_fill(const struct tridiagonal_case *c, int matrix, uint64_t seed)
{
    struct random r = {seed + 77};
    const int64_t n = c->s.n;
    if (n > 0 && c->s.toeplitz) { /* use the middle row of a system of three rows */
        struct tridiagonal_case three = case_make({.type = c->s.type, .n = 3}, 0, matrix, seed);
        for (int a = 0; a < RHS; a++)
            memcpy(case_host(c, a), case_host(&three, a, 1), bytes_of(c, 1));
        case_close(&three);
    } else if (n > 0) {
        fill_matrix(c, matrix, seed);
        if (c->s.periodic) { /* with small corners the rows stay dominant, even if n is 1 or 2 */
            double scale = matrix == MIXED ? 0x1p-41 : 0.2;
            case_put(c, SUB, 0, scale * random_uniform(&r, 0.1, 1));
            case_put(c, SUPER, n - 1, -scale * random_uniform(&r, 0.1, 1));
        }
    }
    int parts = is_complex(c->s.type) ? 2 : 1;
    bool given = matrix == MIXED && !c->s.toeplitz;
    for (int64_t k = given; k < case_sides(c); k++) {
        fill_uniform(real_type(c->s.type), &r, parts * n, case_host(c, RHS, k * c->s.stride));
        random_skip(&r, parts * n);
    }
    case_upload(c);
}

/* ---- errors ---- */

/* R is the type of computation: double for a solution in single precision, long double for one in
 * double precision. Squares of results must not overflow in R. */
template <class R> struct number {
    R re, im;
};
template <int parts, class W, class R> static inline number<R> number_at(const W *array, int64_t i)
{
    return {array[parts * i], parts == 2 ? array[parts * i + parts - 1] : 0};
}
template <class R> static inline R modulus(number<R> z)
{
    return z.im == 0 ? fabs(z.re) : sqrt(z.re * z.re + z.im * z.im);
}

template <int parts, class W, class R>
static struct errors errors_of(const struct tridiagonal_case *c, int64_t side)
{
    const W *row[] = {(const W *)case_host(c, SUB), (const W *)case_host(c, DIAG),
                      (const W *)case_host(c, SUPER)},
            *rhs = (const W *)case_host(c, RHS, side * c->s.stride),
            *x = (const W *)case_host(c, X, side * c->s.stride);
    const int64_t n = c->s.n, step = c->s.toeplitz ? 0 : 1;
    const bool periodic = c->s.periodic;
    double norm = 0, terms = 0, rows = 0;
#pragma omp parallel for reduction(max : norm) if (n > 100000)
    for (int64_t i = 0; i < n; i++)
        norm = fmax(norm, (double)modulus(number_at<parts, W, R>(x, i)));
#pragma omp parallel for reduction(max : terms, rows) if (n > 100000)
    for (int64_t i = 0; i < n; i++) {
        number<R> d = number_at<parts, W, R>(rhs, i), sum = {-d.re, -d.im};
        R coefficients = 0, products = 0;
        for (int k = 0; k < 3; k++) {
            int64_t j = i + k - 1;
            if (!periodic && (j < 0 || j >= n))
                continue;
            j = j < 0 ? n - 1 : j >= n ? 0 : j;
            number<R> a = number_at<parts, W, R>(row[k], step * i),
                      y = number_at<parts, W, R>(x, j);
            sum.re += a.re * y.re - a.im * y.im;
            sum.im += a.re * y.im + a.im * y.re;
            coefficients += modulus(a);
            products += modulus(a) * modulus(y);
        }
        R r = modulus(sum), right = modulus(d);
        if (!isfinite(r) || !isfinite(products)) /* fmax would drop a NaN */
            terms = rows = (double)INFINITY;
        else if (r > 0) { /* r = 0 is no error, even if the terms are 0, too */
            terms = fmax(terms, (double)(r / (products + right)));
            rows = fmax(rows, (double)(r / (coefficients * (R)norm + right)));
        }
    }
    double u = unit_roundoff(c->s.type);
    return {terms / u, rows / u};
}

struct errors case_errors(const struct tridiagonal_case *c)
{
    struct errors all = {0, 0};
    for (int64_t k = 0; k < case_sides(c); k++) {
        struct errors e = c->s.type == 's'   ? errors_of<1, float, double>(c, k)
                          : c->s.type == 'c' ? errors_of<2, float, double>(c, k)
                          : c->s.type == 'd' ? errors_of<1, double, long double>(c, k)
                                             : errors_of<2, double, long double>(c, k);
        all.terms = fmax(all.terms, e.terms); /* errors_of never returns NaN */
        all.rows = fmax(all.rows, e.rows);
    }
    return all;
}
