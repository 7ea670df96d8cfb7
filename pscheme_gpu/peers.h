/* What a library does with the same problem, on the same data; GPU builds only. Each returns the
 * time and leaves the result, in natural order, on the device for verification. Both hold a
 * workspace of their own, allocated outside the timed region. */
#ifndef PEERS_H
#define PEERS_H

#include "device_program.h"

#include <stdint.h>

/* CUB's DeviceScan over the pairs (s_i, t_i): w_1..w_n from s and t (n words each). */
cudaError_t peer_cub(char type, int64_t n, double w0, const void *s, const void *t, void *w,
                     int reps, struct timing *time);

/* cuSPARSE's gtsv2 (with pivoting): A x = rhs for the general tridiagonal matrix sub, diag, super
 * of n rows (n words each, sub_0 = super_{n-1} = 0); n >= 3. x enters as rhs. */
cudaError_t peer_cusparse(char type, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *rhs, void *x, int reps,
                          struct timing *time);

#endif
