/* One tridiagonal system by the N-shaped partition method (L22: Y. Lutsyshyn, F. Navarrete, D.
 * Bauer, arXiv:2205.00856, eq. 5):
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * (b, a, c, d and psi of L22, which counts from 1). Joint lines J_0 = 0 < J_1 < … < J_nbl = n - 1
 * cut the system into nbl blocks. RD and RU reduce each block by itself to two equations, with
 * which JD and JU join its two joint lines. The nbl + 1 joint lines are a tridiagonal system of
 * their own. RS solves it, by Thomas on one thread or by the same method again (nesting, L22 eq.
 * 6). SS computes the rows of a block from the two joint lines around it. Related: Wang's partition
 * method; SPIKE; the joint lines are a Schur complement.
 *
 * Copy: nshape.h nshape.cu nshape_stages.h common/device.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * No function allocates, prints or waits. A function that takes a stream puts work on it. It
 * returns the first error of a launch, or cudaErrorInvalidValue for an invalid struct: a number out
 * of range, a pointer that is NULL or not aligned. Then nothing is read or written. No rows are
 * exchanged (no pivoting). */
#ifndef NSHAPE_H
#define NSHAPE_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NSHAPE_NEST_MOST = 8 };

/* The blocks above and below a joint line both add a term to its a and d. */
enum nshape_joining {
    NSHAPE_EXTRA_ELEMENTS, /* each term is stored, and added later: every run gives the same bits */
    NSHAPE_ATOMIC          /* as in L22, atomic additions, in any order */
};

struct nshape {
    char type; /* 's', 'd', 'c', 'z': float, double, and pairs of them (real, imaginary) */
    int64_t n; /* rows, >= 1 */
    /* Inputs, destroyed as in L22: n elements each, aligned to an element (16 bytes for 'z'). sub_0
     * and super_{n-1} have no effect. */
    void *sub, *diag, *super, *rhs;
    void *x; /* output: n elements, aligned in the same way */
    /* The number of nested applications, n_it of L22: 0 (Thomas on one thread) to
     * NSHAPE_NEST_MOST. */
    int nest;
    /* The number of blocks of each application, nbl of L22: 1 <= parts[0] <= n - 1, 1 <= parts[l]
     * <= parts[l-1]. Application l leaves parts[l] + 1 joint lines. n = 1 uses none. */
    int64_t parts[NSHAPE_NEST_MOST];
    /* J_0 … J_parts[0] of the first application, or NULL: equal blocks, which differ by one row at
     * most. The further applications have equal blocks. */
    const int64_t *joints;
    enum nshape_joining joining;
    void *work; /* nshape_work() bytes, aligned to 16; unused if that is 0 */
    /* Output, one number: 0, or 1 + i of the first row i of the given system whose pivot is zero
     * within the rounding of its terms, NaN or out of range. Then the contents of x are undefined.
     *
     * Range: the size |re| + |im| of a pivot must be above 2^-127 (in double precision 2^-1023),
     * and the sum of the sizes of its terms must not overflow. A pivot above 2^126 (2^1022) costs
     * two bits, as its inverse is below the smallest normal number. The status does not depend on
     * rhs and x: overflow there makes x infinite or NaN. One failure is not seen: if row i - 1 or i
     * + 1 is so much larger than row i that sub_i or super_i over its pivot is below the smallest
     * normal number, then x is wrong. */
    long long *status;
    int threads; /* T of a GPU block, 1 to 1024 */
};

/* A struct with everything but the pointers: equal blocks, NSHAPE_EXTRA_ELEMENTS, T = 128. */
struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *parts);

/* Bytes of the workspace. */
size_t nshape_work(const struct nshape *s);

/* The joint lines of application l, 0 <= l < nest, in the workspace: arrays of parts[l] + 1
 * elements each, which are the reduced system. */
struct nshape_lines {
    void *sub, *diag, *super, *rhs, *x;
};
struct nshape_lines nshape_lines(const struct nshape *s, int l);

/* All stages. The arrays are device memory. */
cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream);

/* All stages on `cores` CPU cores; the arrays are host memory. A core works on one block after the
 * other. Returns cudaSuccess or cudaErrorInvalidValue. */
cudaError_t nshape_solve_cpu(const struct nshape *s, int cores);

/* One stage of L22 Table 1, of the first application. They must be called in this order, which is
 * that of L22 5.2.1. nshape_stages.h has the formulas. */
enum nshape_stage {
    NSHAPE_RD,
    NSHAPE_JD,
    NSHAPE_RU,
    NSHAPE_JU,
    NSHAPE_RS, /* with all nested applications */
    NSHAPE_SS,
    NSHAPE_STAGES
};
cudaError_t nshape_stage(const struct nshape *s, enum nshape_stage stage, cudaStream_t stream);

/* ---- a part of a larger system, as an MPI rank has it (nshape_mpi.h) ----
 *
 * The n >= 2 rows of the struct are the joint lines J_w and J_{w+1} of the larger system and the
 * rows between. A joint line belongs to two parts: diag and rhs of it must be 0 in one of them.
 * Required are nest >= 1, parts[nest-1] = 1 and NSHAPE_EXTRA_ELEMENTS. The result is
 * nshape_lines(s, nest - 1): two elements in each array, for J_w and J_{w+1}. */
enum nshape_part_stage {
    /* RD, JD. Then sub, diag and rhs of J_{w+1} are ready, to be added to those of the other
     * part. */
    NSHAPE_PART_DOWN,
    /* RU, JU. Then diag, super and rhs of J_w and *status are ready. */
    NSHAPE_PART_UP,
    /* 1/diag of the rows between, while RS runs elsewhere (L22 5.2.3). */
    NSHAPE_PART_INVERT,
    /* SS. x of both lines must be set before. */
    NSHAPE_PART_FINISH,
    /* SS after NSHAPE_PART_INVERT. Equal but for how the compiler contracts products and sums. */
    NSHAPE_PART_FINISH_INVERTED,
    /* tdse.h alone: makes the factors to keep. All of both lines but rhs is then ready. */
    NSHAPE_PART_KEEP
};

/* One stage of a part. On CPU cores: tridiagonal_cpu_reduce() and _finish() of
 * tridiagonal_cpu.h. */
cudaError_t nshape_part(const struct nshape *s, enum nshape_part_stage stage, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
