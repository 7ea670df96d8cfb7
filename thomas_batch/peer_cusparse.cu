/* Peer: cuSPARSE's batched tridiagonal solvers, see peers.h. */
#include "peers.h"

#include <cusparse.h>

struct peer_run {
    enum peer peer;
    const struct thomas_batch *s;
    char *sub, *diag, *super; /* copies */
    void *buffer;
    cusparseHandle_t handle;
};

static cudaError_t check(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

static size_t bytes_of(const struct thomas_batch *s)
{
    return (size_t)(s->n * s->batch) * (s->type == 's' ? sizeof(float) : sizeof(double));
}

static cudaError_t reset(void *ctx, cudaStream_t stream)
{
    struct peer_run *r = (struct peer_run *)ctx;
    const void *from[] = {r->s->sub, r->s->diag, r->s->super, r->s->rhs};
    void *to[] = {r->sub, r->diag, r->super, r->s->x};
    for (int i = 0; i < 4; i++)
        TRY(cudaMemcpyAsync(to[i], from[i], bytes_of(r->s), cudaMemcpyDeviceToDevice, stream));
    /* The first sub and the last super of each system must be 0. */
    size_t word = bytes_of(r->s) / (size_t)(r->s->n * r->s->batch);
    size_t n = (size_t)r->s->n, batch = (size_t)r->s->batch;
    size_t pitch = r->s->interleaved ? batch * word : n * word;
    size_t width = r->s->interleaved ? batch * word : word;
    size_t height = r->s->interleaved ? 1 : batch;
    TRY(cudaMemset2DAsync(r->sub, pitch, 0, width, height, stream));
    return cudaMemset2DAsync(r->super + (n - 1) * (r->s->interleaved ? batch : 1) * word, pitch, 0,
                             width, height, stream);
}

template <class T> static T *words(void *memory)
{
    return (T *)memory;
}

/* The call itself, or the size of its buffer where `size` is given. */
static cusparseStatus_t call(struct peer_run *r, size_t *size)
{
    const struct thomas_batch *s = r->s;
    int n = (int)s->n, batch = (int)s->batch, algorithm = r->peer - PEER_INTERLEAVED_THOMAS;
    float *sub = words<float>(r->sub), *diag = words<float>(r->diag),
          *super = words<float>(r->super), *x = words<float>(s->x);
    double *sub_d = words<double>(r->sub), *diag_d = words<double>(r->diag),
           *super_d = words<double>(r->super), *x_d = words<double>(s->x);
    if (r->peer == PEER_STRIDED && s->type == 's')
        return size ? cusparseSgtsv2StridedBatch_bufferSizeExt(r->handle, n, sub, diag, super, x,
                                                               batch, n, size)
                    : cusparseSgtsv2StridedBatch(r->handle, n, sub, diag, super, x, batch, n,
                                                 r->buffer);
    if (r->peer == PEER_STRIDED)
        return size ? cusparseDgtsv2StridedBatch_bufferSizeExt(r->handle, n, sub_d, diag_d, super_d,
                                                               x_d, batch, n, size)
                    : cusparseDgtsv2StridedBatch(r->handle, n, sub_d, diag_d, super_d, x_d, batch,
                                                 n, r->buffer);
    if (s->type == 's')
        return size ? cusparseSgtsvInterleavedBatch_bufferSizeExt(r->handle, algorithm, n, sub,
                                                                  diag, super, x, batch, size)
                    : cusparseSgtsvInterleavedBatch(r->handle, algorithm, n, sub, diag, super, x,
                                                    batch, r->buffer);
    return size ? cusparseDgtsvInterleavedBatch_bufferSizeExt(r->handle, algorithm, n, sub_d,
                                                              diag_d, super_d, x_d, batch, size)
                : cusparseDgtsvInterleavedBatch(r->handle, algorithm, n, sub_d, diag_d, super_d,
                                                x_d, batch, r->buffer);
}

static cudaError_t run(void *ctx, cudaStream_t stream)
{
    struct peer_run *r = (struct peer_run *)ctx;
    TRY(check(cusparseSetStream(r->handle, stream)));
    return check(call(r, NULL));
}

cudaError_t peer_cusparse(enum peer peer, const struct thomas_batch *s, void *copies, int reps,
                          struct timing *time)
{
    char *copy = (char *)copies;
    struct peer_run r = {peer, s, copy, copy + bytes_of(s), copy + 2 * bytes_of(s), NULL, NULL};
    size_t bytes = 0;
    TRY(check(cusparseCreate(&r.handle)));
    TRY(check(call(&r, &bytes)));
    cudaError_t error = cudaMalloc(&r.buffer, bytes);
    if (error == cudaSuccess) {
        TRY(time_device(reset, run, &r, reps, time));
        TRY(reset(&r, 0)); /* one clean solve for the verification */
        TRY(run(&r, 0));
        TRY(cudaDeviceSynchronize());
        TRY(cudaFree(r.buffer));
    }
    (void)check(cusparseDestroy(r.handle));
    return error;
}
