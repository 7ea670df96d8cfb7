/* What the programs of this directory share: each measures for some sizes, and then runs once more
 * for the pictures of its figure. */
#pragma once

#include "ceiling.h"
#include "device_program.h"

#include <math.h>

/* The larger of the two; infinity if `error` is NaN */
static inline double larger_error(double worst, double error)
{
    return error <= worst ? worst : isnan(error) ? (double)INFINITY : error;
}

/* The time of the solver and of the whole work that it is a part of. */
struct share {
    int64_t n;
    struct timing solver, whole;
};

/* Prints which part of the whole the solver is, for each variant of which both were timed. */
static inline void shares_print(const struct variant *variants, const char *solver,
                                const struct share *shares)
{
    for (int v = 0; variants[v].name; v++)
        if (shares[v].solver.samples > 0 && shares[v].whole.samples > 0)
            printf("%s: n = %lld: %s takes %.3g of %.3g ms, %.0f %%\n", variants[v].name,
                   (long long)shares[v].n, solver, shares[v].solver.median_ms,
                   shares[v].whole.median_ms,
                   100 * shares[v].solver.median_ms / shares[v].whole.median_ms);
}

/* The first of the chosen variants; there is one. */
static inline int first_variant(const struct options *o)
{
    int variant = 0;
    while (!o->has_variant[variant])
        variant++;
    return variant;
}

/* Measures the memory's speed, calls rows(results, n) for each n of the options, and then
 * pictures(prefix), which writes the files PREFIX_… (NULL: none) and returns an exit status.
 * Returns the worse exit status. device_bytes, host_bytes: the memory that all this needs. */
template <class Rows, class Pictures>
static int application_sweep(const struct program *program, const struct options *o,
                             double device_bytes, double host_bytes, Rows rows, Pictures pictures)
{
    device_require(program->name, device_bytes + ceiling_bytes(), host_bytes);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    for (int i = 0; i < o->n.count; i++) {
        rows(results, o->n.value[i]);
        progress(program->name, i + 1, o->n.count, "sizes");
    }
    char buffer[PREFIX_MOST];
    int status = results_close(results), drawn = EXIT_USAGE;
    if (status != EXIT_USAGE)
        drawn = pictures(options_csv_prefix(o, NULL, buffer));
    return status > drawn ? status : drawn;
}
