/* The number of passed and failed tests, and which tests are left out (expect.h). */
#include "expect.h"

#include <stdarg.h>

int expect_passed, expect_failed;
bool expect_few = SANITIZED;
char expect_case_text[256];
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

void expect_case(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expect_case_text, sizeof expect_case_text - 2, format, arguments);
    va_end(arguments);
    strcat(expect_case_text, ": ");
}

int expect_done(void)
{
    printf("%d passed, %d failed\n", expect_passed, expect_failed);
    return expect_failed > 0 || expect_passed == 0;
}
