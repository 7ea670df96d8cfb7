/* CSV files that have columns of their own, beside that of results.h. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct csv {
    const char *program;
    FILE *file;                        /* NULL: not asked for */
    char path[4096], *target, *beside; /* target: what links lead to */
};

/* PREFIX_NAME.csv with the # lines that results.h writes, and a line of columns; nothing with prefix NULL. The file appears whole,
 * at csv_close. False, with one line on stderr: it cannot be written. */
bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns);
bool csv_close(struct csv *csv);

#ifdef __cplusplus
}
#endif

#endif
