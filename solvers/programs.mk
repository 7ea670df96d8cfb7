# The programs that check and measure the solvers: BUILD/FLAVOUR/SOLVER. common/mk/program.mk explains the variables.

SOLVER      := tridiagonal
USES        := $(addprefix solvers/,tridiagonal.cu tridiagonal_cpu.c \
                 $(addprefix bench/,tridiagonal_main.cu tridiagonal.cu tridiagonal_case.cu gradient_verdict.c memory_floor.cu \
                   tridiagonal_cpu.cu accuracy.cu peer_lapack.c) \
                 $(addprefix test/,tridiagonal.cu tridiagonal_breakdown.cu tridiagonal_automatic.cu \
                   tridiagonal_gradient.cu gradient.c accuracy.cu tridiagonal_cpu.cu hard_systems.c matrices.c)) \
               nshape/nshape.cu
USES_gpu    := solvers/bench/peer_cusparse.cu
LIBS_gpu    := -lcusparse
LANES       := solvers/tridiagonal_cpu.c
PEERS       := lapack
MPI_NAME    := tridiagonal_mpi
MPI_USES    := common/mpi_place.cu $(addprefix solvers/,tridiagonal_mpi.cu \
                 bench/tridiagonal_mpi.cu test/tridiagonal_mpi.cu)
MPI_UNITS   := $(addprefix solvers/,tridiagonal_cpu.c tridiagonal.cu bench/tridiagonal_case.cu test/matrices.c)
include common/mk/program.mk

SOLVER      := recurrence
USES        := $(addprefix solvers/,recurrence.cu recurrence_cpu.c bench/recurrence.cu bench/recurrence_cpu.cu \
                 bench/sequences.cu test/recurrence.cu test/recurrence_cpu.cu) pscheme_g/pscheme_g.cu
USES_gpu    := solvers/bench/peer_cub.cu
LANES       := solvers/recurrence_cpu.c
include common/mk/program.mk

# Every file solvers/bench/peer_* is linked, so that a new peer is one such file and one line of PEERS in
# tridiagonal_batch_main.cu.
SOLVER      := tridiagonal_batch
USES        := $(addprefix solvers/,tridiagonal_batch.cu tridiagonal_batch_cpu.c bench/tridiagonal_batch_main.cu \
                 bench/tridiagonal_batch.cu bench/tridiagonal_batch_cpu.cu bench/gradient_verdict.c \
                 test/tridiagonal_batch.cu test/tridiagonal_batch_trial.cu test/tridiagonal_batch_hard.cu \
                 test/tridiagonal_batch_gradient.cu test/gradient.c \
                 test/hard_systems.c test/matrices.c) pscheme_g/pscheme_g.cu \
               $(filter-out %/peer_cub.cu %/peer_cusparse.cu,$(wildcard solvers/bench/peer_*))
LIBS_gpu    := -lcusparse
LANES       := solvers/tridiagonal_batch_cpu.c
PEERS       := lapack
MPI_NAME    := tridiagonal_batch_mpi
MPI_USES    := $(addprefix solvers/,tridiagonal_batch_mpi.cu bench/tridiagonal_batch_mpi_main.cu \
                 bench/tridiagonal_batch_mpi.cu test/tridiagonal_batch_mpi.cu)
include common/mk/program.mk

SOLVER      := heat
USES        := $(addprefix solvers/,tridiagonal_batch.cu applications/heat.cu applications/heat_bench.cu \
                 applications/heat_check.cu applications/heat_modes.cu) pscheme_g/pscheme_g.cu
USES_gpu    := solvers/applications/heat_cusparse.cu solvers/bench/peer_cusparse_batch.cu
LIBS_gpu    := -lcusparse
include common/mk/program.mk

SOLVER      := filter
USES        := $(addprefix solvers/,filter.cu filter_cpu.c bench/filter.cu bench/filter_cpu.cu bench/filter_case.cu \
                 test/filter.cu test/filter_cpu.cu)
LANES       := solvers/filter_cpu.c
include common/mk/program.mk

SOLVER      := recurrence2
USES        := $(addprefix solvers/,recurrence2.cu bench/recurrence2.cu bench/recurrence2_case.cu test/recurrence2.cu)
include common/mk/program.mk

# What recurrences are for.
SOLVER      := dpcm
USES        := $(addprefix solvers/,recurrence.cu recurrence_cpu.c applications/dpcm.cu)
include common/mk/program.mk

SOLVER      := gated
USES        := $(addprefix solvers/,recurrence.cu recurrence_cpu.c bench/sequences.cu applications/gated.cu)
include common/mk/program.mk

SOLVER      := equaliser
USES        := $(addprefix solvers/,filter.cu filter_cpu.c bench/filter_case.cu applications/equaliser.cu)
include common/mk/program.mk

SOLVER      := depth_of_field
USES        := $(addprefix solvers/,tridiagonal_batch.cu tridiagonal_batch_cpu.c applications/depth_of_field.cu)
include common/mk/program.mk
