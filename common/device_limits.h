/* For tests: the environment variable DEVICE_LIMITS makes a device look smaller (README.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* 0: the device itself sets the limit. */
struct device_limits {
    int shared;          /* maximum bytes of shared memory of a block */
    int multiprocessors; /* maximum number; the CPU device has exactly this number */
    int threads;         /* maximum resident threads of one multiprocessor */
    int carveout;        /* percent of the shared memory that a GPU takes from L1; CPU: no effect */
    bool plain;          /* true: the CPU device has no bulk copies; no effect on a GPU */
    bool wrong;          /* true: the text is not valid, and nothing is limited */
};
#define DEVICE_LIMITS_ALLOWED                                                                      \
    "some of t4, rtx4090, a100, shared=BYTES, multiprocessors=COUNT, threads=COUNT, "              \
    "carveout=PERCENT with commas between them, of at least 65536 bytes a block and 1024 threads " \
    "a multiprocessor"

/* Reads a value such as "a100,shared=65536"; later items override earlier ones. NULL: no limits. */
static inline struct device_limits device_limits_read(const char *text)
{
    static const struct {
        const char *name;
        struct device_limits limits;
    } known[] = {{"t4", {64 * 1024, 40, 1024, 0, true, false}},
                 {"rtx4090", {99 * 1024, 128, 1536, 0, true, false}},
                 {"a100", {163 * 1024, 108, 2048, 0, true, false}}};
    static const struct {
        const char *name;
        long least;
    } keys[] = {
        {"shared=", 64 * 1024}, {"multiprocessors=", 1}, {"threads=", 1024}, {"carveout=", 1}};
    const struct device_limits none = {0, 0, 0, 0, false, false}, wrong = {0, 0, 0, 0, false, true};
    struct device_limits l = none;
    int *const values[] = {&l.shared, &l.multiprocessors, &l.threads, &l.carveout};
    if (!text)
        return none;
    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0, k = 0;
        while (i < 3 && (length != strlen(known[i].name) || strncmp(text, known[i].name, length)))
            i++;
        while (k < 4 && strncmp(text, keys[k].name, strlen(keys[k].name)))
            k++;
        if (i < 3)
            l = known[i].limits;
        else if (k < 4) {
            char *end;
            const char *digits = text + strlen(keys[k].name);
            long value = strtol(digits, &end, 10);
            if (*digits < '0' || *digits > '9' || end != text + length || value < keys[k].least ||
                value > 1 << 30)
                return wrong;
            *values[k] = (int)value;
        } else
            return wrong;
        text += length;
        if (*text == 0)
            return l;
    }
}
/* The most blocks of a cooperative launch, which are all resident at once. A multiprocessor holds
 * at most 16 blocks; its shared memory is 1 KiB more than the largest block may use, and the system
 * reserves 1 KiB for each block. */
static inline long device_limits_blocks(const struct device_limits *l, long threads,
                                        size_t shared_bytes)
{
    long each = 16, by_threads = l->threads / ((threads + 31) / 32 * 32),
         by_shared = (long)(((size_t)l->shared + 1024) / (shared_bytes + 1024));
    if (l->threads > 0 && each > by_threads)
        each = by_threads;
    if (l->shared > 0 && each > by_shared)
        each = by_shared;
    return each * l->multiprocessors;
}
