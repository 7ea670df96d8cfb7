/* See ceiling.h. */
#include "ceiling.h"
#include "device_program.h"

#include <initializer_list>

struct __align__(16) four
{
    float word[4];
};

static const int64_t COUNT = INT64_C(1) << 25;

struct arrays {
    struct four *a, *b, *c, *d, *e;
    int64_t count; /* of four words */
};

/* The plainest kernel there is, with 16-byte accesses. */
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
        sum.word[k] = b[i].word[k] + 0.5f * c[i].word[k];
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
        sum.word[k] = (b[i].word[k] + c[i].word[k]) + (d[i].word[k] + e[i].word[k]);
    a[i] = sum;
}

static unsigned blocks_for(int64_t count)
{
    return (unsigned)((count + 255) / 256);
}

static cudaError_t run_copy(void *ctx, cudaStream_t stream)
{
    const struct arrays *v = (const struct arrays *)ctx;
    return LAUNCH(copy, blocks_for(v->count), 256, 0, stream, v->count, v->b, v->a);
}

static cudaError_t run_triad(void *ctx, cudaStream_t stream)
{
    const struct arrays *v = (const struct arrays *)ctx;
    return LAUNCH(triad, blocks_for(v->count), 256, 0, stream, v->count, v->b, v->c, v->a);
}

static cudaError_t run_four_reads(void *ctx, cudaStream_t stream)
{
    const struct arrays *v = (const struct arrays *)ctx;
    return LAUNCH(four_reads, blocks_for(v->count), 256, 0, stream, v->count, v->b, v->c, v->d,
                  v->e, v->a);
}

double ceiling_bytes(void)
{
    return device_is_cpu() ? 0 : 5.0 * sizeof(struct four) * (double)COUNT;
}

void ceiling_rows_at(struct results *results, int64_t n, int reps)
{
    if (device_is_cpu())
        return;
    struct arrays v;
    v.count = n / 4;
    size_t bytes = (size_t)v.count * sizeof(struct four);
    for (struct four **array : {&v.a, &v.b, &v.c, &v.d, &v.e}) {
        CHECK(cudaMalloc(array, bytes));
        CHECK(cudaMemset(*array, 0x3f, bytes)); /* 0.747…: not zero */
    }
    struct row row = {};
    row.type = 's';
    row.n = 4 * v.count;
    row.phase = "total";
    row.device = device_name();
    row.status = "ok";
    row.error = -1;
    row.variant = "copy";
    row.bytes = 2.0 * (double)bytes;
    CHECK(time_device(NULL, run_copy, &v, reps, &row.time));
    results_add(results, &row);
    row.variant = "triad";
    row.bytes = 3.0 * (double)bytes;
    CHECK(time_device(NULL, run_triad, &v, reps, &row.time));
    results_add(results, &row);
    row.variant = "four_reads";
    row.bytes = 5.0 * (double)bytes;
    CHECK(time_device(NULL, run_four_reads, &v, reps, &row.time));
    results_add(results, &row);
    for (struct four *array : {v.a, v.b, v.c, v.d, v.e})
        CHECK(cudaFree(array));
}

void ceiling_rows(struct results *results, int reps)
{
    ceiling_rows_at(results, 4 * COUNT, reps);
}
