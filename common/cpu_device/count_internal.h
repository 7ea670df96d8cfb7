/* What the counter's files share: count.c says what is counted. */
#ifndef COUNT_INTERNAL_H
#define COUNT_INTERNAL_H

#include "count.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Not exported by a library that contains the CPU device. */
#pragma GCC visibility push(hidden)

enum { WARP = 32, THREADS_MOST = 1024, DEPTH_MOST = 24, NONE = -1 };
enum space { GLOBAL, SHARED, LOCAL };
enum op { LOAD, STORE, ATOMIC, COPY_LOAD, COPY_STORE, BARRIER };

extern pthread_mutex_t count_lock; /* for the variables that all blocks share */

/* The array with room for one more than `count` elements of `size` bytes; exits if there is
 * none. */
void *count_grow(void *array, size_t count, size_t *room, size_t size);
void count_out_of_memory(void);

/* A place in the source: the calls that led from the kernel to the access, and the access. */
struct place {
    uint64_t hash;
    int depth;
    uintptr_t pc[DEPTH_MOST + 1]; /* return addresses, the access last */
};
extern struct place *count_places;
extern size_t count_place_count;

static inline uint64_t count_hash(uint64_t hash, uintptr_t pc)
{
    hash = (hash ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- a block that runs ---- */

/* One access of one thread. `occurrence`: how many it has made at this place before. */
struct access {
    uintptr_t address;
    uint32_t place, occurrence;
    uint16_t thread;
    uint8_t width, space, op;
};

/* Of all requests of one row; count.c says what each member counts. */
struct sums {
    uint64_t requests, lanes, sectors, ideal, lines, wavefronts, conflicts, half_warps, segments,
        segment_bytes;
};
struct row {
    int launch, place;
    uint8_t width, space, op;
    struct sums sums;
};

/* A thread that has read or written four bytes of memory: where, and how many barriers and fences
 * it had met before. */
struct touch {
    int thread, place, barriers, fences;
    bool atomic;
};
/* The last touches of these four bytes by threads of this block. */
struct shadow {
    uintptr_t word; /* address / 4 */
    uint64_t block;
    struct touch writer, reader, other_reader;
};

struct thread_state {
    int depth, barriers, fences; /* depth: of calls; DEPTH_MOST of them are told apart */
    /* It has read a flag: what it reads from here on may be ordered by that flag. */
    bool acquired;
    /* The flag that it read last, until another access. Reads of it in a loop count once, since how
     * often a thread looks is chance. */
    uintptr_t polled;
    uintptr_t calls[DEPTH_MOST];
    uint64_t hashes[DEPTH_MOST + 1];
};

/* The counts of one block that runs. When the block has ended, the next block takes this record,
 * with its arrays. */
struct counter {
    struct counter *next; /* in the list of unused ones */
    int launch, threads;
    struct cpu_dim3 size;
    uintptr_t shared[2], static_shared[2]; /* begin, end */
    bool in_runtime;                       /* accesses are the CPU device's own */
    uint64_t block;                        /* a number that no other block has */
    struct thread_state state[THREADS_MOST];
    struct access *log, *sorted;
    size_t count, room, sorted_room;
    uint32_t *occurrences; /* of place p and thread t: [p * THREADS_MOST + t]; 0 between blocks */
    size_t occurrence_places;
    struct shadow *words; /* hash table of all four bytes that the block has touched */
    size_t word_count, word_room;
    uint8_t
        *written; /* for each byte of shared memory, dynamic then static: has it been written? */
    size_t written_room;
    struct row *rows; /* of this block */
    size_t row_count, row_room;
    struct {
        uint64_t hash;
        int place;
    } cache[1024];
};
extern __thread struct counter *count_here; /* of the block that this OS thread runs */

static inline bool is_in(const uintptr_t range[2], uintptr_t address)
{
    return address >= range[0] && address < range[1];
}

/* ---- count.c: accesses of the running thread, made at `pc` ---- */

int count_thread(void); /* its number in the block */
void count_access(uintptr_t address, int bytes, enum op op, bool atomic, uintptr_t pc);
/* More than 16 bytes, or a struct: counted in the largest pieces that a GPU has instructions for at
 * this address. No piece is larger than the type's alignment, where that is known (16 where not),
 * since a compiler for a GPU knows no more either. */
void count_bytes(uintptr_t address, size_t bytes, size_t alignment, enum op op, uintptr_t pc);
/* An atomic load that orders what comes after it. */
void count_flag(uintptr_t address, int bytes, uintptr_t pc);

/* ---- count_faults.c: races, and reads of shared memory that nobody has written ---- */

struct fault {
    int launch, place, other; /* other: NONE for a read before a write */
    enum space space;
};
extern struct fault *count_faults;
extern size_t count_fault_count;

/* Checks an access of count_here's block, and remembers it. */
void count_check(uintptr_t address, int bytes, enum space space, bool writes,
                 const struct touch *now);

/* ---- count_requests.c ---- */

/* Forms the requests of the block that has ended and adds their sums to count_here->rows. */
void count_requests(void);
void count_add_sums(struct sums *to, const struct sums *more);
/* The row of the list that is like `new` but for the sums; a row of sums 0 is added if there is
 * none. */
struct row *count_find_row(struct row **list, size_t *count, size_t *room, const struct row *new);

/* ---- count_table.c ---- */

struct launch_record {
    char *kernel;
    struct cpu_dim3 blocks, threads;
};
extern struct launch_record *count_launches;
extern struct row *count_rows; /* of all blocks that have ended */
extern size_t count_row_count;
/* At exit: writes the table and prints the faults. */
void count_write_table(void);

#pragma GCC visibility pop
#endif
