/* L22 eq. 7-8: a model of the time, its fit to measured times, and the n_it and blocks that it
 * says: for those who do not choose n_it by hand.
 *
 * Copy: nshape_model.h nshape_model.cu nshape.h nshape.cu nshape_stages.h common/device.h common/device_limits.h; for a
 * CPU also common/cpu_device. */
#ifndef NSHAPE_MODEL_H
#define NSHAPE_MODEL_H

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* L22's model of the time of a solution, in milliseconds: alpha for each row that a thread has in RD, RU and SS, beta for each line
 * that the last RS takes (eq. 7-8), and, which L22 leaves out, launches: fixed for each application. */
struct nshape_model {
    double alpha, beta, fixed;
};

/* Least squares of relative errors through `count` >= 3 times of solutions of n rows with one application each of nbl[] blocks. 0, or
 * cudaErrorInvalidValue if they do not tell alpha > 0 and beta > 0 apart; fixed < 0 is noise and becomes 0. */
cudaError_t nshape_fit(int64_t n, int count, const int64_t *nbl, const double *ms,
                       struct nshape_model *model);

double nshape_predict(const struct nshape_model *model, const struct nshape *s);

/* nshape_plan() with the n_it and the blocks of least predicted time: all applications have the same ratio of rows to
 * blocks, (n beta/alpha)^(1/(n_it+1)). */
struct nshape nshape_plan_by(const struct nshape_model *model, char type, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
