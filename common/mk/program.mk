# The rules for one program in all its builds, BUILD/FLAVOUR/PROGRAM. Every PROGRAM/Makefile includes this file in its
# last line. If make runs in the program's directory, this file calls the top Makefile, which reads it again. Variables:
#   SOLVER       the program's name, if it has no directory of its own (solvers/programs.mk); then only USES name files
#   SOURCES      source files in the program's directory
#   USES         source files in other directories, with their path from the top, e.g. solvers/recurrence.cu
#   SOURCES_gpu, USES_gpu   additional files of the GPU build
#   LIBS_gpu     libraries of the GPU build
#   PEERS        "lapack" if the program is to be linked with LAPACKE, where that is installed
#   LANES        the files of SOURCES and USES whose code depends on the width of the processor's vectors
#   MPI_NAME, MPI_SOURCES, MPI_USES, MPI_UNITS   a second program, which runs over MPI ranks: its name, its own files,
#                files in other directories that only it needs, and the files of SOURCES and USES that it needs
ifndef PROGRAM_MK # make runs in the program's directory

PROGRAM := $(lastword $(subst /, ,$(CURDIR)))
TARGETS := all cpu gpu san count test test-all run clean
.PHONY: $(TARGETS)
$(TARGETS):
	@$(MAKE) --no-print-directory -C .. ONLY=$(PROGRAM) $@
all:

else # the top Makefile reads this file

PROGRAM := $(or $(SOLVER),$(patsubst %/Makefile,%,$(lastword $(filter %/Makefile,$(MAKEFILE_LIST)))))
IF_CHOSEN := $(filter $(PROGRAM),$(CHOSEN))
# $(call FROM_TOP,files): the files of SOURCES and USES with their path from the top directory, as USES has it.
FROM_TOP   = $(foreach f,$1,$(if $(filter $f,$(USES) $(MPI_USES)),$f,$(PROGRAM)/$f))
FILES     := $(call FROM_TOP,$(SOURCES) $(USES))
FILES_gpu := $(FILES) $(SOURCES_gpu:%=$(PROGRAM)/%) $(USES_gpu)
PEER_LIBS := $(if $(PEERS),$(LAPACK))

# A program whose main() is C has no kernels, and so no count build and no GPU build.
BUILT_AS := cpu san $(if $(filter %/main.c,$(FILES)),,count gpu)
$(foreach f,$(BUILT_AS),$(eval $(call PROGRAM_OF,$f,$(PROGRAM),$(if $(filter gpu,$f),$(FILES_gpu),$(FILES)))))
$(BUILT_AS:%=$(BUILD)/%/$(PROGRAM)): LIBS := $(PEER_LIBS)
$(BUILD)/gpu/$(PROGRAM): LIBS += $(LIBS_gpu)
ifneq ($(IF_CHOSEN),)
$(foreach f,$(BUILT_AS),$(eval $(if $(filter count,$f),counted,$f): $(BUILD)/$f/$(PROGRAM)))
listed: $(if $(wildcard $(PROGRAM)/counts.list solvers/bench/$(PROGRAM).counts),$(BUILD)/count/$(PROGRAM))
endif

# The builds for vectors of other processors compile only the files of LANES again.
ifneq ($(LANES),)
LANE_FILES := $(call FROM_TOP,$(LANES))
$(foreach f,avx2 plain,$(eval $(call LANES_OF,$f,$(PROGRAM),$(filter-out $(LANE_FILES),$(FILES)),$(LANE_FILES))))
$(BUILD)/avx2/$(PROGRAM) $(BUILD)/plain/$(PROGRAM): LIBS := $(PEER_LIBS)
lanes: $(if $(IF_CHOSEN),$(VECTORS:%=$(BUILD)/%/$(PROGRAM)))
endif

ifneq ($(and $(MPI),$(MPI_NAME)),)
MPI_OWN   := $(MPI_SOURCES:%=$(PROGRAM)/%) $(MPI_USES)
MPI_BUILT_AS := cpu san $(if $(filter %.cu,$(MPI_OWN)),gpu)
$(foreach f,$(PROGRAM_FLAVOURS),$(call OBJECTS,$f,$(MPI_OWN))): EXTRA := $(MPI_INCLUDE)
$(foreach f,$(MPI_BUILT_AS),$(eval $(call PROGRAM_OF,$f,$(MPI_NAME),$(MPI_OWN) $(call FROM_TOP,$(MPI_UNITS)))))
$(BUILD)/cpu/$(MPI_NAME) $(BUILD)/san/$(MPI_NAME): LIBS := $(MPI_LIBS) $(PEER_LIBS)
$(BUILD)/gpu/$(MPI_NAME): LIBS := $(patsubst -Wl$(COMMA)%,-Xlinker %,$(MPI_LIBS)) $(PEER_LIBS) # nvcc does not know -Wl,
ifneq ($(IF_CHOSEN),)
$(foreach f,$(MPI_BUILT_AS),$(eval $f: $(BUILD)/$f/$(MPI_NAME)))
endif
endif

CLEANED += $(if $(IF_CHOSEN),$(wildcard $(foreach p,$(PROGRAM) $(MPI_NAME),$(BUILD)/*/$p $(BUILD)/*/obj/$p)))

# Clears all variables for the next PROGRAM/Makefile, because the top Makefile reads all of them.
$(foreach v,SOLVER SOURCES SOURCES_gpu USES USES_gpu LIBS_gpu PEERS LANES MPI_NAME MPI_SOURCES MPI_USES MPI_UNITS,\
    $(eval $v :=))
endif
