/* The count build: the CPU device with every memory access of a kernel counted (count.c). The CPU
 * device calls these functions at the events that matter; in the other builds they are empty. */
#ifndef COUNT_H
#define COUNT_H

#include "cpu_device.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef CPU_DEVICE_COUNT
/* `memory` now is device memory, or is no longer. */
void count_allocated(const void *memory, size_t bytes);
void count_freed(const void *memory);
/* A launch begins; returns its number. Its blocks begin and end, each on one OS thread. */
int count_launch(const char *kernel, struct cpu_dim3 blocks, struct cpu_dim3 threads);
void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes);
void count_block_end(void);
/* The running thread has come to a barrier of the block, or to one of its warp. */
void count_barrier(void);
void count_warp_fence(void);
/* The running thread has seen an mbarrier's phase end. What other threads wrote before their
 * arrival is ordered before its accesses from here on. */
void count_acquire(void);
/* An asynchronous copy counts where the kernel starts it. The CPU device's own memcpy, which makes
 * the copy later, stands between count_runtime(true) and count_runtime(false) and does not
 * count. */
void count_copy(const void *shared, const void *global, int bytes);
void count_runtime(bool begins);
/* A bulk copy has arrived in shared memory. It is no thread's access, and does not count. */
void count_bulk(const void *to, size_t bytes);
/* Copies a struct, whose type has this alignment, and counts that; `place` is a return address in
 * the function that copies. */
void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place);
/* In launch.c: is the address on the running thread's stack? */
bool cpu_on_stack(uintptr_t address);
#else
static inline void count_allocated(const void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}
static inline void count_freed(const void *memory)
{
    (void)memory;
}
static inline int count_launch(const char *kernel, struct cpu_dim3 blocks, struct cpu_dim3 threads)
{
    (void)kernel, (void)blocks, (void)threads;
    return 0;
}
static inline void count_block_begin(int launch, int threads, const struct cpu_dim3 *size,
                                     const char *shared, size_t shared_bytes,
                                     const char *static_shared, size_t static_bytes)
{
    (void)launch, (void)threads, (void)size, (void)shared, (void)shared_bytes, (void)static_shared,
        (void)static_bytes;
}
static inline void count_block_end(void)
{
}
static inline void count_barrier(void)
{
}
static inline void count_warp_fence(void)
{
}
static inline void count_acquire(void)
{
}
static inline void count_copy(const void *shared, const void *global, int bytes)
{
    (void)shared, (void)global, (void)bytes;
}
static inline void count_runtime(bool begins)
{
    (void)begins;
}
static inline void count_bulk(const void *to, size_t bytes)
{
    (void)to, (void)bytes;
}
#endif
#ifdef __cplusplus
}
#endif
#endif
