/* The claims of L22. */
#include "report.h"

void l22_1(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_2(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_3(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_4(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_5(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_6(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void l22_7(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}
