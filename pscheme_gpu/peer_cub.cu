/* Peer: CUB's inclusive scan with the composition of maps w -> s w + t as operator. */
#include "peers.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/tuple.h>

template <class T> struct map {
    T s, t;
};

/* First `first`, then `then`. */
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

template <class T> struct scan {
    const T *s, *t;
    T *w, w0;
    int64_t n;
    void *storage;
    size_t bytes;
};

template <class T> static cudaError_t run(void *ctx, cudaStream_t stream)
{
    scan<T> *c = (scan<T> *)ctx;
    auto in = thrust::make_transform_iterator(
        thrust::make_zip_iterator(thrust::make_tuple(c->s, c->t)), to_map<T>());
    auto out = thrust::make_transform_output_iterator(c->w, apply<T>{c->w0});
    return cub::DeviceScan::InclusiveScan(c->storage, c->bytes, in, out, compose<T>(), c->n,
                                          stream);
}

template <class T>
static cudaError_t peer(int64_t n, double w0, const void *s, const void *t, void *w, int reps,
                        struct timing *time)
{
    scan<T> c = {(const T *)s, (const T *)t, (T *)w, (T)w0, n, NULL, 0};
    TRY(run<T>(&c, 0)); /* asks for the size of the storage */
    TRY(cudaMalloc(&c.storage, c.bytes));
    cudaError_t error = time_device(NULL, run<T>, &c, reps, time);
    TRY(cudaFree(c.storage));
    return error;
}

cudaError_t peer_cub(char type, int64_t n, double w0, const void *s, const void *t, void *w,
                     int reps, struct timing *time)
{
    return type == 's' ? peer<float>(n, w0, s, t, w, reps, time)
                       : peer<double>(n, w0, s, t, w, reps, time);
}
