/* The method of tridiagonal_cpu.h for one type of numbers. tridiagonal_cpu.c includes this file
 * once for each type, and defines these macros first:
 *
 *   REAL                  float or double
 *   EPSILON, MIN, MAX     of REAL: the distance from 1 to the next number, the smallest normal
 *                         number, the largest number
 *   COMPLEX               1: a number is a pair of REAL (real, imaginary); 0: it is a REAL
 *   NAME(name)            the name of a function or struct with the type's suffix
 *   LANES(name)           the name of a function or type of common/lanes.h with the suffix for REAL
 *
 * The method is in these files:
 *
 *   tridiagonal_cpu_number.h         arithmetic on one number and on one number in every lane
 *   tridiagonal_cpu_rows.h           one row at a time: Thomas, one partition, scaling by powers of
 *                                    two
 *   tridiagonal_cpu_tiles.h          one partition in every lane: the two passes, the certificate
 *   tridiagonal_cpu_levels.h         all levels of joint lines, on several cores
 *   tridiagonal_cpu_pivoted.h        with pivoting: one row at a time
 *   tridiagonal_cpu_pivoted_tiles.h  with pivoting: one partition in every lane
 *   tridiagonal_cpu_solve.h          the functions of tridiagonal_cpu.h */
#define VEC        LANES(lanes_vec)                    /* a vector with one REAL in every lane */
#define W          ((int)(LANES_BYTES / sizeof(REAL))) /* number of lanes of a VEC */
#define REALS      (1 + COMPLEX)                       /* REALs per number */
#define MASK       NAME(mask)
#define SCALAR     NAME(scalar)
#define NUMBERS    NAME(numbers)
#define SYSTEM     struct NAME(rows)
#define LEVEL      struct NAME(level)
#define ROW        struct NAME(row)
#define REDUCED    struct NAME(reduced)
#define RANGE      struct NAME(range)
#define SQUARES    struct NAME(squares)
#define LEVELS     struct NAME(levels)
#define PIVOT_ROWS struct NAME(pivot_rows)
#define PIVOTING   struct NAME(pivoting)
#define EQUATION   struct NAME(equation)
#define EQUATIONS  struct NAME(equations)
#define LANE_ROW   struct NAME(lane_row)

#include "tridiagonal_cpu_number.h"
#include "tridiagonal_cpu_rows.h"
#include "tridiagonal_cpu_tiles.h"
#include "tridiagonal_cpu_pivoted.h"
#include "tridiagonal_cpu_pivoted_tiles.h"
#include "tridiagonal_cpu_levels.h"
#include "tridiagonal_cpu_solve.h"

#undef VEC
#undef PIVOT_ROWS
#undef PIVOTING
#undef EQUATION
#undef EQUATIONS
#undef LANE_ROW
#undef PIVOTED_ROWS
#undef W
#undef REALS
#undef SCALAR
#undef NUMBERS
#undef SYSTEM
#undef REDUCED
#undef LEVEL
#undef LEVELS
#undef SQUARES
#undef VECTORS
#undef TILE_LANES
#undef SQUARE
#undef EACH_VECTOR
#undef REDUCE
#undef ROWS_SHORT
#undef ROWS_LEAST
#undef NEXT_SQUARES
#undef NOT_INLINE
#undef ROW
#undef RANGE
#undef MASK
#undef LEAST
