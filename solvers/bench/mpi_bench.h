/* What the experiments over MPI ranks share (tridiagonal_mpi.cu, tridiagonal_batch_mpi*.cu). */
#pragma once

#include "arithmetic.cuh"
#include "device_program.h"
#include "mpi_program.h"

/* ---- numbers in double precision, in which systems are made and judged ---- */

typedef complex_of<double> number;

static __host__ __device__ inline number wide(float x)
{
    return {x, 0};
}
static __host__ __device__ inline number wide(double x)
{
    return {x, 0};
}
template <class R> static __host__ __device__ inline number wide(complex_of<R> x)
{
    return {x.re, x.im};
}
static __host__ __device__ inline void narrow(number x, float *to)
{
    *to = (float)x.re;
}
static __host__ __device__ inline void narrow(number x, double *to)
{
    *to = x.re;
}
template <class R> static __host__ __device__ inline void narrow(number x, complex_of<R> *to)
{
    *to = {(R)x.re, (R)x.im};
}

/* The random bits at one place of the sequence of `seed`, by splitmix64 (problems.h). */
static __host__ __device__ inline uint64_t bits_at(uint64_t seed, uint64_t place)
{
    uint64_t z = seed + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- a copy on the device, with whose speed a solver is compared ---- */

static __global__ void copy_chunks(int64_t count, const chunk<double> *from, chunk<double> *to)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}
/* Copies the whole 16-byte chunks among `bytes` bytes. */
static inline cudaError_t enqueue_copy(const void *from, void *to, int64_t bytes,
                                       cudaStream_t stream)
{
    const int64_t count = bytes / CHUNK, threads = 256;
    if (count == 0)
        return cudaSuccess;
    return LAUNCH(copy_chunks, (unsigned)ceil_div(count, threads), (unsigned)threads, 0, stream,
                  count, (const chunk<double> *)from, (chunk<double> *)to);
}

/* ---- samples and memory ---- */

/* Takes up to `reps` samples (timing.h). sample(ms) takes one: it stores the milliseconds of every
 * stage, the same on all ranks. Stores the summary of each stage in out[]. Returns the number of
 * samples. Collective. */
enum { SAMPLES_MOST = 1000 }; /* --reps is at most 1000 */
template <int stages, class Sample>
static int time_stages(const char *timer, int reps, struct timing (&out)[stages], Sample sample)
{
    static double ms[stages][SAMPLES_MOST];
    double begun = MPI_Wtime();
    int count = 0, go_on;
    do {
        double one[stages];
        MPI_Barrier(MPI_COMM_WORLD);
        sample(one);
        for (int i = 0; i < stages; i++)
            ms[i][count] = one[i];
        count++;
        go_on = count < reps && (count < SAMPLES_LEAST || MPI_Wtime() - begun < TIMING_SECONDS);
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (go_on);
    for (int i = 0; i < stages; i++)
        out[i] = timing_summary(timer, ms[i], count);
    return count;
}

/* True if every host and every GPU has the memory that its ranks need: this rank needs `device`
 * bytes of a part `share` of its GPU's memory (0: it has no GPU) and `host` bytes of main memory.
 * Otherwise rank 0 prints how much is missing. Collective. */
static inline bool mpi_has_memory(const char *program, double device, double share, double host)
{
    double missing = mpi_program_missing(host);
    if (share > 0) {
        size_t available = 0, total = 0;
        if (cudaMemGetInfo(&available, &total) != cudaSuccess)
            mpi_program_stop(program, "no GPU");
        missing = fmax(missing, device - share * (double)available);
    }
    missing = max_over_ranks(missing);
    if (missing > 0 && rank == 0)
        fprintf(stderr, "%s: these sizes need %.1f GiB more than a host or a GPU has free\n",
                program, missing / (1 << 30));
    return missing <= 0;
}
