/* Peer: cuSPARSE's gtsv2, a tridiagonal solver with pivoting. */
#include "peers.h"

#include <cusparse.h>

static cudaError_t check(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

cudaError_t peer_cusparse_open(struct peer_cusparse *p)
{
    cusparseHandle_t handle;
    size_t bytes = 0;
    int n = (int)p->n;
    TRY(check(cusparseCreate(&handle)));
    p->handle = handle;
    if (p->type == 's')
        TRY(check(cusparseSgtsv2_bufferSizeExt(handle, n, 1, (const float *)p->sub,
                                               (const float *)p->diag, (const float *)p->super,
                                               (const float *)p->x, n, &bytes)));
    else
        TRY(check(cusparseDgtsv2_bufferSizeExt(handle, n, 1, (const double *)p->sub,
                                               (const double *)p->diag, (const double *)p->super,
                                               (const double *)p->x, n, &bytes)));
    return cudaMalloc(&p->storage, bytes);
}

cudaError_t peer_cusparse_reset(const struct peer_cusparse *p, cudaStream_t stream)
{
    size_t size = p->type == 's' ? sizeof(float) : sizeof(double);
    return cudaMemcpyAsync(p->x, p->rhs, (size_t)p->n * size, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t peer_cusparse_solve(const struct peer_cusparse *p, cudaStream_t stream)
{
    cusparseHandle_t handle = (cusparseHandle_t)p->handle;
    int n = (int)p->n;
    TRY(check(cusparseSetStream(handle, stream)));
    if (p->type == 's')
        return check(cusparseSgtsv2(handle, n, 1, (const float *)p->sub, (const float *)p->diag,
                                    (const float *)p->super, (float *)p->x, n, p->storage));
    return check(cusparseDgtsv2(handle, n, 1, (const double *)p->sub, (const double *)p->diag,
                                (const double *)p->super, (double *)p->x, n, p->storage));
}

cudaError_t peer_cusparse_close(struct peer_cusparse *p)
{
    TRY(cudaFree(p->storage));
    return check(cusparseDestroy((cusparseHandle_t)p->handle));
}
