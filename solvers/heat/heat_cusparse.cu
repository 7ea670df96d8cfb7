/* See heat_cusparse.h. All n systems have the same matrix. cuSPARSE has a solver for one matrix and
 * n right-hand sides, gtsv2_nopivot. But gtsv2StridedBatch is faster, although it reads a separate
 * matrix for each system. So this file fills n equal matrices once and keeps them.
 * gtsvInterleavedBatch overwrites its matrices, so each step fills them again. That is cheaper than
 * to copy them. */
#include "heat_cusparse.h"

#include "../../pscheme_g/pscheme_g.h"

#include <cusparse.h>
#include <stdlib.h>

enum { SUB, DIAG, SUPER, DIAGONALS };

struct heat_cusparse {
    struct heat s;
    bool transposed;
    /* n * n elements: u* between the half steps, later the transposed array */
    void *other;
    /* The n matrices of the systems along the rows: one array for each diagonal, of n * n
     * elements. */
    void *row[DIAGONALS];
    /* The n matrices of the systems along the columns, stored in the same way but interleaved. The
     * pointers are NULL if `transposed` is true. */
    void *column[DIAGONALS];
    void *row_buffer, *column_buffer; /* workspaces of cuSPARSE */
    cusparseHandle_t handle;
};

static cudaError_t check(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS                  ? cudaSuccess
           : status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? cudaErrorMemoryAllocation
                                                              : cudaErrorUnknown;
}

/* Writes n times the matrix 1 - r D, one array for each diagonal. cuSPARSE requires that the first
 * `sub` and the last `super` of each system are 0. */
template <class T>
static __global__ void fill_diagonals(int64_t n, bool interleaved, T r, T *sub, T *diag, T *super)
{
    int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, i = interleaved ? at / n : at % n;
    if (at >= n * n)
        return;
    sub[at] = i == 0 ? 0 : -r;
    diag[at] = 1 + 2 * r;
    super[at] = i == n - 1 ? 0 : -r;
}
template <class T>
static cudaError_t launch_fill(const struct heat *s, bool interleaved, void *const *to,
                               cudaStream_t stream)
{
    enum { THREADS = 256 };
    return LAUNCH(fill_diagonals<T>, (unsigned)((s->n * s->n + THREADS - 1) / THREADS), THREADS, 0,
                  stream, s->n, interleaved, (T)heat_ratio(s), (T *)to[SUB], (T *)to[DIAG],
                  (T *)to[SUPER]);
}

static cudaError_t fill(const struct heat *s, bool interleaved, void *const *to,
                        cudaStream_t stream)
{
    return s->type == 's' ? launch_fill<float>(s, interleaved, to, stream)
                          : launch_fill<double>(s, interleaved, to, stream);
}

/* cuSPARSE has one function for each type, and a letter of its name (S or D) gives the type. If
 * `size` is NULL, these macros solve the systems. Otherwise they only store the bytes of cuSPARSE's
 * workspace in *size. */
#define ROWS(letter, T)                                                                            \
    (size ? cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                                     \
                p->handle, n, (const T *)p->row[SUB], (const T *)p->row[DIAG],                     \
                (const T *)p->row[SUPER], (const T *)x, n, n, size)                                \
          : cusparse##letter##gtsv2StridedBatch(p->handle, n, (const T *)p->row[SUB],              \
                                                (const T *)p->row[DIAG], (const T *)p->row[SUPER], \
                                                (T *)x, n, n, p->row_buffer))
#define COLUMNS(letter, T)                                                                         \
    (size ? cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                                  \
                p->handle, 0, n, (const T *)p->column[SUB], (const T *)p->column[DIAG],            \
                (const T *)p->column[SUPER], (const T *)x, n, size)                                \
          : cusparse##letter##gtsvInterleavedBatch(p->handle, 0, n, (T *)p->column[SUB],           \
                                                   (T *)p->column[DIAG], (T *)p->column[SUPER],    \
                                                   (T *)x, n, p->column_buffer))
static cudaError_t solve_rows(struct heat_cusparse *p, void *x, size_t *size)
{
    int n = (int)p->s.n;
    return check(p->s.type == 's' ? ROWS(S, float) : ROWS(D, double));
}
static cudaError_t solve_columns(struct heat_cusparse *p, void *x, size_t *size)
{
    int n = (int)p->s.n;
    return check(p->s.type == 's' ? COLUMNS(S, float) : COLUMNS(D, double));
}

static cudaError_t allocate(struct heat_cusparse *p)
{
    size_t n = (size_t)p->s.n, element = p->s.type == 's' ? sizeof(float) : sizeof(double),
           bytes = 0;
    TRY(check(cusparseCreate(&p->handle)));
    TRY(cudaMalloc(&p->other, n * n * element));
    for (void *&diagonal : p->row)
        TRY(cudaMalloc(&diagonal, n * n * element));
    TRY(fill(&p->s, false, p->row, 0));
    TRY(solve_rows(p, p->other, &bytes));
    TRY(cudaMalloc(&p->row_buffer, bytes));
    if (p->transposed)
        return cudaSuccess;
    for (void *&diagonal : p->column)
        TRY(cudaMalloc(&diagonal, n * n * element));
    TRY(solve_columns(p, p->s.u, &bytes));
    return cudaMalloc(&p->column_buffer, bytes);
}

cudaError_t heat_cusparse_open(const struct heat *s, bool transposed, struct heat_cusparse **peer)
{
    struct heat_cusparse *p = (struct heat_cusparse *)calloc(1, sizeof *p);
    if (!p)
        return cudaErrorMemoryAllocation;
    p->s = *s;
    p->transposed = transposed;
    cudaError_t error = allocate(p);
    if (error == cudaSuccess)
        *peer = p;
    else
        heat_cusparse_close(p);
    return error;
}

static cudaError_t transpose(const struct heat *s, const void *in, void *out, cudaStream_t stream)
{
    return pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->n, in, out, stream);
}

cudaError_t heat_cusparse_step(struct heat_cusparse *p, cudaStream_t stream)
{
    const struct heat *s = &p->s;
    TRY(check(cusparseSetStream(p->handle, stream)));
    TRY(heat_explicit(s, HEAT_ALONG_Y, s->u, p->other, stream));
    TRY(solve_rows(p, p->other, NULL));
    TRY(heat_explicit(s, HEAT_ALONG_X, p->other, s->u, stream));
    if (!p->transposed) {
        TRY(fill(s, true, p->column, stream));
        return solve_columns(p, s->u, NULL);
    }
    TRY(transpose(s, s->u, p->other, stream));
    TRY(solve_rows(p, p->other, NULL));
    return transpose(s, p->other, s->u, stream);
}

void heat_cusparse_close(struct heat_cusparse *p)
{
    for (int i = 0; i < DIAGONALS; i++) {
        (void)cudaFree(p->row[i]);
        (void)cudaFree(p->column[i]);
    }
    (void)cudaFree(p->other);
    (void)cudaFree(p->row_buffer);
    (void)cudaFree(p->column_buffer);
    if (p->handle)
        (void)cusparseDestroy(p->handle);
    free(p);
}
