/* The optimal number of blocks and of nested applications, from a model of the time (L22 eq. 7-8)
 * that is fitted to measured times.
 *
 * Copy: nshape_model.h nshape_model.cu nshape.h nshape.cu nshape_stages.h common/device.h
 * common/device_limits.h; for a CPU also common/cpu_device. */
#ifndef NSHAPE_MODEL_H
#define NSHAPE_MODEL_H

#include "nshape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The model of L22 eq. 7-8, in milliseconds. alpha: the time for each row of a thread in RD, RU and
 * SS. beta: the time for each joint line in the last RS. fixed: the time of the launches of an
 * application, which L22 leaves out. */
struct nshape_model {
    double alpha, beta, fixed;
};

/* Fits the model to `count` >= 3 measured times of systems of n rows: ms[k] is the time of one
 * application with nbl[k] blocks. The fit minimizes the squares of the relative errors. If `fixed`
 * comes out negative, that is noise, so it is set to 0. Returns cudaSuccess, or
 * cudaErrorInvalidValue if the times do not determine alpha > 0 and beta > 0. */
cudaError_t nshape_fit(int64_t n, int count, const int64_t *nbl, const double *ms,
                       struct nshape_model *model);

/* The time in milliseconds that the model predicts for this plan. */
double nshape_predict(const struct nshape_model *model, const struct nshape *s);

/* nshape_plan() with the n_it and the blocks that have the smallest predicted time. All
 * applications have the same ratio of rows to blocks, (n beta/alpha)^(1/(n_it+1)). This is L22 eq.
 * 8 without its assumption alpha = beta. */
struct nshape nshape_plan_by(const struct nshape_model *model, char type, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
