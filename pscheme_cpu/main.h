/* Declarations that the experiment (main.c) and its tests (check.c, simd/check_lanes.c) share. */
#pragma once

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
__BEGIN_DECLS

extern const struct variant variants[];

/* Does the variant use P-scheme with a number of parts that the caller chooses? The variants on
 * lanes do not: n determines their tiles. */
bool is_parallel(enum variant_id v);
bool has_cores(enum variant_id v);

/* A problem, its solution and the arrays of its solvers. In problem B diag, off and x hold s, t and
 * w. */
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

/* x and work get exactly these numbers of elements, so that a sanitizer finds an access beyond the
 * end. x needs n elements in problem A and n + 1 in problem B. */
struct run run_alloc(char type, int64_t n, int64_t parts, int64_t x_elements,
                     int64_t work_elements);
void run_free(struct run *r);
void *elements_alloc(int64_t count, char type);

/* A phase calls the functions of the variant and stores what they return in run->status. */
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

/* The smallest number of elements that the phase can read and write for each row; 0: the variant
 * does not have the phase. */
extern const int moved[VARIANTS][PHASES];

struct verdict verify(const struct run *r, double units);

extern uint64_t seed; /* seed of the random inputs, from --seed */

/* Counts the operations for one p (W12 II.B), in operations.cu. operations_run() writes
 * PREFIX_operations.csv: for each variant those of one row. Returns an exit status. */
int operations_run(const char *csv_prefix);
void operations_check(void);

/* ---- tests ---- */

int check(const struct options *options);

/* The tests of the variants on lanes, in simd/check_lanes.c. */
void check_lanes(char type);

void put_row(struct run *r, int64_t row, double diag, double off);

/* Solves r. The status must be 0 and the error at most `units` units of roundoff. `what` describes
 * the input in messages. */
void expect_solved(struct run *r, double units, const char *what);

void expect_status(struct run *r, int64_t status, const char *what);

/* Solves r again, on `cores` cores: the status and every bit of x must be the same. */
void expect_same(const struct run *r, int cores, const char *what);

__END_DECLS
