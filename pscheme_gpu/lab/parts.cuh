/* What labs 2 to 5 share. */
#include "device.h"

/* The number of rows of a part: m, or fewer in the last parts. */
static __device__ int64_t rows_of(int64_t n, int64_t m, int64_t part)
{
    int64_t left = n - part * m;
    return left < 0 ? 0 : left < m ? left : m;
}
