/* The claims of W12. */
#include "report.h"

void w12_1(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w12_2(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w12_3(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w12_4(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w12_5(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void w12_6(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}
