/* Tiles and cores, for recurrence_cpu.h.
 *
 * A job is one contiguous sequence, or a group of channels of a plane. Cores take jobs from an
 * atomic counter. If there are few and long ones, a job is divided into tiles of a fixed number of
 * rows, and cores take tiles in order. For each tile a core first computes its map, which turns the
 * value before the tile into the value after it: value -> product value + sum. Then it waits for the
 * value before the tile (carry), publishes the value after it, and computes the tile, which is in
 * its cache. P-scheme calls this pre-computation, propagation and determination (W12, W13). All
 * values depend on the tiles only, not on the number of cores. */

/* ---- a tile ---- */

/* The part of the arrays in which a tile lies. */
struct NAME(tile) {
    /* across channels the address of the first row to be computed, otherwise of the lowest one */
    ROWS rows;
    int64_t count, width; /* rows, and channels or sequences */
    const NUMBER
        *v_end; /* the w before the sequences, if the last row of this tile is their first */
};

/* Compute a tile with state->y before it; then state->y is what is after it. For the gradient these
 * are conj(s) dt of the row before and of the last row. If nothing is stored, state->product becomes
 * the factor of the value before the tile in the value after it. */
LANES_INLINE void NAME(up)(int kind, int store, const struct NAME(tile) * tile, STATE *state)
{
    NAME(run_time)(kind, store, 0, &tile->rows, tile->count, tile->v_end, state);
}
LANES_INLINE void NAME(down)(int kind, int store, const struct NAME(tile) * tile, STATE *state)
{
    NAME(run_time)(kind, store, 1, &tile->rows, tile->count, tile->v_end, state);
}
LANES_INLINE void NAME(across)(int kind, int store, int vectors, const struct NAME(tile) * tile,
                               STATE *state)
{
    const int64_t ends = kind == GRADIENT && store && tile->v_end ? 1 : 0;
    ROWS rows = tile->rows;
    for (int64_t k = 0; k < tile->width; k++) {
        state->product[k] = NAME(one)();
        if (kind == GRADIENT)
            state->f[k] = NAME(one)();
    }
    for (int part = 0; part < 1 + ends; part++) {
        int64_t first = part == 0 ? 0 : tile->count - 1,
                count = part == 0 ? tile->count - ends : tile->count;
        if (part == 1) /* v of the last row is elsewhere */
            rows.v = tile->v_end - first * rows.step;
        if (vectors)
            NAME(channels)(kind, store, &rows, first, count, tile->width, state);
        else
            ONE(channels)(kind, store, &rows, first, count, tile->width, state);
    }
    for (int64_t k = 0; kind == GRADIENT && k < tile->width; k++)
        state->y[k] = ONE(mul)(state->f[k], state->y[k]);
}
LANES_INLINE void NAME(wide)(int kind, int store, const struct NAME(tile) * tile, STATE *state)
{
    NAME(across)(kind, store, 1, tile, state);
}
LANES_INLINE void NAME(narrow)(int kind, int store, const struct NAME(tile) * tile, STATE *state)
{
    NAME(across)(kind, store, 0, tile, state);
}

/* Whole short sequences. */
LANES_INLINE void NAME(brief)(int kind, int down, const struct NAME(tile) * tile, STATE *state)
{
    const ptrdiff_t stride = tile->rows.step;
    for (int64_t k = 0; k < tile->width; k += W) {
        const ROWS rows = NAME(rows_from)(kind, 1, &tile->rows, k * stride);
        const NUMBER *v_end = kind == GRADIENT ? tile->v_end + k : NULL;
        const int count = tile->width - k < W ? (int)(tile->width - k) : W;
        NAME(sequences)(kind, down, &rows, stride, tile->count, count, v_end, state->y + k);
    }
}

/* One function for each way to compute, kind, and whether results are stored. */
typedef void NAME(compute)(const struct NAME(tile) * tile, STATE *state);
#define FUNCTION(name, kind, store, function, option)                                              \
    static __attribute__((noinline)) void NAME(name##_##kind##_##store)(                           \
        const struct NAME(tile) * tile, STATE * state)                                             \
    {                                                                                              \
        function(kind, option, tile, state);                                                       \
    }
#define EACH_KIND(form, name, function)                                                            \
    form(name, SOLVE, 0, function, 0) form(name, SOLVE, 1, function, 1)                            \
        form(name, CONSTANT, 0, function, 0) form(name, CONSTANT, 1, function, 1)                  \
            form(name, GRADIENT, 0, function, 0) form(name, GRADIENT, 1, function, 1)
#define EACH_STORED(form, name, function, option)                                                  \
    form(name, SOLVE, 1, function, option) form(name, CONSTANT, 1, function, option)               \
        form(name, GRADIENT, 1, function, option)
EACH_KIND(FUNCTION, up, NAME(up))
EACH_KIND(FUNCTION, down, NAME(down))
EACH_KIND(FUNCTION, wide, NAME(wide))
EACH_KIND(FUNCTION, narrow, NAME(narrow))
EACH_STORED(FUNCTION, brief_up, NAME(brief), 0)
EACH_STORED(FUNCTION, brief_down, NAME(brief), 1)
#define ENTRY(name, kind, store, function, option) [kind][store] = NAME(name##_##kind##_##store),
static NAME(compute) *const
    NAME(computes)[WAYS][KINDS][2] = {[UP] = {EACH_KIND(ENTRY, up, )},
                                      [DOWN] = {EACH_KIND(ENTRY, down, )},
                                      [BRIEF_UP] = {EACH_STORED(ENTRY, brief_up, , )},
                                      [BRIEF_DOWN] = {EACH_STORED(ENTRY, brief_down, , )},
                                      [WIDE] = {EACH_KIND(ENTRY, wide, )},
                                      [NARROW] = {EACH_KIND(ENTRY, narrow, )}};
#undef FUNCTION
#undef EACH_KIND
#undef EACH_STORED
#undef ENTRY

/* ---- cores ---- */

/* What the cores share. */
struct NAME(call) {
    const struct plan *plan;
    ROWS all; /* the first elements of the arrays */
    const NUMBER *w0;
    NUMBER *dw0;
    _Alignas(128) _Atomic int64_t next; /* the first tile that no core has taken */
    /* The carry of tile number `turn`, one value for each channel. Only the core that computes this
     * tile may change it. */
    _Alignas(128) _Atomic int64_t turn;
    NUMBER carry[NAME(CHANNELS)];
};

static const NUMBER NAME(zeros)[NAME(CHANNELS)];

/* The rows [first, first + count) in the order of computation, of the job that has sequence
 * `sequence` and the following ones. */
static struct NAME(tile) NAME(tile_of)(const struct NAME(call) * c, int64_t sequence, int64_t width,
                                       int64_t first, int64_t count)
{
    const struct plan *plan = c->plan;
    const struct layout *l = &plan->layout;
    const bool across = plan->way == WIDE || plan->way == NARROW, gradient = plan->kind == GRADIENT;
    const int64_t row = !plan->down ? first
                        : across    ? plan->length - 1 - first
                                    : plan->length - first - count;
    const int64_t i = plan->brief
                          ? sequence * l->plane
                          : sequence / l->inner * l->plane + sequence % l->inner + row * l->row;
    struct NAME(tile) tile = {.rows = {.s = plan->kind == CONSTANT ? c->all.s : c->all.s + i,
                                       .t = c->all.t + i,
                                       .y = c->all.y + i,
                                       .step = plan->brief  ? l->plane
                                               : plan->down ? -l->row
                                                            : l->row},
                              .count = count,
                              .width = width};
    if (gradient) {
        tile.rows.ds = c->all.ds + i;
        tile.rows.v = c->all.v + i + (across ? tile.rows.step : 0);
        if (first + count == plan->length)
            tile.v_end = c->w0 ? c->w0 + sequence : NAME(zeros);
    }
    return tile;
}

/* Waits for the carry of this tile. A thread that waits long lets others run, because the one that
 * it waits for may not have a core. */
static void NAME(wait)(struct NAME(call) * c, int64_t number)
{
    for (int64_t tries = 1; atomic_load_explicit(&c->turn, memory_order_acquire) != number; tries++)
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
        else
            pause_core();
}

/* True if carry = product before + sum is right. If it is not finite although `before` is not NaN,
 * only the products or sums may have overflowed. */
static bool NAME(is_sound)(NUMBER carry, NUMBER before)
{
    bool finite = carry.re - carry.re == 0, was_nan = before.re != before.re;
#if COMPLEX
    finite &= carry.im - carry.im == 0;
    was_nan &= before.im != before.im;
#endif
    return finite || was_nan;
}

/* Computes the carry of the next tile from the map of this one, which is in *map. Returns false if
 * the tile must be computed to know it. */
static bool NAME(propagate)(struct NAME(call) * c, const STATE *map, const NUMBER *before,
                            int64_t width)
{
    bool sound = true;
    for (int64_t k = 0; k < width; k++)
        sound &= NAME(is_sound)(ONE(mul_add)(map->product[k], before[k], map->y[k]), before[k]);
    for (int64_t k = 0; sound && k < width; k++)
        c->carry[k] = ONE(mul_add)(map->product[k], before[k], map->y[k]);
    return sound;
}

/* Tile number `number`, which is one of several tiles of a job or a job of its own. */
static void NAME(compute_tile)(struct NAME(call) * c, int64_t number, STATE *state)
{
    const struct plan *plan = c->plan;
    const int64_t job = number / plan->tiles, part = number % plan->tiles,
                  first = part * plan->rows, left = plan->length - first,
                  inner = plan->layout.inner, channel = job % plan->groups * plan->width,
                  sequence = job / plan->groups * inner + channel,
                  width = inner - channel < 2 * plan->width ? inner - channel : plan->width;
    NAME(compute) *const *compute = NAME(computes)[plan->way][plan->kind];
    const bool last = left <= plan->rows, chained = plan->tiles > 1;
    struct NAME(tile) tile = NAME(tile_of)(c, sequence, width, first, last ? left : plan->rows);
    const NUMBER *w0 = plan->kind != GRADIENT && c->w0 ? c->w0 + sequence : NAME(zeros),
                 *before = part == 0 ? w0 : c->carry;
    const size_t bytes = (size_t)width * sizeof *before;
    NUMBER value[NAME(CHANNELS)];
    bool published = !chained;
    if (chained && !last) {
        memset(state->y, 0, bytes);
        compute[0](&tile, state);
    }
    if (chained) {
        NAME(wait)(c, number);
        memcpy(value, before, bytes);
        published = last || NAME(propagate)(c, state, value, width);
        if (published)
            atomic_store_explicit(&c->turn, number + 1, memory_order_release);
        before = value;
    }
    memcpy(state->y, before, bytes);
    compute[1](&tile, state);
    if (!published) {
        memcpy(c->carry, state->y, bytes);
        atomic_store_explicit(&c->turn, number + 1, memory_order_release);
    }
    if (last && c->dw0)
        memcpy(c->dw0 + sequence, state->y, bytes);
}

static __attribute__((noinline)) void NAME(work)(struct NAME(call) * c)
{
    const int64_t all = c->plan->jobs * c->plan->tiles, some = c->plan->some;
    STATE state;
    for (int64_t number; (number = atomic_fetch_add(&c->next, some)) < all;)
        for (int64_t k = number; k < number + some && k < all; k++)
            NAME(compute_tile)(c, k, &state);
}

static void NAME(run)(const struct plan *plan, const struct recurrence *p, const struct gradient *g)
{
    struct NAME(call) c;
    c.plan = plan;
    c.all = (ROWS){.s = p->s, .t = p->t, .y = p->w};
    c.w0 = p->w0;
    c.dw0 = NULL;
    c.next = c.turn = 0;
    if (g) {
        c.all = (ROWS){.s = p->s, .t = g->dw, .v = p->w, .y = g->dt, .ds = g->ds};
        c.dw0 = g->dw0;
    }
    if (plan->cores == 1) {
        NAME(work)(&c);
    } else {
        OPENMP(omp parallel num_threads(plan->cores))
        NAME(work)(&c);
    }
}
