/* The bodies of tridiagonal_cpu.c for one type: REAL, EPSILON, MIN, COMPLEX, NAME and LANES (names of
 * lanes.h) are set by it. Order: words; the type's range; a level; one row at a time; tiles; first
 * pass; joint lines; second pass; whole solvers. */

/* ---- words: of one lane, scalar; of all lanes of a vector, word ---- */

#define VEC  LANES(lanes_vec)
#define W    ((int)(LANES_BYTES / sizeof(REAL)))
#define PART (1 + COMPLEX) /* reals a word */
#if COMPLEX
typedef REAL complex NAME(scalar);
typedef struct {
    VEC re, im;
} NAME(word);
#else
typedef REAL NAME(scalar);
typedef VEC NAME(word);
#endif
#define SCALAR  NAME(scalar)
#define WORD    NAME(word)
#define SYSTEM  struct NAME(rows)
#define ENDS    struct NAME(ends)
#define LEVEL   struct NAME(level)
#define LEVELS  struct NAME(levels)
#define SQUARES struct NAME(squares)
#define ROW     struct NAME(one_row)
#define RANGE   struct NAME(range)
#define MASK    NAME(mask)
/* What is this small leaves the type's range when it is worked with: flushing is an error of MIN,
 * which of this is a part of EPSILON/64. */
#define LEAST (64 * MIN / EPSILON)
typedef __typeof__((VEC){0} < (VEC){0}) MASK;

/* |most| or |a|, whichever is larger; not of NaN. */
LANES_INLINE VEC NAME(larger)(VEC most, VEC a)
{
    VEC size = (VEC)((MASK)a & ~(MASK)(-(VEC){0}));
    MASK is_larger = size > most;
    return (VEC)(((MASK)size & is_larger) | ((MASK)most & ~is_larger));
}

/* Sums: of |a/pivot|^2, which is large or NaN where the pivot is bad; of |pivot|^2 + |1/pivot|^2,
 * which is large where one of them is. */
struct NAME(sums) {
    VEC ratios, sizes;
};

#if COMPLEX
LANES_INLINE WORD NAME(times)(WORD a, WORD b)
{
    return (WORD){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
LANES_INLINE WORD NAME(plus)(WORD a, WORD b)
{
    return (WORD){a.re + b.re, a.im + b.im};
}
LANES_INLINE WORD NAME(minus)(WORD a, WORD b)
{
    return (WORD){a.re - b.re, a.im - b.im};
}
/* One division; |a|^2 must neither overflow nor vanish. */
LANES_INLINE WORD NAME(inverse)(WORD a)
{
    VEC factor = 1 / (a.re * a.re + a.im * a.im);
    return (WORD){a.re * factor, -a.im * factor};
}
LANES_INLINE WORD NAME(inverse_noted)(WORD pivot, WORD a, struct NAME(sums) * sums)
{
    VEC square = pivot.re * pivot.re + pivot.im * pivot.im, factor = 1 / square;
    sums->ratios += (a.re * a.re + a.im * a.im) * factor;
    sums->sizes += square;
    sums->sizes += factor;
    return (WORD){pivot.re * factor, -pivot.im * factor};
}
LANES_INLINE VEC NAME(larger_word)(VEC most, WORD a)
{
    return NAME(larger)(NAME(larger)(most, a.re), a.im);
}
/* 0, or NaN where a is infinite or NaN. */
LANES_INLINE VEC NAME(nothing)(WORD a)
{
    return (a.re - a.re) + (a.im - a.im);
}
LANES_INLINE WORD NAME(constant)(REAL value)
{
    return (WORD){(VEC){0} + value, (VEC){0}};
}
/* Row r of a square: its parts are W rows of it. */
LANES_INLINE WORD NAME(row)(const VEC m[W], int r)
{
    return (WORD){m[2 * r], m[2 * r + 1]};
}
LANES_INLINE void NAME(set_row)(VEC m[W], int r, WORD a)
{
    m[2 * r] = a.re;
    m[2 * r + 1] = a.im;
}
LANES_INLINE void NAME(store_words)(SCALAR *to, WORD a)
{
    for (int k = 0; k < W; k++) {
        ((REAL *)to)[2 * k] = a.re[k];
        ((REAL *)to)[2 * k + 1] = a.im[k];
    }
}
LANES_INLINE WORD NAME(load_words)(const SCALAR *from)
{
    WORD a = NAME(constant)(0); /* to gcc 14 setting one element reads the others */
    for (int k = 0; k < W; k++) {
        a.re[k] = ((const REAL *)from)[2 * k];
        a.im[k] = ((const REAL *)from)[2 * k + 1];
    }
    return a;
}
static inline REAL NAME(absolute)(REAL a)
{
    return a < 0 ? -a : a;
}
static inline SCALAR NAME(inverse_of)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1], factor = 1 / (re * re + im * im);
    SCALAR inverse;
    ((REAL *)&inverse)[0] = re * factor;
    ((REAL *)&inverse)[1] = -im * factor;
    return inverse;
}
static inline REAL NAME(size)(SCALAR a)
{
    return NAME(absolute)(((REAL *)&a)[0]) + NAME(absolute)(((REAL *)&a)[1]);
}
static inline REAL NAME(square)(SCALAR a)
{
    REAL re = ((REAL *)&a)[0], im = ((REAL *)&a)[1];
    return re * re + im * im;
}
#else
LANES_INLINE WORD NAME(times)(WORD a, WORD b)
{
    return a * b;
}
LANES_INLINE WORD NAME(plus)(WORD a, WORD b)
{
    return a + b;
}
LANES_INLINE WORD NAME(minus)(WORD a, WORD b)
{
    return a - b;
}
LANES_INLINE WORD NAME(inverse)(WORD a)
{
    return 1 / a;
}
LANES_INLINE WORD NAME(inverse_noted)(WORD pivot, WORD a, struct NAME(sums) * sums)
{
    WORD q = 1 / pivot, ratio = a * q;
    sums->ratios += ratio * ratio;
    sums->sizes += pivot * pivot;
    sums->sizes += q * q;
    return q;
}
LANES_INLINE VEC NAME(larger_word)(VEC most, WORD a)
{
    return NAME(larger)(most, a);
}
LANES_INLINE VEC NAME(nothing)(WORD a)
{
    return a - a;
}
LANES_INLINE WORD NAME(constant)(REAL value)
{
    return (VEC){0} + value;
}
LANES_INLINE WORD NAME(row)(const VEC m[W], int r)
{
    return m[r];
}
LANES_INLINE void NAME(set_row)(VEC m[W], int r, WORD a)
{
    m[r] = a;
}
LANES_INLINE void NAME(store_words)(SCALAR *to, WORD a)
{
    LANES(lanes_store)(to, a);
}
LANES_INLINE WORD NAME(load_words)(const SCALAR *from)
{
    return LANES(lanes_load)(from);
}
static inline SCALAR NAME(inverse_of)(SCALAR a)
{
    return 1 / a;
}
static inline REAL NAME(size)(SCALAR a)
{
    return a < 0 ? -a : a;
}
static inline REAL NAME(square)(SCALAR a)
{
    return a * a;
}
#endif

/* A pivot is good if it is more than the rounding of its terms and has an inverse that is a number and not 0; NaN is not. */
static inline bool NAME(is_good)(SCALAR pivot, SCALAR a, SCALAR term, SCALAR inverse)
{
    REAL zero = NAME(size)(inverse) - NAME(size)(inverse);
    return NAME(size)(pivot) > EPSILON * (NAME(size)(a) + NAME(size)(term)) && zero == 0 &&
           NAME(size)(inverse) > 0;
}

/* Of what is not inlined there is one copy, contracted in one way: one core and several give the same bits. */
#define NOT_INLINE static __attribute__((noinline))

/* ---- the type's range ----
 *
 * All is first done with the rows as they are, and it is noted how small pivots and x are. Where
 * something may have left the type's range all is done again, one row at a time and scaled: each
 * row by the power of two that makes its largest coefficient 1/2 to 1, rhs by one more, which makes
 * the largest of the scaled ones 1/2 to 1, so that x is 2^-shift times what it shall be. */

/* Of the rows as they are. */
struct NAME(range) {
    REAL sizes; /* the largest |pivot|^2 + |1/pivot|^2, or a sum with it */
    REAL x; /* no more than the largest |x|, or little more: words of x as rows alone have them */
    bool suspect; /* a pivot is bad, or something not a number */
};
static void NAME(add_range)(RANGE *to, RANGE of)
{
    to->sizes = of.sizes > to->sizes ? of.sizes : to->sizes;
    to->x = of.x > to->x ? of.x : to->x;
    to->suspect |= of.suspect;
}
/* Pivots and, of complex numbers, their squares are so large that what was flushed is nothing
 * beside them. */
static bool NAME(has_good_pivots)(RANGE of)
{
    return !of.suspect && of.sizes <= 1 / LEAST;
}
/* And so is x, beside what was flushed in rhs and that over a pivot. */
static bool NAME(has_good_x)(RANGE of)
{
    REAL ratio = of.x / LEAST;
    return ratio >= 1 && ratio * ratio >= of.sizes;
}

static SCALAR NAME(scaled)(SCALAR a, int exponent)
{
    struct power by = power_of_two(exponent);
    SCALAR result;
    for (int k = 0; k < PART; k++)
        ((REAL *)&result)[k] = (REAL)(((REAL *)&a)[k] * by.half[0] * by.half[1]);
    return result;
}
/* The least exponent with |parts of a| < 2^exponent; NO_EXPONENT if a is 0 or not a number. */
static int NAME(exponent)(SCALAR a)
{
    int most = NO_EXPONENT;
    for (int k = 0; k < PART; k++) {
        int here = exponent_of((double)((REAL *)&a)[k]);
        most = here > most ? here : most;
    }
    return most;
}

/* ---- a level: rows in tiles, their joint lines ---- */

/* Vectors side by side in a tile, whose chains of dependent operations fill each other's gaps. */
#define VECTORS     2
#define TILE_LANES  (VECTORS * W)
#define SQUARE      (W / PART) /* rows of a square of W reals by W lanes */
#define EACH_VECTOR LANES_UNROLL for (int v = 0; v < VECTORS; v++)
/* Rows of a lane where there are too few for ROWS. */
#define ROWS_FEW (SQUARE > 8 ? SQUARE : 8)
/* Fewer rows than this are no tile, or faster by Thomas. */
#define ROWS_LEAST (TILE_LANES * ROWS_FEW > 64 ? TILE_LANES * ROWS_FEW : 64)

/* sub, diag, super, rhs from some row on. */
struct NAME(rows) {
    const SCALAR *b, *a, *c, *d;
};

/* Lane k of tile t has the rows t TILE_LANES r + k r … + r - 1, the last of them a joint line: line t TILE_LANES + k of the next level.
 * The rows that fill no tile are lines of the next level as they are. */
struct NAME(level) {
    int64_t n, tiles;
    int r;         /* ROWS or ROWS_FEW */
    bool has_left; /* sub_0 belongs to x of a row before */
    int more; /* exponent by which rhs is multiplied, besides its row's, where rows are scaled */
    SYSTEM rows;
    SCALAR *x;
    /* the next level's rows and their x; of each block u, v, s, and one more */
    SCALAR *b, *a, *c, *d, *joint_x, *u, *v, *s;
};

static SYSTEM NAME(rows_from)(const LEVEL *l, int64_t i)
{
    return (SYSTEM){l->rows.b + i, l->rows.a + i, l->rows.c + i, l->rows.d + i};
}

/* ---- one row at a time ---- */

struct NAME(one_row) {
    SCALAR b, a, c, d;
};
/* The exponent that takes scaled row i back. */
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
    ROW r = {i > 0 || l->has_left ? s.b[i] : 0, s.a[i], s.c[i], s.d[i]};
    if (scaled) {
        int exponent = NAME(row_exponent)(l, i);
        r.b = NAME(scaled)(r.b, -exponent);
        r.a = NAME(scaled)(r.a, -exponent);
        r.c = i < l->n - 1 ? NAME(scaled)(r.c, -exponent) : 0;
        r.d = NAME(scaled)(r.d, l->more - exponent);
    }
    return r;
}
/* 1/pivot. In a scaled row with no square that leaves the range, and NaN for a pivot that is no
 * more than the flushing of its terms. */
LANES_INLINE SCALAR NAME(inverse_in)(SCALAR pivot, const bool scaled)
{
    if (!scaled)
        return NAME(inverse_of)(pivot);
    int exponent = NAME(exponent)(pivot);
    SCALAR q = NAME(scaled)(NAME(inverse_of)(NAME(scaled)(pivot, -exponent)), -exponent);
    return NAME(size)(pivot) >= LEAST ? q : (SCALAR)NAN;
}

/* Thomas down the rows first … first + m - 1: x_i + c'_i x_{i+1} = y_i, in w and y; x of the row
 * before is `left`. The first row with a bad pivot or NO_ROW. */
LANES_INLINE int64_t NAME(down)(const LEVEL *l, int64_t first, int64_t m, SCALAR left, SCALAR *w,
                                SCALAR *y, RANGE *range, const bool scaled)
{
    SCALAR c = 0, d = left;
    int64_t bad = NO_ROW;
    REAL sizes = 0, x = 0;
    for (int64_t i = 0; i < m; i++) {
        ROW r = NAME(row_at)(l, first + i, scaled);
        SCALAR term = r.b * c, pivot = r.a - term, q = NAME(inverse_in)(pivot, scaled);
        if (bad == NO_ROW && !NAME(is_good)(pivot, r.a, term, q))
            bad = first + i;
        w[i] = c = r.c * q;
        y[i] = d = (r.d - r.b * d) * q;
        sizes += NAME(square)(q);
        x += NAME(size)(d);
    }
    NAME(add_range)(range, (RANGE){sizes, x / (REAL)m, bad != NO_ROW || !(x <= MAX)});
    return bad;
}
NOT_INLINE int64_t NAME(down_as_is)(const LEVEL *l, int64_t first, int64_t m, SCALAR left,
                                    SCALAR *w, SCALAR *y, RANGE *range)
{
    return NAME(down)(l, first, m, left, w, y, range, false);
}
NOT_INLINE int64_t NAME(down_scaled)(const LEVEL *l, int64_t first, int64_t m, SCALAR left,
                                     SCALAR *w, SCALAR *y, RANGE *range)
{
    return NAME(down)(l, first, m, left, w, y, range, true);
}
/* And up, from x_m on. */
NOT_INLINE void NAME(up)(int64_t m, const SCALAR *w, const SCALAR *y, SCALAR *x)
{
    for (int64_t i = m - 1; i >= 0; i--)
        x[i] = y[i] - w[i] * x[i + 1];
}

/* What a block leaves of its rows, x_left before them and its last row J being joint lines (L22:
 * RD, JD, RU, JU):
 *
 *   b x_left + a x_J + c x_{J+1} = d,   x_first = u + v x_J - s x_left */
struct NAME(ends) {
    SCALAR b, a, c, d, u, v, s;
};
LANES_INLINE ENDS NAME(block)(const LEVEL *l, int64_t first, int64_t m, int64_t *bad, RANGE *range,
                              const bool scaled)
{
    SCALAR c = 0, d = 0, s = -1, u = 0, v = 1, all_s = 0;
    REAL sizes = 0, x = 0;
    *bad = NO_ROW;
    for (int64_t i = 0; i < m - 1; i++) {
        ROW r = NAME(row_at)(l, first + i, scaled);
        SCALAR term = i > 0 ? r.b * c : 0, pivot = r.a - term;
        SCALAR q = NAME(inverse_in)(pivot, scaled);
        if (*bad == NO_ROW && !NAME(is_good)(pivot, r.a, term, q))
            *bad = first + i;
        c = r.c * q;
        d = (r.d - (i > 0 ? r.b * d : 0)) * q;
        s = -(r.b * s) * q;
        u += v * d;
        all_s += v * s;
        v = -v * c;
        sizes += NAME(square)(q);
        x += NAME(size)(d);
    }
    NAME(add_range)(range, (RANGE){sizes, x / (REAL)m, *bad != NO_ROW || !(x <= MAX)});
    ROW r = NAME(row_at)(l, first + m - 1, scaled);
    return (ENDS){-(r.b * s), r.a - r.b * c, r.c, r.d - r.b * d, u, v, all_s};
}
NOT_INLINE ENDS NAME(block_as_is)(const LEVEL *l, int64_t first, int64_t m, int64_t *bad,
                                  RANGE *range)
{
    return NAME(block)(l, first, m, bad, range, false);
}
NOT_INLINE ENDS NAME(block_scaled)(const LEVEL *l, int64_t first, int64_t m, int64_t *bad,
                                   RANGE *range)
{
    return NAME(block)(l, first, m, bad, range, true);
}

/* ---- tiles ---- */

/* Square j of the 4 VECTORS that hold SQUARE rows of every lane: array j / VECTORS, vector j % VECTORS. */
struct NAME(squares) {
    VEC m[4][VECTORS][W];
};
LANES_INLINE void NAME(load_square)(const SYSTEM *tile, int r, int row, int j, SQUARES *to)
{
    const SCALAR *const arrays[] = {tile->b, tile->a, tile->c, tile->d};
    const SCALAR *from = arrays[j / VECTORS] + (j % VECTORS) * W * r + row;
    LANES(lanes_load_square)((const REAL *)from, r * PART, to->m[j / VECTORS][j % VECTORS]);
}
/* Before row i of the present rows: its share of the squares of the next ones, so that loading and shuffling go on while
 * the chain of divisions waits. */
#define NEXT_SQUARES(i)                                                                            \
    LANES_UNROLL for (int j = (i)*4 * VECTORS / SQUARE; j < ((i) + 1) * 4 * VECTORS / SQUARE; j++)

/* Before row i of the rows from `row` on: its share of the lines of memory that lie one tile further, or one before. */
LANES_INLINE void NAME(fetch)(const void *array, int64_t words, int row, int i, int to_write)
{
    enum { LINES = TILE_LANES * LANES_BYTES / LANES_LINE };
    uintptr_t from = (uintptr_t)array + (uintptr_t)(words + row * TILE_LANES) * sizeof(SCALAR);
    int line = i * LINES / SQUARE;
    lanes_fetch(from + (uintptr_t)line * LANES_LINE, (i + 1) * LINES / SQUARE - line, to_write);
}
LANES_INLINE void NAME(fetch_rows)(const SYSTEM *tile, int64_t words, int row, int i)
{
    NAME(fetch)(tile->b, words, row, i, 0);
    NAME(fetch)(tile->a, words, row, i, 0);
    NAME(fetch)(tile->c, words, row, i, 0);
    NAME(fetch)(tile->d, words, row, i, 0);
}

/* sub_0 of the whole is not to be used: it may be anything. */
LANES_INLINE void NAME(forget_first)(const LEVEL *l, int64_t t, int row, SQUARES *now)
{
    if (t == 0 && row == 0 && !l->has_left)
        for (int k = 0; k < PART; k++)
            now->m[0][0][k][0] = 0;
}

/* ---- first pass: block() in every lane ---- */

/* Tiles from … to - 1 with r rows a lane; far: the level does not fit the cache. */
LANES_INLINE RANGE NAME(reduce)(const LEVEL *l, int64_t from, int64_t to, const int r,
                                const int far)
{
    SQUARES squares[2];
    const WORD zero = NAME(constant)(0), one = NAME(constant)(1);
    WORD c[VECTORS], d[VECTORS], s[VECTORS], u[VECTORS], w[VECTORS], all_s[VECTORS];
    struct NAME(sums) sums[VECTORS];
    VEC most_sizes = {0}, most_x = {0};
    MASK suspect = (MASK)most_x;
    int now = 0;
    SYSTEM here = NAME(rows_from)(l, from * TILE_LANES * r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    for (int64_t t = from; t < to; t++) {
        SYSTEM following = NAME(rows_from)(l, (t + 1 < to ? t + 1 : t) * TILE_LANES * r);
        EACH_VECTOR
        {
            c[v] = d[v] = u[v] = all_s[v] = zero;
            w[v] = one;
            s[v] = NAME(minus)(zero, one);
            sums[v] = (struct NAME(sums)){{0}, {0}};
        }
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(forget_first)(l, t, row, at);
            LANES_UNROLL for (int i = 0; i < SQUARE; i++)
            {
                NEXT_SQUARES(i)
                NAME(load_square)(more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (far)
                    NAME(fetch_rows)(&here, TILE_LANES * r, row, i);
                if (i == SQUARE - 1 && !more)
                    break; /* the joint line */
                EACH_VECTOR
                {
                    WORD b = NAME(row)(at->m[0][v], i), a = NAME(row)(at->m[1][v], i);
                    WORD q = NAME(inverse_noted)(NAME(minus)(a, NAME(times)(b, c[v])), a, &sums[v]);
                    c[v] = NAME(times)(NAME(row)(at->m[2][v], i), q);
                    d[v] = NAME(times)(NAME(minus)(NAME(row)(at->m[3][v], i), NAME(times)(b, d[v])),
                                       q);
                    s[v] = NAME(times)(NAME(minus)(zero, NAME(times)(b, s[v])), q);
                    u[v] = NAME(plus)(u[v], NAME(times)(w[v], d[v]));
                    all_s[v] = NAME(plus)(all_s[v], NAME(times)(w[v], s[v]));
                    w[v] = NAME(minus)(zero, NAME(times)(w[v], c[v]));
                }
            }
        }
        SQUARES *last = &squares[!now];
        EACH_VECTOR
        {
            int64_t j = t * TILE_LANES + v * W;
            WORD b = NAME(row)(last->m[0][v], SQUARE - 1), a = NAME(row)(last->m[1][v], SQUARE - 1);
            WORD rhs = NAME(row)(last->m[3][v], SQUARE - 1);
            NAME(store_words)(l->b + j, NAME(minus)(zero, NAME(times)(b, s[v])));
            NAME(store_words)(l->a + j, NAME(minus)(a, NAME(times)(b, c[v])));
            NAME(store_words)(l->c + j, NAME(row)(last->m[2][v], SQUARE - 1));
            NAME(store_words)(l->d + j, NAME(minus)(rhs, NAME(times)(b, d[v])));
            NAME(store_words)(l->u + j, u[v]);
            NAME(store_words)(l->v + j, w[v]);
            NAME(store_words)(l->s + j, all_s[v]);
            /* is_good() fails only where |a/pivot| is 1/(2 EPSILON) or more, or not a number; in a
             * sum that stays, and so does in u what is not a number. Of x stands u, in which is all
             * of d, for all. */
            suspect |= ~(sums[v].ratios + NAME(nothing)(u[v]) < 1 / (16 * EPSILON * EPSILON));
            most_sizes = NAME(larger)(most_sizes, sums[v].sizes);
            most_x = NAME(larger_word)(most_x, u[v]);
        }
        here = following;
    }
    RANGE range = {0, 0, false};
    for (int k = 0; k < W; k++)
        NAME(add_range)(&range, (RANGE){most_sizes[k], most_x[k], suspect[k] != 0});
    return range;
}
NOT_INLINE RANGE NAME(reduce_near)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS, 0);
}
NOT_INLINE RANGE NAME(reduce_far)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS, 1);
}
NOT_INLINE RANGE NAME(reduce_few)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS_FEW, 0);
}

/* The same of scaled rows. The first bad row or NO_ROW. */
static int64_t NAME(reduce_scaled)(const LEVEL *l, int64_t from, int64_t to)
{
    int64_t first_bad = NO_ROW;
    RANGE range = {0, 0, false};
    for (int64_t k = from * TILE_LANES; k < to * TILE_LANES; k++) {
        int64_t bad;
        ENDS e = NAME(block_scaled)(l, k * l->r, l->r, &bad, &range);
        first_bad = bad < first_bad ? bad : first_bad;
        l->b[k] = e.b;
        l->a[k] = e.a;
        l->c[k] = e.c;
        l->d[k] = e.d;
        l->u[k] = e.u;
        l->v[k] = e.v;
        l->s[k] = e.s;
    }
    return first_bad;
}

/* The joint lines of tiles from … to - 1 when all tiles are reduced: x_{J+1} by the block after J. In vectors, so that a
 * line's bits do not depend on which core has it. */
NOT_INLINE void NAME(join)(const LEVEL *l, int64_t from, int64_t to)
{
    if (from < to && to * TILE_LANES * l->r == l->n)
        l->c[to * TILE_LANES - 1] = 0; /* super of the last row is not to be used */
    for (int64_t j = from * TILE_LANES; j < to * TILE_LANES; j += W) {
        WORD c = NAME(load_words)(l->c + j), u = NAME(load_words)(l->u + j + 1);
        WORD v = NAME(load_words)(l->v + j + 1), s = NAME(load_words)(l->s + j + 1);
        WORD a = NAME(load_words)(l->a + j), d = NAME(load_words)(l->d + j);
        NAME(store_words)(l->a + j, NAME(minus)(a, NAME(times)(c, s)));
        NAME(store_words)(l->d + j, NAME(minus)(d, NAME(times)(c, u)));
        NAME(store_words)(l->c + j, NAME(times)(c, v));
    }
}
/* The rows that fill no tile. The first of them follows the last block as it is: x_{J+1} = 0 + 1 x - 0. */
static void NAME(hand_on)(const LEVEL *l, bool scaled)
{
    int64_t lines = l->tiles * TILE_LANES, done = lines * l->r;
    size_t bytes = (size_t)(l->n - done) * sizeof(SCALAR);
    SYSTEM rest = NAME(rows_from)(l, done);
    memcpy(l->b + lines, rest.b, bytes);
    memcpy(l->a + lines, rest.a, bytes);
    memcpy(l->c + lines, rest.c, bytes);
    memcpy(l->d + lines, rest.d, bytes);
    for (int64_t i = 0; scaled && i < l->n - done; i++) {
        ROW r = NAME(row_at)(l, done + i, true);
        l->b[lines + i] = r.b;
        l->a[lines + i] = r.a;
        l->c[lines + i] = r.c;
        l->d[lines + i] = r.d;
    }
    l->u[lines] = l->s[lines] = 0;
    l->v[lines] = 1;
}

/* ---- second pass: down again, with x of the joint line before each block, and up ---- */

/* From the last tile to the first: what the first pass read last is still in the cache. */
LANES_INLINE void NAME(substitute)(const LEVEL *l, int64_t from, int64_t to, const int r,
                                   const int far)
{
    SQUARES squares[2];
    WORD w[ROWS][VECTORS], y[ROWS][VECTORS], c[VECTORS], d[VECTORS], x[VECTORS];
    int now = 0;
    SYSTEM here = NAME(rows_from)(l, (to - 1) * TILE_LANES * r);
    for (int j = 0; j < 4 * VECTORS; j++)
        NAME(load_square)(&here, r, 0, j, &squares[0]);
    for (int64_t t = to - 1; t >= from; t--) {
        SYSTEM following = NAME(rows_from)(l, (t > from ? t - 1 : t) * TILE_LANES * r);
        SCALAR *x_here = l->x + t * TILE_LANES * r;
        EACH_VECTOR
        {
            c[v] = NAME(constant)(0);
            d[v] = NAME(load_words)(l->joint_x + t * TILE_LANES + v * W - 1);
            x[v] = NAME(load_words)(l->joint_x + t * TILE_LANES + v * W);
        }
        for (int row = 0; row < r; row += SQUARE, now = !now) {
            SQUARES *at = &squares[now], *next = &squares[!now];
            bool more = row + SQUARE < r;
            NAME(forget_first)(l, t, row, at);
            LANES_UNROLL for (int i = 0; i < SQUARE; i++)
            {
                NEXT_SQUARES(i)
                NAME(load_square)(more ? &here : &following, r, more ? row + SQUARE : 0, j, next);
                if (far) {
                    NAME(fetch_rows)(&here, -TILE_LANES * r, row, i);
                    NAME(fetch)(x_here, -TILE_LANES * r, row, i, 1);
                }
                EACH_VECTOR
                {
                    WORD b = NAME(row)(at->m[0][v], i), a = NAME(row)(at->m[1][v], i);
                    WORD q = NAME(inverse)(NAME(minus)(a, NAME(times)(b, c[v])));
                    w[row + i][v] = c[v] = NAME(times)(NAME(row)(at->m[2][v], i), q);
                    y[row + i][v] = d[v] = NAME(times)(
                        NAME(minus)(NAME(row)(at->m[3][v], i), NAME(times)(b, d[v])), q);
                }
            }
        }
        EACH_VECTOR
        {
            w[r - 1][v] = NAME(constant)(0); /* x of the joint line is known */
            y[r - 1][v] = x[v];
        }
        for (int row = r - SQUARE; row >= 0; row -= SQUARE) {
            VEC out[VECTORS][W];
            LANES_UNROLL for (int i = SQUARE - 1; i >= 0; i--) EACH_VECTOR
            {
                x[v] = NAME(minus)(y[row + i][v], NAME(times)(w[row + i][v], x[v]));
                NAME(set_row)(out[v], i, x[v]);
            }
            EACH_VECTOR LANES(lanes_store_square)((REAL *)(x_here + v * W * r + row), r * PART,
                                                  out[v]);
        }
        here = following;
    }
}
NOT_INLINE void NAME(substitute_near)(const LEVEL *l, int64_t from, int64_t to)
{
    NAME(substitute)(l, from, to, ROWS, 0);
}
NOT_INLINE void NAME(substitute_far)(const LEVEL *l, int64_t from, int64_t to)
{
    NAME(substitute)(l, from, to, ROWS, 1);
}
NOT_INLINE void NAME(substitute_few)(const LEVEL *l, int64_t from, int64_t to)
{
    NAME(substitute)(l, from, to, ROWS_FEW, 0);
}
/* The same of scaled rows. */
static void NAME(substitute_scaled)(const LEVEL *l, int64_t from, int64_t to)
{
    SCALAR w[ROWS], y[ROWS];
    RANGE range = {0, 0, false};
    for (int64_t k = from * TILE_LANES; k < to * TILE_LANES; k++) {
        SCALAR *x = l->x + k * l->r;
        NAME(down_scaled)(l, k * l->r, l->r - 1, l->joint_x[k - 1], w, y, &range);
        x[l->r - 1] = l->joint_x[k];
        NAME(up)(l->r - 1, w, y, x);
    }
}
/* The lines of the next level that are rows of this one. */
static void NAME(hand_back)(const LEVEL *l)
{
    int64_t lines = l->tiles * TILE_LANES, done = lines * l->r;
    memcpy(l->x + done, l->joint_x + lines, (size_t)(l->n - done) * sizeof(SCALAR));
}

/* ---- whole solvers ---- */

/* The given rows, their joint lines, the joint lines of these, …: level[count] is left to one thread, row by row. */
struct NAME(levels) {
    LEVEL level[LEVELS_MOST + 1];
    int count, cores;
    SCALAR *w, *y;
    int64_t bad[LEVELS_MOST + 1]; /* of scaled rows */
    RANGE range;
    bool scaled, is_part;
    int shift; /* of scaled rows; NO_EXPONENT if rhs is 0 */
    ENDS ends; /* of the last level, in a part */
    struct NAME(kept) * kept;
};
/* At the begin of work, for the second pass over a part. */
struct NAME(kept) {
    RANGE range;
    bool scaled;
    int shift;
};
_Static_assert(sizeof(struct NAME(kept)) <= 64, "it has one line of memory");

/* The next `words` words of work, from a 64-byte boundary on and with 64 bytes before them. */
static SCALAR *NAME(take)(uintptr_t *work, int64_t words)
{
    uintptr_t array = *work + 64;
    *work = array + ((size_t)words * sizeof(SCALAR) + 63) / 64 * 64;
    return (SCALAR *)array;
}

/* Levels of n rows in this work; gives where it ends. */
static uintptr_t NAME(plan)(LEVELS *all, int64_t n, uintptr_t work)
{
    LEVEL *l = all->level;
    all->kept = (struct NAME(kept) *)work;
    work += 64;
    l->n = n;
    for (; l->n >= ROWS_LEAST && l < all->level + LEVELS_MOST; l++) {
        l->r = l->n >= TILE_LANES * ROWS ? ROWS : ROWS_FEW;
        l->tiles = l->n / (TILE_LANES * l->r);
        int64_t lines = l->tiles * TILE_LANES, rows = l->n - lines * (l->r - 1);
        SCALAR **const arrays[] = {&l->b, &l->a, &l->c, &l->d, &l->joint_x, &l->u, &l->v, &l->s};
        for (int i = 0; i < 8; i++)
            *arrays[i] = NAME(take)(&work, i < 5 ? rows : lines + 1);
        l[1].rows = (SYSTEM){l->b, l->a, l->c, l->d};
        l[1].x = l->joint_x;
        l[1].n = rows;
    }
    all->count = (int)(l - all->level);
    all->w = NAME(take)(&work, l->n);
    all->y = NAME(take)(&work, l->n);
    return work;
}
static size_t NAME(work_bytes)(int64_t n)
{
    LEVELS all;
    uintptr_t whole = NAME(plan)(&all, n, 0), part = n < 2 ? 0 : NAME(plan)(&all, n - 1, 0);
    return (size_t)(whole > part ? whole : part); /* a row less may make more lines */
}

/* By n alone: products and sums may be contracted in another way there. */
static bool NAME(is_far)(const LEVEL *l)
{
    return 4.0 * (double)l->n * sizeof(SCALAR) > FAR_BYTES;
}

/* What one core has found in all levels. */
static void NAME(merge)(LEVELS *all, const RANGE *range, const int64_t *bad)
{
    NAME(add_range)(&all->range, *range);
    for (int k = 0; k < all->count; k++)
        all->bad[k] = bad[k] < all->bad[k] ? bad[k] : all->bad[k];
}
/* The last level, by one core. */
static void NAME(reduce_last)(LEVELS *all)
{
    const LEVEL *l = &all->level[all->count];
    int64_t *bad = &all->bad[all->count];
    if (all->is_part)
        all->ends =
            (all->scaled ? NAME(block_scaled) : NAME(block_as_is))(l, 0, l->n, bad, &all->range);
    else
        *bad = (all->scaled ? NAME(down_scaled) : NAME(down_as_is))(l, 0, l->n, 0, all->w, all->y,
                                                                    &all->range);
}
/* All levels down, by every core of a team: each has equal shares of the tiles. */
static void NAME(reduce_levels)(LEVELS *all, int core)
{
    RANGE range = {0, 0, false};
    int64_t bad[LEVELS_MOST + 1];
    for (int k = 0; k < all->count; k++) {
        LEVEL *l = &all->level[k];
        int64_t from = l->tiles * core / all->cores, to = l->tiles * (core + 1) / all->cores;
        bad[k] = NO_ROW;
        if (all->scaled)
            bad[k] = NAME(reduce_scaled)(l, from, to);
        else if (from < to)
            NAME(add_range)
        (&range, (l->r != ROWS      ? NAME(reduce_few)
                  : NAME(is_far)(l) ? NAME(reduce_far)
                                    : NAME(reduce_near))(l, from, to));
        if (core == 0)
            NAME(hand_on)(l, all->scaled);
        barrier(all->cores);
        NAME(join)(l, from, to);
        barrier(all->cores);
    }
    if (all->cores == 1) {
        NAME(merge)(all, &range, bad);
    } else {
        OPENMP(omp critical(tridiagonal_cpu))
        NAME(merge)(all, &range, bad);
        barrier(all->cores);
    }
    if (core == 0)
        NAME(reduce_last)(all);
    barrier(all->cores);
}
/* The shift of scaled rows. */
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
/* First pass. left is for the second. */
static void NAME(first_pass)(LEVELS *all, int core, SCALAR left)
{
    (void)left;
    NAME(reduce_levels)(all, core);
    if (NAME(has_good_pivots)(all->range) && NAME(has_good_x)(all->range))
        return;
    NAME(find_shift)(all, core);
    if (NAME(has_good_pivots)(all->range) && all->shift == NO_EXPONENT)
        return; /* x is 0, as far as it comes from these rows */
    if (core == 0) {
        all->scaled = true;
        all->level[0].more = all->shift == NO_EXPONENT ? 0 : -all->shift;
    }
    barrier(all->cores);
    NAME(reduce_levels)(all, core);
}
/* And up; x before the first row is `left`. */
static void NAME(substitute_levels)(LEVELS *all, int core, SCALAR left)
{
    for (int k = all->count - 1; k >= 0; k--) {
        LEVEL *l = &all->level[k];
        int64_t from = l->tiles * core / all->cores, to = l->tiles * (core + 1) / all->cores;
        if (from == 0 && to > 0)
            l->joint_x[-1] = left;
        if (from < to)
            (all->scaled       ? NAME(substitute_scaled)
             : l->r != ROWS    ? NAME(substitute_few)
             : NAME(is_far)(l) ? NAME(substitute_far)
                               : NAME(substitute_near))(l, from, to);
        if (core == 0)
            NAME(hand_back)(l);
        barrier(all->cores);
    }
}

/* The rows of the struct but the first `skip`. */
static void NAME(open)(LEVELS *all, const struct tridiagonal_cpu *s, int64_t skip)
{
    NAME(plan)(all, s->n - skip, (uintptr_t)s->work);
    SYSTEM rows = {s->sub, s->diag, s->super, s->rhs};
    all->level[0].rows = (SYSTEM){rows.b + skip, rows.a + skip, rows.c + skip, rows.d + skip};
    all->level[0].x = (SCALAR *)s->x + skip;
    for (int k = 0; k <= all->count; k++) {
        all->level[k].has_left = skip > 0;
        all->level[k].more = 0;
        all->bad[k] = NO_ROW;
    }
    all->range = (RANGE){0, 0, false};
    all->scaled = false;
    all->is_part = skip > 0;
    all->shift = NO_EXPONENT;
    int64_t most = s->n / ROWS_A_CORE;
    all->cores = most < 1 ? 1 : most < s->cores ? (int)most : s->cores;
}

/* 1 + the first bad row of the first level that has one, as the given system counts. */
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

/* One core of a team, with subnormal results flushed; left: x before the first row. */
typedef void NAME(levels_work)(LEVELS *all, int core, SCALAR left);
static void NAME(on_core)(LEVELS *all, NAME(levels_work) * work, SCALAR left)
{
    unsigned state = lanes_begin();
    work(all, all->cores > 1 ? lanes_core() : 0, left);
    lanes_end(state);
}
static void NAME(on_cores)(LEVELS *all, NAME(levels_work) * work, SCALAR left)
{
    if (all->cores == 1) {
        NAME(on_core)(all, work, left);
        return;
    }
    OPENMP(omp parallel num_threads(all->cores))
    {
        OPENMP(omp single)
        all->cores = lanes_cores(); /* may be fewer than asked for */
        NAME(on_core)(all, work, left);
    }
}

/* x as it shall be. Not flushed: near the smallest numbers what is lost should be little. */
static void NAME(scale_back)(const LEVEL *l)
{
    for (int64_t i = 0; i < l->n; i++)
        l->x[i] = NAME(scaled)(l->x[i], -l->more);
}
static void NAME(solve_levels)(LEVELS *all, int core, SCALAR left)
{
    NAME(first_pass)(all, core, left);
    if (core == 0) {
        const LEVEL *l = &all->level[all->count];
        l->x[l->n - 1] = all->y[l->n - 1];
        NAME(up)(l->n - 1, all->w, all->y, l->x);
    }
    barrier(all->cores);
    NAME(substitute_levels)(all, core, left);
}
static long long NAME(solve)(const struct tridiagonal_cpu *s)
{
    LEVELS all;
    NAME(open)(&all, s, 0);
    if (all.count == 0)
        NAME(solve_levels)(&all, 0, 0);
    else
        NAME(on_cores)(&all, NAME(solve_levels), 0);
    if (all.scaled)
        NAME(scale_back)(&all.level[0]);
    return NAME(status)(&all, 0);
}

/* Row 0 of the part is a joint line of its own before the levels: each level tells it what x of its first row is. */
static void NAME(join_first)(struct tridiagonal_cpu_lines to, SCALAR u, SCALAR v, SCALAR s,
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
    NAME(open)(&all, s, 1);
    NAME(on_cores)(&all, NAME(first_pass), 0);
    *all.kept = (struct NAME(kept)){all.range, all.scaled, all.shift};
    SCALAR *sub = to.sub, *diag = to.diag, *super = to.super, *rhs = to.rhs;
    diag[0] = *(const SCALAR *)s->diag;
    super[0] = *(const SCALAR *)s->super;
    rhs[0] = *(const SCALAR *)s->rhs;
    int shift = -all.level[0].more, exponent = 0;
    for (int k = 0; k < all.count; k++)
        NAME(join_first)(to, all.level[k].u[0], all.level[k].v[0], all.level[k].s[0], shift);
    NAME(join_first)(to, all.ends.u, all.ends.v, all.ends.s, shift);
    for (int k = 0; all.scaled && k <= all.count; k++)
        exponent += NAME(row_exponent)(&all.level[k], all.level[k].n - 1);
    sub[0] = super[1] = 0;
    sub[1] = NAME(scaled)(all.ends.b, exponent);
    diag[1] = NAME(scaled)(all.ends.a, exponent);
    rhs[1] = NAME(scaled)(all.ends.d, exponent + shift);
    return NAME(status)(&all, 1);
}
/* The way back is scaled if the way there was, or if x around is so small that flushing shows. */
static void NAME(finish_part)(const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines lines)
{
    LEVELS all;
    const SCALAR *around = lines.x;
    SCALAR x[2] = {around[0], around[1]};
    NAME(open)(&all, s, 1);
    struct NAME(kept) kept = *all.kept;
    NAME(add_range)(&kept.range, (RANGE){0, NAME(size)(x[0]), false});
    NAME(add_range)(&kept.range, (RANGE){0, NAME(size)(x[1]), false});
    all.scaled = kept.scaled || (kept.range.x > 0 && !NAME(has_good_x)(kept.range));
    if (all.scaled) {
        int shift = kept.shift;
        for (int k = 0; k < 2; k++)
            shift = NAME(exponent)(x[k]) > shift ? NAME(exponent)(x[k]) : shift;
        shift = shift == NO_EXPONENT ? 0 : shift;
        all.level[0].more = -shift;
        for (int k = 1; k <= all.count; k++)
            all.level[k].more =
                kept.shift == NO_EXPONENT ? 0 : (kept.scaled ? kept.shift : 0) - shift;
        for (int k = 0; k < 2; k++)
            x[k] = NAME(scaled)(x[k], -shift);
    }
    LEVEL *last = &all.level[all.count];
    (all.scaled ? NAME(down_scaled) : NAME(down_as_is))(last, 0, last->n - 1, x[0], all.w, all.y,
                                                        &all.range);
    last->x[last->n - 1] = x[1];
    NAME(up)(last->n - 1, all.w, all.y, last->x);
    NAME(on_cores)(&all, NAME(substitute_levels), x[0]);
    if (all.scaled)
        NAME(scale_back)(&all.level[0]);
    SCALAR *first = s->x;
    first[0] = around[0];
    first[s->n - 1] = around[1];
}

#undef VEC
#undef W
#undef PART
#undef SCALAR
#undef WORD
#undef SYSTEM
#undef ENDS
#undef LEVEL
#undef LEVELS
#undef SQUARES
#undef VECTORS
#undef TILE_LANES
#undef SQUARE
#undef EACH_VECTOR
#undef ROWS_FEW
#undef ROWS_LEAST
#undef NEXT_SQUARES
#undef NOT_INLINE
#undef ROW
#undef RANGE
#undef MASK
#undef LEAST
