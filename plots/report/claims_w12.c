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
static struct where gpu_at(const char *variant, double n, const char *phase, double blocks,
                           double threads)
{
    return WHERE(.file = "pscheme_gpu.csv", .program = "pscheme_gpu", .variant = variant,
                 .type = "s", .n = n, .phase = phase, .blocks = blocks, .threads = threads);
}
static struct where gpu(const char *variant, double n, const char *phase)
{
    return gpu_at(variant, n, phase, PRESENT, 0);
}
/* Its rows at G = 32, N = 256K and T >= 128. */
static struct where gpu_of_many(const char *variant, const char *phase)
{
    struct where where = gpu_at(variant, size(0), phase, 32, 0);
    where.least_threads = 128;
    return where;
}
static const char *gpu_device(const struct run *run)
{
    return device_of(run, gpu("rearranged", size(0), "total"));
}

void w12_1(const struct run *run, struct claim *claim)
{
    static const struct {
        char clause; /* 0: not judged */
        const char *variant, *name;
    } schemes[] = {{'a', "pscheme_eq13", "pscheme_eq13 (W12 eq. 13)"},
                   {'b', "pscheme_repeat", "pscheme_repeat (repeats W12 eq. 5)"},
                   {0, "pscheme_map", "pscheme_map (carries the map of a part)"}};
    struct where p = WHERE(.program = "pscheme_cpu", .type = "s", .phase = "p", .cores = 1);
    struct list sizes = distinct(run, p, MEMBER(n));
    for (size_t v = 0; v < sizeof schemes / sizeof *schemes; v++) {
        struct list ratio = {0}, n = {0};
        for (size_t i = 0; i < sizes.count; i++) {
            p.n = sizes.x[i];
            double x = variant_ms(run, p, schemes[v].variant) / variant_ms(run, p, "substitution");
            if (isnan(x))
                continue;
            list_add(&ratio, x);
            list_add(&n, p.n);
        }
        if (v == 0 && ratio.count == 0)
            return;
        if (schemes[v].clause != 0 && ratio.count == 0)
            skip(claim, schemes[v].clause, text("%s was not run", schemes[v].variant));
        else if (schemes[v].clause != 0)
            judge(claim, schemes[v].clause, median(ratio),
                  "median over %zu sizes, n = %.0f to %.0f", n.count, least(n), most(n));
        show(claim, "%s over the substitution: %s, median (range)", schemes[v].name,
             range_text(ratio, 2));
    }
    claim->device = device_of(run, p);
}

/* The time of the serial loop in ms, the baseline of all speed-ups of W12, or NaN. */
static double serial_ms(const struct run *run, double n)
{
    return time_ms(run, WHERE(.file = "pscheme_gpu.csv", .variant = "serial", .type = "s", .n = n));
}

/* Time of pre-computation and determination together in ms. */
static double parallel_ms(const struct run *run, struct where where)
{
    return phase_ms(run, where, "precompute") + phase_ms(run, where, "determine");
}

/* The parallel phases of a variant at T threads over those of another at 1/fewer of the blocks and
 * `threads`, for all N and G. */
static struct list parallel_ratios(const struct run *run, const char *variant, double T,
                                   const char *other, double threads, double fewer)
{
    struct list ratio = {0};
    for (size_t i = 0; i < SIZES; i++) {
        double n = size(i);
        struct list blocks = distinct(run, gpu(variant, n, "determine"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++) {
            double G = blocks.x[g];
            list_known(&ratio, parallel_ms(run, gpu_at(variant, n, NULL, G, T)) /
                                   parallel_ms(run, gpu_at(other, n, NULL, G / fewer, threads)));
        }
    }
    return ratio;
}

/* The gains at G = 32, N = 256K and each T >= 128, where the paper sees none. */
static struct list gain_of_many(const struct run *run, const char *block, const char *rearranged,
                                const char *phase)
{
    struct list gain = {0};
    add_ratios(&gain, run, gpu_of_many(block, phase), gpu_of_many(rearranged, phase));
    return gain;
}

/* The percentages of propagation with rearrangement at G = 32, N = 256K and each T >= 128. */
static struct list share_of_propagation(const struct run *run)
{
    struct where many = gpu_of_many("rearranged", "propagate");
    struct list threads = distinct(run, many, MEMBER(threads)), share = {0};
    for (size_t i = 0; i < threads.count; i++) {
        many.threads = threads.x[i];
        double ms = time_ms(run, many);
        list_known(&share, 100 * ms / (ms + parallel_ms(run, many)));
    }
    return share;
}

/* The largest gain over the smallest: over G at the same T, or over T at the same G; the median. */
static double spread_of_gain(const struct run *run, double n, const char *phase, bool over_blocks)
{
    struct list spread = {0}, same = distinct(run, gpu("rearranged", n, phase),
                                              over_blocks ? MEMBER(threads) : MEMBER(blocks));
    for (size_t i = 0; i < same.count; i++) {
        double G = over_blocks ? PRESENT : same.x[i], T = over_blocks ? same.x[i] : 0;
        struct list gain = {0};
        add_ratios(&gain, run, gpu_at("block", n, phase, G, T),
                   gpu_at("rearranged", n, phase, G, T));
        if (gain.count > 1)
            list_add(&spread, most(gain) / least(gain));
    }
    return median(spread);
}

/* Judges the gain of one parallel phase in `clause`, and in f whether it depends on G. */
static void judge_gain(const struct run *run, struct claim *claim, char clause, const char *phase,
                       size_t i)
{
    struct list gain = {0};
    add_ratios(&gain, run, gpu("block", size(i), phase), gpu("rearranged", size(i), phase));
    judge(claim, clause, median(gain), "%s", size_name(i));
    double over_blocks = spread_of_gain(run, size(i), phase, true);
    if (isnan(over_blocks))
        skip(claim, 'f', "run at one G only");
    else
        judge(claim, 'f', over_blocks, "%s, %s; over T at the same G it is %.2f", size_name(i),
              phase, spread_of_gain(run, size(i), phase, false));
    show(claim, "gain of %s at %s: %s, median (range) over all (G, T)", phase, size_name(i),
         range_text(gain, 2));
}

void w12_2(const struct run *run, struct claim *claim)
{
    struct list share = share_of_propagation(run),
                total = gain_of_many(run, "block", "rearranged", "total"),
                propagate = gain_of_many(run, "block", "rearranged", "propagate");
    if (share.count == 0 || total.count == 0 || propagate.count == 0)
        return;
    for (size_t i = 0; i < SIZES; i++) {
        if (distinct(run, gpu("block", size(i), "precompute"), MEMBER(threads)).count == 0 ||
            distinct(run, gpu("block", size(i), "determine"), MEMBER(threads)).count == 0)
            return;
        judge_gain(run, claim, 'a', "precompute", i);
        judge_gain(run, claim, 'e', "determine", i);
    }
    judge(claim, 'b', least(share), "percent, least over %zu T", share.count);
    show(claim, "share of propagation at G = 32, T >= 128, N = 256K: %.0f%% to %.0f%%",
         least(share), most(share));
    judge(claim, 'c', least(total), "least over %zu T", total.count);
    judge(claim, 'c', most(total), "greatest over %zu T", total.count);
    judge(claim, 'd', median(propagate), "median over %zu T", propagate.count);
    for (double T = 16; T <= 512; T *= 32)
        show(claim, "gain of the parallel phases at T = %.0f: %.2f, median over N and G", T,
             median(parallel_ratios(run, "block", T, "rearranged", T, 1)));
    propagate = gain_of_many(run, "block_no_l1", "rearranged_no_l1", "propagate");
    total = gain_of_many(run, "block_no_l1", "rearranged_no_l1", "total");
    show(claim,
         "gain of propagation at G = 32, T >= 128, N = 256K if loads bypass L1: %.2f, and of the "
         "total: %s",
         median(propagate), range_text(total, 2));
    claim->device = gpu_device(run);
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
/* The T of this total or of a near tie with it that is nearest to another. */
static double best_threads(const struct run *run, double n, double blocks, double near)
{
    return nearest(tied(run, gpu_at("rearranged", n, "total", blocks, 0), MEMBER(threads)), near);
}
/* The best G·T of each G; of near ties those that are nearest to each other. */
static struct list best_products(const struct run *run, double n)
{
    struct list blocks = distinct(run, gpu("rearranged", n, "total"), MEMBER(blocks)), best = {0};
    for (size_t k = 0; k < blocks.count; k++) {
        const struct where total = gpu_at("rearranged", n, "total", blocks.x[k], 0);
        struct list threads = tied(run, total, MEMBER(threads));
        for (size_t t = 0; t < threads.count; t++) {
            struct list products = {0};
            double P = blocks.x[k] * threads.x[t];
            for (size_t g = 0; g < blocks.count; g++) {
                double G = blocks.x[g];
                list_add(&products, G * best_threads(run, n, G, P / G));
            }
            if (best.count == 0 || most(products) / least(products) < most(best) / least(best))
                best = products;
        }
    }
    return best;
}

/* Shows what keeps pre-computation from falling as N/P: L1, a constant, the stores. */
static void show_limits(const struct run *run, struct claim *claim, size_t i)
{
    double n = size(i);
    show(claim, "slope of pre-computation at %s if loads bypass L1: %.2f", size_name(i),
         slope(run, "rearranged_no_l1", n, "precompute", 0));
    const struct phase_fit *fit = phase_fit(fit_phases(run), "rearranged", "s", "", n);
    double constant_us = fit == NULL ? NAN : fit->fixed_us[0];
    show(claim, "slope of pre-computation at %s less the constant of a fit, %.3g us: %.2f",
         size_name(i), constant_us, slope(run, "rearranged", n, "precompute", constant_us / 1e3));
    struct where where = gpu("rearranged", n, "precompute");
    where.blocks = least(distinct(run, where, MEMBER(blocks)));
    struct list threads = distinct(run, where, MEMBER(threads));
    const char *each = NO_NUMBERS;
    for (size_t t = 0; t < threads.count; t++) {
        where.threads = threads.x[t];
        add_known(&each, "%.3g and %.3g us (T = %.0f)", 1e3 * time_ms(run, where),
                  1e3 * variant_ms(run, where, "register"), threads.x[t]);
    }
    show(claim, "pre-computation at %s, G = %.0f, and that of register, which only stores: %s",
         size_name(i), where.blocks, each);
}

void w12_3(const struct run *run, struct claim *claim)
{
    for (size_t i = 0; i < SIZES; i++) {
        double n = size(i), precompute = slope(run, "rearranged", n, "precompute", 0),
               propagate = slope(run, "rearranged", n, "propagate", 0),
               determine = slope(run, "rearranged", n, "determine", 0);
        struct list ratio = {0}, past_l1 = {0}, P = best_products(run, n);
        add_ratios(&ratio, run, gpu("rearranged", n, "precompute"),
                   gpu("rearranged", n, "determine"));
        add_ratios(&past_l1, run, gpu("rearranged_no_l1", n, "precompute"),
                   gpu("rearranged_no_l1", n, "determine"));
        if (ratio.count < 3 || isnan(precompute + propagate + determine) || P.count < 2)
            return;
        judge(claim, 'a', median(ratio), "%s", size_name(i));
        judge(claim, 'b', precompute, "%s: pre-computation", size_name(i));
        judge(claim, 'b', determine, "%s: determination", size_name(i));
        judge(claim, 'c', propagate, "%s", size_name(i));
        judge(claim, 'd', most(P) / least(P), "%s: G·T from %.0f to %.0f", size_name(i), least(P),
              most(P));
        show(claim, "pre-computation over determination at %s: %s, median (range) over all (G, T)",
             size_name(i), range_text(ratio, 2));
        show(claim, "the same if loads bypass L1: %s", range_text(past_l1, 2));
        show_limits(run, claim, i);
    }
    claim->device = gpu_device(run);
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

/* Judges clauses c and d: the best T at each of the paper's G, or a near tie, beside that of the
 * model and of the paper. Returns the best T in words, or NULL if one of these G was not run. */
static const char *judge_threads(const struct run *run, struct claim *claim, size_t i, double popt)
{
    struct list threads = distinct(run, gpu(NULL, 0, NULL), MEMBER(threads)), fastest_threads = {0},
                known = {0},
                blocks = distinct(run, gpu("rearranged", size(i), "total"), MEMBER(blocks));
    double from_popt = 0, from_paper = 0, twice = 0, half = 0;
    for (size_t g = 0; g < blocks.count; g++) {
        double G = blocks.x[g], paper = paper_threads(i, G),
               model = fmin(fmax(popt / G, least(threads)), most(threads)),
               T = best_threads(run, size(i), G, paper);
        if (isnan(paper))
            continue;
        from_popt += is_far(best_threads(run, size(i), G, model), model);
        from_paper += is_far(T, paper);
        twice += T == 2 * paper;
        half += paper == 2 * T;
        list_add(&fastest_threads, best(run, size(i), G)->threads);
        list_add(&known, G);
    }
    if (known.count < 4) /* one may be away, so all must be known */
        return NULL;
    judge(claim, 'c', from_popt, "of %zu G, %s", known.count, size_name(i));
    judge(claim, 'd', from_paper, "of %zu G, %s%s", known.count, size_name(i),
          shift_text((double)known.count, twice, half));
    return pairs_text("%.0f (G = %.0f)", fastest_threads, known);
}

/* The best T at 1M over that at 256K for each G; of near ties what is nearest to the paper's 2. */
static struct list growth_of_threads(const struct run *run)
{
    struct list blocks = distinct(run, gpu("rearranged", size(0), "total"), MEMBER(blocks)),
                growth = {0};
    for (size_t g = 0; g < blocks.count; g++) {
        const struct where small = gpu_at("rearranged", size(0), "total", blocks.x[g], 0);
        struct list threads = tied(run, small, MEMBER(threads)), each = {0};
        for (size_t t = 0; t < threads.count; t++)
            list_add(&each,
                     best_threads(run, size(1), blocks.x[g], 2 * threads.x[t]) / threads.x[t]);
        list_known(&growth, nearest(each, 2));
    }
    return growth;
}

void w12_4(const struct run *run, struct claim *claim)
{
    const struct phase_fits fits = fit_phases(run);
    double popt[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        const struct phase_fit *fit = phase_fit(fits, "rearranged", "s", "", size(i)),
                               *past = phase_fit(fits, "rearranged_no_l1", "s", "", size(i));
        if (fit == NULL || !(fit->ns[0] > 0) || !(fit->popt > 0))
            return;
        double beta = fit->ns[1] / fit->ns[0], gamma = fit->ns[2] / fit->ns[0];
        judge(claim, 'a', beta / 4, "%s: beta/alpha %.2f over 4", size_name(i), beta);
        judge(claim, 'b', gamma, "%s: gamma/alpha %.2f over 1", size_name(i), gamma);
        const char *threads = judge_threads(run, claim, i, fit->popt);
        if (threads == NULL)
            return;
        popt[i] = fit->popt;
        show(claim, "P_opt at %s: %.0f; the paper's sqrt(N/2): %.0f", size_name(i), fit->popt,
             sqrt(size(i) / 2));
        show(claim, "P_opt at %s if a constant is fitted to each phase, too: %.0f", size_name(i),
             fit->popt1);
        if (past != NULL && past->ns[0] > 0)
            show(claim, "alpha:beta:gamma at %s if loads bypass L1: 1:%.2f:%.2f", size_name(i),
                 past->ns[1] / past->ns[0], past->ns[2] / past->ns[0]);
        show(claim, "best T at %s: %s", size_name(i), threads);
    }
    struct list growth = growth_of_threads(run);
    judge(claim, 'e', median(growth), "best T, median over %zu G", growth.count);
    judge(claim, 'e', popt[1] / popt[0], "P_opt, %.0f over %.0f", popt[1], popt[0]);
    claim->device = gpu_device(run);
}

/* The sweep over more blocks, G = 1, 2 and 4 times the number of multiprocessors. */
static struct where more_blocks(double n, double blocks, double threads)
{
    struct where where = gpu_at("rearranged", n, "total", blocks, threads);
    where.file = "pscheme_gpu_blocks.csv";
    return where;
}

/* "0.1 ms (G = 4, T = 256; phases 10 + 40 + 50 us)" */
static const char *time_text(const struct run *run, const struct measurement *row)
{
    struct where where = gpu_at(row->variant, row->n, NULL, row->blocks, row->threads);
    where.file = row->file;
    double precompute = phase_ms(run, where, "precompute"),
           propagate = phase_ms(run, where, "propagate"),
           determine = phase_ms(run, where, "determine");
    const char *phases = isnan(precompute + propagate + determine)
                             ? ""
                             : text("; phases %.3g + %.3g + %.3g us", 1e3 * precompute,
                                    1e3 * propagate, 1e3 * determine);
    return text("%.4g ms (G = %.0f, T = %.0f%s)", row->median_ms, row->blocks, row->threads,
                phases);
}

/* Judges one clause: the parallel phases with a block a multiprocessor over those with two. */
static void judge_twice_the_blocks(const struct run *run, struct claim *claim, char clause,
                                   size_t i, double G, double least_threads, double most_threads)
{
    struct where where = more_blocks(size(i), G, 0);
    where.phase = "determine";
    where.least_threads = least_threads;
    where.most_threads = most_threads;
    struct list threads = distinct(run, where, MEMBER(threads)), ratio = {0}, same_P = {0};
    for (size_t t = 0; t < threads.count; t++) {
        double T = threads.x[t], twice = parallel_ms(run, more_blocks(size(i), 2 * G, T));
        list_known(&ratio, parallel_ms(run, more_blocks(size(i), G, T)) / twice);
        list_add(&same_P, twice / parallel_ms(run, more_blocks(size(i), G, 2 * T)));
    }
    if (ratio.count == 0) {
        skip(claim, clause,
             "the phases were not run with more blocks than multiprocessors and such T");
        return;
    }
    judge(claim, clause, median(ratio), "%s: G = %.0f over G = %.0f, median over T = %.0f to %.0f",
          size_name(i), G, 2 * G, least(threads), most(threads));
    show(claim, "parallel phases at %s, G = %.0f over G = %.0f at T = %.0f to %.0f: %s",
         size_name(i), G, 2 * G, least(threads), most(threads), range_text(ratio, 2));
    show(claim,
         "parallel phases at %s, two blocks of T threads on a multiprocessor over one of 2 T: %s",
         size_name(i), pairs_text("%.2f (T = %.0f)", same_P, threads));
}

/* Judges clauses b, c, d and i: as many blocks as the device has multiprocessors, and more. */
static void judge_more_blocks(const struct run *run, struct claim *claim, const double paper_ms[])
{
    struct list blocks[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        blocks[i] = distinct(run, more_blocks(size(i), PRESENT, 0), MEMBER(blocks));
        if (blocks[i].count < 2) {
            for (const char *clause = "bcdi"; *clause != '\0'; clause++)
                skip(claim, *clause, "not run with a block for each multiprocessor, and with more");
            return;
        }
    }
    for (size_t i = 0; i < SIZES; i++) {
        double G = blocks[i].x[0];
        struct list more = {0};
        const struct measurement *full = fastest(run, more_blocks(size(i), G, 0)),
                                 *twice = fastest(run, more_blocks(size(i), G, 2 * full->threads));
        show(claim, "best total over T at %s, a block for each multiprocessor: %s", size_name(i),
             time_text(run, full));
        if (twice != NULL)
            show(claim, "with twice this T: %s", time_text(run, twice));
        for (size_t g = 1; g < blocks[i].count; g++) {
            const struct measurement *row = fastest(run, more_blocks(size(i), blocks[i].x[g], 0));
            list_add(&more, row->median_ms);
            show(claim, "best total over T at %s, more blocks: %s", size_name(i),
                 time_text(run, row));
        }
        double shortest = fmin(fmin(paper_ms[i], full->median_ms), least(more));
        judge(claim, 'b', full->median_ms / shortest, "%s: G = %.0f over the best of all G",
              size_name(i), G);
        judge_twice_the_blocks(run, claim, 'c', i, G, 0, 64);
        judge_twice_the_blocks(run, claim, 'i', i, G, 128, 0);
        judge(claim, 'd', least(more) / full->median_ms, "%s: the best of G > %.0f over G = %.0f",
              size_name(i), G, G);
    }
}

/* Judges clauses f to h: how the parallel phases gain from G at the same T, and from T at the same
 * G. Returns false if their times are not known. */
static bool judge_parallelism(const struct run *run, struct claim *claim, struct list blocks,
                              size_t i, struct list threads)
{
    struct list slopes = {0};
    for (size_t t = 0; t < threads.count; t++) {
        struct list ms = {0};
        for (size_t g = 0; g < blocks.count; g++)
            list_add(&ms, parallel_ms(
                              run, gpu_at("rearranged", size(i), NULL, blocks.x[g], threads.x[t])));
        list_known(&slopes, log_slope(blocks, ms));
    }
    if (slopes.count == 0)
        return false;
    judge(claim, 'f', median(slopes), "%s: G = %.0f to %.0f, median over %zu T", size_name(i),
          least(blocks), most(blocks), slopes.count);
    for (double T = 32; T <= 128; T *= 4) {
        struct list gain = {0};
        for (size_t g = 0; g < blocks.count; g++) {
            struct where few = gpu_at("rearranged", size(i), NULL, blocks.x[g], T), many = few;
            many.threads = 512;
            list_known(&gain, parallel_ms(run, few) / parallel_ms(run, many));
        }
        judge(claim, T == 32 ? 'g' : 'h', median(gain),
              "%s: T = %.0f over T = 512, median over %zu G", size_name(i), T, gain.count);
    }
    return true;
}

void w12_5(const struct run *run, struct claim *claim)
{
    const struct where all = gpu(NULL, 0, NULL);
    struct list blocks = distinct(run, all, MEMBER(blocks)),
                threads = distinct(run, all, MEMBER(threads)),
                cost = parallel_ratios(run, "rearranged", 16, "rearranged", 32, 2);
    double shortest[SIZES];
    if (blocks.count < 2)
        return;
    for (size_t i = 0; i < SIZES; i++) {
        struct list ms = {0};
        const char *each = NO_NUMBERS;
        for (size_t g = 0; g < blocks.count; g++) {
            struct where total = gpu_at("rearranged", size(i), "total", blocks.x[g], 0);
            if (distinct(run, total, MEMBER(threads)).count < threads.count)
                return;
            list_add(&ms, time_ms(run, total));
            add_known(&each, "%s", time_text(run, fastest(run, total)));
        }
        double largest = ms.x[blocks.count - 1];
        shortest[i] = least(ms);
        judge(claim, 'a', largest / shortest[i], "%s: G = %.0f over the best, %.4g over %.4g ms",
              size_name(i), blocks.x[blocks.count - 1], largest, shortest[i]);
        judge(claim, 'e', largest / shortest[i], "%s", size_name(i));
        if (!judge_parallelism(run, claim, blocks, i, threads))
            return;
        show(claim, "best total over T at %s: %s", size_name(i), each);
    }
    judge_more_blocks(run, claim, shortest);
    show(claim,
         "half a warp: parallel phases at (G, T = 16) over those at (G/2, T = 32): %s, median "
         "(range)",
         range_text(cost, 2));
    claim->device = gpu_device(run);
}

/* "speed-up of …" over the baseline of this N, with G and T. */
static void show_speedup(const struct run *run, struct claim *claim, const char *what, size_t i,
                         const struct measurement *row)
{
    show(claim, "speed-up of %s over one CPU thread at %s: %.2f (G = %.0f, T = %.0f)", what,
         size_name(i), serial_ms(run, size(i)) / row->median_ms, row->blocks, row->threads);
}

static struct where pcr_total(const char *variant, size_t i)
{
    return WHERE(.program = "pcr", .variant = variant, .type = "s", .phase = "total", .n = size(i),
                 .blocks = PRESENT);
}

void w12_6(const struct run *run, struct claim *claim)
{
    static const double paper_factor[SIZES] = {1.935 / 1.32, 4.48 / 1.25}, paper_blocks = 32;
    enum { PCR, PSCHEME, METHODS };
    static const char *const variant[METHODS] = {"pcr", "pscheme"}, *const name[METHODS] = {
                                                                        "PCR", "P-scheme"};
    bool filled = true; /* PCR was run with more than the paper's G at each N */
    for (size_t i = 0; i < SIZES; i++)
        filled = filled && most(distinct(run, pcr_total("pcr", i), MEMBER(blocks))) > paper_blocks;
    for (size_t i = 0; i < SIZES; i++) {
        const struct measurement *paper[METHODS], *all[METHODS];
        for (int m = 0; m < METHODS; m++) {
            struct where total = pcr_total(variant[m], i);
            all[m] = fastest(run, total);
            total.blocks = paper_blocks;
            total.most_threads = 512;
            paper[m] = fastest(run, total);
            if (paper[m] == NULL)
                return;
        }
        all[PSCHEME] =
            shorter(all[PSCHEME], shorter(fastest(run, gpu("rearranged", size(i), "total")),
                                          fastest(run, more_blocks(size(i), PRESENT, 0))));
        double pcr = paper[PCR]->median_ms, pscheme = paper[PSCHEME]->median_ms;
        judge(claim, 'a', pcr / pscheme, "%s: %.4g over %.4g ms", size_name(i), pcr, pscheme);
        judge(claim, 'b', pcr / pscheme / paper_factor[i], "%s: %.2f over %.2f", size_name(i),
              pcr / pscheme, paper_factor[i]);
        if (filled)
            judge(claim, 'c', all[PCR]->median_ms / all[PSCHEME]->median_ms,
                  "%s: %.4g over %.4g ms", size_name(i), all[PCR]->median_ms,
                  all[PSCHEME]->median_ms);
        for (int m = METHODS - 1; m >= 0; m--) {
            show_speedup(run, claim, name[m], i, paper[m]);
            if (filled)
                show_speedup(run, claim, text("%s at its best G and T", name[m]), i, all[m]);
        }
        if (filled)
            show(claim,
                 "elements of PCR at its best G and T at %s: %.0f GB/s; a large copy: %.0f GB/s",
                 size_name(i), gb_per_s(all[PCR]),
                 gb_per_s(fastest_of_largest(run, WHERE(.program = "pcr", .variant = "copy"))));
    }
    if (!filled)
        skip(claim, 'c', "PCR was run at G = 32 only, which does not fill the device");
    const struct measurement *four = best(run, size(0), 4);
    if (four != NULL)
        show(claim, "speed-up of P-scheme at G = 4, N = 256K: %.2f (T = %.0f); the paper: 1.9",
             serial_ms(run, size(0)) / four->median_ms, four->threads);
    claim->device = device_of(run, pcr_total("pscheme", 0));
}

/* The time between the phases: a total over the sum of its three phases. */
static double total_over_phases(const struct run *run, const struct measurement *total)
{
    struct where where = gpu_at(total->variant, total->n, NULL, total->blocks, total->threads);
    return total->median_ms / (parallel_ms(run, where) + phase_ms(run, where, "propagate"));
}

void w12_7(const struct run *run, struct claim *claim)
{
    const struct phase_fits fits = fit_phases(run);
    for (size_t i = 0; i < SIZES; i++) {
        const struct where total = gpu("rearranged", size(i), "total");
        const struct measurement *shortest = fastest(run, total), *row;
        const struct phase_fit *fit = phase_fit(fits, "rearranged", "s", "", size(i));
        struct list over = {0};
        if (shortest == NULL || fit == NULL)
            return;
        for (size_t from = 0; (row = find(run, total, &from)) != NULL;)
            list_known(&over, total_over_phases(run, row));
        judge(claim, 'a', total_over_phases(run, shortest), "%s: best total, %s", size_name(i),
              time_text(run, shortest));
        judge(claim, 'a', median(over), "%s: median over %zu (G, T)", size_name(i), over.count);
        double us = fit->fixed_us[1] + fit->fixed_us[2];
        judge(claim, 'b', us / 10 / shortest->median_ms, "%s: %.3g us of %.4g ms", size_name(i), us,
              shortest->median_ms);
        show(claim, "total over the sum of its phases at %s: %s, median (range)", size_name(i),
             range_text(over, 3));
    }
    claim->device = gpu_device(run);
}

/* ---- W12-8: counted operations ---- */

enum { COUNTED = 5, LOADS = 3, STORES = 4 };
static const char *const counted[COUNTED] = {"multiplications", "divisions", "additions", "loads",
                                             "stores"};
/* The operations of one p, the paper's and those that pscheme_cpu counted. */
struct operations {
    const char *variant;
    double paper[COUNTED], is[COUNTED];
};

/* Judges the counts from `first` to `last` by the paper's. */
static void judge_counts(struct claim *claim, char clause, const struct operations *of, int first,
                         int last)
{
    for (int i = first; i <= last; i++)
        judge(claim, clause, of->is[i] / of->paper[i], "%s: %.0f %s, the paper: %.0f", of->variant,
              of->is[i], counted[i], of->paper[i]);
}

void w12_8(const struct run *run, struct claim *claim)
{
    enum { ORIGINAL, EQ13, REPEAT, WAYS };
    struct operations way[WAYS] = {{"substitution", {1, 1, 1, 3, 1}, {0}},
                                   {"pscheme_eq13", {4, 3, 3, 6, 4}, {0}},
                                   {"pscheme_repeat", {4, 3, 3, 6, 4}, {0}}};
    double all[WAYS] = {0};
    for (int w = 0; w < WAYS; w++)
        for (int i = 0; i < COUNTED; i++) {
            way[w].is[i] = sum_of(run_table(run, "pscheme_cpu_operations.csv"), counted[i],
                                  "variant", way[w].variant, NULL);
            all[w] += way[w].is[i];
        }
    if (all[ORIGINAL] == 0 || all[EQ13] == 0 || all[REPEAT] == 0)
        return;
    for (int w = 0; w < WAYS; w++) {
        judge_counts(claim, (char)('a' + w), &way[w], 0, LOADS - 1);
        judge_counts(claim, w == REPEAT ? 'e' : 'd', &way[w], STORES, STORES);
        judge_counts(claim, 'f', &way[w], LOADS, LOADS);
        if (w != ORIGINAL)
            judge(claim, 'g', all[w] / all[ORIGINAL], "%s: %.0f over %.0f", way[w].variant, all[w],
                  all[ORIGINAL]);
    }
    claim->device = "counted";
}
