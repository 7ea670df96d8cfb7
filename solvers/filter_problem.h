/* Digital filters: the struct that describes them to filter.h, which solves them on a GPU, and to
 * filter_cpu.h. */
#pragma once

#include <stdint.h>

enum { FILTER_STATES_MOST = 8 };

/* `batch` sequences of `length` elements, one after the other. x, y, zi and zf are in device
 * memory, for filter_cpu.h in main memory. On a GPU, fastest are arrays and lengths that are
 * multiples of 16 bytes; otherwise there are no bulk copies. */
struct filter {
    char type; /* 's' float, 'd' double */
    int64_t length, batch;
    int sections, order; /* each at least 1, sections order <= 8 */
    /* In main memory, for each section: b_0 … b_order, a_0 … a_order. This is SciPy's sos, and for
     * one section b followed by a. They are divided by a_0, which must not be 0, and must then be
     * finite in the type of the carried state. */
    const double *coefficients;
    const void *x;
    void *y; /* may be x */
    /* The states before and after each sequence, in SciPy's order: (sections, batch, order). NULL:
     * zeros; not computed. They may be the same array. */
    const void *zi;
    void *zf;
    /* not 0: all is computed in double precision, and y and zf are rounded once */
    int carry_in_double;
};
