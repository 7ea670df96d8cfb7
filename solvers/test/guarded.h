/* An array between guards, with which tests of gradients detect writes beyond its ends. */
#pragma once

#include "device_program.h"

enum { GUARDED = 64 };
struct guarded {
    size_t bytes, before;
    char *image; /* on the device: GUARDED bytes, some more, the array, GUARDED bytes; all 0xff */
    void *device, *host;
};
/* `offset`: how many bytes more lie before the array. */
static inline struct guarded guarded_open(struct memory *memory, size_t bytes, size_t offset)
{
    struct guarded g = {};
    g.bytes = bytes;
    g.before = GUARDED + offset;
    g.image = (char *)memory_device(memory, g.before + bytes + GUARDED);
    g.device = g.image + g.before;
    g.host = memory_host(memory, bytes + 1);
    device_poison(g.image, g.before + bytes + GUARDED);
    return g;
}
static inline bool guarded_kept(const struct guarded *g)
{
    return device_holds(g->image, 0xff, g->before) &&
           device_holds(g->image + g->before + g->bytes, 0xff, GUARDED);
}
