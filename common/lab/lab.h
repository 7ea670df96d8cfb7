/* The harness of a lab. `make lab LAB=N` compiles the student's kernel.cu with the lab's lab.cu,
 * which holds main: it calls lab_main with the cases and a function that tests one of them. That
 * function makes the input, calls the launcher of kernel.cu and verifies the result.
 *
 * The program is run twice by lab.sh: without an argument for all cases, and with the argument
 * `count` for the last case alone, whose accesses are counted for the gates. */
#ifndef LAB_H
#define LAB_H

#include "device.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A case: a size, and a launch if the lab has several; `batch` is a number of systems, `parts` one
 * of parts if it is not that of the threads. Members that a lab does not use are 0. */
struct lab_case {
    int64_t n;
    int blocks, threads, batch, parts;
};

/* Runs `test` for each case. Prints one line "result: …" and returns the exit status of the
 * program: 0 if all cases are right, 1 if one is not. It stops at the first case that is not. */
int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *));

/* Returns an array of 4-byte elements in device memory. If `from` is NULL every byte is 0xff, so
 * floating-point elements are NaN: an element that the kernel does not write is seen in the result.
 * A kernel that reads or writes in front of the array or behind its end fails at once, with the
 * source line and the element. */
void *lab_array(const char *name, size_t bytes, const void *from);
/* The case has `parts` parts of m rows, the last ones shorter or empty. Messages name both. */
void lab_parts(int64_t parts, int64_t m);
/* The array has the rearranged layout (W12 Fig. 2): row i of part j is element i * parts + j. If
 * there is no such row, since j * m + i >= n, the element is a gap that no kernel may access. */
void lab_rearranged(const void *array);
/* Copies an array of lab_array back to `to`. */
void lab_fetch(const void *array, void *to);

/* The launcher's error, e.g. threads that wait at different barriers. */
void lab_launched(cudaError_t error);
/* The verdict on array `name`. Element verdict.worst is index `first` + worst of that array. */
void lab_verified(const char *name, struct verdict verdict, int64_t first);
/* The same for an array in the rearranged layout, in which the element in natural order is number
 * `first` + worst. */
void lab_verified_rearranged(const char *name, struct verdict verdict, int64_t first);
/* Reports that the case is wrong, as printf. Later reports of the same case are ignored. */
void lab_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The least number of bytes that the kernel must move from and to global memory in this case.
 * `kernel` may be "*" for all kernels. The gates `bytes` and `asked` are in units of it. */
void lab_least(const char *kernel, double bytes);
/* Instead: the gates `bytes` and `asked` count elements a row, and there are so many rows. */
void lab_rows(int64_t rows);

#ifdef __cplusplus
}
#endif
#endif
