/* The solvers that run on the CPU. PL19 compares the GPU with two of them, Thomas and SERICR. The
 * others are Thomas on SIMD lanes, and LAPACK. */
#ifndef THOMAS_BATCH_CPU_H
#define THOMAS_BATCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The systems are in host memory, in the contiguous layout: element i of system k is at k * n + i.
 * The members mean the same as in struct thomas_batch (thomas_batch.h). */
struct cpu_batch {
    char type;
    int64_t n, batch;
    const void *sub, *diag, *super, *rhs;
    void *x;
    void *work; /* cpu_work() bytes for each core, aligned as malloc() aligns */
    long long *status;
    int cores; /* number of threads; each gets an equal share of the systems */
};

/* Returns the bytes of `work` for one core. They are enough for every function below. */
int64_t cpu_work(char type, int64_t n, int64_t batch);

/* Thomas, one system after the other (README.md eq. T1-T3). */
void cpu_thomas(const struct cpu_batch *s);

/* Thomas with one system in each SIMD lane of a core (common/lanes.h). If cpu_thomas() is compiled
 * with the same flags, both give the same bits of x and status, for every batch and every number of
 * cores. */
void cpu_lanes(const struct cpu_batch *s);

/* Serial cyclic reduction (PL19 eq. 1-7). It stores all levels, each without gaps between its
 * rows. */
void cpu_sericr(const struct cpu_batch *s);

/* LAPACK's xGTSV, with pivoting. It works on copies, because xGTSV overwrites its inputs. Returns
 * false if this build has no LAPACK. */
bool cpu_lapack(const struct cpu_batch *s);

#ifdef __cplusplus
}
#endif
#endif
