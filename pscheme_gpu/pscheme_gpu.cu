/* P-scheme on a GPU: W12 sections II-B, IV and V. Read from top to bottom: where the unknowns lie;
 * the three phases of the recurrence as plain kernels; what each variant changes; then problem A,
 * the tridiagonal system, which is the same three phases for p, q and x. Run: make run. */
#include "pscheme_gpu.h"

/* ---- the layout ---- */

static int64_t rows_a_part(int64_t n, int64_t parts)
{
    return parts > 0 ? n / parts + (n % parts != 0) : 0;
}

struct pscheme_layout pscheme_block_layout(int64_t n, int64_t parts)
{
    int64_t rows = rows_a_part(n, parts);
    struct pscheme_layout layout = {n, parts, rows, rows, 1};
    return layout;
}

/* W12 sec. IV: w'[i*P + j] = w[j*s + i]. */
struct pscheme_layout pscheme_rearranged_layout(int64_t n, int64_t parts)
{
    struct pscheme_layout layout = {n, parts, rows_a_part(n, parts), 1, parts};
    return layout;
}

int64_t pscheme_words(const struct pscheme_layout *layout)
{
    return layout->row_stride == 1 ? layout->n : layout->rows * layout->parts;
}

/* Unknowns of a part: `rows`, fewer in the last one that has any, none beyond (P > n, or P does not
 * divide n: those threads idle). */
static __host__ __device__ inline int64_t rows_of(struct pscheme_layout layout, int64_t part)
{
    int64_t left = layout.n - part * layout.rows;
    return left < 0 ? 0 : left < layout.rows ? left : layout.rows;
}

/* The last part that has unknowns (n >= 1). */
static __host__ __device__ inline int64_t last_part(struct pscheme_layout layout)
{
    return (layout.n - 1) / layout.rows;
}

static __device__ inline int64_t this_part(void)
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- problem B, rungs 1 and 2: the paper's kernels ---- */

/* Each part as if its w_kM were 0, and the products a_i that will correct it. Whether neighbouring
 * threads touch neighbouring words is decided by the strides alone. */
template <class T>
static __global__ void precompute(struct pscheme_layout layout, T scale, T offset, T *w, T *a)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T previous = i == 0 ? T(0) : w[k - layout.row_stride];
        w[k] = scale * previous + offset;
        product *= scale;
        a[k] = product;
    }
}

/* One thread makes the last w of each part true: w_M, w_2M, … (all but the last part's, which
 * nobody waits for). a_first and a_stride say where the last product of each part is. */
template <class T>
static __global__ void propagate(struct pscheme_layout layout, T w0, T *w, const T *a,
                                 int64_t a_first, int64_t a_stride)
{
    int64_t parts = last_part(layout);
    T previous = w0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t k = part * layout.part_stride + (layout.rows - 1) * layout.row_stride;
        previous = w[k] + a[a_first + part * a_stride] * previous;
        w[k] = previous;
    }
}

/* w_i += a_i w_kM for the rest of each part; a_i as stored. */
template <class T>
static __global__ void determine(struct pscheme_layout layout, T w0, T *w, const T *a)
{
    int64_t part = this_part(), last = last_part(layout);
    int64_t rows = rows_of(layout, part) - (part < last); /* propagate did the last one */
    int64_t k = part * layout.part_stride;
    int64_t before = k - layout.part_stride + (layout.rows - 1) * layout.row_stride;
    T carry = part == 0 || rows <= 0 ? w0 : w[before];
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride)
        w[k] += a[k] * carry;
}

/* ---- rung 3: w_{i-1} in a register: one load a step less, and no wait for one's own store. The
 * compiler may not do this by itself: for all it knows the store to a[k] changes w[k] ---- */

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

/* ---- rung 4: products computed twice, not stored and loaded: 3 words a step instead of 5 ---- */

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

/* ---- rung 5: loads of several rows on their way at once. w[k] += … in a loop waits for one load a
 * row, since the next row's may not overtake this row's store for all the compiler knows; so load
 * AHEAD rows, then compute, then store. The same for the one thread of propagate, whose loads do
 * not depend on what it computes ---- */

enum { AHEAD = 8 };

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

/* ---- the rearrangement itself, through global memory: one side of it is not coalesced ---- */

template <class T>
static __global__ void move(struct pscheme_layout layout, const T *in, T *out, bool to_natural)
{
    int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = this_part(); k < layout.rows * layout.parts; k += threads) {
        int64_t i = k / layout.parts, part = k % layout.parts; /* neighbours: the next part */
        int64_t natural = part * layout.rows + i;
        int64_t there = part * layout.part_stride + i * layout.row_stride;
        if (natural < layout.n)
            out[to_natural ? natural : there] = in[to_natural ? there : natural];
    }
}

/* ---- problem A, W12 eq. 4-13: p is a non-linear recurrence, q and x are linear ones ---- */

/* What the rows of a part up to i do to the p that comes in (eq. 7 and 13 in a normal form that
 * needs no division by b_i and loses no digits; derivation in pscheme_cpu/README.md): p_i = local +
 * e p_in / (1 + c p_in). No row: local = 0, e = 1, c = 0. One row more (eq. 5, pivot = a_i - b_i
 * local): local <- b_i / pivot, c <- c - local e, e <- e local^2. */
template <class T> static __device__ inline T through(T local, T e, T c, T p_in)
{
    return local + e * p_in / (1 + c * p_in);
}

template <class T> struct workspace {
    /* a word a row, in the layout */
    T *p, *q, *product;
    /* the same words until p_determine has read them: the map up to each row */
    T *row_local, *row_e, *row_c;
    /* a word a part: the part's map of p; what comes in, true; q and the product at its last row; x
     * and the product at its first row */
    T *local, *e, *c;
    T *p_in, *q_in, *x_in;
    T *q_last, *q_product;
    T *x_first, *x_product;
};

static __device__ inline void report(long long *status, int64_t row)
{
    atomicMin((unsigned long long *)status, (unsigned long long)row);
}

template <class T> static __device__ inline bool is_finite(T value)
{
    return value - value == 0; /* neither NaN nor infinite */
}

/* A pivot is good unless it is not finite or at most epsilon times what was subtracted from, so that
 * nothing but rounding is left of it. */
template <class T> static __device__ inline bool good_pivot(T pivot, T term)
{
    const T epsilon = sizeof(T) == 4 ? T(1.1920929e-7) : T(2.220446049250313e-16);
    T size = pivot < 0 ? -pivot : pivot, limit = epsilon * (term < 0 ? -term : term);
    return size > limit && is_finite(pivot);
}

/* p, pre-computation: the map up to each row is stored, and that of the whole part where the
 * propagation finds it. */
template <class T>
static __global__ void p_precompute(struct pscheme_layout layout, const T *diag, const T *off,
                                    workspace<T> work, long long *status)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T local = 0, e = 1, c = 0;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T pivot = diag[k] - off[k] * local;
        if (!good_pivot(pivot, diag[k]))
            report(status, part * layout.rows + i + 1);
        local = off[k] / pivot;
        T change = local * e;
        c -= change;
        e = change * local;
        work.row_local[k] = local;
        work.row_e[k] = e;
        work.row_c[k] = c;
    }
    if (part < layout.parts) {
        work.local[part] = local;
        work.e[part] = e;
        work.c[part] = c;
    }
}

/* p, propagation (eq. 13): one thread. */
template <class T>
static __global__ void p_propagate(struct pscheme_layout layout, workspace<T> work)
{
    T p = 0; /* eq. 4 */
    for (int64_t part = 0; part <= last_part(layout); part++) {
        work.p_in[part] = p;
        p = through(work.local[part], work.e[part], work.c[part], p);
    }
}

/* p, determination: the stored map of what came in. Why not eq. 5 again from p_in, which would need
 * no stored map? Because then p at the end of a part and the p_in of the next, two ways to the same
 * number, differ by the condition of M rows: a backward error of M/3 u for Poisson's rows. The map
 * makes them the same operation. q, pre-computation: 0 comes in, and the products of q's factors
 * b_i/pivot. */
template <class T>
static __global__ void __launch_bounds__(1024)
    p_determine(struct pscheme_layout layout, const T *diag, const T *off, const T *rhs,
                workspace<T> work, long long *status)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T p_in = rows > 0 ? work.p_in[part] : T(0), p = p_in, q = 0, product = 1;
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride) {
        T pivot = diag[k] - off[k] * p; /* of eq. 5 */
        T factor = off[k] / pivot;
        q = factor * q + rhs[k] / pivot;
        product *= factor;
        T c = work.row_c[k];
        p = through(work.row_local[k], work.row_e[k], c, p_in);
        if (!good_pivot(pivot, diag[k]) || !good_pivot(1 + c * p_in, T(1)) || !is_finite(p))
            report(status, part * layout.rows + i + 1);
        work.p[k] = p;
        work.q[k] = q;
        work.product[k] = product;
    }
    if (rows > 0) {
        work.q_last[part] = q;
        work.q_product[part] = product;
    }
}

template <class T>
static __global__ void q_propagate(struct pscheme_layout layout, T first, workspace<T> work)
{
    T q = first; /* eq. 4 */
    for (int64_t part = 0; part <= last_part(layout); part++) {
        work.q_in[part] = q;
        q = work.q_last[part] + work.q_product[part] * q;
    }
}

/* q, determination: q_i += a_i q_kM. x, pre-computation: eq. 6 backwards with 0 behind the part. */
template <class T>
static __global__ void q_determine(struct pscheme_layout layout, T *x, workspace<T> work)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride + (rows - 1) * layout.row_stride;
    T q_in = rows > 0 ? work.q_in[part] : T(0), current = 0, product = 1;
    for (int64_t i = rows - 1; i >= 0; i--, k -= layout.row_stride) {
        T p = work.p[k], q = work.q[k] + work.product[k] * q_in;
        current = p * current + q;
        product *= p;
        x[k] = current;
        work.product[k] = product; /* from here on x's */
    }
    if (rows > 0) {
        work.x_first[part] = current;
        work.x_product[part] = product;
    }
}

template <class T>
static __global__ void x_propagate(struct pscheme_layout layout, T last, workspace<T> work)
{
    T x = last; /* eq. 3 */
    for (int64_t part = last_part(layout); part >= 0; part--) {
        work.x_in[part] = x;
        x = work.x_first[part] + work.x_product[part] * x;
    }
}

template <class T>
static __global__ void x_determine(struct pscheme_layout layout, T *x, workspace<T> work)
{
    int64_t part = this_part(), rows = rows_of(layout, part);
    int64_t k = part * layout.part_stride;
    T x_in = rows > 0 ? work.x_in[part] : T(0);
    for (int64_t i = 0; i < rows; i++, k += layout.row_stride)
        x[k] += work.product[k] * x_in;
}

/* status: NO_ROW is larger than any row while the kernels look for the smallest; 0 in the end. */
static const unsigned long long NO_ROW = ~0ull;

static __global__ void begin_status(long long *status)
{
    *status = (long long)NO_ROW;
}
static __global__ void end_status(long long *status)
{
    if (*status == (long long)NO_ROW)
        *status = 0;
}

/* ---- launchers ---- */

template <class T>
static cudaError_t precompute_all(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    T *w = (T *)r->w, *a = (T *)r->products;
    T scale = (T)r->scale, offset = (T)r->offset;
    switch (r->variant) {
    case PSCHEME_BLOCK:
    case PSCHEME_REARRANGED:
        return LAUNCH((precompute<T>), r->blocks, r->threads, 0, stream, r->layout, scale, offset,
                      w, a);
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
    bool each_row = r->variant != PSCHEME_RECOMPUTE;
    int64_t first = each_row ? (r->layout.rows - 1) * r->layout.row_stride : 0;
    int64_t stride = each_row ? r->layout.part_stride : 1;
    return LAUNCH((propagate<T>), 1, 1, 0, stream, r->layout, (T)r->w0, (T *)r->w,
                  (const T *)r->products, first, stride);
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
    return LAUNCH((determine<T>), r->blocks, r->threads, 0, stream, r->layout, w0, w,
                  (const T *)r->products);
}

template <class T>
static cudaError_t move_all(const struct pscheme_layout *layout, const void *in, void *out,
                            bool to_natural, cudaStream_t stream)
{
    if (layout->n == 0)
        return cudaSuccess;
    if (!device_aligned(in, sizeof(T)) || !device_aligned(out, sizeof(T)))
        return cudaErrorInvalidValue;
    int64_t blocks = (layout->rows * layout->parts + 255) / 256;
    return LAUNCH((move<T>), (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0, stream, *layout,
                  (const T *)in, (T *)out, to_natural);
}

template <class T> static workspace<T> split(const struct pscheme_tridiagonal *t)
{
    int64_t words = pscheme_words(&t->layout), parts = t->layout.parts;
    T *base = (T *)t->work;
    workspace<T> work;
    work.p = work.row_local = base;
    work.q = work.row_e = base + words;
    work.product = work.row_c = base + 2 * words;
    T **each_part[] = {&work.local, &work.e,      &work.c,         &work.p_in,    &work.q_in,
                       &work.x_in,  &work.q_last, &work.q_product, &work.x_first, &work.x_product};
    T *next = base + 3 * words;
    for (T **array : each_part) {
        *array = next;
        next += parts;
    }
    return work;
}

int64_t pscheme_tridiagonal_work(const struct pscheme_layout *layout)
{
    return 3 * pscheme_words(layout) + 10 * layout->parts;
}

template <class T>
static cudaError_t tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                     enum pscheme_tridiagonal_phase phase, cudaStream_t stream)
{
    workspace<T> work = split<T>(t);
    const T *diag = (const T *)t->diag, *off = (const T *)t->off;
    const T *rhs = (const T *)t->rhs;
    T *x = (T *)t->x;
    switch (phase) {
    case PSCHEME_P_PRECOMPUTE:
        return LAUNCH((p_precompute<T>), t->blocks, t->threads, 0, stream, t->layout, diag, off,
                      work, t->status);
    case PSCHEME_P_PROPAGATE:
        return LAUNCH((p_propagate<T>), 1, 1, 0, stream, t->layout, work);
    case PSCHEME_P_DETERMINE:
        return LAUNCH((p_determine<T>), t->blocks, t->threads, 0, stream, t->layout, diag, off, rhs,
                      work, t->status);
    case PSCHEME_Q_PROPAGATE:
        return LAUNCH((q_propagate<T>), 1, 1, 0, stream, t->layout, (T)t->first, work);
    case PSCHEME_Q_DETERMINE:
        return LAUNCH((q_determine<T>), t->blocks, t->threads, 0, stream, t->layout, x, work);
    case PSCHEME_X_PROPAGATE:
        return LAUNCH((x_propagate<T>), 1, 1, 0, stream, t->layout, (T)t->last, work);
    case PSCHEME_X_DETERMINE:
        return LAUNCH((x_determine<T>), t->blocks, t->threads, 0, stream, t->layout, x, work);
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- public functions ---- */

/* Call function<float> or function<double>. */
#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function<float>(__VA_ARGS__)                                                \
     : (type) == 'd' ? function<double>(__VA_ARGS__)                                               \
                     : cudaErrorInvalidValue)

struct pscheme_recurrence pscheme_recurrence_plan(enum pscheme_variant variant, char type,
                                                  int64_t n, int blocks, int threads, double w0,
                                                  double scale, double offset)
{
    int64_t parts = (int64_t)blocks * threads;
    struct pscheme_recurrence r;
    r.variant = variant;
    r.type = type;
    r.layout = variant == PSCHEME_BLOCK ? pscheme_block_layout(n, parts)
                                        : pscheme_rearranged_layout(n, parts);
    r.blocks = blocks;
    r.threads = threads;
    r.w0 = w0;
    r.scale = scale;
    r.offset = offset;
    r.w = r.products = NULL;
    return r;
}

struct pscheme_tridiagonal pscheme_tridiagonal_plan(bool rearranged, char type, int64_t n,
                                                    int blocks, int threads, double first,
                                                    double last)
{
    int64_t inside = n > 2 ? n - 2 : 0, parts = (int64_t)blocks * threads;
    struct pscheme_tridiagonal t = {};
    t.type = type;
    t.layout =
        rearranged ? pscheme_rearranged_layout(inside, parts) : pscheme_block_layout(inside, parts);
    t.blocks = blocks;
    t.threads = threads;
    t.first = first;
    t.last = last;
    return t;
}

int64_t pscheme_product_words(const struct pscheme_recurrence *r)
{
    return r->variant >= PSCHEME_RECOMPUTE ? r->layout.parts : pscheme_words(&r->layout);
}

/* A struct that was not filled in as the header says is refused, and so are arrays whose bytes
 * overflow: a tridiagonal system's work is 3 words a row and 13 a part. n = 0 is nothing to do. */
static bool arguments_valid(const struct pscheme_layout *layout)
{
    return layout && layout->n >= 0 && layout->n <= INT64_MAX / 32 && layout->parts >= 1 &&
           layout->parts <= INT64_C(1) << 42 &&
           layout->rows == rows_a_part(layout->n, layout->parts);
}
static bool arguments_valid(const struct pscheme_layout *layout, int blocks, int threads)
{
    return arguments_valid(layout) && blocks >= 1 && threads >= 1 && threads <= 1024 &&
           layout->parts == (int64_t)blocks * threads;
}

static bool has_words(char type, const void *array)
{
    return device_aligned(array, type == 's' ? sizeof(float) : sizeof(double));
}
static bool has_arrays(const struct pscheme_recurrence *r)
{
    return has_words(r->type, r->w) && has_words(r->type, r->products);
}
static bool has_arrays(const struct pscheme_tridiagonal *t)
{
    return has_words(t->type, t->diag) && has_words(t->type, t->off) &&
           has_words(t->type, t->rhs) && has_words(t->type, t->x) && has_words(t->type, t->work) &&
           device_aligned(t->status, sizeof *t->status);
}
#define GUARD(object)                                                                              \
    do {                                                                                           \
        if (!(object) || !arguments_valid(&(object)->layout, (object)->blocks, (object)->threads))        \
            return cudaErrorInvalidValue;                                                          \
        if ((object)->layout.n == 0)                                                               \
            return cudaSuccess;                                                                    \
        if (!has_arrays(object))                                                                   \
            return cudaErrorInvalidValue;                                                          \
    } while (0)

cudaError_t pscheme_precompute(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    GUARD(r);
    return BY_TYPE(r->type, precompute_all, r, stream);
}

cudaError_t pscheme_propagate(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    GUARD(r);
    return BY_TYPE(r->type, propagate_all, r, stream);
}

cudaError_t pscheme_determine(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    GUARD(r);
    return BY_TYPE(r->type, determine_all, r, stream);
}

/* The global synchronisations between the phases are the kernel boundaries. */
cudaError_t pscheme_solve(const struct pscheme_recurrence *r, cudaStream_t stream)
{
    TRY(pscheme_precompute(r, stream));
    TRY(pscheme_propagate(r, stream));
    return pscheme_determine(r, stream);
}

cudaError_t pscheme_to_natural(char type, const struct pscheme_layout *from, const void *in,
                               void *out, cudaStream_t stream)
{
    if (!arguments_valid(from))
        return cudaErrorInvalidValue;
    return BY_TYPE(type, move_all, from, in, out, true, stream);
}

cudaError_t pscheme_from_natural(char type, const struct pscheme_layout *to, const void *in,
                                 void *out, cudaStream_t stream)
{
    if (!arguments_valid(to))
        return cudaErrorInvalidValue;
    return BY_TYPE(type, move_all, to, in, out, false, stream);
}

cudaError_t pscheme_tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                      enum pscheme_tridiagonal_phase phase, cudaStream_t stream)
{
    GUARD(t);
    return BY_TYPE(t->type, tridiagonal_phase, t, phase, stream);
}

cudaError_t pscheme_tridiagonal_solve(const struct pscheme_tridiagonal *t, cudaStream_t stream)
{
    if (!t || !arguments_valid(&t->layout, t->blocks, t->threads) ||
        !(t->layout.n == 0 ? device_aligned(t->status, sizeof *t->status) : has_arrays(t)))
        return cudaErrorInvalidValue;
    TRY(LAUNCH(begin_status, 1, 1, 0, stream, t->status));
    for (int phase = 0; phase < PSCHEME_TRIDIAGONAL_PHASES; phase++)
        TRY(pscheme_tridiagonal_phase(t, (enum pscheme_tridiagonal_phase)phase, stream));
    return LAUNCH(end_status, 1, 1, 0, stream, t->status);
}
