/* The root's work in a step: joint lines from the parts' messages, RS, and psi back. */
#pragma once

#include "nshape_mpi_message.cuh"
#include "nshape_stages.h"

/* Returns element i of the message that part w has sent. */
template <class T>
static T element_at(const struct nshape_mpi_system *s, const struct message *m, int w, int i)
{
    size_t bytes = (size_t)m->elements * s->element + (m->with_status ? STATUS_BYTES : 0);
    T element;
    memcpy(&element, m->all + (size_t)(w + s->mpi->first_worker) * bytes + (size_t)i * s->element,
           sizeof element);
    return element;
}

/* The place of a joint line in a message: element `from` of the message is its first element. */
struct line_in_message {
    const struct message *message;
    int from;
};

/* Joint lines from the messages, only what `content` names. Parts w - 1 and w share line w: its b
 * comes from part w - 1, its c from part w, a and d are sums of both. `first`, `last`: where a
 * message has a part's first joint line (J_w) and its last one (J_{w+1}). */
template <class T>
static void add_lines(const struct nshape_mpi_system *s, const lines<T> *to, enum content content,
                      struct line_in_message last, struct line_in_message first)
{
    T zero = {};
    bool matrix = content != RIGHT_SIDES, rhs = content != MATRIX;
    int d = matrix ? 2 : 0;
    for (int64_t i = 0; i < to->n; i++) {
        if (matrix)
            to->a[i] = zero;
        if (rhs)
            to->d[i] = zero;
    }
    for (int w = 0; w < s->mpi->parts; w++) {
        if (matrix) {
            to->c[w] = element_at<T>(s, first.message, w, first.from);
            to->a[w] = to->a[w] + element_at<T>(s, first.message, w, first.from + 1);
            to->b[w + 1] = element_at<T>(s, last.message, w, last.from);
            to->a[w + 1] = element_at<T>(s, last.message, w, last.from + 1);
        }
        if (rhs) {
            to->d[w] = to->d[w] + element_at<T>(s, first.message, w, first.from + d);
            to->d[w + 1] = element_at<T>(s, last.message, w, last.from + d);
        }
    }
}

/* NSHAPE_MPI_SUMMED: part w sends c, a, d of line w and b of line w + 1, a and d already added;
 * those of the last line come in a message of their own. */
template <class T> static void copy_lines(const struct nshape_mpi_system *s, const lines<T> *to)
{
    T last[2];
    memcpy(last, s->aside, sizeof last);
    for (int w = 0; w < s->mpi->parts; w++) {
        to->c[w] = element_at<T>(s, &s->up, w, 0);
        to->a[w] = element_at<T>(s, &s->up, w, 1);
        to->d[w] = element_at<T>(s, &s->up, w, 2);
        to->b[w + 1] = element_at<T>(s, &s->up, w, 3);
    }
    to->a[s->mpi->parts] = last[0];
    to->d[s->mpi->parts] = last[1];
}

template <class T> static application<T> reduced_system(struct nshape_mpi_system *s)
{
    const struct nshape_lines *at = &s->joints;
    application<T> p = {};
    p.status = &s->reduced_status;
    p.joints = {(T *)at->sub, (T *)at->diag, (T *)at->super, (T *)at->rhs,     (T *)at->x,
                NULL,         NULL,          s->rows,        s->mpi->parts + 1};
    return p;
}

/* The status of the first part that has one, else that of RS. */
static long long status_of_all(const struct nshape_mpi_system *s)
{
    size_t bytes = (size_t)s->up.elements * s->element + STATUS_BYTES;
    for (int w = 0; w < s->mpi->parts && s->up.with_status; w++) {
        long long status;
        const char *message = s->up.all + (size_t)(w + s->mpi->first_worker) * bytes;
        memcpy(&status, message + bytes - STATUS_BYTES, STATUS_BYTES);
        if (status != 0)
            return status;
    }
    return s->reduced_status;
}

/* Runs RS. Then sends to each part psi of its two joint lines and the status of all parts. */
template <class T>
static void solve_and_reply(struct nshape_mpi_system *s, enum nshape_mpi_order order)
{
    bool summed = order == NSHAPE_MPI_SUMMED, early = order >= NSHAPE_MPI_EARLY && !summed;
    application<T> p = reduced_system<T>(s);
    struct line_in_message last = {early ? &s->down : &s->up, 0};
    struct line_in_message first = {&s->up, early ? 0 : s->content == WHOLE_LINES ? 3 : 1};
    if (summed)
        copy_lines<T>(s, &p.joints);
    else
        add_lines<T>(s, &p.joints, s->content, last, first);
    s->reduced_status = -1;
    if (s->content == WHOLE_LINES)
        reduced_solve(&p, &p.joints);
    else
        reduced_solve_kept(&p.joints, (T *)s->factors);
    unpack(&s->reduced_status);
    long long status = status_of_all(s);
    size_t bytes = 2 * s->element + STATUS_BYTES;
    for (int w = 0; w < s->mpi->parts; w++) {
        char *to = s->replies + (size_t)(w + s->mpi->first_worker) * bytes;
        memcpy(to, &p.joints.psi[w], 2 * s->element);
        memcpy(to + 2 * s->element, &status, STATUS_BYTES);
    }
    /* The first reply is the root's own. A root without a part needs the status there, too. */
    memcpy(s->replies + 2 * s->element, &status, STATUS_BYTES);
    MPI_Iscatter(s->replies, (int)bytes, MPI_BYTE, s->reply, (int)bytes, MPI_BYTE, ROOT, s->comm,
                 &s->reply_request);
}

/* The factors of RS from the pivots of reduced_solve(); its psi is not used. */
template <class T> static void keep_reduced(struct nshape_mpi_system *s)
{
    application<T> p = reduced_system<T>(s);
    struct line_in_message last = {&s->matrix, 0}, first = {&s->matrix, 2};
    add_lines<T>(s, &p.joints, MATRIX, last, first);
    s->reduced_status = -1;
    reduced_solve(&p, &p.joints);
    reduced_factors(&p.joints, (T *)s->factors);
}

/* On all ranks: waits for the message with the matrix. On the root: computes the factors of RS. */
static void receive_matrix(struct nshape_mpi_system *s, struct nshape_mpi_times *times)
{
    wait_for(s, &s->matrix.request, times);
    if (s->mpi->rank == ROOT)
        BY_TYPE(s->type, keep_reduced, s);
}

/* Waits for the message with the matrix; on the root computes the factors of RS. */
static void serve(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                  struct nshape_mpi_times *times)
{
    if (s->matrix.request != MPI_REQUEST_NULL)
        receive_matrix(s, times);
    wait_for(s, &s->down.request, times);
    wait_for(s, &s->up.request, times);
    wait_for(s, &s->aside_request, times);
    wait_for(s, &s->aside_sent, times);
    if (s->mpi->rank == ROOT)
        BY_TYPE(s->type, solve_and_reply, s, order);
}
