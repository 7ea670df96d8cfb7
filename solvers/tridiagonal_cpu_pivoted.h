/* Elimination with scaled partial pivoting, for tridiagonal_cpu.h. Every row is multiplied by a
 * power of two, so that coefficients can be compared between rows.
 *
 * Each lane reduces a partition to two equations in x_left | x_first … x_last | x_right, its first
 * and last unknown and their neighbours:
 *
 *     left x_left + first x_first + last x_last + right x_right = rhs
 *
 * It eliminates from the middle outwards: in a partition of r rows, with h = r/2, the unknowns at
 * positions 0, 1, 2, … are x_h, x_{h-1}, x_{h+1}, x_{h-2}, and so on; at positions r - 2 to r + 1
 * they are x_last, x_first, x_right and x_left. Neighbours are two positions apart, but for x_h and
 * x_{h-1}, so the matrix has two diagonals on each side. Two rows are carried; they and the next
 * row are all that contain the next unknown, and the row with its largest coefficient becomes the
 * pivot row. So the coefficients grow at most sevenfold (N. J. Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., section 9.6). With an order from first to last, x_left and x_first
 * would stay in the carried rows, and their coefficients could grow with every row.
 *
 * One core solves the equations of all partitions, with pivoting, together with the rows that do
 * not fill a tile. The second pass eliminates the rows again, and substitutes from the outer
 * unknowns, now known, to the middle. */

/* Rows of a partition, an even number. They should fit into the L1 cache. */
#define PIVOTED_ROWS (64 / REALS)

/* ---- one row at a time ---- */

/* Row i with its largest coefficient in [1, 2), unless the row is 0 or subnormal. With `shifted`
 * its rhs is also multiplied by 2^rhs_exponent. */
LANES_INLINE ROW NAME(normalized_row)(const LEVEL *l, int64_t i, const bool shifted)
{
    ROW r = NAME(row_at)(l, i, shifted);
    if (shifted)
        return r;
    REAL b = NAME(abs1)(r.b), a = NAME(abs1)(r.a), c = NAME(abs1)(r.c), most = b > a ? b : a;
    REAL scale = LANES(normalizing_scale)(c > most ? c : most);
    return (ROW){r.b * scale, r.a * scale, r.c * scale, r.d * scale};
}
static bool NAME(is_bad)(SCALAR inverse)
{
    return !(NAME(abs1)(inverse) > 0 && NAME(abs1)(inverse) <= MAX);
}

/* Pivot rows, divided by their pivots: x_i + v_i x_{i+1} + w_i x_{i+2} = y_i. */
struct NAME(pivot_rows) {
    SCALAR *v, *w, *y;
};
/* Eliminates the rows from `first` on. The equation u x_{first-1} + v x_first = rhs is above them.
 * The pivot row of x_{first-1} becomes the first one in `to`. Returns the first i without a pivot,
 * or NO_ROW. */
LANES_INLINE int64_t NAME(pivoted_rows)(const LEVEL *l, int64_t first, SCALAR u, SCALAR v,
                                        SCALAR rhs, PIVOT_ROWS to, const bool shifted)
{
    for (int64_t i = first - 1, k = 0; i < l->n; i++, k++) {
        ROW next = {0, 0, 0, 0};
        if (i + 1 < l->n)
            next = NAME(normalized_row)(l, i + 1, shifted);
        bool swap = NAME(abs1)(next.b) > NAME(abs1)(u);
        SCALAR q = NAME(inverse_normalized)(swap ? next.b : u);
        if (NAME(is_bad)(q))
            return i;
        SCALAR other = swap ? u : next.b;
        to.v[k] = (swap ? next.a : v) * q;
        to.w[k] = swap ? next.c * q : 0;
        to.y[k] = (swap ? next.d : rhs) * q;
        u = (swap ? v : next.a) - other * to.v[k];
        v = (swap ? 0 : next.c) - other * to.w[k];
        rhs = (swap ? rhs : next.d) - other * to.y[k];
    }
    return NO_ROW;
}
NOT_INLINE int64_t NAME(pivoted_down)(const LEVEL *l, int64_t first, SCALAR u, SCALAR v, SCALAR rhs,
                                      PIVOT_ROWS to, bool shifted)
{
    return shifted ? NAME(pivoted_rows)(l, first, u, v, rhs, to, true)
                   : NAME(pivoted_rows)(l, first, u, v, rhs, to, false);
}
/* y becomes x. Returns the largest |x|; NaN if an x is not finite. */
static REAL NAME(pivoted_up)(int64_t count, PIVOT_ROWS p)
{
    REAL most = 0, nothing = 0;
    SCALAR x = 0, behind = 0;
    for (int64_t i = count - 1; i >= 0; i--) {
        SCALAR here = p.y[i] - p.v[i] * x - p.w[i] * behind;
        REAL size = NAME(abs1)(here);
        most = size > most ? size : most;
        nothing += size - size;
        p.y[i] = here;
        behind = x;
        x = here;
    }
    return most + nothing;
}

/* ---- the equations of all partitions ---- */

struct NAME(equation) {
    SCALAR left, first, last, right, rhs;
};
struct NAME(equations) {
    SCALAR *left, *first, *last, *right, *rhs;
};
struct NAME(pivoting) {
    /* The rows in partitions of PIVOTED_ROWS rows; then at most one tile of shorter partitions. Of
     * struct level these use n, tiles, r, has_left, rhs_exponent, rows, x, first_b and last_c. */
    LEVEL part[2];
    int64_t lines[3]; /* partitions before each part, and of both */
    /* of each partition; solve_equations() overwrites them by pivot rows */
    EQUATIONS p, q;
    SCALAR *first, *last; /* x_first and x_last of each partition */
    int64_t done;         /* rows in partitions */
    PIVOT_ROWS rest;      /* of x_{done-1} and the rows after it */
};

static EQUATION NAME(equation_at)(EQUATIONS e, int64_t k)
{
    return (EQUATION){e.left[k], e.first[k], e.last[k], e.right[k], e.rhs[k]};
}
/* a - factor b */
LANES_INLINE EQUATION NAME(minus_multiple)(EQUATION a, SCALAR factor, EQUATION b)
{
    return (EQUATION){a.left - factor * b.left, a.first - factor * b.first,
                      a.last - factor * b.last, a.right - factor * b.right, a.rhs - factor * b.rhs};
}
LANES_INLINE void NAME(swap_if)(bool condition, const EQUATION **a, const EQUATION **b)
{
    const EQUATION *old = *a;
    *a = condition ? *b : old;
    *b = condition ? old : *b;
}
/* Eliminates x_left and x_first of one partition after the other. `carried` is the equation that
 * remains of those before, in x_left and x_first. Then eliminates the rows that are in no
 * partition. Returns the first row without a pivot, or NO_ROW. */
static int64_t NAME(equations_down)(const PIVOTING *s, bool shifted)
{
    EQUATION carried = {1, 0, 0, 0, 0}; /* x before the first row is 0 */
    int64_t bad = NO_ROW, row = 0;
    for (int64_t k = 0; k < s->lines[2]; row += s->part[k >= s->lines[1]].r, k++) {
        EQUATION p = NAME(equation_at)(s->p, k), q = NAME(equation_at)(s->q, k);
        const EQUATION *a = &carried, *b = &p, *c = &q;
        NAME(swap_if)(NAME(abs1)(b->left) > NAME(abs1)(a->left), &a, &b);
        NAME(swap_if)(NAME(abs1)(c->left) > NAME(abs1)(a->left), &a, &c);
        SCALAR f = NAME(inverse_normalized)(a->left);
        EQUATION pivot = {1, a->first * f, a->last * f, a->right * f, a->rhs * f};
        if (bad == NO_ROW && NAME(is_bad)(f))
            bad = row - 1;
        s->p.first[k] = pivot.first;
        s->p.last[k] = pivot.last;
        s->p.right[k] = pivot.right;
        s->p.rhs[k] = pivot.rhs;
        EQUATION others[] = {NAME(minus_multiple)(*b, b->left, pivot),
                             NAME(minus_multiple)(*c, c->left, pivot)};
        bool swap = NAME(abs1)(others[1].first) > NAME(abs1)(others[0].first);
        a = &others[swap];
        b = &others[!swap];
        f = NAME(inverse_normalized)(a->first);
        if (bad == NO_ROW && NAME(is_bad)(f))
            bad = row;
        s->q.last[k] = a->last * f;
        s->q.right[k] = a->right * f;
        s->q.rhs[k] = a->rhs * f;
        carried = (EQUATION){b->last - b->first * s->q.last[k], b->right - b->first * s->q.right[k],
                             0, 0, b->rhs - b->first * s->q.rhs[k]};
    }
    if (bad != NO_ROW)
        return bad;
    return NAME(pivoted_down)(&s->part[0], s->done, carried.left, carried.first, carried.rhs,
                              s->rest, shifted);
}
/* Substitutes from the last row upwards. Returns the largest |x|; NaN if an x is not finite. */
static REAL NAME(equations_up)(const PIVOTING *s)
{
    int64_t rest = s->part[0].n - s->done, lines = s->lines[2];
    REAL most = NAME(pivoted_up)(rest + 1, s->rest), nothing = 0;
    SCALAR last = s->rest.y[0], right = rest > 0 ? s->rest.y[1] : 0;
    s->first[lines] = right;
    for (int64_t k = lines - 1; k >= 0; k--) {
        SCALAR first = s->q.rhs[k] - s->q.last[k] * last - s->q.right[k] * right;
        s->first[k] = first;
        s->last[k] = last;
        last = s->p.rhs[k] - s->p.first[k] * first - s->p.last[k] * last - s->p.right[k] * right;
        right = first;
        REAL size = NAME(abs1)(first) + NAME(abs1)(last);
        most = size > most ? size : most;
        nothing += size - size;
    }
    s->last[-1] = 0;
    return most + nothing;
}
