/* Inputs of the experiments: random numbers from a fixed seed, and the systems of the papers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

__BEGIN_DECLS

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
struct random {
    uint64_t state;
};
uint64_t random_bits(struct random *r);
/* Leaves out the next `count` numbers at once, so that threads can draw parts of one sequence. */
void random_skip(struct random *r, int64_t count);
/* Uniformly distributed in [low, high). */
double random_uniform(struct random *r, double low, double high);

/* Write and read element i of an array of type 's' (float), 'd' (double), 'h' (IEEE half) or 'b'
 * (bfloat16). */
void put(char type, void *array, int64_t i, double value);
double get(char type, const void *array, int64_t i);
/* Bytes of an element: 2 for 'h' and 'b', 4 for 's', 8 for 'd' and 'c', 16 for 'z' */
int size_of(char type);

/* Element i of an array of type 'z' consists of the elements 2 i (real part) and 2 i + 1 (imaginary
 * part) of the same array as type 'd'. */
bool is_complex(char type);
char real_type(char type); /* 's' for 'c', 'd' for 'z', else the same */

/* W12, problem B: w_i = scale w_{i-1} + offset. The paper gives no constants. These are exact in
 * single precision. The 2^20-th power of RECURRENCE_SCALE is 1e-7: no product underflows, and an
 * error in any part of the array is still visible in the last unknown. */
#define RECURRENCE_W0     1.0
#define RECURRENCE_SCALE  (1.0 - 1.0 / 65536)
#define RECURRENCE_OFFSET 0.5

/* Kinds of coefficients s_1..s_n, t_1..t_n for the recurrence w_i = s_i w_{i-1} + t_i. */
enum recurrence_kind {
    /* |s| uniform in [0.1, 0.9), random sign: products of many s become tiny. */
    RECURRENCE_CONTRACTING,
    RECURRENCE_NEAR_ONE,   /* |s| is 1 + 1e-5 or 1 - 1e-5: products neither vanish nor grow */
    RECURRENCE_WITH_ZEROS, /* like contracting, but every 17th s is 0, so w_i = t_i there */
    RECURRENCE_KINDS
};
const char *recurrence_name(enum recurrence_kind kind);
void fill_recurrence(char type, enum recurrence_kind kind, uint64_t seed, int64_t n, void *s,
                     void *t);

/* W12, problem A: row i is -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i; the first and the
 * last row have diag 1 and off 0. |rhs| is uniform in [0.001, 1), with random sign. */
enum tridiagonal_kind {
    /* diag 4, off 1. All rows are equal, so one set of coefficients of W12 eq. 9-12 is enough */
    TRIDIAGONAL_CONSTANT,
    /* |off| uniform in [0.001, 1), |diag| = 2|off| + r with r uniform in [0.5, 1.5), random
     * signs */
    TRIDIAGONAL_DOMINANT,
    /* diag 2, off 1; the condition number grows as n^2 */
    TRIDIAGONAL_POISSON,
    /* heat equation with variable conductivity r in [0.1, 10): diag 1 + 2r, off r */
    TRIDIAGONAL_HEAT,
    /* like TRIDIAGONAL_DOMINANT, but every 13th off is 0. W12 eq. 9 divides by off, so it cannot be
     * used here */
    TRIDIAGONAL_WITH_ZEROS,
    TRIDIAGONAL_KINDS
};
const char *tridiagonal_name(enum tridiagonal_kind kind);
void fill_tridiagonal(char type, enum tridiagonal_kind kind, uint64_t seed, int64_t n, void *diag,
                      void *off, void *rhs);

/* General tridiagonal systems, stored one after the other: row i of system k is at index k n + i.
 * The first sub and the last super of a system are NaN, because no solver may use them. System k is
 * the same for every batch size. In the complex types every coefficient (in SYSTEM_POISSON only
 * rhs) is multiplied by exp(i angle) with a random angle of its own. */
enum system {
    /* |sub| and |super| uniform in [0.001, 1), |diag| = |sub| + |super| + r with r uniform in [0.5,
     * 1.5), random signs */
    SYSTEM_DOMINANT,
    /* sub -1, diag 2, super -1; the condition number grows as n^2 */
    SYSTEM_POISSON,
    /* dominant by only 0.1 %: |diag| = (|sub| + |super|) (1 + 1e-3 r) with r uniform in [0.5,
     * 1.5) */
    SYSTEM_BARELY,
    /* like SYSTEM_DOMINANT, but each system is multiplied by a random power of two from 2^-20 to
     * 2^20, and each of its rows by a further one */
    SYSTEM_MIXED,
    SYSTEM_KINDS
};
const char *system_name(enum system kind);
void fill_systems(char type, enum system kind, uint64_t seed, int64_t n, int64_t batch, void *sub,
                  void *diag, void *super, void *rhs);

__END_DECLS
