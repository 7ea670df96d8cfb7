/* Sequences w_i = s_i w_{i-1} + t_i for the experiments and tests of solvers/recurrence.h: making
 * them, solving them on the device, and verifying the results in main memory. */
#pragma once

#include "device_program.h"
#include "recurrence.h"

/* The arrays of `batch` sequences of n / batch elements, one after the other unless side_by_side is
 * set, on the device and, with the prefix host_, in main memory. s, t, dw (inputs), w, ds and dt
 * (outputs) have n elements, w0 (input) and dw0 (output) have `batch`. */
struct sequences {
    struct memory memory;
    char type;
    int64_t n, batch;
    void *s, *t, *w, *w0, *dw, *ds, *dt, *dw0;
    void *host_s, *host_t, *host_w, *host_w0, *host_dw, *host_ds, *host_dt, *host_dw0;
    const int64_t *offset; /* as in struct recurrence, but in main memory */
    bool side_by_side;     /* all arrays but w0 and dw0 have the shape (n / batch, batch) */
    void *work;            /* workspace of `bytes` bytes on the device, prepared */
    size_t bytes;
};

/* Allocates memory for n elements in up to `batch` sequences. Each array has four elements more, so
 * that a test can shift it. Exits if there is too little memory. Free it by memory_free. */
void sequences_allocate(struct sequences *a, char type, int64_t n, int64_t batch);

/* The same for many types and sizes: arrays of at least `bytes` bytes, and pinned main memory.
 * sequences_begin then sets type, n and batch, and prepares the workspace. */
void sequences_allocate_most(struct sequences *a, size_t bytes, int64_t batch);
void sequences_begin(struct sequences *a, char type, int64_t n, int64_t batch);

/* Fills all inputs. |s_i| is just below 1, so that no product of s vanishes. t, w0 and dw are
 * uniform in [-1, 1), in complex types both parts. Each element depends only on the seed and on its
 * index. If `constant`, s_0 is the coefficient of every step, and all other s are NaN, because no
 * solver may read them. sequences_make_s fills only s. */
void sequences_make(struct sequences *a, uint64_t seed, bool constant);
void sequences_make_s(struct sequences *a, uint64_t seed, bool constant);

/* Copies host_s, host_t, host_w0 and host_dw to the device after a test has changed them. */
void sequences_upload(struct sequences *a);

/* Returns the call that solves these sequences from the first element to the last. */
struct recurrence sequences_plan(const struct sequences *a);

/* Copies contiguous sequences to the layout of p (recurrence_problem.h), whose inner, row_stride
 * and plane_stride are not 0; or back. */
void sequences_arrange(const struct recurrence *p, void *laid_out, void *contiguous, bool back);

/* Fill the output with NaN, unless it replaces an input, run a solver on the device, and verify its
 * output. sequences_gradient is for the w in p->w; host_w must be a copy of it. */
struct verdict sequences_solve(struct sequences *a, const struct recurrence *p);
struct verdict sequences_gradient(struct sequences *a, const struct recurrence *p);

/* Recomputes the output (host_w, or host_ds, host_dt and host_dw0) from the inputs in main memory
 * and compares.
 *
 * The allowed error of an element is the smaller of two bounds. The first always holds
 * (recurrence.h) but is too large for a long sequence: (j + 12) u B, where j counts the steps so
 * far, u is the unit roundoff and B is the running bound, which each step updates to |s_i| B +
 * |t_i|. The second holds if the rounding errors have random signs (not `biased`): each of the j +
 * 12 errors is at most u times the largest value so far, and their sum in practice never exceeds
 * eight standard deviations. */
enum sequences_output { SOLUTION, GRADIENTS };
struct verdict sequences_verdict(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, bool biased);

/* Verifies only sequence k, in this number of parts (1 to length) at the same time, from values
 * that differ from those of one part by rounding errors of the reference. */
struct verdict sequences_verdict_of(const struct sequences *a, const struct recurrence *p,
                                    enum sequences_output output, bool biased, int64_t k,
                                    int64_t parts);
