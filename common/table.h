/* The table of results on stdout (results.h), at most 100 columns wide. Rows with the same type, n,
 * batch, case and number of ranks form a section. Its heading says what they are:
 *
 *   type s, n = 4096             phase    threads median ms spread   GB/s   error status
 *   serial                       total     1 core  0.004347     1%   3.77 2.8e-06 ok
 *   pcr                          total    32 x 16         -      -      - 3.6e-06 ok
 *
 * A column is shown as soon as a row has a value for it. */
#ifndef TABLE_H
#define TABLE_H

#include "results.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SECTION_MOST = 128 };
struct table {
    bool begun;
    unsigned shown;             /* bit c: column c has a heading */
    char section[SECTION_MOST]; /* what the last heading says of type, n, … */
};

/* Chooses how all tables of this program look. name: length of the longest name of a variant.
 * wide: each row shows all columns of the CSV file, however long it becomes. */
void table_style(int name, bool wide);

/* Prints the row, and before it a heading if one is needed. `status` replaces row->status. */
void table_add(struct table *table, const struct row *row, const char *status);

/* Returns true if `stream` (1 or 2) is a terminal that can move its cursor. */
bool is_terminal(int stream);

#ifdef __cplusplus
}
#endif
#endif
