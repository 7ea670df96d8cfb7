/* EXPECT(condition, "what, with %d values", …) counts a test, and prints it if the condition is
 * false. A comparison with NaN is false. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* How many conditions were true and false, in all source files of a program. */
extern int expect_passed, expect_failed;

/* Whether tests take fewer steps and no large n: with sanitizers, and after expect_few_tests().
 * They then leave out tests of accuracy if other tests make the same memory accesses. */
extern bool expect_few;

/* For --check --quick on the CPU device: expect_few, and one of seven similar tests. */
void expect_few_tests(void);

/* Whether to leave out a test that is repeated with other sizes, types and modes. `turns` counts
 * the tests of this kind; the first of them is never left out. */
bool expect_skips(int *turns);

/* Says what is being tested, such as a type and a size. EXPECT prints it before its own text. */
extern char expect_case_text[256];
void expect_case(const char *format, ...);

/* Prints "N passed, N failed". Returns 0, or 1 if a condition was false or none was tested. */
int expect_done(void);
#ifdef __cplusplus
}
#endif

/* 1 in tests built with sanitizers, which make every memory access about thirty times slower. */
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
            fprintf(stderr, "%s:%d: not (%s): %s", __FILE__, __LINE__, #condition,                 \
                    expect_case_text);                                                             \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* A pointer that a call takes: the address of the variable that holds it, and its alignment. */
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

/* Stores `pointer` in the variable at address `at`. Returns the pointer that was there before. */
static inline void *expect_exchange(void *at, void *pointer)
{
    void *before;
    memcpy(&before, at, sizeof before);
    memcpy(at, &pointer, sizeof pointer);
    return before;
}

/* Expects cudaErrorInvalidValue of `call` after `change`, an assignment, which is undone. */
#define EXPECT_REFUSED(object, change, call)                                                       \
    do {                                                                                           \
        const auto good_ = (object);                                                               \
        change;                                                                                    \
        EXPECT((call) == cudaErrorInvalidValue, "%s", #change);                                    \
        (object) = good_;                                                                          \
    } while (0)

/* Sets each pointer of an array to NULL, then moves it by half its alignment. Each time `call` must
 * return `refused`. */
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
