/* See sequences.h. */
#include "sequences.h"
#include "ceiling.h"
#include "problems.h"

#include <math.h>

void sequences_allocate(struct sequences *a, char type, int64_t n, int64_t batch)
{
    size_t element = (size_t)size_of(type), bytes = (size_t)(n + 4) * element,
           bytes0 = (size_t)(batch + 4) * element;
    *a = {};
    a->type = type;
    a->n = n;
    a->batch = batch;
    a->bytes = recurrence_workspace(type, n);
    device_require("pscheme_g", (double)bytes * 6 + (double)a->bytes + ceiling_bytes(),
                   (double)bytes * 6);
    void **const device[] = {&a->s, &a->t, &a->w, &a->dw, &a->ds, &a->dt, &a->w0, &a->dw0};
    void **const host[] = {&a->host_s,  &a->host_t,  &a->host_w,  &a->host_dw,
                           &a->host_ds, &a->host_dt, &a->host_w0, &a->host_dw0};
    for (int i = 0; i < 8; i++) { /* w0 and dw0 have one element per sequence */
        *device[i] = memory_device(&a->memory, i < 6 ? bytes : bytes0);
        *host[i] = memory_host(&a->memory, i < 6 ? bytes : bytes0);
    }
    a->work = memory_device(&a->memory, a->bytes);
    CHECK(recurrence_prepare(a->work, a->bytes, 0));
}

/* ---- inputs ---- */

static double uniform(uint64_t seed, int64_t i)
{
    struct random r = {seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)};
    return random_uniform(&r, -1, 1);
}

/* Fills the inputs in main memory. R is the real type of the arrays. The modulus of each s is 1 -
 * 1e-5 |u| with uniform u. A complex s has a random angle, a real s a random sign. */
template <class R> static void fill(struct sequences *a, uint64_t seed, bool constant)
{
    int parts = is_complex(a->type) ? 2 : 1;
    R *s = (R *)a->host_s, *t = (R *)a->host_t, *w0 = (R *)a->host_w0, *dw = (R *)a->host_dw;
#pragma omp parallel for
    for (int64_t i = 0; i < a->n; i++) {
        double q = uniform(seed, i), modulus = 1 - 1e-5 * fabs(uniform(seed + 1, i));
        if (constant)
            s[parts * i] = (R)(i == 0 ? 1 - 1e-5 : NAN);
        else if (parts == 1)
            s[i] = (R)(q < 0 ? -modulus : modulus);
        else {
            s[2 * i] = (R)(modulus * (1 - q * q) / (1 + q * q));
            s[2 * i + 1] = (R)(modulus * 2 * q / (1 + q * q));
        }
        for (int k = 0; k < parts; k++) {
            t[parts * i + k] = (R)uniform(seed + 2, parts * i + k);
            dw[parts * i + k] = (R)uniform(seed + 3, parts * i + k);
        }
        if (constant && parts == 2)
            s[2 * i + 1] = 0;
    }
    for (int64_t i = 0; i < parts * a->batch; i++)
        w0[i] = (R)uniform(seed + 4, i);
}

void sequences_make(struct sequences *a, uint64_t seed, bool constant)
{
    if (real_type(a->type) == 's')
        fill<float>(a, seed, constant);
    else
        fill<double>(a, seed, constant);
    sequences_upload(a);
}

void sequences_upload(struct sequences *a)
{
    size_t element = (size_t)size_of(a->type), bytes = (size_t)a->n * element;
    device_upload(a->s, a->host_s, bytes);
    device_upload(a->t, a->host_t, bytes);
    device_upload(a->dw, a->host_dw, bytes);
    device_upload(a->w0, a->host_w0, (size_t)a->batch * element);
}

struct recurrence sequences_plan(const struct sequences *a)
{
    return {.type = a->type,
            .length = a->n / a->batch,
            .batch = a->batch,
            .s = a->s,
            .t = a->t,
            .w0 = a->w0,
            .w = a->w};
}

struct verdict sequences_solve(struct sequences *a, const struct recurrence *p)
{
    size_t element = (size_t)size_of(a->type);
    if (p->w == a->w) /* else w replaces an input, and poison would destroy that input */
        device_poison(a->w, (size_t)(a->n + 4) * element);
    CHECK(recurrence_solve(p, a->work, a->bytes, 0));
    device_download(a->host_w, p->w, (size_t)a->n * element);
    return sequences_verdict(a, p, SOLUTION, false);
}

struct verdict sequences_gradient(struct sequences *a, const struct recurrence *p)
{
    size_t element = (size_t)size_of(a->type), bytes = (size_t)a->n * element,
           bytes0 = (size_t)a->batch * element;
    device_poison(a->ds, bytes);
    device_poison(a->dt, bytes);
    device_poison(a->dw0, bytes0);
    CHECK(recurrence_gradient(p, a->dw, a->ds, a->dt, a->dw0, a->work, a->bytes, 0));
    device_download(a->host_ds, a->ds, bytes);
    device_download(a->host_dt, a->dt, bytes);
    device_download(a->host_dw0, a->dw0, bytes0);
    return sequences_verdict(a, p, GRADIENTS, false);
}

/* ---- verification ---- */

/* R is the type of the reference: double for single precision, long double for double. */
template <class R> struct number {
    R re, im;
};
template <class R> static number<R> mul_add(number<R> s, number<R> x, number<R> t)
{
    return {s.re * x.re - s.im * x.im + t.re, s.re * x.im + s.im * x.re + t.im};
}
template <class R> static number<R> conjugate(number<R> x)
{
    return {x.re, -x.im};
}
template <class R> static R modulus(number<R> x)
{
    return x.im == 0 ? fabsl(x.re) : sqrtl(x.re * x.re + x.im * x.im);
}

/* Reads the elements of one sequence of p. W is the real type of the array. Position i is the
 * element that step i of the recurrence computes. The recurrence may run backwards through the
 * array. */
template <class W, class R> struct reader {
    int parts;
    /* The array index of position 0, and the distance from one position to the next, 1 or -1. */
    int64_t first, step;
};
template <class W, class R>
static number<R> element(reader<W, R> from, const void *array, int64_t i)
{
    const W *x = (const W *)array + from.parts * (from.first + i * from.step);
    return {x[0], from.parts == 2 ? x[1] : 0};
}

/* The verdict on the elements that have been compared, and the data of the rule by which they are
 * judged. */
struct judge {
    double u;
    bool biased;
    struct verdict verdict;
};

/* Compares one element with its exact value and updates the verdict. `bound` is the running bound B
 * of sequences.h, and `largest` is the largest modulus so far. */
template <class R>
static void compare(struct judge *j, number<R> got, number<R> exact, R bound, R largest,
                    int64_t steps, int64_t at)
{
    double difference = (double)modulus<R>({got.re - exact.re, got.im - exact.im}),
           count = (double)steps + 12, always = count * j->u * (double)bound,
           likely = 8 * sqrt(count) * j->u * (double)largest,
           allowed = j->biased || always < likely ? always : likely,
           error = difference / (double)bound, used = difference / allowed;
    if (difference == 0)
        error = used = 0;
    /* The comparisons below would lose a NaN. */
    if (!isfinite(difference) || !(used < INFINITY))
        error = used = INFINITY;
    if (error > j->verdict.error)
        j->verdict.error = error;
    if (used > j->verdict.used) {
        j->verdict.used = used;
        j->verdict.worst = at;
    }
}

template <class W, class R>
static void compare_solution(struct judge *j, const struct sequences *a, const struct recurrence *p,
                             reader<W, R> from, number<R> x)
{
    R bound = modulus(x), largest = bound;
    for (int64_t i = 0; i < p->length; i++) {
        number<R> s = p->constant ? element<W, R>({from.parts, 0, 0}, a->host_s, 0)
                                  : element(from, a->host_s, i),
                  t = element(from, a->host_t, i);
        x = mul_add(s, x, t);
        bound = modulus(s) * bound + modulus(t);
        largest = largest < modulus(x) ? modulus(x) : largest;
        compare(j, element(from, a->host_w, i), x, bound, largest, i + 1,
                from.first + i * from.step);
    }
}

/* Computes the gradient of one sequence from the last element to the first, and compares it: dt_i =
 * dw_i + c, ds_i = dt_i w_{i-1}, and then c = s_i dt_i for the next element. */
template <class W, class R>
static void compare_gradient(struct judge *j, const struct sequences *a, const struct recurrence *p,
                             int64_t k, reader<W, R> from, number<R> w0)
{
    number<R> zero = {0, 0}, c = zero;
    R bound = 0, largest = 0;
    for (int64_t i = p->length - 1; i >= 0; i--) {
        int64_t steps = p->length - i + 1, at = from.first + i * from.step;
        number<R> s = conjugate(element(from, a->host_s, i)), dw = element(from, a->host_dw, i),
                  before = conjugate(i == 0 ? w0 : element(from, a->host_w, i - 1)),
                  dt = {dw.re + c.re, dw.im + c.im};
        bound += modulus(dw);
        largest = largest < modulus(dt) ? modulus(dt) : largest;
        compare(j, element(from, a->host_dt, i), dt, bound, largest, steps, at);
        compare(j, element(from, a->host_ds, i), mul_add(dt, before, zero), bound * modulus(before),
                largest * modulus(before), steps, at);
        c = mul_add(s, dt, zero);
        bound *= modulus(s);
    }
    compare(j, element<W, R>({from.parts, k, 1}, a->host_dw0, 0), c, bound, largest, p->length + 1,
            k * p->length);
}

template <class W, class R>
static void compare_sequence(struct judge *j, const struct sequences *a, const struct recurrence *p,
                             enum sequences_output output, int64_t k)
{
    int parts = is_complex(a->type) ? 2 : 1;
    reader<W, R> from = {parts, k * p->length + (p->reverse ? p->length - 1 : 0),
                         p->reverse ? -1 : 1};
    number<R> w0 = {0, 0};
    if (p->w0)
        w0 = element<W, R>({parts, k, 1}, a->host_w0, 0);
    if (output == SOLUTION)
        compare_solution(j, a, p, from, w0);
    else
        compare_gradient(j, a, p, k, from, w0);
}

struct verdict sequences_verdict_of(const struct sequences *a, const struct recurrence *p,
                                    enum sequences_output output, bool biased, int64_t k)
{
    double u = unit_roundoff(a->type) * (is_complex(a->type) ? 2 : 1);
    struct judge j = {u, biased, {false, 0, 0, -1}};
    if (real_type(a->type) == 's')
        compare_sequence<float, double>(&j, a, p, output, k);
    else
        compare_sequence<double, long double>(&j, a, p, output, k);
    j.verdict.ok = j.verdict.used <= 1;
    return j.verdict;
}

struct verdict sequences_verdict(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, bool biased)
{
    struct verdict all = {true, 0, 0, -1};
#pragma omp parallel for schedule(dynamic)
    for (int64_t k = 0; k < p->batch; k++) {
        struct verdict one = sequences_verdict_of(a, p, output, biased, k);
#pragma omp critical
        {
            all.ok = all.ok && one.ok;
            all.error = one.error > all.error ? one.error : all.error;
            all.worst = one.used > all.used ? one.worst : all.worst;
            all.used = one.used > all.used ? one.used : all.used;
        }
    }
    return all;
}
