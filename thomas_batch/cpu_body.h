/* The bodies of cpu.c for one precision, REAL: system k, with the work of one core. */

static REAL NAME(size)(REAL value)
{
    return value < 0 ? -value : value;
}

/* A pivot is good if it is more than the rounding of its terms (the sum of their sizes is given);
 * NaN is not. */
static bool NAME(good)(REAL pivot, REAL terms)
{
    return NAME(size)(pivot) > EPSILON * terms;
}

/* Thomas: with x_{i-1} = alpha_{i-1} x_i + beta_{i-1} row i becomes (diag_i + sub_i alpha_{i-1})
 * x_i + super_i x_{i+1} = rhs_i - sub_i beta_{i-1}. beta lies where x will. The term is taken from
 * the pivot, so that compilers may contract this as they do the lanes' vectors, to the same
 * bits. */
static void NAME(thomas)(const struct cpu_batch *s, int64_t k, void *work)
{
    int64_t n = s->n;
    const REAL *sub = (const REAL *)s->sub + k * n, *diag = (const REAL *)s->diag + k * n;
    const REAL *super = (const REAL *)s->super + k * n, *rhs = (const REAL *)s->rhs + k * n;
    REAL *x = (REAL *)s->x + k * n, *alpha = work, a = 0, b = 0;
    long long bad = 0;
    for (int64_t i = 0; i < n; i++) {
        REAL below = i > 0 ? sub[i] : 0, pivot = diag[i] + below * a, term = pivot - diag[i];
        REAL inverse = 1 / pivot;
        if (bad == 0 &&
            !(NAME(good)(pivot, NAME(size)(diag[i]) + NAME(size)(term)) && inverse - inverse == 0))
            bad = i + 1; /* 1/subnormal is infinite */
        alpha[i] = a = -super[i] * inverse;
        x[i] = b = (rhs[i] - below * b) * inverse;
    }
    for (int64_t i = n - 2; i >= 0; i--)
        x[i] += alpha[i] * x[i + 1];
    s->status[k] = bad;
}

/* A level of SERICR: m rows. Row j of level l is row (j + 1) 2^l - 1 of the system. */
struct NAME(level) {
    int l;
    int64_t m;
    const REAL *a, *b, *c, *k;
};

/* PL19's compact indices, derived: row i of the next level is row 2i + 1 of this one, freed of its
 * neighbours
 *   alpha_i = -a_{2i+1}/b_{2i}, gamma_i = -c_{2i+1}/b_{2i+2}
 *   a'_i = alpha_i a_{2i}, c'_i = gamma_i c_{2i+2}, b'_i = b_{2i+1} + alpha_i c_{2i} + gamma_i a_{2i+2}, k'_i likewise,
 * without the terms of gamma where row 2i + 2 does not exist. a of the first and c of the last row
 * count as 0. The even rows of a level are its pivots: *bad, if 0, becomes 1 + the first row whose
 * pivot fails. */
static struct NAME(level) NAME(reduce)(struct NAME(level) from, REAL *to, long long *bad)
{
    int64_t m = from.m / 2;
    REAL *a = to, *b = a + m, *c = b + m, *k = c + m;
    for (int64_t i = 0; i < m; i++) {
        int64_t j = 2 * i;
        REAL alpha = -from.a[j + 1] / from.b[j], term = alpha * from.c[j];
        REAL terms = NAME(size)(from.b[j + 1]) + NAME(size)(term);
        a[i] = j > 0 ? alpha * from.a[j] : 0;
        b[i] = from.b[j + 1] + term;
        c[i] = 0;
        k[i] = from.k[j + 1] + alpha * from.k[j];
        if (j + 2 < from.m) {
            REAL gamma = -from.c[j + 1] / from.b[j + 2];
            term = gamma * from.a[j + 2];
            terms += NAME(size)(term);
            b[i] += term;
            c[i] = j + 2 < from.m - 1 ? gamma * from.c[j + 2] : 0;
            k[i] += gamma * from.k[j + 2];
        }
        if (*bad == 0 && i % 2 == 0 && !NAME(good)(b[i], terms))
            *bad = (i + 1) << (from.l + 1);
    }
    return (struct NAME(level)){from.l + 1, m, a, b, c, k};
}

/* The even rows, from their neighbours, which the level above has found. */
static void NAME(substitute)(struct NAME(level) at, REAL *x, long long *bad)
{
    int64_t h = (int64_t)1 << at.l;
    for (int64_t j = at.m - 1 - (at.m - 1) % 2; j >= 0; j -= 2) {
        int64_t i = (j + 1) * h - 1;
        REAL rest = at.k[j];
        if (j > 0)
            rest -= at.a[j] * x[i - h];
        if (j < at.m - 1)
            rest -= at.c[j] * x[i + h];
        x[i] = rest / at.b[j];
        if (at.l == 0 && !NAME(good)(at.b[j], NAME(size)(at.b[j])))
            *bad = i + 1; /* the given diagonal comes before all levels */
    }
}

static void NAME(sericr)(const struct cpu_batch *s, int64_t k, void *work)
{
    int64_t n = s->n, at = k * n;
    struct NAME(level) levels[64];
    REAL *next = work;
    int top = 0;
    long long bad = 0;
    levels[0] = (struct NAME(level)){0,
                                     n,
                                     (const REAL *)s->sub + at,
                                     (const REAL *)s->diag + at,
                                     (const REAL *)s->super + at,
                                     (const REAL *)s->rhs + at};
    for (; levels[top].m > 1; top++) {
        levels[top + 1] = NAME(reduce)(levels[top], next, &bad);
        next += 4 * levels[top + 1].m;
    }
    for (int l = top; l >= 0; l--)
        NAME(substitute)(levels[l], (REAL *)s->x + at, &bad);
    s->status[k] = bad;
}

#ifdef HAVE_LAPACKE
static void NAME(lapack)(const struct cpu_batch *s, int64_t k, void *work)
{
    int64_t n = s->n;
    size_t bytes = (size_t)n * sizeof(REAL);
    REAL *sub = work, *diag = sub + n, *super = diag + n, *x = (REAL *)s->x + k * n;
    memcpy(sub, (const REAL *)s->sub + k * n, bytes);
    memcpy(diag, (const REAL *)s->diag + k * n, bytes);
    memcpy(super, (const REAL *)s->super + k * n, bytes);
    memcpy(x, (const REAL *)s->rhs + k * n, bytes);
    lapack_int order = (lapack_int)n;
    /* Column j's subdiagonal is row j + 1's. */
    s->status[k] = GTSV(LAPACK_COL_MAJOR, order, 1, sub + 1, diag, super, x, order);
}
#endif
