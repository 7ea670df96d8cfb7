/* tridiagonal_batch: the kernel for contiguous systems that fit on the chip and are periodic or
 * share matrices. Their rows are read once.
 *
 * A block stages a tile of whole systems (tridiagonal_batch_staging.cuh), and each of their
 * matrices once. Each system has threads of its own: the first of them has its first row, the last
 * one its last row. A thread whose rows do not begin with a 16-byte chunk shifts them by up to
 * three elements.
 *
 * Elimination leaves one row a thread, as in solve_tiles. If systems are periodic, these rows form
 * a ring:
 *
 *     x_t = d_t - a_t x_{t-1} - c_t x_{t+1},  0 <= t <= z,  x_{-1} = x_z,  x_{z+1} = x_0
 *
 * PCR needs two ends. So x_z stays on the right-hand side. PCR solves the other rows for
 * x_t = d_t - e_t x_z, and the last row then gives x_z. Systems that are not periodic are rings
 * that are cut: a_0 = c_z = 0.
 *
 * The kernel is an attempt. A system that breaks down or has no certificate goes to the retry
 * (tridiagonal_batch_lists.cuh); with PIVOT_NEVER it is retried without pivoting, so that its
 * status is found. */
#pragma once

#include "tridiagonal_batch_interleaved.cuh"

template <class T> using ring_rows = plain_rows<T, 7>;

/* Shared memory of a block, after four staging arrays and a buffer for PCR and x. Members that
 * exist twice are used for alternate turns. */
struct ring_storage {
    enum { SYSTEMS = 128 };           /* the maximum number in a block */
    uint64_t full;                    /* the bulk copies have arrived */
    struct piece piece[2], matrix[2]; /* the tile's rhs, and its matrices */
    int with_first[2];                /* the number of systems with the first matrix */
    bool failed[2][SYSTEMS], any_failed[2];
};
/* In a call of solve_rings, g.partitions is the number of threads of a system. Returns the chunks
 * of a staging array. Row 0 of a tile may have any place in its line of memory. */
template <class T> static __host__ __device__ inline int ring_chunks(const column_batch<T> &g)
{
    return (g.across * (int)g.b.n + LINE / (int)sizeof(T) - 1) / (CHUNK / (int)sizeof(T)) + 1;
}
template <class T> static __host__ __device__ inline int ring_threads(const column_batch<T> &g)
{
    return (g.across * g.partitions + WARP - 1) / WARP * WARP;
}
/* Returns where ring_storage begins, in chunks. */
template <class T> static __host__ __device__ inline int ring_storage_at(const column_batch<T> &g)
{
    int staged = ring_chunks(g), exchanged = ring_threads(g) * ring_rows<T>::CHUNKS;
    return 4 * staged + (staged > exchanged ? staged : exchanged);
}
template <class T> static __host__ __device__ inline size_t ring_bytes(const column_batch<T> &g)
{
    return (size_t)ring_storage_at(g) * CHUNK + sizeof(ring_storage);
}

/* The place of a thread: of its system in the tile, and its number t of z + 1 among the threads of
 * the system. A thread without a system counts as the last of one that does not exist. */
template <class T> struct ring_thread {
    int place, t, z, parity;
    chunk<T> *buffer; /* C chunks for PCR */
    ring_storage *shared;
};
/* x_t = d - a x_{t-h} - c x_{t+h} - e x_z */
template <class T> struct ring_row {
    T a, c, d, e;
};

/* Returns how many systems have the same matrix, if these are fewer than all of a tile. */
template <class T> static __device__ inline int ring_sides(const column_batch<T> &g)
{
    constexpr int many = ring_storage::SYSTEMS;
    return g.b.matrix == TRIDIAGONAL_BATCH_OWN ? 1 : g.b.sides < many ? (int)g.b.sides : many;
}
/* Returns the matrix of a system of a tile, counted from that of the first one. The first
 * `with_first` systems have the same. */
static __device__ inline int ring_matrix(int place, int with_first, int sides)
{
    return place < with_first ? 0 : 1 + (place - with_first) / sides;
}
/* Returns the piece with all rows of the systems, or matrices, `first` to `end` - 1 of `all`. */
template <class T>
static __device__ inline piece ring_piece(const column_batch<T> &g, int64_t first, int64_t end,
                                          int64_t all)
{
    tile at = {};
    at.lead = (int)(first * g.b.n % (LINE / (int)sizeof(T)));
    at.base = first * g.b.n - at.lead;
    at.end = (int)((end - first) * g.b.n);
    return piece_of(g.b, at, 0, ring_chunks(g) * (CHUNK / (int)sizeof(T)), all * g.b.n);
}
/* Starts the loads of a turn, and clears the status of its systems. One warp calls it. */
template <class T>
static __device__ inline void start_rings(const column_batch<T> &g, chunk<T> *memory,
                                          ring_storage *shared, int64_t turn, int parity, int lane)
{
    int64_t first = turn * g.across, end = first + g.across;
    end = end < g.b.systems ? end : g.b.systems;
    if (elected(lane)) {
        const staging<T> to = {memory, ring_chunks(g)};
        int64_t matrix = first, with_first = 1;
        if (g.b.matrix != TRIDIAGONAL_BATCH_OWN) {
            matrix = first / g.b.sides;
            with_first = (matrix + 1) * g.b.sides - first;
        }
        const int same = with_first < g.across ? (int)with_first : g.across,
                  others = ring_matrix((int)(end - first) - 1, same, ring_sides(g));
        const piece p = ring_piece(g, first, end, g.b.systems),
                    m = ring_piece(g, matrix, matrix + 1 + others, g.matrices);
        shared->with_first[parity] = same;
        shared->piece[parity] = p;
        shared->matrix[parity] = m;
        shared->any_failed[parity] = false;
        unsigned rows = (unsigned)((p.bulk_end - p.bulk_begin) * sizeof(T)),
                 of_matrix = (unsigned)((m.bulk_end - m.bulk_begin) * sizeof(T));
        mbarrier_arrive(&shared->full, 3 * of_matrix + rows);
        for (int k = 0; k < 3 && of_matrix > 0; k++)
            bulk_load(staged(to, k, m.bulk_begin), g.b.in[k] + m.from + m.bulk_begin, of_matrix,
                      &shared->full);
        if (rows > 0)
            bulk_load(staged(to, 3, p.bulk_begin), g.b.in[3] + p.from + p.bulk_begin, rows,
                      &shared->full);
    }
    for (int i = lane; i < g.across; i += WARP) {
        shared->failed[parity][i] = false;
        if (g.b.status && first + i < end)
            g.b.status[first + i] = 0;
    }
    __syncwarp();
}
/* Loads what bulk copies cannot. All threads of the block call it. */
template <class T>
static __device__ inline void load_ring_rest(const column_batch<T> &g, chunk<T> *memory,
                                             const ring_storage *shared, int parity)
{
    const staging<T> to = {memory, ring_chunks(g)};
    for (int k = 0; k < 4; k++) {
        const piece &p = k < 3 ? shared->matrix[parity] : shared->piece[parity];
        for (int i = p.bulk_end + (int)threadIdx.x; i < p.end; i += (int)blockDim.x)
            *staged(to, k, i) = g.b.in[k][p.from + i];
    }
}
/* Takes rows from a staging array, from element `first` on. */
template <class T, int rows>
static __device__ inline void take_shifted(const chunk<T> *array, int first, T (&to)[rows])
{
    constexpr int elements = CHUNK / sizeof(T), chunks = rows / elements;
    const chunk<T> *mine = array + first / elements;
    const int lead = first % elements;
    T v[rows + elements];
    UNROLL()
    for (int k = 0; k <= chunks; k++) {
        chunk<T> from = {};
        if (k < chunks || lead > 0)
            from = mine[k];
        for (int e = 0; e < elements; e++)
            v[k * elements + e] = from.element[e];
    }
    UNROLL()
    for (int h = 1; h < elements; h *= 2) {
        UNROLL()
        for (int e = 0; e + h < rows + elements; e++)
            v[e] = lead & h ? v[e + h] : v[e];
    }
    UNROLL()
    for (int e = 0; e < rows; e++)
        to[e] = v[e];
}
/* The reverse: puts the first `count` elements of a thread's x into the buffer. */
template <class T, int rows>
static __device__ inline void put_shifted(T *x, int first, int count, const T (&from)[rows])
{
    constexpr int elements = CHUNK / sizeof(T);
    if (first % elements == 0 && count == rows) {
        UNROLL()
        for (int k = 0; k < rows / elements; k++) {
            chunk<T> v;
            for (int e = 0; e < elements; e++)
                v.element[e] = from[k * elements + e];
            ((chunk<T> *)x)[first / elements + k] = v;
        }
        return;
    }
    UNROLL()
    for (int e = 0; e < rows; e++)
        if (e < count)
            x[first + e] = from[e];
}

/* Returns the row that remains of a thread's partition s, divided by its pivot. *second is a slot
 * of the buffer for the exchange with the next thread, that of the last thread being the first one.
 */
template <class T>
static __device__ inline ring_row<T> ring_row_of(const ring_thread<T> &c, chunk<T> *second,
                                                 const typename plain<T>::partition &s, bool *safe)
{
    constexpr int C = ring_rows<T>::CHUNKS;
    const T none = zero_of(T());
    const int z = c.z;
    put(second, ring_row<T>{s.first_left, s.first_last, s.first_rhs, none});
    __syncthreads();
    ring_row<T> next = get<ring_row<T>>(c.t < z ? second + C : second - z * C);
    T q = reciprocal(neg_mul_add(s.last, s.right, next.a));
    *safe = *safe && abs1(s.last * q) <= AUTO_GROWTH;
    ring_row<T> mine = {s.left * q, -(s.right * next.c * q),
                        neg_mul_add(s.rhs, s.right, next.d) * q, none};
    if (c.t == 0 && z > 0) {
        mine.e = mine.a;
        mine.a = none;
    }
    if (c.t == z - 1) {
        mine.e = mine.e + mine.c;
        mine.c = none;
    }
    return mine;
}
/* Returns the boundary values of this thread's partition s. Clears *safe if the certificate is
 * lost. All threads of the block must call it. */
template <class T>
static __device__ inline boundary<T>
ring_boundary(const ring_thread<T> &c, const typename plain<T>::partition &s, bool *safe)
{
    constexpr int C = ring_rows<T>::CHUNKS, elements = CHUNK / sizeof(T), chunks = 4 / elements,
                  other = 2 * chunks <= C ? chunks : 0; /* the second slot, if there is room */
    const T none = zero_of(T()), one = one_of(T());
    const int z = c.z;
    ring_row<T> mine = ring_row_of(c, c.buffer + other, s, safe);
    int slot = 0;
    UNROLL(1)
    for (int h = 1; h < z; h *= 2, slot = other - slot) {
        if (other == 0)
            __syncthreads();
        put(c.buffer + slot, mine);
        __syncthreads();
        ring_row<T> up = {none, none, none, none}, down = up;
        if (c.t >= h && c.t < z)
            up = get<ring_row<T>>(c.buffer - h * C + slot);
        if (c.t + h < z)
            down = get<ring_row<T>>(c.buffer + h * C + slot);
        T q = reciprocal(neg_mul_add(neg_mul_add(one, mine.a, up.c), mine.c, down.a));
        if (c.t == z)
            continue;
        *safe = *safe && abs1(q) <= AUTO_GROWTH;
        mine = {-(mine.a * up.a * q), -(mine.c * down.c * q),
                neg_mul_add(neg_mul_add(mine.d, mine.a, up.d), mine.c, down.d) * q,
                neg_mul_add(neg_mul_add(mine.e, mine.a, up.e), mine.c, down.e) * q};
    }
    if (other == 0)
        __syncthreads();
    put(c.buffer + slot, mine);
    __syncthreads();
    const chunk<T> *system = c.buffer - c.t * C + slot;
    ring_row<T> last = get<ring_row<T>>(system + z * C), above = {none, none, none, -one},
                first = above; /* x_z itself, if it is the only one */
    if (z > 0) {
        above = get<ring_row<T>>(system + (z - 1) * C);
        first = get<ring_row<T>>(system);
    }
    T q = reciprocal(neg_mul_add(neg_mul_add(one, last.a, above.e), last.c, first.e)),
      x_z = neg_mul_add(neg_mul_add(last.d, last.a, above.d), last.c, first.d) * q, left = x_z;
    *safe = *safe && abs1(q) <= PERIODIC_GROWTH;
    if (c.t > 0) {
        above = get<ring_row<T>>(c.buffer - C + slot);
        left = neg_mul_add(above.d, above.e, x_z);
    }
    return {left, none, c.t < z ? neg_mul_add(mine.d, mine.e, x_z) : x_z, none};
}

/* Solves the rows r of a thread, puts x into the buffer from element `first` on, and marks its
 * system if that failed. All threads of the block must call it. */
template <bool certify, bool periodic, class T>
static __device__ inline void solve_ring(const column_batch<T> &g, const ring_thread<T> &c,
                                         registers<T, ring_rows<T>::ROWS> &r, int rows, T *x,
                                         int first)
{
    typedef ring_rows<T> M;
    const reporter<T> nobody = {};
    bool safe = true;
    if (!periodic && c.t == 0)
        r.sub[0] = zero_of(T());
    typename M::partition s = M::template eliminate<false, certify>(r, nobody, 0, rows, &safe);
    if (!periodic && c.t == c.z)
        s.right = zero_of(T());
    bool finite = M::is_finite(s);
    boundary<T> k = ring_boundary(c, s, &safe);
    M::template substitute<false>(r, k, nobody, 0, rows);
    finite = finite && all_finite(M::last_x(r)) && all_finite(k.last);
    if (rows > 0 && (!finite || (certify && !safe)))
        c.shared->failed[c.parity][c.place] = c.shared->any_failed[c.parity] = true;
    if (g.b.crank_nicolson) {
        const T *rhs = g.b.in[3] + c.shared->piece[c.parity].from + first;
        UNROLL()
        for (int e = 0; e < M::ROWS; e++)
            if (e < rows)
                r.rhs[e] = twice_minus(r.rhs[e], rhs[e]);
    }
    __syncthreads(); /* the rows of PCR have been read */
    put_shifted(x, first, rows, r.rhs);
    bulk_fence();
    __syncthreads();
}
/* Stores x of a turn without the systems that failed, and the list of these. */
template <class T>
static __device__ inline void store_rings(const column_batch<T> &g, const ring_thread<T> &c,
                                          chunk<T> *x, int64_t turn)
{
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP,
              warps = (int)blockDim.x / WARP, n = (int)g.b.n;
    const piece &all = c.shared->piece[c.parity];
    const bool *failed = c.shared->failed[c.parity];
    if (warp == 0)
        store_list(g, turn, failed, lane);
    if (!c.shared->any_failed[c.parity]) {
        if (warp == warps - 1)
            store_solution<0>(g.b, all, x, lane);
        return;
    }
    for (int place = warp; all.begin + place * n < all.end; place += warps) {
        piece one = all;
        one.begin += place * n;
        one.end = one.begin + n;
        if (!failed[place])
            store_solution<0>(g.b, one, x, lane);
    }
}

/* `certify` is for automatic pivoting. Block b takes the turns b, b + gridDim.x, … */
template <class T, bool certify, bool periodic>
static __global__ void __launch_bounds__(ring_rows<T>::THREADS, 1)
    solve_rings(const __grid_constant__ column_batch<T> g)
{
    constexpr int rows = ring_rows<T>::ROWS;
    DYN_SHARED(chunk<T>, memory);
    const int rank = (int)threadIdx.x, lane = rank % WARP, stride = ring_chunks(g), n = (int)g.b.n;
    chunk<T> *x = memory + 4 * stride;
    ring_thread<T> c = {rank / g.partitions,
                        rank % g.partitions,
                        g.partitions - 1,
                        0,
                        x + rank * ring_rows<T>::CHUNKS,
                        (ring_storage *)(memory + ring_storage_at(g))};
    if (c.place >= g.across)
        c.t = c.z;
    if (rank == 0)
        mbarrier_init(&c.shared->full, 1);
    __syncthreads();
    if (rank < WARP)
        start_rings(g, memory, c.shared, blockIdx.x, 0, lane);
    __syncthreads();
    UNROLL(1)
    for (int64_t turn = blockIdx.x; turn < g.blocks; turn += gridDim.x, c.parity ^= 1) {
        const piece &here = c.shared->piece[c.parity];
        int first = here.begin + c.place * n + c.t * rows, left = n - c.t * rows, of_matrix = 0;
        if (c.place < g.across && first < here.end) {
            of_matrix = c.shared->matrix[c.parity].begin + c.t * rows +
                        n * ring_matrix(c.place, c.shared->with_first[c.parity], ring_sides(g));
            left = left < rows ? left : rows;
        } else
            first = left = 0;
        load_ring_rest(g, memory, c.shared, c.parity);
        if (elected(lane))
            bulk_store_wait(); /* until x of the turn before is stored: the buffer is reused */
        __syncthreads();
        mbarrier_wait(&c.shared->full, c.parity);
        registers<T, rows> r;
        take_shifted(memory, of_matrix, r.sub);
        take_shifted(memory + stride, of_matrix, r.diag);
        take_shifted(memory + 2 * stride, of_matrix, r.super);
        take_shifted(memory + 3 * stride, first, r.rhs);
        if (g.b.adjoint)
            conjugate_rhs(r.rhs);
        bulk_fence();
        __syncthreads();
        if (turn + gridDim.x < g.blocks && rank < WARP)
            start_rings(g, memory, c.shared, turn + gridDim.x, c.parity ^ 1, lane);
        solve_ring<certify, periodic>(g, c, r, left, x->element, first);
        store_rings(g, c, x, turn);
    }
    if (elected(lane))
        bulk_store_wait();
}
