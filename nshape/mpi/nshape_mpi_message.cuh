/* A system over ranks, and the messages that its step sends. Part of nshape_mpi.cu.
 *
 * A step sends one or two messages to the root, each by MPI_Igather: every part contributes the
 * elements of one or both of its joint lines. One message, by MPI_Iscatter, returns psi of both
 * lines to each part. All are non-blocking, so that a rank computes while they travel. */
#ifndef NSHAPE_MPI_MESSAGE_CUH
#define NSHAPE_MPI_MESSAGE_CUH

#include "nshape_mpi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 0 };

/* What the messages of a step contain of a joint line. */
enum content {
    WHOLE_LINES, /* an off-diagonal, a and d */
    RIGHT_SIDES, /* d */
    MATRIX       /* an off-diagonal and a */
};
enum {
    ELEMENTS_MOST = 6,
    STATUS_BYTES = sizeof(long long),
    MESSAGE_BYTES = ELEMENTS_MOST * 16 + STATUS_BYTES,
    LINES_BYTES = 5 * 4 * 16 /* room for the arrays of nshape_lines() and tdse_lines() */
};

/* One message to the root. */
struct message {
    MPI_Request request;
    char *own, *all; /* MESSAGE_BYTES of this rank; on the root, those of every rank */
    int elements;
    bool with_status;
};

struct nshape_mpi_system {
    const struct nshape_mpi *mpi;
    MPI_Comm comm;
    char type;
    size_t element; /* bytes */

    /* this rank's part */
    bool has_part;
    struct nshape_mpi_part part;
    void *lanes_work;     /* workspace of a given system on CPU cores */
    int turn;             /* which of part.wave[] is in use */
    enum content content; /* of the messages of this step */
    char *lines[2];       /* pinned: both joint lines, as they are after DOWN and after UP */
    cudaEvent_t copied;   /* lines[0] is complete */
    long long *status;    /* pinned: of this part */
    bool inverted;        /* the part's a contains 1/a */

    /* messages to the root: after DOWN, after UP, and the matrix of the next step (AHEAD) */
    struct message down, up, matrix;
    /* the root's reply: psi of both lines, and the status of all parts */
    MPI_Request reply_request;
    char *reply, *replies; /* of this rank; on the root, of every rank */
    long long bad;

    /* on the root: the joint lines, the factors of RS, and J_w */
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

/* An empty message about `lines` joint lines. All ranks must send the same number of elements, so a
 * root alone, which writes none, counts them here. */
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

/* Wait, and add the seconds in which this rank had nothing to do: those after its GPU has finished.
 * The rank yields its core, because other ranks may need it. */
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

/* True if this rank's messages have left and, on the root, all messages have arrived. */
static bool messages_done(struct nshape_mpi_system *s)
{
    MPI_Request *const all[] = {&s->matrix.request, &s->down.request, &s->up.request};
    int done = 1;
    for (int i = 0; i < 3 && done; i++)
        MPI_Test(all[i], &done, MPI_STATUS_IGNORE);
    return done;
}

#endif
