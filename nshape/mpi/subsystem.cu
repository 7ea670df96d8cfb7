/* The memory of a rank of nshape_mpi, its rows, and its subsystem of a given system. See main.h. */
#include "main.h"

#include <math.h>

void *memory_cpu(struct memory *a, int64_t bytes)
{
    void *array = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (!array)
        mpi_program_stop(NAME, "out of memory");
    a->where[a->count] = 'h';
    a->bytes += (size_t)bytes;
    return a->at[a->count++] = array;
}

void *memory_here(struct memory *a, int64_t bytes)
{
    void *array;
    if (cores > 0)
        return memset(memory_cpu(a, bytes), 0xff, (size_t)bytes);
    CHECK_MPI(cudaMalloc(&array, (size_t)bytes));
    CHECK_MPI(cudaMemset(array, 0xff, (size_t)bytes));
    a->where[a->count] = 'd';
    a->bytes += (size_t)bytes;
    return a->at[a->count++] = array;
}

void copy_here(void *to, const void *from, int64_t bytes, enum cudaMemcpyKind kind)
{
    if (cores > 0)
        memcpy(to, from, (size_t)bytes);
    else
        CHECK_MPI(cudaMemcpy(to, from, (size_t)bytes, kind));
}

struct share share_rows(enum nshape_mpi_root root, int64_t n, double speed)
{
    struct share s = {.n = n};
    CHECK_MPI(nshape_mpi_open(MPI_COMM_WORLD, root, &s.mpi));
    CHECK_MPI(nshape_mpi_rows(&s.mpi, n, speed, &s.first, &s.rows));
    return s;
}

void gather_rows(const struct share *s, const void *mine, void *whole, int64_t size)
{
    for (int r = 0; r < ranks; r++) {
        int64_t own[2] = {s->first, s->rows};
        MPI_Bcast(own, 2, MPI_INT64_T, r, MPI_COMM_WORLD);
        char *to = (char *)whole + own[0] * size;
        if (own[1] == 0)
            continue;
        if (r == 0 && rank == 0)
            memcpy(to, mine, (size_t)(own[1] * size));
        else if (rank == 0)
            receive_bytes(to, own[1] * size, r);
        else if (rank == r)
            send_bytes(mine, own[1] * size, 0);
    }
}

void open_given(struct given *g, const struct share *s, char type, enum system kind, uint64_t seed,
                int64_t zero_row)
{
    *g = {.share = s, .type = type};
    int64_t size = size_of(type), bytes = s->rows * size;
    struct memory temporary = {}, *whole = rank == 0 ? &g->memory : &temporary;
    for (void *&array : g->whole)
        array = memory_cpu(whole, s->n * size);
    g->x = memory_cpu(whole, s->n * size);
    fill_systems(type, kind, seed, s->n, 1, g->whole[0], g->whole[1], g->whole[2], g->whole[3]);
    for (int i = 0; i < 3 && zero_row >= 0; i++)
        memset((char *)g->whole[i] + zero_row * size, 0, (size_t)size);
    if (s->rows > 0) {
        int64_t parts[NSHAPE_NEST_MOST];
        int nest = nshape_mpi_parts(s->rows, cores, parts);
        g->plan = nshape_plan(type, s->rows, nest, parts);
        void **const arrays[] = {&g->plan.sub, &g->plan.diag, &g->plan.super, &g->plan.rhs};
        for (int i = 0; i < 4; i++) {
            *arrays[i] = memory_here(&g->memory, bytes);
            g->in[i] = memory_cpu(&g->memory, bytes);
            memcpy(g->in[i], (char *)g->whole[i] + s->first * size, (size_t)bytes);
        }
        if (s->first > 0) { /* diag and rhs of this row are in the part above */
            memset(g->in[1], 0, (size_t)size);
            memset(g->in[3], 0, (size_t)size);
        }
        g->plan.x = memory_here(&g->memory, bytes);
        g->plan.work = memory_here(&g->memory, (int64_t)nshape_work(&g->plan));
        g->plan.status = (long long *)memory_here(&g->memory, sizeof *g->plan.status);
        g->part = {.first = s->first, .system = &g->plan, .stream = stream, .cores = cores};
    }
    memory_free(&temporary);
    CHECK_MPI(nshape_mpi_system_open(&s->mpi, type, s->rows > 0 ? &g->part : NULL, &g->system));
}

void close_given(struct given *g)
{
    nshape_mpi_system_close(g->system);
    memory_free(&g->memory);
}

void restore(struct given *g)
{
    void *const arrays[] = {g->plan.sub, g->plan.diag, g->plan.super, g->plan.rhs};
    for (int i = 0; i < 4 && g->plan.n > 0; i++)
        copy_here(arrays[i], g->in[i], g->plan.n * size_of(g->plan.type), cudaMemcpyHostToDevice);
}

struct solution solve_given(struct given *g, enum nshape_mpi_order order)
{
    const struct share *s = g->share;
    struct solution solution = {.status = -1};
    struct memory temporary = {};
    restore(g);
    CHECK_MPI(nshape_mpi_solve(g->system, order, &solution.status, &solution.times));
    solution.agreed = is_agreed(solution.status);
    int64_t size = size_of(g->type), bytes = s->rows * size;
    void *mine = memory_cpu(&temporary, bytes);
    if (bytes > 0)
        copy_here(mine, g->plan.x, bytes, cudaMemcpyDeviceToHost);
    gather_rows(s, mine, g->x, size);
    if (rank == 0)
        solution.verdict = verify_systems(g->type, s->n, 1, g->whole[0], g->whole[1], g->whole[2],
                                          g->whole[3], g->x, UNITS);
    memory_free(&temporary);
    return solution;
}
