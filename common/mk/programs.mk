# Links objects to the common library, its tests, and the programs.

# ONLY: the programs that are built, tested, run or cleaned; empty: all. "solvers": all programs of the solvers.
ONLY   :=
CHOSEN := $(patsubst solvers,$(SOLVER_PROGRAMS),$(or $(ONLY),$(PROGRAMS) $(SOLVER_PROGRAMS)))

# $(call OBJECTS,flavour,files): the objects of these source files (with their path from the top).
OBJECTS = $(2:%=$(BUILD)/$1/obj/%.o)
# $(call LINKED,flavour,files,more objects): all from which a program is linked. The CPU device finds the kernels' static
# shared variables between shared_begin and shared_end.
LINKED = $(call MARK,$1,begin) $(call OBJECTS,$1,$2) $3 $(call MARK,$1,end) $(BUILD)/$1/libcommon.a
MARK   = $(if $(filter-out gpu,$1),$(BUILD)/$1/obj/common/cpu_device/shared_$2.c.o)

# The recipe that links. LIBS: libraries of a single program, set next to the program's rule.
define LINK
$(call SAY,LINK,$@)
$(Q)$(LINK_$(FLAVOUR)) -o $@ $^ $(LIBS) $(LIBATOMIC) -lm -lpthread
endef

# ---- the common library ----

COMMON := $(addprefix common/,options.c results.c table.c timing.c verify.c problems.c baseline.c expect.c \
            device_program.cu ceiling.cu systems.cu)
CPU_DEVICE := $(addprefix common/cpu_device/,launch.c schedule.c fibres.c copies.c runtime.c errors.c)
COUNTER    := $(addprefix common/cpu_device/,cache.c count.c count_blocks.c count_cache.c count_compiler.c count_faults.c \
                count_picture.c count_requests.c count_static.c count_table.c)
UNITS_cpu   := $(COMMON) $(CPU_DEVICE)
UNITS_san   := $(UNITS_cpu)
UNITS_count := $(UNITS_cpu) $(COUNTER)
UNITS_gpu   := $(COMMON)
define ARCHIVE
$(BUILD)/$1/libcommon.a: $(call OBJECTS,$1,$(UNITS_$1))
	@rm -f $$@
	@ar rcs $$@ $$^
endef
$(foreach f,$(PROGRAM_FLAVOURS),$(eval $(call ARCHIVE,$f)))

# ---- the tests of the common library ----

# $(call PROGRAM_OF,flavour,program,files): the rule that links a program. LANES_OF: of the cpu flavour, but for some
# files, the fourth argument, which are of this flavour.
define PROGRAM_OF
$(BUILD)/$1/$2: $(call LINKED,$1,$3)
	$$(LINK)
endef
define LANES_OF
$(BUILD)/$1/$2: $(call LINKED,cpu,$3,$(call OBJECTS,$1,$4))
	$$(LINK)
endef

C_TESTS := test_options test_results test_timing test_verify test_lanes test_cache
# Other programs have the model of the caches in the count build only.
WITH_test_cache := common/cpu_device/cache.c
$(foreach f,cpu san,\
    $(foreach t,$(C_TESTS),$(eval $(call PROGRAM_OF,$f,$t,common/$t.c $(WITH_$t)))) \
    $(eval $(call PROGRAM_OF,$f,test_device,common/test_device.cu common/test_cpu_device.cu)))
$(eval $(call PROGRAM_OF,gpu,test_device,common/test_device.cu))
$(eval $(call PROGRAM_OF,count,test_count,common/test_count.cu))
$(foreach f,avx2 plain,$(eval $(call LANES_OF,$f,test_lanes,,common/test_lanes.c)))

# ---- the targets; program.mk adds the programs to them ----

.PHONY: counted listed lanes
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
