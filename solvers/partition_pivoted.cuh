/* Partitions with scaled partial pivoting, for general matrices. partition.cuh explains the method.
 *
 * Each row is scaled by a power of two, so that magnitudes can be compared between rows.
 * Elimination goes from the middle of the partition outwards and carries two rows. They and the
 * next row contain the unknown that is to be eliminated. The row with its largest coefficient
 * becomes the pivot row, and the other two are carried on. Needs device.h, scalar.cuh,
 * arithmetic.cuh and partition_rows.cuh. */
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
                                       : 7,
        /* A partition of the first pass has the rows of a thread of the second one, in the same
         * order. Otherwise a group that is nearly singular by itself would not fit its boundary
         * values. */
        PASS1_PARTS = 2,
        PASS1_CHUNKS = PASS1_PARTS * PASS2_CHUNKS
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

    /* sub, diag, super and rhs of a row; or a pivot row (subtract()) */
    struct row {
        T u, v, w, rhs;
    };
    static __host__ __device__ inline row scaled_row_of(T sub, T diag, T super, T rhs)
    {
        auto scale = normalizing_scale(max_of(max_of(abs1(sub), abs1(diag)), abs1(super)));
        return {scaled(sub, scale), scaled(diag, scale), scaled(super, scale), scaled(rhs, scale)};
    }
    /* The state before the first row: equation p is x_first = x_last, and the first row is not yet
     * there. */
    static __host__ __device__ inline partition empty_partition(void)
    {
        const T none = zero_of(T()), one = one_of(T());
        return {{none, one, -one, none, none}, {none, none, none, one, none}};
    }
    /* ---- elimination from the middle of a thread's rows outwards ----
     *
     * From the first row to the last, x_left and x_first would stay in the carried rows; no pivot
     * is chosen among their coefficients, so these could grow with every row, for example if all
     * rows are 0.93, 0.93, -1. Here the unknowns at positions 0, 1, 2, ... are x_h, x_{h-1},
     * x_{h+1}, x_{h-2}, ... with h = rows / 2, and the outer four come last. Neighbours are two
     * positions apart, but for x_h and x_{h-1}, so the matrix has two diagonals on each side, and
     * its coefficients grow at most sevenfold (N. J. Higham, Accuracy and Stability of Numerical
     * Algorithms, 2nd ed., section 9.6). */

    /* A carried row: its coefficients of the unknown eliminated next and of the three after it */
    struct band_row {
        T a, b, c, d, rhs;
    };
    static __host__ __device__ inline void swap_if(bool condition, band_row &x, band_row &y)
    {
        ::swap_if(condition, x.a, y.a);
        ::swap_if(condition, x.b, y.b);
        ::swap_if(condition, x.c, y.c);
        ::swap_if(condition, x.d, y.d);
        ::swap_if(condition, x.rhs, y.rhs);
    }
    /* Makes *x the row with the largest coefficient of the next unknown. First it may change places
     * with *y, which sets *with_y, then with *row, and then the result is true. */
    static __host__ __device__ inline bool choose(band_row *x, band_row *y, band_row *row,
                                                  bool *with_y)
    {
        *with_y = abs1(y->a) > abs1(x->a);
        swap_if(*with_y, *x, *y);
        const bool own_row = abs1(row->a) > abs1(x->a);
        swap_if(own_row, *x, *row);
        return own_row;
    }
    /* Eliminates the next unknown from y and `other` with the pivot row x; these become x and y.
     * `after` is the last coefficient of the new row, which is x if own_row is set, else `other`. p
     * is 1 / pivot. Returns the pivot row times p, with c_k the coefficient of the k-th unknown
     * after the eliminated one:
     *     u = 0,   v = c_2, w = c_4    if it is the new row
     *     u = c_1, v = c_2, w = c_3    if it is a carried row */
    static __host__ __device__ inline row subtract(band_row *x, band_row *y, const band_row &other,
                                                   T after, bool own_row, T p)
    {
        const band_row pivot = *x;
        const T none = zero_of(T()), r = -(y->a * p), s = -(other.a * p),
                pivot_after = own_row ? after : none, other_after = own_row ? none : after;
        *x = {mul_add(r, pivot.b, y->b), mul_add(r, pivot.c, y->c), mul_add(r, pivot.d, y->d),
              r * pivot_after, mul_add(r, pivot.rhs, y->rhs)};
        *y = {mul_add(s, pivot.b, other.b), mul_add(s, pivot.c, other.c),
              mul_add(s, pivot.d, other.d), mul_add(s, pivot_after, other_after),
              mul_add(s, pivot.rhs, other.rhs)};
        return {pivot.b * p, pivot.c * p, (own_row ? after : pivot.d) * p, pivot.rhs * p};
    }
    /* The row at position q, with its coefficients of the unknowns from q - 2 on (for q < 2 from 0
     * on); and in *after that of unknown q + 2. */
    static __host__ __device__ inline band_row row_at(const row &next, int q, T *after)
    {
        const T none = zero_of(T()), before = q % 2 ? next.w : next.u;
        *after = q % 2 ? next.u : next.w;
        return q == 0   ? band_row{next.v, before, *after, none, next.rhs}
               : q == 1 ? band_row{before, next.v, none, *after, next.rhs}
                        : band_row{before, none, next.v, none, next.rhs};
    }
    /* Appends a row at position q; `next` becomes the pivot row. Returns own_row. */
    static __host__ __device__ inline bool append(band_row *x, band_row *y, int q, row *next)
    {
        T after;
        bool with_y;
        band_row other = row_at(*next, q, &after);
        if (q == 0)
            *x = other;
        else if (q == 1)
            *y = other;
        if (q < 2)
            return false;
        const bool own_row = choose(x, y, &other, &with_y);
        *next = subtract(x, y, other, after, own_row, reciprocal(x->a));
        return own_row;
    }
    /* The same for element e of a chunk, which gets the pivot row; sub = NaN stands for `true`. */
    static __host__ __device__ inline void append(band_row *x, band_row *y, int q,
                                                  row_chunks<T> *rows, int e)
    {
        row next = scaled_row_of(rows->sub.element[e], rows->diag.element[e],
                                 rows->super.element[e], rows->rhs.element[e]);
        const bool own_row = append(x, y, q, &next);
        rows->sub.element[e] = own_row ? nan_of(T()) : next.u;
        rows->diag.element[e] = next.v;
        rows->super.element[e] = next.w;
        rows->rhs.element[e] = next.rhs;
    }
    static __host__ __device__ inline equation outer(const band_row &x, bool even)
    {
        return even ? equation{x.d, x.b, x.a, x.c, x.rhs} : equation{x.c, x.a, x.b, x.d, x.rhs};
    }
    static __host__ __device__ inline partition outer(const band_row &x, const band_row &y,
                                                      int rows)
    {
        const T none = zero_of(T()), one = one_of(T());
        if (rows == 1) /* x_first is x_last */
            return {{none, one, -one, none, none}, {x.b, none, x.a, x.c, x.rhs}};
        return {outer(x, rows % 2 == 0), outer(y, rows % 2 == 0)};
    }
    template <bool store_factors>
    static __device__ inline void keep(const thread_rows<T> &my, int k, const row_chunks<T> &rows)
    {
        if (store_factors) {
            my.sub[k] = rows.sub;
            my.diag[k] = rows.diag;
            my.super[k] = rows.super;
            my.rhs[k] = rows.rhs;
        }
    }
    /* Appends two chunks of rows, one on each side of the middle. `first`: their rows are the first
     * two ones, apart from those of a middle chunk. */
    template <bool store_factors, int odd, bool first>
    static __device__ inline void append_chunks(band_row *x, band_row *y, const thread_rows<T> &my,
                                                int lower_chunk, int upper_chunk)
    {
        constexpr int elements = CHUNK / sizeof(T), begin = odd * elements + (first ? 0 : 2);
        row_chunks<T> lower = load_rows(my, lower_chunk), upper = load_rows(my, upper_chunk);
        UNROLL()
        for (int e = 0; e < elements; e++) {
            const int q = begin + 2 * e;
            if (q % 2)
                append(x, y, q, &upper, elements - 1 - e);
            append(x, y, q + q % 2, &lower, e);
            if (q % 2 == 0)
                append(x, y, q + 1, &upper, elements - 1 - e);
        }
        keep<store_factors>(my, lower_chunk, lower);
        keep<store_factors>(my, upper_chunk, upper);
    }
    /* If all chunks are full: a middle chunk, if their number is odd, and then chunks in pairs. */
    template <bool store_factors, int odd>
    static __device__ inline partition eliminate_chunks(const thread_rows<T> &my)
    {
        constexpr int elements = CHUNK / sizeof(T);
        const int half = my.chunks / 2;
        band_row x = {}, y = {};
        if (odd) {
            row_chunks<T> rows = load_rows(my, half);
            UNROLL()
            for (int e = 0; e < elements - elements / 2; e++) {
                append(&x, &y, 2 * e, &rows, elements / 2 + e);
                if (2 * e + 1 < elements)
                    append(&x, &y, 2 * e + 1, &rows, elements / 2 - 1 - e);
            }
            keep<store_factors>(my, half, rows);
        }
        if (half > 0)
            append_chunks<store_factors, odd, true>(&x, &y, my, half + odd, half - 1);
        UNROLL(1)
        for (int k = 1; k < half; k++)
            append_chunks<store_factors, odd, false>(&x, &y, my, half + odd + k, half - 1 - k);
        return outer(x, y, my.chunks * elements);
    }
    /* The row at position q of `rows` */
    static __host__ __device__ inline int row_of_position(int rows, int q)
    {
        return rows / 2 + (q % 2 ? -1 - q / 2 : q / 2);
    }
    template <bool store_factors>
    static __device__ inline partition eliminate_some(const thread_rows<T> &my)
    {
        constexpr int elements = CHUNK / sizeof(T);
        band_row x = {}, y = {};
        UNROLL(1)
        for (int q = 0; q < my.rows; q++) {
            const int i = row_of_position(my.rows, q);
            row_chunks<T> rows = load_rows(my, i / elements);
            UNROLL()
            for (int e = 0; e < elements; e++)
                if (e == i % elements) {
                    append(&x, &y, q, &rows, e);
                    if (store_factors) { /* not those of other rows, which load_rows() may mask */
                        my.sub[i / elements].element[e] = rows.sub.element[e];
                        my.diag[i / elements].element[e] = rows.diag.element[e];
                        my.super[i / elements].element[e] = rows.super.element[e];
                        my.rhs[i / elements].element[e] = rows.rhs.element[e];
                    }
                }
        }
        return outer(x, y, my.rows);
    }
    /* Eliminates the thread's rows and appends them to the partition *so_far, unless it begins with
     * them. With store_factors, which is only for a thread that has all rows of the partition, the
     * pivot rows take the place of the rows, for substitute(). */
    template <bool whole, bool store_factors, bool = false>
    static __device__ inline void eliminate(const thread_rows<T> &my, partition *so_far,
                                            const void * = NULL)
    {
        interface unused;
        const partition s = !whole          ? eliminate_some<store_factors>(my)
                            : my.chunks % 2 ? eliminate_chunks<store_factors, 1>(my)
                                            : eliminate_chunks<store_factors, 0>(my);
        *so_far = my.partition_begins ? s : merge(*so_far, s, &unused);
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
    /* The equation, scaled down if it has a coefficient above that of a row. If partitions are
     * merged one after the other, left and first stay in the equations of the result. An equation
     * in which they have grown must not be the pivot row of the next merge, from which they would
     * grow further. */
    static __host__ __device__ inline equation scaled_down(const equation &x)
    {
        typedef decltype(abs1(T())) R;
        const R scale = normalizing_scale(max_of(max_of(abs1(x.left), abs1(x.first)),
                                                 max_of(abs1(x.last), abs1(x.right)))),
                by = scale < 1 ? scale : 1;
        return {scaled(x.left, by), scaled(x.first, by), scaled(x.last, by), scaled(x.right, by),
                scaled(x.rhs, by)};
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
        swap_if(modulus(b.upper_last) > modulus(a.upper_last), a, b);
        swap_if(modulus(d.upper_last) > modulus(c.upper_last), c, d);
        swap_if(modulus(c.upper_last) > modulus(a.upper_last), a, c);
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
        swap_if(modulus(c.lower_first) > modulus(b.lower_first), b, c);
        swap_if(modulus(d.lower_first) > modulus(b.lower_first), b, d);
        q = reciprocal(b.lower_first);
        between->lower_first = scale(b.outer, q);
        return {scaled_down(add_multiple(c.outer, -c.lower_first, between->lower_first)),
                scaled_down(add_multiple(d.outer, -d.lower_first, between->lower_first))};
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

    /* x at the positions around one: x[k] is that of position q - 1 + k. At position q, whose place
     * has the pivot row of unknown q - 2, this x_{q-2} is computed, and x_q replaces rhs. */
    struct window {
        T x[4];
    };
    static __host__ __device__ inline window window_of(const boundary<T> &around, int rows)
    {
        if (rows % 2)
            return {{around.first, around.last, around.left, around.right}};
        return {{around.last, around.first, around.right, around.left}};
    }
    static __host__ __device__ inline void step(window *w, bool own_row, T c_1, T c_2, T c_3_or_4,
                                                T *rhs)
    {
        T x = neg_mul_add(*rhs, c_2, w->x[1]);
        x = neg_mul_add(x, c_3_or_4, own_row ? w->x[3] : w->x[2]);
        x = neg_mul_add(x, own_row ? zero_of(T()) : c_1, w->x[0]);
        *rhs = w->x[1];
        *w = {{x, w->x[0], w->x[1], w->x[2]}};
    }
    static __device__ inline void step(window *w, row_chunks<T> *rows, int e)
    {
        step(w, is_nan(rows->sub.element[e]), rows->sub.element[e], rows->diag.element[e],
             rows->super.element[e], &rows->rhs.element[e]);
    }
    static __device__ inline row_chunks<T> factors(const thread_rows<T> &my, int k)
    {
        return {my.sub[k], my.diag[k], my.super[k], my.rhs[k]};
    }
    /* Substitutes from the outer unknowns to the middle, with the stored pivot rows. The solution
     * overwrites rhs. */
    template <int odd>
    static __device__ inline void substitute_chunks(const thread_rows<T> &my, window w)
    {
        constexpr int elements = CHUNK / sizeof(T);
        constexpr bool lower_first = elements == 1 && odd; /* the lower one has the last position */
        const int half = my.chunks / 2;
        UNROLL(1)
        for (int k = half - 1; k >= 0; k--) {
            row_chunks<T> lower = factors(my, half + odd + k), upper = factors(my, half - 1 - k);
            UNROLL()
            for (int e = elements - 1; e >= 0; e--) {
                if (lower_first)
                    step(&w, &lower, e);
                step(&w, &upper, elements - 1 - e);
                if (!lower_first)
                    step(&w, &lower, e);
            }
            my.rhs[half + odd + k] = lower.rhs;
            my.rhs[half - 1 - k] = upper.rhs;
        }
        if (!odd)
            return;
        row_chunks<T> rows = factors(my, half);
        UNROLL()
        for (int e = elements - elements / 2 - 1; e >= 0; e--) {
            if (2 * e + 1 < elements)
                step(&w, &rows, elements / 2 - 1 - e);
            step(&w, &rows, elements / 2 + e);
        }
        my.rhs[half] = rows.rhs;
    }
    /* The x that substitute() computes last, in the middle. It is finite only if all others are. */
    static __device__ inline T last_x(const thread_rows<T> &my)
    {
        constexpr int elements = CHUNK / sizeof(T);
        return my.rhs[my.rows / 2 / elements].element[my.rows / 2 % elements];
    }
    template <bool whole>
    static __device__ inline void substitute(const thread_rows<T> &my, const boundary<T> &around)
    {
        constexpr int elements = CHUNK / sizeof(T);
        const int rows = whole ? my.chunks * elements : my.rows;
        window w = window_of(around, rows);
        if (whole && my.chunks % 2)
            substitute_chunks<1>(my, w);
        else if (whole)
            substitute_chunks<0>(my, w);
        UNROLL(1)
        for (int q = whole ? -1 : rows - 1; q >= 0; q--) {
            const int i = row_of_position(rows, q), k = i / elements, e = i % elements;
            T rhs = my.rhs[k].element[e], c_1 = my.sub[k].element[e];
            step(&w, is_nan(c_1), c_1, my.diag[k].element[e], my.super[k].element[e], &rhs);
            my.rhs[k].element[e] = rhs;
        }
    }
};
