#include "tridiagonal_main.h"

int tridiagonal_check(const struct options *o)
{
    (void)o;
    return 0;
}

int tridiagonal_sweep(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv)
{
    (void)program, (void)device, (void)o, (void)sized, (void)asked, (void)csv;
    return EXIT_VERIFIED;
}
