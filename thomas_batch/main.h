/* What the experiment (main.cu) and its tests (check.cu) share. */
#ifndef THOMAS_BATCH_MAIN_H
#define THOMAS_BATCH_MAIN_H

#include "bench/tridiagonal_batch_bench.h"
#include "cpu.h"
#include "peers.h"
#include "systems.h"
#include "thomas_batch.h"

/* Indices of variants[]: enum thomas_batch_variant in the contiguous layout, the same in the
 * interleaved one, then these. */
enum {
    INTERLEAVED = THOMAS_BATCH_VARIANTS,
    INTERLEAVE = 2 * THOMAS_BATCH_VARIANTS,
    TRANSFERS,
    TRIDIAGONAL_BATCH, /* enum tridiagonal_batch_way, from here on */
    THOMAS_CPU = TRIDIAGONAL_BATCH + BATCH_WAYS,
    THOMAS_CPU_LANES,
    SERICR_CPU,
    LAPACK_GTSV,
    CUSPARSE, /* enum peer, from here on */
    HEAT = CUSPARSE + PEERS,
    HEAT_CUSPARSE,
    HEAT_CUSPARSE_TRANSPOSED
};
extern const struct variant variants[];

/* A batch of systems, with memory for every variant. The host arrays are pinned. */
struct problem {
    struct memory memory;
    struct systems s;                      /* contiguous, on the host and on the device */
    void *interleaved[SYSTEM_ARRAYS];      /* the same systems, interleaved, on the device */
    void *host_interleaved[SYSTEM_ARRAYS]; /* the same on the host; filled on a GPU only */
    void *natural;                         /* device: x of interleaved systems, made contiguous */
    void *work;                            /* device: WORK_ELEMENTS elements a row */
    void *cpu_work;                        /* host: cpu_work() bytes a core */
    long long *status, *host_status;       /* one a system */
};

/* Elements of `work` a row: PARACR's two buffers of four arrays. */
enum { WORK_ELEMENTS = 8 };

/* Memory for systems of `type` with n batch <= `rows`, at most n rows each and at most `batch`
 * systems, and for the CPU solvers on `cores` cores. */
void allocate(struct problem *b, char type, int64_t rows, int64_t n, int64_t batch, int cores);

/* Fills `batch` systems of n rows (fill_systems in problems.h), on the host and on the device. */
void make_systems(struct problem *b, enum system kind, char type, uint64_t seed, int64_t n,
                  int64_t batch);

/* Copies the systems from the host to the device, in both layouts. Needed after a change to
 * s.host. */
void upload(struct problem *b);

/* The arguments of thomas_batch.h and of cpu.h for these systems. */
struct thomas_batch plan(const struct problem *b, bool interleaved, int threads);
struct cpu_batch plan_cpu(const struct problem *b, int cores);

/* Solve by variants[variant] and give s.host_x (contiguous) and host_status. Memory that the solver
 * must write holds NaN before. */
void solve_gpu(struct problem *b, int variant, int threads);
bool solve_cpu(const struct problem *b, int variant, int cores); /* false: a build without LAPACK */

/* Methods whose results have the same bound on the backward error, in units of roundoff. */
enum family { THOMAS, SERICR, PARACR, LAPACK, FAMILIES };
enum family family_of(int variant);
double bound_of(enum family family, enum system kind);

/* The first system whose host_status is not 0; -1: none. */
int64_t first_failed(const struct problem *b);

/* Verifies s.host_x. With has_status, a system whose host_status is not 0 counts as wrong, too. */
struct verdict verdict_of(const struct problem *b, int variant, bool has_status);

int check(const struct options *o);

#endif
