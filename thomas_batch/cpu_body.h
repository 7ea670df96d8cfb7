/* The scalar solvers of cpu.c in the precision REAL: system k, with a core's workspace. */

static REAL NAME(abs1)(REAL value)
{
    return value < 0 ? -value : value;
}

/* As pivot_valid() in batch.cuh. */
static bool NAME(pivot_valid)(REAL pivot, REAL terms)
{
    return NAME(abs1)(pivot) > EPSILON * terms;
}

/* Thomas, README.md eq. T1-T3. x holds beta until the substitution. */
static void NAME(thomas)(const struct cpu_batch *s, int64_t k, void *work)
{
    int64_t n = s->n;
    const REAL *sub = (const REAL *)s->sub + k * n, *diag = (const REAL *)s->diag + k * n;
    const REAL *super = (const REAL *)s->super + k * n, *rhs = (const REAL *)s->rhs + k * n;
    REAL *x = (REAL *)s->x + k * n, *alpha = work, a = 0, b = 0;
    long long failed = 0;
    for (int64_t i = 0; i < n; i++) {
        REAL below = i > 0 ? sub[i] : 0, pivot = diag[i] + below * a, term = pivot - diag[i];
        REAL inverse = 1 / pivot;
        if (failed == 0 && !(NAME(pivot_valid)(pivot, NAME(abs1)(diag[i]) + NAME(abs1)(term)) &&
                             inverse - inverse == 0))
            /* The pivot is not valid, or it is subnormal and its inverse is infinite. */
            failed = i + 1;
        alpha[i] = a = -super[i] * inverse;
        x[i] = b = (rhs[i] - below * b) * inverse;
    }
    for (int64_t i = n - 2; i >= 0; i--)
        x[i] += alpha[i] * x[i + 1];
    s->status[k] = failed;
}

/* Level l of SERICR: row j is row (j + 1) 2^l - 1 of the system. */
struct NAME(level) {
    int l;
    int64_t m;
    const REAL *a, *b, *c, *k;
};

/* PL19 eq. 1-6 in compact indices, as reduce() in cyclic_reduction.cuh. The pivots are the b of the
 * even rows, because eq. 1-2 and 7 divide by them. *failed keeps the first failed one. */
static struct NAME(level) NAME(reduce)(struct NAME(level) from, REAL *to, long long *failed)
{
    int64_t m = from.m / 2;
    REAL *a = to, *b = a + m, *c = b + m, *k = c + m;
    for (int64_t i = 0; i < m; i++) {
        int64_t j = 2 * i;
        REAL alpha = -from.a[j + 1] / from.b[j], term = alpha * from.c[j];
        REAL terms = NAME(abs1)(from.b[j + 1]) + NAME(abs1)(term);
        a[i] = j > 0 ? alpha * from.a[j] : 0;
        b[i] = from.b[j + 1] + term;
        c[i] = 0;
        k[i] = from.k[j + 1] + alpha * from.k[j];
        if (j + 2 < from.m) {
            REAL gamma = -from.c[j + 1] / from.b[j + 2];
            term = gamma * from.a[j + 2];
            terms += NAME(abs1)(term);
            b[i] += term;
            c[i] = j + 2 < from.m - 1 ? gamma * from.c[j + 2] : 0;
            k[i] += gamma * from.k[j + 2];
        }
        if (*failed == 0 && i % 2 == 0 && !NAME(pivot_valid)(b[i], terms))
            *failed = (i + 1) << (from.l + 1);
    }
    return (struct NAME(level)){from.l + 1, m, a, b, c, k};
}

/* PL19 eq. 7: x of the even rows of a level, from the odd rows, which form the next level. */
static void NAME(substitute)(struct NAME(level) at, REAL *x, long long *failed)
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
        /* A failed pivot of level 0, the given diagonal, replaces one of a later level. */
        if (at.l == 0 && !NAME(pivot_valid)(at.b[j], NAME(abs1)(at.b[j])))
            *failed = i + 1;
    }
}

static void NAME(sericr)(const struct cpu_batch *s, int64_t k, void *work)
{
    int64_t n = s->n, at = k * n;
    struct NAME(level) levels[64];
    REAL *next = work;
    int top = 0;
    long long failed = 0;
    levels[0] = (struct NAME(level)){0,
                                     n,
                                     (const REAL *)s->sub + at,
                                     (const REAL *)s->diag + at,
                                     (const REAL *)s->super + at,
                                     (const REAL *)s->rhs + at};
    for (; levels[top].m > 1; top++) {
        levels[top + 1] = NAME(reduce)(levels[top], next, &failed);
        next += 4 * levels[top + 1].m;
    }
    for (int l = top; l >= 0; l--)
        NAME(substitute)(levels[l], (REAL *)s->x + at, &failed);
    s->status[k] = failed;
}
