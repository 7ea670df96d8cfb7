/* The data of a system over MPI ranks, and the messages of a step: one or two to the root, each by
 * MPI_Igather of the elements of one or both joint lines of a part; and the reply by MPI_Iscatter,
 * psi of both lines. All are non-blocking, so a rank can compute while they travel. */
#pragma once

#include "nshape_mpi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 0 };

/* Which elements of a joint line the messages of a step contain. */
enum content {
    WHOLE_LINES, /* an off-diagonal, a and d */
    RIGHT_SIDES, /* d */
    MATRIX       /* an off-diagonal and a */
};
enum {
    ELEMENTS_MOST = 6,
    STATUS_BYTES = sizeof(long long),
    MESSAGE_BYTES = ELEMENTS_MOST * 16 + STATUS_BYTES,
    LINES_BYTES = 5 * 4 * 16 /* room for both joint lines: 5 arrays of at most 4 * 16 bytes */
};

/* A message from every rank to the root. */
struct message {
    MPI_Request request;
    /* own: the message of this rank; all: on the root, the messages of all ranks */
    char *own, *all;
    /* number of elements in `own` */
    int elements;
    bool with_status; /* true: the part's status follows the elements */
};

struct nshape_mpi_system {
    const struct nshape_mpi *mpi;
    MPI_Comm comm;
    char type;
    size_t element; /* bytes of an element */

    /* this rank's part */
    bool has_part;
    struct nshape_mpi_part part;
    void *lanes_work;     /* workspace for a given system on CPU cores, else NULL */
    int turn;             /* index of the wave in part.wave[] that is in use */
    enum content content; /* what the messages of this step contain */
    /* pinned memory: both joint lines after NSHAPE_PART_DOWN [0] and after NSHAPE_PART_UP [1] */
    char *lines[2];
    cudaEvent_t copied; /* event: the copy to lines[0] is complete */
    long long *status;  /* pinned memory: the status of this part */
    bool inverted;      /* true: a of this part contains 1/a */

    /* Messages to the root. `down`: the last joint line after NSHAPE_PART_DOWN; `up`: the first one
     * after NSHAPE_PART_UP, in NSHAPE_MPI_PLAIN both and no `down`; `matrix`: the matrix elements
     * of both lines, for KEPT and AHEAD. */
    struct message down, up, matrix;
    /* SUMMED: a and d of a joint line between neighbours. aside_own: of this part's last line, for
     * the next part (the last part: the root). aside: received, of this part's first line; on the
     * root of the last line of all. */
    MPI_Request aside_sent, aside_request;
    char aside_own[2 * 16], aside[2 * 16];
    /* the root's reply to a part: psi of both joint lines, and the status of all parts */
    MPI_Request reply_request;
    char *reply, *replies; /* reply: to this rank; replies: on the root, to all ranks */
    /* the status of all parts, from the last reply */
    long long bad;

    /* only on the root: the joint lines, the factors of RS, and rows[w] = J_w */
    struct nshape_lines joints;
    void *factors;
    int64_t *rows;
    long long reduced_status;
};

static void message_open(const struct nshape_mpi *mpi, struct message *m)
{
    m->request = MPI_REQUEST_NULL;
    m->own = (char *)calloc(1, MESSAGE_BYTES);
    m->all = (char *)(mpi->rank == ROOT ? calloc((size_t)mpi->ranks, MESSAGE_BYTES) : NULL);
}

static void message_close(struct message *m)
{
    free(m->own);
    free(m->all);
}

/* All ranks must send the same number of elements. write_line() counts those of a part; a root
 * without a part writes none, so its number is set here. */
static void message_begin(const struct nshape_mpi_system *s, struct message *m, int lines,
                          bool with_status)
{
    int of_a_line = s->content == WHOLE_LINES ? 3 : s->content == MATRIX ? 2 : 1;
    m->elements = s->has_part ? 0 : lines * of_a_line;
    m->with_status = with_status;
}

static void message_send(struct nshape_mpi_system *s, struct message *m,
                         struct nshape_mpi_times *times)
{
    int bytes = m->elements * (int)s->element;
    if (m->with_status) {
        long long status = s->has_part && *s->status ? s->part.first + *s->status : 0;
        memcpy(m->own + bytes, &status, STATUS_BYTES);
        bytes += STATUS_BYTES;
    }
    if (s->has_part)
        times->elements_up += m->elements;
    MPI_Igather(m->own, bytes, MPI_BYTE, m->all, bytes, MPI_BYTE, ROOT, s->comm, &m->request);
}

/* Waits for a message. times->waited grows by the time in which neither this rank nor its GPU has
 * work. The rank yields its core, because other ranks may need it. */
static void wait_for(const struct nshape_mpi_system *s, MPI_Request *request,
                     struct nshape_mpi_times *times)
{
    double idle = MPI_Wtime();
    int done = 0;
    bool gpu_works = s->has_part && s->part.cores == 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        if (gpu_works) {
            gpu_works = cudaStreamQuery(s->part.stream) != cudaSuccess;
            idle = MPI_Wtime();
        } else
            sched_yield();
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    times->waited += MPI_Wtime() - idle;
}

/* True if this rank has sent its messages and, on the root, all messages have arrived. */
static bool messages_done(struct nshape_mpi_system *s)
{
    MPI_Request *const all[] = {&s->matrix.request, &s->down.request, &s->up.request,
                                &s->aside_request};
    int done = 1;
    for (int i = 0; i < 4 && done; i++)
        MPI_Test(all[i], &done, MPI_STATUS_IGNORE);
    return done;
}
