/* Tests of tridiagonal.h, and its experiment: unknowns/s against n in both ways, Toeplitz, periodic and with pivoting, beside
 * cuSPARSE and the copy. */
#include "bench/tridiagonal_bench.h"
#include "ceiling.h"
#include "device_program.h"
#include "expect.h"
#include "test/matrices.h"
#include "peers.h"
#include "problems.h"
#include "results.h"
#include "tridiagonal.h"
#include "verify.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* ---- systems: in host memory as they are on the device, byte by byte ---- */

enum { SUB, DIAG, SUPER, RHS, ARRAYS, GUARD = 64 /* bytes before and behind x */ };

struct shape {
    char type;
    int64_t n, sides, stride;
    bool toeplitz, periodic, in_place;
    int offset
        [ARRAYS +
         1]; /* words between an address that is a multiple of 256 and the array; the last: x */
};

struct bench {
    struct shape s;
    int64_t words;      /* of rhs and of x, the gaps between sides among them */
    void *host[ARRAYS]; /* with their offsets in front */
    void *host_x;       /* with offset and guards */
    void *device[ARRAYS + 1];
    long long *status;
    struct tridiagonal t;
    void *work;
    size_t bytes; /* of it, behind which there is a guard, too */
};

static size_t word_of(const struct shape *s)
{
    return (size_t)size_of(s->type);
}
static size_t image_bytes(const struct bench *b, int array)
{
    int64_t words = array < RHS && b->s.toeplitz ? 1 : array < RHS ? b->s.n : b->words;
    size_t bytes = (size_t)(words + b->s.offset[array]) * word_of(&b->s);
    return bytes + (array == ARRAYS ? 2 * GUARD : 0);
}
/* Number k of the words themselves. */
static void *host_words(const struct bench *b, int array, int64_t k = 0)
{
    return (char *)(array == ARRAYS ? b->host_x : b->host[array]) + (array == ARRAYS ? GUARD : 0) +
           (size_t)(b->s.offset[array] + k) * word_of(&b->s);
}
static void *device_words(const struct bench *b, int array)
{
    return (char *)b->device[array] + (array == ARRAYS ? GUARD : 0) +
           (size_t)b->s.offset[array] * word_of(&b->s);
}

static void allocate(struct bench *b, const struct shape *s, int pivot)
{
    *b = {};
    b->s = *s;
    b->words = s->n + (s->sides > 1 ? (s->sides - 1) * s->stride : 0);
    for (int a = 0; a <= ARRAYS; a++) {
        size_t bytes = image_bytes(b, a);
        void **host = a == ARRAYS ? &b->host_x : &b->host[a];
        *host = host_alloc("nshape", (int64_t)(bytes + 1)); /* n may be 0 */
        memset(*host, 0xff, bytes);
        CHECK(cudaMalloc(&b->device[a], bytes + (bytes == 0)));
    }
    CHECK(cudaMalloc(&b->status, sizeof *b->status));
    b->t.type = s->type;
    b->t.n = s->n;
    b->t.sub = device_words(b, SUB);
    b->t.diag = device_words(b, DIAG);
    b->t.super = device_words(b, SUPER);
    b->t.rhs = device_words(b, s->in_place ? ARRAYS : RHS);
    b->t.x = device_words(b, ARRAYS);
    b->t.sides = s->sides;
    b->t.stride = s->stride;
    b->t.toeplitz = s->toeplitz;
    b->t.periodic = s->periodic;
    b->t.pivot = pivot;
    b->t.status = b->status;
    b->bytes = tridiagonal_workspace(&b->t);
    CHECK(cudaMalloc(&b->work, b->bytes + GUARD));
    CHECK(cudaMemset(b->work, 0xff, b->bytes + GUARD));
    CHECK(tridiagonal_prepare(b->work, b->bytes, 0));
}

static void release(struct bench *b)
{
    for (int a = 0; a <= ARRAYS; a++) {
        CHECK(cudaFree(b->device[a]));
        free(a == ARRAYS ? b->host_x : b->host[a]);
    }
    CHECK(cudaFree(b->status));
    CHECK(cudaFree(b->work));
}

static void upload(const struct bench *b)
{
    for (int a = 0; a < ARRAYS; a++)
        CHECK(cudaMemcpy(b->device[a], b->host[a], image_bytes(b, a), cudaMemcpyHostToDevice));
}

static void put_word(const struct bench *b, int array, int64_t i, double re, double im = 0)
{
    char real = real_type(b->s.type);
    if (is_complex(b->s.type)) {
        put(real, host_words(b, array), 2 * i, re);
        put(real, host_words(b, array), 2 * i + 1, im);
    } else
        put(real, host_words(b, array), i, re);
}
static void put_row(const struct bench *b, int64_t i, double sub, double diag, double super)
{
    put_word(b, SUB, i, sub);
    put_word(b, DIAG, i, diag);
    put_word(b, SUPER, i, super);
}

/* 1 to MATRICES: of matrices.h; all that is not said of it is drawn from `seed`. */
enum { SKEW = -2 /* -1, 0.5, 1 */, MIXED = -1 /* of problems.h */, DOMINANT = 0 };

/* SYSTEM_DOMINANT of problems.h in pieces of which each is a system there, so that cores share them; 1/4 where they meet, which
 * leaves the rows dominant: no off-diagonal entry was drawn there. */
static void fill_dominant(const struct bench *b, uint64_t seed)
{
    enum { PIECE = 1 << 16 };
    int64_t whole = b->s.n / PIECE, rest = b->s.n % PIECE;
    fill_systems(b->s.type, SYSTEM_DOMINANT, seed, PIECE, whole, host_words(b, SUB),
                 host_words(b, DIAG), host_words(b, SUPER), host_words(b, RHS));
    if (rest > 0)
        fill_systems(b->s.type, SYSTEM_DOMINANT, seed + 1, rest, 1,
                     host_words(b, SUB, whole * PIECE), host_words(b, DIAG, whole * PIECE),
                     host_words(b, SUPER, whole * PIECE), host_words(b, RHS, whole * PIECE));
    for (int64_t i = PIECE; i < b->s.n; i += PIECE) {
        put_word(b, SUPER, i - 1, 0.25);
        put_word(b, SUB, i, 0.25);
    }
}

static void fill_matrix(const struct bench *b, int which, uint64_t seed)
{
    void *const a[] = {host_words(b, SUB), host_words(b, DIAG), host_words(b, SUPER),
                       host_words(b, RHS)};
    if (which > 0)
        matrix_fill(which, b->s.type, b->s.n, seed, a[SUB], a[DIAG], a[SUPER]);
    else if (which == DOMINANT)
        fill_dominant(b, seed);
    else if (which == MIXED)
        fill_systems(b->s.type, SYSTEM_MIXED, seed, b->s.n, 1, a[SUB], a[DIAG], a[SUPER], a[RHS]);
    else {
        for (int64_t i = 0; i < b->s.n; i++)
            put_row(b, i, -1, 0.5, 1);
        put_word(b, SUB, 0, (double)NAN);
        put_word(b, SUPER, b->s.n - 1, (double)NAN);
    }
}

/* The corners of what is not periodic stay NaN. */
static void fill(const struct bench *b, int which, uint64_t seed)
{
    struct random r = {seed + 77};
    const int64_t n = b->s.n;
    if (n > 0 && b->s.toeplitz) { /* the words of a row in the middle */
        struct bench three;
        struct shape s = {b->s.type, 3, 1, 0, false, false, false, {}};
        allocate(&three, &s, 0);
        fill_matrix(&three, which, seed);
        for (int a = 0; a < RHS; a++)
            memcpy(host_words(b, a), host_words(&three, a, 1), word_of(&s));
        release(&three);
    } else if (n > 0) {
        fill_matrix(b, which, seed);
        if (b->s.periodic) { /* small enough for the dominant ones to stay so, also where they are one number, of n = 1, 2 */
            double scale = which == MIXED ? 0x1p-41 : 0.2;
            put_word(b, SUB, 0, scale * random_uniform(&r, 0.1, 1));
            put_word(b, SUPER, n - 1, -scale * random_uniform(&r, 0.1, 1));
        }
    }
    /* MIXED has its rhs with its rows. */
    int parts = is_complex(b->s.type) ? 2 : 1;
    bool given = which == MIXED && !b->s.toeplitz;
    for (int64_t k = 0; k < (b->s.sides > 1 ? b->s.sides : 1); k++)
        for (int64_t i = 0; i < parts * n && !(k == 0 && given); i++)
            put(real_type(b->s.type), host_words(b, RHS, k * b->s.stride), i,
                random_uniform(&r, -1, 1));
    upload(b);
}

/* ---- verification ---- */

/* Largest backward errors of a row in units of roundoff, INFINITY where NaN is: |r_i| over
 * |sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i| (Oettli, Prager), and over
 * (|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|, as verify_systems has it. */
struct errors {
    double terms, rows;
};

template <class R> struct number {
    R re, im;
};
template <int parts, class W, class R> static inline number<R> number_at(const W *array, int64_t i)
{
    return {array[parts * i], parts == 2 ? array[parts * i + parts - 1] : 0};
}
template <class R> static inline R modulus(number<R> z)
{
    return z.im == 0 ? fabsl(z.re) : sqrtl(z.re * z.re + z.im * z.im); /* R has room for squares */
}
static inline double modulus(number<double> z)
{
    return z.im == 0 ? fabs(z.re) : sqrt(z.re * z.re + z.im * z.im);
}

/* R: double for results in single precision, long double for double. */
template <int parts, class W, class R>
static struct errors errors_of(const struct bench *b, int64_t side)
{
    const W *sub = (const W *)host_words(b, SUB), *diag = (const W *)host_words(b, DIAG),
            *super = (const W *)host_words(b, SUPER),
            *rhs = (const W *)host_words(b, RHS, side * b->s.stride),
            *x = (const W *)host_words(b, ARRAYS, side * b->s.stride);
    const int64_t n = b->s.n, step = b->s.toeplitz ? 0 : 1;
    const bool periodic = b->s.periodic;
    double norm = 0, terms = 0, rows = 0;
#pragma omp parallel for reduction(max : norm) if (n > 100000)
    for (int64_t i = 0; i < n; i++)
        norm = fmax(norm, (double)modulus(number_at<parts, W, R>(x, i)));
#pragma omp parallel for reduction(max : terms, rows) if (n > 100000)
    for (int64_t i = 0; i < n; i++) {
        number<R> d = number_at<parts, W, R>(rhs, i), sum = {-d.re, -d.im};
        R sizes = 0, products = 0;
        const W *const words[] = {sub, diag, super};
        for (int k = 0; k < 3; k++) {
            int64_t j = i + k - 1;
            if (!periodic && (j < 0 || j >= n))
                continue;
            j = j < 0 ? n - 1 : j >= n ? 0 : j;
            number<R> a = number_at<parts, W, R>(words[k], step * i),
                      y = number_at<parts, W, R>(x, j);
            sum.re += a.re * y.re - a.im * y.im;
            sum.im += a.re * y.im + a.im * y.re;
            R size = modulus(a);
            sizes += size;
            products += size * modulus(y);
        }
        R r = modulus(sum), right = modulus(d);
        if (!isfinite(r) || !isfinite(products)) /* NaN would be forgotten at the next row */
            terms = rows = (double)INFINITY;
        else if (r > 0) { /* not 0/0 where everything is 0 */
            terms = fmax(terms, (double)(r / (products + right)));
            rows = fmax(rows, (double)(r / (sizes * (R)norm + right)));
        }
    }
    double u = unit_roundoff(b->s.type);
    return {terms / u, rows / u};
}

static struct errors judged(const struct bench *b)
{
    struct errors all = {0, 0};
    for (int64_t k = 0; k < (b->s.sides > 1 ? b->s.sides : 1); k++) {
        struct errors e = b->s.type == 's'   ? errors_of<1, float, double>(b, k)
                          : b->s.type == 'c' ? errors_of<2, float, double>(b, k)
                          : b->s.type == 'd' ? errors_of<1, double, long double>(b, k)
                                             : errors_of<2, double, long double>(b, k);
        all.terms = fmax(all.terms, e.terms); /* never NaN */
        all.rows = fmax(all.rows, e.rows);
    }
    return all;
}

/* Solve into poisoned memory; x comes to the host. The status, or -1: the call was refused. */
static long long solved(const struct bench *b, const struct tridiagonal *t, void *work)
{
    long long status = 0;
    size_t bytes = image_bytes(b, ARRAYS);
    CHECK(cudaMemset(b->device[ARRAYS], 0xff, bytes));
    if (t->rhs == t->x)
        CHECK(cudaMemcpy(t->x, host_words(b, RHS), (size_t)b->words * word_of(&b->s),
                         cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b->status, 0x55, sizeof *b->status));
    cudaError_t error = tridiagonal_solve(t, work, b->bytes, 0);
    if (error == cudaErrorInvalidValue)
        return -1;
    CHECK(error);
    CHECK(cudaMemcpy(b->host_x, b->device[ARRAYS], bytes, cudaMemcpyDeviceToHost));
    if (t->status)
        CHECK(cudaMemcpy(&status, t->status, sizeof status, cudaMemcpyDeviceToHost));
    return status;
}

/* ---- --check: any shape ---- */

static struct errors worst[2]; /* without and with pivoting */
/* Units of roundoff. 12 hold for the elimination of dominant matrices with true quotients (main.cu, UNITS). Here a quotient is an
 * inverse, rounded three times, and a product, and complex products are rounded twice as often: 5 x 12. */
static const double BOUND = 60;

/* Of a dominant matrix the error is small beside the terms of its own row (not that fill between segments is in a theory;
 * over the rows of 2^28 unknowns one reached 67 u on an H100, and 1.5 u as main.cu measures, so from 2^24 on that is
 * judged). Else |L||U||x| has neighbours' x, so only the largest x bounds it. */
static bool is_dominant(int which)
{
    return which == DOMINANT || which == MIXED || which == 6 || which >= 17;
}

static bool only_x_written(const struct bench *b)
{
    const unsigned char *image = (const unsigned char *)b->host_x;
    size_t from = 0, word = word_of(&b->s), n = (size_t)b->s.n * word;
    for (int64_t k = 0; k <= (b->s.sides > 1 ? b->s.sides : 1); k++) {
        bool last = k == (b->s.sides > 1 ? b->s.sides : 1);
        size_t to =
            last ? image_bytes(b, ARRAYS)
                 : (size_t)((char *)host_words(b, ARRAYS, k * b->s.stride) - (char *)b->host_x);
        for (; from < to; from++)
            if (image[from] != 0xff)
                return false;
        from = to + n;
    }
    return true;
}

/* Neither the words given nor what is behind the workspace. */
static bool kept(const struct bench *b)
{
    bool same = true;
    for (int a = 0; a < ARRAYS; a++) {
        size_t bytes = image_bytes(b, a);
        void *now = host_alloc("nshape", (int64_t)(bytes + 1));
        CHECK(cudaMemcpy(now, b->device[a], bytes, cudaMemcpyDeviceToHost));
        same = same && memcmp(now, b->host[a], bytes) == 0;
        free(now);
    }
    unsigned char guard[GUARD];
    CHECK(cudaMemcpy(guard, (char *)b->work + b->bytes, GUARD, cudaMemcpyDeviceToHost));
    for (unsigned char byte : guard)
        same = same && byte == 0xff;
    return same;
}

/* One way; then, if `again`, the same bits with the workspace used, without status, and from a fresh one where AUTO chooses.
 * False: it does not fit. */
static bool check_shape(const struct shape *s, int pivot, enum tridiagonal_way way, int which,
                        uint64_t seed, bool again)
{
    struct bench b;
    allocate(&b, s, pivot);
    fill(&b, which, seed);
    char what[200];
    snprintf(what, sizeof what,
             "type %c, n = %lld, pivot %d, way %d, matrix %d%s%s%s, %lld sides %lld apart, offsets "
             "%d %d %d %d %d",
             s->type, (long long)s->n, pivot, way, which, s->toeplitz ? ", toeplitz" : "",
             s->periodic ? ", periodic" : "", s->in_place ? ", in place" : "", (long long)s->sides,
             (long long)s->stride, s->offset[SUB], s->offset[DIAG], s->offset[SUPER],
             s->offset[RHS], s->offset[ARRAYS]);
    struct tridiagonal t = b.t;
    t.way = way;
    long long status = solved(&b, &t, b.work);
    bool fits = status != -1;
    EXPECT(fits || way == TRIDIAGONAL_RESIDENT, "%s: refused", what);
    if (fits) {
        struct errors e = judged(&b);
        bool by_terms = is_dominant(which) && s->n < 1 << 24;
        EXPECT(status == 0 && (by_terms ? e.terms : e.rows) <= BOUND,
               "%s: status %lld, backward error %g u of a row's terms, %g u of a row", what, status,
               e.terms, e.rows);
        EXPECT(only_x_written(&b), "%s: words around x", what);
        if (is_dominant(which))
            worst[pivot].terms = fmax(worst[pivot].terms, e.terms);
        worst[pivot].rows = fmax(worst[pivot].rows, e.rows);
    }
    if (fits && again) {
        size_t bytes = image_bytes(&b, ARRAYS);
        void *first = host_alloc("nshape", (int64_t)bytes);
        memcpy(first, b.host_x, bytes);
        t.status = NULL;
        EXPECT(solved(&b, &t, b.work) == 0 && memcmp(first, b.host_x, bytes) == 0,
               "%s: other bits in the second call", what);
        CHECK(cudaMemset(b.work, 0xff, b.bytes));
        CHECK(tridiagonal_prepare(b.work, b.bytes, 0));
        t.status = b.status;
        if (way == TRIDIAGONAL_RESIDENT)
            t.way = TRIDIAGONAL_AUTO;
        EXPECT(solved(&b, &t, b.work) == 0 && memcmp(first, b.host_x, bytes) == 0,
               "%s: other bits from a fresh workspace", what);
        free(first);
    }
    EXPECT(kept(&b), "%s: input or what is behind the workspace has changed", what);
    release(&b);
    return fits;
}

/* Where a solver cuts the rows (tridiagonal.cu has the same numbers: rows that one chunk, thread, run, unit and warp of TWICE hold,
 * and a warp of its first pass, and that the blocks of ON_CHIP hold with all chunks that a thread may have). Tests are for any size; these say which. */
struct cuts {
    int64_t chunk, thread, run, unit, warp, first, block, most[4];
};
static struct cuts cuts_of(char type, int pivot)
{
    static const int few[3][4] = {{1, 3, 5, 7}, {1, 3, 5, 9}, {1, 3, 7, 13}};
    int size = size_of(type), processors,
        chunks = size > 8            ? (pivot ? 13 : 9)
                 : pivot && size > 4 ? 9
                                     : 7,
        threads = size > 8             ? 256
                  : pivot && size == 8 ? 384
                                       : 512;
    const int *c = few[threads == 512 ? 0 : threads == 384 ? 1 : 2];
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    struct cuts cut = {};
    cut.chunk = 16 / size;
    cut.thread = chunks * cut.chunk;
    cut.run = 16 * cut.thread;
    cut.unit = (pivot ? 16 : 32) * cut.thread;
    cut.warp = 32 * cut.thread;
    cut.first = 32 * cut.run;
    cut.block = threads * cut.chunk;
    for (int k = 0; k < 4; k++)
        cut.most[k] = processors * cut.block * c[k];
    return cut;
}

/* One size: what a call may have besides is drawn. */
static void check_drawn(char type, int pivot, enum tridiagonal_way way, int64_t n, struct random *r)
{
    static const int plain[] = {DOMINANT, MIXED, DOMINANT, 6, 18, 20},
                     pivoted[] = {DOMINANT, MIXED, SKEW, 1, 4, 5, 7, 13, 16, 20},
                     pivoted_same[] = {DOMINANT, SKEW, 17, 19};
    uint64_t draw = random_bits(r);
    struct shape s = {type, n, 1, 0, draw % 4 == 1, draw / 4 % 3 == 1, draw / 12 % 4 == 1, {}};
    draw /= 48;
    if (n < 300 && draw % 4 == 1 && draw / 48 % 2) {
        s.sides = 3;
        s.stride = n + (int64_t)(draw / 4 % 3);
    } else if (draw % 4 == 2)
        s.sides = 0;
    draw /= 12;
    for (int a = 0; a <= ARRAYS && draw % 2; a++) /* 0 to 3: all alike, or each its own */
        s.offset[a] = (int)(draw >> (draw % 4 == 1 ? 8 : 8 + 2 * a)) & 3;
    draw = random_bits(r);
    int which = !pivot ? plain[draw % 6] : s.toeplitz ? pivoted_same[draw % 4] : pivoted[draw % 10];
    if (which == 16 && (n % 2 || s.periodic)) /* all but singular */
        which = 1;
    (void)check_shape(&s, pivot, way, which, draw, (draw >> 40) % 6 == 0);
}

static void check_sizes(char type, int pivot, bool all, struct random *r)
{
    struct cuts cut = cuts_of(type, pivot);
    const int64_t around[] = {cut.chunk, cut.thread, cut.run, cut.unit, cut.warp, cut.first};
    for (int64_t n = 1; n <= 5; n++)
        for (int k = 0; k < (all ? 12 : 1); k++)
            check_drawn(type, pivot, (k + n) % 2 ? TRIDIAGONAL_RESIDENT : TRIDIAGONAL_TWO_PASS, n, r);
    for (int k = 0; k < (all ? 6 : 1); k++) {
        /* Tails of one and of two rows are among them. All is for a GPU: the CPU device is slow. */
        for (int64_t n : around) {
            int64_t only = (int64_t)(random_bits(r) % 4) - 1;
            for (int64_t by = -1; by <= 2; by++)
                if (n + by > 0 && (all || by == only))
                    check_drawn(type, pivot, TRIDIAGONAL_TWO_PASS, n + by, r);
        }
        check_drawn(type, pivot, TRIDIAGONAL_TWO_PASS, 3 * cut.first + cut.thread + 1, r);
        for (int64_t n : {cut.chunk, 32 * cut.chunk, cut.block})
            check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, n + (k + 1) % 2, r);
        for (int c = 0; c < 4 && k == 0; c++)
            if (all || c == 3 || random_bits(r) % 3 == 0)
                check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, cut.most[c] - c % 2, r);
        if (k > 0) /* other numbers of blocks */
            check_drawn(type, pivot, TRIDIAGONAL_RESIDENT, cut.most[3] * k / 6 + 1, r);
    }
    /* The largest that is solved on the chip, and the first that is not. */
    struct shape s = {type, cut.most[3] + 1, 1, 0, true, false, true, {}};
    EXPECT(!check_shape(&s, pivot, TRIDIAGONAL_RESIDENT, DOMINANT, 1, false),
           "type %c, pivot %d: n = %lld on the chip", type, pivot, (long long)s.n);
}

/* ---- breakdown ---- */

static bool all_nan(const struct bench *b)
{
    bool nan = true;
    for (int64_t i = 0; i < b->s.n; i++)
        nan = nan && isnan(get(real_type(b->s.type), host_words(b, ARRAYS),
                               is_complex(b->s.type) ? 2 * i : i));
    return nan;
}

/* What no elimination can survive, near row `at`: all that it is made of stays exactly so. */
enum fault {
    ZERO_ROW,
    ZERO_COLUMN,
    EQUAL_ROWS, /* two that have nothing else than the same two unknowns */
    NAN_SUB,
    NAN_DIAG,
    NAN_SUPER,
    FAULTS
};
static void put_fault(const struct bench *b, enum fault fault, int64_t at)
{
    const int64_t n = b->s.n;
    const double nan = (double)NAN;
    switch (fault) {
    case ZERO_ROW:
        put_row(b, at, 0, 0, 0);
        break;
    case ZERO_COLUMN:
        put_word(b, DIAG, at, 0);
        if (at > 0)
            put_word(b, SUPER, at - 1, 0);
        if (at < n - 1)
            put_word(b, SUB, at + 1, 0);
        break;
    case EQUAL_ROWS:
        put_row(b, at, 0, 1, 1);
        put_row(b, at + 1, 1, 1, 0);
        if (at > 0)
            put_word(b, SUPER, at - 1, 0);
        if (at + 2 < n)
            put_word(b, SUB, at + 2, 0);
        break;
    default:
        put_word(b, fault - NAN_SUB + SUB, at, nan);
    }
    upload(b);
}

static void check_breakdown(char type, int pivot, enum tridiagonal_way way, int64_t n,
                            uint64_t seed, struct random *r, bool few)
{
    struct shape s = {type, n, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, pivot);
    struct tridiagonal t = b.t;
    t.way = way;
    for (int fault = 0; fault < FAULTS; fault++) {
        if (few && (fault + pivot + (way == TRIDIAGONAL_TWO_PASS) + size_of(type) / 8) % 3)
            continue;
        int64_t places[] = {0, n - 1, (int64_t)(random_bits(r) % (uint64_t)n)};
        int k = (int)(random_bits(r) % 3);
        int64_t at = places[k];
        if ((fault == EQUAL_ROWS || fault == NAN_SUPER) && at == n - 1)
            at--;
        if (fault == NAN_SUB && at == 0)
            at++;
        fill(&b, DOMINANT, seed);
        put_fault(&b, (enum fault)fault, at);
        long long status = solved(&b, &t, b.work);
        EXPECT(status > 0 && status <= at + 1 && all_nan(&b),
               "type %c, pivot %d, way %d, n = %lld, fault %d at %lld: status %lld, x %s", type,
               pivot, way, (long long)n, fault, (long long)at, status,
               all_nan(&b) ? "NaN" : "not all NaN");
        if (few && fault < FAULTS / 2)
            continue;
        fill(&b, DOMINANT, seed);
        status = solved(&b, &t, b.work);
        EXPECT(status == 0 && judged(&b).terms <= BOUND,
               "type %c, pivot %d, way %d, n = %lld, after fault %d: status %lld", type, pivot, way,
               (long long)n, fault, status);
    }
    release(&b);
}

/* What a call found is not the next one's: the row of a second breakdown is not that of the first, in an earlier tile. */
static void check_two_breakdowns(char type, int pivot, enum tridiagonal_way way, int64_t n,
                                 uint64_t seed)
{
    struct shape s = {type, n, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, pivot);
    struct tridiagonal t = b.t;
    t.way = way;
    for (int second = 0; second < 2; second++) {
        fill(&b, DOMINANT, seed);
        put_fault(&b, NAN_DIAG, second ? n - 1 : 0);
        long long status = solved(&b, &t, b.work);
        EXPECT(second ? status > 1 && status <= n : status == 1,
               "type %c, pivot %d, way %d, n = %lld, broken in the %s tile: status %lld", type,
               pivot, way, (long long)n, second ? "last" : "first", status);
    }
    release(&b);
}

/* The status says the first row of the unit, or block, of `most` rows in which row `at` of zeros
 * is, or the last before row `at` of a column of zeros: also where that comes out when blocks or
 * units are composed, or in the last two equations. */
static void check_place(char type, int pivot, enum tridiagonal_way way, int64_t n, int64_t most,
                        bool all, struct random *r)
{
    struct shape s = {type, n, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, pivot);
    struct tridiagonal t = b.t;
    t.way = way;
    const int64_t rows[] = {0,        1,     most - 1, most, most + 1, n / 2, n - most - 1,
                            n - most, n - 3, n - 2,    n - 1};
    for (int64_t at : rows)
        for (int kind = 0; kind < 3; kind++) {
            if (at < 0 || at >= n || (!all && random_bits(r) % (SANITIZED ? 9 : 3) && at < n - 2))
                continue;
            fill(&b, DOMINANT, 3);
            put_word(&b, SUB, 0, 0);
            put_word(&b, SUPER, n - 1, 0);
            t.periodic = kind == 2;
            put_fault(&b, kind == 1 ? ZERO_COLUMN : ZERO_ROW, at);
            long long status = solved(&b, &t, b.work);
            EXPECT(status > 0 && status <= at + 1 && at + 1 - status < most && all_nan(&b),
                   "type %c, pivot %d, way %d, n = %lld, %s %lld of zeros%s: status %lld", type,
                   pivot, way, (long long)n, kind == 1 ? "column" : "row", (long long)at,
                   kind == 2 ? ", periodic" : "", status);
        }
    release(&b);
}

/* A zero that is the first pivot of a thread of the second pass, and of nothing in the first: x, or a status, never NaN in
 * silence; and the next call has nothing of it. */
static void check_late(char type, int64_t n, int64_t at, uint64_t seed)
{
    struct shape s = {type, n, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, 0);
    struct tridiagonal t = b.t;
    t.way = TRIDIAGONAL_TWO_PASS;
    for (int64_t i = 0; i < n; i++) {
        put_row(&b, i, -1, i == at ? 0 : 4, -1);
        put_word(&b, RHS, i, 1);
    }
    upload(&b);
    long long status = solved(&b, &t, b.work);
    EXPECT(status == 0 ? judged(&b).terms <= BOUND : status > 0 && status <= at + 1,
           "type %c, n = %lld, no diagonal in row %lld: status %lld", type, (long long)n,
           (long long)at, status);
    fill(&b, DOMINANT, seed);
    status = solved(&b, &t, b.work);
    EXPECT(status == 0 && judged(&b).terms <= BOUND, "after it: status %lld", status);
    release(&b);
}

/* Small integers, which stay exact. */
static void check_exact(char type, enum tridiagonal_way way, int64_t n, bool arrays)
{
    static const struct {
        double sub, diag, super;
        bool periodic, singular[2]; /* with n even, odd */
        bool any;                   /* without pivoting, too */
    } cases[] = {{1, 0, 1, false, {false, true}, false},
                 {-1, 1, 0, true, {true, true}, true},
                 {1, 1, 0, true, {true, false}, true},
                 {0, 1, 1, false, {false, false}, true},
                 {0, 0, 1, false, {true, true}, true}};
    for (auto &c : cases)
        for (int pivot = c.any ? 0 : 1; pivot < 2; pivot++)
            for (int toeplitz = arrays ? 0 : 1; toeplitz < 2; toeplitz++) {
                struct shape s = {type, n, 1, 0, toeplitz == 1, c.periodic, false, {}};
                struct bench b;
                allocate(&b, &s, pivot);
                struct tridiagonal t = b.t;
                t.way = way;
                fill(&b, toeplitz ? SKEW : DOMINANT, 1);
                for (int64_t i = 0; i < (toeplitz ? 1 : n); i++)
                    put_row(&b, i, c.sub, c.diag, c.super);
                for (int64_t i = 0; i < n; i++)
                    put_word(&b, RHS, i, (double)(i % 3 - 1));
                upload(&b);
                long long status = solved(&b, &t, b.work);
                bool singular = c.singular[n % 2];
                EXPECT(singular ? status > 0 && status <= n && all_nan(&b)
                                : status == 0 && judged(&b).rows == 0,
                       "%g, %g, %g, type %c, n = %lld, pivot %d, way %d%s%s: status %lld, %g",
                       c.sub, c.diag, c.super, type, (long long)n, pivot, way,
                       toeplitz ? ", toeplitz" : "", c.periodic ? ", periodic" : "", status,
                       judged(&b).rows);
                release(&b);
            }
}

/* ---- the rest ---- */

/* Calls of many kinds on one workspace, each right. */
static void check_one_workspace(uint64_t seed)
{
    struct random r = {seed + 5};
    size_t bytes = 0;
    void *work = NULL;
    struct bench all[8];
    for (int k = 0; k < 8; k++) {
        struct shape s = {"sdcz"[k % 4], 900 + 2500 * (k % 3), 1,     0,
                          k % 3 == 2,    k % 5 == 1,           false, {}};
        allocate(&all[k], &s, k / 4);
        fill(&all[k], DOMINANT, seed);
        bytes = bytes > all[k].bytes ? bytes : all[k].bytes;
    }
    CHECK(cudaMalloc(&work, bytes));
    CHECK(tridiagonal_prepare(work, bytes, 0));
    for (int call = 0; call < 10; call++) {
        struct bench *b = &all[random_bits(&r) % 8];
        struct tridiagonal t = b->t;
        t.way = (enum tridiagonal_way)(random_bits(&r) % 3);
        long long status = solved(b, &t, work);
        EXPECT(status == -1 || (status == 0 && judged(b).terms <= BOUND),
               "call %d of one workspace, type %c, way %d: status %lld", call, t.type, t.way,
               status);
    }
    for (struct bench &b : all)
        release(&b);
    CHECK(cudaFree(work));
}

static void check_workspace(uint64_t seed)
{
    struct random r = {seed};
    int64_t wrong = 0, at = -1;
    for (const char *type = "sdcz"; *type; type++)
        for (int k = 0; k < 34 * 16; k++) {
            int64_t n = INT64_C(1) << k / 16;
            n = k % 16 < 3 ? n + k % 16 - 1 : n + (int64_t)(random_bits(&r) % (uint64_t)n);
            n = n > INT64_C(1) << 33 ? INT64_C(1) << 33 : n;
            struct tridiagonal t = {};
            t.type = *type, t.n = n;
            for (t.pivot = 0; t.pivot < 2; t.pivot++) {
                double bytes = (double)tridiagonal_workspace(&t),
                       arrays = 4.0 * (double)n * size_of(*type);
                if (!(bytes > 0 && bytes <= 0.1 * arrays + 160 * 1024))
                    wrong++, at = n;
            }
        }
    EXPECT(wrong == 0, "%lld workspaces are larger than promised, as of n = %lld", (long long)wrong,
           (long long)at);
}

static void check_misuse(void)
{
    struct shape s = {'d', 100, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, 1);
    fill(&b, DOMINANT, 1);
    CHECK(cudaMemset(b.device[ARRAYS], 0xff, image_bytes(&b, ARRAYS)));
    const struct tridiagonal good = b.t;
    struct tridiagonal t = good;
#define REFUSED(change, sense)                                                                     \
    t = good;                                                                                      \
    change;                                                                                        \
    EXPECT(tridiagonal_solve(&t, b.work, b.bytes, 0) == cudaErrorInvalidValue, #change);           \
    EXPECT((tridiagonal_workspace(&t) > 0) == (sense), "workspace, %s", #change)
    REFUSED(t.type = 'x', false);
    REFUSED(t.type = 0, false);
    REFUSED(t.n = -1, false);
    REFUSED(t.n = INT64_MAX, false);
    REFUSED(t.sides = -1, false);
    REFUSED(t.stride = -1, false);
    REFUSED(t.sides = 2; t.stride = 99, false);
    REFUSED(t.sides = INT64_MAX; t.stride = 100, false);
    REFUSED(t.way = (enum tridiagonal_way)3, false);
    REFUSED(t.sub = NULL, true);
    REFUSED(t.diag = NULL, true);
    REFUSED(t.super = NULL, true);
    REFUSED(t.rhs = NULL, true);
    REFUSED(t.x = NULL, true);
    REFUSED(t.diag = (const char *)t.diag + 4, true);
    REFUSED(t.x = (char *)t.x + 4, true);
    REFUSED(t.n = 100000000, true);
    REFUSED(t.status = (long long *)((char *)t.status + 4), true);
    REFUSED(t.n = 0; t.status = (long long *)((char *)t.status + 4), true);
#undef REFUSED
    unsigned char *x = (unsigned char *)b.host_x;
    size_t touched = 0;
    CHECK(cudaMemcpy(x, b.device[ARRAYS], image_bytes(&b, ARRAYS), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < image_bytes(&b, ARRAYS); i++)
        touched += x[i] != 0xff;
    EXPECT(touched == 0, "%lld bytes of x were written by what was refused", (long long)touched);
    EXPECT(tridiagonal_prepare(NULL, b.bytes, 0) == cudaErrorInvalidValue, "prepare nothing");
    EXPECT(tridiagonal_prepare((char *)b.work + 8, b.bytes, 0) == cudaErrorInvalidValue,
           "prepare what is not aligned");
    EXPECT(tridiagonal_solve(&good, b.work, b.bytes - 1, 0) == cudaErrorInvalidValue,
           "small workspace");
    EXPECT(tridiagonal_solve(&good, NULL, b.bytes, 0) == cudaErrorInvalidValue, "no workspace");
    EXPECT(tridiagonal_solve(&good, (char *)b.work + 8, b.bytes, 0) == cudaErrorInvalidValue,
           "workspace not aligned");
    memset(b.host_x, 0xff, image_bytes(&b, ARRAYS));
    t = good;
    t.n = 0;
    CHECK(cudaMemset(b.device[ARRAYS], 0xff, image_bytes(&b, ARRAYS)));
    CHECK(cudaMemset(b.status, 0x55, sizeof *b.status));
    EXPECT(tridiagonal_workspace(&t) > 0 &&
               tridiagonal_solve(&t, b.work, b.bytes, 0) == cudaSuccess,
           "n = 0");
    t.sub = t.diag = t.super = t.rhs = t.x = NULL;
    EXPECT(tridiagonal_solve(&t, b.work, b.bytes, 0) == cudaSuccess, "n = 0, no arrays");
    long long status = -1;
    CHECK(cudaMemcpy(&status, b.status, sizeof status, cudaMemcpyDeviceToHost));
    EXPECT(status == 0, "n = 0: status %lld", status);
    EXPECT(solved(&b, &good, b.work) == 0 && judged(&b).terms <= BOUND, "after all that");
    release(&b);
}

/* Coefficients whose sum overflows, all rows being solvable, leave nothing behind for the next call. */
static void check_large_row(void)
{
    struct shape s = {'s', 7168, 1, 0, false, false, false, {}};
    struct bench b;
    allocate(&b, &s, 0);
    struct tridiagonal t = b.t;
    t.way = TRIDIAGONAL_TWO_PASS;
    for (int64_t i = 0; i < s.n; i++) {
        put_row(&b, i, -1, 4, -1);
        put_word(&b, RHS, i, 1);
    }
    put_row(&b, 3583, 0, 3e38, 1e38);
    put_word(&b, RHS, 3583, 1e38);
    upload(&b);
    long long status = solved(&b, &t, b.work);
    EXPECT(status == 0 && judged(&b).terms <= BOUND, "a row of 3e38 and 1e38: status %lld", status);
    put_word(&b, DIAG, s.n - 1, (double)NAN);
    upload(&b);
    status = solved(&b, &t, b.work);
    EXPECT(status > 3584, "NaN in the last row after that: status %lld", status);
    release(&b);
}

/* Pivots near the ends of a type's range: solved, or said to be broken down, but never wrong in silence. */
static void check_range(char type, int pivot, double size)
{
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        struct shape s = {type, 40, 1, 0, false, false, false, {}};
        struct bench b;
        allocate(&b, &s, pivot);
        fill(&b, DOMINANT, 1);
        double off = diagonal ? 0 : 0.1 * size;
        for (int64_t i = 0; i < s.n; i++) {
            put_row(&b, i, off, size, 2 * off);
            put_word(&b, RHS, i, 0.5 * size);
        }
        upload(&b);
        long long status = solved(&b, &b.t, b.work);
        struct errors e = judged(&b);
        EXPECT(status > 0 ? all_nan(&b) : e.terms <= BOUND,
               "type %c, pivot %d, pivots of %g%s: status %lld, backward error %g u", type, pivot,
               size, diagonal ? ", diagonal" : "", status, e.terms);
        release(&b);
    }
}

/* The judge sees one word that is wrong, or not a number. */
static void check_judge(void)
{
    for (const char *type = "sdcz"; *type; type++)
        for (int periodic = 0; periodic < 2; periodic++) {
            struct shape s = {*type, 300, 2, 301, false, periodic == 1, false, {}};
            struct bench b;
            allocate(&b, &s, 0);
            fill(&b, DOMINANT, 3);
            EXPECT(solved(&b, &b.t, b.work) == 0 && judged(&b).terms <= BOUND, "to be judged");
            int parts = is_complex(*type) ? 2 : 1;
            char real = real_type(*type);
            for (int64_t i = 0; i < 601 * parts; i += 37) {
                if (i / parts == 300)
                    continue;
                double right = get(real, host_words(&b, ARRAYS), i);
                const double wrong[] = {(double)NAN, (double)INFINITY,
                                        right + 200 * unit_roundoff(*type) * (1 + fabs(right))};
                for (double w : wrong) {
                    put(real, host_words(&b, ARRAYS), i, w);
                    EXPECT(!(judged(&b).terms <= BOUND), "type %c: %g for %g, word %lld, unseen",
                           *type, w, right, (long long)i);
                }
                put(real, host_words(&b, ARRAYS), i, right);
            }
            EXPECT(judged(&b).terms <= BOUND, "all is right again");
            release(&b);
        }
}

/* Captured in a graph, which is replayed. The CPU device has no graphs. */
static void check_graph(uint64_t seed)
{
#ifdef __CUDACC__
    for (int k = 0; k < 4; k++) {
        struct shape s = {
            k < 2 ? 's' : 'z', k < 2 ? 300003 : 70001, 2, 300004, false, false, false, {}};
        struct bench b;
        allocate(&b, &s, k % 2);
        fill(&b, DOMINANT, seed);
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t replay;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        struct tridiagonal t = b.t;
        CHECK(tridiagonal_solve(&t, b.work, b.bytes, stream));
        t.way =
            TRIDIAGONAL_TWO_PASS; /* of the first's right-hand sides: what is judged; the first must not disturb it */
        CHECK(tridiagonal_solve(&t, b.work, b.bytes, stream));
        t.way = TRIDIAGONAL_AUTO;
        CHECK(tridiagonal_solve(&t, b.work, b.bytes, stream));
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&replay, graph, 0));
        for (int again = 0; again < 2; again++) {
            long long status;
            CHECK(cudaMemset(b.device[ARRAYS], 0xff, image_bytes(&b, ARRAYS)));
            CHECK(cudaMemset(b.status, 0x55, sizeof *b.status));
            CHECK(cudaGraphLaunch(replay, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaMemcpy(b.host_x, b.device[ARRAYS], image_bytes(&b, ARRAYS),
                             cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpy(&status, b.status, sizeof status, cudaMemcpyDeviceToHost));
            struct errors e = judged(&b);
            EXPECT(status == 0 && e.terms <= BOUND,
                   "type %c, replay %d of a graph: status %lld, %g", s.type, again, status,
                   e.terms);
        }
        CHECK(cudaGraphExecDestroy(replay));
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaStreamDestroy(stream));
        release(&b);
    }
#else
    (void)seed;
#endif
}

/* Levels of TWICE above the first, of more than 1024 units; on a GPU of more than 2^20. */
static void check_levels(uint64_t seed)
{
    struct shape s = {'s', 1024 * cuts_of('s', 0).unit + 1, 1, 0, false, true, false, {}};
    (void)check_shape(&s, 0, TRIDIAGONAL_TWO_PASS, DOMINANT, seed, false);
    if (device_is_cpu())
        return;
    for (const char *type = "sdcz"; *type; type++)
        for (int pivot = 0; pivot < 2; pivot++) {
            struct shape large = {*type, (1 << 24) + 5, 1, 0, false, pivot == 0, false, {}};
            (void)check_shape(&large, pivot, TRIDIAGONAL_TWO_PASS, DOMINANT, seed, true);
        }
    double bytes = 4.0 * (1 << 28);
    s.n = 1 << 28;
    s.periodic = false;
    for (int pivot = 0; pivot < 2; pivot++)
        if (device_fits(6 * bytes, 7 * bytes))
            (void)check_shape(&s, pivot, TRIDIAGONAL_TWO_PASS, DOMINANT, seed, false);
}

int tridiagonal_check(const struct options *o)
{
    int failed = expect_failed;
    bool all = !device_is_cpu() && !o->quick;
    int shared;
    CHECK(device_attribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const bool whole = shared >= 227 * 1024;
    struct random r = {o->seed}, places = {o->seed + 1};
    for (const char *type = "sdcz"; *type; type++)
        for (int pivot = 0; pivot < 2; pivot++) {
            check_sizes(*type, pivot, all, &r);
            struct cuts cut = cuts_of(*type, pivot);
            for (int twice = 0; twice < 2; twice++) {
                enum tridiagonal_way way = twice ? TRIDIAGONAL_TWO_PASS : TRIDIAGONAL_RESIDENT;
                if (all || !twice)
                    check_breakdown(*type, pivot, way, 5, o->seed, &r, !all);
                check_breakdown(*type, pivot, way, (twice ? cut.unit : cut.block) + 7, o->seed, &r,
                                !all);
                /* The most chunks but one for a thread, or one, which smaller GPUs have room for,
                 * too. */
                if (all)
                    check_breakdown(*type, pivot, way, cut.most[whole ? 2 : 0], o->seed, &r, false);
            }
            check_two_breakdowns(*type, pivot, TRIDIAGONAL_TWO_PASS, cut.unit + 7, o->seed);
            /* With a chunk for a thread, which needs two multiprocessors, blocks of the chip have
             * cut.block rows at most. */
            int64_t n = cut.block + cut.block / 2;
            check_place(*type, pivot, TRIDIAGONAL_RESIDENT, n, n > cut.most[0] ? n : cut.block, all,
                        &places);
            check_place(*type, pivot, TRIDIAGONAL_TWO_PASS, 2 * cut.unit + 7, cut.unit, all, &places);
            for (int64_t thread = 1; thread < 80 && pivot == 0; thread += 13)
                check_late(*type, 3000, thread * cut.thread, o->seed);
            check_two_breakdowns(*type, pivot, TRIDIAGONAL_RESIDENT, cut.block + 7, o->seed);
            const bool is_single = real_type(*type) == 's';
            for (double size :
                 {is_single ? 1e-44 : 1e-320, is_single ? 1e-37 : 1e-307,
                  is_single ? 3e-25 : 1e-200, is_single ? 1e25 : 1e200, is_single ? 3e38 : 1.7e308})
                check_range(*type, pivot, size);
        }
    for (int64_t n : {1, 5, 8, 6, 7})
        check_exact("sdcz"[n % 4], TRIDIAGONAL_RESIDENT, n, true);
    for (int64_t n = 3600; n < 3602; n++)
        check_exact(n % 2 ? 's' : 'd', TRIDIAGONAL_TWO_PASS, n, all);
    check_large_row();
    check_judge();
    check_one_workspace(o->seed);
    check_workspace(o->seed);
    check_misuse();
    check_graph(o->seed);
    check_levels(o->seed);
#ifndef __CUDACC__
    /* The order in which blocks begin and threads go on is any. */
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        for (int pivot = 0; pivot < 2; pivot++) {
            check_drawn('s', pivot, TRIDIAGONAL_TWO_PASS, 9000, &r);
            check_drawn('z', pivot, TRIDIAGONAL_RESIDENT, 1700, &r);
        }
    }
    cpu_device_shuffle(0);
#endif
    printf("tridiagonal.h, largest backward error in units of roundoff, of a row's terms (dominant "
           "matrices) and of a row:\n");
    for (int pivot = 0; pivot < 2; pivot++)
        printf("%-9s %9.3g %9.3g\n", pivot ? "pivoted" : "plain", worst[pivot].terms,
               worst[pivot].rows);
    printf("tridiagonal.h: %d tests\n", expect_passed + expect_failed);
    return expect_failed - failed;
}

/* ---- the sweep ---- */

struct run {
    const struct bench *b;
    struct tridiagonal t;
};
static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    struct run *run = (struct run *)ctx;
    return tridiagonal_solve(&run->t, run->b->work, run->b->bytes, stream);
}

/* words: that must be moved for an unknown */
static struct row row_of(const struct bench *b, const char *variant, const char *phase, int words)
{
    struct errors e = judged(b);
    struct row row = {};
    row.variant = variant;
    row.type = b->s.type;
    row.n = b->s.n;
    row.phase = phase;
    row.device = device_name();
    row.bytes = (double)words * (double)b->s.n * size_of(b->s.type);
    row.error = e.rows * unit_roundoff(b->s.type); /* as all other rows of the program have it */
    row.status = e.rows <= BOUND ? "ok" : "wrong";
    return row;
}

/* False: it does not fit. */
static bool solve_row(struct results *results, const struct bench *b, int pivot,
                      enum tridiagonal_way way, bool on_chip, const char *phase, int reps)
{
    struct run run = {b, b->t};
    run.t.pivot = pivot;
    run.t.way = way;
    long long status = solved(b, &run.t, b->work);
    if (status == -1)
        return false;
    int words = b->s.toeplitz ? (on_chip ? 2 : 3) : (on_chip ? 5 : 9);
    struct row row = row_of(b, pivot ? "tridiagonal_pivoted" : "tridiagonal", phase, words);
    row.status = status == 0 ? row.status : "zero pivot";
    CHECK(time_device(NULL, run_solve, &run, reps, &row.time));
    results_add(results, &row);
    return true;
}
static bool fits_on_chip(const struct bench *b, int pivot)
{
    struct tridiagonal t = b->t;
    t.pivot = pivot;
    t.way = TRIDIAGONAL_RESIDENT;
    return solved(b, &t, b->work) != -1;
}

/* The same words with another matrix round them: what is not periodic does not read the corners. */
static struct bench periodic_of(const struct bench *b)
{
    struct bench p = *b;
    p.s.periodic = true;
    p.t.periodic = 1;
    return p;
}
/* The matrix of row 1 in all rows. */
static struct bench toeplitz_of(const struct bench *b)
{
    struct bench p = *b;
    p.s.toeplitz = true;
    p.t.toeplitz = 1;
    for (int a = 0; a < RHS; a++) {
        p.host[a] = (char *)b->host[a] + word_of(&b->s);
        p.device[a] = (char *)b->device[a] + word_of(&b->s);
    }
    p.t.sub = p.device[SUB];
    p.t.diag = p.device[DIAG];
    p.t.super = p.device[SUPER];
    return p;
}

#ifdef __CUDACC__
/* Bytes of an array. With 1.6e9 (z, n = 1e8, CUDA 13.0) gtsv2 accesses memory that is not its own. */
static const size_t CUSPARSE_MOST = (size_t)1 << 29;

/* The copy of rhs to x that it makes before each call is not in the time. */
static void cusparse_row(struct results *results, const struct bench *b, bool pivoting, int reps)
{
    const char *variant = pivoting ? "cusparse_gtsv2" : "cusparse_gtsv2_nopivot";
    struct timing time;
    if (b->s.n < 3 || image_bytes(b, DIAG) > CUSPARSE_MOST)
        return;
    /* Its first sub and last super must be 0. */
    CHECK(cudaMemset(b->device[SUB], 0, word_of(&b->s)));
    CHECK(cudaMemset((char *)b->device[SUPER] + (size_t)(b->s.n - 1) * word_of(&b->s), 0,
                     word_of(&b->s)));
    CHECK(cudaMemset(b->device[ARRAYS], 0xff, image_bytes(b, ARRAYS)));
    cudaError_t error = peer_cusparse(b->s.type, pivoting, b->s.n, b->t.sub, b->t.diag, b->t.super,
                                      b->t.rhs, b->t.x, reps, &time);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "nshape: %s: no memory for its workspace: left out\n", variant);
        return;
    }
    CHECK(error);
    CHECK(cudaMemcpy(b->host_x, b->device[ARRAYS], image_bytes(b, ARRAYS), cudaMemcpyDeviceToHost));
    struct row row = row_of(b, variant, "total", 5);
    row.time = time;
    results_add(results, &row);
}
#endif

#ifdef CPU_DEVICE_COUNT /* accesses are counted: each kernel once */
static const bool ONCE = true;
#else
static const bool ONCE = false;
#endif

static void size_rows(struct results *results, struct bench *b, const struct options *o,
                      const struct tridiagonal_asked *asked, bool periodic)
{
    if (asked->plain) {
        bool chip = fits_on_chip(b, 0);
        (void)solve_row(results, b, 0, TRIDIAGONAL_AUTO, chip, "total", o->reps);
        if (chip) /* so both ways are */
            (void)solve_row(results, b, 0, TRIDIAGONAL_TWO_PASS, false, "twice", o->reps);
        if (chip && !ONCE)
            (void)solve_row(results, b, 0, TRIDIAGONAL_RESIDENT, true, "on_chip", o->reps);
        if (b->s.n >= 3 && !ONCE) {
            struct bench same = toeplitz_of(b);
            (void)solve_row(results, &same, 0, TRIDIAGONAL_AUTO, chip, "toeplitz", o->reps);
        }
        if (periodic && !ONCE) {
            struct bench round = periodic_of(b);
            (void)solve_row(results, &round, 0, TRIDIAGONAL_AUTO, chip, "periodic", o->reps);
        }
    }
    if (asked->pivoted)
        (void)solve_row(results, b, 1, TRIDIAGONAL_AUTO, fits_on_chip(b, 1), "total", o->reps);
#ifdef __CUDACC__
    if (asked->cusparse)
        cusparse_row(results, b, true, o->reps);
    if (asked->cusparse_nopivot)
        cusparse_row(results, b, false, o->reps);
#endif
}

int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv)
{
    static const struct list few = {3, {64, 1000, 30000}},
                             many = {15,
                                     {64, 1000, 1 << 10, 1 << 12, 1 << 14, 30000, 1 << 16, 1 << 18,
                                      300000, 1 << 20, 1 << 21, 1 << 22, 1 << 24, 1 << 26,
                                      1 << 28}};
    enum { SERVED = 300000 }; /* L22's size */
    const struct list *list = sized ? &o->n : device_is_cpu() || o->quick ? &few : &many;
    const char *types = sized ? o->types : "sdcz";
    struct results *results = results_open(program, device, csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    int64_t done = 0, all = (int64_t)strlen(types) * list->count;
    for (const char *type = types; *type; type++)
        for (int i = 0; i < list->count; i++) {
            /* The largest of the sizes above are as many bytes in all types. */
            int64_t n = list->value[i], most = list_largest(list, 1);
            if (!sized)
                most = most * 4 / size_of(*type);
            if (list == &many) {
                bool last = i == list->count - 1;
                if (n >= most && !last)
                    n = 0;
                n = n > most ? most : n;
            } else
                most = list_largest(list, 1);
            progress(program, ++done, all, "sizes of tridiagonal.h");
            if (n == 0)
                continue;
            /* What is solved, and beside it the arrays of the copy or of a peer and its workspace. */
            double bytes = (double)n * size_of(*type);
            device_require(program, 10 * bytes + ceiling_bytes(), 5 * bytes);
            if (*type == 's' && n >= 4)
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            struct shape s = {*type, n, 1, 0, false, true, false, {}};
            struct bench b;
            allocate(&b, &s, 0);
            fill(&b, DOMINANT, o->seed);
            b.s.periodic = false;
            b.t.periodic = 0;
            struct tridiagonal pivoted = b.t;
            pivoted.pivot = 1;
            if (tridiagonal_workspace(&pivoted) > b.bytes) {
                b.bytes = tridiagonal_workspace(&pivoted);
                CHECK(cudaFree(b.work));
                CHECK(cudaMalloc(&b.work, b.bytes));
                CHECK(tridiagonal_prepare(b.work, b.bytes, 0));
            }
            size_rows(results, &b, o, &asked, n == SERVED || n == most);
            release(&b);
        }
    return results_close(results);
}
