/* Steps of wave functions over MPI ranks, by the paper's method or by solvers/tridiagonal_mpi.h.
 * The latter needs one exchange a step: it also gives each rank psi in the rows next to its own,
 * from which the rank computes the next d. */
#include "main.h"

#include <math.h>

double potential(int64_t n, int64_t i)
{
    double x = (double)(i - n / 2) * DX;
    return -1 / sqrt(x * x + 2);
}

double psi_at(int64_t i, int imaginary, int which)
{
    return cos((imaginary ? 0.031 : 0.05) * (double)i + which + imaginary);
}

double field_at(int64_t n, int step)
{
    return sin(0.3 * step + 0.1) / ((double)n * DX);
}

struct tdse plan_rows(char type, int64_t n, int64_t first, int64_t rows, int nest,
                      const int64_t *parts)
{
    struct tdse plan = tdse_plan(type, rows, -(double)(n / 2) * DX, DX, DT, nest, parts);
    plan.first = first;
    return plan;
}

void fill_wave(struct wave *w, int64_t n, int which)
{
#pragma omp parallel for
    for (int64_t i = 0; i < w->s.n; i++) {
        w->v[i] = potential(n, w->s.first + i);
        for (int c = 0; c < 2; c++)
            w->psi[2 * i + c] = psi_at(w->s.first + i, c, which);
    }
    store(w);
}

/* ---- the paper's method ---- */

static void open_nshape(struct rank_wave *w, const struct share *s, char type,
                        enum nshape_mpi_order order, int which)
{
    if (s->rows > 0) {
        int64_t parts[NSHAPE_NEST_MOST];
        int nest = nshape_mpi_parts(s->rows, cores, parts);
        struct tdse plan = plan_rows(type, s->n, s->first, s->rows, nest, parts);
        enum tdse_matrix matrix = order >= NSHAPE_MPI_KEPT ? TDSE_KEPT : TDSE_REBUILT;
        w->wave = open_wave(&plan, way_of(TDSE_N_SHAPED, matrix), cores);
        fill_wave(&w->wave, s->n, which);
        w->psi = w->wave.psi;
        w->part = {.first = s->first, .wave = {&w->wave.s}, .stream = stream, .cores = cores};
        if (order == NSHAPE_MPI_AHEAD) {
            w->ahead = w->wave.s;
            w->ahead.work = wave_memory(&w->wave, tdse_work(&w->wave.s));
            w->part.wave[1] = &w->ahead;
        }
    }
    CHECK_MPI(nshape_mpi_system_open(&s->mpi, type, s->rows > 0 ? &w->part : NULL, &w->system));
}

/* ---- tridiagonal_mpi ---- */

/* A share without its first row, which is the last row of the rank above. */
static int64_t skipped(void)
{
    return rank > 0 ? 1 : 0;
}

/* Stores psi of row i of the grid at element k of w->around, 0 beyond the grid. */
static void put_around(struct rank_wave *w, int64_t n, int k, int64_t i)
{
    for (int c = 0; c < 2; c++)
        put(real_type(w->wave.s.type), w->around, 2 * k + c, i < 0 || i >= n ? 0 : psi_at(i, c, 0));
}

static void open_tridiagonal(struct rank_wave *w, const struct share *s, char type)
{
    int64_t one = 1, first = s->first + skipped(), rows = s->rows - skipped();
    struct tdse plan = plan_rows(type, s->n, first, rows, 1, &one);
    w->wave = open_wave(&plan, way_of(TDSE_TRIDIAGONAL, TDSE_REBUILT), 0);
    fill_wave(&w->wave, s->n, 0);
    w->psi = (double *)memory_host(&w->wave.memory, (size_t)s->rows * 16);
    put_around(w, s->n, 0, first - 1);
    put_around(w, s->n, 3, first + rows);
    CHECK_MPI(tdse_keep(&w->wave.s, 0, NULL));
    w->solver = {.type = type, .n = rows, .first = first, .total = s->n};
    w->solver.around = w->around, w->solver.seconds = w->seconds;
    w->bytes = tridiagonal_mpi_workspace(&w->solver);
    w->work = wave_memory(&w->wave, w->bytes);
    CHECK_MPI(tridiagonal_mpi_open(s->mpi.comm, &w->solver, &w->link));
    CHECK_MPI(tridiagonal_mpi_prepare(&w->solver, w->work, w->bytes, NULL));
}

static void steps_tridiagonal(struct rank_wave *w, const double *field, int steps,
                              struct nshape_mpi_times *times)
{
    struct tridiagonal_mpi *t = &w->solver;
    const size_t size = (size_t)size_of(t->type);
    char *around = (char *)w->around, beyond[32];
    for (int k = 0; k < steps; k++) {
        struct tridiagonal rows = {};
        memcpy(beyond, around, size);
        memcpy(beyond + size, around + 3 * size, size);
        CHECK_MPI(tdse_system(&w->wave.s, field[k], beyond, &rows, NULL));
        t->sub = rows.sub, t->diag = rows.diag, t->super = rows.super;
        t->rhs = rows.rhs, t->x = rows.x;
        CHECK_MPI(tridiagonal_mpi_solve(w->link, t, w->work, w->bytes, NULL));
        if (t->first == 0)
            memset(around, 0, size);
        if (t->first + t->n == t->total)
            memset(around + 3 * size, 0, size);
        times->waited += w->seconds[1];
        times->elements_up += (int64_t)(tridiagonal_equations(t->type, t->pivot) / size);
    }
    CHECK_MPI(cudaDeviceSynchronize());
}

void open_waves(struct waves *w, const struct share *s, char type, enum nshape_mpi_order order,
                int count, double field)
{
    struct nshape_mpi_times ignored = {};
    *w = {.count = count, .order = order};
    for (int i = 0; i < count; i++) {
        if (order == BY_TRIDIAGONAL)
            open_tridiagonal(&w->of[i], s, type);
        else
            open_nshape(&w->of[i], s, type, order, i);
        w->systems[i] = w->of[i].system;
        if (order == NSHAPE_MPI_KEPT)
            CHECK_MPI(nshape_mpi_keep(w->systems[i], field, &ignored));
    }
}

void close_waves(struct waves *w)
{
    for (int i = 0; i < w->count; i++) {
        if (w->order == BY_TRIDIAGONAL)
            tridiagonal_mpi_close(w->of[i].link);
        else
            nshape_mpi_system_close(w->systems[i]);
        memory_free(&w->of[i].wave.memory);
    }
}

struct nshape_mpi_times step_waves(struct waves *w, const double *field, int steps)
{
    struct nshape_mpi_times times = {};
    if (w->order == BY_TRIDIAGONAL)
        steps_tridiagonal(&w->of[0], field, steps, &times);
    else
        CHECK_MPI(nshape_mpi_steps(w->systems, w->count, w->order, field, steps, &times));
    return times;
}

double held_bytes(const struct waves *w)
{
    double bytes = 0;
    for (int i = 0; i < w->count; i++)
        bytes += (double)w->of[i].wave.memory.bytes;
    return bytes;
}

void fetch_psi(struct rank_wave *w)
{
    if (!w->psi)
        return;
    fetch(&w->wave);
    if (!w->link)
        return;
    for (int c = 0; c < 2 && skipped(); c++)
        w->psi[c] = get(real_type(w->wave.s.type), w->around, c);
    memcpy(w->psi + 2 * skipped(), w->wave.psi, (size_t)w->wave.s.n * 16);
}
