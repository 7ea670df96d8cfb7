/* Arithmetic for tridiagonal_batch_cpu.h. NUMBERS is one number in every lane. Products and sums
 * are written so that there is one way to contract them to fused multiply-adds: all copies of a
 * function compute the same bits. */
#if COMPLEX
typedef struct {
    VEC re, im;
} NUMBERS;
#else
typedef VEC NUMBERS;
#endif
/* An integer in every lane: a mask, or the bits of a VEC */
typedef INTEGER BITS __attribute__((vector_size(LANES_BYTES)));

/* The processor flushes results below MIN to zero, which is an error of at most MIN. Relative to
 * numbers of at least LEAST, this error is at most EPSILON/64. */
#define LEAST (64 * MIN / EPSILON)

/* A function of which there is one copy. */
#define NOT_INLINE static __attribute__((noinline))

LANES_INLINE NUMBERS NAME(broadcast)(REAL value)
{
#if COMPLEX
    return (NUMBERS){(VEC){0} + value, (VEC){0}};
#else
    return (VEC){0} + value;
#endif
}
LANES_INLINE NUMBERS NAME(plus)(NUMBERS a, NUMBERS b)
{
#if COMPLEX
    return (NUMBERS){a.re + b.re, a.im + b.im};
#else
    return a + b;
#endif
}
LANES_INLINE NUMBERS NAME(minus)(NUMBERS a, NUMBERS b)
{
#if COMPLEX
    return (NUMBERS){a.re - b.re, a.im - b.im};
#else
    return a - b;
#endif
}
LANES_INLINE NUMBERS NAME(times_real)(NUMBERS a, VEC by)
{
#if COMPLEX
    return (NUMBERS){a.re * by, a.im * by};
#else
    return a * by;
#endif
}
/* a - b x */
LANES_INLINE NUMBERS NAME(neg_mul_add)(NUMBERS a, NUMBERS b, NUMBERS x)
{
#if COMPLEX
    return (NUMBERS){b.im * x.im + (a.re - b.re * x.re), (a.im - b.re * x.im) - b.im * x.re};
#else
    return a - b * x;
#endif
}
LANES_INLINE NUMBERS NAME(times)(NUMBERS a, NUMBERS b)
{
#if COMPLEX
    const VEC none = {0};
    return (NUMBERS){a.re * b.re + (none - a.im * b.im), a.re * b.im + (none + a.im * b.re)};
#else
    return a * b;
#endif
}
LANES_INLINE VEC NAME(choose)(BITS where, VEC a, VEC b)
{
    return (VEC)(((BITS)a & where) | ((BITS)b & ~where));
}
LANES_INLINE NUMBERS NAME(select)(BITS where, NUMBERS a, NUMBERS b)
{
#if COMPLEX
    return (NUMBERS){NAME(choose)(where, a.re, b.re), NAME(choose)(where, a.im, b.im)};
#else
    return NAME(choose)(where, a, b);
#endif
}
LANES_INLINE VEC NAME(magnitude)(VEC a)
{
    return (VEC)((BITS)a & ~(BITS)(-(VEC){0}));
}
/* |a|; for complex numbers |re| + |im|, as LAPACK's cabs1 */
LANES_INLINE VEC NAME(size)(NUMBERS a)
{
#if COMPLEX
    return NAME(magnitude)(a.re) + NAME(magnitude)(a.im);
#else
    return NAME(magnitude)(a);
#endif
}
LANES_INLINE NUMBERS NAME(conjugate)(NUMBERS a)
{
#if COMPLEX
    a.im = -a.im;
#endif
    return a;
}
/* 1/pivot. Adds |pivot|^2 + |1/pivot|^2 to *range: large or NaN if a pivot is far from 1. */
LANES_INLINE NUMBERS NAME(inverse_in_range)(NUMBERS pivot, VEC *range)
{
#if COMPLEX
    VEC square = pivot.re * pivot.re + pivot.im * pivot.im, factor = 1 / square;
    *range += square;
    *range += factor;
    return (NUMBERS){pivot.re * factor, -pivot.im * factor};
#else
    VEC q = 1 / pivot;
    *range += pivot * pivot;
    *range += q * q;
    return q;
#endif
}
/* *sum -= a b. *low has the rounding errors of many such sums (Kahan). */
LANES_INLINE void NAME(subtract_product)(NUMBERS *sum, NUMBERS *low, NUMBERS a, NUMBERS b)
{
    NUMBERS term = NAME(neg_mul_add)(*low, a, b), old = *sum;
    *sum = NAME(plus)(old, term);
    *low = NAME(minus)(term, NAME(minus)(*sum, old));
}
LANES_INLINE bool NAME(any)(BITS m)
{
    INTEGER all = 0;
    LANES_UNROLL for (int k = 0; k < W; k++) all |= m[k];
    return all != 0;
}

/* In every lane the larger of `most` >= 0 and |a|; `most` if a is NaN. */
LANES_INLINE VEC NAME(largest)(VEC most, VEC a)
{
    VEC size = NAME(magnitude)(a);
    return NAME(choose)(size > most, size, most);
}
/* The larger of `most` and |re| and |im| of a */
LANES_INLINE VEC NAME(larger_part)(VEC most, NUMBERS a)
{
#if COMPLEX
    return NAME(largest)(NAME(largest)(most, a.re), a.im);
#else
    return NAME(largest)(most, a);
#endif
}
/* 0 in lanes where a is finite, NaN in the others */
LANES_INLINE VEC NAME(zero_if_finite)(NUMBERS a)
{
#if COMPLEX
    return (a.re - a.re) + (a.im - a.im);
#else
    return a - a;
#endif
}

/* ---- elements of arrays ---- */

/* Lane k of *to = the element at `from` */
LANES_INLINE void NAME(set_lane)(NUMBERS *to, int k, const REAL *from)
{
#if COMPLEX
    to->re[k] = from[0];
    to->im[k] = from[1];
#else
    (*to)[k] = from[0];
#endif
}
LANES_INLINE void NAME(get_lane)(NUMBERS a, int k, REAL *to)
{
#if COMPLEX
    to[0] = a.re[k];
    to[1] = a.im[k];
#else
    to[0] = a[k];
#endif
}
LANES_INLINE void NAME(add_lane)(REAL *to, NUMBERS a, int k)
{
#if COMPLEX
    to[0] += a.re[k];
    to[1] += a.im[k];
#else
    to[0] += a[k];
#endif
}
/* Row r of a transposed square: its elements are m[r]; or real parts m[2 r], and m[2 r + 1]. */
LANES_INLINE NUMBERS NAME(row_of_square)(const VEC m[W], int r)
{
#if COMPLEX
    return (NUMBERS){m[2 * r], m[2 * r + 1]};
#else
    return m[r];
#endif
}
LANES_INLINE void NAME(set_row_of_square)(VEC m[W], int r, NUMBERS a)
{
#if COMPLEX
    m[2 * r] = a.re;
    m[2 * r + 1] = a.im;
#else
    m[r] = a;
#endif
}
/* The same element in all lanes. An addition of 0 would flush a subnormal one. */
LANES_INLINE NUMBERS NAME(load_same)(const REAL *from)
{
    NUMBERS a = NAME(broadcast)(0);
    LANES_UNROLL for (int k = 0; k < W; k++) NAME(set_lane)(&a, k, from);
    return a;
}
/* W neighbouring elements */
LANES_INLINE NUMBERS NAME(load_neighbours)(const REAL *from)
{
    VEC low = LANES(lanes_load)(from);
#if COMPLEX
    VEC high = LANES(lanes_load)(from + W);
    return (NUMBERS){__builtin_shufflevector(low, high, LANES(LANES_ALL)(EVEN, 0, LANES(LANES_W))),
                     __builtin_shufflevector(low, high, LANES(LANES_ALL)(ODD, 0, LANES(LANES_W)))};
#else
    return low;
#endif
}
LANES_INLINE void NAME(store_neighbours)(REAL *to, NUMBERS a)
{
#if COMPLEX
    LANES(lanes_store)
    (to, __builtin_shufflevector(a.re, a.im, LANES(LANES_ALL)(TURNS_LOW, 0, LANES(LANES_W))));
    LANES(lanes_store)
    (to + W, __builtin_shufflevector(a.re, a.im, LANES(LANES_ALL)(TURNS_HIGH, 0, LANES(LANES_W))));
#else
    LANES(lanes_store)(to, a);
#endif
}
