/* A model of a GPU's caches (cache.h).
 *
 * L1 of each multiprocessor, and L2, have lines of 128 bytes with four sectors, in sets of 16
 * lines; the line that was used least recently makes room. Measurements on an H100 decided the
 * rest:
 *
 *   L1     takes what is stored, too, and sends every store to L2. A load hits if all bytes that it
 *          needs are there.
 *   L2     reads 64 bytes, two sectors, from DRAM. A store reads nothing. A set keeps at most
 *          DIRTY_MOST lines that DRAM does not have yet. What is in L2 when the kernel ends is not
 *          counted, so a small kernel writes nothing to DRAM.
 *
 * Blocks are placed in order of index, one on each multiprocessor, then the next on each, as many
 * as its threads and its shared memory allow, and further ones where a block has ended. In each
 * round each of these makes its requests of one time. Not modelled: registers, instructions, time.
 */
#include "cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* l2 is the size of a half of L2. A multiprocessor asks the nearer one, which keeps what it gets
 * from the other, so both hold the same data. */
static const struct cache_gpu gpus[] = {
    {"h100", 132, 32, 2048, 256 * 1024, 25 * 1024 * 1024},
    {"h200", 132, 32, 2048, 256 * 1024, 30 * 1024 * 1024},
};

int cache_find_gpu(const char *name, struct cache_gpu *gpu)
{
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (strlen(gpus[i].name) == length && strncmp(gpus[i].name, name, length) == 0) {
            int parts = name[length] ? atoi(name + length + 1) : 1;
            if (parts < 1 || parts > gpus[i].multiprocessors)
                return -1;
            *gpu = gpus[i];
            gpu->multiprocessors /= parts;
            gpu->l2 /= parts;
            return 0;
        }
    return -1;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fputs("cache: out of memory\n", stderr);
        _Exit(3);
    }
    return memory;
}

/* ---- one cache ---- */

enum { WAYS = 16, SECTORS = 4, LINE = 128, DIRTY_MOST = 6 };

struct line {
    uint32_t number;         /* of the line in memory, plus 1; 0: there is none */
    uint32_t used;           /* the cache's time when it was used last */
    uint32_t bytes[SECTORS]; /* a bit for each byte that is there */
    uint32_t dirty;          /* a bit for each sector that DRAM does not have yet */
};
struct cache {
    uint32_t sets, time;
    struct line *lines;
};

static struct cache new_cache(long bytes)
{
    uint32_t sets = (uint32_t)(bytes / (WAYS * LINE));
    return (struct cache){sets, 0, allocate((size_t)sets * WAYS, sizeof(struct line))};
}

/* Returns the line that holds the sector, or the one that must make room for it. */
static struct line *find(struct cache *cache, uint32_t sector)
{
    uint32_t number = sector / SECTORS + 1;
    /* The set is chosen by a hash, as on a GPU, so that strides do not meet in few sets. */
    uint64_t hash = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    struct line *set = &cache->lines[(hash * cache->sets >> 32) * WAYS], *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].number == number) {
            oldest = &set[i];
            break;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    oldest->used = ++cache->time;
    return oldest;
}

static bool holds(const struct line *line, uint32_t sector)
{
    return line->number == sector / SECTORS + 1;
}

static void begin_line(struct line *line, uint32_t sector)
{
    *line = (struct line){.number = sector / SECTORS + 1, .used = line->used};
}

/* ---- L1, L2 and DRAM ---- */

struct slot { /* of a multiprocessor, for a block */
    struct cache_block *block;
    size_t next; /* its next request */
    uint32_t time;
};
struct cache_replay {
    int multiprocessors, slots; /* slots: of each multiprocessor */
    long blocks, placed, resident;
    struct cache_block **recorded; /* by index */
    struct slot *slot;
    struct cache *l1, l2;
    struct cache_sums sums;
};

static void write_back(struct cache_replay *r, struct line *line)
{
    r->sums.dram_written += 32 * (uint64_t)__builtin_popcount(line->dirty);
    line->dirty = 0;
}

static struct line *find_in_l2(struct cache_replay *r, uint32_t sector)
{
    struct line *line = find(&r->l2, sector);
    if (!holds(line, sector)) {
        write_back(r, line);
        begin_line(line, sector);
    }
    return line;
}

static void load_from_l2(struct cache_replay *r, struct cache_sector sector)
{
    struct line *line = find_in_l2(r, sector.number);
    uint32_t *bytes = &line->bytes[sector.number % SECTORS];
    if (~*bytes & sector.bytes)
        for (uint32_t *pair = &line->bytes[sector.number % SECTORS / 2 * 2], i = 0; i < 2; i++)
            if (pair[i] != UINT32_MAX) {
                pair[i] = UINT32_MAX;
                r->sums.dram_read += 32;
            }
}

static void store_to_l2(struct cache_replay *r, struct cache_sector sector)
{
    struct line *line = find_in_l2(r, sector.number), *oldest = line;
    line->bytes[sector.number % SECTORS] |= sector.bytes;
    line->dirty |= 1u << sector.number % SECTORS;
    struct line *set = &r->l2.lines[(line - r->l2.lines) / WAYS * WAYS];
    int dirty = 0;
    for (int i = 0; i < WAYS; i++)
        if (set[i].dirty) {
            dirty++;
            oldest = set[i].used < oldest->used ? &set[i] : oldest;
        }
    if (dirty > DIRTY_MOST)
        write_back(r, oldest);
}

static void make_access(struct cache_replay *r, struct cache *l1, enum cache_op op,
                        struct cache_sector sector)
{
    bool loads = op == CACHE_LOAD || op == CACHE_LOAD_PAST_L1;
    r->sums.loads += loads;
    if (op == CACHE_LOAD || op == CACHE_STORE) {
        struct line *line = find(l1, sector.number);
        uint32_t *bytes = &line->bytes[sector.number % SECTORS];
        if (!holds(line, sector.number))
            begin_line(line, sector.number);
        if (loads && !(~*bytes & sector.bytes)) {
            r->sums.hits++;
            return;
        }
        *bytes |= loads ? UINT32_MAX : sector.bytes;
    }
    *(loads ? &r->sums.l2_reads : &r->sums.l2_writes) += 1;
    if (loads || op == CACHE_ATOMIC)
        load_from_l2(r, sector);
    if (!loads)
        store_to_l2(r, sector);
}

/* ---- blocks ---- */

static long least(long a, long b)
{
    return a < b ? a : b;
}

struct cache_replay *cache_begin(const struct cache_gpu *gpu, long blocks, int threads, long shared)
{
    /* Shared memory is taken from L1 in these sizes. A block needs 1 KiB more than it uses. */
    static const long sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    enum { KIB = 1024, SIZES = sizeof sizes / sizeof *sizes };
    struct cache_replay *r = allocate(1, sizeof *r);
    r->multiprocessors = gpu->multiprocessors;
    r->blocks = blocks;
    r->slots = (int)least(least(gpu->blocks, gpu->threads / ((threads + 31) / 32 * 32)),
                          sizes[SIZES - 1] * KIB / (shared + KIB));
    r->slot = allocate((size_t)r->slots * (size_t)r->multiprocessors, sizeof *r->slot);
    r->recorded = allocate((size_t)blocks, sizeof(struct cache_block *));
    long here = least(r->slots, (blocks + r->multiprocessors - 1) / r->multiprocessors);
    int size = 0;
    while (size < SIZES - 1 && sizes[size] * KIB < here * (shared + KIB))
        size++;
    r->l1 = allocate((size_t)r->multiprocessors, sizeof *r->l1);
    for (int i = 0; i < r->multiprocessors; i++)
        r->l1[i] = new_cache(gpu->l1 - sizes[size] * KIB);
    r->l2 = new_cache(gpu->l2);
    return r;
}

/* Gives every free slot the next block. Returns false if that block is not recorded yet. */
static bool place_blocks(struct cache_replay *r)
{
    for (int k = 0; k < r->slots; k++)
        for (int m = 0; m < r->multiprocessors && r->placed < r->blocks; m++) {
            struct slot *slot = &r->slot[m * r->slots + k];
            if (slot->block)
                continue;
            if (!r->recorded[r->placed])
                return false;
            *slot = (struct slot){.block = r->recorded[r->placed++]};
            r->resident++;
        }
    return true;
}

static void run_round(struct cache_replay *r, struct cache *l1, struct slot *slot)
{
    struct cache_block *b = slot->block;
    for (; slot->next < b->request_count && b->requests[slot->next].time <= slot->time;
         slot->next++) {
        const struct cache_request *q = &b->requests[slot->next];
        for (int i = 0; i < q->count; i++)
            make_access(r, l1, q->op, b->sectors[q->first + (size_t)i]);
    }
    slot->time++;
    if (slot->next == b->request_count) {
        free(b->requests);
        free(b->sectors);
        free(b);
        slot->block = NULL;
        r->resident--;
    }
}

void cache_add(struct cache_replay *r, long index, struct cache_block *block)
{
    r->recorded[index] = block;
    while (place_blocks(r) && r->resident > 0)
        for (int i = 0; i < r->multiprocessors * r->slots; i++)
            if (r->slot[i].block)
                run_round(r, &r->l1[i / r->slots], &r->slot[i]);
}

struct cache_sums cache_end(struct cache_replay *r)
{
    struct cache_sums sums = r->sums;
    for (int m = 0; m < r->multiprocessors; m++)
        free(r->l1[m].lines);
    free(r->l2.lines);
    free(r->l1);
    free(r->slot);
    free(r->recorded);
    free(r);
    return sums;
}
