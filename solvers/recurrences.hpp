/* The library in C++17: tridiagonal systems, recurrences and their gradients, and digital filters,
 * on a CPU and a GPU.
 *
 *     recurrences::cpu cpu;                             // all cores; cpu(4): four
 *     cpu.solve_tridiagonal(sub, diag, super, rhs, x);  // one system; the next line: several
 *     cpu.solve_tridiagonal(sub, diag, super, rhs, x, recurrences::systems(n, batch));
 *     cpu.solve_recurrence(s, t, {}, w);                // w_i = s_i w_{i-1} + t_i, from 0
 *     cpu.solve_filter(sos, x, {}, y);                  // scipy.signal.sosfilt
 *
 * Arrays are containers such as std::vector, of float, double or std::complex of these; {pointer,
 * size} is an input, span<double>(pointer, size) an output, {} an array that is not there. The last
 * argument is the C headers' struct of the problem (tridiagonal_batch_problem.h,
 * recurrence_problem.h, filter_problem.h); its `type`, `work` and arrays are set here. Exceptions:
 * singular_matrix if a system breaks down, unless `status` is set (then it gets the statuses);
 * std::invalid_argument; std::bad_alloc; std::runtime_error with CUDA's text. An object holds a
 * workspace, which grows as needed: use one for each thread. recurrences::gpu is there if nvcc
 * compiles the program, or with -DDEVICE_CUDA (with -DRECURRENCES_GPU: on the CPU device). It works
 * on a stream and waits only for tridiagonal solvers without `status`. */
#pragma once

#include "recurrences_device.hpp"

#include <complex>
#include <iterator>
#include <type_traits>

namespace recurrences
{

template <class T> struct span {
    T *array = nullptr;
    std::size_t length = 0;
    span() = default;
    span(T *pointer, std::size_t size) : array(pointer), length(size)
    {
    }
    template <class C> span(C &&c) : array(std::data(c)), length(std::size(c))
    {
    }
    T *data() const
    {
        return array;
    }
    std::size_t size() const
    {
        return length;
    }
};

/* Without arguments: one system or sequence, as long as x or w. */
inline tridiagonal_batch systems(int64_t n = -1, int64_t batch = 1)
{
    tridiagonal_batch b{};
    b.n = n, b.batch = batch, b.pivot = TRIDIAGONAL_PIVOT_AUTO;
    return b;
}
inline recurrence sequences(int64_t length = -1, int64_t batch = 1)
{
    recurrence p{};
    p.length = length, p.batch = batch;
    return p;
}
/* Sections of this order; the coefficients tell how many. Order k: scipy.signal.lfilter(b, a, x)
 * with b and then a as coefficients. */
inline filter filters(int order = 2, int64_t length = -1, int64_t batch = 1)
{
    filter p{};
    p.order = order, p.length = length, p.batch = batch;
    return p;
}

namespace detail
{

template <class T> constexpr char letter = 0;
template <> inline constexpr char letter<float> = 's';
template <> inline constexpr char letter<double> = 'd';
template <> inline constexpr char letter<std::complex<float>> = 'c';
template <> inline constexpr char letter<std::complex<double>> = 'z';
template <class X> using element = std::remove_pointer_t<decltype(std::data(std::declval<X &>()))>;

/* Returns the array if it has this many elements. */
template <class T> T *sized(const char *name, span<T> a, double size)
{
    if ((double)a.length == size)
        return a.array;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(a.length) +
                                " elements, not " +
                                std::to_string((long long)std::min(size, 1e18)));
}
/* The elements of an array with the layout of p, in floating point so that nothing overflows. With
 * strides a longer array has the right size, too. */
template <class P> double elements(const P &p, int64_t n, std::size_t length)
{
    if (n < 0 || p.batch < 0)
        throw std::invalid_argument("a number of rows or systems is negative");
    double inner = std::max<double>(1, p.inner), row = p.row_stride ? p.row_stride : inner;
    double plane = p.plane_stride ? p.plane_stride : n * row;
    double all = n && p.batch ? (p.batch / inner - 1) * plane + (n - 1) * row + inner : 0;
    return p.row_stride || p.plane_stride ? std::max<double>(all, length) : all;
}

/* Packed sequences have one plane. */
inline double elements_of(recurrence p, std::size_t length)
{
    if (p.offset && p.batch > 0)
        p.batch = std::max<int64_t>(1, p.inner);
    return elements(p, p.length, length);
}

template <class Device> class solver : Device
{
    template <class X> using in = span<const element<X>>;
    template <class X> using out = span<element<X>>;
    double rows(const tridiagonal_batch &b, std::size_t length)
    {
        double all = elements(b, b.n, length);
        return b.offset ? (double)this->fetch(b.offset + b.batch) : all;
    }
    template <class T> T *coefficients(const char *name, span<T> a, const tridiagonal_batch &b)
    {
        bool constant = b.matrix == TRIDIAGONAL_BATCH_CONSTANT;
        if (b.matrix == TRIDIAGONAL_BATCH_OWN && b.sides <= 1)
            return sized(name, a, rows(b, a.length));
        return sized(name, a, constant ? 1 : b.sides > 1 ? 1. * b.n * b.batch / b.sides : b.n);
    }
    template <class T>
    void set(tridiagonal_batch &b, span<const T> sub, span<const T> diag, span<const T> super,
             std::size_t length)
    {
        static_assert(letter<T> != 0, "float, double or std::complex of these");
        if (b.n == -1)
            b.n = (int64_t)length;
        b.type = letter<T>, b.sub = coefficients("sub", sub, b);
        b.diag = coefficients("diag", diag, b), b.super = coefficients("super", super, b);
    }
    /* The solvers of one system are the fastest for it. */
    static bool alone(const tridiagonal_batch &b)
    {
        return b.batch == 1 && b.matrix != TRIDIAGONAL_BATCH_CONSTANT && b.row_stride <= 1 &&
               !b.periodic && !b.crank_nicolson && !b.offset && !b.status;
    }
    template <class T> void set(recurrence &p, span<const T> s, span<const T> w0, span<T> w)
    {
        static_assert(letter<T> != 0, "float, double or std::complex of these");
        if (p.length == -1)
            p.length = (int64_t)w.length;
        p.type = letter<T>, p.w = sized("w", w, elements_of(p, w.length));
        p.s = sized("s", s,
                    p.constant == RECURRENCE_S_EACH       ? elements_of(p, s.length)
                    : p.constant == RECURRENCE_S_SEQUENCE ? p.batch
                    : p.constant == RECURRENCE_S_CHANNEL  ? std::max<double>(1, p.inner)
                                                          : 1);
        p.w0 = w0.array ? sized("w0", w0, p.batch) : nullptr;
    }

  public:
    using Device::Device;
    template <class X>
    void solve_tridiagonal(in<X> sub, in<X> diag, in<X> super, in<X> rhs, X &&results,
                           tridiagonal_batch b = systems())
    {
        out<X> x(results);
        set(b, sub, diag, super, x.length);
        b.rhs = sized("rhs", rhs, rows(b, rhs.length)), b.x = sized("x", x, rows(b, x.length));
        this->run(b, alone(b));
    }
    /* Of a real function L of x (tridiagonal_problem.h). b is that of the solve; if crank_nicolson
     * is set, so must be rhs. dsub, ddiag and dsuper may be {}. */
    template <class X>
    void tridiagonal_gradient(in<X> sub, in<X> diag, in<X> super, in<X> x, in<X> dx, out<X> dsub,
                              out<X> ddiag, out<X> dsuper, X &&results,
                              tridiagonal_batch b = systems())
    {
        out<X> drhs(results);
        auto some = [&](const char *name, out<X> a) {
            return a.array ? coefficients(name, a, b) : nullptr;
        };
        set(b, sub, diag, super, x.length);
        b.x = const_cast<element<X> *>(sized("x", x, rows(b, x.length)));
        tridiagonal_derivatives d = {sized("dx", dx, rows(b, dx.length)), some("dsub", dsub),
                                     some("ddiag", ddiag), some("dsuper", dsuper),
                                     sized("drhs", drhs, rows(b, drhs.length))};
        this->run(b, alone(b), &d);
    }
    template <class X>
    void solve_recurrence(in<X> s, in<X> t, in<X> w0, X &&results, recurrence p = sequences())
    {
        set(p, s, w0, out<X>(results));
        p.t = sized("t", t, elements_of(p, t.length));
        this->run(p);
    }
    template <class X>
    void recurrence_gradient(in<X> s, in<X> w0, in<X> w, in<X> dw, X &&results, out<X> dt,
                             out<X> dw0, recurrence p = sequences())
    {
        out<X> ds(results);
        auto size = [&](auto a) { return elements_of(p, a.length); };
        set(p, s, w0, out<X>(const_cast<element<X> *>(w.array), w.length));
        this->run(p, sized("dw", dw, size(dw)), sized("ds", ds, size(ds)),
                  sized("dt", dt, size(dt)), dw0.array ? sized("dw0", dw0, p.batch) : nullptr);
    }
    /* The coefficients are in main memory, also for a GPU. zi and zf may be {}. */
    template <class X>
    void solve_filter(span<const double> coefficients, in<X> x, in<X> zi, X &&results,
                      out<X> zf = {}, filter p = filters())
    {
        static_assert(std::is_floating_point_v<element<X>>, "float or double");
        out<X> y(results);
        const auto section = 2 * ((std::size_t)std::max(p.order, 0) + 1);
        if (p.length == -1)
            p.length = (int64_t)y.length;
        p.sections = (int)std::max<std::size_t>(1, coefficients.length / section);
        double all = 1. * p.length * p.batch, states = 1. * p.sections * p.order * p.batch;
        p.type = letter<element<X>>, p.x = sized("x", x, all), p.y = sized("y", y, all);
        p.coefficients = sized("coefficients", coefficients, 1. * section * p.sections);
        p.zi = zi.array ? sized("zi", zi, states) : nullptr;
        p.zf = zf.array ? sized("zf", zf, states) : nullptr;
        this->run(p);
    }
};

} // namespace detail

using cpu = detail::solver<detail::on_cpu>;
#if defined __CUDACC__ || defined DEVICE_CUDA || defined RECURRENCES_GPU
using gpu = detail::solver<detail::on_gpu>;
#endif

} // namespace recurrences
