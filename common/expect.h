/* A test in one line: EXPECT(condition, "what, with %d values", …). A false condition (so also a
 * NaN in a comparison) is counted and printed with its place; expect_done() prints "N passed, N
 * failed" and gives the exit status. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

static int expect_passed, expect_failed;

/* The sanitizers look at accesses, which repeat, and make each some thirty times slower: there fewer steps, no large n, and
 * nothing that is about accuracy alone. */
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

static inline int expect_done(void)
{
    printf("%d passed, %d failed\n", expect_passed, expect_failed);
    return expect_failed > 0 || expect_passed == 0;
}

#endif
