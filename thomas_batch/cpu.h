/* The same systems on the CPU: the baselines of PL19's speed-ups (Thomas, SERICR), Thomas with SIMD
 * lanes, and LAPACK. */
#ifndef THOMAS_BATCH_CPU_H
#define THOMAS_BATCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host memory, contiguous layout: element i of system k at k n + i. The arrays and their meaning
 * are those of struct thomas_batch (thomas_batch.h). */
struct cpu_batch {
    char type;
    int64_t n, batch;
    const void *sub, *diag, *super, *rhs;
    void *x;
    void *work; /* cpu_work() bytes for each core, aligned as malloc() aligns */
    long long *status;
    int cores; /* threads; each gets an equal share of the systems */
};

/* Bytes of work for one core; enough for each of the functions below. */
int64_t cpu_work(char type, int64_t n, int64_t batch);

/* Thomas, one system after the other (README.md eq. T1-T3). */
void cpu_thomas(const struct cpu_batch *s);

/* Thomas with one system in each SIMD lane of a core (common/lanes.h). x and status have the bits
 * of cpu_thomas for any batch and any number of cores, if both are compiled with the same flags. */
void cpu_lanes(const struct cpu_batch *s);

/* SERICR in compact indices (PL19 eq. 1-7), with all levels stored. */
void cpu_sericr(const struct cpu_batch *s);

/* LAPACK's xGTSV, with pivoting, on copies, because xGTSV overwrites its inputs. False where this
 * build has no LAPACK. */
bool cpu_lapack(const struct cpu_batch *s);

#ifdef __cplusplus
}
#endif
#endif
