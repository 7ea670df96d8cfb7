/* What test_device.cu and test_cpu_device.cu share. */
#pragma once

#include "device_async.h"
#include "expect.h"

enum { RESULTS = 1 << 16 };
extern int *results; /* device memory in which kernels store up to RESULTS numbers */
#define RUN(kernel, blocks, threads, ...)                                                          \
    CHECK(LAUNCH(kernel, blocks, threads, 0, 0, results __VA_OPT__(, ) __VA_ARGS__))

/* Copies the first `count` results to main memory, until the next call. */
const int *fetch(int count);

/* Behaviour that does not depend on the order in which threads and blocks run. */
void test_defined(void);

/* Tests behaviour that only the CPU device has (test_cpu_device.cu). */
void test_cpu_device(void);

static __global__ void fill_dynamic(int *out, int count)
{
    DYN_SHARED(int, value);
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        value[i] = i;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count ? value[count - 1] + value[count / 2] : -1;
}

/* Prefix sums of 1, 2, …, blockDim.x, with two barriers a step. */
static __global__ void scan_shared(int *out)
{
    DYN_SHARED(int, value);
    int t = threadIdx.x;
    value[t] = t + 1;
    __syncthreads();
    for (int h = 1; h < (int)blockDim.x; h *= 2) {
        int add = t >= h ? value[t - h] : 0;
        __syncthreads();
        value[t] += add;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = value[t];
}

/* The sum over all threads of the block, with barriers and static shared memory. */
static __device__ int block_sum(int value)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, value);
    __syncthreads();
    value = sum;
    __syncthreads();
    return value;
}
static __global__ void two_sums(int *out)
{
    int t = (int)threadIdx.x;
    int count = block_sum(1);
    out[blockIdx.x * blockDim.x + t] = block_sum(t) - count * (count - 1) / 2 + count;
}

/* Every block waits until all have added one to `count`, so all must run at once. */
static __global__ void meet(int *count, int *out)
{
    __shared__ int seen;
    if (threadIdx.x == blockDim.x - 1) {
        atomicAdd(count, 1);
        while ((seen = load_acquire(count)) < (int)gridDim.x)
            device_pause();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
