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

/* The sequence, or "" if stdout is no terminal or the user wants no colours (https://no-color.org).
 */
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

/* Prints a line without its status: the name on the left, the phase and the texts of the columns
 * on the right. A name that leaves them no room has a line of its own. If a text is wider than
 * its column, everything to its left moves further left. */
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

/* Prints into cell `i`. Returns the cell, or NULL if the value does not apply. */
static const char *put_field(struct row_texts *texts, int i, const char *format, bool given,
                             double value)
{
    put(texts->number[i], format, given, value);
    return given ? texts->number[i] : NULL;
}

void row_texts(struct row_texts *texts, const struct row *row, const char *status,
               const char *time_format, const char *error_format)
{
    const struct timing *t = &row->time;
    const bool timed = t->samples > 0;
    const int64_t counts[] = {row->n,     row->batch, row->blocks, row->threads,
                              row->parts, row->cores, row->nest,   row->ranks};
    const double times[] = {t->median_ms, t->q1_ms, t->q3_ms, t->min_ms};
    const char letters[] = {row->type, 0, row->case_, 0};
    int f = 0;
    memcpy(texts->number[FIELDS], letters, sizeof letters);
    texts->of[f++] = row->variant;
    texts->of[f++] = texts->number[FIELDS];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++, f++)
        texts->of[f] = put_field(texts, f, "%.0f", counts[i] != 0, (double)counts[i]);
    texts->of[f++] = texts->number[FIELDS] + 2;
    texts->of[f++] = row->phase;
    texts->of[f++] = row->device;
    texts->of[f++] = timed ? t->timer : NULL;
    texts->of[f] = put_field(texts, f, "%.0f", timed, t->samples), f++;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++, f++)
        texts->of[f] = put_field(texts, f, time_format, timed, times[i]);
    texts->of[f] = put_field(texts, f, time_format, timed && row->bytes != 0, rate_of(row)), f++;
    texts->of[f] = put_field(texts, f, error_format, !(row->error < 0), row->error), f++;
    texts->of[f] = status;
    texts->bytes = put_field(texts, f, "%.0f", row->bytes != 0, row->bytes);
}

/* Prints a row, or the headings if `row` is NULL, with the columns of the CSV file, but without the
 * program, with GB/s, and with the device at the end. */
static void wide_row(const struct row *row, const char *status)
{
    static const struct {
        const char *heading;
        int width; /* negative: the text begins on the left */
    } fields[FIELDS] = {{"variant", -38}, {"type", 4},    {"n", 13},      {"batch", 10},
                        {"blocks", 10},   {"threads", 7}, {"parts", 13},  {"cores", 5},
                        {"nest", 4},      {"ranks", 5},   {"case", 4},    {"phase", -15},
                        {"device", 0},    {"timer", 10},  {"samples", 7}, {"median_ms", 10},
                        {"q1_ms", 9},     {"q3_ms", 9},   {"min_ms", 9},  {"GB/s", 8},
                        {"error", 8},     {"status", -12}};
    struct row_texts texts;
    if (row)
        row_texts(&texts, row, status, "%.4g", "%.2e");
    else
        printf("%s", colour(BOLD));
    for (int i = 0; i < FIELDS; i++) {
        int f = i < DEVICE_FIELD ? i : i < STATUS_FIELD ? i + 1 : DEVICE_FIELD;
        const char *text = row ? texts.of[f] : fields[f].heading;
        bool coloured = row && f == STATUS_FIELD;
        printf("%s%s%*s%s", coloured ? colour_of(status) : "", i > 0 ? " " : "", fields[f].width,
               text && *text ? text : "-", coloured ? colour(PLAIN) : "");
    }
    printf("%s\n", row ? "" : colour(PLAIN));
}

void table_add(struct table *table, const struct row *row, const char *status)
{
    if (style.wide) {
        if (!table->begun)
            wide_row(NULL, NULL);
        table->begun = true;
        wide_row(row, status);
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
