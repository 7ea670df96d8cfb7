/* Sequences side by side, for recurrence_cpu.h: the channels of a row are neighbours in memory.
 * Included twice for each type (recurrence_cpu_number.h): a NUMBERS has COUNT channels, a vector's
 * or one. Each row follows from the row before it, as in the serial loop. */

/* What the next row of COUNT channels needs of the rows before it: see COLUMNS. */
struct OF(column) {
    NUMBERS y, f, part;
};
LANES_INLINE struct OF(column)
    OF(load_column)(int kind, int store, const COLUMNS *columns, int64_t k)
{
    struct OF(column) c = {.y = OF(load)(columns->y + k)};
    if (kind != SOLVE)
        c.f = OF(load)(columns->f + k);
    if (!store)
        c.part = OF(load)(columns->part + k);
    return c;
}
LANES_INLINE void OF(store_column)(int kind, int store, struct OF(column) c, COLUMNS *columns,
                                   int64_t k)
{
    OF(store)(columns->y + k, c.y);
    if (kind == GRADIENT)
        OF(store)(columns->f + k, c.f);
    if (!store)
        OF(store)(columns->part + k, c.part);
}
LANES_INLINE void OF(next_row)(int kind, int store, NUMBERS s, NUMBERS t, struct OF(column) * c)
{
    c->y = OF(mul_add)(kind == SOLVE ? s : c->f, c->y, t);
    if (kind == GRADIENT)
        c->f = OF(conjugate)(s);
    if (!store)
        c->part = OF(mul)(kind == SOLVE ? s : c->f, c->part);
}
/* Stores the results of element i and the following ones. v of element i + v_at is needed. */
LANES_INLINE void OF(store_row)(int kind, int store, const ROWS *at, ptrdiff_t i, ptrdiff_t v_at,
                                NUMBERS y)
{
    if (store)
        OF(store)(at->y + i, y);
    if (store && kind == GRADIENT)
        OF(store)(at->ds + i, OF(mul)(y, OF(conjugate)(OF(load)(at->v + i + v_at))));
}

/* `rows` rows from `first` on, of COUNT channels or, if `two`, of 2 COUNT channels, from k on and
 * from `other` on. Some may be the same: all of a row are loaded before one is stored. */
LANES_INLINE void OF(tall)(int kind, int store, int two, const ROWS *at, int64_t first,
                           int64_t rows, int64_t k, int64_t other, COLUMNS *columns)
{
    const int64_t from[2] = {k, other};
    const int count = two ? 2 : 1;
    struct OF(column) c[2];
    NUMBERS s[2], t[2];
    LANES_UNROLL for (int i = 0; i < count; i++)
    {
        c[i] = OF(load_column)(kind, store, columns, from[i]);
        s[i] = c[i].y; /* not used by CONSTANT */
    }
    ptrdiff_t row = first * at->step;
    for (int64_t r = 0; r < rows; r++, row += at->step) {
        LANES_UNROLL for (int i = 0; i < count; i++)
        {
            if (kind != CONSTANT)
                s[i] = OF(load)(at->s + row + from[i]);
            t[i] = OF(load)(at->t + row + from[i]);
        }
        LANES_UNROLL for (int i = 0; i < count; i++)
        {
            OF(next_row)(kind, store, s[i], t[i], &c[i]);
            OF(store_row)(kind, store, at, row + from[i], 0, c[i].y);
        }
    }
    LANES_UNROLL for (int i = 0; i < count; i++)
        OF(store_column)(kind, store, c[i], columns, from[i]);
}

/* `rows` rows from `first` on, `step` = 1 or 2 at a time, of the channels up to `end`, a multiple
 * of COUNT. */
LANES_INLINE void OF(broad)(int kind, int store, int step, const ROWS *at, int64_t first,
                            int64_t rows, int64_t end, COLUMNS *columns)
{
    for (int64_t r = first; r + step <= first + rows; r += step) {
        const ROWS row[2] = {NAME(rows_from)(kind, store, at, r * at->step),
                             NAME(rows_from)(kind, store, at, (r + step - 1) * at->step)};
        for (int64_t k = 0; k < end; k += COUNT) {
            struct OF(column) c = OF(load_column)(kind, store, columns, k);
            for (int i = 0; i < step; i++) {
                NUMBERS s = kind == CONSTANT ? c.f : OF(load)(row[i].s + k);
                OF(next_row)(kind, store, s, OF(load)(row[i].t + k), &c);
                OF(store_row)(kind, store, &row[i], k, 0, c.y);
            }
            OF(store_column)(kind, store, c, columns, k);
        }
    }
}

/* Some rows of a tile of at least COUNT channels. Those of one line of the cache are computed some
 * columns after the other, longer ones in the order of memory, which the caches expect. Two long
 * rows may be read side by side. The last two vectors of a row may overlap. */
LANES_INLINE void OF(turn)(int kind, int store, const TILE *tile, int64_t first, int64_t rows,
                           COLUMNS *columns)
{
    const ROWS at = tile->rows;
    const int64_t width = tile->width, rest = width % COUNT,
                  end = width - (rest ? rest + COUNT : 0);
    int64_t k = 0;
    if (COUNT > 1 && rows == 2 && width * (int64_t)sizeof(NUMBER) >= PAGE)
        OF(broad)(kind, store, 2, &at, first, rows, end, columns);
    else if (COUNT > 1 && end > 2 * COUNT)
        OF(broad)(kind, store, 1, &at, first, rows, end, columns);
    else {
        for (; k + 2 * COUNT <= end; k += 2 * COUNT)
            OF(tall)(kind, store, 1, &at, first, rows, k, k + COUNT, columns);
        if (k < end)
            OF(tall)(kind, store, 0, &at, first, rows, k, k, columns);
    }
    if (rest > 0)
        OF(tall)(kind, store, 1, &at, first, rows, end, width - COUNT, columns);
}
/* A tile, and the pending one in PRECOMPUTE, some rows of them in turn. */
LANES_INLINE void OF(channels)(int kind, int pass, const TILE *tile, STATE *state)
{
    const int64_t most = turn_of(tile->width * (int64_t)sizeof(NUMBER));
    const bool pending = pass == PRECOMPUTE && state->pending.count > 0;
    for (int64_t first = 0; first < tile->count; first += most) {
        const int64_t left = tile->count - first, rows = left < most ? left : most;
        if (pending)
            OF(turn)(kind, 1, &state->pending, first, rows, &state->before);
        OF(turn)(kind, pass != PRECOMPUTE, tile, first, rows, &state->columns);
        for (int64_t k = 0; pass == PRECOMPUTE && k < tile->width; k++) {
            state->columns.product[k] = ONE(mul)(state->columns.part[k], state->columns.product[k]);
            state->columns.part[k] = NAME(one)();
        }
    }
}
