/* Breakdowns of tridiagonal.cu: how a missing pivot becomes the row in the caller's status.
 *
 * A breakdown leaves NaN in a partition's coefficients, which spreads to whatever is merged with
 * it. The first to see it records its first row in the workspace head: a group of rows in the first
 * pass of the two-pass solver, a block in the reduction over the grid. When all is reduced to two
 * equations and these have no finite solution, one thread writes the recorded row to the status. If
 * nothing was recorded, the breakdown happened in a merge after the last record, and that thread
 * repeats the merges to find it. */
#ifndef TRIDIAGONAL_STATUS_CUH
#define TRIDIAGONAL_STATUS_CUH

#include "message.cuh"
#include "tridiagonal_rows.cuh"

/* Threads of a block of merge_groups; each begins with one group, if there are not too many. */
enum { MERGE_THREADS = 256 };

/* A block's partition as a message: alignment makes it a whole number of pairs of message words. */
template <class P> struct alignas(CHUNK) block_message {
    typename P::partition partition;
};

/* The fence orders the record before the message that hands the partition on. */
template <class P>
static __device__ inline void record_breakdown(const typename P::partition &s,
                                               unsigned long long *broken, int64_t row)
{
    if (!P::coefficients_finite(s)) {
        atomicMax(broken, ~(unsigned long long)row);
        __threadfence();
    }
}
/* A breakdown near `row` that is found after write_status(): the status gets this row, unless it
 * has an earlier one. */
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

/* Repeats the merges of reduce(), by one thread, to find where a breakdown began that nobody
 * recorded: in a partition that is singular although its coefficients are finite, or in a merge.
 * The partitions are those of `count` groups, or of all blocks if `groups` is NULL. `pending` has
 * room for 8 partitions; pending[0] becomes the result of all merges. Returns 2 i for the first
 * rows of partition i, 2 i + 1 for its last ones, and 2 count if only the last two equations are
 * singular. */
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
        /* s has partitions from..i. It is merged with the pending one before it when both are
         * complete nodes of the same size in the binary tree, or at the end. */
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
/* The first row of the group, or of the block, in which the elimination broke down. A block has
 * `rows` rows. */
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
    /* Now the group within the block, if there are groups and their partitions still exist: when a
     * thread has several groups, interfaces have replaced them. */
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
/* One thread writes the status: 0 if the last two equations were solved. */
template <class P>
static __device__ inline void write_status(const problem<P> &p, bool solved, int blocks,
                                           int64_t rows, unsigned call,
                                           typename P::partition *pending)
{
    volatile struct workspace_head *head = p.head;
    long long status = 0;
    if (!solved && p.status) {
        __threadfence(); /* pairs with record_breakdown() */
        status = 1 + (long long)broken_row(p, blocks, rows, call, pending);
    }
    head->broken_group = 0;
    head->broken_block = 0;
    if (p.status)
        *p.status = status;
}

#endif
