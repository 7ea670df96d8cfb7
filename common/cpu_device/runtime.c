/* The functions of the CUDA runtime that programs call on the host: memory, streams, events,
 * properties. Every call is complete when it returns. */
#include "internal.h"
#include "../device.h"
#include "count.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CORES_MOST = 16, CUDA_MALLOC_ALIGNMENT = 256 };

/* ---- the device and its limits ---- */

static struct device_limits limits;
static pthread_once_t limits_read = PTHREAD_ONCE_INIT;
static void read_limits(void)
{
    limits = device_limits_read(getenv("DEVICE_LIMITS"));
}
const struct device_limits *device_limits(void)
{
    pthread_once(&limits_read, read_limits);
    return &limits;
}
size_t cpu_shared_limit(void)
{
    int most = device_limits()->shared;
    return most > 0 && most < SHARED_MOST ? (size_t)most : SHARED_MOST;
}
bool has_bulk_copies(void)
{
    return !device_limits()->plain;
}

int cpu_workers(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < CORES_MOST ? count : CORES_MOST;
}

static int multiprocessors(void)
{
    int said = device_limits()->multiprocessors;
    return said > 0 ? said : cpu_workers();
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device != 0)
        return cudaErrorInvalidValue;
    size_t available;
    strcpy(properties->name, "CPU device");
    properties->multiProcessorCount = multiprocessors();
    return cudaMemGetInfo(&available, &properties->totalGlobalMem);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    enum { RESERVED = 1024 }; /* bytes of shared memory that the system takes */
    const int values[] = {[cudaDevAttrL2CacheSize] = 0, /* there is none to keep rows in */
                          [cudaDevAttrMaxSharedMemoryPerBlockOptin] = (int)cpu_shared_limit(),
                          [cudaDevAttrMaxSharedMemoryPerMultiprocessor] =
                              (int)cpu_shared_limit() + RESERVED,
                          [cudaDevAttrMaxThreadsPerMultiProcessor] = 2048,
                          [cudaDevAttrMultiProcessorCount] = multiprocessors()};
    if (device != 0 || (size_t)attribute >= sizeof values / sizeof *values)
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

/* ---- memory ---- */

cudaError_t cpu_malloc(void **memory, size_t bytes)
{
    *memory = NULL;
    if (bytes && posix_memalign(memory, CUDA_MALLOC_ALIGNMENT, bytes) != 0)
        return cudaErrorMemoryAllocation;
    if (bytes)
        memset(*memory, 0xff, bytes);
    count_allocated(*memory, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    count_freed(memory);
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    if (bytes)
        memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (bytes)
        memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *total = page * (size_t)sysconf(_SC_PHYS_PAGES);
    *available = page * (size_t)sysconf(_SC_AVPHYS_PAGES);
    unsigned long kilobytes; /* as Linux estimates it, with the file cache that it could free */
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lu", &kilobytes) == 1)
            *available = 1024 * (size_t)kilobytes;
    if (file)
        fclose(file);
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

#define ALREADY_DONE(function, type)                                                               \
    cudaError_t function(type handle)                                                              \
    {                                                                                              \
        (void)handle;                                                                              \
        return cudaSuccess;                                                                        \
    }
ALREADY_DONE(cudaStreamSynchronize, cudaStream_t)
ALREADY_DONE(cudaStreamQuery, cudaStream_t)
ALREADY_DONE(cudaStreamDestroy, cudaStream_t)
ALREADY_DONE(cudaEventSynchronize, cudaEvent_t)

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags;
    (void)priority;
    return cudaStreamCreate(stream);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

struct cpu_event {
    struct timespec time;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    *ms = (float)(1e3 * (double)(stop->time.tv_sec - start->time.tv_sec) +
                  1e-6 * (double)(stop->time.tv_nsec - start->time.tv_nsec));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

/* ---- errors ---- */

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorCooperativeLaunchTooLarge:
        return "too many blocks in cooperative launch";
    case cudaErrorLaunchFailure:
        return cpu_message();
    }
    return "unknown error";
}
