/* The N-shaped partition method, L22: kernels and nesting. Read nshape_stages.h first: a block and its stages. Run:
 * make run. */
#include "nshape.h"
#include "nshape_stages.h"

/* ---- kernels: a thread for each block or line ---- */

static __device__ inline int64_t this_thread(void)
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

enum step {
    BEGIN_LINES,
    REDUCE_AND_JOIN,
    END_LINES,
    SOLVE_LINES,
    SUBSTITUTE,
    DOWN,
    JOIN_DOWN,
    UP,
    JOIN_UP
};

template <class T> BOTH void do_step(enum step step, const struct application<T> *p, int64_t w)
{
    switch (step) {
    case BEGIN_LINES:
        return begin_line(p, w);
    case REDUCE_AND_JOIN:
        return reduce_and_join(p, w);
    case END_LINES:
        return end_line(p, w);
    case SOLVE_LINES:
        return reduced_solve(p, &p->joints);
    case SUBSTITUTE:
        return substitute(p, w);
    case DOWN:
        return reduce_down(p, w);
    case JOIN_DOWN:
        return join_down(p, w);
    case UP:
        return reduce_up(p, w);
    case JOIN_UP:
        return join_up(p, w);
    }
}

/* How many threads a step has work for. */
template <class T> static int64_t count_of(enum step step, const struct application<T> *p)
{
    return step == SOLVE_LINES ? 1 : step == BEGIN_LINES || step == END_LINES ? p->nbl + 1 : p->nbl;
}

template <class T, enum step step>
static __global__ void run_step(struct application<T> p, int64_t count)
{
    int64_t w = this_thread();
    if (w < count)
        do_step(step, &p, w);
}

static __global__ void end_status(long long *status)
{
    unpack(status);
}

/* ---- where the work is done: on a GPU's stream, or on CPU cores ---- */

struct place {
    bool gpu;
    cudaStream_t stream;
    int threads, cores;
};

template <class T, enum step step>
static cudaError_t run(const struct place *at, const struct application<T> *p)
{
    int64_t count = count_of(step, p);
    if (at->gpu)
        return LAUNCH((run_step<T, step>),
                      static_cast<unsigned>((count + at->threads - 1) / at->threads), at->threads,
                      0, at->stream, *p, count);
#pragma omp parallel for num_threads(at->cores) schedule(static)
    for (int64_t w = 0; w < count; w++)
        do_step(step, p, w);
    return cudaSuccess;
}

/* ---- nesting (L22 4.1.6, eq. 6) ---- */

template <class T> struct nested {
    struct application<T> level[NSHAPE_NEST_MOST];
    int count;
};

static bool is_sound(const struct nshape *s)
{
    bool sound = s->n >= 1 && s->nest >= 0 && s->nest <= NSHAPE_NEST_MOST && s->threads >= 1 &&
                 s->threads <= 1024 &&
                 (s->joining == NSHAPE_EXTRA_WORDS || s->joining == NSHAPE_ATOMIC);
    for (int l = 0; sound && l < s->nest && s->n > 1; l++)
        sound = s->blocks[l] >= 1 && s->blocks[l] <= (l > 0 ? s->blocks[l - 1] : s->n - 1);
    return sound;
}

static size_t word_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}

/* Lines of application l, rounded so that what follows them in the workspace is aligned. */
static size_t lines_of(const struct nshape *s, int l)
{
    return (static_cast<size_t>(s->blocks[l]) + 1 + 3) / 4 * 4;
}

/* Where application l's lines begin in work: seven arrays of words (sub, diag, super, rhs, x, JD's two) and their rows
 * in the given system. */
static size_t offset_of_lines(const struct nshape *s, int l)
{
    size_t offset = 0;
    for (int i = 0; i < l; i++)
        offset += lines_of(s, i) * (7 * word_of(s->type) + sizeof(int64_t));
    return offset;
}

size_t nshape_work(const struct nshape *s)
{
    return s->n > 1 ? offset_of_lines(s, s->nest) : 0;
}

struct nshape_lines nshape_lines(const struct nshape *s, int l)
{
    char *at = static_cast<char *>(s->work) + offset_of_lines(s, l);
    size_t bytes = lines_of(s, l) * word_of(s->type);
    struct nshape_lines lines = {at, at + bytes, at + 2 * bytes, at + 3 * bytes, at + 4 * bytes};
    return lines;
}

template <class T> static struct nested<T> nested_of(const struct nshape *s) {
    struct nested<T> all = {
    };
    struct lines<T> rows = {
        static_cast<T *>(s->sub), static_cast<T *>(s->diag), static_cast<T *>(s->super),
            static_cast<T *>(s->rhs), static_cast<T *>(s->x), NULL, NULL, NULL, s->n, 0
    };
    all.count = s->n > 1 ? s->nest : 0;
    for (int l = 0; l < all.count; l++) {
        struct application<T> *p = &all.level[l];
        size_t m = lines_of(s, l);
        T *words = reinterpret_cast<T *>(static_cast<char *>(s->work) + offset_of_lines(s, l));
        p->rows = rows;
        p->joints = {words,
                     words + m,
                     words + 2 * m,
                     words + 3 * m,
                     words + 4 * m,
                     words + 5 * m,
                     words + 6 * m,
                     reinterpret_cast<int64_t *>(words + 7 * m),
                     s->blocks[l] + 1,
                     l + 1};
        p->nbl = s->blocks[l];
        p->joint = l == 0 ? s->joints : NULL;
        p->atomic = s->joining == NSHAPE_ATOMIC;
        p->status = s->status;
        rows = p->joints;
    }
    if (all.count == 0) { /* one row: a line that is all there is */
        all.level[0].joints = rows;
        all.level[0].status = s->status;
    }
    return all;
}

/* From RS of application `from` on: what is nested in it, Thomas, and back. */
template <class T>
static cudaError_t reduced(const struct place *at, const struct nested<T> *all, int from)
{
    for (int l = from; l < all->count; l++) {
        const struct application<T> *p = &all->level[l];
        TRY((run<T, BEGIN_LINES>(at, p)));
        TRY((run<T, REDUCE_AND_JOIN>(at, p)));
        if (!p->atomic)
            TRY((run<T, END_LINES>(at, p)));
    }
    TRY((run<T, SOLVE_LINES>(at, &all->level[all->count > 0 ? all->count - 1 : 0])));
    for (int l = all->count - 1; l >= from; l--)
        TRY((run<T, SUBSTITUTE>(at, &all->level[l])));
    return cudaSuccess;
}

template <class T> static cudaError_t solve(const struct nshape *s, const struct place *at)
{
    struct nested<T> all = nested_of<T>(s);
    if (at->gpu)
        TRY(cudaMemsetAsync(s->status, 0xff, sizeof *s->status, at->stream));
    else
        *s->status = -1;
    TRY(reduced(at, &all, 0));
    if (at->gpu)
        return LAUNCH(end_status, 1, 1, 0, at->stream, s->status);
    unpack(s->status);
    return cudaSuccess;
}

template <class T>
static cudaError_t one_stage(const struct nshape *s, const struct place *at,
                             enum nshape_stage stage)
{
    struct nested<T> all = nested_of<T>(s);
    const struct application<T> *p = &all.level[0];
    if (all.count == 0)
        return cudaErrorInvalidValue;
    switch (stage) {
    case NSHAPE_RD:
        TRY(cudaMemsetAsync(s->status, 0xff, sizeof *s->status, at->stream));
        TRY((run<T, BEGIN_LINES>(at, p)));
        return run<T, DOWN>(at, p);
    case NSHAPE_JD:
        return run<T, JOIN_DOWN>(at, p);
    case NSHAPE_RU:
        return run<T, UP>(at, p);
    case NSHAPE_JU:
        TRY((run<T, JOIN_UP>(at, p)));
        return p->atomic ? cudaSuccess : run<T, END_LINES>(at, p);
    case NSHAPE_RS:
        return reduced(at, &all, 1);
    case NSHAPE_SS:
        TRY((run<T, SUBSTITUTE>(at, p)));
        return LAUNCH(end_status, 1, 1, 0, at->stream, s->status);
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- public functions ---- */

/* Call function<scalar type>. */
#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function<float>(__VA_ARGS__)                                                \
     : (type) == 'd' ? function<double>(__VA_ARGS__)                                               \
     : (type) == 'c' ? function<complex_of<float>>(__VA_ARGS__)                                    \
     : (type) == 'z' ? function<complex_of<double>>(__VA_ARGS__)                                   \
                     : cudaErrorInvalidValue)

struct nshape nshape_plan(char type, int64_t n, int nest, const int64_t *blocks)
{
    struct nshape s = {};
    s.type = type;
    s.n = n;
    s.nest = nest;
    for (int l = 0; l < nest && l < NSHAPE_NEST_MOST; l++)
        s.blocks[l] = blocks[l];
    s.threads = 128;
    return s;
}

cudaError_t nshape_solve(const struct nshape *s, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    if (!is_sound(s))
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, solve, s, &at);
}

cudaError_t nshape_solve_cpu(const struct nshape *s, int cores)
{
    struct place at = {false, 0, 0, cores};
    if (!is_sound(s) || cores < 1)
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, solve, s, &at);
}

cudaError_t nshape_stage(const struct nshape *s, enum nshape_stage stage, cudaStream_t stream)
{
    struct place at = {true, stream, s->threads, 0};
    if (!is_sound(s))
        return cudaErrorInvalidValue;
    return BY_TYPE(s->type, one_stage, s, &at, stage);
}
