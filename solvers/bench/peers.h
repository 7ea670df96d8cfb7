/* Calls of other libraries that solve the same problems: LAPACK, cuSPARSE and CUB. The benchmarks
 * measure them on the same data in the same run. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#include "device_program.h"
extern "C" {
#endif

/* Solves a tridiagonal system of n rows in host memory by LAPACK's xGTSV, which pivots. All four
 * arrays are overwritten; the solution replaces rhs. Returns 0 if the system is solved, 1 + i if
 * the pivot of row i is exactly 0, and -1 if this build has no LAPACK. */
long peer_lapack(char type, int64_t n, void *sub, void *diag, void *super, void *rhs);

#ifdef __cplusplus
/* Times cuSPARSE's gtsv2 (with pivoting) or gtsv2_nopivot on a tridiagonal system of n >= 3 rows in
 * device memory. Before each call it copies rhs to x. The time contains neither this copy nor the
 * allocation of the workspace. GPU builds only. */
cudaError_t peer_cusparse(char type, bool pivoting, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *rhs, void *x, int reps,
                          struct timing *time);

/* The recurrence w_i = s_i w_{i-1} + t_i, i = 1..n, to be solved by cub::DeviceScan. s, t and w are
 * arrays of n elements in device memory. The type is 's' or 'd'. GPU builds only. */
struct peer_cub {
    char type;
    int64_t n;
    double w0;
    const void *s, *t;
    void *w;
};
/* Solves the recurrence. `work` is a workspace of *bytes bytes. If `work` is NULL, the function
 * only stores the size that the workspace needs in *bytes. */
cudaError_t peer_cub_solve(const struct peer_cub *c, void *work, size_t *bytes,
                           cudaStream_t stream);
}
#endif
#endif
