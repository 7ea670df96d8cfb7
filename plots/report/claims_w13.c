/* The claims of W13. */
#include "report.h"

void w13_1(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w13_2(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w13_3(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w13_4(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w13_5(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w13_6(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}
