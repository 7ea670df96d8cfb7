/* Tests of tridiagonal_gradient(). */
#include "test/gradient.h"
#include "test/guarded.h"
#include "test/matrices.h"
#include "test/replay.h"
#include "test/tridiagonal_test.h"

#include <initializer_list>

static int64_t length_in(const void *of, int64_t)
{
    return ((const struct tridiagonal_case *)of)->s.n;
}
static int64_t element_in(const void *of, int array, int64_t k, int64_t i)
{
    const struct shape *s = &((const struct tridiagonal_case *)of)->s;
    return array == RHS ? k * s->stride + i : s->toeplitz ? 0 : i;
}

static int64_t elements_of(const struct tridiagonal_case *c, int array)
{
    return array == RHS ? c->elements : c->s.toeplitz ? 1 : c->s.n;
}

/* A case that has been solved, and the call of its gradient. */
struct gradient_trial {
    struct tridiagonal_case c;
    struct guarded d[4], dx, work; /* d: dsub, ddiag, dsuper, drhs */
    struct tridiagonal_derivatives call;
    int missing; /* bit a: dsub, ddiag or dsuper (a = 0, 1, 2) is NULL */
};
/* in_place: drhs is dx. Returns false if the rows do not fit on the chip. */
static bool open_gradient(struct gradient_trial *g, const struct shape &s, int pivot,
                          enum tridiagonal_way way, int matrix, uint64_t seed, bool in_place)
{
    struct tridiagonal_case *c = &g->c;
    struct random random = {seed + 9};
    const size_t element = (size_t)size_of(s.type);
    *c = case_make(s, pivot, matrix, seed);
    c->t.way = way;
    if (case_solve(c, &c->t) == -1) {
        case_close(c);
        return false;
    }
    g->dx =
        guarded_open(&c->memory, (size_t)c->elements * element, (size_t)s.offset[RHS] * element);
    memset(g->dx.host, 0xff, g->dx.bytes);
    for (int64_t k = 0; k < case_sides(c); k++)
        for (int64_t i = 0; i < s.n; i++) {
            double re = random_uniform(&random, -1, 1), im = random_uniform(&random, -1, 1);
            put_number(s.type, g->dx.host, element_in(c, RHS, k, i), re, im);
        }
    for (int a = 0; a < 4; a++)
        g->d[a] = guarded_open(&c->memory, (size_t)elements_of(c, a) * element,
                               (size_t)s.offset[a == 3 ? X : a] * element);
    g->call = {g->dx.device, g->missing & 1 ? NULL : g->d[0].device,
               g->missing & 2 ? NULL : g->d[1].device, g->missing & 4 ? NULL : g->d[2].device,
               in_place ? g->dx.device : g->d[3].device};
    g->work = guarded_open(&c->memory, tridiagonal_gradient_workspace(&c->t), 0);
    CHECK(tridiagonal_prepare(g->work.device, g->work.bytes, 0));
    return true;
}
/* Downloads the results. Are all other arrays and all bytes around arrays as they were? */
static bool fetch_gradient(struct gradient_trial *g)
{
    const struct tridiagonal_case *c = &g->c;
    bool kept = guarded_kept(&g->dx) && guarded_kept(&g->work);
    for (int a = 0; a < 4; a++) {
        device_download(g->d[a].host, a == 3 ? g->call.drhs : g->d[a].device, g->d[a].bytes);
        kept = kept && guarded_kept(&g->d[a]) &&
               (!(g->missing >> a & 1) || device_holds(g->d[a].device, 0xff, g->d[a].bytes));
    }
    for (int a = 0; a < ARRAYS; a++) {
        const size_t bytes = case_image_bytes(c, a);
        void *now = host_alloc("tridiagonal", (int64_t)(bytes + 1));
        device_download(now, c->device[a], bytes);
        kept = kept && memcmp(now, c->host[a], bytes) == 0;
        free(now);
    }
    return kept;
}
/* `matrix`: as in case_fill(). */
static void judge(struct gradient_trial *g, int matrix)
{
    const struct tridiagonal_case *c = &g->c;
    const bool kept = fetch_gradient(g), is_double = real_type(c->s.type) == 'd';
    struct gradient_test test = {.type = c->s.type,
                                 .systems = case_sides(c),
                                 .periodic = c->s.periodic,
                                 .x = case_host(c, X),
                                 .dx = g->dx.host,
                                 .of = c,
                                 .length = length_in,
                                 .element = element_in};
    for (int a = 0; a < 4; a++) {
        test.in[a] = case_host(c, a);
        test.elements[a] = elements_of(c, a);
        test.d[a] = g->missing >> a & 1 ? NULL : g->d[a].host;
    }
    struct gradient_errors e = gradient_errors(&test);
    /* The condition of random matrices (-1) allows no comparison, nor, in single precision, that of
     * others that are not dominant. */
    bool small = c->s.n <= GRADIENT_SMALL &&
                 (is_double ? matrix >= 0 : case_is_dominant(matrix) && matrix != 20);
    double difference = small ? gradient_difference(&test) : 0;
    EXPECT(kept && e.adjoint <= BOUND && e.matrix <= 1 && difference <= (is_double ? 1e-6 : 1e-4) &&
               device_holds(c->status, 0, sizeof *c->status),
           "gradient, matrix %d, missing %d, %s: %s, errors %g u of the adjoint system, %g of the "
           "bound of the derivatives, %g to finite differences",
           matrix, g->missing, case_text(c), kept ? "other bytes kept" : "other bytes changed",
           e.adjoint, e.matrix, difference);
}
/* Two replays of a graph must give right results, with the same bits. */
static void check_one(const struct shape &s, int pivot, enum tridiagonal_way way, int matrix,
                      uint64_t seed, bool in_place, int missing)
{
    struct gradient_trial g = {};
    g.missing = missing;
    if (!open_gradient(&g, s, pivot, way, matrix, seed, in_place))
        return;
    void *first[4] = {};
    auto work = [&](cudaStream_t stream) {
        return tridiagonal_gradient(&g.c.t, &g.call, g.work.device, g.work.bytes, stream);
    };
    auto before = [&](int) {
        device_upload(g.dx.device, g.dx.host, g.dx.bytes);
        for (const struct guarded &d : g.d)
            device_poison(d.device, d.bytes);
        CHECK(cudaMemset(g.c.status, 0x55, sizeof *g.c.status));
    };
    auto after = [&](int again) {
        judge(&g, matrix);
        for (int a = 0; a < 4; a++) {
            if (!again) {
                first[a] = memory_host(&g.c.memory, g.d[a].bytes);
                memcpy(first[a], g.d[a].host, g.d[a].bytes);
            }
            EXPECT(memcmp(first[a], g.d[a].host, g.d[a].bytes) == 0,
                   "gradient, %s: other bits of derivative %d", case_text(&g.c), a);
        }
    };
    replay(2, work, before, after);
    case_close(&g.c);
}

/* Wrong calls must be refused, and must not write. A singular matrix must have a status. */
static void check_calls(void)
{
    struct gradient_trial g = {};
    open_gradient(&g, {.type = 'd', .n = 50, .sides = 2, .stride = 50}, 1, TRIDIAGONAL_AUTO,
                  DOMINANT, 1, false);
    const struct tridiagonal t = g.c.t;
    const struct tridiagonal_derivatives derivatives = g.call;
    size_t bytes = g.work.bytes;
    auto call = [&] {
        cudaError_t error = tridiagonal_gradient(&g.c.t, &g.call, g.work.device, bytes, 0);
        g.c.t = t, g.call = derivatives, bytes = g.work.bytes;
        return error;
    };
    auto refused = [&](const char *what) {
        EXPECT(call() == cudaErrorInvalidValue, "gradient: %s", what);
    };
    device_upload(g.dx.device, g.dx.host, g.dx.bytes);
    g.call.dx = NULL, refused("no dx");
    g.call.drhs = NULL, refused("no drhs");
    g.c.t.x = NULL, refused("no x");
    g.c.t.n = -1, refused("n < 0");
    bytes--, refused("the workspace is too small");
    g.call.dsub = (char *)derivatives.dsub + 1, refused("dsub is not aligned");
    g.call.dsub = g.call.ddiag, refused("dsub is ddiag");
    g.call.drhs = t.x, refused("drhs is x");
    g.call.dsuper = (void *)t.super, refused("dsuper is super");
    EXPECT(fetch_gradient(&g) && device_holds(g.d[3].device, 0xff, g.d[3].bytes) &&
               device_holds(g.d[0].device, 0xff, g.d[0].bytes),
           "a refused gradient has written");
    g.c.t.n = 0, g.call = {};
    EXPECT(call() == cudaSuccess && device_holds(g.c.status, 0, sizeof *g.c.status),
           "gradient of no rows");
    CHECK(cudaMemset((void *)t.diag, 0, 50 * sizeof(double)));
    CHECK(cudaMemset((void *)t.sub, 0, 50 * sizeof(double)));
    EXPECT(call() == cudaSuccess && !device_holds(g.c.status, 0, sizeof *g.c.status),
           "gradient of a singular system: status 0");
    case_close(&g.c);
}

void tridiagonal_check_gradient(uint64_t seed)
{
    struct random r = {seed + 3};
    for (char type : {'s', 'd', 'c', 'z'})
        for (int pivot = 0; pivot < PIVOTS; pivot++) {
            struct cuts cut = tridiagonal_cuts(type, pivot);
            for (enum tridiagonal_way way :
                 {TRIDIAGONAL_RESIDENT, TRIDIAGONAL_PARTLY_RESIDENT, TRIDIAGONAL_TWO_PASS})
                for (int64_t n : {(int64_t)1, (int64_t)2, (int64_t)3, (int64_t)6, cut.thread + 1,
                                  cut.group + 1, cut.warp, cut.pass1_warp + 1, cut.block + 3})
                    for (int options = 0; options < 4; options++) {
                        if (static int turns; expect_skips(&turns))
                            continue;
                        uint64_t draw = random_bits(&r);
                        struct shape s = {.type = type,
                                          .n = n,
                                          .sides = draw % 3 == 0 && n < 2000 ? 3 : 1,
                                          .stride = n + (int64_t)(draw / 3 % 2),
                                          .toeplitz = options % 2 > 0,
                                          .periodic = options / 2 > 0};
                        for (int a = 0; a < ARRAYS; a++)
                            s.offset[a] = draw >> 8 & 1 ? (int)(draw >> (10 + 2 * a) & 3) : 0;
                        /* matrix 13 is too ill-conditioned for finite differences */
                        const int matrix = drawn_matrix(&s, pivot, draw >> 30);
                        bool in_place = draw >> 20 & 1;
                        int missing = draw >> 21 & 7 ? 0 : (int)(draw >> 24 & 7);
                        check_one(s, pivot, way, matrix == 13 ? 1 : matrix, draw, in_place,
                                  missing);
                    }
        }
    check_calls();
}
