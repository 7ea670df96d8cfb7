/* Partitions without pivoting, for matrices that need none, such as diagonally dominant ones.
 * partition.cuh explains the method. Needs device.h, scalar.cuh, arithmetic.cuh, certificate.cuh
 * and partition_rows.cuh. */
#pragma once

#include "certificate.cuh"
#include "partition_rows.cuh"

template <class T> struct plain {
    typedef T number;
    /* of the boundary values, substitution uses only left and last */
    enum { NEEDS_FIRST_RIGHT = 0 };
    /* For the two-pass solver of tridiagonal.cu. A group has the rows of GROUP lanes. In the first
     * pass a thread has PASS1_CHUNKS chunks of each array at a time, in PASS1_PARTS partitions. In
     * the second pass a block has at most PASS2_WARPS warps, and a thread has PASS2_CHUNKS chunks
     * of each array; registers and shared memory limit both. */
    enum { GROUP = 32, PASS1_CHUNKS = 16, PASS1_PARTS = 1 };
    enum { PASS2_WARPS = 12, PASS2_CHUNKS = sizeof(T) > 8 ? 9 : 7 };
    /* For the resident solvers of tridiagonal.cu: maximum number of threads of a block. */
    enum { RESIDENT_THREADS = sizeof(T) > 8 ? 384 : 512 };
    enum { IS_ATTEMPT = 0 }; /* 1 in plain_attempt of tridiagonal_rows.cuh */

    /* The two equations of a partition, in the unknowns of struct boundary:
     *     x_first + first_left x_left + first_last x_last = first_rhs
     *     left x_left + last x_last + right x_right       = rhs */
    struct partition {
        T first_left, first_last, first_rhs, left, last, right, rhs;
    };
    /* The interface unknown is the last one of the upper partition: x = rhs - left x_left - last
     * x_last, with x_left of the upper partition and x_last of the lower one. */
    struct interface {
        T left, last, rhs;
    };

    static __host__ __device__ inline bool coefficients_finite(const partition &s)
    {
        return all_finite(s.first_left) && all_finite(s.first_last) && all_finite(s.left) &&
               all_finite(s.last) && all_finite(s.right);
    }
    /* True if the partition cannot be solved, independent of the rows around it. */
    static __host__ __device__ inline bool is_singular(const partition &s)
    {
        return !coefficients_finite(s);
    }
    /* Two solvable partitions have a singular merge: which unknown has no pivot? */
    static __host__ __device__ inline enum unknown
    unknown_without_pivot(const partition &, const partition &, const interface &)
    {
        return UPPER_LAST;
    }
    /* The last two equations are singular: true if x_first has no pivot, false if x_last has
     * none. */
    static __host__ __device__ inline bool first_lacks_pivot(const partition &)
    {
        return false;
    }

    static __host__ __device__ inline partition one_row(T sub, T diag, T super, T rhs)
    {
        const T none = zero_of(T());
        return {none, -one_of(T()), none, sub, diag, super, rhs};
    }
    /* Appends a row: eliminates x_last, whose pivot is 1 / q. */
    static __host__ __device__ inline void append_row(partition *s, T q, T sub, T diag, T super,
                                                      T rhs)
    {
        T down = -(sub * q), up = -(s->first_last * q);
        s->first_left = mul_add(up, s->left, s->first_left);
        s->first_rhs = mul_add(up, s->rhs, s->first_rhs);
        s->first_last = up * s->right;
        s->left = down * s->left;
        s->last = mul_add(down, s->right, diag);
        s->rhs = mul_add(down, s->rhs, rhs);
        s->right = super;
    }
    /* The state before the first row: x_first = x_last. */
    static __host__ __device__ inline partition empty_partition(void)
    {
        const T none = zero_of(T());
        return {none, -one_of(T()), none, none, none, none, none};
    }
    /* Eliminates the thread's rows and appends them to the partition *so_far. Forward elimination
     * (RD of L22) turns row i into an equation in x_left, x_i and x_{i+1}. The same sweep
     * substitutes each eliminated unknown into the equation of the first row. This gives the result
     * of the backward sweep (RU of L22) without its divisions. With store_factors, sub and rhs are
     * overwritten by those of the eliminated rows, and diag by 1 / the pivot of the row before,
     * because substitute() needs them. With test_dominance, a row that is not dominant makes `last`
     * NaN, as a breakdown may. Every merge then hands on a NaN, so the last two equations show
     * whether all rows are dominant. *flow, unless it is NULL, is kept up to date. */
    template <bool whole, bool store_factors, bool test_dominance = false>
    static __device__ inline void eliminate(const thread_rows<T> &my, partition *so_far,
                                            error_flow<T> *flow = NULL)
    {
        constexpr int elements = CHUNK / sizeof(T);
        partition s = *so_far;
        T a = s.left, b = s.last, c = s.right, d = s.rhs, first_left = s.first_left,
          first_last = s.first_last, first_rhs = s.first_rhs;
        bool dominant = true;
        UNROLL(1)
        for (int k = 0; k < used_chunks<whole>(my); k++) {
            row_chunks<T> row = load_rows(my, k);
            UNROLL()
            for (int e = 0; e < elements; e++) {
                if (test_dominance && (whole || k * elements + e < my.rows))
                    dominant = is_dominant(row.sub.element[e], row.diag.element[e],
                                           row.super.element[e]) &&
                               dominant;
                if (my.partition_begins && k == 0 && e == 0) {
                    a = row.sub.element[0];
                    b = row.diag.element[0];
                    d = row.rhs.element[0];
                    if (flow)
                        *flow = flow_of_first_row(b);
                } else if (whole || k * elements + e < my.rows) {
                    T q = reciprocal(b), down = -(row.sub.element[e] * q), up = -(first_last * q);
                    if (flow)
                        *flow = flow_with_row(*flow, up, down, row.diag.element[e]);
                    first_left = mul_add(up, a, first_left);
                    first_rhs = mul_add(up, d, first_rhs);
                    first_last = up * c;
                    a = down * a;
                    b = mul_add(down, c, row.diag.element[e]);
                    d = mul_add(down, d, row.rhs.element[e]);
                    row.sub.element[e] = a;
                    row.diag.element[e] = q;
                    row.rhs.element[e] = d;
                }
                if (whole || k * elements + e < my.rows)
                    c = row.super.element[e];
            }
            if (store_factors) {
                my.sub[k] = row.sub;
                my.diag[k] = row.diag;
                my.rhs[k] = row.rhs;
            }
        }
        if (test_dominance && !dominant)
            b = nan_of(T());
        *so_far = {first_left, first_last, first_rhs, a, b, c, d};
    }

    /* The last equation of the upper partition and the first equation of the lower one give the
     * interface unknown. It is eliminated from the other two equations, which become the merged
     * partition. */
    static __host__ __device__ inline partition merge(const partition &upper,
                                                      const partition &lower, interface *between)
    {
        T p = reciprocal(neg_mul_add(upper.last, upper.right, lower.first_left));
        *between = {upper.left * p, -(upper.right * lower.first_last * p),
                    neg_mul_add(upper.rhs, upper.right, lower.first_rhs) * p};
        return {neg_mul_add(upper.first_left, upper.first_last, between->left),
                -(upper.first_last * between->last),
                neg_mul_add(upper.first_rhs, upper.first_last, between->rhs),
                -(lower.left * between->left),
                neg_mul_add(lower.last, lower.left, between->last),
                lower.right,
                neg_mul_add(lower.rhs, lower.left, between->rhs)};
    }
    /* Computes the interface unknown from the boundary values of the merged partition. *lower_first
     * is not needed, and becomes 0. */
    static __host__ __device__ inline void
    recover(const interface &between, const boundary<T> &around, T *upper_last, T *lower_first)
    {
        *upper_last = neg_mul_add(neg_mul_add(between.rhs, between.left, around.left), between.last,
                                  around.last);
        *lower_first = zero_of(T());
    }
    /* The pivot of x_last in the last two equations, those of the whole system. If it is periodic,
     * x_left is x_last and x_right is x_first; else their coefficients are zero. */
    static __host__ __device__ inline T last_pivot(const partition &s)
    {
        return neg_mul_add(s.left + s.last, s.right, s.first_left + s.first_last);
    }
    /* Solves the last two equations. If there is no solution, the result is false and the unknowns
     * are NaN. */
    static __host__ __device__ inline bool solve(const partition &s, T *first, T *last)
    {
        T p = reciprocal(last_pivot(s));
        *last = neg_mul_add(s.rhs, s.right, s.first_rhs) * p;
        *first = neg_mul_add(s.first_rhs, s.first_left + s.first_last, *last);
        return all_finite(p);
    }

    /* The x that substitute() computes last. It is not finite if any other is not. */
    static __device__ inline T last_x(const thread_rows<T> &my)
    {
        return my.rhs[0].element[0];
    }
    /* Substitutes (SS of L22), from x_last upwards, with the factors that eliminate() stored: row i
     * gives x_i from x_left and x_{i+1}. The solution overwrites rhs. */
    template <bool whole>
    static __device__ inline void substitute(const thread_rows<T> &my, const boundary<T> &around)
    {
        constexpr int elements = CHUNK / sizeof(T);
        /* q: 1 / pivot of the row, which is stored in the row after it */
        T x = around.last, q = one_of(T());
        UNROLL(1)
        for (int k = used_chunks<whole>(my) - 1; k >= 0; k--) {
            chunk<T> a = my.sub[k], b = my.diag[k], d = my.rhs[k], c;
            if (my.toeplitz)
                for (int e = 0; e < elements; e++)
                    c.element[e] = my.toeplitz_row[2];
            else
                c = my.super[k];
            UNROLL()
            for (int e = elements - 1; e >= 0; e--)
                if (whole || k * elements + e < my.rows) {
                    if (k * elements + e < my.rows - 1)
                        x = neg_mul_add(neg_mul_add(d.element[e], a.element[e], around.left),
                                        c.element[e], x) *
                            q;
                    d.element[e] = x;
                    q = b.element[e];
                }
            my.rhs[k] = d;
        }
    }
};
