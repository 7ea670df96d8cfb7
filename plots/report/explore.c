/* Writes explore.html, the page to play with. It is the file explore.html of this directory, with
 * the numbers of a run, as JSON, instead of its line "const DATA":
 *
 *   devices  source (machine_of(), or "reference"), name, fits; only those that have fits
 *   fits     program, variant, type, case, n; ns: alpha, beta, gamma; popt: the best P of the fit;
 *            popt1: that of the fit with constants; points: [G, T, pre-computation, propagation,
 *            determination, total in ms]
 *   counts   what pre-computation of pscheme_gpu touched: variant, type, n, G, T, op, requests,
 *            sectors */
#include "report.h"

#include <math.h>
#include <string.h>

/* The text as a JSON string that may stand in a script of an HTML page. */
static const char *json(const char *plain)
{
    char *result = keep(6 * strlen(plain) + 3), *to = result;
    *to++ = '"';
    for (; *plain != '\0'; plain++)
        if ((unsigned char)*plain < ' ' || strchr("\"\\<>&", *plain) != NULL)
            to += sprintf(to, "\\u%04x", (unsigned)*plain);
        else
            *to++ = *plain;
    *to = '"';
    return result;
}

/* The number with this many digits, or null, because JSON has no NaN. */
static const char *digits_of(double x, int digits)
{
    return isfinite(x) ? text("%.*g", digits, x) : "null";
}

/* ---- measured times ---- */

static void put_points(FILE *file, const struct run *run, const struct phase_fit *fit)
{
    static const char *const phase[] = {"precompute", "propagate", "determine", "total"};
    struct where where = WHERE(.program = fit->program, .variant = fit->variant, .type = fit->type,
                               .case_ = fit->case_, .n = fit->n, .blocks = PRESENT,
                               .threads = PRESENT, .in_main_file = true);
    const struct run rows = rows_where(run, where);
    const char *separator = "";
    for (size_t i = 0; i < rows.rows; i++) {
        if (!same(rows.row[i].phase, phase[0]))
            continue;
        where.blocks = rows.row[i].blocks;
        where.threads = rows.row[i].threads;
        const char *point = text("[%.0f,%.0f", where.blocks, where.threads);
        bool known = true;
        for (int k = 0; k < 4; k++) {
            double ms = phase_ms(&rows, where, phase[k]);
            known = known && !isnan(ms);
            point = joined(point, ",", "%s", digits_of(ms, 4));
        }
        if (known)
            fprintf(file, "%s%s]", separator, point);
        separator = known ? "," : separator;
    }
}

/* The fits of a run, after `separator`. Returns the separator of what follows. */
static const char *put_device(FILE *file, const struct run *run, const char *source,
                              const char *separator)
{
    struct phase_fits fits = fit_phases(run);
    if (fits.count == 0)
        return separator;
    const struct phase_fit *first = &fits.fit[0];
    const char *device = device_of(run, WHERE(.program = first->program, .variant = first->variant,
                                              .n = first->n, .blocks = PRESENT));
    fprintf(file, "%s{\"source\":%s,\"name\":%s,\"fits\":[", separator, json(source), json(device));
    for (size_t i = 0; i < fits.count; i++) {
        const struct phase_fit *fit = &fits.fit[i];
        fprintf(file,
                "%s\n{\"program\":%s,\"variant\":%s,\"type\":%s,\"case\":%s,\"n\":%.0f,"
                "\"ns\":[%s,%s,%s],\"popt\":%s,\"popt1\":%s,\"points\":[",
                i == 0 ? "" : ",", json(fit->program), json(fit->variant), json(fit->type),
                json(fit->case_), fit->n, digits_of(fit->ns[0], 6), digits_of(fit->ns[1], 6),
                digits_of(fit->ns[2], 6), digits_of(fit->popt, 6), digits_of(fit->popt1, 6));
        put_points(file, run, fit);
        fputs("]}", file);
    }
    fputs("]}", file);
    return ",\n";
}

/* ---- counted accesses ---- */

/* The counts that the page draws. Of two equal rows, as of both stores, one is left out. */
static void put_counts(FILE *file, const struct table *table)
{
    static const char *const columns[] = {"type", "n", "G", "T", "op", "requests", "sectors"};
    const char *before = "";
    for (size_t row = 0; table != NULL && row < table->rows; row++) {
        const char *variant = text_at(table, row, "variant");
        if (!same(text_at(table, row, "program"), "pscheme_gpu") ||
            !same(text_at(table, row, "kernel"), "precompute") ||
            !same(text_at(table, row, "space"), "global") ||
            (!same(variant, "block") && !same(variant, "rearranged")))
            continue;
        const char *counts = text("{\"variant\":%s", json(variant));
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            const char *is = text_at(table, row, columns[i]);
            double number = number_at(table, row, columns[i]);
            counts = joined(counts, ",", "\"%s\":%s", columns[i],
                            isnan(number) ? json(is) : digits_of(number, 15));
        }
        counts = text("%s}", counts);
        if (!same(counts, before))
            fprintf(file, "%s\n%s", before[0] == '\0' ? "" : ",", counts);
        before = counts;
    }
}

bool write_explore(const struct run *run, const struct run *reference, const char *path)
{
    static const char name[] = "plots/report/explore.html", place[] = "const DATA = {};";
    const char *page = read_file(name), *at = page == NULL ? NULL : strstr(page, place);
    if (at == NULL) {
        fprintf(stderr, "report: %s cannot be read, or lacks '%s'\n", name, place);
        return false;
    }
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    fprintf(file, "%.*sconst DATA = {\"devices\":[", (int)(at - page), page);
    const char *separator = put_device(file, run, machine_of(run), "");
    if (reference != NULL)
        put_device(file, reference, "reference", separator);
    fputs("],\"counts\":[", file);
    const struct table *counts = run_table(run, "counts.csv");
    if (counts == NULL && reference != NULL)
        counts = run_table(reference, "counts.csv");
    put_counts(file, counts);
    fprintf(file, "]};%s", at + strlen(place));
    return file_end(file, path);
}
