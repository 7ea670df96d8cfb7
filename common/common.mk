# Included by the Makefile of every program directory, after it has set
#   NAME    the program, e.g. pscheme_gpu
#   SOURCES its files; main.* is the program's own, the rest is the solver unit
#   USES    solver units of other programs, e.g. ../pscheme_gpu/pscheme_gpu.cu  (optional)
#   LDLIBS_cpu, CPPFLAGS, …  what it needs besides                              (optional)
# Targets: all (= cpu, and gpu where nvcc is), san, test, run, clean.
# Kernels (.cu) compile for the CPU device with $(CXX), for the GPU with $(NVCC).

SHELL := /bin/bash
TOP   := ..
BUILD := $(TOP)/build

CC       ?= gcc
CXX      ?= g++
ifeq ($(origin CC),default)
CC       := gcc
endif
ifeq ($(origin CXX),default)
CXX      := g++
endif
NVCC     ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
OPT      ?= -O3
NATIVE   ?= -march=native
WARN     := -Wall -Wextra -Wpedantic $(WERROR)
INCLUDE  := -I$(TOP)/common
CFLAGS   ?=
CXXFLAGS ?=

# ARCH: the GPU that is present, else everything this nvcc knows, with PTX of the newest for later ones.
ifneq ($(NVCC),)
ifeq ($(ARCH),)
ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -xE '[0-9]+\.[0-9]+' | tr -d . | sort -u | sed 's/^/sm_/')
endif
ifeq ($(ARCH),)
ARCH := all-major
endif
GENCODE = $(if $(filter 1,$(words $(ARCH))),-arch=$(ARCH),\
          $(foreach a,$(ARCH),-gencode=arch=compute_$(a:sm_%=%),code=$(a)))
endif

# -ffp-contract=fast: C as C++ and nvcc have it, a product and a sum in one instruction where there is one.
C_cpu    := $(CC) -std=c11 -D_GNU_SOURCE -ffp-contract=fast $(OPT) $(NATIVE) -g $(WARN) $(INCLUDE) $(CFLAGS) -fopenmp
CU_cpu   := $(CXX) -x c++ -std=c++17 $(OPT) $(NATIVE) -g $(WARN) $(INCLUDE) $(CXXFLAGS) -fopenmp
LINK_cpu := $(CXX) -g -fopenmp

# -fsanitize=bounds sees static shared arrays, which are thread-local here and so hidden from
# AddressSanitizer. -Wno-pass-failed: at -O1 clang says that it did not vectorise.
SANITIZE := -fsanitize=address,undefined,bounds -fno-sanitize-recover=all -fno-omit-frame-pointer
C_san    := $(CC) -std=c11 -D_GNU_SOURCE -ffp-contract=fast -O1 -g $(WARN) -Wno-pass-failed $(INCLUDE) $(CFLAGS) -fopenmp $(SANITIZE)
CU_san   := $(CXX) -x c++ -std=c++17 -O1 -g $(WARN) $(INCLUDE) $(CXXFLAGS) -fopenmp $(SANITIZE)
LINK_san := $(CXX) -g -fopenmp $(SANITIZE)

# Every memory access of a kernel counted, as the source has it (cpu_device/count.c): code generation of the thread
# sanitizer at -O0, none of its runtime. clang forgets reads before writes and makes calls of struct copies.
COUNT    := -fsanitize=thread $(if $(findstring clang,$(shell $(CXX) --version)),-mllvm -tsan-instrument-read-before-write=1,-Wno-tsan)
C_count  := $(CC) -std=c11 -D_GNU_SOURCE -O2 -g $(WARN) $(INCLUDE) $(CFLAGS) -fopenmp -DCPU_DEVICE_COUNT
CU_count := $(CXX) -x c++ -std=c++17 -O0 -g $(WARN) $(INCLUDE) $(CXXFLAGS) -fopenmp -fno-pie -DCPU_DEVICE_COUNT $(COUNT)
LINK_count := $(CXX) -g -fopenmp -no-pie -Wl,--wrap=memcpy,--wrap=memset

C_gpu    := $(C_cpu)
CU_gpu   := $(NVCC) -std=c++17 -O3 -lineinfo $(GENCODE) $(INCLUDE) -Xcompiler -Wall,-Wextra,-fopenmp \
            $(if $(WERROR),-Werror all-warnings)
LINK_gpu := $(NVCC) $(GENCODE) -Xcompiler -fopenmp

DIR      := $(notdir $(CURDIR))
# A program without kernels has no GPU build.
FLAVOURS := cpu $(if $(NVCC),$(if $(or $(filter %.cu,$(SOURCES)),$(filter common,$(DIR))),gpu))
COMMON   := options.c results.c timing.c verify.c problems.c baseline.c device_program.cu ceiling.cu csv.cu
CPU_ONLY := cpu_device/cpu_device.c
COUNT_ONLY := cpu_device/count.c

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all cpu gpu san count test lib run clean FORCE
all: $(FLAVOURS)

# $(call WRITE_IF_NEW,text): the target changes only when its text does. Each make has a name of its own
# for the new text, so that several may run at once.
WRITE_IF_NEW = @mkdir -p $(@D); new=$@.$$$$; printf '%s\n' $1 >$$new; \
               if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# A command line without the directories of this machine, fit for a C string.
BARE = $(subst ",,$(strip $(notdir $(firstword $1)) $(filter-out -I% -M% -W% -Xcompiler,$(wordlist 2,99,$1))))
KERNELS_cpu := $(shell $(CXX) --version 2>/dev/null | head -n 1)
KERNELS_san := $(KERNELS_cpu)
KERNELS_count := $(KERNELS_cpu)
KERNELS_gpu := $(if $(NVCC),nvcc $(shell $(NVCC) --version | sed -n 's/.*release \([^,]*\).*/\1/p'))
REVISION_NOW := $(or $(REVISION),$(shell git -C $(TOP) describe --always --dirty 2>/dev/null),unknown)

define FLAVOUR_RULES
# What the objects were compiled with: when that changes all recompile. The revision is compiled into
# results.c alone.
$(BUILD)/$1/flags: FORCE
	$$(call WRITE_IF_NEW,'$$(C_$1) | $$(CU_$1)')
$(BUILD)/$1/build_info.h: FORCE
	$$(call WRITE_IF_NEW,'#define BUILD_REVISION "$(REVISION_NOW)"' \
	    '#define BUILD_KERNEL_COMPILER "; kernels: $(KERNELS_$1)"' \
	    '#define BUILD_FLAGS "$$(call BARE,$$(C_$1)) | $$(call BARE,$$(CU_$1))"')

# Paths are as seen from any program directory, so that all of them agree on what an object depends on.
$(BUILD)/$1/obj/%.c.o: $(TOP)/%.c $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(C_$1) $$(EXTRA) -MMD -MP -c $$< -o $$@
$(BUILD)/$1/obj/%.cu.o: $(TOP)/%.cu $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(CU_$1) $$(EXTRA) -MMD -MP -c $$< -o $$@
$(BUILD)/$1/obj/common/results.c.o: $(BUILD)/$1/build_info.h
$(BUILD)/$1/obj/common/results.c.o: EXTRA = -I$(BUILD)/$1

$(BUILD)/$1/libcommon.a: $(COMMON:%=$(BUILD)/$1/obj/common/%.o) \
                         $(if $(filter-out gpu,$1),$(CPU_ONLY:%=$(BUILD)/$1/obj/common/%.o)) \
                         $(if $(filter count,$1),$(COUNT_ONLY:%=$(BUILD)/$1/obj/common/%.o))
	@rm -f $$@
	ar rcs $$@ $$^

# The CPU device finds static shared variables between two marks.
MARK_$1 = $(if $(filter-out gpu,$1),$(BUILD)/$1/obj/common/cpu_device/shared_$$1.c.o)

ifdef NAME
OBJECTS_$1 := $(SOURCES:%=$(BUILD)/$1/obj/$(DIR)/%.o) $(USES:../%=$(BUILD)/$1/obj/%.o) \
              $$(SOURCES_$1:%=$(BUILD)/$1/obj/$(DIR)/%.o)

# CPPFLAGS are for this directory's own files.
$(BUILD)/$1/obj/$(DIR)/cppflags: FORCE
	$$(call WRITE_IF_NEW,'$$(CPPFLAGS)')
$$(filter $(BUILD)/$1/obj/$(DIR)/%,$$(OBJECTS_$1)): EXTRA = $$(CPPFLAGS)
$$(filter $(BUILD)/$1/obj/$(DIR)/%,$$(OBJECTS_$1)): $(BUILD)/$1/obj/$(DIR)/cppflags
$(BUILD)/$1/$(NAME): $$(call MARK_$1,begin) $$(OBJECTS_$1) $$(call MARK_$1,end) $(BUILD)/$1/libcommon.a
	$$(LINK_$1) -o $$@ $$^ $$(LDLIBS) $$(LDLIBS_$1) -lm -lpthread
$1: $(BUILD)/$1/$(NAME)
endif

$(BUILD)/$1/test_%: $$(call MARK_$1,begin) $(BUILD)/$1/obj/common/test_%.c.o $$(call MARK_$1,end) \
                    $(BUILD)/$1/libcommon.a
	$$(LINK_$1) -o $$@ $$^ -lm -lpthread
$(BUILD)/$1/test_%: $$(call MARK_$1,begin) $(BUILD)/$1/obj/common/test_%.cu.o $$(call MARK_$1,end) \
                    $(BUILD)/$1/libcommon.a
	$$(LINK_$1) -o $$@ $$^ -lm -lpthread

-include $$(wildcard $(BUILD)/$1/obj/$(DIR)/*.d $(BUILD)/$1/obj/common/*.d $(BUILD)/$1/obj/common/*/*.d)
-include $$(USES:../%=$(BUILD)/$1/obj/%.d)
endef
$(foreach f,cpu san count $(if $(NVCC),gpu),$(eval $(call FLAVOUR_RULES,$f)))

ifdef NAME
test: cpu san
	$(TOP)/common/test.sh $(NAME)
# The solver unit as a shared object: for the GPU if nvcc is there and the unit has kernels.
UNIT := $(filter $(NAME).c $(NAME).cu,$(SOURCES))
lib: $(BUILD)/lib/lib$(NAME).so
$(BUILD)/lib/lib$(NAME).so: $(UNIT) $(wildcard *.h) $(TOP)/common/device.h
	@mkdir -p $(@D)
ifeq ($(filter %.cu,$(UNIT)),)
	$(C_cpu) -fPIC -shared -o $@ $(UNIT) -lm
else ifneq ($(NVCC),)
	$(CU_gpu) -shared -Xcompiler -fPIC -o $@ $(UNIT)
else
	$(C_cpu) -fPIC -c $(TOP)/common/cpu_device/cpu_device.c -o $@.device.o
	$(C_cpu) -fPIC -c $(TOP)/common/cpu_device/shared_begin.c -o $@.begin.o
	$(C_cpu) -fPIC -c $(TOP)/common/cpu_device/shared_end.c -o $@.end.o
	$(CU_cpu) -fPIC -c $(UNIT) -o $@.unit.o
	$(LINK_cpu) -shared -o $@ $@.begin.o $@.unit.o $@.end.o $@.device.o -lpthread
	@rm $@.*.o
endif
run: cpu $(if $(NVCC),gpu)
	@if nvidia-smi -L >/dev/null 2>&1 && [ -x $(BUILD)/gpu/$(NAME) ]; \
	 then $(BUILD)/gpu/$(NAME); else $(BUILD)/cpu/$(NAME); fi
clean:
	rm -rf $(foreach f,cpu san count gpu,$(BUILD)/$f/obj/$(DIR) $(BUILD)/$f/$(NAME))
endif
