/* Whole systems in shared memory and registers: 5 words a row move, of n batch each.
 *
 * A tile is as many whole systems as fit, one after the other, so it is one piece of memory and comes by bulk copies. Each thread takes
 * CHUNKS chunks of 16 bytes of each array, whatever systems they belong to, into its registers, and the room in shared
 * memory is free again: the next tile is on its way while this one is solved.
 *
 * All systems of a tile are one tridiagonal system whose couplings across their ends are zero: segments (segments.h) of the
 * threads, of the warps, of the block, and back. No case depends on n, on where a system begins or on how many there are.
 *
 * A system that breaks down must not reach its neighbours: 0 times NaN is NaN. So nothing that is not finite is handed on.
 * Where such a number would come to be the row is taken to be x = 0, and the system is marked. */
#include "tridiagonal_batch.h"

#include "segments.h"

/* Of a thread: an odd number has no bank conflicts (segments.h). */
enum { CHUNKS = 5 };
template <class T> static __host__ __device__ constexpr int rows_each(void)
{
    return CHUNKS * CHUNK / static_cast<int>(sizeof(T));
}

template <class T> struct batch {
    int64_t n, systems, words; /* words of all */
    int of_tile, of_part;      /* systems, at most */
    int64_t parts;
    const T *in[4];
    T *x;
    int *status;
    bool bulk;
};

template <class W> struct board {
    uint64_t full[W::THREADS / WARP];
    /* Of this tile and the one before, which some may still read. */
    typename W::segment sums[2][W::THREADS / WARP];
};

template <class T> static __device__ inline bool are_sound(T x, T y, T z)
{
    return (size(x) + size(y) + size(z)) * 0 == 0;
}
template <class T> static __device__ inline bool are_sound(T x, T y, T z, T u)
{
    return (size(x) + size(y) + size(z) + size(u)) * 0 == 0;
}

/* Part of a tile: rows `begin` to `end` of it are there, others of it are another block's. (So a system has its place in a tile, and
 * its bits, whatever the batch.) The tile begins with word `before` of the chunk at word `from`; its systems with number `first`. */
struct tile {
    int64_t first, from;
    int before, begin, end;
};
template <class T> static __device__ inline tile tile_at(const batch<T> &b, int64_t part)
{
    constexpr int words = CHUNK / sizeof(T);
    int parts = (b.of_tile + b.of_part - 1) / b.of_part;
    int64_t t = part / parts, first = (part % parts) * b.of_part, last = first + b.of_part;
    tile at;
    at.first = t * b.of_tile;
    int64_t left = b.systems - at.first, most = left < b.of_tile ? left : b.of_tile,
            from = at.first * b.n;
    first = first < most ? first : most;
    last = last < most ? last : most;
    at.begin = static_cast<int>(first * b.n);
    at.end = static_cast<int>(last * b.n);
    at.before = static_cast<int>(from % words);
    at.from = from - at.before;
    return at;
}

/* Of the words of warp `warp` those that are there, counted from its first; and of these whole chunks, which bulk copies bring.
 * Chunks may have words of others, but none that is behind the arrays. */
struct piece {
    int64_t from;
    int begin, end, bulk_begin, bulk_end;
};
template <class T>
static __device__ inline piece piece_of(const batch<T> &b, const tile &at, int warp)
{
    constexpr int words = CHUNK / sizeof(T), most = WARP * CHUNKS * words;
    piece p;
    int first = warp * most;
    p.from = at.from + first;
    p.begin = at.before + at.begin - first;
    p.end = at.before + at.end - first;
    p.begin = p.begin > 0 ? p.begin : 0;
    p.end = p.end < most ? p.end : most;
    p.bulk_begin = p.begin / words * words;
    p.bulk_end = (p.end + words - 1) / words * words;
    if (p.from + p.bulk_end > b.words)
        p.bulk_end -= words;
    if (!b.bulk || !has_bulk_copies() || p.bulk_end < p.bulk_begin || p.end <= p.begin)
        p.bulk_end = p.bulk_begin = p.begin;
    return p;
}
template <class T>
static __device__ inline void ask_for(const batch<T> &b, const piece &p, chunk<T> *to, int apart,
                                      uint64_t *barrier)
{
    constexpr int words = CHUNK / sizeof(T);
    unsigned bytes = static_cast<unsigned>((p.bulk_end - p.bulk_begin) * sizeof(T));
    mbarrier_arrive(barrier, 4 * bytes);
    if (bytes > 0)
        for (int k = 0; k < 4; k++)
            bulk_load(to + k * apart + p.bulk_begin / words, b.in[k] + p.from + p.bulk_begin, bytes,
                      barrier);
}
template <class T>
static __device__ inline void fetch_rest(const batch<T> &b, const piece &p, chunk<T> *to, int apart,
                                         int lane)
{
    constexpr int words = CHUNK / sizeof(T);
    for (int i = p.bulk_end + lane; i < p.end; i += WARP)
        for (int k = 0; k < 4; k++)
            to[k * apart + i / words].word[i % words] = b.in[k][p.from + i];
    __syncwarp();
}

/* Where breakdowns are marked: of each system of the tile its first such row. */
enum { SOUND = 0x7fffffff };
struct marks {
    int *system;
    int n, begin, end; /* rows of a system, of the tile's part */
};
/* -1, and more than there are, for rows that are not there. */
static __device__ inline int system_of(const marks &m, int row)
{
    return row < 0 ? -1 : row / m.n;
}
static __device__ inline void mark(const marks &m, int row)
{
    if (row >= m.begin && row < m.end)
        atomicMin(&m.system[row / m.n], row % m.n);
}

/* A pivot's inverse, or 0 if there is none. */
template <class T> static __device__ inline T inverse_or_zero(T pivot, bool *broken)
{
    T q = inverse(pivot);
    bool bad = !is_sound(q);
    *broken = *broken || bad;
    return bad ? zero_of(T()) : q;
}
template <class T> static __device__ inline void sound_or_zero(T *x, bool *broken)
{
    bool bad = !is_sound(*x);
    *broken = *broken || bad;
    *x = bad ? zero_of(T()) : *x;
}

/* ---- a thread's rows, in registers ---- */

template <class T> struct registers {
    T a[rows_each<T>()], b[rows_each<T>()], c[rows_each<T>()], d[rows_each<T>()];
    unsigned begins; /* bit e: a system begins with row e */
    unsigned given;  /* pivoted: bit e: see segments.h */
};

/* As plain in segments.h. Rows, and units of them, are numbered in the tile: a segment begins with row `first`, ends with `last`; two
 * meet behind row `joint`. */
template <class T> struct plain_rows {
    typedef plain<T> P;
    typedef T number;
    typedef typename P::segment segment;
    typedef typename P::node node;
    enum { THREADS = 512 }; /* of a multiprocessor: what registers allow */

    static __device__ inline segment nothing(void)
    {
        const T none = zero_of(T());
        return {none, none, none, none, one_of(T()), none, none};
    }
    static __device__ inline void tidy(segment *s, const marks &m, int first, int last)
    {
        const T none = zero_of(T());
        if (!are_sound(s->fa, s->fc, s->fd)) {
            mark(m, first);
            s->fa = s->fc = s->fd = none;
        }
        if (!are_sound(s->a, s->b, s->d, s->c)) {
            mark(m, last);
            s->a = s->d = s->c = none;
            s->b = one_of(T());
        }
    }
    /* a, b, d become a, 1 / the pivot, d. */
    static __device__ inline segment eliminate(registers<T> &r, const marks &m, int first)
    {
        constexpr int rows = rows_each<T>();
        const T none = zero_of(T());
        segment s = P::of_no_rows();
        s.a = r.a[0];
        s.b = r.b[0];
        s.c = r.c[0];
        s.d = r.d[0];
        UNROLL()
        for (int e = 1; e < rows; e++) {
            T q = inverse(s.b), up, down;
            if (!are_sound(q, s.a, s.d, s.c)) {
                mark(m, first + e - 1);
                q = s.a = s.d = s.c = r.c[e - 1] = none;
            }
            r.a[e - 1] = s.a;
            r.b[e - 1] = q;
            r.d[e - 1] = s.d;
            down = -(r.a[e] * q);
            up = -(s.fc * q);
            s.fa = step(up, s.a, s.fa);
            s.fd = step(up, s.d, s.fd);
            s.fc = up * s.c;
            s.a = down * s.a;
            s.b = step(down, s.c, r.b[e]);
            s.d = step(down, s.d, r.d[e]);
            s.c = r.c[e];
        }
        tidy(&s, m, first, first + rows - 1);
        return s;
    }
    static __device__ inline segment compose(const segment &s, const segment &t, node *where,
                                             const marks &m, int first, int joint, int last)
    {
        const T none = zero_of(T());
        segment both = P::compose(s, t, where);
        if (!are_sound(where->a, where->c, where->d)) {
            mark(m, joint);
            *where = {none, none, none};
            both = {s.fa, none, s.fd, none, t.b, t.c, t.d};
        }
        tidy(&both, m, first, last);
        return both;
    }
    /* All rows of a tile: nothing is beyond. */
    static __device__ inline known<T> solve(const segment &s, const marks &m, int, int last)
    {
        const T none = zero_of(T());
        T e = s.d * inverse(s.b);
        if (!is_sound(e)) {
            mark(m, last);
            e = none;
        }
        return {none, none, e, none};
    }
    /* d becomes x. */
    static __device__ inline void substitute(registers<T> &r, known<T> k, const marks &m, int first)
    {
        constexpr int rows = rows_each<T>();
        T x = k.e;
        r.d[rows - 1] = x;
        UNROLL()
        for (int e = rows - 2; e >= 0; e--) {
            x = less(less(r.d[e], r.a[e], k.l), r.c[e], x) * r.b[e];
            if (!is_sound(x)) {
                mark(m, first + e);
                x = zero_of(T());
            }
            r.d[e] = x;
        }
    }
};

/* As pivoted in segments.h. Coefficients of scaled rows stay small, so only pivots and right-hand sides are looked at. A right-hand side
 * that is too large becomes so by rows of the same system, since rows of others have the factor 0. */
template <class T> struct pivoted_rows {
    typedef pivoted<T> P;
    typedef T number;
    typedef typename P::segment segment;
    typedef typename P::node node;
    typedef typename P::row row;
    typedef typename P::joint joined;
    typedef typename P::line line;
    enum { THREADS = 384 };

    static __device__ inline segment nothing(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, none, none, none}, {none, none, one, none, none}};
    }
    static __device__ inline row scaled_row(const registers<T> &r, int e, const marks &m, int first)
    {
        bool broken = false;
        row next = P::row_of(r.a[e], r.b[e], r.c[e], r.d[e]);
        sound_or_zero(&next.d, &broken);
        if (broken)
            mark(m, first + e);
        return next;
    }
    static __device__ inline segment eliminate(registers<T> &r, const marks &m, int first)
    {
        constexpr int rows = rows_each<T>();
        const T none = zero_of(T()), one = one_of(T());
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (!are_sound(r.a[e], r.b[e], r.c[e], r.d[e])) {
                mark(m, first + e);
                r.a[e] = r.c[e] = r.d[e] = none;
                r.b[e] = one;
            }
        row x = {none, one, -one, none, none, none}, y = scaled_row(r, 0, m, first);
        y = {y.u, none, y.v, y.w, none, y.d};
        r.given = 0;
        /* What is left of the first system once it has ended: 1: x, 2: y. */
        int front = 0;
        UNROLL()
        for (int e = 1; e < rows; e++) {
            row next = scaled_row(r, e, m, first);
            bool upper = size(x.u) > size(next.u), broken = false;
            P::swap_if(upper, x, next);
            bool lower = size(y.u) > size(next.u), begins = (r.begins >> e & 1) != 0;
            P::swap_if(lower, y, next);
            T q = inverse_or_zero(next.u, &broken);
            if (broken && begins && !upper && !lower) { /* not the next system's first row */
                upper = front == 2;
                lower = !upper;
                P::swap_if(upper, x, next);
                P::swap_if(lower, y, next);
            }
            if (!upper && !lower)
                r.given |= 1u << e;
            if (begins) /* the next system's row has the pivot's place */
                front = upper ? 2 : 1;
            x = P::rid(x, next, q);
            y = P::rid(y, next, q);
            sound_or_zero(&x.d, &broken);
            sound_or_zero(&y.d, &broken);
            if (broken)
                mark(m, first + e - 1);
            r.a[e] = (next.l + next.w) * q;
            r.b[e] = next.v * q;
            r.c[e] = next.f * q;
            r.d[e] = next.d * q;
        }
        return {{x.l, x.f, x.u, x.v, x.d}, {y.l, y.f, y.u, y.v, y.d}};
    }
    /* No row has the unknown that is to be eliminated, e of s or f of t: its system is singular. The first of `rows` becomes one of that
     * system: not what ties s's first system to f, or t's last one to e and n, if these are others. */
    static __device__ inline void drop(joined *const *rows, int count, const marks &m, int first,
                                       int joint, int last, bool second)
    {
        int unknown = system_of(m, second ? joint + 1 : joint);
        bool front = system_of(m, first) != unknown, back = system_of(m, last) != unknown,
             border = system_of(m, joint) != system_of(m, joint + 1);
        for (int k = 0; k < count; k++) {
            const line &a = rows[k]->a;
            bool kept = (front && size(a.l) + size(a.f) > 0) ||
                        (back && size(a.e) + size(a.n) > 0) ||
                        (border && !second && size(rows[k]->y) > 0); /* of t's first system */
            if (!kept) {
                P::swap_if(k > 0, *rows[0], *rows[k]);
                return;
            }
        }
    }
    static __device__ inline segment compose(const segment &s, const segment &t, node *where,
                                             const marks &m, int first, int joint, int last)
    {
        const T none = zero_of(T());
        bool broken = false;
        joined a = {s.p.e, s.p.n, {s.p.l, s.p.f, none, none, s.p.d}},
               b = {s.q.e, s.q.n, {s.q.l, s.q.f, none, none, s.q.d}},
               c = {t.p.l, t.p.f, {none, none, t.p.e, t.p.n, t.p.d}},
               d = {t.q.l, t.q.f, {none, none, t.q.e, t.q.n, t.q.d}};
        P::swap_if(size(b.x) > size(a.x), a, b);
        P::swap_if(size(d.x) > size(c.x), c, d);
        P::swap_if(size(c.x) > size(a.x), a, c);
        T q = inverse_or_zero(a.x, &broken);
        if (broken) {
            joined *all[] = {&a, &b, &c, &d};
            drop(all, 4, m, first, joint, last, false);
        }
        where->e_m = a.y * q;
        where->e = P::times(a.a, q);
        sound_or_zero(&where->e.d, &broken);
        joined *others[] = {&b, &c, &d};
        UNROLL()
        for (joined *other : others) {
            T r = -other->x;
            other->y = step(r, where->e_m, other->y);
            other->a = P::add(other->a, r, where->e);
            sound_or_zero(&other->a.d, &broken);
        }
        P::swap_if(size(c.y) > size(b.y), b, c);
        P::swap_if(size(d.y) > size(b.y), b, d);
        bool second = false;
        q = inverse_or_zero(b.y, &second);
        if (second) {
            joined *all[] = {&b, &c, &d};
            drop(all, 3, m, first, joint, last, true);
        }
        where->f = P::times(b.a, q);
        sound_or_zero(&where->f.d, &second);
        segment both = {P::add(c.a, -c.y, where->f), P::add(d.a, -d.y, where->f)};
        sound_or_zero(&both.p.d, &second);
        sound_or_zero(&both.q.d, &second);
        if (broken)
            mark(m, joint);
        if (second)
            mark(m, joint + 1);
        return both;
    }
    static __device__ inline known<T> solve(const segment &s, const marks &m, int first, int last)
    {
        const T none = zero_of(T());
        T a = s.p.f, b = s.p.e, c = s.q.f, d = s.q.e, g = s.p.d, h = s.q.d;
        bool broken = false, second = false, swapped = size(c) > size(a);
        ::swap_if(swapped, a, c);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T q = inverse_or_zero(a, &broken);
        swapped = broken && size(b) > size(d);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T r = -(c * q), p = inverse_or_zero(step(r, b, d), &second), e = step(r, g, h) * p,
          f = less(g, b, e) * q;
        sound_or_zero(&e, &second);
        sound_or_zero(&f, &broken);
        if (broken)
            mark(m, first);
        if (second)
            mark(m, last);
        return {none, f, e, none};
    }
    static __device__ inline void substitute(registers<T> &r, known<T> k, const marks &m, int first)
    {
        constexpr int rows = rows_each<T>();
        const T none = zero_of(T());
        T x = k.e, behind = k.n;
        UNROLL()
        for (int e = rows - 1; e >= 0; e--) {
            T before = none;
            if (e > 0) {
                bool given = (r.given >> e & 1) != 0, broken = false;
                before = less(r.d[e], r.b[e], x);
                before = less(before, r.a[e], given ? behind : k.l);
                before = less(before, r.c[e], given ? none : k.f);
                sound_or_zero(&before, &broken);
                if (broken)
                    mark(m, first + e - 1);
            }
            r.d[e] = x;
            behind = x;
            x = before;
        }
    }
};

/* ---- composing ---- */

/* As in segments.h. Lane i's segment has `rows` rows from row `first` + i rows on. */
template <class W>
static __device__ inline typename W::segment fold(typename W::segment s, int size, int lane,
                                                  typename W::node *mine, const marks &m, int first,
                                                  int rows)
{
    typedef typename W::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename W::node node;
        int begin = at & -2 * h;
        marks here = m; /* what other lanes compose is nothing */
        here.end = at == begin ? m.end : 0;
        s = W::compose(s, struct_from_lane<T>(s, (lane + h) % WARP), &node, here,
                       first + begin * rows, first + (begin + h) * rows - 1,
                       first + (begin + 2 * h) * rows - 1);
        node = struct_from_lane<T>(node, lane & -2 * h);
        if ((at & (2 * h - 1)) == h - 1)
            *mine = node;
    }
    return s;
}
template <class W>
static __device__ inline void unfold(const typename W::node &mine, int size, int lane,
                                     known<typename W::number> *k, const marks &m, int first,
                                     int rows)
{
    typedef typename W::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T e, f;
        bool keeper = (at & (2 * h - 1)) == h - 1, second = (at & h) != 0, bad_e = false,
             bad_f = false;
        W::P::meet(mine, *k, &e, &f);
        sound_or_zero(&f, &bad_f);
        sound_or_zero(&e, &bad_e);
        if (keeper && bad_e)
            mark(m, first + (at + 1) * rows - 1);
        if (keeper && bad_f)
            mark(m, first + (at + 1) * rows);
        int from = (lane & -2 * h) + h - 1;
        e = from_lane(e, from);
        k->l = second ? e : k->l;
        k->e = second ? k->e : e;
        if (W::P::FIRSTS) {
            f = from_lane(f, from);
            k->f = second ? f : k->f;
            k->n = second ? k->n : f;
        }
    }
}

/* By the warp that wrote it; bulk copies take chunks that have no words of others. */
template <class T>
static __device__ inline void store(const batch<T> &b, const piece &p, const chunk<T> *x, int lane)
{
    constexpr int words = CHUNK / sizeof(T);
    int whole = (p.begin + words - 1) / words * words, part = p.end / words * words;
    T *to = b.x + p.from;
    const T *from = x->word;
    bulk_fence();
    __syncwarp();
    if (p.bulk_end == p.bulk_begin || part <= whole)
        whole = part = p.begin;
    else if (lane == 0)
        bulk_store(to + whole, from + whole, static_cast<unsigned>((part - whole) * sizeof(T)));
    for (int i = p.begin + lane; i < whole; i += WARP)
        to[i] = from[i];
    for (int i = part + lane; i < p.end; i += WARP)
        to[i] = from[i];
}

template <class W>
static __global__ void __launch_bounds__(W::THREADS, 1) solve_tiles(batch<typename W::number> b)
{
    typedef typename W::number T;
    constexpr int words = CHUNK / sizeof(T), rows = rows_each<T>();
    const T none = zero_of(T()), one = one_of(T());
    DYN_SHARED(chunk<T>, memory);
    int rank = static_cast<int>(threadIdx.x), warp = rank / WARP, lane = rank % WARP,
        threads = static_cast<int>(blockDim.x), warps = threads / WARP, apart = threads * CHUNKS;
    chunk<T> *mine = memory + rank * CHUNKS, *to = memory + warp * WARP * CHUNKS,
             *x = memory + 4 * apart + warp * WARP * CHUNKS;
    board<W> *shared = reinterpret_cast<struct board<W> *>(memory + 5 * apart);
    int *marked = reinterpret_cast<int *>(shared + 1);
    uint64_t *full = &shared->full[warp];
    for (int i = rank; i < 2 * b.of_tile; i += threads)
        marked[i] = SOUND;
    tile next = tile_at(b, blockIdx.x);
    piece next_piece = piece_of(b, next, warp);
    if (lane == 0) {
        mbarrier_init(full, 1);
        ask_for(b, next_piece, to, apart, full);
    }
    __syncthreads();
    int parity = 0;
    for (int64_t t = blockIdx.x; t < b.parts; t += gridDim.x, parity ^= 1) {
        mbarrier_wait(full, parity);
        fetch_rest(b, next_piece, to, apart, lane);
        registers<T> r;
        UNROLL()
        for (int k = 0; k < CHUNKS; k++)
            for (int e = 0; e < words; e++) {
                r.a[k * words + e] = mine[k].word[e];
                r.b[k * words + e] = mine[apart + k].word[e];
                r.c[k * words + e] = mine[2 * apart + k].word[e];
                r.d[k * words + e] = mine[3 * apart + k].word[e];
            }
        bulk_fence();
        __syncwarp();
        tile at = next;
        piece here = next_piece;
        if (t + gridDim.x < b.parts) {
            next = tile_at(b, t + gridDim.x);
            next_piece = piece_of(b, next, warp);
            if (lane == 0)
                ask_for(b, next_piece, to, apart, full);
        }

        /* No coupling across a system's ends; x = 0 in rows that are not there. */
        r.begins = 0;
        marks m = {marked + parity * b.of_tile, static_cast<int>(b.n), at.begin, at.end};
        int first = rank * rows - at.before, position = first > 0 ? first % m.n : first;
        /* The next row of mine with which a system begins. */
        int begin = position > 0 ? m.n - position : -position;
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (e == begin) {
                r.begins |= 1u << e;
                r.a[e] = none;
                if (e > 0)
                    r.c[e - 1] = none;
                begin += m.n;
            }
        if (begin == rows)
            r.c[rows - 1] = none;
        if (first < at.begin || first + rows > at.end) {
            UNROLL()
            for (int e = 0; e < rows; e++)
                if (first + e < at.begin || first + e >= at.end) {
                    r.a[e] = r.c[e] = r.d[e] = none;
                    r.b[e] = one;
                }
        }

        typename W::node within = {}, between = {};
        typename W::segment *sums = shared->sums[parity];
        int size = power_of_two(warps), of_warp = WARP * rows,
            first_of_warp = warp * of_warp - at.before;
        typename W::segment s = W::eliminate(r, m, first);
        s = fold<W>(s, WARP, lane, &within, m, first_of_warp, rows);
        if (lane == 0)
            sums[warp] = s;
        __syncthreads();
        s = W::nothing();
        if ((lane & (size - 1)) < warps)
            s = sums[lane & (size - 1)];
        s = fold<W>(s, size, lane, &between, m, -at.before, of_warp);
        marks alone = m; /* lane 0 has all */
        alone.end = lane == 0 ? m.end : 0;
        known<T> k = W::solve(s, alone, at.begin, at.end - 1);
        k = struct_from_lane<T>(k, 0);
        unfold<W>(between, size, lane, &k, m, -at.before, of_warp);
        k = struct_from_lane<T>(k, warp);
        unfold<W>(within, WARP, lane, &k, m, first_of_warp, rows);

        W::substitute(r, k, m, first);
        if (lane == 0)
            bulk_store_wait(); /* of the tile before */
        __syncwarp();
        UNROLL()
        for (int c = 0; c < CHUNKS; c++)
            for (int e = 0; e < words; e++)
                x[lane * CHUNKS + c].word[e] = r.d[c * words + e];
        store(b, here, x, lane);
        if (b.status) {
            __syncthreads();
            for (int i = at.begin / m.n + rank; i < at.end / m.n; i += threads) {
                b.status[at.first + i] = m.system[i] == SOUND ? 0 : 1 + m.system[i];
                m.system[i] = SOUND;
            }
        }
    }
    if (lane == 0)
        bulk_store_wait();
}

/* ---- launchers ---- */

template <class W> static size_t shared_bytes(int threads, int64_t of_tile)
{
    return static_cast<size_t>(5 * CHUNKS * CHUNK) * static_cast<size_t>(threads) +
           sizeof(board<W>) + 2 * static_cast<size_t>(of_tile) * sizeof(int);
}
/* Rows that `threads` threads have for systems, which may begin in the middle of a chunk. */
template <class T> static int64_t rows_of(int threads)
{
    constexpr int words = CHUNK / sizeof(T);
    return static_cast<int64_t>(threads) * CHUNKS * words - (words - 1);
}
template <class W> static int threads_most(const struct machine *m)
{
    int threads = W::THREADS;
    while (threads > WARP && shared_bytes<W>(threads, 1) > m->room)
        threads -= WARP;
    return threads;
}
template <class W>
static cudaError_t solve(const struct tridiagonal_batch *given, cudaStream_t stream)
{
    typedef typename W::number T;
    constexpr int words = CHUNK / sizeof(T);
    struct machine m;
    TRY(look(&m));
    batch<T> b = {};
    b.n = given->n;
    b.systems = given->batch;
    b.words = b.n * b.systems;
    const void *in[4] = {given->sub, given->diag, given->super, given->rhs};
    uintptr_t apart = reinterpret_cast<uintptr_t>(given->x);
    for (int k = 0; k < 4; k++) {
        b.in[k] = static_cast<const T *>(in[k]);
        apart |= reinterpret_cast<uintptr_t>(in[k]);
    }
    b.x = static_cast<T *>(given->x);
    b.status = given->status;
    b.bulk = apart % CHUNK == 0;
    /* Several blocks a multiprocessor, so that one eliminates while another composes: as many as long systems let there be. As many
     * systems a tile as fit, whatever the batch; but if else some block had none, tiles are parted. */
    int each = 1, threads = threads_most<W>(&m);
    for (int more = 2; more <= 4 && rows_of<T>(W::THREADS / more / WARP * WARP) >= b.n; more++) {
        each = more;
        threads = W::THREADS / more / WARP * WARP;
    }
    int64_t fit = rows_of<T>(threads) / b.n, blocks = static_cast<int64_t>(m.processors) * each;
    if (fit == 0)
        return cudaErrorInvalidValue;
    while (fit > 1 && static_cast<size_t>(each) * (shared_bytes<W>(threads, fit) + 1024) > m.room)
        fit--;
    threads = static_cast<int>(over(fit * b.n + words - 1, WARP * CHUNKS * words)) * WARP;
    int64_t tiles = over(b.systems, fit), share = over(fit, over(blocks, tiles));
    b.of_tile = static_cast<int>(fit);
    b.of_part = static_cast<int>(share);
    b.parts = tiles * over(fit, share);
    return LAUNCH((solve_tiles<W>), static_cast<unsigned>(b.parts < blocks ? b.parts : blocks),
                  static_cast<unsigned>(threads), shared_bytes<W>(threads, fit), stream, b);
}

template <class W> static int64_t longest(void)
{
    struct machine m;
    return look(&m) == cudaSuccess ? rows_of<typename W::number>(threads_most<W>(&m)) : 0;
}
int64_t tridiagonal_batch_longest(char type, int pivot)
{
    switch (type) {
    case 's':
        return pivot ? longest<pivoted_rows<float>>() : longest<plain_rows<float>>();
    case 'd':
        return pivot ? longest<pivoted_rows<double>>() : longest<plain_rows<double>>();
    case 'c':
        return pivot ? longest<pivoted_rows<complex_of<float>>>()
                     : longest<plain_rows<complex_of<float>>>();
    case 'z':
        return pivot ? longest<pivoted_rows<complex_of<double>>>()
                     : longest<plain_rows<complex_of<double>>>();
    default:
        return 0;
    }
}

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    const void *arrays[] = {b->sub, b->diag, b->super, b->rhs, b->x};
    if (size_of_word(b->type) == 0 || b->n < 0 || b->batch < 0 || b->n > INT32_MAX ||
        (b->n > 0 && b->batch > INT64_MAX / 16 / b->n))
        return cudaErrorInvalidValue;
    if (b->n == 0 || b->batch == 0)
        return b->status && b->batch > 0
                   ? cudaMemsetAsync(b->status, 0,
                                     static_cast<size_t>(b->batch) * sizeof *b->status, stream)
                   : cudaSuccess;
    for (const void *array : arrays)
        if (!array || reinterpret_cast<uintptr_t>(array) % size_of_word(b->type) != 0)
            return cudaErrorInvalidValue;
    switch (b->type) {
    case 's':
        return b->pivot ? solve<pivoted_rows<float>>(b, stream)
                        : solve<plain_rows<float>>(b, stream);
    case 'd':
        return b->pivot ? solve<pivoted_rows<double>>(b, stream)
                        : solve<plain_rows<double>>(b, stream);
    case 'c':
        return b->pivot ? solve<pivoted_rows<complex_of<float>>>(b, stream)
                        : solve<plain_rows<complex_of<float>>>(b, stream);
    default:
        return b->pivot ? solve<pivoted_rows<complex_of<double>>>(b, stream)
                        : solve<plain_rows<complex_of<double>>>(b, stream);
    }
}
