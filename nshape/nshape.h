/* The N-shaped partition method (Y. Lutsyshyn, F. Navarrete, D. Bauer, arXiv:2205.00856, "L22") for one tridiagonal
 * system
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * (L22's b, a, c, d and psi, which count from 1). Joint lines J_0 = 0 < J_1 < … < J_nbl = n - 1 cut it into nbl
 * blocks; each block is reduced by itself (RD, RU) to two equations that join its two joint lines (JD, JU); the nbl + 1
 * joint lines are a tridiagonal system of their own (RS), solved by one thread or by the same method again
 * (nesting); the rows between follow from the two joint lines around them (SS).
 *
 * Copy: nshape.h nshape.cu nshape_stages.h common/device.h common/device_limits.h; for a CPU also common/cpu_device.
 * Nothing here allocates, prints or waits: a function that takes a stream puts work on it and
 * returns the first error of a launch, or cudaErrorInvalidValue for a struct that makes no sense or
 * has a pointer that is NULL or not aligned; then nothing was touched. No pivoting: for matrices
 * that need none. */
#ifndef NSHAPE_H
#define NSHAPE_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NSHAPE_NEST_MOST = 8 };

/* How the two blocks that meet at a joint line add to its a and d. */
enum nshape_joining {
    NSHAPE_EXTRA_WORDS, /* each into words of its own, added later: the same bits on every run */
    NSHAPE_ATOMIC       /* L22: two atomic additions to what is there, in either order */
};

struct nshape {
    char type; /* 's', 'd', 'c', 'z': float, double, and pairs of them (real, imaginary) */
    int64_t n; /* >= 1 */
    /* n words each, aligned to a word (both parts of a complex number: 8 and 16 bytes); destroyed,
     * as in L22. sub_0 and super_{n-1} have no effect. */
    void *sub, *diag, *super, *rhs;
    void *x; /* out: n words, aligned as those */
    /* L22's n_it, 0 (Thomas by one thread) to NSHAPE_NEST_MOST, and the blocks of each application: 1 <= parts[0] <=
     * n - 1, 1 <= parts[l] <= parts[l-1] (which leaves parts[l-1] + 1 lines). With n = 1 none are used. */
    int nest;
    int64_t parts[NSHAPE_NEST_MOST];
    /* J_0 … J_parts[0], or NULL: blocks that differ by one row at most. The reduced systems are cut equally. */
    const int64_t *joints;
    enum nshape_joining joining;
    void *work; /* nshape_work() bytes, aligned to 16; not looked at if that is 0 */
    /* out, one word: 0, or 1 + i of the first row i (as the system has it) with a pivot that is
     * zero within rounding of its terms, not a number or out of range; then x means nothing. Range:
     * sizes |re| + |im| of a pivot above 2^-127 (in double precision 2^-1023), and a sum of its
     * terms' sizes that does not overflow. A pivot above 2^126 (2^1022) costs two bits, as its
     * inverse is below the smallest normal number. rhs and x are not looked at: what overflows
     * there is infinite or NaN in x. Not seen either: x is wrong where sub_i over the pivot of row
     * i - 1, or super_i over that of row i + 1, falls below the smallest normal number because that
     * row is so much larger than row i. */
    long long *status;
    int threads; /* T of a GPU block, 1 to 1024 */
};

/* Fill in everything but pointers: equal blocks, extra words, T = 128. */
struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *parts);

size_t nshape_work(const struct nshape *s);

/* Where in work the joint lines of application l are: the reduced system, parts[l] + 1 words each. */
struct nshape_lines {
    void *sub, *diag, *super, *rhs, *x;
};
struct nshape_lines nshape_lines(const struct nshape *s, int l);

/* All stages; arrays are device memory. */
cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream);

/* The same on `cores` CPU cores, arrays are host memory: one thread of the CPU for each block at a time. 0, or
 * cudaErrorInvalidValue. */
cudaError_t nshape_solve_cpu(const struct nshape *s, int cores);

/* One stage of L22's Table 1, of the first application, in the order RD, JD, RU, JU (L22 5.2.1). What a stage
 * leaves where is said in nshape.cu. */
enum nshape_stage {
    NSHAPE_RD,
    NSHAPE_JD,
    NSHAPE_RU,
    NSHAPE_JU,
    NSHAPE_RS, /* with the applications that are nested in it */
    NSHAPE_SS,
    NSHAPE_STAGES
};
cudaError_t nshape_stage(const struct nshape *s, enum nshape_stage stage, cudaStream_t stream);

/* ---- a part of a larger system, as an MPI rank has it (nshape_mpi.h) ----
 *
 * The n >= 2 rows of the struct are then J_w … J_{w+1} of that system. Each of these two rows is in two parts: diag and
 * rhs must be 0 in one of them. nest >= 1, parts[nest-1] = 1, extra words. The joint lines of the last application,
 * nshape_lines(s, nest - 1), are what the part leaves of itself: two words an array, for J_w and J_{w+1}. */
enum nshape_part_stage {
    NSHAPE_PART_DOWN, /* RD, JD: sub, diag, rhs of J_{w+1} are ready, which are to be added to the other part's */
    NSHAPE_PART_UP, /* RU, JU: diag, super, rhs of J_w are ready; *status, as nshape_solve leaves it */
    NSHAPE_PART_INVERT, /* 1/diag, if there is nothing else to do (L22 5.2.3) */
    NSHAPE_PART_FINISH, /* SS; x of both lines must be there */
    NSHAPE_PART_FINISH_INVERTED, /* SS after NSHAPE_PART_INVERT; the same but for what a compiler contracts */
    NSHAPE_PART_KEEP /* of tdse.h alone: the factors; all but rhs of both lines is ready */
};

/* On CPU cores: tridiagonal_cpu_reduce() and _finish(), tridiagonal_cpu.h. */
cudaError_t nshape_part(const struct nshape *s, enum nshape_part_stage stage, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
