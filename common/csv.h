/* CSV files with columns of their own, besides the one of results.h. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct csv {
    const char *program;
    FILE *file;                        /* NULL: no file was asked for */
    char path[4096], *target, *beside; /* target: the file that links lead to */
};

/* Opens PREFIX_NAME.csv and writes the # lines, as results.h does, and the line of columns. With
 * prefix NULL both functions do nothing. The file appears whole, at csv_close. They return false,
 * with one line on stderr, if it cannot be written. */
bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns);
bool csv_close(struct csv *csv);

#ifdef __cplusplus
}
#endif

#endif
