/* The tables of the report for W12, W13 and L22: the cost models, W13 Table I, its baselines. */
#include "report.h"

#include <math.h>

/* ---- the cost models of W12 and W13 ---- */

/* (alpha+gamma)/beta of the paper, from which its P_opt follows: sqrt(ratio N). */
static double paper_ratio(const char *case_)
{
    return same(case_, "")    ? 0.5 /* W12: P_opt = sqrt(N/2), eq. 18 */
           : same(case_, "L") ? 2.7 /* W13 eq. 6 */
           : same(case_, "M") ? 21.1
           : same(case_, "H") ? 92.8
                              : NAN;
}

/* W13's tables have the paper's kernel (extended) and two of this repository's improvements. */
static bool is_in_paper(const struct phase_fit *fit, bool w13)
{
    bool has_case = fit->case_[0] != '\0';
    return has_case == w13 && (!w13 || listed("extended warp fused", fit->variant));
}

/* The first cells of a row. W12 has no cases. */
static void add_problem(struct grid *grid, const struct phase_fit *fit)
{
    add_cells(grid, with_type(fit->variant, fit->type), size_text(fit->n),
              fit->case_[0] == '\0' ? UNKNOWN : fit->case_);
}
static void add_misfits(struct grid *grid, const double misfit[3])
{
    add_text(grid, "%s, %s, %s", percent(misfit[0]), percent(misfit[1]), percent(misfit[2]));
}

struct grids table_cost_model(const struct run *run, const char *paper)
{
    bool w13 = same(paper, "W13");
    struct grid *origin = GRID(
        text("Cost model, %s", w13 ? "W13 eq. 3-5" : "W12 eq. 14-16"),
        "Pre-computation takes alpha N/P, propagation beta P, determination gamma N/P, fitted to "
        "all (G, T) with relative weights. Misfit: root mean square of the relative residuals of "
        "the three phases.",
        "variant", "N", "case", "alpha [ns]", "beta [ns]", "gamma [ns]", "misfits [%]");
    struct grid *constants =
        GRID("Cost model with constants",
             "A constant is added to the time of each phase, because a kernel that does nothing "
             "takes time, too.",
             "variant", "N", "case", "alpha [ns]", "beta [ns]", "gamma [ns]", "constants [µs]",
             "misfits [%]");
    struct grid *best =
        GRID(text("Best number of threads, %s", w13 ? "W13 eq. 7" : "W12 eq. 18"),
             "P_opt = sqrt((alpha+gamma)N/beta), by the fit without and with constants and by the "
             "paper's constants, beside the fastest G and T that were run.",
             "variant", "N", "case", "P_opt", "with constants", "the paper's", "best G × T = P",
             "time [ms]");
    struct phase_fits fits = fit_phases(run);
    for (size_t i = 0; i < fits.count; i++) {
        const struct phase_fit *fit = &fits.fit[i];
        if (!is_in_paper(fit, w13))
            continue;
        add_problem(origin, fit);
        add_cells(origin, number(fit->ns[0]), number(fit->ns[1]), number(fit->ns[2]));
        add_misfits(origin, fit->misfit);
        add_problem(constants, fit);
        add_cells(constants, number(fit->ns1[0]), number(fit->ns1[1]), number(fit->ns1[2]));
        add_text(constants, "%s, %s, %s", number(fit->fixed_us[0]), number(fit->fixed_us[1]),
                 number(fit->fixed_us[2]));
        add_misfits(constants, fit->misfit1);
        add_problem(best, fit);
        add_cells(best, whole(fit->popt), whole(fit->popt1),
                  whole(sqrt(paper_ratio(fit->case_) * fit->n)));
        if (fit->blocks.count == 0) {
            add_cells(best, UNKNOWN, UNKNOWN);
            continue;
        }
        double G = fit->blocks.x[fit->best], T = fit->best_threads.x[fit->best];
        add_text(best, "%.0f × %.0f = %.0f", G, T, G * T);
        add_cell(best, number(fit->best_ms.x[fit->best]));
    }
    struct grids grids = {0};
    add_grid(&grids, origin);
    add_grid(&grids, constants);
    add_grid(&grids, best);
    return grids;
}

/* ---- W13 Table I and the baselines ---- */

enum { TRANSPOSITIONS = 3 };

struct grids table_w13_table1(const struct run *run)
{
    static const char *const variant[TRANSPOSITIONS] = {"transpose_global", "transpose_tile",
                                                        "transpose_padded"};
    const struct table *paper = published("wakatani2013_table1.csv");
    struct where where = WHERE(.file = "pscheme_g.csv", .phase = "rearrange");
    const struct measurement *copy =
        fastest(run, WHERE(.file = "pscheme_g.csv", .variant = "copy"));
    struct grid *times =
        GRID("Table I: time of the rearrangement alone",
             "Through global memory and through tiles of shared memory. A padded row avoids bank "
             "conflicts.",
             "N", "P", "global [ms]", "tiles [ms]", "padded tiles [ms]", "paper: global [ms]",
             "paper: tiles [ms]");
    struct grid *speeds = GRID("Table I: gain of tiles, and bandwidth",
                               copy == NULL ? ""
                                            : text("A large copy in the same run reaches %s GB/s.",
                                                   number(gb_per_s(copy))),
                               "N", "gain of tiles", "of padded tiles", "paper: gain",
                               "global [GB/s]", "tiles [GB/s]", "padded [GB/s]");
    struct list sizes = distinct(run, where, MEMBER(n));
    static const char *const types[] = {"s", "d"};
    for (size_t i = 0; i < 2 * sizes.count; i++) {
        const struct measurement *row[TRANSPOSITIONS];
        where.type = types[i / sizes.count];
        where.n = sizes.x[i % sizes.count];
        for (size_t k = 0; k < TRANSPOSITIONS; k++) {
            where.variant = variant[k];
            row[k] = fastest(run, where);
        }
        const struct measurement *any = row[0] != NULL ? row[0] : row[1] != NULL ? row[1] : row[2];
        if (any == NULL)
            continue;
        double global = published_number(paper, variant[0], "n", where.n, "median_ms");
        double tiles = published_number(paper, variant[1], "n", where.n, "median_ms");
        add_cells(times, with_type(size_text(where.n), where.type), whole(any->parts));
        for (size_t k = 0; k < TRANSPOSITIONS; k++)
            add_cell(times, number(ms_of(row[k])));
        add_cells(times, number(global), number(tiles));
        add_cells(speeds, with_type(size_text(where.n), where.type),
                  number(ms_of(row[0]) / ms_of(row[1])), number(ms_of(row[0]) / ms_of(row[2])),
                  number(global / tiles));
        for (size_t k = 0; k < TRANSPOSITIONS; k++)
            add_cell(speeds, number(gb_per_s(row[k])));
    }
    struct grids grids = {0};
    add_grid(&grids, times);
    add_grid(&grids, speeds);
    return grids;
}

enum { BASELINES = 3 };

static void add_kernel(struct grid *grid, const struct measurement *row,
                       const double cpu_ms[BASELINES])
{
    add_cells(grid, row->case_, with_type(size_text(row->n), row->type), row->variant);
    add_text(grid, "%s × %s", whole(row->blocks), whole(row->threads));
    add_cell(grid, number(row->median_ms));
    for (size_t i = 0; i < BASELINES; i++)
        add_cell(grid, number(cpu_ms[i] / row->median_ms));
}

struct grids table_w13_baselines(const struct run *run)
{
    static const char *const name[BASELINES] = {"cpu_paper", "cpu_lanes", "cpu_cores"};
    struct where where = WHERE(.file = "pscheme_g.csv", .phase = "total");
    const struct measurement *cores =
        fastest(run, WHERE(.file = "pscheme_g.csv", .variant = "cpu_cores"));
    const char *all =
        cores == NULL || isnan(cores->cores) ? "all cores" : text("%.0f cores", cores->cores);
    struct grid *cpu =
        GRID("CPU baselines",
             "The paper's baseline is one thread without SIMD. The fair one computes s_i in SIMD "
             "lanes on all cores.",
             "case", "N", "one thread [ms]", "one thread, SIMD [ms]", text("%s, SIMD [ms]", all));
    struct grid *gpu =
        GRID("Best GPU times over the CPU baselines",
             "For each case the paper's kernel (extended) and, where another is faster, the "
             "fastest of all, with their speed-ups.",
             "case", "N", "kernel", "G × T", "time [ms]", "over one thread", "over SIMD",
             text("over %s", all));
    static const char *const types[] = {"s", "d"}, *const cases[] = {"L", "M", "H"};
    struct list sizes = distinct(run, where, MEMBER(n));
    for (size_t i = 0; i < 2 * sizes.count; i++)
        for (size_t k = 0; k < 3; k++) {
            struct where one = WHERE(.file = where.file, .phase = where.phase, .case_ = cases[k],
                                     .type = types[i / sizes.count], .n = sizes.x[i % sizes.count]);
            one.cores = ABSENT;
            const struct measurement *best = fastest(run, one);
            if (best == NULL)
                continue;
            one.cores = 0;
            double cpu_ms[BASELINES];
            add_cells(cpu, cases[k], with_type(size_text(one.n), one.type));
            for (size_t b = 0; b < BASELINES; b++) {
                one.variant = name[b];
                cpu_ms[b] = time_ms(run, one);
                add_cell(cpu, number(cpu_ms[b]));
            }
            one.variant = "extended";
            const struct measurement *extended = fastest(run, one);
            if (extended != NULL && extended != best)
                add_kernel(gpu, extended, cpu_ms);
            add_kernel(gpu, best, cpu_ms);
        }
    struct grids grids = {0};
    add_grid(&grids, cpu);
    add_grid(&grids, gpu);
    return grids;
}

/* ---- the cost model of L22 ---- */

/* The most applications in L22. More are in the figure of the best n_it. */
enum { L22_NESTS = 3 };

struct grids table_l22_fits(const struct run *run)
{
    struct grid *levels =
        GRID("Cost model, L22 eq. 7",
             "Double complex. The time alpha n/P1 + beta P1 + constant is fitted to all P1 of "
             "n_it = 1 with relative weights, and once without the constant, as in the paper. "
             "Misfit: root mean square of the relative residuals.",
             "n", "alpha [ns]", "beta [ns]", "constant [µs]", "misfit [%]",
             "alpha, no constant [ns]", "beta, no constant [ns]", "misfit, no constant [%]");
    struct grid *optima =
        GRID("Best number of blocks P1, L22 eq. 8",
             "Predicted: n/ratio with ratio = (n beta/alpha)^(1/(n_it+1)), the best P1 if the "
             "blocks of every application are the best ones. With nshape's blocks: if "
             "application l has P1^((n_it-l)/n_it) blocks. Measured: the vertex of a parabola "
             "through the best P1 that was run and its neighbours.",
             "n", "n_it", "predicted", "with nshape's blocks", "measured", "best P1 run");
    struct grid *times =
        GRID("Times that the cost model predicts",
             "The model with alpha and beta of n_it = 1, at the best P1 that was run. Misfit: "
             "over all P1.",
             "n", "n_it", "best P1 run", "time [ms]", "model [ms]", "misfit [%]");
    struct nest_fits fits = fit_nests(run);
    struct list sizes = distinct(run, WHERE(.program = "nshape", .type = "z"), MEMBER(n));
    for (size_t i = 0; i < fits.count * sizes.count; i++) {
        const struct nest_fit *fit = &fits.fit[i % fits.count];
        if (!same(fit->type, "z") || fit->n != sizes.x[i / fits.count])
            continue;
        const char *n = text("%s%s", size_text(fit->n),
                             same(fit->variant, "nshape_atomic") ? ", atomic additions" : "");
        if (!isnan(fit->alpha1_ns)) {
            add_cells(levels, n, number(fit->alpha1_ns), number(fit->beta1_ns),
                      number(fit->fixed_us), percent(fit->misfit1), number(fit->alpha_ns),
                      number(fit->beta_ns), percent(fit->misfit));
        }
        if (fit->nest > L22_NESTS)
            continue;
        add_cells(optima, n, whole(fit->nest), whole(fit->popt), whole(fit->popt_plan),
                  whole(fit->optimum), whole(fit->best_parts));
        add_cells(times, n, whole(fit->nest), whole(fit->best_parts), number(fit->best_ms),
                  number(fit->model_ms), percent(fit->misfit1));
    }
    struct grids grids = {0};
    add_grid(&grids, levels);
    add_grid(&grids, optima);
    add_grid(&grids, times);
    return grids;
}
