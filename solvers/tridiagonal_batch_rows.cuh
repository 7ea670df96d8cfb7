/* tridiagonal_batch: the rows of a thread, which are in registers. The functions eliminate them to
 * a partition of two equations, merge it with the neighbour's partition, and substitute back.
 * partition.cuh explains the method. plain_rows is the variant without pivoting, pivoted_rows the
 * one with pivoting.
 *
 * The rows of a tile belong to several systems, and a system that breaks down must not harm the
 * others. Couplings between systems are 0, but they do not stop a NaN, because 0 times NaN is NaN.
 * So each function has two versions.
 *
 *     checked = false   the fast path. It does not test for breakdowns; NaN and Inf propagate to a
 *                       partition or to an x at the end, and a single test there finds them.
 *     checked = true    the path that solves such a tile again. A row that would produce NaN or Inf
 *                       is replaced by x = 0 and reported, so its neighbours are unaffected.
 *
 * In all functions `first` and `last` are the rows of the tile with which the current partition
 * begins and ends, for reports. `count` is for periodic systems, in which a thread may have fewer
 * than ROWS rows: the rows from `count` on are skipped. (In other systems they become x = 0, which
 * would cut the coupling between the ends of a ring.) */
#pragma once

#include "tridiagonal_batch_tile.cuh"

/* 1 / pivot; if `checked`, 0 instead of NaN or Inf, and *broken is set. */
template <bool checked, class T>
static __device__ inline T reciprocal_or_zero(T pivot, bool *broken)
{
    T q = reciprocal(pivot);
    bool bad = checked && !all_finite(q);
    *broken = *broken || bad;
    return bad ? zero_of(T()) : q;
}
/* If `checked` and *x is NaN or Inf, sets *x to 0 and sets *broken. */
template <bool checked, class T>
static __device__ inline void zero_if_not_finite(T *x, bool *broken)
{
    bool bad = checked && !all_finite(*x);
    *broken = *broken || bad;
    *x = bad ? zero_of(T()) : *x;
}

/* The rows of a thread, which may belong to several systems. eliminate() overwrites them with the
 * values that substitute() needs. */
template <class T, int rows> struct registers {
    T sub[rows], diag[rows], super[rows], rhs[rows];
    /* Used by the checked path. Bit e: a system begins with row e. Bit `rows`: a system begins with
     * the row after the last one. */
    unsigned system_begins;
    /* Used with pivoting. Bit e: the pivot row in the place of row e was row e itself, not a
     * carried row. */
    unsigned own_row;
};

/* ---- adjoint systems ---- */

template <class R, int rows> static __device__ inline void conjugate_rhs(R (&)[rows])
{
}
template <class R, int rows> static __device__ inline void conjugate_rhs(complex_of<R> (&rhs)[rows])
{
    UNROLL()
    for (int e = 0; e < rows; e++)
        rhs[e] = conjugate(rhs[e]);
}

/* ---- the tests of automatic pivoting ---- */

template <class T, int rows> static __device__ inline bool all_dominant(const registers<T, rows> &r)
{
    bool dominant = true;
    UNROLL()
    for (int e = 0; e < rows; e++)
        dominant = dominant && is_dominant(r.sub[e], r.diag[e], r.super[e]);
    return dominant;
}
/* Tests the rows of a thread that plain_rows have eliminated. */
template <class T, int rows>
static __device__ inline bool stayed_dominant(const registers<T, rows> &r)
{
    bool dominant = true;
    UNROLL()
    for (int e = 0; e + 1 < rows; e++)
        dominant = dominant && row_stayed_dominant(r.sub[e], r.diag[e], r.super[e]);
    return dominant;
}
/* ---- without pivoting ---- */

/* C is the number of 16-byte chunks of each array that a thread takes. The chunks of thread i begin
 * at chunk C i of the staging buffer. An odd C avoids bank conflicts, because then eight
 * neighbouring threads access each of the 32 banks once. */
template <class T, int C> struct plain_rows {
    typedef plain_rows<T, C> checked_method; /* the method of the checked path */
    typedef plain<T> P;
    typedef T number;
    typedef typename P::partition partition;
    typedef typename P::interface interface;
    /* ROWS: rows of a thread. THREADS: the number of threads for which a multiprocessor has
     * registers. */
    enum {
        CHUNKS = C,
        ROWS = C * CHUNK / sizeof(T),
        THREADS = C > 5   ? 384
                  : C > 3 ? 512
                          : 640,
        AUTO = 0
    };

    /* The partition of rows that do not exist: x_first = 0, x_last = 0. */
    static __device__ inline partition padding(void)
    {
        const T none = zero_of(T());
        return {none, none, none, none, one_of(T()), none, none};
    }
    /* The x that substitute() computes last. It is not finite if any other one is not. */
    static __device__ inline T last_x(const registers<T, ROWS> &r, int = ROWS)
    {
        return r.rhs[0];
    }
    /* Place e has what row e becomes. */
    static __device__ inline int row_of_place(int e, int)
    {
        return e;
    }
    /* Returns the partition of a tile in the form in which a long system's tiles are merged. */
    static __device__ inline partition of_tile(const partition &s)
    {
        return s;
    }
    /* Replaces an equation that is not finite by x_first = 0 or x_last = 0. */
    static __device__ inline void mask_breakdown(partition *s, const reporter<T> &to, int first,
                                                 int last)
    {
        const T none = zero_of(T());
        if (!all_finite(s->first_left, s->first_last, s->first_rhs)) {
            report(to, first);
            s->first_left = s->first_last = s->first_rhs = none;
        }
        if (!all_finite(s->left, s->last, s->rhs, s->right)) {
            report(to, last);
            s->left = s->rhs = s->right = none;
            s->last = one_of(T());
        }
    }
    /* Forward elimination (RD of L22). sub and rhs are overwritten by those of the eliminated rows,
     * and diag by 1 / pivot. The last row is not divided by its pivot; it becomes the second
     * equation of the partition.
     * With `test`, *dominant becomes all_dominant() of the first `count` rows and stayed_dominant()
     * of what they become. It costs less to test each row here than to test all before and after.
     */
    template <bool checked, bool test = false>
    static __device__ inline partition eliminate(registers<T, ROWS> &r, const reporter<T> &to,
                                                 int first, int count = ROWS, bool *dominant = NULL)
    {
        constexpr int rows = ROWS;
        const T none = zero_of(T());
        partition s = P::empty_partition();
        s.left = r.sub[0];
        s.last = r.diag[0];
        s.right = r.super[0];
        s.rhs = r.rhs[0];
        if (test)
            *dominant = is_dominant(r.sub[0], r.diag[0], r.super[0]);
        UNROLL()
        for (int e = 1; e < rows; e++) {
            if (e >= count)
                continue;
            T q = reciprocal(s.last), up, down;
            if (test) {
                *dominant &= is_dominant(r.sub[e], r.diag[e], r.super[e]);
                *dominant &= row_stayed_dominant(s.left, q, s.right);
            }
            if (checked && !all_finite(q, s.left, s.rhs, s.right)) {
                report(to, first + e - 1);
                q = s.left = s.rhs = s.right = r.super[e - 1] = none;
            }
            r.sub[e - 1] = s.left;
            r.diag[e - 1] = q;
            r.rhs[e - 1] = s.rhs;
            down = -(r.sub[e] * q);
            up = -(s.first_last * q);
            s.first_left = mul_add(up, s.left, s.first_left);
            s.first_rhs = mul_add(up, s.rhs, s.first_rhs);
            s.first_last = up * s.right;
            s.left = down * s.left;
            s.last = mul_add(down, s.right, r.diag[e]);
            s.rhs = mul_add(down, s.rhs, r.rhs[e]);
            s.right = r.super[e];
        }
        if (checked)
            mask_breakdown(&s, to, first, first + rows - 1);
        return s;
    }
    static __device__ inline bool is_finite(const partition &s)
    {
        return all_finite(s.first_left, s.first_last, s.first_rhs) &&
               all_finite(s.left, s.last, s.rhs, s.right);
    }
    /* upper_end is the last row of the upper partition; its unknown is eliminated. If `checked` and
     * this unknown has no pivot, it is set to 0. */
    template <bool checked>
    static __device__ inline partition merge(const partition &upper, const partition &lower,
                                             interface *between, const reporter<T> &to, int first,
                                             int upper_end, int last)
    {
        const T none = zero_of(T());
        partition both = P::merge(upper, lower, between);
        if (!checked)
            return both;
        if (!all_finite(between->left, between->last, between->rhs)) {
            report(to, upper_end);
            *between = {none, none, none};
            both = {upper.first_left, none,        upper.first_rhs, none,
                    lower.last,       lower.right, lower.rhs};
        }
        mask_breakdown(&both, to, first, last);
        return both;
    }
    /* recover_first() and recover_last() give the two unknowns at an interface: the first one of
     * the lower partition, which is not needed without pivoting, and the last one of the upper
     * partition. */
    static __device__ inline T recover_first(const interface &, const boundary<T> &)
    {
        return zero_of(T());
    }
    static __device__ inline T recover_last(const interface &between, const boundary<T> &around, T)
    {
        return neg_mul_add(neg_mul_add(between.rhs, between.left, around.left), between.last,
                           around.last);
    }
    /* The boundary values of the whole tile. There are no unknowns before and after the tile, so
     * x_last = rhs / last. */
    template <bool checked>
    static __device__ inline boundary<T> solve(const partition &s, const reporter<T> &to, int,
                                               int last)
    {
        const T none = zero_of(T());
        T x = s.rhs * reciprocal(s.last);
        if (checked && !all_finite(x)) {
            report(to, last);
            x = none;
        }
        return {none, none, x, none};
    }
    /* Substitution (SS of L22), from x_last upwards. x overwrites rhs. */
    template <bool checked>
    static __device__ inline void substitute(registers<T, ROWS> &r, boundary<T> around,
                                             const reporter<T> &to, int first, int count = ROWS)
    {
        constexpr int rows = ROWS;
        T x = around.last;
        r.rhs[rows - 1] = x;
        UNROLL()
        for (int e = rows - 2; e >= 0; e--) {
            if (e + 1 < count)
                x = neg_mul_add(neg_mul_add(r.rhs[e], r.sub[e], around.left), r.super[e], x) *
                    r.diag[e];
            if (checked && !all_finite(x)) {
                report(to, first + e);
                x = zero_of(T());
            }
            r.rhs[e] = x;
        }
    }
};

/* ---- with pivoting ---- */

/* Rows are scaled so that their largest coefficient is about 1. So coefficients stay small, and the
 * checked path tests only pivots and right-hand sides. A right-hand side can overflow only because
 * of rows of its own system, because rows of other systems are added with the factor 0. */
template <class T, int C> struct pivoted_rows {
    typedef pivoted_rows<T, C> checked_method;
    typedef pivoted<T> P;
    typedef T number;
    typedef typename P::partition partition;
    typedef typename P::interface interface;
    typedef typename P::row row;
    typedef typename P::band_row band_row;
    typedef typename P::interface_row interface_row;
    typedef typename P::equation equation;
    enum {
        CHUNKS = C,
        ROWS = C * CHUNK / sizeof(T),
        THREADS = C > 3 || sizeof(T) > 8 ? 384 : 512,
        AUTO = 0
    };

    /* The partition of rows that do not exist: x_first = 0, x_last = 0. */
    static __device__ inline partition padding(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, none, none, none}, {none, none, one, none, none}};
    }
    static __device__ inline partition of_tile(const partition &s)
    {
        return s;
    }
    template <bool checked>
    static __device__ inline row scaled_row(const registers<T, ROWS> &r, int e,
                                            const reporter<T> &to, int first)
    {
        bool broken = false;
        row next = P::scaled_row_of(r.sub[e], r.diag[e], r.super[e], r.rhs[e]);
        zero_if_not_finite<checked>(&next.rhs, &broken);
        if (broken)
            report(to, first + e);
        return next;
    }
    /* If a thread has at most ROWS / 2 rows, they are in the places from ROWS / 2 on, so that the
     * row of position 0 always exists. Does a place have a row? */
    static __device__ inline bool exists(int e, int count)
    {
        return count <= ROWS / 2 ? e >= ROWS / 2 && e < ROWS / 2 + count : e < count;
    }
    static __device__ inline void move_to_middle(T *a, int count)
    {
        UNROLL()
        for (int e = 0; e < ROWS / 2; e++)
            a[e + ROWS / 2] = count <= ROWS / 2 ? a[e] : a[e + ROWS / 2];
    }
    static __device__ inline void move_from_middle(T *a, int count)
    {
        UNROLL()
        for (int e = 0; e < ROWS / 2; e++)
            a[e] = count <= ROWS / 2 ? a[e + ROWS / 2] : a[e];
    }
    /* The x that substitute() computes last, in the middle. It is not finite if any other one is
     * not. */
    static __device__ inline T last_x(const registers<T, ROWS> &r, int count = ROWS)
    {
        const T first = r.rhs[0], middle = r.rhs[ROWS / 2]; /* no address: r is in registers */
        return count <= ROWS / 2 ? first : middle;
    }
    /* Place e has the pivot row of this row of the thread, which is nearer to the middle. */
    static __device__ inline int row_of_place(int e, int count)
    {
        return e + (e < ROWS / 2 ? 1 : -1) - (count <= ROWS / 2 ? ROWS / 2 : 0);
    }
    /* The system of row e, counted from that of row 0 */
    static __device__ inline int system_of_row(const registers<T, ROWS> &r, int e)
    {
        return __popc(r.system_begins & ((2u << e) - 2));
    }
    /* Appends row e at position q of the order of pivoted::eliminate. Its place gets the pivot row
     * of unknown q - 2.
     *
     * On the checked path the rows may belong to several systems, and x, y and the new row to those
     * of the unknowns q - 2, q - 1 and q. Only rows of its own system contain unknown q - 2. If it
     * has no pivot, a row of this system must be given up, not one of another system. So the
     * systems of x and y are kept in `of`. */
    template <bool checked>
    static __device__ inline void append(registers<T, ROWS> &r, band_row *x, band_row *y, int of[2],
                                         int q, int e, const reporter<T> &to, int first)
    {
        T after;
        bool with_y, broken = false;
        row next = scaled_row<checked>(r, e, to, first);
        band_row other = P::row_at(next, q, &after);
        const int inner = P::row_of_position(ROWS, q - 2);
        int of_other = checked ? system_of_row(r, e) : 0;
        if (q < 2) {
            *(q == 0 ? x : y) = other;
            of[q] = of_other;
            return;
        }
        bool own_row = P::choose(x, y, &other, &with_y);
        T p = reciprocal_or_zero<checked>(x->a, &broken);
        if (checked) {
            ::swap_if(with_y, of[0], of[1]);
            ::swap_if(own_row, of[0], of_other);
            const bool give_up = broken && of[0] != system_of_row(r, inner),
                       give_up_y = give_up && of[1] == system_of_row(r, inner);
            P::swap_if(give_up_y, *x, *y);
            P::swap_if(give_up && !give_up_y, *x, other);
            ::swap_if(give_up && !give_up_y, of[0], of_other);
            own_row = own_row != (give_up && !give_up_y);
            of[0] = give_up_y ? of[0] : of[1];
            of[1] = of_other;
        }
        next = P::subtract(x, y, other, after, own_row, p);
        zero_if_not_finite<checked>(&x->rhs, &broken);
        zero_if_not_finite<checked>(&y->rhs, &broken);
        if (broken)
            report(to, first + inner);
        r.own_row |= own_row ? 1u << e : 0;
        r.sub[e] = next.u;
        r.diag[e] = next.v;
        r.super[e] = next.w;
        r.rhs[e] = next.rhs;
    }
    /* Works like pivoted::eliminate. Where a row does not exist, unknown q - 2 takes position q. If
     * the rows belong to several systems, the partition's equation p is of the first one, and q of
     * the last. Rows are not tested. */
    template <bool checked, bool = false>
    static __device__ inline partition eliminate(registers<T, ROWS> &r, const reporter<T> &to,
                                                 int first, int count = ROWS, bool * = NULL)
    {
        constexpr int rows = ROWS;
        const T none = zero_of(T()), one = one_of(T());
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (checked && !all_finite(r.sub[e], r.diag[e], r.super[e], r.rhs[e])) {
                report(to, first + e);
                r.sub[e] = r.super[e] = r.rhs[e] = none;
                r.diag[e] = one;
            }
        for (T *a : {r.sub, r.diag, r.super, r.rhs})
            move_to_middle(a, count);
        band_row x = {}, y = {};
        int of[2] = {0, 0};
        r.own_row = 0;
        UNROLL()
        for (int q = 0; q < rows; q++) {
            const int e = P::row_of_position(rows, q);
            if (exists(e, count))
                append<checked>(r, &x, &y, of, q, e, to, first);
            else if (q > 1) {
                x = {x.b, x.a, x.d, x.c, x.rhs};
                y = {y.b, y.a, y.d, y.c, y.rhs};
            } else { /* q = 1: unknown 1 is unknown 0 */
                x = {x.a, none, x.c, x.b, x.rhs};
                y = {one, -one, none, none, none};
            }
        }
        partition s = P::outer(x, y, rows);
        if (checked && of[0] != 0)
            s = {s.q, s.p};
        return s;
    }
    static __device__ inline bool is_finite(const partition &s)
    {
        return P::coefficients_finite(s) && all_finite(s.p.rhs) && all_finite(s.q.rhs);
    }
    /* One of the four equations of a merge, with the number of the system that it belongs to. If a
     * partition has rows of several systems, its equation p belongs to the first of these systems,
     * and q belongs to the last. The number is stored, because an equation whose coefficients are
     * all zero does not show its system. */
    struct owned_row : interface_row {
        int system;
    };
    static __device__ inline void swap_if(bool condition, owned_row &s, owned_row &t)
    {
        P::swap_if(condition, s, t);
        ::swap_if(condition, s.system, t.system);
    }
    /* merge() calls this function if none of the `count` rows has a usable coefficient of the
     * unknown that must be eliminated. Then the system of this unknown, number `system`, is
     * singular. merge() drops rows[0], as it does with a pivot row, so rows[0] must be a row of
     * this system. This function finds the first row of the system and swaps it with rows[0]. */
    static __device__ inline void give_up_row_of(int system, owned_row *const *rows, int count)
    {
        for (int k = 0; k < count; k++)
            if (rows[k]->system == system) {
                swap_if(k > 0, *rows[0], *rows[k]);
                return;
            }
    }
    /* Works like pivoted::merge. upper_end is the last row of the upper partition. The unknown of
     * this row is eliminated first, and then that of the row after it. */
    template <bool checked>
    static __device__ inline partition merge(const partition &upper, const partition &lower,
                                             interface *between, const reporter<T> &to, int first,
                                             int upper_end, int last)
    {
        const T none = zero_of(T());
        bool upper_broken = false;
        int of_first = checked ? system_of(to, first) : 0,
            of_upper_end = checked ? system_of(to, upper_end) : 0,
            of_lower_begin = checked ? system_of(to, upper_end + 1) : 0,
            of_last = checked ? system_of(to, last) : 0;
        const equation &u = upper.p, &v = upper.q, &s = lower.p, &t = lower.q;
        owned_row a = {{u.last, u.right, {u.left, u.first, none, none, u.rhs}}, of_first},
                  b = {{v.last, v.right, {v.left, v.first, none, none, v.rhs}}, of_upper_end},
                  c = {{s.left, s.first, {none, none, s.last, s.right, s.rhs}}, of_lower_begin},
                  d = {{t.left, t.first, {none, none, t.last, t.right, t.rhs}}, of_last};
        swap_if(abs1(b.upper_last) > abs1(a.upper_last), a, b);
        swap_if(abs1(d.upper_last) > abs1(c.upper_last), c, d);
        swap_if(abs1(c.upper_last) > abs1(a.upper_last), a, c);
        T q = reciprocal_or_zero<checked>(a.upper_last, &upper_broken);
        if (upper_broken) {
            owned_row *all[] = {&a, &b, &c, &d};
            give_up_row_of(of_upper_end, all, 4);
        }
        between->coupling = a.lower_first * q;
        between->upper_last = P::scale(a.outer, q);
        zero_if_not_finite<checked>(&between->upper_last.rhs, &upper_broken);
        owned_row *others[] = {&b, &c, &d};
        UNROLL()
        for (owned_row *other : others) {
            T r = -other->upper_last;
            other->lower_first = mul_add(r, between->coupling, other->lower_first);
            other->outer = P::add_multiple(other->outer, r, between->upper_last);
            zero_if_not_finite<checked>(&other->outer.rhs, &upper_broken);
        }
        swap_if(abs1(c.lower_first) > abs1(b.lower_first), b, c);
        swap_if(abs1(d.lower_first) > abs1(b.lower_first), b, d);
        bool lower_broken = false;
        q = reciprocal_or_zero<checked>(b.lower_first, &lower_broken);
        if (lower_broken) {
            owned_row *all[] = {&b, &c, &d};
            give_up_row_of(of_lower_begin, all, 3);
        }
        between->lower_first = P::scale(b.outer, q);
        zero_if_not_finite<checked>(&between->lower_first.rhs, &lower_broken);
        swap_if(checked && c.system > d.system, c, d);
        partition both = {P::add_multiple(c.outer, -c.lower_first, between->lower_first),
                          P::add_multiple(d.outer, -d.lower_first, between->lower_first)};
        zero_if_not_finite<checked>(&both.p.rhs, &lower_broken);
        zero_if_not_finite<checked>(&both.q.rhs, &lower_broken);
        if (upper_broken)
            report(to, upper_end);
        if (lower_broken)
            report(to, upper_end + 1);
        return both;
    }
    static __device__ inline T recover_first(const interface &between, const boundary<T> &around)
    {
        return P::residual(between.lower_first, around);
    }
    static __device__ inline T recover_last(const interface &between, const boundary<T> &around,
                                            T first)
    {
        return neg_mul_add(P::residual(between.upper_last, around), between.coupling, first);
    }
    /* The boundary values of the whole tile: solves its two equations in x_first and x_last. */
    template <bool checked>
    static __device__ inline boundary<T> solve(const partition &s, const reporter<T> &to, int first,
                                               int last)
    {
        const T none = zero_of(T());
        T a = s.p.first, b = s.p.last, c = s.q.first, d = s.q.last, g = s.p.rhs, h = s.q.rhs;
        bool first_broken = false, last_broken = false, swapped = abs1(c) > abs1(a);
        ::swap_if(swapped, a, c);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T q = reciprocal_or_zero<checked>(a, &first_broken);
        swapped = first_broken && abs1(b) > abs1(d);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T r = -(c * q), p = reciprocal_or_zero<checked>(mul_add(r, b, d), &last_broken),
          x_last = mul_add(r, g, h) * p, x_first = neg_mul_add(g, b, x_last) * q;
        zero_if_not_finite<checked>(&x_last, &last_broken);
        zero_if_not_finite<checked>(&x_first, &first_broken);
        if (first_broken)
            report(to, first);
        if (last_broken)
            report(to, last);
        return {none, x_first, x_last, none};
    }
    /* The reverse of eliminate(). x overwrites rhs. */
    template <bool checked>
    static __device__ inline void substitute(registers<T, ROWS> &r, const boundary<T> &around,
                                             const reporter<T> &to, int first, int count = ROWS)
    {
        constexpr int rows = ROWS;
        typename P::window w = P::window_of(around, rows);
        UNROLL()
        for (int q = rows - 1; q >= 0; q--) {
            const int e = P::row_of_position(rows, q);
            bool broken = false;
            if (exists(e, count))
                P::step(&w, (r.own_row >> e & 1) != 0, r.sub[e], r.diag[e], r.super[e], &r.rhs[e]);
            else if (q > 1)
                w = {{w.x[1], w.x[0], w.x[3], w.x[2]}};
            else
                w = {{w.x[0], w.x[0], w.x[1], w.x[2]}};
            if (q > 1)
                zero_if_not_finite<checked>(&w.x[0], &broken);
            if (broken)
                report(to, first + P::row_of_position(rows, q - 2));
        }
        move_from_middle(r.rhs, count);
    }
};

/* ---- automatic pivoting ---- */

/* A tile is solved by plain_rows if all its rows are and stay dominant, else by pivoted_rows.
 * The checked path always pivots. In a long system the dominant tiles are safe whatever the other
 * rows are, because in them only dominant rows are pivot rows. The partitions of its tiles are
 * merged with pivoting. */
template <class T, int C> struct auto_rows : pivoted_rows<T, C> {
    typedef plain_rows<T, C> plain_method;
    typedef pivoted_rows<T, C> pivoted_method;
    enum { ROWS = pivoted_method::ROWS, AUTO = 1 };

    using pivoted_method::of_tile;
    /* The second equation is scaled like a pivoted row, so that coefficients can be compared. */
    static __device__ inline typename pivoted_method::partition
    of_tile(const typename plain_method::partition &s)
    {
        const T none = zero_of(T());
        auto scale = normalizing_scale(abs1(s.last));
        return {{s.first_left, one_of(T()), s.first_last, none, s.first_rhs},
                {scaled(s.left, scale), none, scaled(s.last, scale), scaled(s.right, scale),
                 scaled(s.rhs, scale)}};
    }
};
