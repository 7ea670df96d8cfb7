/* Chooses which thread of a block runs next; __syncthreads and the operations of a warp. */
#include "internal.h"
#include "count.h"

#include <sched.h>
#include <time.h>

__thread struct cpu_thread *cpu_self;
__thread unsigned long cpu_changes;
__thread struct cpu_block *cpu_block_here;

static int rank_of(const struct cpu_thread *thread)
{
    return (int)(thread - thread->block->threads);
}

/* ---- which thread runs next ---- */

static void make_ready(struct cpu_block *block, struct cpu_thread *thread)
{
    thread->state = CPU_RUNNING;
    int last = (block->ready_first + block->ready_count++) % block->count;
    block->ready[last] = rank_of(thread);
}

/* Moves a random one of the ready threads to the front. "cold" keeps this away from the code that
 * switches threads, which takes only 20 ns. */
__attribute__((cold)) static void shuffle_ready(struct cpu_block *block)
{
    int chosen = (int)(cpu_random(&block->random) % (uint64_t)block->ready_count),
        *place = &block->ready[(block->ready_first + chosen) % block->count], rank = *place;
    *place = block->ready[block->ready_first];
    block->ready[block->ready_first] = rank;
}

static bool same_place(const struct cpu_thread *one, const struct cpu_thread *other)
{
    return one->line == other->line &&
           (one->file == other->file || strcmp(one->file, other->file) == 0);
}

/* Do both threads wait for the same barrier or warp operation? */
static bool together(const struct cpu_thread *one, const struct cpu_thread *other)
{
    return one->state == other->state && same_place(one, other) &&
           (one->state == CPU_AT_BARRIER ||
            (one->operation == other->operation && one->mask == other->mask));
}

/* Returns true if all threads from `begin` on that are in the mask (a bit for each lane) and
 * have not returned wait at the same barrier or warp operation. Otherwise the launch fails, with
 * a message about two of them. */
static bool wait_together(struct cpu_block *block, int begin, int count, unsigned mask)
{
    const struct cpu_thread *first = NULL;
    for (int i = begin; i < begin + count; i++) {
        const struct cpu_thread *t = &block->threads[i];
        if (!(mask >> i % WARP & 1) || t->state == CPU_DONE)
            continue;
        if (first && !together(first, t)) {
            cpu_fail_apart(block, first, t);
            return false;
        }
        first = first ? first : t;
    }
    return true;
}

/* Threads that have not started come first: a thread may wait for them in a loop. */
void cpu_run_next(struct cpu_block *block, struct cpu_fibre *here, struct cpu_thread *self)
{
    struct cpu_fibre *next = NULL;
    if (has_failed(block->launch)) {
        next = &block->os;
    } else if (self && block->started < block->count) {
        next = cpu_take_fibre(block);
    } else if (block->ready_count > 0) {
        if (block->launch->shuffle)
            shuffle_ready(block);
        next = block->threads[block->ready[block->ready_first]].fibre;
        block->ready_first = (block->ready_first + 1) % block->count;
        block->ready_count--;
    } else if (block->live > 0) {
        wait_together(block, 0, block->count, ~0u);
    }
    if (next == here)
        return;
    if (!self) {
        here->next = block->free;
        block->free = here;
    }
    cpu_switch_fibre(here, next ? next : &block->os);
    if (self)
        cpu_self = self;
}

/* ---- __syncthreads ---- */

/* If every thread that has not returned waits, makes all of them ready, in order of index. */
static void barrier_check(struct cpu_block *block)
{
    if (block->waiting == 0 || block->waiting < block->live ||
        !wait_together(block, 0, block->count, ~0u))
        return;
    for (int i = 0; i < block->count; i++)
        if (block->threads[i].state == CPU_AT_BARRIER)
            make_ready(block, &block->threads[i]);
    block->waiting = 0;
    cpu_changes++;
}

void __syncthreads(CPU_PLACE)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    count_barrier(file, line);
    self->state = CPU_AT_BARRIER;
    self->file = file;
    self->line = line;
    block->waiting++;
    barrier_check(block);
    cpu_run_next(block, self->fibre, self);
}

/* ---- operations of a warp ---- */

/* If all lanes of `mask` that have not returned wait in the same operation, gives each its result
 * and makes it ready. `lane0`: index of the warp's first thread. */
static void warp_check(struct cpu_block *block, int lane0, unsigned mask)
{
    struct cpu_thread *warp = &block->threads[lane0];
    int lanes = block->count - lane0 < WARP ? block->count - lane0 : WARP;
    unsigned present = 0;
    /* Lanes usually arrive in order, so the last one is most likely to be missing. */
    for (int i = lanes - 1; i >= 0; i--) {
        if (!(mask >> i & 1) || warp[i].state == CPU_DONE)
            continue;
        if (warp[i].state != CPU_AT_WARP || warp[i].mask != mask)
            return;
        present |= 1u << i;
    }
    if (!present || !wait_together(block, lane0, lanes, present))
        return;
    int operation = warp[__builtin_ctz(present)].operation;
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
        if (operation == CPU_BALLOT)
            warp[i].value = ballot;
        /* If the source lane does not take part, the result has all bits set, which is NaN. */
        else if (operation == CPU_SHUFFLE)
            warp[i].value = present >> source & 1 ? given[source] : ~UINT64_C(0);
        make_ready(block, &warp[i]);
    }
    cpu_changes++;
}

uint64_t cpu_warp(enum cpu_warp_operation operation, unsigned mask, uint64_t value, int source,
                  const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    int rank = rank_of(self), lane = rank % WARP;
    if (operation == CPU_SYNC)
        count_warp_fence();
    if (operation == CPU_SHUFFLE)
        count_shuffle();
    self->state = CPU_AT_WARP;
    self->file = file;
    self->line = line;
    self->operation = operation;
    self->mask = mask;
    self->value = value;
    self->source = source;
    if (!(mask >> lane & 1))
        cpu_fail_thread("its lane %d is not in the mask 0x%08x of %s (%s:%d)", lane, mask,
                        cpu_warp_names[operation], file, line);
    else if (source < 0)
        cpu_fail_thread("a shuffle's width must be 1, 2, 4, 8, 16 or 32 (%s:%d)", file, line);
    else
        warp_check(block, rank - lane, mask);
    cpu_run_next(block, self->fibre, self);
    return self->value;
}

/* ---- waiting in a loop ---- */

/* A wait can never end if all threads of all running blocks wait and nothing changes. A block in
 * which no thread has changed anything while it paused for a second agrees that this is so. When
 * all running blocks have agreed, a second round begins: one may have found a flag that another
 * block wrote by an ordinary store, which cpu_changes does not count. Such a block computes and
 * does not agree again. After two rounds the launch fails. A block that computes or is not given a
 * core does not agree, so a slow machine causes no failure. */
enum { AGREE_AFTER_NS = 1000 * 1000 * 1000, ROUNDS = 2, LOOK_EVERY = 64 };

static void fail_wait(struct cpu_block *block, const struct cpu_thread *self)
{
    const struct cpu_thread *other = NULL;
    for (int i = 0; i < block->count && !other; i++) {
        const struct cpu_thread *t = &block->threads[i];
        if (t->state != CPU_DONE && t->state != CPU_NEW && !same_place(t, self))
            other = t;
    }
    cpu_fail_wait(block, self, other);
}

static void agree(struct cpu_block *block, const struct cpu_thread *self)
{
    struct launch *launch = block->launch;
    pthread_mutex_lock(&launch->lock);
    if (launch->agreed_changes != block->seen_changes) {
        launch->agreed_changes = block->seen_changes;
        launch->agreed = launch->rounds = 0;
    }
    if (block->round == launch->rounds) {
        block->round++;
        launch->agreed++;
    }
    if (launch->agreed == __atomic_load_n(&launch->working, __ATOMIC_SEQ_CST)) {
        launch->agreed = 0;
        if (++launch->rounds == ROUNDS)
            fail_wait(block, self);
    }
    pthread_mutex_unlock(&launch->lock);
}

/* Called in every 64th pause of a block, because it reads a clock. */
__attribute__((cold)) static void look_for_changes(struct cpu_block *block,
                                                   const struct cpu_thread *self)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    unsigned long *changes = &block->launch->changes;
    if (block->seen != cpu_changes)
        __atomic_add_fetch(changes, 1, __ATOMIC_SEQ_CST);
    unsigned long here = __atomic_load_n(changes, __ATOMIC_SEQ_CST);
    if (block->seen != cpu_changes || block->seen_changes != here) {
        block->seen = cpu_changes;
        block->seen_changes = here;
        block->since = now;
        block->round = 0;
    } else if (now - block->since >= AGREE_AFTER_NS) {
        block->since = now;
        agree(block, self);
    }
}

void cpu_pause(const char *polls, CPU_PLACE)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    self->polls = polls;
    self->file = file;
    self->line = line;
    make_ready(block, self);
    if (++block->pauses % LOOK_EVERY == 0)
        look_for_changes(block, self);
    cpu_run_next(block, self->fibre, self);
    self->polls = NULL;
}

void device_pause(CPU_PLACE)
{
    cpu_pause("device_pause", file, line);
    sched_yield(); /* lets the OS threads of other blocks run */
}

/* ---- the main function of a fibre ---- */

/* A thread that has returned counts as arrived at every barrier at which others wait. */
static void thread_done(struct cpu_block *block, struct cpu_thread *self)
{
    self->state = CPU_DONE;
    block->live--;
    cpu_changes++;
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
    thread->polls = NULL;
    thread->copy_count = thread->copy_group = 0; /* drops copies that nobody waited for */
    return cpu_self = thread;
}

void cpu_run_threads(void)
{
    struct cpu_block *block = cpu_block_here;
    struct cpu_fibre *here = block->entered;
    for (;;) {
        while (block->started < block->count && !has_failed(block->launch)) {
            struct cpu_thread *self = start_next(block, here);
            block->launch->body(block->launch->arg);
            thread_done(block, self);
        }
        cpu_run_next(block, here, NULL);
    }
}
