/* The library has the units that use SIMD lanes three times: for AVX-512, for AVX2, and for every
 * processor. The functions of this file choose the widest that the processor has. lib.mk
 * compiles a unit with its functions renamed, to tridiagonal_cpu_solve_avx2 for example; it reads
 * their names in the lines CHOOSE(…) of this file. */
#include "filter_cpu.h"
#include "recurrence_cpu.h"
#include "tridiagonal_batch_cpu.h"
#include "tridiagonal_cpu.h"

#if defined __x86_64__
#define CHOOSE(result, name, parameters, arguments)                                                \
    result name##_avx512 parameters;                                                               \
    result name##_avx2 parameters;                                                                 \
    result name##_plain parameters;                                                                \
    result name parameters                                                                         \
    {                                                                                              \
        return has_avx512() ? name##_avx512 arguments                                              \
               : has_avx2() ? name##_avx2 arguments                                                \
                            : name##_plain arguments;                                              \
    }
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd");
}
#else
#define CHOOSE(result, name, parameters, arguments)                                                \
    result name##_plain parameters;                                                                \
    result name parameters                                                                         \
    {                                                                                              \
        return name##_plain arguments;                                                             \
    }
#endif

/* clang-format off */
CHOOSE(size_t, tridiagonal_cpu_work, (char type, int64_t n), (type, n))
CHOOSE(long long, tridiagonal_cpu_solve, (const struct tridiagonal_cpu *s), (s))
CHOOSE(long long, tridiagonal_cpu_gradient,
       (const struct tridiagonal_cpu *s, const struct tridiagonal_derivatives *d), (s, d))
CHOOSE(long long, tridiagonal_cpu_reduce,
       (const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines lines), (s, lines))
CHOOSE(long long, tridiagonal_cpu_finish,
       (const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines lines), (s, lines))
CHOOSE(size_t, tridiagonal_batch_cpu_work, (const struct tridiagonal_batch *b, int cores),
       (b, cores))
CHOOSE(long long, tridiagonal_batch_cpu_solve, (const struct tridiagonal_batch *b, int cores),
       (b, cores))
CHOOSE(long long, tridiagonal_batch_cpu_gradient,
       (const struct tridiagonal_batch *b, const struct tridiagonal_derivatives *d, int cores),
       (b, d, cores))
CHOOSE(int, recurrence_cpu_solve, (const struct recurrence *p, int cores), (p, cores))
CHOOSE(int, recurrence_cpu_gradient,
       (const struct recurrence *p, const void *dw, void *ds, void *dt, void *dw0, int cores),
       (p, dw, ds, dt, dw0, cores))
CHOOSE(int, filter_cpu_solve, (const struct filter *p, int cores), (p, cores))
/* clang-format on */
