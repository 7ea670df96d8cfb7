/* pscheme_g --check: all variants with different sizes, cases, G and T, the transpositions, the
 * methods on the CPU, and invalid arguments. */
#include "main.h"
#include "expect.h"
#include "problems.h"

/* Tests one configuration with the coefficients in b, which messages call `what`. */
static void check_one(struct problem *b, const char *what, int variant, char type, char case_,
                      int64_t n, int blocks, int threads)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct pscheme_g g = plan(b, variant, type, n, blocks, threads, case_);
    struct verdict verdict = solve(b, &g);
    EXPECT(verdict.ok,
           "%s, %s, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows at %lld",
           variants[variant].name, what, type, (long long)n, blocks, threads, verdict.used,
           (long long)verdict.worst);
}

static void check_configurations(struct problem *b, const char *what, char type, char case_,
                                 int64_t n, int first_variant, int last_variant, bool all)
{
    static const int pairs[][2] = {{1, 1}, {2, 16}, {3, 33}, {16, 64}, {5, 256}, {2, 1024}};
    for (int v = first_variant; v <= last_variant; v++) {
        for (const int *pair : pairs)
            if (n <= 4097 || (all && pair[0] * pair[1] >= 256))
                check_one(b, what, v, type, case_, n, pair[0], pair[1]);
        for (int blocks = 16; all && blocks <= 128; blocks *= 2)
            for (int threads = 16; threads <= 1024; threads *= 2)
                check_one(b, what, v, type, case_, n, blocks, threads);
    }
}

/* The variants from block to fused run the cases L, C, M and H; `arrays` runs the coefficients of
 * fill_recurrence. Cases M and H are slow: with n > 31 they run only if `all`. */
static void check_solutions(struct problem *b, char type, int64_t n, uint64_t seed, bool all)
{
    for (const char *case_ = "LCMH"; *case_; case_++) {
        if (!all && n > 31 && (*case_ == 'M' || *case_ == 'H'))
            continue;
        make_problem(b, type, n, *case_);
        char what[] = "case L";
        what[5] = *case_;
        check_configurations(b, what, type, *case_, n, 0, PSCHEME_G_FUSED, all);
    }
    for (int k = 0; k < RECURRENCE_KINDS; k++) {
        enum recurrence_kind kind = (enum recurrence_kind)k;
        fill_recurrence(type, kind, seed, n, b->host_s, b->host_t);
        begin(b, type, n);
        check_configurations(b, recurrence_name(kind), type, 'L', n, PSCHEME_G_ARRAYS,
                             PSCHEME_G_ARRAYS, all);
    }
}

static void check_transpositions(struct problem *b, char type)
{
    static const int64_t shapes[][2] = {{1, 1},   {1, 100}, {100, 1},  {31, 33}, {32, 32},
                                        {33, 31}, {64, 65}, {1000, 4}, {7, 585}};
    for (const int64_t *shape : shapes)
        for (int how = 0; how < TRANSPOSITIONS; how++)
            EXPECT(transposes(b, type, (enum pscheme_g_transposition)how, shape[0], shape[1]),
                   "%s of %lld x %lld, type %c", variants[FIRST_TRANSPOSITION + how].name,
                   (long long)shape[0], (long long)shape[1], type);
}

/* Tests that GPU and CPU compute the same bits of s_i. Each part has one unknown at most, so the
 * products that pre-computation stores are the s_i. */
static void check_coefficients(struct problem *b, char type, char case_)
{
    int64_t n = 1000;
    struct pscheme_g g = plan(b, PSCHEME_G_BLOCK, type, n, 8, 128, case_);
    make_problem(b, type, n, case_);
    CHECK(pscheme_g_precompute(&g, 0));
    size_t element = (size_t)size_of(type), bytes = (size_t)n * element;
    device_download(b->host, (char *)b->products + element, bytes);
    EXPECT(memcmp(b->host, b->host_s, bytes) == 0, "s of case %c, type %c, differ from the CPU's",
           case_, type);
}

/* Uses the problem that check_coefficients has made. */
static void check_cpu(struct problem *b, char type, char case_)
{
    for (int cores = 1; cores <= 3; cores++)
        for (int method = 0; method < CPU_METHODS; method++)
            EXPECT(solve_cpu(b, (enum cpu_method)method, type, 1000, case_, cores).ok,
                   "%s, case %c, type %c, %d cores", variants[FIRST_CPU + method].name, case_, type,
                   cores);
}

/* Numbers outside their range, sizes above the limit 2^58 - 1, and a NULL or misaligned pointer to
 * an array that the phase uses. */
static void check_refused_phases(struct problem *b, int v, char type)
{
    static cudaError_t (*const phases[])(const struct pscheme_g *, cudaStream_t) = {
        pscheme_g_precompute, pscheme_g_propagate, pscheme_g_determine, pscheme_g_solve};
    static const struct {
        int64_t n;
        int blocks, threads;
    } bad[] = {{100, 0, 16}, {100, 2, 4096},          {100, 2, -1},
               {-1, 2, 16},  {INT64_MAX / 31, 2, 16}, {INT64_MAX, 2, 16}};
    size_t element = (size_t)size_of(type);
    struct pscheme_g g = plan(b, v, type, 100, 2, 16, 'L');
    struct expect_pointer w[] = {EXPECT_POINTER(g.w, element)},
                          products[] = {EXPECT_POINTER(g.products, element)},
                          carry[] = {EXPECT_POINTER(g.carry, element)},
                          arrays[] = {EXPECT_POINTER(g.s, element), EXPECT_POINTER(g.t, element)};
    for (auto phase : phases) {
        EXPECT_POINTERS(w, phase(&g, 0), cudaErrorInvalidValue);
        if (v != PSCHEME_G_ARRAYS)
            EXPECT_POINTERS(products, phase(&g, 0), cudaErrorInvalidValue);
        if (v >= PSCHEME_G_ENDS)
            EXPECT_POINTERS(carry, phase(&g, 0), cudaErrorInvalidValue);
        if (v == PSCHEME_G_ARRAYS)
            EXPECT_POINTERS(arrays, phase(&g, 0), cudaErrorInvalidValue);
        for (const auto &numbers : bad)
            EXPECT_REFUSED(g, g = plan(b, v, type, numbers.n, numbers.blocks, numbers.threads, 'L'),
                           phase(&g, 0));
        EXPECT_REFUSED(g, g.threads = 8, phase(&g, 0)); /* parts is not G * T */
        EXPECT_REFUSED(g, g.type = 'x', phase(&g, 0));
        EXPECT(phase(NULL, 0) == cudaErrorInvalidValue, "no struct");
    }
    void *natural = b->natural;
    struct expect_pointer copied[] = {EXPECT_POINTER(g.w, element),
                                      EXPECT_POINTER(natural, element)};
    EXPECT_POINTERS(copied, pscheme_g_to_natural(&g, TRANSPOSE_TILE, natural, 0),
                    cudaErrorInvalidValue);
    EXPECT(pscheme_g_to_natural(NULL, TRANSPOSE_TILE, natural, 0) == cudaErrorInvalidValue,
           "no struct");
}

static void check_refused_transposition(struct problem *b, enum pscheme_g_transposition how,
                                        char type)
{
    static const int64_t shapes[][2] = {
        {INT64_C(1) << 31, INT64_C(1) << 30}, {INT64_MAX, INT64_MAX}, {INT64_MAX, 1}, {-1, 4}};
    size_t element = (size_t)size_of(type);
    const void *in = b->s;
    void *out = b->natural;
    struct expect_pointer arrays[] = {EXPECT_POINTER(in, element), EXPECT_POINTER(out, element)};
    EXPECT_POINTERS(arrays, pscheme_g_transpose(type, how, 10, 10, in, out, 0),
                    cudaErrorInvalidValue);
    for (const int64_t *shape : shapes)
        EXPECT(pscheme_g_transpose(type, how, shape[0], shape[1], in, out, 0) ==
                   cudaErrorInvalidValue,
               "%lld x %lld", (long long)shape[0], (long long)shape[1]);
    EXPECT(pscheme_g_transpose(type, how, 0, 10, NULL, NULL, 0) == cudaSuccess,
           "0 x 10 needs no arrays");
}

/* The arrays that a variant does not use may be NULL, and all if n = 0. */
static void check_null(struct problem *b, int v, char type)
{
    struct pscheme_g g =
        pscheme_g_plan((enum pscheme_g_variant)v, type, 0, 2, 16, 1, coefficient_of('L'));
    EXPECT(pscheme_g_solve(&g, 0) == cudaSuccess &&
               pscheme_g_to_natural(&g, TRANSPOSE_TILE, NULL, 0) == cudaSuccess,
           "%s: n = 0 needs no arrays", variants[v].name);
    g = plan(b, v, type, 100, 2, 16, 'L');
    if (v == PSCHEME_G_ARRAYS)
        g.products = NULL;
    else
        g.s = g.t = NULL;
    if (v < PSCHEME_G_ENDS)
        g.carry = NULL;
    EXPECT(pscheme_g_solve(&g, 0) == cudaSuccess, "%s: NULL for an unused array", variants[v].name);
}

/* A refused call writes nothing. */
static void check_arguments(struct problem *b, char type)
{
    const unsigned char poison = 0x5a;
    size_t bytes = 100 * (size_t)size_of(type);
    void *const outputs[] = {b->w, b->products, b->carry, b->natural};
    for (void *output : outputs)
        CHECK(cudaMemset(output, poison, bytes));
    for (int v = 0; v < PSCHEME_G_VARIANTS; v++)
        check_refused_phases(b, v, type);
    for (int how = 0; how < TRANSPOSITIONS; how++)
        check_refused_transposition(b, (enum pscheme_g_transposition)how, type);
    for (void *output : outputs)
        EXPECT(device_holds(output, poison, bytes), "a refused call wrote");
    for (int v = 0; v < PSCHEME_G_VARIANTS; v++)
        check_null(b, v, type);
}

/* On a GPU the parts take less than the whole, and nothing is timed that is too short. */
static void check_timing(struct problem *b)
{
    struct pscheme_g g = plan(b, PSCHEME_G_EXTENDED, 's', 4096, 2, 16, 'L');
    struct timing time[3];
    CHECK(time_device_parts(work_of, 2, &g, 5, 0, time));
    for (int i = 0; i < 3; i++)
        EXPECT(device_is_cpu() ? time[i].samples == 0
                               : time[i].samples >= SAMPLES_LEAST && time[i].median_ms > 0 &&
                                     time[i].median_ms <= time[2].median_ms,
               "part %d: %d samples, %g of %g ms", i, time[i].samples, time[i].median_ms,
               time[2].median_ms);
    CHECK(time_device_parts(work_of, 2, &g, 5, 1e9, time));
    EXPECT(time[0].samples == 0 && time[2].samples == 0, "%d samples of short work",
           time[2].samples);
}

int check(const struct options *o)
{
    static const int64_t sizes[] = {1, 31, 1000, 4097, 1 << 18, 1000000, 1 << 20};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = all ? 1 << 20 : 4097;
    struct problem b = {};
    allocate(&b, n_most, 128 * 1024);
    for (const char *type = "sd"; *type; type++) {
        for (int64_t n : sizes)
            if (n <= n_most)
                check_solutions(&b, *type, n, o->seed, all);
        check_transpositions(&b, *type);
        for (const char *case_ = "LMH"; *case_; case_++) {
            check_coefficients(&b, *type, *case_);
            check_cpu(&b, *type, *case_);
        }
        check_arguments(&b, *type);
    }
    check_timing(&b);
    memory_free(&b.memory);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
