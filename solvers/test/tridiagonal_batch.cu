/* Tests of tridiagonal_batch.h in all four types: sizes around a thread's, warp's and block's rows, systems that begin anywhere in a
 * chunk, arrays that bulk copies cannot bring, one system that breaks down among others, in place, bad calls; interleaved, of different
 * lengths, with one matrix, too long for the chip. Each row is judged by its own terms, so that what a neighbour does to a system is seen
 * wherever it is. */
#include "test/tridiagonal_batch_test.h"

#include "device_program.h"
#include "expect.h"
#include "tridiagonal_batch.h"

#include <initializer_list>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };
enum fault { NONE, ZERO_ROW, NAN_DIAG, INFINITE_RHS, NAN_LAST, TINY, FAULTS };

/* Bound on |row of A x - rhs| over the sum of its terms' sizes, in units of roundoff: that of main.cu for elimination of dominant
 * rows, where complex products round twice as often. */
static const double BOUND = 32;

static const double wrong_words[] = {(double)NAN, (double)INFINITY, 1e-3};

struct complex_double {
    double re, im;
};
static struct complex_double times(struct complex_double a, struct complex_double b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static double size_of_complex(struct complex_double a)
{
    return fabs(a.re) + fabs(a.im);
}

/* What is solved. */
struct shape {
    char type;
    int pivot;
    int64_t n, batch;
    int64_t offset; /* words before the arrays */
    bool in_place, interleaved;
    bool lengths; /* systems of 0 to n rows */
    enum tridiagonal_matrix matrix;
};
struct bench {
    struct shape shape;
    int64_t broken,
        every; /* systems number broken, broken + every, … are; broken -1: none, every 0: one */
    int64_t *first, *device_first; /* rows of system k: first[k] to first[k + 1] - 1 */
    void *host[ARRAYS], *device[ARRAYS], *work;
    int *status, *host_status;
    uint64_t random;
    struct tridiagonal_batch call;
};

static size_t word_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}
static int64_t words_of(const struct bench *b, int array)
{
    return array >= RHS || b->shape.matrix == TRIDIAGONAL_BATCH_OWN ? b->first[b->shape.batch]
           : b->shape.matrix == TRIDIAGONAL_BATCH_SHARED            ? b->shape.n
                                                                    : 1;
}
static size_t bytes_of(const struct bench *b, int array)
{
    return (size_t)words_of(b, array) * word_of(b->shape.type);
}
static int64_t length_of(const struct bench *b, int64_t system)
{
    return b->first[system + 1] - b->first[system];
}
/* The word of an array that row i of system k has. */
static int64_t at(const struct bench *b, int array, int64_t k, int64_t i)
{
    return array < RHS && b->shape.matrix != TRIDIAGONAL_BATCH_OWN
               ? (b->shape.matrix == TRIDIAGONAL_BATCH_SHARED ? i : 0)
           : b->shape.interleaved ? i * b->shape.batch + k
                                  : b->first[k] + i;
}
static double drawn(struct bench *b) /* between -1/2 and 1/2 */
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->random >> 40) / (1 << 24) - 0.5;
}
static void put(const struct bench *b, int array, int64_t word, double re, double im)
{
    char type = b->shape.type;
    bool is_complex = type == 'c' || type == 'z';
    int64_t part = is_complex ? 2 * word : word;
    if (type == 's' || type == 'c') {
        float *to = (float *)b->host[array] + part;
        to[0] = (float)re;
        if (is_complex)
            to[1] = (float)im;
    } else {
        double *to = (double *)b->host[array] + part;
        to[0] = re;
        if (is_complex)
            to[1] = im;
    }
}
static struct complex_double got(const struct bench *b, int array, int64_t k, int64_t i)
{
    int64_t word = at(b, array, k, i);
    const float *f = (const float *)b->host[array];
    const double *d = (const double *)b->host[array];
    switch (b->shape.type) {
    case 's':
        return {f[word], 0};
    case 'd':
        return {d[word], 0};
    case 'c':
        return {f[2 * word], f[2 * word + 1]};
    default:
        return {d[2 * word], d[2 * word + 1]};
    }
}

/* Dominant systems; with pivoting any, every third diagonal 0. NaN where a word has no effect, or, where there are words before the
 * arrays, a large number, which goes unseen where it should not be. */
static void open_bench(struct bench *b, struct shape shape, uint64_t seed)
{
    *b = {};
    b->shape = shape;
    b->broken = -1;
    b->random = seed;
    b->first =
        (int64_t *)host_alloc("thomas_batch", (shape.batch + 1) * (int64_t)(sizeof *b->first));
    b->first[0] = 0;
    for (int64_t k = 0; k < shape.batch; k++)
        b->first[k + 1] = b->first[k] + (shape.lengths && k != shape.batch / 2
                                             ? (int64_t)((drawn(b) + 0.5) * (double)(shape.n + 1))
                                             : shape.n);
    size_t before = (size_t)shape.offset * word_of(shape.type);
    for (int a = 0; a < ARRAYS; a++) {
        b->host[a] = host_alloc("thomas_batch", (int64_t)bytes_of(b, a));
        CHECK(cudaMalloc(&b->device[a], bytes_of(b, a) + before));
    }
    bool dominant = !shape.pivot || shape.matrix == TRIDIAGONAL_BATCH_CONSTANT;
    for (int a = 0; a < X; a++)
        for (int64_t i = 0; i < words_of(b, a); i++) {
            double re = drawn(b) + (a == DIAG && dominant ? 2.6 : 0);
            put(b, a, i, re, drawn(b));
        }
    for (int64_t k = 0; k < shape.batch && !dominant; k++)
        for (int64_t i = 1; i < length_of(b, k); i += 3)
            put(b, DIAG, at(b, DIAG, k, i), 0, 0);
    for (int64_t k = 0; k < shape.batch && shape.matrix == TRIDIAGONAL_BATCH_OWN; k++)
        if (length_of(b, k) > 0) {
            double none = shape.offset > 0 ? 1e30 : (double)NAN;
            put(b, SUB, at(b, SUB, k, 0), none, 0);
            put(b, SUPER, at(b, SUPER, k, length_of(b, k) - 1), none, 0);
        }
    size_t status = (size_t)shape.batch * sizeof *b->status,
           first = (size_t)(shape.batch + 1) * sizeof *b->first;
    CHECK(cudaMalloc(&b->status, status));
    CHECK(cudaMalloc(&b->device_first, first));
    CHECK(cudaMemcpy(b->device_first, b->first, first, cudaMemcpyHostToDevice));
    b->host_status = (int *)host_alloc("thomas_batch", (int64_t)status);
    struct tridiagonal_batch *call = &b->call;
    call->type = shape.type;
    call->n = shape.n;
    call->batch = shape.batch;
    call->sub = (char *)b->device[SUB] + before;
    call->diag = (char *)b->device[DIAG] + before;
    call->super = (char *)b->device[SUPER] + before;
    call->rhs = (char *)b->device[RHS] + before;
    call->x = (char *)b->device[shape.in_place ? RHS : X] + before;
    call->status = b->status;
    call->pivot = shape.pivot;
    call->matrix = shape.matrix;
    call->interleaved = shape.interleaved;
    call->offset = shape.lengths ? b->device_first : NULL;
    CHECK(cudaMalloc(&b->work, tridiagonal_batch_work(call)));
    call->work = b->work;
}
static void close_bench(struct bench *b)
{
    for (int a = 0; a < ARRAYS; a++) {
        free(b->host[a]);
        CHECK(cudaFree(b->device[a]));
    }
    CHECK(cudaFree(b->status));
    CHECK(cudaFree(b->device_first));
    CHECK(cudaFree(b->work));
    free(b->host_status);
    free(b->first);
}

static cudaError_t solve(struct bench *b)
{
    const void *const to[] = {b->call.sub, b->call.diag, b->call.super, b->call.rhs};
    CHECK(cudaMemset(b->call.x, 0xff, bytes_of(b, X)));
    for (int a = 0; a < X; a++)
        CHECK(cudaMemcpy((void *)to[a], b->host[a], bytes_of(b, a), cudaMemcpyHostToDevice));
    size_t status = (size_t)b->shape.batch * sizeof *b->status;
    CHECK(cudaMemset(b->status, 0x55, status));
    CHECK(cudaMemset(b->work, 0xff, tridiagonal_batch_work(&b->call)));
    cudaError_t error = tridiagonal_batch_solve(&b->call, 0);
    if (error != cudaSuccess)
        return error;
    CHECK(cudaMemcpy(b->host[X], b->call.x, bytes_of(b, X), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b->host_status, b->status, status, cudaMemcpyDeviceToHost));
    return cudaSuccess;
}

/* Largest error of a row of system k, relative to the sizes of its terms; with pivoting (rows where these are small by chance
 * are no smaller in error) to its coefficients times the largest x. NaN if one is. */
static double error_of(const struct bench *b, int64_t k)
{
    char type = b->shape.type;
    double unit = type == 's' || type == 'c' ? 0x1p-24 : 0x1p-53, worst = 0, largest = 0;
    int64_t n = length_of(b, k);
    for (int64_t i = 0; i < n && b->shape.pivot; i++) {
        double size = size_of_complex(got(b, X, k, i));
        if (size > largest) /* NaN shows in the row's own error */
            largest = size;
    }
    for (int64_t i = 0; i < n; i++) {
        struct complex_double sum = got(b, RHS, k, i);
        double terms = size_of_complex(sum);
        for (int side = -1; side <= 1; side++) {
            if (i + side < 0 || i + side >= n)
                continue;
            struct complex_double a = got(b, SUB + side + 1, k, i),
                                  term = times(a, got(b, X, k, i + side));
            sum.re -= term.re;
            sum.im -= term.im;
            terms += b->shape.pivot ? largest * size_of_complex(a) : size_of_complex(term);
        }
        double error = size_of_complex(sum) / terms / unit;
        if (!(error <= worst) && !isnan(worst))
            worst = error;
    }
    return worst;
}

static void put_fault(const struct bench *b, enum fault fault, int64_t k, int64_t i)
{
    const double large = b->shape.type == 's' || b->shape.type == 'c' ? 1e38 : 1e308;
    if (fault == NAN_DIAG || fault == NAN_LAST)
        put(b, DIAG, at(b, DIAG, k, i), (double)NAN, 0);
    else if (fault == INFINITE_RHS)
        put(b, RHS, at(b, RHS, k, i), (double)INFINITY, 0);
    else /* ZERO_ROW; TINY: its inverse overflows, or what it makes of the right-hand side */
        for (int a = SUB; a <= SUPER; a++)
            put(b, a, at(b, a, k, i), fault == TINY && a == DIAG ? 1 / large : 0, 0);
    if (fault == TINY)
        put(b, RHS, at(b, RHS, k, i), large, 0);
}

static bool is_broken(const struct bench *b, int64_t k)
{
    int64_t behind = k - b->broken;
    return b->broken >= 0 && behind >= 0 && length_of(b, k) > 0 &&
           (b->every > 0 ? behind % b->every == 0 : behind == 0);
}
/* The systems that are broken say so; all others are solved, and say so. */
static double worst_error;
static void expect_solved(struct bench *b, const char *what)
{
    const struct shape *s = &b->shape;
    cudaError_t error = solve(b);
    int64_t wrong = -1;
    for (int64_t k = 0; k < s->batch && error == cudaSuccess; k++) {
        double found = is_broken(b, k) ? 0 : error_of(b, k);
        int status = b->host_status[k];
        bool said = is_broken(b, k) ? status > 0 && status <= length_of(b, k) : status == 0;
        if (!(found <= worst_error) && !isnan(worst_error))
            worst_error = found;
        if (!(found <= BOUND && said) && wrong < 0)
            wrong = k;
    }
    EXPECT(
        error == cudaSuccess && wrong < 0,
        "tridiagonal_batch: type %c, pivot %d, n = %lld, batch %lld, offset %lld, matrix %d%s%s, "
        "%s, broken from %lld: %s, system %lld is wrong, status %d",
        s->type, s->pivot, (long long)s->n, (long long)s->batch, (long long)s->offset, s->matrix,
        s->interleaved ? ", interleaved" : "", s->lengths ? ", of different lengths" : "", what,
        (long long)b->broken, cudaGetErrorString(error), (long long)wrong,
        wrong >= 0 ? b->host_status[wrong] : 0);
}

/* The system in the middle gets the fault; of one matrix for all, only a right-hand side can. */
static void check_one(struct shape shape, enum fault fault, uint64_t seed)
{
    static const char *const names[FAULTS] = {"sound",
                                              "a row of zeros",
                                              "NaN on the diagonal",
                                              "an infinite right-hand side",
                                              "NaN in the last row",
                                              "a tiny pivot"};
    struct bench b;
    open_bench(&b, shape, seed);
    if (fault != NONE && shape.matrix != TRIDIAGONAL_BATCH_OWN)
        fault = INFINITE_RHS;
    if (fault != NONE) {
        b.broken = shape.batch / 2;
        put_fault(&b, fault, b.broken, fault == NAN_LAST ? shape.n - 1 : shape.n / 2);
    }
    expect_solved(&b, names[fault]);
    close_bench(&b);
}

/* Every other system, each in another way. */
static void check_many_broken(struct shape shape, uint64_t seed)
{
    struct bench b;
    open_bench(&b, shape, seed);
    b.broken = 1;
    b.every = 2;
    for (int64_t k = 1; k < shape.batch; k += 2)
        if (length_of(&b, k) > 0)
            put_fault(&b, (enum fault)(1 + k / 2 % (FAULTS - 1)), k, k / 2 % length_of(&b, k));
    expect_solved(&b, "every other broken");
    close_bench(&b);
}

/* One wrong word of x, wherever it is, is seen. */
static void check_judge(uint64_t seed)
{
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        struct bench b;
        open_bench(&b, {'d', 0, 50, 3, 0, false, interleaved != 0, false, TRIDIAGONAL_BATCH_OWN},
                   seed);
        CHECK(solve(&b));
        for (int64_t i = 0; i < 50; i++)
            for (double value : wrong_words) {
                double *word = (double *)b.host[X] + at(&b, X, 1, i), right = *word;
                *word = value;
                EXPECT(!(error_of(&b, 1) <= BOUND) && error_of(&b, 0) <= BOUND,
                       "%g in row %lld is not seen", value, (long long)i);
                *word = right;
            }
        close_bench(&b);
    }
}

/* The first systems of a batch alone: the same bits. */
static void check_same_bits(struct shape shape, uint64_t seed)
{
    struct bench many, few;
    size_t word = word_of(shape.type);
    shape.batch = 90;
    open_bench(&many, shape, seed);
    CHECK(solve(&many));
    for (shape.batch = 1; shape.batch < 90; shape.batch = 2 * shape.batch + 1) {
        bool same = true;
        open_bench(&few, shape, seed);
        for (int a = 0; a <= X; a++) {
            if (a == X)
                CHECK(solve(&few));
            for (int64_t k = 0; k < shape.batch; k++)
                for (int64_t i = 0; i < shape.n; i++) {
                    char *mine = (char *)few.host[a] + word * (size_t)at(&few, a, k, i);
                    const char *other = (char *)many.host[a] + word * (size_t)at(&many, a, k, i);
                    if (a < X)
                        memcpy(mine, other, word);
                    else
                        same = same && !memcmp(mine, other, word);
                }
        }
        EXPECT(same,
               "tridiagonal_batch: type %c, pivot %d, n = %lld, matrix %d%s: the first %lld of 90 "
               "systems have other bits alone",
               shape.type, shape.pivot, (long long)shape.n, shape.matrix,
               shape.interleaved ? ", interleaved" : "", (long long)shape.batch);
        close_bench(&few);
    }
    close_bench(&many);
}

/* A system that breaks down behind them leaves the others their bits. (Complex products may be rounded otherwise where a tile is solved
 * again.) */
static void check_same_bits_before(char type, int pivot, int64_t n, uint64_t seed)
{
    struct bench sound, broken;
    struct shape shape = {type, pivot, n, 21, 0, false, false, false, TRIDIAGONAL_BATCH_OWN};
    open_bench(&sound, shape, seed);
    open_bench(&broken, shape, seed);
    put_fault(&broken, NAN_DIAG, 20, n / 2);
    CHECK(solve(&sound));
    CHECK(solve(&broken));
    EXPECT(!memcmp(sound.host[X], broken.host[X], (size_t)(20 * n) * word_of(type)) &&
               broken.host_status[20] > 0,
           "tridiagonal_batch: type %c, pivot %d, n = %lld: other bits before a system that breaks "
           "down",
           type, pivot, (long long)n);
    close_bench(&sound);
    close_bench(&broken);
}

/* Two singular neighbours, of which one leaves a row of zeros in the other's place, among identities. */
static void check_zero_rows(char type)
{
    static const double last[7][3] = {{0, 1, -1}, {0, 1, -1}, {0, 0, -1}, {0, 1, 0},
                                      {1, 1, 0},  {1, 1, 0},  {1, 1, 0}};
    struct bench b;
    open_bench(&b, {type, 1, 7, 8, 0, false, false, false, TRIDIAGONAL_BATCH_OWN}, 1);
    for (int64_t k = 0; k < 8; k++)
        for (int64_t i = 0; i < 7; i++) {
            for (int a = SUB; a <= SUPER; a++)
                put(&b, a, at(&b, a, k, i), k == 7 ? last[i][a] : a == DIAG && !(k == 6 && i == 0),
                    0);
            put(&b, RHS, at(&b, RHS, k, i), 1, 0);
        }
    CHECK(solve(&b));
    for (int64_t k = 0; k < 8; k++)
        EXPECT(k < 6 ? b.host_status[k] == 0 && error_of(&b, k) <= BOUND : b.host_status[k] > 0,
               "type %c, zero rows: system %lld, status %d", type, (long long)k, b.host_status[k]);
    close_bench(&b);
}

/* One nearly singular matrix: what is left of it around a tile must not be seen. */
static void check_chain(char type)
{
    for (int64_t batch : {1, 2, 7}) {
        struct bench b;
        open_bench(&b, {type, 1, 4, batch, 0, false, false, false, TRIDIAGONAL_BATCH_CONSTANT}, 1);
        put(&b, SUB, 0, 1, 0);
        put(&b, SUPER, 0, 1, 0);
        put(&b, DIAG, 0, -2 * cos(2 * acos(-1.) / 9), 0);
        expect_solved(&b, "-2 cos(2 pi / 9)");
        close_bench(&b);
    }
}

static void check_calls(uint64_t seed)
{
    struct bench b;
    open_bench(&b, {'d', 0, 100, 3, 0, false, false, false, TRIDIAGONAL_BATCH_OWN}, seed);
    struct tridiagonal_batch good = b.call;
    b.call.status = NULL;
    EXPECT(solve(&b) == cudaSuccess && error_of(&b, 1) <= BOUND, "without a status");
    for (int bad = 0; bad < 10; bad++) {
        b.call = good;
        if (bad == 0)
            b.call.type = 'q';
        if (bad == 1)
            b.call.n = -1;
        if (bad == 2)
            b.call.batch = -1;
        if (bad == 3) /* needs work */
            b.call.n = tridiagonal_batch_longest('d', 0) + 1;
        if (bad == 4)
            b.call.diag = NULL;
        if (bad == 5)
            b.call.x = (char *)b.call.x + 1;
        if (bad == 6)
            b.call.n = int64_t(1) << 40;
        if (bad == 7)
            b.call.batch = int64_t(1) << 60;
        if (bad == 8)
            b.call.matrix = (enum tridiagonal_matrix)3;
        if (bad == 9)
            b.call.offset = b.device_first, b.call.interleaved = 1;
        EXPECT(tridiagonal_batch_solve(&b.call, 0) == cudaErrorInvalidValue, "bad call %d", bad);
    }
    b.call = good;
    b.call.n = 0;
    CHECK(cudaMemset(b.status, 0x55, 3 * sizeof *b.status));
    EXPECT(tridiagonal_batch_solve(&b.call, 0) == cudaSuccess, "n = 0");
    CHECK(cudaMemcpy(b.host_status, b.status, 3 * sizeof *b.status, cudaMemcpyDeviceToHost));
    EXPECT(b.host_status[0] == 0 && b.host_status[2] == 0, "status of n = 0");
    b.call.n = 100;
    b.call.batch = 0;
    EXPECT(tridiagonal_batch_solve(&b.call, 0) == cudaSuccess, "batch = 0");
    EXPECT(tridiagonal_batch_longest('q', 0) == 0, "longest of no type");
    close_bench(&b);
    /* A system that is longer than was said. */
    open_bench(&b, {'d', 0, 100, 40, 0, false, false, true, TRIDIAGONAL_BATCH_OWN}, seed);
    b.call.n = 50;
    for (int64_t i = 0; i < b.first[40]; i++) {
        put(&b, SUB, i, -1, 0);
        put(&b, DIAG, i, 2.0001, 0);
        put(&b, SUPER, i, -1, 0);
    }
    CHECK(solve(&b));
    for (int64_t k = 0; k < 40; k++)
        EXPECT(b.host_status[k] != 0 || error_of(&b, k) <= BOUND, "longer than was said: %lld",
               (long long)k);
    close_bench(&b);
}

/* Pointers that are NULL or not aligned are refused, and nothing is written; what is not needed may
 * be NULL. */
static void check_pointers(char type, uint64_t seed)
{
    const unsigned char poison = 0x5a;
    size_t word = word_of(type);
    for (int kind = 0; kind < 4; kind++) { /* contiguous, interleaved, of different lengths, long */
        struct bench b;
        int64_t n = kind == 3 ? tridiagonal_batch_longest(type, 0) + 1 : 100;
        open_bench(&b, {type, 0, n, 3, 0, false, kind == 1, kind == 2, TRIDIAGONAL_BATCH_OWN},
                   seed);
        struct tridiagonal_batch call = b.call;
        size_t work_bytes = tridiagonal_batch_work(&call);
        CHECK(cudaMemset(call.x, poison, bytes_of(&b, X)));
        CHECK(cudaMemset(call.status, poison, 3 * sizeof *call.status));
        CHECK(cudaMemset(call.work, poison, work_bytes));
        struct expect_pointer arrays[] = {EXPECT_POINTER(call.sub, word),
                                          EXPECT_POINTER(call.diag, word),
                                          EXPECT_POINTER(call.super, word),
                                          EXPECT_POINTER(call.rhs, word),
                                          EXPECT_POINTER(call.x, word),
                                          EXPECT_POINTER_OR_NULL(call.status, sizeof *call.status)};
        EXPECT_POINTERS(arrays, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        struct expect_pointer offset[] = {EXPECT_POINTER_OR_NULL(call.offset, 8)};
        if (kind == 2)
            EXPECT_POINTERS(offset, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        struct expect_pointer work[] = {EXPECT_POINTER(call.work, 16)};
        if (work_bytes > 0)
            EXPECT_POINTERS(work, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        EXPECT(kind != 3 || work_bytes > 0, "type %c: a long system needs no work", type);
        call.n = 0;
        struct expect_pointer status[] = {EXPECT_POINTER_OR_NULL(call.status, sizeof *call.status)};
        EXPECT_POINTERS(status, tridiagonal_batch_solve(&call, 0), cudaErrorInvalidValue);
        call.batch = INT64_MAX / 3;
        EXPECT(tridiagonal_batch_solve(&call, 0) == cudaErrorInvalidValue, "2^63 / 3 statuses");
        EXPECT(device_holds(b.device[X], poison, bytes_of(&b, X)) &&
                   device_holds(b.status, poison, 3 * sizeof *b.status) &&
                   device_holds(b.work, poison, work_bytes),
               "type %c, kind %d: what was refused wrote", type, kind);
        close_bench(&b);
    }
    EXPECT(tridiagonal_batch_solve(NULL, 0) == cudaErrorInvalidValue &&
               tridiagonal_batch_work(NULL) == 0,
           "no struct");
    struct tridiagonal_batch none = {};
    none.type = type;
    none.batch = 3;
    EXPECT(tridiagonal_batch_solve(&none, 0) == cudaSuccess, "type %c: no rows, no arrays", type);
    none.n = 3;
    none.batch = 0;
    EXPECT(tridiagonal_batch_solve(&none, 0) == cudaSuccess, "type %c: no systems, no arrays",
           type);
}

/* Batches of all kinds but the plain one. */
static void check_kinds(char type, int pivot, bool all, uint64_t seed)
{
    static const int64_t sizes[] = {1, 2, 5, 21, 100, 333, 1200};
    int64_t longest = tridiagonal_batch_longest(type, pivot), most = all         ? 1000000
                                                                     : SANITIZED ? 2000
                                                                                 : 20000;
    int turn = 0, skipped = 0;
    for (int kind = 0; kind < 7; kind++) {
        struct shape shape = {};
        shape.type = type;
        shape.pivot = pivot;
        shape.matrix = kind == 1 || kind == 4   ? TRIDIAGONAL_BATCH_SHARED
                       : kind == 2 || kind == 5 ? TRIDIAGONAL_BATCH_CONSTANT
                                                : TRIDIAGONAL_BATCH_OWN;
        shape.interleaved = kind >= 3 && kind < 6;
        shape.lengths = kind == 6;
        for (int64_t n : sizes)
            for (int64_t batch : {1, 7, 100, 1000}) {
                if (kind == 0 || (n * batch > most && batch > 7) || (SANITIZED && skipped++ % 3))
                    continue;
                if (shape.lengths && n > longest) /* refused, on smaller GPUs than others */
                    continue;
                shape.n = n;
                shape.batch = batch;
                shape.offset = turn % 3 == 2;
                shape.in_place = turn % 2 == 0;
                check_one(shape, NONE, seed);
                check_one(shape, (enum fault)(1 + turn++ % (FAULTS - 1)), seed);
            }
        shape.offset = 0;
        if (!shape.lengths)
            for (int64_t n :
                 {longest + 1, 3 * longest + 5}) { /* too long for the chip, if contiguous */
                if (SANITIZED && n > longest + 1)
                    continue;
                shape.n = n;
                shape.batch = all ? 40 : 3;
                shape.offset = turn % 3 == 2;
                shape.in_place = turn % 2 == 0;
                check_one(shape, (enum fault)(turn++ % FAULTS), seed);
            }
        shape.offset = 0;
        if (shape.matrix == TRIDIAGONAL_BATCH_OWN)
            for (int64_t n : {3, 50, 700}) {
                if (shape.lengths && n > longest)
                    continue;
                shape.n = n;
                shape.batch = SANITIZED ? 11 : 60;
                check_many_broken(shape, seed);
            }
        shape.n = SANITIZED ? 30 : 300;
        if (!shape.lengths && kind > 0)
            check_same_bits(shape, seed);
    }
    for (int64_t n : {longest / 3, longest}) {
        struct shape shape = {type, pivot, n, 6, 1, false, false, true, TRIDIAGONAL_BATCH_OWN};
        check_one(shape, NAN_DIAG, seed);
    }
}

int tridiagonal_batch_check(bool all, uint64_t seed)
{
    static const int64_t sizes[] = {1,  2,  3,  4,   5,   7,   8,   9,    10,   19,  20,
                                    21, 31, 64, 100, 127, 640, 641, 1000, 2079, 2557},
                         batches[] = {1, 2, 7, 40, 900, 5000}, bits[] = {3, 100, 1001};
    int fault = 0;
    worst_error = 0;
    for (int one = 0; one < 8; one++) {
        struct shape shape = {};
        shape.type = "sdcz"[one / 2];
        shape.pivot = one % 2;
        int64_t longest = tridiagonal_batch_longest(shape.type, shape.pivot);
        int turn = one; /* not on every device every size in every type */
        for (int64_t n : sizes) {
            if (turn++ % (all ? 1 : SANITIZED ? 5 : 2) != 0)
                continue;
            for (int64_t batch : batches) {
                int64_t most = all ? 2000000 : SANITIZED ? 700 : 4000;
                if (n > longest || (n * batch > most && batch > 2))
                    continue;
                shape.n = n;
                shape.batch = batch;
                shape.offset = batch % 2;
                shape.in_place = n % 2 != 0;
                check_one(shape, NONE, seed);
                shape.offset = 0;
                shape.in_place = !shape.in_place;
                check_one(shape, (enum fault)(1 + fault++ % (FAULTS - 1)), seed);
            }
        }
        shape.in_place = false;
        for (int64_t n = longest; n > 0 && n > longest / 8; n = n / 2 + 1) {
            shape.n = n;
            shape.batch = 3;
            shape.offset = n % 2;
            check_one(shape, (enum fault)(fault++ % FAULTS), seed);
        }
        shape.offset = 0;
        int64_t most_broken = all ? 3000 : SANITIZED ? 10 : 64;
        shape.batch = 60;
        for (int64_t n : sizes)
            if (n <= longest && n <= most_broken && turn++ % (SANITIZED ? 3 : 1) == 0) {
                shape.n = n;
                check_many_broken(shape, seed);
            }
        for (int64_t n : bits)
            if (all || n <= (SANITIZED ? 3 : 100)) {
                shape.n = n;
                check_same_bits(shape, seed);
            }
        check_kinds(shape.type, shape.pivot, all, seed);
        if (shape.type == 's' || shape.type == 'd')
            for (int64_t n : {3, 50, 300})
                check_same_bits_before(shape.type, shape.pivot, n, seed);
        if (shape.pivot) {
            check_zero_rows(shape.type);
            check_chain(shape.type);
        }
    }
    check_calls(seed);
    for (char type : {'s', 'd', 'c', 'z'})
        check_pointers(type, seed);
    check_judge(seed);
    printf("tridiagonal_batch.h: %d tests, largest backward error of a row's terms %.3g units of "
           "roundoff\n",
           expect_passed + expect_failed, worst_error);
    return expect_failed;
}
