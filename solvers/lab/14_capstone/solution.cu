/* Lab 14, a solution; kernel.cu says what the kernel must do.
 *
 * once, bytes, requests: a thread keeps s and t of its rows in registers from load to store, four
 * neighbours at a time. messages: a tile has 4096 rows, so there are few. steps: a warp has four
 * pieces and each tile its block. barriers: warps scan by shuffles and meet three times, for the
 * ticket, the maps and the carries; so there is no walk in shared memory, and lane j uses element
 * j: no conflicts. onepass: blocks hand on carries inside the launch. Next: a block of
 * solvers/recurrence.cu has three tiles in shared memory and loads one while it computes another;
 * there a message needs no flag. */
#include "given.cuh"

enum { WARP = 32, WARPS = 8, PIECES = 4, EACH = 4 };
enum { PIECE = WARP * EACH, TILE = WARPS * PIECES * PIECE };
enum { MAP = 1, CARRY = 2 }; /* flags: what of a tile is in the workspace */
static const unsigned ALL_LANES = 0xffffffff;
static_assert(WARPS * PIECES == WARP, "lane j of one warp has the map of piece j");

struct map {
    float a, b;
};
static __device__ map compose(map first, map second)
{
    return {second.a * first.a, second.a * first.b + second.b};
}
static __device__ float apply(map m, float x)
{
    return m.a * x + m.b;
}

/* Rows i to i + 3; behind the last row `missing`. */
static __device__ four load(const float *x, int64_t i, int64_t n, float missing)
{
    four rows;
    if (i + EACH <= n)
        rows = ((const four *)x)[i / EACH];
    else
        for (int k = 0; k < EACH; k++)
            rows.at[k] = i + k < n ? x[i + k] : missing;
    return rows;
}
static __device__ void store(float *x, int64_t i, int64_t n, four rows)
{
    if (i + EACH <= n)
        ((four *)x)[i / EACH] = rows;
    else
        for (int k = 0; k < EACH && i + k < n; k++)
            x[i + k] = rows.at[k];
}

/* Lab 10: the maps of the lanes up to this one. */
static __device__ map scan_warp(map mine, int lane)
{
    for (int h = 1; h < WARP; h *= 2) {
        float a = __shfl_up_sync(ALL_LANES, mine.a, h), b = __shfl_up_sync(ALL_LANES, mine.b, h);
        if (lane >= h)
            mine = compose({a, b}, mine);
    }
    return mine;
}
/* The map of the lanes before this one, from scan_warp. */
static __device__ map before_lane(map scanned, int lane)
{
    float a = __shfl_up_sync(ALL_LANES, scanned.a, 1), b = __shfl_up_sync(ALL_LANES, scanned.b, 1);
    return {lane > 0 ? a : 1, lane > 0 ? b : 0};
}
static __device__ map last_lane(map m)
{
    return {__shfl_sync(ALL_LANES, m.a, WARP - 1), __shfl_sync(ALL_LANES, m.b, WARP - 1)};
}

/* Returns the value before the tile. One warp looks at the 32 tiles before it, then at the 32
 * before those, …, until one of them has its carry. A carry is a map that ignores x. */
static __device__ float look_back(int tile, int lane, float w0, struct workspace space)
{
    map behind = {1, 0}; /* of the tiles already looked at */
    for (int at = tile - WARP + lane;; at -= WARP) {
        int flag = CARRY;
        map m = {0, w0}; /* tiles in front of tile 0 */
        if (at >= 0) {
            while ((flag = load_acquire(&space.flags[at])) == 0)
                device_pause();
            if (flag == CARRY)
                m.b = space.carries[at];
            else
                m = {space.a[at], space.b[at]};
        }
        behind = compose(last_lane(scan_warp(m, lane)), behind);
        if (__any_sync(ALL_LANES, flag == CARRY))
            return behind.b;
    }
}

/* Called by one warp, whose lane j has the map of piece j. Returns the value before that piece. */
static __device__ float join(int tile, map piece, int lane, float w0, struct workspace space)
{
    map scanned = scan_warp(piece, lane);
    if (lane == WARP - 1 && tile > 0) {
        space.a[tile] = scanned.a;
        space.b[tile] = scanned.b;
        store_release(&space.flags[tile], MAP);
    }
    float x = look_back(tile, lane, w0, space);
    if (lane == WARP - 1) {
        space.carries[tile] = apply(scanned, x);
        store_release(&space.flags[tile], CARRY);
    }
    return apply(before_lane(scanned, lane), x);
}

static __global__ void solve(int64_t n, float w0, const float *s, const float *t, float *w,
                             struct workspace space)
{
    __shared__ int tile;
    __shared__ float total_a[WARP], total_b[WARP], carry[WARP];
    int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    if (threadIdx.x == 0)
        tile = atomicAdd(space.next, 1);
    __syncthreads();
    int piece = warp * PIECES; /* the warp's first one */
    int64_t i = (int64_t)tile * TILE + piece * PIECE + lane * EACH;
    four s_of[PIECES], t_of[PIECES];
    map before[PIECES]; /* the rows of the piece before this thread's */
    UNROLL()
    for (int p = 0; p < PIECES; p++) {
        four of_s = load(s, i + p * PIECE, n, 1), of_t = load(t, i + p * PIECE, n, 0);
        s_of[p] = of_s;
        t_of[p] = of_t;
    }
    UNROLL()
    for (int p = 0; p < PIECES; p++) {
        map mine = {1, 0};
        for (int k = 0; k < EACH; k++)
            mine = compose(mine, {s_of[p].at[k], t_of[p].at[k]});
        mine = scan_warp(mine, lane);
        map others = before_lane(mine, lane);
        before[p] = others;
        if (lane == WARP - 1) {
            total_a[piece + p] = mine.a;
            total_b[piece + p] = mine.b;
        }
    }
    __syncthreads();
    if (warp == 0)
        carry[lane] = join(tile, {total_a[lane], total_b[lane]}, lane, w0, space);
    __syncthreads();
    UNROLL()
    for (int p = 0; p < PIECES; p++) {
        map others = before[p];
        float x = apply(others, carry[piece + p]);
        for (int k = 0; k < EACH; k++)
            t_of[p].at[k] = x = s_of[p].at[k] * x + t_of[p].at[k];
        four of_w = t_of[p];
        store(w, i + p * PIECE, n, of_w);
    }
}

cudaError_t run_solve(int64_t n, float w0, const float *s, const float *t, float *w,
                      struct workspace space)
{
    int64_t tiles = (n + TILE - 1) / TILE;
    return LAUNCH(solve, (unsigned)tiles, WARPS * WARP, 0, 0, n, w0, s, t, w, space);
}
