/* Declarations that the accuracy experiment and its tests share: systems with a known solution, and
 * the criteria by which a computed solution is judged. */
#ifndef ACCURACY_CASE_H
#define ACCURACY_CASE_H

#include "bench/tridiagonal_case.h"
#include "test/matrices.h"

enum { LAPACK, PIVOTED, PIVOTED_TWO_PASS, PLAIN, METHODS };
extern const char *const accuracy_methods[METHODS];

enum { ACCURACY_N = 512, ACCURACY_N_LARGE = 1 << 20 };

struct accuracy_case {
    struct tridiagonal_case c;
    /* Arrays in main memory: the known solution, and copies of the inputs, which LAPACK overwrites. */
    void *truth, *scratch[4];
};
void accuracy_open(struct accuracy_case *a, char type, int64_t n);
/* Makes a system and its solution. Returns false if the matrix does not exist in this build or for
 * this n. */
bool accuracy_make(struct accuracy_case *a, int matrix, uint64_t seed);
/* Computes x by one of the methods. Returns its status, or -1 if this build has no LAPACK. */
long long accuracy_solve(struct accuracy_case *a, int method);

/* The results of one method on one matrix over several seeds. Residuals are in units of eps = 2u,
 * the spacing of numbers above 1, which LAPACK calls precision. */
struct summary {
    double forward;  /* median forward error */
    double residual; /* largest residual relative to the terms of its row (matrix_residual) */
    double row;      /* largest residual relative to coefficients * |x|_inf (verify_systems) */
    int breakdowns;  /* number of seeds with a status other than 0 */
};
/* Adds the residuals and the status of one more seed. */
void accuracy_add(struct summary *summary, const struct accuracy_case *a, long long status);

/* Returns the set of criteria that `ours` fails, 0 if none. If lapack is NULL, the forward error is
 * not judged. */
enum { BAD_FORWARD = 1, BAD_RESIDUAL = 2, BAD_ROW = 4, BAD_STATUS = 8 };
int accuracy_judge(const struct summary *ours, const struct summary *lapack, int64_t n);

/* If LAPACK's forward error is not below this value, the forward error is not judged, because its
 * size is then a matter of chance. */
static const double FORWARD_BELOW = 1e-6;

#endif
