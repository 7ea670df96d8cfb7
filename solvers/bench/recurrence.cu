/* The program recurrence: recurrence.h in GB/s for each n, in both directions, with a constant
 * s, for the gradient, and for many short sequences, beside CUB's scan, the three kernels of
 * pscheme_g, copy and triad; and recurrence_cpu.h on CPU cores (recurrence_cpu.cu). Run:
 * build/gpu/recurrence --help. */
#include "bench/recurrence_bench.h"
#include "ceiling.h"
#include "expect.h"
#include "peers.h"
#include "problems.h"
#include "sequences.h"
#include "serial_channels.cuh"
#include "../../pscheme_g/pscheme_g.h"

#include <initializer_list>
#include <omp.h>

/* The largest number of sequences, and of elements if these are interleaved. */
static const int64_t BATCH_MOST = 1 << 20, CHANNELS_N = 1 << 26;

static const struct variant variants[] = {
    {"one_pass", "recurrence.h: s and t in one pass over memory"},
    {"one_warp", "the same, a carry warp instead of look-back", NULL, "s"},
    {"one_pass_batch", "the same, 1 to 2^20 sequences one after the other"},
    {"one_pass_channels", "the same, 4 to 2^20 interleaved sequences"},
    {"serial_channels", "these by one thread a channel", "serial"},
    {"one_pass_packed", "the same, packed sequences of different lengths", NULL, "sb"},
    {"arrays", "the three kernels of pscheme_g, s and t from arrays", NULL, "sd"},
    {"cub_scan", "the same by CUB's DeviceScan", "CUB", "sd", GPU_BUILD},
    {"recurrence_cpu", "recurrence_cpu.h, a serial loop and a triad", NULL, NULL, HOST_CORES},
    {"recurrence_cpu_channels", "the same, 8, 64 and 1024 interleaved sequences", NULL, NULL,
     HOST_CORES},
    {"recurrence_cpu_gradient", "its gradient", NULL, NULL, HOST_CORES},
    {}};

/* Makes a row of results. `elements` is the minimum number of elements that a solver must read or
 * write per unknown. */
static struct row row_of(const char *variant, const struct sequences *a, const char *phase,
                         double elements, struct verdict verdict)
{
    struct row row = device_row(variant, a->type, a->n, 0, elements, verdict);
    row.batch = a->batch;
    row.phase = phase;
    return row;
}

static void solve_row(struct results *results, struct sequences *a, int reps, const char *variant,
                      const char *phase, const struct recurrence *p)
{
    record(results, row_of(variant, a, phase, p->constant ? 2 : 3, sequences_solve(a, p)), reps,
           [&](cudaStream_t stream) { return recurrence_solve(p, a->work, a->bytes, stream); });
}

static void gradient_row(struct results *results, struct sequences *a, int reps,
                         const char *variant, const struct recurrence *p)
{
    record(results, row_of(variant, a, "gradient", 5, sequences_gradient(a, p)), reps,
           [&](cudaStream_t stream) {
               return recurrence_gradient(p, a->dw, a->ds, a->dt, a->dw0, a->work, a->bytes,
                                          stream);
           });
}

/* Measures the gradient, the other direction and a constant s. */
static void kind_rows(struct results *results, struct sequences *a, const struct options *o)
{
    struct recurrence p = sequences_plan(a);
    gradient_row(results, a, o->reps, "one_pass", &p);
    p.reverse = 1;
    solve_row(results, a, o->reps, "one_pass", "reverse", &p);
    p.reverse = 0;
    sequences_make_s(a, o->seed, true);
    p.constant = 1;
    solve_row(results, a, o->reps, "one_pass", "constant", &p);
    sequences_make_s(a, o->seed, false);
}

/* Measures a->batch sequences and their gradients, one after the other or side by side. The arrays
 * remain as they are; in each layout their elements belong to other sequences. */
static void layout_rows(struct results *results, const struct sequences *a, const struct options *o,
                        bool side_by_side)
{
    struct memory memory = {};
    struct sequences b = *a;
    struct recurrence p = sequences_plan(a);
    const int v = side_by_side ? RECURRENCE_CHANNELS : RECURRENCE_BATCH;
    p.inner = side_by_side ? a->batch : 1;
    b.side_by_side = side_by_side;
    b.bytes = recurrence_workspace_of(&p);
    b.work = memory_device(&memory, b.bytes);
    CHECK(recurrence_prepare(b.work, b.bytes, 0));
    if (o->has_variant[v]) {
        solve_row(results, &b, o->reps, variants[v].name, "total", &p);
        gradient_row(results, &b, o->reps, variants[v].name, &p);
    }
    /* With fewer channels the serial kernel takes seconds. */
    if (o->has_variant[RECURRENCE_SERIAL] && side_by_side && a->batch >= 32) {
        auto solve = [&](cudaStream_t stream) {
            return BY_STORED_TYPE(p.type, launch_serial_channels, &p, stream);
        };
        const size_t bytes = (size_t)(b.n * size_of(b.type));
        device_poison(b.w, bytes);
        CHECK(solve(0));
        device_download(b.host_w, b.w, bytes);
        const struct verdict verdict = sequences_verdict(&b, &p, SOLUTION, false);
        record(results, row_of("serial_channels", &b, "total", 3, verdict), o->reps, solve);
    }
    memory_free(&memory);
}

/* Measures all elements as 1, 4, 32, 256 … sequences, and 4 and 32 sequences of 2^20 elements. */
static void shapes_rows(struct results *results, struct sequences *a, const struct options *o)
{
    const int64_t n = a->n;
    auto rows = [&](int64_t length, int64_t batch) {
        a->n = length * batch, a->batch = batch;
        layout_rows(results, a, o, false);
        if (batch > 1)
            layout_rows(results, a, o, true);
    };
    for (int64_t batch = 1; batch <= BATCH_MOST && n % batch == 0 && n / batch >= 16;
         batch *= batch == 1 ? 4 : 8)
        rows(n / batch, batch);
    for (int64_t batch : {4, 32})
        if (batch << 20 < n)
            rows(1 << 20, batch);
}

/* Lengths of packed sequences, from 1 to `longest`, as numbers of recurrence.offset, or all equal
 * to the mean. Returns how many sequences have `length` elements in all. */
static int64_t make_offsets(int64_t *offset, int64_t length, int64_t longest, bool equal,
                            uint64_t seed)
{
    struct random r = {seed};
    int64_t count = 0;
    for (offset[0] = 0; offset[count] < length; count++) {
        const int64_t next =
                          equal ? longest / 2 : 1 + (int64_t)(random_bits(&r) % (uint64_t)longest),
                      left = length - offset[count];
        offset[count + 1] = offset[count] + (next < left ? next : left);
    }
    return count;
}
/* Measures sequences of 1 to `longest` elements, packed, in rows of `inner` channels; before them
 * as many elements in sequences of equal lengths, as a batch. */
static void packed_rows(struct results *results, struct sequences *a, const struct options *o,
                        int64_t inner, int64_t longest)
{
    struct memory memory = {};
    const size_t bytes = (size_t)(a->n * size_of(a->type));
    struct recurrence p = sequences_plan(a), channels, batch;
    p.length = a->n / inner;
    p.inner = p.row_stride = inner;
    channels = p; /* sequences_arrange() moves whole channels */
    channels.batch = inner, channels.plane_stride = a->n;
    void *laid_out = memory_host(&memory, (int64_t)bytes);
    auto upload = [&](void *array, void *from) {
        sequences_arrange(&channels, laid_out, from, false);
        device_upload(array, laid_out, bytes);
    };
    upload(a->s, a->host_s), upload(a->t, a->host_t);
    const size_t offset_bytes = (size_t)(p.length + 1) * sizeof(int64_t);
    int64_t *offset = (int64_t *)memory_host(&memory, (int64_t)offset_bytes),
            *on_device = (int64_t *)memory_device(&memory, offset_bytes);
    for (bool equal : {true, false}) {
        a->batch = p.batch = inner * make_offsets(offset, p.length, longest, equal, o->seed);
        a->offset = offset;
        device_upload(on_device, offset, offset_bytes);
        p.offset = on_device;
        batch = p;
        batch.offset = NULL, batch.length = longest / 2;
        if (equal && p.length % batch.length != 0)
            continue;
        const struct recurrence *call = equal ? &batch : &p;
        const size_t work_bytes = recurrence_workspace_of(call);
        void *work = memory_device(&memory, work_bytes);
        CHECK(recurrence_prepare(work, work_bytes, 0));
        auto solve = [&](cudaStream_t stream) {
            return recurrence_solve(call, work, work_bytes, stream);
        };
        device_poison(a->w, bytes);
        CHECK(solve(0));
        device_download(laid_out, a->w, bytes);
        sequences_arrange(&channels, laid_out, a->host_w, true);
        const char *phase = inner == 1 ? equal ? "equal" : "packed"
                            : equal    ? "equal_channels"
                                       : "packed_channels";
        struct row row =
            row_of("one_pass_packed", a, phase, 3, sequences_verdict(a, &p, SOLUTION, false));
        record(results, row, o->reps, solve);
    }
    a->offset = NULL;
    memory_free(&memory);
}

/* Measures the kernels of pscheme_g that solve in three phases (variant `arrays`), with three
 * shapes of G blocks and T threads. A shape is measured only if each thread gets 4 to 16384
 * elements. */
static void three_phase_rows(struct results *results, struct sequences *a, const struct options *o)
{
    static const int shapes[][2] = {{64, 128}, {264, 128}, {528, 256}};
    size_t element = (size_t)size_of(a->type);
    struct memory memory = {};
    void *w = memory_device(&memory, (size_t)(a->n + 1) * element),
         *carry = memory_device(&memory, 2 * 528 * 256 * element);
    struct recurrence p = sequences_plan(a);
    for (const int *shape : shapes) {
        if (a->n < 4 * shape[0] * shape[1] || a->n / (shape[0] * shape[1]) > 1 << 14)
            continue;
        struct pscheme_g g = pscheme_g_plan(PSCHEME_G_ARRAYS, a->type, a->n, shape[0], shape[1],
                                            get(a->type, a->host_w0, 0), pscheme_g_coefficient{});
        g.s = a->s;
        g.t = a->t;
        g.w = w;
        g.carry = carry;
        device_poison(w, (size_t)(a->n + 1) * element);
        CHECK(pscheme_g_solve(&g, 0));
        device_download(a->host_w, (char *)w + element, (size_t)a->n * element);
        /* The verdict is `biased` (sequences.h), because the rounding errors here all have one
         * sign. A thread multiplies hundreds of s just below 1, and every product is rounded down:
         * with v = 2^-24, the exact (1 - k v)(1 - m v) = 1 - (k + m) v + k m v^2 lies just above
         * the float 1 - (k + m) v. */
        struct row row = row_of("arrays", a, "total", 6, sequences_verdict(a, &p, SOLUTION, true));
        row.blocks = shape[0], row.threads = shape[1];
        record(results, row, o->reps,
               [&](cudaStream_t stream) { return pscheme_g_solve(&g, stream); });
    }
    memory_free(&memory);
}

#ifdef __CUDACC__
static void cub_row(struct results *results, struct sequences *a, const struct options *o)
{
    struct recurrence p = sequences_plan(a);
    struct peer_cub cub = {a->type, a->n, get(a->type, a->host_w0, 0), a->s, a->t, a->w};
    const size_t bytes = (size_t)(a->n * size_of(a->type));
    CHECK(peer_cub_open(&cub));
    device_poison(a->w, bytes);
    CHECK(peer_cub_solve(&cub, 0));
    device_download(a->host_w, a->w, bytes);
    record(results, row_of("cub_scan", a, "total", 3, sequences_verdict(a, &p, SOLUTION, false)),
           o->reps, [&](cudaStream_t stream) { return peer_cub_solve(&cub, stream); });
    CHECK(peer_cub_close(&cub));
}
#endif

/* Measures the variants for one size and type. `last`: of the largest size also the other kinds of
 * problems and, in single precision, the same elements as 4, 16, 64 … up to `batches` sequences. */
static void size_rows(struct results *results, struct sequences *a, const struct options *o,
                      int64_t batches, bool last)
{
    struct recurrence p = sequences_plan(a);
    auto has = [&](int v) { return o->has_variant[v] && variant_has_type(&variants[v], a->type); };
    if (has(RECURRENCE_ONE_PASS))
        solve_row(results, a, o->reps, "one_pass", "total", &p);
    p.carry = RECURRENCE_CARRY_WARP;
    if (has(RECURRENCE_ONE_WARP))
        solve_row(results, a, o->reps, "one_warp", "total", &p);
    if (has(RECURRENCE_ONE_PASS) && last)
        kind_rows(results, a, o);
    if (has(RECURRENCE_ARRAYS))
        three_phase_rows(results, a, o);
#ifdef __CUDACC__
    if (has(RECURRENCE_CUB_SCAN))
        cub_row(results, a, o);
#endif
    if (!has(RECURRENCE_ONE_PASS) || !last || a->type != 's')
        return;
    for (a->batch = 4; a->batch <= batches; a->batch *= 4) {
        p = sequences_plan(a);
        solve_row(results, a, o->reps, "one_pass", "total", &p);
    }
}

static bool has_any(const struct options *o, int first, int last)
{
    for (int v = first; v <= last; v++)
        if (o->has_variant[v])
            return true;
    return false;
}

static void device_rows(struct results *results, const struct program *program,
                        const struct options *o)
{
    const double largest = 4.0 * (double)list_largest(&o->n, 4);
    ceiling_rows(results, o->reps);
    struct sequences a;
    sequences_allocate_most(&a, (size_t)largest, BATCH_MOST);
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            /* No array has more bytes than that of the largest n in single precision, or 16. */
            int64_t most = list_largest(&o->n, 4) * 4 / size_of(*type), n = o->n.value[i];
            bool last = i == o->n.count - 1;
            if (n >= most && !last)
                continue;
            n = n > most ? most : n;
            int64_t batches = 1;
            while (batches < BATCH_MOST && n % (4 * batches) == 0 && batches <= n / 16)
                batches *= 4;
            sequences_begin(&a, *type, n, batches);
            sequences_make(&a, o->seed, false);
            a.batch = 1;
            if (*type == 's')
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            size_rows(results, &a, o, batches, last);
            if (last && has_any(o, RECURRENCE_BATCH, RECURRENCE_SERIAL)) {
                sequences_begin(&a, *type, (n < CHANNELS_N ? n : CHANNELS_N) / 16 * 16, BATCH_MOST);
                sequences_make(&a, o->seed, false);
                shapes_rows(results, &a, o);
            }
            if (last && n >= 64 && o->has_variant[RECURRENCE_PACKED] &&
                variant_has_type(&variants[RECURRENCE_PACKED], *type)) {
                sequences_begin(&a, *type, (n < CHANNELS_N ? n : CHANNELS_N) / 64 * 64, BATCH_MOST);
                sequences_make(&a, o->seed, false);
                for (int64_t inner : {1, 64})
                    for (int64_t longest : {256, 65536})
                        packed_rows(results, &a, o, inner, longest);
            }
            progress(program->name, type - o->types + 1, (int64_t)strlen(o->types), "types");
        }
    memory_free(&a.memory);
}

static int sweep(const struct program *program, const struct options *o)
{
    /* Memory for the sequences and, at the same time, for the arrays of the ceilings or of a peer.
     */
    const double largest = 4.0 * (double)list_largest(&o->n, 4);
    if (has_any(o, 0, RECURRENCE_CUB_SCAN))
        device_require(program->name, 10 * largest, 6 * largest);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    if (has_any(o, 0, RECURRENCE_CUB_SCAN))
        device_rows(results, program, o);
    if (has_any(o, RECURRENCE_CPU, RECURRENCE_CPU_GRADIENT))
        recurrence_cpu_rows(results, program, o);
    return results_close(results);
}

/* The tests of recurrence_cpu.c also run alone in several builds, because its machine code differs
 * from processor to processor. */
static int check(const struct options *o)
{
    if (has_any(o, 0, RECURRENCE_CUB_SCAN - 1))
        recurrence_check(o->seed, !device_is_cpu() && !o->quick);
    if (o->has_variant[RECURRENCE_CPU])
        recurrence_cpu_check(o->seed);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    static char paper[240], quick[160];
    const int cores = omp_get_num_procs();
    snprintf(paper, sizeof paper,
             "--variant one_pass,one_warp,arrays,cub_scan,recurrence_cpu "
             "--n 1K,4K,16K,64K,128K,256K,512K,1M,2M,4M,8M,16M,64M,256M --type s,d,c,z,h,b "
             "--cores 1%s%.0d",
             cores > 1 ? "," : "", cores > 1 ? cores : 0);
    snprintf(quick, sizeof quick, "--n 1K,64K --type s,d,c,z,h,b --reps 3 --cores 1%s%.0d",
             cores > 1 ? "," : "", cores > 1 ? cores : 0);
    struct program program = {
        .name = "recurrence",
        .summary = "The recurrence w_i = s_i w_{i-1} + t_i in one pass over memory. On CPU cores n "
                   "is 4K to 16M.",
        .variants = variants,
        .takes = "n type=sdczhb cores",
        .paper = paper,
        .quick = quick};
    return device_main(&program, argc, argv, check, sweep);
}
