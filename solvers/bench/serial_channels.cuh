/* A recurrence as sequence models compute it: one thread walks the time of each channel. The
 * threads of a warp read neighbours, and a thread has some elements in flight, so that nothing but
 * more channels would make it faster. */
#pragma once

#include "half.cuh"
#include "recurrence.h"

enum { SERIAL_AHEAD = 16, SERIAL_THREADS = 64 };

/* Element i of channel k is element i channels + k of s, t and w. */
template <class S>
static __global__ void serial_channels(int64_t length, int64_t channels, const S *s, const S *t,
                                       const S *w0, S *w)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= channels)
        return;
    computed<S> x = value_of(w0[k]);
    for (int64_t begin = 0; begin < length; begin += SERIAL_AHEAD) {
        S a[SERIAL_AHEAD], b[SERIAL_AHEAD];
        UNROLL()
        for (int j = 0; j < SERIAL_AHEAD; j++) {
            /* Beyond the end it reads the last elements again, without a branch. */
            const int64_t i = begin + j < length ? begin + j : length - 1;
            a[j] = s[i * channels + k];
            b[j] = t[i * channels + k];
        }
        UNROLL()
        for (int j = 0; j < SERIAL_AHEAD; j++)
            if (begin + j < length) {
                x = mul_add(value_of(a[j]), x, value_of(b[j]));
                w[(begin + j) * channels + k] = element_of<S>(x);
            }
    }
}

template <class S>
static cudaError_t launch_serial_channels(const struct recurrence *p, cudaStream_t stream)
{
    return LAUNCH(serial_channels<S>, (unsigned)ceil_div(p->batch, SERIAL_THREADS), SERIAL_THREADS,
                  0, stream, p->length, p->batch, (const S *)p->s, (const S *)p->t,
                  (const S *)p->w0, (S *)p->w);
}
