/* Sequences side by side, for recurrence_cpu.h: the channels of a row are neighbours in memory.
 * Included twice for each type (recurrence_cpu_number.h): a NUMBERS has COUNT channels, a vector's
 * or one. Each row follows from the row before it, as in the serial loop. */

/* What the next row of COUNT channels needs of the rows before it: see STATE. */
struct OF(column) {
    NUMBERS y, f, product;
};
LANES_INLINE struct OF(column) OF(load_column)(int kind, int store, const STATE *state, int64_t k)
{
    struct OF(column) c = {.y = OF(load)(state->y + k)};
    if (kind == GRADIENT)
        c.f = OF(load)(state->f + k);
    if (!store)
        c.product = OF(load)(state->product + k);
    return c;
}
LANES_INLINE void OF(store_column)(int kind, int store, struct OF(column) c, STATE *state,
                                   int64_t k)
{
    OF(store)(state->y + k, c.y);
    if (kind == GRADIENT)
        OF(store)(state->f + k, c.f);
    if (!store)
        OF(store)(state->product + k, c.product);
}
LANES_INLINE void OF(next_row)(int kind, int store, NUMBERS s, NUMBERS t, struct OF(column) * c)
{
    c->y = OF(mul_add)(kind == GRADIENT ? c->f : s, c->y, t);
    if (kind == GRADIENT)
        c->f = OF(conjugate)(s);
    if (!store)
        c->product = OF(mul)(kind == GRADIENT ? c->f : s, c->product);
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
                           int64_t rows, int64_t k, int64_t other, STATE *state)
{
    const int64_t from[2] = {k, other};
    const int count = two ? 2 : 1;
    struct OF(column) c[2];
    NUMBERS s[2], t[2];
    LANES_UNROLL for (int i = 0; i < count; i++)
    {
        c[i] = OF(load_column)(kind, store, state, from[i]);
        s[i] = OF(broadcast)(*at->s); /* CONSTANT */
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
        OF(store_column)(kind, store, c[i], state, from[i]);
}

/* One or two rows from `first` on, of the channels up to `end`, a multiple of COUNT. */
LANES_INLINE void OF(broad)(int kind, int store, int two, const ROWS *at, int64_t first,
                            int64_t end, STATE *state)
{
    const ROWS rows[2] = {NAME(rows_from)(kind, store, at, first * at->step),
                          NAME(rows_from)(kind, store, at, (first + (two ? 1 : 0)) * at->step)};
    const NUMBERS constant = OF(broadcast)(*at->s);
    for (int64_t k = 0; k < end; k += COUNT) {
        struct OF(column) c = OF(load_column)(kind, store, state, k);
        for (int r = 0; r < (two ? 2 : 1); r++) {
            NUMBERS s = kind == CONSTANT ? constant : OF(load)(rows[r].s + k);
            OF(next_row)(kind, store, s, OF(load)(rows[r].t + k), &c);
            OF(store_row)(kind, store, &rows[r], k, 0, c.y);
        }
        OF(store_column)(kind, store, c, state, k);
    }
}

/* A tile of at least COUNT channels: narrow ones some columns after the other, others row by row.
 * The last two vectors of a row may overlap. For *state see recurrence_cpu_tiles.h. */
LANES_INLINE void OF(channels)(int kind, int store, const TILE *tile, STATE *state)
{
    const ROWS at = tile->rows;
    const int64_t width = tile->width, rest = width % COUNT,
                  end = rest ? width - rest - COUNT : width,
                  most = turn_of(width * (int64_t)sizeof(NUMBER));
    for (int64_t first = 0, rows; first < tile->count; first += rows) {
        const int64_t left = tile->count - first;
        rows = left < most ? left : most;
        int64_t k = 0;
        if (rows == 2)
            OF(broad)(kind, store, 1, &at, first, end, state);
        else if (rows == 1)
            OF(broad)(kind, store, 0, &at, first, end, state);
        else
            for (; k + 2 * COUNT <= end; k += 2 * COUNT)
                OF(tall)(kind, store, 1, &at, first, rows, k, k + COUNT, state);
        if (rows > 2 && k < end)
            OF(tall)(kind, store, 0, &at, first, rows, k, k, state);
        if (end < width)
            OF(tall)(kind, store, 1, &at, first, rows, end, width - COUNT, state);
    }
}
