# The rules for one program in all its builds: BUILD/FLAVOUR/PROGRAM. The last line of every PROGRAM/Makefile includes
# this file. If make runs in the program's directory, this file calls the top Makefile with the same target. If the top
# Makefile reads this file, the file defines the rules. PROGRAM/Makefile sets these variables:
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
# $(call FROM_TOP,files): the files with their path from the top directory. USES already contains such paths, while the
# files of SOURCES need the program's directory in front.
FROM_TOP   = $(foreach f,$1,$(if $(filter $f,$(USES) $(MPI_USES)),$f,$(PROGRAM)/$f))
FILES     := $(call FROM_TOP,$(SOURCES) $(USES))
FILES_gpu := $(FILES) $(SOURCES_gpu:%=$(PROGRAM)/%) $(USES_gpu)
PEER_LIBS := $(if $(PEERS),$(LAPACK))

$(BUILD)/cpu/$(PROGRAM): $(call LINKED,cpu,$(FILES))
	$(LINK)
$(BUILD)/san/$(PROGRAM): $(call LINKED,san,$(FILES))
	$(LINK)
$(BUILD)/cpu/$(PROGRAM) $(BUILD)/san/$(PROGRAM): LIBS := $(PEER_LIBS)
cpu: $(if $(IF_CHOSEN),$(BUILD)/cpu/$(PROGRAM))
san: $(if $(IF_CHOSEN),$(BUILD)/san/$(PROGRAM))

# Only a program with kernels (.cu files) has a count build and a GPU build.
ifneq ($(filter %.cu,$(FILES)),)
$(BUILD)/count/$(PROGRAM): $(call LINKED,count,$(FILES))
	$(LINK)
$(BUILD)/gpu/$(PROGRAM): $(call LINKED,gpu,$(FILES_gpu))
	$(LINK)
$(BUILD)/count/$(PROGRAM): LIBS := $(PEER_LIBS)
$(BUILD)/gpu/$(PROGRAM): LIBS := $(PEER_LIBS) $(LIBS_gpu)
counted: $(if $(IF_CHOSEN),$(BUILD)/count/$(PROGRAM))
gpu: $(if $(IF_CHOSEN),$(BUILD)/gpu/$(PROGRAM))
endif

# The builds for vectors of other processors compile only the files of LANES again. The other objects are those of the
# cpu build.
ifneq ($(LANES),)
LANE_FILES := $(call FROM_TOP,$(LANES))
SAME_FILES := $(filter-out $(LANE_FILES),$(FILES))
$(BUILD)/avx2/$(PROGRAM): $(call LINKED,cpu,$(SAME_FILES),$(call OBJECTS,avx2,$(LANE_FILES)))
	$(LINK)
$(BUILD)/plain/$(PROGRAM): $(call LINKED,cpu,$(SAME_FILES),$(call OBJECTS,plain,$(LANE_FILES)))
	$(LINK)
$(BUILD)/avx2/$(PROGRAM) $(BUILD)/plain/$(PROGRAM): LIBS := $(PEER_LIBS)
lanes: $(if $(IF_CHOSEN),$(VECTORS:%=$(BUILD)/%/$(PROGRAM)))
endif

ifneq ($(and $(MPI),$(MPI_NAME)),)
MPI_OWN   := $(MPI_SOURCES:%=$(PROGRAM)/%) $(MPI_USES)
MPI_FILES := $(MPI_OWN) $(call FROM_TOP,$(MPI_UNITS))
$(foreach f,$(PROGRAM_FLAVOURS),$(call OBJECTS,$f,$(MPI_OWN))): EXTRA := $(MPI_INCLUDE)
$(BUILD)/cpu/$(MPI_NAME): $(call LINKED,cpu,$(MPI_FILES))
	$(LINK)
$(BUILD)/san/$(MPI_NAME): $(call LINKED,san,$(MPI_FILES))
	$(LINK)
$(BUILD)/cpu/$(MPI_NAME) $(BUILD)/san/$(MPI_NAME): LIBS := $(MPI_LIBS) $(PEER_LIBS)
cpu: $(if $(IF_CHOSEN),$(BUILD)/cpu/$(MPI_NAME))
san: $(if $(IF_CHOSEN),$(BUILD)/san/$(MPI_NAME))
ifneq ($(filter %.cu,$(MPI_OWN)),)
$(BUILD)/gpu/$(MPI_NAME): $(call LINKED,gpu,$(MPI_FILES))
	$(LINK)
$(BUILD)/gpu/$(MPI_NAME): LIBS := $(patsubst -Wl$(COMMA)%,-Xlinker %,$(MPI_LIBS)) $(PEER_LIBS) # nvcc does not know -Wl,
gpu: $(if $(IF_CHOSEN),$(BUILD)/gpu/$(MPI_NAME))
endif
endif

CLEANED += $(if $(IF_CHOSEN),$(wildcard $(foreach p,$(PROGRAM) $(MPI_NAME),$(BUILD)/*/$p $(BUILD)/*/obj/$p)))

# Clears all variables for the next PROGRAM/Makefile, because the top Makefile reads all of them.
SOLVER :=
SOURCES :=
SOURCES_gpu :=
USES :=
USES_gpu :=
LIBS_gpu :=
PEERS :=
LANES :=
MPI_NAME :=
MPI_SOURCES :=
MPI_USES :=
MPI_UNITS :=
endif
