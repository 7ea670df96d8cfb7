/* The CPU device: the part of CUDA C that this project's kernels use, for g++ and clang++. Only
 * device.h includes this header, in CPU builds. common/README.md explains the device.
 *
 * One OS thread runs a block, and each of the block's threads is a fibre. OS threads, as many as
 * cores (16 at most), take the blocks in order of index, so a block may wait for an earlier one. In
 * a cooperative launch every block has an OS thread, so all blocks may wait for each other.
 *
 * What a GPU leaves undefined becomes visible. New memory and shared memory are NaN, as is the
 * result of a shuffle from a lane that does not take part. An asynchronous copy arrives when a
 * thread waits for it and not before. Barriers that cannot complete, waits that can never end,
 * wrong masks or widths, and copies that are not aligned end the launch with
 * cudaErrorLaunchFailure. If the host thread that launched the kernel then calls
 * cudaGetErrorString, the text names kernel, block, thread and source line. */
#pragma once

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

/* A stream is always NULL, because every call is complete when it returns. */
typedef struct cpu_stream *cudaStream_t;
typedef struct cpu_event *cudaEvent_t;

struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
    size_t totalGlobalMem;
};

struct cpu_dim3 {
    unsigned x, y, z;
};

/* A thread of a block. Kernels use only its index, as threadIdx. */
struct cpu_thread {
    struct cpu_dim3 index;
    struct cpu_block *block;
    struct cpu_fibre *fibre;
    enum { CPU_NEW, CPU_RUNNING, CPU_AT_BARRIER, CPU_AT_WARP, CPU_DONE } state;
    const char *file; /* source file and line at which it waits */
    int line;
    const char *polls; /* what it waits for in a loop, or NULL */
    int operation;     /* the warp operation, an enum cpu_warp_operation; its arguments follow */
    unsigned mask;
    int source;     /* the lane that a shuffle reads from */
    uint64_t value; /* the thread's value for the operation, later the operation's result */
    struct cpu_copy *copies;
    int copy_count, copy_room, copy_group;
};

/* The index of a block and the dimensions of its launch: the first member of struct cpu_block. */
struct cpu_block_indices {
    struct cpu_dim3 block, blocks, threads;
};

/* The last two parameters of a function: file and line of the call, for error messages. In C++ they
 * are not written. */
#ifdef __cplusplus
#define CPU_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
extern "C" {
#else
#define CPU_PLACE const char *file, int line
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
enum cudaDeviceAttr {
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrMultiProcessorCount
};
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
enum { cudaStreamNonBlocking = 1 };
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
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

/* The limits that the environment variable DEVICE_LIMITS sets (device_limits.h). It is read once.
 */
const struct device_limits *device_limits(void);

/* Runs body(arg) for every thread of every block. `code` is the kernel's address, from which the
 * count build learns its template arguments. */
cudaError_t cpu_launch(const char *kernel, const void *code, bool cooperative,
                       struct cpu_dim3 blocks, struct cpu_dim3 threads, size_t shared_bytes,
                       void (*body)(void *arg), void *arg);

/* For tests, which so find kernels that depend on an order of execution: a seed other than 0
 * shuffles the order from the next launch on, for all host threads; 0 (the default) ends this.
 *
 * The threads of a block then start in a pseudo-random order, and whenever one must wait, a random
 * one of the others continues. This order depends only on the seed, the sizes of the launch and the
 * index of the block, unless the block waits for another block. The blocks of an ordinary launch
 * also start in such an order, on 8 OS threads at most. So the wait of a block for a block with a
 * smaller index may never end. */
void cpu_device_shuffle(uint64_t seed);

extern __thread struct cpu_thread *cpu_self;
/* Counts what may end another thread's wait: barriers that open, atomic operations that change
 * memory, stores of flags and messages, and threads that return. */
extern __thread unsigned long cpu_changes;
void *cpu_dynamic_shared(void);

enum cpu_warp_operation { CPU_SYNC, CPU_SHUFFLE, CPU_BALLOT };
/* A barrier for all lanes of `mask`, which may also exchange values. CPU_SHUFFLE returns the value
 * of lane `source`. CPU_BALLOT returns one bit for each lane, which is set if the lane's value is
 * not zero. */
uint64_t cpu_warp(enum cpu_warp_operation operation, unsigned mask, uint64_t value, int source,
                  const char *file, int line);

/* A step of a loop that waits for `polls`, which a thread of the same block changes. */
void cpu_pause(const char *polls, CPU_PLACE);
void cpu_copy_async(void *shared, const void *global, int bytes, const char *file, int line);
void cpu_copy_wait(int groups);

/* Functions of CUDA and of device_async.h, which explains them. */
void __syncthreads(CPU_PLACE);
void device_pause(CPU_PLACE);
void copy_async_commit(void);
void group_sync(int id, int threads, CPU_PLACE);
void mbarrier_init(uint64_t *barrier, int count);
bool mbarrier_passed(uint64_t *barrier, int parity);
bool has_bulk_copies(void);
void bulk_store(void *global, const void *shared, unsigned bytes, CPU_PLACE);
void bulk_store_wait(void);
#ifdef __cplusplus
void mbarrier_arrive(uint64_t *barrier, unsigned bytes = 0);
void bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *barrier,
               bool keep = true, CPU_PLACE);
#else
void mbarrier_arrive(uint64_t *barrier, unsigned bytes);
void bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *barrier, bool keep,
               const char *file, int line);
#endif

#ifdef __cplusplus
}
#include <type_traits>

/* ---- the keywords and built-in functions of CUDA C ---- */

#ifdef LAB_KERNEL /* all other functions call lab.cu's __cyg_profile_func_enter */
#define __global__ __attribute__((no_instrument_function))
#define __device__ __attribute__((no_instrument_function))
#else
#define __global__
#define __device__
#endif
#define __host__
#define __constant__    const
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
/* Thread-local, since an OS thread runs one block at a time. Between blocks run_block (launch.c)
 * fills it through a pointer that the compiler cannot trace. "used" keeps the compiler from
 * assuming that it still holds what the kernel stored. */
#ifdef __clang__
#define __shared__ static thread_local __attribute__((used))
#else /* without __constinit gcc looks whether an array of structs with FIELDS is constructed */
#define __shared__ static thread_local __constinit __attribute__((used))
#endif

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
/* Compilers instrument only some copies of structs. So in the count build FIELDS (device.h) also
 * defines copy functions, which count. */
#include "count.h"
#define FIELDS(name, type, ...)                                                                    \
    type __VA_ARGS__;                                                                              \
    __device__ name() = default;                                                                   \
    template <class... A> __device__ name(type first, A... more)                                   \
    {                                                                                              \
        const type all[sizeof(name) / sizeof(type)] = {first, ((type)more)...};                    \
        memcpy((void *)this, all, sizeof(name));                                                   \
    }                                                                                              \
    __device__ __attribute__((no_sanitize("thread"))) name(const name &other)                      \
    {                                                                                              \
        count_struct(this, &other, sizeof(name), alignof(name), __builtin_return_address(0));      \
    }                                                                                              \
    __device__ __attribute__((no_sanitize("thread"))) name &operator=(const name &other)           \
    {                                                                                              \
        count_struct(this, &other, sizeof(name), alignof(name), __builtin_return_address(0));      \
        return *this;                                                                              \
    }
#else
#define FIELDS(name, type, ...) type __VA_ARGS__
#endif

/* CUDA's vector types: a load or store of one is one access of all its bytes. */
#define CPU_VECTOR(type, count, ...)                                                               \
    struct alignas(count * sizeof(type)) type##count {                                             \
        FIELDS(type##count, type, __VA_ARGS__);                                                    \
    };                                                                                             \
    template <class... A> static inline type##count make_##type##count(A... values)                \
    {                                                                                              \
        static_assert(sizeof...(A) == count, "a value for each member");                           \
        return {(type)values...};                                                                  \
    }
CPU_VECTOR(float, 2, x, y)
CPU_VECTOR(float, 4, x, y, z, w)
CPU_VECTOR(int, 2, x, y)
CPU_VECTOR(int, 4, x, y, z, w)
CPU_VECTOR(double, 2, x, y)

#define UNROLL(...)
#define DYN_SHARED(type, name) type *name = (type *)cpu_dynamic_shared()

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

template <class T> static inline T __ldg(const T *from)
{
    return *from;
}
#define __popc __builtin_popcount
#define __ffs  __builtin_ffs
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int cpu_lane(void)
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

/* Shuffles work within groups of `width` lanes. A lane keeps its own value if its source lies below
 * the group (__shfl_up_sync) or above it (__shfl_down_sync, __shfl_xor_sync). Only the lowest five
 * bits of `delta` or `bits` count (PTX ISA, shfl.sync). */
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
    source = source <= (lane | (width - 1)) ? source : lane;
    return cpu_shuffle(mask, value, source, width, file, line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, CPU_PLACE)
{
    int lane = cpu_lane(), source = lane ^ (bits & 31);
    source = source <= (lane | (width - 1)) ? source : lane;
    return cpu_shuffle(mask, value, source, width, file, line);
}

static inline void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The threads of a block run in turns on one OS thread, so the compiler's order is enough. */
static inline void __threadfence_block(void)
{
    asm volatile("" ::: "memory");
}

template <class T, class Change> static inline T cpu_atomic(T *address, Change change)
{
    T old, changed;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do
        changed = change(old);
    while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
    cpu_changes += memcmp(&old, &changed, sizeof(T)) != 0;
    return old;
}
/* T is deduced from the address only, so that atomicAdd(float *, 1) compiles. */
template <class T> using cpu_value = std::common_type_t<T>;

template <class T> static inline T atomicAdd(T *address, cpu_value<T> value)
{
    if constexpr (std::is_integral_v<T>) { /* signed overflow wraps round here, as on a GPU */
        cpu_changes += value != 0;
        return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
    } else
        return cpu_atomic(address, [=](T old) { return old + value; });
}
#define CPU_ATOMIC(name, changed)                                                                  \
    template <class T> static inline T name(T *address, cpu_value<T> value)                        \
    {                                                                                              \
        return cpu_atomic(address, [=]([[maybe_unused]] T old) { return changed; });               \
    }
CPU_ATOMIC(atomicMin, value < old ? value : old)
CPU_ATOMIC(atomicMax, old < value ? value : old)
CPU_ATOMIC(atomicOr, old | value)
CPU_ATOMIC(atomicExch, value)
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
    cpu_changes++;
}

template <int bytes> static inline void copy_async(void *shared, const void *global, CPU_PLACE)
{
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
    cpu_copy_async(shared, global, bytes, file, line);
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
    cpu_changes++;
}
static inline void store_relaxed_pair(uint64_t *to, const uint64_t *word)
{
    store_relaxed(to, word);
    store_relaxed(to + 1, word + 1);
}

static inline void mbarrier_wait(uint64_t *barrier, int parity, CPU_PLACE)
{
    while (!mbarrier_passed(barrier, parity))
        cpu_pause("mbarrier_wait", file, line);
}

template <class R> static inline R reciprocal_estimate(R x)
{
    return 1 / x;
}
static inline float load_line(const float *from)
{
    return *from;
}
template <class R> static inline R load_past_l1(const R *from)
{
    return *from;
}
static inline bool elected(int lane)
{
    return lane == 0;
}
static inline void bulk_fence(void)
{
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

/* On the CPU device ordinary memory serves as pinned memory. */
template <class T> static inline cudaError_t cudaMallocHost(T **memory, size_t bytes)
{
    return cpu_malloc((void **)memory, bytes);
}
static inline cudaError_t cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}

/* The arguments are evaluated once and converted to the types of the kernel's parameters. */
template <class... P>
static inline cudaError_t cpu_launch_with(const char *name, bool cooperative, void (*kernel)(P...),
                                          dim3 blocks, dim3 threads, size_t shared_bytes, P... args)
{
    /* Reading the arguments is no access of the kernel. */
    auto body = [=]() __attribute__((no_sanitize("thread"), no_instrument_function))
    {
        kernel(args...);
    };
    return cpu_launch(
        name, (const void *)kernel, cooperative, blocks, threads, shared_bytes,
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
