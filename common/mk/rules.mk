# Compiles a source file to an object: BUILD/FLAVOUR/obj/DIRECTORY/FILE.o. All compilers run in the top directory.
# tools.mk explains the flavours and sets their commands C_FLAVOUR, CU_FLAVOUR and LINK_FLAVOUR. solvers/lib.mk sets
# those of the libraries (lib_cpu, lib_gpu).
PROGRAM_FLAVOURS := cpu san count gpu
FLAVOURS := $(PROGRAM_FLAVOURS) avx2 plain lib_cpu lib_gpu

Q := $(if $(V),,@)
SAY = $(if $(V),,@printf '  %-5s %s\n' '$1' '$2')

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

# For use in recipes: the flavour of the target, which is the first directory of its path below BUILD.
FLAVOUR = $(firstword $(subst /, ,$(@:$(BUILD)/%=%)))

# Include paths for a source file: the top-level directory that contains the file (its room), and that directory's
# subdirectories that contain headers.
ROOM = -I$(firstword $(subst /, ,$<)) $(patsubst %/,-I%,$(sort $(dir $(wildcard $(firstword $(subst /, ,$<))/*/*.h))))

# The recipes that compile. EXTRA: options of a single file, set next to its rule.
define COMPILE_C
@mkdir -p $(@D)
$(call SAY,CC,$<$(if $(filter-out cpu,$(FLAVOUR)), ($(FLAVOUR))))
$(Q)$(C_$(FLAVOUR)) $(ROOM) $(EXTRA) -MMD -MP -c $< -o $@
endef
define COMPILE_CU
@mkdir -p $(@D)
$(call SAY,$(if $(filter %gpu,$(FLAVOUR)),NVCC,CXX),$<$(if $(filter-out cpu,$(FLAVOUR)), ($(FLAVOUR))))
$(Q)$(CU_$(FLAVOUR)) $(ROOM) $(EXTRA) -MMD -MP -c $< -o $@
endef

$(BUILD)/cpu/obj/%.c.o:       %.c  $(BUILD)/cpu/flags
	$(COMPILE_C)
$(BUILD)/cpu/obj/%.cu.o:      %.cu $(BUILD)/cpu/flags
	$(COMPILE_CU)
$(BUILD)/san/obj/%.c.o:       %.c  $(BUILD)/san/flags
	$(COMPILE_C)
$(BUILD)/san/obj/%.cu.o:      %.cu $(BUILD)/san/flags
	$(COMPILE_CU)
$(BUILD)/count/obj/%.c.o:     %.c  $(BUILD)/count/flags
	$(COMPILE_C)
$(BUILD)/count/obj/%.cu.o:    %.cu $(BUILD)/count/flags
	$(COMPILE_CU)
$(BUILD)/gpu/obj/%.c.o:       %.c  $(BUILD)/gpu/flags
	$(COMPILE_C)
$(BUILD)/gpu/obj/%.cu.o:      %.cu $(BUILD)/gpu/flags
	$(COMPILE_CU)
$(BUILD)/avx2/obj/%.c.o:      %.c  $(BUILD)/avx2/flags
	$(COMPILE_C)
$(BUILD)/plain/obj/%.c.o:     %.c  $(BUILD)/plain/flags
	$(COMPILE_C)
$(BUILD)/lib_cpu/obj/%.c.o:   %.c  $(BUILD)/lib_cpu/flags
	$(COMPILE_C)
$(BUILD)/lib_cpu/obj/%.cu.o:  %.cu $(BUILD)/lib_cpu/flags
	$(COMPILE_CU)
$(BUILD)/lib_gpu/obj/%.c.o:   %.c  $(BUILD)/lib_gpu/flags
	$(COMPILE_C)
$(BUILD)/lib_gpu/obj/%.cu.o:  %.cu $(BUILD)/lib_gpu/flags
	$(COMPILE_CU)

# The verification of complex systems takes moduli of whole vectors, which sqrt() that may set errno would prevent.
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/verify.c.o): EXTRA = -fno-math-errno

# Lists of the headers on which each object depends. The compiler writes them (-MMD).
-include $(wildcard $(BUILD)/*/obj/*/*.d $(BUILD)/*/obj/*/*/*.d $(BUILD)/*/obj/*/*/*/*.d)

# $(call WRITE_IF_NEW,lines): a recipe that writes the target only if its text changes, so that make does not rebuild
# what depends on it. The text is first written to a temporary file with a unique name, so that several makes may run at
# the same time.
WRITE_IF_NEW = @mkdir -p $(@D); new=$@.$$$$; printf '%s\n' $1 >$$new; \
               if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# This file contains the commands of a flavour. When they change, all its objects are compiled again.
$(FLAVOURS:%=$(BUILD)/%/flags): FORCE
	$(call WRITE_IF_NEW,'$(C_$(FLAVOUR)) | $(CU_$(FLAVOUR))')

# Every CSV file names version, revision, compilers and flags. Only results.c contains them, so that only this file is
# compiled again when the revision changes.
KERNELS_cpu   := $(shell $(CXX) --version 2>/dev/null | head -n 1)
KERNELS_san   := $(KERNELS_cpu)
KERNELS_count := $(KERNELS_cpu)
KERNELS_gpu   := $(if $(NVCC),nvcc $(shell $(NVCC) --version | sed -n 's/.*release \([^,]*\).*/\1/p'))
REVISION_NOW  := $(or $(REVISION),$(shell git describe --always --dirty 2>/dev/null),unknown)
VERSION       := $(shell cat VERSION)
# $(call BARE,command): the command as it appears in a C string. Quotes, the compiler's directory, and the options -I,
# -M, -W and -Xcompiler are removed.
BARE = $(subst ",,$(strip $(notdir $(firstword $1)) $(filter-out -I% -M% -W% -Xcompiler,$(wordlist 2,99,$1))))

$(PROGRAM_FLAVOURS:%=$(BUILD)/%/build_info.h): FORCE
	$(call WRITE_IF_NEW,'#define BUILD_VERSION "$(VERSION)"' '#define BUILD_REVISION "$(REVISION_NOW)"' \
	    '#define BUILD_KERNEL_COMPILER "; kernels: $(KERNELS_$(FLAVOUR))"' \
	    '#define BUILD_FLAGS "$(call BARE,$(C_$(FLAVOUR))) | $(call BARE,$(CU_$(FLAVOUR)))"')
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/results.c.o): EXTRA = -I$(BUILD)/$(FLAVOUR)
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/results.c.o): $(BUILD)/%/obj/common/results.c.o: $(BUILD)/%/build_info.h
