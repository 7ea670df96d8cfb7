/* What the speed-ups of PL19 are measured against: the same systems on the CPU. */
#ifndef THOMAS_BATCH_CPU_H
#define THOMAS_BATCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host memory, contiguous: word i of system k at k n + i; what is in them is said in
 * thomas_batch.h. */
struct cpu_batch {
    char type;
    int64_t n, batch;
    const void *sub, *diag, *super, *rhs;
    void *x;
    /* cpu_work() bytes a core, aligned as malloc() does */
    void *work;
    long long *status;
    int cores; /* systems are dealt to so many threads */
};

int64_t cpu_work(char type, int64_t n, int64_t batch);
void cpu_thomas(const struct cpu_batch *s);
/* The same with systems as the lanes of each core (common/lanes.h): x and status bit for bit as
 * cpu_thomas's, whatever the batch and the cores, if compiled alike. */
void cpu_lanes(const struct cpu_batch *s);
/* SERICR with all levels kept and compact indices. */
void cpu_sericr(const struct cpu_batch *s);
/* LAPACK's xGTSV (with pivoting) on copies of each system, as it destroys what it is given; false
 * where this build has no LAPACK. */
bool cpu_lapack(const struct cpu_batch *s);

#ifdef __cplusplus
}
#endif
#endif
