/* What the C files of the CPU device share. Kernels and programs do not include this header.
 *
 *   launch.c     runs the blocks of a launch on OS threads
 *   schedule.c   runs the threads of a block in turns; barriers, shuffles and votes
 *   fibres.c     stacks, and switching from one to another
 *   copies.c     asynchronous and bulk copies, barriers for some threads of a block
 *   runtime.c    memory, streams, events and other calls of the CUDA runtime
 *   errors.c     messages about the errors of kernels
 *   count*.c, cache.c   only in the count build (count.c)
 *
 * One OS thread uses one `struct cpu_block` for a launch. It calls the threads of a block in a loop
 * on one fibre, until one of them must wait; then it starts the next thread on another fibre. A
 * fibre is a stack and the place where execution continues. A thread that has waited keeps its
 * fibre until it returns. If no thread can continue and some have not returned, the launch fails.
 */
#pragma once

#include "cpu_device.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif

/* A library that contains the CPU device does not export these functions. */
#pragma GCC visibility push(hidden)

enum { WARP = 32, THREADS_MOST = 1024, GROUPS = 16, SHARED_MOST = 227 * 1024 };

struct cpu_fibre {
    char *stack; /* lowest address; a guard page lies below */
    size_t stack_bytes;
    void *stack_pointer;    /* while another fibre runs */
    void *sanitizer;        /* the stack that AddressSanitizer saved then */
    struct cpu_fibre *next; /* in a list of unused fibres */
};

/* Asynchronous copies of a thread, and bulk copies of a block. The bytes are copied when a thread
 * waits for them, and not before. */
struct cpu_copy {
    void *shared;
    const void *global;
    int bytes, group;
};
struct bulk_copy {
    void *to; /* NULL: this is no copy but bytes announced to a barrier */
    const void *from;
    size_t bytes;
    const void *key; /* a load: its barrier; a store: the thread that started it */
};

/* The permutation k -> (step k + first) mod count; step and count have no common divisor. */
struct order {
    uint64_t count, step, first;
};

struct launch {
    const char *kernel;
    struct cpu_dim3 blocks, threads;
    size_t shared_bytes;
    void (*body)(void *); /* calls the kernel once, for the thread cpu_self */
    void *arg;
    long block_count;
    long next_block;       /* atomic: the next block that an OS thread takes */
    uint64_t shuffle;      /* the seed of the shuffling, 0: none */
    struct order shuffled; /* the order of the blocks */
    int number;            /* for the count build */
    int failed;            /* atomic */
    long working;          /* atomic: number of OS threads that still run blocks */
    /* To detect a deadlock (schedule.c). changes (atomic): how often a block has seen that
     * something changed. agreed: how many OS threads have found no change in this round, since
     * changes was agreed_changes. rounds: how many rounds ended so. */
    unsigned long changes, agreed_changes;
    long agreed;
    int rounds;
    pthread_mutex_t lock; /* protects the last three */
    char message[1024];   /* describes the first failure */
};

struct cpu_block {
    struct cpu_block_indices at;
    struct launch *launch;
    int count;             /* number of threads of a block */
    int started, live;     /* threads that have started; threads that have not yet returned */
    uint64_t random;       /* if shuffled: the state of the random number generator */
    struct order shuffled; /* and the order in which the threads start */
    int waiting;           /* number of threads that wait at __syncthreads */
    struct cpu_thread threads[THREADS_MOST];
    /* Ring buffer with the indices of the threads that can continue. */
    int ready[THREADS_MOST], ready_first, ready_count;
    /* free: list of fibres on which no thread waits; entered: the fibre taken last */
    struct cpu_fibre *free, *entered;
    struct cpu_fibre *fibres[THREADS_MOST]; /* all that this block has taken */
    int fibre_count;
    struct cpu_fibre os; /* the OS thread's own stack */
    void *shared;        /* dynamic shared memory */
    struct bulk_copy *bulk;
    int bulk_count, bulk_room;
    /* While threads wait in loops: the cpu_changes and the launch's changes that the block has
     * seen, since when (in ns) they are the same, the pauses since then, and the last round in
     * which the block has agreed. */
    unsigned long seen, seen_changes;
    uint64_t since;
    unsigned pauses;
    int round;
    int arrived[GROUPS]; /* for each id of group_sync: how many threads wait there */
    int met[GROUPS];     /* for each id of group_sync: how often it has opened */
};

/* fibres.c */

/* Returns a fibre that begins in cpu_run_threads, or continues there if this launch has used it.
 * NULL if there is none; the launch has then failed. */
struct cpu_fibre *cpu_take_fibre(struct cpu_block *block);
/* Gives all fibres of a block back. After a failed launch threads may still wait on some; the next
 * launch that takes such a fibre starts it from the beginning. */
void cpu_leave_fibres(struct cpu_block *block);
/* Continues on `to`. Returns when a later call switches back to `from`. */
void cpu_switch_fibre(struct cpu_fibre *from, struct cpu_fibre *to);
/* For AddressSanitizer: stores the address and size of the OS thread's own stack in *os. */
void cpu_describe_stack(struct cpu_fibre *os);

/* schedule.c */

extern __thread struct cpu_block *cpu_block_here; /* the block that this OS thread runs */
/* The main function of a fibre, which starts threads of the block. Never returns. */
void cpu_run_threads(void);
/* Lets another thread continue, until the fibre `here` is continued. `self` is the calling thread;
 * NULL if it has returned. */
void cpu_run_next(struct cpu_block *block, struct cpu_fibre *here, struct cpu_thread *self);

/* launch.c */

uint64_t cpu_random(uint64_t *state);
static inline uint64_t in_order(const struct order *order, uint64_t k)
{
    return (order->step * k % order->count + order->first) % order->count;
}

/* runtime.c */

int cpu_workers(
    void); /* OS threads for a launch: the cores that this process may use, at most 16 */
size_t cpu_shared_limit(void); /* maximum bytes of shared memory of a block */

/* errors.c. The first failure of a launch has a message, and the other blocks stop. */

void cpu_fail(struct launch *launch, const struct cpu_block *block, const char *format, ...);
/* The message also names the calling thread. Never returns. */
void cpu_fail_thread(const char *format, ...);
/* Two threads wait at different barriers or warp operations. */
void cpu_fail_apart(struct cpu_block *block, const struct cpu_thread *one,
                    const struct cpu_thread *other);
/* A wait in a loop can never end. `other`: a thread of the block that waits elsewhere, or NULL. */
void cpu_fail_wait(struct cpu_block *block, const struct cpu_thread *one,
                   const struct cpu_thread *other);
/* Keeps the launch's message for the calling host thread; cpu_message returns it. */
void cpu_keep_message(const struct launch *launch);
const char *cpu_message(void);
void cpu_prepare_sanitizer(void);
extern const char *const cpu_warp_names[]; /* index: enum cpu_warp_operation */

static inline bool has_failed(struct launch *launch)
{
    return __atomic_load_n(&launch->failed, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop
