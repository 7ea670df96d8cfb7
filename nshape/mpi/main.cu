/* L22 5.2 and 6.2: the N-shaped partition method over MPI ranks, on GPUs and CPU cores mixed. One given system; Crank-Nicolson
 * steps of one wave function and of several, and how much of the messages each of L22's measures hides.
 *
 *     common/mpirun.sh -np 4 build/cpu/nshape_mpi             a part of the rows on each of 4 ranks
 *     common/mpirun.sh -np 4 build/cpu/nshape_mpi --check     verify everything
 *
 * Rank 0 alone reads the command line, prints and writes. */
#include "device_program.h"
#include "mpi_program.h"
#include "nshape_mpi.h"
#include "problems.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char NAME[] = "nshape_mpi";

enum variant_id {
    SOLVE,
    STEP,
    STEP_EARLY,
    STEP_INVERSE,
    STEP_KEPT,
    STEP_AHEAD,
    STEP_FLIGHT,
    STEP_ALONE,
    VARIANTS
};
static const struct variant variants[] = {
    {"solve", "one given system"},
    {"step", "Crank-Nicolson step: RD, RU, JD, JU, messages, RS, messages, SS"},
    {"step_early", "JD's words are sent before RU"},
    {"step_inverse", "and 1/a is made while RS runs"},
    {"step_kept", "factors of a constant T are kept"},
    {"step_ahead", "factors of the next step's T are made while RS runs"},
    {"step_flight", "step_inverse of 4 wave functions in flight"},
    {"step_alone", "step_inverse, the root has no rows (2 ranks or more)"},
    {NULL, NULL}};
static const enum nshape_mpi_order orders[VARIANTS] = {
    NSHAPE_MPI_INVERSE, NSHAPE_MPI_PLAIN, NSHAPE_MPI_EARLY,   NSHAPE_MPI_INVERSE,
    NSHAPE_MPI_KEPT,    NSHAPE_MPI_AHEAD, NSHAPE_MPI_INVERSE, NSHAPE_MPI_INVERSE};
enum { IN_FLIGHT = 4 };

/* As in main.cu and tdse_main.cu: units of roundoff of a solution and of a step. */
static const double UNITS = 16, STEP_UNITS = 26;

/* One line, and nobody waits for ever. */
static void stop(const char *what)
{
    fprintf(stderr, "%s: rank %d: %s\n", NAME, rank, what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
}
#define CHECK_MPI(call)                                                                            \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            stop(cudaGetErrorString(error_));                                                      \
    } while (0)

/* ---- where this rank's rows are ---- */

static int cores; /* 0: on a GPU */
static cudaStream_t stream;

/* The first `gpus` ranks of a host, not counting a root that is alone, have a GPU each; the others share its cores. */
static void choose_place(int gpus, enum nshape_mpi_root root)
{
    MPI_Comm workers, host;
    int here, all, count = 0;
    bool works = rank > 0 || root == NSHAPE_ROOT_WORKS;
    if (stream)
        CHECK_MPI(cudaStreamDestroy(stream));
    stream = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, works, 0, &workers);
    MPI_Comm_split_type(workers, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &here);
    MPI_Comm_size(host, &all);
    MPI_Comm_free(&host);
    MPI_Comm_free(&workers);
    cores = 1;
    if (!works)
        return;
    /* for what is not measured */
    omp_set_num_threads((int)fmax(1, sysconf(_SC_NPROCESSORS_ONLN) / all));
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0;
    int take = gpus >= 0 ? gpus : device_is_cpu() ? 0 : count;
    take = take > count && !device_is_cpu() ? count : take < all ? take : all;
    if (here < take) {
        cores = 0;
        CHECK_MPI(cudaSetDevice(device_is_cpu() ? 0 : here));
        CHECK_MPI(cudaStreamCreate(&stream));
        return;
    }
    long free_cores = sysconf(_SC_NPROCESSORS_ONLN) - take - (root == NSHAPE_ROOT_ALONE);
    cores = (int)(free_cores / (all - take));
    cores = cores < 1 ? 1 : cores;
}

/* "2 x NVIDIA H100 + 1 x CPU", on rank 0; the least cores of a rank without a GPU, and the most threads. */
static const char *places(int *cores_of_rank)
{
    static char text[256];
    int gpu = cores == 0, all_gpus, most = cores;
    MPI_Allreduce(&gpu, &all_gpus, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&most, cores_of_rank, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int cpus = ranks - all_gpus;
    if (all_gpus > 0)
        snprintf(text, sizeof text, "%d x %s%s", all_gpus, device_name(), cpus ? " + " : "");
    if (cpus > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d x %s", cpus, cpu_name());
    return text;
}

static void *alloc_here(size_t bytes)
{
    void *memory = NULL;
    if (cores > 0) {
        memory = malloc(bytes);
        if (!memory)
            stop("out of memory");
        memset(memory, 0xff, bytes); /* NaN: what is not there must not count */
    } else {
        CHECK_MPI(cudaMalloc(&memory, bytes));
        CHECK_MPI(cudaMemset(memory, 0xff, bytes));
    }
    return memory;
}
static void free_here(void *memory)
{
    if (cores > 0)
        free(memory);
    else if (memory)
        cudaFree(memory);
}
static void copy_here(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (cores > 0)
        memcpy(to, from, bytes);
    else
        CHECK_MPI(cudaMemcpy(to, from, bytes, kind));
}

static void *alloc_host(int64_t bytes)
{
    void *memory = malloc((size_t)bytes);
    if (!memory)
        stop("out of memory");
    return memory;
}

/* ---- the ranks' parts ---- */

/* One way to share the rows among the ranks. */
struct share {
    struct nshape_mpi mpi;
    int64_t n, first, rows; /* rows 0: this rank is the root alone */
};

static struct share share_rows(enum nshape_mpi_root root, int64_t n, double speed)
{
    struct share s;
    s.n = n;
    CHECK_MPI(nshape_mpi_open(MPI_COMM_WORLD, root, &s.mpi));
    CHECK_MPI(nshape_mpi_cut(&s.mpi, n, speed, &s.first, &s.rows));
    return s;
}

/* A wave function. V is a soft-core atom's, psi such that no row vanishes. */
struct wave {
    struct tdse plan[2];
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    double *psi; /* here, 2 rows words */
};

static const double DX = 0.1, DT = 0.02;
static double potential(int64_t n, int64_t i)
{
    double x = (double)(i - n / 2) * DX;
    return -1 / sqrt(x * x + 2);
}
static double psi_at(int64_t i, int part, int which)
{
    return cos((part ? 0.031 : 0.05) * (double)i + which + part);
}
/* |E x| stays below 1. */
static double field_at(int64_t n, int k)
{
    return sin(0.3 * k + 0.1) / ((double)n * DX);
}

/* `which` tells several apart. */
static void open_wave(struct wave *w, const struct share *s, char type, enum nshape_mpi_order order,
                      int which)
{
    *w = {};
    if (s->rows > 0) {
        size_t words = (size_t)s->rows, word = (size_t)size_of(type);
        void *host = alloc_host(s->rows * size_of(type)), *v = alloc_here(words * word / 2),
             *psi = alloc_here(words * word);
        w->psi = (double *)alloc_host(s->rows * 16);
        int64_t parts[NSHAPE_NEST_MOST];
        int nest = nshape_mpi_parts(s->rows, cores, parts);
        for (int i = 0; i < (order == NSHAPE_MPI_AHEAD ? 2 : 1); i++) {
            struct tdse *plan = &w->plan[i];
            *plan = tdse_plan(type, s->rows, -(double)(s->n / 2) * DX, DX, DT, nest, parts);
            plan->first = s->first;
            plan->matrix = order >= NSHAPE_MPI_KEPT ? TDSE_KEPT : TDSE_REBUILT;
            plan->v = v;
            plan->psi = psi;
            plan->work = alloc_here(tdse_work(plan));
            w->part.wave[i] = plan;
        }
        w->part.first = s->first;
        w->part.stream = stream;
        w->part.cores = cores;
#pragma omp parallel for
        for (int64_t i = 0; i < s->rows; i++)
            put(real_type(type), host, i, potential(s->n, s->first + i));
        copy_here(v, host, words * word / 2, cudaMemcpyHostToDevice);
#pragma omp parallel for
        for (int64_t i = 0; i < 2 * s->rows; i++)
            put(real_type(type), host, i, psi_at(s->first + i / 2, (int)(i % 2), which));
        copy_here(psi, host, words * word, cudaMemcpyHostToDevice);
        free(host);
    }
    CHECK_MPI(nshape_mpi_system_open(&s->mpi, type, s->rows > 0 ? &w->part : NULL, &w->system));
}

static void close_wave(struct wave *w)
{
    nshape_mpi_system_close(w->system);
    free_here((void *)w->plan[0].v);
    free_here(w->plan[0].psi);
    for (int i = 0; i < 2; i++)
        free_here(w->plan[i].work);
    free(w->psi);
}

/* psi to this rank's memory, in double precision. */
static void fetch_psi(struct wave *w)
{
    int64_t rows = w->plan[0].n;
    char type = w->plan[0].type;
    if (rows == 0)
        return;
    void *host = alloc_host(rows * size_of(type));
    copy_here(host, w->plan[0].psi, (size_t)(rows * size_of(type)), cudaMemcpyDeviceToHost);
#pragma omp parallel for
    for (int64_t i = 0; i < 2 * rows; i++)
        w->psi[i] = get(real_type(type), host, i);
    free(host);
}

/* The largest backward error of a row of one step, T after = T^dagger before, by the row's norm times |psi|_inf: each rank
 * judges the rows after J_w up to J_{w+1}, for which it needs one word of the next part; row 0 is the first part's. */
static double step_error(const struct share *s, const struct wave *w, const double *before,
                         double field)
{
    double next[4] = {0, 0, 0, 0}, mine[4] = {0, 0, 0, 0}, most = 0, worst = 0, all[2];
    int part = rank - s->mpi.first_worker;
    int lower = part > 0 ? rank - 1 : MPI_PROC_NULL;
    int upper = part >= 0 && part + 1 < s->mpi.parts ? rank + 1 : MPI_PROC_NULL;
    for (int c = 0; c < 2 && s->rows > 0; c++) {
        mine[c] = before[2 + c];
        mine[2 + c] = w->psi[2 + c];
    }
    MPI_Sendrecv(mine, 4, MPI_DOUBLE, lower, 0, next, 4, MPI_DOUBLE, upper, 0, s->mpi.comm,
                 MPI_STATUS_IGNORE);
    double off = -DT / (4 * DX * DX);
    const double *const psi[] = {before, w->psi};
#pragma omp parallel for reduction(max : worst, most)
    for (int64_t i = part == 0 ? 0 : 1; i < s->rows; i++) {
        double x = (double)(s->first + i - s->n / 2) * DX;
        double h = DT / 2 * (1 / (DX * DX) + potential(s->n, s->first + i) + field * x);
        for (int c = 0; c < 2;
             c++) { /* psi + i (h psi + off neighbours) after, minus its conjugate before */
            double value = psi[1][2 * i + c] - psi[0][2 * i + c];
            for (int t = 0; t < 2; t++) {
                double neighbours = 0;
                if (s->first + i > 0)
                    neighbours += psi[t][2 * (i - 1) + !c];
                if (s->first + i + 1 < s->n)
                    neighbours += i + 1 < s->rows ? psi[t][2 * (i + 1) + !c] : next[2 * t + !c];
                value += (c ? 1 : -1) * (h * psi[t][2 * i + !c] + off * neighbours);
                most = fmax(most, fabs(psi[t][2 * i + c]));
            }
            double error = fabs(value) / (1 + fabs(h) + 2 * fabs(off));
            worst = error <= worst ? worst : error == error ? error : (double)INFINITY;
        }
    }
    double own[2] = {worst, most};
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, s->mpi.comm);
    return all[0] / (2 * all[1]); /* psi and T^dagger psi */
}

/* A given system. All ranks make the whole of it to take their rows; rank 0 keeps it to verify. */
struct given {
    struct nshape plan;
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    void *whole[4], *x,
        *in[4]; /* rank 0: the system and its solution; here: what the solver destroys */
};

static void restore(struct given *g)
{
    void *const arrays[] = {g->plan.sub, g->plan.diag, g->plan.super, g->plan.rhs};
    size_t bytes = (size_t)(g->plan.n * size_of(g->plan.type));
    for (int i = 0; i < 4 && g->plan.n > 0; i++)
        copy_here(arrays[i], g->in[i], bytes, cudaMemcpyHostToDevice);
}

/* zero_row (-1: none) has zeros. */
static void open_given(struct given *g, const struct share *s, char type, enum system kind,
                       uint64_t seed, int64_t zero_row)
{
    *g = {};
    size_t word = (size_t)size_of(type);
    for (void *&array : g->whole)
        array = alloc_host(s->n * size_of(type));
    fill_systems(type, kind, seed, s->n, 1, g->whole[0], g->whole[1], g->whole[2], g->whole[3]);
    for (int i = 0; i < 3 && zero_row >= 0; i++)
        memset((char *)g->whole[i] + (size_t)zero_row * word, 0, word);
    if (s->rows > 0) {
        size_t bytes = (size_t)s->rows * word;
        int64_t parts[NSHAPE_NEST_MOST];
        int nest = nshape_mpi_parts(s->rows, cores, parts);
        g->plan = nshape_plan(type, s->rows, nest, parts);
        void **const arrays[] = {&g->plan.sub, &g->plan.diag, &g->plan.super, &g->plan.rhs};
        for (int i = 0; i < 4; i++) {
            *arrays[i] = alloc_here(bytes);
            g->in[i] = alloc_host(s->rows * size_of(type));
            memcpy(g->in[i], (char *)g->whole[i] + (size_t)s->first * word, bytes);
        }
        if (s->first > 0) { /* the part above has it */
            memset(g->in[1], 0, word);
            memset(g->in[3], 0, word);
        }
        g->plan.x = alloc_here(bytes);
        g->plan.work = alloc_here(nshape_work(&g->plan));
        g->plan.status = (long long *)alloc_here(sizeof *g->plan.status);
        g->part.first = s->first;
        g->part.system = &g->plan;
        g->part.stream = stream;
        g->part.cores = cores;
    }
    if (rank == 0)
        g->x = alloc_host(s->n * size_of(type));
    else
        for (void *&array : g->whole) {
            free(array);
            array = NULL;
        }
    CHECK_MPI(nshape_mpi_system_open(&s->mpi, type, s->rows > 0 ? &g->part : NULL, &g->system));
}

static void close_given(struct given *g)
{
    nshape_mpi_system_close(g->system);
    void *const here[] = {g->plan.sub, g->plan.diag, g->plan.super, g->plan.rhs,
                          g->plan.x,   g->plan.work, g->plan.status};
    for (void *memory : here)
        free_here(memory);
    for (int i = 0; i < 4; i++) {
        free(g->whole[i]);
        free(g->in[i]);
    }
    free(g->x);
}

/* The ranks' rows in order, `word` bytes each, to `whole` on rank 0. */
static void gather_rows(const struct share *s, const void *mine, void *whole, int64_t word)
{
    int64_t own[2] = {s->first, s->rows};
    int64_t *all = (int64_t *)alloc_host((int64_t)(sizeof own) * ranks);
    MPI_Gather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (rank > 0)
        send_bytes(mine, s->rows * word, 0);
    else
        for (int r = 0; r < ranks; r++) {
            char *to = (char *)whole + all[2 * r] * word;
            if (r > 0)
                receive_bytes(to, all[2 * r + 1] * word, r);
            else if (s->rows > 0)
                memcpy(to, mine, (size_t)(s->rows * word));
        }
    free(all);
}

/* The verdict is rank 0's. */
static struct verdict verify_given(const struct share *s, struct given *g, char type)
{
    int64_t word = size_of(type);
    void *mine = s->rows > 0 ? alloc_host(s->rows * word) : NULL;
    if (mine)
        copy_here(mine, g->plan.x, (size_t)(s->rows * word), cudaMemcpyDeviceToHost);
    gather_rows(s, mine, g->x, word);
    free(mine);
    struct verdict none = {};
    return rank == 0 ? verify_systems(type, s->n, 1, g->whole[0], g->whole[1], g->whole[2],
                                      g->whole[3], g->x, UNITS)
                     : none;
}

/* ---- the experiment ---- */

/* Rows a second of this rank: the stages of a part of `rows` rows, alone with it but with all ranks at once. */
static double measure_speed(char type, int64_t rows)
{
    struct share alone;
    alone.n = rows;
    alone.first = 0;
    alone.rows = rows;
    nshape_mpi_open(MPI_COMM_SELF, NSHAPE_ROOT_WORKS, &alone.mpi);
    struct wave w;
    open_wave(&w, &alone, is_complex(type) ? type : type == 's' ? 'c' : 'z', NSHAPE_MPI_PLAIN, 0);
    struct nshape_mpi_times times = {};
    double best = INFINITY, field = 0;
    for (int i = 0; i < 6; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        CHECK_MPI(nshape_mpi_steps(&w.system, 1, NSHAPE_MPI_PLAIN, &field, 1, &times));
        best = fmin(best, MPI_Wtime() - start);
    }
    close_wave(&w);
    return (double)rows / best;
}

/* The speed at the rows that this rank gets for it. A GPU with few rows waits for launches, so that its speed depends on
 * them: from equal shares, as often as brings ranks of whatever speeds near the same time. */
static double speed_at_share(char type, int64_t n, enum nshape_mpi_root root)
{
    enum { ROUNDS = 5, ROWS_MOST = 10000000 };
    bool works = rank > 0 || root == NSHAPE_ROOT_WORKS;
    double speed = works ? 1 : 0, all;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&speed, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double rows = fmin(fmax(speed / all * (double)n, 4), ROWS_MOST);
        double measured = measure_speed(type, (int64_t)rows);
        speed = works ? measured : 0;
    }
    return speed;
}

/* `reps` samples of `steps` steps (solve: one solution) on all ranks: the time of the slowest, and how long a rank waited on
 * average. */
struct sample {
    double ms[1000], waited_ms[1000]; /* --reps allows no more */
    struct timing_sample spent[1000];
    int count;
    bool disturbed;
};
struct run {
    struct given *given; /* or waves */
    struct nshape_mpi_system *systems[IN_FLIGHT];
    int count, steps;
    enum nshape_mpi_order order;
    double *field;
    long long status;
};

static void run_once(struct run *r, struct nshape_mpi_times *times)
{
    if (r->given)
        CHECK_MPI(nshape_mpi_solve(r->given->system, r->order, &r->status, times));
    else
        CHECK_MPI(nshape_mpi_steps(r->systems, r->count, r->order, r->field, r->steps, times));
}

static void take_samples_once(struct run *r, int reps, int cores_of_rank, struct sample *s)
{
    double begun = MPI_Wtime();
    int go_on = 1;
    for (s->count = 0; go_on; s->count++) {
        struct nshape_mpi_times times = {};
        if (r->given)
            restore(r->given);
        MPI_Barrier(MPI_COMM_WORLD);
        struct timing_sample before = timing_usage();
        double start = MPI_Wtime();
        run_once(r, &times);
        double spent = MPI_Wtime() - start, most, waited;
        MPI_Allreduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&times.waited, &waited, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        s->ms[s->count] = 1e3 * most / r->steps;
        s->waited_ms[s->count] = 1e3 * waited / ranks / r->steps;
        s->spent[s->count] = mpi_program_sample(before, 1e3 * most);
        go_on = s->count + 1 < reps &&
                (s->count + 1 < SAMPLES_LEAST || MPI_Wtime() - begun < TIMING_SECONDS);
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    s->disturbed = mpi_program_disturbed(s->spent, s->count, r->steps, cores_of_rank);
}

/* Again if other load disturbed them, unless that lasts. */
static void take_samples(struct run *r, int reps, int cores_of_rank, struct sample *s)
{
    double begun = MPI_Wtime();
    int go_on = 1;
    for (int i = 0; go_on && i <= REPEATS_MOST; i++) {
        take_samples_once(r, reps, cores_of_rank, s);
        go_on = s->disturbed && MPI_Wtime() - begun < TIMING_SECONDS;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* Least words a row: a solution as in main.cu; a step's as in tdse_main.cu. AHEAD: the factors (psi, V read, four arrays written, read
 * and written again with two more) on top of KEPT's. */
static const double WORDS[VARIANTS] = {19,   17.5, 17.5, 17.5, 11.5, 11.5 + 1.5 + 4 + 7 + 4,
                                       17.5, 17.5};

static void add_rows(struct results *results, const struct share *share, enum variant_id v,
                     char type, const struct run *r, const struct sample *s, double error,
                     const char *status, const char *device, int cores_of_rank, int64_t words)
{
    static const char *const phases[] = {"total", "wait"};
    for (int phase = 0; rank == 0 && phase < 2; phase++) {
        struct sample copy = *s;
        struct row row = {};
        row.variant = variants[v].name;
        row.type = type;
        row.n = share->n;
        row.batch = r->count;
        row.parts = share->mpi.parts;
        row.cores = cores_of_rank;
        row.ranks = ranks;
        row.phase = phases[phase];
        row.device = device;
        row.time = s->count ? timing_summary("clock", phase ? copy.waited_ms : copy.ms, s->count)
                            : timing_none();
        row.time.disturbed = s->disturbed;
        row.bytes = phase ? (double)(words * size_of(type))
                          : WORDS[v] * (double)(share->n * size_of(type)) * r->count;
        row.error = error;
        row.status = status;
        results_add(results, &row);
    }
}

static void solve_rows(struct results *results, const struct share *share, char type,
                       const struct options *o, const char *device, int cores_of_rank)
{
    static struct sample s;
    struct given g;
    struct run r = {};
    struct nshape_mpi_times times = {};
    open_given(&g, share, type, SYSTEM_DOMINANT, o->seed, -1);
    r.given = &g;
    r.count = r.steps = 1;
    r.order = orders[SOLVE];
    restore(&g);
    run_once(&r, &times);
    struct verdict verdict = verify_given(share, &g, type);
    take_samples(&r, o->reps, cores_of_rank, &s);
    int64_t mine = times.words_up + times.words_down, words;
    MPI_Allreduce(&mine, &words, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    add_rows(results, share, SOLVE, type, &r, &s, verdict.error,
             r.status     ? "zero pivot"
             : verdict.ok ? "ok"
                          : "wrong",
             device, cores_of_rank, words);
    close_given(&g);
}

static void step_rows(struct results *results, const struct share *share, enum variant_id v,
                      char type, const struct options *o, const char *device, int cores_of_rank)
{
    enum { STEPS_MOST = 100 };
    static struct sample s;
    static double field[STEPS_MOST];
    struct wave waves[IN_FLIGHT];
    struct run r = {};
    struct nshape_mpi_times times = {}, kept = {};
    r.order = orders[v];
    r.count = v == STEP_FLIGHT ? IN_FLIGHT : 1;
    r.field = field;
    for (int k = 0; k < STEPS_MOST; k++)
        field[k] = r.order == NSHAPE_MPI_KEPT ? 0 : field_at(share->n, k);
    for (int i = 0; i < r.count; i++) {
        open_wave(&waves[i], share, type, r.order, i);
        r.systems[i] = waves[i].system;
        if (r.order == NSHAPE_MPI_KEPT)
            CHECK_MPI(nshape_mpi_keep(r.systems[i], 0, &kept));
    }
    double *before = (double *)alloc_host(16 * (share->rows > 0 ? share->rows : 1));
    r.steps = 1;
    fetch_psi(&waves[0]);
    if (share->rows > 0)
        memcpy(before, waves[0].psi, (size_t)share->rows * 16);
    run_once(&r, &times);
    fetch_psi(&waves[0]);
    double error = step_error(share, &waves[0], before, field[0]), start = MPI_Wtime();
    free(before);
    run_once(&r, &kept);
    /* a sample of 20 ms, the same on all ranks */
    r.steps = (int)fmin(fmax(0.02 / (MPI_Wtime() - start), 2), STEPS_MOST);
    MPI_Bcast(&r.steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    take_samples(&r, o->reps, cores_of_rank, &s);
    int64_t mine = times.words_up + times.words_down, words;
    MPI_Allreduce(&mine, &words, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    add_rows(results, share, v, type, &r, &s, error,
             error <= STEP_UNITS * unit_roundoff(type) ? "ok" : "wrong", device, cores_of_rank,
             words);
    for (int i = 0; i < r.count; i++)
        close_wave(&waves[i]);
}

/* Bytes that a rank needs here and, on a GPU, there. */
static double bytes_missing(double host_bytes, double gpu_bytes)
{
    bool here = cores > 0 || device_is_cpu();
    double missing = mpi_program_missing(host_bytes + (here ? gpu_bytes : 0)), most;
    if (!here) {
        size_t available = 0, total = 0;
        CHECK_MPI(cudaMemGetInfo(&available, &total));
        missing = fmax(missing, gpu_bytes - 0.95 * (double)available);
    }
    MPI_Allreduce(&missing, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int refuse(const char *format, double value)
{
    if (rank == 0) {
        fprintf(stderr, "%s: ", NAME);
        fprintf(stderr, format, value);
        fputc('\n', stderr);
    }
    return EXIT_DEVICE;
}

/* Does this variant run here? */
static bool has_variant(const struct options *o, int v, char type)
{
    return o->has_variant[v] && (v == SOLVE || is_complex(type)) && (v != STEP_ALONE || ranks > 1);
}

/* The statuses of experiment() and check() are rank 0's. */
static int experiment(const struct options *options)
{
    for (int i = 0; i < options->n.count; i++)
        if (options->n.value[i] <= ranks) {
            refuse("--n: more rows than ranks are needed, there are %.0f ranks", ranks);
            return EXIT_USAGE;
        }
    int cores_of_rank;
    const char *device = places(&cores_of_rank);
    double n = (double)list_largest(&options->n, 1), host_words = 0, words = 0;
    for (const char *type = options->types; *type; type++)
        for (int v = 0; v < VARIANTS; v++)
            if (has_variant(options, v, *type)) {
                double word = size_of(*type), part = n / ranks;
                double wave = (v == STEP_AHEAD ? 14.5 : v == STEP_KEPT ? 8.5 : 6.5) * word * part;
                words = fmax(words, v == SOLVE         ? 6 * word * part
                                    : v == STEP_FLIGHT ? 4 * wave
                                                       : wave);
                host_words = fmax(host_words,
                                  v == SOLVE ? 5 * word * n + 4 * word * part : (32 + word) * part);
            }
    double missing = bytes_missing(host_words, words);
    if (missing > 0)
        return refuse("these sizes need %.1f GiB more than a host or a GPU has free",
                      missing / (1 << 30));
    struct results *results;
    if (!mpi_program_results(NAME, device, options->csv, &results))
        return EXIT_USAGE;
    int64_t done = 0, all = 0;
    for (const char *type = options->types; *type; type++)
        for (int v = 0; v < VARIANTS; v++)
            all += has_variant(options, v, *type) * options->n.count;
    for (int root = NSHAPE_ROOT_WORKS; root <= NSHAPE_ROOT_ALONE; root++) {
        if (root == NSHAPE_ROOT_ALONE) { /* the GPUs are the others' */
            if (ranks == 1 || !options->has_variant[STEP_ALONE])
                break;
            choose_place(options->gpus, NSHAPE_ROOT_ALONE);
            device = places(&cores_of_rank);
        }
        for (const char *type = options->types; *type; type++)
            for (int i = 0; i < options->n.count; i++) {
                double speed = -1; /* not known yet */
                for (int v = 0; v < VARIANTS; v++)
                    if (has_variant(options, v, *type) && (v == STEP_ALONE) == root) {
                        enum nshape_mpi_root with = (enum nshape_mpi_root)root;
                        if (speed < 0)
                            speed = speed_at_share(*type, options->n.value[i], with);
                        struct share share = share_rows(with, options->n.value[i], speed);
                        if (v == SOLVE)
                            solve_rows(results, &share, *type, options, device, cores_of_rank);
                        else
                            step_rows(results, &share, (enum variant_id)v, *type, options, device,
                                      cores_of_rank);
                        if (rank == 0)
                            progress(NAME, ++done, all, variants[v].name);
                    }
            }
    }
    return rank == 0 ? results_close(results) : EXIT_VERIFIED;
}

/* ---- --check ---- */

/* Parts of every size, of no row between the lines among them; each rank draws for all. */
static double random_speed(struct random *r)
{
    double mine = 1;
    for (int i = 0; i < ranks; i++) {
        double speed = random_bits(r) % 3 ? random_uniform(r, 0.1, 1) : 1e-9;
        if (i == rank)
            mine = speed;
    }
    return mine;
}

static void check_given(const struct share *s, char type, enum system kind, uint64_t seed)
{
    struct given g;
    open_given(&g, s, type, kind, seed, -1);
    size_t bytes = (size_t)(s->n * size_of(type));
    void *first = alloc_host((int64_t)bytes);
    static const enum nshape_mpi_order in_turn[] = {NSHAPE_MPI_PLAIN, NSHAPE_MPI_EARLY,
                                                    NSHAPE_MPI_INVERSE, NSHAPE_MPI_INVERSE};
    for (int k = 0; k < 4; k++) { /* every second one has the bits of the one before */
        enum nshape_mpi_order order = in_turn[k];
        struct nshape_mpi_times times = {};
        long long status = -1;
        restore(&g);
        CHECK_MPI(nshape_mpi_solve(g.system, order, &status, &times));
        bool agreed = is_agreed(status);
        struct verdict v = verify_given(s, &g, type);
        EXPECT_0(agreed && status == 0 && v.ok,
                 "type %c, %s, n = %lld, order %d: status %lld, %.2g of the bound", type,
                 system_name(kind), (long long)s->n, order, status, v.used);
        if (rank == 0 && k % 2 == 0)
            memcpy(first, g.x, bytes);
        EXPECT_0(memcmp(first, g.x, bytes) == 0, "type %c, n = %lld, order %d: not the same bits",
                 type, (long long)s->n, order);
        EXPECT(s->rows == 0 || (times.words_up == 6 && times.words_down == 2),
               "%lld and %lld words", (long long)times.words_up, (long long)times.words_down);
    }
    free(first);
    close_given(&g);
}

/* A row of zeros is reported, wherever it is, and on all ranks. */
static void check_pivots(const struct share *s, char type)
{
    for (int64_t row = 0; row < s->n; row += 7) {
        struct given g;
        struct nshape_mpi_times times = {};
        long long status = -1;
        open_given(&g, s, type, SYSTEM_DOMINANT, 5, row);
        restore(&g);
        CHECK_MPI(nshape_mpi_solve(g.system, NSHAPE_MPI_EARLY, &status, &times));
        bool agreed = is_agreed(status);
        EXPECT_0(agreed && status == row + 1, "type %c: row %lld, reported %lld", type,
                 (long long)(row + 1), status);
        close_given(&g);
    }
}

/* Pointers that cannot be are refused, before anything is sent: so each rank can try alone. */
static void check_pointers(void)
{
    struct share s;
    s.n = s.rows = 40;
    s.first = 0;
    CHECK_MPI(nshape_mpi_open(MPI_COMM_SELF, NSHAPE_ROOT_WORKS, &s.mpi));
    int64_t line;
    EXPECT(nshape_mpi_cut(&s.mpi, 40, 1, NULL, &line) == cudaErrorInvalidValue &&
               nshape_mpi_cut(&s.mpi, 40, 1, &line, NULL) == cudaErrorInvalidValue,
           "rank %d: rows to nowhere", rank);
    struct nshape_mpi_part empty = {};
    struct nshape_mpi_system *none;
    EXPECT(nshape_mpi_system_open(&s.mpi, 'z', &empty, &none) == cudaErrorInvalidValue,
           "rank %d: a part of nothing", rank);
    for (const char *type = "sdcz"; *type; type++) {
        struct given g;
        struct nshape_mpi_times times = {};
        long long status[2] = {-1, -1};
        size_t word = (size_t)size_of(*type), bytes = 40 * word;
        unsigned char *x = (unsigned char *)alloc_host((int64_t)bytes);
        open_given(&g, &s, *type, SYSTEM_DOMINANT, 5, -1);
        restore(&g);
        const struct nshape good = g.plan;
        void **const pointers[] = {&g.plan.sub, &g.plan.diag, &g.plan.super,          &g.plan.rhs,
                                   &g.plan.x,   &g.plan.work, (void **)&g.plan.status};
        EXPECT(nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, NULL, &times) ==
                       cudaErrorInvalidValue &&
                   nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, (long long *)((char *)status + 4),
                                    &times) == cudaErrorInvalidValue,
               "rank %d, type %c: no status", rank, *type);
        for (int i = 0; i < 7; i++)
            for (int missing = 0; missing < 2; missing++) {
                *pointers[i] = missing ? NULL : (char *)*pointers[i] + word / 2;
                if (i > 4 && !missing)
                    *pointers[i] = (char *)*pointers[i] - word / 2 + 4;
                EXPECT(nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, status, &times) ==
                           cudaErrorInvalidValue,
                       "rank %d, type %c, pointer %d", rank, *type, i);
                g.plan = good;
            }
        copy_here(x, g.plan.x, bytes, cudaMemcpyDeviceToHost);
        bool kept = true;
        for (size_t i = 0; i < bytes; i++)
            kept = kept && x[i] == 0xff;
        EXPECT(kept && status[0] == -1, "rank %d, type %c: x was touched", rank, *type);
        CHECK_MPI(nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, status, &times));
        EXPECT(status[0] == 0, "rank %d, type %c, after all that: status %lld", rank, *type,
               status[0]);
        free(x);
        close_given(&g);
        if (!is_complex(*type))
            continue;
        struct wave w;
        double field[2] = {0, 0};
        open_wave(&w, &s, *type, NSHAPE_MPI_PLAIN, 0);
        EXPECT(nshape_mpi_steps(&w.system, 1, NSHAPE_MPI_PLAIN, NULL, 1, &times) ==
                   cudaErrorInvalidValue,
               "rank %d, type %c: no field", rank, *type);
        const void *v = w.plan[0].v;
        w.plan[0].v = NULL;
        EXPECT(nshape_mpi_steps(&w.system, 1, NSHAPE_MPI_PLAIN, field, 1, &times) ==
                   cudaErrorInvalidValue,
               "rank %d, type %c: no potential", rank, *type);
        w.plan[0].v = v;
        close_wave(&w);
    }
}

/* A dominant system times a power of two whose square the type does not hold is solved or reported,
 * never wrong in silence. */
static void check_scale(const struct share *s, char type, int by)
{
    struct given g;
    struct nshape_mpi_times times = {};
    long long status = -1;
    int64_t parts = is_complex(type) ? 2 : 1;
    char real = real_type(type);
    open_given(&g, s, type, SYSTEM_DOMINANT, 5, -1);
    for (int array = 0; array < 4; array++) {
        for (int64_t i = 0; i < s->rows * parts; i++)
            put(real, g.in[array], i, ldexp(get(real, g.in[array], i), by));
        for (int64_t i = 0; rank == 0 && i < s->n * parts; i++)
            put(real, g.whole[array], i, ldexp(get(real, g.whole[array], i), by));
    }
    restore(&g);
    CHECK_MPI(nshape_mpi_solve(g.system, NSHAPE_MPI_INVERSE, &status, &times));
    bool agreed = is_agreed(status);
    struct verdict v = verify_given(s, &g, type);
    EXPECT_0(agreed && (status > 0 || v.ok), "type %c times 2^%d: status %lld, %.2g of the bound",
             type, by, status, v.used);
    close_given(&g);
}

/* On rank 0: steps of the whole wave function without parts. psi: 2 n words. */
static void ordinary_steps(char type, int64_t n, const double *field, int steps, int which,
                           double *psi)
{
    int64_t block = 1;
    struct tdse plan = tdse_plan(type, n, -(double)(n / 2) * DX, DX, DT, 1, &block);
    void *v = alloc_host(n * 8), *words = alloc_host(n * size_of(type)),
         *work = alloc_host((int64_t)tdse_work(&plan));
    for (int64_t i = 0; i < n; i++)
        put(real_type(type), v, i, potential(n, i));
    for (int64_t i = 0; i < 2 * n; i++)
        put(real_type(type), words, i, psi_at(i / 2, (int)(i % 2), which));
    plan.v = v;
    plan.psi = words;
    plan.work = work;
    for (int k = 0; k < steps; k++)
        CHECK_MPI(tdse_step_cpu(&plan, field[k], 1));
    for (int64_t i = 0; i < 2 * n; i++)
        psi[i] = get(real_type(type), words, i);
    free(v);
    free(words);
    free(work);
}

/* All orders, one and three wave functions at once: each wave function against ordinary steps. T^-1 T^dagger is unitary, so that
 * errors of steps add up: both sides' STEP_UNITS |T|, |T| <= 3 here. The same bits again, and of orders that share
 * them. */
static void check_steps(const struct share *s, char type, int count)
{
    enum { STEPS = 5, WAVES = 3 };
    double field[2][STEPS], *first[2] = {NULL, NULL};
    size_t words = 2 * (size_t)s->n;
    double *psi = (double *)alloc_host((int64_t)(8 * words)),
           *expected = (double *)alloc_host((int64_t)(8 * words));
    for (int k = 0; k < STEPS; k++) {
        field[0][k] = field_at(s->n, k);
        field[1][k] = field[0][0];
    }
    for (double *&bits : first)
        bits = (double *)alloc_host((int64_t)(8 * words));
    for (int constant = 0; constant < 2; constant++)
        for (int o = NSHAPE_MPI_PLAIN; o <= NSHAPE_MPI_AHEAD; o++) {
            enum nshape_mpi_order order = (enum nshape_mpi_order)o;
            struct wave waves[WAVES];
            struct nshape_mpi_system *systems[WAVES];
            struct nshape_mpi_times times = {}, kept = {};
            if (order == NSHAPE_MPI_KEPT && !constant)
                continue;
            for (int i = 0; i < count; i++) {
                open_wave(&waves[i], s, type, order, i);
                systems[i] = waves[i].system;
                if (order == NSHAPE_MPI_KEPT)
                    CHECK_MPI(nshape_mpi_keep(systems[i], field[1][0], &kept));
            }
            CHECK_MPI(nshape_mpi_steps(systems, count, order, field[constant], STEPS, &times));
            for (int i = 0; i < count; i++) {
                fetch_psi(&waves[i]);
                gather_rows(s, waves[i].psi, psi, 16);
                if (rank == 0) {
                    ordinary_steps(type, s->n, field[constant], STEPS, i, expected);
                    double error = 0, size = 0;
                    for (size_t j = 0; j < words; j++) {
                        error += (psi[j] - expected[j]) * (psi[j] - expected[j]);
                        size += expected[j] * expected[j];
                    }
                    EXPECT(sqrt(error / size) <= 2 * STEPS * STEP_UNITS * 3 * unit_roundoff(type),
                           "type %c, n = %lld, order %d, wave %d: error %g", type, (long long)s->n,
                           o, i, sqrt(error / size));
                }
                bool kept_factors = order >= NSHAPE_MPI_KEPT;
                enum nshape_mpi_order alike = !kept_factors ? NSHAPE_MPI_PLAIN
                                              : constant    ? NSHAPE_MPI_KEPT
                                                            : NSHAPE_MPI_AHEAD;
                if (rank == 0 && i == 0 && order == alike)
                    memcpy(first[kept_factors], psi, 8 * words);
                EXPECT_0(i > 0 || order == NSHAPE_MPI_INVERSE ||
                             memcmp(first[kept_factors], psi, 8 * words) == 0,
                         "type %c, n = %lld, order %d: other bits", type, (long long)s->n, o);
            }
            int up = order == NSHAPE_MPI_KEPT ? 2 : 6;
            EXPECT(s->rows == 0 || (times.words_up == up * STEPS * count &&
                                    times.words_down == 2 * STEPS * count),
                   "order %d: %lld and %lld words", o, (long long)times.words_up,
                   (long long)times.words_down);
            for (int i = 0; i < count; i++)
                close_wave(&waves[i]);
        }
    for (double *bits : first)
        free(bits);
    free(psi);
    free(expected);
}

/* 10^4 steps keep the norm to 1e-10; fewer where the ranks share cores, and a step waits for the scheduler. */
static void check_norm(const struct share *s)
{
    enum { STEPS_MOST = 10000 };
    static double field[STEPS_MOST];
    int steps = ranks > sysconf(_SC_NPROCESSORS_ONLN) ? STEPS_MOST / 100 : STEPS_MOST;
    struct wave w;
    struct nshape_mpi_times times = {};
    double norm[2];
    open_wave(&w, s, 'z', NSHAPE_MPI_KEPT, 0);
    CHECK_MPI(nshape_mpi_keep(w.system, 0, &times));
    for (int after = 0; after < 2; after++) {
        double own = 0;
        fetch_psi(&w);
        for (int64_t i = s->first > 0 ? 1 : 0; i < s->rows; i++)
            own += w.psi[2 * i] * w.psi[2 * i] + w.psi[2 * i + 1] * w.psi[2 * i + 1];
        MPI_Allreduce(&own, &norm[after], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (!after)
            CHECK_MPI(nshape_mpi_steps(&w.system, 1, NSHAPE_MPI_KEPT, field, steps, &times));
    }
    EXPECT_0(fabs(norm[1] / norm[0] - 1) <= 1e-10, "the norm changed by %g", norm[1] / norm[0] - 1);
    close_wave(&w);
}

/* Every part has a line of its own, neighbours agree, the sizes follow the speeds. */
static void check_cut(void)
{
    for (int64_t n = ranks + 1; n < 3000; n = 2 * n + 1) {
        double speed = rank + 1, sum = ranks * (ranks + 1) / 2.0;
        struct share s = share_rows(NSHAPE_ROOT_WORKS, n, speed);
        int64_t last = s.first + s.rows - 1, next = n - 1,
                lower = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        int upper = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
        MPI_Sendrecv(&s.first, 1, MPI_INT64_T, (int)lower, 2, &next, 1, MPI_INT64_T, upper, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double between = speed / sum * (double)(n - 1 - ranks);
        EXPECT(last == next && s.rows >= 2 && (rank > 0 || s.first == 0) &&
                   fabs((double)(s.rows - 2) - between) <= 1,
               "n = %lld, rank %d: rows %lld to %lld", (long long)n, rank, (long long)s.first,
               (long long)last);
    }
}

static int check(const struct options *options)
{
    const int64_t sizes[] = {ranks + 1, 31, 1000, ranks + 3, 4097};
    /* Ranks that take turns on a core wait for each other at each message: fewer sizes and types,
     * which other numbers of ranks have. */
    const bool crowded = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    const int size_count = crowded ? 3 : (int)(sizeof sizes / sizeof *sizes);
    struct random r = {options->seed};
    check_cut();
    check_pointers();
    for (int root = NSHAPE_ROOT_WORKS; root <= (ranks > 1 ? NSHAPE_ROOT_ALONE : NSHAPE_ROOT_WORKS);
         root++)
        for (const char *type = crowded ? "zs" : "zcds"; *type; type++)
            for (int i = 0; i < size_count; i++)
                for (int unequal = 0; unequal < 2; unequal++) {
                    const int64_t n = sizes[i];
                    struct share s =
                        share_rows((enum nshape_mpi_root)root, n, unequal ? random_speed(&r) : 1);
                    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
                        check_given(&s, *type, (enum system)kind, options->seed);
                    if (n == 31) {
                        check_pivots(&s, *type);
                        check_scale(&s, *type, real_type(*type) == 's' ? 64 : 512);
                    }
                    for (int count = 1; is_complex(*type) && count <= 3; count += 2)
                        check_steps(&s, *type, count);
                    if (n == 1000 && *type == 'z' && !unequal)
                        check_norm(&s);
                }
    /* counted on every rank, said on rank 0 */
    int own[2] = {expect_passed, expect_failed}, all[2];
    MPI_Reduce(own, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return EXIT_VERIFIED;
    expect_passed = all[0];
    expect_failed = all[1];
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    wait_passively(argv); /* before the device is opened */
    struct program program = {};
    program.name = NAME;
    program.summary = "The N-shaped partition method over MPI ranks (L22 5.2). Run by "
                      "common/mpirun.sh -np RANKS.";
    program.variants = variants;
    program.takes = "n gpus type=zcds";
    program.paper = "--n 300000,3000000,30000000 --type z";
    program.quick = "--n 30000,300000 --type z --reps 5";
    program.device = device_name();
    program.quick_default = device_is_cpu();
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        choose_place(options.gpus, NSHAPE_ROOT_WORKS);
        status = options.check ? check(&options) : experiment(&options);
    }
    return mpi_program_end(status);
}
