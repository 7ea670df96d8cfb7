/* What the programs with kernels share: their main(), memory, the verification of a result that is on the
 * device, and timing there. Needs device.h; programs without kernels use timing.h and verify.h alone. */
#ifndef DEVICE_PROGRAM_H
#define DEVICE_PROGRAM_H

#include "device.h"
#include "options.h"
#include "results.h"
#include "timing.h"
#include "verify.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Work put on a stream: returns the first error. */
typedef cudaError_t (*device_work)(void *ctx, cudaStream_t stream);

/* Time work(ctx, stream) by CUDA events. reset (NULL: none) runs before each sample outside the
 * timed region. Work shorter than about 0.2 ms is captured `k` times into a graph that is replayed
 * as one sample ("graph xk"), so that neither launch latency nor the events' resolution is
 * measured; then the work must be right to repeat (results may change, cost may not). On the CPU
 * device nothing is timed: the work runs once and the timer reads "none". */
cudaError_t time_device(device_work reset, device_work work, void *ctx, int reps,
                        struct timing *out);

/* "NVIDIA H100 80GB HBM3", or "CPU device" for the kernels' execution on the CPU. */
const char *device_name(void);

/* True for the build whose kernels run on the CPU device. */
bool device_is_cpu(void);

/* Exit with status 3 and one line unless there is a device with `bytes` of free memory, and host_bytes in
 * main memory besides. */
void device_require(const char *program, double bytes, double host_bytes);

/* Would device_require let this pass? */
bool device_fits(double bytes, double host_bytes);

/* The main() of a program with kernels: fill in program->device and quick_default, read the command
 * line, and run check(options) or sweep(program, options). Gives the exit status. It begins with
 * wait_passively (timing.h), which starts the program anew: a main that does more before it than
 * fill in `program` calls that itself. */
int device_main(struct program *program, int argc, char **argv,
                int (*check)(const struct options *options),
                int (*sweep)(const struct program *program, const struct options *options));

/* verify_recurrence (verify.h) of w_1..w_n on the device; s and t are host memory, host is room there for
 * n + 1 words and holds w_0..w_n afterwards. */
struct verdict device_verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                        const void *t, int t_inc, const void *w, void *host);

/* Are all these bytes of device memory `byte`? For tests: what was refused must not have been
 * written to. */
bool device_holds(const void *array, unsigned char byte, size_t bytes);

/* malloc, aligned to 64 bytes, or exit with status 3 and one line. */
void *host_alloc(const char *program, int64_t bytes);

/* The arrays of an experiment, freed together. Each function exits with status 3 and one line where
 * there is no memory. */
struct memory {
    int count;
    void *at[64];
    char where[64]; /* 'd'evice, 'h'ost, 'p'inned */
};
void *memory_device(struct memory *a, size_t bytes);
void *memory_host(struct memory *a, size_t bytes); /* aligned to 64 bytes */
void *memory_pinned(struct memory *a, size_t bytes);
void memory_free(struct memory *a);

/* A row of results: the kernels', or of work on CPU cores. Phase "total", bytes = `elements` (the
 * least traffic for an unknown, in elements) times n times batch, error and status by the verdict.
 * batch 0: does not apply. What else applies is filled in by the caller. */
struct row device_row(const char *variant, char type, int64_t n, int64_t batch, double elements,
                      struct verdict verdict);
struct row cpu_row(const char *variant, char type, int64_t n, int64_t batch, int cores,
                   double elements, struct verdict verdict);

/* Copies between an array on the device and one in main memory. */
void device_upload(void *device, const void *host, size_t bytes);
void device_download(void *host, const void *device, size_t bytes);

/* Fills an array with 0xff, a NaN in every type: a result that is not written is then found. */
void device_poison(void *array, size_t bytes);

#ifdef __cplusplus
}

/* Measure and record: time work(stream), a lambda, by time_device, put the time into the row and
 * add the row to the results. Gives the time. With `reset`, another lambda, as reset of
 * time_device. */
template <class Work>
static inline struct timing record(struct results *results, struct row row, int reps, Work work)
{
    CHECK(time_device(
        NULL, [](void *w, cudaStream_t stream) { return (*(Work *)w)(stream); }, &work, reps,
        &row.time));
    results_add(results, &row);
    return row.time;
}
/* The time alone of work(stream), with reset(stream) as reset of time_device. */
template <class Reset, class Work>
static inline struct timing device_time(int reps, Reset reset, Work work)
{
    struct {
        Reset *reset;
        Work *work;
    } both = {&reset, &work};
    typedef decltype(both) pair;
    struct timing time;
    CHECK(time_device([](void *b, cudaStream_t stream) { return (*((pair *)b)->reset)(stream); },
                      [](void *b, cudaStream_t stream) { return (*((pair *)b)->work)(stream); },
                      &both, reps, &time));
    return time;
}
template <class Reset, class Work>
static inline struct timing record(struct results *results, struct row row, int reps, Reset reset,
                                   Work work)
{
    row.time = device_time(reps, reset, work);
    results_add(results, &row);
    return row.time;
}

/* The same for work() on row.cores CPU cores; `one` as in time_cores (NULL: nothing to compare
 * with). Gives the time. With `reset`, which the work needs before each call, as time_once. */
template <class Work>
static inline struct timing record_cores(struct results *results, struct row row,
                                         const struct timing *one, int reps, Work work)
{
    row.time = time_cores(
        one, (int)row.cores, false, NULL, [](void *w) { (*(Work *)w)(); }, &work, reps);
    results_add(results, &row);
    return row.time;
}
template <class Reset, class Work>
static inline struct timing record_cores(struct results *results, struct row row,
                                         const struct timing *one, int reps, Reset reset, Work work)
{
    struct {
        Reset *reset;
        Work *work;
    } both = {&reset, &work};
    typedef decltype(both) pair;
    row.time = time_cores(
        one, (int)row.cores, true, [](void *b) { (*((pair *)b)->reset)(); },
        [](void *b) { (*((pair *)b)->work)(); }, &both, reps);
    results_add(results, &row);
    return row.time;
}
#endif
#endif
