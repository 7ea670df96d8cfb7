/* Tests recurrences.hpp on the CPU and, with -DRECURRENCES_GPU, on the CPU device. */
#include "recurrences.hpp"

#include <cmath>
#include <cstdio>

using namespace recurrences;

static int passed, failed;
static void check(const char *where, const char *label, bool right)
{
    right ? passed++ : failed++;
    if (!right)
        std::printf("FAILED: %s, %s\n", where, label);
}

/* What f throws, as text; empty if nothing. */
template <class F> static std::string thrown(F f)
{
    try {
        f();
    } catch (const singular_matrix &e) {
        return "singular " + std::to_string(e.system) + " " + std::to_string(e.row / 1000);
    } catch (const std::exception &e) {
        return e.what();
    }
    return "";
}
template <class F> static void throws(const char *where, const char *text, F f)
{
    std::string got = thrown(f);
    check(where, (std::string(text) + " != " + got).c_str(), got == text);
}

/* Systems with the layout of b whose solution is x_i = 1 + i % 3. */
template <class T> struct systems_of {
    tridiagonal_batch b;
    std::vector<T> sub, diag, super, rhs, x;
    explicit systems_of(tridiagonal_batch b)
        : b(b), sub(b.n * b.batch, -1), diag(b.n * b.batch, 4), super(b.n * b.batch, -2),
          rhs(b.n * b.batch), x(b.n * b.batch)
    {
        for (int64_t i = 0; i < b.n; i++)
            for (int64_t k = 0; k < b.batch; k++)
                rhs[at(i, k)] = 4 * value(i) - (i > 0 ? value(i - 1) : 0) -
                                2 * (i < b.n - 1 ? value(i + 1) : 0);
    }
    static double value(int64_t i)
    {
        return 1. + i % 3;
    }
    int64_t at(int64_t i, int64_t k) const
    {
        return b.inner ? i * b.inner + k : k * b.n + i;
    }
    bool solved() const
    {
        for (int64_t i = 0; i < b.n; i++)
            for (int64_t k = 0; k < b.batch; k++)
                if (!(std::abs(x[at(i, k)] - T(value(i))) < 1e-5))
                    return false;
        return true;
    }
};

/* An average as a filter, of three sequences, and two sections, which delay by 1 and by 2. */
template <class T, class Solver> static void test_filter(Solver &solver, const char *where)
{
    std::vector<T> x(90, 1), y(90), zi(3, 4), zf(3);
    const double average[] = {1, 0, 1, -0.5}, delays[] = {0, 1, 0, 1, 0, 0, 0, 0, 3, 1, 0, 0};
    solver.solve_filter(average, x, zi, y, zf, filters(1, 30, 3));
    check(where, "filter", y[60] == 5 && y[61] == 3.5 && std::abs(zf[2] - 1) < 1e-6);
    solver.solve_filter(delays, x, {}, y);
    check(where, "sections", y[2] == 0 && y[3] == 3 && y[89] == 3);
    throws(where, "coefficients has 4 elements, not 6",
           [&] { solver.solve_filter(average, x, {}, y); });
    throws(where, "zi has 3 elements, not 2",
           [&] { solver.solve_filter(average, x, zi, y, {}, filters(1, 45, 2)); });
    throws(where, "the solver refuses the arguments",
           [&] { solver.solve_filter(std::vector<double>(20, 1), x, {}, y, {}, filters(9)); });
}

template <class T, class Solver> static void test(Solver &&solver, const char *where)
{
    struct {
        const char *label;
        int64_t n, batch, inner;
    } shapes[] = {{"one row", 1, 1, 0},
                  {"one system", 5000, 1, 0},
                  {"many", 40, 9, 0},
                  {"interleaved", 40, 9, 9}};
    for (auto shape : shapes) {
        tridiagonal_batch b = systems(shape.n, shape.batch);
        b.inner = shape.inner;
        systems_of<T> s(b);
        solver.solve_tridiagonal(s.sub, s.diag, s.super, s.rhs, s.x, b);
        check(where, shape.label, s.solved());
        /* The gradient of the sum of x for rhs is the solution of the transposed system. */
        std::vector<T> dx(s.x.size(), 1), drhs(dx.size()), ddiag(dx.size());
        solver.tridiagonal_gradient(s.sub, s.diag, s.super, s.x, dx, {}, ddiag, {}, drhs, b);
        bool right = true;
        for (int64_t i = 0; i < b.n; i++)
            for (int64_t k = 0; k < b.batch; k++) {
                T sum = T(4) * drhs[s.at(i, k)] - T(1);
                sum -= i > 0 ? T(2) * drhs[s.at(i - 1, k)] : T(0);
                sum -= i < b.n - 1 ? drhs[s.at(i + 1, k)] : T(0);
                right &= std::abs(sum) < 1e-5;
                right &= std::abs(ddiag[s.at(i, k)] + drhs[s.at(i, k)] * s.x[s.at(i, k)]) < 1e-5;
            }
        check(where, (std::string("gradient, ") + shape.label).c_str(), right);
    }

    systems_of<T> s(systems(3000, 4));
    std::vector<T> few(2999), one(1, 4);
    throws(where, "diag has 2999 elements, not 12000",
           [&] { solver.solve_tridiagonal(s.sub, few, s.super, s.rhs, s.x, s.b); });
    throws(where, "rhs has 2999 elements, not 12000",
           [&] { solver.solve_tridiagonal(s.sub, s.diag, s.super, few, s.x, s.b); });
    throws(where, "a number of rows or systems is negative",
           [&] { solver.solve_tridiagonal(s.sub, s.diag, s.super, s.rhs, s.x, systems(-2, 4)); });
    tridiagonal_batch wrong = s.b;
    wrong.pivot = 7;
    throws(where, "the solver refuses the arguments",
           [&] { solver.solve_tridiagonal(s.sub, s.diag, s.super, s.rhs, s.x, wrong); });
    tridiagonal_batch constant = s.b, shared = s.b;
    constant.matrix = TRIDIAGONAL_BATCH_CONSTANT, shared.matrix = TRIDIAGONAL_BATCH_SHARED;
    throws(where, "sub has 12000 elements, not 1",
           [&] { solver.solve_tridiagonal(s.sub, one, one, s.rhs, s.x, constant); });
    throws(where, "sub has 12000 elements, not 3000",
           [&] { solver.solve_tridiagonal(s.sub, few, few, s.rhs, s.x, shared); });

    for (int i = 0; i < 3000; i++)
        s.sub[6000 + i] = s.diag[6000 + i] = s.super[6000 + i] = 0;
    throws(where, "singular 2 0",
           [&] { solver.solve_tridiagonal(s.sub, s.diag, s.super, s.rhs, s.x, s.b); });
    std::vector<int> status(4, -1);
    s.b.status = status.data();
    solver.solve_tridiagonal(s.sub, s.diag, s.super, s.rhs, s.x, s.b);
    check(where, "status", status[0] == 0 && status[1] == 0 && status[2] > 0 && status[3] == 0);
    throws(where, "singular 0 0", [&] {
        solver.solve_tridiagonal({&s.sub[6000], 3000}, {&s.diag[6000], 3000},
                                 {&s.super[6000], 3000}, {&s.rhs[6000], 3000},
                                 span<T>(&s.x[6000], 3000));
    });

    std::vector<T> a(90, T(0.5)), t(90, 1), w(90), start(3, 8), ds(90), dt(90), dstart(3);
    solver.solve_recurrence(a, t, {}, w);
    check(where, "recurrence", std::abs(w[0] - T(1)) < 1e-6 && std::abs(w[2] - T(1.75)) < 1e-6);
    recurrence p = sequences(30, 3);
    solver.solve_recurrence(a, t, start, w, p);
    check(where, "sequences", std::abs(w[60] - T(5)) < 1e-6 && std::abs(w[61] - T(3.5)) < 1e-6);
    solver.recurrence_gradient(a, start, w, t, ds, dt, dstart, p);
    check(where, "recurrence, gradient",
          std::abs(dt[89] - T(1)) < 1e-6 && std::abs(dt[88] - T(1.5)) < 1e-6 &&
              std::abs(ds[60] - T(8) * dt[60]) < 1e-5 &&
              std::abs(dstart[2] - T(0.5) * dt[60]) < 1e-5);
    throws(where, "w0 has 90 elements, not 3", [&] { solver.solve_recurrence(a, t, a, w, p); });
    throws(where, "t has 3 elements, not 90", [&] { solver.solve_recurrence(a, start, {}, w, p); });
    if constexpr (std::is_floating_point_v<T>)
        test_filter<T>(solver, where);
}

int main()
{
    test<float>(cpu(), "cpu, float");
    test<double>(cpu(2), "cpu, double");
    test<std::complex<float>>(cpu(1), "cpu, complex float");
    test<std::complex<double>>(cpu(), "cpu, complex double");
    const int64_t offset[] = {0, 1, 4};
    std::vector<double> s(2, 0.5), t(4, 1), w(4);
    recurrence p = sequences(4, 2);
    p.offset = offset, p.constant = RECURRENCE_S_SEQUENCE;
    cpu().solve_recurrence(s, t, {}, w, p);
    check("cpu", "packed", w[0] == 1 && w[1] == 1 && w[2] == 1.5 && w[3] == 1.75);
    throws("cpu", "the solver refuses the arguments", [] {
        std::vector<double> a(9, 1), w(9);
        cpu(-1).solve_recurrence(a, a, {}, w);
    });
#ifdef RECURRENCES_GPU
    test<float>(gpu(), "gpu, float");
    test<std::complex<double>>(gpu(), "gpu, complex double");
#endif
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
