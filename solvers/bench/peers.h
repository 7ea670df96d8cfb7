/* Libraries that solve the same problem, measured on the same data. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#include "device_program.h"
extern "C" {
#endif

/* LAPACK's xGTSV (with pivoting) of n rows in host memory; destroys its arguments, the solution replaces rhs. 0, or 1 + the row
 * where the factor is singular; -1 where this build has no LAPACK. */
long peer_lapack(char type, int64_t n, void *sub, void *diag, void *super, void *rhs);

#ifdef __cplusplus
/* cuSPARSE's gtsv2 (with pivoting) or gtsv2_nopivot, n >= 3, device memory; rhs is copied to x before each call. Allocates its
 * workspace outside of the time. GPU builds only. */
cudaError_t peer_cusparse(char type, bool pivoting, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *rhs, void *x, int reps,
                          struct timing *time);

/* w_i = s_i w_{i-1} + t_i, i = 1..n, by cub::DeviceScan; arrays on the device, type 's' or 'd'. */
struct peer_cub {
    char type;
    int64_t n;
    double w0;
    const void *s, *t;
    void *w;
};
/* work NULL: the bytes that it needs are put into *bytes, and nothing else is done. */
cudaError_t peer_cub_solve(const struct peer_cub *c, void *work, size_t *bytes,
                           cudaStream_t stream);
}
#endif
#endif
