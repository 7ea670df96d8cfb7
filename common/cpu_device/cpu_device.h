/* The CPU device: the part of CUDA C that this project's kernels use, for g++ and clang++. device.h
 * includes it in CPU builds; nobody else does.
 *
 * One OS thread runs a block. Each of the block's threads is a fibre with a stack of its own, and a
 * barrier switches to the next fibre without a system call. A thread that meets no barrier is a
 * plain function call.
 *
 * There are as many OS threads as cores (16 at most). They take the blocks in order of index, so a
 * block may wait for an earlier one. In a cooperative launch every block has an OS thread, so all
 * blocks may wait for each other. Threads of a block take turns in order of index.
 * cpu_device_shuffle changes both orders, for tests. A thread that waits in a loop calls
 * device_pause() in it.
 *
 * Behaviour that a GPU leaves undefined is made visible. Shared memory and fresh allocations are
 * filled with NaN; a shuffle from an absent lane gives NaN; an asynchronous copy arrives at its
 * wait and not before. Barriers that cannot complete, wrong masks and widths, and copies that are
 * not aligned end the launch with cudaErrorLaunchFailure. cudaGetErrorString, in the host thread
 * that launched, then names kernel, block, thread and source line. */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

/* ---- the runtime (runtime.c): same names and meaning as CUDA's ---- */

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

typedef struct cpu_stream *cudaStream_t; /* always NULL: every call has ended when it returns */
typedef struct cpu_event *cudaEvent_t;

struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
    size_t totalGlobalMem;
};

struct cpu_dim3 {
    unsigned x, y, z;
};

/* A thread of a block. The kernel sees only its index. */
struct cpu_thread {
    struct cpu_dim3 index;
    struct cpu_block *block;
    struct cpu_fibre *fibre;
    enum { CPU_NEW, CPU_RUNNING, CPU_AT_BARRIER, CPU_AT_WARP, CPU_DONE } state;
    const char *file; /* the barrier or warp operation where it waits */
    int line;
    int operation; /* enum cpu_warp_operation; its arguments follow */
    unsigned mask;
    int source;     /* lane that a shuffle reads */
    uint64_t value; /* what the thread gives, then the result */
    struct cpu_copy *copies;
    int copy_count, copy_room, copy_group;
};

/* Index of the block that runs, and the launch's dimensions: the first member of struct
 * cpu_block. */
struct cpu_block_indices {
    struct cpu_dim3 block, blocks, threads;
};

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMultiProcessorCount };
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);
cudaError_t cudaEventDestroy(cudaEvent_t event);
const char *cudaGetErrorString(cudaError_t error);

cudaError_t cpu_malloc(void **memory, size_t bytes);

/* DEVICE_LIMITS of the environment (device_limits.h), read once. */
const struct device_limits *device_limits(void);

/* Runs body(arg) for every thread of every block. */
cudaError_t cpu_launch(const char *kernel, bool cooperative, struct cpu_dim3 blocks,
                       struct cpu_dim3 threads, size_t shared_bytes, void (*body)(void *arg),
                       void *arg);

/* A test for kernels that depend on an order. With a seed other than 0, from the next launch on and
 * in all host threads, the threads of a block start in a pseudo-random order, and a random one of
 * those that may go on is the next. The blocks of an ordinary launch, too, start in a pseudo-random
 * order, on as many OS threads as there are blocks (8 at most): a block that waits for one with a
 * smaller index may then wait for ever. The order within a block depends only on seed, sizes and
 * block index, provided that the block does not wait for another. Seed 0 (default): no
 * shuffling. */
void cpu_device_shuffle(uint64_t seed);

extern __thread struct cpu_thread *cpu_self;
void *cpu_dynamic_shared(void);
void cpu_barrier(const char *file, int line);

enum cpu_warp_operation { CPU_SYNC, CPU_SHUFFLE, CPU_BALLOT };
/* A barrier for all lanes of `mask`. CPU_SHUFFLE returns the value that lane `source` gave,
 * CPU_BALLOT one bit for each lane: whether its value is not zero. */
uint64_t cpu_warp(enum cpu_warp_operation operation, unsigned mask, uint64_t value, int source,
                  const char *file, int line);

/* device_async.h documents what these are for. They act on the calling thread's block. */
void cpu_group_barrier(int id, int threads, const char *file, int line);
void cpu_bulk_load(void *shared, const void *global, unsigned bytes, const uint64_t *barrier,
                   const char *file, int line);
void cpu_bulk_store(void *global, const void *shared, unsigned bytes, const char *file, int line);
void cpu_bulk_store_wait(void);
bool cpu_has_bulk_copies(void);
void cpu_mbarrier_init(uint64_t *barrier, int count);
void cpu_mbarrier_arrive(uint64_t *barrier, unsigned bytes);
bool cpu_mbarrier_passed(uint64_t *barrier, int parity);

void cpu_copy_async(void *shared, const void *global, int bytes, const char *file, int line);
void cpu_copy_commit(void);
void cpu_copy_wait(int groups);
void cpu_pause(void);    /* in a loop that waits for a thread of the same block */
void device_pause(void); /* for a thread of any block */

#ifdef __cplusplus
}
#include <type_traits>

/* ---- the language ---- */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
/* One block at a time runs on an OS thread, so shared memory is thread-local. "used" keeps the
 * compiler from assuming what it contains: run_block (launch.c) fills it behind its back. */
#define __shared__ static thread_local __attribute__((used))

struct dim3 : cpu_dim3 {
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
    {
        x = x_, y = y_, z = z_;
    }
};

#define threadIdx (cpu_self->index)
#define blockIdx  (((const cpu_block_indices *)cpu_self->block)->block)
#define gridDim   (((const cpu_block_indices *)cpu_self->block)->blocks)
#define blockDim  (((const cpu_block_indices *)cpu_self->block)->threads)
#define warpSize  32

#ifdef CPU_DEVICE_COUNT
/* Copies of such a struct must count like other accesses. Compilers instrument some of them and not
 * others, so the struct's own copy functions count them. */
#include "count.h"
#define FIELDS(name, type, ...)                                                                    \
    type __VA_ARGS__;                                                                              \
    name() = default;                                                                              \
    template <class... A> name(type first, A... more)                                              \
    {                                                                                              \
        const type all[sizeof(name) / sizeof(type)] = {first, ((type)more)...};                    \
        memcpy((void *)this, all, sizeof(name));                                                   \
    }                                                                                              \
    __attribute__((no_sanitize("thread"))) name(const name &other)                                 \
    {                                                                                              \
        count_struct(this, &other, sizeof(name), alignof(name), __builtin_return_address(0));      \
    }                                                                                              \
    __attribute__((no_sanitize("thread"))) name &operator=(const name &other)                      \
    {                                                                                              \
        count_struct(this, &other, sizeof(name), alignof(name), __builtin_return_address(0));      \
        return *this;                                                                              \
    }
#else
#define FIELDS(name, type, ...) type __VA_ARGS__
#endif

#define UNROLL(...)
#define DYN_SHARED(type, name) type *name = (type *)cpu_dynamic_shared()

/* Last parameters of a function: file and line of the call, for error messages. */
#define CPU_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(CPU_PLACE)
{
    cpu_barrier(file, line);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, CPU_PLACE)
{
    cpu_warp(CPU_SYNC, mask, 0, 0, file, line);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, CPU_PLACE)
{
    return (unsigned)cpu_warp(CPU_BALLOT, mask, predicate != 0, 0, file, line);
}
static inline int __any_sync(unsigned mask, int predicate, CPU_PLACE)
{
    return __ballot_sync(mask, predicate, file, line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, CPU_PLACE)
{
    return __ballot_sync(mask, !predicate, file, line) == 0;
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

/* The thread's lane. Threads are numbered with x fastest, and 32 consecutive ones are a warp. */
static inline int cpu_lane(void)
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

/* Shuffles work within groups of `width` lanes. A lane whose source lies outside its group (up:
 * below it; down and xor: above it) keeps its own value. Five bits of the argument count (PTX ISA,
 * shfl.sync). */
template <class T>
static inline T cpu_shuffle(unsigned mask, T value, int source, int width, const char *file,
                            int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    bool allowed = width > 0 && width <= 32 && (width & (width - 1)) == 0;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    bits = cpu_warp(CPU_SHUFFLE, mask, bits, allowed ? source : -1, file, line);
    memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, CPU_PLACE)
{
    int lane = (cpu_lane() & -width) | (source & (width - 1));
    return cpu_shuffle(mask, value, lane, width, file, line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, CPU_PLACE)
{
    int lane = cpu_lane(), source = lane - (int)(delta % 32);
    return cpu_shuffle(mask, value, source >= (lane & -width) ? source : lane, width, file, line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, CPU_PLACE)
{
    int lane = cpu_lane(), source = lane + (int)(delta % 32);
    return cpu_shuffle(mask, value, source <= (lane | (width - 1)) ? source : lane, width, file,
                       line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, CPU_PLACE)
{
    int lane = cpu_lane(), source = lane ^ (bits & 31);
    return cpu_shuffle(mask, value, source <= (lane | (width - 1)) ? source : lane, width, file,
                       line);
}

static inline void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <class T, class Change> static inline T cpu_atomic(T *address, Change change)
{
    T old, changed;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do
        changed = change(old);
    while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
    return old;
}
/* Keeps the compiler from deducing T from the value, so that atomicAdd(float *, 1) compiles. */
template <class T> using cpu_value = std::common_type_t<T>;

template <class T> static inline T atomicAdd(T *address, cpu_value<T> value)
{
    if constexpr (std::is_integral_v<T>) /* wraps round on overflow */
        return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
    else
        return cpu_atomic(address, [=](T old) { return old + value; });
}
template <class T> static inline T atomicMin(T *address, cpu_value<T> value)
{
    return cpu_atomic(address, [=](T old) { return value < old ? value : old; });
}
template <class T> static inline T atomicMax(T *address, cpu_value<T> value)
{
    return cpu_atomic(address, [=](T old) { return old < value ? value : old; });
}
template <class T> static inline T atomicOr(T *address, cpu_value<T> bits)
{
    return cpu_atomic(address, [=](T old) { return old | bits; });
}
template <class T> static inline T atomicExch(T *address, cpu_value<T> value)
{
    return cpu_atomic(address, [=](T) { return value; });
}
template <class T> static inline T atomicCAS(T *address, cpu_value<T> compare, cpu_value<T> value)
{
    return cpu_atomic(address, [=](T old) { return old == compare ? value : old; });
}

static inline int load_acquire(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}
static inline void store_release(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

template <int bytes> static inline void copy_async(void *shared, const void *global, CPU_PLACE)
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
    cpu_copy_async(shared, global, bytes, file, line);
}
static inline void copy_async_commit(void)
{
    cpu_copy_commit();
}
template <int groups> static inline void copy_async_wait(void)
{
    cpu_copy_wait(groups);
}

static inline void load_relaxed(const uint64_t *from, uint64_t *word)
{
    *word = __atomic_load_n(from, __ATOMIC_RELAXED);
}
static inline void load_relaxed_pair(const uint64_t *from, uint64_t *word)
{
    load_relaxed(from, word);
    load_relaxed(from + 1, word + 1);
}
static inline void store_relaxed(uint64_t *to, const uint64_t *word)
{
    __atomic_store_n(to, *word, __ATOMIC_RELAXED);
}
static inline void store_relaxed_pair(uint64_t *to, const uint64_t *word)
{
    store_relaxed(to, word);
    store_relaxed(to + 1, word + 1);
}

static inline void group_sync(int id, int threads, CPU_PLACE)
{
    cpu_group_barrier(id, threads, file, line);
}

static inline void mbarrier_init(uint64_t *barrier, int count)
{
    cpu_mbarrier_init(barrier, count);
}
static inline void mbarrier_arrive(uint64_t *barrier, unsigned bytes = 0)
{
    cpu_mbarrier_arrive(barrier, bytes);
}
static inline bool mbarrier_passed(uint64_t *barrier, int parity)
{
    return cpu_mbarrier_passed(barrier, parity);
}
static inline void mbarrier_wait(uint64_t *barrier, int parity)
{
    while (!mbarrier_passed(barrier, parity))
        cpu_pause();
}

static inline float reciprocal_estimate(float x)
{
    return 1 / x;
}
static inline double reciprocal_estimate(double x)
{
    return 1 / x;
}
static inline float load_line(const float *from)
{
    return *from;
}
static inline bool elected(int lane)
{
    return lane == 0;
}
static inline bool has_bulk_copies(void)
{
    return cpu_has_bulk_copies();
}
static inline void bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *barrier,
                             CPU_PLACE)
{
    cpu_bulk_load(shared, global, bytes, barrier, file, line);
}
static inline void bulk_fence(void)
{
}
static inline void bulk_store(void *global, const void *shared, unsigned bytes, CPU_PLACE)
{
    cpu_bulk_store(global, shared, bytes, file, line);
}
static inline void bulk_store_wait(void)
{
    cpu_bulk_store_wait();
}

template <class T> static inline cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return cpu_malloc((void **)memory, bytes);
}
static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
static inline cudaError_t device_attribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    return cudaDeviceGetAttribute(value, attribute, device);
}

/* Any memory of the host serves as pinned memory. */
template <class T> static inline cudaError_t cudaMallocHost(T **memory, size_t bytes)
{
    return cpu_malloc((void **)memory, bytes);
}
static inline cudaError_t cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}

/* As in device.h for the GPU: the arguments are evaluated once and converted to the types of the
 * kernel's parameters, as a call would. */
template <class... P>
static inline cudaError_t cpu_launch_with(const char *name, bool cooperative, void (*kernel)(P...),
                                          dim3 blocks, dim3 threads, size_t shared_bytes, P... args)
{
    auto body = [=]() { kernel(args...); };
    return cpu_launch(
        name, cooperative, blocks, threads, shared_bytes,
        [](void *call) { (*(decltype(body) *)call)(); }, &body);
}
template <class... P, class... A>
static inline cudaError_t device_launch(const char *name, bool cooperative, void (*kernel)(P...),
                                        dim3 blocks, dim3 threads, size_t shared_bytes,
                                        cudaStream_t, A... args)
{
    return cpu_launch_with<P...>(name, cooperative, kernel, blocks, threads, shared_bytes,
                                 ((P)args)...);
}

#endif /* __cplusplus */
#endif
