/* See tridiagonal_batch_trial.h. */
#include "test/tridiagonal_batch_trial.h"

uint64_t trial_seed;
int trial_cores;
double worst_error;

/* Sets the members of *t that say where the elements of the arrays are. */
static void lay_out(struct trial *t)
{
    const struct shape *s = &t->shape;
    int64_t line = 128 / size_of(s->type), divisor = 2;
    while (divisor < s->batch && s->batch % divisor != 0)
        divisor++;
    divisor = divisor < s->batch ? divisor : s->batch;
    t->inner = s->layout == CONTIGUOUS || s->batch == 0 ? 1
               : s->layout == INTERLEAVED               ? s->batch
               : s->layout == WIDE                      ? s->batch / divisor
                                                        : divisor;
    int64_t outer = s->batch / t->inner;
    /* round up to whole lines, or leave a gap */
    auto padded = [&](int64_t count, int gap) {
        return s->padding == GAPS    ? count + gap
               : s->padding == LINES ? (count + line - 1) / line * line
                                     : count;
    };
    if (s->layout == BESIDE) {
        t->plane_stride = padded(t->inner, 5);
        t->row_stride = padded(outer * t->plane_stride, 3);
    } else {
        t->row_stride = s->layout == CONTIGUOUS ? 1 : padded(t->inner, 3);
        t->plane_stride = padded(s->n * t->row_stride, 5);
    }
    t->elements = s->lengths ? t->first[s->batch]
                  : s->n == 0 || outer == 0
                      ? 0
                      : (outer - 1) * t->plane_stride + (s->n - 1) * t->row_stride + t->inner;
    t->in_use = (bool *)memory_host(&t->memory, (size_t)t->elements + 1);
    memset(t->in_use, s->lengths, (size_t)t->elements);
    for (int64_t k = 0; k < s->batch && !s->lengths; k++)
        for (int64_t i = 0; i < s->n; i++)
            t->in_use[element_at(t, X, k, i)] = true;
}

/* Makes the inputs that the comment of open_trial describes. */
static void fill(struct trial *t)
{
    const struct shape *s = &t->shape;
    const bool dominant = !s->pivot || s->matrix == TRIDIAGONAL_BATCH_CONSTANT,
               own = s->matrix == TRIDIAGONAL_BATCH_OWN;
    const size_t size = (size_t)size_of(s->type);
    const int64_t together = s->sides ? s->sides : 1;
    for (int a = 0; a < X; a++)
        for (int64_t i = 0; i < elements_of(t, a); i++) {
            double re = draw(t) + (a == DIAG && dominant ? 2.6 : 0);
            set(t, a, i, re, draw(t));
        }
    for (int64_t k = 0; k < s->batch && !dominant; k++)
        for (int64_t i = 1; i < length_of(t, k); i += 3)
            set_row(t, DIAG, k, i, 0);
    if (s->pivot == TRIDIAGONAL_PIVOT_AUTO && own)
        for (int64_t m = 0; m * together < s->batch; m += 1 + m % 2) /* 0, 1, 3, 5, … */
            for (int64_t i = 0; i < length_of(t, m * together); i++)
                set_row(t, DIAG, m * together, i, 2.6);
    for (int a = 0; a < X; a++)
        for (int64_t i = 0; i < t->elements && elements_of(t, a) == t->elements; i++)
            if (!t->in_use[i])
                memset((char *)t->host[a] + (size_t)i * size, 0xff, size);
    const double none = s->offset > 0 ? 1e30 : (double)NAN;
    for (int64_t k = 0; k < s->batch && own && !s->periodic; k++)
        if (length_of(t, k) > 0) {
            set_row(t, SUB, k, 0, none);
            set_row(t, SUPER, k, length_of(t, k) - 1, none);
        }
}

struct trial open_trial(struct shape shape)
{
    struct trial t = {.shape = shape, .random = {trial_seed}};
    const size_t firsts = (size_t)(shape.batch + 1) * sizeof *t.first, batch = (size_t)shape.batch,
                 before = (size_t)(shape.offset * size_of(shape.type));
    t.first = (int64_t *)memory_host(&t.memory, firsts);
    t.first[0] = 0;
    for (int64_t k = 0; k < shape.batch; k++)
        t.first[k + 1] = t.first[k] + (shape.lengths && k != shape.batch / 2
                                           ? (int64_t)((draw(&t) + 0.5) * (double)(shape.n + 1))
                                           : shape.n);
    lay_out(&t);
    char *device[ARRAYS];
    for (int a = 0; a < ARRAYS; a++) {
        t.host[a] = memory_host(&t.memory, bytes_of(&t, a));
        const size_t skipped = shape.rhs_aligned && (a == RHS || a == X) ? 0 : before;
        device[a] = (char *)memory_device(&t.memory, bytes_of(&t, a) + skipped) + skipped;
    }
    fill(&t);
    t.device_first = (int64_t *)memory_device(&t.memory, firsts);
    device_upload(t.device_first, t.first, firsts);
    t.host_status = (int *)memory_host(&t.memory, batch * sizeof *t.host_status);
    t.outcome = (enum outcome *)memory_host(&t.memory, batch * sizeof *t.outcome);
    memset(t.outcome, 0, batch * sizeof *t.outcome);
    const bool strides = shape.padding || shape.layout == BESIDE;
    t.call = {.type = shape.type,
              .n = shape.n,
              .batch = shape.batch,
              .sub = device[SUB],
              .diag = device[DIAG],
              .super = device[SUPER],
              .rhs = device[RHS],
              .x = device[shape.in_place ? RHS : X],
              .status = (int *)memory_device(&t.memory, batch * sizeof *t.host_status),
              .matrix = shape.matrix,
              .sides = shape.sides,
              .periodic = shape.periodic,
              .inner = shape.layout == CONTIGUOUS ? 0 : t.inner,
              .row_stride = strides ? t.row_stride : 0,
              .plane_stride = strides ? t.plane_stride : 0,
              .offset = shape.lengths ? t.device_first : NULL};
    set_pivot(&t, shape.pivot);
    return t;
}
void set_pivot(struct trial *t, int pivot)
{
    t->shape.pivot = t->call.pivot = pivot;
    t->call.work = memory_device(&t->memory, batch_work(&t->call));
}
void close_trial(struct trial *t)
{
    memory_free(&t->memory);
}

static size_t status_bytes(const struct trial *t)
{
    return (size_t)t->shape.batch * sizeof *t->host_status;
}
void prepare(const struct trial *t)
{
    const void *const in[] = {t->call.sub, t->call.diag, t->call.super, t->call.rhs};
    device_poison(t->call.x, bytes_of(t, X));
    for (int a = 0; a < X; a++)
        device_upload((void *)in[a], t->host[a], bytes_of(t, a));
    if (t->call.status)
        CHECK(cudaMemset(t->call.status, 0x55, status_bytes(t)));
    device_poison(t->call.work, batch_work(&t->call));
}
void fetch(struct trial *t)
{
    device_download(t->host[X], t->call.x, bytes_of(t, X));
    if (t->call.status)
        device_download(t->host_status, t->call.status, status_bytes(t));
}
cudaError_t solve(struct trial *t)
{
    prepare(t);
    cudaError_t error = batch_solve(&t->call, 0);
    if (error == cudaSuccess)
        fetch(t);
    return error;
}

static char *address_of(const struct trial *t, int array, int64_t k, int64_t i)
{
    return (char *)t->host[array] + size_of(t->shape.type) * element_at(t, array, k, i);
}
void copy_inputs(const struct trial *to, const struct trial *from)
{
    for (int a = 0; a < X; a++)
        for (int64_t k = 0; k < to->shape.batch; k++)
            for (int64_t i = 0; i < to->shape.n; i++)
                memcpy(address_of(to, a, k, i), address_of(from, a, k, i),
                       (size_t)size_of(to->shape.type));
}
bool same_bits(const struct trial *a, const struct trial *b)
{
    for (int64_t k = 0; k < a->shape.batch && k < b->shape.batch; k++)
        for (int64_t i = 0; i < length_of(a, k) && !a->outcome[k] && !b->outcome[k]; i++)
            if (memcmp(address_of(a, X, k, i), address_of(b, X, k, i),
                       (size_t)size_of(a->shape.type)) != 0)
                return false;
    return true;
}

/* ---- the verdict ---- */

double error_of(const struct trial *t, int64_t k)
{
    double worst = 0, largest = 0, unit = unit_roundoff(t->shape.type);
    int64_t n = length_of(t, k);
    for (int64_t i = 0; i < n && t->shape.pivot; i++) {
        double size = abs1(at(t, X, k, i));
        if (size > largest) /* a NaN is not found here, but in the error of its row below */
            largest = size;
    }
    for (int64_t i = 0; i < n; i++) {
        struct complex_double sum = at(t, RHS, k, i);
        double terms = abs1(sum);
        for (int side = -1; side <= 1; side++) {
            if (!t->shape.periodic && (i + side < 0 || i + side >= n))
                continue;
            struct complex_double a = at(t, SUB + side + 1, k, i),
                                  x = at(t, X, k, (i + side + n) % n),
                                  term = {a.re * x.re - a.im * x.im, a.re * x.im + a.im * x.re};
            sum.re -= term.re;
            sum.im -= term.im;
            terms += t->shape.pivot ? largest * abs1(a) : abs1(term);
        }
        double residual = abs1(sum), error = residual == 0  ? 0
                                             : isinf(terms) ? (double)NAN
                                                            : residual / terms / unit;
        if (!(error <= worst) && !isnan(worst))
            worst = error;
    }
    return worst;
}

const char *trial_text(const struct trial *t)
{
    static char text[240];
    const struct shape *s = &t->shape;
    snprintf(text, sizeof text,
             "tridiagonal_batch%s: type %c, pivot %d, n = %lld, batch %lld, offset %lld%s, matrix "
             "%d, sides %lld, layout %d.%d%s%s",
             trial_cores ? "_cpu" : "", s->type, s->pivot, (long long)s->n, (long long)s->batch,
             (long long)s->offset, s->in_place ? ", in place" : "", s->matrix, (long long)s->sides,
             s->layout, s->padding, s->lengths ? ", of different lengths" : "",
             s->periodic ? ", periodic" : "");
    return text;
}

/* Elements of x that belong to no row must not be written. */
static bool gaps_untouched(const struct trial *t)
{
    size_t bytes = (size_t)size_of(t->shape.type);
    for (int64_t i = 0; i < t->elements; i++)
        for (size_t byte = 0; byte < bytes && !t->in_use[i]; byte++)
            if (((const unsigned char *)t->host[X])[(size_t)i * bytes + byte] != 0xff)
                return false;
    return true;
}

int64_t expect_right(const struct trial *t, cudaError_t error, const char *what)
{
    const int64_t batch = error == cudaSuccess ? t->shape.batch : 0;
    int64_t wrong = batch, solved = 0;
    double worst = 0;
#pragma omp parallel for schedule(static) reduction(min : wrong) reduction(+ : solved)             \
    reduction(max : worst)
    for (int64_t k = 0; k < batch; k++) {
        const int status = t->host_status[k];
        const double found = status == 0 && t->outcome[k] != BROKEN ? error_of(t, k) : 0;
        const bool right = status == 0
                               ? found <= BOUND && t->outcome[k] != BROKEN
                               : status > 0 && status <= length_of(t, k) && t->outcome[k] != SOLVED;
        if (!right && k < wrong)
            wrong = k;
        solved += status == 0;
        worst = fmax(worst, isnan(found) ? (double)INFINITY : found);
    }
    EXPECT(error == cudaSuccess && wrong == batch && gaps_untouched(t),
           "%s, %s: %s, system %lld is wrong: status %d, backward error %g u", trial_text(t), what,
           cudaGetErrorString(error), (long long)wrong, wrong < batch ? t->host_status[wrong] : 0,
           wrong < batch ? error_of(t, wrong) : 0);
    worst_error = fmax(worst_error, worst);
    return solved;
}
int64_t expect_solved(struct trial *t, const char *what)
{
    cudaError_t error = solve(t);
    return expect_right(t, error, what);
}

template <class R> static void expect_twice_minus_rhs(struct trial *t)
{
    const struct shape *s = &t->shape;
    int64_t parts = size_of(s->type) / (int64_t)sizeof(R), wrong = -1;
    R *x = (R *)memory_host(&t->memory, bytes_of(t, X));
    int *status = (int *)memory_host(&t->memory, status_bytes(t));
    memcpy(x, t->host[X], bytes_of(t, X));
    memcpy(status, t->host_status, status_bytes(t));
    t->call.crank_nicolson = 1;
    CHECK(solve(t));
    const R *rhs = (const R *)t->host[RHS], *found = (const R *)t->host[X];
    for (int64_t k = 0; k < s->batch && wrong < 0; k++) {
        if (t->host_status[k] != status[k])
            wrong = k;
        for (int64_t i = 0; i < length_of(t, k) * parts && status[k] == 0; i++) {
            int64_t e = element_at(t, X, k, i / parts) * parts + i % parts;
            R twice = 2 * x[e];
            if (found[e] != twice - rhs[e])
                wrong = k;
        }
    }
    EXPECT(wrong < 0 && gaps_untouched(t), "%s: 2 x - rhs of system %lld is wrong", trial_text(t),
           (long long)wrong);
}
void expect_crank_nicolson(struct trial *t)
{
    if (real_type(t->shape.type) == 's')
        expect_twice_minus_rhs<float>(t);
    else
        expect_twice_minus_rhs<double>(t);
}
