/* Tests of the model of a GPU's caches: hits and bytes, worked out by hand. */
#include "cpu_device/cache.h"
#include "expect.h"

#include <stdlib.h>

/* A GPU whose L1 and L2 have one set of 16 lines each. Blocks without shared memory leave it 2 KiB
 * of L1. A multiprocessor holds two blocks of 32 threads or one of 64. */
static const struct cache_gpu tiny = {"tiny", 2, 2, 64, 10 * 1024, 2 * 1024};
enum { ALL = -1, DIRTY_LINES = 6, REQUESTS = 64 };

/* Requests of one sector each, one after the other. */
struct step {
    enum cache_op op;
    uint32_t sector, stride; /* the first sector, and the distance to the next one */
    int count, bytes;        /* how many requests; a bit for each byte */
};

static struct cache_block *new_block(void)
{
    struct cache_block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->requests = calloc(REQUESTS, sizeof *b->requests);
    b->sectors = calloc(REQUESTS, sizeof *b->sectors);
    if (!b->requests || !b->sectors)
        abort();
    return b;
}

/* The first request is made at `time`, the next ones at times that are `pace` later. */
static void ask(struct cache_block *b, uint32_t time, uint32_t pace, struct step step)
{
    for (int k = 0; k < step.count; k++) {
        uint32_t at = b->request_count;
        if (at == REQUESTS)
            abort();
        b->requests[at] =
            (struct cache_request){time + pace * (uint32_t)k, 0, (uint8_t)step.op, 1, at};
        b->sectors[at] =
            (struct cache_sector){step.sector + step.stride * (uint32_t)k, (uint32_t)step.bytes};
        b->request_count++;
    }
}

static void sums_are(struct cache_sums s, struct cache_sums expected)
{
    EXPECT(memcmp(&s, &expected, sizeof expected) == 0,
           "%d loads %d hits, L2: %d reads %d writes, DRAM: %d read %d written", (int)s.loads,
           (int)s.hits, (int)s.l2_reads, (int)s.l2_writes, (int)s.dram_read, (int)s.dram_written);
}

/* What one block asks, and the sums that this gives. */
static const struct {
    const char *what;
    struct step steps[5];
    struct cache_sums sums;
} streams[] = {
    /* DRAM delivers two sectors. */
    {"0 is in L1, 1 in L2 only, 2 in neither",
     {{CACHE_LOAD, 0, 0, 2, ALL}, {CACHE_LOAD, 1, 1, 2, ALL}},
     {4, 1, 3, 0, 128, 0}},
    {"the word that was stored is in L1, others of the sector come from DRAM",
     {{CACHE_STORE, 0, 0, 1, 0xf}, {CACHE_LOAD, 0, 0, 1, 0xf}, {CACHE_LOAD, 0, 0, 1, 0xf0}},
     {2, 1, 1, 1, 64, 0}},
    {"16 lines fit",
     {{CACHE_LOAD, 0, 4, 16, ALL}, {CACHE_LOAD, 0, 0, 1, ALL}},
     {17, 1, 16, 0, 16 * 64, 0}},
    {"of 17 lines the first is in neither L1 nor L2",
     {{CACHE_LOAD, 0, 4, 17, ALL}, {CACHE_LOAD, 0, 0, 1, ALL}},
     {18, 0, 18, 0, 18 * 64, 0}},
    {"line 0 is used again, so that line 17 replaces line 1",
     {{CACHE_LOAD, 0, 4, 16, ALL},
      {CACHE_LOAD, 0, 0, 1, ALL},
      {CACHE_LOAD, 64, 0, 1, ALL},
      {CACHE_LOAD, 0, 0, 1, ALL}},
     {19, 2, 17, 0, 17 * 64, 0}},
    {"a set keeps six lines that DRAM does not have: two are written, one of them with two sectors",
     {{CACHE_STORE, 1, 0, 1, ALL}, {CACHE_STORE, 0, 4, DIRTY_LINES + 2, 0xff}},
     {0, 0, 0, DIRTY_LINES + 3, 0, 3 * 32}},
    {"accesses past L1 leave nothing there; of an atomic operation L2 needs the old value",
     {{CACHE_LOAD_PAST_L1, 0, 0, 1, ALL},
      {CACHE_LOAD, 0, 0, 1, ALL},
      {CACHE_STORE_PAST_L1, 4, 0, 1, ALL},
      {CACHE_LOAD, 4, 0, 1, ALL},
      {CACHE_ATOMIC, 8, 0, 1, 0xf}},
     {3, 0, 3, 2, 128, 0}},
};

static void test_streams(void)
{
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        struct cache_replay *r = cache_begin(&tiny, 1, 32, 0);
        struct cache_block *b = new_block();
        expect_case("%s", streams[k].what);
        for (int i = 0; i < 5; i++)
            ask(b, b->request_count, 1, streams[k].steps[i]);
        cache_add(r, 0, b);
        sums_are(cache_end(r), streams[k].sums);
    }
}

/* Blocks 0 and 1 are on different multiprocessors, so neither finds in L1 what the other has
 * loaded. Block 2 follows on the first multiprocessor, where block 0 has loaded sector 0. The
 * blocks come in another order than their index. */
static void test_placement(void)
{
    struct cache_replay *r = cache_begin(&tiny, 3, 64, 0);
    for (int i = 2; i >= 0; i--) {
        struct cache_block *b = new_block();
        ask(b, 0, 1, (struct step){CACHE_LOAD, 0, 0, 1, ALL});
        cache_add(r, i, b);
    }
    sums_are(cache_end(r), (struct cache_sums){3, 1, 2, 0, 64, 0});
}

/* Two blocks of a multiprocessor take turns. Block 0 loads line 0 at times 0 and 2. The 16 lines of
 * block 2 replace line 0 if they are loaded at time 1, and not if at time 3. */
static void test_turns(void)
{
    for (int time = 1; time <= 3; time += 2) {
        struct cache_replay *r = cache_begin(&tiny, 3, 32, 0);
        for (int i = 0; i < 3; i++) {
            struct cache_block *b = new_block();
            if (i == 0)
                ask(b, 0, 2, (struct step){CACHE_LOAD, 0, 0, 2, ALL});
            if (i == 2)
                ask(b, (uint32_t)time, 0, (struct step){CACHE_LOAD, 4, 4, 16, ALL});
            cache_add(r, i, b);
        }
        int hits = time == 3;
        sums_are(cache_end(r), (struct cache_sums){18, hits, 18 - hits, 0, (18 - hits) * 64, 0});
    }
}

/* A block that uses shared memory leaves less of L1: 2 KiB and 1 KiB for the system need 8 KiB of
 * it, 8 KiB and 1 KiB need 16. With an L1 of 18 KiB, 80 or 16 lines remain. */
static void test_shared_memory(void)
{
    struct cache_gpu gpu = tiny;
    gpu.l1 = 18 * 1024;
    for (int kib = 2; kib <= 8; kib += 6) {
        struct cache_replay *r = cache_begin(&gpu, 1, 32, kib * 1024);
        struct cache_block *b = new_block();
        for (int again = 0; again < 2; again++)
            ask(b, b->request_count, 1, (struct step){CACHE_LOAD, 0, 4, 17, ALL});
        cache_add(r, 0, b);
        struct cache_sums s = cache_end(r);
        EXPECT((s.hits == 0) == (kib == 8), "%d hits with %d KiB of shared memory", (int)s.hits,
               kib);
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
    test_streams();
    test_placement();
    test_turns();
    test_shared_memory();
    test_names();
    return expect_done();
}
