/* The program tridiagonal_mpi: one tridiagonal system over MPI ranks (tridiagonal_mpi.h), with its
 * stages, beside one GPU alone and a copy on all GPUs. No rank ever has the whole system: each
 * makes its rows where it solves them, from their numbers, and judges x there. So the largest
 * system is the one that fits into the memories of all ranks together.
 *
 *     common/mpirun.sh -np 2 build/gpu/tridiagonal_mpi             measure
 *     common/mpirun.sh -np 3 build/cpu/tridiagonal_mpi --check     verify everything
 *
 * Only rank 0 reads the command line, prints and writes files. */
#include "tridiagonal_mpi.h"
#include "bench/mpi_bench.h"
#include "bench/tridiagonal_case.h"
#include "mpi_place.h"
#include "test/tridiagonal_mpi_test.h"

#include <math.h>

static const char NAME[] = "tridiagonal_mpi";

/* The index of a variant is its value of tridiagonal_mpi.pivot. */
enum { PIVOTS = 2 };
static const struct variant variants[] = {
    {"tridiagonal_mpi", "one system, solvers/tridiagonal_mpi.h"},
    {"tridiagonal_mpi_pivoted", "the same with pivoting, on GPUs"},
    {NULL, NULL}};

/* ---- one row ---- */

/* Returns s + a x. */
static __host__ __device__ inline number plus_product(number s, number a, number x)
{
    return {s.re + a.re * x.re - a.im * x.im, s.im + a.re * x.im + a.im * x.re};
}

/* Returns random number `which` (0 to 15) of row i, in [-1, 1). */
static __host__ __device__ inline double random_at(uint64_t seed, int64_t i, int which)
{
    return (double)(int64_t)bits_at(seed << 40, 16 * (uint64_t)i + (uint64_t)which) * 0x1p-63;
}
struct made_row {
    number sub, diag, super, rhs;
};
template <class T> static __host__ __device__ inline number rounded(number x)
{
    T narrowed;
    narrow(x, &narrowed);
    return wide(narrowed);
}
/* Row i, rounded to T: dominant, with random signs. The real types drop the imaginary parts. */
template <class T>
static __host__ __device__ inline made_row row_at(uint64_t seed, int64_t i, int64_t total)
{
    number sub = {random_at(seed, i, 0), random_at(seed, i, 1)},
           super = {random_at(seed, i, 2), random_at(seed, i, 3)},
           rhs = {random_at(seed, i, 4), random_at(seed, i, 5)};
    double large = abs1(sub) + abs1(super) + 1 + 0.5 * random_at(seed, i, 6);
    number diag = {random_at(seed, i, 7) < 0 ? -large : large, random_at(seed, i, 8)};
    if (i == 0)
        sub = {};
    if (i == total - 1)
        super = {};
    return {rounded<T>(sub), rounded<T>(diag), rounded<T>(super), rounded<T>(rhs)};
}

/* ---- a rank's rows ---- */

template <class T> struct share {
    int64_t n, first, total;
    uint64_t seed;
    T *sub, *diag, *super, *rhs, *x;
    T left, right;            /* x of the rows before and after */
    double most;              /* max |x_i| of all ranks */
    unsigned long long *bits; /* one word on the device */
};
template <class T> static __host__ __device__ inline void make_at(const share<T> &s, int64_t i)
{
    made_row row = row_at<T>(s.seed, s.first + i, s.total);
    narrow(row.sub, &s.sub[i]);
    narrow(row.diag, &s.diag[i]);
    narrow(row.super, &s.super[i]);
    narrow(row.rhs, &s.rhs[i]);
}
/* |x_i|, infinity for NaN. */
template <class T> static __host__ __device__ inline double size_at(const share<T> &s, int64_t i)
{
    double size = abs1(wide(s.x[i]));
    return size == size ? size : (double)INFINITY;
}
/* The backward error of row i, as in verify.h: its residual relative to (|sub| + |diag| + |super|)
 * max |x| + |rhs|. The row is made anew, so that it does not matter what became of the arrays. */
template <class T> static __host__ __device__ inline double error_at(const share<T> &s, int64_t i)
{
    made_row row = row_at<T>(s.seed, s.first + i, s.total);
    number r = -row.rhs;
    r = plus_product(r, row.sub, wide(i > 0 ? s.x[i - 1] : s.left));
    r = plus_product(r, row.diag, wide(s.x[i]));
    r = plus_product(r, row.super, wide(i < s.n - 1 ? s.x[i + 1] : s.right));
    double size = abs1(row.sub) + abs1(row.diag) + abs1(row.super),
           error = abs1(r) / (size * s.most + abs1(row.rhs));
    return error == error ? error : (double)INFINITY;
}

enum { THREADS = 256, BLOCKS_MOST = 4096 };
enum judged { SIZES, ERRORS };

template <class T> static __global__ void make_rows(share<T> s)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < s.n;
         i += (int64_t)gridDim.x * THREADS)
        make_at(s, i);
}
/* *s.bits becomes the bits of the largest size or error. Numbers >= 0 are ordered as their bits
 * are. */
template <class T> static __global__ void largest(share<T> s, enum judged what)
{
    double mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < s.n;
         i += (int64_t)gridDim.x * THREADS)
        mine = fmax(mine, what == SIZES ? size_at(s, i) : error_at(s, i));
    unsigned long long bits;
    memcpy(&bits, &mine, sizeof bits);
    atomicMax(s.bits, bits);
}
static unsigned blocks_of(int64_t n)
{
    int64_t blocks = ceil_div(n, THREADS);
    return blocks < BLOCKS_MOST ? (unsigned)blocks : (unsigned)BLOCKS_MOST;
}

template <class T> static void make(const share<T> &s)
{
    if (s.n == 0)
        return;
    if (cores == 0) {
        CHECK_MPI(LAUNCH((make_rows<T>), blocks_of(s.n), THREADS, 0, 0, s));
        CHECK_MPI(cudaDeviceSynchronize());
        return;
    }
#pragma omp parallel for
    for (int64_t i = 0; i < s.n; i++)
        make_at(s, i);
}
/* Returns the largest size or error of this rank's rows. */
template <class T> static double largest_of(const share<T> &s, enum judged what)
{
    double most = 0;
    if (cores == 0 && s.n > 0) {
        CHECK_MPI(cudaMemset(s.bits, 0, sizeof *s.bits));
        CHECK_MPI(LAUNCH((largest<T>), blocks_of(s.n), THREADS, 0, 0, s, what));
        CHECK_MPI(cudaMemcpy(&most, s.bits, sizeof most, cudaMemcpyDeviceToHost));
        return most;
    }
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < s.n; i++)
        most = fmax(most, what == SIZES ? size_at(s, i) : error_at(s, i));
    return most;
}
/* Judges the solution of the ranks of `comm`, which all have rows. Collective. */
template <class T> static double error_of(share<T> s, MPI_Comm comm)
{
    int me, count;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    int lower = me > 0 ? me - 1 : MPI_PROC_NULL, upper = me + 1 < count ? me + 1 : MPI_PROC_NULL;
    T ends[2] = {};
    enum cudaMemcpyKind kind = cores > 0 ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    CHECK_MPI(cudaMemcpy(&ends[0], s.x, sizeof(T), kind));
    CHECK_MPI(cudaMemcpy(&ends[1], s.x + s.n - 1, sizeof(T), kind));
    MPI_Sendrecv(&ends[1], sizeof(T), MPI_BYTE, upper, 0, &s.left, sizeof(T), MPI_BYTE, lower, 0,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&ends[0], sizeof(T), MPI_BYTE, lower, 0, &s.right, sizeof(T), MPI_BYTE, upper, 0,
                 comm, MPI_STATUS_IGNORE);
    double mine = largest_of(s, SIZES), worst;
    MPI_Allreduce(&mine, &s.most, 1, MPI_DOUBLE, MPI_MAX, comm);
    mine = largest_of(s, ERRORS);
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    return worst;
}

/* ---- times ---- */

/* total: of the slowest rank. Its stages: until the last rank has its equations; until the last
 * rank has those of all ranks; the rest. */
enum { TOTAL, FIRST_PASS, EXCHANGE, SECOND_PASS, STAGES };
static const char *const stage_names[] = {"total", "first_pass", "exchange", "second_pass"};

/* Calls work(seconds) on all ranks and times it. work adds the seconds of its first two stages to
 * seconds[0] and [1] and returns when it is done. A sample has enough calls to last some
 * milliseconds. */
template <class Work>
static void time_ranks(int reps, int cores_of_rank, struct timing (&time)[STAGES], Work work)
{
    enum { CALLS_MOST = 200 };
    static struct timing_sample samples[SAMPLES_MOST];
    double ignored[2] = {};
    work(ignored); /* warm-up */
    double begin = MPI_Wtime();
    work(ignored);
    double one = max_over_ranks(MPI_Wtime() - begin);
    int calls = (int)fmin(fmax(0.005 / one, 1), CALLS_MOST), taken = 0;
    char timer[sizeof time->timer];
    snprintf(timer, sizeof timer, calls > 1 ? "clock x%d" : "clock", calls);
    int count = time_stages(timer, reps, time, [&](double *ms) {
        double mine[2] = {}, most[3];
        struct timing_sample before = timing_usage();
        double start = MPI_Wtime();
        for (int k = 0; k < calls; k++)
            work(mine);
        double ends[3] = {mine[0], mine[0] + mine[1], MPI_Wtime() - start};
        MPI_Allreduce(ends, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        const double stages[] = {most[2], most[0], most[1] - most[0], most[2] - most[1]};
        for (int i = 0; i < STAGES; i++)
            ms[i] = 1e3 * stages[i] / calls;
        samples[taken++] = mpi_program_sample(before, 1e3 * most[2]);
    });
    bool disturbed = mpi_program_disturbed(samples, count, calls, cores_of_rank);
    for (struct timing &t : time)
        t.disturbed = disturbed;
}

/* ---- the rows of results ---- */

/* What is measured. `cores` as in tridiagonal_mpi.h; `device` is the text for the CSV file, and
 * `results` is NULL on all ranks but rank 0. */
struct bench {
    struct results *results;
    const char *device, *variant;
    char type;
    int64_t n;
    int pivot, cores_of_rank, reps;
    uint64_t seed;
};
/* ranks_used: the ranks that took part. error: the verified one; negative: nothing to verify. */
static void add(const struct bench *b, const char *variant, const char *phase, int ranks_used,
                const struct timing *time, double bytes, double error, bool solved)
{
    if (rank != 0)
        return;
    struct row row = {};
    row.variant = variant, row.type = b->type, row.n = b->n;
    row.ranks = ranks_used, row.cores = b->cores_of_rank, row.phase = phase;
    row.device = b->device, row.time = *time, row.bytes = bytes, row.error = error;
    row.status = !solved ? "zero pivot" : error <= BOUND * unit_roundoff(b->type) ? "ok" : "wrong";
    results_add(b->results, &row);
}

/* Memory of this rank: on its GPU, or main memory. */
static void *allocate(struct memory *memory, size_t bytes)
{
    return cores == 0 ? memory_device(memory, bytes) : memory_host(memory, bytes);
}
/* Allocates the arrays of s->n rows, which begin at multiples of 256 bytes. */
template <class T> static void allocate_rows(struct memory *memory, share<T> *s)
{
    size_t bytes = ((size_t)s->n * sizeof(T) + 255) / 256 * 256;
    for (T **array : {&s->sub, &s->diag, &s->super, &s->rhs, &s->x})
        *array = (T *)allocate(memory, bytes);
}
template <class Call, class T> static void set_arrays(Call *t, const share<T> &s)
{
    t->sub = s.sub, t->diag = s.diag, t->super = s.super, t->rhs = s.rhs, t->x = s.x;
}

#ifdef __CUDACC__
/* The time in which every rank copies as many bytes as 9 elements of each of its rows. */
template <class T> static void copy_row(const struct bench *b, const share<T> &s)
{
    struct timing time[STAGES];
    int64_t bytes = s.n * (int64_t)sizeof(T);
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *) {
        T *const ways[][2] = {
            {s.sub, s.diag}, {s.super, s.rhs}, {s.diag, s.sub}, {s.rhs, s.super}, {s.rhs, s.x}};
        for (int i = 0; i < 5; i++)
            CHECK_MPI(enqueue_copy(ways[i][0], ways[i][1], i < 4 ? bytes : bytes / 2, 0));
        CHECK_MPI(cudaDeviceSynchronize());
    });
    add(b, "copy", "total", ranks, &time[TOTAL], 9.0 * sizeof(T) * (double)b->n, -1, true);
}
#endif

/* The whole system on rank 0 alone, by tridiagonal.h. Adds nothing if it does not fit there. */
template <class T> static void alone_row(const struct bench *b, unsigned long long *bits)
{
    struct memory memory = {};
    share<T> s = {};
    s.n = rank == 0 ? b->n : 0, s.total = b->n, s.seed = b->seed, s.bits = bits;
    struct tridiagonal t = {};
    t.type = b->type, t.n = s.n, t.pivot = b->pivot;
    size_t bytes = tridiagonal_workspace(&t);
    void *work = NULL;
    long long status = 0;
    int fits = device_fits(5.0 * sizeof(T) * (double)s.n + (double)bytes, 0);
    MPI_Bcast(&fits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!fits)
        return;
    double error = 0;
    if (rank == 0) {
        allocate_rows(&memory, &s);
        work = allocate(&memory, bytes);
        set_arrays(&t, s);
        t.status = (long long *)bits;
        make(s);
        CHECK_MPI(tridiagonal_prepare(work, bytes, 0));
        CHECK_MPI(tridiagonal_solve(&t, work, bytes, 0));
        CHECK_MPI(cudaMemcpy(&status, bits, sizeof status, cudaMemcpyDeviceToHost));
        error = error_of(s, MPI_COMM_SELF);
        t.status = NULL;
    }
    struct timing time[STAGES];
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *) {
        if (rank > 0)
            return;
        CHECK_MPI(tridiagonal_solve(&t, work, bytes, 0));
        CHECK_MPI(cudaDeviceSynchronize());
    });
    add(b, b->pivot ? "tridiagonal_pivoted" : "tridiagonal", "total", 1, &time[TOTAL],
        9.0 * sizeof(T) * (double)b->n, error, status == 0);
    memory_free(&memory);
}

/* Equal shares of whole units; n is larger than the number of ranks, so none is empty. */
template <class T> static share<T> share_of(const struct bench *b)
{
    share<T> s = {};
    s.total = b->n, s.seed = b->seed;
    int64_t unit = b->n >= 64 * ranks ? 64 : 1, units = ceil_div(b->n, unit), from[2];
    for (int i = 0; i < 2; i++) {
        from[i] = units * (rank + i) / ranks * unit;
        from[i] = from[i] < b->n ? from[i] : b->n;
    }
    s.first = from[0], s.n = from[1] - from[0];
    return s;
}

/* Adds the rows for one type and one n: the solver over all ranks, its three stages, the same
 * system on rank 0 alone if it fits there, and a copy of 9 elements a row. Collective. */
template <class T> static void bench_type(const struct bench *b)
{
    struct memory memory = {}, word = {};
    share<T> s = share_of<T>(b);
    s.bits = (unsigned long long *)allocate(&word, sizeof *s.bits);
    struct tridiagonal_mpi t = {};
    long long status;
    t.type = b->type, t.n = s.n, t.first = s.first, t.total = s.total;
    t.pivot = b->pivot, t.cores = cores;
    size_t bytes = tridiagonal_mpi_workspace(&t);
    allocate_rows(&memory, &s);
    void *work = allocate(&memory, bytes);
    make(s);
    set_arrays(&t, s);
    struct tridiagonal_mpi_link *link;
    CHECK_MPI(tridiagonal_mpi_open(MPI_COMM_WORLD, &t, &link));
    CHECK_MPI(tridiagonal_mpi_prepare(&t, work, bytes, 0));
    t.status = &status;
    CHECK_MPI(tridiagonal_mpi_solve(link, &t, work, bytes, 0));
    double error = error_of(s, MPI_COMM_WORLD), seconds[2];
    struct timing time[STAGES];
    t.status = NULL, t.seconds = seconds;
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *sum) {
        CHECK_MPI(tridiagonal_mpi_solve(link, &t, work, bytes, 0));
        if (cores == 0)
            CHECK_MPI(cudaDeviceSynchronize());
        sum[0] += seconds[0];
        sum[1] += seconds[1];
    });
    double array = sizeof(T) * (double)b->n,
           sent = (double)tridiagonal_equations(b->type, b->pivot) * ranks;
    const double moved[] = {9 * array, 4 * array, sent, 5 * array};
    for (int i = 0; i < STAGES; i++)
        add(b, b->variant, stage_names[i], ranks, &time[i], moved[i], error, status == 0);
#ifdef __CUDACC__
    if (b->cores_of_rank == 0)
        copy_row(b, s);
#endif
    tridiagonal_mpi_close(link);
    memory_free(&memory);
    if (b->cores_of_rank == 0)
        alone_row<T>(b, s.bits);
    memory_free(&word);
}

/* ---- the program ---- */

/* The bytes that a rank needs for its share of n rows: on its GPU, or in main memory. */
static double share_bytes(char type, int64_t n)
{
    struct tridiagonal_mpi s = {};
    s.type = type, s.n = s.total = n / ranks + 64;
    size_t most = 0;
    for (s.pivot = 0; s.pivot < PIVOTS; s.pivot++) {
        size_t bytes = tridiagonal_mpi_workspace(&s);
        most = bytes > most ? bytes : most;
    }
    return 5.0 * size_of(type) * (double)s.n + (double)most;
}

static int run(const struct options *o)
{
    struct bench b = {.reps = o->reps, .seed = o->seed};
    double bytes = 0;
    for (int i = 0; i < o->n.count; i++)
        if (o->n.value[i] <= ranks) {
            if (rank == 0)
                fprintf(stderr, "%s: --n: more rows than ranks are needed, there are %d ranks\n",
                        NAME, ranks);
            return EXIT_USAGE;
        }
    for (const char *type = o->types; *type; type++)
        bytes = fmax(bytes, share_bytes(*type, list_largest(&o->n, 1)));
    bool in_main_memory = cores > 0 || device_is_cpu();
    if (!mpi_has_memory(NAME, bytes, in_main_memory ? 0 : 0.95, in_main_memory ? bytes : 0))
        return EXIT_DEVICE;
    b.device = places(&b.cores_of_rank);
    if (!mpi_program_results(NAME, b.device, o->csv, &b.results))
        return EXIT_USAGE;
    const int pivots = b.cores_of_rank > 0 ? 1 : PIVOTS;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++)
            for (b.pivot = 0; b.pivot < pivots; b.pivot++)
                if (o->has_variant[b.pivot]) {
                    b.variant = variants[b.pivot].name;
                    b.type = *type, b.n = o->n.value[i];
                    BY_TYPE(b.type, bench_type, &b);
                }
    return rank == 0 ? results_close(b.results) : EXIT_VERIFIED;
}

static int check(const struct options *o)
{
    /* Ranks that share cores wait for each other at every message, so they test less. */
    const bool few = ranks > sysconf(_SC_NPROCESSORS_ONLN), on_cores = max_over_ranks(cores) > 0;
    for (int pivot = 0; pivot < PIVOTS; pivot++) {
        if (!o->has_variant[pivot])
            continue;
        tridiagonal_mpi_check(pivot, cores, few, o->seed);
        if (on_cores && device_is_cpu())
            tridiagonal_mpi_check(pivot, 0, few, o->seed);
    }
    return mpi_program_checked();
}

int main(int argc, char **argv)
{
    /* wait_passively() restarts the program, so it must run before the device is opened */
    wait_passively(argv);
    const struct program program = {
        .name = NAME,
        .summary = "One tridiagonal system over MPI ranks. Run by common/mpirun.sh -np RANKS.",
        .variants = variants,
        .takes = "n gpus type",
        .paper = "--n 300000,3000000 --type z,d --reps 10",
        .quick = "--n 30000,300000 --type z,d --reps 5",
        .device = device_name(),
        .quick_default = device_is_cpu()};
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        choose_place(options.gpus, true);
        if (options.quick && device_is_cpu())
            expect_few_tests();
        status = options.check ? check(&options) : run(&options);
    }
    return mpi_program_end(status);
}
