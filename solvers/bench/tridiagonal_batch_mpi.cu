/* The systems of tridiagonal_batch_mpi: made on the device, and verified there. See
 * tridiagonal_batch_mpi_bench.h. */
#include "bench/tridiagonal_batch_mpi_bench.h"

#include "arithmetic.cuh"

#include <math.h>

enum { THREADS = 128 };

/* ---- numbers in double precision ---- */

typedef complex_of<double> number;

static __device__ inline number wide(float v)
{
    return {v, 0};
}
static __device__ inline number wide(double v)
{
    return {v, 0};
}
template <class R> static __device__ inline number wide(complex_of<R> v)
{
    return {v.re, v.im};
}
static __device__ inline void narrow(number v, float *to)
{
    *to = (float)v.re;
}
static __device__ inline void narrow(number v, double *to)
{
    *to = v.re;
}
template <class R> static __device__ inline void narrow(number v, complex_of<R> *to)
{
    *to = {(R)v.re, (R)v.im};
}
static __device__ inline double modulus(number v)
{
    return sqrt(v.re * v.re + v.im * v.im);
}

/* ---- the systems ---- */

enum draw { DRAW_SUB, DRAW_DIAG, DRAW_SUPER, DRAW_X, DRAWS };

/* Returns a random number in [0, 1), by splitmix64 (problems.h) at one place of its sequence. */
static __device__ inline double uniform(uint64_t seed, uint64_t place)
{
    uint64_t z = seed + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

/* A random number of this modulus: real with a random sign, or complex with a random angle. */
static __device__ inline number random_number(uint64_t seed, uint64_t place, double length,
                                              bool complex)
{
    double u = uniform(~seed, place), angle = 6.283185307179586 * u;
    if (complex)
        return {length * cos(angle), length * sin(angle)};
    return {u < 0.5 ? -length : length, 0};
}

/* A coefficient or an unknown of a system. `row` may be outside the system: the systems go on there
 * periodically. */
static __device__ number drawn(const struct shape &s, enum draw what, int64_t system, int64_t row,
                               bool complex)
{
    uint64_t place = (uint64_t)(DRAWS * (system * s.n + (row + s.n) % s.n)), seed = s.seed;
    if (what == DRAW_X)
        return random_number(seed, place + DRAW_X, 0.1 + 0.9 * uniform(seed, place + DRAW_X),
                             complex);
    if (s.kind == SYSTEM_POISSON)
        return {what == DRAW_DIAG ? 2.0 : -1.0, 0};
    double sub = 0.001 + 0.999 * uniform(seed, place + DRAW_SUB),
           super = 0.001 + 0.999 * uniform(seed, place + DRAW_SUPER),
           r = 0.5 + uniform(seed, place + DRAW_DIAG),
           diag = s.kind == SYSTEM_BARELY ? (sub + super) * (1 + 1e-3 * r) : sub + super + r;
    return random_number(seed, place + what,
                         what == DRAW_SUB    ? sub
                         : what == DRAW_DIAG ? diag
                                             : super,
                         complex);
}

/* Makes the coefficients and rhs = A x. The first sub and the last super of a system
 * that is not periodic become NaN, because no solver may use them. */
template <class T>
static __global__ void make_rows(const __grid_constant__ struct shape s, bool complex, T *sub,
                                 T *diag, T *super, T *rhs)
{
    int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= s.rows * s.batch)
        return;
    int64_t i = s.interleaved ? e / s.batch : e % s.rows,
            k = s.interleaved ? e % s.batch : e / s.rows, row = s.first + i;
    T a, b, c, d;
    narrow(drawn(s, DRAW_SUB, k, row, complex), &a);
    narrow(drawn(s, DRAW_DIAG, k, row, complex), &b);
    narrow(drawn(s, DRAW_SUPER, k, row, complex), &c);
    number sum = wide(b) * drawn(s, DRAW_X, k, row, complex);
    if (s.periodic || row > 0)
        sum = sum + wide(a) * drawn(s, DRAW_X, k, row - 1, complex);
    else
        a = nan_of(a);
    if (s.periodic || row < s.n - 1)
        sum = sum + wide(c) * drawn(s, DRAW_X, k, row + 1, complex);
    else
        c = nan_of(c);
    narrow(sum, &d);
    sub[e] = a;
    diag[e] = b;
    super[e] = c;
    rhs[e] = d;
}

template <class T> static cudaError_t launch_make(const struct problem *p)
{
    const struct shape *s = &p->shape;
    return LAUNCH((make_rows<T>), (unsigned)((s->rows * s->batch + THREADS - 1) / THREADS), THREADS,
                  0, p->stream, *s, is_complex(s->type), (T *)p->array[SUB], (T *)p->array[DIAG],
                  (T *)p->array[SUPER], (T *)p->array[RHS]);
}

int64_t problem_index(const struct shape *s, int64_t i, int64_t k)
{
    return s->interleaved ? i * s->batch + k : k * s->rows + i;
}

/* Allocates device memory filled with NaN. Ends all ranks if there is not enough, because
 * memory_device() would end only this rank. */
static void *allocate(struct memory *a, size_t bytes)
{
    void *array;
    CHECK_MPI(cudaMalloc(&array, bytes > 0 ? bytes : 1));
    CHECK_MPI(cudaMemset(array, 0xff, bytes));
    a->where[a->count] = 'd';
    return a->at[a->count++] = array;
}

void problem_open(struct problem *p, const struct shape *shape)
{
    *p = {};
    p->shape = *shape;
    size_t bytes = (size_t)(shape->rows * shape->batch * size_of(shape->type));
    for (int i = 0; i < ARRAYS; i++)
        p->array[i] = i == X && shape->in_place ? p->array[RHS] : allocate(&p->memory, bytes);
    p->status = (int *)allocate(&p->memory, (size_t)shape->batch * sizeof *p->status);
    CHECK_MPI(cudaStreamCreate(&p->stream));
    struct tridiagonal_batch_mpi *b = &p->call;
    b->type = shape->type;
    b->rows = shape->rows;
    b->batch = shape->batch;
    b->sub = p->array[SUB];
    b->diag = p->array[DIAG];
    b->super = p->array[SUPER];
    b->rhs = p->array[RHS];
    b->x = p->array[X];
    b->status = p->status;
    b->interleaved = shape->interleaved;
    b->periodic = shape->periodic;
    b->staged = shape->staged;
    b->chunks = shape->chunks;
    CHECK_MPI(tridiagonal_batch_mpi_open(MPI_COMM_WORLD, b, &p->plan));
    b->work = allocate(&p->memory, tridiagonal_batch_mpi_work(p->plan));
    if (bytes > 0)
        CHECK_MPI(BY_TYPE(shape->type, launch_make, p));
    CHECK_MPI(cudaStreamSynchronize(p->stream));
}

void problem_close(struct problem *p)
{
    tridiagonal_batch_mpi_close(p->plan);
    CHECK_MPI(cudaStreamDestroy(p->stream));
    memory_free(&p->memory);
}

void problem_solve(struct problem *p)
{
    CHECK_MPI(tridiagonal_batch_mpi_solve(p->plan, &p->call, p->stream));
    CHECK_MPI(cudaStreamSynchronize(p->stream));
}

/* ---- verification ---- */

bool all_solved(const struct shape *s, const int *status)
{
    bool solved = true;
    for (int64_t k = 0; k < s->batch; k++)
        solved = solved && status[k] == 0;
    return solved;
}

/* Of each system: the largest |x| and the largest error of this rank's rows, and the largest
 * difference to the known solution. ends has x of the first rows of all systems, and then x of the
 * last rows; around has the same for the rows before and after this rank's rows. */
struct measured {
    double *largest, *error, *difference;
    void *ends, *around;
};

/* Returns the larger one; infinity if `error` is NaN. */
static __device__ inline double larger(double error, double worst)
{
    return error <= worst ? worst : error < INFINITY ? error : INFINITY;
}

template <class T>
static __global__ void measure_x(const __grid_constant__ struct shape s, bool complex, const T *x,
                                 const __grid_constant__ struct measured m)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, inc = s.interleaved ? s.batch : 1,
            at = s.interleaved ? k : k * s.rows;
    if (k >= s.batch)
        return;
    double largest = 0, difference = 0;
    for (int64_t i = 0; i < s.rows; i++) {
        number v = wide(x[at + i * inc]);
        double length = modulus(v), far = modulus(v - drawn(s, DRAW_X, k, s.first + i, complex));
        largest = larger(length, largest);
        difference = larger(far, difference);
    }
    m.largest[k] = largest;
    m.difference[k] = difference;
    ((T *)m.ends)[k] = x[at];
    ((T *)m.ends)[s.batch + k] = x[at + (s.rows - 1) * inc];
}

template <class T>
static __global__ void measure_error(const __grid_constant__ struct shape s, const T *sub,
                                     const T *diag, const T *super, const T *rhs, const T *x,
                                     const __grid_constant__ struct measured m)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, inc = s.interleaved ? s.batch : 1,
            at = s.interleaved ? k : k * s.rows;
    if (k >= s.batch)
        return;
    const T *around = (const T *)m.around;
    double worst = 0;
    for (int64_t i = 0; i < s.rows; i++, at += inc) {
        number none = {0, 0}, a = wide(sub[at]), b = wide(diag[at]), c = wide(super[at]),
               left = wide(i > 0 ? x[at - inc] : around[k]),
               right = wide(i < s.rows - 1 ? x[at + inc] : around[s.batch + k]);
        if (!s.periodic && s.first + i == 0)
            a = left = none;
        if (!s.periodic && s.first + i == s.n - 1)
            c = right = none;
        number residual = a * left + b * wide(x[at]) + c * right - wide(rhs[at]);
        double error = modulus(residual) / ((modulus(a) + modulus(b) + modulus(c)) * m.largest[k] +
                                            modulus(wide(rhs[at])));
        worst = larger(error, worst);
    }
    m.error[k] = worst;
}

template <class T> static cudaError_t launch_x(const struct problem *p, const struct measured *m)
{
    return LAUNCH((measure_x<T>), (unsigned)((p->shape.batch + THREADS - 1) / THREADS), THREADS, 0,
                  p->stream, p->shape, is_complex(p->shape.type), (const T *)p->array[X], *m);
}
template <class T>
static cudaError_t launch_error(const struct problem *p, const struct measured *m)
{
    return LAUNCH((measure_error<T>), (unsigned)((p->shape.batch + THREADS - 1) / THREADS), THREADS,
                  0, p->stream, p->shape, (const T *)p->array[SUB], (const T *)p->array[DIAG],
                  (const T *)p->array[SUPER], (const T *)p->array[RHS], (const T *)p->array[X], *m);
}

/* Copies to `around` the x of the rows before and after this rank's rows. Collective. */
static void exchange_ends(const struct problem *p, const struct measured *m)
{
    const struct shape *s = &p->shape;
    size_t bytes = (size_t)(2 * s->batch * size_of(s->type));
    char *ends = (char *)host_alloc(NAME, (int64_t)bytes),
         *all = (char *)host_alloc(NAME, (int64_t)bytes * ranks);
    int64_t *rows = (int64_t *)host_alloc(NAME, (int64_t)sizeof *rows * ranks);
    device_download(ends, m->ends, bytes);
    MPI_Allgather(ends, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allgather(&s->rows, 1, MPI_INT64_T, rows, 1, MPI_INT64_T, MPI_COMM_WORLD);
    int before = rank, after = rank; /* the next ranks that have rows */
    for (int k = 1; k <= ranks && (k == 1 || rows[before] == 0); k++)
        before = (rank + ranks - k) % ranks;
    for (int k = 1; k <= ranks && (k == 1 || rows[after] == 0); k++)
        after = (rank + k) % ranks;
    memcpy(ends, all + (size_t)before * bytes + bytes / 2, bytes / 2);
    memcpy(ends + bytes / 2, all + (size_t)after * bytes, bytes / 2);
    device_upload(m->around, ends, bytes);
    free(rows);
    free(all);
    free(ends);
}

struct verdict problem_verdict(const struct problem *p, const int *status)
{
    static const double UNITS = 20, FORWARD_UNITS = 200;
    const struct shape *s = &p->shape;
    struct memory memory = {};
    size_t bytes = (size_t)s->batch * sizeof(double),
           ends = 2 * (size_t)(s->batch * size_of(s->type));
    struct measured m;
    m.largest = (double *)allocate(&memory, bytes);
    m.error = (double *)allocate(&memory, bytes);
    m.difference = (double *)allocate(&memory, bytes);
    m.ends = allocate(&memory, ends);
    m.around = allocate(&memory, ends);
    double *mine = (double *)host_alloc(NAME, (int64_t)(3 * bytes)),
           *all = (double *)host_alloc(NAME, (int64_t)(3 * bytes));
    memset(mine, 0, 3 * bytes);
    if (s->rows > 0) {
        CHECK_MPI(BY_TYPE(s->type, launch_x, p, &m));
        CHECK_MPI(cudaStreamSynchronize(p->stream));
        device_download(mine, m.largest, bytes);
        device_download(mine + 2 * s->batch, m.difference, bytes);
    }
    MPI_Allreduce(mine, all, (int)s->batch, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    device_upload(m.largest, all, bytes);
    exchange_ends(p, &m);
    if (s->rows > 0) {
        CHECK_MPI(BY_TYPE(s->type, launch_error, p, &m));
        CHECK_MPI(cudaStreamSynchronize(p->stream));
        device_download(mine + s->batch, m.error, bytes);
    }
    MPI_Allreduce(mine, all, (int)(3 * s->batch), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    struct verdict verdict = {true, 0, 0, -1};
    double u = unit_roundoff(s->type);
    for (int64_t k = 0; k < s->batch; k++) {
        double largest = all[k], error = all[s->batch + k], far = all[2 * s->batch + k];
        if (status[k] != 0)
            continue;
        double used = fmax(error / (UNITS * u), largest < INFINITY ? 0 : INFINITY);
        if (s->kind == SYSTEM_DOMINANT)
            used = fmax(used, far / (FORWARD_UNITS * u));
        verdict.error = fmax(verdict.error, error);
        if (used > verdict.used) {
            verdict.used = used;
            verdict.worst = k;
        }
    }
    verdict.ok = verdict.used <= 1;
    free(mine);
    free(all);
    memory_free(&memory);
    return verdict;
}

/* ---- the ceiling ---- */

struct __align__(16) four
{
    float element[4];
};

static __global__ void copy(int64_t count, const struct four *from, struct four *to)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

struct timing problem_copy(struct problem *p, int reps)
{
    struct timing time;
    CHECK_MPI(time_device(
        NULL,
        [](void *ctx, cudaStream_t stream) {
            const struct problem *of = (const struct problem *)ctx;
            int64_t count = of->shape.rows * of->shape.batch * size_of(of->shape.type) / 16;
            return LAUNCH(copy, (unsigned)(1 + count / 256), 256, 0, stream, count,
                          (const struct four *)of->array[RHS], (struct four *)of->array[X]);
        },
        p, reps, &time));
    return time;
}
