// The handlers through which XLA calls the solvers: they turn arguments and results into the structs
// of the C library. jax.py compiles this file at its first use, with structs.h, which it writes, and
// gives it the addresses of the functions.

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "structs.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace
{

// In the order of _CPU_FUNCTIONS and _GPU_FUNCTIONS in jax.py. A stream is a void *, so this file needs
// no headers of CUDA.
struct {
    size_t (*batch_work)(const tridiagonal_batch *, int);
    long long (*batch_solve)(const tridiagonal_batch *, int);
    long long (*batch_gradient)(const tridiagonal_batch *, const tridiagonal_derivatives *, int);
    size_t (*one_work)(char, int64_t);
    long long (*one_solve)(const tridiagonal_cpu *);
    long long (*one_gradient)(const tridiagonal_cpu *, const tridiagonal_derivatives *);
    int (*recurrence_solve)(const recurrence *, int);
    int (*recurrence_gradient)(const recurrence *, const void *, void *, void *, void *, int);
    int (*filter_solve)(const filter *, int);
} on_cpu;

struct {
    size_t (*batch_work)(const tridiagonal_batch *);
    int (*batch_solve)(const tridiagonal_batch *, void *stream);
    size_t (*batch_gradient_work)(const tridiagonal_batch *);
    int (*batch_gradient)(const tridiagonal_batch *, const tridiagonal_derivatives *, void *stream);
    size_t (*one_work)(const tridiagonal *);
    int (*one_prepare)(void *, size_t, void *stream);
    int (*one_solve)(const tridiagonal *, void *, size_t, void *stream);
    size_t (*one_gradient_work)(const tridiagonal *);
    int (*one_gradient)(const tridiagonal *, const tridiagonal_derivatives *, void *, size_t,
                        void *stream);
    size_t (*recurrence_work)(const recurrence *);
    int (*recurrence_prepare)(void *, size_t, void *stream);
    int (*recurrence_solve)(const recurrence *, void *, size_t, void *stream);
    int (*recurrence_gradient)(const recurrence *, const void *, void *, void *, void *, void *,
                               size_t, void *stream);
    size_t (*filter_work)(const filter *);
    int (*filter_prepare)(void *, size_t, void *stream);
    int (*filter_solve)(const filter *, void *, size_t, void *stream);
} on_gpu;

ffi::Error outcome(long long code)
{
    return code ? ffi::Error::Internal("recurrences: the solver returned " + std::to_string(code))
                : ffi::Error::Success();
}

// A call: the buffers, and the numbers that jax.py gives.
struct call {
    char type;
    int cores;
    bool gradient;
    // Of systems `out` is x or drhs, the status, and dsub, ddiag and dsuper if they are wanted.
    void *in[5], *out[5];
    tridiagonal_batch batch;
    tridiagonal_derivatives derivatives;
    recurrence sequences;
    bool one; // a system that is solved by all cores, or by the whole GPU; then status has 8 bytes
};

bool read_buffers(call *c, ffi::RemainingArgs args, ffi::RemainingRets rets)
{
    for (size_t k = 0; k < args.size(); k++) {
        auto buffer = args.get<ffi::AnyBuffer>(k);
        if (!buffer)
            return false;
        c->in[k] = buffer->untyped_data();
        ffi::DataType type = buffer->element_type();
        if (k > 0) // the last one may be offsets
            continue;
        c->type = type == ffi::F32    ? 's'
                  : type == ffi::F64  ? 'd'
                  : type == ffi::C64  ? 'c'
                  : type == ffi::C128 ? 'z'
                  : type == ffi::F16  ? 'h'
                  : type == ffi::BF16 ? 'b'
                                      : 0; // which the solvers refuse
    }
    for (size_t k = 0; k < rets.size(); k++) {
        auto buffer = rets.get<ffi::AnyBuffer>(k);
        if (!buffer)
            return false;
        c->out[k] = (*buffer)->untyped_data();
    }
    return true;
}

// numbers: n, batch, inner, cores, gradient, matrix, sides, periodic, pivot, one.
bool read_systems(call *c, ffi::RemainingArgs args, ffi::RemainingRets rets,
                  ffi::Span<const int64_t> numbers)
{
    const int64_t *k = numbers.begin();
    *c = {};
    if (!read_buffers(c, args, rets))
        return false;
    c->cores = (int)k[3], c->gradient = k[4], c->one = k[9];
    tridiagonal_batch &b = c->batch;
    b.type = c->type, b.n = k[0], b.batch = k[1], b.inner = k[2];
    b.matrix = (int)k[5], b.sides = k[6], b.periodic = (int)k[7], b.pivot = (int)k[8];
    b.sub = c->in[0], b.diag = c->in[1], b.super = c->in[2], b.status = c->out[1];
    if (c->gradient)
        b.x = c->in[3], c->derivatives = {c->in[4], c->out[2], c->out[3], c->out[4], c->out[0]};
    else
        b.rhs = c->in[3], b.x = c->out[0];
    return true;
}

// numbers: length, batch, sections, order, carry_in_double, cores, then the coefficients' bits.
bool read_filter(call *c, ffi::RemainingArgs args, ffi::RemainingRets rets,
                 ffi::Span<const int64_t> numbers, filter *p)
{
    const int64_t *k = numbers.begin();
    *c = {};
    if (!read_buffers(c, args, rets))
        return false;
    c->cores = (int)k[5];
    *p = {c->type,  k[0],      k[1],     (int)k[2], (int)k[3], (void *)(k + 6),
          c->in[0], c->out[0], c->in[1], c->out[1], (int)k[4]};
    return true;
}

// numbers: length, batch, inner, cores, gradient, reverse, constant, packed.
bool read_sequences(call *c, ffi::RemainingArgs args, ffi::RemainingRets rets,
                    ffi::Span<const int64_t> numbers)
{
    const int64_t *k = numbers.begin();
    *c = {};
    if (!read_buffers(c, args, rets))
        return false;
    c->cores = (int)k[3], c->gradient = k[4];
    recurrence &p = c->sequences;
    p.type = c->type, p.length = k[0], p.batch = k[1], p.inner = k[2] > 1 ? k[2] : 0;
    p.reverse = (int)k[5], p.constant = (int)k[6];
    p.offset = k[7] ? c->in[c->gradient ? 4 : 3] : nullptr;
    p.s = c->in[0], p.t = c->in[1], p.w0 = c->in[2], p.w = c->gradient ? c->in[1] : c->out[0];
    return true;
}

ffi::Error systems_cpu(ffi::RemainingArgs args, ffi::RemainingRets rets,
                       ffi::Span<const int64_t> numbers)
{
    call c;
    if (!read_systems(&c, args, rets, numbers))
        return outcome(-1);
    tridiagonal_batch &b = c.batch;
    bool one = c.one && !b.periodic;
    size_t bytes = one ? on_cpu.one_work(b.type, b.n) : on_cpu.batch_work(&b, c.cores);
    void *work = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!work)
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "recurrences: not enough memory");
    b.work = work;
    long long status = 0;
    if (c.one)
        std::memset(b.status, 0, sizeof status);
    if (one) {
        tridiagonal_cpu s = {b.type, b.n, b.sub, b.diag,  b.super,
                             b.rhs,  b.x, work,  c.cores, b.pivot};
        status = c.gradient ? on_cpu.one_gradient(&s, &c.derivatives) : on_cpu.one_solve(&s);
        std::memcpy(b.status, &status, sizeof status);
    } else {
        status = c.gradient ? on_cpu.batch_gradient(&b, &c.derivatives, c.cores)
                            : on_cpu.batch_solve(&b, c.cores);
    }
    std::free(work);
    return outcome(status < 0 ? status : 0);
}

ffi::Error sequences_cpu(ffi::RemainingArgs args, ffi::RemainingRets rets,
                         ffi::Span<const int64_t> numbers)
{
    call c;
    if (!read_sequences(&c, args, rets, numbers))
        return outcome(-1);
    return outcome(c.gradient ? on_cpu.recurrence_gradient(&c.sequences, c.in[3], c.out[0],
                                                           c.out[1], c.out[2], c.cores)
                              : on_cpu.recurrence_solve(&c.sequences, c.cores));
}

ffi::Error filters_cpu(ffi::RemainingArgs args, ffi::RemainingRets rets,
                       ffi::Span<const int64_t> numbers)
{
    call c;
    filter p;
    if (!read_filter(&c, args, rets, numbers, &p))
        return outcome(-1);
    return outcome(on_cpu.filter_solve(&p, c.cores));
}

ffi::Error systems_gpu(void *stream, ffi::ScratchAllocator scratch, ffi::RemainingArgs args,
                       ffi::RemainingRets rets, ffi::Span<const int64_t> numbers)
{
    call c;
    if (!read_systems(&c, args, rets, numbers))
        return outcome(-1);
    tridiagonal_batch &b = c.batch;
    tridiagonal t = {};
    t.type = b.type, t.n = b.n, t.sub = b.sub, t.diag = b.diag, t.super = b.super, t.rhs = b.rhs,
    t.x = b.x;
    t.periodic = b.periodic, t.pivot = b.pivot, t.status = b.status;
    size_t bytes = c.one ? (c.gradient ? on_gpu.one_gradient_work : on_gpu.one_work)(&t)
                         : (c.gradient ? on_gpu.batch_gradient_work : on_gpu.batch_work)(&b);
    std::optional<void *> work = scratch.Allocate(bytes ? bytes : 16, 16);
    if (!work)
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "recurrences: not enough memory");
    b.work = *work;
    if (!c.one)
        return outcome(c.gradient ? on_gpu.batch_gradient(&b, &c.derivatives, stream)
                                  : on_gpu.batch_solve(&b, stream));
    if (int error = on_gpu.one_prepare(*work, bytes, stream))
        return outcome(error);
    return outcome(c.gradient ? on_gpu.one_gradient(&t, &c.derivatives, *work, bytes, stream)
                              : on_gpu.one_solve(&t, *work, bytes, stream));
}

ffi::Error sequences_gpu(void *stream, ffi::ScratchAllocator scratch, ffi::RemainingArgs args,
                         ffi::RemainingRets rets, ffi::Span<const int64_t> numbers)
{
    call c;
    if (!read_sequences(&c, args, rets, numbers))
        return outcome(-1);
    size_t bytes = on_gpu.recurrence_work(&c.sequences);
    std::optional<void *> work = scratch.Allocate(bytes ? bytes : 16, 16);
    if (!work)
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "recurrences: not enough memory");
    if (int error = on_gpu.recurrence_prepare(*work, bytes, stream))
        return outcome(error);
    return outcome(c.gradient ? on_gpu.recurrence_gradient(&c.sequences, c.in[3], c.out[0],
                                                           c.out[1], c.out[2], *work, bytes, stream)
                              : on_gpu.recurrence_solve(&c.sequences, *work, bytes, stream));
}

ffi::Error filters_gpu(void *stream, ffi::ScratchAllocator scratch, ffi::RemainingArgs args,
                       ffi::RemainingRets rets, ffi::Span<const int64_t> numbers)
{
    call c;
    filter p;
    if (!read_filter(&c, args, rets, numbers, &p))
        return outcome(-1);
    size_t bytes = on_gpu.filter_work(&p);
    std::optional<void *> work = scratch.Allocate(bytes ? bytes : 16, 16);
    if (!work)
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "recurrences: not enough memory");
    if (int error = on_gpu.filter_prepare(*work, bytes, stream))
        return outcome(error);
    return outcome(on_gpu.filter_solve(&p, *work, bytes, stream));
}

template <typename T> void set_functions(T *functions, void *const *addresses)
{
    std::memcpy(functions, addresses, sizeof *functions);
}

} // namespace

extern "C" void set_cpu_functions(void *const *addresses)
{
    set_functions(&on_cpu, addresses);
}
extern "C" void set_gpu_functions(void *const *addresses)
{
    set_functions(&on_gpu, addresses);
}

#define CPU                                                                                        \
    ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attr<ffi::Span<const int64_t>>("numbers")
#define GPU                                                                                        \
    ffi::Ffi::Bind()                                                                               \
        .Ctx<ffi::PlatformStream<void *>>()                                                        \
        .Ctx<ffi::ScratchAllocator>()                                                              \
        .RemainingArgs()                                                                           \
        .RemainingRets()                                                                           \
        .Attr<ffi::Span<const int64_t>>("numbers")
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_systems_cpu, systems_cpu, CPU);
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_sequences_cpu, sequences_cpu, CPU);
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_filters_cpu, filters_cpu, CPU);
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_systems_gpu, systems_gpu, GPU);
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_sequences_gpu, sequences_gpu, GPU);
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrences_filters_gpu, filters_gpu, GPU);
