/* Definitions that all kernels of tridiagonal.cu use: the arguments (struct problem), and how a
 * warp loads its rows into shared memory and stores their solution. */
#pragma once

#include "partition.cuh"

#include <type_traits>

/* Automatic pivoting: an attempt without pivoting, which tests the certificate (certificate.cuh),
 * and if the system has none, a retry with pivoting. The verdict is that of the last two equations:
 * a row without the certificate makes them NaN, as a breakdown does. Each block solves them, so all
 * blocks know the verdict. */
template <class T> struct plain_attempt : plain<T> {
    enum { IS_ATTEMPT = 1 };
};
template <class T> struct pivoted_retry : pivoted<T> {
    enum { RESIDENT_THREADS = plain<T>::RESIDENT_THREADS }; /* both run in one kernel */
};

/* broken_group and broken_block are the first rows of the first group and of the first block that
 * broke down. They are stored as ~row, so that atomicMax finds the smallest row; 0 means no
 * breakdown. If a group breaks down, its block does too. */
struct workspace_head {
    unsigned calls;        /* number of earlier calls */
    unsigned blocks_begun; /* blocks of the current call that have read `calls` */
    unsigned long long broken_group, broken_block;
    unsigned attempt_solved; /* nonzero: the attempt of automatic pivoting has solved the system */
    unsigned solved;         /* nonzero: the last two equations have a finite solution */
};
enum { HEAD_BYTES = 128 };

/* Used by the two-pass solver: the partition of a group, and later the interface between the group
 * and the one before it. */
template <class P> union alignas(CHUNK) group_slot {
    typename P::partition partition;
    typename P::interface interface;
};

/* The verdict of the attempt with which a kernel of the two-pass solver runs. */
enum run_if { ANY_VERDICT, IF_ATTEMPT_SOLVED, IF_ATTEMPT_FAILED };

/* What becomes of the two equations of all n rows. WHOLE: solve them. If the rows are a part of a
 * larger system (tridiagonal_reduce(), tridiagonal_finish()), REDUCE: store them, FINISH: take the
 * boundary values that the caller gives. */
enum steps { WHOLE, REDUCE, FINISH };

template <class P> struct problem {
    typedef typename P::number T;
    int64_t n, groups;
    const T *sub, *diag, *super, *rhs;
    T *x;
    /* begins, ends: there is no unknown before row 0, after row n - 1; both false if periodic.
     * bulk: all arrays are aligned to 16 bytes, as bulk copies require */
    bool toeplitz, begins, ends, bulk;
    /* Solve the adjoint system, A^T x = conj(rhs) (tridiagonal_gradient.cuh). sub, diag and super
     * are those of A; if the matrix is Toeplitz, the caller has swapped sub and super. */
    bool transposed;
    bool keep_status; /* a right-hand side before this one may have set the status */
    bool retry;       /* with pivoting, after an attempt without */
    enum run_if run_if;
    struct workspace_head *head;
    long long *status;
    group_slot<P> *slots;        /* two-pass: one for each group */
    T *group_first, *group_last; /* two-pass: solution in the first and last row of each group */
    /* Partly resident. between: the interface of each tile with the tile before it. large: the five
     * arrays together are larger than L2. */
    typename P::interface *between;
    bool large;
    uint64_t *messages; /* table of the messages between blocks (message.cuh) */
    enum steps steps;
    typename P::partition *equations; /* REDUCE: gets the two equations */
    boundary<T> around;               /* FINISH: the boundary values */
};

/* The number of rows in `chunks` chunks of an array. */
template <class P> static __host__ __device__ inline int rows_in(int chunks)
{
    return chunks * (CHUNK / (int)sizeof(typename P::number));
}

/* The rows of a thread, which begin with row `first` of the system. In shared memory the thread has
 * `chunks` chunks of each array. Those of sub begin at `at`; the next array begins `apart` chunks
 * later. */
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
    my.system_begins = p.begins && first == 0;
    my.system_ends = p.ends && left > 0 && left <= most;
    my.toeplitz = p.toeplitz;
    if (p.toeplitz) {
        my.toeplitz_row[0] = *p.sub;
        my.toeplitz_row[1] = *p.diag;
        my.toeplitz_row[2] = *p.super;
    }
    return my;
}
/* The couplings of A^T between a thread's rows and the rows before and after them: super and sub of
 * rows of other threads. A thread loads them while its own rows are being loaded. */
template <class T> struct couplings {
    T before, after;
};
template <class P>
static __device__ inline couplings<typename P::number>
load_couplings(const problem<P> &p, const thread_rows<typename P::number> &my, int64_t first)
{
    typedef typename P::number T;
    couplings<T> c = {zero_of(T()), zero_of(T())};
    int64_t end = first + my.rows;
    if (!p.transposed || p.toeplitz || my.rows == 0)
        return c;
    if (!my.system_begins)
        c.before = p.super[first > 0 ? first - 1 : p.n - 1];
    if (!my.system_ends)
        c.after = p.sub[end < p.n ? end : 0];
    return c;
}
/* Replaces the rows of A in shared memory by those of A^T, and rhs by conj(rhs). */
template <class P>
static __device__ inline void transpose_rows(const problem<P> &p,
                                             const thread_rows<typename P::number> &my,
                                             couplings<typename P::number> c)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T);
    const int used = used_chunks<false>(my);
    if (!p.transposed || used == 0)
        return;
    chunk<T> next = {};
    if (!p.toeplitz)
        next = my.sub[my.swizzle];
    UNROLL(1)
    for (int k = 0; k < used; k++) {
        if (!p.toeplitz) {
            chunk<T> sub = next, super = my.super[k ^ my.swizzle], sub_t, super_t;
            if (k + 1 < used)
                next = my.sub[(k + 1) ^ my.swizzle];
            for (int e = 0; e < elements; e++) {
                T below = e + 1 < elements ? sub.element[(e + 1) % elements] : next.element[0];
                sub_t.element[e] = e > 0 ? super.element[e - (e > 0)] : c.before;
                super_t.element[e] = k * elements + e + 1 == my.rows ? c.after : below;
            }
            c.before = super.element[elements - 1];
            my.sub[k ^ my.swizzle] = sub_t;
            my.super[k ^ my.swizzle] = super_t;
        }
        if constexpr (!std::is_floating_point<T>::value) {
            chunk<T> rhs = my.rhs[k ^ my.swizzle];
            for (T &element : rhs.element)
                element = conjugate(element);
            my.rhs[k ^ my.swizzle] = rhs;
        }
    }
}
/* P::eliminate and P::substitute, of which threads whose chunks are all full use a faster
 * version. */
template <class P, bool store_factors, bool test_dominance = P::IS_ATTEMPT>
static __device__ inline void eliminate(const thread_rows<typename P::number> &my,
                                        typename P::partition *so_far,
                                        error_flow<typename P::number> *flow = NULL)
{
    if (my.rows == my.chunks * (int)(CHUNK / sizeof(typename P::number)))
        P::template eliminate<true, store_factors, test_dominance>(my, so_far, flow);
    else if (my.rows > 0)
        P::template eliminate<false, store_factors, test_dominance>(my, so_far, flow);
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

/* The rows of one warp begin with row `from`, and `count` of them exist. Bulk copies move whole
 * chunks, and the lanes move the remaining elements. Without bulk copies the lanes move all
 * elements. */
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
/* Called by one lane; starts the bulk loads, whose completion is signalled at `barrier`. The first
 * element of sub goes to `to`; the next array begins `apart` elements later. `keep` is that of
 * bulk_load(). */
template <class P>
static __device__ inline void load_start(const problem<P> &p, const warp_rows &rows,
                                         typename P::number *to, int apart, uint64_t *barrier,
                                         bool keep = true)
{
    unsigned bytes = bulk_bytes(p, rows);
    mbarrier_arrive(barrier, p.toeplitz ? bytes : 4 * bytes);
    if (bytes == 0)
        return;
    bulk_load(to + 3 * apart, p.rhs + rows.from, bytes, barrier, keep);
    if (!p.toeplitz) {
        bulk_load(to, p.sub + rows.from, bytes, barrier, keep);
        bulk_load(to + apart, p.diag + rows.from, bytes, barrier, keep);
        bulk_load(to + 2 * apart, p.super + rows.from, bytes, barrier, keep);
    }
}
/* The warp loads the elements that the bulk copies do not move. */
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
/* Each warp stores the x that its own lanes wrote to shared memory, and waits until this memory can
 * be reused. */
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
