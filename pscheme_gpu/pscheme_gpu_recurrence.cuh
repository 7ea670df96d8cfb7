/* W12 problem B (section V-A), w_i = scale w_{i-1} + offset, by P-scheme (section II-B). Each
 * thread solves one part. Each phase is a kernel, because the end of a kernel is the only barrier
 * for all blocks. The phases take the times alpha N / P, beta P and gamma N / P (W12 eq. 14-16).
 *
 * The file shows five steps, each of which adds one idea: the first five values of enum
 * pscheme_variant. The other two values run the first two steps without L1. */
#pragma once

#include "device_async.h"
#include "pscheme_gpu_layout.cuh"

/* ---- steps 1 and 2, `block` and `rearranged`: the paper's kernels ----
 *
 * The paper's GPU had no cache for global memory. If L1 is false, the loads in the loops bypass L1,
 * so each waits for L2: the variants block_no_l1 and rearranged_no_l1. They show which differences
 * from the paper L1 causes. */

/* Pre-computation. Thread k solves part k as if w_kM, the value before the part, were 0. It also
 * stores a_i, the product of the coefficients from the start of the part to row i: the true w_i is
 * this w_i plus a_i w_kM. The strides decide whether the accesses of a warp are coalesced. */
template <class T, bool L1>
static __global__ void precompute(struct pscheme_layout layout, T scale, T offset, T *w, T *a)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T previous = 0;
        if (i > 0)
            previous = L1 ? w[k - layout.row_stride] : load_past_l1(&w[k - layout.row_stride]);
        w[k] = scale * previous + offset;
        product *= scale;
        a[k] = product;
    }
}

/* Propagation. One thread corrects the last unknown of one part after the other: w_M, w_2M, … No
 * part needs the value of the last one. The last product of part j is a[a_first + j * a_stride]. */
template <class T, bool L1>
static __global__ void propagate(struct pscheme_layout layout, T w0, T *w, const T *a,
                                 int64_t a_first, int64_t a_stride)
{
    int64_t parts = last_part(layout);
    T previous = w0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t k = part * layout.part_stride + (layout.rows - 1) * layout.row_stride;
        const T *product = &a[a_first + part * a_stride];
        previous = L1 ? w[k] + *product * previous
                      : load_past_l1(&w[k]) + load_past_l1(product) * previous;
        w[k] = previous;
    }
}

/* Determination. Thread k adds a_i w_kM to the other unknowns of part k. */
template <class T, bool L1>
static __global__ void determine(struct pscheme_layout layout, T w0, T *w, const T *a)
{
    int64_t part = this_part(), last = last_part(layout);
    /* Propagation has corrected the last unknown of every part but the last part. */
    int64_t rows = rows_of(layout, part) - (part < last);
    int64_t k = part * layout.part_stride;
    int64_t before = k - layout.part_stride + (layout.rows - 1) * layout.row_stride;
    T carry = part == 0 || rows <= 0 ? w0 : w[before];
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride)
        w[k] = L1 ? w[k] + a[k] * carry : load_past_l1(&w[k]) + load_past_l1(&a[k]) * carry;
}

/* ---- step 3, `register`: w_{i-1} stays in a register ---- */

/* This saves a load for each row, which would also wait for the store of the same thread. The
 * compiler may not do it by itself, because the store to a[k] could change w. */
template <class T>
static __global__ void precompute_register(struct pscheme_layout layout, T scale, T offset, T *w,
                                           T *a)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        current = scale * current + offset;
        product *= scale;
        w[k] = current;
        a[k] = product;
    }
}

/* ---- step 4, `recompute`: determination computes the products again ---- */

/* No product of a row is stored or loaded, so a row moves 3 elements instead of 5. Propagation
 * still needs the last product of each part. */
template <class T>
static __global__ void precompute_last_product(struct pscheme_layout layout, T scale, T offset,
                                               T *w, T *last_product)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        current = scale * current + offset;
        product *= scale;
        w[k] = current;
    }
    if (part < layout.parts)
        last_product[part] = product;
}

template <class T>
static __global__ void determine_recompute(struct pscheme_layout layout, T w0, T scale, T *w)
{
    int64_t part = this_part(), last = last_part(layout);
    int64_t rows = rows_of(layout, part) - (part < last);
    int64_t k = part * layout.part_stride;
    int64_t before = k - layout.part_stride + (layout.rows - 1) * layout.row_stride;
    T carry = part == 0 || rows <= 0 ? w0 : w[before];
    T product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        product *= scale;
        w[k] += product * carry;
    }
}

/* ---- step 5, `ahead`: eight loads are in flight at once ---- */

/* In a loop of w[k] += … the load of the next row waits for the store of this row, because the
 * compiler cannot know that the addresses differ. These kernels load AHEAD rows, then compute them,
 * then store them, so they wait for memory once in AHEAD rows. */
enum { AHEAD = 8 };

/* Propagation can do so because its loads do not depend on the values that it computes. */
template <class T>
static __global__ void propagate_ahead(struct pscheme_layout layout, T w0, T *w,
                                       const T *last_product)
{
    int64_t parts = last_part(layout), first = (layout.rows - 1) * layout.row_stride;
    T previous = w0, ends[AHEAD], products[AHEAD];
    for (int64_t part = 0; part < parts; part += AHEAD) {
        for (int i = 0; i < AHEAD; i++)
            if (part + i < parts) {
                ends[i] = w[first + (part + i) * layout.part_stride];
                products[i] = last_product[part + i];
            }
        for (int i = 0; i < AHEAD; i++)
            if (part + i < parts) {
                previous = ends[i] + products[i] * previous;
                w[first + (part + i) * layout.part_stride] = previous;
            }
    }
}

template <class T>
static __global__ void __launch_bounds__(1024)
    determine_ahead(struct pscheme_layout layout, T w0, T scale, T *w)
{
    int64_t part = this_part(), last = last_part(layout);
    int64_t rows = rows_of(layout, part) - (part < last);
    int64_t k = part * layout.part_stride, stride = layout.row_stride;
    T carry = part == 0 || rows <= 0 ? w0 : w[k - layout.part_stride + (layout.rows - 1) * stride];
    T product = 1, rows_of_w[AHEAD];
    for (int64_t row = 0; row < rows; row += AHEAD, k += AHEAD * stride) {
        for (int i = 0; i < AHEAD; i++)
            if (row + i < rows)
                rows_of_w[i] = w[k + i * stride];
        for (int i = 0; i < AHEAD; i++)
            if (row + i < rows) {
                product *= scale;
                w[k + i * stride] = rows_of_w[i] + product * carry;
            }
    }
}

/* ---- launchers: the kernel of each variant in each phase ---- */

static bool has_l1(enum pscheme_variant variant)
{
    return variant != PSCHEME_BLOCK_NO_L1 && variant != PSCHEME_REARRANGED_NO_L1;
}

template <class T>
static cudaError_t precompute_all(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    T *w = (T *)r->w, *a = (T *)r->products;
    T scale = (T)r->scale, offset = (T)r->offset;
    switch (r->variant) {
    case PSCHEME_BLOCK:
    case PSCHEME_REARRANGED:
        return LAUNCH((precompute<T, true>), r->blocks, r->threads, 0, stream, r->layout, scale,
                      offset, w, a);
    case PSCHEME_BLOCK_NO_L1:
    case PSCHEME_REARRANGED_NO_L1:
        return LAUNCH((precompute<T, false>), r->blocks, r->threads, 0, stream, r->layout, scale,
                      offset, w, a);
    case PSCHEME_REGISTER:
        return LAUNCH((precompute_register<T>), r->blocks, r->threads, 0, stream, r->layout, scale,
                      offset, w, a);
    case PSCHEME_RECOMPUTE:
    case PSCHEME_AHEAD:
        return LAUNCH((precompute_last_product<T>), r->blocks, r->threads, 0, stream, r->layout,
                      scale, offset, w, a);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t propagate_all(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    if (r->variant == PSCHEME_AHEAD)
        return LAUNCH((propagate_ahead<T>), 1, 1, 0, stream, r->layout, (T)r->w0, (T *)r->w,
                      (const T *)r->products);
    /* Does `products` hold a product for each row, or for each part? */
    bool each_row = r->variant != PSCHEME_RECOMPUTE;
    int64_t first = each_row ? (r->layout.rows - 1) * r->layout.row_stride : 0;
    int64_t stride = each_row ? r->layout.part_stride : 1;
    return has_l1(r->variant) ? LAUNCH((propagate<T, true>), 1, 1, 0, stream, r->layout, (T)r->w0,
                                       (T *)r->w, (const T *)r->products, first, stride)
                              : LAUNCH((propagate<T, false>), 1, 1, 0, stream, r->layout, (T)r->w0,
                                       (T *)r->w, (const T *)r->products, first, stride);
}

template <class T>
static cudaError_t determine_all(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    T *w = (T *)r->w, w0 = (T)r->w0;
    if (r->variant == PSCHEME_RECOMPUTE)
        return LAUNCH((determine_recompute<T>), r->blocks, r->threads, 0, stream, r->layout, w0,
                      (T)r->scale, w);
    if (r->variant == PSCHEME_AHEAD)
        return LAUNCH((determine_ahead<T>), r->blocks, r->threads, 0, stream, r->layout, w0,
                      (T)r->scale, w);
    return has_l1(r->variant) ? LAUNCH((determine<T, true>), r->blocks, r->threads, 0, stream,
                                       r->layout, w0, w, (const T *)r->products)
                              : LAUNCH((determine<T, false>), r->blocks, r->threads, 0, stream,
                                       r->layout, w0, w, (const T *)r->products);
}
