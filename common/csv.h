/* CSV files whose columns differ from the schema of results.h. A program writes them in addition to
 * its results. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct csv {
    const char *program;
    FILE *file; /* the caller writes its rows here; NULL if the prefix was NULL */
    char path[4096], *target, *beside; /* see csv_open */
};

/* csv_open opens the file PREFIX_NAME.csv (csv->path) and writes the `#` lines with device,
 * compiler, date and so on, and then the line `columns`. csv_close completes the file. Until then
 * the text is in the temporary file csv->beside, which csv_close renames to csv->target, so that an
 * incomplete file never has the final name. csv->target is csv->path after all symbolic links have
 * been followed.
 *
 * With prefix NULL both functions do nothing and return true. If the file cannot be written, they
 * print one line on stderr and return false. */
bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns);
bool csv_close(struct csv *csv);

#ifdef __cplusplus
}
#endif

#endif
