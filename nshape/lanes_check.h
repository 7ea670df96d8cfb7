/* --check of nshape_lanes.h. */
#ifndef LANES_CHECK_H
#define LANES_CHECK_H

#include <stdint.h>

/* units: the bound on the backward error of a row, in units of roundoff. Gives how many expectations failed. */
int lanes_check(uint64_t seed, double units);

#endif
