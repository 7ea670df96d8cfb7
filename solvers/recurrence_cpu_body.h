/* The method of recurrence_cpu.h for one type of numbers. recurrence_cpu.c includes this file once
 * for each type, and defines these macros first:
 *
 *   REAL                  float or double
 *   COMPLEX               1: a number is a pair of REAL (real, imaginary); 0: it is a REAL
 *   NAME(name)            the name of a function or struct with the type's suffix
 *   LANES(name)           the name of a function or type of common/lanes.h with the suffix for REAL
 *   EACH_LANE(f, h, w)    the list f(0, h, w), f(1, h, w), ... for all lanes (common/lanes.h)
 *
 * The method is in these files:
 *
 *   recurrence_cpu_number.h     arithmetic on one number, and on one number in every lane
 *   recurrence_cpu_lanes.h      vectors of numbers
 *   recurrence_cpu_channels.h   sequences side by side
 *   recurrence_cpu_short.h      many short contiguous sequences
 *   recurrence_cpu_time.h       one contiguous sequence
 *   recurrence_cpu_tiles.h      tiles and cores */
#define VEC       LANES(lanes_vec)                    /* a vector with one REAL in every lane */
#define W         ((int)(LANES_BYTES / sizeof(REAL))) /* number of lanes of a VEC */
#define ONE(name) NAME(one_##name)
#define NUMBER    ONE(number)
#define ROWS      struct NAME(rows)
#define COLUMNS   struct NAME(columns)
#define STATE     struct NAME(state)
#define TILE      struct NAME(tile)

#define PARTS    REAL
#define NUMBERS  NUMBER
#define OF(name) ONE(name)
#include "recurrence_cpu_number.h"
#undef PARTS
#undef NUMBERS
#undef OF
LANES_INLINE NUMBER NAME(one)(void)
{
    return (NUMBER){.re = 1};
}
LANES_INLINE NUMBER ONE(load)(const NUMBER *from)
{
    return *from;
}
LANES_INLINE void ONE(store)(NUMBER *to, NUMBER a)
{
    *to = a;
}
LANES_INLINE NUMBER ONE(broadcast)(NUMBER a)
{
    return a;
}

/* Elements of the arrays, and the distance from one row to the next to be computed. v is the w
 * before it in the sequence. CONSTANT: s has one element for each channel or sequence of a tile. */
ROWS
{
    const NUMBER *s, *t, *v;
    NUMBER *y, *ds;
    ptrdiff_t step;
};
/* The arrays from element i of `at` on. */
LANES_INLINE ROWS NAME(rows_from)(int kind, int store, const ROWS *at, ptrdiff_t i)
{
    const bool gradient = store && kind == GRADIENT;
    return (ROWS){kind == CONSTANT ? at->s : at->s + i, at->t + i,
                  gradient ? at->v + i : NULL,          store ? at->y + i : NULL,
                  gradient ? at->ds + i : NULL,         at->step};
}
/* The part of the arrays that is computed at a time. */
TILE
{
    /* across channels the address of the first row to be computed, otherwise of the lowest one */
    ROWS rows;
    int64_t count, width; /* rows, and channels or sequences */
    /* the w before the sequences, if the last row to be computed is their first one */
    const NUMBER *v_end;
};
/* The most channels of a job. The elements of a tile of one sequence. */
enum {
    NAME(CHANNELS) = 2 * WIDTH_BYTES / sizeof(NUMBER),
    NAME(ELEMENTS) = TILE_BYTES / sizeof(NUMBER)
};

#define PARTS    VEC
#define NUMBERS  NAME(numbers)
#define OF(name) NAME(name)
#include "recurrence_cpu_number.h"
#undef PARTS
#undef NUMBERS
#undef OF
/* For each channel y of the last row computed, the factor for the next row (CONSTANT, or conj(s) in
 * the gradient), and the product of all factors. `part` is that of the rows of a turn: if a long
 * product of numbers just below 1 took them one by one, it would always be rounded in the same
 * direction. */
COLUMNS
{
    NUMBER y[NAME(CHANNELS)], f[NAME(CHANNELS)], product[NAME(CHANNELS)], part[NAME(CHANNELS)];
};
/* A core's. `pending` is a tile that PRECOMPUTE has been through but not DETERMINE, if its count is
 * not 0, and `before` is the value before it. For each element of a tile of one sequence, y_of is y
 * if it were 0 before the tile, and product_of the product of all factors from its start on. */
STATE
{
    COLUMNS columns, before;
    TILE pending;
    NAME(numbers) y_of[NAME(ELEMENTS) / W], product_of[NAME(ELEMENTS) / W];
};

#define COUNT    1
#define NUMBERS  NUMBER
#define OF(name) ONE(name)
#include "recurrence_cpu_channels.h"
#undef COUNT
#undef NUMBERS
#undef OF

#define COUNT    W
#define NUMBERS  NAME(numbers)
#define OF(name) NAME(name)
#include "recurrence_cpu_lanes.h"
#include "recurrence_cpu_channels.h"
#include "recurrence_cpu_short.h"
#include "recurrence_cpu_time.h"
#include "recurrence_cpu_tiles.h"
#undef COUNT
#undef NUMBERS
#undef OF

#undef VEC
#undef W
#undef ONE
#undef NUMBER
#undef ROWS
#undef COLUMNS
#undef STATE
#undef TILE
