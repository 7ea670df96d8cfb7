/* Packs: N neighbouring elements, 16 bytes of an array, which are loaded and stored at once.
 * Arithmetic on packs is that on each of their elements. */
#pragma once

#include "half.cuh"

template <class S, int N> struct alignas(CHUNK) pack {
    S element[N];
};
/* The same for elements of 16 bits, two in a word, as they are in registers. These packs have 8
 * bytes, so that their numbers fit into registers. */
enum { HALVES = 4 };
template <class S> struct alignas(2 * HALVES) half_pack {
    unsigned word[HALVES / 2];
};
/* The type of one element, and the number of elements */
template <class S> struct elements_of {
    typedef S type;
    enum { COUNT = 1 };
};
template <class S, int N> struct elements_of<pack<S, N>> {
    typedef S type;
    enum { COUNT = N };
};
template <class S> struct elements_of<half_pack<S>> {
    typedef S type;
    enum { COUNT = HALVES };
};
template <class S> struct computed_of<half_pack<S>> {
    typedef pack<float, HALVES> type;
};
template <class S, int N> struct computed_of<pack<S, N>> {
    typedef pack<computed<S>, N> type;
};

/* The pack of elements of type S; S itself if it has 16 bytes */
template <class S, int bytes = sizeof(S)> struct pack_of {
    typedef pack<S, CHUNK / sizeof(S)> type;
};
template <class S> struct pack_of<S, 2> {
    typedef half_pack<S> type;
};
template <class S> struct pack_of<S, CHUNK> {
    typedef S type;
};

/* A pack whose element e is f(e) */
template <class S, int N, class F> static __device__ inline pack<S, N> each_of(F f)
{
    pack<S, N> x;
    UNROLL()
    for (int e = 0; e < N; e++)
        x.element[e] = f(e);
    return x;
}
template <class S, int N> static __device__ inline pack<computed<S>, N> value_of(pack<S, N> x)
{
    return each_of<computed<S>, N>([&](int e) { return value_of(x.element[e]); });
}
template <class S, int N>
static __device__ inline pack<S, N> rounded_to(pack<S, N>, pack<computed<S>, N> x)
{
    return each_of<S, N>([&](int e) { return element_of<S>(x.element[e]); });
}
template <class S> static __device__ inline pack<float, HALVES> value_of(half_pack<S> x)
{
    return each_of<float, HALVES>(
        [&](int e) { return value_of(S{(uint16_t)(x.word[e / 2] >> 16 * (e % 2))}); });
}
template <class S>
static __device__ inline half_pack<S> rounded_to(half_pack<S>, pack<float, HALVES> x)
{
    half_pack<S> packed;
    UNROLL()
    for (int k = 0; k < HALVES / 2; k++)
        packed.word[k] = element_of<S>(x.element[2 * k]).bits |
                         (unsigned)element_of<S>(x.element[2 * k + 1]).bits << 16;
    return packed;
}
template <class S> static __device__ inline half_pack<S> zero_of(half_pack<S>)
{
    return {};
}
template <class S> static __device__ inline pack<float, HALVES> all_equal(half_pack<S>, const S *x)
{
    return each_of<float, HALVES>([&](int) { return value_of(*x); });
}
template <class S, int N> static __device__ inline pack<S, N> zero_of(pack<S, N>)
{
    return each_of<S, N>([](int) { return zero_of(S()); });
}
template <class S, int N> static __device__ inline pack<S, N> one_of(pack<S, N>)
{
    return each_of<S, N>([](int) { return one_of(S()); });
}
template <class T, int N> static __device__ inline pack<T, N> conjugate(pack<T, N> x)
{
    return each_of<T, N>([&](int e) { return conjugate(x.element[e]); });
}
template <class T, int N> static __device__ inline pack<T, N> operator*(pack<T, N> x, pack<T, N> y)
{
    return each_of<T, N>([&](int e) { return x.element[e] * y.element[e]; });
}
template <class T, int N> static __device__ inline pack<T, N> operator+(pack<T, N> x, pack<T, N> y)
{
    return each_of<T, N>([&](int e) { return x.element[e] + y.element[e]; });
}
template <class T, int N>
static __device__ inline pack<T, N> mul_add(pack<T, N> a, pack<T, N> x, pack<T, N> b)
{
    return each_of<T, N>([&](int e) { return mul_add(a.element[e], x.element[e], b.element[e]); });
}
template <class T, int N> static __device__ inline pack<T, N> from_lane(pack<T, N> x, int lane)
{
    return each_of<T, N>([&](int e) { return from_lane(x.element[e], lane); });
}
/* All elements are *x, which is an element of an array. */
template <class S> static __device__ inline computed<S> all_equal(S, const S *x)
{
    return value_of(*x);
}
template <class S, int N>
static __device__ inline pack<computed<S>, N> all_equal(pack<S, N>, const S *x)
{
    return each_of<computed<S>, N>([&](int) { return value_of(*x); });
}
