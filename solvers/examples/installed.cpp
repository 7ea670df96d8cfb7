/* A cubic spline through sin at N points, from the installed library: its second derivatives solve
 * one tridiagonal system. Then a system that breaks down. Compile:
 *
 *   c++ -std=c++17 installed.cpp $(pkg-config --cflags --libs recurrences_cpu) */
#include "recurrences.hpp"
#include <cmath>
#include <cstdio>

int main()
{
    const int N = 1000;
    const double h = 2 * std::acos(-1.0) / (N + 1);
    std::vector<double> sub(N, 1), diag(N, 4), super(N, 1), rhs(N), x(N);
    for (int i = 0; i < N; i++) /* 6 times the second difference; sin'' is 0 at both ends */
        rhs[i] =
            6 / (h * h) * (std::sin(i * h) - 2 * std::sin((i + 1) * h) + std::sin((i + 2) * h));
    recurrences::cpu cpu;
    cpu.solve_tridiagonal(sub, diag, super, rhs, x);
    for (int i = 0; i < N; i++)
        if (!(std::fabs(x[i] + std::sin((i + 1) * h)) < h * h))
            return 1;
    diag.assign(N, 0), sub.assign(N, 0), super.assign(N, 0);
    try {
        cpu.solve_tridiagonal(sub, diag, super, rhs, x, recurrences::systems(N / 2, 2));
    } catch (const recurrences::singular_matrix &e) {
        std::printf("%s\n", e.what());
        return 0;
    }
    return 1;
}
