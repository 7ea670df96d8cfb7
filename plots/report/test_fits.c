/* Tests of the fits and of the tables: made-up times with exactly known constants. */
#include "test_report.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- the phases ---- */

enum { N = 1 << 18 };
/* alpha, beta and gamma in ns, and the constants in µs. */
struct model {
    double ns[3], fixed_us[3];
};
static const struct model plain = {{40, 50, 200}, {0}}, offset = {{40, 50, 200}, {5, 1, 3}};

/* Rows of n = N for each phase and the total at these G and T. They begin with `key`, which is
 * program, variant, type and n. */
static const char *phase_rows(const char *rows, const char *key, const char *case_, double G,
                              double T, struct model model)
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    double total = 0;
    for (size_t i = 0; i < 4; i++) {
        double x = i == 1 ? G * T : N / (G * T);
        double ms = i == 3 ? total : 1e-6 * model.ns[i] * x + 1e-3 * model.fixed_us[i];
        total += ms;
        rows = joined(rows, "", "%s,,%.0f,%.0f,,,,,%s,%s,D,%.17g,,ok\n", key, G, T, case_, phase[i],
                      ms);
    }
    return rows;
}

/* Rows for G = 4, 8, 16 and T = 16, 64, 256. */
static const char *sweep(const char *key, const char *case_, struct model model)
{
    const char *rows = "";
    for (double G = 4; G <= 16; G *= 2)
        for (double T = 16; T <= 256; T *= 4)
            rows = phase_rows(rows, key, case_, G, T, model);
    return rows;
}

static const char w12[] = "pscheme_gpu,rearranged,s,262144", w13[] = "pscheme_g,extended,s,262144";

/* The fit of pscheme_gpu's times that follow this model. */
static struct phase_fit fit_to(struct model model)
{
    struct run run = run_of("pscheme_gpu.csv", sweep(w12, "", model));
    return fit_phases(&run).fit[0];
}

static void test_phases(void)
{
    struct run run = run_of("pscheme_gpu.csv", sweep(w12, "", plain));
    struct phase_fits fits = fit_phases(&run);
    const struct phase_fit *found = phase_fit(fits, "rearranged", "s", "", N);
    EXPECT(fits.count == 1 && found != NULL, "%zu fits", fits.count);
    EXPECT(phase_fit(fits, "rearranged", "d", "", N) == NULL &&
               phase_fit(fits, "block", "s", "", N) == NULL &&
               phase_fit(fits, "rearranged", "s", "L", N) == NULL &&
               phase_fit(fits, "rearranged", "s", "", 1) == NULL,
           "other fits are not found");
    struct phase_fit fit = *found, with = fit_to(offset);
    double popt = sqrt(240.0 / 50 * N);
    for (size_t i = 0; i < 3; i++) {
        EXPECT(about(fit.ns[i], plain.ns[i], 1e-9) && fit.misfit[i] < 1e-9, "%zu: %g ns", i,
               fit.ns[i]);
        EXPECT(about(fit.ns1[i], plain.ns[i], 1e-9) && fabs(fit.fixed_us[i]) < 1e-6,
               "%zu: %g ns, %g us", i, fit.ns1[i], fit.fixed_us[i]);
        EXPECT(about(with.ns1[i], offset.ns[i], 1e-9) && with.misfit1[i] < 1e-9 &&
                   about(with.fixed_us[i], offset.fixed_us[i], 1e-9),
               "%zu: %g ns, %g us", i, with.ns1[i], with.fixed_us[i]);
        EXPECT(with.misfit[i] > 1e-3, "%zu: the line through the origin does not fit", i);
    }
    EXPECT(about(fit.popt, popt, 1e-9) && about(fit.popt1, popt, 1e-9), "popt %g", fit.popt);
    EXPECT(about(with.popt1, popt, 1e-9) && !about(with.popt, popt, 1e-3), "%g", with.popt);
    /* P = 1024 is nearest to 1122. Three (G, T) have it, and the first of them is kept. */
    EXPECT(fit.blocks.count == 3 && fit.blocks.x[0] == 4 && fit.best_threads.x[0] == 256 &&
               fit.best == 0,
           "best of %zu G", fit.blocks.count);
    EXPECT(about(fit.best_ms.x[0], 1e-6 * (240.0 * N / 1024 + 50 * 1024), 1e-9), "its time");
    EXPECT(fit.blocks.x[2] == 16 && fit.best_threads.x[2] == 64, "best T of G = 16");
    /* Propagation that becomes faster with P has a negative beta and no best P. */
    fit = fit_to((struct model){{40, -50, 200}, {0, 500, 0}});
    EXPECT(about(fit.ns1[1], -50, 1e-9) && isnan(fit.popt1) && fit.popt > 0, "%g", fit.ns1[1]);
    fit = fit_to((struct model){{-40, -50, -20}, {500, 500, 500}});
    EXPECT(isnan(fit.popt1), "nor if all three are negative");
    const char *rows = phase_rows(phase_rows("", w12, "", 4, 16, plain), w12, "", 8, 128, plain);
    run = run_of("pscheme_gpu.csv", phase_rows(rows, w12, "", 16, 16, plain));
    EXPECT(fit_phases(&run).fit[0].best == 1, "G = 8 is the best");
}

/* Which rows are fitted. */
static void test_phase_rows(void)
{
    const char *two = phase_rows(phase_rows("", w13, "L", 4, 16, plain), w13, "L", 4, 64, plain),
               *same_P = phase_rows(
                   phase_rows(phase_rows("", w13, "L", 4, 64, plain), w13, "L", 8, 32, plain), w13,
                   "L", 16, 16, plain),
               *rows = sweep(w13, "L", plain);
    struct run run = run_of("pscheme_g.csv", two);
    EXPECT(fit_phases(&run).count == 0, "two points are too few");
    run = run_of("pscheme_g.csv", same_P);
    EXPECT(fit_phases(&run).count == 0, "three points with the same P are too few");
    run = run_of("pscheme_g.csv", rows);
    EXPECT(run_add(&run, "pscheme_g_16M.csv", text(COLUMNS "%s", sweep(w13, "L", offset))) &&
               run_add(&run, "pscheme_gpu.csv", text(COLUMNS "%s", sweep(w12, "", offset))),
           "a file of other problems, another program");
    struct phase_fits fits = fit_phases(&run);
    EXPECT(fits.count == 2 && same(fits.fit[0].program, "pscheme_gpu"), "%zu fits", fits.count);
    EXPECT(phase_fit(fits, "extended", "s", "L", N)->misfit[0] < 1e-9,
           "a file of other problems is not fitted");
    for (size_t i = 0; i < 2; i++) {
        const char *status = i == 0 ? "wrong" : "disturbed";
        run = run_of("pscheme_g.csv",
                     text("%s%s,,4,16,,,,,L,precompute,D,9,,%s\n%s,,4,16,,,,,L,total,D,1e-9,,%s\n",
                          rows, w13, status, w13, status));
        const struct phase_fit *fit = &fit_phases(&run).fit[0];
        EXPECT(fit->misfit[0] < 1e-9 && fit->best_ms.x[0] > 1e-3, "%s rows are not fitted", status);
    }
}

/* ---- nested partitions ---- */

static const char *nest_row(const char *rows, const char *variant, double nest, double parts,
                            double ms)
{
    return joined(rows, "", "nshape,%s,z,30000,,,,%.0f,,%.0f,,,total,D,%.17g,,ok\n", variant, parts,
                  nest, ms);
}

static const double n = 30000, alpha = 1e-3, beta = 3e-4, fixed = 0.02; /* ms */

/* Rows of n_it = 1 and 2 by the model, of n_it = 3 by a parabola with its lowest point at P1 = 200.
 * n_it = 1 has a slower row of another T. */
static const char *nest_rows(double beta_ms)
{
    const char *rows = "";
    for (double P = 1000; P >= 10; P /= sqrt(10)) {
        double whole = floor(P), root = sqrt(whole);
        const double ms[] = {100, alpha * n / whole + beta_ms * whole + fixed,
                             alpha * (n / whole + root) + beta_ms * root + fixed,
                             exp(pow(log(whole / 200), 2))};
        for (int i = 0; i < 4; i++)
            rows = nest_row(rows, "nshape", i == 0 ? 1 : i, whole, ms[i]);
    }
    return rows;
}

static void test_nests(void)
{
    struct run run = run_of("nshape.csv", nest_rows(beta));
    struct nest_fits fits = fit_nests(&run);
    EXPECT(fits.count == 3, "%zu fits", fits.count);
    const struct nest_fit *one = nest_fit(fits, "nshape", "z", n, 1);
    const struct nest_fit *two = nest_fit(fits, "nshape", "z", n, 2);
    const struct nest_fit *three = nest_fit(fits, "nshape", "z", n, 3);
    EXPECT(one != NULL && two != NULL && three != NULL, "each n_it is found");
    EXPECT(nest_fit(fits, "nshape", "z", n, 4) == NULL &&
               nest_fit(fits, "nshape", "c", n, 1) == NULL &&
               nest_fit(fits, "nshape_atomic", "z", n, 1) == NULL,
           "others are not");
    EXPECT(one->misfit1 < 1e-9 && one->misfit > 1e-3, "misfits %g, %g", one->misfit1, one->misfit);
    EXPECT(two->misfit1 < 1e-9 && isnan(two->alpha1_ns) && isnan(two->misfit), "predicted: %g",
           two->misfit1);
    EXPECT(three->misfit1 > 0.1, "the parabola is no model");
    EXPECT(isnan(two->optimum), "no optimum at the last P1");
    const struct {
        double is, wanted;
    } numbers[] = {{one->alpha1_ns, 1000},
                   {one->beta1_ns, 300},
                   {one->fixed_us, 20},
                   {one->popt, sqrt(n * alpha / beta)},
                   {one->popt_plan, one->popt},
                   {two->popt, n / cbrt(n * beta / alpha)},
                   {two->popt_plan, pow(2 * alpha * n / (beta + alpha), 2.0 / 3)},
                   {two->model_ms, two->best_ms},
                   {one->best_parts, 316},
                   {two->best_parts, 1000},
                   {three->best_parts, 316},
                   {three->optimum, 200}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        EXPECT(about(numbers[i].is, numbers[i].wanted, 1e-6), "%zu: %g", i, numbers[i].is);
    EXPECT(!about(one->alpha_ns, 1000, 1e-3), "without the constant %g", one->alpha_ns);
    run = run_of("nshape.csv", nest_rows(-1e-6));
    fits = fit_nests(&run);
    EXPECT(fits.fit[0].beta1_ns < 0 && isnan(fits.fit[0].popt) && isnan(fits.fit[0].model_ms),
           "a negative beta has no best P1");
    const char *rows = "";
    for (double P = 10; P <= 1000; P *= 10)
        rows = nest_row(rows, "nshape_atomic", 1, P, alpha * n / P + beta * P);
    run = run_of("nshape.csv", text("%snshape,nshape_cpu,z,30000,,,,10,2,1,,,total,D,1e-9,,ok\n"
                                    "nshape,nshape,z,30000,,,,10,2,1,,,total,D,1e-9,,ok\n",
                                    rows));
    fits = fit_nests(&run);
    EXPECT(fits.count == 1 && isnan(fits.fit[0].alpha1_ns) && isnan(fits.fit[0].popt) &&
               fits.fit[0].best_parts == 100,
           "three points are too few, and times on cores are others");
}

/* ---- the files ---- */

static void test_files(void)
{
    const char *directory = temporary_directory();
    const char *fit = text("%s/fit.csv", directory), *fit_l22 = text("%s/fit_l22.csv", directory);
    struct run run =
        run_of("pscheme_gpu.csv", text("%s%s", sweep(w12, "\"L,\"\"\"", plain), nest_rows(beta)));
    EXPECT(write_fits(&run, directory), "written");
    static const struct {
        const char *file, *column, *wanted;
        size_t row;
    } cells[] = {{"fit.csv", "alpha_ns", "40", 0},      {"fit.csv", "blocks", "", 0},
                 {"fit.csv", "case", "L,\"", 0},        {"fit.csv", "best_parts", "1024", 0},
                 {"fit.csv", "blocks", "16", 3},        {"fit.csv", "best_threads", "64", 3},
                 {"fit.csv", "alpha_ns", "", 3},        {"fit_l22.csv", "beta1_ns", "300", 0},
                 {"fit_l22.csv", "beta1_ns", "", 1},    {"fit_l22.csv", "optimum", "", 1},
                 {"fit_l22.csv", "optimum", "200.0", 2}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const struct table *table = table_read(text("%s/%s", directory, cells[i].file));
        const char *is = text_at(table, cells[i].row, cells[i].column);
        EXPECT(has_column(table, cells[i].column) && same(is, cells[i].wanted), "%s, row %zu: '%s'",
               cells[i].column, cells[i].row, is);
    }
    EXPECT(mkdir(text("%s.new", fit), 0700) == 0 && !write_fits(&run, directory) &&
               access(fit, F_OK) == 0 && rmdir(text("%s.new", fit)) == 0,
           "an old file stays if the new one cannot be written");
    struct run empty = {.directory = ""};
    EXPECT(write_fits(&empty, directory) && access(fit, F_OK) != 0 && access(fit_l22, F_OK) != 0,
           "old files are deleted");
    EXPECT(rmdir(directory) == 0, "nothing else is left");
    EXPECT(!write_fits(&run, directory), "a directory that is not there");
}

/* ---- the tables ---- */

enum { TABLES = 8 };
static void all_tables(const struct run *run, struct grids grids[TABLES])
{
    grids[0] = table_cost_model(run, "W12");
    grids[1] = table_cost_model(run, "W13");
    grids[2] = table_w13_table1(run);
    grids[3] = table_w13_baselines(run);
    grids[4] = table_pl19(run);
    grids[5] = table_pl19_peers(run);
    grids[6] = table_l22_fits(run);
    grids[7] = table_best(run);
}

static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80; /* the first byte of a character */
    return count;
}

/* The tables of a full run can be read, and are those of its committed report. */
static void test_reference_tables(void)
{
    const char *page = read_file(REFERENCE "/report.html");
    struct run run, empty = {.directory = ""};
    struct grids grids[TABLES];
    EXPECT(run_read(&run, REFERENCE), "the reference run");
    all_tables(&run, grids);
    for (size_t i = 0; i < TABLES; i++) {
        EXPECT(grids[i].count > 0, "table %zu", i);
        for (size_t k = 0; k < grids[i].count; k++) {
            const struct grid *grid = grids[i].grid[k];
            size_t widest = 0;
            const char *row = "";
            for (size_t c = 0; c < grid->cells; c++) {
                widest = width(grid->cell[c]) > widest ? width(grid->cell[c]) : widest;
                row = text("%s<td>%s</td>", c % grid->columns == 0 ? "" : row, grid->cell[c]);
                if (c % grid->columns == grid->columns - 1 && c >= grid->columns)
                    expect_lines(page, row, grid->title);
            }
            EXPECT(grid->columns <= 8 && grid->cells % grid->columns == 0 && widest <= 40 &&
                       grid->cells / grid->columns <= 41,
                   "%s: %zu columns, %zu cells, %zu wide", grid->title, grid->columns, grid->cells,
                   widest);
        }
    }
    all_tables(&empty, grids);
    for (size_t i = 0; i < TABLES; i++)
        EXPECT(grids[i].count == 0, "table %zu of an empty run", i);
}

/* What the reference run doesn't show: tables of a run that lacks some of the data. */
static void test_missing_data(void)
{
    const char *cpu = "thomas_batch,thomas_cpu,s,4095,5000,,,,1,,,,total,D,100,,ok\n",
               *cores = "thomas_batch,thomas_cpu,s,4095,5000,,,,4,,,,total,D,30,,ok\n",
               *gpu = "thomas_batch,thomas_shared,s,4095,5000,8,32,,,,,,total,D,5,,ok\n";
    struct run run = run_of("thomas_batch.csv", text("%s%s", cpu, cores));
    EXPECT(table_pl19(&run).count == 0, "no kernel was timed");
    run = run_of("thomas_batch.csv", text("%s%s", cpu, gpu));
    EXPECT(table_pl19(&run).count == 4, "no tables over all cores if there is one");
    run = run_of("thomas_batch.csv", text("%s%s%s", cpu, cores, gpu));
    EXPECT(table_pl19(&run).count == 6, "Tables 1 and 4 over all cores");
    struct grids peers = table_pl19_peers(&run);
    EXPECT(peers.count == 1 && peers.grid[0]->columns == 4, "no column without a number");
    run = run_of("pscheme_g.csv", "pscheme_g,cpu_lanes,s,262144,,,,,1,,,H,total,D,1,,ok\n"
                                  "pscheme_g,extended,s,262144,,16,64,,,,,H,total,D,4,,ok\n");
    EXPECT(table_w13_baselines(&run).grid[1]->cells == 12, "speed-ups over SIMD alone");
    run = run_of("nshape.csv", "nshape,nshape,s,1000,,,,10,,1,,,total,D,1,,ok\n");
    EXPECT(table_l22_fits(&run).count == 0, "double complex only");
    /* Neither wrong nor disturbed rows, other phases, cases M and H, nor any n. */
    run = run_of("pcr.csv", "any,pcr,s,262144,,32,128,,,,,,total,D,2,8e6,ok\n"
                            "any,pcr,s,262144,,32,256,,,,,,total,D,1,8e6,wrong\n"
                            "any,pcr,s,262144,,32,512,,,,,,total,D,1,8e6,disturbed\n"
                            "any,pcr,s,262144,,32,128,,,,,,precompute,D,1,8e6,ok\n"
                            "any,pcr,s,1000,,32,128,,,,,,total,D,1,8e6,ok\n"
                            "any,pcr,s,262144,,8,64,,,,,M,total,D,1,8e6,ok\n");
    const struct grid *best = table_best(&run).grid[0];
    EXPECT(best->cells == 10 && same(best->cell[7], "G = 32, T = 128"), "%s", best->cell[7]);
}

void test_fits(void)
{
    test_phases();
    test_phase_rows();
    test_nests();
    test_files();
    test_reference_tables();
    test_missing_data();
}
