/* Tiles and cores, for recurrence_cpu.h.
 *
 * A job is one contiguous sequence, or a group of channels of a plane. Cores take jobs from an
 * atomic counter. If there are few and long ones, a job is divided into tiles of a fixed number of
 * rows, and cores take tiles in order. For each tile a core first computes its map, which turns the
 * value before the tile into the value after it: value -> product value + sum. Then it waits for
 * the value before the tile (carry), publishes the value after it, and computes the tile, which is
 * in its cache. P-scheme calls this pre-computation, propagation and determination (W12, W13). All
 * values depend on the tiles only, not on the number of cores. */

/* ---- a tile ---- */

/* The passes over a tile (enum pass). In state->columns, y is the value before the tile and becomes
 * that after it; for the gradient these are conj(s) dt of the row before and of the last row.
 * PRECOMPUTE writes no results of this tile, but those of the pending one. `product` becomes the
 * factor of the value before the tile in the value after it. DETERMINE is for a pending tile of one
 * sequence. */
LANES_INLINE void NAME(in_time)(int kind, int pass, int down, const TILE *tile, STATE *state)
{
    if (pass == DETERMINE) {
        NAME(determine)(kind, down, 0, tile->count, state);
        return;
    }
    TILE sequence = *tile;
    for (int64_t k = 0; k < tile->width; k++) {
        sequence.rows = NAME(rows_from)(kind, 1, &tile->rows, k * tile->rows.step);
        if (kind == CONSTANT)
            sequence.rows.s += k;
        if (kind == GRADIENT && tile->v_end)
            sequence.v_end = tile->v_end + k;
        NAME(run_time)(kind, pass == COMPUTE, down, &sequence, state->columns.y + k, state);
    }
}
LANES_INLINE void NAME(across)(int kind, int pass, int vectors, const TILE *tile, STATE *state)
{
    COLUMNS *columns = &state->columns;
    for (int64_t k = 0; k < tile->width; k++) {
        columns->product[k] = columns->part[k] = NAME(one)();
        columns->f[k] = kind == CONSTANT ? tile->rows.s[k] : NAME(one)();
    }
    /* In the gradient, v of the first row of the sequences is elsewhere. */
    const bool ends = kind == GRADIENT && pass == COMPUTE && tile->v_end;
    TILE part = *tile;
    part.count -= ends;
    for (int k = 0; k <= ends; k++) {
        if (vectors)
            NAME(channels)(kind, pass, &part, state);
        else
            ONE(channels)(kind, pass, &part, state);
        if (!ends)
            continue;
        part.rows = NAME(rows_from)(kind, 1, &tile->rows, (tile->count - 1) * tile->rows.step);
        part.rows.v = tile->v_end;
        part.count = 1;
    }
    for (int64_t k = 0; kind == GRADIENT && k < tile->width; k++)
        columns->y[k] = ONE(mul)(columns->f[k], columns->y[k]);
}
/* Whole short sequences. */
LANES_INLINE void NAME(brief)(int kind, int pass, int down, const TILE *tile, STATE *state)
{
    const ptrdiff_t stride = tile->rows.step;
    for (int64_t k = 0; pass == COMPUTE && k < tile->width; k += W) {
        ROWS rows = NAME(rows_from)(kind, 1, &tile->rows, k * stride);
        if (kind == CONSTANT)
            rows.s += k;
        const NUMBER *v_end = kind == GRADIENT ? tile->v_end + k : NULL;
        const int count = tile->width - k < W ? (int)(tile->width - k) : W;
        NAME(sequences)(kind, down, &rows, stride, tile->count, count, v_end, state->columns.y + k);
    }
}

/* One function for each way to compute, kind and pass. */
typedef void NAME(compute)(const TILE *tile, STATE *state);
#define FUNCTION(name, function, option, pass, kind, ...)                                          \
    static __attribute__((__VA_ARGS__)) void NAME(name##_##pass##_##kind)(const TILE *tile,        \
                                                                          STATE *state)            \
    {                                                                                              \
        NAME(function)(kind, pass, option, tile, state);                                           \
    }
#define FUNCTIONS(name, function, option, pass, ...)                                               \
    FUNCTION(name, function, option, pass, SOLVE, __VA_ARGS__)                                     \
    FUNCTION(name, function, option, pass, CONSTANT, __VA_ARGS__)                                  \
    FUNCTION(name, function, option, pass, GRADIENT, __VA_ARGS__)
FUNCTIONS(up, in_time, 0, PRECOMPUTE, noinline)
FUNCTIONS(up, in_time, 0, COMPUTE, noinline)
FUNCTIONS(up, in_time, 0, DETERMINE, noinline)
FUNCTIONS(down, in_time, 1, PRECOMPUTE, noinline)
FUNCTIONS(down, in_time, 1, COMPUTE, noinline)
FUNCTIONS(down, in_time, 1, DETERMINE, noinline)
FUNCTIONS(brief_up, brief, 0, COMPUTE, noinline)
FUNCTIONS(brief_down, brief, 1, COMPUTE, noinline)
FUNCTIONS(wide, across, 1, PRECOMPUTE, noinline)
FUNCTIONS(wide, across, 1, COMPUTE, noinline)
/* cold: small code, since the rows are shorter than a vector */
FUNCTIONS(narrow, across, 0, PRECOMPUTE, noinline, cold)
FUNCTIONS(narrow, across, 0, COMPUTE, noinline, cold)
#define KINDS_OF(name, pass)                                                                       \
    [pass] = {NAME(name##_##pass##_SOLVE), NAME(name##_##pass##_CONSTANT),                         \
              NAME(name##_##pass##_GRADIENT)}
static NAME(compute) *const NAME(computes)[WAYS][PASSES][KINDS] = {
    [UP] = {KINDS_OF(up, PRECOMPUTE), KINDS_OF(up, COMPUTE), KINDS_OF(up, DETERMINE)},
    [DOWN] = {KINDS_OF(down, PRECOMPUTE), KINDS_OF(down, COMPUTE), KINDS_OF(down, DETERMINE)},
    [BRIEF_UP] = {KINDS_OF(brief_up, COMPUTE)},
    [BRIEF_DOWN] = {KINDS_OF(brief_down, COMPUTE)},
    [WIDE] = {KINDS_OF(wide, PRECOMPUTE), KINDS_OF(wide, COMPUTE)},
    [NARROW] = {KINDS_OF(narrow, PRECOMPUTE), KINDS_OF(narrow, COMPUTE)}};
#undef FUNCTION
#undef FUNCTIONS
#undef KINDS_OF

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
    NUMBER same[NAME(CHANNELS)]; /* RECURRENCE_S_ONE: s for each channel of a job */
};

static const NUMBER NAME(zeros)[NAME(CHANNELS)];

static TILE NAME(tile_of)(const struct NAME(call) * c, const struct place *at)
{
    const struct plan *plan = c->plan;
    const int64_t i = index_of(plan, at), row = plan->down ? -plan->layout.row : plan->layout.row;
    const int64_t of_s = plan->constant == RECURRENCE_S_EACH       ? i
                         : plan->constant == RECURRENCE_S_SEQUENCE ? at->sequence
                         : plan->constant == RECURRENCE_S_CHANNEL
                             ? at->sequence % plan->layout.inner
                             : 0;
    TILE tile = {.rows = {.s = c->all.s + of_s,
                          .t = c->all.t + i,
                          .y = c->all.y + i,
                          .step = plan->beside ? plan->layout.plane : row},
                 .count = at->count,
                 .width = at->width};
    if (plan->kind == GRADIENT) {
        tile.rows.ds = c->all.ds + i;
        tile.rows.v = c->all.v + i + (across(plan) ? row : 0);
        if (at->last)
            tile.v_end = c->w0 ? c->w0 + at->sequence : NAME(zeros);
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
static bool NAME(propagate)(struct NAME(call) * c, const COLUMNS *map, const NUMBER *before,
                            int64_t width)
{
    bool sound = true;
    for (int64_t k = 0; k < width; k++)
        sound &= NAME(is_sound)(ONE(mul_add)(map->product[k], before[k], map->y[k]), before[k]);
    for (int64_t k = 0; sound && k < width; k++)
        c->carry[k] = ONE(mul_add)(map->product[k], before[k], map->y[k]);
    return sound;
}

/* Computes a job of one tile. */
static void NAME(compute_job)(struct NAME(call) * c, int64_t number, STATE *state)
{
    const struct place at = place_of(c->plan, number);
    const TILE tile = NAME(tile_of)(c, &at);
    const size_t bytes = (size_t)at.width * sizeof(NUMBER);
    const bool zero = c->plan->kind == GRADIENT || !c->w0;
    memcpy(state->columns.y, zero ? NAME(zeros) : c->w0 + at.sequence, bytes);
    NAME(computes)[c->plan->way][COMPUTE][c->plan->kind](&tile, state);
    if (c->dw0)
        memcpy(c->dw0 + at.sequence, state->columns.y, bytes);
}

/* Completes the pending tile. */
static void NAME(complete)(const struct plan *plan, STATE *state)
{
    const TILE pending = state->pending;
    if (pending.count == 0)
        return;
    memcpy(state->columns.y, state->before.y, (size_t)pending.width * sizeof(NUMBER));
    NAME(computes)[plan->way][across(plan) ? COMPUTE : DETERMINE][plan->kind](&pending, state);
    state->pending.count = 0;
}

/* Computes tile `number` of a job of several tiles. At the end it is pending: its results are
 * written while the next tile is read. */
static void NAME(compute_tile)(struct NAME(call) * c, int64_t number, STATE *state)
{
    const struct plan *plan = c->plan;
    NAME(compute) *const(*compute)[KINDS] = NAME(computes)[plan->way];
    const struct place at = place_of(plan, number);
    const TILE tile = NAME(tile_of)(c, &at);
    const size_t bytes = (size_t)at.width * sizeof(NUMBER);
    const bool zero = plan->kind == GRADIENT || !c->w0;
    NUMBER *y = state->columns.y, *before = state->before.y;
    if (!at.last) {
        memcpy(y, NAME(zeros), bytes);
        const bool other =
            plan->kind == CONSTANT && state->pending.count > 0; /* of other sequences */
        const int64_t width = other ? state->pending.width : at.width;
        for (int64_t k = 0; k < width; k++)
            state->before.f[k] = other ? state->pending.rows.s[k] : NAME(one)();
        compute[PRECOMPUTE][plan->kind](&tile, state);
        state->pending.count = 0;
    }
    NAME(complete)(plan, state);
    NAME(wait)(c, number);
    memcpy(before, at.first > 0 ? c->carry : zero ? NAME(zeros) : c->w0 + at.sequence, bytes);
    const bool known = at.last || NAME(propagate)(c, &state->columns, before, at.width);
    if (known)
        atomic_store_explicit(&c->turn, number + 1, memory_order_release);
    if (known && !at.last) {
        state->pending = tile;
        return;
    }
    memcpy(y, before, bytes);
    compute[COMPUTE][plan->kind](&tile, state);
    if (!known) {
        memcpy(c->carry, y, bytes);
        atomic_store_explicit(&c->turn, number + 1, memory_order_release);
    }
    if (at.last && c->dw0)
        memcpy(c->dw0 + at.sequence, y, bytes);
}

/* A core. It takes tiles in order, and publishes the carry of one before it takes another, so the
 * first one without a carry never waits. */
static __attribute__((noinline)) void NAME(work)(struct NAME(call) * c)
{
    const int64_t all = c->plan->jobs * c->plan->tiles, some = c->plan->some;
    STATE state;
    state.pending.count = 0;
    for (int64_t number; (number = atomic_fetch_add(&c->next, some)) < all;)
        if (c->plan->tiles > 1)
            NAME(compute_tile)(c, number, &state);
        else
            for (int64_t k = number; k < number + some && k < all; k++)
                NAME(compute_job)(c, k, &state);
    NAME(complete)(c->plan, &state);
}

static ROWS NAME(arrays_of)(const struct recurrence *p, const struct gradient *g)
{
    return g ? (ROWS){.s = p->s, .t = g->dw, .v = p->w, .y = g->dt, .ds = g->ds}
             : (ROWS){.s = p->s, .t = p->t, .y = p->w};
}
static void NAME(run)(const struct plan *plan, const struct recurrence *p, const struct gradient *g)
{
    struct NAME(call) c;
    c.plan = plan;
    c.all = NAME(arrays_of)(p, g);
    c.w0 = p->w0;
    c.dw0 = g ? g->dw0 : NULL;
    c.next = c.turn = 0;
    if (plan->constant == RECURRENCE_S_ONE) {
        const int64_t most = smaller(plan->layout.inner, 2 * plan->width);
        for (int64_t k = 0; k < most; k++)
            c.same[k] = *c.all.s;
        c.all.s = c.same;
    }
    if (plan->cores == 1) {
        NAME(work)(&c);
    } else {
        OPENMP(omp parallel num_threads(plan->cores))
        NAME(work)(&c);
    }
}

/* Short contiguous sequences, as many as lanes at most, without a plan, which would take longer. */
static void NAME(run_brief)(const struct recurrence *p, const struct gradient *g)
{
    const ROWS all = NAME(arrays_of)(p, g);
    const NUMBER *w0 = p->w0 ? p->w0 : NAME(zeros);
    const int64_t count = p->batch, n = p->length;
    const int down = (p->reverse != 0) != (g != NULL);
    NUMBER y[W], f[W];
    for (int64_t k = 0; k < count; k++) {
        y[k] = g ? NAME(zeros)[0] : w0[k];
        f[k] = p->constant ? all.s[p->constant == RECURRENCE_S_SEQUENCE ? k : 0] : NAME(one)();
    }
    if (g)
        NAME(serial)(GRADIENT, down, &all, n, n, 0, count, w0, y, f);
    else if (p->constant)
        NAME(serial)(CONSTANT, down, &all, n, n, 0, count, w0, y, f);
    else
        NAME(serial)(SOLVE, down, &all, n, n, 0, count, w0, y, f);
    for (int64_t k = 0; g && g->dw0 && k < count; k++)
        ((NUMBER *)g->dw0)[k] = ONE(mul)(f[k], y[k]);
}
