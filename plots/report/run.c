/* The CSV files of a run (RFC 4180, with lines "# KEY: VALUE" before the column names). */
#include "report.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Reads one field at *at into a new string and sets *at behind it and behind the comma or the line
 * end after it. *last: whether the field ends its line. Returns NULL if a quoted field does not
 * end, or if something else than a comma or a line end ("\n" or "\r\n") follows a field. */
static const char *field(const char **at, bool *last)
{
    const char *from = *at;
    char *result = keep(strcspn(from, from[0] == '"' ? "" : ",\r\n") + 1), *to = result;
    if (from[0] == '"') {
        for (from++; from[0] != '\0' && (from[0] != '"' || from[1] == '"'); from++) {
            if (from[0] == '"')
                from++;
            *to++ = *from;
        }
        if (from[0] == '\0')
            return NULL;
        from++;
    } else
        while (from[0] != '\0' && strchr(",\r\n", from[0]) == NULL)
            *to++ = *from++;
    from += from[0] == '\r' && (from[1] == '\n' || from[1] == '\0');
    if (from[0] != '\0' && from[0] != ',' && from[0] != '\n')
        return NULL;
    *last = from[0] != ',';
    *at = from[0] == '\0' ? from : from + 1;
    return result;
}

static size_t lines_in(const char *csv)
{
    size_t lines = 1;
    for (; *csv != '\0'; csv++)
        lines += *csv == '\n';
    return lines;
}

/* Reads a line of fields and stores the first `room`. Returns false if one is odd. */
static bool read_line(const char **at, const char *cell[], size_t room, size_t *count)
{
    *count = 0;
    for (bool last = false; !last; (*count)++) {
        const char *one = field(at, &last);
        if (one == NULL)
            return false;
        if (*count < room)
            cell[*count] = one;
    }
    return true;
}

static bool parse(struct table *table, const char *csv)
{
    size_t lines = lines_in(csv), headers = 0;
    table->header = keep((lines + 1) * sizeof *table->header);
    for (; csv[0] == '#'; csv += csv[0] == '\n') {
        size_t length = strcspn(csv, "\n"), skip = 1 + (csv[1] == ' ');
        size_t end = length - (csv[length - 1] == '\r');
        table->header[headers++] = text("%.*s", (int)(end < skip ? 0 : end - skip), csv + skip);
        csv += length;
    }
    if (csv[0] == '\0')
        return true;
    const char *names = csv; /* read twice: first to count them */
    bool good = read_line(&names, NULL, 0, &table->columns);
    table->column = keep(table->columns * sizeof *table->column);
    good = good && read_line(&csv, table->column, table->columns, &table->columns);
    table->cell = keep(lines * table->columns * sizeof *table->cell);
    while (good && csv[0] != '\0') {
        size_t cells;
        good = read_line(&csv, &table->cell[table->rows * table->columns], table->columns, &cells);
        table->rows++;
        if (good && cells != table->columns) {
            fprintf(stderr, "report: %s: row %zu has %zu cells instead of %zu\n", table->name,
                    table->rows, cells, table->columns);
            return false;
        }
    }
    if (!good)
        fprintf(stderr, "report: %s: row %zu: a quotation mark or line end in the wrong place\n",
                table->name, table->rows);
    return good;
}

static size_t column_of(const struct table *table, const char *column)
{
    size_t i = 0;
    while (i < table->columns && !same(table->column[i], column))
        i++;
    return i;
}

bool has_column(const struct table *table, const char *column)
{
    return column_of(table, column) < table->columns;
}

const char *text_at(const struct table *table, size_t row, const char *column)
{
    size_t i = column_of(table, column);
    return i < table->columns ? table->cell[row * table->columns + i] : "";
}

static double number_in(const char *cell)
{
    char *end;
    double x = strtod(cell, &end);
    return end == cell || *end != '\0' || !isfinite(x) ? NAN : x;
}

double number_at(const struct table *table, size_t row, const char *column)
{
    return number_in(text_at(table, row, column));
}

double sum_of(const struct table *table, const char *column, ...)
{
    double sum = 0;
    for (size_t row = 0; table != NULL && row < table->rows; row++) {
        bool has_all = true;
        va_list conditions;
        va_start(conditions, column);
        for (const char *key; (key = va_arg(conditions, const char *)) != NULL;)
            has_all = same(text_at(table, row, key), va_arg(conditions, const char *)) && has_all;
        va_end(conditions);
        sum += has_all ? number_at(table, row, column) : 0;
    }
    return sum;
}

/* ---- a run ---- */

/* Appends the rows of a table with the columns of results.h to run->row. */
static void add_rows(struct run *run, const struct table *table)
{
#define FIELD(name)                                                                                \
    {                                                                                              \
#name, MEMBER(name)                                                                        \
    }
    static const struct {
        const char *column;
        size_t member;
    } texts[] = {FIELD(program), FIELD(variant), FIELD(type),  {"case", MEMBER(case_)},
                 FIELD(phase),   FIELD(device),  FIELD(timer), FIELD(status)},
      numbers[] = {FIELD(n),     FIELD(batch), FIELD(blocks), FIELD(threads),
                   FIELD(parts), FIELD(cores), FIELD(nest),   FIELD(ranks),
                   FIELD(bytes), FIELD(q1_ms), FIELD(q3_ms),  FIELD(median_ms)};
#undef FIELD
    struct measurement *rows = keep((run->rows + table->rows) * sizeof *rows);
    if (run->rows > 0)
        memcpy(rows, run->row, run->rows * sizeof *rows);
    for (size_t r = 0; r < table->rows; r++) {
        struct measurement *to = &rows[run->rows + r];
        to->file = table->name;
        to->has_error = !has_column(table, "error") || text_at(table, r, "error")[0] != '\0';
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            *(const char **)((char *)to + texts[i].member) = text_at(table, r, texts[i].column);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            *(double *)((char *)to + numbers[i].member) = number_at(table, r, numbers[i].column);
    }
    run->row = rows;
    run->rows += table->rows;
}

bool run_add(struct run *run, const char *name, const char *csv)
{
    struct table *table = keep(sizeof *table);
    table->name = name;
    if (!parse(table, csv))
        return false;
    const struct table **tables = keep((run->tables + 1) * sizeof *tables);
    if (run->tables > 0)
        memcpy(tables, run->table, run->tables * sizeof *tables);
    tables[run->tables++] = table;
    run->table = tables;
    if (has_column(table, "program") && has_column(table, "median_ms") &&
        has_column(table, "status"))
        add_rows(run, table);
    return true;
}

const struct table *table_read(const char *path)
{
    struct run files = {0};
    const char *csv = read_file(path), *slash = strrchr(path, '/');
    return csv != NULL && run_add(&files, slash == NULL ? path : slash + 1, csv) ? files.table[0]
                                                                                 : NULL;
}

static int is_csv(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' && same(entry->d_name + length - 4, ".csv");
}

bool run_read(struct run *run, const char *directory)
{
    *run = (struct run){.directory = directory};
    struct dirent **entry;
    int entries = scandir(directory, &entry, is_csv, alphasort);
    if (entries < 0) {
        fprintf(stderr, "report: '%s' cannot be read\n", directory);
        return false;
    }
    bool all_read = true;
    for (int i = 0; i < entries; i++) {
        const char *path = text("%s/%s", directory, entry[i]->d_name);
        const char *csv = read_file(path);
        if (csv == NULL)
            fprintf(stderr, "report: '%s' cannot be read, or is no text\n", path);
        all_read = all_read && csv != NULL && run_add(run, text("%s", entry[i]->d_name), csv);
        free(entry[i]);
    }
    free(entry);
    return all_read;
}

const struct table *run_table(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->tables; i++)
        if (same(run->table[i]->name, name))
            return run->table[i];
    return NULL;
}

/* ---- finding and counting rows ---- */

bool listed(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Whether both programs have rows of the same solver. */
static bool are_beside(const char *x, const char *y)
{
    static const char *const solvers[] = {RECURRENCE, TRIDIAGONAL, BATCH, HEAT};
    bool beside = same(x, y);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        beside = beside || (listed(solvers[i], x) && listed(solvers[i], y));
    return beside;
}

bool of_main_file(const struct measurement *row)
{
    const char *end = row->file;
    if (same(row->file, text("%s.csv", row->program)))
        return true;
    while ((end = strchr(end + 1, '_')) != NULL)
        if (are_beside(row->program, text("%.*s", (int)(end - row->file), row->file)))
            return false;
    return true;
}

static bool same_text(const char *wanted, const char *is)
{
    return wanted == NULL || same(wanted, is);
}
static bool same_number(double wanted, double is)
{
    return wanted == 0 || wanted == is || (wanted == ABSENT && isnan(is)) ||
           (wanted == PRESENT && !isnan(is));
}

static bool meets(const struct where *w, const struct measurement *row)
{
    return same_number(w->n, row->n) && same_number(w->batch, row->batch) &&
           same_number(w->blocks, row->blocks) && same_number(w->threads, row->threads) &&
           same_number(w->parts, row->parts) && same_number(w->cores, row->cores) &&
           same_number(w->nest, row->nest) && same_number(w->ranks, row->ranks) &&
           same_text(w->variant, row->variant) && same_text(w->phase, row->phase) &&
           same_text(w->type, row->type) && same_text(w->case_, row->case_) &&
           (w->program == NULL || listed(w->program, row->program)) &&
           same_text(w->file, row->file) && same_text(w->device, row->device) &&
           !(row->threads < w->least_threads) &&
           (w->most_threads == 0 || row->threads <= w->most_threads) &&
           (!w->in_main_file || of_main_file(row));
}

const struct measurement *find(const struct run *run, struct where where, size_t *from)
{
    while (*from < run->rows) {
        const struct measurement *row = &run->row[(*from)++];
        if (meets(&where, row) && row->median_ms > 0 &&
            (same(row->status, "ok") || (run->with_disturbed && same(row->status, "disturbed"))))
            return row;
    }
    return NULL;
}

struct run rows_where(const struct run *run, struct where where)
{
    struct measurement *rows = keep((run->rows + 1) * sizeof *rows);
    struct run result = *run;
    const struct measurement *row;
    result.row = rows;
    result.rows = 0;
    for (size_t from = 0; (row = find(run, where, &from)) != NULL;)
        rows[result.rows++] = *row;
    return result;
}

const struct measurement *shorter(const struct measurement *a, const struct measurement *b)
{
    return a == NULL || (b != NULL && b->median_ms < a->median_ms) ? b : a;
}

const struct measurement *fastest(const struct run *run, struct where where)
{
    const struct measurement *best = NULL, *row;
    for (size_t from = 0; (row = find(run, where, &from)) != NULL;)
        best = shorter(best, row);
    return best;
}

const struct measurement *fastest_of_largest(const struct run *run, struct where where)
{
    where.n = most(distinct(run, where, MEMBER(n)));
    return isnan(where.n) ? NULL : fastest(run, where);
}

double ms_of(const struct measurement *row)
{
    return row == NULL ? NAN : row->median_ms;
}

double time_ms(const struct run *run, struct where where)
{
    return ms_of(fastest(run, where));
}

double variant_ms(const struct run *run, struct where where, const char *variant)
{
    where.variant = variant;
    return time_ms(run, where);
}

double phase_ms(const struct run *run, struct where where, const char *phase)
{
    where.phase = phase;
    return time_ms(run, where);
}

double gb_per_s(const struct measurement *row)
{
    return row == NULL ? NAN : row->bytes / row->median_ms / 1e6;
}

struct list distinct(const struct run *run, struct where where, size_t member)
{
    struct list result = {0};
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, where, &from)) != NULL;) {
        double x = *(const double *)((const char *)row + member);
        size_t i = 0;
        while (i < result.count && result.x[i] != x)
            i++;
        if (i == result.count && !isnan(x))
            list_add(&result, x);
    }
    list_sort(&result);
    return result;
}

struct list tied(const struct run *run, struct where where, size_t member)
{
    const double longest = TIE * time_ms(run, where);
    struct list result = {0};
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, where, &from)) != NULL;)
        if (row->median_ms <= longest)
            list_add(&result, *(const double *)((const char *)row + member));
    return result;
}

bool is_wrong(const struct measurement *row)
{
    return !same(row->status, "ok") && !same(row->status, "disturbed");
}

struct verified verified(const struct run *run)
{
    struct verified result = {0};
    for (size_t i = 0; i < run->rows; i++) {
        const struct measurement *row = &run->row[i];
        if (!is_wrong(row)) {
            result.disturbed += same(row->status, "disturbed");
            result.ok += same(row->status, "ok") && row->has_error;
            continue;
        }
        if (result.wrong < sizeof result.wrong_row / sizeof *result.wrong_row)
            result.wrong_row[result.wrong] = row;
        result.wrong++;
    }
    return result;
}

double like(double number)
{
    return isnan(number) ? ABSENT : number;
}

void add_ratios(struct list *ratios, const struct run *run, struct where over, struct where under)
{
    const struct measurement *row;
    for (size_t from = 0; (row = find(run, over, &from)) != NULL;) {
        under.n = like(row->n);
        under.blocks = like(row->blocks);
        under.threads = like(row->threads);
        under.case_ = row->case_;
        list_known(ratios, row->median_ms / time_ms(run, under));
    }
}

const char *device_of(const struct run *run, struct where where)
{
    size_t from = 0;
    const struct measurement *row = find(run, where, &from);
    return row == NULL ? "" : row->device;
}
