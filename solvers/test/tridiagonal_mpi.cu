/* Tests of tridiagonal_mpi.h. Every rank makes the whole system, so that its rows are a piece of
 * each array, and rank 0 collects x and judges it. All ranks draw the same random numbers. */
#include "test/tridiagonal_mpi_test.h"

#include "mpi_program.h"
#include "test/matrices.h"
#include "test/tridiagonal_test.h"
#include "tridiagonal_mpi.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* What stays the same in all tests of a call of tridiagonal_mpi_check(). One link for each type has
 * room for SIDES sides. */
enum { SIDES = 3, RANKS_MOST = 64 };
static const char TYPES[] = "sdcz";
static int pivot, cores;
static bool on_cores; /* some rank computes on CPU cores */
static struct tridiagonal_mpi_link *links[4];

/* ---- a system and how its rows are spread over the ranks ---- */

/* Rank r has rows from[r] … from[r + 1] - 1. */
struct spread {
    int64_t from[RANKS_MOST + 1];
};

static struct spread even_spread(int64_t each)
{
    struct spread s = {};
    for (int i = 0; i <= ranks; i++)
        s.from[i] = each * i;
    return s;
}
/* Cuts n rows at random rows. Some ranks get no row, some one. */
static struct spread random_spread(int64_t n, struct random *r)
{
    struct spread s = {};
    for (int i = 1; i < ranks; i++) {
        uint64_t kind = random_bits(r) % 6, draw = random_bits(r);
        int64_t before = s.from[i - 1], left = n - before,
                rows = kind < 2 ? (int64_t)kind
                                : (int64_t)(draw % (uint64_t)(2 * left / (ranks - i + 1) + 1));
        s.from[i] = before + (rows < left ? rows : left);
    }
    s.from[ranks] = n;
    return s;
}

/* Outputs of a call: the status, and the boundary values of SIDES sides of any type. */
static long long status;
static double around[4 * SIDES * 2];

struct spread_case {
    struct tridiagonal_case c;
    struct spread spread;
    struct tridiagonal_mpi s;
    void *work;
    size_t bytes;
};

static void *rows_of(const struct tridiagonal_case *c, int array, int64_t first)
{
    if (array < RHS && c->s.toeplitz)
        first = 0;
    return cores > 0
               ? case_host(c, array, first)
               : (char *)c->device[array] + ((char *)case_host(c, array) - (char *)c->host[array]) +
                     first * size_of(c->s.type);
}
static struct spread_case spread_make(const struct shape &shape, int matrix,
                                      const struct spread &spread, uint64_t seed)
{
    struct spread_case made = {}, *m = &made;
    m->c = case_make(shape, pivot, matrix, seed);
    m->spread = spread;
    int64_t first = spread.from[rank];
    struct tridiagonal_mpi *s = &m->s;
    s->type = shape.type;
    s->n = spread.from[rank + 1] - first, s->first = first, s->total = shape.n;
    s->sub = rows_of(&m->c, SUB, first), s->diag = rows_of(&m->c, DIAG, first);
    s->super = rows_of(&m->c, SUPER, first);
    s->rhs = rows_of(&m->c, shape.in_place ? X : RHS, first), s->x = rows_of(&m->c, X, first);
    s->sides = shape.sides, s->stride = shape.stride;
    s->toeplitz = shape.toeplitz, s->periodic = shape.periodic, s->pivot = pivot;
    s->status = &status, s->cores = cores, s->around = around;
    m->bytes = tridiagonal_mpi_workspace(s);
    EXPECT(m->bytes > 0, "no size of the workspace of %lld rows", (long long)s->n);
    m->work = cores > 0 ? memory_host(&m->c.memory, m->bytes + GUARD)
                        : memory_device(&m->c.memory, m->bytes + GUARD);
    if (cores > 0)
        memset(m->work, 0xff, m->bytes + GUARD);
    else
        device_poison(m->work, m->bytes + GUARD);
    CHECK(tridiagonal_mpi_prepare(s, m->work, m->bytes, 0));
    return made;
}
static bool guard_kept(const struct spread_case *m)
{
    char *end = (char *)m->work + m->bytes;
    if (cores == 0)
        return device_holds(end, 0xff, GUARD);
    for (int i = 0; i < GUARD; i++)
        if ((unsigned char)end[i] != 0xff)
            return false;
    return true;
}

/* Solves. Afterwards this rank's rows of x are in the host's x. Returns what the call returned. */
static cudaError_t spread_solve(struct spread_case *m)
{
    struct tridiagonal_case *c = &m->c;
    size_t bytes = case_image_bytes(c, X);
    host_poison(c->host[X], bytes);
    if (c->s.in_place)
        for (int64_t k = 0; k < case_sides(c); k++)
            memcpy(case_host(c, X, k * c->s.stride + m->s.first),
                   case_host(c, RHS, k * c->s.stride + m->s.first),
                   (size_t)(m->s.n * size_of(c->s.type)));
    device_upload(c->device[X], c->host[X], bytes);
    if (m->s.status)
        *m->s.status = -1;
    cudaError_t error =
        tridiagonal_mpi_solve(links[strchr(TYPES, c->s.type) - TYPES], &m->s, m->work, m->bytes, 0);
    CHECK(cudaDeviceSynchronize());
    if (cores == 0)
        device_download(c->host[X], c->device[X], bytes);
    return error;
}
/* Collects x of all ranks on rank 0. */
static void spread_gather(const struct spread_case *m)
{
    int64_t size = size_of(m->s.type);
    for (int64_t k = 0; k < case_sides(&m->c); k++)
        for (int r = 1; r < ranks; r++) {
            int64_t first = m->spread.from[r], bytes = (m->spread.from[r + 1] - first) * size;
            void *rows = case_host(&m->c, X, k * m->c.s.stride + first);
            if (rank == 0)
                receive_bytes(rows, bytes, r);
            else if (rank == r)
                send_bytes(rows, bytes, 0);
        }
}

static const char *spread_text(const struct spread_case *m)
{
    static char text[200];
    const struct shape *s = &m->c.s;
    snprintf(
        text, sizeof text,
        "type %c, pivot %d, cores %d, n = %lld, rank %d of %d has %lld from %lld on%s%s%s, %lld "
        "sides",
        s->type, pivot, cores, (long long)s->n, rank, ranks, (long long)m->s.n,
        (long long)m->s.first, s->toeplitz ? ", toeplitz" : "", s->periodic ? ", periodic" : "",
        s->in_place ? ", in place" : "", (long long)s->sides);
    return text;
}

/* Rank 0 has x of all ranks in the host's x. Are the boundary values that rank r got those of x?
 * Two ranks compute them in different ways, so they may differ by rounding, and a value may be
 * small by cancellation. DOMINANT matrices are so well conditioned that they differ by some units
 * of roundoff; BOUND, for a residual, is ample. Other matrices may amplify it and are left out. */
static void check_around(const struct spread_case *m)
{
    const int64_t n = m->c.s.n, size = size_of(m->s.type);
    const int parts = is_complex(m->s.type) ? 2 : 1;
    const char real = real_type(m->s.type);
    for (int r = 0; r < ranks; r++) {
        double theirs[4 * SIDES * 2];
        int64_t bytes = 4 * case_sides(&m->c) * size, first = m->spread.from[r],
                end = m->spread.from[r + 1];
        if (first == end)
            continue;
        if (rank == r && r > 0)
            send_bytes(around, bytes, 0);
        if (rank != 0)
            continue;
        memcpy(theirs, around, sizeof around);
        if (r > 0)
            receive_bytes(theirs, bytes, r);
        const int64_t rows[4] = {first - 1, first, end - 1, end};
        for (int64_t i = 0; i < 4 * case_sides(&m->c) * parts; i++) {
            int64_t row = rows[i / parts % 4], k = i / parts / 4;
            if (!m->c.s.periodic && (row < 0 || row >= n))
                continue;
            double x = get(real, case_host(&m->c, X, k * m->c.s.stride + (row + n) % n), i % parts),
                   got = get(real, theirs, i);
            EXPECT(fabs(got - x) <= BOUND * unit_roundoff(m->s.type) * (1 + fabs(x)),
                   "%s: rank %d got %g for x_%lld = %g", spread_text(m), r, got, (long long)row, x);
        }
    }
}

/* Solves one system and checks its errors. `again`: a second call must give the same bits, and so
 * must a call without a status. */
static void check_one(const struct shape &shape, int matrix, const struct spread &spread,
                      uint64_t seed, bool again)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct spread_case m = spread_make(shape, matrix, spread, seed);
    cudaError_t error = spread_solve(&m);
    EXPECT(error == cudaSuccess && status == 0, "%s, matrix %d: %s, status %lld", spread_text(&m),
           matrix, cudaGetErrorString(error), status);
    EXPECT(is_agreed(status), "%s: other ranks have another status", spread_text(&m));
    EXPECT(case_only_wrote(&m.c, m.s.first, m.s.n) && guard_kept(&m),
           "%s: elements around x or the workspace", spread_text(&m));
    size_t bytes = case_image_bytes(&m.c, X);
    void *first = memory_host(&m.c.memory, bytes + 1);
    memcpy(first, m.c.host[X], bytes);
    spread_gather(&m);
    if (rank == 0 && shape.n > 0) {
        struct errors e = case_errors(&m.c);
        EXPECT((case_is_dominant(matrix) ? e.terms : e.rows) <= BOUND,
               "%s, matrix %d: backward error %g u of a row's terms, %g u of a row",
               spread_text(&m), matrix, e.terms, e.rows);
    }
    if (matrix == DOMINANT && !shape.toeplitz)
        check_around(&m);
    for (int k = 0; k < 2 && again; k++) {
        m.s.status = k ? NULL : &status;
        error = spread_solve(&m);
        EXPECT(error == cudaSuccess && memcmp(first, m.c.host[X], bytes) == 0,
               "%s: other bits in call %d", spread_text(&m), k + 2);
    }
    case_close(&m.c);
}

/* ---- sizes and options ---- */

static void check_drawn(int64_t n, struct random *r)
{
    if (static int turns; expect_skips(&turns))
        return;
    uint64_t draw = random_bits(r);
    struct shape s = {.type = TYPES[draw % 4],
                      .n = n,
                      .sides =
                          (int64_t)(draw >> 8) % 3 == 0 ? 1 + (int64_t)(draw >> 12) % SIDES : 0,
                      .toeplitz = !on_cores && draw / 4 % 5 == 0,
                      .periodic = draw / 20 % 3 == 0,
                      .in_place = draw / 60 % 4 == 0};
    if (s.sides > 1)
        s.stride = n + (int64_t)(draw >> 20) % 3;
    const int matrix = drawn_matrix(&s, pivot, draw >> 24);
    for (int a = 0; a < ARRAYS && (draw >> 32) % 3 == 0; a++)
        s.offset[a] = (int)(draw >> (34 + 2 * a)) & 3;
    uint64_t seed = random_bits(r);
    struct spread spread = random_spread(n, r);
    check_one(s, matrix, spread, seed, (draw >> 50) % 6 == 0);
}

/* ---- the twenty matrices ---- */

/* Solves each of the twenty matrices; without pivoting only the dominant ones, which need none.
 * Only the backward error is tested, because the forward error depends on the condition;
 * test/accuracy.cu tests it on one GPU. */
static void check_matrices(struct random *r)
{
    enum { N = 512 };
    for (const char *type = "dz"; *type; type++)
        for (int matrix = 1; matrix <= MATRICES; matrix++)
            if (matrix_exists(matrix, *type, N) && (pivot || case_is_dominant(matrix)))
                check_one({.type = *type, .n = N}, matrix, random_spread(N, r), 1, false);
}

/* ---- breakdowns ---- */

/* A row or a column of zeros. All ranks must report a row less than `most` rows before it (on CPU
 * cores: near it), all x must be NaN, and the next call must not be affected. */
static void check_breakdown(const struct shape &shape, const struct spread &spread, int64_t at,
                            bool column, int64_t most)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct spread_case m = spread_make(shape, DOMINANT, spread, 3);
    const struct tridiagonal_case *c = &m.c;
    const int64_t n = shape.n;
    if (!shape.periodic) {
        case_put(c, SUB, 0, 0);
        case_put(c, SUPER, n - 1, 0);
    }
    if (column) {
        case_put(c, DIAG, at, 0);
        case_put(c, SUPER, (at + n - 1) % n, 0);
        case_put(c, SUB, (at + 1) % n, 0);
    } else
        case_put_row(c, at, 0, 0, 0);
    case_upload(c);
    cudaError_t error = spread_solve(&m);
    int64_t before = at + 1 - status;
    EXPECT(error == cudaSuccess && status > 0 && before < most && before > (on_cores ? -most : -1),
           "%s, %s %lld of zeros: %s, status %lld", spread_text(&m), column ? "column" : "row",
           (long long)at, cudaGetErrorString(error), status);
    EXPECT(is_agreed(status), "%s: other ranks have another status", spread_text(&m));
    EXPECT(case_all_nan(&m.c, m.s.first, m.s.n), "%s, %lld of zeros: x is not NaN", spread_text(&m),
           (long long)at);
    case_fill(c, DOMINANT, 3);
    error = spread_solve(&m);
    EXPECT(error == cudaSuccess && status == 0, "%s, after a breakdown: %s, status %lld",
           spread_text(&m), cudaGetErrorString(error), status);
    spread_gather(&m);
    EXPECT_0(case_errors(c).terms <= BOUND, "%s, after a breakdown: wrong", spread_text(&m));
    case_close(&m.c);
}
static void check_breakdowns(bool all, struct random *r)
{
    enum { MOST = 896 }; /* a group has at most 896 rows */
    for (int k = 0; k < (all ? 60 : 12); k++) {
        int64_t n = 2 + (int64_t)(random_bits(r) % 3000);
        struct spread spread = random_spread(n, r);
        /* the first and the last row of each rank, which break down only between ranks */
        int64_t cut = spread.from[1 + (int64_t)(random_bits(r) % (uint64_t)ranks)],
                places[] = {0, n - 1, cut % n, (cut + n - 1) % n,
                            (int64_t)(random_bits(r) % (uint64_t)n)};
        check_breakdown({.type = TYPES[k % 4], .n = n, .periodic = k % 3 == 1}, spread,
                        places[random_bits(r) % 5], random_bits(r) % 2, MOST);
    }
}

/* Row `at` has a 0 on its diagonal. In the second pass of the last rank this is the first pivot of
 * a thread, in the first pass it is none. So only the second pass breaks down, on one rank, and all
 * must learn of it. */
static void check_second_pass(void)
{
    enum { THREAD = 14 }; /* rows of a thread in double precision, without pivoting */
    const int64_t n = 1000 * ranks, at = n - 1000 + THREAD;
    struct spread_case m = spread_make({.type = 'd', .n = n}, DOMINANT, even_spread(1000), 6);
    case_put(&m.c, DIAG, at, 0);
    case_upload(&m.c);
    cudaError_t error = spread_solve(&m);
    EXPECT(error == cudaSuccess && status == n - 1000 + 1, "%s, 0 at %lld: %s, status %lld",
           spread_text(&m), (long long)at, cudaGetErrorString(error), status);
    case_close(&m.c);
}

/* x of row `at`, which is coupled to no other, is out of range, although its pivot is not. The row
 * is the first or the last one of a rank, or inside. */
static void check_overflow(char type)
{
    const int64_t n = 500 * ranks;
    const double tiny = real_type(type) == 's' ? 0x1p-100 : 0x1p-400;
    for (int64_t at : {n - 500, n - 1, (int64_t)499, (int64_t)250}) {
        struct spread_case m = spread_make({.type = type, .n = n}, DOMINANT, even_spread(500), 6);
        case_put_row(&m.c, at, 0, tiny, 0);
        case_put(&m.c, RHS, at, 1 / tiny * (real_type(type) == 's' ? 1 : 0x1p300));
        case_upload(&m.c);
        cudaError_t error = spread_solve(&m);
        EXPECT(error == cudaSuccess && status > 0 && status <= at + 1,
               "%s, x too large at %lld: %s, status %lld", spread_text(&m), (long long)at,
               cudaGetErrorString(error), status);
        case_close(&m.c);
    }
}

/* Some hundred groups on a rank: the merges between the passes have several blocks, and on the CPU
 * device, which has few, threads with several groups. Then a breakdown is known up to a block. */
static void check_many_groups(int64_t n)
{
    const int64_t group = pivot ? 16 * 18 : 32 * 14; /* rows, in double precision */
    int processors;
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    int64_t each = (n / group + 256 * processors) / (256 * processors),
            most = each > 1 ? 256 * each * group : group;
    struct spread spread = {};
    for (int i = 1; i < ranks; i++) /* rank 0 has all rows but one or two of each other rank */
        spread.from[i] = n - (ranks - i) * (1 + i % 2) - 1;
    spread.from[ranks] = n;
    check_one({.type = 'd', .n = n, .periodic = true}, DOMINANT, spread, 4, true);
    const int64_t block = 256 * each * group;
    check_breakdown({.type = 'd', .n = n}, spread, n - n / 4, false, most);
    for (int64_t at = block - 1; at <= block + 1 && block + 1 < n; at++)
        for (int column = 0; column < 2; column++)
            check_breakdown({.type = 'd', .n = n}, spread, at, column, most);
    check_breakdown({.type = 'd', .n = n}, spread, n - 3 * ranks, true, most);
}

/* ---- refused calls ---- */

/* Calls of which one rank's is wrong, or differs from those of the other ranks. All ranks must get
 * the error and x must stay as it was. */
static void expect_refused(const struct spread_case *m)
{
    const bool several = ranks > 1;
    for (int who = 0; who < ranks; who++) {
        struct spread_case bad = *m;
        auto refused = [&](bool changed, const char *what) {
            if (changed) {
                struct spread_case call = rank == who ? bad : *m;
                cudaError_t error = spread_solve(&call);
                EXPECT(error == cudaErrorInvalidValue, "%s, %s on rank %d: %s", spread_text(m),
                       what, who, cudaGetErrorString(error));
                EXPECT(case_all_nan(&m->c, m->s.first, m->s.n), "%s: x was written", what);
            }
            bad = *m;
        };
        struct tridiagonal_mpi *s = &bad.s;
        s->diag = NULL, refused(true, "no diag");
        s->rhs = NULL, refused(true, "no rhs");
        s->x = (char *)s->x + 1, refused(true, "x not aligned");
        bad.work = NULL, refused(true, "no workspace");
        s->first = -1, refused(true, "first < 0");
        s->first++, refused(true, "first wrong");
        s->total++, refused(true, "total wrong");
        s->n = -1, refused(true, "n < 0");
        s->sides = SIDES + 1, s->stride = 100, refused(true, "too many sides");
        s->sides = 2, s->stride = s->n - 1, refused(true, "stride < n");
        s->pivot = !s->pivot, refused(true, "pivot differs from the link");
        s->cores = !s->cores, refused(true, "cores differ from the link");
        s->type = 's', refused(true, "type differs from the link");
        s->periodic = 1, refused(several, "a rank is periodic");
        s->status = NULL, refused(several, "a rank has no status");
        s->sides = 2, s->stride = 100, refused(several, "a rank has two sides");
    }
}
static void check_refused(void)
{
    const int64_t n = 40 * ranks;
    struct spread_case m =
        spread_make({.type = 'd', .n = n, .sides = 2, .stride = 200}, DOMINANT, even_spread(40), 2);
    for (int who = 0; who < ranks; who++) {
        struct spread_case small = m;
        small.bytes -= rank == who;
        EXPECT(spread_solve(&small) == cudaErrorInvalidValue &&
                   case_all_nan(&m.c, m.s.first, m.s.n),
               "%s: workspace too small on rank %d", spread_text(&m), who);
    }
    m.s.sides = 1; /* the workspace has room for two sides */
    expect_refused(&m);
    CHECK(tridiagonal_mpi_prepare(&m.s, m.work, m.bytes, 0));
    EXPECT(spread_solve(&m) == cudaSuccess && status == 0, "%s, after all refusals: %lld",
           spread_text(&m), status);
    case_close(&m.c);
    for (int wrong_type = 0; wrong_type < 2; wrong_type++) {
        struct tridiagonal_mpi open = {};
        struct tridiagonal_mpi_link *none = links[0];
        open.type = wrong_type && rank == ranks - 1 ? 'x' : 'd';
        open.pivot = wrong_type ? TRIDIAGONAL_PIVOT_NEVER : TRIDIAGONAL_PIVOT_AUTO;
        EXPECT(tridiagonal_mpi_open(MPI_COMM_WORLD, &open, &none) == cudaErrorInvalidValue && !none,
               "opened with %s",
               wrong_type ? "a wrong type on the last rank" : "automatic pivoting");
        EXPECT(wrong_type || tridiagonal_mpi_workspace(&open) == 0, "automatic pivoting");
    }
    tridiagonal_mpi_close(NULL);
}
/* CPU cores have no pivoting and no Toeplitz matrices. */
static void check_refused_on_cores(void)
{
    for (int toeplitz = 0; toeplitz < 2; toeplitz++) {
        struct tridiagonal_mpi s = {};
        s.type = 'd', s.cores = 1, s.toeplitz = toeplitz, s.pivot = !toeplitz;
        EXPECT(tridiagonal_mpi_workspace(&s) == 0, "pivoting or a Toeplitz matrix on CPU cores");
    }
}

void tridiagonal_mpi_check(int with_pivot, int with_cores, bool few, uint64_t seed)
{
    pivot = with_pivot;
    cores = with_cores;
    on_cores = max_over_ranks(cores) > 0;
    check_refused_on_cores();
    if (pivot && on_cores)
        return;
    for (int i = 0; i < 4; i++) {
        struct tridiagonal_mpi s = {};
        s.type = TYPES[i], s.pivot = pivot, s.sides = SIDES, s.cores = cores;
        CHECK(tridiagonal_mpi_open(MPI_COMM_WORLD, &s, &links[i]));
    }
    struct random r = {seed};
    check_refused();
    int64_t n = 0, step = !device_is_cpu() ? 3 : few || expect_few ? 700 : 90;
    while (n <= 5000) {
        check_drawn(n, &r);
        n += n < 20 && !expect_few ? 1 : 1 + (int64_t)(random_bits(&r) % (uint64_t)(2 * step - 1));
    }
    if (!few && !expect_few)
        check_matrices(&r);
    check_breakdowns(!device_is_cpu(), &r);
    if (!pivot && !on_cores)
        check_second_pass();
    for (char type : {'s', 'd', 'c', 'z'})
        check_overflow(type);
    if (!expect_few)
        check_many_groups(device_is_cpu() ? 150000 : 400000);
    for (struct tridiagonal_mpi_link *link : links)
        tridiagonal_mpi_close(link);
}
