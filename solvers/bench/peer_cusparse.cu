/* Peer: cuSPARSE's solvers of one tridiagonal system (peers.h). */
#include "peers.h"

#include <cusparse.h>

struct peer_run {
    char type;
    bool pivoting;
    int n;
    const void *sub, *diag, *super, *rhs;
    void *x, *buffer;
    cusparseHandle_t handle;
};

static cudaError_t check(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

/* cuSPARSE overwrites the right-hand side, so each call begins with a copy. */
static cudaError_t reset(void *ctx, cudaStream_t stream)
{
    struct peer_run *r = (struct peer_run *)ctx;
    size_t element = r->type == 's' ? 4 : r->type == 'z' ? 16 : 8;
    return cudaMemcpyAsync(r->x, r->rhs, (size_t)r->n * element, cudaMemcpyDeviceToDevice, stream);
}

/* Calls cuSPARSE for one type. If `size` is NULL, the call solves the system. Otherwise it only
 * stores the number of bytes that the buffer needs in *size. The names of cuSPARSE's functions
 * contain the letter of the type. */
#define CALL(letter, T)                                                                            \
    (size ? r->pivoting ? cusparse##letter##gtsv2_bufferSizeExt(                                   \
                              r->handle, r->n, 1, (const T *)r->sub, (const T *)r->diag,           \
                              (const T *)r->super, (const T *)r->x, r->n, size)                    \
                        : cusparse##letter##gtsv2_nopivot_bufferSizeExt(                           \
                              r->handle, r->n, 1, (const T *)r->sub, (const T *)r->diag,           \
                              (const T *)r->super, (const T *)r->x, r->n, size)                    \
     : r->pivoting                                                                                 \
         ? cusparse##letter##gtsv2(r->handle, r->n, 1, (const T *)r->sub, (const T *)r->diag,      \
                                   (const T *)r->super, (T *)r->x, r->n, r->buffer)                \
         : cusparse##letter##gtsv2_nopivot(r->handle, r->n, 1, (const T *)r->sub,                  \
                                           (const T *)r->diag, (const T *)r->super, (T *)r->x,     \
                                           r->n, r->buffer))
static cudaError_t call(struct peer_run *r, size_t *size)
{
    return check(r->type == 's'   ? CALL(S, float)
                 : r->type == 'd' ? CALL(D, double)
                 : r->type == 'c' ? CALL(C, cuComplex)
                                  : CALL(Z, cuDoubleComplex));
}

static cudaError_t run(void *ctx, cudaStream_t stream)
{
    struct peer_run *r = (struct peer_run *)ctx;
    TRY(check(cusparseSetStream(r->handle, stream)));
    return call(r, NULL);
}

cudaError_t peer_cusparse(char type, bool pivoting, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *rhs, void *x, int reps,
                          struct timing *time)
{
    struct peer_run r = {type, pivoting, (int)n, sub, diag, super, rhs, x, NULL, NULL};
    size_t bytes = 0;
    TRY(check(cusparseCreate(&r.handle)));
    TRY(call(&r, &bytes));
    cudaError_t error = cudaMalloc(&r.buffer, bytes);
    if (error == cudaSuccess) {
        TRY(time_device(reset, run, &r, reps, time));
        TRY(reset(&r, 0)); /* solve once more from the original rhs; the caller verifies x */
        TRY(run(&r, 0));
        TRY(cudaDeviceSynchronize());
        TRY(cudaFree(r.buffer));
    }
    (void)check(cusparseDestroy(r.handle));
    return error;
}
