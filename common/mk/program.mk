# One program in all its builds: BUILD/FLAVOUR/PROGRAM. The last line of every PROGRAM/Makefile includes this file. It
# is read in two ways: by `make` in the program's directory, which hands its targets to the top, and by the top
# Makefile, for the rules. PROGRAM/Makefile sets
#   SOURCES      its files
#   USES         files of other directories, as seen from the top, e.g. solvers/recurrence.cu
#   SOURCES_gpu, USES_gpu   further files of the GPU build
#   LIBS_gpu     libraries of the GPU build
#   PEERS        lapack: linked with LAPACKE, where it is
#   LANES        those of SOURCES and USES whose code depends on the processor's vectors
#   MPI_NAME, MPI_SOURCES, MPI_UNITS   a second program, over MPI ranks: its name, its own files, and the files of
#                SOURCES and USES that it needs
ifndef PROGRAM_MK # `make` in the program's directory

PROGRAM := $(lastword $(subst /, ,$(CURDIR)))
TARGETS := all cpu gpu san count test run clean
.PHONY: $(TARGETS)
$(TARGETS):
	@$(MAKE) --no-print-directory -C .. ONLY=$(PROGRAM) $@
all:

else # the top Makefile

PROGRAM := $(patsubst %/Makefile,%,$(lastword $(filter %/Makefile,$(MAKEFILE_LIST))))
IF_CHOSEN := $(filter $(PROGRAM),$(CHOSEN))
# $(call FROM_TOP,files): as seen from the top. The files of USES are given so, those of SOURCES are not.
FROM_TOP   = $(foreach f,$1,$(if $(filter $f,$(USES)),$f,$(PROGRAM)/$f))
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

# A program without kernels has no counts and no GPU build.
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

# For the lanes of other processors only the files of LANES are compiled again.
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
MPI_FILES := $(call FROM_TOP,$(MPI_SOURCES) $(MPI_UNITS))
MPI_OWN   := $(MPI_SOURCES:%=$(PROGRAM)/%)
$(foreach f,$(PROGRAM_FLAVOURS),$(call OBJECTS,$f,$(MPI_OWN))): EXTRA := $(MPI_INCLUDE)
$(BUILD)/cpu/$(MPI_NAME): $(call LINKED,cpu,$(MPI_FILES))
	$(LINK)
$(BUILD)/san/$(MPI_NAME): $(call LINKED,san,$(MPI_FILES))
	$(LINK)
$(BUILD)/cpu/$(MPI_NAME) $(BUILD)/san/$(MPI_NAME): LIBS := $(MPI_LIBS)
cpu: $(if $(IF_CHOSEN),$(BUILD)/cpu/$(MPI_NAME))
san: $(if $(IF_CHOSEN),$(BUILD)/san/$(MPI_NAME))
ifneq ($(filter %.cu,$(MPI_SOURCES)),)
$(BUILD)/gpu/$(MPI_NAME): $(call LINKED,gpu,$(MPI_FILES))
	$(LINK)
$(BUILD)/gpu/$(MPI_NAME): LIBS := $(patsubst -Wl$(COMMA)%,-Xlinker %,$(MPI_LIBS)) # -Wl, by nvcc's name
gpu: $(if $(IF_CHOSEN),$(BUILD)/gpu/$(MPI_NAME))
endif
endif

CLEANED += $(if $(IF_CHOSEN),$(wildcard $(foreach p,$(PROGRAM) $(MPI_NAME),$(BUILD)/*/$p $(BUILD)/*/obj/$p)))

# The next PROGRAM/Makefile starts with none of these set.
SOURCES :=
SOURCES_gpu :=
USES :=
USES_gpu :=
LIBS_gpu :=
PEERS :=
LANES :=
MPI_NAME :=
MPI_SOURCES :=
MPI_UNITS :=
endif
