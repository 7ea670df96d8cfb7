/* What libraries do with the same system, on the same data; and the same solver with a library's numbers. */
#ifndef NSHAPE_PEERS_H
#define NSHAPE_PEERS_H

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

/* nshape_solve (nshape.h) with a complex type of the library, cuda::std::complex or in CPU builds std::complex, where
 * nshape has real and imaginary parts. */
struct nshape;
cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);
}
#endif
#endif
