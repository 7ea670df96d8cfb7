/* Solves many tridiagonal systems on the lanes and cores of a CPU. This file includes the method,
 * tridiagonal_batch_cpu_body.h, for each type of numbers, and checks the arguments. */
#include "tridiagonal_batch_cpu.h"
#include "lanes.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

/* Cache lines of each lane that are loaded at a time. */
enum { BLOCK_LINES = 2 };
/* Memory is faster if it is read from few places at a time. So contiguous systems of at least
 * NARROW_ROWS rows that do not fit into a cache are solved in groups of one vector. Those of at
 * least SQUARES_ROWS rows may be tried by squares (tridiagonal_batch_cpu_squares.h): with AVX2 also
 * in the cache, where they are faster; with AVX-512 that was not measured. */
static const int64_t NARROW_ROWS = 512, SQUARES_ROWS = 64;
static const double CACHE_BYTES = 4e6;
static const int64_t FETCHED_BYTES = 1 << 17;
/* Bytes of a row of a panel of interleaved systems: the most, or fewer if its factors would take
 * more than PANEL_BYTES. With fewer than the least, or fewer vectors, there are no panels. */
static const int64_t PANEL_BYTES = 1 << 24, PANEL_ROW_MOST = 2048, PANEL_ROW_LEAST = 512;
static const int64_t PANEL_VECTORS_LEAST = 2;
/* Waking a core pays only if it gets some ten microseconds of work, this many rows. */
static const int64_t ROWS_A_CORE = 16384;
/* In a gradient of shared matrices a chunk has at most this many groups. */
enum { CHUNK_GROUPS = 8 };

/* The largest factor of an eliminated row, |super / pivot|, for which AUTO does not pivot, and the
 * largest sum of factors of the row that a ring carries, relative to its coefficients
 * (tridiagonal_batch_cpu_plain.h). */
enum { GROWTH_MOST = 2, RING_GROWTH_MOST = 32 };
/* Coefficients of a row during elimination with pivoting (tridiagonal_batch_cpu_pivoted.h) */
enum { WINDOW = 3, RING_WINDOW = 5 };

#ifdef _OPENMP
#define OPENMP(directive) _Pragma(#directive)
#else
#define OPENMP(directive)
#endif

/* The indices of a shuffle of two vectors of w elements: of those with even and odd numbers, and of
 * the two vectors' elements in turn, which reverses this. */
#if LANES_BYTES == 64
#define LANES_ALL_s LANES_16
#define LANES_ALL_d LANES_8
#define LANES_W_s   16
#define LANES_W_d   8
#elif LANES_BYTES == 32
#define LANES_ALL_s LANES_8
#define LANES_ALL_d LANES_4
#define LANES_W_s   8
#define LANES_W_d   4
#else
#define LANES_ALL_s LANES_4
#define LANES_ALL_d LANES_2
#define LANES_W_s   4
#define LANES_W_d   2
#endif
#define EVEN(k, h, w)       (2 * (k))
#define ODD(k, h, w)        (2 * (k) + 1)
#define TURNS_LOW(k, h, w)  ((k) / 2 + ((k)&1) * (w))
#define TURNS_HIGH(k, h, w) ((k) / 2 + ((k)&1) * (w) + (w) / 2)

enum { SUB, DIAG, SUPER, RHS, ARRAYS };

/* How the lanes of a vector load the elements of a row */
enum access {
    APART,      /* one by one */
    NEIGHBOURS, /* they are neighbours */
    ROWWISE,    /* the rows of each lane are neighbours: squares of rows are transposed */
    SAME        /* it is the same element for all lanes */
};

/* A call of tridiagonal_batch_cpu_solve() or, with `d`, of tridiagonal_batch_cpu_gradient(). */
struct call {
    struct tridiagonal_batch b; /* the defaults of its layout are filled in */
    const struct tridiagonal_derivatives *d;
    /* the rows that are eliminated: element i of a row is element i + shift of the array */
    const void *in[ARRAYS];
    int shift[ARRAYS];
    void *x;
    bool narrow;    /* groups of one vector */
    bool squares;   /* which are first tried by squares of rows */
    bool fetches_x; /* x of a group is prefetched into the second cache during the sweep down */
    bool ring;      /* periodic, with more than two rows */
    bool shared; /* each matrix belongs to `sides` systems, and its rows have this stride: 1, or */
    int64_t sides, stride; /* 0 if its diagonals are constant */
    /* Chunk number i of systems begins at system i / parts * period + i % parts * systems. If
     * `slots` is set each chunk sums its part of the derivatives of one matrix there. */
    int64_t chunks, systems, parts, period;
    size_t core_bytes, slot_bytes, panel_bytes; /* panel_bytes: 0 if there are no panels */
    int cores;
    char *slots;
};

static size_t element_bytes(char type)
{
    return type == 's' ? 4 : type == 'd' || type == 'c' ? 8 : type == 'z' ? 16 : 0;
}
static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

#define NAME(name)  name##_s
#define REAL        float
#define INTEGER     int32_t
#define EPSILON     FLT_EPSILON
#define MIN         FLT_MIN
#define MAX         FLT_MAX
#define MANTISSA    (FLT_MANT_DIG - 1)
#define BIAS        (FLT_MAX_EXP - 1)
#define COMPLEX     0
#define LANES(name) name##_s
#include "tridiagonal_batch_cpu_body.h"
#undef NAME
#undef COMPLEX
#define NAME(name) name##_c
#define COMPLEX    1
#include "tridiagonal_batch_cpu_body.h"
#undef NAME
#undef REAL
#undef INTEGER
#undef EPSILON
#undef MIN
#undef MAX
#undef MANTISSA
#undef BIAS
#undef COMPLEX
#undef LANES

#define NAME(name)  name##_d
#define REAL        double
#define INTEGER     int64_t
#define EPSILON     DBL_EPSILON
#define MIN         DBL_MIN
#define MAX         DBL_MAX
#define MANTISSA    (DBL_MANT_DIG - 1)
#define BIAS        (DBL_MAX_EXP - 1)
#define COMPLEX     0
#define LANES(name) name##_d
#include "tridiagonal_batch_cpu_body.h"
#undef NAME
#undef COMPLEX
#define NAME(name) name##_z
#define COMPLEX    1
#include "tridiagonal_batch_cpu_body.h"

#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function##_s(__VA_ARGS__)                                                   \
     : (type) == 'd' ? function##_d(__VA_ARGS__)                                                   \
     : (type) == 'c' ? function##_c(__VA_ARGS__)                                                   \
                     : function##_z(__VA_ARGS__))

/* ---- arguments ---- */

/* Fills in the default values of the layout. */
static void fill_layout(struct tridiagonal_batch *b)
{
    b->inner = b->inner > 0 ? b->inner : 1;
    b->row_stride = b->row_stride > 0 ? b->row_stride : b->inner;
    b->plane_stride = b->plane_stride > 0 ? b->plane_stride : b->n * b->row_stride;
}
/* True if no two systems have an element in common. The first tests prevent overflow. */
static bool layout_valid(struct tridiagonal_batch b)
{
    const int64_t most = INT64_MAX / 256, n = b.n > 0 ? b.n : 1;
    if (b.inner < 0 || b.row_stride < 0 || b.plane_stride < 0 || b.inner > most / n ||
        b.row_stride > most / n)
        return false;
    fill_layout(&b);
    int64_t outer = b.batch / b.inner, planes = outer > 0 ? outer : 1;
    if (b.batch % b.inner != 0 || b.row_stride < b.inner || b.plane_stride > most / planes)
        return false;
    if (b.offset && (b.inner != 1 || b.row_stride != 1 || b.plane_stride != b.n))
        return false;
    return b.n == 0 || planes == 1 || b.plane_stride >= (n - 1) * b.row_stride + b.inner ||
           (b.plane_stride >= b.inner && b.row_stride >= (planes - 1) * b.plane_stride + b.inner);
}
/* True if all members but the pointers are valid. */
static bool members_valid(const struct tridiagonal_batch *b, int cores)
{
    return b && cores >= 1 && element_bytes(b->type) > 0 && b->n >= 0 && b->batch >= 0 &&
           b->n <= 1 << 30 && b->batch <= INT64_MAX / 256 / (b->n > 0 ? b->n : 1) &&
           layout_valid(*b) && b->pivot >= TRIDIAGONAL_PIVOT_NEVER &&
           b->pivot <= TRIDIAGONAL_PIVOT_AUTO && (int)b->matrix >= TRIDIAGONAL_BATCH_OWN &&
           b->matrix <= TRIDIAGONAL_BATCH_CONSTANT && b->sides >= 0 &&
           (b->sides <= 1 || (b->batch % b->sides == 0 && b->matrix == TRIDIAGONAL_BATCH_OWN)) &&
           !(b->offset && (b->periodic || b->matrix != TRIDIAGONAL_BATCH_OWN || b->sides > 1));
}
static bool is_aligned(const void *array, size_t bytes)
{
    return array && (uintptr_t)array % bytes == 0;
}

/* Elements of sub, diag and super. */
static int64_t matrix_elements(const struct tridiagonal_batch *b)
{
    return b->matrix == TRIDIAGONAL_BATCH_CONSTANT ? 1
           : b->matrix == TRIDIAGONAL_BATCH_SHARED
               ? b->n
               : b->n * b->batch / (b->sides > 1 ? b->sides : 1);
}
/* True if output `to` overlaps one of the arrays, other than `same`, which may be the same array.
 * If the layout has gaps, another array may lie in them, so then only addresses are compared. */
static bool overlaps(const struct tridiagonal_batch *b, const void *to, bool is_matrix,
                     const void *same, const void *const matrix[], int matrices,
                     const void *const rows[], int count)
{
    struct tridiagonal_batch l = *b;
    fill_layout(&l);
    const bool own = b->matrix == TRIDIAGONAL_BATCH_OWN && b->sides <= 1,
               gaps = l.row_stride != l.inner || l.plane_stride != l.n * l.row_stride || l.offset;
    const int64_t element = (int64_t)element_bytes(b->type), all = b->n * b->batch * element,
                  few = matrix_elements(b) * element, here = is_matrix ? few : all;
    for (int k = 0; k < matrices + count; k++) {
        const void *other = k < matrices ? matrix[k] : rows[k - matrices];
        int64_t after = (int64_t)((uintptr_t)other - (uintptr_t)to),
                bytes = k < matrices ? few : all;
        bool may_interlock = gaps && (own || (!is_matrix && k >= matrices));
        if (!other || (after == 0 && other == same))
            continue;
        if (after == 0 || (!may_interlock && after < here && after > -bytes))
            return true;
    }
    return false;
}
/* True if the arrays that the call needs are valid. d: NULL, or those of a gradient. */
static bool arrays_valid(const struct tridiagonal_batch *b, const struct tridiagonal_derivatives *d)
{
    const size_t element = element_bytes(b->type);
    const void *const in[] = {b->sub, b->diag, b->super}, *const rhs = d ? d->dx : b->rhs,
                      *const extra[] = {rhs, d ? b->x : NULL,
                                        d && b->crank_nicolson ? b->rhs : NULL};
    const void *const x = d ? d->drhs : b->x;
    for (int k = 0; k < 3; k++)
        if (!is_aligned(in[k], element))
            return false;
    if (!is_aligned(rhs, element) || !is_aligned(x, element) ||
        (d && !is_aligned(extra[1], element)) ||
        (extra[2] && extra[2] == extra[1]) || /* a gradient needs rhs, which was x itself */
        (d && b->crank_nicolson && !is_aligned(extra[2], element)) ||
        (b->offset && !is_aligned(b->offset, sizeof *b->offset)) || !is_aligned(b->work, 64) ||
        overlaps(b, x, false, rhs, in, 3, extra, 3))
        return false;
    const void *const derivatives[] = {d ? d->dsub : NULL, d ? d->ddiag : NULL,
                                       d ? d->dsuper : NULL};
    const void *const rows[] = {rhs, extra[1], extra[2], x};
    for (int k = 0; k < 3; k++) {
        const void *const matrices[] = {in[0], in[1], in[2], derivatives[(k + 1) % 3]};
        if (derivatives[k] && (!is_aligned(derivatives[k], element) ||
                               overlaps(b, derivatives[k], true, NULL, matrices, 4, rows, 4)))
            return false;
    }
    return true;
}

/* ---- public functions ---- */

/* Plans a call whose members are valid. n and batch are not 0. */
static struct call plan(const struct tridiagonal_batch *b, const struct tridiagonal_derivatives *d,
                        int cores)
{
    struct call c = {.b = *b, .d = d, .x = b->x};
    fill_layout(&c.b);
    const void *const in[] = {b->sub, b->diag, b->super, b->rhs};
    memcpy(c.in, in, sizeof in);
    if (d) { /* row i of the transpose: super_{i-1}, diag_i, sub_{i+1} */
        c.in[SUB] = b->super;
        c.in[SUPER] = b->sub;
        c.shift[SUB] = -1;
        c.shift[SUPER] = 1;
        c.in[RHS] = d->dx;
        c.x = d->drhs;
    }
    c.ring = b->periodic && b->n > 2;
    const bool own = b->matrix == TRIDIAGONAL_BATCH_OWN;
    c.shared = !own || b->sides > 1;
    c.sides = own ? (b->sides > 1 ? b->sides : 1) : b->batch;
    c.stride = b->matrix != TRIDIAGONAL_BATCH_CONSTANT;
    const bool large =
        5.0 * (double)(b->n * b->batch) * (double)element_bytes(b->type) > CACHE_BYTES;
    const bool in_rows = c.b.row_stride == 1 && !c.ring,
               plain = b->pivot != TRIDIAGONAL_PIVOT_ALWAYS && !d && !c.shared &&
                       !b->crank_nicolson && !b->offset;
    c.squares = in_rows && plain && b->n >= SQUARES_ROWS && (large || LANES_BYTES < 64);
    c.narrow = c.squares || (in_rows && large && b->n >= NARROW_ROWS);
    const int64_t lanes = BY_TYPE(b->type, group_lanes, c.narrow),
                  one = BY_TYPE(b->type, group_lanes, true), enough = b->n * b->batch / ROWS_A_CORE;
    c.core_bytes = BY_TYPE(b->type, group_bytes, b->n, c.ring);
    c.cores = enough < 1 ? 1 : enough < cores ? (int)enough : cores;
    c.systems = lanes;
    int64_t row = PANEL_BYTES / (2 * b->n);
    row = row < PANEL_ROW_MOST ? row : PANEL_ROW_MOST;
    if (row >= PANEL_ROW_LEAST && c.b.inner >= PANEL_VECTORS_LEAST * one && plain && !b->periodic) {
        const int64_t share = ceil_div(ceil_div(b->batch, c.cores), lanes) * lanes;
        c.systems = row / (int64_t)element_bytes(b->type) / lanes * lanes;
        c.systems = c.systems < share ? c.systems : share;
        c.panel_bytes = BY_TYPE(b->type, panel_bytes, b->n, c.systems);
        c.core_bytes = c.panel_bytes > c.core_bytes ? c.panel_bytes : c.core_bytes;
    }
    c.fetches_x = c.b.row_stride == 1 && c.b.plane_stride == b->n && c.x != c.in[RHS] &&
                  !b->offset && b->n * lanes * (int64_t)element_bytes(b->type) <= FETCHED_BYTES;
    if (c.shared) {
        int64_t groups = b->batch / lanes / 64;
        c.systems *= groups < 1 ? 1 : groups < CHUNK_GROUPS ? groups : CHUNK_GROUPS;
    }
    c.period = c.sides > c.systems ? c.sides : c.systems / c.sides * c.sides;
    c.parts = ceil_div(c.period, c.systems);
    c.chunks = ceil_div(b->batch, c.period) * c.parts;
    if (c.shared && c.parts > 1)
        c.slot_bytes = 3 * (size_t)(c.stride ? b->n : 1) * element_bytes(b->type);
    c.slots = (char *)b->work + (size_t)cores * c.core_bytes;
    return c;
}

size_t tridiagonal_batch_cpu_work(const struct tridiagonal_batch *b, int cores)
{
    if (!members_valid(b, cores) || b->n == 0 || b->batch == 0)
        return 0;
    struct call c = plan(b, NULL, cores);
    return (size_t)cores * c.core_bytes + ((size_t)c.chunks * c.slot_bytes + 63) / 64 * 64;
}

static long long run(const struct tridiagonal_batch *b, const struct tridiagonal_derivatives *d,
                     int cores)
{
    if (!members_valid(b, cores) || (b->status && !is_aligned(b->status, sizeof *b->status)))
        return -1;
    if (b->n == 0 || b->batch == 0) {
        if (b->status && b->batch > 0)
            memset(b->status, 0, (size_t)b->batch * sizeof *b->status);
        return 0;
    }
    if (!arrays_valid(b, d))
        return -1;
    struct call c = plan(b, d, cores);
    return BY_TYPE(b->type, run, &c);
}

long long tridiagonal_batch_cpu_solve(const struct tridiagonal_batch *b, int cores)
{
    return run(b, NULL, cores);
}

long long tridiagonal_batch_cpu_gradient(const struct tridiagonal_batch *b,
                                         const struct tridiagonal_derivatives *d, int cores)
{
    return d ? run(b, d, cores) : -1;
}
