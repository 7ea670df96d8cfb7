/* Tables as rows of cells, and how numbers and names are written in them. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- grids ---- */

static struct grid *grid_new(const char *title, const char *note, size_t columns)
{
    struct grid *grid = keep(sizeof *grid);
    *grid = (struct grid){.title = title, .note = note, .columns = columns};
    return grid;
}

void add_cell(struct grid *grid, const char *cell)
{
    grid->cell = with_room(grid->cell, grid->cells, sizeof *grid->cell);
    grid->cell[grid->cells++] = cell;
}

void add_list(struct grid *grid, size_t count, const char *const cell[])
{
    for (size_t i = 0; i < count; i++)
        add_cell(grid, cell[i]);
}

void add_text(struct grid *grid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(grid, text_of(format, arguments));
    va_end(arguments);
}

struct grid *grid_of(const char *title, const char *note, size_t columns, const char *const head[])
{
    struct grid *grid = grid_new(title, note, columns);
    add_list(grid, columns, head);
    return grid;
}
void add_grid(struct grids *grids, struct grid *grid)
{
    size_t rows = grid->cells / grid->columns;
    if (rows < 2)
        return;
    struct grid *narrow = grid_new(grid->title, grid->note, 0);
    bool *known = keep(grid->columns * sizeof *known);
    for (size_t column = 0; column < grid->columns; column++) {
        for (size_t row = 1; row < rows; row++)
            known[column] |= strcmp(grid->cell[row * grid->columns + column], UNKNOWN) != 0;
        narrow->columns += known[column];
    }
    for (size_t i = 0; i < grid->cells; i++)
        if (known[i % grid->columns])
            add_cell(narrow, grid->cell[i]);
    grids->grid = with_room(grids->grid, grids->count, sizeof *grids->grid);
    grids->grid[grids->count++] = narrow;
}

/* ---- cells ---- */

const char *number(double x)
{
    if (isnan(x) || isinf(x))
        return UNKNOWN;
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.2e", x);
    int exponent = atoi(strchr(rounded, 'e') + 1);
    return text("%.*f", exponent < 2 ? 2 - exponent : 0, atof(rounded));
}
const char *whole(double x)
{
    return isnan(x) ? UNKNOWN : text("%.0f", x);
}
const char *percent(double x)
{
    return isnan(x) ? UNKNOWN : text("%.0f", 100 * x);
}

const char *size_text(double n)
{
    int exponent;
    if (n < 1 << 10 || frexp(n, &exponent) != 0.5)
        return text("%.0f", n);
    return n < 1 << 20 ? text("%.0fK", n / (1 << 10)) : text("%.0fM", n / (1 << 20));
}
const char *sizes_text(double n, double batch)
{
    return isnan(batch) ? size_text(n) : text("%s × %.0f", size_text(n), batch);
}

const char *type_text(const char *type)
{
    return same(type, "s")   ? "single"
           : same(type, "d") ? "double"
           : same(type, "c") ? "single complex"
           : same(type, "z") ? "double complex"
           : same(type, "h") ? "half"
           : same(type, "b") ? "bfloat16"
                             : type;
}

const char *with_type(const char *name, const char *type)
{
    return same(type, "s") ? name : text("%s, %s", name, type_text(type));
}

/* ---- what cells are made of ---- */

const struct table *published(const char *name)
{
    return table_read(text("plots/paper/%s", name));
}
double published_number(const struct table *table, const char *variant, const char *key, double is,
                        const char *column)
{
    for (size_t row = 0; table != NULL && row < table->rows; row++)
        if (same(text_at(table, row, "variant"), variant) && number_at(table, row, key) == is)
            return number_at(table, row, column);
    return NAN;
}
