/* Other libraries that solve the same problems: LAPACK, cuSPARSE and CUB. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#include "device_program.h"
#include "problems.h"
extern "C" {
#endif

/* Solves a tridiagonal system of n rows in host memory by LAPACK's xGTSV, which pivots. All four
 * arrays are overwritten; the solution replaces rhs. Returns 0 if the system is solved, 1 + i if
 * the pivot of row i is exactly 0, and -1 if this build has no LAPACK. */
long peer_lapack(char type, int64_t n, void *sub, void *diag, void *super, void *rhs);
/* The same by Intel MKL's xDTSVB, without pivoting; -1 if this machine has no MKL. */
long peer_mkl(char type, int64_t n, void *sub, void *diag, void *super, void *rhs);

#ifdef __cplusplus
/* What a peer solves: n rows of `batch` systems, whose sub_0 and super_{n-1} count as 0. Arrays are
 * in device memory. The matrix is not modified. */
struct peer_call {
    char type;
    bool interleaved;
    int64_t n, batch;
    const void *sub, *diag, *super, *rhs;
    void *x;
    /* n * batch elements for each of sub, diag and super, which a peer may overwrite */
    void *copies;
    const struct peer *peer; /* this and what follows: set by open */
    void *storage, *handle;
};

/* A library's solver, which a variant names (options.h). open allocates the library's workspace and
 * returns cudaErrorMemoryAllocation if there is no memory for it; it is NULL if this build has no
 * such library. reset prepares a solution, and solve leaves it in x. close frees the workspace. */
struct peer {
    int algorithm; /* for the peer's own use */
    cudaError_t (*open)(struct peer_call *);
    cudaError_t (*reset)(const struct peer_call *, cudaStream_t);
    cudaError_t (*solve)(const struct peer_call *, cudaStream_t);
    cudaError_t (*close)(struct peer_call *);
};
}
/* Solves once, calls row(), which verifies x and returns a row of results, and times further
 * solutions, each after a reset. Adds nothing if open() finds no memory for the workspace. */
template <class Row, class Open, class Reset, class Solve, class Close>
static inline void library_row(struct results *results, const char *variant, int reps, Row row,
                               Open open, Reset reset, Solve solve, Close close)
{
    cudaError_t error = open();
    if (error == cudaErrorMemoryAllocation) {
#ifdef __CUDACC__
        cudaGetLastError(); /* clears the error */
#endif
        fprintf(stderr, "%s: no memory for its workspace: left out\n", variant);
    } else {
        CHECK(error);
        CHECK(reset(0));
        CHECK(solve(0));
        record(results, row(), reps, reset, solve);
    }
    CHECK(close());
}
/* The same for the peer of a variant. */
template <class Row>
static inline void peer_row(struct results *results, const struct variant *variant,
                            struct peer_call call, int reps, Row row)
{
    const struct peer *peer = call.peer = variant->peer;
    device_poison(call.x, (size_t)(call.n * call.batch * size_of(call.type)));
    if (peer->open)
        library_row(
            results, variant->name, reps, row, [&] { return peer->open(&call); },
            [&](cudaStream_t stream) { return peer->reset(&call, stream); },
            [&](cudaStream_t stream) { return peer->solve(&call, stream); },
            [&] { return peer->close(&call); });
}

extern "C" {
/* In GPU builds only. Arrays are in device memory. open allocates the library's workspace, close
 * frees it. */

/* The recurrence w_i = s_i w_{i-1} + t_i, i = 1..n, to be solved by cub::DeviceScan. s holds
 * s_1..s_n, t holds t_1..t_n, and w receives w_1..w_n. The type is 's' or 'd'. */
struct peer_cub {
    char type;
    int64_t n;
    double w0;
    const void *s, *t;
    void *w;
    void *storage; /* set by open */
    size_t bytes;
};
cudaError_t peer_cub_open(struct peer_cub *p);
cudaError_t peer_cub_solve(const struct peer_cub *p, cudaStream_t stream);
cudaError_t peer_cub_close(struct peer_cub *p);

/* A tridiagonal system of n >= 3 rows, to be solved by cuSPARSE's gtsv2 (with pivoting) or
 * gtsv2_nopivot. sub_0 and super_{n-1} must be 0. cuSPARSE overwrites the right-hand side in x by
 * the solution, so each solution needs a reset, which copies rhs to x. open returns
 * cudaErrorMemoryAllocation if the workspace finds no memory; close is needed in any case. */
struct peer_cusparse {
    char type;
    bool pivoting;
    int64_t n;
    const void *sub, *diag, *super, *rhs;
    void *x;
    void *storage, *handle; /* set by open */
};
cudaError_t peer_cusparse_open(struct peer_cusparse *p);
cudaError_t peer_cusparse_reset(const struct peer_cusparse *p, cudaStream_t stream);
cudaError_t peer_cusparse_solve(const struct peer_cusparse *p, cudaStream_t stream);
cudaError_t peer_cusparse_close(struct peer_cusparse *p);
}
#endif
