/* The kernels of memory_floor.h. Each thread has several 16-byte loads in flight, and neighbouring
 * threads access neighbouring chunks. */
#include "bench/memory_floor.h"
#include "device_async.h"
#include "scalar.cuh"

struct __align__(16) four
{
    unsigned word[4];
};

enum { MOST_THREADS = 1024 }; /* of a block, and the threads on a multiprocessor of a full grid */

/* Adds chunk i of the four arrays. */
static __device__ inline struct four sum_of(const struct memory_floor &f, int64_t i)
{
    struct four a[4], sum = {};
    UNROLL()
    for (int k = 0; k < 4; k++)
        a[k] = ((const struct four *)f.in[k])[i];
    UNROLL()
    for (int q = 0; q < 4; q++)
        sum.word[q] = (a[0].word[q] + a[1].word[q]) + (a[2].word[q] + a[3].word[q]);
    return sum;
}

/* Calls use(i, sum) for the chunks i = first, first + step, … of the arrays. `each` chunks are
 * loaded before the first of them is used. */
template <int each, class Use>
static __device__ inline void each_chunk(const struct memory_floor &f, int64_t first, int64_t step,
                                         Use use)
{
    int64_t chunks = f.words / 4, i = first;
    for (; i + (each - 1) * step < chunks; i += each * step) {
        struct four sum[each];
        UNROLL()
        for (int k = 0; k < each; k++)
            sum[k] = sum_of(f, i + k * step);
        UNROLL()
        for (int k = 0; k < each; k++)
            use(i + k * step, sum[k]);
    }
    if (each > 1)
        for (; i < chunks; i += step)
            use(i, sum_of(f, i));
}

/* Adds word i of the four arrays. */
static __device__ inline unsigned word_sum(const struct memory_floor &f, int64_t i)
{
    unsigned sum = 0;
    for (int k = 0; k < 4; k++)
        sum += ((const unsigned *)f.in[k])[i];
    return sum;
}

/* A grid barrier that adds a value over all threads and launches. Each block adds 1 to the lower
 * half of the meeting word and the sum of its values to the upper half, in one atomic operation. So
 * the sum costs no second exchange, and nothing has to be cleared between launches. */
static __device__ inline unsigned meet(uint64_t *meeting, unsigned value)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&sum, value);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t now = atomicAdd((unsigned long long *)meeting, (unsigned long long)sum << 32 | 1);
        unsigned all = ((unsigned)now / gridDim.x + 1) * gridDim.x;
        for (load_relaxed(meeting, &now); (unsigned)now < all; load_relaxed(meeting, &now))
            device_pause();
        __threadfence(); /* later loads of this block do not find what L1 held before */
        sum = (unsigned)(now >> 32);
    }
    __syncthreads();
    return sum;
}

template <int each, bool twice>
static __global__ void __launch_bounds__(MOST_THREADS, 1) move_elements(struct memory_floor f)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x,
            step = (int64_t)gridDim.x * blockDim.x, last = f.words / 4 * 4 + first;
    unsigned all = 0;
    if (twice) {
        each_chunk<each>(f, first, step, [&](int64_t, struct four sum) {
            all += (sum.word[0] + sum.word[1]) + (sum.word[2] + sum.word[3]);
        });
        if (last < f.words)
            all += word_sum(f, last);
        all = meet(f.meeting, all);
    }
    each_chunk<each>(f, first, step, [&](int64_t i, struct four sum) {
        for (int q = 0; q < 4; q++)
            sum.word[q] += all;
        ((struct four *)f.x)[i] = sum;
    });
    if (last < f.words)
        ((unsigned *)f.x)[last] = word_sum(f, last) + all;
}

/* The grid has as many blocks as there is work for, or only as many as run at once. */
bool memory_floor_configure(struct memory_floor *f, int i)
{
    struct device_properties device;
    CHECK(query_device(&device));
    if (i >= (f->twice ? 4 : 8))
        return false;
    f->each = i % 2 ? 2 : 1;
    f->threads = i / 2 % 2 ? MOST_THREADS : 256;
    int64_t chunks = f->words / 4, work = (int64_t)f->threads * f->each,
            blocks = chunks > work ? (chunks + work - 1) / work : 1,
            most = (int64_t)device.multiprocessors * (MOST_THREADS / f->threads);
    f->blocks = (unsigned)(i < 4 && blocks > most ? most : blocks);
    return true;
}

cudaError_t memory_floor_launch(const struct memory_floor *f, cudaStream_t stream)
{
    if (f->twice)
        return f->each == 2 ? LAUNCH_COOPERATIVE((move_elements<2, true>), f->blocks, f->threads, 0,
                                                 stream, *f)
                            : LAUNCH_COOPERATIVE((move_elements<1, true>), f->blocks, f->threads, 0,
                                                 stream, *f);
    return f->each == 2 ? LAUNCH((move_elements<2, false>), f->blocks, f->threads, 0, stream, *f)
                        : LAUNCH((move_elements<1, false>), f->blocks, f->threads, 0, stream, *f);
}

int64_t memory_floor_wrong(bool twice, const void *const in[4], const void *x, int64_t words)
{
    const unsigned *a = (const unsigned *)in[0], *b = (const unsigned *)in[1],
                   *c = (const unsigned *)in[2], *d = (const unsigned *)in[3],
                   *result = (const unsigned *)x;
    unsigned all = 0;
    int64_t wrong = 0;
    if (twice)
#pragma omp parallel for reduction(+ : all) if (words > 100000)
        for (int64_t i = 0; i < words; i++)
            all += a[i] + b[i] + c[i] + d[i];
#pragma omp parallel for reduction(+ : wrong) if (words > 100000)
    for (int64_t i = 0; i < words; i++)
        wrong += result[i] != a[i] + b[i] + c[i] + d[i] + all;
    return wrong;
}
