/* A part's work in a step: RD, JD, RU, JU and their messages; computation during RS; SS. */
#pragma once

#include "nshape_mpi_message.cuh"
#include "nshape_stages.h"
#include "tridiagonal_cpu.h"

static const struct tdse *wave_of(const struct nshape_mpi_system *s)
{
    return s->part.wave[s->turn];
}

static struct nshape_lines lines_of(const struct nshape_mpi_system *s)
{
    return s->part.system ? nshape_lines(s->part.system, s->part.system->nest - 1)
                          : tdse_lines(wave_of(s));
}

/* A given system on the SIMD lanes of CPU cores. NSHAPE_PART_DOWN reduces the part to both joint
 * lines; NSHAPE_PART_UP and _INVERT do nothing. Refuses invalid pointers, as nshape_part(). */
static cudaError_t stage_by_lanes(const struct nshape_mpi_system *s, enum nshape_part_stage stage)
{
    const struct nshape *part = s->part.system;
    const void *arrays[] = {part->sub, part->diag, part->super, part->rhs, part->x};
    for (const void *array : arrays)
        if (!device_aligned(array, s->element))
            return cudaErrorInvalidValue;
    if (!device_aligned(part->status, sizeof *part->status) || !device_aligned(part->work, 16))
        return cudaErrorInvalidValue;
    struct nshape_lines to = lines_of(s);
    struct tridiagonal_cpu_lines lines = {to.sub, to.diag, to.super, to.rhs, to.x};
    struct tridiagonal_cpu lanes = {part->type, part->n, part->sub,     part->diag,   part->super,
                                    part->rhs,  part->x, s->lanes_work, s->part.cores};
    if (stage == NSHAPE_PART_DOWN)
        *part->status = tridiagonal_cpu_reduce(&lanes, lines);
    else if (stage == NSHAPE_PART_FINISH || stage == NSHAPE_PART_FINISH_INVERTED)
        tridiagonal_cpu_finish(&lanes, lines);
    return cudaSuccess;
}

static cudaError_t stage(const struct nshape_mpi_system *s, enum nshape_part_stage stage,
                         double field)
{
    if (s->part.system && s->part.cores > 0)
        return stage_by_lanes(s, stage);
    if (s->part.system)
        return nshape_part(s->part.system, stage, s->part.stream);
    return tdse_part(wave_of(s), stage, field, s->part.stream, s->part.cores);
}

static cudaError_t copy(const struct nshape_mpi_system *s, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    if (s->part.cores == 0)
        return cudaMemcpyAsync(to, from, bytes, kind, s->part.stream);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* The arrays of the joint lines lie one behind the other, so one copy is enough. after: 0 after
 * NSHAPE_PART_DOWN, 1 after NSHAPE_PART_UP. */
static cudaError_t fetch_lines(const struct nshape_mpi_system *s, int after)
{
    const struct nshape_lines at = lines_of(s);
    const char *from = (const char *)at.sub;
    size_t bytes = (size_t)((const char *)at.x - from);
    return copy(s, s->lines[after], from, bytes, cudaMemcpyDeviceToHost);
}

/* The fetched element of an array of joint lines. */
static const char *fetched(const struct nshape_mpi_system *s, int after, const void *array,
                           int line)
{
    ptrdiff_t offset = (const char *)array - (const char *)lines_of(s).sub;
    return s->lines[after] + offset + (size_t)line * s->element;
}

/* Appends what s->content says of sub, diag, rhs of line 1 or super, diag, rhs of line 0. */
static void write_line(const struct nshape_mpi_system *s, struct message *m, int after, int line)
{
    const struct nshape_lines at = lines_of(s);
    const void *const arrays[] = {line ? at.sub : at.super, at.diag, at.rhs};
    int from = s->content == RIGHT_SIDES ? 2 : 0, to = s->content == MATRIX ? 2 : 3;
    for (int i = from; i < to; i++)
        memcpy(m->own + (size_t)(m->elements++) * s->element, fetched(s, after, arrays[i], line),
               s->element);
}

/* ---- NSHAPE_MPI_SUMMED: neighbours add a and d of the joint line that they share ---- */

/* Of this part's first line, from the part above; on the root of the last line of all. */
static void receive_aside(struct nshape_mpi_system *s)
{
    const struct nshape_mpi *mpi = s->mpi;
    int last = mpi->first_worker + mpi->parts - 1, from = mpi->rank == ROOT ? last : mpi->rank - 1;
    if (mpi->rank == ROOT || mpi->rank > mpi->first_worker)
        MPI_Irecv(s->aside, 2 * (int)s->element, MPI_BYTE, from, 0, s->comm, &s->aside_request);
}

/* Sends a and d of this part's last line to the next part, or from the last part to the root. */
static void send_aside(struct nshape_mpi_system *s, struct nshape_mpi_times *times)
{
    const struct nshape_mpi *mpi = s->mpi;
    const struct nshape_lines at = lines_of(s);
    int to = mpi->rank + 1 < mpi->first_worker + mpi->parts ? mpi->rank + 1 : (int)ROOT;
    memcpy(s->aside_own, fetched(s, 0, at.diag, 1), s->element);
    memcpy(s->aside_own + s->element, fetched(s, 0, at.rhs, 1), s->element);
    times->elements_aside += 2;
    MPI_Isend(s->aside_own, 2 * (int)s->element, MPI_BYTE, to, 0, s->comm, &s->aside_sent);
}

/* c, a, d of this part's first line and b of its last, with a and d of the part above added in the
 * order of NSHAPE_MPI_PLAIN. */
template <class T> static void write_summed(struct nshape_mpi_system *s)
{
    const struct nshape_lines at = lines_of(s);
    const void *const arrays[] = {at.super, at.diag, at.rhs};
    T of_above[2] = {}, first[4];
    if (s->mpi->rank > s->mpi->first_worker)
        memcpy(of_above, s->aside, sizeof of_above);
    for (int i = 0; i < 3; i++)
        memcpy(&first[i], fetched(s, 1, arrays[i], 0), sizeof(T));
    memcpy(&first[3], fetched(s, 0, at.sub, 1), sizeof(T));
    first[1] = of_above[0] + first[1];
    first[2] = of_above[1] + first[2];
    memcpy(s->up.own, first, sizeof first);
    s->up.elements = 4;
}

/* Runs RU and JU, and fetches the joint lines and the status of a given system. */
static cudaError_t reduce_up_and_fetch(struct nshape_mpi_system *s, double field)
{
    TRY(stage(s, NSHAPE_PART_UP, field));
    TRY(fetch_lines(s, 1));
    return s->part.system
               ? copy(s, s->status, s->part.system->status, STATUS_BYTES, cudaMemcpyDeviceToHost)
               : cudaSuccess;
}

/* All ranks but the root also begin to receive the reply. A GPU gets all four stages at once, so it
 * computes RU while the elements of JD travel. */
static cudaError_t reduce_and_send(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                                   double field, struct nshape_mpi_times *times)
{
    bool summed = order == NSHAPE_MPI_SUMMED, early = order >= NSHAPE_MPI_EARLY && !summed;
    bool gpu = s->has_part && s->part.cores == 0;
    message_begin(s, &s->down, 1, false);
    message_begin(s, &s->up, early ? 1 : 2, s->content == WHOLE_LINES);
    if (summed) {
        s->up.elements = s->has_part ? 0 : 4;
        receive_aside(s);
    }
    if (s->has_part) {
        TRY(stage(s, NSHAPE_PART_DOWN, field));
        TRY(fetch_lines(s, 0));
        if (gpu) {
            TRY(cudaEventRecord(s->copied, s->part.stream));
            TRY(reduce_up_and_fetch(s, field));
            TRY(cudaEventSynchronize(s->copied));
        }
        if (summed)
            send_aside(s, times);
        else
            write_line(s, early ? &s->down : &s->up, 0, 1);
    }
    if (early)
        message_send(s, &s->down, times);
    if (s->has_part) {
        TRY(gpu ? cudaStreamSynchronize(s->part.stream) : reduce_up_and_fetch(s, field));
        if (summed) {
            if (s->mpi->rank != ROOT)
                wait_for(s, &s->aside_request, times);
            BY_TYPE(s->type, write_summed, s);
        } else
            write_line(s, &s->up, 1, 0);
    }
    message_send(s, &s->up, times);
    if (s->mpi->rank != ROOT) {
        int bytes = 2 * (int)s->element + STATUS_BYTES;
        MPI_Iscatter(NULL, 0, MPI_BYTE, s->reply, bytes, MPI_BYTE, ROOT, s->comm,
                     &s->reply_request);
    }
    return cudaSuccess;
}

/* KEPT and AHEAD: computes the factors of T and copies the part's joint lines to s->lines[0]. */
static cudaError_t keep_and_fetch(struct nshape_mpi_system *s, double field)
{
    TRY(stage(s, NSHAPE_PART_KEEP, field));
    TRY(fetch_lines(s, 0));
    return s->part.cores == 0 ? cudaEventRecord(s->copied, s->part.stream) : cudaSuccess;
}

/* Does the work that needs no reply: with INVERSE 1/a (L22 5.2.3), with AHEAD the factors of the
 * next step, in the workspace of that one of the two waves that this step does not use. */
static cudaError_t work_meanwhile(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                                  double next_field, bool last)
{
    s->inverted = false;
    if (!s->has_part)
        return cudaSuccess;
    if (order == NSHAPE_MPI_INVERSE && s->content == WHOLE_LINES) {
        s->inverted = true;
        return stage(s, NSHAPE_PART_INVERT, 0);
    }
    if (order != NSHAPE_MPI_AHEAD || last)
        return cudaSuccess;
    s->turn = !s->turn;
    cudaError_t error = keep_and_fetch(s, next_field);
    s->turn = !s->turn;
    return error;
}

/* Sends an off-diagonal and a of both joint lines, from keep_and_fetch(), to the root. */
static cudaError_t send_matrix(struct nshape_mpi_system *s, struct nshape_mpi_times *times)
{
    enum content content = s->content;
    s->content = MATRIX;
    message_begin(s, &s->matrix, 2, false);
    if (s->has_part) {
        if (s->part.cores == 0)
            TRY(cudaEventSynchronize(s->copied));
        write_line(s, &s->matrix, 0, 1);
        write_line(s, &s->matrix, 0, 0);
    }
    message_send(s, &s->matrix, times);
    s->content = content;
    return cudaSuccess;
}

/* Waits for psi, runs SS and, with AHEAD, sends the matrix of the next step. */
static cudaError_t complete(struct nshape_mpi_system *s, enum nshape_mpi_order order, bool last,
                            struct nshape_mpi_times *times)
{
    bool ahead = order == NSHAPE_MPI_AHEAD && !last;
    wait_for(s, &s->reply_request, times);
    if (ahead)
        TRY(send_matrix(s, times));
    memcpy(&s->bad, s->reply + 2 * s->element, STATUS_BYTES);
    if (!s->has_part)
        return cudaSuccess;
    times->elements_down += 2;
    TRY(copy(s, lines_of(s).x, s->reply, 2 * s->element, cudaMemcpyHostToDevice));
    TRY(stage(s, s->inverted ? NSHAPE_PART_FINISH_INVERTED : NSHAPE_PART_FINISH, 0));
    if (ahead)
        s->turn = !s->turn;
    return cudaSuccess;
}

static cudaError_t finish_work(const struct nshape_mpi_system *s)
{
    return s->has_part && s->part.cores == 0 ? cudaStreamSynchronize(s->part.stream) : cudaSuccess;
}
