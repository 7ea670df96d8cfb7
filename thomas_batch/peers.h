/* Calls cuSPARSE's batched tridiagonal solvers, to compare them with thomas_batch.h on the same
 * systems. Only GPU builds contain these functions. */
#ifndef THOMAS_BATCH_PEERS_H
#define THOMAS_BATCH_PEERS_H

#include "thomas_batch.h"

enum peer {
    PEER_STRIDED,            /* gtsv2StridedBatch: contiguous layout */
    PEER_INTERLEAVED_THOMAS, /* gtsvInterleavedBatch: interleaved layout, algorithm 0 */
    PEER_INTERLEAVED_LU,     /* gtsvInterleavedBatch, algorithm 1 */
    PEER_INTERLEAVED_QR,     /* gtsvInterleavedBatch, algorithm 2 */
    PEERS
};

struct peer_cusparse {
    enum peer peer;
    const struct thomas_batch *s;
    char *sub, *diag, *super; /* device copies of the matrix, because cuSPARSE may overwrite it */
    void *buffer;             /* cuSPARSE's workspace */
    struct cusparseContext *handle;
};

/* Prepares *p to solve the systems of s by `peer`. s must have the layout that the peer requires.
 * s->work and s->status are not used. `copies` is device memory for 3 * n * batch elements, where
 * the peer keeps its copies of the matrix. The function allocates cuSPARSE's workspace. It returns
 * cudaErrorMemoryAllocation if there is no memory for it. */
cudaError_t peer_open(struct peer_cusparse *p, enum peer peer, const struct thomas_batch *s,
                      void *copies);

/* Copies the matrix to p's copies and the right-hand side to x. Call it before each
 * peer_solve(). */
cudaError_t peer_reset(const struct peer_cusparse *p, cudaStream_t stream);

/* Solves the systems. Leaves the solution in s->x. */
cudaError_t peer_solve(const struct peer_cusparse *p, cudaStream_t stream);

/* Frees cuSPARSE's workspace and its handle. */
cudaError_t peer_close(struct peer_cusparse *p);

#endif
