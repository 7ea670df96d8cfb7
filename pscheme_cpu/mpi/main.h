/* What the experiment (main.c) and its tests (check.c) of pscheme_mpi share. */
#ifndef PSCHEME_MPI_MAIN_H
#define PSCHEME_MPI_MAIN_H

#include "mpi_program.h"
#include "problem.h"
#include "pscheme_mpi.h"

enum variant_id { CHAIN, EXSCAN, TRIDIAGONAL_CHAIN, TRIDIAGONAL_EXSCAN, VARIANTS };
extern const struct variant variants[];

bool is_tridiagonal(enum variant_id v);
enum pscheme_mpi_how how_of(enum variant_id v);

extern struct pscheme_mpi mpi;

enum { PHASES = 3 }; /* precompute, propagate, determine */

/* One problem, its solution and the way to it. Problem B keeps s, t, w in diag, off, x. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, m, start;
    void *diag, *off, *rhs, *x, *work;                  /* this rank's rows, see pscheme_mpi.h */
    void *whole_diag, *whole_off, *whole_rhs, *whole_x; /* all rows, on rank 0 only */
    int64_t status;                                     /* of the last call */
};

/* Every array gets exactly the elements that the solvers ask for, so that a sanitizer finds an
 * access past the end. Exits on all ranks if one of them has no memory. */
struct run run_alloc(enum variant_id variant, char type, int64_t n);
void run_free(struct run *r);

/* Arrays begin as NaN, so that an element that a rank uses but does not have is seen. NULL if
 * there is no memory. */
void *elements_alloc(int64_t count, char type);
void elements_clear(int64_t count, char type, void *array);

/* Elements of this rank's x. */
int64_t x_elements(const struct run *r);

/* Distributes the inputs from rank 0's whole arrays. */
void scatter(struct run *r);

/* fill_constant (problem.h), and scatter. */
void fill(struct run *r, uint64_t seed);

/* Solves and sets the status. seconds: as in pscheme_mpi.h. */
void solve(struct run *r, double *seconds);

/* Gathers the result and verifies it on rank 0; elsewhere the verdict has no meaning. */
struct verdict verify(struct run *r);

/* The exit status is rank 0's. */
int check(const struct options *options);

#endif
