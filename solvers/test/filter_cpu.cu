/* Tests of solvers/filter_cpu.h: all orders and numbers of sections, lengths around those of
 * vectors and blocks, batches, in place, initial and final states, on one core and on several;
 * poles close to the unit circle and outside of it; NaN and infinity; and invalid arguments. Run:
 * build/cpu/filter --check --variant filter_cpu. */
#include "filter_cpu.h"
#include "test/filter_test.h"

/* `number` selects the cores, whether y replaces x and zf zi, and which states are given. Filters x
 * and verifies. */
static void solve(const char *what, struct filter_case *c, int number)
{
    struct memory memory = {};
    struct filter p = c->p;
    const size_t element = (size_t)size_of(p.type), bytes = (size_t)(p.length * p.batch) * element,
                 states = (size_t)(p.batch * p.sections * p.order) * element;
    /* Arrays of their exact size, so that a sanitizer finds accesses beyond their end */
    p.x = memcpy(memory_host(&memory, bytes), c->host_x, bytes);
    p.zi = memcpy(memory_host(&memory, states), c->host_zi, states);
    host_poison(c->host_y, bytes);
    host_poison(c->host_zf, states);
    p.y = number % 3 == 1 ? (void *)p.x : c->host_y;
    p.zf = number % 4 == 1 ? (void *)p.zi : c->host_zf;
    if (number % 5 == 2)
        p.zi = c->p.zi = NULL;
    if (number % 6 == 3)
        p.zf = c->p.zf = NULL;
    const int status = filter_cpu_solve(&p, 1 + number % 2);
    memmove(c->host_y, p.y, bytes);
    if (p.zf)
        memmove(c->host_zf, p.zf, states);
    const struct verdict v = filter_case_verdict(c, 0, p.batch);
    EXPECT(status == 0 && v.ok,
           "%s, type %c%s, %lld x %lld, %d of order %d: status %d, %g of what is allowed at %lld",
           what, p.type, p.carry_in_double ? " in double" : "", (long long)p.batch,
           (long long)p.length, p.sections, p.order, status, v.used, (long long)v.worst);
    memory_free(&memory);
}
static void check_case(struct filter p, uint64_t seed, int number)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct filter_case c;
    begin_case(&c, p, seed + (uint64_t)number);
    solve("filter_cpu", &c, number);
    memory_free(&c.memory);
}
static void check_shapes(uint64_t seed)
{
    each_shape({1,   2,   7,    8,    15,   16,   17,   63,   64,   127,  128,  255,   256,  257,
                511, 513, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8209, 20000, 60001},
               {1, 3, 4, 16, 17, 39}, 21,
               [&](struct filter p, int number) { check_case(p, seed, number); });
}

/* Poles on the unit circle, close to it, and outside of it. Where powers grow, the loop is serial:
 * nothing is refused, and the error is that of the serial loop. */
static void check_poles(uint64_t seed)
{
    const double radius = 1 - 1e-6, angle = 0.3;
    const struct {
        const char *what;
        int64_t length;
        double section[6];
    } cases[] = {{"integrator", 1000000, {1, 0, 0, 1, -1, 0}},
                 {"resonator", 1000000, {1, 0, 0, 1, -2 * radius * cos(angle), radius * radius}},
                 {"oscillator", 1000000, {1, 0, -1, 1, -2 * cos(angle), 1}},
                 {"slow resonator", 100000, {1, 0, 0, 1, -2 * radius * cos(1e-3), radius * radius}},
                 {"two integrators", 10000, {1, 0, 0, 1, -2, 1}},
                 {"a pole at 1.01", 5000, {1, 0, 0, 1, -2.01, 1.01}}};
    for (const auto &one : cases)
        for (const struct filter &mode : modes) {
            struct filter_case c;
            filter_case_begin(&c, with(mode, expect_few ? one.length / 5 : one.length, 1, 1, 2),
                              0.5, seed);
            memcpy(c.coefficients, one.section, sizeof one.section);
            solve(one.what, &c, 0);
            memory_free(&c.memory);
        }
}

static void check_arguments(struct filter mode, uint64_t seed)
{
    struct filter_case c;
    filter_case_begin(&c, with(mode, 100, 3, 2, 2), 0.5, seed);
    struct filter p = c.p;
    const size_t bytes = 300 * (size_t)size_of(mode.type);
    int cores = 1;
    p.x = c.host_x, p.y = memset(c.host_y, POISON, bytes), p.zi = c.host_zi, p.zf = c.host_zf;
    auto solve = [&] { /* as EXPECT_REFUSED wants it */
                       return filter_cpu_solve(&p, cores) == -1 ? cudaErrorInvalidValue
                                                                : cudaSuccess;
    };
    check_refused(&c, p, solve);
    EXPECT_REFUSED(cores, cores = 0, solve());
    int64_t changed = 0;
    for (size_t i = 0; i < bytes; i++)
        changed += ((unsigned char *)c.host_y)[i] != POISON;
    EXPECT(changed == 0, "a refused call wrote");
    EXPECT(filter_cpu_solve(NULL, 1) == -1, "no struct");
    p.x = NULL, p.y = NULL, p.coefficients = NULL, p.length = 0;
    EXPECT(filter_cpu_solve(&p, 1) == 0, "length 0 needs no arrays");
    memory_free(&c.memory);
}

void filter_cpu_check(uint64_t seed)
{
    check_shapes(seed);
    check_poles(seed);
    check_neighbours(400000, seed, [](struct filter_case *c) {
        struct filter p = c->p;
        p.x = c->host_x, p.y = c->host_y, p.zi = c->host_zi, p.zf = c->host_zf;
        EXPECT(filter_cpu_solve(&p, 2) == 0, "refused");
    });
    for (const struct filter &mode : modes)
        check_arguments(mode, seed);
}
