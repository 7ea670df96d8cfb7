/* Errors of a kernel that the count build finds: races inside a block, and reads of shared memory
 * that no thread has written. */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

struct fault *count_faults;
size_t count_fault_count;
static size_t fault_room;

/* Adds a fault unless it is known. The caller has locked count_lock. */
static void add_fault(const struct fault *new)
{
    for (const struct fault *f = count_faults; f < count_faults + count_fault_count; f++)
        if (f->kind == new->kind && f->place == new->place && f->other == new->other &&
            f->file == new->file && f->line == new->line)
            return;
    *COUNT_ADD(count_faults, count_fault_count, fault_room) = *new;
}

void count_add_fault(enum fault_kind kind, enum space space, int place, int other)
{
    pthread_mutex_lock(&count_lock);
    add_fault(&(struct fault){.kind = kind,
                              .launch = count_here->launch,
                              .place = place,
                              .other = other,
                              .space = space,
                              .thread = kind == UNWRITTEN ? count_thread() : 0});
    pthread_mutex_unlock(&count_lock);
}

static void add_race(enum space space, const struct touch *now, const struct touch *before)
{
    for (size_t i = 0; i < count_here->race_count; i++)
        if (count_here->races[i].place == now->place && count_here->races[i].other == before->place)
            return;
    *COUNT_ADD(count_here->races, count_here->race_count, count_here->race_room) = (struct race){
        now->place,  before->place, {now->thread, before->thread}, now->barriers, space,
        now->writes, before->writes};
}

/* If a thread of a race has ended without a barrier that other threads of the block have reached,
 * the barrier is there, but not for all threads. This is known only at the end of the block. */
void count_add_races(void)
{
    for (size_t i = 0; i < count_here->race_count; i++) {
        const struct race *r = &count_here->races[i];
        struct fault new = {.kind = RACE,
                            .launch = count_here->launch,
                            .place = r->place,
                            .other = r->other,
                            .space = r->space,
                            .thread = r->threads[0],
                            .other_thread = r->threads[1],
                            .writes = r->writes,
                            .other_writes = r->other_writes};
        int one = count_here->state[r->threads[0]].barriers,
            other = count_here->state[r->threads[1]].barriers;
        if ((one < other ? one : other) == r->barriers &&
            (size_t)r->barriers < count_here->passed_count) {
            const struct barrier *b = &count_here->barriers[count_here->passed[r->barriers]];
            new.file = b->file;
            new.line = b->line;
        }
        add_fault(&new);
    }
}

static struct shadow *shadow_of(uintptr_t word)
{
    if (2 * count_here->word_count >= count_here->word_room) {
        struct shadow *old = count_here->words;
        size_t old_room = count_here->word_room;
        count_here->word_room = old_room ? 2 * old_room : 1 << 10;
        count_here->words = calloc(count_here->word_room, sizeof *count_here->words);
        if (!count_here->words)
            count_out_of_memory();
        count_here->word_count = 0;
        for (size_t i = 0; i < old_room; i++)
            if (old[i].block == count_here->block)
                *shadow_of(old[i].word) = old[i];
        free(old);
    }
    size_t i = (size_t)count_hash(0, word) & (count_here->word_room - 1);
    while (count_here->words[i].block == count_here->block && count_here->words[i].word != word)
        i = (i + 1) & (count_here->word_room - 1);
    struct shadow *s = &count_here->words[i];
    if (s->block != count_here->block) { /* this entry is unused or belongs to an earlier block */
        const struct touch none = {.thread = NONE};
        *s = (struct shadow){word, count_here->block, none, none, none};
        count_here->word_count++;
    }
    return s;
}

/* Returns whether chance orders two touches of the same bytes: they are by different threads and
 * not both atomic, and no barrier, or __syncwarp within a warp, lies between them. */
static bool is_unordered(const struct touch *before, const struct touch *now)
{
    return before->thread != NONE && before->thread != now->thread &&
           (before->bytes & now->bytes) && before->barriers == now->barriers &&
           !(before->thread / WARP == now->thread / WARP && before->fences < now->fences) &&
           !(before->atomic && now->atomic);
}

/* Did another warp make this access since the last barrier? */
static bool is_of_other_warp(const struct touch *before, const struct touch *now)
{
    return before->thread != NONE && before->thread / WARP != now->thread / WARP &&
           before->barriers == now->barriers;
}

static void check_word(uintptr_t word, enum space space, bool writes, const struct touch *now)
{
    struct shadow *s = shadow_of(word);
    const struct touch *before = is_unordered(&s->writer, now) ? &s->writer : NULL;
    if (!before && writes)
        before = is_unordered(&s->reader, now)         ? &s->reader
                 : is_unordered(&s->other_reader, now) ? &s->other_reader
                                                       : NULL;
    if (before && !count_here->state[now->thread].acquired)
        add_race(space, now, before);
    if (writes)
        s->writer = *now;
    else {
        /* A reader of another warp is kept: only a barrier orders it and a writer of this warp. */
        if (s->reader.thread != now->thread && !is_of_other_warp(&s->other_reader, now))
            s->other_reader = s->reader;
        if (is_of_other_warp(&s->reader, now))
            s->other_reader = s->reader;
        s->reader = *now;
    }
}

static void check_written(uintptr_t address, int bytes, bool writes, int place)
{
    size_t at = is_in(count_here->shared, address) ? address - count_here->shared[0]
                                                   : count_here->shared[1] - count_here->shared[0] +
                                                         address - count_here->static_shared[0];
    bool unwritten = false;
    for (int i = 0; i < bytes; i++) {
        unwritten = unwritten || !count_here->written[at + (size_t)i];
        count_here->written[at + (size_t)i] |= writes;
    }
    if (unwritten && !writes)
        count_add_fault(UNWRITTEN, SHARED, place, NONE);
}

void count_check(uintptr_t address, int bytes, enum space space, bool writes,
                 const struct touch *now)
{
    if (space == SHARED)
        check_written(address, bytes, writes, now->place);
    uintptr_t end = address + (uintptr_t)bytes;
    for (uintptr_t word = address / 4; word <= (end - 1) / 4; word++) {
        struct touch here = *now;
        here.bytes = 0xf;
        if (4 * word < address)
            here.bytes &= 0xfU << (address - 4 * word);
        if (4 * word + 4 > end)
            here.bytes &= 0xfU >> (4 * word + 4 - end);
        check_word(word, space, writes, &here);
    }
}
#endif
