/* Declarations that the source files of the tests of tridiagonal.h share. */
#ifndef TRIDIAGONAL_TEST_H
#define TRIDIAGONAL_TEST_H

#include "bench/tridiagonal_case.h"
#include "expect.h"

/* Numbers of rows at which the solver divides a system, by the constants in partition_plain.cuh,
 * partition_pivoted.cuh and tridiagonal_two_pass.cuh. The tests use sizes near these. They are the
 * rows of: a 16-byte chunk; a thread of the second pass; a lane of the first pass; a group; a warp
 * of the second pass and one of the first pass; a block of the resident kernel with one chunk per
 * thread; and all of its blocks together, with four different numbers of chunks per thread, the
 * maximum last. */
struct cuts {
    int64_t chunk, thread, pass1_lane, group, warp, pass1_warp, block, resident[4];
};
struct cuts tridiagonal_cuts(char type, int pivot);

/* Describes the case for a message. The next call overwrites the text. */
const char *case_text(const struct tridiagonal_case *c);

/* The tests of tridiagonal_breakdown.cu. `all`: test every case, as on a GPU; else test a random
 * choice. */
void tridiagonal_check_breakdowns(char type, int pivot, bool all, uint64_t seed, struct random *r,
                                  struct random *places);
void tridiagonal_check_exact(bool all);
void tridiagonal_check_range(char type, int pivot);
void tridiagonal_check_large_row(void);

#endif
