/* Tridiagonal systems on host and device, for experiments and tests: systems_make fills them in,
 * the caller solves them, and systems_verdict verifies the solution. */
#pragma once

#include "device_program.h"
#include "problems.h"

__BEGIN_DECLS

enum { SYSTEM_ARRAYS = 4 }; /* in this order: sub, diag, super, rhs */

/* `batch` systems of n rows, stored one after the other. A solver on the device reads in[] and
 * writes x. A solver on the host reads host[] and writes host_x. */
struct systems {
    char type;
    enum system kind;
    int64_t n, batch;
    void *host[SYSTEM_ARRAYS], *host_x;
    void *in[SYSTEM_ARRAYS], *x;
};

/* Allocates all arrays for `rows` rows (n times batch). memory_free(a) frees them. */
void systems_allocate(struct systems *s, struct memory *a, char type, int64_t rows);

/* The bytes of each array that are in use (n times batch elements). */
size_t systems_bytes(const struct systems *s);

/* Fills host[] by fill_systems (problems.h) and copies host[] to in[]. */
void systems_make(struct systems *s, enum system kind, uint64_t seed, int64_t n, int64_t batch);

/* Copies host[] to in[]. */
void systems_upload(struct systems *s);

/* Verifies the solution host_x, to which the caller copies x after a solver on the device, by
 * verify_systems (verify.h): `multiple` unit roundoffs are allowed. */
struct verdict systems_verdict(const struct systems *s, double multiple);

__END_DECLS
