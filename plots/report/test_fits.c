/* Tests of the fits and of the tables: made-up times with exactly known constants. */
#include "test_report.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the phases ---- */

/* alpha, beta and gamma in ns, and the constants in µs. */
struct made {
    double ns[3], fixed_us[3];
};

/* A row for each phase and the total at these G and T. They begin with `key`, which is program,
 * variant, type and n. */
static const char *phase_rows(const char *rows, const char *key, const char *case_, double n,
                              double G, double T, struct made made)
{
    static const char *const phase[] = {"precompute", "propagate", "determine"};
    double total = 0;
    for (size_t i = 0; i < 3; i++) {
        double x = i == 1 ? G * T : n / (G * T);
        double ms = 1e-6 * made.ns[i] * x + 1e-3 * made.fixed_us[i];
        total += ms;
        rows = joined(rows, "", "%s,,%.0f,%.0f,,,,,%s,%s,D,%.17g,,ok\n", key, G, T, case_, phase[i],
                      ms);
    }
    return joined(rows, "", "%s,,%.0f,%.0f,,,,,%s,total,D,%.17g,,ok\n", key, G, T, case_, total);
}

/* Rows for G = 4, 8, 16 and T = 16, 64, 256. */
static const char *sweep(const char *key, const char *case_, double n, struct made made)
{
    const char *rows = "";
    for (double G = 4; G <= 16; G *= 2)
        for (double T = 16; T <= 256; T *= 4)
            rows = phase_rows(rows, key, case_, n, G, T, made);
    return rows;
}

enum { N = 1 << 18 };
static const struct made plain = {{40, 50, 200}, {0}}, offset = {{40, 50, 200}, {5, 1, 3}};

static void test_phases(void)
{
    const char *key = "pscheme_gpu,rearranged,s,262144";
    struct run run = run_of("pscheme_gpu.csv", sweep(key, "", N, plain));
    struct phase_fits fits = fit_phases(&run);
    EXPECT(fits.count == 1, "%zu fits", fits.count);
    const struct phase_fit *fit = phase_fit(fits, "rearranged", "s", "", N);
    EXPECT(fit != NULL, "the fit is found");
    EXPECT(phase_fit(fits, "rearranged", "d", "", N) == NULL &&
               phase_fit(fits, "block", "s", "", N) == NULL &&
               phase_fit(fits, "rearranged", "s", "L", N) == NULL &&
               phase_fit(fits, "rearranged", "s", "", 1) == NULL,
           "other fits are not");
    for (size_t i = 0; i < 3; i++) {
        EXPECT(about(fit->ns[i], plain.ns[i], 1e-9) && fit->misfit[i] < 1e-9, "%zu: %g ns", i,
               fit->ns[i]);
        EXPECT(about(fit->ns1[i], plain.ns[i], 1e-9) && fabs(fit->fixed_us[i]) < 1e-6,
               "%zu: %g ns, %g us", i, fit->ns1[i], fit->fixed_us[i]);
    }
    double popt = sqrt(240.0 / 50 * N);
    EXPECT(about(fit->popt, popt, 1e-9) && about(fit->popt1, popt, 1e-9), "popt %g", fit->popt);
    /* P = 1024 is nearest to 1122. Three (G, T) have it, and the first of them is kept. */
    EXPECT(fit->blocks.count == 3 && fit->blocks.x[0] == 4 && fit->best_threads.x[0] == 256 &&
               fit->best == 0,
           "best of %zu G", fit->blocks.count);
    EXPECT(about(fit->best_ms.x[0], 1e-6 * (240.0 * N / 1024 + 50 * 1024), 1e-9), "its time");
    EXPECT(fit->blocks.x[2] == 16 && fit->best_threads.x[2] == 64, "best T of G = 16");
    run = run_of("pscheme_gpu.csv", sweep(key, "", N, offset));
    fit = &fit_phases(&run).fit[0];
    for (size_t i = 0; i < 3; i++) {
        EXPECT(about(fit->ns1[i], offset.ns[i], 1e-9) &&
                   about(fit->fixed_us[i], offset.fixed_us[i], 1e-9) && fit->misfit1[i] < 1e-9,
               "%zu: %g ns, %g us", i, fit->ns1[i], fit->fixed_us[i]);
        EXPECT(fit->misfit[i] > 1e-3, "%zu: the line through the origin does not fit", i);
    }
    EXPECT(about(fit->popt1, popt, 1e-9) && !about(fit->popt, popt, 1e-3), "popt %g, %g", fit->popt,
           fit->popt1);
    /* Propagation that becomes faster with P has a negative beta and no best P. */
    run = run_of("pscheme_gpu.csv", sweep(key, "", N, (struct made){{40, -50, 200}, {0, 500, 0}}));
    fit = &fit_phases(&run).fit[0];
    EXPECT(about(fit->ns1[1], -50, 1e-9) && isnan(fit->popt1) && fit->popt > 0, "beta %g",
           fit->ns1[1]);
    run = run_of("pscheme_gpu.csv",
                 sweep(key, "", N, (struct made){{-40, -50, -20}, {500, 500, 500}}));
    EXPECT(isnan(fit_phases(&run).fit[0].popt1), "nor if all three are negative");
    const char *rows = phase_rows("", key, "", N, 4, 16, plain);
    rows = phase_rows(rows, key, "", N, 8, 128, plain);
    run = run_of("pscheme_gpu.csv", phase_rows(rows, key, "", N, 16, 16, plain));
    EXPECT(fit_phases(&run).fit[0].best == 1, "G = 8 is the best");
}

/* Which rows are fitted. */
static void test_phase_rows(void)
{
    const char *key = "pscheme_g,extended,s,262144", *rows = "";
    for (double T = 16; T <= 64; T *= 4)
        rows = phase_rows(rows, key, "L", N, 4, T, plain);
    struct run run = run_of("pscheme_g.csv", rows);
    EXPECT(fit_phases(&run).count == 0, "two points are too few");
    rows =
        phase_rows(phase_rows(phase_rows("", key, "L", N, 4, 64, plain), key, "L", N, 8, 32, plain),
                   key, "L", N, 16, 16, plain);
    run = run_of("pscheme_g.csv", rows);
    EXPECT(fit_phases(&run).count == 0, "three points with the same P are too few");
    rows = sweep(key, "L", N, plain);
    run = run_of("pscheme_g.csv", rows);
    EXPECT(run_add(&run, "pscheme_g_16M.csv", text(COLUMNS "%s", sweep(key, "L", N, offset))),
           "a file of other problems");
    EXPECT(run_add(&run, "pscheme_gpu.csv",
                   text(COLUMNS "%s", sweep("pscheme_gpu,extended,s,262144", "", N, offset))),
           "another program");
    struct phase_fits fits = fit_phases(&run);
    EXPECT(fits.count == 2 && strcmp(fits.fit[0].program, "pscheme_gpu") == 0, "%zu fits",
           fits.count);
    EXPECT(phase_fit(fits, "extended", "s", "L", N)->misfit[0] < 1e-9,
           "a file of other problems is not fitted");
    for (size_t i = 0; i < 2; i++) {
        const char *status = i == 0 ? "wrong" : "disturbed";
        run = run_of("pscheme_g.csv",
                     text("%s%s,,4,16,,,,,L,precompute,D,9,,%s\n%s,,4,16,,,,,L,total,D,1e-9,,%s\n",
                          rows, key, status, key, status));
        const struct phase_fit *fit = &fit_phases(&run).fit[0];
        EXPECT(fit->misfit[0] < 1e-9 && fit->best_ms.x[0] > 1e-3, "%s rows are not fitted", status);
    }
}

/* ---- nested partitions ---- */

static const char *nest_row(const char *rows, const char *variant, double n, double nest,
                            double parts, double ms)
{
    return joined(rows, "", "nshape,%s,z,%.0f,,,,%.0f,,%.0f,,,total,D,%.17g,,ok\n", variant, n,
                  parts, nest, ms);
}

static const double alpha = 1e-3, beta = 3e-4, fixed = 0.02; /* ms */

/* Rows of n = 30000: n_it = 1 and 2 by the model, n_it = 3 by a parabola with its lowest point at
 * P1 = 200. Each has a slower row of another T. */
static const char *nest_rows(double beta_ms)
{
    const double n = 30000;
    const char *rows = "";
    for (double P = 1000; P >= 10; P /= sqrt(10)) {
        double whole = floor(P), root = sqrt(whole);
        rows = nest_row(rows, "nshape", n, 1, whole, 100);
        rows = nest_row(rows, "nshape", n, 1, whole, alpha * n / whole + beta_ms * whole + fixed);
        rows = nest_row(rows, "nshape", n, 2, whole,
                        alpha * (n / whole + root) + beta_ms * root + fixed);
        rows = nest_row(rows, "nshape", n, 3, whole, exp(pow(log(whole / 200), 2)));
    }
    return rows;
}

static void test_nests(void)
{
    const double n = 30000;
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
    EXPECT(about(one->alpha1_ns, 1000, 1e-9) && about(one->beta1_ns, 300, 1e-9) &&
               about(one->fixed_us, 20, 1e-6) && one->misfit1 < 1e-9,
           "alpha %g, beta %g, constant %g", one->alpha1_ns, one->beta1_ns, one->fixed_us);
    EXPECT(one->misfit > 1e-3 && !about(one->alpha_ns, 1000, 1e-3), "without the constant %g",
           one->misfit);
    EXPECT(about(one->popt, sqrt(n * alpha / beta), 1e-9) && about(one->popt_plan, one->popt, 1e-9),
           "popt %g", one->popt);
    EXPECT(about(two->popt, n / cbrt(n * beta / alpha), 1e-9), "n_it = 2: popt %g", two->popt);
    EXPECT(about(two->popt_plan, pow(2 * alpha * n / (beta + alpha), 2.0 / 3), 1e-9),
           "n_it = 2: with nshape's blocks %g", two->popt_plan);
    EXPECT(two->misfit1 < 1e-9 && about(two->model_ms, two->best_ms, 1e-9) &&
               isnan(two->alpha1_ns) && isnan(two->misfit),
           "n_it = 2 is predicted: %g", two->misfit1);
    EXPECT(one->best_parts == 316 && two->best_parts == 1000, "best P1 %g, %g", one->best_parts,
           two->best_parts);
    EXPECT(isnan(two->optimum), "no optimum at the last P1");
    EXPECT(three->best_parts == 316 && about(three->optimum, 200, 1e-9), "vertex %g",
           three->optimum);
    EXPECT(three->misfit1 > 0.1, "the parabola is no model");
    run = run_of("nshape.csv", nest_rows(-1e-6));
    fits = fit_nests(&run);
    EXPECT(fits.fit[0].beta1_ns < 0 && isnan(fits.fit[0].popt) && isnan(fits.fit[0].model_ms),
           "a negative beta has no best P1");
    const char *rows = "";
    for (double P = 10; P <= 1000; P *= 10)
        rows = nest_row(rows, "nshape_atomic", n, 1, P, alpha * n / P + beta * P);
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
        run_of("pscheme_gpu.csv",
               text("%s%s", sweep("pscheme_gpu,rearranged,s,262144", "\"L,\"\"\"", N, plain),
                    nest_rows(beta)));
    EXPECT(write_fits(&run, directory), "written");
    struct run again;
    EXPECT(run_read(&again, directory) && again.tables == 2, "%zu files", again.tables);
    const struct table *phases = run_table(&again, "fit.csv");
    EXPECT(phases->columns == 26 && phases->rows == 4, "%zu columns, %zu rows", phases->columns,
           phases->rows);
    EXPECT(strcmp(text_at(phases, 0, "alpha_ns"), "40") == 0 &&
               strcmp(text_at(phases, 0, "blocks"), "") == 0 &&
               strcmp(text_at(phases, 0, "case"), "L,\"") == 0 &&
               strcmp(text_at(phases, 0, "best_parts"), "1024") == 0,
           "the fit");
    EXPECT(strcmp(text_at(phases, 3, "blocks"), "16") == 0 &&
               strcmp(text_at(phases, 3, "best_threads"), "64") == 0 &&
               strcmp(text_at(phases, 3, "alpha_ns"), "") == 0,
           "the best T of G = 16");
    const struct table *nests = run_table(&again, "fit_l22.csv");
    EXPECT(nests->columns == 17 && nests->rows == 3, "%zu columns, %zu rows", nests->columns,
           nests->rows);
    EXPECT(strcmp(text_at(nests, 0, "beta1_ns"), "300") == 0 &&
               strcmp(text_at(nests, 1, "beta1_ns"), "") == 0 &&
               strcmp(text_at(nests, 1, "optimum"), "") == 0 &&
               strcmp(text_at(nests, 2, "optimum"), "200.0") == 0,
           "the fits");
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

/* The cell in the column with this head; row 1 is the first below it. "none" if there is none. */
static const char *cell(struct grids grids, size_t grid, size_t row, const char *head)
{
    if (grid >= grids.count)
        return "none";
    const struct grid *of = grids.grid[grid];
    for (size_t i = 0; i < of->columns; i++)
        if (strcmp(of->cell[i], head) == 0 && row * of->columns + i < of->cells)
            return of->cell[row * of->columns + i];
    return "none";
}
#define EXPECT_CELL(grids, grid, row, head, wanted)                                                \
    EXPECT(strcmp(cell(grids, grid, row, head), wanted) == 0, "%s, row %d: '%s'", head, row,       \
           cell(grids, grid, row, head))

static size_t rows_of(struct grids grids, size_t grid)
{
    return grid < grids.count ? grids.grid[grid]->cells / grids.grid[grid]->columns - 1 : 0;
}

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

/* The tables of a full run can be read. */
static void test_sizes(void)
{
    struct run run, empty = {.directory = ""};
    struct grids grids[TABLES];
    EXPECT(run_read(&run, "plots/reference/nvidia-h100-80gb-hbm3"), "the reference run");
    all_tables(&run, grids);
    for (size_t i = 0; i < TABLES; i++) {
        EXPECT(grids[i].count > 0, "table %zu", i);
        for (size_t k = 0; k < grids[i].count; k++) {
            const struct grid *grid = grids[i].grid[k];
            size_t widest = 0;
            for (size_t c = 0; c < grid->cells; c++)
                widest = width(grid->cell[c]) > widest ? width(grid->cell[c]) : widest;
            EXPECT(grid->columns <= 8 && grid->cells % grid->columns == 0 && widest <= 40 &&
                       rows_of(grids[i], k) <= 40,
                   "%s: %zu columns, %zu cells, %zu wide", grid->title, grid->columns, grid->cells,
                   widest);
        }
    }
    all_tables(&empty, grids);
    for (size_t i = 0; i < TABLES; i++)
        EXPECT(grids[i].count == 0, "table %zu of an empty run", i);
}

static void test_cost_tables(void)
{
    struct run run =
        run_of("pscheme_gpu.csv", sweep("pscheme_gpu,rearranged,s,262144", "", N, offset));
    EXPECT(run_add(&run, "pscheme_g.csv",
                   text(COLUMNS "%s%s", sweep("pscheme_g,extended,d,262144", "L", N, plain),
                        sweep("pscheme_g,block,s,262144", "L", N, plain))),
           "W13");
    struct grids w12 = table_cost_model(&run, "W12"), w13 = table_cost_model(&run, "W13");
    EXPECT(w12.count == 3 && w13.count == 3, "%zu, %zu tables", w12.count, w13.count);
    EXPECT(rows_of(w12, 0) == 1 && rows_of(w13, 0) == 1, "%zu, %zu rows", rows_of(w12, 0),
           rows_of(w13, 0));
    EXPECT_CELL(w12, 0, 1, "N", "256K");
    EXPECT_CELL(w12, 0, 1, "case", "none");
    EXPECT_CELL(w12, 1, 1, "alpha [ns]", "40.0");
    EXPECT_CELL(w12, 1, 1, "constants [µs]", "5.00, 1.00, 3.00");
    EXPECT_CELL(w12, 1, 1, "misfits [%]", "0, 0, 0");
    EXPECT_CELL(w12, 2, 1, "with constants", "1122");
    EXPECT_CELL(w12, 2, 1, "the paper's", "362");
    EXPECT_CELL(w12, 2, 1, "best G × T = P", "4 × 256 = 1024");
    EXPECT_CELL(w13, 0, 1, "variant", "extended, double");
    EXPECT_CELL(w13, 0, 1, "case", "L");
    EXPECT_CELL(w13, 2, 1, "P_opt", "1122");
    EXPECT_CELL(w13, 2, 1, "the paper's", "841");
}

static void test_w13_tables(void)
{
    const char *rows = "pscheme_g,transpose_global,s,256000,,,,1000,,,,,rearrange,D,0.4,2e6,ok\n"
                       "pscheme_g,transpose_tile,s,256000,,,,1000,,,,,rearrange,D,0.1,2e6,ok\n"
                       "pscheme_g,transpose_tile,s,256000,,,,1000,,,,,rearrange,D,0.01,2e6,wrong\n"
                       "pscheme_g,copy,s,1048576,,,,,,,,,total,D,1,2e9,ok\n"
                       "pscheme_g,cpu_paper,s,262144,,,,,1,,,M,total,D,60,,ok\n"
                       "pscheme_g,cpu_cores,s,262144,,,,,4,,,M,total,D,6,,ok\n"
                       "pscheme_g,extended,s,262144,,16,64,,,,,M,total,D,3,,ok\n"
                       "pscheme_g,fused,s,262144,,32,64,,,,,M,total,D,2,,ok\n"
                       "pscheme_g,cpu_lanes,s,262144,,,,,1,,,H,total,D,1,,ok\n"
                       "pscheme_g,extended,s,262144,,16,64,,,,,H,total,D,4,,ok\n";
    struct run run = run_of("pscheme_g.csv", rows);
    struct grids table1 = table_w13_table1(&run), baselines = table_w13_baselines(&run);
    EXPECT(table1.count == 2 && rows_of(table1, 0) == 1, "%zu tables", table1.count);
    EXPECT_CELL(table1, 0, 1, "N", "256000");
    EXPECT_CELL(table1, 0, 1, "tiles [ms]", "0.100");
    EXPECT_CELL(table1, 0, 1, "padded tiles [ms]", "none");
    EXPECT_CELL(table1, 0, 1, "paper: global [ms]", "0.330");
    EXPECT_CELL(table1, 1, 1, "gain of tiles", "4.00");
    EXPECT_CELL(table1, 1, 1, "paper: gain", "3.00");
    EXPECT_CELL(table1, 1, 1, "tiles [GB/s]", "20.0");
    EXPECT(strstr(table1.grid[1]->note, "2000 GB/s") != NULL, "%s", table1.grid[1]->note);
    EXPECT(baselines.count == 2 && rows_of(baselines, 0) == 2 && rows_of(baselines, 1) == 3,
           "%zu, %zu rows", rows_of(baselines, 0), rows_of(baselines, 1));
    EXPECT_CELL(baselines, 0, 1, "one thread [ms]", "60.0");
    EXPECT_CELL(baselines, 0, 1, "4 cores, SIMD [ms]", "6.00");
    EXPECT_CELL(baselines, 1, 1, "kernel", "extended");
    EXPECT_CELL(baselines, 1, 1, "over one thread", "20.0");
    EXPECT_CELL(baselines, 1, 2, "kernel", "fused");
    EXPECT_CELL(baselines, 1, 2, "over 4 cores", "3.00");
    EXPECT_CELL(baselines, 1, 3, "case", "H");
    EXPECT_CELL(baselines, 1, 3, "kernel", "extended");
    EXPECT_CELL(baselines, 1, 3, "over one thread", "-");
    EXPECT_CELL(baselines, 1, 3, "over SIMD", "0.250");
}

static void test_pl19_tables(void)
{
    const char *cpu = "thomas_batch,thomas_cpu,s,4095,5000,,,,1,,,,total,D,100,,ok\n"
                      "thomas_batch,thomas_cpu,s,4095,5000,,,,4,,,,total,D,30,,ok\n"
                      "thomas_batch,lapack_gtsv,s,4095,5000,,,,4,,,,total,D,50,,ok\n";
    const char *gpu = "thomas_batch,thomas_shared,s,4095,5000,8,32,,,,,,total,D,5,,ok\n"
                      "thomas_batch,thomas_shared,s,4095,5000,8,64,,,,,,total,D,10,,ok\n"
                      "thomas_batch,thomas_shared,s,4095,5000,8,32,,,,,,total+transfers,D,20,,ok\n"
                      "thomas_batch,paracr_block_interleaved,s,4095,5000,8,32,,,,,,total,D,8,,ok\n"
                      "thomas_batch,cusparse_strided,s,4095,5000,,,,,,,,total,D,4,,ok\n"
                      "thomas_batch,cusparse_interleaved_qr,s,4095,5000,,,,,,,,total,D,16,,ok\n"
                      "thomas_batch,interleave,s,4095,5000,,,,,,,,total,D,2,,ok\n"
                      "thomas_batch,transfers,s,4095,5000,,,,,,,,pinned,D,7,,ok\n";
    struct run run = run_of("thomas_batch.csv", cpu);
    EXPECT(table_pl19(&run).count == 0, "no kernel was timed");
    run = run_of("thomas_batch.csv", text("%s%s", cpu, gpu));
    struct grids tables = table_pl19(&run), peers = table_pl19_peers(&run);
    /* Tables 1, 3 and 4 with times, Table 2 as published, and Tables 1 and 4 over all cores. */
    EXPECT(tables.count == 6, "%zu tables", tables.count);
    EXPECT_CELL(tables, 0, 1, "paper", "2.19");
    EXPECT_CELL(tables, 0, 1, "single", "20.0");
    EXPECT_CELL(tables, 0, 1, "single, with transfers", "5.00");
    EXPECT_CELL(tables, 0, 1, "double", "none");
    EXPECT_CELL(tables, 0, 2, "variant", "thomas_global");
    EXPECT_CELL(tables, 0, 2, "single", "-");
    EXPECT_CELL(tables, 1, 1, "kernels", "6.00");
    EXPECT_CELL(tables, 1, 1, "with transfers", "1.50");
    EXPECT_CELL(tables, 4, 1, "paper [ms]", "90.0");
    EXPECT_CELL(tables, 4, 1, "single [ms]", "5.00");
    EXPECT(strstr(tables.grid[0]->note, "thomas_shared over thomas_global 1.47") != NULL, "%s",
           tables.grid[0]->note);
    struct run one_core =
        run_of("thomas_batch.csv",
               text("thomas_batch,thomas_cpu,s,4095,5000,,,,1,,,,total,D,100,,ok\n%s", gpu));
    EXPECT(table_pl19(&one_core).count == 4, "no tables over all cores if there is one");
    EXPECT(peers.count == 3, "%zu tables of peers", peers.count);
    EXPECT_CELL(peers, 0, 1, "n × systems", "4095 × 5000");
    EXPECT_CELL(peers, 0, 1, "ours", "thomas_shared");
    EXPECT_CELL(peers, 0, 1, "cuSPARSE over ours", "0.800");
    EXPECT_CELL(peers, 0, 1, "LAPACK [ms]", "50.0");
    EXPECT_CELL(peers, 0, 1, "LAPACK's cores", "4");
    EXPECT_CELL(peers, 1, 1, "ours", "paracr_block");
    EXPECT_CELL(peers, 1, 1, "cuSPARSE", "qr");
    EXPECT_CELL(peers, 1, 1, "cuSPARSE over ours", "2.00");
    EXPECT_CELL(peers, 2, 1, "rearrangement [ms]", "2.00");
    EXPECT_CELL(peers, 2, 1, "transfers, pinned [ms]", "7.00");
    EXPECT_CELL(peers, 2, 1, "transfers, pageable [ms]", "none");
}

/* Beside a peer stands the fastest kernel of the repository, also one beyond the papers. One matrix
 * for all systems is another problem. */
static void test_fastest_of_all(void)
{
    const char *rows = "thomas_batch,thomas_tile,s,4095,5000,8,32,,,,,,total,D,5,,ok\n"
                       "thomas_batch,tridiagonal_batch,s,4095,5000,,,,,,,,total,D,2,,ok\n"
                       "thomas_batch,tridiagonal_batch_shared,s,4095,5000,,,,,,,,total,D,1,,ok\n"
                       "thomas_batch,tridiagonal_batch_interleaved_pivoted,s,4095,5000,,,,,,,,"
                       "total,D,4,,ok\n"
                       "thomas_batch,cusparse_strided,s,1024,1,,,,,,,,total,D,9,,ok\n"
                       "thomas_batch,paracr_block,s,1024,1,8,32,,,,,,total,D,7,,ok\n"
                       "thomas_batch,paracr_block,s,512,1,8,32,,,,,,total,D,6,,ok\n";
    struct run run = run_of("thomas_batch.csv", rows);
    EXPECT(run_add(&run, "nshape_tridiagonal.csv",
                   COLUMNS "nshape,tridiagonal,s,1024,,,,,,,,,total,D,3,,ok\n"
                           "nshape,cusparse_gtsv2_nopivot,s,1024,,,,,,,,,total,D,6,,ok\n"
                           "nshape,tridiagonal,s,4095,,,,,,,,,total,D,0.5,,ok\n"),
           "rows of nshape");
    struct grids peers = table_pl19_peers(&run);
    EXPECT_CELL(peers, 0, 1, "ours", "tridiagonal_batch");
    EXPECT_CELL(peers, 0, 1, "ours [ms]", "2.00");
    EXPECT_CELL(peers, 0, 2, "ours", "tridiagonal");
    EXPECT_CELL(peers, 0, 2, "ours [ms]", "3.00");
    EXPECT_CELL(peers, 0, 2, "cuSPARSE [ms]", "6.00");
    EXPECT_CELL(peers, 0, 3, "ours", "paracr_block");
    EXPECT_CELL(peers, 1, 1, "ours", "tridiagonal_batch_pivoted");
}

static void test_l22_tables(void)
{
    struct run run = run_of("nshape.csv", nest_rows(beta));
    struct grids grids = table_l22_fits(&run);
    EXPECT(grids.count == 3 && rows_of(grids, 0) == 1 && rows_of(grids, 1) == 3, "%zu tables",
           grids.count);
    EXPECT_CELL(grids, 0, 1, "alpha [ns]", "1000");
    EXPECT_CELL(grids, 0, 1, "constant [µs]", "20.0");
    EXPECT_CELL(grids, 1, 1, "predicted", "316");
    EXPECT_CELL(grids, 1, 2, "measured", "-");
    EXPECT_CELL(grids, 1, 3, "measured", "200");
    EXPECT_CELL(grids, 2, 2, "misfit [%]", "0");
    run = run_of("nshape.csv", "nshape,nshape,s,1000,,,,10,,1,,,total,D,1,,ok\n");
    EXPECT(table_l22_fits(&run).count == 0, "double complex only");
}

static void test_best(void)
{
    struct run run =
        run_of("pcr.csv", "any,serial,s,262144,,,,,1,,,,total,D,8,,ok\n"
                          "any,pcr,s,262144,,32,64,,,,,,total,D,4,8e6,ok\n"
                          "any,pcr,s,262144,,32,128,,,,,,total,D,2,8e6,ok\n"
                          "any,pcr,s,262144,,32,256,,,,,,total,D,1,8e6,wrong\n"
                          "any,pcr,s,262144,,32,512,,,,,,total,D,1,8e6,disturbed\n"
                          "any,pcr,s,262144,,32,128,,,,,,precompute,D,1,8e6,ok\n"
                          "any,pcr,s,1000,,32,128,,,,,,total,D,1,8e6,ok\n"
                          "any,cusparse_gtsv2,s,262144,,,,,,,,,total,D,1,8e6,ok\n"
                          "any,copy,s,262144,,,,,,,,,total,D,1,8e6,ok\n"
                          "any,copy,s,16777216,,,,,,,,,total,D,1,8e9,ok\n"
                          "thomas_batch,thomas_cpu,d,4095,10,,,,1,,,,total,D,6,,ok\n"
                          "thomas_batch,thomas_cpu,d,4095,10,,,,2,,,,total,D,3,,ok\n"
                          "thomas_batch,thomas_tile,d,4095,10,8,32,,,,,,total,D,2,,ok\n"
                          "thomas_batch,thomas_tile,d,4095,10,8,64,,,,,,total+transfers,D,5,,ok\n"
                          "thomas_batch,thomas_tile,d,4095,5,8,64,,,,,,total,D,1,,ok\n"
                          "nshape,nshape,z,300000,,,,100,,2,,,total,D,1,,ok\n"
                          "nshape_mpi,step,z,300000,,,,100,2,,4,,total,D,1,,ok\n"
                          "pscheme_g,extended,s,262144,,8,64,,,,,M,total,D,1,,ok\n");
    struct grids grids = table_best(&run);
    EXPECT(grids.count == 4, "%zu tables", grids.count);
    EXPECT(rows_of(grids, 0) == 4, "%zu rows", rows_of(grids, 0));
    EXPECT_CELL(grids, 0, 1, "variant", "serial");
    EXPECT_CELL(grids, 0, 1, "best at", "1 core");
    EXPECT_CELL(grids, 0, 2, "best at", "G = 32, T = 128");
    EXPECT_CELL(grids, 0, 2, "time [ms]", "2.00");
    EXPECT_CELL(grids, 0, 2, "GB/s", "4.00");
    EXPECT_CELL(grids, 0, 2, "over serial", "4.00");
    EXPECT_CELL(grids, 0, 3, "over serial", "-"); /* gtsv solves another problem */
    EXPECT_CELL(grids, 0, 4, "n", "16M");
    EXPECT_CELL(grids, 0, 4, "with transfers [ms]", "none");
    EXPECT(rows_of(grids, 1) == 2, "%zu rows", rows_of(grids, 1));
    EXPECT_CELL(grids, 1, 1, "best at", "2 cores");
    EXPECT_CELL(grids, 1, 1, "over thomas_cpu", "2.00");
    EXPECT_CELL(grids, 1, 2, "n", "4095 × 10");
    EXPECT_CELL(grids, 1, 2, "with transfers [ms]", "5.00");
    EXPECT_CELL(grids, 1, 2, "over thomas_cpu", "3.00");
    EXPECT_CELL(grids, 2, 1, "best at", "P1 = 100, n_it = 2");
    EXPECT_CELL(grids, 3, 1, "best at", "4 ranks of at most 2 cores");

    /* One serial time for W12: PCR is compared with that of pscheme_gpu. */
    run = run_of("pcr.csv", "pcr,pcr,s,262144,,32,64,,,,,,total,D,4,8e6,ok\n"
                            "pcr,serial,s,262144,,,,,1,,,,total,D,8,,ok\n"
                            "pscheme_gpu,serial,s,262144,,,,,1,,,,total,D,10,,ok\n");
    grids = table_best(&run);
    EXPECT_CELL(grids, 0, 1, "over serial", "2.50");
}

/* A table that would be long is continued in another one. */
static void test_long_best(void)
{
    const char *rows = "";
    for (int i = 0; i < 60; i++)
        rows = joined(rows, "", "pcr,v%d,s,%d,,,,,,,,,total,D,1,,ok\n", i % 30,
                      i < 30 ? 1 << 18 : 1 << 20);
    struct run run = run_of("pcr.csv", rows);
    struct grids grids = table_best(&run);
    EXPECT(grids.count == 2 && rows_of(grids, 0) == 30 && rows_of(grids, 1) == 30, "%zu tables",
           grids.count);
    EXPECT_CELL(grids, 1, 1, "n", "1M");
}

void test_fits(void)
{
    test_phases();
    test_phase_rows();
    test_nests();
    test_files();
    test_sizes();
    test_cost_tables();
    test_w13_tables();
    test_pl19_tables();
    test_fastest_of_all();
    test_l22_tables();
    test_best();
    test_long_best();
}
