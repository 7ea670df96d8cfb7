/* See tridiagonal_batch_bench.h. */
#include "bench/tridiagonal_batch_bench.h"
#include "bench/gradient_verdict.h"

#include "../../pscheme_g/pscheme_g.h" /* transposes an interleaved x */

/* Bound on the backward error of a row, in units of roundoff. Elimination of dominant rows without
 * pivoting needs 12: the error is 4 u |L||U| with |L||U| <= 3 |A| (Higham, Accuracy and Stability
 * of Numerical Algorithms, 9.5-9.6). The other 4 are a margin. */
static const double BOUND = 16;

/* On the host, gives each system k the matrix of system k / sides. */
static void share_matrices(struct systems *s, int64_t sides)
{
    size_t bytes = (size_t)(s->n * size_of(s->type));
    for (int i = 0; i < SYSTEM_ARRAYS - 1; i++)
#pragma omp parallel for if (sides == s->batch) /* otherwise in this order */
        for (int64_t k = s->batch - 1; k > 0; k--)
            memcpy((char *)s->host[i] + (size_t)k * bytes,
                   (const char *)s->host[i] + (size_t)(k / sides) * bytes, bytes);
}

/* On the host, gives all rows of the first system the coefficients of its middle row. If n = 2,
 * that is the last row, whose super is undefined, so its sub is used in place of super. */
static void make_constant(struct systems *s)
{
    size_t element = (size_t)size_of(s->type), middle = (size_t)s->n / 2;
    for (int i = 0; i < SYSTEM_ARRAYS - 1; i++) {
        char same[16], *host = (char *)s->host[i];
        memcpy(same, (char *)s->host[i == 2 && s->n == 2 ? 0 : i] + middle * element, element);
        for (int64_t k = 0; k < s->n; k++)
            memcpy(host + (size_t)k * element, same, element);
    }
}

/* Couples the ends of each system. The numbers are small enough for rows to stay dominant, even if
 * n is 1 or 2. */
static void close_rings(struct systems *s)
{
    for (int64_t k = 0; k < s->batch; k++) {
        put(s->type, s->host[0], k * s->n, 0.25);
        put(s->type, s->host[2], (k + 1) * s->n - 1, 0.25);
    }
    systems_upload(s);
}
/* Moves the couplings between the ends to the right-hand sides, because systems_verdict() takes
 * systems that are not periodic. */
static void open_rings(struct systems *s)
{
    void *rhs = s->host[3];
    for (int64_t k = 0; k < s->batch; k++) {
        int64_t first = k * s->n, last = first + s->n - 1;
        double x_first = get(s->type, s->host_x, first), x_last = get(s->type, s->host_x, last);
        put(s->type, rhs, first, get(s->type, rhs, first) - 0.25 * x_last);
        put(s->type, rhs, last, get(s->type, rhs, last) - 0.25 * x_first);
    }
}

void tridiagonal_batch_matrix(struct tridiagonal_batch_bench *b, enum tridiagonal_matrix matrix,
                              uint64_t seed)
{
    struct systems *s = b->systems;
    if (b->matrix == matrix)
        return;
    /* A shared matrix is that of the first system, a constant one is made of one of its rows. */
    if (matrix == TRIDIAGONAL_BATCH_OWN || b->matrix == TRIDIAGONAL_BATCH_CONSTANT)
        systems_make(s, s->kind, seed, s->n, s->batch);
    b->matrix = matrix;
    if (matrix == TRIDIAGONAL_BATCH_OWN)
        return;
    if (matrix == TRIDIAGONAL_BATCH_CONSTANT)
        make_constant(s);
    share_matrices(s, s->batch);
    systems_upload(s);
}

/* The call of the solver for a variant on systems whose matrices are already made. */
static struct tridiagonal_batch call_of(const struct tridiagonal_batch_bench *b,
                                        const struct variant *v)
{
    const struct systems *s = b->systems;
    bool shared = b->matrix != TRIDIAGONAL_BATCH_OWN;
    void *const *in = v->interleaved && !shared ? b->interleaved : s->in;
    return {.type = s->type,
            .n = s->n,
            .batch = s->batch,
            .sub = in[0],
            .diag = in[1],
            .super = in[2],
            .rhs = v->interleaved ? b->interleaved[3] : s->in[3],
            .x = s->x,
            .status = b->status,
            .pivot = v->pivot,
            .matrix = b->matrix,
            .sides = v->matrix == BATCH_EACH_FEW ? BATCH_SIDES : 0,
            .periodic = v->matrix == BATCH_PERIODIC,
            .inner = v->interleaved ? s->batch : 1,
            .work = b->work};
}

/* The least number of elements that the call moves for each row. It may read twice: sub, diag,
 * super and rhs, or only rhs if the systems share a matrix. */
static double elements_of(const struct tridiagonal_batch *call)
{
    bool twice = tridiagonal_batch_reads(call) > 1;
    if (call->sides > 1)
        return (twice ? 2 : 1) * (3 / (double)call->sides + 1) + 1;
    return call->matrix == TRIDIAGONAL_BATCH_OWN ? (twice ? 9 : 5) : (twice ? 3 : 2);
}

static struct verdict solve(const struct tridiagonal_batch_bench *b, const struct variant *v,
                            const struct tridiagonal_batch *call)
{
    struct systems *s = b->systems;
    device_poison(s->x, systems_bytes(s));
    device_poison(b->status, (size_t)s->batch * sizeof *b->status);
    CHECK(tridiagonal_batch_solve(call, 0));
    if (v->interleaved)
        CHECK(pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->batch, s->x, b->natural, 0));
    device_download(s->host_x, v->interleaved ? b->natural : s->x, systems_bytes(s));
    if (call->periodic)
        open_rings(s);
    return systems_verdict(s, BOUND);
}

/* Adds the row of a gradient of which dx is rhs. `call` has solved the systems, with the verdict
 * `solved`, and host_x is x. */
static void gradient_row(struct results *results, struct tridiagonal_batch_bench *b,
                         const struct variant *v, struct tridiagonal_batch call, const char *solved,
                         int reps)
{
    struct systems *s = b->systems;
    const size_t bytes = systems_bytes(s), statuses = (size_t)s->batch * sizeof *b->status;
    struct tridiagonal_derivatives d = {call.rhs, b->gradient[0], b->gradient[1], b->gradient[2],
                                        b->gradient[3]};
    struct memory memory = {};
    void *host[GRADIENT_ARRAYS];
    call.work = memory_device(&memory, tridiagonal_batch_gradient_work(&call));
    device_poison(b->status, statuses);
    for (void *array : b->gradient)
        device_poison(array, bytes);
    CHECK(tridiagonal_batch_gradient(&call, &d, 0));
    for (int a = 0; a < GRADIENT_ARRAYS; a++) {
        host[a] = memory_host(&memory, bytes);
        if (v->interleaved)
            CHECK(pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->batch, b->gradient[a],
                                      b->natural, 0));
        device_download(host[a], v->interleaved ? b->natural : b->gradient[a], bytes);
    }
    /* counted: what the solve moves and 4 more, but 7 read and 4 written if it reads rows once */
    double elements = elements_of(&call) + (tridiagonal_batch_reads(&call) > 1 ? 4 : 6);
    struct row row = device_row(
        v->name, s->type, s->n, s->batch, elements,
        gradient_verdict(s->type, s->n, s->batch, s->host, s->host_x, host[3], host, BOUND));
    row.bytes += (double)statuses;
    if (!device_holds(b->status, 0, statuses))
        row.status = "zero pivot";
    if (strcmp(row.status, "ok") == 0)
        row.status = solved;
    record(results, row, reps,
           [&](cudaStream_t stream) { return tridiagonal_batch_gradient(&call, &d, stream); });
    memory_free(&memory);
}

void tridiagonal_batch_row(struct results *results, struct tridiagonal_batch_bench *b,
                           const struct variant *v, int reps, uint64_t seed)
{
    struct systems *s = b->systems;
    bool periodic = v->matrix == BATCH_PERIODIC, few = v->matrix == BATCH_EACH_FEW,
         gradient = v->matrix == BATCH_GRADIENT;
    if ((v->interleaved && s->batch == 1) || (few && s->batch % BATCH_SIDES != 0))
        return;
    tridiagonal_batch_matrix(
        b, periodic || few || gradient ? TRIDIAGONAL_BATCH_OWN : (enum tridiagonal_matrix)v->matrix,
        seed);
    if (periodic)
        close_rings(s);
    if (few)
        share_matrices(s, BATCH_SIDES); /* on the device these matrices are the first ones */
    struct tridiagonal_batch call = call_of(b, v);
    size_t work = tridiagonal_batch_work(&call);
    if (work > b->work_bytes)
        CHECK(cudaMalloc(&call.work, work));
    struct row row =
        device_row(v->name, s->type, s->n, s->batch, elements_of(&call), solve(b, v, &call));
    row.bytes += (double)((size_t)s->batch * sizeof(int));
    if (!device_holds(b->status, 0, (size_t)s->batch * sizeof *b->status))
        row.status = "zero pivot";
    if (gradient)
        gradient_row(results, b, v, call, row.status, reps);
    else
        record(results, row, reps,
               [&](cudaStream_t stream) { return tridiagonal_batch_solve(&call, stream); });
    if (call.work != b->work)
        CHECK(cudaFree(call.work));
    if (periodic || few)
        systems_make(s, s->kind, seed, s->n, s->batch);
}
