/* P-scheme's three phases in one pass over memory. Read pscheme_g.cu first: there pre-computation, propagation and
 * determination are kernels, and between them s, t and what was made of them go to memory and come back.
 *
 * A tile is some thousands of neighbouring unknowns. It is brought into shared memory, composed there to one map
 * w -> a w + b (pre-computation, eq. 3), waits until it is told the value that comes into it (propagation, eq. 4), and
 * is then walked through with that value (determination, eq. 5) and written.
 *
 * Who does what in a block:
 *   producer        one thread. Takes the next tile's number and asks for its bulk copies, piece after piece, a few at a
 *                   time: enough for the memory never to idle, not so many that everything else waits behind them.
 *   up to 3 groups  of 256 threads with a tile's room each. While one composes and another waits to be told, the third
 *                   one's tile is on its way.
 *   propagator      one warp, in the block that has tile 0: reads the maps of many tiles at once, composes eight, applies
 *                   them to the running value, and tells each tile what comes into it. This is the paper's serial
 *                   propagation: fast enough, since the memory needs some 60 clock cycles for a tile.
 * With at most 256 tiles, where the way to the propagator and back would be most of the time, each tile reads the maps of
 * all before it, a warp 32 of them.
 *
 * Why it ends: numbers are handed out in order of start. A tile waits only for tiles with smaller numbers (and for the
 * propagator, which does so, in the block of tile 0), and whoever took those runs already and takes its own in order.
 * So the smallest unfinished number never waits for one that has no block, however many or few blocks run.
 *
 * Why no bank conflicts: a thread's unknowns are 16-byte chunks one after the other, and their number is odd: eight
 * neighbouring threads read chunks an odd multiple of 16 bytes apart, which lie in all 32 banks. */
#include "recurrence.h"

#include "message.cuh"
#include "scalar.cuh"

enum {
    GROUP = 256,          /* threads */
    WARPS = GROUP / WARP, /* each brings and stores its own piece of the tile */
    GROUPS_MOST = 3,
    TILES_EACH = WARP * WARPS
};

/* ---- maps w -> a w + b ---- */

template <class T> struct map {
    FIELDS(map, T, a, b);
};

template <class T> static __device__ inline map<T> nothing(void)
{
    return {one_of(T()), zero_of(T())};
}
/* First `first`, then `then`. */
template <class T> static __device__ inline map<T> compose(map<T> first, map<T> then)
{
    return {then.a * first.a, mul_add(then.a, first.b, then.b)};
}
template <class T> static __device__ inline map<T> from_lane(map<T> m, int lane)
{
    return {from_lane(m.a, lane), from_lane(m.b, lane)};
}

/* A map is closed if a sequence begins in it: its value is b, whatever comes in (which may be NaN, of the sequence
 * before). */
template <class T> static __device__ inline T apply(map<T> m, bool closed, T x)
{
    return closed ? m.b : mul_add(m.a, x, m.b);
}

static __device__ inline int last_lane(unsigned lanes)
{
    return WARP - 1 - __clz((int)lanes);
}

/* Inclusive scan of the warp's maps, in five steps. */
template <class T> static __device__ inline map<T> scan_warp(map<T> mine, unsigned closed, int lane)
{
    int from = last_lane(closed & (0xffffffffu >> (WARP - 1 - lane)));
    for (int h = 1; h < WARP; h *= 2) {
        map<T> before = from_lane(mine, lane < h ? lane : lane - h);
        if (lane >= h && lane - h >= from)
            mine = compose(before, mine);
    }
    return mine;
}

/* All 32 in order, by a tree; the result is in lane 0 alone. */
template <class T> static __device__ inline map<T> fold_warp(map<T> mine, unsigned closed, int lane)
{
    int from = last_lane(closed);
    if (lane < from)
        mine = nothing<T>();
    else if (lane == from)
        mine.a = zero_of(T());
    for (int h = 1; h < WARP; h *= 2) {
        map<T> after = from_lane(mine, (lane + h) % WARP);
        if (lane % (2 * h) == 0)
            mine = compose(mine, after);
    }
    return mine;
}

/* First words of a workspace. next: the calls so far in the upper half, the tiles handed out in this one below. */
struct head {
    unsigned long long next;
    unsigned done; /* blocks that need no more tiles */
};
enum { HEAD_BYTES = 128 };

/* ---- a tile ---- */

/* Arrays that a tile brings: t with constant s; s, t; s, dw, w for the gradient. Chunks a thread:
 * odd (above), and so many that three tiles fill the shared memory of a multiprocessor, or nearly.
 * SMALL, added to the first two, is for a GPU that gives a block too little for two such tiles: of
 * 64 KiB, a T4's, three or two fill most. */
enum { CONSTANT = 1, GENERAL = 2, GRADIENT = 3, SMALL = 4 };
static __host__ __device__ constexpr int arrays_of(int kind)
{
    return kind % SMALL;
}
template <int kind> static __host__ __device__ constexpr int chunks_of(void)
{
    return kind == CONSTANT          ? 17
           : kind == GENERAL         ? 9
           : kind == GENERAL + SMALL ? 3
                                     : 5; /* GRADIENT, CONSTANT + SMALL */
}
template <class T, int kind> static __host__ __device__ constexpr int tile_of(void)
{
    return GROUP * chunks_of<kind>() * CHUNK / (int)sizeof(T);
}

template <class T> struct pass {
    int64_t n, length, tiles;
    int64_t shift; /* words before the arrays: there they are aligned, and the first tile begins */
    const T *s, *t, *w0; /* gradient: t is dw, w0 the values before the sequences */
    const T *w_in;       /* gradient: w */
    T *w;                /* gradient: dt */
    T *ds, *dw0;
    struct head *head;
    uint64_t *carries, *maps;
    bool reverse, each;
};

/* In shared memory behind the tiles. */
template <class T> struct blackboard {
    uint64_t full[GROUPS_MOST][WARPS],
        empty[GROUPS_MOST]; /* barriers: pieces that arrive, tiles that leave */
    uint64_t ticket[GROUPS_MOST], first;
    map<T> total[GROUPS_MOST][WARPS], fold[GROUPS_MOST][WARPS];
    int closed[GROUPS_MOST][WARPS], fold_closed[GROUPS_MOST][WARPS];
    T carry[GROUPS_MOST];
};

/* Positions count along the recurrence: position p is unknown p, or n - 1 - p in reverse. Tiles, pieces and threads are
 * numbered along it, too; in memory all lie the other way round in reverse. */
template <class T> struct piece {
    int64_t from;   /* where it begins in the arrays; may be before them */
    int begin, end; /* of its words those that exist */
    int at;         /* its first word in the tile */
};
template <class T, int kind>
static __device__ inline piece<T> piece_of(const pass<T> &p, int64_t tile, int warp)
{
    constexpr int words = tile_of<T, kind>() / WARPS;
    int at = (p.reverse ? WARPS - 1 - warp : warp) * words;
    int64_t from = (p.reverse ? p.tiles - 1 - tile : tile) * tile_of<T, kind>() + at - p.shift;
    int64_t end = p.n - from < words ? p.n - from : words, begin = from < 0 ? -from : 0;
    return {from, (int)begin, (int)(end < begin ? begin : end), at};
}
template <class T, int kind>
static __device__ inline int64_t first_position(const pass<T> &p, int64_t tile)
{
    return p.reverse ? p.n + p.shift - (p.tiles - tile) * tile_of<T, kind>()
                     : tile * tile_of<T, kind>() - p.shift;
}

/* The first beginning of a sequence at or after position p >= 0. */
template <class T> static __device__ inline int64_t next_start(const pass<T> &p, int64_t position)
{
    if (p.length >= p.n)
        return position == 0 ? 0 : p.n;
    return (position + p.length - 1) / p.length * p.length;
}
template <class T, int kind> static __device__ inline bool is_closed(const pass<T> &p, int64_t tile)
{
    int64_t first = first_position<T, kind>(p, tile), start = next_start(p, first < 0 ? 0 : first);
    return start < first + tile_of<T, kind>() && start < p.n;
}

/* What stands before the sequence that begins at `start`. */
template <class T> static __device__ inline int64_t sequence_at(const pass<T> &p, int64_t start)
{
    return (p.reverse ? p.n - start : start + p.length) / p.length - 1;
}
/* By bulk copy: what is whole and aligned. */
template <class T> static __device__ inline unsigned bulk_bytes(const T *array, piece<T> at)
{
    unsigned bytes = (unsigned)((at.end - at.begin) * sizeof(T));
    bool fits = at.begin == 0 && bytes % CHUNK == 0 && (uintptr_t)(array + at.from) % CHUNK == 0;
    return has_bulk_copies() && fits ? bytes : 0;
}
template <class T>
static __device__ inline void ask_for(const T *array, piece<T> at, T *tile, uint64_t *barrier)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes > 0)
        bulk_load(tile + at.at, array + at.from, bytes, barrier);
}
/* What bulk copies cannot bring or store, by the warp that needs it, neighbours by neighbours. Words that do not exist are
 * zero: chunks are read whole. */
template <class T>
static __device__ inline void fetch(const T *array, piece<T> at, int words, T *tile, int lane)
{
    if (at.end - at.begin < words)
        for (int i = lane; i < words; i += WARP)
            if (i < at.begin || i >= at.end)
                tile[at.at + i] = zero_of(T());
    if (bulk_bytes(array, at) == 0) {
        UNROLL(4)
        for (int i = at.begin + lane; i < at.end; i += WARP)
            tile[at.at + i] = array[at.from + i];
    }
}
template <class T>
static __device__ inline void store(T *array, piece<T> at, const T *tile, int lane)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes == 0)
        for (int i = at.begin + lane; i < at.end; i += WARP)
            array[at.from + i] = tile[at.at + i];
    else if (lane == 0)
        bulk_store(array + at.from, tile + at.at, bytes);
}

/* A thread's unknowns, its items: in the tile, and along the recurrence. */
template <class T> struct share {
    T *s, *t; /* tile */
    T constant;
    int thread; /* place of its chunks in the tile */
    bool reverse;
};

template <class T> static __device__ inline chunk<T> flip(chunk<T> c)
{
    constexpr int last = CHUNK / sizeof(T) - 1;
    chunk<T> flipped;
    for (int e = 0; e <= last; e++)
        flipped.element[e] = c.element[last - e];
    return flipped;
}
template <class T> static __device__ inline chunk<T> chunk_at(const T *tile, int at, bool reverse)
{
    chunk<T> c = ((const chunk<T> *)tile)[at];
    return reverse ? flip(c) : c;
}

/* f(item, s, t) for each unknown in order. `writes` says that f changes t (and s, in the gradient), which replaces what
 * was read. */
template <class T, int kind, bool writes, int unroll, class F>
static __device__ inline void for_items(const share<T> &my, F f)
{
    constexpr int arrays = arrays_of(kind), chunks = chunks_of<kind>(), words = CHUNK / sizeof(T);
    UNROLL(unroll)
    for (int c = 0; c < chunks; c++) {
        int at = my.thread * chunks + (my.reverse ? chunks - 1 - c : c);
        chunk<T> s, t = chunk_at(my.t, at, my.reverse);
        if (arrays != CONSTANT)
            s = chunk_at(my.s, at, my.reverse);
        UNROLL()
        for (int e = 0; e < words; e++) {
            if (arrays == CONSTANT)
                s.element[e] = my.constant;
            f(c * words + e, s.element[e], t.element[e]);
        }
        if (writes)
            ((chunk<T> *)my.t)[at] = my.reverse ? flip(t) : t;
        if (writes && arrays == GRADIENT)
            ((chunk<T> *)my.s)[at] = my.reverse ? flip(s) : s;
    }
}

/* Which of a thread's items exist, and where among them sequences begin. */
template <class T> struct outline {
    int from, to;  /* items that exist */
    int start;     /* the next item with which a sequence begins, or one beyond them */
    int length;    /* of a sequence, or more than any thread's items */
    const T *w0;   /* what stands before that sequence; NULL: zero */
    int direction; /* to the next one's */
    bool first;    /* a sequence begins with item 0 and with no other */
    bool plain;    /* all exist, no sequence begins, or with item 0 alone */
};
template <class T>
static __device__ inline outline<T> outline_of(const pass<T> &p, int64_t first, int items,
                                               bool zero)
{
    int64_t begin = first < 0 ? 0 : first, start = next_start(p, begin), left = p.n - first;
    outline<T> o;
    o.from = (int)(begin - first < items ? begin - first : items);
    o.to = (int)(left < 0 ? 0 : left < items ? left : items);
    o.start = start < p.n && start - first < items ? (int)(start - first) : items;
    o.length = (int)(p.length < items ? p.length : items);
    o.w0 = o.start < items && p.w0 && !zero ? p.w0 + sequence_at(p, start) : NULL;
    o.direction = p.reverse ? -1 : 1;
    o.first = o.start == 0 && p.length >= items;
    o.plain = o.from == 0 && o.to == items && (o.start == items || o.first);
    return o;
}
/* Of an item with which a sequence begins: what stands before. Then to the next. */
template <class T> static __device__ inline T begin_sequence(outline<T> *o)
{
    T x = zero_of(T());
    if (o->w0) {
        x = *o->w0;
        if (o->start + o->length < o->to)
            o->w0 += o->direction;
    }
    o->start += o->length;
    return x;
}

/* ---- pre-computation: the map of a thread's unknowns (eq. 3) ---- */

/* The gradient's recurrence is that of c_i = s_i dt_i, along which dt_i = dw_i + c_{i+1}: c_i = s_i c_{i+1} + s_i dw_i. */
template <class T, int kind>
static __device__ inline map<T> precompute(const share<T> &my, outline<T> o)
{
    map<T> m = nothing<T>();
    auto add = [&](T s, T t) {
        if (kind == GRADIENT) {
            s = conjugate(s);
            t = s * t;
        }
        m.a = s * m.a;
        m.b = mul_add(s, m.b, t);
    };
    if (o.plain) {
        if (o.first)
            m.b = begin_sequence(&o);
        for_items<T, kind, false, 3>(my, [&](int, T s, T t) { add(s, t); });
    } else
        for_items<T, kind, false, 1>(my, [&](int item, T s, T t) {
            if (item == o.start)
                m.b = begin_sequence(&o);
            if (item >= o.from && item < o.to)
                add(s, t);
        });
    return m;
}

/* ---- determination: the unknowns from the value before them (eq. 5) ---- */

template <class T, int kind>
static __device__ inline void determine(const share<T> &my, outline<T> o, T x)
{
    if (o.plain) {
        if (o.first)
            x = begin_sequence(&o);
        for_items<T, kind, true, 3>(my, [&](int, T s, T &t) { t = x = mul_add(s, x, t); });
    } else
        for_items<T, kind, true, 1>(my, [&](int item, T s, T &t) {
            if (item == o.start)
                x = begin_sequence(&o);
            if (item >= o.from && item < o.to)
                t = x = mul_add(s, x, t);
        });
}

/* w_{i-1} is the next one along the gradient's way: in this tile, in the next, or before the sequence, which ends there. */
template <class T>
static __device__ inline void determine_gradient(const pass<T> &p, const share<T> &my, outline<T> o,
                                                 int64_t first, const T *w_tile, int rank, T x)
{
    constexpr int tile = tile_of<T, GRADIENT>(), items = tile / GROUP;
    int64_t after = next_start(p, (first < 0 ? 0 : first) + 1);
    int end = (int)(after - first <= items ? after - first - 1 : items);
    const int length = o.length;
    int64_t sequence = end < items ? sequence_at(p, after - p.length) : 0;
    for_items<T, GRADIENT, true, 1>(my, [&](int item, T &s, T &t) {
        if (item == o.start)
            x = begin_sequence(&o);
        if (item < o.from || item >= o.to)
            return;
        T dt = t + x;
        x = conjugate(s) * dt;
        int offset = rank * items + item + 1;
        T before;
        if (item == end) {
            before = p.w0 ? p.w0[sequence] : zero_of(T());
            if (p.dw0)
                p.dw0[sequence] = x;
            end += length;
            sequence += p.reverse ? -1 : 1;
        } else if (offset < tile)
            before = w_tile[p.reverse ? tile - 1 - offset : offset];
        else
            before = p.w_in[p.reverse ? p.n - 2 - first - item : first + item + 1];
        s = dt * conjugate(before);
        t = dt;
    });
}

/* ---- roles ---- */

/* Pieces of at most 9 KiB that a block has on their way: fewer, and the memory idles; more, and what blocks tell each
 * other waits behind them, which costs most where that is much. With a tile for each block there is not that much. */
static __device__ inline int window(bool once)
{
    return once ? WARPS : 4;
}

template <class T, int kind>
static __device__ inline void produce(const pass<T> &p, blackboard<T> *board, T *tiles, int groups,
                                      bool once)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<T, kind>();
    unsigned long long *next = &p.head->next;
    uint64_t ticket = board->first;
    bool taken = true;
    for (int round = 0, ended = 0; ended < groups; round++) {
        int slot = round % groups;
        if (round >= groups)
            mbarrier_wait(&board->empty[slot], (round / groups & 1) ^ 1);
        if (!taken && ended == 0)
            ticket = atomicAdd(next, 1ull);
        taken = false;
        board->ticket[slot] = ticket;
        int64_t number = (unsigned)ticket;
        if (number >= p.tiles) {
            for (int warp = 0; warp < WARPS; warp++)
                mbarrier_arrive(&board->full[slot][warp]);
            ended++;
            continue;
        }
        T *t = tiles + slot * arrays * tile, *s = t + tile, *w = s + tile;
        for (int warp = 0; warp < WARPS; warp++) {
            int before = round * WARPS + warp - window(once);
            if (before >= 0)
                mbarrier_wait(&board->full[before / WARPS % groups][before % WARPS],
                              before / WARPS / groups & 1);
            piece<T> at = piece_of<T, kind>(p, number, warp);
            uint64_t *barrier = &board->full[slot][warp];
            unsigned bytes = bulk_bytes(p.t, at);
            if (arrays != CONSTANT)
                bytes += bulk_bytes(p.s, at);
            if (arrays == GRADIENT)
                bytes += bulk_bytes(p.w_in, at);
            mbarrier_arrive(barrier, bytes);
            ask_for(p.t, at, t, barrier);
            if (arrays != CONSTANT)
                ask_for(p.s, at, s, barrier);
            if (arrays == GRADIENT)
                ask_for(p.w_in, at, w, barrier);
            /* The next number early, so that its way is not waited for, but only if there is room for the tile at
             * once: all later tiles wait for one that has a number. */
            if (!once && !taken && warp >= WARPS / 2 &&
                (round + 1 < groups || mbarrier_passed(&board->empty[(round + 1) % groups],
                                                       ((round + 1) / groups & 1) ^ 1))) {
                ticket = atomicAdd(next, 1ull);
                taken = true;
            }
        }
        if (once)
            break;
    }
    /* The last block to need nothing more begins the next call. */
    __threadfence();
    if (atomicAdd(&p.head->done, 1u) == gridDim.x - 1) {
        __threadfence();
        atomicExch(&p.head->done, 0u);
        atomicExch(next, (unsigned long long)(((ticket >> 32) + 1) << 32));
    }
}

/* Eq. 4, eight tiles at a time: their maps are composed first, in three steps and for 32 tiles at once, and the running
 * value goes from eight to eight, over those of which all maps have come (the lanes below `whole`). Gives each lane what
 * comes into its tile, which is right if the maps of all before it have come. */
enum { EIGHT = 8 };
template <class T>
static __device__ inline T walk(map<T> mine, unsigned closing, int whole, int lane, T *x)
{
    int first = lane / EIGHT * EIGHT,
        from = last_lane(closing & (0xffffffffu >> (WARP - 1 - lane)));
    if (from < first)
        from = first;
    for (int h = 1; h < EIGHT; h *= 2) {
        map<T> before = from_lane(mine, lane - h < first ? lane : lane - h);
        if (lane - h >= from)
            mine = compose(before, mine);
    }
    T into = *x;
    UNROLL()
    for (int eight = 0; eight < WARP; eight += EIGHT) {
        map<T> all = from_lane(mine, eight + EIGHT - 1);
        if (lane >= eight)
            into = *x;
        if (eight < whole)
            *x = apply(all, (closing >> eight & 0xff) != 0, *x);
    }
    map<T> before = from_lane(mine, lane > 0 ? lane - 1 : 0);
    bool closed = (closing & ((1u << lane) - 1) & ~((1u << first) - 1)) != 0;
    return lane == first ? into : apply(before, closed, into);
}

/* Tile after tile; loads are many at a time, since their way is as long as the memory needs for some 35 tiles. A tile is
 * told as soon as those before it are known, whatever comes after it. */
template <class T, int kind>
static __device__ inline void propagate(const pass<T> &p, unsigned call, int lane)
{
    /* 64 tiles at a time, where their words fit in registers. */
    constexpr int ROUNDS = sizeof(T) > 8 ? 1 : 2;
    T x = zero_of(T());
    for (int64_t tile = 0, given = 0; tile < p.tiles;) {
        uint64_t words[ROUNDS][message_words<map<T>>()];
        UNROLL()
        for (int r = 0; r < ROUNDS; r++) {
            int64_t other = tile + r * WARP + lane, last = p.tiles - 1;
            load_message<map<T>>(p.maps, p.tiles, other < last ? other : last, words[r]);
        }
        int64_t from = tile;
        bool pause = true;
        UNROLL()
        for (int r = 0; r < ROUNDS; r++) {
            if (tile < from + r * WARP)
                break;
            int64_t other = tile + lane;
            map<T> m;
            bool told = is_current(words[r], &m, call);
            if (other >= p.tiles) {
                told = true;
                m = nothing<T>();
            }
            unsigned missing = ~__ballot_sync(ALL_LANES, told);
            unsigned closing = __ballot_sync(ALL_LANES, is_closed<T, kind>(p, other));
            int ready = missing ? __ffs((int)missing) - 1 : WARP;
            if (tile + ready < given)
                break;
            T mine = walk(m, closing, ready / EIGHT * EIGHT, lane, &x);
            if (lane <= ready && other >= given && other < p.tiles)
                publish(p.carries, p.tiles, other, mine, call);
            given = tile + (ready < WARP ? ready + 1 : WARP);
            tile += ready / EIGHT * EIGHT;
            pause = false;
        }
        if (pause)
            device_pause();
    }
}

/* Each tile for itself: warp k of the group reads the maps of tiles 32 k to 32 k + 31 as far as they are before it. */
template <class T, int kind>
static __device__ inline void look_back(const pass<T> &p, blackboard<T> *board, int group,
                                        int64_t tile, unsigned call, int warp, int lane)
{
    int64_t other = warp * WARP + lane;
    map<T> m = nothing<T>();
    bool before = other < tile;
    if (before)
        m = wait_message<map<T>>(p.maps, p.tiles, other, call);
    __syncwarp();
    unsigned closing =
        __ballot_sync(ALL_LANES, before && is_closed<T, kind>(p, before ? other : 0));
    m = fold_warp(m, closing, lane);
    if (lane == 0) {
        board->fold[group][warp] = m;
        board->fold_closed[group][warp] = closing != 0;
    }
}

template <class T, int kind>
static __device__ inline void consume(const pass<T> &p, blackboard<T> *board, T *tiles, int group,
                                      bool once)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<T, kind>(), items = tile / GROUP;
    int rank = (int)threadIdx.x % GROUP, warp = rank / WARP, lane = rank % WARP;
    share<T> my = {};
    my.t = tiles + group * arrays * tile;
    my.s = my.t + tile;
    my.thread = p.reverse ? GROUP - 1 - rank : rank;
    my.reverse = p.reverse;
    if (arrays == CONSTANT)
        my.constant = *p.s;
    T *w_tile = my.s + tile;
    for (int round = 0; round == 0 || !once; round++) {
        mbarrier_wait(&board->full[group][warp], round & 1);
        uint64_t ticket = board->ticket[group];
        int64_t number = (unsigned)ticket;
        unsigned call = (unsigned)(ticket >> 32) + 1;
        if (number >= p.tiles)
            return;
        piece<T> at = piece_of<T, kind>(p, number, warp);
        fetch(p.t, at, tile / WARPS, my.t, lane);
        if (arrays != CONSTANT)
            fetch(p.s, at, tile / WARPS, my.s, lane);
        if (arrays == GRADIENT)
            fetch(p.w_in, at, tile / WARPS, w_tile, lane);
        __syncwarp();

        int64_t first = first_position<T, kind>(p, number) + rank * items;
        outline<T> o = outline_of(p, first, items, arrays == GRADIENT);
        /* Else the warp would go both ways, one after the other. */
        o.plain = __all_sync(ALL_LANES, o.plain);
        map<T> m = precompute<T, kind>(my, o);
        unsigned closing = __ballot_sync(ALL_LANES, o.start < items);
        m = scan_warp(m, closing, lane);
        if (lane == WARP - 1) {
            board->total[group][warp] = m;
            board->closed[group][warp] = closing != 0;
        }
        group_sync(1 + group, GROUP);

        map<T> *total = board->total[group];
        const int *closed = board->closed[group];
        if (rank == 0) {
            map<T> all = nothing<T>();
            for (int w = 0; w < WARPS; w++)
                all = closed[w] ? total[w] : compose(all, total[w]);
            publish(p.maps, p.tiles, number, all, call);
        }
        T x = zero_of(T());
        if (p.each) {
            look_back<T, kind>(p, board, group, number, call, warp, lane);
            group_sync(1 + group, GROUP);
            for (int w = 0; w * WARP < number; w++)
                x = apply(board->fold[group][w], board->fold_closed[group][w] != 0, x);
        } else {
            if (rank == 0)
                board->carry[group] = wait_message<T>(p.carries, p.tiles, number, call);
            group_sync(1 + group, GROUP);
            x = board->carry[group];
        }
        for (int w = 0; w < warp; w++)
            x = apply(total[w], closed[w] != 0, x);
        map<T> before = from_lane(m, lane > 0 ? lane - 1 : 0);
        if (lane > 0)
            x = apply(before, (closing & ((1u << lane) - 1)) != 0, x);

        if (arrays == GRADIENT)
            determine_gradient(p, my, o, first, w_tile, rank, x);
        else
            determine<T, kind>(my, o, x);
        bulk_fence();
        __syncwarp();
        store(p.w, at, my.t, lane);
        if (arrays == GRADIENT)
            store(p.ds, at, my.s, lane);
        if (lane == 0)
            bulk_store_wait();
        __syncwarp();
        if (lane == 0 && !once)
            mbarrier_arrive(&board->empty[group]);
    }
}

template <class T, int kind>
static __global__ void __launch_bounds__(GROUPS_MOST *GROUP + 2 * WARP, 1) one_pass(pass<T> p)
{
    DYN_SHARED(chunk<T>, memory);
    T *tiles = (T *)memory;
    int groups = ((int)blockDim.x - 2 * WARP) / GROUP, group = (int)threadIdx.x / GROUP,
        lane = (int)threadIdx.x % WARP;
    blackboard<T> *board = (blackboard<T> *)(tiles + groups * arrays_of(kind) * tile_of<T, kind>());
    bool once = p.each && gridDim.x >= p.tiles, producer = (int)threadIdx.x == groups * GROUP;
    if (producer)
        board->first = atomicAdd(&p.head->next, 1ull);
    if (threadIdx.x == 0)
        for (int g = 0; g < groups; g++) {
            for (int warp = 0; warp < WARPS; warp++)
                mbarrier_init(&board->full[g][warp], 1);
            mbarrier_init(&board->empty[g], WARPS);
        }
    __syncthreads();
    bool propagates = !p.each && (unsigned)board->first == 0;
    int used = once ? 1 : groups;
    if (producer)
        produce<T, kind>(p, board, tiles, used, once);
    else if ((int)threadIdx.x >= groups * GROUP + WARP) {
        if (propagates)
            propagate<T, kind>(p, (unsigned)(board->first >> 32) + 1, lane);
    } else if (group < used)
        consume<T, kind>(p, board, tiles, group, once);
}

/* ---- launchers ---- */

/* At most: these tiles are the smallest. */
static int64_t tiles_for(char type, int64_t n)
{
    constexpr int bytes = GROUP * chunks_of<GENERAL + SMALL>() * CHUNK;
    return ceil_div(n, bytes / (int64_t)element_bytes(type));
}

/* A tile's map is two words, its carry one, each twice as long for the calls' number. */
size_t recurrence_workspace(char type, int64_t n)
{
    if (element_bytes(type) == 0 || n < 0)
        return 0;
    return HEAD_BYTES + (size_t)(tiles_for(type, n) + 1) * 6 * element_bytes(type);
}

cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* Bytes of shared memory that a block of so many groups asks for. */
template <class T, int kind> static size_t room_of(int groups)
{
    return (size_t)(groups * arrays_of(kind) * tile_of<T, kind>()) * sizeof(T) +
           sizeof(blackboard<T>);
}

template <class T, int kind>
static cudaError_t launch(pass<T> p, const struct recurrence *given,
                          const struct device_properties *m, void *workspace, cudaStream_t stream)
{
    constexpr int tile = tile_of<T, kind>();
    p.n = given->length * given->batch;
    p.length = given->length;
    p.shift = (int64_t)((uintptr_t)p.t % CHUNK / sizeof(T));
    p.tiles = (p.n + p.shift - 1) / tile + 1;
    p.head = (struct head *)workspace;
    p.maps = (uint64_t *)((char *)workspace + HEAD_BYTES);
    p.carries = p.maps + p.tiles * message_words<map<T>>();
    p.each = given->carry == RECURRENCE_LOOKBACK ||
             (given->carry == RECURRENCE_AUTO && p.tiles <= TILES_EACH);
    if (p.each && p.tiles > TILES_EACH)
        return cudaErrorInvalidValue;
    /* Few tiles: a block each, as many on a multiprocessor as fit. */
    int groups = p.each ? 1 : GROUPS_MOST;
    while (groups > 1 && room_of<T, kind>(groups) > m->shared_bytes)
        groups--;
    int64_t blocks = p.each ? p.tiles : m->multiprocessors;
    if (given->blocks > 0 && blocks > given->blocks)
        blocks = given->blocks;
    if (blocks > p.tiles)
        blocks = p.tiles;
    return LAUNCH((one_pass<T, kind>), (unsigned)blocks, (unsigned)(groups * GROUP + 2 * WARP),
                  room_of<T, kind>(groups), stream, p);
}

/* cudaErrorInvalidValue, or cudaSuccess; *empty: there is nothing to do. */
static cudaError_t examine(const struct recurrence *p, int kind, const void *workspace,
                           size_t bytes, bool *empty)
{
    if (!p)
        return cudaErrorInvalidValue;
    size_t word = element_bytes(p->type);
    *empty = p->length == 0 || p->batch == 0;
    if (word == 0 || p->length < 0 || p->batch < 0 || p->blocks < 0 || p->carry < RECURRENCE_AUTO ||
        p->carry > RECURRENCE_CARRY_WARP)
        return cudaErrorInvalidValue;
    if (*empty)
        return cudaSuccess;
    if (p->length > INT64_MAX / 32 / p->batch)
        return cudaErrorInvalidValue;
    int64_t n = p->length * p->batch;
    if (tiles_for(p->type, n) > UINT32_MAX / 2 || !device_aligned(p->s, word) ||
        !device_aligned(p->w, word) || (kind != GRADIENT && !device_aligned(p->t, word)) ||
        (p->w0 && !device_aligned(p->w0, word)) || !device_aligned(workspace, CHUNK) ||
        bytes < recurrence_workspace(p->type, n))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

template <class T>
static cudaError_t solve(const struct recurrence *p, void *workspace, cudaStream_t stream)
{
    pass<T> all = {};
    all.s = (const T *)p->s;
    all.t = (const T *)p->t;
    all.w0 = (const T *)p->w0;
    all.w = (T *)p->w;
    all.reverse = p->reverse != 0;
    struct device_properties m;
    TRY(query_device(&m));
    /* Smaller tiles where two of the others do not fit: nothing would be on its way while one is
     * worked on. */
    if (p->constant)
        return room_of<T, CONSTANT>(2) <= m.shared_bytes
                   ? launch<T, CONSTANT>(all, p, &m, workspace, stream)
                   : launch<T, CONSTANT + SMALL>(all, p, &m, workspace, stream);
    return room_of<T, GENERAL>(2) <= m.shared_bytes
               ? launch<T, GENERAL>(all, p, &m, workspace, stream)
               : launch<T, GENERAL + SMALL>(all, p, &m, workspace, stream);
}

cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream)
{
    bool empty;
    TRY(examine(p, p && p->constant ? CONSTANT : GENERAL, workspace, bytes, &empty));
    if (empty)
        return cudaSuccess;
    switch (p->type) {
    case 's':
        return solve<float>(p, workspace, stream);
    case 'd':
        return solve<double>(p, workspace, stream);
    case 'c':
        return solve<complex_of<float>>(p, workspace, stream);
    default:
        return solve<complex_of<double>>(p, workspace, stream);
    }
}

template <class T>
static cudaError_t gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                            void *dw0, void *workspace, cudaStream_t stream)
{
    pass<T> all = {};
    all.s = (const T *)p->s;
    all.t = (const T *)dw;
    all.w0 = (const T *)p->w0;
    all.w_in = (const T *)p->w;
    all.w = (T *)dt;
    all.ds = (T *)ds;
    all.dw0 = (T *)dw0;
    all.reverse = p->reverse == 0; /* against the recurrence */
    struct device_properties m;
    TRY(query_device(&m));
    return launch<T, GRADIENT>(all, p, &m, workspace, stream);
}

cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream)
{
    bool empty;
    TRY(examine(p, GRADIENT, workspace, bytes, &empty));
    const void *given[] = {dw, ds, dt, dw0 ? dw0 : dt};
    for (const void *array : given)
        if (!empty && !device_aligned(array, element_bytes(p->type)))
            return cudaErrorInvalidValue;
    if (p->constant)
        return cudaErrorInvalidValue;
    if (empty)
        return cudaSuccess;
    switch (p->type) {
    case 's':
        return gradient<float>(p, dw, ds, dt, dw0, workspace, stream);
    case 'd':
        return gradient<double>(p, dw, ds, dt, dw0, workspace, stream);
    case 'c':
        return gradient<complex_of<float>>(p, dw, ds, dt, dw0, workspace, stream);
    default:
        return gradient<complex_of<double>>(p, dw, ds, dt, dw0, workspace, stream);
    }
}
