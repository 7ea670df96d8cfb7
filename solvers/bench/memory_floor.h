/* The floor of a size: the time of a kernel that only moves the fewest elements that a tridiagonal
 * solver can move. */
#pragma once

#include "device.h"

/* One launch. All five arrays have `words` words of 32 bits and are aligned to 16 bytes. x_i
 * becomes the sum of word i of the arrays in[]. If `twice`, all blocks first read the arrays and
 * meet at a grid barrier, then read them again, and the sum of all words of all arrays is added.
 * Sums wrap around, so they are the same in every order and for every type of number. */
struct memory_floor {
    bool twice;
    const void *in[4];
    void *x;
    int64_t words;
    uint64_t *meeting; /* one word on the device, 0 before the first launch of a configuration */
    int each;          /* 16-byte chunks of each array that a thread loads at a time: 1 or 2 */
    unsigned blocks, threads; /* if `twice`, all blocks must fit on the device at once */
};

/* Sets each, blocks and threads to those of configuration `i` (0, 1, …) for the current device.
 * Which one is fastest depends on the size. Returns false if there is no configuration `i`. */
bool memory_floor_configure(struct memory_floor *f, int i);

/* After launch number k of a configuration with `twice`, the sum of all words counts k times. */
cudaError_t memory_floor_launch(const struct memory_floor *f, cudaStream_t stream);

/* Returns how many words of x are wrong after the first launch. Arrays are in main memory. */
int64_t memory_floor_wrong(bool twice, const void *const in[4], const void *x, int64_t words);
