/* cuSPARSE's batched tridiagonal solvers on the same systems. GPU builds only. */
#ifndef THOMAS_BATCH_PEERS_H
#define THOMAS_BATCH_PEERS_H

#include "thomas_batch.h"

enum peer {
    PEER_STRIDED,            /* gtsv2StridedBatch: contiguous layout */
    PEER_INTERLEAVED_THOMAS, /* gtsvInterleavedBatch, interleaved layout, algorithms 0, 1, 2 */
    PEER_INTERLEAVED_LU,
    PEER_INTERLEAVED_QR,
    PEERS
};

struct peer_cusparse {
    enum peer peer;
    const struct thomas_batch *s;
    char *sub, *diag, *super; /* copies, because cuSPARSE may overwrite its matrix */
    void *buffer;             /* cuSPARSE's own workspace */
    struct cusparseContext *handle;
};

/* Prepares the solution of s, whose layout must be that of the peer; s->work and s->status are not
 * used. copies: device memory for 3 n batch elements. Allocates cuSPARSE's workspace, and gives
 * cudaErrorMemoryAllocation if there is no memory for it. */
cudaError_t peer_open(struct peer_cusparse *p, enum peer peer, const struct thomas_batch *s,
                      void *copies);

/* Fills the copies and x (with the right-hand side). Needed before each peer_solve. */
cudaError_t peer_reset(const struct peer_cusparse *p, cudaStream_t stream);

/* Leaves the solution in s->x. */
cudaError_t peer_solve(const struct peer_cusparse *p, cudaStream_t stream);

/* Frees the workspace. */
cudaError_t peer_close(struct peer_cusparse *p);

#endif
