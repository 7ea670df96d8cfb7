/* Tests of solvers/recurrence_cpu.h: solutions and gradients in all types, directions and layouts,
 * on one core and on several, in place; gradients against finite differences; sequences of
 * integers, which must be exact; NaN, infinity and overflow; and invalid arguments. Every array is
 * allocated with exactly the size it needs, so that a sanitizer detects accesses beyond its end.
 * The tests of layouts are also those of solvers/recurrence.h. Run: build/cpu/recurrence --check
 * --variant recurrence_cpu, for recurrence.h --variant one_pass. */
#include "recurrence_cpu.h"
#include "bench/recurrence_bench.h"
#include "bench/sequences.h"
#include "expect.h"
#include "problems.h"

#include <algorithm>
#include <initializer_list>
#include <math.h>

/* Arrays of the shape (outer, length, inner), with `pad` more elements in a row or, if `beside`,
 * after the planes in each row. `offset`, if not NULL, is that of packed sequences. */
struct shape {
    int64_t outer, length, inner, pad;
    bool beside;
    const int64_t *offset;
};
static int64_t batch_of(const struct shape *s)
{
    return s->outer * s->inner;
}
static struct recurrence with_layout(struct recurrence p, const struct shape *s)
{
    p.length = s->length;
    p.batch = batch_of(s);
    p.inner = s->inner;
    p.row_stride = s->beside ? s->outer * s->inner + s->pad : s->inner + s->pad;
    p.plane_stride = s->beside ? s->inner : s->length * p.row_stride;
    p.offset = s->offset;
    return p;
}
static int64_t elements_of(const struct recurrence *p)
{
    return (p->offset ? 0 : p->batch / p->inner - 1) * p->plane_stride +
           (p->length - 1) * p->row_stride + p->inner;
}
static int64_t elements_of_s(const struct recurrence *p)
{
    return p->constant == RECURRENCE_S_EACH       ? elements_of(p)
           : p->constant == RECURRENCE_S_SEQUENCE ? p->batch
           : p->constant == RECURRENCE_S_CHANNEL  ? p->inner
                                                  : 1;
}
/* Sequence k: its length, and its first element if they are contiguous. */
static int64_t length_of(const struct recurrence *p, int64_t k)
{
    const int64_t *o = p->offset, q = k / p->inner;
    return o ? o[q + 1] - o[q] : p->length;
}
static int64_t start_of(const struct recurrence *p, int64_t k)
{
    const int64_t before = p->offset ? p->offset[k / p->inner] : k / p->inner * p->length;
    return before * p->inner + k % p->inner * length_of(p, k);
}
/* As sequences_arrange(), also for packed sequences. */
static void arrange(const struct recurrence *p, void *laid_out, void *contiguous, bool back)
{
    struct recurrence part = *p;
    if (!p->offset) {
        sequences_arrange(p, laid_out, contiguous, back);
        return;
    }
    part.batch = p->inner;
    for (int64_t k = 0; k < p->batch; k += p->inner) {
        part.length = length_of(p, k);
        sequences_arrange(
            &part, (char *)laid_out + p->offset[k / p->inner] * p->row_stride * size_of(p->type),
            (char *)contiguous + start_of(p, k) * size_of(p->type), back);
    }
}
static struct verdict verdict_of(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, bool biased, int64_t k)
{
    struct sequences one = *a;
    struct recurrence q = *p;
    const int64_t size = size_of(p->type), at = start_of(p, k) * size;
    for (void **array :
         {&one.host_s, &one.host_t, &one.host_w, &one.host_dw, &one.host_ds, &one.host_dt})
        *array = (char *)*array + at;
    for (void **array : {&one.host_w0, &one.host_dw0})
        *array = (char *)*array + k * size;
    q.length = length_of(p, k);
    return sequences_verdict_of(&one, &q, output, biased, 0, 1);
}
/* The verdict on all sequences; the gradient w0 of an empty one must be 0. */
static struct verdict verdict_of_all(const struct sequences *a, const struct recurrence *p,
                                     enum sequences_output output, bool biased)
{
    if (!p->offset)
        return sequences_verdict(a, p, output, biased);
    struct verdict worst = {true, 0, 0, 0};
    for (int64_t k = 0; k < p->batch; k++) {
        const struct verdict one = verdict_of(a, p, output, biased, k);
        if (!one.ok || one.used > worst.used)
            worst = one, worst.worst = k;
        const double zero[2] = {};
        const size_t size = (size_t)size_of(a->type);
        if (length_of(p, k) == 0 && output == GRADIENTS &&
            memcmp((char *)a->host_dw0 + (size_t)k * size, zero, size) != 0)
            return {false, INFINITY, INFINITY, k};
        if (!worst.ok)
            return worst;
    }
    return worst;
}
/* Makes s constant, in all elements of host_s. Returns the elements that C gets. */
static void *repeat_s(struct memory *memory, const struct sequences *a, const struct recurrence *p)
{
    const size_t size = (size_t)size_of(p->type);
    char *s = (char *)a->host_s,
         *own = (char *)memcpy(memory_host(memory, (size_t)elements_of_s(p) * size), s,
                               (size_t)elements_of_s(p) * size);
    for (int64_t k = 0; k < p->batch; k++)
        for (int64_t i = 0; i < length_of(p, k); i++)
            memcpy(s + (size_t)(start_of(p, k) + i) * size,
                   own + (size_t)(k % elements_of_s(p)) * size, size);
    return own;
}
static const unsigned char POISON = 0x5a;
static int64_t elements_in(const struct shape *s)
{
    return s->length * (s->offset ? s->inner : batch_of(s));
}
/* An array with the layout of p. What is between the sequences is POISON, and, without
 * `contiguous`, everything is. */
static void *array_of(struct memory *memory, const struct recurrence *p, void *contiguous)
{
    const size_t bytes = (size_t)(elements_of(p) * size_of(p->type));
    void *array = memset(memory_host(memory, bytes), POISON, bytes);
    if (contiguous)
        arrange(p, array, contiguous, false);
    return array;
}
/* Copies an output to contiguous sequences. Returns the bytes between the sequences that are no
 * longer POISON. */
static int64_t take(const struct recurrence *p, void *array, void *contiguous)
{
    struct memory memory = {};
    const int64_t bytes = elements_of(p) * size_of(p->type);
    arrange(p, array, contiguous, true);
    const unsigned char *got = (unsigned char *)array,
                        *expected = (unsigned char *)array_of(&memory, p, contiguous);
    int64_t changed = 0;
    for (int64_t i = 0; i < bytes; i++)
        changed += got[i] != expected[i];
    memory_free(&memory);
    return changed;
}

/* One call and its arrays, which `number` chooses. `parts`: cores, or on the GPU blocks. */
struct trial {
    struct memory memory;
    struct recurrence p;
    bool gpu;
    void *w, *ds, *dt, *dw0;
};
/* A call on the GPU with copies of all arrays. */
static int run_on_gpu(const struct trial *t, const void *dw, int blocks)
{
    struct memory memory = {};
    const size_t size = (size_t)size_of(t->p.type), all = (size_t)elements_of(&t->p) * size,
                 heads = (size_t)t->p.batch * size;
    const struct {
        const void *host;
        size_t bytes;
    } arrays[] = {{t->p.s, (size_t)elements_of_s(&t->p) * size},
                  {t->p.t, all},
                  {t->p.w0, heads},
                  {t->p.w, all},
                  {dw, all},
                  {t->ds, all},
                  {t->dt, all},
                  {t->dw0, heads},
                  {t->p.offset, (size_t)(t->p.batch / t->p.inner + 1) * sizeof *t->p.offset}};
    void *on_gpu[9] = {};
    for (int k = 0; k < 9; k++)
        if (arrays[k].host) {
            int same = 0; /* an output that replaces an input is the same array */
            while (arrays[same].host != arrays[k].host)
                same++;
            if (same == k) {
                on_gpu[k] = memory_device(&memory, arrays[k].bytes);
                device_upload(on_gpu[k], arrays[k].host, arrays[k].bytes);
            } else
                on_gpu[k] = on_gpu[same];
        }
    struct recurrence p = t->p;
    p.s = on_gpu[0], p.t = on_gpu[1], p.w0 = on_gpu[2], p.w = on_gpu[3], p.blocks = blocks;
    p.offset = (const int64_t *)on_gpu[8];
    const size_t bytes = recurrence_workspace_of(&p);
    void *work = memory_device(&memory, bytes);
    cudaError_t error = recurrence_prepare(work, bytes, 0);
    const int calls = dw || p.w == p.s || p.w == p.t ? 1 : 2; /* with the same workspace */
    for (int k = 0; k < calls && error == cudaSuccess; k++)
        error =
            dw ? recurrence_gradient(&p, on_gpu[4], on_gpu[5], on_gpu[6], on_gpu[7], work, bytes, 0)
               : recurrence_solve(&p, work, bytes, 0);
    for (int k : {3, 5, 6, 7})
        if (arrays[k].host)
            device_download((void *)arrays[k].host, on_gpu[k], arrays[k].bytes);
    memory_free(&memory);
    return error == cudaSuccess ? 0 : -1;
}
/* Solves, or computes the gradient; the outputs may replace inputs. */
static int run(struct trial *t, struct sequences *a, bool gradient, int number, int parts)
{
    struct recurrence *p = &t->p;
    void *in = array_of(&t->memory, p, gradient ? a->host_dw : a->host_t),
         *s = p->constant ? (void *)p->s : array_of(&t->memory, p, a->host_s);
    p->s = s;
    if (!gradient) {
        p->t = in;
        p->w = number % 3 == 1                   ? in
               : number % 3 == 2 && !p->constant ? s
                                                 : array_of(&t->memory, p, NULL);
        t->w = p->w;
        return t->gpu ? run_on_gpu(t, NULL, parts) : recurrence_cpu_solve(p, parts);
    }
    t->ds = number % 2 ? s : array_of(&t->memory, p, NULL);
    t->dt = number / 2 % 2 ? in : array_of(&t->memory, p, NULL);
    t->dw0 = memory_host(&t->memory, (size_t)(p->batch * size_of(a->type)));
    p->t = NULL;
    p->w = array_of(&t->memory, p, a->host_w);
    return t->gpu ? run_on_gpu(t, in, parts)
                  : recurrence_cpu_gradient(p, in, t->ds, t->dt, t->dw0, parts);
}

static void check_case(char type, const struct shape *shape, int number, bool gpu, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct sequences a;
    sequences_allocate(&a, type, elements_in(shape), batch_of(shape));
    const int constant = number % 5 != 4 ? RECURRENCE_S_EACH : 1 + (number / 5 + number / 30) % 3;
    sequences_make(&a, seed, false);
    expect_case("%s, type %c, %lld x %lld x %lld, pad %lld%s%s, number %d: ",
                gpu ? "recurrence" : "recurrence_cpu", type, (long long)shape->outer,
                (long long)shape->length, (long long)shape->inner, (long long)shape->pad,
                shape->beside ? " beside" : "", shape->offset ? " packed" : "", number);
    struct trial one = {}, more = {};
    one.gpu = more.gpu = gpu;
    one.p = with_layout(sequences_plan(&a), shape);
    one.p.constant = constant;
    one.p.reverse = number % 2;
    one.p.w0 = number % 7 == 3 ? NULL : a.host_w0;
    if (constant)
        one.p.s = repeat_s(&one.memory, &a, &one.p);
    const size_t bytes = (size_t)(elements_of(&one.p) * size_of(type));
    for (bool gradient : {false, true}) {
        if (gradient && constant)
            continue;
        more.p = one.p;
        int status = run(&one, &a, gradient, number, 1), parts = 2 + number % 2;
        EXPECT(status == 0 && run(&more, &a, gradient, number, parts) == 0, "refused");
        int64_t changed = gradient
                              ? take(&one.p, one.ds, a.host_ds) + take(&one.p, one.dt, a.host_dt)
                              : take(&one.p, one.w, a.host_w);
        bool equal = gradient ? !memcmp(one.ds, more.ds, bytes) && !memcmp(one.dt, more.dt, bytes)
                              : !memcmp(one.w, more.w, bytes);
        if (gradient)
            memcpy(a.host_dw0, one.dw0, (size_t)(a.batch * size_of(type)));
        EXPECT(changed == 0, "%lld bytes between the sequences changed", (long long)changed);
        EXPECT(equal, "other bits on %d %s", parts, gpu ? "blocks" : "cores");
        /* with a constant s every power of it has the same rounding error again and again */
        struct recurrence expanded = one.p;
        expanded.constant = RECURRENCE_S_EACH;
        struct verdict verdict =
            verdict_of_all(&a, &expanded, gradient ? GRADIENTS : SOLUTION, constant != 0);
        EXPECT(verdict.ok, "%s: %g of what rounding allows at %lld",
               gradient ? "gradient" : "solution", verdict.used, (long long)verdict.worst);
    }
    memory_free(&one.memory);
    memory_free(&more.memory);
    memory_free(&a.memory);
    expect_case("");
}

template <int COUNT>
static void check_shapes(const struct shape (&shapes)[COUNT], bool gpu, uint64_t seed)
{
    int number = 0;
    for (const struct shape &shape : shapes)
        for (const char *type = "sdczhb"; *type; type++)
            for (int k = 0; k < 5; k++)
                check_case(*type, &shape, number++, gpu, seed);
}
static void check_all_shapes(uint64_t seed)
{
    static const struct shape shapes[] = {
        /* short sequences in the lanes; the lanes along longer ones */
        {1, 1, 1, 0, false},
        {1, 37, 1, 0, false},
        {70, 3, 1, 0, false},
        {35, 40, 1, 2, false},
        {19, 47, 1, 0, false},
        {5, 200, 1, 1, false},
        {3, 5000, 1, 0, false},
        /* rows of channels: narrow, one or two vectors, several with a rest, wide */
        {1, 50, 1, 3, false},
        {2, 31, 3, 0, false},
        {3, 100, 8, 0, false},
        {1, 300, 16, 1, false},
        {2, 40, 37, 0, false},
        {1, 30, 700, 5, false},
        {1, 7, 3000, 0, false},
        /* planes side by side */
        {6, 1, 1, 0, true},
        {9, 20, 1, 0, true},
        {5, 33, 4, 2, true},
        /* tiles */
        {1, 70000, 1, 0, false},
        {2, 140001, 1, 0, false},
        {1, 30000, 3, 0, false},
        {1, 12000, 8, 4, false},
        {1, 40000, 8, 0, false},
        {5, 9000, 8, 0, false},
        {1, 5000, 19, 0, false},
        {2, 3000, 25, 0, true},
        /* jobs for several cores, also with 16 bits */
        {3000, 40, 1, 0, false},
        {1, 300, 700, 5, false}};
    check_shapes(shapes, false, seed);
}

/* NaN or infinity in one sequence must not change the other sequences. */
static void check_neighbours(const struct shape *shape, bool gpu, uint64_t seed)
{
    struct sequences a;
    sequences_allocate(&a, 's', elements_in(shape), batch_of(shape));
    sequences_make(&a, seed, false);
    const struct recurrence p = with_layout(sequences_plan(&a), shape);
    for (int64_t k = 0; k < a.batch; k += 3)
        if (const int64_t length = length_of(&p, k), at = start_of(&p, k); length > 0) {
            ((float *)a.host_t)[at + k % length] = NAN;
            ((float *)a.host_s)[at + (k + 5) % length] = INFINITY;
        }
    for (int reverse = 0; reverse < 2; reverse++) {
        struct trial t = {};
        t.gpu = gpu;
        t.p = p;
        t.p.w0 = a.host_w0;
        t.p.reverse = reverse;
        int64_t wrong = run(&t, &a, false, 0, 2);
        take(&t.p, t.w, a.host_w);
        for (int64_t k = 0; k < a.batch; k++)
            wrong += k % 3 != 0 && !verdict_of(&a, &t.p, SOLUTION, false, k).ok;
        EXPECT(wrong == 0, "%lld of %lld sequences disturbed by their neighbours", (long long)wrong,
               (long long)a.batch);
        memory_free(&t.memory);
    }
    memory_free(&a.memory);
}

/* Packed sequences: empty, short, many of one length, and one of so many elements that all cores
 * compute it. */
static void check_all_packed(bool gpu, uint64_t seed)
{
    static int64_t offset[4][2000];
    int number = 0;
    for (int64_t inner : {1, 3, 40, 300}) {
        int64_t *o = offset[number++], count = 0;
        auto add = [&](int64_t length) { o[count + 1] = o[count] + length, count++; };
        for (int64_t length : {0, 1, 2, 0, 17, 0, 0, 1, 3})
            add(length);
        for (int k = 0; k < (inner < 40 ? 900 : 20); k++)
            add(k % 100 < 60 ? 40 : k % 11);
        add(9000 / inner);
        add(90000 / inner);
        add(300);
        add(0);
        const struct shape shapes[] = {{count, o[count], inner, 0, false, o},
                                       {count, o[count], inner, 1, false, o},
                                       {8, o[8], inner, 0, false, o}};
        check_shapes(shapes, gpu, seed);
        check_neighbours(&shapes[1], gpu, seed);
    }
}

/* ---- the gradient against finite differences ---- */

/* L = sum over the elements of Re(conj(dw_i) w_i), so dL/dw = dw, and its central difference with
 * step 1/2 in real number `part` of element `at` of an array. L is linear in every single number,
 * so the difference is exact but for rounding. */
struct sample {
    bool complex;
    int64_t n;
    const double *array[4]; /* s, t, w0, dw */
};
static long double difference_of(const struct sample *c, int array, int64_t at, int part)
{
    const int parts = c->complex ? 2 : 1;
    long double sum[2] = {};
    for (int side = 0; side < 2; side++) {
        long double w[2] = {};
        auto read = [&](int from, int64_t i, long double to[2]) {
            for (int k = 0; k < 2; k++) {
                to[k] = k < parts ? c->array[from][parts * i + k] : 0;
                if (from == array && i == at && k == part)
                    to[k] += side == 0 ? -0.5L : 0.5L;
            }
        };
        read(2, 0, w);
        for (int64_t i = 0; i < c->n; i++) {
            long double s[2], t[2], dw[2];
            read(0, i, s);
            read(1, i, t);
            read(3, i, dw);
            const long double re = s[0] * w[0] - s[1] * w[1] + t[0];
            w[1] = s[0] * w[1] + s[1] * w[0] + t[1];
            w[0] = re;
            sum[side] += dw[0] * w[0] + dw[1] * w[1];
        }
    }
    return sum[1] - sum[0];
}
static void check_differences(char type, int64_t n, uint64_t seed)
{
    struct sequences a;
    sequences_allocate(&a, type, n, 1);
    sequences_make(&a, seed, false);
    struct recurrence p = sequences_plan(&a);
    p.s = a.host_s, p.t = a.host_t, p.w0 = a.host_w0, p.w = a.host_w;
    EXPECT(recurrence_cpu_solve(&p, 1) == 0 &&
               recurrence_cpu_gradient(&p, a.host_dw, a.host_ds, a.host_dt, a.host_dw0, 1) == 0,
           "refused");
    const struct sample c = {
        is_complex(type),
        n,
        {(double *)a.host_s, (double *)a.host_t, (double *)a.host_w0, (double *)a.host_dw}};
    const void *const gradient[] = {a.host_ds, a.host_dt, a.host_dw0};
    for (int array = 0; array < 3; array++) {
        double worst = 0, largest = 0;
        const int parts = c.complex ? 2 : 1;
        for (int64_t i = 0; i < parts * (array == 2 ? 1 : n); i++) {
            const long double difference = difference_of(&c, array, i / parts, (int)(i % parts));
            const double error = fabs((double)(difference - ((const double *)gradient[array])[i]));
            worst = error <= worst ? worst : error;
            largest = fmax(largest, fabs((double)difference));
        }
        EXPECT(worst < 1e-13 * (double)n * largest,
               "type %c: the gradient differs from differences by %g of %g, array %d", type, worst,
               largest, array);
    }
    memory_free(&a.memory);
}

/* ---- numbers ---- */

enum { LONG = 150000 }; /* a sequence with tiles */
/* Solves a sequence that fill(i, &s, &t) gives, and compares each w with the serial loop by
 * same(w, serial). Returns the number of different ones. */
template <class T, class Fill, class Same>
static int64_t different(int64_t n, T w0, int cores, Fill fill, Same same)
{
    struct memory memory = {};
    T *s = (T *)memory_host(&memory, (size_t)n * sizeof *s),
      *t = (T *)memory_host(&memory, (size_t)n * sizeof *t),
      *w = (T *)memory_host(&memory, (size_t)n * sizeof *w);
    for (int64_t i = 0; i < n; i++)
        fill(i, &s[i], &t[i]);
    struct recurrence p = {.type = sizeof(T) == 4 ? 's' : 'd',
                           .length = n,
                           .batch = 1,
                           .s = s,
                           .t = t,
                           .w0 = &w0,
                           .w = w};
    int64_t wrong = recurrence_cpu_solve(&p, cores) == 0 ? 0 : n;
    T x = w0;
    for (int64_t i = 0; i < n; i++) {
        x = s[i] * x + t[i];
        wrong += !same(w[i], x);
    }
    memory_free(&memory);
    return wrong;
}
static void check_numbers(uint64_t seed)
{
    auto equal = [](auto a, auto b) { return a == b || (isnan(a) && isnan(b)); };
    struct random r = {seed};
    for (int64_t n : {(int64_t)1000, (int64_t)LONG}) {
        /* at most three 2s between two zeros of s, so |w| < 2^53 */
        auto integers = [&](int64_t i, double *s, double *t) {
            *s = i % 16 == 0 ? 0 : i % 5 == 0 ? 2 : random_bits(&r) % 2 ? 1 : -1;
            *t = (double)(random_bits(&r) % (1 << 20)) - (1 << 19);
        };
        auto special = [&](int64_t i, double *s, double *t) { /* s = 1: no product overflows */
                                                              *s = 1;
                                                              *t = i == n * 4 / 9   ? INFINITY
                                                                   : i == n * 5 / 9 ? -INFINITY
                                                                   : i == n - 9     ? NAN
                                                                                    : 1;
        };
        /* products of 200 s are infinite, but not those of 32, and w is finite */
        auto powers = [&](int64_t i, float *s, float *t) {
            const int64_t at = i % 8192;
            *s = at >= 100 && at < 300 ? 2 : at >= 300 && at < 500 ? 0.5f : 1;
            *t = 0;
        };
        /* the product is infinite inside a tile, but not at its end */
        auto peaks = [](int64_t i, float *s, float *t) {
            const int64_t at = i % 8192;
            *s = at >= 100 && at < 228 ? 2 : at == 228 || at == 229 ? 0x1p-64f : 1;
            *t = 0;
        };
        for (int cores = 1; cores <= 3; cores += 2) {
            EXPECT(different(n, 0x1p-100f, cores, peaks, equal) == 0, "a product peaks");
            EXPECT(different(n, 7.0, cores, integers, equal) == 0, "integers are not exact");
            EXPECT(different(n, 0.0, cores, special, equal) == 0, "NaN and infinity spread");
            EXPECT(different(n, 0x1p-100f, cores, powers, equal) == 0, "long products overflow");
        }
    }
}

/* Types of 16 bits: each of their numbers plus -0, and plus another one, must be rounded as put()
 * does. */
static void check_rounding(char type, bool gpu, int64_t inner)
{
    enum { ALL = 1 << 16 };
    static uint16_t s[ALL], t[ALL], w0[ALL], w[ALL];
    const struct shape shape = {ALL / inner, 1, inner, 0, false};
    struct trial trial = {};
    trial.p = {.type = type, .s = s, .t = t, .w0 = w0, .w = w};
    trial.p = with_layout(trial.p, &shape);
    for (bool sum : {false, true}) {
        for (int i = 0; i < ALL; i++) {
            put(type, s, i, 1);
            w0[i] = (uint16_t)i;
            t[i] = sum ? (uint16_t)(40503u * (unsigned)i) : 0x8000;
        }
        const int status = gpu ? run_on_gpu(&trial, NULL, 0) : recurrence_cpu_solve(&trial.p, 2);
        int wrong = status == 0 ? 0 : ALL;
        for (int i = 0; i < ALL; i++) {
            const float exact = (float)get(type, w0, i) + (float)get(type, t, i);
            uint16_t expected;
            put(type, &expected, 0, exact);
            wrong += isnan(exact) ? !isnan(get(type, w, i)) : w[i] != expected;
        }
        EXPECT(wrong == 0, "%s, type %c, inner %lld: %d numbers are rounded in another way",
               gpu ? "recurrence" : "recurrence_cpu", type, (long long)inner, wrong);
    }
}
/* What goes on from element to element is not rounded: sums of 1 are exact beyond the 2^11 or 2^8
 * that the type has, and over many blocks. */
static void check_unrounded(char type)
{
    enum { N = 30000 };
    static uint16_t s[N], t[N], w[N], ds[N], dt[N];
    uint16_t expected, dw0;
    for (int i = 0; i < N; i++) {
        put(type, s, i, 1);
        put(type, t, i, i % 2);
    }
    const struct recurrence p = {.type = type, .length = N, .batch = 1, .s = s, .t = t, .w = w};
    int wrong = recurrence_cpu_solve(&p, 1) == 0 ? 0 : N;
    wrong += recurrence_cpu_gradient(&p, t, ds, dt, &dw0, 1) == 0 ? 0 : N;
    for (int i = 0; i < N; i++) {
        put(type, &expected, 0, (i + 1) / 2);
        wrong += w[i] != expected;
        put(type, &expected, 0, N / 2 - i / 2);
        wrong += dt[i] != expected;
    }
    wrong += dw0 != dt[0];
    EXPECT(wrong == 0, "type %c: %d sums of 1 are wrong", type, wrong);
}

/* ---- arguments ---- */

static void check_arguments(char type)
{
    enum { N = 24 };
    const size_t size = (size_t)size_of(type), real = is_complex(type) ? size / 2 : size;
    struct memory memory = {};
    char *all = (char *)memset(memory_host(&memory, 12 * N * size), POISON, 12 * N * size);
    auto at = [&](double array) { return (void *)(all + (size_t)(array * N) * size); };
    struct recurrence p = {
        .type = type, .length = N / 4, .batch = 4, .s = at(0), .t = at(1), .w0 = at(2), .w = at(3)};
    const void *dw = at(4);
    void *ds = at(5), *dt = at(6), *dw0 = at(7);
    int cores = 1;
    auto solve = [&] { return recurrence_cpu_solve(&p, cores); };
    auto gradient = [&] { return recurrence_cpu_gradient(&p, dw, ds, dt, dw0, cores); };
    /* EXPECT_REFUSED is for statuses of CUDA */
    auto refused = [](int status) { return status == -1 ? cudaErrorInvalidValue : cudaSuccess; };
#define REFUSED(change)         EXPECT_REFUSED(p, change, refused(solve()))
#define NO_GRADIENT(of, change) EXPECT_REFUSED(of, change, refused(gradient()))
    REFUSED(p.type = 'x');
    REFUSED(p.length = -1);
    REFUSED(p.batch = -1);
    REFUSED((p.length = INT64_MAX, p.batch = 2));
    REFUSED((p.length = 0, p.inner = -1));
    REFUSED(p.inner = 3);
    REFUSED((p.inner = 2, p.row_stride = 1));
    REFUSED((p.inner = 2, p.row_stride = 3, p.plane_stride = 3));
    REFUSED(p.plane_stride = N / 4 - 1);
    REFUSED(p.row_stride = INT64_MAX / 4);
    REFUSED(p.plane_stride = INT64_MAX / 4);
    REFUSED(p.constant = -1);
    REFUSED(p.constant = RECURRENCE_S_CHANNEL + 1);
    const int64_t descends[] = {0, 4, 2, 6, 6}, begins[] = {1, 2, 3, 4, 6},
                  ends[] = {0, 1, 2, 3, 5}, none[] = {0, 0};
    int64_t good[2 * N] = {0, 1, 2, 3, 6};
    REFUSED(p.offset = descends);
    REFUSED(p.offset = begins);
    REFUSED(p.offset = ends);
    REFUSED((p.batch = 0, p.offset = ends));
    REFUSED((p.inner = 3, p.offset = good));
    REFUSED(p.offset = (const int64_t *)((const char *)good + 1));
    REFUSED((p.offset = good, p.w = good));
    REFUSED(p.w = at(0.5));
    REFUSED(p.w = at(1.5));
    REFUSED(p.w = at(2));
    REFUSED((p.constant = 1, p.w = at(0)));
    REFUSED((p.batch = p.inner = 2, p.row_stride = 4, p.w = (char *)p.t + size));
    EXPECT_REFUSED(cores, cores = 0, refused(solve()));
    NO_GRADIENT(p, p.constant = 1);
    NO_GRADIENT(ds, ds = at(4));
    NO_GRADIENT(ds, ds = at(6));
    NO_GRADIENT(ds, ds = at(3));
    NO_GRADIENT(ds, ds = at(0.5));
    NO_GRADIENT(dt, dt = at(0));
    NO_GRADIENT(dt, dt = at(3));
    NO_GRADIENT(dt, dt = at(2));
    NO_GRADIENT(dw0, dw0 = at(2));
    NO_GRADIENT(dw0, dw0 = at(6.5));
    p.offset = good;
    NO_GRADIENT(dw0, dw0 = good);
    p.offset = NULL;
    struct expect_pointer of_solve[] = {EXPECT_POINTER(p.s, real), EXPECT_POINTER(p.t, real),
                                        EXPECT_POINTER(p.w, real),
                                        EXPECT_POINTER_OR_NULL(p.w0, real)},
                          of_gradient[] = {EXPECT_POINTER(dw, real), EXPECT_POINTER(ds, real),
                                           EXPECT_POINTER(dt, real), EXPECT_POINTER(p.w, real),
                                           EXPECT_POINTER_OR_NULL(dw0, real)};
    EXPECT_POINTERS(of_solve, solve(), -1);
    EXPECT_POINTERS(of_gradient, gradient(), -1);
    EXPECT(recurrence_cpu_solve(NULL, 1) == -1 &&
               recurrence_cpu_gradient(NULL, dw, ds, dt, dw0, 1) == -1,
           "no struct");
    const unsigned char *bytes = (unsigned char *)all;
    EXPECT(std::count(bytes, bytes + 12 * N * size, POISON) == (int64_t)(12 * N * size),
           "type %c: a refused call wrote", type);
    /* outputs between the elements of an input, and what a call does not use */
    p.batch = p.inner = 2, p.row_stride = 4, p.w = (char *)p.t + 2 * size;
    EXPECT(solve() == 0, "w between the elements of t");
    p.t = NULL, p.w = at(3), dw0 = NULL;
    EXPECT(gradient() == 0, "no t, no dw0");
    p = {.type = type, .batch = 1};
    dw = NULL, ds = NULL, dt = NULL;
    EXPECT(solve() == 0 && gradient() == 0, "length 0 needs no arrays");
    p.offset = none, dw0 = at(7), cores = 2;
    EXPECT(solve() == 0 && gradient() == 0 && get(type, dw0, 0) == 0, "an empty packed sequence");
    p.batch = 0;
    EXPECT(solve() == 0 && gradient() == 0, "no packed sequences");
    memory_free(&memory);
}

void recurrence_cpu_check(uint64_t seed)
{
    check_all_shapes(seed);
    check_all_packed(false, seed);
    for (char type : {'d', 'z'})
        for (int64_t n : {(int64_t)1, (int64_t)7, (int64_t)60})
            check_differences(type, n, seed);
    check_numbers(seed);
    for (char type : {'h', 'b'}) {
        check_rounding(type, false, 1);
        check_unrounded(type);
    }
    for (const struct shape &shape : {shape{500, 37, 1, 0, false}, shape{40, 300, 1, 0, false},
                                      shape{2, 60, 45, 0, false}, shape{1, 4000, 20, 0, false}})
        check_neighbours(&shape, false, seed);
    for (const char *type = "sdczhb"; *type; type++)
        check_arguments(*type);
}

void recurrence_layouts_check(uint64_t seed)
{
    static const struct shape shapes[] = {{1, 1, 1, 3, false},
                                          {1, 1, 40, 0, false},
                                          {7, 16, 33, 0, false},
                                          {3, 17, 100, 5, false},
                                          {5, 65, 31, 0, true},
                                          {64, 50, 1, 0, true},
                                          {8, 50, 3, 0, true},
                                          {1, 129, 257, 1, false},
                                          {2, 1000, 64, 0, false},
                                          {2, 300, 3, 0, false},
                                          {9, 40, 5, 0, false},
                                          {50, 20, 2, 0, false},
                                          {9, 40, 5, 2, false},
                                          {70, 33, 1, 1, false},
                                          {3, 5000, 1, 7, false},
                                          /* several tiles */
                                          {1, 9000, 40, 0, false},
                                          {1, 4100, 32, 0, false},
                                          {3, 20000, 4, 0, false},
                                          /* spans of spans */
                                          {1, 70000, 17, 0, false},
                                          {2, 40000, 1, 1, true}};
    check_shapes(shapes, true, seed);
    check_all_packed(true, seed);
    for (char type : {'h', 'b'})
        for (int64_t inner : {1, 1 << 16})
            check_rounding(type, true, inner);
    for (const struct shape &shape : {shape{2, 60, 45, 0, false}, shape{3, 5000, 2, 0, false}})
        check_neighbours(&shape, true, seed);
#ifndef __CUDACC__ /* in other orders */
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        check_case('s', &shapes[15], 2, true, seed);
        check_case('z', &shapes[13], 5, true, seed);
    }
    cpu_device_shuffle(0);
#endif
}
