/* tridiagonal_batch_mpi --check tests tridiagonal_batch_mpi.h over the available ranks: all sizes
 * near those of a slice, a partition and a tile, with equal and unequal shares of the rows, both
 * layouts, and systems that break down. EXPECT counts on every rank, EXPECT_0 only on rank 0. */
#include "bench/tridiagonal_batch_mpi_bench.h"

#include <initializer_list>

/* Gives this rank its rows. way 0: equal shares; 1: all rows on the last rank; 2: one row on each
 * rank but the last one, if there are enough; otherwise random shares, of which some are empty.
 * Each rank draws the numbers of all ranks. */
static void share_rows(struct shape *s, int way)
{
    struct random r = {s->seed + (uint64_t)way};
    s->rows = s->first = 0;
    for (int k = 0; k <= rank; k++) {
        int64_t left, mine;
        double part = random_uniform(&r, -0.3, 1);
        s->first += s->rows;
        left = mine = s->n - s->first;
        if (k < ranks - 1)
            mine = way == 0   ? s->n * (k + 1) / ranks - s->first
                   : way == 1 ? 0
                   : way == 2 ? left > 0
                              : (int64_t)(part > 0 ? part * (double)(left + 1) : 0);
        s->rows = mine;
    }
}

/* x of this rank and all statuses, in main memory. */
struct answer {
    struct memory memory;
    void *x;
    int *status;
    size_t bytes;
};
static struct answer solve(struct problem *p)
{
    const struct shape *s = &p->shape;
    const size_t statuses = (size_t)s->batch * sizeof(int);
    struct answer a = {};
    a.bytes = (size_t)(s->rows * s->batch * size_of(s->type));
    a.x = memory_host(&a.memory, a.bytes);
    a.status = (int *)memory_host(&a.memory, statuses);
    problem_solve(p);
    device_download(a.x, p->array[X], a.bytes);
    device_download(a.status, p->status, statuses);
    return a;
}

static void expect_same_bits(const struct shape *s, struct answer answers[2], const char *second)
{
    EXPECT(memcmp(answers[0].x, answers[1].x, answers[0].bytes) == 0,
           "type %c, n = %lld, %s: other bits", s->type, (long long)s->n, second);
    for (int k = 0; k < 2; k++)
        memory_free(&answers[k].memory);
}

/* Solves a batch directly and, with the same bits, staged. */
static void check_batch(struct shape s)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct answer answers[2];
    for (bool staged : {false, true}) {
        struct problem p;
        s.staged = staged;
        problem_open(&p, &s);
        int direct = tridiagonal_batch_mpi_is_direct(p.plan);
        EXPECT(staged ? !direct : direct || !device_is_cpu(), "the messages take the wrong way");
        struct answer a = answers[staged] = solve(&p);
        EXPECT(all_solved(&s, a.status), "type %c, n = %lld, %lld rows: a status is not 0", s.type,
               (long long)s.n, (long long)s.rows);
        struct verdict verdict = problem_verdict(&p, a.status);
        EXPECT_0(verdict.ok,
                 "type %c, %s, n = %lld, batch %lld, interleaved %d, periodic %d: %.2g of the "
                 "bound in system %lld",
                 s.type, system_name(s.kind), (long long)s.n, (long long)s.batch, s.interleaved,
                 s.periodic, verdict.used, (long long)verdict.worst);
        problem_close(&p);
    }
    expect_same_bits(&s, answers, "staged");
}

/* A solution in place must have the bits of one that is not. */
static void check_in_place(struct shape s)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct answer answers[2];
    for (bool in_place : {false, true}) {
        struct problem p;
        s.in_place = in_place;
        problem_open(&p, &s);
        answers[in_place] = solve(&p);
        problem_close(&p);
    }
    expect_same_bits(&s, answers, "in place");
}

/* ---- breakdowns ---- */

/* Writes an element of system k, if this rank has its row. */
static void write_element(const struct problem *p, int array, int64_t row, int64_t k, double value)
{
    const struct shape *s = &p->shape;
    double both[2] = {value, 0};
    float single[2] = {(float)value, 0};
    bool wide = real_type(s->type) == 'd';
    if (row < s->first || row >= s->first + s->rows)
        return;
    size_t size = (size_t)size_of(s->type);
    device_upload((char *)p->array[array] + (size_t)problem_index(s, row - s->first, k) * size,
                  wide ? (const void *)both : (const void *)single, size);
}

/* Row `row` of system k is all zeros, or its rhs is infinite. All ranks must report that row, and
 * the other systems must be solved. */
static void check_breakdown(const struct shape *s, int64_t row, int64_t k, bool zero)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p;
    problem_open(&p, s);
    for (int array = SUB; array <= SUPER && zero; array++)
        write_element(&p, array, row, k, 0);
    if (!zero)
        write_element(&p, RHS, row, k, 1e300 * 1e300);
    struct answer a = solve(&p);
    EXPECT(a.status[k] == row + 1, "type %c, n = %lld, %s: row %lld, reported %d", s->type,
           (long long)s->n, zero ? "zeros" : "infinite", (long long)(row + 1), a.status[k]);
    a.status[k] = 0;
    EXPECT(all_solved(s, a.status), "type %c: another system is marked", s->type);
    a.status[k] = 1;
    struct verdict verdict = problem_verdict(&p, a.status);
    EXPECT_0(verdict.ok, "type %c, n = %lld, system %lld broke down: %.2g of the bound", s->type,
             (long long)s->n, (long long)k, verdict.used);
    memory_free(&a.memory);
    problem_close(&p);
}

/* An x that overflows only in the second pass is reported by the rank that has it. */
static void check_overflow(const struct shape *s)
{
    struct problem p;
    int64_t row = s->first + s->rows / 2;
    bool middle = s->rows >= 3;
    problem_open(&p, s);
    if (middle) { /* an equation of one unknown, which has no effect on other rows */
        const double large = real_type(s->type) == 's' ? 1e30 : 1e300;
        write_element(&p, SUPER, row - 1, 1, 0);
        write_element(&p, SUB, row + 1, 1, 0);
        for (int array = SUB; array <= SUPER; array++)
            write_element(&p, array, row, 1, array == DIAG ? 1 / large : 0);
        write_element(&p, RHS, row, 1, large);
    }
    struct answer a = solve(&p);
    EXPECT(!middle || a.status[1] != 0, "type %c, n = %lld: an infinite x is not reported", s->type,
           (long long)s->n);
    memory_free(&a.memory);
    problem_close(&p);
}

/* ---- invalid arguments ---- */

static void check_refused(struct shape s)
{
    struct problem p;
    problem_open(&p, &s);
    struct tridiagonal_batch_mpi *b = &p.call;
    size_t size = (size_t)size_of(s.type);
    struct expect_pointer pointers[] = {
        EXPECT_POINTER(b->sub, size),        EXPECT_POINTER(b->diag, size),
        EXPECT_POINTER(b->super, size),      EXPECT_POINTER(b->rhs, size),
        EXPECT_POINTER(b->x, size),          EXPECT_POINTER(b->work, 16),
        EXPECT_POINTER_OR_NULL(b->status, 4)};
    /* refused before anything is sent, so each rank tests alone */
    if (s.rows > 0)
        EXPECT_POINTERS(pointers, tridiagonal_batch_mpi_solve(p.plan, b, p.stream),
                        cudaErrorInvalidValue);
    auto solve = [&] { return tridiagonal_batch_mpi_solve(p.plan, b, p.stream); };
    EXPECT_REFUSED(*b, b->rows++, solve());
    EXPECT_REFUSED(*b, b->type = 'x', solve());
    EXPECT_REFUSED(*b, b->interleaved = !b->interleaved, solve());
    EXPECT(device_holds(p.array[X], 0xff, (size_t)(s.rows * s.batch) * size), "x is written");

    struct tridiagonal_batch_mpi_plan *plan;
    auto open = [&] { return tridiagonal_batch_mpi_open(MPI_COMM_WORLD, b, &plan); };
    EXPECT_REFUSED(*b, b->type = 'x', open());
    EXPECT_REFUSED(*b, b->rows = -1, open());
    EXPECT_REFUSED(*b, b->batch = -1, open());
    EXPECT_REFUSED(*b, b->rows = INT64_C(1) << 31, open());
    if (ranks > 1) { /* one rank differs, all are refused */
        EXPECT_REFUSED(*b, b->batch += rank == 0, open());
        EXPECT_REFUSED(*b, b->type = rank == 0 ? 'x' : b->type, open());
    }
    problem_close(&p);
}

/* A batch without systems needs no work. */
static void check_empty(struct shape s)
{
    struct problem p;
    s.batch = 0;
    problem_open(&p, &s);
    EXPECT(tridiagonal_batch_mpi_work(p.plan) == 0, "type %c: no systems, but a workspace", s.type);
    EXPECT(tridiagonal_batch_mpi_solve(p.plan, &p.call, p.stream) == cudaSuccess,
           "type %c: a batch without systems is refused", s.type);
    problem_close(&p);
}

/* ---- sizes ---- */

/* Many sizes and batches, in both layouts, periodic or not. */
static void check_sizes(struct shape s, int count, int *turn)
{
    static const int64_t sizes[] = {0, 3, 17, 64, 100, 600, 1, 2, 5, 15, 16, 31, 33, 65, 129, 257},
                         batches[] = {1, 3, 33, 130};
    for (int i = 0; i < count; i++)
        for (int layout = 0; layout < 4; layout++, ++*turn) {
            s.n = sizes[i];
            s.batch = batches[*turn / 3 % 4];
            s.interleaved = layout & 1;
            s.periodic = layout & 2;
            share_rows(&s, *turn % 7);
            check_batch(s);
        }
}
/* Several chunks, several tiles of each partition, and what does not depend on the size. */
static void check_large(struct shape s)
{
    struct shape chunks = s;
    chunks.n = 130;
    chunks.batch = 300;
    chunks.chunks = 3;
    share_rows(&chunks, 5);
    check_batch(chunks);
    check_in_place(chunks);
    check_refused(chunks);
    s.n = expect_few ? 1100 : 4133;
    s.batch = 5;
    share_rows(&s, 0);
    check_in_place(s);
    s.kind = s.interleaved ? SYSTEM_POISSON : SYSTEM_BARELY;
    check_batch(s);
    check_empty(s);
}
static void check_breakdowns(struct shape s, bool crowded)
{
    s.batch = 6;
    for (int way = crowded ? 4 : 0; way <= 4; way += 2)
        for (int64_t n : {1, 4, 70, 333}) {
            s.n = n;
            s.interleaved = n & 1;
            share_rows(&s, way);
            /* each row of n = 70 and an equal share, so also the last one of a partition */
            for (int64_t row = 0; row < n; row += n == 70 && way == 0 ? 1 : 1 + n / 4)
                check_breakdown(&s, row, row % s.batch, true);
            for (int64_t row = 0; row < n; row += 1 + n / 4)
                check_breakdown(&s, row, row % s.batch, false);
            check_breakdown(&s, n - 1, 2, true);
            check_overflow(&s);
        }
}

int check(const struct options *options)
{
    /* Ranks that share a core wait for each other at every message. So they test fewer sizes and
     * types. Runs with fewer ranks test the rest. */
    const bool crowded = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    int turn = 0;
    for (const char *type = crowded ? "zs" : "zcds"; *type; type++) {
        struct shape s = {.type = *type, .kind = SYSTEM_DOMINANT, .seed = options->seed};
        check_sizes(s, crowded ? 6 : 16, &turn);
        for (bool interleaved : {false, true}) {
            s.interleaved = interleaved;
            check_large(s);
        }
        check_breakdowns(s, crowded);
    }
    expect_passed = (int)sum_over_ranks(expect_passed);
    expect_failed = (int)sum_over_ranks(expect_failed);
    return rank == 0 && expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
