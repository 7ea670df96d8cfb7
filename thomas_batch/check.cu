/* The tests of thomas_batch --check: systems of many sizes and kinds, failed pivots, arguments. */
#include "main.h"
#include "expect.h"

#include <initializer_list>
#include <math.h>

/* The largest backward error so far, in units of roundoff. */
static double worst_units[FAMILIES][SYSTEM_KINDS];

/* Names a solve in a message. */
static const char *name_of(const struct problem *b, int variant, int threads)
{
    static char name[160];
    snprintf(name, sizeof name, "%s, %s, type %c, n = %lld, batch = %lld, %d threads",
             variants[variant].name, system_name(b->s.kind), b->s.type, (long long)b->s.n,
             (long long)b->s.batch, threads);
    return name;
}

static void expect_solved(const struct problem *b, int variant, int threads)
{
    struct verdict verdict = verdict_of(b, variant, true);
    double *worst = &worst_units[family_of(variant)][b->s.kind];
    *worst = fmax(*worst, verdict.error / unit_roundoff(b->s.type));
    EXPECT(verdict.ok, "%s: %.2g of the bound in system %lld", name_of(b, variant, threads),
           verdict.used, (long long)verdict.worst);
}

/* Each variant must give the same bits in both layouts and with less shared memory. */
static void check_variants(struct problem *b, int threads)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    size_t bytes = systems_bytes(&b->s);
    void *contiguous = malloc(bytes);
    for (int method = 0; method < THOMAS_BATCH_VARIANTS; method++)
        for (int v = 0; v < THOMAS_CPU; v++) {
            bool is_twin = v == INTERLEAVED + method;
            if (v != method && !is_twin && !(small_shared(v) && method_of(v) == method))
                continue;
            solve_gpu(b, v, threads);
            if (v == method)
                memcpy(contiguous, b->s.host_x, bytes);
            if (v == method || is_twin)
                expect_solved(b, v, threads);
            if (v != method)
                EXPECT(memcmp(contiguous, b->s.host_x, bytes) == 0 && first_failed(b) < 0,
                       "%s: differs from %s", name_of(b, v, threads), variants[method].name);
        }
    free(contiguous);
}

/* LAPACK's pivoting is accurate relative to the norm of the matrix, but expect_solved() checks each
 * row. So LAPACK is not tested where rows have different scales: SYSTEM_BARELY, SYSTEM_MIXED. */
static void check_cpu(struct problem *b)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++)
        for (int cores = 1; cores <= 2; cores++)
            if ((v != LAPACK_GTSV || b->s.kind < SYSTEM_BARELY) && solve_cpu(b, v, cores))
                expect_solved(b, v, cores);
}

/* ---- pivots that fail ---- */

/* The ways in which damage() changes row `at` of a system. */
enum defect {
    ZERO_ROW,        /* all coefficients are zero */
    SINGULAR,        /* rows at - 1 and at both have the left-hand side x_{at-1} + x_at */
    NEARLY_SINGULAR, /* as SINGULAR, but diag of row `at` is larger by one rounding unit */
    /* as SINGULAR, but diag is larger by 16 units: the pivot is small but valid */
    REGULAR,
    NOT_A_NUMBER /* diag is NaN */
};

static void set_row(struct problem *b, int64_t system, int64_t i, double sub, double diag,
                    double super)
{
    const double values[] = {sub, diag, super};
    for (int array = 0; array < 3; array++)
        put(b->s.type, b->s.host[array], system * b->s.n + i, values[array]);
}

static void damage(struct problem *b, enum defect defect, int64_t system, int64_t at)
{
    double more = defect == NEARLY_SINGULAR ? 2 : defect == REGULAR ? 32 : 0;
    if (defect == ZERO_ROW)
        set_row(b, system, at, 0, 0, 0);
    else if (defect == NOT_A_NUMBER)
        put(b->s.type, b->s.host[1], system * b->s.n + at, (double)NAN);
    else {
        set_row(b, system, at - 1, 0, 1, 1);
        set_row(b, system, at, 1, 1 + more * unit_roundoff(b->s.type), 0);
    }
}

/* The status that a family should give. In a singular pair Thomas reports the second row, PARACR
 * the first (both rows fail at the same level), SERICR the odd row, from which it eliminates the
 * even one. In a nearly singular pair the new b is one rounding unit, no larger than the rounding
 * error of its terms. SERICR sees that only if the row is even at the next level: it divides only
 * by even rows, and at later levels the terms are as small as b. */
static long long status_expected(enum defect defect, enum family family, int64_t at)
{
    if (defect == REGULAR)
        return 0;
    if (defect == ZERO_ROW || defect == NOT_A_NUMBER)
        return at + 1;
    int64_t row = family == THOMAS ? at : family == PARACR ? at - 1 : at - (at % 2 == 0);
    bool pivot = family != SERICR || row / 2 % 2 == 0;
    return defect == NEARLY_SINGULAR && !pivot ? 0 : row + 1;
}

/* Puts each defect into the first, middle and last rows of a system between two intact ones. The
 * intact systems must keep every bit. */
static void check_pivots(struct problem *b, char type, int64_t n)
{
    struct {
        enum defect defect;
        int64_t at;
    } cases[64];
    int count = 0;
    for (int defect = ZERO_ROW; defect <= NOT_A_NUMBER; defect++)
        for (int64_t at = 0; at < n; at++)
            if ((at <= 1 || at >= n - 2 || at == n / 2 || at == n / 2 + 1) &&
                (at > 0 || defect == ZERO_ROW || defect == NOT_A_NUMBER))
                cases[count++] = {(enum defect)defect, at};
    size_t bytes = (size_t)(n * size_of(type));
    char *intact = (char *)malloc(bytes * (size_t)(2 * count + 1));
    static int turns;
    for (int v = 0; v <= SERICR_CPU; v++) {
        /* THOMAS_CPU_LANES has other statuses (cpu.h), which the solver's own tests check. */
        if ((v >= INTERLEAVE && v < THOMAS_CPU) || v == THOMAS_CPU_LANES ||
            (n > 1000 && expect_skips(&turns)))
            continue;
        for (int damaged = 0; damaged < 2; damaged++) {
            make_systems(b, SYSTEM_DOMINANT, type, 7, n, 2 * count + 1);
            for (int i = 0; i < count && damaged; i++)
                damage(b, cases[i].defect, 2 * i + 1, cases[i].at);
            upload(b);
            if (v < INTERLEAVE)
                solve_gpu(b, v, 64);
            else
                solve_cpu(b, v, 2);
            if (!damaged)
                memcpy(intact, b->s.host_x, systems_bytes(&b->s));
        }
        for (int i = 0; i < count; i++)
            EXPECT(b->host_status[2 * i + 1] ==
                       status_expected(cases[i].defect, family_of(v), cases[i].at),
                   "%s, type %c, n = %lld, defect %d in row %lld: reported %lld", variants[v].name,
                   type, (long long)n, cases[i].defect, (long long)cases[i].at,
                   b->host_status[2 * i + 1]);
        for (int64_t k = 0; k <= count; k++) {
            size_t at = (size_t)(2 * k) * bytes;
            EXPECT(b->host_status[2 * k] == 0 &&
                       memcmp(intact + at, (char *)b->s.host_x + at, bytes) == 0,
                   "%s, type %c, n = %lld: a neighbour's defect changes system %lld",
                   variants[v].name, type, (long long)n, (long long)(2 * k));
        }
    }
    free(intact);
}

/* Thomas must report a pivot whose inverse overflows. No wrong x without a status. */
static void check_subnormal(struct problem *b, char type)
{
    for (int v = 0; v < INTERLEAVE; v++) {
        double tiny = type == 's' ? 1e-39 : 1e-309;
        make_systems(b, SYSTEM_DOMINANT, type, 1, 9, 3);
        set_row(b, 1, 4, 0, tiny, 0);
        put(type, b->s.host[3], 9 + 4, tiny);
        upload(b);
        solve_gpu(b, v, 32);
        EXPECT(verdict_of(b, v, false).ok || b->host_status[1] != 0,
               "%s, type %c: a subnormal pivot: status %lld", variants[v].name, type,
               b->host_status[1]);
        EXPECT(family_of(v) != THOMAS || b->host_status[1] == 5, "%s, type %c: not reported",
               variants[v].name, type);
    }
}

/* ---- invalid arguments ---- */

/* Invalid arguments must be refused. But batch = 0 (no systems) and n = 0 (no rows) are valid. */
static void check_misuse(struct problem *b)
{
    make_systems(b, SYSTEM_DOMINANT, 's', 1, 100, 3);
    struct thomas_batch s = plan(b, false, 32);
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        for (int threads : {0, 16, 48, 1056})
            EXPECT_REFUSED(s, s.threads = threads, thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.type = 'x', thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.n = -1, thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.n = 1ll << 40, thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.n = s.batch = 1ll << 36, thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, (s.n = 1, s.batch = 1ll << 47), thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.batch = -1, thomas_batch_solve(method, &s, 0));
        EXPECT_REFUSED(s, s.shared_limit = -1, thomas_batch_solve(method, &s, 0));
        bool level = method == PARACR_SHARED || method == PARACR_PARTIAL;
        int needed = (int)thomas_batch_shared(method, &s);
        if (level)
            EXPECT_REFUSED(s, s.shared_limit = needed - 1, thomas_batch_solve(method, &s, 0));
        s.shared_limit = level ? needed : 1; /* the other variants need none, or ignore it */
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "%s: a limit that suffices",
               variants[v].name);
        s.shared_limit = 0;
        s.batch = -1;
        EXPECT(thomas_batch_blocks(method, &s) == 0, "blocks of invalid arguments");
        s.batch = 0;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "no systems");
        s.batch = 3;
        s.n = 0;
        device_poison(b->status, 3 * sizeof *b->status);
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "no rows");
        device_download(b->host_status, b->status, 3 * sizeof *b->status);
        EXPECT(first_failed(b) == -1, "no rows, status %lld", b->host_status[0]);
        s.n = 100;
    }
    EXPECT(thomas_batch_solve(THOMAS_BATCH_VARIANTS, &s, 0) == cudaErrorInvalidValue,
           "no such variant");
}

/* Bad pointers must be refused and nothing written. Arrays that are not needed may be NULL. */
static void check_pointers(struct problem *b, char type)
{
    enum { N = 100, BATCH = 3 };
    const unsigned char poison = 0x5a;
    make_systems(b, SYSTEM_DOMINANT, type, 1, N, BATCH);
    size_t element = (size_t)size_of(type), bytes = systems_bytes(&b->s);
    CHECK(cudaMemset(b->s.x, poison, bytes));
    CHECK(cudaMemset(b->work, poison, bytes));
    CHECK(cudaMemset(b->status, poison, BATCH * sizeof *b->status));
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        struct thomas_batch s = plan(b, false, 32);
        struct expect_pointer arrays[] = {
            EXPECT_POINTER(s.sub, element),   EXPECT_POINTER(s.diag, element),
            EXPECT_POINTER(s.super, element), EXPECT_POINTER(s.rhs, element),
            EXPECT_POINTER(s.x, element),     EXPECT_POINTER(s.status, sizeof *s.status)};
        EXPECT_POINTERS(arrays, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        struct expect_pointer work[] = {EXPECT_POINTER(s.work, element)};
        if (thomas_batch_work(method, &s) > 0)
            EXPECT_POINTERS(work, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        s.n = 0;
        struct expect_pointer status[] = {EXPECT_POINTER(s.status, sizeof *s.status)};
        EXPECT_POINTERS(status, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        EXPECT_REFUSED(s, s.batch = INT64_MAX / 7, thomas_batch_solve(method, &s, 0));
        EXPECT(thomas_batch_solve(method, NULL, 0) == cudaErrorInvalidValue, "no struct");
    }
    EXPECT(device_holds(b->s.x, poison, bytes) && device_holds(b->work, poison, bytes) &&
               device_holds(b->status, poison, BATCH * sizeof *b->status),
           "type %c: a refused call wrote", type);
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        struct thomas_batch one_row = plan(b, false, 32);
        one_row.n = 1;
        if (thomas_batch_work(method, &one_row) == 0)
            one_row.work = NULL;
        const struct thomas_batch least[] = {
            {.type = type, .n = N, .threads = 32},
            {.type = type, .batch = BATCH, .status = b->status, .threads = 32},
            one_row};
        for (const struct thomas_batch &s : least)
            EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess,
                   "%s: n = %lld, batch = %lld need no more arrays", variants[v].name,
                   (long long)s.n, (long long)s.batch);
    }
}

/* Tests verdict_of(). It must detect a wrong element of x, and a NaN. */
static void check_checker(struct problem *b)
{
    make_systems(b, SYSTEM_MIXED, 's', 1, 100, 33);
    solve_gpu(b, THOMAS_GLOBAL, 32);
    EXPECT(verdict_of(b, THOMAS_GLOBAL, true).ok, "right before it is changed");
    float *x = (float *)b->s.host_x + 20 * 100 + 50;
    *x *= 1 + 1e-4f;
    struct verdict verdict = verdict_of(b, THOMAS_GLOBAL, true);
    EXPECT(!verdict.ok && verdict.worst == 20, "a wrong x is found in system %lld",
           (long long)verdict.worst);
    *x = NAN;
    EXPECT(!verdict_of(b, THOMAS_GLOBAL, true).ok, "NaN passes");
}

/* `all`: every n with every batch and kind, and two values of T. Else only n * batch <= 10000 and
 * two larger sizes; the other kinds and the second T only with small sizes. */
static void check_sizes(struct problem *b, char type, bool all, uint64_t seed)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 127, 1000, 4095, 4096, 5000};
    static const int64_t batches[] = {1, 2, 31, 33, 1000};
    for (int64_t n : sizes)
        for (int64_t batch : batches) {
            bool small = n * batch <= 2000 || (n > 1000 && batch == 1);
            if (!all && n * batch > 10000 && !(n == 1000 && batch == 31) &&
                !(n == 33 && batch == 1000))
                continue;
            for (int kind = 0; kind < SYSTEM_KINDS; kind++) {
                if (!all && !small && kind != SYSTEM_DOMINANT)
                    continue;
                make_systems(b, (enum system)kind, type, seed, n, batch);
                check_variants(b, 64);
                if (all || (small && kind == SYSTEM_DOMINANT))
                    check_variants(b, batch > 1 ? 32 : 512);
                check_cpu(b);
            }
        }
}

static void print_worst(void)
{
    static const char *const names[FAMILIES] = {"Thomas", "SERICR", "PARACR", "LAPACK"};
    printf("largest backward error of a row, in units of roundoff:\n%-8s", "");
    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
        printf(" %9s", system_name((enum system)kind));
    for (int family = 0; family < FAMILIES; family++) {
        printf("\n%-8s", names[family]);
        for (double worst : worst_units[family])
            printf(" %9.3g", worst);
    }
    printf("\n");
}

int check(const struct options *o)
{
    bool all = !device_is_cpu() && !o->quick;
    /* check_pivots() has up to 64 systems of 4801 rows. */
    int64_t rows = all ? 5000 * 1000 : 4801 * 64;
    struct problem b = {};
    allocate(&b, 'd', rows, 5000, 1000, 2);
    b.exact_work = true;
    for (char type : {'s', 'd'}) {
        check_sizes(&b, type, all, o->seed);
        for (int64_t n : {1, 2, 3, 100})
            check_pivots(&b, type, n);
        check_subnormal(&b, type);
        check_pointers(&b, type);
    }
    check_pivots(&b, 's', 4801); /* a system that PARACR_BLOCK must split */
    check_misuse(&b);
    check_checker(&b);
    memory_free(&b.memory);
    print_worst();
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
