# Included by the top Makefile.
#   make lib        build/lib/librecurrences_cpu.so: all solver units, kernels on the CPU device;
#                   build/lib/librecurrences.so, where nvcc is: the same for a GPU
#   make install    libraries, headers, pkg-config files and the Python module:
#                   PREFIX=/usr/local DESTDIR= LIBDIR=PREFIX/lib
#                   PYTHONDIR=where python3 looks below PREFIX
#   make uninstall  with the same variables
# Variables as in common.mk: CC, CXX, NVCC, ARCH, OPT, NATIVE, WERROR. Units over MPI are in neither.
LIB_UNITS := pscheme_cpu/pscheme_cpu.c pscheme_gpu/pscheme_gpu.cu pcr/pcr.cu pscheme_g/pscheme_g.cu pscheme_g/one_pass.cu \
             thomas_batch/thomas_batch.cu thomas_batch/tridiagonal_batch.cu thomas_batch/heat.cu \
             nshape/nshape.cu nshape/nshape_lanes.c nshape/tdse.cu nshape/tridiagonal.cu
LIB_HEADERS := $(addsuffix .h,$(basename $(LIB_UNITS))) common/device.h

LIB_VERSION := $(file <VERSION)
LIB_MAJOR   := $(firstword $(subst ., ,$(LIB_VERSION)))
LIB_OBJ     := build/lib/obj

ifeq ($(origin CC),default)
CC  := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
NVCC    ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
OPT     ?= -O3
NATIVE  ?= -march=native
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
LIB_KINDS := recurrences_cpu $(if $(NVCC),recurrences)

# The GPU that is present, else all that this nvcc knows, unless ARCH says.
LIB_ARCH = $(or $(ARCH),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
             grep -xE '[0-9]+\.[0-9]+' | tr -d . | sort -u | sed 's/^/sm_/'),all-major)
LIB_GENCODE = $(if $(filter 1,$(words $(LIB_ARCH))),-arch=$(LIB_ARCH),\
                $(foreach a,$(LIB_ARCH),-gencode=arch=compute_$(a:sm_%=%),code=$(a)))

LIB_WARN = -Wall -Wextra -Wpedantic $(WERROR)
LIB_C    = $(CC) -std=c11 -D_GNU_SOURCE -ffp-contract=fast $(OPT) $(NATIVE) -g $(LIB_WARN) -Icommon $(CFLAGS) -fopenmp -fPIC
LIB_CU_recurrences_cpu = $(CXX) -x c++ -std=c++17 $(OPT) $(NATIVE) -g $(LIB_WARN) -Icommon $(CXXFLAGS) -fopenmp -fPIC
LIB_CU_recurrences = $(NVCC) -std=c++17 -O3 -lineinfo $(LIB_GENCODE) -Icommon -Xcompiler -Wall,-Wextra,-fopenmp,-fPIC \
                     $(if $(WERROR),-Werror all-warnings)

# What the CPU device needs besides: its marks enclose the kernels' shared variables.
LIB_DEVICE := $(LIB_OBJ)/recurrences_cpu/common/cpu_device
LIB_BEGIN_recurrences_cpu := $(LIB_DEVICE)/shared_begin.c.o
LIB_END_recurrences_cpu   := $(LIB_DEVICE)/shared_end.c.o $(LIB_DEVICE)/cpu_device.c.o
LIB_OBJECTS = $(LIB_BEGIN_$1) $(LIB_UNITS:%=$(LIB_OBJ)/$1/%.o) $(LIB_END_$1)

# Nothing is exported but what headers declare (lib.map), of CUDA's static runtime nothing. The
# library's own calls stay in it, whatever else a process has loaded: the CPU device's functions
# have the names of CUDA's.
LIB_LINK_recurrences_cpu = $(CXX) -shared -fopenmp -Wl,-soname,$2 -Wl,--version-script=common/lib.map -Wl,-Bsymbolic -Wl,-z,defs
LIB_LINK_recurrences = $(NVCC) -shared $(LIB_GENCODE) -Xcompiler -fopenmp,-fPIC -Xlinker -soname=$2 \
                       -Xlinker --version-script=common/lib.map -Xlinker -Bsymbolic -Xlinker -z -Xlinker defs \
                       -Xlinker --exclude-libs -Xlinker ALL

.PHONY: lib install uninstall LIB_FORCE
lib: $(LIB_KINDS:%=build/lib/lib%.so)

define LIB_RULES
build/lib/lib$1.so: build/lib/lib$1.so.$(LIB_MAJOR)
	ln -sf $$(<F) $$@
build/lib/lib$1.so.$(LIB_MAJOR): build/lib/lib$1.so.$(LIB_VERSION)
	ln -sf $$(<F) $$@
build/lib/lib$1.so.$(LIB_VERSION): $$(call LIB_OBJECTS,$1) common/lib.map
	$$(call LIB_LINK_$1,,lib$1.so.$(LIB_MAJOR)) -o $$@ $$(call LIB_OBJECTS,$1) -lm -lpthread
$(LIB_OBJ)/$1/flags: LIB_FORCE
	@mkdir -p $$(@D); printf '%s\n' '$$(LIB_C) | $$(LIB_CU_$1)' >$$@.new; \
	 if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
$(LIB_OBJ)/$1/%.c.o: %.c $(LIB_OBJ)/$1/flags
	@mkdir -p $$(@D)
	$$(LIB_C) -MMD -MP -c $$< -o $$@
$(LIB_OBJ)/$1/%.cu.o: %.cu $(LIB_OBJ)/$1/flags
	@mkdir -p $$(@D)
	$$(LIB_CU_$1) -MMD -MP -c $$< -o $$@
-include $$(patsubst %.o,%.d,$$(call LIB_OBJECTS,$1))
endef
$(foreach k,$(LIB_KINDS),$(eval $(call LIB_RULES,$k)))

# ---- install ----

# $(call LIB_WORD,text): its blanks escaped, as pkg-config wants them.
LIB_NOTHING :=
LIB_BLANK   := $(LIB_NOTHING) $(LIB_NOTHING)
LIB_WORD     = $(subst $(LIB_BLANK),\$(LIB_BLANK),$1)
# Where python3 looks below PREFIX, if it does.
LIB_PYTHONDIR = $(or $(PYTHONDIR),$(shell python3 -c 'import sys; print(next((d for d in sys.path \
                  if d.startswith(sys.argv[1] + "/") and d.endswith("-packages")), ""))' '$(PREFIX)' 2>/dev/null),\
                  $(PREFIX)/lib/python3/dist-packages)
LIB_INCLUDE   = $(DESTDIR)$(PREFIX)/include/recurrences
# $(call LIB_PC,NAME,DEVICE,CFLAGS,LIBS,PRIVATE)
LIB_PC = printf '%s\n' 'prefix=$(call LIB_WORD,$(PREFIX))' 'includedir=$${prefix}/include' \
    'libdir=$(call LIB_WORD,$(subst $(PREFIX)/,$${prefix}/,$(LIBDIR)))' $5 '' 'Name: $1' \
    'Description: Recurrences and tridiagonal systems in parallel, on $2' 'Version: $(LIB_VERSION)' \
    'Cflags: -I$${includedir}/recurrences$3' 'Libs: -L$${libdir} -l$1$4' >"$(DESTDIR)$(LIBDIR)/pkgconfig/$1.pc"

install: lib
	@install -d "$(LIB_INCLUDE)/cpu_device" "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(LIB_PYTHONDIR)"
	@install -m 644 $(LIB_HEADERS) "$(LIB_INCLUDE)"
	@install -m 644 common/cpu_device/cpu_device.h "$(LIB_INCLUDE)/cpu_device"
	@install -m 644 python/recurrences.py "$(DESTDIR)$(LIB_PYTHONDIR)"
	@for kind in $(LIB_KINDS); do \
	    install -m 755 build/lib/lib$$kind.so.$(LIB_VERSION) "$(DESTDIR)$(LIBDIR)" && \
	    cp -P build/lib/lib$$kind.so.$(LIB_MAJOR) build/lib/lib$$kind.so "$(DESTDIR)$(LIBDIR)" || exit 1; done
	@$(call LIB_PC,recurrences_cpu,a CPU)
ifneq ($(NVCC),)
	@cuda=$$(dirname "$$(dirname "$$(readlink -f "$(NVCC)")")"); \
	 $(call LIB_PC,recurrences,a GPU, -DDEVICE_CUDA -I$${cudadir}/include, -L$${cudadir}/lib64 -lcudart,"cudadir=$$cuda")
endif
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || :
	@echo "installed: $(LIB_KINDS:%=lib%) $(LIB_VERSION) in $(DESTDIR)$(LIBDIR), recurrences.py in $(DESTDIR)$(LIB_PYTHONDIR)"

uninstall:
	@rm -rf "$(LIB_INCLUDE)"
	@rm -f "$(DESTDIR)$(LIBDIR)"/librecurrences.so* "$(DESTDIR)$(LIBDIR)"/librecurrences_cpu.so* \
	    "$(DESTDIR)$(LIBDIR)"/pkgconfig/recurrences.pc "$(DESTDIR)$(LIBDIR)"/pkgconfig/recurrences_cpu.pc \
	    "$(DESTDIR)$(LIB_PYTHONDIR)"/recurrences.py
