/* P-scheme with the lanes of a core as processors, for one precision: VEC, WIDTH and LANES(name) are lanes.h's names of
 * it, REAL and the like pscheme_cpu_body.h's, which comes first.
 *
 *     tile k                                             TILE = LANE_VECTORS * WIDTH * LANE_ROWS consecutive rows
 *     lane 0 | lane 1 | ... | lane LANE_VECTORS * WIDTH - 1      LANE_ROWS consecutive rows each
 *
 * Word j of vector v is lane j LANE_VECTORS + v, so m[v][r] is row r of every LANE_VECTORS-th lane. Two levels of
 * P-scheme: every lane precomputes its map, the maps of a tile are composed, and then the value that comes into the
 * tile is all that is missing. A tile hands on what its map makes of that, from one core to the other: what is handed
 * on is the same whoever does it. Memory is read and written once, and one core or several compute the same bits. */

enum { NAME(TILE) = LANE_VECTORS * WIDTH * LANE_ROWS };
enum { NAME(CACHED) = CACHED_BYTES / (3 * sizeof(REAL)) };
/* The sizes from which lanes are faster than the serial functions, which have the smaller ones. */
enum { NAME(LINEAR_LEAST) = NAME(TILE) * 5 / 8, NAME(SOLVE_LEAST) = NAME(TILE) / 2 };

/* Between lanes_begin and lanes_end results below REAL_MIN are 0: beside this that is less than
 * rounding. */
#define LEAST (64 * REAL_MIN / REAL_EPSILON)

typedef __typeof__((VEC){0} < (VEC){0}) NAME(lanes_mask);

#define EACH_VECTOR(v) LANES_UNROLL for (int v = 0; v < LANE_VECTORS; v++)

/* Rows b..b+WIDTH-1 of the lanes of vector v. */
LANES_INLINE void NAME(load_rows)(const REAL *tile, int v, int b, VEC m[WIDTH])
{
    LANES(load_square)(tile + v * LANE_ROWS + b, LANE_VECTORS * LANE_ROWS, m);
}

LANES_INLINE void NAME(store_rows)(REAL *tile, int v, int b, VEC m[WIDTH])
{
    LANES(store_square)(tile + v * LANE_ROWS + b, LANE_VECTORS * LANE_ROWS, m);
}

/* The value that comes into a tile: the tile before has left it here, on this core or another. One after the other all
 * tiles take and give, so one word is enough for all. */
struct NAME(handed) {
    _Alignas(128) _Atomic int64_t tile; /* whose value this is; alone in its lines of memory */
    REAL value;
};

static REAL NAME(take)(struct NAME(handed) * from, int64_t tile)
{
    for (int64_t tries = 1; atomic_load_explicit(&from->tile, memory_order_acquire) != tile;
         tries++)
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
    return from->value;
}

static void NAME(give)(struct NAME(handed) * to, int64_t tile, REAL value)
{
    to->value = value;
    atomic_store_explicit(&to->tile, tile, memory_order_release);
}

/* Whether |word| >= least for any of these words; mostly for one of the first. */
static inline int NAME(any_from)(REAL least, int64_t count, const REAL *words)
{
    for (int64_t i = 0; i < count; i++)
        if (ABS(words[i]) >= least)
            return 1;
    return 0;
}

/* ---- linear recurrences ---- */

/* The lanes' maps w -> a w + b, composed in their order: first those of neighbours, which are lanes of different
 * vectors, all at once, then one after the other. start: the map from the tile's incoming value to that of vector 0's
 * lanes (backwards: of the last vector's); *tile: to the tile's last value. */
struct NAME(linear) {
    REAL a, b;
};

LANES_INLINE void NAME(compose_linear)(int backward, const VEC a[LANE_VECTORS],
                                       const VEC b[LANE_VECTORS], VEC *start_a, VEC *start_b,
                                       struct NAME(linear) * tile)
{
    VEC joined_a = {0}, joined_b = {0};
    joined_a += 1;
    EACH_VECTOR(i)
    {
        int v = backward ? LANE_VECTORS - 1 - i : i;
        joined_b = a[v] * joined_b + b[v];
        joined_a = a[v] * joined_a;
    }
    REAL a_of[WIDTH], b_of[WIDTH], before_a[WIDTH], before_b[WIDTH], a_all = 1, b_all = 0;
    LANES(store)(a_of, joined_a);
    LANES(store)(b_of, joined_b);
    LANES_UNROLL for (int i = 0; i < WIDTH; i++)
    {
        int k = backward ? WIDTH - 1 - i : i;
        before_a[k] = a_all;
        before_b[k] = b_all;
        b_all = a_of[k] * b_all + b_of[k];
        a_all = a_of[k] * a_all;
    }
    *start_a = LANES(load)(before_a);
    *start_b = LANES(load)(before_b);
    tile->a = a_all;
    tile->b = b_all;
}

/* A tile between precomputation and determination: (a, w) of every row, w from 0, and of the last row of each lane. */
struct NAME(linear_tile) {
    struct {
        VEC a, w;
    } row[LANE_VECTORS][LANE_ROWS];
    VEC a[LANE_VECTORS], w[LANE_VECTORS];
};

/* The rows b..b+WIDTH-1 of vector v's lanes. */
LANES_INLINE void NAME(tile_precompute)(int backward, int v, int b, const REAL *s, const REAL *t,
                                        struct NAME(linear_tile) * m)
{
    VEC a[WIDTH], w[WIDTH], a_last = m->a[v], w_last = m->w[v];
    NAME(load_rows)(s, v, b, a);
    NAME(load_rows)(t, v, b, w);
    LANES_UNROLL for (int i = 0; i < WIDTH; i++)
    {
        int r = backward ? WIDTH - 1 - i : i;
        m->row[v][b + r].w = w_last = a[r] * w_last + w[r];
        m->row[v][b + r].a = a_last = a[r] * a_last;
    }
    m->a[v] = a_last;
    m->w[v] = w_last;
}

LANES_INLINE void NAME(tile_begin)(struct NAME(linear_tile) * m)
{
    EACH_VECTOR(v)
    {
        m->a[v] = (VEC){0} + 1;
        m->w[v] = (VEC){0};
    }
}

/* w += a times what comes into each lane. */
LANES_INLINE void NAME(tile_determine)(int v, int b, const struct NAME(linear_tile) * m, VEC before,
                                       REAL *out)
{
    VEC w[WIDTH];
    LANES_UNROLL for (int i = 0; i < WIDTH; i++) w[i] =
        m->row[v][b + i].a * before + m->row[v][b + i].w;
    NAME(store_rows)(out, v, b, w);
}

LANES_INLINE void NAME(tile_propagate)(int backward, int64_t tile,
                                       const struct NAME(linear_tile) * m,
                                       struct NAME(handed) * handed, VEC before[LANE_VECTORS])
{
    VEC start_a, start_b;
    struct NAME(linear) all;
    NAME(compose_linear)(backward, m->a, m->w, &start_a, &start_b, &all);
    REAL w0 = NAME(take)(handed, tile);
    NAME(give)(handed, tile + 1, all.a * w0 + all.b);
    VEC incoming = start_a * w0 + start_b;
    EACH_VECTOR(i)
    {
        int v = backward ? LANE_VECTORS - 1 - i : i;
        before[v] = incoming;
        incoming = m->a[v] * incoming + m->w[v];
    }
}

/* `far` is where this core's next tile begins, as seen from this one, or 0 where all fits into the cache: to be on its
 * way when it is needed. */
LANES_INLINE void NAME(fetch)(int write, const REAL *tile, int v, int b, int64_t far)
{
    int64_t next = far + (v * LANE_ROWS + b) * WIDTH; /* every word of a tile once */
    if (far != 0)
        lanes_fetch((uintptr_t)tile + (uintptr_t)next * sizeof(REAL),
                    (WIDTH * WIDTH * (int)sizeof(REAL) + LANES_LINE - 1) / LANES_LINE, write);
}

LANES_INLINE void NAME(tile_linear)(int backward, int64_t tile, int64_t far, const REAL *s,
                                    const REAL *t, REAL *w, struct NAME(handed) * handed)
{
    struct NAME(linear_tile) m;
    NAME(tile_begin)(&m);
    for (int i = 0; i < LANE_ROWS; i += WIDTH)
        EACH_VECTOR(v)
        {
            int b = backward ? LANE_ROWS - WIDTH - i : i;
            NAME(fetch)(0, s, v, b, far);
            NAME(fetch)(0, t, v, b, far);
            NAME(tile_precompute)(backward, v, b, s, t, &m);
        }
    VEC before[LANE_VECTORS];
    NAME(tile_propagate)(backward, tile, &m, handed, before);
    for (int b = 0; b < LANE_ROWS; b += WIDTH)
        EACH_VECTOR(v)
        {
            NAME(fetch)(1, w, v, b, far);
            NAME(tile_determine)(v, b, &m, before[v], w);
        }
}

/* The rows of the last, incomplete tile, and `fill` in those that are missing. */
static void NAME(pad)(const REAL *rows, int64_t count, REAL fill, REAL *padded)
{
    memcpy(padded, rows, (size_t)count * sizeof *rows);
    for (int64_t i = count; i < NAME(TILE); i++)
        padded[i] = fill;
}

/* What the cores of one sweep share. */
struct NAME(linear_sweep) {
    int64_t n, tiles;
    const REAL *s, *t;
    REAL *w;
    struct NAME(handed) handed;
};

/* Each core's tiles in order: the tile that one waits for is done or in work. */
LANES_INLINE void NAME(linear_core)(int backward, int core, int cores,
                                    struct NAME(linear_sweep) * all)
{
    unsigned state = lanes_begin();
    int64_t far = all->n > NAME(CACHED) ? (backward ? -cores : cores) * NAME(TILE) : 0;
    for (int64_t i = core; i < all->tiles; i += cores) {
        int64_t first = (backward ? all->tiles - 1 - i : i) * NAME(TILE), rows = all->n - first;
        const REAL *s = all->s + first, *t = all->t + first;
        REAL *w = all->w + first;
        if (rows < NAME(TILE)) { /* s = 1, t = 0 pass on what they get */
            REAL s_tile[NAME(TILE)], t_tile[NAME(TILE)], w_tile[NAME(TILE)];
            NAME(pad)(s, rows, 1, s_tile);
            NAME(pad)(t, rows, 0, t_tile);
            NAME(tile_linear)(backward, i, 0, s_tile, t_tile, w_tile, &all->handed);
            memcpy(w, w_tile, (size_t)rows * sizeof *w);
        } else if (far == 0) {
            NAME(tile_linear)(backward, i, 0, s, t, w, &all->handed);
        } else {
            NAME(tile_linear)(backward, i, far, s, t, w, &all->handed);
        }
    }
    lanes_end(state);
}

/* Not inline: the tiles' space on the stack is not for those who hand over to the serial functions. */
static __attribute__((noinline)) void NAME(linear_up)(int core, int cores,
                                                      struct NAME(linear_sweep) * all)
{
    NAME(linear_core)(0, core, cores, all);
}

static __attribute__((noinline)) void NAME(linear_down)(int core, int cores,
                                                        struct NAME(linear_sweep) * all)
{
    NAME(linear_core)(1, core, cores, all);
}

/* Forwards: w_0..w_{n-1} from what comes before w_0; backwards: from what comes after w_{n-1}. A team of one costs as
 * much as some hundred rows. */
static void NAME(linear_lanes)(int backward, int64_t n, int cores, REAL incoming, const REAL *s,
                               const REAL *t, REAL *w)
{
    struct NAME(linear_sweep) all = {n, (n + NAME(TILE) - 1) / NAME(TILE), s, t, w, {0, incoming}};
    void (*core)(int, int, struct NAME(linear_sweep) *) =
        backward ? NAME(linear_down) : NAME(linear_up);
    if (cores == 1) {
        core(0, 1, &all);
    } else {
#pragma omp parallel num_threads(cores)
        core(lanes_core(), lanes_cores(), &all);
    }
}

int64_t NAME(recurrence_lanes)(int64_t n, int cores, REAL w0, const REAL *s, const REAL *t, REAL *w)
{
    if (NAME(refused_recurrence)(n, 1, cores, s, t, w))
        return PSCHEME_REFUSED;
    if (n < NAME(LINEAR_LEAST)) {
        NAME(recurrence_serial)(n, w0, s, t, w);
    } else {
        w[0] = w0;
        NAME(linear_lanes)(0, n, cores, w0, s, t, w + 1);
        if (!NAME(any_from)(LEAST, n + 1, w) &&
            (w0 != 0 || NAME(any_from)(REAL_MIN * REAL_EPSILON, n, t)))
            NAME(recurrence_serial)(n, w0, s, t, w);
    }
    return 0;
}

/* ---- problem A ---- */

/* A tile of problem A. p, c, e: the map p -> p + e p_0 / (1 + c p_0) of pscheme_p_map, of each lane's last row. */
struct NAME(solve_tile) {
    VEC diag[LANE_VECTORS][LANE_ROWS], off[LANE_VECTORS][LANE_ROWS];
    VEC p[LANE_VECTORS], c[LANE_VECTORS], e[LANE_VECTORS];
};

LANES_INLINE VEC NAME(lanes_abs)(VEC x)
{
    return (VEC)((NAME(lanes_mask))x & ~(NAME(lanes_mask))(-(VEC){0}));
}

/* Lanes where good_pivot. */
LANES_INLINE NAME(lanes_mask) NAME(good_pivots)(VEC pivot, VEC term)
{
    VEC size = NAME(lanes_abs)(pivot);
    return (size > REAL_EPSILON * NAME(lanes_abs)(term)) & (size <= REAL_MAX);
}

LANES_INLINE int NAME(all_lanes)(NAME(lanes_mask) good)
{
    int all = 1;
    LANES_UNROLL for (int k = 0; k < WIDTH; k++) all &= good[k] != 0;
    return all;
}

/* The maps of a tile's lanes, p of each lane from 0. Whether all pivots are good; c and e keep what is not finite. */
LANES_INLINE int NAME(map_precompute_lanes)(int64_t far, const REAL *diag, const REAL *off,
                                            struct NAME(solve_tile) * m)
{
    NAME(lanes_mask) good = (VEC){0} == 0;
    EACH_VECTOR(v)
    {
        m->p[v] = m->c[v] = (VEC){0};
        m->e[v] = (VEC){0} + 1;
    }
    for (int b = 0; b < LANE_ROWS; b += WIDTH) {
        EACH_VECTOR(v)
        {
            NAME(fetch)(0, diag, v, b, far);
            NAME(fetch)(0, off, v, b, far);
            NAME(load_rows)(diag, v, b, m->diag[v] + b);
            NAME(load_rows)(off, v, b, m->off[v] + b);
        }
        LANES_UNROLL for (int r = b; r < b + WIDTH; r++) EACH_VECTOR(v)
        {
            VEC pivot = m->diag[v][r] - m->off[v][r] * m->p[v];
            VEC p = m->off[v][r] / pivot, p_e = p * m->e[v];
            good &= NAME(good_pivots)(pivot, m->diag[v][r]);
            m->c[v] -= p_e;
            m->e[v] = p * p_e;
            m->p[v] = p;
        }
    }
    EACH_VECTOR(v)
    good &= (NAME(lanes_abs)(m->c[v]) <= REAL_MAX) & (NAME(lanes_abs)(m->e[v]) <= REAL_MAX);
    return NAME(all_lanes)(good);
}

/* g after f: README.md, "Composed maps". Whether the pivots of both taken together are good. */
#define COMPOSE_MAPS(g_p, g_c, g_e, f_p, f_c, f_e, D, p, c, e)                                     \
    D = 1 + (g_c) * (f_p);                                                                         \
    p = (g_p) + (g_e) * (f_p) / D;                                                                 \
    c = (f_c) + (g_c) * ((f_e) / D);                                                               \
    e = ((g_e) / D) * ((f_e) / D)

/* start_p, _c, _e: the map from the tile's incoming p to that of vector 0's lanes; all: of the tile, p, c, e. */
LANES_INLINE int NAME(compose_maps)(const struct NAME(solve_tile) * m, VEC *start_p, VEC *start_c,
                                    VEC *start_e, REAL all[3])
{
    VEC p = m->p[0], c = m->c[0], e = m->e[0];
    NAME(lanes_mask) good = (VEC){0} == 0;
    LANES_UNROLL for (int v = 1; v < LANE_VECTORS; v++)
    {
        VEC pivot, next_p, next_c, next_e;
        COMPOSE_MAPS(m->p[v], m->c[v], m->e[v], p, c, e, pivot, next_p, next_c, next_e);
        good &= NAME(good_pivots)(pivot, (VEC){0} + 1);
        p = next_p;
        c = next_c;
        e = next_e;
    }
    REAL p_of[WIDTH], c_of[WIDTH], e_of[WIDTH], before_p[WIDTH], before_c[WIDTH], before_e[WIDTH];
    REAL all_p = 0, all_c = 0, all_e = 1;
    int all_good = NAME(all_lanes)(good);
    LANES(store)(p_of, p);
    LANES(store)(c_of, c);
    LANES(store)(e_of, e);
    LANES_UNROLL for (int k = 0; k < WIDTH; k++)
    {
        before_p[k] = all_p;
        before_c[k] = all_c;
        before_e[k] = all_e;
        REAL pivot, next_p, next_c, next_e;
        COMPOSE_MAPS(p_of[k], c_of[k], e_of[k], all_p, all_c, all_e, pivot, next_p, next_c, next_e);
        all_good &= NAME(good_pivot)(pivot, 1);
        all_p = next_p;
        all_c = next_c;
        all_e = next_e;
    }
    *start_p = LANES(load)(before_p);
    *start_c = LANES(load)(before_c);
    *start_e = LANES(load)(before_e);
    all[0] = all_p;
    all[1] = all_c;
    all[2] = all_e;
    return all_good;
}

/* Eq. 5 in every lane from its incoming p, and the chain of q from 0 with it. p is stored; (a, w)
 * of q are kept. a keeps what is not finite. Sums of squares say whether all pivots are good with
 * something to spare (ratios), and whether they and p are far from the ends of the type's range
 * (sizes), so that what is flushed is nothing beside a pivot, nor, times p, beside x. Squares
 * overflow long before that, which costs time where scales are odd, but no comparisons. */
LANES_INLINE int NAME(eq5_lanes)(int64_t far, VEC before[LANE_VECTORS],
                                 const struct NAME(solve_tile) * m, const REAL *rhs, REAL *p,
                                 struct NAME(linear_tile) * q)
{
    VEC ratios[LANE_VECTORS] = {{0}}, sizes[LANE_VECTORS] = {{0}};
    NAME(tile_begin)(q);
    for (int b = 0; b < LANE_ROWS; b += WIDTH) {
        VEC p_rows[LANE_VECTORS][WIDTH], rhs_rows[LANE_VECTORS][WIDTH];
        EACH_VECTOR(v)
        {
            NAME(fetch)(0, rhs, v, b, far);
            NAME(fetch)(1, p, v, b, far);
            NAME(load_rows)(rhs, v, b, rhs_rows[v]);
        }
        LANES_UNROLL for (int r = 0; r < WIDTH; r++) EACH_VECTOR(v)
        {
            VEC pivot = m->diag[v][b + r] - m->off[v][b + r] * before[v];
            VEC inverse = 1 / pivot;
            p_rows[v][r] = before[v] = m->off[v][b + r] * inverse;
            VEC ratio = m->diag[v][b + r] * inverse;
            ratios[v] += ratio * ratio;
            sizes[v] += pivot * pivot;
            sizes[v] += inverse * inverse;
            sizes[v] += before[v] * before[v];
            q->row[v][b + r].w = q->w[v] = before[v] * q->w[v] + rhs_rows[v][r] * inverse;
            q->row[v][b + r].a = q->a[v] = before[v] * q->a[v];
        }
        EACH_VECTOR(v) NAME(store_rows)(p, v, b, p_rows[v]);
    }
    NAME(lanes_mask) good = (VEC){0} == 0;
    EACH_VECTOR(v)
    good &= (ratios[v] < 1 / (4 * REAL_EPSILON * REAL_EPSILON)) & (sizes[v] <= REAL_MAX) &
            (NAME(lanes_abs)(q->a[v]) <= REAL_MAX);
    return NAME(all_lanes)(good);
}

/* p and q of a tile. Where a pivot is bad, of the system or of lanes taken alone, eq. 5 is done row
 * by row. Whether that is p and q: not if a pivot of the system is bad, or it or p near the ends of
 * the type's range. */
LANES_INLINE int NAME(tile_solve)(int64_t tile, int64_t far, const REAL *diag, const REAL *off,
                                  const REAL *rhs, REAL *p, REAL *q, struct NAME(handed) * handed_p,
                                  struct NAME(handed) * handed_q)
{
    struct NAME(solve_tile) m;
    struct NAME(linear_tile) linear;
    VEC start_p, start_c, start_e, before[LANE_VECTORS];
    REAL all[3];
    int64_t last = NAME(TILE) - 1;
    int good = NAME(map_precompute_lanes)(far, diag, off, &m);
    good &= NAME(compose_maps)(&m, &start_p, &start_c, &start_e, all);

    REAL p0 = NAME(take)(handed_p, tile), pivot = 1 + all[1] * p0,
         p_last = all[0] + all[2] * p0 / pivot;
    good &= NAME(good_pivot)(pivot, 1);
    if (!good)
        p_last = NAME(eq5_p)(-1, last, diag, off, p0, p) == NO_ROW ? p[last] : (REAL)NAN;
    NAME(give)(handed_p, tile + 1, p_last);

    if (good) {
        VEC incoming = start_p + start_e * p0 / (1 + start_c * p0);
        EACH_VECTOR(v)
        {
            before[v] = incoming;
            incoming = m.p[v] + m.e[v] * incoming / (1 + m.c[v] * incoming);
        }
        good = NAME(eq5_lanes)(far, before, &m, rhs, p, &linear);
    }
    if (good) {
        NAME(tile_propagate)(0, tile, &linear, handed_q, before);
        for (int b = 0; b < LANE_ROWS; b += WIDTH)
            EACH_VECTOR(v)
            {
                NAME(fetch)(1, q, v, b, far);
                NAME(tile_determine)(v, b, &linear, before[v], q);
            }
        return 1;
    }
    int solved = NAME(eq5_p)(-1, last, diag, off, p0, p) == NO_ROW;
    REAL q0 = NAME(take)(handed_q, tile);
    for (int64_t i = 0; solved && i <= last; i++) {
        pivot = diag[i] - off[i] * p0;
        p0 = p[i];
        q[i] = q0 = p0 * q0 + rhs[i] / pivot;
        solved = pivot * pivot + 1 / pivot / pivot + p0 * p0 <= REAL_MAX;
    }
    NAME(give)(handed_q, tile + 1, solved ? q0 : (REAL)NAN);
    return solved;
}

struct NAME(solve_sweep) {
    int64_t n, tiles; /* rows 1..n-2: n of them here */
    const REAL *diag, *off, *rhs;
    REAL *p, *q;
    struct NAME(handed) handed_p, handed_q;
};

static __attribute__((noinline)) int NAME(solve_core)(int core, int cores,
                                                      struct NAME(solve_sweep) * all)
{
    unsigned state = lanes_begin();
    int64_t far = all->n > NAME(CACHED) ? cores * NAME(TILE) : 0;
    int solved = 1;
    for (int64_t i = core; i < all->tiles; i += cores) {
        int64_t first = i * NAME(TILE), rows = all->n - first;
        const REAL *diag = all->diag + first, *off = all->off + first, *rhs = all->rhs + first;
        REAL *p = all->p + first, *q = all->q + first;
        if (rows < NAME(TILE)) {
            REAL pad[5][NAME(TILE)];
            NAME(pad)(diag, rows, 1, pad[0]);
            NAME(pad)(off, rows, 0, pad[1]);
            NAME(pad)(rhs, rows, 0, pad[2]);
            solved &= NAME(tile_solve)(i, 0, pad[0], pad[1], pad[2], pad[3], pad[4], &all->handed_p,
                                       &all->handed_q);
            memcpy(p, pad[3], (size_t)rows * sizeof *p);
            memcpy(q, pad[4], (size_t)rows * sizeof *q);
        } else if (far == 0) {
            solved &= NAME(tile_solve)(i, 0, diag, off, rhs, p, q, &all->handed_p, &all->handed_q);
        } else {
            solved &=
                NAME(tile_solve)(i, far, diag, off, rhs, p, q, &all->handed_p, &all->handed_q);
        }
    }
    lanes_end(state);
    return solved;
}

int64_t NAME(pscheme_solve_lanes)(int64_t n, int cores, const REAL *diag, const REAL *off,
                                  const REAL *rhs, REAL *p, REAL *q, REAL *x)
{
    if (refused(n, 1, cores) || !HAS_ARRAYS(diag, off, rhs, p, q, x))
        return PSCHEME_REFUSED;
    if (n < NAME(SOLVE_LEAST))
        return NAME(substitution_solve)(n, diag, off, rhs, p, q, x);
    p[0] = p[n - 1] = 0;
    q[0] = rhs[0];
    q[n - 1] = rhs[n - 1];
    int64_t tiles = (n - 2 + NAME(TILE) - 1) / NAME(TILE);
    int solved = 1;
    struct NAME(solve_sweep)
        all = {n - 2, tiles, diag + 1, off + 1, rhs + 1, p + 1, q + 1, {0, 0}, {0, q[0]}};
    if (cores == 1) {
        solved = NAME(solve_core)(0, 1, &all);
    } else {
#pragma omp parallel num_threads(cores) reduction(& : solved)
        solved = NAME(solve_core)(lanes_core(), lanes_cores(), &all);
    }
    if (!solved) /* substitution, which flushes nothing, finds the row or solves */
        return NAME(substitution_solve)(n, diag, off, rhs, p, q, x);
    x[0] = q[0]; /* p_0 = 0 */
    x[n - 1] = q[n - 1];
    NAME(linear_lanes)(1, n - 2, cores, q[n - 1], p + 1, q + 1, x + 1);
    if (!NAME(any_from)(LEAST, n, x) && NAME(any_from)(REAL_MIN * REAL_EPSILON, n, rhs))
        return NAME(substitution_solve)(n, diag, off, rhs, p, q, x);
    return 0;
}
#undef LEAST
#undef COMPOSE_MAPS
#undef EACH_VECTOR
