/* Forms and measures the requests of a block that has ended, from the log of its accesses. */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

/* ---- sorting the log so that the accesses of a request are consecutive ---- */

static size_t key_of(const struct access *a, int pass)
{
    if (pass == 0)
        return ((size_t)a->space * 5 + (size_t)__builtin_ctz(a->width)) * WARP + a->thread % WARP;
    return pass == 1 ? a->occurrence : (size_t)a->place * (THREADS_MOST / WARP) + a->thread / WARP;
}

/* Sorts the log by place, warp, occurrence, space, width and lane: a radix sort in three passes,
 * the least important key first, since logs are long. */
static void sort_log(void)
{
    if (count_here->sorted_room < count_here->room) {
        count_here->sorted_room = count_here->room;
        free(count_here->sorted);
        count_here->sorted = malloc(count_here->room * sizeof *count_here->sorted);
    }
    for (int pass = 0; pass < 3; pass++) {
        size_t keys = 0;
        for (size_t i = 0; i < count_here->count; i++)
            keys = key_of(&count_here->log[i], pass) < keys ? keys
                                                            : key_of(&count_here->log[i], pass) + 1;
        /* next[k] is the index in `sorted` at which the next access with key k is stored. */
        size_t *next = calloc(keys + 1, sizeof *next);
        if (!next || (count_here->count && !count_here->sorted))
            count_out_of_memory();
        for (size_t i = 0; i < count_here->count; i++)
            next[key_of(&count_here->log[i], pass) + 1]++;
        for (size_t k = 0; k < keys; k++)
            next[k + 1] += next[k];
        for (size_t i = 0; i < count_here->count; i++)
            count_here->sorted[next[key_of(&count_here->log[i], pass)]++] = count_here->log[i];
        free(next);
        struct access *log = count_here->sorted;
        count_here->sorted = count_here->log;
        count_here->log = log;
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

/* Sorts numbers, which usually are sorted already. */
static void sort(uintptr_t *numbers, int count)
{
    for (int i = 1; i < count; i++)
        if (numbers[i - 1] > numbers[i]) {
            qsort(numbers, (size_t)count, sizeof *numbers, by_number);
            return;
        }
}

/* How many different sectors or lines of `bytes` bytes the lanes touch. */
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

/* The memory segments of a C1060, CUDA C Programming Guide 2.3, 5.1.2.1: the lowest lane that has
 * not been served determines a segment of 128 bytes (32 or 64 for accesses of 1 or 2 bytes), which
 * serves all lanes whose addresses are in it. It is halved, down to 32 bytes, as long as one half
 * contains all these addresses. */
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

/* A thread has at most 255 registers of 4 bytes. A larger array lies in local memory, which is
 * global memory. At one place in the source a thread touches elements of one array. */
enum { REGISTER_BYTES = 255 * 4 };
static void check_local(const struct access *lane, int lanes, bool first_request)
{
    static __thread uintptr_t low[WARP], high[WARP];
    for (int i = 0; first_request && i < WARP; i++) {
        low[i] = UINTPTR_MAX;
        high[i] = 0;
    }
    for (int i = 0; i < lanes; i++) {
        int l = lane[i].thread % WARP;
        uintptr_t begin = lane[i].address, end = begin + lane[i].width;
        low[l] = begin < low[l] ? begin : low[l];
        high[l] = end > high[l] ? end : high[l];
        if (high[l] - low[l] > REGISTER_BYTES) {
            count_add_fault(LOCAL_ARRAY, LOCAL, (int)lane->place, NONE);
            return;
        }
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

struct row *count_find_row(struct row **list, size_t *count, size_t *room, const struct row *new)
{
    for (size_t i = *count; i-- > 0 && (*list)[i].launch >= new->launch;) {
        struct row *r = &(*list)[i];
        if (r->launch == new->launch && r->place == new->place && r->width == new->width &&
            r->space == new->space && r->op == new->op)
            return r;
    }
    struct row *row = COUNT_ADD(*list, *count, *room);
    *row = *new;
    row->sums = (struct sums){0};
    row->busiest = 0;
    return row;
}

static struct row *row_here(int place, int width, enum space space, enum op op)
{
    struct row new = {.launch = count_here->launch,
                      .place = place,
                      .width = (uint8_t)width,
                      .space = (uint8_t)space,
                      .op = (uint8_t)op,
                      .warp = NONE};
    return count_find_row(&count_here->rows, &count_here->row_count, &count_here->row_room, &new);
}

void count_add_sums(struct sums *to, const struct sums *more)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
}

void count_requests(void)
{
    for (size_t i = 0; i < count_here->count; i++)
        count_here->occurrences[(size_t)count_here->log[i].place * THREADS_MOST +
                                count_here->log[i].thread] = 0;
    sort_log();
    count_here->row_count = 0;
    struct row *row = NULL;
    for (size_t i = 0, end; i < count_here->count; i = end) {
        const struct access *first = &count_here->log[i];
        for (end = i + 1; end < count_here->count && is_same_request(first, &count_here->log[end]);
             end++)
            ;
        if (i == 0 || first->place != first[-1].place || first->width != first[-1].width ||
            first->space != first[-1].space)
            row = row_here((int)first->place, first->width, first->space, first->op);
        struct sums sums = {0};
        measure(first, (int)(end - i), &sums);
        count_add_sums(&row->sums, &sums);
        if (first->space == LOCAL)
            check_local(first, (int)(end - i),
                        i == 0 || first->place != first[-1].place ||
                            first->thread / WARP != first[-1].thread / WARP);
        row->made = row->warp == first->thread / WARP ? row->made + 1 : 1;
        row->warp = first->thread / WARP;
        row->busiest = row->made > row->busiest ? row->made : row->busiest;
        if (count_here->replay)
            count_cache_request(first, (int)(end - i));
        if (count_here->pictured)
            count_picture(first, (int)(end - i), &sums);
    }
    uint64_t warps = (uint64_t)((count_here->threads + WARP - 1) / WARP), barriers = 0,
             shuffles = 0;
    for (int t = 0; t < count_here->threads; t++) {
        barriers += (uint64_t)count_here->state[t].barriers;
        shuffles += (uint64_t)count_here->state[t].shuffles;
    }
    row = row_here(NONE, 0, SHARED, BARRIER);
    row->sums.requests += warps;
    row->sums.lanes += barriers;
    if (shuffles == 0)
        return;
    row = row_here(NONE, 0, SHARED, SHUFFLE);
    row->sums.requests += warps;
    row->sums.lanes += shuffles;
}
#endif
