/* The tables of the report for PL19: Tables 1 to 4, the peers. */
#include "report.h"

#include <math.h>

/* ---- PL19 Tables 1 to 4 ---- */

static const struct pl19_table {
    const char *title, *base; /* base: over which CPU code the speed-ups are */
    bool times;               /* of the kernels, instead of their speed-ups over one CPU thread */
    const char *variant[5];   /* the paper's, then those that only this repository has */
} pl19_table[] = {
    {"Table 1: Thomas", "thomas_cpu", false, {"thomas_shared", "thomas_global", "thomas_tile"}},
    {"Table 2: SERICR", "sericr_cpu", false, {"sericr_shared", "sericr_global"}},
    {"Table 3: PARACR",
     "sericr_cpu",
     false,
     {"paracr_partial", "paracr_shared", "paracr_global", "paracr_block"}},
    {"Table 4: Thomas and PARACR",
     "thomas_cpu",
     true,
     {"thomas_shared", "paracr_partial", "thomas_tile", "paracr_block"}},
};
enum { PL19_N = 4095, PL19_LEAST = 5000 };

/* What the paper's text says of a table, "" if nothing. */
static const char *pl19_text(size_t number)
{
    const struct table *table = published("pogorelskikh2019_text.csv");
    const char *says = "";
    for (size_t row = 0; table != NULL && row < table->rows; row++)
        if (same(text_at(table, row, "where"), text("table%zu", number)))
            says = joined(says, ", ", "%s over %s %s", text_at(table, row, "variant"),
                          text_at(table, row, "over"), text_at(table, row, "ratio"));
    return says[0] == '\0' ? "" : text(" The paper's text says: %s.", says);
}

static struct where pl19_where(const char *variant, const char *type, double batch,
                               const char *phase, double cores)
{
    return WHERE(.file = "thomas_batch.csv", .variant = variant, .type = type, .n = PL19_N,
                 .batch = batch, .phase = phase, .cores = cores);
}

/* A row for each variant and batch: times in ms, or speed-ups over one CPU thread. */
static struct grid *pl19_grid(const struct run *run, size_t number_, struct list batches)
{
    static const struct {
        const char *suffix, *type, *phase;
    } column[] = {{"", "s", "total"},
                  {"_interleaved", "s", "total"},
                  {"", "d", "total"},
                  {"_interleaved", "d", "total"},
                  {"", "s", "total+transfers"}};
    const struct pl19_table *of = &pl19_table[number_ - 1];
    const struct table *paper = published(text("pogorelskikh2019_table%zu.csv", number_));
    const char *unit = of->times ? " [ms]" : "";
    struct grid *grid =
        GRID(of->times ? text("%s, time", of->title)
                       : text("%s, speed-up over %s on one thread", of->title, of->base),
             text("n = %d, each variant at its best T.%s", PL19_N, pl19_text(number_)), "variant",
             "systems", text("paper%s", unit), text("single%s", unit),
             text("single, interleaved%s", unit), text("double%s", unit),
             text("double, interleaved%s", unit), text("single, with transfers%s", unit));
    for (size_t v = 0; v < 5 && of->variant[v] != NULL; v++)
        for (size_t b = 0; b < batches.count; b++) {
            double batch = batches.x[b], value[5];
            double theirs =
                of->times ? 1e3 * published_number(paper, of->variant[v], "batch", batch, "seconds")
                          : published_number(paper, of->variant[v], "batch", batch, "speedup");
            bool known = !isnan(theirs);
            for (size_t i = 0; i < 5; i++) {
                const char *type = column[i].type,
                           *name = text("%s%s", of->variant[v], column[i].suffix);
                double ms = time_ms(run, pl19_where(name, type, batch, column[i].phase, ABSENT)),
                       cpu = time_ms(run, pl19_where(of->base, type, batch, "total", 1));
                value[i] = of->times ? ms : cpu / ms;
                known = known || !isnan(value[i]);
            }
            if (!known)
                continue;
            add_cells(grid, of->variant[v], whole(batch), number(theirs));
            for (size_t i = 0; i < 5; i++)
                add_cell(grid, number(value[i]));
        }
    return grid;
}

/* The speed-ups over the CPU code on all cores, in single precision. */
static struct grid *pl19_cores_grid(const struct run *run, size_t number_, struct list batches,
                                    double cores)
{
    const struct pl19_table *of = &pl19_table[number_ - 1];
    struct grid *grid = GRID(text("%s, speed-up over %s on %.0f cores", of->title, of->base, cores),
                             text("n = %d, single precision, contiguous systems.", PL19_N),
                             "variant", "systems", "kernels", "with transfers");
    for (size_t v = 0; v < 5 && of->variant[v] != NULL; v++)
        for (size_t b = 0; b < batches.count; b++) {
            double batch = batches.x[b];
            double cpu = time_ms(run, pl19_where(of->base, "s", batch, "total", PRESENT));
            double kernels = time_ms(run, pl19_where(of->variant[v], "s", batch, "total", ABSENT));
            double with =
                time_ms(run, pl19_where(of->variant[v], "s", batch, "total+transfers", ABSENT));
            if (isnan(cpu / kernels) && isnan(cpu / with))
                continue;
            add_cells(grid, of->variant[v], whole(batch), number(cpu / kernels),
                      number(cpu / with));
        }
    return grid;
}

struct grids table_pl19(const struct run *run)
{
    struct grids grids = {0};
    struct where where = WHERE(.file = "thomas_batch.csv", .n = PL19_N);
    struct list batches = distinct(run, where, MEMBER(batch));
    double cores = most(distinct(run, where, MEMBER(cores)));
    where.cores = ABSENT;
    if (fastest(run, where) == NULL) /* no kernel was timed */
        return grids;
    for (size_t i = 1; i <= sizeof pl19_table / sizeof *pl19_table; i++) {
        add_grid(&grids, pl19_grid(run, i, batches));
        if (cores > 1)
            add_grid(&grids, pl19_cores_grid(run, i, batches, cores));
    }
    return grids;
}

/* ---- PL19: peers ---- */

/* What the rows of one problem (type, n and batch) are in the tables of peers. */
enum role {
    OWN,
    PEER,
    OWN_INTERLEAVED,
    PEER_INTERLEAVED,
    REARRANGE,
    PINNED,
    PAGEABLE,
    LAPACK,
    ROLES,
    NO_ROLE = ROLES
};
struct problem {
    const char *type;
    double n, batch;
    const struct measurement *fastest[ROLES];
};

/* What a column of plots/tables/batch_variants.csv says of a variant, "" if it is not there. */
static const char *said(const struct table *variants, const char *variant, const char *column)
{
    for (size_t row = 0; variants != NULL && row < variants->rows; row++)
        if (same(text_at(variants, row, "variant"), variant))
            return text_at(variants, row, column);
    return "";
}

static enum role role_of(const struct table *variants, const struct measurement *row)
{
    if (same(row->variant, "lapack_gtsv"))
        return LAPACK;
    if (!isnan(row->cores))
        return NO_ROLE;
    if (same(row->variant, "transfers"))
        return same(row->phase, "pinned")     ? PINNED
               : same(row->phase, "pageable") ? PAGEABLE
                                              : NO_ROLE;
    if (!same(row->phase, "total"))
        return NO_ROLE;
    if (same(row->variant, "interleave"))
        return REARRANGE;
    const char *family = said(variants, row->variant, "family");
    bool interleaved = same(said(variants, row->variant, "layout"), "interleaved");
    return same(family, "kernel") ? (interleaved ? OWN_INTERLEAVED : OWN)
           : same(family, "peer") ? (interleaved ? PEER_INTERLEAVED : PEER)
                                  : NO_ROLE;
}

/* One system: beside thomas_batch also the solver and cuSPARSE's gtsv2_nopivot of that n. */
static void add_one_system(const struct run *run, struct problem *problem)
{
    static const struct {
        const char *variant;
        enum role role;
    } more[] = {{"tridiagonal", OWN}, {"cusparse_gtsv2_nopivot", PEER}};
    for (size_t i = 0; i < 2 && problem->batch == 1; i++) {
        const struct measurement *row =
            fastest(run, WHERE(.program = TRIDIAGONAL, .variant = more[i].variant, .phase = "total",
                               .type = problem->type, .n = problem->n, .batch = ABSENT));
        const struct measurement **best = &problem->fastest[more[i].role];
        *best = shorter(*best, row);
    }
}

/* The problem of a row, which is added to all[] if it is new. */
static struct problem *problem_of(struct problem *all, size_t *count, const struct measurement *row)
{
    for (size_t i = 0; i < *count; i++)
        if (same(all[i].type, row->type) && all[i].n == row->n && all[i].batch == row->batch)
            return &all[i];
    all[*count] = (struct problem){.type = row->type, .n = row->n, .batch = row->batch};
    return &all[(*count)++];
}

/* The name of a variant without the words that the table's title says. */
static const char *bare(const struct table *variants, const struct measurement *row)
{
    const char *name = row == NULL ? UNKNOWN : said(variants, row->variant, "name");
    return name[0] == '\0' ? row->variant : name;
}

static void add_peers(struct grid *grid, const struct table *variants,
                      const struct problem *problem, enum role own, enum role peer)
{
    bool with_peer_name = peer == PEER_INTERLEAVED;
    const struct measurement *ours = problem->fastest[own], *theirs = problem->fastest[peer];
    if (ours == NULL && theirs == NULL)
        return;
    add_cells(grid, type_text(problem->type), sizes_text(problem->n, problem->batch),
              bare(variants, ours), number(ms_of(ours)));
    if (with_peer_name)
        add_cell(grid, bare(variants, theirs));
    add_cells(grid, number(ms_of(theirs)), number(ms_of(theirs) / ms_of(ours)));
    if (with_peer_name)
        return;
    const struct measurement *lapack = problem->fastest[LAPACK];
    add_cells(grid, number(ms_of(lapack)), whole(lapack == NULL ? NAN : lapack->cores));
}

struct grids table_pl19_peers(const struct run *run)
{
    struct grid *contiguous =
        GRID("Peers: contiguous systems",
             "The fastest kernel of this repository that was run at this size, of the papers or "
             "beyond them (tridiagonal_batch for many systems, tridiagonal for one; some sizes "
             "were run without these), beside cuSPARSE (gtsv2StridedBatch, for one system also "
             "gtsv2_nopivot if it is faster) and LAPACK on the CPU, on as many cores as the last "
             "column says.",
             "type", "n × systems", "ours", "ours [ms]", "cuSPARSE [ms]", "cuSPARSE over ours",
             "LAPACK [ms]", "LAPACK's cores");
    struct grid *interleaved =
        GRID("Peers: interleaved systems",
             "The fastest kernel of this repository that was run at this size, of the papers or "
             "beyond them (tridiagonal_batch), beside the fastest algorithm of "
             "gtsvInterleavedBatch of cuSPARSE.",
             "type", "n × systems", "ours", "ours [ms]", "cuSPARSE", "cuSPARSE [ms]",
             "cuSPARSE over ours");
    struct grid *around =
        GRID("Rearrangement and transfers",
             "Contiguous systems must be rearranged (four arrays to the interleaved layout, x "
             "back) before an interleaved solver can take them, and transferred if they come from "
             "the CPU, from pinned or from pageable memory.",
             "type", "n × systems", "rearrangement [ms]", "transfers, pinned [ms]",
             "transfers, pageable [ms]");
    struct problem *all = keep((run->rows + 1) * sizeof *all);
    const struct table *variants = table_read("plots/tables/batch_variants.csv");
    size_t count = 0;
    const struct measurement *row;
    const struct where batches = WHERE(.program = BATCH, .batch = PRESENT, .in_main_file = true);
    for (size_t from = 0; (row = find(run, batches, &from)) != NULL;) {
        enum role role = role_of(variants, row);
        if (role == NO_ROLE)
            continue;
        const struct measurement **best = &problem_of(all, &count, row)->fastest[role];
        *best = shorter(*best, row);
    }
    for (size_t i = 0; i < count; i++) {
        /* Batches of fewer systems than the paper's have a figure of their own. */
        if (all[i].batch > 1 && all[i].batch < PL19_LEAST)
            continue;
        add_one_system(run, &all[i]);
        add_peers(contiguous, variants, &all[i], OWN, PEER);
        add_peers(interleaved, variants, &all[i], OWN_INTERLEAVED, PEER_INTERLEAVED);
        const struct measurement *const *best = all[i].fastest;
        if (best[REARRANGE] == NULL && best[PINNED] == NULL && best[PAGEABLE] == NULL)
            continue;
        add_cells(around, type_text(all[i].type), sizes_text(all[i].n, all[i].batch),
                  number(ms_of(best[REARRANGE])), number(ms_of(best[PINNED])),
                  number(ms_of(best[PAGEABLE])));
    }
    struct grids grids = {0};
    add_grid(&grids, contiguous);
    add_grid(&grids, interleaved);
    add_grid(&grids, around);
    return grids;
}
