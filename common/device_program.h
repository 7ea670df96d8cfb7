/* What programs with kernels share: their main(), memory, timing on the device, and verification of
 * results there. Programs without kernels use timing.h and verify.h alone. */
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

/* Puts work on a stream; returns the first error. */
typedef cudaError_t (*device_work)(void *ctx, cudaStream_t stream);

/* Times work(ctx, stream) by CUDA events. reset (NULL: none) runs before each sample, outside the
 * timed region. Work shorter than about 0.2 ms is captured k times into a graph, and a sample is
 * one replay of it (timer "graph xk"): otherwise launch latency and the events' resolution would be
 * measured. Such work is repeated without reset, which may change its results but not its cost. On
 * the CPU device nothing is timed: the work runs once and the timer is "none". */
cudaError_t time_device(device_work reset, device_work work, void *ctx, int reps,
                        struct timing *out);

/* Where kernels run: "NVIDIA H100 80GB HBM3", "CPU device", or "none" without a GPU. */
const char *device_name(void);

/* True for the build whose kernels run on the CPU device. */
bool device_is_cpu(void);

/* Exits with status 3 and one line unless there is a device with `bytes` of free memory, and
 * host_bytes of main memory besides. */
void device_require(const char *program, double bytes, double host_bytes);

/* The same as a question: would device_require return? */
bool device_fits(double bytes, double host_bytes);

/* The main() of a program with kernels: fills in program->device and quick_default, reads the
 * command line, and runs check(options) or sweep(program, options). Returns the exit status. It
 * first calls wait_passively (timing.h), which starts the program again; a main that does more than
 * fill in `program` before this call makes that call itself, first. */
int device_main(struct program *program, int argc, char **argv,
                int (*check)(const struct options *options),
                int (*sweep)(const struct program *program, const struct options *options));

/* verify_recurrence (verify.h) of w_1..w_n on the device. s and t are in main memory; `host` is
 * workspace of n + 1 elements there and holds w_0..w_n afterwards. */
struct verdict device_verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                        const void *t, int t_inc, const void *w, void *host);

/* Are all these bytes of device memory equal to `byte`? For tests: a call that was refused must not
 * have written its output. */
bool device_holds(const void *array, unsigned char byte, size_t bytes);

/* Memory aligned to 64 bytes, for free(); exits with status 3 and one line if there is none. */
void *host_alloc(const char *program, int64_t bytes);

/* The arrays of an experiment, which are freed together. Each function exits with status 3 and one
 * line if there is no memory. */
struct memory {
    int count;
    void *at[64];
    char where[64]; /* 'd'evice, 'h'ost, 'p'inned */
};
void *memory_device(struct memory *a, size_t bytes);
void *memory_host(struct memory *a, size_t bytes); /* aligned to 64 bytes */
void *memory_pinned(struct memory *a, size_t bytes);
void memory_free(struct memory *a);

/* A row of results, for kernels or for work on CPU cores, with phase "total" and the verdict's
 * error and status. `elements`: how many array elements the method must at least move for each
 * unknown; the row's bytes are that times n times batch (batch 0: there is one system) times the
 * element's size. The caller fills in what else applies. */
struct row device_row(const char *variant, char type, int64_t n, int64_t batch, double elements,
                      struct verdict verdict);
struct row cpu_row(const char *variant, char type, int64_t n, int64_t batch, int cores,
                   double elements, struct verdict verdict);

/* Copies between an array on the device and one in main memory. */
void device_upload(void *device, const void *host, size_t bytes);
void device_download(void *host, const void *device, size_t bytes);

/* Fills an array with 0xff, which is NaN in every type, so that a result that no kernel writes is
 * found. */
void device_poison(void *array, size_t bytes);

#ifdef __cplusplus
}

/* Times work(stream), a lambda, by time_device and adds the row with its time to the results.
 * Returns the time. `reset`, another lambda, is time_device's reset. */
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

/* The same for work() on row.cores CPU cores, by time_cores; returns the time. `one`: the time of
 * the same work on one core, or NULL. With `reset`, which the work needs before each call, a sample
 * is one call. */
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

/* A sweep: for each type and n of the options begin(type, n), then for each G and T
 * rows(type, n, blocks, threads). Shows the progress. */
template <class Begin, class Rows>
static inline void each_configuration(const struct program *program, const struct options *o,
                                      Begin begin, Rows rows)
{
    int64_t done = 0,
            all = (int64_t)strlen(o->types) * o->n.count * o->blocks.count * o->threads.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            begin(*type, o->n.value[i]);
            for (int g = 0; g < o->blocks.count; g++)
                for (int t = 0; t < o->threads.count; t++) {
                    rows(*type, o->n.value[i], (int)o->blocks.value[g], (int)o->threads.value[t]);
                    progress(program->name, ++done, all, "configurations");
                }
        }
}
#endif
#endif
