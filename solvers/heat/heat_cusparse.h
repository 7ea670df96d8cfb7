/* A peer for comparison: the step of heat.h with cuSPARSE's tridiagonal solvers and the stencils of
 * heat.cu. GPU builds only. */
#ifndef HEAT_CUSPARSE_H
#define HEAT_CUSPARSE_H

#include "heat.h"

struct heat_cusparse;

/* Allocates everything that the peer needs, and fills its matrices. cudaErrorMemoryAllocation, with
 * nothing left allocated, if there is no room. n >= 3, as cuSPARSE requires. s->u is the array that
 * is stepped and must outlive the peer; s->work is not used.
 *
 * The rows of the array are always solved by gtsv2StridedBatch. The columns are solved by
 * gtsvInterleavedBatch, or, if `transposed`, as rows between two transpositions. */
cudaError_t heat_cusparse_open(const struct heat *s, bool transposed, struct heat_cusparse **peer);
cudaError_t heat_cusparse_step(struct heat_cusparse *peer, cudaStream_t stream);
void heat_cusparse_close(struct heat_cusparse *peer);

#endif
