/* The number of passed and failed tests, and which tests are left out (expect.h). */
#include "expect.h"

int expect_passed, expect_failed;
bool expect_few = SANITIZED;
static int every = 1;

void expect_few_tests(void)
{
    expect_few = true;
    every = 7;
}

bool expect_skips(int *turns)
{
    return (*turns)++ % every != 0;
}

int expect_done(void)
{
    printf("%d passed, %d failed\n", expect_passed, expect_failed);
    return expect_failed > 0 || expect_passed == 0;
}
