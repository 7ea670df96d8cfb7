/* Whole systems in shared memory and registers: 5 words a row move, of n batch each.
 *
 * A tile is as many whole systems as fit, one after the other, so it is one piece of memory and comes by bulk copies. Each thread takes
 * CHUNKS chunks of 16 bytes of each array, whatever systems they belong to, into its registers, and the room in shared
 * memory is free again: the next tile is on its way while this one is solved.
 *
 * All systems of a tile are one tridiagonal system whose couplings across their ends are zero: segments (segments.h) of the
 * threads, of the warps, of the block, and back. No case depends on n, on where a system begins or on how many there are.
 *
 * A system that breaks down must not reach its neighbours: 0 times NaN is NaN. So nothing that is not finite is handed on.
 * Where such a number would come to be the row is taken to be x = 0, and the system is marked. */
#include "tridiagonal_batch.h"

#include "segments.h"

/* Of a block at most, and of a thread: 8 chunks would be all registers; an odd number has no bank conflicts (segments.h). */
enum { THREADS = 512, CHUNKS = 5, WARPS = THREADS / WARP };

template <class T> struct batch {
    int64_t n, systems, words; /* words of all */
    int of_tile, of_part;      /* systems, at most */
    int64_t parts;
    const T *in[4];
    T *x;
    int *status;
    bool bulk;
};

template <class T> struct board {
    uint64_t full[WARPS];
    /* Of this tile and the one before, which some may still read. */
    typename plain<T>::segment sums[2][WARPS];
};

template <class T> static __device__ inline bool are_sound(T x, T y, T z)
{
    return (size(x) + size(y) + size(z)) * 0 == 0;
}
template <class T> static __device__ inline bool are_sound(T x, T y, T z, T u)
{
    return (size(x) + size(y) + size(z) + size(u)) * 0 == 0;
}

/* Part of a tile: rows `begin` to `end` of it are there, others of it are another block's. (So a system has its place in a tile, and
 * its bits, whatever the batch.) The tile begins with word `before` of the chunk at word `from`; its systems with number `first`. */
struct tile {
    int64_t first, from;
    int before, begin, end;
};
template <class T> static __device__ inline tile tile_at(const batch<T> &b, int64_t part)
{
    constexpr int words = CHUNK / sizeof(T);
    int parts = (b.of_tile + b.of_part - 1) / b.of_part;
    int64_t t = part / parts, first = (part % parts) * b.of_part, last = first + b.of_part;
    tile at;
    at.first = t * b.of_tile;
    int64_t left = b.systems - at.first, most = left < b.of_tile ? left : b.of_tile,
            from = at.first * b.n;
    first = first < most ? first : most;
    last = last < most ? last : most;
    at.begin = static_cast<int>(first * b.n);
    at.end = static_cast<int>(last * b.n);
    at.before = static_cast<int>(from % words);
    at.from = from - at.before;
    return at;
}

/* Of the words of warp `warp` those that are there, counted from its first; and of these whole chunks, which bulk copies bring.
 * Chunks may have words of others, but none that is behind the arrays. */
struct piece {
    int64_t from;
    int begin, end, bulk_begin, bulk_end;
};
template <class T>
static __device__ inline piece piece_of(const batch<T> &b, const tile &at, int warp)
{
    constexpr int words = CHUNK / sizeof(T), most = WARP * CHUNKS * words;
    piece p;
    int first = warp * most;
    p.from = at.from + first;
    p.begin = at.before + at.begin - first;
    p.end = at.before + at.end - first;
    p.begin = p.begin > 0 ? p.begin : 0;
    p.end = p.end < most ? p.end : most;
    p.bulk_begin = p.begin / words * words;
    p.bulk_end = (p.end + words - 1) / words * words;
    if (p.from + p.bulk_end > b.words)
        p.bulk_end -= words;
    if (!b.bulk || !has_bulk_copies() || p.bulk_end < p.bulk_begin || p.end <= p.begin)
        p.bulk_end = p.bulk_begin = p.begin;
    return p;
}
template <class T>
static __device__ inline void ask_for(const batch<T> &b, const piece &p, chunk<T> *to, int apart,
                                      uint64_t *barrier)
{
    constexpr int words = CHUNK / sizeof(T);
    unsigned bytes = static_cast<unsigned>((p.bulk_end - p.bulk_begin) * sizeof(T));
    mbarrier_arrive(barrier, 4 * bytes);
    if (bytes > 0)
        for (int k = 0; k < 4; k++)
            bulk_load(to + k * apart + p.bulk_begin / words, b.in[k] + p.from + p.bulk_begin, bytes,
                      barrier);
}
template <class T>
static __device__ inline void fetch_rest(const batch<T> &b, const piece &p, chunk<T> *to, int apart,
                                         int lane)
{
    constexpr int words = CHUNK / sizeof(T);
    for (int i = p.bulk_end + lane; i < p.end; i += WARP)
        for (int k = 0; k < 4; k++)
            to[k * apart + i / words].word[i % words] = b.in[k][p.from + i];
    __syncwarp();
}

/* Where breakdowns are marked: of each system of the tile its first such row. */
enum { SOUND = 0x7fffffff };
struct marks {
    int *system;
    int n, begin, end; /* rows of a system, of the tile's part */
};
static __device__ inline void mark(const marks &m, int row)
{
    if (row >= m.begin && row < m.end)
        atomicMin(&m.system[row / m.n], row % m.n);
}

/* plain::compose, but what is not finite is taken out and marked. s begins with row `first`, ends with row `joint`; t ends with row
 * `last`. */
template <class T>
static __device__ inline typename plain<T>::segment
compose(const typename plain<T>::segment &s, const typename plain<T>::segment &t,
        typename plain<T>::node *where, const marks &m, int first, int joint, int last)
{
    const T none = zero_of(T());
    typename plain<T>::segment both = plain<T>::compose(s, t, where);
    if (!are_sound(where->a, where->c, where->d)) {
        mark(m, joint);
        *where = {none, none, none};
        both = {s.fa, none, s.fd, none, t.b, t.c, t.d};
    }
    if (!are_sound(both.fa, both.fc, both.fd)) {
        mark(m, first);
        both.fa = both.fc = both.fd = none;
    }
    if (!are_sound(both.a, both.b, both.d)) {
        mark(m, last);
        both.a = both.d = none;
        both.b = one_of(T());
    }
    return both;
}
/* As in segments.h. Lane i's segment has `rows` rows from row `first` + i rows on. */
template <class T>
static __device__ inline typename plain<T>::segment fold(typename plain<T>::segment s, int size,
                                                         int lane, typename plain<T>::node *mine,
                                                         const marks &m, int first, int rows)
{
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename plain<T>::node node;
        int begin = at & -2 * h;
        marks here = m; /* what other lanes compose is nothing */
        here.end = at == begin ? m.end : 0;
        s = compose<T>(s, struct_from_lane<T>(s, (lane + h) % WARP), &node, here,
                       first + begin * rows, first + (begin + h) * rows - 1,
                       first + (begin + 2 * h) * rows - 1);
        node = struct_from_lane<T>(node, lane & -2 * h);
        if ((at & (2 * h - 1)) == h - 1)
            *mine = node;
    }
    return s;
}
template <class T>
static __device__ inline void unfold(const typename plain<T>::node &mine, int size, int lane,
                                     known<T> *k, const marks &m, int first, int rows)
{
    int at = lane & (size - 1);
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T e, f;
        bool keeper = (at & (2 * h - 1)) == h - 1, second = (at & h) != 0;
        plain<T>::meet(mine, *k, &e, &f);
        if (keeper && !is_sound(e)) {
            mark(m, first + (at + 1) * rows - 1);
            e = zero_of(T());
        }
        e = from_lane(e, (lane & -2 * h) + h - 1);
        k->l = second ? e : k->l;
        k->e = second ? k->e : e;
    }
}

/* By the warp that wrote it; bulk copies take chunks that have no words of others. */
template <class T>
static __device__ inline void store(const batch<T> &b, const piece &p, const chunk<T> *x, int lane)
{
    constexpr int words = CHUNK / sizeof(T);
    int whole = (p.begin + words - 1) / words * words, part = p.end / words * words;
    T *to = b.x + p.from;
    const T *from = x->word;
    bulk_fence();
    __syncwarp();
    if (p.bulk_end == p.bulk_begin || part <= whole)
        whole = part = p.begin;
    else if (lane == 0)
        bulk_store(to + whole, from + whole, static_cast<unsigned>((part - whole) * sizeof(T)));
    for (int i = p.begin + lane; i < whole; i += WARP)
        to[i] = from[i];
    for (int i = part + lane; i < p.end; i += WARP)
        to[i] = from[i];
}

template <class T> static __global__ void __launch_bounds__(THREADS, 1) solve_tiles(batch<T> b)
{
    typedef plain<T> P;
    constexpr int words = CHUNK / sizeof(T), rows = CHUNKS * words;
    const T none = zero_of(T()), one = one_of(T());
    DYN_SHARED(chunk<T>, memory);
    int rank = static_cast<int>(threadIdx.x), warp = rank / WARP, lane = rank % WARP,
        threads = static_cast<int>(blockDim.x), warps = threads / WARP, apart = threads * CHUNKS;
    chunk<T> *mine = memory + rank * CHUNKS, *to = memory + warp * WARP * CHUNKS,
             *x = memory + 4 * apart + warp * WARP * CHUNKS;
    board<T> *shared = reinterpret_cast<struct board<T> *>(memory + 5 * apart);
    int *marked = reinterpret_cast<int *>(shared + 1);
    uint64_t *full = &shared->full[warp];
    for (int i = rank; i < 2 * b.of_tile; i += threads)
        marked[i] = SOUND;
    tile next = tile_at(b, blockIdx.x);
    piece next_piece = piece_of(b, next, warp);
    if (lane == 0) {
        mbarrier_init(full, 1);
        ask_for(b, next_piece, to, apart, full);
    }
    __syncthreads();
    int parity = 0;
    for (int64_t t = blockIdx.x; t < b.parts; t += gridDim.x, parity ^= 1) {
        mbarrier_wait(full, parity);
        fetch_rest(b, next_piece, to, apart, lane);
        T A[rows], B[rows], C[rows], D[rows];
        UNROLL()
        for (int k = 0; k < CHUNKS; k++)
            for (int e = 0; e < words; e++) {
                A[k * words + e] = mine[k].word[e];
                B[k * words + e] = mine[apart + k].word[e];
                C[k * words + e] = mine[2 * apart + k].word[e];
                D[k * words + e] = mine[3 * apart + k].word[e];
            }
        bulk_fence();
        __syncwarp();
        tile at = next;
        piece here = next_piece;
        if (t + gridDim.x < b.parts) {
            next = tile_at(b, t + gridDim.x);
            next_piece = piece_of(b, next, warp);
            if (lane == 0)
                ask_for(b, next_piece, to, apart, full);
        }

        /* No coupling across a system's ends; x = 0 in rows that are not there. */
        marks m = {marked + parity * b.of_tile, static_cast<int>(b.n), at.begin, at.end};
        int first = rank * rows - at.before, begin = first > 0 ? first % m.n : first;
        begin =
            begin > 0 ? m.n - begin : -begin; /* the next row of mine with which a system begins */
        UNROLL()
        for (int e = 0; e < rows; e++)
            if (e == begin) {
                A[e] = none;
                if (e > 0)
                    C[e - 1] = none;
                begin += m.n;
            }
        if (begin == rows)
            C[rows - 1] = none;
        if (first < at.begin || first + rows > at.end)
            UNROLL()
        for (int e = 0; e < rows; e++)
            if (first + e < at.begin || first + e >= at.end) {
                A[e] = C[e] = D[e] = none;
                B[e] = one;
            }

        /* plain::eliminate, in registers: A, B, D become a, 1 / the pivot, d. */
        typename P::segment s = P::of_no_rows();
        UNROLL()
        for (int e = 0; e < rows; e++) {
            if (e == 0) {
                s.a = A[e];
                s.b = B[e];
                s.d = D[e];
            } else {
                T q = inverse(s.b), r, f;
                if (!are_sound(q, s.a, s.d, s.c)) {
                    mark(m, first + e - 1);
                    q = s.a = s.d = s.c = C[e - 1] = none;
                }
                A[e - 1] = s.a;
                B[e - 1] = q;
                D[e - 1] = s.d;
                r = -(A[e] * q);
                f = -(s.fc * q);
                s.fa = step(f, s.a, s.fa);
                s.fd = step(f, s.d, s.fd);
                s.fc = f * s.c;
                s.a = r * s.a;
                s.b = step(r, s.c, B[e]);
                s.d = step(r, s.d, D[e]);
            }
            s.c = C[e];
        }
        if (!are_sound(s.fa, s.fc, s.fd)) {
            mark(m, first);
            s.fa = s.fc = s.fd = none;
        }
        if (!are_sound(s.a, s.b, s.d, s.c)) {
            mark(m, first + rows - 1);
            s.a = s.d = s.c = none;
            s.b = one;
        }

        typename P::node within, between;
        typename P::segment *sums = shared->sums[parity];
        int size = power_of_two(warps), of_warp = WARP * rows,
            first_of_warp = warp * of_warp - at.before;
        s = fold<T>(s, WARP, lane, &within, m, first_of_warp, rows);
        if (lane == 0)
            sums[warp] = s;
        __syncthreads();
        s = P::of_no_rows();
        s.fc = none;
        s.b = one;
        if ((lane & (size - 1)) < warps)
            s = sums[lane & (size - 1)];
        s = fold<T>(s, size, lane, &between, m, -at.before, of_warp);
        known<T> k = {none, none, s.d * inverse(s.b), none};
        k.e = from_lane(k.e, 0);
        if (!is_sound(k.e)) {
            mark(m, at.end - 1);
            k.e = none;
        }
        unfold<T>(between, size, lane, &k, m, -at.before, of_warp);
        k = struct_from_lane<T>(k, warp);
        unfold<T>(within, WARP, lane, &k, m, first_of_warp, rows);

        if (lane == 0)
            bulk_store_wait(); /* of the tile before */
        __syncwarp();
        UNROLL()
        for (int e = rows - 1; e >= 0; e--) {
            if (e < rows - 1) {
                k.e = less(less(D[e], A[e], k.l), C[e], k.e) * B[e];
                if (!is_sound(k.e)) {
                    mark(m, first + e);
                    k.e = none;
                }
            }
            D[e] = k.e;
        }
        UNROLL()
        for (int c = 0; c < CHUNKS; c++)
            for (int e = 0; e < words; e++)
                x[lane * CHUNKS + c].word[e] = D[c * words + e];
        store(b, here, x, lane);
        if (b.status) {
            __syncthreads();
            for (int i = at.begin / m.n + rank; i < at.end / m.n; i += threads) {
                b.status[at.first + i] = m.system[i] == SOUND ? 0 : 1 + m.system[i];
                m.system[i] = SOUND;
            }
        }
    }
    if (lane == 0)
        bulk_store_wait();
}

/* ---- launchers ---- */

static int64_t over(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}
template <class T> static size_t shared_bytes(int threads, int64_t of_tile)
{
    return static_cast<size_t>(5 * CHUNKS * CHUNK) * static_cast<size_t>(threads) +
           sizeof(board<T>) + 2 * static_cast<size_t>(of_tile) * sizeof(int);
}
struct machine {
    int processors;
    size_t room;
};
static cudaError_t look(struct machine *m)
{
    int device, room;
    TRY(cudaGetDevice(&device));
    TRY(cudaDeviceGetAttribute(&m->processors, cudaDevAttrMultiProcessorCount, device));
    TRY(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    m->room = static_cast<size_t>(room);
    return cudaSuccess;
}
/* Rows that `threads` threads have for systems, which may begin in the middle of a chunk. */
template <class T> static int64_t rows_of(int threads)
{
    constexpr int words = CHUNK / sizeof(T);
    return static_cast<int64_t>(threads) * CHUNKS * words - (words - 1);
}
template <class T> static int threads_most(const struct machine *m)
{
    int threads = THREADS;
    while (threads > WARP && shared_bytes<T>(threads, 1) > m->room)
        threads -= WARP;
    return threads;
}

template <class T>
static cudaError_t solve(const struct tridiagonal_batch *given, cudaStream_t stream)
{
    constexpr int words = CHUNK / sizeof(T);
    struct machine m;
    TRY(look(&m));
    batch<T> b = {};
    b.n = given->n;
    b.systems = given->batch;
    b.words = b.n * b.systems;
    const void *in[4] = {given->sub, given->diag, given->super, given->rhs};
    uintptr_t apart = reinterpret_cast<uintptr_t>(given->x);
    for (int k = 0; k < 4; k++) {
        b.in[k] = static_cast<const T *>(in[k]);
        apart |= reinterpret_cast<uintptr_t>(in[k]);
    }
    b.x = static_cast<T *>(given->x);
    b.status = given->status;
    b.bulk = apart % CHUNK == 0;
    /* Several blocks a multiprocessor, so that one eliminates while another composes: as many as long systems let there be. As many
     * systems a tile as fit, whatever the batch; but if else some block had none, tiles are parted. */
    int each = 1, threads = threads_most<T>(&m);
    for (int more = 2; more <= 4 && rows_of<T>(THREADS / more / WARP * WARP) >= b.n; more++) {
        each = more;
        threads = THREADS / more / WARP * WARP;
    }
    int64_t fit = rows_of<T>(threads) / b.n, blocks = static_cast<int64_t>(m.processors) * each;
    if (fit == 0)
        return cudaErrorInvalidValue;
    while (fit > 1 && static_cast<size_t>(each) * (shared_bytes<T>(threads, fit) + 1024) > m.room)
        fit--;
    threads = static_cast<int>(over(fit * b.n + words - 1, WARP * CHUNKS * words)) * WARP;
    int64_t tiles = over(b.systems, fit), share = over(fit, over(blocks, tiles));
    b.of_tile = static_cast<int>(fit);
    b.of_part = static_cast<int>(share);
    b.parts = tiles * over(fit, share);
    return LAUNCH((solve_tiles<T>), static_cast<unsigned>(b.parts < blocks ? b.parts : blocks),
                  static_cast<unsigned>(threads), shared_bytes<T>(threads, fit), stream, b);
}

int64_t tridiagonal_batch_longest(char type)
{
    struct machine m;
    if (look(&m) != cudaSuccess)
        return 0;
    switch (type) {
    case 's':
        return rows_of<float>(threads_most<float>(&m));
    case 'd':
        return rows_of<double>(threads_most<double>(&m));
    case 'c':
        return rows_of<complex_of<float>>(threads_most<complex_of<float>>(&m));
    case 'z':
        return rows_of<complex_of<double>>(threads_most<complex_of<double>>(&m));
    default:
        return 0;
    }
}

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    const void *arrays[] = {b->sub, b->diag, b->super, b->rhs, b->x};
    if (size_of_word(b->type) == 0 || b->n < 0 || b->batch < 0 || b->n > INT32_MAX ||
        (b->n > 0 && b->batch > INT64_MAX / 16 / b->n))
        return cudaErrorInvalidValue;
    if (b->n == 0 || b->batch == 0)
        return b->status && b->batch > 0
                   ? cudaMemsetAsync(b->status, 0,
                                     static_cast<size_t>(b->batch) * sizeof *b->status, stream)
                   : cudaSuccess;
    for (const void *array : arrays)
        if (!array || reinterpret_cast<uintptr_t>(array) % size_of_word(b->type) != 0)
            return cudaErrorInvalidValue;
    switch (b->type) {
    case 's':
        return solve<float>(b, stream);
    case 'd':
        return solve<double>(b, stream);
    case 'c':
        return solve<complex_of<float>>(b, stream);
    default:
        return solve<complex_of<double>>(b, stream);
    }
}
