/* pscheme_gpu --check: all variants and layouts with different sizes, G, T and kinds of rows, bad
 * pivots, and invalid arguments. */
#include "main.h"
#include "expect.h"

static void check_recurrence(struct problem *b, char type, int64_t n, int blocks, int threads)
{
    size_t bytes = (size_t)((n + 1) * size_of(type));
    void *block_result = b->host_in[0];
    for (int v = 0; v < PSCHEME_VARIANTS; v++) {
        struct pscheme_recurrence r = plan_recurrence(b, v, type, n, blocks, threads);
        struct verdict verdict = solve_recurrence(b, &r);
        EXPECT(verdict.ok,
               "%s, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows at %lld",
               variants[v].name, type, (long long)n, blocks, threads, verdict.used,
               (long long)verdict.worst);
        if (v == PSCHEME_BLOCK)
            memcpy(block_result, b->host, bytes);
        if (v == PSCHEME_REARRANGED || v >= PSCHEME_BLOCK_NO_L1) /* block's operations and bits */
            EXPECT(memcmp(block_result, b->host, bytes) == 0,
                   "%s is not as block, type %c, n = %lld, G = %d, T = %d", variants[v].name, type,
                   (long long)n, blocks, threads);
    }
}

static void check_tridiagonal(struct problem *b, char type, int64_t n, int blocks, int threads,
                              uint64_t seed)
{
    for (int k = 0; k < TRIDIAGONAL_KINDS; k++) {
        enum tridiagonal_kind kind = (enum tridiagonal_kind)k;
        /* The condition number of the Poisson system is about n^2. Beyond 2 / u the system is
         * numerically singular and not tested. */
        if (kind == TRIDIAGONAL_POISSON && (double)n * (double)n * unit_roundoff(type) > 2)
            continue;
        make_system(b, kind, type, seed, n);
        for (int rearranged = 0; rearranged < 2; rearranged++) {
            struct pscheme_tridiagonal t = plan_tridiagonal(b, rearranged, blocks, threads);
            struct verdict verdict;
            long long row = solve_tridiagonal(b, &t, &verdict);
            EXPECT(row == 0 && verdict.ok,
                   "tridiagonal %s, layout %d, type %c, n = %lld, G = %d, T = %d: row %lld, "
                   "backward error %.3g, %.2g of the bound",
                   tridiagonal_name(kind), rearranged, type, (long long)n, blocks, threads, row,
                   verdict.error, verdict.used);
        }
    }
}

static void check_one(struct problem *b, char type, int64_t n, int blocks, int threads,
                      uint64_t seed)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    check_recurrence(b, type, n, blocks, threads);
    check_tridiagonal(b, type, n, blocks, threads, seed);
}

/* ---- pivots ---- */

/* Solves the system in host_in with `threads` parts. Returns the row of the bad pivot, or 0. */
static long long row_found(struct problem *b, int threads, struct verdict *verdict)
{
    upload_system(b);
    struct pscheme_tridiagonal t = plan_tridiagonal(b, threads > 2, 1, threads);
    return solve_tridiagonal(b, &t, verdict);
}

/* Solves a system in which row `at` + 1 has the pivot d - 1, and returns the row that is reported,
 * or 0. Row `at` - 1 has off = 0, so its p is 0. Row `at` has diag = off = 1, so its pivot and its
 * p are 1. Row `at` + 1 has diag = d and off = 1. */
static long long row_found_at(struct problem *b, char type, int at, double d, int threads)
{
    struct verdict verdict;
    make_system(b, TRIDIAGONAL_CONSTANT, type, 1, 100);
    put(type, b->host_in[1], at - 1, 0);
    for (int row = at; row <= at + 1; row++) {
        put(type, b->host_in[0], row, row == at ? 1 : d);
        put(type, b->host_in[1], row, 1);
    }
    return row_found(b, threads, &verdict);
}

static void check_pivots(struct problem *b, char type)
{
    static const int threads_of[] = {1, 7, 32, 98};
    double epsilon = 2 * unit_roundoff(type);
    for (int threads : threads_of)
        for (int at = 1; at <= 40; at += 13) {
            long long zero = row_found_at(b, type, at, 1, threads);
            long long tiny = row_found_at(b, type, at, 1 + epsilon, threads);
            long long small = row_found_at(b, type, at, 1 + 4 * epsilon, threads);
            EXPECT(zero == at + 1 && tiny == at + 1 && small == 0,
                   "row %d, P = %d: pivot 0 reported in row %lld, epsilon in %lld, 4 epsilon in "
                   "%lld",
                   at + 1, threads, zero, tiny, small);
        }
    /* If part 1 of two, rows 50 to 98, is solved alone, the pivot of row 50 is 1, so the pivot of
     * row 51 is 1 - 1 = 0. In the complete system row 49 gives row 50 the value p = 2 - sqrt(3). */
    make_system(b, TRIDIAGONAL_CONSTANT, type, 1, 100);
    put(type, b->host_in[0], 50, 1);
    put(type, b->host_in[0], 51, 1);
    struct verdict verdict;
    long long row = row_found(b, 1, &verdict);
    EXPECT(row == 0 && verdict.ok, "in one part row %lld", row);
    row = row_found(b, 2, &verdict);
    EXPECT(row == 51, "a part's own pivot 0 in row 51 is reported in row %lld", row);
}

/* ---- invalid arguments are refused, and nothing is written ---- */

static const unsigned char POISON = 0x5a;

/* Negative, above the limit 2^58 - 1, and the largest number of the type. */
static const int64_t BAD_SIZES[] = {-1, INT64_MAX / 31, INT64_MAX};

static void check_refused_recurrence(struct problem *b, char type)
{
    cudaError_t (*const phases[])(const struct pscheme_recurrence *, cudaStream_t) = {
        pscheme_precompute, pscheme_propagate, pscheme_determine, pscheme_solve};
    size_t size = (size_t)size_of(type);
    for (auto phase : phases) {
        for (int v = 0; v < PSCHEME_VARIANTS; v++) {
            struct pscheme_recurrence r = plan_recurrence(b, v, type, 100, 2, 16);
            struct expect_pointer arrays[] = {EXPECT_POINTER(r.w, size),
                                              EXPECT_POINTER(r.products, size)};
            EXPECT_POINTERS(arrays, phase(&r, 0), cudaErrorInvalidValue);
            for (int64_t n : BAD_SIZES)
                EXPECT_REFUSED(r, r = plan_recurrence(b, v, type, n, 2, 16), phase(&r, 0));
            EXPECT_REFUSED(r, r.threads = 8, phase(&r, 0)); /* P is not G * T */
            EXPECT_REFUSED(r, r = plan_recurrence(b, v, type, 100, 0, 16), phase(&r, 0));
            EXPECT_REFUSED(r, r = plan_recurrence(b, v, type, 100, 1, 2000), phase(&r, 0));
            EXPECT_REFUSED(r, r.type = 'x', phase(&r, 0));
        }
        EXPECT(phase(NULL, 0) == cudaErrorInvalidValue, "no struct");
    }
}

static void check_refused_moves(struct problem *b, char type)
{
    cudaError_t (*const moves[])(char, const struct pscheme_layout *, const void *, void *,
                                 cudaStream_t) = {pscheme_to_natural, pscheme_from_natural};
    size_t size = (size_t)size_of(type);
    for (auto to : moves) {
        struct pscheme_layout layout = pscheme_rearranged_layout(100, 32);
        const void *in = b->in[0];
        void *out = b->natural;
        struct expect_pointer arrays[] = {EXPECT_POINTER(in, size), EXPECT_POINTER(out, size)};
        EXPECT_POINTERS(arrays, to(type, &layout, in, out, 0), cudaErrorInvalidValue);
        EXPECT(to(type, NULL, in, out, 0) == cudaErrorInvalidValue, "no layout");
        for (int64_t n : BAD_SIZES)
            EXPECT_REFUSED(layout, layout = pscheme_rearranged_layout(n, 32),
                           to(type, &layout, in, out, 0));
        layout = pscheme_rearranged_layout(0, 32);
        EXPECT(to(type, &layout, NULL, NULL, 0) == cudaSuccess, "n = 0 needs no arrays");
    }
}

static void check_refused_tridiagonal(struct problem *b, char type)
{
    size_t size = (size_t)size_of(type);
    make_system(b, TRIDIAGONAL_CONSTANT, type, 1, 100);
    for (int phase = 0; phase <= PSCHEME_TRIDIAGONAL_PHASES; phase++) {
        auto call = [phase](const struct pscheme_tridiagonal *t) {
            return phase < PSCHEME_TRIDIAGONAL_PHASES
                       ? pscheme_tridiagonal_phase(t, (enum pscheme_tridiagonal_phase)phase, 0)
                       : pscheme_tridiagonal_solve(t, 0);
        };
        for (int rearranged = 0; rearranged < 2; rearranged++) {
            struct pscheme_tridiagonal t = plan_tridiagonal(b, rearranged, 2, 16);
            struct expect_pointer arrays[] = {
                EXPECT_POINTER(t.diag, size), EXPECT_POINTER(t.off, size),
                EXPECT_POINTER(t.rhs, size),  EXPECT_POINTER(t.x, size),
                EXPECT_POINTER(t.work, size), EXPECT_POINTER(t.status, sizeof *t.status)};
            EXPECT_POINTERS(arrays, call(&t), cudaErrorInvalidValue);
            EXPECT_REFUSED(t, t.threads = 8, call(&t));
            EXPECT_REFUSED(t, t.layout.n = INT64_MAX / 31, call(&t));
        }
        EXPECT(call(NULL) == cudaErrorInvalidValue, "no struct");
    }
}

static void check_refused(struct problem *b, char type)
{
    size_t bytes = (size_t)(100 * size_of(type));
    void *const outputs[] = {b->w, b->products, b->natural, b->x, b->work};
    for (void *output : outputs)
        CHECK(cudaMemset(output, POISON, bytes));
    CHECK(cudaMemset(b->status, POISON, sizeof *b->status));
    check_refused_recurrence(b, type);
    check_refused_moves(b, type);
    check_refused_tridiagonal(b, type);
    for (void *output : outputs)
        EXPECT(device_holds(output, POISON, bytes), "a refused call wrote");
    EXPECT(device_holds(b->status, POISON, sizeof *b->status), "a refused call wrote a status");
}

static void check_nothing_to_do(struct problem *b, char type)
{
    struct pscheme_recurrence r = pscheme_recurrence_plan(PSCHEME_AHEAD, type, 0, 2, 16, 1, 1, 1);
    EXPECT(pscheme_solve(&r, 0) == cudaSuccess, "n = 0 needs no arrays");
    r = plan_recurrence(b, PSCHEME_REARRANGED, type, 0, 2, 16);
    EXPECT(pscheme_solve(&r, 0) == cudaSuccess &&
               pscheme_to_natural(type, &r.layout, r.w, b->natural, 0) == cudaSuccess,
           "n = 0");
    struct pscheme_tridiagonal t = pscheme_tridiagonal_plan(true, type, 2, 2, 16, 0, 0);
    struct expect_pointer status[] = {EXPECT_POINTER(t.status, sizeof *t.status)};
    t.status = b->status;
    EXPECT_POINTERS(status, pscheme_tridiagonal_solve(&t, 0), cudaErrorInvalidValue);
    EXPECT(pscheme_tridiagonal_solve(&t, 0) == cudaSuccess &&
               device_holds(b->status, 0, sizeof *b->status),
           "two rows: no arrays but a status, which is 0");
}

/* Tests that the verification finds a wrong element. */
static void check_verification(struct problem *b)
{
    struct pscheme_recurrence r = plan_recurrence(b, PSCHEME_BLOCK, 's', 1000, 4, 16);
    struct verdict verdict = solve_recurrence(b, &r);
    EXPECT(verdict.ok, "right before it is damaged");
    float wrong = 0.5f;
    device_upload((float *)b->natural + 637, &wrong, sizeof wrong);
    verdict = verify_natural(b, 's', 1000);
    EXPECT(!verdict.ok && verdict.worst == 638, "a wrong w_638 is found at %lld",
           (long long)verdict.worst);
}

/* On a GPU all sizes are tested with all G and T. With --quick, which is for tools that slow every
 * memory access, sizes above 4097 have one pair. The CPU device tests sizes up to 4097. */
int check(const struct options *o)
{
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 1000, 4097, 1 << 18, 1 << 20, 1000007};
    static const int pairs[][2] = {{1, 1},    {4, 16},   {3, 33},  {32, 64},
                                   {16, 256}, {32, 512}, {2, 1024}};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = device_is_cpu() ? 4097 : 1 << 20;
    struct problem b = {};
    allocate(&b, n_most, 32 * 512);
    for (const char *type = "sd"; *type; type++) {
        for (int64_t n : sizes) {
            if (n > n_most)
                continue;
            for (const int *pair : pairs)
                if (n <= 4097 || (pair[0] == 16 && !all))
                    check_one(&b, *type, n, pair[0], pair[1], o->seed);
            for (int blocks = 4; all && blocks <= 32; blocks *= 2)
                for (int threads = 16; threads <= 512; threads *= 2)
                    check_one(&b, *type, n, blocks, threads, o->seed);
        }
        check_pivots(&b, *type);
        check_refused(&b, *type);
        check_nothing_to_do(&b, *type);
    }
    check_verification(&b);
    memory_free(&b.memory);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
