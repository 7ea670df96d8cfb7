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

/* Write and read element i of an array of type 's' or 'd'. */
void put(char type, void *array, int64_t i, double value);
double get(char type, const void *array, int64_t i);
int size_of(char type); /* bytes of an element: 4 or 8; complex ('c', 'z') 8 or 16 */

/* A complex element is two real ones: element i of type 'z' is elements 2 i (real part) and 2 i + 1
 * (imaginary part) of type 'd'. */
bool is_complex(char type);
char real_type(char type); /* 's' for 's' and 'c', 'd' for 'd' and 'z' */

/* W12, problem B: w_i = scale w_{i-1} + offset. The paper gives no values. SCALE is so close to 1
 * that its product over all 2^20 unknowns is 1e-7: nothing underflows, and an error in any part
 * still shows in the last unknown. All three are exact in single precision. */
#define RECURRENCE_W0     1.0
#define RECURRENCE_SCALE  (1.0 - 1.0 / 65536)
#define RECURRENCE_OFFSET 0.5

/* General coefficients s_1..s_n, t_1..t_n of w_i = s_i w_{i-1} + t_i. */
enum recurrence_kind {
    RECURRENCE_CONTRACTING, /* |s| uniform in [0.1, 0.9), either sign: products of s vanish */
    RECURRENCE_NEAR_ONE,    /* |s| = 1 -+ 1e-5: products neither vanish nor grow */
    RECURRENCE_WITH_ZEROS,  /* as contracting, but every 17th s is 0: w_i = t_i starts afresh */
    RECURRENCE_KINDS
};
const char *recurrence_name(enum recurrence_kind kind);
void fill_recurrence(char type, enum recurrence_kind kind, uint64_t seed, int64_t n, void *s,
                     void *t);

/* W12, problem A: rows -off_i, diag_i, -off_i (see verify_tridiagonal). The first and the last row
 * give x_0 and x_{n-1} themselves (diag 1, off 0). |rhs| is uniform in [0.001, 1), either sign. */
enum tridiagonal_kind {
    /* diag 4, off 1: constant, so that one chain of W12 eq. 9-12 serves W12 eq. 13 */
    TRIDIAGONAL_CONSTANT,
    /* off in [-1, 1), |diag| = 2|off| + [0.5, 1.5), either sign */
    TRIDIAGONAL_DOMINANT,
    /* diag 2, off 1: condition n^2 */
    TRIDIAGONAL_POISSON,
    /* variable conductivity r in [0.1, 10): diag 1 + 2r, off r */
    TRIDIAGONAL_HEAT,
    /* as dominant, but every 13th off is 0, by which W12 eq. 9 divides */
    TRIDIAGONAL_WITH_ZEROS,
    TRIDIAGONAL_KINDS
};
const char *tridiagonal_name(enum tridiagonal_kind kind);
void fill_tridiagonal(char type, enum tridiagonal_kind kind, uint64_t seed, int64_t n, void *diag,
                      void *off, void *rhs);

/* General tridiagonal systems, one after the other: row i of system k has its sub, diag, super and
 * rhs at k n + i. The first sub and the last super of a system are NaN, since no solver may use
 * them. System k does not depend on the batch. In the complex types every coefficient but Poisson's
 * is multiplied by exp(i angle) with an angle of its own; dominance is that of the moduli. */
enum system {
    /* sub and super in [-1, 1), |diag| = |sub| + |super| + [0.5, 1.5), either sign */
    SYSTEM_DOMINANT,
    /* -1, 2, -1: condition n^2 */
    SYSTEM_POISSON,
    /* dominant by a part in a thousand: |diag| = (|sub| + |super|) (1 + 1e-3 [0.5, 1.5)) */
    SYSTEM_BARELY,
    /* as dominant, but each row and each system is scaled by a power of two, 2^-20 to 2^20 */
    SYSTEM_MIXED,
    SYSTEM_KINDS
};
const char *system_name(enum system kind);
void fill_systems(char type, enum system kind, uint64_t seed, int64_t n, int64_t batch, void *sub,
                  void *diag, void *super, void *rhs);

#ifdef __cplusplus
}
#endif
#endif
