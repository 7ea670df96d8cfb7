/* pcr --check tests PCR, CR and CR-PCR with all kinds of coefficients, and different sizes, G and
 * T. */
#include "main.h"
#include "expect.h"
#include "problems.h"

static const unsigned char POISON = 0x5a;

/* Invalid arguments are refused and nothing is written. A call with n = 0 does nothing. */
static void check_misuse(struct problem *b, char type)
{
    static const struct {
        int64_t n;
        int blocks, threads;
    } bad[] = {{-1, 2, 16},   {INT64_MAX / 23, 2, 16}, {INT64_MAX, 2, 16},
               {100, 0, 16},  {100, -1, 16},           {100, 2, 0},
               {100, 2, 1025}};
    size_t alignment = (size_t)size_of(type), bytes = 100 * alignment;
    CHECK(cudaMemset(b->w, POISON, bytes));
    CHECK(cudaMemset(b->work, POISON, 3 * bytes));
    struct pcr p = plan_pcr(b, type, 100, 2, 16);
    struct expect_pointer arrays[] = {
        EXPECT_POINTER(p.s, alignment), EXPECT_POINTER(p.t, alignment),
        EXPECT_POINTER(p.w, alignment), EXPECT_POINTER(p.work, alignment)};
    EXPECT_POINTERS(arrays, pcr_solve(&p, 0), cudaErrorInvalidValue);
    EXPECT(pcr_solve(NULL, 0) == cudaErrorInvalidValue, "no struct");
    for (const auto &numbers : bad) {
        p = plan_pcr(b, type, numbers.n, numbers.blocks, numbers.threads);
        EXPECT(pcr_solve(&p, 0) == cudaErrorInvalidValue, "n = %lld, G = %d, T = %d",
               (long long)p.n, p.blocks, p.threads);
    }
    p = plan_pcr(b, type, 100, 2, 16);
    EXPECT(pcr_after_cr(&p, 0, 0) == cudaErrorInvalidValue, "left = 0");
    p = plan_pcr(b, 'x', 100, 2, 16);
    EXPECT(pcr_solve(&p, 0) == cudaErrorInvalidValue, "type x");
    p = plan_pcr(b, type, 0, 2, 16);
    EXPECT(pcr_solve(&p, 0) == cudaSuccess, "n = 0");
    p.s = p.t = NULL;
    p.w = p.work = NULL;
    EXPECT(pcr_solve(&p, 0) == cudaSuccess, "n = 0 needs no arrays");
    EXPECT(device_holds(b->w, POISON, bytes) && device_holds(b->work, POISON, 3 * bytes),
           "a refused call, or one with n = 0, wrote");
}

static void check_one(struct problem *b, const char *what, char type, int64_t n, int blocks,
                      int threads)
{
    static int turns;
    for (int variant = PCR; variant <= CR_PCR; variant++) {
        if (expect_skips(&turns))
            continue;
        struct pcr p = plan_pcr(b, type, n, blocks, threads);
        struct verdict verdict = solve_pcr(b, &p, left_of(variant, blocks, threads));
        EXPECT(verdict.ok,
               "%s, variant %d, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows at "
               "%lld",
               what, variant, type, (long long)n, blocks, threads, verdict.used,
               (long long)verdict.worst);
    }
}

static void check_unchanged(struct problem *b, const char *what, const void *array,
                            const void *host_array, char type, int64_t n)
{
    size_t bytes = (size_t)(n * size_of(type));
    device_download(b->host, array, bytes);
    EXPECT(memcmp(b->host, host_array, bytes) == 0, "%s has changed, n = %lld", what, (long long)n);
}

/* On the CPU device n <= 4097. With --quick on a GPU larger n run with G = 32, T = 512 only. */
int check(const struct options *o)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 1000, 4097, 1 << 18, 1 << 20, 1000007};
    static const int pairs[][2] = {{1, 1}, {4, 16}, {3, 33}, {32, 64}, {32, 512}, {2, 1024}};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = device_is_cpu() ? 4097 : 1 << 20;
    struct problem b = {};
    allocate(&b, n_most + 1); /* one element more for w_0 */
    for (const char *type = "sd"; *type; type++)
        for (int64_t n : sizes) {
            if (n > n_most)
                continue;
            for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
                const char *name = recurrence_name((enum recurrence_kind)kind);
                fill_recurrence(*type, (enum recurrence_kind)kind, o->seed, n, b.host_s, b.host_t);
                upload(&b, *type, n);
                for (const int *pair : pairs)
                    if (n <= 4097 || all || pair[1] == 512)
                        check_one(&b, name, *type, n, pair[0], pair[1]);
                check_unchanged(&b, "s", b.s, b.host_s, *type, n);
                check_unchanged(&b, "t", b.t, b.host_t, *type, n);
            }
            if (all)
                make_constant(&b, *type, n);
            for (int threads = 16; all && threads <= 512; threads *= 2)
                check_one(&b, "problem B", *type, n, 32, threads);
        }
    check_misuse(&b, 's');
    check_misuse(&b, 'd');
    memory_free(&b.memory);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
