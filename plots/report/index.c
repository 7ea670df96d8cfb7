/* Writes report.md, a short index of report.html for code hosts, which do not render HTML. */
#include "report.h"

#include <string.h>

/* The text on one line, without what Markdown takes for the end of a cell or for HTML. */
static const char *plain(const char *from)
{
    char *result = keep(4 * strlen(from) + 1), *to = result;
    for (; *from != '\0'; from++)
        if (*from == '<')
            to = stpcpy(to, "&lt;");
        else
            *to++ = *from == '|' ? '/' : *from == '\n' || *from == '\r' ? ' ' : *from;
    return result;
}

/* The first sentence of the paper, in English. */
static const char *first_quote(const struct claim *claim)
{
    const char *from = claim->translation[0] == '\0' ? claim->quote : claim->translation,
               *end = strstr(from, " …");
    return end == NULL ? from : text("%.*s …", (int)(end - from), from);
}

/* "in part ✓✗" */
static const char *verdict_text(const struct claim *claim)
{
    return text("%s%s%s", verdict_name(claim->verdict), claim->verdict == NOT_MEASURED ? "" : " ",
                claim_signs(claim));
}

static void put_claims(FILE *file, const struct report *report)
{
    fprintf(file,
            "%s: ✓ holds, ✗ fails, ? not decided, – not judged, in brackets an extension.\n\n"
            "| claim | the paper says | in its words | %s |%s\n|---|---|---|---|%s\n",
            tally_text(claims_tally(report->claim, report->claims)), machine_of(report->run),
            report->reference == NULL ? "" : " reference |",
            report->reference == NULL ? "" : "---|");
    for (size_t i = 0; i < report->claims; i++) {
        const struct claim *claim = &report->claim[i];
        fprintf(file, "| %s | %s | %s | %s |", claim->id, plain(claim->brief),
                plain(first_quote(claim)), verdict_text(claim));
        if (report->reference != NULL)
            fprintf(file, " %s |", verdict_text(&report->other[i]));
        fputc('\n', file);
    }
}

bool write_index(const struct report *report)
{
    const char *path = text("%s/report.md", report->run->directory);
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    struct verified rows = verified(report->run);
    fprintf(file,
            "# Report: %s\n\n%zu rows verified, %zu wrong%s%s. The report itself is "
            "[report.html](report.html), one file that any "
            "browser shows; [explore.html](explore.html) is a page to play with.\n\n",
            plain(report->device), rows.ok + rows.disturbed, rows.wrong,
            report->revisions[0] == '\0' ? "" : "; ", plain(report->revisions));
    struct highlight found[HIGHLIGHTS];
    size_t count = highlights(report->run, found);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "- %s\n", found[i].sentence);
    fprintf(file,
            "\n## Claims of the papers\n\nCriteria, numbers and reasons are in the report%s%s.\n\n",
            report->reference == NULL ? "" : "; reference: ", plain(report->reference_device));
    put_claims(file, report);
    fputs("\n## Files\n\n`claims.csv` holds each number that was judged beside its bounds; "
          "`fit.csv` and `fit_l22.csv`, in runs with times of a GPU, the fitted "
          "cost models; `figures/` the figures as SVG and PNG; the other CSV files the "
          "measurements.\n",
          file);
    return file_end(file, path);
}
