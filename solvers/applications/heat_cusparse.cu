/* The peers of heat_bench.h. All n systems have the same matrix. cuSPARSE has a solver for one
 * matrix and n right-hand sides, gtsv2_nopivot, but gtsv2StridedBatch is faster, although it reads
 * a matrix for each system: n equal matrices are filled in once and kept. gtsvInterleavedBatch
 * overwrites its matrices, so each step fills them in again, which is cheaper than to copy them. */
#include "applications/heat_bench.h"

#include "../../pscheme_g/pscheme_g.h"

extern const struct peer peer_cusparse_strided, peer_cusparse_interleaved_thomas;

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
static cudaError_t launch_fill(const struct heat *s, const struct peer_call *to,
                               cudaStream_t stream)
{
    enum { THREADS = 256 };
    const int64_t points = s->n * s->n;
    T *sub = (T *)to->copies;
    return LAUNCH(fill_diagonals<T>, (unsigned)((points + THREADS - 1) / THREADS), THREADS, 0,
                  stream, s->n, to->interleaved, (T)heat_ratio(s), sub, sub + points,
                  sub + 2 * points);
}
static cudaError_t fill(const struct heat *s, const struct peer_call *to, cudaStream_t stream)
{
    return s->type == 's' ? launch_fill<float>(s, to, stream) : launch_fill<double>(s, to, stream);
}

static cudaError_t open_solver(const struct heat_cusparse *p, struct peer_call *call,
                               const struct peer *peer, bool interleaved)
{
    call->type = p->s.type, call->interleaved = interleaved;
    call->n = call->batch = p->s.n;
    call->x = p->other, call->peer = peer;
    TRY(cudaMalloc(&call->copies, 3 * heat_bytes(&p->s)));
    TRY(fill(&p->s, call, 0));
    return peer->open(call);
}

cudaError_t heat_cusparse_open(struct heat_cusparse *p)
{
    TRY(cudaMalloc(&p->other, heat_bytes(&p->s)));
    TRY(open_solver(p, &p->rows, &peer_cusparse_strided, false));
    return p->transposed ? cudaSuccess
                         : open_solver(p, &p->columns, &peer_cusparse_interleaved_thomas, true);
}

static cudaError_t solve(struct peer_call *call, void *x, cudaStream_t stream)
{
    call->x = x;
    return call->peer->solve(call, stream);
}
static cudaError_t transpose(const struct heat *s, const void *in, void *out, cudaStream_t stream)
{
    return pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->n, in, out, stream);
}

cudaError_t heat_cusparse_step(struct heat_cusparse *p, cudaStream_t stream)
{
    const struct heat *s = &p->s;
    TRY(heat_explicit(s, HEAT_ALONG_Y, s->u, p->other, stream));
    TRY(solve(&p->rows, p->other, stream));
    TRY(heat_explicit(s, HEAT_ALONG_X, p->other, s->u, stream));
    if (!p->transposed) {
        TRY(fill(s, &p->columns, stream));
        return solve(&p->columns, s->u, stream);
    }
    TRY(transpose(s, s->u, p->other, stream));
    TRY(solve(&p->rows, p->other, stream));
    return transpose(s, p->other, s->u, stream);
}

void heat_cusparse_close(struct heat_cusparse *p)
{
    for (struct peer_call *call : {&p->rows, &p->columns}) {
        if (call->peer)
            (void)call->peer->close(call);
        (void)cudaFree(call->copies);
    }
    (void)cudaFree(p->other);
}
