/* tridiagonal_batch: the kernels for contiguous systems.
 *
 *     solve_tiles     A block stages a tile, reduces each thread's rows to a partition, finds the
 *                     boundary values of the threads, substitutes, and stores x. Four elements of a
 *                     row are read and one is written. While the block solves one tile, it loads
 *                     the next one.
 *     solve_checked   A device function that solves a tile again if a NaN or Inf was found in it.
 *     merge_tiles     For systems that are too long for one tile. There are three launches. First
 *                     solve_tiles reduces each tile to a partition. Then merge_tiles finds the
 *                     boundary values of each tile. At last solve_tiles solves the tiles. This
 *                     moves 9 elements per row, because the rows are read twice. Recomputing the
 *                     elimination is cheaper than storing it (as in RPTS). */
#pragma once

#include "tridiagonal_batch_threads.cuh"

/* The checked path: solves one tile as solve_tiles does, but loads its rows from global memory.
 * (The function is not inlined, so that the fast path can use more registers.) */
template <class M, enum tile_step step>
static __device__ __attribute__((noinline)) void
solve_checked(const batch<typename M::number> &b, const tile &at, thread_context<M> c,
              typename M::partition *tile_partition, const boundary<typename M::number> *around)
{
    typedef typename M::number T;
    typedef typename M::checked_method Method;
    constexpr int rows = M::ROWS;
    int first = c.rank * rows - at.lead;
    reporter<T> to = {&b, &at, true};
    registers<T, M::ROWS> r;
    load_rows_checked(b, at, first, r);
    mask_rows(r, b, at, first);
    apply_boundary<Method>(r, b, at, first, around);
    typename Method::partition s = Method::template eliminate<true>(r, to, first);
    if (step == REDUCE_TILE) {
        boundary_by_merging<Method, true, step>(c, s, to, tile_partition, NULL);
        return;
    }
    boundary<T> mine = boundary_of_thread<Method, true, step>(c, s, to, first + rows - 1, around);
    Method::template substitute<true>(r, mine, to, first);
    for (int e = 0; e < rows; e++)
        if (first + e >= at.begin && first + e < at.end) {
            int64_t i = at.base + at.lead + first + e;
            b.x[i] = b.crank_nicolson ? twice_minus(r.rhs[e], b.in[3][i]) : r.rhs[e];
        }
}

/* The fast path: solves the rows r of one tile, and puts x into the buffer. It tests for NaN and
 * Inf only in the partition and in the first x of each thread, because this is cheaper than a test
 * of every pivot. */
template <class Method, class M, enum tile_step step>
static __device__ inline void
solve_fast(registers<typename M::number, M::ROWS> &r, const batch<typename M::number> &b,
           const tile &at, const thread_context<M> &c, typename M::partition *tile_partition,
           const boundary<typename M::number> *around)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T), rows = M::ROWS;
    int first = c.rank * rows - at.lead, *broken = &c.shared->broken[c.parity];
    reporter<T> nobody = {&b, &at, false};
    if (!M::AUTO) /* auto_rows merge partitions, which needs no change of the rows */
        apply_boundary<Method>(r, b, at, first, around);
    typename Method::partition s = Method::template eliminate<false>(r, nobody, first);
    if (!Method::is_finite(s))
        *broken = 1;
    if constexpr (M::AUTO && !Method::P::NEEDS_FIRST_RIGHT)
        if (!stayed_dominant(r))
            *broken = 1;
    if (step == REDUCE_TILE) {
        boundary_by_merging<Method, false, step>(c, s, nobody, tile_partition, NULL);
        if (c.rank == 0 && !M::is_finite(*tile_partition))
            *broken = 1;
        return;
    }
    if (elected(c.lane))
        bulk_store_wait(); /* until x of the tile before is stored, because the buffer is reused */
    __syncwarp();
    boundary<T> k = boundary_of_thread<Method, false, step>(c, s, nobody, first + rows - 1, around);
    Method::template substitute<false>(r, k, nobody, first);
    if (!all_finite(Method::last_x(r)))
        *broken = 1;
    UNROLL()
    for (int i = 0; i < M::CHUNKS; i++) {
        chunk<T> v;
        for (int e = 0; e < elements; e++)
            v.element[e] = r.rhs[i * elements + e];
        c.buffer[c.rank * M::CHUNKS + i] = v;
    }
}
/* The same with automatic pivoting. If a row of the tile is not dominant, the tile is solved
 * with pivoting at once, since the block has its rows in registers. If the certificate is lost
 * during the elimination without pivoting, the tile becomes `broken`, and solve_part() loads it
 * again and solves it with pivoting. */
template <class M, enum tile_step step>
static __device__ inline void
solve_auto(registers<typename M::number, M::ROWS> &r, const batch<typename M::number> &b,
           const tile &at, const thread_context<M> &c, typename M::partition *tile_partition,
           const boundary<typename M::number> *around)
{
    if (!all_dominant(r))
        c.shared->pivots[c.parity] = 1;
    __syncthreads();
    if (c.rank == 0)
        c.shared->pivots[c.parity ^ 1] = 0;
    if (c.shared->pivots[c.parity])
        solve_fast<typename M::pivoted_method, M, step>(r, b, at, c, tile_partition, around);
    else
        solve_fast<typename M::plain_method, M, step>(r, b, at, c, tile_partition, around);
}
/* Solves the rows r of a part, if needed also by the checked path, and stores x. */
template <class M, enum tile_step step>
static __device__ inline void
solve_part(registers<typename M::number, M::ROWS> &r, const batch<typename M::number> &b,
           const thread_context<M> &c, int64_t part, typename M::partition *tile_partitions,
           const boundary<typename M::number> *tile_boundaries)
{
    const tile &at = c.shared->tile[c.parity][c.warp];
    const boundary<typename M::number> *around =
        step == FINISH_TILE ? tile_boundaries + part : NULL;
    typename M::partition *tile_partition = step == REDUCE_TILE ? tile_partitions + part : NULL;
    if constexpr (M::AUTO)
        solve_auto<M, step>(r, b, at, c, tile_partition, around);
    else
        solve_fast<M, M, step>(r, b, at, c, tile_partition, around);
    __syncthreads();
    if (c.shared->broken[c.parity]) {
        __syncthreads();
        if (c.rank == 0)
            c.shared->broken[c.parity] = 0;
        solve_checked<M, step>(b, at, c, tile_partition, around);
    } else if (step != REDUCE_TILE)
        store_solution<M::CHUNKS>(b, c.shared->piece[c.parity][c.warp],
                                  c.buffer + c.warp * WARP * M::CHUNKS, c.lane);
}

/* Finds the tile of a part, starts the loads of the warp's piece, and clears the status of its
 * systems. solve_one_matrix has no systems of different lengths and no systems of several tiles. */
template <bool one_matrix, class M>
static __device__ inline void
prepare_part(const batch<typename M::number> &b, const thread_context<M> &c,
             const staging<typename M::number> &to, int64_t part, int parity)
{
    tile next = {};
    if (!one_matrix && b.offset)
        next = tile_of(b, part, c.lane);
    if (elected(c.lane)) {
        if (one_matrix || !b.offset)
            next = tile_of(b, part, c.lane);
        piece p = piece_of(b, next, c.warp, WARP * M::ROWS);
        c.shared->tile[parity][c.warp] = next;
        c.shared->piece[parity][c.warp] = p;
        start_load(b, p, to, &c.shared->full[c.warp]);
    }
    __syncwarp();
    if (one_matrix || b.tiles_per_system == 0)
        clear_status(b, c.shared->tile[parity][c.warp], c.rank, c.threads);
}
/* Sets the places that no bulk copy of the first tile writes to identity rows (x = 0). */
template <class M>
static __device__ inline void set_unloaded_rows(const thread_context<M> &c,
                                                const staging<typename M::number> &to)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T);
    chunk<T> none = {}, one;
    for (T &element : one.element)
        element = one_of(T());
    const piece &loaded = c.shared->piece[0][c.warp];
    for (int i = c.lane; i < WARP * M::CHUNKS; i += WARP)
        if (i * elements < loaded.bulk_begin || i * elements >= loaded.bulk_end)
            for (int k = 0; k < 4; k++)
                to.first[k * to.stride + i] = k == 1 ? one : none;
}
/* Takes a thread's rows from the staging buffer. `mine` is its first chunk of sub. */
template <class M>
static __device__ inline void take_rows(const chunk<typename M::number> *mine, int stride,
                                        registers<typename M::number, M::ROWS> &r)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T);
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++) {
        chunk<T> v[] = {mine[k], mine[stride + k], mine[2 * stride + k], mine[3 * stride + k]};
        for (int e = 0; e < elements; e++) {
            r.sub[k * elements + e] = v[0].element[e];
            r.diag[k * elements + e] = v[1].element[e];
            r.super[k * elements + e] = v[2].element[e];
            r.rhs[k * elements + e] = v[3].element[e];
        }
    }
}

/* The same with b.transpose: takes rows of A^T from the staged rows of A. `coupling` is from
 * load_couplings(). */
template <class M>
static __device__ inline void
take_transposed_rows(const chunk<typename M::number> *mine, int stride, typename M::number coupling,
                     int lane, registers<typename M::number, M::ROWS> &r)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T), rows = M::ROWS;
    const T *sub = mine->element, *super = mine[2 * stride].element;
    r.sub[0] = lane == 0 ? coupling : super[-1];
    r.super[rows - 1] = lane == WARP - 1 ? coupling : sub[rows];
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++) {
        chunk<T> v[] = {mine[k], mine[stride + k], mine[2 * stride + k], mine[3 * stride + k]};
        for (int e = 0; e < elements; e++) {
            int i = k * elements + e;
            if (i > 0)
                r.super[i - (i > 0)] = v[0].element[e];
            r.diag[i] = v[1].element[e];
            if (i + 1 < rows)
                r.sub[(i + 1) % rows] = v[2].element[e];
            r.rhs[i] = v[3].element[e];
        }
    }
}

/* The body of solve_tiles, which also solves what solve_one_matrix cannot. */
template <class M, enum tile_step step>
static __device__ inline void solve_parts(const batch<typename M::number> &b,
                                          typename M::partition *tile_partitions,
                                          const boundary<typename M::number> *tile_boundaries)
{
    typedef typename M::number T;
    constexpr int rows = M::ROWS;
    DYN_SHARED(chunk<T>, memory);
    thread_context<M> c = context_of_thread<M>();
    int stride = c.threads * M::CHUNKS;
    c.buffer = memory + 4 * stride;
    c.shared = (shared_storage<M> *)(memory + 5 * stride);
    const staging<T> to = {memory + c.warp * WARP * M::CHUNKS, stride};
    uint64_t *full = &c.shared->full[c.warp];
    int64_t parts = b.offset && b.part_size > 0 ? b.offset[b.systems] / b.part_size + 1 : b.parts;
    if (blockIdx.x >= parts)
        return;
    /* search_from: where mask_rows() begins its search, the number of a system that begins at or
     * before the warp's first element, whatever the lead of the tile is (the elements before its
     * row 0). */
    int rows_before = c.warp * WARP * rows - (int)(LINE / sizeof(T)),
        search_from = b.tiles_per_system > 0 || rows_before <= 0 ? 0 : rows_before / (int)b.n;
    if (elected(c.lane))
        mbarrier_init(full, 1);
    __syncwarp();
    if (c.rank == 0)
        for (int k = 0; k < 2; k++)
            c.shared->broken[k] = c.shared->pivots[k] = 0;
    prepare_part<false>(b, c, to, blockIdx.x, 0);
    set_unloaded_rows(c, to);
    __syncthreads();
    UNROLL(1)
    for (int64_t part = blockIdx.x; part < parts; part += gridDim.x, c.parity ^= 1) {
        const tile &at = c.shared->tile[c.parity][c.warp];
        const piece &here = c.shared->piece[c.parity][c.warp];
        load_rest(b, here, to, c.lane); /* meanwhile the bulk copies arrive */
        T coupling = load_couplings(b, at, here, c.warp, WARP * rows, c.lane);
        mbarrier_wait(full, c.parity);
        if (b.matrix != TRIDIAGONAL_BATCH_OWN && (part == blockIdx.x || !b.same_matrix_rows))
            stage_matrix(b, at, here, to, c.warp, WARP * rows, c.lane);
        mask_rows(b, at, here, to, c.warp, WARP * rows, c.lane, search_from,
                  part == blockIdx.x && b.matrix == TRIDIAGONAL_BATCH_OWN);
        registers<T, M::ROWS> r;
        if (b.transpose)
            take_transposed_rows<M>(memory + c.rank * M::CHUNKS, stride, coupling, c.lane, r);
        else
            take_rows<M>(memory + c.rank * M::CHUNKS, stride, r);
        if (b.adjoint)
            conjugate_rhs(r.rhs);
        bulk_fence();
        __syncwarp();
        if (part + gridDim.x < parts)
            prepare_part<false>(b, c, to, part + gridDim.x, c.parity ^ 1);
        solve_part<M, step>(r, b, c, part, tile_partitions, tile_boundaries);
    }
    if (elected(c.lane))
        bulk_store_wait();
}

/* REDUCE_TILE writes tile_partitions, and no x. FINISH_TILE reads tile_boundaries, the boundary
 * values of each tile. Otherwise these pointers are NULL.
 *
 * Block b solves parts b, b + gridDim.x, … (a part is a tile, or a share of one if there are fewer
 * tiles than blocks). Shared memory: four staging arrays, a buffer for PCR and x, and
 * shared_storage. */
template <class M, enum tile_step step>
static __global__ void __launch_bounds__(M::THREADS, 1)
    solve_tiles(const __grid_constant__ batch<typename M::number> b,
                typename M::partition *tile_partitions,
                const boundary<typename M::number> *tile_boundaries)
{
    solve_parts<M, step>(b, tile_partitions, tile_boundaries);
}

/* One warp works on each long system. It computes the boundary values of the tiles from their
 * partitions. Each lane merges consecutive tiles one after the other, and the results of the lanes
 * are merged in a tree. Then the unknowns are recovered in reverse order. `interfaces` is workspace
 * for the interfaces between the tiles of a lane. This kernel is always checked, because it has
 * little work. */
template <class M>
static __global__ void merge_tiles(const __grid_constant__ batch<typename M::number> b,
                                   const typename M::partition *tile_partitions,
                                   typename M::interface *interfaces,
                                   boundary<typename M::number> *tile_boundaries)
{
    typedef typename M::number T;
    constexpr int elements = LINE / sizeof(T);
    int lane = (int)threadIdx.x, each = (b.tiles_per_system + WARP - 1) / WARP,
        lead = (int)(blockIdx.x * b.n % elements), rows = each * b.tile_rows, begin = lane * each,
        end = begin + each;
    int64_t tiles = (int64_t)blockIdx.x * b.tiles_per_system;
    tile whole = {}; /* the whole system as one tile, which reports need */
    whole.first_system = blockIdx.x;
    whole.end = (int)b.n;
    reporter<T> to = {&b, &whole, true};
    end = end < b.tiles_per_system ? end : b.tiles_per_system;
    typename M::partition s = M::padding();
    for (int j = begin; j < end; j++) {
        typename M::partition t = tile_partitions[tiles + j];
        if (j > begin) {
            typename M::interface between;
            int lower_begin = j * b.tile_rows - lead;
            t = M::template merge<true>(s, t, &between, to, begin * b.tile_rows - lead,
                                        lower_begin - 1, lower_begin + b.tile_rows - 1);
            interfaces[tiles + j] = between;
        }
        s = t;
    }
    typename M::interface between_lanes = {};
    s = reduce<true, M>(s, WARP, lane, &between_lanes, to, -lead, rows);
    /* only lane 0 reports, because only it has the partition of the whole system */
    reporter<T> alone = to;
    alone.active = lane == 0;
    boundary<T> k = struct_from_lane<T>(M::template solve<true>(s, alone, 0, whole.end - 1), 0);
    back_substitute<true, M>(between_lanes, WARP, lane, &k, to, -lead, rows);
    for (int j = end - 1; j >= begin; j--) {
        boundary<T> here = k;
        if (j > begin) {
            recover<true, M>(interfaces[tiles + j], here, to, j * b.tile_rows - lead, &k.last,
                             &k.right);
            here.left = k.last;
            here.first = k.right;
        }
        tile_boundaries[tiles + j] = here;
    }
}
