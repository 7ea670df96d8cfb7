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

/* The rows of pscheme_gpu on the GPU. NULL and 0 mean any, as in struct where. */
static struct where gpu(const char *variant, double n, const char *phase)
{
    return WHERE(.program = "pscheme_gpu", .variant = variant, .type = "s", .n = n, .phase = phase,
                 .blocks = PRESENT);
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

/* Time of pre-computation and determination together in ms. */
static double parallel_ms(const struct run *run, const char *variant, double n, double blocks,
                          double threads)
{
    return time_ms(run, gpu_at(variant, n, "precompute", blocks, threads)) +
           time_ms(run, gpu_at(variant, n, "determine", blocks, threads));
}
/* How much faster rearrangement makes pre-computation and determination together at this T: the
 * median over both N and all G, NaN if T was not run. */
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

void w12_2(const struct run *run, struct claim *claim)
{
    struct list gain[SIZES] = {{0}};
    for (size_t i = 0; i < SIZES; i++) {
        add_ratios(&gain[i], run, gpu("block", size(i), "precompute"),
                   gpu("rearranged", size(i), "precompute"));
        add_ratios(&gain[i], run, gpu("block", size(i), "determine"),
                   gpu("rearranged", size(i), "determine"));
        if (gain[i].count == 0)
            return;
    }
    double n = size(0), blocks = 32;
    struct list threads =
                    distinct(run, gpu_at("rearranged", n, "propagate", blocks, 0), MEMBER(threads)),
                share = {0}, total = {0}, propagate = {0};
    for (size_t i = 0; i < threads.count; i++) {
        double T = threads.x[i];
        if (T < 128)
            continue;
        double ms = time_ms(run, gpu_at("rearranged", n, "propagate", blocks, T));
        double percent = 100 * ms / (ms + parallel_ms(run, "rearranged", n, blocks, T));
        double ratio = time_ms(run, gpu_at("block", n, "total", blocks, T)) /
                       time_ms(run, gpu_at("rearranged", n, "total", blocks, T));
        if (isnan(percent) || isnan(ratio))
            continue;
        list_add(&share, percent);
        list_add(&total, ratio);
        list_add(&propagate, time_ms(run, gpu_at("block", n, "propagate", blocks, T)) / ms);
    }
    if (share.count == 0)
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
    for (double T = 16; T <= 512; T *= 32)
        if (!isnan(gain_at(run, T)))
            show(claim, "gain of the parallel phases at T = %.0f: %.2f, median over N and G", T,
                 gain_at(run, T));
    if (!isnan(median(propagate)))
        show(claim, "gain of propagation at G = 32, T >= 128, N = 256K: %.1f, median over T",
             median(propagate));
    claim->device = device_of(run, gpu("rearranged", n, "total"));
}

/* Slope of log(time) against log P for one phase over all (G, T). */
static double slope(const struct run *run, double n, const char *phase)
{
    struct list P = {0}, ms = {0};
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, gpu("rearranged", n, phase), &from)) != NULL;) {
        list_add(&P, row->blocks * row->threads);
        list_add(&ms, row->median_ms);
    }
    return log_slope(P, ms);
}
/* The fastest total with rearrangement at this G, NULL if there is none. */
static const struct measurement *best(const struct run *run, double n, double blocks)
{
    return fastest(run, gpu_at("rearranged", n, "total", blocks, 0));
}

void w12_3(const struct run *run, struct claim *claim)
{
    struct list ratio[SIZES] = {{0}}, P[SIZES] = {{0}};
    double precompute[SIZES], propagate[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        double n = size(i);
        add_ratios(&ratio[i], run, gpu("rearranged", n, "precompute"),
                   gpu("rearranged", n, "determine"));
        precompute[i] = slope(run, n, "precompute");
        propagate[i] = slope(run, n, "propagate");
        struct list blocks = distinct(run, gpu("rearranged", n, "total"), MEMBER(blocks));
        for (size_t g = 0; g < blocks.count; g++)
            list_add(&P[i], blocks.x[g] * best(run, n, blocks.x[g])->threads);
        if (ratio[i].count < 3 || isnan(precompute[i]) || isnan(propagate[i]) || P[i].count < 2)
            return;
    }
    for (size_t i = 0; i < SIZES; i++) {
        judge(claim, 'a', median(ratio[i]), "%s", size_name(i));
        judge(claim, 'b', precompute[i], "%s", size_name(i));
        judge(claim, 'c', propagate[i], "%s", size_name(i));
        judge(claim, 'd', most(P[i]) / least(P[i]), "%s: G·T from %.0f to %.0f", size_name(i),
              least(P[i]), most(P[i]));
        show(claim, "pre-computation over determination at %s: %s, median (range) over all (G, T)",
             size_name(i), range_text(ratio[i], 2));
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

void w12_4(const struct run *run, struct claim *claim)
{
    const struct phase_fits fits = fit_phases(run);
    const struct phase_fit *fit[SIZES];
    double count[SIZES] = {0}, from_popt[SIZES] = {0}, from_paper[SIZES] = {0};
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
        judge(claim, 'd', from_paper[i], "of %.0f G, %s", count[i], size_name(i));
        show(claim, "P_opt at %s: %.0f; the paper's sqrt(N/2): %.0f", size_name(i), fit[i]->popt,
             sqrt(size(i) / 2));
        if (fit[i]->popt1 > 0)
            show(claim, "P_opt at %s if a constant is fitted to each phase, too: %.0f",
                 size_name(i), fit[i]->popt1);
        show(claim, "best T at %s: %s", size_name(i), best_threads[i]);
    }
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

void w12_5(const struct run *run, struct claim *claim)
{
    const struct where all = gpu(NULL, 0, NULL);
    struct list blocks = distinct(run, all, MEMBER(blocks)),
                threads = distinct(run, all, MEMBER(threads)), ms[SIZES] = {{0}};
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
        judge(claim, 'a', largest / least(ms[i]), "%s: G = %.0f over the best, %.4g over %.4g ms",
              size_name(i), blocks.x[blocks.count - 1], largest, least(ms[i]));
        const char *each = "";
        for (size_t g = 0; g < blocks.count; g++)
            each = joined(each, ", ", "%.4g ms (G = %.0f)", ms[i].x[g], blocks.x[g]);
        show(claim, "best total over T at %s: %s", size_name(i), each);
    }
    claim->device = device_of(run, gpu("rearranged", size(0), "total"));
}

void w12_6(const struct run *run, struct claim *claim)
{
    struct where total = WHERE(.program = "pcr", .type = "s", .phase = "total");
    const struct measurement *pcr[SIZES], *pscheme[SIZES], *serial[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        total.n = size(i);
        total.variant = "serial";
        serial[i] = fastest(run, total);
        total.variant = "pcr";
        pcr[i] = fastest(run, total);
        total.variant = "pscheme";
        pscheme[i] = fastest(run, total);
        if (serial[i] == NULL || pcr[i] == NULL || pscheme[i] == NULL)
            return;
    }
    for (size_t i = 0; i < SIZES; i++) {
        judge(claim, 'a', pcr[i]->median_ms / pscheme[i]->median_ms, "%s: %.4g over %.4g ms",
              size_name(i), pcr[i]->median_ms, pscheme[i]->median_ms);
        show(claim, "speed-up of P-scheme over one CPU thread at %s: %.2f (G = %.0f, T = %.0f)",
             size_name(i), serial[i]->median_ms / pscheme[i]->median_ms, pscheme[i]->blocks,
             pscheme[i]->threads);
        show(claim, "speed-up of PCR over one CPU thread at %s: %.2f (G = %.0f, T = %.0f)",
             size_name(i), serial[i]->median_ms / pcr[i]->median_ms, pcr[i]->blocks,
             pcr[i]->threads);
    }
    const struct measurement *four = best(run, size(0), 4);
    double one_thread = time_ms(
        run, WHERE(.program = "pscheme_gpu", .variant = "serial", .type = "s", .n = size(0)));
    if (four != NULL && !isnan(one_thread))
        show(claim, "speed-up of P-scheme at G = 4, N = 256K: %.2f (T = %.0f); the paper: 1.9",
             one_thread / four->median_ms, four->threads);
    claim->device = pscheme[0]->device;
}
