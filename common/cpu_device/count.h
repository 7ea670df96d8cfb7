/* What the CPU device calls in the count build, which counts every memory access of a kernel
 * (count.c). In the other builds these functions do nothing. */
#ifndef COUNT_H
#define COUNT_H

#include "cpu_device.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef CPU_DEVICE_COUNT
/* The program has allocated `memory` as device memory (count_allocated) or freed it
 * (count_freed). */
void count_allocated(const void *memory, size_t bytes);
void count_freed(const void *memory);
/* count_launch is called when a launch begins and returns its number, count_launch_end when it
 * ends. count_block_begin and count_block_end are called at the beginning and the end of each
 * block, by the OS thread that runs the block. */
int count_launch(const char *kernel, const void *code, struct cpu_dim3 blocks,
                 struct cpu_dim3 threads, size_t shared_bytes);
void count_launch_end(int launch);
void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes);
void count_block_end(void);
/* The running thread has reached a barrier of its block (count_barrier), of some threads of its
 * block (count_partial_barrier), which is in this source line, or of its warp (count_warp_fence). */
void count_barrier(const char *file, int line);
void count_partial_barrier(const char *file, int line);
void count_warp_fence(void);
/* The running thread takes part in a shuffle. */
void count_shuffle(void);
/* The running thread has seen the end of an mbarrier's phase. Its later accesses come after
 * everything that other threads wrote before they arrived, so these are no races. */
void count_acquire(void);
/* An asynchronous copy is counted by count_copy when the kernel starts it. The CPU device copies
 * the bytes later by memcpy, between calls of count_runtime(true) and count_runtime(false).
 * Accesses between these two calls are not counted. */
void count_copy(const void *shared, const void *global, int bytes);
void count_runtime(bool begins);
/* A bulk copy has arrived. It is not counted, because no thread makes these accesses, but bytes in
 * shared memory now count as written, and the model of the caches sees those of global memory. */
void count_bulk(const void *to, const void *from, size_t bytes);
/* Copies a struct and counts the accesses. `alignment` is the alignment of the struct's type.
 * `place` is an address in the code of the function that copies the struct; it tells where in
 * the source the copy is made. */
void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place);
/* If it is not NULL, this function is called before each access of a kernel to memory that is neither
 * shared nor the thread's own. A test that knows its arrays better than the CPU device can so judge
 * each access. The memory may be the CPU device's own, such as threadIdx. */
extern void (*count_watch)(uintptr_t address, int bytes, bool writes);
/* Kernel and source line of the access for which the calling OS thread has called count_watch last.
 * Finding the line takes a tenth of a second. */
void count_watched(const char **kernel, const char **file, int *line);
/* Returns whether the address is on the stack of the running thread. Defined in launch.c. */
bool cpu_on_stack(uintptr_t address);
/* Returns the index of the block that the calling OS thread runs. Defined in launch.c. */
long cpu_block_index(void);
#else
#define count_allocated(memory, bytes)    ((void)0)
#define count_freed(memory)               ((void)0)
#define count_launch(kernel, code, ...)   ((void)(code), 0)
#define count_launch_end(launch)          ((void)0)
#define count_block_begin(...)            ((void)0)
#define count_block_end()                 ((void)0)
#define count_barrier(file, line)         ((void)0)
#define count_partial_barrier(file, line) ((void)0)
#define count_warp_fence()                ((void)0)
#define count_shuffle()                   ((void)0)
#define count_acquire()                   ((void)0)
#define count_copy(shared, global, bytes) ((void)0)
#define count_runtime(begins)             ((void)0)
#define count_bulk(to, from, bytes)       ((void)0)
#endif
#ifdef __cplusplus
}
#endif
#endif
