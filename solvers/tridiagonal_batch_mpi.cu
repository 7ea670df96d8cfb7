/* Solves many tridiagonal systems whose rows are shared among MPI ranks. tridiagonal_batch_mpi.cuh
 * has the kernels. This file has the plan (streams, layout of the workspace), and the order of
 * kernels and messages:
 *
 *     stream     first pass of chunk 0, of chunk 1, …   second pass of chunk 0, of chunk 1, …
 *     this CPU   after the first pass of chunk k: its messages, and solve_interfaces on a second
 *                stream; then it enqueues the second pass of chunk k
 *
 * So the messages of a chunk travel while the device works on the first pass of later chunks or on
 * the second pass of earlier ones. */
#include "tridiagonal_batch_mpi.h"

#include "tridiagonal_batch_mpi.cuh"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* The message to each rank and from each rank, as MPI_Alltoallv takes them. */
struct messages {
    int *bytes, *at;
};

/* Times within a solve, at which the stream records an event. */
enum { START, FIRST_END, SECOND_BEGIN, END, EVENTS };

struct tridiagonal_batch_mpi_plan {
    struct tridiagonal_batch_mpi call; /* as open got it */
    MPI_Comm comm;
    int rank, ranks, chunks;
    int64_t *rank_rows;    /* the first row of each rank, and n */
    int64_t chunk_systems; /* of each chunk but the last one */
    bool direct;           /* MPI reads and writes device memory */
    int across, partitions, slices, tile_slices;
    /* Offsets in `work`, and its size. up_received and down_sent are for one chunk. */
    size_t checkpoints, interfaces, rows, up_sent, up_received, down_sent, down_received, bytes;
    size_t up_bytes, down_bytes; /* the messages of a chunk to all ranks, or from all ranks */
    char *main_memory;           /* if staged: the four kinds of messages of a chunk */
    struct messages to_owners, to_ranks;
    cudaStream_t side;
    cudaEvent_t *reduced; /* the first pass of each chunk is complete */
    cudaEvent_t events[EVENTS];
    double exchange;
};

/* ---- the plan ---- */

/* True if MPI can send and receive device memory, as it always can that of the CPU device. */
static bool mpi_takes_device_memory(void)
{
#ifndef __CUDACC__
    return true;
#elif (defined OPEN_MPI && defined MPIX_CUDA_AWARE_SUPPORT) ||                                     \
    (defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40000000)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* Reserves bytes in `work`, rounded up to whole cache lines. Returns their offset. */
static size_t reserve(size_t *end, int64_t bytes)
{
    size_t begin = *end;
    *end += (size_t)ceil_div(bytes, CACHE_LINE) * CACHE_LINE;
    return begin;
}

/* Chooses the numbers of partitions and slices and lays out the workspace. A block has 256 bytes of
 * each row of interleaved systems, which memory reads faster than 128. Only a device that would
 * have too few threads gets more partitions of fewer systems. */
template <class T>
static void lay_out(struct tridiagonal_batch_mpi_plan *p, const struct device_properties *gpu)
{
    constexpr int rows = slice<T>::ROWS;
    const struct tridiagonal_batch_mpi *b = &p->call;
    int64_t systems = p->chunk_systems, batch = b->batch,
            threads = (int64_t)SPLIT_BLOCKS * SPLIT_THREADS * gpu->multiprocessors;
    int wide = SPLIT_THREADS * (int)sizeof(T) / 256, most = SPLIT_THREADS / 8;
    p->partitions = 1;
    while (2 * p->partitions * rows <= b->rows &&
           (p->partitions < wide || (p->partitions < most && systems * p->partitions < threads)))
        p->partitions *= 2;
    p->across = SPLIT_THREADS / p->partitions;
    while (p->across > 8 && p->across * p->partitions > WARP &&
           ceil_div(systems, p->across) < SPLIT_BLOCKS * gpu->multiprocessors)
        p->across /= 2;
    p->slices = (int)ceil_div(b->rows + (b->interleaved ? 0 : rows - 1), p->partitions * rows);

    /* Shared memory for SPLIT_BLOCKS blocks; the GPU reserves 1 KiB for each. */
    int64_t available = ((int64_t)gpu->shared_bytes + 1024) / SPLIT_BLOCKS - 1024,
            fixed =
                (2 + (b->interleaved ? 0 : slice<T>::PADDED)) * SPLIT_THREADS * (int64_t)sizeof(T),
            more = (available - fixed) / (2 * CACHE_LINE * SPLIT_THREADS);
    p->tile_slices = 1 + (int)(more > 0 ? more : 0);
    if (p->tile_slices > p->slices)
        p->tile_slices = p->slices > 0 ? p->slices : 1;
    int64_t tiles = ceil_div(p->slices, p->tile_slices), share = ceil_div(systems, p->ranks);
    p->up_bytes = (size_t)(p->ranks * message_bytes<T>(share, UP_ELEMENTS));
    p->down_bytes = (size_t)(p->ranks * message_bytes<T>(share, DOWN_ELEMENTS));
    int64_t three = 3 * batch * (int64_t)sizeof(T), up = (int64_t)p->up_bytes,
            down = (int64_t)p->down_bytes;
    p->checkpoints = reserve(&p->bytes, tiles > 1 ? (tiles - 1) * p->partitions * three : 0);
    p->interfaces = reserve(&p->bytes, (p->partitions - 1) * three);
    p->rows = reserve(&p->bytes, (p->ranks + 1) * (int64_t)sizeof *p->rank_rows);
    p->up_sent = reserve(&p->bytes, p->chunks * up);
    p->up_received = reserve(&p->bytes, up);
    p->down_sent = reserve(&p->bytes, down);
    p->down_received = reserve(&p->bytes, p->chunks * down);
}

/* Chooses the number of chunks: up to 4, but so few that the first pass of a chunk reads at least
 * 500 MB, which takes longer than its messages. A chunk has at most 2^22 systems, because MPI
 * counts bytes by int. */
static void choose_chunks(struct tridiagonal_batch_mpi_plan *p)
{
    enum { MOST_CHUNKS = 4, SYSTEMS_MOST = 1 << 22 };
    const struct tridiagonal_batch_mpi *b = &p->call;
    double bytes = 4.0 * (double)element_bytes(b->type) * (double)p->rank_rows[p->ranks] /
                   p->ranks * (double)b->batch;
    int64_t chunks = b->chunks;
    if (chunks == 0)
        chunks = bytes < MOST_CHUNKS * 5e8 ? (int64_t)(bytes / 5e8) : (int64_t)MOST_CHUNKS;
    chunks = chunks < 1 ? 1 : chunks;
    if (chunks < ceil_div(b->batch, SYSTEMS_MOST))
        chunks = ceil_div(b->batch, SYSTEMS_MOST);
    /* whole blocks, so that each begins on a cache line */
    p->chunk_systems = ceil_div(ceil_div(b->batch, chunks), SPLIT_THREADS) * SPLIT_THREADS;
    p->chunks = b->batch > 0 ? (int)ceil_div(b->batch, p->chunk_systems) : 0;
}

/* Stores the ranks' first rows. Returns true if the arguments of all ranks are valid and agree. */
static bool agree(struct tridiagonal_batch_mpi_plan *p, const struct tridiagonal_batch_mpi *b)
{
    enum { VALUES = 5, ROWS_MOST = 1 << 30 };
    bool valid = b && element_bytes(b->type) > 0 && b->rows >= 0 && b->rows <= ROWS_MOST &&
                 b->batch >= 0 && b->batch <= INT64_MAX / 256 / (b->rows > 0 ? b->rows : 1) &&
                 b->chunks >= 0;
    /* the values that must agree, their negatives, and whether all are valid */
    int64_t low[2 * VALUES + 1] = {}, least[2 * VALUES + 1], rows = valid ? b->rows : 0;
    if (valid) {
        const int64_t values[VALUES] = {b->type, b->batch, b->interleaved != 0, b->periodic != 0,
                                        b->chunks};
        for (int i = 0; i < VALUES; i++)
            low[i] = values[i], low[VALUES + i] = -values[i];
        low[2 * VALUES] = 1;
    }
    MPI_Allreduce(low, least, 2 * VALUES + 1, MPI_INT64_T, MPI_MIN, p->comm);
    MPI_Allgather(&rows, 1, MPI_INT64_T, p->rank_rows + 1, 1, MPI_INT64_T, p->comm);
    for (int i = 0; i < p->ranks; i++)
        p->rank_rows[i + 1] += p->rank_rows[i];
    for (int i = 0; i < VALUES; i++)
        if (least[i] != -least[VALUES + i])
            return false;
    return least[2 * VALUES] == 1 && p->rank_rows[p->ranks] <= ROWS_MOST;
}

static cudaError_t open_streams(struct tridiagonal_batch_mpi_plan *p)
{
    int least, greatest;
    /* solve_interfaces has a high priority, so that it need not wait for the passes. */
    TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    TRY(cudaStreamCreateWithPriority(&p->side, cudaStreamNonBlocking, greatest));
    for (cudaEvent_t &event : p->events)
        TRY(cudaEventCreate(&event));
    for (int i = 0; i < p->chunks; i++)
        TRY(cudaEventCreate(&p->reduced[i]));
    if (!p->direct && p->chunks > 0)
        TRY(cudaMallocHost(&p->main_memory, 2 * (p->up_bytes + p->down_bytes)));
    return cudaSuccess;
}

cudaError_t tridiagonal_batch_mpi_open(MPI_Comm comm, const struct tridiagonal_batch_mpi *b,
                                       struct tridiagonal_batch_mpi_plan **plan)
{
    struct device_properties gpu;
    struct tridiagonal_batch_mpi_plan *p =
        (struct tridiagonal_batch_mpi_plan *)calloc(1, sizeof *p);
    *plan = NULL;
    if (!p)
        return cudaErrorMemoryAllocation;
    MPI_Comm_dup(comm, &p->comm);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->ranks);
    p->rank_rows = (int64_t *)calloc((size_t)p->ranks + 1, sizeof *p->rank_rows);
    int *counts = (int *)calloc(4 * (size_t)p->ranks, sizeof *counts);
    p->to_owners = {counts, counts + p->ranks};
    p->to_ranks = {counts + 2 * p->ranks, counts + 3 * p->ranks};
    cudaError_t error = p->rank_rows && counts ? cudaSuccess : cudaErrorMemoryAllocation;
    if (error == cudaSuccess && !agree(p, b))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        p->call = *b;
        p->direct = !b->staged && mpi_takes_device_memory();
        choose_chunks(p);
        p->reduced = (cudaEvent_t *)calloc((size_t)p->chunks + 1, sizeof *p->reduced);
        error = p->reduced ? query_device(&gpu) : cudaErrorMemoryAllocation;
    }
    if (error == cudaSuccess && b->batch > 0)
        BY_TYPE(b->type, lay_out, p, &gpu);
    if (error == cudaSuccess)
        error = open_streams(p);
    if (error != cudaSuccess) {
        tridiagonal_batch_mpi_close(p);
        return error;
    }
    *plan = p;
    return cudaSuccess;
}

void tridiagonal_batch_mpi_close(struct tridiagonal_batch_mpi_plan *p)
{
    for (cudaEvent_t event : p->events)
        if (event)
            cudaEventDestroy(event);
    for (int i = 0; p->reduced && i < p->chunks; i++)
        if (p->reduced[i])
            cudaEventDestroy(p->reduced[i]);
    if (p->side)
        cudaStreamDestroy(p->side);
    if (p->main_memory)
        cudaFreeHost(p->main_memory);
    MPI_Comm_free(&p->comm);
    free(p->reduced);
    free(p->to_owners.bytes);
    free(p->rank_rows);
    free(p);
}

size_t tridiagonal_batch_mpi_work(const struct tridiagonal_batch_mpi_plan *p)
{
    return p->bytes;
}

int tridiagonal_batch_mpi_is_direct(const struct tridiagonal_batch_mpi_plan *p)
{
    return p->direct;
}

/* ---- messages ---- */

/* Copies the messages to or from all other ranks. */
static cudaError_t copy_others(const struct tridiagonal_batch_mpi_plan *p, char *to,
                               const char *from, const struct messages *m, enum cudaMemcpyKind kind)
{
    int own = m->at[p->rank], behind = own + m->bytes[p->rank],
        end = m->at[p->ranks - 1] + m->bytes[p->ranks - 1];
    if (own > 0)
        TRY(cudaMemcpyAsync(to, from, (size_t)own, kind, p->side));
    if (end > behind)
        TRY(cudaMemcpyAsync(to + behind, from + behind, (size_t)(end - behind), kind, p->side));
    return cudaSuccess;
}

/* Sends a message to each rank and receives one from each. `sent`, which must be complete, and
 * `received` are on the device; host_sent and host_received are in main memory, for staging. */
static cudaError_t exchange(const struct tridiagonal_batch_mpi_plan *p, const char *sent,
                            const struct messages *out, char *received, const struct messages *in,
                            char *host_sent, char *host_received)
{
    int own_out = out->bytes[p->rank], own_in = in->bytes[p->rank];
    if (own_in > 0)
        TRY(cudaMemcpyAsync(received + in->at[p->rank], sent + out->at[p->rank], (size_t)own_in,
                            cudaMemcpyDeviceToDevice, p->side));
    if (p->ranks == 1)
        return cudaSuccess;
    if (!p->direct) {
        TRY(copy_others(p, host_sent, sent, out, cudaMemcpyDeviceToHost));
        TRY(cudaStreamSynchronize(p->side));
    }
    out->bytes[p->rank] = in->bytes[p->rank] = 0; /* the own message is not sent */
    MPI_Alltoallv(p->direct ? sent : host_sent, out->bytes, out->at, MPI_BYTE,
                  p->direct ? received : host_received, in->bytes, in->at, MPI_BYTE, p->comm);
    out->bytes[p->rank] = own_out;
    in->bytes[p->rank] = own_in;
    return p->direct ? cudaSuccess
                     : copy_others(p, received, host_received, in, cudaMemcpyHostToDevice);
}

/* The number of systems of a chunk that rank k owns. */
static int64_t owned(int64_t systems, int64_t share, int k)
{
    int64_t left = systems - k * share;
    return left < 0 ? 0 : left < share ? left : share;
}

/* Fills in the messages of `each` elements a system: one to (or from) the owner of each share, and
 * one from (or to) each rank with the systems that this rank owns. */
template <class T>
static void set_messages(const struct tridiagonal_batch_mpi_plan *p, int64_t systems, int64_t share,
                         int each)
{
    int64_t mine = owned(systems, share, p->rank);
    for (int k = 0; k < p->ranks; k++) {
        int64_t count = owned(systems, share, k);
        p->to_owners.bytes[k] = (int)message_bytes<T>(count, each);
        p->to_owners.at[k] = count == 0 && k > 0
                                 ? p->to_owners.at[k - 1] + p->to_owners.bytes[k - 1]
                                 : (int)(k * message_bytes<T>(share, each));
    }
    for (int k = 0; k < p->ranks; k++) {
        p->to_ranks.bytes[k] = (int)message_bytes<T>(mine, each);
        p->to_ranks.at[k] = k * p->to_ranks.bytes[k];
    }
}

/* ---- a solution ---- */

template <class T>
static split_batch<T> split_of(const struct tridiagonal_batch_mpi_plan *p,
                               const struct tridiagonal_batch_mpi *call, int chunk)
{
    char *work = (char *)call->work;
    split_batch<T> b = {};
    const void *in[4] = {call->sub, call->diag, call->super, call->rhs};
    for (int k = 0; k < 4; k++)
        b.in[k] = (const T *)in[k];
    b.x = (T *)call->x;
    b.status = call->status;
    b.rows = (int)call->rows;
    b.batch = call->batch;
    b.first_system = chunk * p->chunk_systems;
    b.systems = call->batch - b.first_system;
    if (b.systems > p->chunk_systems)
        b.systems = p->chunk_systems;
    b.share = ceil_div(b.systems, p->ranks);
    b.first_row = p->rank_rows[p->rank];
    b.begins = !call->periodic && b.first_row == 0;
    b.ends = !call->periodic && b.first_row + b.rows == p->rank_rows[p->ranks];
    b.across = p->across;
    b.partitions = p->partitions;
    b.slices = p->slices;
    b.tile_slices = p->tile_slices;
    b.checkpoints = (T *)(work + p->checkpoints);
    b.interfaces = (T *)(work + p->interfaces);
    b.up = work + p->up_sent + (size_t)chunk * p->up_bytes;
    b.down = work + p->down_received + (size_t)chunk * p->down_bytes;
    return b;
}

template <class T>
static cudaError_t reduce_chunk(const struct tridiagonal_batch_mpi_plan *p, const split_batch<T> &b,
                                cudaStream_t stream)
{
    constexpr size_t merging = UP_ELEMENTS * sizeof(T) + sizeof(int),
                     staging = slice<T>::PADDED * sizeof(T);
    unsigned blocks = (unsigned)ceil_div(b.systems, b.across),
             threads = (unsigned)(b.across * b.partitions);
    if (b.rows == 0)
        return cudaMemsetAsync(b.up, 0, p->up_bytes, stream);
    if (p->call.interleaved)
        return LAUNCH((reduce_rows<T, true>), blocks, threads, SPLIT_THREADS * merging, stream, b);
    return LAUNCH((reduce_rows<T, false>), blocks, threads,
                  SPLIT_THREADS * (merging > staging ? merging : staging), stream, b);
}

template <class T>
static cudaError_t substitute_chunk(const struct tridiagonal_batch_mpi_plan *p,
                                    const split_batch<T> &b, cudaStream_t stream)
{
    constexpr int rows = slice<T>::ROWS;
    if (b.rows == 0)
        return b.status ? LAUNCH((copy_status<T>), (unsigned)ceil_div(b.systems, SPLIT_THREADS),
                                 SPLIT_THREADS, 0, stream, b)
                        : cudaSuccess;
    unsigned blocks = (unsigned)ceil_div(b.systems, b.across),
             threads = (unsigned)(b.across * b.partitions);
    size_t each = (2 + (b.tile_slices - 1) * rows * 2) * sizeof(T);
    if (p->call.interleaved)
        return LAUNCH((substitute_rows<T, true>), blocks, threads, threads * each, stream, b);
    return LAUNCH((substitute_rows<T, false>), blocks, threads,
                  threads * (each + slice<T>::PADDED * sizeof(T)), stream, b);
}

/* Sends the partitions of a chunk to the owners of its systems, solves those that this rank owns,
 * and gets the boundary values of its own rows. */
template <class T>
static cudaError_t exchange_chunk(struct tridiagonal_batch_mpi_plan *p, const split_batch<T> &b,
                                  char *work)
{
    char *received = work + p->up_received, *answers = work + p->down_sent;
    char *host[4] = {p->main_memory, p->main_memory + p->up_bytes, p->main_memory + 2 * p->up_bytes,
                     p->main_memory + 2 * p->up_bytes + p->down_bytes};
    int64_t count = owned(b.systems, b.share, p->rank);
    set_messages<T>(p, b.systems, b.share, UP_ELEMENTS);
    TRY(exchange(p, b.up, &p->to_owners, received, &p->to_ranks, host[0], host[1]));
    if (count > 0)
        TRY(LAUNCH((solve_interfaces<T>), (unsigned)ceil_div(count, SPLIT_THREADS), SPLIT_THREADS,
                   0, p->side, count, p->ranks, (const int64_t *)(work + p->rows),
                   p->call.periodic != 0, received, answers));
    TRY(cudaStreamSynchronize(p->side));
    set_messages<T>(p, b.systems, b.share, DOWN_ELEMENTS);
    TRY(exchange(p, answers, &p->to_ranks, b.down, &p->to_owners, host[2], host[3]));
    return cudaStreamSynchronize(p->side);
}

template <class T>
static cudaError_t solve(struct tridiagonal_batch_mpi_plan *p,
                         const struct tridiagonal_batch_mpi *call, cudaStream_t stream)
{
    char *work = (char *)call->work;
    p->exchange = 0;
    /* on `stream`, because work enqueued there earlier may still use this memory */
    TRY(cudaMemcpyAsync(work + p->rows, p->rank_rows, ((size_t)p->ranks + 1) * sizeof *p->rank_rows,
                        cudaMemcpyHostToDevice, stream));
    TRY(cudaEventRecord(p->events[START], stream));
    for (int k = 0; k < p->chunks; k++) {
        TRY(reduce_chunk(p, split_of<T>(p, call, k), stream));
        TRY(cudaEventRecord(p->reduced[k], stream));
    }
    TRY(cudaEventRecord(p->events[FIRST_END], stream));
    for (int k = 0; k < p->chunks; k++) {
        split_batch<T> b = split_of<T>(p, call, k);
        TRY(cudaEventSynchronize(p->reduced[k]));
        double begun = MPI_Wtime();
        TRY(exchange_chunk(p, b, work));
        p->exchange += 1e3 * (MPI_Wtime() - begun);
        if (k == 0)
            TRY(cudaEventRecord(p->events[SECOND_BEGIN], stream));
        TRY(substitute_chunk(p, b, stream));
    }
    return cudaEventRecord(p->events[END], stream);
}

static bool same_sizes(const struct tridiagonal_batch_mpi *a, const struct tridiagonal_batch_mpi *b)
{
    return a->type == b->type && a->rows == b->rows && a->batch == b->batch &&
           !a->interleaved == !b->interleaved && !a->periodic == !b->periodic &&
           !a->staged == !b->staged && a->chunks == b->chunks;
}

cudaError_t tridiagonal_batch_mpi_solve(struct tridiagonal_batch_mpi_plan *p,
                                        const struct tridiagonal_batch_mpi *b, cudaStream_t stream)
{
    if (!p || !b || !same_sizes(b, &p->call) ||
        (b->status && !device_aligned(b->status, sizeof *b->status)))
        return cudaErrorInvalidValue;
    if (b->batch == 0 || p->rank_rows[p->ranks] == 0)
        return b->status && b->batch > 0
                   ? cudaMemsetAsync(b->status, 0, (size_t)b->batch * sizeof *b->status, stream)
                   : cudaSuccess;
    if (!device_aligned(b->work, CHUNK) ||
        (b->rows > 0 &&
         !all_aligned({b->sub, b->diag, b->super, b->rhs, b->x}, element_bytes(b->type))))
        return cudaErrorInvalidValue;
    return BY_TYPE(b->type, solve, p, b, stream);
}

cudaError_t tridiagonal_batch_mpi_last(struct tridiagonal_batch_mpi_plan *p,
                                       struct tridiagonal_batch_mpi_times *times)
{
    TRY(cudaEventSynchronize(p->events[END]));
    TRY(cudaEventElapsedTime(&times->first, p->events[START], p->events[FIRST_END]));
    TRY(cudaEventElapsedTime(&times->wait, p->events[FIRST_END], p->events[SECOND_BEGIN]));
    TRY(cudaEventElapsedTime(&times->second, p->events[SECOND_BEGIN], p->events[END]));
    times->exchange = (float)p->exchange;
    return cudaSuccess;
}
