/* The cost models of W12, W13 and L22, fitted to the times of a run.
 *
 * The method is least squares of the relative residuals, so that short and long times have the same
 * influence. Each model is fitted without constants, as in the papers, and with a constant in each
 * time, because a kernel that does nothing takes time, too. A misfit is the root mean square of the
 * relative residuals. */
#include "report.h"

#include <math.h>

/* ---- the three phases (W12, W13) ---- */

enum { PHASES = 3 };
static const char *const phase_name[PHASES] = {"precompute", "propagate", "determine"};

/* Keeps the fastest T of each G. */
static void add_total(struct phase_fit *fit, const struct measurement *row)
{
    size_t i = 0;
    while (i < fit->blocks.count && fit->blocks.x[i] != row->blocks)
        i++;
    if (i == fit->blocks.count) {
        list_add(&fit->blocks, row->blocks);
        list_add(&fit->best_threads, row->threads);
        list_add(&fit->best_ms, row->median_ms);
    } else if (row->median_ms < fit->best_ms.x[i]) {
        fit->best_threads.x[i] = row->threads;
        fit->best_ms.x[i] = row->median_ms;
    }
    if (fit->best_ms.x[i] < fit->best_ms.x[fit->best])
        fit->best = i;
}

/* Adds a row to the fit of its problem, which it adds if it is new. */
static void add_phase_row(struct phase_fits *fits, const struct measurement *row)
{
    struct phase_fit *fit = phase_fit(*fits, row->variant, row->type, row->case_, row->n);
    if (fit == NULL) {
        fit = &fits->fit[fits->count++];
        *fit = (struct phase_fit){.program = row->program,
                                  .variant = row->variant,
                                  .type = row->type,
                                  .case_ = row->case_,
                                  .n = row->n};
    }
    double P = row->blocks * row->threads;
    if (same(row->phase, "total"))
        add_total(fit, row);
    for (size_t i = 0; i < PHASES; i++)
        if (same(row->phase, phase_name[i])) {
            list_add(&fit->x[i], i == 1 ? P : row->n / P);
            list_add(&fit->y[i], row->median_ms);
        }
}

/* The best P (W12 eq. 18, W13 eq. 7), NaN if no P is best: a slope is not positive. */
static double best_threads(const double ns[PHASES], double n)
{
    double serial = ns[1], parallel = ns[0] + ns[2];
    return serial > 0 && parallel > 0 ? sqrt(parallel * n / serial) : NAN;
}

/* Returns false if a phase has too few different points to fit a line. */
static bool fit_times(struct phase_fit *fit)
{
    for (size_t i = 0; i < PHASES; i++) {
        struct list u[2] = {fit->x[i], {0}};
        for (size_t k = 0; k < u[0].count; k++)
            list_add(&u[1], 1);
        double origin, line[2];
        if (!fit_relative(2, u, fit->y[i], line, &fit->misfit1[i]) ||
            !fit_relative(1, u, fit->y[i], &origin, &fit->misfit[i]))
            return false;
        fit->ns[i] = 1e6 * origin;
        fit->ns1[i] = 1e6 * line[0];
        fit->fixed_us[i] = 1e3 * line[1];
    }
    fit->popt = best_threads(fit->ns, fit->n);
    fit->popt1 = best_threads(fit->ns1, fit->n);
    return true;
}

struct phase_fits fit_phases(const struct run *run)
{
    static const char *const programs[] = {"pscheme_gpu", "pscheme_g"};
    struct phase_fits all = {.fit = keep((run->rows + 1) * sizeof *all.fit)}, fits = all;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct where where = WHERE(.program = programs[i], .blocks = PRESENT, .threads = PRESENT,
                                   .n = PRESENT, .in_main_file = true);
        const struct measurement *row;
        for (size_t from = 0; (row = find(run, where, &from)) != NULL;)
            add_phase_row(&all, row);
    }
    for (size_t i = 0; i < all.count; i++)
        if (fit_times(&all.fit[i]))
            fits.fit[fits.count++] = all.fit[i];
    return fits;
}

struct phase_fit *phase_fit(struct phase_fits fits, const char *variant, const char *type,
                            const char *case_, double n)
{
    for (size_t i = 0; i < fits.count; i++) {
        struct phase_fit *fit = &fits.fit[i];
        if (fit->n == n && same(fit->variant, variant) && same(fit->type, type) &&
            same(fit->case_, case_))
            return fit;
    }
    return NULL;
}

/* ---- nested partitions (L22) ---- */

/* The P1 that were run with one n_it, in ascending order, and their times over all T. */
struct nest_points {
    struct list parts, ms;
};
static struct nest_points points_of(const struct run *run, struct where where)
{
    struct nest_points points = {.parts = distinct(run, where, MEMBER(parts))};
    for (size_t i = 0; i < points.parts.count; i++) {
        where.parts = points.parts.x[i];
        list_add(&points.ms, time_ms(run, where));
    }
    return points;
}

/* alpha, beta and the constant of t = alpha n/P1 + beta P1 + constant in ms. */
struct nest_model {
    double n, alpha, beta, fixed;
};
/* The time in ms with the blocks of nshape, P1^((n_it-l)/n_it) in application l (L22 eq. 7). */
static double model_ms(struct nest_model model, double nest, double parts)
{
    double ratio = pow(parts, 1 / nest);
    return model.alpha * (model.n / parts + (nest - 1) * ratio) + model.beta * ratio + model.fixed;
}
static double model_misfit(struct nest_model model, double nest, struct nest_points points)
{
    double sum = 0;
    for (size_t i = 0; i < points.ms.count; i++) {
        double residual = model_ms(model, nest, points.parts.x[i]) / points.ms.x[i] - 1;
        sum += residual * residual;
    }
    return sqrt(sum / (double)points.ms.count);
}

/* Fits the model to the points of n_it = 1, `with` and `without` a constant. The constant is the
 * time of the launches, so it is at least 0: a fit that makes it negative is replaced by the one
 * without it, which is the best fit under this bound. Returns false if the points are too few. */
static bool fit_one_level(struct nest_points points, double n, struct nest_model *without,
                          struct nest_model *with)
{
    struct list u[3] = {{0}};
    for (size_t i = 0; i < points.parts.count; i++) {
        list_add(&u[0], n / points.parts.x[i]);
        list_add(&u[1], points.parts.x[i]);
        list_add(&u[2], 1);
    }
    double c[3], c1[3], misfit;
    if (!fit_relative(3, u, points.ms, c1, &misfit) || !fit_relative(2, u, points.ms, c, &misfit))
        return false;
    *without = (struct nest_model){n, c[0], c[1], 0};
    *with = c1[2] < 0 ? *without : (struct nest_model){n, c1[0], c1[1], c1[2]};
    return true;
}

/* The P1 at the vertex of a parabola in logarithms through the fastest point and its neighbours. */
static double vertex(struct nest_points points, size_t best)
{
    const double *parts = &points.parts.x[best], *ms = &points.ms.x[best];
    double x0 = log(parts[-1] / parts[0]), x2 = log(parts[1] / parts[0]);
    double d0 = log(ms[-1] / ms[0]), d2 = log(ms[1] / ms[0]);
    if (!(d0 + d2 > 0))
        return parts[0];
    return parts[0] * exp((d0 * x2 * x2 - d2 * x0 * x0) / (d0 * x2 - d2 * x0) / 2);
}

/* Fills in the fastest P1 and the optimum. */
static void fit_best(struct nest_fit *fit, struct nest_points points)
{
    size_t best = 0;
    for (size_t i = 1; i < points.ms.count; i++)
        if (points.ms.x[i] < points.ms.x[best])
            best = i;
    fit->best_parts = points.parts.x[best];
    fit->best_ms = points.ms.x[best];
    if (best > 0 && best + 1 < points.ms.count)
        fit->optimum = vertex(points, best);
}

/* Fills in what the model says. */
static void fit_model(struct nest_fit *fit, struct nest_points points, struct nest_model without,
                      struct nest_model with)
{
    double nest = fit->nest, n = fit->n, alpha = with.alpha, beta = with.beta;
    fit->misfit1 = model_misfit(with, nest, points);
    if (nest == 1) {
        fit->misfit = model_misfit(without, nest, points);
        fit->alpha_ns = 1e6 * without.alpha;
        fit->beta_ns = 1e6 * without.beta;
        fit->alpha1_ns = 1e6 * alpha;
        fit->beta1_ns = 1e6 * beta;
        fit->fixed_us = 1e3 * with.fixed;
    }
    if (alpha > 0 && beta > 0) { /* otherwise the model has no minimum */
        fit->popt = n / pow(n * beta / alpha, 1 / (nest + 1));
        fit->popt_plan = pow(nest * alpha * n / (beta + (nest - 1) * alpha), nest / (nest + 1));
        fit->model_ms = model_ms(with, nest, fit->best_parts);
    }
}

/* Adds the fits of one variant, type and n, one for each n_it. */
static void add_nests(struct nest_fits *fits, const struct run *run, const struct measurement *row)
{
    struct where where = WHERE(.variant = row->variant, .type = row->type, .n = row->n);
    struct list nests = distinct(run, where, MEMBER(nest));
    struct nest_model without = {0}, with = {0};
    where.nest = 1;
    bool fitted = fit_one_level(points_of(run, where), row->n, &without, &with);
    for (size_t i = 0; i < nests.count; i++) {
        struct nest_fit *fit = &fits->fit[fits->count++];
        *fit =
            (struct nest_fit){row->variant, row->type, row->n, nests.x[i], NAN, NAN, NAN, NAN, NAN,
                              NAN,          NAN,       NAN,    NAN,        NAN, NAN, NAN, NAN};
        where.nest = nests.x[i];
        struct nest_points points = points_of(run, where);
        fit_best(fit, points);
        if (fitted)
            fit_model(fit, points, without, with);
    }
}

struct nest_fits fit_nests(const struct run *run)
{
    const struct run all =
        rows_where(run, WHERE(.program = "nshape", .phase = "total", .n = PRESENT, .parts = PRESENT,
                              .nest = PRESENT, .cores = ABSENT, .in_main_file = true));
    struct nest_fits fits = {.fit = keep((all.rows + 1) * sizeof *fits.fit)};
    for (size_t i = 0; i < all.rows; i++) {
        const struct measurement *row = &all.row[i];
        if (listed("nshape nshape_atomic", row->variant) &&
            nest_fit(fits, row->variant, row->type, row->n, 0) == NULL)
            add_nests(&fits, &all, row);
    }
    return fits;
}

const struct nest_fit *nest_fit(struct nest_fits fits, const char *variant, const char *type,
                                double n, double nest)
{
    for (size_t i = 0; i < fits.count; i++) {
        const struct nest_fit *fit = &fits.fit[i];
        if (fit->n == n && (nest == 0 || fit->nest == nest) && same(fit->variant, variant) &&
            same(fit->type, type))
            return fit;
    }
    return NULL;
}

/* ---- fit.csv and fit_l22.csv ---- */

/* A number for a CSV cell, "" for NaN. */
static const char *cell(const char *format, double x)
{
    char number[64];
    snprintf(number, sizeof number, format, x);
    return isnan(x) ? "" : text("%s", number);
}

/* A row with the fits and the fastest (G, T), then one for each G with its fastest T. */
static void write_phase_fit(FILE *file, const struct phase_fit *fit)
{
    const char *key = text("%s,%s,%.15g,%s", csv_field(fit->variant), csv_field(fit->type), fit->n,
                           csv_field(fit->case_));
    fprintf(file, "%s,,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f,%s,", key, fit->ns[0], fit->ns[1], fit->ns[2],
            fit->misfit[0], fit->misfit[1], fit->misfit[2], cell("%.2f", fit->popt));
    fprintf(file, "%.6g,%.6g,%.6g,%.4g,%.4g,%.4g,%.4f,%.4f,%.4f,%s,", fit->ns1[0], fit->ns1[1],
            fit->ns1[2], fit->fixed_us[0], fit->fixed_us[1], fit->fixed_us[2], fit->misfit1[0],
            fit->misfit1[1], fit->misfit1[2], cell("%.2f", fit->popt1));
    if (fit->blocks.count == 0)
        fprintf(file, ",,,\n");
    for (size_t i = 0; i <= fit->blocks.count && fit->blocks.count > 0; i++) {
        size_t k = i == 0 ? fit->best : i - 1;
        double G = fit->blocks.x[k], T = fit->best_threads.x[k];
        if (i > 0)
            fprintf(file, "%s,%.15g,,,,,,,,,,,,,,,,,,", key, G);
        fprintf(file, "%.15g,%.15g,%.15g,%.6g\n", G, T, G * T, fit->best_ms.x[k]);
    }
}

static bool write_phase_fits(struct phase_fits fits, const char *path)
{
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    fputs("variant,type,n,case,blocks,alpha_ns,beta_ns,gamma_ns,misfit_precompute,"
          "misfit_propagate,misfit_determine,popt,alpha1_ns,beta1_ns,gamma1_ns,"
          "fixed_precompute_us,fixed_propagate_us,fixed_determine_us,misfit1_precompute,"
          "misfit1_propagate,misfit1_determine,popt1,best_blocks,best_threads,best_parts,"
          "best_ms\n",
          file);
    for (size_t i = 0; i < fits.count; i++)
        write_phase_fit(file, &fits.fit[i]);
    return file_end(file, path);
}

static bool write_nest_fits(struct nest_fits fits, const char *path)
{
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    fputs("variant,type,n,nest,alpha_ns,beta_ns,misfit,alpha1_ns,beta1_ns,fixed_us,misfit1,popt,"
          "popt_plan,model_ms,optimum,best_parts,best_ms\n",
          file);
    for (size_t i = 0; i < fits.count; i++) {
        const struct nest_fit *fit = &fits.fit[i];
        fprintf(file, "%s,%s,%.15g,%.15g,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%.15g,%.6g\n",
                csv_field(fit->variant), csv_field(fit->type), fit->n, fit->nest,
                cell("%.6g", fit->alpha_ns), cell("%.6g", fit->beta_ns), cell("%.4f", fit->misfit),
                cell("%.6g", fit->alpha1_ns), cell("%.6g", fit->beta1_ns),
                cell("%.4g", fit->fixed_us), cell("%.4f", fit->misfit1), cell("%.1f", fit->popt),
                cell("%.1f", fit->popt_plan), cell("%.6g", fit->model_ms),
                cell("%.1f", fit->optimum), fit->best_parts, fit->best_ms);
    }
    return file_end(file, path);
}

bool write_fits(const struct run *run, const char *directory)
{
    const char *phases = text("%s/fit.csv", directory), *nests = text("%s/fit_l22.csv", directory);
    struct phase_fits phase_fits = fit_phases(run);
    struct nest_fits nest_fits = fit_nests(run);
    if (phase_fits.count == 0)
        remove(phases); /* that of an earlier run, if it is there */
    if (nest_fits.count == 0)
        remove(nests);
    return (phase_fits.count == 0 || write_phase_fits(phase_fits, phases)) &&
           (nest_fits.count == 0 || write_nest_fits(nest_fits, nests));
}
