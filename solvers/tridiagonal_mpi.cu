/* Solves one tridiagonal system over MPI ranks. A rank's GPU reduces its rows by
 * tridiagonal_reduce() and substitutes by tridiagonal_finish(), CPU cores by
 * tridiagonal_cpu_reduce() and tridiagonal_cpu_finish(). This file has what is between: the
 * messages, and the merges of the ranks' equations.
 *
 * Every rank merges the equations of all ranks itself, in the same order, so that one collective
 * call is enough. It does so on the host, because the messages arrive there, a core runs such a
 * chain of dependent operations faster than a thread of a GPU, and the boundary values then go to
 * the GPU as an argument of its next kernel. */
#include "tridiagonal_mpi.h"

#include "partition.cuh"
#include "tridiagonal_cpu.h"

#include <limits.h>
#include <stdlib.h>

/* A rank's message: this header, and then the equations for each right-hand side. It always has the
 * same size, so that a rank with an error can say so instead of letting the others wait. */
struct alignas(CHUNK) message_header {
    int64_t error; /* a cudaError_t */
    int64_t first, n, total, sides, options;
};

struct tridiagonal_mpi_link {
    MPI_Comm comm;
    int rank, ranks;
    char type;
    int pivot;
    int64_t sides;
    bool pinned;           /* `mine` and `status` are pinned memory */
    size_t message_bytes;  /* of one rank */
    char *mine, *messages; /* the message of this rank, and those of all ranks */
    long long *status;     /* for each right-hand side */
    void *between;         /* for each rank: the interface to the ranks before it */
};

/* ---- link ---- */

/* True if all ranks pass the same value. Collective. */
static bool all_agree(MPI_Comm comm, int64_t value)
{
    int64_t both[2] = {value, -value}, least[2];
    MPI_Allreduce(both, least, 2, MPI_INT64_T, MPI_MIN, comm);
    return least[0] == -least[1];
}
/* Returns an error that some rank passes, or cudaSuccess. Collective. */
static cudaError_t any_error(MPI_Comm comm, cudaError_t error)
{
    int mine = (int)error, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    return (cudaError_t)any;
}
static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}
static int64_t right_hand_sides(const struct tridiagonal_mpi *s)
{
    return s->sides > 0 ? s->sides : 1;
}

/* Automatic pivoting is refused: a rank sees only its own rows. */
static bool pivot_valid(const struct tridiagonal_mpi *s)
{
    return s->pivot == TRIDIAGONAL_PIVOT_NEVER || s->pivot == TRIDIAGONAL_PIVOT_ALWAYS;
}

static cudaError_t allocate(struct tridiagonal_mpi_link *l)
{
    size_t ranks = (size_t)l->ranks, statuses = (size_t)l->sides * sizeof *l->status;
    constexpr size_t interface_bytes = sizeof(pivoted<complex_of<double>>::interface);
    l->messages = (char *)calloc(ranks, l->message_bytes);
    l->between = calloc(ranks, interface_bytes);
    if (l->pinned) {
        TRY(cudaMallocHost((void **)&l->mine, l->message_bytes));
        TRY(cudaMallocHost((void **)&l->status, statuses));
    } else {
        l->mine = (char *)malloc(l->message_bytes);
        l->status = (long long *)malloc(statuses);
    }
    if (!l->messages || !l->between || !l->mine || !l->status)
        return cudaErrorMemoryAllocation;
    memset(l->mine, 0, l->message_bytes);
    return cudaSuccess;
}

cudaError_t tridiagonal_mpi_open(MPI_Comm comm, const struct tridiagonal_mpi *s,
                                 struct tridiagonal_mpi_link **link)
{
    *link = NULL;
    constexpr size_t most_bytes = sizeof(pivoted<complex_of<double>>::partition);
    size_t bytes = tridiagonal_equations(s->type, s->pivot);
    bool valid =
        bytes > 0 && s->sides >= 0 && pivot_valid(s) &&
        right_hand_sides(s) <= (int64_t)((INT_MAX - sizeof(struct message_header)) / most_bytes);
    for (int64_t value : {(int64_t)s->type, (int64_t)s->pivot, s->sides})
        valid = all_agree(comm, value) && valid;
    TRY(any_error(comm, valid ? cudaSuccess : cudaErrorInvalidValue));
    struct tridiagonal_mpi_link *l = (struct tridiagonal_mpi_link *)calloc(1, sizeof *l);
    cudaError_t error = any_error(comm, l ? cudaSuccess : cudaErrorMemoryAllocation);
    if (error != cudaSuccess) {
        free(l);
        return error;
    }
    MPI_Comm_dup(comm, &l->comm);
    MPI_Comm_rank(l->comm, &l->rank);
    MPI_Comm_size(l->comm, &l->ranks);
    l->type = s->type;
    l->pivot = s->pivot;
    l->sides = right_hand_sides(s);
    l->pinned = s->cores == 0;
    l->message_bytes = sizeof(struct message_header) + round_up((size_t)l->sides * bytes, CHUNK);
    error = any_error(comm, allocate(l));
    if (error != cudaSuccess)
        tridiagonal_mpi_close(l);
    else
        *link = l;
    return error;
}

void tridiagonal_mpi_close(struct tridiagonal_mpi_link *l)
{
    if (!l)
        return;
    if (l->pinned) {
        cudaFreeHost(l->mine);
        cudaFreeHost(l->status);
    } else {
        free(l->mine);
        free(l->status);
    }
    free(l->messages);
    free(l->between);
    MPI_Comm_free(&l->comm);
    free(l);
}

/* ---- this rank's rows ---- */

/* The workspace on a GPU begins with the statuses. The workspaces for each right-hand side
 * follow. */
static size_t status_bytes(const struct tridiagonal_mpi *s)
{
    return round_up((size_t)right_hand_sides(s) * sizeof(long long), CHUNK);
}
static struct tridiagonal gpu_system(const struct tridiagonal_mpi *s)
{
    struct tridiagonal t = {};
    t.type = s->type, t.n = s->n;
    t.sub = s->sub, t.diag = s->diag, t.super = s->super, t.rhs = s->rhs, t.x = s->x;
    t.sides = s->sides, t.stride = s->stride;
    t.toeplitz = s->toeplitz, t.pivot = s->pivot;
    t.way = TRIDIAGONAL_TWO_PASS;
    return t;
}
/* The workspace on CPU cores has for each right-hand side that of tridiagonal_cpu.h and the two
 * joint lines that it leaves, five arrays of two elements. */
static const size_t LINES_BYTES = 192, CACHE_LINE = 64;
static size_t cpu_solver_bytes(const struct tridiagonal_mpi *s)
{
    return round_up(tridiagonal_cpu_work(s->type, s->n), CACHE_LINE);
}
static size_t system_bytes(const struct tridiagonal_mpi *s)
{
    if (s->cores > 0)
        return cpu_solver_bytes(s) + LINES_BYTES;
    struct tridiagonal t = gpu_system(s);
    return round_up(tridiagonal_workspace(&t), CHUNK);
}

size_t tridiagonal_mpi_workspace(const struct tridiagonal_mpi *s)
{
    struct tridiagonal t = gpu_system(s);
    if (tridiagonal_workspace(&t) == 0 || !pivot_valid(s) || s->first < 0 || s->total < 0 ||
        s->first > s->total - s->n || s->cores < 0 || (s->cores > 0 && (s->pivot || s->toeplitz)))
        return 0;
    return (s->cores > 0 ? 0 : status_bytes(s)) + (size_t)right_hand_sides(s) * system_bytes(s);
}

cudaError_t tridiagonal_mpi_prepare(const struct tridiagonal_mpi *s, void *workspace, size_t bytes,
                                    cudaStream_t stream)
{
    if (s->cores > 0)
        return device_aligned(workspace, CACHE_LINE) ? cudaSuccess : cudaErrorInvalidValue;
    return tridiagonal_prepare(workspace, bytes, stream);
}

static bool arguments_valid(const struct tridiagonal_mpi_link *l, const struct tridiagonal_mpi *s,
                            void *workspace, size_t bytes)
{
    size_t needed = tridiagonal_mpi_workspace(s);
    if (needed == 0 || s->type != l->type || s->pivot != l->pivot ||
        right_hand_sides(s) > l->sides || (s->cores == 0) != l->pinned)
        return false;
    return s->n == 0 ||
           (all_aligned({s->sub, s->diag, s->super, s->rhs, s->x}, element_bytes(s->type)) &&
            device_aligned(workspace, s->cores > 0 ? CACHE_LINE : (size_t)CHUNK) &&
            bytes >= needed);
}

/* The call for right-hand side k, with its workspace. */
struct rank_system {
    struct tridiagonal t;
    char *work;
    size_t bytes;
};
static struct rank_system system_of(const struct tridiagonal_mpi *s, int64_t k, void *workspace)
{
    struct rank_system system;
    int64_t apart = k * s->stride * (int64_t)element_bytes(s->type);
    system.bytes = system_bytes(s);
    system.work =
        (char *)workspace + (s->cores > 0 ? 0 : status_bytes(s)) + (size_t)k * system.bytes;
    system.t = gpu_system(s);
    system.t.rhs = (const char *)s->rhs + apart;
    system.t.x = (char *)s->x + apart;
    system.t.sides = 1;
    system.t.status = (long long *)workspace + k;
    return system;
}
static int ends_of(const struct tridiagonal_mpi *s)
{
    return s->periodic ? 0
                       : (s->first == 0 ? TRIDIAGONAL_FIRST : 0) |
                             (s->first + s->n == s->total ? TRIDIAGONAL_LAST : 0);
}

/* ---- this rank's rows on CPU cores ---- */

static struct tridiagonal_cpu cpu_system(const struct tridiagonal_mpi *s,
                                         const struct rank_system *system)
{
    const struct tridiagonal *t = &system->t;
    return {t->type, t->n, t->sub, t->diag, t->super, t->rhs, t->x, system->work, s->cores};
}
template <class T>
static T *lines_of(const struct tridiagonal_mpi *s, const struct rank_system *system)
{
    return (T *)(system->work + cpu_solver_bytes(s));
}
/* Reduces the rows to their two equations. Returns 0, or 1 + the row of this rank that has a bad
 * pivot; then the equations are NaN. */
template <class T>
static long long cpu_reduce(const struct tridiagonal_mpi *s, int64_t k, void *workspace,
                            typename plain<T>::partition *equations)
{
    typedef plain<T> P;
    const T none = zero_of(T());
    struct rank_system system = system_of(s, k, workspace);
    struct tridiagonal_cpu c = cpu_system(s, &system);
    T before = ends_of(s) & TRIDIAGONAL_FIRST ? none : *(const T *)c.sub,
      after = ends_of(s) & TRIDIAGONAL_LAST ? none : ((const T *)c.super)[c.n - 1];
    if (c.n == 1) {
        *equations = P::one_row(before, *(const T *)c.diag, after, *(const T *)c.rhs);
        return 0;
    }
    T *sub = lines_of<T>(s, &system), *diag = sub + 2, *super = diag + 2, *rhs = super + 2;
    long long status = tridiagonal_cpu_reduce(&c, {sub, diag, super, rhs, rhs + 2});
    typename P::interface between;
    *equations = P::merge(P::one_row(before, status ? nan_of(T()) : diag[0], super[0], rhs[0]),
                          P::one_row(sub[1], diag[1], after, rhs[1]), &between);
    return status;
}
/* `solved` is false if the whole system has no solution; then x becomes NaN. Returns 0, or 1 + the
 * first row of this rank whose x is not finite. */
template <class T>
static long long cpu_finish(const struct tridiagonal_mpi *s, int64_t k, void *workspace,
                            bool solved, const boundary<T> &around)
{
    struct rank_system system = system_of(s, k, workspace);
    struct tridiagonal_cpu c = cpu_system(s, &system);
    T *lines = lines_of<T>(s, &system), *x = lines + 8;
    x[0] = around.first;
    x[1] = around.last;
    if (solved && c.n > 1)
        return tridiagonal_cpu_finish(&c, {lines, lines + 2, lines + 4, lines + 6, x});
    if (solved)
        *(T *)c.x = around.last;
    else
        memset(c.x, 0xff, (size_t)c.n * sizeof(T));
    return solved && !all_finite(around.last);
}

/* ---- all ranks' equations ---- */

static const struct message_header *header_of(const struct tridiagonal_mpi_link *l, int r)
{
    return (const struct message_header *)(l->messages + (size_t)r * l->message_bytes);
}
/* The next rank after (step 1) or before (-1) `r` that has rows. There is one. */
static int neighbour(const struct tridiagonal_mpi_link *l, int r, int step)
{
    do
        r += step;
    while (header_of(l, r)->n == 0);
    return r;
}
template <class P>
static typename P::partition equations_of(const struct tridiagonal_mpi_link *l, int r, int64_t k)
{
    typename P::partition s;
    memcpy((void *)&s, (const char *)(header_of(l, r) + 1) + (size_t)k * sizeof s, sizeof s);
    return s;
}
/* Merges the equations of all ranks for right-hand side k and solves the last two. *around becomes
 * the boundary values of this rank, which has rows. Returns false if there is no solution; then
 * they are NaN. */
template <class P>
static bool merge_ranks(const struct tridiagonal_mpi_link *l, int64_t k,
                        boundary<typename P::number> *around)
{
    typedef typename P::number T;
    const int first = neighbour(l, -1, 1), last = neighbour(l, l->ranks, -1);
    typename P::interface *between = (typename P::interface *)l->between;
    typename P::partition s = equations_of<P>(l, first, k);
    for (int r = first; r < last;) {
        r = neighbour(l, r, 1);
        s = P::merge(s, equations_of<P>(l, r, k), &between[r]);
    }
    if (!P::solve(s, &around->first, &around->last)) {
        around->left = around->first = around->last = around->right = nan_of(T());
        return false;
    }
    around->left = around->last;
    around->right = around->first;
    for (int r = last; r > first && r >= l->rank; r = neighbour(l, r, -1)) {
        T upper_last, lower_first;
        P::recover(between[r], *around, &upper_last, &lower_first);
        if constexpr (!P::NEEDS_FIRST_RIGHT) { /* the first equation of rank r gives it */
            s = equations_of<P>(l, r, k);
            lower_first = neg_mul_add(neg_mul_add(s.first_rhs, s.first_left, upper_last),
                                      s.first_last, around->last);
        }
        if (r == l->rank) {
            around->left = upper_last;
            around->first = lower_first;
        } else {
            around->last = upper_last;
            around->right = lower_first;
        }
    }
    return true;
}
/* Where the system has no pivot, as far as the equations of the ranks show it. */
struct breakdown {
    int rank;
    enum tridiagonal_where where;
};
template <class P>
static struct breakdown find_rank(const struct tridiagonal_mpi_link *l, int64_t k)
{
    const int first = neighbour(l, -1, 1), last = neighbour(l, l->ranks, -1);
    typename P::partition s = equations_of<P>(l, first, k);
    if (P::is_singular(s))
        return {first, TRIDIAGONAL_INSIDE};
    for (int before = first; before < last;) {
        int r = neighbour(l, before, 1);
        typename P::interface between;
        typename P::partition t = equations_of<P>(l, r, k), both = P::merge(s, t, &between);
        if (P::is_singular(t))
            return {r, TRIDIAGONAL_INSIDE};
        if (P::is_singular(both))
            switch (P::unknown_without_pivot(s, t, between)) {
            case UPPER_FIRST:
                return {first, TRIDIAGONAL_FIRST_ROWS};
            case UPPER_LAST:
                return {before, TRIDIAGONAL_LAST_ROWS};
            case LOWER_FIRST:
                return {r, TRIDIAGONAL_FIRST_ROWS};
            default:
                return {r, TRIDIAGONAL_LAST_ROWS};
            }
        s = both;
        before = r;
    }
    return P::first_lacks_pivot(s) ? breakdown{first, TRIDIAGONAL_FIRST_ROWS}
                                   : breakdown{last, TRIDIAGONAL_LAST_ROWS};
}

/* ---- solve ---- */

/* `broken` is 1 + the first row of a breakdown in this rank's rows, as a row of the whole system,
 * or INT64_MAX. cpu_status is what cpu_reduce() returned. */
struct call {
    struct tridiagonal_mpi_link *link;
    const struct tridiagonal_mpi *s;
    void *workspace;
    cudaStream_t stream;
    long long cpu_status;
    int64_t broken;
};

/* Stores the equations for all right-hand sides in this rank's message, and waits for them. */
template <class T> static cudaError_t reduce_rows(struct call *c)
{
    const struct tridiagonal_mpi *s = c->s;
    char *to = c->link->mine + sizeof(struct message_header);
    size_t bytes = tridiagonal_equations(s->type, s->pivot);
    for (int64_t k = 0; k < right_hand_sides(s); k++, to += bytes) {
        if (s->cores > 0) {
            typename plain<T>::partition equations;
            c->cpu_status = cpu_reduce<T>(s, k, c->workspace, &equations);
            memcpy(to, (const void *)&equations, bytes);
            continue;
        }
        struct rank_system system = system_of(s, k, c->workspace);
        TRY(tridiagonal_reduce(&system.t, ends_of(s), to, system.work, system.bytes, c->stream));
    }
    return s->cores > 0 ? cudaSuccess : cudaStreamSynchronize(c->stream);
}

/* Called by the rank on which find_rank() puts the breakdown. */
static cudaError_t locate_row(struct call *c, int64_t k, enum tridiagonal_where where)
{
    const struct tridiagonal_mpi *s = c->s;
    long long status = 1;
    if (s->cores > 0) {
        if (where == TRIDIAGONAL_LAST_ROWS)
            status = s->n;
        else if (where == TRIDIAGONAL_INSIDE && c->cpu_status > 0)
            status = c->cpu_status;
    } else {
        struct rank_system system = system_of(s, k, c->workspace);
        TRY(tridiagonal_locate(&system.t, ends_of(s), where, system.work, system.bytes, c->stream));
        TRY(cudaMemcpyAsync(c->link->status, system.t.status, sizeof status, cudaMemcpyDeviceToHost,
                            c->stream));
        TRY(cudaStreamSynchronize(c->stream));
        status = *c->link->status;
    }
    c->broken = s->first + status;
    return cudaSuccess;
}

template <class P> static bool boundary_finite(const boundary<typename P::number> &around)
{
    return all_finite(around.left) && all_finite(around.last) &&
           (!P::NEEDS_FIRST_RIGHT || (all_finite(around.first) && all_finite(around.right)));
}
/* Everything after the exchange, for a rank with rows. With a status it waits for x. */
template <class P> static cudaError_t finish_rows(struct call *c)
{
    typedef typename P::number T;
    const struct tridiagonal_mpi *s = c->s;
    struct tridiagonal_mpi_link *l = c->link;
    bool located = false;
    for (int64_t k = 0; k < right_hand_sides(s); k++) {
        boundary<T> around;
        bool solved = merge_ranks<P>(l, k, &around);
        if (solved && !boundary_finite<P>(around) && s->first + 1 < c->broken)
            c->broken = s->first + 1; /* x overflows */
        if (!solved && s->status && !located) {
            struct breakdown origin = find_rank<P>(l, k);
            located = true;
            if (origin.rank == l->rank)
                TRY(locate_row(c, k, origin.where));
        }
        if (s->around)
            memcpy((char *)s->around + (size_t)k * sizeof around, (const void *)&around,
                   sizeof around);
        if (s->cores > 0) {
            long long row = cpu_finish<T>(s, k, c->workspace, solved, around);
            if (row > 0 && s->first + row < c->broken)
                c->broken = s->first + row;
        } else {
            struct rank_system system = system_of(s, k, c->workspace);
            TRY(tridiagonal_finish(&system.t, ends_of(s), &around, system.work, system.bytes,
                                   c->stream));
        }
    }
    if (s->cores > 0 || !s->status)
        return cudaSuccess;
    TRY(cudaMemcpyAsync(l->status, c->workspace, (size_t)right_hand_sides(s) * sizeof *l->status,
                        cudaMemcpyDeviceToHost, c->stream));
    TRY(cudaStreamSynchronize(c->stream));
    for (int64_t k = 0; k < right_hand_sides(s); k++)
        if (l->status[k] > 0 && s->first + l->status[k] < c->broken)
            c->broken = s->first + l->status[k];
    return cudaSuccess;
}
template <class T> static cudaError_t finish_type(struct call *c)
{
    return c->s->pivot ? finish_rows<pivoted<T>>(c) : finish_rows<plain<T>>(c);
}

/* The first error of a rank, or cudaErrorInvalidValue if the ranks' arguments do not fit
 * together. */
static cudaError_t messages_error(const struct tridiagonal_mpi_link *l)
{
    int64_t rows = 0;
    const struct message_header *lowest = header_of(l, 0);
    for (int r = 0; r < l->ranks; r++)
        if (header_of(l, r)->error)
            return (cudaError_t)header_of(l, r)->error;
    for (int r = 0; r < l->ranks; r++) {
        const struct message_header *h = header_of(l, r);
        if (h->first != rows || h->total != lowest->total || h->sides != lowest->sides ||
            h->options != lowest->options)
            return cudaErrorInvalidValue;
        rows += h->n;
    }
    return rows == lowest->total ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t tridiagonal_mpi_solve(struct tridiagonal_mpi_link *l, const struct tridiagonal_mpi *s,
                                  void *workspace, size_t bytes, cudaStream_t stream)
{
    struct call c = {l, s, workspace, stream, 0, INT64_MAX};
    double begin = MPI_Wtime();
    cudaError_t error =
        arguments_valid(l, s, workspace, bytes) ? cudaSuccess : cudaErrorInvalidValue;
    if (error == cudaSuccess && s->n > 0)
        error = BY_TYPE(s->type, reduce_rows, &c);
    *(struct message_header *)l->mine = {error,
                                         s->first,
                                         s->n,
                                         s->total,
                                         right_hand_sides(s),
                                         (s->toeplitz != 0) | (s->periodic != 0) << 1 |
                                             (s->status != NULL) << 2};
    double reduced = MPI_Wtime();
    MPI_Allgather(l->mine, (int)l->message_bytes, MPI_BYTE, l->messages, (int)l->message_bytes,
                  MPI_BYTE, l->comm);
    double exchanged = MPI_Wtime();
    TRY(messages_error(l));
    if (s->seconds) {
        s->seconds[0] = reduced - begin;
        s->seconds[1] = exchanged - reduced;
    }
    if (s->n > 0)
        error = BY_TYPE(s->type, finish_type, &c);
    if (!s->status)
        return error;
    int64_t mine[2] = {c.broken, -(int64_t)error}, least[2];
    MPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, l->comm);
    if (least[1] < 0)
        return (cudaError_t)-least[1];
    *s->status = least[0] == INT64_MAX ? 0 : least[0];
    return cudaSuccess;
}
