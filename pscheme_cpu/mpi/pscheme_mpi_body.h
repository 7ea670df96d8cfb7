/* P-scheme over MPI ranks for one floating-point type; pscheme_mpi.c defines REAL, REAL_MPI and
 * NAME. */

/* ---- maps ---- */

/* MPI operator: each map in `second` becomes the map that applies `first` (of the lower ranks) and
 * then `second`. The map v -> value + factor v has the elements value, factor. */
static void NAME(compose_affine)(void *first, void *second, int *count, MPI_Datatype *type)
{
    (void)type;
    const REAL *f = first;
    REAL *g = second;
    for (int k = 0; k < *count; k++, f += AFFINE, g += AFFINE) {
        g[0] = g[0] + g[1] * f[0];
        g[1] = g[1] * f[1];
    }
}

/* The same for maps v -> phat + e v / (1 + c v) of map_precompute, with the elements phat, e, c.
 * Such a map belongs to the matrix (phat c + e, phat; c, 1), whose determinant is e. `pivot` is
 * zero if the first map sends 0 to the pole of the second: a pivot vanishes when the two parts are
 * joined and solved alone, and phat becomes NaN. README.md has the derivation. */
static void NAME(compose_moebius)(void *first, void *second, int *count, MPI_Datatype *type)
{
    (void)type;
    const REAL *f = first;
    REAL *g = second;
    for (int k = 0; k < *count; k++, f += MOEBIUS, g += MOEBIUS) {
        REAL pivot = 1 + g[2] * f[0];
        g[0] = NAME(good_pivot)(pivot, 1) ? g[0] + g[1] * f[0] / pivot : (REAL)NAN;
        g[2] = f[2] + g[2] * f[1] / pivot;
        g[1] = (g[1] / pivot) * (f[1] / pivot);
    }
}

/* ---- propagation ---- */

/* Propagation (W12 section II-B). `map`, the map of this rank's rows, is overwritten. *value, the
 * value before the part, is an input on the first rank and an output on the others. A known value
 * is the constant map (value, 0, …), and composing it with a map applies the map to it.
 *
 * With PSCHEME_MPI_CHAIN ranks - 1 messages of one element follow each other. With
 * PSCHEME_MPI_EXSCAN messages are maps, in about log2(ranks) steps. */
static int NAME(propagate)(enum pscheme_mpi_how how, MPI_Comm comm,
                           const struct pscheme_mpi_map *kind, REAL *map, REAL *value)
{
    int rank, ranks;
    TRY_MPI(MPI_Comm_rank(comm, &rank));
    TRY_MPI(MPI_Comm_size(comm, &ranks));
    REAL before[MOEBIUS] = {*value};
    if (how == PSCHEME_MPI_CHAIN) {
        if (rank > 0)
            TRY_MPI(MPI_Recv(before, 1, REAL_MPI, rank - 1, TAG, comm, MPI_STATUS_IGNORE));
        if (rank < ranks - 1) {
            TRY_MPI(MPI_Reduce_local(before, map, 1, kind->elements, kind->compose));
            TRY_MPI(MPI_Send(map, 1, REAL_MPI, rank + 1, TAG, comm));
        }
    } else {
        if (rank == 0)
            TRY_MPI(MPI_Reduce_local(before, map, 1, kind->elements, kind->compose));
        TRY_MPI(MPI_Exscan(map, before, 1, kind->elements, kind->compose, comm));
    }
    if (rank > 0)
        *value = before[0];
    return 0;
}

/* The map of a rank with m rows is the value and the factor of its last row, after a bad pivot NaN.
 * Without rows it is the identity, with the value -0, because -0 + v is v for every v, whereas 0 +
 * v is +0 for v = -0. */
static void NAME(set_map)(int64_t bad, int64_t m, const REAL *value, const REAL *factor, REAL *map)
{
    map[0] = bad != NO_ROW ? (REAL)NAN : m > 0 ? *value : -(REAL)0;
    map[1] = bad != NO_ROW ? 0 : m > 0 ? *factor : 1;
}

/* ---- the solvers ---- */

/* W12 eq. 4-6 by the three phases for p, for q, and for x. A rank with a bad pivot goes on and
 * sends NaN, because the others wait for its messages. At the end all ranks receive the row. A rank
 * with a bad array acts as a rank without rows, with small local arrays. */
int64_t NAME(pscheme_mpi_solve)(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                                const REAL *diag, const REAL *off, const REAL *rhs, REAL *x,
                                REAL *work, double *seconds)
{
    if (refused_mpi(mpi, n, 1, how))
        return PSCHEME_REFUSED;
    int rank, ranks, refused = !HAS_ARRAYS(diag, off, rhs, x, work) || !has_seconds(seconds);
    TRY_MPI(MPI_Comm_rank(mpi->up, &rank));
    TRY_MPI(MPI_Comm_size(mpi->up, &ranks));
    int64_t start, m = pscheme_mpi_rows(n > 2 ? n - 2 : 0, ranks, rank, &start);
    REAL no_rows[5 * 2] = {0}, no_x[2]; /* no_rows has pscheme_mpi_work_elements(0) elements */
    double no_seconds[PHASES] = {0};
    if (refused) {
        m = 0;
        diag = off = rhs = work = no_rows;
        x = no_x;
        seconds = seconds ? no_seconds : NULL;
    }
    REAL *p = work, *q = p + m + 2, *u = q + m + 2, *v = u + m + 2, *w = v + m + 2, map[MOEBIUS];
    double since = 0;
    TRY_MPI(phases_begin(mpi, seconds, &since));

    /* The three phases for p. u, v and w hold phat, c and e of every row. */
    int64_t bad = bad_pivot(PRECOMPUTE_P, start, NAME(map_precompute)(0, m, diag, off, u, v, w));
    if (refused)
        bad = PSCHEME_REFUSED; /* less than every row, so it is the minimum over all ranks */
    TRY_MPI(phase_ends(mpi, PRECOMPUTE, seconds, &since));
    NAME(set_map)(bad, m, u + m, w + m, map);
    map[2] = bad == NO_ROW && m > 0 ? v[m] : 0;
    p[0] = 0;
    TRY_MPI(NAME(propagate)(how, mpi->up, &mpi->NAME(moebius), map, p));
    TRY_MPI(phase_ends(mpi, PROPAGATE, seconds, &since));
    if (bad == NO_ROW)
        bad = bad_pivot(DETERMINE_P, start, NAME(map_determine)(0, 1, m, u, v, w, p));
    TRY_MPI(phase_ends(mpi, DETERMINE, seconds, &since));

    /* The three phases for q. u holds the product of p from the start of the part to each row. */
    if (bad == NO_ROW)
        bad = bad_pivot(PRECOMPUTE_Q, start, NAME(q_precompute)(0, m, diag, off, rhs, p, u, q));
    TRY_MPI(phase_ends(mpi, PRECOMPUTE, seconds, &since));
    NAME(set_map)(bad, m, q + m, u + m, map);
    q[0] = rank == 0 ? rhs[0] : 0;
    TRY_MPI(NAME(propagate)(how, mpi->up, &mpi->NAME(affine), map, q));
    TRY_MPI(phase_ends(mpi, PROPAGATE, seconds, &since));
    if (bad == NO_ROW)
        NAME(linear_determine)(m, 1, 1, u, q, q);
    TRY_MPI(phase_ends(mpi, DETERMINE, seconds, &since));

    /* The three phases for x, from the last rank to the first. u holds the product of p from each
     * row to the end of the part. */
    REAL after = 0, product = 1;
    for (int64_t i = m; i > 0 && bad == NO_ROW; i--) {
        x[i] = after = p[i] * after + q[i];
        u[i] = product *= p[i];
    }
    TRY_MPI(phase_ends(mpi, PRECOMPUTE, seconds, &since));
    NAME(set_map)(bad, m, x + 1, u + 1, map);
    x[m + 1] = rank == ranks - 1 ? rhs[m + 1] : 0;
    TRY_MPI(NAME(propagate)(how, mpi->down, &mpi->NAME(affine), map, x + m + 1));
    int64_t first_bad;
    TRY_MPI(MPI_Allreduce(&bad, &first_bad, 1, MPI_INT64_T, MPI_MIN, mpi->up));
    TRY_MPI(phase_ends(mpi, PROPAGATE, seconds, &since));
    if (first_bad == PSCHEME_REFUSED)
        return PSCHEME_REFUSED;
    if (first_bad != NO_ROW)
        return first_bad & (((int64_t)1 << SWEEP_SHIFT) - 1);
    if (rank == 0)
        x[0] = q[0]; /* W12 eq. 6 with p_0 = 0 */
    NAME(linear_determine)(m, 1, 1, u, x + m + 1, x);
    TRY_MPI(phase_ends(mpi, DETERMINE, seconds, &since));
    return 0;
}

int64_t NAME(pscheme_mpi_recurrence)(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how,
                                     int64_t n, REAL w0, const REAL *s, const REAL *t, REAL *w,
                                     REAL *work, double *seconds)
{
    if (refused_mpi(mpi, n, 0, how))
        return PSCHEME_REFUSED;
    int rank, ranks;
    TRY_MPI(MPI_Comm_rank(mpi->up, &rank));
    TRY_MPI(MPI_Comm_size(mpi->up, &ranks));
    int64_t start, m = pscheme_mpi_rows(n, ranks, rank, &start);
    int refused = !HAS_ARRAYS(w, work) || (m > 0 && !HAS_ARRAYS(s, t)) || !has_seconds(seconds);
    REAL no_w[1], no_work[1];
    double no_seconds[PHASES] = {0};
    if (refused) {
        m = 0;
        w = no_w;
        work = no_work;
        seconds = seconds ? no_seconds : NULL;
    }
    REAL *a = work, map[AFFINE], before = 0, product = 1;
    double since = 0;
    TRY_MPI(phases_begin(mpi, seconds, &since));

    for (int64_t i = 1; i <= m; i++) {
        w[i] = before = s[i - 1] * before + t[i - 1];
        a[i] = product *= s[i - 1];
    }
    TRY_MPI(phase_ends(mpi, PRECOMPUTE, seconds, &since));

    NAME(set_map)(refused ? PSCHEME_REFUSED : NO_ROW, m, w + m, a + m, map);
    w[0] = rank == 0 ? w0 : 0;
    TRY_MPI(NAME(propagate)(how, mpi->up, &mpi->NAME(affine), map, w));
    TRY_MPI(phase_ends(mpi, PROPAGATE, seconds, &since));

    NAME(linear_determine)(m, 1, 1, a, w, w);
    TRY_MPI(phase_ends(mpi, DETERMINE, seconds, &since));
    return refused ? PSCHEME_REFUSED : 0;
}
