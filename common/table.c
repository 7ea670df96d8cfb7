/* The table of results (table.h). */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The columns between a row's phase and its status. */
enum { THREADS, PARTS, NEST, MEDIAN, SPREAD, RATE, ERROR, COLUMNS };
enum { CELL = 48 }; /* characters of a cell, with its end */
static const struct {
    char heading[CELL];
    int width; /* without the blank before the column */
} columns[COLUMNS] = {{"threads", 10}, {"parts", 8}, {"nest", 4}, {"median ms", 9},
                      {"spread", 6},   {"GB/s", 6},  {"error", 7}};
enum { LINE_MOST = 100, LEFT_LEAST = 34, PHASE_MOST = 15, STATUS_MOST = 12 };

static struct {
    int name;
    bool wide;
} style;

void table_style(int name, bool wide)
{
    style.name = name;
    style.wide = wide;
}

bool is_terminal(int stream)
{
    const char *term = getenv("TERM");
    return isatty(stream) && term && strcmp(term, "dumb") != 0;
}

/* Escape sequences of a terminal. */
#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

/* Returns the escape sequence, or "" if stdout is not a terminal or the user wants no colours
 * (https://no-color.org). */
static const char *colour(const char *sequence)
{
    const char *no_color = getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && !(no_color && *no_color) ? sequence : "";
}

static const char *colour_of(const char *status)
{
    if (status && strcmp(status, "ok") == 0)
        return colour(GREEN);
    return colour(status && strcmp(status, "disturbed") == 0 ? YELLOW : RED);
}

/* Prints a number into a cell. A value that does not apply leaves the cell empty. */
static void put(char cell[CELL], const char *format, bool given, double value)
{
    if (given && isnan(value))
        strcpy(cell, "nan"); /* printf prints "-nan" if the sign bit is set */
    else if (given)
        snprintf(cell, CELL, format, value);
}

static double rate_of(const struct row *row)
{
    return row->bytes / row->time.median_ms * 1e-6;
}

/* Prints the row's values into the cells of the columns. */
static void fill(const struct row *row, char cells[COLUMNS][CELL])
{
    const struct timing *t = &row->time;
    bool timed = t->samples > 0;
    long long blocks = row->blocks, threads = row->threads, cores = row->cores;
    if (blocks && threads)
        snprintf(cells[THREADS], CELL, "%lld x %lld", blocks, threads);
    else if (threads)
        snprintf(cells[THREADS], CELL, "%lld", threads);
    else if (cores)
        snprintf(cells[THREADS], CELL, "%lld core%s", cores, cores == 1 ? "" : "s");
    put(cells[PARTS], "%.0f", row->parts && row->parts != blocks * threads, (double)row->parts);
    put(cells[NEST], "%.0f", row->nest, (double)row->nest);
    put(cells[MEDIAN], "%.4g", timed, t->median_ms);
    double spread = 100 * (t->q3_ms - t->q1_ms) / t->median_ms, rate = rate_of(row);
    put(cells[SPREAD], spread < 99999.5 ? "%.0f%%" : "%.0e%%", t->samples > 1, spread);
    put(cells[RATE],
        rate < 10    ? "%.2f"
        : rate < 100 ? "%.1f"
        : rate < 1e6 ? "%.0f"
                     : "%.1e",
        timed && row->bytes != 0, rate);
    put(cells[ERROR], "%.1e", !(row->error < 0), row->error);
}

/* Appends to what the rows of a section have in common. */
__attribute__((format(printf, 2, 3))) static void append(char section[SECTION_MOST],
                                                         const char *format, ...)
{
    size_t at = strlen(section);
    if (at > 0)
        at += (size_t)snprintf(section + at, SECTION_MOST - at, ", ");
    va_list values;
    va_start(values, format);
    vsnprintf(section + at, SECTION_MOST - at, format, values);
    va_end(values);
}

/* Stores what the rows of a section have in common, e.g. "type s, n = 4096, case L". */
static void name_section(const struct row *row, char section[SECTION_MOST])
{
    section[0] = 0;
    if (row->type)
        append(section, "type %c", row->type);
    if (row->n)
        append(section, "n = %lld", (long long)row->n);
    if (row->batch > 1)
        append(section, "batch = %lld", (long long)row->batch);
    if (row->case_)
        append(section, "case %c", row->case_);
    if (row->ranks)
        append(section, "%lld rank%s", (long long)row->ranks, row->ranks == 1 ? "" : "s");
}

/* Prints a line of the table without its status: the name on the left, the phase and the texts of
 * the columns on the right. A name that leaves them no room has a line of its own. A text that is
 * wider than its column moves what stands left of it. */
static void print_line(const struct table *table, const char *name, const char *phase,
                       char texts[COLUMNS][CELL])
{
    char line[COLUMNS * CELL] = "", *right = line;
    int left = style.name + 1 + PHASE_MOST, width = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (table->shown >> c & 1) {
            right += sprintf(right, " %*s", columns[c].width, *texts[c] ? texts[c] : "-");
            width += 1 + columns[c].width;
        }
    if (left < LEFT_LEAST)
        left = LEFT_LEAST;
    if (left > LINE_MOST - 1 - STATUS_MOST - width)
        left = LINE_MOST - 1 - STATUS_MOST - width;
    right = line + strspn(line, " ");

    int used = (int)(strlen(name) + strlen(phase) + strlen(right));
    if (used + 2 > left + width) {
        printf("%s\n", name);
        used -= (int)strlen(name);
        name = "";
    }
    int blanks = left + width - used; /* before the phase and after it */
    int before = left - (int)(strlen(name) + strlen(phase));
    before = before > blanks - 1 ? blanks - 1 : before;
    before = before < 1 ? 1 : before;
    int after = blanks - before < 1 ? 1 : blanks - before;
    printf("%s%*s%s%*s%s", name, before, "", phase, after, "", right);
}

static void print_heading(const struct table *table)
{
    char texts[COLUMNS][CELL];
    for (int c = 0; c < COLUMNS; c++)
        strcpy(texts[c], columns[c].heading);
    static bool follows; /* a heading, perhaps of another table of this program */
    printf("%s%s", follows ? "\n" : "", colour(BOLD));
    follows = true;
    print_line(table, *table->section ? table->section : "variant", "phase", texts);
    printf(" status%s\n", colour(PLAIN));
}

/* These functions print one cell of a wide row after a blank, or "-" if the value does not apply.
 * A negative width stands for a left-aligned cell. */
static void wide_text(int width, const char *text)
{
    printf(" %*s", width, text && *text ? text : "-");
}

static void wide_count(int width, int64_t value)
{
    char cell[CELL] = "";
    put(cell, "%.0f", value != 0, (double)value);
    wide_text(width, cell);
}

static void wide_real(int width, const char *format, bool given, double value)
{
    char cell[CELL] = "";
    put(cell, format, given, value);
    wide_text(width, cell);
}

/* Prints a row with the columns of the CSV file, without the program and with GB/s. */
static void wide_row(struct table *table, const struct row *row, const char *status)
{
    const struct timing *t = &row->time;
    bool timed = t->samples > 0;
    if (!table->begun)
        printf("%s%-38s %4s %13s %10s %10s %7s %13s %5s %4s %5s %4s %-15s %10s %7s %10s %9s %9s "
               "%9s %8s %8s %-12s %s%s\n",
               colour(BOLD), "variant", "type", "n", "batch", "blocks", "threads", "parts", "cores",
               "nest", "ranks", "case", "phase", "timer", "samples", "median_ms", "q1_ms", "q3_ms",
               "min_ms", "GB/s", "error", "status", "device", colour(PLAIN));
    table->begun = true;
    printf("%-38s", row->variant ? row->variant : "-");
    wide_text(4, (const char[]){row->type, 0});
    wide_count(13, row->n);
    wide_count(10, row->batch);
    wide_count(10, row->blocks);
    wide_count(7, row->threads);
    wide_count(13, row->parts);
    wide_count(5, row->cores);
    wide_count(4, row->nest);
    wide_count(5, row->ranks);
    wide_text(4, (const char[]){row->case_, 0});
    wide_text(-15, row->phase);
    wide_text(10, timed ? t->timer : NULL);
    wide_count(7, t->samples);
    wide_real(10, "%.4g", timed, t->median_ms);
    wide_real(9, "%.4g", timed, t->q1_ms);
    wide_real(9, "%.4g", timed, t->q3_ms);
    wide_real(9, "%.4g", timed, t->min_ms);
    wide_real(8, "%.4g", timed && row->bytes != 0, rate_of(row));
    wide_real(8, "%.2e", !(row->error < 0), row->error);
    printf("%s", colour_of(status));
    wide_text(-12, status);
    printf("%s", colour(PLAIN));
    wide_text(0, row->device);
    printf("\n");
}

void table_add(struct table *table, const struct row *row, const char *status)
{
    if (style.wide) {
        wide_row(table, row, status);
        return;
    }
    char cells[COLUMNS][CELL] = {{0}}, section[SECTION_MOST];
    unsigned used = 0;
    fill(row, cells);
    for (int c = 0; c < COLUMNS; c++)
        used |= (unsigned)(*cells[c] != 0) << c;
    name_section(row, section);
    if (!table->begun || used & ~table->shown || strcmp(section, table->section) != 0) {
        table->shown |= used;
        strcpy(table->section, section);
        print_heading(table);
        table->begun = true;
    }
    print_line(table, row->variant ? row->variant : "-", row->phase ? row->phase : "-", cells);
    printf(" %s%s%s\n", colour_of(status), status ? status : "-", colour(PLAIN));
}
