/* Tests of solvers/filter.h: all orders and numbers of sections, lengths around the boundaries of
 * threads, warps, tiles and spans, batches, alignments, in place, initial and final states, poles
 * close to the unit circle. Also tested: that the bits of a sequence do not depend on the batch;
 * NaN and infinity; invalid arguments and unstable filters, which must be refused; and the replay
 * of a CUDA graph. Run: build/cpu/filter --check. */
#include "test/filter_test.h"
#include "test/replay.h"

static void expect_ok(const char *what, const struct filter *p, struct verdict v)
{
    EXPECT(v.ok, "%s, type %c%s, %lld x %lld, %d of order %d: %g of what is allowed at %lld", what,
           p->type, p->carry_in_double ? " in double" : "", (long long)p->batch,
           (long long)p->length, p->sections, p->order, v.used, (long long)v.worst);
}

/* `number` selects the alignment, whether y replaces x, and which states are given. */
static void check_case(struct filter p, uint64_t seed, int number)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct filter_case c;
    begin_case(&c, p, seed + (uint64_t)number);
    const int64_t element = size_of(p.type);
    if (number % 5 == 1)
        c.p.x = (char *)c.x + number % 4 * element;
    if (number % 5 < 3)
        c.p.y = (char *)c.y + number % 3 * element;
    if (number % 4 == 1)
        c.p.y = (void *)c.p.x;
    if (number % 7 == 2)
        c.p.zi = NULL;
    if (number % 6 == 1)
        c.p.zf = c.zi;
    filter_case_upload(&c);
    expect_ok("filter", &c.p, filter_case_solve(&c));
    memory_free(&c.memory);
}
static void check_shapes(uint64_t seed)
{
    each_shape({1,    2,    65,   66,   67,   131,  132,   133,   264,   2111,  2112,  2113,
                4223, 4224, 4225, 8447, 8448, 8449, 16895, 16896, 16897, 33792, 60001, 100000},
               {1, 3, 2, 40}, 7, [&](struct filter p, int number) { check_case(p, seed, number); });
}

/* Sequences of several spans of tiles */
static void check_spans(uint64_t seed, bool all)
{
    for (const struct filter &mode : modes) {
        struct filter_case c;
        const int64_t length = expect_few ? 1200000 : mode.type == 's' ? 2500000 : 1300000;
        filter_case_begin(&c, with(mode, length, all ? 5 : 1, 1, 2), 1 - 1e-6, seed);
        expect_ok("spans", &c.p, filter_case_solve(&c));
        memory_free(&c.memory);
        if (expect_few)
            return;
    }
}

/* Repeats some cases while the CPU device starts blocks and resumes threads in a shuffled order. */
static void check_orders(uint64_t seed)
{
#ifndef __CUDACC__
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        check_case(with(modes[0], 200000, 1, 4, 2), seed, 3);
        check_case(with(modes[2], 30000, 5, 1, 8), seed, 4);
    }
    cpu_device_shuffle(0);
#else
    (void)seed;
#endif
}

/* The bits of a sequence depend neither on the batch nor on the alignment. */
static void check_bits(uint64_t seed)
{
    static const int64_t lengths[] = {50, 2001, 40001};
    enum { BATCH = 5 };
    for (int64_t length : lengths)
        for (const struct filter &mode : modes) {
            struct filter_case c, one;
            filter_case_begin(&c, with(mode, length, BATCH, 2, 2), 0.99, seed);
            filter_case_solve(&c);
            const size_t bytes = (size_t)(length * size_of(mode.type));
            for (int k = 0; k < BATCH; k++) {
                filter_case_begin(&one, with(mode, length, 1, 2, 2), 0.99, seed);
                memcpy(one.host_x, (char *)c.host_x + (size_t)k * bytes, bytes);
                for (int i = 0; i < 4; i++)
                    put(mode.type, one.host_zi, i,
                        get(mode.type, c.host_zi, (i / 2 * BATCH + k) * 2 + i % 2));
                filter_case_upload(&one);
                filter_case_solve(&one);
                EXPECT(memcmp(one.host_y, (char *)c.host_y + (size_t)k * bytes, bytes) == 0,
                       "type %c, length %lld: sequence %d has other bits alone", mode.type,
                       (long long)length, k);
                memory_free(&one.memory);
            }
            memory_free(&c.memory);
        }
}

/* Poles on the unit circle or close to it. The state of a resonator in single precision loses what
 * it carries in double precision. */
static void check_poles(uint64_t seed)
{
    const double radius = 1 - 1e-6, angle = 0.3;
    const struct {
        const char *what;
        double section[6];
        int refused; /* in single precision, without carry_in_double */
    } cases[] = {
        {"integrator", {1, 0, 0, 1, -1, 0}, 0},
        {"resonator", {1, 0, 0, 1, -2 * radius * cos(angle), radius * radius}, 0},
        {"slow resonator", {1, 0, 0, 1, -2 * radius * cos(1e-3), radius * radius}, 1},
        {"oscillator", {1, 0, -1, 1, -2 * cos(angle), 1}, 0},
        {"two integrators", {1, 0, 0, 1, -2, 1}, 1},
    };
    for (const auto &one : cases)
        for (const struct filter &mode : modes) {
            struct filter_case c;
            filter_case_begin(&c, with(mode, expect_few ? 200000 : 2500000, 1, 1, 2), 0.5, seed);
            memcpy(c.coefficients, one.section, sizeof one.section);
            if (one.refused && mode.type == 's' && !mode.carry_in_double)
                EXPECT(filter_solve(&c.p, c.work, c.bytes, 0) == cudaErrorInvalidValue,
                       "%s: growth %g", one.what, filter_growth(&c.p));
            else
                expect_ok(one.what, &c.p, filter_case_solve(&c));
            memory_free(&c.memory);
        }
}

/* Unstable filters are refused unless the sequence is short. */
static void check_growth(uint64_t seed)
{
    struct filter_case c;
    filter_case_begin(&c, with(modes[2], 5000, 1, 1, 2), 0.5, seed);
    c.coefficients[3] = 1, c.coefficients[4] = -3, c.coefficients[5] = 2;
    EXPECT(filter_growth(&c.p) == INFINITY || filter_growth(&c.p) > 1e100, "a pole at 2: %g",
           filter_growth(&c.p));
    EXPECT(filter_solve(&c.p, c.work, c.bytes, 0) == cudaErrorInvalidValue, "a pole at 2");
    c.p.length = 66;
    expect_ok("a pole at 2", &c.p, filter_case_solve(&c));
    c.coefficients[4] = -0.5, c.coefficients[5] = 0;
    c.p.length = 5000;
    EXPECT(filter_growth(&c.p) == 1, "a pole at 0.5: %g", filter_growth(&c.p));
    memory_free(&c.memory);
}

static void check_arguments(struct filter mode, uint64_t seed)
{
    struct filter_case c;
    filter_case_begin(&c, with(mode, 100, 3, 2, 2), 0.5, seed);
    struct filter p = c.p;
    const size_t bytes = 300 * (size_t)size_of(mode.type);
    void *work = c.work;
    CHECK(cudaMemset(p.y, POISON, bytes));
    auto solve = [&] { return filter_solve(&p, work, c.bytes, 0); };
    check_refused(&c, p, solve);
    EXPECT_REFUSED(p, p.length = 1 << 30, solve()); /* the workspace is too small */
    EXPECT_REFUSED(c.bytes, c.bytes--, solve());
    struct expect_pointer pointers[] = {EXPECT_POINTER(work, 16)};
    EXPECT_POINTERS(pointers, filter_prepare(work, c.bytes, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(pointers, solve(), cudaErrorInvalidValue);
    EXPECT(device_holds(p.y, POISON, bytes), "a refused call wrote");
    EXPECT(filter_solve(NULL, work, c.bytes, 0) == cudaErrorInvalidValue &&
               filter_workspace(NULL) == 0 && isnan(filter_growth(NULL)),
           "no struct");
    p.x = NULL, p.y = NULL, p.coefficients = NULL, p.length = 0;
    EXPECT(filter_solve(&p, NULL, 0, 0) == cudaSuccess, "length 0 needs no arrays");
    memory_free(&c.memory);
}

/* The verification must reject a wrong element, and a wrong final state. */
static void check_verdict(uint64_t seed)
{
    struct filter_case c;
    filter_case_begin(&c, with(modes[0], 1000, 2, 2, 2), 0.9, seed);
    expect_ok("right", &c.p, filter_case_solve(&c));
    for (double wrong : {1e-2, (double)NAN, (double)INFINITY})
        for (void *array : {c.host_y, c.host_zf}) {
            const double right = get('s', array, 7);
            put('s', array, 7, right + wrong);
            EXPECT(!filter_case_verdict(&c, 0, 2).ok, "an error of %g", wrong);
            put('s', array, 7, right);
        }
    memory_free(&c.memory);
}

static void check_graph(uint64_t seed)
{
    struct filter_case c;
    filter_case_begin(&c, with(modes[0], device_is_cpu() ? 40000 : 4000003, 2, 4, 2), 0.9, seed);
    const size_t bytes = (size_t)(2 * c.p.length) * sizeof(float);
    replay(
        3, [&](cudaStream_t stream) { return filter_solve(&c.p, c.work, c.bytes, stream); },
        [&](int) { device_poison(c.y, bytes); },
        [&](int k) {
            device_download(c.host_y, c.y, bytes);
            device_download(c.host_zf, c.zf, 16 * sizeof(float));
            EXPECT(filter_case_verdict(&c, 0, 2).ok, "replay %d of a graph", k);
        });
    memory_free(&c.memory);
}

void filter_check(uint64_t seed, bool all)
{
    check_shapes(seed);
    check_spans(seed, all);
    check_orders(seed);
    check_bits(seed);
    check_poles(seed);
    check_neighbours(200000, seed, [](struct filter_case *c) {
        filter_case_upload(c);
        filter_case_solve(c);
    });
    check_growth(seed);
    check_verdict(seed);
    check_graph(seed);
    for (const struct filter &mode : modes)
        check_arguments(mode, seed);
}
