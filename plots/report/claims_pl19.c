/* The claims of PL19. */
#include "report.h"

void pl19_1(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void pl19_2(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void pl19_3(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void pl19_4(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}

void pl19_5(const struct run *run, struct claim *claim)
{
    (void)run;
    (void)claim;
}
