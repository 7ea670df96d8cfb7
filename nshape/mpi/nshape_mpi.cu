/* The N-shaped partition method over MPI ranks: see nshape_mpi.h. The stages are those of nshape.cu and tdse.cu; here are the
 * messages, in which order they go, and RS. */
#include "tridiagonal_cpu.h"
#include "nshape_mpi.h"
#include "nshape_stages.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 0 };

/* ---- the ranks and their rows ---- */

cudaError_t nshape_mpi_open(MPI_Comm comm, enum nshape_mpi_root root, struct nshape_mpi *mpi)
{
    mpi->comm = comm;
    MPI_Comm_rank(comm, &mpi->rank);
    MPI_Comm_size(comm, &mpi->ranks);
    mpi->first_worker = root == NSHAPE_ROOT_ALONE ? 1 : 0;
    mpi->parts = mpi->ranks - mpi->first_worker;
    return mpi->parts > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

/* J_w = w + (n - 1 - parts) times the share of the speeds before w: every part has a line of its own at least. */
cudaError_t nshape_mpi_rows(const struct nshape_mpi *mpi, int64_t n, double speed, int64_t *first,
                            int64_t *rows)
{
    if (!first || !rows)
        return cudaErrorInvalidValue;
    bool works = mpi->rank >= mpi->first_worker;
    double mine = works ? speed : 0, before = 0, all;
    MPI_Exscan(&mine, &before, 1, MPI_DOUBLE, MPI_SUM, mpi->comm);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, mpi->comm);
    if (mpi->rank == 0)
        before = 0; /* MPI_Exscan leaves it undefined */
    *first = *rows = 0;
    if (n <= mpi->parts || !(all > 0))
        return cudaErrorInvalidValue;
    if (!works)
        return cudaSuccess;
    /* Each computes both of its ends by the same sum as its neighbour. */
    double ends[2] = {before, before + mine};
    int64_t line[2];
    for (int i = 0; i < 2; i++) {
        int w = mpi->rank - mpi->first_worker + i;
        double share = w == mpi->parts ? 1 : ends[i] / all;
        line[i] = w + (int64_t)floor(share * (double)(n - 1 - mpi->parts));
    }
    *first = line[0];
    *rows = line[1] - line[0] + 1;
    return cudaSuccess;
}

int nshape_mpi_parts(int64_t rows, int cores, int64_t parts[NSHAPE_NEST_MOST])
{
    enum { ROWS_A_BLOCK = 30 };
    int nest = 0;
    if (cores > 1 && rows > 2 * cores)
        parts[nest++] = cores;
    for (int64_t m = rows; cores == 0 && m > 2 * ROWS_A_BLOCK && nest < NSHAPE_NEST_MOST - 1;)
        m = parts[nest++] = m / ROWS_A_BLOCK;
    parts[nest++] = 1;
    return nest;
}

/* ---- a system in flight ---- */

/* Words of a message: what has changed of a line. */
enum message { WHOLE, RIGHT_HAND_SIDE, MATRIX };
enum {
    WORDS_MOST = 6,
    STATUS_BYTES = sizeof(long long),
    MESSAGE_BYTES = WORDS_MOST * 16 + STATUS_BYTES
};
enum { LINES_BYTES = 5 * 4 * 16 }; /* nshape_lines() and tdse_lines() lie in fewer */

/* One message on its way to the root. */
struct letter {
    MPI_Request request;
    char *own, *all; /* MESSAGE_BYTES; that of every rank, on the root */
    int words;
    bool with_status;
};

struct nshape_mpi_system {
    const struct nshape_mpi *mpi;
    MPI_Comm comm;
    char type;
    size_t word;
    bool has_part;
    struct nshape_mpi_part part;
    void *lanes_work;       /* of a given system on CPU cores */
    int turn;               /* which wave */
    enum message message;   /* of this step */
    char *line[2];          /* pinned: both lines as they are after DOWN and after UP */
    cudaEvent_t copied;     /* line[0] is there */
    long long *status, bad; /* pinned; of all parts */
    struct letter down, up, matrix;
    bool inverted;
    /* from the root: psi of both lines and the status */
    MPI_Request answered;
    char *answer, *answers;
    /* on the root: the joint lines, and factors of RS */
    struct nshape_lines joints;
    void *factors;
    int64_t *rows; /* J_w */
    long long reduced_status;
};

static void letter_open(const struct nshape_mpi *mpi, struct letter *l)
{
    l->request = MPI_REQUEST_NULL;
    l->own = (char *)calloc(1, MESSAGE_BYTES);
    l->all = (char *)(mpi->rank == ROOT ? calloc((size_t)mpi->ranks, MESSAGE_BYTES) : NULL);
}
static void letter_close(struct letter *l)
{
    free(l->own);
    free(l->all);
}

cudaError_t nshape_mpi_system_open(const struct nshape_mpi *mpi, char type,
                                   const struct nshape_mpi_part *part,
                                   struct nshape_mpi_system **system)
{
    if (part && !part->system && !part->wave[0])
        return cudaErrorInvalidValue;
    struct nshape_mpi_system *s =
        (struct nshape_mpi_system *)calloc(1, sizeof(struct nshape_mpi_system));
    s->mpi = mpi;
    MPI_Comm_dup(mpi->comm, &s->comm);
    s->type = type;
    s->word = type == 's' ? 4 : type == 'z' ? 16 : 8;
    s->answered = MPI_REQUEST_NULL;
    s->answer = (char *)calloc(1, MESSAGE_BYTES);
    letter_open(mpi, &s->down);
    letter_open(mpi, &s->up);
    letter_open(mpi, &s->matrix);
    if (mpi->rank == ROOT) {
        size_t lines = (size_t)mpi->parts + 1;
        void **const arrays[] = {&s->joints.sub, &s->joints.diag, &s->joints.super,
                                 &s->joints.rhs, &s->joints.x,    &s->factors};
        for (void **array : arrays)
            *array = calloc(lines, s->word);
        s->answers = (char *)calloc((size_t)mpi->ranks, MESSAGE_BYTES);
    }
    *system = s;
    s->has_part = part != NULL;
    int64_t ends[2] = {0, 0}, *all_ends = NULL;
    if (part) {
        s->part = *part;
        ends[0] = part->first;
        ends[1] = part->first + (part->system ? part->system->n : part->wave[0]->n) - 1;
    }
    if (mpi->rank == ROOT) {
        all_ends = (int64_t *)malloc((size_t)mpi->ranks * sizeof ends);
        s->rows = (int64_t *)malloc(((size_t)mpi->parts + 1) * sizeof *s->rows);
    }
    MPI_Gather(ends, 2, MPI_INT64_T, all_ends, 2, MPI_INT64_T, ROOT, s->comm);
    for (int w = 0; mpi->rank == ROOT && w < mpi->parts; w++) {
        s->rows[w] = all_ends[2 * (w + mpi->first_worker)];
        s->rows[w + 1] = all_ends[2 * (w + mpi->first_worker) + 1];
    }
    free(all_ends);
    if (!part)
        return cudaSuccess;
    if ((part->system ? part->system->type : part->wave[0]->type) != type)
        return cudaErrorInvalidValue;
    if (part->system && part->cores > 0 &&
        posix_memalign(&s->lanes_work, 64, tridiagonal_cpu_work(type, part->system->n)) != 0)
        return cudaErrorMemoryAllocation;
    TRY(cudaEventCreate(&s->copied));
    TRY(cudaMallocHost(&s->status, sizeof *s->status));
    *s->status = 0; /* a wave function has no bad pivots */
    for (int i = 0; i < 2; i++)
        TRY(cudaMallocHost(&s->line[i], LINES_BYTES));
    return cudaSuccess;
}

void nshape_mpi_system_close(struct nshape_mpi_system *s)
{
    void *const memory[] = {s->answer,       s->answers,    s->joints.sub, s->joints.diag,
                            s->joints.super, s->joints.rhs, s->joints.x,   s->factors,
                            s->rows,         s->lanes_work};
    for (void *one : memory)
        free(one);
    letter_close(&s->down);
    letter_close(&s->up);
    letter_close(&s->matrix);
    if (s->has_part) {
        cudaEventDestroy(s->copied);
        cudaFreeHost(s->status);
        for (int i = 0; i < 2; i++)
            cudaFreeHost(s->line[i]);
    }
    MPI_Comm_free(&s->comm);
    free(s);
}

/* ---- the part's side ---- */

static const struct tdse *wave_of(const struct nshape_mpi_system *s)
{
    return s->part.wave[s->turn];
}

static struct nshape_lines lines_of(const struct nshape_mpi_system *s)
{
    return s->part.system ? nshape_lines(s->part.system, s->part.system->nest - 1)
                          : tdse_lines(wave_of(s));
}

/* A given system on CPU cores, by their lanes: both lines are ready at once, and there is nothing
 * to invert. Pointers are what nshape_part() wants. */
static cudaError_t stage_by_lanes(const struct nshape_mpi_system *s, enum nshape_part_stage stage)
{
    const struct nshape *part = s->part.system;
    const void *arrays[] = {part->sub, part->diag, part->super, part->rhs, part->x};
    for (const void *array : arrays)
        if (!device_aligned(array, s->word))
            return cudaErrorInvalidValue;
    if (!device_aligned(part->status, sizeof *part->status) || !device_aligned(part->work, 16))
        return cudaErrorInvalidValue;
    struct nshape_lines to = lines_of(s);
    struct tridiagonal_cpu_lines lines = {to.sub, to.diag, to.super, to.rhs, to.x};
    struct tridiagonal_cpu lanes = {part->type, part->n, part->sub,     part->diag,   part->super,
                                    part->rhs,  part->x, s->lanes_work, s->part.cores};
    if (stage == NSHAPE_PART_DOWN)
        *part->status = tridiagonal_cpu_reduce(&lanes, lines);
    else if (stage == NSHAPE_PART_FINISH || stage == NSHAPE_PART_FINISH_INVERTED)
        tridiagonal_cpu_finish(&lanes, lines);
    return cudaSuccess;
}

static cudaError_t stage(const struct nshape_mpi_system *s, enum nshape_part_stage stage,
                         double field)
{
    if (s->part.system && s->part.cores > 0)
        return stage_by_lanes(s, stage);
    if (s->part.system)
        return nshape_part(s->part.system, stage, s->part.stream);
    return tdse_part(wave_of(s), stage, field, s->part.stream, s->part.cores);
}

static cudaError_t copy(const struct nshape_mpi_system *s, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    if (s->part.cores == 0)
        return cudaMemcpyAsync(to, from, bytes, kind, s->part.stream);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* Both lines, whose arrays lie one after the other, to line[half]. */
static cudaError_t fetch_lines(const struct nshape_mpi_system *s, int half)
{
    const struct nshape_lines at = lines_of(s);
    const char *from = (const char *)at.sub;
    size_t bytes = (size_t)((const char *)at.x - from);
    return copy(s, s->line[half], from, bytes, cudaMemcpyDeviceToHost);
}

/* Line 1 (J_{w+1}): sub, diag, rhs; line 0 (J_w): super, diag, rhs; as much of them as the message has. */
static void write_line(const struct nshape_mpi_system *s, struct letter *l, int half, int line)
{
    const struct nshape_lines at = lines_of(s);
    const void *const arrays[] = {line ? at.sub : at.super, at.diag, at.rhs};
    int from = s->message == RIGHT_HAND_SIDE ? 2 : 0, to = s->message == MATRIX ? 2 : 3;
    for (int i = from; i < to; i++) {
        ptrdiff_t offset = (const char *)arrays[i] - (const char *)at.sub;
        memcpy(l->own + (size_t)(l->words++) * s->word,
               s->line[half] + offset + (size_t)line * s->word, s->word);
    }
}

static void post(struct nshape_mpi_system *s, struct letter *l, struct nshape_mpi_times *times)
{
    int bytes = l->words * (int)s->word;
    if (l->with_status) {
        long long status = s->has_part && *s->status ? s->part.first + *s->status : 0;
        memcpy(l->own + bytes, &status, STATUS_BYTES);
        bytes += STATUS_BYTES;
    }
    if (s->has_part)
        times->elements_up += l->words;
    MPI_Igather(l->own, bytes, MPI_BYTE, l->all, bytes, MPI_BYTE, ROOT, s->comm, &l->request);
}

/* Words of the letter before they are written, the same on all ranks: a root alone sends as many. */
static void begin_letter(struct nshape_mpi_system *s, struct letter *l, int lines, bool with_status)
{
    l->words = s->has_part ? 0 : lines * (s->message == WHOLE ? 3 : s->message == MATRIX ? 2 : 1);
    l->with_status = with_status;
}

/* RD, JD, RU, JU and their messages; answers may come from now on. */
static cudaError_t reduce_and_post(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                                   double field, struct nshape_mpi_times *times)
{
    bool early = order >= NSHAPE_MPI_EARLY, given = s->part.system != NULL;
    bool gpu = s->has_part && s->part.cores == 0;
    begin_letter(s, &s->down, 1, false);
    begin_letter(s, &s->up, early ? 1 : 2, s->message == WHOLE);
    if (s->has_part) {
        TRY(stage(s, NSHAPE_PART_DOWN, field));
        TRY(fetch_lines(s, 0));
        if (gpu) { /* goes on while words travel */
            TRY(cudaEventRecord(s->copied, s->part.stream));
            TRY(stage(s, NSHAPE_PART_UP, field));
            TRY(fetch_lines(s, 1));
            if (given)
                TRY(copy(s, s->status, s->part.system->status, STATUS_BYTES,
                         cudaMemcpyDeviceToHost));
            TRY(cudaEventSynchronize(s->copied));
        }
        write_line(s, early ? &s->down : &s->up, 0, 1);
    }
    if (early)
        post(s, &s->down, times);
    if (s->has_part) {
        if (gpu)
            TRY(cudaStreamSynchronize(s->part.stream));
        else {
            TRY(stage(s, NSHAPE_PART_UP, field));
            TRY(fetch_lines(s, 1));
            if (given)
                *s->status = *s->part.system->status;
        }
        write_line(s, &s->up, 1, 0);
    }
    post(s, &s->up, times);
    if (s->mpi->rank != ROOT) {
        int bytes = 2 * (int)s->word + STATUS_BYTES;
        MPI_Iscatter(NULL, 0, MPI_BYTE, s->answer, bytes, MPI_BYTE, ROOT, s->comm, &s->answered);
    }
    return cudaSuccess;
}

/* What needs no answer. AHEAD: the other wave's factors, whose words go when they are ready. */
static cudaError_t work_meanwhile(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                                  double next_field, bool last)
{
    s->inverted = false;
    if (!s->has_part)
        return cudaSuccess;
    if (order == NSHAPE_MPI_INVERSE && s->message == WHOLE) {
        s->inverted = true;
        return stage(s, NSHAPE_PART_INVERT, 0);
    }
    if (order != NSHAPE_MPI_AHEAD || last)
        return cudaSuccess;
    s->turn = !s->turn;
    cudaError_t error = stage(s, NSHAPE_PART_KEEP, next_field);
    if (error == cudaSuccess)
        error = fetch_lines(s, 0);
    if (error == cudaSuccess && s->part.cores == 0)
        error = cudaEventRecord(s->copied, s->part.stream);
    s->turn = !s->turn;
    return error;
}

/* The factors' words, which fetch_lines(s, 0) has brought or is bringing. */
static cudaError_t post_matrix(struct nshape_mpi_system *s, struct nshape_mpi_times *times)
{
    enum message message = s->message;
    s->message = MATRIX;
    begin_letter(s, &s->matrix, 2, false);
    if (s->has_part) {
        if (s->part.cores == 0)
            TRY(cudaEventSynchronize(s->copied));
        write_line(s, &s->matrix, 0, 1);
        write_line(s, &s->matrix, 0, 0);
    }
    post(s, &s->matrix, times);
    s->message = message;
    return cudaSuccess;
}

/* Adds the seconds that pass from when this rank has nothing else to do. Others may need its core: it yields. */
static void wait_for(const struct nshape_mpi_system *s, MPI_Request *request,
                     struct nshape_mpi_times *times)
{
    double idle = MPI_Wtime();
    int done = 0;
    bool gpu_works = s->has_part && s->part.cores == 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        if (gpu_works) {
            gpu_works = cudaStreamQuery(s->part.stream) != cudaSuccess;
            idle = MPI_Wtime();
        } else
            sched_yield();
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    times->waited += MPI_Wtime() - idle;
}

/* psi of both lines comes, SS. */
static cudaError_t complete(struct nshape_mpi_system *s, enum nshape_mpi_order order, bool last,
                            struct nshape_mpi_times *times)
{
    wait_for(s, &s->answered, times);
    if (order == NSHAPE_MPI_AHEAD && !last)
        TRY(post_matrix(s, times));
    memcpy(&s->bad, s->answer + 2 * s->word, STATUS_BYTES);
    if (!s->has_part)
        return cudaSuccess;
    times->elements_down += 2;
    TRY(copy(s, lines_of(s).x, s->answer, 2 * s->word, cudaMemcpyHostToDevice));
    TRY(stage(s, s->inverted ? NSHAPE_PART_FINISH_INVERTED : NSHAPE_PART_FINISH, 0));
    if (order == NSHAPE_MPI_AHEAD && !last)
        s->turn = !s->turn;
    return cudaSuccess;
}

/* ---- the root's side ---- */

/* Word i of part w's letter. */
template <class T>
static T word_at(const struct nshape_mpi_system *s, const struct letter *l, int w, int i)
{
    size_t bytes = (size_t)l->words * s->word + (l->with_status ? STATUS_BYTES : 0);
    T word;
    memcpy(&word, l->all + (size_t)(w + s->mpi->first_worker) * bytes + (size_t)i * s->word,
           sizeof word);
    return word;
}

/* What part w sends of line w + 1, from word `at` of one letter on, and of line w. */
struct place_of_line {
    const struct letter *letter;
    int at;
};

template <class T>
static void add_lines(const struct nshape_mpi_system *s, const lines<T> *to, enum message message,
                      struct place_of_line below, struct place_of_line above)
{
    T zero = {};
    bool matrix = message != RIGHT_HAND_SIDE, rhs = message != MATRIX;
    int d = matrix ? 2 : 0;
    for (int64_t i = 0; i < to->n; i++) {
        if (matrix)
            to->a[i] = zero;
        if (rhs)
            to->d[i] = zero;
    }
    for (int w = 0; w < s->mpi->parts; w++) {
        if (matrix) {
            to->c[w] = word_at<T>(s, above.letter, w, above.at);
            to->a[w] = to->a[w] + word_at<T>(s, above.letter, w, above.at + 1);
            to->b[w + 1] = word_at<T>(s, below.letter, w, below.at);
            to->a[w + 1] = word_at<T>(s, below.letter, w, below.at + 1);
        }
        if (rhs) {
            to->d[w] = to->d[w] + word_at<T>(s, above.letter, w, above.at + d);
            to->d[w + 1] = word_at<T>(s, below.letter, w, below.at + d);
        }
    }
}

template <class T> static application<T> reduced_system(struct nshape_mpi_system *s)
{
    application<T> p = {};
    p.joints.b = (T *)s->joints.sub;
    p.joints.a = (T *)s->joints.diag;
    p.joints.c = (T *)s->joints.super;
    p.joints.d = (T *)s->joints.rhs;
    p.joints.psi = (T *)s->joints.x;
    p.joints.row = s->rows;
    p.joints.n = s->mpi->parts + 1;
    p.status = &s->reduced_status;
    return p;
}

/* RS; psi and the status of all: that of the first part that has one, else that of RS. */
template <class T> static void solve_and_answer(struct nshape_mpi_system *s, bool early)
{
    application<T> p = reduced_system<T>(s);
    T *factors = (T *)s->factors;
    struct place_of_line own_letter = {&s->down, 0}, same_letter = {&s->up, 0};
    struct place_of_line above = {&s->up, early ? 0 : s->message == WHOLE ? 3 : 1};
    add_lines<T>(s, &p.joints, s->message, early ? own_letter : same_letter, above);
    s->reduced_status = -1;
    if (s->message == WHOLE)
        reduced_solve(&p, &p.joints);
    else
        reduced_solve_kept(&p.joints, factors);
    unpack(&s->reduced_status);
    size_t bytes = (size_t)s->up.words * s->word + STATUS_BYTES;
    long long status = 0;
    for (int w = 0; w < s->mpi->parts && s->up.with_status && status == 0; w++)
        memcpy(&status, s->up.all + (size_t)(w + s->mpi->first_worker + 1) * bytes - STATUS_BYTES,
               STATUS_BYTES);
    if (status == 0)
        status = s->reduced_status;
    bytes = 2 * s->word + STATUS_BYTES;
    for (int w = 0; w < s->mpi->parts; w++) {
        char *to = s->answers + (size_t)(w + s->mpi->first_worker) * bytes;
        memcpy(to, &p.joints.psi[w], 2 * s->word);
        memcpy(to + 2 * s->word, &status, STATUS_BYTES);
    }
    memcpy(s->answers + 2 * s->word, &status, STATUS_BYTES); /* to itself, if it is alone */
    MPI_Iscatter(s->answers, (int)bytes, MPI_BYTE, s->answer, (int)bytes, MPI_BYTE, ROOT, s->comm,
                 &s->answered);
}

template <class T> static void keep_reduced(struct nshape_mpi_system *s)
{
    application<T> p = reduced_system<T>(s);
    struct place_of_line below = {&s->matrix, 0}, above = {&s->matrix, 2};
    add_lines<T>(s, &p.joints, MATRIX, below, above);
    s->reduced_status = -1;
    reduced_solve(&p, &p.joints); /* of whatever d is */
    reduced_factors(&p.joints, (T *)s->factors);
}

#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function<float>(__VA_ARGS__)                                                \
     : (type) == 'd' ? function<double>(__VA_ARGS__)                                               \
     : (type) == 'c' ? function<complex_of<float>>(__VA_ARGS__)                                    \
                     : function<complex_of<double>>(__VA_ARGS__))

static void receive_matrix(struct nshape_mpi_system *s, struct nshape_mpi_times *times)
{
    wait_for(s, &s->matrix.request, times);
    if (s->mpi->rank == ROOT)
        BY_TYPE(s->type, keep_reduced, s);
}

/* All ranks: their letters are gone; the root: answers. */
static void answer(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                   struct nshape_mpi_times *times)
{
    if (s->matrix.request != MPI_REQUEST_NULL)
        receive_matrix(s, times);
    wait_for(s, &s->down.request, times);
    wait_for(s, &s->up.request, times);
    if (s->mpi->rank == ROOT)
        BY_TYPE(s->type, solve_and_answer, s, order >= NSHAPE_MPI_EARLY);
}

/* ---- public functions ---- */

/* Are this rank's letters gone, and on the root all here? */
static bool letters_are_through(struct nshape_mpi_system *s)
{
    MPI_Request *const all[] = {&s->matrix.request, &s->down.request, &s->up.request};
    int through = 1;
    for (int i = 0; i < 3 && through; i++)
        MPI_Test(all[i], &through, MPI_STATUS_IGNORE);
    return through;
}

/* A step of one system as far as it goes without waiting. True in *answered: the root need not come back. */
static cudaError_t begin(struct nshape_mpi_system *s, enum nshape_mpi_order order, double field,
                         double next_field, bool last, struct nshape_mpi_times *times,
                         bool *answered)
{
    TRY(reduce_and_post(s, order, field, times));
    /* The others shall not wait while the root does what can be done later. */
    *answered = s->matrix.request == MPI_REQUEST_NULL && letters_are_through(s);
    if (*answered)
        answer(s, order, times);
    return work_meanwhile(s, order, next_field, last);
}

static cudaError_t finish_work(const struct nshape_mpi_system *s)
{
    return s->has_part && s->part.cores == 0 ? cudaStreamSynchronize(s->part.stream) : cudaSuccess;
}

cudaError_t nshape_mpi_solve(struct nshape_mpi_system *s, enum nshape_mpi_order order,
                             long long *status, struct nshape_mpi_times *times)
{
    if ((s->has_part && !s->part.system) || order > NSHAPE_MPI_INVERSE ||
        !device_aligned(status, sizeof *status))
        return cudaErrorInvalidValue;
    bool answered;
    s->message = WHOLE;
    TRY(begin(s, order, 0, 0, true, times, &answered));
    if (!answered)
        answer(s, order, times);
    TRY(complete(s, order, true, times));
    *status = s->bad;
    return finish_work(s);
}

cudaError_t nshape_mpi_keep(struct nshape_mpi_system *s, double field,
                            struct nshape_mpi_times *times)
{
    if (s->has_part) {
        if (!s->part.wave[0])
            return cudaErrorInvalidValue;
        s->turn = 0;
        TRY(stage(s, NSHAPE_PART_KEEP, field));
        TRY(fetch_lines(s, 0));
        if (s->part.cores == 0)
            TRY(cudaEventRecord(s->copied, s->part.stream));
    }
    TRY(post_matrix(s, times));
    receive_matrix(s, times);
    return cudaSuccess;
}

cudaError_t nshape_mpi_steps(struct nshape_mpi_system *const *systems, int count,
                             enum nshape_mpi_order order, const double *field, int steps,
                             struct nshape_mpi_times *times)
{
    if (steps > 0 && count > 0 && !device_aligned(field, sizeof *field))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++) {
        struct nshape_mpi_system *s = systems[i];
        bool kept = order >= NSHAPE_MPI_KEPT;
        if (s->has_part && (!s->part.wave[0] || (s->part.wave[0]->matrix == TDSE_KEPT) != kept ||
                            (order == NSHAPE_MPI_AHEAD && !s->part.wave[1])))
            return cudaErrorInvalidValue;
        s->message = kept ? RIGHT_HAND_SIDE : WHOLE;
        if (order == NSHAPE_MPI_AHEAD && steps > 0)
            TRY(nshape_mpi_keep(s, field[0], times));
    }
    for (int k = 0; k < steps; k++) {
        bool last = k + 1 == steps, answered = true;
        for (int i = 0; i < count; i++) {
            bool before = answered;
            if (k > 0)
                TRY(complete(systems[i], order, false, times));
            TRY(begin(systems[i], order, field[k], last ? 0 : field[k + 1], last, times,
                      &answered));
            if (!before)
                answer(systems[i - 1], order, times);
        }
        if (!answered)
            answer(systems[count - 1], order, times);
    }
    for (int i = 0; i < count && steps > 0; i++) {
        TRY(complete(systems[i], order, true, times));
        TRY(finish_work(systems[i]));
    }
    return cudaSuccess;
}
