/* A map w -> a w + b carries a recurrence over a range of its elements, from the value before the
 * range to the value of its last element. The composition of two maps is a map again, so a scan
 * over maps solves a recurrence in parallel.
 *
 * With a batch of sequences this becomes a segmented scan. The head flag of a range is set if a
 * sequence begins in the range. Then the value before the range belongs to another sequence. It
 * must not even be multiplied by 0, because it may be NaN. `heads` has the head flags of the ranges
 * of a warp's lanes, one bit for each lane. */
#pragma once

#include "half.cuh"

template <class T> struct map {
    FIELDS(map, T, a, b);
};

template <class T> static __device__ inline map<T> identity(void)
{
    return {one_of(T()), zero_of(T())};
}

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

/* the highest lane whose bit is set; -1 if none is */
static __device__ inline int last_lane(unsigned lanes)
{
    return WARP - 1 - __clz((int)lanes);
}

/* Inclusive segmented scan over the warp: lane l gets the composition of the maps of lanes k..l,
 * where k is the last lane in 0..l with a head flag, or 0. M is any map with
 * compose() and from_lane(). */
template <class M> static __device__ inline M scan_warp(M mine, unsigned heads, int lane)
{
    int from = last_lane(heads & (0xffffffffu >> (WARP - 1 - lane)));
    for (int h = 1; h < WARP; h *= 2) {
        M before = from_lane(mine, lane < h ? lane : lane - h);
        if (lane >= h && lane - h >= from)
            mine = compose(before, mine);
    }
    return mine;
}

/* Reduction over the warp: lane 0 gets the composition of the maps from the last lane with a head
 * flag, or lane 0, to lane 31. The results of the other lanes must not be used. */
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
