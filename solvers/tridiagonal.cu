/* The N-shaped partition (L22; nshape.cu is the paper's form of it) at the speed of memory.
 *
 * A segment is some consecutive rows, their first and last unknown f and e, and the unknowns next to them, l before and n
 * behind. Eliminating what lies between leaves two equations in l, f, e, n: all that the rest of the system needs to know of
 * it. Two neighbouring segments are one: four equations, from which the two unknowns where they meet are eliminated. So
 * segments can be composed in any grouping: a thread's rows one after the other (RD and RU of L22 in one sweep), a warp's 32 in five
 * steps, then a block's, then all blocks'. The last two equations are solved, and on the way back each composition
 * gives the unknowns where its two segments meet, until each thread knows l, f, e and n of its rows (RS) and finds those
 * between (SS).
 *
 * Words that move, of n each:
 *   ON_CHIP   5: each multiprocessor keeps its rows in shared memory; all tell all their segment, which is the only
 *             exchange, and each composes all and walks back to itself
 *   TWICE     9: a first pass composes units of some hundred rows (reads 4); all units are composed as above, which moves
 *             little; a second pass, which knows what is around each unit, makes the elimination again instead of having
 *             stored it (reads 4, writes 1)
 * and with a Toeplitz matrix 2 and 3.
 *
 * Composing costs as much as eliminating dozens of rows, so it pays to compose little. What is solved for must be kept in shared
 * memory, which is why a thread has few rows there; but the first pass keeps nothing and gives a thread sixteen
 * times as many.
 *
 * Why no bank conflicts: a thread's rows are 16-byte chunks one after the other, and their number is odd: eight
 * neighbouring threads read chunks an odd multiple of 16 bytes apart, which lie in all 32 banks. (In the first pass: `swizzle`.) */
#include "tridiagonal.h"

#include "message.cuh"
#include "partition.cuh"

/* ---- memory ---- */

/* First words of a workspace. */
struct head {
    unsigned calls, done; /* of `settle`: calls so far, blocks that have begun this one */
    /* 0, or the largest ~row near which the elimination broke down. Where a unit did, its block did, too. */
    unsigned long long broken_units, broken_blocks;
};
enum { HEAD_BYTES = 128 };

/* Of a unit, for `join`. */
template <class P> union alignas(CHUNK) slot {
    typename P::partition partition;
    typename P::interface node;
};

template <class P> struct problem {
    typedef typename P::number T;
    int64_t n, units;
    const T *sub, *diag, *super, *rhs;
    T *x;
    bool toeplitz, periodic, bulk;
    struct head *head;
    long long *status;
    slot<P> *slots;   /* TWICE: of each unit */
    T *firsts, *ends; /* f and e of each unit */
    uint64_t *table;  /* what blocks tell each other */
};

/* Seen by whoever hears of the segment later. */
template <class P>
static __device__ inline void report(const typename P::partition &s, unsigned long long *broken,
                                     int64_t row)
{
    if (!P::coefficients_finite(s)) {
        atomicMax(broken, ~(unsigned long long)row);
        __threadfence();
    }
}
/* The unknowns around the segment of all rows, which lane 0 has; in lane 0, whether that went well. */
template <class P>
static __device__ inline bool find(const typename P::partition &s, boundary<typename P::number> *k)
{
    bool sound = P::solve(s, &k->first, &k->last);
    k->left = k->last;
    k->right = k->first;
    *k = struct_from_lane<typename P::number>(*k, 0);
    return sound;
}
template <class P> static __host__ __device__ inline int rows_in(int chunks)
{
    return chunks * (CHUNK / (int)sizeof(typename P::number));
}
/* A breakdown near `row`, found when x is made: the first such row, unless there is one already. */
template <class P> static __device__ inline void conclude_later(const problem<P> &p, int64_t row)
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

/* A thread's rows from row `first` on; in shared memory `chunks` chunks at `at`, arrays `apart` chunks apart. */
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
    my.system_begins = !p.periodic && first == 0;
    my.system_ends = !p.periodic && left > 0 && left <= most;
    my.toeplitz = p.toeplitz;
    if (p.toeplitz) {
        my.toeplitz_row[0] = *p.sub;
        my.toeplitz_row[1] = *p.diag;
        my.toeplitz_row[2] = *p.super;
    }
    return my;
}
/* s: of the rows so far, which these follow. keep: for `substitute`. */
template <class P, bool keep>
static __device__ inline void eliminate(const thread_rows<typename P::number> &my,
                                        typename P::partition *s)
{
    if (my.rows == my.chunks * (int)(CHUNK / sizeof(typename P::number)))
        P::template eliminate<true, keep>(my, s);
    else if (my.rows > 0)
        P::template eliminate<false, keep>(my, s);
}
template <class P>
static __device__ inline void substitute(const thread_rows<typename P::number> &my,
                                         const boundary<typename P::number> &k)
{
    if (my.rows == my.chunks * (int)(CHUNK / sizeof(typename P::number)))
        P::template substitute<true>(my, k);
    else if (my.rows > 0)
        P::template substitute<false>(my, k);
}

/* The piece of a tile that one warp brings and stores: `exist` of `most` words, from word `from` of the arrays. Bulk copies
 * take what is whole chunks, lanes the rest, or all where bulk copies cannot be. */
template <class P> struct piece {
    int64_t from;
    int exist;
};
template <class P>
static __device__ inline piece<P> piece_at(const problem<P> &p, int64_t from, int most)
{
    int64_t left = p.n - from;
    return {from, (int)(left < 0 ? 0 : left < most ? left : most)};
}
template <class P>
static __device__ inline unsigned bulk_bytes(const problem<P> &p, const piece<P> &at)
{
    return p.bulk && has_bulk_copies()
               ? (unsigned)(at.exist * sizeof(typename P::number)) / CHUNK * CHUNK
               : 0;
}
/* Announce and ask. to: the piece's first word in the tile's first array; its arrays are `words` apart. */
template <class P>
static __device__ inline void ask_for(const problem<P> &p, const piece<P> &at,
                                      typename P::number *to, int words, uint64_t *barrier)
{
    unsigned bytes = bulk_bytes(p, at);
    mbarrier_arrive(barrier, p.toeplitz ? bytes : 4 * bytes);
    if (bytes == 0)
        return;
    bulk_load(to + 3 * words, p.rhs + at.from, bytes, barrier);
    if (!p.toeplitz) {
        bulk_load(to, p.sub + at.from, bytes, barrier);
        bulk_load(to + words, p.diag + at.from, bytes, barrier);
        bulk_load(to + 2 * words, p.super + at.from, bytes, barrier);
    }
}
template <class P>
static __device__ inline void fetch_rest(const problem<P> &p, const piece<P> &at,
                                         typename P::number *to, int words, int lane)
{
    typedef typename P::number T;
    int brought = (int)(bulk_bytes(p, at) / sizeof(T));
    for (int i = brought + lane; i < at.exist; i += WARP) {
        to[3 * words + i] = p.rhs[at.from + i];
        if (!p.toeplitz) {
            to[i] = p.sub[at.from + i];
            to[words + i] = p.diag[at.from + i];
            to[2 * words + i] = p.super[at.from + i];
        }
    }
    __syncwarp();
}
/* By the warp that wrote it. */
template <class P>
static __device__ inline void store(const problem<P> &p, const piece<P> &at,
                                    const typename P::number *x, int lane)
{
    unsigned bytes = bulk_bytes(p, at);
    bulk_fence();
    __syncwarp();
    if (lane == 0 && bytes > 0)
        bulk_store(p.x + at.from, x, bytes);
    for (int i = (int)(bytes / sizeof(typename P::number)) + lane; i < at.exist; i += WARP)
        p.x[at.from + i] = x[i];
    if (lane == 0)
        bulk_store_wait();
    __syncwarp();
}

/* ---- all segments, of all blocks ---- */

enum { BLOCKS_MOST = 256, JOINERS = 256 /* threads of a block of `join`, at first a unit each */ };
template <class P, int threads> struct settle_board {
    typename P::partition warps[threads / WARP], groups[BLOCKS_MOST / WARP];
    boundary<typename P::number> k[threads / WARP];
};

/* As told: a whole number of pairs of words. */
template <class P> struct alignas(CHUNK) told {
    typename P::partition partition;
};

/* Where a breakdown came from of which no report tells: from a segment that P::sound does not look
 * at closely enough, or from where two meet. The segments of all blocks, or of units one after the
 * other, are composed again as fold() does it, by one thread; `pending` has room for 8 and has all
 * of them as one in the end. 2 i for the first rows of segment i, 2 i + 1 for its last ones; 2
 * count: all that is singular are the last two equations. */
template <class P>
static __device__ inline int broken_at(const problem<P> &p, const slot<P> *units, int count,
                                       unsigned call, typename P::partition *pending)
{
    int at = 2 * count, top = 0;
    for (int i = 0; i < count; i++) {
        int from = i;
        typename P::partition s =
            units ? units[i].partition : wait_message<told<P>>(p.table, count, i, call).partition;
        if (P::is_singular(s) && 2 * i < at)
            at = 2 * i;
        while (from > 0 && (i + 1 - from == (from & -from) || i + 1 == count)) {
            typename P::interface where;
            typename P::partition before = pending[--top], both = P::merge(before, s, &where);
            int begin = from - (from & -from);
            enum unknown lacks = P::unknown_without_pivot(before, s, where);
            int here = lacks == UPPER_FIRST   ? 2 * begin
                       : lacks == UPPER_LAST  ? 2 * from - 1
                       : lacks == LOWER_FIRST ? 2 * from
                                              : 2 * i + 1;
            if (P::is_singular(both) && !P::is_singular(before) && !P::is_singular(s) && here < at)
                at = here;
            s = both;
            from = begin;
        }
        pending[top++] = s;
    }
    return at;
}
/* The first row of the unit, or of the block, in which the elimination broke down; a block has
 * `rows`. */
template <class P>
static __device__ inline int64_t broken_row(const problem<P> &p, int blocks, int64_t rows,
                                            unsigned call, typename P::partition *pending)
{
    volatile struct head *head = p.head;
    unsigned long long unit = head->broken_units, block = head->broken_blocks;
    const int64_t rows_of_unit = P::GROUP * rows_in<P>(P::PASS2_CHUNKS);
    int at = 2 * blocks;
    if (unit)
        return (int64_t)~unit;
    if (block)
        at = (int)((int64_t)~block / rows) * 2;
    else if (blocks > 1) {
        at = broken_at<P>(p, NULL, blocks, call, pending);
        if (at == 2 * blocks)
            at = P::first_lacks_pivot(pending[0]) ? 0 : 2 * blocks - 1;
    }
    int64_t row = at / 2 % blocks * rows, first = row / rows_of_unit, left = p.units - first;
    if (left <= 0 || rows > JOINERS * rows_of_unit)
        return row; /* no units, or their segments have been replaced by nodes */
    int count = left < JOINERS ? (int)left : (int)JOINERS,
        inside = broken_at<P>(p, p.slots + first, count, call, pending);
    if (inside == 2 * count)
        inside = at == 2 * blocks ? (P::first_lacks_pivot(pending[0]) ? 0 : 2 * count - 1)
                                  : at % 2 * (2 * count - 1);
    return row + inside / 2 * rows_of_unit;
}
/* By one thread. */
template <class P>
static __device__ inline void conclude(const problem<P> &p, bool sound, int blocks, int64_t rows,
                                       unsigned call, typename P::partition *pending)
{
    volatile struct head *head = p.head;
    long long status = 0;
    if (!sound && p.status) {
        __threadfence(); /* behind the words that were told after them */
        status = 1 + (long long)broken_row(p, blocks, rows, call, pending);
    }
    head->broken_units = 0;
    head->broken_blocks = 0;
    if (p.status)
        *p.status = status;
}

/* To be read when a kernel begins, handed to `settle`. */
template <class P> static __device__ inline unsigned this_call(const problem<P> &p)
{
    return *(volatile unsigned *)&p.head->calls + 1;
}
/* From each thread's segment what is around it. `threads` of this warp have one, `warps` of this
 * block (some may be more than there can be); a block has `rows`. Blocks, which all run at once,
 * exchange words once: warp w hears of blocks 32 w to 32 w + 31. The speaker, the warp that hears
 * of its own block, composes the block's warps and tells of them; when all is heard it composes the
 * groups of 32 blocks, and goes all the way back: to its group, its block and the block's warps. */
template <class P, int most>
static __device__ inline boundary<typename P::number>
settle(const problem<P> &p, settle_board<P, most> *board, typename P::partition s, int threads,
       int warps, int64_t rows, unsigned call)
{
    typedef typename P::number T;
    int rank = (int)threadIdx.x, warp = rank / WARP, lane = rank % WARP, blocks = (int)gridDim.x,
        block = (int)blockIdx.x, speaker = block / WARP, lanes = round_up_power_of_two(threads),
        size = round_up_power_of_two(warps), groups = (blocks + WARP - 1) / WARP,
        sizes = round_up_power_of_two(groups), count = blocks - warp * WARP;
    typename P::interface within, between, over, above;
    s = reduce<P>(s, lanes, threads, lane, &within);
    if (lane == 0)
        board->warps[warp] = s;
    __syncthreads();
    /* All of the block have read `calls`; the last block to say so counts the next call. */
    if (blocks > 1 && rank == (int)blockDim.x - 1 &&
        atomicAdd(&p.head->done, 1u) == (unsigned)blocks - 1) {
        p.head->done = 0;
        p.head->calls = call;
    }
    if (warp == speaker) {
        int at = lane & (size - 1);
        s = reduce<P>(board->warps[at < warps ? at : 0], size, warps, lane, &between);
        if (lane == 0) {
            report<P>(s, &p.head->broken_blocks, block * rows);
            if (blocks > 1)
                publish(p.table, blocks, block, told<P>{s}, call);
        }
    }
    if (blocks > 1) {
        if (warp < groups) {
            int other = warp * WARP + lane;
            if (other < blocks)
                s = wait_message<told<P>>(p.table, blocks, other, call).partition;
            __syncwarp();
            s = reduce<P>(s, WARP, count, lane, &over);
            if (lane == 0)
                board->groups[warp] = s;
        }
        __syncthreads();
    }
    boundary<T> k;
    if (warp == speaker) {
        int at = lane & (sizes - 1);
        if (blocks > 1)
            s = reduce<P>(board->groups[at < groups ? at : 0], sizes, groups, lane, &above);
        bool sound = find<P>(s, &k);
        if (blocks > 1) {
            back_substitute<P>(above, sizes, groups, lane, &k);
            k = struct_from_lane<T>(k, speaker);
            back_substitute<P>(over, WARP, count, lane, &k);
            k = struct_from_lane<T>(k, block % WARP);
        }
        back_substitute<P>(between, size, warps, lane, &k);
        if (lane < warps)
            board->k[lane] = k;
        if (block == 0 && lane == 0)
            conclude(p, sound, blocks, rows, call, board->groups);
    }
    __syncthreads();
    k = board->k[warp < warps ? warp : 0];
    back_substitute<P>(within, lanes, threads, lane, &k);
    return k;
}

/* ---- on the chip ---- */

template <class P> struct chip_board {
    uint64_t full[P::RESIDENT_THREADS / WARP];
    settle_board<P, P::RESIDENT_THREADS> settling;
};

template <class P>
static __global__ void __launch_bounds__(P::RESIDENT_THREADS, 1) on_chip(problem<P> p, int chunks)
{
    typedef typename P::number T;
    int rows_of_thread = rows_in<P>(chunks), rows_of_warp = WARP * rows_of_thread;
    DYN_SHARED(chunk<T>, memory);
    T *mine = (T *)memory;
    int rank = (int)threadIdx.x, warp = rank / WARP, lane = rank % WARP,
        tile = (int)blockDim.x * rows_of_thread;
    chip_board<P> *board = (chip_board<P> *)(mine + 4 * tile);
    unsigned call = this_call(p);
    int64_t from = (int64_t)blockIdx.x * tile;
    piece<P> at = piece_at(p, from + warp * rows_of_warp, rows_of_warp),
             all = piece_at(p, from, tile);
    T *to = mine + warp * rows_of_warp;
    if (lane == 0) {
        mbarrier_init(&board->full[warp], 1);
        ask_for(p, at, to, tile, &board->full[warp]);
    }
    __syncwarp();
    mbarrier_wait(&board->full[warp], 0);
    fetch_rest(p, at, to, tile, lane);
    thread_rows<T> my = thread_rows_at(p, memory + rank * chunks, (int)blockDim.x * chunks, chunks,
                                       from + rank * rows_of_thread);
    typename P::partition s = P::empty_partition();
    eliminate<P, true>(my, &s);
    boundary<T> k = settle(p, &board->settling, s, (at.exist + rows_of_thread - 1) / rows_of_thread,
                           (all.exist + rows_of_warp - 1) / rows_of_warp, tile, call);
    substitute<P>(my, k);
    store(p, at, to + 3 * tile, lane);
}

/* ---- brought twice ---- */

/* A unit is the rows of P::UNIT lanes of the second pass. A lane of the first pass takes a run, the rows of RUN of those lanes.
 * Its warp brings a piece of each lane's run at a time, of PIECE chunks: memory is slower with shorter ones. Nothing is
 * brought ahead; other warps work meanwhile, each a block of its own so that few of them still are on many multiprocessors. */
enum { RUN = 16, PIECE = 16, SLICE = WARP * PIECE, FIRST_BLOCKS = 6 };

/* Where chunk k of lane i's piece is, is k ^ swizzle_of(i), so that any eight neighbours find theirs in all 32 banks. */
static __device__ inline int swizzle_of(int lane)
{
    return lane % 8;
}
/* Asks for the pieces of which lane 0's begins with row `from`. Whole chunks where they can be, neighbouring lanes
 * neighbouring chunks; else words. */
template <class P>
static __device__ inline void bring(const problem<P> &p, chunk<typename P::number> *to,
                                    int64_t from, int64_t rows_of_run, int lane)
{
    typedef typename P::number T;
    constexpr int words = CHUNK / sizeof(T);
    bool whole = p.bulk && from + (WARP - 1) * rows_of_run + PIECE * words <= p.n;
    UNROLL()
    for (int part = 0; part < PIECE; part++) {
        int i = part * WARP + lane, owner = i / PIECE, k = i % PIECE;
        int64_t row = from + owner * rows_of_run + k * words;
        chunk<T> *place = to + owner * PIECE + (k ^ swizzle_of(owner));
        if (whole) {
            copy_async<CHUNK>(place + 3 * SLICE, p.rhs + row);
            if (!p.toeplitz) {
                copy_async<CHUNK>(place, p.sub + row);
                copy_async<CHUNK>(place + SLICE, p.diag + row);
                copy_async<CHUNK>(place + 2 * SLICE, p.super + row);
            }
        } else
            for (int e = 0; e < words && row + e < p.n; e++) {
                copy_async<sizeof(T)>(&place[3 * SLICE].element[e], p.rhs + row + e);
                if (!p.toeplitz) {
                    copy_async<sizeof(T)>(&place->element[e], p.sub + row + e);
                    copy_async<sizeof(T)>(&place[SLICE].element[e], p.diag + row + e);
                    copy_async<sizeof(T)>(&place[2 * SLICE].element[e], p.super + row + e);
                }
            }
    }
}

template <class P>
static __global__ void __launch_bounds__(WARP, FIRST_BLOCKS) first_pass(problem<P> p)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    int lane = (int)threadIdx.x, pieces = RUN * P::PASS2_CHUNKS / PIECE;
    int64_t rows_of_piece = rows_in<P>(PIECE), rows_of_run = pieces * rows_of_piece,
            run = (int64_t)blockIdx.x * WARP, from = run * rows_of_run;
    typename P::partition s = P::empty_partition();
    UNROLL(1)
    for (int k = 0; k < pieces; k++, from += rows_of_piece) {
        __syncwarp();
        bring(p, memory, from, rows_of_run, lane);
        copy_async_commit();
        copy_async_wait<0>();
        __syncwarp();
        thread_rows<T> my =
            thread_rows_at(p, memory + lane * PIECE, SLICE, PIECE, from + lane * rows_of_run);
        my.swizzle = swizzle_of(lane);
        my.partition_begins = k == 0;
        eliminate<P, false>(my, &s);
    }
    constexpr int runs = P::GROUP / RUN;
    int64_t unit = (run + lane) / runs, left = p.n - unit * runs * rows_of_run;
    int count = runs;
    if (left < runs * rows_of_run)
        count = (int)((left + rows_of_run - 1) / rows_of_run);
    typename P::interface unused;
    s = reduce<P>(s, runs, count, lane, &unused);
    if (lane % runs == 0 && left > 0) {
        p.slots[unit].partition = s;
        report<P>(s, &p.head->broken_units, unit * runs * rows_of_run);
    }
}

template <class P>
static __global__ void __launch_bounds__(P::PASS2_WARPS *WARP, 1) second_pass(problem<P> p)
{
    typedef typename P::number T;
    constexpr int words = CHUNK / sizeof(T), chunks = P::PASS2_CHUNKS;
    DYN_SHARED(chunk<T>, memory);
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP,
        warps = (int)blockDim.x / WARP, apart = WARP * chunks, rows_of_thread = rows_in<P>(chunks),
        rows_of_warp = WARP * rows_of_thread;
    chunk<T> *mine = memory + warp * 4 * apart;
    T *to = mine->element;
    uint64_t *full = (uint64_t *)(memory + warps * 4 * apart) + warp;
    int64_t from = ((int64_t)blockIdx.x * warps + warp) * rows_of_warp,
            stride = (int64_t)gridDim.x * warps * rows_of_warp;
    piece<P> at = piece_at(p, from, rows_of_warp);
    if (lane == 0) {
        mbarrier_init(full, 1);
        if (from < p.n)
            ask_for(p, at, to, apart * words, full);
    }
    __syncwarp();
    for (int round = 0; from < p.n; from += stride, round++) {
        mbarrier_wait(full, round & 1);
        fetch_rest(p, at, to, apart * words, lane);
        thread_rows<T> my =
            thread_rows_at(p, mine + lane * chunks, apart, chunks, from + lane * rows_of_thread);
        int threads = (at.exist + rows_of_thread - 1) / rows_of_thread - lane / P::GROUP * P::GROUP;
        typename P::partition s = P::empty_partition();
        /* The last lane of a unit keeps no node, but computes with one like the others. */
        typename P::interface within = {};
        eliminate<P, true>(my, &s);
        s = reduce<P>(s, P::GROUP, threads, lane, &within);
        int64_t unit = (from / rows_of_thread + lane) / P::GROUP;
        /* These are other pivots than the first pass had. */
        if (lane % P::GROUP == 0 && threads > 0 && P::has_nan(s))
            conclude_later(p, unit * P::GROUP * rows_of_thread);
        boundary<T> k = {};
        if (unit < p.units) {
            k.left = p.ends[unit > 0 ? unit - 1 : p.units - 1];
            k.last = p.ends[unit];
            if (P::NEEDS_FIRST_RIGHT) {
                k.first = p.firsts[unit];
                k.right = p.firsts[unit < p.units - 1 ? unit + 1 : 0];
            }
        }
        back_substitute<P>(within, P::GROUP, threads, lane, &k);
        substitute<P>(my, k);
        store(p, at, to + 3 * apart * words, lane);
        at = piece_at(p, from + stride, rows_of_warp);
        bulk_fence();
        __syncwarp();
        if (lane == 0 && from + stride < p.n)
            ask_for(p, at, to, apart * words, full);
    }
}

/* Between the two passes: a thread has `each` units. Where two of its own meet it leaves the node in the unit's slot. */
template <class P>
static __global__ void __launch_bounds__(JOINERS) join(problem<P> p, int64_t each)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    unsigned call = this_call(p);
    int64_t begin = (int64_t)blockIdx.x * JOINERS * each, i = begin + threadIdx.x * each,
            end = i + each < p.units ? i + each : p.units, left = p.units - begin,
            threads = (left + each - 1) / each;
    typename P::partition s = {};
    if (i < end)
        s = p.slots[i].partition;
    for (int64_t k = i + 1; k < end; k++) {
        typename P::interface node;
        s = P::merge(s, p.slots[k].partition, &node);
        p.slots[k].node = node;
    }
    int most = JOINERS, warp = (int)threadIdx.x / WARP;
    if (threads < most)
        most = (int)threads;
    boundary<T> k = settle(p, (settle_board<P, JOINERS> *)memory, s, most - warp * WARP,
                           (most + WARP - 1) / WARP,
                           JOINERS * each * P::GROUP * rows_in<P>(P::PASS2_CHUNKS), call);
    for (int64_t j = end - 1; j > i; j--) {
        T e, f;
        P::recover(p.slots[j].node, k, &e, &f);
        p.ends[j] = k.last;
        p.firsts[j] = f;
        k.last = e;
        k.right = f;
    }
    if (i < end) {
        p.ends[i] = k.last;
        p.firsts[i] = k.first;
    }
}

/* ---- launchers ---- */

template <class P> static size_t chip_bytes(int chunks, int threads)
{
    return sizeof(chip_board<P>) + (size_t)(4 * CHUNK) * chunks * threads;
}
/* As few chunks a thread, an odd number, as the blocks that run at once need for n rows; 0: they cannot hold them. */
template <class P> static int chip_chunks(const struct device_properties *m, int64_t n)
{
    for (int chunks = 1; chip_bytes<P>(chunks, P::RESIDENT_THREADS) <= m->shared_bytes; chunks += 2)
        if (ceil_div(n, P::RESIDENT_THREADS * rows_in<P>(chunks)) <= m->multiprocessors)
            return chunks;
    return 0;
}
template <class P>
static cudaError_t launch_chip(const problem<P> &p, const struct device_properties *m, int chunks,
                               cudaStream_t stream)
{
    int64_t rows = rows_in<P>(chunks), threads = ceil_div(ceil_div(p.n, rows), WARP) * WARP,
            least = ceil_div(m->multiprocessors, WARP) * WARP;
    /* Several blocks: as many as can be, of at least a thread for each of them. */
    if (threads > P::RESIDENT_THREADS) {
        threads = ceil_div(ceil_div(p.n, rows * m->multiprocessors), WARP) * WARP;
        threads = threads < least ? least : threads;
    }
    unsigned blocks = (unsigned)ceil_div(p.n, rows * threads), width = (unsigned)threads;
    size_t shared = chip_bytes<P>(chunks, (int)threads);
    if (blocks == 1)
        return LAUNCH((on_chip<P>), 1, width, shared, stream, p, chunks);
    return LAUNCH_COOPERATIVE((on_chip<P>), blocks, width, shared, stream, p, chunks);
}

/* TWICE: slots, firsts and ends of all units in the workspace; bytes of them. */
template <class P> static size_t lay_out(problem<P> *p, char *memory)
{
    p->units = ceil_div(p->n, P::GROUP * rows_in<P>(P::PASS2_CHUNKS));
    size_t units = (size_t)p->units, bytes = units * sizeof(slot<P>);
    p->slots = (slot<P> *)memory;
    p->firsts = (typename P::number *)(memory + bytes);
    p->ends = p->firsts + units;
    return bytes + 2 * units * sizeof(typename P::number);
}

template <class P>
static cudaError_t launch_twice(problem<P> p, const struct device_properties *m, char *memory,
                                cudaStream_t stream)
{
    int warps = P::PASS2_WARPS;
    constexpr size_t bytes = 4 * WARP * CHUNK * P::PASS2_CHUNKS + sizeof(uint64_t); /* of a warp */
    while (warps > 1 && warps * bytes > m->shared_bytes)
        warps--;
    lay_out(&p, memory);
    int64_t tiles = ceil_div(p.n, WARP * rows_in<P>(P::PASS2_CHUNKS)),
            each = ceil_div(p.units, (int64_t)m->multiprocessors * JOINERS);
    unsigned joining = (unsigned)ceil_div(p.units, each * JOINERS),
             blocks = (unsigned)(tiles < m->multiprocessors ? tiles : m->multiprocessors);
    TRY(LAUNCH((first_pass<P>), (unsigned)ceil_div(tiles, RUN), WARP, 4 * SLICE * CHUNK, stream,
               p));
    if (joining == 1)
        TRY(LAUNCH((join<P>), 1, JOINERS, sizeof(settle_board<P, JOINERS>), stream, p, each));
    else
        TRY(LAUNCH_COOPERATIVE((join<P>), joining, JOINERS, sizeof(settle_board<P, JOINERS>),
                               stream, p, each));
    return LAUNCH((second_pass<P>), blocks, (unsigned)(warps * WARP), warps * bytes, stream, p);
}

/* Apart from what TWICE leaves behind, so that nothing in it looks like a word of a later call: as large for all types. */
static size_t table_bytes(void)
{
    return BLOCKS_MOST * sizeof(uint64_t) * message_words<told<pivoted<complex_of<double>>>>();
}

template <class P> static size_t workspace(const struct tridiagonal *t)
{
    problem<P> p = {};
    p.n = t->n;
    return HEAD_BYTES + table_bytes() + lay_out(&p, NULL);
}

template <class P>
static cudaError_t solve(const struct tridiagonal *t, void *work, cudaStream_t stream)
{
    typedef typename P::number T;
    struct device_properties m;
    TRY(query_device(&m));
    if (m.multiprocessors > BLOCKS_MOST)
        m.multiprocessors = BLOCKS_MOST;
    problem<P> p = {};
    p.n = t->n;
    p.sub = (const T *)t->sub;
    p.diag = (const T *)t->diag;
    p.super = (const T *)t->super;
    p.toeplitz = t->toeplitz != 0;
    p.periodic = t->periodic != 0;
    p.head = (struct head *)work;
    p.status = t->status;
    char *memory = (char *)work + HEAD_BYTES;
    p.table = (uint64_t *)memory;
    memory += table_bytes();
    int chunks = t->way == TRIDIAGONAL_TWO_PASS ? 0 : chip_chunks<P>(&m, t->n);
    if (chunks == 0 && t->way == TRIDIAGONAL_RESIDENT)
        return cudaErrorInvalidValue;
    for (int64_t k = 0; k < (t->sides > 0 ? t->sides : 1); k++) {
        p.rhs = (const T *)t->rhs + k * t->stride;
        p.x = (T *)t->x + k * t->stride;
        uintptr_t apart = (uintptr_t)p.rhs | (uintptr_t)p.x;
        if (!p.toeplitz)
            apart |= (uintptr_t)p.sub | (uintptr_t)p.diag | (uintptr_t)p.super;
        p.bulk = apart % CHUNK == 0;
        TRY(chunks > 0 ? launch_chip(p, &m, chunks, stream) : launch_twice(p, &m, memory, stream));
    }
    return cudaSuccess;
}

static bool arguments_valid(const struct tridiagonal *t)
{
    if (element_bytes(t->type) == 0 || t->n < 0 || t->sides < 0 || t->stride < 0 ||
        t->way < TRIDIAGONAL_AUTO || t->way > TRIDIAGONAL_TWO_PASS)
        return false;
    return t->n <= INT64_MAX / 64 &&
           (t->sides <= 1 || (t->stride >= t->n && t->stride <= INT64_MAX / 64 / t->sides));
}

size_t tridiagonal_workspace(const struct tridiagonal *t)
{
    if (!arguments_valid(t))
        return 0;
    switch (t->type) {
    case 's':
        return t->pivot ? workspace<pivoted<float>>(t) : workspace<plain<float>>(t);
    case 'd':
        return t->pivot ? workspace<pivoted<double>>(t) : workspace<plain<double>>(t);
    case 'c':
        return t->pivot ? workspace<pivoted<complex_of<float>>>(t)
                        : workspace<plain<complex_of<float>>>(t);
    default:
        return t->pivot ? workspace<pivoted<complex_of<double>>>(t)
                        : workspace<plain<complex_of<double>>>(t);
    }
}

cudaError_t tridiagonal_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

cudaError_t tridiagonal_solve(const struct tridiagonal *t, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    if (!arguments_valid(t))
        return cudaErrorInvalidValue;
    const void *arrays[] = {t->sub, t->diag, t->super, t->rhs, t->x};
    for (const void *array : arrays)
        if (t->n > 0 && !device_aligned(array, element_bytes(t->type)))
            return cudaErrorInvalidValue;
    if (!device_aligned(workspace, CHUNK) || bytes < tridiagonal_workspace(t) ||
        (t->status && !device_aligned(t->status, sizeof *t->status)))
        return cudaErrorInvalidValue;
    if (t->n == 0)
        return t->status ? cudaMemsetAsync(t->status, 0, sizeof *t->status, stream) : cudaSuccess;
    switch (t->type) {
    case 's':
        return t->pivot ? solve<pivoted<float>>(t, workspace, stream)
                        : solve<plain<float>>(t, workspace, stream);
    case 'd':
        return t->pivot ? solve<pivoted<double>>(t, workspace, stream)
                        : solve<plain<double>>(t, workspace, stream);
    case 'c':
        return t->pivot ? solve<pivoted<complex_of<float>>>(t, workspace, stream)
                        : solve<plain<complex_of<float>>>(t, workspace, stream);
    default:
        return t->pivot ? solve<pivoted<complex_of<double>>>(t, workspace, stream)
                        : solve<plain<complex_of<double>>>(t, workspace, stream);
    }
}
