/* Many short contiguous sequences, for recurrence_cpu.h: one in every lane, each `stride` elements
 * after the one before it. Squares of rows are transposed in registers (common/lanes.h). Each element
 * follows from the one before it, as in the serial loop. */

/* Rows of a square. */
enum { NAME(SIDE) = W / (1 + COMPLEX) };

LANES_INLINE NUMBERS NAME(row)(const VEC square[W], int r)
{
#if COMPLEX
    return (NUMBERS){square[2 * r], square[2 * r + 1]};
#else
    return (NUMBERS){square[r]};
#endif
}
LANES_INLINE void NAME(set_row)(VEC square[W], int r, NUMBERS a)
{
#if COMPLEX
    square[2 * r] = a.re;
    square[2 * r + 1] = a.im;
#else
    square[r] = a.re;
#endif
}
LANES_INLINE void NAME(load_rows)(const NUMBER *from, int64_t stride, VEC square[W])
{
    LANES(lanes_load_square)(&from->re, stride * (1 + COMPLEX), square);
}
LANES_INLINE void NAME(store_rows)(NUMBER *to, int64_t stride, VEC square[W])
{
    LANES(lanes_store_square)(&to->re, stride * (1 + COMPLEX), square);
}
/* The same element of each sequence. If there are fewer sequences than lanes, the last one is in
 * several lanes. */
LANES_INLINE NUMBERS NAME(gather)(const NUMBER *from, int64_t stride, int count)
{
    REAL parts[1 + COMPLEX][W];
    LANES_UNROLL for (int k = 0; k < W; k++)
    {
        const REAL *number = &from[(k < count ? k : count - 1) * stride].re;
        for (int part = 0; part <= COMPLEX; part++)
            parts[part][k] = number[part];
    }
    NUMBERS a = {.re = LANES(lanes_load)(parts[0])};
#if COMPLEX
    a.im = LANES(lanes_load)(parts[1]);
#endif
    return a;
}
LANES_INLINE void NAME(scatter)(NUMBER *to, int64_t stride, int count, NUMBERS a)
{
    REAL parts[1 + COMPLEX][W];
    LANES(lanes_store)(parts[0], a.re);
#if COMPLEX
    LANES(lanes_store)(parts[1], a.im);
#endif
    for (int k = 0; k < count; k++)
        for (int part = 0; part <= COMPLEX; part++)
            (&to[k * stride].re)[part] = parts[part][k];
}

/* SIDE rows; `at` is the lowest address. v is the w after the last row in the order of computation,
 * *f the s of CONSTANT, and in the gradient conj(s) of the row before. */
LANES_INLINE void NAME(square)(int kind, int down, const ROWS *at, int64_t stride, NUMBERS v,
                               NUMBERS *y, NUMBERS *f)
{
    VEC s[W], t[W], v_rows[W];
    NAME(load_rows)(at->t, stride, t);
    if (kind != CONSTANT)
        NAME(load_rows)(at->s, stride, s);
    if (kind == GRADIENT)
        NAME(load_rows)(at->v, stride, v_rows);
    LANES_UNROLL for (int k = 0; k < NAME(SIDE); k++)
    {
        const int r = down ? NAME(SIDE) - 1 - k : k;
        *y = NAME(mul_add)(kind == SOLVE ? NAME(row)(s, r) : *f, *y, NAME(row)(t, r));
        NAME(set_row)(t, r, *y);
        if (kind == GRADIENT) {
            NUMBERS next = k == NAME(SIDE) - 1 ? v : NAME(row)(v_rows, down ? r - 1 : r + 1);
            *f = NAME(conjugate)(NAME(row)(s, r));
            NAME(set_row)(s, r, NAME(mul)(*y, NAME(conjugate)(next)));
        }
    }
    NAME(store_rows)(at->y, stride, t);
    if (kind == GRADIENT)
        NAME(store_rows)(at->ds, stride, s);
}
/* One row of `count` sequences. */
LANES_INLINE void NAME(single)(int kind, const ROWS *at, int64_t stride, int count, NUMBERS v,
                               NUMBERS *y, NUMBERS *f)
{
    *y = NAME(mul_add)(kind == SOLVE ? NAME(gather)(at->s, stride, count) : *f, *y,
                       NAME(gather)(at->t, stride, count));
    if (kind == GRADIENT) {
        *f = NAME(conjugate)(NAME(gather)(at->s, stride, count));
        NAME(scatter)(at->ds, stride, count, NAME(mul)(*y, NAME(conjugate)(v)));
    }
    NAME(scatter)(at->y, stride, count, *y);
}

/* `count` <= W sequences of `length` elements; `at` is the lowest address, v_end the w before them.
 * *value is the values before the first elements to be computed and becomes those after the last
 * ones, as state->y in recurrence_cpu_tiles.h. */
LANES_INLINE void NAME(sequences)(int kind, int down, const ROWS *at, int64_t stride,
                                  int64_t length, int count, const NUMBER *v_end, NUMBER *value)
{
    NUMBERS y = NAME(gather)(value, 1, count),
            f = NAME(broadcast)(kind == CONSTANT ? *at->s : NAME(one)());
    for (int64_t first = 0; first < length;) {
        const bool square = count == W && length - first >= NAME(SIDE);
        const int64_t rows = square ? NAME(SIDE) : 1, i = down ? length - first - rows : first;
        const ROWS here = NAME(rows_from)(kind, 1, at, i);
        NUMBERS v = y;
        first += rows;
        if (kind == GRADIENT)
            v = first == length ? NAME(gather)(v_end, 1, count)
                                : NAME(gather)(here.v + (down ? -1 : rows), stride, count);
        if (square)
            NAME(square)(kind, down, &here, stride, v, &y, &f);
        else
            NAME(single)(kind, &here, stride, count, v, &y, &f);
    }
    NAME(scatter)(value, 1, count, kind == GRADIENT ? NAME(mul)(f, y) : y);
}
