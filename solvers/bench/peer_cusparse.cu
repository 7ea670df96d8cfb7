/* cuSPARSE's solvers of one tridiagonal system (peers.h). */
#include "peers.h"

#include <cusparse.h>

static cudaError_t error_of(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

/* Calls cuSPARSE for one type. If `size` is NULL, the call solves the system. Otherwise it only
 * stores the number of bytes that the workspace needs in *size. The names of cuSPARSE's functions
 * contain the letter of the type. */
#define CALL(letter, T)                                                                            \
    (size ? p->pivoting ? cusparse##letter##gtsv2_bufferSizeExt(                                   \
                              handle, n, 1, (const T *)p->sub, (const T *)p->diag,                 \
                              (const T *)p->super, (const T *)p->x, n, size)                       \
                        : cusparse##letter##gtsv2_nopivot_bufferSizeExt(                           \
                              handle, n, 1, (const T *)p->sub, (const T *)p->diag,                 \
                              (const T *)p->super, (const T *)p->x, n, size)                       \
     : p->pivoting                                                                                 \
         ? cusparse##letter##gtsv2(handle, n, 1, (const T *)p->sub, (const T *)p->diag,            \
                                   (const T *)p->super, (T *)p->x, n, p->storage)                  \
         : cusparse##letter##gtsv2_nopivot(handle, n, 1, (const T *)p->sub, (const T *)p->diag,    \
                                           (const T *)p->super, (T *)p->x, n, p->storage))
static cudaError_t call(const struct peer_cusparse *p, size_t *size)
{
    cusparseHandle_t handle = (cusparseHandle_t)p->handle;
    int n = (int)p->n;
    return error_of(p->type == 's'   ? CALL(S, float)
                    : p->type == 'd' ? CALL(D, double)
                    : p->type == 'c' ? CALL(C, cuComplex)
                                     : CALL(Z, cuDoubleComplex));
}

cudaError_t peer_cusparse_open(struct peer_cusparse *p)
{
    cusparseHandle_t handle;
    size_t bytes = 0;
    TRY(error_of(cusparseCreate(&handle)));
    p->handle = handle;
    TRY(call(p, &bytes));
    return cudaMalloc(&p->storage, bytes);
}

cudaError_t peer_cusparse_reset(const struct peer_cusparse *p, cudaStream_t stream)
{
    size_t element = p->type == 's' ? 4 : p->type == 'z' ? 16 : 8;
    return cudaMemcpyAsync(p->x, p->rhs, (size_t)p->n * element, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t peer_cusparse_solve(const struct peer_cusparse *p, cudaStream_t stream)
{
    TRY(error_of(cusparseSetStream((cusparseHandle_t)p->handle, stream)));
    return call(p, NULL);
}

cudaError_t peer_cusparse_close(struct peer_cusparse *p)
{
    cudaError_t error = cudaFree(p->storage);
    (void)cusparseDestroy((cusparseHandle_t)p->handle);
    return error;
}
