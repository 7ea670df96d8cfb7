/* What programs with kernels share: main(), memory, timing on the device, and verification of
 * results from the device. Programs without kernels include only timing.h and verify.h. */
#pragma once

#include "device.h"
#include "options.h"
#include "results.h"
#include "timing.h"
#include "verify.h"

#include <stdint.h>

__BEGIN_DECLS

/* A function that enqueues kernels and copies on the stream and returns the first error. */
typedef cudaError_t (*device_work)(void *ctx, cudaStream_t stream);

/* Times work(ctx, stream) by CUDA events. reset (NULL: none) runs before each sample and is not
 * timed. Work shorter than about 5 ms is captured into a graph, which a sample launches once (timer
 * "graph xk"): k times, so that a sample lasts 0.2 ms. What the host does in the work is then not
 * timed. It is repeated without reset, which may change its results but not its cost. Longer work,
 * and work that waits for the device, is timed as it is (timer "events"). No more samples are taken
 * once there are SAMPLES_LEAST whose quartiles differ by at most half a percent of the median, or
 * two successive ones of 2 ms or more that differ by as little. On the CPU device nothing is timed:
 * the work runs once, and the timer is "none". */
cudaError_t time_device(device_work reset, device_work work, void *ctx, int reps,
                        struct timing *out);

/* The same for work that has just run in `before` milliseconds: the warm-up if that is long
 * (calls_agree in timing.h). */
cudaError_t time_device_after(double before, device_work reset, device_work work, void *ctx,
                              int reps, struct timing *out);

/* Times `count` works (at most 7) that run one after the other, each alone and all together, in the
 * same samples: out[i] for work i, out[count] for all. Events stand between the works, so this is
 * for long ones. If all take less than least_ms, or on the CPU device, every out[i] is
 * timing_none(). The first call is a sample, so the works must have run before. */
cudaError_t time_device_parts(const device_work *work, int count, void *ctx, int reps,
                              double least_ms, struct timing *out);

/* The device that runs the kernels: "NVIDIA H100 80GB HBM3", "CPU device", or "none" without a GPU.
 */
const char *device_name(void);

/* True for the build whose kernels run on the CPU device. */
bool device_is_cpu(void);

/* The number of multiprocessors of the GPU; 0 on the CPU device and without a GPU. */
int device_multiprocessors(void);

/* Exits with status 3 and one line on stderr unless there is a device and this much free memory. */
void device_require(const char *program, double bytes, double host_bytes);

/* Would device_require return? */
bool device_fits(double bytes, double host_bytes);

/* The main() of a program with kernels. Sets program->device and program->quick_default, reads the
 * command line, runs check(options) or sweep(program, options), and returns the exit status. It
 * first calls wait_passively (timing.h), which starts the program again. A main() that does more
 * than fill in `program` before must call that itself as its first statement. */
int device_main(struct program *program, int argc, char **argv,
                int (*check)(const struct options *options),
                int (*sweep)(const struct program *program, const struct options *options));

/* verify_recurrence (verify.h) for w_1..w_n on the device. s and t are in main memory, as is
 * `host`, a workspace of n + 1 elements, which holds w_0..w_n afterwards. */
struct verdict device_verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                        const void *t, int t_inc, const void *w, void *host);

/* Are all these bytes of device memory equal to `byte`? Shows that a call has not written. */
bool device_holds(const void *array, unsigned char byte, size_t bytes);

/* Memory aligned to 64 bytes, to be released by free(). Exits with status 3 and one line on stderr
 * if there is none. */
void *host_alloc(const char *program, int64_t bytes);

/* The arrays of an experiment. memory_device, memory_host and memory_pinned add one, or exit with
 * status 3 and one line on stderr; memory_free frees all. */
struct memory {
    int count;
    void *at[64];
    char where[64]; /* of each array: 'd' device, 'h' host, 'p' pinned */
    bool large;     /* there is a large array on the host */
    size_t bytes;   /* of all arrays */
};
void *memory_device(struct memory *a, size_t bytes);
void *memory_host(struct memory *a, size_t bytes); /* aligned to 64 bytes */
void *memory_pinned(struct memory *a, size_t bytes);
void memory_free(struct memory *a);

/* A row of results with phase "total" and the verdict's error and status, for work on the device
 * (device_row) or on CPU cores (cpu_row). The caller adds other members, such as blocks and
 * threads. The row's `bytes` is elements times n times batch (0: one system) times the size of an
 * element; `elements`: how many elements of arrays the method must move for each unknown, at least.
 */
struct row device_row(const char *variant, char type, int64_t n, int64_t batch, double elements,
                      struct verdict verdict);
struct row cpu_row(const char *variant, char type, int64_t n, int64_t batch, int cores,
                   double elements, struct verdict verdict);

/* Copy an array in main memory, and fill one with 0xff bytes; a large one by all cores. */
void host_copy(void *to, const void *from, size_t bytes);
void host_poison(void *array, size_t bytes);

/* Copies between an array on the device and one in main memory. */
void device_upload(void *device, const void *host, size_t bytes);
void device_download(void *host, const void *device, size_t bytes);

/* Fills an array with 0xff bytes: NaN, which verification finds where a kernel has not written. */
void device_poison(void *array, size_t bytes);

__END_DECLS

#ifdef __cplusplus
/* Two lambdas for functions with one context. */
template <class Reset, class Work> struct lambda_pair {
    Reset reset;
    Work work;
};

/* Times the lambda work(stream) by time_device_after, with the lambda reset(stream) before each
 * sample. Returns the time and adds no row. */
template <class Reset, class Work>
static inline struct timing device_time_after(double before, int reps, Reset reset, Work work)
{
    typedef lambda_pair<Reset, Work> pair;
    pair both = {reset, work};
    struct timing time;
    CHECK(time_device_after(
        before, [](void *b, cudaStream_t stream) { return ((pair *)b)->reset(stream); },
        [](void *b, cudaStream_t stream) { return ((pair *)b)->work(stream); }, &both, reps,
        &time));
    return time;
}
/* These also add `row` with the time to the results. `record` is for work that has not just run. */
template <class Reset, class Work>
static inline struct timing record_after(double before, struct results *results, struct row row,
                                         int reps, Reset reset, Work work)
{
    row.time = device_time_after(before, reps, reset, work);
    results_add(results, &row);
    return row.time;
}
template <class Work>
static inline struct timing record_after(double before, struct results *results, struct row row,
                                         int reps, Work work)
{
    return record_after(
        before, results, row, reps, [](cudaStream_t) { return cudaSuccess; }, work);
}
template <class... Works>
static inline struct timing record(struct results *results, struct row row, int reps,
                                   Works... works)
{
    return record_after(0, results, row, reps, works...);
}

/* Runs the lambda work() once. Returns the time, for record_cores_after. */
template <class Work> static inline struct timing_sample sample_cores(Work work)
{
    return sample_of([](void *w) { (*(Work *)w)(); }, &work);
}

/* Times the lambda work() on row.cores CPU cores by time_cores_after (timing.h), adds the row with
 * this time to the results and returns the time. before: the time of the call that was verified,
 * from sample_cores. `one`: the time of the same work on one core, or NULL. The second form is for
 * work that needs reset() before each call; a sample is then a single call. record_cores: no call
 * was timed before. */
template <class Work>
static inline struct timing record_cores_after(struct timing_sample before, struct results *results,
                                               struct row row, const struct timing *one, int reps,
                                               Work work)
{
    row.time = time_cores_after(
        before, one, (int)row.cores, false, NULL, [](void *w) { (*(Work *)w)(); }, &work, reps);
    results_add(results, &row);
    return row.time;
}
template <class Reset, class Work>
static inline struct timing record_cores_after(struct timing_sample before, struct results *results,
                                               struct row row, const struct timing *one, int reps,
                                               Reset reset, Work work)
{
    typedef lambda_pair<Reset, Work> pair;
    pair both = {reset, work};
    row.time = time_cores_after(
        before, one, (int)row.cores, true, [](void *b) { ((pair *)b)->reset(); },
        [](void *b) { ((pair *)b)->work(); }, &both, reps);
    results_add(results, &row);
    return row.time;
}
template <class Work>
static inline struct timing record_cores(struct results *results, struct row row,
                                         const struct timing *one, int reps, Work work)
{
    return record_cores_after({}, results, row, one, reps, work);
}

/* For each type and n of the options calls begin(type, n), and then rows(type, n, blocks, threads)
 * for each number of blocks and of threads. Shows the progress on stderr. */
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
