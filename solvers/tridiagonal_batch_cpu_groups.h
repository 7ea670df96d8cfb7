/* Groups of systems for tridiagonal_batch_cpu.h: their places in the arrays, the attempts to solve
 * them, and how the cores share them. */

static int64_t NAME(group_lanes)(bool narrow)
{
    return narrow ? W : GROUP_LANES;
}
/* The workspace of a core */
static size_t NAME(group_bytes)(int64_t n, bool ring)
{
    return (size_t)(n * (ring ? RING_WINDOW : WINDOW) * VECTORS) * sizeof(NUMBERS);
}

/* ---- places ---- */

static void NAME(set_access)(PLACE *p, int vectors)
{
    const int64_t step = p->first[1] - p->first[0];
    bool even = true;
    for (int v = 0; v < VECTORS; v++) {
        const int64_t *first = p->first + v * W;
        bool same = true, neighbours = true;
        for (int k = 0; k < W; k++) {
            same = same && first[k] == first[0];
            neighbours = neighbours && first[k] == first[0] + k;
            even = even && (v >= vectors || first[k] == p->first[0] + (v * W + k) * step);
        }
        p->access[v] = same && p->stride <= 1 ? SAME
                       : neighbours           ? NEIGHBOURS
                       : p->stride == 1       ? ROWWISE
                                              : APART;
    }
    p->step = step;
    p->all = even ? p->access[0] : APART;
}
/* Sets up the group for `count` systems from number `system` on. */
static void NAME(set_group)(GROUP *g, int64_t system, int count)
{
    const struct tridiagonal_batch *b = &g->c->b;
    int64_t plane = system / b->inner * b->plane_stride, column = system % b->inner;
    g->vectors = g->c->narrow ? 1 : VECTORS;
    g->system = system;
    g->count = count;
    g->own.stride = b->row_stride;
    g->n = b->offset ? 0 : b->n;
    g->shortest = b->n;
    for (int k = 0; k < GROUP_LANES; k++) {
        int64_t now = system + (k < count ? k : count - 1);
        g->rows[k] = b->n;
        g->own.first[k] = plane + column;
        if (b->offset) { /* a system that is too long is not solved */
            int64_t rows = b->offset[now + 1] - b->offset[now];
            g->rows[k] = rows < 0 || rows > b->n ? 0 : rows;
            g->own.first[k] = b->offset[now];
            g->n = g->rows[k] > g->n ? g->rows[k] : g->n;
            g->shortest = g->rows[k] < g->shortest ? g->rows[k] : g->shortest;
        }
        if (k + 1 < count && ++column == b->inner) {
            column = 0;
            plane += b->plane_stride;
        }
    }
    NAME(set_access)(&g->own, g->vectors);
    g->matrix = g->own;
    if (!g->c->shared)
        return;
    g->matrix.stride = g->c->stride;
    for (int k = 0; k < GROUP_LANES; k++)
        g->matrix.first[k] =
            (system + (k < count ? k : count - 1)) / g->c->sides * b->n * g->matrix.stride;
    NAME(set_access)(&g->matrix, g->vectors);
}

/* ---- attempts ---- */

/* The lanes whose rhs are all 0 */
static void NAME(find_zero_rhs)(const GROUP *g, BITS zero[VECTORS])
{
    NUMBERS rhs[ROWS][VECTORS];
    const int vectors = g->vectors;
    for (int64_t i = 0; i < g->n; i += ROWS) {
        int count = NAME(block_rows)(g->n, i);
        NAME(load_rows)(g, &g->own, g->c->in[RHS], g->c->shift[RHS], i, count, rhs);
        for (int r = 0; r < count; r++)
            FOR_VECTORS zero[v] &= NAME(size)(rhs[r][v]) == 0;
    }
}
/* After a sweep down that may solve the lanes `ok`, and the lanes `zero` if all their rhs are 0:
 * those of them that are still to do are stored by the sweep up, and then no longer to do. */
static void NAME(store_solved)(GROUP *g, BITS todo[VECTORS], BITS ok[VECTORS], BITS zero[VECTORS],
                               void up(GROUP *g, const BITS keep[VECTORS]), int status[GROUP_LANES])
{
    const int vectors = g->vectors;
    bool some = false, zeros = false;
    FOR_VECTORS zeros = zeros || NAME(any)(zero[v] & todo[v]);
    if (zeros)
        NAME(find_zero_rhs)(g, zero);
    FOR_VECTORS
    {
        ok[v] = todo[v] & (ok[v] | zero[v]);
        todo[v] &= ~ok[v];
        some = some || NAME(any)(ok[v]);
    }
    if (!some)
        return;
    FOR_VECTORS g->infinite[v] = (BITS){0} - 1;
    up(g, ok);
    FOR_VECTORS if (NAME(any)(ok[v] & (g->infinite[v] >= 0))) for (int k = 0; k < W;
                                                                   k++) if (ok[v][k])
        status[v * W + k] = 1 + (int)g->infinite[v][k];
}
/* Solves the systems of a group. Returns how many of them broke down. */
static int NAME(solve_group)(GROUP *g)
{
    const struct tridiagonal_batch *b = &g->c->b;
    const int vectors = VECTORS;
    BITS todo[VECTORS], ok[VECTORS], zero[VECTORS], row[VECTORS];
    int status[GROUP_LANES] = {0}, broken = 0;
    bool left = false;
    FOR_VECTORS for (int k = 0; k < W; k++) todo[v][k] = -(v * W + k < g->count && g->n > 0);
    if (g->c->squares) {
        NAME(down_squares)(g, ok, zero);
        NAME(store_solved)(g, todo, ok, zero, NAME(up_squares), status);
    } else if (b->pivot != TRIDIAGONAL_PIVOT_ALWAYS) {
        NAME(down_plain)(g, ok, zero);
        NAME(store_solved)(g, todo, ok, zero, NAME(up_plain), status);
    }
    FOR_VECTORS left = left || NAME(any)(todo[v]);
    if (left && b->pivot != TRIDIAGONAL_PIVOT_NEVER) {
        NAME(down_pivoted)(g, ok, zero);
        NAME(store_solved)(g, todo, ok, zero, NAME(up_pivoted), status);
    }
    left = false;
    FOR_VECTORS left = left || NAME(any)(todo[v]);
    if (left) {
        g->vectors = VECTORS;
        g->own.all = g->matrix.all = APART;
        NAME(down_checked)(g, ok, row);
        FOR_VECTORS zero[v] = (BITS){0};
        NAME(store_solved)(g, todo, ok, zero, NAME(up_checked), status);
        for (int k = 0; k < GROUP_LANES; k++)
            if (todo[k / W][k % W]) {
                int64_t i = row[k / W][k % W], last = g->rows[k] - 1;
                status[k] = 1 + (int)(i < 0 || i > last ? last : i);
            }
    }
    for (int k = 0; k < g->count; k++) {
        if (b->offset && b->offset[g->system + k + 1] - b->offset[g->system + k] > b->n)
            status[k] = 1 + (int)b->n;
        broken += status[k] != 0;
        if (b->status)
            b->status[g->system + k] = status[k];
    }
    return broken;
}

/* ---- chunks ---- */

/* Sets up the sums of the derivatives of the matrices that systems begin to end - 1 share. */
static void NAME(set_sums)(GROUP *g, int64_t chunk, int64_t begin, int64_t end)
{
    const struct call *c = g->c;
    void *const to[] = {c->d->dsub, c->d->ddiag, c->d->dsuper};
    const int64_t rows = c->stride ? c->b.n : 1, first = begin / c->sides * rows;
    for (int e = 0; e < 3; e++) {
        REAL *here = to[e];
        int64_t elements = (end - begin) / c->sides * rows;
        g->sums_first = 0;
        if (c->slot_bytes > 0) {
            here = (REAL *)(c->slots + (size_t)chunk * c->slot_bytes) + e * rows * REALS;
            elements = rows;
            g->sums_first = first;
        }
        if (to[e])
            memset(here + (first - g->sums_first) * REALS, 0,
                   (size_t)(elements * REALS) * sizeof(REAL));
        g->sums[e] = here;
    }
}
static long long NAME(solve_chunk)(const struct call *c, int64_t chunk, int core)
{
    int64_t base = chunk / c->parts * c->period, begin = base + chunk % c->parts * c->systems,
            end = base + c->period;
    end = end < c->b.batch ? end : c->b.batch;
    end = end < begin + c->systems ? end : begin + c->systems;
    GROUP g;
    long long broken = 0;
    g.c = c;
    g.work = (NUMBERS *)((char *)c->b.work + (size_t)core * c->core_bytes);
    if (c->d && c->shared)
        NAME(set_sums)(&g, chunk, begin, end);
    const int64_t lanes = NAME(group_lanes)(c->narrow);
    int64_t s = begin, tried = c->panel_bytes > 0 ? begin : end;
    while (s < end) {
        if (s >= tried) { /* as a panel: whole vectors, within a row */
            const int64_t left = c->b.inner - s % c->b.inner,
                          vectors = (end - s < left ? end - s : left) / W;
            tried = s + vectors * W;
            if (vectors > 0 && NAME(solve_panel)(c, s, vectors, (VEC *)g.work, &broken)) {
                s = tried;
                continue;
            }
        }
        NAME(set_group)(&g, s, (int)(end - s < lanes ? end - s : lanes));
        broken += NAME(solve_group)(&g);
        s += lanes;
    }
    return broken;
}
/* The derivatives of element i of all matrices: the sum of those of the chunks, always in the same
 * order */
static void NAME(add_slots)(const struct call *c, int64_t i)
{
    REAL *const to[] = {c->d->dsub, c->d->ddiag, c->d->dsuper};
    const int64_t rows = c->stride ? c->b.n : 1, matrix = i / rows, row = i % rows;
    for (int e = 0; e < 3; e++)
        for (int part = 0; to[e] && part < REALS; part++) {
            REAL sum = 0;
            for (int64_t chunk = matrix * c->parts; chunk < (matrix + 1) * c->parts; chunk++)
                sum +=
                    ((const REAL *)(c->slots + (size_t)chunk *
                                                   c->slot_bytes))[(e * rows + row) * REALS + part];
            to[e][i * REALS + part] = sum;
        }
}
static long long NAME(run)(const struct call *c)
{
    long long broken = 0;
    const int64_t elements =
        c->d && c->slot_bytes > 0 ? c->b.batch / c->sides * (c->stride ? c->b.n : 1) : 0;
    if (c->cores == 1) { /* without the time that OpenMP takes */
        unsigned state = lanes_begin();
        for (int64_t chunk = 0; chunk < c->chunks; chunk++)
            broken += NAME(solve_chunk)(c, chunk, 0);
        for (int64_t i = 0; i < elements; i++)
            NAME(add_slots)(c, i);
        lanes_end(state);
        return broken;
    }
    OPENMP(omp parallel num_threads(c->cores) reduction(+ : broken))
    {
        /* Subnormal results become 0: those that decay along a system would make it slow. */
        unsigned state = lanes_begin();
        OPENMP(omp for schedule(guided))
        for (int64_t chunk = 0; chunk < c->chunks; chunk++)
            broken += NAME(solve_chunk)(c, chunk, lanes_core());
        OPENMP(omp for schedule(static))
        for (int64_t i = 0; i < elements; i++)
            NAME(add_slots)(c, i);
        lanes_end(state);
    }
    return broken;
}
