/* See peers.h. */
#include "peers.h"

#include "problems.h"

#include <cusparse.h>

static cudaError_t error_of(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

static size_t bytes_of(const struct thomas_batch *s)
{
    return (size_t)(s->n * s->batch * size_of(s->type));
}

/* Calls the cuSPARSE function of the peer. If `size` is NULL, it solves the systems. Otherwise it
 * only stores the bytes of its workspace in *size. */
#define CALL(T, letter)                                                                            \
    do {                                                                                           \
        T *sub = (T *)(void *)p->sub, *diag = (T *)(void *)p->diag,                                \
          *super = (T *)(void *)p->super, *x = (T *)s->x;                                          \
        if (p->peer == PEER_STRIDED)                                                               \
            return size ? cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                       \
                              p->handle, n, sub, diag, super, x, batch, n, size)                   \
                        : cusparse##letter##gtsv2StridedBatch(p->handle, n, sub, diag, super, x,   \
                                                              batch, n, p->buffer);                \
        return size ? cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                        \
                          p->handle, algorithm, n, sub, diag, super, x, batch, size)               \
                    : cusparse##letter##gtsvInterleavedBatch(p->handle, algorithm, n, sub, diag,   \
                                                             super, x, batch, p->buffer);          \
    } while (0)
static cusparseStatus_t call(const struct peer_cusparse *p, size_t *size)
{
    const struct thomas_batch *s = p->s;
    int n = (int)s->n, batch = (int)s->batch, algorithm = p->peer - PEER_INTERLEAVED_THOMAS;
    switch (s->type) {
    case 's':
        CALL(float, S);
    case 'd':
        CALL(double, D);
    case 'c':
        CALL(cuComplex, C);
    default:
        CALL(cuDoubleComplex, Z);
    }
}

cudaError_t peer_open(struct peer_cusparse *p, enum peer peer, const struct thomas_batch *s,
                      void *copies)
{
    char *copy = (char *)copies;
    size_t bytes = 0;
    *p = {peer, s, copy, copy + bytes_of(s), copy + 2 * bytes_of(s), NULL, NULL};
    TRY(error_of(cusparseCreate(&p->handle)));
    TRY(error_of(call(p, &bytes)));
    return cudaMalloc(&p->buffer, bytes);
}

cudaError_t peer_reset(const struct peer_cusparse *p, cudaStream_t stream)
{
    const struct thomas_batch *s = p->s;
    const void *from[] = {s->sub, s->diag, s->super, s->rhs};
    void *to[] = {p->sub, p->diag, p->super, s->x};
    for (int i = 0; i < 4; i++)
        TRY(cudaMemcpyAsync(to[i], from[i], bytes_of(s), cudaMemcpyDeviceToDevice, stream));
    /* cuSPARSE requires the first sub and the last super of each system to be 0. */
    size_t n = (size_t)s->n, batch = (size_t)s->batch, element = bytes_of(s) / (n * batch);
    size_t pitch = s->interleaved ? batch * element : n * element;
    size_t width = s->interleaved ? batch * element : element;
    size_t height = s->interleaved ? 1 : batch;
    TRY(cudaMemset2DAsync(p->sub, pitch, 0, width, height, stream));
    return cudaMemset2DAsync(p->super + (n - 1) * (s->interleaved ? batch : 1) * element, pitch, 0,
                             width, height, stream);
}

cudaError_t peer_solve(const struct peer_cusparse *p, cudaStream_t stream)
{
    TRY(error_of(cusparseSetStream(p->handle, stream)));
    return error_of(call(p, NULL));
}

cudaError_t peer_close(struct peer_cusparse *p)
{
    cudaError_t error = cudaFree(p->buffer);
    (void)cusparseDestroy(p->handle);
    return error;
}
