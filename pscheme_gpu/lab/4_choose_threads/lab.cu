/* Lab 4: T for a given G by the cost model (W12 sec. V-F), for cheap and for costly rows. */
#include "../arrays.cuh"
#include "phases.cuh"

int choose_threads(int64_t n, int blocks, double alpha, double beta, double gamma);

/* Larger cases only test the limits of T: their kernels would take seconds here. */
enum { LARGEST = 32768 };

/* Solves with rows of TERMS terms by the number of threads that choose_threads chooses. */
template <int TERMS> static void solve(int64_t n, int blocks)
{
    /* Requests of a row or a part (phases.cuh). */
    const int alpha = TERMS + 2, beta = 3, gamma = 3;
    int threads = choose_threads(n, blocks, alpha, beta, gamma);
    char name[100];
    snprintf(name, sizeof name, "G = %d, alpha = %d, beta = %d, gamma = %d: T = %d", blocks, alpha,
             beta, gamma, threads);
    if (threads < 1 || threads > 1024) {
        lab_fail("%s, but a block has 1 to 1024 threads", name);
        return;
    }
    if (n > LARGEST)
        return;
    int64_t parts = (int64_t)blocks * threads, m = (n + parts - 1) / parts, size = parts * m;
    size_t bytes = (size_t)size * sizeof(float);
    float scale = (float)RECURRENCE_SCALE, w0 = 1000;
    float *terms = lab_floats(TERMS * size), *t = lab_floats(size), *w = lab_floats(n + 1);
    struct random r = {4};
    for (int64_t i = 0; i < size; i++) {
        t[i] = 0;
        for (int64_t term = 0; term < TERMS; term++) {
            float value = (float)random_uniform(&r, 0.1, 1);
            terms[term * size + i % m * parts + i / m] = value;
            t[i] += value;
        }
    }
    float *device_w = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_phases<TERMS>(blocks, threads, n, m, w0, scale,
                                   (const float *)lab_array("t", TERMS * bytes, terms), device_w,
                                   (float *)lab_array("a", bytes, NULL)));
    w[0] = w0;
    fetch_natural(device_w, n, parts, m, &w[1]);
    strcat(name, ", w");
    lab_verified(name, verify_recurrence('s', n, w0, &scale, 0, t, 1, w), -1);
    free(terms);
    free(t);
    free(w);
}

/* Costs for which no kernel is at hand. Half the best T, or twice, costs a quarter more (W12 eq.
 * 14-16), so these T pass: the gates show their price. */
static void test_model(double alpha, double beta, double gamma)
{
    const int64_t n = 10000;
    int chosen = choose_threads(n, 1, alpha, beta, gamma);
    double best = INFINITY, cost = 0;
    for (int threads = 1; threads <= 1024; threads++) {
        double time = (alpha + gamma) * (double)n / threads + beta * threads;
        best = fmin(best, time);
        cost = threads == chosen ? time : cost;
    }
    if (!(cost >= best && cost <= 1.3 * best))
        lab_fail("G = 1, alpha = %g, beta = %g, gamma = %g: T = %d costs %.2f times the least",
                 alpha, beta, gamma, chosen, cost / best);
}

static void test(const struct lab_case *c)
{
    test_model(3, 48, 3);
    test_model(3, 3, 48);
    solve<1>(c->n, c->blocks);
    solve<19>(c->n, c->blocks);
}

int main(int argc, char **argv)
{
    static const struct lab_case sizes[] = {{1, 1, 0},       {31, 32, 0},  {1000, 4, 0},
                                            {1048576, 1, 0}, {4097, 3, 0}, {32768, 8, 0}};
    return lab_main(argc, argv, sizes, (int)(sizeof sizes / sizeof *sizes), test);
}
