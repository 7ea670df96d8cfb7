/* Numbers for recurrence_cpu.h. Included twice for each type: PARTS is a REAL, and a NUMBERS is one
 * number; or PARTS is a VEC, and a NUMBERS is one number in every lane. */
typedef struct {
    PARTS re;
#if COMPLEX
    PARTS im;
#endif
} NUMBERS;

/* Products and sums are written so that there is one way to contract them to fused multiply-adds.
 * So all copies of a function compute the same bits. */
#if COMPLEX
LANES_INLINE NUMBERS OF(mul_add)(NUMBERS a, NUMBERS x, NUMBERS b)
{
    return (NUMBERS){a.re * x.re + (b.re - a.im * x.im), a.re * x.im + (a.im * x.re + b.im)};
}
LANES_INLINE NUMBERS OF(conjugate)(NUMBERS a)
{
    return (NUMBERS){a.re, -a.im};
}
#else
LANES_INLINE NUMBERS OF(mul_add)(NUMBERS a, NUMBERS x, NUMBERS b)
{
    return (NUMBERS){a.re * x.re + b.re};
}
LANES_INLINE NUMBERS OF(conjugate)(NUMBERS a)
{
    return a;
}
#endif
LANES_INLINE NUMBERS OF(mul)(NUMBERS a, NUMBERS x)
{
#if COMPLEX
    return OF(mul_add)(a, x, (NUMBERS){(PARTS){0}, (PARTS){0}});
#else
    return (NUMBERS){a.re * x.re};
#endif
}
