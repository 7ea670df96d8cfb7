/* The stages of the N-shaped partition method for one block or one joint line, L22 Table 1, as functions that a GPU
 * thread, a CPU core and an MPI rank call alike. The letters are the paper's: b, a, c below, on and above the
 * diagonal, d the right-hand side, psi the solution. */
#ifndef NSHAPE_STAGES_H
#define NSHAPE_STAGES_H

#include "device.h"

#include <stdint.h>

/* ---- numbers: real, or complex in real and imaginary parts (L22 6.1) ---- */

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

/* 1/x by one division. 0 has no number as its inverse. */
HOST_DEVICE float inverse(float x)
{
    return 1 / x;
}
HOST_DEVICE double inverse(double x)
{
    return 1 / x;
}
/* conj(x)/|x|^2 */
template <class R> HOST_DEVICE complex_of<R> inverse(complex_of<R> x, R norm)
{
    R factor = 1 / norm;
    return {x.re * factor, -x.im * factor};
}
/* Where |x|^2 or its inverse is out of range, x is scaled by a power of two first. */
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

/* |re| + |im| */
HOST_DEVICE float size(float x)
{
    return x < 0 ? -x : x;
}
HOST_DEVICE double size(double x)
{
    return x < 0 ? -x : x;
}
template <class R> HOST_DEVICE R size(complex_of<R> x)
{
    return size(x.re) + size(x.im);
}

/* A pivot is good if it is more than the rounding of its terms (the sum of their sizes is given)
 * and so large that it has an inverse; NaN and infinity are not. */
HOST_DEVICE bool good(float pivot, float terms)
{
    return pivot > 1.1920929e-7f * terms + 0x1p-127f;
}
HOST_DEVICE bool good(double pivot, double terms)
{
    return pivot > 2.220446049250313e-16 * terms + 0x1p-1023;
}

/* ---- a system and its partition ---- */

/* One application of the method: a system of n rows in nbl blocks and its nbl + 1 joint lines, which are the
 * system of the next application. */
template <class T> struct lines {
    T *b, *a, *c, *d, *psi;
    T *extra_a,
        *extra_d; /* what JD adds to a and d of a line, in words of its own (JU's lie in a and d) */
    int64_t *row; /* which row of the given system a line is; NULL: the given system itself */
    int64_t n;
    int number; /* how many applications have made it */
};
template <class T> struct application {
    lines<T> rows, joints;
    int64_t nbl;
    const int64_t *joint; /* J_w, NULL: equal blocks */
    bool atomic;
    long long *status;
};

/* J_w. Of nbl equal blocks; the product does not overflow for n < 2^31 times nbl < 2^32. */
template <class T> HOST_DEVICE int64_t joint_line(const application<T> *p, int64_t w)
{
    if (p->joint)
        return p->joint[w];
    int64_t rows = p->rows.n - 1, each = rows / p->nbl, more = rows % p->nbl;
    return w * each + (w < more ? w : more);
}

template <class T> HOST_DEVICE int64_t given_row(const lines<T> *l, int64_t i)
{
    return l->row ? l->row[i] : i;
}

/* Line i has a bad pivot. What follows from it is bad, too: of all reports that of the first application, and there of
 * the least row of the given system, stays. */
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

/* L22's encircled addition: to a float or a double, and to both parts of a complex number. A GPU's
 * takes subnormal floats for 0, which matters only where what is added is small itself. */
template <class T> HOST_DEVICE void add_atomically(T *to, T value)
{
#ifdef __CUDA_ARCH__
    if (sizeof(T) == sizeof(double) || !(value < (T)0x1p-100 && value > (T)-0x1p-100)) {
        atomicAdd(to, value);
        return;
    }
    unsigned *word = (unsigned *)to, old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) + (float)value));
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

/* ---- the stages of block w (Table 1) ---- */

/* RD: downwards, each row freed of the one above it; b becomes the column of J_w. Rows J_w + 2 … J_{w+1} - 1. */
template <class T> HOST_DEVICE void reduce_down(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, end = joint_line(p, w + 1);
    if (first >= end)
        return;
    T b = s->b[first], a = s->a[first], c = s->c[first], d = s->d[first];
    if (!good(size(a), size(a)))
        report(p, s, first);
    for (int64_t i = first + 1; i < end; i++) {
        T r = -(s->b[i] * inverse(a)), a_i = s->a[i], term = r * c;
        b = r * b;
        a = a_i + term;
        d = s->d[i] + r * d;
        c = s->c[i];
        if (!good(size(a), size(a_i) + size(term)))
            report(p, s, i);
        s->b[i] = b;
        s->a[i] = a;
        s->d[i] = d;
    }
}

/* JD: the last row of the block into the joint line below it. A block without rows leaves the line as it is. */
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

/* RU: upwards, c becomes the column of J_{w+1}. Rows J_{w+1} - 2 … J_w + 1. */
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

/* JU: the first row of the block into the joint line above it. */
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

/* SS: every row from the two joint lines around it. */
template <class T> HOST_DEVICE void substitute(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, end = joint_line(p, w + 1);
    T below = p->joints.psi[w], above = p->joints.psi[w + 1];
    s->psi[first - 1] = below;
    for (int64_t i = first; i < end; i++)
        s->psi[i] = (s->d[i] - s->b[i] * below - s->c[i] * above) * inverse(s->a[i]);
    if (w + 1 == p->nbl)
        s->psi[end] = above;
}

/* 1/a of a block's rows, which SS needs and which hangs on nothing that RS finds: what a rank does while it waits for
 * it (L22 5.2.3). Then substitute_inverted() takes the place of substitute(). */
template <class T> HOST_DEVICE void invert(const application<T> *p, int64_t w)
{
    T *a = p->rows.a;
    int64_t end = joint_line(p, w + 1);
    for (int64_t i = joint_line(p, w) + 1; i < end; i++)
        a[i] = inverse(a[i]);
}
template <class T> HOST_DEVICE void substitute_inverted(const application<T> *p, int64_t w)
{
    const lines<T> *s = &p->rows;
    int64_t first = joint_line(p, w) + 1, end = joint_line(p, w + 1);
    T below = p->joints.psi[w], above = p->joints.psi[w + 1];
    s->psi[first - 1] = below;
    for (int64_t i = first; i < end; i++)
        s->psi[i] = (s->d[i] - s->b[i] * below - s->c[i] * above) * s->a[i];
    if (w + 1 == p->nbl)
        s->psi[end] = above;
}

/* Before the first stage: line w gets a and d of its row, to which JU and JD add if they add atomically. */
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

/* After the last stage before RS: a and d of line w, and what JU and JD left in words of their own. Nobody is above
 * the first line and below the last. */
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

/* RS: Thomas on all lines, by one thread. */
template <class T> HOST_DEVICE void reduced_solve(const application<T> *p, const lines<T> *s)
{
    T a = s->a[0], c = s->c[0], d = s->d[0];
    if (!good(size(a), size(a)))
        report(p, s, 0);
    for (int64_t i = 1; i < s->n; i++) {
        T r = -(s->b[i] * inverse(a)), a_i = s->a[i], term = r * c;
        a = a_i + term;
        d = s->d[i] + r * d;
        c = s->c[i];
        if (!good(size(a), size(a_i) + size(term)))
            report(p, s, i);
        s->a[i] = a;
        s->d[i] = d;
    }
    T psi = d * inverse(a);
    s->psi[s->n - 1] = psi;
    for (int64_t i = s->n - 2; i >= 0; i--)
        s->psi[i] = psi = (s->d[i] - s->c[i] * psi) * inverse(s->a[i]);
}

/* RS in two parts (L22 5.2.4): a becomes 1/a, r the factors, of lines that are reduced_solve()d already; then psi of any
 * d. Where d is that of reduced_solve() psi has the same bits. */
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

/* RD, JD, RU, JU: JD needs nothing of RU, so over a network its words travel meanwhile (L22 5.2.1). */
template <class T> HOST_DEVICE void reduce_and_join(const application<T> *p, int64_t w)
{
    reduce_down(p, w);
    join_down(p, w);
    reduce_up(p, w);
    join_up(p, w);
}

/* The same of a part of a system (nshape.h), which is one block between two lines, in two halves: each leaves its line
 * ready. */
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

/* The status as nshape.h has it. */
HOST_DEVICE void unpack(long long *status)
{
    *status = *status == -1 ? 0 : *status & ((1ll << 40) - 1);
}

/* RS by the call that for_each makes. */
template <class T> HOST_DEVICE void solve_lines(const application<T> *p, int64_t)
{
    reduced_solve(p, &p->joints);
}

/* ---- where stages run: a GPU thread for each block or line, or CPU cores ---- */

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

/* stage(p, w) for 0 <= w < count. */
template <class P, void (*stage)(const P *, int64_t)>
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

/* Each application has a block and at most as many as the one before; a GPU block has 1 to 1024 threads. */
static inline bool are_sound(int64_t n, int nest, int nest_most, const int64_t *parts, int threads)
{
    bool sound = nest <= nest_most && threads >= 1 && threads <= 1024;
    for (int l = 0; sound && l < nest && n > 1; l++)
        sound = parts[l] >= 1 && parts[l] <= (l > 0 ? parts[l - 1] : n - 1);
    return sound;
}

#endif
