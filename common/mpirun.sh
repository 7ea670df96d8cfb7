#!/bin/sh
# mpirun as it is needed here, whichever MPI it is: common/mpirun.sh -np RANKS PROGRAM [OPTION]...
# Open MPI must be told that root and more ranks than cores are meant; MPICH needs no telling.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
exec mpirun "$@"
