/* What the experiment over MPI ranks (main.cu) and its tests (check.cu) share: where a rank works,
 * and the two problems, a wave function and a given system, with their results verified. */
#ifndef NSHAPE_MPI_MAIN_H
#define NSHAPE_MPI_MAIN_H

#include "device_program.h"
#include "mpi_program.h"
#include "nshape_mpi.h"
#include "problems.h"

static const char NAME[] = "nshape_mpi";

/* Units of roundoff that are allowed as backward error, as in nshape: of a solution, and of a step
 * of norm 1. */
static const double UNITS = 16, STEP_UNITS = 26;

/* Print one line and end all ranks, so that none waits for this one for ever. */
void stop(const char *what);
#define CHECK_MPI(call)                                                                            \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            stop(cudaGetErrorString(error_));                                                      \
    } while (0)

/* ---- where a rank works ---- */

extern int cores; /* CPU cores of this rank; 0: it works on a GPU */

/* The first `gpus` ranks of a host get a GPU each (-1: as many as there are GPUs); the other ranks
 * share the host's cores. A root alone does not count. Collective. */
void choose_place(int gpus, enum nshape_mpi_root root);

/* "2 x NVIDIA H100 + 1 x CPU" for the CSV file, and the most cores of any rank; collective. */
const char *places(int *cores_of_rank);

/* memory_host() and memory_device() with stop() in place of exit(): main memory, and memory where
 * this rank works, on its GPU or for its CPU cores. The latter is filled with NaN, so that no
 * result can depend on what it contained. */
void *memory_cpu(struct memory *a, int64_t bytes);
void *memory_here(struct memory *a, int64_t bytes);
void copy_here(void *to, const void *from, int64_t bytes, enum cudaMemcpyKind kind);

/* One way to share n rows among the ranks: this rank has `rows` of them from row `first` on. A root
 * alone has none. */
struct share {
    struct nshape_mpi mpi;
    int64_t n, first, rows;
};

/* Rows in proportion to the ranks' speeds; collective. */
struct share share_rows(enum nshape_mpi_root root, int64_t n, double speed);

/* `size` bytes for each row from every rank, in order, to `whole` on rank 0; collective. */
void gather_rows(const struct share *s, const void *mine, void *whole, int64_t size);

/* ---- a wave function in a soft-core atom ---- */

struct wave {
    struct memory memory;
    char type;
    struct tdse plan[2];
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    double *psi; /* this rank's rows in double precision, 2 a row, by fetch_psi() */
};

static const double DX = 0.1, DT = 0.02;
double potential(int64_t n, int64_t i);
double psi_at(int64_t i, int part, int which); /* the initial psi; part 0: real, 1: imaginary */
double field_at(int64_t n, int step);          /* E(t), small enough for |E x| < 1 */

/* Collective. `which` makes initial states that differ. */
void open_wave(struct wave *w, const struct share *s, char type, enum nshape_mpi_order order,
               int which);
void close_wave(struct wave *w);
void fetch_psi(struct wave *w);

/* ---- a given system ---- */

/* Every rank makes the whole system and takes its rows; rank 0 keeps the whole to verify. */
struct given {
    struct memory memory;
    const struct share *share;
    char type;
    struct nshape plan;
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    void *in[4];        /* this rank's rows of sub, diag, super, rhs, which the solver destroys */
    void *whole[4], *x; /* rank 0: the whole system and its solution */
};

/* Collective. zero_row: a row whose coefficients become 0; -1: none. */
void open_given(struct given *g, const struct share *s, char type, enum system kind, uint64_t seed,
                int64_t zero_row);
void close_given(struct given *g);
void restore(struct given *g); /* in[] to the solver's arrays */

/* restore(), solve, and verify on rank 0; collective. */
struct solution {
    long long status;
    bool agreed; /* all ranks have the same status */
    struct nshape_mpi_times times;
    struct verdict verdict; /* rank 0's */
};
struct solution solve_given(struct given *g, enum nshape_mpi_order order);

int check(const struct options *options);

#endif
