/* The claims of W12, judged by the rows in single precision, as in the paper. W12-1 takes every n,
 * so a --quick run is enough. The others need the paper's sizes, 256K and 1M. */
#include "report.h"

#include <math.h>

enum { SIZES = 2 };
static double size(size_t i)
{
    return i == 0 ? 256 << 10 : 1 << 20;
}
static const char *size_name(size_t i)
{
    return i == 0 ? "N = 256K" : "N = 1M";
}

/* The rows of pscheme_gpu on the GPU, of its sweep over the paper's G and T. */
static struct where gpu(const char *variant, double n, const char *phase)
{
    return WHERE(.file = "pscheme_gpu.csv", .program = "pscheme_gpu", .variant = variant,
                 .type = "s", .n = n, .phase = phase, .blocks = PRESENT);
}
static struct where gpu_at(const char *variant, double n, const char *phase, double blocks,
                           double threads)
{
    struct where where = gpu(variant, n, phase);
    where.blocks = blocks;
    where.threads = threads;
    return where;
}

void w12_1(const struct run *run, struct claim *claim)
{
    static const char *const name[] = {"pscheme_eq13 (the paper's operations)",
                                       "pscheme_repeat (repeats W12 eq. 5)",
                                       "pscheme_map (carries the map of a part)"};
    static const char *const variant[] = {"pscheme_eq13", "pscheme_repeat", "pscheme_map"};
    struct where p = WHERE(.program = "pscheme_cpu", .type = "s", .phase = "p", .cores = 1);
    struct list sizes = distinct(run, p, MEMBER(n));
    for (size_t v = 0; v < 3; v++) {
        struct list ratio = {0}, n = {0};
        for (size_t i = 0; i < sizes.count; i++) {
            p.n = sizes.x[i];
            p.variant = variant[v];
            double pscheme = time_ms(run, p);
            p.variant = "substitution";
            double substitution = time_ms(run, p);
            if (isnan(pscheme) || isnan(substitution))
                continue;
            list_add(&ratio, pscheme / substitution);
            list_add(&n, p.n);
        }
        if (v == 0 && ratio.count == 0)
            return;
        if (v == 0) {
            judge(claim, 'a', median(ratio), "median over %zu sizes, n = %.0f to %.0f", n.count,
                  least(n), most(n));
            claim->device = device_of(run, p);
        }
        if (ratio.count > 0)
            show(claim, "%s over the substitution: %s, median (range)", name[v],
                 range_text(ratio, 2));
    }
}

/* The time of the serial loop in ms, the baseline of all speed-ups of W12, or NaN. */
static double serial_ms(const struct run *run, double n)
{
    return time_ms(run, WHERE(.file = "pscheme_gpu.csv", .variant = "serial", .type = "s", .n = n));
}

/* Time of pre-computation and determination together in ms. */
static double parallel_ms(const struct run *run, const char *variant, double n, double blocks,
                          double threads)
{
    return time_ms(run, gpu_at(variant, n, "precompute", blocks, threads)) +
           time_ms(run, gpu_at(variant, n, "determine", blocks, threads));
}
/* The gain of both parallel phases at this T, the median over N and G, NaN if T was not run. */
static double gain_at(const struct run *run, double threads)
{
    struct list gain = {0};
    for (size_t i = 0; i < SIZES; i++) {
        double n = size(i);
        struct list blocks = distinct(run, gpu("block", n, "determine"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++) {
            double x = parallel_ms(run, "block", n, blocks.x[g], threads) /
                       parallel_ms(run, "rearranged", n, blocks.x[g], threads);
            if (!isnan(x))
                list_add(&gain, x);
        }
    }
    return median(gain);
}

/* The gains at G = 32, N = 256K and each T >= 128, where the paper sees none. */
static struct list gain_of_many(const struct run *run, const char *block, const char *rearranged,
                                const char *phase)
{
    double n = size(0), blocks = 32;
    struct list threads = distinct(run, gpu_at(block, n, phase, blocks, 0), MEMBER(threads)),
                gain = {0};
    for (size_t i = 0; i < threads.count; i++) {
        double T = threads.x[i], x = time_ms(run, gpu_at(block, n, phase, blocks, T)) /
                                     time_ms(run, gpu_at(rearranged, n, phase, blocks, T));
        if (T >= 128 && !isnan(x))
            list_add(&gain, x);
    }
    return gain;
}

/* The percentages of propagation with rearrangement at G = 32, N = 256K and each T >= 128. */
static struct list share_of_propagation(const struct run *run)
{
    double n = size(0), blocks = 32;
    struct list threads =
                    distinct(run, gpu_at("rearranged", n, "propagate", blocks, 0), MEMBER(threads)),
                share = {0};
    for (size_t i = 0; i < threads.count; i++) {
        double T = threads.x[i], ms = time_ms(run, gpu_at("rearranged", n, "propagate", blocks, T)),
               percent = 100 * ms / (ms + parallel_ms(run, "rearranged", n, blocks, T));
        if (T >= 128 && !isnan(percent))
            list_add(&share, percent);
    }
    return share;
}

void w12_2(const struct run *run, struct claim *claim)
{
    struct list gain[SIZES] = {{0}}, share = share_of_propagation(run),
                total = gain_of_many(run, "block", "rearranged", "total"),
                propagate = gain_of_many(run, "block", "rearranged", "propagate");
    for (size_t i = 0; i < SIZES; i++) {
        add_ratios(&gain[i], run, gpu("block", size(i), "precompute"),
                   gpu("rearranged", size(i), "precompute"));
        add_ratios(&gain[i], run, gpu("block", size(i), "determine"),
                   gpu("rearranged", size(i), "determine"));
        if (gain[i].count == 0)
            return;
    }
    if (share.count == 0 || total.count == 0 || propagate.count == 0)
        return;
    for (size_t i = 0; i < SIZES; i++) {
        judge(claim, 'a', median(gain[i]), "%s", size_name(i));
        show(claim,
             "gain of the parallel phases at %s: %s, median (range) over both and all (G, T)",
             size_name(i), range_text(gain[i], 2));
    }
    judge(claim, 'b', least(share), "percent, least over %zu T", share.count);
    show(claim, "share of propagation at G = 32, T >= 128, N = 256K: %.0f%% to %.0f%%",
         least(share), most(share));
    judge(claim, 'c', least(total), "least over %zu T", total.count);
    judge(claim, 'c', most(total), "greatest over %zu T", total.count);
    judge(claim, 'd', median(propagate), "median over %zu T", propagate.count);
    for (double T = 16; T <= 512; T *= 32)
        if (!isnan(gain_at(run, T)))
            show(claim, "gain of the parallel phases at T = %.0f: %.2f, median over N and G", T,
                 gain_at(run, T));
    propagate = gain_of_many(run, "block_no_l1", "rearranged_no_l1", "propagate");
    total = gain_of_many(run, "block_no_l1", "rearranged_no_l1", "total");
    if (propagate.count > 0 && total.count > 0)
        show(claim,
             "gain of propagation at G = 32, T >= 128, N = 256K if loads bypass L1: %.2f, and of "
             "the total: %s",
             median(propagate), range_text(total, 2));
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

/* Slope of log(time - fixed_ms) against log P for one phase over all (G, T). */
static double slope(const struct run *run, const char *variant, double n, const char *phase,
                    double fixed_ms)
{
    struct list P = {0}, ms = {0};
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, gpu(variant, n, phase), &from)) != NULL;) {
        list_add(&P, row->blocks * row->threads);
        list_add(&ms, row->median_ms - fixed_ms);
    }
    return log_slope(P, ms);
}
/* The fastest total with rearrangement at this G, NULL if there is none. */
static const struct measurement *best(const struct run *run, double n, double blocks)
{
    return fastest(run, gpu_at("rearranged", n, "total", blocks, 0));
}

/* Shows what keeps pre-computation from falling as N/P: L1, a constant, the stores. */
static void show_limits(const struct run *run, struct claim *claim, size_t i)
{
    double n = size(i), past_l1 = slope(run, "rearranged_no_l1", n, "precompute", 0);
    if (!isnan(past_l1))
        show(claim, "slope of pre-computation at %s if loads bypass L1: %.2f", size_name(i),
             past_l1);
    const struct phase_fit *fit = phase_fit(fit_phases(run), "rearranged", "s", "", n);
    double constant_us = fit == NULL ? NAN : fit->fixed_us[0],
           rest = slope(run, "rearranged", n, "precompute", constant_us / 1e3);
    if (!isnan(rest))
        show(claim, "slope of pre-computation at %s less the constant of a fit, %.3g us: %.2f",
             size_name(i), constant_us, rest);
    struct where all = gpu("rearranged", n, "precompute");
    all.blocks = least(distinct(run, all, MEMBER(blocks)));
    struct list threads = distinct(run, all, MEMBER(threads));
    const char *each = "";
    for (size_t t = 0; t < threads.count; t++) {
        struct where where = all;
        where.threads = threads.x[t];
        double both = time_ms(run, where);
        where.variant = "register";
        double stores = time_ms(run, where);
        if (!isnan(stores))
            each = joined(each, ", ", "%.3g and %.3g us (T = %.0f)", 1e3 * both, 1e3 * stores,
                          threads.x[t]);
    }
    if (each[0] != '\0')
        show(claim, "pre-computation at %s, G = %.0f, and that of register, which only stores: %s",
             size_name(i), all.blocks, each);
}

void w12_3(const struct run *run, struct claim *claim)
{
    struct list ratio[SIZES] = {{0}}, P[SIZES] = {{0}};
    double precompute[SIZES], propagate[SIZES], determine[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        double n = size(i);
        add_ratios(&ratio[i], run, gpu("rearranged", n, "precompute"),
                   gpu("rearranged", n, "determine"));
        precompute[i] = slope(run, "rearranged", n, "precompute", 0);
        propagate[i] = slope(run, "rearranged", n, "propagate", 0);
        determine[i] = slope(run, "rearranged", n, "determine", 0);
        struct list blocks = distinct(run, gpu("rearranged", n, "total"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++)
            list_add(&P[i], blocks.x[g] * best(run, n, blocks.x[g])->threads);
        if (ratio[i].count < 3 || isnan(precompute[i]) || isnan(propagate[i]) ||
            isnan(determine[i]) || P[i].count < 2)
            return;
    }
    for (size_t i = 0; i < SIZES; i++) {
        judge(claim, 'a', median(ratio[i]), "%s", size_name(i));
        judge(claim, 'b', precompute[i], "%s: pre-computation", size_name(i));
        judge(claim, 'b', determine[i], "%s: determination", size_name(i));
        judge(claim, 'c', propagate[i], "%s", size_name(i));
        judge(claim, 'd', most(P[i]) / least(P[i]), "%s: G·T from %.0f to %.0f", size_name(i),
              least(P[i]), most(P[i]));
        show(claim, "pre-computation over determination at %s: %s, median (range) over all (G, T)",
             size_name(i), range_text(ratio[i], 2));
        struct list past_l1 = {0};
        add_ratios(&past_l1, run, gpu("rearranged_no_l1", size(i), "precompute"),
                   gpu("rearranged_no_l1", size(i), "determine"));
        if (past_l1.count > 0)
            show(claim, "the same if loads bypass L1: %s", range_text(past_l1, 2));
        show_limits(run, claim, i);
    }
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

/* The paper's best T (W12 V.F, plots/paper/wakatani2012_best.csv), NaN for another G. */
static double paper_threads(size_t i, double blocks)
{
    static const double threads[SIZES][4] = {{256, 64, 32, 16}, {256, 128, 64, 32}};
    for (size_t g = 0; g < 4; g++)
        if (blocks == 4 << g)
            return threads[i][g];
    return NAN;
}
static bool is_far(double x, double y)
{
    return !(x <= 2 * y && y <= 2 * x);
}

/* Says at how many G the best T is at a bound of clause d, and whether always at the same one. */
static const char *shift_text(double count, double twice, double half)
{
    if (twice + half == 0)
        return "";
    const char *which = half == 0 ? "twice" : twice == 0 ? "half" : "twice or half";
    bool shifted = fmax(twice, half) == twice + half && twice + half > count / 2;
    return text("; at %.0f of these the best T is exactly %s the paper's, which still holds%s",
                twice + half, which, shifted ? ": a systematic shift" : "");
}

/* Shows P_opt by both fits, and what is fitted if loads bypass L1. */
static void show_popt(struct claim *claim, struct phase_fits fits, size_t i)
{
    const struct phase_fit *fit = phase_fit(fits, "rearranged", "s", "", size(i)),
                           *past = phase_fit(fits, "rearranged_no_l1", "s", "", size(i));
    show(claim, "P_opt at %s: %.0f; the paper's sqrt(N/2): %.0f", size_name(i), fit->popt,
         sqrt(size(i) / 2));
    if (fit->popt1 > 0)
        show(claim, "P_opt at %s if a constant is fitted to each phase, too: %.0f", size_name(i),
             fit->popt1);
    if (past != NULL && past->ns[0] > 0)
        show(claim, "alpha:beta:gamma at %s if loads bypass L1: 1:%.2f:%.2f", size_name(i),
             past->ns[1] / past->ns[0], past->ns[2] / past->ns[0]);
}

void w12_4(const struct run *run, struct claim *claim)
{
    const struct phase_fits fits = fit_phases(run);
    const struct phase_fit *fit[SIZES];
    double count[SIZES] = {0}, from_popt[SIZES] = {0}, from_paper[SIZES] = {0}, twice[SIZES] = {0},
           half[SIZES] = {0};
    const char *best_threads[SIZES] = {"", ""};
    struct list threads = distinct(run, gpu(NULL, 0, NULL), MEMBER(threads));
    for (size_t i = 0; i < SIZES; i++) {
        fit[i] = phase_fit(fits, "rearranged", "s", "", size(i));
        if (fit[i] == NULL || !(fit[i]->ns[0] > 0) || !(fit[i]->popt > 0))
            return;
        struct list blocks = distinct(run, gpu("rearranged", size(i), "total"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++) {
            double paper = paper_threads(i, blocks.x[g]);
            if (isnan(paper))
                continue;
            double T = best(run, size(i), blocks.x[g])->threads, model = fit[i]->popt / blocks.x[g];
            count[i]++;
            from_popt[i] += is_far(T, fmin(fmax(model, least(threads)), most(threads)));
            from_paper[i] += is_far(T, paper);
            twice[i] += T == 2 * paper;
            half[i] += paper == 2 * T;
            best_threads[i] = joined(best_threads[i], ", ", "%.0f (G = %.0f)", T, blocks.x[g]);
        }
        if (count[i] < 4) /* one may be away, so all must be known */
            return;
    }
    for (size_t i = 0; i < SIZES; i++) {
        double beta = fit[i]->ns[1] / fit[i]->ns[0], gamma = fit[i]->ns[2] / fit[i]->ns[0];
        judge(claim, 'a', beta / 4, "%s: beta/alpha %.2f over 4", size_name(i), beta);
        judge(claim, 'b', gamma, "%s: gamma/alpha %.2f over 1", size_name(i), gamma);
        judge(claim, 'c', from_popt[i], "of %.0f G, %s", count[i], size_name(i));
        judge(claim, 'd', from_paper[i], "of %.0f G, %s%s", count[i], size_name(i),
              shift_text(count[i], twice[i], half[i]));
        show_popt(claim, fits, i);
        show(claim, "best T at %s: %s", size_name(i), best_threads[i]);
    }
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

/* The cost of T = 16, half a warp: the parallel phases at (G, 16) over those at (G/2, 32). */
static struct list cost_of_half_warps(const struct run *run)
{
    struct list cost = {0};
    for (size_t i = 0; i < SIZES; i++) {
        struct list blocks = distinct(run, gpu("rearranged", size(i), "determine"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++) {
            double G = blocks.x[g], x = parallel_ms(run, "rearranged", size(i), G, 16) /
                                        parallel_ms(run, "rearranged", size(i), G / 2, 32);
            if (!isnan(x))
                list_add(&cost, x);
        }
    }
    return cost;
}

/* The sweep over more blocks, G = 1, 2 and 4 times the number of multiprocessors. */
static struct where more_blocks(double n, double blocks)
{
    struct where where = gpu_at("rearranged", n, "total", blocks, 0);
    where.file = "pscheme_gpu_blocks.csv";
    return where;
}

/* The rows of one phase beside this row of a total. */
static struct where phase_of(const struct measurement *total, const char *phase)
{
    struct where where = gpu_at(total->variant, total->n, phase, total->blocks, total->threads);
    where.file = total->file;
    return where;
}
/* "0.1 ms (G = 4, T = 256; phases 10 + 40 + 50 us)" */
static const char *time_text(const struct run *run, const struct measurement *row)
{
    double precompute = time_ms(run, phase_of(row, "precompute")),
           propagate = time_ms(run, phase_of(row, "propagate")),
           determine = time_ms(run, phase_of(row, "determine"));
    const char *phases = isnan(precompute + propagate + determine)
                             ? ""
                             : text("; phases %.3g + %.3g + %.3g us", 1e3 * precompute,
                                    1e3 * propagate, 1e3 * determine);
    return text("%.4g ms (G = %.0f, T = %.0f%s)", row->median_ms, row->blocks, row->threads,
                phases);
}

/* The time of both parallel phases in the sweep over more blocks in ms, or NaN. */
static double more_parallel_ms(const struct run *run, double n, double blocks, double threads)
{
    struct where where = more_blocks(n, blocks);
    where.threads = threads;
    where.phase = "precompute";
    double precompute = time_ms(run, where);
    where.phase = "determine";
    return precompute + time_ms(run, where);
}

/* Judges clause c: the parallel phases with a block a multiprocessor over those with two. */
static void judge_twice_the_blocks(const struct run *run, struct claim *claim, size_t i, double G)
{
    struct where where = more_blocks(size(i), G);
    where.phase = "determine";
    struct list threads = distinct(run, where, MEMBER(threads)), ratio = {0};
    const char *halves = "";
    for (size_t t = 0; t < threads.count; t++) {
        double T = threads.x[t], twice = more_parallel_ms(run, size(i), 2 * G, T),
               x = more_parallel_ms(run, size(i), G, T) / twice,
               same_P = twice / more_parallel_ms(run, size(i), G, 2 * T);
        if (!isnan(x))
            list_add(&ratio, x);
        if (!isnan(same_P))
            halves = joined(halves, ", ", "%.2f (T = %.0f)", same_P, T);
    }
    if (ratio.count == 0) {
        skip(claim, 'c', "the phases were not run with more blocks than multiprocessors");
        return;
    }
    judge(claim, 'c', median(ratio), "%s: G = %.0f over G = %.0f, median over %zu T", size_name(i),
          G, 2 * G, ratio.count);
    show(claim, "parallel phases at %s, G = %.0f over G = %.0f at the same T: %s", size_name(i), G,
         2 * G, range_text(ratio, 2));
    if (halves[0] != '\0')
        show(claim,
             "parallel phases at %s, two blocks of T threads on a multiprocessor over one of 2 T: "
             "%s",
             size_name(i), halves);
}

/* Judges clauses b to d: as many blocks as the device has multiprocessors, and more. */
static void judge_more_blocks(const struct run *run, struct claim *claim, const double paper_ms[])
{
    struct list blocks[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        struct where any = more_blocks(size(i), 0);
        any.blocks = PRESENT;
        blocks[i] = distinct(run, any, MEMBER(blocks));
        if (blocks[i].count < 2) {
            skip(claim, 'b', "not run with a block for each multiprocessor of the device");
            skip(claim, 'c', "not run with more blocks than multiprocessors");
            skip(claim, 'd', "not run with more blocks than multiprocessors");
            return;
        }
    }
    for (size_t i = 0; i < SIZES; i++) {
        double G = blocks[i].x[0];
        const struct measurement *full = fastest(run, more_blocks(size(i), G));
        struct where twice = more_blocks(size(i), G);
        twice.threads = 2 * full->threads;
        struct list more = {0};
        show(claim, "best total over T at %s, a block for each multiprocessor: %s", size_name(i),
             time_text(run, full));
        if (fastest(run, twice) != NULL)
            show(claim, "with twice this T: %s", time_text(run, fastest(run, twice)));
        for (size_t g = 1; g < blocks[i].count; g++) {
            const struct measurement *row = fastest(run, more_blocks(size(i), blocks[i].x[g]));
            list_add(&more, row->median_ms);
            show(claim, "best total over T at %s, more blocks: %s", size_name(i),
                 time_text(run, row));
        }
        double shortest = fmin(fmin(paper_ms[i], full->median_ms), least(more));
        judge(claim, 'b', full->median_ms / shortest, "%s: G = %.0f over the best of all G",
              size_name(i), G);
        judge_twice_the_blocks(run, claim, i, G);
        judge(claim, 'd', least(more) / full->median_ms, "%s: the best of G > %.0f over G = %.0f",
              size_name(i), G, G);
    }
}

void w12_5(const struct run *run, struct claim *claim)
{
    const struct where all = gpu(NULL, 0, NULL);
    struct list blocks = distinct(run, all, MEMBER(blocks)),
                threads = distinct(run, all, MEMBER(threads)), ms[SIZES] = {{0}};
    double shortest[SIZES];
    if (blocks.count < 2)
        return;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t g = 0; g < blocks.count; g++) {
            struct where total = gpu_at("rearranged", size(i), "total", blocks.x[g], 0);
            if (distinct(run, total, MEMBER(threads)).count < threads.count)
                return;
            list_add(&ms[i], time_ms(run, total));
        }
    for (size_t i = 0; i < SIZES; i++) {
        double largest = ms[i].x[blocks.count - 1];
        shortest[i] = least(ms[i]);
        judge(claim, 'a', largest / shortest[i], "%s: G = %.0f over the best, %.4g over %.4g ms",
              size_name(i), blocks.x[blocks.count - 1], largest, shortest[i]);
        const char *each = "";
        for (size_t g = 0; g < blocks.count; g++)
            each = joined(each, ", ", "%s", time_text(run, best(run, size(i), blocks.x[g])));
        show(claim, "best total over T at %s: %s", size_name(i), each);
    }
    judge_more_blocks(run, claim, shortest);
    struct list cost = cost_of_half_warps(run);
    if (cost.count > 0)
        show(claim,
             "half a warp: parallel phases at (G, T = 16) over those at (G/2, T = 32): %s, median "
             "(range)",
             range_text(cost, 2));
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

/* The shorter of two times; each may be NULL. */
static const struct measurement *shorter(const struct measurement *a, const struct measurement *b)
{
    return a == NULL || (b != NULL && b->median_ms < a->median_ms) ? b : a;
}
/* "speed-up of …" over the baseline of this N, with G and T. Nothing without a baseline. */
static void show_speedup(const struct run *run, struct claim *claim, const char *what, size_t i,
                         const struct measurement *row)
{
    double baseline = serial_ms(run, size(i));
    if (!isnan(baseline))
        show(claim, "speed-up of %s over one CPU thread at %s: %.2f (G = %.0f, T = %.0f)", what,
             size_name(i), baseline / row->median_ms, row->blocks, row->threads);
}

/* Shows at which speed PCR moves its O(N log N) elements at size i, beside a large copy. */
static void show_pcr_speed(const struct run *run, struct claim *claim, size_t i,
                           const struct measurement *pcr)
{
    const struct measurement *copy =
        fastest_of_largest(run, WHERE(.program = "pcr", .variant = "copy"));
    if (copy != NULL && pcr->bytes > 0)
        show(claim, "elements of PCR at its best G and T at %s: %.0f GB/s; a large copy: %.0f GB/s",
             size_name(i), pcr->bytes / pcr->median_ms / 1e6, copy->bytes / copy->median_ms / 1e6);
}

void w12_6(const struct run *run, struct claim *claim)
{
    static const double paper_factor[SIZES] = {1.935 / 1.32, 4.48 / 1.25};
    enum { PCR, PSCHEME, METHODS };
    static const char *const variant[METHODS] = {"pcr", "pscheme"}, *const name[METHODS] = {
                                                                        "PCR", "P-scheme"};
    const double paper_blocks = 32, paper_threads_most = 512;
    const struct measurement *paper[SIZES][METHODS] = {{0}}, *all[SIZES][METHODS] = {{0}};
    bool filled = true; /* PCR was run with more than the paper's G at each N */
    for (size_t i = 0; i < SIZES; i++) {
        for (int m = 0; m < METHODS; m++) {
            struct where total = WHERE(.program = "pcr", .variant = variant[m], .type = "s",
                                       .phase = "total", .n = size(i), .blocks = PRESENT);
            const struct measurement *row;
            for (size_t from = 0; (row = find(run, total, &from)) != NULL;) {
                all[i][m] = shorter(all[i][m], row);
                if (row->blocks == paper_blocks && row->threads <= paper_threads_most)
                    paper[i][m] = shorter(paper[i][m], row);
            }
            if (paper[i][m] == NULL)
                return;
            struct list blocks = distinct(run, total, MEMBER(blocks));
            filled = filled && (m != PCR || most(blocks) > paper_blocks);
        }
        const struct measurement *here = fastest(run, gpu("rearranged", size(i), "total")),
                                 *more = fastest(run, more_blocks(size(i), PRESENT));
        all[i][PSCHEME] = shorter(all[i][PSCHEME], shorter(here, more));
    }
    for (size_t i = 0; i < SIZES; i++) {
        double factor = paper[i][PCR]->median_ms / paper[i][PSCHEME]->median_ms;
        judge(claim, 'a', factor, "%s: %.4g over %.4g ms", size_name(i), paper[i][PCR]->median_ms,
              paper[i][PSCHEME]->median_ms);
        judge(claim, 'b', factor / paper_factor[i], "%s: %.2f over %.2f", size_name(i), factor,
              paper_factor[i]);
        if (filled)
            judge(claim, 'c', all[i][PCR]->median_ms / all[i][PSCHEME]->median_ms,
                  "%s: %.4g over %.4g ms", size_name(i), all[i][PCR]->median_ms,
                  all[i][PSCHEME]->median_ms);
        for (int m = METHODS - 1; m >= 0; m--) {
            show_speedup(run, claim, name[m], i, paper[i][m]);
            if (filled)
                show_speedup(run, claim, text("%s at its best G and T", name[m]), i, all[i][m]);
        }
        if (filled)
            show_pcr_speed(run, claim, i, all[i][PCR]);
    }
    if (!filled)
        skip(claim, 'c', "PCR was run at G = 32 only, which does not fill the device");
    const struct measurement *four = best(run, size(0), 4);
    double one_thread = serial_ms(run, size(0));
    if (four != NULL && !isnan(one_thread))
        show(claim, "speed-up of P-scheme at G = 4, N = 256K: %.2f (T = %.0f); the paper: 1.9",
             one_thread / four->median_ms, four->threads);
    claim->device = paper[0][PSCHEME]->device;
}
