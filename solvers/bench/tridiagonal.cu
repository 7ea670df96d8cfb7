/* The experiment of tridiagonal.h: with rows that stay on the chip, with rows that are read twice,
 * Toeplitz and periodic systems, with pivoting and automatic pivoting, beside cuSPARSE and the
 * floors of each n. */
#include "bench/gradient_verdict.h"
#include "bench/memory_floor.h"
#include "bench/tridiagonal_bench.h"
#include "bench/tridiagonal_case.h"
#include "bench/tridiagonal_peers.h"
#include "ceiling.h"

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
    struct row row = row_of(c, tridiagonal_variants[pivot].name, phase, elements);
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

/* The gradient of which dx is rhs. */
static void gradient_row(struct results *results, const struct tridiagonal_case *c, int reps)
{
    enum { D = 4 }; /* dsub, ddiag, dsuper, drhs */
    const char type = c->s.type;
    const size_t bytes = (size_t)(c->s.n * size_of(type));
    struct tridiagonal t = c->t;
    struct memory memory = {};
    void *device[D], *host[D],
        *in[] = {case_host(c, SUB), case_host(c, DIAG), case_host(c, SUPER), case_host(c, RHS)};
    for (int a = 0; a < D; a++) {
        device[a] = memory_device(&memory, bytes);
        host[a] = memory_host(&memory, bytes);
        device_poison(device[a], bytes);
    }
    t.way = TRIDIAGONAL_AUTO;
    t.pivot = TRIDIAGONAL_PIVOT_NEVER;
    const bool resident = fits_resident(c, t.pivot);
    long long status = case_solve(c, &t);
    bool solved = status == 0 && case_errors(c).rows <= BOUND;
    struct tridiagonal_derivatives d = {t.rhs, device[0], device[1], device[2], device[3]};
    CHECK(tridiagonal_gradient(&t, &d, c->work, c->work_bytes, 0));
    device_download(&status, c->status, sizeof status);
    for (int a = 0; a < D; a++)
        device_download(host[a], device[a], bytes);
    /* counted as in tridiagonal_batch.cu */
    struct row row = device_row(
        tridiagonal_variants[TRIDIAGONAL_GRADIENT].name, type, c->s.n, 0, resident ? 11 : 13,
        gradient_verdict(type, c->s.n, 1, in, case_host(c, X), host[3], host, BOUND));
    if (status != 0 || !solved)
        row.status = status ? "zero pivot" : "wrong";
    record(results, row, reps, [&](cudaStream_t stream) {
        return tridiagonal_gradient(&t, &d, c->work, c->work_bytes, stream);
    });
    memory_free(&memory);
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
        CHECK(cudaMemset(f.meeting, 0, sizeof(uint64_t)));
        struct timing t = device_time_after(
            0, reps, [](cudaStream_t) { return cudaSuccess; },
            [&](cudaStream_t stream) { return memory_floor_launch(&f, stream); });
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
    row.blocks = best.blocks, row.threads = best.threads;
    row.time = time;
    results_add(results, &row);
    memory_free(&memory);
}

#ifdef __CUDACC__
/* cuSPARSE on the same case. It changes the matrix on the device. */
static void cusparse_row_of(struct results *results, const struct tridiagonal_case *c, int variant,
                            int reps)
{
    const char *name = tridiagonal_variants[variant].name;
    device_poison(c->device[X], case_image_bytes(c, X));
    struct peer_cusparse peer = {c->s.type, variant == TRIDIAGONAL_CUSPARSE,
                                 c->s.n,    c->t.sub,
                                 c->t.diag, c->t.super,
                                 c->t.rhs,  c->t.x};
    cusparse_row(results, name, peer, reps, [&] {
        device_download(c->host[X], c->device[X], case_image_bytes(c, X));
        return row_of(c, name, "total", 5);
    });
}
#endif

#ifdef CPU_DEVICE_COUNT /* the count build is slow: run each kernel once */
static const bool ONCE = true;
#else
static const bool ONCE = false;
#endif

/* What is measured of a case, in this order. */
enum change { SAME, TOEPLITZ, PERIODIC, HARD };
static const struct {
    int pivot;
    enum tridiagonal_way way;
    enum change change;
    const char *phase;
} measurements[] = {{TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_AUTO, SAME, "total"},
                    {TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_TWO_PASS, SAME, "twice"},
                    {TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_RESIDENT, SAME, "on_chip"},
                    {TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_AUTO, TOEPLITZ, "toeplitz"},
                    {TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_AUTO, PERIODIC, "periodic"},
                    {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_AUTO, SAME, "total"},
                    {TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_AUTO, SAME, "total"},
                    {TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_TWO_PASS, SAME, "twice"},
                    {TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_AUTO, HARD, "hard"}};

/* The rows of a case, without pivoting also the floors. The case must be made with
 * TRIDIAGONAL_PIVOT_AUTO and as periodic: this needs the largest workspace and fills sub_0 and
 * super_{n-1}. `periodic`: whether a periodic system is measured, too. */
static void case_rows(struct results *results, const struct tridiagonal_case *c, const bool *has,
                      bool periodic, int reps)
{
    for (int twice = 0; twice < 2 && has[TRIDIAGONAL_PIVOT_NEVER] && !ONCE; twice++)
        floor_row(results, c, twice, reps);
    for (const auto &m : measurements) {
        bool again = m.change != SAME || m.way == TRIDIAGONAL_RESIDENT;
        if (!has[m.pivot] || (ONCE && again) || (m.change == TOEPLITZ && c->s.n < 3) ||
            (m.change == PERIODIC && !periodic))
            continue;
        bool fits = fits_resident(c, m.pivot), resident = fits && m.way != TRIDIAGONAL_TWO_PASS;
        struct tridiagonal_case changed = m.change == TOEPLITZ   ? toeplitz_of(*c)
                                          : m.change == PERIODIC ? periodic_of(*c)
                                                                 : *c;
        if (m.change == HARD)
            hard_row(results, c, resident, reps);
        else if (fits || m.way == TRIDIAGONAL_AUTO)
            solve_row(results, &changed, m.pivot, m.way, resident, m.phase, reps);
    }
    if (has[TRIDIAGONAL_GRADIENT])
        gradient_row(results, c, reps);
}

/* A periodic system is measured at the n of L22 and at the largest n. */
enum { PERIODIC_N = 300000 };

void tridiagonal_rows(struct results *results, const struct program *program,
                      const struct options *o)
{
    const int64_t largest = list_largest(&o->n, 1);
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            progress(program->name, ++done, all, "sizes of tridiagonal.h");
            if (*type == 's' && n >= 4)
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            struct tridiagonal_case c =
                case_make({.type = *type, .n = n, .sides = 1, .periodic = true},
                          TRIDIAGONAL_PIVOT_AUTO, DOMINANT, o->seed);
            c.s.periodic = false;
            c.t.periodic = c.t.pivot = 0;
            case_rows(results, &c, o->has_variant, n == PERIODIC_N || n == largest, o->reps);
#ifdef __CUDACC__
            for (int v = TRIDIAGONAL_CUSPARSE; v <= TRIDIAGONAL_CUSPARSE_NOPIVOT; v++)
                if (o->has_variant[v])
                    cusparse_row_of(results, &c, v, o->reps);
#endif
            case_close(&c);
        }
}
