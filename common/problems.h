/* Inputs of the experiments: a small generator with a fixed seed and the systems of the papers. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* splitmix64 (Steele, Lea, Flood 2014): 64 bits of state, the same stream on every machine. */
struct random {
    uint64_t state;
};
uint64_t random_bits(struct random *r);
double random_uniform(struct random *r, double low, double high); /* in [low, high) */

/* Store value in element i of an array of type 's' or 'd'. */
void put(char type, void *array, int64_t i, double value);
double get(char type, const void *array, int64_t i);
int size_of(char type); /* bytes a word: 4, 8; of the complex types 'c' and 'z' 8, 16 */

/* A complex word is two real ones: element i of type 'z' is elements 2 i (real part) and 2 i + 1 of type 'd'. */
bool is_complex(char type);
char real_type(char type); /* 's' of 's' and 'c', 'd' of 'd' and 'z' */

/* W12, problem B: w_i = scale w_{i-1} + offset. The paper gives no values. SCALE is so close to 1
 * that the product over all 2^20 unknowns is 1e-7: nothing underflows, and an error in any part of
 * the carries to the end. All three are exact in single precision. */
#define RECURRENCE_W0     1.0
#define RECURRENCE_SCALE  (1.0 - 1.0 / 65536)
#define RECURRENCE_OFFSET 0.5

/* General coefficients s_1..s_n, t_1..t_n of w_i = s_i w_{i-1} + t_i. */
enum recurrence_kind {
    RECURRENCE_CONTRACTING, /* |s| uniform in [0.1, 0.9), either sign: the past is forgotten */
    RECURRENCE_NEAR_ONE,    /* |s| = 1 -+ 1e-5: products neither vanish nor grow */
    RECURRENCE_WITH_ZEROS,  /* as contracting, every 17th s exactly 0: the chain restarts */
    RECURRENCE_KINDS
};
const char *recurrence_name(enum recurrence_kind kind);
void fill_recurrence(char type, enum recurrence_kind kind, uint64_t seed, int64_t n, void *s,
                     void *t);

/* W12, problem A: rows -off_i, diag_i, -off_i (see verify_tridiagonal). First and last row are x_0
 * and x_{n-1} themselves (diag 1, off 0). rhs is uniform in [-1, 1), never zero. */
enum tridiagonal_kind {
    TRIDIAGONAL_CONSTANT, /* 4, 1: constant coefficients, where one chain of eq. 9-12 serves eq. 13
                           */
    TRIDIAGONAL_DOMINANT, /* variable: off in [-1, 1), diag = 2|off| + [0.5, 1.5), either sign */
    TRIDIAGONAL_POISSON,  /* 2, 1: condition n^2 */
    TRIDIAGONAL_HEAT,     /* variable conductivity r in [0.1, 10): 1 + 2r, r */
    TRIDIAGONAL_WITH_ZEROS, /* as dominant, every 13th off exactly 0, where eq. 9 divides by zero */
    TRIDIAGONAL_KINDS
};
const char *tridiagonal_name(enum tridiagonal_kind kind);
void fill_tridiagonal(char type, enum tridiagonal_kind kind, uint64_t seed, int64_t n, void *diag,
                      void *off, void *rhs);

/* General tridiagonal systems, one after the other: rows sub_i, diag_i, super_i, rhs_i of system k at k n + i. The
 * first sub and the last super of a system, which no solver may use, are NaN. System k is the same whatever the batch.
 * In the complex types every coefficient but Poisson's is turned by an angle of its own; dominance is of moduli. */
enum system {
    SYSTEM_DOMINANT, /* off-diagonals in [-1, 1), |diag| = |sub| + |super| + [0.5, 1.5), either sign */
    SYSTEM_POISSON, /* -1, 2, -1: condition n^2 */
    SYSTEM_BARELY,  /* dominant by a part in a thousand: 1 + 1e-3 [0.5, 1.5) */
    SYSTEM_MIXED,   /* as dominant; each row and each system times a power of two, 2^-20 to 2^20 */
    SYSTEM_KINDS
};
const char *system_name(enum system kind);
void fill_systems(char type, enum system kind, uint64_t seed, int64_t n, int64_t batch, void *sub,
                  void *diag, void *super, void *rhs);

#ifdef __cplusplus
}
#endif
#endif
