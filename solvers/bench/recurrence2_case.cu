/* See recurrence2_case.h. */
#include "bench/recurrence2_case.h"
#include "problems.h"

#include <initializer_list>
#include <math.h>

static int inputs_of(const struct recurrence2 *p)
{
    return p->kind == RECURRENCE2_MOBIUS ? 4 : 3;
}

/* ---- inputs ---- */

/* v: a, b, c, d of one element */
static void random_element(const struct recurrence2_case *c, struct random *r, double *v)
{
    const bool mobius = c->p.kind == RECURRENCE2_MOBIUS, lu = c->p.kind == RECURRENCE2_LU;
    const double least = mobius && c->style != RECURRENCE2_WILD ? 0.5 : -1;
    for (int k = 0; k < 4; k++)
        v[k] = random_uniform(r, least, 1);
    if (c->p.kind == RECURRENCE2_LINEAR)
        v[1] *= 1 - fabs(v[0]);
    else if (lu && c->style == RECURRENCE2_TAME)
        v[1] = (v[1] < 0 ? -1.01 : 1.01) * (fabs(v[0]) + fabs(v[2]) + 0.01);
    else if (lu && c->style == RECURRENCE2_POISSON)
        v[0] = v[2] = -0.7, v[1] = 1.4;
}
void recurrence2_case_begin(struct recurrence2_case *c, struct recurrence2 p,
                            enum recurrence2_style style, uint64_t seed)
{
    struct random r = {seed};
    *c = {};
    c->p = p;
    c->style = style;
    const int inputs = inputs_of(&p);
    const size_t element = (size_t)size_of(p.type), n = (size_t)(p.length * p.batch),
                 batch = (size_t)p.batch;
    for (int k = 0; k < inputs; k++) {
        c->host_in[k] = memory_host(&c->memory, n * element);
        c->in[k] = memory_device(&c->memory, (n + 4) * element);
    }
    c->p.a = c->in[0], c->p.b = c->in[1], c->p.c = c->in[2], c->p.d = c->in[3];
    c->host_before = memory_host(&c->memory, 2 * batch * element);
    c->p.before = memory_device(&c->memory, 2 * batch * element);
    c->host_x = memory_host(&c->memory, n * element);
    c->p.x = c->x = memory_device(&c->memory, (n + 4) * element);
    if (p.kind == RECURRENCE2_LU) {
        c->host_u = memory_host(&c->memory, n * element);
        c->p.u = c->u = memory_device(&c->memory, (n + 4) * element);
        c->host_mantissa = memory_host(&c->memory, batch * element);
        c->p.mantissa = memory_device(&c->memory, batch * element);
        c->host_exponent = (int64_t *)memory_host(&c->memory, batch * sizeof(int64_t));
        c->p.exponent = (int64_t *)memory_device(&c->memory, batch * sizeof(int64_t));
        c->host_status = (int64_t *)memory_host(&c->memory, batch * sizeof(int64_t));
        c->p.status = (int64_t *)memory_device(&c->memory, batch * sizeof(int64_t));
    }
    c->bytes = recurrence2_workspace(&c->p);
    c->work = memory_device(&c->memory, c->bytes);
    CHECK(recurrence2_prepare(c->work, c->bytes, 0));
    /* Random numbers take long, so the elements are repeated after so many. */
    const size_t period = 1000003;
    for (size_t i = 0; i < n && i < period; i++) {
        double v[4];
        random_element(c, &r, v);
        for (int k = 0; k < inputs; k++)
            put(p.type, c->host_in[k], (int64_t)i, v[k]);
    }
    for (size_t i = period; i < n; i += period)
        for (int k = 0; k < inputs; k++)
            memcpy((char *)c->host_in[k] + i * element, c->host_in[k],
                   (n - i < period ? n - i : period) * element);
    for (int64_t i = 0; i < 2 * p.batch; i++)
        put(p.type, c->host_before, i, random_uniform(&r, 0, 1));
    recurrence2_case_upload(c);
}

void recurrence2_case_upload(struct recurrence2_case *c)
{
    const size_t element = (size_t)size_of(c->p.type),
                 bytes = (size_t)(c->p.length * c->p.batch) * element;
    const void *in[4] = {c->p.a, c->p.b, c->p.c, c->p.d};
    for (int k = 0; k < inputs_of(&c->p); k++)
        if (in[k])
            device_upload((void *)in[k], c->host_in[k], bytes);
    if (c->p.before)
        device_upload((void *)c->p.before, c->host_before, 2 * (size_t)c->p.batch * element);
}

struct verdict recurrence2_case_solve(struct recurrence2_case *c)
{
    const struct recurrence2 *p = &c->p;
    const size_t element = (size_t)size_of(p->type), batch = (size_t)p->batch,
                 bytes = (size_t)(p->length * p->batch) * element;
    for (void *output : {p->x, p->u})
        if (output && output != p->a && output != p->b && output != p->c && output != p->d)
            device_poison(output, bytes);
    if (p->mantissa)
        device_poison(p->mantissa, batch * element);
    CHECK(recurrence2_solve(p, c->work, c->bytes, 0));
    device_download(c->host_x, p->x, bytes);
    if (p->u)
        device_download(c->host_u, p->u, bytes);
    if (p->mantissa) {
        device_download(c->host_mantissa, p->mantissa, batch * element);
        device_download(c->host_exponent, p->exponent, batch * sizeof(int64_t));
    }
    if (p->status)
        device_download(c->host_status, p->status, batch * sizeof(int64_t));
    return recurrence2_case_verdict(c, 0, p->batch);
}

/* ---- verification ---- */

/* An error at index `at` counts relative to what is allowed; NaN is wrong. */
static void judge(struct verdict *verdict, double error, double allowed, int64_t at)
{
    if (error <= verdict->error && error <= verdict->used * allowed)
        return;
    const double used = error / allowed;
    if (!(used <= verdict->used)) {
        verdict->used = used < INFINITY ? used : INFINITY;
        verdict->worst = at;
    }
    if (!(error <= verdict->error))
        verdict->error = error < INFINITY ? error : INFINITY;
}
/* Element i of the inputs, in type R; c of LINEAR may be absent. */
template <class T, class R> struct element_of_case {
    R a, b, c, d;
};
template <class T, class R>
static element_of_case<T, R> element_at(const struct recurrence2_case *c, int64_t i)
{
    const T *const *in = (const T *const *)c->host_in;
    return {in[0][i], in[1][i], c->p.c ? in[2][i] : 0, c->p.d ? in[3][i] : 0};
}

template <class T, class R>
static void compare_linear(const struct recurrence2_case *c, int64_t k, struct verdict *verdict)
{
    const double u = unit_roundoff(c->p.type);
    const T *before = (const T *)c->host_before + 2 * k, *x = (const T *)c->host_x;
    const T least = sizeof(T) == 4 ? (T)0x1p-149 : (T)0x1p-1074; /* for what underflows */
    R w[2] = {}, bound[2] = {};
    for (int j = 0; j < 2 && c->p.before; j++)
        w[j] = before[j], bound[j] = w[j] < 0 ? -w[j] : w[j];
    for (int64_t i = 0, at = k * c->p.length; i < c->p.length; i++, at++) {
        const element_of_case<T, R> e = element_at<T, R>(c, at);
        const R next = e.a * w[0] + e.b * w[1] + e.c, most = (e.a < 0 ? -e.a : e.a) * bound[0] +
                                                             (e.b < 0 ? -e.b : e.b) * bound[1] +
                                                             (e.c < 0 ? -e.c : e.c);
        w[1] = w[0], w[0] = next;
        bound[1] = bound[0], bound[0] = most;
        const double allowed = (2 * (double)i + 42) * u * (double)most,
                     tiny = (double)least * (i + 42);
        judge(verdict, fabs((double)(x[at] - next)), allowed + tiny, at);
    }
}

/* The distance of x and y on the projective line */
template <class R> static double distance(R x, R y)
{
    const double p = (double)x, q = (double)y;
    if (isinf(p) || isinf(q))
        return isinf(p) && isinf(q) ? 0 : 1 / sqrt(1 + (isinf(p) ? q * q : p * p));
    return fabs((double)(x - y)) / sqrt((1 + p * p) * (1 + q * q));
}
template <class T, class R>
static void compare_mobius(const struct recurrence2_case *c, int64_t k, struct verdict *verdict)
{
    const double u = unit_roundoff(c->p.type);
    const T *x = (const T *)c->host_x;
    R right = c->p.before ? ((const T *)c->host_before)[k] : 0;
    double carried = 0;
    for (int64_t i = 0, at = k * c->p.length; i < c->p.length; i++, at++) {
        const element_of_case<T, R> e = element_at<T, R>(c, at);
        const R n = e.a * right + e.b, d = e.c * right + e.d;
        const double p = (double)right, size = sqrt((double)(n * n + d * d)),
                     largest = (fabs((double)e.a) + fabs((double)e.c)) * fabs(p) +
                               fabs((double)e.b) + fabs((double)e.d);
        carried = carried * fabs((double)(e.a * e.d - e.b * e.c)) * (1 + p * p) / (size * size) +
                  u * largest / size;
        right = n / d;
        judge(verdict, distance((R)x[at], right), 8 * carried, at);
    }
}

template <class T, class R>
static void compare_lu(const struct recurrence2_case *c, int64_t k, struct verdict *verdict)
{
    const double u = unit_roundoff(c->p.type);
    const bool wild = c->style == RECURRENCE2_WILD;
    const double promised = c->p.type == 's' ? 0x1p-12 : 0x1p-26;
    const T *x = (const T *)c->host_x, *pivot = (const T *)c->host_u;
    const int64_t n = c->p.length;
    const double allowed = u * (c->style == RECURRENCE2_TAME ? 16 : 64);
    R q = 0, determinant = 1;
    double worst = 0; /* relative error of a pivot of the loop */
    int64_t exponent = 0;
    T of_loop = 0;
    const bool failed = c->p.status && c->host_status[k] != 0;
    for (int64_t i = 0, at = k * n; i < n; i++, at++) {
        element_of_case<T, R> e = element_at<T, R>(c, at);
        e.a = i == 0 ? 0 : e.a, e.c = i == n - 1 ? 0 : e.c;
        const R right = e.b - e.a * q;
        const T loop = (T)e.b - (T)e.a * of_loop;
        worst = fmax(worst, fabs((double)((loop - right) / right)));
        q = e.c / right, of_loop = (T)e.c / loop;
        int more;
        determinant = frexp(determinant * right, &more);
        exponent += more;
        if (failed)
            continue;
        const R u_i = c->p.u ? (R)pivot[at] : e.c / (R)x[at],
                product = i > 0 ? e.a * (R)x[at - 1] : 0;
        const double size = fabs((double)e.a) + fabs((double)u_i) + fabs((double)product);
        if (c->p.u || i < n - 1)
            judge(verdict, fabs((double)(e.b - u_i - product)) / size, wild ? promised : allowed,
                  at);
        if (c->p.u)
            judge(verdict, fabs((double)(e.c - (R)x[at] * u_i)), 2 * u * fabs((double)e.c), at);
    }
    if (failed && !wild)
        judge(verdict, INFINITY, 1, k * n + c->host_status[k] - 1);
    if (c->p.mantissa) {
        const double got = get(c->p.type, c->host_mantissa, k),
                     right = ldexp((double)determinant, (int)(exponent - c->host_exponent[k]));
        judge(verdict, fabs(got - right),
              64 * u + (wild                              ? 64 * sqrt((double)n) * worst
                        : c->style == RECURRENCE2_POISSON ? allowed * (double)n * (double)n / 6
                                                          : 8 * (double)n * u),
              k * n);
    }
}

template <class T, class R>
static void compare(const struct recurrence2_case *c, int64_t k, struct verdict *verdict)
{
    if (c->p.kind == RECURRENCE2_LINEAR)
        compare_linear<T, R>(c, k, verdict);
    else if (c->p.kind == RECURRENCE2_MOBIUS)
        compare_mobius<T, R>(c, k, verdict);
    else
        compare_lu<T, R>(c, k, verdict);
}
struct verdict recurrence2_case_verdict(const struct recurrence2_case *c, int64_t first,
                                        int64_t last)
{
    struct verdict all = {true, 0, 0, 0};
#pragma omp parallel for schedule(dynamic)
    for (int64_t k = first; k < last; k++) {
        struct verdict one = {true, 0, 0, 0};
        c->p.type == 's' ? compare<float, double>(c, k, &one)
                         : compare<double, long double>(c, k, &one);
#pragma omp critical(recurrences2)
        {
            all.error = fmax(all.error, one.error);
            if (one.used > all.used)
                all.used = one.used, all.worst = one.worst;
        }
    }
    all.ok = all.used <= 1;
    return all;
}
