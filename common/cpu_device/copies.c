/* Asynchronous copies and barriers for some threads of a block (device_async.h). The bytes are
 * copied when a thread waits for them and not before, so that a missing wait gives a wrong result.
 */
#include "internal.h"
#include "count.h"

#include <stdlib.h>

/* Makes room for one more than `count` elements. Returns the array, or NULL without memory. */
static void *grown(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    int more = *room ? 2 * *room : 16;
    array = realloc(array, (size_t)more * size);
    *room = array ? more : *room;
    return array;
}

/* ---- asynchronous copies: only the thread that started a copy can wait for it ---- */

void cpu_copy_async(void *shared, const void *global, int bytes, const char *file, int line)
{
    struct cpu_thread *self = cpu_self;
    if (((uintptr_t)shared | (uintptr_t)global) % (uintptr_t)bytes)
        cpu_fail_thread("copy_async of %d bytes is not aligned (%s:%d)", bytes, file, line);
    struct cpu_copy *copies =
        grown(self->copies, self->copy_count, &self->copy_room, sizeof *copies);
    if (!copies)
        cpu_fail_thread("no memory for copy_async (%s:%d)", file, line);
    self->copies = copies;
    count_copy(shared, global, bytes);
    self->copies[self->copy_count++] = (struct cpu_copy){shared, global, bytes, self->copy_group};
}

void copy_async_commit(void)
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

/* ---- group_sync, a barrier for some threads of a block ---- */

void group_sync(int id, int threads, CPU_PLACE)
{
    struct cpu_thread *self = cpu_self;
    struct cpu_block *block = self->block;
    if (id < 1 || id >= GROUPS || threads < WARP || threads > block->count || threads % WARP)
        cpu_fail_thread("group_sync(%d, %d) (%s:%d)", id, threads, file, line);
    count_partial_barrier(file, line);
    int meeting = block->met[id];
    if (++block->arrived[id] == threads) {
        block->arrived[id] = 0;
        block->met[id]++;
        cpu_changes++;
    }
    while (block->met[id] == meeting)
        cpu_pause("group_sync", file, line);
}

/* ---- bulk copies: loads belong to a barrier, stores to a thread ---- */

static void add_bulk(void *to, const void *from, unsigned bytes, const void *key, const char *name,
                     const char *file, int line)
{
    struct cpu_block *block = cpu_self->block;
    struct bulk_copy *bulk = grown(block->bulk, block->bulk_count, &block->bulk_room, sizeof *bulk);
    bool aligned = ((uintptr_t)to | (uintptr_t)from | bytes) % 16 == 0;
    block->bulk = bulk ? bulk : block->bulk;
    if (!aligned || !bulk)
        cpu_fail_thread("%s of %u bytes %s (%s:%d)", name, bytes,
                        aligned ? "has no memory" : "is not aligned", file, line);
    block->bulk[block->bulk_count++] = (struct bulk_copy){to, from, bytes, key};
}

void bulk_load(void *shared, const void *global, unsigned bytes, uint64_t *barrier, bool keep,
               const char *file, int line)
{
    (void)keep;
    add_bulk(shared, global, bytes, barrier, "bulk_load", file, line);
}

void bulk_store(void *global, const void *shared, unsigned bytes, CPU_PLACE)
{
    add_bulk(global, shared, bytes, cpu_self, "bulk_store", file, line);
}

/* Performs the bulk copies that are pending for `key`: a barrier (its loads) or a thread (its
 * stores). The loads of a barrier must have exactly the announced number of bytes. */
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
            count_bulk(copy->to, copy->from, copy->bytes);
            brought += copy->bytes;
        }
    }
    block->bulk_count = kept;
    count_runtime(false);
    if (key != cpu_self && announced != brought)
        cpu_fail(
            block->launch, block,
            "thread (%u,%u,%u) waits for a barrier that was told of %zu bytes; bulk_load brought "
            "%zu",
            cpu_self->index.x, cpu_self->index.y, cpu_self->index.z, announced, brought);
}

void bulk_store_wait(void)
{
    bulk_arrive(cpu_self);
}

/* ---- barriers in shared memory (mbarrier), with the bits that device_async.h explains ---- */

void mbarrier_init(uint64_t *barrier, int count)
{
    *barrier = (uint64_t)count;
}

void mbarrier_arrive(uint64_t *barrier, unsigned bytes)
{
    count_warp_fence();
    cpu_changes++;
    if (bytes > 0)
        add_bulk(NULL, NULL, bytes, barrier, "mbarrier_arrive", "", 0);
    uint64_t count = *barrier & 0xffff;
    *barrier += UINT64_C(1) << 16;
    if ((*barrier >> 16 & 0xffff) == count)
        *barrier += (UINT64_C(1) << 32) - (count << 16);
}

bool mbarrier_passed(uint64_t *barrier, int parity)
{
    if ((*barrier >> 32 & 1) == (uint64_t)parity)
        return false;
    bulk_arrive(barrier);
    count_acquire();
    return true;
}
