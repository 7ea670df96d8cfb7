/* Vectors of numbers, for recurrence_cpu.h: to load, store and shift them. */

/* Lane k of the numbers that are h before or after those of vector `now`, in a pair of vectors. */
#define BEFORE(k, h, w) ((w) - (h) % (w) + (k))
#define AFTER(k, h, w)  ((h) % (w) + (k))
/* Indices of a pair of vectors: the even ones, the odd ones, and one of the first vector and one of
 * the second in turn. */
#define EVEN(k, h, w) (2 * (k) + (h))
#define ZIP(k, h, w)  ((k) / 2 + (h) + (k) % 2 * (w))

/* The numbers h before those of `now` in the order of computation, 1 <= h < W. `before` is the
 * vector before it. `down`: this order is from the last lane to the first. */
LANES_INLINE VEC NAME(shift_parts)(int down, int h, VEC before, VEC now)
{
#define SHIFTED(h)                                                                                 \
    (down ? __builtin_shufflevector(now, before, EACH_LANE(AFTER, h, W))                           \
          : __builtin_shufflevector(before, now, EACH_LANE(BEFORE, h, W)))
    return h == 1 ? SHIFTED(1) : h == 2 ? SHIFTED(2) : h == 4 ? SHIFTED(4) : SHIFTED(8);
#undef SHIFTED
}
#if COMPLEX
LANES_INLINE NUMBERS NAME(load)(const NUMBER *from)
{
    VEC low = LANES(lanes_load)(&from->re), high = LANES(lanes_load)(&from->re + W);
    return (NUMBERS){__builtin_shufflevector(low, high, EACH_LANE(EVEN, 0, W)),
                     __builtin_shufflevector(low, high, EACH_LANE(EVEN, 1, W))};
}
LANES_INLINE void NAME(store)(NUMBER *to, NUMBERS a)
{
    LANES(lanes_store)(&to->re, __builtin_shufflevector(a.re, a.im, EACH_LANE(ZIP, 0, W)));
    LANES(lanes_store)(&to->re + W, __builtin_shufflevector(a.re, a.im, EACH_LANE(ZIP, W / 2, W)));
}
LANES_INLINE NUMBERS NAME(shift)(int down, int h, NUMBERS before, NUMBERS now)
{
    return (NUMBERS){NAME(shift_parts)(down, h, before.re, now.re),
                     NAME(shift_parts)(down, h, before.im, now.im)};
}
LANES_INLINE NUMBERS NAME(broadcast)(NUMBER a)
{
    return (NUMBERS){(VEC){0} + a.re, (VEC){0} + a.im};
}
LANES_INLINE NUMBER NAME(lane)(NUMBERS a, int k)
{
    return (NUMBER){a.re[k], a.im[k]};
}
#else
LANES_INLINE NUMBERS NAME(load)(const NUMBER *from)
{
    return (NUMBERS){LANES(lanes_load)(&from->re)};
}
LANES_INLINE void NAME(store)(NUMBER *to, NUMBERS a)
{
    LANES(lanes_store)(&to->re, a.re);
}
LANES_INLINE NUMBERS NAME(shift)(int down, int h, NUMBERS before, NUMBERS now)
{
    return (NUMBERS){NAME(shift_parts)(down, h, before.re, now.re)};
}
LANES_INLINE NUMBERS NAME(broadcast)(NUMBER a)
{
    return (NUMBERS){(VEC){0} + a.re};
}
LANES_INLINE NUMBER NAME(lane)(NUMBERS a, int k)
{
    return (NUMBER){a.re[k]};
}
#endif
