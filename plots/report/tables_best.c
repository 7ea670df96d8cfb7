/* The best time of each variant over all configurations that were run. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which rows of a program the table shows. baseline: the variant over which speed-ups are computed.
 * cores: of the baseline, 0 if it has no such column. no_gain: the variants that get no speed-up,
 * because they solve another problem. n: a size that is shown beside 256K, 1M and the largest one.
 * of: the programs that measure the baseline, NULL: the same one. */
static const struct settings {
    const char *programs, *baseline;
    double cores, n;
    const char *no_gain, *of;
} settings[] = {
    {RECURRENCE, "cpu_paper", 0, 0, "", RECURRENCE},
    {BATCH, "thomas_cpu", 1, 0, "", BATCH},
    {TRIDIAGONAL, "thomas_cpu", 1, 300000, "floor_9 floor_5", TRIDIAGONAL},
    {"pcr", "serial", 0, 0, "", "pscheme_gpu"},
    {NULL, "serial", 0, 0, "tridiagonal_block tridiagonal cusparse_gtsv2",
     NULL}, /* every other program */
};

static const struct settings *settings_of(const char *program)
{
    const struct settings *result = settings;
    while (result->programs != NULL && !listed(result->programs, program))
        result++;
    return result;
}

/* The fastest row of a variant and size, also with transfers and with rearrangement. */
struct best {
    const char *program, *variant, *type;
    double n, batch;
    const struct measurement *total, *transfers, *rearranged;
    size_t order, program_order; /* in which they and their program were first seen */
};
struct bests {
    struct best *best;
    size_t count;
};

static bool same_size(const struct best *a, const struct best *b)
{
    return a->n == b->n && (a->batch == b->batch || (isnan(a->batch) && isnan(b->batch)));
}

static struct best *best_of(struct bests *bests, const struct measurement *row)
{
    struct best is = {.program = row->program,
                      .variant = row->variant,
                      .type = row->type,
                      .n = row->n,
                      .batch = row->batch,
                      .order = bests->count,
                      .program_order = bests->count};
    for (size_t i = 0; i < bests->count; i++) {
        struct best *best = &bests->best[i];
        if (!same(best->program, is.program))
            continue;
        if (best->program_order < is.program_order)
            is.program_order = best->program_order;
        if (same(best->variant, is.variant) && same(best->type, is.type) && same_size(best, &is))
            return best;
    }
    bests->best[bests->count] = is;
    return &bests->best[bests->count++];
}

/* Without cases M and H of W13, which arithmetic limits. They have a table of their own. */
static struct bests bests_of(const struct run *run)
{
    struct bests bests = {.best = keep((run->rows + 1) * sizeof *bests.best)};
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, WHERE(.n = PRESENT), &from)) != NULL;) {
        if (listed("M H", row->case_))
            continue;
        if (same(row->phase, "total"))
            best_of(&bests, row)->total = shorter(best_of(&bests, row)->total, row);
        else if (same(row->phase, "total+transfers"))
            best_of(&bests, row)->transfers = shorter(best_of(&bests, row)->transfers, row);
        else if (same(row->phase, "total+rearrange"))
            best_of(&bests, row)->rearranged = shorter(best_of(&bests, row)->rearranged, row);
    }
    return bests;
}

/* Whether a variant only moves memory. */
static bool is_ceiling(const struct best *best)
{
    return listed("copy copy_cpu triad four_reads", best->variant);
}

/* Shown are, for a program that solves one system, n = 256K, 1M, the largest n and the one of its
 * settings; for a program that solves batches, the largest batch and the largest single system of
 * each type; the ceilings at their largest n only, because small arrays stay in the cache. */
static bool is_shown(const struct bests *bests, const struct best *best)
{
    double largest = 0, widest = 0, longest = 0, ceiling = 0;
    for (size_t i = 0; i < bests->count; i++) {
        const struct best *other = &bests->best[i];
        if (!same(other->program, best->program))
            continue;
        if (same(other->variant, best->variant) && same(other->type, best->type))
            ceiling = fmax(ceiling, other->n);
        if (isnan(other->batch))
            largest = fmax(largest, other->n);
        if (other->batch == 1 && same(other->type, best->type))
            longest = fmax(longest, other->n);
        widest = fmax(widest, isnan(other->batch) ? 0 : other->batch);
    }
    if (is_ceiling(best))
        return best->n == ceiling;
    if (isnan(best->batch))
        return best->n == 1 << 18 || best->n == 1 << 20 || best->n == largest ||
               best->n == settings_of(best->program)->n;
    return best->batch == 1 ? best->n == longest : best->batch == widest;
}

/* The time of the baseline of the same problem in ms, or NaN. */
static double baseline_ms(const struct run *run, const struct best *best)
{
    const struct settings *of = settings_of(best->program);
    if (listed(of->no_gain, best->variant) || is_ceiling(best) || same(best->variant, "interleave"))
        return NAN;
    struct where where =
        WHERE(.program = of->of != NULL ? of->of : best->program, .variant = of->baseline,
              .type = best->type, .phase = "total", .n = best->n,
              .batch = isnan(best->batch) ? ABSENT : best->batch, .cores = of->cores);
    const struct measurement *row, *fast = NULL;
    for (size_t from = 0; (row = find(run, where, &from)) != NULL;)
        if (!listed("M H", row->case_))
            fast = shorter(fast, row);
    return ms_of(fast);
}

static const char *plural(double count, const char *of)
{
    return text("%.0f %s%s", count, of, count == 1 ? "" : "s");
}

/* The configuration of a row. */
static const char *at(const struct measurement *row)
{
    if (row == NULL)
        return UNKNOWN;
    const char *cores = isnan(row->cores) ? "" : plural(row->cores, "core");
    if (!isnan(row->ranks))
        return text("%s%s%s", plural(row->ranks, "rank"), cores[0] ? " of at most " : "", cores);
    if (!isnan(row->nest))
        return text("P1 = %.0f, n_it = %.0f%s%s", row->parts, row->nest, cores[0] ? ", " : "",
                    cores);
    if (!isnan(row->blocks))
        return text("G = %.0f, T = %.0f", row->blocks, row->threads);
    return cores[0] == '\0' ? UNKNOWN : cores;
}

/* By program, type and size, then as first seen, which is the order of the ladder of kernels. */
static int by_problem(const void *x, const void *y)
{
    static const char types[] = "sdcz";
    const struct best *a = x, *b = y;
    const double of_a[] = {(double)a->program_order, (double)strcspn(types, a->type), a->n,
                           isnan(a->batch) ? 0 : a->batch, (double)a->order},
                 of_b[] = {(double)b->program_order, (double)strcspn(types, b->type), b->n,
                           isnan(b->batch) ? 0 : b->batch, (double)b->order};
    size_t i = 0;
    while (i < 4 && of_a[i] == of_b[i])
        i++;
    return (of_a[i] > of_b[i]) - (of_a[i] < of_b[i]);
}

static struct grid *best_grid(const struct best *best, bool continued)
{
    return GRID(
        text("Best times: %s, %s%s%s", best->program, type_text(best->type),
             strlen(best->type) == 1 && strchr("sd", best->type[0]) != NULL ? " precision" : "",
             continued ? ", continued" : ""),
        "Each variant at the fastest configuration that was run. GB/s counts the least bytes that "
        "the "
        "algorithm needs; copy and triad are the speed of the memory.",
        "n", "variant", "best at", "time [ms]", "with transfers [ms]", "with rearrangement [ms]",
        "GB/s", text("over %s", settings_of(best->program)->baseline));
}

static void add_best(struct grid *grid, const struct run *run, const struct best *best)
{
    add_cells(grid, sizes_text(best->n, best->batch), best->variant, at(best->total),
              number(ms_of(best->total)), number(ms_of(best->transfers)),
              number(ms_of(best->rearranged)), number(gb_per_s(best->total)),
              number(baseline_ms(run, best) / ms_of(best->total)));
}

/* The maximum number of rows, unless one size alone has more. */
enum { ROWS = 40 };

struct grids table_best(const struct run *run)
{
    struct bests all = bests_of(run), shown = {.best = keep((all.count + 1) * sizeof *shown.best)};
    for (size_t i = 0; i < all.count; i++)
        if (is_shown(&all, &all.best[i]))
            shown.best[shown.count++] = all.best[i];
    if (shown.count > 0)
        qsort(shown.best, shown.count, sizeof *shown.best, by_problem);
    struct grids grids = {0};
    struct grid *grid = NULL;
    size_t rows = 0;
    for (size_t from = 0, to; from < shown.count; from = to) {
        const struct best *best = &shown.best[from];
        for (to = from; to < shown.count && same(shown.best[to].program, best->program) &&
                        same(shown.best[to].type, best->type) && same_size(&shown.best[to], best);
             to++)
            ;
        bool continued =
            from > 0 && same(best[-1].program, best->program) && same(best[-1].type, best->type);
        if (!continued || rows + to - from > ROWS) {
            if (grid != NULL)
                add_grid(&grids, grid);
            grid = best_grid(best, continued);
            rows = 0;
        }
        rows += to - from;
        for (size_t i = from; i < to; i++)
            add_best(grid, run, &shown.best[i]);
    }
    if (grid != NULL)
        add_grid(&grids, grid);
    return grids;
}
