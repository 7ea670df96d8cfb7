/* What the tests of tridiagonal_batch.h share: a trial, which is a batch in main memory and on the
 * device with the call that solves it. */
#pragma once

#include "device_program.h"
#include "expect.h"
#include "test/matrices.h"
#include "tridiagonal_batch.h"
#include "tridiagonal_batch_cpu.h"

#include <math.h>

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };

/* Where the systems lie in the arrays. The shape of the arrays is (outer, n, inner). */
enum layout {
    CONTIGUOUS,  /* inner = 1 */
    INTERLEAVED, /* outer = 1 */
    NARROW,      /* inner is the smallest divisor of the batch from 2 on */
    WIDE,        /* outer is that divisor */
    BESIDE,      /* as NARROW, but the planes lie side by side in each row */
    LAYOUTS
};
/* GAPS: odd numbers of elements between rows and planes; between systems if they are contiguous.
 * LINES: rows begin on lines of memory. Elements between rows are NaN and must stay so. */
enum padding { TIGHT, GAPS, LINES, PADDINGS };

struct shape {
    char type;
    int pivot;
    int64_t n, batch;
    int64_t offset;   /* distance of each array from a multiple of 16 bytes, in elements */
    bool rhs_aligned; /* rhs and x have no such distance */
    bool in_place;    /* x and rhs are the same array */
    enum layout layout;
    enum padding padding;
    bool lengths; /* systems of different lengths, 0 to n rows */
    enum tridiagonal_matrix matrix;
    bool periodic;
    int64_t sides; /* systems that share a matrix; 0 or 1: as `matrix` says */
};

/* What must become of a system: status 0 and the right x; a status that names one of its rows; one
 * or the other. */
enum outcome { SOLVED, BROKEN, EITHER };

struct trial {
    struct shape shape;
    struct memory memory;
    enum outcome *outcome;         /* of each system; SOLVED at first */
    int64_t *first, *device_first; /* system k has rows first[k] to first[k + 1] - 1 */
    int64_t inner, row_stride, plane_stride, elements; /* of an array with rows of all systems */
    bool *in_use; /* for each element: does it belong to a row? */
    void *host[ARRAYS];
    int *host_status;
    struct random random;
    struct tridiagonal_batch call;
};

/* The trials' random numbers depend on this seed. */
extern uint64_t trial_seed;

/* The solver under test: 0, tridiagonal_batch.h on the device; otherwise tridiagonal_batch_cpu.h on
 * this many cores, in a build whose device is the CPU. */
extern int trial_cores;
static inline size_t batch_work(const struct tridiagonal_batch *b)
{
    return trial_cores ? tridiagonal_batch_cpu_work(b, trial_cores) : tridiagonal_batch_work(b);
}
static inline cudaError_t batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    if (!trial_cores)
        return tridiagonal_batch_solve(b, stream);
    return tridiagonal_batch_cpu_solve(b, trial_cores) < 0 ? cudaErrorInvalidValue : cudaSuccess;
}
static inline size_t batch_gradient_work(const struct tridiagonal_batch *b)
{
    return trial_cores ? batch_work(b) : tridiagonal_batch_gradient_work(b);
}
static inline cudaError_t batch_gradient(const struct tridiagonal_batch *b,
                                         const struct tridiagonal_derivatives *d,
                                         cudaStream_t stream)
{
    if (!trial_cores)
        return tridiagonal_batch_gradient(b, d, stream);
    return tridiagonal_batch_cpu_gradient(b, d, trial_cores) < 0 ? cudaErrorInvalidValue
                                                                 : cudaSuccess;
}
/* The longest system that is read once. The cores have no such length. */
static inline int64_t batch_longest(char type, int pivot)
{
    return trial_cores ? 1000 : tridiagonal_batch_longest(type, pivot);
}

static inline int64_t elements_of(const struct trial *t, int array)
{
    if (array < RHS && t->shape.sides > 1)
        return t->shape.n * t->shape.batch / t->shape.sides;
    return array >= RHS || t->shape.matrix == TRIDIAGONAL_BATCH_OWN ? t->elements
           : t->shape.matrix == TRIDIAGONAL_BATCH_SHARED            ? t->shape.n
                                                                    : 1;
}
static inline size_t bytes_of(const struct trial *t, int array)
{
    return (size_t)(elements_of(t, array) * size_of(t->shape.type));
}
static inline int64_t length_of(const struct trial *t, int64_t system)
{
    return t->first[system + 1] - t->first[system];
}

/* Returns the index of the element of an array that belongs to row i of system k. */
static inline int64_t element_at(const struct trial *t, int array, int64_t k, int64_t i)
{
    if (array < RHS && t->shape.matrix != TRIDIAGONAL_BATCH_OWN)
        return t->shape.matrix == TRIDIAGONAL_BATCH_SHARED ? i : 0;
    if (array < RHS && t->shape.sides > 1)
        return k / t->shape.sides * t->shape.n + i;
    return t->shape.lengths ? t->first[k] + i
                            : k / t->inner * t->plane_stride + i * t->row_stride + k % t->inner;
}

static inline double draw(struct trial *t) /* a random number in [-1/2, 1/2) */
{
    return random_uniform(&t->random, -0.5, 0.5);
}

struct complex_double {
    double re, im;
};
static inline double abs1(struct complex_double a)
{
    return fabs(a.re) + fabs(a.im);
}
static inline void set(const struct trial *t, int array, int64_t element, double re, double im)
{
    put_number(t->shape.type, t->host[array], element, re, im);
}
static inline void set_row(const struct trial *t, int array, int64_t k, int64_t i, double value)
{
    set(t, array, element_at(t, array, k, i), value, 0);
}
static inline struct complex_double at(const struct trial *t, int array, int64_t k, int64_t i)
{
    int64_t element = element_at(t, array, k, i);
    char type = real_type(t->shape.type);
    if (!is_complex(t->shape.type))
        return {get(type, t->host[array], element), 0};
    return {get(type, t->host[array], 2 * element), get(type, t->host[array], 2 * element + 1)};
}

/* Allocates and fills a batch. Without pivoting its rows are diagonally dominant. With pivoting the
 * elements are random, and every third diagonal element is 0; with automatic pivoting this is so in
 * some of the systems. The first sub and the last super of a system that is not periodic are NaN,
 * because a solver must not use them. A solver that wrongly uses a NaN finds a NaN in the result
 * and may solve the tile again correctly, with checks. Therefore the two elements are 1e30 if
 * `offset` is not 0. */
struct trial open_trial(struct shape shape);
void close_trial(struct trial *t);

/* Copies the inputs to the device, and fills x, the statuses and the workspace with numbers that no
 * solver may leave or use. */
void prepare(const struct trial *t);
/* Copies x and the statuses to main memory. */
void fetch(struct trial *t);
/* Prepares, solves, and fetches the solution if the call was not refused. */
cudaError_t solve(struct trial *t);

/* Changes the value of `pivot`, and allocates the workspace that the call then needs. */
void set_pivot(struct trial *t, int pivot);

/* Gives the systems of *to the inputs of the first systems of *from, which may have another layout.
 * Both have the same number of matrices, or one of their own for each system. */
void copy_inputs(const struct trial *to, const struct trial *from);
/* Is x the same, bit by bit, in all systems that both have and that must be solved in both? */
bool same_bits(const struct trial *a, const struct trial *b);

/* The bound on the result of error_of. The program allows 16 for the elimination of dominant rows;
 * the factor 2 is for complex products, which round twice as often. */
static const double BOUND = 32;

/* Returns the largest error of a row of system k, in units of roundoff. The error of a row is the
 * size of (A x - rhs)_i, divided by the sum of the sizes of the row's terms. The size of a number
 * is |re| + |im|. With pivoting, an element of x may be small by chance although its error is not,
 * so the terms are then the coefficients times the largest x. If the error of some row is NaN, or
 * its terms overflow, the function returns NaN. */
double error_of(const struct trial *t, int64_t k);

/* The largest error of a system that was judged. */
extern double worst_error;

/* A text that describes the batch, for a message. The next call overwrites it. */
const char *trial_text(const struct trial *t);

/* Tests that each system has its outcome and that elements of x that belong to no row are
 * untouched. `error` is the result of the call, `what` describes the systems. Returns how many
 * systems have status 0. */
int64_t expect_right(const struct trial *t, cudaError_t error, const char *what);
/* Solves the batch and tests that. */
int64_t expect_solved(struct trial *t, const char *what);
/* Solves a batch that has been solved again, for 2 x - rhs. The result must be computed from the
 * same x; as 2 x is exact, it is rounded once and its bits are known. */
void expect_crank_nicolson(struct trial *t);

/* The tests of tridiagonal_batch_gradient.cu. */
void tridiagonal_batch_check_gradient(bool all);

/* The tests of tridiagonal_batch_hard.cu. `all`: test larger batches, as on a GPU. */
void tridiagonal_batch_check_hard(bool all, uint64_t seed);
