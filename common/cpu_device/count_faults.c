/* Errors of a kernel that the count build finds: races inside a block, and reads of shared memory
 * that no thread has written. */
#include "count.h"

#ifdef CPU_DEVICE_COUNT
#include "count_internal.h"

struct fault *count_faults;
size_t count_fault_count;
static size_t fault_room;

void count_add_fault(enum fault_kind kind, enum space space, int place, int other)
{
    pthread_mutex_lock(&count_lock);
    size_t i = 0;
    while (i < count_fault_count &&
           !(count_faults[i].kind == kind && count_faults[i].place == place &&
             count_faults[i].other == other))
        i++;
    if (i == count_fault_count) {
        count_faults =
            count_grow(count_faults, count_fault_count, &fault_room, sizeof *count_faults);
        count_faults[count_fault_count++] =
            (struct fault){kind, count_here->launch, place, other, space};
    }
    pthread_mutex_unlock(&count_lock);
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
        *s = (struct shadow){word,
                             count_here->block,
                             {NONE, 0, 0, 0, false},
                             {NONE, 0, 0, 0, false},
                             {NONE, 0, 0, 0, false}};
        count_here->word_count++;
    }
    return s;
}

/* Returns whether the order of two touches of the same four bytes is left to chance. This is the
 * case if they are by different threads, there is no barrier between them, and they are not both
 * atomic. If both threads are in one warp, there must also be no __syncwarp between the touches. */
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
    if (before && !count_here->state[now->thread].acquired)
        count_add_fault(RACE, space, now->place, before->place);
    if (writes)
        s->writer = *now;
    else if (s->reader.thread != now->thread) {
        s->other_reader = s->reader;
        s->reader = *now;
    } else
        s->reader = *now;
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
    for (uintptr_t word = address / 4; word <= (address + (uintptr_t)bytes - 1) / 4; word++)
        check_word(word, space, writes, now);
}
#endif
