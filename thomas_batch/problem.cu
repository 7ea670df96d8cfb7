/* The systems, their memory, and one solve by each variant; see main.h. */
#include "main.h"

#include "../pscheme_g/pscheme_g.h" /* pscheme_g_transpose() converts between the layouts */

#include <string.h>

struct need need_of(char type, double n, double batch, int cores)
{
    double bytes = size_of(type) * n * batch, status = sizeof(long long) * batch;
    double work = (double)cpu_work(type, (int64_t)n, (int64_t)batch, cores);
    /* The host has pinned and pageable arrays. */
    return {(2 * SYSTEM_ARRAYS + 2 + WORK_ELEMENTS) * bytes + status,
            (2 * SYSTEM_ARRAYS + 2) * bytes + work + status};
}

void allocate(struct problem *b, char type, int64_t rows, int64_t n, int64_t batch, int cores)
{
    struct memory *memory = &b->memory;
    size_t bytes = (size_t)(rows * size_of(type)), status = (size_t)batch * sizeof *b->status;
    for (int i = 0; i < SYSTEM_ARRAYS; i++) {
        b->s.host[i] = memory_pinned(memory, bytes);
        b->s.in[i] = memory_device(memory, bytes);
        b->interleaved[i] = memory_device(memory, bytes);
    }
    b->s.host_x = memory_pinned(memory, bytes);
    b->s.x = memory_device(memory, bytes);
    b->natural = memory_device(memory, bytes);
    b->work = memory_device(memory, WORK_ELEMENTS * bytes);
    b->status = (long long *)memory_device(memory, status);
    b->host_status = (long long *)memory_host(memory, status);
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        b->pageable[i] = device_is_cpu() ? b->s.host[i] : memory_host(memory, bytes);
    b->pageable_x = device_is_cpu() ? b->s.host_x : memory_host(memory, bytes);
    b->cpu_work = memory_host(memory, (size_t)cpu_work(type, n, batch, cores));
}

cudaError_t interleave(const struct systems *s, const void *from, void *to, cudaStream_t stream)
{
    return pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->batch, s->n, from, to, stream);
}
cudaError_t to_contiguous(const struct systems *s, const void *from, void *to, cudaStream_t stream)
{
    return pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->batch, from, to, stream);
}

void upload(struct problem *b)
{
    systems_upload(&b->s);
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        CHECK(interleave(&b->s, b->s.in[i], b->interleaved[i], 0));
}

void make_systems(struct problem *b, enum system kind, char type, uint64_t seed, int64_t n,
                  int64_t batch)
{
    b->s.type = type;
    systems_make(&b->s, kind, seed, n, batch);
    upload(b);
}

enum family family_of(int variant)
{
    return (enum family)variants[variant].bound;
}

/* The bound on the backward error of a row, in units of the unit roundoff u.
 *
 * Thomas, SERICR and LAPACK are Gaussian elimination of dominant rows: at most 4 u |L||U| with
 * |L||U| <= 3 |A| (Higham, Accuracy and Stability of Numerical Algorithms, 9.5-9.6), so 12 u. We
 * allow 16 u.
 *
 * PARACR computes each x_i from its own chain of combined rows, so errors of neighbours do not
 * cancel in a residual: the backward error is about the forward error. We allow 4 times the
 * condition number, which is at most 2/delta for rows of relative dominance (|b| - |a| - |c|) / |b|
 * >= delta. Poisson's rows have delta = 0, but each level halves their coefficients exactly.
 * --check finds 6.3 u; we allow 64 u. */
static double bound_of(enum family family, enum system kind)
{
    static const double dominance[SYSTEM_KINDS] = {0.5 / 2.5, 0, 0.5e-3 / 1.0005, 0.5 / 2.5};
    return family != PARACR ? 16 : kind == SYSTEM_POISSON ? 64 : 4 * 2 / dominance[kind];
}

int64_t first_failed(const struct problem *b)
{
    for (int64_t k = 0; k < b->s.batch; k++)
        if (b->host_status[k])
            return k;
    return -1;
}

struct verdict verdict_of(const struct problem *b, int variant, bool has_status)
{
    struct verdict verdict = systems_verdict(&b->s, bound_of(family_of(variant), b->s.kind));
    if (has_status && first_failed(b) >= 0) {
        verdict.ok = false;
        verdict.worst = first_failed(b);
    }
    return verdict;
}

bool small_shared(int variant)
{
    return variant >= PARACR_GLOBAL_48K && variant <= PARACR_PARTIAL_48K;
}

enum thomas_batch_variant method_of(int variant)
{
    return (enum thomas_batch_variant)variants[variant].id;
}

struct thomas_batch plan(const struct problem *b, bool interleaved, int threads)
{
    void *const *in = interleaved ? b->interleaved : b->s.in;
    return {b->s.type, interleaved, b->s.n,  b->s.batch, in[0],   in[1], in[2],
            in[3],     b->s.x,      b->work, b->status,  threads, 0};
}

struct thomas_batch plan_of(const struct problem *b, int variant, int threads)
{
    struct thomas_batch s = plan(b, variants[variant].interleaved, threads);
    s.shared_limit = small_shared(variant) ? SMALL_SHARED_BYTES : 0;
    return s;
}

struct cpu_batch plan_cpu(const struct problem *b, int cores)
{
    const struct systems *s = &b->s;
    return {s->type,    s->n,      s->batch,    s->host[0],     s->host[1], s->host[2],
            s->host[3], s->host_x, b->cpu_work, b->host_status, cores};
}

void download_x(struct problem *b, bool interleaved)
{
    if (interleaved)
        CHECK(to_contiguous(&b->s, b->s.x, b->natural, 0));
    device_download(b->s.host_x, interleaved ? b->natural : b->s.x, systems_bytes(&b->s));
}

double solve_gpu(struct problem *b, int variant, int threads)
{
    enum thomas_batch_variant method = method_of(variant);
    struct thomas_batch s = plan_of(b, variant, threads);
    size_t status = (size_t)b->s.batch * sizeof *b->status;
    size_t work = (size_t)(thomas_batch_work(method, &s) * size_of(b->s.type));
    if (work == 0)
        s.work = NULL;
    else if (b->exact_work)
        CHECK(cudaMalloc(&s.work, work));
    if (work > 0)
        device_poison(s.work, work);
    device_poison(s.x, systems_bytes(&b->s));
    device_poison(s.status, status);
    CHECK(cudaDeviceSynchronize());
    double start = clock_ms();
    CHECK(thomas_batch_solve(method, &s, 0));
    CHECK(cudaDeviceSynchronize());
    double ms = clock_ms() - start;
    device_download(b->host_status, s.status, status);
    if (b->exact_work)
        CHECK(cudaFree(s.work));
    download_x(b, s.interleaved);
    return ms;
}

bool run_cpu(int variant, const struct cpu_batch *s)
{
    if (variant == LAPACK_GTSV)
        return cpu_lapack(s);
    (variant == THOMAS_CPU ? cpu_thomas : variant == THOMAS_CPU_LANES ? cpu_lanes : cpu_sericr)(s);
    return true;
}

void poison_host(const struct problem *b)
{
    host_poison(b->s.host_x, systems_bytes(&b->s));
    memset(b->host_status, 0xff, (size_t)b->s.batch * sizeof *b->host_status);
}

bool solve_cpu(const struct problem *b, int variant, int cores)
{
    struct cpu_batch s = plan_cpu(b, cores);
    poison_host(b);
    return run_cpu(variant, &s);
}
