/* Experiments and tests of the recurrence in one pass: GB/s against n, directions, constant s, the gradient, many short
 * sequences, beside CUB, the three-phase kernels, copy and triad. */
#include "recurrence_bench.h"
#include "ceiling.h"
#include "device_program.h"
#include "expect.h"
#include "recurrence.h"
#include "peers.h"
#include "problems.h"
#include "../../pscheme_g/pscheme_g.h"
#include "results.h"
#include "verify.h"

#include <math.h>
#include <string.h>

/* ---- problems: |s| near 1, so that no product vanishes; every word from its index alone ---- */

struct arrays {
    char type;
    int64_t n, batch;
    void *s, *t, *w, *w0; /* on the device; w0 of `batch` words */
    void *dw, *ds, *dt, *dw0;
    void *work;
    size_t bytes; /* of work */
    void *host_s, *host_t, *host_w, *host_w0, *host_dw, *host_ds, *host_dt, *host_dw0;
};

static double uniform(uint64_t seed, int64_t i)
{
    struct random r = {seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)};
    return random_uniform(&r, -1, 1);
}

/* s: modulus 1 - 1e-5 |u|, any angle (sign, if real). t, w0, dw: in [-1, 1) in each part. */
template <class R> static void fill(struct arrays *a, uint64_t seed, bool constant)
{
    int parts = is_complex(a->type) ? 2 : 1;
    R *s = (R *)a->host_s, *t = (R *)a->host_t, *w0 = (R *)a->host_w0, *dw = (R *)a->host_dw;
#pragma omp parallel for
    for (int64_t i = 0; i < a->n; i++) {
        double q = uniform(seed, i), size = 1 - 1e-5 * fabs(uniform(seed + 1, i));
        if (constant)
            s[parts * i] = (R)(i == 0 ? 1 - 1e-5 : NAN); /* the others are not read */
        else if (parts == 1)
            s[i] = (R)(q < 0 ? -size : size);
        else {
            s[2 * i] = (R)(size * (1 - q * q) / (1 + q * q));
            s[2 * i + 1] = (R)(size * 2 * q / (1 + q * q));
        }
        for (int k = 0; k < parts; k++) {
            t[parts * i + k] = (R)uniform(seed + 2, parts * i + k);
            dw[parts * i + k] = (R)uniform(seed + 3, parts * i + k);
        }
        if (constant && parts == 2)
            s[2 * i + 1] = 0;
    }
    for (int64_t i = 0; i < parts * a->batch; i++)
        w0[i] = (R)uniform(seed + 4, i);
}

static void problem(struct arrays *a, uint64_t seed, bool constant)
{
    if (real_type(a->type) == 's')
        fill<float>(a, seed, constant);
    else
        fill<double>(a, seed, constant);
    size_t word = (size_t)size_of(a->type), bytes = (size_t)a->n * word;
    CHECK(cudaMemcpy(a->s, a->host_s, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->t, a->host_t, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->dw, a->host_dw, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->w0, a->host_w0, (size_t)a->batch * word, cudaMemcpyHostToDevice));
}

/* For n unknowns in up to `batch` sequences. */
static void allocate(struct arrays *a, char type, int64_t n, int64_t batch)
{
    size_t word = (size_t)size_of(type), bytes = (size_t)(n + 4) * word;
    a->type = type;
    a->n = n;
    a->batch = batch;
    a->bytes = recurrence_workspace(type, n);
    device_require("pscheme_g", (double)bytes * 6 + (double)a->bytes + ceiling_bytes(),
                   (double)bytes * 6);
    void **device[] = {&a->s, &a->t, &a->w, &a->dw, &a->ds, &a->dt};
    for (void **array : device)
        CHECK(cudaMalloc(array, bytes));
    CHECK(cudaMalloc(&a->w0, (size_t)(batch + 4) * word));
    CHECK(cudaMalloc(&a->dw0, (size_t)(batch + 4) * word));
    CHECK(cudaMalloc(&a->work, a->bytes));
    CHECK(recurrence_prepare(a->work, a->bytes, 0));
    void **host[] = {&a->host_s, &a->host_t, &a->host_w, &a->host_dw, &a->host_ds, &a->host_dt};
    for (void **array : host)
        *array = host_alloc("pscheme_g", (int64_t)bytes);
    a->host_w0 = host_alloc("pscheme_g", (batch + 4) * size_of(type));
    a->host_dw0 = host_alloc("pscheme_g", (batch + 4) * size_of(type));
}

static void release(struct arrays *a)
{
    void *device[] = {a->s, a->t, a->w, a->dw, a->ds, a->dt, a->w0, a->dw0, a->work};
    for (void *array : device)
        CHECK(cudaFree(array));
    void *host[] = {a->host_s,  a->host_t,  a->host_w,  a->host_dw,
                    a->host_ds, a->host_dt, a->host_w0, a->host_dw0};
    for (void *array : host)
        free(array);
}

static struct recurrence plan(const struct arrays *a)
{
    struct recurrence p = {};
    p.type = a->type;
    p.length = a->n / a->batch;
    p.batch = a->batch;
    p.s = a->s;
    p.t = a->t;
    p.w0 = a->w0;
    p.w = a->w;
    return p;
}

/* ---- verification ---- */

/* R: double for results in single precision, long double for double. */
template <class R> struct number {
    R re, im;
};
template <class W, class R> static number<R> word(const W *array, int parts, int64_t i)
{
    return {array[parts * i], parts == 2 ? array[2 * i + 1] : 0};
}
template <class R> static number<R> step(number<R> s, number<R> x, number<R> t)
{
    return {s.re * x.re - s.im * x.im + t.re, s.re * x.im + s.im * x.re + t.im};
}
template <class R> static R size(number<R> x)
{
    return x.im == 0 ? fabsl(x.re) : sqrtl(x.re * x.re + x.im * x.im);
}

/* An error against two bounds. One holds always (recurrence.h), but is of no use for a long sequence: (i + 12) u B_i. The
 * other holds for rounding errors of random sign: each of the j steps so far errs by u times the largest value at most,
 * and their sum exceeds eight times its standard deviation never in practice. */
struct judge {
    double u, error, used;
    double used_sure; /* of the first bound alone */
    int64_t worst;
};
static void judge_one(struct judge *j, double difference, double bound, double largest,
                      int64_t steps, int64_t at)
{
    double by = (double)steps + 12, sure = by * j->u * bound,
           likely = 8 * sqrt(by) * j->u * largest, error = difference / bound,
           used = difference / (sure < likely ? sure : likely), used_sure = difference / sure;
    if (difference == 0)
        error = used = used_sure = 0;
    if (!isfinite(difference) || !(used < INFINITY)) /* NaN would be forgotten at the next word */
        error = used = used_sure = INFINITY;
    if (error > j->error)
        j->error = error;
    if (used_sure > j->used_sure)
        j->used_sure = used_sure;
    if (used > j->used) {
        j->used = used;
        j->worst = at;
    }
}

static struct judge worse_of(struct judge x, struct judge y)
{
    if (y.used > x.used) {
        x.used = y.used;
        x.worst = y.worst;
    }
    if (y.error > x.error)
        x.error = y.error;
    if (y.used_sure > x.used_sure)
        x.used_sure = y.used_sure;
    return x;
}

/* host_w (and, if gradient, host_ds, host_dt, host_dw0) of the problem in a. */
template <class W, class R>
static struct judge judged_sequence(const struct arrays *a, const struct recurrence *p, int64_t b,
                                    bool gradient)
{
    int parts = is_complex(a->type) ? 2 : 1;
    const W *s = (const W *)a->host_s, *t = (const W *)a->host_t, *w = (const W *)a->host_w,
            *dw = (const W *)a->host_dw, *ds = (const W *)a->host_ds, *dt = (const W *)a->host_dt;
    struct judge j = {unit_roundoff(a->type) * parts, 0, 0, 0, -1};
    number<R> zero = {0, 0}, before = zero;
    if (p->w0)
        before = word<W, R>((const W *)a->host_w0, parts, b);
    if (!gradient) {
        number<R> x = before;
        R bound = size(x), largest = bound;
        for (int64_t i = 0; i < p->length; i++) {
            int64_t at = b * p->length + (p->reverse ? p->length - 1 - i : i);
            number<R> si = word<W, R>(s, parts, p->constant ? 0 : at),
                      ti = word<W, R>(t, parts, at), got = word<W, R>(w, parts, at);
            x = step(si, x, ti);
            bound = size(si) * bound + size(ti);
            largest = largest < size(x) ? size(x) : largest;
            number<R> off = {got.re - x.re, got.im - x.im};
            judge_one(&j, (double)size(off), (double)bound, (double)largest, i + 1, at);
        }
        return j;
    }
    number<R> c = zero;
    R bound = 0, largest = 0;
    for (int64_t i = p->length - 1; i >= 0; i--) {
        int64_t at = b * p->length + (p->reverse ? p->length - 1 - i : i);
        number<R> si = word<W, R>(s, parts, at), g = word<W, R>(dw, parts, at),
                  previous = i == 0 ? before : word<W, R>(w, parts, at + (p->reverse ? 1 : -1)),
                  d = {g.re + c.re, g.im + c.im}, e;
        si.im = -si.im;
        previous.im = -previous.im;
        bound += size(g);
        largest = largest < size(d) ? size(d) : largest;
        number<R> got = word<W, R>(dt, parts, at), got_s = word<W, R>(ds, parts, at);
        number<R> off = {got.re - d.re, got.im - d.im};
        judge_one(&j, (double)size(off), (double)bound, (double)largest, p->length - i + 1, at);
        e = step(d, previous, zero);
        off = {got_s.re - e.re, got_s.im - e.im};
        judge_one(&j, (double)size(off), (double)(bound * size(previous)),
                  (double)(largest * size(previous)), p->length - i + 1, at);
        c = step(si, d, zero);
        bound *= size(si);
    }
    number<R> got = word<W, R>((const W *)a->host_dw0, parts, b),
              off = {got.re - c.re, got.im - c.im};
    judge_one(&j, (double)size(off), (double)bound, (double)largest, p->length + 1, b * p->length);
    return j;
}

static struct judge judged(const struct arrays *a, const struct recurrence *p, bool gradient)
{
    struct judge all = {0, 0, 0, 0, -1};
#pragma omp parallel for schedule(dynamic)
    for (int64_t b = 0; b < p->batch; b++) {
        struct judge j = real_type(a->type) == 's'
                             ? judged_sequence<float, double>(a, p, b, gradient)
                             : judged_sequence<double, long double>(a, p, b, gradient);
#pragma omp critical
        all = worse_of(all, j);
    }
    return all;
}

static void download(const struct arrays *a, void *host, const void *device, int64_t words)
{
    CHECK(cudaMemcpy(host, device, (size_t)(words * size_of(a->type)), cudaMemcpyDeviceToHost));
}

/* Solve into poisoned memory and compare. */
static struct judge solved(struct arrays *a, const struct recurrence *p)
{
    size_t word = (size_t)size_of(a->type);
    if (p->w == a->w)
        CHECK(cudaMemset(a->w, 0xff, (size_t)(a->n + 4) * word));
    CHECK(recurrence_solve(p, a->work, a->bytes, 0));
    download(a, a->host_w, p->w, a->n);
    return judged(a, p, false);
}

/* Of the w in a->host_w and p->w. */
static struct judge differentiated(struct arrays *a, const struct recurrence *p)
{
    size_t word = (size_t)size_of(a->type), n = (size_t)a->n;
    CHECK(cudaMemset(a->ds, 0xff, n * word));
    CHECK(cudaMemset(a->dt, 0xff, n * word));
    CHECK(cudaMemset(a->dw0, 0xff, (size_t)a->batch * word));
    CHECK(recurrence_gradient(p, a->dw, a->ds, a->dt, a->dw0, a->work, a->bytes, 0));
    download(a, a->host_ds, a->ds, a->n);
    download(a, a->host_dt, a->dt, a->n);
    download(a, a->host_dw0, a->dw0, a->batch);
    return judged(a, p, true);
}

/* ---- what is timed ---- */

struct run {
    struct arrays *a;
    struct recurrence p;
    struct peer_cub cub;
    void *cub_work;
    size_t cub_bytes;
};
static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    struct run *r = (struct run *)ctx;
    return recurrence_solve(&r->p, r->a->work, r->a->bytes, stream);
}
static cudaError_t run_gradient(void *ctx, cudaStream_t stream)
{
    struct run *r = (struct run *)ctx;
    struct arrays *a = r->a;
    return recurrence_gradient(&r->p, a->dw, a->ds, a->dt, a->dw0, a->work, a->bytes, stream);
}
static cudaError_t run_three_phases(void *ctx, cudaStream_t stream)
{
    return pscheme_g_solve((struct pscheme_g *)ctx, stream);
}
#ifdef __CUDACC__
static cudaError_t run_cub(void *ctx, cudaStream_t stream)
{
    struct run *r = (struct run *)ctx;
    return peer_cub_solve(&r->cub, r->cub_work, &r->cub_bytes, stream);
}
#endif

static struct row row_of(const char *variant, const struct arrays *a, const char *phase,
                         double words, struct judge j)
{
    struct row row = {};
    row.variant = variant;
    row.type = a->type;
    row.n = a->n;
    row.batch = a->batch;
    row.phase = phase;
    row.device = device_name();
    row.bytes = words * (double)a->n * size_of(a->type);
    row.error = j.error;
    row.status = j.used <= 1 ? "ok" : "wrong";
    return row;
}

static void solve_row(struct results *results, struct arrays *a, int reps, const char *variant,
                      const char *phase, const struct recurrence *p)
{
    struct run run = {a, *p, {}, NULL, 0};
    struct row row = row_of(variant, a, phase, p->constant ? 2 : 3, solved(a, p));
    CHECK(time_device(NULL, run_solve, &run, reps, &row.time));
    results_add(results, &row);
}

/* All kinds of calls of one size and type. */
static void size_rows(struct results *results, struct arrays *a, const struct options *o,
                      bool kinds)
{
    struct recurrence p = plan(a);
    solve_row(results, a, o->reps, "one_pass", "total", &p);
    if (a->type == 's') {
        p.carry = RECURRENCE_CARRY_WARP;
        solve_row(results, a, o->reps, "one_warp", "total", &p);
        p.carry = RECURRENCE_AUTO;
    }
    if (kinds) {
        struct run run = {a, p, {}, NULL, 0};
        struct row row = row_of("one_pass", a, "gradient", 5, differentiated(a, &p));
        CHECK(time_device(NULL, run_gradient, &run, o->reps, &row.time));
        results_add(results, &row);
        p.reverse = 1;
        solve_row(results, a, o->reps, "one_pass", "reverse", &p);
        p.reverse = 0;
        problem(a, o->seed, true);
        p.constant = 1;
        solve_row(results, a, o->reps, "one_pass", "constant", &p);
        problem(a, o->seed, false);
    }
}

/* The same work by kernels for each phase and by CUB; single and double precision. */
static void peer_rows(struct results *results, struct arrays *a, const struct options *o,
                      bool three_phase, bool cub)
{
    double w0 = get(a->type, a->host_w0, 0);
    static const int shapes[][2] = {{64, 128}, {264, 128}, {528, 256}};
    void *w, *carry;
    size_t word = (size_t)size_of(a->type);
    CHECK(cudaMalloc(&w, (size_t)(a->n + 1) * word));
    CHECK(cudaMalloc(&carry, 2 * 528 * 256 * word));
    struct recurrence p = plan(a);
    for (const int *shape : shapes) {
        if (!three_phase || a->n < 4 * shape[0] * shape[1] ||
            a->n / (shape[0] * shape[1]) > 1 << 14)
            continue;
        struct pscheme_g g = pscheme_g_plan(PSCHEME_G_ARRAYS, a->type, a->n, shape[0], shape[1], w0,
                                            pscheme_g_coefficient{});
        g.s = a->s;
        g.t = a->t;
        g.w = w;
        g.carry = carry;
        CHECK(pscheme_g_solve(&g, 0));
        download(a, a->host_w, (char *)w + word, a->n);
        /* Its errors have a sign: a part's product of hundreds of s just below 1 is rounded down each time, for the exact
         * (1 - k v)(1 - m v) = 1 - (k + m) v + k m v^2 lies next to 1 - (k + m) v, v = 2^-24. So by the sure bound. */
        struct judge j = judged(a, &p, false);
        struct row row = row_of("arrays", a, "total", 6, j);
        row.status = j.used_sure <= 1 ? "ok" : "wrong";
        row.blocks = shape[0];
        row.threads = shape[1];
        CHECK(time_device(NULL, run_three_phases, &g, o->reps, &row.time));
        results_add(results, &row);
    }
#ifdef __CUDACC__
    if (cub) {
        struct run run = {a, p, {a->type, a->n, w0, a->s, a->t, a->w}, NULL, 0};
        CHECK(peer_cub_solve(&run.cub, NULL, &run.cub_bytes, 0));
        CHECK(cudaMalloc(&run.cub_work, run.cub_bytes));
        CHECK(run_cub(&run, 0));
        download(a, a->host_w, a->w, a->n);
        struct row row = row_of("cub_scan", a, "total", 3, judged(a, &p, false));
        CHECK(time_device(NULL, run_cub, &run, o->reps, &row.time));
        results_add(results, &row);
        CHECK(cudaFree(run.cub_work));
    }
#else
    (void)cub;
#endif
    CHECK(cudaFree(w));
    CHECK(cudaFree(carry));
}

int recurrence_bench(const struct program *program, const struct options *o, const char *types,
                     bool three_phase, bool cub, const char *csv)
{
    struct results *results = results_open(program->name, program->device, csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    for (const char *type = types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            /* The largest size as many bytes as in single precision. */
            int64_t most = list_largest(&o->n, 1) * 4 / size_of(*type), n = o->n.value[i];
            bool last = i == o->n.count - 1;
            if (n >= most && !last)
                continue;
            n = n > most ? most : n;
            struct arrays a;
            int64_t batches = 1;
            while (batches < 1 << 20 && n % (4 * batches) == 0 && batches <= n / 16)
                batches *= 4;
            /* What is solved, and beside it the arrays of the ceilings or of a peer and its workspace. */
            device_require(program->name, 10.0 * size_of(*type) * (double)n,
                           6.0 * size_of(*type) * (double)n);
            allocate(&a, *type, n, batches);
            problem(&a, o->seed, false);
            a.batch = 1;
            if (*type == 's')
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            size_rows(results, &a, o, last);
            if (*type == 's' || *type == 'd')
                peer_rows(results, &a, o, three_phase, cub);
            /* Many sequences of the same words. */
            for (a.batch = 4; last && *type == 's' && a.batch <= batches; a.batch *= 4) {
                struct recurrence p = plan(&a);
                solve_row(results, &a, o->reps, "one_pass", "total", &p);
            }
            release(&a);
        }
    return results_close(results);
}

/* ---- --check ---- */

/* Word offsets into the arrays, so that nothing is aligned to 16 bytes alike. */
static void shift(struct arrays *a, struct recurrence *p, int64_t offset)
{
    size_t word = (size_t)size_of(a->type), bytes = (size_t)a->n * word;
    p->s = (char *)a->s + offset % 3 * (int64_t)word;
    p->t = (char *)a->t + (offset + 1) % 3 * (int64_t)word;
    p->w = (char *)a->w + offset % 4 * (int64_t)word;
    CHECK(cudaMemcpy((void *)p->s, a->host_s, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy((void *)p->t, a->host_t, bytes, cudaMemcpyHostToDevice));
}

static void check_case(char type, int64_t length, int64_t batch, uint64_t seed, int number)
{
    struct arrays a;
    allocate(&a, type, length * batch, batch);
    bool constant = number % 5 == 4;
    problem(&a, seed, constant);
    struct recurrence p = plan(&a);
    p.constant = constant;
    p.reverse = number % 2;
    p.carry = (enum recurrence_carry)(number % 3);
    p.blocks = number % 4;
    if (number % 7 == 3)
        shift(&a, &p, number);
    if (number % 11 == 5)
        p.w0 = NULL;
    struct judge j = solved(&a, &p);
    EXPECT(j.used <= 1, "type %c, %lld x %lld, number %d: %g of what rounding allows at %lld", type,
           (long long)batch, (long long)length, number, j.used, (long long)j.worst);
    /* The same bits again, from another number of blocks. */
    void *first = host_alloc("pscheme_g", a.n * size_of(type));
    memcpy(first, a.host_w, (size_t)(a.n * size_of(type)));
    p.blocks = (number + 1) % 4;
    (void)solved(&a, &p);
    EXPECT(memcmp(first, a.host_w, (size_t)(a.n * size_of(type))) == 0,
           "type %c, %lld x %lld, number %d: other bits on %d blocks", type, (long long)batch,
           (long long)length, number, p.blocks);
    free(first);
    if (!constant) {
        j = differentiated(&a, &p);
        EXPECT(j.used <= 1,
               "gradient, type %c, %lld x %lld, number %d: %g of what rounding allows at %lld",
               type, (long long)batch, (long long)length, number, j.used, (long long)j.worst);
        p.w = a.t; /* in place, with the workspace that the gradient has used */
        CHECK(cudaMemcpy(a.t, a.host_t, (size_t)(a.n * size_of(type)), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(a.s, a.host_s, (size_t)(a.n * size_of(type)), cudaMemcpyHostToDevice));
        p.s = a.s;
        p.t = a.t;
        j = solved(&a, &p);
        EXPECT(j.used <= 1, "in place, type %c, %lld x %lld, number %d: %g of what rounding allows",
               type, (long long)batch, (long long)length, number, j.used);
    }
    release(&a);
}

/* w of a problem given in single or double precision by name, one sequence. */
static void solve_given(struct arrays *a, const double *s, const double *t, double w0, double *w)
{
    for (int64_t i = 0; i < a->n; i++) {
        put(a->type, a->host_s, i, s[i]);
        put(a->type, a->host_t, i, t[i]);
    }
    put(a->type, a->host_w0, 0, w0);
    size_t bytes = (size_t)(a->n * size_of(a->type));
    CHECK(cudaMemcpy(a->s, a->host_s, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->t, a->host_t, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->w0, a->host_w0, (size_t)size_of(a->type), cudaMemcpyHostToDevice));
    struct recurrence p = plan(a);
    CHECK(recurrence_solve(&p, a->work, a->bytes, 0));
    download(a, a->host_w, a->w, a->n);
    for (int64_t i = 0; i < a->n; i++)
        w[i] = get(a->type, a->host_w, i);
}

/* Integers are exact, NaN and infinity go where the serial loop takes them, and a product that overflows is where they
 * part (recurrence.h). */
static void check_numbers(uint64_t seed)
{
    enum { N = 20000 };
    static double s[N], t[N], w[N];
    struct random r = {seed};
    struct arrays a;
    allocate(&a, 'd', N, 1);
    for (int i = 0; i < N; i++) { /* three 2s between zeros: at most 8 (2^20 + …) */
        s[i] = i % 16 == 0 ? 0 : i % 5 == 0 ? 2 : random_bits(&r) % 2 ? 1 : -1;
        t[i] = (double)(random_bits(&r) % (1 << 20)) - (1 << 19);
    }
    solve_given(&a, s, t, 7, w);
    double x = 7;
    int64_t wrong = 0;
    for (int i = 0; i < N; i++) {
        x = s[i] * x + t[i];
        wrong += !(w[i] == x);
    }
    EXPECT(wrong == 0, "%lld integers of %d are not exact", (long long)wrong, N);

    /* s = 1, so that no product over- or underflows: a NaN at 5000, an infinity at 9000 of another run. */
    for (int i = 0; i < N; i++)
        s[i] = 1, t[i] = i == 5000 ? NAN : 1;
    solve_given(&a, s, t, 0, w);
    EXPECT(w[4999] == 5000 && isnan(w[5000]) && isnan(w[N - 1]), "NaN: %g %g %g", w[4999], w[5000],
           w[N - 1]);
    for (int i = 0; i < N; i++)
        t[i] = i == 9000 ? INFINITY : i == 12000 ? -INFINITY : 1;
    solve_given(&a, s, t, 0, w);
    EXPECT(w[8999] == 9000 && w[9000] == INFINITY && w[11999] == INFINITY && isnan(w[12000]),
           "infinity: %g %g %g %g", w[8999], w[9000], w[11999], w[12000]);
    release(&a);

    allocate(&a, 's', 4, 1);
    static const double large[] = {1e30, 1e30, 1e-30, 1e-30}, none[] = {0, 0, 0, 0};
    solve_given(&a, large, none, 1e-30, w);
    /* The first thread has all four and steps through them as the serial loop does. */
    EXPECT(fabs(w[3] - 1e-30) < 1e-36, "1e30, 1e30, 1e-30, 1e-30 in one thread: %g", w[3]);
    release(&a);
    /* Behind a thread's share of ones the product of four comes before the value: infinite, and then not a number. */
    allocate(&a, 's', 200, 1);
    for (int i = 0; i < 200; i++)
        s[i] = 1, t[i] = 0;
    memcpy(s + 100, large, sizeof large);
    solve_given(&a, s, t, 1e-30, w);
    EXPECT(fabs(w[103] / 1e-30 - 1) < 1e-6 && !(fabs(w[199] / 1e-30 - 1) < 1e-6),
           "products that overflow: %g, then %g", w[103], w[199]);
    release(&a);
    allocate(&a, 'd', 200, 1);
    solve_given(&a, s, t, 1e-30, w);
    EXPECT(fabs(w[199] / 1e-30 - 1) < 1e-6, "the same in double precision: %g", w[199]);
    release(&a);
}

/* One sequence's NaN is not its neighbours'. */
static void check_neighbours(uint64_t seed)
{
    enum { LENGTH = 37, BATCH = 501 };
    for (int reverse = 0; reverse < 2; reverse++) {
        struct arrays a;
        allocate(&a, 's', LENGTH * BATCH, BATCH);
        problem(&a, seed, false);
        float *s = (float *)a.host_s, *t = (float *)a.host_t;
        for (int b = 0; b < BATCH; b += 3) {
            t[b * LENGTH + b % LENGTH] = NAN;
            s[b * LENGTH + (b + 5) % LENGTH] = INFINITY;
        }
        size_t bytes = sizeof(float) * LENGTH * BATCH;
        CHECK(cudaMemcpy(a.s, s, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(a.t, t, bytes, cudaMemcpyHostToDevice));
        struct recurrence p = plan(&a);
        p.reverse = reverse;
        (void)solved(&a, &p);
        int64_t wrong = 0;
        for (int b = 0; b < BATCH; b++)
            if (b % 3 != 0)
                wrong += !(judged_sequence<float, double>(&a, &p, b, false).used <= 1);
        EXPECT(wrong == 0, "%lld sequences disturbed by their neighbours", (long long)wrong);
        release(&a);
    }
}

static void check_misuse(void)
{
    struct arrays a;
    allocate(&a, 's', 100, 1);
    problem(&a, 1, false);
    const struct recurrence good = plan(&a);
    struct recurrence p = good;
#define REFUSED(change)                                                                            \
    p = good;                                                                                      \
    change;                                                                                        \
    EXPECT(recurrence_solve(&p, a.work, a.bytes, 0) == cudaErrorInvalidValue, #change)
    REFUSED(p.type = 'x');
    REFUSED(p.length = -1);
    REFUSED(p.batch = -1);
    REFUSED(p.blocks = -1);
    REFUSED(p.s = NULL);
    REFUSED(p.t = NULL);
    REFUSED(p.w = NULL);
    REFUSED(p.t = (char *)a.t + 2);
    REFUSED(p.length = INT64_MAX; p.batch = 2);
    REFUSED(p.length = 1 << 30);
    REFUSED(p.carry = (enum recurrence_carry)3);
#undef REFUSED
    p = good;
    EXPECT(recurrence_solve(&p, a.work, a.bytes - 1, 0) == cudaErrorInvalidValue,
           "small workspace");
    EXPECT(recurrence_solve(&p, NULL, a.bytes, 0) == cudaErrorInvalidValue, "no workspace");
    EXPECT(recurrence_solve(&p, (char *)a.work + 8, a.bytes, 0) == cudaErrorInvalidValue,
           "workspace not aligned");
    EXPECT(recurrence_gradient(&p, a.dw, a.ds, NULL, NULL, a.work, a.bytes, 0) ==
               cudaErrorInvalidValue,
           "no dt");
    p.constant = 1;
    EXPECT(recurrence_gradient(&p, a.dw, a.ds, a.dt, NULL, a.work, a.bytes, 0) ==
               cudaErrorInvalidValue,
           "gradient of constant s");
    p = good;
    p.length = 0;
    EXPECT(recurrence_solve(&p, NULL, 0, 0) == cudaSuccess, "n = 0");
    EXPECT(recurrence_workspace('x', 10) == 0 && recurrence_workspace('s', -1) == 0, "workspace");
    EXPECT(recurrence_solve(&good, a.work, a.bytes, 0) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess,
           "after all that");
    release(&a);
}

/* Pointers that are NULL or not aligned are refused, and nothing is written. */
static void check_pointers(char type)
{
    enum { N = 100 };
    const unsigned char poison = 0x5a;
    struct arrays a;
    allocate(&a, type, N, 1);
    problem(&a, 1, false);
    size_t word = (size_t)size_of(type), bytes = N * word;
    void *const outputs[] = {a.w, a.ds, a.dt};
    for (void *output : outputs)
        CHECK(cudaMemset(output, poison, bytes));
    CHECK(cudaMemset(a.dw0, poison, word));
    CHECK(cudaMemset(a.work, poison, a.bytes));
    struct recurrence p = plan(&a);
    void *work = a.work;
    struct expect_pointer room[] = {EXPECT_POINTER(work, 16)};
    EXPECT_POINTERS(room, recurrence_prepare(work, a.bytes, 0), cudaErrorInvalidValue);
    EXPECT(recurrence_prepare(NULL, 0, 0) == cudaErrorInvalidValue, "no workspace of no bytes");
    for (int constant = 0; constant < 2; constant++) {
        p.constant = constant;
        struct expect_pointer arrays[] = {EXPECT_POINTER(p.s, word), EXPECT_POINTER(p.t, word),
                                          EXPECT_POINTER_OR_NULL(p.w0, word),
                                          EXPECT_POINTER(p.w, word), EXPECT_POINTER(work, 16)};
        EXPECT_POINTERS(arrays, recurrence_solve(&p, work, a.bytes, 0), cudaErrorInvalidValue);
    }
    p.constant = 0;
    const void *dw = a.dw;
    void *ds = a.ds, *dt = a.dt, *dw0 = a.dw0;
    struct expect_pointer arrays[] = {EXPECT_POINTER(p.s, word), EXPECT_POINTER_OR_NULL(p.w0, word),
                                      EXPECT_POINTER(p.w, word), EXPECT_POINTER(dw, word),
                                      EXPECT_POINTER(ds, word),  EXPECT_POINTER(dt, word),
                                      EXPECT_POINTER(work, 16),  EXPECT_POINTER_OR_NULL(dw0, word)};
    EXPECT_POINTERS(arrays, recurrence_gradient(&p, dw, ds, dt, dw0, work, a.bytes, 0),
                    cudaErrorInvalidValue);
    EXPECT(recurrence_solve(NULL, work, a.bytes, 0) == cudaErrorInvalidValue &&
               recurrence_gradient(NULL, dw, ds, dt, dw0, work, a.bytes, 0) ==
                   cudaErrorInvalidValue,
           "no struct");
    for (void *output : outputs)
        EXPECT(device_holds(output, poison, bytes), "type %c: what was refused wrote", type);
    EXPECT(device_holds(a.dw0, poison, word) && device_holds(a.work, poison, a.bytes),
           "type %c: what was refused wrote", type);

    CHECK(recurrence_prepare(work, a.bytes, 0));
    p.w0 = NULL;
    EXPECT(recurrence_solve(&p, work, a.bytes, 0) == cudaSuccess, "type %c: no w0", type);
    p.t = (char *)a.t + word / 2;
    EXPECT(recurrence_gradient(&p, dw, ds, dt, NULL, work, a.bytes, 0) == cudaSuccess,
           "type %c: no dw0, and a t that is not used", type);
    p.length = 0;
    p.s = p.t = NULL;
    p.w = NULL;
    EXPECT(recurrence_solve(&p, NULL, 0, 0) == cudaSuccess &&
               recurrence_gradient(&p, NULL, NULL, NULL, NULL, NULL, 0, 0) == cudaSuccess,
           "type %c: n = 0 needs no arrays", type);
    CHECK(cudaDeviceSynchronize());
    release(&a);
}

/* The judge sees one word that is wrong, or not a number, wherever it is. */
static void check_judge(uint64_t seed)
{
    struct arrays a;
    allocate(&a, 's', 1000, 10);
    problem(&a, seed, false);
    struct recurrence p = plan(&a);
    EXPECT(solved(&a, &p).used <= 1, "what the judge is tried with");
    (void)differentiated(&a, &p);
    void *const results[] = {a.host_w, a.host_ds, a.host_dt};
    for (void *result : results)
        for (int i = 0; i < 1000; i += 37) {
            float *word = (float *)result + i, right = *word;
            const float wrong[] = {NAN, INFINITY, right + 1e-3f};
            for (float w : wrong) {
                *word = w;
                EXPECT(!(judged(&a, &p, result != a.host_w).used <= 1),
                       "%g instead of %g, word %d, is not seen", w, right, i);
            }
            *word = right;
        }
    EXPECT(judged(&a, &p, true).used <= 1, "all is right again");
    release(&a);
}

/* Captured in a graph, which is replayed, on a stream of its own. The CPU device has no graphs. */
static void check_graph(uint64_t seed)
{
#ifdef __CUDACC__
    struct arrays a;
    allocate(&a, 'd', 1000003, 1);
    problem(&a, seed, false);
    struct recurrence p = plan(&a);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(recurrence_solve(&p, a.work, a.bytes, stream));
    CHECK(recurrence_gradient(&p, a.dw, a.ds, a.dt, a.dw0, a.work, a.bytes, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(a.w, 0xff, sizeof(double) * 1000003));
        CHECK(cudaGraphLaunch(replay, stream));
        CHECK(cudaStreamSynchronize(stream));
        download(&a, a.host_w, a.w, a.n);
        download(&a, a.host_ds, a.ds, a.n);
        download(&a, a.host_dt, a.dt, a.n);
        download(&a, a.host_dw0, a.dw0, 1);
        struct judge j = worse_of(judged(&a, &p, false), judged(&a, &p, true));
        EXPECT(j.used <= 1, "replay %d of a graph: %g of what rounding allows", k, j.used);
    }
    CHECK(cudaGraphExecDestroy(replay));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    release(&a);
#else
    (void)seed;
#endif
}

/* Beyond 2^31 unknowns: only where there is memory for it. */
static void check_long(uint64_t seed)
{
    int64_t n = (INT64_C(1) << 31) + 5;
    if (device_is_cpu() || !device_fits(7.0 * 4 * (double)n, 6.0 * 4 * (double)n))
        return;
    struct arrays a;
    allocate(&a, 's', n, 1);
    problem(&a, seed, false);
    struct recurrence p = plan(&a);
    struct judge j = solved(&a, &p);
    EXPECT(j.used <= 1, "n = 2^31 + 5: %g of what rounding allows", j.used);
    release(&a);
}

void recurrence_check(uint64_t seed, bool all, int *passed, int *failed)
{
    static const int64_t shapes[][2] = {
        {1, 1},    {2, 1},     {37, 1},     {1000, 1},  {9216, 1},  {9217, 1},  {30001, 1},
        {1, 4000}, {3, 1000},  {36, 300},   {100, 97},  {4096, 5},  {5000, 7},  {2304, 9},
        {1152, 8}, {18432, 2}, {100003, 1}, {17408, 3}, {5120, 11}, {80000, 1},
    };
    int number = 0;
    for (const int64_t *shape : shapes)
        for (const char *type = "sdcz"; *type; type++)
            for (int k = 0; k < (all ? 6 : 2); k++)
                check_case(*type, shape[0], shape[1], seed, number++);
    if (all) { /* more tiles than each looks at, and than a GPU holds */
        static const int64_t more[][2] = {{3000000, 1}, {5000000, 1}, {1 << 20, 9}, {1000, 9000}};
        for (const int64_t *shape : more)
            for (const char *type = "sdcz"; *type; type++) {
                int k = number++;
                check_case(*type, shape[0], shape[1], seed, k % 3 == 1 ? k + 1 : k);
            }
        check_long(seed);
    }
#ifndef __CUDACC__
    /* The order in which blocks begin and threads go on is any. */
    for (uint64_t order = 1; order <= 3; order++) {
        cpu_device_shuffle(order);
        check_case('z', 30001, 1, seed, 2);
        check_case('z', 700, 45, seed, 5);
        check_case('s', 100003, 1, seed, 8);
    }
    cpu_device_shuffle(0);
#endif
    check_judge(seed);
    check_graph(seed);
    check_numbers(seed);
    check_neighbours(seed);
    check_misuse();
    for (const char *type = "sdcz"; *type; type++)
        check_pointers(*type);
    *passed += expect_passed;
    *failed += expect_failed;
}
