/* Rows of results of the libraries that solve one tridiagonal system (peers.h). */
#pragma once

#include "peers.h"
#include "systems.h"

/* Solves the systems in s->host on one core, verifies x (s->host_x or else one of `scratch`), times
 * further solutions and adds a row. Before each solve() the four inputs are copied to `scratch`,
 * four arrays in main memory. solve() returns 0, a status, or -1 if this build has no such solver;
 * then nothing is added. `units`: the bound on the backward error of a row, in units of
 * roundoff. */
template <class Solve>
static inline void one_core_row(struct results *results, const char *variant,
                                const struct systems *s, void *const scratch[SYSTEM_ARRAYS],
                                const void *x, double elements, double units, int reps, Solve solve)
{
    auto restore = [&] {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            host_copy(scratch[i], s->host[i], systems_bytes(s));
    };
    long status = 0;
    restore();
    struct timing_sample solved = sample_cores([&] { status = solve(); });
    if (status < 0)
        return;
    if (x != s->host_x)
        host_copy(s->host_x, x, systems_bytes(s));
    struct row row = cpu_row(variant, s->type, s->n, s->batch > 1 ? s->batch : 0, 1, elements,
                             systems_verdict(s, units));
    if (status)
        row.status = "zero pivot";
    record_cores_after(solved, results, row, NULL, reps, restore, solve);
}

/* The same by peer(type, n, sub, diag, super, rhs), one system after the other. */
template <class Peer>
static inline void each_system_row(struct results *results, const char *variant,
                                   const struct systems *s, void *const scratch[SYSTEM_ARRAYS],
                                   double elements, double units, int reps, Peer peer)
{
    one_core_row(results, variant, s, scratch, scratch[3], elements, units, reps, [&] {
        long status = 0;
        for (int64_t k = 0; k < s->batch && status == 0; k++) {
            auto of = [&](int i) { return (char *)scratch[i] + k * s->n * size_of(s->type); };
            status = peer(s->type, s->n, of(0), of(1), of(2), of(3));
        }
        return status;
    });
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
    library_row(
        results, variant, reps, row, [&] { return peer_cusparse_open(&peer); },
        [&](cudaStream_t stream) { return peer_cusparse_reset(&peer, stream); },
        [&](cudaStream_t stream) { return peer_cusparse_solve(&peer, stream); },
        [&] { return peer_cusparse_close(&peer); });
}
#endif
