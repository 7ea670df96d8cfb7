/* One source, two devices. A .cu file that includes this header compiles with nvcc for a GPU, and
 * with g++ or clang++ for the CPU device (cpu_device/). Kernels are ordinary CUDA C, except for:
 *
 *   LAUNCH(kernel, blocks, threads, shared_bytes, stream, args...)
 *       launches a kernel; returns the cudaError_t. A template needs parentheses: (k<float>)
 *   LAUNCH_COOPERATIVE(...)
 *       the same, but all blocks run at once and may wait for each other
 *   TRY(call)    in a function that returns cudaError_t: returns the error if the call fails
 *   CHECK(call)  in a program: prints the call, the error, file and line, and exits with status 3
 *   DYN_SHARED(type, name)
 *       in a kernel: declares `type *name`, the dynamic shared memory (16-byte aligned)
 *   struct NAME { FIELDS(NAME, type, a, b, …); };
 *       declares members of one type. The count build counts the accesses of copies of the struct
 *   UNROLL(count)
 *       before a for loop, which nvcc unrolls by this factor; UNROLL(): all of it
 *   BY_TYPE(type, function, args...)
 *       calls function<T>(args...), where T is the number type for the letter `type`
 *   device_attribute(&value, attribute, device)
 *       cudaDeviceGetAttribute, or a smaller value that DEVICE_LIMITS sets (device_limits.h)
 *
 * GPU instructions that C has no operator for are in device_async.h.
 *
 * To use this header elsewhere, copy it with device_limits.h. CPU builds also need the folder
 * cpu_device: compile .cu files with g++ -x c++ -std=c++17 and the folder's C files with gcc
 * -D_GNU_SOURCE. Link shared_begin.o before the kernels' objects, shared_end.o after them, and add
 * -lpthread. */
#pragma once

#include "device_limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program without kernels that is not compiled by nvcc but calls a library that was defines
 * DEVICE_CUDA. */
#if defined __CUDACC__ || defined DEVICE_CUDA
#include <cuda_runtime.h>
#else
#include "cpu_device/cpu_device.h"
#endif

#define LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                                 \
    device_launch(#kernel, false, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)
#define LAUNCH_COOPERATIVE(kernel, blocks, threads, shared_bytes, stream, ...)                     \
    device_launch(#kernel, true, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)

/* The file that uses this macro defines complex_of<R>, complex numbers of two R. */
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

/* True if the pointer is not NULL and is a multiple of `alignment`. */
static inline bool device_aligned(const void *pointer, size_t alignment)
{
    return pointer && (uintptr_t)pointer % alignment == 0;
}

#ifdef __CUDACC__

/* The limits that the environment variable DEVICE_LIMITS sets. It is read once. */
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

/* A kernel may use more than 48 KiB of dynamic shared memory only after cudaFuncSetAttribute, which
 * takes longer than a launch. So each host thread calls it once for each kernel and device. */
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

/* Could the smaller device of DEVICE_LIMITS run all blocks of a cooperative launch at once? */
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

/* The arguments are converted to the types of the kernel's parameters, as in a function call. */
template <class... P, class... A>
static inline cudaError_t device_launch(const char *name, bool cooperative, void (*kernel)(P...),
                                        dim3 blocks, dim3 threads, size_t shared_bytes,
                                        cudaStream_t stream, A... args)
{
    (void)name;
    TRY(device_allow_shared((const void *)kernel, shared_bytes));
    if (device_limits()->carveout > 0)
        TRY(cudaFuncSetAttribute((const void *)kernel,
                                 cudaFuncAttributePreferredSharedMemoryCarveout,
                                 device_limits()->carveout));
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
