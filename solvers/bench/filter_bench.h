/* What the program filter (filter.cu) runs. */
#pragma once

#include "options.h"
#include "results.h"

/* Indices of its variants. */
enum { FILTER_SOS, FILTER_SOS_IN_DOUBLE, FILTER_ORDERS, FILTER_SERIAL, FILTER_CPU };
/* The filter of most variants: a low-pass of so many sections of order 2 */
enum { FILTER_SECTIONS = 4 };
/* The orders of the filters of one section */
static const struct {
    int order;
    const char *phase;
} filter_orders[] = {{1, "order_1"}, {2, "order_2"}, {4, "order_4"}, {8, "order_8"}};

/* The least numbers of elements that are read and written per element */
static const double FILTER_ELEMENTS = 2;

/* The experiment with filter_cpu.h on CPU cores (filter_cpu.cu) */
void filter_cpu_rows(struct results *results, const struct program *program,
                     const struct options *o);
