/* W12 section II: P-scheme with the SIMD lanes of a core as processors, which need the
 * rearrangement of section IV. pscheme_cpu.c includes this file after pscheme_cpu_body.h and
 * defines VEC, WIDTH and LANES(name): the vector type, its number of lanes and the functions of
 * common/lanes.h.
 *
 * A tile is TILE = LANE_VECTORS * WIDTH * LANE_ROWS consecutive rows. Each lane has LANE_ROWS of
 * them:
 *
 *     | lane 0 | lane 1 | ... | lane LANE_VECTORS * WIDTH - 1 |
 *
 * Element j of vector v belongs to lane j * LANE_VECTORS + v, so an array m[v][r] of vectors holds
 * row r of all these lanes. Squares of WIDTH rows of WIDTH lanes are transposed in registers when
 * they are loaded.
 *
 * P-scheme works on two levels. First every lane pre-computes the map of its rows, and the maps of
 * a tile are composed, so that only the value before the tile, its carry, is unknown. Then the
 * carries pass from tile to tile, a chained scan: a core waits for the carry of its tile, publishes
 * that of the next tile, which may belong to another core, and determines its rows. A sweep reads
 * or writes each element once. Results are the same bits for every number of cores. */

enum { NAME(TILE) = LANE_VECTORS * WIDTH * LANE_ROWS };
enum { NAME(CACHED) = CACHED_BYTES / (3 * sizeof(REAL)) };
/* From this n on (problem B, problem A) the lanes are faster than the serial functions. */
enum { NAME(LINEAR_LEAST) = NAME(TILE) * 5 / 8, NAME(SOLVE_LEAST) = NAME(TILE) / 2 };

/* Between lanes_begin and lanes_end results below REAL_MIN become 0. If the largest result is at
 * least LEAST, this error is less than a rounding error of it. */
#define LEAST (64 * REAL_MIN / REAL_EPSILON)

typedef __typeof__((VEC){0} < (VEC){0}) NAME(lanes_mask);

#define EACH_VECTOR(v) LANES_UNROLL for (int v = 0; v < LANE_VECTORS; v++)

/* Copy the rows b..b+WIDTH-1 of the lanes of vector v between the tile, where the rows of a lane
 * are adjacent, and m[i], row b + i of all these lanes. Both transpose m. */
LANES_INLINE void NAME(load_rows)(const REAL *tile, int v, int b, VEC m[WIDTH])
{
    LANES(load_square)(tile + v * LANE_ROWS + b, LANE_VECTORS * LANE_ROWS, m);
}

LANES_INLINE void NAME(store_rows)(REAL *tile, int v, int b, VEC m[WIDTH])
{
    LANES(store_square)(tile + v * LANE_ROWS + b, LANE_VECTORS * LANE_ROWS, m);
}

/* `value` is the carry of tile number `tile`. All tiles share this struct, because they wait for
 * their carries and publish them in order. It has its cache lines to itself. */
struct NAME(carry) {
    _Alignas(128) _Atomic int64_t tile;
    REAL value;
};

static REAL NAME(wait_carry)(struct NAME(carry) * carry, int64_t tile)
{
    for (int64_t tries = 1; atomic_load_explicit(&carry->tile, memory_order_acquire) != tile;
         tries++)
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
    return carry->value;
}

static void NAME(publish_carry)(struct NAME(carry) * carry, int64_t tile, REAL value)
{
    carry->value = value;
    atomic_store_explicit(&carry->tile, tile, memory_order_release);
}

/* Is |a[i]| >= least for some i? Usually for one of the first. */
static inline int NAME(any_from)(REAL least, int64_t count, const REAL *a)
{
    for (int64_t i = 0; i < count; i++)
        if (ABS(a[i]) >= least)
            return 1;
    return 0;
}

/* ---- linear recurrences ---- */

/* Composes the maps of a tile's lanes in their order, or in the reverse order if `backward`: first
 * those of the LANE_VECTORS neighbouring lanes that element j of all vectors belongs to, for all j
 * at once, then the results for j = 0, 1, …
 *
 * Element j of *start_a and *start_b is set to the map from the tile's carry to the value before
 * these neighbours (after them if `backward`), all[] to a and b of the map w -> a w + b from it to
 * the carry of the next tile. */
LANES_INLINE void NAME(compose_linear)(int backward, const VEC a[LANE_VECTORS],
                                       const VEC b[LANE_VECTORS], VEC *start_a, VEC *start_b,
                                       REAL all[2])
{
    VEC both_a = {0}, both_b = {0};
    both_a += 1;
    EACH_VECTOR(i)
    {
        int v = backward ? LANE_VECTORS - 1 - i : i;
        both_b = a[v] * both_b + b[v];
        both_a = a[v] * both_a;
    }
    REAL a_of[WIDTH], b_of[WIDTH], before_a[WIDTH], before_b[WIDTH], a_all = 1, b_all = 0;
    LANES(store)(a_of, both_a);
    LANES(store)(b_of, both_b);
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
    all[0] = a_all;
    all[1] = b_all;
}

/* A tile after pre-computation: for every row the product a of the coefficients from the start of
 * the lane, and w as if the value before the lane were 0. The arrays at the end hold the last row
 * of each lane. */
struct NAME(linear_tile) {
    struct {
        VEC a, w;
    } row[LANE_VECTORS][LANE_ROWS];
    VEC a[LANE_VECTORS], w[LANE_VECTORS];
};

/* Pre-computes the rows b..b+WIDTH-1 of the lanes of vector v, and replaces m->a[v] and m->w[v] of
 * the previous row by those of the last one. */
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

/* No row yet: a = 1 and w = 0. */
LANES_INLINE void NAME(tile_begin)(struct NAME(linear_tile) * m)
{
    EACH_VECTOR(v)
    {
        m->a[v] = (VEC){0} + 1;
        m->w[v] = (VEC){0};
    }
}

/* Determines the rows b..b+WIDTH-1 of the lanes of vector v: w plus a times `before`, the values
 * before the lanes. */
LANES_INLINE void NAME(tile_determine)(int v, int b, const struct NAME(linear_tile) * m, VEC before,
                                       REAL *out)
{
    VEC w[WIDTH];
    LANES_UNROLL for (int i = 0; i < WIDTH; i++) w[i] =
        m->row[v][b + i].a * before + m->row[v][b + i].w;
    NAME(store_rows)(out, v, b, w);
}

/* Waits for the carry of this tile and publishes that of the next. Sets before[v] to the values
 * before the lanes of vector v. */
LANES_INLINE void NAME(tile_propagate)(int backward, int64_t tile,
                                       const struct NAME(linear_tile) * m,
                                       struct NAME(carry) * carry, VEC before[LANE_VECTORS])
{
    VEC start_a, start_b;
    REAL all[2];
    NAME(compose_linear)(backward, m->a, m->w, &start_a, &start_b, all);
    REAL w0 = NAME(wait_carry)(carry, tile);
    NAME(publish_carry)(carry, tile + 1, all[0] * w0 + all[1]);
    VEC incoming = start_a * w0 + start_b;
    EACH_VECTOR(i)
    {
        int v = backward ? LANE_VECTORS - 1 - i : i;
        before[v] = incoming;
        incoming = m->a[v] * incoming + m->w[v];
    }
}

/* Prefetches a part of the core's next tile, `ahead` elements after this one; the calls for all v
 * and b prefetch the tile. ahead = 0: the arrays fit into the cache, nothing is prefetched. */
LANES_INLINE void NAME(prefetch)(int write, const REAL *tile, int v, int b, int64_t ahead)
{
    int64_t next = ahead + (v * LANE_ROWS + b) * WIDTH;
    if (ahead != 0)
        lanes_fetch((uintptr_t)tile + (uintptr_t)next * sizeof(REAL),
                    (WIDTH * WIDTH * (int)sizeof(REAL) + LANES_LINE - 1) / LANES_LINE, write);
}

/* One complete tile in the three phases of P-scheme. */
LANES_INLINE void NAME(tile_linear)(int backward, int64_t tile, int64_t ahead, const REAL *s,
                                    const REAL *t, REAL *w, struct NAME(carry) * carry)
{
    struct NAME(linear_tile) m;
    NAME(tile_begin)(&m);
    for (int i = 0; i < LANE_ROWS; i += WIDTH)
        EACH_VECTOR(v)
        {
            int b = backward ? LANE_ROWS - WIDTH - i : i;
            NAME(prefetch)(0, s, v, b, ahead);
            NAME(prefetch)(0, t, v, b, ahead);
            NAME(tile_precompute)(backward, v, b, s, t, &m);
        }
    VEC before[LANE_VECTORS];
    NAME(tile_propagate)(backward, tile, &m, carry, before);
    for (int b = 0; b < LANE_ROWS; b += WIDTH)
        EACH_VECTOR(v)
        {
            NAME(prefetch)(1, w, v, b, ahead);
            NAME(tile_determine)(v, b, &m, before[v], w);
        }
}

/* The last, incomplete tile: copies `count` rows to `padded` and sets the missing rows to
 * `fill`. */
static void NAME(pad)(const REAL *rows, int64_t count, REAL fill, REAL *padded)
{
    memcpy(padded, rows, (size_t)count * sizeof *rows);
    for (int64_t i = count; i < NAME(TILE); i++)
        padded[i] = fill;
}

/* One sweep over all tiles, which the cores share. */
struct NAME(linear_sweep) {
    int64_t n, tiles;
    const REAL *s, *t;
    REAL *w;
    struct NAME(carry) carry;
};

/* The tiles core, core + cores, … in this order. So when a core waits for a carry, the previous
 * tile is done, or another core is computing it. */
LANES_INLINE void NAME(linear_core)(int backward, int core, int cores,
                                    struct NAME(linear_sweep) * sweep)
{
    unsigned state = lanes_begin();
    int64_t ahead = sweep->n > NAME(CACHED) ? (backward ? -cores : cores) * NAME(TILE) : 0;
    for (int64_t i = core; i < sweep->tiles; i += cores) {
        int64_t first = (backward ? sweep->tiles - 1 - i : i) * NAME(TILE), rows = sweep->n - first;
        const REAL *s = sweep->s + first, *t = sweep->t + first;
        REAL *w = sweep->w + first;
        if (rows < NAME(TILE)) { /* pad with s = 1 and t = 0, whose map is the identity */
            REAL s_tile[NAME(TILE)], t_tile[NAME(TILE)], w_tile[NAME(TILE)];
            NAME(pad)(s, rows, 1, s_tile);
            NAME(pad)(t, rows, 0, t_tile);
            NAME(tile_linear)(backward, i, 0, s_tile, t_tile, w_tile, &sweep->carry);
            memcpy(w, w_tile, (size_t)rows * sizeof *w);
        } else if (ahead == 0) { /* 0 is a constant: this inlined copy has no prefetch */
            NAME(tile_linear)(backward, i, 0, s, t, w, &sweep->carry);
        } else {
            NAME(tile_linear)(backward, i, ahead, s, t, w, &sweep->carry);
        }
    }
    lanes_end(state);
}

/* Not inlined: the tiles need much stack, which callers of the serial functions should not need. */
static __attribute__((noinline)) void NAME(linear_up)(int core, int cores,
                                                      struct NAME(linear_sweep) * sweep)
{
    NAME(linear_core)(0, core, cores, sweep);
}

static __attribute__((noinline)) void NAME(linear_down)(int core, int cores,
                                                        struct NAME(linear_sweep) * sweep)
{
    NAME(linear_core)(1, core, cores, sweep);
}

/* Computes w_0..w_{n-1} from `incoming`, the value before w_0, or, if `backward`, after w_{n-1}.
 * One core is called directly, because an OpenMP team takes as long to start as some hundred
 * rows. */
static void NAME(linear_lanes)(int backward, int64_t n, int cores, REAL incoming, const REAL *s,
                               const REAL *t, REAL *w)
{
    struct NAME(linear_sweep)
        sweep = {n, (n + NAME(TILE) - 1) / NAME(TILE), s, t, w, {0, incoming}};
    void (*core)(int, int, struct NAME(linear_sweep) *) =
        backward ? NAME(linear_down) : NAME(linear_up);
    if (cores == 1) {
        core(0, 1, &sweep);
    } else {
#pragma omp parallel num_threads(cores)
        core(lanes_core(), lanes_cores(), &sweep);
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

/* A tile of problem A. p, c, e: the map p_start -> p + e p_start / (1 + c p_start) of
 * pscheme_p_map, from the p before each lane to the p of its last row. */
struct NAME(solve_tile) {
    VEC diag[LANE_VECTORS][LANE_ROWS], off[LANE_VECTORS][LANE_ROWS];
    VEC p[LANE_VECTORS], c[LANE_VECTORS], e[LANE_VECTORS];
};

LANES_INLINE VEC NAME(lanes_abs)(VEC x)
{
    return (VEC)((NAME(lanes_mask))x & ~(NAME(lanes_mask))(-(VEC){0}));
}

/* good_pivot (pscheme_cpu_body.h) in each lane. */
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

/* Pre-computes the maps of a tile's lanes. Returns true if all pivots are good and c and e are
 * finite, which is tested at the end: infinity or NaN stays. */
LANES_INLINE int NAME(map_precompute_lanes)(int64_t ahead, const REAL *diag, const REAL *off,
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
            NAME(prefetch)(0, diag, v, b, ahead);
            NAME(prefetch)(0, off, v, b, ahead);
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

/* Composes two maps, f first, to p, c, e. D is a pivot of the rows of f and g when they are solved
 * as one part. "Composed maps" in mpi/README.md has the derivation. */
#define COMPOSE_MAPS(g_p, g_c, g_e, f_p, f_c, f_e, D, p, c, e)                                     \
    D = 1 + (g_c) * (f_p);                                                                         \
    p = (g_p) + (g_e) * (f_p) / D;                                                                 \
    c = (f_c) + (g_c) * ((f_e) / D);                                                               \
    e = ((g_e) / D) * ((f_e) / D)

/* As compose_linear. *start_p, *start_c and *start_e are the maps from the tile's carry to the p
 * before the lanes of vector 0, all[] is the p, c, e of the tile. Returns true if all pivots are
 * good. */
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

/* p in every lane by W12 eq. 5, from `before`, the p before the lane, and pre-computation of q.
 * Returns true if p and q are accurate:
 *
 *     ratios, the sum of the squares of diag / pivot, is so small that every pivot is more than
 *             twice the limit of good_pivot
 *     sizes,  the sum of the squares of the pivots, their inverses and p, does not overflow: a
 *             number that was flushed to 0 is negligible beside a pivot
 *     q->a,   the product of p, is finite: infinity or NaN stays, so it is tested at the end
 *
 * Sums of squares take fewer operations than comparisons. They overflow earlier than the numbers;
 * then the tile is solved row by row, slower but as accurately. */
LANES_INLINE int NAME(eq5_lanes)(int64_t ahead, VEC before[LANE_VECTORS],
                                 const struct NAME(solve_tile) * m, const REAL *rhs, REAL *p,
                                 struct NAME(linear_tile) * q)
{
    VEC ratios[LANE_VECTORS] = {{0}}, sizes[LANE_VECTORS] = {{0}};
    NAME(tile_begin)(q);
    for (int b = 0; b < LANE_ROWS; b += WIDTH) {
        VEC p_rows[LANE_VECTORS][WIDTH], rhs_rows[LANE_VECTORS][WIDTH];
        EACH_VECTOR(v)
        {
            NAME(prefetch)(0, rhs, v, b, ahead);
            NAME(prefetch)(1, p, v, b, ahead);
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

/* p and q of a tile. If the lanes find a bad pivot, which may be bad only in a lane that is solved
 * alone, the tile is solved again, row by row (W12 eq. 5). Returns false if p and q must not be
 * used: a pivot of the system is bad, or a pivot or p is near an end of the range of its type. */
LANES_INLINE int NAME(tile_solve)(int64_t tile, int64_t ahead, const REAL *diag, const REAL *off,
                                  const REAL *rhs, REAL *p, REAL *q, struct NAME(carry) * carry_p,
                                  struct NAME(carry) * carry_q)
{
    struct NAME(solve_tile) m;
    struct NAME(linear_tile) linear;
    VEC start_p, start_c, start_e, before[LANE_VECTORS];
    REAL all[3];
    int64_t last = NAME(TILE) - 1;
    int good = NAME(map_precompute_lanes)(ahead, diag, off, &m);
    good &= NAME(compose_maps)(&m, &start_p, &start_c, &start_e, all);

    REAL p0 = NAME(wait_carry)(carry_p, tile), pivot = 1 + all[1] * p0,
         p_last = all[0] + all[2] * p0 / pivot;
    good &= NAME(good_pivot)(pivot, 1);
    if (!good)
        p_last = NAME(eq5_p)(-1, last, diag, off, p0, p) == NO_ROW ? p[last] : (REAL)NAN;
    NAME(publish_carry)(carry_p, tile + 1, p_last);

    if (good) {
        VEC incoming = start_p + start_e * p0 / (1 + start_c * p0);
        EACH_VECTOR(v)
        {
            before[v] = incoming;
            incoming = m.p[v] + m.e[v] * incoming / (1 + m.c[v] * incoming);
        }
        good = NAME(eq5_lanes)(ahead, before, &m, rhs, p, &linear);
    }
    if (good) {
        NAME(tile_propagate)(0, tile, &linear, carry_q, before);
        for (int b = 0; b < LANE_ROWS; b += WIDTH)
            EACH_VECTOR(v)
            {
                NAME(prefetch)(1, q, v, b, ahead);
                NAME(tile_determine)(v, b, &linear, before[v], q);
            }
        return 1;
    }
    int solved = NAME(eq5_p)(-1, last, diag, off, p0, p) == NO_ROW;
    REAL q0 = NAME(wait_carry)(carry_q, tile);
    for (int64_t i = 0; solved && i <= last; i++) {
        pivot = diag[i] - off[i] * p0;
        p0 = p[i];
        q[i] = q0 = p0 * q0 + rhs[i] / pivot;
        solved = pivot * pivot + 1 / pivot / pivot + p0 * p0 <= REAL_MAX;
    }
    NAME(publish_carry)(carry_q, tile + 1, solved ? q0 : (REAL)NAN);
    return solved;
}

/* The sweep for p and q over the tiles of the n interior rows, which the cores share. */
struct NAME(solve_sweep) {
    int64_t n, tiles;
    const REAL *diag, *off, *rhs;
    REAL *p, *q;
    struct NAME(carry) carry_p, carry_q;
};

static __attribute__((noinline)) int NAME(solve_core)(int core, int cores,
                                                      struct NAME(solve_sweep) * sweep)
{
    unsigned state = lanes_begin();
    int64_t ahead = sweep->n > NAME(CACHED) ? cores * NAME(TILE) : 0;
    int solved = 1;
    for (int64_t i = core; i < sweep->tiles; i += cores) {
        int64_t first = i * NAME(TILE), rows = sweep->n - first;
        const REAL *diag = sweep->diag + first, *off = sweep->off + first,
                   *rhs = sweep->rhs + first;
        REAL *p = sweep->p + first, *q = sweep->q + first;
        if (rows < NAME(TILE)) {
            REAL pad[5][NAME(TILE)];
            NAME(pad)(diag, rows, 1, pad[0]);
            NAME(pad)(off, rows, 0, pad[1]);
            NAME(pad)(rhs, rows, 0, pad[2]);
            solved &= NAME(tile_solve)(i, 0, pad[0], pad[1], pad[2], pad[3], pad[4],
                                       &sweep->carry_p, &sweep->carry_q);
            memcpy(p, pad[3], (size_t)rows * sizeof *p);
            memcpy(q, pad[4], (size_t)rows * sizeof *q);
        } else if (ahead == 0) { /* 0 is a constant: this inlined copy has no prefetch */
            solved &=
                NAME(tile_solve)(i, 0, diag, off, rhs, p, q, &sweep->carry_p, &sweep->carry_q);
        } else {
            solved &=
                NAME(tile_solve)(i, ahead, diag, off, rhs, p, q, &sweep->carry_p, &sweep->carry_q);
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
        sweep = {n - 2, tiles, diag + 1, off + 1, rhs + 1, p + 1, q + 1, {0, 0}, {0, q[0]}};
    if (cores == 1) {
        solved = NAME(solve_core)(0, 1, &sweep);
    } else {
#pragma omp parallel num_threads(cores) reduction(& : solved)
        solved = NAME(solve_core)(lanes_core(), lanes_cores(), &sweep);
    }
    if (!solved) /* substitution flushes nothing: it solves the system or finds the bad row */
        return NAME(substitution_solve)(n, diag, off, rhs, p, q, x);
    x[0] = q[0]; /* W12 eq. 6 with p_0 = 0 */
    x[n - 1] = q[n - 1];
    NAME(linear_lanes)(1, n - 2, cores, q[n - 1], p + 1, q + 1, x + 1);
    if (!NAME(any_from)(LEAST, n, x) && NAME(any_from)(REAL_MIN * REAL_EPSILON, n, rhs))
        return NAME(substitution_solve)(n, diag, off, rhs, p, q, x);
    return 0;
}
#undef LEAST
#undef COMPOSE_MAPS
#undef EACH_VECTOR
