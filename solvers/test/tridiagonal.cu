/* Tests of tridiagonal.h: solutions for all sizes, types, layouts and matrices; invalid calls;
 * workspaces; CUDA graphs. The tests of breakdowns are in tridiagonal_breakdown.cu, those of
 * automatic pivoting in tridiagonal_automatic.cu. tridiagonal --check runs all. */
#include "certificate.cuh"
#include "bench/memory_floor.h"
#include "bench/tridiagonal_bench.h"
#include "test/replay.h"
#include "test/tridiagonal_test.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* The largest errors of all cases, for each value of enum tridiagonal_pivot. */
static struct errors worst[PIVOTS];

/* Are the inputs and the bytes after the workspace unchanged? */
static bool inputs_kept(const struct tridiagonal_case *c)
{
    bool same = device_holds((char *)c->work + c->work_bytes, 0xff, GUARD);
    for (int a = 0; a < X; a++) {
        size_t bytes = case_image_bytes(c, a);
        void *now = host_alloc("tridiagonal", (int64_t)(bytes + 1));
        device_download(now, c->device[a], bytes);
        same = same && memcmp(now, c->host[a], bytes) == 0;
        free(now);
    }
    return same;
}

const char *case_text(const struct tridiagonal_case *c)
{
    static char text[200];
    const struct shape *s = &c->s;
    snprintf(text, sizeof text,
             "type %c, n = %lld, pivot %d, way %d%s%s%s, %lld sides %lld apart, offsets "
             "%d %d %d %d %d",
             s->type, (long long)s->n, c->t.pivot, c->t.way, s->toeplitz ? ", toeplitz" : "",
             c->t.periodic ? ", periodic" : "", s->in_place ? ", in place" : "",
             (long long)s->sides, (long long)s->stride, s->offset[SUB], s->offset[DIAG],
             s->offset[SUPER], s->offset[RHS], s->offset[X]);
    return text;
}

/* Solves one case and checks its errors. If `again` is true, two more calls must give the same
 * bits. The first of them reuses the workspace and passes no status. The second has a newly
 * prepared workspace, and if `way` is RESIDENT it uses AUTO. Returns false if the rows do not fit
 * on the chip. */
static bool check_shape(const struct shape &s, int pivot, enum tridiagonal_way way, int matrix,
                        uint64_t seed, bool again)
{
    struct tridiagonal_case c = case_make(s, pivot, matrix, seed);
    struct tridiagonal &t = c.t;
    t.way = way;
    const char *what = case_text(&c);
    long long status = case_solve(&c, &t);
    bool fits = status != -1;
    EXPECT(fits || way == TRIDIAGONAL_RESIDENT, "%s: refused", what);
    if (fits) {
        struct errors e = case_errors(&c);
        /* In a dominant system of 2^28 rows, on an H100, one residual reached 67 u relative to the
         * row's terms, but only 1.5 u relative to the largest |x|. */
        bool by_terms = case_is_dominant(matrix) && s.n < 1 << 24;
        EXPECT(status == 0 && (by_terms ? e.terms : e.rows) <= BOUND,
               "%s, matrix %d: status %lld, backward error %g u of a row's terms, %g u of a row",
               what, matrix, status, e.terms, e.rows);
        EXPECT(case_only_wrote(&c, 0, s.n), "%s: elements around x", what);
        if (case_is_dominant(matrix))
            worst[pivot].terms = fmax(worst[pivot].terms, e.terms);
        worst[pivot].rows = fmax(worst[pivot].rows, e.rows);
    }
    if (fits && again) {
        size_t bytes = case_image_bytes(&c, X);
        void *first = memory_host(&c.memory, bytes);
        memcpy(first, c.host[X], bytes);
        t.status = NULL;
        EXPECT(case_solve(&c, &t) == 0 && memcmp(first, c.host[X], bytes) == 0,
               "%s: other bits in the second call", what);
        device_poison(c.work, c.work_bytes);
        CHECK(tridiagonal_prepare(c.work, c.work_bytes, 0));
        t.status = c.status;
        if (way == TRIDIAGONAL_RESIDENT)
            t.way = TRIDIAGONAL_AUTO;
        EXPECT(case_solve(&c, &t) == 0 && memcmp(first, c.host[X], bytes) == 0,
               "%s: other bits from a fresh workspace", what);
    }
    EXPECT(inputs_kept(&c), "%s: inputs or what is behind the workspace have changed", what);
    case_close(&c);
    return fits;
}

/* ---- the test for dominance ---- */

template <class R> static void number_of(double value, R *x)
{
    *x = (R)value;
}
/* A complex number of this modulus whose parts both differ from 0. */
template <class R> static void number_of(double value, complex_of<R> *x)
{
    *x = {(R)(0.6 * value), (R)(-0.8 * value)};
}
/* is_dominant() (certificate.cuh) must be exact up to some units of roundoff where sub and super
 * have the same modulus, and false for numbers that are not finite or near the ends of the range.
 */
template <class T> static void check_is_dominant(char type)
{
    const double u = unit_roundoff(type), far = real_type(type) == 's' ? 0x1p49 : 0x1p499,
                 none = (double)NAN, infinite = (double)INFINITY;
    const struct {
        double sub, diag, super;
        bool dominant;
    } rows[] = {{1, 2, 1, true},
                {1, -2, -1, true},
                {1, 2 * (1 - 4 * u), 1, true},
                {1, 2 * (1 - 20 * u), 1, false},
                {0, 1, 0, true},
                {0, 0, 0, false},
                {1, 2.9, 2, false},
                {0, 1, 1.1, false},
                {1.1, 1, 0, false},
                {0.5 * far, far, 0.5 * far, true},
                {0.5 / far, 1 / far, 0.5 / far, true},
                {0, 8 * far, 0, false},
                {0, 0.1 / far, 0, false},
                {none, 1, 0, false},
                {0, none, 0, false},
                {0, 1, none, false},
                {infinite, infinite, 0, false},
                {0, infinite, 0, false},
                {0, 1, infinite, false}};
    for (auto &row : rows) {
        T sub, diag, super;
        number_of(row.sub, &sub), number_of(row.diag, &diag), number_of(row.super, &super);
        EXPECT(is_dominant(sub, diag, super) == row.dominant,
               "type %c: row %g, %g, %g is %sdominant", type, row.sub, row.diag, row.super,
               row.dominant ? "not " : "");
    }
}

/* ---- sizes ---- */

struct cuts tridiagonal_cuts(char type, int pivot)
{
    static const int some_chunks[3][4] = {{1, 3, 5, 7}, {1, 3, 5, 9}, {1, 3, 7, 13}};
    int size = size_of(type), processors,
        chunks = size > 8            ? (pivot ? 13 : 9)
                 : pivot && size > 4 ? 9
                                     : 7,
        threads = size > 8 && pivot != TRIDIAGONAL_PIVOT_ALWAYS   ? 384
                  : size > 4 && pivot == TRIDIAGONAL_PIVOT_ALWAYS ? 256
                                                                  : 512;
    const int *some = some_chunks[threads == 512 ? 0 : threads == 384 ? 1 : 2];
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    struct cuts cut = {};
    cut.chunk = 16 / size;
    cut.thread = chunks * cut.chunk;
    cut.pass1_lane = 16 * cut.thread;
    cut.group = (pivot ? 16 : 32) * cut.thread;
    cut.warp = 32 * cut.thread;
    cut.pass1_warp = 32 * cut.pass1_lane;
    cut.block = threads * cut.chunk;
    for (int k = 0; k < 4; k++)
        cut.resident[k] = processors * cut.block * some[k];
    return cut;
}

/* Tests one size with a random matrix, layout and options. */
static void check_drawn(char type, int pivot, enum tridiagonal_way way, int64_t n, struct random *r)
{
    if (static int turns; expect_skips(&turns))
        return;
    uint64_t draw = random_bits(r);
    struct shape s = {.type = type,
                      .n = n,
                      .sides = 1,
                      .toeplitz = draw % 4 == 1,
                      .periodic = draw / 4 % 3 == 1,
                      .in_place = draw / 12 % 4 == 1};
    draw /= 48;
    if (n < 300 && draw % 4 == 1 && draw / 48 % 2) {
        s.sides = 3;
        s.stride = n + (int64_t)(draw / 4 % 3);
    } else if (draw % 4 == 2)
        s.sides = 0;
    draw /= 12;
    /* Each offset is 0 to 3. Either all arrays have the same offset, or each has a random one. */
    for (int a = 0; a < ARRAYS && draw % 2; a++)
        s.offset[a] = (int)(draw >> (draw % 4 == 1 ? 8 : 8 + 2 * a)) & 3;
    draw = random_bits(r);
    check_shape(s, pivot, way, drawn_matrix(&s, pivot, draw), draw, (draw >> 40) % 6 == 0);
}

static void check_sizes(char type, int pivot, bool all, struct random *r)
{
    struct cuts cut = tridiagonal_cuts(type, pivot);
    for (int64_t n = 1; n <= 5; n++)
        for (int k = 0; k < (all ? 12 : 1); k++)
            check_drawn(type, pivot, (enum tridiagonal_way)(1 + (k + n) % 3), n, r);
    for (int k = 0; k < (all ? 6 : 1); k++) {
        for (int64_t n :
             {cut.chunk, cut.thread, cut.pass1_lane, cut.group, cut.warp, cut.pass1_warp}) {
            int64_t only = (int64_t)(random_bits(r) % 4) - 1;
            for (int64_t by = -1; by <= 2; by++) /* from one row less to two rows more */
                if (n + by > 0 && (all || by == only))
                    check_drawn(type, pivot, TRIDIAGONAL_TWO_PASS, n + by, r);
        }
        check_drawn(type, pivot, TRIDIAGONAL_TWO_PASS, 3 * cut.pass1_warp + cut.thread + 1, r);
        for (int64_t n : {cut.chunk, 32 * cut.chunk, cut.block})
            check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, n + (k + 1) % 2, r);
        for (int i = 0; i < 4 && k == 0; i++)
            if (all || i == 3 || random_bits(r) % 3 == 0)
                check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, cut.resident[i] - i % 2, r);
        if (k > 0) /* 1/6 to 5/6 of the largest size */
            check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, cut.resident[3] * k / 6 + 1, r);
        for (int64_t n : {32 * cut.chunk, cut.block, 2 * cut.block + 1})
            check_drawn(type, pivot, TRIDIAGONAL_PARTLY_RESIDENT, n - (k + 1) % 2, r);
        /* two, three and more tiles, of which the first one has 1 chunk or more */
        for (int64_t n : {cut.resident[3] + 1, cut.resident[3] * 4 / 3, 2 * cut.resident[3] + 1,
                          cut.resident[3] * (k % 2 ? 9 : 11) / 3 - 1})
            if (all || (k == 0 && (n > 2 * cut.resident[3] || random_bits(r) % 2)))
                check_drawn(type, pivot, TRIDIAGONAL_PARTLY_RESIDENT, n, r);
    }
    /* In dominant systems a wrong value at one end of a tile changes little at the other end. */
    struct shape tiles = {.type = type, .n = 2 * cut.resident[3] + 1, .sides = 1};
    if (pivot)
        check_shape(tiles, pivot, TRIDIAGONAL_PARTLY_RESIDENT, SKEW, 1, true);
    struct shape s = {
        .type = type, .n = cut.resident[3] + 1, .sides = 1, .toeplitz = true, .in_place = true};
    EXPECT(!check_shape(s, pivot, TRIDIAGONAL_RESIDENT, DOMINANT, 1, false),
           "type %c, pivot %d: n = %lld is resident", type, pivot, (long long)s.n);
}

/* AUTO must solve what does not fit into shared memory: partly resident, and by two passes. */
static void check_auto(uint64_t seed)
{
    for (int times : {2, 21}) {
        int64_t n = times * tridiagonal_cuts('z', 1).resident[3] + 1;
        check_shape({.type = 'z', .n = n, .toeplitz = true}, 1, TRIDIAGONAL_AUTO, DOMINANT, seed,
                    false);
    }
}

/* Tests sizes with more than 1024 groups, so that each thread of merge_groups has several groups.
 * On a GPU the sizes go up to 2^28 rows. */
static void check_many_groups(uint64_t seed)
{
    struct shape s = {
        .type = 's', .n = 1024 * tridiagonal_cuts('s', 0).group + 1, .periodic = true};
    check_shape(s, 0, TRIDIAGONAL_TWO_PASS, DOMINANT, seed, false);
    if (device_is_cpu())
        return;
    for (const char *type = "sdcz"; *type; type++)
        for (int pivot = 0; pivot < PIVOTS; pivot++) {
            check_shape({.type = *type, .n = (1 << 24) + 5, .periodic = pivot == 0}, pivot,
                        TRIDIAGONAL_TWO_PASS, DOMINANT, seed, true);
        }
    double bytes = 4.0 * (1 << 28);
    s.n = 1 << 28;
    s.periodic = false;
    for (int pivot = 0; pivot < PIVOTS; pivot++)
        if (device_fits(6 * bytes, 7 * bytes))
            check_shape(s, pivot, TRIDIAGONAL_TWO_PASS, DOMINANT, seed, false);
}

/* ---- workspaces, misuse, graphs ---- */

/* Calls of different types, sizes and options use one workspace in turn. Each must be solved
 * correctly. */
static void check_one_workspace(uint64_t seed)
{
    struct random r = {seed + 5};
    enum { CASES = 4 * PIVOTS };
    struct tridiagonal_case cases[CASES], *largest = cases;
    for (int k = 0; k < CASES; k++) {
        cases[k] = case_make({.type = "sdcz"[k % 4],
                              .n = 900 + 2500 * (k % 3),
                              .toeplitz = k % 3 == 2,
                              .periodic = k % 5 == 1},
                             k / 4, k / 4 && k % 3 != 2 ? SKEW : DOMINANT, seed);
        largest = cases[k].work_bytes > largest->work_bytes ? &cases[k] : largest;
    }
    for (int call = 0; call < 20; call++) {
        struct tridiagonal_case c = cases[random_bits(&r) % CASES];
        c.work = largest->work;
        c.t.way = (enum tridiagonal_way)(random_bits(&r) % 4);
        long long status = case_solve(&c, &c.t);
        EXPECT(status == -1 || (status == 0 && case_errors(&c).rows <= BOUND),
               "call %d of one workspace, %s: status %lld", call, case_text(&c), status);
    }
    for (struct tridiagonal_case &c : cases)
        case_close(&c);
}

/* The size of a workspace must not exceed the size that the header promises: a tenth of the bytes
 * of the four input arrays, plus 160 KiB. */
static void check_workspace(uint64_t seed)
{
    struct random r = {seed};
    int64_t wrong = 0, at = -1;
    for (const char *type = "sdcz"; *type; type++)
        for (int k = 0; k < 34 * 16; k++) {
            int64_t n = INT64_C(1) << k / 16;
            n = k % 16 < 3 ? n + k % 16 - 1 : n + (int64_t)(random_bits(&r) % (uint64_t)n);
            n = n > INT64_C(1) << 33 ? INT64_C(1) << 33 : n;
            struct tridiagonal t = {.type = *type, .n = n};
            for (t.pivot = 0; t.pivot < PIVOTS; t.pivot++) {
                double bytes = (double)tridiagonal_workspace(&t),
                       arrays = 4.0 * (double)n * size_of(*type);
                if (!(bytes > 0 && bytes <= 0.1 * arrays + 160 * 1024))
                    wrong++, at = n;
            }
        }
    EXPECT(wrong == 0, "%lld workspaces are larger than promised, as of n = %lld", (long long)wrong,
           (long long)at);
}

/* Calls with one wrong argument. `sized`: tridiagonal_workspace() gives a size nevertheless. */
static void check_refused(const struct tridiagonal_case *c)
{
    struct tridiagonal t = c->t;
    auto refused = [&](bool sized, const char *what) {
        EXPECT(tridiagonal_solve(&t, c->work, c->work_bytes, 0) == cudaErrorInvalidValue, "%s",
               what);
        EXPECT((tridiagonal_workspace(&t) > 0) == sized, "workspace, %s", what);
        t = c->t;
    };
    EXPECT(tridiagonal_workspace(NULL) == 0 &&
               tridiagonal_solve(NULL, c->work, c->work_bytes, 0) == cudaErrorInvalidValue,
           "no system");
    for (char type : {'x', '\0'})
        t.type = type, refused(false, "type");
    for (int64_t n : {INT64_C(-1), INT64_MAX})
        t.n = n, refused(false, "n");
    t.sides = -1, refused(false, "sides < 0");
    t.sides = INT64_MAX, t.stride = 100, refused(false, "sides too large");
    t.stride = -1, refused(false, "stride < 0");
    t.sides = 2, t.stride = 99, refused(false, "stride < n");
    for (int pivot : {-1, (int)PIVOTS})
        t.pivot = pivot, refused(false, "pivot");
    t.way = (enum tridiagonal_way)4, refused(false, "way 4");
    for (const void **array : {&t.sub, &t.diag, &t.super, &t.rhs, (const void **)&t.x}) {
        const char *good = (const char *)*array;
        *array = NULL, refused(true, "no array");
        *array = good + 4, refused(true, "an array is not aligned");
    }
    char *x = (char *)t.x;
    t.sub = x, refused(true, "x is sub");
    t.super = x, refused(true, "x is super");
    t.diag = x + 8 * 99, refused(true, "x overlaps diag");
    t.rhs = x + 8, refused(true, "x overlaps rhs");
    t.toeplitz = 1, t.sub = x + 8, refused(true, "x has the toeplitz row");
    t.sides = 2, t.stride = 100, t.rhs = x + 800, refused(true, "x of side 1 is rhs of side 0");
    t.n = 100000000, refused(true, "n of a larger workspace");
    for (int64_t n : {0, 100})
        t.n = n, t.status = (long long *)((char *)t.status + 4), refused(true, "status");
    EXPECT(device_holds(c->device[X], 0xff, case_image_bytes(c, X)),
           "x was written by a call that was refused");
}

static void check_misuse(void)
{
    struct tridiagonal_case c = case_make({.type = 'd', .n = 100}, 1, DOMINANT, 1);
    device_poison(c.device[X], case_image_bytes(&c, X));
    check_refused(&c);
    struct tridiagonal t = c.t;
    t.pivot = TRIDIAGONAL_PIVOT_AUTO;
    EXPECT(tridiagonal_reduce(&t, 3, c.device[X], c.work, c.work_bytes, 0) == cudaErrorInvalidValue,
           "automatic pivoting of a part");
    void *work = c.work;
    struct expect_pointer pointers[] = {EXPECT_POINTER(work, 16)};
    EXPECT_POINTERS(pointers, tridiagonal_prepare(work, c.work_bytes, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(pointers, tridiagonal_solve(&c.t, work, c.work_bytes, 0),
                    cudaErrorInvalidValue);
    EXPECT(tridiagonal_solve(&c.t, c.work, c.work_bytes - 1, 0) == cudaErrorInvalidValue,
           "small workspace");
    t = c.t;
    t.n = 0;
    CHECK(cudaMemset(c.status, 0x55, sizeof *c.status));
    EXPECT(tridiagonal_workspace(&t) > 0 &&
               tridiagonal_solve(&t, c.work, c.work_bytes, 0) == cudaSuccess,
           "n = 0");
    t.sub = t.diag = t.super = t.rhs = t.x = NULL;
    EXPECT(tridiagonal_solve(&t, c.work, c.work_bytes, 0) == cudaSuccess, "n = 0, no arrays");
    long long status = -1;
    device_download(&status, c.status, sizeof status);
    EXPECT(status == 0, "n = 0: status %lld", status);
    EXPECT(case_solve(&c, &c.t) == 0 && case_errors(&c).terms <= BOUND, "after all that");
    case_close(&c);
}

/* case_errors() must give a large error if a single element of x is wrong, infinite or NaN. */
static void check_judge(void)
{
    for (const char *type = "sdcz"; *type; type++)
        for (int periodic = 0; periodic < 2; periodic++) {
            struct tridiagonal_case c = case_make(
                {.type = *type, .n = 300, .sides = 2, .stride = 301, .periodic = periodic == 1}, 0,
                DOMINANT, 3);
            EXPECT(case_solve(&c, &c.t) == 0 && case_errors(&c).terms <= BOUND, "to be judged");
            int parts = is_complex(*type) ? 2 : 1;
            char real = real_type(*type);
            for (int64_t i = 0; i < 601 * parts; i += 37) {
                if (i / parts == 300)
                    continue;
                double right = get(real, case_host(&c, X), i);
                for (double wrong : {(double)NAN, (double)INFINITY,
                                     right + 200 * unit_roundoff(*type) * (1 + fabs(right))}) {
                    put(real, case_host(&c, X), i, wrong);
                    EXPECT(!(case_errors(&c).terms <= BOUND),
                           "type %c: %g for %g, element %lld, unseen", *type, wrong, right,
                           (long long)i);
                }
                put(real, case_host(&c, X), i, right);
            }
            EXPECT(case_errors(&c).terms <= BOUND, "all is right again");
            case_close(&c);
        }
}

/* One configuration of a floor. A second launch counts the sum of all words twice.
 * memory_floor_wrong() must see a single wrong word. */
static void check_floor(const struct tridiagonal_case *c, struct memory_floor *f)
{
    const void *const in[] = {case_host(c, SUB), case_host(c, DIAG), case_host(c, SUPER),
                              case_host(c, RHS)};
    const int64_t n = c->s.n;
    unsigned *x = (unsigned *)case_host(c, X), once = 0;
    CHECK(cudaMemset(f->meeting, 0, sizeof *f->meeting));
    for (int launch = 0; launch < 2; launch++) {
        device_poison(c->device[X], case_image_bytes(c, X));
        CHECK(memory_floor_launch(f, 0));
        device_download(c->host[X], c->device[X], case_image_bytes(c, X));
        int64_t wrong = memory_floor_wrong(f->twice, in, x, n);
        EXPECT(case_only_wrote(c, 0, n), "floor: words around x");
        EXPECT(launch == 0 || !f->twice ? wrong == 0 : wrong == n && x[n - 1] != once,
               "floor of %lld words, %u x %u, %d chunks, launch %d: %lld wrong", (long long)n,
               f->blocks, f->threads, f->each, launch, (long long)wrong);
        once = x[n - 1];
        x[n - 1] ^= 1;
        EXPECT(launch > 0 || memory_floor_wrong(f->twice, in, x, n) == 1, "a wrong word, unseen");
    }
}
/* The floors in all configurations, at sizes with and without whole 16-byte chunks. */
static void check_floors(uint64_t seed)
{
    for (int64_t n : {1, 3, 64, 1025, 4097, device_is_cpu() ? 9001 : 3000001})
        for (bool twice : {false, true}) {
            struct tridiagonal_case c =
                case_make({.type = 's', .n = n, .sides = 1, .periodic = true}, 0, DOMINANT, seed);
            struct memory_floor f = {.twice = twice,
                                     .in = {c.t.sub, c.t.diag, c.t.super, c.t.rhs},
                                     .x = c.t.x,
                                     .words = n,
                                     .meeting =
                                         (uint64_t *)memory_device(&c.memory, sizeof(uint64_t))};
            for (int i = 0; memory_floor_configure(&f, i); i++)
                check_floor(&c, &f);
            EXPECT(inputs_kept(&c), "floor of %lld words: inputs have changed", (long long)n);
            case_close(&c);
        }
}

/* Replays calls that all write to the same x. The x of the last call is checked; the earlier calls
 * must not change it. */
static void check_graph(uint64_t seed)
{
    for (char type : {'s', 'z'})
        for (int pivot = 0; pivot <= PIVOTS; pivot++) { /* the last is AUTO, and needs pivoting */
            const bool last = pivot == PIVOTS;
            const int64_t n = device_is_cpu() ? 3000 : type == 's' ? 300003 : 70001;
            struct tridiagonal_case c =
                case_make({.type = type, .n = n, .sides = 2, .stride = n + 1}, pivot - last,
                          last ? SKEW : DOMINANT, seed);
            auto work = [&](cudaStream_t stream) {
                cudaError_t error = cudaSuccess;
                for (enum tridiagonal_way way : {TRIDIAGONAL_AUTO, TRIDIAGONAL_PARTLY_RESIDENT,
                                                 TRIDIAGONAL_TWO_PASS, TRIDIAGONAL_AUTO}) {
                    c.t.way = way;
                    if (error == cudaSuccess)
                        error = tridiagonal_solve(&c.t, c.work, c.work_bytes, stream);
                }
                return error;
            };
            auto before = [&](int) {
                device_poison(c.device[X], case_image_bytes(&c, X));
                CHECK(cudaMemset(c.status, 0x55, sizeof *c.status));
            };
            auto after = [&](int again) {
                long long status;
                device_download(c.host[X], c.device[X], case_image_bytes(&c, X));
                device_download(&status, c.status, sizeof status);
                struct errors e = case_errors(&c);
                EXPECT(status == 0 && e.rows <= BOUND, "replay %d of a graph, %s: status %lld, %g",
                       again, case_text(&c), status, e.rows);
            };
            replay(2, work, before, after);
            case_close(&c);
        }
}

int tridiagonal_check(const struct options *o)
{
    static const char *const names[PIVOTS] = {"plain", "pivoted", "automatic"};
    int failed = expect_failed;
    bool all = !device_is_cpu() && !o->quick;
    struct random r = {o->seed}, places = {o->seed + 1};
    for (const char *type = "sdcz"; *type; type++)
        for (int pivot = 0; pivot < PIVOTS; pivot++) {
            check_sizes(*type, pivot, all, &r);
            tridiagonal_check_breakdowns(*type, pivot, all, o->seed, &r, &places);
            tridiagonal_check_range(*type, pivot);
        }
    for (char type : {'s', 'd', 'c', 'z'})
        tridiagonal_check_singular_blocks(type, all, o->seed);
    tridiagonal_check_exact(all);
    tridiagonal_check_large_row();
    tridiagonal_check_automatic(all, o->seed);
    tridiagonal_check_gradient(o->seed);
    for (char type : {'s', 'd', 'c', 'z'})
        BY_TYPE(type, check_is_dominant, type);
    check_judge();
    check_floors(o->seed);
    check_one_workspace(o->seed);
    check_workspace(o->seed);
    check_misuse();
    check_graph(o->seed);
    check_many_groups(o->seed);
    check_auto(o->seed);
#ifndef __CUDACC__
    /* The results must be right in every order of blocks and threads, so the CPU device shuffles
     * it. */
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        for (int pivot = 0; pivot < PIVOTS; pivot++) {
            check_drawn('s', pivot, TRIDIAGONAL_TWO_PASS, 9000, &r);
            check_drawn('z', pivot, TRIDIAGONAL_RESIDENT, 1700, &r);
        }
    }
    cpu_device_shuffle(0);
#endif
    printf("tridiagonal.h, largest backward error in units of roundoff, of a row's terms (dominant "
           "matrices) and of a row:\n");
    for (int pivot = 0; pivot < PIVOTS; pivot++)
        printf("%-9s %9.3g %9.3g\n", names[pivot], worst[pivot].terms, worst[pivot].rows);
    printf("tridiagonal.h: %d tests\n", expect_passed + expect_failed);
    return expect_failed - failed;
}
