/* Filters on the lanes and cores of a CPU. This file includes the method, filter_cpu_body.h, for
 * each type of numbers, checks the arguments, and shares the sequences among the cores. */
#include "filter_cpu.h"
#include "filter_powers.h"
#include "lanes.h"

#ifdef _OPENMP
#define OPENMP(directive) _Pragma(#directive)
#else
#define OPENMP(directive)
#endif

/* Elements of a lane if the lanes share a sequence: 16 2^level */
enum { LANE_LEAST = 16, LEVELS = 5 };
static int lane_elements(int level)
{
    return LANE_LEAST << level;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* An element of an array of p's type */
static double element(const struct filter *p, const void *array, int64_t index)
{
    return p->type == 's' ? ((const float *)array)[index] : ((const double *)array)[index];
}
/* The index in zi and zf of state i of a section */
static int64_t state_index(const struct filter *p, int64_t sequence, int section, int i)
{
    return (section * p->batch + sequence) * p->order + i;
}

#define REAL       float
#define VEC        lanes_vec_s
#define W          LANES_s
#define NAME(name) name##_s
#include "filter_cpu_body.h"
#undef REAL
#undef VEC
#undef W
#undef NAME
#define REAL       double
#define VEC        lanes_vec_d
#define W          LANES_d
#define NAME(name) name##_d
#include "filter_cpu_body.h"

/* Elements of type 's' that are filtered in double precision at a time: a block of all lanes */
enum { BUFFER = LANES_d * LANE_LEAST << (LEVELS - 1) };
/* Waking a core pays only if it gets some ten microseconds of work, this many elements. A core
 * takes JOB_LEAST at a time. */
static const int64_t CORE_LEAST = 1 << 14, JOB_LEAST = 1 << 12;

/* The sequences from `first` on */
static void filter_single(const struct filter *p, const struct tables_s *t, int64_t first,
                          int count)
{
    lanes_vec_s state[FILTER_STATES_MOST] = {{0}};
    const int64_t length = p->length;
    load_states_s(p, t, first, count, state);
    filter_some_s(t, (const float *)p->x + first * length, (float *)p->y + first * length, length,
                  length, count, state);
    store_states_s(p, t, first, count, state);
}
static void filter_double(const struct filter *p, const struct tables_d *t, int64_t first,
                          int count)
{
    lanes_vec_d state[FILTER_STATES_MOST] = {{0}};
    double buffer[BUFFER];
    const int64_t length = p->length, most = BUFFER / count;
    load_states_d(p, t, first, count, state);
    if (p->type == 'd')
        filter_some_d(t, (const double *)p->x + first * length, (double *)p->y + first * length,
                      length, length, count, state);
    for (int64_t done = 0, some; p->type == 's' && done < length; done += some) {
        const float *x = (const float *)p->x + first * length + done;
        float *y = (float *)p->y + first * length + done;
        some = smaller(most, length - done);
        for (int k = 0; k < count; k++)
            for (int64_t i = 0; i < some; i++)
                buffer[k * most + i] = x[k * length + i];
        filter_some_d(t, buffer, buffer, most, some, count, state);
        for (int k = 0; k < count; k++)
            for (int64_t i = 0; i < some; i++)
                y[k * length + i] = (float)buffer[k * most + i];
    }
    store_states_d(p, t, first, count, state);
}

static bool arrays_valid(const struct filter *p)
{
    const uintptr_t size = p->type == 's' ? sizeof(float) : sizeof(double);
    return p->x && p->y &&
           ((uintptr_t)p->x | (uintptr_t)p->y | (uintptr_t)p->zi | (uintptr_t)p->zf) % size == 0;
}

int filter_cpu_solve(const struct filter *p, int cores)
{
    struct host_filter f;
    if (!filter_numbers_valid(p) || cores < 1)
        return -1;
    if (p->length == 0 || p->batch == 0)
        return 0;
    if (!arrays_valid(p) || !read_coefficients(p, &f))
        return -1;
    f.order = f.order <= 2 ? f.order : f.order <= 4 ? 4 : 8; /* those of cascade() */
    const bool in_double = carries_double(p);
    /* A job: as many sequences as there are lanes, or one of those that are left. These share the
     * lanes, which pays for 4 or more, and if the powers do not take longer than the elements. */
    const int states = f.sections * f.order, lanes = in_double ? LANES_d : LANES_s;
    const int64_t full = p->batch / lanes, jobs = full + p->batch % lanes,
                  some = JOB_LEAST / lanes / p->length + 1;
    const bool shared = jobs > full && lanes >= 4 && p->length >= lanes * LANE_LEAST &&
                        p->length >= 64 * states * f.order;
    union {
        struct tables_s s;
        struct tables_d d;
    } t;
    if (in_double)
        make_d(&f, shared, &t.d);
    else
        make_s(&f, shared, &t.s);
    const int threads = (int)smaller(smaller(cores, (jobs + some - 1) / some),
                                     1 + p->length * p->batch / CORE_LEAST);
    (void)threads;
    OPENMP(omp parallel for num_threads(threads) schedule(dynamic, some) if (threads > 1))
    for (int64_t job = 0; job < jobs; job++) {
        const int count = job < full ? lanes : 1;
        const int64_t first = job < full ? job * lanes : job + full * (lanes - 1);
        if (in_double)
            filter_double(p, &t.d, first, count);
        else
            filter_single(p, &t.s, first, count);
    }
    return 0;
}
