/* What the C files of the CPU device share. Kernels and programs do not include this header.
 *
 *   launch.c     runs the blocks of a launch on OS threads
 *   schedule.c   runs the threads of a block in turns; barriers, shuffles and votes
 *   fibres.c     stacks, and switching from one to another
 *   copies.c     asynchronous and bulk copies, barriers for some threads of a block
 *   runtime.c    memory, streams, events and other calls of the CUDA runtime
 *   errors.c     messages about the errors of kernels
 *   count*.c     only in the count build: counts memory accesses (count.h; count_picture.c: keeps
 *                single requests; count_cache.c: records all requests for cache.c)
 *   cache.c      a model of a GPU's caches
 *
 * One OS thread uses one `struct cpu_block` for a launch. It starts the threads of a block on one
 * fibre, as function calls in a loop, until one of them must wait. Then it starts the next thread
 * on another fibre. A fibre is a stack and the place on this stack where execution continues. A
 * thread that has waited keeps its fibre until it returns. If no thread can continue and some have
 * not returned, the barriers can never complete, and the launch fails. */
#ifndef CPU_DEVICE_INTERNAL_H
#define CPU_DEVICE_INTERNAL_H

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
    void *stack_pointer;    /* while another fibre runs: the saved stack pointer */
    void *sanitizer;        /* while another fibre runs: the stack that AddressSanitizer saved */
    struct cpu_fibre *next; /* the next in a list of unused fibres */
};

/* An asynchronous copy of one thread. The bytes are copied when the thread waits for the copy, and
 * not before. */
struct cpu_copy {
    void *shared;
    const void *global;
    int bytes, group;
};

/* A bulk copy of a block. The bytes are copied when a thread waits for the copy, and not before. */
struct bulk_copy {
    void *to; /* NULL: this is no copy but bytes announced to a barrier */
    const void *from;
    size_t bytes;
    const void *key; /* a load: its barrier; a store: the thread that started it */
};

/* A permutation of the numbers 0 to count - 1: k -> (step k + first) mod count. step and count have
 * no common divisor. */
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
    uint64_t shuffle;      /* the seed of the shuffling, 0: no shuffling */
    struct order shuffled; /* if shuffled: the order of the blocks */
    int number;            /* the launch's number, used by the count build */
    int failed;            /* atomic: 1 if the launch has failed */
    long working;          /* atomic: number of OS threads that still run blocks */
    /* How waits that can never end are found (schedule.c). changes: atomic; how often a block has
     * seen that something changed. agreed: how many OS threads have found no change since the
     * number of changes was agreed_changes, in this round. */
    unsigned long changes, agreed_changes;
    long agreed;
    int rounds;
    pthread_mutex_t lock; /* protects the last three */
    char message[1024];   /* describes the first failure */
};

struct cpu_block {
    struct cpu_block_indices at;
    struct launch *launch;
    int count;         /* number of threads of a block */
    int started, live; /* threads that have started; threads that have not yet returned */
    /* If shuffled: the state of the random number generator, and the order in which the threads
     * start. */
    uint64_t random;
    struct order shuffled;
    int waiting; /* number of threads that wait at __syncthreads */
    struct cpu_thread threads[THREADS_MOST];
    /* Ring buffer with the indices of the threads that can continue. */
    int ready[THREADS_MOST], ready_first, ready_count;
    /* free: list of this block's fibres on which no thread waits; entered: the fibre taken last */
    struct cpu_fibre *free, *entered;
    struct cpu_fibre *fibres[THREADS_MOST]; /* all fibres that this block has taken */
    int fibre_count;
    struct cpu_fibre os; /* the OS thread's own stack */
    void *shared;        /* dynamic shared memory */
    struct bulk_copy *bulk;
    int bulk_count, bulk_room;
    /* Only while threads wait in loops: the values of cpu_changes and of the launch's changes that
     * the block has seen, since when (in ns) they are the same, the pauses since then, and the last
     * round in which the block has agreed. */
    unsigned long seen, seen_changes;
    uint64_t since;
    unsigned pauses;
    int round;
    int arrived[GROUPS]; /* for each id of group_sync: how many threads wait there */
    int met[GROUPS];     /* for each id of group_sync: how often it has opened */
};

/* fibres.c */

/* Returns a fibre that begins in cpu_run_threads, or continues there if it has been used before in
 * this launch. Returns NULL if there is none; the launch has then failed. */
struct cpu_fibre *cpu_take_fibre(struct cpu_block *block);
/* Puts all fibres of a block into the list of unused fibres. After a failed launch threads may
 * still wait on some of them; the next launch that takes such a fibre starts it from the
 * beginning. */
void cpu_leave_fibres(struct cpu_block *block);
/* Saves the running stack in `from` and continues on `to`. Returns when a later call switches back
 * to `from`. */
void cpu_switch_fibre(struct cpu_fibre *from, struct cpu_fibre *to);
/* Stores the address and size of the OS thread's own stack in *os, for AddressSanitizer. */
void cpu_describe_stack(struct cpu_fibre *os);

/* schedule.c */

extern __thread struct cpu_block *cpu_block_here; /* the block that this OS thread runs */
/* The main function of a fibre. It starts threads of the block until all have been started. Never
 * returns. */
void cpu_run_threads(void);
/* Lets another thread continue. `self` is the calling thread, which runs on the fibre `here`; NULL
 * if that thread has returned. The function returns when the fibre `here` is continued. */
void cpu_run_next(struct cpu_block *block, struct cpu_fibre *here, struct cpu_thread *self);

/* launch.c */

uint64_t cpu_random(uint64_t *state);
static inline uint64_t in_order(const struct order *order, uint64_t k)
{
    return (order->step * k % order->count + order->first) % order->count;
}

/* runtime.c */

/* Number of OS threads for a launch: the cores that this process may use, at most 16. */
int cpu_workers(void);
size_t cpu_shared_limit(void); /* maximum bytes of shared memory of a block */

/* errors.c. Only the message of the first failure of a launch is kept. The other blocks then stop
 * without a message. */

void cpu_fail_launch(struct launch *launch, const char *format, ...);
void cpu_fail_block(struct cpu_block *block, const char *format, ...);
/* Like cpu_fail_block, but the message also contains the index of the calling thread, and the
 * function never returns. */
void cpu_fail_thread(const char *format, ...);
/* Reports that two threads wait at different barriers or warp operations. */
void cpu_fail_apart(struct cpu_block *block, const struct cpu_thread *one,
                    const struct cpu_thread *other);
/* Reports that a thread waits in a loop for something that can never happen. `other` is a thread of
 * the block that waits elsewhere, or NULL. */
void cpu_fail_wait(struct cpu_block *block, const struct cpu_thread *one,
                   const struct cpu_thread *other);
/* cpu_keep_message stores the launch's message for the calling host thread. cpu_message returns it,
 * for cudaGetErrorString. */
void cpu_keep_message(const struct launch *launch);
const char *cpu_message(void);
void cpu_prepare_sanitizer(void);
extern const char *const cpu_warp_names[]; /* index: enum cpu_warp_operation */

static inline bool has_failed(struct launch *launch)
{
    return __atomic_load_n(&launch->failed, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop
#endif
