/* See sequences.h. */
#include "sequences.h"
#include "ceiling.h"
#include "problems.h"

#include <math.h>
#include <omp.h>

/* Allocates the arrays (w0 and dw0 have bytes0 bytes) and the workspace. `pinned`: main memory from
 * which copies are fast, but which takes long to allocate. */
static void allocate(struct sequences *a, size_t bytes, size_t bytes0, size_t work_bytes,
                     bool pinned)
{
    *a = {};
    device_require("pscheme_g", (double)bytes * 6 + (double)work_bytes + ceiling_bytes(),
                   (double)bytes * 6);
    void **const device[] = {&a->s, &a->t, &a->w, &a->dw, &a->ds, &a->dt, &a->w0, &a->dw0};
    void **const host[] = {&a->host_s,  &a->host_t,  &a->host_w,  &a->host_dw,
                           &a->host_ds, &a->host_dt, &a->host_w0, &a->host_dw0};
    for (int i = 0; i < 8; i++) { /* w0 and dw0 have one element per sequence */
        size_t of_array = i < 6 ? bytes : bytes0;
        *device[i] = memory_device(&a->memory, of_array);
        *host[i] = pinned ? memory_pinned(&a->memory, of_array) : memory_host(&a->memory, of_array);
    }
    a->work = memory_device(&a->memory, work_bytes);
}

void sequences_begin(struct sequences *a, char type, int64_t n, int64_t batch)
{
    a->type = type;
    a->n = n;
    a->batch = batch;
    a->bytes = recurrence_workspace(type, n);
    CHECK(recurrence_prepare(a->work, a->bytes, 0));
}

void sequences_allocate(struct sequences *a, char type, int64_t n, int64_t batch)
{
    size_t element = (size_t)size_of(type);
    allocate(a, (size_t)(n + 4) * element, (size_t)(batch + 4) * element,
             recurrence_workspace(type, n), false);
    sequences_begin(a, type, n, batch);
}

void sequences_allocate_most(struct sequences *a, size_t bytes, int64_t batch)
{
    size_t work_bytes = 0;
    for (const char *type = "sdczhb"; *type; type++) {
        size_t of_type = recurrence_workspace(*type, (int64_t)bytes / size_of(*type));
        work_bytes = of_type > work_bytes ? of_type : work_bytes;
    }
    allocate(a, bytes + 4 * (size_t)size_of('z'), (size_t)(batch + 4) * (size_t)size_of('z'),
             work_bytes, true);
}

/* ---- inputs ---- */

static double uniform(uint64_t seed, int64_t i)
{
    struct random r = {seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)};
    return random_uniform(&r, -1, 1);
}

/* The modulus of each s is 1 - 1e-5 |u| with uniform u. A complex s has a random angle, a real s a
 * random sign. */
static void fill_s(struct sequences *a, uint64_t seed, bool constant)
{
    const char real = real_type(a->type);
    const bool complex = is_complex(a->type);
#pragma omp parallel for
    for (int64_t i = 0; i < a->n; i++) {
        double q = uniform(seed, i), modulus = 1 - 1e-5 * fabs(uniform(seed + 1, i)),
               re = copysign(modulus, q), im = 0;
        if (constant)
            re = i == 0 ? 1 - 1e-5 : (double)NAN;
        else if (complex) {
            re = modulus * (1 - q * q) / (1 + q * q);
            im = modulus * 2 * q / (1 + q * q);
        }
        put(real, a->host_s, complex ? 2 * i : i, re);
        if (complex)
            put(real, a->host_s, 2 * i + 1, im);
    }
}

void sequences_make(struct sequences *a, uint64_t seed, bool constant)
{
    const char real = real_type(a->type);
    const int64_t parts = is_complex(a->type) ? 2 : 1;
    fill_s(a, seed, constant);
#pragma omp parallel for
    for (int64_t i = 0; i < parts * a->n; i++) {
        put(real, a->host_t, i, uniform(seed + 2, i));
        put(real, a->host_dw, i, uniform(seed + 3, i));
    }
    for (int64_t i = 0; i < parts * a->batch; i++)
        put(real, a->host_w0, i, uniform(seed + 4, i));
    sequences_upload(a);
}

void sequences_make_s(struct sequences *a, uint64_t seed, bool constant)
{
    fill_s(a, seed, constant);
    device_upload(a->s, a->host_s, (size_t)a->n * (size_t)size_of(a->type));
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

void sequences_arrange(const struct recurrence *p, void *laid_out, void *contiguous, bool back)
{
    const int64_t size = size_of(p->type);
#pragma omp parallel for
    for (int64_t k = 0; k < p->batch; k++)
        for (int64_t i = 0; i < p->length; i++) {
            char *a = (char *)laid_out +
                      size * (k / p->inner * p->plane_stride + k % p->inner + i * p->row_stride),
                 *b = (char *)contiguous + size * (k * p->length + i);
            memcpy(back ? b : a, back ? a : b, (size_t)size);
        }
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

/* The numbers of the reference. R is double for single precision and long double for double. The
 * two structs have the same functions, so that real types are spared complex arithmetic. */
template <class R> struct real_number {
    typedef R real;
    R re;
};
template <class R> struct complex_number {
    typedef R real;
    R re, im;
};
template <class R>
static real_number<R> mul_add(real_number<R> s, real_number<R> x, real_number<R> t)
{
    return {s.re * x.re + t.re};
}
template <class R>
static complex_number<R> mul_add(complex_number<R> s, complex_number<R> x, complex_number<R> t)
{
    return {s.re * x.re - s.im * x.im + t.re, s.re * x.im + s.im * x.re + t.im};
}
template <class R> static real_number<R> conjugate(real_number<R> x)
{
    return x;
}
template <class R> static complex_number<R> conjugate(complex_number<R> x)
{
    return {x.re, -x.im};
}
template <class R> static real_number<R> difference_of(real_number<R> x, real_number<R> y)
{
    return {x.re - y.re};
}
template <class R> static complex_number<R> difference_of(complex_number<R> x, complex_number<R> y)
{
    return {x.re - y.re, x.im - y.im};
}
/* An element of type 'h' or 'b' */
template <char TYPE> struct half {
    uint16_t bits;
};
template <char TYPE, class R> static void read(const half<TYPE> *x, real_number<R> *to)
{
    *to = {(R)get(TYPE, x, 0)};
}
/* Reads one element; x is a pointer to its real part. */
template <class W, class R> static void read(const W *x, real_number<R> *to)
{
    *to = {x[0]};
}
template <class W, class R> static void read(const W *x, complex_number<R> *to)
{
    *to = {x[0], x[1]};
}
template <class R> static R modulus(real_number<R> x)
{
    return fabs(x.re);
}
template <class R> static R modulus(complex_number<R> x)
{
    return sqrt(x.re * x.re + x.im * x.im);
}

/* How to read one sequence from an array: W is the type of its reals, N one of the structs above.
 * Position i is the element that step i of the recurrence computes. The recurrence may run
 * backwards through the array. */
template <class W, class N> struct reader {
    /* The array index of position 0, and the distance from one position to the next */
    int64_t first, step;
};
template <class W, class N> static N element(reader<W, N> from, const void *array, int64_t i)
{
    N result;
    read((const W *)array + sizeof(N) / sizeof(typename N::real) * (from.first + i * from.step),
         &result);
    return result;
}

/* The verdict on the elements that have been compared, and the data of the rule by which they are
 * judged. */
struct judge {
    double u;
    bool biased;
    double v, least; /* of rounding a result to an element: relative error, and that of 0 */
    double most;     /* elements from here on are infinity */
    struct verdict verdict;
};

/* Updates the verdict by the difference of one element from its exact value. `bound` is the running
 * bound B of sequences.h, and `largest` is the largest modulus so far. */
static inline void judge_difference(struct judge *j, double difference, double size, double bound,
                                    double largest, int64_t steps, int64_t at)
{
    double count = (double)steps + 12, always = count * j->u * bound,
           likely = 8 * sqrt(count) * j->u * largest,
           allowed = (j->biased || always < likely ? always : likely) + j->v * size + j->least;
    if (difference == (double)INFINITY && isfinite(allowed) && size + allowed >= j->most)
        return;
    /* Divisions are slow, and nearly all elements are better than the worst so far. */
    if (difference <= j->verdict.error * bound && difference <= j->verdict.used * allowed &&
        isfinite(allowed))
        return;
    double error = difference / bound, used = difference / allowed;
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

/* Compares one element with its exact value. Passes on double, because to pass long double through
 * memory takes longer than all the rest. */
template <class N>
static void compare(struct judge *j, N got, N exact, typename N::real bound,
                    typename N::real largest, int64_t steps, int64_t at)
{
    judge_difference(j, (double)modulus(difference_of(got, exact)), (double)modulus(exact),
                     (double)bound, (double)largest, steps, at);
}

/* A sequence as it is verified: x_j = factor_j x_{j-1} + term_j for j = 0, 1, …, `length` - 1.
 * For SOLUTION, j is the position, x_{-1} is w0, and x_j is the w there. For GRADIENTS, j = 0 is
 * the last position, x_{-1} is 0, and x_j is the gradient with respect to the t there: dt_i =
 * conj(s_{i+1}) dt_{i+1} + dw_i. */
template <class W, class N> struct chain {
    const struct sequences *a;
    const struct recurrence *p;
    enum sequences_output output;
    reader<W, N> from;
    int64_t k, length; /* the number of the sequence, its elements */
    N w0;
};

/* What the steps before x_j have computed. */
template <class N> struct state {
    N x;
    typename N::real bound,
        largest; /* the running bound B of sequences.h; the largest modulus so far */
};

template <class W, class N> static state<N> first_state(const chain<W, N> *c)
{
    N x = {};
    if (c->output == SOLUTION)
        x = c->w0;
    return {x, modulus(x), modulus(x)};
}

/* Returns factor_j and term_j. factor_0 of GRADIENTS does not matter, because x_{-1} is 0. */
template <class W, class N>
static void element_of(const chain<W, N> *c, int64_t j, N *factor, N *term)
{
    if (c->output == SOLUTION) {
        *factor = c->p->constant ? element<W, N>({0, 0}, c->a->host_s, 0)
                                 : element(c->from, c->a->host_s, j);
        *term = element(c->from, c->a->host_t, j);
    } else {
        int64_t i = c->length - 1 - j;
        *factor = conjugate(element(c->from, c->a->host_s, j == 0 ? i : i + 1));
        *term = element(c->from, c->a->host_dw, i);
    }
}

template <class N> static void step(state<N> *at, N factor, N term)
{
    at->x = mul_add(factor, at->x, term);
    at->bound = modulus(factor) * at->bound + modulus(term);
    typename N::real size = modulus(at->x);
    at->largest = at->largest < size ? size : at->largest;
}

/* Compares what was computed at step j with x_j. */
template <class W, class N>
static void compare_step(struct judge *judge, const chain<W, N> *c, int64_t j, const state<N> *at)
{
    const reader<W, N> from = c->from;
    if (c->output == SOLUTION) {
        compare(judge, element(from, c->a->host_w, j), at->x, at->bound, at->largest, j + 1,
                from.first + j * from.step);
        return;
    }
    int64_t i = c->length - 1 - j, where = from.first + i * from.step;
    N zero = {}, before = conjugate(i == 0 ? c->w0 : element(from, c->a->host_w, i - 1));
    compare(judge, element(from, c->a->host_dt, i), at->x, at->bound, at->largest, j + 2, where);
    compare(judge, element(from, c->a->host_ds, i), mul_add(at->x, before, zero),
            at->bound * modulus(before), at->largest * modulus(before), j + 2, where);
    if (i == 0) { /* the gradient with respect to w0 */
        N s = conjugate(element(from, c->a->host_s, 0));
        compare(judge, element<W, N>({c->k, 1}, c->a->host_dw0, 0), mul_add(s, at->x, zero),
                at->bound * modulus(s), at->largest, c->length + 1, c->from.first);
    }
}

/* Adds the verdict on other elements to *all. Of two equally bad ones the first is the worst. */
static void add_verdict(struct verdict *all, struct verdict other)
{
    all->error = other.error > all->error ? other.error : all->error;
    if (other.used > all->used || (other.used == all->used && other.worst < all->worst)) {
        all->used = other.used;
        all->worst = other.worst;
    }
    all->ok = all->used <= 1;
}

/* A part of a sequence: consecutive steps. */
template <class N> struct part {
    N factor; /* the products of the factors and of their moduli */
    typename N::real bound_factor;
    state<N> after;  /* the state after the part if the state before it were 0 */
    state<N> before; /* the true state before the part */
};

/* Makes the steps of part k from *at on. Calls use(j, factor) after step j. */
template <class W, class N, class Use>
static void each_step(const chain<W, N> *c, int64_t k, int64_t rows, state<N> *at, Use use)
{
    for (int64_t j = k * rows; j < (k + 1) * rows && j < c->length; j++) {
        N factor, term;
        element_of(c, j, &factor, &term);
        step(at, factor, term);
        use(j, factor);
    }
}

/* Verifies a sequence in `parts` parts at the same time. This is P-scheme (W12 sec. II) in the type
 * of the reference. First each part computes its map from the state before it to the state after
 * it. Then the states before the parts follow one from the other. The largest modulus is known only
 * where x is, so each part computes its x once more before it compares. */
template <class W, class N>
static struct verdict verdict_in_parts(const chain<W, N> *c, struct judge judge, int64_t parts)
{
    const int64_t rows = (c->length + parts - 1) / parts;
    part<N> *all = (part<N> *)host_alloc("verification", parts * (int64_t)sizeof *all);
    struct verdict verdict = judge.verdict;
    all[0].before = first_state(c);
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int64_t k = 0; k < parts - 1; k++) {
        part<N> *mine = &all[k];
        mine->factor = {};
        mine->factor.re = mine->bound_factor = 1;
        mine->after = {};
        each_step(c, k, rows, &mine->after, [&](int64_t, N factor) {
            mine->factor = mul_add(factor, mine->factor, N{});
            mine->bound_factor *= modulus(factor);
        });
    }
    for (int64_t k = 0; k < parts - 1; k++) {
        const part<N> &one = all[k];
        all[k + 1].before.x = mul_add(one.factor, one.before.x, one.after.x);
        all[k + 1].before.bound = one.bound_factor * one.before.bound + one.after.bound;
    }
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int64_t k = 0; k < parts - 1; k++) {
        state<N> at = all[k].before;
        at.largest = 0;
        each_step(c, k, rows, &at, [](int64_t, N) {});
        all[k].after.largest = at.largest;
    }
    for (int64_t k = 0; k < parts - 1; k++) {
        typename N::real before = all[k].before.largest, in = all[k].after.largest;
        all[k + 1].before.largest = before < in ? in : before;
    }
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int64_t k = 0; k < parts; k++) {
        struct judge mine = judge;
        state<N> at = all[k].before;
        each_step(c, k, rows, &at, [&](int64_t j, N) { compare_step(&mine, c, j, &at); });
#pragma omp critical
        add_verdict(&verdict, mine.verdict);
    }
    free(all);
    return verdict;
}

template <class W, class N>
static struct verdict verdict_of(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, struct judge judge, int64_t k,
                                 int64_t parts)
{
    const int64_t step = a->side_by_side ? a->batch : 1;
    int64_t first = a->side_by_side ? k : k * p->length;
    chain<W, N> c = {a, p, output, {}, k, p->length, {}};
    if (a->offset) {
        const int64_t inner = p->inner > 0 ? p->inner : 1, *offset = a->offset + k / inner;
        first = k % inner * p->length + offset[0];
        c.length = offset[1] - offset[0];
    }
    c.from = {first + (p->reverse ? (c.length - 1) * step : 0), p->reverse ? -step : step};
    if (p->w0)
        c.w0 = element<W, N>({k, 1}, a->host_w0, 0);
    return verdict_in_parts(&c, judge, parts);
}

struct verdict sequences_verdict_of(const struct sequences *a, const struct recurrence *p,
                                    enum sequences_output output, bool biased, int64_t k,
                                    int64_t parts)
{
    double u = unit_roundoff(a->type) * (is_complex(a->type) ? 2 : 1);
    struct judge judge = {u, biased, 0, 0, (double)INFINITY, {true, 0, 0, INT64_MAX}};
    switch (a->type) {
    case 'h':
        judge.v = 0x1p-11, judge.least = 0x1p-25, judge.most = 65520;
        return verdict_of<half<'h'>, real_number<double>>(a, p, output, judge, k, parts);
    case 'b':
        judge.v = 0x1p-8, judge.least = 0x1p-134;
        return verdict_of<half<'b'>, real_number<double>>(a, p, output, judge, k, parts);
    case 's':
        return verdict_of<float, real_number<double>>(a, p, output, judge, k, parts);
    case 'd':
        return verdict_of<double, real_number<long double>>(a, p, output, judge, k, parts);
    case 'c':
        return verdict_of<float, complex_number<double>>(a, p, output, judge, k, parts);
    default:
        return verdict_of<double, complex_number<long double>>(a, p, output, judge, k, parts);
    }
}

/* The shortest part of a sequence that is worth a thread. */
static const int64_t SHORTEST_PART = 1 << 14;

struct verdict sequences_verdict(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, bool biased)
{
    struct verdict all = {true, 0, 0, INT64_MAX};
    int64_t cores = omp_get_max_threads(), longest = p->length / SHORTEST_PART,
            parts = p->batch >= cores || longest < 2 ? 1
                    : longest < cores                ? longest
                                                     : cores;
#pragma omp parallel for schedule(dynamic) if (parts == 1)
    for (int64_t k = 0; k < p->batch; k++) {
        struct verdict one = sequences_verdict_of(a, p, output, biased, k, parts);
#pragma omp critical(sequences)
        add_verdict(&all, one);
    }
    return all;
}
