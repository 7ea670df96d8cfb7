/* A model of a GPU's caches (cache.c): from the requests of a kernel's warps it predicts how many
 * sectors are in L1, how many go to L2, and how many bytes DRAM delivers and receives. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

struct cache_gpu {
    char name[16];
    int multiprocessors, blocks, threads; /* blocks, threads: the most on a multiprocessor */
    long l1, l2;                          /* bytes; shared memory is taken from L1 */
};
/* Finds "h100", "h200", or "h100/30", which has a thirtieth of the multiprocessors and of the L2:
 * on it a thirtieth of many equal systems moves a thirtieth of their bytes. Returns 0, or -1 if
 * there is no such GPU. */
int cache_find_gpu(const char *name, struct cache_gpu *gpu);

/* What a warp asks of one 32-byte sector. bytes: a bit for each of its bytes. */
struct cache_sector {
    uint32_t number, bytes;
};
/* Copies from global to shared memory bypass L1. Atomic operations are made in L2. */
enum cache_op { CACHE_LOAD, CACHE_STORE, CACHE_LOAD_PAST_L1, CACHE_STORE_PAST_L1, CACHE_ATOMIC };
/* A request of a warp: sectors[first] to sectors[first + count - 1] of its block. */
struct cache_request {
    uint32_t time;
    uint16_t warp;
    uint8_t op, count;
    size_t first;
};
/* The requests of a block, sorted by time: its warps take turns. */
struct cache_block {
    struct cache_request *requests;
    struct cache_sector *sectors;
    size_t request_count, sector_count, request_room, sector_room;
};

struct cache_sums {
    /* sectors: that loads ask for, that L1 has of these, that L2 is asked for, that L2 receives */
    uint64_t loads, hits, l2_reads, l2_writes;
    uint64_t dram_read, dram_written; /* bytes */
};

/* One launch, which begins with empty caches. `shared`: bytes of a block. */
struct cache_replay;
struct cache_replay *cache_begin(const struct cache_gpu *gpu, long blocks, int threads,
                                 long shared);
/* Hands over the requests of a block, in any order of the indices. The replay goes on as far as it
 * can, and frees the blocks that have ended. */
void cache_add(struct cache_replay *replay, long index, struct cache_block *block);
/* All blocks must have been handed over. */
struct cache_sums cache_end(struct cache_replay *replay);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
