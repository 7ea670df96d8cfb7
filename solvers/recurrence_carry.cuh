/* The carry of a tile is the value of the element before it; finding the carries is the propagation
 * of W13 eq. 4. Each tile publishes its map (message.cuh), and its carry follows from the maps of
 * all earlier tiles, in one of two ways:
 *
 *     LOOKBACK     Each tile reads the maps of all earlier tiles and composes them itself. There is
 *                  one exchange of messages, but the number of messages read grows with the square
 *                  of the number of tiles. So there may be at most 256 tiles.
 *     CARRY_WARP   One warp, in the block of tile 0, reads the maps of all tiles in order and
 *                  publishes the value before each tile. There are two exchanges, but each message
 *                  is read once.
 *
 * In a chained scan each tile waits for the value of its predecessor, so the latencies of all
 * messages add up. CARRY_WARP is such a scan, but its chain stays in the registers of one warp. In
 * the decoupled look-back of Merrill and Garland a tile composes the maps of its predecessors
 * backwards, until it finds a tile that has published its value. LOOKBACK always goes back to tile
 * 0, so the order of operations, and with it every bit, is the same on every run. */
#pragma once

#include "recurrence_tile.cuh"

#include "message.cuh"

enum { OCTET = 8 };

/* Carries *x over up to 32 tiles, one per lane. The four octets (eight lanes each) are scanned in
 * three steps at the same time; then *x is passed from octet to octet, but only over those before
 * lane `whole`, whose maps have all arrived. Returns the value before the lane's tile, which is
 * valid if the maps of all tiles before it have arrived. */
template <class T>
static __device__ inline T scan_octets(map<T> mine, unsigned heads, int whole, int lane, T *x)
{
    int first = lane / OCTET * OCTET, from = last_lane(heads & (0xffffffffu >> (WARP - 1 - lane)));
    if (from < first)
        from = first;
    for (int h = 1; h < OCTET; h *= 2) {
        map<T> before = from_lane(mine, lane - h < first ? lane : lane - h);
        if (lane - h >= from)
            mine = compose(before, mine);
    }
    T into = *x;
    UNROLL()
    for (int octet = 0; octet < WARP; octet += OCTET) {
        map<T> all = from_lane(mine, octet + OCTET - 1);
        if (lane >= octet)
            into = *x;
        if (octet < whole)
            *x = apply(all, (heads >> octet & 0xff) != 0, *x);
    }
    map<T> before = from_lane(mine, lane > 0 ? lane - 1 : 0);
    bool head = (heads & ((1u << lane) - 1) & ~((1u << first) - 1)) != 0;
    return lane == first ? into : apply(before, head, into);
}

/* The carry warp loads the maps of 64 tiles at a time (32 if 64 do not fit into registers), because
 * during the latency of one load the memory delivers the elements of about 35 tiles. It publishes
 * the value before a tile as soon as the maps of all earlier tiles have arrived. If it waited for
 * later tiles, there could be a deadlock (see recurrence.cu). */
template <class S>
static __device__ inline void carry_warp(const pass<S> &p, unsigned call, int lane)
{
    typedef computed<S> T;
    constexpr int ROUNDS = sizeof(T) > 8 ? 1 : 2;
    T x = zero_of(T());
    /* x is the value before tile `tile`. The carries of all tiles below `given` are published. */
    for (int64_t tile = 0, given = 0; tile < p.tiles;) {
        uint64_t messages[ROUNDS][message_words<map<T>>()];
        UNROLL()
        for (int r = 0; r < ROUNDS; r++) {
            int64_t other = tile + r * WARP + lane, last = p.tiles - 1;
            load_message<map<T>>(p.maps, p.tiles, other < last ? other : last, messages[r]);
        }
        int64_t from = tile;
        bool pause = true;
        UNROLL()
        for (int r = 0; r < ROUNDS; r++) {
            if (tile < from + r * WARP)
                break;
            int64_t other = tile + lane;
            map<T> m;
            bool current = is_current(messages[r], &m, call), head = flag_of(messages[r]);
            if (other >= p.tiles) {
                current = true;
                head = false;
                m = identity<T>();
            }
            unsigned missing = ~__ballot_sync(ALL_LANES, current);
            unsigned heads = __ballot_sync(ALL_LANES, head);
            int ready = missing ? __ffs((int)missing) - 1 : WARP;
            if (tile + ready < given)
                break;
            T carry = scan_octets(m, heads, ready / OCTET * OCTET, lane, &x);
            if (lane <= ready && other >= given && other < p.tiles)
                publish(p.carries, p.tiles, other, carry, call);
            given = tile + (ready < WARP ? ready + 1 : WARP);
            tile += ready / OCTET * OCTET;
            pause = false;
        }
        if (pause)
            device_pause();
    }
}

/* Look-back of one tile. Warp k of the group composes the maps of the tiles 32 k..32 k + 31 that
 * are before this tile, and writes the result to shared memory. */
template <class S>
static __device__ inline void look_back(const pass<S> &p, shared_storage<computed<S>> *shared,
                                        int group, int64_t tile, unsigned call, int warp, int lane)
{
    typedef map<computed<S>> M;
    int64_t other = warp * WARP + lane;
    M m = identity<computed<S>>();
    bool head = false;
    if (other < tile)
        m = wait_message<M>(p.maps, p.tiles, other, call, &head);
    __syncwarp();
    unsigned heads = __ballot_sync(ALL_LANES, head);
    m = reduce_warp(m, heads, lane);
    if (lane == 0) {
        shared->lookback[group][warp] = m;
        shared->lookback_head[group][warp] = heads != 0;
    }
}
