/* W12 Fig. 7: parallel cyclic reduction against P-scheme on the same recurrence, the same G and T,
 * in the same run, both as speed-ups over one CPU thread. Run: make run, or build/gpu/pcr --help. */
#include "baseline.h"
#include "ceiling.h"
#include "device_program.h"
#include "expect.h"
#include "pcr.h"
#include "problems.h"
#include "../pscheme_gpu/pscheme_gpu.h"
#include "results.h"
#include "verify.h"

#include <string.h>

enum { PCR, PSCHEME, SERIAL };
static const struct variant variants[] = {
    {"pcr", "parallel cyclic reduction, one kernel a step, two buffers in turn"},
    {"pscheme", "P-scheme in the rearranged layout, as pscheme_gpu's variant of the paper"},
    {"serial", "the original substitution on one CPU thread, the baseline of the speed-ups"},
    {NULL, NULL}};

struct buffers {
    void *s, *t, *w, *work, *natural;
    void *host, *host_s, *host_t;
};

/* On the device s, t, w and natural once, the workspace three times; on the host three arrays. */
static void require(int64_t words)
{
    device_require("pcr", 8.0 * 7.0 * (double)words + ceiling_bytes(), 8.0 * 3.0 * (double)words);
}

static void allocate(struct buffers *b, int64_t words)
{
    size_t bytes = 8 * (size_t)words;
    CHECK(cudaMalloc(&b->s, bytes));
    CHECK(cudaMalloc(&b->t, bytes));
    CHECK(cudaMalloc(&b->w, bytes));
    CHECK(cudaMalloc(&b->natural, bytes));
    CHECK(cudaMalloc(&b->work, 3 * bytes));
    b->host = host_alloc("pcr", 8 * words);
    b->host_s = host_alloc("pcr", 8 * words);
    b->host_t = host_alloc("pcr", 8 * words);
}

static void release(struct buffers *b)
{
    void *all[] = {b->s, b->t, b->w, b->natural, b->work};
    for (void *memory : all)
        CHECK(cudaFree(memory));
    free(b->host);
    free(b->host_s);
    free(b->host_t);
}

static void upload(struct buffers *b, char type, int64_t n)
{
    size_t bytes = (size_t)(n * size_of(type));
    CHECK(cudaMemcpy(b->s, b->host_s, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b->t, b->host_t, bytes, cudaMemcpyHostToDevice));
}

/* Problem B: PCR takes it as arrays. */
static void make_constant(struct buffers *b, char type, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        put(type, b->host_s, i, RECURRENCE_SCALE);
        put(type, b->host_t, i, RECURRENCE_OFFSET);
    }
    upload(b, type, n);
}

/* n words on the device against the recurrence of host_s and host_t. */
static struct verdict verdict_of(struct buffers *b, char type, int64_t n, const void *w)
{
    return device_verify_recurrence(type, n, RECURRENCE_W0, b->host_s, 1, b->host_t, 1, w, b->host);
}

static struct pcr plan_pcr(struct buffers *b, char type, int64_t n, int blocks, int threads)
{
    struct pcr p = {type, n, blocks, threads, RECURRENCE_W0, b->s, b->t, b->w, b->work};
    return p;
}

static cudaError_t run_pcr(void *ctx, cudaStream_t stream)
{
    return pcr_solve((struct pcr *)ctx, stream);
}

static struct verdict solve_pcr(struct buffers *b, const struct pcr *p)
{
    size_t word = (size_t)size_of(p->type);
    CHECK(cudaMemset(p->w, 0xff, (size_t)p->n * word));
    CHECK(cudaMemset(p->work, 0xff, (size_t)pcr_work(p->n) * word));
    CHECK(pcr_solve(p, 0));
    return verdict_of(b, p->type, p->n, p->w);
}

static cudaError_t run_pscheme(void *ctx, cudaStream_t stream)
{
    return pscheme_solve((struct pscheme_recurrence *)ctx, stream);
}

static struct verdict solve_pscheme(struct buffers *b, const struct pscheme_recurrence *r)
{
    CHECK(pscheme_solve(r, 0));
    CHECK(pscheme_to_natural(r->type, &r->layout, r->w, b->natural, 0));
    return verdict_of(b, r->type, r->layout.n, b->natural);
}

static void add(struct results *results, struct row *row, int variant, struct verdict verdict,
                double words)
{
    row->variant = variants[variant].name;
    row->phase = "total";
    row->error = verdict.error;
    row->status = verdict.ok ? "ok" : "wrong";
    row->bytes = words * (double)row->n * size_of(row->type);
    results_add(results, row);
}

static int sweep(const struct program *program, const struct options *o)
{
    int64_t words =
        list_largest(&o->n, 1) + list_largest(&o->blocks, 1) * list_largest(&o->threads, 1) + 1;
    require(words);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    struct buffers b;
    allocate(&b, words);
    ceiling_rows(results, o->reps);
    int64_t done = 0,
            all = (int64_t)strlen(o->types) * o->n.count * o->blocks.count * o->threads.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            make_constant(&b, *type, n);
            if (o->has_variant[SERIAL])
                baseline_row(results, *type, n, o->reps);
            for (int g = 0; g < o->blocks.count; g++)
                for (int t = 0; t < o->threads.count; t++) {
                    struct row row = {};
                    row.type = *type;
                    row.n = n;
                    row.blocks = o->blocks.value[g];
                    row.threads = o->threads.value[t];
                    row.parts = row.blocks * row.threads;
                    row.device = device_name();
                    int blocks = (int)row.blocks, threads = (int)row.threads;
                    if (o->has_variant[PCR]) {
                        struct pcr p = plan_pcr(&b, *type, n, blocks, threads);
                        struct verdict verdict = solve_pcr(&b, &p);
                        CHECK(time_device(NULL, run_pcr, &p, o->reps, &row.time));
                        add(results, &row, PCR, verdict, 6.0 * pcr_steps(n));
                    }
                    if (o->has_variant[PSCHEME]) {
                        struct pscheme_recurrence r = pscheme_recurrence_plan(
                            PSCHEME_REARRANGED, *type, n, blocks, threads, RECURRENCE_W0,
                            RECURRENCE_SCALE, RECURRENCE_OFFSET);
                        r.w = b.w;
                        r.products = b.work;
                        struct verdict verdict = solve_pscheme(&b, &r);
                        CHECK(time_device(NULL, run_pscheme, &r, o->reps, &row.time));
                        add(results, &row, PSCHEME, verdict, 5);
                    }
                    progress(program->name, ++done, all, "configurations");
                }
        }
    release(&b);
    return results_close(results);
}

/* What makes no sense is refused, and nothing is written; nothing to do is done. */
static void check_misuse(struct buffers *b, char type)
{
    static const struct {
        int64_t n;
        int blocks, threads;
    } bad[] = {{-1, 2, 16},   {INT64_MAX / 23, 2, 16}, {INT64_MAX, 2, 16},
               {100, 0, 16},  {100, -1, 16},           {100, 2, 0},
               {100, 2, 1025}};
    const unsigned char poison = 0x5a;
    size_t word = (size_t)size_of(type), bytes = 100 * word;
    CHECK(cudaMemset(b->w, poison, bytes));
    CHECK(cudaMemset(b->work, poison, 3 * bytes));
    struct pcr p = plan_pcr(b, type, 100, 2, 16);
    struct expect_pointer arrays[] = {EXPECT_POINTER(p.s, word), EXPECT_POINTER(p.t, word),
                                      EXPECT_POINTER(p.w, word), EXPECT_POINTER(p.work, word)};
    EXPECT_POINTERS(arrays, pcr_solve(&p, 0), cudaErrorInvalidValue);
    EXPECT(pcr_solve(NULL, 0) == cudaErrorInvalidValue, "no struct");
    for (const auto &numbers : bad) {
        p = plan_pcr(b, type, numbers.n, numbers.blocks, numbers.threads);
        EXPECT(pcr_solve(&p, 0) == cudaErrorInvalidValue, "n = %lld, G = %d, T = %d",
               (long long)p.n, p.blocks, p.threads);
    }
    p = plan_pcr(b, 'x', 100, 2, 16);
    EXPECT(pcr_solve(&p, 0) == cudaErrorInvalidValue, "type x");
    p = plan_pcr(b, type, 0, 2, 16);
    EXPECT(pcr_solve(&p, 0) == cudaSuccess, "n = 0");
    p.s = p.t = NULL;
    p.w = p.work = NULL;
    EXPECT(pcr_solve(&p, 0) == cudaSuccess, "n = 0 needs no arrays");
    EXPECT(device_holds(b->w, poison, bytes) && device_holds(b->work, poison, 3 * bytes),
           "what was refused, or had nothing to do, wrote");
}

/* PCR over all kinds of coefficients, sizes, G and T; the inputs stay as they were. */
static int check(const struct options *o)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 1000, 4097, 1 << 18, 1 << 20, 1000007};
    static const int pairs[][2] = {{1, 1}, {4, 16}, {3, 33}, {32, 64}, {32, 512}, {2, 1024}};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = device_is_cpu() ? 4097 : 1 << 20;
    require(n_most + 1);
    struct buffers b;
    allocate(&b, n_most + 1); /* w_0 */
    for (const char *type = "sd"; *type; type++)
        for (int64_t n : sizes) {
            if (n > n_most)
                continue;
            size_t bytes = (size_t)(n * size_of(*type));
            for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
                fill_recurrence(*type, (enum recurrence_kind)kind, o->seed, n, b.host_s, b.host_t);
                upload(&b, *type, n);
                for (const int *pair : pairs) {
                    if (n > 4097 && !all && pair[1] != 512)
                        continue;
                    struct pcr p = plan_pcr(&b, *type, n, pair[0], pair[1]);
                    struct verdict verdict = solve_pcr(&b, &p);
                    EXPECT(
                        verdict.ok,
                        "pcr, %s, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows "
                        "at %lld",
                        recurrence_name((enum recurrence_kind)kind), *type, (long long)n, pair[0],
                        pair[1], verdict.used, (long long)verdict.worst);
                }
                CHECK(cudaMemcpy(b.host, b.s, bytes, cudaMemcpyDeviceToHost));
                EXPECT(memcmp(b.host, b.host_s, bytes) == 0, "s is as it was, n = %lld",
                       (long long)n);
                CHECK(cudaMemcpy(b.host, b.t, bytes, cudaMemcpyDeviceToHost));
                EXPECT(memcmp(b.host, b.host_t, bytes) == 0, "t is as it was, n = %lld",
                       (long long)n);
            }
            if (!all)
                continue;
            make_constant(&b, *type, n);
            for (int threads = 16; threads <= 512; threads *= 2) {
                struct pcr p = plan_pcr(&b, *type, n, 32, threads);
                struct verdict verdict = solve_pcr(&b, &p);
                EXPECT(verdict.ok, "pcr of problem B, type %c, n = %lld, T = %d: %.2g at %lld",
                       *type, (long long)n, threads, verdict.used, (long long)verdict.worst);
            }
        }
    check_misuse(&b, 's');
    check_misuse(&b, 'd');
    release(&b);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {};
    program.name = "pcr";
    program.summary = "parallel cyclic reduction against P-scheme (W12 Fig. 7)";
    program.variants = variants;
    program.takes = "n blocks threads type=sd";
    program.paper = "--n 256K,1M --blocks 32 --threads 16,32,64,128,256,512 --type s";
    program.quick = "--n 4K,16K --blocks 32 --threads 16,64,256 --type s,d --reps 5";
    return device_main(&program, argc, argv, check, sweep);
}
