/* The experiments of W12 on a GPU. The three phases of P-scheme are timed one by one (Fig. 3 and
 * 5), without and with the rearrangement, and compared with one CPU thread (Fig. 4, 6, 8). P-scheme
 * also solves a tridiagonal system. Every configuration is verified before it is timed. */
#include "main.h"
#include "baseline.h"
#include "ceiling.h"
#include "bench/peers.h"

const struct variant variants[] = {
    {"block", "no rearrangement: a part is consecutive in memory (the paper)"},
    {"rearranged", "neighbouring threads read neighbouring elements (the paper)"},
    {"register", "as rearranged, w_{i-1} kept in a register"},
    {"recompute", "as register, products a_i computed twice instead of stored"},
    {"ahead", "as recompute, loads of eight rows in flight at once"},
    {"block_no_l1", "as block, loads bypass L1 (the paper's GPU had none)"},
    {"rearranged_no_l1", "as rearranged, loads bypass L1"},
    {"tridiagonal_block", "problem A: p, q and x by P-scheme, no rearrangement"},
    {"tridiagonal", "problem A: p, q and x by P-scheme, rearranged"},
    {"serial", "substitution on one CPU thread, the baseline of speed-ups"},
    {"cub", "peer: CUB DeviceScan over the pairs (s_i, t_i) (GPU builds)"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 for problem A (GPU builds)"},
    {NULL, NULL}};

/* The backward error that problem A may have, in units of roundoff u. Substitution on diagonally
 * dominant rows needs 12: the error is at most 4 u |L||U|, and |L||U| <= 3 |A| (Higham, Accuracy
 * and Stability of Numerical Algorithms, 9.5-9.6). P-scheme rounds twice more in q and in x. */
static const double TRIDIAGONAL_UNITS = 16;

/* In both layouts an array of n unknowns has at most n + P elements. One more is for w_0. */
void allocate(struct problem *b, int64_t n, int64_t parts)
{
    size_t bytes = 8 * (size_t)(n + parts + 1);
    /* The device arrays have 13 times `bytes`. The workspaces of the peers may need as much. */
    device_require("pscheme_gpu", 26.0 * (double)bytes + ceiling_bytes(), 4.0 * (double)bytes);
    b->w = memory_device(&b->memory, bytes);
    b->products = memory_device(&b->memory, bytes);
    b->natural = memory_device(&b->memory, bytes);
    b->host = memory_host(&b->memory, bytes);
    for (int i = 0; i < 3; i++) {
        b->host_in[i] = memory_host(&b->memory, bytes);
        b->in[i] = memory_device(&b->memory, bytes);
        b->laid[i] = memory_device(&b->memory, bytes);
    }
    b->x = memory_device(&b->memory, bytes);
    b->work = memory_device(&b->memory, 3 * bytes + 80 * (size_t)parts);
    b->status = (long long *)memory_device(&b->memory, sizeof *b->status);
}

/* The row of a phase that reads and writes `elements` elements for each unknown. */
static struct row phase_row(struct row row, const char *phase, double elements)
{
    row.phase = phase;
    row.bytes = elements * (double)row.n * size_of(row.type);
    return row;
}

static struct row gpu_row(int variant, char type, int64_t n, int blocks, int threads,
                          struct verdict verdict)
{
    struct row row = device_row(variants[variant].name, type, n, 0, 0, verdict);
    row.blocks = blocks;
    row.threads = threads;
    row.parts = (int64_t)blocks * threads;
    return row;
}

/* ---- problem B ---- */

struct pscheme_recurrence plan_recurrence(struct problem *b, int variant, char type, int64_t n,
                                          int blocks, int threads)
{
    struct pscheme_recurrence r =
        pscheme_recurrence_plan((enum pscheme_variant)variant, type, n, blocks, threads,
                                RECURRENCE_W0, RECURRENCE_SCALE, RECURRENCE_OFFSET);
    r.w = b->w;
    r.products = b->products;
    return r;
}

struct verdict verify_natural(struct problem *b, char type, int64_t n)
{
    double scale, offset; /* each holds one element, of type float or double */
    put(type, &scale, 0, RECURRENCE_SCALE);
    put(type, &offset, 0, RECURRENCE_OFFSET);
    return device_verify_recurrence(type, n, RECURRENCE_W0, &scale, 0, &offset, 0, b->natural,
                                    b->host);
}

struct verdict solve_recurrence(struct problem *b, const struct pscheme_recurrence *r)
{
    size_t size = (size_t)size_of(r->type);
    device_poison(r->w, (size_t)pscheme_elements(&r->layout) * size);
    device_poison(r->products, (size_t)pscheme_product_elements(r) * size);
    device_poison(b->natural, (size_t)r->layout.n * size);
    CHECK(pscheme_solve(r, 0));
    CHECK(pscheme_to_natural(r->type, &r->layout, r->w, b->natural, 0));
    return verify_natural(b, r->type, r->layout.n);
}

/* Adds a row for each phase and for the complete solution. The earlier phases run, untimed, before
 * each sample of a phase. The CPU device times nothing, so it gets the complete solution alone. */
static void recurrence_rows(struct results *results, struct problem *b, const struct options *o,
                            int variant, char type, int64_t n, int blocks, int threads)
{
    struct pscheme_recurrence r = plan_recurrence(b, variant, type, n, blocks, threads);
    struct row row = gpu_row(variant, type, n, blocks, threads, solve_recurrence(b, &r));
    bool stored = variant != PSCHEME_RECOMPUTE && variant != PSCHEME_AHEAD;
    auto precompute = [&](cudaStream_t stream) { return pscheme_precompute(&r, stream); };
    auto propagate = [&](cudaStream_t stream) { return pscheme_propagate(&r, stream); };
    auto determine = [&](cudaStream_t stream) { return pscheme_determine(&r, stream); };
    auto solve = [&](cudaStream_t stream) { return pscheme_solve(&r, stream); };
    auto rearrange = [&](cudaStream_t stream) {
        return pscheme_to_natural(type, &r.layout, r.w, b->natural, stream);
    };
    if (!device_is_cpu()) {
        record(results, phase_row(row, "precompute", stored ? 2 : 1), o->reps, precompute);
        record(results, phase_row(row, "propagate", 0), o->reps, precompute, propagate);
        record(
            results, phase_row(row, "determine", stored ? 3 : 2), o->reps,
            [&](cudaStream_t stream) {
                TRY(precompute(stream));
                return propagate(stream);
            },
            determine);
    }
    record(results, phase_row(row, "total", stored ? 5 : 3), o->reps, solve);
    if (!device_is_cpu() && variant != PSCHEME_BLOCK && variant < PSCHEME_BLOCK_NO_L1) {
        record(results, phase_row(row, "rearrange", 2), o->reps, rearrange);
        record(results, phase_row(row, "total+rearrange", stored ? 7 : 5), o->reps,
               [&](cudaStream_t stream) {
                   TRY(solve(stream));
                   return rearrange(stream);
               });
    }
}

/* ---- problem A ---- */

void upload_system(struct problem *b)
{
    for (int i = 0; i < 3; i++)
        device_upload(b->in[i], b->host_in[i], (size_t)(b->n * size_of(b->type)));
}

void make_system(struct problem *b, enum tridiagonal_kind kind, char type, uint64_t seed, int64_t n)
{
    b->type = type;
    b->n = n;
    fill_tridiagonal(type, kind, seed, n, b->host_in[0], b->host_in[1], b->host_in[2]);
    upload_system(b);
}

/* Row 1 of an array in natural order. */
static void *interior(void *natural, char type)
{
    return (char *)natural + size_of(type);
}

struct pscheme_tridiagonal plan_tridiagonal(struct problem *b, bool rearranged, int blocks,
                                            int threads)
{
    struct pscheme_tridiagonal t = pscheme_tridiagonal_plan(rearranged, b->type, b->n, blocks,
                                                            threads, get(b->type, b->host_in[2], 0),
                                                            get(b->type, b->host_in[2], b->n - 1));
    t.diag = rearranged ? b->laid[0] : interior(b->in[0], b->type);
    t.off = rearranged ? b->laid[1] : interior(b->in[1], b->type);
    t.rhs = rearranged ? b->laid[2] : interior(b->in[2], b->type);
    t.x = b->x;
    t.work = b->work;
    t.status = b->status;
    return t;
}

static bool is_rearranged(const struct problem *b, const struct pscheme_tridiagonal *t)
{
    return t->diag == b->laid[0];
}

static cudaError_t gather(struct problem *b, const struct pscheme_tridiagonal *t,
                          cudaStream_t stream)
{
    for (int i = 0; i < 3; i++)
        TRY(pscheme_from_natural(t->type, &t->layout, interior(b->in[i], t->type), b->laid[i],
                                 stream));
    return cudaSuccess;
}

static cudaError_t scatter(struct problem *b, const struct pscheme_tridiagonal *t,
                           cudaStream_t stream)
{
    return pscheme_to_natural(t->type, &t->layout, t->x, interior(b->natural, t->type), stream);
}

static struct verdict verify_system(struct problem *b)
{
    return verify_tridiagonal(b->type, b->n, b->host_in[0], b->host_in[1], b->host_in[2], b->host,
                              TRIDIAGONAL_UNITS);
}

long long solve_tridiagonal(struct problem *b, const struct pscheme_tridiagonal *t,
                            struct verdict *verdict)
{
    size_t size = (size_t)size_of(t->type), bytes = (size_t)b->n * size;
    size_t layout_bytes = (size_t)pscheme_elements(&t->layout) * size;
    if (is_rearranged(b, t)) {
        for (int i = 0; i < 3; i++)
            device_poison(b->laid[i], layout_bytes);
        CHECK(gather(b, t, 0));
    }
    device_poison(t->x, layout_bytes);
    device_poison(t->work, (size_t)pscheme_tridiagonal_work(&t->layout) * size);
    device_poison(b->natural, bytes);
    CHECK(pscheme_tridiagonal_solve(t, 0));
    CHECK(scatter(b, t, 0));
    long long status;
    device_download(&status, t->status, sizeof status);
    device_download(b->host, b->natural, bytes);
    put(t->type, b->host, 0, t->first);
    put(t->type, b->host, b->n - 1, t->last);
    *verdict = verify_system(b);
    return status;
}

/* In the order of enum pscheme_tridiagonal_phase, with the smallest number of elements that a phase
 * can read and write for each row. */
static const struct {
    const char *name;
    double elements;
} tridiagonal_phases[PSCHEME_TRIDIAGONAL_PHASES] = {
    {"p_precompute", 5}, {"p_propagate", 0}, {"p_determine", 9}, {"q_propagate", 0},
    {"q_determine", 5},  {"x_propagate", 0}, {"x_determine", 3}};
static const double SOLVE_ELEMENTS = 22; /* the sum over all phases */
static const double MOVE_ELEMENTS = 8;   /* gather and scatter read and write four arrays */

static void tridiagonal_rows(struct results *results, struct problem *b, const struct options *o,
                             int variant, int blocks, int threads)
{
    struct pscheme_tridiagonal t = plan_tridiagonal(b, variant == TRIDIAGONAL, blocks, threads);
    struct verdict verdict;
    long long bad_row = solve_tridiagonal(b, &t, &verdict);
    struct row row = gpu_row(variant, b->type, b->n, blocks, threads, verdict);
    if (bad_row)
        row.status = "zero pivot";
    auto solve = [&](cudaStream_t stream) { return pscheme_tridiagonal_solve(&t, stream); };
    record(results, phase_row(row, "total", SOLVE_ELEMENTS), o->reps, solve);
    if (device_is_cpu())
        return;
    /* Each phase finds what the phases before it have left. Only p_determine needs a reset: it
     * overwrites its maps, and other numbers there could make its divisions slow. */
    for (int p = 0; p < PSCHEME_TRIDIAGONAL_PHASES; p++) {
        auto phase = [&](cudaStream_t stream) {
            return pscheme_tridiagonal_phase(&t, (enum pscheme_tridiagonal_phase)p, stream);
        };
        struct row of_phase =
            phase_row(row, tridiagonal_phases[p].name, tridiagonal_phases[p].elements);
        if (p == PSCHEME_P_DETERMINE)
            record(
                results, of_phase, o->reps,
                [&](cudaStream_t stream) {
                    return pscheme_tridiagonal_phase(&t, PSCHEME_P_PRECOMPUTE, stream);
                },
                phase);
        else
            record(results, of_phase, o->reps, phase);
    }
    if (!is_rearranged(b, &t))
        return;
    record(results, phase_row(row, "rearrange", MOVE_ELEMENTS), o->reps, [&](cudaStream_t stream) {
        TRY(gather(b, &t, stream));
        return scatter(b, &t, stream);
    });
    record(results, phase_row(row, "total+rearrange", SOLVE_ELEMENTS + MOVE_ELEMENTS), o->reps,
           [&](cudaStream_t stream) {
               TRY(gather(b, &t, stream));
               TRY(solve(stream));
               return scatter(b, &t, stream);
           });
}

/* ---- peers ---- */

#ifdef __CUDACC__
static void cub_row(struct results *results, struct problem *b, const struct options *o, char type,
                    int64_t n)
{
    void *s = b->host_in[0], *t = b->host_in[1];
    for (int64_t i = 0; i < n; i++) {
        put(type, s, i, RECURRENCE_SCALE);
        put(type, t, i, RECURRENCE_OFFSET);
    }
    device_upload(b->in[0], s, (size_t)(n * size_of(type)));
    device_upload(b->in[1], t, (size_t)(n * size_of(type)));
    struct peer_cub peer = {type, n, RECURRENCE_W0, b->in[0], b->in[1], b->natural};
    CHECK(peer_cub_open(&peer));
    CHECK(peer_cub_solve(&peer, 0));
    struct row row = device_row("cub", type, n, 0, 3, verify_natural(b, type, n));
    record(results, row, o->reps,
           [&](cudaStream_t stream) { return peer_cub_solve(&peer, stream); });
    CHECK(peer_cub_close(&peer));
}

/* cuSPARSE solves the system of make_system. Its matrix has the sub- and super-diagonal -off. */
static void cusparse_row(struct results *results, struct problem *b, const struct options *o)
{
    size_t bytes = (size_t)(b->n * size_of(b->type));
    for (int64_t i = 0; i < b->n; i++)
        put(b->type, b->host, i, -get(b->type, b->host_in[1], i));
    device_upload(b->laid[0], b->host, bytes);
    struct peer_cusparse peer = {b->type,  true,       b->n,     b->laid[0],
                                 b->in[0], b->laid[0], b->in[2], b->natural};
    CHECK(peer_cusparse_open(&peer));
    CHECK(peer_cusparse_reset(&peer, 0));
    CHECK(peer_cusparse_solve(&peer, 0));
    device_download(b->host, b->natural, bytes);
    struct row row = device_row("cusparse_gtsv2", b->type, b->n, 0, 5, verify_system(b));
    record(
        results, row, o->reps,
        [&](cudaStream_t stream) { return peer_cusparse_reset(&peer, stream); },
        [&](cudaStream_t stream) { return peer_cusparse_solve(&peer, stream); });
    CHECK(peer_cusparse_close(&peer));
}
#endif

/* ---- the sweep ---- */

/* Writes the rows to the CSV file `csv` (NULL: none). Returns the exit status. */
static int experiment(const struct program *program, const struct options *o, const char *csv)
{
    struct problem b = {};
    allocate(&b, list_largest(&o->n, 1),
             list_largest(&o->blocks, 1) * list_largest(&o->threads, 1));
    struct results *results = results_open(program->name, program->device, csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    each_configuration(
        program, o,
        [&](char type, int64_t n) {
            if (o->has_variant[SERIAL])
                baseline_row(results, type, n, o->reps);
#ifdef __CUDACC__
            if (o->has_variant[CUB])
                cub_row(results, &b, o, type, n);
#endif
            make_system(&b, TRIDIAGONAL_DOMINANT, type, o->seed, n);
#ifdef __CUDACC__
            if (o->has_variant[CUSPARSE] && n >= 3)
                cusparse_row(results, &b, o);
#endif
        },
        [&](char type, int64_t n, int blocks, int threads) {
            for (int v = 0; v < PSCHEME_VARIANTS; v++)
                if (o->has_variant[v])
                    recurrence_rows(results, &b, o, v, type, n, blocks, threads);
            for (int v = TRIDIAGONAL_BLOCK; v <= TRIDIAGONAL; v++)
                if (o->has_variant[v])
                    tridiagonal_rows(results, &b, o, v, blocks, threads);
        });
    memory_free(&b.memory);
    return results_close(results);
}

/* On a GPU, if the command line gives no sizes, a second sweep follows with as many blocks as
 * multiprocessors and more. Its rows go to NAME_blocks.csv beside NAME.csv, because the paper's
 * model is fitted to the paper's sweep alone. */
static int sweep(const struct program *program, const struct options *options)
{
    int status = experiment(program, options, options->csv);
    struct options more = *options;
    if (status == EXIT_USAGE || !options_next(program, &more) ||
        !options->has_variant[PSCHEME_REARRANGED])
        return status;
    strcpy(more.types, options->types);
    char prefix[PREFIX_MOST], path[PREFIX_MOST + 16];
    const char *csv = NULL;
    if (options_csv_prefix(options, NULL, prefix)) {
        snprintf(path, sizeof path, "%s_blocks.csv", prefix);
        csv = path;
    }
    int also = experiment(program, &more, csv);
    return status != EXIT_VERIFIED ? status : also;
}

int main(int argc, char **argv)
{
    /* wait_passively starts the program again, so it comes before the device is opened. */
    wait_passively(argv);
    /* W12 section V-F: G up to the number of multiprocessors (30 in the C1060), only then T. With
     * as many blocks as this device has and more, few threads make the best P. */
    char paper[256] = "--n 256K,1M --blocks 4,8,16,32 --threads 16,32,64,128,256,512 --type s";
    int processors = device_multiprocessors();
    size_t length = strlen(paper);
    if (processors > 0)
        snprintf(paper + length, sizeof paper - length,
                 "; --n 256K,1M --blocks %d,%d,%d --threads 2,4,8,16,32,64,128,256,512 "
                 "--variant rearranged",
                 processors, 2 * processors, 4 * processors);
    struct program program = {
        .name = "pscheme_gpu",
        .summary = "P-scheme on a GPU: the recurrence and the tridiagonal system of W12.",
        .variants = variants,
        .takes = "n blocks threads type=sd",
        .paper = paper,
        .quick = "--n 4K,16K --blocks 4,32 --threads 16,64,256 --type s,d --reps 5"};
    return device_main(&program, argc, argv, check, sweep);
}
