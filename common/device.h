/* One source, two devices. A .cu file that includes this header compiles with nvcc for a GPU, and
 * with g++ or clang++ for the CPU device (cpu_device/), which runs every thread of a block as a
 * fibre. Kernels are plain CUDA C. These names stand for what differs:
 *
 *   LAUNCH(kernel, blocks, threads, shared_bytes, stream, args...)
 *       launches a kernel and returns the cudaError_t. A template needs parentheses:
 *       LAUNCH((k<float>), ...)
 *   LAUNCH_COOPERATIVE(...)
 *       the same; all blocks run at once and may wait for each other
 *   TRY(call)
 *       in a function that returns cudaError_t: returns the error, if there is one
 *   CHECK(call)
 *       in a main: prints call, error, file and line, and exits with status 3
 *   DYN_SHARED(type, name)
 *       in a kernel: declares `type *name`, the dynamic shared memory (16-byte aligned)
 *   struct NAME { FIELDS(NAME, type, a, b, …); };
 *       members of one type, which a kernel reads and writes with one access
 *   UNROLL(count)
 *       before a for: how often a GPU's compiler repeats the body; UNROLL() unrolls all of it
 *   BY_TYPE(type, function, args...)
 *       calls function<T>(args...) with the number type T of a type letter
 *   device_attribute(&value, attribute, device)
 *       cudaDeviceGetAttribute, reduced to what DEVICE_LIMITS allows (device_limits.h)
 *
 * Bulk copies, barriers and other instructions that C has no word for are in device_async.h.
 *
 * In a GPU build this file and device_limits.h stand alone. For a CPU copy the folder cpu_device
 * beside them; compile .cu files with g++ -x c++ -std=c++17, the folder's C files with gcc
 * -D_GNU_SOURCE; link shared_begin.o before the kernels' objects, shared_end.o after them, and
 * -lpthread. */
#ifndef DEVICE_H
#define DEVICE_H

#include "device_limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DEVICE_CUDA is for a program without kernels that calls a library made by nvcc but is compiled by
 * another compiler. */
#if defined __CUDACC__ || defined DEVICE_CUDA
#include <cuda_runtime.h>
#else
#include "cpu_device/cpu_device.h"
#endif

#define LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                                 \
    device_launch(#kernel, false, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)
#define LAUNCH_COOPERATIVE(kernel, blocks, threads, shared_bytes, stream, ...)                     \
    device_launch(#kernel, true, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)

/* type must be 's', 'd', 'c' or 'z'. The file that uses this defines complex_of<R>, its complex
 * numbers with real and imaginary parts of type R. */
#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function<float>(__VA_ARGS__)                                                \
     : (type) == 'd' ? function<double>(__VA_ARGS__)                                               \
     : (type) == 'c' ? function<complex_of<float>>(__VA_ARGS__)                                    \
                     : function<complex_of<double>>(__VA_ARGS__))

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return error_;                                                                         \
    } while (0)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error_));                                                   \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* True for a pointer that is not NULL and a multiple of `alignment`. */
static inline bool device_aligned(const void *pointer, size_t alignment)
{
    return pointer && (uintptr_t)pointer % alignment == 0;
}

#ifdef __CUDACC__

/* DEVICE_LIMITS of the environment, read once. */
inline const struct device_limits *device_limits(void)
{
    static const struct device_limits limits = device_limits_read(getenv("DEVICE_LIMITS"));
    return &limits;
}

static inline cudaError_t device_attribute(int *value, cudaDeviceAttr attribute, int device)
{
    const struct device_limits *limits = device_limits();
    int most = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? limits->shared
               : attribute == cudaDevAttrMultiProcessorCount        ? limits->multiprocessors
                                                                    : 0;
    TRY(cudaDeviceGetAttribute(value, attribute, device));
    if (most > 0 && *value > most)
        *value = most;
    return cudaSuccess;
}

/* A kernel must ask for more than 48 KiB of dynamic shared memory. Asking takes longer than a
 * launch, so a host thread asks once for each kernel, for as much as the device has. */
static inline cudaError_t device_allow_shared(const void *kernel, size_t bytes)
{
    static thread_local struct {
        const void *kernel;
        int device;
    } allowed[32];
    static thread_local unsigned next;
    int device, most;
    cudaFuncAttributes own;
    if (bytes <= 48 * 1024)
        return cudaSuccess;
    TRY(cudaGetDevice(&device));
    for (auto &a : allowed)
        if (a.kernel == kernel && a.device == device)
            return cudaSuccess;
    TRY(device_attribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    TRY(cudaFuncGetAttributes(&own, kernel));
    TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - (int)own.sharedSizeBytes));
    allowed[next++ % 32] = {kernel, device};
    return cudaSuccess;
}

/* An error if DEVICE_LIMITS's smaller device could not run all blocks of a cooperative launch at
 * once. */
static inline cudaError_t device_limit_blocks(const void *kernel, dim3 blocks, dim3 threads,
                                              size_t shared_bytes)
{
    const struct device_limits *limits = device_limits();
    int count = (int)(threads.x * threads.y * threads.z), each;
    if (limits->multiprocessors == 0)
        return cudaSuccess;
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, count, shared_bytes));
    long most = device_limits_blocks(limits, count, shared_bytes),
         by_kernel = (long)each * limits->multiprocessors;
    return (long)(blocks.x * blocks.y * blocks.z) > (most < by_kernel ? most : by_kernel)
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

/* The arguments are converted to the kernel's own parameter types, as a call would. */
template <class... P, class... A>
static inline cudaError_t device_launch(const char *name, bool cooperative, void (*kernel)(P...),
                                        dim3 blocks, dim3 threads, size_t shared_bytes,
                                        cudaStream_t stream, A... args)
{
    (void)name;
    TRY(device_allow_shared((const void *)kernel, shared_bytes));
    if (cooperative)
        TRY(device_limit_blocks((const void *)kernel, blocks, threads, shared_bytes));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = cooperative;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cooperative ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, ((P)args)...);
}

#define FIELDS(name, type, ...) type __VA_ARGS__

#define UNROLL_(text) _Pragma(#text)
#define UNROLL(...)   UNROLL_(unroll __VA_ARGS__)

#define DYN_SHARED(type, name)                                                                     \
    extern __shared__ __align__(16) unsigned char dyn_shared_[];                                   \
    type *name = (type *)dyn_shared_

#endif /* __CUDACC__ */
#endif
