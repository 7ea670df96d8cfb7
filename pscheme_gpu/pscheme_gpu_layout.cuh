/* Where the unknowns are stored (W12 section IV, Fig. 2). The layouts differ only in two strides,
 * from which every kernel computes its addresses:
 *
 *     block        part_stride = M, row_stride = 1    neighbouring threads read elements M apart
 *     rearranged   part_stride = 1, row_stride = P    neighbouring threads read neighbours */
#pragma once

#include "pscheme_gpu.h"

/* The number of unknowns of a part: layout.rows in a full part, fewer in the last part that has
 * unknowns, 0 in the parts after it, whose threads do nothing. */
static __host__ __device__ inline int64_t rows_of(struct pscheme_layout layout, int64_t part)
{
    int64_t left = layout.n - part * layout.rows;
    return left < 0 ? 0 : left < layout.rows ? left : layout.rows;
}

/* The last part that has unknowns. n >= 1. */
static __host__ __device__ inline int64_t last_part(struct pscheme_layout layout)
{
    return (layout.n - 1) / layout.rows;
}

static __device__ inline int64_t this_part(void)
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Copies between a layout and natural order. Neighbouring threads copy the same row of neighbouring
 * parts, so only the accesses to the rearranged array are coalesced. (pscheme_g copies through
 * tiles in shared memory.) */
template <class T>
static __global__ void move(struct pscheme_layout layout, const T *in, T *out, bool to_natural)
{
    int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = this_part(); k < layout.rows * layout.parts; k += threads) {
        int64_t i = k / layout.parts, part = k % layout.parts;
        int64_t natural = part * layout.rows + i;
        int64_t there = part * layout.part_stride + i * layout.row_stride;
        if (natural < layout.n)
            out[to_natural ? natural : there] = in[to_natural ? there : natural];
    }
}

template <class T>
static cudaError_t move_all(const struct pscheme_layout *layout, const void *in, void *out,
                            bool to_natural, cudaStream_t stream)
{
    if (layout->n == 0)
        return cudaSuccess;
    if (!device_aligned(in, sizeof(T)) || !device_aligned(out, sizeof(T)))
        return cudaErrorInvalidValue;
    int64_t blocks = (layout->rows * layout->parts + 255) / 256;
    return LAUNCH((move<T>), (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0, stream, *layout,
                  (const T *)in, (T *)out, to_natural);
}
