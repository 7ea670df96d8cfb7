/* The method of recurrence_cpu.h for one type of numbers. recurrence_cpu.c defines REAL, COMPLEX
 * and NAME before it includes this file. */
#define NUMBER NAME(number)
typedef struct {
    REAL re;
#if COMPLEX
    REAL im;
#endif
} NUMBER;

#if COMPLEX
LANES_INLINE NUMBER NAME(mul_add)(NUMBER a, NUMBER x, NUMBER b)
{
    return (NUMBER){a.re * x.re + (b.re - a.im * x.im), a.re * x.im + (a.im * x.re + b.im)};
}
LANES_INLINE NUMBER NAME(conj)(NUMBER a)
{
    return (NUMBER){a.re, -a.im};
}
#else
LANES_INLINE NUMBER NAME(mul_add)(NUMBER a, NUMBER x, NUMBER b)
{
    return (NUMBER){a.re * x.re + b.re};
}
LANES_INLINE NUMBER NAME(conj)(NUMBER a)
{
    return a;
}
#endif

/* Sequence k. */
static void NAME(solve)(const struct recurrence *p, const struct layout *l, int64_t k)
{
    const NUMBER *s = p->s, *t = p->t;
    NUMBER *w = p->w, x = {0};
    if (p->w0)
        x = ((const NUMBER *)p->w0)[k];
    for (int64_t j = 0; j < p->length; j++) {
        int64_t i =
            k / l->inner * l->plane + k % l->inner + (p->reverse ? p->length - 1 - j : j) * l->row;
        w[i] = x = NAME(mul_add)(p->constant ? *s : s[i], x, t[i]);
    }
}
static void NAME(gradient)(const struct recurrence *p, const struct gradient *g,
                           const struct layout *l, int64_t k)
{
    const NUMBER *s = p->s, *w = p->w, *dw = g->dw, zero = {0};
    NUMBER *ds = g->ds, *dt = g->dt, f = zero, x = zero;
    for (int64_t j = p->length - 1; j >= 0; j--) {
        int64_t step = p->reverse ? -l->row : l->row,
                i = k / l->inner * l->plane + k % l->inner +
                    (p->reverse ? p->length - 1 - j : j) * l->row;
        NUMBER before = j > 0 ? w[i - step] : p->w0 ? ((const NUMBER *)p->w0)[k] : zero;
        x = NAME(mul_add)(f, x, dw[i]);
        f = NAME(conj)(s[i]);
        dt[i] = x;
        ds[i] = NAME(mul_add)(x, NAME(conj)(before), zero);
    }
    if (g->dw0)
        ((NUMBER *)g->dw0)[k] = NAME(mul_add)(f, x, zero);
}
static void NAME(run)(const struct recurrence *p, const struct gradient *g, int cores)
{
    const struct layout l = layout_of(p);
#pragma omp parallel for num_threads(cores) schedule(static) if (cores > 1)
    for (int64_t k = 0; k < p->batch; k++)
        if (g)
            NAME(gradient)(p, g, &l, k);
        else
            NAME(solve)(p, &l, k);
}
#undef NUMBER
