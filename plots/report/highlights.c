/* The most telling times of a run: solvers beside their peers and the memory's speed. */
#include "report.h"

#include <math.h>

/* One sentence is made of the largest problem (n, then batch) that both the variant and its peer
 * have solved, each at its fastest configuration; it names the cores of both. Rows with a case of
 * W13 are left out: one_pass has some of few elements. ceiling: the variant whose bytes per time
 * are the memory's speed, or NULL. */
static const struct pair {
    const char *what, *programs, *variant, *phase, *type;
    const char *peer, *peer_name, *ceiling;
    double cores;   /* 0: any */
    double systems; /* the least number of them; 1: any */
} pairs[HIGHLIGHTS] = {
    {"The recurrence in one pass", RECURRENCE, "one_pass", "total", "s", "cub_scan", "CUB's scan",
     "triad", 0, 1},
    {"One tridiagonal system", TRIDIAGONAL, "tridiagonal", "total", "d", "cusparse_gtsv2_nopivot",
     "cuSPARSE without pivoting", "triad", 0, 1},
    {"Many tridiagonal systems", BATCH, "tridiagonal_batch", "total", "s", "cusparse_strided",
     "cuSPARSE", "triad", 0, 2},
    {"P-scheme on the GPU, array rearranged before", "pscheme_gpu", "rearranged", "total", "s",
     "serial", "one CPU thread", NULL, 0, 1},
    {"One tridiagonal system on the CPU", TRIDIAGONAL, "nshape_lanes", "total", "d", "lapack_gtsv",
     "LAPACK", NULL, 0, 1},
    {"Many tridiagonal systems on the CPU", BATCH, "thomas_cpu_lanes", "total", "d", "lapack_gtsv",
     "LAPACK", NULL, 0, 2},
    {"The recurrence on the CPU's lanes", "pscheme_cpu", "recurrence_lanes", "total", "s",
     "recurrence", "the plain loop", NULL, 0, 1},
    {"P-scheme for p_i (W12 eq. 5) on one CPU thread", "pscheme_cpu", "pscheme_eq13", "p", "s",
     "substitution", "the substitution", NULL, 1, 1},
};

static const char *time_text(double ms)
{
    return ms < 0.1   ? text("%.3g µs", 1e3 * ms)
           : ms < 1e4 ? text("%.3g ms", ms)
                      : text("%.3g s", ms / 1e3);
}

static struct where of(const struct pair *pair, const char *variant, const struct measurement *like)
{
    struct where where = {.program = pair->programs,
                          .variant = variant,
                          .case_ = "",
                          .phase = pair->phase,
                          .type = pair->type,
                          .cores = pair->cores};
    if (like != NULL) {
        where.n = like->n;
        where.batch = isnan(like->batch) ? ABSENT : like->batch;
    }
    return where;
}

/* The variant's fastest row of the largest problem that the peer has solved, too, or NULL. */
static const struct measurement *largest(const struct run *run, const struct pair *pair)
{
    const struct measurement *best = NULL, *row;
    for (size_t from = 0; (row = find(run, of(pair, pair->variant, NULL), &from)) != NULL;) {
        if (pair->systems > 1 && !(row->batch >= pair->systems))
            continue;
        double elements = row->n * (isnan(row->batch) ? 1 : row->batch);
        double most = best == NULL ? 0 : best->n * (isnan(best->batch) ? 1 : best->batch);
        if ((elements > most || (elements == most && row->median_ms < best->median_ms)) &&
            fastest(run, of(pair, pair->peer, row)) != NULL)
            best = row;
    }
    return best;
}

/* The largest copy or triad, NULL if there is none. */
static const struct measurement *ceiling_of(const struct run *run, const struct pair *pair)
{
    return pair->ceiling == NULL ? NULL
                                 : fastest_of_largest(run, WHERE(.program = pair->programs,
                                                                 .variant = pair->ceiling));
}

/* "one core" or "16 cores", "" if the row has no number of cores. */
static const char *cores_text(const struct measurement *row)
{
    return isnan(row->cores) ? "" : row->cores == 1 ? "one core" : text("%.0f cores", row->cores);
}

size_t highlights(const struct run *run, struct highlight highlight[HIGHLIGHTS])
{
    size_t count = 0;
    for (size_t i = 0; i < HIGHLIGHTS; i++) {
        const struct pair *pair = &pairs[i];
        const struct measurement *row = largest(run, pair);
        if (row == NULL)
            continue;
        const struct measurement *peer = fastest(run, of(pair, pair->peer, row));
        double ratio = peer->median_ms / row->median_ms;
        const char *sentence =
            text("%s (n = %s%s, %s%s%s): %s, ", pair->what, size_text(row->n),
                 row->batch > 1 ? text(", %.0f systems", row->batch) : "",
                 same(pair->type, "s") ? "single" : "double", isnan(row->cores) ? "" : ", ",
                 cores_text(row), time_text(row->median_ms));
        const char *beside = pair->peer_name;
        if (!isnan(peer->cores))
            beside = text("%s on %s", beside, cores_text(peer));
        sentence = ratio >= 1 ? joined(sentence, "", "%.1f times as fast as %s", ratio, beside)
                              : joined(sentence, "", "%.2f times as long as %s", 1 / ratio, beside);
        double share = 100 * gb_per_s(row) / gb_per_s(ceiling_of(run, pair));
        if (!isnan(share))
            sentence = joined(sentence, ", ", "at %.0f%% of the memory's speed", share);
        highlight[count++] = (struct highlight){text("%s.", sentence), row->device};
    }
    return count;
}
