/* The rows that one thread reduces, in shared memory, and the four unknowns around them.
 * partition.cuh explains the method. Goes with device.h, scalar.cuh and arithmetic.cuh. */
#ifndef PARTITION_ROWS_CUH
#define PARTITION_ROWS_CUH

#include "arithmetic.cuh"

/* Values of the four unknowns in a partition's two equations: `left` is the unknown before it,
 * `first` and `last` are its own outermost ones, `right` is the unknown behind it. */
template <class T> struct boundary {
    T left, first, last, right;
};

/* The unknown that cannot be eliminated where an upper and a lower partition meet. */
enum unknown { UPPER_FIRST, UPPER_LAST, LOWER_FIRST, LOWER_LAST };

/* One thread's rows. The four arrays lie in shared memory in chunks of 16 bytes; elimination may
 * overwrite them with what substitution needs. Of a Toeplitz matrix only rhs is loaded; the other
 * three arrays are free space. */
template <class T> struct thread_rows {
    chunk<T> *sub, *diag, *super, *rhs;
    int chunks;  /* of each array */
    int rows;    /* that exist: at most what the chunks hold */
    int swizzle; /* chunk k lies at k ^ swizzle, against bank conflicts */
    bool toeplitz;
    bool partition_begins; /* the partition begins here; else the rows continue one */
    bool system_begins;    /* row 0 of the system is here: no unknown before it */
    bool system_ends;      /* row n - 1 is here: no unknown behind it */
    T toeplitz_row[3];     /* its sub, diag, super */
};
/* Chunks that hold rows. whole: all of them, known at compile time. */
template <bool whole, class T> static __device__ inline int used_chunks(const thread_rows<T> &my)
{
    constexpr int elements = CHUNK / sizeof(T);
    return whole ? my.chunks : (my.rows + elements - 1) / elements;
}
template <class T> struct row_chunks {
    chunk<T> sub, diag, super, rhs;
};
/* Chunk k of all arrays, with zero couplings across the ends of the system. */
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

#endif
