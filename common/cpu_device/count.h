/* The count build: the CPU device with every memory access of a kernel counted (count.c). In the other builds these
 * hooks of cpu_device.c are nothing. */
#ifndef COUNT_H
#define COUNT_H

#include "cpu_device.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef CPU_DEVICE_COUNT
/* Device memory from here on, and no more. */
void count_allocated(const void *memory, size_t bytes);
void count_freed(const void *memory);
/* A launch's number; blocks of it, each on one OS thread. */
int count_launch(const char *kernel, struct cpu_dim3 blocks, struct cpu_dim3 threads);
void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes);
void count_block_end(void);
/* The running thread has come to a barrier, or the fence of a warp's lanes. */
void count_barrier(void);
void count_warp_fence(void);
/* It has seen what others wrote before they told it so: its accesses are in order from here on. */
void count_acquire(void);
/* An asynchronous copy, where the kernel asks for it; the runtime's own memcpy is between these. */
void count_copy(const void *shared, const void *global, int bytes);
void count_runtime(bool begins);
/* A bulk copy has arrived; it is no access of a thread. */
void count_bulk(const void *to, size_t bytes);
/* A struct of a type so aligned is copied, at `place` (a return address). */
void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place);
/* In cpu_device.c: is that on the running thread's stack? */
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
