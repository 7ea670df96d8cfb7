/* Peer: the step of heat.h with cuSPARSE's solvers, and our stencils; GPU builds only. */
#ifndef HEAT_CUSPARSE_H
#define HEAT_CUSPARSE_H

#include "heat.h"

struct heat_cusparse;

/* s->u is stepped; s->work is not used. Allocates what the peer needs; cudaErrorMemoryAllocation (and nothing left allocated) if
 * there is no room for it.
 * transposed: the columns are solved as rows, between two transpositions; otherwise by gtsvInterleavedBatch. n >= 3. */
cudaError_t heat_cusparse_open(const struct heat *s, bool transposed, struct heat_cusparse **peer);
cudaError_t heat_cusparse_step(struct heat_cusparse *peer, cudaStream_t stream);
void heat_cusparse_close(struct heat_cusparse *peer);

#endif
