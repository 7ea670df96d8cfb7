/* Exact counts of a kernel's memory accesses, as the source has them. The count build compiles kernels at -O0 with the
 * code generation of -fsanitize=thread, which calls a function before every access of memory that others could see; those
 * functions are here instead of the sanitizer's.
 *
 * An access belongs to a place in the source (the calls that led there, too) and, for its thread, is the k-th there. The
 * accesses of a warp's threads with the same place and k are one request, as lanes that run in step make it. When a block
 * has ended, its requests are formed and measured:
 *
 *   sectors      different 32-byte sectors that a request touches; ideal: as few as its different bytes fit in
 *   lines        different 128-byte lines
 *   wavefronts   of shared memory: 32 banks of 4 bytes, each gives one word a wavefront. Requests of 8 and 16 bytes a lane go by
 *                half and quarter warps. conflicts: wavefronts beyond one for each of these parts
 *   segments     what a C1060 (compute capability 1.3) transfers for each half-warp, and their bytes
 *
 * Beside that: words of shared memory that are read before this block has written them; and two threads of a block at one
 * word of shared or global memory, one of them writing, with no barrier (or __syncwarp, in a warp) between.
 *
 * At exit the counts are written to the file that COUNT_CSV names; with errors found the status is 1. */
#include "count.h"

#ifdef CPU_DEVICE_COUNT /* who copies this directory compiles all of it */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WARP = 32, THREADS_MOST = 1024, DEPTH_MOST = 24, NONE = -1 };
enum space { GLOBAL, SHARED, LOCAL };
enum op { LOAD, STORE, ATOMIC, COPY_LOAD, COPY_STORE, BARRIER };
static const char *const space_names[] = {"global", "shared", "local"};
static const char *const op_names[] = {"load", "store", "atomic", "load", "store", "barrier"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void out_of_memory(void)
{
    fputs("count: out of memory\n", stderr);
    _exit(3);
}

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * size);
    if (!array)
        out_of_memory();
    return array;
}

/* ---- device memory ---- */

struct range {
    uintptr_t begin, end;
};
static struct range *ranges; /* in order */
static size_t range_count, range_room;

void count_allocated(const void *memory, size_t bytes)
{
    if (!memory)
        return;
    pthread_mutex_lock(&lock);
    ranges = grow(ranges, range_count, &range_room, sizeof *ranges);
    size_t i = range_count++;
    for (; i > 0 && ranges[i - 1].begin > (uintptr_t)memory; i--)
        ranges[i] = ranges[i - 1];
    ranges[i] = (struct range){(uintptr_t)memory, (uintptr_t)memory + bytes};
    pthread_mutex_unlock(&lock);
}

void count_freed(const void *memory)
{
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < range_count && ranges[i].begin != (uintptr_t)memory)
        i++;
    if (i < range_count) {
        memmove(&ranges[i], &ranges[i + 1], (range_count - i - 1) * sizeof *ranges);
        range_count--;
    }
    pthread_mutex_unlock(&lock);
}

/* No kernel allocates, so that there is nothing to lock while one runs. */
static bool is_global(uintptr_t address)
{
    size_t low = 0, high = range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < range_count && ranges[low].begin <= address;
}

/* ---- places in the source: the calls from the kernel on, and the access ---- */

struct place {
    uint64_t hash;
    int depth;
    uintptr_t pc[DEPTH_MOST + 1]; /* return addresses, the access last */
};
static struct place *places;
static size_t place_count, place_room;

static uint64_t mix(uint64_t hash, uintptr_t pc)
{
    hash = (hash ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- a block that runs ---- */

struct access {
    uintptr_t address;
    uint32_t place, occurrence;
    uint16_t thread;
    uint8_t width, space, op;
};

struct sums {
    uint64_t requests, lanes, sectors, ideal, lines, wavefronts, conflicts, half_warps, segments,
        segment_bytes;
};
struct row {
    int launch, place;
    uint8_t width, space, op;
    struct sums sums;
};

/* Who touched a word last. */
struct touch {
    int thread, place, barriers, fences;
    bool atomic;
};
struct shadow {
    uintptr_t word; /* of global memory: which, and in which block */
    uint64_t block;
    struct touch writer, reader, other_reader;
};

struct thread_state {
    int depth, barriers, fences; /* depth: of calls, of which DEPTH_MOST are told apart */
    bool acquired;               /* has read a flag: what it sees now may be ordered by it */
    uintptr_t
        polled; /* that flag, until another access: how often a thread looks is chance and counts once */
    uintptr_t calls[DEPTH_MOST];
    uint64_t hashes[DEPTH_MOST + 1];
};

/* One for each block that runs; kept for a later one when it has ended, with its arrays. */
struct counter {
    struct counter *next;
    int launch, threads;
    struct cpu_dim3 size;
    uintptr_t shared[2], static_shared[2]; /* begin, end */
    bool in_runtime;
    uint64_t block;
    struct thread_state state[THREADS_MOST];
    struct access *log, *sorted;
    size_t count, room, sorted_room;
    uint32_t *occurrences; /* of place p and thread t: [p * THREADS_MOST + t]; 0 between blocks */
    size_t occurrence_places;
    struct shadow *words; /* hash table; shared memory is in it as well */
    size_t word_count, word_room;
    uint8_t *written; /* bytes of shared memory, dynamic then static */
    size_t written_room;
    struct row *rows; /* of this block */
    size_t row_count, row_room;
    struct {
        uint64_t hash;
        int place;
    } cache[1024];
};
static __thread struct counter *here;

static int thread_here(void)
{
    const struct cpu_dim3 *i = &cpu_self->index, *size = &here->size;
    return (int)(i->x + size->x * (i->y + size->y * i->z));
}

static int place_here(const struct thread_state *t, uintptr_t pc)
{
    int depth = t->depth < DEPTH_MOST ? t->depth : DEPTH_MOST;
    uint64_t hash = mix(t->hashes[depth], pc);
    size_t slot = hash % 1024;
    if (here->cache[slot].hash == hash)
        return here->cache[slot].place;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < place_count && places[i].hash != hash)
        i++;
    if (i == place_count) {
        places = grow(places, place_count, &place_room, sizeof *places);
        struct place *p = &places[place_count++];
        p->hash = hash;
        p->depth = depth;
        memcpy(p->pc, t->calls, (size_t)depth * sizeof *p->pc);
        p->pc[depth] = pc;
    }
    pthread_mutex_unlock(&lock);
    here->cache[slot].hash = hash;
    here->cache[slot].place = (int)i;
    return (int)i;
}

/* ---- errors: a kernel's races and reads of what was not written ---- */

struct fault {
    int launch, place, other; /* other: NONE for a read before a write */
    enum space space;
};
static struct fault *faults;
static size_t fault_count, fault_room;

static void add_fault(enum space space, int place, int other)
{
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < fault_count && !(faults[i].place == place && faults[i].other == other))
        i++;
    if (i == fault_count) {
        faults = grow(faults, fault_count, &fault_room, sizeof *faults);
        faults[fault_count++] = (struct fault){here->launch, place, other, space};
    }
    pthread_mutex_unlock(&lock);
}

static struct shadow *shadow_of(uintptr_t word)
{
    if (2 * here->word_count >= here->word_room) {
        struct shadow *old = here->words;
        size_t old_room = here->word_room;
        here->word_room = old_room ? 2 * old_room : 1 << 10;
        here->words = calloc(here->word_room, sizeof *here->words);
        if (!here->words)
            out_of_memory();
        here->word_count = 0;
        for (size_t i = 0; i < old_room; i++)
            if (old[i].block == here->block)
                *shadow_of(old[i].word) = old[i];
        free(old);
    }
    size_t i = (size_t)mix(0, word) & (here->word_room - 1);
    while (here->words[i].block == here->block && here->words[i].word != word)
        i = (i + 1) & (here->word_room - 1);
    struct shadow *s = &here->words[i];
    if (s->block != here->block) { /* of an earlier block, or never used */
        *s = (struct shadow){word,
                             here->block,
                             {NONE, 0, 0, 0, false},
                             {NONE, 0, 0, 0, false},
                             {NONE, 0, 0, 0, false}};
        here->word_count++;
    }
    return s;
}

/* Could they have come in the other order? */
static bool is_unordered(const struct touch *before, const struct touch *now)
{
    return before->thread != NONE && before->thread != now->thread &&
           before->barriers == now->barriers &&
           !(before->thread / WARP == now->thread / WARP && before->fences < now->fences) &&
           !(before->atomic && now->atomic);
}

static void check_word(uintptr_t word, enum space space, bool writes, const struct touch *now)
{
    struct shadow *s = shadow_of(word);
    const struct touch *before = is_unordered(&s->writer, now) ? &s->writer : NULL;
    if (!before && writes)
        before = is_unordered(&s->reader, now)         ? &s->reader
                 : is_unordered(&s->other_reader, now) ? &s->other_reader
                                                       : NULL;
    if (before && !here->state[now->thread].acquired)
        add_fault(space, now->place, before->place);
    if (writes)
        s->writer = *now;
    else if (s->reader.thread != now->thread) {
        s->other_reader = s->reader;
        s->reader = *now;
    } else
        s->reader = *now;
}

/* ---- one access ---- */

static bool is_in(const uintptr_t range[2], uintptr_t address)
{
    return address >= range[0] && address < range[1];
}

static void check_written(uintptr_t address, int bytes, bool writes, int place)
{
    size_t at = is_in(here->shared, address)
                    ? address - here->shared[0]
                    : here->shared[1] - here->shared[0] + address - here->static_shared[0];
    bool unwritten = false;
    for (int i = 0; i < bytes; i++) {
        unwritten = unwritten || !here->written[at + (size_t)i];
        here->written[at + (size_t)i] |= writes;
    }
    if (unwritten && !writes)
        add_fault(SHARED, place, NONE);
}

static void log_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc)
{
    enum space space = LOCAL;
    if (is_in(here->shared, address) || is_in(here->static_shared, address))
        space = SHARED;
    else if (is_global(address))
        space = GLOBAL;
    else if (!cpu_on_stack(
                 address)) /* a thread's indices and other parts of the CPU device are no memory */
        return;
    int thread = thread_here();
    struct thread_state *t = &here->state[thread];
    if (space != LOCAL)
        t->polled = 0;
    int place = place_here(t, pc);
    if ((size_t)place >= here->occurrence_places) {
        size_t count = (size_t)place + 64, row = THREADS_MOST * sizeof *here->occurrences;
        here->occurrences = realloc(here->occurrences, count * row);
        if (!here->occurrences)
            out_of_memory();
        memset(here->occurrences + here->occurrence_places * THREADS_MOST, 0,
               (count - here->occurrence_places) * row);
        here->occurrence_places = count;
    }
    here->log = grow(here->log, here->count, &here->room, sizeof *here->log);
    uint32_t k = here->occurrences[(size_t)place * THREADS_MOST + (size_t)thread]++;
    here->log[here->count++] = (struct access){
        address, (uint32_t)place, k, (uint16_t)thread, (uint8_t)bytes, (uint8_t)space, (uint8_t)op};
    bool writes = op == STORE || op == ATOMIC || op == COPY_STORE;
    if (space == SHARED)
        check_written(address, bytes, writes, place);
    struct touch now = {thread, place, t->barriers, t->fences, atomic};
    if (space != LOCAL)
        for (uintptr_t word = address / 4; word <= (address + (uintptr_t)bytes - 1) / 4; word++)
            check_word(word, space, writes, &now);
}

void count_bulk(const void *to, size_t bytes)
{
    uintptr_t address = (uintptr_t)to;
    if (is_in(here->shared, address))
        memset(&here->written[address - here->shared[0]], 1, bytes);
}

/* What is called on the way is no access of the kernel. */
static void add_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc)
{
    if (!here || !cpu_self || here->in_runtime)
        return;
    here->in_runtime = true;
    log_access(address, bytes, op, atomic, pc);
    here->in_runtime = false;
}

static void add_flag(uintptr_t address, int bytes, uintptr_t pc)
{
    if (!here || !cpu_self)
        return;
    struct thread_state *t = &here->state[thread_here()];
    if (t->polled != address)
        add_access(address, bytes, LOAD, true, pc);
    t->polled = address;
    t->acquired = true;
}

/* Structs and more than 16 bytes go in the largest pieces that a GPU's instructions have for their address, but none
 * larger than the type's alignment, where it is known (16 where not): a compiler for a GPU knows no more. */
static void add_bytes(uintptr_t address, size_t bytes, size_t alignment, enum op op, uintptr_t pc)
{
    while (bytes > 0) {
        int piece = alignment < 16 ? (int)alignment : 16;
        while (address % (uintptr_t)piece || bytes < (size_t)piece)
            piece /= 2;
        add_access(address, piece, op, false, pc);
        address += (uintptr_t)piece;
        bytes -= (size_t)piece;
    }
}

void count_copy(const void *shared, const void *global, int bytes)
{
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    add_access((uintptr_t)global, bytes, COPY_LOAD, false, pc);
    add_access((uintptr_t)shared, bytes, COPY_STORE, false, pc - 1); /* a place of its own */
}

void count_struct(void *to, const void *from, size_t bytes, size_t alignment, const void *place)
{
    add_bytes((uintptr_t)from, bytes, alignment, LOAD, (uintptr_t)place);
    add_bytes((uintptr_t)to, bytes, alignment, STORE,
              (uintptr_t)place - 1); /* a place of its own */
    memmove(to, from, bytes);
}

void count_runtime(bool begins)
{
    here->in_runtime = begins;
}

void count_barrier(void)
{
    struct thread_state *t = &here->state[thread_here()];
    t->barriers++;
    t->fences++;
}

void count_warp_fence(void)
{
    here->state[thread_here()].fences++;
}

void count_acquire(void)
{
    here->state[thread_here()].acquired = true;
}

/* ---- what a compiler calls with -fsanitize=thread ---- */

#define PC ((uintptr_t)__builtin_return_address(0))
void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *pc)
{
    if (!here || !cpu_self)
        return;
    struct thread_state *t = &here->state[thread_here()];
    if (t->depth < DEPTH_MOST) {
        t->calls[t->depth] = (uintptr_t)pc;
        t->hashes[t->depth + 1] = mix(t->hashes[t->depth], (uintptr_t)pc);
    }
    t->depth++;
}
void __tsan_func_exit(void)
{
    if (here && cpu_self && here->state[thread_here()].depth > 0)
        here->state[thread_here()].depth--;
}

#define ACCESS(name, op, bytes)                                                                    \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        add_access((uintptr_t)address, bytes, op, false, PC);                                      \
    }
#define UNALIGNED(name, op, bytes)                                                                 \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        add_bytes((uintptr_t)address, bytes, 16, op, PC);                                          \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(__tsan_read##bytes, LOAD, bytes)                                                        \
    ACCESS(__tsan_write##bytes, STORE, bytes)                                                      \
    UNALIGNED(__tsan_unaligned_read##bytes, LOAD, bytes)                                           \
    UNALIGNED(__tsan_unaligned_write##bytes, STORE, bytes)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *address, unsigned long bytes);
void __tsan_write_range(void *address, unsigned long bytes);
void __tsan_read_range(void *address, unsigned long bytes)
{
    add_bytes((uintptr_t)address, bytes, 16, LOAD, PC);
}
void __tsan_write_range(void *address, unsigned long bytes)
{
    add_bytes((uintptr_t)address, bytes, 16, STORE, PC);
}

/* Copies and fills that clang makes of structs; mk/tools.mk has the linker send them here
 * (--wrap). */
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    if (here && cpu_self && !here->in_runtime) {
        add_bytes((uintptr_t)from, bytes, 16, LOAD, PC);
        add_bytes((uintptr_t)to, bytes, 16, STORE, PC - 1); /* a place of its own */
    }
    return __real_memcpy(to, from, bytes);
}
void *__wrap_memset(void *to, int value, size_t bytes)
{
    if (here && cpu_self)
        add_bytes((uintptr_t)to, bytes, 16, STORE, PC);
    return __real_memset(to, value, bytes);
}

/* Atomic operations. A relaxed load is half of a compare and exchange (cpu_device.h) and no request of its own. */
#define ATOMICS(bits)                                                                              \
    typedef uint##bits##_t word##bits;                                                             \
    word##bits __tsan_atomic##bits##_load(const volatile word##bits *at, int order);               \
    word##bits __tsan_atomic##bits##_load(const volatile word##bits *at, int order)                \
    {                                                                                              \
        if (order != __ATOMIC_RELAXED) {                                                           \
            add_flag((uintptr_t)at, bits / 8, PC);                                                 \
        }                                                                                          \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile word##bits *at, word##bits value, int order);        \
    void __tsan_atomic##bits##_store(volatile word##bits *at, word##bits value, int order)         \
    {                                                                                              \
        (void)order;                                                                               \
        add_access((uintptr_t)at, bits / 8, STORE, true, PC);                                      \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    word##bits __tsan_atomic##bits##_fetch_add(volatile word##bits *at, word##bits value,          \
                                               int order);                                         \
    word##bits __tsan_atomic##bits##_fetch_add(volatile word##bits *at, word##bits value,          \
                                               int order)                                          \
    {                                                                                              \
        (void)order;                                                                               \
        add_access((uintptr_t)at, bits / 8, ATOMIC, true, PC);                                     \
        return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                    \
    }                                                                                              \
    static int exchange##bits(volatile word##bits *at, word##bits *expected, word##bits value,     \
                              uintptr_t pc)                                                        \
    {                                                                                              \
        int done = __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,       \
                                               __ATOMIC_SEQ_CST);                                  \
        if (done) /* until then it is tried again */                                               \
            add_access((uintptr_t)at, bits / 8, ATOMIC, true, pc);                                 \
        return done;                                                                               \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(                                             \
        volatile word##bits *at, word##bits *expected, word##bits value, int order, int failure);  \
    int __tsan_atomic##bits##_compare_exchange_strong(                                             \
        volatile word##bits *at, word##bits *expected, word##bits value, int order, int failure)   \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return exchange##bits(at, expected, value, PC);                                            \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile word##bits *at, word##bits *expected, \
                                                    word##bits value, int order, int failure);     \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile word##bits *at, word##bits *expected, \
                                                    word##bits value, int order, int failure)      \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return exchange##bits(at, expected, value, PC);                                            \
    }                                                                                              \
    word##bits __tsan_atomic##bits##_compare_exchange_val(                                         \
        volatile word##bits *at, word##bits expected, word##bits value, int order, int failure);   \
    word##bits __tsan_atomic##bits##_compare_exchange_val(                                         \
        volatile word##bits *at, word##bits expected, word##bits value, int order, int failure)    \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        exchange##bits(at, &expected, value, PC);                                                  \
        return expected;                                                                           \
    }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- requests of a block that has ended ---- */

static struct row *rows;
static size_t row_count, row_room;

struct launch_record {
    char *kernel;
    struct cpu_dim3 blocks, threads;
};
static struct launch_record *launches;
static size_t launch_count, launch_room;

/* A part of what the log is sorted by, the least important first. */
static size_t key_of(const struct access *a, int pass)
{
    if (pass == 0)
        return ((size_t)a->space * 5 + (size_t)__builtin_ctz(a->width)) * WARP + a->thread % WARP;
    return pass == 1 ? a->occurrence : (size_t)a->place * (THREADS_MOST / WARP) + a->thread / WARP;
}

/* By place, warp, occurrence, space, width, lane: by counting, once for each key, since logs are long. */
static void sort_log(void)
{
    if (here->sorted_room < here->room) {
        here->sorted_room = here->room;
        free(here->sorted);
        here->sorted = malloc(here->room * sizeof *here->sorted);
    }
    for (int pass = 0; pass < 3; pass++) {
        size_t keys = 0;
        for (size_t i = 0; i < here->count; i++)
            keys = key_of(&here->log[i], pass) < keys ? keys : key_of(&here->log[i], pass) + 1;
        size_t *next = calloc(keys + 1, sizeof *next); /* where the key's next access goes */
        if (!next || (here->count && !here->sorted))
            out_of_memory();
        for (size_t i = 0; i < here->count; i++)
            next[key_of(&here->log[i], pass) + 1]++;
        for (size_t k = 0; k < keys; k++)
            next[k + 1] += next[k];
        for (size_t i = 0; i < here->count; i++)
            here->sorted[next[key_of(&here->log[i], pass)]++] = here->log[i];
        free(next);
        struct access *log = here->sorted;
        here->sorted = here->log;
        here->log = log;
    }
}

static bool is_same_request(const struct access *x, const struct access *y)
{
    return x->place == y->place && x->thread / WARP == y->thread / WARP &&
           x->occurrence == y->occurrence && x->space == y->space && x->width == y->width;
}

static int by_number(const void *a, const void *b)
{
    const uintptr_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Lanes' addresses mostly are in order. */
static void sort(uintptr_t *numbers, int count)
{
    for (int i = 1; i < count; i++)
        if (numbers[i - 1] > numbers[i]) {
            qsort(numbers, (size_t)count, sizeof *numbers, by_number);
            return;
        }
}

/* Different units of `bytes` that the lanes touch. */
static uint64_t different(const struct access *lane, int lanes, uintptr_t bytes)
{
    uintptr_t units[WARP * 16];
    int count = 0;
    for (int i = 0; i < lanes; i++)
        for (uintptr_t u = lane[i].address / bytes;
             u <= (lane[i].address + lane[i].width - 1) / bytes; u++)
            units[count++] = u;
    sort(units, count);
    uint64_t result = 0;
    for (int i = 0; i < count; i++)
        result += i == 0 || units[i] != units[i - 1];
    return result;
}

static void add_wavefronts(const struct access *lane, int lanes, struct sums *sums)
{
    int part_threads = lane[0].width <= 4 ? 32 : lane[0].width == 8 ? 16 : 8;
    for (int part = 0; part < WARP / part_threads; part++) {
        uintptr_t words[WARP];
        int count = 0, banks[32] = {0}, most = 0;
        for (int i = 0; i < lanes; i++)
            if (lane[i].thread % WARP / part_threads == part)
                for (uintptr_t w = lane[i].address / 4;
                     w <= (lane[i].address + lane[i].width - 1) / 4; w++)
                    words[count++] = w;
        sort(words, count);
        for (int i = 0; i < count; i++)
            if (i == 0 || words[i] != words[i - 1])
                most = ++banks[words[i] % 32] > most ? banks[words[i] % 32] : most;
        sums->wavefronts += (uint64_t)most;
        sums->conflicts += most > 0 ? (uint64_t)(most - 1) : 0;
    }
}

/* CUDA C Programming Guide 2.3, 5.1.2.1: the segment of the lowest lane not served, as small as holds all that it serves. */
static void add_segments(const struct access *lane, int lanes, struct sums *sums)
{
    for (int half = 0; half < 2; half++) {
        bool served[WARP] = {false}, any = false;
        for (int i = 0; i < lanes; i++) {
            if (lane[i].thread % WARP / 16 != half || served[i])
                continue;
            uintptr_t size = lane[i].width == 1   ? 32
                             : lane[i].width == 2 ? 64
                                                  : 128,
                      begin = lane[i].address / size * size, low = UINTPTR_MAX, high = 0;
            for (int j = i; j < lanes; j++)
                if (lane[j].thread % WARP / 16 == half && lane[j].address / size * size == begin) {
                    served[j] = true;
                    low = lane[j].address < low ? lane[j].address : low;
                    high = lane[j].address + lane[j].width - 1 > high
                               ? lane[j].address + lane[j].width - 1
                               : high;
                }
            while (size > 32 && low / (size / 2) == high / (size / 2))
                size /= 2;
            any = true;
            sums->segments++;
            sums->segment_bytes += size;
        }
        sums->half_warps += any;
    }
}

static void measure(const struct access *lane, int lanes, struct sums *sums)
{
    sums->requests++;
    sums->lanes += (uint64_t)lanes;
    if (lane->space == SHARED) {
        add_wavefronts(lane, lanes, sums);
        return;
    }
    if (lane->space == LOCAL)
        return;
    sums->sectors += different(lane, lanes, 32);
    sums->lines += different(lane, lanes, 128);
    sums->ideal += (different(lane, lanes, 1) + 31) / 32;
    add_segments(lane, lanes, sums);
}

/* The row of rows[from] to rows[*count - 1] that is like `new`, or `new` itself, which is put there. */
static struct row *find_row(struct row **list, size_t *count, size_t *room, const struct row *new)
{
    for (size_t i = *count; i-- > 0 && (*list)[i].launch >= new->launch;) {
        struct row *r = &(*list)[i];
        if (r->launch == new->launch && r->place == new->place && r->width == new->width &&
            r->space == new->space && r->op == new->op)
            return r;
    }
    *list = grow(*list, *count, room, sizeof **list);
    (*list)[*count] = *new;
    (*list)[*count].sums = (struct sums){0};
    return &(*list)[(*count)++];
}

static struct row *row_here(int place, int width, enum space space, enum op op)
{
    struct row new = {here->launch, place, (uint8_t)width, (uint8_t)space, (uint8_t)op, {0}};
    return find_row(&here->rows, &here->row_count, &here->row_room, &new);
}

static void add_sums(struct sums *to, const struct sums *more)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
}

static struct counter *unused;

void count_block_end(void)
{
    for (size_t i = 0; i < here->count; i++)
        here->occurrences[(size_t)here->log[i].place * THREADS_MOST + here->log[i].thread] = 0;
    sort_log();
    here->row_count = 0;
    struct row *row = NULL;
    for (size_t i = 0, end; i < here->count; i = end) {
        const struct access *first = &here->log[i];
        for (end = i + 1; end < here->count && is_same_request(first, &here->log[end]); end++)
            ;
        if (i == 0 || first->place != first[-1].place || first->width != first[-1].width ||
            first->space != first[-1].space)
            row = row_here((int)first->place, first->width, first->space, first->op);
        measure(first, (int)(end - i), &row->sums);
    }
    row = row_here(NONE, 0, SHARED, BARRIER);
    row->sums.requests += (uint64_t)((here->threads + WARP - 1) / WARP);
    for (int t = 0; t < here->threads; t++)
        row->sums.lanes += (uint64_t)here->state[t].barriers;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < here->row_count; i++)
        add_sums(&find_row(&rows, &row_count, &row_room, &here->rows[i])->sums,
                 &here->rows[i].sums);
    here->next = unused;
    unused = here;
    pthread_mutex_unlock(&lock);
    here = NULL;
}

static uint64_t block_number;

void count_block_begin(int launch, int threads, const struct cpu_dim3 *size, const char *shared,
                       size_t shared_bytes, const char *static_shared, size_t static_bytes)
{
    pthread_mutex_lock(&lock);
    here = unused;
    if (here)
        unused = here->next;
    pthread_mutex_unlock(&lock);
    if (!here)
        here = calloc(1, sizeof *here);
    size_t bytes = shared_bytes + static_bytes;
    if (here && bytes > here->written_room) {
        free(here->written);
        here->written = malloc(bytes);
        here->written_room = bytes;
    }
    if (!here || (bytes && !here->written))
        out_of_memory();
    if (bytes)
        memset(here->written, 0, bytes);
    here->launch = launch;
    here->threads = threads;
    here->size = *size;
    here->shared[0] = (uintptr_t)shared;
    here->shared[1] = (uintptr_t)shared + shared_bytes;
    here->static_shared[0] = (uintptr_t)static_shared;
    here->static_shared[1] = (uintptr_t)static_shared + static_bytes;
    here->in_runtime = false;
    here->count = here->word_count = 0;
    here->block = __atomic_add_fetch(&block_number, 1, __ATOMIC_SEQ_CST);
    for (int t = 0; t < threads; t++) {
        struct thread_state *state = &here->state[t];
        state->depth = state->barriers = state->fences = 0;
        state->acquired = false;
        state->polled = 0;
        state->hashes[0] = 1;
    }
}

/* ---- the table ---- */

static void write_table(void);

int count_launch(const char *kernel, struct cpu_dim3 blocks, struct cpu_dim3 threads)
{
    static bool registered;
    pthread_mutex_lock(&lock);
    if (!registered)
        atexit(write_table);
    registered = true;
    launches = grow(launches, launch_count, &launch_room, sizeof *launches);
    launches[launch_count] = (struct launch_record){strdup(kernel), blocks, threads};
    int number = (int)launch_count++;
    pthread_mutex_unlock(&lock);
    return number;
}

/* "file:line" of every place, by binutils' addr2line: of the innermost call that is not the CPU device's own. */
struct where {
    char file[256];
    int line;
};
static struct where *wheres;

static void find_places(void)
{
    char exe[4096], name[] = "/tmp/countXXXXXX", command[4500], line[4096];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    int file = mkstemp(name);
    FILE *list = file >= 0 ? fdopen(file, "w") : NULL;
    wheres = calloc(place_count + 1, sizeof *wheres);
    if (length < 0 || !list || !wheres)
        return;
    exe[length] = 0;
    for (size_t i = 0; i < place_count; i++)
        for (int d = places[i].depth; d >= 0; d--)
            fprintf(list, "0x%lx\n", (unsigned long)places[i].pc[d] - 1);
    fclose(list);
    snprintf(command, sizeof command, "addr2line -e '%s' <%s", exe, name);
    FILE *answer = popen(command, "r");
    for (size_t i = 0; answer && i < place_count; i++) {
        bool found = false;
        for (int d = places[i].depth; d >= 0; d--) {
            if (!fgets(line, sizeof line, answer))
                line[0] = 0;
            char *colon = strrchr(line, ':');
            if (found || !colon || strstr(line, "/cpu_device/"))
                continue;
            *colon = 0;
            /* the directory and the name */
            char *slash = strrchr(line, '/');
            while (slash && slash > line && slash[-1] != '/')
                slash--;
            snprintf(wheres[i].file, sizeof wheres[i].file, "%s", slash ? slash : line);
            wheres[i].line = atoi(colon + 1);
            found = true;
        }
    }
    if (!answer || pclose(answer) != 0)
        fputs("count: source lines are unknown without addr2line (of binutils)\n", stderr);
    unlink(name);
}

static const struct where *where_of(int place)
{
    static const struct where nowhere = {"-", 0};
    return place == NONE || !wheres ? &nowhere : &wheres[place];
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const struct where *p = where_of(x->place), *q = where_of(y->place);
    int order = (x->launch > y->launch) - (x->launch < y->launch);
    order = order ? order : strcmp(p->file, q->file);
    order = order ? order : (p->line > q->line) - (p->line < q->line);
    order = order ? order : (x->space > y->space) - (x->space < y->space);
    order = order ? order : strcmp(op_names[x->op], op_names[y->op]);
    return order ? order : (x->width > y->width) - (x->width < y->width);
}

static bool is_one_line(const struct row *x, const struct row *y)
{
    return by_place(x, y) == 0;
}

static void write_row(FILE *file, const struct row *r)
{
    const struct launch_record *l = &launches[r->launch];
    const struct where *w = where_of(r->place);
    const struct sums *s = &r->sums;
    /* "(precompute<T>)": the kernel's name */
    const char *name = l->kernel + strspn(l->kernel, "(");
    fprintf(file, "%d,%.*s,%u,%u,%s,%d,%s,%s,%d", r->launch, (int)strcspn(name, "<)"), name,
            l->blocks.x * l->blocks.y * l->blocks.z, l->threads.x * l->threads.y * l->threads.z,
            w->file, w->line, r->op == BARRIER ? "block" : space_names[r->space], op_names[r->op],
            r->width);
    const uint64_t *sum = (const uint64_t *)s;
    for (size_t i = 0; i < sizeof *s / sizeof *sum; i++)
        fprintf(file, ",%llu", (unsigned long long)sum[i]);
    fputc('\n', file);
}

/* Blocks run in no fixed order, and a line may be many places. */
static int by_where(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;
    const struct where *p = where_of(x->place), *q = where_of(y->place);
    const struct where *u = where_of(x->other), *v = where_of(y->other);
    int order = strcmp(launches[x->launch].kernel, launches[y->launch].kernel);
    order = order ? order : (x->other == NONE) - (y->other == NONE);
    order = order ? order : (x->space > y->space) - (x->space < y->space);
    order = order ? order : strcmp(u->file, v->file);
    order = order ? order : (u->line > v->line) - (u->line < v->line);
    order = order ? order : strcmp(p->file, q->file);
    return order ? order : (p->line > q->line) - (p->line < q->line);
}

static void print_fault(const struct fault *f)
{
    const struct where *one = where_of(f->place), *other = where_of(f->other);
    if (f->other == NONE)
        fprintf(stderr, "count: kernel %s: shared memory is read before it is written: %s:%d\n",
                launches[f->launch].kernel, one->file, one->line);
    else
        fprintf(stderr,
                "count: kernel %s: a race in %s memory, no barrier between %s:%d and %s:%d\n",
                launches[f->launch].kernel, space_names[f->space], other->file, other->line,
                one->file, one->line);
}

static void write_table(void)
{
    const char *path = getenv("COUNT_CSV");
    find_places();
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && !file) {
        fprintf(stderr, "count: cannot write %s\n", path);
        _exit(2);
    }
    qsort(rows, row_count, sizeof *rows, by_place);
    if (file)
        fputs("launch,kernel,blocks,threads,file,line,space,op,width,requests,lanes,sectors,ideal,"
              "lines,"
              "wavefronts,conflicts,half_warps,segments,segment_bytes\n",
              file);
    for (size_t i = 0, end; file && i < row_count; i = end) {
        struct row sum = rows[i];
        for (end = i + 1; end < row_count && is_one_line(&rows[i], &rows[end]); end++)
            add_sums(&sum.sums, &rows[end].sums);
        write_row(file, &sum);
    }
    if (file && fclose(file) != 0) {
        fprintf(stderr, "count: cannot write %s\n", path);
        _exit(2);
    }
    qsort(faults, fault_count, sizeof *faults, by_where);
    for (size_t i = 0; i < fault_count; i++)
        if (i == 0 || by_where(&faults[i - 1], &faults[i]) != 0)
            print_fault(&faults[i]);
    if (fault_count > 0) {
        fflush(NULL);
        _exit(1);
    }
}
#endif
