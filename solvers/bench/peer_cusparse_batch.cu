/* cuSPARSE's solvers of batches (peers.h): gtsv2StridedBatch, and gtsvInterleavedBatch with its
 * algorithms 0 (Thomas), 1 (LU with pivoting) and 2 (QR). */
#include "peers.h"

#include "problems.h"

enum { STRIDED = -1 };

#ifdef __CUDACC__
#include <cusparse.h>

static cudaError_t error_of(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

static size_t bytes_of(const struct peer_call *p)
{
    return (size_t)(p->n * p->batch * size_of(p->type));
}

/* The copy of the matrix that cuSPARSE may overwrite: array 0 is sub, 1 diag, 2 super. */
static void *copy_of(const struct peer_call *p, int array)
{
    return (char *)p->copies + (size_t)array * bytes_of(p);
}

/* Calls the cuSPARSE function of the peer. If `size` is NULL, it solves the systems. Otherwise it
 * only stores the bytes of its workspace in *size. */
#define CALL(T, letter)                                                                            \
    do {                                                                                           \
        T *sub = (T *)copy_of(p, 0), *diag = (T *)copy_of(p, 1), *super = (T *)copy_of(p, 2),      \
          *x = (T *)p->x;                                                                          \
        if (algorithm == STRIDED)                                                                  \
            return size ? cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                       \
                              handle, n, sub, diag, super, x, batch, n, size)                      \
                        : cusparse##letter##gtsv2StridedBatch(handle, n, sub, diag, super, x,      \
                                                              batch, n, p->storage);               \
        return size ? cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                        \
                          handle, algorithm, n, sub, diag, super, x, batch, size)                  \
                    : cusparse##letter##gtsvInterleavedBatch(handle, algorithm, n, sub, diag,      \
                                                             super, x, batch, p->storage);         \
    } while (0)
static cusparseStatus_t call(const struct peer_call *p, size_t *size)
{
    cusparseHandle_t handle = (cusparseHandle_t)p->handle;
    int n = (int)p->n, batch = (int)p->batch, algorithm = p->peer->algorithm;
    switch (p->type) {
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

static cudaError_t open_peer(struct peer_call *p)
{
    cusparseHandle_t handle;
    size_t bytes = 0;
    p->storage = NULL;
    TRY(error_of(cusparseCreate(&handle)));
    p->handle = handle;
    TRY(error_of(call(p, &bytes)));
    return cudaMalloc(&p->storage, bytes);
}

/* cuSPARSE requires the first sub and the last super of each system to be 0. */
static cudaError_t reset_peer(const struct peer_call *p, cudaStream_t stream)
{
    const void *from[] = {p->sub, p->diag, p->super, p->rhs};
    void *to[] = {copy_of(p, 0), copy_of(p, 1), copy_of(p, 2), p->x};
    for (int i = 0; i < 4; i++)
        TRY(cudaMemcpyAsync(to[i], from[i], bytes_of(p), cudaMemcpyDeviceToDevice, stream));
    size_t n = (size_t)p->n, batch = (size_t)p->batch, element = (size_t)size_of(p->type);
    size_t pitch = p->interleaved ? batch * element : n * element;
    size_t width = p->interleaved ? batch * element : element;
    size_t height = p->interleaved ? 1 : batch;
    TRY(cudaMemset2DAsync(to[0], pitch, 0, width, height, stream));
    return cudaMemset2DAsync((char *)to[2] + (n - 1) * (p->interleaved ? batch : 1) * element,
                             pitch, 0, width, height, stream);
}

static cudaError_t solve_peer(const struct peer_call *p, cudaStream_t stream)
{
    TRY(error_of(cusparseSetStream((cusparseHandle_t)p->handle, stream)));
    return error_of(call(p, NULL));
}

static cudaError_t close_peer(struct peer_call *p)
{
    cudaError_t error = cudaFree(p->storage);
    (void)cusparseDestroy((cusparseHandle_t)p->handle);
    return error;
}
#define FUNCTIONS open_peer, reset_peer, solve_peer, close_peer
#else
#define FUNCTIONS NULL /* the CPU build has no cuSPARSE */
#endif

extern const struct peer peer_cusparse_strided = {STRIDED, FUNCTIONS};
extern const struct peer peer_cusparse_interleaved_thomas = {0, FUNCTIONS};
extern const struct peer peer_cusparse_interleaved_lu = {1, FUNCTIONS};
extern const struct peer peer_cusparse_interleaved_qr = {2, FUNCTIONS};
