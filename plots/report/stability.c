/* stability.csv: the outcome of each clause in several runs, and how much times differ from run to
 * run. */
#include "report.h"

#include <math.h>

/* The interquartile range of the time of this row over the runs, over its median. NaN if a run has
 * no such row. */
static double spread(const struct measurement *row, size_t count, const struct run run[])
{
    const struct where where = {.file = row->file,
                                .variant = row->variant,
                                .type = row->type,
                                .case_ = row->case_,
                                .phase = row->phase,
                                .device = row->device,
                                .n = like(row->n),
                                .batch = like(row->batch),
                                .blocks = like(row->blocks),
                                .threads = like(row->threads),
                                .parts = like(row->parts),
                                .nest = like(row->nest)};
    struct list ms = {0};
    for (size_t i = 0; i < count; i++)
        list_known(&ms, time_ms(&run[i], where));
    if (ms.count < count)
        return NAN;
    list_sort(&ms);
    return (quantile(ms, 0.75) - quantile(ms, 0.25)) / median(ms);
}

/* The spreads of all totals of kernels of the papers' programs. */
static struct list spreads(size_t count, const struct run run[], const char *device)
{
    static const char *const program[] = {"pscheme_gpu", "pscheme_g", "pcr", "thomas_batch",
                                          "nshape"};
    struct list result = {0};
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
        const struct where where = {.file = text("%s.csv", program[i]),
                                    .program = program[i],
                                    .phase = "total",
                                    .device = device};
        const struct measurement *row;
        for (size_t from = 0; (row = find(&run[0], where, &from)) != NULL;)
            list_known(&result, spread(row, count, run));
    }
    list_sort(&result);
    return result;
}

/* Leaves out the stability.csv of a run, so that its own numbers alone judge its clauses. */
static void forget_stability(struct run *run)
{
    const struct table **kept = keep((run->tables + 1) * sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < run->tables; i++)
        if (!same(run->table[i]->name, "stability.csv"))
            kept[count++] = run->table[i];
    run->table = kept;
    run->tables = count;
}

bool write_stability(FILE *file, size_t count, char *const directory[])
{
    struct run *run = keep(count * sizeof *run);
    struct report *report = keep(count * sizeof *report);
    for (size_t i = 0; i < count; i++) {
        if (!run_read(&run[i], directory[i]))
            return false;
        forget_stability(&run[i]);
        if (!report_read(&report[i], &run[i], NULL))
            return false;
        fprintf(file, "# run %zu: %s, %s, %s\n", i + 1, report[i].device, report[i].revisions,
                dates_of(&run[i]));
    }
    struct list spread = spreads(count, run, report[0].device);
    if (spread.count > 0)
        fprintf(
            file,
            "# from run to run: in 95 of 100 of %zu times of kernels the interquartile range is "
            "at most %.2f%% of the median\n",
            spread.count, 100 * quantile(spread, 0.95));
    fputs("id,clause,runs,holds", file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, ",run %zu", i + 1);
    for (size_t c = 0; c < CLAIMS; c++)
        for (size_t k = 0; k < report[0].claim[c].clauses; k++) {
            size_t judged = 0, holds = 0;
            const char *cells = "";
            for (size_t i = 0; i < count; i++) {
                const struct claim *claim = &report[i].claim[c];
                enum outcome outcome =
                    claim->verdict == NOT_MEASURED ? NOT_JUDGED : clause_outcome(&claim->clause[k]);
                judged += outcome != NOT_JUDGED;
                holds += outcome == HOLDS;
                cells = text("%s,%s", cells, outcome_name(outcome));
            }
            fprintf(file, "\n%s,%s,%zu,%zu%s", report[0].claim[c].id,
                    report[0].claim[c].clause[k].letter, judged, holds, cells);
        }
    fputc('\n', file);
    return true;
}
