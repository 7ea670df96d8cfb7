/* What the C files of the CPU device share. Kernels and programs do not see it.
 *
 *   launch.c     a launch: its blocks on OS threads
 *   schedule.c   a block: its threads take turns; barriers, shuffles and votes
 *   fibres.c     stacks, and switching from one to another
 *   copies.c     asynchronous and bulk copies, barriers of some threads of a block
 *   runtime.c    memory, streams, events and other calls of CUDA's runtime
 *   errors.c     what a kernel has done wrong, in words
 *   count*.c     the count build alone: memory accesses are counted (count.h)
 *
 * One `struct cpu_block` serves one OS thread for one launch. Its threads are started one after the
 * other on one fibre, as calls in a loop, until one of them must wait; then the next thread starts
 * on another fibre. A fibre is a stack and the place on it where to continue. A waiting thread
 * keeps its fibre until it returns. When no thread can go on and not all have returned, the
 * barriers can never complete: the launch fails. */
#ifndef CPU_DEVICE_INTERNAL_H
#define CPU_DEVICE_INTERNAL_H

#include "cpu_device.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif

/* Not exported by a library that contains the CPU device. */
#pragma GCC visibility push(hidden)

enum { WARP = 32, THREADS_MOST = 1024, GROUPS = 16, SHARED_MOST = 227 * 1024 };

struct cpu_fibre {
    char *stack; /* lowest address; a guard page lies below */
    size_t stack_bytes;
    void *stack_pointer;    /* where to continue, while another fibre runs */
    void *sanitizer;        /* AddressSanitizer's own stack, while another fibre runs */
    struct cpu_fibre *next; /* in a list of unused fibres */
};

/* An asynchronous copy of one thread. It is made when the thread waits for it, and not before. */
struct cpu_copy {
    void *shared;
    const void *global;
    int bytes, group;
};

/* A bulk copy of a block. It is made when a thread waits for it, and not before. */
struct bulk_copy {
    void *to; /* NULL: no copy, but bytes that were announced to a barrier */
    const void *from;
    size_t bytes;
    const void *key; /* the barrier of a load, the thread of a store */
};

/* A permutation of the numbers below count: k -> (step k + first) mod count, where step and count
 * have no common divisor. */
struct order {
    uint64_t count, step, first;
};

struct launch {
    const char *kernel;
    struct cpu_dim3 blocks, threads;
    size_t shared_bytes;
    void (*body)(void *); /* calls the kernel for the thread that cpu_self names */
    void *arg;
    long block_count;
    long next_block;       /* atomic: the next that an OS thread takes */
    uint64_t shuffle;      /* the seed, or 0 */
    struct order shuffled; /* of the blocks */
    int number;            /* of the launch, when accesses are counted */
    int failed;            /* atomic: the launch has failed */
    char message[1024];    /* the first failure */
};

struct cpu_block {
    struct cpu_block_indices at;
    struct launch *launch;
    int count;         /* threads */
    int started, live; /* threads started; threads not yet returned */
    uint64_t random; /* if shuffled: the state of the block's generator, the order of its threads */
    struct order shuffled;
    int waiting; /* threads at the block's barrier */
    struct cpu_thread threads[THREADS_MOST];
    int ready[THREADS_MOST], ready_first, ready_count; /* ring of threads that may go on */
    struct cpu_fibre *free, *entered;                  /* fibres without a thread; the last taken */
    struct cpu_fibre *fibres[THREADS_MOST];            /* all that this launch has taken */
    int fibre_count;
    struct cpu_fibre os; /* the OS thread's own stack */
    void *shared;        /* dynamic shared memory */
    struct bulk_copy *bulk;
    int bulk_count, bulk_room;
    int arrived[GROUPS]; /* barriers of some threads: how many wait there */
    int met[GROUPS];     /* and how many times all have come */
};

/* fibres.c */

/* A fibre that starts in cpu_run_threads, or goes on there. NULL if there is none; then the launch
 * has failed. */
struct cpu_fibre *cpu_take_fibre(struct cpu_block *block);
/* Gives back all fibres of a block, also those on which threads of a failed launch still wait: the
 * next launch starts them afresh. */
void cpu_leave_fibres(struct cpu_block *block);
/* Leaves the stack that runs now, `from`, for `to`. Returns when a later call switches back. */
void cpu_switch_fibre(struct cpu_fibre *from, struct cpu_fibre *to);
/* The OS thread's own stack, for AddressSanitizer. */
void cpu_describe_stack(struct cpu_fibre *os);

/* schedule.c */

extern __thread struct cpu_block *cpu_block_here; /* the block that this OS thread runs */
/* The life of a fibre: starts threads of the block while there are any. Never returns. */
void cpu_run_threads(void);
/* Lets another thread continue. `self`, on the fibre `here`, is the thread that leaves; NULL if it
 * has returned. Comes back when that fibre is continued. */
void cpu_run_next(struct cpu_block *block, struct cpu_fibre *here, struct cpu_thread *self);

/* launch.c */

uint64_t cpu_random(uint64_t *state);
static inline uint64_t in_order(const struct order *order, uint64_t k)
{
    return (order->step * k % order->count + order->first) % order->count;
}

/* runtime.c */

int cpu_workers(void);         /* OS threads for a launch: the cores of this process, at most 16 */
size_t cpu_shared_limit(void); /* bytes of shared memory that a block may have */

/* errors.c. The first failure of a launch is kept; its other blocks then stop quietly. */

void cpu_fail_launch(struct launch *launch, const char *format, ...);
void cpu_fail_block(struct cpu_block *block, const char *format, ...);
/* The same; the message begins with the thread's index, and the thread never continues. */
void cpu_fail_thread(const char *format, ...);
/* Two threads wait for different things. */
void cpu_fail_apart(struct cpu_block *block, const struct cpu_thread *one,
                    const struct cpu_thread *other);
/* For cudaGetErrorString in the host thread that launched. */
void cpu_keep_message(const struct launch *launch);
const char *cpu_message(void);
void cpu_prepare_sanitizer(void);
extern const char *const cpu_warp_names[]; /* by enum cpu_warp_operation */

static inline bool has_failed(struct launch *launch)
{
    return __atomic_load_n(&launch->failed, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop
#endif
