# Included after common.mk by a program directory that has an MPI program as well:
#   NAME_mpi     e.g. pscheme_mpi
#   SOURCES_mpi  its files
# Built in the CPU flavours where there is an mpicc; elsewhere nothing is built and nothing is said.
MPICC ?= $(firstword $(shell command -v mpicc))

ifneq ($(MPICC),)
# The same compilers as everywhere, behind MPI's wrapper: MPICH and Open MPI each look at a variable of their own.
# $(call WRAPPED,compiler,command line that begins with it)
WRAPPED = MPICH_CC='$1' OMPI_CC='$1' $(MPICC) $(subst $1 -,-,$2)

define MPI_RULES
OBJECTS_mpi_$1 := $(SOURCES_mpi:%=$(BUILD)/$1/obj/$(DIR)/%.o)
# private: what the objects depend on keeps the plain compiler.
$$(OBJECTS_mpi_$1): private C_$1 := $$(call WRAPPED,$(CC),$$(C_$1))
$(BUILD)/$1/$(NAME_mpi): $$(OBJECTS_mpi_$1) $(BUILD)/$1/libcommon.a
	$$(call WRAPPED,$(CXX),$$(LINK_$1)) -o $$@ $$^ -lm -lpthread
$1: $(BUILD)/$1/$(NAME_mpi)
endef
$(foreach f,cpu san,$(eval $(call MPI_RULES,$f)))
endif

.PHONY: clean_mpi
clean: clean_mpi
clean_mpi:
	rm -f $(foreach f,cpu san,$(BUILD)/$f/$(NAME_mpi))
