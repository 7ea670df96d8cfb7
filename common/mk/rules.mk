# Compiles a source file to an object: BUILD/FLAVOUR/obj/DIRECTORY/FILE.o. tools.mk explains the flavours and sets their
# commands C_FLAVOUR, CU_FLAVOUR and LINK_FLAVOUR, solvers/lib.mk those of the libraries (lib_cpu, lib_gpu).
PROGRAM_FLAVOURS := cpu san count gpu
FLAVOURS := $(PROGRAM_FLAVOURS) avx2 plain lib_cpu lib_gpu $(LANE_KINDS:%=lib_%)

Q := $(if $(V),,@)
SAY = $(if $(V),,@printf '  %-5s %s\n' '$1' '$2')

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

# In recipes: the flavour of the target, the first directory of its path below BUILD.
FLAVOUR = $(firstword $(subst /, ,$(@:$(BUILD)/%=%)))

# Include paths for a source file: its top-level directory, and those directories in it that contain headers.
ROOM = -I$(firstword $(subst /, ,$<)) $(patsubst %/,-I%,$(sort $(dir $(wildcard $(firstword $(subst /, ,$<))/*/*.h))))

# $(call COMPILE,flavour,extension,what the compiler is called,command): a rule. EXTRA: options of a single file, set next
# to its rule.
define COMPILE
$(BUILD)/$1/obj/%.$2.o: %.$2 $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(call SAY,$3,$$<$(if $(filter-out cpu,$1), ($1)))
	$$(Q)$$($4_$1) $$(ROOM) $$(EXTRA) -MMD -MP -c $$< -o $$@
endef
$(foreach f,$(FLAVOURS),$(eval $(call COMPILE,$f,c,CC,C)))
$(foreach f,$(PROGRAM_FLAVOURS) lib_cpu lib_gpu,\
    $(eval $(call COMPILE,$f,cu,$(if $(filter %gpu,$f),NVCC,CXX),CU)))

# The verification of complex systems takes moduli of whole vectors, which sqrt() that may set errno would prevent.
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/verify.c.o): EXTRA = -fno-math-errno

# Lists of the headers on which each object depends. The compiler writes them (-MMD).
-include $(wildcard $(BUILD)/*/obj/*/*.d $(BUILD)/*/obj/*/*/*.d $(BUILD)/*/obj/*/*/*/*.d)

# $(call WRITE_IF_NEW,lines): a recipe that writes the target only if its text changes. Several makes may do so at a time.
WRITE_IF_NEW = @mkdir -p $(@D); new=$@.$$$$; printf '%s\n' $1 >$$new; \
               if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# The commands of a flavour. When they change, all its objects are compiled again.
$(FLAVOURS:%=$(BUILD)/%/flags): FORCE
	$(call WRITE_IF_NEW,'$(C_$(FLAVOUR)) | $(CU_$(FLAVOUR))')

# Version, revision, compilers and flags, for CSV files. Only results.c contains them and is compiled again when the
# revision changes.
KERNELS_cpu   := $(shell $(CXX) --version 2>/dev/null | head -n 1)
KERNELS_san   := $(KERNELS_cpu)
KERNELS_count := $(KERNELS_cpu)
CUB           = $(shell echo CUB_VERSION | $(NVCC) -E -x cu -include cub/version.cuh - 2>/dev/null | \
                  awk '/^[0-9]+/ { printf "(CUB %d.%d.%d)", $$1 / 100000, $$1 / 100 % 1000, $$1 % 100 }')
KERNELS_gpu   := $(if $(NVCC),nvcc $(shell $(NVCC) --version | sed -n 's/.*release \([^,]*\).*/\1/p') $(CUB))
REVISION_NOW  := $(or $(REVISION),$(shell if [ -e .git ]; then git describe --always --dirty 2>/dev/null; else \
                   sed -n 's/^\([0-9a-f]\{8\}\).*/\1/p' common/mk/revision; fi),unknown)
VERSION       := $(shell cat VERSION)
# $(call BARE,command): the command without quotes, the compiler's directory, and the options -I, -M, -W and -Xcompiler.
BARE = $(subst ",,$(strip $(notdir $(firstword $1)) $(filter-out -I% -M% -W% -Xcompiler,$(wordlist 2,99,$1))))

$(PROGRAM_FLAVOURS:%=$(BUILD)/%/build_info.h): FORCE
	$(call WRITE_IF_NEW,'#define BUILD_VERSION "$(VERSION)"' '#define BUILD_REVISION "$(REVISION_NOW)"' \
	    '#define BUILD_KERNEL_COMPILER "; kernels: $(KERNELS_$(FLAVOUR))"' \
	    '#define BUILD_FLAGS "$(call BARE,$(C_$(FLAVOUR))) | $(call BARE,$(CU_$(FLAVOUR)))"')
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/results.c.o): EXTRA = -I$(BUILD)/$(FLAVOUR)
$(PROGRAM_FLAVOURS:%=$(BUILD)/%/obj/common/results.c.o): $(BUILD)/%/obj/common/results.c.o: $(BUILD)/%/build_info.h
