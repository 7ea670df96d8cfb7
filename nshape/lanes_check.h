/* --check of nshape_lanes.h. */
#ifndef LANES_CHECK_H
#define LANES_CHECK_H

#include <stdint.h>

/* Gives how many expectations failed. */
int lanes_check(uint64_t seed);

#endif
