/* Vectors of numbers, for recurrence_cpu.h: to load, store and shift them. */

/* Complex numbers are loaded as two vectors, whose parts are sorted within each 16 bytes, because
 * other shuffles take longer. So lane k has element ELEMENT(k) of the 2 W / 2 loaded, of which
 * PAIRS are in 16 bytes. */
#if COMPLEX
#define PAIRS         ((int)(8 / sizeof(REAL)))
#define ELEMENT(k, w) ((k) / PAIRS % 2 * (w) / 2 + (k) / PAIRS / 2 * PAIRS + (k) % PAIRS)
#define LANE(j, w)                                                                                 \
    ((j) % ((w) / 2) / PAIRS * 2 * PAIRS + (j) / ((w) / 2) * PAIRS + (j) % ((w) / 2) % PAIRS)
#else
#define ELEMENT(k, w) (k)
#define LANE(j, w)    (j)
#endif
/* Lane k of the elements that are h before or after those of a vector: its index in a pair of
 * vectors, this one and its neighbour. */
#define BEFORE(k, h, w) PAIR_LANE(ELEMENT(k, w) + (w) - (h) % (w), w)
#define AFTER(k, h, w)  PAIR_LANE(ELEMENT(k, w) + (h) % (w), w)
#define PAIR_LANE(j, w) (LANE((j) % (w), w) + (j) / (w) * (w))
/* The index of real part k of a pair of vectors that have been loaded, of which the imaginary part
 * follows; and the index of part k of the numbers in a pair of vectors, real parts and imaginary
 * parts. */
#define PART(k, h, w)   (2 * ELEMENT(k, w) + (h))
#define STORED(k, h, w) (LANE(((k) + (h)) / 2, w) + (k) % 2 * (w))

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
    return (NUMBERS){__builtin_shufflevector(low, high, EACH_LANE(PART, 0, W)),
                     __builtin_shufflevector(low, high, EACH_LANE(PART, 1, W))};
}
LANES_INLINE void NAME(store)(NUMBER *to, NUMBERS a)
{
    LANES(lanes_store)(&to->re, __builtin_shufflevector(a.re, a.im, EACH_LANE(STORED, 0, W)));
    LANES(lanes_store)(&to->re + W, __builtin_shufflevector(a.re, a.im, EACH_LANE(STORED, W, W)));
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

#undef PAIRS
#undef ELEMENT
#undef LANE
#undef BEFORE
#undef AFTER
#undef PAIR_LANE
#undef PART
#undef STORED
