/* Arithmetic for tridiagonal_cpu.h. SCALAR is one number, NUMBERS is one in every lane. */
#if COMPLEX
typedef REAL complex SCALAR;
typedef struct {
    VEC re, im;
} NUMBERS;
#else
typedef REAL SCALAR;
typedef VEC NUMBERS;
#endif
typedef __typeof__((VEC){0} < (VEC){0}) MASK;

/* The processor flushes results below MIN to zero, which is an error of at most MIN. Relative to
 * numbers of at least LEAST, this error is at most EPSILON/64. */
#define LEAST (64 * MIN / EPSILON)

/* In every lane a where all bits of `where` are set, else b, where none is. */
LANES_INLINE VEC NAME(select_real)(MASK where, VEC a, VEC b)
{
    return (VEC)(((MASK)a & where) | ((MASK)b & ~where));
}
LANES_INLINE VEC NAME(magnitude)(VEC a)
{
    return (VEC)((MASK)a & ~(MASK)(-(VEC){0}));
}
/* In every lane the larger of a and b; a if one is NaN. */
LANES_INLINE VEC NAME(larger)(VEC a, VEC b)
{
    return NAME(select_real)(b > a, b, a);
}
/* In every lane the larger of `most` >= 0 and |a|; `most` if a is NaN. */
LANES_INLINE VEC NAME(largest)(VEC most, VEC a)
{
    return NAME(larger)(most, NAME(magnitude)(a));
}

/* Sums over the rows of a lane, which show bad pivots without a branch per row. `ratios` is the sum
 * of |a/pivot|^2, where a is the diagonal element; large or NaN if cancellation makes a pivot zero
 * or nearly zero. `pivots` is the sum of |pivot|^2 + |1/pivot|^2; large if a pivot is far from
 * 1. With automatic pivoting `ratios` is the sum of all `flow` (tridiagonal_cpu_tiles.h). */
struct NAME(sums) {
    VEC ratios, pivots, flow;
};

#if COMPLEX
LANES_INLINE NUMBERS NAME(times)(NUMBERS a, NUMBERS b)
{
    return (NUMBERS){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
LANES_INLINE NUMBERS NAME(minus)(NUMBERS a, NUMBERS b)
{
    return (NUMBERS){a.re - b.re, a.im - b.im};
}
/* a + b c and a - b c, each with four fused multiply-adds */
LANES_INLINE NUMBERS NAME(plus_product)(NUMBERS a, NUMBERS b, NUMBERS c)
{
    return (NUMBERS){a.re + b.re * c.re - b.im * c.im, a.im + b.re * c.im + b.im * c.re};
}
LANES_INLINE NUMBERS NAME(minus_product)(NUMBERS a, NUMBERS b, NUMBERS c)
{
    return (NUMBERS){a.re - b.re * c.re + b.im * c.im, a.im - b.re * c.im - b.im * c.re};
}
LANES_INLINE NUMBERS NAME(scaled_by)(NUMBERS a, VEC factor)
{
    return (NUMBERS){a.re * factor, a.im * factor};
}
/* 1/a = conj(a)/|a|^2, with one division. |a|^2 must be within the type's range. */
LANES_INLINE NUMBERS NAME(inverse)(NUMBERS a)
{
    VEC factor = 1 / (a.re * a.re + a.im * a.im);
    return (NUMBERS){a.re * factor, -a.im * factor};
}
LANES_INLINE VEC NAME(squares)(NUMBERS a)
{
    return a.re * a.re + a.im * a.im;
}
/* The same without overflow or underflow of |a|^2; NaN if a is 0, subnormal or not finite. */
LANES_INLINE NUMBERS NAME(inverse_in_range)(NUMBERS a)
{
    const MASK exponents = (MASK)((VEC){0} + (REAL)INFINITY);
    VEC most = NAME(larger)(NAME(magnitude)(a.re), NAME(magnitude)(a.im));
    VEC scale = (VEC)(exponents - ((MASK)most & exponents));
    return NAME(scaled_by)(NAME(inverse)(NAME(scaled_by)(a, scale)), scale);
}
/* 1/pivot of a row with diagonal element a; adds to sums->pivots. *ratio becomes |a/pivot|^2. */
LANES_INLINE NUMBERS NAME(inverse_summed)(NUMBERS pivot, NUMBERS a, struct NAME(sums) * sums,
                                          VEC *ratio)
{
    VEC square = NAME(squares)(pivot), factor = 1 / square;
    *ratio = NAME(squares)(a) * factor;
    sums->pivots += square;
    sums->pivots += factor;
    return (NUMBERS){pivot.re * factor, -pivot.im * factor};
}
LANES_INLINE VEC NAME(larger_part)(VEC most, NUMBERS a)
{
    return NAME(largest)(NAME(largest)(most, a.re), a.im);
}
LANES_INLINE VEC NAME(size)(NUMBERS a)
{
    return NAME(magnitude)(a.re) + NAME(magnitude)(a.im);
}
LANES_INLINE NUMBERS NAME(select)(MASK where, NUMBERS a, NUMBERS b)
{
    return (NUMBERS){NAME(select_real)(where, a.re, b.re), NAME(select_real)(where, a.im, b.im)};
}
/* 0 in lanes where a is finite, NaN in the others */
LANES_INLINE VEC NAME(zero_if_finite)(NUMBERS a)
{
    return (a.re - a.re) + (a.im - a.im);
}
LANES_INLINE NUMBERS NAME(broadcast)(REAL value)
{
    return (NUMBERS){(VEC){0} + value, (VEC){0}};
}
/* Row r of the lanes. Elements 2r and 2r + 1 of m have its real and imaginary parts. */
LANES_INLINE NUMBERS NAME(row_of_square)(const VEC m[W], int r)
{
    return (NUMBERS){m[2 * r], m[2 * r + 1]};
}
LANES_INLINE void NAME(set_row_of_square)(VEC m[W], int r, NUMBERS a)
{
    m[2 * r] = a.re;
    m[2 * r + 1] = a.im;
}
LANES_INLINE void NAME(store_numbers)(SCALAR *to, NUMBERS a)
{
    for (int k = 0; k < W; k++) {
        ((REAL *)to)[2 * k] = a.re[k];
        ((REAL *)to)[2 * k + 1] = a.im[k];
    }
}
LANES_INLINE NUMBERS NAME(load_numbers)(const SCALAR *from)
{
    /* initialized because setting one lane reads the others, of which gcc 14 warns */
    NUMBERS a = NAME(broadcast)(0);
    for (int k = 0; k < W; k++) {
        a.re[k] = ((const REAL *)from)[2 * k];
        a.im[k] = ((const REAL *)from)[2 * k + 1];
    }
    return a;
}
static inline SCALAR NAME(inverse_of)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1], factor = 1 / (re * re + im * im);
    SCALAR inverse;
    ((REAL *)&inverse)[0] = re * factor;
    ((REAL *)&inverse)[1] = -im * factor;
    return inverse;
}
static inline SCALAR NAME(conjugate)(SCALAR a)
{
    ((REAL *)&a)[1] = -((REAL *)&a)[1];
    return a;
}
/* -conj(a b); unlike the operator, without a branch for NaN */
static inline SCALAR NAME(minus_conjugate)(SCALAR a, SCALAR b)
{
    const REAL *p = (REAL *)&a, *q = (REAL *)&b;
    SCALAR result;
    ((REAL *)&result)[0] = p[1] * q[1] - p[0] * q[0];
    ((REAL *)&result)[1] = p[0] * q[1] + p[1] * q[0];
    return result;
}
/* 1/a, without overflow or underflow of |a|^2 */
static inline SCALAR NAME(inverse_normalized)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1], p = re < 0 ? -re : re, q = im < 0 ? -im : im;
    REAL scale = LANES(normalizing_scale)(p > q ? p : q);
    return NAME(inverse_of)(a * scale) * scale;
}
static inline REAL NAME(abs1)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1];
    return (re < 0 ? -re : re) + (im < 0 ? -im : im);
}
static inline REAL NAME(square)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1];
    return re * re + im * im;
}
#else
LANES_INLINE NUMBERS NAME(times)(NUMBERS a, NUMBERS b)
{
    return a * b;
}
LANES_INLINE NUMBERS NAME(minus)(NUMBERS a, NUMBERS b)
{
    return a - b;
}
LANES_INLINE NUMBERS NAME(plus_product)(NUMBERS a, NUMBERS b, NUMBERS c)
{
    return a + b * c;
}
LANES_INLINE NUMBERS NAME(minus_product)(NUMBERS a, NUMBERS b, NUMBERS c)
{
    return a - b * c;
}
LANES_INLINE NUMBERS NAME(inverse)(NUMBERS a)
{
    return 1 / a;
}
LANES_INLINE VEC NAME(squares)(NUMBERS a)
{
    return a * a;
}
LANES_INLINE NUMBERS NAME(inverse_in_range)(NUMBERS a)
{
    return 1 / a;
}
LANES_INLINE NUMBERS NAME(inverse_summed)(NUMBERS pivot, NUMBERS a, struct NAME(sums) * sums,
                                          VEC *ratio)
{
    NUMBERS q = 1 / pivot;
    *ratio = NAME(squares)(a * q);
    sums->pivots += pivot * pivot;
    sums->pivots += q * q;
    return q;
}
LANES_INLINE VEC NAME(larger_part)(VEC most, NUMBERS a)
{
    return NAME(largest)(most, a);
}
LANES_INLINE VEC NAME(size)(NUMBERS a)
{
    return NAME(magnitude)(a);
}
LANES_INLINE NUMBERS NAME(select)(MASK where, NUMBERS a, NUMBERS b)
{
    return NAME(select_real)(where, a, b);
}
LANES_INLINE NUMBERS NAME(scaled_by)(NUMBERS a, VEC factor)
{
    return a * factor;
}
LANES_INLINE VEC NAME(zero_if_finite)(NUMBERS a)
{
    return a - a;
}
LANES_INLINE NUMBERS NAME(broadcast)(REAL value)
{
    return (VEC){0} + value;
}
LANES_INLINE NUMBERS NAME(row_of_square)(const VEC m[W], int r)
{
    return m[r];
}
LANES_INLINE void NAME(set_row_of_square)(VEC m[W], int r, NUMBERS a)
{
    m[r] = a;
}
LANES_INLINE void NAME(store_numbers)(SCALAR *to, NUMBERS a)
{
    LANES(lanes_store)(to, a);
}
LANES_INLINE NUMBERS NAME(load_numbers)(const SCALAR *from)
{
    return LANES(lanes_load)(from);
}
static inline SCALAR NAME(inverse_of)(SCALAR a)
{
    return 1 / a;
}
static inline SCALAR NAME(conjugate)(SCALAR a)
{
    return a;
}
static inline SCALAR NAME(minus_conjugate)(SCALAR a, SCALAR b)
{
    return -(a * b);
}
static inline SCALAR NAME(inverse_normalized)(SCALAR a)
{
    return 1 / a;
}
static inline REAL NAME(abs1)(SCALAR a)
{
    return a < 0 ? -a : a;
}
static inline REAL NAME(square)(SCALAR a)
{
    return a * a;
}
#endif

/* True if the pivot, which is a - term, is larger than the rounding error of this difference, and
 * `inverse`, which is 1/pivot, is finite and not 0. False for NaN. */
static inline bool NAME(pivot_ok)(SCALAR pivot, SCALAR a, SCALAR term, SCALAR inverse)
{
    REAL zero = NAME(abs1)(inverse) - NAME(abs1)(inverse);
    return NAME(abs1)(pivot) > EPSILON * (NAME(abs1)(a) + NAME(abs1)(term)) && zero == 0 &&
           NAME(abs1)(inverse) > 0;
}

/* For functions that must give the same bits on one core and on several. The compiler could
 * contract products and sums differently wherever it inlines them. */
#define NOT_INLINE static __attribute__((noinline))
