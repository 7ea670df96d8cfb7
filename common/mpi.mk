# Included after common.mk by a program directory that has an MPI program as well:
#   NAME_mpi     e.g. pscheme_mpi
#   SOURCES_mpi  its own files, which see mpi.h
#   UNITS_mpi    files of SOURCES that it needs besides  (optional)
# Built where there is an mpicc, which is asked for flags; elsewhere nothing is built and nothing is said.
MPICC ?= $(firstword $(shell command -v mpicc))

ifneq ($(MPICC),)
# MPICH and Open MPI both answer -show. nvcc hands -Wl, on by another name.
COMMA := ,
MPI_FLAGS   := $(shell $(MPICC) -show)
MPI_INCLUDE := $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_FLAGS))) -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX
MPI_LIBS    := $(filter -L% -l% -Wl%,$(MPI_FLAGS))
MPI_LIBS_cpu = $(MPI_LIBS)
MPI_LIBS_san = $(MPI_LIBS)
MPI_LIBS_gpu = $(patsubst -Wl$(COMMA)%,-Xlinker %,$(MPI_LIBS))

define MPI_RULES
OBJECTS_mpi_$1 := $(SOURCES_mpi:%=$(BUILD)/$1/obj/$(DIR)/%.o)
$$(OBJECTS_mpi_$1): EXTRA = $(MPI_INCLUDE)
$(BUILD)/$1/$(NAME_mpi): $$(call MARK_$1,begin) $$(OBJECTS_mpi_$1) $(UNITS_mpi:%=$(BUILD)/$1/obj/$(DIR)/%.o) \
                         $$(call MARK_$1,end) $(BUILD)/$1/libcommon.a
	$$(LINK_$1) -o $$@ $$^ $$(MPI_LIBS_$1) -lm -lpthread
$1: $(BUILD)/$1/$(NAME_mpi)
endef
$(foreach f,$(filter-out gpu,$(FLAVOURS)) san $(if $(filter %.cu,$(SOURCES_mpi)),$(filter gpu,$(FLAVOURS))),\
    $(eval $(call MPI_RULES,$f)))
endif

.PHONY: clean_mpi
clean: clean_mpi
clean_mpi:
	rm -f $(foreach f,cpu san gpu,$(BUILD)/$f/$(NAME_mpi))
