/* The six stages of the N-shaped partition method (L22 Table 1). Each stage is a function of one
 * block. GPU threads, CPU cores and MPI ranks call the same functions.
 *
 *   RD  reduce down           reduce_down()
 *   JD  join down             join_down()
 *   RU  reduce up             reduce_up()
 *   JU  join up               join_up()
 *   RS  reduced solution      reduced_solve()
 *   SS  support substitution  substitute()
 *
 * The letters are those of L22 eq. 5, b_i psi_{i-1} + a_i psi_i + c_i psi_{i+1} = d_i: b is below
 * the diagonal, a on it, c above it. Rows count from 0 here, from 1 in L22. Block w is between the
 * joint lines J_w and J_{w+1}. r is a factor: a stage adds r times one row to another row, with the
 * r that makes one element of the other row 0. */
#pragma once

#include "device.h"

#include <stdint.h>

/* ---- numbers: real, or complex written out in real and imaginary parts (L22 6.1) ---- */

template <class R> struct alignas(2 * sizeof(R)) complex_of {
    FIELDS(complex_of, R, re, im);
};

#define HOST_DEVICE static __host__ __device__ inline

template <class R> HOST_DEVICE complex_of<R> operator+(complex_of<R> x, complex_of<R> y)
{
    return {x.re + y.re, x.im + y.im};
}
template <class R> HOST_DEVICE complex_of<R> operator-(complex_of<R> x, complex_of<R> y)
{
    return {x.re - y.re, x.im - y.im};
}
template <class R> HOST_DEVICE complex_of<R> operator-(complex_of<R> x)
{
    return {-x.re, -x.im};
}
template <class R> HOST_DEVICE complex_of<R> operator*(complex_of<R> x, complex_of<R> y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* 1/x, the only division in the stages. divisions.cu counts its calls. 1/0 is infinite or NaN. */
HOST_DEVICE float inverse(float x)
{
    return 1 / x;
}
HOST_DEVICE double inverse(double x)
{
    return 1 / x;
}
/* 1/x = conj(x)/|x|^2, where norm = |x|^2. */
template <class R> HOST_DEVICE complex_of<R> inverse(complex_of<R> x, R norm)
{
    R factor = 1 / norm;
    return {x.re * factor, -x.im * factor};
}
/* 1/x. If |x|^2 or its inverse may overflow or underflow, x is first scaled by a power of two. */
template <class R> HOST_DEVICE complex_of<R> inverse(complex_of<R> x)
{
    constexpr bool single = sizeof(R) == sizeof(float);
    constexpr R large = (R)(single ? 0x1p124 : 0x1p1020), grow = (R)(single ? 0x1p80 : 0x1p600);
    R norm = x.re * x.re + x.im * x.im;
    if (norm > 1 / large && norm < large)
        return inverse(x, norm);
    R by = norm < 1 ? grow : 1 / grow;
    x = {x.re * by, x.im * by};
    x = inverse(x, x.re * x.re + x.im * x.im);
    return {x.re * by, x.im * by};
}

/* |re| + |im|, an estimate of the modulus without a square root. */
HOST_DEVICE float abs1(float x)
{
    return x < 0 ? -x : x;
}
HOST_DEVICE double abs1(double x)
{
    return x < 0 ? -x : x;
}
template <class R> HOST_DEVICE R abs1(complex_of<R> x)
{
    return abs1(x.re) + abs1(x.im);
}

/* A pivot must exceed the rounding error of its terms, and its inverse must be finite. Arguments:
 * abs1() of it, the sum of abs1() of its terms. False for NaN and for infinite `terms`. */
HOST_DEVICE bool pivot_ok(float pivot, float terms)
{
    return pivot > 1.1920929e-7f * terms + 0x1p-127f;
}
HOST_DEVICE bool pivot_ok(double pivot, double terms)
{
    return pivot > 2.220446049250313e-16 * terms + 0x1p-1023;
}

/* ---- a system and its partition ---- */

/* A tridiagonal system of n rows (lines): the given one, or an application's joint lines. */
template <class T> struct lines {
    T *b, *a, *c, *d, *psi;
    /* the terms of JD for a and d of a joint line, for end_line(); not with atomic additions */
    T *extra_a, *extra_d;
    int64_t *row; /* row[i]: the number of line i in the given system; NULL: the number is i */
    int64_t n;
    int number; /* 0: the given system; l + 1: the joint lines that application l leaves */
};
/* One application: `rows` in nbl blocks. The joint lines are the rows of the next (L22 eq. 6). */
template <class T> struct application {
    lines<T> rows, joints;
    int64_t nbl;
    const int64_t *joint; /* joint[w] is J_w; NULL: equal blocks */
    bool atomic;          /* true: JU and JD add to a and d by atomic additions */
    long long *status;
};

/* Returns J_w. The first of the equal blocks have one row more. */
template <class T> HOST_DEVICE int64_t joint_line(const application<T> *p, int64_t w)
{
    if (p->joint)
        return p->joint[w];
    int64_t rows = p->rows.n - 1, each = rows / p->nbl, more = rows % p->nbl;
    return w * each + (w < more ? w : more);
}

/* Returns the number of line i of l in the given system. */
template <class T> HOST_DEVICE int64_t given_row(const lines<T> *l, int64_t i)
{
    return l->row ? l->row[i] : i;
}

/* Reports a bad pivot: l->number in the bits from 40 on, below them 1 + the row in the given
 * system. *status keeps the smallest report, from the first application and its first row, because
 * rows that depend on a bad pivot may report, too. */
template <class T> HOST_DEVICE void report(const application<T> *p, const lines<T> *l, int64_t i)
{
    unsigned long long row =
        (unsigned long long)l->number << 40 | ((unsigned long long)given_row(l, i) + 1);
    unsigned long long *status = (unsigned long long *)p->status;
#ifdef __CUDA_ARCH__
    atomicMin(status, row);
#else
    unsigned long long old = __atomic_load_n(status, __ATOMIC_RELAXED);
    while (row < old && !__atomic_compare_exchange_n(status, &old, row, false, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED))
        ;
#endif
}

/* The encircled assignment of L22 Table 1; the parts of a complex number are added separately. On a
 * GPU atomicAdd() replaces subnormal floats by 0, so atomicCAS() adds small values. */
template <class T> HOST_DEVICE void add_atomically(T *to, T value)
{
#ifdef __CUDA_ARCH__
    if (sizeof(T) == sizeof(double) || !(value < (T)0x1p-100 && value > (T)-0x1p-100)) {
        atomicAdd(to, value);
        return;
    }
    unsigned *bits = (unsigned *)to, old = *(volatile unsigned *)bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_uint(__uint_as_float(seen) + (float)value));
    } while (old != seen);
#else
    T old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do
        sum = old + value;
    while (!__atomic_compare_exchange(to, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
}
template <class R> HOST_DEVICE void add_atomically(complex_of<R> *to, complex_of<R> value)
{
    add_atomically(&to->re, value.re);
    add_atomically(&to->im, value.im);
}

/* ---- the stages of block w (L22 Table 1) ---- */

/* RD, reduce down (L22 Table 1). For i = J_w + 2 … J_{w+1} - 1:
 *
 *   r = -b_i / a_{i-1},  b_i = r b_{i-1},  a_i += r c_{i-1},  d_i += r d_{i-1}
 *
 * Then row i no longer contains psi_{i-1}. b_i is now the coefficient of psi_{J_w}, the unknown of
 * the joint line above the block. */
template <class T> HOST_DEVICE void reduce_down(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, end = joint_line(p, w + 1);
    if (first >= end)
        return;
    T b = s->b[first], a = s->a[first], c = s->c[first], d = s->d[first];
    if (!pivot_ok(abs1(a), abs1(a)))
        report(p, s, first);
    for (int64_t i = first + 1; i < end; i++) {
        T r = -(s->b[i] * inverse(a)), a_i = s->a[i], term = r * c;
        b = r * b;
        a = a_i + term;
        d = s->d[i] + r * d;
        c = s->c[i];
        if (!pivot_ok(abs1(a), abs1(a_i) + abs1(term)))
            report(p, s, i);
        s->b[i] = b;
        s->a[i] = a;
        s->d[i] = d;
    }
}

/* JD, join down (L22 Table 1): the formulas of RD for i = J_{w+1}, the joint line below the block.
 * Two blocks contribute to a and d of a joint line: by atomic additions, or through extra_a and
 * extra_d. A block without rows leaves the line unchanged. */
template <class T> HOST_DEVICE void join_down(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows, *to = &p->joints;
    int64_t j = joint_line(p, w + 1), i = j - 1;
    T zero = {}, b = s->b[j], add_a = zero, add_d = zero;
    if (i > joint_line(p, w)) {
        T r = -(b * inverse(s->a[i]));
        b = r * s->b[i];
        add_a = r * s->c[i];
        add_d = r * s->d[i];
    }
    to->b[w + 1] = b;
    if (p->atomic) {
        add_atomically(&to->a[w + 1], add_a);
        add_atomically(&to->d[w + 1], add_d);
    } else {
        to->extra_a[w + 1] = add_a;
        to->extra_d[w + 1] = add_d;
    }
}

/* RU, reduce up (L22 Table 1). For i = J_{w+1} - 2 … J_w + 1:
 *
 *   r = -c_i / a_{i+1},  b_i += r b_{i+1},  c_i = r c_{i+1},  d_i += r d_{i+1}
 *
 * Then row i no longer contains psi_{i+1}. c_i is now the coefficient of psi_{J_{w+1}}, the unknown
 * of the joint line below the block. */
template <class T> HOST_DEVICE void reduce_up(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, last = joint_line(p, w + 1) - 1;
    if (first >= last)
        return;
    T b = s->b[last], a = s->a[last], c = s->c[last], d = s->d[last];
    for (int64_t i = last - 1; i >= first; i--) {
        T r = -(s->c[i] * inverse(a));
        b = s->b[i] + r * b;
        c = r * c;
        d = s->d[i] + r * d;
        a = s->a[i];
        s->b[i] = b;
        s->c[i] = c;
        s->d[i] = d;
    }
}

/* JU, join up (L22 Table 1), for i = J_w, the joint line above the block:
 *
 *   r = -c_i / a_{i+1},  c_i = r c_{i+1},  a_i += r b_{i+1},  d_i += r d_{i+1} */
template <class T> HOST_DEVICE void join_up(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows, *to = &p->joints;
    int64_t j = joint_line(p, w), i = j + 1;
    T zero = {}, c = s->c[j], add_a = zero, add_d = zero;
    if (i < joint_line(p, w + 1)) {
        T r = -(c * inverse(s->a[i]));
        c = r * s->c[i];
        add_a = r * s->b[i];
        add_d = r * s->d[i];
    }
    to->c[w] = c;
    if (p->atomic) {
        add_atomically(&to->a[w], add_a);
        add_atomically(&to->d[w], add_d);
    } else {
        to->a[w] = add_a;
        to->d[w] = add_d;
    }
}

/* SS, support substitution (L22 Table 1). For i = J_w + 1 … J_{w+1} - 1:
 *
 *   psi_i = (d_i - b_i psi_{J_w} - c_i psi_{J_{w+1}}) / a_i */
template <class T, bool inverted = false>
HOST_DEVICE void substitute(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, end = joint_line(p, w + 1);
    T below = p->joints.psi[w], above = p->joints.psi[w + 1];
    s->psi[first - 1] = below;
    for (int64_t i = first; i < end; i++) {
        T a = s->a[i];
        s->psi[i] = (s->d[i] - s->b[i] * below - s->c[i] * above) * (inverted ? a : inverse(a));
    }
    if (w + 1 == p->nbl)
        s->psi[end] = above;
}

/* Replaces a by 1/a (L22 5.2.3). It needs no result of RS, so an MPI rank calls it while it waits.
 * Then substitute<T, true>() is SS. */
template <class T> HOST_DEVICE void invert(const application<T> *p, int64_t w)
{
    T *a = p->rows.a;
    int64_t end = joint_line(p, w + 1);
    for (int64_t i = joint_line(p, w) + 1; i < end; i++)
        a[i] = inverse(a[i]);
}

/* Before the first stage: the line's row number and, for atomic additions, its a and d. */
template <class T> HOST_DEVICE void begin_line(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows, *to = &p->joints;
    int64_t j = joint_line(p, w);
    to->row[w] = given_row(s, j);
    if (p->atomic) {
        to->a[w] = s->a[j];
        to->d[w] = s->d[j];
    }
}

/* Before RS, without atomic additions: adds the terms of JU and JD to a and d of the row, in a
 * fixed order: the same bits on every run. The first line has no JD, the last one no JU. */
template <class T> HOST_DEVICE void end_line(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows, *to = &p->joints;
    int64_t j = joint_line(p, w);
    T zero = {}, a = w < p->nbl ? to->a[w] : zero, d = w < p->nbl ? to->d[w] : zero;
    if (w > 0) {
        a = a + to->extra_a[w];
        d = d + to->extra_d[w];
    }
    to->a[w] = s->a[j] + a;
    to->d[w] = s->d[j] + d;
}

/* RS, reduced solution (L22 Table 1): one thread solves all lines of s by Thomas. On the way down,
 * for i = 1 … n - 1:
 *
 *   r = -b_i / a_{i-1},  a_i += r c_{i-1},  d_i += r d_{i-1}
 *
 * On the way up: psi_{n-1} = d_{n-1} / a_{n-1}, psi_i = (d_i - c_i psi_{i+1}) / a_i. */
template <class T> HOST_DEVICE void reduced_solve(const application<T> *p, const lines<T> *s)
{
    T a = s->a[0], c = s->c[0], d = s->d[0];
    if (!pivot_ok(abs1(a), abs1(a)))
        report(p, s, 0);
    for (int64_t i = 1; i < s->n; i++) {
        T r = -(s->b[i] * inverse(a)), a_i = s->a[i], term = r * c;
        a = a_i + term;
        d = s->d[i] + r * d;
        c = s->c[i];
        if (!pivot_ok(abs1(a), abs1(a_i) + abs1(term)))
            report(p, s, i);
        s->a[i] = a;
        s->d[i] = d;
    }
    T psi = d * inverse(a);
    s->psi[s->n - 1] = psi;
    for (int64_t i = s->n - 2; i >= 0; i--)
        s->psi[i] = psi = (s->d[i] - s->c[i] * psi) * inverse(s->a[i]);
}

/* RS for several right-hand sides (L22 5.2.4). reduced_solve(), which comes first, leaves the
 * pivots in a. Then reduced_factors() replaces a by 1/a and stores the factors in r. After that
 * reduced_solve_kept() computes psi for any new d, bit for bit as reduced_solve() does. */
template <class T> HOST_DEVICE void reduced_factors(const lines<T> *s, T *r)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->a[i] = inverse(s->a[i]);
        if (i > 0)
            r[i] = -(s->b[i] * s->a[i - 1]);
    }
}
template <class T> HOST_DEVICE void reduced_solve_kept(const lines<T> *s, const T *r)
{
    T d = s->d[0];
    for (int64_t i = 1; i < s->n; i++)
        s->d[i] = d = s->d[i] + r[i] * d;
    T psi = d * s->a[s->n - 1];
    s->psi[s->n - 1] = psi;
    for (int64_t i = s->n - 2; i >= 0; i--)
        s->psi[i] = psi = (s->d[i] - s->c[i] * psi) * s->a[i];
}

/* In the order of L22 5.2.1: JD does not need RU, so its result can travel while RU runs. */
template <class T> HOST_DEVICE void reduce_and_join(const application<T> *p, int64_t w)
{
    reduce_down(p, w);
    join_down(p, w);
    reduce_up(p, w);
    join_up(p, w);
}

/* The same in two halves for a part (nshape.h), which is a single block. part_down() completes the
 * joint line at its end, part_up() the one at its begin. */
template <class T> HOST_DEVICE void part_down(const application<T> *p, int64_t)
{
    reduce_down(p, 0);
    join_down(p, 0);
    end_line(p, 1);
}
template <class T> HOST_DEVICE void part_up(const application<T> *p, int64_t)
{
    reduce_up(p, 0);
    join_up(p, 0);
    end_line(p, 0);
}

/* The smallest report, -1: none, becomes the status of nshape.h. */
HOST_DEVICE void unpack(long long *status)
{
    *status = *status == -1 ? 0 : *status & ((1ll << 40) - 1);
}

/* RS on the joint lines of p, as a function that for_each() can call. It ignores the index. */
template <class T> HOST_DEVICE void solve_lines(const application<T> *p, int64_t)
{
    reduced_solve(p, &p->joints);
}

/* ---- where stages run: on a GPU, one thread for each block or joint line; or on CPU cores ---- */

struct place {
    bool gpu;
    cudaStream_t stream;
    int threads, cores;
};

template <class P, void (*stage)(const P *, int64_t)>
static __global__ void for_each_kernel(P p, int64_t count)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (w < count)
        stage(&p, w);
}

/* Calls stage(p, w) for 0 <= w < count, on the GPU or on the CPU cores of `at`. */
template <auto stage, class P>
static cudaError_t for_each(const struct place *at, const P *p, int64_t count)
{
    if (at->gpu)
        return LAUNCH((for_each_kernel<P, stage>),
                      (unsigned)((count + at->threads - 1) / at->threads), at->threads, 0,
                      at->stream, *p, count);
#pragma omp parallel for num_threads(at->cores) schedule(static)
    for (int64_t w = 0; w < count; w++)
        stage(p, w);
    return cudaSuccess;
}

/* At least one block in each application, no more than in the one before; 1 to 1024 threads. */
static inline bool partition_valid(int64_t n, int nest, int nest_most, const int64_t *parts,
                                   int threads)
{
    bool valid = nest <= nest_most && threads >= 1 && threads <= 1024;
    for (int l = 0; valid && l < nest && n > 1; l++)
        valid = parts[l] >= 1 && parts[l] <= (l > 0 ? parts[l - 1] : n - 1);
    return valid;
}
