/* The N-shaped partition method (L22): kernels, workspace, and nesting (L22 eq. 6). Read
 * nshape_stages.h first: it has the stages of a block. Run: make run. */
#include "nshape.h"
#include "nshape_stages.h"

/* The last kernel of a solve: turns the smallest report in *status into the status of nshape.h. */
static __global__ void end_status(long long *status)
{
    unpack(status);
}

/* All applications of a solve; if there are none, level[0].joints is the given system. */
template <class T> struct nested {
    application<T> level[NSHAPE_NEST_MOST];
    int count;
};

static size_t element_bytes(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}

static bool arguments_valid(const struct nshape *s)
{
    const void *arrays[] = {s->sub, s->diag, s->super, s->rhs, s->x};
    bool valid = s->type != 0 && strchr("sdcz", s->type) && s->n >= 1 && s->nest >= 0 &&
                 partition_valid(s->n, s->nest, NSHAPE_NEST_MOST, s->parts, s->threads) &&
                 (s->joining == NSHAPE_EXTRA_ELEMENTS || s->joining == NSHAPE_ATOMIC) &&
                 device_aligned(s->status, sizeof *s->status) &&
                 (!s->joints || device_aligned(s->joints, sizeof *s->joints));
    for (const void *array : arrays)
        valid = valid && device_aligned(array, element_bytes(s->type));
    return valid && (nshape_work(s) == 0 || device_aligned(s->work, 16));
}

/* The joint lines of application l, rounded up to 4, so that all arrays are aligned. */
static size_t lines_of(const struct nshape *s, int l)
{
    return ((size_t)s->parts[l] + 1 + 3) / 4 * 4;
}

/* The offset of the joint lines of application l: seven arrays of elements (sub, diag, super, rhs,
 * x, extra_a, extra_d) and the row numbers, for each. */
static size_t offset_of_lines(const struct nshape *s, int l)
{
    size_t offset = 0;
    for (int i = 0; i < l; i++)
        offset += lines_of(s, i) * (7 * element_bytes(s->type) + sizeof(int64_t));
    return offset;
}

size_t nshape_work(const struct nshape *s)
{
    return s->n > 1 ? offset_of_lines(s, s->nest) : 0;
}

struct nshape_lines nshape_lines(const struct nshape *s, int l)
{
    char *at = (char *)s->work + offset_of_lines(s, l);
    size_t bytes = lines_of(s, l) * element_bytes(s->type);
    struct nshape_lines lines = {at, at + bytes, at + 2 * bytes, at + 3 * bytes, at + 4 * bytes};
    return lines;
}

/* Returns all applications of s, with pointers to their joint lines in the workspace. */
template <class T> static nested<T> nested_of(const struct nshape *s)
{
    nested<T> all = {};
    lines<T> rows = {(T *)s->sub, (T *)s->diag, (T *)s->super, (T *)s->rhs, (T *)s->x,
                     NULL,        NULL,         NULL,          s->n,        0};
    all.count = s->n > 1 ? s->nest : 0;
    for (int l = 0; l < all.count; l++) {
        application<T> *p = &all.level[l];
        size_t m = lines_of(s, l);
        T *first = (T *)((char *)s->work + offset_of_lines(s, l));
        p->rows = rows;
        p->joints = {first,           first + m,     first + 2 * m, first + 3 * m,
                     first + 4 * m,   first + 5 * m, first + 6 * m, (int64_t *)(first + 7 * m),
                     s->parts[l] + 1, l + 1};
        p->nbl = s->parts[l];
        p->joint = l == 0 ? s->joints : NULL;
        p->atomic = s->joining == NSHAPE_ATOMIC;
        p->status = s->status;
        rows = p->joints;
    }
    if (all.count == 0) {
        all.level[0].joints = rows;
        all.level[0].status = s->status;
    }
    return all;
}

/* As in L22 6.1 one kernel runs RD, JD, RU and JU: no block needs another's result between them. */
template <class T>
static cudaError_t reduce_levels(const struct place *at, const nested<T> *all, int from, int to)
{
    for (int l = from; l < to; l++) {
        const application<T> *p = &all->level[l];
        TRY(for_each<begin_line<T>>(at, p, p->nbl + 1));
        TRY(for_each<reduce_and_join<T>>(at, p, p->nbl));
        if (!p->atomic)
            TRY(for_each<end_line<T>>(at, p, p->nbl + 1));
    }
    return cudaSuccess;
}

/* SS, by substitute() or substitute<T, true>(), in reverse order. */
template <class T, auto stage>
static cudaError_t substitute_levels(const struct place *at, const nested<T> *all, int from)
{
    for (int l = all->count - 1; l >= from; l--)
        TRY(for_each<stage>(at, &all->level[l], all->level[l].nbl));
    return cudaSuccess;
}

/* RS of application from - 1: the later applications reduce, Thomas solves the last joint lines, SS
 * in reverse order. from = 0 solves the given system. */
template <class T>
static cudaError_t reduced(const struct place *at, const nested<T> *all, int from)
{
    const application<T> *last = &all->level[all->count > 0 ? all->count - 1 : 0];
    TRY(reduce_levels(at, all, from, all->count));
    TRY(for_each<solve_lines<T>>(at, last, 1));
    return substitute_levels<T, substitute<T>>(at, all, from);
}

/* The largest unsigned number, -1, is no report. finish_status() gives the status of nshape.h. */
static cudaError_t begin_status(const struct place *at, long long *status)
{
    if (at->gpu)
        return cudaMemsetAsync(status, 0xff, sizeof *status, at->stream);
    *status = -1;
    return cudaSuccess;
}
static cudaError_t finish_status(const struct place *at, long long *status)
{
    if (at->gpu)
        return LAUNCH(end_status, 1, 1, 0, at->stream, status);
    unpack(status);
    return cudaSuccess;
}

template <class T> static cudaError_t solve(const struct nshape *s, const struct place *at)
{
    nested<T> all = nested_of<T>(s);
    TRY(begin_status(at, s->status));
    TRY(reduced(at, &all, 0));
    return finish_status(at, s->status);
}

template <class T>
static cudaError_t one_part_stage(const struct nshape *s, const struct place *at,
                                  enum nshape_part_stage stage)
{
    nested<T> all = nested_of<T>(s);
    const application<T> *last = &all.level[all.count - 1];
    switch (stage) {
    case NSHAPE_PART_DOWN:
        TRY(begin_status(at, s->status));
        TRY(reduce_levels(at, &all, 0, all.count - 1));
        TRY(for_each<begin_line<T>>(at, last, 2));
        return for_each<part_down<T>>(at, last, 1);
    case NSHAPE_PART_UP:
        TRY(for_each<part_up<T>>(at, last, 1));
        return finish_status(at, s->status);
    case NSHAPE_PART_INVERT:
        for (int l = 0; l < all.count; l++)
            TRY(for_each<invert<T>>(at, &all.level[l], all.level[l].nbl));
        return cudaSuccess;
    case NSHAPE_PART_FINISH:
        return substitute_levels<T, substitute<T>>(at, &all, 0);
    case NSHAPE_PART_FINISH_INVERTED:
        return substitute_levels<T, substitute<T, true>>(at, &all, 0);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t one_stage(const struct nshape *s, const struct place *at,
                             enum nshape_stage stage)
{
    nested<T> all = nested_of<T>(s);
    const application<T> *p = &all.level[0];
    if (all.count == 0)
        return cudaErrorInvalidValue;
    switch (stage) {
    case NSHAPE_RD:
        TRY(begin_status(at, s->status));
        TRY(for_each<begin_line<T>>(at, p, p->nbl + 1));
        return for_each<reduce_down<T>>(at, p, p->nbl);
    case NSHAPE_JD:
        return for_each<join_down<T>>(at, p, p->nbl);
    case NSHAPE_RU:
        return for_each<reduce_up<T>>(at, p, p->nbl);
    case NSHAPE_JU:
        TRY(for_each<join_up<T>>(at, p, p->nbl));
        return p->atomic ? cudaSuccess : for_each<end_line<T>>(at, p, p->nbl + 1);
    case NSHAPE_RS:
        return reduced(at, &all, 1);
    case NSHAPE_SS:
        TRY(for_each<substitute<T>>(at, p, p->nbl));
        return finish_status(at, s->status);
    default:
        return cudaErrorInvalidValue;
    }
}

struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *parts)
{
    struct nshape s = {type, n};
    s.nest = nest;
    for (int l = 0; l < nest && l < NSHAPE_NEST_MOST; l++)
        s.parts[l] = parts[l];
    s.threads = 128;
    return s;
}

cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    if (!arguments_valid(s))
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, solve, s, &at);
}

cudaError_t nshape_solve_cpu(const struct nshape *s, int cores)
{
    struct place at = {false, 0, 0, cores};
    if (!arguments_valid(s) || cores < 1)
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, solve, s, &at);
}

cudaError_t nshape_stage(const struct nshape *s, enum nshape_stage stage, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    if (!arguments_valid(s))
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, one_stage, s, &at, stage);
}

cudaError_t nshape_part(const struct nshape *s, enum nshape_part_stage stage, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    if (!arguments_valid(s) || s->n < 2 || s->nest < 1 || s->parts[s->nest - 1] != 1 ||
        s->joining != NSHAPE_EXTRA_ELEMENTS)
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, one_part_stage, s, &at, stage);
}
