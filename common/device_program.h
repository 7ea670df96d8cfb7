/* What the programs with kernels share: their main(), memory, the verification of a result that is on the
 * device, and timing there. Needs device.h; programs without kernels use timing.h and verify.h alone. */
#ifndef DEVICE_PROGRAM_H
#define DEVICE_PROGRAM_H

#include "device.h"
#include "options.h"
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

#ifdef __cplusplus
}
#endif
#endif
