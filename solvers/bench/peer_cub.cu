/* CUB's scan as a solver of recurrences (peers.h). The scan's
 * elements are maps w -> a w + b, and its operator composes two maps. Iterators read s and t and
 * write w, so the scan moves 12 bytes per element in single precision, as recurrence_solve does.
 * CUB needs C++, so no other file uses it. */
#include "peers.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

/* The map w -> a w + b. */
template <class T> struct affine {
    T a, b;
};
template <class T> struct read_map {
    __host__ __device__ affine<T> operator()(const thrust::tuple<T, T> &st) const
    {
        return {thrust::get<0>(st), thrust::get<1>(st)};
    }
};
template <class T> struct write_value {
    T w0;
    __host__ __device__ T operator()(const affine<T> &m) const
    {
        return m.a * w0 + m.b;
    }
};
/* The map that applies `first`, then `then`. */
struct composition {
    template <class T>
    __host__ __device__ affine<T> operator()(const affine<T> &first, const affine<T> &then) const
    {
        return {then.a * first.a, then.a * first.b + then.b};
    }
};

/* Computes w_1..w_n. If `storage` is NULL, the function only stores the size that the workspace
 * needs in *bytes. */
template <class T>
static cudaError_t scan(const struct peer_cub *p, void *storage, size_t *bytes, cudaStream_t stream)
{
    auto in = thrust::make_transform_iterator(
        thrust::make_zip_iterator(thrust::make_tuple((const T *)p->s, (const T *)p->t)),
        read_map<T>{});
    auto out = thrust::make_transform_output_iterator((T *)p->w, write_value<T>{(T)p->w0});
    return cub::DeviceScan::InclusiveScan(storage, *bytes, in, out, composition{}, p->n, stream);
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
