/* One tridiagonal system by the N-shaped partition method (L22: Y. Lutsyshyn, F. Navarrete, D.
 * Bauer, arXiv:2205.00856, eq. 5):
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * L22 calls these b, a, c, d and psi, and counts rows from 1. Some rows are joint lines: J_0 = 0 <
 * J_1 < … < J_nbl = n - 1. The rows between two joint lines are a block, so there are nbl blocks.
 * The stages RD and RU reduce each block independently to two equations. The stages JD and JU use
 * these equations to couple the block's two joint lines to each other. The nbl + 1 joint lines are
 * then a tridiagonal system. The stage RS solves it, by Thomas on one thread or by the same method
 * again (nesting, L22 eq. 6). The stage SS computes the rows of a block from its two joint lines.
 * Related methods are Wang's partition method and SPIKE. The matrix of the joint lines is a Schur
 * complement of the given matrix.
 *
 * Copy: nshape.h nshape.cu nshape_stages.h common/device.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * No function allocates, prints or waits. A function that takes a stream puts its work on the
 * stream and returns the first error of a launch. For an invalid struct (a number out of range, a
 * pointer that is NULL or not aligned) it returns cudaErrorInvalidValue and reads and writes
 * nothing. No rows are exchanged (no pivoting). */
#ifndef NSHAPE_H
#define NSHAPE_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NSHAPE_NEST_MOST = 8 };

/* The block above a joint line adds a term to diag and a term to rhs of the line. So does the block
 * below it. */
enum nshape_joining {
    /* The terms are stored and added later, in a fixed order. Every run gives the same bits. */
    NSHAPE_EXTRA_ELEMENTS,
    /* The terms are added by atomic additions, as in L22. Their order can differ from run to run,
     * so the last bits of x can differ. */
    NSHAPE_ATOMIC
};

struct nshape {
    /* 's', 'd': elements are float, double; 'c', 'z': pairs of them (real part, imaginary part) */
    char type;
    int64_t n; /* rows, >= 1 */
    /* Inputs, destroyed as in L22: n elements each, aligned to the size of an element (16 bytes for
     * 'z'). sub_0 and super_{n-1} have no effect. */
    void *sub, *diag, *super, *rhs;
    void *x; /* output: n elements, aligned to the size of an element */
    /* n_it of L22, the number of applications of the method, one nested in the other: 0 (Thomas on
     * one thread) to NSHAPE_NEST_MOST. */
    int nest;
    /* nbl of L22, the number of blocks of each application: 1 <= parts[0] <= n - 1, 1 <= parts[l]
     * <= parts[l-1]. Application l leaves parts[l] + 1 joint lines. If n = 1, parts is not used. */
    int64_t parts[NSHAPE_NEST_MOST];
    /* J_0 … J_parts[0] of the first application, in device memory (nshape_solve_cpu: host
     * memory). NULL: equal blocks, whose sizes differ by at most one row. All later applications
     * have equal blocks. */
    const int64_t *joints;
    enum nshape_joining joining;
    void *work; /* nshape_work() bytes of workspace, aligned to 16; not used if that is 0 bytes */
    /* Output, one number. 0: all pivots are good. 1 + i: row i of the given system has a bad
     * pivot, and x is undefined. If several rows have one, i is the first of them in the first
     * application that finds one. A pivot is a sum: its terms are an element of diag and what the
     * elimination adds to it. A pivot is bad if it is NaN, out of range, or zero within the
     * rounding error of this sum.
     *
     * Range: the size |re| + |im| of a pivot must be above 2^-127 (in double precision 2^-1023),
     * and the sum of the sizes of its terms must not overflow. A pivot above 2^126 (2^1022) loses
     * two bits, because its inverse is below the smallest normal number. The status does not depend
     * on rhs and x: if their values overflow, x becomes infinite or NaN, and the status does not
     * change.
     *
     * One failure is not detected. If sub_i divided by the pivot of row i - 1, or super_i divided
     * by the pivot of row i + 1, is below the smallest normal number, then x is wrong. */
    long long *status;
    int threads; /* T, the threads of a GPU block: 1 to 1024 */
};

/* Returns a struct with all members set but the pointers: equal blocks, NSHAPE_EXTRA_ELEMENTS, T =
 * 128. */
struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *parts);

/* Returns the size of the workspace in bytes. */
size_t nshape_work(const struct nshape *s);

/* nshape_lines() returns pointers into the workspace: to the arrays of the joint lines that
 * application l leaves, 0 <= l < nest. Each array has parts[l] + 1 elements. The arrays contain the
 * reduced system of that application and its solution x. */
struct nshape_lines {
    void *sub, *diag, *super, *rhs, *x;
};
struct nshape_lines nshape_lines(const struct nshape *s, int l);

/* Solves the system with all stages. All pointers of the struct are to device memory. */
cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream);

/* Solves the system with all stages on `cores` CPU cores. All pointers of the struct are to host
 * memory. A core works on its blocks one after the other. Returns cudaSuccess or
 * cudaErrorInvalidValue. */
cudaError_t nshape_solve_cpu(const struct nshape *s, int cores);

/* nshape_stage() runs one stage of the first application (L22 Table 1). Call the stages in the
 * order of this list, which is the order of L22 5.2.1. nshape_stages.h has the formulas. */
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

/* ---- one part of a larger system; nshape_mpi.h gives each MPI rank a part ----
 *
 * The n >= 2 rows of the struct are the joint lines J_w and J_{w+1} of the larger system and the
 * rows between them. Two parts share a joint line: in one of the two, its diag and rhs must be 0.
 * Required are nest >= 1, parts[nest-1] = 1 and NSHAPE_EXTRA_ELEMENTS. The stages store their
 * results in the arrays of nshape_lines(s, nest - 1). Each has two elements: element 0 is of J_w,
 * element 1 of J_{w+1}. */
enum nshape_part_stage {
    /* RD and JD. Computes sub, diag and rhs of J_{w+1}. The caller adds diag and rhs to those of
     * the other part that has this line. */
    NSHAPE_PART_DOWN,
    /* RU and JU. Computes diag, super and rhs of J_w, and *status. */
    NSHAPE_PART_UP,
    /* Replaces diag of the rows between the joint lines by 1/diag. It needs no result of RS, so it
     * can run while RS runs (L22 5.2.3). */
    NSHAPE_PART_INVERT,
    /* SS. Before it, the caller must store x of both joint lines in nshape_lines(s, nest - 1). */
    NSHAPE_PART_FINISH,
    /* SS after NSHAPE_PART_INVERT, in place of NSHAPE_PART_FINISH. The last bits of x can differ
     * from those that NSHAPE_PART_FINISH computes. */
    NSHAPE_PART_FINISH_INVERTED,
    /* Computes the factors of a constant matrix, and sub, diag and super of both joint lines. Only
     * tdse_part() (tdse.h) takes this stage. */
    NSHAPE_PART_KEEP
};

/* Runs one stage of a part on a GPU. For CPU cores use tridiagonal_cpu_reduce() and
 * tridiagonal_cpu_finish() of tridiagonal_cpu.h. */
cudaError_t nshape_part(const struct nshape *s, enum nshape_part_stage stage, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
