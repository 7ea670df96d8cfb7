/* Tridiagonal systems on the host and on the device: made, solved by others, verified. */
#ifndef SYSTEMS_H
#define SYSTEMS_H

#include "device_program.h"
#include "problems.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SYSTEM_ARRAYS = 4 }; /* sub, diag, super, rhs */

/* `batch` systems of n rows, one after the other. A solver reads in[] and writes x, on the device, or
 * reads host[] and writes host_x. */
struct systems {
    char type;
    enum system kind;
    int64_t n, batch;
    void *host[SYSTEM_ARRAYS], *host_x;
    void *in[SYSTEM_ARRAYS], *x;
};

/* Memory for `rows` rows in all. */
void systems_allocate(struct systems *s, struct memory *a, char type, int64_t rows);

/* Bytes of one of its arrays. */
size_t systems_bytes(const struct systems *s);

/* fill_systems (problems.h), on the host and on the device. */
void systems_make(struct systems *s, enum system kind, uint64_t seed, int64_t n, int64_t batch);

/* host[], which a test has changed, to the device. */
void systems_upload(struct systems *s);

/* host_x against host[] by verify_systems (verify.h). */
struct verdict systems_verdict(const struct systems *s, double multiple);

#ifdef __cplusplus
}
#endif
#endif
