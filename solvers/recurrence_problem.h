/* Linear recurrences of first order: the struct that describes them to recurrence.h, which solves
 * them on a GPU, and to recurrence_cpu.h. */
#pragma once

#include <stdint.h>

/* A tile is some thousands of consecutive elements. Its map computes the last value of the tile
 * from the value before it. The ways in which a tile gets that value (recurrence_carry.cuh): */
enum recurrence_carry {
    RECURRENCE_AUTO, /* LOOKBACK up to 256 tiles, else CARRY_WARP */
    /* each tile composes the maps of all tiles before it; at most 256 tiles */
    RECURRENCE_LOOKBACK,
    RECURRENCE_CARRY_WARP /* one warp passes the value from tile to tile: propagation, W13 eq. 4 */
};

/* Whether s is constant along a sequence, and how many elements it has */
enum recurrence_s {
    RECURRENCE_S_EACH,     /* not constant: s has the layout of t */
    RECURRENCE_S_ONE,      /* one element for all sequences */
    RECURRENCE_S_SEQUENCE, /* `batch` elements, in the order of w0 */
    RECURRENCE_S_CHANNEL   /* `inner` elements (inner = 0: 1), k for the sequences o inner + k */
};

/* `batch` sequences of `length` elements. Arrays are in device memory, for recurrence_cpu.h in main
 * memory. The number of elements, n = length batch, may exceed 2^32. On a GPU, sequences one after
 * the other are fastest if the addresses of all arrays are equal modulo 16, and sequences side by
 * side if all addresses and strides are multiples of 16 bytes.
 *
 * The GPU must have compute capability 7.5 or later. Before 9.0 there are no bulk copies, so
 * threads load the elements, which is slower. The shared memory of a block determines how many
 * tiles it works on at the same time: three large ones with 227 KiB (H100, H200), two large ones
 * with 163 KiB (A100), three small ones with 99 KiB (RTX 4090), and with 64 KiB (T4) two small
 * ones, or three if s is constant. For the gradient, RTX 4090 and T4 have one tile at a time. The
 * speed was measured only on H100 and H200, for sequences one after the other: up to 98% of that of
 * a triad (two arrays read, one written). */
struct recurrence {
    char type; /* 's' float, 'd' double, 'c' and 'z' complex, as in BLAS; 'h' half, 'b' bfloat16 */
    int64_t length, batch;
    /* not 0: w_i = s_i w_{i+1} + t_i, from the last element of a sequence to the first */
    int reverse;
    int constant; /* enum recurrence_s */
    const void *s, *t;
    /* one element for each sequence: the value before its first element; NULL: zeros */
    const void *w0;
    void *w; /* output; may be the same array as t, or as s unless `constant` is set */
    enum recurrence_carry carry;
    int blocks; /* maximum number of thread blocks; 0: the solver chooses */
    /* The layout. The sequences lie along the middle axis of arrays of the shape (outer, length,
     * inner), where outer = batch / inner. Element i of sequence o inner + k is element
     *
     *     o plane_stride + i row_stride + k,  0 <= o < outer,  0 <= i < length,  0 <= k < inner.
     *
     * inner = 0 means 1, row_stride = 0 means inner, and plane_stride = 0 means length row_stride:
     * with all three 0, one sequence after the other. */
    int64_t inner, row_stride, plane_stride;
    /* Not NULL: the sequences have different lengths, and lie one after the other along the middle
     * axis of one plane of the shape (length, inner). Sequence o inner + k has the elements
     * offset[o] <= i < offset[o + 1] of channel k. `offset` is in the memory of the arrays and has
     * batch / inner + 1 numbers, in ascending order, from 0 to `length`. Sequences may be empty;
     * their dw0 is 0. plane_stride has no effect. */
    const int64_t *offset;
};

/* The layout with its defaults filled in. */
struct recurrence_layout {
    int64_t outer, inner, row, plane;
};
static inline struct recurrence_layout recurrence_layout_of(const struct recurrence *p)
{
    struct recurrence_layout l;
    l.inner = p->inner > 0 ? p->inner : 1;
    l.outer = p->offset ? 1 : p->batch / l.inner;
    l.row = p->row_stride > 0 ? p->row_stride : l.inner;
    l.plane = p->plane_stride > 0 ? p->plane_stride : p->length * l.row;
    return l;
}
/* The same; planes side by side are one plane, unless s would have to be repeated. */
static inline struct recurrence_layout recurrence_layout_merged(const struct recurrence *p)
{
    struct recurrence_layout l = recurrence_layout_of(p);
    if (l.outer > 1 && l.plane == l.inner &&
        (p->constant != RECURRENCE_S_CHANNEL || l.inner == 1)) {
        l.inner *= l.outer;
        l.outer = 1;
    }
    return l;
}
/* The number of elements of w */
static inline int64_t recurrence_elements(const struct recurrence *p)
{
    return p->length * (p->offset ? recurrence_layout_of(p).inner : p->batch);
}
/* Not 0 if all numbers of the layout are in range, no two elements are the same, and all positions,
 * in bytes, are in range. */
static inline int recurrence_layout_valid(const struct recurrence *p)
{
    const int64_t most = INT64_MAX / 256, length = p->length > 0 ? p->length : 1;
    if (p->constant < RECURRENCE_S_EACH || p->constant > RECURRENCE_S_CHANNEL || p->length < 0 ||
        p->batch < 0 || p->inner < 0 || p->row_stride < 0 || p->plane_stride < 0 ||
        p->batch > most / (p->offset ? 1 : length) || p->inner > most / length ||
        p->row_stride > most / length)
        return 0;
    const struct recurrence_layout l = recurrence_layout_of(p);
    if (p->batch % l.inner != 0 || l.row < l.inner || (l.outer > 1 && l.plane > most / l.outer))
        return 0;
    return p->length == 0 || l.outer <= 1 || l.plane >= (length - 1) * l.row + l.inner ||
           (l.plane >= l.inner && l.row >= (l.outer - 1) * l.plane + l.inner);
}
