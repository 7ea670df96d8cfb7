/* Sequences side by side or with gaps: arrays of the shape (outer, length, inner), for
 * recurrence.h. The lanes of a warp read the same row of neighbouring sequences, and each keeps
 * some rows of its sequence in registers. If strides and addresses permit, an element is a pack of
 * 16 bytes (pack.cuh) and a `sequence` below is as many sequences. P-scheme's phases, all in one
 * kernel:
 *
 *     reduce    pre-computation (W13 eq. 3): the rows of a thread become a map w -> a w + b
 *     carry     propagation (W13 eq. 4): over the lanes and warps along a sequence, then from tile
 *               to tile by messages
 *     solve     determination (W13 eq. 5): the values w
 *
 * A tile has the rows of all threads along a sequence. Some tiles of a sequence are a span, and as
 * many spans are a span of spans (span_of()). Each tile publishes its map, and composes those of
 * the earlier tiles of its span. The last tile of a span publishes the span's map, and later tiles
 * compose those of the earlier spans, too. Only the last tile of a span of spans publishes a value,
 * which waits for the value before: so the chain of waits is short.
 *
 * As in recurrence.cu, blocks take tiles in increasing order and wait only for earlier ones, so the
 * kernel cannot deadlock. All tiles k of all sequences come before the tiles k + 1. */
#pragma once

#include "pack.cuh"
#include "recurrence_carry.cuh"

/* Of a block */
enum { STRIDED_THREADS = 256, STRIDED_WARPS = STRIDED_THREADS / WARP, STRIDED_BLOCKS = 2 };

/* Rows of a thread: those of two arrays, in a gradient of three, fit into its registers. */
template <class S, int kind> static __host__ __device__ constexpr int rows_of(void)
{
    return (sizeof(S) < 4 ? 32 : 128 / (int)sizeof(S)) / (arrays_of(kind) == GRADIENT ? 2 : 1);
}
/* The arguments of the kernel. In a gradient t is dw and w is dt, as in struct pass. All numbers
 * count elements of type S. */
template <class S> struct strided {
    /* Row i of sequence number o inner + k, in the direction of the recurrence, is element `first`
     * + o plane + k + i row of an array. */
    int64_t length, batch, inner, first, row, plane;
    axis packed; /* along a plane; packed.offset is NULL if nothing is packed, else a `sequence`
                  * below is a channel */
    enum recurrence_s constant; /* of RECURRENCE_S_ONE s is a number, not of type S */
    /* Base-2 logarithms of the numbers of lanes of a warp and of warps of a block that lie along a
     * sequence. The others have other sequences. Both depend only on the length and on the
     * sequences side by side. */
    int lanes_log, warps_log;
    /* A warp has neighbouring elements of the arrays, namely rows of a plane, with less than WARP
     * elements each, or whole planes one after the other. It has lanes for planes of 2^narrow_log
     * sequences, the next power of two from inner. */
    bool narrow;
    int narrow_log;
    int64_t groups, tiles; /* groups: of sequences, one block's; tiles: of a sequence */
    const S *s, *t, *w0, *w_in;
    S *w, *ds, *dw0;
    struct workspace_head *head;
    /* messages: the maps of tiles and of spans; the value after each span of spans */
    uint64_t *maps, *span_maps, *values;
};
/* The tiles of a span, and the spans of a span of spans: as many as a block has threads
 * along a sequence, each of which loads one map. */
static __host__ __device__ inline int64_t span_of(int lanes_log)
{
    return STRIDED_WARPS << lanes_log;
}
/* Of a block. After it, in shared memory, are either the elements of each warp that the lanes
 * exchange, or the maps that each warp composes of messages: tiles[w][column], then spans. */
template <class S> struct strided_shared {
    map<computed<S>> total[STRIDED_WARPS][WARP]; /* the map of each warp's rows */
    computed<S> value[WARP];                     /* the value before the span of spans */
    /* VARIED: head flags (recurrence_map.cuh) of `total` and of the maps that each warp composes;
     * all channels have the same */
    bool total_head[STRIDED_WARPS], tiles_head[STRIDED_WARPS], spans_head[STRIDED_WARPS];
    uint64_t ticket;
};
/* Elements that a warp exchanges, with gaps (padded()) */
template <class S> static __host__ __device__ constexpr int staged_of(void)
{
    return WARP * (rows_of<S, GENERAL>() + 1);
}
template <class S> static __host__ __device__ constexpr size_t strided_bytes_of(void)
{
    return sizeof(strided_shared<S>) +
           STRIDED_WARPS * (staged_of<S>() * sizeof(S) > 2 * WARP * sizeof(map<computed<S>>)
                                ? staged_of<S>() * sizeof(S)
                                : 2 * WARP * sizeof(map<computed<S>>));
}
/* What a thread works on */
struct strided_place {
    int column, step; /* which sequence of the warp; this lane along it */
    int warp, rank;   /* of the block; along the sequence */
    int tile, count;  /* count: of its rows exist */
    int64_t sequence;
    int64_t at; /* the element of its first row; if `narrow`, of the warp's first row and plane */
    int planes; /* of the warp exist, if `narrow` */
    bool exists;
};
template <class S, int kind>
static __device__ inline int64_t first_row(const strided<S> &p, const strided_place &my)
{
    const int64_t warp = ((int64_t)my.tile << p.warps_log) + my.rank;
    return ((warp << p.lanes_log) + my.step) * rows_of<S, kind>();
}
/* Does this thread send and receive the messages of the sequence? */
static __device__ inline bool speaks(const strided_place &my)
{
    return my.exists && my.rank == 0 && my.step == 0;
}
template <class S, int kind>
static __device__ inline strided_place place_of(const strided<S> &p, int64_t number)
{
    constexpr int rows = rows_of<S, kind>();
    const int lane = (int)threadIdx.x % WARP, across = WARP >> p.lanes_log;
    strided_place my = {};
    my.column = lane & (across - 1);
    my.step = lane / across;
    my.warp = (int)threadIdx.x / WARP;
    my.rank = my.warp & ((1 << p.warps_log) - 1);
    my.tile = (int)(number / p.groups);
    const int64_t beside =
        number % p.groups * (STRIDED_WARPS >> p.warps_log) + (my.warp >> p.warps_log);
    if (p.narrow) {
        const int64_t planes = across >> p.narrow_log, first = beside * planes,
                      left = p.batch / p.inner - first;
        const int k = my.column & ((1 << p.narrow_log) - 1);
        my.planes = (int)(left < 0 ? 0 : left < planes ? left : planes);
        my.sequence = (first + (my.column >> p.narrow_log)) * p.inner + k;
        my.exists = k < p.inner && my.sequence < p.batch;
        my.at = p.first + first * p.plane + (first_row<S, kind>(p, my) - my.step * rows) * p.row;
    } else {
        my.sequence = beside * across + my.column;
        my.exists = my.sequence < p.batch;
        const int64_t outer = my.sequence / p.inner, k = my.sequence % p.inner;
        my.at = p.first + outer * p.plane + k + first_row<S, kind>(p, my) * p.row;
    }
    const int64_t left = my.exists ? p.length - first_row<S, kind>(p, my) : 0;
    my.count = left < 0 ? 0 : left < rows ? (int)left : rows;
    return my;
}
/* The rows of a thread at which packed sequences begin and end: bit r is row r, but only sequences
 * that exist have ends. `number` counts them from 0 in the direction of the recurrence. */
struct strided_starts {
    unsigned starts, ends;
    /* the sequence of the first row; if that begins there, the number before it, perhaps -1 */
    int64_t number;
};
template <class S, int kind>
static __device__ inline strided_starts starts_of(const strided<S> &p, const strided_place &my)
{
    strided_starts q = {};
    if constexpr (is_varied(kind)) {
        if (!p.packed.offset)
            return q;
        const int64_t first = first_row<S, kind>(p, my), left = p.length - first,
                      most = rows_of<S, kind>(), rows = left < most ? left : most;
        int64_t number =
            next_of_lanes<kind>(p.packed, rows > 0 ? first : p.length, (int)threadIdx.x % WARP);
        if (rows <= 0)
            return q;
        q.number = number - 1;
        for (; number < p.packed.count; number++) {
            number = not_empty<kind>(p.packed, number);
            const int64_t r =
                number < p.packed.count ? start_of<kind>(p.packed, number) - first : rows + 1;
            if (r > rows)
                break;
            if (r < rows)
                q.starts |= 1u << r;
            if (r > 0 && my.exists)
                q.ends |= 1u << (r - 1);
        }
        if (rows == left && my.exists)
            q.ends |= 1u << (rows - 1);
    }
    return q;
}
/* Is row r the last one of its sequence? Without packed sequences, bits that are kept would take a
 * register: the gradient of 2^17 channels took 12% more time with them. */
template <class S, int kind>
static __device__ inline bool ends_at(const strided<S> &p, const strided_place &my,
                                      strided_starts q, int r)
{
    return is_varied(kind) ? q.ends >> r & 1
                           : r == my.count - 1 && first_row<S, kind>(p, my) + my.count == p.length;
}
/* Calls row(r, number) for the rows of a thread, `number` being that of the row's sequence, and
 * start(number) before the first row of a packed one. */
template <class S, int kind, class Start, class Row>
static __device__ inline void for_rows(const strided<S> &p, strided_starts q, Start start, Row row)
{
    if constexpr (is_varied(kind)) {
        if (q.starts != 0) {
            UNROLL()
            for (int r = 0; r < rows_of<S, kind>(); r++) {
                if (q.starts >> r & 1) {
                    q.number = not_empty<kind>(p.packed, q.number + 1);
                    start(q.number);
                }
                row(r, q.number);
            }
            return;
        }
    }
    UNROLL()
    for (int r = 0; r < rows_of<S, kind>(); r++)
        row(r, q.number);
}
/* Where the values of sequence `number` are in w0 and dw0 */
template <class S, int kind>
static __device__ inline int64_t value_index(const strided<S> &p, const strided_place &my,
                                             int64_t number)
{
    return is_varied(kind) && p.packed.offset ? index_of(p.packed, number) * p.inner + my.sequence
                                              : my.sequence;
}
template <class S> static __device__ inline computed<S> value_at(const S *w0, int64_t index)
{
    return w0 ? value_of(w0[index]) : zero_of(computed<S>());
}

/* ---- between memory and registers ---- */

/* The elements that a thread loads and stores: number r of them is element at + r step of an array,
 * for from <= r < to. */
struct strided_moved {
    int64_t at, step;
    int from, to;
};
/* The rows of a plane that a warp has, if `narrow` */
template <class S, int kind> static __device__ inline int rows_of_plane(const strided<S> &p)
{
    const bool several = p.lanes_log + p.narrow_log < WARP_LOG; /* whole planes */
    return several ? (int)p.length : rows_of<S, kind>() << p.lanes_log;
}
/* If `narrow`, every 32nd element of the warp in the order of memory; else the thread's rows. For
 * after = 1 the elements are those of the next rows. */
template <class S, int kind>
static __device__ inline strided_moved moved_by(const strided<S> &p, const strided_place &my,
                                                int after)
{
    if (!p.narrow) {
        const bool less = after && first_row<S, kind>(p, my) + my.count == p.length;
        return {my.at + after * p.row, p.row, 0, my.count - less};
    }
    const int all = rows_of_plane<S, kind>(p), inner = (int)p.inner, lane = (int)threadIdx.x % WARP;
    const int64_t from = first_row<S, kind>(p, my) - my.step * rows_of<S, kind>(),
                  exist = p.length - from - after;
    const int left = exist < 0 ? 0 : exist < all ? (int)exist : all;
    int64_t low = my.at + after * p.row;
    int begin = 0, end = ((my.planes - 1) * all + left) * inner;
    if (p.row < 0) { /* the last row comes first */
        low -= (all - 1) * inner;
        begin = (all - left) * inner;
        end = my.planes * all * inner;
    }
    auto number = [&](int i) { return i <= lane ? 0 : (i - lane + WARP - 1) / WARP; };
    return {low + lane, WARP, number(begin), number(end)};
}
template <class S, int kind>
static __device__ inline void load_moved(const strided_moved &moved, const S *array, S *x)
{
    const S *at = array + moved.at;
    UNROLL()
    for (int r = 0; r < rows_of<S, kind>(); r++, at += moved.step)
        x[r] = r >= moved.from && r < moved.to ? *at : zero_of(S());
}
template <class S, int kind>
static __device__ inline void store_moved(const strided_moved &moved, S *array, const S *x)
{
    S *at = array + moved.at;
    UNROLL()
    for (int r = 0; r < rows_of<S, kind>(); r++, at += moved.step)
        if (r >= moved.from && r < moved.to)
            *at = x[r];
}
/* Where an element lies in shared memory. Between 128 bytes is a gap of one element, so that lanes
 * along a sequence use different banks. */
template <class S> static __device__ inline int padded(int i)
{
    return i + i / (128 / (int)sizeof(S));
}
/* Exchanges the elements x of the lanes of a warp: every 32nd element of the warp for this thread's
 * rows, or back. */
template <class S, int kind>
static __device__ inline void exchange(const strided<S> &p, const strided_place &my, S *staged,
                                       bool back, S *x)
{
    constexpr int rows = rows_of<S, kind>();
    const int all = rows_of_plane<S, kind>(p), inner = (int)p.inner, lane = (int)threadIdx.x % WARP,
              from = my.step * rows, first = p.row < 0 ? all - 1 - from : from,
              step = p.row < 0 ? -inner : inner,
              at = ((my.column >> p.narrow_log) * all + first) * inner +
                   (my.column & ((1 << p.narrow_log) - 1));
    UNROLL()
    for (int r = 0; r < rows; r++)
        if (!back)
            staged[padded<S>(r * WARP + lane)] = x[r];
        else if (r < my.count)
            staged[padded<S>(at + r * step)] = x[r];
    __syncwarp();
    UNROLL()
    for (int r = 0; r < rows; r++)
        if (back)
            x[r] = staged[padded<S>(r * WARP + lane)];
        else if (r < my.count)
            x[r] = staged[padded<S>(at + r * step)];
    __syncwarp();
}

/* ---- the rows of a thread ---- */

template <class S, int kind> struct strided_rows {
    S s[rows_of<S, kind>()], t[rows_of<S, kind>()];
    S before[arrays_of(kind) == GRADIENT ? rows_of<S, kind>()
                                         : 1]; /* w_{i-1}, in the next row of this pass */
};
/* Sets s, which is constant. */
template <class S, int kind>
static __device__ inline void set_s(const strided<S> &p, const strided_place &my, strided_starts q,
                                    S *s)
{
    auto at = [&](int64_t number) {
        return !is_varied(kind) || p.constant == RECURRENCE_S_ONE || !my.exists
                   ? element_of<S>(all_equal(S(), (const typename elements_of<S>::type *)p.s))
               : p.constant == RECURRENCE_S_CHANNEL ? p.s[my.sequence % p.inner]
                                                    : p.s[value_index<S, kind>(p, my, number)];
    };
    S now = q.number < 0 ? zero_of(S()) : at(q.number);
    for_rows<S, kind>(
        p, q, [&](int64_t number) { now = at(number); }, [&](int r, int64_t) { s[r] = now; });
}
template <class S, int kind>
static __device__ inline void load_rows(const strided<S> &p, const strided_place &my,
                                        strided_starts q, S *staged, strided_rows<S, kind> *rows)
{
    const strided_moved moved = moved_by<S, kind>(p, my, 0);
    const bool constant = arrays_of(kind) != GRADIENT && p.constant;
    if (constant)
        set_s<S, kind>(p, my, q, rows->s);
    else
        load_moved<S, kind>(moved, p.s, rows->s);
    load_moved<S, kind>(moved, p.t, rows->t);
    if constexpr (arrays_of(kind) == GRADIENT)
        load_moved<S, kind>(moved_by<S, kind>(p, my, 1), p.w_in, rows->before);
    if (p.narrow) {
        if (!constant)
            exchange<S, kind>(p, my, staged, false, rows->s);
        exchange<S, kind>(p, my, staged, false, rows->t);
        if constexpr (arrays_of(kind) == GRADIENT)
            exchange<S, kind>(p, my, staged, false, rows->before);
    }
    if constexpr (arrays_of(kind) == GRADIENT) {
        for_rows<S, kind>(
            p, q, [](int64_t) {},
            [&](int r, int64_t number) {
                if (ends_at<S, kind>(p, my, q, r))
                    rows->before[r] =
                        p.w0 ? p.w0[value_index<S, kind>(p, my, number)] : zero_of(S());
            });
    }
}
template <class S, int kind>
static __device__ inline void store_rows(const strided<S> &p, const strided_place &my, S *staged,
                                         strided_rows<S, kind> *rows)
{
    const strided_moved moved = moved_by<S, kind>(p, my, 0);
    if (p.narrow) {
        __syncthreads(); /* other warps have read the maps that lay there */
        exchange<S, kind>(p, my, staged, true, rows->t);
        if constexpr (arrays_of(kind) == GRADIENT)
            exchange<S, kind>(p, my, staged, true, rows->s);
    }
    store_moved<S, kind>(moved, p.w, rows->t);
    if constexpr (arrays_of(kind) == GRADIENT)
        store_moved<S, kind>(moved, p.ds, rows->s);
}
/* The value before a packed sequence */
template <class S, int kind>
static __device__ inline computed<S> value_before_sequence(const strided<S> &p,
                                                           const strided_place &my, int64_t number)
{
    return value_at(arrays_of(kind) != GRADIENT && my.exists ? p.w0 : NULL,
                    value_index<S, kind>(p, my, number));
}
/* precompute() and determine() of recurrence_elements.cuh, on rows in registers. Rows that do not
 * exist come last in a sequence, so it does not matter what becomes of them. */
template <class S, int kind>
static __device__ inline map<computed<S>>
reduce_rows(const strided<S> &p, const strided_place &my, strided_starts q,
            const strided_rows<S, kind> &rows, map<computed<S>> m)
{
    for_rows<S, kind>(
        p, q, [&](int64_t number) { m.b = value_before_sequence<S, kind>(p, my, number); },
        [&](int r, int64_t) {
            computed<S> s = value_of(rows.s[r]), t = value_of(rows.t[r]);
            if (arrays_of(kind) == GRADIENT) {
                s = conjugate(s);
                t = s * t;
            }
            m.a = s * m.a;
            m.b = mul_add(s, m.b, t);
        });
    return m;
}
/* x is the value before the rows. The results replace t, and in a gradient ds replaces s. */
template <class S, int kind>
static __device__ inline void solve_rows(const strided<S> &p, const strided_place &my,
                                         strided_starts q, strided_rows<S, kind> *rows,
                                         computed<S> x)
{
    for_rows<S, kind>(
        p, q, [&](int64_t number) { x = value_before_sequence<S, kind>(p, my, number); },
        [&](int r, int64_t number) {
            const computed<S> s = value_of(rows->s[r]), t = value_of(rows->t[r]);
            if constexpr (arrays_of(kind) != GRADIENT) {
                x = mul_add(s, x, t);
                rows->t[r] = element_of<S>(x);
            } else {
                const computed<S> dt = t + x;
                x = conjugate(s) * dt;
                rows->t[r] = element_of<S>(dt);
                rows->s[r] = element_of<S>(dt * conjugate(value_of(rows->before[r])));
                if (p.dw0 && ends_at<S, kind>(p, my, q, r))
                    p.dw0[value_index<S, kind>(p, my, number)] = element_of<S>(x);
            }
        });
}

/* ---- from thread to thread, and from tile to tile ---- */

/* The head flags of some maps; NULL: there are none */
template <int kind> static __device__ inline const bool *heads_of(const bool *heads)
{
    return is_varied(kind) ? heads : NULL;
}
/* Composes the maps of the lanes along each sequence, from the last one with a head flag up to this
 * lane. The last of them stores the result for the warp. */
template <class T>
static __device__ inline map<T> scan_along(int across, int column, map<T> m, unsigned heads,
                                           map<T> total[WARP], bool *total_head)
{
    const int lane = (int)threadIdx.x % WARP,
              last = last_lane(heads & (0xffffffffu >> (WARP - 1 - lane))),
              from = last < 0 ? 0 : last / across * across; /* 0 without heads */
    for (int h = across; h < WARP; h *= 2) {
        map<T> before = from_lane(m, lane < h ? lane : lane - h);
        if (lane - h >= from)
            m = compose(before, m);
    }
    if (lane >= WARP - across)
        total[column] = m;
    if (lane == 0)
        *total_head = heads != 0;
    return m;
}
/* Composes messages of this sequence: each warp those of its lanes, into look[warp]. Message k is
 * that of this lane, and exists if k < end. There are `slots` of each sequence. */
template <class S, int kind>
static __device__ inline void
look_back(const strided<S> &p, const strided_place &my, const uint64_t *table, int64_t slots,
          int64_t k, int64_t end, unsigned call, map<computed<S>> look[][WARP], bool *look_head)
{
    typedef map<computed<S>> M;
    M m = identity<computed<S>>();
    bool head = false;
    if (my.exists && k < end)
        m = wait_message<M>(table, slots * p.batch, k * p.batch + my.sequence, call,
                            is_varied(kind) ? &head : NULL);
    __syncwarp();
    const unsigned heads = is_varied(kind) ? __ballot_sync(ALL_LANES, head) : 0;
    scan_along(WARP >> p.lanes_log, my.column, m, heads, look[my.warp], look_head + my.warp);
}
/* The number of warps that load `count` maps */
static __device__ inline int warps_for(int64_t count, int lanes_log)
{
    return (int)((count + (1 << lanes_log) - 1) >> lanes_log);
}
/* x after the maps of the first warps; m, then these maps */
template <class T>
static __device__ inline T apply_all(const map<T> look[][WARP], const bool *head,
                                     const strided_place &my, int warps, T x)
{
    for (int w = 0; w < warps; w++)
        x = apply(look[w][my.column], head && head[w], x);
    return x;
}
/* *any: has one of them a head flag? */
template <class T>
static __device__ inline map<T> compose_all(map<T> m, const map<T> look[][WARP], const bool *head,
                                            const strided_place &my, int warps, bool *any)
{
    for (int w = 0; w < warps; w++) {
        const bool starts = head != NULL && head[w];
        m = starts ? look[w][my.column] : compose(m, look[w][my.column]);
        *any = *any || starts;
    }
    return m;
}
/* The value before the tile, by the maps of the earlier tiles of its span, those of the earlier
 * spans of its span of spans, and the value before this one. All threads of a block call
 * it. The first rows of a sequence have a map that contains the value before them. */
template <class S, int kind>
static __device__ inline computed<S> value_before(const strided<S> &p, strided_shared<S> *shared,
                                                  const strided_place &my, unsigned call)
{
    typedef computed<S> T;
    map<T>(*tiles)[WARP] = (map<T>(*)[WARP])(shared + 1), (*spans)[WARP] = tiles + STRIDED_WARPS;
    const int each = (int)span_of(p.lanes_log), span = my.tile / each, tile = span * each,
              outer = span / each, first = outer * each, mine = (my.warp << p.lanes_log) + my.step,
              warps = warps_for(my.tile - tile, p.lanes_log);
    if (my.tile == 0)
        return zero_of(T());
    auto look_at_tiles = [&] {
        look_back<S, kind>(p, my, p.maps, p.tiles, tile + mine, my.tile, call, tiles,
                           shared->tiles_head);
    };
    /* The last tile of a span publishes the span's map first. */
    const bool ends = my.tile + 1 == tile + each && span + 1 < first + each;
    if (ends) {
        look_at_tiles();
        __syncthreads();
        if (speaks(my)) {
            bool head = is_varied(kind) && shared->tiles_head[0];
            map<T> m = compose_all(tiles[0][my.column], tiles + 1,
                                   heads_of<kind>(shared->tiles_head + 1), my, warps - 1, &head);
            m = compose_all(m, shared->total, heads_of<kind>(shared->total_head), my, STRIDED_WARPS,
                            &head);
            publish(p.span_maps, p.tiles / each * p.batch, span * p.batch + my.sequence, m, call,
                    head);
        }
    }
    if (span > first)
        look_back<S, kind>(p, my, p.span_maps, p.tiles / each, first + mine, span, call, spans,
                           shared->spans_head);
    if (speaks(my) && outer > 0)
        shared->value[my.column] = wait_message<T>(p.values, p.tiles / each / each * p.batch,
                                                   (outer - 1) * p.batch + my.sequence, call);
    if (!ends)
        look_at_tiles();
    __syncthreads();
    T x = outer > 0 ? shared->value[my.column] : zero_of(T());
    x = apply_all(spans, heads_of<kind>(shared->spans_head), my,
                  warps_for(span - first, p.lanes_log), x);
    return apply_all(tiles, heads_of<kind>(shared->tiles_head), my, warps, x);
}
/* Publishes the map of the tile, unless it is the last one of its span. */
template <class S, int kind>
static __device__ inline void publish_map(const strided<S> &p, const strided_shared<S> *shared,
                                          const strided_place &my, unsigned call)
{
    if (speaks(my) && my.tile + 1 < p.tiles && (my.tile + 1) % span_of(p.lanes_log) != 0) {
        bool head = is_varied(kind) && shared->total_head[0];
        map<computed<S>> m =
            compose_all(shared->total[0][my.column], shared->total + 1,
                        heads_of<kind>(shared->total_head + 1), my, STRIDED_WARPS - 1, &head);
        publish(p.maps, p.tiles * p.batch, my.tile * p.batch + my.sequence, m, call, head);
    }
}
/* Publishes the value after the tile if it ends a span of spans; x is the value before it. */
template <class S, int kind>
static __device__ inline void publish_value(const strided<S> &p, const strided_shared<S> *shared,
                                            const strided_place &my, unsigned call, computed<S> x)
{
    const int64_t each = span_of(p.lanes_log), all = each * each;
    if (speaks(my) && (my.tile + 1) % all == 0)
        publish(p.values, p.tiles / all * p.batch, my.tile / all * p.batch + my.sequence,
                apply_all(shared->total, heads_of<kind>(shared->total_head), my, STRIDED_WARPS, x),
                call);
}

template <class S, int kind>
static __global__ void __launch_bounds__(STRIDED_THREADS, STRIDED_BLOCKS) strided_pass(strided<S> p)
{
    typedef computed<S> T;
    DYN_SHARED(strided_shared<S>, shared);
    S *staged = (S *)(shared + 1) + threadIdx.x / WARP * staged_of<S>();
    if (threadIdx.x == 0)
        shared->ticket = atomicAdd(&p.head->next, 1ull);
    __syncthreads();
    const int across = WARP >> p.lanes_log;
    uint64_t ticket = shared->ticket;
    while ((int64_t)(unsigned)ticket < p.tiles * p.groups) {
        const unsigned call = (unsigned)(ticket >> 32) + 1;
        const strided_place my = place_of<S, kind>(p, (unsigned)ticket);
        const strided_starts q = starts_of<S, kind>(p, my);
        strided_rows<S, kind> rows;
        load_rows(p, my, q, staged, &rows);
        const bool starts = my.tile == 0 && my.rank == 0 && my.step == 0;
        T w0 = zero_of(T()); /* before the first row of a sequence */
        if (starts && arrays_of(kind) != GRADIENT && my.exists &&
            !(is_varied(kind) && p.packed.offset))
            w0 = value_at(p.w0, my.sequence);
        map<T> m = starts ? map<T>{zero_of(T()), w0} : identity<T>();
        const unsigned heads = is_varied(kind) ? __ballot_sync(ALL_LANES, q.starts != 0) : 0;
        m = scan_along(across, my.column, reduce_rows<S, kind>(p, my, q, rows, m), heads,
                       shared->total[my.warp], shared->total_head + my.warp);
        __syncthreads();
        publish_map<S, kind>(p, shared, my, call);
        T x = value_before<S, kind>(p, shared, my, call);
        publish_value<S, kind>(p, shared, my, call, x);
        if (threadIdx.x == 0)
            shared->ticket = atomicAdd(&p.head->next, 1ull);
        const int first = my.warp - my.rank;
        x = apply_all(shared->total + first, heads_of<kind>(shared->total_head + first), my,
                      my.rank, x);
        const map<T> before = from_lane(m, (int)(threadIdx.x + WARP - across) % WARP);
        if (my.step > 0)
            x = apply(before, (heads & ((1u << my.step * across) - 1)) != 0, x);
        solve_rows(p, my, q, &rows, starts ? w0 : x);
        store_rows(p, my, staged, &rows);
        __syncthreads();
        ticket = shared->ticket;
    }
    if (threadIdx.x == 0)
        end_call(p.head, ticket);
}
