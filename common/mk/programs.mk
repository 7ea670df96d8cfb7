# From objects to programs and tests: BUILD/FLAVOUR/NAME.
#
# PROGRAM/Makefile sets, for the program of the same name,
#   SOURCES      its files
#   USES         files of other directories, as seen from the top, e.g. pscheme_gpu/pscheme_gpu.cu
#   SOURCES_gpu, USES_gpu   further ones of the GPU build
#   LIBS_gpu     libraries of the GPU build
#   PEERS        lapack: linked with LAPACKE, where it is
#   LANES        those of SOURCES and USES whose code depends on the processor's vectors
#   MPI_NAME, MPI_SOURCES, MPI_UNITS   a second program over MPI ranks: its own files, and those of SOURCES and USES
#                that it needs
# and includes program.mk, which keeps them as PROGRAM_SOURCES, … and serves `make` in that directory.
FIELDS := SOURCES SOURCES_gpu USES USES_gpu LIBS_gpu PEERS LANES MPI_NAME MPI_SOURCES MPI_UNITS
PROGRAM_MK := common/mk/program.mk
define READ
PROGRAM := $1
include $1/Makefile
endef
$(foreach p,$(PROGRAMS),$(eval $(call READ,$p)))

# ONLY: the programs that the targets are about.
ONLY   :=
CHOSEN := $(or $(ONLY),$(PROGRAMS))

# $(call FROM_TOP,program,files): as seen from the top directory. $(call OBJECTS,flavour,files seen from the top)
FROM_TOP = $(foreach f,$2,$(if $(filter $f,$($1_USES)),$f,$1/$f))
OBJECTS  = $(2:%=$(BUILD)/$1/obj/%.o)
$(foreach p,$(PROGRAMS),$(eval $p_FILES := $(addprefix $p/,$($p_SOURCES)) $($p_USES)) \
    $(eval $p_FILES_gpu := $(addprefix $p/,$($p_SOURCES_gpu)) $($p_USES_gpu)))

LIBRARY := $(addprefix common/,options.c results.c timing.c verify.c problems.c baseline.c expect.c device_program.cu ceiling.cu csv.cu systems.cu)
LIBRARY_cpu   := common/cpu_device/cpu_device.c
LIBRARY_san   := $(LIBRARY_cpu)
LIBRARY_count := $(LIBRARY_cpu) common/cpu_device/count.c

# $(call LINK,flavour,objects): the CPU device finds static shared variables between two marks.
MARK = $(if $(filter-out gpu,$1),$(BUILD)/$1/obj/common/cpu_device/shared_$2.c.o)
LINK_OF = $(call MARK,$1,begin) $2 $(call MARK,$1,end) $(BUILD)/$1/libcommon.a

define LIBRARY_RULES
$(BUILD)/$1/libcommon.a: $(call OBJECTS,$1,$(LIBRARY) $(LIBRARY_$1))
	@rm -f $$@
	@ar rcs $$@ $$^
$(BUILD)/$1/test_%: $(call LINK_OF,$1,$(BUILD)/$1/obj/common/test_%.c.o)
	$$(call SAY,LINK,$$@)
	$$(Q)$$(LINK_$1) -o $$@ $$^ -lm -lpthread
$(BUILD)/$1/test_%: $(call LINK_OF,$1,$(BUILD)/$1/obj/common/test_%.cu.o)
	$$(call SAY,LINK,$$@)
	$$(Q)$$(LINK_$1) -o $$@ $$^ -lm -lpthread
endef
$(foreach f,$(FLAVOURS),$(eval $(call LIBRARY_RULES,$f)))

# The targets that build a flavour; `make count` also runs what `counted` builds.
GOAL_cpu := cpu
GOAL_san := san
GOAL_gpu := gpu
GOAL_count := counted
.PHONY: counted

# $(call PROGRAM_RULES,flavour,program)
define PROGRAM_RULES
$(BUILD)/$1/$2: $(call LINK_OF,$1,$(call OBJECTS,$1,$($2_FILES) $($2_FILES_$1)))
	$$(call SAY,LINK,$$@)
	$$(Q)$$(LINK_$1) -o $$@ $$^ $(if $($2_PEERS),$(LAPACK)) $($2_LIBS_$1) -lm -lpthread
$(GOAL_$1): $(if $(filter $2,$(CHOSEN)),$(BUILD)/$1/$2)
endef
# A program without kernels has no GPU build and no counts.
FLAVOURS_OF = cpu san $(if $(filter %.cu,$($1_FILES)),$(filter gpu count,$(FLAVOURS)))
$(foreach p,$(PROGRAMS),$(foreach f,$(call FLAVOURS_OF,$p),$(eval $(call PROGRAM_RULES,$f,$p))))

# nvcc hands -Wl, on by another name.
MPI_LIBS_gpu := $(patsubst -Wl$(COMMA)%,-Xlinker %,$(MPI_LIBS))
# $(call MPI_RULES,flavour,program)
define MPI_RULES
$(call OBJECTS,$1,$(addprefix $2/,$($2_MPI_SOURCES))): EXTRA = $(MPI_INCLUDE)
$(BUILD)/$1/$($2_MPI_NAME): $(call LINK_OF,$1,$(call OBJECTS,$1,$(call FROM_TOP,$2,$($2_MPI_SOURCES) $($2_MPI_UNITS))))
	$$(call SAY,LINK,$$@)
	$$(Q)$$(LINK_$1) -o $$@ $$^ $(or $(MPI_LIBS_$1),$(MPI_LIBS)) -lm -lpthread
$(GOAL_$1): $(if $(filter $2,$(CHOSEN)),$(BUILD)/$1/$($2_MPI_NAME))
endef
ifneq ($(MPI),)
$(foreach p,$(PROGRAMS),$(if $($p_MPI_NAME),$(foreach f,cpu san \
    $(if $(filter %.cu,$($p_MPI_SOURCES)),$(filter gpu,$(FLAVOURS))),$(eval $(call MPI_RULES,$f,$p)))))
endif

# Programs whose lanes are those of another processor: those files alone are compiled again.
# $(call LANES_RULES,flavour,program,its files,files with lanes)
define LANES_RULES
$(BUILD)/$1/$2: $(call LINK_OF,cpu,$(call OBJECTS,cpu,$(filter-out $4,$3)) $(call OBJECTS,$1,$4))
	$$(call SAY,LINK,$$@)
	$$(Q)$$(LINK_cpu) -o $$@ $$^ $(if $($2_PEERS),$(LAPACK)) -lm -lpthread
lanes: $(BUILD)/$1/$2
endef
VECTORS := $(if $(shell grep -wm 1 avx2 /proc/cpuinfo),avx2) $(if $(filter x86_64,$(shell uname -m)),plain)
$(foreach v,$(VECTORS),$(eval $(call LANES_RULES,$v,test_lanes,common/test_lanes.c,common/test_lanes.c)) \
    $(foreach p,$(CHOSEN),$(if $($p_LANES),$(eval $(call LANES_RULES,$v,$p,$($p_FILES),$(call FROM_TOP,$p,$($p_LANES)))))))

TESTS := options results timing verify lanes device
counted: $(BUILD)/count/test_count
tests: cpu $(if $(SANITIZE),san) $(if $(NVCC),gpu $(BUILD)/gpu/test_device) counted lanes \
       $(foreach f,cpu $(if $(SANITIZE),san),$(TESTS:%=$(BUILD)/$f/test_%))

run: $(foreach f,cpu $(if $(NVCC),gpu),$(foreach p,$(firstword $(CHOSEN)),$(BUILD)/$f/$p))
	@program=$(BUILD)/gpu/$(firstword $(CHOSEN)); \
	 nvidia-smi -L >/dev/null 2>&1 && [ -x $$program ] || program=$(BUILD)/cpu/$(firstword $(CHOSEN)); exec $$program
.PHONY: lanes
