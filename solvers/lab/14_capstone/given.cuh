/* Lab 14: what is given. README.md explains the task. */
#pragma once

#include "device_async.h" /* load_acquire, store_release, device_pause */

/* For messages between blocks. `next` has one element, each other array one for every 32 rows,
 * rounded up. *next and all flags are 0 before the launch; a, b and carries are not set. Use what
 * you need. */
struct workspace {
    int *next, *flags;
    float *a, *b, *carries;
};

/* Four elements, loaded or stored by one access: ((const four *)s)[k] is s[4 k] to s[4 k + 3]. The
 * arrays s, t and w begin at multiples of 16 bytes. */
struct alignas(16) four {
    float at[4];
};

/* The launcher, in kernel.cu. */
cudaError_t run_solve(int64_t n, float w0, const float *s, const float *t, float *w,
                      struct workspace space);
