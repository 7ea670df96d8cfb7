/* One tridiagonal system by the N-shaped partition method (L22: Y. Lutsyshyn, F. Navarrete, D.
 * Bauer, arXiv:2205.00856, eq. 5):
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * L22 calls these b, a, c, d and psi, and counts rows from 1. Some rows are joint lines: J_0 = 0 <
 * J_1 < … < J_nbl = n - 1; between two of them lies a block. RD and RU reduce each block to two
 * equations, JD and JU use these to couple its two joint lines. The nbl + 1 joint lines are then a
 * tridiagonal system, the Schur complement. RS solves it, by Thomas on one thread or by the same
 * method again (nesting, L22 eq. 6). SS computes a block's rows from its two joint lines. Related:
 * Wang's partition method, SPIKE.
 *
 * Copy: nshape.h nshape.cu nshape_stages.h common/device.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * No function allocates, prints or waits. A function that takes a stream returns the first error of
 * a launch. For an invalid struct (a number out of range, a pointer that is NULL or not aligned) it
 * returns cudaErrorInvalidValue and reads and writes nothing. There is no pivoting. */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NSHAPE_NEST_MOST = 8 };

/* Both blocks beside a joint line add a term to its diag and a term to its rhs. */
enum nshape_joining {
    /* The terms are stored and added later, in a fixed order. Every run gives the same bits. */
    NSHAPE_EXTRA_ELEMENTS,
    /* atomic additions, as in L22: their order, and the last bits of x, can differ */
    NSHAPE_ATOMIC
};

struct nshape {
    /* 's', 'd': elements are float, double; 'c', 'z': pairs of them (real part, imaginary part) */
    char type;
    int64_t n; /* rows, >= 1 */
    /* inputs, destroyed as in L22, aligned to an element; sub_0 and super_{n-1} have no effect */
    void *sub, *diag, *super, *rhs;
    void *x; /* output: n elements, aligned to the size of an element */
    /* n_it of L22, the nested applications: 0 (Thomas on one thread) to NSHAPE_NEST_MOST */
    int nest;
    /* nbl of L22, the blocks of each application: 1 <= parts[0] <= n - 1, parts[l] <= parts[l-1] */
    int64_t parts[NSHAPE_NEST_MOST];
    /* J_0 … J_parts[0] of the first application, in device memory (nshape_solve_cpu: host memory).
     * NULL, and in later applications: equal blocks, whose sizes differ by at most one row. */
    const int64_t *joints;
    enum nshape_joining joining;
    void *work; /* nshape_work() bytes of workspace, aligned to 16; not used if that is 0 bytes */
    /* Output: 0, or 1 + i if row i of the given system has a bad pivot; then x is undefined. It is
     * the first such row in the first application that finds one. A pivot is a sum of an element of
     * diag and of what elimination adds. It is bad if it is NaN, out of range, or zero within the
     * rounding error of this sum.
     *
     * Range: |re| + |im| of a pivot must exceed 2^-127 (double: 2^-1023), and the sizes of its
     * terms must not overflow. Above 2^126 (2^1022) a pivot loses two bits. rhs and x do not change
     * the status.
     *
     * One failure is not detected: x is wrong if sub_i / pivot_{i-1} or super_i / pivot_{i+1} is
     * below the smallest normal number. */
    long long *status;
    int threads; /* T, the threads of a GPU block: 1 to 1024 */
};

/* Returns a struct with all members but the pointers: equal blocks, NSHAPE_EXTRA_ELEMENTS, T = 128.
 */
struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *parts);

/* Returns the size of the workspace in bytes. */
size_t nshape_work(const struct nshape *s);

/* Returns pointers into the workspace, to the parts[l] + 1 joint lines that application l leaves:
 * its reduced system and the solution x. */
struct nshape_lines {
    void *sub, *diag, *super, *rhs, *x;
};
struct nshape_lines nshape_lines(const struct nshape *s, int l);

/* Solves the system with all stages. All pointers of the struct are to device memory. */
cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream);

/* The same on `cores` CPU cores; pointers are to host memory. */
cudaError_t nshape_solve_cpu(const struct nshape *s, int cores);

/* Runs one stage of the first application (L22 Table 1), to be called in this order (L22 5.2.1). */
enum nshape_stage {
    NSHAPE_RD,
    NSHAPE_JD,
    NSHAPE_RU,
    NSHAPE_JU,
    NSHAPE_RS, /* including all nested applications */
    NSHAPE_SS,
    NSHAPE_STAGES
};
cudaError_t nshape_stage(const struct nshape *s, enum nshape_stage stage, cudaStream_t stream);

/* ---- one part of a larger system, for MPI ranks (nshape_mpi.h) ----
 *
 * The n >= 2 rows are the joint lines J_w and J_{w+1} and the rows between. Two parts share a joint
 * line: in one of them its diag and rhs must be 0. Required: nest >= 1, parts[nest-1] = 1,
 * NSHAPE_EXTRA_ELEMENTS. Results are in nshape_lines(s, nest - 1): element 0 is of J_w, element 1
 * of J_{w+1}. */
enum nshape_part_stage {
    /* RD, JD: sub, diag, rhs of J_{w+1}. The caller adds diag and rhs of the other part. */
    NSHAPE_PART_DOWN,
    /* RU and JU. Computes diag, super and rhs of J_w, and *status. */
    NSHAPE_PART_UP,
    /* 1/diag between the joint lines; needs no result of RS, so it can run meanwhile (L22 5.2.3) */
    NSHAPE_PART_INVERT,
    /* SS. Before it, the caller must store x of both joint lines in nshape_lines(s, nest - 1). */
    NSHAPE_PART_FINISH,
    /* SS after NSHAPE_PART_INVERT; the last bits of x can differ */
    NSHAPE_PART_FINISH_INVERTED,
    /* the factors of a constant matrix, and sub, diag, super of both lines; only for tdse_part() */
    NSHAPE_PART_KEEP
};

/* Runs one stage of a part on a GPU. On CPU cores take tridiagonal_cpu.h. */
cudaError_t nshape_part(const struct nshape *s, enum nshape_part_stage stage, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
