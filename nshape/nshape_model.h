/* The best number of blocks and of nested applications, from a model (L22 eq. 7-8) that is fitted
 * to times.
 *
 * Copy: nshape_model.h nshape_model.cu nshape.h nshape.cu nshape_stages.h common/device.h
 * common/device_limits.h; for a CPU also common/cpu_device. */
#pragma once

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An application that divides m rows into nbl blocks takes alpha m/nbl + fixed milliseconds: RD, RU
 * and SS, and the launches, which L22 leaves out. The last RS takes beta for each joint line. */
struct nshape_model {
    double alpha, beta, fixed;
};

/* Fits the model to `count` >= 3 times, ms[k] with nbl[k] blocks, by least squares of the relative
 * errors with fixed >= 0. cudaErrorInvalidValue if they do not determine alpha, beta > 0. */
cudaError_t nshape_fit(int64_t n, int count, const int64_t *nbl, const double *ms,
                       struct nshape_model *model);

/* Returns the time in milliseconds that the model predicts for a solve by plan s. */
double nshape_predict(const struct nshape_model *model, const struct nshape *s);

/* Returns the plan with the smallest predicted time. For each n_it all applications have the same
 * ratio of rows to blocks, (n beta/alpha)^(1/(n_it+1)): L22 eq. 8 without alpha = beta. */
struct nshape nshape_plan_by(const struct nshape_model *model, char type, int64_t n);

#ifdef __cplusplus
}
#endif
