/* One source, two devices. A .cu file that includes this header compiles with nvcc for a GPU and
 * with g++ or clang++ for the CPU device (cpu_device/: every thread of a block is a fibre). This
 * file stands alone in a GPU build: copy it together with a solver's two files. Kernels are plain
 * CUDA C; what differs is
 *
 *   LAUNCH(kernel, blocks, threads, shared_bytes, stream, args...)
 *       launches and gives the cudaError_t; a template goes in parentheses: LAUNCH((k<float>), ...)
 *   LAUNCH_COOPERATIVE(...)
 *       the same; all blocks run at once and may wait for each other
 *   TRY(call)
 *       in a function that returns cudaError_t: return on any error
 *   CHECK(call)
 *       in a main: print call, error, file and line, and exit with status 3
 *   struct NAME { WORDS(NAME, type, a, b, …); };
 *       members of one type; a kernel reads and writes such a struct as a whole
 *   DYN_SHARED(type, name)
 *       in a kernel: `type *name`, the dynamic shared memory (16-byte aligned)
 *
 * and the small functions at the end, which stand for instructions that C has no word for. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
#include "cpu_device/cpu_device.h"
#endif

#define LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                                 \
    device_launch(#kernel, false, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)
#define LAUNCH_COOPERATIVE(kernel, blocks, threads, shared_bytes, stream, ...)                     \
    device_launch(#kernel, true, kernel, blocks, threads, shared_bytes, stream, __VA_ARGS__)

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

#ifdef __CUDACC__

/* The arguments are converted to the kernel's own parameter types, as a call would. */
template <class... P, class... A>
static inline cudaError_t device_launch(const char *name, bool cooperative, void (*kernel)(P...),
                                        dim3 blocks, dim3 threads, size_t shared_bytes,
                                        cudaStream_t stream, A... args)
{
    (void)name;
    if (shared_bytes > 48 * 1024) /* more must be asked for */
        TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes)));
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
    return cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
}

#define WORDS(name, type, ...) type __VA_ARGS__

#define DYN_SHARED(type, name)                                                                     \
    extern __shared__ __align__(16) unsigned char dyn_shared_[];                                   \
    type *name = reinterpret_cast<type *>(dyn_shared_)

/* In a spin loop: let others run. */
static __device__ inline void device_pause(void)
{
    __nanosleep(20);
}

/* A flag between blocks: what was written before store_release is seen after load_acquire reads it. */
static __device__ inline int load_acquire(const int *flag)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
static __device__ inline void store_release(int *flag, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/* Asynchronous copy of 4, 8 or 16 bytes from global to shared memory (both aligned to `bytes`).
 * Copies belong to the group that the next copy_async_commit() of the same thread closes;
 * copy_async_wait<n>() returns when all but the n youngest groups of this thread have arrived, and
 * other threads see them after the next __syncthreads(). Before sm_80 a plain copy. */
template <int bytes> static __device__ inline void copy_async(void *shared, const void *global)
{
#if __CUDA_ARCH__ >= 800
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(global), "n"(bytes)
                 : "memory");
#else
    memcpy(__builtin_assume_aligned(shared, bytes), __builtin_assume_aligned(global, bytes), bytes);
#endif
}
static __device__ inline void copy_async_commit(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int groups> static __device__ inline void copy_async_wait(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

#endif /* __CUDACC__ */
#endif
