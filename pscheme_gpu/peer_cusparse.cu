/* Peer: cuSPARSE's gtsv2, which overwrites its right-hand side: copied back before every call. */
#include "peers.h"

#include <cusparse.h>

struct system_of {
    char type;
    int n;
    const void *sub, *diag, *super, *rhs;
    void *x, *buffer;
    cusparseHandle_t handle;
};

static cudaError_t check(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t reset(void *ctx, cudaStream_t stream)
{
    struct system_of *c = (struct system_of *)ctx;
    size_t word = c->type == 's' ? sizeof(float) : sizeof(double);
    return cudaMemcpyAsync(c->x, c->rhs, (size_t)c->n * word, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t run(void *ctx, cudaStream_t stream)
{
    struct system_of *c = (struct system_of *)ctx;
    TRY(check(cusparseSetStream(c->handle, stream)));
    if (c->type == 's')
        return check(cusparseSgtsv2(c->handle, c->n, 1, (const float *)c->sub,
                                    (const float *)c->diag, (const float *)c->super, (float *)c->x,
                                    c->n, c->buffer));
    return check(cusparseDgtsv2(c->handle, c->n, 1, (const double *)c->sub, (const double *)c->diag,
                                (const double *)c->super, (double *)c->x, c->n, c->buffer));
}

cudaError_t peer_cusparse(char type, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *rhs, void *x, int reps,
                          struct timing *time)
{
    struct system_of c = {type, (int)n, sub, diag, super, rhs, x, NULL, NULL};
    size_t bytes = 0;
    TRY(check(cusparseCreate(&c.handle)));
    if (type == 's')
        TRY(check(cusparseSgtsv2_bufferSizeExt(c.handle, c.n, 1, (const float *)sub,
                                               (const float *)diag, (const float *)super,
                                               (const float *)x, c.n, &bytes)));
    else
        TRY(check(cusparseDgtsv2_bufferSizeExt(c.handle, c.n, 1, (const double *)sub,
                                               (const double *)diag, (const double *)super,
                                               (const double *)x, c.n, &bytes)));
    TRY(cudaMalloc(&c.buffer, bytes));
    TRY(time_device(reset, run, &c, reps, time));
    TRY(reset(&c, 0)); /* one clean solve for the verification */
    TRY(run(&c, 0));
    TRY(cudaDeviceSynchronize());
    TRY(cudaFree(c.buffer));
    return check(cusparseDestroy(c.handle));
}
