/* Tests of solvers/recurrence2.h: lengths around the boundaries of threads, warps, tiles and spans,
 * batches, alignments, in place, absent arrays. Also tested: that the bits of a sequence do not
 * depend on the batch; poles, zero pivots, coefficients of any magnitude, determinants that are
 * known; NaN and infinity; invalid arguments; and the replay of a CUDA graph.
 * Run: build/cpu/recurrence2 --check. */
#include "bench/recurrence2_case.h"
#include "expect.h"
#include "problems.h"
#include "test/replay.h"

#include <initializer_list>
#include <math.h>

static const unsigned char POISON = 0x5a;
static const struct recurrence2 modes[] = {
    {.type = 's', .kind = RECURRENCE2_LINEAR}, {.type = 'd', .kind = RECURRENCE2_LINEAR},
    {.type = 's', .kind = RECURRENCE2_MOBIUS}, {.type = 'd', .kind = RECURRENCE2_MOBIUS},
    {.type = 's', .kind = RECURRENCE2_LU},     {.type = 'd', .kind = RECURRENCE2_LU}};

static struct recurrence2 with(struct recurrence2 mode, int64_t length, int64_t batch)
{
    mode.length = length, mode.batch = batch;
    return mode;
}
static void expect_ok(const char *what, const struct recurrence2_case *c, struct verdict v)
{
    EXPECT(v.ok, "%s, type %c, kind %d, style %d, %lld x %lld: %g of what is allowed at %lld", what,
           c->p.type, c->p.kind, c->style, (long long)c->p.batch, (long long)c->p.length, v.used,
           (long long)v.worst);
}
/* In single precision no factors of a long Poisson's matrix are exact: they are those of a matrix
 * that is not definite. */
static enum recurrence2_style style_of(const struct recurrence2 *p, int number)
{
    const int style = number % 3;
    return style == RECURRENCE2_POISSON && p->type == 's' && p->length > 2000
               ? RECURRENCE2_TAME
               : (enum recurrence2_style)style;
}

/* `number` selects the style, the alignment, what is in place, and which arrays are absent. */
static void check_case(struct recurrence2 p, uint64_t seed, int number)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct recurrence2_case c;
    recurrence2_case_begin(&c, p, style_of(&p, number), seed + (uint64_t)number);
    const int64_t element = size_of(p.type);
    if (number % 5 == 1)
        c.p.b = (char *)c.in[1] + number % 4 * element;
    if (number % 5 < 3)
        c.p.x = (char *)c.x + number % 3 * element;
    if (number % 4 == 1)
        c.p.x = (void *)c.p.a;
    if (number % 4 == 2)
        c.p.x = (void *)c.p.c;
    if (number % 7 == 2)
        c.p.before = NULL;
    if (number % 7 == 3 && p.kind == RECURRENCE2_LINEAR)
        c.p.c = NULL;
    if (number % 5 == 3 && p.kind == RECURRENCE2_LU)
        c.p.u = (void *)c.p.b;
    if (number % 5 == 4)
        c.p.u = NULL, c.p.mantissa = NULL, c.p.status = NULL;
    recurrence2_case_upload(&c);
    expect_ok("case", &c, recurrence2_case_solve(&c));
    memory_free(&c.memory);
}
static void check_shapes(uint64_t seed)
{
    int number = 0;
    for (int64_t length = 1; length <= 300; length += length < 45 ? 1 : 15)
        for (const struct recurrence2 &mode : modes) {
            check_case(with(mode, length, 1 + number % 9), seed, number);
            number++;
        }
    /* A warp, half a tile, a tile, several: 9 or 11 times these, for each type and kind */
    for (int64_t power : {64, 128, 256, 512, 1024, 4096})
        for (int64_t factor : {9, 11})
            for (int64_t length = power * factor - 1; length <= power * factor + 1; length++)
                for (const struct recurrence2 &mode : modes)
                    for (int64_t batch : {1, 3, 40})
                        if (length * batch < 60000)
                            check_case(with(mode, length, batch), seed, number++);
    for (const struct recurrence2 &mode : modes)
        check_case(with(mode, 5, 3000), seed, number++);
}

/* Sequences of several spans of tiles, and lengths around the first one */
static void check_spans(uint64_t seed, bool all)
{
    for (const struct recurrence2 &mode : modes) {
        const int64_t tile =
            128 * 16 / size_of(mode.type) * (mode.kind == RECURRENCE2_MOBIUS ? 9 : 11);
        for (int64_t length :
             {128 * tile - 1, 128 * tile, 128 * tile + 1, 129 * tile + 1, 400 * tile})
            if (!expect_few || length == 129 * tile + 1) {
                struct recurrence2_case c;
                recurrence2_case_begin(&c, with(mode, length, all ? 5 : 1), RECURRENCE2_TAME, seed);
                expect_ok("spans", &c, recurrence2_case_solve(&c));
                memory_free(&c.memory);
            }
    }
}

/* Repeats some cases while the CPU device starts blocks and resumes threads in a shuffled order. */
static void check_orders(uint64_t seed)
{
#ifndef __CUDACC__
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        for (const struct recurrence2 &mode : modes)
            check_case(with(mode, 30000, 3), seed, 3);
    }
    cpu_device_shuffle(0);
#else
    (void)seed;
#endif
}

/* The bits of a sequence depend neither on the batch nor on the alignment. */
static void check_bits(uint64_t seed)
{
    enum { BATCH = 5 };
    for (int64_t length : {50, 2001, 40001})
        for (const struct recurrence2 &mode : modes) {
            struct recurrence2_case c, one;
            recurrence2_case_begin(&c, with(mode, length, BATCH), RECURRENCE2_TAME, seed);
            recurrence2_case_solve(&c);
            const size_t bytes = (size_t)(length * size_of(mode.type)),
                         before =
                             (size_t)size_of(mode.type) * (mode.kind == RECURRENCE2_LINEAR ? 2 : 1);
            for (size_t k = 0; k < BATCH; k++) {
                recurrence2_case_begin(&one, with(mode, length, 1), RECURRENCE2_TAME, seed);
                for (int i = 0; i < 4 && one.host_in[i]; i++)
                    memcpy(one.host_in[i], (char *)c.host_in[i] + k * bytes, bytes);
                memcpy(one.host_before, (char *)c.host_before + k * before, before);
                recurrence2_case_upload(&one);
                recurrence2_case_solve(&one);
                EXPECT(memcmp(one.host_x, (char *)c.host_x + k * bytes, bytes) == 0,
                       "type %c, kind %d, length %lld: sequence %zu has other bits alone",
                       mode.type, mode.kind, (long long)length, k);
                memory_free(&one.memory);
            }
            memory_free(&c.memory);
        }
}

/* A factor that all coefficients of an element have in common changes nothing, however large or
 * small it is: the bits are the same. Without scaling, products of a few elements overflow. */
static void check_magnitudes(uint64_t seed)
{
    for (const struct recurrence2 &mode : modes) {
        if (mode.kind == RECURRENCE2_LINEAR)
            continue;
        struct recurrence2_case c, large;
        const struct recurrence2 p = with(mode, 20011, 2);
        const int64_t n = p.length * p.batch;
        const int most = mode.type == 's' ? 100 : 900;
        recurrence2_case_begin(&c, p, RECURRENCE2_TAME, seed);
        recurrence2_case_begin(&large, p, RECURRENCE2_TAME, seed);
        struct random r = {seed};
        int64_t more[2] = {};
        for (int64_t i = 0; i < n; i++) {
            const int exponent = (int)random_uniform(&r, -most, most);
            more[i / p.length] += exponent;
            for (int k = 0; k < 4 && large.host_in[k]; k++)
                put(p.type, large.host_in[k], i, ldexp(get(p.type, c.host_in[k], i), exponent));
        }
        recurrence2_case_upload(&large);
        expect_ok("as they are", &c, recurrence2_case_solve(&c));
        recurrence2_case_solve(&large);
        EXPECT(memcmp(c.host_x, large.host_x, (size_t)(n * size_of(p.type))) == 0,
               "type %c, kind %d: large coefficients", p.type, p.kind);
        for (int k = 0; k < 2 && p.kind == RECURRENCE2_LU; k++)
            EXPECT(large.host_status[k] == 0 &&
                       get(p.type, c.host_mantissa, k) == get(p.type, large.host_mantissa, k) &&
                       large.host_exponent[k] == c.host_exponent[k] + more[k],
                   "type %c: determinant %d of large coefficients", p.type, k);
        memory_free(&c.memory);
        memory_free(&large.memory);
    }
}

/* x = 1 / (1 - x) goes through 0, 1, infinity for ever, and each of them may come first. */
static void check_poles(uint64_t seed)
{
    for (const struct recurrence2 &mode : modes) {
        if (mode.kind != RECURRENCE2_MOBIUS)
            continue;
        struct recurrence2_case c;
        recurrence2_case_begin(&c, with(mode, 20011, 3), RECURRENCE2_TAME, seed);
        const double orbit[] = {0, 1, INFINITY}, element[] = {0, 1, -1, 1};
        for (int64_t i = 0; i < 3 * c.p.length; i++)
            for (int k = 0; k < 4; k++)
                put(mode.type, c.host_in[k], i, element[k]);
        for (int k = 0; k < 3; k++)
            put(mode.type, c.host_before, k, k == 2 ? -INFINITY : orbit[k]);
        recurrence2_case_upload(&c);
        recurrence2_case_solve(&c);
        int64_t wrong = 0;
        for (int64_t i = 0; i < 3 * c.p.length; i++)
            wrong += fabs(get(mode.type, c.host_x, i)) !=
                     orbit[(i / c.p.length + i % c.p.length + 1) % 3];
        EXPECT(wrong == 0, "type %c: %lld elements of an orbit through infinity", mode.type,
               (long long)wrong);
        memory_free(&c.memory);
    }
}

/* Breakdowns of LU: the status names the row, other matrices are not affected, and the determinant
 * passes a zero pivot. */
static void check_breakdowns(uint64_t seed)
{
    for (char type : {'s', 'd'})
        for (int64_t length : {2, 37, 9001}) {
            struct recurrence2_case c;
            const struct recurrence2 lu = {.type = type, .kind = RECURRENCE2_LU};
            recurrence2_case_begin(&c, with(lu, length, 5), RECURRENCE2_TAME, seed);
            put(type, c.host_in[1], 0, 0); /* matrix 0: a zero pivot in the first row */
            put(type, c.host_in[0], 1, 1); /* below it, and beside it */
            put(type, c.host_in[2], 0, 1);
            const int64_t row = length / 2, bad = 2 * length + row, zero = 3 * length + row;
            put(type, c.host_in[1], bad, NAN);
            put(type, c.host_in[0], zero, 0); /* matrix 3 is singular: a row of zeros */
            put(type, c.host_in[1], zero, 0);
            put(type, c.host_in[2], zero, 0);
            put(type, c.host_in[0], 4 * length, NAN); /* not used */
            put(type, c.host_in[2], 5 * length - 1, INFINITY);
            recurrence2_case_upload(&c);
            recurrence2_case_solve(&c);
            const int64_t expected[] = {1, 0, row + 1, row + 1, 0};
            for (int k = 0; k < 5; k++)
                EXPECT(c.host_status[k] == expected[k], "type %c, length %lld: status %lld of %d",
                       type, (long long)length, (long long)c.host_status[k], k);
            EXPECT(recurrence2_case_verdict(&c, 1, 2).ok, "the matrix after a zero pivot");
            EXPECT(isnan(get(type, c.host_mantissa, 2)), "the determinant with NaN");
            EXPECT(get(type, c.host_mantissa, 3) == 0, "determinant of a singular matrix: %g",
                   get(type, c.host_mantissa, 3));
            c.style = RECURRENCE2_WILD; /* after a zero pivot only the determinant is expected */
            long double before = 0, now = 0, scale = 1;
            for (int64_t i = 1; i < length; i++) { /* minors without the first pivot */
                const long double a = get(type, c.host_in[0], i), b = get(type, c.host_in[1], i),
                                  above = get(type, c.host_in[2], i - 1);
                const long double next = i == 1 ? -a * above : b * now - a * above * before;
                before = now / fabsl(next), now = next / fabsl(next);
                scale = log2l(fabsl(next)) + (i == 1 ? 0 : scale);
            }
            EXPECT(fabsl(log2l(fabsl(get(type, c.host_mantissa, 0))) + c.host_exponent[0] - scale) <
                       200 * (double)length * unit_roundoff(type) + 200 * unit_roundoff(type),
                   "type %c, length %lld: the determinant after a zero pivot", type,
                   (long long)length);
            memory_free(&c.memory);
        }
}

/* A pivot at the end of a thread that is zero but for rounding errors: its thread and the next one
 * would go on with different errors, so the status must tell. */
static void check_lost_pivots(uint64_t seed)
{
    for (char type : {'s', 'd'}) {
        struct recurrence2_case c;
        const struct recurrence2 lu = {.type = type, .kind = RECURRENCE2_LU};
        const int64_t rows = 110, last = type == 's' ? 43 : 21;
        recurrence2_case_begin(&c, with(lu, rows, 200), RECURRENCE2_TAME, seed);
        c.style = RECURRENCE2_WILD;
        for (int64_t k = 0; k < c.p.batch; k++) {
            long double x = 0;
            for (int64_t i = k * rows; i < k * rows + last; i++)
                x = get(type, c.host_in[2], i) /
                    (get(type, c.host_in[1], i) -
                     (i > k * rows ? get(type, c.host_in[0], i) : 0) * x);
            put(type, c.host_in[1], k * rows + last,
                (double)(get(type, c.host_in[0], k * rows + last) * x));
        }
        recurrence2_case_upload(&c);
        c.p.mantissa = NULL; /* it is lost, too */
        expect_ok("lost pivots", &c, recurrence2_case_solve(&c));
        int64_t found = 0;
        for (int64_t k = 0; k < c.p.batch; k++)
            found += c.host_status[k] == last + 1;
        EXPECT(found >= c.p.batch / 2, "%lld of %lld lost pivots found", (long long)found,
               (long long)c.p.batch);
        memory_free(&c.memory);
    }
}

/* The determinant of the matrix with rows (-1 2 -1) is n + 1. */
static void check_determinants(uint64_t seed)
{
    for (char type : {'s', 'd'})
        for (int64_t n : {1, 10, 1000, 1 << 20}) {
            if (n > 1000 && (type == 's' || expect_few))
                continue;
            struct recurrence2_case c;
            const struct recurrence2 lu = {.type = type, .kind = RECURRENCE2_LU};
            recurrence2_case_begin(&c, with(lu, n, 2), RECURRENCE2_TAME, seed);
            for (int64_t i = 0; i < 2 * n; i++)
                for (int k = 0; k < 3; k++)
                    put(type, c.host_in[k], i, k == 1 ? 2 : -1);
            recurrence2_case_upload(&c);
            recurrence2_case_solve(&c);
            for (int k = 0; k < 2; k++) {
                const double got = ldexp(get(type, c.host_mantissa, k), (int)c.host_exponent[k]);
                EXPECT(fabs(got - (double)(n + 1)) <= (double)(n + 1) * (double)n *
                                                          (double)(n + 64) * unit_roundoff(type) &&
                           c.host_status[k] == 0,
                       "type %c: %.17g instead of %lld", type, got, (long long)n + 1);
            }
            memory_free(&c.memory);
        }
}

/* NaN or infinity in one sequence must not change the other ones, nor what comes before it. */
static void check_neighbours(uint64_t seed)
{
    for (int64_t length : {37, 20000})
        for (const struct recurrence2 &mode : modes) {
            struct recurrence2_case c;
            const int64_t batch = 100000 / length, place = length / 3;
            recurrence2_case_begin(&c, with(mode, length, batch), RECURRENCE2_TAME, seed);
            for (int64_t k = 0; k < batch; k += 3)
                put(mode.type, c.host_in[1], k * length + place, NAN);
            recurrence2_case_upload(&c);
            recurrence2_case_solve(&c);
            int64_t wrong = 0, lost = 0;
            for (int64_t k = 0; k < batch; k++)
                if (k % 3 != 0)
                    wrong += !recurrence2_case_verdict(&c, k, k + 1).ok;
                else
                    for (int64_t i = 0; i < length; i++)
                        lost +=
                            (bool)isfinite(get(mode.type, c.host_x, k * length + i)) != (i < place);
            EXPECT(wrong == 0, "%lld sequences disturbed by their neighbours", (long long)wrong);
            EXPECT(lost == 0, "kind %d: %lld elements after NaN or before it", mode.kind,
                   (long long)lost);
            memory_free(&c.memory);
        }
}

static void check_arguments(struct recurrence2 mode, uint64_t seed)
{
    struct recurrence2_case c;
    recurrence2_case_begin(&c, with(mode, 100, 3), RECURRENCE2_TAME, seed);
    struct recurrence2 p = c.p;
    const size_t element = (size_t)size_of(mode.type), bytes = 300 * element;
    void *work = c.work;
    CHECK(cudaMemset(p.x, POISON, bytes));
    auto solve = [&] { return recurrence2_solve(&p, work, c.bytes, 0); };
    EXPECT_REFUSED(p, p.type = 'c', solve());
    EXPECT_REFUSED(p, p.kind = (enum recurrence2_kind)3, solve());
    EXPECT_REFUSED(p, p.length = -1, solve());
    EXPECT_REFUSED(p, p.batch = -1, solve());
    EXPECT_REFUSED(p, (p.length = INT64_MAX, p.batch = 2), solve());
    EXPECT_REFUSED(p, p.length = 1 << 30, solve()); /* the workspace is too small */
    EXPECT_REFUSED(c.bytes, c.bytes--, solve());
    struct expect_pointer pointers[] = {EXPECT_POINTER(p.a, element), EXPECT_POINTER(p.b, element),
                                        EXPECT_POINTER(p.x, element), EXPECT_POINTER(work, 16),
                                        EXPECT_POINTER_OR_NULL(p.c, element)};
    pointers[4].may_be_null = mode.kind == RECURRENCE2_LINEAR;
    EXPECT_POINTERS(pointers, solve(), cudaErrorInvalidValue);
    struct expect_pointer of_mobius[] = {EXPECT_POINTER(p.d, element)},
                          of_lu[] = {EXPECT_POINTER_OR_NULL(p.u, element),
                                     EXPECT_POINTER_OR_NULL(p.mantissa, element),
                                     EXPECT_POINTER(p.exponent, 8),
                                     EXPECT_POINTER_OR_NULL(p.status, 8)};
    if (mode.kind == RECURRENCE2_MOBIUS)
        EXPECT_POINTERS(of_mobius, solve(), cudaErrorInvalidValue);
    if (mode.kind == RECURRENCE2_LU)
        EXPECT_POINTERS(of_lu, solve(), cudaErrorInvalidValue);
    EXPECT(device_holds(p.x, POISON, bytes), "a refused call wrote");
    EXPECT(recurrence2_solve(NULL, work, c.bytes, 0) == cudaErrorInvalidValue &&
               recurrence2_workspace(NULL) == 0 &&
               recurrence2_prepare((char *)work + 8, 8, 0) == cudaErrorInvalidValue,
           "no struct");
    p = with(mode, 0, 3);
    EXPECT(recurrence2_solve(&p, NULL, 0, 0) == cudaSuccess, "length 0 needs no arrays");
    memory_free(&c.memory);
}

/* The verification must reject a wrong element, and a wrong determinant. */
static void check_verdict(uint64_t seed)
{
    for (const struct recurrence2 &mode : modes) {
        struct recurrence2_case c;
        recurrence2_case_begin(&c, with(mode, 1000, 2), RECURRENCE2_TAME, seed);
        expect_ok("right", &c, recurrence2_case_solve(&c));
        for (double wrong : {1e-2, (double)NAN, (double)INFINITY})
            for (void *array : {c.host_x, c.host_u, c.host_mantissa}) {
                if (!array)
                    continue;
                const double right = get(mode.type, array, 1);
                put(mode.type, array, 1, right + wrong);
                EXPECT(!recurrence2_case_verdict(&c, 0, 2).ok, "an error of %g", wrong);
                put(mode.type, array, 1, right);
            }
        memory_free(&c.memory);
    }
}

static void check_graph(uint64_t seed)
{
    for (const struct recurrence2 &mode : modes) {
        struct recurrence2_case c;
        const int64_t length = device_is_cpu() ? 20000 : 1000003;
        recurrence2_case_begin(&c, with(mode, length, 2), RECURRENCE2_TAME, seed);
        const size_t bytes = (size_t)(2 * length * size_of(mode.type));
        recurrence2_case_solve(&c);
        replay(
            3,
            [&](cudaStream_t stream) { return recurrence2_solve(&c.p, c.work, c.bytes, stream); },
            [&](int) { device_poison(c.x, bytes); },
            [&](int k) {
                device_download(c.host_x, c.x, bytes);
                EXPECT(recurrence2_case_verdict(&c, 0, 2).ok, "replay %d of a graph", k);
            });
        memory_free(&c.memory);
    }
}

void recurrence2_check(uint64_t seed, bool all)
{
    check_shapes(seed);
    check_spans(seed, all);
    check_orders(seed);
    check_bits(seed);
    check_magnitudes(seed);
    check_poles(seed);
    check_breakdowns(seed);
    check_lost_pivots(seed);
    check_determinants(seed);
    check_neighbours(seed);
    check_verdict(seed);
    check_graph(seed);
    for (const struct recurrence2 &mode : modes)
        check_arguments(mode, seed);
}
