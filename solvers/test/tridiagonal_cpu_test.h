/* The tests of tridiagonal_cpu.h. */
#pragma once

#include <stdint.h>

/* Runs the tests; EXPECT (expect.h) counts and reports failures. `units`: the bound on the backward
 * error of a row, in units of roundoff. */
void tridiagonal_cpu_check(uint64_t seed, double units);
