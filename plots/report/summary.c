/* claims.csv, and the closing lines of run_all.sh. */
#include "report.h"

#include <math.h>
#include <string.h>

/* ---- claims.csv ---- */

/* A line for the claim, and one for each number; the cell of a NaN is empty. */
static void put_claim(FILE *file, const struct claim *claim, const char *source)
{
    fprintf(file, "%s,,%s,%s,%s,%s,,,\n", claim->id, source, csv_field(claim->device),
            verdict_name(claim->verdict), csv_field(claim->brief));
    for (size_t i = 0; i < claim->clauses; i++)
        for (size_t k = 0; k < claim->clause[i].count; k++) {
            const struct clause *clause = &claim->clause[i];
            const struct judged *judged = &clause->judged[k];
            fprintf(file, "%s,%s,%s,%s,%s,%s,%s,%s,%s\n", claim->id, clause->letter, source,
                    csv_field(clause->device == NULL ? claim->device : clause->device),
                    judged_name(judged), csv_field(judged->label),
                    isfinite(judged->value) ? text("%.6g", judged->value) : "",
                    csv_field(clause->low_text), csv_field(clause->high_text));
        }
}

bool write_claims(const struct report *report)
{
    const char *path = text("%s/claims.csv", report->run->directory);
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    fputs("id,part,source,device,verdict,label,value,low,high\n", file);
    for (size_t i = 0; i < report->claims; i++) {
        put_claim(file, &report->claim[i], "run");
        if (report->reference != NULL)
            put_claim(file, &report->other[i], "reference");
    }
    return file_end(file, path);
}

/* ---- the closing lines ---- */

/* "…: 9 (3 reproduced, 4 in part, 2 not)" */
static void put_verdicts(FILE *file, const char *what, const size_t of[])
{
    fprintf(file, "%s: %zu (%zu reproduced, %zu in part, %s%zu not)", what,
            of[REPRODUCED] + of[IN_PART] + of[NOT_DECIDED] + of[NOT_REPRODUCED], of[REPRODUCED],
            of[IN_PART], of[NOT_DECIDED] == 0 ? "" : text("%zu not decided, ", of[NOT_DECIDED]),
            of[NOT_REPRODUCED]);
}

static void put_claims(FILE *file, const struct report *report)
{
    size_t here[REPRODUCED + 1] = {0}, there[REPRODUCED + 1] = {0}, disturbed = 0;
    for (size_t i = 0; i < report->claims; i++) {
        enum verdict own = report->claim[i].verdict;
        here[own]++;
        disturbed += report->claim[i].disturbed;
        if (own == NOT_MEASURED)
            there[report->reference == NULL ? NOT_MEASURED : report->other[i].verdict]++;
    }
    put_verdicts(file, "claims judged here", here);
    if (disturbed > 0)
        fprintf(file, ", %zu disturbed", disturbed);
    fputc('\n', file);
    if (report->reference != NULL) {
        put_verdicts(file, "claims taken from the reference", there);
        fputc('\n', file);
    }
    if (there[NOT_MEASURED] > 0)
        fprintf(file, "claims not measured: %zu\n", there[NOT_MEASURED]);
}

/* Whether a file of the run has a row that failed verification. */
static bool has_wrong_row(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->rows; i++)
        if (same(run->row[i].file, name) && is_wrong(&run->row[i]))
            return true;
    return false;
}

enum { SHOWN = 3 }; /* the failures that are named */

/* Prints the first failures: wrong rows, then programs that failed otherwise (run.txt). Returns
 * their number. */
static size_t put_failures(FILE *file, const struct run *run, struct verified rows)
{
    size_t failures = rows.wrong;
    for (size_t i = 0; i < SHOWN && i < rows.wrong; i++) {
        const struct measurement *row = rows.wrong_row[i];
        fprintf(file, "wrong: %s %s, type %s, n = %.0f: %s\n", row->program, row->variant,
                row->type, row->n, row->status);
    }
    const char *line = read_file(text("%s/run.txt", run->directory));
    for (; line != NULL && line[0] != '\0'; line += strspn(line, "\n")) {
        char name[64];
        int status;
        if (sscanf(line, "%63[^\t\n]\t%*[^\t\n]\t%d", name, &status) == 2 && status != 0 &&
            !has_wrong_row(run, text("%s.csv", name)) && failures++ < SHOWN)
            fprintf(file, "failed: %s, exit status %d\n", name, status);
        line += strcspn(line, "\n");
    }
    if (failures > SHOWN)
        fprintf(file, "and %zu more\n", failures - SHOWN);
    return failures;
}

void write_summary(const struct report *report, FILE *file)
{
    struct verified rows = verified(report->run);
    fprintf(file, "rows: %zu verified, %zu wrong", rows.ok + rows.disturbed, rows.wrong);
    if (rows.disturbed > 0)
        fprintf(file, ", %zu disturbed by other load", rows.disturbed);
    fputc('\n', file);
    if (!isnan(report->seconds))
        fprintf(file, "time of the programs: %s\n", duration(report->seconds));
    put_claims(file, report);
    const size_t failures = put_failures(file, report->run, rows);
    fprintf(file, "%s. Open %s/report.html\n",
            failures == 0 ? "Everything is verified" : "Not everything is verified",
            report->run->directory);
}
