/* Elimination without pivoting, for tridiagonal_cpu.h: plans the levels of joint lines, runs the
 * two passes on several cores, and finds the status. */

/* Level 0 is the given system. Level k + 1 consists of the joint lines of level k (L22 eq. 6:
 * nesting) and of the rows of level k that do not fill a tile. Level `count` is the last one; one
 * core solves it row by row, with the arrays w and y. */
struct NAME(levels) {
    LEVEL level[LEVELS_MOST + 1];
    int count, cores;
    SCALAR *w, *y, left; /* left: x of the row before the first row */
    /* for each level the first row with a bad pivot, or NO_ROW; valid if rows are scaled */
    int64_t bad[LEVELS_MOST + 1];
    RANGE range;
    bool scaled, is_part, finite; /* finite: no x that was computed is infinite or NaN */
    bool certify;                 /* the solver pivots unless this is not needed */
    int shift;       /* if rows are scaled, rhs is multiplied by 2^-shift; NO_EXPONENT if rhs = 0 */
    REDUCED reduced; /* if is_part: the last level, reduced as one partition */
    struct NAME(saved) * saved;
    PIVOTING pivoting;
    /* arrays for those of struct level, with the rows of a tile */
    SCALAR *first_b, *last_c;
};
/* The first 64 bytes of the workspace: what the first pass over a part of a larger system leaves
 * for the second pass. */
struct NAME(saved) {
    RANGE range;
    bool scaled;
    int shift;
};
_Static_assert(sizeof(struct NAME(saved)) <= 64, "one cache line");

/* Takes the next array from the workspace, at a multiple of 64 bytes. The 64 bytes before it are
 * reserved, because joint_x[-1] is written. */
static SCALAR *NAME(take_array)(uintptr_t *work, int64_t elements)
{
    uintptr_t array = *work + 64;
    *work = array + ((size_t)elements * sizeof(SCALAR) + 63) / 64 * 64;
    return (SCALAR *)array;
}

/* Plans the levels of n rows and their arrays. Returns the end of the workspace. */
static uintptr_t NAME(plan)(LEVELS *all, int64_t n, uintptr_t work)
{
    LEVEL *l = all->level;
    all->saved = (struct NAME(saved) *)work;
    work += 64;
    l->n = n;
    for (; l->n >= ROWS_LEAST && l < all->level + LEVELS_MOST; l++) {
        l->r = l->n >= TILE_LANES * ROWS ? ROWS : ROWS_SHORT;
        l->tiles = l->n / (TILE_LANES * l->r);
        int64_t lines = l->tiles * TILE_LANES, rows = l->n - lines * (l->r - 1);
        SCALAR **const arrays[] = {&l->b, &l->a, &l->c, &l->d, &l->joint_x, &l->u, &l->v, &l->s};
        for (int i = 0; i < 8; i++)
            *arrays[i] = NAME(take_array)(&work, i < 5 ? rows : lines + 1);
        l->first_b = l->last_c = NULL;
        l[1].rows = (SYSTEM){l->b, l->a, l->c, l->d};
        l[1].x = l->joint_x;
        l[1].n = rows;
    }
    l->tiles = 0;
    all->count = (int)(l - all->level);
    all->w = NAME(take_array)(&work, l->n);
    all->y = NAME(take_array)(&work, l->n);
    int64_t tile = all->count == 0 ? 0 : (int64_t)TILE_LANES * all->level[0].r;
    all->first_b = NAME(take_array)(&work, tile);
    all->last_c = NAME(take_array)(&work, tile);
    return work;
}

/* Adds the range and the bad rows that one core found in its share of all levels. */
static void NAME(add_findings)(LEVELS *all, const RANGE *range, const int64_t *bad)
{
    NAME(add_range)(&all->range, *range);
    for (int k = 0; k < all->count; k++)
        all->bad[k] = bad[k] < all->bad[k] ? bad[k] : all->bad[k];
}
/* First pass over the last level, on one core. The level of a part of a larger system is reduced as
 * one partition; else this is the forward elimination of the Thomas algorithm. */
static void NAME(reduce_last)(LEVELS *all)
{
    const LEVEL *l = &all->level[all->count];
    int64_t *bad = &all->bad[all->count];
    if (all->is_part)
        all->reduced = NAME(reduce_partition)(l, 0, l->n, bad, &all->range, all->scaled);
    else
        *bad = NAME(thomas_down)(l, 0, l->n, 0, all->w, all->y, &all->range, all->scaled);
}
/* First pass over all levels. Every core of the team calls it for an equal share of the tiles. */
static void NAME(reduce_levels)(LEVELS *all, int core)
{
    RANGE range = {0};
    int64_t bad[LEVELS_MOST + 1];
    for (int k = 0; k < all->count; k++) {
        LEVEL *l = &all->level[k];
        int64_t from = l->tiles * core / all->cores, to = l->tiles * (core + 1) / all->cores;
        bad[k] = NO_ROW;
        if (all->scaled)
            bad[k] = NAME(reduce_scaled)(l, from, to);
        else if (from < to)
            NAME(add_range)(&range, NAME(reduce_unscaled)(l, from, to, all->certify));
        if (core == 0)
            NAME(copy_remainder_down)(l, all->scaled);
        barrier(all->cores);
        NAME(join_neighbours)(l, from, to);
        barrier(all->cores);
    }
    if (all->cores == 1) {
        NAME(add_findings)(all, &range, bad);
    } else {
        OPENMP(omp critical(tridiagonal_cpu))
        NAME(add_findings)(all, &range, bad);
        barrier(all->cores);
    }
    if (core == 0)
        NAME(reduce_last)(all);
    barrier(all->cores);
}
/* Finds the shift for scaled rows (tridiagonal_cpu_rows.h). */
static void NAME(find_shift)(LEVELS *all, int core)
{
    const LEVEL *l = &all->level[0];
    int most = NO_EXPONENT;
    for (int64_t i = l->n * core / all->cores; i < l->n * (core + 1) / all->cores; i++) {
        int exponent = NAME(exponent)(l->rows.d[i]);
        if (exponent != NO_EXPONENT && exponent - NAME(row_exponent)(l, i) > most)
            most = exponent - NAME(row_exponent)(l, i);
    }
    OPENMP(omp critical(tridiagonal_cpu))
    all->shift = most > all->shift ? most : all->shift;
    barrier(all->cores);
}
static bool NAME(is_in_range)(const LEVELS *all)
{
    return NAME(pivots_in_range)(all->range) && NAME(x_in_range)(all->range);
}
static bool NAME(needs_pivoting)(const LEVELS *all)
{
    return all->certify && (all->range.grown || !NAME(is_in_range)(all));
}
/* First pass, which is repeated with scaled rows if a value may have left the range of the type. */
static void NAME(first_pass)(LEVELS *all, int core)
{
    NAME(reduce_levels)(all, core);
    if (all->certify || NAME(is_in_range)(all))
        return;
    NAME(find_shift)(all, core);
    if (NAME(pivots_in_range)(all->range) && all->shift == NO_EXPONENT)
        /* rhs is 0, so x is 0, or for a part depends only on x of the joint lines around it */
        return;
    if (core == 0) {
        all->scaled = true;
        all->level[0].rhs_exponent = all->shift == NO_EXPONENT ? 0 : -all->shift;
    }
    barrier(all->cores);
    NAME(reduce_levels)(all, core);
}
/* Second pass over all levels. */
static void NAME(substitute_levels)(LEVELS *all, int core)
{
    for (int k = all->count - 1; k >= 0; k--) {
        LEVEL *l = &all->level[k];
        int64_t from = l->tiles * core / all->cores, to = l->tiles * (core + 1) / all->cores;
        if (from == 0 && to > 0)
            l->joint_x[-1] = all->left;
        bool finite = from >= to || (all->scaled            ? NAME(substitute_scaled)
                                     : l->r != ROWS         ? NAME(substitute_short)
                                     : NAME(is_streamed)(l) ? NAME(substitute_streamed)
                                                            : NAME(substitute_cached))(l, from, to);
        if (!finite) {
            OPENMP(omp atomic write)
            all->finite = false;
        }
        if (core == 0)
            NAME(copy_remainder_up)(l);
        barrier(all->cores);
    }
}

/* The transposed matrix has super_{i-1} and sub_{i+1} in row i. The arrays have neither for the
 * first nor for the last row, so tiles with these rows read copies. */
static void NAME(copy_ends)(LEVEL *l, SCALAR *first_b, SCALAR *last_c)
{
    const int64_t rows = (int64_t)TILE_LANES * l->r, last = l->tiles * rows;
    l->first_b = l->tiles > 0 && !l->has_left ? first_b : NULL;
    l->last_c = l->tiles > 0 && last == l->n ? last_c : NULL;
    for (int64_t i = 0; l->first_b && i < rows; i++)
        first_b[i] = i > 0 ? l->rows.b[i] : 0;
    for (int64_t i = 0; l->last_c && i < rows; i++)
        last_c[i] = i < rows - 1 ? l->rows.c[last - rows + i] : 0;
}
/* Sets up the levels of the system without its first `skip` rows: 1 for a part of a larger system,
 * else 0. */
static void NAME(start)(LEVELS *all, const struct tridiagonal_cpu *s, int64_t skip, bool transposed)
{
    NAME(plan)(all, s->n - skip, (uintptr_t)s->work);
    SYSTEM rows = {s->sub, s->diag, s->super, s->rhs};
    if (transposed)
        rows = (SYSTEM){rows.c - 1, rows.a, rows.b + 1, rows.d};
    all->level[0].rows = (SYSTEM){rows.b + skip, rows.a + skip, rows.c + skip, rows.d + skip};
    all->level[0].x = (SCALAR *)s->x + skip;
    for (int k = 0; k <= all->count; k++) {
        all->level[k].has_left = skip > 0;
        all->level[k].rhs_exponent = 0;
        all->bad[k] = NO_ROW;
    }
    all->range = (RANGE){0};
    all->left = 0;
    all->scaled = false;
    all->certify = s->pivot == TRIDIAGONAL_PIVOT_AUTO;
    all->is_part = skip > 0;
    all->finite = true;
    all->shift = NO_EXPONENT;
    all->cores = cores_for(s);
    if (transposed)
        NAME(copy_ends)(&all->level[0], all->first_b, all->last_c);
}
/* Returns 0, or 1 + the row of the given system that broke down in the first pass. This is the
 * first bad row of the first level that has a bad row. */
static long long NAME(status)(const LEVELS *all, int64_t skip)
{
    if (!all->scaled)
        return 0;
    for (int k = 0; k <= all->count; k++) {
        int64_t row = all->bad[k];
        if (row == NO_ROW)
            continue;
        for (int i = k - 1; i >= 0; i--) {
            const LEVEL *l = &all->level[i];
            int64_t lines = l->tiles * TILE_LANES;
            row = row < lines ? row * l->r + l->r - 1 : row - lines + lines * l->r;
        }
        return row + skip + 1;
    }
    return 0;
}

/* Returns 0, or 1 + the first row of the given system whose x is infinite or NaN. */
static long long NAME(overflow)(const LEVELS *all, int64_t skip)
{
    const LEVEL *l = &all->level[0];
    for (int64_t i = 0; !all->finite && i < l->n; i++)
        if (!(NAME(abs1)(l->x[i]) <= MAX))
            return i + skip + 1;
    return 0;
}

typedef void NAME(pass)(LEVELS *all, int core);
/* Runs a pass on this core, with subnormal results flushed to zero: products along a lane decay to
 * subnormal numbers, and an operation on one of these would take over a hundred cycles. */
static void NAME(run_on_core)(LEVELS *all, NAME(pass) * pass)
{
    unsigned state = lanes_begin();
    pass(all, all->cores > 1 ? lanes_core() : 0);
    lanes_end(state);
}
static void NAME(run_on_cores)(LEVELS *all, NAME(pass) * pass)
{
    if (all->cores == 1) {
        NAME(run_on_core)(all, pass);
        return;
    }
    OPENMP(omp parallel num_threads(all->cores))
    {
        OPENMP(omp single)
        all->cores = lanes_cores(); /* OpenMP may give fewer cores than requested */
        NAME(run_on_core)(all, pass);
    }
}

/* Undoes the shift of scaled rows. Subnormal results are not flushed here, so a small x does not
 * become 0. */
static void NAME(unscale)(LEVELS *all)
{
    const LEVEL *l = &all->level[0];
    for (int64_t i = 0; i < l->n; i++) {
        l->x[i] = NAME(scaled)(l->x[i], -l->rhs_exponent);
        all->finite = all->finite && NAME(abs1)(l->x[i]) <= MAX;
    }
}
/* Solves the last level from its last x on, which is given. */
static void NAME(substitute_last)(LEVELS *all)
{
    const LEVEL *l = &all->level[all->count];
    NAME(thomas_up)(l->n - 1, all->w, all->y, l->x);
    all->finite = NAME(abs1)(l->x[0]) <= MAX;
}
static void NAME(solve_levels)(LEVELS *all, int core)
{
    NAME(first_pass)(all, core);
    if (NAME(needs_pivoting)(all))
        return;
    if (core == 0) {
        const LEVEL *l = &all->level[all->count];
        l->x[l->n - 1] = all->y[l->n - 1];
        NAME(substitute_last)(all);
    }
    barrier(all->cores);
    NAME(substitute_levels)(all, core);
}
