/* A test in one line: EXPECT(condition, "what, with %d values", …). A false condition (so also a
 * NaN in a comparison) is counted and printed with its place; expect_done() prints "N passed, N
 * failed" and gives the exit status. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

static int expect_passed, expect_failed;

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
