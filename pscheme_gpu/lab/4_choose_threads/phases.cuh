/* The kernels of lab 4: those of lab 3, but t_i is the sum of TERMS terms. With many terms a row of
 * pre-computation is costly (W13's cases M and H). TERMS of the other two kernels tells only their
 * counts apart. Row i of part j is at index i P + j. */
#pragma once

#include "../parts.cuh"

/* TERMS loads and 2 stores a row. The terms of a row are m P elements apart. */
template <int TERMS>
static __global__ void precompute(int64_t n, int64_t m, float scale, const float *t, float *w,
                                  float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++) {
        float sum = 0;
        for (int term = 0; term < TERMS; term++)
            sum += t[(term * m + i) * parts + part];
        current = scale * current + sum;
        product *= scale;
        w[i * parts + part] = current;
        a[i * parts + part] = product;
    }
}

/* 2 loads and 1 store a part. */
template <int TERMS>
static __global__ void propagate(int64_t n, int64_t m, int64_t parts, float w0, float *w,
                                 const float *a)
{
    float carry = w0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t rows = rows_of(n, m, part);
        if (rows > 0) {
            int64_t last = (rows - 1) * parts + part;
            carry = w[last] + a[last] * carry;
            w[last] = carry;
        }
    }
}

/* 2 loads and 1 store a row. */
template <int TERMS>
static __global__ void determine(int64_t n, int64_t m, float w0, float *w, const float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float carry = w0;
    if (part > 0 && rows > 0)
        carry = w[(m - 1) * parts + part - 1];
    for (int64_t i = 0; i < rows - 1; i++)
        w[i * parts + part] += a[i * parts + part] * carry;
}

template <int TERMS>
static cudaError_t run_phases(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                              const float *t, float *w, float *a)
{
    int64_t parts = (int64_t)blocks * threads;
    TRY(LAUNCH((precompute<TERMS>), blocks, threads, 0, 0, n, m, scale, t, w, a));
    TRY(LAUNCH((propagate<TERMS>), 1, 1, 0, 0, n, m, parts, w0, w, a));
    return LAUNCH((determine<TERMS>), blocks, threads, 0, 0, n, m, w0, w, a);
}
