/* Declarations that the experiment over MPI ranks (main.cu) and its tests (check.cu) share. */
#pragma once

#include "mpi_place.h"
#include "nshape_mpi.h"
#include "problems.h"
#include "tdse/wave.h"
#include "tridiagonal_mpi.h"

static const char NAME[] = "nshape_mpi";

/* The allowed backward error in units of roundoff, of a solution and of a step, as in nshape. */
static const double UNITS = 16, STEP_UNITS = 26;

/* ---- memory and rows ---- */

/* memory_cpu() allocates main memory and memory_here() memory of this rank's device (main memory on
 * CPU ranks), filled with NaN. If there is too little, they end all ranks; memory_host() and
 * memory_device() would end only this one. */
void *memory_cpu(struct memory *a, int64_t bytes);
void *memory_here(struct memory *a, int64_t bytes);
void copy_here(void *to, const void *from, int64_t bytes, enum cudaMemcpyKind kind);

/* This rank has `rows` of n rows from row `first` on; a root without a part has none. */
struct share {
    struct nshape_mpi mpi;
    int64_t n, first, rows;
};

/* Shares n rows in proportion to the ranks' speeds. Collective. */
struct share share_rows(enum nshape_mpi_root root, int64_t n, double speed);

/* Copies the rows of every rank, `size` bytes each, to `whole` on rank 0. Collective. */
void gather_rows(const struct share *s, const void *mine, void *whole, int64_t size);

/* ---- wave functions in a soft-core atom ---- */

static const double DX = 0.1, DT = 0.02;
double potential(int64_t n, int64_t i);
/* The initial psi of row i; `which`: the number of the wave function. */
double psi_at(int64_t i, int imaginary, int which);
double field_at(int64_t n, int step); /* E in a step; it is so small that |E x| < 1 */

/* Returns a plan for `rows` of the grid's n rows, from row `first` on. */
struct tdse plan_rows(char type, int64_t n, int64_t first, int64_t rows, int nest,
                      const int64_t *parts);
/* Sets V and psi of the rows of w by potential() and psi_at(), and uploads them. */
void fill_wave(struct wave *w, int64_t n, int which);

/* A step by solvers/tridiagonal_mpi.h, which needs all ranks on GPUs. */
static const enum nshape_mpi_order BY_TRIDIAGONAL = (enum nshape_mpi_order)(NSHAPE_MPI_AHEAD + 1);

/* This rank's rows of a wave function. psi: set by fetch_psi(); NULL on a root without rows. */
struct rank_wave {
    struct wave wave;
    double *psi;
    /* by the paper's method */
    struct tdse ahead; /* NSHAPE_MPI_AHEAD: the plan of every other step */
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    /* by tridiagonal_mpi */
    struct tridiagonal_mpi solver;
    struct tridiagonal_mpi_link *link;
    void *work;
    size_t bytes;      /* of the workspace `work` */
    double around[8];  /* psi in the rows before, first, last and after, of psi's type */
    double seconds[2]; /* as in struct tridiagonal_mpi */
};
void fetch_psi(struct rank_wave *w);

/* Wave functions that make their steps together; BY_TRIDIAGONAL: a single one. */
enum { WAVES_MOST = 4 };
struct waves {
    int count;
    enum nshape_mpi_order order;
    struct rank_wave of[WAVES_MOST];
    struct nshape_mpi_system *systems[WAVES_MOST];
};
/* psi begins as psi_at(). `field`: that of all steps with NSHAPE_MPI_KEPT. step_waves() returns
 * when the steps are complete. Collective. */
void open_waves(struct waves *w, const struct share *s, char type, enum nshape_mpi_order order,
                int count, double field);
void close_waves(struct waves *w);
struct nshape_mpi_times step_waves(struct waves *w, const double *field, int steps);
/* Bytes of this rank's arrays: V and psi also as doubles in main memory, to set and verify them. */
double held_bytes(const struct waves *w);

/* ---- a given system ---- */

/* Every rank generates the whole system and copies its rows; rank 0 keeps it to verify. */
struct given {
    struct memory memory;
    const struct share *share;
    char type;
    struct nshape plan;
    struct nshape_mpi_part part;
    struct nshape_mpi_system *system;
    /* this rank's rows of sub, diag, super, rhs; the solver destroys copies of them */
    void *in[4];
    void *whole[4], *x; /* rank 0: the whole system and its solution */
};

/* zero_row: a row whose coefficients are set to 0; -1: none. Collective. */
void open_given(struct given *g, const struct share *s, char type, enum system kind, uint64_t seed,
                int64_t zero_row);
void close_given(struct given *g);
void restore(struct given *g); /* copies in[] to the solver's arrays */

/* Calls restore(), solves, and verifies on rank 0. Collective. */
struct solution {
    long long status;
    bool agreed; /* all ranks have the same status */
    struct nshape_mpi_times times;
    struct verdict verdict; /* set on rank 0 only */
};
struct solution solve_given(struct given *g, enum nshape_mpi_order order);

/* Tests everything. Returns the exit status, on rank 0. Collective. */
int check(const struct options *options);
