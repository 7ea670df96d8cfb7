/* The partition method for tridiagonal systems, and how the lanes of a warp merge partitions.
 *
 * A partition is a group of consecutive rows. Four unknowns matter at its ends:
 *
 *     x_left | x_first  ...  x_last | x_right
 *
 * x_first and x_last are its own outermost unknowns, x_left and x_right its neighbours'. The method
 * has five steps:
 *
 *     eliminate    all unknowns strictly between x_first and x_last. Two equations in the four
 *                  unknowns above remain. They are a Schur complement: the rest of the system needs
 *                  nothing else from the partition.
 *     merge        two neighbouring partitions. The two interface unknowns, where the partitions
 *                  meet, are eliminated from their four equations. Two equations remain, so the
 *                  result is a partition again, and merging works in any grouping.
 *     solve        the last two equations, when one partition is left.
 *     recover      the interface unknowns, merge by merge, in reverse order.
 *     substitute   back into the rows of each partition, once its boundary values are known.
 *
 * This is Wang's partition method (1981). SPIKE is the same method; its reduced system consists of
 * the interface equations. L22 arranges the same steps in the shape of an N. A kernel that cannot
 * keep the rows eliminates them a second time for the substitution: it recomputes the factors
 * instead of storing them, as RPTS does (Klein and Strzodka, ICPP 2021).
 *
 * plain<T> (partition_plain.cuh) and pivoted<T> (partition_pivoted.cuh) have the same functions;
 * kernels take one of them as the template parameter P. P::partition holds the two equations of a
 * partition, P::interface what is needed to recover the unknowns that one merge eliminates. Needs
 * device.h, scalar.cuh, arithmetic.cuh, certificate.cuh, partition_rows.cuh, partition_plain.cuh
 * and partition_pivoted.cuh. */
#pragma once

#include "partition_pivoted.cuh"
#include "partition_plain.cuh"

/* v of lane `lane`. v may be any struct of elements T. */
template <class T, class V> static __device__ inline V struct_from_lane(const V &v, int lane)
{
    T elements[sizeof(V) / sizeof(T)];
    V copy;
    memcpy((void *)elements, (const void *)&v, sizeof(V));
    for (T &element : elements)
        element = from_lane(element, lane);
    memcpy((void *)&copy, (const void *)elements, sizeof(V));
    return copy;
}
/* Merges the partitions of `size` neighbouring lanes (a power of two), of which the first `count`
 * exist, in log2(size) steps. The first of these lanes gets the result. Each lane keeps the
 * interface of one merge: the one between its own partition and that of the next lane, in *mine. */
template <class P>
static __device__ inline typename P::partition reduce(typename P::partition s, int size, int count,
                                                      int lane, typename P::interface *mine)
{
    typedef typename P::number T;
    int rank = lane & (size - 1); /* among these lanes */
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename P::interface between;
        typename P::partition both =
            P::merge(s, struct_from_lane<T>(s, (lane + h) % WARP), &between);
        if ((rank & -2 * h) + h < count)
            s = both;
        between = struct_from_lane<T>(between, lane & -2 * h);
        if ((rank & (2 * h - 1)) == h - 1)
            *mine = between;
    }
    return s;
}
/* The reverse of reduce(): *around are the boundary values of the merged partition of all `count`
 * lanes, and become those of the lane's own partition. */
template <class P>
static __device__ inline void back_substitute(const typename P::interface &mine, int size,
                                              int count, int lane,
                                              boundary<typename P::number> *around)
{
    typedef typename P::number T;
    int rank = lane & (size - 1); /* among these lanes */
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T upper_last, lower_first;
        P::recover(mine, *around, &upper_last, &lower_first);
        int keeper = (lane & -2 * h) + h - 1;
        upper_last = from_lane(upper_last, keeper);
        if (P::NEEDS_FIRST_RIGHT)
            lower_first = from_lane(lower_first, keeper);
        bool merged = (rank & -2 * h) + h < count, lower = (rank & h) != 0;
        around->left = merged && lower ? upper_last : around->left;
        around->last = merged && !lower ? upper_last : around->last;
        if (P::NEEDS_FIRST_RIGHT) {
            around->first = merged && lower ? lower_first : around->first;
            around->right = merged && !lower ? lower_first : around->right;
        }
    }
}

/* The smallest power of two that is at least `count`, but at most a warp. */
static __device__ inline int round_up_power_of_two(int count)
{
    return count > WARP / 2 ? (int)WARP : count > 1 ? 1 << (WARP - __clz(count - 1)) : 1;
}
