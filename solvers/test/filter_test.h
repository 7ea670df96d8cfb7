/* What the tests of filter.h and of filter_cpu.h share. `solve` calls one of them. */
#pragma once

#include "bench/filter_case.h"
#include "expect.h"
#include "problems.h"

#include <initializer_list>
#include <math.h>

static const unsigned char POISON = 0x5a;

/* Types of the elements and the carried state: single, single carried in double, double */
static const struct filter modes[] = {
    {.type = 's'}, {.type = 's', .carry_in_double = 1}, {.type = 'd'}};

static inline struct filter with(struct filter mode, int64_t length, int64_t batch, int sections,
                                 int order)
{
    mode.length = length, mode.batch = batch;
    mode.sections = sections, mode.order = order;
    return mode;
}
/* Begins a case with poles as close to the unit circle as the growth of filter.h permits, so that
 * states carry far. */
static inline void begin_case(struct filter_case *c, struct filter p, uint64_t seed)
{
    const double radius = p.sections == 1 && p.order <= 2 ? 1 - 1e-6 : p.order == 2 ? 0.99 : 0.7;
    filter_case_begin(c, p, radius, seed);
}

/* Calls check_case(p, number) for all orders and numbers of sections, `several` short sequences
 * among them, then for these lengths and batches. */
template <class F>
static void each_shape(std::initializer_list<int64_t> lengths,
                       std::initializer_list<int64_t> batches, int64_t several, F check_case)
{
    int number = 0;
    for (int sections = 1; sections <= FILTER_STATES_MOST; sections++)
        for (int order = 1; sections * order <= FILTER_STATES_MOST; order++)
            for (const struct filter &mode : modes) {
                check_case(with(mode, 9100, 2, sections, order), number++);
                check_case(with(mode, 100, several, sections, order), number++);
            }
    for (int64_t length : lengths)
        for (const struct filter &mode : modes)
            for (int64_t batch : batches)
                if (length * batch < 200000) {
                    number++;
                    check_case(with(mode, length, batch, 1 + number % 4, 2), number);
                }
    check_case(with(modes[0], 5, 3000, 1, 1), number);
}

/* NaN or infinity in one sequence must not change the other ones, nor what comes before it.
 * solve(c) filters a case whose host_x is given, and brings y and zf to the host. */
template <class F> static void check_neighbours(int64_t most, uint64_t seed, F solve)
{
    for (int64_t length : {37, 20000})
        for (const struct filter &mode : modes) {
            struct filter_case c;
            const int64_t batch = most / length, place = length / 3;
            filter_case_begin(&c, with(mode, length, batch, 4, 2), 0.9, seed);
            for (int64_t k = 0; k < batch; k += 3)
                put(mode.type, c.host_x, k * length + place, k % 2 ? (double)NAN : INFINITY);
            solve(&c);
            int64_t wrong = 0, lost = 0;
            for (int64_t k = 0; k < batch; k++)
                if (k % 3 != 0)
                    wrong += !filter_case_verdict(&c, k, k + 1).ok;
                else
                    for (int64_t i = 0; i < length; i++)
                        lost +=
                            (bool)isfinite(get(mode.type, c.host_y, k * length + i)) != (i < place);
            EXPECT(wrong == 0, "%lld sequences disturbed by their neighbours", (long long)wrong);
            EXPECT(lost == 0, "%lld elements after NaN or before it", (long long)lost);
            memory_free(&c.memory);
        }
}

/* Both solvers must refuse these arguments. c owns the coefficients of p. */
template <class F> static void check_refused(struct filter_case *c, struct filter &p, F solve)
{
    const size_t element = (size_t)size_of(p.type);
    EXPECT_REFUSED(p, p.type = 'c', solve());
    EXPECT_REFUSED(p, p.length = -1, solve());
    EXPECT_REFUSED(p, p.batch = -1, solve());
    EXPECT_REFUSED(p, (p.length = INT64_MAX, p.batch = 2), solve());
    EXPECT_REFUSED(p, p.sections = 0, solve());
    EXPECT_REFUSED(p, p.order = 0, solve());
    EXPECT_REFUSED(p, p.sections = 5, solve());
    EXPECT_REFUSED(p, p.order = INT32_MAX, solve());
    EXPECT_REFUSED(p, p.coefficients = NULL, solve());
    for (double wrong : {0.0, (double)NAN, (double)INFINITY, 1e-320})
        EXPECT_REFUSED(c->coefficients[3], c->coefficients[3] = wrong, solve());
    EXPECT_REFUSED(c->coefficients[1], c->coefficients[1] = INFINITY, solve());
    struct expect_pointer pointers[] = {EXPECT_POINTER(p.x, element), EXPECT_POINTER(p.y, element),
                                        EXPECT_POINTER_OR_NULL(p.zi, element),
                                        EXPECT_POINTER_OR_NULL(p.zf, element)};
    EXPECT_POINTERS(pointers, solve(), cudaErrorInvalidValue);
}
