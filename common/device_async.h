/* Instructions of a GPU that C has no word for: asynchronous and bulk copies, barriers between some
 * threads of a block, messages between blocks, hints. Those that only newer GPUs have come with a
 * plain equivalent, so a kernel's text is the same for all. The CPU device has them in
 * cpu_device/cpu_device.h. */
#ifndef DEVICE_ASYNC_H
#define DEVICE_ASYNC_H

#include "device.h"

#ifdef __CUDACC__

/* In a loop that waits for another thread: lets others run. */
static __device__ inline void device_pause(void)
{
    __nanosleep(20);
}

/* A flag between blocks. A thread whose load_acquire reads the value of a store_release also sees
 * everything that was written before that store. */
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

/* 1/x to about 20 bits or better. For subnormal x it is infinite; if 1/x would be subnormal, it is
 * 0. */
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

/* The 32-bit address in shared memory that instructions take. */
static __device__ inline unsigned shared_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* Asynchronous copy of 4, 8 or 16 bytes from global to shared memory (both aligned to `bytes`).
 * copy_async_commit() closes a group of copies: all that the thread has started since the last
 * commit. copy_async_wait<n>() returns when all groups of the thread but the n youngest have
 * arrived; other threads see the copies after the next __syncthreads(). Before sm_80 this is a
 * plain copy. */
template <int bytes> static __device__ inline void copy_async(void *shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16) /* .cg bypasses L1; only this size can */
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

/* Messages between blocks: one or two 64-bit words (two: 16-byte aligned). A reader sees a message
 * whole or not at all. Nothing orders it with other memory accesses. */
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

/* True in one lane of a warp, the same one each time; all lanes of the warp must call it. The
 * compiler, too, knows that it is one lane, and does not wrap instructions of this lane, such as a
 * bulk copy, into a loop over lanes. */
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

/* Reads *from. L2 fetches the whole 128-byte line, since other threads will read the rest soon. */
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

/* A barrier for some threads of a block. It opens when `threads` of them (a multiple of 32) have
 * called it with the same id, 1 to 15. */
static __device__ inline void group_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* A barrier in shared memory, which separates arriving from waiting. Threads arrive, and may
 * announce bytes that bulk_load will bring. Phases are numbered 0, 1, …; a phase ends when `count`
 * threads have arrived and all announced bytes have been brought. A thread that has waited for the
 * end sees what the others wrote before they arrived, and the bytes. mbarrier_passed(b, phase & 1):
 * has this phase ended? It is the current one or the one before. One thread calls mbarrier_init,
 * then all call __syncthreads. Before sm_90 the barrier is an atomic counter: bits 0 to 15 hold
 * `count`, bits 16 to 31 the arrivals, the bits above the phase. */
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
/* Waits for the end of a phase. Unlike a loop over mbarrier_passed it lets the thread sleep. */
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

/* Bulk copies: one thread starts them, and the hardware makes them (sm_90 and later; elsewhere
 * has_bulk_copies() is false and they must not be called). Addresses and bytes are multiples of 16.
 * bulk_load tells a barrier of the bytes that it has brought; a thread has announced them there
 * before. bulk_store reads shared memory. Every thread that has written that memory must first call
 * bulk_fence(), and then meet a barrier with the thread that stores. bulk_store_wait() returns when
 * this thread's stores have read the shared memory, which may then be written again. */
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
