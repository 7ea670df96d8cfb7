/* The tests of solvers/recurrence.h (test/recurrence.cu), which the program recurrence calls. */
#pragma once

#include <stdint.h>

/* EXPECT (expect.h) counts and reports failures. If `all` is true, it also runs the tests that take
 * long on the CPU device. */
void recurrence_check(uint64_t seed, bool all);
