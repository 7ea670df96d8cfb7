/* What cuSPARSE does with the same systems, on the same data; GPU builds only. */
#ifndef THOMAS_BATCH_PEERS_H
#define THOMAS_BATCH_PEERS_H

#include "device_program.h"
#include "thomas_batch.h"

enum peer {
    PEER_STRIDED,            /* gtsv2StridedBatch: contiguous layout */
    PEER_INTERLEAVED_THOMAS, /* gtsvInterleavedBatch, interleaved layout, algorithms 0, 1, 2 */
    PEER_INTERLEAVED_LU,
    PEER_INTERLEAVED_QR,
    PEERS
};

/* Solve s (its layout must be the peer's; work and status are not used) and time it. It overwrites its matrix
 * or its right-hand side, so it works on `copies`, 3 n batch words, and on s->x, filled anew before each
 * sample, outside of the time. Leaves the solution in s->x. Allocates cuSPARSE's own workspace outside of the
 * time; cudaErrorMemoryAllocation if there is no room for it. */
cudaError_t peer_cusparse(enum peer peer, const struct thomas_batch *s, void *copies, int reps,
                          struct timing *time);

#endif
