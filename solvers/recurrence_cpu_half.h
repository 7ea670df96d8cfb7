/* Numbers that are stored in 16 bits, for recurrence_cpu.h: types 'h' (IEEE half) and 'b'
 * (bfloat16). They are computed in single precision.
 *
 * A core takes some sequences, and of these a block of rows at a time. It converts the block to
 * float, computes it as recurrence_cpu_tiles.h does, on this core, and rounds the results. The
 * value that goes on to the next block is not rounded. */

#include "half.h"

/* Elements of a block, whose floats fit into the L2 cache. The channels of a block, up to twice as
 * many in the last one of a plane. */
enum { BLOCK_ELEMENTS = 2048, BLOCK_CHANNELS = 128 };

static void floats_of(char type, int64_t n, const uint16_t *restrict from, float *restrict to)
{
    if (type == 'h')
        for (int64_t i = 0; i < n; i++)
            to[i] = float_of_half(from[i]);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = float_of_bfloat(from[i]);
}
static void stored_of(char type, int64_t n, const float *restrict from, uint16_t *restrict to)
{
    if (type == 'h')
        for (int64_t i = 0; i < n; i++)
            to[i] = half_of_float(from[i]);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = bfloat_of_float(from[i]);
}

/* ---- blocks ---- */

/* A call. A job is the blocks of some sequences: of `planes` whole planes, or of one of `groups`
 * groups of channels of a plane. */
struct halves {
    const struct recurrence *p;
    const struct gradient *g; /* NULL: solve */
    struct recurrence_layout layout;
    int64_t planes, groups, jobs;
};
static struct halves halves_of(const struct recurrence *p, const struct gradient *g)
{
    struct halves h = {.p = p, .g = g, .layout = recurrence_layout_merged(p)};
    const int64_t inner = h.layout.inner, outer = h.layout.outer;
    h.groups = larger(1, inner / BLOCK_CHANNELS); /* the last one has the rest, too */
    h.planes = 1;
    if (h.groups == 1 && p->length <= BLOCK_ELEMENTS / inner)
        h.planes = smaller(outer, BLOCK_ELEMENTS / inner / p->length);
    h.jobs = ceil_div(outer, h.planes) * h.groups;
    return h;
}

/* A block: the elements of an array from element `from` on. */
struct block {
    int64_t from, planes, rows, channels;
};
/* The elements of a block in single precision. `w0` are the values before it in the sequences,
 * `edge_s` and `edge_dt` are s and dt of the row before it in the order of the gradient. */
struct floats {
    float s[BLOCK_ELEMENTS], t[BLOCK_ELEMENTS], w[BLOCK_ELEMENTS], ds[BLOCK_ELEMENTS],
        w0[BLOCK_ELEMENTS], dw0[BLOCK_ELEMENTS];
    float edge_s[2 * BLOCK_CHANNELS], edge_dt[2 * BLOCK_CHANNELS];
};

/* Converts the elements of an array in a block to consecutive floats; or back, if `array` is the
 * output. Rows without gaps are converted at once. */
static void convert(const struct halves *h, const struct block *b, const void *input, void *output,
                    float *floats)
{
    const bool gaps = h->layout.row != b->channels;
    const int64_t count = gaps ? b->channels : b->rows * b->channels, runs = gaps ? b->rows : 1;
    for (int64_t o = 0; o < b->planes; o++)
        for (int64_t i = 0; i < runs; i++, floats += count) {
            const int64_t at = b->from + o * h->layout.plane + i * h->layout.row;
            if (output)
                stored_of(h->p->type, count, floats, (uint16_t *)output + at);
            else
                floats_of(h->p->type, count, (const uint16_t *)input + at, floats);
        }
}
static void load_w0(const struct halves *h, int64_t sequence, int64_t count, float *w0)
{
    if (h->p->w0)
        floats_of(h->p->type, count, (const uint16_t *)h->p->w0 + sequence, w0);
    else
        memset(w0, 0, (size_t)count * sizeof *w0);
}
/* The problem of a block, whose s is in f->s. */
static struct recurrence problem_of(const struct halves *h, const struct block *b,
                                    const struct floats *f)
{
    return (struct recurrence){.type = 's',
                               .length = b->rows,
                               .batch = b->planes * b->channels,
                               .reverse = h->p->reverse,
                               .constant = h->p->constant,
                               .s = f->s,
                               .w0 = f->w0,
                               .inner = b->channels};
}

static void solve_block(const struct halves *h, const struct block *b, int64_t sequence,
                        struct floats *f)
{
    const float *last = f->t + (h->p->reverse ? 0 : (b->rows - 1) * b->channels);
    struct recurrence p = problem_of(h, b, f);
    p.t = p.w = f->t;
    if (p.constant) {
        const bool channel = p.constant == RECURRENCE_S_CHANNEL,
                   one = p.constant == RECURRENCE_S_ONE;
        const int64_t from = one ? 0 : channel ? sequence % h->layout.inner : sequence;
        floats_of(h->p->type,
                  one       ? 1
                  : channel ? b->channels
                            : p.batch,
                  (const uint16_t *)h->p->s + from, f->s);
    } else
        convert(h, b, h->p->s, NULL, f->s);
    convert(h, b, h->p->t, NULL, f->t);
    const struct plan plan = plan_of(&p, false, 1);
    run_s(&plan, &p, NULL);
    convert(h, b, NULL, h->p->w, f->t);
    memcpy(f->w0, last, (size_t)b->channels * sizeof *last);
}

/* `first`: it is the first block of a job. The last row of a block, in the order of the sequence,
 * is the first one to be computed. */
static void gradient_block(const struct halves *h, const struct block *b, bool first,
                           struct floats *f)
{
    const struct gradient *g = h->g, in_floats = {f->t, f->ds, f->t, f->dw0};
    const int64_t end = (b->rows - 1) * b->channels, start_row = h->p->reverse ? end : 0,
                  last_row = h->p->reverse ? 0 : end;
    struct recurrence p = problem_of(h, b, f);
    p.w = f->w;
    convert(h, b, h->p->s, NULL, f->s);
    convert(h, b, h->p->w, NULL, f->w);
    convert(h, b, g->dw, NULL, f->t);
    for (int64_t k = 0; !first && k < b->channels; k++)
        f->t[last_row + k] = f->edge_s[k] * f->edge_dt[k] + f->t[last_row + k];
    const struct plan plan = plan_of(&p, true, 1);
    run_s(&plan, &p, &in_floats);
    convert(h, b, NULL, g->dt, f->t);
    convert(h, b, NULL, g->ds, f->ds);
    memcpy(f->edge_s, f->s + start_row, (size_t)b->channels * sizeof *f->s);
    memcpy(f->edge_dt, f->t + start_row, (size_t)b->channels * sizeof *f->t);
}

static void compute_blocks(const struct halves *h, int64_t job, struct floats *f)
{
    const struct recurrence_layout *l = &h->layout;
    const int64_t group = job % h->groups, plane = job / h->groups * h->planes,
                  channel = group * BLOCK_CHANNELS, sequence = plane * l->inner + channel,
                  start = plane * l->plane + channel, length = h->p->length;
    struct block b = {.planes = smaller(h->planes, l->outer - plane),
                      .channels = group < h->groups - 1 ? BLOCK_CHANNELS : l->inner - channel};
    const int64_t count = b.planes * b.channels, rows = BLOCK_ELEMENTS / b.channels;
    const bool reverse = h->p->reverse != 0, down = reverse != (h->g != NULL);
    load_w0(h, sequence, count, f->w0);
    for (int64_t done = 0; done < length; done += b.rows) {
        b.rows = smaller(rows, length - done);
        const int64_t row = down ? length - done - b.rows : done;
        b.from = start + row * l->row;
        if (!h->g) {
            solve_block(h, &b, sequence, f);
            continue;
        }
        if (done + b.rows < length) { /* the w before the block is in another one */
            const struct block before = {.from = b.from + (reverse ? b.rows : -1) * l->row,
                                         .planes = 1,
                                         .rows = 1,
                                         .channels = b.channels};
            convert(h, &before, h->p->w, NULL, f->w0);
        } else
            load_w0(h, sequence, count, f->w0);
        gradient_block(h, &b, done == 0, f);
    }
    if (h->g && h->g->dw0)
        stored_of(h->p->type, count, f->dw0, (uint16_t *)h->g->dw0 + sequence);
}

/* A core. */
static void compute_jobs(const struct halves *h, _Atomic int64_t *next)
{
    struct floats f;
    for (int64_t job; (job = atomic_fetch_add(next, 1)) < h->jobs;)
        compute_blocks(h, job, &f);
}

static void run_half(const struct recurrence *p, const struct gradient *g, int most)
{
    const struct halves h = halves_of(p, g);
    const int cores = (int)smaller(smaller(most, h.jobs), 1 + p->length * p->batch / CORE_LEAST);
    _Atomic int64_t next = 0;
    if (cores == 1) { /* packed sequences call this from a core */
        compute_jobs(&h, &next);
        return;
    }
    OPENMP(omp parallel num_threads(cores))
    compute_jobs(&h, &next);
}
