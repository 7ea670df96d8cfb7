/* The number of passed and failed tests of a test program (expect.h). */
#include "expect.h"

int expect_passed, expect_failed;

int expect_done(void)
{
    printf("%d passed, %d failed\n", expect_passed, expect_failed);
    return expect_failed > 0 || expect_passed == 0;
}
