/* Makes the step of heat.h with cuSPARSE's tridiagonal solvers and the stencils of heat.cu, to
 * compare the times. Only GPU builds contain these functions. */
#ifndef HEAT_CUSPARSE_H
#define HEAT_CUSPARSE_H

#include "heat.h"

struct heat_cusparse;

/* Allocates all memory that the peer needs, and fills its matrices. If there is not enough memory
 * it frees what it allocated and returns cudaErrorMemoryAllocation. s->n must be at least 3, as
 * cuSPARSE requires. The steps work on s->u, which must remain allocated until
 * heat_cusparse_close(). s->work is not used.
 *
 * gtsv2StridedBatch always solves the systems along the rows of the array. If `transposed` is
 * false, gtsvInterleavedBatch solves the systems along the columns. If it is true, the array is
 * transposed, gtsv2StridedBatch solves along its rows, and the array is transposed back. */
cudaError_t heat_cusparse_open(const struct heat *s, bool transposed, struct heat_cusparse **peer);
cudaError_t heat_cusparse_step(struct heat_cusparse *peer, cudaStream_t stream);
void heat_cusparse_close(struct heat_cusparse *peer);

#endif
