/* The claims of PL19, judged by the times of thomas_batch. The paper names neither its precision
 * nor its layout, and it does not say whether its times include transfers. The claims are judged in
 * single precision, for contiguous systems (the layout that a reader of the paper would assume),
 * without transfers and, by clauses of their own, with them. The other precision and the other
 * layout are shown. Every variant is taken at its fastest T. */
#include "report.h"

#include <math.h>

enum { ROWS = 4095, STEP = 5000 }; /* the paper's n; its numbers of systems are multiples of STEP */
/* What runs a variant: the GPU, or a CPU with one or with its best number of cores. */
enum { KERNEL = ABSENT, ONE_THREAD = 1, ALL_CORES = PRESENT };

/* The rows of a variant. CPU code has no transfers, so it has only the phase "total". */
static struct where solver(const char *variant, double cores, const char *type, double n,
                           double batch, const char *phase)
{
    return WHERE(.program = "thomas_batch", .variant = variant, .cores = cores, .type = type,
                 .n = n, .batch = batch, .phase = cores == KERNEL ? phase : "total");
}
/* Its time in ms for the paper's n, NaN if there is none. */
static double solver_ms(const struct run *run, const char *variant, double cores, const char *type,
                        double batch, const char *phase)
{
    return time_ms(run, solver(variant, cores, type, ROWS, batch, phase));
}
/* The time of a kernel in single precision, without transfers. */
static double kernel_ms(const struct run *run, const char *variant, double batch)
{
    return solver_ms(run, variant, KERNEL, "s", batch, "total");
}

/* A claim about one of the paper's tables, with at most `last` systems. */
struct table_claim {
    const struct run *run;
    struct claim *claim;
    double last;
};
struct pair { /* a kernel over another one, or over code for a CPU */
    const char *name, *kernel, *over;
    double cores; /* of `over` */
};
static double speedup_of(struct table_claim of, struct pair pair, const char *type,
                         const char *phase, double batch)
{
    return solver_ms(of.run, pair.over, pair.cores, type, batch, phase) /
           solver_ms(of.run, pair.kernel, KERNEL, type, batch, phase);
}
/* The speed-up of a pair: the geometric mean over all numbers of systems that both have run. NaN if
 * there are none. *batches: a list of them, unless it is NULL. */
static double speedup(struct table_claim of, struct pair pair, const char *type, const char *phase,
                      const char **batches)
{
    struct list times = {0}, known = {0};
    for (double batch = STEP; batch <= of.last; batch += STEP) {
        double ratio = speedup_of(of, pair, type, phase, batch);
        if (isnan(ratio))
            continue;
        list_add(&times, ratio);
        list_add(&known, batch);
    }
    if (batches != NULL)
        *batches = pairs_text("%.0f", known, known);
    return geometric_mean(times);
}

/* Judges the speed-up of a pair in a phase by these clauses. Returns false if none was measured. */
static bool judge_speedup(struct table_claim of, struct pair pair, const char *clauses,
                          const char *phase)
{
    const char *batches;
    double times = speedup(of, pair, "s", phase, &batches);
    for (const char *clause = clauses; *clause != '\0' && !isnan(times); clause++)
        judge(of.claim, *clause, times, "%s, n = %d, %s systems", pair.name, ROWS, batches);
    return !isnan(times);
}

/* Judges the speed-ups of `count` pairs. clauses[i]: the letters of the clauses that judge pair i
 * without and with transfers; the latter are skipped if they were not measured. Returns false if a
 * pair was not measured without. */
static bool judge_speedups(struct table_claim of, const struct pair pair[],
                           const char *const clauses[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!judge_speedup(of, pair[i], clauses[i][0], "total"))
            return false;
        if (!judge_speedup(of, pair[i], clauses[i][1], "total+transfers"))
            for (const char *clause = clauses[i][1]; *clause != '\0'; clause++)
                skip(of.claim, *clause, "the run has no times with transfers");
    }
    return true;
}
static const char *device(struct table_claim of, const char *variant)
{
    return device_of(of.run, WHERE(.program = "thomas_batch", .variant = variant, .n = ROWS));
}

/* Shows a line with the speed-ups of all pairs, unless none was measured. */
static void show_speedups(struct table_claim of, const char *where, const struct pair pair[],
                          size_t count, const char *type, const char *phase)
{
    const char *line = "";
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double times = speedup(of, pair[i], type, phase, NULL);
        any = any || !isnan(times);
        line = joined(line, ", ", isnan(times) ? "%s -" : "%s %.3g", pair[i].name, times);
    }
    if (any)
        show(of.claim, "%s: %s", where, line);
}

/* Shows the speed-up of a pair for each number of systems, without and with transfers. */
static void show_by_systems(struct table_claim of, struct pair pair)
{
    struct list systems = {0}, times[2] = {{0}};
    for (double batch = STEP; batch <= of.last; batch += STEP) {
        list_add(&systems, batch);
        list_add(&times[0], speedup_of(of, pair, "s", "total", batch));
        list_add(&times[1], speedup_of(of, pair, "s", "total+transfers", batch));
    }
    for (int i = 0; i < 2; i++)
        show(of.claim, "%s by the number of systems%s: %s", pair.name,
             i == 0 ? "" : ", with transfers", pairs_text("%.3g (%.0f)", times[i], systems));
}

static const char *interleaved(const char *variant)
{
    return text("%s_interleaved", variant);
}

/* Shows the speed-ups in the other layout and in double precision. */
static void show_other_cases(struct table_claim of, const struct pair pair[], size_t count)
{
    struct pair other[3];
    for (size_t i = 0; i < count; i++)
        other[i] = (struct pair){pair[i].name, interleaved(pair[i].kernel),
                                 pair[i].cores == KERNEL ? interleaved(pair[i].over) : pair[i].over,
                                 pair[i].cores};
    show_speedups(of, "Single, interleaved", other, count, "s", "total");
    show_speedups(of, "Double, contiguous", pair, count, "d", "total");
    show_speedups(of, "Double, interleaved", other, count, "d", "total");
}

/* The number of CPU cores of the run, NaN if no CPU was timed. */
static double cores_of(const struct run *run)
{
    return most(distinct(run, WHERE(.program = "thomas_batch"), MEMBER(cores)));
}

/* Shows the speed-ups of kernels over the CPU code `base` on all cores, if there are several. */
static void show_over_cores(struct table_claim of, const char *base, const char *const kernel[],
                            size_t count)
{
    struct pair pair[3];
    for (size_t i = 0; i < count; i++)
        pair[i] = (struct pair){kernel[i], kernel[i], base, ALL_CORES};
    if (!(cores_of(of.run) >= 2))
        return;
    const char *where = text("Over %s on %.0f cores", base, cores_of(of.run));
    show_speedups(of, where, pair, count, "s", "total");
    show_speedups(of, text("%s, with transfers", where), pair, count, "s", "total+transfers");
}

/* The fastest row in single precision with the most systems, or NULL. */
static const struct measurement *largest_batch(struct table_claim of, const char *variant,
                                               double cores)
{
    const struct measurement *row = NULL;
    for (double batch = of.last; batch >= STEP && row == NULL; batch -= STEP)
        row = fastest(of.run, solver(variant, cores, "s", ROWS, batch, "total"));
    return row;
}

/* The elements of a row that the algorithm must move at least, in single precision. */
static double elements_a_row(const struct measurement *row)
{
    return row == NULL ? NAN : row->bytes / 4 / row->n / row->batch;
}

/* Shows how fast a solver moves these elements; a kernel's also as a share of the largest copy. */
static void show_traffic(struct table_claim of, const char *variant, double cores)
{
    const struct measurement *row = largest_batch(of, variant, cores);
    if (row == NULL)
        return;
    double gbs = gb_per_s(row), copy = gb_per_s(fastest_of_largest(
                                    of.run, WHERE(.program = "thomas_batch", .variant = "copy")));
    const char *share = isnan(copy) || cores != KERNEL
                            ? ""
                            : text(", %.0f%% of the speed of a large copy", 100 * gbs / copy);
    show(of.claim, "%s%s, %.0f systems: at least %.3g elements a row, %.4g GB/s%s", variant,
         cores == ONE_THREAD ? " (one thread)" : "", row->batch, elements_a_row(row), gbs, share);
}

/* Shows sectors, hits in L1 and bytes of memory of one solve, as the profiler counted them. */
static void show_profile(struct table_claim of, const char *variant)
{
    const struct table *table = run_table(of.run, "ncu_pogorelskikh2019.csv");
    double sectors = sum_of(table, "load_sectors", "variant", variant, NULL), hits = 0;
    for (size_t row = 0; table != NULL && row < table->rows; row++)
        if (same(text_at(table, row, "variant"), variant))
            hits += number_at(table, row, "load_sectors") *
                    number_at(table, row, "l1_hit_percent") / 100;
    show(of.claim,
         "%s in one solve, by the profiler: %.3g sectors loaded, %.0f%% of them hit L1, %.3g GB "
         "come from memory and %.3g GB go there",
         variant, sectors, 100 * hits / sectors,
         sum_of(table, "dram_read_bytes", "variant", variant, NULL) / 1e9,
         sum_of(table, "dram_written_bytes", "variant", variant, NULL) / 1e9);
}

/* Judges clause g: how the gain of a pair changes from the fewest to the most systems. */
static void judge_trend(struct table_claim of, struct pair pair)
{
    const double few = speedup_of(of, pair, "s", "total", STEP),
                 many = speedup_of(of, pair, "s", "total", of.last);
    if (isnan(few / many))
        skip(of.claim, 'g', "the fewest or the most systems of the table were not run");
    else
        judge(of.claim, 'g', many / few, "%.3f with %.0f systems over %.3f with %d", many, of.last,
              few, STEP);
}

void pl19_1(const struct run *run, struct claim *claim)
{
    const struct table_claim of = {run, claim, 20000};
    static const char *const kernels[] = {"thomas_global", "thomas_shared"};
    static const struct pair pairs[] = {
        {"global over one CPU thread", "thomas_global", "thomas_cpu", ONE_THREAD},
        {"shared over one CPU thread", "thomas_shared", "thomas_cpu", ONE_THREAD},
        {"shared over global", "thomas_shared", "thomas_global", KERNEL},
    };
    static const char *const clauses[][2] = {{"ab", "hi"}, {"cd", "hj"}, {"ef", "kl"}};
    if (!judge_speedups(of, pairs, clauses, 3))
        return;
    judge_trend(of, pairs[2]);
    show_by_systems(of, pairs[2]);
    show_other_cases(of, pairs, 3);
    show_over_cores(of, "thomas_cpu", kernels, 2);
    for (size_t i = 0; i < 2; i++)
        show_traffic(of, kernels[i], KERNEL);
    if (cores_of(run) > 1)
        show(claim,
             "%.0f systems: transfers alone %.3g ms (pinned memory), thomas_cpu on %.0f cores %.3g "
             "ms",
             of.last, solver_ms(run, "transfers", KERNEL, "s", of.last, "pinned"), cores_of(run),
             solver_ms(run, "thomas_cpu", ALL_CORES, "s", of.last, "total"));
    claim->device = device(of, "thomas_global");
}

void pl19_2(const struct run *run, struct claim *claim)
{
    const struct table_claim of = {run, claim, 25000};
    static const char *const kernels[] = {"sericr_global", "sericr_shared"};
    static const struct pair pairs[] = {
        {"global over one CPU thread", "sericr_global", "sericr_cpu", ONE_THREAD},
        {"shared over one CPU thread", "sericr_shared", "sericr_cpu", ONE_THREAD},
        {"shared over global", "sericr_shared", "sericr_global", KERNEL},
    };
    static const char *const clauses[][2] = {{"a", "d"}, {"b", "e"}, {"c", "f"}};
    if (!judge_speedups(of, pairs, clauses, 3))
        return;
    show_other_cases(of, pairs, 3);
    show_over_cores(of, "sericr_cpu", kernels, 2);
    for (size_t i = 0; i < 2; i++)
        show_traffic(of, kernels[i], KERNEL);
    show_traffic(of, "sericr_cpu", ONE_THREAD);
    for (size_t i = 0; i < 2; i++)
        show_profile(of, kernels[i]);
    static const struct pair longer = {"", "thomas_global", "sericr_global", KERNEL};
    show(claim,
         "sericr_global moves at least %.3g times the elements of thomas_global, which computes "
         "nothing again, and takes %.3g times as long",
         elements_a_row(largest_batch(of, "sericr_global", KERNEL)) /
             elements_a_row(largest_batch(of, "thomas_global", KERNEL)),
         speedup(of, longer, "s", "total", NULL));
    claim->device = device(of, "sericr_global");
}

/* Shows the time of a row beside what the paper's tables imply, up to the most systems of its Table
 * 1, and the ratios to Thomas on one CPU thread. */
static void show_baselines(struct table_claim of)
{
    static const char *const variant[] = {"thomas_cpu", "sericr_cpu", "paracr_partial"};
    const struct table *paper = published("pogorelskikh2019_baselines.csv");
    struct list ns[3][2] = {0}, ratio[3][2] = {0};
    for (double batch = STEP; batch <= 4 * STEP; batch += STEP)
        for (int v = 0; v < 3; v++) {
            double cores = v < 2 ? ONE_THREAD : KERNEL,
                   x[] = {1e6 / ROWS / batch *
                              solver_ms(of.run, variant[v], cores, "s", batch, "total"),
                          published_number(paper, variant[v], "batch", batch, "ns")};
            for (int i = 0; i < 2; i++) {
                list_add(&ns[v][i], x[i]);
                list_known(&ratio[v][i], x[i] / ns[0][i].x[ns[v][i].count - 1]);
            }
        }
    for (int v = 0; v < 3 && ratio[v][0].count > 0; v++) {
        const char *says[2];
        for (int i = 0; i < 2; i++)
            says[i] = text("%s ns a row%s", range_text(ns[v][i], 2),
                           v == 0 ? "" : text(", %s times thomas_cpu", range_text(ratio[v][i], 3)));
        show(of.claim, "%s: by the paper's Tables 1, 3 and 4 %s; here %s", variant[v], says[1],
             says[0]);
    }
}

void pl19_3(const struct run *run, struct claim *claim)
{
    const struct table_claim of = {run, claim, 25000};
    static const char *const kernels[] = {"paracr_partial", "paracr_global", "paracr_shared"};
    static const struct pair pairs[] = {
        {"partial over global", "paracr_partial", "paracr_global", KERNEL},
        {"partial over all shared", "paracr_partial", "paracr_shared", KERNEL},
    };
    static const struct pair over_cpu = {"partial over sericr_cpu", "paracr_partial", "sericr_cpu",
                                         ONE_THREAD};
    static const struct pair with_48k[] = {
        {"partial over global", "paracr_partial_48k", "paracr_global_48k", KERNEL},
        {"partial over all shared", "paracr_partial_48k", "paracr_shared_48k", KERNEL},
        {"all shared over itself without that limit", "paracr_shared_48k", "paracr_shared", KERNEL},
    };
    static const char *const clauses[][2] = {{"ab", ""}, {"cd", ""}, {"e", "f"}};
    if (!judge_speedups(of, pairs, clauses, 2))
        return;
    if (!judge_speedups(of, &over_cpu, &clauses[2], 1)) {
        skip(claim, 'e', "sericr_cpu was not run on one thread");
        skip(claim, 'f', "sericr_cpu was not run on one thread");
    }
    show_other_cases(of, pairs, 2);
    show_speedups(of, "Single, contiguous, with transfers", pairs, 2, "s", "total+transfers");
    show_speedups(of, "Single, with 48 KB of shared memory a multiprocessor", with_48k, 3, "s",
                  "total");
    show_speedups(of, "Double, with 48 KB of shared memory a multiprocessor", with_48k, 3, "d",
                  "total");
    show_baselines(of);
    show_over_cores(of, "sericr_cpu", kernels, 3);
    for (size_t i = 0; i < 3; i++)
        show_traffic(of, kernels[i], KERNEL);
    for (size_t i = 0; i < 3; i++)
        show_profile(of, kernels[i]);
    claim->device = device(of, "paracr_partial");
}

void pl19_4(const struct run *run, struct claim *claim)
{
    const struct table_claim of = {run, claim, 25000}, least = {run, claim, STEP};
    static const char *const thomas = "thomas_shared", *const paracr = "paracr_partial";
    static const struct pair pair = {"thomas_shared over paracr_partial", "thomas_shared",
                                     "paracr_partial", KERNEL},
                             ours = {"thomas_tile over paracr_block", "thomas_tile", "paracr_block",
                                     KERNEL};
    static const char *const clauses[][2] = {{"ab", "cd"}};
    if (!judge_speedups(of, &pair, clauses, 1))
        return;
    show_other_cases(of, &pair, 1);
    show_speedups(of, "This repository's kernels", &ours, 1, "s", "total");
    show_by_systems(of, pair);
    show_traffic(least, thomas, KERNEL);
    show_traffic(least, paracr, KERNEL);
    show_traffic(of, thomas, KERNEL);
    show_traffic(of, paracr, KERNEL);
    double fewer = elements_a_row(largest_batch(of, paracr, KERNEL)) /
                   elements_a_row(largest_batch(of, thomas, KERNEL));
    show(claim,
         "Fewer elements make a factor of %.3g of the speed-up, the bandwidth a factor of %.3g",
         fewer, speedup(of, pair, "s", "total", NULL) / fewer);
    claim->device = device(of, thomas);
}

/* Where y rises to `level` for the last time, interpolated in logarithms between neighbours. x
 * ascends. If y is at least the level from the first x on, that x,
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
    /* every n that both have run, PARACR's speed-up, the time of a level */
    struct list sizes, times, level_us;
};
static struct one_system one_system(const struct run *run, const char *type)
{
    struct one_system result = {0};
    struct list n =
        distinct(run, WHERE(.program = "thomas_batch", .type = type, .batch = 1), MEMBER(n));
    for (size_t i = 0; i < n.count; i++) {
        struct where where = solver(NULL, KERNEL, type, n.x[i], 1, "total");
        double thomas = variant_ms(run, where, "thomas_shared"),
               paracr = variant_ms(run, where, "paracr_partial");
        if (isnan(thomas / paracr))
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
    struct where with = solver(NULL, KERNEL, type, at.n, 1, "total+transfers");
    show(claim, "%s, with transfers: %.3g times", precision,
         variant_ms(run, with, "thomas_shared") / variant_ms(run, with, "paracr_partial"));
    show(claim, "%s: one CPU thread takes %.4g ms", precision,
         time_ms(run, solver("thomas_cpu", ONE_THREAD, type, at.n, 1, "total")));
}

void pl19_5(const struct run *run, struct claim *claim)
{
    enum { LARGE = 262144 };
    struct one_system single = one_system(run, "s"), both = one_system(run, "d");
    if (single.n < LARGE)
        return;
    const struct measurement *paracr =
        fastest(run, solver("paracr_partial", KERNEL, "s", single.n, 1, "total"));
    judge(claim, 'a', single.thomas_ms / single.paracr_ms, "n = %.0f", single.n);
    judge(claim, 'b', single.thomas_ms / single.paracr_ms, "n = %.0f", single.n);
    show_one_system(run, claim, "Single", "s", single);
    if (both.n >= LARGE)
        show_one_system(run, claim, "Double", "d", both);
    show(claim, "Single: a level of PARACR, one launch, takes %s",
         pairs_text("%.3g µs (n = %.0f)", single.level_us, single.sizes));
    show(claim, "Thomas takes %.3g ns a row on one thread, PARACR %.3g ns on all threads",
         1e6 * single.thomas_ms / single.n, 1e6 * single.paracr_ms / single.n);
    show(claim, "PARACR moves its %.3g elements a row at %.0f GB/s", elements_a_row(paracr),
         gb_per_s(paracr));
    claim->device = paracr->device;
}

/* All numbers of systems that were run with the paper's n. */
static struct list batches_of(const struct run *run, const char *type)
{
    return distinct(run, WHERE(.program = "thomas_batch", .type = type, .n = ROWS), MEMBER(batch));
}

/* The number of systems from which on a GPU's solver is faster than the pair's CPU code. phase: what
 * the GPU's time includes, "total", "total+transfers" (pinned memory), "total+pageable" or
 * "total+allocation". *sign: see crossing(). */
static double break_even(const struct run *run, struct pair pair, const char *type,
                         const char *phase, const char **sign)
{
    struct list systems = {0}, times = {0}, batches = batches_of(run, type);
    for (size_t i = 0; i < batches.count; i++) {
        double batch = batches.x[i], gpu = solver_ms(run, pair.kernel, KERNEL, type, batch, phase),
               ratio = solver_ms(run, pair.over, pair.cores, type, batch, "total") / gpu;
        if (isnan(ratio))
            continue;
        list_add(&systems, batch);
        list_add(&times, ratio);
    }
    return crossing(systems, times, 1, sign);
}

/* Shows from how many systems on a GPU's solver is faster, without and with transfers. */
static void show_break_even(const struct run *run, struct claim *claim, const char *kernel,
                            double cores, const char *type)
{
    static const char *const phase[][2] = {
        {"total", "without transfers"},
        {"total+transfers", "with transfers (pinned memory, measured together)"},
        {"total+pageable", "with transfers (pageable memory, measured together)"},
        {"total+allocation", "with these and with allocation"}};
    const struct pair pair = {"", kernel, "thomas_cpu", cores};
    const char *line = NO_NUMBERS, *sign;
    for (size_t i = 0; i < sizeof phase / sizeof *phase; i++) {
        double at = break_even(run, pair, type, phase[i][0], &sign);
        add_known(&line, "%s%.0f systems %s", sign, at, phase[i][1]);
    }
    show(claim, "%s, over %s: %s is faster from %s", same(type, "s") ? "Single" : "Double",
         cores == ONE_THREAD ? "one CPU thread" : text("%.0f cores", cores_of(run)), kernel, line);
}

/* Shows the times of Thomas, of the transfers alone and of one CPU thread for few systems. */
static void show_few(const struct run *run, struct claim *claim, double batch)
{
    double kernel = kernel_ms(run, "thomas_shared", batch),
           pinned = solver_ms(run, "transfers", KERNEL, "s", batch, "pinned"),
           pageable = solver_ms(run, "transfers", KERNEL, "s", batch, "pageable"),
           cpu = solver_ms(run, "thomas_cpu", ONE_THREAD, "s", batch, "total");
    const char *line = text("%.0f systems: thomas_shared %.3g ms, transfers alone %.3g ms (pinned)",
                            batch, kernel, pinned);
    add_known(&line, "%.3g ms (pageable, %.2g times the kernel)", pageable, pageable / kernel);
    add_known(&line, "one CPU thread %.3g ms", cpu);
    show(claim, "%s", line);
}

enum { FIRST = 5000 }; /* the paper's smallest number of systems */

/* Judges clauses c and d, in which work with memory is all that the paper may have timed: memory is
 * allocated and released, and the transfers are from and to pageable memory. */
static void judge_allocation(const struct run *run, struct claim *claim, struct pair pair)
{
    static const char phase[] = "total+allocation";
    struct list batches = batches_of(run, "s"), share = {0};
    for (size_t i = 0; i < batches.count && batches.x[i] < FIRST; i++)
        list_known(&share, solver_ms(run, pair.kernel, KERNEL, "s", batches.x[i], phase) /
                                   kernel_ms(run, pair.kernel, batches.x[i]) -
                               1);
    const char *sign;
    double even = break_even(run, pair, "s", phase, &sign);
    if (share.count == 0 || isnan(even)) {
        skip(claim, 'c', "no times with allocation in this run");
        skip(claim, 'd', "no times with allocation in this run");
        return;
    }
    judge(claim, 'c', least(share), "n = %d, least of %zu numbers of systems", ROWS, share.count);
    judge(claim, 'd', even, "n = %d, %s%.0f systems", ROWS, sign, even);
    show(claim, "allocation and transfers over the solver: %s", range_text(share, 2));
}

void pl19_6(const struct run *run, struct claim *claim)
{
    static const struct pair pair = {"", "thomas_shared", "thomas_cpu", ONE_THREAD};
    struct list batches = batches_of(run, "s");
    double share = INFINITY, at_batch = NAN;
    for (size_t i = 0; i < batches.count && batches.x[i] < FIRST; i++) {
        double ratio = solver_ms(run, "transfers", KERNEL, "s", batches.x[i], "pinned") /
                       kernel_ms(run, "thomas_shared", batches.x[i]);
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
    judge(claim, 'a', share, "n = %d, %.0f systems", ROWS, at_batch);
    judge(claim, 'b', even, "n = %d, %s%.0f systems", ROWS, sign, even);
    judge_allocation(run, claim, pair);
    show_break_even(run, claim, "thomas_shared", ONE_THREAD, "s");
    show_break_even(run, claim, "paracr_partial", ONE_THREAD, "s");
    show_break_even(run, claim, "thomas_shared", ONE_THREAD, "d");
    if (cores_of(run) >= 2) {
        show_break_even(run, claim, "thomas_shared", ALL_CORES, "s");
        show_break_even(run, claim, "thomas_shared", ALL_CORES, "d");
    }
    for (size_t i = 0; i < batches.count && batches.x[i] <= FIRST; i++)
        show_few(run, claim, batches.x[i]);
    claim->device = device_of(run, solver("thomas_shared", KERNEL, "s", ROWS, at_batch, "total"));
}
