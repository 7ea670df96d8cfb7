/* CSV files that are replaced when they are complete, so that an incomplete file never has the
 * final name. A program writes those whose columns differ from results.h in addition to its
 * results. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

__BEGIN_DECLS

struct csv {
    const char *program;
    FILE *file;                      /* for the rows; NULL if the prefix was NULL */
    char path[4096], *target, *text; /* target: `path` after symbolic links; text: of `file` */
    size_t size;
};

/* csv_open begins the file PREFIX_NAME.csv (csv->path) with the `#` lines, device, compiler, date
 * and so on, and the line `columns`. csv_close writes the file. With prefix NULL both do nothing
 * and return true. If the file cannot be written, they print one line on stderr and return false.
 */
bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns);
bool csv_close(struct csv *csv);

/* The same for the file csv->path without messages: they return 0 or an errno. keep: write it. */
int csv_begin(struct csv *csv, const char *program, const char *device, const char *columns);
int csv_end(struct csv *csv, bool keep);

/* Replaces a file of any kind in the same way. Returns 0 or an errno. */
int write_file(const char *path, const void *bytes, size_t size);

__END_DECLS
