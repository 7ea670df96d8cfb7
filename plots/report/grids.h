/* What the files that fill the report's tables share. */
#ifndef GRIDS_H
#define GRIDS_H

#include "report.h"

/* A grid with these column names. */
#define GRID(title, note, ...)                                                                     \
    grid_of(title, note, sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *),             \
            (const char *[]){__VA_ARGS__})
struct grid *grid_of(const char *title, const char *note, size_t columns, const char *const head[]);
void add_cell(struct grid *grid, const char *cell);
void add_list(struct grid *grid, size_t count, const char *const cell[]);
#define add_cells(grid, ...)                                                                       \
    add_list(grid, sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *),                   \
             (const char *[]){__VA_ARGS__})
/* printf to a new cell */
void add_text(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a grid, unless it has no rows, without the columns in which nothing is known. */
void add_grid(struct grids *grids, struct grid *grid);

/* The text of a cell. If the number is NaN: "-". number(): three significant digits without an
 * exponent, "0.00301", "12.3", "17300". percent(): 100 x. */
#define UNKNOWN "-"
const char *number(double x);
const char *whole(double x);
const char *percent(double x);
/* Powers of two as "256K" and "1M", other sizes as "300000". */
const char *size_text(double n);
/* "4095 × 5000"; batch may be NaN */
const char *sizes_text(double n, double batch);
/* "single" for "s" */
const char *type_text(const char *type);
/* The name of something, with its type unless that is single precision, as most are. */
const char *with_type(const char *name, const char *type);

/* The time of a row in ms, NaN if it is NULL. */
double ms_of(const struct measurement *row);

/* A file of published numbers in plots/paper, or NULL. */
const struct table *published(const char *name);
/* The number in `column` where `variant` and `key` are these, NaN if there is none. */
double published_number(const struct table *table, const char *variant, const char *key, double is,
                        const char *column);

#endif
