/* GPU instructions that C has no operator for: asynchronous and bulk copies, barriers between some
 * threads of a block, messages between blocks, and hints. Each function has plain code for GPUs
 * that lack its instruction, so a kernel's source serves all GPUs, except for bulk copies (see
 * has_bulk_copies). The CPU device's versions are in cpu_device/cpu_device.h. */
#pragma once

#include "device.h"

#ifdef __CUDACC__

/* Lets other threads run. Every loop that waits for another thread must call it. */
static __device__ inline void device_pause(void)
{
    __nanosleep(20);
}

/* A flag for threads of other blocks. A thread whose load_acquire reads the value of a
 * store_release also sees everything that the storing thread wrote before it. */
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

/* Returns 1/x with at least about 20 correct bits. On a GPU the result is infinite if x is
 * subnormal, and 0 if 1/x would be. */
static __host__ __device__ inline float reciprocal_estimate(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1 / x;
#endif
}
static __host__ __device__ inline double reciprocal_estimate(double x)
{
#ifdef __CUDA_ARCH__
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
#else
    return 1 / x;
#endif
}

/* The 32-bit address in shared memory that the instructions below take. */
static __device__ inline unsigned shared_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* copy_async starts a copy of 4, 8 or 16 bytes from global to shared memory; both addresses are
 * multiples of `bytes`. copy_async_commit() makes a group of the copies that the thread has started
 * since its last commit. copy_async_wait<n>() waits until all groups of the thread have arrived but
 * the n youngest. Other threads see the data after the next __syncthreads(). Before sm_80
 * copy_async is a plain copy. */
template <int bytes> static __device__ inline void copy_async(void *shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16) /* .cg bypasses L1; it exists for 16 bytes only */
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

/* Messages between blocks, of one 64-bit word or, with _pair, of two, aligned to 16 bytes. A word
 * arrives undivided. The two words of a pair may arrive one after the other, since PTX promises
 * nothing else. So each word must say by itself whether it is current, as those of message.cuh do.
 * Other memory accesses are not ordered: a reader may not yet see what the sender wrote before. */
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

/* Returns true in one lane of a warp, the same in every call. All lanes call it, each with its
 * number. On sm_90 and later the compiler then knows that one lane executes what follows; otherwise
 * it wraps an instruction such as a bulk copy in a loop over all lanes. */
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

/* Reads *from and lets L2 fetch the whole 128-byte line, for other threads. */
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

/* Reads *from in L2 and not in L1. The calling thread's own earlier stores are seen. */
static __device__ inline float load_past_l1(const float *from)
{
    float value;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    return value;
}
static __device__ inline double load_past_l1(const double *from)
{
    double value;
    asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(value) : "l"(from) : "memory");
    return value;
}

/* A barrier that opens when `threads` threads of the block (a multiple of 32) have called it with
 * the same id (1 to 15). */
static __device__ inline void group_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* A barrier in shared memory, which separates arriving from waiting. Its phases are numbered 0, 1,
 * …. A phase ends when `count` threads have arrived and all bytes announced for it were copied.
 *
 * mbarrier_init(barrier, count): one thread calls it; then all threads call __syncthreads.
 * mbarrier_arrive(barrier, bytes) arrives and announces `bytes` bytes that bulk_load will copy.
 * mbarrier_passed(barrier, phase & 1): has this phase, the current one or the one before, ended? If
 * so, and after mbarrier_wait, the caller sees the copied bytes and everything that other threads
 * wrote before they arrived.
 *
 * Before sm_90 the barrier is an atomic counter: `count` in bits 0 to 15, the arrivals in bits 16
 * to 31, the number of the phase in bits 32 to 63. */
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
/* Waits until the phase has ended. On sm_90 and later the hardware may suspend the thread. */
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

/* Bulk copies of sm_90 and later: one thread starts a copy, and the hardware makes it. On older
 * GPUs has_bulk_copies() is false, and a kernel must not call the other functions. All addresses
 * and sizes are multiples of 16 bytes.
 *
 * bulk_load copies global to shared memory and reports the bytes that have arrived to the barrier,
 * to which mbarrier_arrive must announce them. keep = false: the bytes are not read again soon, so
 * L2 should replace them first.
 *
 * bulk_store copies shared to global memory. Every thread that has written this shared memory first
 * calls bulk_fence(); then a barrier separates these threads from the one that calls bulk_store.
 * After bulk_store_wait() the shared memory of the thread's stores may be overwritten. */
static __device__ inline bool has_bulk_copies(void)
{
#if __CUDA_ARCH__ >= 900
    return true;
#else
    return false;
#endif
}
static __device__ inline void bulk_load(void *shared, const void *global, unsigned bytes,
                                        uint64_t *barrier, bool keep = true)
{
#if __CUDA_ARCH__ >= 900
    if (!keep) {
        uint64_t policy;
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
                     "l"(global), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
                     : "memory");
        return;
    }
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
#else
    (void)shared, (void)global, (void)bytes, (void)barrier, (void)keep;
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
