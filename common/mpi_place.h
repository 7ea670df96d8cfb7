/* On which processor a rank works: on a GPU of its host, or on some of the host's cores. */
#ifndef MPI_PLACE_H
#define MPI_PLACE_H

#include "device_program.h"
#include "mpi_program.h"

extern int cores;           /* CPU cores that this rank uses; 0: the rank works on a GPU */
extern cudaStream_t stream; /* of this rank's GPU */

/* Chooses the processor of every rank. The first `gpus` ranks of a host get one GPU each (gpus =
 * -1: as many ranks as there are GPUs). The other ranks share the host's cores. If root_works is
 * false, rank 0 has no rows and is not counted. Collective (all ranks must call it together). */
void choose_place(int gpus, bool root_works);

/* Returns a text like "2 x NVIDIA H100 + 1 x CPU" for the CSV file. Stores in *cores_of_rank the
 * largest value of `cores` on any rank. Collective. */
const char *places(int *cores_of_rank);

#endif
