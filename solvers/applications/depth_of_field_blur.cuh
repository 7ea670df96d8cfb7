/* Depth of field by simulated diffusion (depth_of_field.cu): the conductivity of each pixel, half
 * steps along rows and columns on the device, on CPU cores and by loops, and verification. */
#pragma once

#include "applications/application.h"
#include "problems.h"
#include "tridiagonal_batch.h"
#include "tridiagonal_batch_cpu.h"

#include <initializer_list>
#include <math.h>
#include <omp.h>

enum { ON_DEVICE, ON_CORES, SERIAL, VARIANTS }; /* how a step is run */
enum { ROWS, COLUMNS };

/* The depth that is in focus, and the circle of confusion of a point at infinity, as a part of the
 * image's width. */
static const double FOCUS = 4, CIRCLE = 1. / 24;

/* ---- the problem ---- */

/* Arrays of n x n elements: the image, the conductivity of each pixel, the matrix of a half step,
 * and the result. */
struct arrays {
    void *image, *conductivity, *sub, *diag, *super, *result, *work;
    int *status;
};
struct blur {
    char type;
    int64_t n;
    double most; /* the largest conductivity */
    struct arrays host, device;
    struct memory memory;
};

/* The call for all rows, which lie one after the other, or for all columns, which are interleaved:
 * so nothing is transposed. */
static struct tridiagonal_batch lines_of(const struct blur *b, const struct arrays *a, int along)
{
    struct tridiagonal_batch lines = {};
    lines.type = b->type, lines.n = lines.batch = b->n;
    lines.inner = along == ROWS ? 1 : b->n;
    lines.sub = a->sub, lines.diag = a->diag, lines.super = a->super;
    lines.rhs = along == ROWS ? a->image : a->result, lines.x = a->result;
    lines.status = a->status, lines.work = a->work;
    lines.pivot = TRIDIAGONAL_PIVOT_NEVER; /* rows are dominant: diag = 1 + |sub| + |super| */
    return lines;
}

static struct blur blur_open(char type, int64_t n)
{
    struct blur b = {.type = type, .n = n};
    const size_t bytes = (size_t)(n * n * size_of(type));
    for (struct arrays *a : {&b.host, &b.device}) {
        auto allocate = a == &b.host ? memory_host : memory_device;
        for (void **array : {&a->image, &a->conductivity, &a->sub, &a->diag, &a->super, &a->result})
            *array = allocate(&b.memory, bytes);
        a->status = (int *)allocate(&b.memory, (size_t)n * sizeof(int));
        size_t most = 1;
        for (int along : {ROWS, COLUMNS}) {
            const struct tridiagonal_batch lines = lines_of(&b, a, along);
            size_t work = a == &b.host ? tridiagonal_batch_cpu_work(&lines, omp_get_max_threads())
                                       : tridiagonal_batch_work(&lines);
            most = work > most ? work : most;
        }
        a->work = allocate(&b.memory, most);
    }
    return b;
}

/* The diameter, in pixels, of the disc that a point at this depth becomes; negative if it is nearer
 * than the focus. This is the formula of a thin lens. */
static double circle_of(double depth, int64_t n)
{
    return CIRCLE * (double)n * (1 - FOCUS / depth);
}
/* Along each axis a disc of diameter c has the variance c^2/16, and what one implicit step with
 * conductivity b makes of a point has the variance 2 b. */
static double conductivity_of(double circle)
{
    return circle * circle / 32;
}
/* Sets the image, or 0.5 everywhere without one, and the conductivity of pixel i, conductivity(i).
 * It is rounded such that diagonals are exact: then each row of a matrix adds up to 1, and the
 * matrix itself makes the image neither brighter nor darker. */
template <class Conductivity>
static void blur_set(struct blur *b, const float *image, Conductivity conductivity)
{
    const int64_t pixels = b->n * b->n;
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < pixels; i++)
        most = fmax(most, conductivity(i));
    b->most = most;
    const double unit = unit_roundoff(b->type) * exp2(ceil(log2(1 + 2 * most)));
#pragma omp parallel for
    for (int64_t i = 0; i < pixels; i++) {
        put(b->type, b->host.image, i, image ? image[i] : 0.5);
        put(b->type, b->host.conductivity, i, unit * rint(conductivity(i) / unit));
    }
    const size_t bytes = (size_t)(pixels * size_of(b->type));
    device_upload(b->device.image, b->host.image, bytes);
    device_upload(b->device.conductivity, b->host.conductivity, bytes);
}

/* ---- half steps ---- */

/* Row i of a system is (1 + before + after) x_i - before x_(i-1) - after x_(i+1) = rhs_i. The
 * conductivity between two pixels is the smaller of theirs, so what is sharp keeps its edge. At the
 * edge of the image it is 0: nothing flows out. */
template <class T> static __device__ __host__ inline T smaller(T a, T b)
{
    return a < b ? a : b;
}
/* Pixel (i, j) of row j. */
template <class T>
static __device__ __host__ inline void fill_row(int64_t n, int along, int64_t i, int64_t j,
                                                const T *b, T *sub, T *diag, T *super)
{
    const int64_t at = j * n + i, step = along == ROWS ? 1 : n, place = along == ROWS ? i : j;
    const T before = place > 0 ? smaller(b[at], b[at - step]) : 0,
            after = place + 1 < n ? smaller(b[at], b[at + step]) : 0;
    sub[at] = -before, diag[at] = 1 + before + after, super[at] = -after;
}
template <class T>
static __global__ void fill_kernel(int64_t n, int along, const T *b, T *sub, T *diag, T *super)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        fill_row(n, along, i, (int64_t)blockIdx.y, b, sub, diag, super);
}
template <class T>
static cudaError_t fill_on_device(const struct blur *b, int along, cudaStream_t stream)
{
    enum { THREADS = 256 };
    const struct arrays *a = &b->device;
    const dim3 blocks((unsigned)((b->n + THREADS - 1) / THREADS), (unsigned)b->n);
    return LAUNCH(fill_kernel<T>, blocks, THREADS, 0, stream, b->n, along,
                  (const T *)a->conductivity, (T *)a->sub, (T *)a->diag, (T *)a->super);
}
template <class T> static void fill_on_cores(const struct blur *b, int along, int cores)
{
    const struct arrays *a = &b->host;
#pragma omp parallel for num_threads(cores)
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t i = 0; i < b->n; i++)
            fill_row(b->n, along, i, j, (const T *)a->conductivity, (T *)a->sub, (T *)a->diag,
                     (T *)a->super);
}
static cudaError_t fill(const struct blur *b, int along, cudaStream_t stream)
{
    return b->type == 's' ? fill_on_device<float>(b, along, stream)
                          : fill_on_device<double>(b, along, stream);
}
static cudaError_t solve(const struct blur *b, int along, cudaStream_t stream)
{
    const struct tridiagonal_batch lines = lines_of(b, &b->device, along);
    return tridiagonal_batch_solve(&lines, stream);
}
static cudaError_t run_on_device(const struct blur *b, cudaStream_t stream)
{
    for (int along : {ROWS, COLUMNS}) {
        TRY(fill(b, along, stream));
        TRY(solve(b, along, stream));
    }
    return cudaSuccess;
}
static void fill_host(const struct blur *b, int along, int cores)
{
    b->type == 's' ? fill_on_cores<float>(b, along, cores) : fill_on_cores<double>(b, along, cores);
}
static void solve_host(const struct blur *b, int along, int cores)
{
    const struct tridiagonal_batch lines = lines_of(b, &b->host, along);
    tridiagonal_batch_cpu_solve(&lines, cores);
}
static void run_on_cores(const struct blur *b, int cores)
{
    for (int along : {ROWS, COLUMNS})
        fill_host(b, along, cores), solve_host(b, along, cores);
}

/* Thomas's method in type R for `lines` neighbouring lines, whose pixels are `step` apart. Nothing
 * is stored of the matrix but what back-substitution needs, c. Columns are solved side by side, so
 * that the compiler can take SIMD lanes for them. */
template <class R, class T>
static void thomas(int64_t n, int64_t lines, int64_t step, const T *b, const R *rhs, R *x, R *c)
{
    for (int64_t i = 0; i < n; i++)
#pragma omp simd
        for (int64_t k = 0; k < lines; k++) {
            const int64_t at = i * step + k;
            const R before = i > 0 ? smaller(b[at], b[at - step]) : 0,
                    after = i + 1 < n ? smaller(b[at], b[at + step]) : 0,
                    c_before = i > 0 ? c[(i - 1) * lines + k] : 0,
                    x_before = i > 0 ? x[at - step] : 0,
                    pivot = 1 + after + before * (1 - c_before);
            c[i * lines + k] = after / pivot;
            x[at] = (rhs[at] + before * x_before) / pivot;
        }
    for (int64_t i = n - 2; i >= 0; i--)
#pragma omp simd
        for (int64_t k = 0; k < lines; k++)
            x[i * step + k] += c[i * lines + k] * x[(i + 1) * step + k];
}
template <class T> static void serial_loops(const struct blur *b)
{
    const T *conductivity = (const T *)b->host.conductivity, *image = (const T *)b->host.image;
    T *result = (T *)b->host.result, *c = (T *)b->host.diag;
    const int64_t n = b->n;
    for (int64_t j = 0; j < n; j++)
        thomas(n, 1, 1, conductivity + j * n, image + j * n, result + j * n, c);
    thomas(n, n, n, conductivity, result, result, c);
}
static void run_serially(const struct blur *b)
{
    b->type == 's' ? serial_loops<float>(b) : serial_loops<double>(b);
}

/* ---- verification ---- */

/* The error allowed, as pixels are at most 1. No inverse of a matrix has a norm above 1, since no
 * image becomes brighter than it was. So the error of a half step is at most its backward error: 16
 * roundings for the terms of a row, as thomas_batch allows, times the norm of the matrix, 1 + 4
 * `most`. */
static double blur_allowed(const struct blur *b)
{
    return 2 * 16 * unit_roundoff(b->type) * (1 + 4 * b->most);
}
/* Compares the result with Thomas's method in long double. */
template <class T> static struct verdict compare(const struct blur *b)
{
    const int64_t PANEL = 16;
    const int64_t n = b->n;
    const T *conductivity = (const T *)b->host.conductivity, *image = (const T *)b->host.image;
    struct memory memory = {};
    long double *exact = (long double *)memory_host(&memory, (size_t)(n * n) * sizeof(long double));
    long double *columns = (long double *)memory_host(
        &memory, (size_t)(omp_get_max_threads() * PANEL * n) * sizeof(long double));
    double error = 0;
#pragma omp parallel reduction(max : error)
    {
        long double *c = columns + omp_get_thread_num() * PANEL * n;
#pragma omp for
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = j * n; i < (j + 1) * n; i++)
                exact[i] = image[i];
            thomas(n, 1, 1, conductivity + j * n, exact + j * n, exact + j * n, c);
        }
#pragma omp for
        for (int64_t k = 0; k < n; k += PANEL) {
            const int64_t lines = n - k < PANEL ? n - k : PANEL;
            thomas(n, lines, n, conductivity + k, exact + k, exact + k, c);
            for (int64_t at = k; at < n * n; at += n)
                for (int64_t i = at; i < at + lines; i++) {
                    double off = (double)fabsl(exact[i] - ((const T *)b->host.result)[i]);
                    error = larger_error(error, off);
                }
        }
    }
    memory_free(&memory);
    return {error <= blur_allowed(b), error, error / blur_allowed(b), -1};
}
static struct verdict blur_verdict(const struct blur *b)
{
    return b->type == 's' ? compare<float>(b) : compare<double>(b);
}
static struct verdict run_and_verify(const struct blur *b, int how)
{
    const size_t bytes = (size_t)(b->n * b->n * size_of(b->type)),
                 status_bytes = (size_t)b->n * sizeof(int);
    host_poison(b->host.result, bytes);
    memset(b->host.status, 0, status_bytes);
    if (how == ON_DEVICE) {
        device_poison(b->device.result, bytes);
        CHECK(run_on_device(b, 0));
        device_download(b->host.result, b->device.result, bytes);
        device_download(b->host.status, b->device.status, status_bytes);
    } else if (how == ON_CORES) {
        run_on_cores(b, omp_get_max_threads());
    } else {
        run_serially(b);
    }
    struct verdict verdict = blur_verdict(b);
    for (int64_t k = 0; k < b->n; k++)
        verdict.ok = verdict.ok && b->host.status[k] == 0;
    return verdict;
}
