/* Tests of tridiagonal_batch_gradient(). */
#include "test/gradient.h"
#include "test/guarded.h"
#include "test/replay.h"
#include "test/tridiagonal_batch_trial.h"

#include <initializer_list>

/* How a gradient is called. */
struct how {
    bool crank_nicolson, in_place; /* in_place: drhs is dx */
    int missing;                   /* bit a: dsub, ddiag or dsuper (a = 0, 1, 2) is NULL */
};

static int64_t length_in(const void *of, int64_t k)
{
    return length_of((const struct trial *)of, k);
}
static int64_t element_in(const void *of, int array, int64_t k, int64_t i)
{
    return element_at((const struct trial *)of, array, k, i);
}
/* The forward error of a derivative in finite differences. Without pivoting the matrices are
 * dominant, otherwise random, so in single precision their condition allows no test. */
static double difference_bound(const struct trial *t)
{
    return real_type(t->shape.type) == 'd' ? 1e-6 : t->shape.pivot ? (double)INFINITY : 1e-4;
}

/* A batch that has been solved, and the call of its gradient. */
struct gradient_trial {
    struct trial t;
    struct how how;
    struct guarded d[4], dx, work; /* d: dsub, ddiag, dsuper, drhs */
    struct tridiagonal_derivatives call;
};
/* broken: a system whose first diagonal element becomes NaN, or -1. */
static struct gradient_trial open_gradient(struct shape shape, struct how how, int64_t broken = -1)
{
    struct gradient_trial g = {.t = open_trial(shape), .how = how};
    struct trial *t = &g.t;
    t->call.crank_nicolson = how.crank_nicolson;
    if (broken >= 0)
        set_row(t, DIAG, broken, 0, (double)NAN);
    CHECK(solve(t));
    const size_t element = (size_t)size_of(shape.type), before = (size_t)shape.offset * element;
    g.dx = guarded_open(&t->memory, bytes_of(t, RHS), before);
    for (int64_t i = 0; i < elements_of(t, RHS); i++)
        if (t->in_use[i])
            put_number(shape.type, g.dx.host, i, draw(t), draw(t));
        else
            memset((char *)g.dx.host + (size_t)i * element, 0xff, element);
    for (int a = 0; a < 4; a++)
        g.d[a] = guarded_open(&t->memory, bytes_of(t, a), before);
    g.call = {g.dx.device, g.d[0].device, g.d[1].device, g.d[2].device,
              how.in_place ? g.dx.device : g.d[3].device};
    for (int a = 0; a < 3; a++)
        if (how.missing >> a & 1)
            (a == 0 ? g.call.dsub : a == 1 ? g.call.ddiag : g.call.dsuper) = NULL;
    g.work = guarded_open(&t->memory, batch_gradient_work(&t->call), 0);
    t->call.work = g.work.device;
    return g;
}
/* Fills what the gradient writes with other numbers. */
static void prepare_gradient(const struct gradient_trial *g)
{
    device_upload(g->dx.device, g->dx.host, g->dx.bytes);
    for (const struct guarded &d : g->d)
        device_poison(d.device, d.bytes);
    device_poison(g->work.device, g->work.bytes);
    CHECK(cudaMemset(g->t.call.status, 0x55, (size_t)g->t.shape.batch * sizeof(int)));
}
/* Downloads the results. Are all other arrays and all bytes around arrays as they were? */
static bool fetch_gradient(struct gradient_trial *g)
{
    struct trial *t = &g->t;
    bool kept = guarded_kept(&g->dx) && guarded_kept(&g->work);
    for (int a = 0; a < 4; a++) {
        device_download(g->d[a].host, a == 3 ? g->call.drhs : g->d[a].device, g->d[a].bytes);
        kept = kept && guarded_kept(&g->d[a]) &&
               (!(g->how.missing >> a & 1) || device_holds(g->d[a].device, 0xff, g->d[a].bytes));
    }
    device_download(t->host_status, t->call.status, (size_t)t->shape.batch * sizeof(int));
    const void *const in[] = {t->call.sub, t->call.diag, t->call.super, t->call.x, g->call.dx},
                      *const host[] = {t->host[SUB], t->host[DIAG], t->host[SUPER], t->host[X],
                                       g->dx.host};
    void *now = memory_host(&t->memory, bytes_of(t, X) + 1);
    for (int a = 0; a < (g->how.in_place ? 4 : 5); a++) {
        size_t bytes = a < 3 ? bytes_of(t, a) : bytes_of(t, X);
        device_download(now, in[a], bytes);
        kept = kept && memcmp(now, host[a], bytes) == 0;
    }
    return kept;
}
static void expect_gradient(struct gradient_trial *g, cudaError_t error, const char *what)
{
    const struct trial *t = &g->t;
    const struct shape *s = &t->shape;
    const bool kept = fetch_gradient(g);
    struct gradient_test test = {.type = s->type,
                                 .systems = s->batch,
                                 .periodic = s->periodic,
                                 .crank_nicolson = g->how.crank_nicolson,
                                 .x = t->host[X],
                                 .dx = g->dx.host,
                                 .of = t,
                                 .length = length_in,
                                 .element = element_in};
    for (int a = 0; a < 4; a++) {
        test.in[a] = t->host[a];
        test.elements[a] = elements_of(t, a);
        test.d[a] = g->how.missing >> a & 1 ? NULL : g->d[a].host;
    }
    struct gradient_errors e = gradient_errors(&test);
    double difference = s->n <= GRADIENT_SMALL && s->batch <= 12 ? gradient_difference(&test) : 0;
    EXPECT(error == cudaSuccess && kept && e.adjoint <= BOUND && e.matrix <= 1 &&
               difference <= difference_bound(t) &&
               device_holds(t->call.status, 0, (size_t)s->batch * sizeof(int)),
           "%s: gradient%s%s, missing %d, %s: %s, %s, errors %g u of the adjoint system, %g of the "
           "bound of the derivatives, %g to finite differences",
           trial_text(t), g->how.crank_nicolson ? ", crank_nicolson" : "",
           g->how.in_place ? ", in place" : "", g->how.missing, what, cudaGetErrorString(error),
           kept ? "other bytes kept" : "other bytes changed", e.adjoint, e.matrix, difference);
}
static cudaError_t run_gradient(const struct gradient_trial *g, cudaStream_t stream)
{
    return batch_gradient(&g->t.call, &g->call, stream);
}
static void check_one(struct shape shape, struct how how)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct gradient_trial g = open_gradient(shape, how);
    prepare_gradient(&g);
    expect_gradient(&g, run_gradient(&g, 0), "called");
    close_trial(&g.t);
}
/* Two replays in a graph must give the bits of a direct call. */
static void check_graph(struct shape shape, struct how how)
{
    struct gradient_trial g = open_gradient(shape, how), direct = open_gradient(shape, how);
    prepare_gradient(&direct);
    expect_gradient(&direct, run_gradient(&direct, 0), "called directly");
    replay(
        2, [&](cudaStream_t stream) { return run_gradient(&g, stream); },
        [&](int) { prepare_gradient(&g); },
        [&](int) {
            expect_gradient(&g, cudaSuccess, "in a graph");
            for (int a = 0; a < 4; a++)
                EXPECT(memcmp(g.d[a].host, direct.d[a].host, g.d[a].bytes) == 0,
                       "%s: other bits of derivative %d in a graph", trial_text(&g.t), a);
        });
    close_trial(&g.t);
    close_trial(&direct.t);
}
/* If the last system breaks down, the others must keep the bits of their gradients. */
static void check_broken(struct shape shape)
{
    if (static int turns; expect_skips(&turns))
        return;
    const int64_t last = shape.batch - 1;
    struct gradient_trial sound = open_gradient(shape, {}), broken = open_gradient(shape, {}, last);
    int64_t wrong = 0;
    for (struct gradient_trial *g : {&sound, &broken}) {
        prepare_gradient(g);
        CHECK(run_gradient(g, 0));
        wrong += !fetch_gradient(g) && g == &sound; /* x of the broken system may be NaN */
    }
    for (int64_t k = 0; k < last; k++)
        for (int64_t i = 0; i < shape.n && broken.t.host_status[k] == 0; i++)
            for (int a = 0; a < 4; a++) {
                size_t size = (size_t)size_of(shape.type),
                       at = (size_t)element_at(&sound.t, a, k, i) * size;
                wrong +=
                    memcmp((char *)sound.d[a].host + at, (char *)broken.d[a].host + at, size) != 0;
            }
    for (int64_t k = 0; k <= last; k++)
        wrong += (broken.t.host_status[k] > 0) != (k == last);
    EXPECT(wrong == 0, "%s: gradient, the last system is broken: %lld errors",
           trial_text(&broken.t), (long long)wrong);
    close_trial(&sound.t);
    close_trial(&broken.t);
}

/* Wrong calls must be refused, and must not write. */
static void check_refused(void)
{
    struct gradient_trial g =
        open_gradient({.type = 'd', .n = 9, .batch = 4, .periodic = true}, {});
    const struct tridiagonal_batch call = g.t.call;
    const struct tridiagonal_derivatives derivatives = g.call;
    prepare_gradient(&g);
    auto refused = [&](const char *what) {
        EXPECT(run_gradient(&g, 0) == cudaErrorInvalidValue, "gradient: %s", what);
        g.t.call = call;
        g.call = derivatives;
    };
    EXPECT(batch_gradient(&call, NULL, 0) == cudaErrorInvalidValue, "no derivatives");
    g.call.dx = NULL, refused("no dx");
    g.call.drhs = NULL, refused("no drhs");
    g.t.call.x = NULL, refused("no x");
    g.t.call.work = NULL, refused("no workspace");
    g.t.call.n = -1, refused("n < 0");
    g.call.dsub = (char *)derivatives.dsub + 1, refused("dsub is not aligned");
    g.call.dsub = g.call.ddiag, refused("dsub is ddiag");
    g.call.drhs = call.x, refused("drhs is x");
    g.call.ddiag = (void *)call.diag, refused("ddiag is diag");
    g.call.dsuper = (void *)derivatives.dx, refused("dsuper is dx");
    g.call.drhs = (char *)derivatives.dx + 8, refused("drhs overlaps dx");
    g.t.call.crank_nicolson = 1, g.t.call.rhs = NULL, refused("no rhs for crank_nicolson");
    g.t.call.crank_nicolson = 1, g.t.call.rhs = call.x, refused("rhs is x for crank_nicolson");
    for (const struct guarded &d : g.d)
        EXPECT(device_holds(d.device, 0xff, d.bytes), "a refused gradient has written");
    g.t.call.n = 0, g.call = {};
    EXPECT(run_gradient(&g, 0) == cudaSuccess && device_holds(call.status, 0, 4 * sizeof(int)),
           "gradient of no rows");
    close_trial(&g.t);
}

/* All layouts and kinds of matrices, in turn with the other choices. */
static void check_shapes(char type, int pivot, int64_t n, int64_t batch, int *turn)
{
    for (int layout = CONTIGUOUS; layout < LAYOUTS; layout++)
        for (int padding = TIGHT; padding < PADDINGS; padding++)
            for (int kind = 0; kind < 5; kind++)
                for (bool periodic : {false, true}) {
                    const bool lengths = kind == 3, few = kind == 4;
                    if (lengths &&
                        (layout || padding || periodic || n > batch_longest(type, pivot)))
                        continue;
                    struct shape s = {.type = type,
                                      .pivot = pivot,
                                      .n = n,
                                      .batch = batch,
                                      .offset = *turn % 5,
                                      .layout = (enum layout)layout,
                                      .padding = (enum padding)padding,
                                      .lengths = lengths,
                                      .matrix = (enum tridiagonal_matrix)(kind < 3 ? kind : 0),
                                      .periodic = periodic,
                                      .sides = few ? batch / 2 : 0};
                    (*turn)++;
                    check_one(s, {*turn % 3 == 0, *turn % 2 == 0, *turn % 7 ? 0 : *turn % 8});
                }
}

/* Larger sizes, for every kernel: tiles of many systems, of few and of a part of one; slices, teams
 * of blocks and rings; shared matrices, whose derivatives many threads add up. */
static void check_kernels(char type, int pivot, bool all, int *turn)
{
    const int64_t beyond = batch_longest(type, pivot) + 1;
    for (struct shape s : {
             shape{.n = 7, .batch = 400},
             shape{.n = 100, .batch = 70},
             shape{.n = 900, .batch = 9},
             shape{.n = beyond - 1, .batch = 3},
             shape{.n = beyond, .batch = 3},
             shape{.n = 2 * beyond, .batch = 2},
             shape{.n = 9, .batch = 300, .lengths = true},
             shape{.n = 500, .batch = 30, .lengths = true},
             shape{.n = 90, .batch = 40, .layout = INTERLEAVED},
             shape{.n = 400, .batch = 40, .layout = INTERLEAVED},
             shape{.n = 401, .batch = 9, .layout = WIDE, .padding = GAPS},
             shape{.n = 700, .batch = 40, .layout = INTERLEAVED},
             shape{.n = 700, .batch = 20, .layout = NARROW, .periodic = true},
             shape{.n = 400, .batch = 20, .layout = BESIDE, .periodic = true},
             shape{.n = 1900, .batch = 6, .layout = INTERLEAVED, .padding = LINES},
             shape{.n = 333, .batch = 7, .layout = CONTIGUOUS, .padding = GAPS},
             shape{.n = 400, .batch = 7, .periodic = true},
             shape{.n = 70, .batch = 900, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = 3, .batch = 9000, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = 70, .batch = 900, .layout = NARROW, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = beyond, .batch = 4, .matrix = TRIDIAGONAL_BATCH_SHARED},
             shape{.n = 500, .batch = 60, .matrix = TRIDIAGONAL_BATCH_CONSTANT},
             shape{.n = 90, .batch = 300, .layout = WIDE, .matrix = TRIDIAGONAL_BATCH_CONSTANT},
             shape{.n = 90, .batch = 300, .sides = 150},
             shape{.n = 90, .batch = 300, .layout = INTERLEAVED, .sides = 150},
         }) {
        s.type = type;
        s.pivot = pivot;
        s.offset = ++*turn % 3 ? 0 : *turn % 5;
        if (all || s.n * s.batch < 70000)
            check_one(s, {*turn % 4 == 0, *turn % 2 == 0, *turn % 11 ? 0 : *turn % 8});
    }
}

void tridiagonal_batch_check_gradient(bool all)
{
    int turn = 0;
    for (char type : {'s', 'd', 'c', 'z'})
        for (int pivot : {0, 1, 2}) {
            const int64_t beyond = batch_longest(type, pivot) + 1;
            for (int64_t n : {1, 2, 5, 12, 40})
                check_shapes(type, pivot, n, 6, &turn);
            check_kernels(type, pivot, all, &turn);
            for (struct shape s :
                 {shape{.n = 7, .batch = 90}, shape{.n = 200, .batch = 8},
                  shape{.n = beyond, .batch = 2}, shape{.n = 90, .batch = 9, .layout = INTERLEAVED},
                  shape{.n = 700, .batch = 9, .layout = INTERLEAVED}}) {
                s.type = type;
                s.pivot = pivot;
                if (!is_complex(type)) /* else the checked path may round differently */
                    check_broken(s);
            }
        }
    check_refused();
    check_graph({.type = 'd', .n = 300, .batch = 20}, {true, true, 0});
    check_graph(
        {.type = 'c', .pivot = 2, .n = 60, .batch = 900, .layout = INTERLEAVED, .sides = 90}, {});
    check_graph({.type = 's', .n = 700, .batch = 20, .layout = INTERLEAVED, .periodic = true}, {});
}
