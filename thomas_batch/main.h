/* Declarations that main.cu, problem.cu and check.cu share. */
#pragma once

#include "bench/tridiagonal_batch_bench.h"
#include "cpu.h"
#include "systems.h"
#include "thomas_batch.h"

/* Indices of variants[]: the methods contiguous, then interleaved, then the names below. */
enum {
    INTERLEAVED = THOMAS_BATCH_VARIANTS,
    INTERLEAVE = 2 * THOMAS_BATCH_VARIANTS,
    TRANSFERS,
    PARACR_GLOBAL_48K, /* with SMALL_SHARED_BYTES of shared memory a multiprocessor */
    PARACR_SHARED_48K,
    PARACR_PARTIAL_48K,
    THOMAS_CPU,
    THOMAS_CPU_LANES,
    SERICR_CPU,
    LAPACK_GTSV,
    CUSPARSE,
    TRIDIAGONAL_BATCH
};
extern const struct variant variants[];

/* The shared memory of a multiprocessor of most GPUs before 2014. */
enum { SMALL_SHARED_BYTES = 48 * 1024 };

/* A batch of systems, with memory for every variant. The host arrays of s are in pinned memory. */
struct problem {
    struct memory memory;
    struct systems s;                 /* contiguous, on the host and on the device */
    void *interleaved[SYSTEM_ARRAYS]; /* device: the same systems, interleaved */
    /* device: if a variant solved interleaved systems, its x, copied to the contiguous layout */
    void *natural;
    /* device: workspace, WORK_ELEMENTS elements for each row */
    void *work;
    /* as s.host and s.host_x, in pageable memory; the same arrays on the CPU device */
    void *pageable[SYSTEM_ARRAYS], *pageable_x;
    /* True: solve_gpu() allocates exactly the needed workspace for each call, so that tools detect
     * an access beyond its end. On a GPU that takes 0.1 s, so only tests do it. */
    bool exact_work;
    void *cpu_work; /* host: workspace, cpu_work() bytes */
    /* one element for each system, on the device and on the host */
    long long *status, *host_status;
};

/* Elements of `work` for each row: PARACR has two buffers of four arrays. */
enum { WORK_ELEMENTS = 8 };

/* The bytes that `batch` systems of n rows need, on `cores` cores. */
struct need {
    double device, host;
};
struct need need_of(char type, double n, double batch, int cores);

/* Allocates memory for every batch with at most `rows` rows in total, n rows in a system and
 * `batch` systems, and up to `cores` cores. */
void allocate(struct problem *b, char type, int64_t rows, int64_t n, int64_t batch, int cores);

/* Fills `batch` systems of n rows by fill_systems() (problems.h), on the host and on the device. */
void make_systems(struct problem *b, enum system kind, char type, uint64_t seed, int64_t n,
                  int64_t batch);

/* Uploads the systems in both layouts. Call it after a change to s.host. */
void upload(struct problem *b);

/* Copy an array of the systems on the device from one layout to the other. */
cudaError_t interleave(const struct systems *s, const void *from, void *to, cudaStream_t stream);
cudaError_t to_contiguous(const struct systems *s, const void *from, void *to, cudaStream_t stream);
/* Copies x to host_x, in the contiguous layout. */
void download_x(struct problem *b, bool interleaved);

/* Returns whether variants[variant] has SMALL_SHARED_BYTES of shared memory. */
bool small_shared(int variant);

/* method_of(): the method of a variant on the GPU. The others fill in the arguments of
 * thomas_batch.h (for a variant, or for a layout) and of cpu.h. */
enum thomas_batch_variant method_of(int variant);
struct thomas_batch plan_of(const struct problem *b, int variant, int threads);
struct thomas_batch plan(const struct problem *b, bool interleaved, int threads);
struct cpu_batch plan_cpu(const struct problem *b, int cores);

/* Fills all output with NaN and solves the systems. Leaves x in s.host_x (contiguous), the statuses
 * in host_status. Returns the milliseconds. */
double solve_gpu(struct problem *b, int variant, int threads);
/* The same on the CPU. Returns false if the variant is LAPACK and this build has none. */
bool solve_cpu(const struct problem *b, int variant, int cores);
/* run_cpu(): the solve alone. poison_host(): fills x and the statuses on the host with NaN. */
bool run_cpu(int variant, const struct cpu_batch *s);
void poison_host(const struct problem *b);

/* The members `bound` of variants[]: methods with the same bound on the backward error. */
enum family { THOMAS, SERICR, PARACR, LAPACK, FAMILIES };
enum family family_of(int variant);

/* Returns the first system whose host_status is not 0, or -1 if there is none. */
int64_t first_failed(const struct problem *b);

/* Verifies s.host_x. has_status: a system whose host_status is not 0 also counts as wrong. */
struct verdict verdict_of(const struct problem *b, int variant, bool has_status);

int check(const struct options *o);
