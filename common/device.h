/* One source, two devices. A .cu file that includes this header compiles with nvcc for a GPU and
 * with g++ or clang++ for the CPU device (cpu_device/: every thread of a block is a fibre). Kernels
 * are plain CUDA C; what differs is
 *
 *   LAUNCH(kernel, blocks, threads, shared_bytes, stream, args...)
 *       launches and gives the cudaError_t; a template goes in parentheses: LAUNCH((k<float>), ...)
 *   LAUNCH_COOPERATIVE(...)
 *       the same; all blocks run at once and may wait for each other
 *   TRY(call)
 *       in a function that returns cudaError_t: return on any error
 *   CHECK(call)
 *       in a main: print call, error, file and line, and exit with status 3
 *   struct NAME { FIELDS(NAME, type, a, b, …); };
 *       members of one type; a kernel reads and writes such a struct as a whole
 *   UNROLL(count)
 *       before a for: how often a GPU's compiler repeats its body; UNROLL() all
 *   device_attribute(&value, attribute, device)
 *       cudaDeviceGetAttribute, less what DEVICE_LIMITS forbids: all that asks what a GPU has asks so
 *   DYN_SHARED(type, name)
 *       in a kernel: `type *name`, the dynamic shared memory (16-byte aligned)
 *
 * and the small functions at the end, which stand for instructions that C has no word for.
 *
 * In a GPU build this file stands alone. For a CPU copy the folder cpu_device beside it; compile
 * .cu files with g++ -x c++ -std=c++17, the folder's C files with gcc -D_GNU_SOURCE; link
 * shared_begin.o before the kernels' objects, shared_end.o after them, and -lpthread. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For tests: DEVICE_LIMITS in the environment makes a device out to be a smaller one. 0: as it
 * is. */
struct device_limits {
    int shared;          /* bytes of shared memory, at most, of a block */
    int multiprocessors; /* on the CPU device, which has cores only, as many as that */
    int threads;         /* of a multiprocessor */
    bool plain;          /* no bulk copies; a GPU build has or lacks them whatever this says */
    bool wrong;          /* it cannot be read; nothing is limited */
};
#define DEVICE_LIMITS_ALLOWED                                                                      \
    "some of t4, rtx4090, a100, shared=BYTES, multiprocessors=COUNT, threads=COUNT with commas "   \
    "between them, of at least 65536 bytes a block and 1024 threads a multiprocessor"

static inline struct device_limits device_limits_read(const char *text)
{
    static const struct {
        const char *name;
        struct device_limits limits;
    } known[] = {{"t4", {64 * 1024, 40, 1024, true, false}},
                 {"rtx4090", {99 * 1024, 128, 1536, true, false}},
                 {"a100", {163 * 1024, 108, 2048, true, false}}};
    static const struct {
        const char *name;
        long least;
    } keys[] = {{"shared=", 64 * 1024}, {"multiprocessors=", 1}, {"threads=", 1024}};
    const struct device_limits none = {0, 0, 0, false, false}, wrong = {0, 0, 0, false, true};
    struct device_limits l = none;
    int *const values[] = {&l.shared, &l.multiprocessors, &l.threads};
    if (!text)
        return none;
    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0, k = 0;
        while (i < 3 && (length != strlen(known[i].name) || strncmp(text, known[i].name, length)))
            i++;
        while (k < 3 && strncmp(text, keys[k].name, strlen(keys[k].name)))
            k++;
        if (i < 3)
            l = known[i].limits;
        else if (k < 3) {
            char *end;
            const char *digits = text + strlen(keys[k].name);
            long value = strtol(digits, &end, 10);
            if (*digits < '0' || *digits > '9' || end != text + length || value < keys[k].least ||
                value > 1 << 30)
                return wrong;
            *values[k] = (int)value;
        } else
            return wrong;
        text += length;
        if (*text == 0)
            return l;
    }
}
/* Blocks of a cooperative launch, all of which must be there at once: a multiprocessor has the
 * shared memory of its largest block and 1 KiB, which it takes of each block besides, and 16
 * blocks. */
static inline long device_limits_blocks(const struct device_limits *l, long threads,
                                        size_t shared_bytes)
{
    long each = 16, by_threads = l->threads / ((threads + 31) / 32 * 32),
         by_shared = (long)(((size_t)l->shared + 1024) / (shared_bytes + 1024));
    if (l->threads > 0 && each > by_threads)
        each = by_threads;
    if (l->shared > 0 && each > by_shared)
        each = by_shared;
    return each * l->multiprocessors;
}

/* DEVICE_CUDA: another compiler than nvcc, for a program without kernels that calls a library made
 * by nvcc. */
#if defined __CUDACC__ || defined DEVICE_CUDA
#include <cuda_runtime.h>
#else
#include "cpu_device/cpu_device.h"
#endif

#define LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                                 \
    device_launch(#kernel, false, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)
#define LAUNCH_COOPERATIVE(kernel, blocks, threads, shared_bytes, stream, ...)                     \
    device_launch(#kernel, true, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return error_;                                                                         \
    } while (0)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error_));                                                   \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* True for a pointer that is not NULL and a multiple of `alignment`. */
static inline bool device_aligned(const void *pointer, size_t alignment)
{
    return pointer && (uintptr_t)pointer % alignment == 0;
}

#ifdef __CUDACC__

/* What the environment says, read once. */
inline const struct device_limits *device_limits(void)
{
    static const struct device_limits limits = device_limits_read(getenv("DEVICE_LIMITS"));
    return &limits;
}

static inline cudaError_t device_attribute(int *value, cudaDeviceAttr attribute, int device)
{
    const struct device_limits *limits = device_limits();
    int most = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? limits->shared
               : attribute == cudaDevAttrMultiProcessorCount        ? limits->multiprocessors
                                                                    : 0;
    TRY(cudaDeviceGetAttribute(value, attribute, device));
    if (most > 0 && *value > most)
        *value = most;
    return cudaSuccess;
}

/* More than 48 KiB of dynamic shared memory must be asked for; asking takes longer than launching, so it is done once in a
 * thread, for all that there is. */
static inline cudaError_t device_allow_shared(const void *kernel, size_t bytes)
{
    static thread_local struct {
        const void *kernel;
        int device;
    } allowed[32];
    static thread_local unsigned next;
    int device, most;
    cudaFuncAttributes own;
    if (bytes <= 48 * 1024)
        return cudaSuccess;
    TRY(cudaGetDevice(&device));
    for (auto &a : allowed)
        if (a.kernel == kernel && a.device == device)
            return cudaSuccess;
    TRY(device_attribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    TRY(cudaFuncGetAttributes(&own, kernel));
    TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - (int)own.sharedSizeBytes));
    allowed[next++ % 32] = {kernel, device};
    return cudaSuccess;
}

/* That the blocks of a cooperative launch would all be there on the smaller device, too. */
static inline cudaError_t device_limit_blocks(const void *kernel, dim3 blocks, dim3 threads,
                                              size_t shared_bytes)
{
    const struct device_limits *limits = device_limits();
    int count = (int)(threads.x * threads.y * threads.z), each;
    if (limits->multiprocessors == 0)
        return cudaSuccess;
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, count, shared_bytes));
    long most = device_limits_blocks(limits, count, shared_bytes),
         by_kernel = (long)each * limits->multiprocessors;
    return (long)(blocks.x * blocks.y * blocks.z) > (most < by_kernel ? most : by_kernel)
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

/* The arguments are converted to the kernel's own parameter types, as a call would. */
template <class... P, class... A>
static inline cudaError_t device_launch(const char *name, bool cooperative, void (*kernel)(P...),
                                        dim3 blocks, dim3 threads, size_t shared_bytes,
                                        cudaStream_t stream, A... args)
{
    (void)name;
    TRY(device_allow_shared((const void *)kernel, shared_bytes));
    if (cooperative)
        TRY(device_limit_blocks((const void *)kernel, blocks, threads, shared_bytes));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = cooperative;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cooperative ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, ((P)args)...);
}

#define FIELDS(name, type, ...) type __VA_ARGS__

#define UNROLL_(text) _Pragma(#text)
#define UNROLL(...)   UNROLL_(unroll __VA_ARGS__)

#define DYN_SHARED(type, name)                                                                     \
    extern __shared__ __align__(16) unsigned char dyn_shared_[];                                   \
    type *name = (type *)dyn_shared_

/* In a spin loop: let others run. */
static __device__ inline void device_pause(void)
{
    __nanosleep(20);
}

/* A flag between blocks: what was written before store_release is seen after load_acquire reads it. */
static __device__ inline int load_acquire(const int *flag)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
static __device__ inline void store_release(int *flag, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/* 1/x to some 20 bits or better; infinite or 0 where x is too small or too large (subnormal included). */
static __device__ inline float reciprocal_estimate(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ inline double reciprocal_estimate(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

/* An address in shared memory as instructions take it. */
static __device__ inline unsigned shared_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* Asynchronous copy of 4, 8 or 16 bytes from global to shared memory (both aligned to `bytes`).
 * Copies belong to the group that the next copy_async_commit() of the same thread closes;
 * copy_async_wait<n>() returns when all but the n youngest groups of this thread have arrived, and
 * other threads see them after the next __syncthreads(). Before sm_80 a plain copy. */
template <int bytes> static __device__ inline void copy_async(void *shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16) /* past the first cache, which only this size can do */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                     "l"(global)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)),
                     "l"(global), "n"(bytes)
                     : "memory");
#else
    memcpy(__builtin_assume_aligned(shared, bytes), __builtin_assume_aligned(global, bytes), bytes);
#endif
}
static __device__ inline void copy_async_commit(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int groups> static __device__ inline void copy_async_wait(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/* Words that blocks hand to each other, one or two (16-byte aligned): each is seen whole or not at all, unordered with
 * others. */
static __device__ inline void load_relaxed(const uint64_t *from, uint64_t *word)
{
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(*word) : "l"(from) : "memory");
}
static __device__ inline void load_relaxed_pair(const uint64_t *from, uint64_t *word)
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(word[0]), "=l"(word[1])
                 : "l"(from)
                 : "memory");
}
static __device__ inline void store_relaxed(uint64_t *to, const uint64_t *word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(*word) : "memory");
}
static __device__ inline void store_relaxed_pair(uint64_t *to, const uint64_t *word)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(word[0]),
                 "l"(word[1])
                 : "memory");
}

/* True in one lane of a warp all of whose lanes call it, the same one each time: to the compiler, too, so that what this lane asks the
 * hardware for is not put into a loop over lanes. */
static __device__ inline bool elected(int lane)
{
#if __CUDA_ARCH__ >= 900
    unsigned mine;
    (void)lane;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                 : "=r"(mine));
    return mine;
#else
    return lane == 0;
#endif
}

/* *from; the second cache takes the whole line, for others who come soon. */
static __device__ inline float load_line(const float *from)
{
#if __CUDA_ARCH__ >= 750
    float value;
    asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    return value;
#else
    return *from;
#endif
}

/* A barrier for some threads of a block: all `threads` (a multiple of 32) that call it with this id, 1 to 15. */
static __device__ inline void group_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* A barrier in shared memory at which some threads arrive and others, or the same, wait for the end of a phase. Phases
 * are numbered 0, 1, …; a phase ends when `count` arrivals have been made and all bytes that they announced have been
 * brought by bulk_load; what those threads wrote and those copies brought is then seen by who waited.
 * mbarrier_passed(b, phase & 1): has that phase, the current one or the one before, ended? One thread calls
 * mbarrier_init, then __syncthreads. Before sm_90 an atomic counter (arrivals in bits 16 to 31, phases above). */
static __device__ inline void mbarrier_init(uint64_t *barrier, int count)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(count)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
    *barrier = (uint64_t)count;
#endif
}
static __device__ inline void mbarrier_arrive(uint64_t *barrier, unsigned bytes = 0)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#else
    (void)bytes;
    unsigned long long *word = (unsigned long long *)barrier;
    __threadfence_block();
    unsigned long long old = atomicAdd(word, 1ull << 16), count = old & 0xffff;
    if ((old >> 16 & 0xffff) + 1 == count)
        atomicAdd(word, (1ull << 32) - (count << 16));
#endif
}
static __device__ inline bool mbarrier_passed(uint64_t *barrier, int parity)
{
#if __CUDA_ARCH__ >= 900
    unsigned passed;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(passed)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return passed;
#else
    bool passed = (*(volatile uint64_t *)barrier >> 32 & 1) != (uint64_t)parity;
    __threadfence_block();
    return passed;
#endif
}
/* As a loop of the above, but the hardware may let the thread sleep. */
static __device__ inline void mbarrier_wait(uint64_t *barrier, int parity)
{
#if __CUDA_ARCH__ >= 900
    unsigned passed;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!passed);
#else
    while (!mbarrier_passed(barrier, parity)) {
    }
#endif
}

/* Bulk copies, made by the hardware and not by threads (sm_90 and later; `has_bulk_copies` elsewhere says no, and they
 * must not be called). Addresses and bytes are multiples of 16. bulk_load counts its bytes at a barrier to which they
 * were announced. bulk_store reads what this thread, and others before a barrier, wrote to shared memory and followed
 * by bulk_fence(); bulk_store_wait() returns when the stores of this thread have read it. */
static __device__ inline bool has_bulk_copies(void)
{
#if __CUDA_ARCH__ >= 900
    return true;
#else
    return false;
#endif
}
static __device__ inline void bulk_load(void *shared, const void *global, unsigned bytes,
                                        uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
#else
    (void)shared, (void)global, (void)bytes, (void)barrier;
#endif
}
static __device__ inline void bulk_fence(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
static __device__ inline void bulk_store(void *global, const void *shared, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
    (void)global, (void)shared, (void)bytes;
#endif
}
static __device__ inline void bulk_store_wait(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

#endif /* __CUDACC__ */
#endif
