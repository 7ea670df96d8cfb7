/* What the pages say of a run as a whole: its claims, its device, its revision and its time. */
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The device of the first row that was timed on a GPU (by events or a graph), or "". */
static const char *gpu_of(const struct run *run)
{
    for (size_t i = 0; i < run->rows; i++)
        if (strncmp(run->row[i].timer, "events", 6) == 0 ||
            strncmp(run->row[i].timer, "graph", 5) == 0)
            return run->row[i].device;
    return "";
}

/* The value of the first line "# cpu: VALUE", or "". */
static const char *cpu_of(const struct run *run)
{
    for (size_t i = 0; i < run->tables; i++)
        for (const char **line = run->table[i]->header; *line != NULL; line++)
            if (strncmp(*line, "cpu: ", 5) == 0)
                return *line + 5;
    return "";
}

const char *dates_of(const struct run *run)
{
    const char *first = "", *last = "";
    for (size_t i = 0; i < run->tables; i++)
        for (const char **line = run->table[i]->header; *line != NULL; line++)
            if (strncmp(*line, "date: ", 6) == 0) {
                const char *date = text("%.10s %.5s", *line + 6, *line + 17);
                first = first[0] == '\0' || strcmp(date, first) < 0 ? date : first;
                last = strcmp(date, last) > 0 ? date : last;
            }
    return same(first, last) ? first : text("%s to %s", first, last);
}

/* The revision in a line of a file's header: "revision: X", or "..., revision X: ..." in the tables
 * of Nsight Compute. "" if there is none. */
static const char *revision_in(const char *line)
{
    const char *at = strstr(line, "revision");
    if (at == NULL)
        return "";
    at += strlen("revision");
    at += strspn(at, ": ");
    size_t length = strspn(at, "0123456789abcdef");
    if (strncmp(at + length, "-dirty", 6) == 0)
        return text("%.*s", (int)length + 6, at);
    return length < 7 || isalnum((unsigned char)at[length]) ? "" : text("%.*s", (int)length, at);
}

/* Whether two revisions are the same: one may have more digits. */
static bool same_revision(const char *x, const char *y)
{
    size_t x_digits = strcspn(x, "-"), y_digits = strcspn(y, "-");
    return same(x + x_digits, y + y_digits) &&
           strncmp(x, y, x_digits < y_digits ? x_digits : y_digits) == 0;
}

/* "revision X", also how many files are of others, "" if no file names its revision. */
static const char *revisions_of(const struct run *run)
{
    struct {
        const char *name;
        size_t files;
    } *found = keep((run->tables + 1) * sizeof *found);
    size_t count = 0, files = 0, most = 0;
    for (size_t i = 0; i < run->tables; i++) {
        const char *revision = "";
        for (const char **line = run->table[i]->header; *line != NULL && revision[0] == '\0';
             line++)
            revision = revision_in(*line);
        if (revision[0] == '\0')
            continue;
        size_t k = 0;
        while (k < count && !same_revision(found[k].name, revision))
            k++;
        if (k == count) {
            found[count].name = revision;
            found[count++].files = 0;
        }
        found[k].files++;
        files++;
        most = found[k].files > found[most].files ? k : most;
    }
    if (count < 2)
        return count == 0 ? "" : text("revision %s", found[0].name);
    return text("revision %s, but %zu of %zu CSV files %s of %s", found[most].name,
                files - found[most].files, files, files - found[most].files == 1 ? "is" : "are",
                count == 2 ? "another revision" : text("%zu other revisions", count - 1));
}

/* The sum of the seconds in run.txt of run_all.sh, NaN if a line has none. */
static double seconds_of(const struct run *run)
{
    const char *line = read_file(text("%s/run.txt", run->directory));
    double seconds = line == NULL || line[0] == '\0' ? NAN : 0, one;
    for (; line != NULL && line[0] != '\0'; line += strspn(line, "\n")) {
        bool known = sscanf(line, "%*[^\t\n]\t%*[^\t\n]\t%*d\t%lf", &one) == 1;
        seconds += known && isfinite(one) && one >= 0 ? one : NAN;
        line += strcspn(line, "\n");
    }
    return seconds;
}

const char *duration(double seconds)
{
    return seconds < 60 ? text("%.0f s", seconds)
                        : text("%.0f min %.0f s", floor(seconds / 60), fmod(seconds, 60));
}

const char *machine_of(const struct run *run)
{
    return strstr(run->directory, "plots/reference/") ? "reference machine" : "this machine";
}

bool report_read(struct report *report, const struct run *run, const struct run *reference)
{
    *report = (struct report){.run = run, .reference = reference};
    report->claims = claims_read(report->claim, "plots/paper");
    if (report->claims == 0)
        return false;
    memcpy(report->other, report->claim, sizeof report->other);
    claims_judge(report->claim, report->claims, run);
    if (reference != NULL)
        claims_judge(report->other, report->claims, reference);
    report->has_gpu = gpu_of(run)[0] != '\0';
    report->device = report->has_gpu ? gpu_of(run) : cpu_of(run);
    report->reference_device = reference == NULL ? "" : gpu_of(reference);
    report->reference_cpu = reference == NULL ? "" : cpu_of(reference);
    report->revisions = revisions_of(run);
    report->seconds = seconds_of(run);
    return true;
}
