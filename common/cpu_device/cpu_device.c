/* The CPU device's runtime: blocks on OS threads, threads on fibres, barriers as switches.
 *
 * One `struct cpu_block` serves one OS thread for one launch. Its threads are started one after the
 * other on one fibre (a loop of calls) until one of them must wait; then the next thread starts on
 * another fibre. A fibre is a stack and where on it to continue; a sleeping thread keeps its fibre
 * until it returns. When nobody is ready and not all have returned, the barriers can never
 * complete: an error. */
#include "cpu_device.h"
#include "../device.h"
#include "count.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif

#ifdef ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 256 * 1024 };
#else
enum { STACK_BYTES = 64 * 1024 };
#endif

/* A page that faults when a kernel's stack overflows (64 KiB: the largest page of aarch64). */
enum { GUARD_BYTES = 64 * 1024 };

/* A stack and its guard are two of the 65530 mappings that Linux allows a process. */
enum { FIBRES_MOST = 30 * 1024 };

enum {
    WORKERS_MOST = 16,
    WARP = 32,
    THREADS_MOST = 1024,
    BLOCKS_AT_ONCE = 1024,
    SHUFFLED_WORKERS = 8,
    SHARED_MOST = 227 * 1024
};

struct cpu_fibre {
    char *stack; /* lowest address; a guard page lies below */
    size_t stack_bytes;
    void *stack_pointer;
    void *sanitizer;        /* its fake stack while another runs */
    struct cpu_fibre *next; /* in a list of unused ones */
};

struct cpu_copy {
    void *shared;
    const void *global;
    int bytes, group;
};

/* A bulk copy on its way: made when who waits for it comes. */
struct bulk_copy {
    void *to; /* NULL: no copy, but bytes that were announced to a barrier */
    const void *from;
    size_t bytes;
    const void *key; /* barrier of a load, thread of a store */
};

enum { GROUPS = 16 };

/* A permutation of the numbers below count: k -> (step k + first) mod count, where step and count
 * have no common divisor. */
struct order {
    uint64_t count, step, first;
};

struct launch {
    const char *kernel;
    struct cpu_dim3 blocks, threads;
    size_t shared_bytes;
    void (*body)(void *);
    void *arg;
    long block_count;
    long next_block;       /* atomic */
    uint64_t shuffle;      /* the seed, or 0 */
    struct order shuffled; /* blocks */
    int number;            /* of the launch, when accesses are counted */
    int failed;            /* atomic */
    char message[1024];
};

struct cpu_block {
    struct cpu_block_indices at;
    struct launch *launch;
    int count;         /* threads */
    int started, live; /* threads started; threads not yet returned */
    uint64_t random;   /* state of its generator, and an order of its threads: if shuffled */
    struct order shuffled;
    int waiting; /* threads at the block's barrier */
    struct cpu_thread threads[THREADS_MOST];
    int ready[THREADS_MOST], ready_first, ready_count; /* ring of threads that may go on */
    struct cpu_fibre *free, *entered;
    struct cpu_fibre *fibres[THREADS_MOST]; /* all that this launch has taken */
    int fibre_count;
    struct cpu_fibre os; /* the OS thread's own stack */
    void *shared;        /* dynamic shared memory */
    struct bulk_copy *bulk;
    int bulk_count, bulk_room;
    int arrived[GROUPS]; /* group barriers: threads that wait */
    int met[GROUPS];     /* times that all have come */
};

__thread struct cpu_thread *cpu_self;
static __thread struct cpu_block *block_here;

/* ---- switching ---- */

/* Elsewhere than on x86-64 and aarch64, or with -DCPU_DEVICE_UCONTEXT: ucontext, whose switch is a
 * system call. */
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(CPU_DEVICE_UCONTEXT)
#define CPU_DEVICE_UCONTEXT
#endif

static void fibre_main(void);

#ifdef CPU_DEVICE_UCONTEXT
#include <ucontext.h>

/* The stack pointer is here that of the context. */
static void cpu_switch(void **from, void *to)
{
    ucontext_t here;
    *from = &here;
    swapcontext(&here, to);
}

static void *fresh_stack_pointer(struct cpu_fibre *fibre)
{
    ucontext_t *context = (ucontext_t *)(void *)fibre->stack;
    getcontext(context);
    context->uc_stack.ss_sp = fibre->stack + sizeof *context;
    context->uc_stack.ss_size = STACK_BYTES - sizeof *context;
    context->uc_link = NULL;
    makecontext(context, fibre_main, 0);
    return context;
}
#else
/* Saves what a callee must save, stores the stack pointer in *from, continues at `to`. The rounding
 * mode is not saved: it is the OS thread's, and no kernel changes it. */
void cpu_switch(void **from, void *to);

#ifdef __x86_64__
__asm__(".text\n.globl cpu_switch\n.type cpu_switch,@function\ncpu_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size cpu_switch,.-cpu_switch\n");
/* Six registers, the return address, and one word that aligns the stack as a call does. */
enum { FRAME_WORDS = 8, FRAME_RETURN = 6 };
#else
__asm__(".text\n.globl cpu_switch\n.type cpu_switch,%function\ncpu_switch:\n"
        "sub sp,sp,#160\n"
        "stp x19,x20,[sp,#0]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
        "stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
        "stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\n"
        "mov x9,sp\nstr x9,[x0]\nmov sp,x1\n"
        "ldp x19,x20,[sp,#0]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
        "ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
        "ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\n"
        "add sp,sp,#160\nret\n.size cpu_switch,.-cpu_switch\n");
/* Twenty registers, of which x30 is the return address. */
enum { FRAME_WORDS = 20, FRAME_RETURN = 11 };
#endif

/* A stack that cpu_switch can continue: its saved registers are zero, its return address
 * fibre_main. */
static void *fresh_stack_pointer(struct cpu_fibre *fibre)
{
    uint64_t *frame = (uint64_t *)(void *)(fibre->stack + STACK_BYTES) - FRAME_WORDS;
    memset(frame, 0, FRAME_WORDS * sizeof *frame);
    frame[FRAME_RETURN] = (uint64_t)(uintptr_t)fibre_main;
    return frame;
}
#endif

/* Leave the stack that runs now, `from`, for `to`; returns when somebody switches back. */
static void switch_fibre(struct cpu_fibre *from, struct cpu_fibre *to)
{
#ifdef ASAN
    __sanitizer_start_switch_fiber(&from->sanitizer, to->stack, to->stack_bytes);
    cpu_switch(&from->stack_pointer, to->stack_pointer);
    __sanitizer_finish_switch_fiber(from->sanitizer, NULL, NULL);
#else
    cpu_switch(&from->stack_pointer, to->stack_pointer);
#endif
}

/* ---- errors ---- */

/* Of the last launch by this host thread that failed. */
static __thread char message[sizeof((struct launch *)NULL)->message] = "unspecified launch failure";

static int rank_of(const struct cpu_thread *thread)
{
    return (int)(thread - thread->block->threads);
}

/* The first failure of a launch is kept; its other blocks stop quietly. */
static void fail_with(struct launch *launch, const char *where, const char *format, va_list args)
{
    if (__atomic_exchange_n(&launch->failed, 1, __ATOMIC_SEQ_CST))
        return;
    size_t room = sizeof launch->message;
    int length = snprintf(launch->message, room, "kernel %s%s: ", launch->kernel, where);
    if (length > 0 && (size_t)length < room)
        vsnprintf(launch->message + length, room - (size_t)length, format, args);
}

static void fail_launch(struct launch *launch, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_with(launch, "", format, args);
    va_end(args);
}

static void fail(struct cpu_block *block, const char *format, ...)
{
    char where[80];
    snprintf(where, sizeof where, ", block (%u,%u,%u)", block->at.block.x, block->at.block.y,
             block->at.block.z);
    va_list args;
    va_start(args, format);
    fail_with(block->launch, where, format, args);
    va_end(args);
}

static bool has_failed(struct launch *launch)
{
    return __atomic_load_n(&launch->failed, __ATOMIC_RELAXED);
}

static const char *const warp_names[] = {"__syncwarp", "a shuffle", "a vote"};

/* "thread (1,0,0) waits at a shuffle of lanes 0x0000ffff (x.cu:10)" */
static const char *describe(char text[512], const struct cpu_thread *thread)
{
    char lanes[32] = "";
    bool barrier = thread->state == CPU_AT_BARRIER;
    if (!barrier)
        snprintf(lanes, sizeof lanes, " of lanes 0x%08x", thread->mask);
    snprintf(text, 512, "thread (%u,%u,%u) waits at %s%s (%s:%d)", thread->index.x, thread->index.y,
             thread->index.z, barrier ? "__syncthreads" : warp_names[thread->operation], lanes,
             thread->file, thread->line);
    return text;
}

static void fail_apart(struct cpu_block *block, const struct cpu_thread *one,
                       const struct cpu_thread *other)
{
    char first[512], second[512];
    fail(block, "%s while %s", describe(first, one), describe(second, other));
}

/* Both are at the same place in the source. One file is nearly always one string. */
static bool same_place(const struct cpu_thread *one, const struct cpu_thread *other)
{
    return one->line == other->line &&
           (one->file == other->file || strcmp(one->file, other->file) == 0);
}

/* Both wait, and for the same thing. */
static bool together(const struct cpu_thread *one, const struct cpu_thread *other)
{
    return one->state == other->state && same_place(one, other) &&
           (one->state == CPU_AT_BARRIER ||
            (one->operation == other->operation && one->mask == other->mask));
}

#ifdef ASAN
/* A cudaMalloc that is too large is an error of the call, as on a GPU, not of the program. Fake
 * stacks would outlive their fibres. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_stack_use_after_return=0";
}

/* Say where in the kernel it was, beside a sanitizer's own report. gcc's UndefinedBehaviorSanitizer
 * is a library apart, which calls the second name. */
static void death_note(void)
{
    static int said;
    if (cpu_self && !__atomic_exchange_n(&said, 1, __ATOMIC_SEQ_CST))
        fprintf(stderr, "CPU device: in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
                cpu_self->block->launch->kernel, cpu_self->block->at.block.x,
                cpu_self->block->at.block.y, cpu_self->block->at.block.z, cpu_self->index.x,
                cpu_self->index.y, cpu_self->index.z);
}
void __ubsan_on_report(void);
void __ubsan_on_report(void)
{
    death_note();
}
#endif

/* ---- fibres: taken from all that are unused, for the time of a launch ---- */

static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpu_fibre *unused_fibres;
static int fibres_made;

static struct cpu_fibre *make_fibre(void)
{
    struct cpu_fibre *fibre = calloc(1, sizeof *fibre);
    char *guard = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!fibre || guard == MAP_FAILED || mprotect(guard, GUARD_BYTES, PROT_NONE) != 0) {
        if (guard != MAP_FAILED)
            munmap(guard, GUARD_BYTES + STACK_BYTES);
        free(fibre);
        return NULL;
    }
    fibre->stack = guard + GUARD_BYTES;
    fibre->stack_bytes = STACK_BYTES;
    return fibre;
}

/* A fibre that starts at fibre_main() or goes on there; NULL, and the launch has failed, when there
 * is none. */
static struct cpu_fibre *take_fibre(struct cpu_block *block)
{
    struct cpu_fibre *fibre = block->free;
    if (fibre) {
        block->free = fibre->next;
        return block->entered = fibre;
    }
    pthread_mutex_lock(&unused_lock);
    bool make = !unused_fibres;
    int made = fibres_made;
    if (!make) {
        fibre = unused_fibres;
        unused_fibres = fibre->next;
    } else if (made < FIBRES_MOST && (fibre = make_fibre()) != NULL) {
        fibres_made++;
    }
    pthread_mutex_unlock(&unused_lock);
    if (!fibre) {
        fail(block, "no stack for one more waiting thread; %d have one", made);
        return NULL;
    }
#ifdef ASAN
    if (!make) /* the frames of its last launch are gone */
        __asan_unpoison_memory_region(fibre->stack, STACK_BYTES);
#endif
    fibre->stack_pointer = fresh_stack_pointer(fibre);
    block->fibres[block->fibre_count++] = fibre;
    return block->entered = fibre;
}

/* Also those on which threads of a failed launch still sleep: they are started afresh. */
static void leave_fibres(struct cpu_block *block)
{
    pthread_mutex_lock(&unused_lock);
    for (int i = 0; i < block->fibre_count; i++) {
        block->fibres[i]->next = unused_fibres;
        unused_fibres = block->fibres[i];
    }
    pthread_mutex_unlock(&unused_lock);
}

/* ---- shuffled order ---- */

static uint64_t shuffle_seed; /* atomic */

void cpu_device_shuffle(uint64_t seed)
{
    __atomic_store_n(&shuffle_seed, seed, __ATOMIC_SEQ_CST);
}

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct order draw_order(uint64_t count, uint64_t *state)
{
    uint64_t step, divisor, most = UINT64_MAX / count; /* step k has 64 bits */
    do {
        divisor = step = 1 + draw(state) % (most < count ? most : count);
        for (uint64_t rest = count; rest;) {
            uint64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
    } while (divisor != 1);
    return (struct order){count, step, draw(state) % count};
}

static uint64_t in_order(const struct order *order, uint64_t k)
{
    return (order->step * k % order->count + order->first) % order->count;
}

/* ---- scheduling within a block ---- */

static void make_ready(struct cpu_block *block, struct cpu_thread *thread)
{
    thread->state = CPU_RUNNING;
    int last = (block->ready_first + block->ready_count++) % block->count;
    block->ready[last] = rank_of(thread);
}

/* Any of the ready threads may be the next: one changes places with the first. Out of the way of a
 * switch, which takes 20 ns. */
__attribute__((cold)) static void shuffle_ready(struct cpu_block *block)
{
    int chosen = (int)(draw(&block->random) % (uint64_t)block->ready_count),
        *place = &block->ready[(block->ready_first + chosen) % block->count], rank = *place;
    *place = block->ready[block->ready_first];
    block->ready[block->ready_first] = rank;
}

/* Nobody can go on: name two that wait for different things. */
static void fail_stuck(struct cpu_block *block)
{
    const struct cpu_thread *first = NULL;
    for (int i = 0; i < block->count; i++) {
        const struct cpu_thread *t = &block->threads[i];
        if (t->state == CPU_DONE)
            continue;
        if (first && !together(first, t)) {
            fail_apart(block, first, t);
            return;
        }
        first = first ? first : t;
    }
}

/* Continue whoever comes next; `self` is NULL when the running fibre has no thread left to run.
 * Threads not yet started come first, so that one that spins cannot starve the one it waits for.
 * Returns when this fibre is continued. */
static void run_next(struct cpu_block *block, struct cpu_fibre *here, struct cpu_thread *self)
{
    struct cpu_fibre *next = NULL;
    if (has_failed(block->launch)) {
        next = &block->os;
    } else if (self && block->started < block->count) {
        next = take_fibre(block);
    } else if (block->ready_count > 0) {
        if (block->launch->shuffle)
            shuffle_ready(block);
        next = block->threads[block->ready[block->ready_first]].fibre;
        block->ready_first = (block->ready_first + 1) % block->count;
        block->ready_count--;
    } else if (block->live > 0) {
        fail_stuck(block);
    }
    if (next == here)
        return;
    if (!self) {
        here->next = block->free;
        block->free = here;
    }
    switch_fibre(here, next ? next : &block->os);
    if (self)
        cpu_self = self;
}

/* When every live thread has come to the barrier: let all go on, in order unless shuffled. */
static void barrier_check(struct cpu_block *block)
{
    if (block->waiting == 0 || block->waiting < block->live)
        return;
    const struct cpu_thread *first = NULL;
    for (int i = 0; i < block->count; i++) {
        struct cpu_thread *t = &block->threads[i];
        if (t->state != CPU_AT_BARRIER)
            continue;
        if (first && !same_place(first, t)) {
            fail_apart(block, first, t);
            return;
        }
        first = first ? first : t;
    }
    for (int i = 0; i < block->count; i++)
        if (block->threads[i].state == CPU_AT_BARRIER)
            make_ready(block, &block->threads[i]);
    block->waiting = 0;
}

void cpu_barrier(const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    count_barrier();
    self->state = CPU_AT_BARRIER;
    self->file = file;
    self->line = line;
    block->waiting++;
    barrier_check(block);
    run_next(block, self->fibre, self);
}

/* When all lanes of `mask` that have not returned wait in the same warp operation: give each its
 * result and let it go on. `lane0` is the first thread of the warp. */
static void warp_check(struct cpu_block *block, int lane0, unsigned mask)
{
    struct cpu_thread *warp = &block->threads[lane0];
    int lanes = block->count - lane0 < WARP ? block->count - lane0 : WARP;
    unsigned present = 0;
    struct cpu_thread *first = NULL;
    /* Lanes mostly arrive in order: whoever is missing is found first from the other end. */
    for (int i = lanes - 1; i >= 0; i--)
        if (mask >> i & 1 && warp[i].state != CPU_DONE &&
            (warp[i].state != CPU_AT_WARP || warp[i].mask != mask))
            return;
    for (int i = 0; i < lanes; i++) {
        struct cpu_thread *t = &warp[i];
        if (!(mask >> i & 1) || t->state == CPU_DONE)
            continue;
        if (first && !together(first, t)) {
            fail_apart(block, first, t);
            return;
        }
        first = first ? first : t;
        present |= 1u << i;
    }
    if (!first)
        return;
    uint64_t given[WARP], ballot = 0;
    for (int i = 0; i < lanes; i++) {
        given[i] = warp[i].value;
        if (present >> i & 1)
            ballot |= (uint64_t)(given[i] != 0) << i;
    }
    for (int i = 0; i < lanes; i++) {
        if (!(present >> i & 1))
            continue;
        int source = warp[i].source;
        if (first->operation == CPU_BALLOT)
            warp[i].value = ballot;
        else if (first->operation ==
                 CPU_SHUFFLE) /* an absent lane's value is undefined: NaN shows it */
            warp[i].value = present >> source & 1 ? given[source] : ~UINT64_C(0);
        make_ready(block, &warp[i]);
    }
}

uint64_t cpu_warp(enum cpu_warp_operation operation, unsigned mask, uint64_t value, int source,
                  const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    int rank = rank_of(self), lane = rank % WARP;
    if (operation == CPU_SYNC)
        count_warp_fence();
    self->state = CPU_AT_WARP;
    self->file = file;
    self->line = line;
    self->operation = operation;
    self->mask = mask;
    self->value = value;
    self->source = source;
    if (!(mask >> lane & 1))
        fail(block, "thread (%u,%u,%u): its lane %d is not in the mask 0x%08x of %s (%s:%d)",
             self->index.x, self->index.y, self->index.z, lane, mask, warp_names[operation], file,
             line);
    else if (source < 0)
        fail(block, "thread (%u,%u,%u): a shuffle's width must be 1, 2, 4, 8, 16 or 32 (%s:%d)",
             self->index.x, self->index.y, self->index.z, file, line);
    else
        warp_check(block, rank - lane, mask);
    run_next(block, self->fibre, self);
    return self->value;
}

void cpu_pause(void)
{
    struct cpu_thread *self = cpu_self;
    make_ready(self->block, self);
    run_next(self->block, self->fibre, self);
}

void device_pause(void)
{
    cpu_pause();
    sched_yield(); /* to the OS threads of other blocks */
}

/* A thread's return counts as its arrival at whatever the others wait for. */
static void thread_done(struct cpu_block *block, struct cpu_thread *self)
{
    self->state = CPU_DONE;
    block->live--;
    barrier_check(block);
    int lane = rank_of(self) % WARP, lane0 = rank_of(self) - lane;
    for (int i = lane0; i < lane0 + WARP && i < block->count; i++)
        if (block->threads[i].state == CPU_AT_WARP && block->threads[i].mask >> lane & 1)
            warp_check(block, lane0, block->threads[i].mask);
}

static struct cpu_thread *start_next(struct cpu_block *block, struct cpu_fibre *here)
{
    unsigned rank = (unsigned)block->started++;
    if (block->launch->shuffle)
        rank = (unsigned)in_order(&block->shuffled, rank);
    struct cpu_thread *thread = &block->threads[rank];
    const struct cpu_dim3 *size = &block->at.threads;
    thread->index.x = rank % size->x;
    thread->index.y = rank / size->x % size->y;
    thread->index.z = rank / size->x / size->y;
    thread->fibre = here;
    thread->state = CPU_RUNNING;
    thread->copy_count = thread->copy_group = 0; /* copies without a wait never arrive */
    return cpu_self = thread;
}

/* Every fibre's life: start threads while there are any, then sleep on the free list until needed. */
static void fibre_main(void)
{
    struct cpu_block *block = block_here;
    struct cpu_fibre *here = block->entered;
#ifdef ASAN
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    for (;;) {
        while (block->started < block->count && !has_failed(block->launch)) {
            struct cpu_thread *self = start_next(block, here);
            block->launch->body(block->launch->arg);
            thread_done(block, self);
        }
        run_next(block, here, NULL);
    }
}

/* ---- blocks ---- */

/* Thread-local marks that are linked before and after the object files with kernels
 * (mk/programs.mk), so that what lies between them is those kernels' static __shared__
 * variables. */
extern __thread char cpu_shared_begin[], cpu_shared_end[];

static void run_block(struct cpu_block *block, long index)
{
    if (block->launch->shuffle) {
        index = (long)in_order(&block->launch->shuffled, (uint64_t)index);
        block->random = (uint64_t)index;
        block->random = block->launch->shuffle ^ draw(&block->random);
        block->shuffled = draw_order((uint64_t)block->count, &block->random);
    }
    const struct cpu_dim3 *size = &block->at.blocks;
    block->at.block.x = (unsigned)(index % size->x);
    block->at.block.y = (unsigned)(index / size->x % size->y);
    block->at.block.z = (unsigned)(index / size->x / size->y);
    block->started = block->waiting = block->ready_first = block->ready_count = 0;
    block->live = block->count;
    block->bulk_count = 0;
    memset(block->arrived, 0, sizeof block->arrived);
    for (int i = 0; i < block->count; i++)
        block->threads[i].state = CPU_NEW;
    memset(cpu_shared_begin, 0xff, (uintptr_t)cpu_shared_end - (uintptr_t)cpu_shared_begin);
    memset(block->shared, 0xff, block->launch->shared_bytes);
    count_block_begin(block->launch->number, block->count, &block->at.threads, block->shared,
                      block->launch->shared_bytes, cpu_shared_begin,
                      (uintptr_t)cpu_shared_end - (uintptr_t)cpu_shared_begin);
    struct cpu_fibre *fibre = take_fibre(block);
    if (fibre)
        switch_fibre(&block->os, fibre);
    cpu_self = NULL;
    count_block_end();
}

/* An OS thread's part of a launch: blocks in order of index (unless shuffled), each as soon as the last is done. */
static void *work(void *arg)
{
    struct launch *launch = arg;
    struct cpu_block *block = calloc(1, sizeof *block);
    void *shared = malloc(launch->shared_bytes + !launch->shared_bytes);
    if (!block || !shared) {
        fail_launch(launch, "no memory for a block");
        free(block);
        free(shared);
        return NULL;
    }
    block_here = block;
    block->launch = launch;
    block->at.blocks = launch->blocks;
    block->at.threads = launch->threads;
    block->count = (int)(launch->threads.x * launch->threads.y * launch->threads.z);
    block->shared = shared;
    for (int i = 0; i < block->count; i++)
        block->threads[i].block = block;
#ifdef ASAN
    /* Asked once a thread: for the main thread the answer comes out of /proc. */
    static __thread void *stack;
    static __thread size_t stack_bytes;
    if (!stack) {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &stack, &stack_bytes);
        pthread_attr_destroy(&attributes);
    }
    block->os.stack = stack;
    block->os.stack_bytes = stack_bytes;
#endif
    long index;
    while (!has_failed(launch) &&
           (index = __atomic_fetch_add(&launch->next_block, 1, __ATOMIC_SEQ_CST)) <
               launch->block_count)
        run_block(block, index);
    leave_fibres(block);
    for (int i = 0; i < block->count; i++)
        free(block->threads[i].copies);
    free(block->bulk);
    free(shared);
    free(block);
    block_here = NULL;
    return NULL;
}

void *cpu_dynamic_shared(void)
{
    return block_here->shared;
}

#ifdef CPU_DEVICE_COUNT
bool cpu_on_stack(uintptr_t address)
{
    return address - (uintptr_t)cpu_self->fibre->stack < STACK_BYTES;
}
#endif

static struct device_limits limits;
static pthread_once_t limits_read = PTHREAD_ONCE_INIT;
static void read_limits(void)
{
    limits = device_limits_read(getenv("DEVICE_LIMITS"));
}
const struct device_limits *device_limits(void)
{
    pthread_once(&limits_read, read_limits);
    return &limits;
}
static size_t shared_most(void)
{
    int most = device_limits()->shared;
    return most > 0 && most < SHARED_MOST ? (size_t)most : SHARED_MOST;
}
bool cpu_has_bulk_copies(void)
{
    return !device_limits()->plain;
}

static int workers_wanted(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < WORKERS_MOST ? count : WORKERS_MOST;
}

static int multiprocessors(void)
{
    int said = device_limits()->multiprocessors;
    return said > 0 ? said : workers_wanted();
}

cudaError_t cpu_launch(const char *kernel, bool cooperative, struct cpu_dim3 blocks,
                       struct cpu_dim3 threads, size_t shared_bytes, void (*body)(void *),
                       void *arg)
{
    uint64_t block_count = (uint64_t)blocks.x * blocks.y * blocks.z;
    uint64_t thread_count = (uint64_t)threads.x * threads.y * threads.z;
    if (thread_count == 0 || thread_count > THREADS_MOST || threads.x > THREADS_MOST ||
        threads.y > THREADS_MOST || threads.z > 64 || blocks.y > 65535 || blocks.z > 65535 ||
        blocks.x > INT32_MAX || block_count == 0)
        return cudaErrorInvalidConfiguration;
    if (shared_bytes > shared_most())
        return cudaErrorInvalidValue;
    if (cooperative && (block_count > BLOCKS_AT_ONCE ||
                        (device_limits()->multiprocessors > 0 &&
                         block_count > (uint64_t)device_limits_blocks(
                                           device_limits(), (long)thread_count, shared_bytes))))
        return cudaErrorCooperativeLaunchTooLarge;
#ifdef ASAN
    __sanitizer_set_death_callback(death_note);
#endif
    struct launch launch = {.kernel = kernel,
                            .blocks = blocks,
                            .threads = threads,
                            .shared_bytes = shared_bytes,
                            .body = body,
                            .arg = arg,
                            .block_count = (long)block_count,
                            .shuffle = __atomic_load_n(&shuffle_seed, __ATOMIC_SEQ_CST),
                            .number = count_launch(kernel, blocks, threads)};
    uint64_t random = launch.shuffle;
    if (launch.shuffle)
        launch.shuffled = draw_order(block_count, &random);
    long workers = cooperative      ? (long)block_count
                   : launch.shuffle ? SHUFFLED_WORKERS
                                    : workers_wanted();
    if (workers > (long)block_count)
        workers = (long)block_count;
    pthread_t *helpers = malloc((size_t)workers * sizeof *helpers);
    if (!helpers)
        return cudaErrorMemoryAllocation;
    long helper_count = 0;
    while (helper_count < workers - 1 &&
           pthread_create(&helpers[helper_count], NULL, work, &launch) == 0)
        helper_count++;
    if (cooperative && helper_count < workers - 1)
        fail_launch(&launch, "no OS threads for %ld blocks at once", workers);
    work(&launch);
    for (long i = 0; i < helper_count; i++)
        pthread_join(helpers[i], NULL);
    free(helpers);
    if (!launch.failed)
        return cudaSuccess;
    memcpy(message, launch.message, sizeof message);
    return cudaErrorLaunchFailure;
}

/* ---- asynchronous copies: remembered by the thread, done at its wait ---- */

void cpu_copy_async(void *shared, const void *global, int bytes, const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    if (((uintptr_t)shared | (uintptr_t)global) % (uintptr_t)bytes) {
        fail(self->block, "thread (%u,%u,%u): copy_async of %d bytes is not aligned (%s:%d)",
             self->index.x, self->index.y, self->index.z, bytes, file, line);
        run_next(self->block, self->fibre, self);
    }
    if (self->copy_count == self->copy_room) {
        int room = self->copy_room ? 2 * self->copy_room : 16;
        struct cpu_copy *copies = realloc(self->copies, (size_t)room * sizeof *copies);
        if (!copies) {
            fail(self->block, "thread (%u,%u,%u): no memory for copy_async (%s:%d)", self->index.x,
                 self->index.y, self->index.z, file, line);
            run_next(self->block, self->fibre, self);
        }
        self->copies = copies;
        self->copy_room = room;
    }
    count_copy(shared, global, bytes);
    self->copies[self->copy_count++] = (struct cpu_copy){shared, global, bytes, self->copy_group};
}

void cpu_copy_commit(void)
{
    cpu_self->copy_group++;
}

void cpu_copy_wait(int groups)
{
    struct cpu_thread *self = cpu_self;
    int kept = 0;
    count_runtime(true);
    for (int i = 0; i < self->copy_count; i++) {
        struct cpu_copy *copy = &self->copies[i];
        if (copy->group < self->copy_group - groups)
            memcpy(copy->shared, copy->global, (size_t)copy->bytes);
        else
            self->copies[kept++] = *copy;
    }
    self->copy_count = kept;
    count_runtime(false);
}

/* ---- group barriers and bulk copies ---- */

void cpu_group_barrier(int id, int threads, const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    if (id < 1 || id >= GROUPS || threads < WARP || threads > block->count || threads % WARP) {
        fail(block, "thread (%u,%u,%u): group_sync(%d, %d) (%s:%d)", self->index.x, self->index.y,
             self->index.z, id, threads, file, line);
        run_next(block, self->fibre, self);
    }
    count_barrier();
    int meeting = block->met[id];
    if (++block->arrived[id] == threads) {
        block->arrived[id] = 0;
        block->met[id]++;
    }
    while (block->met[id] == meeting)
        cpu_pause();
}

static void add_bulk(void *to, const void *from, unsigned bytes, const void *key, const char *name,
                     const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    if (block->bulk_count == block->bulk_room) {
        int room = block->bulk_room ? 2 * block->bulk_room : 64;
        struct bulk_copy *bulk = realloc(block->bulk, (size_t)room * sizeof *bulk);
        if (bulk) {
            block->bulk = bulk;
            block->bulk_room = room;
        }
    }
    bool aligned = ((uintptr_t)to | (uintptr_t)from | bytes) % 16 == 0;
    if (!aligned || block->bulk_count == block->bulk_room) {
        fail(block, "thread (%u,%u,%u): %s of %u bytes %s (%s:%d)", self->index.x, self->index.y,
             self->index.z, name, bytes, aligned ? "has no memory" : "is not aligned", file, line);
        run_next(block, self->fibre, self);
    }
    block->bulk[block->bulk_count++] = (struct bulk_copy){to, from, bytes, key};
}

void cpu_bulk_load(void *shared, const void *global, unsigned bytes, const uint64_t *barrier,
                   const char *file, int line)
{
    add_bulk(shared, global, bytes, barrier, "bulk_load", file, line);
}

void cpu_bulk_store(void *global, const void *shared, unsigned bytes, const char *file, int line)
{
    add_bulk(global, shared, bytes, cpu_self, "bulk_store", file, line);
}

/* Make the copies that belong to a barrier, or the stores of a thread. */
static void bulk_arrive(const void *key)
{
    struct cpu_block *block = cpu_self->block;
    int kept = 0;
    size_t announced = 0, brought = 0;
    count_runtime(true);
    for (int i = 0; i < block->bulk_count; i++) {
        struct bulk_copy *copy = &block->bulk[i];
        if (copy->key != key)
            block->bulk[kept++] = *copy;
        else if (!copy->to)
            announced += copy->bytes;
        else {
            memcpy(copy->to, copy->from, copy->bytes);
            count_bulk(copy->to, copy->bytes);
            brought += copy->bytes;
        }
    }
    block->bulk_count = kept;
    count_runtime(false);
    if (key != cpu_self && announced != brought)
        fail(block,
             "thread (%u,%u,%u) waits for a barrier that was told of %zu bytes; bulk_load brought "
             "%zu",
             cpu_self->index.x, cpu_self->index.y, cpu_self->index.z, announced, brought);
}

void cpu_bulk_store_wait(void)
{
    bulk_arrive(cpu_self);
}

/* One OS thread runs all fibres of a block: no atomics. Bits 0 to 15 the count, 16 to 31 arrivals, above them phases. */
void cpu_mbarrier_init(uint64_t *barrier, int count)
{
    *barrier = (uint64_t)count;
}

void cpu_mbarrier_arrive(uint64_t *barrier, unsigned bytes)
{
    count_warp_fence();
    if (bytes > 0)
        add_bulk(NULL, NULL, bytes, barrier, "mbarrier_arrive", "", 0);
    uint64_t count = *barrier & 0xffff;
    *barrier += UINT64_C(1) << 16;
    if ((*barrier >> 16 & 0xffff) == count)
        *barrier += (UINT64_C(1) << 32) - (count << 16);
}

bool cpu_mbarrier_passed(uint64_t *barrier, int parity)
{
    if ((*barrier >> 32 & 1) == (uint64_t)parity)
        return false;
    bulk_arrive(barrier);
    count_acquire();
    return true;
}

/* ---- memory, streams, events ---- */

enum { CUDA_MALLOC_ALIGNMENT = 256 };

cudaError_t cpu_malloc(void **memory, size_t bytes)
{
    *memory = NULL;
    if (bytes && posix_memalign(memory, CUDA_MALLOC_ALIGNMENT, bytes) != 0)
        return cudaErrorMemoryAllocation;
    if (bytes)
        memset(*memory, 0xff, bytes);
    count_allocated(*memory, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    count_freed(memory);
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    if (bytes)
        memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (bytes)
        memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *total = page * (size_t)sysconf(_SC_PHYS_PAGES);
    *available = page * (size_t)sysconf(_SC_AVPHYS_PAGES);
    unsigned long kilobytes;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r"); /* counts what the file cache would give back */
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lu", &kilobytes) == 1)
            *available = 1024 * (size_t)kilobytes;
    if (file)
        fclose(file);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device != 0)
        return cudaErrorInvalidValue;
    size_t available;
    strcpy(properties->name, "CPU device");
    properties->multiProcessorCount = multiprocessors();
    return cudaMemGetInfo(&available, &properties->totalGlobalMem);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

struct cpu_event {
    struct timespec time;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    *ms = (float)(1e3 * (double)(stop->time.tv_sec - start->time.tv_sec) +
                  1e-6 * (double)(stop->time.tv_nsec - start->time.tv_nsec));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorCooperativeLaunchTooLarge:
        return "too many blocks in cooperative launch";
    case cudaErrorLaunchFailure:
        return message;
    }
    return "unknown error";
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)shared_most();
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = multiprocessors();
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}
