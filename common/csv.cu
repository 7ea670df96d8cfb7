/* CSV files whose columns differ from the schema of results.h (csv.h). */
#include "csv.h"
#include "device_program.h"

static bool written(const struct csv *csv, int error)
{
    if (error)
        fprintf(stderr, "%s: cannot write '%s'\n", csv->program, csv->path);
    return !error;
}

bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns)
{
    csv->program = program;
    csv->file = NULL;
    if (!prefix)
        return true;
    snprintf(csv->path, sizeof csv->path, "%s_%s.csv", prefix, name);
    return written(csv, csv_begin(csv, program, device_name(), columns));
}

bool csv_close(struct csv *csv)
{
    return !csv->file || written(csv, csv_end(csv, true));
}
