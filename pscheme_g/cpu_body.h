/* The functions of cpu.c for one number type, REAL. NAME(f) is the name of f for this type. */

/* s[0..count-1] = s_first, …: the operations of coefficient_at() in pscheme_g.cu, for LANES
 * coefficients together. */
static void NAME(coefficients)(int64_t first, int64_t count, struct pscheme_g_coefficient c,
                               REAL *s)
{
    const REAL up = (REAL)c.up, down = (REAL)c.down;
    if (c.rounds == 0) {
        for (int64_t i = 0; i < count; i++)
            s[i] = (REAL)c.scale;
        return;
    }
    for (int64_t i = 0; i < count; i += LANES) {
        REAL x[LANES];
        for (int l = 0; l < LANES; l++)
            x[l] = (REAL)c.scale - (REAL)((first + i + l) % 8) * (REAL)(1.0 / (1 << 20));
        for (int r = 0; r < c.rounds; r++)
            for (int l = 0; l < LANES; l++) {
                x[l] *= up;
                x[l] /= down;
            }
        for (int l = 0; l < LANES && i + l < count; l++)
            s[i + l] = x[l];
    }
}

/* CPU_PAPER: the serial loop of W13 eq. 2. */
static void NAME(paper)(int64_t n, REAL w0, struct pscheme_g_coefficient c, REAL *w)
{
    const REAL scale = (REAL)c.scale, up = (REAL)c.up, down = (REAL)c.down, offset = (REAL)c.offset;
    w[0] = w0;
    if (c.rounds == 0) {
        for (int64_t i = 1; i <= n; i++)
            w[i] = scale * w[i - 1] + offset;
        return;
    }
    for (int64_t i = 1; i <= n; i++) {
        REAL s = scale - (REAL)(i % 8) * (REAL)(1.0 / (1 << 20));
        for (int r = 0; r < c.rounds; r++) {
            s *= up;
            s /= down;
        }
        w[i] = s * w[i - 1] + offset;
    }
}

/* CPU_LANES: the same loop; LANES coefficients are computed together before it uses them. */
static void NAME(lanes)(int64_t n, REAL w0, struct pscheme_g_coefficient c, REAL *w)
{
    const REAL offset = (REAL)c.offset;
    w[0] = w0;
    for (int64_t i = 1; i <= n; i += LANES) {
        REAL s[LANES];
        int count = n - i + 1 < LANES ? (int)(n - i + 1) : LANES;
        NAME(coefficients)(i, count, c, s);
        for (int l = 0; l < count; l++)
            w[i + l] = s[l] * w[i + l - 1] + offset;
    }
}

/* CPU_CORES: P-scheme. Core k has w_i for i = k rows + 1 to (k + 1) rows; `a` holds the products of
 * s from the start of the part. */
static void NAME(cores)(int64_t n, REAL w0, struct pscheme_g_coefficient c, int cores, REAL *w,
                        REAL *a)
{
    const REAL offset = (REAL)c.offset;
    int64_t rows = (n + cores - 1) / cores;
    w[0] = w0;
#pragma omp parallel for num_threads(cores) schedule(static)
    for (int k = 0; k < cores; k++) { /* pre-computation: takes the value before the part as 0 */
        int64_t last = (k + 1) * rows < n ? (k + 1) * rows : n;
        REAL current = 0, product = 1, s[LANES];
        for (int64_t i = k * rows + 1; i <= last; i += LANES) {
            int count = last - i + 1 < LANES ? (int)(last - i + 1) : LANES;
            NAME(coefficients)(i, count, c, s);
            for (int l = 0; l < count; l++) {
                w[i + l] = current = s[l] * current + offset;
                a[i + l] = product *= s[l];
            }
        }
    }
    for (int64_t end = rows; end < n; end += rows) /* propagation */
        w[end] += a[end] * w[end - rows];
#pragma omp parallel for num_threads(cores) schedule(static)
    for (int k = 0; k < cores; k++) { /* determination */
        /* Propagation has corrected the last element of every part but the last one. */
        int64_t last = (k + 1) * rows < n ? (k + 1) * rows - 1 : n;
        REAL carry = k * rows < n ? w[k * rows] : 0;
        for (int64_t i = k * rows + 1; i <= last; i++)
            w[i] += a[i] * carry;
    }
}

static void NAME(solve)(enum cpu_method method, int64_t n, REAL w0, struct pscheme_g_coefficient c,
                        int cores, REAL *w, REAL *products)
{
    if (method == CPU_PAPER)
        NAME(paper)(n, w0, c, w);
    else if (method == CPU_LANES)
        NAME(lanes)(n, w0, c, w);
    else
        NAME(cores)(n, w0, c, cores, w, products);
}
