/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#ifndef PSCHEME_G_MAIN_H
#define PSCHEME_G_MAIN_H

#include "cpu.h"
#include "device_program.h"
#include "pscheme_g.h"

/* Indices of variants[]. First come the values of enum pscheme_g_variant, then those of enum
 * pscheme_g_transposition, then those of enum cpu_method, then ONE_PASS. */
enum {
    FIRST_TRANSPOSITION = PSCHEME_G_VARIANTS,
    FIRST_CPU = FIRST_TRANSPOSITION + (int)TRANSPOSITIONS,
    ONE_PASS = FIRST_CPU + (int)CPU_METHODS
};
extern const struct variant variants[];

/* The arrays of the program. On the device there are w, products, carry, s and t as in pscheme_g.h,
 * and `natural`, which receives w in natural order. On the host `host` receives w_0..w_n.
 * host_products is the workspace of P-scheme on the CPU. host_s and host_t hold the coefficients,
 * and `values` the exact solution that every result is compared with. */
struct problem {
    struct memory memory;
    void *w, *products, *carry, *natural, *s, *t;
    void *host, *host_products, *host_s, *host_t;
    struct recurrence_value *values;
};

/* Allocates the arrays for n unknowns in at most `parts` parts. Exits with status 3 if there is not
 * enough memory. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* Begins a problem whose coefficients are in host_s and host_t: copies them to the device and
 * computes `values`. */
void begin(struct problem *b, char type, int64_t n);

/* coefficient_of returns the coefficients of W13's case 'L', 'M' or 'H'. Case 'C' is for the tests:
 * |s| < 1, so the products of s vanish in long parts. make_problem stores the coefficients of a
 * case in the arrays s and t, on the host and on the device. */
struct pscheme_g_coefficient coefficient_of(char case_);
void make_problem(struct problem *b, char type, int64_t n, char case_);

struct pscheme_g plan(struct problem *b, int variant, char type, int64_t n, int blocks, int threads,
                      char case_);

/* Both functions fill the result with NaN, solve the recurrence, and return the verdict of the
 * verification. solve uses the GPU, and solve_cpu uses a method of cpu.h. */
struct verdict solve(struct problem *b, const struct pscheme_g *g);
struct verdict solve_cpu(struct problem *b, enum cpu_method method, char type, int64_t n,
                         char case_, int cores);

/* Transposes an array of rows x columns test values from w to `natural`. Returns true if every
 * element of the result is right. */
bool transposes(struct problem *b, char type, enum pscheme_g_transposition how, int64_t rows,
                int64_t columns);

int check(const struct options *o);

#endif
