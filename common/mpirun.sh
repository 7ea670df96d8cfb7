#!/bin/sh
# Starts a program of this repository by mpirun, with Open MPI or MPICH: common/mpirun.sh -np RANKS PROGRAM [OPTION]...
# Open MPI refuses to run as root, or with more ranks than cores, unless these variables allow it.
# MPICH ignores them.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
exec mpirun "$@"
