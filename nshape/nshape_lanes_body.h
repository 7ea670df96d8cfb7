/* The bodies of nshape_lanes.c for one type: REAL, EPSILON, COMPLEX, NAME and LANES (names of lanes.h) are set by it.
 * Order: words; one row at a time; a level and its tiles; first pass; joint lines; second pass; whole solvers. */

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
/* |a/pivot|^2 with q = 1/pivot, large, infinite or NaN where the pivot is bad; a mask of ones is NaN. */
LANES_INLINE VEC NAME(ratio_of)(WORD a, WORD q)
{
    VEC square = q.re * q.re + q.im * q.im;
    return (a.re * a.re + a.im * a.im) * square + (VEC)(square == 0);
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
LANES_INLINE VEC NAME(ratio_of)(WORD a, WORD q)
{
    return (a * q) * (a * q) + (VEC)(q == 0);
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

/* ---- one row at a time ---- */

/* sub, diag, super, rhs from some row on. */
struct NAME(rows) {
    const SCALAR *b, *a, *c, *d;
};

/* Thomas down the rows 0 … m - 1: x_i + c'_i x_{i+1} = x'_i, in w and x; x of the row before is `left`. The first row
 * with a bad pivot or NO_ROW. */
NOT_INLINE int64_t NAME(down)(int64_t m, const SYSTEM *s, bool has_left, SCALAR left, SCALAR *w,
                              SCALAR *x)
{
    SCALAR c = 0, d = left;
    int64_t bad = NO_ROW;
    for (int64_t i = 0; i < m; i++) {
        SCALAR below = i > 0 || has_left ? s->b[i] : 0, a = s->a[i], term = below * c,
               pivot = a - term;
        SCALAR q = NAME(inverse_of)(pivot);
        if (bad == NO_ROW && !NAME(is_good)(pivot, a, term, q))
            bad = i;
        w[i] = c = s->c[i] * q;
        x[i] = d = (s->d[i] - below * d) * q;
    }
    return bad;
}
/* And up, from x_m on. */
NOT_INLINE void NAME(up)(int64_t m, const SCALAR *w, SCALAR *x)
{
    for (int64_t i = m - 1; i >= 0; i--)
        x[i] -= w[i] * x[i + 1];
}

/* What a block leaves of its rows, x_left before them and its last row J being joint lines (L22: RD, JD, RU, JU):
 *
 *   b x_left + a x_J + c x_{J+1} = d,   x_first = u + v x_J - s x_left */
struct NAME(ends) {
    SCALAR b, a, d, u, v, s;
};
NOT_INLINE ENDS NAME(block)(int64_t m, const SYSTEM *r, int64_t *bad)
{
    SCALAR c = 0, d = 0, s = -1, u = 0, v = 1, all_s = 0;
    *bad = NO_ROW;
    for (int64_t i = 0; i < m - 1; i++) {
        SCALAR b = r->b[i], a = r->a[i], term = i > 0 ? b * c : 0, pivot = a - term;
        SCALAR q = NAME(inverse_of)(pivot);
        if (*bad == NO_ROW && !NAME(is_good)(pivot, a, term, q))
            *bad = i;
        c = r->c[i] * q;
        d = (r->d[i] - (i > 0 ? b * d : 0)) * q;
        s = -(b * s) * q;
        u += v * d;
        all_s += v * s;
        v = -v * c;
    }
    SCALAR b = r->b[m - 1];
    return (ENDS){-(b * s), r->a[m - 1] - b * c, r->d[m - 1] - b * d, u, v, all_s};
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

/* Lane k of tile t has the rows t TILE_LANES r + k r … + r - 1, the last of them a joint line: line t TILE_LANES + k of the next level.
 * The rows that fill no tile are lines of the next level as they are. */
struct NAME(level) {
    int64_t n, tiles;
    int r;         /* ROWS or ROWS_FEW */
    bool has_left; /* sub_0 belongs to x of a row before */
    SYSTEM rows;
    SCALAR *x;
    /* the next level's rows and their x; of each block u, v, s, and one more */
    SCALAR *b, *a, *c, *d, *joint_x, *u, *v, *s;
};

static SYSTEM NAME(rows_from)(const LEVEL *l, int64_t i)
{
    return (SYSTEM){l->rows.b + i, l->rows.a + i, l->rows.c + i, l->rows.d + i};
}

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

/* The first bad row between the joint lines of these tiles, one row at a time. */
static int64_t NAME(find_bad)(const LEVEL *l, int64_t from, int64_t to)
{
    for (int64_t k = from * TILE_LANES; k < to * TILE_LANES; k++) {
        SYSTEM lane = NAME(rows_from)(l, k * l->r);
        int64_t bad;
        NAME(block)(l->r, &lane, &bad);
        if (bad != NO_ROW)
            return k * l->r + bad;
    }
    return NO_ROW;
}

/* Tiles from … to - 1 with r rows a lane; far: the level does not fit the cache. The first bad row or NO_ROW. */
LANES_INLINE int64_t NAME(reduce)(const LEVEL *l, int64_t from, int64_t to, const int r,
                                  const int far)
{
    SQUARES squares[2];
    const WORD zero = NAME(constant)(0), one = NAME(constant)(1);
    WORD c[VECTORS], d[VECTORS], s[VECTORS], u[VECTORS], w[VECTORS], all_s[VECTORS];
    VEC ratio[VECTORS];
    int now = 0;
    EACH_VECTOR ratio[v] = (VEC){0};
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
                    WORD q = NAME(inverse)(NAME(minus)(a, NAME(times)(b, c[v])));
                    ratio[v] += NAME(ratio_of)(a, q);
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
        }
        here = following;
    }
    /* is_good() fails only where |a/pivot| is 1/(2 EPSILON) or more, or not a number; in a sum that stays. */
    bool suspect = false;
    EACH_VECTOR for (int k = 0; k < W; k++) suspect |=
        !(ratio[v][k] < 1 / (16 * EPSILON * EPSILON));
    return suspect ? NAME(find_bad)(l, from, to) : NO_ROW;
}
NOT_INLINE int64_t NAME(reduce_near)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS, 0);
}
NOT_INLINE int64_t NAME(reduce_far)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS, 1);
}
NOT_INLINE int64_t NAME(reduce_few)(const LEVEL *l, int64_t from, int64_t to)
{
    return NAME(reduce)(l, from, to, ROWS_FEW, 0);
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
static void NAME(hand_on)(const LEVEL *l)
{
    int64_t lines = l->tiles * TILE_LANES, done = lines * l->r;
    size_t bytes = (size_t)(l->n - done) * sizeof(SCALAR);
    SYSTEM rest = NAME(rows_from)(l, done);
    memcpy(l->b + lines, rest.b, bytes);
    memcpy(l->a + lines, rest.a, bytes);
    memcpy(l->c + lines, rest.c, bytes);
    memcpy(l->d + lines, rest.d, bytes);
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
    SCALAR *w;
    int64_t bad[LEVELS_MOST + 1];
};

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

/* All levels down, by every core of a team: each has equal shares of the tiles. left is for the way up. */
static void NAME(reduce_levels)(LEVELS *all, int core, SCALAR left)
{
    (void)left;
    for (int k = 0; k < all->count; k++) {
        LEVEL *l = &all->level[k];
        int64_t from = l->tiles * core / all->cores, to = l->tiles * (core + 1) / all->cores;
        int64_t bad = NO_ROW;
        if (from < to)
            bad = (l->r != ROWS      ? NAME(reduce_few)
                   : NAME(is_far)(l) ? NAME(reduce_far)
                                     : NAME(reduce_near))(l, from, to);
        if (bad != NO_ROW) {
            OPENMP(omp critical(nshape_lanes))
            all->bad[k] = bad < all->bad[k] ? bad : all->bad[k];
        }
        if (core == 0)
            NAME(hand_on)(l);
        barrier(all->cores);
        NAME(join)(l, from, to);
        barrier(all->cores);
    }
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
            (l->r != ROWS      ? NAME(substitute_few)
             : NAME(is_far)(l) ? NAME(substitute_far)
                               : NAME(substitute_near))(l, from, to);
        if (core == 0)
            NAME(hand_back)(l);
        barrier(all->cores);
    }
}

/* The rows of the struct but the first `skip`. */
static void NAME(open)(LEVELS *all, const struct nshape_lanes *s, int64_t skip)
{
    NAME(plan)(all, s->n - skip, (uintptr_t)s->work);
    SYSTEM rows = {s->sub, s->diag, s->super, s->rhs};
    all->level[0].rows = (SYSTEM){rows.b + skip, rows.a + skip, rows.c + skip, rows.d + skip};
    all->level[0].x = (SCALAR *)s->x + skip;
    for (int k = 0; k <= all->count; k++) {
        all->level[k].has_left = skip > 0;
        all->bad[k] = NO_ROW;
    }
    int64_t most = s->n / ROWS_A_CORE;
    all->cores = most < 1 ? 1 : most < s->cores ? (int)most : s->cores;
}

/* 1 + the first bad row of the first level that has one, as the given system counts. */
static long long NAME(status)(const LEVELS *all, int64_t skip)
{
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

/* The last level by Thomas. */
static void NAME(solve_last)(LEVELS *all)
{
    LEVEL *l = &all->level[all->count];
    all->bad[all->count] = NAME(down)(l->n, &l->rows, false, 0, all->w, l->x);
    NAME(up)(l->n - 1, all->w, l->x);
}
static void NAME(solve_levels)(LEVELS *all, int core, SCALAR left)
{
    NAME(reduce_levels)(all, core, left);
    if (core == 0)
        NAME(solve_last)(all);
    barrier(all->cores);
    NAME(substitute_levels)(all, core, left);
}
static long long NAME(solve)(const struct nshape_lanes *s)
{
    LEVELS all;
    NAME(open)(&all, s, 0);
    if (all.count == 0)
        NAME(solve_last)(&all);
    else
        NAME(on_cores)(&all, NAME(solve_levels), 0);
    return NAME(status)(&all, 0);
}

/* Row 0 of the part is a joint line of its own before the levels: each level tells it what x of its first row is. */
static void NAME(join_first)(struct nshape_lanes_lines to, SCALAR u, SCALAR v, SCALAR s)
{
    SCALAR *diag = to.diag, *super = to.super, *rhs = to.rhs, c = super[0];
    diag[0] -= c * s;
    rhs[0] -= c * u;
    super[0] = c * v;
}
static long long NAME(reduce_part)(const struct nshape_lanes *s, struct nshape_lanes_lines to)
{
    LEVELS all;
    NAME(open)(&all, s, 1);
    NAME(on_cores)(&all, NAME(reduce_levels), 0);
    SCALAR *sub = to.sub, *diag = to.diag, *super = to.super, *rhs = to.rhs;
    diag[0] = *(const SCALAR *)s->diag;
    super[0] = *(const SCALAR *)s->super;
    rhs[0] = *(const SCALAR *)s->rhs;
    for (int k = 0; k < all.count; k++)
        NAME(join_first)(to, all.level[k].u[0], all.level[k].v[0], all.level[k].s[0]);
    const LEVEL *last = &all.level[all.count];
    ENDS e = NAME(block)(last->n, &last->rows, &all.bad[all.count]);
    NAME(join_first)(to, e.u, e.v, e.s);
    sub[0] = super[1] = 0;
    sub[1] = e.b;
    diag[1] = e.a;
    rhs[1] = e.d;
    return NAME(status)(&all, 1);
}
static void NAME(finish_part)(const struct nshape_lanes *s, struct nshape_lanes_lines lines)
{
    LEVELS all;
    const SCALAR *x = lines.x;
    NAME(open)(&all, s, 1);
    LEVEL *last = &all.level[all.count];
    NAME(down)(last->n - 1, &last->rows, true, x[0], all.w, last->x);
    last->x[last->n - 1] = x[1];
    NAME(up)(last->n - 1, all.w, last->x);
    NAME(on_cores)(&all, NAME(substitute_levels), x[0]);
    *(SCALAR *)s->x = x[0];
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
