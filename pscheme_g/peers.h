/* Libraries that do the same job, for comparison. */
#ifndef PSCHEME_G_PEERS_H
#define PSCHEME_G_PEERS_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
