# Links objects to the common library, its tests, and the programs.

# ONLY: the programs that are built, tested, run or cleaned; empty: all. "solvers" means all programs of the
# solvers.
ONLY   :=
CHOSEN := $(patsubst solvers,$(SOLVER_PROGRAMS),$(or $(ONLY),$(PROGRAMS) $(SOLVER_PROGRAMS)))

# $(call OBJECTS,flavour,files): the objects of these source files, which are given with their path from the top.
OBJECTS = $(2:%=$(BUILD)/$1/obj/%.o)
# $(call LINKED,flavour,files,more objects): everything from which a program with these source files is linked. In all
# builds except the GPU build, the object shared_begin comes first and shared_end after the kernels' objects. The CPU
# device finds the kernels' static shared variables in memory between these two.
LINKED = $(call MARK,$1,begin) $(call OBJECTS,$1,$2) $3 $(call MARK,$1,end) $(BUILD)/$1/libcommon.a
MARK   = $(if $(filter-out gpu,$1),$(BUILD)/$1/obj/common/cpu_device/shared_$2.c.o)

# The recipe that links. LIBS: libraries of a single program, set next to the program's rule.
define LINK
$(call SAY,LINK,$@)
$(Q)$(LINK_$(FLAVOUR)) -o $@ $^ $(LIBS) -lm -lpthread
endef

# ---- the common library ----

COMMON := $(addprefix common/,options.c results.c table.c timing.c verify.c problems.c baseline.c expect.c \
            device_program.cu ceiling.cu csv.cu systems.cu)
CPU_DEVICE := $(addprefix common/cpu_device/,launch.c schedule.c fibres.c copies.c runtime.c errors.c)
COUNTER    := $(addprefix common/cpu_device/,cache.c count.c count_blocks.c count_cache.c count_compiler.c count_faults.c \
                count_picture.c count_requests.c count_static.c count_table.c)
define ARCHIVE
@rm -f $@
@ar rcs $@ $^
endef
$(BUILD)/cpu/libcommon.a:   $(call OBJECTS,cpu,$(COMMON) $(CPU_DEVICE))
	$(ARCHIVE)
$(BUILD)/san/libcommon.a:   $(call OBJECTS,san,$(COMMON) $(CPU_DEVICE))
	$(ARCHIVE)
$(BUILD)/count/libcommon.a: $(call OBJECTS,count,$(COMMON) $(CPU_DEVICE) $(COUNTER))
	$(ARCHIVE)
$(BUILD)/gpu/libcommon.a:   $(call OBJECTS,gpu,$(COMMON))
	$(ARCHIVE)

# ---- the tests of the common library ----

C_TESTS := test_options test_results test_timing test_verify test_lanes test_cache
$(C_TESTS:%=$(BUILD)/cpu/%): $(BUILD)/cpu/%: $(call LINKED,cpu,common/%.c)
	$(LINK)
$(C_TESTS:%=$(BUILD)/san/%): $(BUILD)/san/%: $(call LINKED,san,common/%.c)
	$(LINK)
# The model of the caches is else in the count build only.
$(BUILD)/cpu/test_cache $(BUILD)/san/test_cache: $(BUILD)/%/test_cache: $(BUILD)/%/obj/common/cpu_device/cache.c.o
$(BUILD)/cpu/test_device: $(call LINKED,cpu,common/test_device.cu common/test_cpu_device.cu)
	$(LINK)
$(BUILD)/san/test_device: $(call LINKED,san,common/test_device.cu common/test_cpu_device.cu)
	$(LINK)
$(BUILD)/gpu/test_device: $(call LINKED,gpu,common/test_device.cu)
	$(LINK)
$(BUILD)/count/test_count: $(call LINKED,count,common/test_count.cu)
	$(LINK)
$(BUILD)/avx2/test_lanes: $(call LINKED,cpu,,$(call OBJECTS,avx2,common/test_lanes.c))
	$(LINK)
$(BUILD)/plain/test_lanes: $(call LINKED,cpu,,$(call OBJECTS,plain,common/test_lanes.c))
	$(LINK)

# ---- the targets; program.mk adds the programs to them ----

.PHONY: counted lanes
tests: cpu $(C_TESTS:%=$(BUILD)/cpu/%) $(BUILD)/cpu/test_device
ifneq ($(SANITIZE),)
tests: san $(C_TESTS:%=$(BUILD)/san/%) $(BUILD)/san/test_device
endif
ifneq ($(NVCC),)
tests: gpu $(BUILD)/gpu/test_device
endif
tests: counted lanes
counted: $(BUILD)/count/test_count
# Builds for vectors of other widths than this processor's own, if it can run their code.
VECTORS := $(if $(shell grep -wm 1 avx2 /proc/cpuinfo),avx2) $(if $(filter x86_64,$(shell uname -m)),plain)
lanes: $(VECTORS:%=$(BUILD)/%/test_lanes)

# `make run` runs the first of the chosen programs, on a GPU if there is one, otherwise on the CPU device.
ifneq ($(ONLY),solvers)
run: $(foreach f,cpu $(if $(NVCC),gpu),$(BUILD)/$f/$(firstword $(CHOSEN)))
	@program=$(BUILD)/gpu/$(firstword $(CHOSEN)); \
	 nvidia-smi -L >/dev/null 2>&1 && [ -x $$program ] || program=$(BUILD)/cpu/$(firstword $(CHOSEN)); exec $$program
endif

# ---- the programs ----

PROGRAM_MK := common/mk/program.mk
CLEANED := # the files that `make clean ONLY=…` deletes; every PROGRAM/Makefile adds its own
include $(PROGRAMS:%=%/Makefile) solvers/programs.mk
