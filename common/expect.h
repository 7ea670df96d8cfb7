/* A test in one line: EXPECT(condition, "what, with %d values", …). A false condition (so also a
 * NaN in a comparison) is counted and printed with its place; expect_done() prints "N passed, N
 * failed" and gives the exit status. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Of all files of the program together. */
extern int expect_passed, expect_failed;

/* Prints "N passed, N failed". 0, or 1 if an expectation failed or there was none. */
int expect_done(void);
#ifdef __cplusplus
}
#endif

/* The sanitizers make every access some thirty times slower. A test that is built with them takes
 * fewer steps, no large n, and leaves out what is about accuracy alone: accesses repeat. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (condition) {                                                                           \
            expect_passed++;                                                                       \
        } else {                                                                                   \
            expect_failed++;                                                                       \
            fprintf(stderr, "%s:%d: not (%s): ", __FILE__, __LINE__, #condition);                  \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* A pointer that a call is given, where it stands (a variable, a member of a struct), and what it
 * must be a multiple of. */
struct expect_pointer {
    const char *name;
    void *at;
    size_t alignment;
    int may_be_null;
};
static inline struct expect_pointer expect_pointer_at(const char *name, void *at, size_t alignment,
                                                      int may_be_null)
{
    struct expect_pointer pointer = {name, at, alignment, may_be_null};
    return pointer;
}
#define EXPECT_POINTER(pointer, alignment) expect_pointer_at(#pointer, &(pointer), alignment, 0)
#define EXPECT_POINTER_OR_NULL(pointer, alignment)                                                 \
    expect_pointer_at(#pointer, &(pointer), alignment, 1)

static inline void *expect_exchange(void *at, void *pointer)
{
    void *before;
    memcpy(&before, at, sizeof before);
    memcpy(at, &pointer, sizeof pointer);
    return before;
}

/* `change` applied to `object`, a struct, must make `call` return cudaErrorInvalidValue. The object
 * is then as it was. */
#define EXPECT_REFUSED(object, change, call)                                                       \
    do {                                                                                           \
        const auto good_ = (object);                                                               \
        change;                                                                                    \
        EXPECT((call) == cudaErrorInvalidValue, "%s", #change);                                    \
        (object) = good_;                                                                          \
    } while (0)

/* `call`, an expression, must be `refused` when any one of `pointers`, an array of the above, is
 * NULL or half its alignment off. */
#define EXPECT_POINTERS(pointers, call, refused)                                                   \
    for (size_t k_ = 0; k_ < sizeof(pointers) / sizeof *(pointers); k_++) {                        \
        const struct expect_pointer *p_ = (pointers) + k_;                                         \
        void *good_ = expect_exchange(p_->at, NULL);                                               \
        if (!p_->may_be_null)                                                                      \
            EXPECT((call) == (refused), "%s is NULL", p_->name);                                   \
        expect_exchange(p_->at, (char *)good_ + p_->alignment / 2);                                \
        EXPECT((call) == (refused), "%s is not aligned", p_->name);                                \
        expect_exchange(p_->at, good_);                                                            \
    }

#endif
