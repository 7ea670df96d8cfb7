/* How recurrences.hpp calls the C functions on a CPU and on a GPU: workspaces, and exceptions for
 * statuses. */
#pragma once

#include "filter_cpu.h"
#include "recurrence_cpu.h"
#include "tridiagonal_batch_cpu.h"
#include "tridiagonal_cpu.h"
#if defined __CUDACC__ || defined DEVICE_CUDA || defined RECURRENCES_GPU
#include "filter.h"
#include "recurrence.h"
#include "tridiagonal.h"
#include "tridiagonal_batch.h"
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace recurrences
{

struct singular_matrix : std::runtime_error {
    long long system, row;
    singular_matrix(const std::string &text, long long k, long long i)
        : std::runtime_error(text), system(k), row(i)
    {
    }
};

namespace detail
{

inline void check(long long status, long long system = 0)
{
    if (status < 0)
        throw std::invalid_argument("the solver refuses the arguments");
    if (status > 0)
        throw singular_matrix("system " + std::to_string(system) + " breaks down in row " +
                                  std::to_string(status - 1),
                              system, status - 1);
}
class on_cpu
{
    int cores;
    std::unique_ptr<void, void (*)(void *)> data{nullptr, std::free};
    std::size_t bytes = 0;
    void *work(std::size_t need)
    {
        if (need > bytes)
            data.reset(std::aligned_alloc(64, bytes = (need + 63) / 64 * 64));
        if (bytes && !data)
            bytes = 0, throw std::bad_alloc();
        return data.get();
    }

protected:
    int64_t fetch(const int64_t *offset)
    {
        return *offset;
    }
    void run(tridiagonal_batch b, bool alone, const tridiagonal_derivatives *d = nullptr)
    {
        if (alone) {
            tridiagonal_cpu s = {b.type,  b.n,    b.sub, b.diag,
                                 b.super, b.rhs,  b.x,   work(tridiagonal_cpu_work(b.type, b.n)),
                                 cores,   b.pivot};
            return check(d ? tridiagonal_cpu_gradient(&s, d) : tridiagonal_cpu_solve(&s));
        }
        std::size_t size = tridiagonal_batch_cpu_work(&b, cores);
        b.work = work(size + b.batch * sizeof(int));
        int *own = b.status ? nullptr : b.status = (int *)((char *)b.work + size);
        long long broken = d ? tridiagonal_batch_cpu_gradient(&b, d, cores)
                             : tridiagonal_batch_cpu_solve(&b, cores);
        check(std::min(broken, 0ll));
        for (int64_t k = 0; own && broken && k < b.batch; k++)
            check(own[k], k);
    }
    void run(const recurrence &p)
    {
        check(recurrence_cpu_solve(&p, cores));
    }
    void run(const recurrence &p, const void *dw, void *ds, void *dt, void *dw0)
    {
        check(recurrence_cpu_gradient(&p, dw, ds, dt, dw0, cores));
    }
    void run(const filter &p)
    {
        check(filter_cpu_solve(&p, cores));
    }

public:
    explicit on_cpu(int all = std::max(1u, std::thread::hardware_concurrency())) : cores(all)
    {
    }
};

#if defined __CUDACC__ || defined DEVICE_CUDA || defined RECURRENCES_GPU
class on_gpu
{
    cudaStream_t stream;
    char *data = nullptr; /* 16 bytes for a status, and a workspace */
    std::size_t bytes = 0;
    decltype(&recurrence_prepare) prepared = nullptr; /* the solver for which it is prepared */
    unsigned calls = 0;
    void done(cudaError_t error)
    {
        if (error == cudaSuccess)
            return;
        prepared = nullptr;
        check(error == cudaErrorInvalidValue ? -1 : 0);
        throw std::runtime_error(cudaGetErrorString(error));
    }
    char *work(std::size_t need, decltype(&recurrence_prepare) prepare = nullptr)
    {
        if (need > bytes || !data) {
            cudaFree(data);
            data = nullptr, bytes = 0, prepared = nullptr;
            done(cudaMalloc((void **)&data, 16 + need));
            bytes = need;
        }
        if (prepare && (prepare != prepared || ++calls > 1u << 30))
            calls = 0, done(prepare(data + 16, bytes, stream));
        prepared = prepare;
        return data + 16;
    }
    template <class T> std::vector<T> fetched(const void *status, std::size_t count)
    {
        std::vector<T> host(count);
        done(cudaMemcpyAsync(host.data(), status, count * sizeof(T), cudaMemcpyDeviceToHost,
                             stream));
        done(cudaStreamSynchronize(stream));
        return host;
    }

protected:
    int64_t fetch(const int64_t *offset)
    {
        return fetched<int64_t>(offset, 1)[0];
    }
    void run(tridiagonal_batch b, bool alone, const tridiagonal_derivatives *d = nullptr)
    {
        if (alone) {
            tridiagonal t{};
            t.type = b.type, t.n = b.n, t.pivot = b.pivot, t.sub = b.sub, t.diag = b.diag;
            t.super = b.super, t.rhs = b.rhs, t.x = b.x;
            std::size_t size = d ? tridiagonal_gradient_workspace(&t) : tridiagonal_workspace(&t);
            char *w = work(size, tridiagonal_prepare);
            t.status = (long long *)data;
            done(d ? tridiagonal_gradient(&t, d, w, size, stream)
                   : tridiagonal_solve(&t, w, size, stream));
            return check(fetched<long long>(data, 1)[0]);
        }
        std::size_t size = d ? tridiagonal_batch_gradient_work(&b) : tridiagonal_batch_work(&b);
        size = (size + 15) / 16 * 16;
        b.work = work(size + b.batch * sizeof(int));
        int *own = b.status ? nullptr : b.status = (int *)((char *)b.work + size);
        done(d ? tridiagonal_batch_gradient(&b, d, stream) : tridiagonal_batch_solve(&b, stream));
        long long k = 0;
        if (own)
            for (int status : fetched<int>(own, b.batch))
                check(status, k++);
    }
    void run(const recurrence &p)
    {
        std::size_t size = recurrence_workspace_of(&p);
        done(recurrence_solve(&p, work(size, recurrence_prepare), size, stream));
    }
    void run(const recurrence &p, const void *dw, void *ds, void *dt, void *dw0)
    {
        std::size_t size = recurrence_workspace_of(&p);
        done(
            recurrence_gradient(&p, dw, ds, dt, dw0, work(size, recurrence_prepare), size, stream));
    }
    void run(const filter &p)
    {
        std::size_t size = filter_workspace(&p);
        done(filter_solve(&p, work(size, filter_prepare), size, stream));
    }

public:
    explicit on_gpu(cudaStream_t on = 0) : stream(on)
    {
    }
    on_gpu(const on_gpu &) = delete;
    ~on_gpu()
    {
        cudaFree(data);
    }
};
#endif

} // namespace detail
} // namespace recurrences
