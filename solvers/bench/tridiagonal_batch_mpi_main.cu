/* Batches of tridiagonal systems whose rows are shared among MPI ranks (solvers/
 * tridiagonal_batch_mpi.h). Each rank has a GPU and an equal share of the rows of every system, as
 * in a sweep of an alternating direction method along the axis that is distributed. The program
 * verifies the solution and then measures the whole solution, its two passes and its messages,
 * beside a copy on each rank's device.
 *
 *     common/mpirun.sh -np 2 build/gpu/tridiagonal_batch_mpi             measure
 *     common/mpirun.sh -np 3 build/cpu/tridiagonal_batch_mpi --check     verify everything
 *
 * --parts is the number of chunks into which a batch is cut: with 1 nothing hides the messages.
 * Only rank 0 reads the command line, prints and writes files. */
#include "bench/mpi_bench.h"
#include "bench/tridiagonal_batch_mpi_bench.h"
#include "expect.h"

#include <math.h>

enum variant_id { CONTIGUOUS, INTERLEAVED };
static const struct variant variants[] = {
    {"tridiagonal_batch_mpi", "each rank has a part of the rows of all systems"},
    {"tridiagonal_batch_mpi_interleaved", "the same, interleaved layout"},
    {NULL, NULL}};

/* ---- timing ---- */

enum phase { FIRST, WAIT, EXCHANGE, SECOND, TOTAL, PHASES };
static const char *const phase_names[PHASES] = {"first_pass", "wait", "exchange", "second_pass",
                                                "total"};

/* Times a solution and its phases. The time is that of the slowest rank. On the CPU device nothing
 * is timed. Collective. */
static void time_phases(struct problem *p, int reps, struct timing (&out)[PHASES])
{
    for (struct timing &time : out)
        time = timing_none();
    if (device_is_cpu())
        return;
    time_stages("clock", reps, out, [&](double *ms) {
        struct tridiagonal_batch_mpi_times times;
        double start = MPI_Wtime();
        problem_solve(p);
        double total = 1e3 * (MPI_Wtime() - start);
        CHECK_MPI(tridiagonal_batch_mpi_last(p->plan, &times));
        const double mine[] = {times.first, times.wait, times.exchange, times.second, total};
        for (int i = 0; i < PHASES; i++)
            ms[i] = max_over_ranks(mine[i]);
    });
}

/* ---- the experiment ---- */

struct experiment {
    const struct options *options;
    struct results *results;
    const char *device;
    int64_t done, all;
};

static void add(const struct experiment *e, struct row row)
{
    row.ranks = ranks;
    row.device = e->device;
    if (rank == 0)
        results_add(e->results, &row);
}

/* Adds a row for the copy on each rank: its phase is the number of the rank. Collective. */
static void add_copies(const struct experiment *e, struct problem *p)
{
    const struct shape *s = &p->shape;
    struct verdict nothing = {true, -1, 0, -1};
    MPI_Barrier(MPI_COMM_WORLD);
    struct timing mine = problem_copy(p, e->options->reps);
    for (int k = 0; k < ranks && !device_is_cpu(); k++) {
        struct timing time = mine;
        int64_t rows = s->rows;
        char phase[24];
        MPI_Bcast(&time, (int)sizeof time, MPI_BYTE, k, MPI_COMM_WORLD);
        MPI_Bcast(&rows, 1, MPI_INT64_T, k, MPI_COMM_WORLD);
        snprintf(phase, sizeof phase, "rank_%d", k);
        struct row row = device_row("copy", s->type, s->n, s->batch, 2, nothing);
        row.bytes = 2.0 * (double)(rows * s->batch * size_of(s->type));
        row.phase = phase;
        row.time = time;
        add(e, row);
    }
}

/* The smallest possible bytes of a phase, over all ranks. */
static double bytes_of(const struct shape *s, enum phase phase)
{
    static const double elements[PHASES] = {4, 0, 0, 5, 9};
    double rows = (double)s->n * (double)s->batch * size_of(s->type);
    return phase == EXCHANGE ? (double)(ranks - 1) * (double)s->batch * (9 * size_of(s->type) + 8)
                             : elements[phase] * rows;
}

static void measure(const struct experiment *e, enum variant_id v, char type, int64_t n,
                    int64_t batch, int64_t chunks, bool copies)
{
    struct shape s = {.type = type,
                      .kind = SYSTEM_DOMINANT,
                      .n = n,
                      .batch = batch,
                      .first = n * rank / ranks,
                      .interleaved = v == INTERLEAVED,
                      .chunks = (int)chunks,
                      .seed = e->options->seed};
    s.rows = n * (rank + 1) / ranks - s.first;
    struct problem p;
    struct timing times[PHASES];
    problem_open(&p, &s);
    problem_solve(&p);
    int *status = (int *)host_alloc(NAME, batch * (int64_t)sizeof *status);
    device_download(status, p.status, (size_t)batch * sizeof *status);
    struct verdict verdict = problem_verdict(&p, status);
    bool solved = all_solved(&s, status);
    free(status);
    time_phases(&p, e->options->reps, times);
    for (int i = 0; i < PHASES; i++) {
        struct row row = device_row(variants[v].name, type, n, batch, 0, verdict);
        row.phase = phase_names[i];
        if (i == EXCHANGE)
            row.phase =
                tridiagonal_batch_mpi_is_direct(p.plan) ? "exchange_direct" : "exchange_staged";
        row.parts = chunks;
        row.bytes = bytes_of(&s, (enum phase)i);
        row.time = times[i];
        if (!solved)
            row.status = "zero pivot";
        add(e, row);
    }
    if (copies)
        add_copies(e, &p);
    problem_close(&p);
}

/* Measures the chosen variants with each number of chunks. A copy is measured once. */
static void sizes(struct experiment *e, char type, int64_t n, int64_t batch)
{
    bool copies = true;
    for (int v = CONTIGUOUS; v <= INTERLEAVED; v++)
        for (int i = 0; e->options->has_variant[v] && i < e->options->parts.count; i++) {
            measure(e, (enum variant_id)v, type, n, batch, e->options->parts.value[i], copies);
            copies = false;
            if (rank == 0)
                progress(NAME, ++e->done, e->all, variants[v].name);
        }
}

/* Gives each rank of a host one of its GPUs. If there are fewer GPUs than ranks, each is shared by
 * at most `sharing` ranks. Returns a text like "2 x NVIDIA H200". Collective. */
static int sharing = 1;
static const char *choose_device(void)
{
    static char text[256];
    MPI_Comm host;
    int here, all, count = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &here);
    MPI_Comm_size(host, &all);
    MPI_Comm_free(&host);
    CHECK_MPI(cudaGetDeviceCount(&count));
    if (count == 0)
        mpi_program_stop(NAME, "no GPU");
    sharing = (all + count - 1) / count;
    CHECK_MPI(cudaSetDevice(here % count));
    snprintf(text, sizeof text, "%d x %s", ranks, device_name());
    return text;
}

/* The number of systems of n rows: value k of --batch or, if that is not given, as many as --rows
 * allows. k = -1: the largest one. */
static int64_t batch_of(const struct options *o, int64_t n, int k)
{
    bool by_rows = o->batch.count == 0;
    const struct list *sizes = by_rows ? &o->rows : &o->batch;
    int64_t size = k < 0 ? list_largest(sizes, 1) : sizes->value[k];
    return by_rows ? (size > n ? size / n : 1) : size;
}

/* Beside five arrays a solver needs a workspace, which is smaller than one more. Collective. */
static bool has_memory(const struct options *o)
{
    double bytes = 0, host = 0;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            double batch = (double)batch_of(o, n, -1), rows = ceil((double)n / ranks);
            bytes = fmax(bytes, (6 * rows + 100) * batch * size_of(*type));
            host = fmax(host, (40 + 20 * ranks + 4 * ranks * size_of(*type)) * batch);
        }
    return device_is_cpu() ? mpi_has_memory(NAME, 0, 0, host + bytes)
                           : mpi_has_memory(NAME, sharing * bytes, 0.98, host);
}

/* The status that run() returns is used only on rank 0. */
static int run(const struct options *o)
{
    enum { ROWS_MOST = 1 << 30, BATCH_MOST = 1 << 25, PARTS_MOST = 1 << 10 };
    struct experiment e = {.options = o, .device = choose_device()};
    if (!has_memory(o))
        return EXIT_DEVICE;
    int64_t most = 0;
    int sizes_count = o->batch.count > 0 ? o->batch.count : o->rows.count;
    for (int i = 0; i < o->n.count; i++)
        if (batch_of(o, o->n.value[i], -1) > most)
            most = batch_of(o, o->n.value[i], -1);
    if (list_largest(&o->n, 1) > ROWS_MOST || most > BATCH_MOST ||
        list_largest(&o->parts, 1) > PARTS_MOST) {
        if (rank == 0)
            fprintf(stderr, "%s: at most --n 1G, --batch 32M and --parts 1K are possible\n", NAME);
        return EXIT_USAGE;
    }
    if (!mpi_program_results(NAME, e.device, o->csv, &e.results))
        return EXIT_USAGE;
    e.all = (int64_t)strlen(o->types) * o->n.count * sizes_count * o->parts.count *
            (o->has_variant[CONTIGUOUS] + o->has_variant[INTERLEAVED]);
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++)
            for (int k = 0; k < sizes_count; k++)
                sizes(&e, *type, o->n.value[i], batch_of(o, o->n.value[i], k));
    return rank == 0 ? results_close(e.results) : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    /* wait_passively() restarts the program, so it must run before the device is opened */
    wait_passively(argv);
    const struct program program = {.name = NAME,
                                    .summary = "Batches whose rows are shared among MPI ranks. Run "
                                               "by common/mpirun.sh -np RANKS.",
                                    .variants = variants,
                                    .takes = "n batch rows parts type",
                                    .paper = "--n 4096 --rows 64M --parts 1,2,4 --type d --reps 10",
                                    .quick = "--n 1000 --rows 33000 --parts 1 --type s,d --reps 3",
                                    .device = device_name(),
                                    .quick_default = device_is_cpu()};
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        if (options.check)
            choose_device();
        if (options.quick && device_is_cpu())
            expect_few_tests();
        status = options.check ? check(&options) : run(&options);
    }
    return mpi_program_end(status);
}
