/* Partitions without pivoting: for matrices that need none, such as diagonally dominant ones.
 * partition.cuh explains the method and the functions that every kind of partition has. Goes with
 * device.h, scalar.cuh, arithmetic.cuh and partition_rows.cuh. */
#ifndef PARTITION_PLAIN_CUH
#define PARTITION_PLAIN_CUH

#include "partition_rows.cuh"

template <class T> struct plain {
    typedef T number;
    enum { NEEDS_FIRST_RIGHT = 0 }; /* substitution uses left and last alone */
    /* tridiagonal.cu, two-pass: lanes of a group; in the second pass warps of a block and chunks of
     * a thread in each array, as registers and shared memory allow. */
    enum { GROUP = 32, PASS2_WARPS = 12, PASS2_CHUNKS = sizeof(T) > 8 ? 9 : 7 };
    /* tridiagonal.cu, resident: threads of a block, at most. */
    enum { RESIDENT_THREADS = sizeof(T) > 8 ? 256 : 512 };

    /* The two equations, in the unknowns of struct boundary:
     *     x_first + first_left x_left + first_last x_last = first_rhs
     *     left x_left + last x_last + right x_right       = rhs */
    struct partition {
        T first_left, first_last, first_rhs, left, last, right, rhs;
    };
    /* Where two partitions meet: the upper one's last unknown, x = rhs - left x_left - last x_last,
     * with left of the upper partition and last of the lower one. */
    struct interface {
        T left, last, rhs;
    };

    static __device__ inline bool coefficients_finite(const partition &s)
    {
        return all_finite(s.first_left) && all_finite(s.first_last) && all_finite(s.left) &&
               all_finite(s.last) && all_finite(s.right);
    }
    static __device__ inline bool has_nan(const partition &s)
    {
        return is_nan(abs1(s.first_left) + abs1(s.first_last) + abs1(s.left) + abs1(s.last) +
                      abs1(s.right));
    }
    /* Is the partition unsolvable, whatever rows surround it? */
    static __device__ inline bool is_singular(const partition &s)
    {
        return !coefficients_finite(s);
    }
    /* The unknown without a pivot where two solvable partitions merge to one that is singular. */
    static __device__ inline enum unknown
    unknown_without_pivot(const partition &, const partition &, const interface &)
    {
        return UPPER_LAST;
    }
    /* Of the last two equations of a singular system: does x_first lack a pivot (else x_last)? */
    static __device__ inline bool first_lacks_pivot(const partition &)
    {
        return false;
    }

    /* The state before the first row: x_first = x_last. */
    static __device__ inline partition empty_partition(void)
    {
        const T none = zero_of(T());
        return {none, -one_of(T()), none, none, none, none, none};
    }
    /* Reduce: append the thread's rows to *so_far. Forward elimination (RD of L22) expresses each
     * row in x_left and itself. The same sweep keeps the first row's equation up to date, by
     * replacing the unknown that is eliminated: this gives what the backward sweep (RU) would give,
     * without its divisions. store_factors: overwrite sub and rhs by the eliminated rows' and diag
     * by 1 / the pivot above, for substitute(). */
    template <bool whole, bool store_factors>
    static __device__ inline void eliminate(const thread_rows<T> &my, partition *so_far)
    {
        constexpr int elements = CHUNK / sizeof(T);
        partition s = *so_far;
        T a = s.left, b = s.last, c = s.right, d = s.rhs, first_left = s.first_left,
          first_last = s.first_last, first_rhs = s.first_rhs;
        UNROLL(1)
        for (int k = 0; k < used_chunks<whole>(my); k++) {
            row_chunks<T> row = load_rows(my, k);
            UNROLL()
            for (int e = 0; e < elements; e++) {
                if (my.partition_begins && k == 0 && e == 0) {
                    a = row.sub.element[0];
                    b = row.diag.element[0];
                    d = row.rhs.element[0];
                } else if (whole || k * elements + e < my.rows) {
                    T q = reciprocal(b), down = -(row.sub.element[e] * q), up = -(first_last * q);
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
        *so_far = {first_left, first_last, first_rhs, a, b, c, d};
    }

    /* Merge two neighbours. The upper one's last equation and the lower one's first give the
     * interface unknown (the upper partition's last); the other two equations, without it, are the
     * merged partition. */
    static __device__ inline partition merge(const partition &upper, const partition &lower,
                                             interface *between)
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
    /* The interface unknown, from the values around the merged partition. *lower_first is not
     * needed, and 0. */
    static __device__ inline void recover(const interface &between, const boundary<T> &around,
                                          T *upper_last, T *lower_first)
    {
        *upper_last = neg_mul_add(neg_mul_add(between.rhs, between.left, around.left), between.last,
                                  around.last);
        *lower_first = zero_of(T());
    }
    /* Solve the last two equations, those of the whole system. Of a periodic system x_left is
     * x_last and x_right is x_first; of another one their coefficients are zero. Returns false, and
     * NaN, if there is no solution. */
    static __device__ inline bool solve(const partition &s, T *first, T *last)
    {
        T first_last = s.first_left + s.first_last,
          p = reciprocal(neg_mul_add(s.left + s.last, s.right, first_last));
        *last = neg_mul_add(s.rhs, s.right, s.first_rhs) * p;
        *first = neg_mul_add(s.first_rhs, first_last, *last);
        return all_finite(p);
    }

    /* Substitute (SS of L22): from x_last upwards each row is an equation in x_left, itself and the
     * row behind, with the factors that eliminate() stored. The solution replaces rhs. */
    template <bool whole>
    static __device__ inline void substitute(const thread_rows<T> &my, const boundary<T> &around)
    {
        constexpr int elements = CHUNK / sizeof(T);
        T x = around.last, q = one_of(T()); /* 1 / pivot of this row: stored with the row behind */
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

#endif
