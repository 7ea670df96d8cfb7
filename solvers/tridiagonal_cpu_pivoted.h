/* Gaussian elimination with scaled partial pivoting, for tridiagonal_cpu.h: every row is multiplied
 * by a power of two, and of the two rows that contain an unknown the one with the larger coefficient
 * becomes the pivot row. */

/* Row i with its largest coefficient in [1, 2), unless the row is 0 or subnormal. With `shifted` its
 * rhs is also multiplied by 2^rhs_exponent. */
LANES_INLINE ROW NAME(normalized_row)(const LEVEL *l, int64_t i, const bool shifted)
{
    if (shifted)
        return NAME(row_at)(l, i, true);
    SYSTEM s = l->rows;
    ROW r = {i > 0 ? s.b[i] : 0, s.a[i], i < l->n - 1 ? s.c[i] : 0, s.d[i]};
    REAL b = NAME(abs1)(r.b), a = NAME(abs1)(r.a), c = NAME(abs1)(r.c), most = b > a ? b : a;
    REAL scale = LANES(normalizing_scale)(c > most ? c : most);
    return (ROW){r.b * scale, r.a * scale, r.c * scale, r.d * scale};
}

/* The pivot rows, divided by their pivots: x_i + v_i x_{i+1} + w_i x_{i+2} = y_i. */
struct NAME(pivot_rows) {
    SCALAR *v, *w, *y;
};
/* Returns the first row without a pivot, or NO_ROW. */
LANES_INLINE int64_t NAME(pivoted_rows)(const LEVEL *l, PIVOT_ROWS p, const bool shifted)
{
    ROW carried = NAME(normalized_row)(l, 0, shifted);
    SCALAR u = carried.a, v = carried.c, rhs = carried.d;
    for (int64_t i = 0; i < l->n; i++) {
        ROW next = {0, 0, 0, 0};
        if (i + 1 < l->n)
            next = NAME(normalized_row)(l, i + 1, shifted);
        bool swap = NAME(abs1)(next.b) > NAME(abs1)(u);
        SCALAR q = NAME(inverse_normalized)(swap ? next.b : u);
        SCALAR others = swap ? u : next.b;
        SCALAR pv = (swap ? next.a : v) * q, pw = swap ? next.c * q : 0;
        SCALAR y = (swap ? next.d : rhs) * q;
        if (!(NAME(abs1)(q) > 0) || NAME(abs1)(q) - NAME(abs1)(q) != 0)
            return i;
        u = (swap ? v : next.a) - others * pv;
        v = (swap ? 0 : next.c) - others * pw;
        rhs = (swap ? rhs : next.d) - others * y;
        p.v[i] = pv;
        p.w[i] = pw;
        p.y[i] = y;
    }
    return NO_ROW;
}
NOT_INLINE int64_t NAME(pivoted_down)(const LEVEL *l, PIVOT_ROWS p, bool shifted)
{
    return shifted ? NAME(pivoted_rows)(l, p, true) : NAME(pivoted_rows)(l, p, false);
}
/* y becomes x. Returns true if x is finite, and results that were flushed to zero are negligible
 * relative to the largest |x|. */
static bool NAME(pivoted_up)(int64_t n, PIVOT_ROWS p)
{
    REAL most = 0;
    SCALAR x = 0, behind = 0;
    bool finite = true;
    for (int64_t i = n - 1; i >= 0; i--) {
        SCALAR here = p.y[i] - p.v[i] * x - p.w[i] * behind;
        REAL size = NAME(abs1)(here);
        most = size > most ? size : most;
        finite &= size <= MAX;
        p.y[i] = here;
        behind = x;
        x = here;
    }
    return finite && most >= LEAST;
}
