/* cpu.h on the CPU: cpu_body.h, once for float and once for double. */
#include "cpu.h"

/* The s_i that are computed together: several SIMD registers, whose latencies overlap. */
enum { LANES = 64 };

#define REAL       float
#define NAME(name) name##_s
#include "cpu_body.h"
#undef REAL
#undef NAME
#define REAL       double
#define NAME(name) name##_d
#include "cpu_body.h"

void cpu_solve(enum cpu_method method, char type, int64_t n, double w0,
               struct pscheme_g_coefficient c, int cores, void *w, void *products)
{
    if (type == 's')
        solve_s(method, n, (float)w0, c, cores, w, products);
    else
        solve_d(method, n, w0, c, cores, w, products);
}

void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s)
{
    if (type == 's')
        coefficients_s(1, n, c, s);
    else
        coefficients_d(1, n, c, s);
}
