/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#pragma once

#include "cpu.h"
#include "device_program.h"
#include "pscheme_g.h"

/* Indices of variants[]: the values of enum pscheme_g_variant, enum pscheme_g_transposition and
 * enum cpu_method, then ONE_PASS. */
enum {
    FIRST_TRANSPOSITION = PSCHEME_G_VARIANTS,
    FIRST_CPU = FIRST_TRANSPOSITION + (int)TRANSPOSITIONS,
    ONE_PASS = FIRST_CPU + (int)CPU_METHODS
};
extern const struct variant variants[];

/* On the device: the arrays of pscheme_g.h, and `natural`, which receives w in natural order. On
 * the host: w_0..w_n (host), the workspace of P-scheme, s and t, and the exact solution, with which
 * every result is compared. */
struct problem {
    struct memory memory;
    void *w, *products, *carry, *natural, *s, *t;
    void *host, *host_products, *host_s, *host_t;
    struct recurrence_value *values;
};

/* For n unknowns in at most `parts` parts. Exits with status 3 if there is too little memory. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* Copies host_s and host_t to the device and computes `values`. */
void begin(struct problem *b, char type, int64_t n);

/* The coefficients of W13's case 'L', 'M' or 'H'. In case 'C', for the tests, |s| < 1, so the
 * products of s vanish in long parts. make_problem stores them in s and t on host and device. */
struct pscheme_g_coefficient coefficient_of(char case_);
void make_problem(struct problem *b, char type, int64_t n, char case_);

struct pscheme_g plan(struct problem *b, int variant, char type, int64_t n, int blocks, int threads,
                      char case_);

/* Solve into arrays of NaN and verify: on the GPU, and by a method of cpu.h. */
struct verdict solve(struct problem *b, const struct pscheme_g *g);
struct verdict solve_cpu(struct problem *b, enum cpu_method method, char type, int64_t n,
                         char case_, int cores);

/* Transposes test values from w to `natural`. Returns true if every element is right. */
bool transposes(struct problem *b, char type, enum pscheme_g_transposition how, int64_t rows,
                int64_t columns);

/* The functions of the phases; their context is a struct pscheme_g. */
enum { TOTAL = 3, PHASES };
extern const device_work work_of[PHASES];

int check(const struct options *o);
