/* Transposition of a matrix (W13 sec. III-A, Table I): out[j rows + i] = in[i columns + j].
 *
 * No kernel writes an element of `out` whose index is `limit` or more. If the last part is short,
 * `in` has more elements than there are unknowns, and `limit` is the number of unknowns. */
#pragma once

#include "pscheme_g.h"

static __device__ inline int64_t this_thread(void)
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

enum { TILE = 32, TILE_THREADS = 256 };

/* Directly in global memory. A warp reads neighbouring elements but writes elements that are `rows`
 * apart, so a store accesses up to 32 sectors. */
template <class T>
static __global__ void transpose_global(int64_t rows, int64_t columns, int64_t limit, const T *in,
                                        T *out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = this_thread(); k < rows * columns; k += stride) {
        int64_t i = k / columns, j = k % columns, to = j * rows + i;
        if (to < limit)
            out[to] = in[k];
    }
}

/* Through a tile of 32 x 32 elements in shared memory. A warp loads a row of the tile and stores a
 * column of it, and both accesses to global memory are coalesced. Shared memory has 32 banks of 4
 * bytes. Without padding the elements of a column are in one bank (for 4-byte elements), and the
 * hardware reads them one after the other. With pad = 1 a row has 33 elements, so a column uses all
 * banks. */
template <class T, int pad>
static __global__ void transpose_tile(int64_t rows, int64_t columns, int64_t limit, const T *in,
                                      T *out)
{
    __shared__ T tile[TILE][TILE + pad];
    int64_t across = (columns + TILE - 1) / TILE;
    int64_t row0 = blockIdx.x / across * TILE, column0 = blockIdx.x % across * TILE;
    int x = (int)threadIdx.x % TILE, y0 = (int)threadIdx.x / TILE;
    for (int y = y0; y < TILE; y += TILE_THREADS / TILE)
        if (row0 + y < rows && column0 + x < columns)
            tile[y][x] = in[(row0 + y) * columns + column0 + x];
    __syncthreads();
    for (int y = y0; y < TILE; y += TILE_THREADS / TILE) {
        int64_t to = (column0 + y) * rows + row0 + x;
        if (row0 + x < rows && column0 + y < columns && to < limit)
            out[to] = tile[x][y];
    }
}

template <class T>
static cudaError_t transpose(enum pscheme_g_transposition how, int64_t rows, int64_t columns,
                             int64_t limit, const void *from, void *to, cudaStream_t stream)
{
    const T *in = (const T *)from;
    T *out = (T *)to;
    int64_t tiles = (rows + TILE - 1) / TILE * ((columns + TILE - 1) / TILE);
    int64_t blocks = (rows * columns + 255) / 256;
    switch (how) {
    case TRANSPOSE_GLOBAL:
        return LAUNCH((transpose_global<T>), (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0,
                      stream, rows, columns, limit, in, out);
    case TRANSPOSE_TILE:
        return LAUNCH((transpose_tile<T, 0>), (unsigned)tiles, TILE_THREADS, 0, stream, rows,
                      columns, limit, in, out);
    case TRANSPOSE_PADDED:
        return LAUNCH((transpose_tile<T, 1>), (unsigned)tiles, TILE_THREADS, 0, stream, rows,
                      columns, limit, in, out);
    default:
        return cudaErrorInvalidValue;
    }
}
