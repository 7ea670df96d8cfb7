/* The claims of L22; L22-7 is in claims_l22_mpi.c. Unless its criterion says otherwise, a
 * claim is judged on a GPU at n = 300000, as in L22 Fig. 2, and in double complex: the paper's
 * numbers are complex, but it does not name their precision. Two neighbouring blocks both add to
 * the joint line between them. The variant `nshape`, which is judged, stores the terms of one of
 * the blocks in extra elements; `nshape_atomic`, which is shown, uses atomic additions. L22-5 also
 * needs the profiler's table ncu_lutsyshyn2022.csv, L22-6 and L22-8 the counts in
 * nshape_divisions.csv. */
#include "report.h"

#include <math.h>

enum { N = 300000 };

/* The total times of a kernel. type NULL, n 0 and nest 0 mean any. */
static struct where kernel(const char *variant, const char *type, double n, double nest)
{
    return WHERE(.program = TRIDIAGONAL, .phase = "total", .variant = variant, .type = type, .n = n,
                 .nest = nest, .cores = ABSENT);
}
/* The same of the variant and the type that are judged. */
static struct where judged_kernel(double n, double nest)
{
    return kernel("nshape", "z", n, nest);
}
/* The total times of CPU code in double complex. cores: 1 or PRESENT. */
static struct where cpu(const char *variant, double cores, double n)
{
    return WHERE(.program = TRIDIAGONAL, .phase = "total", .variant = variant, .type = "z", .n = n,
                 .cores = cores);
}

/* All n that the judged variant was run with, in ascending order. */
static struct list sizes(const struct run *run)
{
    return distinct(run, judged_kernel(0, 0), MEMBER(n));
}

/* The exponent e of y ~ x^e, or NaN: of fewer than three y > 0, or x within a factor of `span`. */
struct growth {
    double exponent, from, to;
};
static struct growth growth(struct list x, struct list y, double span)
{
    struct list known_x = {0}, known_y = {0};
    for (size_t i = 0; i < x.count; i++)
        if (y.x[i] > 0) {
            list_add(&known_x, x.x[i]);
            list_add(&known_y, y.x[i]);
        }
    bool enough = known_x.count >= 3 && most(known_x) >= span * least(known_x);
    return (struct growth){enough ? log_slope(known_x, known_y) : NAN, least(known_x),
                           most(known_x)};
}

/* Up to 300000 double complex rows (80 bytes) fit into the L2 cache of an H100; 1000000 do not. */
enum { CACHED_FROM = 10000, CACHED_TO = 300000, BEYOND_FROM = 1000000 };

/* ---- L22-1, L22-2: the cost model ---- */

/* Judges the predicted best P1 over the measured optimum. */
static void judge_optimum(struct claim *claim, char clause, const struct nest_fit *fit)
{
    if (!(fit->popt > 0))
        judge(claim, clause, NAN,
              "n_it = %.0f: no prediction, the fitted alpha or beta is negative", fit->nest);
    else if (!(fit->optimum > 0))
        judge(claim, clause, NAN, "n_it = %.0f: no optimum, the best P1 = %.0f is at an end",
              fit->nest, fit->best_parts);
    else
        judge(claim, clause, fit->popt / fit->optimum, "n_it = %.0f: predicted %.0f, measured %.0f",
              fit->nest, fit->popt, fit->optimum);
}

/* Shows at how many other n the prediction is within a factor of 2, for n_it from `from` to `to`.
 */
static void show_elsewhere(struct claim *claim, struct nest_fits fits, int from, int to)
{
    int near = 0, count = 0;
    for (size_t i = 0; i < fits.count; i++) {
        const struct nest_fit *fit = &fits.fit[i];
        if (!same(fit->variant, "nshape") || !same(fit->type, "z") || fit->n == N ||
            fit->nest < from || fit->nest > to || !(fit->optimum > 0))
            continue;
        count++;
        near += fit->popt <= 2 * fit->optimum && fit->optimum <= 2 * fit->popt;
    }
    if (count > 0)
        show(claim, "At other n the prediction is within a factor of 2 in %d of %d cases", near,
             count);
}

void l22_1(const struct run *run, struct claim *claim)
{
    struct nest_fits fits = fit_nests(run);
    const struct nest_fit *fit = nest_fit(fits, "nshape", "z", N, 1);
    if (fit == NULL || isnan(fit->misfit1))
        return;
    judge(claim, 'a', fit->misfit1, "n = %d", N);
    judge_optimum(claim, 'b', fit);
    struct list n = sizes(run), optimum = {0};
    for (size_t i = 0; i < n.count; i++) {
        const struct nest_fit *other = nest_fit(fits, "nshape", "z", n.x[i], 1);
        list_add(&optimum, other == NULL ? NAN : other->optimum);
    }
    struct growth fitted = growth(n, optimum, 30);
    if (isnan(fitted.exponent))
        skip(claim, 'c', "the optimum is known at too few n");
    else
        judge(claim, 'c', fitted.exponent, "n_it = 1, n from %.0f to %.0f", fitted.from, fitted.to);
    judge(claim, 'd', fit->popt > 0 ? fit->alpha1_ns / fit->beta1_ns : NAN,
          "alpha = %.4g ns, beta = %.4g ns", fit->alpha1_ns, fit->beta1_ns);
    show(claim, "Constant = %.3g µs%s", fit->fixed_us,
         fit->fixed_us > 0 ? "" : " (without this bound the fit would make it negative)");
    show(claim, "Misfit without the constant, as in the paper: %.0f%%", 100 * fit->misfit);
    show(claim, "Best nbl of those run: %.0f, %.4g ms", fit->best_parts, fit->best_ms);
    show_elsewhere(claim, fits, 1, 1);
    claim->device = device_of(run, judged_kernel(N, 1));
}

/* Shows how near the choice of nshape_model comes to the best of all n_it and P1 that were run. */
static void show_choice(const struct run *run, struct claim *claim)
{
    const struct measurement *chosen = fastest(run, kernel("nshape_model", "z", N, 0)),
                             *best = fastest(run, judged_kernel(N, 0));
    if (chosen == NULL || best == NULL)
        return;
    show(claim, "The best of all that were run: n_it = %.0f, P1 = %.0f, %.4g ms", best->nest,
         best->parts, best->median_ms);
    show(claim, "nshape_model chooses by the model: n_it = %.0f, P1 = %.0f, %.4g ms", chosen->nest,
         chosen->parts, chosen->median_ms);
    struct list n = sizes(run), times = {0};
    for (size_t i = 0; i < n.count; i++)
        list_add(&times, time_ms(run, kernel("nshape_model", "z", n.x[i], 0)) /
                             time_ms(run, judged_kernel(n.x[i], 0)));
    show(claim, "nshape_model over the best time: %s", pairs_text("%.2f (n = %.0f)", times, n));
}

enum { NEST_MOST = 8 };

/* The times of n_it = 1 to NEST_MOST over P1 at one n, in ms, and the n_it that are best: near ties
 * of the shortest time. By the model, a P1 between those that are run may be 2% faster, too. */
struct nests {
    double ms[NEST_MOST + 1];  /* by n_it */
    int fastest, fewest, most; /* fewest and most: of those that are best */
};
/* Returns false unless all n_it were run. */
static bool read_nests(const struct run *run, double n, struct nests *nests)
{
    nests->fastest = 1;
    for (int nest = 1; nest <= NEST_MOST; nest++) {
        nests->ms[nest] = time_ms(run, judged_kernel(n, nest));
        if (isnan(nests->ms[nest]))
            return false;
        if (nests->ms[nest] < nests->ms[nests->fastest])
            nests->fastest = nest;
    }
    nests->fewest = nests->most = nests->fastest;
    for (int nest = NEST_MOST; nest >= 1; nest--)
        if (nests->ms[nest] <= TIE * nests->ms[nests->fastest]) {
            nests->fewest = nest;
            nests->most = nest > nests->most ? nest : nests->most;
        }
    return true;
}

/* The least (sign -1) or largest (sign 1) exponent of n_it ~ (log n)^e over all choices among the
 * n_it that are best at each n. The slope grows with the n_it of large n and falls with those of
 * small n. */
static double extreme_slope(struct list log_n, const struct nests *nests, int sign)
{
    struct list nest = {0};
    double middle = geometric_mean(log_n);
    for (size_t i = 0; i < log_n.count; i++)
        list_add(&nest, (log_n.x[i] > middle) == (sign > 0) ? nests[i].most : nests[i].fewest);
    return log_slope(log_n, nest);
}

/* Judges how the best n_it and its time grow with log n, among the systems that fit into the cache.
 * alpha_ns: that of n_it = 1. */
static void judge_best_nest(const struct run *run, struct claim *claim, double alpha_ns)
{
    struct list n = sizes(run), log_n = {0}, judged_n = {0}, best_ms = {0}, over = {0};
    struct nests *nests = keep((n.count + 1) * sizeof *nests);
    const char *line = NO_NUMBERS;
    for (size_t i = 0; i < n.count; i++) {
        struct nests *at = &nests[log_n.count];
        if (!read_nests(run, n.x[i], at))
            continue;
        const char *range = at->fewest == at->most ? text("%d", at->fewest)
                                                   : text("%d to %d", at->fewest, at->most);
        add_known(&line, "%s (n = %.0f)", range, n.x[i]);
        if (n.x[i] > CACHED_TO)
            continue;
        list_add(&log_n, log(n.x[i]));
        list_add(&judged_n, n.x[i]);
        list_add(&best_ms, at->ms[at->fastest]);
        list_add(&over, 1e6 * at->ms[at->fastest] / (alpha_ns * exp(1) * log(n.x[i])));
    }
    if (log_n.count >= 3 && most(judged_n) >= 30 * least(judged_n)) {
        double low = extreme_slope(log_n, nests, -1), high = extreme_slope(log_n, nests, 1);
        const char *undecided = keeps(claim, 'b', low) == keeps(claim, 'b', high)
                                    ? ""
                                    : "; one choice keeps the bounds and the other does not, so "
                                      "the times leave it undecided, which counts as failing";
        judge(claim, 'b', low, "least, n from %.0f to %.0f", least(judged_n), most(judged_n));
        judge(claim, 'b', high, "largest%s", undecided);
        judge(claim, 'c', log_slope(log_n, best_ms), "n from %.0f to %.0f: %.4g to %.4g ms",
              least(judged_n), most(judged_n), best_ms.x[0], best_ms.x[best_ms.count - 1]);
    } else
        for (char clause = 'b'; clause <= 'c'; clause++)
            skip(claim, clause, "n_it from 1 to 8 was run at too few n");
    show(claim, "Best n_it of 1 to 8, to 2%% of the time: %s", line);
    show(claim, "Its time over alpha e ln n: %s", pairs_text("%.2f (n = %.0f)", over, judged_n));
    if (log_n.count > 0 && nests[0].fastest < NEST_MOST)
        show(claim, "n = %.0f: each application beyond the fastest n_it takes %.2g µs longer",
             judged_n.x[0],
             1e3 * (nests[0].ms[NEST_MOST] - nests[0].ms[nests[0].fastest]) /
                 (NEST_MOST - nests[0].fastest));
}

void l22_2(const struct run *run, struct claim *claim)
{
    struct nest_fits fits = fit_nests(run);
    for (int nest = 2; nest <= 3; nest++) {
        const struct nest_fit *fit = nest_fit(fits, "nshape", "z", N, nest);
        if (fit == NULL || isnan(fit->misfit1))
            return;
        judge_optimum(claim, 'a', fit);
        show(claim, "n_it = %d: for the blocks that nshape chooses, the predicted best P1 is %.0f",
             nest, fit->popt_plan);
        show(claim, "n_it = %d: best P1 of those run %.0f, %.4g ms, %.3g times the model's time",
             nest, fit->best_parts, fit->best_ms, fit->best_ms / fit->model_ms);
        show(claim, "n_it = %d: misfit over all P1 %.0f%%, of times that the model has not seen",
             nest, 100 * fit->misfit1);
    }
    judge_best_nest(run, claim, nest_fit(fits, "nshape", "z", N, 1)->alpha1_ns);
    show_elsewhere(claim, fits, 2, 3);
    show_choice(run, claim);
    claim->device = device_of(run, judged_kernel(N, 2));
}

/* ---- L22-3, L22-4: what nesting gains ---- */

/* Shows how fast the least bytes move at the best P1, also as a share of the largest copy. */
static void show_traffic(const struct run *run, struct claim *claim, double n, double nest)
{
    const struct measurement *row = fastest(run, judged_kernel(n, nest));
    if (row == NULL)
        return;
    double gbs = gb_per_s(row),
           copy = gb_per_s(fastest_of_largest(run, kernel("copy", NULL, 0, 0)));
    show(claim, "n = %.0f, n_it = %.0f: its least bytes at %.4g GB/s%s", n, nest, gbs,
         isnan(copy) ? "" : text(", %.0f%% of the speed of a large copy", 100 * gbs / copy));
}

void l22_3(const struct run *run, struct claim *claim)
{
    static const struct {
        const char *name, *variant, *type;
    } others[] = {{"With atomic additions", "nshape_atomic", "z"},
                  {"Single complex", "nshape", "c"}};
    const struct {
        const char *name;
        struct where where;
    } beside[] = {
        {"thomas_gpu", kernel("thomas_gpu", "z", N, 0)},
        {"cusparse_gtsv2", kernel("cusparse_gtsv2", "z", N, 0)},
        {"cusparse_gtsv2_nopivot", kernel("cusparse_gtsv2_nopivot", "z", N, 0)},
        {"thomas_cpu on one thread", cpu("thomas_cpu", 1, N)},
        {"lapack_gtsv on one thread", cpu("lapack_gtsv", 1, N)},
        {"nshape_cpu on its best number of cores", cpu("nshape_cpu", PRESENT, N)},
    };
    double ms[4];
    for (int nest = 1; nest <= 3; nest++) {
        ms[nest] = time_ms(run, judged_kernel(N, nest));
        if (isnan(ms[nest]))
            return;
        if (nest > 1)
            judge(claim, 'a', ms[nest] / ms[nest - 1], "n_it = %d: %.4g ms, n_it = %d: %.4g ms",
                  nest, ms[nest], nest - 1, ms[nest - 1]);
    }
    for (size_t i = 0; i < 2; i++)
        show(claim, "%s, n_it = 1, 2, 3: %.4g, %.4g, %.4g ms", others[i].name,
             time_ms(run, kernel(others[i].variant, others[i].type, N, 1)),
             time_ms(run, kernel(others[i].variant, others[i].type, N, 2)),
             time_ms(run, kernel(others[i].variant, others[i].type, N, 3)));
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        show(claim, "Beside: %s %.4g ms", beside[i].name, time_ms(run, beside[i].where));
    for (int nest = 1; nest <= 3; nest++)
        show_traffic(run, claim, N, nest);
    claim->device = device_of(run, judged_kernel(N, 1));
}

/* The n from `from` to `to` that the judged variant was run with, in ascending order. */
static struct list sizes_in(const struct run *run, double from, double to)
{
    struct list all = sizes(run), n = {0};
    for (size_t i = 0; i < all.count; i++)
        if (all.x[i] >= from && all.x[i] <= to)
            list_add(&n, all.x[i]);
    return n;
}

/* The exponent with which the best time over P1 grows, over the n at which the best P1 lies inside
 * those that were run: beyond an end a better one might lie. NaN if these n are too few or too
 * near. */
static struct growth best_time_growth(struct nest_fits fits, struct list n, int nest, double span)
{
    struct list ms = {0};
    for (size_t i = 0; i < n.count; i++) {
        const struct nest_fit *fit = nest_fit(fits, "nshape", "z", n.x[i], nest);
        list_add(&ms, fit != NULL && fit->optimum > 0 ? fit->best_ms : NAN);
    }
    return growth(n, ms, span);
}

/* Judges the factor of L22 eq. 9: the best time over (alpha n_it + beta) n^(1/(n_it+1)) + constant,
 * with those of n_it = 1. */
static void judge_factor(struct nest_fits fits, struct claim *claim)
{
    const struct nest_fit *one = nest_fit(fits, "nshape", "z", N, 1), *fit[4] = {0};
    bool known = one != NULL && one->popt > 0;
    for (int nest = 1; nest <= 3; nest++) {
        fit[nest] = nest_fit(fits, "nshape", "z", N, nest);
        known = known && fit[nest] != NULL;
    }
    if (!known)
        skip(claim, 'f', "alpha and beta are not known at n = 300000, or its best times");
    for (int nest = 1; nest <= 3 && known; nest++) {
        double ms = (nest * one->alpha1_ns + one->beta1_ns) * pow(N, 1. / (nest + 1)) / 1e6 +
                    one->fixed_us / 1e3;
        judge(claim, 'f', fit[nest]->best_ms / ms, "n_it = %d: %.4g ms, by eq. 9 %.4g ms", nest,
              fit[nest]->best_ms, ms);
    }
}

void l22_4(const struct run *run, struct claim *claim)
{
    bool on_gpu = !isnan(time_ms(run, kernel("thomas_gpu", "z", N, 0))), all_large = true;
    struct nest_fits fits = fit_nests(run);
    struct list cached = sizes_in(run, CACHED_FROM, CACHED_TO),
                beyond = sizes_in(run, BEYOND_FROM, INFINITY), thomas_ms = {0};
    for (size_t i = 0; i < cached.count; i++)
        list_add(&thomas_ms, time_ms(run, on_gpu ? kernel("thomas_gpu", "z", cached.x[i], 0)
                                                 : cpu("thomas_cpu", 1, cached.x[i])));
    struct growth large[4], thomas = growth(cached, thomas_ms, 30);
    if (isnan(thomas.exponent))
        return;
    for (int nest = 1; nest <= 3; nest++) {
        struct growth small = best_time_growth(fits, cached, nest, 30);
        if (isnan(small.exponent))
            return;
        judge(claim, (char)('a' + nest - 1), small.exponent, "n_it = %d, n from %.0f to %.0f", nest,
              small.from, small.to);
        large[nest] = best_time_growth(fits, beyond, nest, 10);
        all_large = all_large && !isnan(large[nest].exponent);
    }
    judge(claim, 'd', thomas.exponent, "%s, n from %.0f to %.0f",
          on_gpu ? "thomas_gpu" : "thomas_cpu, one thread", thomas.from, thomas.to);
    judge_factor(fits, claim);
    if (!all_large)
        skip(claim, 'e',
             "beyond the L2 cache the best P1 lies inside those that were run at too few n");
    for (int nest = 1; nest <= 3; nest++) {
        if (all_large)
            judge(claim, 'e', large[nest].exponent - 1. / (nest + 1),
                  "n_it = %d, n from %.0f to %.0f: %.2f", nest, large[nest].from, large[nest].to,
                  large[nest].exponent);
        show_traffic(run, claim, all_large ? most(beyond) : most(cached), nest);
    }
    claim->device = device_of(run, judged_kernel(N, 0));
}

/* ---- L22-5: the profiler's table ---- */

/* What was profiled: a type, n_it and P1 at n = 300000, as the table writes them. */
struct profile {
    const char *type, *nest, *parts;
};

/* The sum of a column over all kernels of a solve, which have a row each. */
static double profiled(const struct table *table, const char *variant, struct profile of,
                       const char *column)
{
    return sum_of(table, column, "variant", variant, "n", text("%d", N), "type", of.type, "nest",
                  of.nest, "parts", of.parts, NULL);
}

static struct profile profile_at(const struct table *table, size_t row)
{
    return (struct profile){text_at(table, row, "type"), text_at(table, row, "nest"),
                            text_at(table, row, "parts")};
}

/* True if the row is of a profile of the judged variant that no earlier row is of. */
static bool begins_profile(const struct table *table, size_t row)
{
    struct profile of = profile_at(table, row);
    for (size_t i = 0; i <= row; i++) {
        struct profile at = profile_at(table, i);
        if (same(text_at(table, i, "variant"), "nshape") && number_at(table, i, "n") == N &&
            same(at.type, of.type) && same(at.nest, of.nest) && same(at.parts, of.parts))
            return i == row;
    }
    return false;
}

/* The shares of the sectors that are loaded and stored in one solve. */
struct shares {
    double l1, l2, memory, stores_l2;
};
static struct shares shares_of(const struct table *table, struct profile of)
{
    double sectors = profiled(table, "nshape", of, "load_sectors"),
           l1 = profiled(table, "nshape", of, "load_sectors_l1") / sectors,
           memory = profiled(table, "nshape", of, "dram_read_bytes") / 32 / sectors;
    /* The profiler counts a few hits more than stores. */
    double stores_l2 = profiled(table, "nshape", of, "l2_write_sectors_l2") /
                       profiled(table, "nshape", of, "l2_write_sectors");
    return (struct shares){l1, fmax(1 - l1 - memory, 0), memory, stores_l2 > 1 ? 1 : stores_l2};
}

/* "double complex, n_it = 1, P1 = 1000" */
static const char *profile_name(struct profile of)
{
    return text("%s complex, n_it = %s, P1 = %s", same(of.type, "c") ? "single" : "double", of.nest,
                of.parts);
}

/* The time of the complex type over that of real and imaginary parts, each at its best P1. */
static double complex_type_over_parts(const struct run *run, const char *type, double nest,
                                      double threads)
{
    struct where where = kernel(NULL, type, N, nest);
    where.threads = threads;
    return variant_ms(run, where, "nshape_complex_type") / variant_ms(run, where, "nshape");
}

void l22_5(const struct run *run, struct claim *claim)
{
    /* The paper names neither the type nor P1 and n_it. Both types are judged, the loads by clauses
     * of their own, at one application and the largest number on the P1 axis of its Fig. 2; all
     * other profiles are shown. */
    static const struct profile judged[] = {{"c", "1", "1000"}, {"z", "1", "1000"}};
    const struct table *table = run_table(run, "ncu_lutsyshyn2022.csv");
    const struct measurement *complex_type = fastest(run, kernel("nshape_complex_type", "z", N, 0));
    if (table == NULL || complex_type == NULL)
        return;
    double threads = complex_type->threads;
    for (int i = 0; i < 2; i++) {
        struct shares shares = shares_of(table, judged[i]);
        const char *name = profile_name(judged[i]);
        if (!(profiled(table, "nshape", judged[i], "load_sectors") > 0))
            return;
        judge(claim, "ae"[i], shares.l1, "%s", name);
        judge(claim, "cf"[i], shares.memory, "%s", name);
        judge(claim, 'd', shares.stores_l2, "%s", name);
    }
    for (int nest = 1; nest <= 3; nest++) {
        double over = complex_type_over_parts(run, "z", nest, threads);
        if (isnan(over))
            return;
        judge(claim, 'b', over, "n_it = %d, T = %.0f", nest, threads);
    }
    for (size_t row = 0; row < table->rows; row++)
        if (begins_profile(table, row)) {
            struct shares shares = shares_of(table, profile_at(table, row));
            show(claim, "%s: of the loads %.0f%% hit L1, %.0f%% L2, %.0f%% come from memory",
                 profile_name(profile_at(table, row)), 100 * shares.l1, 100 * shares.l2,
                 100 * shares.memory);
        }
    show(claim, "Complex type over real and imaginary parts, single complex: %.2f, %.2f, %.2f",
         complex_type_over_parts(run, "c", 1, threads),
         complex_type_over_parts(run, "c", 2, threads),
         complex_type_over_parts(run, "c", 3, threads));
    for (int i = 0; i < 2; i++) {
        double times = profiled(table, "nshape_complex_type", judged[i], "instructions") /
                       profiled(table, "nshape", judged[i], "instructions");
        if (times > 0)
            show(claim, "%s: with the complex type a solve takes %.2f times the instructions",
                 profile_name(judged[i]), times);
    }
    claim->device = complex_type->device;
}

/* ---- L22-6, L22-8: counted operations and elements ---- */

/* The farthest that a count is from of_n n + of_parts nbl + constant in nshape_divisions.csv, and
 * its row. A row without a count is farthest. */
struct deviation {
    double most;
    size_t row;
};
static struct deviation deviation(const struct table *table, const char *column, double of_n,
                                  double of_parts, double constant)
{
    struct deviation result = {0};
    for (size_t row = 0; row < table->rows && !isnan(result.most); row++) {
        double is = fabs(number_at(table, row, column) - of_n * number_at(table, row, "n") -
                         of_parts * number_at(table, row, "parts") - constant);
        if (!(is <= result.most))
            result = (struct deviation){is, row};
    }
    return result;
}
/* "exactly" if the formula is right in all rows, otherwise "not" */
static const char *exactly(const struct table *table, const char *column, double of_n,
                           double of_parts, double constant)
{
    return deviation(table, column, of_n, of_parts, constant).most == 0 ? "exactly" : "not";
}

/* Judges the row that is farthest from the paper's of_n n + of_parts nbl. */
static void judge_count(const struct table *table, struct claim *claim, char clause,
                        const char *column, double of_n, double of_parts)
{
    if (!has_column(table, column)) {
        skip(claim, clause, "the run is older than this count");
        return;
    }
    struct deviation far = deviation(table, column, of_n, of_parts, 0);
    double n = number_at(table, far.row, "n"), parts = number_at(table, far.row, "parts");
    judge(
        claim, clause, far.most,
        "n = %.0f, nbl = %.0f: %.0f counted, %.0f by the paper; the largest difference of %zu runs",
        n, parts, number_at(table, far.row, column), of_n * n + of_parts * parts, table->rows);
}

void l22_6(const struct run *run, struct claim *claim)
{
    const struct table *table = run_table(run, "nshape_divisions.csv");
    if (table == NULL || table->rows == 0)
        return;
    judge_count(table, claim, 'a', "parallel", 3, -3);
    judge_count(table, claim, 'b', "serial", 0, 3);
    judge_count(table, claim, 'c', "thomas", 2, 0);
    judge_count(table, claim, 'd', "thomas_multiplications", 3, 0);
    judge_count(table, claim, 'e', "thomas_additions", 3, 0);
    struct list n = {0};
    for (size_t row = 0; row < table->rows; row++)
        list_add(&n, number_at(table, row, "n"));
    show(claim, "Counted for n from %.0f to %.0f", least(n), most(n));
    show(claim, "In parallel: %s 3(n - nbl - 1)", exactly(table, "parallel", 3, -3, -3));
    show(claim, "Serially: %s 2 nbl + 1", exactly(table, "serial", 0, 2, 1));
    show(claim, "Thomas alone: %s 2n - 1 (L22 2: 2n, L22 5.4: 3n)",
         exactly(table, "thomas", 2, 0, -1));
    claim->device = "counted";
}

void l22_8(const struct run *run, struct claim *claim)
{
    const struct table *table = run_table(run, "nshape_divisions.csv");
    for (size_t row = 0; table != NULL && row < table->rows; row++) {
        double n = number_at(table, row, "n"), parts = number_at(table, row, "parts"),
               elements = number_at(table, row, "elements");
        if (isnan(elements))
            continue;
        if (n == N && (parts == 1000 || parts == 10000)) {
            judge(claim, 'a', elements / n, "nbl = %.0f: %.0f elements", parts, elements);
            claim->device = "counted";
        } else if (parts >= 1000)
            show(claim, "n = %.0f, nbl = %.0f: %.1f elements a row", n, parts, elements / n);
    }
}
