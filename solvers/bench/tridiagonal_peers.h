/* Rows of results of the libraries that solve one tridiagonal system (peers.h). */
#ifndef TRIDIAGONAL_PEERS_H
#define TRIDIAGONAL_PEERS_H

#include "peers.h"
#include "systems.h"

/* LAPACK's xGTSV on the system in s->host. `scratch` has four arrays in main memory for it to
 * overwrite. `units`: the bound on the backward error of a row, in units of roundoff. Adds nothing
 * in a build without LAPACK. */
static inline void lapack_row(struct results *results, const struct systems *s,
                              void *const scratch[SYSTEM_ARRAYS], double elements, double units,
                              int reps)
{
    auto restore = [&] {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            host_copy(scratch[i], s->host[i], systems_bytes(s));
    };
    auto solve = [&] {
        return peer_lapack(s->type, s->n, scratch[0], scratch[1], scratch[2], scratch[3]);
    };
    long status = 0;
    restore();
    struct timing_sample solved = sample_cores([&] { status = solve(); });
    if (status < 0)
        return;
    host_copy(s->host_x, scratch[3], systems_bytes(s));
    struct row row =
        cpu_row("lapack_gtsv", s->type, s->n, 0, 1, elements, systems_verdict(s, units));
    if (status)
        row.status = "zero pivot";
    record_cores_after(solved, results, row, NULL, reps, restore, solve);
}

/* cuSPARSE is called only for arrays of at most this many bytes. With 1.6e9 bytes (type z, n = 1e8,
 * CUDA 13.0), gtsv2 accesses memory outside its arrays. */
static const size_t CUSPARSE_MOST = (size_t)1 << 29;

#ifdef __CUDACC__
/* cuSPARSE on the system in `peer`, whose first sub and last super become 0, as it requires. After
 * a solution `row` verifies x and returns the row. */
template <class Row>
static inline void cusparse_row(struct results *results, const char *variant,
                                struct peer_cusparse peer, int reps, Row row)
{
    size_t element = (size_t)size_of(peer.type), bytes = (size_t)peer.n * element;
    if (peer.n < 3 || bytes > CUSPARSE_MOST)
        return;
    CHECK(cudaMemset((void *)peer.sub, 0, element));
    CHECK(cudaMemset((char *)peer.super + bytes - element, 0, element));
    cudaError_t error = peer_cusparse_open(&peer);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "%s: no memory for its workspace: left out\n", variant);
        return;
    }
    CHECK(error);
    CHECK(peer_cusparse_reset(&peer, 0));
    CHECK(peer_cusparse_solve(&peer, 0));
    record(
        results, row(), reps,
        [&](cudaStream_t stream) { return peer_cusparse_reset(&peer, stream); },
        [&](cudaStream_t stream) { return peer_cusparse_solve(&peer, stream); });
    CHECK(peer_cusparse_close(&peer));
}
#endif

#endif
