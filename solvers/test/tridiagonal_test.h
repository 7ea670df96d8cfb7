/* What the tests of tridiagonal.h share. */
#ifndef TRIDIAGONAL_TEST_H
#define TRIDIAGONAL_TEST_H

#include "bench/tridiagonal_case.h"
#include "expect.h"

/* Where the solver cuts the rows, by the constants in partition_plain.cuh, partition_pivoted.cuh
 * and tridiagonal_two_pass.cuh: sizes near these are tested. Number of rows of a chunk; of a thread
 * of the second pass, a lane of the first pass, a group, a warp of the second and of the first
 * pass; of a resident block with one chunk a thread; and, for some numbers of chunks, of all
 * resident blocks. */
struct cuts {
    int64_t chunk, thread, pass1_lane, group, warp, pass1_warp, block, resident[4];
};
struct cuts tridiagonal_cuts(char type, int pivot);

/* For messages: what is solved. Overwritten by the next call. */
const char *case_text(const struct tridiagonal_case *c);

/* test/tridiagonal_breakdown.cu. all: every case, for a GPU; else a random choice. */
void tridiagonal_check_breakdowns(char type, int pivot, bool all, uint64_t seed, struct random *r,
                                  struct random *places);
void tridiagonal_check_exact(bool all);
void tridiagonal_check_range(char type, int pivot);
void tridiagonal_check_large_row(void);

#endif
