/* W12 Fig. 7: parallel cyclic reduction against P-scheme, at the same G and T. Run: make run. */
#include "main.h"
#include "../pscheme_gpu/pscheme_gpu.h"
#include "ceiling.h"
#include "problems.h"

#include <initializer_list>

static const struct variant variants[] = {
    {"pcr", "parallel cyclic reduction, one kernel a step, two buffers in turn"},
    {"cr", "cyclic reduction to two unknowns and substitution, one kernel a step"},
    {"cr_pcr", "cyclic reduction to G T unknowns, PCR of these, and substitution"},
    {"pscheme", "P-scheme in the rearranged layout, as pscheme_gpu's rearranged"},
    {}};

void allocate(struct problem *b, int64_t elements)
{
    size_t bytes = 8 * (size_t)elements;
    device_require("pcr", 7.0 * (double)bytes + ceiling_bytes(), 3.0 * (double)bytes);
    for (void **array : {&b->s, &b->t, &b->w, &b->natural})
        *array = memory_device(&b->memory, bytes);
    b->work = memory_device(&b->memory, 3 * bytes);
    for (void **array : {&b->host, &b->host_s, &b->host_t})
        *array = memory_host(&b->memory, bytes);
}

void upload(struct problem *b, char type, int64_t n)
{
    device_upload(b->s, b->host_s, (size_t)(n * size_of(type)));
    device_upload(b->t, b->host_t, (size_t)(n * size_of(type)));
}

void make_constant(struct problem *b, char type, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        put(type, b->host_s, i, RECURRENCE_SCALE);
        put(type, b->host_t, i, RECURRENCE_OFFSET);
    }
    upload(b, type, n);
}

/* Verifies w, an array on the device, with the coefficients host_s and host_t. */
static struct verdict verdict_of(struct problem *b, char type, int64_t n, const void *w)
{
    return device_verify_recurrence(type, n, RECURRENCE_W0, b->host_s, 1, b->host_t, 1, w, b->host);
}

struct pcr plan_pcr(struct problem *b, char type, int64_t n, int blocks, int threads)
{
    struct pcr p = {type, n, blocks, threads, RECURRENCE_W0, b->s, b->t, b->w, b->work};
    return p;
}

int64_t left_of(int variant, int blocks, int threads)
{
    return variant == PCR ? INT64_MAX : variant == CR ? 2 : (int64_t)blocks * threads;
}

/* The elements that pcr_after_cr reads and writes, for each unknown. */
static double elements_moved(int64_t n, int64_t left)
{
    double moved = 0;
    int64_t m = n;
    for (; m > left; m /= 2) /* of two unknowns the reduction moves 6 and the substitution 6 */
        moved += 12.0 * (double)(m / 2);
    return (moved + 6.0 * (double)m * pcr_steps(m)) / (double)n;
}

struct verdict solve_pcr(struct problem *b, const struct pcr *p, int64_t left)
{
    size_t bytes = (size_t)size_of(p->type);
    device_poison(p->w, (size_t)p->n * bytes);
    device_poison(p->work, (size_t)pcr_work(p->n) * bytes);
    CHECK(pcr_after_cr(p, left, 0));
    return verdict_of(b, p->type, p->n, p->w);
}

static struct verdict solve_pscheme(struct problem *b, const struct pscheme_recurrence *r)
{
    CHECK(pscheme_solve(r, 0));
    CHECK(pscheme_to_natural(r->type, &r->layout, r->w, b->natural, 0));
    return verdict_of(b, r->type, r->layout.n, b->natural);
}

static void rows(struct results *results, struct problem *b, const struct options *o, char type,
                 int64_t n, int blocks, int threads)
{
    auto row_of = [&](const char *name, double elements, struct verdict verdict) {
        struct row row = device_row(name, type, n, 0, elements, verdict);
        row.blocks = blocks, row.threads = threads, row.parts = blocks * threads;
        return row;
    };
    for (int v = PCR; v <= CR_PCR; v++) {
        if (!o->has_variant[v])
            continue;
        struct pcr p = plan_pcr(b, type, n, blocks, threads);
        int64_t left = left_of(v, blocks, threads);
        record(results, row_of(variants[v].name, elements_moved(n, left), solve_pcr(b, &p, left)),
               o->reps, [&](cudaStream_t stream) { return pcr_after_cr(&p, left, stream); });
    }
    if (o->has_variant[PSCHEME]) {
        struct pscheme_recurrence r =
            pscheme_recurrence_plan(PSCHEME_REARRANGED, type, n, blocks, threads, RECURRENCE_W0,
                                    RECURRENCE_SCALE, RECURRENCE_OFFSET);
        r.w = b->w;
        r.products = b->work;
        record(results, row_of("pscheme", 5, solve_pscheme(b, &r)), o->reps,
               [&](cudaStream_t stream) { return pscheme_solve(&r, stream); });
    }
}

/* The elements for the largest n, a row of padding for each thread, and w_0. */
static int64_t elements_of(const struct options *o)
{
    return list_largest(&o->n, 1) + list_largest(&o->blocks, 1) * list_largest(&o->threads, 1) + 1;
}

/* Runs the experiment and, if no sizes are given, PCR with more blocks. */
static int sweep(const struct program *program, const struct options *options)
{
    struct problem b = {};
    struct options more = *options;
    bool has_more = options->has_variant[PCR] && options_next(program, &more);
    int64_t elements = elements_of(options), more_elements = elements_of(&more);
    allocate(&b, elements > more_elements ? elements : more_elements);
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, options->reps);
    auto experiment = [&](const struct options *o) {
        each_configuration(
            program, o, [&](char type, int64_t n) { make_constant(&b, type, n); },
            [&](char type, int64_t n, int blocks, int threads) {
                rows(results, &b, o, type, n, blocks, threads);
            });
    };
    experiment(options);
    strcpy(more.types, options->types);
    if (has_more)
        experiment(&more);
    memory_free(&b.memory);
    return results_close(results);
}

int main(int argc, char **argv)
{
    /* It restarts the program, so it must run before the device is opened. */
    wait_passively(argv);
    /* G = 32 filled the paper's GPU of 30 multiprocessors. To fill this one PCR gets more blocks.
     * P-scheme does not need them (pscheme_gpu). */
    char paper[256] = "--n 256K,1M --blocks 32 --threads 16,32,64,128,256,512 --type s";
    int processors = device_multiprocessors();
    size_t length = strlen(paper);
    if (processors > 0)
        snprintf(paper + length, sizeof paper - length,
                 "; --n 256K,1M --blocks %d,%d,%d,%d --threads 16,32,64,128,256,512,1024 "
                 "--variant pcr",
                 processors, 2 * processors, 4 * processors, 8 * processors);
    struct program program = {.name = "pcr",
                              .summary = "Parallel cyclic reduction against P-scheme (W12 Fig. 7).",
                              .variants = variants,
                              .takes = "n blocks threads type=sd",
                              .paper = paper,
                              .quick =
                                  "--n 4K,16K --blocks 32 --threads 16,64,256 --type s,d --reps 5"};
    return device_main(&program, argc, argv, check, sweep);
}
