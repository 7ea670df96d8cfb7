/* The claims of W13, judged by the rows in single precision, as in the paper. The paper's text
 * gives 10^6 for its size "1M". Its claims are judged at 10^6 if this was measured, otherwise at
 * 2^20. */
#include "report.h"

#include <math.h>

enum { CASES = 3 };
static const char *case_name(size_t i)
{
    static const char *const name[CASES] = {"L", "M", "H"};
    return name[i];
}

/* The rows of pscheme_g in its main file. NULL and 0 mean any. */
static struct where rows(const char *variant, const char *case_, double n, const char *phase)
{
    return WHERE(.file = "pscheme_g.csv", .program = "pscheme_g", .variant = variant, .type = "s",
                 .case_ = case_, .n = n, .phase = phase);
}
/* The same on the GPU, at this G (0: any). */
static struct where gpu(const char *variant, const char *case_, double n, const char *phase,
                        double blocks)
{
    struct where where = rows(variant, case_, n, phase);
    where.blocks = blocks == 0 ? PRESENT : blocks;
    return where;
}
/* The fastest total of `extended` (the paper's GPU2) over all T at this G (0: any G). */
static const struct measurement *best(const struct run *run, const char *case_, double n,
                                      double blocks)
{
    return fastest(run, gpu("extended", case_, n, "total", blocks));
}
static double paper_size(const struct run *run)
{
    return best(run, "L", 1e6, 0) != NULL ? 1e6 : 1 << 20;
}

/* Shows the phases of both layouts at this T, N = 256K and G = 32, and the totals of all T. */
static void show_gain(const struct run *run, struct claim *claim, const char *case_, double n,
                      double T)
{
    static const char *const phase[] = {"precompute", "propagate", "determine"};
    const char *each = "";
    for (size_t p = 0; p < 3; p++) {
        struct where where = gpu("block", case_, n, phase[p], 32);
        where.threads = T;
        double without = time_ms(run, where);
        where.variant = "extended";
        if (!isnan(without / time_ms(run, where)))
            each = joined(each, ", ", "%s %.3f and %.3f", phase[p], without, time_ms(run, where));
    }
    if (each[0] != '\0')
        show(claim, "ms without and with rearrangement at T = %.0f in case %s: %s", T, case_, each);
    struct where total = gpu("extended", case_, n, "total", 32);
    struct list threads = distinct(run, total, MEMBER(threads));
    const char *totals = "";
    for (size_t t = 0; t < threads.count; t++) {
        total.threads = threads.x[t];
        totals = joined(totals, ", ", "%.4g ms (T = %.0f)", time_ms(run, total), threads.x[t]);
    }
    show(claim, "total with rearrangement in case %s: %s", case_, totals);
}

void w13_1(const struct run *run, struct claim *claim)
{
    static const double paper[CASES] = {0, 1.45, 1.23}, paper_T[CASES] = {0, 128, 64};
    const double n = 256 << 10;
    const struct measurement *block[CASES], *extended[CASES];
    double cpu[CASES];
    for (size_t i = 1; i < CASES; i++) {
        block[i] = fastest(run, gpu("block", case_name(i), n, "total", 32));
        extended[i] = best(run, case_name(i), n, 32);
        cpu[i] = time_ms(run, rows("cpu_paper", case_name(i), n, NULL));
        if (block[i] == NULL || extended[i] == NULL || isnan(cpu[i]))
            return;
    }
    for (size_t i = 1; i < CASES; i++) {
        double gain = block[i]->median_ms / extended[i]->median_ms;
        judge(claim, 'a', gain, "case %s", case_name(i));
        judge(claim, 'b', gain / paper[i], "case %s: %.2f over %.2f", case_name(i), gain, paper[i]);
        judge(claim, 'c', extended[i]->threads / paper_T[i], "case %s: %.0f over %.0f",
              case_name(i), extended[i]->threads, paper_T[i]);
        show(claim,
             "speed-up over cpu_paper in case %s: %.2f (T = %.0f) without, %.2f (T = %.0f) with "
             "rearrangement",
             case_name(i), cpu[i] / block[i]->median_ms, block[i]->threads,
             cpu[i] / extended[i]->median_ms, extended[i]->threads);
    }
    for (size_t i = 1; i < CASES; i++)
        show_gain(run, claim, case_name(i), n, extended[i]->threads);
    claim->device = extended[1]->device;
}

static double transpose_ms(const struct run *run, const char *variant, double n)
{
    return time_ms(run, rows(variant, NULL, n, NULL));
}

void w13_2(const struct run *run, struct claim *claim)
{
    static const double n[] = {256e3, 256 << 10, 1e6, 1 << 20}, /* the text's and the table's */
        paper_global[] = {0.33, 0, 0.751}, paper_tile[] = {0.11, 0, 0.376}; /* Table I, ms */
    for (size_t i = 0; i < 4; i += 2)
        if (isnan(transpose_ms(run, "transpose_global", n[i]) /
                  transpose_ms(run, "transpose_tile", n[i])))
            return;
    for (size_t i = 0; i < 4; i++) {
        double global = transpose_ms(run, "transpose_global", n[i]),
               tile = transpose_ms(run, "transpose_tile", n[i]);
        if (i % 2 == 0)
            judge(claim, 'a', global / tile, "N = %.0f: %.4f over %.4f ms; the paper: %.2f", n[i],
                  global, tile, paper_global[i] / paper_tile[i]);
        else if (!isnan(global / tile))
            show(claim, "global memory over tiles at N = %.0f: %.2f (%.4f over %.4f ms)", n[i],
                 global / tile, global, tile);
        const struct measurement *padded = fastest(run, rows("transpose_padded", NULL, n[i], NULL));
        if (padded != NULL && !isnan(global))
            show(claim, "global memory over tiles with a padded row at N = %.0f: %.2f (%.0f GB/s)",
                 n[i], global / padded->median_ms, padded->bytes / padded->median_ms / 1e6);
    }
    const struct measurement *copy = fastest(run, rows("copy", NULL, 0, NULL));
    if (copy != NULL)
        show(claim, "a large copy in the same run: %.0f GB/s", copy->bytes / copy->median_ms / 1e6);
    claim->device = device_of(run, rows("transpose_tile", NULL, n[0], NULL));
}

/* Shows that pre-computation depends on more than P: its times at the largest P that the smallest
 * and another G share, and the time that it does not fall below. */
static void show_saturation(const struct run *run, struct claim *claim, const char *case_, double n)
{
    struct where where = gpu("extended", case_, n, "precompute", 0);
    struct list blocks = distinct(run, where, MEMBER(blocks)),
                threads = distinct(run, where, MEMBER(threads));
    for (size_t t = threads.count; t-- > 0;)
        for (size_t g = blocks.count; g-- > 1;) {
            where.blocks = blocks.x[0];
            where.threads = threads.x[t];
            double few = time_ms(run, where), P = where.blocks * where.threads;
            where.blocks = blocks.x[g];
            where.threads = P / blocks.x[g];
            double many = time_ms(run, where);
            if (isnan(few / many))
                continue;
            show(claim,
                 "pre-computation in case %s with %.0f threads: %.2f us (G = %.0f), %.2f us (G = "
                 "%.0f); the shortest of all: %.2f us",
                 case_, P, 1e3 * few, blocks.x[0], 1e3 * many, blocks.x[g],
                 1e3 * time_ms(run, gpu("extended", case_, n, "precompute", 0)));
            return;
        }
}

void w13_3(const struct run *run, struct claim *claim)
{
    static const double paper_alpha[CASES] = {1.6, 20, 91.7}, paper_gamma = 1.1;
    const double n = paper_size(run);
    const struct phase_fits fits = fit_phases(run);
    const struct phase_fit *fit[CASES];
    for (size_t i = 0; i < CASES; i++) {
        fit[i] = phase_fit(fits, "extended", "s", case_name(i), n);
        if (fit[i] == NULL || !(fit[i]->ns1[0] > 0) || !(fit[i]->ns1[1] > 0))
            return;
    }
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        const double *ns = fit[i]->ns1, *origin = fit[i]->ns, *misfit = fit[i]->misfit1,
                     *misfit_origin = fit[i]->misfit;
        judge(claim, 'a', ns[0] / ns[1] / paper_alpha[i], "case %s: %.3g over %.3g", case_name(i),
              ns[0] / ns[1], paper_alpha[i]);
        judge(claim, 'b', ns[2] / ns[1] / paper_gamma, "case %s: %.3g over %.3g", case_name(i),
              ns[2] / ns[1], paper_gamma);
        show(claim, "beta in case %s: %.3g ns", case_name(i), ns[1]);
        show(claim,
             "misfit in case %s: pre-computation %.0f%%, propagation %.0f%%, determination %.0f%%; "
             "constants: %.3g, %.3g and %.3g us",
             case_name(i), 100 * misfit[0], 100 * misfit[1], 100 * misfit[2], fit[i]->fixed_us[0],
             fit[i]->fixed_us[1], fit[i]->fixed_us[2]);
        show(claim,
             "through the origin in case %s: alpha:beta:gamma = %.3g:1:%.3g; misfit %.0f%%, "
             "%.0f%%, %.0f%%",
             case_name(i), origin[0] / origin[1], origin[2] / origin[1], 100 * misfit_origin[0],
             100 * misfit_origin[1], 100 * misfit_origin[2]);
    }
    show_saturation(run, claim, "L", n);
    show(claim,
         "alpha of case H over that of case M: %.2f; ratio of their operations: 2.5; the "
         "paper: 4.6",
         fit[2]->ns1[0] / fit[1]->ns1[0]);
    claim->device = device_of(run, gpu("extended", "L", n, "precompute", 0));
}

enum { PAPER_G = 4 };
/* The fastest totals of `extended` at the paper's G. Returns false if one of them was not run. */
static bool best_of_paper_blocks(const struct run *run, const char *case_, double n,
                                 const struct measurement *row[PAPER_G])
{
    static const double blocks[PAPER_G] = {16, 32, 64, 128};
    for (size_t g = 0; g < PAPER_G; g++) {
        row[g] = best(run, case_, n, blocks[g]);
        if (row[g] == NULL)
            return false;
    }
    return true;
}

/* Judges clauses c and d, the products G·T of the paper's G. */
static void judge_products(const struct run *run, struct claim *claim, size_t i, double n,
                           const struct measurement *const row[PAPER_G])
{
    static const double paper_P[CASES] = {2048, 4096, 8192};
    const struct measurement *fast = row[0];
    struct list P = {0};
    for (size_t g = 0; g < PAPER_G; g++) {
        list_add(&P, row[g]->blocks * row[g]->threads);
        if (row[g]->median_ms < fast->median_ms)
            fast = row[g];
    }
    const double product = fast->blocks * fast->threads;
    judge(claim, 'c', product / paper_P[i], "case %s: %.0f over %.0f", case_name(i), product,
          paper_P[i]);
    judge(claim, 'd', most(P) / least(P), "case %s: G·T from %.0f to %.0f", case_name(i), least(P),
          most(P));
    struct where half = gpu("extended", case_name(i), n, "total", fast->blocks);
    half.threads = fast->threads / 2;
    if (!isnan(time_ms(run, half)))
        show(claim, "total in case %s at G = %.0f: %.4g ms at the best G·T, %.4g ms at half of it",
             case_name(i), fast->blocks, fast->median_ms, time_ms(run, half));
}

void w13_4(const struct run *run, struct claim *claim)
{
    static const double paper_popt[CASES] = {1643, 4593, 9633};
    const double n = paper_size(run);
    const struct phase_fits fits = fit_phases(run);
    const struct phase_fit *fit[CASES];
    const struct measurement *fast[CASES], *row[CASES][PAPER_G];
    for (size_t i = 0; i < CASES; i++) {
        fit[i] = phase_fit(fits, "extended", "s", case_name(i), n);
        fast[i] = best(run, case_name(i), n, 0);
        if (fit[i] == NULL || !(fit[i]->popt > 0) || fast[i] == NULL ||
            !best_of_paper_blocks(run, case_name(i), n, row[i]))
            return;
    }
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        double P = fast[i]->blocks * fast[i]->threads, popt = fit[i]->popt;
        judge(claim, 'a', popt / P, "case %s: %.0f over %.0f", case_name(i), popt, P);
        judge(claim, 'b', popt / paper_popt[i], "case %s: %.0f over %.0f", case_name(i), popt,
              paper_popt[i]);
        judge_products(run, claim, i, n, row[i]);
        if (fit[i]->popt1 > 0)
            show(claim, "P_opt in case %s if a constant is fitted to each phase, too: %.0f",
                 case_name(i), fit[i]->popt1);
        struct list blocks =
            distinct(run, gpu("extended", case_name(i), n, "total", 0), MEMBER(blocks));
        const char *each = "";
        for (size_t g = 0; g < blocks.count; g++)
            each =
                joined(each, ", ", "%.0f (G = %.0f)",
                       blocks.x[g] * best(run, case_name(i), n, blocks.x[g])->threads, blocks.x[g]);
        show(claim, "best G·T of each G in case %s: %s", case_name(i), each);
    }
    claim->device = fast[0]->device;
}

/* The paper's largest G, 128, is eight blocks on each of the 16 multiprocessors of its GTX 590.
 * Returns the G of eight blocks on each multiprocessor of this GPU, or 0 if the run has none. The
 * program runs 1, 2, 4 and 8 times their number, so this G is the largest, and its half, quarter
 * and eighth were run, too. */
static double eight_blocks(struct list blocks)
{
    const double largest = most(blocks);
    size_t fractions = 0;
    for (size_t i = 0; i < blocks.count; i++)
        fractions +=
            blocks.x[i] == largest / 2 || blocks.x[i] == largest / 4 || blocks.x[i] == largest / 8;
    return fractions == 3 ? largest : 0;
}

/* Shows the time of a row of pre-computation by the number of warps on a multiprocessor. */
static void show_warps(const struct run *run, struct claim *claim, size_t i, double n, double eight)
{
    const char *line = "";
    for (double warps = 1; warps <= 16; warps *= 2) {
        struct list whole = {0}, half = {0};
        for (double blocks = 1; blocks <= 8; blocks *= 2)
            for (double T = 16; T <= 1024; T *= 2) {
                struct where where = gpu("extended", case_name(i), n, "precompute", 0);
                where.blocks = eight / 8 * blocks;
                where.threads = T;
                double ns = 1e6 * time_ms(run, where) / ceil(n / (where.blocks * T));
                if (blocks * ceil(T / 32) == warps && !isnan(ns))
                    list_add(T < 32 ? &half : &whole, ns / 1e3);
            }
        if (whole.count > 0)
            line = joined(line, ", ", "%s (%.0f whole)", range_text(whole, 2), warps);
        if (half.count > 0)
            line = joined(line, ", ", "%s (%.0f half full)", range_text(half, 2), warps);
    }
    if (line[0] != '\0')
        show(claim,
             "a row of pre-computation in case %s in us, median (range), by the warps on a "
             "multiprocessor: %s",
             case_name(i), line);
}

/* Judges clause c in case i. Returns false if the run has no eight blocks a multiprocessor. */
static bool judge_eight_blocks(const struct run *run, struct claim *claim, size_t i, double n)
{
    struct list blocks =
                    distinct(run, gpu("extended", case_name(i), n, "total", 0), MEMBER(blocks)),
                smaller = {0};
    const double eight = eight_blocks(blocks);
    if (eight == 0)
        return false;
    for (size_t g = 0; g < blocks.count && blocks.x[g] < eight; g++)
        list_add(&smaller, best(run, case_name(i), n, blocks.x[g])->median_ms);
    const double ms = best(run, case_name(i), n, eight)->median_ms, few = least(smaller);
    judge(claim, 'c', ms / few, "case %s, G = %.0f: %.4g over %.4g ms", case_name(i), eight, ms,
          few);
    show_warps(run, claim, i, n, eight);
    return true;
}

/* Shows the time of a row on the CPU over alpha and beta, of which the model makes the best
 * speed-up S: it is c N over 2 sqrt((alpha + gamma) beta N), with c the time on the CPU. So c/beta
 * is 2 S sqrt((alpha + gamma)/(beta N)), and the paper gives S and the ratios (W13 eq. 6). */
static void show_cpu_row(const struct run *run, struct claim *claim, size_t i, double n,
                         double cpu_ms, double paper_speedup)
{
    static const double paper_alpha[CASES] = {1.6, 20, 91.7}, paper_gamma = 1.1;
    const struct phase_fit *fit = phase_fit(fit_phases(run), "extended", "s", case_name(i), n);
    if (fit == NULL || !(fit->ns1[0] > 0) || !(fit->ns1[1] > 0))
        return;
    const double cpu_ns = 1e6 * cpu_ms / n,
                 paper = 2 * paper_speedup * sqrt((paper_alpha[i] + paper_gamma) / 1e6);
    show(claim,
         "a row on the CPU (cpu_paper) over alpha and over beta in case %s: %.2g and %.2g; in the "
         "paper, by its best speed-up and eq. 6: %.2g and %.2g",
         case_name(i), cpu_ns / fit->ns1[0], cpu_ns / fit->ns1[1], paper / paper_alpha[i], paper);
}

/* Shows the best speed-up of each G and those over other code for the CPU. */
static void show_speedups(const struct run *run, struct claim *claim, size_t i, double n,
                          double cpu_ms)
{
    static const char *const other[] = {"cpu_lanes", "cpu_cores"};
    const struct measurement *fast = best(run, case_name(i), n, 0);
    show(claim, "best (G, T) in case %s: G = %.0f, T = %.0f", case_name(i), fast->blocks,
         fast->threads);
    for (size_t j = 0; j < 2; j++) {
        double ms = time_ms(run, rows(other[j], case_name(i), n, NULL));
        if (!isnan(ms))
            show(claim, "speed-up over %s (%s) in case %s: %.2f", other[j],
                 j == 0 ? "one thread with SIMD" : "all cores with SIMD", case_name(i),
                 ms / fast->median_ms);
    }
    if (i == 0)
        return;
    struct list blocks =
        distinct(run, gpu("extended", case_name(i), n, "total", 0), MEMBER(blocks));
    const char *each = "";
    for (size_t g = 0; g < blocks.count; g++) {
        const struct measurement *row = best(run, case_name(i), n, blocks.x[g]);
        each = joined(each, ", ", "%.4g (G = %.0f, T = %.0f)", cpu_ms / row->median_ms, row->blocks,
                      row->threads);
    }
    show(claim, "best speed-up over cpu_paper of each G in case %s: %s", case_name(i), each);
}

void w13_5(const struct run *run, struct claim *claim)
{
    static const double paper[CASES] = {7.1, 183, 370};
    const double n = paper_size(run);
    double cpu[CASES], speedup[CASES];
    for (size_t i = 0; i < CASES; i++) {
        const struct measurement *fast = best(run, case_name(i), n, 0);
        cpu[i] = time_ms(run, rows("cpu_paper", case_name(i), n, NULL));
        if (fast == NULL || isnan(cpu[i]))
            return;
        speedup[i] = cpu[i] / fast->median_ms;
    }
    show(claim, "measured at N = %.0f", n);
    bool eight = true;
    for (size_t i = 0; i < CASES; i++) {
        if (i > 0) {
            judge(claim, 'a', speedup[i] / speedup[i - 1], "case %s over case %s: %.4g over %.4g",
                  case_name(i), case_name(i - 1), speedup[i], speedup[i - 1]);
            eight = judge_eight_blocks(run, claim, i, n) && eight;
        }
        judge(claim, 'b', speedup[i] / paper[i], "case %s: %.4g over %.4g", case_name(i),
              speedup[i], paper[i]);
        show_speedups(run, claim, i, n, cpu[i]);
        show_cpu_row(run, claim, i, n, cpu[i], paper[i]);
    }
    if (!eight)
        skip(claim, 'c', "the run has no G of eight blocks on each multiprocessor");
    claim->device = device_of(run, gpu("extended", "L", n, "total", 0));
}

/* The sum of a column over a kernel of a variant in one case, or in all (case_ NULL). */
static double profiled(const struct table *profile, const char *variant, const char *kernel,
                       const char *case_, const char *column)
{
    double sum = 0;
    for (size_t r = 0; r < profile->rows; r++)
        if (same(text_at(profile, r, "variant"), variant) &&
            same(text_at(profile, r, "kernel"), kernel) &&
            (case_ == NULL || same(text_at(profile, r, "case"), case_)))
            sum += number_at(profile, r, column);
    return sum;
}

/* Judges clause a by the profile of the run, and shows the instructions of both layouts. */
static void judge_divergence(const struct run *run, struct claim *claim)
{
    static const char *const kernel[] = {"precompute", "determine"};
    const struct table *profile = run_table(run, "ncu_wakatani2013.csv");
    double divergent = 0, all = 0;
    for (size_t k = 0; profile != NULL && k < 2; k++) {
        divergent += profiled(profile, "soa", kernel[k], NULL, "branches_divergent");
        all += profiled(profile, "soa", kernel[k], NULL, "branches");
    }
    if (!(all > 0)) {
        skip(claim, 'a', "the run was not profiled");
        return;
    }
    judge(claim, 'a', 100 * divergent / all, "percent, %.0f of %.0f branches", divergent, all);
    const char *each = "";
    for (size_t i = 0; i < CASES; i++) {
        double ratio =
            profiled(profile, "extended", "precompute_extended", case_name(i), "instructions") /
            profiled(profile, "soa", kernel[0], case_name(i), "instructions");
        if (!isnan(ratio))
            each = joined(each, ", ", "%.2f (case %s)", ratio, case_name(i));
    }
    if (each[0] != '\0')
        show(claim, "instructions of pre-computation, extended over soa, by the profiler: %s",
             each);
}

void w13_6(const struct run *run, struct claim *claim)
{
    static const char *const phase[] = {"precompute", "determine", "total"};
    static const char *const name[] = {"pre-computation", "determination", "the total"};
    static const double n[] = {256 << 10, 1e6, 1 << 20};
    struct list ratio[CASES][3] = {{{0}}};
    for (size_t i = 0; i < CASES; i++)
        for (size_t p = 0; p < 3; p++) {
            for (size_t j = 0; j < 3; j++)
                add_ratios(&ratio[i][p], run, gpu("soa", case_name(i), n[j], phase[p], 0),
                           gpu("extended", case_name(i), n[j], phase[p], 0));
            if (ratio[i][p].count == 0)
                return;
        }
    for (size_t i = 0; i < CASES; i++) {
        judge(claim, 'b', median(ratio[i][0]), "case %s", case_name(i));
        for (size_t p = 0; p < 3; p++)
            show(claim, "soa over extended in case %s, %s: %s, median (range)", case_name(i),
                 name[p], range_text(ratio[i][p], 2));
    }
    judge_divergence(run, claim);
    claim->device = device_of(run, gpu("extended", "L", 0, "total", 0));
}
