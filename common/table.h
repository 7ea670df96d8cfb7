/* The table of results on stdout, at most 100 columns wide. Rows with the same type, n, batch, case
 * and number of ranks form a section with a heading. A column is shown from the first value on:
 *
 *   type s, n = 4096             phase    threads median ms spread   GB/s   error status
 *   serial                       total     1 core  0.004347     1%   3.77 2.8e-06 ok
 *   pcr                          total    32 x 16         -      -      - 3.6e-06 ok */
#pragma once

#include "results.h"

__BEGIN_DECLS

enum { SECTION_MOST = 128 };
struct table {
    bool begun;
    unsigned shown;             /* bit c: column c has a heading */
    char section[SECTION_MOST]; /* what the last heading says of type, n, … */
};

/* The values of a row as text, in the order of the CSV file but for the program. NULL: it does not
 * apply. */
enum { DEVICE_FIELD = 12, RATE_FIELD = 19, STATUS_FIELD = 21, FIELDS };
struct row_texts {
    const char *of[FIELDS]; /* GB/s in place of bytes */
    const char *bytes;
    char number[FIELDS + 1][48];
};
void row_texts(struct row_texts *texts, const struct row *row, const char *status,
               const char *time_format, const char *error_format);

/* How all tables of this program look. name: length of the longest name of a variant. wide: with
 * all columns of the CSV file. */
void table_style(int name, bool wide);

/* Prints the row, and before it a heading if one is needed. `status` replaces row->status. */
void table_add(struct table *table, const struct row *row, const char *status);

/* Is `stream` (1 or 2) a terminal that can move its cursor? */
bool is_terminal(int stream);

__END_DECLS
