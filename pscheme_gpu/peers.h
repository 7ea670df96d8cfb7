/* Solvers of other libraries for the same problems, measured with the same data. They are only in
 * GPU builds. Arrays are in device memory in natural order. The functions with `open` allocate the
 * library's workspace, those with `close` free it. */
#ifndef PEERS_H
#define PEERS_H

#include "device_program.h"

#include <stdint.h>

/* CUB's DeviceScan over the pairs (s_i, t_i). It computes w_1..w_n from s_1..s_n and t_1..t_n. */
struct peer_cub {
    char type;
    int64_t n;
    double w0;
    const void *s, *t;
    void *w;
    void *storage; /* set by open */
    size_t bytes;
};
cudaError_t peer_cub_open(struct peer_cub *p);
cudaError_t peer_cub_solve(const struct peer_cub *p, cudaStream_t stream);
cudaError_t peer_cub_close(struct peer_cub *p);

/* cuSPARSE's gtsv2, which pivots, for a general tridiagonal matrix of n >= 3 rows. sub_0 and
 * super_{n-1} must be 0. The solver overwrites its right-hand side by x. So `reset` must copy rhs
 * to x before each solve. */
struct peer_cusparse {
    char type;
    int64_t n;
    const void *sub, *diag, *super, *rhs;
    void *x;
    void *storage, *handle; /* set by open */
};
cudaError_t peer_cusparse_open(struct peer_cusparse *p);
cudaError_t peer_cusparse_reset(const struct peer_cusparse *p, cudaStream_t stream);
cudaError_t peer_cusparse_solve(const struct peer_cusparse *p, cudaStream_t stream);
cudaError_t peer_cusparse_close(struct peer_cusparse *p);

#endif
