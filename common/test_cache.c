/* Tests of the model of a GPU's caches: the hits and bytes of short streams of requests, worked out
 * by hand. Run: make test. */
#include "cpu_device/cache.h"
#include "expect.h"

#include <stdlib.h>

/* A GPU whose L1 and L2 have one set of 16 lines each. Blocks without shared memory leave it 2 KiB
 * of L1. A multiprocessor holds two blocks of 32 threads or one of 64. */
static const struct cache_gpu tiny = {"tiny", 2, 2, 64, 10 * 1024, 2 * 1024};
enum { ALL = -1, DIRTY_LINES = 6 };

/* A block makes requests of one sector, one after the other. */
static struct cache_block *new_block(void)
{
    struct cache_block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->requests = calloc(64, sizeof *b->requests);
    b->sectors = calloc(64, sizeof *b->sectors);
    return b;
}
static void ask(struct cache_block *b, uint32_t time, enum cache_op op, uint32_t sector, int bytes)
{
    if (!b->requests || !b->sectors || b->request_count == 64)
        abort();
    b->requests[b->request_count] =
        (struct cache_request){time, 0, (uint8_t)op, 1, b->request_count};
    b->sectors[b->request_count++] = (struct cache_sector){sector, (uint32_t)bytes};
}

#define SUMS(s, ...)                                                                               \
    do {                                                                                           \
        struct cache_sums expected = {__VA_ARGS__};                                                \
        EXPECT(memcmp(&(s), &expected, sizeof expected) == 0,                                      \
               "%d loads %d hits, L2: %d reads %d writes, DRAM: %d read %d written",               \
               (int)(s).loads, (int)(s).hits, (int)(s).l2_reads, (int)(s).l2_writes,               \
               (int)(s).dram_read, (int)(s).dram_written);                                         \
    } while (0)

static struct cache_sums run(struct cache_block *one)
{
    struct cache_replay *r = cache_begin(&tiny, 1, 32, 0);
    cache_add(r, 0, one);
    return cache_end(r);
}

/* DRAM delivers two sectors. The second load of sector 0 hits L1; sector 1 is in L2 only; sector 2
 * is neither in L1 nor in L2. */
static void test_loads(void)
{
    struct cache_block *b = new_block();
    const uint32_t sectors[] = {0, 0, 1, 2};
    for (uint32_t t = 0; t < 4; t++)
        ask(b, t, CACHE_LOAD, sectors[t], ALL);
    struct cache_sums s = run(b);
    SUMS(s, 4, 1, 3, 0, 128, 0);
}

/* A thread finds the word that it has stored in L1. The other words of the sector come from DRAM.
 * */
static void test_stores(void)
{
    struct cache_block *b = new_block();
    ask(b, 0, CACHE_STORE, 0, 0x0000000f);
    ask(b, 1, CACHE_LOAD, 0, 0x0000000f);
    ask(b, 2, CACHE_LOAD, 0, 0x000000f0);
    struct cache_sums s = run(b);
    SUMS(s, 2, 1, 1, 1, 64, 0);
}

/* 16 lines fit, so the second load of line 0 hits. With 17 it misses L1 and L2. If line 0 is used
 * again before the 17th, that one replaces line 1, and line 0 still hits. */
static void test_least_recently_used(void)
{
    for (int lines = 16; lines <= 18; lines++) {
        struct cache_block *b = new_block();
        for (uint32_t i = 0; i < 16; i++)
            ask(b, i, CACHE_LOAD, 4 * i, ALL);
        if (lines == 18)
            ask(b, 16, CACHE_LOAD, 0, ALL);
        if (lines >= 17)
            ask(b, 17, CACHE_LOAD, 4 * 16, ALL);
        ask(b, 18, CACHE_LOAD, 0, ALL);
        struct cache_sums s = run(b);
        if (lines == 16)
            SUMS(s, 17, 1, 16, 0, 16 * 64, 0);
        else if (lines == 17)
            SUMS(s, 18, 0, 18, 0, 18 * 64, 0);
        else
            SUMS(s, 19, 2, 17, 0, 17 * 64, 0);
    }
}

/* A set keeps six lines that DRAM does not have. Stores to a seventh and an eighth write the two
 * oldest, of which the first has two such sectors. */
static void test_writing_back(void)
{
    struct cache_block *b = new_block();
    ask(b, 0, CACHE_STORE, 1, ALL);
    for (uint32_t i = 0; i < DIRTY_LINES + 2; i++)
        ask(b, 1 + i, CACHE_STORE, 4 * i, 0xff);
    struct cache_sums s = run(b);
    SUMS(s, 0, 0, 0, DIRTY_LINES + 3, 0, 3 * 32);
}

/* Loads past L1 leave nothing there. Of an atomic operation L2 needs the old value. */
static void test_past_l1(void)
{
    struct cache_block *b = new_block();
    ask(b, 0, CACHE_LOAD_PAST_L1, 0, ALL);
    ask(b, 1, CACHE_LOAD, 0, ALL);
    ask(b, 2, CACHE_STORE_PAST_L1, 4, ALL);
    ask(b, 3, CACHE_LOAD, 4, ALL);
    ask(b, 4, CACHE_ATOMIC, 8, 0xf);
    struct cache_sums s = run(b);
    SUMS(s, 3, 0, 3, 2, 128, 0);
}

/* Blocks 0 and 1 are on different multiprocessors, so neither finds in L1 what the other has
 * loaded. Block 2 follows on the first multiprocessor, where block 0 has loaded sector 0. The
 * blocks come in another order than their index. */
static void test_placement(void)
{
    struct cache_replay *r = cache_begin(&tiny, 3, 64, 0);
    for (int i = 2; i >= 0; i--) {
        struct cache_block *b = new_block();
        ask(b, 0, CACHE_LOAD, 0, ALL);
        cache_add(r, i, b);
    }
    struct cache_sums s = cache_end(r);
    SUMS(s, 3, 1, 2, 0, 64, 0);
}

/* Two blocks of a multiprocessor take turns. Block 0 loads line 0 at times 0 and 2. The 16 lines of
 * block 2 replace line 0 if they are loaded at time 1, and not if at time 3. */
static void test_turns(void)
{
    for (uint32_t time = 1; time <= 3; time += 2) {
        struct cache_replay *r = cache_begin(&tiny, 3, 32, 0);
        for (int i = 0; i < 3; i++) {
            struct cache_block *b = new_block();
            for (uint32_t k = 0; i == 0 && k < 2; k++)
                ask(b, 2 * k, CACHE_LOAD, 0, ALL);
            for (uint32_t k = 1; i == 2 && k <= 16; k++)
                ask(b, time, CACHE_LOAD, 4 * k, ALL);
            cache_add(r, i, b);
        }
        struct cache_sums s = cache_end(r);
        if (time == 1)
            SUMS(s, 18, 0, 18, 0, 18 * 64, 0);
        else
            SUMS(s, 18, 1, 17, 0, 17 * 64, 0);
    }
}

/* A block that uses shared memory leaves less of L1: 2 KiB and 1 KiB for the system need 8 KiB of
 * it, 8 KiB and 1 KiB need 16. With an L1 of 18 KiB, 80 or 16 lines remain. */
static void test_shared_memory(void)
{
    struct cache_gpu gpu = tiny;
    gpu.l1 = 18 * 1024;
    for (int k = 0; k < 2; k++) {
        struct cache_replay *r = cache_begin(&gpu, 1, 32, k ? 8 * 1024 : 2 * 1024);
        struct cache_block *b = new_block();
        for (uint32_t i = 0; i < 34; i++)
            ask(b, i, CACHE_LOAD, 4 * (i % 17), ALL);
        cache_add(r, 0, b);
        struct cache_sums s = cache_end(r);
        EXPECT((s.hits == 0) == (k == 1), "%d hits with %d KiB of shared memory", (int)s.hits,
               k ? 8 : 2);
    }
}

static void test_names(void)
{
    struct cache_gpu whole, part;
    EXPECT(cache_find_gpu("h100", &whole) == 0 && whole.multiprocessors == 132,
           "%d multiprocessors", whole.multiprocessors);
    EXPECT(cache_find_gpu("h100/33", &part) == 0 && part.multiprocessors == 4 &&
               part.l2 == whole.l2 / 33 && part.l1 == whole.l1,
           "%d multiprocessors, L2 %ld", part.multiprocessors, part.l2);
    const char *wrong[] = {"", "h10", "h1000", "h100/", "h100/0", "h100/133", "h100/x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(cache_find_gpu(wrong[i], &part) != 0, "'%s' is a GPU", wrong[i]);
}

int main(void)
{
    test_loads();
    test_stores();
    test_least_recently_used();
    test_writing_back();
    test_past_l1();
    test_placement();
    test_turns();
    test_shared_memory();
    test_names();
    return expect_done();
}
