/* What programs with kernels share; device_program.h says what each function does. */
#include "device_program.h"
#include "csv.h"
#include "expect.h"
#include "problems.h"
#include "results.h"

#include <math.h>
#include <string.h>

bool device_is_cpu(void)
{
#ifdef __CUDACC__
    return false;
#else
    return true;
#endif
}

int device_multiprocessors(void)
{
    int count;
    bool known = !device_is_cpu() &&
                 device_attribute(&count, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
    return known ? count : 0;
}

const char *device_name(void)
{
    static cudaDeviceProp properties;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
        cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return "none";
    for (char *c = properties.name; *c; c++)
        if (*c == ',')
            *c = ' ';
    return properties.name;
}

/* Stores how many bytes are missing on the device (excess[0]) and in main memory (excess[1]), of
 * which 5 % stay free. 0 or less: the memory suffices. */
static void excess_of(double bytes, double host_bytes, double excess[2])
{
    size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    if (device_is_cpu())
        bytes += host_bytes; /* the CPU device's memory is main memory, too */
    excess[0] = bytes - 0.95 * (double)available;
    excess[1] = host_bytes - 0.95 * memory_available();
}

bool device_fits(double bytes, double host_bytes)
{
    double excess[2];
    excess_of(bytes, host_bytes, excess);
    return excess[0] <= 0 && excess[1] <= 0;
}

void device_require(const char *program, double bytes, double host_bytes)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        fprintf(stderr, "%s: no GPU: %s; the CPU device runs the same kernels: build/cpu/%s\n",
                program, error != cudaSuccess ? cudaGetErrorString(error) : "none is present",
                program);
        exit(EXIT_DEVICE);
    }
    double excess[2];
    excess_of(bytes, host_bytes, excess);
    const double needs[] = {device_is_cpu() ? bytes + host_bytes : bytes, host_bytes};
    const char *const where[] = {"device", "host"};
    for (int i = 0; i < 2; i++)
        if (!(excess[i] <= 0)) {
            fprintf(stderr,
                    "%s: these sizes need %.1f GiB on the %s, %.1f GiB more than it has free\n",
                    program, needs[i] / (1 << 30), where[i], excess[i] / (1 << 30));
            exit(EXIT_DEVICE);
        }
}

int device_main(struct program *program, int argc, char **argv,
                int (*check)(const struct options *options),
                int (*sweep)(const struct program *program, const struct options *options))
{
    wait_passively(argv);
    program->device = device_name();
    program->quick_default = device_is_cpu();
    struct options options;
    int status = options_parse(program, argc, argv, &options);
    if (status >= 0)
        return status;
    if (device_limits()->wrong) {
        fprintf(stderr, "%s: DEVICE_LIMITS: '%s' is not " DEVICE_LIMITS_ALLOWED "\n", program->name,
                getenv("DEVICE_LIMITS"));
        return EXIT_USAGE;
    }
    device_require(program->name, 0, 0);
    if (options.quick && device_is_cpu())
        expect_few_tests();
    return options.check ? check(&options) : sweep(program, &options);
}

struct verdict device_verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                        const void *t, int t_inc, const void *w, void *host)
{
    size_t element = (size_t)size_of(type);
    put(type, host, 0, w0);
    device_download((char *)host + element, w, (size_t)n * element);
    return verify_recurrence(type, n, w0, s, s_inc, t, t_inc, host);
}

bool device_holds(const void *array, unsigned char byte, size_t bytes)
{
    unsigned char *copy = (unsigned char *)host_alloc("device_holds", (int64_t)bytes);
    device_download(copy, array, bytes);
    size_t same = 0;
    while (same < bytes && copy[same] == byte)
        same++;
    free(copy);
    return same == bytes;
}

void *host_alloc(const char *program, int64_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, (size_t)bytes) != 0) {
        fprintf(stderr, "%s: no memory for %.1f GiB on the host\n", program,
                (double)bytes / (1 << 30));
        exit(EXIT_DEVICE);
    }
    return memory;
}

struct row device_row(const char *variant, char type, int64_t n, int64_t batch, double elements,
                      struct verdict verdict)
{
    struct row row = {};
    row.variant = variant;
    row.type = type;
    row.n = n;
    row.batch = batch;
    row.phase = "total";
    row.device = device_name();
    row.bytes = elements * (double)n * (batch > 0 ? (double)batch : 1) * size_of(type);
    row.error = verdict.error;
    row.status = verdict_status(verdict);
    return row;
}

struct row cpu_row(const char *variant, char type, int64_t n, int64_t batch, int cores,
                   double elements, struct verdict verdict)
{
    struct row row = device_row(variant, type, n, batch, elements, verdict);
    row.device = cpu_name();
    row.cores = cores;
    return row;
}

/* Larger than the caches of all cores: if other cores help with such an array, a solver on one core
 * that is timed later finds no more of it in its cache. */
static const size_t LARGE = (size_t)1 << 26;

static void *memory_add(struct memory *a, void *array, char where, size_t bytes)
{
    if (a->count == (int)sizeof a->where) {
        fprintf(stderr, "struct memory is full\n");
        exit(EXIT_DEVICE);
    }
    a->at[a->count] = array;
    a->where[a->count++] = where;
    a->bytes += bytes;
    return array;
}

void *memory_device(struct memory *a, size_t bytes)
{
    void *array;
    CHECK(cudaMalloc(&array, bytes));
    return memory_add(a, array, 'd', bytes);
}

void *memory_host(struct memory *a, size_t bytes)
{
    a->large = a->large || bytes >= LARGE;
    return memory_add(a, host_alloc("arrays", (int64_t)bytes), 'h', bytes);
}

void *memory_pinned(struct memory *a, size_t bytes)
{
    void *array;
    CHECK(cudaMallocHost(&array, bytes));
    return memory_add(a, array, 'p', bytes);
}

/* Threads share large arrays, whose pages the system frees one by one. */
void memory_free(struct memory *a)
{
    for (int i = 0; i < a->count; i++)
        if (a->where[i] != 'h')
            CHECK(a->where[i] == 'd' ? cudaFree(a->at[i]) : cudaFreeHost(a->at[i]));
#pragma omp parallel for schedule(dynamic) if (a->large)
    for (int i = 0; i < a->count; i++)
        if (a->where[i] == 'h')
            free(a->at[i]);
    *a = {};
}

/* An array is copied or filled in pieces: the number of bytes of piece k. */
static size_t piece_bytes(size_t bytes, size_t piece, size_t k)
{
    size_t left = bytes - k * piece;
    return left < piece ? left : piece;
}

/* Copies an array by all cores or, with `from` NULL, fills it with 0xff bytes. */
static void copy_by_all(char *to, const char *from, size_t bytes)
{
    static const size_t PART = (size_t)1 << 18;
#pragma omp parallel for schedule(static) if (bytes >= LARGE || from)
    for (size_t k = 0; k < (bytes + PART - 1) / PART; k++)
        if (from)
            memcpy(to + k * PART, from + k * PART, piece_bytes(bytes, PART, k));
        else
            memset(to + k * PART, 0xff, piece_bytes(bytes, PART, k));
}

void host_copy(void *to, const void *from, size_t bytes)
{
    if (bytes < LARGE)
        memcpy(to, from, bytes);
    else
        copy_by_all((char *)to, (const char *)from, bytes);
}

void host_poison(void *array, size_t bytes)
{
    copy_by_all((char *)array, NULL, bytes);
}

/* Copies a large array in pieces through two pinned arrays: while all cores copy one piece, the
 * device transfers another. With cudaMemcpy one core copies, ten times as long as the transfer. */
static void copy_pieces(char *device, char *host, size_t bytes, bool down)
{
    static const size_t PIECE = (size_t)1 << 24;
    static char *pinned[2];
    static cudaEvent_t done[2];
    for (int i = 0; i < 2 && !done[i]; i++) {
        CHECK(cudaMallocHost(&pinned[i], PIECE));
        CHECK(cudaEventCreate(&done[i]));
    }
    size_t pieces = (bytes + PIECE - 1) / PIECE;
    for (size_t k = 0; k < pieces + down; k++) {
        if (k < pieces) {
            char *there = device + k * PIECE, *here = pinned[k % 2];
            size_t size = piece_bytes(bytes, PIECE, k);
            if (!down) {
                CHECK(cudaEventSynchronize(done[k % 2]));
                copy_by_all(here, host + k * PIECE, size);
            }
            CHECK(down ? cudaMemcpyAsync(here, there, size, cudaMemcpyDeviceToHost, 0)
                       : cudaMemcpyAsync(there, here, size, cudaMemcpyHostToDevice, 0));
            CHECK(cudaEventRecord(done[k % 2], 0));
        }
        if (down && k > 0) {
            CHECK(cudaEventSynchronize(done[(k - 1) % 2]));
            copy_by_all(host + (k - 1) * PIECE, pinned[(k - 1) % 2],
                        piece_bytes(bytes, PIECE, k - 1));
        }
    }
    CHECK(cudaStreamSynchronize(0));
}

void device_upload(void *device, const void *host, size_t bytes)
{
    if (bytes < LARGE)
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    else
        copy_pieces((char *)device, (char *)host, bytes, false);
}

void device_download(void *host, const void *device, size_t bytes)
{
    if (bytes < LARGE)
        CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    else
        copy_pieces((char *)device, (char *)host, bytes, true);
}

void device_poison(void *array, size_t bytes)
{
    CHECK(cudaMemset(array, 0xff, bytes));
}

/* ---- CSV files (csv.h) ---- */

static bool written(const struct csv *csv, int error)
{
    if (error)
        fprintf(stderr, "%s: cannot write '%s'\n", csv->program, csv->path);
    return !error;
}

bool csv_open(struct csv *csv, const char *program, const char *prefix, const char *name,
              const char *columns)
{
    csv->program = program;
    csv->file = NULL;
    if (!prefix)
        return true;
    snprintf(csv->path, sizeof csv->path, "%s_%s.csv", prefix, name);
    return written(csv, csv_begin(csv, program, device_name(), columns));
}

bool csv_close(struct csv *csv)
{
    return !csv->file || written(csv, csv_end(csv, true));
}

/* ---- timing ---- */

#ifdef __CUDACC__

enum { GRAPH_MOST = 64 };
static const double SAMPLE_MS = 0.2; /* a sample should last at least this long */
static const double GRAPH_MS = 5;    /* works that take longer hide what the host does in them */

/* Samples are enough if there are SAMPLES_LEAST and their quartiles differ by AGREE. */
static const double AGREE = 0.005;
static bool samples_agree(const double *ms, int count)
{
    double sorted[REPS_DEFAULT];
    if (count < SAMPLES_LEAST || count > REPS_DEFAULT)
        return false;
    memcpy(sorted, ms, (size_t)count * sizeof *ms);
    struct timing t = timing_summary("", sorted, count);
    return t.q3_ms - t.q1_ms <= AGREE * t.median_ms;
}

/* Two successive samples of at least PAIR_MS are enough, too, if they differ by at most the
 * fraction AGREE. calls_agree() (timing.h) is stricter, because other load of the host disturbs its
 * times; events do not see that load. */
static const double PAIR_MS = 2;
static bool pair_agrees(double before, double ms)
{
    return calls_agree(before, ms) || fabs(ms - before) <= AGREE * ms;
}

/* Keeps the GPU busy for about 50 µs, while the host queues the work that is timed. Otherwise the
 * time of several short kernels would be mostly that of their launches. */
static __global__ void wait_for_host(void)
{
    for (long long start = clock64(); clock64() - start < 100000;)
        ;
}

enum { PARTS_MOST = 7 };

/* Takes one sample of `count` works, or of the graph if it is not NULL: ms[i] of work i, ms[count]
 * of all. `event` has count + 1 events. */
static cudaError_t sample(device_work reset, const device_work *work, int count, void *ctx,
                          cudaStream_t stream, cudaGraphExec_t graph, const cudaEvent_t *event,
                          double *ms)
{
    float elapsed;
    if (reset)
        TRY(reset(ctx, stream));
    TRY(cudaStreamSynchronize(stream));
    wait_for_host<<<1, 1, 0, stream>>>();
    TRY(cudaEventRecord(event[0], stream));
    for (int i = 0; i < count; i++) {
        TRY(graph ? cudaGraphLaunch(graph, stream) : work[i](ctx, stream));
        TRY(cudaEventRecord(event[i + 1], stream));
    }
    TRY(cudaEventSynchronize(event[count]));
    for (int i = 0; i <= count; i++) {
        TRY(cudaEventElapsedTime(&elapsed, event[i < count ? i : 0],
                                 event[i < count ? i + 1 : count]));
        ms[i] = (double)elapsed;
    }
    return cudaSuccess;
}

/* A graph of so many calls of work, or NULL if the work waits for the device and so cannot be
 * captured. What the host does in a call is not in the graph's time. */
static cudaGraphExec_t capture(cudaStream_t stream, device_work work, void *ctx, int calls)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < calls && status == cudaSuccess; i++)
        status = work(ctx, stream);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && status == cudaSuccess)
        cudaGraphInstantiate(&executable, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError(); /* forgets the error of a work that cannot be captured */
    return executable;
}

/* The time of work without what the host does in it: that of a graph of as many calls as a sample
 * needs, `*calls`. *ms is the time of a call, host included, and becomes that of the graph. */
static cudaError_t make_graph(cudaStream_t stream, device_work reset, device_work work, void *ctx,
                              const cudaEvent_t *event, double *ms, cudaGraphExec_t *graph,
                              int *calls)
{
    for (int needed = 1;;) {
        *graph = capture(stream, work, ctx, needed);
        *calls = *graph ? needed : 1;
        if (!*graph)
            return cudaSuccess;
        /* The first launch also uploads the graph. */
        for (int i = 0; i < 2; i++)
            TRY(sample(reset, &work, 1, ctx, stream, *graph, event, ms));
        needed = *ms * GRAPH_MOST > SAMPLE_MS ? (int)(SAMPLE_MS / *ms) + 1 : GRAPH_MOST;
        if (*calls > 1 || needed == 1)
            return cudaSuccess;
        TRY(cudaGraphExecDestroy(*graph));
    }
}

static cudaError_t time_on(cudaStream_t stream, double before, device_work reset, device_work work,
                           void *ctx, int reps, struct timing *out)
{
    cudaEvent_t event[2];
    cudaGraphExec_t executable = NULL;
    double ms[2] = {before};
    int calls = 1;
    for (cudaEvent_t &e : event)
        TRY(cudaEventCreate(&e));
    /* The first call may also load the kernels' code, a small part of a long call. */
    if (before == 0)
        TRY(sample(reset, &work, 1, ctx, stream, NULL, event, ms));
    if (ms[0] < LONG_MS)
        TRY(sample(reset, &work, 1, ctx, stream, NULL, event, ms));
    if (ms[0] < GRAPH_MS)
        TRY(make_graph(stream, reset, work, ctx, event, ms, &executable, &calls));
    double *samples = (double *)malloc((size_t)reps * sizeof *samples);
    if (!samples)
        return cudaErrorMemoryAllocation;
    double begun = clock_ms();
    int count = 0;
    before = ms[0];
    while (count < reps && !samples_agree(samples, count) &&
           (count < SAMPLES_LEAST || clock_ms() - begun < 1e3 * TIMING_SECONDS)) {
        TRY(sample(reset, &work, 1, ctx, stream, executable, event, ms));
        if (calls == 1 && reps > 1 && ms[0] >= PAIR_MS && pair_agrees(before, ms[0])) {
            samples[0] = before;
            samples[1] = ms[0];
            count = 2;
            break;
        }
        samples[count++] = ms[0] / calls;
        before = ms[0];
    }
    char timer[sizeof out->timer];
    snprintf(timer, sizeof timer, executable ? "graph x%d" : "events", calls);
    *out = timing_summary(timer, samples, count);
    free(samples);
    if (executable)
        TRY(cudaGraphExecDestroy(executable));
    for (cudaEvent_t e : event)
        TRY(cudaEventDestroy(e));
    return cudaSuccess;
}

cudaError_t time_device_after(double before, device_work reset, device_work work, void *ctx,
                              int reps, struct timing *out)
{
    cudaStream_t stream;
    TRY(cudaStreamCreate(&stream));
    TRY(time_on(stream, before, reset, work, ctx, reps, out));
    return cudaStreamDestroy(stream);
}

/* Are `taken` samples of each part and of all enough? A part shorter than a sample is not timed
 * well here, and need not agree. */
static bool parts_agree(double *const *samples, int count, int taken)
{
    double all = samples[count][taken - 1];
    for (int i = 0; i <= count; i++) {
        double ms = samples[i][taken - 1];
        if (!(i < count && ms < SAMPLE_MS) && !samples_agree(samples[i], taken) &&
            !(taken > 1 && all >= PAIR_MS && pair_agrees(samples[i][taken - 2], ms)))
            return false;
    }
    return true;
}

cudaError_t time_device_parts(const device_work *work, int count, void *ctx, int reps,
                              double least_ms, struct timing *out)
{
    cudaStream_t stream;
    cudaEvent_t event[PARTS_MOST + 1];
    double ms[PARTS_MOST + 1], *samples[PARTS_MOST + 1], begun = clock_ms();
    int taken = 0;
    if (count < 1 || count > PARTS_MOST || reps < 1)
        return cudaErrorInvalidValue;
    TRY(cudaStreamCreate(&stream));
    for (int i = 0; i <= count; i++) {
        out[i] = timing_none();
        TRY(cudaEventCreate(&event[i]));
        samples[i] = (double *)malloc((size_t)reps * sizeof *samples[i]);
        if (!samples[i])
            return cudaErrorMemoryAllocation;
    }
    do {
        TRY(sample(NULL, work, count, ctx, stream, NULL, event, ms));
        if (ms[count] < least_ms && taken == 0)
            break;
        for (int i = 0; i <= count; i++)
            samples[i][taken] = ms[i];
        taken++;
    } while (taken < reps && !parts_agree(samples, count, taken) &&
             (taken < SAMPLES_LEAST || clock_ms() - begun < 1e3 * TIMING_SECONDS));
    for (int i = 0; i <= count; i++) {
        if (taken > 0)
            out[i] = timing_summary("events", samples[i], taken);
        free(samples[i]);
        TRY(cudaEventDestroy(event[i]));
    }
    return cudaStreamDestroy(stream);
}

#else

cudaError_t time_device_parts(const device_work *, int count, void *, int, double,
                              struct timing *out)
{
    for (int i = 0; i <= count; i++)
        out[i] = timing_none();
    return cudaSuccess;
}

cudaError_t time_device_after(double before, device_work reset, device_work work, void *ctx,
                              int reps, struct timing *out)
{
    (void)before, (void)reps;
    *out = timing_none();
#ifdef CPU_DEVICE_COUNT /* the program has already counted this work when it verified the result */
    (void)reset, (void)work, (void)ctx;
    return cudaSuccess;
#else
    if (reset)
        TRY(reset(ctx, NULL));
    return work(ctx, NULL);
#endif
}

#endif

cudaError_t time_device(device_work reset, device_work work, void *ctx, int reps,
                        struct timing *out)
{
    return time_device_after(0, reset, work, ctx, reps, out);
}
