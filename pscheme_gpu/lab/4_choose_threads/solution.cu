/* Lab 4, choose T for a given G by the cost model. README.md explains the task; the kernels are in
 * phases.cuh, and lab.cu launches them. Why it passes the gates:
 *
 *     rows, correct      the parts of these phases are N / P rows long, so more threads shorten
 *                        them: 384, 382
 *     walk               propagation visits P parts, so more threads lengthen it: 768. At P_opt =
 *                        256 it takes about as long as both others. P counts the threads of all
 *                        blocks, so T = P_opt / G
 *     rows19, correct19  a row costs alpha + gamma = 24 in place of 6, so P_opt doubles to 512:
 *                        1344, 190
 *     walk19             there are twice as many parts: 1536
 *
 * In two of the phases no warp does more than the others, because all parts have M rows.
 * Propagation is the work of one thread, and that is why P_opt is so small.
 * Next: a smaller beta. `propagate_warp` in pscheme_g/pscheme_g.cu takes 32 parts at a time (lab
 * 10), so that more threads pay. */
#include <math.h>
#include <stdint.h>

/* Returns T, the number of threads of a block, for n rows and G = `blocks`: 1 to 1024. A row costs
 * alpha in pre-computation and gamma in determination, a part costs beta in propagation. */
int choose_threads(int64_t n, int blocks, double alpha, double beta, double gamma)
{
    double best_parts = sqrt((alpha + gamma) * (double)n / beta);
    double threads = round(best_parts / blocks);
    if (threads < 1)
        return 1;
    if (threads > 1024)
        return 1024;
    return (int)threads;
}
