/* tridiagonal_batch: the kernel for interleaved systems that are too long for a block, but not for
 * the registers of a team of blocks. Each element is loaded once, so 5 elements per row are moved
 * instead of the 9 of tridiagonal_batch_interleaved.cuh.
 *
 * A team takes a group of neighbouring systems. Each of its blocks takes one part of their rows and
 * cuts it into partitions, one for each thread, which keeps its rows in registers:
 *
 *     merge     The partitions of each system are merged by neighbouring lanes, first those of the
 *               block; the result is sent to the other blocks of the team, and each block merges
 *               what it receives. So all blocks know the boundary values of their partitions.
 *     copy      Meanwhile the rows of the team's next group are copied to shared memory.
 *     solve     Substitution gives x.
 *
 * Blocks wait for one another, so all blocks of the grid must run at the same time (a cooperative
 * launch). Messages go through global memory (message.cuh). Before a block sends messages about a
 * group, it has received those about the group before from its whole team; so two tables, used in
 * turns, are enough. Each launch counts its calls from 1 again, so the tables are cleared before
 * it.
 *
 * With automatic pivoting, copying a system that turns out to need pivoting is wasted. Such a
 * system usually has many rows that are not dominant. So a few rows of each system are tested
 * before its group is copied, the same rows in all blocks. If each system of a group has a tested
 * row that is not dominant, the team skips the group. The tested rows are copied together with the
 * group before, so threads wait for them alone only where that group is skipped. */
#pragma once

#include "message.cuh"
#include "tridiagonal_batch_interleaved.cuh"

template <class M> struct team {
    typedef typename M::number number;
    enum {
        THREADS = most_column_threads<M>(), /* of a block */
        /* Of a group: as many as a line of memory has elements. With half as many, systems of 4095
         * rows take 10 to 20% longer. */
        SYSTEMS = LINE / sizeof(number),
        PARTITIONS = THREADS / SYSTEMS, /* of a system in a block; at most a warp */
        ROWS = PARTITIONS * M::ROWS,    /* of a system in a block */
        MOST_MEMBERS = 16,              /* blocks of a team */
        /* How far apart in shared memory the partitions of neighbouring systems are. Neither
         * neighbouring systems nor neighbouring partitions have bank conflicts then. */
        PITCH = PARTITIONS + WARP / SYSTEMS
    };
    static_assert((int)PARTITIONS <= (int)WARP && (int)SYSTEMS <= (int)WARP &&
                  MOST_MEMBERS <= PARTITIONS);
    /* The number of words of a message is even (message.cuh). */
    struct message {
        alignas(alignof(typename M::partition) > 8 ? alignof(typename M::partition) : 8)
            typename M::partition merged;
    };
    /* What a block knows about a group; see column_storage. */
    struct group {
        int64_t system[SYSTEMS], base[SYSTEMS];
        bool failed[SYSTEMS];
    };
    struct storage {
        number next[4][M::ROWS][THREADS]; /* rows of the next group: sub, diag, super, rhs */
        /* The row that each thread tests, of the group after `next`: sub, diag, super. */
        number tested[3][THREADS];
        union {
            typename M::partition partition;
            typename M::interface between;
        } of[SYSTEMS * PITCH];
        boundary<number> boundaries[SYSTEMS * PITCH];
        /* Turn t has place t % 4. In turn t the group of turn t + 3 is found; until then slow warps
         * may still need that of turn t - 1. */
        group groups[4];
    };
};
/* Returns the words of a table of messages for a grid of `blocks` blocks. */
template <class M> static __host__ __device__ inline int64_t team_table_words(int64_t blocks)
{
    constexpr int64_t words = message_words<typename team<M>::message>();
    static_assert(words % 2 == 0);
    return blocks * team<M>::SYSTEMS * words;
}
/* Returns the group that a block's team takes in a turn. */
template <class T>
static __device__ inline int64_t group_of_turn(const column_batch<T> &g, int turn)
{
    return (blockIdx.x + (int64_t)turn * gridDim.x) / (unsigned)g.members;
}
/* Finds system `column` of the group of a turn. A group after the last one has no systems. */
template <class M>
static __device__ inline void find_in_group(const column_batch<typename M::number> &g,
                                            typename team<M>::storage *shared, int turn, int column)
{
    typename team<M>::group *group = &shared->groups[turn % 4];
    find_column(g, group, column, group_of_turn(g, turn) * team<M>::SYSTEMS + column);
    group->failed[column] = false;
}

/* Starts to copy element e of array k of a thread's rows. Where a coupling has no effect it is not
 * copied, and in a ring it may be elsewhere (load_column()). */
template <bool periodic, class M>
static __device__ inline void copy_element(const column_batch<typename M::number> &g,
                                           typename team<M>::storage *shared, int k, int e,
                                           bool begins, bool ends, const typename M::number *from)
{
    const bool first = k == 0 && begins, last = k == 2 && ends;
    if (periodic || !(first || last))
        copy_async<sizeof(*from)>(&shared->next[k][e][threadIdx.x], from + (first  ? g.ring
                                                                            : last ? -g.ring
                                                                                   : 0));
}
/* Starts to copy the rows of this thread's partition of system `at`. */
template <bool periodic, class M>
static __device__ inline void copy_rows(const column_batch<typename M::number> &g,
                                        typename team<M>::storage *shared, const tile &at,
                                        const slice &s)
{
    typedef typename M::number T;
    int left = rows_left(at, s);
    int64_t first = at.base + s.first * g.row_stride;
    const bool begins = s.first == 0, ends = s.first + left == at.end;
    UNROLL()
    for (int k = 0; k < 4; k++) {
        const T *from = g.b.in[k] + first;
        if (left >= M::ROWS) {
            UNROLL()
            for (int e = 0; e < M::ROWS; e++) {
                copy_element<periodic, M>(g, shared, k, e, begins && e == 0,
                                          ends && e + 1 == M::ROWS, from);
                from += g.row_stride;
            }
        } else {
            UNROLL(1)
            for (int e = 0; e < left; e++) {
                copy_element<periodic, M>(g, shared, k, e, begins && e == 0, ends && e + 1 == left,
                                          from);
                from += g.row_stride;
            }
        }
    }
}
/* Takes these rows. Rows that do not exist become x = 0. */
template <bool periodic, class M>
static __device__ inline void take_rows(const typename team<M>::storage *shared, const tile &at,
                                        const slice &s, registers<typename M::number, M::ROWS> &r)
{
    typedef typename M::number T;
    const T none = zero_of(T()), one = one_of(T());
    int left = periodic ? rows_left(at, s) : at.end - s.first, rank = (int)threadIdx.x;
    UNROLL()
    for (int e = 0; e < M::ROWS; e++) {
        bool exists = e < left;
        r.sub[e] = exists && (periodic || e > 0 || s.first > 0) ? shared->next[0][e][rank] : none;
        r.diag[e] = exists ? shared->next[1][e][rank] : one;
        r.super[e] = exists && (periodic || e + 1 < left) ? shared->next[2][e][rank] : none;
        r.rhs[e] = exists ? shared->next[3][e][rank] : none;
    }
}

/* Returns the number of the row, in each system, that this thread tests. */
template <class M>
static __device__ inline int64_t tested_row(const column_batch<typename M::number> &g)
{
    return (int)threadIdx.x / team<M>::SYSTEMS * g.b.n / team<M>::PARTITIONS;
}
/* Starts to copy the matrix elements of this thread's row of the group of a turn. */
template <class M, bool periodic>
static __device__ inline void copy_tested_row(const column_batch<typename M::number> &g,
                                              typename team<M>::storage *shared, int turn)
{
    typedef typename M::number T;
    int rank = (int)threadIdx.x;
    const tile at = column_at(g, &shared->groups[turn % 4], rank % team<M>::SYSTEMS);
    const bool first = rank < team<M>::SYSTEMS;
    if (at.end == 0)
        return;
    UNROLL()
    for (int k = 0; k < 3; k++)
        if (periodic || k > 0 || !first)
            copy_async<sizeof(T)>(&shared->tested[k][rank], g.b.in[k] + at.base +
                                                                tested_row<M>(g) * g.row_stride +
                                                                (k == 0 && first ? g.ring : 0));
}
/* Tests this thread's row of the group of a turn; it has been copied. */
template <class M, bool periodic>
static __device__ inline void test_row(const column_batch<typename M::number> &g,
                                       typename team<M>::storage *shared, int turn)
{
    typedef typename M::number T;
    int rank = (int)threadIdx.x, column = rank % team<M>::SYSTEMS;
    typename team<M>::group *group = &shared->groups[turn % 4];
    const T none = zero_of(T());
    T sub = !periodic && rank < team<M>::SYSTEMS ? none : shared->tested[0][rank];
    if (column_at(g, group, column).end > 0 &&
        !is_dominant(sub, shared->tested[1][rank], shared->tested[2][rank]))
        group->failed[column] = true;
}
/* Returns whether all systems of the group of a turn, if it has any, are known to need pivoting. */
template <class M>
static __device__ inline bool all_failed(const typename team<M>::storage *shared, int turn)
{
    const typename team<M>::group *group = &shared->groups[turn % 4];
    int lane = (int)threadIdx.x % WARP;
    return !__any_sync(ALL_LANES,
                       lane < team<M>::SYSTEMS && group->system[lane] >= 0 && !group->failed[lane]);
}

/* The place of a thread in its team while it merges: partition q of system `column`. */
struct merger {
    int lane, column, q, leader, member; /* leader: the lane that has partition 0 */
    unsigned lanes;                      /* of this system */
};
template <class M>
static __device__ inline merger merger_of_thread(const column_batch<typename M::number> &g)
{
    constexpr int partitions = team<M>::PARTITIONS;
    merger m;
    m.lane = (int)threadIdx.x % WARP;
    m.column = (int)threadIdx.x / partitions;
    m.q = m.lane % partitions;
    m.leader = m.lane - m.q;
    m.member = (int)(blockIdx.x % (unsigned)g.members);
    m.lanes = partitions == WARP ? ALL_LANES : ((1u << partitions % WARP) - 1) << m.leader;
    return m;
}
/* Returns the index of this block's message about this system. */
template <class M>
static __device__ inline int64_t message_index(const column_batch<typename M::number> &g,
                                               const merger &m)
{
    return (int64_t)(blockIdx.x - (unsigned)m.member) * team<M>::SYSTEMS + m.column * g.members +
           m.member;
}
/* Merges the partitions of a system of this block, and sends the result to the team. If not
 * `certified`, the result is NaN. `round` counts the groups that are not skipped. */
template <class M, bool attempt>
static __device__ inline void send_merged(const column_batch<typename M::number> &g,
                                          typename team<M>::storage *shared, int round,
                                          bool certified)
{
    typedef typename M::number T;
    typedef typename team<M>::message message;
    const merger m = merger_of_thread<M>(g);
    auto *place = &shared->of[m.column * team<M>::PITCH + m.q];
    typename M::interface between = {};
    typename M::partition s = reduce<false, M>(place->partition, team<M>::PARTITIONS, m.lane,
                                               &between, reporter<T>{}, 0, M::ROWS);
    place->between = between;
    if constexpr (attempt) {
        if (!__all_sync(m.lanes, certified && equation_stayed_dominant(between.left, between.last)))
            s.last = nan_of(T());
    }
    if (m.q == 0)
        publish<message>(g.messages + round % 2 * team_table_words<M>(gridDim.x),
                         (int64_t)gridDim.x * team<M>::SYSTEMS, message_index<M>(g, m), {s},
                         (unsigned)round + 1);
}
/* Receives the messages of the team about a system, merges them, and stores the boundary values of
 * the system's partitions in this block. Returns in all lanes of the system whether it is solved
 * and, in an attempt, certified. */
template <class M, bool attempt, bool periodic>
static __device__ inline bool receive_boundaries(const column_batch<typename M::number> &g,
                                                 typename team<M>::storage *shared, int round)
{
    typedef typename M::number T;
    typedef typename M::P P;
    typedef typename team<M>::message message;
    const merger m = merger_of_thread<M>(g);
    int place = m.column * team<M>::PITCH + m.q, size = round_up_power_of_two(g.members);
    typename M::partition s = {};
    typename M::interface between = {};
    if (m.q < g.members)
        s = wait_message<message>(g.messages + round % 2 * team_table_words<M>(gridDim.x),
                                  (int64_t)gridDim.x * team<M>::SYSTEMS,
                                  message_index<M>(g, m) - m.member + m.q, (unsigned)round + 1)
                .merged;
    __syncwarp();
    bool certified = !attempt || !__any_sync(m.lanes, is_nan(abs1(s.last)));
    s = reduce<P>(s, size, g.members, m.lane, &between);
    if constexpr (attempt)
        certified = __all_sync(m.lanes,
                               certified && (m.q >= g.members - 1 ||
                                             equation_stayed_dominant(between.left, between.last)));
    bool solved;
    boundary<T> k = solve_whole<M, attempt, periodic>(s, &solved);
    solved = from_lane((int)(solved && certified), m.leader) != 0;
    k = struct_from_lane<T>(k, m.leader);
    back_substitute<P>(between, size, g.members, m.lane, &k);
    k = struct_from_lane<T>(k, m.leader + m.member);
    back_substitute<false, M>(shared->of[place].between, team<M>::PARTITIONS, m.lane, &k,
                              reporter<T>{}, 0, M::ROWS);
    shared->boundaries[place] = k;
    return solved;
}

/* Starts to copy the first group, unless an attempt skips it. Returns whether it does. */
template <class M, bool attempt, bool periodic>
static __device__ inline bool copy_first_group(const column_batch<typename M::number> &g,
                                               typename team<M>::storage *shared, int column,
                                               const slice &here)
{
    bool skip = false;
    if (attempt) {
        copy_tested_row<M, periodic>(g, shared, 0);
        copy_async_commit();
        copy_async_wait<0>();
        test_row<M, periodic>(g, shared, 0);
        __syncthreads();
        skip = all_failed<M>(shared, 0);
        __syncthreads(); /* before `failed` is changed */
        copy_tested_row<M, periodic>(g, shared, 1);
    }
    if (!skip)
        copy_rows<periodic, M>(g, shared, column_at(g, &shared->groups[0], column), here);
    copy_async_commit();
    return skip;
}
/* The same for the group of the next turn. `skip` is that of this turn. */
template <class M, bool attempt, bool periodic>
static __device__ inline bool copy_next_group(const column_batch<typename M::number> &g,
                                              typename team<M>::storage *shared, int turn,
                                              int column, const slice &here, bool skip)
{
    if (attempt) {
        skip = all_failed<M>(shared, turn + 1);
        copy_tested_row<M, periodic>(g, shared, turn + 2);
    }
    if (!skip)
        copy_rows<periodic, M>(g, shared, column_at(g, &shared->groups[(turn + 1) % 4], column),
                               here);
    copy_async_commit();
    return skip;
}
/* Reduces this thread's rows to a partition, which it stores at `place` for the merge. */
template <class M, bool attempt>
static __device__ inline void
reduce_rows(const column_batch<typename M::number> &g, typename team<M>::storage *shared,
            typename team<M>::group *now, int column, int place, const slice &here,
            registers<typename M::number, M::ROWS> &r)
{
    const reporter<typename M::number> nobody = {};
    bool certified = true;
    typename M::partition s =
        M::template eliminate<false, attempt>(r, nobody, here.first, here.count, &certified);
    if (!M::is_finite(s)) {
        if (!attempt)
            report_column(g.b, now->system[column], here.first + broken_row<M>(r, here.count));
        certified = false;
    }
    shared->of[place].partition = s;
    if (!certified)
        now->failed[column] = true;
}
/* Computes x of this thread's rows. An attempt stores it only if the system has not failed. */
template <class M, bool attempt>
static __device__ inline void
substitute_rows(const column_batch<typename M::number> &g, const typename team<M>::group *now,
                int column, const boundary<typename M::number> &around, const slice &here,
                registers<typename M::number, M::ROWS> &r)
{
    const reporter<typename M::number> nobody = {};
    M::template substitute<false>(r, around, nobody, here.first, here.count);
    bool failed = now->failed[column];
    if (!failed && !all_finite(M::last_x(r, here.count)))
        report_column(g.b, now->system[column], here.first);
    tile at = column_at(g, now, column);
    if (attempt && failed)
        at.end = 0;
    store_slice<false>(g, at, here, (typename M::number(*)[M::ROWS | 1]) nullptr, r);
}

/* g.partitions is that of a block, and g.blocks the number of groups. The matrix is
 * TRIDIAGONAL_BATCH_OWN. If `status` is given, the caller has set it to 0. */
template <class M, bool attempt, bool periodic>
static __global__ void __launch_bounds__(team<M>::THREADS, 1)
    solve_columns_by_teams(const __grid_constant__ column_batch<typename M::number> g)
{
    constexpr int rows = M::ROWS, systems = team<M>::SYSTEMS, partitions = team<M>::PARTITIONS;
    typedef typename team<M>::storage storage;
    DYN_SHARED(storage, shared);
    int rank = (int)threadIdx.x, column = rank % systems, q = rank / systems,
        member = (int)(blockIdx.x % (unsigned)g.members), place = column * team<M>::PITCH + q,
        base = (member * partitions + q) * rows;
    const int merged = rank / partitions; /* the system that this thread helps to merge */
    const bool leads = rank % partitions == 0;
    if (rank < 3 * systems)
        find_in_group<M>(g, shared, q, column);
    __syncthreads();
    /* skip: all systems of this turn's group are known to need pivoting */
    bool skip = copy_first_group<M, attempt, periodic>(g, shared, column,
                                                       slice_at<periodic, rows>(g, base, 0));
    UNROLL(1)
    for (int turn = 0, round = 0; group_of_turn(g, turn) < g.blocks; turn++) {
        typename team<M>::group *now = &shared->groups[turn % 4];
        const slice here = slice_at<periodic, rows>(g, base, 0);
        const bool solve = !skip;
        registers<typename M::number, rows> r;
        bool failed = false;
        copy_async_wait<0>();
        if (solve)
            take_rows<periodic, M>(shared, column_at(g, now, column), here, r);
        if (attempt)
            test_row<M, periodic>(g, shared, turn + 1);
        if (solve)
            reduce_rows<M, attempt>(g, shared, now, column, place, here, r);
        __syncthreads();
        if (solve) {
            failed = now->failed[merged];
            send_merged<M, attempt>(g, shared, round, !failed);
        }
        skip = copy_next_group<M, attempt, periodic>(g, shared, turn, column, here, skip);
        if (leads)
            find_in_group<M>(g, shared, turn + 3, merged);
        if (solve) {
            bool solved = receive_boundaries<M, attempt, periodic>(g, shared, round++);
            if (leads && !solved) {
                if (!attempt && !failed && member == 0)
                    report_column(g.b, now->system[merged], (int)g.b.n - 1);
                now->failed[merged] = true;
            }
        }
        __syncthreads();
        if (attempt && member == 0 && rank < WARP)
            store_list(g, group_of_turn(g, turn), now->failed, rank);
        if (solve)
            substitute_rows<M, attempt>(g, now, column, shared->boundaries[place], here, r);
    }
}
