/* Peer: CUB's inclusive scan. An element of the scan is the map w -> s w + t. The operator of the
 * scan composes two maps. */
#include "peers.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/tuple.h>

template <class T> struct map {
    T s, t;
};

/* The operator of the scan. It returns the map that applies `first` and then `then`. */
template <class T> struct compose {
    __device__ map<T> operator()(const map<T> &first, const map<T> &then) const
    {
        return {then.s * first.s, then.s * first.t + then.t};
    }
};

template <class T> struct to_map {
    __device__ map<T> operator()(const thrust::tuple<T, T> &pair) const
    {
        return {thrust::get<0>(pair), thrust::get<1>(pair)};
    }
};

template <class T> struct apply {
    T w0;
    __device__ T operator()(const map<T> &m) const
    {
        return m.s * w0 + m.t;
    }
};

/* Computes w_1..w_n by the scan. If storage is NULL, the function only sets *bytes to the size of
 * the storage that the scan needs. */
template <class T>
static cudaError_t scan(const struct peer_cub *p, void *storage, size_t *bytes, cudaStream_t stream)
{
    auto in = thrust::make_transform_iterator(
        thrust::make_zip_iterator(thrust::make_tuple((const T *)p->s, (const T *)p->t)),
        to_map<T>());
    auto out = thrust::make_transform_output_iterator((T *)p->w, apply<T>{(T)p->w0});
    return cub::DeviceScan::InclusiveScan(storage, *bytes, in, out, compose<T>(), p->n, stream);
}

static cudaError_t scan_by_type(const struct peer_cub *p, void *storage, size_t *bytes,
                                cudaStream_t stream)
{
    return p->type == 's' ? scan<float>(p, storage, bytes, stream)
                          : scan<double>(p, storage, bytes, stream);
}

cudaError_t peer_cub_open(struct peer_cub *p)
{
    p->bytes = 0;
    TRY(scan_by_type(p, NULL, &p->bytes, 0));
    return cudaMalloc(&p->storage, p->bytes);
}

cudaError_t peer_cub_solve(const struct peer_cub *p, cudaStream_t stream)
{
    size_t bytes = p->bytes;
    return scan_by_type(p, p->storage, &bytes, stream);
}

cudaError_t peer_cub_close(struct peer_cub *p)
{
    return cudaFree(p->storage);
}
