/* Counts the memory accesses of a kernel exactly as they are in the source.
 *
 * The count build compiles kernels at -O0 with -fsanitize=thread: the compiler inserts a call
 * before every access to memory that other threads could see. The functions that it calls are those
 * of count_compiler.c, not the sanitizer's.
 *
 * Each access has a place in the source, which includes the calls that led to it. The k-th accesses
 * of a warp's threads at one place form a request, as if the lanes executed in step. When a block
 * has ended, its requests are formed and measured (count_requests.c):
 *
 *   sectors      the different 32-byte sectors that a request touches
 *   ideal        the fewest sectors that could hold its different bytes
 *   lines        the different 128-byte lines
 *   wavefronts   the passes through shared memory. In a pass each of the 32 banks delivers 4 bytes.
 *                A request of 8 bytes a lane needs passes for each half of the warp, one of 16
 *                bytes for each quarter
 *   conflicts    the passes beyond one for each part
 *   segments     the memory segments that a C1060 (compute capability 1.3) transfers, which serves
 *                the two half-warps of a request one after the other
 *   segment_bytes   the sum of their sizes
 *   busiest      the requests of the warp that makes most of them
 *
 * Errors are found, too: reads of shared memory that the block has not written, and races inside a
 * block (count_faults.c) and between blocks (count_blocks.c); arrays of a thread that its registers
 * cannot hold (count_requests.c); __shared__ arrays that are too large (count_static.c). The exit
 * status is then 1. At exit the counts go to the file that COUNT_CSV names (count_table.c).
 *
 * This file has the list of device memory, the list of places, and the log of a block's accesses.
 */
#include "count_internal.h"

#include <unistd.h>

#ifdef CPU_DEVICE_COUNT /* empty in other builds, so that all files may be compiled */

pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

void count_out_of_memory(void)
{
    fputs("count: out of memory\n", stderr);
    _exit(3);
}

void *count_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * size);
    if (!array)
        count_out_of_memory();
    return array;
}

static void cannot_write(const char *path)
{
    fprintf(stderr, "count: cannot write %s\n", path);
    _exit(2);
}

FILE *count_open(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        cannot_write(path);
    return file;
}

void count_close(FILE *file, const char *path)
{
    if (fclose(file) != 0)
        cannot_write(path);
}

FILE *count_run(const char *tool, const char *rest)
{
    char exe[4096], command[4500];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length < 0 ? 0 : length] = 0;
    snprintf(command, sizeof command, "%s '%s' %s", tool, exe, rest);
    return popen(command, "r");
}

/* ---- device memory ---- */

struct range {
    uintptr_t begin, end;
    struct mark *marks;
    uint64_t device; /* where it begins in device memory */
};
static struct range *ranges; /* sorted by address */
static size_t range_count, range_room;
static uint64_t device_end;

void count_allocated(const void *memory, size_t bytes)
{
    if (!memory)
        return;
    pthread_mutex_lock(&count_lock);
    size_t i = range_count;
    ranges = count_grow(ranges, range_count++, &range_room, sizeof *ranges);
    for (; i > 0 && ranges[i - 1].begin > (uintptr_t)memory; i--)
        ranges[i] = ranges[i - 1];
    ranges[i] = (struct range){(uintptr_t)memory, (uintptr_t)memory + bytes, count_new_marks(bytes),
                               device_end};
    device_end += (bytes + 511) / 512 * 512;
    pthread_mutex_unlock(&count_lock);
}

void count_freed(const void *memory)
{
    pthread_mutex_lock(&count_lock);
    size_t i = 0;
    while (i < range_count && ranges[i].begin != (uintptr_t)memory)
        i++;
    if (i < range_count) {
        free(ranges[i].marks);
        memmove(&ranges[i], &ranges[i + 1], (range_count - i - 1) * sizeof *ranges);
        range_count--;
    }
    pthread_mutex_unlock(&count_lock);
}

/* Returns the allocation that contains the address, or NULL. No lock is needed, because the ranges
 * do not change while a kernel runs. */
static const struct range *range_of(uintptr_t address)
{
    size_t low = 0, high = range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < range_count && ranges[low].begin <= address ? &ranges[low] : NULL;
}

uintptr_t count_base(uintptr_t address)
{
    if (is_in(count_here->shared, address))
        return count_here->shared[0];
    if (is_in(count_here->static_shared, address))
        return count_here->static_shared[0];
    const struct range *range = range_of(address);
    return range ? range->begin : 0;
}

struct mark *count_marks(uintptr_t address, uintptr_t *base)
{
    const struct range *range = range_of(address);
    *base = range ? range->begin : 0;
    return range ? range->marks : NULL;
}

uint64_t count_device_address(uintptr_t address)
{
    const struct range *range = range_of(address);
    return range->device + (address - range->begin);
}

/* ---- places in the source ---- */

struct place *count_places;
size_t count_place_count;
static size_t place_room;

__thread struct counter *count_here;

int count_thread(void)
{
    const struct cpu_dim3 *i = &cpu_self->index, *size = &count_here->size;
    return (int)(i->x + size->x * (i->y + size->y * i->z));
}

static int place_here(const struct thread_state *t, uintptr_t pc)
{
    int depth = t->depth < DEPTH_MOST ? t->depth : DEPTH_MOST;
    uint64_t hash = count_hash(t->hashes[depth], pc);
    size_t slot = hash % 1024;
    if (count_here->cache[slot].hash == hash)
        return count_here->cache[slot].place;
    pthread_mutex_lock(&count_lock);
    size_t i = 0;
    while (i < count_place_count && count_places[i].hash != hash)
        i++;
    if (i == count_place_count) {
        struct place *p = COUNT_ADD(count_places, count_place_count, place_room);
        p->hash = hash;
        p->depth = depth;
        memcpy(p->pc, t->calls, (size_t)depth * sizeof *p->pc);
        p->pc[depth] = pc;
    }
    pthread_mutex_unlock(&count_lock);
    count_here->cache[slot].hash = hash;
    count_here->cache[slot].place = (int)i;
    return (int)i;
}

/* ---- one access ---- */

void (*count_watch)(uintptr_t address, int bytes, bool writes);

static void watch(uintptr_t address, int bytes, bool writes, uintptr_t pc)
{
    if (!count_watch)
        return;
    count_here->watched = pc;
    count_watch(address, bytes, writes);
}

void count_watched(const char **kernel, const char **file, int *line)
{
    int place = place_here(&count_here->state[count_thread()], count_here->watched);
    pthread_mutex_lock(&count_lock);
    count_find_places();
    *kernel = count_launches[count_here->launch].kernel;
    *file = count_where(place)->file;
    *line = count_where(place)->line;
    pthread_mutex_unlock(&count_lock);
}

uint32_t count_next_time(struct thread_state *t)
{
    if (t->barriers > count_here->epoch) {
        count_here->epoch = t->barriers;
        count_here->epoch_time = count_here->latest;
    }
    if (t->barriers > t->time_barriers && t->time < count_here->epoch_time)
        t->time = count_here->epoch_time;
    t->time_barriers = t->barriers;
    if (++t->time > count_here->latest)
        count_here->latest = t->time;
    return t->time;
}

static void log_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc)
{
    enum space space = LOCAL;
    bool writes = op == STORE || op == ATOMIC || op == COPY_STORE;
    if (is_in(count_here->shared, address) || is_in(count_here->static_shared, address))
        space = SHARED;
    else if (range_of(address))
        space = GLOBAL;
    /* memory of the CPU device itself, such as threadIdx, or no memory at all */
    bool is_other = space == LOCAL && !cpu_on_stack(address);
    if (space == GLOBAL || is_other)
        watch(address, bytes, writes, pc);
    if (is_other)
        return;
    int thread = count_thread();
    struct thread_state *t = &count_here->state[thread];
    if (space != LOCAL)
        t->polled = 0;
    int place = place_here(t, pc);
    if ((size_t)place >= count_here->occurrence_places) {
        size_t count = (size_t)place + 64, row = THREADS_MOST * sizeof *count_here->occurrences;
        count_here->occurrences = realloc(count_here->occurrences, count * row);
        if (!count_here->occurrences)
            count_out_of_memory();
        memset(count_here->occurrences + count_here->occurrence_places * THREADS_MOST, 0,
               (count - count_here->occurrence_places) * row);
        count_here->occurrence_places = count;
    }
    uint32_t k = count_here->occurrences[(size_t)place * THREADS_MOST + (size_t)thread]++;
    *COUNT_ADD(count_here->log, count_here->count, count_here->room) =
        (struct access){.address = address,
                        .place = (uint32_t)place,
                        .occurrence = k,
                        .time = space == GLOBAL ? count_next_time(t) : 0,
                        .thread = (uint16_t)thread,
                        .width = (uint8_t)bytes,
                        .space = space & 15,
                        .op = op & 15};
    struct touch now = {thread, place, t->barriers, t->fences, atomic, writes, 0};
    if (space != LOCAL)
        count_check(address, bytes, space, writes, &now);
    if (space == GLOBAL)
        count_check_blocks(address, bytes, writes, &now);
}

bool count_enter(void)
{
    if (!count_here || !cpu_self || count_here->in_runtime)
        return false;
    count_here->in_runtime = true;
    return true;
}

void count_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc)
{
    if (!count_enter())
        return;
    log_access(address, bytes, op, atomic, pc);
    count_here->in_runtime = false;
}

void count_look(uintptr_t address, int bytes, uintptr_t pc)
{
    if (!count_enter())
        return;
    if (!is_in(count_here->shared, address) && !is_in(count_here->static_shared, address) &&
        !cpu_on_stack(address))
        watch(address, bytes, false, pc);
    count_here->in_runtime = false;
}

void count_flag(uintptr_t address, int bytes, uintptr_t pc)
{
    if (!count_here || !cpu_self)
        return;
    struct thread_state *t = &count_here->state[count_thread()];
    if (t->polled != address)
        count_access(address, bytes, LOAD, true, pc);
    t->polled = address;
    t->acquired = true;
}

void count_bytes(uintptr_t address, size_t bytes, size_t alignment, enum op op, uintptr_t pc)
{
    while (bytes > 0) {
        int piece = alignment < 16 ? (int)alignment : 16;
        while (address % (uintptr_t)piece || bytes < (size_t)piece)
            piece /= 2;
        count_access(address, piece, op, false, pc);
        address += (uintptr_t)piece;
        bytes -= (size_t)piece;
    }
}

/* ---- functions that the CPU device calls (count.h) ---- */

void count_bulk(const void *to, const void *from, size_t bytes)
{
    uintptr_t address = (uintptr_t)to;
    bool stores = range_of(address) != NULL;
    if (count_here->replay)
        count_cache_bulk(stores ? address : (uintptr_t)from, bytes, stores);
    if (is_in(count_here->shared, address))
        memset(&count_here->written[address - count_here->shared[0]], 1, bytes);
}

void count_copy(const void *shared, const void *global, int bytes)
{
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    count_access((uintptr_t)global, bytes, COPY_LOAD, false, pc);
    /* pc - 1, so that load and store have different places */
    count_access((uintptr_t)shared, bytes, COPY_STORE, false, pc - 1);
}

void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place)
{
    count_bytes((uintptr_t)from, bytes, alignment, LOAD, (uintptr_t)place);
    count_bytes((uintptr_t)to, bytes, alignment, STORE, (uintptr_t)place - 1);
    memmove(to, from, bytes);
}

void count_runtime(bool begins)
{
    count_here->in_runtime = begins;
}

void count_barrier(const char *file, int line)
{
    struct thread_state *t = &count_here->state[count_thread()];
    size_t i = 0;
    count_order_barrier();
    while (i < count_here->barrier_count && !count_is_barrier(&count_here->barriers[i], file, line))
        i++;
    if (i == count_here->barrier_count)
        *COUNT_ADD(count_here->barriers, count_here->barrier_count, count_here->barrier_room) =
            (struct barrier){count_here->launch, line, file, 0};
    count_here->barriers[i].waits++;
    if ((size_t)t->barriers == count_here->passed_count)
        *COUNT_ADD(count_here->passed, count_here->passed_count, count_here->passed_room) = (int)i;
    t->barriers++;
    t->fences++;
}

void count_partial_barrier(const char *file, int line)
{
    count_order_unknown();
    count_barrier(file, line);
}

void count_warp_fence(void)
{
    count_order_warp();
    count_here->state[count_thread()].fences++;
}

void count_shuffle(void)
{
    count_here->state[count_thread()].shuffles++;
}

void count_acquire(void)
{
    count_order_unknown();
    count_here->state[count_thread()].acquired = true;
}

/* ---- launches and blocks ---- */

struct launch_record *count_launches;
size_t count_launch_count;
static size_t launch_room;
struct row *count_rows;
size_t count_row_count;
static size_t row_room;
struct barrier *count_barriers;
size_t count_barrier_count;
static size_t barrier_room;
static struct counter *unused;
static uint64_t block_number;

int count_launch(const char *kernel, const void *code, struct cpu_dim3 blocks,
                 struct cpu_dim3 threads, size_t shared_bytes)
{
    static bool registered;
    long block_count = (long)blocks.x * (long)blocks.y * (long)blocks.z;
    int thread_count = (int)(threads.x * threads.y * threads.z);
    const char *name = kernel + strspn(kernel, "(");
    pthread_mutex_lock(&count_lock);
    if (!registered)
        atexit(count_write_table);
    registered = true;
    int number = (int)count_launch_count;
    *COUNT_ADD(count_launches, count_launch_count, launch_room) = (struct launch_record){
        .kernel = strdup(kernel),
        .name = strndup(name, strcspn(name, "<)")),
        .code = code,
        .arguments = "",
        .blocks = block_count,
        .threads = thread_count,
        .static_begin = LONG_MAX,
        .ordering = count_new_ordering(number, block_count),
        .replay = count_cache_launch(block_count, thread_count, shared_bytes)};
    pthread_mutex_unlock(&count_lock);
    return number;
}

void count_launch_end(int launch)
{
    pthread_mutex_lock(&count_lock);
    struct launch_record *record = &count_launches[launch];
    count_end_ordering(record->ordering);
    record->ordering = NULL;
    if (record->replay)
        record->cached = cache_end(record->replay);
    record->replay = NULL;
    pthread_mutex_unlock(&count_lock);
}

/* Takes an unused counter, or makes one, for a block of this launch. */
static struct counter *take_counter(int launch, int threads)
{
    pthread_mutex_lock(&count_lock);
    struct counter *counter = unused;
    if (counter)
        unused = counter->next;
    struct launch_record record = count_launches[launch];
    pthread_mutex_unlock(&count_lock);
    if (!counter)
        counter = calloc(1, sizeof *counter);
    if (!counter)
        count_out_of_memory();
    size_t first = offsetof(struct counter, launch);
    memset((char *)counter + first, 0, sizeof *counter - first);
    memset(counter->state, 0, (size_t)threads * sizeof *counter->state);
    for (int t = 0; t < threads; t++)
        counter->state[t].hashes[0] = 1;
    counter->launch = launch;
    counter->threads = threads;
    counter->pictured = count_is_pictured(record.name);
    counter->ordering = record.ordering;
    counter->replay = record.replay;
    counter->block = __atomic_add_fetch(&block_number, 1, __ATOMIC_SEQ_CST);
    return counter;
}

void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes)
{
    struct counter *counter = take_counter(launch, threads);
    size_t bytes = shared_bytes + static_bytes;
    if (bytes > counter->written_room) {
        free(counter->written);
        counter->written = malloc(bytes);
        counter->written_room = bytes;
    }
    if (counter->replay)
        counter->recorded = calloc(1, sizeof *counter->recorded);
    if ((bytes && !counter->written) || (counter->replay && !counter->recorded))
        count_out_of_memory();
    if (bytes)
        memset(counter->written, 0, bytes);
    counter->size = *size;
    counter->shared[0] = (uintptr_t)shared;
    counter->shared[1] = (uintptr_t)shared + shared_bytes;
    counter->static_shared[0] = (uintptr_t)static_shared;
    counter->static_shared[1] = (uintptr_t)static_shared + static_bytes;
    counter->index = cpu_block_index();
    count_here = counter;
}

static void add_barrier(const struct barrier *b)
{
    size_t i = count_barrier_count;
    while (i > 0 && !(count_barriers[i - 1].launch == b->launch &&
                      count_is_barrier(&count_barriers[i - 1], b->file, b->line)))
        i--;
    if (i > 0) {
        count_barriers[i - 1].waits += b->waits;
        return;
    }
    *COUNT_ADD(count_barriers, count_barrier_count, barrier_room) = *b;
}

void count_block_end(void)
{
    count_requests();
    if (count_here->replay)
        count_cache_block();
    pthread_mutex_lock(&count_lock);
    count_add_races();
    for (size_t i = 0; i < count_here->barrier_count; i++)
        add_barrier(&count_here->barriers[i]);
    for (size_t i = 0; i < count_here->row_count; i++) {
        const struct row *here = &count_here->rows[i];
        struct row *row = count_find_row(&count_rows, &count_row_count, &row_room, here);
        count_add_sums(&row->sums, &here->sums);
        row->busiest = here->busiest > row->busiest ? here->busiest : row->busiest;
    }
    count_here->next = unused;
    unused = count_here;
    pthread_mutex_unlock(&count_lock);
    count_here = NULL;
}

#endif
