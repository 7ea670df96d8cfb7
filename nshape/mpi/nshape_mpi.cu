/* See nshape_mpi.h. Here: the ranks' rows, a system's memory, the order of stages and messages. */
#include "nshape_mpi.h"
#include "nshape_mpi_message.cuh"
#include "nshape_mpi_part.cuh"
#include "nshape_mpi_root.cuh"

#include <math.h>

cudaError_t nshape_mpi_open(MPI_Comm comm, enum nshape_mpi_root root, struct nshape_mpi *mpi)
{
    mpi->comm = comm;
    MPI_Comm_rank(comm, &mpi->rank);
    MPI_Comm_size(comm, &mpi->ranks);
    mpi->first_worker = root == NSHAPE_ROOT_ALONE ? 1 : 0;
    mpi->parts = mpi->ranks - mpi->first_worker;
    return mpi->parts > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

/* J_w = w + floor((n - 1 - parts) f), f: the share of parts 0 to w - 1 in the sum of all speeds.
 * The added w makes all joint lines different. */
cudaError_t nshape_mpi_rows(const struct nshape_mpi *mpi, int64_t n, double speed, int64_t *first,
                            int64_t *rows)
{
    if (!first || !rows)
        return cudaErrorInvalidValue;
    bool works = mpi->rank >= mpi->first_worker;
    double mine = works ? speed : 0, before = 0, all;
    MPI_Exscan(&mine, &before, 1, MPI_DOUBLE, MPI_SUM, mpi->comm);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, mpi->comm);
    if (mpi->rank == 0)
        before = 0; /* MPI_Exscan leaves `before` undefined on rank 0 */
    *first = *rows = 0;
    if (n <= mpi->parts || !(all > 0))
        return cudaErrorInvalidValue;
    if (!works)
        return cudaSuccess;
    /* Two neighbours compute the joint line between them from the same sum of speeds. */
    double ends[2] = {before, before + mine};
    int64_t line[2];
    for (int i = 0; i < 2; i++) {
        int w = mpi->rank - mpi->first_worker + i;
        double share = w == mpi->parts ? 1 : ends[i] / all;
        line[i] = w + (int64_t)floor(share * (double)(n - 1 - mpi->parts));
    }
    *first = line[0];
    *rows = line[1] - line[0] + 1;
    return cudaSuccess;
}

int nshape_mpi_parts(int64_t rows, int cores, int64_t parts[NSHAPE_NEST_MOST])
{
    enum { ROWS_A_BLOCK = 30 };
    int nest = 0;
    if (cores > 1 && rows > 2 * cores)
        parts[nest++] = cores;
    for (int64_t m = rows; cores == 0 && m > 2 * ROWS_A_BLOCK && nest < NSHAPE_NEST_MOST - 1;)
        m = parts[nest++] = m / ROWS_A_BLOCK;
    parts[nest++] = 1;
    return nest;
}

cudaError_t nshape_mpi_system_open(const struct nshape_mpi *mpi, char type,
                                   const struct nshape_mpi_part *part,
                                   struct nshape_mpi_system **system)
{
    if (part && !part->system && !part->wave[0])
        return cudaErrorInvalidValue;
    struct nshape_mpi_system *s =
        (struct nshape_mpi_system *)calloc(1, sizeof(struct nshape_mpi_system));
    s->mpi = mpi;
    MPI_Comm_dup(mpi->comm, &s->comm);
    s->type = type;
    s->element = type == 's' ? 4 : type == 'z' ? 16 : 8;
    s->reply_request = s->aside_sent = s->aside_request = MPI_REQUEST_NULL;
    s->reply = (char *)calloc(1, MESSAGE_BYTES);
    message_open(mpi, &s->down);
    message_open(mpi, &s->up);
    message_open(mpi, &s->matrix);
    if (mpi->rank == ROOT) {
        size_t lines = (size_t)mpi->parts + 1;
        void **const arrays[] = {&s->joints.sub, &s->joints.diag, &s->joints.super,
                                 &s->joints.rhs, &s->joints.x,    &s->factors};
        for (void **array : arrays)
            *array = calloc(lines, s->element);
        s->replies = (char *)calloc((size_t)mpi->ranks, MESSAGE_BYTES);
    }
    *system = s;
    s->has_part = part != NULL;
    int64_t ends[2] = {0, 0}, *all_ends = NULL;
    if (part) {
        s->part = *part;
        ends[0] = part->first;
        ends[1] = part->first + (part->system ? part->system->n : part->wave[0]->n) - 1;
    }
    if (mpi->rank == ROOT) {
        all_ends = (int64_t *)malloc((size_t)mpi->ranks * sizeof ends);
        s->rows = (int64_t *)malloc(((size_t)mpi->parts + 1) * sizeof *s->rows);
    }
    MPI_Gather(ends, 2, MPI_INT64_T, all_ends, 2, MPI_INT64_T, ROOT, s->comm);
    for (int w = 0; mpi->rank == ROOT && w < mpi->parts; w++) {
        s->rows[w] = all_ends[2 * (w + mpi->first_worker)];
        s->rows[w + 1] = all_ends[2 * (w + mpi->first_worker) + 1];
    }
    free(all_ends);
    if (!part)
        return cudaSuccess;
    if ((part->system ? part->system->type : part->wave[0]->type) != type)
        return cudaErrorInvalidValue;
    if (part->system && part->cores > 0 &&
        posix_memalign(&s->lanes_work, 64, tridiagonal_cpu_work(type, part->system->n)) != 0)
        return cudaErrorMemoryAllocation;
    TRY(cudaEventCreate(&s->copied));
    TRY(cudaMallocHost(&s->status, sizeof *s->status));
    *s->status = 0; /* a wave function has no bad pivots, so the status stays 0 */
    for (int i = 0; i < 2; i++)
        TRY(cudaMallocHost(&s->lines[i], LINES_BYTES));
    return cudaSuccess;
}

void nshape_mpi_system_close(struct nshape_mpi_system *s)
{
    void *const memory[] = {s->reply,        s->replies,    s->joints.sub, s->joints.diag,
                            s->joints.super, s->joints.rhs, s->joints.x,   s->factors,
                            s->rows,         s->lanes_work};
    for (void *one : memory)
        free(one);
    message_close(&s->down);
    message_close(&s->up);
    message_close(&s->matrix);
    if (s->has_part) {
        cudaEventDestroy(s->copied);
        cudaFreeHost(s->status);
        for (int i = 0; i < 2; i++)
            cudaFreeHost(s->lines[i]);
    }
    MPI_Comm_free(&s->comm);
    free(s);
}

/* Runs all that does not need the reply. If *served is false, the caller must call serve(). */
static cudaError_t begin(struct nshape_mpi_system *s, enum nshape_mpi_order order, double field,
                         double next_field, bool last, struct nshape_mpi_times *times, bool *served)
{
    TRY(reduce_and_send(s, order, field, times));
    /* RS runs now if all messages are here, so that ranks do not wait for work_meanwhile(). */
    *served = s->matrix.request == MPI_REQUEST_NULL && messages_done(s);
    if (*served)
        serve(s, order, times);
    return work_meanwhile(s, order, next_field, last);
}

cudaError_t nshape_mpi_solve(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                             long long *status, struct nshape_mpi_times *times)
{
    if ((s->has_part && !s->part.system) || order > NSHAPE_MPI_SUMMED ||
        !device_aligned(status, sizeof *status))
        return cudaErrorInvalidValue;
    bool served;
    s->content = WHOLE_LINES;
    TRY(begin(s, order, 0, 0, true, times, &served));
    if (!served)
        serve(s, order, times);
    TRY(complete(s, order, true, times));
    *status = s->bad;
    return finish_work(s);
}

cudaError_t nshape_mpi_keep(struct nshape_mpi_system *s, double field,
                            struct nshape_mpi_times *times)
{
    if (s->has_part) {
        if (!s->part.wave[0])
            return cudaErrorInvalidValue;
        s->turn = 0;
        TRY(keep_and_fetch(s, field));
    }
    TRY(send_matrix(s, times));
    receive_matrix(s, times);
    return cudaSuccess;
}

cudaError_t nshape_mpi_steps(struct nshape_mpi_system *const *systems, int count,
                             enum nshape_mpi_order order, const double *field, int steps,
                             struct nshape_mpi_times *times)
{
    if (steps > 0 && count > 0 && !device_aligned(field, sizeof *field))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++) {
        struct nshape_mpi_system *s = systems[i];
        bool kept = order >= NSHAPE_MPI_KEPT;
        if (s->has_part && (!s->part.wave[0] || (s->part.wave[0]->matrix == TDSE_KEPT) != kept ||
                            (order == NSHAPE_MPI_AHEAD && !s->part.wave[1])))
            return cudaErrorInvalidValue;
        s->content = kept ? RIGHT_SIDES : WHOLE_LINES;
        if (order == NSHAPE_MPI_AHEAD && steps > 0)
            TRY(nshape_mpi_keep(s, field[0], times));
    }
    for (int k = 0; k < steps; k++) {
        bool last = k + 1 == steps, served = true;
        for (int i = 0; i < count; i++) {
            bool before = served;
            if (k > 0)
                TRY(complete(systems[i], order, false, times));
            TRY(begin(systems[i], order, field[k], last ? 0 : field[k + 1], last, times, &served));
            if (!before)
                serve(systems[i - 1], order, times);
        }
        if (!served)
            serve(systems[count - 1], order, times);
    }
    for (int i = 0; i < count && steps > 0; i++) {
        TRY(complete(systems[i], order, true, times));
        TRY(finish_work(systems[i]));
    }
    return cudaSuccess;
}
