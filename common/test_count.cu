/* Tests of the count build: its counts must equal numbers worked out by hand. A case is a kernel
 * and the rows that it must give in the CSV file of counts, without launch, kernel and arguments. A
 * source line is given by its distance from KERNEL(name, ...): "+3" is the third line below it. The
 * counts are written when a program exits, so the test runs itself again for every case. It
 * compares all rows but those of local memory, which depend on the compiler. A word is 4 bytes.
 *
 * The numbers of a row: width in bytes; requests, one per warp and instruction; their lanes;
 * 32-byte sectors; the least sectors that could hold these bytes; 128-byte lines; wavefronts and
 * bank conflicts of shared memory; and on a C1060 the half-warps, segments, and bytes in segments.
 */
#include "device_async.h"
#include "expect.h"
#include "cpu_device/count.h"

#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static struct test {
    const char *name;
    void (*run)();
    int at;
    const char *rows;   /* the rows of counts that the case must give; NULL: not compared */
    const char *errors; /* what the case must print on stderr */
} tests[100];
static int test_count;

static int add(const struct test &test)
{
    tests[test_count] = test;
    return test_count++;
}

/* `kernel`: that from which source lines are counted. */
#define CASE(name, kernel, rows, errors)                                                           \
    static void name();                                                                            \
    [[maybe_unused]] static const int name##_added =                                               \
        add({#name, name, kernel##_at, rows, errors});                                             \
    static void name()
#define COUNTS(name, kernel, rows, ...)                                                            \
    CASE(name, kernel, rows, "")                                                                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define FAULTS(name, kernel, errors, ...)                                                          \
    CASE(name, kernel, NULL, errors)                                                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define KERNEL(name, ...)                                                                          \
    enum { name##_at = __LINE__ };                                                                 \
    static __global__ void name(__VA_ARGS__)

#define RACE(kernel, memory, first, second, threads)                                               \
    "count: kernel " kernel ": a race in " memory " memory, no barrier between " first             \
    " and " second ": " threads "\n"
#define BETWEEN_BLOCKS(kernel, first, second)                                                      \
    "count: kernel " kernel ": a race between blocks in global memory: " first ", " second         \
    ", and on a GPU the second may come first\n"
#define UNWRITTEN(kernel, at, thread)                                                              \
    "count: kernel " kernel ": shared memory is read before it is written: " at ", thread " thread \
    "\n"

/* `in` and `out` begin at the start of a 128-byte line. */
enum { WORDS_OF_MEMORY = 1 << 16 };
static float *in, *out;

#define RUN(kernel, blocks, threads, shared, ...)                                                  \
    CHECK(LAUNCH(kernel, blocks, threads, shared, 0, __VA_ARGS__))

/* ---- global memory: how lanes lie ---- */

KERNEL(copy, const float *from, float *to, int stride)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float value = from[i * stride];
    to[i] = value;
}

/* A warp copies one word per lane, with different strides of the loads.
 *
 * 1: the 128 bytes are 4 sectors and 1 line; the 64 bytes of a half-warp are one segment.
 * 2: the words of a half-warp lie in one segment of 128 bytes.
 * 32: each lane needs a line of its own, and on a C1060 a segment of 32 bytes of its own.
 * 1, misaligned: bytes 4 to 131. The first half-warp reads bytes 4 to 67, which need a whole
 * segment of 128 bytes; the second needs the upper 64 bytes of that segment and 32 bytes of the
 * next one. 1, 20 lanes: 80 bytes are 3 sectors. One half-warp uses 64 bytes, the other 16. */
COUNTS(copies, copy,
       "+3,global,load,4,4,128,16,16,4,0,0,8,8,512\n"
       "+4,global,store,4,4,128,16,16,4,0,0,8,8,512\n"
       "+3,global,load,4,1,32,8,4,2,0,0,2,2,256\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+3,global,load,4,1,32,32,4,32,0,0,2,32,1024\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+3,global,load,4,1,32,1,1,1,0,0,2,2,64\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+3,global,load,4,1,32,5,4,2,0,0,2,3,224\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+3,global,load,4,1,20,3,3,1,0,0,2,2,96\n"
       "+4,global,store,4,1,20,3,3,1,0,0,2,2,96\n",
       RUN(copy, 2, 64, 0, in, out, 1);
       RUN(copy, 1, 32, 0, in, out, 2); RUN(copy, 1, 32, 0, in, out, 32);
       RUN(copy, 1, 32, 0, in, out, 0); RUN(copy, 1, 32, 0, in + 1, out, 1);
       RUN(copy, 1, 20, 0, in, out, 1))

/* A lane copies 16 bytes: 512 bytes are 16 sectors and 4 lines. */
KERNEL(vectors, const float4 *from, float4 *to)
{
    float4 value = from[threadIdx.x];
    value.x += value.w;
    to[threadIdx.x] = make_float4(value.x, value.y, value.z, 0);
}
COUNTS(vector_types, vectors,
       "+2,global,load,16,1,32,16,16,4,0,0,2,4,512\n"
       "+4,global,store,16,1,32,16,16,4,0,0,2,4,512\n",
       RUN(vectors, 1, 32, 0, (const float4 *)in, (float4 *)out))

KERNEL(two_halves, float *to)
{
    if (threadIdx.x < 16)
        to[threadIdx.x] = 1;
    else
        to[threadIdx.x] = 2;
}
COUNTS(halves, two_halves,
       "+3,global,store,4,1,16,2,2,1,0,0,1,1,64\n"
       "+5,global,store,4,1,16,2,2,1,0,0,1,1,64\n",
       RUN(two_halves, 1, 32, 0, out))

/* In round k = 1 to 31 the lanes k to 31 read the words k to 31 of a line: 31 + 30 + ... + 1 = 496
 * lanes. A round needs 4 sectors while k < 8 (7 rounds), then 3, 2 and 1 (8 rounds each): 76. The
 * lower half-warp is active in rounds 1 to 15, with segments of 64 bytes while k < 8, then 32: 7 *
 * 64 + 8 * 32 = 704. The upper one is active in all rounds, with 64 bytes while k < 24, then 32: 23
 * * 64 + 8 * 32 = 1728. */
KERNEL(trips, const float *from, float *to)
{
    float sum = 0;
    for (unsigned i = 0; i < threadIdx.x; i++)
        sum += from[i * 32 + threadIdx.x];
    to[threadIdx.x] = sum;
}
COUNTS(triangle, trips,
       "+4,global,load,4,31,496,76,76,31,0,0,46,46,2432\n"
       "+5,global,store,4,1,32,4,4,1,0,0,2,2,128\n",
       RUN(trips, 1, 32, 0, in, out))

/* Consecutive lanes have consecutive threadIdx.x. In the store by columns a warp writes 4 words in
 * each of 8 sectors in 2 lines, a half-warp 2 words in each of them, in 2 segments of 128 bytes. */
KERNEL(rows_and_columns, float *to)
{
    to[threadIdx.x + 8 * threadIdx.y] = 1;
    to[64 + threadIdx.y + 8 * threadIdx.x] = 1;
}
COUNTS(plane, rows_and_columns,
       "+2,global,store,4,2,64,8,8,2,0,0,4,4,256\n"
       "+3,global,store,4,2,64,16,8,4,0,0,4,8,1024\n",
       RUN(rows_and_columns, 1, dim3(8, 8), 0, out))

/* Two halves of a warp call a function from two places: two requests of 16 lanes, counted in one
 * row, that of the store's source line. */
static __device__ void put(float *to, float value)
{
    to[threadIdx.x] = value;
}
KERNEL(calls_twice, float *to)
{
    if (threadIdx.x < 16)
        put(to, 1);
    else
        put(to, 2);
}
COUNTS(helper, calls_twice, "-2,global,store,4,2,32,4,4,2,0,0,2,2,128\n",
       RUN(calls_twice, 1, 32, 0, out))

/* 16 lanes make 40 nested calls, more than the count build can distinguish (DEPTH_MOST). After
 * them all 32 lanes of the warp must make common requests again. */
static __device__ void dig(float *to, int depth)
{
    if (depth > 1)
        dig(to, depth - 1);
    to[32 * depth + (int)threadIdx.x] = 1;
}
KERNEL(digs, float *to)
{
    if (threadIdx.x < 16)
        dig(to, 40);
    to[threadIdx.x] = 1;
}
COUNTS(deep, digs,
       "-2,global,store,4,40,640,80,80,40,0,0,40,40,2560\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n",
       RUN(digs, 1, 32, 0, out))

/* A C1060's segments have at most 32 bytes for elements of 1 byte, and 64 for elements of 2 bytes.
 * A half-warp that writes every fourth element spans 61 or 122 bytes: two segments each. */
KERNEL(set_small_words, unsigned short *two, unsigned char *one)
{
    two[4 * threadIdx.x] = 1;
    one[4 * threadIdx.x] = 1;
}
COUNTS(small_words, set_small_words,
       "+2,global,store,2,1,32,8,2,2,0,0,2,4,256\n"
       "+3,global,store,1,1,32,4,1,1,0,0,2,4,128\n",
       RUN(set_small_words, 1, 32, 0, (unsigned short *)out, (unsigned char *)(out + 1024)))

/* ---- shared memory: banks ---- */

/* In a 32 x 32 tile all elements of a column lie in one bank, with one word of padding per row in
 * 32 banks. */
KERNEL(columns, float *to)
{
    __shared__ float plain[32 * 32];
    __shared__ float padded[32 * 33];
    plain[threadIdx.x * 32] = 1;
    padded[threadIdx.x * 33] = 1;
    __syncthreads();
    float sum = plain[threadIdx.x * 32];
    sum += padded[threadIdx.x * 33];
    sum += plain[0];
    to[threadIdx.x] = sum;
}
COUNTS(tiles, columns,
       "+6,block,barrier,0,1,32,0,0,0,0,0,0,0,0\n"
       "+4,shared,store,4,1,32,0,0,0,32,31,0,0,0\n"
       "+5,shared,store,4,1,32,0,0,0,1,0,0,0,0\n"
       "+7,shared,load,4,1,32,0,0,0,32,31,0,0,0\n"
       "+8,shared,load,4,1,32,0,0,0,1,0,0,0,0\n"
       "+9,shared,load,4,1,32,0,0,0,1,0,0,0,0\n"
       "+10,global,store,4,1,32,4,4,1,0,0,2,2,128\n",
       RUN(columns, 1, 32, 0, out))

/* With stride 2, lanes k and k + 16 use the same bank. At the end each lane reads one byte: 4 lanes
 * read bytes of the same word, which is no conflict. */
KERNEL(strides, float *to)
{
    DYN_SHARED(float, s);
    unsigned char *bytes = (unsigned char *)s;
    s[2 * threadIdx.x] = 1;
    s[2 * threadIdx.x + 1] = 2;
    __syncthreads();
    to[threadIdx.x] = bytes[threadIdx.x];
}
COUNTS(banks, strides,
       "+6,block,barrier,0,1,32,0,0,0,0,0,0,0,0\n"
       "+4,shared,store,4,1,32,0,0,0,2,1,0,0,0\n"
       "+5,shared,store,4,1,32,0,0,0,2,1,0,0,0\n"
       "+7,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+7,shared,load,1,1,32,0,0,0,1,0,0,0,0\n",
       RUN(strides, 1, 32, 64 * sizeof(float), out))

/* ---- 8 and 16 bytes ---- */

struct alignas(16) four {
    FIELDS(four, float, a, b, c, d);
};

static __device__ four make_four(float x)
{
    return {x, x + 1, x + 2, x + 3};
}
static __device__ float sum_four(four f)
{
    return f.a + f.b + f.c + f.d;
}

/* Global memory: the 32 numbers of 8 or 16 bytes of a warp are 8 or 16 sectors, 2 or 4 lines.
 * Shared memory: half a warp's 16 * 8 bytes, or a quarter's 8 * 16, are spread over all banks; with
 * stride 2, lanes k and k + 8, or k and k + 4, share banks. */
enum { through_shared_at = __LINE__ };
template <class T> static __global__ void through_shared(const T *from, T *to)
{
    DYN_SHARED(T, s);
    T value = from[threadIdx.x];
    s[threadIdx.x] = value;
    s[32 + 2 * threadIdx.x] = value;
    to[2 * threadIdx.x] = value;
    to[64 + threadIdx.x] = s[threadIdx.x];
}
COUNTS(through, through_shared,
       "+4,global,load,8,1,32,8,8,2,0,0,2,2,256\n"
       "+5,shared,store,8,1,32,0,0,0,2,0,0,0,0\n"
       "+6,shared,store,8,1,32,0,0,0,4,2,0,0,0\n"
       "+7,global,store,8,1,32,16,8,4,0,0,2,4,512\n"
       "+8,global,store,8,1,32,8,8,2,0,0,2,2,256\n"
       "+8,shared,load,8,1,32,0,0,0,2,0,0,0,0\n"
       "+4,global,load,16,1,32,16,16,4,0,0,2,4,512\n"
       "+5,shared,store,16,1,32,0,0,0,4,0,0,0,0\n"
       "+6,shared,store,16,1,32,0,0,0,8,4,0,0,0\n"
       "+7,global,store,16,1,32,32,16,8,0,0,2,8,1024\n"
       "+8,global,store,16,1,32,16,16,4,0,0,2,4,512\n"
       "+8,shared,load,16,1,32,0,0,0,4,0,0,0,0\n",
       RUN(through_shared<double>, 1, 32, 96 * sizeof(double), (double *)in, (double *)out);
       RUN(through_shared<four>, 1, 32, 96 * sizeof(four), (four *)in, (four *)out))

/* Structs that functions return and take. Reads of one member use every fourth word. */
KERNEL(struct_values, const four *from, four *to, float *sums)
{
    to[threadIdx.x] = make_four(1);
    sums[threadIdx.x] = sum_four(from[threadIdx.x]);
    sums[32 + threadIdx.x] = from[threadIdx.x].c;
}
COUNTS(structs, struct_values,
       "+2,global,store,16,1,32,16,16,4,0,0,2,4,512\n"
       "+3,global,load,16,1,32,16,16,4,0,0,2,4,512\n"
       "+3,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+4,global,load,4,1,32,16,4,4,0,0,2,4,512\n"
       "+4,global,store,4,1,32,4,4,1,0,0,2,2,128\n",
       RUN(struct_values, 1, 32, 0, (four *)in, (four *)out, out + 4096))

/* A struct of three words is aligned to 4 bytes, so a copy is three requests with a stride of 3
 * words. Each touches all 12 sectors and 3 lines of the warp's 384 bytes. The 16 words of a
 * half-warp span 184 bytes, in the segments [0, 128) and [128, 192), or [192, 256) and [256, 384).
 */
struct three {
    FIELDS(three, float, a, b, c);
};
KERNEL(copy_threes, const three *from, three *to)
{
    three value = from[threadIdx.x];
    to[threadIdx.x] = value;
}
COUNTS(threes, copy_threes,
       "+2,global,load,4,3,96,36,12,9,0,0,6,12,1152\n"
       "+3,global,store,4,3,96,36,12,9,0,0,6,12,1152\n",
       RUN(copy_threes, 1, 32, 0, (three *)in, (three *)out))

/* ---- atomics, asynchronous copies, barriers ---- */

KERNEL(adds, int *to, float *floats)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(to, 1);
    atomicAdd(to + 64 + threadIdx.x, 1);
    atomicAdd(floats, 1);
    atomicMax(&s, (int)threadIdx.x);
}
COUNTS(atomics, adds,
       "+5,block,barrier,0,1,32,0,0,0,0,0,0,0,0\n"
       "+4,shared,store,4,1,1,0,0,0,1,0,0,0,0\n"
       "+6,global,atomic,4,1,32,1,1,1,0,0,2,2,64\n"
       "+7,global,atomic,4,1,32,4,4,1,0,0,2,2,128\n"
       "+8,global,atomic,4,1,32,1,1,1,0,0,2,2,64\n"
       "+9,shared,atomic,4,1,32,0,0,0,1,0,0,0,0\n",
       RUN(adds, 1, 32, 0, (int *)out, out + 1024))

KERNEL(copies_async, const float *from, float *to)
{
    __shared__ __align__(16) float s[32 * 4];
    copy_async<16>(s + 4 * threadIdx.x, from + 4 * threadIdx.x);
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    to[threadIdx.x] = s[127 - threadIdx.x];
}
COUNTS(copies_async_wait, copies_async,
       "+6,block,barrier,0,1,32,0,0,0,0,0,0,0,0\n"
       "+3,global,load,16,1,32,16,16,4,0,0,2,4,512\n"
       "+3,shared,store,16,1,32,0,0,0,4,0,0,0,0\n"
       "+7,global,store,4,1,32,4,4,1,0,0,2,2,128\n"
       "+7,shared,load,4,1,32,0,0,0,1,0,0,0,0\n",
       RUN(copies_async, 1, 32, 0, in, out))

/* 2 blocks of 64 threads wait at 4 barriers: 2 * 64 * 4 = 512 waits, most of them in the loop. */
KERNEL(four_barriers, float *to)
{
    __syncthreads();
    for (int i = 0; i < 3; i++)
        __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
COUNTS(barriers, four_barriers,
       "+4,block,barrier,0,4,512,0,0,0,0,0,0,0,0\n"
       "+5,global,store,4,4,128,16,16,4,0,0,8,8,512\n",
       RUN(four_barriers, 2, 64, 0, out))

/* 2 blocks of 64 threads take part in 5 shuffles: 2 * 64 * 5 = 640. */
KERNEL(five_shuffles, float *to)
{
    float sum = 1;
    for (int h = 1; h < 32; h *= 2)
        sum += __shfl_up_sync(0xffffffff, sum, h);
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
COUNTS(shuffles, five_shuffles,
       "-,0,warp,shuffle,0,4,640,0,0,0,0,0,0,0,0\n"
       "+5,global,store,4,4,128,16,16,4,0,0,8,8,512\n",
       RUN(five_shuffles, 2, 64, 0, out))

/* ---- races and reads before writes ---- */

/* Some threads read a byte before its owner writes it, others after that, but it is one race.
 * Threads that write neighbouring bytes of a word do not race. */
KERNEL(neighbour_bytes, float *to, bool waits)
{
    __shared__ bool s[64];
    s[threadIdx.x] = false;
    __syncthreads();
    s[threadIdx.x] = true;
    if (waits)
        __syncthreads();
    to[threadIdx.x] = s[threadIdx.x ^ 1];
}
FAULTS(byte_race, neighbour_bytes,
       RACE("neighbour_bytes", "shared", "+5", "+8", "thread 0 reads what thread 1 writes"),
       RUN(neighbour_bytes, 1, 64, 0, out, false))

KERNEL(neighbour_race, float *to)
{
    to[threadIdx.x] = 1;
    to[threadIdx.x + 64] = to[threadIdx.x / 2];
}
FAULTS(global_race, neighbour_race,
       RACE("neighbour_race", "global", "+2", "+3", "thread 1 reads what thread 0 writes"),
       RUN(neighbour_race, 1, 64, 0, out))

KERNEL(all_write, float *to)
{
    to[0] = (float)threadIdx.x;
}
FAULTS(write_race, all_write,
       RACE("all_write", "global", "+2", "+2",
            "threads 1 and 0 write the same element, which only one thread may"),
       RUN(all_write, 1, 32, 0, out))

/* An atomic operation does not order the plain read of another thread. */
KERNEL(add_and_look, int *to)
{
    atomicAdd(to, 1);
    to[1 + threadIdx.x] = to[0];
}
FAULTS(atomic_race, add_and_look,
       RACE("add_and_look", "global", "+2", "+3", "thread 0 reads what thread 1 writes"),
       RUN(add_and_look, 1, 32, 0, (int *)out))

/* __syncwarp orders accesses of one warp. With distance 32 a thread reads what another warp writes.
 */
KERNEL(across_warps, float *to, int distance)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = 1;
    __syncwarp();
    to[threadIdx.x] = s[threadIdx.x ^ (unsigned)distance];
}
FAULTS(warp_race, across_warps,
       RACE("across_warps", "shared", "+5", "+7", "thread 0 reads what thread 32 writes"),
       RUN(across_warps, 1, 64, 0, out, 32))

/* All lanes of both warps read; the reads of the second warp must not hide those of the first. */
KERNEL(two_readers, float *to)
{
    __shared__ float s[1];
    if (threadIdx.x == 0)
        s[0] = 1;
    __syncthreads();
    to[threadIdx.x] = s[0];
    __syncwarp();
    if (threadIdx.x == 63)
        s[0] = 2;
}
FAULTS(reader_race, two_readers,
       RACE("two_readers", "shared", "+6", "+9", "thread 31 reads what thread 63 writes"),
       RUN(two_readers, 1, 64, 0, out))

/* In block 0 half of the threads do not come to the barrier; in block 1 none do, which must not
 * hide it. The last barrier of waits_late comes too late, but for all threads. */
KERNEL(half_waits, float *to)
{
    __shared__ float s[64];
    s[threadIdx.x] = 1;
    if (threadIdx.x < 32 && blockIdx.x == 0)
        __syncthreads();
    to[64 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x];
}
static __global__ void waits_late(float *to)
{
    __shared__ float s[64];
    s[threadIdx.x] = 1;
    to[64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        __syncthreads();
}
FAULTS(missed_barrier, half_waits,
       "count: kernel half_waits: a race in shared memory between +3 and +6, not all threads "
       "reached the barrier at +5: thread 32 reads what thread 31 writes\n" UNWRITTEN("half_waits",
                                                                                      "+6", "0")
           RACE("waits_late", "shared", "+11", "+12", "thread 31 reads what thread 32 writes")
               UNWRITTEN("waits_late", "+12", "0"),
       RUN(half_waits, 2, 64, 0, out);
       RUN(waits_late, 1, 64, 0, out))

/* An array of 255 numbers fits into the registers of a thread, one of 256 does not. clang reports
 * accesses to a thread's array only if they go through a pointer. */
KERNEL(keeps, float *to, int count)
{
    float own[256], *volatile all = own;
    for (int i = 0; i < count; i++)
        all[i] = 1;
    to[threadIdx.x] = all[threadIdx.x];
}
FAULTS(local_array, keeps,
       "count: kernel keeps: a thread has an array of more than the 255 numbers that its registers "
       "hold, so it lies in global memory: +4\n",
       RUN(keeps, 1, 32, 0, out, 255);
       RUN(keeps, 1, 32, 0, out, 256))

/* Only the second kernel has more than 48 KiB of static shared memory. */
static __global__ void fits(float *to)
{
    __shared__ float s[12288];
    s[threadIdx.x] = 1;
    to[threadIdx.x] = s[threadIdx.x];
}
template <class T> static __global__ void is_too_large(T *to)
{
    __shared__ T s[12288];
    __shared__ int more[2];
    s[threadIdx.x] = 1;
    more[0] = 1;
    to[threadIdx.x] = s[threadIdx.x];
}
FAULTS(large, copy,
       "count: kernel is_too_large<float>: its __shared__ arrays have 49160 bytes, more than the "
       "49152 that a GPU allows\n",
       RUN(fits, 1, 1, 0, out);
       RUN(is_too_large<float>, 1, 1, 0, out); RUN(is_too_large<float>, 1, 1, 0, out))

/* The accesses of these kernels are ordered, so no error must be reported. */
KERNEL(counts, int *to)
{
    atomicAdd(to, 1);
    atomicMax(to, 7);
    __syncthreads();
    to[1 + threadIdx.x] = to[0];
}
FAULTS(no_race, counts, "", CHECK(cudaMemset(out, 0, 512));
       RUN(neighbour_bytes, 1, 64, 0, out, true); RUN(across_warps, 1, 64, 0, out, 1);
       RUN(across_warps, 1, 64, 0, out, 31); RUN(counts, 1, 64, 0, (int *)out + 128))

/* Races between blocks. The program may use only one core, so blocks run one after the other and
 * the results are right, but on a GPU by chance. A message (load_relaxed, store_relaxed) does not
 * order what is written before it. */
static void zeros_on_one_core()
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    CHECK(cudaMemset(out, 0, 4096));
}
#define RUN_IN_ORDER(kernel, blocks, threads, flag, ...)                                           \
    zeros_on_one_core();                                                                           \
    RUN(kernel, blocks, threads, 0, (flag *)out, out + 1024 __VA_OPT__(, ) __VA_ARGS__)

static __device__ void wait_flag(const uint64_t *flag)
{
    uint64_t word;
    for (load_relaxed(flag, &word); word == 0; load_relaxed(flag, &word))
        device_pause();
}
/* Waits until the block before this one has set its flag to `value`. */
static __device__ void acquire_before(const int *flags, int value = 1)
{
    while (blockIdx.x > 0 && load_acquire(&flags[blockIdx.x - 1]) < value)
        device_pause();
}
static __device__ void set_flag(uint64_t *flag)
{
    uint64_t word = 1;
    store_relaxed(flag, &word);
}

KERNEL(all_blocks_write, uint64_t *flags, float *to)
{
    if (blockIdx.x > 0)
        wait_flag(&flags[blockIdx.x - 1]);
    *to = 1;
    set_flag(&flags[blockIdx.x]);
}
FAULTS(two_writers, all_blocks_write, BETWEEN_BLOCKS("all_blocks_write", "+4 writes", "+4 writes"),
       RUN_IN_ORDER(all_blocks_write, 4, 1, uint64_t))

/* A fence is missing first in the block that reads, then in the block that writes. */
KERNEL(hand_on, uint64_t *flags, float *to, bool release, bool acquire)
{
    unsigned b = blockIdx.x;
    if (b > 0)
        wait_flag(&flags[b - 1]);
    if (acquire)
        __threadfence();
    float before = b > 0 ? to[b - 1] : 0;
    to[b] = before + 1;
    if (release)
        __threadfence();
    set_flag(&flags[b]);
}
FAULTS(no_fence, hand_on, BETWEEN_BLOCKS("hand_on", "+8 writes", "+7 reads"),
       RUN_IN_ORDER(hand_on, 4, 1, uint64_t, true, false);
       RUN_IN_ORDER(hand_on, 4, 1, uint64_t, false, true))

/* Thread 32 releases what thread 0 has written, without a barrier between the two. */
KERNEL(another_releases, int *flags, float *to)
{
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0) {
        acquire_before(flags);
        to[b] = (b > 0 ? to[b - 1] : 0) + 1;
    }
    if (threadIdx.x == 32)
        store_release(&flags[b], 1);
}
FAULTS(no_barrier, another_releases, BETWEEN_BLOCKS("another_releases", "+5 writes", "+5 reads"),
       RUN_IN_ORDER(another_releases, 4, 64, int))

/* The flag is set before the value is stored, and the value read before the flag. */
KERNEL(early_flag, int *flags, float *to)
{
    unsigned b = blockIdx.x;
    if (b > 0) {
        acquire_before(flags);
        to[64 + b] = to[b - 1];
    }
    store_release(&flags[b], 1);
    to[b] = 1;
}
static __global__ void early_read(int *flags, float *to)
{
    unsigned b = blockIdx.x;
    float before = b > 0 ? to[b - 1] : 0;
    acquire_before(flags);
    to[b] = before + 1;
    store_release(&flags[b], 1);
}
FAULTS(early, early_flag,
       BETWEEN_BLOCKS("early_flag", "+8 writes", "+5 reads")
           BETWEEN_BLOCKS("early_read", "+15 writes", "+13 reads"),
       RUN_IN_ORDER(early_flag, 4, 1, int);
       RUN_IN_ORDER(early_read, 4, 1, int))

/* The flag is released before and after the value is stored: who acquires it may have read the
 * first of the two. The same by an atomic exchange. */
KERNEL(released_twice, int *flags, float *to, bool exchange)
{
    unsigned b = blockIdx.x;
    acquire_before(flags);
    float before = b > 0 ? to[b - 1] : 0;
    for (int time = 0; time < 2; time++) {
        __threadfence();
        if (exchange)
            atomicExch(&flags[b], 1);
        else
            store_release(&flags[b], 1);
        to[b] = before + 1;
    }
}
FAULTS(twice, released_twice, BETWEEN_BLOCKS("released_twice", "+11 writes", "+4 reads"),
       RUN_IN_ORDER(released_twice, 4, 1, int, false);
       RUN_IN_ORDER(released_twice, 4, 1, int, true))

/* Neither volatile accesses nor a fence within the block order anything between blocks. The line of
 * a load_acquire is that of its call. */
KERNEL(volatile_flag, volatile int *flags, volatile float *to)
{
    unsigned b = blockIdx.x;
    while (b > 0 && flags[b - 1] == 0)
        device_pause();
    __threadfence();
    to[b] = (b > 0 ? to[b - 1] : 0) + 1;
    __threadfence();
    flags[b] = 1;
}
static __global__ void block_fence(int *flags, float *to)
{
    unsigned b = blockIdx.x;
    acquire_before(flags);
    to[b] = (b > 0 ? to[b - 1] : 0) + 1;
    __threadfence_block();
    atomicExch(&flags[b], 1);
}
static __global__ void plain_store(int *flags, float *)
{
    unsigned b = blockIdx.x;
    while (b > 0 && load_acquire(&flags[b - 1]) == 0)
        device_pause();
    flags[b] = 1;
}
FAULTS(no_order, volatile_flag,
       BETWEEN_BLOCKS("block_fence", "+14 writes", "+14 reads")
           BETWEEN_BLOCKS("plain_store", "+23 writes", "+21 reads")
               BETWEEN_BLOCKS("volatile_flag", "+8 writes", "+3 reads")
                   BETWEEN_BLOCKS("volatile_flag", "+6 writes", "+6 reads"),
       RUN_IN_ORDER(volatile_flag, 4, 1, int);
       RUN_IN_ORDER(block_fence, 4, 1, int); RUN_IN_ORDER(plain_store, 4, 1, int))

/* The accesses of these kernels are ordered. */
/* All threads write, one releases; one acquires, all read what all earlier blocks have written. */
KERNEL(chained, int *flags, float *to)
{
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0)
        acquire_before(flags);
    __syncthreads();
    float sum = 1;
    for (unsigned i = 0; i < b; i++)
        sum += to[64 * i + (threadIdx.x + 1) % 64];
    to[64 * b + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 63)
        store_release(&flags[b], 1);
}
/* The same in a warp. */
static __global__ void chained_warps(int *flags, float *to)
{
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0)
        acquire_before(flags);
    __syncwarp();
    to[32 * b + threadIdx.x] = b > 0 ? to[32 * (b - 1) + (threadIdx.x + 1) % 32] : 0;
    __syncwarp();
    if (threadIdx.x == 31)
        store_release(&flags[b], 1);
}
/* The last block that ends adds what all have written. */
static __global__ void last_adds(int *done, float *to)
{
    to[threadIdx.x + 2 + 32 * blockIdx.x] = 1;
    __syncwarp();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(done, 1) == (int)gridDim.x - 1) {
            __threadfence();
            for (unsigned i = 0; i < 32 * gridDim.x; i++)
                to[0] += to[i + 2];
        }
    }
}
/* A flag that has several values: each store of a new one is a release. */
static __global__ void two_values(int *flags, float *to)
{
    unsigned b = blockIdx.x;
    for (int value = 1; value <= 2; value++) {
        acquire_before(flags, value);
        to[64 * value + b] = (b > 0 ? to[64 * value + b - 1] : 0) + 1;
        store_release(&flags[b], value);
    }
}
FAULTS(ordered, chained, "", RUN_IN_ORDER(chained, 40, 64, int);
       RUN_IN_ORDER(chained_warps, 40, 32, int); RUN_IN_ORDER(last_adds, 40, 32, int);
       RUN_IN_ORDER(two_values, 40, 1, int); RUN_IN_ORDER(hand_on, 40, 1, uint64_t, true, true))

/* The kernel writes only bytes 0 to 3 of its shared memory. Its last line reads bytes that it has
 * not written, which must be reported. */
KERNEL(reads_unwritten, float *to)
{
    DYN_SHARED(float, s);
    if (threadIdx.x == 0)
        s[0] = 1;
    __syncthreads();
    to[threadIdx.x] = s[0];
    to[threadIdx.x] = s[threadIdx.x];
}
FAULTS(unwritten, reads_unwritten, UNWRITTEN("reads_unwritten", "+7", "1"),
       RUN(reads_unwritten, 1, 32, 256, out))

/* A block reads shared memory that an earlier block or an earlier launch has written, but not the
 * block itself. Such a read must be reported as a read before a write. */
KERNEL(first_writes, float *to)
{
    __shared__ float s;
    if (blockIdx.x == 0 && gridDim.x > 1)
        s = 1;
    to[blockIdx.x] = blockIdx.x ? 0 : s;
}
FAULTS(forgotten, first_writes, UNWRITTEN("first_writes", "+5", "0"),
       RUN(first_writes, 2, 1, 0, out);
       RUN(first_writes, 1, 1, 0, out))

/* ---- watched accesses ---- */

/* Names each access to the first word of `out`, and the first access to memory that there is not.
 */
static void say(uintptr_t address, int bytes, bool writes)
{
    const char *kernel, *file;
    int line;
    if (address != (uintptr_t)out && address != UINTPTR_MAX - 7)
        return;
    count_watched(&kernel, &file, &line);
    fprintf(stderr, "%s %s %d bytes, thread %u: %s:%d\n", kernel, writes ? "writes" : "reads",
            bytes, threadIdx.x, file, line);
    if (address != (uintptr_t)out)
        exit(1);
}
static __device__ float before(const float *at)
{
    return at[-1];
}
KERNEL(accesses_before, float *at)
{
    if (threadIdx.x == 0)
        at[0] = before(at);
    __syncthreads();
    at[(int)threadIdx.x - 1] = 1;
    uint64_t word;
    load_relaxed((const uint64_t *)(at - 1), &word);
    *(float *)(UINTPTR_MAX - 7) = 1;
}
FAULTS(watched, accesses_before,
       "accesses_before reads 4 bytes, thread 0: -2\n"
       "accesses_before writes 4 bytes, thread 0: +5\n"
       "accesses_before reads 8 bytes, thread 0: +7\n"
       "accesses_before writes 4 bytes, thread 0: +8\n",
       count_watch = say;
       RUN(accesses_before, 1, 2, 0, out + 1))

/* ---- launches ---- */

/* All blocks run at the same time, and each waits for the one before it. If a thread reads a flag
 * in a loop, the reads count as one access, so the 63 blocks that wait make 63 requests. All lanes
 * of such a request read the same word. */
KERNEL(chain, int *flags, float *to)
{
    if (blockIdx.x > 0)
        while (load_acquire(&flags[blockIdx.x - 1]) == 0)
            device_pause();
    to[32 * blockIdx.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        store_release(&flags[blockIdx.x], 1);
}
COUNTS(cooperative, chain,
       "+6,block,barrier,0,64,2048,0,0,0,0,0,0,0,0\n"
       "+3,global,load,4,63,2016,63,63,63,0,0,126,126,4032\n"
       "+5,global,store,4,64,2048,256,256,64,0,0,128,128,8192\n"
       "+8,global,store,4,64,64,64,64,64,0,0,64,64,2048\n",
       CHECK(cudaMemset(out, 0, 256 * sizeof(float)));
       CHECK(LAUNCH_COOPERATIVE(chain, 64, 32, 0, 0, (int *)out, out + 1024)))

/* Thread 0 reads the flag before thread 32 has started, and again until the flag is set. These
 * reads count as one. to[0] was written before the flag was set, so reading it then is no race. */
KERNEL(waits, int *flag, float *to)
{
    if (threadIdx.x == 0) {
        while (load_acquire(flag) == 0)
            device_pause();
        to[1] = to[0];
    }
    if (threadIdx.x == 32) {
        to[0] = 1;
        store_release(flag, 1);
    }
}
COUNTS(flag, waits,
       "+3,global,load,4,1,1,1,1,1,0,0,1,1,32\n"
       "+5,global,load,4,1,1,1,1,1,0,0,1,1,32\n"
       "+5,global,store,4,1,1,1,1,1,0,0,1,1,32\n"
       "+8,global,store,4,1,1,1,1,1,0,0,1,1,32\n"
       "+9,global,store,4,1,1,1,1,1,0,0,1,1,32\n",
       CHECK(cudaMemset(out, 0, sizeof(float)));
       RUN(waits, 1, 64, 0, (int *)out, out + 1024))

/* Many launches, with memory that is freed and allocated again. Each launch must have its own rows
 * of counts, and memory that has been freed must not count as global memory. A launch without
 * threads must be refused and leave no row. */
CASE(launches, copy, NULL, "")
{
    for (int i = 0; i < 300; i++) {
        float *memory;
        CHECK(cudaMalloc(&memory, 4096 + 512 * (size_t)(i % 7)));
        RUN(copy, 1, 32, 0, in, memory, 1);
        CHECK(cudaFree(memory));
    }
    if (LAUNCH(copy, 0, 32, 0, 0, in, out, 1) == cudaSuccess ||
        LAUNCH(copy, 1, 0, 0, 0, in, out, 1) == cudaSuccess)
        exit(4);
}

/* A kernel with template arguments, which the table and the picture of a line name. Lane t loads
 * element (t + 8) / 2, so pairs of lanes share an element. Only warp 1 of block 1 is full. */
enum { halved_at = __LINE__ + 5 };
template <class T, bool wide, int> static __global__ void halved(const T *from, T *to)
{
    int lanes = blockIdx.x == 1 && threadIdx.x >= 32 ? 32 : 20;
    if ((int)threadIdx.x % 32 < lanes)
        to[64 * blockIdx.x + threadIdx.x] = from[(threadIdx.x % 32 + 8) / (wide ? 2 : 1)];
}
FAULTS(templates, halved, "", RUN((halved<float, true, 3>), 2, 64, 0, in, out);
       RUN((halved<double, false, 4>), 1, 32, 0, (double *)in, (double *)out))

/* ---- what the model of the caches gets (cpu_device/cache.c) ---- */

/* Warp 1 stores 4 words a lane. After the barrier warp 0 loads the last 32 of them: its 4 sectors
 * hit L1, because a barrier orders the warps. A bulk copy of 256 bytes bypasses L1 and leaves 8
 * sectors in L2, of which warp 0 then loads 4. Stores: 16 sectors of warp 1, 4 of warp 0. */
KERNEL(cached, const float *from, float *to)
{
    alignas(128) __shared__ float s[64];
    __shared__ uint64_t full;
    int lane = (int)threadIdx.x % 32;
    if (threadIdx.x == 0)
        mbarrier_init(&full, 1);
    for (int k = 0; k < 4 && threadIdx.x >= 32; k++)
        to[32 * k + lane] = 1;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    float sum = to[96 + lane];
    if (threadIdx.x == 0) {
        mbarrier_arrive(&full, sizeof s);
        bulk_load(s, from, sizeof s, &full);
    }
    mbarrier_wait(&full, 0);
    to[128 + lane] = sum + from[lane];
}
FAULTS(caches, cached, "", RUN(cached, 1, 64, 0, in, out))
static const char caches_row[] = "\n0,cached,,1,64,h100,16,4,12,20,256,0\n";

/* 200 blocks of 3 warps. The sums of the counts must not depend on which OS threads run the
 * blocks. */
COUNTS(workers, copy,
       "+3,global,load,4,600,19200,2400,2400,600,0,0,1200,1200,76800\n"
       "+4,global,store,4,600,19200,2400,2400,600,0,0,1200,1200,76800\n",
       RUN(copy, 200, 96, 0, in, out, 1))

/* ---- the test ---- */

static std::string contents(const std::string &path)
{
    std::string text;
    FILE *file = fopen(path.c_str(), "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        text += (char)c;
    if (file)
        fclose(file);
    return text;
}

/* Replaces every "common/test_count.cu:LINE" and "common/test_count.cu,LINE" by the distance of
 * LINE from line `at`. */
static std::string distances(std::string text, int at)
{
    static const std::string file = "common/test_count.cu";
    for (size_t begin; (begin = text.find(file)) != std::string::npos;) {
        size_t number = begin + file.size() + 1, end = text.find_first_not_of("0123456789", number);
        end = end == std::string::npos ? text.size() : end;
        char distance[32];
        snprintf(distance, sizeof distance, "%+d", atoi(&text[number]) - at);
        text.replace(begin, end - begin, distance);
    }
    return text;
}

static const char header[] =
    "launch,kernel,blocks,threads,file,line,space,op,width,requests,lanes,sectors,ideal,lines,"
    "wavefronts,conflicts,half_warps,segments,segment_bytes,arguments,busiest\n";

/* The rows of a CSV file as the cases have them. Those of blocks without a barrier are left out. */
static std::string describe(const std::string &csv)
{
    std::string text;
    for (size_t begin = sizeof header - 1, end; begin < csv.size(); begin = end + 1) {
        end = csv.find('\n', begin);
        end = end == std::string::npos ? csv.size() : end;
        std::string row = csv.substr(begin, end - begin);
        size_t first = 0, last = row.rfind(',', row.rfind(',') - 1);
        for (int k = 0; k < 4; k++)
            first = row.find(',', first) + 1;
        if (row.find(",local,") == std::string::npos &&
            row.find(",-,0,block,") == std::string::npos)
            text += row.substr(first, last - first) + "\n";
    }
    return text;
}

static std::string scratch;

/* Runs this program again for one case. Returns its exit status, or 128 plus a signal. */
static int run_again(const char *name, const char *counts)
{
    setenv("COUNT_CSV", (scratch + counts).c_str(), 1);
    setenv("COUNT_PICTURE", ("halved:" + std::to_string(halved_at)).c_str(), 1);
    setenv("COUNT_CACHE", "h100", 1);
    setenv("COUNT_CACHE_CSV", (scratch + "/cache").c_str(), 1);
    setenv("COUNT_PICTURE_CSV", (scratch + "/picture").c_str(), 1);
    pid_t child = fork();
    if (child == 0) {
        if (freopen((scratch + "/errors").c_str(), "w", stderr))
            execl("/proc/self/exe", "test_count", name, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Tests the template arguments in the table, and the picture of the line that loads and stores. */
static void test_templates(const std::string &table)
{
    for (const char *arguments : {",float;true;3,1\n", ",double;false;4,1\n"})
        EXPECT(table.find(arguments) != std::string::npos, "no row ends with %s", arguments);
    std::string expected =
        "request,launch,kernel,arguments,block,warp,file,line,space,op,width,lane,offset,array\n";
    for (int op = 0; op < 2; op++)
        for (int lane = 0; lane < 32; lane++)
            expected += std::to_string(op) + ",0,halved,float;true;3,1,1,common/test_count.cu," +
                        std::to_string(halved_at) + ",global," + (op ? "store" : "load") + ",4," +
                        std::to_string(lane) + "," +
                        std::to_string(4 * (op ? 96 + lane : (lane + 8) / 2)) + ",\n";
    std::string picture = contents(scratch + "/picture");
    EXPECT(picture.find(expected) == 0, "the picture is\n%snot\n%s", picture.c_str(),
           expected.c_str());
}

static void test_case(const struct test *t)
{
    expect_case("%s", t->name);
    int status = run_again(t->name, "/again");
    std::string again = contents(scratch + "/again");
    EXPECT(run_again(t->name, "/counts") == status && status == (t->errors[0] != 0), "status %d",
           status);
    std::string said = distances(contents(scratch + "/errors"), t->at);
    EXPECT(said == t->errors, "says\n%snot\n%s", said.c_str(), t->errors);
    std::string table = contents(scratch + "/counts");
    EXPECT(table == again, "another run, another table");
    EXPECT(table.compare(0, sizeof header - 1, header) == 0, "the head is %.100s", table.c_str());
    std::string rows = distances(describe(table), t->at);
    EXPECT(!t->rows || rows == t->rows, "counts\n%snot\n%s", rows.c_str(), t->rows);
    if (t->run == launches) {
        int count = 0;
        for (size_t i = 0; (i = table.find("global,", i)) != std::string::npos; i++)
            count++;
        EXPECT(count == 2 * 300, "300 launches of a load and a store give %d rows", count);
    }
    if (t->run == templates)
        test_templates(table);
    if (t->run == caches) {
        std::string cache = contents(scratch + "/cache");
        EXPECT(table.find(",,4\n") != std::string::npos, "no warp makes 4 stores:\n%s",
               table.c_str());
        EXPECT(cache.find(caches_row) != std::string::npos, "the table is\n%s", cache.c_str());
    }
    for (const char *file : {"/counts", "/again", "/errors", "/cache", "/picture"})
        unlink((scratch + file).c_str());
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        CHECK(cudaMalloc(&in, WORDS_OF_MEMORY * sizeof *in));
        CHECK(cudaMalloc(&out, WORDS_OF_MEMORY * sizeof *out));
        CHECK(cudaMemset(in, 0, WORDS_OF_MEMORY * sizeof *in));
        for (int i = 0; i < test_count; i++)
            if (strcmp(argv[1], tests[i].name) == 0)
                tests[i].run();
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
        return 0;
    }
    char name[] = "/tmp/test_countXXXXXX";
    if (!mkdtemp(name)) {
        perror(name);
        return 2;
    }
    scratch = name;
    for (int i = 0; i < test_count; i++)
        test_case(&tests[i]);
    rmdir(name);
    return expect_done();
}
