/* Declarations that the source files of the tests of tridiagonal.h share. */
#ifndef TRIDIAGONAL_TEST_H
#define TRIDIAGONAL_TEST_H

#include "bench/tridiagonal_case.h"
#include "expect.h"

/* The number of values of enum tridiagonal_pivot. */
enum { PIVOTS = TRIDIAGONAL_PIVOT_AUTO + 1 };

/* Numbers of rows at which the solver divides a system, by the constants in partition_plain.cuh,
 * partition_pivoted.cuh and tridiagonal_two_pass.cuh. The tests use sizes near these. The first
 * seven fields are the numbers of rows that belong to one 16-byte chunk; one thread of the second
 * pass; one lane of the first pass; one group; one warp of the second pass; one warp of the first
 * pass; one block of the resident kernel with one chunk per thread. resident[] holds the numbers of
 * rows that all blocks of the resident kernel solve together, for four numbers of chunks per
 * thread, the maximum last. With automatic pivoting the resident kernels divide a system as without
 * pivoting. For the other fields the numbers of the second attempt are given, those with pivoting.
 */
struct cuts {
    int64_t chunk, thread, pass1_lane, group, warp, pass1_warp, block, resident[4];
};
struct cuts tridiagonal_cuts(char type, int pivot);

/* Returns a text that describes the case, for a message. The next call overwrites the text. */
const char *case_text(const struct tridiagonal_case *c);

/* The tests of tridiagonal_breakdown.cu. `all`: test every case, as on a GPU; else test a random
 * choice. */
void tridiagonal_check_breakdowns(char type, int pivot, bool all, uint64_t seed, struct random *r,
                                  struct random *places);
void tridiagonal_check_exact(bool all);
void tridiagonal_check_range(char type, int pivot);
void tridiagonal_check_large_row(void);
void tridiagonal_check_singular_blocks(char type, bool all, uint64_t seed);

/* The tests of tridiagonal_automatic.cu. */
void tridiagonal_check_automatic(bool all, uint64_t seed);

#endif
