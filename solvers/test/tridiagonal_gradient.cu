/* Tests of tridiagonal_gradient(). */
#include "test/gradient.h"
#include "test/guarded.h"
#include "test/matrices.h"
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

/* Solves a case and tests its gradient. in_place: drhs is dx. Bit a of `missing`: dsub, ddiag or
 * dsuper (a = 0, 1, 2) is NULL. */
static void check_one(const struct shape &s, int pivot, enum tridiagonal_way way, int matrix,
                      uint64_t seed, bool in_place, int missing)
{
    struct tridiagonal_case c = case_make(s, pivot, matrix, seed);
    struct random random = {seed + 9};
    const size_t element = (size_t)size_of(s.type);
    c.t.way = way;
    const long long status = case_solve(&c, &c.t);
    if (status == -1) { /* too large for RESIDENT */
        case_close(&c);
        return;
    }
    const int64_t elements[] = {s.toeplitz ? 1 : s.n, s.toeplitz ? 1 : s.n, s.toeplitz ? 1 : s.n,
                                c.elements};
    struct guarded d[4],
        dx = guarded_open(&c.memory, (size_t)c.elements * element, (size_t)s.offset[RHS] * element);
    memset(dx.host, 0xff, dx.bytes);
    for (int64_t k = 0; k < case_sides(&c); k++)
        for (int64_t i = 0; i < s.n; i++) {
            double re = random_uniform(&random, -1, 1), im = random_uniform(&random, -1, 1);
            put_number(s.type, dx.host, element_in(&c, RHS, k, i), re, im);
        }
    device_upload(dx.device, dx.host, dx.bytes);
    for (int a = 0; a < 4; a++)
        d[a] = guarded_open(&c.memory, (size_t)elements[a] * element,
                            (size_t)s.offset[a == 3 ? X : a] * element);
    void *drhs = in_place ? dx.device : d[3].device;
    struct tridiagonal_derivatives call = {dx.device, missing & 1 ? NULL : d[0].device,
                                           missing & 2 ? NULL : d[1].device,
                                           missing & 4 ? NULL : d[2].device, drhs};
    struct guarded work = guarded_open(&c.memory, tridiagonal_gradient_workspace(&c.t), 0);
    CHECK(tridiagonal_prepare(work.device, work.bytes, 0));
    CHECK(cudaMemset(c.status, 0x55, sizeof *c.status));
    cudaError_t error = tridiagonal_gradient(&c.t, &call, work.device, work.bytes, 0);
    struct gradient_test test = {.type = s.type,
                                 .systems = case_sides(&c),
                                 .periodic = s.periodic,
                                 .x = case_host(&c, X),
                                 .dx = dx.host,
                                 .of = &c,
                                 .length = length_in,
                                 .element = element_in};
    bool guarded = guarded_kept(&dx) && guarded_kept(&work);
    for (int a = 0; a < 4; a++) {
        test.in[a] = case_host(&c, a);
        test.elements[a] = elements[a];
        device_download(d[a].host, a == 3 ? drhs : d[a].device, d[a].bytes);
        guarded = guarded && guarded_kept(&d[a]) &&
                  (!(missing >> a & 1) || device_holds(d[a].device, 0xff, d[a].bytes));
        test.d[a] = missing >> a & 1 ? NULL : d[a].host;
    }
    struct gradient_errors e = gradient_errors(&test);
    /* in single precision the condition of matrices that are not dominant allows no comparison */
    bool small = s.n <= GRADIENT_SMALL &&
                 (real_type(s.type) == 'd' || (case_is_dominant(matrix) && matrix != 20));
    double difference = small ? gradient_difference(&test) : 0;
    EXPECT(status == 0 && error == cudaSuccess && guarded && e.adjoint <= BOUND && e.matrix <= 1 &&
               difference <= (real_type(s.type) == 'd' ? 1e-6 : 1e-4) &&
               device_holds(c.status, 0, sizeof *c.status),
           "gradient, matrix %d%s, missing %d, %s: %s, %s, errors %g u of the adjoint system, %g "
           "of the bound of the derivatives, %g to finite differences",
           matrix, in_place ? ", in place" : "", missing, case_text(&c), cudaGetErrorString(error),
           guarded ? "guards kept" : "guards overwritten", e.adjoint, e.matrix, difference);
    case_close(&c);
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
}
