/* One row at a time, for tridiagonal_cpu.h: the last level of joint lines, and all rows of a system
 * that must be scaled.
 *
 * The solver first works on the rows unscaled and records the range of pivots and x. If a value may
 * have left the range of the type, the solver starts again, with every row scaled by a power of
 * two, so that its largest coefficient is between 1/2 and 1. In addition, all right-hand sides are
 * multiplied by 2^-shift, so that the largest of them is between 1/2 and 1. The computed x is then
 * 2^-shift times the solution. */

/* ---- the type's range ---- */

/* The range of values that a pass over unscaled rows found. */
struct NAME(range) {
    /* An upper bound of |1/pivot|^2 and, if the rows were reduced in tiles, of |pivot|^2. */
    REAL pivots;
    REAL x;       /* estimate of the largest |x|, from right-hand sides divided by pivots */
    bool suspect; /* a pivot is bad, or a value is not finite */
    bool grown;   /* elimination without pivoting may be inaccurate */
};
static void NAME(add_range)(RANGE *to, RANGE of)
{
    to->pivots = of.pivots > to->pivots ? of.pivots : to->pivots;
    to->x = of.x > to->x ? of.x : to->x;
    to->suspect |= of.suspect;
    to->grown |= of.grown;
}
/* True if results that were flushed to zero are negligible relative to all pivots and to their
 * squares, which complex division computes. */
static bool NAME(pivots_in_range)(RANGE of)
{
    return !of.suspect && of.pivots <= 1 / LEAST;
}
/* The same relative to x. An error of a right-hand side is divided by a pivot before it enters
 * x. */
static bool NAME(x_in_range)(RANGE of)
{
    REAL ratio = of.x / LEAST;
    return ratio >= 1 && ratio * ratio >= of.pivots;
}

/* a * 2^exponent */
static SCALAR NAME(scaled)(SCALAR a, int exponent)
{
    struct power by = power_of_two(exponent);
    SCALAR result;
    for (int k = 0; k < REALS; k++)
        ((REAL *)&result)[k] = (REAL)(((REAL *)&a)[k] * by.half[0] * by.half[1]);
    return result;
}
/* The smallest exponent with |re|, |im| < 2^exponent; NO_EXPONENT if a is 0, infinite or NaN. */
static int NAME(exponent)(SCALAR a)
{
    int most = NO_EXPONENT;
    for (int k = 0; k < REALS; k++) {
        int here = exponent_of((double)((REAL *)&a)[k]);
        most = here > most ? here : most;
    }
    return most;
}

/* ---- a level: a tridiagonal system and its joint lines ---- */

/* Vectors in a tile. Each vector has its own chain of dependent operations. While one waits for a
 * division, the other one proceeds. */
#define VECTORS     2
#define TILE_LANES  (VECTORS * W)
#define SQUARE      (W / REALS) /* rows in a square, which has W REALs of each of W lanes */
#define EACH_VECTOR LANES_UNROLL for (int v = 0; v < VECTORS; v++)
/* Rows of a partition in a level that has too few rows for partitions of ROWS rows. */
#define ROWS_SHORT (SQUARE > 8 ? SQUARE : 8)
/* A level of fewer rows is solved by the Thomas algorithm, because it does not fill a tile or
 * because Thomas is faster. */
#define ROWS_LEAST (TILE_LANES * ROWS_SHORT > 64 ? TILE_LANES * ROWS_SHORT : 64)

/* Pointers to the elements of one row in the arrays sub, diag, super and rhs. */
struct NAME(rows) {
    const SCALAR *b, *a, *c, *d;
};

/* A level is a tridiagonal system that is cut into tiles. A tile consists of TILE_LANES partitions
 * of r rows. Lane k of tile t has partition number t TILE_LANES + k, whose last row is its joint
 * line and becomes the row of this number in the next level. The rows that do not fill a tile are
 * copied to the next level, after the joint lines. */
struct NAME(level) {
    int64_t n, tiles;
    int r; /* ROWS or ROWS_SHORT */
    /* the level is a part of a larger system: sub_0 multiplies x of the row before row 0 */
    bool has_left;
    /* if rows are scaled: rhs is multiplied by 2^rhs_exponent, in addition to its row's scale */
    int rhs_exponent;
    SYSTEM rows;
    SCALAR *x;
    /* b, a, c and d are sub, diag, super and rhs of the next level, and joint_x is its solution. u,
     * v and s are those of struct reduced, for each partition and for one row after them (see
     * copy_remainder_down()). */
    SCALAR *b, *a, *c, *d, *joint_x, *u, *v, *s;
    /* sub of the first tile and super of the last one, if the arrays of a transposed matrix lack an
     * element there; or NULL */
    SCALAR *first_b, *last_c;
};

static SYSTEM NAME(rows_from)(const LEVEL *l, int64_t i)
{
    return (SYSTEM){l->rows.b + i, l->rows.a + i, l->rows.c + i, l->rows.d + i};
}

/* True if the level does not fit into the cache. The result selects one of two versions of a pass,
 * which the compiler may contract differently. So it depends only on n and not on a core's share of
 * the rows: the bits must not depend on the number of cores. */
static bool NAME(is_streamed)(const LEVEL *l)
{
    return 4.0 * (double)l->n * sizeof(SCALAR) > CACHE_BYTES;
}

/* ---- one row at a time ---- */

struct NAME(row) {
    SCALAR b, a, c, d;
};
/* The scaled row i multiplied by 2^exponent is the unscaled row. */
static int NAME(row_exponent)(const LEVEL *l, int64_t i)
{
    int b = i > 0 || l->has_left ? NAME(exponent)(l->rows.b[i]) : NO_EXPONENT;
    int a = NAME(exponent)(l->rows.a[i]);
    int c = i < l->n - 1 ? NAME(exponent)(l->rows.c[i]) : NO_EXPONENT;
    int most = b > a ? b : a;
    most = c > most ? c : most;
    return most == NO_EXPONENT ? 0 : most;
}
LANES_INLINE ROW NAME(row_at)(const LEVEL *l, int64_t i, const bool scaled)
{
    SYSTEM s = l->rows;
    ROW r = {i > 0 || l->has_left ? s.b[i] : 0, s.a[i], i < l->n - 1 ? s.c[i] : 0, s.d[i]};
    if (scaled) {
        int exponent = NAME(row_exponent)(l, i);
        r.b = NAME(scaled)(r.b, -exponent);
        r.a = NAME(scaled)(r.a, -exponent);
        r.c = NAME(scaled)(r.c, -exponent);
        r.d = NAME(scaled)(r.d, l->rhs_exponent - exponent);
    }
    return r;
}
/* 1/pivot. For a scaled row, no intermediate result leaves the range of the type, and the result is
 * NaN if the pivot is below LEAST, where flushing to zero makes it inaccurate. */
LANES_INLINE SCALAR NAME(inverse_checked)(SCALAR pivot, const bool scaled)
{
    if (!scaled)
        return NAME(inverse_of)(pivot);
    int exponent = NAME(exponent)(pivot);
    SCALAR q = NAME(scaled)(NAME(inverse_of)(NAME(scaled)(pivot, -exponent)), -exponent);
    return NAME(abs1)(pivot) >= LEAST ? q : (SCALAR)NAN;
}

/* Forward elimination of the Thomas algorithm, for the rows first … first + m - 1. They become
 * x_i + w_i x_{i+1} = y_i. `left` is x of the row before the first one. Returns the first row with
 * a bad pivot, or NO_ROW. */
LANES_INLINE int64_t NAME(thomas_rows)(const LEVEL *l, int64_t first, int64_t m, SCALAR left,
                                       SCALAR *w, SCALAR *y, RANGE *range, const bool scaled)
{
    SCALAR c = 0, d = left;
    int64_t bad = NO_ROW;
    REAL pivots = 0, x = 0;
    bool grown = false;
    for (int64_t i = 0; i < m; i++) {
        ROW r = NAME(row_at)(l, first + i, scaled);
        SCALAR term = r.b * c, pivot = r.a - term, q = NAME(inverse_checked)(pivot, scaled);
        if (bad == NO_ROW && !NAME(pivot_ok)(pivot, r.a, term, q))
            bad = first + i;
        grown |= !(NAME(abs1)(term) <= 4 * (NAME(abs1)(r.b) + NAME(abs1)(r.a) + NAME(abs1)(r.c)));
        w[i] = c = r.c * q;
        y[i] = d = (r.d - r.b * d) * q;
        pivots += NAME(square)(q);
        x += NAME(abs1)(d);
    }
    NAME(add_range)(range, (RANGE){pivots, x / (REAL)m, bad != NO_ROW || !(x <= MAX), grown});
    return bad;
}
NOT_INLINE int64_t NAME(thomas_down)(const LEVEL *l, int64_t first, int64_t m, SCALAR left,
                                     SCALAR *w, SCALAR *y, RANGE *range, bool scaled)
{
    return scaled ? NAME(thomas_rows)(l, first, m, left, w, y, range, true)
                  : NAME(thomas_rows)(l, first, m, left, w, y, range, false);
}
/* Back substitution of the Thomas algorithm: x_i = y_i - w_i x_{i+1} from i = m - 1 to 0. x[m] is
 * given. */
NOT_INLINE void NAME(thomas_up)(int64_t m, const SCALAR *w, const SCALAR *y, SCALAR *x)
{
    for (int64_t i = m - 1; i >= 0; i--)
        x[i] = y[i] - w[i] * x[i + 1];
}

/* A partition reduced to two equations (L22 Table 1: RD, JD, RU and JU). Row J is its last row, its
 * joint line. x_left is x of the joint line before the partition, x_first is x of its first row:
 *
 *   b x_left + a x_J + c x_{J+1} = d,   x_first = u + v x_J - s x_left */
struct NAME(reduced) {
    SCALAR b, a, c, d, u, v, s;
};
LANES_INLINE REDUCED NAME(reduce_rows)(const LEVEL *l, int64_t first, int64_t m, int64_t *bad,
                                       RANGE *range, const bool scaled)
{
    SCALAR c = 0, d = 0, s = -1, u = 0, v = 1, all_s = 0;
    REAL pivots = 0, x = 0;
    *bad = NO_ROW;
    for (int64_t i = 0; i < m - 1; i++) {
        ROW r = NAME(row_at)(l, first + i, scaled);
        SCALAR term = i > 0 ? r.b * c : 0, pivot = r.a - term;
        SCALAR q = NAME(inverse_checked)(pivot, scaled);
        if (*bad == NO_ROW && !NAME(pivot_ok)(pivot, r.a, term, q))
            *bad = first + i;
        c = r.c * q;
        d = (r.d - (i > 0 ? r.b * d : 0)) * q;
        s = -(r.b * s) * q;
        u += v * d;
        all_s += v * s;
        v = -v * c;
        pivots += NAME(square)(q);
        x += NAME(abs1)(d);
    }
    NAME(add_range)(range, (RANGE){pivots, x / (REAL)m, *bad != NO_ROW || !(x <= MAX), false});
    ROW r = NAME(row_at)(l, first + m - 1, scaled);
    return (REDUCED){-(r.b * s), r.a - r.b * c, r.c, r.d - r.b * d, u, v, all_s};
}
NOT_INLINE REDUCED NAME(reduce_partition)(const LEVEL *l, int64_t first, int64_t m, int64_t *bad,
                                          RANGE *range, bool scaled)
{
    return scaled ? NAME(reduce_rows)(l, first, m, bad, range, true)
                  : NAME(reduce_rows)(l, first, m, bad, range, false);
}
