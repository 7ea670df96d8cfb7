/* What the experiment (main.cu) and its tests (check.cu) share. */
#ifndef PSCHEME_G_MAIN_H
#define PSCHEME_G_MAIN_H

#include "cpu.h"
#include "device_program.h"
#include "pscheme_g.h"

/* Indices of variants[]: first those of enum pscheme_g_variant, then those of enum
 * pscheme_g_transposition, then those of enum cpu_method. */
enum {
    FIRST_TRANSPOSITION = PSCHEME_G_VARIANTS,
    FIRST_CPU = FIRST_TRANSPOSITION + (int)TRANSPOSITIONS,
    ONE_PASS = FIRST_CPU + (int)CPU_METHODS,
    CUB_SCAN
};
extern const struct variant variants[];

/* Device: w, the products a_i, what enters and leaves the parts, w in natural order, s and t. Host:
 * w_0..w_n, the products of the CPU's P-scheme, and the s and t with which every result is
 * verified. */
struct problem {
    struct memory memory;
    void *w, *products, *carry, *natural, *s, *t;
    void *host, *host_products, *host_s, *host_t;
};

/* Memory for n unknowns in up to `parts` parts. Exits if the device has too little. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* host_s and host_t to the device. */
void upload(struct problem *b, char type, int64_t n);

/* W13's coefficients of a case: 'L', 'M', 'H'. 'C' is for the tests: a contracting recurrence,
 * whose products vanish. */
struct pscheme_g_coefficient coefficient_of(char case_);
void make_problem(struct problem *b, char type, int64_t n, char case_);

struct pscheme_g plan(struct problem *b, int variant, char type, int64_t n, int blocks, int threads,
                      char case_);

/* Solve on poisoned memory and verify. */
struct verdict solve(struct problem *b, const struct pscheme_g *g);
struct verdict solve_cpu(struct problem *b, enum cpu_method method, char type, int64_t n,
                         char case_, int cores);

/* Transpose a rows x columns array, from w to natural, and compare every element. */
bool transposes(struct problem *b, char type, enum pscheme_g_transposition how, int64_t rows,
                int64_t columns);

/* Is any variant asked for but those of solvers/bench/recurrence.cu? */
bool has_paper_variant(const struct options *o);

int check(const struct options *o);

#endif
