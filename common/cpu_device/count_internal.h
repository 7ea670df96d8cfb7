/* What the files count*.c share. count.c explains what is counted. */
#pragma once

#include "cache.h"
#include "count.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A library that contains the CPU device does not export these functions. */
#pragma GCC visibility push(hidden)

enum { WARP = 32, THREADS_MOST = 1024, DEPTH_MOST = 24, NONE = -1 };
enum space { GLOBAL, SHARED, LOCAL };
enum op { LOAD, STORE, ATOMIC, COPY_LOAD, COPY_STORE, BARRIER, SHUFFLE };

extern pthread_mutex_t count_lock; /* protects the variables that all blocks share */

/* Returns the array, which may have moved, with room for one more than `count` elements of `size`
 * bytes. Exits if there is no memory. */
void *count_grow(void *array, size_t count, size_t *room, size_t size);
/* Adds an element to such an array and gives its address. */
#define COUNT_ADD(array, count, room)                                                              \
    ((array) = count_grow(array, count, &(room), sizeof *(array)), &(array)[(count)++])
void count_out_of_memory(void);
/* Open and close a file of counts. Exit with status 2 if it cannot be written. */
FILE *count_open(const char *path);
void count_close(FILE *file, const char *path);
/* Runs a tool of binutils on this program: "TOOL 'PROGRAM' REST". Returns its output, or NULL. */
FILE *count_run(const char *tool, const char *rest);

/* A place in the source: the function calls that led from the kernel to a memory access, the
 * outermost first, and the access itself, as return addresses. */
struct place {
    uint64_t hash;
    int depth;
    uintptr_t pc[DEPTH_MOST + 1];
};
extern struct place *count_places;
extern size_t count_place_count;

static inline uint64_t count_hash(uint64_t hash, uintptr_t pc)
{
    hash = (hash ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- the block that an OS thread is running ---- */

/* occurrence: how many accesses the thread made at this place before. time: see count_next_time. */
struct access {
    uintptr_t address;
    uint32_t place, occurrence, time;
    uint16_t thread;
    uint8_t width, space : 4, op : 4;
};

/* The sums over all requests of one row of the table (count.c). */
struct sums {
    uint64_t requests, lanes, sectors, ideal, lines, wavefronts, conflicts, half_warps, segments,
        segment_bytes;
};
struct row {
    int launch, place;
    uint8_t width, space, op;
    struct sums sums;
    uint64_t busiest; /* the requests of the warp that makes most of them */
    int warp;      /* while a block's requests are formed: the last one's warp, and how many of */
    uint64_t made; /* the row's requests it has made */
};

/* An access of a thread to some of four bytes: a bit for each, and how many barriers and fences the
 * thread had passed before. */
struct touch {
    int thread, place, barriers, fences;
    bool atomic, writes;
    unsigned bytes;
};
/* The last write to four bytes by a thread of this block, and the last reads by two different
 * threads. So a race for one byte is not seen if another byte was written in between. */
struct shadow {
    uintptr_t word; /* the address divided by 4 */
    uint64_t block;
    struct touch writer, reader, other_reader;
};

/* Which accesses of other blocks (count_blocks.c; NULL: none) come before the thread's next access;
 * which a flag that it stores hands on, because of its last __threadfence; which come first after
 * its next __threadfence, because it has read a flag. */
struct view {
    const struct order *known, *fenced, *read;
};

struct race {
    int place, other, threads[2], barriers;
    enum space space;
    bool writes, other_writes;
};

/* A source line in which threads wait at a barrier, and how often they do. */
struct barrier {
    int launch, line;
    const char *file;
    uint64_t waits;
};

struct thread_state {
    int depth, barriers, fences, shuffles; /* depth: number of nested function calls */
    /* The thread has read a flag, which may order its later accesses after those of other threads.
     * So they are not reported as races. */
    bool acquired;
    /* The flag that the thread read last; 0 after another access to global or shared memory. Reads
     * of it in a loop count once, because the number of rounds depends on chance. */
    uintptr_t polled;
    /* The view was current after seen_barriers and seen_fences of the thread and warp_fences of its
     * warp. releases: how often the thread has released a flag. */
    struct view view;
    int seen_barriers, seen_fences, warp_fences, releases;
    uint32_t time; /* of the thread's last access to global memory, and its barriers then */
    int time_barriers;
    uintptr_t calls[DEPTH_MOST];
    uint64_t hashes[DEPTH_MOST + 1];
};

/* The counts of one block while it runs. A later block reuses the struct and its arrays. */
struct counter {
    struct counter *next; /* in the list of unused counters */
    struct access *log, *sorted;
    size_t room, sorted_room;
    /* [p * THREADS_MOST + t]: number of accesses of thread t at place p; all 0 between blocks. */
    uint32_t *occurrences;
    size_t occurrence_places;
    struct shadow *words; /* hash table: an entry for every four bytes that were accessed */
    size_t word_room;
    uint8_t *written; /* 1 for each byte of dynamic, then static shared memory that was written */
    size_t written_room;
    struct row *rows; /* the table's rows for this block */
    size_t row_room;
    struct race *races; /* each pair of places once */
    size_t race_room;
    struct barrier *barriers; /* each source line once */
    size_t barrier_room;
    int *passed; /* [k]: index in `barriers` of the barrier at which threads wait after k others */
    size_t passed_room;
    struct {
        uint64_t hash;
        int place;
    } cache[1024];
    struct thread_state state[THREADS_MOST];
    uint64_t block; /* identifies the block among all blocks */

    /* All that follows is 0 when a block begins. */
    int launch, threads;
    struct cpu_dim3 size;
    uintptr_t shared[2], static_shared[2]; /* addresses: begin, end */
    bool in_runtime;                       /* the CPU device itself makes the accesses */
    bool pictured;                         /* COUNT_PICTURE names the kernel */
    uintptr_t watched;         /* return address of the access that count_watch has seen last */
    struct ordering *ordering; /* of the launch */
    long index;                /* of the block in the launch */
    /* What the threads that arrived at barrier n knew: [n % 2]. The same for fences of a warp, and
     * how many threads have arrived at them. */
    struct view at_barrier[2], at_fence[THREADS_MOST / WARP];
    int fences[THREADS_MOST / WARP];
    /* The largest `time` of a thread; its value when a thread first came past `epoch` barriers. */
    uint32_t latest, epoch_time;
    int epoch;
    struct cache_replay *replay;  /* NULL: nothing is recorded for it */
    struct cache_block *recorded; /* the block's requests of global memory */
    size_t count, word_count, row_count, race_count, barrier_count, passed_count;
};
/* The counter of the block that this OS thread runs; NULL if there is none. */
extern __thread struct counter *count_here;

static inline bool is_in(const uintptr_t range[2], uintptr_t address)
{
    return address >= range[0] && address < range[1];
}

/* ---- count.c: an access of the running thread; pc is its return address ---- */

int count_thread(void); /* index of the running thread in its block */
/* Returns false if no kernel runs or the CPU device makes the access. Otherwise accesses are not
 * counted until the caller sets count_here->in_runtime to false. */
bool count_enter(void);
void count_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc);
/* Counts an access to a struct or to more than 16 bytes as several ones, each as large as a GPU has
 * an instruction for at this address, and at most `alignment` (of the type; 16 if it is unknown).
 */
void count_bytes(uintptr_t address, size_t bytes, size_t alignment, enum op op, uintptr_t pc);
/* The beginning of the allocation or of the shared memory that contains the address. */
uintptr_t count_base(uintptr_t address);
/* The marks of the allocation that contains the address, and its beginning. */
struct mark *count_marks(uintptr_t address, uintptr_t *base);
/* The address in a device memory in which allocations follow each other. */
uint64_t count_device_address(uintptr_t address);
/* Numbers a thread's accesses to global memory 1, 2, 3, … After a barrier all threads go on from
 * the largest number of the block. So the requests are ordered as if the block's warps took turns.
 */
uint32_t count_next_time(struct thread_state *thread);
/* Counts an atomic load of a flag. It orders the accesses that follow it. */
void count_flag(uintptr_t address, int bytes, uintptr_t pc);
/* Shows count_watch a load that is not counted. */
void count_look(uintptr_t address, int bytes, uintptr_t pc);

/* ---- count_faults.c: races inside a block, and reads of unwritten shared memory ---- */

enum fault_kind { UNWRITTEN, LOCAL_ARRAY, RACE, READ_AFTER_BLOCK, WRITE_AFTER_BLOCK };
struct fault {
    enum fault_kind kind;
    int launch, place, other; /* other: NONE for a fault of one access */
    enum space space;
    const char *file; /* of a barrier that only other threads have reached; NULL: none */
    int line;
    /* a race in a block: the threads that made the accesses at `place` and `other` */
    int thread, other_thread;
    bool writes, other_writes;
};
extern struct fault *count_faults;
extern size_t count_fault_count;

/* Checks whether an access is an error, and remembers it for later checks. */
void count_check(uintptr_t address, int bytes, enum space space, bool writes,
                 const struct touch *now);
void count_add_fault(enum fault_kind kind, enum space space, int place, int other);

/* ---- count_blocks.c: races between blocks ---- */

struct mark;
struct ordering;
/* Marks for an allocation of global memory, or NULL if there is no memory for them. */
struct mark *count_new_marks(size_t bytes);
struct ordering *count_new_ordering(int launch, long blocks);
void count_end_ordering(struct ordering *launch);
/* Like count_check, for an access to global memory and earlier accesses of other blocks. */
void count_check_blocks(uintptr_t address, int bytes, bool writes, const struct touch *now);
/* The running thread arrives at a barrier of its block or its warp, or passes a __threadfence. */
void count_order_barrier(void);
void count_order_warp(void);
void count_order_fence(void);
/* It waits in a way whose order is not followed. */
void count_order_unknown(void);
/* It is about to change a flag, or has loaded one. An atomic operation that does both calls both;
 * then `reads` is true. `releases` and `acquires`: also without a __threadfence. */
void count_order_before_store(uintptr_t address, bool releases, bool reads);
void count_order_after_load(uintptr_t address, bool acquires);
/* Adds the races of the block that has ended to the faults. The caller has locked count_lock. */
void count_add_races(void);

/* ---- count_requests.c ---- */

/* Forms the requests of the block that has ended and adds their sums to count_here->rows. */
void count_requests(void);
void count_add_sums(struct sums *to, const struct sums *more);
/* Finds the row with the launch, place, width, space and op of `new`, or adds one with sums 0. */
struct row *count_find_row(struct row **list, size_t *count, size_t *room, const struct row *new);

/* ---- count_picture.c ---- */

bool count_is_pictured(const char *name); /* does COUNT_PICTURE name the kernel? */
/* Keeps the request if it is the best yet for a picture of its access. sums: its own. */
void count_picture(const struct access *lane, int lanes, const struct sums *sums);
/* Called at exit, after the source lines are known. */
void count_write_pictures(void);

/* ---- count_cache.c ---- */

/* Begins the replay of a launch. Returns NULL if COUNT_CACHE names no GPU. */
struct cache_replay *count_cache_launch(long blocks, int threads, size_t shared_bytes);
/* Record a request, and a bulk copy from global memory or to it. */
void count_cache_request(const struct access *lane, int lanes);
void count_cache_bulk(uintptr_t global, size_t bytes, bool stores);
/* Hands the running block, which has ended, to the replay. */
void count_cache_block(void);
/* Called at exit, after the template arguments are known. */
void count_write_caches(void);

/* ---- count_static.c ---- */

/* Prints the kernels that have more static shared memory than a GPU (without that of functions that
 * they call). Returns false if there are any. */
bool count_check_static(void);

/* ---- count_table.c ---- */

/* The source file and line of a place. */
struct where {
    char file[256];
    int line;
};
/* Finds the source lines of all places, and the template arguments of the kernels. */
void count_find_places(void);
/* Known only after count_find_places. */
const struct where *count_where(int place);
extern const char *const count_space_names[], *const count_op_names[];

struct launch_record {
    char *kernel, *name;   /* as it is launched, e.g. "(precompute<T>)"; "precompute" */
    const void *code;      /* the kernel's address */
    const char *arguments; /* its template arguments, e.g. "float;true"; known at exit */
    long blocks;
    int threads;
    long static_begin; /* for pictures: the least offset of static shared memory that it touches */
    struct ordering *ordering;   /* NULL after the launch */
    struct cache_replay *replay; /* NULL: none, or ended */
    struct cache_sums cached;
};
extern struct launch_record *count_launches;
extern size_t count_launch_count;
extern struct row *count_rows; /* the rows of all blocks that have ended */
extern size_t count_row_count;
extern struct barrier *count_barriers; /* their barriers, each source line of a launch once */
extern size_t count_barrier_count;
static inline bool count_is_barrier(const struct barrier *b, const char *file, int line)
{
    return b->line == line && (b->file == file || strcmp(b->file, file) == 0);
}
/* Called at exit: writes the table and prints the faults. */
void count_write_table(void);

#pragma GCC visibility pop
