/* What the experiment (main.c) and its tests (check.c, simd/check_lanes.c) share. */
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

/* By P-scheme in any number of parts. (With lanes the parts follow from n.) */
bool is_parallel(enum variant_id v);
bool has_cores(enum variant_id v);

/* One problem, its solution and the way to it. Problem B keeps s, t, w in diag, off, x. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, parts;
    int cores;
    double w0;
    void *diag, *off, *rhs, *p, *q, *x, *work;
    int64_t status; /* of the last call */
};

/* x and work get exactly the elements that a function asks for, so that a sanitizer finds an access
 * past the end. x has n elements in problem A, n + 1 in problem B. */
struct run run_alloc(char type, int64_t n, int64_t parts, int64_t x_elements,
                     int64_t work_elements);
void run_free(struct run *r);
void *elements_alloc(int64_t count, char type);

/* The phases that are timed. Each calls the functions of the variant and sets the status. */
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

/* Elements that a phase must move for each row; 0 if the variant has no such phase. */
extern const int moved[VARIANTS][PHASES];

struct verdict verify(const struct run *r, double units);

extern uint64_t seed; /* of the inputs: --seed */

/* ---- tests ---- */

int check(const struct options *options);

/* simd/check_lanes.c */
void check_lanes(char type);

void put_row(struct run *r, int64_t row, double diag, double off);

/* Solves; status must be 0 and the error within `units`. `what` is for the message. */
void expect_solved(struct run *r, double units, const char *what);

/* Solves; the status must be this. */
void expect_status(struct run *r, int64_t status, const char *what);

/* Solves again on `cores` cores: status and bits of x must be those of r, which has been solved. */
void expect_same(const struct run *r, int cores, const char *what);

#endif
