/* Messages between the blocks of a kernel, in global memory.
 *
 * A table has a value of type V for each tile. A value is sent as 64-bit words, each with 32 bits
 * of payload, a 31-bit call counter and a flag, and is current when all its words carry the counter
 * of this call. So no fences or clearing are needed. Words are stored and loaded in pairs (16
 * bytes, one access). The pairs of one value are `tiles` pairs apart, so a warp that reads the
 * values of 32 consecutive tiles reads neighbouring pairs. */
#pragma once

#include "device_async.h"

#include <string.h>

/* The flag of a message, beside the call counter. It is the head flag of a map. */
enum : unsigned { MESSAGE_FLAG = 1u << 31 };

/* The number of 64-bit words of a value. */
template <class V> static __host__ __device__ constexpr int64_t message_words(void)
{
    return sizeof(V) / 4;
}
template <class V>
static __device__ inline void publish(uint64_t *table, int64_t tiles, int64_t tile, V value,
                                      unsigned call, bool flag = false)
{
    constexpr int words = message_words<V>();
    const uint64_t upper = (uint64_t)(flag ? call | MESSAGE_FLAG : call) << 32;
    unsigned half[words];
    uint64_t word[words];
    memcpy(half, &value, sizeof(V));
    for (int k = 0; k < words; k++)
        word[k] = upper | half[k];
    if constexpr (words == 1)
        store_relaxed(table + tile, word);
    else
        for (int k = 0; k < words; k += 2)
            store_relaxed_pair(table + 2 * tile + k * tiles, word + k);
}
/* Loads the words of a tile's value, current or stale. is_current() is separate, so that a thread
 * can have many loads in flight before it tests the first one. */
template <class V>
static __device__ inline void load_message(const uint64_t *table, int64_t tiles, int64_t tile,
                                           uint64_t *word)
{
    constexpr int words = message_words<V>();
    if constexpr (words == 1)
        load_relaxed(table + tile, word);
    else
        for (int k = 0; k < words; k += 2)
            load_relaxed_pair(table + 2 * tile + k * tiles, word + k);
}
/* Unpacks the value. True if all its words are from this call. */
template <class V>
static __device__ inline bool is_current(const uint64_t *word, V *value, unsigned call)
{
    constexpr int words = message_words<V>();
    unsigned half[words];
    bool all = true;
    for (int k = 0; k < words; k++) {
        half[k] = (unsigned)word[k];
        all = all && (word[k] >> 32 & ~MESSAGE_FLAG) == call;
    }
    memcpy((void *)value, half, sizeof(V));
    return all;
}
static __device__ inline bool flag_of(const uint64_t *word)
{
    return (word[0] >> 32 & MESSAGE_FLAG) != 0;
}
template <class V>
static __device__ inline V wait_message(const uint64_t *table, int64_t tiles, int64_t tile,
                                        unsigned call, bool *flag = NULL)
{
    uint64_t word[message_words<V>()];
    V value;
    for (;;) {
        load_message<V>(table, tiles, tile, word);
        if (is_current(word, &value, call)) {
            if (flag)
                *flag = flag_of(word);
            return value;
        }
        device_pause();
    }
}
