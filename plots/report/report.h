/* The report of a run: reads the CSV files of a results directory, judges the papers' claims by
 * them, and writes report.html, report.md, explore.html, claims.csv and the fits of the cost
 * models. Each file has its section below; claims_*.c hold a function for each claim. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- text.c ---- */

/* All memory of the report lives until release_all(), which main() and the tests call at their end.
 * If memory runs out, keep() prints a line and ends the program with status 3. */
void *keep(size_t bytes);
/* The array of `count` elements, or a larger copy of it if it has no room for one more. */
void *with_room(void *array, size_t count, size_t size);
void release_all(void);
/* printf to a new string. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *text_of(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
/* `before`, then `separator` unless `before` is empty, then the formatted text. */
const char *joined(const char *before, const char *separator, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool same(const char *x, const char *y);
/* The text as a field of a CSV file: in quotation marks if it needs them. */
const char *csv_field(const char *plain);
/* The whole file as a string, or NULL if it cannot be read or is no text: it holds a zero byte. */
char *read_file(const char *path);
/* Opens a file to be written at PATH.new. Returns NULL after a line on stderr if that fails. */
FILE *file_begin(const char *path);
/* Closes it and gives it its name. Returns false after a line on stderr if it cannot be written. */
bool file_end(FILE *file, const char *path);

struct list { /* of numbers; all zero is the empty list */
    double *x;
    size_t count;
};
void list_add(struct list *list, double x);
void list_known(struct list *list, double x); /* the same unless x is NaN */
void list_sort(struct list *list);

/* ---- run.c ---- */

/* A CSV file: its column names, and its cells row by row. Lines "# KEY: VALUE" before the column
 * names are in `header`, which ends with a NULL. */
struct table {
    const char *name; /* of the file, without its directory */
    const char **header;
    const char **column;
    size_t columns, rows;
    const char **cell; /* cell[row * columns + column]; "" if empty */
};
/* Returns NULL if it cannot be read, or after a line on stderr if a row has odd cells. */
const struct table *table_read(const char *path);
/* "" if the table has no such column. number_at: NaN if it is no finite number. */
const char *text_at(const struct table *table, size_t row, const char *column);
double number_at(const struct table *table, size_t row, const char *column);
bool has_column(const struct table *table, const char *column);
/* The sum of a column over the rows that match all pairs of a column and a text: sum_of(table,
 * "branches", "variant", "soa", "case", "L", NULL). 0 if the table is NULL or has no such row. */
double sum_of(const struct table *table, const char *column, ...) __attribute__((sentinel));

/* A row of a program's results (common/results.h). An absent number is NaN, a text "". */
struct measurement {
    const char *file, *program, *variant, *type, *case_, *phase, *device, *timer, *status;
    double n, batch, blocks, threads, parts, cores, nest, ranks;
    double median_ms, q1_ms, q3_ms, bytes;
    bool has_error; /* the column "error" is not empty: the row is of a result that was verified */
};

struct run {
    const char *directory; /* "" if it was made in memory */
    const struct table **table;
    size_t tables;
    const struct measurement *row; /* the rows of all tables that have the columns of results.h */
    size_t rows;
    bool with_disturbed; /* find() and fastest() also take rows with status "disturbed" */
};
/* Reads all *.csv of a directory in the order of their names. Returns false after a line on stderr
 * if one of them cannot be read or is no CSV, or if a row has too few or too many cells. A
 * directory without CSV files is an empty run. */
bool run_read(struct run *run, const char *directory);
/* Adds one CSV file from a string, as if it had this name. */
bool run_add(struct run *run, const char *name, const char *csv);
/* The table of this file, or NULL. */
const struct table *run_table(const struct run *run, const char *name);

/* The programs that have rows of a solver: its own, and the paper's in older runs. */
#define RECURRENCE  "recurrence pscheme_g"
#define TRIDIAGONAL "tridiagonal nshape"
#define BATCH       "tridiagonal_batch thomas_batch"
#define HEAT        "heat thomas_batch"
/* Whether the word is in a list of words that blanks separate. */
bool listed(const char *words, const char *word);
/* Whether the row is in PROGRAM.csv. A file PROGRAM_NAME.csv is of another experiment. */
bool of_main_file(const struct measurement *row);

/* Which rows to take: all members that are set must be equal, `program` must list that of the row.
 * NULL and 0 mean any. A number may also be ABSENT (the cell is empty) or PRESENT (it is not). */
enum { ABSENT = -1, PRESENT = -2 };
struct where {
    const char *file, *program, *variant, *type, *case_, *phase, *device;
    double n, batch, blocks, threads, parts, cores, nest, ranks;
    double least_threads, most_threads; /* bounds of `threads`, 0: none */
    bool in_main_file;                  /* only rows of PROGRAM.csv, see of_main_file() */
};
#define WHERE(...) ((struct where){__VA_ARGS__})
double like(double number); /* the number, or ABSENT if it is NaN */
/* The next verified row at or after *from that has a time and meets `where`, or NULL. */
const struct measurement *find(const struct run *run, struct where where, size_t *from);
/* A run of only these rows. */
struct run rows_where(const struct run *run, struct where where);
/* Times that differ by less are a near tie. From run to run times move by that much: over the runs
 * of plots/reference the interquartile range of a kernel's time is at most 2% of its median in 95
 * of 100 rows (stability.csv). */
#define TIE 1.02
/* The values of a member of all rows that are at most TIE times slower than the fastest one. */
struct list tied(const struct run *run, struct where where, size_t member);
/* The row with the shorter median time, the first if they are equal; each may be NULL. */
const struct measurement *shorter(const struct measurement *a, const struct measurement *b);
/* Of all these rows the one with the shortest median time, or NULL. */
const struct measurement *fastest(const struct run *run, struct where where);
/* The same among the rows with the largest n: a copy of small arrays stays in the cache. */
const struct measurement *fastest_of_largest(const struct run *run, struct where where);
/* The shortest median time in ms, NaN if there is none. */
double time_ms(const struct run *run, struct where where);
/* The same of a variant or a phase that `where` doesn't name. */
double variant_ms(const struct run *run, struct where where, const char *variant);
double phase_ms(const struct run *run, struct where where, const char *phase);
/* The time of a row, and its bytes over its time, NaN if it is NULL or has no bytes. */
double ms_of(const struct measurement *row);
double gb_per_s(const struct measurement *row);
/* The different values of a member in ascending order: distinct(run, where, MEMBER(threads)). */
#define MEMBER(name) offsetof(struct measurement, name)
struct list distinct(const struct run *run, struct where where, size_t member);
/* For each row that meets `over` and has a partner: its time over that of the partner, appended to
 * `ratios`. The partner meets `under` and has the same n, blocks, threads and case; it is the
 * fastest of them if there are several. */
void add_ratios(struct list *ratios, const struct run *run, struct where over, struct where under);
/* Whether a row failed verification: its status is neither "ok" nor "disturbed". */
bool is_wrong(const struct measurement *row);
/* How many rows have each status. Rows without an error had nothing to verify. */
struct verified {
    size_t ok, wrong, disturbed;
    const struct measurement *wrong_row[3]; /* the first of them */
};
struct verified verified(const struct run *run);
/* The device of the first row that was timed and meets `where`, or "". */
const char *device_of(const struct run *run, struct where where);

/* ---- statistics.c: all take an empty list or too few points as unknown and return NaN ---- */

double least(struct list list);
double most(struct list list);
double median(struct list list); /* the mean of the middle two if the count is even */
double quantile(struct list sorted, double share); /* interpolated */
/* The number of the list that is nearest to x in logarithms. */
double nearest(struct list list, double x);
double geometric_mean(struct list list);
/* Slope of the least-squares line through (log x, log y). */
double log_slope(struct list x, struct list y);
/* "median (least to most)" with this number of decimals. */
const char *range_text(struct list list, int decimals);
/* Each x that is known beside its `at`, such as "%.2f (n = %.0f)", NO_NUMBERS if there are none. */
const char *pairs_text(const char *format, struct list x, struct list at);
/* Fits y = c[0] u0 + c[1] u1 + … by least squares of the relative residuals. u[j][i]: factor of
 * c[j] at point i. At most 3 coefficients. Returns false if there are fewer than count + 1 points
 * or the columns are nearly dependent. *misfit: root mean square of the relative residuals. */
bool fit_relative(size_t count, const struct list u[], struct list y, double c[], double *misfit);

/* ---- claims.c ---- */

enum verdict { NOT_MEASURED, NOT_REPRODUCED, NOT_DECIDED, IN_PART, REPRODUCED };
/* "reproduced", "in part", "not decided", "not reproduced", "not measured here" */
const char *verdict_name(enum verdict verdict);

struct judged {        /* a measured number beside its bounds */
    const char *label; /* what was measured where: "N = 256K" */
    double value;
    bool holds; /* low <= value <= high of its clause; false for NaN */
    bool just;  /* it holds, but lies within 5% of a bound */
};
/* A clause of a claim: a line of criteria.csv, and what a run says of it. */
struct clause {
    const char *letter;    /* "a", "b", … */
    bool extension;        /* a test of this repository, not of the paper: outside the verdict */
    const char *criterion; /* what is measured, in words, and which bounds it must keep */
    const char *cause; /* why it does not hold on the device of the reference run, "" if it does */
    double low, high;  /* -INFINITY and INFINITY where the file leaves them empty; >1 excludes 1 */
    const char *low_text, *high_text; /* the same as the file has them: "1.5", ">1" or "" */
    struct judged *judged;
    size_t count;
    const char *skipped; /* why it could not be judged, or NULL */
    const char *device;  /* of its numbers, if it is not that of the claim, or NULL */
    /* "holds in 3 of 5 runs" if stability.csv of the run says that its outcome changes, or NULL */
    const char *undecided;
};
struct claim { /* a line of plots/paper/claims.csv, and what a run says of it */
    const char *id, *paper, *section;
    const char *brief;       /* the claim in a few words */
    const char *quote;       /* the paper's sentences, with … between them */
    const char *translation; /* of a quote that is not English, else "" */
    const char *figures;     /* names of figures that show it, separated by blanks */
    const char *explanation; /* why it holds, where it does */
    const char *needs;       /* the data that must be there, for people whose run has none */
    struct clause clause[12];
    size_t clauses;
    const char **shown; /* more numbers, which are not judged */
    size_t shown_count;
    const char *device; /* that the numbers come from, "" if nothing was measured */
    enum verdict verdict;
    bool disturbed; /* only times that other load disturbed are there, so it is not measured */
};
enum {
#define CLAIM(id, function) CLAIM_##function,
#include "claims.inc"
#undef CLAIM
    CLAIMS /* their number */
};
/* Reads both files. Returns the number of claims, 0 after a line on stderr. */
size_t claims_read(struct claim claim[CLAIMS], const char *directory);
enum outcome { NOT_JUDGED, FAILS, UNDECIDED, HOLDS };
enum outcome clause_outcome(const struct clause *clause);
const char *outcome_name(enum outcome outcome);
/* The outcomes of the clauses a, b, …: "✓✗?–" (holds, fails, not decided, not judged), extensions
 * in brackets; "" if the claim was not measured. */
const char *claim_signs(const struct claim *claim);
/* Counts the clauses with each outcome, without extensions. */
struct tally {
    size_t of[HOLDS + 1];
};
struct tally claims_tally(const struct claim claim[], size_t count);
/* "41 clauses hold, 36 fail, 4 are not decided" */
const char *tally_text(struct tally tally);
/* "holds", "just holds" or "fails" */
const char *judged_name(const struct judged *judged);
/* Judges all claims by a run. A claim was not measured if its function returns before it sets
 * claim->device, or without a number for a clause that it doesn't skip. Otherwise it is reproduced
 * if all its clauses hold, reproduced in part if some do, not decided if none does but some are not
 * decided, and else not reproduced. Extensions have
 * no part in this. */
void claims_judge(struct claim claim[], size_t count, const struct run *run);

/* For the functions that judge. judge(): the number of a clause, with a label that says what it is.
 * skip(): this clause cannot be judged by this run, and the claim is judged without it. show(): a
 * number for the reader that is not judged; a line with a NaN is left out. */
void judge(struct claim *claim, char clause, double value, const char *label, ...)
    __attribute__((format(printf, 4, 5)));
void skip(struct claim *claim, char clause, const char *why);
/* Whether a number keeps the bounds of a clause. */
bool keeps(struct claim *claim, char clause, double value);
/* Says that the numbers of a clause come from another device than those of the claim. */
void judged_on(struct claim *claim, char clause, const char *device);
void show(struct claim *claim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds to a list in such a line, which begins as NO_NUMBERS, unless a number is NaN. A line with a
 * list without numbers isn't shown either. */
#define NO_NUMBERS "nan"
void add_known(const char **list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each judges one claim and sets claim->device at its end, or returns early without the data. */
typedef void judge_function(const struct run *run, struct claim *claim);
#define CLAIM(id, function) judge_function function;
#include "claims.inc"
#undef CLAIM

/* ---- fits.c ---- */

/* The phases fitted for one variant, type, n and case of s_i: precompute = alpha N/P, propagate =
 * beta P, determine = gamma N/P (W12 eq. 14-16, W13 eq. 3-5), once through the origin as in the
 * papers, once with a constant in each phase. */
struct phase_fit {
    const char *program, *variant, *type, *case_;
    double n;
    /* alpha, beta, gamma, their misfits, and sqrt((alpha+gamma)N/beta), NaN if there is none */
    double ns[3], misfit[3], popt;
    double ns1[3], fixed_us[3], misfit1[3], popt1; /* the same with constants */
    struct list blocks, best_threads, best_ms;     /* for each G the fastest T and its total time */
    size_t best;                                   /* the index of the fastest of these */
    struct list x[3], y[3]; /* what was fitted: P for propagation, N/P for the others; ms */
};
struct phase_fits {
    struct phase_fit *fit;
    size_t count;
};
struct phase_fits fit_phases(const struct run *run);
/* The fit of these, or NULL. case_ may be "". */
struct phase_fit *phase_fit(struct phase_fits fits, const char *variant, const char *type,
                            const char *case_, double n);

/* L22's model (eq. 7-8) for n_it = nest, with alpha, beta and the constant of t = alpha n/P1 + beta
 * P1 + constant, which are fitted to the times of n_it = 1. P1 is the number of blocks of the first
 * application. A number is NaN if it is unknown. */
struct nest_fit {
    const char *variant, *type;
    double n, nest;
    double best_parts, best_ms; /* the fastest P1 */
    /* vertex of a parabola through it and its neighbours; NaN at an end */
    double optimum;
    double alpha_ns, beta_ns, misfit; /* without the constant, for n_it = 1 alone */
    double alpha1_ns, beta1_ns, fixed_us;
    double misfit1;   /* with the constant; of n_it > 1: of times that the model predicts */
    double popt;      /* the best P1 of eq. 8 */
    double popt_plan; /* the best P1 with the blocks that nshape chooses */
    double model_ms;  /* the time of the model at best_parts */
};
struct nest_fits {
    struct nest_fit *fit;
    size_t count;
};
struct nest_fits fit_nests(const struct run *run);
/* nest 0: of any n_it */
const struct nest_fit *nest_fit(struct nest_fits fits, const char *variant, const char *type,
                                double n, double nest);

/* Writes the fits as CSV: fit.csv and fit_l22.csv, which figures read. For a run without such times
 * nothing is written, and an old file is deleted. Returns false after a line on stderr if a file
 * cannot be written. */
bool write_fits(const struct run *run, const char *directory);

/* ---- grids.c ---- */

struct grid {                 /* a table of the report */
    const char *title, *note; /* note: a sentence or two before it */
    size_t columns;
    const char **cell; /* the first row is the head */
    size_t cells;
};

struct grids {
    struct grid **grid;
    size_t count;
};
/* A grid with these column names. */
#define COUNT(...) (sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *))
#define GRID(title, note, ...)                                                                     \
    grid_of(title, note, COUNT(__VA_ARGS__), (const char *[]){__VA_ARGS__})
struct grid *grid_of(const char *title, const char *note, size_t columns, const char *const head[]);
void add_cell(struct grid *grid, const char *cell);
void add_list(struct grid *grid, size_t count, const char *const cell[]);
#define add_cells(grid, ...) add_list(grid, COUNT(__VA_ARGS__), (const char *[]){__VA_ARGS__})
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

/* A file of published numbers in plots/paper, or NULL. */
const struct table *published(const char *name);
/* The number in `column` where `variant` and `key` are these, NaN if there is none. */
double published_number(const struct table *table, const char *variant, const char *key, double is,
                        const char *column);

/* ---- tables.c, tables_pl19.c, tables_best.c ---- */

/* The tables of the report. A run without such times has none. paper: "W12" or "W13". */
struct grids table_cost_model(const struct run *run, const char *paper);
struct grids table_w13_table1(const struct run *run);
struct grids table_w13_baselines(const struct run *run);
struct grids table_pl19(const struct run *run);
struct grids table_pl19_peers(const struct run *run);
struct grids table_l22_fits(const struct run *run);
/* The best time of each variant: a table or more for each program and number type. */
struct grids table_best(const struct run *run);

/* ---- highlights.c ---- */

/* A sentence with the most telling times of a run, such as a solver beside its peer. */
struct highlight {
    const char *sentence, *device;
};
enum { HIGHLIGHTS = 8 }; /* the most that there are */
/* The most telling first. Returns their number. */
size_t highlights(const struct run *run, struct highlight highlight[HIGHLIGHTS]);

/* ---- report.c, page.c, index.c, explore.c ---- */

struct report {
    const struct run *run, *reference; /* reference: NULL if there is none */
    struct claim claim[CLAIMS];        /* judged by the run */
    struct claim other[CLAIMS];        /* judged by the reference */
    size_t claims;
    const char *device;           /* the GPU of the run, or its CPU if it has no times of a GPU */
    bool has_gpu;                 /* the run has times of a GPU */
    const char *reference_device; /* the GPU of the reference, "" if there is none */
    const char *reference_cpu;
    const char *revisions; /* the revision of the run's files, "" if they name none */
    double seconds;        /* that the programs of the run took (run.txt), NaN if unknown */
};
/* Judges the claims and fills in the rest. Returns false after a line on stderr. */
bool report_read(struct report *report, const struct run *run, const struct run *reference);
/* "this machine", or "reference machine" for a run in plots/reference */
const char *machine_of(const struct run *run);
/* "1 min 58 s" */
const char *duration(double seconds);
/* "2026-11-24 02:24 to 2026-11-24 02:33", by the lines "# date: ..." of its files, or "". */
const char *dates_of(const struct run *run);
/* Write the pages into the run's directory. Return false after a line on stderr if that fails. */
bool write_page(const struct report *report);
/* The text with the characters that HTML gives a meaning replaced. */
const char *html(const char *plain);
bool write_index(const struct report *report);
/* claims.csv: a line for each claim and for each number that was judged. */
bool write_claims(const struct report *report);
/* Judges several runs of one device and prints the outcome of each clause in each run as CSV
 * (stability.csv), with the spread of the times from run to run, from which TIE comes. */
bool write_stability(FILE *file, size_t count, char *const directory[]);
/* At most ten lines that say how the run went and where its report is. */
void write_summary(const struct report *report, FILE *file);
bool write_explore(const struct run *run, const struct run *reference, const char *path);
