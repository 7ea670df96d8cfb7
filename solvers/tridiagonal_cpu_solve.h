/* The functions of tridiagonal_cpu.h for one type: the workspace, solutions with and without
 * pivoting, the gradient, and a part of a larger system. */

/* Plans the tiles of elimination with pivoting, and its arrays. Returns the end of the
 * workspace. */
static uintptr_t NAME(plan_pivoting)(LEVELS *all, int64_t n, uintptr_t work)
{
    PIVOTING *s = &all->pivoting;
    s->done = 0;
    s->lines[0] = 0;
    for (int k = 0; k < 2; k++) {
        LEVEL *l = &s->part[k];
        enum { STEP = SQUARE > 1 ? SQUARE : 2 }; /* the number of rows is even */
        int64_t rows = k == 0 ? PIVOTED_ROWS : (n - s->done) / TILE_LANES / STEP * STEP;
        l->n = n - s->done;
        l->r = (int)rows;
        l->tiles = rows < 8 ? 0 : l->n / (TILE_LANES * rows);
        s->done += l->tiles * TILE_LANES * rows;
        s->lines[k + 1] = s->lines[k] + l->tiles * TILE_LANES;
    }
    /* x_left of the first partition is last[-1] */
    SCALAR **const arrays[] = {&s->p.left, &s->p.first, &s->p.last, &s->p.right, &s->p.rhs,
                               &s->q.left, &s->q.first, &s->q.last, &s->q.right, &s->q.rhs,
                               &s->first,  &s->last,    &s->rest.v, &s->rest.w,  &s->rest.y};
    for (int k = 0; k < 15; k++)
        *arrays[k] = NAME(take_array)(&work, k < 12 ? s->lines[2] + 1 : n - s->done + 1);
    all->first_b = NAME(take_array)(&work, TILE_LANES * PIVOTED_ROWS);
    all->last_c = NAME(take_array)(&work, TILE_LANES * PIVOTED_ROWS);
    return work;
}
static size_t NAME(work_bytes)(int64_t n)
{
    LEVELS all;
    uintptr_t whole = NAME(plan)(&all, n, 0), part = n < 2 ? 0 : NAME(plan)(&all, n - 1, 0);
    uintptr_t pivoted = NAME(plan_pivoting)(&all, n, 0);
    /* a system with one row less may need more workspace, because it may have more rows after its
     * last tile */
    whole = whole > part ? whole : part;
    return (size_t)(whole > pivoted ? whole : pivoted);
}

/* ---- with pivoting ---- */

/* First pass over all partitions, their equations and the rows in no partition. */
static void NAME(reduce_with_pivoting)(LEVELS *all, int core)
{
    const PIVOTING *s = &all->pivoting;
    RANGE range = {0};
    int64_t first_bad = NO_ROW;
    const bool streamed = NAME(is_streamed)(&s->part[0]);
    for (int k = 0; k < 2; k++) {
        int64_t tiles = s->part[k].tiles, from = tiles * core / all->cores,
                to = tiles * (core + 1) / all->cores, bad = NO_ROW;
        if (from < to)
            NAME(add_range)
        (&range, NAME(reduce_pivoted_tiles)(s, k, from, to, &bad, streamed, all->scaled));
        bad += bad == NO_ROW ? 0 : s->part[0].n - s->part[k].n;
        first_bad = bad < first_bad ? bad : first_bad;
    }
    OPENMP(omp critical(tridiagonal_cpu))
    {
        NAME(add_range)(&all->range, range);
        all->bad[0] = first_bad < all->bad[0] ? first_bad : all->bad[0];
    }
    barrier(all->cores);
    if (core == 0 && all->bad[0] == NO_ROW) {
        all->bad[0] = NAME(equations_down)(s, all->scaled);
        all->range.x = all->bad[0] == NO_ROW ? NAME(equations_up)(s) : 0;
        all->finite = all->range.x <= MAX;
    }
    barrier(all->cores);
}
/* The same again with shifted rhs, if values may have left the range of the type. */
static void NAME(first_pass_with_pivoting)(LEVELS *all, int core)
{
    NAME(reduce_with_pivoting)(all, core);
    if (!all->range.suspect && (all->bad[0] != NO_ROW || (all->finite && all->range.x >= LEAST)))
        return;
    NAME(find_shift)(all, core);
    if (!all->range.suspect && all->shift == NO_EXPONENT)
        return; /* rhs is 0, or NaN */
    barrier(all->cores);
    if (core == 0) {
        all->scaled = true;
        all->range = (RANGE){0};
        all->bad[0] = NO_ROW;
        LEVEL *const levels[] = {&all->level[0], &all->pivoting.part[0], &all->pivoting.part[1]};
        for (int k = 0; k < 3; k++)
            levels[k]->rhs_exponent = all->shift == NO_EXPONENT ? 0 : -all->shift;
    }
    barrier(all->cores);
    NAME(reduce_with_pivoting)(all, core);
}
static void NAME(solve_with_pivoting)(LEVELS *all, int core)
{
    const PIVOTING *s = &all->pivoting;
    const bool streamed = NAME(is_streamed)(&s->part[0]);
    NAME(first_pass_with_pivoting)(all, core);
    for (int k = 0; all->bad[0] == NO_ROW && k < 2; k++) {
        int64_t tiles = s->part[k].tiles, from = tiles * core / all->cores,
                to = tiles * (core + 1) / all->cores;
        bool finite =
            from >= to || NAME(substitute_pivoted_tiles)(s, k, from, to, streamed, all->scaled);
        if (!finite) {
            OPENMP(omp atomic write)
            all->finite = false;
        }
    }
    if (core == 0 && all->bad[0] == NO_ROW)
        memcpy(s->part[0].x + s->done, s->rest.y + 1,
               (size_t)(s->part[0].n - s->done) * sizeof(SCALAR));
}
static long long NAME(pivot)(const struct tridiagonal_cpu *s, bool transposed)
{
    LEVELS all;
    NAME(start)(&all, s, 0, transposed);
    PIVOTING *p = &all.pivoting;
    NAME(plan_pivoting)(&all, s->n, (uintptr_t)s->work);
    for (int k = 0; k < 2; k++) {
        LEVEL *l = &p->part[k];
        int64_t before = s->n - l->n;
        l->rows = NAME(rows_from)(&all.level[0], before);
        l->x = all.level[0].x + before;
        l->has_left = before > 0;
        l->rhs_exponent = 0;
        l->first_b = l->last_c = NULL;
        if (transposed)
            NAME(copy_ends)(l, all.first_b, all.last_c);
    }
    all.cores = p->lines[2] > 0 ? all.cores : 1;
    NAME(run_on_cores)(&all, NAME(solve_with_pivoting));
    if (all.bad[0] != NO_ROW)
        return all.bad[0] + 1;
    if (all.scaled)
        NAME(unscale)(&all);
    return NAME(overflow)(&all, 0);
}
static long long NAME(solve)(const struct tridiagonal_cpu *s, bool transposed)
{
    LEVELS all;
    if (s->pivot == TRIDIAGONAL_PIVOT_ALWAYS)
        return NAME(pivot)(s, transposed);
    NAME(start)(&all, s, 0, transposed);
    if (all.count == 0)
        NAME(solve_levels)(&all, 0);
    else
        NAME(run_on_cores)(&all, NAME(solve_levels));
    if (NAME(needs_pivoting)(&all))
        return NAME(pivot)(s, transposed);
    if (all.scaled)
        NAME(unscale)(&all);
    long long status = NAME(status)(&all, 0);
    return status ? status : NAME(overflow)(&all, 0);
}

/* ---- gradient ---- */

/* Rows of one turn of gradient_rows(). Their x and drhs should stay in the L1 cache. */
enum { NAME(GRADIENT_ROWS) = 8192 / sizeof(SCALAR) };
/* The derivatives of the rows from … to - 1. drhs contains conj(drhs). */
NOT_INLINE void NAME(gradient_rows)(const struct tridiagonal_derivatives *d, const SCALAR *x,
                                    int64_t n, int64_t from, int64_t to)
{
    SCALAR *y = d->drhs, *sub = d->dsub, *diag = d->ddiag, *super = d->dsuper;
    for (int64_t i = from; sub && i < to; i++)
        sub[i] = i > 0 ? NAME(minus_conjugate)(y[i], x[i - 1]) : 0;
    for (int64_t i = from; diag && i < to; i++)
        diag[i] = NAME(minus_conjugate)(y[i], x[i]);
    for (int64_t i = from; super && i < to; i++)
        super[i] = i < n - 1 ? NAME(minus_conjugate)(y[i], x[i + 1]) : 0;
    for (int64_t i = from; COMPLEX && i < to; i++)
        y[i] = NAME(conjugate)(y[i]);
}
/* The solution of A^H drhs = dx is the conjugate of that of A^T y = conj(dx). */
static long long NAME(gradient)(const struct tridiagonal_cpu *s,
                                const struct tridiagonal_derivatives *d)
{
    struct tridiagonal_cpu adjoint = *s;
    SCALAR *y = d->drhs;
    const SCALAR *dx = d->dx;
    const int64_t n = s->n, turns = (n + NAME(GRADIENT_ROWS) - 1) / NAME(GRADIENT_ROWS);
    const int cores = cores_for(s);
    (void)cores; /* unused without OpenMP */
    if (COMPLEX) {
        OPENMP(omp parallel for num_threads(cores) if (cores > 1))
        for (int64_t i = 0; i < n; i++)
            y[i] = NAME(conjugate)(dx[i]);
    }
    adjoint.rhs = COMPLEX ? d->drhs : d->dx;
    adjoint.x = d->drhs;
    long long status = NAME(solve)(&adjoint, true);
    OPENMP(omp parallel for num_threads(cores) if (cores > 1))
    for (int64_t k = 0; k < turns; k++) {
        int64_t from = k * NAME(GRADIENT_ROWS), to = from + NAME(GRADIENT_ROWS);
        NAME(gradient_rows)(d, s->x, n, from, to < n ? to : n);
    }
    return status;
}

/* ---- a part of a larger system ---- */

/* Row 0 of a part is a joint line that belongs to no level. Its equation contains x of the first
 * row of level 0. This function eliminates that x with the second equation (u, v, s) of the level's
 * first partition; then row 0 contains x of the first row of the next level instead. So it is
 * called for each level in turn. */
static void NAME(join_first_row)(struct tridiagonal_cpu_lines to, SCALAR u, SCALAR v, SCALAR s,
                                 int shift)
{
    SCALAR *diag = to.diag, *super = to.super, *rhs = to.rhs;
    int exponent = NAME(exponent)(super[0]);
    if (exponent == NO_EXPONENT)
        exponent = 0;
    SCALAR c = NAME(scaled)(super[0], -exponent);
    diag[0] -= NAME(scaled)(c * s, exponent);
    rhs[0] -= NAME(scaled)(c * u, exponent + shift);
    super[0] = NAME(scaled)(c * v, exponent);
}
static long long NAME(reduce_part)(const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines to)
{
    LEVELS all;
    NAME(start)(&all, s, 1, false);
    NAME(run_on_cores)(&all, NAME(first_pass));
    *all.saved = (struct NAME(saved)){all.range, all.scaled, all.shift};
    SCALAR *sub = to.sub, *diag = to.diag, *super = to.super, *rhs = to.rhs;
    diag[0] = *(const SCALAR *)s->diag;
    super[0] = *(const SCALAR *)s->super;
    rhs[0] = *(const SCALAR *)s->rhs;
    int shift = -all.level[0].rhs_exponent, exponent = 0;
    for (int k = 0; k < all.count; k++)
        NAME(join_first_row)(to, all.level[k].u[0], all.level[k].v[0], all.level[k].s[0], shift);
    NAME(join_first_row)(to, all.reduced.u, all.reduced.v, all.reduced.s, shift);
    for (int k = 0; all.scaled && k <= all.count; k++)
        exponent += NAME(row_exponent)(&all.level[k], all.level[k].n - 1);
    sub[0] = super[1] = 0;
    sub[1] = NAME(scaled)(all.reduced.b, exponent);
    diag[1] = NAME(scaled)(all.reduced.a, exponent);
    rhs[1] = NAME(scaled)(all.reduced.d, exponent + shift);
    return NAME(status)(&all, 1);
}
/* The second pass over a part. Its rows are scaled if those of the first pass were, or if x of the
 * two joint lines is so small that flushing to zero would change the result noticeably. */
static long long NAME(finish_part)(const struct tridiagonal_cpu *s,
                                   struct tridiagonal_cpu_lines lines)
{
    LEVELS all;
    const SCALAR *around = lines.x;
    SCALAR x[2] = {around[0], around[1]};
    NAME(start)(&all, s, 1, false);
    struct NAME(saved) saved = *all.saved;
    NAME(add_range)(&saved.range, (RANGE){0, NAME(abs1)(x[0]), false, false});
    NAME(add_range)(&saved.range, (RANGE){0, NAME(abs1)(x[1]), false, false});
    all.scaled = saved.scaled || (saved.range.x > 0 && !NAME(x_in_range)(saved.range));
    if (all.scaled) {
        int shift = saved.shift;
        for (int k = 0; k < 2; k++)
            shift = NAME(exponent)(x[k]) > shift ? NAME(exponent)(x[k]) : shift;
        shift = shift == NO_EXPONENT ? 0 : shift;
        all.level[0].rhs_exponent = -shift;
        for (int k = 1; k <= all.count; k++)
            all.level[k].rhs_exponent =
                saved.shift == NO_EXPONENT ? 0 : (saved.scaled ? saved.shift : 0) - shift;
        for (int k = 0; k < 2; k++)
            x[k] = NAME(scaled)(x[k], -shift);
    }
    LEVEL *last = &all.level[all.count];
    NAME(thomas_down)(last, 0, last->n - 1, x[0], all.w, all.y, &all.range, all.scaled);
    last->x[last->n - 1] = x[1];
    NAME(substitute_last)(&all);
    all.left = x[0];
    NAME(run_on_cores)(&all, NAME(substitute_levels));
    if (all.scaled)
        NAME(unscale)(&all);
    SCALAR *first = s->x;
    first[0] = around[0];
    first[s->n - 1] = around[1];
    return NAME(abs1)(around[0]) <= MAX ? NAME(overflow)(&all, 1) : 1;
}
