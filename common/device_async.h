/* Instructions of a GPU that C has no word for: asynchronous and bulk copies, barriers between some
 * threads of a block, messages between blocks, hints. Those that only newer GPUs have come with a
 * plain equivalent, so a kernel's text is the same for all. The CPU device has them in
 * cpu_device/cpu_device.h. */
#ifndef DEVICE_ASYNC_H
#define DEVICE_ASYNC_H

#include "device.h"

#ifdef __CUDACC__

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
