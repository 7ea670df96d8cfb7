/* Sequences w_i = s_i w_{i-1} + t_i for the experiments and tests of solvers/recurrence.h: made,
 * solved and verified on the device. */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "device_program.h"
#include "recurrence.h"

/* `batch` sequences of n / batch elements, one after the other, on the device and in main memory.
 * s, t, dw: inputs of n elements; w0: inputs of `batch` elements. w, ds, dt, dw0: outputs. */
struct sequences {
    struct memory memory;
    char type;
    int64_t n, batch;
    void *s, *t, *w, *w0, *dw, *ds, *dt, *dw0;
    void *host_s, *host_t, *host_w, *host_w0, *host_dw, *host_ds, *host_dt, *host_dw0;
    void *work; /* workspace of `bytes` bytes, prepared */
    size_t bytes;
};

/* Memory for n elements in up to `batch` sequences, and four elements more in each array, so that a
 * test can shift it. Exits if the device has too little. Free it by memory_free. */
void sequences_allocate(struct sequences *a, char type, int64_t n, int64_t batch);

/* Fills all inputs. |s_i| is just below 1, so that no product vanishes; t, w0 and dw are uniform in
 * [-1, 1), each part of a complex number alone. Each element depends on the seed and its index
 * only. constant: s_0 is the only coefficient; the other s are NaN, since no solver may read
 * them. */
void sequences_make(struct sequences *a, uint64_t seed, bool constant);

/* host_s, host_t, host_w0 and host_dw, which a test has changed, to the device. */
void sequences_upload(struct sequences *a);

/* The call that solves these sequences forwards. */
struct recurrence sequences_plan(const struct sequences *a);

/* Solve on poisoned memory, copy the output to main memory and verify it. The gradient is that of
 * the w that p->w and host_w hold. */
struct verdict sequences_solve(struct sequences *a, const struct recurrence *p);
struct verdict sequences_gradient(struct sequences *a, const struct recurrence *p);

/* Verify an output in main memory against the inputs there: host_w, or host_ds, host_dt and
 * host_dw0.
 *
 * Allowed for the error of an element is the smaller of two bounds. The first always holds
 * (recurrence.h) but is too large for a long sequence: (j + 12) u B, where j counts the steps so
 * far, u is the unit roundoff and B the running bound |s_i| B + |t_i|. The second holds if the
 * rounding errors have random signs: each of the j + 12 errors is at most u times the largest value
 * so far, and their sum in practice never exceeds eight standard deviations. biased: only the first
 * applies. */
enum sequences_output { SOLUTION, GRADIENTS };
struct verdict sequences_verdict(const struct sequences *a, const struct recurrence *p,
                                 enum sequences_output output, bool biased);

/* The same for sequence k alone. */
struct verdict sequences_verdict_of(const struct sequences *a, const struct recurrence *p,
                                    enum sequences_output output, bool biased, int64_t k);

#endif
