/* The experiment of tridiagonal_mpi.h: one system over all ranks. No rank ever has the whole
 * system: each makes its rows where it solves them, from their numbers, and judges x there. So the
 * largest system is the one that fits into the memories of all ranks together. */
#include "bench/tridiagonal_mpi_bench.h"

#include "bench/tridiagonal_case.h"
#include "mpi_program.h"
#include "scalar.cuh"
#include "tridiagonal_mpi.h"

#include <math.h>

/* Ends all ranks, so that no rank waits for this one for ever. */
#define TRY_ALL(call)                                                                              \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "tridiagonal_mpi: rank %d: %s: %s\n", rank, #call,                     \
                    cudaGetErrorString(error_));                                                   \
            MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);                                                \
        }                                                                                          \
    } while (0)

/* ---- one row ---- */

/* A number of any type in double precision. */
struct wide {
    double re, im;
};
static __host__ __device__ inline wide wide_of(float x)
{
    return {x, 0};
}
static __host__ __device__ inline wide wide_of(double x)
{
    return {x, 0};
}
template <class R> static __host__ __device__ inline wide wide_of(complex_of<R> x)
{
    return {x.re, x.im};
}
static __host__ __device__ inline void narrow(wide x, float *to)
{
    *to = (float)x.re;
}
static __host__ __device__ inline void narrow(wide x, double *to)
{
    *to = x.re;
}
template <class R> static __host__ __device__ inline void narrow(wide x, complex_of<R> *to)
{
    to->re = (R)x.re;
    to->im = (R)x.im;
}
static __host__ __device__ inline double size_1(wide x)
{
    return fabs(x.re) + fabs(x.im);
}
/* Returns s + a x. */
static __host__ __device__ inline wide plus_product(wide s, wide a, wide x)
{
    return {s.re + a.re * x.re - a.im * x.im, s.im + a.re * x.im + a.im * x.re};
}

/* Returns random number `which` (0 to 15) of row i, in [-1, 1): a step of splitmix64. */
static __host__ __device__ inline double random_at(uint64_t seed, int64_t i, int which)
{
    uint64_t z = (seed << 40) + UINT64_C(0x9e3779b97f4a7c15) * (16 * (uint64_t)i + which + 1);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)(z ^ z >> 31) * 0x1p-63;
}
template <class T> struct made_row {
    T sub, diag, super, rhs;
};
/* Row i: dominant, with random signs. The imaginary parts are random in the complex types; the real
 * types drop them. */
template <class T>
static __host__ __device__ inline made_row<T> row_at(uint64_t seed, int64_t i, int64_t total)
{
    wide sub = {random_at(seed, i, 0), random_at(seed, i, 1)},
         super = {random_at(seed, i, 2), random_at(seed, i, 3)},
         rhs = {random_at(seed, i, 4), random_at(seed, i, 5)};
    double large = size_1(sub) + size_1(super) + 1 + 0.5 * random_at(seed, i, 6);
    wide diag = {random_at(seed, i, 7) < 0 ? -large : large, random_at(seed, i, 8)};
    if (i == 0)
        sub = {};
    if (i == total - 1)
        super = {};
    made_row<T> row;
    narrow(sub, &row.sub);
    narrow(diag, &row.diag);
    narrow(super, &row.super);
    narrow(rhs, &row.rhs);
    return row;
}

/* ---- a rank's rows ---- */

template <class T> struct share {
    int64_t n, first, total;
    uint64_t seed;
    T *sub, *diag, *super, *rhs, *x;
    T left, right; /* x of the rows before and after */
    double most;   /* max |x_i| of all ranks */
};
template <class T> static __host__ __device__ inline void make_at(const share<T> &s, int64_t i)
{
    made_row<T> row = row_at<T>(s.seed, s.first + i, s.total);
    s.sub[i] = row.sub;
    s.diag[i] = row.diag;
    s.super[i] = row.super;
    s.rhs[i] = row.rhs;
}
/* |x_i|, infinity for NaN. */
template <class T> static __host__ __device__ inline double size_at(const share<T> &s, int64_t i)
{
    double size = size_1(wide_of(s.x[i]));
    return size == size ? size : (double)INFINITY;
}
/* The backward error of row i, as in verify.h: its residual relative to (|sub| + |diag| + |super|)
 * max |x| + |rhs|. The row is made anew, so that it does not matter what became of the arrays. */
template <class T> static __host__ __device__ inline double error_at(const share<T> &s, int64_t i)
{
    made_row<T> row = row_at<T>(s.seed, s.first + i, s.total);
    wide sub = wide_of(row.sub), diag = wide_of(row.diag), super = wide_of(row.super),
         rhs = wide_of(row.rhs), r = {-rhs.re, -rhs.im};
    r = plus_product(r, sub, wide_of(i > 0 ? s.x[i - 1] : s.left));
    r = plus_product(r, diag, wide_of(s.x[i]));
    r = plus_product(r, super, wide_of(i < s.n - 1 ? s.x[i + 1] : s.right));
    double error =
        size_1(r) / ((size_1(sub) + size_1(diag) + size_1(super)) * s.most + size_1(rhs));
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
/* *most becomes the bits of the largest size or error. Numbers >= 0 are ordered as their bits
 * are. */
template <class T>
static __global__ void largest(share<T> s, enum judged what, unsigned long long *most)
{
    double mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < s.n;
         i += (int64_t)gridDim.x * THREADS)
        mine = fmax(mine, what == SIZES ? size_at(s, i) : error_at(s, i));
    unsigned long long bits;
    memcpy(&bits, &mine, sizeof bits);
    atomicMax(most, bits);
}
static unsigned blocks_of(int64_t n)
{
    int64_t blocks = ceil_div(n, THREADS);
    return blocks < BLOCKS_MOST ? (unsigned)blocks : (unsigned)BLOCKS_MOST;
}

template <class T> static void make(const share<T> &s, int cores)
{
    if (s.n == 0)
        return;
    if (cores == 0) {
        TRY_ALL(LAUNCH((make_rows<T>), blocks_of(s.n), THREADS, 0, 0, s));
        TRY_ALL(cudaDeviceSynchronize());
        return;
    }
#pragma omp parallel for
    for (int64_t i = 0; i < s.n; i++)
        make_at(s, i);
}
/* Returns the largest size or error of this rank's rows. */
template <class T>
static double largest_of(const share<T> &s, enum judged what, int cores,
                         unsigned long long *on_device)
{
    double most = 0;
    if (cores == 0 && s.n > 0) {
        TRY_ALL(cudaMemset(on_device, 0, sizeof *on_device));
        TRY_ALL(LAUNCH((largest<T>), blocks_of(s.n), THREADS, 0, 0, s, what, on_device));
        TRY_ALL(cudaMemcpy(&most, on_device, sizeof most, cudaMemcpyDeviceToHost));
        return most;
    }
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < s.n; i++)
        most = fmax(most, what == SIZES ? size_at(s, i) : error_at(s, i));
    return most;
}
/* Judges the solution of the ranks of `comm`, which all have rows. Collective. */
template <class T>
static double error_of(share<T> s, MPI_Comm comm, int cores, unsigned long long *on_device)
{
    int me, count;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    int lower = me > 0 ? me - 1 : MPI_PROC_NULL, upper = me + 1 < count ? me + 1 : MPI_PROC_NULL;
    T ends[2] = {};
    enum cudaMemcpyKind kind = cores > 0 ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    TRY_ALL(cudaMemcpy(&ends[0], s.x, sizeof(T), kind));
    TRY_ALL(cudaMemcpy(&ends[1], s.x + s.n - 1, sizeof(T), kind));
    MPI_Sendrecv(&ends[1], sizeof(T), MPI_BYTE, upper, 0, &s.left, sizeof(T), MPI_BYTE, lower, 0,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&ends[0], sizeof(T), MPI_BYTE, lower, 0, &s.right, sizeof(T), MPI_BYTE, upper, 0,
                 comm, MPI_STATUS_IGNORE);
    double mine = largest_of(s, SIZES, cores, on_device), worst;
    MPI_Allreduce(&mine, &s.most, 1, MPI_DOUBLE, MPI_MAX, comm);
    mine = largest_of(s, ERRORS, cores, on_device);
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    return worst;
}

/* ---- times ---- */

/* total: of the slowest rank. Its stages: until the last rank has its equations; until the last
 * rank has those of all ranks; the rest. */
enum { TOTAL, FIRST_PASS, EXCHANGE, SECOND_PASS, STAGES };
static const char *const stage_names[] = {"total", "first_pass", "exchange", "second_pass"};

/* Times work(seconds) of all ranks, which adds the seconds of its first two stages to seconds[0]
 * and [1] and returns when it is done. A sample is so many calls that it lasts some
 * milliseconds. */
template <class Work>
static void time_ranks(int reps, int cores_of_rank, struct timing time[STAGES], Work work)
{
    enum { MOST = 1000, CALLS_MOST = 200 }; /* --reps is at most 1000 */
    static double ms[STAGES][MOST];
    static struct timing_sample samples[MOST];
    double ignored[2] = {};
    work(ignored); /* warm-up */
    double begin = MPI_Wtime();
    work(ignored);
    double one = max_over_ranks(MPI_Wtime() - begin);
    int calls = (int)fmin(fmax(0.005 / one, 1), CALLS_MOST), count = 0, go_on;
    begin = MPI_Wtime();
    do {
        double mine[2] = {}, most[3];
        MPI_Barrier(MPI_COMM_WORLD);
        struct timing_sample before = timing_usage();
        double start = MPI_Wtime();
        for (int k = 0; k < calls; k++)
            work(mine);
        double ends[3] = {mine[0], mine[0] + mine[1], MPI_Wtime() - start};
        MPI_Allreduce(ends, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        const double stages[] = {most[2], most[0], most[1] - most[0], most[2] - most[1]};
        for (int i = 0; i < STAGES; i++)
            ms[i][count] = 1e3 * stages[i] / calls;
        samples[count++] = mpi_program_sample(before, 1e3 * most[2]);
        go_on = count < reps && (count < SAMPLES_LEAST || MPI_Wtime() - begin < TIMING_SECONDS);
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (go_on);
    bool disturbed = mpi_program_disturbed(samples, count, calls, cores_of_rank);
    char timer[sizeof time->timer];
    snprintf(timer, sizeof timer, calls > 1 ? "clock x%d" : "clock", calls);
    for (int i = 0; i < STAGES; i++) {
        time[i] = timing_summary(timer, ms[i], count);
        time[i].disturbed = disturbed;
    }
}

/* ---- the rows of results ---- */

struct bench {
    struct results *results;
    const char *device, *variant;
    char type;
    int64_t n;
    int pivot, cores, cores_of_rank, reps;
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
static void *allocate(int cores, size_t bytes)
{
    void *memory = NULL;
    if (cores == 0)
        TRY_ALL(cudaMalloc(&memory, bytes));
    else if (!(memory = aligned_alloc(64, (bytes + 63) / 64 * 64)))
        TRY_ALL(cudaErrorMemoryAllocation);
    return memory;
}
static void release(int cores, void *memory)
{
    if (cores > 0)
        free(memory);
    else
        cudaFree(memory);
}
/* Allocates the arrays of s->n rows in one piece and returns it. */
template <class T> static void *allocate_rows(share<T> *s, int cores)
{
    size_t bytes = ((size_t)s->n * sizeof(T) + 255) / 256 * 256;
    T **const arrays[] = {&s->sub, &s->diag, &s->super, &s->rhs, &s->x};
    void *memory = allocate(cores, 5 * bytes + 256);
    for (int i = 0; i < 5; i++)
        *arrays[i] = (T *)((char *)memory + (size_t)i * bytes);
    return memory;
}

#ifdef __CUDACC__
static __global__ void copy_chunks(int64_t count, const chunk<double> *from, chunk<double> *to)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}
/* The time in which every rank copies as many bytes as 9 elements of each of its rows. */
template <class T> static void copy_row(const struct bench *b, const share<T> &s)
{
    struct timing time[STAGES];
    int64_t count = s.n * (int64_t)sizeof(T) / CHUNK;
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *) {
        T *const ways[][2] = {
            {s.sub, s.diag}, {s.super, s.rhs}, {s.diag, s.sub}, {s.rhs, s.super}, {s.rhs, s.x}};
        for (int i = 0; i < 5; i++) {
            int64_t some = i < 4 ? count : count / 2;
            if (some > 0)
                TRY_ALL(LAUNCH(copy_chunks, (unsigned)ceil_div(some, THREADS), THREADS, 0, 0, some,
                               (const chunk<double> *)ways[i][0], (chunk<double> *)ways[i][1]));
        }
        TRY_ALL(cudaDeviceSynchronize());
    });
    add(b, "copy", "total", ranks, &time[TOTAL], 9.0 * sizeof(T) * (double)b->n, -1, true);
}
#endif

/* The whole system on rank 0 alone, by tridiagonal.h. Adds nothing if it does not fit there. */
template <class T> static void alone_row(const struct bench *b, unsigned long long *on_device)
{
    share<T> s = {};
    s.n = rank == 0 ? b->n : 0, s.total = b->n, s.seed = b->seed;
    void *memory = NULL, *work = NULL;
    struct tridiagonal t = {};
    t.type = b->type, t.n = s.n, t.pivot = b->pivot;
    size_t bytes = tridiagonal_workspace(&t);
    long long status = 0;
    int fits = device_fits(5.0 * sizeof(T) * (double)s.n + (double)bytes, 0);
    MPI_Bcast(&fits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!fits)
        return;
    double error = 0;
    if (rank == 0) {
        memory = allocate_rows(&s, 0);
        work = allocate(0, bytes);
        t.sub = s.sub, t.diag = s.diag, t.super = s.super, t.rhs = s.rhs, t.x = s.x;
        t.status = (long long *)on_device;
        make(s, 0);
        TRY_ALL(tridiagonal_prepare(work, bytes, 0));
        TRY_ALL(tridiagonal_solve(&t, work, bytes, 0));
        TRY_ALL(cudaMemcpy(&status, on_device, sizeof status, cudaMemcpyDeviceToHost));
        error = error_of(s, MPI_COMM_SELF, 0, on_device);
        t.status = NULL;
    }
    struct timing time[STAGES];
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *) {
        if (rank > 0)
            return;
        TRY_ALL(tridiagonal_solve(&t, work, bytes, 0));
        TRY_ALL(cudaDeviceSynchronize());
    });
    add(b, b->pivot ? "tridiagonal_pivoted" : "tridiagonal", "total", 1, &time[TOTAL],
        9.0 * sizeof(T) * (double)b->n, error, status == 0);
    release(0, memory);
    release(0, work);
}

template <class T> static void bench_type(const struct bench *b)
{
    share<T> s = {};
    s.total = b->n, s.seed = b->seed;
    /* Equal shares of whole units; n is larger than the number of ranks, so none is empty. */
    int64_t unit = b->n >= 64 * ranks ? 64 : 1, units = ceil_div(b->n, unit), from[2];
    for (int i = 0; i < 2; i++) {
        from[i] = units * (rank + i) / ranks * unit;
        from[i] = from[i] < b->n ? from[i] : b->n;
    }
    s.first = from[0], s.n = from[1] - from[0];
    unsigned long long *on_device = NULL;
    if (b->cores == 0)
        TRY_ALL(cudaMalloc((void **)&on_device, sizeof *on_device));
    struct tridiagonal_mpi t = {};
    long long status;
    t.type = b->type, t.n = s.n, t.first = s.first, t.total = s.total;
    t.pivot = b->pivot, t.cores = b->cores;
    size_t bytes = tridiagonal_mpi_workspace(&t);
    void *memory = allocate_rows(&s, b->cores), *work = allocate(b->cores, bytes);
    make(s, b->cores);
    t.sub = s.sub, t.diag = s.diag, t.super = s.super, t.rhs = s.rhs, t.x = s.x;
    struct tridiagonal_mpi_link *link;
    TRY_ALL(tridiagonal_mpi_open(MPI_COMM_WORLD, &t, &link));
    TRY_ALL(tridiagonal_mpi_prepare(&t, work, bytes, 0));
    t.status = &status;
    TRY_ALL(tridiagonal_mpi_solve(link, &t, work, bytes, 0));
    double error = error_of(s, MPI_COMM_WORLD, b->cores, on_device);
    struct timing time[STAGES];
    double seconds[2];
    t.status = NULL, t.seconds = seconds;
    time_ranks(b->reps, b->cores_of_rank, time, [&](double *sum) {
        TRY_ALL(tridiagonal_mpi_solve(link, &t, work, bytes, 0));
        if (t.cores == 0)
            TRY_ALL(cudaDeviceSynchronize());
        sum[0] += seconds[0];
        sum[1] += seconds[1];
    });
    double word = sizeof(T) * (double)b->n,
           sent = (double)tridiagonal_equations(b->type, b->pivot) * ranks;
    const double moved[] = {9 * word, 4 * word, sent, 5 * word};
    for (int i = 0; i < STAGES; i++)
        add(b, b->variant, stage_names[i], ranks, &time[i], moved[i], error, status == 0);
#ifdef __CUDACC__
    if (max_over_ranks(b->cores) == 0)
        copy_row(b, s);
#endif
    tridiagonal_mpi_close(link);
    release(b->cores, work);
    release(b->cores, memory);
    if (max_over_ranks(b->cores) == 0)
        alone_row<T>(b, on_device);
    cudaFree(on_device);
}

double tridiagonal_mpi_bench_bytes(char type, int64_t n)
{
    struct tridiagonal_mpi s = {};
    s.type = type, s.n = s.total = n / ranks + 64;
    size_t most = 0;
    for (s.pivot = 0; s.pivot < 2; s.pivot++) {
        size_t bytes = tridiagonal_mpi_workspace(&s);
        most = bytes > most ? bytes : most;
    }
    return 5.0 * size_of(type) * (double)s.n + (double)most;
}

void tridiagonal_mpi_bench(struct results *results, const char *device, const char *variant,
                           char type, int64_t n, int pivot, int cores, int reps, uint64_t seed)
{
    struct bench b = {results, device, variant, type, n, pivot, cores, 0, reps, seed};
    b.cores_of_rank = (int)max_over_ranks(cores);
    BY_TYPE(type, bench_type, &b);
}
