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

/* A case: a size, and a launch if the lab has several; `batch` is a number of systems. Members that
 * a lab does not use are 0. */
struct lab_case {
    int64_t n;
    int blocks, threads, batch;
};

/* Runs `test` for each case. Prints one line "result: …" and returns the exit status of the
 * program: 0 if all cases are right, 1 if one is not. It stops at the first case that is not. */
int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *));

/* Returns an array in device memory. If `from` is NULL every byte is 0xff, so floating-point
 * elements are NaN: an element that the kernel does not write is seen in the result. The memory
 * behind the array is filled, too; lab_launched tests that the kernel has not written to it. */
void *lab_array(const char *name, size_t bytes, const void *from);
/* Copies an array of lab_array back to `to`. */
void lab_fetch(const void *array, void *to);

/* The launcher's error, e.g. threads that wait at different barriers. */
void lab_launched(cudaError_t error);
/* The verdict on array `name`. Element verdict.worst is index `first` + worst of that array. */
void lab_verified(const char *name, struct verdict verdict, int64_t first);
/* Reports that the case is wrong, as printf. Later reports of the same case are ignored. */
void lab_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The least number of bytes that the kernel must move from and to global memory in this case.
 * `kernel` may be "*" for all kernels. */
void lab_least(const char *kernel, double bytes);

#ifdef __cplusplus
}
#endif
#endif
