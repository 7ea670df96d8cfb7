/* Times the kernel of lab 14 on a GPU, beside solvers/recurrence.cu and a copy: `make lab_time`. */
#include "given.cuh"
#include "device_program.h"
#include "problems.h"
#include "recurrence.h"

enum { REPS = 15 };

/* The median of the milliseconds of `work`. The workspace is cleared before, which is not timed. */
template <class Work> static double median_ms(struct workspace space, size_t words, Work work)
{
    double ms[REPS];
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int k = -1; k < REPS; k++) { /* the first one warms up */
        float time;
        CHECK(cudaMemsetAsync(space.next, 0, sizeof(int)));
        CHECK(cudaMemsetAsync(space.flags, 0, words));
        CHECK(cudaEventRecord(begin));
        CHECK(work());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&time, begin, end));
        ms[k < 0 ? 0 : k] = time;
    }
    return timing_summary("events", ms, REPS).median_ms;
}

int main(void)
{
    const int64_t n = INT64_C(1) << 27;
    const float w0 = 1000;
    const size_t bytes = (size_t)n * sizeof(float), words = bytes / 32;
    const size_t library = recurrence_workspace('s', n);
    device_require("lab_time", 3.0 * (double)bytes + 4.0 * (double)words + (double)library, 0);
    struct memory memory = {};
    float *s = (float *)memory_host(&memory, bytes), *t = (float *)memory_host(&memory, bytes),
          *host = (float *)memory_host(&memory, bytes + sizeof w0);
    void *at[10];
    const size_t size[] = {bytes, bytes, bytes, sizeof w0, library,
                           words, words, words, words,     sizeof(int)};
    for (int k = 0; k < 10; k++)
        at[k] = memory_device(&memory, size[k]);
    float *device_s = (float *)at[0], *device_t = (float *)at[1], *w = (float *)at[2];
    struct workspace space = {(int *)at[9], (int *)at[5], (float *)at[6], (float *)at[7],
                              (float *)at[8]};
    fill_recurrence('s', RECURRENCE_NEAR_ONE, 14, n, s, t);
    device_upload(device_s, s, bytes);
    device_upload(device_t, t, bytes);
    device_upload(at[3], &w0, sizeof w0);
    struct recurrence p = {};
    p.type = 's', p.length = n, p.batch = 1;
    p.s = device_s, p.t = device_t, p.w0 = at[3], p.w = w;
    CHECK(recurrence_prepare(at[4], library, 0));
    const double copy = median_ms(space, words, [&]() {
        return cudaMemcpyAsync(w, device_t, bytes, cudaMemcpyDeviceToDevice);
    });
    const double theirs =
        median_ms(space, words, [&]() { return recurrence_solve(&p, at[4], library, 0); });
    device_poison(w, bytes);
    const double yours =
        median_ms(space, words, [&]() { return run_solve(n, w0, device_s, device_t, w, space); });
    struct verdict v = device_verify_recurrence('s', n, w0, s, 1, t, 1, w, host);
    /* A row moves 3 words, 2 in the copy: the share of the copy's speed is 1.5 times its time over
     * the solver's. */
    printf("%s, n = 2^27: ms, and the share of a copy's speed\n", device_name());
    printf("  %-24s %9.3f\n", "copy", copy);
    printf("  %-24s %9.3f %6.1f%%\n", "solvers/recurrence.cu", theirs, 150 * copy / theirs);
    printf("  %-24s %9.3f %6.1f%%   %s\n", "your kernel", yours, 150 * copy / yours,
           v.ok ? "verified" : "WRONG");
    memory_free(&memory);
    return v.ok ? 0 : 1;
}
