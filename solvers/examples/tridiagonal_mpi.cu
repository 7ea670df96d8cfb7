/* The example of tridiagonal_mpi.h in a program that checks its result. Every row is -1, 2.5, -1,
 * and the solution is x_i = i mod 7. Start it by mpirun, one rank for each GPU, or without
 * mpirun. */
#include <math.h>

#include "tridiagonal_mpi.h"

// This rank has n of `total` rows on its GPU, from row `first` on. All ranks call this
// function and get the same result: 0, 1 + the row of a breakdown, or -1: not run.
long long solve(MPI_Comm comm, int64_t first, int64_t n, int64_t total, const double *sub,
                const double *diag, const double *super, const double *rhs, double *x)
{
    struct tridiagonal_mpi s = {};
    struct tridiagonal_mpi_link *link;
    long long status = -1;
    void *workspace = NULL;
    s.type = 'd', s.n = n, s.first = first, s.total = total, s.pivot = 1;
    s.sub = sub, s.diag = diag, s.super = super, s.rhs = rhs, s.x = x, s.status = &status;
    if (tridiagonal_mpi_open(comm, &s, &link) != cudaSuccess) // once
        return -1;
    size_t bytes = tridiagonal_mpi_workspace(&s);
    cudaMalloc(&workspace, bytes);
    tridiagonal_mpi_prepare(&s, workspace, bytes, 0);     // once
    tridiagonal_mpi_solve(link, &s, workspace, bytes, 0); // if it fails, status stays -1
    cudaFree(workspace);
    tridiagonal_mpi_close(link);
    return status;
}

int main(int argc, char **argv)
{
    enum { TOTAL = 1000 };
    static double host[5][TOTAL]; /* sub, diag, super, rhs, x of this rank's rows */
    double *device[5];
    int rank, ranks, gpus, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(cudaGetDeviceCount(&gpus));
    CHECK(cudaSetDevice(rank % gpus));
    int first = TOTAL * rank / ranks, n = TOTAL * (rank + 1) / ranks - first;
    for (int k = 0; k < n; k++) {
        int i = first + k;
        host[0][k] = host[2][k] = -1;
        host[1][k] = 2.5;
        host[3][k] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < TOTAL - 1 ? (i + 1) % 7 : 0);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    if (solve(MPI_COMM_WORLD, first, n, TOTAL, device[0], device[1], device[2], device[3],
              device[4]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    CHECK(cudaMemcpy(host[4], device[4], sizeof host[4], cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; k++)
        if (!(fabs(host[4][k] - (first + k) % 7) < 1e-13))
            wrong = 1;
    if (n > 0 && !wrong)
        printf("rank %d: x_%d = %g\n", rank, first + n - 1, host[4][n - 1]);
    MPI_Finalize();
    return wrong;
}
