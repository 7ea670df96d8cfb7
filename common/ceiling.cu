/* See ceiling.h. */
#include "ceiling.h"
#include "device_program.h"

struct __align__(16) four
{
    float word[4];
};

static const int64_t COUNT = INT64_C(1) << 25;

struct arrays {
    struct four *a, *b, *c;
    int64_t count; /* of four words */
};

/* The plainest kernel there is, with 16-byte accesses. */
static __global__ void copy(int64_t count, const struct four *b, struct four *a)
{
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] = b[i];
}

static __global__ void triad(int64_t count, const struct four *b, const struct four *c,
                             struct four *a)
{
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    struct four sum;
    for (int k = 0; k < 4; k++)
        sum.word[k] = b[i].word[k] + 0.5f * c[i].word[k];
    a[i] = sum;
}

static unsigned blocks_for(int64_t count)
{
    return static_cast<unsigned>((count + 255) / 256);
}

static cudaError_t run_copy(void *ctx, cudaStream_t stream)
{
    const struct arrays *v = static_cast<const struct arrays *>(ctx);
    return LAUNCH(copy, blocks_for(v->count), 256, 0, stream, v->count, v->b, v->a);
}

static cudaError_t run_triad(void *ctx, cudaStream_t stream)
{
    const struct arrays *v = static_cast<const struct arrays *>(ctx);
    return LAUNCH(triad, blocks_for(v->count), 256, 0, stream, v->count, v->b, v->c, v->a);
}

double ceiling_bytes(void)
{
    return device_is_cpu() ? 0 : 3.0 * sizeof(struct four) * static_cast<double>(COUNT);
}

void ceiling_rows_at(struct results *results, int64_t n, int reps)
{
    if (device_is_cpu())
        return;
    struct arrays v;
    v.count = n / 4;
    size_t bytes = static_cast<size_t>(v.count) * sizeof(struct four);
    CHECK(cudaMalloc(&v.a, bytes));
    CHECK(cudaMalloc(&v.b, bytes));
    CHECK(cudaMalloc(&v.c, bytes));
    CHECK(cudaMemset(v.b, 0x3f, bytes)); /* 0.747…: not zero */
    CHECK(cudaMemset(v.c, 0x3e, bytes));
    struct row row = {};
    row.type = 's';
    row.n = 4 * v.count;
    row.phase = "total";
    row.device = device_name();
    row.status = "ok";
    row.error = -1;
    row.variant = "copy";
    row.bytes = 2.0 * static_cast<double>(bytes);
    CHECK(time_device(NULL, run_copy, &v, reps, &row.time));
    results_add(results, &row);
    row.variant = "triad";
    row.bytes = 3.0 * static_cast<double>(bytes);
    CHECK(time_device(NULL, run_triad, &v, reps, &row.time));
    results_add(results, &row);
    CHECK(cudaFree(v.a));
    CHECK(cudaFree(v.b));
    CHECK(cudaFree(v.c));
}

void ceiling_rows(struct results *results, int reps)
{
    ceiling_rows_at(results, 4 * COUNT, reps);
}
