/* The experiment of tridiagonal.h: unknowns per second for each n. It measures the solver with rows
 * that stay on the chip, with rows that are read twice, with Toeplitz systems, with periodic
 * systems, with pivoting, and with automatic pivoting. For comparison it measures cuSPARSE, a copy,
 * and the floors of each n. nshape runs it. */
#include "bench/memory_floor.h"
#include "bench/tridiagonal_bench.h"
#include "bench/tridiagonal_case.h"
#include "ceiling.h"
#include "peers.h"
#include "results.h"
#include "verify.h"

#include <math.h>
#include <string.h>

/* Makes a row of results, with the verdict on the x in main memory. `elements` is the minimum
 * number of elements that a solver must read or write per unknown. */
static struct row row_of(const struct tridiagonal_case *c, const char *variant, const char *phase,
                         int elements)
{
    struct errors e = case_errors(c);
    struct row row =
        device_row(variant, c->s.type, c->s.n, 0, elements,
                   {.ok = e.rows <= BOUND, .error = e.rows * unit_roundoff(c->s.type)});
    row.phase = phase;
    return row;
}

/* The variants, for each value of enum tridiagonal_pivot. */
static const char *const pivot_variants[] = {"tridiagonal", "tridiagonal_pivoted",
                                             "tridiagonal_auto"};

/* Solves the case, verifies x, times the solver, and adds a row to the results. Adds nothing if the
 * solver refuses the call because the rows do not fit on the chip. */
static void solve_row(struct results *results, const struct tridiagonal_case *c, int pivot,
                      enum tridiagonal_way way, bool resident, const char *phase, int reps)
{
    struct tridiagonal t = c->t;
    t.pivot = pivot;
    t.way = way;
    long long status = case_solve(c, &t);
    if (status == -1)
        return;
    int elements = c->s.toeplitz ? (resident ? 2 : 3) : (resident ? 5 : 9);
    struct row row = row_of(c, pivot_variants[pivot], phase, elements);
    if (status != 0)
        row.status = "zero pivot";
    record(results, row, reps, [&](cudaStream_t stream) {
        return tridiagonal_solve(&t, c->work, c->work_bytes, stream);
    });
}
static bool fits_resident(const struct tridiagonal_case *c, int pivot)
{
    struct tridiagonal t = c->t;
    t.pivot = pivot;
    t.way = TRIDIAGONAL_RESIDENT;
    return case_solve(c, &t) != -1;
}

/* Automatic pivoting where the last row is not dominant, so that the system is solved again with
 * pivoting. */
static void hard_row(struct results *results, const struct tridiagonal_case *c, bool resident,
                     int reps)
{
    size_t bytes = (size_t)size_of(c->s.type);
    char *host = (char *)case_host(c, DIAG, c->s.n - 1), kept[16],
         *device = (char *)c->t.diag + (size_t)(c->s.n - 1) * bytes;
    memcpy(kept, host, bytes);
    case_put(c, DIAG, c->s.n - 1, 1e-3);
    device_upload(device, host, bytes);
    solve_row(results, c, TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_AUTO, resident, "hard", reps);
    memcpy(host, kept, bytes);
    device_upload(device, host, bytes);
}

/* Returns a case with the same arrays as a periodic system. case_make() has filled sub_0 and
 * super_{n-1}, which only a periodic system reads. */
static struct tridiagonal_case periodic_of(struct tridiagonal_case c)
{
    c.s.periodic = true;
    c.t.periodic = 1;
    return c;
}
/* Returns a Toeplitz system. The coefficients of all its rows are those of row 1 of c. */
static struct tridiagonal_case toeplitz_of(struct tridiagonal_case c)
{
    c.s.toeplitz = true;
    c.t.toeplitz = 1;
    for (int a = 0; a < RHS; a++) {
        c.host[a] = (char *)c.host[a] + size_of(c.s.type);
        c.device[a] = (char *)c.device[a] + size_of(c.s.type);
    }
    c.t.sub = c.device[SUB];
    c.t.diag = c.device[DIAG];
    c.t.super = c.device[SUPER];
    return c;
}

/* Adds the row of a floor (memory_floor.h): of the fastest configuration, which is then verified.
 * The arrays on the device must still be those in main memory. */
static void floor_row(struct results *results, const struct tridiagonal_case *c, bool twice,
                      int reps)
{
    struct memory memory = {};
    struct memory_floor f = {.twice = twice,
                             .in = {c->t.sub, c->t.diag, c->t.super, c->t.rhs},
                             .x = c->t.x,
                             .words = c->s.n * size_of(c->s.type) / 4,
                             .meeting = (uint64_t *)memory_device(&memory, sizeof(uint64_t))},
                        best = f;
    const void *const in[] = {case_host(c, SUB), case_host(c, DIAG), case_host(c, SUPER),
                              case_host(c, RHS)};
    struct timing time = {};
    for (int i = 0; memory_floor_configure(&f, i); i++) {
        struct timing t;
        CHECK(cudaMemset(f.meeting, 0, sizeof(uint64_t)));
        CHECK(time_device(
            NULL,
            [](void *ctx, cudaStream_t stream) {
                return memory_floor_launch((const struct memory_floor *)ctx, stream);
            },
            &f, reps, &t));
        if (i == 0 || t.median_ms < time.median_ms)
            time = t, best = f;
    }
    device_poison(c->device[X], case_image_bytes(c, X));
    CHECK(cudaMemset(f.meeting, 0, sizeof(uint64_t)));
    CHECK(memory_floor_launch(&best, 0));
    device_download(c->host[X], c->device[X], case_image_bytes(c, X));
    int64_t wrong = memory_floor_wrong(twice, in, case_host(c, X), f.words);
    struct row row = device_row(twice ? "floor_9" : "floor_5", c->s.type, c->s.n, 0, twice ? 9 : 5,
                                {.ok = wrong == 0, .error = (double)wrong / (double)f.words});
    row.blocks = best.blocks;
    row.threads = best.threads;
    row.time = time;
    results_add(results, &row);
    memory_free(&memory);
}

#ifdef __CUDACC__
/* Larger arrays (in bytes) are not given to cuSPARSE. With 1.6e9 bytes (type z, n = 1e8, CUDA 13.0)
 * gtsv2 accesses memory outside its arrays. */
static const size_t CUSPARSE_MOST = (size_t)1 << 29;

/* Times cuSPARSE, verifies its solution and adds a row to the results. cuSPARSE needs a copy of rhs
 * in x before each call. The time does not contain this copy. */
static void cusparse_row(struct results *results, const struct tridiagonal_case *c, bool pivoting,
                         int reps)
{
    const char *variant = pivoting ? "cusparse_gtsv2" : "cusparse_gtsv2_nopivot";
    size_t element = (size_t)size_of(c->s.type);
    if (c->s.n < 3 || case_image_bytes(c, DIAG) > CUSPARSE_MOST)
        return;
    /* cuSPARSE requires sub_0 = super_{n-1} = 0. */
    CHECK(cudaMemset(c->device[SUB], 0, element));
    CHECK(cudaMemset((char *)c->device[SUPER] + (size_t)(c->s.n - 1) * element, 0, element));
    device_poison(c->device[X], case_image_bytes(c, X));
    struct peer_cusparse peer = {c->s.type, pivoting,   c->s.n,   c->t.sub,
                                 c->t.diag, c->t.super, c->t.rhs, c->t.x};
    cudaError_t error = peer_cusparse_open(&peer);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "nshape: %s: no memory for its workspace: left out\n", variant);
        return;
    }
    CHECK(error);
    CHECK(peer_cusparse_reset(&peer, 0));
    CHECK(peer_cusparse_solve(&peer, 0));
    device_download(c->host[X], c->device[X], case_image_bytes(c, X));
    record(
        results, row_of(c, variant, "total", 5), reps,
        [&](cudaStream_t stream) { return peer_cusparse_reset(&peer, stream); },
        [&](cudaStream_t stream) { return peer_cusparse_solve(&peer, stream); });
    CHECK(peer_cusparse_close(&peer));
}
#endif

#ifdef CPU_DEVICE_COUNT /* the count build is slow: run each kernel once */
static const bool ONCE = true;
#else
static const bool ONCE = false;
#endif

static void size_rows(struct results *results, const struct tridiagonal_case *c,
                      const struct options *o, const struct tridiagonal_asked *asked, bool periodic)
{
    if (asked->plain) {
        for (int twice = 0; twice < 2 && !ONCE; twice++)
            floor_row(results, c, twice, o->reps);
        bool fits = fits_resident(c, 0);
        solve_row(results, c, 0, TRIDIAGONAL_AUTO, fits, "total", o->reps);
        if (fits)
            solve_row(results, c, 0, TRIDIAGONAL_TWO_PASS, false, "twice", o->reps);
        if (fits && !ONCE)
            solve_row(results, c, 0, TRIDIAGONAL_RESIDENT, true, "on_chip", o->reps);
        if (c->s.n >= 3 && !ONCE) {
            struct tridiagonal_case same = toeplitz_of(*c);
            solve_row(results, &same, 0, TRIDIAGONAL_AUTO, fits, "toeplitz", o->reps);
        }
        if (periodic && !ONCE) {
            struct tridiagonal_case round = periodic_of(*c);
            solve_row(results, &round, 0, TRIDIAGONAL_AUTO, fits, "periodic", o->reps);
        }
    }
    if (asked->pivoted)
        solve_row(results, c, TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_AUTO,
                  fits_resident(c, TRIDIAGONAL_PIVOT_ALWAYS), "total", o->reps);
    if (asked->automatic) {
        bool fits = fits_resident(c, TRIDIAGONAL_PIVOT_AUTO);
        solve_row(results, c, TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_AUTO, fits, "total", o->reps);
        if (fits && !ONCE)
            solve_row(results, c, TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_TWO_PASS, false, "twice",
                      o->reps);
        if (!ONCE)
            hard_row(results, c, fits, o->reps);
    }
#ifdef __CUDACC__
    if (asked->cusparse)
        cusparse_row(results, c, true, o->reps);
    if (asked->cusparse_nopivot)
        cusparse_row(results, c, false, o->reps);
#endif
}

int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv)
{
    static const struct list few = {3, {64, 1000, 30000}},
                             many = {21, {64,      1000,    1 << 10, 1 << 12, 1 << 14, 30000,
                                          1 << 16, 1 << 17, 1 << 18, 300000,  1 << 19, 1000000,
                                          1 << 20, 1 << 21, 3000000, 1 << 22, 1 << 23, 1 << 24,
                                          1 << 25, 1 << 26, 1 << 28}};
    enum { PERIODIC_N = 300000 }; /* the number of rows in L22 */
    const struct list *list = sized ? &o->n : device_is_cpu() || o->quick ? &few : &many;
    const char *types = sized ? o->types : "sdcz";
    struct results *results = results_open(program, device, csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    int64_t done = 0, all = (int64_t)strlen(types) * list->count;
    for (const char *type = types; *type; type++)
        for (int i = 0; i < list->count; i++) {
            int64_t n = list->value[i], most = list_largest(list, 1);
            if (list == &many) { /* limit arrays to the bytes of the largest n in type s */
                most = most * 4 / size_of(*type);
                if (n >= most)
                    n = i == list->count - 1 ? most : 0;
            }
            progress(program, ++done, all, "sizes of tridiagonal.h");
            if (n == 0)
                continue;
            /* The device also needs room for the arrays of the copy or for the workspace of
             * cuSPARSE. */
            double bytes = (double)n * size_of(*type);
            device_require(program, 10 * bytes + ceiling_bytes(), 5 * bytes);
            if (*type == 's' && n >= 4)
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            /* The case is made with automatic pivoting, which needs the largest workspace, and as
             * periodic, so that sub_0 and super_{n-1} are filled for periodic_of(). */
            struct tridiagonal_case c =
                case_make({.type = *type, .n = n, .sides = 1, .periodic = true},
                          TRIDIAGONAL_PIVOT_AUTO, DOMINANT, o->seed);
            c.s.periodic = false;
            c.t.periodic = c.t.pivot = 0;
            size_rows(results, &c, o, &asked, n == PERIODIC_N || n == most);
            case_close(&c);
        }
    return results_close(results);
}
