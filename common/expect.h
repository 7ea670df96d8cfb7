/* A test in one line: EXPECT(condition, "what, with %d values", …). A false condition is counted
 * and printed with file and line; a comparison with NaN is false. expect_done() prints "N passed, N
 * failed" and returns the exit status. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The counts of all files of the program together. */
extern int expect_passed, expect_failed;

/* Prints "N passed, N failed". Returns 0, or 1 if a condition was false or none was tested. */
int expect_done(void);
#ifdef __cplusplus
}
#endif

/* The sanitizers make every memory access about thirty times slower. Tests built with them take
 * fewer steps and no large n, and leave out tests of accuracy, whose accesses other tests make as
 * well. */
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

/* A pointer that a call takes: where it is stored (a variable, a member of a struct), and its
 * required alignment. */
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

/* After `change`, an assignment to a member of `object`, `call` must return cudaErrorInvalidValue.
 * The object is restored. */
#define EXPECT_REFUSED(object, change, call)                                                       \
    do {                                                                                           \
        const auto good_ = (object);                                                               \
        change;                                                                                    \
        EXPECT((call) == cudaErrorInvalidValue, "%s", #change);                                    \
        (object) = good_;                                                                          \
    } while (0)

/* `call` must return `refused` when any one of `pointers`, an array of the struct above, is NULL or
 * half its alignment off. */
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
