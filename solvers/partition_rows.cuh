/* The rows that one thread reduces, in shared memory, and the four unknowns around them.
 * partition.cuh explains the method. Needs device.h, scalar.cuh and arithmetic.cuh. */
#pragma once

#include "arithmetic.cuh"

/* The boundary values of a partition: `left` is the unknown before it, `first` and `last` are its
 * own first and last unknown, and `right` is the unknown after it. */
template <class T> struct boundary {
    T left, first, last, right;
};

/* The unknown that cannot be eliminated when an upper and a lower partition are merged. */
enum unknown { UPPER_FIRST, UPPER_LAST, LOWER_FIRST, LOWER_LAST };

/* The rows of one thread, in chunks of 16 bytes of shared memory. Elimination may overwrite them
 * with the values that substitution needs. For a Toeplitz matrix only rhs is loaded, and the memory
 * of the other three arrays is free for this purpose. */
template <class T> struct thread_rows {
    chunk<T> *sub, *diag, *super, *rhs;
    int chunks;  /* number of chunks of each array */
    int rows;    /* number of rows that exist; the chunks may hold more */
    int swizzle; /* chunk k is stored as chunk k ^ swizzle, to avoid bank conflicts */
    bool toeplitz;
    bool partition_begins; /* false: the rows continue the partition of earlier rows */
    bool system_begins;    /* there is no unknown before the first row */
    bool system_ends;      /* there is no unknown after the last row */
    T toeplitz_row[3];     /* sub, diag, super of all rows if toeplitz is set */
};
/* The number of chunks that hold rows. `whole`: all chunks are full. */
template <bool whole, class T> static __device__ inline int used_chunks(const thread_rows<T> &my)
{
    constexpr int elements = CHUNK / sizeof(T);
    return whole ? my.chunks : (my.rows + elements - 1) / elements;
}
template <class T> struct row_chunks {
    chunk<T> sub, diag, super, rhs;
};
/* Chunk k of all arrays. The first sub and the last super of the system become zero. */
template <class T> static __device__ inline row_chunks<T> load_rows(const thread_rows<T> &my, int k)
{
    constexpr int elements = CHUNK / sizeof(T);
    row_chunks<T> r;
    r.rhs = my.rhs[k ^ my.swizzle];
    if (my.toeplitz)
        for (int e = 0; e < elements; e++) {
            r.sub.element[e] = my.toeplitz_row[0];
            r.diag.element[e] = my.toeplitz_row[1];
            r.super.element[e] = my.toeplitz_row[2];
        }
    else {
        r.sub = my.sub[k ^ my.swizzle];
        r.diag = my.diag[k ^ my.swizzle];
        r.super = my.super[k ^ my.swizzle];
    }
    if (my.system_begins && k == 0)
        r.sub.element[0] = zero_of(T());
    if (my.system_ends)
        for (int e = 0; e < elements; e++)
            if (k * elements + e == my.rows - 1)
                r.super.element[e] = zero_of(T());
    return r;
}
