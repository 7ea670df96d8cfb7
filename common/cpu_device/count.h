/* What the CPU device calls in the count build, which counts every memory access of a kernel
 * (count.c). In the other builds these functions do nothing. */
#pragma once

#include "cpu_device.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef CPU_DEVICE_COUNT
/* The program has allocated device memory, or freed it. */
void count_allocated(const void *memory, size_t bytes);
void count_freed(const void *memory);
/* A launch begins (count_launch returns its number) and ends. A block begins and ends; the OS
 * thread that runs it calls these functions. */
int count_launch(const char *kernel, const void *code, struct cpu_dim3 blocks,
                 struct cpu_dim3 threads, size_t shared_bytes);
void count_launch_end(int launch);
void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes);
void count_block_end(void);
/* The running thread has reached a barrier of its block, of some threads of its block, or of its
 * warp. */
void count_barrier(const char *file, int line);
void count_partial_barrier(const char *file, int line);
void count_warp_fence(void);
/* The running thread takes part in a shuffle. */
void count_shuffle(void);
/* The running thread has seen the end of an mbarrier's phase: its later accesses come after all
 * that other threads wrote before they arrived. */
void count_acquire(void);
/* The kernel starts an asynchronous copy, which is counted. The CPU device makes it later, between
 * count_runtime(true) and count_runtime(false), where no accesses are counted. */
void count_copy(const void *shared, const void *global, int bytes);
void count_runtime(bool begins);
/* A bulk copy has arrived. It is not counted, because no thread makes its accesses, but its bytes
 * of shared memory are written, and the model of the caches sees those of global memory. */
void count_bulk(const void *to, const void *from, size_t bytes);
/* Copies a struct whose type has this alignment and counts the accesses. `place`: an address in the
 * code that copies it. */
void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place);
/* If it is not NULL, it is called before each access of a kernel to memory that is neither shared
 * nor the thread's own. The memory may be the CPU device's own, such as threadIdx. */
extern void (*count_watch)(uintptr_t address, int bytes, bool writes);
/* If it is not NULL: the name of the array that contains the address, or "", for pictures. */
extern const char *(*count_array_name)(uintptr_t address);
/* The name of a function, "" if it is not known. */
void count_function(const void *code, char *name, size_t bytes);
/* Kernel and source line of the access that count_watch has seen last. Takes a tenth of a second.
 */
void count_watched(const char **kernel, const char **file, int *line);
/* launch.c: is the address on the running thread's stack? The index of the running block. */
bool cpu_on_stack(uintptr_t address);
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
