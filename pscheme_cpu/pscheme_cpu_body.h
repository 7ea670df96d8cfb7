/* Substitution (W12 eq. 4-6) and P-scheme (W12 eq. 7-13) for one floating-point type; pscheme_cpu.c
 * defines REAL, REAL_EPSILON, REAL_MAX, ABS and NAME. In reading order:
 *
 *     substitution_p, _q, _x    W12 eq. 4-6
 *     three_phases              pre-computation, propagation, determination of p
 *     pscheme_p_eq13            p by W12 eq. 9-13 as printed; uses eq10_12 and eq13
 *     pscheme_p_repeat          p by W12 eq. 9-13, then eq. 5; variable coefficients
 *     pscheme_p_map             p by a map that is computed forwards; variable coefficients
 *     pscheme_q, _x             q and x, which are linear recurrences like problem B
 *
 * `start` is the row before a part (the paper's kM); the paper's a, b, c are diag, off, rhs. */

/* Is `pivot`, the difference of `term` and a correction, finite and more than epsilon times `term`?
 * A smaller one consists of rounding errors only. */
static inline int NAME(good_pivot)(REAL pivot, REAL term)
{
    return ABS(pivot) > REAL_EPSILON * ABS(term) && ABS(pivot) <= REAL_MAX;
}

/* ---- substitution ---- */

/* p of the rows start+1..last by W12 eq. 5, from `before` = p_start. Returns the first row with a
 * bad pivot or an overflow of p, or NO_ROW. */
static int64_t NAME(eq5_p)(int64_t start, int64_t last, const REAL *diag, const REAL *off,
                           REAL before, REAL *p)
{
    for (int64_t i = start + 1; i <= last; i++) {
        REAL pivot = diag[i] - off[i] * before;
        before = off[i] / pivot;
        if (!(NAME(good_pivot)(pivot, diag[i]) && ABS(before) <= REAL_MAX))
            return i;
        p[i] = before;
    }
    return NO_ROW;
}

int64_t NAME(substitution_p)(int64_t n, const REAL *diag, const REAL *off, REAL *p)
{
    if (refused(n, 1, 1) || !HAS_ARRAYS(diag, off, p))
        return PSCHEME_REFUSED;
    p[0] = p[n - 1] = 0; /* W12 eq. 4 */
    int64_t bad = NAME(eq5_p)(0, n - 2, diag, off, 0, p);
    return bad == NO_ROW ? 0 : bad;
}

/* q of W12 eq. 5. As p is known, it is a linear recurrence:
 *
 *     q_i = p_i q_{i-1} + rhs_i / pivot_i
 *
 * This has as many operations as the quotient in the paper, but its division does not wait for
 * q_{i-1}. */
int64_t NAME(substitution_q)(int64_t n, const REAL *diag, const REAL *off, const REAL *rhs,
                             const REAL *p, REAL *q)
{
    if (refused(n, 1, 1) || !HAS_ARRAYS(diag, off, rhs, p, q))
        return PSCHEME_REFUSED;
    REAL before = q[0] = rhs[0]; /* W12 eq. 4 */
    for (int64_t i = 1; i <= n - 2; i++) {
        REAL pivot = diag[i] - off[i] * p[i - 1];
        if (!NAME(good_pivot)(pivot, diag[i]))
            return i;
        q[i] = before = p[i] * before + rhs[i] / pivot;
    }
    q[n - 1] = rhs[n - 1];
    return 0;
}

/* W12 eq. 6, from the last row to the first. */
int64_t NAME(substitution_x)(int64_t n, const REAL *p, const REAL *q, REAL *x)
{
    if (refused(n, 1, 1) || !HAS_ARRAYS(p, q, x))
        return PSCHEME_REFUSED;
    REAL after = x[n - 1] = q[n - 1];
    for (int64_t i = n - 2; i >= 0; i--)
        x[i] = after = p[i] * after + q[i];
    return 0;
}

/* ---- P-scheme for p ---- */

/* The three phases (W12 section II-B) of pscheme_p_eq13 and pscheme_p_map. `precompute` stores
 * three numbers u, v, w for every row of a part. `determine` computes p of the rows first..last of
 * a part from them and p_start. Propagation calls it for the last row of one part after the other,
 * whose p is the p_start of the next part. */
static int64_t
NAME(three_phases)(int64_t n, int64_t parts, int cores, const REAL *diag, const REAL *off, REAL *p,
                   REAL *work,
                   int64_t (*precompute)(int64_t start, int64_t last, const REAL *diag,
                                         const REAL *off, REAL *u, REAL *v, REAL *w),
                   int64_t (*determine)(int64_t start, int64_t first, int64_t last, const REAL *u,
                                        const REAL *v, const REAL *w, REAL *p))
{
    if (refused(n, parts, cores) || !HAS_ARRAYS(diag, off, p, work))
        return PSCHEME_REFUSED;
    int64_t rows = n > 2 ? n - 2 : 0, bad = NO_ROW;
    REAL *u = work, *v = u + n, *w = v + n;
    p[0] = p[n - 1] = 0;

#pragma omp parallel for num_threads(cores) schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = precompute(start, last, diag, off, u, v, w);
        bad = row < bad ? row : bad;
    }
    if (bad != NO_ROW)
        return bad;

    for (int64_t k = 0; k < parts; k++) { /* propagate */
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = last > start ? determine(start, last, last, u, v, w, p) : NO_ROW;
        bad = row < bad ? row : bad;
    }

#pragma omp parallel for num_threads(cores) schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = determine(start, start + 1, last - 1, u, v, w, p);
        bad = row < bad ? row : bad;
    }
    return bad == NO_ROW ? 0 : bad;
}

static int64_t NAME(first_not_finite)(int64_t first, int64_t last, const REAL *p)
{
    for (int64_t i = first; i <= last; i++)
        if (!(ABS(p[i]) <= REAL_MAX))
            return i;
    return NO_ROW;
}

/* ---- P-scheme for p, 1: W12 eq. 9-13 as printed ---- */

/* p_j of row j of a part by W12 eq. 13, with beta, gamma and delta of this j. Rows count from the
 * start of the part, and p_0 is the p before it. sign_p0 is (-1)^j p_0, or 0 if p_j does not depend
 * on p_0. *pivot is set to the divisor. */
static inline REAL NAME(eq13)(REAL beta, REAL gamma, REAL delta, REAL sign_p0, REAL *pivot)
{
    *pivot = gamma - sign_p0;
    return (sign_p0 * delta - beta) / *pivot;
}

/* From beta_j, gamma_j, delta_j to j + 1 (W12 eq. 10-12). sign = (-1)^{j+1}, ratio = a_{i-j} /
 * b_{i-j}. W12 divides each equation by gamma_j. Here 1 / gamma_j multiplies each term, so ratio *
 * beta_j and ratio * gamma_j, which may overflow, are not computed. This step, a/b and eq. 13
 * together have the 4 multiplications and 3 divisions that the paper counts. */
static inline void NAME(eq10_12)(REAL sign, REAL ratio, REAL *beta, REAL *gamma, REAL *delta)
{
    REAL inverse = 1 / *gamma, next_delta = *beta * inverse;
    *beta = *delta * inverse + sign * ratio * next_delta; /* W12 eq. 10 */
    *gamma = inverse + sign * ratio;                      /* W12 eq. 11 */
    *delta = next_delta;                                  /* W12 eq. 12 */
}

/* W12 eq. 9-12 for j = 1, 2, …: the chain, which starts at the last row i of the part and runs
 * backwards. With constant coefficients a chain from row j of the part has the same values for this
 * j, so they are stored at row j. Returns a row with a bad pivot, or NO_ROW, or PSCHEME_REFUSED if
 * the coefficients are not constant or off is 0. */
static int64_t NAME(eq13_precompute)(int64_t start, int64_t last, const REAL *diag, const REAL *off,
                                     REAL *beta, REAL *gamma, REAL *delta)
{
    REAL b = 0, g = 0, d = 0, sign = 1;
    for (int64_t j = 1; j <= last - start; j++) {
        int64_t i = last - j + 1;
        if (!(diag[i] == diag[1] && off[i] == off[1] && off[i] != 0))
            return PSCHEME_REFUSED;
        REAL ratio = diag[i] / off[i];
        sign = -sign;
        if (j == 1) { /* W12 eq. 9 */
            b = 1;
            g = -ratio;
            d = 0;
        } else {
            NAME(eq10_12)(sign, ratio, &b, &g, &d);
        }
        if (!NAME(good_pivot)(g, ratio))
            return start + j;
        beta[start + j] = b;
        gamma[start + j] = g;
        delta[start + j] = d;
    }
    return NO_ROW;
}

static int64_t NAME(eq13_determine)(int64_t start, int64_t first, int64_t last, const REAL *beta,
                                    const REAL *gamma, const REAL *delta, REAL *p)
{
    REAL p0 = p[start], bad = 0;
#pragma omp simd reduction(+ : bad)
    for (int64_t i = first; i <= last; i++) {
        REAL pivot,
            value = NAME(eq13)(beta[i], gamma[i], delta[i], (i - start) & 1 ? -p0 : p0, &pivot);
        p[i] = NAME(good_pivot)(pivot, gamma[i]) ? value : (REAL)NAN;
        bad += !(ABS(p[i]) <= REAL_MAX);
    }
    return bad == 0 ? NO_ROW : NAME(first_not_finite)(first, last, p);
}

int64_t NAME(pscheme_p_eq13)(int64_t n, int64_t parts, int cores, const REAL *diag, const REAL *off,
                             REAL *p, REAL *work)
{
    return NAME(three_phases)(n, parts, cores, diag, off, p, work, NAME(eq13_precompute),
                              NAME(eq13_determine));
}

/* ---- P-scheme for p, 2: one chain for each part, then W12 eq. 5 ---- */

/* The chain with variable coefficients is right only for the last row of the part, at which it
 * starts. So only its final values are kept: chain[0..3] are beta_j, gamma_j, delta_j and (-1)^j.
 *
 * If off_i is 0, or so small that a_i / b_i overflows, p_i is 0 for every p_start, and the chain
 * stops, because W12 eq. 9-11 divide by b_i. With this p = 0, W12 eq. 7 gives the last row -beta_j
 * / gamma_j, as eq. 13 does with 0 for (-1)^j. */
static int64_t NAME(repeat_precompute)(int64_t start, int64_t last, const REAL *diag,
                                       const REAL *off, REAL *chain)
{
    REAL beta = 0, gamma = 1, delta = 0, sign = 1;
    for (int64_t i = last; i > start; i--) {
        REAL ratio = diag[i] / off[i];
        if (!(ABS(ratio) <= REAL_MAX)) {
            sign = 0;
            break;
        }
        sign = -sign;
        if (i == last) { /* W12 eq. 9 */
            beta = 1;
            gamma = -ratio;
        } else {
            NAME(eq10_12)(sign, ratio, &beta, &gamma, &delta);
        }
        if (!NAME(good_pivot)(gamma, ratio))
            return i;
    }
    chain[0] = beta;
    chain[1] = gamma;
    chain[2] = delta;
    chain[3] = sign;
    return NO_ROW;
}

int64_t NAME(pscheme_p_repeat)(int64_t n, int64_t parts, int cores, const REAL *diag,
                               const REAL *off, REAL *p, REAL *work)
{
    if (refused(n, parts, cores) || !HAS_ARRAYS(diag, off, p, work))
        return PSCHEME_REFUSED;
    int64_t rows = n > 2 ? n - 2 : 0, bad = NO_ROW;
    REAL *chain = work, *incoming = chain + 4 * parts;
    p[0] = p[n - 1] = 0;

#pragma omp parallel for num_threads(cores) schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = NAME(repeat_precompute)(start, last, diag, off, chain + 4 * k);
        bad = row < bad ? row : bad;
    }
    if (bad != NO_ROW)
        return bad;

    REAL p0 = 0, pivot;
    for (int64_t k = 0; k < parts; k++) { /* propagate */
        const REAL *c = chain + 4 * k;
        incoming[k] = p0;
        if (part_start(rows, parts, k + 1) > part_start(rows, parts, k))
            p0 = NAME(eq13)(c[0], c[1], c[2], c[3] * p0, &pivot);
    }

#pragma omp parallel for num_threads(cores) schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = NAME(eq5_p)(start, last, diag, off, incoming[k], p);
        bad = row < bad ? row : bad;
    }
    return bad == NO_ROW ? 0 : bad;
}

/* ---- P-scheme for p, 3: the map, computed forwards and stored for every row ---- */

/* The map from p_start to p_i in a form that runs forwards and allows variable coefficients:
 *
 *     p_i = phat_i + e_i p_start / (1 + c_i p_start)                  (in place of W12 eq. 13)
 *     phat_i = b_i / (a_i - b_i phat_{i-1}),   phat_start = 0         (in place of W12 eq. 9-12)
 *     c_i = c_{i-1} - phat_i e_{i-1},          c_start = 0
 *     e_i = phat_i^2 e_{i-1},                  e_start = 1
 *
 * phat is p of the part when it is solved alone, as accurate as substitution. e is the derivative
 * of p_i at p_start = 0. If a and b are positive and the rows are dominant, all terms of c have the
 * same sign, so nothing cancels. In dominant rows |phat| <= 1, so e does not grow. If b_i = 0,
 * phat_i and e_i are exactly 0, and the rows from i on do not depend on p_start.
 *
 * The more common form is p_i = (A p_start + B) / (C p_start + D), where (A B; C D) is the product
 * of the matrices (0 b; -b a) of the rows. It overflows after some hundred rows unless it is
 * rescaled, and its determinant A D - B C, on which p_start acts, is a small difference of large
 * products. */
static int64_t NAME(map_precompute)(int64_t start, int64_t last, const REAL *diag, const REAL *off,
                                    REAL *phat, REAL *c, REAL *e)
{
    REAL p = 0, c_i = 0, e_i = 1;
    for (int64_t i = start + 1; i <= last; i++) {
        REAL pivot = diag[i] - off[i] * p;
        p = off[i] / pivot;
        if (!(NAME(good_pivot)(pivot, diag[i]) && ABS(p) <= REAL_MAX))
            return i;
        REAL p_e = p * e_i;
        c_i -= p_e;
        e_i = p * p_e;
        phat[i] = p;
        c[i] = c_i;
        e[i] = e_i;
    }
    return NO_ROW;
}

static int64_t NAME(map_determine)(int64_t start, int64_t first, int64_t last, const REAL *phat,
                                   const REAL *c, const REAL *e, REAL *p)
{
    REAL p0 = p[start], bad = 0;
#pragma omp simd reduction(+ : bad)
    for (int64_t i = first; i <= last; i++) {
        REAL pivot = 1 + c[i] * p0, value = phat[i] + e[i] * p0 / pivot;
        p[i] = NAME(good_pivot)(pivot, 1) ? value : (REAL)NAN;
        bad += !(ABS(p[i]) <= REAL_MAX);
    }
    return bad == 0 ? NO_ROW : NAME(first_not_finite)(first, last, p);
}

int64_t NAME(pscheme_p_map)(int64_t n, int64_t parts, int cores, const REAL *diag, const REAL *off,
                            REAL *p, REAL *work)
{
    return NAME(three_phases)(n, parts, cores, diag, off, p, work, NAME(map_precompute),
                              NAME(map_determine));
}

/* ---- P-scheme for linear recurrences: q, x, and problem B ---- */

/* The three phases of W12 section II-B. Pre-computation solves each part as if w_start were 0 and
 * stores a_i, the product of the coefficients from the start of the part to row i. Propagation
 * stores in incoming[] the w_start of one part after the other: the next is w_last + a_last
 * w_start. Determination corrects all rows: w_i += a_i w_start. */

static void NAME(linear_propagate)(int64_t rows, int64_t parts, const REAL *a, const REAL *w,
                                   REAL *incoming)
{
    REAL w0 = w[0];
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        incoming[k] = w0;
        if (last > start)
            w0 = w[last] + a[last] * w0;
    }
}

static void NAME(linear_determine)(int64_t rows, int64_t parts, int cores, const REAL *a,
                                   const REAL *incoming, REAL *w)
{
    (void)cores; /* unused without OpenMP */
#pragma omp parallel for num_threads(cores) schedule(static)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        REAL w0 = incoming[k];
#pragma omp simd
        for (int64_t i = start + 1; i <= last; i++)
            w[i] += a[i] * w0;
    }
}

static int64_t NAME(q_precompute)(int64_t start, int64_t last, const REAL *diag, const REAL *off,
                                  const REAL *rhs, const REAL *p, REAL *a, REAL *q)
{
    REAL before = 0, product = 1;
    for (int64_t i = start + 1; i <= last; i++) {
        REAL pivot = diag[i] - off[i] * p[i - 1];
        if (!NAME(good_pivot)(pivot, diag[i]))
            return i;
        q[i] = before = p[i] * before + rhs[i] / pivot;
        a[i] = product *= p[i];
    }
    return NO_ROW;
}

int64_t NAME(pscheme_q)(int64_t n, int64_t parts, int cores, const REAL *diag, const REAL *off,
                        const REAL *rhs, const REAL *p, REAL *q, REAL *work)
{
    if (refused(n, parts, cores) || !HAS_ARRAYS(diag, off, rhs, p, q, work))
        return PSCHEME_REFUSED;
    int64_t rows = n > 2 ? n - 2 : 0, bad = NO_ROW;
    REAL *a = work, *incoming = a + n;
    q[0] = rhs[0];
    q[n - 1] = rhs[n - 1];

#pragma omp parallel for num_threads(cores) schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        int64_t row = NAME(q_precompute)(start, last, diag, off, rhs, p, a, q);
        bad = row < bad ? row : bad;
    }
    if (bad != NO_ROW)
        return bad;

    NAME(linear_propagate)(rows, parts, a, q, incoming);
    NAME(linear_determine)(rows, parts, cores, a, incoming, q);
    return 0;
}

/* W12 eq. 6 computes x_i from x_{i+1}, so propagation goes from the last part to the first. */
int64_t NAME(pscheme_x)(int64_t n, int64_t parts, int cores, const REAL *p, const REAL *q, REAL *x,
                        REAL *work)
{
    if (refused(n, parts, cores) || !HAS_ARRAYS(p, q, x, work))
        return PSCHEME_REFUSED;
    int64_t rows = n > 2 ? n - 2 : 0;
    REAL *a = work, *incoming = a + n;
    x[0] = q[0]; /* W12 eq. 6 with p_0 = 0 */
    x[n - 1] = q[n - 1];

#pragma omp parallel for num_threads(cores) schedule(static)
    for (int64_t k = 0; k < parts; k++) {
        REAL after = 0, product = 1;
        for (int64_t i = part_start(rows, parts, k + 1); i > part_start(rows, parts, k); i--) {
            x[i] = after = p[i] * after + q[i];
            a[i] = product *= p[i];
        }
    }

    REAL x0 = x[n - 1];
    for (int64_t k = parts - 1; k >= 0; k--) { /* propagate */
        int64_t start = part_start(rows, parts, k), last = part_start(rows, parts, k + 1);
        incoming[k] = x0;
        if (last > start)
            x0 = x[start + 1] + a[start + 1] * x0;
    }

    NAME(linear_determine)(rows, parts, cores, a, incoming, x);
    return 0;
}

/* For problem B. If n = 0, s and t may be NULL. */
static int NAME(refused_recurrence)(int64_t n, int64_t parts, int cores, const REAL *s,
                                    const REAL *t, const REAL *w)
{
    return n < 0 || refused(n > 0 ? n : 1, parts, cores) || !HAS_ARRAYS(w) ||
           (n > 0 && !HAS_ARRAYS(s, t));
}

int64_t NAME(recurrence_serial)(int64_t n, REAL w0, const REAL *s, const REAL *t, REAL *w)
{
    if (NAME(refused_recurrence)(n, 1, 1, s, t, w))
        return PSCHEME_REFUSED;
    w[0] = w0;
    for (int64_t i = 1; i <= n; i++)
        w[i] = w0 = s[i - 1] * w0 + t[i - 1];
    return 0;
}

int64_t NAME(recurrence_pscheme)(int64_t n, int64_t parts, int cores, REAL w0, const REAL *s,
                                 const REAL *t, REAL *w, REAL *work)
{
    if (NAME(refused_recurrence)(n, parts, cores, s, t, w) || !HAS_ARRAYS(work))
        return PSCHEME_REFUSED;
    REAL *a = work, *incoming = a + n + 1;
    w[0] = w0;

#pragma omp parallel for num_threads(cores) schedule(static)
    for (int64_t k = 0; k < parts; k++) {
        int64_t start = part_start(n, parts, k), last = part_start(n, parts, k + 1);
        REAL before = 0, product = 1;
        for (int64_t i = start + 1; i <= last; i++) {
            w[i] = before = s[i - 1] * before + t[i - 1];
            a[i] = product *= s[i - 1];
        }
    }
    NAME(linear_propagate)(n, parts, a, w, incoming);
    NAME(linear_determine)(n, parts, cores, a, incoming, w);
    return 0;
}

/* ---- complete solvers of problem A ---- */

int64_t NAME(substitution_solve)(int64_t n, const REAL *diag, const REAL *off, const REAL *rhs,
                                 REAL *p, REAL *q, REAL *x)
{
    if (refused(n, 1, 1) || !HAS_ARRAYS(diag, off, rhs, p, q, x))
        return PSCHEME_REFUSED;
    int64_t bad = NAME(substitution_p)(n, diag, off, p);
    if (bad == 0)
        bad = NAME(substitution_q)(n, diag, off, rhs, p, q);
    if (bad == 0)
        bad = NAME(substitution_x)(n, p, q, x);
    return bad;
}

int64_t NAME(pscheme_solve)(enum pscheme_method method, int64_t n, int64_t parts, int cores,
                            const REAL *diag, const REAL *off, const REAL *rhs, REAL *p, REAL *q,
                            REAL *x, REAL *work)
{
    if (refused(n, parts, cores) || !HAS_ARRAYS(diag, off, rhs, p, q, x, work))
        return PSCHEME_REFUSED;
    int64_t bad = PSCHEME_REFUSED;
    switch (method) {
    case PSCHEME_EQ13:
        bad = NAME(pscheme_p_eq13)(n, parts, cores, diag, off, p, work);
        break;
    case PSCHEME_REPEAT:
        bad = NAME(pscheme_p_repeat)(n, parts, cores, diag, off, p, work);
        break;
    case PSCHEME_MAP:
        bad = NAME(pscheme_p_map)(n, parts, cores, diag, off, p, work);
        break;
    }
    if (bad == 0)
        bad = NAME(pscheme_q)(n, parts, cores, diag, off, rhs, p, q, work);
    if (bad == 0)
        bad = NAME(pscheme_x)(n, parts, cores, p, q, x, work);
    return bad;
}
