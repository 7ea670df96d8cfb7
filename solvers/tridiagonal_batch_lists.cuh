/* tridiagonal_batch: automatic pivoting of systems that are not contiguous. It is a layer of three
 * steps over the kernels, which only solve:
 *
 *     attempt   A kernel solves all systems without pivoting and gives a verdict on each: it has
 *               the certificate (certificate.cuh), or it has failed. x is stored only with it.
 *     list      The block puts the systems that failed on its list.
 *     retry     A second launch solves the systems of the lists with pivoting.
 *
 * So how a system is solved depends on its own rows alone.
 *
 * Contiguous systems have no lists (solve_auto in tridiagonal_batch_contiguous.cuh). A block solves
 * a tile with a row that is not dominant with pivoting at once, from its registers; a second launch
 * would load the rows again, 9 elements per row instead of 5. A tile that loses the certificate
 * later, which is rare, is loaded again by the checked path. */
#pragma once

#include "tridiagonal_batch_threads.cuh"

template <class T> struct column_batch {
    batch<T> b;
    /* The layout of the arrays (tridiagonal_batch.h). The systems of a plane have `slots` places in
     * blocks, inner or a few more: then the last ones are empty. */
    int64_t inner, slots, row_stride, plane_stride, blocks;
    int across, partitions,
        slices; /* numbers of systems per block, partitions per system, and slices per partition */
    /* periodic systems: the rows of a slice. The first longer_slices ones have one more. */
    int slice_rows, longer_slices;
    /* Solve periodic systems with A^T: sub and super point one row off (load_column()), and the
     * couplings of the ends are this number of elements away. Otherwise 0. */
    int64_t ring;
    T *interfaces; /* in `work`: M::interface, with the indices [slice][partition][system] */
    /* In `work` for TRIDIAGONAL_PIVOT_AUTO, else NULL: `lists` lists of the systems that need
     * pivoting. pivot_counts[l] is the length of list l. pivot_columns has list_across places for
     * each list, with the numbers of its systems in their block. */
    int *pivot_counts, *pivot_columns, list_across;
    int64_t lists;
    int takers;       /* how many of the blocks that share 32 lists can run at the same time */
    int64_t turns;    /* of all blocks of a retry together (next_turns()) */
    int64_t matrices; /* of solve_rings: their number */
    bool rings;       /* for solve_rings */
    /* of tridiagonal_batch_teams.cuh: number of blocks of a team, and two tables in `work` */
    int members;
    uint64_t *messages;
};

/* Stores a list: the systems of this block that failed. One warp calls it. */
template <class T>
static __device__ inline void store_list(const column_batch<T> &g, int64_t list, const bool *failed,
                                         int lane)
{
    int count = 0;
    for (int first = 0; first < g.across; first += WARP) {
        int number = first + lane;
        bool listed = number < g.across && failed[number];
        unsigned all = __ballot_sync(ALL_LANES, listed);
        if (listed)
            g.pivot_columns[list * g.list_across + count + __popc(all & ((1u << lane) - 1))] =
                number;
        count += __popc(all);
    }
    if (lane == 0)
        g.pivot_counts[list] = count;
}
/* Returns how many turns share 32 lists. */
template <class T> static __host__ __device__ inline int turns_for_lists(const column_batch<T> &g)
{
    return (WARP * g.list_across + g.across - 1) / g.across;
}
/* A retry has as many turns as all systems would need. Block b takes every gridDim.x-th turn from b
 * on, and passes over those whose lists are empty: usually all. Each thread looks at one turn, from
 * `first` on. Bit i of wanted[w] becomes 1 if the lists of the turn of lane i of warp w have a
 * system. (A block for each turn would need a kernel's registers to find that it has nothing to do,
 * so few could do so at the same time.) */
template <class T>
static __device__ inline void next_turns(const column_batch<T> &g, int64_t first, unsigned *wanted)
{
    int64_t turn = first + (int64_t)threadIdx.x * gridDim.x,
            list = turn / turns_for_lists(g) * WARP;
    int any = 0;
    if (turn < g.turns)
        for (int k = 0; k < WARP && list + k < g.lists; k++)
            any |= g.pivot_counts[list + k];
    unsigned lanes = __ballot_sync(ALL_LANES, any != 0);
    if (threadIdx.x % WARP == 0)
        wanted[threadIdx.x / WARP] = lanes;
}
/* Takes systems for a turn from the lists, and stores their places, or -1 where there is none. The
 * lists of 32 blocks are shared by as many turns as all their systems would fill. If few systems
 * need pivoting, they are spread evenly over the blocks that can run at the same time: they are not
 * neighbours in memory, so their loads are slow, and a block with fewer is done sooner. Otherwise
 * the first turns take as many as they can. One warp calls it. */
template <class T>
static __device__ inline void take_from_lists(const column_batch<T> &g, int64_t turn,
                                              int64_t *slots, int lane)
{
    int sharing = turns_for_lists(g), takers = g.takers < sharing ? g.takers : sharing;
    int64_t group = turn / sharing * WARP;
    int count = group + lane < g.lists ? g.pivot_counts[group + lane] : 0, end = count;
    UNROLL()
    for (int h = 1; h < WARP; h *= 2) {
        int before = __shfl_up_sync(ALL_LANES, end, (unsigned)h);
        end += lane >= h ? before : 0;
    }
    int listed = from_lane(end, WARP - 1), even = (listed + takers - 1) / takers,
        share = even < g.across ? even : g.across, first_wanted = (int)(turn % sharing) * share;
    if (first_wanted >= listed) {
        if (lane == 0)
            slots[0] = -1;
        return;
    }
    for (int first = 0; first < g.across; first += WARP) {
        int number = first + lane, wanted = first_wanted + number;
        int64_t slot = -1;
        for (int k = 0; k < WARP; k++) {
            int64_t from = (group + k) * g.list_across;
            int list_end = from_lane(end, k), place = wanted - (list_end - from_lane(count, k));
            if (number < share && place >= 0 && wanted < list_end)
                slot = from + g.pivot_columns[from + place];
        }
        if (number < g.across)
            slots[number] = slot;
    }
}
