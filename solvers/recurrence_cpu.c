/* Solves linear recurrences on the lanes and cores of a CPU. This file includes the method,
 * recurrence_cpu_body.h, for each type of numbers, and checks the arguments. */
#include "recurrence_cpu.h"
#include "lanes.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Stored in 16 bits. */
static bool is_half(char type)
{
    return type == 'h' || type == 'b';
}
/* Bytes of an element and of a real number; 0 for an unknown type. */
static int64_t element_bytes(char type)
{
    return is_half(type)                ? 2
           : type == 's'                ? 4
           : type == 'd' || type == 'c' ? 8
           : type == 'z'                ? 16
                                        : 0;
}
static int64_t real_bytes(char type)
{
    return is_half(type) ? 2 : type == 's' || type == 'c' ? 4 : 8;
}
/* The array arguments of recurrence_cpu_gradient(). */
struct gradient {
    const void *dw;
    void *ds, *dt, *dw0;
};

enum kind { SOLVE, CONSTANT, GRADIENT, KINDS };
/* Contiguous sequences upwards or downwards, with the lanes along them; many short ones, one in a
 * lane; rows of channels, with the lanes across them; rows of fewer channels than lanes. */
enum way { UP, DOWN, BRIEF_UP, BRIEF_DOWN, WIDE, NARROW, WAYS };

/* P-scheme's passes over a tile: results as if the value before it were 0; the results from these
 * and from the value before it. COMPUTE: both in one pass, for which this value must be known. */
enum pass { PRECOMPUTE, COMPUTE, DETERMINE, PASSES };

/* How the cores share a call (recurrence_cpu_tiles.h). */
struct plan {
    struct recurrence_layout layout;
    enum kind kind;
    enum recurrence_s constant;
    enum way way;
    bool down;   /* from the last row to the first */
    bool beside; /* a job has whole sequences that are `plane` elements apart */
    int64_t length;
    int64_t groups, width;     /* groups of channels of a plane, channels of a group */
    int64_t jobs, tiles, rows; /* jobs, tiles of a job, rows of a tile */
    int64_t some;              /* tiles that a core takes at a time */
    int cores;
};

static bool across(const struct plan *plan)
{
    return plan->way == WIDE || plan->way == NARROW;
}

/* A tile: rows in the order of computation, of the sequences from `sequence` on. */
struct place {
    int64_t first, count, sequence, width;
    bool last; /* it has the last rows to be computed */
};
static struct place place_of(const struct plan *plan, int64_t tile)
{
    const int64_t job = tile / plan->tiles, inner = plan->layout.inner,
                  channel = job % plan->groups * plan->width, left = inner - channel;
    struct place at = {.first = tile % plan->tiles * plan->rows,
                       .sequence = job / plan->groups * inner + channel,
                       .width = left < 2 * plan->width ? left : plan->width};
    at.last = plan->length - at.first <= plan->rows;
    at.count = at.last ? plan->length - at.first : plan->rows;
    return at;
}
/* The element at which its TILE (recurrence_cpu_body.h) begins. */
static int64_t index_of(const struct plan *plan, const struct place *at)
{
    const struct recurrence_layout *l = &plan->layout;
    const int64_t row = !plan->down    ? at->first
                        : across(plan) ? plan->length - 1 - at->first
                                       : plan->length - at->first - at->count;
    return plan->beside
               ? at->sequence * l->plane
               : at->sequence / l->inner * l->plane + at->sequence % l->inner + row * l->row;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}
static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Vectors of a block in time, which hide the latency of an operation. */
enum { REAL_VECTORS = 4, COMPLEX_VECTORS = 1 };
/* Bytes of a cache line, of a page of memory, and of a row of the channels of a job. */
enum { LINE = 64, PAGE = 4096, WIDTH_BYTES = PAGE };
/* Rows of so many bytes that are computed in turn: those in a page of memory, 2 to 32. */
static int64_t turn_of(int64_t bytes)
{
    return bytes > PAGE / 2 ? 2 : bytes < PAGE / 32 ? 32 : PAGE / bytes;
}
/* Bytes of a tile of one array. Some arrays of this size fit into the L2 cache. */
enum { TILE_BYTES = 1 << 15 };
/* A waiting thread yields its core after this many tries (some microseconds). */
enum { TRIES_BEFORE_YIELD = 1000 };

static void pause_core(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

#ifdef _OPENMP
#define OPENMP(directive) _Pragma(#directive)
#else
#define OPENMP(directive)
#endif

#if LANES_BYTES == 64
#define LANES_OF_FLOAT  LANES_16
#define LANES_OF_DOUBLE LANES_8
#elif LANES_BYTES == 32
#define LANES_OF_FLOAT  LANES_8
#define LANES_OF_DOUBLE LANES_4
#else
#define LANES_OF_FLOAT  LANES_4
#define LANES_OF_DOUBLE LANES_2
#endif

#define REAL        float
#define LANES(name) name##_s
#define EACH_LANE   LANES_OF_FLOAT
#define COMPLEX     0
#define NAME(name)  name##_s
#include "recurrence_cpu_body.h"
#undef NAME
#undef COMPLEX
#define COMPLEX    1
#define NAME(name) name##_c
#include "recurrence_cpu_body.h"
#undef NAME
#undef COMPLEX
#undef EACH_LANE
#undef LANES
#undef REAL

#define REAL        double
#define LANES(name) name##_d
#define EACH_LANE   LANES_OF_DOUBLE
#define COMPLEX     0
#define NAME(name)  name##_d
#include "recurrence_cpu_body.h"
#undef NAME
#undef COMPLEX
#define COMPLEX    1
#define NAME(name) name##_z
#include "recurrence_cpu_body.h"

/* ---- how the cores share the work ---- */

/* Jobs that keep many cores busy. With fewer jobs, of more elements each, jobs have tiles. */
static const int64_t JOBS_ENOUGH = 32, JOB_MOST = 1 << 16;
/* Waking a core pays only if it gets some ten microseconds of work, this many elements. A core
 * takes JOB_LEAST at a time. */
static const int64_t CORE_LEAST = 1 << 16, JOB_LEAST = 1 << 13;
/* Bytes of the longest sequences that are short. The lanes are faster along longer ones. */
static const int64_t BRIEF_BYTES = 384;

static struct plan plan_of(const struct recurrence *p, bool gradient, int cores)
{
    const int64_t size = element_bytes(p->type), line = LINE / size;
    struct plan plan = {.layout = recurrence_layout_merged(p),
                        .kind = gradient      ? GRADIENT
                                : p->constant ? CONSTANT
                                              : SOLVE,
                        .constant = (enum recurrence_s)p->constant,
                        .down = (p->reverse != 0) != gradient,
                        .length = p->length,
                        .rows = p->length,
                        .tiles = 1,
                        .some = 1};
    struct recurrence_layout *l = &plan.layout;
    const int64_t lanes = LANES_BYTES / real_bytes(p->type), plane = p->length * l->inner,
                  lines = l->outer * ceil_div(l->inner, line);
    const bool in_time = l->inner == 1 && (l->row == 1 || p->length == 1),
               brief = in_time && p->length * size <= BRIEF_BYTES && p->batch >= lanes;
    plan.way = brief               ? plan.down ? BRIEF_DOWN : BRIEF_UP
               : in_time           ? plan.down ? DOWN : UP
               : l->inner >= lanes ? WIDE
                                   : NARROW;
    if (lines < JOBS_ENOUGH && plane > JOB_MOST) {
        plan.rows = TILE_BYTES / size / l->inner;
        plan.tiles = ceil_div(p->length, plan.rows);
    } else if (in_time) {
        plan.beside = true;
        l->inner = p->batch;
        l->outer = 1;
    }
    plan.width = smaller(l->inner, WIDTH_BYTES / size);
    if (plan.beside) {
        const int64_t width = ceil_div(JOB_LEAST, p->length), unit = brief ? lanes : 1;
        plan.width = smaller(plan.width, ceil_div(width, unit) * unit);
    } else if (plan.tiles == 1 && l->outer < cores) {
        const int64_t width = ceil_div(l->inner, ceil_div(cores, l->outer)),
                      unit = larger(line, lanes); /* a WIDE row has at least a vector */
        plan.width = smaller(plan.width, ceil_div(width, unit) * unit);
    }
    plan.groups = l->inner / plan.width; /* the last one has the rest, too */
    plan.jobs = l->outer * plan.groups;
    plan.cores =
        (int)smaller(smaller(cores, plan.jobs * plan.tiles), 1 + p->length * p->batch / CORE_LEAST);
    if (plan.tiles == 1)
        plan.some = ceil_div(JOB_LEAST, p->length * plan.width);
    return plan;
}

#include "recurrence_cpu_half.h"

/* Sequences of one length. */
static void run_even(const struct recurrence *p, const struct gradient *g, int cores)
{
    if (is_half(p->type)) {
        run_half(p, g, cores);
        return;
    }
    const struct plan plan = plan_of(p, g != NULL, cores);
    (p->type == 's' ? run_s : p->type == 'd' ? run_d : p->type == 'c' ? run_c : run_z)(&plan, p, g);
}

/* ---- packed sequences ---- */

/* The longest sequence for which a serial loop is fastest. */
static const int64_t SERIAL = 48;

static void *moved(const void *array, int64_t bytes)
{
    return array ? (char *)array + bytes : NULL;
}
/* Solves the sequences [first, end) along the middle axis, which have the same length. */
static void run_part(const struct recurrence *p, const struct gradient *g, int64_t first,
                     int64_t end, int cores)
{
    const struct recurrence_layout l = recurrence_layout_of(p);
    const int64_t size = element_bytes(p->type), at = p->offset[first] * l.row * size,
                  head = first * l.inner * size;
    struct recurrence part = *p;
    part.offset = NULL;
    part.length = p->offset[first + 1] - p->offset[first];
    part.batch = (end - first) * l.inner;
    part.row_stride = l.row;
    part.plane_stride = part.length * l.row;
    part.s = moved(p->s, p->constant == RECURRENCE_S_EACH       ? at
                         : p->constant == RECURRENCE_S_SEQUENCE ? head
                                                                : 0);
    part.t = moved(p->t, at);
    part.w = moved(p->w, at);
    part.w0 = moved(p->w0, head);
    struct gradient of_part = {0};
    if (g)
        of_part = (struct gradient){moved(g->dw, at), moved(g->ds, at), moved(g->dt, at),
                                    moved(g->dw0, head)};
    const bool brief =
        l.row == 1 && part.length <= SERIAL && part.batch < LANES_BYTES / real_bytes(p->type);
    if (part.length > 0 && brief && !is_half(p->type))
        (p->type == 's'   ? run_brief_s
         : p->type == 'd' ? run_brief_d
         : p->type == 'c' ? run_brief_c
                          : run_brief_z)(&part, g ? &of_part : NULL);
    else if (part.length > 0)
        run_even(&part, g ? &of_part : NULL, cores);
    else if (g && g->dw0)
        memset(of_part.dw0, 0, (size_t)(part.batch * size));
}

/* The first of `count` sequences that begins at row `row` or later. */
static int64_t sequence_at(const int64_t *offset, int64_t count, int64_t row)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (offset[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All cores solve a long sequence, one after the other. The other sequences are divided into jobs,
 * those that begin in the same `rows` rows. None of this depends on the number of cores. */
struct packed {
    const struct recurrence *p;
    const struct gradient *g;
    int64_t inner, count, longest, rows, jobs;
};
static struct packed packed_of(const struct recurrence *p, const struct gradient *g)
{
    const int64_t inner = recurrence_layout_of(p).inner, rows = ceil_div(JOB_LEAST, inner);
    struct packed k = {p, g, inner, p->batch / inner, p->length, rows, p->length / rows + 1};
    /* One core computes few sequences of 16 bits. Of many long sequences each core takes one. */
    if (!is_half(p->type) || inner >= 2 * BLOCK_CHANNELS)
        k.longest = larger(JOB_MOST, p->length * inner / JOBS_ENOUGH) / inner;
    return k;
}
/* A core. */
static void compute_packed(const struct packed *k, _Atomic int64_t *taken)
{
    const int64_t *offset = k->p->offset;
    for (int64_t job; (job = atomic_fetch_add(taken, 1)) < k->jobs;) {
        const int64_t end = sequence_at(offset, k->count, (job + 1) * k->rows);
        for (int64_t q = sequence_at(offset, k->count, job * k->rows), next; q < end; q = next) {
            const int64_t length = offset[q + 1] - offset[q];
            for (next = q + 1; next < end && offset[next + 1] - offset[next] == length;)
                next++;
            if (length <= k->longest)
                run_part(k->p, k->g, q, next, 1);
        }
    }
}
static void run_packed(const struct recurrence *p, const struct gradient *g, int most)
{
    const struct packed k = packed_of(p, g);
    int64_t others = p->length;
    for (int64_t q = 0; q < k.count; q++)
        if (p->offset[q + 1] - p->offset[q] > k.longest) {
            run_part(p, g, q, q + 1, most);
            others -= p->offset[q + 1] - p->offset[q];
        }
    const int cores = (int)smaller(smaller(most, k.jobs), 1 + others * k.inner / CORE_LEAST);
    _Atomic int64_t taken = 0;
    if (cores == 1) {
        compute_packed(&k, &taken);
        return;
    }
    OPENMP(omp parallel num_threads(cores))
    compute_packed(&k, &taken);
}

/* ---- arguments ---- */

static bool offsets_valid(const struct recurrence *p)
{
    const int64_t *offset = p->offset, count = p->batch / recurrence_layout_of(p).inner;
    if (!offset)
        return true;
    if ((uintptr_t)offset % sizeof *offset != 0 || offset[0] != 0 || offset[count] != p->length)
        return false;
    int64_t descents = 0; /* without a branch this takes less time */
    for (int64_t q = 0; q < count; q++)
        descents += offset[q + 1] < offset[q];
    return descents == 0;
}
static bool numbers_valid(const struct recurrence *p, int cores)
{
    return p && cores >= 1 && element_bytes(p->type) > 0 && p->constant >= RECURRENCE_S_EACH &&
           p->constant <= RECURRENCE_S_CHANNEL && recurrence_layout_valid(p) && offsets_valid(p);
}

/* An array: chunks of this many bytes, which begin at multiples of a common period, within `all`
 * bytes. NULL overlaps nothing. */
struct span {
    const void *from;
    int64_t chunk, all;
};
static bool overlap(struct span a, struct span b, int64_t period)
{
    int64_t before = (int64_t)((uintptr_t)b.from - (uintptr_t)a.from);
    if (!a.from || !b.from || before >= a.all || before <= -b.all)
        return false;
    if (period == 0)
        return true;
    int64_t rest = before % period + (before % period < 0 ? period : 0);
    return rest < a.chunk || rest + b.chunk > period;
}
static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
/* Is `out` an array apart from all inputs, but for in[same], which it may replace? */
static bool apart(struct span out, int same, int count, const struct span *in, int64_t period)
{
    for (int k = 0; k < count; k++)
        if (!(k == same && out.from == in[k].from) && overlap(out, in[k], period))
            return false;
    return true;
}
static bool arrays_valid(const struct recurrence *p, const struct gradient *g)
{
    const struct recurrence_layout l = recurrence_layout_of(p);
    const int64_t size = element_bytes(p->type), real = real_bytes(p->type),
                  period = size * gcd(l.outer > 1 ? l.plane : 0, p->length > 1 ? l.row : 0),
                  chunk = size * l.inner, heads = size * p->batch,
                  all = size * ((l.outer - 1) * l.plane + (p->length - 1) * l.row) + chunk;
    const int64_t of_s = p->constant == RECURRENCE_S_ONE       ? size
                         : p->constant == RECURRENCE_S_CHANNEL ? chunk
                                                               : heads,
                  offsets = p->offset ? (p->batch / l.inner + 1) * (int64_t)sizeof *p->offset : 0;
    const struct span s = p->constant ? (struct span){p->s, of_s, of_s}
                                      : (struct span){p->s, chunk, all},
                      w = {p->w, chunk, all}, w0 = {p->w0, heads, heads},
                      offset = {p->offset, offsets, offsets};
    const struct span t = {g ? g->dw : p->t, chunk, all};
    const void *const needed[] = {p->s, p->w, t.from, g ? g->ds : p->s, g ? g->dt : p->s},
                      *const optional[] = {p->w0, g ? g->dw0 : NULL};
    for (int k = 0; k < 5; k++)
        if (!needed[k] || (uintptr_t)needed[k] % (uintptr_t)real != 0)
            return false;
    for (int k = 0; k < 2; k++)
        if ((uintptr_t)optional[k] % (uintptr_t)real != 0)
            return false;
    if (!g)
        return !overlap(w, offset, period) && apart(w, 0, 1, &t, period) &&
               apart(w, p->constant ? -1 : 0, 1, &s, period) && !overlap(w, w0, period);
    const struct span ds = {g->ds, chunk, all}, dt = {g->dt, chunk, all},
                      dw0 = {g->dw0, heads, heads};
    const struct span of_ds[] = {s, t, w, w0, offset, dt, dw0},
                      of_dt[] = {t, s, w, w0, offset, dw0}, of_dw0[] = {s, t, w, w0, offset};
    return apart(ds, 0, 7, of_ds, period) && apart(dt, 0, 6, of_dt, period) &&
           apart(dw0, -1, 5, of_dw0, period);
}

static int run(const struct recurrence *p, const struct gradient *g, int cores)
{
    if (!numbers_valid(p, cores) || (g && p->constant))
        return -1;
    if (p->batch == 0 || (p->length == 0 && !(p->offset && g && g->dw0)))
        return 0;
    if (p->length > 0 ? !arrays_valid(p, g)
                      : (uintptr_t)g->dw0 % (uintptr_t)real_bytes(p->type) != 0)
        return -1;
    struct recurrence call = *p;
    if (p->constant == RECURRENCE_S_CHANNEL && p->inner <= 1)
        call.constant = RECURRENCE_S_ONE;
    (p->offset ? run_packed : run_even)(&call, g, cores);
    return 0;
}

int recurrence_cpu_solve(const struct recurrence *p, int cores)
{
    return run(p, NULL, cores);
}

int recurrence_cpu_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                            void *dw0, int cores)
{
    struct gradient g = {dw, ds, dt, dw0};
    return run(p, &g, cores);
}
