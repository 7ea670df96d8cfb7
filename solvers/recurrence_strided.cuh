/* Sequences side by side or with gaps: arrays of the shape (outer, length, inner), for
 * recurrence.h. The lanes of a warp read the same row of neighbouring sequences, and each keeps
 * some rows of its sequence in registers. P-scheme's phases, all in one kernel:
 *
 *     reduce    pre-computation (W13 eq. 3): the rows of a thread become a map w -> a w + b
 *     carry     propagation (W13 eq. 4): over the lanes and warps along a sequence, then from tile
 *               to tile by messages
 *     solve     determination (W13 eq. 5): the values w
 *
 * A tile has the rows of all threads along a sequence, and a section has section_of() tiles. Each
 * tile publishes its map, and composes those of the earlier tiles of its section. Only the last one
 * publishes a value, which the next section needs: so a message waits for another one only once a
 * section.
 *
 * As in recurrence.cu, blocks take tiles in increasing order and wait only for earlier ones, so the
 * kernel cannot deadlock. All tiles k of all sequences come before the tiles k + 1. */
#pragma once

#include "recurrence_carry.cuh"

/* Of a block */
enum { STRIDED_THREADS = 256, STRIDED_WARPS = STRIDED_THREADS / WARP };

/* Rows of a thread: those of two arrays, in a gradient of three, fit into its registers. */
template <class T, int kind> static __host__ __device__ constexpr int rows_of(void)
{
    return (sizeof(T) > 8 ? 8 : 16) / (kind == GRADIENT && sizeof(T) > 4 ? 2 : 1);
}
/* Blocks of a multiprocessor, whose registers they share */
template <class T, int kind> static __host__ __device__ constexpr int blocks_of(void)
{
    return kind != GRADIENT && sizeof(T) == 4 ? 3 : 2;
}
/* The arguments of the kernel. In a gradient t is dw and w is dt, as in struct pass. */
template <class T> struct strided {
    /* Row i of sequence number o inner + k, in the direction of the recurrence, is element `first`
     * + o plane + k + i row of an array; of s it is element 0 if s is constant. */
    int64_t length, batch, inner, first, row, plane;
    bool constant;
    /* Lanes of a warp and warps of a block that lie along a sequence: powers of two. The others
     * have other sequences. Both depend only on the length and on the sequences side by side. */
    int lanes, warps;
    int64_t groups, tiles; /* groups: of sequences, one block's; tiles: of a sequence */
    const T *s, *t, *w0, *w_in;
    T *w, *ds, *dw0;
    struct workspace_head *head;
    uint64_t *maps, *values; /* messages: each tile's map; the value after each section */
};
static __host__ __device__ inline int64_t section_of(int lanes)
{
    return 2 * STRIDED_WARPS * lanes; /* each thread along a sequence loads two maps */
}
/* Of a block: the map of each warp's rows, that of the tiles whose maps the warp has loaded, and
 * the value before the section. */
template <class T> struct strided_shared {
    map<T> total[STRIDED_WARPS][WARP], look[STRIDED_WARPS][WARP];
    T value[WARP];
    uint64_t ticket;
};
/* What a thread works on */
struct strided_place {
    int across, column, step; /* sequences of the warp; which one is this; this lane along it */
    int warp, rank;           /* of the block; along the sequence */
    int64_t tile, sequence, from, at; /* from: its first row, which is element `at` */
    bool exists, speaks; /* speaks: this thread sends and receives the messages of the sequence */
};
template <class T, int kind>
static __device__ inline strided_place place_of(const strided<T> &p, int64_t number)
{
    strided_place my;
    const int lane = (int)threadIdx.x % WARP;
    my.across = WARP / p.lanes;
    my.column = lane % my.across;
    my.step = lane / my.across;
    my.warp = (int)threadIdx.x / WARP;
    my.rank = my.warp % p.warps;
    my.tile = number / p.groups;
    const int64_t beside = number % p.groups * (STRIDED_WARPS / p.warps) + my.warp / p.warps;
    my.sequence = beside * my.across + my.column;
    my.exists = my.sequence < p.batch;
    my.speaks = my.exists && my.rank == 0 && my.step == 0;
    my.from = ((my.tile * p.warps + my.rank) * p.lanes + my.step) * rows_of<T, kind>();
    const int64_t o = my.sequence / p.inner, k = my.sequence % p.inner;
    my.at = p.first + o * p.plane + k + my.from * p.row;
    return my;
}

/* The rows of a thread. Rows that do not exist map every value to itself. */
template <class T, int kind> struct strided_rows {
    T s[rows_of<T, kind>()], t[rows_of<T, kind>()];
    T before[kind == GRADIENT ? rows_of<T, kind>() : 1]; /* w_{i-1}, in the next row of this pass */
};
template <class T, int kind>
static __device__ inline void load_rows(const strided<T> &p, const strided_place &my,
                                        strided_rows<T, kind> *rows)
{
    const int64_t at_s = p.constant ? 0 : my.at, row_s = p.constant ? 0 : p.row;
    UNROLL()
    for (int r = 0; r < rows_of<T, kind>(); r++) {
        const bool exists = my.exists && my.from + r < p.length;
        rows->t[r] = exists ? p.t[my.at + r * p.row] : zero_of(T());
        rows->s[r] = exists ? p.s[at_s + r * row_s] : one_of(T());
        if (kind == GRADIENT) {
            const bool inside = my.exists && my.from + r + 1 < p.length;
            rows->before[r] = inside           ? p.w_in[my.at + (r + 1) * p.row]
                              : exists && p.w0 ? p.w0[my.sequence]
                                               : zero_of(T());
        }
    }
}
/* precompute() and determine() of recurrence_elements.cuh, on rows in registers */
template <class T, int kind>
static __device__ inline map<T> reduce_rows(const strided_rows<T, kind> &rows, map<T> m)
{
    UNROLL()
    for (int r = 0; r < rows_of<T, kind>(); r++) {
        T s = rows.s[r], t = rows.t[r];
        if (kind == GRADIENT) {
            s = conjugate(s);
            t = s * t;
        }
        m.a = s * m.a;
        m.b = mul_add(s, m.b, t);
    }
    return m;
}
template <class T, int kind>
static __device__ inline void solve_rows(const strided<T> &p, const strided_place &my,
                                         const strided_rows<T, kind> &rows, T x)
{
    UNROLL()
    for (int r = 0; r < rows_of<T, kind>(); r++) {
        if (!my.exists || my.from + r >= p.length)
            return;
        if (kind != GRADIENT) {
            p.w[my.at + r * p.row] = x = mul_add(rows.s[r], x, rows.t[r]);
            continue;
        }
        const T dt = rows.t[r] + x;
        x = conjugate(rows.s[r]) * dt;
        p.w[my.at + r * p.row] = dt;
        p.ds[my.at + r * p.row] = dt * conjugate(rows.before[r]);
        if (p.dw0 && my.from + r == p.length - 1)
            p.dw0[my.sequence] = x;
    }
}

/* Composes the maps of the lanes along each sequence, up to this lane. The last of them stores the
 * result for the warp. */
template <class T>
static __device__ inline map<T> scan_along(const strided_place &my, map<T> m, map<T> total[WARP])
{
    const int lane = (int)threadIdx.x % WARP;
    for (int h = my.across; h < WARP; h *= 2) {
        map<T> before = from_lane(m, lane < h ? lane : lane - h);
        if (lane >= h)
            m = compose(before, m);
    }
    if (lane >= WARP - my.across)
        total[my.column] = m;
    return m;
}
/* The value before the tile, by the maps of the tiles before it. The first rows of a sequence have
 * a map that contains the value before them. All threads of a block call it. */
template <class T>
static __device__ inline T value_before(const strided<T> &p, strided_shared<T> *shared,
                                        const strided_place &my, unsigned call)
{
    const int64_t section = section_of(p.lanes), begin = my.tile / section * section;
    T x = zero_of(T());
    if (my.tile == 0)
        return x;
    map<T> m = identity<T>();
    for (int k = 0; k < 2; k++) {
        const int64_t other = begin + 2 * (my.warp * p.lanes + my.step) + k;
        if (my.exists && other < my.tile)
            m = compose(m, wait_message<map<T>>(p.maps, p.tiles * p.batch,
                                                other * p.batch + my.sequence, call));
    }
    __syncwarp();
    scan_along(my, m, shared->look[my.warp]);
    if (my.speaks && begin > 0)
        shared->value[my.column] =
            wait_message<T>(p.values, p.tiles / section * p.batch,
                            (begin / section - 1) * p.batch + my.sequence, call);
    __syncthreads();
    if (begin > 0)
        x = shared->value[my.column];
    for (int w = 0; w < STRIDED_WARPS && begin + 2 * w * p.lanes < my.tile; w++)
        x = apply(shared->look[w][my.column], false, x);
    return x;
}
/* Publishes the map of the tile, unless it ends a section. */
template <class T>
static __device__ inline void publish_map(const strided<T> &p, const strided_shared<T> *shared,
                                          const strided_place &my, unsigned call)
{
    if (!my.speaks || my.tile + 1 == p.tiles || (my.tile + 1) % section_of(p.lanes) == 0)
        return;
    map<T> all = shared->total[0][my.column];
    for (int w = 1; w < STRIDED_WARPS; w++)
        all = compose(all, shared->total[w][my.column]);
    publish(p.maps, p.tiles * p.batch, my.tile * p.batch + my.sequence, all, call);
}
/* Publishes the value after the tile if it ends a section; x is the value before it. */
template <class T>
static __device__ inline void publish_value(const strided<T> &p, const strided_shared<T> *shared,
                                            const strided_place &my, unsigned call, T x)
{
    const int64_t section = section_of(p.lanes);
    if (!my.speaks || (my.tile + 1) % section != 0)
        return;
    for (int w = 0; w < STRIDED_WARPS; w++)
        x = apply(shared->total[w][my.column], false, x);
    publish(p.values, p.tiles / section * p.batch, my.tile / section * p.batch + my.sequence, x,
            call);
}

template <class T, int kind>
static __global__ void __launch_bounds__(STRIDED_THREADS, blocks_of<T, kind>())
    strided_pass(strided<T> p)
{
    DYN_SHARED(strided_shared<T>, shared);
    if (threadIdx.x == 0)
        shared->ticket = atomicAdd(&p.head->next, 1ull);
    __syncthreads();
    uint64_t ticket = shared->ticket;
    while ((int64_t)(unsigned)ticket < p.tiles * p.groups) {
        const unsigned call = (unsigned)(ticket >> 32) + 1;
        const strided_place my = place_of<T, kind>(p, (unsigned)ticket);
        strided_rows<T, kind> rows;
        load_rows(p, my, &rows);
        const bool starts = my.from == 0; /* its first row is the first one of the sequence */
        const T w0 =
            starts && kind != GRADIENT && my.exists && p.w0 ? p.w0[my.sequence] : zero_of(T());
        const map<T> begin = starts ? map<T>{zero_of(T()), w0} : identity<T>(),
                     m = scan_along(my, reduce_rows<T, kind>(rows, begin), shared->total[my.warp]);
        __syncthreads();
        publish_map(p, shared, my, call);
        T x = value_before(p, shared, my, call);
        publish_value(p, shared, my, call, x);
        if (threadIdx.x == 0)
            shared->ticket = atomicAdd(&p.head->next, 1ull);
        for (int w = my.warp - my.rank; w < my.warp; w++)
            x = apply(shared->total[w][my.column], false, x);
        const map<T> before = from_lane(m, (int)(threadIdx.x + WARP - my.across) % WARP);
        solve_rows<T, kind>(p, my, rows, starts ? w0 : my.step > 0 ? apply(before, false, x) : x);
        __syncthreads();
        ticket = shared->ticket;
    }
    if (threadIdx.x == 0)
        end_call(p.head, ticket);
}
