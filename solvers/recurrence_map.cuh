/* Maps w -> a w + b, which carry a recurrence over a range of its elements: the value before the
 * range goes to the value of the range's last element. Maps compose, so a scan over maps solves a
 * recurrence in parallel.
 *
 * A batch makes it a segmented scan. A range has its head flag set if a sequence begins in it. Then
 * the value before the range has no effect, and must not be multiplied into the result: it belongs
 * to another sequence and may be NaN. `heads` has a bit for each lane of a warp, the head flag of
 * that lane's range. Part of recurrence.cu. */
#ifndef RECURRENCE_MAP_CUH
#define RECURRENCE_MAP_CUH

#include "scalar.cuh"

template <class T> struct map {
    FIELDS(map, T, a, b);
};

template <class T> static __device__ inline map<T> identity(void)
{
    return {one_of(T()), zero_of(T())};
}

/* The map that applies `first`, then `then`. */
template <class T> static __device__ inline map<T> compose(map<T> first, map<T> then)
{
    return {then.a * first.a, mul_add(then.a, first.b, then.b)};
}
template <class T> static __device__ inline map<T> from_lane(map<T> m, int lane)
{
    return {from_lane(m.a, lane), from_lane(m.b, lane)};
}
template <class T> static __device__ inline T apply(map<T> m, bool head, T x)
{
    return head ? m.b : mul_add(m.a, x, m.b);
}

/* The highest lane whose bit is set; -1 if none is. */
static __device__ inline int last_lane(unsigned lanes)
{
    return WARP - 1 - __clz((int)lanes);
}

/* Inclusive segmented scan over the warp in five steps. Lane l gets the composition of the maps of
 * lanes k..l, where k is the last lane up to l with its head flag set, or 0. */
template <class T> static __device__ inline map<T> scan_warp(map<T> mine, unsigned heads, int lane)
{
    int from = last_lane(heads & (0xffffffffu >> (WARP - 1 - lane)));
    for (int h = 1; h < WARP; h *= 2) {
        map<T> before = from_lane(mine, lane < h ? lane : lane - h);
        if (lane >= h && lane - h >= from)
            mine = compose(before, mine);
    }
    return mine;
}

/* Reduction over the warp, by a tree. Lane 0 gets the composition of all 32 maps; if head flags are
 * set, only of those from the last lane with a flag to lane 31. What the other lanes get is of no
 * use. */
template <class T>
static __device__ inline map<T> reduce_warp(map<T> mine, unsigned heads, int lane)
{
    int from = last_lane(heads);
    if (lane < from)
        mine = identity<T>();
    else if (lane == from)
        mine.a = zero_of(T());
    for (int h = 1; h < WARP; h *= 2) {
        map<T> after = from_lane(mine, (lane + h) % WARP);
        if (lane % (2 * h) == 0)
            mine = compose(mine, after);
    }
    return mine;
}

#endif
