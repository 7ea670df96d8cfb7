/* CSV files whose columns differ from the schema of results.h (csv.h). */
#include "csv.h"
#include "device_program.h"
#include "results.h"

#include <time.h>

static void free_names(struct csv *csv)
{
    free(csv->target);
    free(csv->beside);
}

bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns)
{
    csv->program = program;
    csv->file = NULL;
    if (!prefix)
        return true;
    snprintf(csv->path, sizeof csv->path, "%s_%s.csv", prefix, name);
    if (csv_target(csv->path, &csv->target) != 0 ||
        asprintf(&csv->beside, "%s.new", csv->target) < 0)
        csv->beside = NULL;
    else
        csv->file = fopen(csv->beside, "w");
    if (!csv->file) {
        fprintf(stderr, "%s: cannot write '%s'\n", program, csv->path);
        free_names(csv);
        return false;
    }
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(csv->file,
            "# program: %s\n# device: %s\n# cpu: %s\n# compiler: %s\n# flags: %s\n"
            "# revision: %s\n# date: %s\n%s\n",
            program, device_name(), cpu_name(), build_compiler(), build_flags(), build_revision(),
            date, columns);
    return true;
}

bool csv_close(struct csv *csv)
{
    if (!csv->file)
        return true;
    bool whole = !ferror(csv->file);
    whole = fclose(csv->file) == 0 && whole && rename(csv->beside, csv->target) == 0;
    if (!whole) {
        fprintf(stderr, "%s: cannot write '%s'\n", csv->program, csv->path);
        remove(csv->beside);
    }
    free_names(csv);
    return whole;
}
