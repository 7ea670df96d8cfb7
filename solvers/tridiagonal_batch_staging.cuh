/* tridiagonal_batch: how a tile is staged, that is, brought from memory through shared memory to
 * the registers of a block's threads, and x back.
 *
 *     1. start_load      one lane of each warp starts the bulk copies of the warp's piece (below)
 *     2. load_rest       the lanes load what bulk copies cannot: elements of incomplete chunks
 *     3. stage_matrix    copies matrices that systems share, which steps 1 and 2 do not load
 *     4. mask_rows       rows that this block does not solve become x = 0; couplings across the
 *                        ends of systems become 0
 *     5. solve_tiles     each thread takes its chunks of each array into registers. Then the buffer
 *                        is free, and the next tile is loaded into it while this tile is solved.
 *     6. store_solution  bulk copies store x
 *
 * A warp stages the elements that its own lanes take, so no step needs a barrier of the block. The
 * checked path reads global memory again, and masks rows in registers. */
#pragma once

#include "tridiagonal_batch_rows.cuh"

/* ---- 1 and 2: from memory to the staging buffer ---- */

/* The staging buffer of a warp. `first` is its first chunk of sub; those of diag, super and rhs
 * begin `stride` chunks later each. In this file `capacity` is the number of elements of one array
 * in the buffer. */
template <class T> struct staging {
    chunk<T> *first;
    int stride;
};
/* Returns a pointer to element i of array number `array`: 0 sub, 1 diag, 2 super, 3 rhs. */
template <class T> static __device__ inline T *staged(const staging<T> &to, int array, int i)
{
    return to.first->element + array * to.stride * (int)(CHUNK / sizeof(T)) + i;
}

/* A warp's piece of a tile. Element i of its staging buffer is element `from` + i of the arrays.
 * [begin, end): the elements that the tile has. [bulk_begin, bulk_end): whole 16-byte chunks, which
 * bulk copies load; they may include rows that other blocks solve. The arrays have `all` elements
 * (0: as many as rhs). */
struct piece {
    int64_t from;
    int begin, end, bulk_begin, bulk_end;
};
template <class T>
static __device__ inline piece piece_of(const batch<T> &b, const tile &at, int warp, int capacity,
                                        int64_t all = 0)
{
    constexpr int elements = CHUNK / sizeof(T);
    piece p;
    int first = warp * capacity;
    p.from = at.base + first;
    p.begin = at.lead + at.begin - first;
    p.end = at.lead + at.end - first;
    p.begin = p.begin < 0 ? 0 : p.begin < capacity ? p.begin : capacity;
    p.end = p.end < 0 ? 0 : p.end < capacity ? p.end : capacity;
    p.bulk_begin = p.begin / elements * elements;
    p.bulk_end = (p.end + elements - 1) / elements * elements;
    if (p.bulk_end > p.end && p.from + p.bulk_end > (all > 0    ? all
                                                     : b.offset ? b.offset[b.systems]
                                                                : b.elements))
        p.bulk_end -= elements;
    if (!b.bulk || !has_bulk_copies() || p.bulk_end < p.bulk_begin || p.end <= p.begin)
        p.bulk_end = p.bulk_begin = p.begin;
    return p;
}

/* Starts the bulk copies; called by one lane. The phase of `barrier` is complete when they have
 * arrived. */
template <class T>
static __device__ inline void start_load(const batch<T> &b, const piece &p, const staging<T> &to,
                                         uint64_t *barrier)
{
    unsigned bytes = (unsigned)((p.bulk_end - p.bulk_begin) * sizeof(T));
    bool own = b.matrix == TRIDIAGONAL_BATCH_OWN;
    mbarrier_arrive(barrier, own ? 4 * bytes : bytes);
    if (bytes > 0) {
        int64_t from = p.from + p.bulk_begin;
        if (own) {
            bulk_load(staged(to, 0, p.bulk_begin), b.in[0] + from, bytes, barrier);
            bulk_load(staged(to, 1, p.bulk_begin), b.in[1] + from, bytes, barrier);
            bulk_load(staged(to, 2, p.bulk_begin), b.in[2] + from, bytes, barrier);
        }
        bulk_load(staged(to, 3, p.bulk_begin), b.in[3] + from, bytes, barrier);
    }
}
template <class T>
static __device__ inline void load_rest(const batch<T> &b, const piece &p, const staging<T> &to,
                                        int lane)
{
    bool own = b.matrix == TRIDIAGONAL_BATCH_OWN;
    for (int i = p.bulk_end + lane; i < p.end; i += WARP) {
        T v[4] = {}; /* all loads first, because each one would be waited for otherwise */
        UNROLL()
        for (int k = 0; k < 4; k++)
            if (own || k == 3)
                v[k] = b.in[k][p.from + i];
        UNROLL()
        for (int k = 0; k < 4; k++)
            if (own || k == 3)
                *staged(to, k, i) = v[k];
    }
    __syncwarp(); /* because mask_rows changes elements that other lanes loaded */
}

/* Returns, to all lanes of a warp, whether a system begins with row `row` >= 0 of the tile. */
template <class T>
static __device__ inline bool system_begins_at(const batch<T> &b, const tile &at, int row, int lane)
{
    if (!b.offset)
        return (uint32_t)(at.first_row + row) % (uint32_t)b.n == 0;
    const int64_t *offset = b.offset + at.first_system, target = offset[0] + row,
                  i = warp_lower_bound(offset, at.systems_end + 1, target, lane);
    return i <= at.systems_end && offset[i] == target;
}
/* With b.transpose the first and the last row of A^T of a warp's piece need couplings that the warp
 * does not stage. Returns them in lane 0 (super of the row before) and in the last lane (sub of the
 * row after); 0 where a system begins or ends, and in the other lanes. */
template <class T>
static __device__ inline T load_couplings(const batch<T> &b, const tile &at, const piece &p,
                                          int warp, int capacity, int lane)
{
    if (!b.transpose)
        return zero_of(T());
    int row = warp * capacity - at.lead;
    bool before = p.begin == 0 && p.end > 0, after = p.begin < capacity && p.end == capacity;
    before = before && !system_begins_at(b, at, row, lane);
    after = after && !system_begins_at(b, at, row + capacity, lane);
    return lane == 0 && before         ? b.in[2][p.from - 1]
           : lane == WARP - 1 && after ? b.in[0][p.from + capacity]
                                       : zero_of(T());
}

/* ---- 3: matrices that systems share ---- */

/* Returns the element of sub, diag or super (k = 0, 1, 2) for a row of the tile. If each system has
 * a matrix, this is element i of the array. `row` counts from row 0 of the tile's first system; row
 * n is row 0 of the next system. */
template <class T>
static __device__ inline T element_of(const batch<T> &b, const tile &at, int k, int64_t i,
                                      int64_t row)
{
    if (b.matrix == TRIDIAGONAL_BATCH_OWN)
        return b.in[k][i];
    if (b.matrix == TRIDIAGONAL_BATCH_CONSTANT)
        return b.in[k][0];
    int64_t matrix = (at.first_system + row / b.n) / b.sides;
    return b.in[k][matrix * b.n + row % b.n];
}
/* Copies the matrices of the warp's rows to its buffer. If later tiles use the same staged matrix,
 * the whole buffer is filled, because they may have rows where this tile has none. */
template <class T>
static __device__ inline void stage_matrix(const batch<T> &b, const tile &at, const piece &p,
                                           const staging<T> &to, int warp, int capacity, int lane)
{
    if (b.matrix == TRIDIAGONAL_BATCH_CONSTANT) {
        constexpr int elements = CHUNK / sizeof(T);
        chunk<T> same[3];
        for (int k = 0; k < 3; k++)
            for (T &element : same[k].element)
                element = b.in[k][0];
        for (int i = lane; i < capacity / elements; i += WARP)
            for (int k = 0; k < 3; k++)
                to.first[k * to.stride + i] = same[k];
        __syncwarp();
        return;
    }
    /* The lane's element belongs to row `row` of the system that is number `side` of those with
     * the matrix. The next one is WARP rows on, which is found without a division. The tile's lead
     * may have rows before row 0, which `ahead` systems make positive. */
    const int64_t ahead = WARP;
    int begin = b.same_matrix_rows ? 0 : p.begin, end = b.same_matrix_rows ? capacity : p.end,
        n = (int)b.n, systems_on = WARP / n, rows_on = WARP % n;
    int64_t first = at.first_row + warp * capacity + begin + lane - at.lead + ahead * n,
            system = at.first_system + first / n - ahead, matrix = system / b.sides,
            side = system % b.sides, matrices_on = systems_on / b.sides,
            sides_on = systems_on % b.sides;
    int row = (int)(first % n);
    for (int i = begin + lane; i < end; i += WARP) {
        for (int k = 0; k < 3; k++)
            *staged(to, k, i) = b.in[k][matrix * n + row];
        row += rows_on;
        side += sides_on + (row >= n);
        row -= row >= n ? n : 0;
        matrix += matrices_on + (side >= b.sides);
        side -= side >= b.sides ? b.sides : 0;
    }
    __syncwarp();
}

/* ---- 4: masking ---- */

/* Sets row i to the equation x = 0. */
template <class T> static __device__ inline void set_identity(const staging<T> &to, int i)
{
    *staged(to, 0, i) = *staged(to, 2, i) = *staged(to, 3, i) = zero_of(T());
    *staged(to, 1, i) = one_of(T());
}
/* Sets the couplings between rows i - 1 and i to 0, because a system begins with element i of the
 * buffer. */
template <class T, class I>
static __device__ inline void mask_couplings(const piece &p, const staging<T> &to, I i)
{
    if (i >= p.begin && i < p.end)
        *staged(to, 0, (int)i) = zero_of(T());
    if (i > p.begin && i <= p.end)
        *staged(to, 2, (int)i - 1) = zero_of(T());
}
/* Masks the rows before and after the piece, and the couplings between systems. `fresh`: the
 * buffer is used for the first time and has identity rows wherever the bulk copies did not
 * write; later it may hold rows of the previous tile. search_from is the number of a system that
 * begins at or before the warp's first element; there the search for first rows of systems
 * starts. */
template <class T>
static __device__ inline void mask_rows(const batch<T> &b, const tile &at, const piece &p,
                                        const staging<T> &to, int warp, int capacity, int lane,
                                        int search_from, bool fresh)
{
    int used = b.used_elements - warp * capacity, first = warp * capacity - at.lead, n = (int)b.n;
    used = used < capacity ? used : capacity;
    for (int i = (fresh ? p.bulk_begin : 0) + lane; i < p.begin; i += WARP)
        set_identity(to, i);
    for (int i = p.end + lane; i < (fresh ? p.bulk_end : used); i += WARP)
        set_identity(to, i);
    if (b.offset) {
        for (int i = lane; i <= at.systems_end; i += WARP)
            mask_couplings(p, to,
                           b.offset[at.first_system + i] - b.offset[at.first_system] - first);
    } else if (b.tiles_per_system > 0) {
        if (lane < 2)
            mask_couplings(p, to, lane * b.n - at.first_row - first);
    } else
        for (int i = (search_from + lane) * n - first; i <= p.end; i += WARP * n)
            mask_couplings(p, to, i);
    __syncwarp();
}

/* ---- 4 on the checked path: rows in registers ---- */

/* Returns a bit mask. Bit i, 0 <= i <= rows, is set if a system begins with row `first` + i of the
 * tile. */
template <class T>
static __device__ inline unsigned system_begins(const batch<T> &b, const tile &at, int first,
                                                int rows)
{
    unsigned begins = 0, n = (unsigned)b.n;
    if (b.offset) {
        for (int i = 0; i <= at.systems_end; i++) {
            int64_t row = b.offset[at.first_system + i] - b.offset[at.first_system] - first;
            begins |= row >= 0 && row <= rows ? 1u << row : 0;
        }
        return begins;
    }
    unsigned position = (unsigned)(at.first_row + first), behind = -position;
    if (at.first_row + first > 0) {
        position %= n;
        behind = position > 0 ? n - position : 0;
    }
    for (; behind <= (unsigned)rows; behind += n)
        begins |= 1u << behind;
    return begins;
}
template <class T, int rows>
static __device__ inline void mask_rows(registers<T, rows> &r, const batch<T> &b, const tile &at,
                                        int first)
{
    const T none = zero_of(T()), one = one_of(T());
    unsigned begins = system_begins(b, at, first, rows);
    r.system_begins = begins;
    if (begins) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.sub[e] = begins >> e & 1 ? none : r.sub[e];
            r.super[e] = begins >> (e + 1) & 1 ? none : r.super[e];
        }
    }
    if (first < at.begin || first + rows > at.end) {
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (first + e < at.begin || first + e >= at.end) {
                r.sub[e] = r.super[e] = r.rhs[e] = none;
                r.diag[e] = one;
            }
    }
}
template <class T, int rows>
static __device__ inline void load_rows_checked(const batch<T> &b, const tile &at, int first,
                                                registers<T, rows> &r)
{
    int64_t i = at.base + at.lead + first, row = at.first_row + first;
    UNROLL()
    for (int e = 0; e < rows; e++) {
        r.sub[e] = r.diag[e] = r.super[e] = r.rhs[e] = zero_of(T());
        if (first + e >= at.begin && first + e < at.end) {
            r.diag[e] = element_of(b, at, 1, i + e, row + e);
            r.rhs[e] = b.in[3][i + e];
            if (!b.transpose) {
                r.sub[e] = element_of(b, at, 0, i + e, row + e);
                r.super[e] = element_of(b, at, 2, i + e, row + e);
                continue;
            }
            if (i + e > 0)
                r.sub[e] = b.in[2][i + e - 1];
            if (i + e + 1 < (b.offset ? b.offset[b.systems] : b.elements))
                r.super[e] = b.in[0][i + e + 1];
        }
    }
    if (b.adjoint)
        conjugate_rhs(r.rhs);
}

/* ---- tiles of a long system, second pass ---- */

/* Inserts the boundary values of the tile, `around`, into its rows, if it is part of a longer
 * system: the last row becomes x = around->last, and in the first row the term with around->left
 * moves to the right-hand side. With pivoting boundary_by_merging() does all that. */
template <class M>
static __device__ inline void apply_boundary(registers<typename M::number, M::ROWS> &r,
                                             const batch<typename M::number> &b, const tile &at,
                                             int first, const boundary<typename M::number> *around)
{
    typedef typename M::number T;
    constexpr int rows = M::ROWS;
    if (M::P::NEEDS_FIRST_RIGHT || !around)
        return;
    if (first == 0) {
        r.rhs[0] = neg_mul_add(r.rhs[0], r.sub[0], around->left);
        r.sub[0] = zero_of(T());
    }
    if (first + rows == at.end && at.first_row + at.end < b.n) {
        r.sub[rows - 1] = r.super[rows - 1] = zero_of(T());
        r.diag[rows - 1] = one_of(T());
        r.rhs[rows - 1] = around->last;
    }
}

/* ---- 6: from shared memory to x ---- */

/* Replaces the x of a warp's piece, in shared memory, by 2 x - rhs. rhs is loaded again; the caches
 * still have it. A lane loads all its chunks at once, so that it waits once. (Not inlined, so that
 * the kernels, which rarely need it, can use more registers.) */
template <int chunks, class T>
static __device__ __attribute__((noinline)) void subtract_rhs(const batch<T> &b, const piece &p,
                                                              chunk<T> *x, int lane)
{
    constexpr int elements = CHUNK / sizeof(T);
    const T *from = b.in[3] + p.from;
    int begin = p.bulk_begin / elements + lane, end = p.bulk_end / elements;
    chunk<T> rhs[chunks] = {};
    UNROLL()
    for (int j = 0; j < chunks; j++)
        if (begin + j * WARP < end)
            rhs[j] = ((const chunk<T> *)from)[begin + j * WARP];
    UNROLL()
    for (int j = 0; j < chunks; j++)
        if (begin + j * WARP < end) {
            chunk<T> v = x[begin + j * WARP];
            for (int e = 0; e < elements; e++)
                v.element[e] = twice_minus(v.element[e], rhs[j].element[e]);
            x[begin + j * WARP] = v;
        }
    for (int i = p.bulk_end + lane; i < p.end; i += WARP)
        x->element[i] = twice_minus(x->element[i], from[i]);
}

/* Each warp stores the x that its own lanes wrote to shared memory, whole chunks by bulk copies.
 * chunks = 0: with crank_nicolson it already is 2 x - rhs. */
template <int chunks, class T>
static __device__ inline void store_solution(const batch<T> &b, const piece &p, chunk<T> *x,
                                             int lane)
{
    constexpr int elements = CHUNK / sizeof(T);
    if constexpr (chunks > 0)
        if (b.crank_nicolson)
            subtract_rhs<chunks>(b, p, x, lane);
    int whole = (p.begin + elements - 1) / elements * elements, rest = p.end / elements * elements;
    T *to = b.x + p.from;
    const T *from = x->element;
    bulk_fence();
    __syncwarp();
    if (p.bulk_end == p.bulk_begin || rest <= whole)
        whole = rest = p.begin;
    else if (elected(lane))
        bulk_store(to + whole, from + whole, (unsigned)((rest - whole) * sizeof(T)));
    for (int i = p.begin + lane; i < whole; i += WARP)
        to[i] = from[i];
    for (int i = rest + lane; i < p.end; i += WARP)
        to[i] = from[i];
}
