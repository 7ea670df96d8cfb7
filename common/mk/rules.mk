# From a source file to an object: BUILD/FLAVOUR/obj/DIRECTORY/FILE.o. Everything is compiled from the top directory.
FLAVOURS := cpu san count $(if $(NVCC),gpu)
Q := $(if $(V),,@)
SAY = $(if $(V),,@printf '  %-5s %s\n' '$1' '$2')

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

# $(call WRITE_IF_NEW,lines): the target changes only when its text does. The text is first written to a file with a
# name of its own, so that several makes may run at once.
WRITE_IF_NEW = @mkdir -p $(@D); new=$@.$$$$; printf '%s\n' $1 >$$new; \
               if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# A command line without the directories of this machine, fit for a C string.
BARE = $(subst ",,$(strip $(notdir $(firstword $1)) $(filter-out -I% -M% -W% -Xcompiler,$(wordlist 2,99,$1))))
KERNELS_cpu   := $(shell $(CXX) --version 2>/dev/null | head -n 1)
KERNELS_san   := $(KERNELS_cpu)
KERNELS_count := $(KERNELS_cpu)
KERNELS_gpu   := $(if $(NVCC),nvcc $(shell $(NVCC) --version | sed -n 's/.*release \([^,]*\).*/\1/p'))
REVISION_NOW  := $(or $(REVISION),$(shell git describe --always --dirty 2>/dev/null),unknown)
VERSION       := $(shell cat VERSION)

# Files find headers in the directory of their program, whatever subdirectory of it they lie in.
ROOM = -I$(firstword $(subst /, ,$<)) $(patsubst %/,-I%,$(sort $(dir $(wildcard $(firstword $(subst /, ,$<))/*/*.h))))

define FLAVOUR_RULES
# All objects of a flavour are compiled again when its commands change.
$(BUILD)/$1/flags: FORCE
	$$(call WRITE_IF_NEW,'$$(C_$1) | $$(CU_$1)')

$(BUILD)/$1/obj/%.c.o: %.c $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(call SAY,CC,$$<$(if $(filter-out cpu,$1), ($1)))
	$$(Q)$$(C_$1) $$(ROOM) $$(EXTRA) -MMD -MP -c $$< -o $$@
$(BUILD)/$1/obj/%.cu.o: %.cu $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(call SAY,$(if $(filter gpu,$1),NVCC,CXX),$$<$(if $(filter-out cpu,$1), ($1)))
	$$(Q)$$(CU_$1) $$(ROOM) $$(EXTRA) -MMD -MP -c $$< -o $$@

# Version, revision and flags are compiled into results.c alone.
$(BUILD)/$1/build_info.h: FORCE
	$$(call WRITE_IF_NEW,'#define BUILD_VERSION "$(VERSION)"' '#define BUILD_REVISION "$(REVISION_NOW)"' \
	    '#define BUILD_KERNEL_COMPILER "; kernels: $(KERNELS_$1)"' \
	    '#define BUILD_FLAGS "$$(call BARE,$$(C_$1)) | $$(call BARE,$$(CU_$1))"')
$(BUILD)/$1/obj/common/results.c.o: $(BUILD)/$1/build_info.h
$(BUILD)/$1/obj/common/results.c.o: EXTRA = -I$(BUILD)/$1

-include $$(wildcard $(BUILD)/$1/obj/*/*.d $(BUILD)/$1/obj/*/*/*.d)
endef
$(foreach f,$(FLAVOURS) avx2 plain,$(eval $(call FLAVOUR_RULES,$f)))
