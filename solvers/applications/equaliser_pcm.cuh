/* From samples to samples (equaliser.cu): 16-bit PCM to the device, the filter, and back; the same
 * on one core, by filter_cpu.h or a loop; and verification. */
#pragma once

#include "applications/equaliser_bands.h"
#include "bench/filter_case.h"
#include "filter_cpu.h"

enum { EQUALISER, IN_DOUBLE, ON_CORE, SERIAL, VARIANTS };

struct equaliser {
    struct filter_case c; /* c.host_x, c.host_y: the sound as numbers from -1 to 1 */
    int16_t *pcm, *result, *device_pcm;
};

/* For n samples, which the caller writes to pcm. */
static struct equaliser equaliser_open(char type, int64_t n, int variant)
{
    struct equaliser e = {};
    struct filter p = {.type = type, .length = n, .batch = 1, .sections = SECTIONS, .order = 2};
    p.carry_in_double = variant == IN_DOUBLE;
    filter_case_open(&e.c, p);
    e.c.p.zi = e.c.p.zf = NULL; /* silence before, and nothing follows */
    for (int k = 0; k < SECTIONS; k++)
        design(&bands[k], e.c.coefficients + SECTION * k);
    e.pcm = (int16_t *)memory_pinned(&e.c.memory, (size_t)n * sizeof *e.pcm);
    e.result = (int16_t *)memory_pinned(&e.c.memory, (size_t)n * sizeof *e.result);
    e.device_pcm = (int16_t *)memory_device(&e.c.memory, (size_t)n * sizeof *e.device_pcm);
    return e;
}

/* The nearest sample. What is too loud is clipped. */
template <class T> static __device__ __host__ inline int16_t sample_of(T y)
{
    T value = rint(y * 32768);
    return (int16_t)(!(value > -32768) ? -32768 : value < 32767 ? value : 32767);
}
template <class T> static __global__ void from_pcm(int64_t n, const int16_t *pcm, T *x)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = (T)pcm[i] / 32768;
}
template <class T> static __global__ void to_pcm(int64_t n, const T *y, int16_t *pcm)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        pcm[i] = sample_of(y[i]);
}

static cudaError_t upload(const struct equaliser *e, cudaStream_t stream)
{
    return cudaMemcpyAsync(e->device_pcm, e->pcm, (size_t)e->c.p.length * sizeof *e->pcm,
                           cudaMemcpyHostToDevice, stream);
}
static cudaError_t download(const struct equaliser *e, cudaStream_t stream)
{
    return cudaMemcpyAsync(e->result, e->device_pcm, (size_t)e->c.p.length * sizeof *e->pcm,
                           cudaMemcpyDeviceToHost, stream);
}
static cudaError_t filter(const struct equaliser *e, cudaStream_t stream)
{
    return filter_solve(&e->c.p, e->c.work, e->c.bytes, stream);
}
template <class T> static cudaError_t pcm_to_pcm(const struct equaliser *e, cudaStream_t stream)
{
    enum { THREADS = 256 };
    const int64_t n = e->c.p.length;
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    TRY(upload(e, stream));
    TRY(LAUNCH(from_pcm<T>, blocks, THREADS, 0, stream, n, e->device_pcm, (T *)e->c.x));
    TRY(filter(e, stream));
    TRY(LAUNCH(to_pcm<T>, blocks, THREADS, 0, stream, n, (const T *)e->c.y, e->device_pcm));
    return download(e, stream);
}
static cudaError_t run_on_device(const struct equaliser *e, cudaStream_t stream)
{
    return e->c.p.type == 's' ? pcm_to_pcm<float>(e, stream) : pcm_to_pcm<double>(e, stream);
}
/* The same on one core. */
static void filter_on_core(const struct equaliser *e, int variant)
{
    struct filter p = e->c.p;
    p.x = e->c.host_x, p.y = e->c.host_y;
    if (variant == ON_CORE)
        filter_cpu_solve(&p, 1);
    else
        filter_case_serial(&e->c);
}
template <class T> static void pcm_to_pcm_on_core(const struct equaliser *e, int variant)
{
    for (int64_t i = 0; i < e->c.p.length; i++)
        ((T *)e->c.host_x)[i] = (T)e->pcm[i] / 32768;
    filter_on_core(e, variant);
    for (int64_t i = 0; i < e->c.p.length; i++)
        e->result[i] = sample_of(((const T *)e->c.host_y)[i]);
}
static void run_on_core(const struct equaliser *e, int variant)
{
    e->c.p.type == 's' ? pcm_to_pcm_on_core<float>(e, variant)
                       : pcm_to_pcm_on_core<double>(e, variant);
}

/* Is the filtered sound right (filter_case.h)? Are its input and its output those of the samples?
 */
static struct verdict sound_verdict(const struct equaliser *e)
{
    struct verdict verdict = filter_case_verdict(&e->c, 0, 1);
    for (int64_t i = 0; i < e->c.p.length; i++)
        verdict.ok = verdict.ok && get(e->c.p.type, e->c.host_x, i) == e->pcm[i] / 32768. &&
                     e->result[i] == sample_of(get(e->c.p.type, e->c.host_y, i));
    return verdict;
}
static struct verdict run_and_verify(const struct equaliser *e, int variant)
{
    const size_t bytes = (size_t)(e->c.p.length * size_of(e->c.p.type));
    host_poison(e->result, (size_t)e->c.p.length * sizeof *e->result);
    host_poison(e->c.host_y, bytes);
    if (variant >= ON_CORE) {
        run_on_core(e, variant);
    } else {
        device_poison(e->c.y, bytes);
        CHECK(run_on_device(e, 0));
        CHECK(cudaDeviceSynchronize());
        device_download(e->c.host_x, e->c.x, bytes);
        device_download(e->c.host_y, e->c.y, bytes);
    }
    return sound_verdict(e);
}
