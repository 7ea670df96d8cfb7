/* The bandwidth of kernels whose threads read and write 16 bytes at a time (ceiling.h). */
#include "ceiling.h"
#include "device_program.h"

struct __align__(16) four
{
    float element[4];
};

static const int64_t COUNT = INT64_C(1) << 25; /* elements of struct four: 2^27 floats */

static __global__ void copy(int64_t count, const struct four *b, struct four *a)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] = b[i];
}

static __global__ void triad(int64_t count, const struct four *b, const struct four *c,
                             struct four *a)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct four sum;
    for (int k = 0; k < 4; k++)
        sum.element[k] = b[i].element[k] + 0.5f * c[i].element[k];
    a[i] = sum;
}

static __global__ void four_reads(int64_t count, const struct four *b, const struct four *c,
                                  const struct four *d, const struct four *e, struct four *a)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct four sum;
    for (int k = 0; k < 4; k++)
        sum.element[k] = (b[i].element[k] + c[i].element[k]) + (d[i].element[k] + e[i].element[k]);
    a[i] = sum;
}

double ceiling_bytes(void)
{
    return device_is_cpu() ? 0 : 5.0 * sizeof(struct four) * (double)COUNT;
}

void ceiling_rows_at(struct results *results, int64_t n, int reps)
{
    if (device_is_cpu())
        return;
    int64_t count = n / 4;
    size_t bytes = (size_t)count * sizeof(struct four);
    struct memory arrays = {};
    struct four *v[5];
    for (struct four *&array : v) {
        array = (struct four *)memory_device(&arrays, bytes);
        CHECK(cudaMemset(array, 0x3f, bytes)); /* each float becomes 0.747 */
    }
    struct row row = {.type = 's',
                      .n = 4 * count,
                      .phase = "total",
                      .device = device_name(),
                      .error = -1,
                      .status = "ok"};
    static const char *const names[] = {"copy", "triad", "four_reads"};
    for (int k = 0; k < 3; k++) {
        const int moved[] = {2, 3, 5};
        row.variant = names[k];
        row.bytes = moved[k] * (double)bytes;
        record(results, row, reps, [=](cudaStream_t stream) {
            unsigned blocks = (unsigned)((count + 255) / 256);
            return k == 0   ? LAUNCH(copy, blocks, 256, 0, stream, count, v[1], v[0])
                   : k == 1 ? LAUNCH(triad, blocks, 256, 0, stream, count, v[1], v[2], v[0])
                            : LAUNCH(four_reads, blocks, 256, 0, stream, count, v[1], v[2], v[3],
                                     v[4], v[0]);
        });
    }
    memory_free(&arrays);
}

void ceiling_rows(struct results *results, int reps)
{
    ceiling_rows_at(results, 4 * COUNT, reps);
}
