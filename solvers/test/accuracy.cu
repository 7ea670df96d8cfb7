/* Tests of the accuracy experiment (accuracy.h): the solutions of tridiagonal.h meet the criteria
 * for each matrix, and the criteria reject an x with one wrong element. tridiagonal --check runs
 * them. */
#include "bench/accuracy.h"
#include "bench/accuracy_case.h"
#include "expect.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

static void check_matrix(struct accuracy_case *a, int matrix, uint64_t seed, int method)
{
    struct summary one = {};
    if (!accuracy_make(a, matrix, seed))
        return; /* matrices 8 to 11 need LAPACK, which this build does not have */
    accuracy_add(&one, a, accuracy_solve(a, method));
    EXPECT(accuracy_judge(&one, NULL, a->c.s.n) == 0,
           "%s, type %c, n = %lld, matrix %d (%s): %g eps, %g eps of |x|_inf, %d breakdowns",
           accuracy_methods[method], a->c.s.type, (long long)a->c.s.n, matrix, matrix_text(matrix),
           one.residual, one.row, one.breakdowns);
}

/* Does the judge report an error if element `at` of x is replaced by `value`? */
static bool seen(struct accuracy_case *a, int64_t at, double value)
{
    struct summary one = {};
    double *element = (double *)case_host(&a->c, X, at), right = *element;
    *element = value;
    accuracy_add(&one, a, 0);
    *element = right;
    return accuracy_judge(&one, NULL, a->c.s.n) == (BAD_RESIDUAL | BAD_ROW);
}

static void check_judge(uint64_t seed)
{
    enum { N = ACCURACY_N, N_LARGE = ACCURACY_N_LARGE };
    struct summary good = {9.9e-16, 1, 1, 0}, lapack = {1e-16, 1, 1, 0}, ours = good;
    EXPECT(accuracy_judge(&good, &lapack, N) == 0, "9.9 times LAPACK's forward error");
    ours.forward = 1.01e-15;
    EXPECT(accuracy_judge(&ours, &lapack, N) == BAD_FORWARD &&
               accuracy_judge(&ours, NULL, N) == 0 && accuracy_judge(&ours, &lapack, N_LARGE) == 0,
           "10.1 times");
    ours.forward = (double)NAN;
    EXPECT(accuracy_judge(&ours, &lapack, N) == BAD_FORWARD, "NaN");
    ours.forward = (double)INFINITY;
    EXPECT(accuracy_judge(&ours, &lapack, N) == BAD_FORWARD, "infinity");
    lapack.forward = FORWARD_BELOW;
    EXPECT(accuracy_judge(&ours, &lapack, N) == 0, "LAPACK's own is chance");
    lapack.forward = (double)NAN;
    EXPECT(accuracy_judge(&good, &lapack, N) == BAD_FORWARD, "NaN of LAPACK");
    for (double eps : {30.1, (double)NAN, (double)INFINITY}) {
        ours = good;
        ours.residual = eps;
        EXPECT(accuracy_judge(&ours, NULL, N) == BAD_RESIDUAL &&
                   accuracy_judge(&ours, NULL, N_LARGE) == 0,
               "%g eps", eps);
        ours = good;
        ours.row = eps;
        EXPECT(accuracy_judge(&ours, NULL, N) == BAD_ROW &&
                   accuracy_judge(&ours, NULL, N_LARGE) == BAD_ROW,
               "%g eps of |x|_inf", eps);
    }
    ours = good;
    ours.breakdowns = 1;
    EXPECT(accuracy_judge(&ours, NULL, N) == BAD_STATUS, "a breakdown");

    struct accuracy_case a;
    accuracy_open(&a, 'd', N);
    accuracy_make(&a, 1, seed);
    long long status = accuracy_solve(&a, PIVOTED);
    accuracy_add(&good, &a, status);
    EXPECT(status == 0 && accuracy_judge(&good, NULL, N) == 0, "what the judge is tried with");
    for (int64_t i = 0; i < N; i += i == 0 || i == N - 2 ? 1 : 30) {
        double right = *(double *)case_host(&a.c, X, i);
        for (double wrong : {right + 1e-10, (double)NAN, (double)INFINITY})
            EXPECT(seen(&a, i, wrong), "%g instead of %g, element %lld, is not seen", wrong, right,
                   (long long)i);
    }
    memset(case_host(&a.c, X), 0, N * sizeof(double));
    double error = matrix_forward_error('d', N, case_host(&a.c, X), a.truth);
    EXPECT(error == 1, "x = 0 is as wrong as x is large: %g", error);
    case_close(&a.c);
}

int accuracy_check(const struct options *o)
{
    int failed = expect_failed;
    for (const char *type = "dz"; *type; type++)
        /* 512 rows divide evenly into 16-byte chunks and into groups of chunks. In the other sizes,
         * single rows or chunks remain at the end. */
        for (int64_t n : {0, -1, 1, 2}) {
            struct accuracy_case a;
            n += ACCURACY_N;
            accuracy_open(&a, *type, n);
            for (int matrix = 1; matrix <= MATRICES; matrix++)
                for (int method = PIVOTED; method < PLAIN; method++)
                    if (n == ACCURACY_N)
                        check_matrix(&a, matrix, o->seed + (method == PIVOTED), method);
                    else if ((matrix < 8 ||
                              matrix > 11) /* making them takes time proportional to n^2 */
                             && !(matrix == 15 && n % 2) /* matrix 15 is singular for odd n */
                             && (method - PIVOTED) % 2 == (matrix + n / 2) % 2)
                        check_matrix(&a, matrix, o->seed, method);
            case_close(&a.c);
        }
    check_judge(o->seed);
    return expect_failed - failed;
}
