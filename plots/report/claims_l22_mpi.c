/* L22-7, the N-shaped partition method over MPI ranks: what travels and what is hidden. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of cores in a name such as "2 x CPU (16 cores)", infinity if it has none. */
static double cores_in(const char *device)
{
    for (const char *at = strchr(device, '('); at != NULL; at = strchr(at + 1, '(')) {
        char *end;
        double cores = strtod(at + 1, &end);
        if (strncmp(end, " core)", 6) == 0 || strncmp(end, " cores)", 7) == 0)
            return cores;
    }
    return INFINITY;
}

/* Files of nshape/mpi/slow_network.sh: emulated hosts with a core each and a slow network. */
static bool is_slow(const char *file)
{
    return strncmp(file, "nshape_mpi_slow", 15) == 0;
}

/* The next waiting time in double complex of two or more ranks, none of which share a core. */
static const struct measurement *find_wait(const struct run *run, size_t *from)
{
    const struct measurement *row;
    do
        row = find(run, WHERE(.program = "nshape_mpi", .phase = "wait", .type = "z"), from);
    while (row != NULL &&
           !(row->ranks >= 2 && (is_slow(row->file) || row->ranks <= cores_in(row->device))));
    return row;
}

/* The waiting times of one set of devices at the largest n, of which this row is one. */
static struct where set_of(const struct run *run, const struct measurement *row)
{
    struct where set = WHERE(.file = row->file, .program = "nshape_mpi", .type = "z",
                             .phase = "wait", .device = row->device, .ranks = row->ranks);
    set.n = most(distinct(run, set, MEMBER(n)));
    return set;
}
/* The fastest row of a phase of a step, or NULL. Phase "wait": how long a rank waits; "total": the
 * whole step. */
static const struct measurement *step(const struct run *run, struct where set, const char *variant,
                                      const char *phase)
{
    set.variant = variant;
    set.phase = phase;
    return fastest(run, set);
}
/* Its time in µs for each wave function, or NaN. */
static double step_us(const struct measurement *row)
{
    return row == NULL ? NAN : 1e3 * row->median_ms / row->batch;
}
static const char *spread_text(const struct measurement *row)
{
    double us = 1e3 / row->batch;
    return text("%.4g µs (%.4g to %.4g)", us * row->median_ms, us * row->q1_ms, us * row->q3_ms);
}

/* The ways to hide communication, and the clauses of their waits and of their whole steps. What has
 * no clause is shown: where the wait does not fall, the whole step can say no more. */
static const struct {
    char wait, total;
    const char *variant, *name;
} measures[] = {{'e', 0, "step_early", "JD sent early"},
                {'f', 0, "step_inverse", "1/a while RS runs"},
                {'g', 'i', "step_ahead", "factors made ahead"},
                {'h', 'j', "step_flight", "several in flight"},
                {0, 0, "step_kept", "factors kept"}};
enum { MEASURES = sizeof measures / sizeof *measures };

/* "2 x CPU (16 cores), n = 30000" */
static const char *set_name(struct where set)
{
    return text("%s%s, n = %.0f", set.device, is_slow(set.file) ? ", slow network" : "", set.n);
}

/* For each way to hide messages: judges the ratio of its wait (or whole step, `phase`) to that of a
 * plain step, or, if it is not judged, shows both waits. The upper quartile of the one is divided
 * by the lower quartile of the plain step, so the ratio is below 1 only if the gain exceeds the
 * spread. */
static void compare_steps(const struct run *run, struct claim *claim, struct where set,
                          const char *phase, bool counts)
{
    const struct measurement *plain = step(run, set, "step", phase);
    for (size_t i = 0; i < MEASURES && plain != NULL; i++) {
        const struct measurement *other = step(run, set, measures[i].variant, phase);
        double ratio =
            other == NULL ? NAN : other->q3_ms / other->batch / (plain->q1_ms / plain->batch);
        if (isnan(ratio))
            continue;
        char clause = same(phase, "wait") ? measures[i].wait : measures[i].total;
        const char *times =
            text("%s: %s, plain %s", set_name(set), spread_text(other), spread_text(plain));
        if (clause != 0 && counts) {
            judge(claim, clause, ratio, "%s", times);
            if (is_slow(set.file))
                judged_on(claim, clause, text("%s, emulated network", set.device));
        } else if (same(phase, "wait"))
            show(claim, "Wait, %s, %s", measures[i].name, times);
    }
}

/* Shows what each measure does to the whole step, and whether the wait depends on n. */
static void show_steps(const struct run *run, struct claim *claim, struct where set)
{
    double plain = step_us(step(run, set, "step", "total"));
    const char *line = NO_NUMBERS;
    for (size_t i = 0; i < MEASURES; i++)
        add_known(&line, "%s %.2f", measures[i].name,
                  step_us(step(run, set, measures[i].variant, "total")) / plain);
    show(claim, "Time of the whole step over that of a plain one, %s: %s", set_name(set), line);
    struct where any = set, small = set;
    any.n = 0;
    any.variant = "step";
    small.n = least(distinct(run, any, MEMBER(n)));
    if (small.n < set.n)
        show(claim, "Wait in a plain step, %s: %.4g µs, n = %.0f: %.4g µs", set_name(set),
             step_us(step(run, set, "step", "wait")), small.n,
             step_us(step(run, small, "step", "wait")));
}

/* Judges what each measure hides, for every set of devices over a slow network at its largest n.
 * The waits of other sets are shown: there is little to hide. */
static void judge_waits(const struct run *run, struct claim *claim)
{
    const struct measurement *row;
    bool any_slow = false;
    for (size_t from = 0; (row = find_wait(run, &from)) != NULL;) {
        struct where set = set_of(run, row), any = set;
        bool counts = is_slow(row->file);
        size_t first = 0;
        any_slow = any_slow || counts;
        any.n = 0;
        if (find(run, any, &first) != row) /* an earlier row is of this set */
            continue;
        compare_steps(run, claim, set, "wait", counts);
        compare_steps(run, claim, set, "total", counts);
        if (counts)
            show_steps(run, claim, set);
    }
    for (char clause = 'e'; clause <= 'j' && !any_slow; clause++)
        skip(claim, clause, "no ranks over a slow network");
}

/* The bytes in the row of phase "memory" (of the rank that holds most) or "share" (of psi in its
 * rows) with the file, variant, type, n and ranks of `like`. Such rows have no time. */
static double bytes_of(const struct run *run, const struct measurement *like, const char *phase)
{
    for (size_t i = 0; i < run->rows; i++) {
        const struct measurement *row = &run->row[i];
        if (same(row->phase, phase) && same(row->file, like->file) && row->n == like->n &&
            row->ranks == like->ranks && same(row->variant, like->variant) &&
            same(row->type, like->type))
            return row->bytes;
    }
    return NAN;
}

/* What the rank that holds most holds beyond its share of what one rank alone holds of n rows, in
 * elements, over n. */
struct beyond {
    double excess;
    const char *label;
};
static struct beyond beyond(const struct run *run, const struct measurement *row)
{
    struct beyond result = {NAN, ""};
    double held = bytes_of(run, row, "memory"), own = bytes_of(run, row, "share");
    for (size_t i = 0; i < run->rows; i++) {
        const struct measurement *one = &run->row[i];
        if (one->ranks != 1 || !same(one->phase, "memory") || !same(one->program, row->program) ||
            !same(one->variant, row->variant) || !same(one->type, row->type))
            continue;
        double psi = bytes_of(run, one, "share"), each = one->bytes / psi;
        psi *= row->n / one->n;
        result.excess = (held - own * each) / psi;
        result.label = text("%.0f ranks, %s, n = %.0f: %.3g elements for each of its rows, %.0f%% "
                            "of all; one rank alone %.3g",
                            row->ranks, row->variant, row->n, held / own, 100 * own / psi, each);
    }
    return result;
}

/* Judges for each number of ranks the step whose largest rank holds the most beyond its share. */
static void judge_memory(const struct run *run, struct claim *claim, struct list ranks)
{
    bool any = false;
    for (size_t i = 0; i < ranks.count; i++) {
        struct beyond worst = {NAN, ""};
        for (size_t k = 0; k < run->rows; k++) {
            const struct measurement *row = &run->row[k];
            if (row->ranks != ranks.x[i] || !(row->parts >= 2) ||
                !same(row->program, "nshape_mpi") || !same(row->phase, "memory"))
                continue;
            struct beyond at = beyond(run, row);
            if (!(at.excess <= worst.excess) && !isnan(at.excess))
                worst = at;
        }
        if (isnan(worst.excess))
            continue;
        any = true;
        judge(claim, 'a', worst.excess, "%s", worst.label);
    }
    if (!any)
        skip(claim, 'a', "the run does not say what a rank holds, over ranks and alone");
}

/* The elements sent in a step by a variant over a number of ranks, at the least and largest n. */
struct traffic {
    const char *variant;
    double ranks, parts, least_n, most_n, at_least_n, at_most_n; /* parts: 0 if there are no rows */
};
static struct traffic traffic_of(const struct run *run, const char *variant, double ranks)
{
    struct traffic at = {.variant = variant};
    for (size_t i = 0; i < run->rows; i++) {
        const struct measurement *row = &run->row[i];
        double size = same(row->type, "s")   ? 4
                      : same(row->type, "z") ? 16
                                             : 8,
               sent = row->bytes / size / row->batch;
        if (row->ranks != ranks || isnan(sent) || !same(row->program, "nshape_mpi") ||
            !same(row->phase, "wait") || !same(row->variant, variant))
            continue;
        if (at.parts == 0)
            at = (struct traffic){variant, ranks, row->parts, row->n, row->n, sent, sent};
        if (row->n < at.least_n)
            at.least_n = row->n, at.at_least_n = sent;
        if (row->n > at.most_n)
            at.most_n = row->n, at.at_most_n = sent;
    }
    return at;
}

/* The ratio of the elements that a step sends at the largest n to those at the smallest n, or its
 * inverse if that is larger. 0 if there is only one n. */
static double change(struct traffic at)
{
    return at.most_n > at.least_n ? exp(fabs(log(at.at_most_n / at.at_least_n))) : 0;
}

/* Judges for each number of ranks the variant whose elements depend on n the most. */
static void judge_growth(const struct run *run, struct claim *claim, struct list ranks)
{
    bool any = false;
    for (size_t i = 0; i < ranks.count; i++) {
        struct traffic widest = {0};
        for (size_t k = 0; k < run->rows; k++) {
            const struct measurement *row = &run->row[k];
            if (row->ranks != ranks.x[i] || !same(row->program, "nshape_mpi"))
                continue;
            struct traffic at = traffic_of(run, row->variant, row->ranks);
            if (change(at) > change(widest))
                widest = at;
        }
        if (widest.parts == 0)
            continue;
        any = true;
        judge(claim, 'b', widest.at_most_n / widest.at_least_n,
              "%.0f ranks, %s, n from %.0f to %.0f", widest.ranks, widest.variant, widest.least_n,
              widest.most_n);
    }
    if (!any)
        skip(claim, 'b', "only one n was run");
}

/* Judges the elements of a plain step over the paper's 6(nbl + 1), and shows two others. */
static void judge_elements(const struct run *run, struct claim *claim, struct list ranks)
{
    static const char *const others[] = {"step_summed", "step_kept"};
    for (size_t i = 0; i < ranks.count; i++) {
        struct traffic plain = traffic_of(run, "step", ranks.x[i]);
        if (plain.parts == 0)
            continue;
        judge(claim, 'c', plain.at_most_n / (6 * (plain.parts + 1)),
              "%.0f parts: %.4g elements, %.3g for each part", plain.parts, plain.at_most_n,
              plain.at_most_n / plain.parts);
        for (size_t j = 0; j < 2; j++) {
            struct traffic other = traffic_of(run, others[j], ranks.x[i]);
            show(claim, "%.0f parts, %s: %.3g elements for each part", other.parts, others[j],
                 other.at_most_n / other.parts);
        }
    }
}

void l22_7(const struct run *run, struct claim *claim)
{
    size_t first = 0, rows = 0, wrong = 0, mixed = 0;
    if (find_wait(run, &first) == NULL)
        return;
    bool has_gpu = false;
    for (size_t i = 0; i < run->rows; i++) {
        const struct measurement *row = &run->row[i];
        if (!same(row->program, "nshape_mpi"))
            continue;
        /* the name of CPU cores ends with their number */
        has_gpu = has_gpu || isinf(cores_in(row->device)) || strstr(row->device, " + ") != NULL;
        if (!(row->ranks >= 2))
            continue;
        rows++;
        wrong += is_wrong(row);
        mixed += strstr(row->device, " + ") != NULL && !is_wrong(row);
        if (strstr(text("; %s; ", claim->device), text("; %s; ", row->device)) == NULL)
            claim->device = joined(claim->device, "; ", "%s", row->device);
    }
    struct list all = distinct(run, WHERE(.program = "nshape_mpi"), MEMBER(ranks)), ranks = {0};
    for (size_t i = 0; i < all.count; i++)
        if (all.x[i] >= 2)
            list_add(&ranks, all.x[i]);
    if (wrong > 0)
        judge(claim, 'a', NAN, "%zu of %zu rows are wrong", wrong, rows);
    else
        judge_memory(run, claim, ranks);
    judge_growth(run, claim, ranks);
    judge_elements(run, claim, ranks);
    if (has_gpu)
        judge(claim, 'd', (double)mixed, "rows");
    else
        skip(claim, 'd', "no rank had a GPU");
    judge_waits(run, claim);
}
