/* Tests what the CPU device does where CUDA leaves the behaviour undefined, and its shuffled order.
 * A part of test_device. */
#include "test_device.h"
#include "timing.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN_BUILD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN_BUILD
#endif
#endif

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
    out[1] = tile[1][0]; /* no thread has waited for the second group */
}

/* The data of bulk copies arrive at the wait for them, when their phase has ended. */
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
    out[2] = mbarrier_passed(&full[1], 0); /* one of the two arrivals is missing */
    out[3] = tile[1][3];
    out[7] = 0;
    bulk_fence();
    bulk_store(out + 4, tile[0], sizeof tile[0]);
    out[8] = out[7];
    bulk_store_wait();
    out[9] = out[7];
    bulk_store(out + 12, tile[0], sizeof tile[0]);
    tile[0][3] = 8; /* an error on purpose: the store may not have read this element yet */
    bulk_store_wait();
}

/* Bulk copies for which no thread waits must not arrive in a later block. */
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

/* Announces `bytes` bytes, and loads 16. */
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

/* Lanes wait at two warp operations in the same source line. */
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

/* Nor must copies whose threads return or fail, in a later block or launch. */
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

/* Expects that a launch of the kernel has failed in block 0, with these words in the message. */
static void expect_failure(cudaError_t error, const char *kernel, const char *word,
                           const char *also = "")
{
    const char *text = cudaGetErrorString(error);
    EXPECT(error == cudaErrorLaunchFailure && strstr(text, kernel) && strstr(text, word) &&
               strstr(text, also) && strstr(text, "block (0,0,0)") && strstr(text, "thread ("),
           "%s gives: %s", kernel, text);
}

static void expect_each(int count, int stride, int expected, const char *what)
{
    const int *out = fetch(count * stride);
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += out[i * stride] != expected;
    EXPECT(wrong == 0, "%s: %d of %d wrong", what, wrong, count);
}

static void test_unwritten(void)
{
    CHECK(LAUNCH(unwritten, 50, 40, 4 * sizeof(double), 0, results));
    expect_each(50, 1, 1, "shared memory is poisoned at the start of a block");
    for (int i = 0; i < 2; i++)
        CHECK(LAUNCH((unwritten_in_template<double>), 1, 8, 0, 0, results));
    EXPECT(fetch(1)[0] == 1, "shared memory of a template is poisoned");
    void *memory;
    EXPECT(cudaMalloc(&memory, size_t(1) << 60) == cudaErrorMemoryAllocation, "2^60 bytes");
    float fresh = 0;
    CHECK(cudaMalloc(&memory, 64));
    CHECK(cudaMemcpy(&fresh, memory, sizeof fresh, cudaMemcpyDeviceToHost));
    EXPECT(std::isnan(fresh), "fresh memory is NaN, not %g", (double)fresh);
    CHECK(cudaFree(memory));
}

static void test_forgotten_copies(const int *in)
{
    EXPECT(LAUNCH(copy_and_leave, 1, 32, 0, 0, in, results, 1) != cudaSuccess, "divergence");
    for (int blocks : {1, 9}) {
        CHECK(LAUNCH(copy_and_leave, blocks, 32, 0, 0, in, results, 0));
        expect_each(32 * blocks, 1, 5, "copies that nobody waited for arrive later");
    }
    expect_failure(LAUNCH(crooked_copy, 1, 1, 0, 0, in, results), "crooked_copy",
                   "test_cpu_device.cu:");
    CHECK(LAUNCH(forgotten_wait, 1, 1, 0, 0, in, results));
    EXPECT(fetch(2)[0] == 7 && fetch(2)[1] == -1, "copies: waited for %d, not waited for %d",
           fetch(2)[0], fetch(2)[1]);
}

static void test_bulk_copies(const int *in)
{
    CHECK(LAUNCH(early_looks, 1, 1, 0, 0, in, results));
    const int *out = fetch(16);
    EXPECT(out[0] == -1 && out[1] == 7, "a bulk load: %d before its wait, %d after", out[0],
           out[1]);
    EXPECT(out[2] == 0 && out[3] == -1, "a bulk load in a phase that goes on: %d", out[3]);
    EXPECT(out[8] == 0 && out[9] == 7, "a bulk store: %d before its wait, %d after", out[8],
           out[9]);
    EXPECT(out[15] == 8, "a bulk store of an element that is written before the wait: %d", out[15]);
    EXPECT(LAUNCH(bulk_and_leave, 1, 1, 0, 0, in, results, 1) != cudaSuccess, "a crooked load");
    CHECK(LAUNCH(bulk_and_leave, 50, 1, 0, 0, in, results, 0));
    expect_each(50, 4, 5, "bulk copies that nobody waited for arrive later");
    static const int crooked[][3] = {{1, 0, 16}, {0, 1, 16}, {0, 0, 8}, {0, 0, 4}};
    for (auto c : crooked)
        for (int thread = 1; thread <= 2; thread++) {
            char text[80];
            snprintf(text, sizeof text, "thread (%d,0,0): %s of %d bytes is not aligned", thread,
                     thread == 1 ? "bulk_load" : "bulk_store", c[2]);
            expect_failure(LAUNCH(crooked_bulk, 1, 3, 0, 0, in, results, thread, c[0], c[1], c[2]),
                           "crooked_bulk", text, "test_cpu_device.cu:");
        }
    RUN(announce, 1, 1, 16);
    for (int bytes : {0, 32})
        expect_failure(LAUNCH(announce, 1, 1, 0, 0, results, bytes), "announce",
                       bytes ? "32 bytes" : "0 bytes");
}

static void test_wrong_barriers(void)
{
    static const int odd[][2] = {{0, 64}, {16, 64}, {-1, 64}, {1, 0}, {1, 48}, {1, 96}, {2, -32}};
    for (auto o : odd) {
        char text[80];
        snprintf(text, sizeof text, "group_sync(%d, %d) (", o[0], o[1]);
        expect_failure(LAUNCH(odd_group, 1, 64, 0, 0, results, o[0], o[1]), "odd_group", text,
                       "test_cpu_device.cu:");
    }
    static const struct {
        void (*kernel)(int *);
        const char *name, *word;
    } faults[] = {{divergent_barrier, "divergent_barrier", "test_cpu_device.cu:"},
                  {barrier_against_warp, "barrier_against_warp", "waits at __syncwarp"},
                  {lane_outside_mask, "lane_outside_mask", "not in the mask"},
                  {vote_against_shuffle, "vote_against_shuffle", "waits at a vote"},
                  {two_masks, "two_masks", "lanes 0x0001ffff"},
                  {odd_width, "odd_width", "test_cpu_device.cu:"}};
    for (const auto &f : faults)
        expect_failure(device_launch(f.name, false, f.kernel, 1, 32, 0, NULL, results), f.name,
                       f.word);
    float lanes[8], *device_lanes;
    CHECK(cudaMalloc(&device_lanes, sizeof lanes));
    CHECK(LAUNCH(absent_lane, 1, 32, 0, 0, device_lanes));
    CHECK(cudaMemcpy(lanes, device_lanes, sizeof lanes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_lanes));
    EXPECT(std::isnan(lanes[0]) && lanes[5] == 1, "an absent lane gives %g, a present one %g",
           (double)lanes[0], (double)lanes[5]);
}

/* The status of a child process that calls the function, and in text[size] its stderr. */
template <class Function> static int status_of(Function child_main, char *text, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        _exit(child_main());
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_stacks(void)
{
    static char text[65536];
    /* A stack that overflows must end the program before it reaches the stack of another thread. */
    auto overflow = [] { return LAUNCH(endless_stack, 1, 1, 0, 0, results, 1000), 0; };
    int status = status_of(overflow, text, sizeof text);
    EXPECT(status != 0, "a stack of 4 MB: %d", status);
    /* If there are not enough stacks, the launch must fail, and the next one must work. */
    auto crowd = [] {
        CHECK(cudaMemset(results, 0, sizeof(int)));
        cudaError_t error = LAUNCH_COOPERATIVE(meet, 31, 1024, 0, 0, results, results + 1);
        return error == cudaErrorLaunchFailure &&
               strstr(cudaGetErrorString(error), "no stack for") &&
               LAUNCH(two_sums, 7, 1024, 0, 0, results) == cudaSuccess;
    };
    EXPECT(status_of(crowd, text, sizeof text) == 1, "31744 threads that wait at once");
}

static void test_undefined(void)
{
    int *in, seven[4] = {7, 7, 7, 7};
    CHECK(cudaMalloc(&in, sizeof seven));
    CHECK(cudaMemcpy(in, seven, sizeof seven, cudaMemcpyHostToDevice));
    test_unwritten();
    test_forgotten_copies(in);
    test_bulk_copies(in);
    test_wrong_barriers();
    test_stacks();
    CHECK(cudaFree(in));
    /* After all these failures the device must still work. */
    CHECK(LAUNCH(fill_dynamic, 2, 64, 227 * 1024, 0, results, 227 * 256));
    EXPECT(fetch(2)[1] == 227 * 384 - 1, "227 KiB of shared memory: %d", fetch(2)[1]);
    CHECK(LAUNCH(scan_shared, 2, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] == 64 * 65 / 2, "a launch after failures: %d", fetch(64)[63]);
}

/* ---- waits that can never end ---- */

static __global__ void group_lacks_a_warp(int *)
{
    if (threadIdx.x < 32)
        group_sync(1, 64);
    else
        __syncthreads();
}

static __global__ void barrier_lacks_an_arrival(int *)
{
    __shared__ uint64_t full;
    mbarrier_init(&full, 2);
    mbarrier_arrive(&full);
    mbarrier_wait(&full, 0);
}

static __global__ void flag_is_never_set(int *flags)
{
    while (load_acquire(flags) == 0)
        device_pause();
}

/* Tries to take a lock that nobody gives back. */
static __global__ void lock_is_never_free(int *flags)
{
    atomicExch(flags + 1, 1);
    while (atomicExch(flags + 1, 1) == 1)
        device_pause();
}

/* Blocks start in order, so the first ones wait while the last ones cannot start. */
static __global__ void waits_for_the_next_block(int *flags)
{
    while (blockIdx.x + 1 < gridDim.x && load_acquire(flags + 2 + blockIdx.x + 1) == 0)
        device_pause();
    store_release(flags + 2 + blockIdx.x, 1);
}

/* A barrier of the grid at which the last block never arrives. */
static __global__ void grid_lacks_a_block(int *flags)
{
    if (blockIdx.x == gridDim.x - 1)
        return;
    atomicAdd(flags + 1, 1);
    while (load_acquire(flags + 1) < (int)gridDim.x)
        device_pause();
}

/* Block 1 waits three seconds for block 0. This wait ends. */
static __global__ void long_wait(int *flags)
{
    if (blockIdx.x == 0) {
        for (double begun = clock_ms(); clock_ms() < begun + 3000;)
            ;
        *(volatile int *)(flags + 1) = 1;
    } else {
        while (load_acquire(flags + 1) == 0)
            device_pause();
    }
}

static void test_endless_waits(void)
{
    static const struct {
        void (*kernel)(int *);
        bool cooperative;
        int blocks, threads;
        const char *wait;
    } tests[] = {
        {group_lacks_a_warp, false, 1, 64, "waits at group_sync"},
        {group_lacks_a_warp, false, 1, 64, "waits at __syncthreads"},
        {barrier_lacks_an_arrival, false, 1, 1, "waits at mbarrier_wait"},
        {flag_is_never_set, false, 3, 64, "waits at device_pause"},
        {lock_is_never_free, false, 1, 1, "waits at device_pause"},
        {waits_for_the_next_block, false, 100, 1, "waits at device_pause"},
        {grid_lacks_a_block, true, 4, 1, "waits at device_pause"},
        {long_wait, false, 2, 1, NULL},
    };
    enum { TESTS = sizeof tests / sizeof *tests };
    cudaError_t errors[TESTS];
    std::string texts[TESTS];
    std::thread hosts[TESTS]; /* all at the same time, because each takes seconds */
    double begun = clock_ms();
    for (int i = 0; i < TESTS; i++)
        hosts[i] = std::thread([i, &errors, &texts] {
            int *flags;
            CHECK(cudaMalloc(&flags, 102 * sizeof *flags));
            CHECK(cudaMemset(flags, 0, 102 * sizeof *flags));
            errors[i] = device_launch("k", tests[i].cooperative, tests[i].kernel, tests[i].blocks,
                                      tests[i].threads, 0, NULL, flags);
            texts[i] = cudaGetErrorString(errors[i]);
            CHECK(cudaFree(flags));
        });
    for (int i = 0; i < TESTS; i++) {
        hosts[i].join();
        const char *text = texts[i].c_str(), *wait = tests[i].wait;
        if (wait)
            EXPECT(errors[i] == cudaErrorLaunchFailure && strstr(text, "kernel k, block (") &&
                       strstr(text, "thread (") && strstr(text, "which can never end") &&
                       strstr(text, wait) && strstr(text, "test_cpu_device.cu:"),
                   "endless wait %d gives: %s", i, text);
        else
            EXPECT(errors[i] == cudaSuccess, "a wait of three seconds gives: %s", text);
    }
    EXPECT(clock_ms() - begun < 30e3, "endless waits ended after %.0f ms", clock_ms() - begun);
}

/* ---- shuffled order ---- */

/* Records the order in which threads start, as a list of their numbers, which are those of the
 * blocks if these have one thread; and for one block the order in which they leave a barrier. */
static __global__ void record_order(int *next, int *order)
{
    int number = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    order[atomicAdd(next, 1)] = number;
    __syncthreads();
    if (gridDim.x == 1)
        order[atomicAdd(next, 1)] = number;
}

/* Wrong: thread t reads what thread t - 1 writes, with no barrier between them. */
static __global__ void no_barrier(int *out)
{
    DYN_SHARED(int, value);
    int t = (int)threadIdx.x;
    value[t] = t > 0 ? value[t - 1] + 1 : 0;
    out[t] = value[t];
}

/* Returns what record_order() records. Each number must occur once (twice with one block). */
static std::vector<int> record(uint64_t seed, int blocks, int threads)
{
    int count = blocks * threads, length = blocks > 1 ? count : 2 * count;
    std::vector<int> order(length), times(count);
    cpu_device_shuffle(seed);
    CHECK(cudaMemset(results, 0, sizeof(int)));
    RUN(record_order, blocks, threads, results + 1);
    cpu_device_shuffle(0);
    CHECK(cudaMemcpy(order.data(), results + 1, length * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(fetch(1)[0] == length, "%d of %d recorded", fetch(1)[0], length);
    for (int i = 0; i < length; i++)
        if (order[i] >= 0 && order[i] < count)
            times[order[i]] += i < count ? 1 : 2;
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += times[i] != (blocks > 1 ? 1 : 3);
    EXPECT(wrong == 0, "%d of %d are not there once, shuffled by %llu", wrong, count,
           (unsigned long long)seed);
    return order;
}

/* Returns how many blocks start while more than 16 blocks with smaller numbers have not started
 * yet. Without shuffling blocks start in order, at most 16 (CORES_MOST) at the same time. */
static int too_early(const std::vector<int> &order)
{
    int early = 0;
    for (int i = 0; i < (int)order.size(); i++)
        early += order[i] > i + 16;
    return early;
}

static void test_shuffled_threads(void)
{
    for (int threads : {1, 2, 3, 32, 96, 1000}) {
        size_t bytes = threads * sizeof(int);
        auto differ = [=](const int *a, const int *b) { return memcmp(a, b, bytes) != 0; };
        std::vector<int> plain = record(0, 1, threads);
        int wrong = 0;
        for (int i = 0; i < 2 * threads; i++)
            wrong += plain[i] != i % threads;
        EXPECT(wrong == 0, "not shuffled: %d of %d threads out of order", wrong, threads);
        for (uint64_t seed : {UINT64_C(1), UINT64_C(2), UINT64_MAX}) {
            std::vector<int> order = record(seed, 1, threads), other = record(seed + 2, 1, threads);
            const int *start = order.data(), *end = start + threads;
            EXPECT(order == record(seed, 1, threads), "%d threads: a seed gives two orders",
                   threads);
            EXPECT(threads < 32 || (differ(start, plain.data()) && differ(end, plain.data()) &&
                                    differ(start, end) && differ(start, other.data()) &&
                                    differ(end, other.data() + threads)),
                   "%d threads are not shuffled by %llu", threads, (unsigned long long)seed);
        }
    }
}

static void test_shuffle(void)
{
    enum { BLOCKS = 1001 };
    test_shuffled_threads();
    EXPECT(too_early(record(0, BLOCKS, 1)) == 0, "blocks that are not shuffled start too early");
    for (uint64_t seed : {1, 2, 3})
        EXPECT(too_early(record(seed, BLOCKS, 1)) > BLOCKS / 10, "blocks are not shuffled");
    for (int blocks = 2; blocks < 70; blocks++)
        record((uint64_t)blocks, blocks, 1);

    CHECK(LAUNCH(no_barrier, 1, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] == 63, "without a barrier, not shuffled: %d", fetch(64)[63]);
    cpu_device_shuffle(1);
    CHECK(LAUNCH(no_barrier, 1, 64, 64 * sizeof(int), 0, results));
    EXPECT(fetch(64)[63] != 63, "without a barrier, shuffled: %d", fetch(64)[63]);
    CHECK(cudaMemset(results, 0, sizeof(int)));
    /* The blocks wait for each other, so they can end only if each has an OS thread of its own. */
    RUN(meet, 8, 64, results + 1);
    EXPECT(fetch(2)[1] == 8, "8 blocks, shuffled, meet: %d", fetch(2)[1]);

    for (uint64_t seed : {5, 6}) {
        cpu_device_shuffle(seed);
        test_defined();
    }
    cpu_device_shuffle(0);
}

/* Launches kernels from several host threads at the same time. Every other launch must fail. */
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

/* Returns whether a process that launches the kernel dies, and names kernel and thread 5. */
static bool dies_in(void (*kernel)(int *, int), const char *name, int n)
{
    static char text[65536];
    auto launch = [=] {
        int *out;
        CHECK(cudaMalloc(&out, 32 * sizeof *out));
        (void)device_launch(name, false, kernel, 2, 32, 32 * sizeof(int), 0, out, n);
        return 0;
    };
    std::string place = std::string("in kernel ") + name + ", block (";
    return status_of(launch, text, sizeof text) != 0 && strstr(text, place.c_str()) &&
           strstr(text, "thread (5,0,0)");
}

static void test_out_of_range(void)
{
    EXPECT(dies_in(beyond_global, "beyond_global", 32), "one element beyond an allocation");
    EXPECT(dies_in(beyond_dynamic, "beyond_dynamic", 32), "beyond dynamic shared memory");
    EXPECT(dies_in(beyond_static, "beyond_static", 33), "beyond a row of shared memory");
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
    /* A switch usually takes about 20 ns, or about 200 ns in builds that switch by ucontext. */
    EXPECT(ns < 1000, "a switch takes %.0f ns", ns);
}

void test_cpu_device(void)
{
    test_undefined();
    test_endless_waits();
    test_shuffle();
    test_host_threads();
#ifdef ASAN_BUILD
    test_out_of_range();
#endif
    benchmark_switch();
}
