/* Tests of solvers/recurrence.h: solutions and gradients in all types, in both directions, by all
 * methods of enum recurrence_carry, with different numbers of blocks and many shapes. Also tested:
 * sequences of integers, which must be exact; NaN and infinity; invalid arguments, which must be
 * refused; and the replay of a CUDA graph. Run: build/cpu/recurrence --check. */
#include "bench/recurrence_bench.h"
#include "bench/sequences.h"
#include "expect.h"
#include "problems.h"
#include "test/replay.h"

#include <initializer_list>
#include <math.h>

static const unsigned char POISON = 0x5a;

/* Allocates and fills `batch` sequences of `length` elements. Returns the struct that solves
 * them. */
static struct recurrence start(struct sequences *a, char type, int64_t length, int64_t batch,
                               uint64_t seed, bool constant)
{
    sequences_allocate(a, type, length * batch, batch);
    sequences_make(a, seed, constant);
    return sequences_plan(a);
}

/* Moves the pointers s, t and w by 0 to 3 elements each, depending on `offset`, so that the arrays
 * begin at different distances from a multiple of 16 bytes. */
static void shift(struct sequences *a, struct recurrence *p, int64_t offset)
{
    size_t element = (size_t)size_of(a->type), bytes = (size_t)a->n * element;
    p->s = (char *)a->s + offset % 3 * (int64_t)element;
    p->t = (char *)a->t + (offset + 1) % 3 * (int64_t)element;
    p->w = (char *)a->w + offset % 4 * (int64_t)element;
    device_upload((void *)p->s, a->host_s, bytes);
    device_upload((void *)p->t, a->host_t, bytes);
}

/* Tests `batch` sequences of `length` elements. `number` selects the direction, the carry method,
 * the number of blocks, the alignment and whether s is constant. */
static void check_case(char type, int64_t length, int64_t batch, uint64_t seed, int number)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct sequences a;
    bool constant = number % 5 == 4;
    struct recurrence p = start(&a, type, length, batch, seed, constant);
    size_t bytes = (size_t)(a.n * size_of(type));
    p.constant = constant;
    p.reverse = number % 2;
    p.carry = (enum recurrence_carry)(number % 3);
    p.blocks = number % 4;
    if (number % 7 == 3)
        shift(&a, &p, number);
    if (number % 11 == 5)
        p.w0 = NULL;
    auto expect = [&](const char *what, struct verdict verdict) {
        EXPECT(verdict.ok,
               "%s, type %c, %lld x %lld, number %d: %g of what rounding allows at %lld", what,
               type, (long long)batch, (long long)length, number, verdict.used,
               (long long)verdict.worst);
    };
    expect("solution", sequences_solve(&a, &p));
    void *first = memory_host(&a.memory, bytes);
    memcpy(first, a.host_w, bytes);
    p.blocks = (number + 1) % 4;
    sequences_solve(&a, &p);
    EXPECT(memcmp(first, a.host_w, bytes) == 0,
           "type %c, %lld x %lld, number %d: other bits on %d blocks", type, (long long)batch,
           (long long)length, number, p.blocks);
    if (!constant) {
        expect("gradient", sequences_gradient(&a, &p));
        p.w = a.t; /* w replaces t; the workspace has just been used by the gradient */
        p.s = a.s;
        p.t = a.t;
        sequences_upload(&a);
        expect("in place", sequences_solve(&a, &p));
    }
    memory_free(&a.memory);
}

static void check_shapes(uint64_t seed, bool all)
{
    static const int64_t shapes[][2] = {
        {1, 1},      {2, 1},     {37, 1},    {1000, 1},  {9216, 1}, {9217, 1},
        {30001, 1},  {1, 4000},  {3, 1000},  {3072, 1},  {3073, 1}, {36, 300},
        {100, 97},   {4096, 5},  {5000, 7},  {2304, 9},  {1152, 8}, {18432, 2},
        {100003, 1}, {17408, 3}, {5120, 11}, {80000, 1},
    };
    /* These sequences have more tiles than the look-back method accepts, or more tiles than a GPU
     * can process at the same time. */
    static const int64_t large[][2] = {{3000000, 1}, {5000000, 1}, {1 << 20, 9}, {1000, 9000}};
    int number = 0;
    for (const int64_t *shape : shapes)
        for (const char *type = "sdczhb"; *type; type++)
            for (int k = 0; k < (all ? 6 : 2); k++)
                check_case(*type, shape[0], shape[1], seed, number++);
    for (const int64_t *shape : large)
        for (const char *type = "sdczhb"; all && *type; type++) {
            int k = number++; /* k % 3 == 1 selects look-back, which refuses so many tiles */
            check_case(*type, shape[0], shape[1], seed, k % 3 == 1 ? k + 1 : k);
        }
}

/* Repeats some cases while the CPU device starts blocks and resumes threads in a shuffled order. */
static void check_orders(uint64_t seed)
{
#ifndef __CUDACC__
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        check_case('z', 30001, 1, seed, 2);
        check_case('z', 700, 45, seed, 5);
        check_case('s', 100003, 1, seed, 8);
    }
    cpu_device_shuffle(0);
#else
    (void)seed;
#endif
}

/* Solves one sequence with the given s, t and w0, rounded to the type of a. Stores the result in
 * w. */
static void solve_given(struct sequences *a, const double *s, const double *t, double w0, double *w)
{
    for (int64_t i = 0; i < a->n; i++) {
        put(a->type, a->host_s, i, s[i]);
        put(a->type, a->host_t, i, t[i]);
    }
    put(a->type, a->host_w0, 0, w0);
    sequences_upload(a);
    struct recurrence p = sequences_plan(a);
    CHECK(recurrence_solve(&p, a->work, a->bytes, 0));
    device_download(a->host_w, a->w, (size_t)(a->n * size_of(a->type)));
    for (int64_t i = 0; i < a->n; i++)
        w[i] = get(a->type, a->host_w, i);
}

/* Sequences of integers must be exact. NaN and infinity must appear at the same elements as in the
 * serial loop. */
static void check_numbers(uint64_t seed)
{
    enum { N = 20000 };
    static double s[N], t[N], w[N];
    struct random r = {seed};
    struct sequences a;
    start(&a, 'd', N, 1, seed, false);
    for (int i = 0; i < N; i++) { /* at most three 2s between two zeros of s, so |w| < 2^53 */
        s[i] = i % 16 == 0 ? 0 : i % 5 == 0 ? 2 : random_bits(&r) % 2 ? 1 : -1;
        t[i] = (double)(random_bits(&r) % (1 << 20)) - (1 << 19);
    }
    solve_given(&a, s, t, 7, w);
    double x = 7;
    int64_t wrong = 0;
    for (int i = 0; i < N; i++) {
        x = s[i] * x + t[i];
        wrong += !(w[i] == x);
    }
    EXPECT(wrong == 0, "%lld integers of %d are not exact", (long long)wrong, N);

    /* The following tests use s = 1, so no product of s overflows or underflows. */
    for (int i = 0; i < N; i++)
        s[i] = 1, t[i] = i == 5000 ? NAN : 1;
    solve_given(&a, s, t, 0, w);
    EXPECT(w[4999] == 5000 && isnan(w[5000]) && isnan(w[N - 1]), "NaN: %g %g %g", w[4999], w[5000],
           w[N - 1]);
    for (int i = 0; i < N; i++)
        t[i] = i == 9000 ? INFINITY : i == 12000 ? -INFINITY : 1;
    solve_given(&a, s, t, 0, w);
    EXPECT(w[8999] == 9000 && w[9000] == INFINITY && w[11999] == INFINITY && isnan(w[12000]),
           "infinity: %g %g %g %g", w[8999], w[9000], w[11999], w[12000]);
    memory_free(&a.memory);
}

/* If a product of s overflows, the result may differ from that of the serial loop
 * (recurrence.h). */
static void check_overflow(uint64_t seed)
{
    static const double large[] = {1e30, 1e30, 1e-30, 1e-30}, none[] = {0, 0, 0, 0};
    double s[200], t[200] = {}, w[200];
    struct sequences a;
    start(&a, 's', 4, 1, seed, false);
    solve_given(&a, large, none, 1e-30, w);
    /* All four elements belong to the first thread. It steps through them as the serial loop does,
     * so the result is right although 1e30 * 1e30 overflows. */
    EXPECT(fabs(w[3] - 1e-30) < 1e-36, "1e30, 1e30, 1e-30, 1e-30 in one thread: %g", w[3]);
    memory_free(&a.memory);
    /* All threads but the first multiply their s before they know the w in front of their first
     * element. Here the product 1e30 * 1e30 is infinite in single precision. */
    for (int i = 0; i < 200; i++)
        s[i] = i >= 100 && i < 104 ? large[i - 100] : 1;
    for (char type : {'s', 'd'}) {
        start(&a, type, 200, 1, seed, false);
        solve_given(&a, s, t, 1e-30, w);
        EXPECT(fabs(w[103] / 1e-30 - 1) < 1e-6 &&
                   (fabs(w[199] / 1e-30 - 1) < 1e-6) == (type == 'd'),
               "type %c, products that overflow: %g, then %g", type, w[103], w[199]);
        memory_free(&a.memory);
    }
}

/* NaN or infinity in one sequence must not change the other sequences. */
static void check_neighbours(uint64_t seed)
{
    enum { LENGTH = 37, BATCH = 501 };
    for (int reverse = 0; reverse < 2; reverse++) {
        struct sequences a;
        struct recurrence p = start(&a, 's', LENGTH, BATCH, seed, false);
        float *s = (float *)a.host_s, *t = (float *)a.host_t;
        for (int b = 0; b < BATCH; b += 3) {
            t[b * LENGTH + b % LENGTH] = NAN;
            s[b * LENGTH + (b + 5) % LENGTH] = INFINITY;
        }
        sequences_upload(&a);
        p.reverse = reverse;
        sequences_solve(&a, &p);
        int64_t wrong = 0;
        for (int b = 0; b < BATCH; b++)
            wrong += b % 3 != 0 && !sequences_verdict_of(&a, &p, SOLUTION, false, b, 1).ok;
        EXPECT(wrong == 0, "%lld sequences disturbed by their neighbours", (long long)wrong);
        memory_free(&a.memory);
    }
}

/* Calls with an invalid argument must be refused and write nothing. */
static void check_refused(struct sequences *a, struct recurrence p)
{
    const size_t element = (size_t)size_of(a->type), bytes = 100 * element;
    const struct {
        void *array;
        size_t bytes;
    } outputs[] = {
        {a->w, bytes}, {a->ds, bytes}, {a->dt, bytes}, {a->dw0, element}, {a->work, a->bytes}};
    for (const auto &output : outputs)
        CHECK(cudaMemset(output.array, POISON, output.bytes));
    const void *dw = a->dw;
    void *ds = a->ds, *dt = a->dt, *dw0 = a->dw0, *work = a->work;
    auto solve = [&] { return recurrence_solve(&p, work, a->bytes, 0); };
    auto gradient = [&] { return recurrence_gradient(&p, dw, ds, dt, dw0, work, a->bytes, 0); };
    EXPECT_REFUSED(p, p.type = 'x', solve());
    EXPECT_REFUSED(p, p.length = -1, solve());
    EXPECT_REFUSED(p, p.batch = -1, solve());
    EXPECT_REFUSED(p, p.blocks = -1, solve());
    EXPECT_REFUSED(p, p.inner = 3, solve());
    EXPECT_REFUSED(p, p.row_stride = -1, solve());
    EXPECT_REFUSED(p, p.plane_stride = -1, solve());
    EXPECT_REFUSED(p, (p.length = INT64_MAX, p.batch = 2), solve());
    EXPECT_REFUSED(p, p.length = 1 << 30, solve()); /* the workspace is too small for this length */
    EXPECT_REFUSED(p, p.carry = (enum recurrence_carry)3, solve());
    EXPECT_REFUSED(p, p.constant = 1, gradient());
    EXPECT_REFUSED(a->bytes, a->bytes--, solve());
    struct expect_pointer workspace[] = {EXPECT_POINTER(work, 16)};
    EXPECT_POINTERS(workspace, recurrence_prepare(work, a->bytes, 0), cudaErrorInvalidValue);
    EXPECT(recurrence_prepare(NULL, 0, 0) == cudaErrorInvalidValue, "no workspace of no bytes");
    struct expect_pointer inputs[] = {EXPECT_POINTER(p.s, element), EXPECT_POINTER(p.w, element),
                                      EXPECT_POINTER_OR_NULL(p.w0, element),
                                      EXPECT_POINTER(work, 16)},
                          t[] = {EXPECT_POINTER(p.t, element)},
                          of_gradient[] = {EXPECT_POINTER(dw, element), EXPECT_POINTER(ds, element),
                                           EXPECT_POINTER(dt, element),
                                           EXPECT_POINTER_OR_NULL(dw0, element)};
    for (p.constant = 1; p.constant >= 0; p.constant--) {
        EXPECT_POINTERS(inputs, solve(), cudaErrorInvalidValue);
        EXPECT_POINTERS(t, solve(), cudaErrorInvalidValue);
    }
    p.constant = 0;
    EXPECT_POINTERS(inputs, gradient(), cudaErrorInvalidValue);
    EXPECT_POINTERS(of_gradient, gradient(), cudaErrorInvalidValue);
    for (const auto &output : outputs)
        EXPECT(device_holds(output.array, POISON, output.bytes), "type %c: a refused call wrote",
               a->type);
}
static void check_arguments(char type, uint64_t seed)
{
    struct sequences a;
    struct recurrence p = start(&a, type, 100, 1, seed, false);
    check_refused(&a, p);
    EXPECT(recurrence_workspace('x', 10) == 0 && recurrence_workspace(type, -1) == 0, "workspace");
    EXPECT(recurrence_workspace_of(&p) == recurrence_workspace(type, 100), "the same workspace");
    p.inner = 3;
    EXPECT(recurrence_workspace_of(&p) == 0 && recurrence_workspace_of(NULL) == 0, "workspace");
    p.inner = 0;
    EXPECT(recurrence_solve(NULL, a.work, a.bytes, 0) == cudaErrorInvalidValue &&
               recurrence_gradient(NULL, a.dw, a.ds, a.dt, NULL, a.work, a.bytes, 0) ==
                   cudaErrorInvalidValue,
           "no struct");
    CHECK(recurrence_prepare(a.work, a.bytes, 0));
    p.w0 = NULL;
    EXPECT(recurrence_solve(&p, a.work, a.bytes, 0) == cudaSuccess, "type %c: no w0", type);
    p.t = (char *)a.t + size_of(type) / 2;
    EXPECT(recurrence_gradient(&p, a.dw, a.ds, a.dt, NULL, a.work, a.bytes, 0) == cudaSuccess,
           "type %c: no dw0, and a t that is not used", type);
    p = {.type = type, .batch = 1};
    EXPECT(recurrence_solve(&p, NULL, 0, 0) == cudaSuccess &&
               recurrence_gradient(&p, NULL, NULL, NULL, NULL, NULL, 0, 0) == cudaSuccess,
           "type %c: n = 0 needs no arrays", type);
    CHECK(cudaDeviceSynchronize());
    memory_free(&a.memory);
}

/* Tests the verification: the verdict must not depend on the number of parts, and must reject a
 * result with one wrong element, wherever it is. One sequence: it must name that element. */
static void check_verdict(char type, int64_t batch, bool reverse, bool side_by_side, uint64_t seed)
{
    const int64_t n = 1000, element = is_complex(type) ? 2 : 1;
    const char real = real_type(type);
    struct sequences a;
    struct recurrence p = start(&a, type, n / batch, batch, seed, false);
    p.reverse = reverse;
    p.inner = side_by_side ? batch : 1;
    a.side_by_side = side_by_side;
    sequences_solve(&a, &p);
    sequences_gradient(&a, &p);
    const struct {
        void *result;
        enum sequences_output output;
    } results[] = {{a.host_w, SOLUTION}, {a.host_ds, GRADIENTS}, {a.host_dt, GRADIENTS}};
    for (const auto &r : results)
        for (int64_t parts = 1; parts <= (batch > 1 ? 1 : n); parts = 3 * parts + 1) {
            auto verdict = [&](int64_t in) {
                return batch > 1 ? sequences_verdict(&a, &p, r.output, false)
                                 : sequences_verdict_of(&a, &p, r.output, false, 0, in);
            };
            struct verdict one = verdict(1), several = verdict(parts);
            EXPECT(one.ok && several.ok && fabs(several.used - one.used) <= 0.01 * one.used,
                   "type %c, %lld parts: %g of what is allowed, not %g", type, (long long)parts,
                   several.used, one.used);
            for (int64_t i = 0; i < n; i += 37) {
                const double right = get(real, r.result, element * i);
                for (double wrong :
                     {right + (batch > 1 ? 1e-3 : 1), (double)NAN, (double)INFINITY}) {
                    put(real, r.result, element * i, wrong);
                    several = verdict(parts);
                    EXPECT(!several.ok && (batch > 1 || several.worst == i),
                           "type %c, %lld parts: %g instead of %g, element %lld, not %lld", type,
                           (long long)parts, wrong, right, (long long)i, (long long)several.worst);
                }
                put(real, r.result, element * i, right);
            }
        }
    memory_free(&a.memory);
}

/* Captures solution and gradient in a CUDA graph and replays it. */
static void check_graph(uint64_t seed)
{
    struct sequences a;
    struct recurrence p = start(&a, 'd', device_is_cpu() ? 30001 : 1000003, 1, seed, false);
    const size_t bytes = (size_t)a.n * sizeof(double);
    auto work = [&](cudaStream_t stream) {
        cudaError_t error = recurrence_solve(&p, a.work, a.bytes, stream);
        return error ? error
                     : recurrence_gradient(&p, a.dw, a.ds, a.dt, a.dw0, a.work, a.bytes, stream);
    };
    auto after = [&](int k) {
        device_download(a.host_w, a.w, bytes);
        device_download(a.host_ds, a.ds, bytes);
        device_download(a.host_dt, a.dt, bytes);
        device_download(a.host_dw0, a.dw0, sizeof(double));
        EXPECT(sequences_verdict(&a, &p, SOLUTION, false).ok &&
                   sequences_verdict(&a, &p, GRADIENTS, false).ok,
               "replay %d of a graph", k);
    };
    replay(
        3, work, [&](int) { device_poison(a.w, bytes); }, after);
    memory_free(&a.memory);
}

/* Solves a sequence of more than 2^31 elements, on a GPU that has enough memory. */
static void check_long(uint64_t seed)
{
    int64_t n = (INT64_C(1) << 31) + 5;
    if (device_is_cpu() || !device_fits(7.0 * 4 * (double)n, 6.0 * 4 * (double)n))
        return;
    struct sequences a;
    struct recurrence p = start(&a, 's', n, 1, seed, false);
    EXPECT(sequences_solve(&a, &p).ok, "n = 2^31 + 5");
    memory_free(&a.memory);
}

void recurrence_check(uint64_t seed, bool all)
{
    check_shapes(seed, all);
    recurrence_layouts_check(seed);
    if (all)
        check_long(seed);
    check_orders(seed);
    for (const char *type = "sdczh"; *type; type++) /* with 8 bits 1 more is no error */
        check_verdict(*type, 1, *type == 'd' || *type == 'c', false, seed);
    check_verdict('s', 10, false, false, seed);
    check_verdict('s', 10, true, true, seed);
    check_graph(seed);
    check_numbers(seed);
    check_overflow(seed);
    check_neighbours(seed);
    for (const char *type = "sdczhb"; *type; type++)
        check_arguments(*type, seed);
}
