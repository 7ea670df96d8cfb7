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
/* The same on the GPU, at this G and T (0: any). */
static struct where gpu_at(const char *variant, const char *case_, double n, const char *phase,
                           double blocks, double threads)
{
    struct where where = rows(variant, case_, n, phase);
    where.blocks = blocks == 0 ? PRESENT : blocks;
    where.threads = threads;
    return where;
}
static struct where gpu(const char *variant, const char *case_, double n, const char *phase)
{
    return gpu_at(variant, case_, n, phase, 0, 0);
}
/* The fastest total of `extended` (the paper's GPU2) over all T at this G (0: any G). */
static const struct measurement *best(const struct run *run, const char *case_, double n,
                                      double blocks)
{
    return fastest(run, gpu_at("extended", case_, n, "total", blocks, 0));
}
/* All G that `extended` was run with. */
static struct list blocks_of(const struct run *run, const char *case_, double n)
{
    return distinct(run, gpu("extended", case_, n, "total"), MEMBER(blocks));
}
static double paper_size(const struct run *run)
{
    return best(run, "L", 1e6, 0) != NULL ? 1e6 : 1 << 20;
}
/* The paper's G, 16, 32, 64 and 128, and the shortest of the totals at those up to `last`, NaN if
 * one of them was not run. */
enum { FIRST_G = 16, LAST_G = 128 };
static double papers_ms(const struct run *run, const char *case_, double n, double last)
{
    double ms = INFINITY;
    for (double G = FIRST_G; G <= last; G *= 2) {
        const struct measurement *row = best(run, case_, n, G);
        if (row == NULL)
            return NAN;
        ms = fmin(ms, row->median_ms);
    }
    return ms;
}

/* Shows the phases of both layouts at this T, N = 256K and G = 32, and the totals of all T. */
static void show_gain(const struct run *run, struct claim *claim, const char *case_, double n,
                      double T)
{
    static const char *const phase[] = {"precompute", "propagate", "determine"};
    const char *each = NO_NUMBERS;
    for (size_t p = 0; p < 3; p++) {
        struct where where = gpu_at("block", case_, n, phase[p], 32, T);
        add_known(&each, "%s %.3f and %.3f", phase[p], time_ms(run, where),
                  variant_ms(run, where, "extended"));
    }
    show(claim, "ms without and with rearrangement at T = %.0f in case %s: %s", T, case_, each);
    struct where total = gpu_at("extended", case_, n, "total", 32, 0);
    struct list threads = distinct(run, total, MEMBER(threads)), totals = {0};
    for (size_t t = 0; t < threads.count; t++) {
        total.threads = threads.x[t];
        list_add(&totals, time_ms(run, total));
    }
    show(claim, "total with rearrangement in case %s: %s", case_,
         pairs_text("%.4g ms (T = %.0f)", totals, threads));
}

void w13_1(const struct run *run, struct claim *claim)
{
    static const double paper[CASES] = {0, 1.45, 1.23}, paper_T[CASES] = {0, 128, 64};
    const double n = 256 << 10;
    for (size_t i = 1; i < CASES; i++) {
        const char *name = case_name(i);
        const struct measurement *block = fastest(run, gpu_at("block", name, n, "total", 32, 0)),
                                 *extended = best(run, name, n, 32);
        double cpu = time_ms(run, rows("cpu_paper", name, n, NULL));
        if (block == NULL || extended == NULL || isnan(cpu))
            return;
        double gain = block->median_ms / extended->median_ms;
        judge(claim, 'a', gain, "case %s", name);
        judge(claim, 'b', (gain - 1) / (paper[i] - 1), "case %s: %.2f over %.2f", name, gain - 1,
              paper[i] - 1);
        double T = nearest(tied(run, gpu_at("extended", name, n, "total", 32, 0), MEMBER(threads)),
                           paper_T[i]);
        judge(claim, 'c', T / paper_T[i], "case %s: %.0f over %.0f", name, T, paper_T[i]);
        show(claim,
             "speed-up over cpu_paper in case %s: %.2f (T = %.0f) without, %.2f (T = %.0f) with "
             "rearrangement",
             name, cpu / block->median_ms, block->threads, cpu / extended->median_ms,
             extended->threads);
    }
    for (size_t i = 1; i < CASES; i++)
        show_gain(run, claim, case_name(i), n, best(run, case_name(i), n, 32)->threads);
    claim->device = best(run, case_name(1), n, 32)->device;
}

void w13_2(const struct run *run, struct claim *claim)
{
    static const double n[] = {256e3, 256 << 10, 1e6, 1 << 20}, /* the text's and the table's */
        paper_global[] = {0.33, 0, 0.751}, paper_tile[] = {0.11, 0, 0.376}; /* Table I, ms */
    for (size_t i = 0; i < 4; i++) {
        struct where at = rows("transpose_padded", NULL, n[i], NULL);
        const struct measurement *padded = fastest(run, at);
        double global = variant_ms(run, at, "transpose_global"),
               tile = variant_ms(run, at, "transpose_tile");
        if (i % 2 == 0 && isnan(global / tile))
            return;
        if (i % 2 == 0)
            judge(claim, 'a', global / tile, "N = %.0f: %.4f over %.4f ms; the paper: %.2f", n[i],
                  global, tile, paper_global[i] / paper_tile[i]);
        else
            show(claim, "global memory over tiles at N = %.0f: %.2f (%.4f over %.4f ms)", n[i],
                 global / tile, global, tile);
        if (padded != NULL)
            show(claim, "global memory over tiles with a padded row at N = %.0f: %.2f (%.0f GB/s)",
                 n[i], global / padded->median_ms, gb_per_s(padded));
    }
    show(claim, "a large copy in the same run: %.0f GB/s",
         gb_per_s(fastest(run, rows("copy", NULL, 0, NULL))));
    claim->device = device_of(run, rows("transpose_tile", NULL, n[0], NULL));
}

/* Shows that pre-computation depends on more than P: its times at the largest P that the smallest
 * and another G share, and the time that it does not fall below. */
static void show_saturation(const struct run *run, struct claim *claim, const char *case_, double n)
{
    const struct where all = gpu("extended", case_, n, "precompute");
    struct list blocks = distinct(run, all, MEMBER(blocks)),
                threads = distinct(run, all, MEMBER(threads));
    for (size_t t = threads.count; t-- > 0;)
        for (size_t g = blocks.count; g-- > 1;) {
            double G = blocks.x[0], T = threads.x[t], P = G * T, larger = blocks.x[g];
            double few = time_ms(run, gpu_at("extended", case_, n, "precompute", G, T)),
                   many =
                       time_ms(run, gpu_at("extended", case_, n, "precompute", larger, P / larger));
            if (isnan(few / many))
                continue;
            show(claim,
                 "pre-computation in case %s with %.0f threads: %.2f us (G = %.0f), %.2f us (G = "
                 "%.0f); the shortest of all: %.2f us",
                 case_, P, 1e3 * few, G, 1e3 * many, larger, 1e3 * time_ms(run, all));
            return;
        }
}

/* The ratios of W13 eq. 6. */
static const double paper_alpha[CASES] = {1.6, 20, 91.7}, paper_gamma = 1.1;

void w13_3(const struct run *run, struct claim *claim)
{
    const double n = paper_size(run);
    const struct phase_fits fits = fit_phases(run);
    double alpha[CASES];
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        const char *name = case_name(i);
        const struct phase_fit *fit = phase_fit(fits, "extended", "s", name, n);
        if (fit == NULL || !(fit->ns1[0] > 0) || !(fit->ns1[1] > 0))
            return;
        const double *ns = fit->ns1, *origin = fit->ns, *misfit = fit->misfit1;
        alpha[i] = ns[0];
        judge(claim, 'a', ns[0] / ns[1] / paper_alpha[i], "case %s: %.3g over %.3g", name,
              ns[0] / ns[1], paper_alpha[i]);
        judge(claim, 'b', ns[2] / ns[1] / paper_gamma, "case %s: %.3g over %.3g", name,
              ns[2] / ns[1], paper_gamma);
        show(claim, "beta in case %s: %.3g ns", name, ns[1]);
        show(claim,
             "misfit in case %s: pre-computation %.0f%%, propagation %.0f%%, determination %.0f%%; "
             "constants: %.3g, %.3g and %.3g us",
             name, 100 * misfit[0], 100 * misfit[1], 100 * misfit[2], fit->fixed_us[0],
             fit->fixed_us[1], fit->fixed_us[2]);
        misfit = fit->misfit;
        show(claim,
             "through the origin in case %s: alpha:beta:gamma = %.3g:1:%.3g; misfit %.0f%%, "
             "%.0f%%, %.0f%%",
             name, origin[0] / origin[1], origin[2] / origin[1], 100 * misfit[0], 100 * misfit[1],
             100 * misfit[2]);
    }
    show_saturation(run, claim, "L", n);
    show(claim,
         "alpha of case H over that of case M: %.2f; ratio of their operations: 2.5; the "
         "paper: 4.6",
         alpha[2] / alpha[1]);
    claim->device = device_of(run, gpu("extended", "L", n, "precompute"));
}

/* The totals of `extended`, or only those at the paper's G, as a run whose `parts` are P = G·T. */
static struct run totals_by_parts(const struct run *run, const char *case_, double n, bool papers)
{
    struct run totals = rows_where(run, gpu("extended", case_, n, "total"));
    struct measurement *row = keep((totals.rows + 1) * sizeof *row);
    size_t rows = 0;
    for (size_t i = 0; i < totals.rows; i++) {
        row[rows] = totals.row[i];
        row[rows].parts = row[rows].blocks * row[rows].threads;
        double G = row[rows].blocks;
        rows += !papers || G == 16 || G == 32 || G == 64 || G == LAST_G;
    }
    totals.row = row;
    totals.rows = rows;
    return totals;
}

/* The best G·T of each of the paper's G: of those that tie the ones that differ least. */
static struct list products(struct run totals)
{
    struct list all = distinct(&totals, WHERE(0), MEMBER(parts)), result = {0};
    double spread = INFINITY;
    for (size_t i = 0; i < all.count; i++) {
        struct list near = {0};
        for (double G = FIRST_G; G <= LAST_G; G *= 2)
            list_add(&near, nearest(tied(&totals, WHERE(.blocks = G), MEMBER(parts)), all.x[i]));
        if (most(near) / least(near) < spread) {
            spread = most(near) / least(near);
            result = near;
        }
    }
    return result;
}

/* Judges clauses c and d, the products G·T of the paper's G. */
static void judge_products(struct claim *claim, size_t i, struct run totals)
{
    static const double paper_P[CASES] = {2048, 4096, 8192};
    const char *name = case_name(i);
    const struct measurement *fast = fastest(&totals, WHERE(0));
    double P = nearest(tied(&totals, WHERE(0), MEMBER(parts)), paper_P[i]);
    struct list each = products(totals);
    judge(claim, 'c', P / paper_P[i], "case %s: %.0f over %.0f", name, P, paper_P[i]);
    judge(claim, 'd', most(each) / least(each), "case %s: G·T from %.0f to %.0f", name, least(each),
          most(each));
    show(claim, "total in case %s at G = %.0f: %.4g ms at the best G·T, %.4g ms at half of it",
         name, fast->blocks, fast->median_ms,
         time_ms(&totals, WHERE(.blocks = fast->blocks, .threads = fast->threads / 2)));
}

void w13_4(const struct run *run, struct claim *claim)
{
    static const double paper_popt[CASES] = {1643, 4593, 9633};
    const double n = paper_size(run);
    const struct phase_fits fits = fit_phases(run);
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        const char *name = case_name(i);
        const struct phase_fit *fit = phase_fit(fits, "extended", "s", name, n);
        if (fit == NULL || !(fit->popt1 > 0) || isnan(papers_ms(run, name, n, LAST_G)))
            return;
        const struct run all = totals_by_parts(run, name, n, false);
        double popt = fit->popt1, P = nearest(tied(&all, WHERE(0), MEMBER(parts)), popt);
        judge(claim, 'a', popt / P, "case %s: %.0f over %.0f", name, popt, P);
        judge(claim, 'b', popt / paper_popt[i], "case %s: %.0f over %.0f", name, popt,
              paper_popt[i]);
        judge_products(claim, i, totals_by_parts(run, name, n, true));
        show(claim, "P_opt in case %s of the fit through the origin: %.0f", name, fit->popt);
        struct list blocks = blocks_of(run, name, n), each = {0};
        for (size_t g = 0; g < blocks.count; g++)
            list_add(&each, blocks.x[g] * best(run, name, n, blocks.x[g])->threads);
        show(claim, "best G·T of each G in case %s: %s", name,
             pairs_text("%.0f (G = %.0f)", each, blocks));
    }
    claim->device = best(run, "L", n, 0)->device;
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

static const char *const NO_EIGHT = "the run has no G of eight blocks on each multiprocessor",
                         *const NO_PAPERS = "the run has not all of the paper's G";

/* Shows the time of a row of pre-computation by the number of warps on a multiprocessor. */
static void show_warps(const struct run *run, struct claim *claim, const char *case_, double n,
                       double eight)
{
    const char *line = NO_NUMBERS;
    for (double warps = 1; warps <= 16; warps *= 2) {
        struct list whole = {0}, half = {0};
        for (double blocks = 1; blocks <= 8; blocks *= 2)
            for (double T = 16; T <= 1024; T *= 2) {
                double G = eight / 8 * blocks,
                       ms = time_ms(run, gpu_at("extended", case_, n, "precompute", G, T));
                if (blocks * ceil(T / 32) == warps && !isnan(ms))
                    list_add(T < 32 ? &half : &whole, 1e3 * ms / ceil(n / (G * T)));
            }
        add_known(&line, "%s (%.0f whole)", range_text(whole, 2), warps);
        add_known(&line, "%s (%.0f half full)", range_text(half, 2), warps);
    }
    show(claim,
         "a row of pre-computation in case %s in us, median (range), by the warps on a "
         "multiprocessor: %s",
         case_, line);
}

/* Judges a clause by the total at the largest G, `ms`, and the shortest at smaller G, in ms. */
static void judge_largest(struct claim *claim, char clause, const char *case_, double G, double ms,
                          double smaller)
{
    judge(claim, clause, ms / smaller, "case %s, G = %.0f: %.4g over %.4g ms", case_, G, ms,
          smaller);
}

/* Judges a clause by eight blocks a multiprocessor and all smaller G. Returns their G, 0 if the run
 * has none. */
static double judge_eight_blocks(const struct run *run, struct claim *claim, char clause,
                                 const char *case_, double n)
{
    struct list blocks = blocks_of(run, case_, n), smaller = {0};
    const double eight = eight_blocks(blocks);
    for (size_t g = 0; g < blocks.count && blocks.x[g] < eight; g++)
        list_add(&smaller, best(run, case_, n, blocks.x[g])->median_ms);
    if (eight > 0)
        judge_largest(claim, clause, case_, eight, best(run, case_, n, eight)->median_ms,
                      least(smaller));
    return eight;
}

/* Judges a clause by the paper's largest G and its smaller ones. Returns false if one of them was
 * not run. */
static bool judge_papers(const struct run *run, struct claim *claim, char clause, const char *case_,
                         double n)
{
    const double smaller = papers_ms(run, case_, n, LAST_G / 2),
                 all = papers_ms(run, case_, n, LAST_G);
    if (isnan(all))
        return false;
    judge_largest(claim, clause, case_, LAST_G, best(run, case_, n, LAST_G)->median_ms, smaller);
    return true;
}

/* Shows c, the time of a row on the CPU, over alpha and over beta. They determine the model's best
 * speed-up S: it is c N over 2 sqrt((alpha + gamma) beta N). So c/beta
 * is 2 S sqrt((alpha + gamma)/(beta N)), and the paper gives S and the ratios (W13 eq. 6). */
static void show_cpu_row(const struct run *run, struct claim *claim, size_t i, double n,
                         double cpu_ms, double paper_speedup)
{
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
static void show_speedups(const struct run *run, struct claim *claim, const char *case_, double n,
                          double cpu_ms)
{
    static const char *const other[][2] = {{"cpu_lanes", "one thread with SIMD"},
                                           {"cpu_cores", "all cores with SIMD"}};
    const struct measurement *fast = best(run, case_, n, 0);
    show(claim, "best (G, T) in case %s: G = %.0f, T = %.0f", case_, fast->blocks, fast->threads);
    for (size_t j = 0; j < 2; j++)
        show(claim, "speed-up over %s (%s) in case %s: %.2f", other[j][0], other[j][1], case_,
             time_ms(run, rows(other[j][0], case_, n, NULL)) / fast->median_ms);
    if (same(case_, "L"))
        return;
    struct list blocks = blocks_of(run, case_, n);
    const char *each = NO_NUMBERS;
    for (size_t g = 0; g < blocks.count; g++) {
        const struct measurement *row = best(run, case_, n, blocks.x[g]);
        add_known(&each, "%.4g (G = %.0f, T = %.0f)", cpu_ms / row->median_ms, row->blocks,
                  row->threads);
    }
    show(claim, "best speed-up over cpu_paper of each G in case %s: %s", case_, each);
}

void w13_5(const struct run *run, struct claim *claim)
{
    static const double paper[CASES] = {7.1, 183, 370};
    const double n = paper_size(run);
    double speedup[CASES], eight = 0;
    bool papers = false;
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        const char *name = case_name(i);
        const struct measurement *fast = best(run, name, n, 0);
        double cpu = time_ms(run, rows("cpu_paper", name, n, NULL));
        if (fast == NULL || isnan(cpu))
            return;
        speedup[i] = cpu / fast->median_ms;
        if (i > 0) {
            judge(claim, 'a', speedup[i] / speedup[i - 1], "case %s over case %s: %.4g over %.4g",
                  name, case_name(i - 1), speedup[i], speedup[i - 1]);
            eight = judge_eight_blocks(run, claim, 'c', name, n);
            papers = judge_papers(run, claim, 'd', name, n);
            if (eight > 0)
                show_warps(run, claim, name, n, eight);
        }
        judge(claim, 'b', speedup[i] / paper[i], "case %s: %.4g over %.4g", name, speedup[i],
              paper[i]);
        show_speedups(run, claim, name, n, cpu);
        show_cpu_row(run, claim, i, n, cpu, paper[i]);
    }
    if (eight == 0)
        skip(claim, 'c', NO_EIGHT);
    if (!papers)
        skip(claim, 'd', NO_PAPERS);
    claim->device = device_of(run, gpu("extended", "L", n, "total"));
}

/* Judges clause a by the profile of the run, over all cases, and shows the instructions of both
 * layouts. */
static void judge_divergence(const struct run *run, struct claim *claim)
{
    static const char *const kernel[] = {"precompute", "determine"};
    const struct table *profile = run_table(run, "ncu_wakatani2013.csv");
    double divergent = 0, all = 0;
    for (size_t k = 0; k < 2; k++) {
        divergent +=
            sum_of(profile, "branches_divergent", "variant", "soa", "kernel", kernel[k], NULL);
        all += sum_of(profile, "branches", "variant", "soa", "kernel", kernel[k], NULL);
    }
    if (!(all > 0)) {
        skip(claim, 'a', "the run was not profiled");
        return;
    }
    judge(claim, 'a', 100 * divergent / all, "percent, %.0f of %.0f branches", divergent, all);
    const char *each = NO_NUMBERS;
    for (size_t i = 0; i < CASES; i++)
        add_known(&each, "%.2f (case %s)",
                  sum_of(profile, "instructions", "variant", "extended", "kernel",
                         "precompute_extended", "case", case_name(i), NULL) /
                      sum_of(profile, "instructions", "variant", "soa", "kernel", "precompute",
                             "case", case_name(i), NULL),
                  case_name(i));
    show(claim, "instructions of pre-computation, extended over soa, by the profiler: %s", each);
}

void w13_6(const struct run *run, struct claim *claim)
{
    static const char *const phase[][2] = {
        {"precompute", "pre-computation"}, {"determine", "determination"}, {"total", "the total"}};
    static const double n[] = {256 << 10, 1e6, 1 << 20};
    for (size_t i = 0; i < CASES; i++)
        for (size_t p = 0; p < 3; p++) {
            struct list ratio = {0};
            for (size_t j = 0; j < 3; j++)
                add_ratios(&ratio, run, gpu("soa", case_name(i), n[j], phase[p][0]),
                           gpu("extended", case_name(i), n[j], phase[p][0]));
            if (ratio.count == 0)
                return;
            if (p == 0)
                judge(claim, 'b', median(ratio), "case %s", case_name(i));
            show(claim, "soa over extended in case %s, %s: %s, median (range)", case_name(i),
                 phase[p][1], range_text(ratio, 2));
        }
    judge_divergence(run, claim);
    claim->device = device_of(run, gpu("extended", "L", 0, "total"));
}

/* Fig. 1 shows W12's once more, of problem A (W12-1). This is about the recurrence that W13 solves.
 */
void w13_7(const struct run *run, struct claim *claim)
{
    struct where at = WHERE(.program = "pscheme_cpu", .type = "s", .phase = "total", .cores = 1);
    struct list sizes = distinct(run, at, MEMBER(n)), ratio = {0}, n = {0};
    for (size_t i = 0; i < sizes.count; i++) {
        at.n = sizes.x[i];
        double x = variant_ms(run, at, "recurrence_pscheme") / variant_ms(run, at, "recurrence");
        if (isnan(x))
            continue;
        list_add(&ratio, x);
        list_add(&n, at.n);
    }
    if (ratio.count == 0)
        return;
    judge(claim, 'a', median(ratio), "median over %zu sizes, N = %.0f to %.0f", n.count, least(n),
          most(n));
    show(claim, "P-scheme over the substitution by N: %s", pairs_text("%.2f (N = %.0f)", ratio, n));
    at.n = 0;
    at.variant = "recurrence_pscheme";
    claim->device = device_of(run, at);
}

void w13_8(const struct run *run, struct claim *claim)
{
    const double n = paper_size(run);
    double eight = 0;
    show(claim, "measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        if (!judge_papers(run, claim, 'a', case_name(i), n))
            return;
        if (i > 0)
            eight = judge_eight_blocks(run, claim, 'b', case_name(i), n);
    }
    if (eight == 0)
        skip(claim, 'b', NO_EIGHT);
    claim->device = best(run, "L", n, 0)->device;
}

/* Judges clause b and shows how the total and the sum of its phases compare at all (G, T). Returns
 * false if a phase was not timed. */
static bool judge_sum(const struct run *run, struct claim *claim, const char *case_, double n)
{
    static const char *const phase[] = {"precompute", "propagate", "determine"};
    const struct measurement *fast = best(run, case_, n, 0), *row;
    struct list all = {0};
    double at_best = NAN;
    for (size_t from = 0; (row = find(run, gpu("extended", case_, n, "total"), &from)) != NULL;) {
        double sum = 0;
        for (size_t p = 0; p < 3; p++)
            sum += time_ms(run, gpu_at("extended", case_, n, phase[p], row->blocks, row->threads));
        list_known(&all, row->median_ms / sum);
        if (row == fast)
            at_best = row->median_ms / sum;
    }
    if (isnan(at_best))
        return false;
    judge(claim, 'b', at_best, "case %s, G = %.0f, T = %.0f", case_, fast->blocks, fast->threads);
    show(claim, "total over the sum of its phases in case %s: %s, median (range) over all (G, T)",
         case_, range_text(all, 3));
    return true;
}

void w13_9(const struct run *run, struct claim *claim)
{
    const double n = paper_size(run);
    show(claim, "clause b measured at N = %.0f", n);
    for (size_t i = 0; i < CASES; i++) {
        for (double size = 256 << 10; size <= 1 << 20; size *= 4) {
            double fused = time_ms(run, gpu("fused", case_name(i), size, "total")),
                   ends = time_ms(run, gpu("ends", case_name(i), size, "total"));
            if (isnan(fused / ends))
                return;
            judge(claim, 'a', fused / ends, "case %s, N = %.0fK: %.4g over %.4g ms", case_name(i),
                  size / 1024, fused, ends);
        }
        if (!judge_sum(run, claim, case_name(i), n))
            return;
    }
    claim->device = best(run, "L", n, 0)->device;
}
