/* Tests of behaviour that CUDA defines, on a GPU and on the CPU device. What it leaves undefined is
 * tested in test_cpu_device.cu. */
#include "device_program.h"
#include "problems.h"
#include "test_device.h"

#include <initializer_list>

int *results;

const int *fetch(int count)
{
    static int host[RESULTS];
    CHECK(cudaMemcpy(host, results, count * sizeof *host, cudaMemcpyDeviceToHost));
    return host;
}

static void zero(int count)
{
    CHECK(cudaMemset(results, 0, count * sizeof *results));
}

/* Expects that result i is expected(i), for each i below `count`. */
template <class Expected>
static void expect_results(const char *what, int number, int count, Expected expected)
{
    const int *out = fetch(count);
    int wrong = 0, last = 0;
    for (int i = 0; i < count; i++)
        if (out[i] != expected(i)) {
            wrong++;
            last = i;
        }
    EXPECT(wrong == 0, "%s %d: %d wrong, the last one is %d: %d", what, number, wrong, last,
           out[last]);
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

/* Each thread changes the argument. The change must not affect the argument of other threads. */
static __global__ void struct_argument(struct coefficients c, int *out)
{
    c.term[0] += threadIdx.x;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < c.count; i++)
        sum += c.term[i];
    out[threadIdx.x] = (int)sum;
}

static void test_launches(void)
{
    RUN(write_indices, dim3(2, 3, 2), dim3(4, 2, 3));
    auto index = [](int i) {
        int t = i % 24, b = i / 24;
        return t % 4 + 10 * (t / 4 % 2) + 100 * (t / 8) + 1000 * (b % 2) + 10000 * (b / 2 % 3) +
               100000 * (b / 6);
    };
    expect_results("3-D launch: indices", 0, 2 * 3 * 2 * 24, index);
    RUN(write_indices, 64, 1024);
    expect_results("indices, threads", 1024, RESULTS,
                   [](int i) { return i % 1024 + 1000 * (i / 1024); });

    struct coefficients c = {};
    for (int i = 0; i < 100; i++)
        c.term[i] = i;
    c.count = 100;
    CHECK(LAUNCH(struct_argument, 1, 64, 0, 0, c, results));
    expect_results("a struct as argument", 0, 64, [](int t) { return 4950 + t; });

    for (int kib : {0, 1, 48, 64}) {
        int count = kib * 256, sum = count ? count - 1 + count / 2 : -1;
        CHECK(LAUNCH(fill_dynamic, 3, 96, kib * 1024, 0, results, count));
        expect_results("KiB of shared memory", kib, 3, [=](int) { return sum; });
    }
    EXPECT(LAUNCH(fill_dynamic, 1, 32, 227 * 1024 + 1, 0, results, 0) != cudaSuccess,
           "more than 227 KiB of shared memory");
    static const int refused[][2] = {{1, 2048}, {1, 0}, {0, 32}};
    for (const int *r : refused)
        EXPECT(LAUNCH(write_indices, r[0], r[1], 0, 0, results) != cudaSuccess,
               "%d blocks of %d threads", r[0], r[1]);
    (void)cudaDeviceSynchronize();

    int processors;
    struct cudaDeviceProp properties;
    CHECK(device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(processors > 0 && processors == properties.multiProcessorCount, "%d multiprocessors",
           processors);
}

/* ---- a smaller device ---- */

static void test_limits_read(void)
{
    static const struct {
        const char *text;
        int shared, multiprocessors, threads, carveout;
        bool plain;
    } cases[] = {{NULL, 0, 0, 0, 0, false},
                 {"t4", 65536, 40, 1024, 0, true},
                 {"rtx4090", 101376, 128, 1536, 0, true},
                 {"a100", 166912, 108, 2048, 0, true},
                 {"t4,multiprocessors=4", 65536, 4, 1024, 0, true},
                 {"shared=65536", 65536, 0, 0, 0, false},
                 {"multiprocessors=7", 0, 7, 0, 0, false},
                 {"shared=65536,multiprocessors=40", 65536, 40, 0, 0, false},
                 {"carveout=100", 0, 0, 0, 100, false},
                 {"threads=1536,shared=99999", 99999, 0, 1536, 0, false}};
    for (const auto &c : cases) {
        struct device_limits l = device_limits_read(c.text);
        EXPECT(!l.wrong && l.shared == c.shared && l.multiprocessors == c.multiprocessors &&
                   l.threads == c.threads && l.carveout == c.carveout && l.plain == c.plain,
               "DEVICE_LIMITS=%s: %d bytes, %d multiprocessors of %d threads", c.text, l.shared,
               l.multiprocessors, l.threads);
    }
    for (const char *text : {"", "T4", "t4,", ",t4", "t4 ", "t", "h100", "shared",
                             "shared=", "shared=x", "shared=65536,", "shared= 65536", "shared=64K",
                             "shared=65535", "shared=-65536", "multiprocessors=0", "threads=1023",
                             "shared=99999999999999999999", "shared=65536;multiprocessors=40"}) {
        struct device_limits l = device_limits_read(text);
        EXPECT(l.wrong && l.shared == 0 && l.multiprocessors == 0 && l.threads == 0,
               "DEVICE_LIMITS=%s is taken for a limit", text);
    }
    static const int fitting[][3] = {{1024, 0, 40}, {512, 1, 80}, {32, 65536, 40},
                                     {32, 0, 640},  {33, 0, 640}, {513, 0, 40}};
    struct device_limits t4 = device_limits_read("t4");
    for (const int *f : fitting)
        EXPECT(device_limits_blocks(&t4, f[0], f[1]) == f[2], "blocks of %d threads on a T4", f[0]);
}

static __global__ void meet_others(int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(out, 1);
        while (load_acquire(out) < (int)gridDim.x)
            device_pause();
    }
}

/* main() starts a second process with DEVICE_LIMITS=t4, which runs this test. */
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
        zero(1);
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

/* More values than a CPU has registers are needed again after barriers. */
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

/* The two halves of a block use different barriers. The first half must pass its barrier in all
 * rounds while a thread of the second half spins until the first half sets the flag. */
static __global__ void two_paces(int *flag, int *out)
{
    __shared__ int value[2][64];
    int half = threadIdx.x / 64, rank = threadIdx.x % 64, wrong = 0;
    if (half == 1 && rank == 63)
        while (load_acquire(flag) == 0)
            device_pause();
    __syncwarp(); /* all lanes of a warp must call group_sync together */
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

/* First 64 threads wait at a barrier, then 32 threads at the same barrier, then all threads. */
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
    __syncthreads(); /* needed before group_sync is called for another number of threads */
    if (t < 32) {
        atomicAdd(&sum, 1);
        group_sync(1, 32);
        out[t] = sum;
    }
    __syncthreads();
    group_sync(1, (int)blockDim.x);
    out[128 + t] = sum;
}

/* mbarrier_passed for both parities after 0, 1, 2 … arrivals of three in each phase. */
static __global__ void parities(int *out)
{
    __shared__ uint64_t barrier;
    mbarrier_init(&barrier, 3);
    for (int arrivals = 0; arrivals < 10; arrivals++) {
        out[arrivals] = mbarrier_passed(&barrier, 0) + 2 * mbarrier_passed(&barrier, 1);
        mbarrier_arrive(&barrier);
    }
}

/* In each phase 96 threads write a buffer, and then the other 32 threads read it. */
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
    zero(1);
    RUN(two_paces, 1, 128, results + 1);
    expect_results("groups of different pace", 0, 129, [](int i) { return i == 0; });
    zero(128);
    RUN(group_sizes, 1, 128);
    auto arrived = [](int i) { return i < 32 || i >= 128 ? 96 : i < 64 ? 64 : 0; };
    expect_results("one barrier for 64, 32 and 128 threads", 0, 256, arrived);
    RUN(parities, 1, 1);
    expect_results("parities", 0, 10, [](int arrivals) { return arrivals / 3 % 2 ? 1 : 2; });
    for (int phases : {0, 1, 2, 21}) {
        RUN(fill_and_empty, 1, 128, phases);
        auto sum = [=](int t) {
            return t < 96 ? 0 : phases * (phases - 1) / 2 * (9 * (t - 96) + 3);
        };
        expect_results("phases", phases, 128, sum);
    }
}

static void test_barriers(void)
{
    for (int threads : {1, 2, 31, 32, 33, 256, 1000, 1024}) {
        CHECK(LAUNCH(scan_shared, 5, threads, threads * sizeof(int), 0, results));
        auto sum = [=](int i) { return (i % threads + 1) * (i % threads + 2) / 2; };
        expect_results("scan, threads", threads, 5 * threads, sum);
    }
    for (int stay : {1, 31, 64, 100}) {
        zero(128);
        RUN(early_return, 1, 128, stay);
        expect_results("early return, threads", stay, 128,
                       [=](int t) { return t < stay ? stay : 0; });
    }
    /* A launch must not see the state of an earlier one, so the number of threads changes. */
    for (int threads : {1024, 1, 33, 1000, 40}) {
        RUN(two_sums, 7, threads);
        expect_results("two sums, threads", threads, 7 * threads, [=](int) { return threads; });
    }
    double host[24], *start;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    CHECK(cudaMalloc(&start, sizeof host));
    CHECK(cudaMemcpy(start, host, sizeof host, cudaMemcpyHostToDevice));
    RUN(registers, 1, 96, start);
    CHECK(cudaFree(start));
    expect_results("values lost at barriers", 0, 96, [](int) { return 0; });
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
    /* Lanes 0 to 6 have returned. They count as arrived, and their vote is 0. */
    out[64 + t] = (int)__ballot_sync(0xffffffffu, 1);
    out[96 + t] = __any_sync(0xffffffffu, t == 9) + 2 * __all_sync(0xffffffffu, t != 40);
}

/* Sums over warps, in blocks of 1 to 3 dimensions. The last warp may be smaller. */
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

/* In each round one more lane returns, and the remaining lanes vote. */
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

/* Three groups of lanes synchronize in three branches. Then all lanes synchronize together. */
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

/* The highest bit for __clz, and the lowest for __ffs, is t; thread 32 calls both for 0. */
static __global__ void count_bits(int *out)
{
    int t = threadIdx.x;
    unsigned bit = t < 32 ? 1u << t : 0;
    out[2 * t] = __clz((int)(bit ? bit | (bit - 1) : 0));
    out[2 * t + 1] = __ffs((int)(bit | (bit << 1)));
}

static void test_shuffles(void)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int k = 0; k < 32; k++) {
            RUN(shuffles, 1, 64, width, k);
            auto expected = [=](int i) {
                /* Lanes base to last are one segment, as PTX defines it. */
                int t = i / 4, base = t / width * width, last = base + width - 1;
                int lane[4] = {base + k % width, t - k >= base ? t - k : t,
                               t + k <= last ? t + k : t, (t ^ k) <= last ? t ^ k : t};
                return lane[i % 4];
            };
            expect_results("shuffles of width", width, 256, expected);
        }
    RUN(shuffle_types, 1, 32);
    expect_results("shuffles of double, long long and float", 0, 32, [](int) { return 1; });
}

static void test_warps(void)
{
    RUN(half_warps, 1, 32);
    const int *out = fetch(128);
    EXPECT(out[1] == (int)0xaaaa0000u && out[31] == out[1] && out[0] == 6 && out[30] == 6,
           "half warps: ballot 0x%x, shuffle %d", out[1], out[0]);
    EXPECT(out[32] == out[1] && out[33] == 6, "__syncwarp between writes and reads");
    EXPECT(out[64 + 7] == (int)0xffffff80u, "ballot without returned lanes: 0x%x", out[64 + 7]);
    EXPECT(out[96 + 31] == 3, "any and all: %d", out[96 + 31]);

    for (dim3 threads : {dim3(33), dim3(40), dim3(1000), dim3(5, 7), dim3(5, 7, 3)}) {
        RUN(warp_sums, 1, threads);
        int count = threads.x * threads.y * threads.z;
        auto sum = [=](int warp) {
            int first = 32 * warp, end = first + 32 < count ? first + 32 : count;
            return (end - first) * (first + end - 1) / 2;
        };
        expect_results("warp sums, threads", count, (count + 31) / 32, sum);
    }
    RUN(leave_one_by_one, 1, 32);
    out = fetch(64);
    EXPECT(out[31] == INT32_MIN && out[30] == INT32_MIN / 2 && out[32 + 31] == 30,
           "votes while lanes return: 0x%x 0x%x, round %d", out[31], out[30], out[32 + 31]);
    RUN(groups, 1, 32);
    out = fetch(64);
    EXPECT(out[0] == 0xaaa && out[12] == 13 && out[20] == 1 && out[32 + 31] == 0xaaa &&
               out[32] == 1,
           "three groups of lanes: 0x%x %d %d", out[0], out[12], out[20]);
    RUN(count_bits, 1, 33);
    auto bits = [](int i) { return i % 2 ? (i / 2 + 1) % 33 : i == 64 ? 32 : 31 - i / 2; };
    expect_results("__clz and __ffs", 0, 66, bits);
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
    int seen = atomicCAS(&out[3], 0, i + 1); /* exactly one thread gets 0 as the old value */
    if (seen == 0)
        atomicAdd(&out[4], 1);
    out[8 + i] = atomicExch(&out[5], i + 1); /* every value is returned exactly once */
    atomicAdd(&out[6], 1 << 30);             /* 4 additions wrap round to 0 */
    atomicAdd(dsum, 1);                      /* the int 1 is converted to double */
}

/* Block k waits until the flag shows that block k - 1 is done. Then it adds k to the value. */
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

/* Each block sends numbers to the next. A message contains a tag instead of a flag. */
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

static void test_between_blocks(void)
{
    struct sums {
        unsigned long long count;
        double dsum;
        float sum;
    } host, *sums;
    CHECK(cudaMalloc(&sums, sizeof host));
    CHECK(cudaMemset(sums, 0, sizeof host));
    zero(8);
    int n = 40 * 100;
    RUN(atomics, 40, 100, &sums->sum, &sums->dsum, &sums->count);
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
        zero(1);
        CHECK(LAUNCH_COOPERATIVE(meet, blocks, 64, 0, 0, results, results + 1));
        expect_results("cooperative blocks", blocks, 1 + blocks * 64, [=](int) { return blocks; });
    }
}

/* Blocks that wait for earlier ones must not run in a shuffled order. */
static void test_earlier_blocks(void)
{
    zero(2);
    RUN(chain, 200, 33, results + 1);
    EXPECT(fetch(2)[1] == 200 * 199 / 2, "a chain of 200 blocks: %d", fetch(2)[1]);

    uint64_t host[3 * (RELAY + 1)], *messages; /* first the pairs, then the single words */
    CHECK(cudaMalloc(&messages, sizeof host));
    CHECK(cudaMemset(messages, 0, sizeof host));
    CHECK(LAUNCH(relay, RELAY, 32, 0, 0, messages + 2 * (RELAY + 1), messages));
    CHECK(cudaMemcpy(host, messages, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(messages));
    int wrong = 0;
    for (uint64_t k = 0; k < RELAY; k++) {
        uint64_t sum = ((uint64_t)TAG << 32) + k * (k + 1) / 2;
        wrong += host[2 * (RELAY + 1) + k + 1] != sum || host[2 * k + 2] != sum ||
                 host[2 * k + 3] != sum + k * (k + 1) / 2 + 7;
    }
    EXPECT(wrong == 0, "tagged messages through %d blocks: %d wrong", RELAY, wrong);
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

/* In each of two phases two bulk loads fill a buffer, and a bulk store empties it. */
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
    auto copied = [=](int t) {
        return t < 32 ? 1000 + 4 * (31 - t) + 1
                      : 2000 + 4 * (32 + 63 - t) + 2 + 4 * (64 + 63 - t) + 3;
    };
    expect_results("asynchronous copies in three groups", 0, 64, copied);
    CHECK(LAUNCH(bulk_copies, 1, 2 * PIECE, 0, 0, in, results));
    expect_results("bulk copies", 0, 4 * PIECE, [](int i) { return 2 * (1000 + i); });
    CHECK(cudaFree(in));
}

/* Copies and poisons arrays: large ones, for which all cores work, and smaller ones. */
static void test_program_copies(void)
{
    for (size_t bytes : {(size_t)1000, ((size_t)1 << 26) - 1, ((size_t)5 << 24) + 12345}) {
        struct memory memory = {};
        unsigned char *given = (unsigned char *)memory_host(&memory, bytes + 1),
                      *copy = (unsigned char *)memory_host(&memory, bytes + 1);
        void *device = memory_device(&memory, bytes);
        struct random r = {bytes};
        for (size_t i = 0; i < bytes; i++)
            given[i] = (unsigned char)(i % 8 == 0 ? random_bits(&r) : given[i - 1] + 1);
        copy[bytes] = 7;
        for (int again = 0; again < 2; again++) {
            device_upload(device, given, bytes);
            host_poison(copy, bytes);
            EXPECT(copy[0] == 0xff && memcmp(copy, copy + 1, bytes - 1) == 0, "%zu bytes of 0xff",
                   bytes);
            device_download(copy, device, bytes);
            EXPECT(memcmp(copy, given, bytes) == 0, "%zu bytes to the device and back", bytes);
            given[bytes / 2]++;
        }
        host_copy(copy, given, bytes);
        EXPECT(memcmp(copy, given, bytes) == 0 && copy[bytes] == 7, "%zu bytes copied", bytes);
        memory_free(&memory);
    }
}

/* ---- times ---- */

#ifdef __CUDACC__

static __global__ void spin(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;)
        ;
}

struct timed {
    int host_ms;      /* the host takes so long in a call */
    long long cycles; /* the kernel takes at least so many */
    bool waits;
    const char *timer; /* is in the name of its timer */
    double least_ms, most_ms;
};

static cudaError_t timed_work(void *ctx, cudaStream_t stream)
{
    const struct timed *work = (const struct timed *)ctx;
    for (double begun = clock_ms(); clock_ms() - begun < work->host_ms;)
        ;
    TRY(LAUNCH(spin, 1, 1, 0, stream, work->cycles));
    return work->waits ? cudaStreamSynchronize(stream) : cudaSuccess;
}

/* What the host does in a call of a short work is not timed, unless the work waits for the GPU. */
static void test_times(void)
{
    const struct timed works[] = {
        {0, 100, false, "graph", 1e-4, 0.1},  {1, 100, false, "graph", 1e-4, 0.1},
        {0, 1000000, false, "graph", 0.3, 5}, {1, 1000000, false, "graph", 0.3, 5},
        {1, 100, true, "events", 0.5, 10},    {0, 50000000, false, "events", 15, 500},
    };
    for (struct timed work : works) {
        struct timing t;
        CHECK(time_device(NULL, timed_work, &work, 5, &t));
        EXPECT(strstr(t.timer, work.timer) && t.median_ms >= work.least_ms &&
                   t.median_ms <= work.most_ms,
               "host %d ms, kernel %lld cycles, waits %d: timer %s, %g ms", work.host_ms,
               work.cycles, work.waits, t.timer, t.median_ms);
    }
}

#endif

void test_defined(void)
{
    test_program_copies();
    test_launches();
    test_barriers();
    test_groups();
    test_shuffles();
    test_warps();
    test_between_blocks();
    test_copies();
}

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
#ifdef __CUDACC__
    test_times();
#else
    test_cpu_device();
#endif
    CHECK(cudaFree(results));
    return expect_done();
}
