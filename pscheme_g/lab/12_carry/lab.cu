/* Lab 12: the linear recurrence (W13 eq. 1-2) in one kernel, with a carry between blocks. */
#include "lab/lab.h"
#include "problems.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

cudaError_t run_one_pass(int64_t n, float w0, const float *s, const float *t, float *w, int *next,
                         int *flags, float *carries);

/* The blocks of a launch run one after the other here, so a block finds the carry that it should
 * wait for. One case is therefore a launch of a single block, which gets the ticket TILE_HERE. A
 * thread of this program plays the block of the tile before: it hands on its carry when the kernel
 * has computed for LATE_MS since it took the ticket. n is the size of one tile, so the kernel's
 * block has no rows and must hand on the same carry. */
enum { TILE_HERE = 3, LATE_MS = 20 };

struct block_before {
    clockid_t kernel; /* the time that the kernel's thread has computed */
    const int *next;
    int *flags;
    float *carries, carry;
    int ended; /* the launch has ended */
};

static double milliseconds(clockid_t clock)
{
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void *play_block_before(void *argument)
{
    struct block_before *b = (struct block_before *)argument;
    while (!__atomic_load_n(&b->ended, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(b->next, __ATOMIC_ACQUIRE) == TILE_HERE)
        usleep(1000);
    double begun = milliseconds(b->kernel);
    while (!__atomic_load_n(&b->ended, __ATOMIC_ACQUIRE) &&
           milliseconds(b->kernel) < begun + LATE_MS)
        usleep(1000);
    b->carries[TILE_HERE - 1] = b->carry;
    __atomic_store_n(&b->flags[TILE_HERE - 1], 1, __ATOMIC_RELEASE);
    return NULL;
}

static void test_late_carry(const struct lab_case *c)
{
    int next = TILE_HERE;
    int flags[TILE_HERE + 1];
    float carries[TILE_HERE + 1];
    size_t bytes = (size_t)c->n * sizeof(float);
    struct block_before before = {.carry = 7};
    pthread_t thread;
    int *device_next = (int *)lab_array("next", sizeof next, &next);
    before.next = device_next;
    before.flags = (int *)lab_array("flags", sizeof flags, NULL);
    before.carries = (float *)lab_array("carries", sizeof carries, NULL);
    for (int tile = 0; tile <= TILE_HERE; tile++) {
        before.flags[tile] = tile < TILE_HERE - 1;
        if (before.flags[tile])
            before.carries[tile] = (float)tile;
    }
    const float *s = (const float *)lab_array("s", bytes, NULL),
                *t = (const float *)lab_array("t", bytes, NULL);
    float *w = (float *)lab_array("w", bytes, NULL);
    if (pthread_getcpuclockid(pthread_self(), &before.kernel) != 0 ||
        pthread_create(&thread, NULL, play_block_before, &before) != 0)
        exit(3);
    cudaError_t error =
        run_one_pass(c->n, 1000, s, t, w, device_next, before.flags, before.carries);
    __atomic_store_n(&before.ended, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    lab_launched(error);
    lab_fetch(before.flags, flags);
    lab_fetch(before.carries, carries);
    lab_fetch(device_next, &next);
    if (next == TILE_HERE)
        lab_fail("no block took tile %d, although next was %d", TILE_HERE, TILE_HERE);
    else if (isnan(carries[TILE_HERE]))
        lab_fail("the block of tile %d did not wait for flags[%d] before it loaded carries[%d]",
                 TILE_HERE, TILE_HERE - 1, TILE_HERE - 1);
    else if (carries[TILE_HERE] != before.carry)
        lab_fail("carries[%d] is %g, not %g", TILE_HERE, carries[TILE_HERE], before.carry);
    else if (flags[TILE_HERE] != 1)
        lab_fail("flags[%d] is not set", TILE_HERE);
}

static void test(const struct lab_case *c)
{
    if (c->blocks == 1) {
        test_late_carry(c);
        return;
    }
    const float w0 = 1000;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *s = lab_floats(c->n), *t = lab_floats(c->n), *w = lab_floats(c->n + 1);
    int *zeros = (int *)calloc((size_t)c->n + 1, sizeof(int));
    struct random r = {12};
    if (!zeros)
        exit(3);
    for (int64_t i = 0; i < c->n; i++) {
        s[i] = (float)random_uniform(&r, 0.9, 1.1);
        t[i] = (float)random_uniform(&r, -1, 1);
    }
    w[0] = w0;
    float *result = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_one_pass(
        c->n, w0, (const float *)lab_array("s", bytes, s), (const float *)lab_array("t", bytes, t),
        result, (int *)lab_array("next", sizeof(int), zeros),
        (int *)lab_array("flags", bytes, zeros), (float *)lab_array("carries", bytes, NULL)));
    lab_fetch(result, &w[1]);
    lab_verified("w", verify_recurrence('s', c->n, w0, s, 1, t, 1, w), -1);
    lab_least("one_pass", 3.0 * (double)bytes);
    free(s);
    free(t);
    free(w);
    free(zeros);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {
        {.n = 1},    {.n = 31},   {.n = 128},
        {.n = 129},  {.n = 257},  {.n = 1000}, {.n = 128, .blocks = 1, .threads = 128},
        {.n = 4097}, {.n = 16384}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
