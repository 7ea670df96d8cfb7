/* Races between blocks: two blocks of a launch access the same bytes of global memory, the first
 * access is a write, and nothing orders the second one after it.
 *
 * For every four bytes of global memory a mark keeps the last write. For every thread a view keeps
 * which accesses of other blocks come before its own ones. Such an order begins with a release and
 * ends with an acquire of the same flag:
 *
 *   release   store_release; or __threadfence, and then an atomic store
 *   acquire   load_acquire; or an atomic load, and then __threadfence
 *
 * A store that does not change the flag is no release. Volatile accesses are like ordinary ones.
 * Atomic operations that read and write (atomicAdd, …) are loads and stores in this sense. They
 * order nothing without __threadfence, as on a GPU. Within a block a view spreads at __syncthreads
 * to all threads and at __syncwarp to the warp.
 *
 * There are no false reports, but some races are not found:
 *   - a write after a read by another block, because the reads are not kept;
 *   - races with a write that is not the last one before the access, because only that is kept;
 *   - a launch is not checked further after a group_sync or mbarrier_wait, whose order is not
 *     followed, nor after a release if it has more than BLOCKS_MOST blocks. */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

enum { BLOCKS_MOST = 1024, ANY = -1, LOCKS = 1024 };

/* Which accesses of a block come first: those before its barrier number `barriers`; of the later
 * ones those of thread `thread` (of all, if ANY) up to its release number `releases`, and those of
 * the same warp before its fence number `fences`. */
struct known {
    int block, barriers, thread, releases, fences;
};
/* Sorted by block. It does not change once it is made. */
struct order {
    struct order *next; /* in the list of all orders of the launch */
    int count;
    struct known known[];
};

struct mark {
    int launch; /* the launch's number + 1; entries of other launches are unused */
    struct known writer;
    int place;
    uint8_t bytes; /* a bit for each byte that is written */
    bool atomic;
    const struct order *released; /* by the last store to a flag that begins here */
};

struct ordering {
    int number;
    bool checked;
    long blocks;
    struct order *all;
};

/* ---- orders ---- */

static struct order *new_order(int most)
{
    struct order *order = malloc(sizeof *order + (size_t)most * sizeof order->known[0]);
    if (!order)
        count_out_of_memory();
    struct ordering *launch = count_here->ordering;
    order->count = 0;
    order->next = __atomic_load_n(&launch->all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&launch->all, &order->next, order, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return order;
}

static struct known join_known(const struct known *one, const struct known *other)
{
    if (one->barriers != other->barriers)
        return one->barriers > other->barriers ? *one : *other;
    struct known both = *one;
    if (one->thread != other->thread)
        both.thread = ANY;
    if (both.releases < other->releases)
        both.releases = other->releases;
    if (both.fences < other->fences)
        both.fences = other->fences;
    return both;
}

static bool contains(const struct order *all, const struct order *part)
{
    int at = 0;
    for (int i = 0; i < part->count; i++) {
        while (at < all->count && all->known[at].block < part->known[i].block)
            at++;
        if (at == all->count || all->known[at].block != part->known[i].block)
            return false;
        struct known both = join_known(&all->known[at], &part->known[i]);
        if (memcmp(&both, &all->known[at], sizeof both) != 0)
            return false;
    }
    return true;
}

/* Either may be NULL, which is an order without entries. */
static const struct order *join(const struct order *one, const struct order *other)
{
    if (!other || one == other || (one && contains(one, other)))
        return one;
    if (!one || contains(other, one))
        return other;
    struct order *both = new_order(one->count + other->count);
    for (int i = 0, j = 0; i < one->count || j < other->count;) {
        const struct known *x = i < one->count ? &one->known[i] : NULL,
                           *y = j < other->count ? &other->known[j] : NULL;
        bool take_x = x && (!y || x->block <= y->block), take_y = y && (!x || y->block <= x->block);
        both->known[both->count++] = take_x && take_y ? join_known(x, y) : take_x ? *x : *y;
        i += take_x;
        j += take_y;
    }
    return both;
}

static struct view join_views(const struct view *one, const struct view *other)
{
    return (struct view){join(one->known, other->known), join(one->fenced, other->fenced),
                         join(one->read, other->read)};
}

/* ---- the running thread ---- */

static struct thread_state *self(void)
{
    return &count_here->state[count_thread()];
}

static struct view *view_of(struct thread_state *t)
{
    int warp = count_thread() / WARP;
    if (t->seen_barriers != t->barriers)
        t->view = join_views(&t->view, &count_here->at_barrier[t->barriers % 2]);
    if (t->seen_fences != t->fences) {
        t->view = join_views(&t->view, &count_here->at_fence[warp]);
        t->warp_fences = count_here->fences[warp];
    }
    t->seen_barriers = t->barriers;
    t->seen_fences = t->fences;
    return &t->view;
}

/* All accesses of the thread, and all that it knows of other blocks. */
static const struct order *release(struct thread_state *t)
{
    if (count_here->ordering->blocks > BLOCKS_MOST) {
        count_order_unknown();
        return NULL;
    }
    const struct order *known = view_of(t)->known;
    struct order *own = new_order(1);
    own->count = 1;
    own->known[0] = (struct known){(int)count_here->index, t->barriers, count_thread(),
                                   t->releases++, t->warp_fences};
    return join(known, own);
}

static bool is_followed(void)
{
    return count_here->ordering->blocks > 1 &&
           __atomic_load_n(&count_here->ordering->checked, __ATOMIC_RELAXED);
}
void count_order_unknown(void)
{
    __atomic_store_n(&count_here->ordering->checked, false, __ATOMIC_RELAXED);
}

void count_order_barrier(void)
{
    struct thread_state *t = self();
    if (is_followed()) {
        struct view *there = &count_here->at_barrier[(t->barriers + 1) % 2];
        *there = join_views(there, view_of(t));
    }
}

void count_order_warp(void)
{
    struct thread_state *t = self();
    int warp = count_thread() / WARP;
    if (is_followed())
        count_here->at_fence[warp] = join_views(&count_here->at_fence[warp], view_of(t));
    count_here->fences[warp]++;
}

/* count_enter() for an atomic operation that is followed. */
static bool enter(void)
{
    return count_here && is_followed() && count_enter();
}

/* ---- marks ---- */

static char locks[LOCKS];

static void lock(const struct mark *mark)
{
    char *at = &locks[((uintptr_t)mark / sizeof *mark) % LOCKS];
    while (__atomic_test_and_set(at, __ATOMIC_ACQUIRE)) {
    }
}
static void unlock(const struct mark *mark)
{
    __atomic_clear(&locks[((uintptr_t)mark / sizeof *mark) % LOCKS], __ATOMIC_RELEASE);
}

struct mark *count_new_marks(size_t bytes)
{
    return calloc(bytes / 4 + 2, sizeof(struct mark));
}

/* The mark of four bytes, locked and of this launch. NULL if the address is not in global memory.
 */
static struct mark *locked_mark(uintptr_t address)
{
    uintptr_t base;
    struct mark *marks = count_marks(address, &base);
    if (!marks)
        return NULL;
    struct mark *mark = &marks[address / 4 - base / 4];
    lock(mark);
    if (mark->launch != count_here->ordering->number + 1)
        *mark =
            (struct mark){.launch = count_here->ordering->number + 1, .writer = {.block = NONE}};
    return mark;
}

void count_order_before_store(uintptr_t address, bool releases, bool reads)
{
    if (!enter())
        return;
    struct thread_state *t = self();
    const struct order *released = releases ? release(t) : view_of(t)->fenced;
    struct mark *mark = locked_mark(address);
    if (mark) {
        mark->released = reads ? join(mark->released, released) : released;
        unlock(mark);
    }
    count_here->in_runtime = false;
}

/* Joins what the last store to a flag released. */
static void read_flag(uintptr_t address, const struct order **to)
{
    struct mark *mark = locked_mark(address);
    if (!mark)
        return;
    const struct order *released = mark->released;
    unlock(mark);
    *to = join(*to, released);
}

void count_order_after_load(uintptr_t address, bool acquires)
{
    if (!enter())
        return;
    struct view *view = view_of(self());
    read_flag(address, acquires ? &view->known : &view->read);
    count_here->in_runtime = false;
}

void count_order_fence(void)
{
    if (!enter())
        return;
    struct thread_state *t = self();
    struct view *view = view_of(t);
    view->known = join(view->known, view->read);
    view->fenced = release(t);
    count_here->in_runtime = false;
}

static bool is_known(const struct order *order, const struct known *writer)
{
    for (int i = 0; order && i < order->count; i++) {
        const struct known *k = &order->known[i];
        if (k->block == writer->block)
            return writer->barriers < k->barriers ||
                   (writer->barriers == k->barriers && k->thread == ANY) ||
                   (writer->thread == k->thread && writer->releases <= k->releases) ||
                   (writer->thread / WARP == k->thread / WARP && writer->fences < k->fences);
    }
    return false;
}

void count_check_blocks(uintptr_t address, int bytes, bool writes, const struct touch *now)
{
    if (!is_followed())
        return;
    struct thread_state *t = self();
    const struct order *known = view_of(t)->known;
    struct known here = {(int)count_here->index, now->barriers, now->thread, t->releases,
                         count_here->fences[now->thread / WARP]};
    for (uintptr_t at = address, next; at < address + (uintptr_t)bytes; at = next) {
        struct mark *mark = locked_mark(at);
        uint8_t part = 0;
        for (next = at; next / 4 == at / 4 && next < address + (uintptr_t)bytes; next++)
            part |= (uint8_t)(1u << next % 4);
        if (!mark)
            return;
        bool apart = mark->writer.block != NONE && mark->writer.block != here.block &&
                     mark->bytes & part && !(mark->atomic && now->atomic);
        int other = mark->place;
        if (apart && !is_known(known, &mark->writer) && is_followed())
            count_add_fault(writes ? WRITE_AFTER_BLOCK : READ_AFTER_BLOCK, GLOBAL, now->place,
                            other);
        if (writes) {
            mark->writer = here;
            mark->place = now->place;
            mark->bytes = part;
            mark->atomic = now->atomic;
        }
        unlock(mark);
    }
}

/* ---- launches ---- */

struct ordering *count_new_ordering(int number, long blocks)
{
    struct ordering *launch = calloc(1, sizeof *launch);
    if (!launch)
        count_out_of_memory();
    *launch = (struct ordering){number, true, blocks, NULL};
    return launch;
}

void count_end_ordering(struct ordering *launch)
{
    for (struct order *order = launch->all, *next; order; order = next) {
        next = order->next;
        free(order);
    }
    free(launch);
}
#endif
