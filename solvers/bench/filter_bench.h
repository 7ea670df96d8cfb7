/* What the program filter (filter.cu) runs. */
#pragma once

#include <stdint.h>

/* The tests of solvers/filter.h (test/filter.cu). If `all` is true, those that take long on the CPU
 * device run, too. */
void filter_check(uint64_t seed, bool all);
