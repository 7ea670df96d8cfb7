/* The harness of a lab. `make lab LAB=N` compiles the student's kernel.cu with the lab's lab.cu,
 * whose main calls lab_main with the cases and a function that tests one of them: it makes the
 * input, calls the launcher of kernel.cu and verifies the result. lab.sh runs the program without
 * an argument for all cases, and then with the arguments `count K` for the K-th case from the end,
 * which is counted: K = 1, whose counts are known exactly, and K = 2, whose size is no multiple of
 * 32. */
#pragma once

#include "device.h"
#include "verify.h"

__BEGIN_DECLS

/* A size, and a launch if the lab has several; `batch`: a number of systems; `parts`: one of parts
 * if it is not that of the threads. Members that a lab does not use are 0. */
struct lab_case {
    int64_t n;
    int blocks, threads, batch, parts;
};

/* Runs `test` for each case up to the first that is not right. Prints one line "result: …" and
 * returns the exit status of the program: 0 if all cases are right, otherwise 1. */
int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *));

/* An array of 4-byte elements in device memory, NaN if `from` is NULL. A kernel that accesses
 * memory in front of the array or behind its end fails at once, with the source line and the
 * element. */
void *lab_array(const char *name, size_t bytes, const void *from);
/* The case has `parts` parts of m rows, the last ones shorter or empty. Messages name both. */
void lab_parts(int64_t parts, int64_t m);
/* The array has the rearranged layout (W12 Fig. 2): row i of part j is element i * parts + j. If
 * there is no such row (j * m + i >= n), the element is a gap that no kernel may access. */
void lab_rearranged(const void *array);
/* Copies an array of lab_array back to `to`. */
void lab_fetch(const void *array, void *to);

/* The launcher's error, e.g. threads that wait at different barriers. */
void lab_launched(cudaError_t error);
/* The verdict on array `name`. Element verdict.worst is index `first` + worst of that array. */
void lab_verified(const char *name, struct verdict verdict, int64_t first);
/* The same for the rearranged layout; `first` + worst is the number in natural order. */
void lab_verified_rearranged(const char *name, struct verdict verdict, int64_t first);
/* Reports that the case is wrong, in the form of printf. Only the first report of a case counts. */
void lab_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The least bytes that the kernel ("*": all kernels) must move from and to global memory in this
 * case, the unit of the gates `bytes` and `asked`. */
void lab_least(const char *kernel, double bytes);
/* Instead: these gates count elements a row, and there are this many rows. */
void lab_rows(int64_t rows);

__END_DECLS

/* Host memory for `count` numbers, to be released by free(). */
static inline float *lab_floats(int64_t count)
{
    float *array = (float *)malloc((size_t)count * sizeof *array);
    if (!array)
        exit(3);
    return array;
}
