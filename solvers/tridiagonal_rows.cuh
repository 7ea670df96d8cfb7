/* What all kernels of tridiagonal.cu share: the problem they get, and how a warp loads the rows it
 * works on into shared memory and stores their solution. */
#ifndef TRIDIAGONAL_ROWS_CUH
#define TRIDIAGONAL_ROWS_CUH

#include "partition.cuh"

/* The workspace begins with this. A breakdown is recorded as ~row, so that atomicMax finds the
 * first row; 0 means none. A block with a broken group of rows is itself broken. */
struct workspace_head {
    unsigned calls;        /* so far */
    unsigned blocks_begun; /* of the call at hand */
    unsigned long long broken_group, broken_block;
};
enum { HEAD_BYTES = 128 };

/* Two-pass: a group's partition, later the interface between it and the group before it. */
template <class P> union alignas(CHUNK) group_slot {
    typename P::partition partition;
    typename P::interface interface;
};

template <class P> struct problem {
    typedef typename P::number T;
    int64_t n, groups;
    const T *sub, *diag, *super, *rhs;
    T *x;
    bool toeplitz, periodic, bulk; /* bulk: arrays are aligned for bulk copies */
    struct workspace_head *head;
    long long *status;
    group_slot<P> *slots;        /* two-pass: of each group */
    T *group_first, *group_last; /* two-pass: first and last unknown of each group */
    uint64_t *messages;          /* between blocks */
};

/* Rows in `chunks` chunks. */
template <class P> static __host__ __device__ inline int rows_in(int chunks)
{
    return chunks * (CHUNK / (int)sizeof(typename P::number));
}

/* A thread's rows from row `first` on. In shared memory each array has `chunks` chunks from `at`
 * on; arrays are `apart` chunks apart. */
template <class P>
static __device__ inline thread_rows<typename P::number>
thread_rows_at(const problem<P> &p, chunk<typename P::number> *at, int apart, int chunks,
               int64_t first)
{
    typedef typename P::number T;
    int most = rows_in<P>(chunks);
    thread_rows<T> my = {};
    my.chunks = chunks;
    my.partition_begins = true;
    my.sub = at;
    my.diag = at + apart;
    my.super = at + 2 * apart;
    my.rhs = at + 3 * apart;
    int64_t left = p.n - first;
    my.rows = (int)(left < 0 ? 0 : left < most ? left : most);
    my.system_begins = !p.periodic && first == 0;
    my.system_ends = !p.periodic && left > 0 && left <= most;
    my.toeplitz = p.toeplitz;
    if (p.toeplitz) {
        my.toeplitz_row[0] = *p.sub;
        my.toeplitz_row[1] = *p.diag;
        my.toeplitz_row[2] = *p.super;
    }
    return my;
}
/* P::eliminate and P::substitute, with a faster version for threads whose chunks are all full. */
template <class P, bool store_factors>
static __device__ inline void eliminate(const thread_rows<typename P::number> &my,
                                        typename P::partition *so_far)
{
    if (my.rows == my.chunks * (int)(CHUNK / sizeof(typename P::number)))
        P::template eliminate<true, store_factors>(my, so_far);
    else if (my.rows > 0)
        P::template eliminate<false, store_factors>(my, so_far);
}
template <class P>
static __device__ inline void substitute(const thread_rows<typename P::number> &my,
                                         const boundary<typename P::number> &around)
{
    if (my.rows == my.chunks * (int)(CHUNK / sizeof(typename P::number)))
        P::template substitute<true>(my, around);
    else if (my.rows > 0)
        P::template substitute<false>(my, around);
}

/* The rows of one warp: `count` of them exist, from row `from` on. Bulk copies move the whole
 * chunks among them, the lanes move the remainder. Without bulk copies the lanes move all. */
struct warp_rows {
    int64_t from;
    int count;
};
template <class P>
static __device__ inline warp_rows warp_rows_at(const problem<P> &p, int64_t from, int most)
{
    int64_t left = p.n - from;
    return {from, (int)(left < 0 ? 0 : left < most ? left : most)};
}
template <class P>
static __device__ inline unsigned bulk_bytes(const problem<P> &p, const warp_rows &rows)
{
    return p.bulk && has_bulk_copies()
               ? (unsigned)(rows.count * sizeof(typename P::number)) / CHUNK * CHUNK
               : 0;
}
/* One lane starts the bulk loads; they arrive at `barrier`. to: where the first element of sub
 * goes; the next array is `apart` elements behind. */
template <class P>
static __device__ inline void load_start(const problem<P> &p, const warp_rows &rows,
                                         typename P::number *to, int apart, uint64_t *barrier)
{
    unsigned bytes = bulk_bytes(p, rows);
    mbarrier_arrive(barrier, p.toeplitz ? bytes : 4 * bytes);
    if (bytes == 0)
        return;
    bulk_load(to + 3 * apart, p.rhs + rows.from, bytes, barrier);
    if (!p.toeplitz) {
        bulk_load(to, p.sub + rows.from, bytes, barrier);
        bulk_load(to + apart, p.diag + rows.from, bytes, barrier);
        bulk_load(to + 2 * apart, p.super + rows.from, bytes, barrier);
    }
}
/* The warp loads the elements that bulk copies left out. */
template <class P>
static __device__ inline void load_remainder(const problem<P> &p, const warp_rows &rows,
                                             typename P::number *to, int apart, int lane)
{
    typedef typename P::number T;
    int loaded = (int)(bulk_bytes(p, rows) / sizeof(T));
    for (int i = loaded + lane; i < rows.count; i += WARP) {
        to[3 * apart + i] = p.rhs[rows.from + i];
        if (!p.toeplitz) {
            to[i] = p.sub[rows.from + i];
            to[apart + i] = p.diag[rows.from + i];
            to[2 * apart + i] = p.super[rows.from + i];
        }
    }
    __syncwarp();
}
/* The warp that wrote x to shared memory stores it, and waits until that memory can be reused. */
template <class P>
static __device__ inline void store(const problem<P> &p, const warp_rows &rows,
                                    const typename P::number *x, int lane)
{
    unsigned bytes = bulk_bytes(p, rows);
    bulk_fence();
    __syncwarp();
    if (lane == 0 && bytes > 0)
        bulk_store(p.x + rows.from, x, bytes);
    for (int i = (int)(bytes / sizeof(typename P::number)) + lane; i < rows.count; i += WARP)
        p.x[rows.from + i] = x[i];
    if (lane == 0)
        bulk_store_wait();
    __syncwarp();
}

#endif
