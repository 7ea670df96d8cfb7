/* See gradient_verdict.h. */
#include "bench/gradient_verdict.h"

#include "problems.h"

#include <complex.h>
#include <math.h>

static long double complex at(char type, const void *array, int64_t i)
{
    const char real = real_type(type);
    return is_complex(type) ? get(real, array, 2 * i) + I * get(real, array, 2 * i + 1)
                            : get(real, array, i);
}
static void conjugate(char type, void *array, int64_t count)
{
    if (!is_complex(type))
        return;
#pragma omp parallel for
    for (int64_t i = 0; i < count; i++)
        put(real_type(type), array, 2 * i + 1, -get(real_type(type), array, 2 * i + 1));
}
/* Are all elements of d, which is dsub, ddiag or dsuper for a = -1, 0, 1, the products that they
 * should be? conj_drhs is conjugated. */
static bool products_right(char type, int64_t n, int64_t batch, int a, const void *x,
                           const void *conj_drhs, const void *d)
{
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t i = 0; i < n * batch; i++) {
        int64_t j = i % n + a;
        long double complex product =
            j < 0 || j >= n ? 0 : -conjl(at(type, conj_drhs, i) * at(type, x, i + a));
        wrong += !(cabsl(at(type, d, i) - product) <= 4 * unit_roundoff(type) * cabsl(product));
    }
    return wrong == 0;
}

struct verdict gradient_verdict(char type, int64_t n, int64_t batch, void *const in[4],
                                const void *x, void *drhs, void *const d[3], double multiple)
{
    /* A^T conj(drhs) = conj(dx). The rows of A^T are those of A with sub and super exchanged, one
     * row off; the elements that then lie outside the arrays are not read. */
    conjugate(type, drhs, n * batch);
    conjugate(type, in[3], n * batch);
    struct verdict verdict =
        verify_systems(type, n, batch, (const char *)in[2] - size_of(type), in[1],
                       (const char *)in[0] + size_of(type), in[3], drhs, multiple);
    for (int a = 0; a < 3; a++)
        if (!products_right(type, n, batch, a - 1, x, drhs, d[a])) {
            verdict.ok = false;
            verdict.error = verdict.used = (double)INFINITY;
        }
    conjugate(type, drhs, n * batch);
    conjugate(type, in[3], n * batch);
    return verdict;
}
