/* See filter_case.h. */
#include "bench/filter_case.h"
#include "problems.h"

#include <math.h>

enum { COLUMNS_MOST = FILTER_STATES_MOST + 1 };

/* ---- inputs ---- */

/* b[0..order] = the product of the factors of a section, whose roots have random angles. */
static void random_polynomial(struct random *r, int order, double radius, double *b)
{
    b[0] = 1;
    for (int k = 0; k < order;) {
        const double modulus = 1 - (1 - radius) * random_uniform(r, 1, 2),
                     angle = random_uniform(r, 0.05, 3.1);
        const int more = order - k > 1 ? 2 : 1;
        const double factor[3] = {1, more == 2 ? -2 * modulus * cos(angle) : -modulus,
                                  modulus * modulus};
        double product[COLUMNS_MOST] = {};
        for (int i = 0; i <= k; i++)
            for (int j = 0; j <= more; j++)
                product[i + j] += b[i] * factor[j];
        k += more;
        for (int i = 0; i <= k; i++)
            b[i] = product[i];
    }
}

void filter_case_open(struct filter_case *c, struct filter p)
{
    *c = {};
    c->p = p;
    c->p.coefficients = c->coefficients;
    const size_t element = (size_t)size_of(p.type), n = (size_t)(p.length * p.batch),
                 states = (size_t)(p.batch * p.sections * p.order);
    c->host_x = memory_host(&c->memory, n * element);
    c->host_y = memory_host(&c->memory, n * element);
    c->host_zi = memory_host(&c->memory, states * element);
    c->host_zf = memory_host(&c->memory, states * element);
    c->p.x = c->x = memory_device(&c->memory, (n + 4) * element);
    c->p.y = c->y = memory_device(&c->memory, (n + 4) * element);
    c->p.zi = c->zi = memory_device(&c->memory, states * element);
    c->p.zf = c->zf = memory_device(&c->memory, states * element);
    c->bytes = filter_workspace(&c->p);
    c->work = memory_device(&c->memory, c->bytes);
    CHECK(filter_prepare(c->work, c->bytes, 0));
}

void filter_case_begin(struct filter_case *c, struct filter p, double radius, uint64_t seed)
{
    struct random r = {seed};
    filter_case_open(c, p);
    do
        for (int n = 0; n < p.sections; n++) {
            double *b = c->coefficients + n * 2 * (p.order + 1), *a = b + p.order + 1;
            random_polynomial(&r, p.order, 0.5, b);
            random_polynomial(&r, p.order, radius, a);
            for (int i = 0; i <= p.order; i++)
                a[i] *= 2;
        }
    while (filter_growth(&c->p) > 100); /* poles that happen to be close to each other */
    for (int64_t i = 0; i < p.length * p.batch; i++)
        put(p.type, c->host_x, i, random_uniform(&r, -1, 1));
    for (int64_t i = 0; i < p.batch * p.sections * p.order; i++)
        put(p.type, c->host_zi, i, random_uniform(&r, -1, 1));
    filter_case_upload(c);
}

void filter_case_low_pass(struct filter_case *c, double cutoff)
{
    const double pi = acos(-1), w = 2 * pi * cutoff;
    for (int n = 0; n < c->p.sections; n++) {
        const double q = 1 / (2 * cos(pi * (2 * n + 1) / (4 * c->p.sections))),
                     alpha = sin(w) / (2 * q), b = (1 - cos(w)) / 2;
        const double section[] = {b, 2 * b, b, 1 + alpha, -2 * cos(w), 1 - alpha};
        memcpy(c->coefficients + 6 * n, section, sizeof section);
    }
}

void filter_case_upload(struct filter_case *c)
{
    const size_t element = (size_t)size_of(c->p.type);
    device_upload((void *)c->p.x, c->host_x, (size_t)(c->p.length * c->p.batch) * element);
    device_upload(c->zi, c->host_zi, (size_t)(c->p.batch * c->p.sections * c->p.order) * element);
}

struct verdict filter_case_solve(struct filter_case *c)
{
    const size_t element = (size_t)size_of(c->p.type),
                 bytes = (size_t)(c->p.length * c->p.batch) * element,
                 state_bytes = (size_t)(c->p.batch * c->p.sections * c->p.order) * element;
    if (c->p.y != c->p.x)
        device_poison(c->p.y, bytes);
    if (c->p.zf != c->p.zi)
        device_poison(c->zf, state_bytes);
    CHECK(filter_solve(&c->p, c->work, c->bytes, 0));
    device_download(c->host_y, c->p.y, bytes);
    device_download(c->host_zf, c->p.zf, state_bytes);
    return filter_case_verdict(c, 0, c->p.batch);
}

/* ---- the serial loop ---- */

/* The numbers of sections and states are known to the compiler. */
template <class T, int SECTIONS, int ORDER> static void serial_loop(const struct filter_case *c)
{
    T b[SECTIONS][ORDER + 1], a[SECTIONS][ORDER + 1], z[SECTIONS][ORDER] = {};
    for (int n = 0; n < SECTIONS; n++)
        for (int i = 0; i <= ORDER; i++) {
            const double *of = c->coefficients + 2 * (ORDER + 1) * n, first = of[ORDER + 1];
            b[n][i] = (T)(of[i] / first);
            a[n][i] = (T)(of[ORDER + 1 + i] / first);
        }
    for (int64_t k = 0; k < c->p.length; k++) {
        T x = ((const T *)c->host_x)[k];
        for (int n = 0; n < SECTIONS; n++) {
            const T y = b[n][0] * x + z[n][0];
            for (int i = 0; i + 1 < ORDER; i++)
                z[n][i] = b[n][i + 1] * x - a[n][i + 1] * y + z[n][i + 1];
            z[n][ORDER - 1] = b[n][ORDER] * x - a[n][ORDER] * y;
            x = y;
        }
        ((T *)c->host_y)[k] = x;
    }
}
template <class T> static void serial_of_shape(const struct filter_case *c)
{
    auto loop = c->p.sections > 1 ? serial_loop<T, FILTER_STATES_MOST / 2, 2>
                : c->p.order == 1 ? serial_loop<T, 1, 1>
                : c->p.order == 2 ? serial_loop<T, 1, 2>
                : c->p.order == 4 ? serial_loop<T, 1, 4>
                                  : serial_loop<T, 1, 8>;
    loop(c);
}
void filter_case_serial(const struct filter_case *c)
{
    c->p.type == 's' ? serial_of_shape<float>(c) : serial_of_shape<double>(c);
}

/* A filter in type R; its coefficients are those that the solver takes for exact. */
template <class R> struct serial {
    int sections, order;
    R b[FILTER_STATES_MOST][COLUMNS_MOST], a[FILTER_STATES_MOST][COLUMNS_MOST],
        z[FILTER_STATES_MOST];
    R largest; /* modulus of x and the outputs of all sections so far */
};
template <class R> static serial<R> serial_of(const struct filter *p)
{
    serial<R> s = {p->sections, p->order, {}, {}, {}, 0};
    for (int n = 0; n < p->sections; n++)
        for (int i = 0; i <= p->order; i++) {
            const double *b = p->coefficients + n * 2 * (p->order + 1), *a = b + p->order + 1;
            const bool single = p->type == 's' && !p->carry_in_double;
            s.b[n][i] = (R)(single ? (float)(b[i] / a[0]) : b[i] / a[0]);
            s.a[n][i] = (R)(single ? (float)(a[i] / a[0]) : a[i] / a[0]);
        }
    return s;
}
/* K: the order, known at compile time, or 0 */
template <int K, class R> static inline R serial_step(serial<R> *s, R x)
{
    const int order = K > 0 ? K : s->order;
    for (int n = 0; n < s->sections; n++) {
        R *z = s->z + n * order, y = s->b[n][0] * x + z[0];
        for (int i = 0; i + 1 < order; i++)
            z[i] = s->b[n][i + 1] * x - s->a[n][i + 1] * y + z[i + 1];
        z[order - 1] = s->b[n][order] * x - s->a[n][order] * y;
        x = y;
        const R modulus = x < 0 ? -x : x;
        if (s->largest < modulus)
            s->largest = modulus;
    }
    return x;
}
/* The index in zi and zf of state i of sequence k */
static int64_t state_index(const struct filter *p, int64_t k, int i)
{
    return (i / p->order * p->batch + k) * p->order + i % p->order;
}

/* The largest maximum norm of A^i for i <= most: of the states that follow from unit vectors. */
static double growth_over(const struct filter *p, int64_t most)
{
    const int states = p->sections * p->order;
    serial<double> s[FILTER_STATES_MOST];
    double growth = 1;
    for (int j = 0; j < states; j++) {
        s[j] = serial_of<double>(p);
        s[j].z[j] = 1;
    }
    for (int64_t i = 0; i < most; i++) {
        for (int j = 0; j < states; j++)
            serial_step<0>(&s[j], 0.0);
        for (int row = 0; row < states; row++) {
            double sum = 0;
            for (int j = 0; j < states; j++)
                sum += fabs(s[j].z[row]);
            growth = fmax(growth, sum);
        }
    }
    return growth;
}

/* Verifies a sequence. T is the type of its elements, R that of the reference. */
template <class T, class R, int K>
static void compare_sequence(const struct filter_case *c, int64_t k, double by_largest,
                             struct verdict *verdict)
{
    const struct filter *p = &c->p;
    const double u = unit_roundoff(p->type);
    serial<R> exact = serial_of<R>(p);
    serial<T> loop = serial_of<T>(p);
    for (int i = 0; i < p->sections * p->order && p->zi; i++)
        exact.z[i] = loop.z[i] = (T)get(p->type, c->host_zi, state_index(p, k, i));
    double worst_of_loop = 0;
    auto judge = [&](double got, double right, double of_loop, int64_t at) {
        const double difference = fabs(got - right), of_the_loop = fabs(of_loop - right),
                     largest = (double)exact.largest;
        worst_of_loop = of_the_loop > worst_of_loop ? of_the_loop : worst_of_loop;
        const double allowed =
            (p->carry_in_double ? 0 : 4 * worst_of_loop) + by_largest * u * largest;
        /* Divisions are slow, and nearly all elements are better than the worst so far. */
        if (difference <= verdict->used * allowed && difference <= verdict->error * largest)
            return;
        double used = difference / allowed, error = difference / largest;
        if (!(used < INFINITY))
            used = error = got == right ? 0 : INFINITY;
        verdict->error = error > verdict->error ? error : verdict->error;
        if (used > verdict->used) {
            verdict->used = used;
            verdict->worst = at;
        }
    };
    const T *x = (const T *)c->host_x + k * p->length, *y = (const T *)c->host_y + k * p->length;
    for (int64_t i = 0; i < p->length; i++) {
        const R modulus = x[i] < 0 ? -x[i] : x[i];
        exact.largest = exact.largest < modulus ? modulus : exact.largest;
        const R right = serial_step<K>(&exact, (R)x[i]);
        judge(y[i], (double)right, serial_step<K>(&loop, x[i]), k * p->length + i);
    }
    for (int i = 0; i < p->sections * p->order && p->zf; i++)
        judge(get(p->type, c->host_zf, state_index(p, k, i)), (double)exact.z[i], loop.z[i],
              k * p->length);
}

struct verdict filter_case_verdict(const struct filter_case *c, int64_t first, int64_t last)
{
    const struct filter *p = &c->p;
    const int64_t most = p->length < 1 << 14 ? p->length : 1 << 14;
    const double by_states = 64 + growth_over(p, most) * (filter_growth(p) + 1) *
                                      (4 + sqrt((double)p->length / 34)),
                 by_largest = p->carry_in_double ? 2 + by_states * 0x1p-29 : by_states;
    auto compare = p->type == 's'  ? p->order == 2 ? compare_sequence<float, double, 2>
                                                   : compare_sequence<float, double, 0>
                    : p->order == 2 ? compare_sequence<double, long double, 2>
                                   : compare_sequence<double, long double, 0>;
    struct verdict all = {true, 0, 0, 0};
#pragma omp parallel for schedule(dynamic)
    for (int64_t k = first; k < last; k++) {
        struct verdict one = {true, 0, 0, 0};
        compare(c, k, by_largest, &one);
#pragma omp critical(filters)
        {
            all.error = fmax(all.error, one.error);
            if (one.used > all.used)
                all.used = one.used, all.worst = one.worst;
        }
    }
    all.ok = all.used <= 1;
    return all;
}
