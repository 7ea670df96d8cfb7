/* Tests of CUDA graphs. */
#pragma once

#include "device.h"

/* Captures what the lambda work(stream) enqueues in a CUDA graph and launches it `times` times:
 * before(k), the launch, after(k). The CPU device has no graphs; there the work runs each time. */
template <class Work, class Before, class After>
static inline void replay(int times, Work work, Before before, After after)
{
#ifdef __CUDACC__
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(work(stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < times; k++) {
        before(k);
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        after(k);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
#else
    for (int k = 0; k < times; k++) {
        before(k);
        CHECK(work(0));
        after(k);
    }
#endif
}
