/* The systems of tridiagonal_batch_mpi: made on the device, and verified there. See
 * tridiagonal_batch_mpi_bench.h. */
#include "bench/tridiagonal_batch_mpi_bench.h"

#include "bench/mpi_bench.h"

#include <math.h>

enum { THREADS = 128 };

static __device__ inline double modulus(number v)
{
    return sqrt(v.re * v.re + v.im * v.im);
}

/* ---- the systems ---- */

enum draw { DRAW_SUB, DRAW_DIAG, DRAW_SUPER, DRAW_X, DRAWS };

/* Returns a random number in [0, 1). */
static __device__ inline double uniform(uint64_t seed, uint64_t place)
{
    return (double)(bits_at(seed, place) >> 11) / (double)(UINT64_C(1) << 53);
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

/* The number of blocks in which there is a thread for each of `count` elements. */
static unsigned blocks_for(int64_t count)
{
    return (unsigned)ceil_div(count, THREADS);
}
template <class T> static cudaError_t launch_make(const struct problem *p)
{
    const struct shape *s = &p->shape;
    T *const *array = (T *const *)p->array;
    return LAUNCH((make_rows<T>), blocks_for(s->rows * s->batch), THREADS, 0, p->stream, *s,
                  is_complex(s->type), array[SUB], array[DIAG], array[SUPER], array[RHS]);
}

int64_t problem_index(const struct shape *s, int64_t i, int64_t k)
{
    return s->interleaved ? i * s->batch + k : k * s->rows + i;
}

/* Allocates device memory filled with NaN. */
static void *allocate(struct memory *a, size_t bytes)
{
    void *array = memory_device(a, bytes > 0 ? bytes : 1);
    device_poison(array, bytes);
    return array;
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
    p->call = {.type = shape->type,
               .rows = shape->rows,
               .batch = shape->batch,
               .sub = p->array[SUB],
               .diag = p->array[DIAG],
               .super = p->array[SUPER],
               .rhs = p->array[RHS],
               .x = p->array[X],
               .status = p->status,
               .interleaved = shape->interleaved,
               .periodic = shape->periodic,
               .staged = shape->staged,
               .chunks = shape->chunks};
    CHECK_MPI(tridiagonal_batch_mpi_open(MPI_COMM_WORLD, &p->call, &p->plan));
    p->call.work = allocate(&p->memory, tridiagonal_batch_mpi_work(p->plan));
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
    return LAUNCH((measure_x<T>), blocks_for(p->shape.batch), THREADS, 0, p->stream, p->shape,
                  is_complex(p->shape.type), (const T *)p->array[X], *m);
}
template <class T>
static cudaError_t launch_error(const struct problem *p, const struct measured *m)
{
    const T *const *array = (const T *const *)p->array;
    return LAUNCH((measure_error<T>), blocks_for(p->shape.batch), THREADS, 0, p->stream, p->shape,
                  array[SUB], array[DIAG], array[SUPER], array[RHS], array[X], *m);
}

/* The next rank in this direction (1 or -1) that has rows. */
static int neighbour(const int64_t *rows, int direction)
{
    int k = rank;
    do
        k = (k + direction + ranks) % ranks;
    while (rows[k] == 0 && k != rank);
    return k;
}
/* Copies to `around` the x of the rows before and after this rank's rows. Collective. */
static void exchange_ends(const struct problem *p, const struct measured *m)
{
    const struct shape *s = &p->shape;
    struct memory memory = {};
    size_t bytes = (size_t)(2 * s->batch * size_of(s->type));
    char *ends = (char *)memory_host(&memory, bytes),
         *all = (char *)memory_host(&memory, bytes * (size_t)ranks);
    int64_t *rows = (int64_t *)memory_host(&memory, sizeof *rows * (size_t)ranks);
    device_download(ends, m->ends, bytes);
    MPI_Allgather(ends, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allgather(&s->rows, 1, MPI_INT64_T, rows, 1, MPI_INT64_T, MPI_COMM_WORLD);
    memcpy(ends, all + (size_t)neighbour(rows, -1) * bytes + bytes / 2, bytes / 2);
    memcpy(ends + bytes / 2, all + (size_t)neighbour(rows, 1) * bytes, bytes / 2);
    device_upload(m->around, ends, bytes);
    memory_free(&memory);
}

struct verdict problem_verdict(const struct problem *p, const int *status)
{
    static const double UNITS = 20, FORWARD_UNITS = 200;
    const struct shape *s = &p->shape;
    struct memory memory = {};
    size_t bytes = (size_t)s->batch * sizeof(double),
           ends = 2 * (size_t)(s->batch * size_of(s->type));
    struct measured m;
    for (double **array : {&m.largest, &m.error, &m.difference})
        *array = (double *)allocate(&memory, bytes);
    m.ends = allocate(&memory, ends);
    m.around = allocate(&memory, ends);
    double *mine = (double *)memory_host(&memory, 3 * bytes),
           *all = (double *)memory_host(&memory, 3 * bytes);
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
    memory_free(&memory);
    return verdict;
}

/* ---- the ceiling ---- */

struct timing problem_copy(struct problem *p, int reps)
{
    struct timing time;
    CHECK_MPI(time_device(
        NULL,
        [](void *ctx, cudaStream_t stream) {
            const struct problem *of = (const struct problem *)ctx;
            return enqueue_copy(of->array[RHS], of->array[X],
                                of->shape.rows * of->shape.batch * size_of(of->shape.type), stream);
        },
        p, reps, &time));
    return time;
}
