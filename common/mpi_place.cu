/* See mpi_place.h. */
#include "mpi_place.h"

#include <math.h>
#include <omp.h>

int cores;
cudaStream_t stream;
static const char NAME[] = "choose_place";

void choose_place(int gpus, bool root_works)
{
    MPI_Comm workers, host;
    int here, all, count = 0;
    bool works = rank > 0 || root_works;
    if (stream)
        CHECK_MPI(cudaStreamDestroy(stream));
    stream = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, works, 0, &workers);
    MPI_Comm_split_type(workers, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &here);
    MPI_Comm_size(host, &all);
    MPI_Comm_free(&host);
    MPI_Comm_free(&workers);
    cores = 1;
    if (!works)
        return;
    int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    /* these threads make inputs and verify results */
    omp_set_num_threads((int)fmax(1, processors / all));
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0;
    int take = gpus >= 0 ? gpus : device_is_cpu() ? 0 : count;
    take = take > count && !device_is_cpu() ? count : take < all ? take : all;
    if (here < take) {
        cores = 0;
        CHECK_MPI(cudaSetDevice(device_is_cpu() ? 0 : here));
        CHECK_MPI(cudaStreamCreate(&stream));
        return;
    }
    cores = (processors - take - !root_works) / (all - take);
    cores = cores < 1 ? 1 : cores;
}

const char *places(int *cores_of_rank)
{
    static char text[256];
    int gpus = (int)sum_over_ranks(cores == 0), cpus = ranks - gpus;
    *cores_of_rank = (int)max_over_ranks(cores);
    text[0] = '\0'; /* of the call before */
    if (gpus > 0)
        snprintf(text, sizeof text, "%d x %s%s", gpus, device_name(), cpus ? " + " : "");
    if (cpus > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d x %s", cpus, cpu_name());
    return text;
}
