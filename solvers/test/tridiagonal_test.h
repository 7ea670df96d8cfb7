/* Declarations that the source files of the tests of tridiagonal.h share. */
#pragma once

#include "bench/tridiagonal_case.h"
#include "expect.h"

#include <math.h>

/* The number of values of enum tridiagonal_pivot. */
enum { PIVOTS = TRIDIAGONAL_PIVOT_AUTO + 1 };

/* Numbers of rows at which the solver divides a system, by the constants in partition_plain.cuh,
 * partition_pivoted.cuh and tridiagonal_two_pass.cuh; the tests use sizes near these. chunk: of a
 * 16-byte chunk. thread, warp: of the second pass. pass1_lane, pass1_warp: of the first pass.
 * group: of a group. block: of a block of the resident kernel with one chunk a thread. resident[]:
 * of all its blocks together, for four numbers of chunks a thread, the maximum last. For automatic
 * pivoting block and resident[] are the numbers without pivoting, the others those of the retry. */
struct cuts {
    int64_t chunk, thread, pass1_lane, group, warp, pass1_warp, block, resident[4];
};
struct cuts tridiagonal_cuts(char type, int pivot);

/* Returns a text that describes the case, for a message. The next call overwrites the text. */
const char *case_text(const struct tridiagonal_case *c);

/* Are rows first to first + n - 1 of each solution the only bytes of the image of x that differ
 * from 0xff? */
static inline bool case_only_wrote(const struct tridiagonal_case *c, int64_t first, int64_t n)
{
    const unsigned char *image = (const unsigned char *)c->host[X];
    size_t from = 0, size = (size_t)size_of(c->s.type);
    for (int64_t k = 0; k <= case_sides(c); k++) {
        const unsigned char *rows = (unsigned char *)case_host(c, X, k * c->s.stride + first);
        const size_t to = k == case_sides(c) ? case_image_bytes(c, X) : (size_t)(rows - image);
        for (; from < to; from++)
            if (image[from] != 0xff)
                return false;
        from = to + (size_t)n * size;
    }
    return true;
}
/* Are all elements of these rows of x NaN? */
static inline bool case_all_nan(const struct tridiagonal_case *c, int64_t first, int64_t n)
{
    const int64_t parts = is_complex(c->s.type) ? 2 : 1;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(get(real_type(c->s.type), case_host(c, X), parts * (first + i))))
            return false;
    return true;
}

/* Chooses a matrix that the solver must solve. Matrix 16 is nearly singular if n is odd or the
 * system is periodic. Of the rows of matrix 13 only the first and the last have a sum that is not
 * 0, so for large n it is singular to working precision in single precision. */
static inline int drawn_matrix(const struct shape *s, int pivot, uint64_t draw)
{
    static const int plain[] = {DOMINANT, MIXED, DOMINANT, 6, 18, 20},
                     pivoted[] = {DOMINANT, MIXED, SKEW, 1, 4, 5, 7, 13, 16, 20},
                     toeplitz[] = {DOMINANT, SKEW, 17, 19};
    const int matrix = !pivot        ? plain[draw % 6]
                       : s->toeplitz ? toeplitz[draw % 4]
                                     : pivoted[draw % 10];
    const bool singular =
        (matrix == 16 && (s->n % 2 || s->periodic)) || (matrix == 13 && s->n > 2000000);
    return singular ? 1 : matrix;
}

/* The tests of tridiagonal_breakdown.cu. `all`: test every case, as on a GPU; else a random
 * choice. */
void tridiagonal_check_breakdowns(char type, int pivot, bool all, uint64_t seed, struct random *r,
                                  struct random *places);
void tridiagonal_check_exact(bool all);
void tridiagonal_check_range(char type, int pivot);
void tridiagonal_check_large_row(void);
void tridiagonal_check_singular_blocks(char type, bool all, uint64_t seed);

/* The tests of tridiagonal_gradient.cu. */
void tridiagonal_check_gradient(uint64_t seed);

/* The tests of tridiagonal_automatic.cu. */
void tridiagonal_check_automatic(bool all, uint64_t seed);
