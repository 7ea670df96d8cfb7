/* P-scheme on a GPU: W12 sections II-B, IV and V. In reading order:
 *
 *     pscheme_gpu_layout.cuh        where the unknowns are stored: the rearrangement (W12 Fig. 2)
 *     pscheme_gpu_recurrence.cuh    problem B: the three phases, and what each variant changes
 *     pscheme_gpu_tridiagonal.cuh   problem A: the three phases of each of p, q and x
 *     this file                     the public functions */
#include "pscheme_gpu_recurrence.cuh"
#include "pscheme_gpu_tridiagonal.cuh"

/* ---- layouts ---- */

/* M = ceil(n / P). */
static int64_t rows_per_part(int64_t n, int64_t parts)
{
    return parts > 0 ? n / parts + (n % parts != 0) : 0;
}

struct pscheme_layout pscheme_block_layout(int64_t n, int64_t parts)
{
    int64_t rows = rows_per_part(n, parts);
    return {n, parts, rows, rows, 1};
}

/* W12 section IV: w'[i P + j] = w[j s + i]. The paper's s = N / P is M here. */
struct pscheme_layout pscheme_rearranged_layout(int64_t n, int64_t parts)
{
    return {n, parts, rows_per_part(n, parts), 1, parts};
}

int64_t pscheme_elements(const struct pscheme_layout *layout)
{
    return layout->row_stride == 1 ? layout->n : layout->rows * layout->parts;
}

/* ---- plans ---- */

static bool is_rearranged(enum pscheme_variant variant)
{
    return variant != PSCHEME_BLOCK && variant != PSCHEME_BLOCK_NO_L1;
}

/* Does the variant store a product for each row, or only one for each part? */
static bool stores_products(enum pscheme_variant variant)
{
    return variant != PSCHEME_RECOMPUTE && variant != PSCHEME_AHEAD;
}

struct pscheme_recurrence pscheme_recurrence_plan(enum pscheme_variant variant, char type,
                                                  int64_t n, int blocks, int threads, double w0,
                                                  double scale, double offset)
{
    int64_t parts = (int64_t)blocks * threads;
    struct pscheme_layout layout = is_rearranged(variant) ? pscheme_rearranged_layout(n, parts)
                                                          : pscheme_block_layout(n, parts);
    return {variant, type, layout, blocks, threads, w0, scale, offset, NULL, NULL};
}

int64_t pscheme_product_elements(const struct pscheme_recurrence *r)
{
    return stores_products(r->variant) ? pscheme_elements(&r->layout) : r->layout.parts;
}

struct pscheme_tridiagonal pscheme_tridiagonal_plan(bool rearranged, char type, int64_t n,
                                                    int blocks, int threads, double first,
                                                    double last)
{
    int64_t inside = n > 2 ? n - 2 : 0, parts = (int64_t)blocks * threads;
    struct pscheme_layout layout =
        rearranged ? pscheme_rearranged_layout(inside, parts) : pscheme_block_layout(inside, parts);
    return {.type = type,
            .layout = layout,
            .blocks = blocks,
            .threads = threads,
            .first = first,
            .last = last};
}

int64_t pscheme_tridiagonal_work(const struct pscheme_layout *layout)
{
    return 3 * pscheme_elements(layout) + 10 * layout->parts;
}

/* ---- validation ---- */

/* With these limits the byte count of every array is less than 2^63. The largest is the workspace
 * of problem A, with 3 elements for each row and 10 for each part. */
static bool layout_valid(const struct pscheme_layout *layout)
{
    return layout && layout->n >= 0 && layout->n <= INT64_MAX / 32 && layout->parts >= 1 &&
           layout->parts <= INT64_C(1) << 42 &&
           layout->rows == rows_per_part(layout->n, layout->parts);
}

static bool launch_valid(const struct pscheme_layout *layout, int blocks, int threads)
{
    return layout_valid(layout) && blocks >= 1 && threads >= 1 && threads <= 1024 &&
           layout->parts == (int64_t)blocks * threads;
}

static bool type_valid(char type)
{
    return type == 's' || type == 'd';
}

static bool array_valid(char type, const void *array)
{
    return type_valid(type) && device_aligned(array, type == 's' ? sizeof(float) : sizeof(double));
}

/* If n = 0, the arrays may be NULL. */
static bool recurrence_valid(const struct pscheme_recurrence *r)
{
    return r && launch_valid(&r->layout, r->blocks, r->threads) &&
           (r->layout.n == 0 || (array_valid(r->type, r->w) && array_valid(r->type, r->products)));
}

static bool tridiagonal_valid(const struct pscheme_tridiagonal *t)
{
    return t && launch_valid(&t->layout, t->blocks, t->threads) &&
           (t->layout.n == 0 ||
            (array_valid(t->type, t->diag) && array_valid(t->type, t->off) &&
             array_valid(t->type, t->rhs) && array_valid(t->type, t->x) &&
             array_valid(t->type, t->work) && device_aligned(t->status, sizeof *t->status)));
}

/* ---- public functions ---- */

/* Checks the arguments and launches the phase for the type. */
typedef cudaError_t (*recurrence_phase)(const struct pscheme_recurrence *r, cudaStream_t stream);
static cudaError_t launch(recurrence_phase of_float, recurrence_phase of_double,
                          const struct pscheme_recurrence *r, cudaStream_t stream)
{
    if (!recurrence_valid(r))
        return cudaErrorInvalidValue;
    if (r->layout.n == 0)
        return cudaSuccess;
    return r->type == 's' ? of_float(r, stream) : of_double(r, stream);
}

cudaError_t pscheme_precompute(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    return launch(precompute_all<float>, precompute_all<double>, r, stream);
}

cudaError_t pscheme_propagate(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    return launch(propagate_all<float>, propagate_all<double>, r, stream);
}

cudaError_t pscheme_determine(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    return launch(determine_all<float>, determine_all<double>, r, stream);
}

/* The end of a kernel is a barrier over all blocks: the two global synchronisations of W12. */
cudaError_t pscheme_solve(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    TRY(pscheme_precompute(r, stream));
    TRY(pscheme_propagate(r, stream));
    return pscheme_determine(r, stream);
}

static cudaError_t move_typed(char type, const struct pscheme_layout *layout, const void *in,
                              void *out, bool to_natural, cudaStream_t stream)
{
    if (!layout_valid(layout) || !type_valid(type))
        return cudaErrorInvalidValue;
    return type == 's' ? move_all<float>(layout, in, out, to_natural, stream)
                       : move_all<double>(layout, in, out, to_natural, stream);
}

cudaError_t pscheme_to_natural(char type, const struct pscheme_layout *from, const void *in,
                               void *out, cudaStream_t stream)
{
    return move_typed(type, from, in, out, true, stream);
}

cudaError_t pscheme_from_natural(char type, const struct pscheme_layout *to, const void *in,
                                 void *out, cudaStream_t stream)
{
    return move_typed(type, to, in, out, false, stream);
}

cudaError_t pscheme_tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                      enum pscheme_tridiagonal_phase phase, cudaStream_t stream)
{
    if (!tridiagonal_valid(t))
        return cudaErrorInvalidValue;
    if (t->layout.n == 0)
        return cudaSuccess;
    return t->type == 's' ? tridiagonal_phase<float>(t, phase, stream)
                          : tridiagonal_phase<double>(t, phase, stream);
}

/* *status is set even without interior rows, so `status` must be valid then, too. */
cudaError_t pscheme_tridiagonal_solve(const struct pscheme_tridiagonal *t, cudaStream_t stream)
{
    if (!tridiagonal_valid(t) || !device_aligned(t->status, sizeof *t->status))
        return cudaErrorInvalidValue;
    TRY(LAUNCH(begin_status, 1, 1, 0, stream, t->status));
    for (int phase = 0; phase < PSCHEME_TRIDIAGONAL_PHASES; phase++)
        TRY(pscheme_tridiagonal_phase(t, (enum pscheme_tridiagonal_phase)phase, stream));
    return LAUNCH(end_status, 1, 1, 0, stream, t->status);
}
