/* What the accuracy experiment and its tests share: systems with a known solution, and the criteria
 * by which a computed solution is judged. */
#pragma once

#include "bench/tridiagonal_case.h"
#include "test/matrices.h"

enum { LAPACK, PIVOTED, PIVOTED_TWO_PASS, AUTOMATIC, AUTOMATIC_TWO_PASS, PLAIN, METHODS };
extern const char *const accuracy_methods[METHODS];

enum { ACCURACY_N = 512, ACCURACY_N_LARGE = 1 << 20 };

struct accuracy_case {
    struct tridiagonal_case c;
    /* In main memory: the known solution, which depends on its seed alone, and copies of the
     * inputs, which LAPACK overwrites. */
    void *truth, *scratch[4];
    bool has_truth;
    uint64_t seed_of_truth;
};
void accuracy_open(struct accuracy_case *a, char type, int64_t n);
/* Fills the case with matrix number `matrix` of matrices.h, a solution and the right-hand side.
 * Returns false if the matrix does not exist in this build or for this n. */
bool accuracy_make(struct accuracy_case *a, int matrix, uint64_t seed);
/* Computes x by one of the methods. Returns its status, or -1 if this build has no LAPACK. */
long long accuracy_solve(struct accuracy_case *a, int method);

/* The results of one method on one matrix over several seeds. Residuals are in eps = 2 u, where
 * u is the unit roundoff. */
struct summary {
    double forward;  /* median forward error */
    double residual; /* largest |residual| / sum of the row's terms (matrix_residual) */
    double row;      /* largest |residual| / (coefficients * |x|_inf) (verify_systems) */
    int breakdowns;  /* number of seeds with a status other than 0 */
};
/* Adds to `summary` the residuals of one more seed, whose solution is in `a`, and its status. */
void accuracy_add(struct summary *summary, const struct accuracy_case *a, long long status);

/* Returns the sum of the constants BAD_… whose criteria `ours` fails. The forward error is compared
 * with that of `lapack` (NULL: not judged). */
enum { BAD_FORWARD = 1, BAD_RESIDUAL = 2, BAD_ROW = 4, BAD_STATUS = 8 };
int accuracy_judge(const struct summary *ours, const struct summary *lapack, int64_t n);

/* The forward error is judged only if LAPACK's is below this value. Larger errors vary by orders of
 * magnitude from seed to seed. */
static const double FORWARD_BELOW = 1e-6;
