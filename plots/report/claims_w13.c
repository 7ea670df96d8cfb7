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

/* The rows of pscheme_g in its main file: the other files of this program hold other experiments,
 * some of them at the same n. NULL and 0 mean any, as in struct where. */
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
    /* Which phase gains: the times of both layouts at the best (G, T) of the rearranged one. */
    static const char *const phase[] = {"precompute", "propagate", "determine"};
    for (size_t i = 1; i < CASES; i++) {
        const char *each = "";
        for (size_t p = 0; p < 3; p++) {
            struct where where = gpu("block", case_name(i), n, phase[p], 32);
            where.threads = extended[i]->threads;
            double without = time_ms(run, where);
            where.variant = "extended";
            if (!isnan(without / time_ms(run, where)))
                each =
                    joined(each, ", ", "%s %.3f and %.3f", phase[p], without, time_ms(run, where));
        }
        if (each[0] != '\0')
            show(claim, "ms without and with rearrangement at T = %.0f in case %s: %s",
                 extended[i]->threads, case_name(i), each);
    }
    claim->device = extended[1]->device;
}

static double transpose_ms(const struct run *run, const char *variant, double n)
{
    return time_ms(run, rows(variant, NULL, n, NULL));
}

void w13_2(const struct run *run, struct claim *claim)
{
    static const double n[] = {256e3, 256 << 10, 1e6, 1 << 20}; /* the text's and the table's */
    for (size_t i = 0; i < 4; i += 2)
        if (isnan(transpose_ms(run, "transpose_global", n[i]) /
                  transpose_ms(run, "transpose_tile", n[i])))
            return;
    for (size_t i = 0; i < 4; i++) {
        double global = transpose_ms(run, "transpose_global", n[i]),
               tile = transpose_ms(run, "transpose_tile", n[i]);
        if (i % 2 == 0)
            judge(claim, 'a', global / tile, "N = %.0f: %.4f over %.4f ms", n[i], global, tile);
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
             "misfit in case %s: pre-computation %.0f%%, propagation %.0f%%, determination %.0f%%",
             case_name(i), 100 * misfit[0], 100 * misfit[1], 100 * misfit[2]);
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

void w13_4(const struct run *run, struct claim *claim)
{
    static const double paper_popt[CASES] = {1643, 4593, 9633}, paper_P[CASES] = {2048, 4096, 8192};
    const double n = paper_size(run);
    const struct phase_fits fits = fit_phases(run);
    const struct phase_fit *fit[CASES];
    const struct measurement *fast[CASES];
    for (size_t i = 0; i < CASES; i++) {
        fit[i] = phase_fit(fits, "extended", "s", case_name(i), n);
        fast[i] = best(run, case_name(i), n, 0);
        if (fit[i] == NULL || !(fit[i]->popt > 0) || fast[i] == NULL)
            return;
    }
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        double P = fast[i]->blocks * fast[i]->threads, popt = fit[i]->popt;
        judge(claim, 'a', popt / P, "case %s: %.0f over %.0f", case_name(i), popt, P);
        judge(claim, 'b', popt / paper_popt[i], "case %s: %.0f over %.0f", case_name(i), popt,
              paper_popt[i]);
        judge(claim, 'c', P / paper_P[i], "case %s: %.0f over %.0f", case_name(i), P, paper_P[i]);
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

void w13_5(const struct run *run, struct claim *claim)
{
    static const double paper[CASES] = {7.1, 183, 370};
    static const char *const other[] = {"cpu_lanes", "cpu_cores"};
    const double n = paper_size(run);
    const struct measurement *fast[CASES];
    double cpu[CASES], few[CASES], most_ms[CASES], eight[CASES];
    for (size_t i = 0; i < CASES; i++) {
        fast[i] = best(run, case_name(i), n, 0);
        cpu[i] = time_ms(run, rows("cpu_paper", case_name(i), n, NULL));
        if (fast[i] == NULL || isnan(cpu[i]))
            return;
        struct list blocks =
                        distinct(run, gpu("extended", case_name(i), n, "total", 0), MEMBER(blocks)),
                    smaller = {0};
        eight[i] = eight_blocks(blocks);
        for (size_t g = 0; g < blocks.count && blocks.x[g] < eight[i]; g++)
            list_add(&smaller, best(run, case_name(i), n, blocks.x[g])->median_ms);
        few[i] = least(smaller);
        most_ms[i] = eight[i] > 0 ? best(run, case_name(i), n, eight[i])->median_ms : NAN;
    }
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        double speedup = cpu[i] / fast[i]->median_ms;
        judge(claim, 'a', speedup / paper[i], "case %s: %.2f over %.4g", case_name(i), speedup,
              paper[i]);
        if (i > 0 && eight[i] > 0)
            judge(claim, 'b', most_ms[i] / few[i], "case %s, G = %.0f: %.4g over %.4g ms",
                  case_name(i), eight[i], most_ms[i], few[i]);
        show(claim, "best (G, T) in case %s: G = %.0f, T = %.0f", case_name(i), fast[i]->blocks,
             fast[i]->threads);
        for (size_t j = 0; j < 2; j++) {
            double ms = time_ms(run, rows(other[j], case_name(i), n, NULL));
            if (!isnan(ms))
                show(claim, "speed-up over %s (%s) in case %s: %.2f", other[j],
                     j == 0 ? "one thread with SIMD" : "all cores with SIMD", case_name(i),
                     ms / fast[i]->median_ms);
        }
        if (i == 0)
            continue;
        struct list blocks =
            distinct(run, gpu("extended", case_name(i), n, "total", 0), MEMBER(blocks));
        const char *each = "";
        for (size_t g = 0; g < blocks.count; g++)
            each = joined(each, ", ", "%.4g (G = %.0f)",
                          cpu[i] / best(run, case_name(i), n, blocks.x[g])->median_ms, blocks.x[g]);
        show(claim, "best speed-up over cpu_paper of each G in case %s: %s", case_name(i), each);
    }
    if (!(eight[1] > 0 && eight[2] > 0))
        skip(claim, 'b', "the run has no G of eight blocks on each multiprocessor");
    claim->device = fast[0]->device;
}

/* Shows the divergent branches of soa in all cases, if the run was profiled. */
static void show_divergence(const struct run *run, struct claim *claim)
{
    static const char *const kernel[] = {"precompute", "determine"};
    static const char *const name[] = {"pre-computation", "determination"};
    const struct table *profile = run_table(run, "ncu_wakatani2013.csv");
    for (size_t k = 0; profile != NULL && k < 2; k++) {
        double divergent = 0, all = 0;
        for (size_t r = 0; r < profile->rows; r++)
            if (same(text_at(profile, r, "variant"), "soa") &&
                same(text_at(profile, r, "kernel"), kernel[k])) {
                divergent += number_at(profile, r, "branches_divergent");
                all += number_at(profile, r, "branches");
            }
        show(claim, "divergent branches of soa in %s, counted by a profiler: %.0f of %.0f", name[k],
             divergent, all);
    }
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
        judge(claim, 'a', median(ratio[i][0]), "case %s", case_name(i));
        for (size_t p = 0; p < 3; p++)
            show(claim, "soa over extended in case %s, %s: %s, median (range)", case_name(i),
                 name[p], range_text(ratio[i][p], 2));
    }
    show_divergence(run, claim);
    claim->device = device_of(run, gpu("extended", "L", 0, "total", 0));
}
