/* Declarations that the experiment (main.c) and its tests (check.c, simd/check_lanes.c) share. */
#ifndef PSCHEME_CPU_MAIN_H
#define PSCHEME_CPU_MAIN_H

#include "options.h"
#include "problem.h"

enum variant_id {
    SUBSTITUTION,
    EQ13,
    REPEAT,
    MAP,
    LANES,
    LAPACK_GTSV,
    RECURRENCE,
    RECURRENCE_PSCHEME,
    RECURRENCE_LANES,
    VARIANTS
};
extern const struct variant variants[];

/* True if the variant uses P-scheme with a number of parts that the caller chooses. False for the
 * variants on lanes, because n determines their tiles. */
bool is_parallel(enum variant_id v);
bool has_cores(enum variant_id v);

/* A problem, its solution and the arrays that its solvers need. In problem B the arrays diag, off
 * and x hold s, t and w. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, parts;
    int cores;
    double w0;
    void *diag, *off, *rhs, *p, *q, *x, *work;
    struct recurrence_value *values; /* what w is compared with; NULL: computed for each verdict */
    int64_t status;                  /* return value of the last solver call */
};

/* Allocates a run for n rows. x and work get exactly the given numbers of elements, so that a
 * sanitizer finds an access beyond the end. x needs n elements in problem A and n + 1 in problem
 * B. */
struct run run_alloc(char type, int64_t n, int64_t parts, int64_t x_elements,
                     int64_t work_elements);
void run_free(struct run *r);
void *elements_alloc(int64_t count, char type);

/* The phases that are timed. A phase calls the functions of the run's variant and stores their
 * return value in run->status. */
enum { PHASES = 4 };
struct phase {
    const char *name;
    void (*work)(void *run);
};
extern const struct phase phases[PHASES];
void run_p(void *run);
void run_q(void *run);
void run_x(void *run);
void run_total(void *run);

/* moved[variant][phase] is the smallest number of elements that the phase can read and write for
 * each row. It is 0 if the variant does not have that phase. */
extern const int moved[VARIANTS][PHASES];

struct verdict verify(const struct run *r, double units);

extern uint64_t seed; /* seed of the random inputs, from --seed */

/* ---- tests ---- */

int check(const struct options *options);

/* The tests of the variants on lanes, in simd/check_lanes.c. */
void check_lanes(char type);

/* Sets diag and off of a row of r. */
void put_row(struct run *r, int64_t row, double diag, double off);

/* Solves r. The test passes if the status is 0 and the error is at most `units` units of roundoff.
 * `what` describes the input in the message of a failed test. */
void expect_solved(struct run *r, double units, const char *what);

/* Solves r. The test passes if the solver returns `status`. */
void expect_status(struct run *r, int64_t status, const char *what);

/* Solves the problem of r again, on `cores` cores. r has been solved before. The test passes if the
 * status and every bit of x are the same. */
void expect_same(const struct run *r, int cores, const char *what);

#endif
