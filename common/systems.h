/* Tridiagonal systems on the host and on the device, for experiments and tests: a caller solves
 * what systems_make has made, and systems_verdict verifies it. */
#ifndef SYSTEMS_H
#define SYSTEMS_H

#include "device_program.h"
#include "problems.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SYSTEM_ARRAYS = 4 }; /* sub, diag, super, rhs */

/* `batch` systems of n rows, one after the other. A solver on the device reads in[] and writes x; a
 * solver on the host reads host[] and writes host_x. */
struct systems {
    char type;
    enum system kind;
    int64_t n, batch;
    void *host[SYSTEM_ARRAYS], *host_x;
    void *in[SYSTEM_ARRAYS], *x;
};

/* Allocates the arrays, for `rows` rows in all. memory_free(a) frees them. */
void systems_allocate(struct systems *s, struct memory *a, char type, int64_t rows);

/* Bytes of one of the arrays. */
size_t systems_bytes(const struct systems *s);

/* Fills host[] by fill_systems (problems.h) and copies it to in[]. */
void systems_make(struct systems *s, enum system kind, uint64_t seed, int64_t n, int64_t batch);

/* Copies host[] to in[], after a test has changed host[]. */
void systems_upload(struct systems *s);

/* Verifies host_x against host[] by verify_systems (verify.h). A result on the device is downloaded
 * to host_x first. */
struct verdict systems_verdict(const struct systems *s, double multiple);

#ifdef __cplusplus
}
#endif
#endif
