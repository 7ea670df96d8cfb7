/* The method of tridiagonal_batch_cpu.h for one type of numbers. tridiagonal_batch_cpu.c includes
 * this file once for each type, and defines these macros first:
 *
 *   REAL, INTEGER         float or double, and the integer of its size
 *   EPSILON, MIN, MAX     of REAL: the distance from 1 to the next number, the smallest normal
 *                         number, the largest number
 *   MANTISSA, BIAS        of REAL: the bits below the exponent, and the exponent's bias
 *   COMPLEX               1: a number is a pair of REAL (real, imaginary); 0: it is a REAL
 *   NAME(name)            the name of a function or struct with the type's suffix
 *   LANES(name)           the name of a function or type of common/lanes.h with the suffix for REAL
 *
 * A group is VECTORS vectors of W lanes, and each lane has a system. A group is solved by one or
 * more attempts. Each has a sweep down the rows, which leaves factors in the workspace and says
 * which lanes it may solve, and a sweep up, which stores x of these lanes:
 *
 *   tridiagonal_batch_cpu_number.h      arithmetic on one number in every lane
 *   tridiagonal_batch_cpu_rows.h        blocks of rows: loads, stores, sums over lanes
 *   tridiagonal_batch_cpu_plain.h       the attempt without pivoting
 *   tridiagonal_batch_cpu_squares.h     the same for long contiguous systems from memory
 *   tridiagonal_batch_cpu_pivoted.h     the attempts with scaled rows: pivoting, and checked
 *   tridiagonal_batch_cpu_panels.h      the attempt without pivoting for many groups side by side
 *   tridiagonal_batch_cpu_groups.h      groups, attempts, cores */
#define VEC     LANES(lanes_vec)                    /* a vector with one REAL in every lane */
#define W       ((int)(LANES_BYTES / sizeof(REAL))) /* number of lanes of a VEC */
#define REALS   (1 + COMPLEX)                       /* REALs per number */
#define BITS    NAME(bits)
#define NUMBERS NAME(numbers)
#define GROUP   struct NAME(group)
#define PLACE   struct NAME(place)
#define ROW     struct NAME(row)
/* Vectors of a wide group: enough for a division to wait for no other one, and few enough for the
 * registers. */
#define VECTORS     (COMPLEX || LANES_BYTES == 64 ? 2 : 4)
#define GROUP_LANES (VECTORS * W)
#define SQUARE      (W / REALS) /* rows in a square, which has W REALs of each of W lanes */
/* Rows of a block */
#define ROWS        (BLOCK_LINES * LANES_LINE / (int)(sizeof(REAL) * REALS))
#define FOR_VECTORS for (int v = 0; v < vectors; v++)
#define EACH_VECTOR LANES_UNROLL FOR_VECTORS /* if their number is known to the compiler */

#include "tridiagonal_batch_cpu_number.h"
#include "tridiagonal_batch_cpu_rows.h"
#include "tridiagonal_batch_cpu_plain.h"
#include "tridiagonal_batch_cpu_squares.h"
#include "tridiagonal_batch_cpu_pivoted.h"
#include "tridiagonal_batch_cpu_panels.h"
#include "tridiagonal_batch_cpu_groups.h"

#undef VEC
#undef W
#undef REALS
#undef BITS
#undef NUMBERS
#undef GROUP
#undef PLACE
#undef ROW
#undef VECTORS
#undef GROUP_LANES
#undef SQUARE
#undef EACH_VECTOR
#undef FOR_VECTORS
#undef ROWS
#undef NOT_INLINE
#undef LEAST
