// fails: result: T = 0, but a block has 1 to 1024 threads
/* Lab 4, choose T for a given G by the cost model. README.md explains the task; the kernels are in
 * phases.cuh, and lab.cu launches them. */
#include <math.h>
#include <stdint.h>

/* Returns T, the number of threads of a block, for n rows and G = `blocks`: 1 to 1024. A row costs
 * alpha in pre-computation and gamma in determination, a part costs beta in propagation. */
int choose_threads(int64_t n, int blocks, double alpha, double beta, double gamma)
{
    double best_parts = sqrt((alpha + gamma) * (double)n / beta);
    return (int)round(best_parts / blocks);
}
