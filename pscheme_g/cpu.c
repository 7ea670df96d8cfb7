/* See cpu.h. The functions are written once, for float and double, in cpu_body.h. */
#include "cpu.h"

enum { LANES = 64 };

#define REAL       float
#define NAME(name) name##_s
#include "cpu_body.h"
#undef REAL
#undef NAME
#define REAL       double
#define NAME(name) name##_d
#include "cpu_body.h"

void cpu_paper(char type, int64_t n, double w0, struct pscheme_g_coefficient c, void *w)
{
    if (type == 's')
        paper_s(n, (float)w0, c, w);
    else
        paper_d(n, w0, c, w);
}

void cpu_lanes(char type, int64_t n, double w0, struct pscheme_g_coefficient c, void *w)
{
    if (type == 's')
        lanes_s(n, (float)w0, c, w);
    else
        lanes_d(n, w0, c, w);
}

void cpu_cores(char type, int64_t n, double w0, struct pscheme_g_coefficient c, int cores, void *w,
               void *products)
{
    if (type == 's')
        cores_s(n, (float)w0, c, cores, w, products);
    else
        cores_d(n, w0, c, cores, w, products);
}

void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s)
{
    if (type == 's')
        coefficients_s(1, n, c, s);
    else
        coefficients_d(1, n, c, s);
}
