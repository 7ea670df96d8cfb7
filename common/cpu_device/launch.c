/* Runs the blocks of a launch on OS threads. */
#include "internal.h"
#include "../device.h"
#include "count.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS_AT_ONCE = 1024, SHUFFLED_WORKERS = 8 };

/* ---- shuffled order ---- */

static uint64_t shuffle_seed; /* atomic; see cpu_device_shuffle */

void cpu_device_shuffle(uint64_t seed)
{
    __atomic_store_n(&shuffle_seed, seed, __ATOMIC_SEQ_CST);
}

/* The random number generator splitmix64 (Steele, Lea and Flood 2014). */
uint64_t cpu_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A random permutation. Draws `step` until Euclid's algorithm finds no common divisor. */
static struct order random_order(uint64_t count, uint64_t *state)
{
    uint64_t step, divisor, most = UINT64_MAX / count; /* step times k must fit in 64 bits */
    do {
        divisor = step = 1 + cpu_random(state) % (most < count ? most : count);
        for (uint64_t rest = count; rest;) {
            uint64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
    } while (divisor != 1);
    return (struct order){count, step, cpu_random(state) % count};
}

/* ---- blocks ---- */

/* The first is linked before the object files with kernels and the second after them
 * (mk/programs.mk). So the memory between them contains all static __shared__ variables of these
 * kernels, and run_block can fill it with NaN. */
extern __thread char cpu_shared_begin[], cpu_shared_end[];

static void run_block(struct cpu_block *block, long index)
{
    if (block->launch->shuffle) {
        index = (long)in_order(&block->launch->shuffled, (uint64_t)index);
        block->random = (uint64_t)index;
        block->random = block->launch->shuffle ^ cpu_random(&block->random);
        block->shuffled = random_order((uint64_t)block->count, &block->random);
    }
    const struct cpu_dim3 *size = &block->at.blocks;
    block->at.block.x = (unsigned)(index % size->x);
    block->at.block.y = (unsigned)(index / size->x % size->y);
    block->at.block.z = (unsigned)(index / size->x / size->y);
    block->started = block->waiting = block->ready_first = block->ready_count = 0;
    block->live = block->count;
    block->bulk_count = 0;
    cpu_changes++;
    memset(block->arrived, 0, sizeof block->arrived);
    for (int i = 0; i < block->count; i++)
        block->threads[i].state = CPU_NEW;
    memset(cpu_shared_begin, 0xff, (uintptr_t)cpu_shared_end - (uintptr_t)cpu_shared_begin);
    memset(block->shared, 0xff, block->launch->shared_bytes);
    count_block_begin(block->launch->number, block->count, &block->at.threads, block->shared,
                      block->launch->shared_bytes, cpu_shared_begin,
                      (uintptr_t)cpu_shared_end - (uintptr_t)cpu_shared_begin);
    struct cpu_fibre *fibre = cpu_take_fibre(block);
    if (fibre)
        cpu_switch_fibre(&block->os, fibre);
    cpu_self = NULL;
    count_block_end();
}

/* The main function of an OS thread in a launch, which takes one block after the other. */
static void *work(void *arg)
{
    struct launch *launch = arg;
    struct cpu_block *block = calloc(1, sizeof *block);
    void *shared = malloc(launch->shared_bytes + !launch->shared_bytes);
    if (!block || !shared) {
        cpu_fail(launch, NULL, "no memory for a block");
        free(block);
        free(shared);
        return NULL;
    }
    cpu_block_here = block;
    block->launch = launch;
    block->at.blocks = launch->blocks;
    block->at.threads = launch->threads;
    block->count = (int)(launch->threads.x * launch->threads.y * launch->threads.z);
    block->shared = shared;
    for (int i = 0; i < block->count; i++)
        block->threads[i].block = block;
    cpu_describe_stack(&block->os);
    long index;
    while (!has_failed(launch) &&
           (index = __atomic_fetch_add(&launch->next_block, 1, __ATOMIC_SEQ_CST)) <
               launch->block_count)
        run_block(block, index);
    cpu_leave_fibres(block);
    for (int i = 0; i < block->count; i++)
        free(block->threads[i].copies);
    free(block->bulk);
    free(shared);
    free(block);
    cpu_block_here = NULL;
    __atomic_add_fetch(&launch->changes, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&launch->working, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

void *cpu_dynamic_shared(void)
{
    return cpu_block_here->shared;
}

#ifdef CPU_DEVICE_COUNT
bool cpu_on_stack(uintptr_t address)
{
    return address - (uintptr_t)cpu_self->fibre->stack < cpu_self->fibre->stack_bytes;
}

long cpu_block_index(void)
{
    const struct cpu_dim3 *i = &cpu_block_here->at.block, *size = &cpu_block_here->at.blocks;
    return (long)i->x + (long)size->x * ((long)i->y + (long)size->y * (long)i->z);
}
#endif

/* Can the device run such a launch? */
static cudaError_t check_launch(bool cooperative, struct cpu_dim3 blocks, struct cpu_dim3 threads,
                                size_t shared_bytes)
{
    uint64_t block_count = (uint64_t)blocks.x * blocks.y * blocks.z;
    uint64_t thread_count = (uint64_t)threads.x * threads.y * threads.z;
    if (thread_count == 0 || thread_count > THREADS_MOST || threads.x > THREADS_MOST ||
        threads.y > THREADS_MOST || threads.z > 64 || blocks.y > 65535 || blocks.z > 65535 ||
        blocks.x > INT32_MAX || block_count == 0)
        return cudaErrorInvalidConfiguration;
    if (shared_bytes > cpu_shared_limit())
        return cudaErrorInvalidValue;
    if (cooperative && (block_count > BLOCKS_AT_ONCE ||
                        (device_limits()->multiprocessors > 0 &&
                         block_count > (uint64_t)device_limits_blocks(
                                           device_limits(), (long)thread_count, shared_bytes))))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

/* Runs all blocks on `workers` OS threads, one of which is the caller. */
static cudaError_t run_blocks(struct launch *launch, bool cooperative, long workers)
{
    long helper_count = 0;
    pthread_t *helpers = malloc((size_t)workers * sizeof *helpers);
    if (!helpers)
        return cudaErrorMemoryAllocation;
    launch->working = workers;
    pthread_mutex_init(&launch->lock, NULL);
    while (helper_count < workers - 1 &&
           pthread_create(&helpers[helper_count], NULL, work, launch) == 0)
        helper_count++;
    __atomic_sub_fetch(&launch->working, workers - 1 - helper_count, __ATOMIC_SEQ_CST);
    if (cooperative && helper_count < workers - 1)
        cpu_fail(launch, NULL, "no OS threads for %ld blocks at once", workers);
    work(launch);
    for (long i = 0; i < helper_count; i++)
        pthread_join(helpers[i], NULL);
    free(helpers);
    pthread_mutex_destroy(&launch->lock);
    return cudaSuccess;
}

cudaError_t cpu_launch(const char *kernel, const void *code, bool cooperative,
                       struct cpu_dim3 blocks, struct cpu_dim3 threads, size_t shared_bytes,
                       void (*body)(void *), void *arg)
{
    TRY(check_launch(cooperative, blocks, threads, shared_bytes));
    cpu_prepare_sanitizer();
    struct launch launch = {.kernel = kernel,
                            .blocks = blocks,
                            .threads = threads,
                            .shared_bytes = shared_bytes,
                            .body = body,
                            .arg = arg,
                            .block_count = (long)blocks.x * (long)blocks.y * (long)blocks.z,
                            .shuffle = __atomic_load_n(&shuffle_seed, __ATOMIC_SEQ_CST),
                            .number = count_launch(kernel, code, blocks, threads, shared_bytes)};
    uint64_t random = launch.shuffle;
    if (launch.shuffle)
        launch.shuffled = random_order((uint64_t)launch.block_count, &random);
    long workers = cooperative      ? launch.block_count
                   : launch.shuffle ? SHUFFLED_WORKERS
                                    : cpu_workers();
    TRY(run_blocks(&launch, cooperative,
                   workers < launch.block_count ? workers : launch.block_count));
    count_launch_end(launch.number);
    if (!launch.failed)
        return cudaSuccess;
    cpu_keep_message(&launch);
    return cudaErrorLaunchFailure;
}
