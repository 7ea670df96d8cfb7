/* Sequences side by side, for recurrence_cpu.h: the channels of a row are neighbours in memory.
 * Included twice for each type (recurrence_cpu_number.h): a NUMBERS has COUNT channels, a vector's
 * or one. Each row follows from the row before it, as in the serial loop. */

/* COUNT channels of `rows` rows from `first` on, or, if `two`, 2 COUNT channels, from k on and from
 * `other` on. Some may be the same: all of a row are loaded before one is stored. */
LANES_INLINE void OF(columns)(int kind, int store, int two, const ROWS *at, int64_t first,
                              int64_t rows, int64_t k, int64_t other, STATE *state)
{
    const int64_t c[2] = {k, other};
    const int count = two ? 2 : 1;
    NUMBERS y[2], f[2], product[2], s[2], t[2];
    LANES_UNROLL for (int i = 0; i < count; i++)
    {
        y[i] = OF(load)(state->y + c[i]);
        if (kind == GRADIENT)
            f[i] = OF(load)(state->f + c[i]);
        if (!store)
            product[i] = OF(load)(state->product + c[i]);
        if (kind == CONSTANT)
            s[i] = OF(broadcast)(*at->s);
    }
    ptrdiff_t row = first * at->step;
    for (int64_t r = 0; r < rows; r++, row += at->step) {
        LANES_UNROLL for (int i = 0; i < count; i++)
        {
            if (kind != CONSTANT)
                s[i] = OF(load)(at->s + row + c[i]);
            t[i] = OF(load)(at->t + row + c[i]);
        }
        LANES_UNROLL for (int i = 0; i < count; i++)
        {
            if (kind == GRADIENT) {
                y[i] = OF(mul_add)(f[i], y[i], t[i]);
                f[i] = OF(conjugate)(s[i]);
            } else {
                y[i] = OF(mul_add)(s[i], y[i], t[i]);
            }
            if (!store)
                product[i] = OF(mul)(kind == GRADIENT ? f[i] : s[i], product[i]);
            else
                OF(store)(at->y + row + c[i], y[i]);
            if (store && kind == GRADIENT)
                OF(store)
            (at->ds + row + c[i], OF(mul)(y[i], OF(conjugate)(OF(load)(at->v + row + c[i]))));
        }
    }
    LANES_UNROLL for (int i = 0; i < count; i++)
    {
        OF(store)(state->y + c[i], y[i]);
        if (kind == GRADIENT)
            OF(store)(state->f + c[i], f[i]);
        if (!store)
            OF(store)(state->product + c[i], product[i]);
    }
}

/* A tile of at least COUNT channels. For *state see recurrence_cpu_tiles.h. */
LANES_INLINE void OF(channels)(int kind, int store, const TILE *tile, STATE *state)
{
    const ROWS at = tile->rows;
    const int64_t width = tile->width, bytes = width * (int64_t)sizeof(NUMBER),
                  turn = turn_of(bytes);
    for (int64_t first = 0; first < tile->count; first += turn) {
        const int64_t left = tile->count - first, rows = left < turn ? left : turn;
        if (at.step == width || at.step == -width) /* the rows follow one another */
            NAME(fetch)
        (kind, tile, (at.step < 0 ? first + rows - 1 : first) * at.step, rows * bytes);
        else for (int64_t r = first; r < first + rows; r++)
            NAME(fetch)(kind, tile, r * at.step, bytes);
        for (int64_t k = 0; k < width;) {
            const int64_t some = width - k;
            if (some == COUNT || (2 * COUNT < some && some < 3 * COUNT)) {
                OF(columns)(kind, store, 0, &at, first, rows, k, k, state);
                k += COUNT;
            } else { /* the last two vectors may overlap */
                const int64_t other = some < 2 * COUNT ? width - COUNT : k + COUNT;
                OF(columns)(kind, store, 1, &at, first, rows, k, other, state);
                k = other + COUNT;
            }
        }
    }
}
