/* On which processor a rank works: on a GPU of its host, or on some of the host's cores. */
#pragma once

#include "device_program.h"
#include "mpi_program.h"

extern int cores;           /* CPU cores that this rank uses; 0: the rank works on a GPU */
extern cudaStream_t stream; /* of this rank's GPU */

/* Chooses the processor of every rank. The first `gpus` ranks of a host (-1: as many as it has
 * GPUs) get one GPU each, the others share the host's cores. If root_works is false, rank 0 has no
 * rows and is not counted. Collective. */
void choose_place(int gpus, bool root_works);

/* E.g. "2 x NVIDIA H100 + 1 x CPU", for the CSV file. *cores_of_rank becomes the largest `cores` of
 * a rank. Collective. */
const char *places(int *cores_of_rank);
