/* Declarations that the experiment (main.c) and the tests (check.c) of pscheme_mpi share. */
#pragma once

#include "mpi_program.h"
#include "problem.h"
#include "pscheme_mpi.h"

enum variant_id { CHAIN, EXSCAN, TRIDIAGONAL_CHAIN, TRIDIAGONAL_EXSCAN, VARIANTS };
extern const struct variant variants[];

bool is_tridiagonal(enum variant_id v);
enum pscheme_mpi_how how_of(enum variant_id v);

extern struct pscheme_mpi mpi;

enum { PHASES = 3 }; /* precompute, propagate, determine */

/* A problem, its solution and the arrays of its solvers. In problem B diag, off and x hold s, t and
 * w. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, m, start;
    void *diag, *off, *rhs, *x, *work; /* this rank's elements, see pscheme_mpi.h */
    void *whole_diag, *whole_off, *whole_rhs, *whole_x; /* all rows; NULL except on rank 0 */
    int64_t status;                                     /* return value of the last solver call */
};

/* Every array has exactly the size that pscheme_mpi.h states, so that a sanitizer finds an access
 * beyond its end. If a rank has no memory, all ranks exit. */
struct run run_alloc(enum variant_id variant, char type, int64_t n);
void run_free(struct run *r);

/* An array of NaN, or NULL if there is no memory. If a rank uses an element that it does not own,
 * NaN appears in the result. */
void *elements_alloc(int64_t count, char type);
void elements_clear(int64_t count, char type, void *array);

/* The number of elements of this rank's x. */
int64_t x_elements(const struct run *r);

/* Copies the inputs from rank 0 to all ranks. */
void scatter(struct run *r);

/* fill_constant (problem.h) and scatter. */
void fill(struct run *r, uint64_t seed);

/* Solves r and sets r->status. `seconds` is as in pscheme_mpi.h. */
void solve(struct run *r, double *seconds);

/* Gathers and verifies the result on rank 0, where alone the verdict is valid. */
struct verdict verify(struct run *r);

/* Returns the exit status, which is valid on rank 0 only. */
int check(const struct options *options);
