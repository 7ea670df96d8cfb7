/* Segments of a tridiagonal system: some consecutive rows, of which two equations in l, f, e, n are left (f, e: their first and last
 * unknown; l, n: those next to them), without and with pivoting; composed in a warp. nshape/tridiagonal.cu says what for.
 * Goes with device.h and scalar.cuh. */
#ifndef PARTITION_CUH
#define PARTITION_CUH

#include "scalar.cuh"

#include <math.h>

/* ---- numbers ---- */

template <class R>
static __device__ inline complex_of<R> operator-(complex_of<R> x, complex_of<R> y)
{
    return {x.re - y.re, x.im - y.im};
}
template <class R> static __device__ inline complex_of<R> operator-(complex_of<R> x)
{
    return {-x.re, -x.im};
}
/* Without a division's branches. NaN for 0 and what is not finite, which stays NaN in all that follows: so a breakdown is
 * not forgotten. */
static __device__ inline float inverse(float x)
{
    float x4 = x * 0.25f, y = reciprocal_estimate(x4),
          y4 = y * 0.25f; /* where 1/x is subnormal, too */
    return y4 + y4 * (1 - x4 * y);
}
static __device__ inline double inverse(double x) /* of third order: e and e^2 */
{
    double x4 = x * 0.25, y = reciprocal_estimate(x4), y4 = y * 0.25, e = 1 - x4 * y;
    return y4 + y4 * (e + e * e);
}
/* b - a x */
template <class T> static __device__ inline T neg_mul_add(T b, T a, T x)
{
    return mul_add(-a, x, b);
}
static __device__ inline float abs1(float x)
{
    return fabsf(x);
}
static __device__ inline double abs1(double x)
{
    return fabs(x);
}
template <class R> static __device__ inline R abs1(complex_of<R> x) /* as LAPACK's cabs1 */
{
    return abs1(x.re) + abs1(x.im);
}
static __device__ inline float largest(float x, float y)
{
    return fmaxf(x, y);
}
static __device__ inline double largest(double x, double y)
{
    return fmax(x, y);
}
template <class T> static __device__ inline bool all_finite(T x)
{
    return abs1(x) * 0 == 0;
}
static __device__ inline float not_a_number(float)
{
    return NAN;
}
static __device__ inline double not_a_number(double)
{
    return NAN;
}
template <class R> static __device__ inline complex_of<R> not_a_number(complex_of<R>)
{
    return {NAN, 0};
}
static __device__ inline bool is_nan(float x)
{
    return x != x;
}
static __device__ inline bool is_nan(double x)
{
    return x != x;
}
template <class R> static __device__ inline bool is_nan(complex_of<R> x)
{
    return is_nan(x.re);
}
/* The power of two that brings m > 0 to between 1 and 2, or as near as it is finite. */
static __device__ inline float to_one(float m)
{
    uint32_t bits;
    memcpy(&bits, &m, 4);
    bits = 0x7f000000u - (bits & 0x7f800000u);
    if ((int32_t)bits < 0x00800000)
        bits = 0x00800000u;
    memcpy(&m, &bits, 4);
    return m;
}
static __device__ inline double to_one(double m)
{
    uint64_t bits;
    memcpy(&bits, &m, 8);
    bits = 0x7fe0000000000000u - (bits & 0x7ff0000000000000u);
    if ((int64_t)bits < 0x0010000000000000)
        bits = 0x0010000000000000u;
    memcpy(&m, &bits, 8);
    return m;
}
/* Scaled in single precision, where squares overflow early. */
static __device__ inline complex_of<float> inverse(complex_of<float> x)
{
    float by = to_one(largest(abs1(x.re), abs1(x.im))), re = x.re * by, im = x.im * by,
          over = by * inverse(re * re + im * im);
    return {re * over, -im * over};
}
static __device__ inline complex_of<double> inverse(complex_of<double> x)
{
    double over = inverse(x.re * x.re + x.im * x.im);
    return {x.re * over, -x.im * over};
}
static __device__ inline float scaled(float x, float by)
{
    return x * by;
}
static __device__ inline double scaled(double x, double by)
{
    return x * by;
}
template <class R> static __device__ inline complex_of<R> scaled(complex_of<R> x, R by)
{
    return {x.re * by, x.im * by};
}
template <class V> static __device__ inline void swap_if(bool which, V &x, V &y)
{
    V old = x;
    x = which ? y : x;
    y = which ? old : y;
}

/* ---- a thread's rows ---- */

/* In shared memory, and what replaces them there. Toeplitz: rhs alone is brought, the others' room is free. */
template <class T> struct share {
    chunk<T> *sub, *diag, *super, *rhs;
    int chunks, rows; /* of an array; of the rows those that exist */
    int swizzle;      /* chunk k is in place k ^ swizzle */
    bool toeplitz;
    bool first;        /* no rows before them */
    bool begins, ends; /* row 0, row n - 1 is among them, and there is nothing beyond */
    T same[3];
};
template <bool whole, class T> static __device__ inline int chunks_with_rows(const share<T> &my)
{
    constexpr int words = CHUNK / sizeof(T);
    return whole ? my.chunks : (my.rows + words - 1) / words;
}
template <class T> struct four {
    chunk<T> a, b, c, d;
};
template <class T> static __device__ inline four<T> rows_at(const share<T> &my, int at)
{
    constexpr int words = CHUNK / sizeof(T);
    four<T> r;
    r.d = my.rhs[at ^ my.swizzle];
    if (my.toeplitz)
        for (int e = 0; e < words; e++) {
            r.a.word[e] = my.same[0];
            r.b.word[e] = my.same[1];
            r.c.word[e] = my.same[2];
        }
    else {
        r.a = my.sub[at ^ my.swizzle];
        r.b = my.diag[at ^ my.swizzle];
        r.c = my.super[at ^ my.swizzle];
    }
    if (my.begins && at == 0)
        r.a.word[0] = zero_of(T());
    if (my.ends)
        for (int e = 0; e < words; e++)
            if (at * words + e == my.rows - 1)
                r.c.word[e] = zero_of(T());
    return r;
}

/* What is known of a segment's surroundings on the way back. */
template <class T> struct known {
    T l, f, e, n;
};

enum lacking { FIRST_F, FIRST_E, SECOND_F, SECOND_E };

/* ---- without pivoting ---- */

template <class T> struct plain {
    typedef T number;
    enum { FIRSTS = 0 /* does a thread need f and n? */ };
    /* TWICE: lanes of a unit; of the second pass warps in a block and chunks of a thread in an array, as registers and shared
     * memory allow. */
    enum { UNIT = 32, WARPS = 12, CHUNKS = sizeof(T) > 8 ? 9 : 7 };
    enum { THREADS = sizeof(T) > 8 ? 256 : 512 }; /* ON_CHIP: of a block, at most */

    /* f + fa l + fc e = fd; a l + b e + c n = d */
    struct segment {
        T fa, fc, fd, a, b, c, d;
    };
    /* e of the first of two = d - a l - c e of the second */
    struct node {
        T a, c, d;
    };

    static __device__ inline bool sound(const segment &s)
    {
        return all_finite(s.fa) && all_finite(s.fc) && all_finite(s.a) && all_finite(s.b) &&
               all_finite(s.c);
    }
    static __device__ inline bool has_nan(const segment &s)
    {
        return is_nan(abs1(s.fa) + abs1(s.fc) + abs1(s.a) + abs1(s.b) + abs1(s.c));
    }
    /* No rows around them make them solvable. */
    static __device__ inline bool singular(const segment &s)
    {
        return !sound(s);
    }
    /* Which unknown has no pivot where two segments meet that are not singular and become so. */
    static __device__ inline enum lacking lacking(const segment &, const segment &, const node &)
    {
        return FIRST_E;
    }
    /* In the last two equations: is it f? */
    static __device__ inline bool lacks_f(const segment &)
    {
        return false;
    }

    static __device__ inline segment of_no_rows(void)
    {
        const T none = zero_of(T());
        return {none, -one_of(T()), none, none, none, none, none}; /* f is f */
    }
    /* RD: l instead of the neighbour above. In the same sweep each row replaces the unknown before in what f is, which is what RU
     * would find, without RU's divisions. keep: each row's a and d replace sub and rhs, and 1 / the pivot above replaces diag. */
    template <bool whole, bool keep>
    static __device__ inline void eliminate(const share<T> &my, segment *rows_so_far)
    {
        constexpr int words = CHUNK / sizeof(T);
        segment s = *rows_so_far;
        T a = s.a, b = s.b, c = s.c, d = s.d, fa = s.fa, fc = s.fc, fd = s.fd;
        UNROLL(1)
        for (int k = 0; k < chunks_with_rows<whole>(my); k++) {
            four<T> row = rows_at(my, k);
            UNROLL()
            for (int e = 0; e < words; e++) {
                if (my.first && k == 0 && e == 0) {
                    a = row.a.word[0];
                    b = row.b.word[0];
                    d = row.d.word[0];
                } else if (whole || k * words + e < my.rows) {
                    T q = inverse(b), r = -(row.a.word[e] * q), s = -(fc * q);
                    fa = mul_add(s, a, fa);
                    fd = mul_add(s, d, fd);
                    fc = s * c;
                    a = r * a;
                    b = mul_add(r, c, row.b.word[e]);
                    d = mul_add(r, d, row.d.word[e]);
                    row.a.word[e] = a;
                    row.b.word[e] = q;
                    row.d.word[e] = d;
                }
                if (whole || k * words + e < my.rows)
                    c = row.c.word[e];
            }
            if (keep) {
                my.sub[k] = row.a;
                my.diag[k] = row.b;
                my.rhs[k] = row.d;
            }
        }
        *rows_so_far = {fa, fc, fd, a, b, c, d};
    }

    static __device__ inline segment compose(const segment &s, const segment &t, node *where)
    {
        T p = inverse(neg_mul_add(s.b, s.c, t.fa));
        *where = {s.a * p, -(s.c * t.fc * p), neg_mul_add(s.d, s.c, t.fd) * p};
        return {neg_mul_add(s.fa, s.fc, where->a), -(s.fc * where->c),
                neg_mul_add(s.fd, s.fc, where->d), -(t.a * where->a),
                neg_mul_add(t.b, t.a, where->c),   t.c,
                neg_mul_add(t.d, t.a, where->d)};
    }
    static __device__ inline void meet(const node &where, const known<T> &k, T *e, T *f)
    {
        *e = neg_mul_add(neg_mul_add(where.d, where.a, k.l), where.c, k.e);
        *f = zero_of(T());
    }
    /* All rows: l is e, n is f, or their coefficients are zero. NaN, and false, if that has no solution. */
    static __device__ inline bool solve(const segment &s, T *f, T *e)
    {
        T fe = s.fa + s.fc, p = inverse(neg_mul_add(s.a + s.b, s.c, fe));
        *e = neg_mul_add(s.d, s.c, s.fd) * p;
        *f = neg_mul_add(s.fd, fe, *e);
        return all_finite(p);
    }

    /* SS of all rows but the last: each between l and the row behind, by what `keep` left. x replaces rhs. */
    template <bool whole>
    static __device__ inline void substitute(const share<T> &my, const known<T> &k)
    {
        constexpr int words = CHUNK / sizeof(T);
        T x = k.e, q = one_of(T()); /* 1 / pivot of the row behind which x comes: kept there */
        UNROLL(1)
        for (int at = chunks_with_rows<whole>(my) - 1; at >= 0; at--) {
            chunk<T> a = my.sub[at], b = my.diag[at], d = my.rhs[at], c;
            if (my.toeplitz)
                for (int e = 0; e < words; e++)
                    c.word[e] = my.same[2];
            else
                c = my.super[at];
            UNROLL()
            for (int e = words - 1; e >= 0; e--)
                if (whole || at * words + e < my.rows) {
                    if (at * words + e < my.rows - 1)
                        x = neg_mul_add(neg_mul_add(d.word[e], a.word[e], k.l), c.word[e], x) * q;
                    d.word[e] = x;
                    q = b.word[e];
                }
            my.rhs[at] = d;
        }
    }
};

/* ---- with pivoting ---- */

template <class T> struct pivoted {
    typedef T number;
    enum { FIRSTS = 1 };
    enum {
        UNIT = 16,
        WARPS = sizeof(T) > 8 ? 8 : 12,
        CHUNKS = sizeof(T) > 8   ? 13
                 : sizeof(T) > 4 ? 9
                                 : 7
    };
    enum { THREADS = sizeof(T) > 8 ? 256 : sizeof(T) > 4 ? 384 : 512 };

    /* l, f, e, n: coefficients of what is called so in `known` */
    struct line {
        T l, f, e, n, d;
    };
    struct segment {
        line p, q;
    };
    /* Where two segments meet: e of the first, f of the second. f = f_d - (f_l, f_f, f_e, f_n) known;
     * e = e_d - e_m f - (e_l, …) known. */
    struct node {
        T e_m;
        line e, f;
    };

    static __device__ inline bool sound(const segment &s)
    {
        return all_finite(s.p.l) && all_finite(s.p.f) && all_finite(s.p.e) && all_finite(s.p.n) &&
               all_finite(s.q.l) && all_finite(s.q.f) && all_finite(s.q.e) && all_finite(s.q.n);
    }
    static __device__ inline bool has_nan(const segment &s)
    {
        return is_nan(abs1(s.p.l) + abs1(s.p.f) + abs1(s.p.e) + abs1(s.p.n) + abs1(s.q.l) +
                      abs1(s.q.f) + abs1(s.q.e) + abs1(s.q.n));
    }
    static __device__ inline bool is_zero(const line &x)
    {
        return abs1(x.l) == 0 && abs1(x.f) == 0 && abs1(x.e) == 0 && abs1(x.n) == 0;
    }
    static __device__ inline bool singular(const segment &s)
    {
        return !sound(s) || is_zero(s.p) || is_zero(s.q);
    }
    static __device__ inline enum lacking lacking(const segment &s, const segment &t,
                                                  const node &where)
    {
        if (!all_finite(where.e.l))
            return FIRST_E;
        if (!all_finite(where.f.l))
            return SECOND_F;
        /* An equation without unknowns is left: of two that have the same ones, or because another
         * unknown is in none. */
        return abs1(s.p.f) == 0 && abs1(s.q.f) == 0   ? FIRST_F
               : abs1(t.p.e) == 0 && abs1(t.q.e) == 0 ? SECOND_E
                                                      : FIRST_E;
    }
    static __device__ inline bool lacks_f(const segment &s)
    {
        T a = s.p.f + s.p.n, c = s.q.f + s.q.n;
        return !all_finite(inverse(abs1(c) > abs1(a) ? c : a));
    }

    /* A row on the way down: u of the unknown to be eliminated, v and w of the next two. */
    struct row {
        T l, f, u, v, w, d;
    };
    static __device__ inline row row_of(T a, T b, T c, T d)
    {
        auto by = to_one(largest(largest(abs1(a), abs1(b)), abs1(c)));
        return {zero_of(T()),  zero_of(T()),  scaled(a, by),
                scaled(b, by), scaled(c, by), scaled(d, by)};
    }
    static __device__ inline void swap_if(bool which, row &x, row &y)
    {
        ::swap_if(which, x.l, y.l);
        ::swap_if(which, x.f, y.f);
        ::swap_if(which, x.u, y.u);
        ::swap_if(which, x.v, y.v);
        ::swap_if(which, x.w, y.w);
        ::swap_if(which, x.d, y.d);
    }
    /* Without the pivot row's unknown; the next one takes its place. */
    static __device__ inline row rid(const row &x, const row &pivot, T q)
    {
        T r = -(x.u * q);
        return {mul_add(r, pivot.l, x.l),
                mul_add(r, pivot.f, x.f),
                mul_add(r, pivot.v, x.v),
                mul_add(r, pivot.w, x.w),
                zero_of(T()),
                mul_add(r, pivot.d, x.d)};
    }

    static __device__ inline segment of_no_rows(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, -one, none, none},
                {none, none, none, one, none}}; /* f is the first unknown */
    }
    /* Two rows stay, whichever they are; of three that have an unknown the one with its largest coefficient goes.
     * keep: the pivot row of the unknown before row i replaces row i, divided by the pivot: x + v x_i + (…) = d. If it was
     * given as row i, then (…) is w x_{i+1}, and super says so by NaN; else it is l l + f f. */
    template <bool whole, bool keep>
    static __device__ inline void eliminate(const share<T> &my, segment *rows_so_far)
    {
        constexpr int words = CHUNK / sizeof(T);
        const T none = zero_of(T());
        segment s = *rows_so_far;
        row x = {s.p.l, s.p.f, s.p.e, s.p.n, none, s.p.d},
            y = {s.q.l, s.q.f, s.q.e, s.q.n, none, s.q.d};
        UNROLL(2)
        for (int k = 0; k < chunks_with_rows<whole>(my); k++) {
            four<T> all = rows_at(my, k);
            UNROLL()
            for (int e = 0; e < words; e++) {
                row next = row_of(all.a.word[e], all.b.word[e], all.c.word[e], all.d.word[e]);
                if (my.first && k == 0 && e == 0)
                    y = {next.u, none, next.v, next.w, none, next.d};
                else if (whole || k * words + e < my.rows) {
                    bool upper = abs1(x.u) > abs1(next.u);
                    swap_if(upper, x, next);
                    bool lower = abs1(y.u) > abs1(next.u), given = !upper && !lower;
                    swap_if(lower, y, next);
                    T q = inverse(next.u);
                    x = rid(x, next, q);
                    y = rid(y, next, q);
                    if (keep) {
                        all.a.word[e] = (next.l + next.w) * q; /* one of them is 0 */
                        all.b.word[e] = next.v * q;
                        all.c.word[e] = given ? not_a_number(T()) : next.f * q;
                        all.d.word[e] = next.d * q;
                    }
                }
            }
            if (keep) {
                my.sub[k] = all.a;
                my.diag[k] = all.b;
                my.super[k] = all.c;
                my.rhs[k] = all.d;
            }
        }
        *rows_so_far = {{x.l, x.f, x.u, x.v, x.d}, {y.l, y.f, y.u, y.v, y.d}};
    }

    /* A row where two segments meet: x of e of the first, y of f of the second. */
    struct joint {
        T x, y;
        line a;
    };
    static __device__ inline void swap_if(bool which, joint &s, joint &t)
    {
        ::swap_if(which, s.x, t.x);
        ::swap_if(which, s.y, t.y);
        ::swap_if(which, s.a.l, t.a.l);
        ::swap_if(which, s.a.f, t.a.f);
        ::swap_if(which, s.a.e, t.a.e);
        ::swap_if(which, s.a.n, t.a.n);
        ::swap_if(which, s.a.d, t.a.d);
    }
    static __device__ inline line add(const line &x, T r, const line &pivot)
    {
        return {mul_add(r, pivot.l, x.l), mul_add(r, pivot.f, x.f), mul_add(r, pivot.e, x.e),
                mul_add(r, pivot.n, x.n), mul_add(r, pivot.d, x.d)};
    }
    static __device__ inline line times(const line &x, T q)
    {
        return {x.l * q, x.f * q, x.e * q, x.n * q, x.d * q};
    }
    static __device__ inline segment compose(const segment &s, const segment &t, node *where)
    {
        const T none = zero_of(T());
        joint a = {s.p.e, s.p.n, {s.p.l, s.p.f, none, none, s.p.d}},
              b = {s.q.e, s.q.n, {s.q.l, s.q.f, none, none, s.q.d}},
              c = {t.p.l, t.p.f, {none, none, t.p.e, t.p.n, t.p.d}},
              d = {t.q.l, t.q.f, {none, none, t.q.e, t.q.n, t.q.d}};
        swap_if(abs1(b.x) > abs1(a.x), a, b);
        swap_if(abs1(d.x) > abs1(c.x), c, d);
        swap_if(abs1(c.x) > abs1(a.x), a, c);
        T q = inverse(a.x);
        where->e_m = a.y * q;
        where->e = times(a.a, q);
        joint *others[] = {&b, &c, &d};
        UNROLL()
        for (joint *other : others) {
            T r = -other->x;
            other->y = mul_add(r, where->e_m, other->y);
            other->a = add(other->a, r, where->e);
        }
        swap_if(abs1(c.y) > abs1(b.y), b, c);
        swap_if(abs1(d.y) > abs1(b.y), b, d);
        q = inverse(b.y);
        where->f = times(b.a, q);
        return {add(c.a, -c.y, where->f), add(d.a, -d.y, where->f)};
    }
    static __device__ inline T rest(const line &x, const known<T> &k)
    {
        return neg_mul_add(neg_mul_add(neg_mul_add(neg_mul_add(x.d, x.l, k.l), x.f, k.f), x.e, k.e),
                           x.n, k.n);
    }
    static __device__ inline void meet(const node &where, const known<T> &k, T *e, T *f)
    {
        *f = rest(where.f, k);
        *e = neg_mul_add(rest(where.e, k), where.e_m, *f);
    }
    static __device__ inline bool solve(const segment &s, T *f, T *e)
    {
        T a = s.p.f + s.p.n, b = s.p.e + s.p.l, c = s.q.f + s.q.n, d = s.q.e + s.q.l, g = s.p.d,
          h = s.q.d;
        bool swapped = abs1(c) > abs1(a);
        ::swap_if(swapped, a, c);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T q = inverse(a), r = -(c * q), p = inverse(mul_add(r, b, d));
        *e = mul_add(r, g, h) * p;
        *f = neg_mul_add(g, b, *e) * q;
        return all_finite(p);
    }

    /* Back from e and n, by what `keep` left; x replaces rhs. */
    template <bool whole>
    static __device__ inline void substitute(const share<T> &my, const known<T> &k)
    {
        constexpr int words = CHUNK / sizeof(T);
        T x = k.e, behind = k.n;
        UNROLL(2)
        for (int at = chunks_with_rows<whole>(my) - 1; at >= 0; at--) {
            chunk<T> w = my.sub[at], v = my.diag[at], f = my.super[at], d = my.rhs[at];
            UNROLL()
            for (int e = words - 1; e >= 0; e--)
                if (whole || at * words + e < my.rows) {
                    bool given = is_nan(f.word[e]);
                    T before = neg_mul_add(d.word[e], v.word[e], x);
                    before = neg_mul_add(before, w.word[e], given ? behind : k.l);
                    before = neg_mul_add(before, given ? zero_of(T()) : f.word[e], k.f);
                    d.word[e] = x;
                    behind = x;
                    x = before;
                }
            my.rhs[at] = d;
        }
    }
};

/* ---- composing in parallel ---- */

/* Word by word, whatever the struct. */
template <class T, class V> static __device__ inline V struct_from_lane(const V &v, int lane)
{
    T words[sizeof(V) / sizeof(T)];
    V copy;
    memcpy((void *)words, (const void *)&v, sizeof(V));
    for (T &word : words)
        word = from_lane(word, lane);
    memcpy((void *)&copy, (const void *)words, sizeof(V));
    return copy;
}
/* The segments of `size` (a power of two) neighbouring lanes, of which the first `count` exist, as one, which the first of
 * them gets. There are size - 1 places where two meet; each lane keeps the node between it and the next. */
template <class P>
static __device__ inline typename P::segment fold(typename P::segment s, int size, int count,
                                                  int lane, typename P::node *mine)
{
    typedef typename P::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename P::node node;
        typename P::segment both = P::compose(s, struct_from_lane<T>(s, (lane + h) % WARP), &node);
        if ((at & -2 * h) + h < count)
            s = both;
        node = struct_from_lane<T>(node, lane & -2 * h);
        if ((at & (2 * h - 1)) == h - 1)
            *mine = node;
    }
    return s;
}
/* k of all `count` segments becomes that of the lane's own. */
template <class P>
static __device__ inline void unfold(const typename P::node &mine, int size, int count, int lane,
                                     known<typename P::number> *k)
{
    typedef typename P::number T;
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T e, f;
        P::meet(mine, *k, &e, &f);
        int keeper = (lane & -2 * h) + h - 1;
        e = from_lane(e, keeper);
        if (P::FIRSTS)
            f = from_lane(f, keeper);
        bool met = (at & -2 * h) + h < count, second = (at & h) != 0;
        k->l = met && second ? e : k->l;
        k->e = met && !second ? e : k->e;
        if (P::FIRSTS) {
            k->f = met && second ? f : k->f;
            k->n = met && !second ? f : k->n;
        }
    }
}

static __device__ inline int power_of_two(int count) /* not less than it, up to a warp */
{
    return count > WARP / 2 ? (int)WARP : count > 1 ? 1 << (WARP - __clz(count - 1)) : 1;
}

#endif
