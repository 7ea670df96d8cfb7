/* Tests of tridiagonal_batch.h in all four types: sizes around a thread's, warp's and block's rows, systems that begin anywhere in a
 * chunk, arrays that bulk copies cannot bring, one system that breaks down among others, in place, bad calls. Each row is judged
 * by its own terms, so that what a neighbour does to a system is seen wherever it is. */
#include "batch_check.h"

#include "device_program.h"
#include "expect.h"
#include "tridiagonal_batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };
enum fault { NONE, ZERO_ROW, NAN_DIAG, INFINITE_RHS, NAN_LAST, TINY, FAULTS };

/* Bound on |row of A x - rhs| over the sum of its terms' sizes, in units of roundoff: that of main.cu for elimination of dominant
 * rows, where complex products round twice as often. */
static const double BOUND = 32;

static const double wrong_words[] = {static_cast<double>(NAN), static_cast<double>(INFINITY), 1e-3};

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

struct bench {
    char type;
    int64_t broken,
        every; /* systems number broken, broken + every, … are; broken -1: none, every 0: one */
    int64_t n, batch, offset; /* words before the arrays */
    void *host[ARRAYS], *device[ARRAYS];
    int *status, *host_status;
    uint64_t random;
    struct tridiagonal_batch call;
};

static size_t word_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}
static size_t bytes_of(const struct bench *b)
{
    return static_cast<size_t>(b->n * b->batch) * word_of(b->type);
}
static double drawn(struct bench *b) /* between -1/2 and 1/2 */
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(b->random >> 40) / (1 << 24) - 0.5;
}
static void put(const struct bench *b, int array, int64_t i, double re, double im)
{
    bool is_complex = b->type == 'c' || b->type == 'z';
    int64_t at = is_complex ? 2 * i : i;
    if (b->type == 's' || b->type == 'c') {
        float *word = static_cast<float *>(b->host[array]) + at;
        word[0] = static_cast<float>(re);
        if (is_complex)
            word[1] = static_cast<float>(im);
    } else {
        double *word = static_cast<double *>(b->host[array]) + at;
        word[0] = re;
        if (is_complex)
            word[1] = im;
    }
}
static struct complex_double got(const struct bench *b, int array, int64_t i)
{
    switch (b->type) {
    case 's':
        return {static_cast<const float *>(b->host[array])[i], 0};
    case 'd':
        return {static_cast<const double *>(b->host[array])[i], 0};
    case 'c':
        return {static_cast<const float *>(b->host[array])[2 * i],
                static_cast<const float *>(b->host[array])[2 * i + 1]};
    default:
        return {static_cast<const double *>(b->host[array])[2 * i],
                static_cast<const double *>(b->host[array])[2 * i + 1]};
    }
}

/* Dominant systems; with pivoting any, every third diagonal 0. NaN where a word has no effect. */
static void open_bench(struct bench *b, char type, int pivot, int64_t n, int64_t batch,
                       int64_t offset, bool in_place, uint64_t seed)
{
    *b = {};
    b->broken = -1;
    b->type = type;
    b->n = n;
    b->batch = batch;
    b->offset = offset;
    b->random = seed;
    size_t before = static_cast<size_t>(offset) * word_of(type);
    for (int a = 0; a < ARRAYS; a++) {
        b->host[a] = host_alloc("thomas_batch", static_cast<int64_t>(bytes_of(b)));
        CHECK(cudaMalloc(&b->device[a], bytes_of(b) + before));
    }
    for (int64_t i = 0; i < n * batch; i++)
        for (int a = 0; a < X; a++) {
            double re = drawn(b), im = drawn(b);
            if (a == DIAG && !pivot)
                re += 2.6;
            if (a == DIAG && pivot && i % 3 == 1 && n > 1)
                re = im = 0;
            put(b, a, i, re, im);
        }
    for (int64_t k = 0; k < batch; k++) {
        put(b, SUB, k * n, static_cast<double>(NAN), 0);
        put(b, SUPER, k * n + n - 1, static_cast<double>(NAN), 0);
    }
    size_t status = static_cast<size_t>(batch) * sizeof *b->status;
    CHECK(cudaMalloc(&b->status, status));
    b->host_status = static_cast<int *>(host_alloc("thomas_batch", static_cast<int64_t>(status)));
    struct tridiagonal_batch *call = &b->call;
    call->type = type;
    call->n = n;
    call->batch = batch;
    call->sub = static_cast<char *>(b->device[SUB]) + before;
    call->diag = static_cast<char *>(b->device[DIAG]) + before;
    call->super = static_cast<char *>(b->device[SUPER]) + before;
    call->rhs = static_cast<char *>(b->device[RHS]) + before;
    call->x = static_cast<char *>(b->device[in_place ? RHS : X]) + before;
    call->status = b->status;
    call->pivot = pivot;
}
static void close_bench(struct bench *b)
{
    for (int a = 0; a < ARRAYS; a++) {
        free(b->host[a]);
        CHECK(cudaFree(b->device[a]));
    }
    CHECK(cudaFree(b->status));
    free(b->host_status);
}

static cudaError_t solve(struct bench *b)
{
    const void *const to[] = {b->call.sub, b->call.diag, b->call.super, b->call.rhs};
    CHECK(cudaMemset(b->call.x, 0xff, bytes_of(b)));
    for (int a = 0; a < X; a++)
        CHECK(
            cudaMemcpy(const_cast<void *>(to[a]), b->host[a], bytes_of(b), cudaMemcpyHostToDevice));
    size_t status = static_cast<size_t>(b->batch) * sizeof *b->status;
    CHECK(cudaMemset(b->status, 0x55, status));
    cudaError_t error = tridiagonal_batch_solve(&b->call, 0);
    if (error != cudaSuccess)
        return error;
    CHECK(cudaMemcpy(b->host[X], b->call.x, bytes_of(b), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b->host_status, b->status, status, cudaMemcpyDeviceToHost));
    return cudaSuccess;
}

/* Largest error of a row of system k, relative to the sizes of its terms; with pivoting (rows where these are small by chance
 * are no smaller in error) to its coefficients times the largest x. NaN if one is. */
static double error_of(const struct bench *b, int64_t k)
{
    double unit = b->type == 's' || b->type == 'c' ? 0x1p-24 : 0x1p-53, worst = 0, largest = 0;
    for (int64_t i = 0; i < b->n && b->call.pivot; i++) {
        double size = size_of_complex(got(b, X, k * b->n + i));
        if (size > largest) /* NaN shows in the row's own error */
            largest = size;
    }
    for (int64_t i = 0; i < b->n; i++) {
        struct complex_double sum = got(b, RHS, k * b->n + i);
        double terms = size_of_complex(sum);
        for (int side = -1; side <= 1; side++) {
            if (i + side < 0 || i + side >= b->n)
                continue;
            struct complex_double term =
                times(got(b, SUB + side + 1, k * b->n + i), got(b, X, k * b->n + i + side));
            sum.re -= term.re;
            sum.im -= term.im;
            terms += b->call.pivot ? largest * size_of_complex(got(b, SUB + side + 1, k * b->n + i))
                                   : size_of_complex(term);
        }
        double error = size_of_complex(sum) / terms / unit;
        if (!(error <= worst) && !isnan(worst))
            worst = error;
    }
    return worst;
}

static void put_fault(const struct bench *b, enum fault fault, int64_t at)
{
    const double large = b->type == 's' || b->type == 'c' ? 1e38 : 1e308;
    if (fault == NAN_DIAG || fault == NAN_LAST)
        put(b, DIAG, at, static_cast<double>(NAN), 0);
    else if (fault == INFINITE_RHS)
        put(b, RHS, at, static_cast<double>(INFINITY), 0);
    else /* ZERO_ROW; TINY: its inverse overflows, or what it makes of the right-hand side */
        for (int a = SUB; a <= SUPER; a++)
            put(b, a, at, fault == TINY && a == DIAG ? 1 / large : 0, 0);
    if (fault == TINY)
        put(b, RHS, at, large, 0);
}

static bool is_broken(const struct bench *b, int64_t k)
{
    int64_t behind = k - b->broken;
    return b->broken >= 0 && behind >= 0 && (b->every > 0 ? behind % b->every == 0 : behind == 0);
}
/* The systems that are broken say so; all others are solved, and say so. */
static double worst_error;
static void expect_solved(struct bench *b, const char *what)
{
    cudaError_t error = solve(b);
    int64_t wrong = -1;
    for (int64_t k = 0; k < b->batch && error == cudaSuccess; k++) {
        double found = is_broken(b, k) ? 0 : error_of(b, k);
        int status = b->host_status[k];
        bool said = is_broken(b, k) ? status > 0 && status <= b->n : status == 0;
        if (!(found <= worst_error) && !isnan(worst_error))
            worst_error = found;
        if (!(found <= BOUND && said) && wrong < 0)
            wrong = k;
    }
    EXPECT(
        error == cudaSuccess && wrong < 0,
        "tridiagonal_batch: type %c, pivot %d, n = %lld, batch %lld, offset %lld, %s, broken from "
        "%lld: %s, system %lld is wrong, status %d",
        b->type, b->call.pivot, static_cast<long long>(b->n), static_cast<long long>(b->batch),
        static_cast<long long>(b->offset), what, static_cast<long long>(b->broken),
        cudaGetErrorString(error), static_cast<long long>(wrong),
        wrong >= 0 ? b->host_status[wrong] : 0);
}

/* The system in the middle gets the fault. */
static void check_one(char type, int pivot, int64_t n, int64_t batch, int64_t offset,
                      enum fault fault, bool in_place, uint64_t seed)
{
    static const char *const names[FAULTS] = {"sound",
                                              "a row of zeros",
                                              "NaN on the diagonal",
                                              "an infinite right-hand side",
                                              "NaN in the last row",
                                              "a tiny pivot"};
    struct bench b;
    open_bench(&b, type, pivot, n, batch, offset, in_place, seed);
    if (fault != NONE) {
        b.broken = batch / 2;
        put_fault(&b, fault, b.broken * n + (fault == NAN_LAST ? n - 1 : n / 2));
    }
    expect_solved(&b, names[fault]);
    close_bench(&b);
}

/* Every other system, each in another way. */
static void check_many_broken(char type, int pivot, int64_t n, int64_t batch, uint64_t seed)
{
    struct bench b;
    open_bench(&b, type, pivot, n, batch, 0, false, seed);
    b.broken = 1;
    b.every = 2;
    for (int64_t k = 1; k < batch; k += 2)
        put_fault(&b, static_cast<enum fault>(1 + k / 2 % (FAULTS - 1)), k * n + k / 2 % n);
    expect_solved(&b, "every other broken");
    close_bench(&b);
}

/* One wrong word of x, wherever it is, is seen. */
static void check_judge(uint64_t seed)
{
    struct bench b;
    open_bench(&b, 'd', 0, 50, 3, 0, false, seed);
    CHECK(solve(&b));
    for (int64_t i = 0; i < 50; i++)
        for (double value : wrong_words) {
            double *word = static_cast<double *>(b.host[X]) + 50 + i, right = *word;
            *word = value;
            EXPECT(!(error_of(&b, 1) <= BOUND) && error_of(&b, 0) <= BOUND,
                   "%g in row %lld is not seen", value, static_cast<long long>(i));
            *word = right;
        }
    close_bench(&b);
}

/* The first systems of a batch alone: the same bits. */
static void check_same_bits(char type, int pivot, int64_t n, uint64_t seed)
{
    struct bench many, few;
    open_bench(&many, type, pivot, n, 90, 0, false, seed);
    CHECK(solve(&many));
    for (int64_t batch = 1; batch < 90; batch = 2 * batch + 1) {
        open_bench(&few, type, pivot, n, batch, 0, false, seed);
        for (int a = 0; a < X; a++)
            memcpy(few.host[a], many.host[a], bytes_of(&few));
        CHECK(solve(&few));
        EXPECT(!memcmp(few.host[X], many.host[X], bytes_of(&few)),
               "tridiagonal_batch: type %c, pivot %d, n = %lld: the first %lld of 90 systems have "
               "other bits "
               "alone",
               type, pivot, static_cast<long long>(n), static_cast<long long>(batch));
        close_bench(&few);
    }
    close_bench(&many);
}

static void check_calls(uint64_t seed)
{
    struct bench b;
    open_bench(&b, 'd', 0, 100, 3, 0, false, seed);
    struct tridiagonal_batch good = b.call;
    b.call.status = NULL;
    EXPECT(solve(&b) == cudaSuccess && error_of(&b, 1) <= BOUND, "without a status");
    for (int bad = 0; bad < 6; bad++) {
        b.call = good;
        if (bad == 0)
            b.call.type = 'q';
        if (bad == 1)
            b.call.n = -1;
        if (bad == 2)
            b.call.batch = -1;
        if (bad == 3)
            b.call.n = tridiagonal_batch_longest('d', 0) + 1;
        if (bad == 4)
            b.call.diag = NULL;
        if (bad == 5)
            b.call.x = static_cast<char *>(b.call.x) + 1;
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
}

int check_batch(bool all, uint64_t seed)
{
    static const int64_t sizes[] = {1,  2,  3,  4,   5,   7,   8,   9,    10,   19,  20,
                                    21, 31, 64, 100, 127, 640, 641, 1000, 2079, 2557},
                         batches[] = {1, 2, 7, 40, 900, 5000}, bits[] = {3, 100, 1001};
    int fault = 0;
    worst_error = 0;
    for (int one = 0; one < 8; one++) {
        char type = "sdcz"[one / 2];
        int pivot = one % 2;
        int64_t longest = tridiagonal_batch_longest(type, pivot);
        int turn = one; /* not on every device every size in every type */
        for (int64_t n : sizes) {
            if (turn++ % (all ? 1 : SANITIZED ? 5 : 2) != 0)
                continue;
            for (int64_t batch : batches) {
                int64_t most = all ? 2000000 : SANITIZED ? 700 : 4000;
                if (n > longest || (n * batch > most && batch > 2))
                    continue;
                check_one(type, pivot, n, batch, batch % 2, NONE, n % 2 != 0, seed);
                check_one(type, pivot, n, batch, 0,
                          static_cast<enum fault>(1 + fault++ % (FAULTS - 1)), n % 2 == 0, seed);
            }
        }
        for (int64_t n = longest; n > 0 && n > longest / 8; n = n / 2 + 1)
            check_one(type, pivot, n, 3, n % 2, static_cast<enum fault>(fault++ % FAULTS), false,
                      seed);
        int64_t most_broken = all ? 3000 : SANITIZED ? 10 : 64;
        for (int64_t n : sizes)
            if (n <= longest && n <= most_broken && turn++ % (SANITIZED ? 3 : 1) == 0)
                check_many_broken(type, pivot, n, 60, seed);
        for (int64_t n : bits)
            if (all || n <= (SANITIZED ? 3 : 100))
                check_same_bits(type, pivot, n, seed);
    }
    check_calls(seed);
    check_judge(seed);
    printf("tridiagonal_batch.h: %d tests, largest backward error of a row's terms %.3g units of "
           "roundoff\n",
           expect_passed + expect_failed, worst_error);
    return expect_failed;
}
