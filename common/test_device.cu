/* The CPU device against what CUDA promises. Every kernel here is plain CUDA C; what is tested is
 * that it runs as on a GPU, and that what a GPU leaves undefined is seen. On a GPU only the first
 * half applies (the defined behaviour), and the same file compiles there. */
#include "device_async.h"
#include "expect.h"
#include "timing.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN_BUILD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN_BUILD
#endif
#endif

static int *results; /* on the device */
enum { RESULTS = 1 << 16 };

static const int *fetch(int count)
{
    static int host[RESULTS];
    CHECK(cudaMemcpy(host, results, count * sizeof *host, cudaMemcpyDeviceToHost));
    return host;
}

/* ---- indices, launches ---- */

static __global__ void write_indices(int *out)
{
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] =
        (int)(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x +
              10000 * blockIdx.y + 100000 * blockIdx.z);
}

struct coefficients {
    double term[100];
    int count;
};

/* Each thread has its own copy of the argument. */
static __global__ void struct_argument(struct coefficients c, int *out)
{
    c.term[0] += threadIdx.x;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < c.count; i++)
        sum += c.term[i];
    out[threadIdx.x] = (int)sum;
}

static __global__ void fill_dynamic(int *out, int count)
{
    DYN_SHARED(int, value);
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        value[i] = i;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count ? value[count - 1] + value[count / 2] : -1;
}

static void test_launches(void)
{
    CHECK(LAUNCH(write_indices, dim3(2, 3, 2), dim3(4, 2, 3), 0, 0, results));
    const int *out = fetch(2 * 3 * 2 * 24);
    int i = 0, wrong = 0;
    for (int bz = 0; bz < 2; bz++)
        for (int by = 0; by < 3; by++)
            for (int bx = 0; bx < 2; bx++)
                for (int z = 0; z < 3; z++)
                    for (int y = 0; y < 2; y++)
                        for (int x = 0; x < 4; x++)
                            wrong += out[i++] !=
                                     x + 10 * y + 100 * z + 1000 * bx + 10000 * by + 100000 * bz;
    EXPECT(wrong == 0, "3-D launch: %d threads have wrong indices", wrong);

    CHECK(LAUNCH(write_indices, 64, 1024, 0, 0, results));
    out = fetch(RESULTS);
    wrong = 0;
    for (int block = 0; block < 64; block++)
        for (int t = 0; t < 1024; t++)
            wrong += out[block * 1024 + t] != t + 1000 * block;
    EXPECT(wrong == 0, "64 blocks of 1024 threads: %d wrong", wrong);

    struct coefficients c = {};
    for (int i = 0; i < 100; i++)
        c.term[i] = i;
    c.count = 100;
    CHECK(LAUNCH(struct_argument, 1, 64, 0, 0, c, results));
    out = fetch(64);
    wrong = 0;
    for (int t = 0; t < 64; t++)
        wrong += out[t] != 4950 + t;
    EXPECT(wrong == 0, "a struct as argument: %d threads have another", wrong);

    for (int kib : {0, 1, 48, 64}) {
        int count = kib * 256;
        CHECK(LAUNCH(fill_dynamic, 3, 96, kib * 1024, 0, results, count));
        out = fetch(3);
        EXPECT(out[2] == (count ? count - 1 + count / 2 : -1), "%d KiB of shared memory: %d", kib,
               out[2]);
    }
    EXPECT(LAUNCH(fill_dynamic, 1, 32, 227 * 1024 + 1, 0, results, 0) != cudaSuccess,
           "more than 227 KiB of shared memory");

    EXPECT(LAUNCH(write_indices, 1, 2048, 0, 0, results) != cudaSuccess, "2048 threads a block");
    EXPECT(LAUNCH(write_indices, 1, 0, 0, 0, results) != cudaSuccess, "no threads");
    EXPECT(LAUNCH(write_indices, 0, 32, 0, 0, results) != cudaSuccess, "no blocks");
    (void)cudaDeviceSynchronize();

    int processors;
    struct cudaDeviceProp properties;
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(processors > 0 && processors == properties.multiProcessorCount, "%d multiprocessors",
           processors);
}

/* ---- a smaller device ---- */

static void expect_limits(const char *text, int shared, int multiprocessors, int threads,
                          bool plain)
{
    struct device_limits l = device_limits_read(text);
    EXPECT(!l.wrong && l.shared == shared && l.multiprocessors == multiprocessors &&
               l.threads == threads && l.plain == plain,
           "DEVICE_LIMITS=%s: %d bytes, %d multiprocessors of %d threads%s%s", text ? text : "none",
           l.shared, l.multiprocessors, l.threads, l.plain ? ", plain" : "",
           l.wrong ? ", wrong" : "");
}

static void test_limits_read(void)
{
    expect_limits(NULL, 0, 0, 0, false);
    expect_limits("t4", 65536, 40, 1024, true);
    expect_limits("rtx4090", 101376, 128, 1536, true);
    expect_limits("a100", 166912, 108, 2048, true);
    expect_limits("t4,multiprocessors=4", 65536, 4, 1024, true);
    expect_limits("shared=65536", 65536, 0, 0, false);
    expect_limits("multiprocessors=7", 0, 7, 0, false);
    expect_limits("shared=65536,multiprocessors=40", 65536, 40, 0, false);
    expect_limits("threads=1536,shared=99999", 99999, 0, 1536, false);
    for (const char *text : {"", "T4", "t4,", ",t4", "t4 ", "t", "h100", "shared",
                             "shared=", "shared=x", "shared=65536,", "shared= 65536", "shared=64K",
                             "shared=65535", "shared=-65536", "multiprocessors=0", "threads=1023",
                             "shared=99999999999999999999", "shared=65536;multiprocessors=40"}) {
        struct device_limits l = device_limits_read(text);
        EXPECT(l.wrong && l.shared == 0 && l.multiprocessors == 0 && l.threads == 0,
               "DEVICE_LIMITS=%s is taken for a limit", text);
    }
    struct device_limits t4 = device_limits_read("t4");
    EXPECT(device_limits_blocks(&t4, 1024, 0) == 40 && device_limits_blocks(&t4, 512, 1) == 80 &&
               device_limits_blocks(&t4, 32, 65536) == 40 &&
               device_limits_blocks(&t4, 32, 0) == 640 && device_limits_blocks(&t4, 33, 0) == 640 &&
               device_limits_blocks(&t4, 513, 0) == 40,
           "blocks that a T4 has at once");
}

static __global__ void meet_others(int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(out, 1);
        while (load_acquire(out) < (int)gridDim.x)
            device_pause();
    }
}

/* In a process of its own, which DEVICE_LIMITS=t4 makes a T4: `main` begins it. */
static int test_limits(void)
{
    int shared, processors;
    CHECK(device_attribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(shared == 65536, "%d bytes of shared memory a block", shared);
    EXPECT(processors == 40 || (processors < 40 && processors > 0), "%d multiprocessors",
           processors);
    EXPECT(LAUNCH(fill_dynamic, 1, 32, 65536, 0, results, 64) == cudaSuccess, "64 KiB");
    EXPECT(LAUNCH(fill_dynamic, 1, 32, 65537, 0, results, 64) == cudaErrorInvalidValue,
           "more than 64 KiB");
    (void)cudaDeviceSynchronize();
    for (int threads = 512; processors == 40 && threads <= 1024; threads *= 2) {
        unsigned most = (unsigned)(40 * 1024 / threads);
        CHECK(cudaMemset(results, 0, sizeof *results));
        EXPECT(LAUNCH_COOPERATIVE(meet_others, most, threads, 0, 0, results) == cudaSuccess &&
                   fetch(1)[0] == (int)most,
               "%u blocks of %d threads at once", most, threads);
        EXPECT(LAUNCH_COOPERATIVE(meet_others, most + 1, threads, 0, 0, results) ==
                   cudaErrorCooperativeLaunchTooLarge,
               "%u blocks of %d threads at once", most + 1, threads);
    }
#ifndef __CUDACC__
    struct cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.multiProcessorCount == 40, "%d multiprocessors",
           properties.multiProcessorCount);
    EXPECT(!has_bulk_copies(), "a T4 with bulk copies");
#endif
    return expect_done();
}

/* ---- barriers ---- */

/* A scan in shared memory: two barriers a step, in a loop. */
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

static __global__ void early_return(int *out, int stay)
{
    __shared__ int sum;
    if ((int)threadIdx.x >= stay)
        return;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    out[threadIdx.x] = sum;
}

/* Barriers and static shared memory in a function with two calls. */
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

/* More values than there are registers, all alive over barriers and divisions. */
static __global__ void registers(int *out, const double *start)
{
    double x[24];
    for (int i = 0; i < 24; i++)
        x[i] = start[i] + threadIdx.x;
    for (int round = 0; round < 10; round++) {
        __syncthreads();
        for (int i = 0; i < 24; i++)
            x[i] = x[i] * 3 / 1.5;
        if (round % 3 == (int)threadIdx.x % 3)
            device_pause();
    }
    int wrong = 0;
    for (int i = 0; i < 24; i++)
        wrong += x[i] != 1024.0 * (i + threadIdx.x);
    out[threadIdx.x] = wrong;
}

/* Two halves of a block meet at barriers of their own, the first of which all pass while the second
 * half waits for a word from the other. */
static __global__ void two_paces(int *flag, int *out)
{
    __shared__ int value[2][64];
    int half = threadIdx.x / 64, rank = threadIdx.x % 64, wrong = 0;
    if (half == 1 && rank == 63)
        while (load_acquire(flag) == 0)
            device_pause();
    __syncwarp(); /* a warp's lanes come to a barrier together */
    for (int round = 0; round < (half ? 50 : 7); round++) {
        value[half][rank] = 100 * round + rank;
        group_sync(half ? 15 : 1, 64);
        wrong += value[half][63 - rank] != 100 * round + 63 - rank;
        group_sync(half ? 15 : 1, 64);
    }
    if (half == 0 && rank == 0)
        store_release(flag, 1);
    out[threadIdx.x] = wrong;
}

/* Barrier 1 is for 64 threads, then for 32, then for all. */
static __global__ void group_sizes(int *out)
{
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    if (t < 64) {
        atomicAdd(&sum, 1);
        group_sync(1, 64);
        out[t] = sum;
    }
    __syncthreads(); /* threads that meet give the same number */
    if (t < 32) {
        atomicAdd(&sum, 1);
        group_sync(1, 32);
        out[t] = sum;
    }
    __syncthreads();
    group_sync(1, (int)blockDim.x);
    out[128 + t] = sum;
}

/* What mbarrier_passed says of both parities after 0, 1, … arrivals, three of which end a phase. */
static __global__ void parities(int *out)
{
    __shared__ uint64_t barrier;
    mbarrier_init(&barrier, 3);
    for (int arrivals = 0; arrivals < 10; arrivals++) {
        out[arrivals] = mbarrier_passed(&barrier, 0) + 2 * mbarrier_passed(&barrier, 1);
        mbarrier_arrive(&barrier);
    }
}

/* 96 threads fill what the other 32 empty, phase after phase. */
static __global__ void fill_and_empty(int *out, int phases)
{
    __shared__ uint64_t full, empty;
    __shared__ int value[96];
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        mbarrier_init(&full, 96);
        mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int phase = 0; phase < phases; phase++)
        if (t < 96) {
            if (phase > 0)
                mbarrier_wait(&empty, (phase - 1) & 1);
            value[t] = phase * t;
            mbarrier_arrive(&full);
        } else {
            mbarrier_wait(&full, phase & 1);
            for (int k = 0; k < 3; k++)
                sum += value[3 * (t - 96) + k];
            mbarrier_arrive(&empty);
        }
    out[t] = sum;
}

static void test_groups(void)
{
    CHECK(cudaMemset(results, 0, sizeof(int)));
    CHECK(LAUNCH(two_paces, 1, 128, 0, 0, results, results + 1));
    const int *out = fetch(129);
    int wrong = 0;
    for (int t = 0; t < 128; t++)
        wrong += out[1 + t];
    EXPECT(wrong == 0, "groups of different pace: %d values wrong", wrong);
    CHECK(LAUNCH(group_sizes, 1, 128, 0, 0, results));
    out = fetch(256);
    wrong = 0;
    for (int t = 0; t < 128; t++)
        wrong += out[128 + t] != 96 || (t < 64 && out[t] != (t < 32 ? 96 : 64));
    EXPECT(wrong == 0, "one barrier for 64, 32 and 128 threads: %d wrong", wrong);

    CHECK(LAUNCH(parities, 1, 1, 0, 0, results));
    out = fetch(10);
    for (int arrivals = 0; arrivals < 10; arrivals++)
        EXPECT(out[arrivals] == (arrivals / 3 % 2 ? 1 : 2), "after %d arrivals: parities %d",
               arrivals, out[arrivals]);
    for (int phases : {0, 1, 2, 21}) {
        CHECK(LAUNCH(fill_and_empty, 1, 128, 0, 0, results, phases));
        out = fetch(128);
        wrong = 0;
        for (int k = 0; k < 32; k++)
            wrong += out[96 + k] != phases * (phases - 1) / 2 * (9 * k + 3);
        EXPECT(wrong == 0, "%d phases: %d sums wrong", phases, wrong);
    }
}

static void test_barriers(void)
{
    static const int threads_of[] = {1, 2, 31, 32, 33, 256, 1000, 1024};
    static const int stays[] = {1, 31, 64, 100};
    for (int threads : threads_of) {
        CHECK(LAUNCH(scan_shared, 5, threads, threads * sizeof(int), 0, results));
        const int *out = fetch(5 * threads);
        int wrong = 0;
        for (int i = 0; i < 5 * threads; i++) {
            int k = i % threads + 1;
            wrong += out[i] != k * (k + 1) / 2;
        }
        EXPECT(wrong == 0, "scan of %d threads: %d wrong", threads, wrong);
    }
    for (int stay : stays) {
        CHECK(cudaMemset(results, 0, 128 * sizeof(int)));
        CHECK(LAUNCH(early_return, 1, 128, 0, 0, results, stay));
        const int *out = fetch(128);
        EXPECT(out[0] == stay && out[stay - 1] == stay && out[stay] == 0,
               "early return: %d threads stay, sum %d", stay, out[0]);
    }
    for (int threads : {1024, 1, 33, 1000, 40}) { /* what one launch leaves is not the next's */
        CHECK(LAUNCH(two_sums, 7, threads, 0, 0, results));
        const int *out = fetch(7 * threads);
        int wrong = 0;
        for (int i = 0; i < 7 * threads; i++)
            wrong += out[i] != threads;
        EXPECT(wrong == 0, "two sums over %d threads: %d wrong", threads, wrong);
    }
    double host[24], *start;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    CHECK(cudaMalloc(&start, sizeof host));
    CHECK(cudaMemcpy(start, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(LAUNCH(registers, 1, 96, 0, 0, results, start));
    CHECK(cudaFree(start));
    int wrong = 0;
    for (int t = 0; t < 96; t++)
        wrong += fetch(96)[t];
    EXPECT(wrong == 0, "%d values lost at barriers", wrong);
}

/* ---- warps ---- */

static __global__ void shuffles(int *out, int width, int argument)
{
    int t = threadIdx.x;
    out[4 * t] = __shfl_sync(0xffffffffu, t, argument, width);
    out[4 * t + 1] = __shfl_up_sync(0xffffffffu, t, argument, width);
    out[4 * t + 2] = __shfl_down_sync(0xffffffffu, t, argument, width);
    out[4 * t + 3] = __shfl_xor_sync(0xffffffffu, t, argument, width);
}

static __global__ void shuffle_types(int *out)
{
    double d = 0.5 + threadIdx.x;
    long long l = (1LL << 40) + threadIdx.x;
    float f = 0.25f + threadIdx.x;
    d = __shfl_xor_sync(0xffffffffu, d, 1);
    l = __shfl_up_sync(0xffffffffu, l, 1);
    f = __shfl_down_sync(0xffffffffu, f, 1);
    unsigned t = threadIdx.x;
    out[t] = d == 0.5 + (t ^ 1) && l == (1LL << 40) + (t ? t - 1 : 0) &&
             f == 0.25f + (t < 31 ? t + 1 : t);
}

/* Odd lanes vote among themselves while even lanes shuffle among themselves. */
static __global__ void half_warps(int *out)
{
    unsigned t = threadIdx.x;
    if (t % 2)
        out[t] = (int)__ballot_sync(0xaaaaaaaau, t > 15);
    else
        out[t] = __shfl_sync(0x55555555u, (int)t, 6);
    __syncwarp();
    out[32 + t] = out[t ^ 1];
    if (t < 7)
        return;
    /* lanes 0 to 6 have returned: they count as arrived and vote for nothing */
    out[64 + t] = (int)__ballot_sync(0xffffffffu, 1);
    out[96 + t] = __any_sync(0xffffffffu, t == 9) + 2 * __all_sync(0xffffffffu, t != 40);
}

/* Sums over the warps of any block; the last warp may be short. */
static __global__ void warp_sums(int *out)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z, sum = t;
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(0xffffffffu, sum, d);
        if (t % 32 + d < 32 && t + d < threads)
            sum += other;
    }
    if (t % 32 == 0)
        out[t / 32] = sum;
}

/* In each round one lane returns while the others vote. */
static __global__ void leave_one_by_one(int *out)
{
    int t = threadIdx.x;
    for (int round = 0; round < 32; round++) {
        if (t == round)
            return;
        out[t] = (int)__ballot_sync(0xffffffffu, 1);
        out[32 + t] = __shfl_sync(0xffffffffu, round, 31);
    }
}

/* Three groups of lanes in three branches, then all. */
static __global__ void groups(int *out)
{
    int t = threadIdx.x;
    if (t < 12) {
        __syncwarp(0x00000fffu);
        out[t] = (int)__ballot_sync(0x00000fffu, t & 1);
    } else if (t < 20) {
        out[t] = __shfl_sync(0x000ff000u, t, 13);
        __syncwarp(0x000ff000u);
    } else {
        __syncwarp(0xfff00000u);
        out[t] = __all_sync(0xfff00000u, t >= 20);
    }
    __syncwarp();
    out[32 + t] = out[31 - t];
}

/* Thread t: of 1 << t, and of 0. */
static __global__ void count_bits(int *out)
{
    int t = threadIdx.x;
    unsigned bit = t < 32 ? 1u << t : 0;
    out[2 * t] = __clz((int)(bit ? bit | (bit - 1) : 0));
    out[2 * t + 1] = __ffs((int)(bit | (bit << 1)));
}

static void test_warps(void)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int argument = 0; argument < 32; argument++) {
            CHECK(LAUNCH(shuffles, 1, 64, 0, 0, results, width, argument));
            const int *out = fetch(256);
            int wrong = 0;
            for (int t = 0; t < 64; t++) {
                int base = t / width * width, last = base + width - 1; /* as in PTX */
                wrong += out[4 * t] != base + argument % width;
                wrong += out[4 * t + 1] != (t - argument >= base ? t - argument : t);
                wrong += out[4 * t + 2] != (t + argument <= last ? t + argument : t);
                wrong += out[4 * t + 3] != ((t ^ argument) <= last ? t ^ argument : t);
            }
            EXPECT(wrong == 0, "shuffles of width %d by %d: %d wrong", width, argument, wrong);
        }
    CHECK(LAUNCH(shuffle_types, 1, 32, 0, 0, results));
    const int *out = fetch(32);
    int right = 0;
    for (int t = 0; t < 32; t++)
        right += out[t];
    EXPECT(right == 32, "shuffles of double, long long and float: %d lanes right", right);

    CHECK(LAUNCH(half_warps, 1, 32, 0, 0, results));
    out = fetch(128);
    EXPECT(out[1] == (int)0xaaaa0000u && out[31] == out[1] && out[0] == 6 && out[30] == 6,
           "half warps: ballot 0x%x, shuffle %d", out[1], out[0]);
    EXPECT(out[32] == out[1] && out[33] == 6, "__syncwarp between writes and reads");
    EXPECT(out[64 + 7] == (int)0xffffff80u, "ballot without returned lanes: 0x%x", out[64 + 7]);
    EXPECT(out[96 + 31] == 3, "any and all: %d", out[96 + 31]);

    for (dim3 threads : {dim3(33), dim3(40), dim3(1000), dim3(5, 7), dim3(5, 7, 3)}) {
        CHECK(LAUNCH(warp_sums, 1, threads, 0, 0, results));
        out = fetch(32);
        int count = threads.x * threads.y * threads.z, wrong = 0;
        for (int first = 0; first < count; first += 32) {
            int end = first + 32 < count ? first + 32 : count;
            wrong += out[first / 32] != (end - first) * (first + end - 1) / 2;
        }
        EXPECT(wrong == 0, "warp sums of %d threads: %d wrong", count, wrong);
    }
    CHECK(LAUNCH(leave_one_by_one, 1, 32, 0, 0, results));
    out = fetch(64);
    EXPECT(out[31] == INT32_MIN && out[30] == INT32_MIN / 2 && out[32 + 31] == 30,
           "votes while lanes return: 0x%x 0x%x, round %d", out[31], out[30], out[32 + 31]);
    CHECK(LAUNCH(groups, 1, 32, 0, 0, results));
    out = fetch(64);
    EXPECT(out[0] == 0xaaa && out[12] == 13 && out[20] == 1 && out[32 + 31] == 0xaaa &&
               out[32] == 1,
           "three groups of lanes: 0x%x %d %d", out[0], out[12], out[20]);

    CHECK(LAUNCH(count_bits, 1, 33, 0, 0, results));
    out = fetch(66);
    int wrong = out[64] != 32 || out[65] != 0;
    for (int t = 0; t < 32; t++)
        wrong += out[2 * t] != 31 - t || out[2 * t + 1] != t + 1;
    EXPECT(wrong == 0, "__clz and __ffs: %d wrong", wrong);
}

/* ---- atomics, flags between blocks ---- */

static __global__ void atomics(int *out, float *sum, double *dsum, unsigned long long *count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&out[0], i);
    atomicMin(&out[1], i - 5);
    atomicMax(&out[2], i);
    atomicAdd(sum, 0.5f);
    atomicAdd(dsum, 0.25);
    atomicAdd(count, 1ull << 33);
    int seen = atomicCAS(&out[3], 0, i + 1); /* exactly one thread finds the 0 */
    if (seen == 0)
        atomicAdd(&out[4], 1);
    out[8 + i] = atomicExch(&out[5], i + 1); /* every value is handed over exactly once */
    atomicAdd(&out[6], 1 << 30);             /* wraps round: 4000 / 4 times to 0 */
    atomicAdd(dsum, 1);                      /* the value takes the type of the sum */
}

/* Block k adds to what block k-1 left: a chain through a flag. */
static __global__ void chain(int *flag, int *value)
{
    int k = (int)blockIdx.x;
    if (threadIdx.x == 0) {
        while (load_acquire(flag) != k)
            device_pause();
        *value = *value + k;
        store_release(flag, k + 1);
    }
}

/* A tagged number that goes from block to block without a flag: a word is seen whole. */
enum { RELAY = 100, TAG = 5 };
static __global__ void relay(uint64_t *ones, uint64_t *pairs)
{
    uint64_t k = blockIdx.x, tag = (uint64_t)TAG << 32, one, two[2];
    if (threadIdx.x != 0)
        return;
    for (load_relaxed(ones + k, &one); k > 0 && one >> 32 != TAG; load_relaxed(ones + k, &one))
        device_pause();
    one = tag | (k > 0 ? (one & 0xffffffffu) + k : 0);
    store_relaxed(ones + k + 1, &one);
    do {
        load_relaxed_pair(pairs + 2 * k, two);
        device_pause();
    } while (k > 0 && (two[0] >> 32 != TAG || two[1] >> 32 != TAG));
    two[0] = tag | (k > 0 ? (two[0] & 0xffffffffu) + k : 0);
    two[1] = tag | (k > 0 ? (two[1] & 0xffffffffu) + 2 * k : 7);
    store_relaxed_pair(pairs + 2 * k + 2, two);
}

/* Every block raises its flag and waits for all others: needs all of them at once. */
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

/* Within a block: thread 0 spins on what a thread of another warp writes later. */
static __global__ void spin_in_block(int *flag, int *out)
{
    if (threadIdx.x == 0) {
        while (load_acquire(flag) == 0)
            device_pause();
        out[0] = 1;
    } else if (threadIdx.x == 40) {
        store_release(flag, 1);
    }
}

static void test_between_blocks(void)
{
    struct sums {
        unsigned long long count;
        double dsum;
        float sum;
    } host, *sums;
    CHECK(cudaMalloc(&sums, sizeof host));
    CHECK(cudaMemset(sums, 0, sizeof host));
    CHECK(cudaMemset(results, 0, 8 * sizeof(int)));
    int n = 40 * 100;
    CHECK(LAUNCH(atomics, 40, 100, 0, 0, results, &sums->sum, &sums->dsum, &sums->count));
    const int *out = fetch(8 + n);
    CHECK(cudaMemcpy(&host, sums, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(sums));
    EXPECT(out[0] == n * (n - 1) / 2 && out[1] == -5 && out[2] == n - 1 && out[4] == 1,
           "atomic add %d min %d max %d, %d winners", out[0], out[1], out[2], out[4]);
    EXPECT(out[6] == 0, "an atomic sum that wraps round: %d", out[6]);
    EXPECT(host.sum == 0.5f * n && host.dsum == 1.25 * n && host.count == (1ull << 33) * n,
           "atomic float %g, double %g, 64 bits %llu", host.sum, host.dsum, host.count);
    long long handed = out[5];
    for (int i = 0; i < n; i++)
        handed += out[8 + i];
    EXPECT(handed == (long long)n * (n + 1) / 2, "exchanged values sum to %lld", handed);

    for (int blocks : {1, 24, 132}) {
        CHECK(cudaMemset(results, 0, sizeof(int)));
        CHECK(LAUNCH_COOPERATIVE(meet, blocks, 64, 0, 0, results, results + 1));
        out = fetch(1 + blocks * 64);
        int wrong = 0;
        for (int i = 1; i <= blocks * 64; i++)
            wrong += out[i] != blocks;
        EXPECT(wrong == 0, "cooperative launch of %d blocks: %d threads saw fewer", blocks, wrong);
    }

    CHECK(cudaMemset(results, 0, 2 * sizeof(int)));
    CHECK(LAUNCH(spin_in_block, 1, 64, 0, 0, results, results + 1));
    EXPECT(fetch(2)[1] == 1, "a thread that spins lets the others run");
}

/* Blocks that wait for earlier ones: not to be shuffled. */
static void test_earlier_blocks(void)
{
    CHECK(cudaMemset(results, 0, 2 * sizeof(int)));
    CHECK(LAUNCH(chain, 200, 33, 0, 0, results, results + 1));
    EXPECT(fetch(2)[1] == 200 * 199 / 2, "a chain of 200 blocks: %d", fetch(2)[1]);

    uint64_t host[3 * (RELAY + 1)], *words; /* pairs, then ones */
    CHECK(cudaMalloc(&words, sizeof host));
    CHECK(cudaMemset(words, 0, sizeof host));
    CHECK(LAUNCH(relay, RELAY, 32, 0, 0, words + 2 * (RELAY + 1), words));
    CHECK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(words));
    int wrong = 0;
    for (uint64_t k = 0; k < RELAY; k++) {
        uint64_t sum = ((uint64_t)TAG << 32) + k * (k + 1) / 2;
        wrong += host[2 * (RELAY + 1) + k + 1] != sum || host[2 * k + 2] != sum ||
                 host[2 * k + 3] != sum + k * (k + 1) / 2 + 7;
    }
    EXPECT(wrong == 0, "tagged words through %d blocks: %d wrong", RELAY, wrong);
}

/* ---- shared memory, asynchronous copies ---- */

static __global__ void copy_groups(const int *in, int *out)
{
    __shared__ __align__(16) int tile[3][32][4];
    int t = threadIdx.x;
    for (int g = 0; g < 3; g++) {
        copy_async<16>(tile[g][t], in + 4 * (32 * g + t));
        copy_async_commit();
    }
    copy_async_wait<2>();
    __syncthreads();
    out[t] = tile[0][31 - t][1];
    copy_async_wait<0>();
    __syncthreads();
    out[32 + t] = tile[1][31 - t][2] + tile[2][31 - t][3];
}

/* Two bulk loads for one phase, twice, to the same place; what they brought is doubled and
 * stored. */
enum { PIECE = 64 };
static __global__ void bulk_copies(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2 * PIECE];
    __shared__ uint64_t full;
    int t = threadIdx.x;
    if (!has_bulk_copies()) {
        for (int i = t; i < 4 * PIECE; i += 2 * PIECE)
            out[i] = 2 * in[i];
        return;
    }
    if (t == 0)
        mbarrier_init(&full, 1);
    __syncthreads();
    for (int phase = 0; phase < 2; phase++) {
        const int *from = in + phase * 2 * PIECE;
        if (t == 0) {
            mbarrier_arrive(&full, sizeof tile);
            for (int k = 0; k < 2; k++)
                bulk_load(tile + k * PIECE, from + k * PIECE, PIECE * sizeof *from, &full);
        }
        mbarrier_wait(&full, phase);
        tile[t] = 2 * tile[t];
        bulk_fence();
        __syncthreads();
        if (t == 0) {
            bulk_store(out + phase * 2 * PIECE, tile, sizeof tile);
            bulk_store_wait();
        }
    }
}

static void test_copies(void)
{
    int host[3 * 32 * 4], *in;
    for (int i = 0; i < 3 * 32 * 4; i++)
        host[i] = 1000 + i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(LAUNCH(copy_groups, 3, 32, 0, 0, in, results));
    const int *out = fetch(64);
    int wrong = 0;
    for (int t = 0; t < 32; t++) {
        wrong += out[t] != host[4 * (31 - t) + 1];
        wrong += out[32 + t] != host[4 * (32 + 31 - t) + 2] + host[4 * (64 + 31 - t) + 3];
    }
    EXPECT(wrong == 0, "asynchronous copies in three groups: %d wrong", wrong);
    CHECK(LAUNCH(bulk_copies, 1, 2 * PIECE, 0, 0, in, results));
    out = fetch(4 * PIECE);
    wrong = 0;
    for (int i = 0; i < 4 * PIECE; i++)
        wrong += out[i] != 2 * host[i];
    EXPECT(wrong == 0, "bulk copies: %d wrong", wrong);
    CHECK(cudaFree(in));
}

/* In whatever order threads and blocks run. */
static void test_defined(void)
{
    test_launches();
    test_barriers();
    test_groups();
    test_warps();
    test_between_blocks();
    test_copies();
}

#ifndef __CUDACC__

/* ---- what a GPU leaves undefined ---- */

static __global__ void unwritten(int *out)
{
    __shared__ float tile[2][33];
    __shared__ int flag;
    DYN_SHARED(double, dynamic);
    out[blockIdx.x] = std::isnan(tile[1][32]) && std::isnan(dynamic[3]) && flag == -1;
    __syncthreads();
    tile[1][32] = 1;
    dynamic[3] = 1;
    flag = 1;
}

template <class T> static __global__ void unwritten_in_template(int *out)
{
    __shared__ T value[4];
    out[0] = std::isnan(value[3]);
    __syncthreads();
    value[3] = 1;
}

static __global__ void forgotten_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][4];
    copy_async<16>(tile[0], in);
    copy_async_commit();
    copy_async<16>(tile[1], in);
    copy_async_commit();
    copy_async_wait<1>();
    out[0] = tile[0][0];
    out[1] = tile[1][0]; /* no wait for the younger group */
}

/* A bulk load arrives when a wait of its own barrier finds the phase ended, a store at its wait. */
static __global__ void early_looks(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][4];
    __shared__ uint64_t full[2];
    for (int k = 0; k < 2; k++) {
        mbarrier_init(&full[k], 1 + k);
        mbarrier_arrive(&full[k], sizeof tile[k]);
        bulk_load(tile[k], in, sizeof tile[k], &full[k]);
    }
    out[0] = tile[0][3];
    mbarrier_wait(&full[0], 0);
    out[1] = tile[0][3];
    out[2] = mbarrier_passed(&full[1], 0); /* one of two arrivals */
    out[3] = tile[1][3];
    out[7] = 0;
    bulk_fence();
    bulk_store(out + 4, tile[0], sizeof tile[0]);
    out[8] = out[7];
    bulk_store_wait();
    out[9] = out[7];
    bulk_store(out + 12, tile[0], sizeof tile[0]);
    tile[0][3] = 8; /* too early: the copy may not have read it */
    bulk_store_wait();
}

/* As copy_and_leave: what one block did not wait for is not the next one's. */
static __global__ void bulk_and_leave(const int *in, int *out, int crooked)
{
    __shared__ __align__(16) int tile[4];
    __shared__ uint64_t full;
    tile[0] = 5;
    mbarrier_init(&full, 1);
    mbarrier_arrive(&full);
    mbarrier_wait(&full, 0);
    bulk_store_wait();
    out[4 * blockIdx.x] = tile[0];
    bulk_load(tile, in, sizeof tile, &full);
    bulk_store(out + 4 * blockIdx.x, in, sizeof tile);
    if (crooked)
        bulk_load(tile, in + 1, sizeof tile, &full);
}

static __global__ void crooked_bulk(const int *in, int *out, int thread, int to, int from,
                                    int bytes)
{
    __shared__ __align__(16) int tile[8];
    __shared__ uint64_t full;
    mbarrier_init(&full, 1);
    if ((int)threadIdx.x != thread)
        return;
    if (thread == 1)
        bulk_load(tile + to, in + from, bytes, &full);
    else
        bulk_store(out + to, tile + from, bytes);
}

/* Tells a barrier of `bytes` and brings 16. */
static __global__ void announce(const int *in, int bytes)
{
    __shared__ __align__(16) int tile[4];
    __shared__ uint64_t full;
    mbarrier_init(&full, 1);
    mbarrier_arrive(&full, bytes);
    bulk_load(tile, in, sizeof tile, &full);
    mbarrier_wait(&full, 0);
}

static __global__ void odd_group(int *out, int id, int threads)
{
    group_sync(id, threads);
    out[threadIdx.x] = 1;
}

static __global__ void divergent_barrier(int *out)
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

static __global__ void barrier_against_warp(int *out)
{
    if (threadIdx.x == 3)
        __syncwarp();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

/* Two operations in one line. */
static __global__ void vote_against_shuffle(int *out)
{
    int odd = threadIdx.x % 2;
    out[threadIdx.x] = odd ? __any_sync(0xffffffffu, 1) : __shfl_sync(0xffffffffu, 1, 0);
}

static __global__ void two_masks(int *out)
{
    out[threadIdx.x] = __shfl_sync(threadIdx.x < 16 ? 0x0001ffffu : 0xffff8000u, 1, 0);
}

static __global__ void odd_width(int *out)
{
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 1, 24);
}

static __global__ void crooked_copy(const int *in, int *out)
{
    __shared__ __align__(16) int tile[8];
    copy_async<8>(tile + 2, in + 1);
    out[0] = 1;
}

/* Copies, and fails or returns before it waits: they must not arrive in a later block or launch. */
static __global__ void copy_and_leave(const int *in, int *out, int divergent)
{
    __shared__ __align__(16) int tile[32][4];
    int *mine = tile[threadIdx.x];
    for (int i = 0; i < 4; i++)
        mine[i] = 5;
    copy_async_wait<0>();
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine[0];
    copy_async<16>(mine, in);
    copy_async_commit();
    if (divergent && threadIdx.x == 0)
        __syncwarp();
    else if (divergent)
        __syncthreads();
}

static __global__ void lane_outside_mask(int *out)
{
    out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 0);
}

static __global__ void absent_lane(float *out)
{
    if (threadIdx.x >= 8)
        return;
    out[threadIdx.x] = __shfl_sync(0x000000ffu, 1.0f, threadIdx.x < 4 ? 20 : 7);
}

static __device__ int deep(int n, volatile char *before)
{
    volatile char here[4096];
    here[0] = before ? before[0] : 1;
    return n ? deep(n - 1, here) + here[0] : 0;
}
static __global__ void endless_stack(int *out, int depth)
{
    out[threadIdx.x] = deep(depth, NULL);
    __syncthreads();
}

static void expect_failure(cudaError_t error, const char *test, const char *kernel,
                           const char *word)
{
    const char *text = cudaGetErrorString(error);
    EXPECT(error == cudaErrorLaunchFailure && strstr(text, kernel) && strstr(text, word) &&
               strstr(text, "block (0,0,0)") && strstr(text, "thread ("),
           "%s gives: %s", test, text);
}

static void test_undefined(void)
{
    CHECK(LAUNCH(unwritten, 50, 40, 4 * sizeof(double), 0, results));
    const int *out = fetch(50);
    int poisoned = 0;
    for (int i = 0; i < 50; i++)
        poisoned += out[i];
    EXPECT(poisoned == 50, "shared memory is poisoned at the start of %d of 50 blocks", poisoned);
    for (int i = 0; i < 2; i++)
        CHECK(LAUNCH((unwritten_in_template<double>), 1, 8, 0, 0, results));
    EXPECT(fetch(1)[0] == 1, "shared memory of a template is poisoned");

    int *in, seven[4] = {7, 7, 7, 7};
    CHECK(cudaMalloc(&in, sizeof seven));
    CHECK(cudaMemcpy(in, seven, sizeof seven, cudaMemcpyHostToDevice));
    EXPECT(LAUNCH(copy_and_leave, 1, 32, 0, 0, in, results, 1) != cudaSuccess, "divergence");
    for (int blocks : {1, 9}) {
        CHECK(LAUNCH(copy_and_leave, blocks, 32, 0, 0, in, results, 0));
        int late = 0;
        for (int i = 0; i < 32 * blocks; i++)
            late += fetch(32 * blocks)[i] != 5;
        EXPECT(late == 0, "%d copies that nobody waited for arrive later", late);
    }
    expect_failure(LAUNCH(crooked_copy, 1, 1, 0, 0, in, results), "a copy that is not aligned",
                   "crooked_copy", "test_device.cu:");
    CHECK(LAUNCH(forgotten_wait, 1, 1, 0, 0, in, results));
    EXPECT(fetch(2)[0] == 7 && fetch(2)[1] == -1, "copies: waited for %d, not waited for %d",
           fetch(2)[0], fetch(2)[1]);

    CHECK(LAUNCH(early_looks, 1, 1, 0, 0, in, results));
    out = fetch(16);
    EXPECT(out[0] == -1 && out[1] == 7, "a bulk load: %d before its wait, %d after", out[0],
           out[1]);
    EXPECT(out[2] == 0 && out[3] == -1, "a bulk load in a phase that goes on: %d", out[3]);
    EXPECT(out[8] == 0 && out[9] == 7, "a bulk store: %d before its wait, %d after", out[8],
           out[9]);
    EXPECT(out[15] == 8, "a bulk store of a word that is written before the wait: %d", out[15]);
    EXPECT(LAUNCH(bulk_and_leave, 1, 1, 0, 0, in, results, 1) != cudaSuccess, "a crooked load");
    CHECK(LAUNCH(bulk_and_leave, 50, 1, 0, 0, in, results, 0));
    out = fetch(200);
    int late = 0;
    for (int i = 0; i < 50; i++)
        late += out[4 * i] != 5;
    EXPECT(late == 0, "%d bulk copies that nobody waited for arrive later", late);
    static const int crooked[][3] = {{1, 0, 16}, {0, 1, 16}, {0, 0, 8}, {0, 0, 4}};
    for (auto c : crooked)
        for (int thread = 1; thread <= 2; thread++) {
            char text[80];
            snprintf(text, sizeof text, "thread (%d,0,0): %s of %d bytes is not aligned", thread,
                     thread == 1 ? "bulk_load" : "bulk_store", c[2]);
            for (const char *word : {(const char *)text, "test_device.cu:"})
                expect_failure(
                    LAUNCH(crooked_bulk, 1, 3, 0, 0, in, results, thread, c[0], c[1], c[2]),
                    "a bulk copy that is not aligned", "crooked_bulk", word);
        }
    CHECK(cudaFree(in));

    CHECK(LAUNCH(announce, 1, 1, 0, 0, results, 16));
    for (int bytes : {0, 32})
        expect_failure(LAUNCH(announce, 1, 1, 0, 0, results, bytes),
                       "bytes that are not as announced", "announce",
                       bytes ? "32 bytes" : "0 bytes");
    static const int odd[][2] = {{0, 64}, {16, 64}, {-1, 64}, {1, 0}, {1, 48}, {1, 96}, {2, -32}};
    for (auto o : odd) {
        char text[80];
        snprintf(text, sizeof text, "group_sync(%d, %d) (", o[0], o[1]);
        for (const char *word : {(const char *)text, "test_device.cu:"})
            expect_failure(LAUNCH(odd_group, 1, 64, 0, 0, results, o[0], o[1]),
                           "a group that cannot be", "odd_group", word);
    }

    expect_failure(LAUNCH(divergent_barrier, 1, 32, 0, 0, results), "a divergent barrier",
                   "divergent_barrier", "test_device.cu:");
    expect_failure(LAUNCH(barrier_against_warp, 1, 32, 0, 0, results), "a barrier against a warp's",
                   "barrier_against_warp", "waits at __syncwarp");
    expect_failure(LAUNCH(lane_outside_mask, 1, 32, 0, 0, results), "a lane outside its mask",
                   "lane_outside_mask", "not in the mask");
    expect_failure(LAUNCH(vote_against_shuffle, 1, 32, 0, 0, results), "a vote against a shuffle",
                   "vote_against_shuffle", "waits at a vote");
    expect_failure(LAUNCH(two_masks, 1, 32, 0, 0, results), "lanes with different masks",
                   "two_masks", "lanes 0x0001ffff");
    expect_failure(LAUNCH(odd_width, 1, 32, 0, 0, results), "a shuffle of width 24", "odd_width",
                   "test_device.cu:");
    float lanes[8], *device_lanes;
    CHECK(cudaMalloc(&device_lanes, sizeof lanes));
    CHECK(LAUNCH(absent_lane, 1, 32, 0, 0, device_lanes));
    CHECK(cudaMemcpy(lanes, device_lanes, sizeof lanes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_lanes));
    EXPECT(std::isnan(lanes[0]) && lanes[5] == 1, "an absent lane gives %g, a present one %g",
           (double)lanes[0], (double)lanes[5]);
    /* a stack that overflows faults; it does not reach the next thread's */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)fclose(stderr);
        (void)LAUNCH(endless_stack, 1, 1, 0, 0, results, 1000);
        _exit(0);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && status != 0, "a stack of 4 MB: %d", status);
    /* more threads that wait at once than there can be stacks */
    child = fork();
    if (child == 0) {
        CHECK(cudaMemset(results, 0, sizeof(int)));
        cudaError_t error = LAUNCH_COOPERATIVE(meet, 31, 1024, 0, 0, results, results + 1);
        _exit(error == cudaErrorLaunchFailure &&
              strstr(cudaGetErrorString(error), "no stack for") &&
              LAUNCH(two_sums, 7, 1024, 0, 0, results) == cudaSuccess);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1,
           "31744 threads that wait at once: %d", status);
    /* and the device works on after each failure */
    CHECK(LAUNCH(fill_dynamic, 2, 64, 227 * 1024, 0, results, 227 * 256));
    EXPECT(fetch(2)[1] == 227 * 384 - 1, "227 KiB of shared memory: %d", fetch(2)[1]);
    CHECK(LAUNCH(scan_shared, 2, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] == 64 * 65 / 2, "a launch after failures: %d", fetch(64)[63]);

    void *memory;
    EXPECT(cudaMalloc(&memory, size_t(1) << 60) == cudaErrorMemoryAllocation, "2^60 bytes");
    float fresh = 0;
    CHECK(cudaMalloc(&memory, 64));
    CHECK(cudaMemcpy(&fresh, memory, sizeof fresh, cudaMemcpyDeviceToHost));
    EXPECT(std::isnan(fresh), "fresh memory is NaN, not %g", (double)fresh);
    CHECK(cudaFree(memory));
}

/* ---- shuffled order ---- */

/* Writes down the number of each thread, or of each block if it has one thread: when it starts, and
 * after a barrier. */
static __global__ void record_order(int *next, int *order)
{
    int number = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    order[atomicAdd(next, 1)] = number;
    __syncthreads();
    if (gridDim.x == 1)
        order[atomicAdd(next, 1)] = number;
}

/* Wrong: thread t reads what t - 1 writes, with no barrier between them. */
static __global__ void no_barrier(int *out)
{
    DYN_SHARED(int, value);
    int t = (int)threadIdx.x;
    value[t] = t > 0 ? value[t - 1] + 1 : 0;
    out[t] = value[t];
}

static void record(int *order, uint64_t seed, int blocks, int threads)
{
    int length = blocks > 1 ? blocks : 2 * threads;
    cpu_device_shuffle(seed);
    CHECK(cudaMemset(results, 0, sizeof(int)));
    CHECK(LAUNCH(record_order, blocks, threads, 0, 0, results, results + 1));
    cpu_device_shuffle(0);
    CHECK(cudaMemcpy(order, results + 1, length * sizeof *order, cudaMemcpyDeviceToHost));
    EXPECT(fetch(1)[0] == length, "%d of %d recorded", fetch(1)[0], length);
}

/* Numbers from 0 to count - 1 that are not there, or not once. */
static int not_once(const int *order, int count)
{
    int times[RESULTS] = {}, wrong = 0;
    for (int i = 0; i < count; i++)
        if (order[i] >= 0 && order[i] < count)
            times[order[i]]++;
    for (int i = 0; i < count; i++)
        wrong += times[i] != 1;
    return wrong;
}

/* Blocks that come so early that of those before them more are missing than can run at once. */
static int too_early(const int *order, int blocks)
{
    int early = 0;
    for (int i = 0; i < blocks; i++)
        early += order[i] > i + 16;
    return early;
}

static void test_shuffle(void)
{
    enum { THREADS = 1000, BLOCKS = 1001 };
    int plain[2 * THREADS], order[2 * THREADS], again[2 * THREADS];
    for (int threads : {1, 2, 3, 32, 96, int(THREADS)}) {
        record(plain, 0, 1, threads);
        int wrong = 0;
        for (int i = 0; i < 2 * threads; i++)
            wrong += plain[i] != i % threads;
        EXPECT(wrong == 0, "not shuffled: %d of %d threads out of order", wrong, threads);
        for (uint64_t seed : {UINT64_C(1), UINT64_C(2), UINT64_MAX}) {
            size_t bytes = threads * sizeof(int);
            record(order, seed, 1, threads);
            record(again, seed, 1, threads);
            EXPECT(not_once(order, threads) == 0 && not_once(order + threads, threads) == 0,
                   "%d threads, shuffled: each once", threads);
            EXPECT(memcmp(order, again, 2 * bytes) == 0, "%d threads: a seed gives two orders",
                   threads);
            if (threads < 32)
                continue;
            EXPECT(memcmp(order, plain, bytes) != 0 && memcmp(order + threads, plain, bytes) != 0 &&
                       memcmp(order, order + threads, bytes) != 0,
                   "%d threads are not shuffled by %llu", threads, (unsigned long long)seed);
            record(again, seed + 2, 1, threads);
            EXPECT(memcmp(order, again, bytes) != 0 &&
                       memcmp(order + threads, again + threads, bytes) != 0,
                   "%d threads: two seeds give the same order", threads);
        }
    }

    record(plain, 0, BLOCKS, 1);
    EXPECT(not_once(plain, BLOCKS) == 0 && too_early(plain, BLOCKS) == 0,
           "not shuffled: %d blocks too early", too_early(plain, BLOCKS));
    for (uint64_t seed : {1, 2, 3}) {
        record(order, seed, BLOCKS, 1);
        EXPECT(not_once(order, BLOCKS) == 0, "%d blocks, shuffled: %d not run once", BLOCKS,
               not_once(order, BLOCKS));
        EXPECT(too_early(order, BLOCKS) > BLOCKS / 10, "%d blocks are not shuffled", BLOCKS);
    }
    for (int blocks = 2; blocks < 70; blocks++) {
        record(order, (uint64_t)blocks, blocks, 1);
        EXPECT(not_once(order, blocks) == 0, "%d blocks, shuffled: %d not run once", blocks,
               not_once(order, blocks));
    }

    CHECK(LAUNCH(no_barrier, 1, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] == 63, "without a barrier, not shuffled: %d", fetch(64)[63]);
    cpu_device_shuffle(1);
    CHECK(LAUNCH(no_barrier, 1, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] != 63, "without a barrier, shuffled: %d", fetch(64)[63]);
    CHECK(cudaMemset(results, 0, sizeof(int)));
    CHECK(LAUNCH(meet, 8, 64, 0, 0, results, results + 1)); /* all 8 at once, on any machine */
    EXPECT(fetch(2)[1] == 8, "8 blocks, shuffled, meet: %d", fetch(2)[1]);

    for (uint64_t seed : {5, 6}) {
        cpu_device_shuffle(seed);
        test_defined();
    }
    cpu_device_shuffle(0);
}

/* Launches from several host threads at once, every other of them failing. */
static void test_host_threads(void)
{
    enum { HOSTS = 4 };
    int wrong[HOSTS] = {}, *out;
    CHECK(cudaMalloc(&out, HOSTS * 4096 * sizeof *out));
    std::thread hosts[HOSTS];
    for (int h = 0; h < HOSTS; h++)
        hosts[h] = std::thread([h, out, &wrong] {
            for (int i = 0; i < 20; i++) {
                int threads = 2 + (101 * h + 37 * i) % 1000, *mine = out + 4096 * h;
                wrong[h] += LAUNCH(two_sums, 4, threads, 0, 0, mine) != cudaSuccess ||
                            mine[4 * threads - 1] != threads;
                cudaError_t error = h % 2 ? LAUNCH(divergent_barrier, 3, 32, 0, 0, mine)
                                          : LAUNCH(lane_outside_mask, 3, 32 + threads, 0, 0, mine);
                const char *name = h % 2 ? "divergent_barrier" : "lane_outside_mask";
                wrong[h] +=
                    error != cudaErrorLaunchFailure || !strstr(cudaGetErrorString(error), name);
            }
        });
    for (int h = 0; h < HOSTS; h++) {
        hosts[h].join();
        EXPECT(wrong[h] == 0, "host thread %d: %d launches wrong", h, wrong[h]);
    }
    CHECK(cudaFree(out));
}

/* ---- out of range: found by the sanitizers, named by the CPU device ---- */

#ifdef ASAN_BUILD
static __global__ void beyond_global(int *out, int n)
{
    __syncthreads();
    if (threadIdx.x == 5)
        out[n] = 1;
}
static __global__ void beyond_dynamic(int *out, int n)
{
    DYN_SHARED(int, value);
    value[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 5)
        out[0] = value[n];
}
static __global__ void beyond_static(int *out, int n)
{
    __shared__ int tile[4][33];
    tile[threadIdx.x % 4][threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 5)
        out[0] = tile[1][n];
}

/* Launch in a child; true when it died and said on stderr which thread it was. */
static bool dies_in(void (*kernel)(int *, int), const char *name, int n)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        int *out;
        CHECK(cudaMalloc(&out, 32 * sizeof *out));
        (void)device_launch(name, false, kernel, 2, 32, 32 * sizeof(int), 0, out, n);
        _exit(0);
    }
    close(ends[1]);
    static char text[65536];
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    char place[80];
    snprintf(place, sizeof place, "in kernel %s, block (", name);
    return status != 0 && strstr(text, place) && strstr(text, "thread (5,0,0)");
}

static void test_out_of_range(void)
{
    EXPECT(dies_in(beyond_global, "beyond_global", 32), "one word beyond an allocation");
    EXPECT(dies_in(beyond_dynamic, "beyond_dynamic", 32), "one word beyond dynamic shared memory");
    EXPECT(dies_in(beyond_static, "beyond_static", 33), "one word beyond a row of shared memory");
}
#endif

/* ---- what a switch costs ---- */

static __global__ void many_barriers(int count)
{
    for (int i = 0; i < count; i++)
        __syncthreads();
}

static void benchmark_switch(void)
{
    enum { THREADS = 256, BARRIERS = 4000 };
    CHECK(LAUNCH(many_barriers, 1, THREADS, 0, 0, 10));
    double begun = clock_ms();
    CHECK(LAUNCH(many_barriers, 1, THREADS, 0, 0, BARRIERS));
    double ns = 1e6 * (clock_ms() - begun) / (double(THREADS) * BARRIERS);
    printf("CPU device: %.0f ns a thread and barrier\n", ns);
    /* about 20 ns; with ucontext 200 */
    EXPECT(ns < 1000, "a switch takes %.0f ns", ns);
}
#endif

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&results, RESULTS * sizeof *results));
    if (argc > 1)
        return test_limits();
    test_limits_read();
    static char command[4200];
    snprintf(command, sizeof command, "DEVICE_LIMITS=t4 '%.4096s' limits >/dev/null", argv[0]);
    EXPECT(system(command) == 0, "of a T4");
    test_defined();
    test_earlier_blocks();
#ifndef __CUDACC__
    test_undefined();
    test_shuffle();
    test_host_threads();
#ifdef ASAN_BUILD
    test_out_of_range();
#endif
    benchmark_switch();
#endif
    CHECK(cudaFree(results));
    return expect_done();
}
