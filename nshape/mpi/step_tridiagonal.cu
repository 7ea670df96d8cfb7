/* A wave function over ranks whose time steps are solved by solvers/tridiagonal_mpi.h instead of
 * the paper's method. A step computes T and d = T^dagger psi as on one GPU, and solves over all
 * ranks. The solver gives each rank psi in the rows beside its own, which the next d needs. So a
 * step has one exchange. See main.h. */
#include "main.h"

/* This rank's rows are those of its share without the first one, which is the last row of the rank
 * above. Rank 0 has no rank above. */
static int64_t skipped(void)
{
    return rank > 0 ? 1 : 0;
}

/* Stores psi of row i of the grid at element k of w->around, 0 beyond the grid. */
static void put_around(struct tridiagonal_wave *w, int64_t n, int k, int64_t i)
{
    for (int part = 0; part < 2; part++)
        put(real_type(w->plan.type), w->around, 2 * k + part,
            i < 0 || i >= n ? 0 : psi_at(i, part, 0));
}

void open_tridiagonal(struct tridiagonal_wave *w, const struct share *s, char type)
{
    int64_t one = 1, first = s->first + skipped(), rows = s->rows - skipped();
    int64_t bytes = rows * size_of(type);
    char real = real_type(type);
    *w = {.host = {.type = type}};
    w->plan = tdse_plan(type, rows, -(double)(s->n / 2) * DX, DX, DT, 1, &one);
    w->plan.first = first;
    w->plan.solver = TDSE_TRIDIAGONAL;
    void *v = memory_here(&w->memory, bytes / 2);
    w->plan.v = v;
    w->plan.psi = memory_here(&w->memory, bytes);
    w->plan.work = memory_here(&w->memory, (int64_t)tdse_work(&w->plan));
    w->host.psi = (double *)memory_cpu(&w->memory, s->rows * 16);
    struct memory temporary = {};
    void *host = memory_cpu(&temporary, bytes);
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++)
        put(real, host, i, potential(s->n, first + i));
    copy_here(v, host, bytes / 2, cudaMemcpyHostToDevice);
#pragma omp parallel for
    for (int64_t i = 0; i < 2 * rows; i++)
        put(real, host, i, psi_at(first + i / 2, (int)(i % 2), 0));
    copy_here(w->plan.psi, host, bytes, cudaMemcpyHostToDevice);
    memory_free(&temporary);
    put_around(w, s->n, 0, first - 1);
    put_around(w, s->n, 3, first + rows);
    CHECK_MPI(tdse_keep(&w->plan, 0, NULL));
    struct tridiagonal_mpi *t = &w->solver;
    t->type = type, t->n = rows, t->first = first, t->total = s->n;
    t->around = w->around, t->seconds = w->seconds;
    w->bytes = tridiagonal_mpi_workspace(t);
    w->work = memory_here(&w->memory, (int64_t)w->bytes);
    CHECK_MPI(tridiagonal_mpi_open(s->mpi.comm, t, &w->link));
    CHECK_MPI(tridiagonal_mpi_prepare(t, w->work, w->bytes, NULL));
}

void close_tridiagonal(struct tridiagonal_wave *w)
{
    tridiagonal_mpi_close(w->link);
    memory_free(&w->memory);
}

void steps_tridiagonal(struct tridiagonal_wave *w, const double *field, int steps,
                       struct nshape_mpi_times *times)
{
    const size_t size = (size_t)size_of(w->plan.type);
    struct tridiagonal_mpi *t = &w->solver;
    for (int k = 0; k < steps; k++) {
        char beyond[32];
        struct tridiagonal rows = {};
        memcpy(beyond, w->around, size);
        memcpy(beyond + size, (const char *)w->around + 3 * size, size);
        CHECK_MPI(tdse_system(&w->plan, field[k], beyond, &rows, NULL));
        t->sub = rows.sub, t->diag = rows.diag, t->super = rows.super;
        t->rhs = rows.rhs, t->x = rows.x;
        CHECK_MPI(tridiagonal_mpi_solve(w->link, t, w->work, w->bytes, NULL));
        if (t->first == 0)
            memset(w->around, 0, size);
        if (t->first + t->n == t->total)
            memset((char *)w->around + 3 * size, 0, size);
        times->waited += w->seconds[1];
        times->elements_up += (int64_t)(tridiagonal_equations(t->type, t->pivot) / size);
    }
    CHECK_MPI(cudaDeviceSynchronize());
}

void fetch_tridiagonal(struct tridiagonal_wave *w)
{
    char real = real_type(w->plan.type);
    int64_t bytes = w->plan.n * size_of(w->plan.type);
    struct memory temporary = {};
    void *host = memory_cpu(&temporary, bytes);
    copy_here(host, w->plan.psi, bytes, cudaMemcpyDeviceToHost);
    for (int part = 0; part < 2 && skipped(); part++)
        w->host.psi[part] = get(real, w->around, part);
    double *psi = w->host.psi + 2 * skipped();
#pragma omp parallel for
    for (int64_t i = 0; i < 2 * w->plan.n; i++)
        psi[i] = get(real, host, i);
    memory_free(&temporary);
}
