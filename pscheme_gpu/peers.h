/* Solvers of other libraries for the same problems, measured with the same data. They are only in
 * GPU builds. Arrays are in device memory in natural order. A function with `open` in its name
 * allocates the workspace of the library. A function with `close` in its name frees it. */
#ifndef PEERS_H
#define PEERS_H

#include "device_program.h"

#include <stdint.h>

/* CUB's DeviceScan solves w_i = s_i w_{i-1} + t_i for i = 1..n by a scan over the pairs (s_i, t_i).
 * s holds s_1..s_n, t holds t_1..t_n, and w receives w_1..w_n. */
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

/* cuSPARSE's gtsv2 solves a general tridiagonal system of n >= 3 rows with pivoting. sub_0 and
 * super_{n-1} must be 0. gtsv2 reads the right-hand side from the array x and overwrites it by the
 * solution. So the caller must call peer_cusparse_reset, which copies rhs to x, before each call of
 * peer_cusparse_solve. */
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
