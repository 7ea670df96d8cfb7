/* Tests of lanes.h: transposed squares, and flushing subnormal numbers to zero. */
#include "expect.h"
#include "lanes.h"

#include <float.h>
#include <string.h>

enum { STRIDE_MOST = 3 * LANES_s + 1, ELEMENTS = 1 + LANES_s * STRIDE_MOST + LANES_s };

/* Squares with every distance of the rows (stride), aligned and not. Lane k of vector i gets column
 * i of row k; a store writes the elements of its square and no others. */
#define CHECK_SQUARES(t, REAL)                                                                     \
    static void check_squares_##t(void)                                                            \
    {                                                                                              \
        enum { W = LANES_##t };                                                                    \
        static REAL a[ELEMENTS], back[ELEMENTS];                                                   \
        lanes_vec_##t m[W];                                                                        \
        for (int i = 0; i < ELEMENTS; i++)                                                         \
            a[i] = (REAL)i;                                                                        \
        for (int stride = W; stride <= STRIDE_MOST; stride++)                                      \
            for (int at = 0; at < 2; at++) {                                                       \
                lanes_load_square_##t(a + at, stride, m);                                          \
                int wrong = 0;                                                                     \
                for (int i = 0; i < W; i++)                                                        \
                    for (int k = 0; k < W; k++)                                                    \
                        wrong += m[i][k] != a[at + k * stride + i];                                \
                EXPECT(wrong == 0, #REAL ", stride %d from %d: %d of %d elements are elsewhere",   \
                       stride, at, wrong, W * W);                                                  \
                memset(back, 0xff, sizeof back);                                                   \
                lanes_store_square_##t(back + at, stride, m);                                      \
                wrong = 0;                                                                         \
                for (int i = 0; i < ELEMENTS; i++) {                                               \
                    int inside = i - at;                                                           \
                    if (inside >= 0 && inside / stride < W && inside % stride < W)                 \
                        wrong += back[i] != a[i];                                                  \
                    else                                                                           \
                        wrong += back[i] == back[i]; /* not NaN: overwritten */                    \
                }                                                                                  \
                EXPECT(wrong == 0, #REAL ", stride %d from %d: %d elements stored wrong", stride,  \
                       at, wrong);                                                                 \
            }                                                                                      \
    }
CHECK_SQUARES(s, float)
CHECK_SQUARES(d, double)

/* Between lanes_begin and lanes_end a subnormal result becomes 0, if the processor can do that. */
static void check_state(void)
{
    volatile float least = FLT_MIN, half;
    unsigned before = lanes_begin();
    half = least * 0.5f;
#ifdef __SSE__
    EXPECT(half == 0, "inside: %g", (double)half);
#endif
    lanes_end(before);
    half = least * 0.5f;
    EXPECT(half > 0, "after lanes_end subnormal numbers are %g", (double)half);
}

int main(void)
{
    check_squares_s();
    check_squares_d();
    check_state();
    return expect_done();
}
