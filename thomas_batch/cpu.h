/* The solvers on the CPU: those of PL19 (Thomas, SERICR), tridiagonal_batch_cpu.h, LAPACK. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contiguous systems in host memory; the members are those of struct thomas_batch. */
struct cpu_batch {
    char type;
    int64_t n, batch;
    const void *sub, *diag, *super, *rhs;
    void *x;
    void *work; /* cpu_work() bytes, aligned as malloc() aligns */
    long long *status;
    int cores; /* number of threads; each gets an equal share of the systems */
};

/* Returns the bytes of `work`, enough for every function below. */
int64_t cpu_work(char type, int64_t n, int64_t batch, int cores);

/* Thomas, one system after the other (README.md eq. T1-T3). */
void cpu_thomas(const struct cpu_batch *s);

/* Thomas with a system in each SIMD lane: tridiagonal_batch_cpu.h without pivoting. A pivot fails
 * if it is 0 or not finite, or if x is not finite. */
void cpu_lanes(const struct cpu_batch *s);

/* Serial cyclic reduction (PL19 eq. 1-7). It stores all levels. */
void cpu_sericr(const struct cpu_batch *s);

/* LAPACK's xGTSV with pivoting, on copies. Returns false if this build has no LAPACK. */
bool cpu_lapack(const struct cpu_batch *s);

#ifdef __cplusplus
}
#endif
