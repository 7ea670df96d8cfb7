/* Partitions with scaled partial pivoting, for general matrices. partition.cuh explains the method.
 *
 * Each row is scaled by a power of two, so that magnitudes can be compared between rows.
 * Elimination carries two rows down the partition. They and the next row contain the unknown that
 * is to be eliminated. The row with its largest coefficient becomes the pivot row, and the other
 * two are carried on. Needs device.h, scalar.cuh, arithmetic.cuh and partition_rows.cuh. */
#pragma once

#include "partition_rows.cuh"

template <class T> struct pivoted {
    typedef T number;
    enum { NEEDS_FIRST_RIGHT = 1 }; /* substitution uses all four boundary values */
    /* partition_plain.cuh explains these constants. */
    enum {
        GROUP = 16,
        PASS2_WARPS = sizeof(T) > 8 ? 8 : 12,
        PASS2_CHUNKS = sizeof(T) > 8   ? 13
                       : sizeof(T) > 4 ? 9
                                       : 7
    };
    enum { RESIDENT_THREADS = sizeof(T) > 4 ? 256 : 512 };
    enum { IS_ATTEMPT = 0 };

    /* left x_left + first x_first + last x_last + right x_right = rhs */
    struct equation {
        T left, first, last, right, rhs;
    };
    struct partition {
        equation p, q;
    };
    /* Two equations that give the two interface unknowns of a merge from the boundary values of the
     * merged partition.
     *     x_lower_first = lower_first.rhs - (other terms of lower_first)
     *     x_upper_last  = upper_last.rhs - coupling x_lower_first - (other terms of upper_last) */
    struct interface {
        T coupling;
        equation upper_last, lower_first;
    };

    static __host__ __device__ inline bool coefficients_finite(const partition &s)
    {
        return all_finite(s.p.left) && all_finite(s.p.first) && all_finite(s.p.last) &&
               all_finite(s.p.right) && all_finite(s.q.left) && all_finite(s.q.first) &&
               all_finite(s.q.last) && all_finite(s.q.right);
    }
    static __host__ __device__ inline bool is_zero(const equation &x)
    {
        return abs1(x.left) == 0 && abs1(x.first) == 0 && abs1(x.last) == 0 && abs1(x.right) == 0;
    }
    static __host__ __device__ inline bool is_singular(const partition &s)
    {
        return !coefficients_finite(s) || is_zero(s.p) || is_zero(s.q);
    }
    static __host__ __device__ inline enum unknown
    unknown_without_pivot(const partition &upper, const partition &lower, const interface &between)
    {
        if (!all_finite(between.upper_last.left))
            return UPPER_LAST;
        if (!all_finite(between.lower_first.left))
            return LOWER_FIRST;
        /* Both interface unknowns had pivots, but an equation of the merged partition has only zero
         * coefficients. If UPPER_FIRST or LOWER_LAST is in no equation, it is the unknown without a
         * pivot. Otherwise the equations are linearly dependent. */
        return abs1(upper.p.first) == 0 && abs1(upper.q.first) == 0 ? UPPER_FIRST
               : abs1(lower.p.last) == 0 && abs1(lower.q.last) == 0 ? LOWER_LAST
                                                                    : UPPER_LAST;
    }
    static __host__ __device__ inline bool first_lacks_pivot(const partition &s)
    {
        T a = s.p.first + s.p.right, c = s.q.first + s.q.right;
        return !all_finite(reciprocal(abs1(c) > abs1(a) ? c : a));
    }

    /* A row during elimination: the coefficients of x_left and x_first of the partition, of the
     * unknown that is eliminated next (u), and of the two unknowns after it (v, w). */
    struct row {
        T left, first, u, v, w, rhs;
    };
    static __host__ __device__ inline row scaled_row_of(T sub, T diag, T super, T rhs)
    {
        auto scale = normalizing_scale(max_of(max_of(abs1(sub), abs1(diag)), abs1(super)));
        return {zero_of(T()),        zero_of(T()),         scaled(sub, scale),
                scaled(diag, scale), scaled(super, scale), scaled(rhs, scale)};
    }
    static __host__ __device__ inline void swap_if(bool condition, row &x, row &y)
    {
        ::swap_if(condition, x.left, y.left);
        ::swap_if(condition, x.first, y.first);
        ::swap_if(condition, x.u, y.u);
        ::swap_if(condition, x.v, y.v);
        ::swap_if(condition, x.w, y.w);
        ::swap_if(condition, x.rhs, y.rhs);
    }
    /* Subtracts a multiple of the pivot row from x, so that u vanishes. Then v and w become the new
     * u and v. q is 1 / the pivot. */
    static __host__ __device__ inline row eliminate_from(const row &x, const row &pivot, T q)
    {
        T r = -(x.u * q);
        return {mul_add(r, pivot.left, x.left),
                mul_add(r, pivot.first, x.first),
                mul_add(r, pivot.v, x.v),
                mul_add(r, pivot.w, x.w),
                zero_of(T()),
                mul_add(r, pivot.rhs, x.rhs)};
    }

    /* The state before the first row: equation p is x_first = x_last, and q will be replaced by the
     * first row. */
    static __host__ __device__ inline partition empty_partition(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, -one, none, none}, {none, none, none, one, none}};
    }
    /* Eliminates the thread's rows and appends them to the partition *so_far. The two carried rows,
     * x and y, and the new row compete for the pivot, so no row has to be dominant. With
     * store_factors, the pivot row of unknown i - 1, divided by the pivot, takes the place of row i
     * for substitute(). With the stored values of sub, diag, super and rhs it is
     *     x_{i-1} + diag x_i + sub x_{i+1} = rhs                 if it is row i itself: super = NaN
     *     x_{i-1} + diag x_i + sub x_left + super x_first = rhs  if it is a carried row */
    template <bool whole, bool store_factors, bool = false>
    static __device__ inline void eliminate(const thread_rows<T> &my, partition *so_far,
                                            const void * = NULL)
    {
        constexpr int elements = CHUNK / sizeof(T);
        const T none = zero_of(T());
        partition s = *so_far;
        row x = {s.p.left, s.p.first, s.p.last, s.p.right, none, s.p.rhs},
            y = {s.q.left, s.q.first, s.q.last, s.q.right, none, s.q.rhs};
        UNROLL(2)
        for (int k = 0; k < used_chunks<whole>(my); k++) {
            row_chunks<T> rows = load_rows(my, k);
            UNROLL()
            for (int e = 0; e < elements; e++) {
                row next = scaled_row_of(rows.sub.element[e], rows.diag.element[e],
                                         rows.super.element[e], rows.rhs.element[e]);
                if (my.partition_begins && k == 0 && e == 0)
                    y = {next.u, none, next.v, next.w, none, next.rhs};
                else if (whole || k * elements + e < my.rows) {
                    bool swap_x = abs1(x.u) > abs1(next.u);
                    swap_if(swap_x, x, next);
                    bool swap_y = abs1(y.u) > abs1(next.u), own_row = !swap_x && !swap_y;
                    swap_if(swap_y, y, next);
                    T q = reciprocal(next.u);
                    x = eliminate_from(x, next, q);
                    y = eliminate_from(y, next, q);
                    if (store_factors) {
                        /* One of left and w is 0, so their sum is the value of the other one. */
                        rows.sub.element[e] = (next.left + next.w) * q;
                        rows.diag.element[e] = next.v * q;
                        rows.super.element[e] = own_row ? nan_of(T()) : next.first * q;
                        rows.rhs.element[e] = next.rhs * q;
                    }
                }
            }
            if (store_factors) {
                my.sub[k] = rows.sub;
                my.diag[k] = rows.diag;
                my.super[k] = rows.super;
                my.rhs[k] = rows.rhs;
            }
        }
        *so_far = {{x.left, x.first, x.u, x.v, x.rhs}, {y.left, y.first, y.u, y.v, y.rhs}};
    }

    /* One of the four equations from which a merge eliminates the interface unknowns: their
     * coefficients upper_last and lower_first, and in `outer` the right-hand side and the
     * coefficients of the merged partition's boundary values. */
    struct interface_row {
        T upper_last, lower_first;
        equation outer;
    };
    static __host__ __device__ inline void swap_if(bool condition, interface_row &s,
                                                   interface_row &t)
    {
        ::swap_if(condition, s.upper_last, t.upper_last);
        ::swap_if(condition, s.lower_first, t.lower_first);
        ::swap_if(condition, s.outer.left, t.outer.left);
        ::swap_if(condition, s.outer.first, t.outer.first);
        ::swap_if(condition, s.outer.last, t.outer.last);
        ::swap_if(condition, s.outer.right, t.outer.right);
        ::swap_if(condition, s.outer.rhs, t.outer.rhs);
    }
    /* Returns x + r * pivot. */
    static __host__ __device__ inline equation add_multiple(const equation &x, T r,
                                                            const equation &pivot)
    {
        return {mul_add(r, pivot.left, x.left), mul_add(r, pivot.first, x.first),
                mul_add(r, pivot.last, x.last), mul_add(r, pivot.right, x.right),
                mul_add(r, pivot.rhs, x.rhs)};
    }
    static __host__ __device__ inline equation scale(const equation &x, T q)
    {
        return {x.left * q, x.first * q, x.last * q, x.right * q, x.rhs * q};
    }
    /* Gaussian elimination of both interface unknowns from the four equations, with the largest
     * coefficient of each unknown as pivot. */
    static __host__ __device__ inline partition merge(const partition &upper,
                                                      const partition &lower, interface *between)
    {
        const equation &u = upper.p, &v = upper.q, &s = lower.p, &t = lower.q;
        const T none = zero_of(T());
        interface_row a = {u.last, u.right, {u.left, u.first, none, none, u.rhs}},
                      b = {v.last, v.right, {v.left, v.first, none, none, v.rhs}},
                      c = {s.left, s.first, {none, none, s.last, s.right, s.rhs}},
                      d = {t.left, t.first, {none, none, t.last, t.right, t.rhs}};
        swap_if(abs1(b.upper_last) > abs1(a.upper_last), a, b);
        swap_if(abs1(d.upper_last) > abs1(c.upper_last), c, d);
        swap_if(abs1(c.upper_last) > abs1(a.upper_last), a, c);
        T q = reciprocal(a.upper_last);
        between->coupling = a.lower_first * q;
        between->upper_last = scale(a.outer, q);
        interface_row *others[] = {&b, &c, &d};
        UNROLL()
        for (interface_row *other : others) {
            T r = -other->upper_last;
            other->lower_first = mul_add(r, between->coupling, other->lower_first);
            other->outer = add_multiple(other->outer, r, between->upper_last);
        }
        swap_if(abs1(c.lower_first) > abs1(b.lower_first), b, c);
        swap_if(abs1(d.lower_first) > abs1(b.lower_first), b, d);
        q = reciprocal(b.lower_first);
        between->lower_first = scale(b.outer, q);
        return {add_multiple(c.outer, -c.lower_first, between->lower_first),
                add_multiple(d.outer, -d.lower_first, between->lower_first)};
    }
    /* rhs minus the terms of the four boundary values */
    static __host__ __device__ inline T residual(const equation &x, const boundary<T> &around)
    {
        return neg_mul_add(
            neg_mul_add(neg_mul_add(neg_mul_add(x.rhs, x.left, around.left), x.first, around.first),
                        x.last, around.last),
            x.right, around.right);
    }
    /* Do the equations of a partition hold for its boundary values, up to 2^14 units of roundoff of
     * these? Random matrices of full rank need 2^11. */
    static __host__ __device__ inline bool fits(const partition &s, const boundary<T> &around)
    {
        typedef decltype(abs1(T())) R;
        const R most = sizeof(R) > 4 ? (R)0x1p-39 : (R)0x1p-10;
        R x = abs1(around.left) + abs1(around.first) + abs1(around.last) + abs1(around.right);
        return abs1(residual(s.p, around)) <= most * (x + abs1(s.p.rhs)) &&
               abs1(residual(s.q, around)) <= most * (x + abs1(s.q.rhs));
    }
    static __host__ __device__ inline void
    recover(const interface &between, const boundary<T> &around, T *upper_last, T *lower_first)
    {
        *lower_first = residual(between.lower_first, around);
        *upper_last =
            neg_mul_add(residual(between.upper_last, around), between.coupling, *lower_first);
    }
    /* Solves the last two equations. As in partition_plain.cuh, x_left is x_last and x_right is
     * x_first, or their coefficients are zero. */
    static __host__ __device__ inline bool solve(const partition &s, T *first, T *last)
    {
        T a = s.p.first + s.p.right, b = s.p.last + s.p.left, c = s.q.first + s.q.right,
          d = s.q.last + s.q.left, g = s.p.rhs, h = s.q.rhs;
        bool swapped = abs1(c) > abs1(a);
        ::swap_if(swapped, a, c);
        ::swap_if(swapped, b, d);
        ::swap_if(swapped, g, h);
        T q = reciprocal(a), r = -(c * q), p = reciprocal(mul_add(r, b, d));
        *last = mul_add(r, g, h) * p;
        *first = neg_mul_add(g, b, *last) * q;
        return all_finite(p);
    }

    /* Substitutes from x_last and x_right upwards, with the stored pivot rows. The solution
     * overwrites rhs. */
    template <bool whole>
    static __device__ inline void substitute(const thread_rows<T> &my, const boundary<T> &around)
    {
        constexpr int elements = CHUNK / sizeof(T);
        T x = around.last, behind = around.right;
        UNROLL(2)
        for (int k = used_chunks<whole>(my) - 1; k >= 0; k--) {
            chunk<T> w = my.sub[k], v = my.diag[k], first = my.super[k], d = my.rhs[k];
            UNROLL()
            for (int e = elements - 1; e >= 0; e--)
                if (whole || k * elements + e < my.rows) {
                    bool own_row = is_nan(first.element[e]);
                    T before = neg_mul_add(d.element[e], v.element[e], x);
                    before = neg_mul_add(before, w.element[e], own_row ? behind : around.left);
                    before = neg_mul_add(before, own_row ? zero_of(T()) : first.element[e],
                                         around.first);
                    d.element[e] = x;
                    behind = x;
                    x = before;
                }
            my.rhs[k] = d;
        }
    }
};
