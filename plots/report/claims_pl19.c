/* The claims of PL19, judged by the times of thomas_batch. The paper names neither its precision
 * nor its layout, and it does not say whether its times include transfers. The claims are judged in
 * single precision, for contiguous systems (the layout that a reader of the paper would assume),
 * and without transfers, which take the same time for all its kernels. The other precision, the
 * other layout and the times with transfers are shown. Every variant is taken at its fastest T. */
#include "report.h"

#include <math.h>

enum { ROWS = 4095, STEP = 5000 }; /* the paper's n; its numbers of systems are multiples of STEP */

struct solver {
    const char *variant;
    double cores; /* ABSENT: a kernel; 1: one CPU thread; PRESENT: a CPU with its best number of
                   * cores */
};
#define KERNEL(name)     ((struct solver){name, ABSENT})
#define ONE_THREAD(name) ((struct solver){name, 1})
#define ALL_CORES(name)  ((struct solver){name, PRESENT})

/* The fastest row, or NULL. CPU code has no transfers, so it has only the phase "total". */
static const struct measurement *fastest_row(const struct run *run, struct solver solver,
                                             const char *type, double n, double batch,
                                             const char *phase)
{
    return fastest(run, WHERE(.program = "thomas_batch", .variant = solver.variant,
                              .cores = solver.cores, .type = type, .n = n, .batch = batch,
                              .phase = solver.cores == ABSENT ? phase : "total"));
}

/* Its time in ms, NaN if there is none. */
static double ms_of(const struct run *run, struct solver solver, const char *type, double n,
                    double batch, const char *phase)
{
    const struct measurement *row = fastest_row(run, solver, type, n, batch, phase);
    return row == NULL ? NAN : row->median_ms;
}

struct pair {
    const char *name;
    struct solver solver, over;
};
/* The speed-up of pair.solver over pair.over: the geometric mean over all numbers of systems, at
 * most `last`, that both have run. NaN if there are none. *batches: a list of them. */
static double speedup(const struct run *run, struct pair pair, const char *type, const char *phase,
                      double last, const char **batches)
{
    struct list times = {0};
    *batches = "";
    for (double batch = STEP; batch <= last; batch += STEP) {
        double ratio = ms_of(run, pair.over, type, ROWS, batch, phase) /
                       ms_of(run, pair.solver, type, ROWS, batch, phase);
        if (isnan(ratio))
            continue;
        list_add(&times, ratio);
        *batches = joined(*batches, ", ", "%.0f", batch);
    }
    return geometric_mean(times);
}

/* Judges the speed-ups of `count` pairs as clauses a, b, and so on. Each has `clauses` clauses,
 * which judge the same number: 2 if one is the direction and one the factor. Returns false, without
 * judging any, if one of them was not measured. */
static bool judge_speedups(const struct run *run, struct claim *claim, const struct pair pair[],
                           size_t count, size_t clauses, double last)
{
    const char *batches;
    for (size_t i = 0; i < count; i++)
        if (isnan(speedup(run, pair[i], "s", "total", last, &batches)))
            return false;
    for (size_t i = 0; i < count * clauses; i++) {
        double times = speedup(run, pair[i / clauses], "s", "total", last, &batches);
        judge(claim, (char)('a' + i), times, "n = %d, %s systems", ROWS, batches);
    }
    claim->device = device_of(
        run, WHERE(.program = "thomas_batch", .variant = pair[0].solver.variant, .n = ROWS));
    return true;
}

/* Shows a line with the speed-ups of all pairs, unless none was measured. */
static void show_speedups(const struct run *run, struct claim *claim, const char *where,
                          const struct pair pair[], size_t count, const char *type,
                          const char *phase, double last)
{
    const char *line = "", *batches;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double times = speedup(run, pair[i], type, phase, last, &batches);
        any = any || !isnan(times);
        line = joined(line, ", ", isnan(times) ? "%s -" : "%s %.3g", pair[i].name, times);
    }
    if (any)
        show(claim, "%s: %s", where, line);
}

static struct solver interleaved(struct solver solver)
{
    return solver.cores == ABSENT ? KERNEL(text("%s_interleaved", solver.variant)) : solver;
}

/* Shows the speed-ups in the other layout, in double precision, and with transfers. */
static void show_other_cases(const struct run *run, struct claim *claim, const struct pair pair[],
                             size_t count, double last)
{
    struct pair other[3];
    for (size_t i = 0; i < count; i++)
        other[i] =
            (struct pair){pair[i].name, interleaved(pair[i].solver), interleaved(pair[i].over)};
    show_speedups(run, claim, "Single, interleaved", other, count, "s", "total", last);
    show_speedups(run, claim, "Double, contiguous", pair, count, "d", "total", last);
    show_speedups(run, claim, "Double, interleaved", other, count, "d", "total", last);
    show_speedups(run, claim, "Single, contiguous, with transfers", pair, count, "s",
                  "total+transfers", last);
}

/* The number of CPU cores of the run, NaN if no CPU was timed. */
static double cores_of(const struct run *run)
{
    return most(distinct(run, WHERE(.program = "thomas_batch"), MEMBER(cores)));
}

/* Shows the speed-ups of kernels over the CPU code `base` on all cores, if there are several. */
static void show_over_cores(const struct run *run, struct claim *claim, const char *base,
                            const char *const kernel[], size_t count, double last)
{
    double cores = cores_of(run);
    if (!(cores >= 2))
        return;
    struct pair pair[3];
    for (size_t i = 0; i < count; i++)
        pair[i] = (struct pair){kernel[i], KERNEL(kernel[i]), ALL_CORES(base)};
    const char *where = text("Over %s on %.0f cores", base, cores);
    show_speedups(run, claim, where, pair, count, "s", "total", last);
    show_speedups(run, claim, text("%s, with transfers", where), pair, count, "s",
                  "total+transfers", last);
}

/* The fastest row in single precision with the most systems, at most `last`, or NULL. */
static const struct measurement *largest_batch(const struct run *run, struct solver solver,
                                               double last)
{
    const struct measurement *row = NULL;
    for (double batch = last; batch >= STEP && row == NULL; batch -= STEP)
        row = fastest_row(run, solver, "s", ROWS, batch, "total");
    return row;
}

/* The elements of a row that the algorithm must move at least, in single precision. */
static double elements_a_row(const struct measurement *row)
{
    return row->bytes / 4 / row->n / row->batch;
}

/* Shows how fast a solver moves these elements; a kernel's also as a share of the largest copy. */
static void show_traffic(const struct run *run, struct claim *claim, struct solver solver,
                         double last)
{
    const struct measurement *row = largest_batch(run, solver, last);
    if (row == NULL)
        return;
    double gbs = row->bytes / row->median_ms / 1e6;
    const struct measurement *copy =
        fastest_of_largest(run, WHERE(.program = "thomas_batch", .variant = "copy"));
    const char *share = "";
    if (copy != NULL && solver.cores == ABSENT)
        share = text(", %.0f%% of the speed of a large copy",
                     1e8 * gbs * copy->median_ms / copy->bytes);
    show(claim, "%s%s, %.0f systems: at least %.3g elements a row, %.4g GB/s%s", solver.variant,
         solver.cores == 1 ? " (one thread)" : "", row->batch, elements_a_row(row), gbs, share);
}

/* Shows sectors, hits in L1 and bytes of memory of one solve, as the profiler counted them. */
static void show_profile(const struct run *run, struct claim *claim, const char *variant)
{
    const struct table *table = run_table(run, "ncu_pogorelskikh2019.csv");
    double sectors = 0, hits = 0, from = 0, to = 0;
    for (size_t row = 0; table != NULL && row < table->rows; row++)
        if (same(text_at(table, row, "variant"), variant)) {
            sectors += number_at(table, row, "load_sectors");
            hits += number_at(table, row, "load_sectors") *
                    number_at(table, row, "l1_hit_percent") / 100;
            from += number_at(table, row, "dram_read_bytes");
            to += number_at(table, row, "dram_written_bytes");
        }
    if (sectors > 0)
        show(claim,
             "%s in one solve, by the profiler: %.3g sectors loaded, %.0f%% of them hit L1, %.3g "
             "GB come from memory and %.3g GB go there",
             variant, sectors, 100 * hits / sectors, from / 1e9, to / 1e9);
}

void pl19_1(const struct run *run, struct claim *claim)
{
    enum { LAST = 20000 };
    static const char *const kernels[] = {"thomas_global", "thomas_shared"};
    const struct pair pairs[] = {
        {"global over one CPU thread", KERNEL("thomas_global"), ONE_THREAD("thomas_cpu")},
        {"shared over one CPU thread", KERNEL("thomas_shared"), ONE_THREAD("thomas_cpu")},
        {"shared over global", KERNEL("thomas_shared"), KERNEL("thomas_global")},
    };
    if (!judge_speedups(run, claim, pairs, 3, 2, LAST))
        return;
    show_other_cases(run, claim, pairs, 3, LAST);
    show_over_cores(run, claim, "thomas_cpu", kernels, 2, LAST);
    for (size_t i = 0; i < 2; i++)
        show_traffic(run, claim, KERNEL(kernels[i]), LAST);
    double transfers = ms_of(run, KERNEL("transfers"), "s", ROWS, LAST, "pinned"),
           cpu = ms_of(run, ALL_CORES("thomas_cpu"), "s", ROWS, LAST, "total");
    if (!isnan(transfers) && !isnan(cpu) && cores_of(run) > 1)
        show(
            claim,
            "%d systems: transfers alone %.3g ms (pinned memory), thomas_cpu on %.0f cores %.3g ms",
            LAST, transfers, cores_of(run), cpu);
}

void pl19_2(const struct run *run, struct claim *claim)
{
    enum { LAST = 25000 };
    static const char *const kernels[] = {"sericr_global", "sericr_shared"};
    const struct pair pairs[] = {
        {"global over one CPU thread", KERNEL("sericr_global"), ONE_THREAD("sericr_cpu")},
        {"shared over one CPU thread", KERNEL("sericr_shared"), ONE_THREAD("sericr_cpu")},
        {"shared over global", KERNEL("sericr_shared"), KERNEL("sericr_global")},
    };
    if (!judge_speedups(run, claim, pairs, 3, 1, LAST))
        return;
    show_other_cases(run, claim, pairs, 3, LAST);
    show_over_cores(run, claim, "sericr_cpu", kernels, 2, LAST);
    for (size_t i = 0; i < 2; i++)
        show_traffic(run, claim, KERNEL(kernels[i]), LAST);
    show_traffic(run, claim, ONE_THREAD("sericr_cpu"), LAST);
    for (size_t i = 0; i < 2; i++)
        show_profile(run, claim, kernels[i]);
    const struct measurement *sericr = largest_batch(run, KERNEL("sericr_global"), LAST),
                             *thomas = largest_batch(run, KERNEL("thomas_global"), LAST);
    const char *batches;
    double longer =
        speedup(run, (struct pair){"", KERNEL("thomas_global"), KERNEL("sericr_global")}, "s",
                "total", LAST, &batches);
    if (thomas != NULL && !isnan(longer))
        show(
            claim,
            "sericr_global moves at least %.3g times the elements of thomas_global, which computes "
            "nothing again, and takes %.3g times as long",
            elements_a_row(sericr) / elements_a_row(thomas), longer);
}

void pl19_3(const struct run *run, struct claim *claim)
{
    enum { LAST = 25000 };
    static const char *const kernels[] = {"paracr_partial", "paracr_global", "paracr_shared"};
    const struct pair pairs[] = {
        {"partial over global", KERNEL("paracr_partial"), KERNEL("paracr_global")},
        {"partial over all shared", KERNEL("paracr_partial"), KERNEL("paracr_shared")},
    };
    const struct pair over_cpu = {"", KERNEL("paracr_partial"), ONE_THREAD("sericr_cpu")};
    const char *batches;
    const struct pair with_48k[] = {
        {"partial over global", KERNEL("paracr_partial_48k"), KERNEL("paracr_global_48k")},
        {"partial over all shared", KERNEL("paracr_partial_48k"), KERNEL("paracr_shared_48k")},
        {"all shared over itself without that limit", KERNEL("paracr_shared_48k"),
         KERNEL("paracr_shared")},
    };
    if (!judge_speedups(run, claim, pairs, 2, 2, LAST))
        return;
    double times = speedup(run, over_cpu, "s", "total", LAST, &batches);
    if (isnan(times))
        skip(claim, 'e', "sericr_cpu was not run on one thread");
    else
        judge(claim, 'e', times, "n = %d, %s systems", ROWS, batches);
    show_other_cases(run, claim, pairs, 2, LAST);
    show_speedups(run, claim, "Single, with 48 KB of shared memory a multiprocessor", with_48k, 3,
                  "s", "total", LAST);
    show_speedups(run, claim, "Double, with 48 KB of shared memory a multiprocessor", with_48k, 3,
                  "d", "total", LAST);
    show_over_cores(run, claim, "sericr_cpu", kernels, 3, LAST);
    for (size_t i = 0; i < 3; i++)
        show_traffic(run, claim, KERNEL(kernels[i]), LAST);
    for (size_t i = 0; i < 3; i++)
        show_profile(run, claim, kernels[i]);
}

void pl19_4(const struct run *run, struct claim *claim)
{
    enum { LAST = 25000 };
    const struct pair pair = {"thomas_shared over paracr_partial", KERNEL("thomas_shared"),
                              KERNEL("paracr_partial")},
                      ours = {"thomas_tile over paracr_block", KERNEL("thomas_tile"),
                              KERNEL("paracr_block")};
    if (!judge_speedups(run, claim, &pair, 1, 2, LAST))
        return;
    show_other_cases(run, claim, &pair, 1, LAST);
    show_speedups(run, claim, "This repository's kernels", &ours, 1, "s", "total", LAST);
    const char *line = "";
    for (double batch = STEP; batch <= LAST; batch += STEP) {
        double here = ms_of(run, pair.over, "s", ROWS, batch, "total") /
                      ms_of(run, pair.solver, "s", ROWS, batch, "total");
        if (!isnan(here))
            line = joined(line, ", ", "%.3g (%.0f systems)", here, batch);
    }
    show(claim, "By the number of systems: %s", line);
    show_traffic(run, claim, pair.solver, STEP);
    show_traffic(run, claim, pair.over, STEP);
    show_traffic(run, claim, pair.solver, LAST);
    show_traffic(run, claim, pair.over, LAST);
    const struct measurement *thomas = largest_batch(run, pair.solver, LAST),
                             *paracr = largest_batch(run, pair.over, LAST);
    const char *batches;
    double times = speedup(run, pair, "s", "total", LAST, &batches),
           fewer = elements_a_row(paracr) / elements_a_row(thomas);
    show(claim,
         "Fewer elements make a factor of %.3g of the speed-up, the bandwidth a factor of %.3g",
         fewer, times / fewer);
}

/* Where y rises to `level` for the last time, interpolated in logarithms between two x, of which
 * neighbours are on both sides. x ascends. If y is at least the level from the first x on, that x,
 * and *sign is "at most "; if y is below it at the last x, that x, and *sign is "over ". NaN if
 * there are no points. */
static double crossing(struct list x, struct list y, double level, const char **sign)
{
    size_t i = x.count;
    while (i > 0 && y.x[i - 1] >= level)
        i--;
    *sign = i == 0 ? "at most " : i == x.count ? "over " : "";
    return x.count == 0   ? NAN
           : i == 0       ? x.x[0]
           : i == x.count ? x.x[i - 1]
                          : x.x[i - 1] * pow(x.x[i] / x.x[i - 1],
                                             log(level / y.x[i - 1]) / log(y.x[i] / y.x[i - 1]));
}

/* One system: the largest n that Thomas and PARACR have run, and the least n from which on PARACR
 * is faster at every n that was run. 0 if there is none. */
struct one_system {
    double n, faster_from, thomas_ms, paracr_ms;
    struct list sizes, times,
        level_us; /* every n that both have run, PARACR's speed-up, the time of a level */
};
static struct one_system one_system(const struct run *run, const char *type)
{
    struct one_system result = {0};
    struct list n =
        distinct(run, WHERE(.program = "thomas_batch", .type = type, .batch = 1), MEMBER(n));
    for (size_t i = 0; i < n.count; i++) {
        double thomas = ms_of(run, KERNEL("thomas_shared"), type, n.x[i], 1, "total"),
               paracr = ms_of(run, KERNEL("paracr_partial"), type, n.x[i], 1, "total");
        if (isnan(thomas) || isnan(paracr))
            continue;
        result.n = n.x[i];
        result.thomas_ms = thomas;
        result.paracr_ms = paracr;
        if (paracr > thomas)
            result.faster_from = 0;
        else if (result.faster_from == 0)
            result.faster_from = n.x[i];
        list_add(&result.sizes, n.x[i]);
        list_add(&result.times, thomas / paracr);
        list_add(&result.level_us, 1e3 * paracr / ceil(log2(n.x[i])));
    }
    return result;
}

static void show_one_system(const struct run *run, struct claim *claim, const char *precision,
                            const char *type, struct one_system at)
{
    show(claim, "%s, n = %.0f: Thomas %.4g ms, PARACR %.4g ms, %.3g times", precision, at.n,
         at.thomas_ms, at.paracr_ms, at.thomas_ms / at.paracr_ms);
    if (at.faster_from > 0)
        show(claim, "%s: PARACR is faster from n = %.0f on", precision, at.faster_from);
    const char *sign;
    double seven = crossing(at.sizes, at.times, 7, &sign);
    show(claim, "%s: PARACR is 7 times faster, the paper's factor, at n = %s%.0f", precision, sign,
         seven);
    double thomas = ms_of(run, KERNEL("thomas_shared"), type, at.n, 1, "total+transfers"),
           paracr = ms_of(run, KERNEL("paracr_partial"), type, at.n, 1, "total+transfers"),
           cpu = ms_of(run, ONE_THREAD("thomas_cpu"), type, at.n, 1, "total");
    if (!isnan(thomas) && !isnan(paracr))
        show(claim, "%s, with transfers: %.3g times", precision, thomas / paracr);
    if (!isnan(cpu))
        show(claim, "%s: one CPU thread takes %.4g ms", precision, cpu);
}

void pl19_5(const struct run *run, struct claim *claim)
{
    enum { LARGE = 262144 };
    struct one_system single = one_system(run, "s"), both = one_system(run, "d");
    if (single.n < LARGE)
        return;
    const struct measurement *paracr =
        fastest_row(run, KERNEL("paracr_partial"), "s", single.n, 1, "total");
    claim->device = paracr->device;
    judge(claim, 'a', single.thomas_ms / single.paracr_ms, "n = %.0f", single.n);
    judge(claim, 'b', single.thomas_ms / single.paracr_ms, "n = %.0f", single.n);
    show_one_system(run, claim, "Single", "s", single);
    if (both.n >= LARGE)
        show_one_system(run, claim, "Double", "d", both);
    const char *line = "";
    for (size_t i = 0; i < single.sizes.count; i++)
        line = joined(line, ", ", "%.3g µs (n = %.0f)", single.level_us.x[i], single.sizes.x[i]);
    show(claim, "Single: a level of PARACR, one launch, takes %s", line);
    show(claim, "Thomas takes %.3g ns a row on one thread, PARACR %.3g ns on all threads",
         1e6 * single.thomas_ms / single.n, 1e6 * single.paracr_ms / single.n);
    show(claim, "PARACR moves its %.3g elements a row at %.0f GB/s", elements_a_row(paracr),
         paracr->bytes / paracr->median_ms / 1e6);
}

/* The time of a GPU's solver. phase: "total"; "total+transfers", measured together, from and to
 * pinned memory; "pinned" or "pageable", the sum of the solver's time and that of the transfers
 * from and to such memory, each measured alone. */
static double gpu_ms(const struct run *run, struct solver solver, const char *type, double batch,
                     const char *phase)
{
    if (!same(phase, "pinned") && !same(phase, "pageable"))
        return ms_of(run, solver, type, ROWS, batch, phase);
    return ms_of(run, solver, type, ROWS, batch, "total") +
           ms_of(run, KERNEL("transfers"), type, ROWS, batch, phase);
}

/* The number of systems from which on a GPU is faster than a CPU, NaN if there are no times. */
static double break_even(const struct run *run, struct pair pair, const char *type,
                         const char *phase, const char **sign)
{
    struct list systems = {0}, times = {0},
                batches = distinct(run, WHERE(.program = "thomas_batch", .type = type, .n = ROWS),
                                   MEMBER(batch));
    for (size_t i = 0; i < batches.count; i++) {
        double ratio = ms_of(run, pair.over, type, ROWS, batches.x[i], "total") /
                       gpu_ms(run, pair.solver, type, batches.x[i], phase);
        if (isnan(ratio))
            continue;
        list_add(&systems, batches.x[i]);
        list_add(&times, ratio);
    }
    return crossing(systems, times, 1, sign);
}

/* Shows from how many systems on a GPU's solver is faster, without and with transfers. */
static void show_break_even(const struct run *run, struct claim *claim, const char *where,
                            struct pair pair, const char *type)
{
    static const char *const phase[] = {"total", "total+transfers", "pinned", "pageable"},
                             *const name[] = {"without transfers",
                                              "with transfers (pinned memory, measured together)",
                                              "with transfers added (pinned memory)",
                                              "with transfers added (pageable memory)"};
    const char *line = "", *sign;
    for (size_t i = 0; i < 4; i++) {
        double at = break_even(run, pair, type, phase[i], &sign);
        if (!isnan(at))
            line = joined(line, ", ", "%s%.0f systems %s", sign, at, name[i]);
    }
    if (line[0] != '\0')
        show(claim, "%s: %s is faster from %s", where, pair.solver.variant, line);
}

/* Shows the times of Thomas, of the transfers alone and of one CPU thread for few systems. */
static void show_few(const struct run *run, struct claim *claim, double batch)
{
    double kernel = ms_of(run, KERNEL("thomas_shared"), "s", ROWS, batch, "total"),
           pinned = ms_of(run, KERNEL("transfers"), "s", ROWS, batch, "pinned"),
           pageable = ms_of(run, KERNEL("transfers"), "s", ROWS, batch, "pageable"),
           cpu = ms_of(run, ONE_THREAD("thomas_cpu"), "s", ROWS, batch, "total");
    if (isnan(kernel) || isnan(pinned))
        return;
    const char *line = text("%.0f systems: thomas_shared %.3g ms, transfers alone %.3g ms (pinned)",
                            batch, kernel, pinned);
    if (!isnan(pageable))
        line = joined(line, ", ", "%.3g ms (pageable, %.2g times the kernel)", pageable,
                      pageable / kernel);
    if (!isnan(cpu))
        line = joined(line, ", ", "one CPU thread %.3g ms", cpu);
    show(claim, "%s", line);
}

void pl19_6(const struct run *run, struct claim *claim)
{
    enum { FIRST = 5000 }; /* the paper's smallest number of systems */
    const struct solver thomas = KERNEL("thomas_shared"), paracr = KERNEL("paracr_partial"),
                        one = ONE_THREAD("thomas_cpu"), all = ALL_CORES("thomas_cpu");
    const struct pair pair = {"", thomas, one};
    struct list batches =
        distinct(run, WHERE(.program = "thomas_batch", .type = "s", .n = ROWS), MEMBER(batch));
    double share = INFINITY, at_batch = NAN;
    for (size_t i = 0; i < batches.count && batches.x[i] < FIRST; i++) {
        double ratio = ms_of(run, KERNEL("transfers"), "s", ROWS, batches.x[i], "pinned") /
                       ms_of(run, thomas, "s", ROWS, batches.x[i], "total");
        if (ratio < share) {
            share = ratio;
            at_batch = batches.x[i];
        }
    }
    const char *sign;
    double even = break_even(run, pair, "s", "total+transfers", &sign);
    bool undecided = even < FIRST && same(sign, "over ");
    if (isnan(at_batch) || isnan(even) || undecided)
        return;
    claim->device = fastest_row(run, thomas, "s", ROWS, at_batch, "total")->device;
    judge(claim, 'a', share, "n = %d, %.0f systems", ROWS, at_batch);
    judge(claim, 'b', even, "n = %d, %s%.0f systems", ROWS, sign, even);
    show_break_even(run, claim, "Single, over one CPU thread", pair, "s");
    show_break_even(run, claim, "Single, over one CPU thread", (struct pair){"", paracr, one}, "s");
    show_break_even(run, claim, "Double, over one CPU thread", pair, "d");
    double cores = cores_of(run);
    if (cores >= 2) {
        show_break_even(run, claim, text("Single, over %.0f cores", cores),
                        (struct pair){"", thomas, all}, "s");
        show_break_even(run, claim, text("Double, over %.0f cores", cores),
                        (struct pair){"", thomas, all}, "d");
    }
    for (size_t i = 0; i < batches.count && batches.x[i] <= FIRST; i++)
        show_few(run, claim, batches.x[i]);
}
