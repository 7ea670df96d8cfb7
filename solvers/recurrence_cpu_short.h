/* Many short contiguous sequences, for recurrence_cpu.h: one in every lane, each `stride` elements
 * after the one before it. Squares of rows are transposed in registers (common/lanes.h). Each
 * element follows from the one before it, as in the serial loop. */

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
/* The same element of W sequences. */
LANES_INLINE NUMBERS NAME(gather)(const NUMBER *from, int64_t stride)
{
    REAL parts[1 + COMPLEX][W];
    LANES_UNROLL for (int k = 0; k < W; k++) for (int part = 0; part <= COMPLEX; part++)
        parts[part][k] = (&from[k * stride].re)[part];
    NUMBERS a = {.re = LANES(lanes_load)(parts[0])};
#if COMPLEX
    a.im = LANES(lanes_load)(parts[1]);
#endif
    return a;
}
LANES_INLINE void NAME(spread)(NUMBERS a, NUMBER to[W])
{
    for (int k = 0; k < W; k++) {
        to[k].re = a.re[k];
#if COMPLEX
        to[k].im = a.im[k];
#endif
    }
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
/* The rows from `done` on of `count` sequences, one sequence after the other. */
LANES_INLINE void NAME(serial)(int kind, int down, const ROWS *at, int64_t stride, int64_t length,
                               int64_t done, int64_t count, const NUMBER *v_end, NUMBER *y,
                               NUMBER *f)
{
    const int64_t one = down ? -1 : 1;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = k * stride + (down ? length - 1 - done : done);
        for (int64_t r = done; r < length; r++, i += one) {
            y[k] = ONE(mul_add)(kind == SOLVE ? at->s[i] : f[k], y[k], at->t[i]);
            at->y[i] = y[k];
            if (kind == GRADIENT) {
                f[k] = ONE(conjugate)(at->s[i]);
                at->ds[i] =
                    ONE(mul)(y[k], ONE(conjugate)(r + 1 < length ? at->v[i + one] : v_end[k]));
            }
        }
    }
}

/* `count` <= W sequences of `length` elements; `at` is the lowest address, v_end the w before them.
 * *value is y before and after them as in recurrence_cpu_tiles.h. */
LANES_INLINE void NAME(sequences)(int kind, int down, const ROWS *at, int64_t stride,
                                  int64_t length, int count, const NUMBER *v_end, NUMBER *value)
{
    NUMBER factors[W];
    for (int k = 0; k < W; k++)
        factors[k] = kind == CONSTANT && k < count ? at->s[k] : NAME(one)();
    const int64_t squares = count < W ? 0 : length / NAME(SIDE), done = squares * NAME(SIDE);
    if (squares > 0) {
        NUMBERS y = NAME(gather)(value, 1), f = NAME(gather)(factors, 1);
        for (int64_t first = 0; first < done; first += NAME(SIDE)) {
            const int64_t i = down ? length - first - NAME(SIDE) : first;
            const ROWS here = NAME(rows_from)(kind, 1, at, i);
            NUMBERS v = y;
            if (kind == GRADIENT && first + NAME(SIDE) == length)
                v = NAME(gather)(v_end, 1);
            else if (kind == GRADIENT)
                v = NAME(gather)(here.v + (down ? -1 : NAME(SIDE)), stride);
            NAME(square)(kind, down, &here, stride, v, &y, &f);
        }
        NAME(spread)(y, value);
        NAME(spread)(f, factors);
    }
    NAME(serial)(kind, down, at, stride, length, done, count, v_end, value, factors);
    for (int k = 0; kind == GRADIENT && k < count; k++)
        value[k] = ONE(mul)(factors[k], value[k]);
}
