# The programs that check and measure the solvers: BUILD/FLAVOUR/SOLVER. common/mk/program.mk explains the variables.

SOLVER      := tridiagonal
USES        := $(addprefix solvers/,tridiagonal.cu tridiagonal_cpu.c \
                 $(addprefix bench/,tridiagonal_main.cu tridiagonal.cu tridiagonal_case.cu memory_floor.cu \
                   tridiagonal_cpu.cu accuracy.cu peer_lapack.c) \
                 $(addprefix test/,tridiagonal.cu tridiagonal_breakdown.cu tridiagonal_automatic.cu accuracy.cu \
                   tridiagonal_cpu.cu hard_systems.c matrices.c)) nshape/nshape.cu
USES_gpu    := solvers/bench/peer_cusparse.cu
LIBS_gpu    := -lcusparse
LANES       := solvers/tridiagonal_cpu.c
PEERS       := lapack
MPI_NAME    := tridiagonal_mpi
MPI_USES    := common/mpi_place.cu $(addprefix solvers/,tridiagonal_mpi.cu bench/tridiagonal_mpi_main.cu \
                 bench/tridiagonal_mpi.cu test/tridiagonal_mpi.cu)
MPI_UNITS   := $(addprefix solvers/,tridiagonal_cpu.c tridiagonal.cu bench/tridiagonal_case.cu test/matrices.c)
include common/mk/program.mk
