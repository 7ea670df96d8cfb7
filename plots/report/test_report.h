/* What the tests of the report share. */
#pragma once

#include "expect.h"
#include "report.h"

#include <math.h>
#include <string.h>

/* The columns of results.h that are often enough for a claim or a table. */
#define COLUMNS                                                                                    \
    "program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,"        \
    "median_ms,bytes,status\n"
/* A run of one file with these rows below COLUMNS. */
struct run run_of(const char *file, const char *rows);
/* The claims and criteria of plots/paper, judged by a run. Returns the claim with this id. It lives
 * until release_all(). */
const struct claim *judged_by(const char *id, const struct run *run);
/* The same by rows below COLUMNS in PROGRAM.csv, with the program of the first row. */
const struct claim *judged(const char *id, const char *rows);
/* The same with another file. */
const struct claim *judged_with(const char *id, const char *rows, const char *name,
                                const char *csv);
/* The clause of a claim with this letter. */
const struct clause *clause_named(const struct claim *claim, char letter);
/* The clauses of a claim, such as "a-c?": b does not hold, and d was skipped. "" if the claim was
 * not measured, and "disturbed" if disturbed times are the reason. */
const char *outcome(const struct claim *claim);
#define EXPECT_OUTCOME(claim, expected)                                                            \
    do {                                                                                           \
        const char *is_ = outcome(claim);                                                          \
        EXPECT(strcmp(is_, expected) == 0, "it is '%s'", is_);                                     \
    } while (0)
/* A table of numbers, each with the outcome of a claim that is judged by rows made from them. */
struct made {
    double x[4];
    const char *outcome;
};
typedef const char *make_rows(const double x[4]);
void expect_made(const char *id, make_rows *make, size_t count, const struct made made[]);
#define EXPECT_MADE(id, make, made) expect_made(id, make, sizeof made / sizeof *made, made)
/* Number i of a clause: its value, and words in its label. */
#define EXPECT_NUMBER(claim, letter, i, expected, tolerance)                                       \
    do {                                                                                           \
        double is_ = clause_named(claim, letter)->judged[i].value;                                 \
        EXPECT(about(is_, expected, tolerance), "it is %.17g", is_);                               \
    } while (0)
#define EXPECT_LABEL(claim, letter, i, words)                                                      \
    do {                                                                                           \
        const char *is_ = clause_named(claim, letter)->judged[i].label;                            \
        EXPECT(has(is_, words), "it is '%s'", is_);                                                \
    } while (0)
#define EXPECT_DEVICE(claim, name)                                                                 \
    EXPECT(strcmp((claim)->device, name) == 0, "it is '%s'", (claim)->device)
/* Whether one of the numbers that the claim shows has these words in its text. */
bool shows(const struct claim *claim, const char *words);
#define EXPECT_SHOWS(claim, words) EXPECT(shows(claim, words), "of %zu", (claim)->shown_count)
bool has(const char *page, const char *words);
/* A new directory, which the test must delete. */
const char *temporary_directory(void);
void write_file(const char *path, const char *content);
/* Tests that each line of this text is in the page. */
void expect_lines(const char *page, const char *lines, const char *what);
/* The committed run on a GPU. */
#define REFERENCE "plots/reference/nvidia-h100-80gb-hbm3"
/* x, or `instead` if it is 0 */
double or_else(double x, double instead);
/* true if |x - y| <= tolerance |y|, false for NaN */
bool about(double x, double y, double tolerance);

void test_claims_w12(void);
void test_claims_w13(void);
void test_claims_pl19(void);
void test_claims_l22(void);
void test_claims_l22_mpi(void);
void test_fits(void);
void test_summary(void);
void test_pages(void);
void test_explore(void);
