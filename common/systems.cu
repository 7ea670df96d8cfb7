/* Tridiagonal systems on the host and on the device (systems.h). */
#include "systems.h"

void systems_allocate(struct systems *s, struct memory *a, char type, int64_t rows)
{
    size_t bytes = (size_t)(rows * size_of(type));
    s->type = type;
    for (int i = 0; i < SYSTEM_ARRAYS; i++) {
        s->host[i] = memory_host(a, bytes);
        s->in[i] = memory_device(a, bytes);
    }
    s->host_x = memory_host(a, bytes);
    s->x = memory_device(a, bytes);
}

size_t systems_bytes(const struct systems *s)
{
    return (size_t)(s->n * s->batch * size_of(s->type));
}

void systems_make(struct systems *s, enum system kind, uint64_t seed, int64_t n, int64_t batch)
{
    s->kind = kind;
    s->n = n;
    s->batch = batch;
    fill_systems(s->type, kind, seed, n, batch, s->host[0], s->host[1], s->host[2], s->host[3]);
    systems_upload(s);
}

void systems_upload(struct systems *s)
{
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        device_upload(s->in[i], s->host[i], systems_bytes(s));
}

struct verdict systems_verdict(const struct systems *s, double multiple)
{
    return verify_systems(s->type, s->n, s->batch, s->host[0], s->host[1], s->host[2], s->host[3],
                          s->host_x, multiple);
}
