/* Breakdowns in tridiagonal.cu: how a missing pivot, or an x that is not finite, leads to the row
 * number in the caller's status.
 *
 * A breakdown leaves NaN in a partition, and merging spreads NaN. Two places record a row in the
 * workspace head: the first pass of the two-pass solver the first row of a broken group, and the
 * reduction over the grid the first row of a broken block. When the whole system is reduced to two
 * equations, one thread tests whether these have a finite solution. If not, it writes the recorded
 * row to the status. If no row was recorded, the breakdown happened in a merge after these tests,
 * and the thread repeats the merges to find it.
 *
 * A system that is singular to working precision may have finite pivots, and x overflows. So each
 * thread that substitutes tests x of its first row, which it computes last. If any x of its rows is
 * infinite or NaN, this one is, because each x is a sum with the one before it. */
#pragma once

#include "message.cuh"
#include "tridiagonal_rows.cuh"

/* Threads of a block of merge_groups(); each has one group, or several. */
enum { MERGE_THREADS = 256 };

/* The partition of a block as a message. Because of the alignment it has an even number of message
 * words, which are sent in pairs. */
template <class P> struct alignas(CHUNK) block_message {
    typename P::partition partition;
};

/* Records a breakdown in partition s, which begins with row `row`. The fence makes the record
 * visible before the message with the partition. An attempt leaves the status to the retry. */
template <class P>
static __device__ inline void record_breakdown(const typename P::partition &s,
                                               unsigned long long *broken, int64_t row)
{
    if (!P::IS_ATTEMPT && !P::coefficients_finite(s)) {
        atomicMax(broken, ~(unsigned long long)row);
        __threadfence();
    }
}
/* The last thread of block 0 clears the status before the block sends its message, so that a row
 * which another block reports later is kept. The thread calls it while its rows are loaded. */
template <class P> static __device__ inline void clear_status(const problem<P> &p)
{
    if (p.status && !p.keep_status && blockIdx.x == 0 && threadIdx.x == blockDim.x - 1) {
        *p.status = 0;
        if (gridDim.x > 1)
            __threadfence();
    }
}
/* The status becomes 1 + row unless it has an earlier row. */
template <class P> static __device__ inline void lower_status(const problem<P> &p, int64_t row)
{
    unsigned long long *status = (unsigned long long *)p.status, mine = 1 + (unsigned long long)row,
                       old = 0;
    while (status && (old == 0 || mine < old)) {
        unsigned long long seen = atomicCAS(status, old, mine);
        if (seen == old)
            return;
        old = seen;
    }
}

/* All lanes of a warp call it after they have substituted. The rows of the warp begin with row
 * `from`. fits: x satisfies the equations of the lane's rows. `solved`: the last two equations have
 * a solution, so that the breakdown is new. */
template <class P>
static __device__ inline void report_wrong(const problem<P> &p,
                                           const thread_rows<typename P::number> &my, bool fits,
                                           int64_t from, bool solved)
{
    bool wrong = !fits || (my.rows > 0 && !all_finite(P::last_x(my)));
    if (__any_sync(ALL_LANES, wrong) && solved && threadIdx.x % WARP == 0)
        lower_status(p, from);
}

/* One thread repeats the merges of reduce() to find the origin of a breakdown that was not
 * recorded: a partition that is singular although its coefficients are finite, or a merge. The
 * partitions are those of `count` groups, or of all blocks if `groups` is NULL. `pending` holds 8
 * partitions; pending[0] becomes the result of all merges. Returns 2 i if the breakdown is in the
 * first rows of partition i, 2 i + 1 if in its last rows, and 2 count if only the last two
 * equations are singular. */
template <class P>
static __device__ inline int find_breakdown(const problem<P> &p, const group_slot<P> *groups,
                                            int count, unsigned call,
                                            typename P::partition *pending)
{
    int found = 2 * count, top = 0;
    for (int i = 0; i < count; i++) {
        int from = i;
        typename P::partition s =
            groups ? groups[i].partition
                   : wait_message<block_message<P>>(p.messages, count, i, call).partition;
        if (P::is_singular(s) && 2 * i < found)
            found = 2 * i;
        /* s is the merged partition of partitions from..i. It is merged with the last pending one
         * if both are complete nodes of the same size in the binary tree, or if partition i is the
         * last one. */
        while (from > 0 && (i + 1 - from == (from & -from) || i + 1 == count)) {
            typename P::interface between;
            typename P::partition before = pending[--top], both = P::merge(before, s, &between);
            int begin = from - (from & -from);
            enum unknown lacks = P::unknown_without_pivot(before, s, between);
            int here = lacks == UPPER_FIRST   ? 2 * begin
                       : lacks == UPPER_LAST  ? 2 * from - 1
                       : lacks == LOWER_FIRST ? 2 * from
                                              : 2 * i + 1;
            if (P::is_singular(both) && !P::is_singular(before) && !P::is_singular(s) &&
                here < found)
                found = here;
            s = both;
            from = begin;
        }
        pending[top++] = s;
    }
    return found;
}
/* The first row of the group in which the elimination broke down, or of the block if the group
 * cannot be found. A block has `rows` rows. */
template <class P>
static __device__ inline int64_t broken_row(const problem<P> &p, int blocks, int64_t rows,
                                            unsigned call, typename P::partition *pending)
{
    volatile struct workspace_head *head = p.head;
    unsigned long long group = head->broken_group, block = head->broken_block;
    const int64_t group_rows = P::GROUP * rows_in<P>(P::PASS2_CHUNKS);
    int found = 2 * blocks;
    if (group)
        return (int64_t)~group;
    if (block)
        found = (int)((int64_t)~block / rows) * 2;
    else if (blocks > 1) {
        found = find_breakdown<P>(p, NULL, blocks, call, pending);
        if (found == 2 * blocks)
            found = P::first_lacks_pivot(pending[0]) ? 0 : 2 * blocks - 1;
    }
    /* Find the group within the block. This is possible only if there are groups and their
     * partitions still exist. If a thread has several groups, interfaces have overwritten the
     * partitions. */
    int64_t row = found / 2 % blocks * rows, first = row / group_rows, left = p.groups - first;
    if (left <= 0 || rows > MERGE_THREADS * group_rows)
        return row;
    int count = left < MERGE_THREADS ? (int)left : (int)MERGE_THREADS,
        inside = find_breakdown<P>(p, p.slots + first, count, call, pending);
    if (inside == 2 * count)
        inside = found == 2 * blocks ? (P::first_lacks_pivot(pending[0]) ? 0 : 2 * count - 1)
                                     : found % 2 * (2 * count - 1);
    return row + inside / 2 * group_rows;
}
/* Called by one thread with the verdict about the last two equations. */
template <class P>
static __device__ inline void write_verdict(const problem<P> &p, bool solved, int blocks,
                                            int64_t rows, unsigned call,
                                            typename P::partition *pending)
{
    volatile struct workspace_head *head = p.head;
    head->solved = solved;
    if (P::IS_ATTEMPT) {
        head->attempt_solved = solved;
        return;
    }
    if (!solved && p.status && p.steps == WHOLE) {
        /* This fence makes rows visible that other blocks recorded (see record_breakdown()). */
        __threadfence();
        lower_status(p, broken_row(p, blocks, rows, call, pending));
    }
    head->broken_group = 0;
    head->broken_block = 0;
}
