/* If COUNT_CACHE names a GPU, e.g. "h100", records what the warps of each block ask memory for and
 * replays it through a model of the caches (cache.c). The file COUNT_CACHE_CSV gets a row a launch.
 * A block is in memory until the model has replayed it. */
#include "count_internal.h"

#include <unistd.h>

#ifdef CPU_DEVICE_COUNT

static struct cache_gpu gpu;
static pthread_mutex_t replay_lock = PTHREAD_MUTEX_INITIALIZER;

struct cache_replay *count_cache_launch(long blocks, int threads, size_t shared_bytes)
{
    const char *name = getenv("COUNT_CACHE");
    if (!name || !getenv("COUNT_CACHE_CSV"))
        return NULL;
    if (cache_find_gpu(name, &gpu) != 0) {
        fprintf(stderr, "count: COUNT_CACHE '%s': allowed are h100 and h200\n", name);
        _exit(2);
    }
    return cache_begin(&gpu, blocks, threads, (long)shared_bytes);
}

static struct cache_request *new_request(uint32_t time, int thread, enum cache_op op)
{
    struct cache_block *b = count_here->recorded;
    struct cache_request *request = COUNT_ADD(b->requests, b->request_count, b->request_room);
    *request =
        (struct cache_request){time, (uint16_t)(thread / WARP), (uint8_t)op, 0, b->sector_count};
    return request;
}

/* Adds these bytes of device memory to the request, which must be the last one. */
static void add_bytes(struct cache_request *request, uint64_t begin, uint64_t end)
{
    struct cache_block *b = count_here->recorded;
    while (begin < end) {
        uint64_t next = begin / 32 * 32 + 32, stop = next < end ? next : end;
        uint32_t bytes = (uint32_t)(((UINT64_C(1) << (stop - begin)) - 1) << begin % 32);
        size_t i = request->first;
        while (i < b->sector_count && b->sectors[i].number != begin / 32)
            i++;
        if (i == b->sector_count) {
            *COUNT_ADD(b->sectors, b->sector_count, b->sector_room) =
                (struct cache_sector){(uint32_t)(begin / 32), 0};
            request->count++;
        }
        b->sectors[i].bytes |= bytes;
        begin = stop;
    }
}

void count_cache_request(const struct access *lane, int lanes)
{
    if (lane->space != GLOBAL)
        return;
    static const enum cache_op ops[] = {[LOAD] = CACHE_LOAD,
                                        [STORE] = CACHE_STORE,
                                        [ATOMIC] = CACHE_ATOMIC,
                                        [COPY_LOAD] = CACHE_LOAD_PAST_L1};
    struct cache_request *request = new_request(lane->time, lane->thread, ops[lane->op]);
    for (int i = 0; i < lanes; i++) {
        uint64_t address = count_device_address(lane[i].address);
        add_bytes(request, address, address + lane[i].width);
    }
}

void count_cache_bulk(uintptr_t global, size_t bytes, bool stores)
{
    enum { PIECE = 128 };
    int thread = count_thread();
    uint32_t time = count_next_time(&count_here->state[thread]);
    uint64_t begin = count_device_address(global), end = begin + bytes;
    for (; begin < end; begin += PIECE)
        add_bytes(new_request(time, thread, stores ? CACHE_STORE_PAST_L1 : CACHE_LOAD_PAST_L1),
                  begin, begin + PIECE < end ? begin + PIECE : end);
}

static int by_time(const void *a, const void *b)
{
    const struct cache_request *x = a, *y = b;
    int order = (x->time > y->time) - (x->time < y->time);
    order = order ? order : x->warp - y->warp;
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

void count_cache_block(void)
{
    struct cache_block *block = count_here->recorded;
    qsort(block->requests, block->request_count, sizeof *block->requests, by_time);
    pthread_mutex_lock(&replay_lock);
    cache_add(count_here->replay, cpu_block_index(), block);
    pthread_mutex_unlock(&replay_lock);
}

void count_write_caches(void)
{
    const char *path = getenv("COUNT_CACHE_CSV");
    if (!path || !getenv("COUNT_CACHE"))
        return;
    FILE *file = count_open(path);
    fputs("launch,kernel,arguments,blocks,threads,gpu,load_sectors,load_sectors_l1,"
          "l2_read_sectors,l2_write_sectors,dram_read_bytes,dram_write_bytes\n",
          file);
    for (size_t i = 0; i < count_launch_count; i++) {
        const struct launch_record *l = &count_launches[i];
        fprintf(file, "%zu,%s,%s,%ld,%d,%s", i, l->name, l->arguments, l->blocks, l->threads,
                getenv("COUNT_CACHE"));
        const uint64_t *sum = (const uint64_t *)&l->cached;
        for (size_t k = 0; k < sizeof l->cached / sizeof *sum; k++)
            fprintf(file, ",%llu", (unsigned long long)sum[k]);
        fputc('\n', file);
    }
    count_close(file, path);
}
#endif
