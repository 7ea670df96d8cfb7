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

static void check_one(struct shape shape, struct how how)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct trial t = open_trial(shape);
    t.call.crank_nicolson = how.crank_nicolson;
    CHECK(solve(&t));
    const size_t element = (size_t)size_of(shape.type), before = (size_t)shape.offset * element;
    struct guarded d[4], dx = guarded_open(&t.memory, bytes_of(&t, RHS), before);
    for (int64_t i = 0; i < elements_of(&t, RHS); i++)
        if (t.in_use[i])
            put_number(shape.type, dx.host, i, draw(&t), draw(&t));
        else
            memset((char *)dx.host + (size_t)i * element, 0xff, element);
    device_upload(dx.device, dx.host, dx.bytes);
    for (int a = 0; a < 4; a++)
        d[a] = guarded_open(&t.memory, bytes_of(&t, a), before);
    struct tridiagonal_derivatives call = {dx.device, d[0].device, d[1].device, d[2].device,
                                           how.in_place ? dx.device : d[3].device};
    for (int a = 0; a < 3; a++)
        if (how.missing >> a & 1)
            (a == 0 ? call.dsub : a == 1 ? call.ddiag : call.dsuper) = NULL;
    struct guarded work = guarded_open(&t.memory, batch_gradient_work(&t.call), 0);
    t.call.work = work.device;
    CHECK(cudaMemset(t.call.status, 0x55, (size_t)shape.batch * sizeof(int)));
    cudaError_t error = batch_gradient(&t.call, &call, 0);
    struct gradient_test test = {.type = shape.type,
                                 .systems = shape.batch,
                                 .periodic = shape.periodic,
                                 .crank_nicolson = how.crank_nicolson,
                                 .x = t.host[X],
                                 .dx = dx.host,
                                 .of = &t,
                                 .length = length_in,
                                 .element = element_in};
    bool guarded = guarded_kept(&dx) && guarded_kept(&work);
    for (int a = 0; a < 4; a++) {
        test.in[a] = t.host[a];
        test.elements[a] = elements_of(&t, a);
        device_download(d[a].host, a == 3 ? call.drhs : d[a].device, d[a].bytes);
        bool missing = a < 3 && (how.missing >> a & 1);
        guarded = guarded && guarded_kept(&d[a]) &&
                  (!missing || device_holds(d[a].device, 0xff, d[a].bytes));
        test.d[a] = missing ? NULL : d[a].host;
    }
    struct gradient_errors e = gradient_errors(&test);
    double difference =
        shape.n <= GRADIENT_SMALL && shape.batch <= 12 ? gradient_difference(&test) : 0;
    EXPECT(
        error == cudaSuccess && guarded && e.adjoint <= BOUND && e.matrix <= 1 &&
            difference <= difference_bound(&t) &&
            device_holds(t.call.status, 0, (size_t)shape.batch * sizeof(int)),
        "%s: gradient%s%s, missing %d: %s, %s, errors %g u of the adjoint system, %g of the bound "
        "of the derivatives, %g to finite differences",
        trial_text(&t), how.crank_nicolson ? ", crank_nicolson" : "",
        how.in_place ? ", in place" : "", how.missing, cudaGetErrorString(error),
        guarded ? "guards kept" : "guards overwritten", e.adjoint, e.matrix, difference);
    close_trial(&t);
}

/* All layouts and kinds of matrices, in turn with the other choices. */
static void check_shapes(char type, int pivot, int64_t n, int64_t batch, int *turn)
{
    for (int layout = CONTIGUOUS; layout < LAYOUTS; layout++)
        for (int padding = TIGHT; padding < PADDINGS; padding++)
            for (int kind = 0; kind < 6; kind++)
                for (bool periodic : {false, true}) {
                    const bool lengths = kind == 4, few = kind == 5;
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

void tridiagonal_batch_check_gradient(bool all)
{
    (void)all;
    int turn = 0;
    for (char type : {'s', 'd', 'c', 'z'})
        for (int pivot : {0, 1, 2})
            for (int64_t n : {1, 2, 5, 12, 40})
                check_shapes(type, pivot, n, 6, &turn);
}
