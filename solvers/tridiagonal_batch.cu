/* Tridiagonal systems solved on chip: 5 words a row move, of n batch each.
 *
 * A tile is as many whole systems as fit, one after the other, so it is one piece of memory and comes by bulk copies. Each thread takes
 * CHUNKS chunks of 16 bytes of each array, whatever systems they belong to, into its registers, and the room in shared
 * memory is free again: the next tile is on its way while this one is solved.
 *
 * All systems of a tile are one tridiagonal system whose couplings across their ends are zero. A thread's rows are a segment
 * (partition.cuh), of which two equations are left. Without pivoting one unknown of each segment, its last, stays: a tridiagonal system of
 * as many rows as threads, solved by PARACR (thomas_batch.cu) in as many levels as a system has segments. With pivoting segments are
 * composed: of the threads, of the warps, of the block, and back. No case depends on n, on where a system begins or on how many there
 * are.
 *
 * A system that breaks down must not reach its neighbours: 0 times NaN is NaN. A tile in which anything is not finite is solved again,
 * carefully: what is not finite is not handed on; where it would come to be the row is taken to be x = 0, and the system is marked.
 *
 * Of the same parts are made: systems that do not fit, whose tiles go through the chip twice (solve_tiles, join, solve_tiles), and
 * interleaved ones, piece by piece (solve_columns); 9 words a row each. */
#include "tridiagonal_batch.h"

#include "partition.cuh"

/* Threads of a block that has systems in columns. */
enum { COLUMN_THREADS = 256 };
/* A tile begins with a line of memory, so that lines of it are lines in shared memory, whole ones. */
enum { LINE = 128 /* bytes */ };

template <class T> struct batch {
    int64_t n, systems, words; /* words of all */
    int of_tile, of_part;      /* systems, at most; of different lengths: words */
    int parts_each;            /* of a tile */
    int64_t parts;
    int of_system, length; /* tiles of a system that does not fit, rows of each; else 0 */
    int used;              /* words of a tile's chunks, at most */
    int levels;
    enum tridiagonal_matrix matrix;
    bool alike; /* all tiles of a block have the same rows of the matrix, for their words */
    const T *in[4];
    T *x;
    int *status;
    const int64_t *offset;
    bool bulk;
};

template <class T> static __device__ inline bool are_sound(T x, T y, T z)
{
    return (abs1(x) + abs1(y) + abs1(z)) * 0 == 0;
}
template <class T> static __device__ inline bool are_sound(T x, T y, T z, T u)
{
    return (abs1(x) + abs1(y) + abs1(z) + abs1(u)) * 0 == 0;
}

/* ---- rows of a tile ---- */

/* A tile begins with word `before` of the line at word `from`; its row 0 is row `row0` of its system. Rows `begin` to `end` are there,
 * others are another block's. (So a system has its place in a tile, and its bits, whatever the batch.) */
struct tile {
    int64_t from, row0, first; /* its first system */
    int before, begin, end;
    int systems_begin, systems_end; /* counted from `first` */
};

/* The last of `count` offsets (in increasing order) that is not beyond `row`: the system that has the row. */
static __device__ inline int last_not_beyond(const int64_t *offset, int count, int64_t row)
{
    int low = 0;
    while (count > 1) {
        int half = count / 2;
        low = offset[low + half] <= row ? low + half : low;
        count -= half;
    }
    return low;
}
/* Where breakdowns are marked: of rows of a tile. Not `mine`: nowhere. */
template <class T> struct marks {
    const batch<T> *b;
    const tile *at;
    bool mine;
};
/* -1 for rows before the tile. */
template <class T> static __device__ inline int system_of(const marks<T> &m, int row)
{
    const int64_t *offset = m.b->offset;
    return row < 0 ? -1
           : offset
               ? last_not_beyond(offset + m.at->first, m.at->systems_end, offset[m.at->first] + row)
               : (int)((row + m.at->row0) / m.b->n);
}
/* Each system keeps its first such row. */
template <class T>
static __device__ __attribute__((noinline)) void mark_row(const batch<T> &b, const tile &at,
                                                          int row)
{
    if (!b.status || row < at.begin || row >= at.end)
        return;
    int64_t system = at.first + system_of(marks<T>{&b, &at, true}, row);
    int64_t of_system =
        b.offset ? row - (b.offset[system] - b.offset[at.first]) : (row + at.row0) % b.n;
    int value = 1 + (int)of_system;
    if (atomicCAS(b.status + system, 0, value) != 0)
        atomicMin(b.status + system, value);
}
template <class T> static __device__ inline void mark(const marks<T> &m, int row)
{
    if (m.mine)
        mark_row(*m.b, *m.at, row);
}

/* careful: a pivot's inverse, or 0 if there is none. */
template <bool careful, class T> static __device__ inline T inverse_or_zero(T pivot, bool *broken)
{
    T q = reciprocal(pivot);
    bool bad = careful && !all_finite(q);
    *broken = *broken || bad;
    return bad ? zero_of(T()) : q;
}
template <bool careful, class T> static __device__ inline void sound_or_zero(T *x, bool *broken)
{
    bool bad = careful && !all_finite(*x);
    *broken = *broken || bad;
    *x = bad ? zero_of(T()) : *x;
}

/* ---- a thread's rows, in registers ---- */

template <class T, int rows> struct registers {
    T a[rows], b[rows], c[rows], d[rows];
    unsigned begins; /* bit e: a system begins with row e; one more for the row behind mine */
    unsigned given;  /* pivoted: bit e: see partition.cuh */
};

/* As plain in partition.cuh. Rows, and units of them, are numbered in the tile: a segment begins with row `first`, ends with `last`; two
 * meet behind row `joint`. Not `careful`: what is not finite stays so, to be seen in the segment or in the first x. */
template <class T, int C> struct plain_rows {
    typedef plain<T> P;
    typedef T number;
    typedef typename P::partition partition;
    typedef typename P::interface interface;
    /* Of a thread, chunks of each array: an odd number has no bank conflicts (partition.cuh). Threads of a multiprocessor: what registers
     * allow. */
    enum { CHUNKS = C, ROWS = C * CHUNK / sizeof(T), THREADS = C > 5 ? 384 : 512 };

    static __device__ inline partition nothing(void)
    {
        const T none = zero_of(T());
        return {none, none, none, none, one_of(T()), none, none};
    }
    static __device__ inline void tidy(partition *s, const marks<T> &m, int first, int last)
    {
        const T none = zero_of(T());
        if (!are_sound(s->first_left, s->first_last, s->first_rhs)) {
            mark(m, first);
            s->first_left = s->first_last = s->first_rhs = none;
        }
        if (!are_sound(s->left, s->last, s->rhs, s->right)) {
            mark(m, last);
            s->left = s->rhs = s->right = none;
            s->last = one_of(T());
        }
    }
    /* a, b, d become a, 1 / the pivot, d. */
    template <bool careful>
    static __device__ inline partition eliminate(registers<T, ROWS> &r, const marks<T> &m,
                                                 int first)
    {
        constexpr int rows = ROWS;
        const T none = zero_of(T());
        partition s = P::empty_partition();
        s.left = r.a[0];
        s.last = r.b[0];
        s.right = r.c[0];
        s.rhs = r.d[0];
        UNROLL()
        for (int e = 1; e < rows; e++) {
            T q = reciprocal(s.last), up, down;
            if (careful && !are_sound(q, s.left, s.rhs, s.right)) {
                mark(m, first + e - 1);
                q = s.left = s.rhs = s.right = r.c[e - 1] = none;
            }
            r.a[e - 1] = s.left;
            r.b[e - 1] = q;
            r.d[e - 1] = s.rhs;
            down = -(r.a[e] * q);
            up = -(s.first_last * q);
            s.first_left = mul_add(up, s.left, s.first_left);
            s.first_rhs = mul_add(up, s.rhs, s.first_rhs);
            s.first_last = up * s.right;
            s.left = down * s.left;
            s.last = mul_add(down, s.right, r.b[e]);
            s.rhs = mul_add(down, s.rhs, r.d[e]);
            s.right = r.c[e];
        }
        if (careful)
            tidy(&s, m, first, first + rows - 1);
        return s;
    }
    static __device__ inline bool sound(const partition &s)
    {
        return are_sound(s.first_left, s.first_last, s.first_rhs) &&
               are_sound(s.left, s.last, s.rhs, s.right);
    }
    template <bool careful>
    static __device__ inline partition merge(const partition &s, const partition &t,
                                             interface *between, const marks<T> &m, int first,
                                             int joint, int last)
    {
        const T none = zero_of(T());
        partition both = P::merge(s, t, between);
        if (!careful)
            return both;
        if (!are_sound(between->left, between->last, between->rhs)) {
            mark(m, joint);
            *between = {none, none, none};
            both = {s.first_left, none, s.first_rhs, none, t.last, t.right, t.rhs};
        }
        tidy(&both, m, first, last);
        return both;
    }
    static __device__ inline T first_behind(const interface &, const boundary<T> &)
    {
        return zero_of(T()); /* not needed */
    }
    static __device__ inline T last_before(const interface &between, const boundary<T> &k, T)
    {
        return neg_mul_add(neg_mul_add(between.rhs, between.left, k.left), between.last, k.last);
    }
    /* All rows of a tile: nothing is beyond. */
    template <bool careful>
    static __device__ inline boundary<T> solve(const partition &s, const marks<T> &m, int, int last)
    {
        const T none = zero_of(T());
        T e = s.rhs * reciprocal(s.last);
        if (careful && !all_finite(e)) {
            mark(m, last);
            e = none;
        }
        return {none, none, e, none};
    }
    /* d becomes x. */
    template <bool careful>
    static __device__ inline void substitute(registers<T, ROWS> &r, boundary<T> k,
                                             const marks<T> &m, int first)
    {
        constexpr int rows = ROWS;
        T x = k.last;
        r.d[rows - 1] = x;
        UNROLL()
        for (int e = rows - 2; e >= 0; e--) {
            x = neg_mul_add(neg_mul_add(r.d[e], r.a[e], k.left), r.c[e], x) * r.b[e];
            if (careful && !all_finite(x)) {
                mark(m, first + e);
                x = zero_of(T());
            }
            r.d[e] = x;
        }
    }
};

/* As pivoted in partition.cuh. Coefficients of scaled rows stay small, so only pivots and right-hand sides are looked at. A right-hand side
 * that is too large becomes so by rows of the same system, since rows of others have the factor 0. */
template <class T, int C> struct pivoted_rows {
    typedef pivoted<T> P;
    typedef T number;
    typedef typename P::partition partition;
    typedef typename P::interface interface;
    typedef typename P::row row;
    typedef typename P::interface_row joined;
    typedef typename P::equation equation;
    enum { CHUNKS = C, ROWS = C * CHUNK / sizeof(T), THREADS = C > 5 ? 256 : 384 };

    static __device__ inline partition nothing(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, none, none, none}, {none, none, one, none, none}};
    }
    template <bool careful>
    static __device__ inline row scaled_row(const registers<T, ROWS> &r, int e, const marks<T> &m,
                                            int first)
    {
        bool broken = false;
        row next = P::scaled_row_of(r.a[e], r.b[e], r.c[e], r.d[e]);
        sound_or_zero<careful>(&next.rhs, &broken);
        if (broken)
            mark(m, first + e);
        return next;
    }
    template <bool careful>
    static __device__ inline partition eliminate(registers<T, ROWS> &r, const marks<T> &m,
                                                 int first)
    {
        constexpr int rows = ROWS;
        const T none = zero_of(T()), one = one_of(T());
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (careful && !are_sound(r.a[e], r.b[e], r.c[e], r.d[e])) {
                mark(m, first + e);
                r.a[e] = r.c[e] = r.d[e] = none;
                r.b[e] = one;
            }
        row x = {none, one, -one, none, none, none}, y = scaled_row<careful>(r, 0, m, first);
        y = {y.u, none, y.v, y.w, none, y.rhs};
        r.given = 0;
        /* What is left of the first system once it has ended: 1: x, 2: y. */
        int front = 0;
        UNROLL()
        for (int e = 1; e < rows; e++) {
            row next = scaled_row<careful>(r, e, m, first);
            bool upper = abs1(x.u) > abs1(next.u), broken = false;
            P::swap_if(upper, x, next);
            bool lower = abs1(y.u) > abs1(next.u), begins = careful && (r.begins >> e & 1) != 0;
            P::swap_if(lower, y, next);
            T q = inverse_or_zero<careful>(next.u, &broken);
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
            x = P::eliminate_from(x, next, q);
            y = P::eliminate_from(y, next, q);
            sound_or_zero<careful>(&x.rhs, &broken);
            sound_or_zero<careful>(&y.rhs, &broken);
            if (broken)
                mark(m, first + e - 1);
            r.a[e] = (next.left + next.w) * q;
            r.b[e] = next.v * q;
            r.c[e] = next.first * q;
            r.d[e] = next.rhs * q;
        }
        P::swap_if(careful && front == 2, x, y);
        return {{x.left, x.first, x.u, x.v, x.rhs}, {y.left, y.first, y.u, y.v, y.rhs}};
    }
    static __device__ inline bool sound(const partition &s)
    {
        return P::coefficients_finite(s) && all_finite(s.p.rhs) && all_finite(s.q.rhs);
    }
    /* Of a segment that has rows of several systems p is the first one's, q the last one's: so each row's system is known, also of a
     * row of zeros. */
    struct owned : joined {
        int system;
    };
    static __device__ inline void swap_if(bool which, owned &s, owned &t)
    {
        P::swap_if(which, s, t);
        ::swap_if(which, s.system, t.system);
    }
    /* No row has the unknown that is to be eliminated: its system is singular. The first of `rows` becomes one of that system. */
    static __device__ inline void drop(owned *const *rows, int count, int system)
    {
        for (int k = 0; k < count; k++)
            if (rows[k]->system == system) {
                swap_if(k > 0, *rows[0], *rows[k]);
                return;
            }
    }
    template <bool careful>
    static __device__ inline partition merge(const partition &s, const partition &t,
                                             interface *between, const marks<T> &m, int first,
                                             int joint, int last)
    {
        const T none = zero_of(T());
        bool broken = false;
        int at_first = careful ? system_of(m, first) : 0,
            at_joint = careful ? system_of(m, joint) : 0,
            behind = careful ? system_of(m, joint + 1) : 0,
            at_last = careful ? system_of(m, last) : 0;
        owned a = {{s.p.last, s.p.right, {s.p.left, s.p.first, none, none, s.p.rhs}}, at_first},
              b = {{s.q.last, s.q.right, {s.q.left, s.q.first, none, none, s.q.rhs}}, at_joint},
              c = {{t.p.left, t.p.first, {none, none, t.p.last, t.p.right, t.p.rhs}}, behind},
              d = {{t.q.left, t.q.first, {none, none, t.q.last, t.q.right, t.q.rhs}}, at_last};
        swap_if(abs1(b.upper_last) > abs1(a.upper_last), a, b);
        swap_if(abs1(d.upper_last) > abs1(c.upper_last), c, d);
        swap_if(abs1(c.upper_last) > abs1(a.upper_last), a, c);
        T q = inverse_or_zero<careful>(a.upper_last, &broken);
        if (broken) {
            owned *all[] = {&a, &b, &c, &d};
            drop(all, 4, at_joint);
        }
        between->coupling = a.lower_first * q;
        between->upper_last = P::scale(a.outer, q);
        sound_or_zero<careful>(&between->upper_last.rhs, &broken);
        owned *others[] = {&b, &c, &d};
        UNROLL()
        for (owned *other : others) {
            T r = -other->upper_last;
            other->lower_first = mul_add(r, between->coupling, other->lower_first);
            other->outer = P::add_multiple(other->outer, r, between->upper_last);
            sound_or_zero<careful>(&other->outer.rhs, &broken);
        }
        swap_if(abs1(c.lower_first) > abs1(b.lower_first), b, c);
        swap_if(abs1(d.lower_first) > abs1(b.lower_first), b, d);
        bool second = false;
        q = inverse_or_zero<careful>(b.lower_first, &second);
        if (second) {
            owned *all[] = {&b, &c, &d};
            drop(all, 3, behind);
        }
        between->lower_first = P::scale(b.outer, q);
        sound_or_zero<careful>(&between->lower_first.rhs, &second);
        swap_if(careful && c.system > d.system, c, d);
        partition both = {P::add_multiple(c.outer, -c.lower_first, between->lower_first),
                          P::add_multiple(d.outer, -d.lower_first, between->lower_first)};
        sound_or_zero<careful>(&both.p.rhs, &second);
        sound_or_zero<careful>(&both.q.rhs, &second);
        if (broken)
            mark(m, joint);
        if (second)
            mark(m, joint + 1);
        return both;
    }
    static __device__ inline T first_behind(const interface &between, const boundary<T> &k)
    {
        return P::residual(between.lower_first, k);
    }
    static __device__ inline T last_before(const interface &between, const boundary<T> &k, T first)
    {
        return neg_mul_add(P::residual(between.upper_last, k), between.coupling, first);
    }
    template <bool careful>
    static __device__ inline boundary<T> solve(const partition &s, const marks<T> &m, int first,
                                               int last)
    {
        const T none = zero_of(T());
        T a = s.p.first, b = s.p.last, c = s.q.first, d = s.q.last, g = s.p.rhs, h = s.q.rhs;
        bool broken = false, second = false, swapped = abs1(c) > abs1(a);
        ::swap_if(swapped, a, c);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T q = inverse_or_zero<careful>(a, &broken);
        swapped = broken && abs1(b) > abs1(d);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T r = -(c * q), p = inverse_or_zero<careful>(mul_add(r, b, d), &second),
          e = mul_add(r, g, h) * p, f = neg_mul_add(g, b, e) * q;
        sound_or_zero<careful>(&e, &second);
        sound_or_zero<careful>(&f, &broken);
        if (broken)
            mark(m, first);
        if (second)
            mark(m, last);
        return {none, f, e, none};
    }
    template <bool careful>
    static __device__ inline void substitute(registers<T, ROWS> &r, boundary<T> k,
                                             const marks<T> &m, int first)
    {
        constexpr int rows = ROWS;
        const T none = zero_of(T());
        T x = k.last, behind = k.right;
        UNROLL()
        for (int e = rows - 1; e >= 0; e--) {
            T before = none;
            if (e > 0) {
                bool given = (r.given >> e & 1) != 0, broken = false;
                before = neg_mul_add(r.d[e], r.b[e], x);
                before = neg_mul_add(before, r.a[e], given ? behind : k.left);
                before = neg_mul_add(before, r.c[e], given ? none : k.first);
                sound_or_zero<careful>(&before, &broken);
                if (broken)
                    mark(m, first + e - 1);
            }
            r.d[e] = x;
            behind = x;
            x = before;
        }
    }
};

/* ---- tiles ---- */

/* The first of `count` offsets that is not before `row`, by a warp. */
static __device__ inline int64_t first_not_before(const int64_t *offset, int64_t count, int64_t row,
                                                  int lane)
{
    int64_t low = 0, end = count;
    while (low < end) {
        int64_t apart = ceil_div(end - low, WARP), i = low + (lane + 1) * apart - 1;
        unsigned before = __ballot_sync(ALL_LANES, i < end && offset[i < end ? i : 0] < row);
        low += apart * __popc(before);
        end = end - low < apart ? end : low + apart - 1;
    }
    return low;
}
/* Of systems of different lengths a tile has those that begin in its `of_part` words; 0: it has one. */
template <class T> static __device__ inline tile tile_at(const batch<T> &b, int64_t part, int lane)
{
    constexpr int words = LINE / sizeof(T);
    tile at = {};
    int64_t from;
    if (b.of_system > 0) { /* all but the first of a system begin with a line */
        int64_t j = part % b.of_system;
        at.first = part / b.of_system;
        from = at.first * b.n;
        int before = (int)(from % words);
        int64_t left = b.n + before - j * b.length, most = left < b.length ? left : b.length;
        at.end = (int)(most > 0 ? most : 0);
        if (j == 0) {
            at.before = before;
            at.end -= before;
        } else {
            at.row0 = j * b.length - before;
            from += at.row0;
        }
    } else if (b.offset) {
        int64_t last = part + 1;
        at.first = part;
        if (b.of_part > 0) {
            at.first = first_not_before(b.offset, b.systems, part * b.of_part, lane);
            last = first_not_before(b.offset, b.systems, (part + 1) * b.of_part, lane);
        }
        from = b.offset[at.first];
        at.before = (int)(from % words);
        int64_t end = b.offset[last] - from;
        at.end = (int)(end < b.of_tile ? end : b.of_tile);
        at.systems_end = (int)(last - at.first);
    } else {
        int64_t t = part, first = 0, last = b.of_tile;
        if (b.parts_each > 1) {
            t = part / b.parts_each;
            first = (part - t * b.parts_each) * b.of_part;
            last = first + b.of_part;
        }
        at.first = t * b.of_tile;
        int64_t left = b.systems - at.first, most = left < b.of_tile ? left : b.of_tile;
        at.systems_begin = (int)(first < most ? first : most);
        at.systems_end = (int)(last < most ? last : most);
        at.begin = at.systems_begin * (int)b.n;
        at.end = at.systems_end * (int)b.n;
        from = at.first * b.n;
        at.before = (int)(from % words);
    }
    at.from = from - at.before;
    return at;
}
/* A system that is longer than was said is not solved. */
template <class T>
static __device__ inline void clear_status(const batch<T> &b, const tile &at, int rank, int threads)
{
    if (!b.status)
        return;
    int *status = b.status + at.first;
    for (int i = at.systems_begin + rank; i < at.systems_end; i += threads)
        status[i] = b.offset && (b.offset[at.first + i + 1] - b.offset[at.first + i] > b.n ||
                                 b.offset[at.first + i + 1] - b.offset[at.first] > at.end);
}

/* Of the words of a warp, `most`, those that are there, counted from its first, word `from` of the arrays; and of these whole chunks, which bulk
 * copies bring. Chunks may have words of others, but none that is behind the arrays. */
struct piece {
    int64_t from;
    int begin, end, bulk_begin, bulk_end;
};
template <class T>
static __device__ inline piece piece_of(const batch<T> &b, const tile &at, int warp, int most)
{
    constexpr int words = CHUNK / sizeof(T);
    piece p;
    int first = warp * most;
    p.from = at.from + first;
    p.begin = at.before + at.begin - first;
    p.end = at.before + at.end - first;
    p.begin = p.begin < 0 ? 0 : p.begin < most ? p.begin : most;
    p.end = p.end < 0 ? 0 : p.end < most ? p.end : most;
    p.bulk_begin = p.begin / words * words;
    p.bulk_end = (p.end + words - 1) / words * words;
    if (p.bulk_end > p.end && p.from + p.bulk_end > (b.offset ? b.offset[b.systems] : b.words))
        p.bulk_end -= words;
    if (!b.bulk || !has_bulk_copies() || p.bulk_end < p.bulk_begin || p.end <= p.begin)
        p.bulk_end = p.bulk_begin = p.begin;
    return p;
}
/* A warp's room for an array's words; that of the next array is `apart` chunks behind. */
template <class T> struct rooms {
    chunk<T> *first;
    int apart;
};
template <class T> static __device__ inline T *word_in(const rooms<T> &to, int array, int word)
{
    return to.first->element + array * to.apart * (int)(CHUNK / sizeof(T)) + word;
}
/* Of sub, diag, super, rhs; of one matrix for all, fill() has brought the first three. */
template <class T>
static __device__ inline void ask_for(const batch<T> &b, const piece &p, const rooms<T> &to,
                                      uint64_t *barrier)
{
    unsigned bytes = (unsigned)((p.bulk_end - p.bulk_begin) * sizeof(T));
    bool own = b.matrix == TRIDIAGONAL_BATCH_OWN;
    mbarrier_arrive(barrier, own ? 4 * bytes : bytes);
    if (bytes > 0) {
        int64_t from = p.from + p.bulk_begin;
        if (own) {
            bulk_load(word_in(to, 0, p.bulk_begin), b.in[0] + from, bytes, barrier);
            bulk_load(word_in(to, 1, p.bulk_begin), b.in[1] + from, bytes, barrier);
            bulk_load(word_in(to, 2, p.bulk_begin), b.in[2] + from, bytes, barrier);
        }
        bulk_load(word_in(to, 3, p.bulk_begin), b.in[3] + from, bytes, barrier);
    }
}
template <class T>
static __device__ inline void fetch_rest(const batch<T> &b, const piece &p, const rooms<T> &to,
                                         int lane)
{
    for (int i = p.bulk_end + lane; i < p.end; i += WARP)
        for (int k = b.matrix == TRIDIAGONAL_BATCH_OWN ? 0 : 3; k < 4; k++)
            *word_in(to, k, i) = b.in[k][p.from + i];
    __syncwarp(); /* limit() changes other lanes' words */
}
/* x = 0 in words that are not there. */
template <class T> static __device__ inline void blank(const rooms<T> &to, int word)
{
    *word_in(to, 0, word) = *word_in(to, 2, word) = *word_in(to, 3, word) = zero_of(T());
    *word_in(to, 1, word) = one_of(T());
}
template <class T, class I>
static __device__ inline void cut(const piece &p, const rooms<T> &to, I word)
{
    if (word >= p.begin && word < p.end)
        *word_in(to, 0, (int)word) = zero_of(T());
    if (word > p.begin && word <= p.end)
        *word_in(to, 2, (int)word - 1) = zero_of(T());
}
/* And no coupling across a system's ends. What is around the tile's words has been blank ever since, but for what tiles before this one
 * have brought: nothing, if the room is fresh. `system`: no later than the first that begins in the warp's words or behind. */
template <class T>
static __device__ inline void limit(const batch<T> &b, const tile &at, const piece &p,
                                    const rooms<T> &to, int warp, int most, int lane, int system,
                                    bool fresh)
{
    int used = b.used - warp * most, first = warp * most - at.before, n = (int)b.n;
    used = used < most ? used : most;
    for (int i = (fresh ? p.bulk_begin : 0) + lane; i < p.begin; i += WARP)
        blank(to, i);
    for (int i = p.end + lane; i < (fresh ? p.bulk_end : used); i += WARP)
        blank(to, i);
    if (b.offset) {
        for (int i = lane; i <= at.systems_end; i += WARP)
            cut(p, to, b.offset[at.first + i] - b.offset[at.first] - first);
    } else if (b.of_system > 0) {
        if (lane < 2)
            cut(p, to, lane * b.n - at.row0 - first);
    } else
        for (int word = (system + lane) * n - first; word <= p.end; word += WARP * n)
            cut(p, to, word);
    __syncwarp();
}
/* Of array k the word at `at`, which is in row `row` of its system, or of one behind it. */
template <class T>
static __device__ inline T word_of(const batch<T> &b, int k, int64_t at, int64_t row)
{
    return b.in[k][k == 3 || b.matrix == TRIDIAGONAL_BATCH_OWN ? at
                   : b.matrix == TRIDIAGONAL_BATCH_SHARED      ? row % b.n
                                                               : 0];
}
/* The matrix's rows that warp `warp` has, also those that the tile at hand lacks. */
template <class T>
static __device__ inline void fill(const batch<T> &b, const tile &at, const rooms<T> &to, int warp,
                                   int most, int lane)
{
    if (b.matrix == TRIDIAGONAL_BATCH_CONSTANT) {
        constexpr int words = CHUNK / sizeof(T);
        chunk<T> same[3];
        for (int k = 0; k < 3; k++)
            for (T &word : same[k].element)
                word = b.in[k][0];
        for (int i = lane; i < most / words; i += WARP)
            for (int k = 0; k < 3; k++)
                to.first[k * to.apart + i] = same[k];
        __syncwarp();
        return;
    }
    for (int i = lane; i < most; i += WARP) {
        int64_t row = at.row0 + warp * most + i - at.before;
        for (int k = 0; k < 3; k++)
            *word_in(to, k, i) = word_of(b, k, 0, row > 0 ? row : 0);
    }
    __syncwarp();
}

/* Of my rows, from `first` on, those with which a system begins; and of the one behind. */
template <class T>
static __device__ inline unsigned begins_of(const batch<T> &b, const tile &at, int first, int rows)
{
    unsigned begins = 0, n = (unsigned)b.n;
    if (b.offset) {
        for (int i = 0; i <= at.systems_end; i++) {
            int64_t row = b.offset[at.first + i] - b.offset[at.first] - first;
            begins |= row >= 0 && row <= rows ? 1u << row : 0;
        }
        return begins;
    }
    unsigned position = (unsigned)(at.row0 + first), behind = -position;
    if (at.row0 + first > 0) {
        position %= n;
        behind = position > 0 ? n - position : 0;
    }
    for (; behind <= (unsigned)rows; behind += n)
        begins |= 1u << behind;
    return begins;
}
/* As limit(), in registers. */
template <class T, int rows>
static __device__ inline void bound(registers<T, rows> &r, const batch<T> &b, const tile &at,
                                    int first)
{
    const T none = zero_of(T()), one = one_of(T());
    unsigned begins = begins_of(b, at, first, rows);
    r.begins = begins;
    if (begins) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.a[e] = begins >> e & 1 ? none : r.a[e];
            r.c[e] = begins >> (e + 1) & 1 ? none : r.c[e];
        }
    }
    if (first < at.begin || first + rows > at.end) {
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (first + e < at.begin || first + e >= at.end) {
                r.a[e] = r.c[e] = r.d[e] = none;
                r.b[e] = one;
            }
    }
}
/* What is known of the rows around a tile of a system that does not fit, and of its own last one, goes into the right-hand side. With
 * pivoting all four numbers are known, and nothing has to. */
template <class W>
static __device__ inline void settle(registers<typename W::number, W::ROWS> &r,
                                     const batch<typename W::number> &b, const tile &at, int first,
                                     const boundary<typename W::number> *beyond)
{
    typedef typename W::number T;
    constexpr int rows = W::ROWS;
    if (W::P::NEEDS_FIRST_RIGHT || !beyond)
        return;
    if (first == 0) {
        r.d[0] = neg_mul_add(r.d[0], r.a[0], beyond->left);
        r.a[0] = zero_of(T());
    }
    if (first + rows == at.end && at.row0 + at.end < b.n) {
        r.a[rows - 1] = r.c[rows - 1] = zero_of(T());
        r.b[rows - 1] = one_of(T());
        r.d[rows - 1] = beyond->last;
    }
}

/* A tile's rows, from memory. */
template <class T, int rows>
static __device__ inline void read_rows(const batch<T> &b, const tile &at, int first,
                                        registers<T, rows> &r)
{
    int64_t word = at.from + at.before + first, row = at.row0 + first;
    UNROLL()
    for (int e = 0; e < rows; e++) {
        r.a[e] = r.b[e] = r.c[e] = r.d[e] = zero_of(T());
        if (first + e >= at.begin && first + e < at.end) {
            r.a[e] = word_of(b, 0, word + e, row + e);
            r.b[e] = word_of(b, 1, word + e, row + e);
            r.c[e] = word_of(b, 2, word + e, row + e);
            r.d[e] = b.in[3][word + e];
        }
    }
}

/* ---- between the threads ---- */

template <class W> struct board {
    typedef typename W::number number;
    uint64_t full[W::THREADS / WARP];
    /* Of this tile and the one before, which some may still read. */
    typename W::partition sums[2][W::THREADS / WARP];
    number last[2][W::THREADS / WARP];
    struct tile tile[2][W::THREADS / WARP]; /* the same for all: no barrier needed, no registers */
    struct piece piece[2][W::THREADS / WARP];
    int broken[2]; /* not 0: something in this tile is not finite */
};
/* The threads of a block, and what they share; `rooms`: W::CHUNKS chunks each. */
template <class W> struct crew {
    typedef typename W::number number;
    int rank, warp, lane, threads, warps, parity;
    board<W> *shared;
    chunk<number> *rooms;
};

/* x_i = d - a x_{i-1} - c x_{i+1} */
template <class T> struct triple {
    T a, c, d;
};
template <bool careful, class T>
static __device__ inline void tidy(triple<T> *x, const marks<T> &m, int row)
{
    if (careful && !are_sound(x->a, x->c, x->d)) {
        mark(m, row);
        x->a = x->c = x->d = zero_of(T());
    }
}
template <class T> static __device__ inline void put(chunk<T> *room, const triple<T> &x)
{
    constexpr int words = CHUNK / sizeof(T), chunks = (3 + words - 1) / words;
    chunk<T> c[chunks] = {};
    c[0].element[0] = x.a;
    c[1 / words].element[1 % words] = x.c;
    c[2 / words].element[2 % words] = x.d;
    for (int i = 0; i < chunks; i++)
        room[i] = c[i];
}
template <class T> static __device__ inline triple<T> get(const chunk<T> *room)
{
    constexpr int words = CHUNK / sizeof(T), chunks = (3 + words - 1) / words;
    chunk<T> c[chunks];
    for (int i = 0; i < chunks; i++)
        c[i] = room[i];
    return {c[0].element[0], c[1 / words].element[1 % words], c[2 / words].element[2 % words]};
}
/* What each thread's rows lie between, by PARACR over the threads' last unknowns. `last` of my rows. */
template <bool careful, class T, int C>
static __device__ inline boundary<T>
among_threads(const crew<plain_rows<T, C>> &c, const typename plain_rows<T, C>::partition &s,
              const marks<T> &m, int last, int levels, const boundary<T> *)
{
    constexpr int words = CHUNK / sizeof(T), chunks = (3 + words - 1) / words,
                  slots = 2 * chunks <= C ? 2 : 1;
    const T none = zero_of(T()), one = one_of(T());
    chunk<T> *room = c.rooms + c.rank * C;
    if (c.lane == 0)
        c.shared->sums[c.parity][c.warp] = s;
    /* The first row of the next thread's rows, in its last unknown and mine, goes into my last row. */
    triple<T> next = {s.first_left, s.first_last, s.first_rhs};
    next = struct_from_lane<T>(next, (c.lane + 1) % WARP);
    __syncthreads();
    if (c.lane == WARP - 1) {
        next = {none, none, none};
        if (c.warp + 1 < c.warps) {
            const typename plain_rows<T, C>::partition &t = c.shared->sums[c.parity][c.warp + 1];
            next = {t.first_left, t.first_last, t.first_rhs};
        }
    }
    T q = reciprocal(neg_mul_add(s.last, s.right, next.a));
    triple<T> mine = {s.left * q, -(s.right * next.c * q), neg_mul_add(s.rhs, s.right, next.d) * q};
    tidy<careful>(&mine, m, last);
    UNROLL(1)
    for (int level = 0; level < levels; level++) {
        int h = 1 << level, slot = slots > 1 ? (level & 1) * chunks : 0;
        put(room + slot, mine);
        __syncthreads();
        triple<T> up = {none, none, none}, down = up;
        if (c.rank >= h)
            up = get(room - h * C + slot);
        if (c.rank + h < c.threads)
            down = get(room + h * C + slot);
        if (slots == 1)
            __syncthreads();
        q = reciprocal(neg_mul_add(neg_mul_add(one, mine.a, up.c), mine.c, down.a));
        mine = {-(mine.a * up.a * q), -(mine.c * down.c * q),
                neg_mul_add(neg_mul_add(mine.d, mine.a, up.d), mine.c, down.d) * q};
        tidy<careful>(&mine, m, last);
    }
    T l = from_lane(mine.d, (c.lane + WARP - 1) % WARP);
    if (c.lane == WARP - 1)
        c.shared->last[c.parity][c.warp] = mine.d;
    __syncthreads();
    if (c.lane == 0)
        l = c.warp > 0 ? c.shared->last[c.parity][c.warp - 1] : none;
    return {l, none, mine.d, none};
}

/* As in partition.cuh. Lane i's segment has `rows` rows from row `first` + i rows on. */
template <bool careful, class W>
static __device__ inline typename W::partition
reduce(typename W::partition s, int size, int lane, typename W::interface *mine,
       const marks<typename W::number> &m, int first, int rows)
{
    typedef typename W::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename W::interface interface;
        int begin = at & -2 * h;
        marks<T> here = m; /* what other lanes compose is nothing */
        here.mine = m.mine && at == begin;
        s = W::template merge<careful>(s, struct_from_lane<T>(s, (lane + h) % WARP), &interface,
                                       here, first + begin * rows, first + (begin + h) * rows - 1,
                                       first + (begin + 2 * h) * rows - 1);
        interface = struct_from_lane<T>(interface, lane & -2 * h);
        if ((at & (2 * h - 1)) == h - 1)
            *mine = interface;
    }
    return s;
}
/* e of rows that end before row `behind`, f of those that begin there. */
template <bool careful, class W>
static __device__ inline void recover(const typename W::interface &interface,
                                      const boundary<typename W::number> &k,
                                      const marks<typename W::number> &m, int behind,
                                      typename W::number *e, typename W::number *f)
{
    bool bad_e = false, bad_f = false;
    *f = W::first_behind(interface, k);
    sound_or_zero<careful>(f, &bad_f);
    *e = W::last_before(interface, k, *f);
    sound_or_zero<careful>(e, &bad_e);
    if (bad_e)
        mark(m, behind - 1);
    if (bad_f)
        mark(m, behind);
}
template <bool careful, class W>
static __device__ inline void back_substitute(const typename W::interface &mine, int size, int lane,
                                              boundary<typename W::number> *k,
                                              const marks<typename W::number> &m, int first,
                                              int rows)
{
    typedef typename W::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T e, f;
        bool second = (at & h) != 0;
        marks<T> here = m; /* of other lanes' nodes nothing comes */
        here.mine = m.mine && (at & (2 * h - 1)) == h - 1;
        recover<careful, W>(mine, *k, here, first + (at + 1) * rows, &e, &f);
        int from = (lane & -2 * h) + h - 1;
        e = from_lane(e, from);
        k->left = second ? e : k->left;
        k->last = second ? k->last : e;
        if (W::P::NEEDS_FIRST_RIGHT) {
            f = from_lane(f, from);
            k->first = second ? f : k->first;
            k->right = second ? k->right : f;
        }
    }
}
/* What each thread's rows lie between, by composing; `all`, if given, is what the whole tile becomes, and nothing else is found.
 * `beyond`: as in bound(). */
template <bool careful, class W>
static __device__ inline boundary<typename W::number>
by_composing(const crew<W> &c, typename W::partition s, const marks<typename W::number> &m,
             typename W::partition *all, const boundary<typename W::number> *beyond)
{
    typedef typename W::number T;
    constexpr int rows = W::ROWS, of_warp = WARP * rows;
    typename W::interface within = {}, between = {};
    typename W::partition *sums = c.shared->sums[c.parity];
    int size = round_up_power_of_two(c.warps), before = m.at->before,
        first = c.warp * of_warp - before;
    s = reduce<careful, W>(s, WARP, c.lane, &within, m, first, rows);
    if (c.lane == 0)
        sums[c.warp] = s;
    __syncthreads();
    s = W::nothing();
    if ((c.lane & (size - 1)) < c.warps)
        s = sums[c.lane & (size - 1)];
    s = reduce<careful, W>(s, size, c.lane, &between, m, -before, of_warp);
    if (all) {
        if (c.rank == 0)
            *all = s;
        return {};
    }
    marks<T> alone = m; /* lane 0 has all */
    alone.mine = c.lane == 0;
    boundary<T> k =
        beyond ? *beyond : W::template solve<careful>(s, alone, m.at->begin, m.at->end - 1);
    k = struct_from_lane<T>(k, 0);
    back_substitute<careful, W>(between, size, c.lane, &k, m, -before, of_warp);
    k = struct_from_lane<T>(k, c.warp);
    back_substitute<careful, W>(within, WARP, c.lane, &k, m, first, rows);
    return k;
}
template <bool careful, class T, int C>
static __device__ inline boundary<T>
among_threads(const crew<pivoted_rows<T, C>> &c, const typename pivoted_rows<T, C>::partition &s,
              const marks<T> &m, int, int, const boundary<T> *beyond)
{
    return by_composing<careful, pivoted_rows<T, C>>(c, s, m, NULL, beyond);
}
/* ---- contiguous systems ---- */

/* By the warp that wrote it; bulk copies take chunks that have no words of others. */
template <class T>
static __device__ inline void store(const batch<T> &b, const piece &p, const chunk<T> *x, int lane)
{
    constexpr int words = CHUNK / sizeof(T);
    int whole = (p.begin + words - 1) / words * words, part = p.end / words * words;
    T *to = b.x + p.from;
    const T *from = x->element;
    bulk_fence();
    __syncwarp();
    if (p.bulk_end == p.bulk_begin || part <= whole)
        whole = part = p.begin;
    else if (elected(lane))
        bulk_store(to + whole, from + whole, (unsigned)((part - whole) * sizeof(T)));
    for (int i = p.begin + lane; i < whole; i += WARP)
        to[i] = from[i];
    for (int i = part + lane; i < p.end; i += WARP)
        to[i] = from[i];
}

/* A tile again, from memory. (Not inlined: the registers are those that matter when nothing is wrong.) */
template <class W, bool first_pass>
static __device__ __attribute__((noinline)) void
solve_carefully(const batch<typename W::number> &b, const tile &at, crew<W> c,
                typename W::partition *all, const boundary<typename W::number> *beyond)
{
    typedef typename W::number T;
    constexpr int rows = W::ROWS;
    int first = c.rank * rows - at.before;
    marks<T> m = {&b, &at, true};
    registers<T, W::ROWS> r;
    read_rows(b, at, first, r);
    bound(r, b, at, first);
    settle<W>(r, b, at, first, beyond);
    typename W::partition s = W::template eliminate<true>(r, m, first);
    if (first_pass) {
        by_composing<true, W>(c, s, m, all, NULL);
        return;
    }
    boundary<T> k = among_threads<true>(c, s, m, first + rows - 1, b.levels, beyond);
    W::template substitute<true>(r, k, m, first);
    for (int e = 0; e < rows; e++)
        if (first + e >= at.begin && first + e < at.end)
            b.x[at.from + at.before + first + e] = r.d[e];
}

/* first_pass: only what each tile becomes. Else, of systems that do not fit, `beyond` is what is known around each tile. */
template <class W, bool first_pass>
static __global__ void __launch_bounds__(W::THREADS, 1)
    solve_tiles(const __grid_constant__ batch<typename W::number> b, typename W::partition *all,
                const boundary<typename W::number> *beyond)
{
    typedef typename W::number T;
    constexpr int words = CHUNK / sizeof(T), rows = W::ROWS;
    DYN_SHARED(chunk<T>, memory);
    crew<W> c;
    c.rank = (int)threadIdx.x;
    c.warp = c.rank / WARP;
    c.lane = c.rank % WARP;
    c.threads = (int)blockDim.x;
    c.warps = c.threads / WARP;
    c.parity = 0;
    int apart = c.threads * W::CHUNKS;
    c.rooms = memory + 4 * apart;
    c.shared = (board<W> *)(memory + 5 * apart);
    chunk<T> *mine = memory + c.rank * W::CHUNKS, *x = c.rooms + c.warp * WARP * W::CHUNKS;
    const rooms<T> to = {memory + c.warp * WARP * W::CHUNKS, apart};
    uint64_t *full = &c.shared->full[c.warp];
    int64_t parts = b.offset && b.of_part > 0 ? b.offset[b.systems] / b.of_part + 1 : b.parts;
    if (blockIdx.x >= parts)
        return;
    int ahead = c.warp * WARP * rows - (int)(LINE / sizeof(T)),
        system = b.of_system > 0 || ahead <= 0 ? 0 : ahead / (int)b.n;
    auto prepare = [&](int64_t t, int parity) {
        tile next = {};
        if (b.offset)
            next = tile_at(b, t, c.lane);
        if (elected(c.lane)) {
            if (!b.offset)
                next = tile_at(b, t, c.lane);
            piece p = piece_of(b, next, c.warp, WARP * rows);
            c.shared->tile[parity][c.warp] = next;
            c.shared->piece[parity][c.warp] = p;
            ask_for(b, p, to, full);
        }
        __syncwarp();
        if (b.of_system == 0)
            clear_status(b, c.shared->tile[parity][c.warp], c.rank, c.threads);
    };
    if (elected(c.lane))
        mbarrier_init(full, 1);
    if (c.rank == 0)
        c.shared->broken[0] = c.shared->broken[1] = 0;
    prepare(blockIdx.x, 0);
    {
        chunk<T> none = {}, one;
        for (T &word : one.element)
            word = one_of(T());
        const piece &brought = c.shared->piece[0][c.warp];
        for (int i = c.lane; i < WARP * W::CHUNKS; i += WARP)
            if (i * words < brought.bulk_begin || i * words >= brought.bulk_end)
                for (int k = 0; k < 4; k++)
                    to.first[k * apart + i] = k == 1 ? one : none;
    }
    __syncthreads();
    UNROLL(1)
    for (int64_t t = blockIdx.x; t < parts; t += gridDim.x, c.parity ^= 1) {
        const tile &at = c.shared->tile[c.parity][c.warp];
        const piece &here = c.shared->piece[c.parity][c.warp];
        mbarrier_wait(full, c.parity);
        fetch_rest(b, here, to, c.lane);
        if (b.matrix != TRIDIAGONAL_BATCH_OWN && (t == blockIdx.x || !b.alike))
            fill(b, at, to, c.warp, WARP * rows, c.lane);
        limit(b, at, here, to, c.warp, WARP * rows, c.lane, system,
              t == blockIdx.x && b.matrix == TRIDIAGONAL_BATCH_OWN);
        registers<T, W::ROWS> r;
        UNROLL()
        for (int k = 0; k < W::CHUNKS; k++) {
            chunk<T> v[] = {mine[k], mine[apart + k], mine[2 * apart + k], mine[3 * apart + k]};
            for (int e = 0; e < words; e++) {
                r.a[k * words + e] = v[0].element[e];
                r.b[k * words + e] = v[1].element[e];
                r.c[k * words + e] = v[2].element[e];
                r.d[k * words + e] = v[3].element[e];
            }
        }
        bulk_fence();
        __syncwarp();
        if (t + gridDim.x < parts)
            prepare(t + gridDim.x, c.parity ^ 1);

        int first = c.rank * rows - at.before;
        const boundary<T> *around = beyond ? beyond + t : NULL;
        marks<T> m = {&b, &at, false};
        int *broken = &c.shared->broken[c.parity];
        settle<W>(r, b, at, first, around);
        typename W::partition s = W::template eliminate<false>(r, m, first);
        if (!W::sound(s))
            *broken = 1;
        if (first_pass) {
            by_composing<false, W>(c, s, m, all + t, NULL);
            if (c.rank == 0 && !W::sound(all[t]))
                *broken = 1;
        } else {
            if (elected(c.lane))
                bulk_store_wait(); /* of the tile before */
            __syncwarp();
            boundary<T> k = among_threads<false>(c, s, m, first + rows - 1, b.levels, around);
            W::template substitute<false>(r, k, m, first);
            if (!all_finite(r.d[0]))
                *broken = 1;
            UNROLL()
            for (int i = 0; i < W::CHUNKS; i++) {
                chunk<T> v;
                for (int e = 0; e < words; e++)
                    v.element[e] = r.d[i * words + e];
                c.rooms[c.rank * W::CHUNKS + i] = v;
            }
        }
        __syncthreads();
        if (*broken) {
            __syncthreads();
            if (c.rank == 0)
                *broken = 0;
            solve_carefully<W, first_pass>(b, at, c, first_pass ? all + t : NULL, around);
        } else if (!first_pass)
            store(b, here, x, c.lane);
    }
    if (elected(c.lane))
        bulk_store_wait();
}

/* One warp a system, whose tiles became all[]: what is known around each. */
template <class W>
static __global__ void join(const __grid_constant__ batch<typename W::number> b,
                            const typename W::partition *all, typename W::interface *nodes,
                            boundary<typename W::number> *beyond)
{
    typedef typename W::number T;
    constexpr int words = LINE / sizeof(T);
    int lane = (int)threadIdx.x, each = (b.of_system + WARP - 1) / WARP,
        before = (int)(blockIdx.x * b.n % words), rows = each * b.length, begin = lane * each,
        end = begin + each;
    int64_t tiles = (int64_t)blockIdx.x * b.of_system;
    tile whole = {};
    whole.first = blockIdx.x;
    whole.end = (int)b.n;
    marks<T> m = {&b, &whole, true};
    end = end < b.of_system ? end : b.of_system;
    typename W::partition s = W::nothing();
    for (int j = begin; j < end; j++) {
        typename W::partition t = all[tiles + j];
        if (j > begin) {
            typename W::interface interface;
            int at = j * b.length - before;
            t = W::template merge<true>(s, t, &interface, m, begin * b.length - before, at - 1,
                                        at + b.length - 1);
            nodes[tiles + j] = interface;
        }
        s = t;
    }
    typename W::interface between = {};
    s = reduce<true, W>(s, WARP, lane, &between, m, -before, rows);
    marks<T> alone = m;
    alone.mine = lane == 0;
    boundary<T> k = struct_from_lane<T>(W::template solve<true>(s, alone, 0, whole.end - 1), 0);
    back_substitute<true, W>(between, WARP, lane, &k, m, -before, rows);
    for (int j = end - 1; j >= begin; j--) {
        boundary<T> here = k;
        if (j > begin) {
            recover<true, W>(nodes[tiles + j], here, m, j * b.length - before, &k.last, &k.right);
            here.left = k.last;
            here.first = k.right;
        }
        beyond[tiles + j] = here;
    }
}

/* ---- interleaved systems ---- */

/* A block has `across` systems, neighbours in memory, in as many partitions of rows each as make up its threads; a thread takes its
 * partition piece by piece, and once more from the end. */
template <class W> struct columns {
    batch<typename W::number> b;
    int across, partitions, pieces;
    typename W::interface *nodes;
};

/* A column alone breaks down if one does: nothing is done carefully. Its first such row is sought where it is known that there is one. */
template <class W> struct column_board {
    typename W::partition sums[COLUMN_THREADS];
    boundary<typename W::number> knowns[COLUMN_THREADS];
    int broken[COLUMN_THREADS];
};
template <class T> static __device__ inline void report(const batch<T> &b, const tile &at, int row)
{
    int value = 1 + (row < at.end ? row : at.end - 1);
    if (b.status && at.end > 0 && atomicCAS(b.status + at.first, 0, value) != 0)
        atomicMin(b.status + at.first, value);
}
template <class W>
static __device__ inline int unsound_row(const registers<typename W::number, W::ROWS> &r)
{
    int row = W::ROWS - 1;
    UNROLL()
    for (int e = row - 1; e >= W::P::NEEDS_FIRST_RIGHT; e--)
        row = are_sound(r.a[e], r.b[e], r.c[e], r.d[e]) ? row : e - W::P::NEEDS_FIRST_RIGHT;
    return row;
}
/* Lanes' words of 4 bytes are a line, but one that need not begin where a line of memory does. */
static __device__ inline float load(const float *from)
{
    return load_line(from);
}
template <class T> static __device__ inline T load(const T *from)
{
    return *from;
}
/* Rows of a column, which ends with row at.end - 1; x = 0 in those behind. */
template <class T, int rows>
static __device__ inline void read_column(const batch<T> &b, const tile &at, int first,
                                          registers<T, rows> &r)
{
    const T none = zero_of(T()), one = one_of(T());
    int left = at.end - first;
    int64_t word = at.from + first * b.systems, step = b.systems, row = word, by = step;
    if (b.matrix != TRIDIAGONAL_BATCH_OWN) {
        by = b.matrix == TRIDIAGONAL_BATCH_SHARED;
        row = first * by;
    }
    const T *sub = b.in[0] + row, *diag = b.in[1] + row, *super = b.in[2] + row,
            *rhs = b.in[3] + word;
    if (left >= rows) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.a[e] = load(sub);
            r.b[e] = load(diag);
            r.c[e] = load(super);
            r.d[e] = load(rhs);
            sub += by;
            diag += by;
            super += by;
            rhs += step;
        }
    } else {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            bool there = e < left;
            r.a[e] = there ? sub[e * by] : none;
            r.b[e] = there ? diag[e * by] : one;
            r.c[e] = there && e + 1 < left ? super[e * by] : none;
            r.d[e] = there ? rhs[e * step] : none;
        }
    }
    if (first == 0)
        r.a[0] = none;
    if (left == rows)
        r.c[rows - 1] = none;
}
template <class W>
static __global__ void
__launch_bounds__(COLUMN_THREADS,
                  W::THREADS >= 2 * COLUMN_THREADS && sizeof(typename W::number) < 16 ? 2 : 1)
    solve_columns(const __grid_constant__ columns<W> g)
{
    typedef typename W::number T;
    constexpr int rows = W::ROWS;
    const batch<T> &b = g.b;
    DYN_SHARED(column_board<W>, shared);
    int rank = (int)threadIdx.x, lane = rank % WARP, column = rank % g.across,
        partition = rank / g.across, base = partition * g.pieces * rows;
    int64_t leftmost = (int64_t)blockIdx.x * g.across;
    auto column_at = [&](int number) {
        tile at = {};
        at.from = at.first = leftmost + number;
        at.end = at.first < b.systems ? (int)b.n : 0;
        return at;
    };
    const tile at = column_at(column);
    if (partition == 0) {
        shared->broken[column] = 0;
        if (b.status && at.end > 0)
            b.status[at.first] = 0;
    }
    __syncthreads();

    const marks<T> nowhere = {};
    registers<T, W::ROWS> r;
    typename W::partition so_far = {};
    boundary<T> k = {};
    bool told = false;
    /* Down the pieces, and up again but for the last, which is still there. */
    UNROLL(1)
    for (int step = 0; step < 2 * g.pieces - 1; step++) {
        bool down = step < g.pieces;
        int i = down ? step : 2 * g.pieces - 2 - step, first = base + i * rows;
        typename W::interface *joint =
            g.nodes + ((int64_t)i * g.partitions + partition) * b.systems + at.first;
        read_column(b, at, first, r);
        typename W::partition s = W::template eliminate<false>(r, nowhere, first);
        if (down) {
            if (!W::sound(s)) {
                report(b, at, first + unsound_row<W>(r));
                shared->broken[column] = 1;
            } else if (i > 0) {
                typename W::interface interface;
                s = W::P::merge(so_far, s, &interface);
                if (at.end > 0)
                    *joint = interface;
                if (!W::sound(s) && W::sound(so_far)) {
                    report(b, at, first - 1);
                    shared->broken[column] = 1;
                }
            }
            so_far = s;
        }
        if (step ==
            g.pieces - 1) { /* as many lanes as there are partitions compose those of a system */
            shared->sums[partition * g.across + column] = so_far;
            __syncthreads();
            int each = g.pieces * rows, other = rank / g.partitions, q = rank % g.partitions;
            typename W::interface between = {};
            s = reduce<false, W>(shared->sums[q * g.across + other], g.partitions, lane, &between,
                                 nowhere, 0, each);
            k = W::template solve<false>(s, nowhere, 0, 0);
            if (q == 0 && !all_finite(k.last) && !shared->broken[other]) {
                report(b, column_at(other), (int)b.n - 1);
                shared->broken[other] = 1;
            }
            k = struct_from_lane<T>(k, lane - q);
            back_substitute<false, W>(between, g.partitions, lane, &k, nowhere, 0, each);
            shared->knowns[q * g.across + other] = k;
            __syncthreads();
            k = shared->knowns[partition * g.across + column];
            told = shared->broken[column] != 0;
        }
        if (step >= g.pieces - 1) {
            boundary<T> here = k;
            if (i > 0 && at.end > 0) {
                W::P::recover(*joint, here, &k.last, &k.right);
                here.left = k.last;
                here.first = k.right;
            }
            W::template substitute<false>(r, here, nowhere, first);
            if (!told && !all_finite(r.d[0]))
                report(b, at, first);
            T *x = b.x + at.from + first * b.systems;
            UNROLL()
            for (int e = 0; e < rows; e++) {
                if (first + e < at.end)
                    *x = r.d[e];
                x += b.systems;
            }
        }
    }
}

/* ---- launchers ---- */

template <class W> static size_t shared_bytes(int threads)
{
    return (size_t)(5 * W::CHUNKS * CHUNK) * (size_t)threads + sizeof(board<W>);
}
/* Rows that `threads` threads have for systems, which may begin in the middle of a line. */
template <class W> static int64_t rows_of(int threads)
{
    return (int64_t)threads * W::ROWS - (LINE / sizeof(typename W::number) - 1);
}
template <class W> static int threads_most(const struct device_properties *m)
{
    int threads = W::THREADS;
    while (threads > WARP && shared_bytes<W>(threads) > m->shared_bytes)
        threads -= WARP;
    return threads;
}
static int levels_of(int64_t count)
{
    int levels = 0;
    while ((int64_t(1) << levels) < count)
        levels++;
    return levels;
}

/* Where in `work` a part begins that is `bytes` long; `*end` is that of what was there before. */
static size_t behind(size_t *end, size_t bytes)
{
    size_t begin = *end;
    *end += ceil_div((int64_t)bytes, CHUNK) * CHUNK;
    return begin;
}
/* Of systems that do not fit. */
struct tiling {
    int threads, of_system, length;
    int64_t tiles;
    size_t all, nodes, beyond, bytes; /* in `work` */
};
template <class W>
static struct tiling tile_long(const struct tridiagonal_batch *g, const struct device_properties *m)
{
    typedef typename W::number T;
    constexpr int words = LINE / sizeof(T);
    struct tiling t = {};
    /* As many warps as a power of two: fold() would take more to be rows behind the tile. */
    for (t.threads = WARP; 4 * t.threads <= threads_most<W>(m); t.threads *= 2) {
    }
    t.length = t.threads * W::ROWS;
    t.of_system = (int)ceil_div(g->n + words - 1, t.length);
    t.tiles = t.of_system * g->batch;
    size_t tiles = (size_t)t.tiles;
    t.all = behind(&t.bytes, tiles * sizeof(typename W::partition));
    t.nodes = behind(&t.bytes, tiles * sizeof(typename W::interface));
    t.beyond = behind(&t.bytes, tiles * sizeof(boundary<T>));
    return t;
}
/* Of interleaved ones. Partitions depend on n alone, so that a system has the same bits in any batch; systems that fit are read
 * once. */
template <class W> static columns<W> column_shape(const struct tridiagonal_batch *g, int processors)
{
    constexpr int rows = W::ROWS;
    columns<W> c = {};
    int most = COLUMN_THREADS * (int)sizeof(typename W::number) / 64;
    most = most < WARP ? most : (int)WARP;
    c.partitions = 1;
    while (c.partitions < most && c.partitions * rows < g->n)
        c.partitions *= 2;
    if (c.partitions * rows < g->n)
        c.partitions = 8;
    c.pieces = (int)ceil_div(g->n, c.partitions * rows);
    c.across = COLUMN_THREADS / c.partitions;
    while (c.across > 8 && c.across * c.partitions > WARP &&
           ceil_div(g->batch, c.across) < processors)
        c.across /= 2;
    return c;
}
template <class W> static size_t column_bytes(const columns<W> &c, int64_t systems)
{
    return c.pieces == 1
               ? 0
               : (size_t)(c.pieces * c.partitions * systems) * sizeof(typename W::interface);
}

template <class T> static batch<T> batch_of(const struct tridiagonal_batch *g)
{
    batch<T> b = {};
    b.n = g->n;
    b.systems = g->batch;
    b.words = b.n * b.systems;
    b.matrix = g->matrix;
    b.offset = g->offset;
    const void *in[4] = {g->sub, g->diag, g->super, g->rhs};
    uintptr_t apart = (uintptr_t)g->x;
    for (int k = 0; k < 4; k++) {
        b.in[k] = (const T *)in[k];
        if (k == 3 || b.matrix == TRIDIAGONAL_BATCH_OWN)
            apart |= (uintptr_t)in[k];
    }
    b.x = (T *)g->x;
    b.status = g->status;
    b.bulk = apart % CHUNK == 0;
    return b;
}

template <class W>
static size_t work_of_columns(const struct tridiagonal_batch *g, const struct device_properties *m)
{
    return column_bytes(column_shape<W>(g, m->multiprocessors), g->batch);
}
template <class W>
static cudaError_t solve_interleaved(const struct tridiagonal_batch *g,
                                     const struct device_properties *m, cudaStream_t stream)
{
    columns<W> c = column_shape<W>(g, m->multiprocessors);
    c.b = batch_of<typename W::number>(g);
    c.nodes = (typename W::interface *)g->work;
    return LAUNCH((solve_columns<W>), (unsigned)ceil_div(g->batch, c.across),
                  (unsigned)(c.across * c.partitions), sizeof(column_board<W>), stream, c);
}

template <class W> static int64_t longest(const struct device_properties *m)
{
    return rows_of<W>(threads_most<W>(m));
}
template <class W>
static size_t work_of_tiles(const struct tridiagonal_batch *g, const struct device_properties *m)
{
    return g->offset || g->n <= longest<W>(m) ? 0 : tile_long<W>(g, m).bytes;
}
template <class W>
static cudaError_t solve_contiguous(const struct tridiagonal_batch *g,
                                    const struct device_properties *m, cudaStream_t stream)
{
    typedef typename W::number T;
    constexpr int words = LINE / sizeof(T), rows = W::ROWS;
    batch<T> b = batch_of<T>(g);
    /* Several blocks a multiprocessor, so that one eliminates while another composes: as many as long systems let there be. As many
     * systems a tile as fit, whatever the batch; but if else some block had none, tiles are parted. */
    int each = 1, threads = threads_most<W>(m);
    if (!b.offset && b.n > rows_of<W>(threads)) {
        struct tiling t = tile_long<W>(g, m);
        char *work = (char *)g->work;
        typename W::partition *all = (typename W::partition *)(work + t.all);
        typename W::interface *nodes = (typename W::interface *)(work + t.nodes);
        boundary<T> *beyond = (boundary<T> *)(work + t.beyond);
        b.of_system = t.of_system;
        b.length = t.length;
        b.parts = t.tiles;
        b.levels = levels_of(t.threads);
        b.used = b.length;
        int64_t most = (int64_t)m->multiprocessors * (W::THREADS / t.threads);
        unsigned blocks = (unsigned)(b.parts < most ? b.parts : most);
        if (b.status)
            TRY(cudaMemsetAsync(b.status, 0, (size_t)b.systems * sizeof *b.status, stream));
        TRY(LAUNCH((solve_tiles<W, true>), blocks, (unsigned)t.threads, shared_bytes<W>(t.threads),
                   stream, b, all, nullptr));
        TRY(LAUNCH((join<W>), (unsigned)b.systems, WARP, 0, stream, b, all, nodes, beyond));
        return LAUNCH((solve_tiles<W, false>), blocks, (unsigned)t.threads,
                      shared_bytes<W>(t.threads), stream, b, nullptr, beyond);
    }
    for (int more = 2; more <= 4 && rows_of<W>(W::THREADS / more / WARP * WARP) >= b.n &&
                       (size_t)more * (shared_bytes<W>(W::THREADS / more / WARP * WARP) + 1024) <=
                           m->shared_bytes + 1024;
         more++) {
        each = more;
        threads = W::THREADS / more / WARP * WARP;
    }
    int64_t fit = rows_of<W>(threads), blocks = (int64_t)m->multiprocessors * each;
    b.levels = levels_of(ceil_div(b.n < fit ? b.n : fit, rows));
    if (b.n > fit)
        return cudaErrorInvalidValue;
    if (b.offset) {
        b.of_tile = (int)fit;
        b.used = threads * rows;
        b.of_part = fit >= 2 * b.n ? (int)(fit - b.n + 1) : 0;
        b.parts = b.systems;
        return LAUNCH((solve_tiles<W, false>), (unsigned)blocks, (unsigned)threads,
                      shared_bytes<W>(threads), stream, b, nullptr, nullptr);
    }
    fit /= b.n;
    int64_t used = fit < b.systems ? fit : b.systems;
    threads = (int)ceil_div(used * b.n + words - 1, WARP * rows) * WARP;
    int64_t tiles = ceil_div(b.systems, fit), share = ceil_div(fit, ceil_div(blocks, tiles));
    b.of_tile = (int)fit;
    b.of_part = (int)share;
    b.parts_each = (int)ceil_div(fit, share);
    b.used = b.matrix == TRIDIAGONAL_BATCH_OWN /* else fill() brings rows everywhere */
                 ? (int)(ceil_div(used * b.n + words - 1, words) * words)
                 : threads * rows;
    b.parts = tiles * b.parts_each;
    /* Of one matrix for all a block keeps its rows: tiles that begin alike, at the same word of a line. */
    if (b.matrix != TRIDIAGONAL_BATCH_OWN && blocks > words)
        blocks -= blocks % words;
    b.alike = blocks % words == 0;
    if (b.parts < blocks || share < fit)
        blocks = b.parts;
    return LAUNCH((solve_tiles<W, false>), (unsigned)blocks, (unsigned)threads,
                  shared_bytes<W>(threads), stream, b, nullptr, nullptr);
}

/* function<rows>(arguments), for a type, with or without pivoting; chunks of a thread in either case. */
#define BY_TYPE(type, rows, C, function, ...)                                                      \
    (type == 's'   ? function<rows<float, C(4)>>(__VA_ARGS__)                                      \
     : type == 'd' ? function<rows<double, C(8)>>(__VA_ARGS__)                                     \
     : type == 'c' ? function<rows<complex_of<float>, C(8)>>(__VA_ARGS__)                          \
                   : function<rows<complex_of<double>, C(16)>>(__VA_ARGS__))
#define BY_ROWS(type, pivot, plain, pivoted, function, ...)                                        \
    (pivot ? BY_TYPE(type, pivoted_rows, pivoted, function, __VA_ARGS__)                           \
           : BY_TYPE(type, plain_rows, plain, function, __VA_ARGS__))
/* As measured, by the bytes of a word. */
#define TILE_PLAIN(bytes)     7
#define TILE_PIVOTED(bytes)   (bytes > 4 ? 7 : 5)
#define COLUMN_PLAIN(bytes)   5
#define COLUMN_PIVOTED(bytes) 5

int64_t tridiagonal_batch_longest(char type, int pivot)
{
    struct device_properties m;
    return element_bytes(type) > 0 && query_device(&m) == cudaSuccess
               ? BY_ROWS(type, pivot, TILE_PLAIN, TILE_PIVOTED, longest, &m)
               : 0;
}

/* Such that no product overflows. */
static bool arguments_valid(const struct tridiagonal_batch *b)
{
    return b && element_bytes(b->type) > 0 && b->n >= 0 && b->batch >= 0 && b->n <= 1 << 30 &&
           b->batch <= INT64_MAX / 256 / (b->n > 0 ? b->n : 1) &&
           b->matrix >= TRIDIAGONAL_BATCH_OWN && b->matrix <= TRIDIAGONAL_BATCH_CONSTANT &&
           !(b->offset && (b->interleaved || b->matrix != TRIDIAGONAL_BATCH_OWN));
}
static size_t work_on(const struct tridiagonal_batch *b, const struct device_properties *m)
{
    return b->interleaved
               ? BY_ROWS(b->type, b->pivot, COLUMN_PLAIN, COLUMN_PIVOTED, work_of_columns, b, m)
               : BY_ROWS(b->type, b->pivot, TILE_PLAIN, TILE_PIVOTED, work_of_tiles, b, m);
}
size_t tridiagonal_batch_work(const struct tridiagonal_batch *b)
{
    struct device_properties m;
    return arguments_valid(b) && b->n > 0 && b->batch > 0 && query_device(&m) == cudaSuccess
               ? work_on(b, &m)
               : 0;
}

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    struct device_properties m;
    if (!arguments_valid(b) || (b->status && !device_aligned(b->status, sizeof *b->status)))
        return cudaErrorInvalidValue;
    if (b->n == 0 || b->batch == 0)
        return b->status && b->batch > 0
                   ? cudaMemsetAsync(b->status, 0, (size_t)b->batch * sizeof *b->status, stream)
                   : cudaSuccess;
    const void *const arrays[] = {b->sub, b->diag, b->super, b->rhs, b->x};
    for (const void *array : arrays)
        if (!device_aligned(array, element_bytes(b->type)))
            return cudaErrorInvalidValue;
    if (b->offset && !device_aligned(b->offset, sizeof *b->offset))
        return cudaErrorInvalidValue;
    TRY(query_device(&m));
    if (work_on(b, &m) > 0 && !device_aligned(b->work, CHUNK))
        return cudaErrorInvalidValue;
    return b->interleaved ? BY_ROWS(b->type, b->pivot, COLUMN_PLAIN, COLUMN_PIVOTED,
                                    solve_interleaved, b, &m, stream)
                          : BY_ROWS(b->type, b->pivot, TILE_PLAIN, TILE_PIVOTED, solve_contiguous,
                                    b, &m, stream);
}
