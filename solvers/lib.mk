# Included by the top Makefile.
#   make lib        build/lib/librecurrences_cpu.so: all solver units, kernels on the CPU device;
#                   build/lib/librecurrences.so, where nvcc is: the same for a GPU
#   make install    libraries, headers, pkg-config files and the Python module:
#                   PREFIX=/usr/local DESTDIR= LIBDIR=PREFIX/lib
#                   PYTHONDIR=where python3 looks below PREFIX
#   make uninstall  with the same variables
# Compiled as the programs are (mk/tools.mk), but as position-independent code. Units over MPI are in neither.
LIB_UNITS := pscheme_cpu/pscheme_cpu.c pscheme_gpu/pscheme_gpu.cu pcr/pcr.cu pscheme_g/pscheme_g.cu \
             thomas_batch/thomas_batch.cu nshape/nshape.cu nshape/tdse/tdse.cu \
             solvers/recurrence.cu solvers/tridiagonal.cu solvers/tridiagonal_batch.cu solvers/tridiagonal_cpu.c \
             solvers/heat/heat.cu
LIB_HEADERS := $(addsuffix .h,$(basename $(LIB_UNITS))) common/device.h common/device_limits.h

LIB_VERSION := $(file <VERSION)
LIB_MAJOR   := $(firstword $(subst ., ,$(LIB_VERSION)))
LIB_OBJ     := $(BUILD)/lib/obj

PREFIX      ?= /usr/local
LIBDIR      ?= $(PREFIX)/lib
LIB_KINDS   := recurrences_cpu $(if $(NVCC),recurrences)
LIB_C       := $(C_cpu) -fPIC
LIB_CU_recurrences_cpu := $(CU_cpu) -fPIC
LIB_CU_recurrences     := $(CU_gpu) -Xcompiler -fPIC

# What the CPU device needs besides: its marks enclose the kernels' shared variables.
LIB_DEVICE := $(LIB_OBJ)/recurrences_cpu/common/cpu_device
LIB_BEGIN_recurrences_cpu := $(LIB_DEVICE)/shared_begin.c.o
LIB_END_recurrences_cpu   := $(LIB_DEVICE)/shared_end.c.o $(LIB_DEVICE)/cpu_device.c.o
LIB_OBJECTS = $(LIB_BEGIN_$1) $(LIB_UNITS:%=$(LIB_OBJ)/$1/%.o) $(LIB_END_$1)

# Nothing is exported but what headers declare (lib.map), of CUDA's static runtime nothing. The
# library's own calls stay in it, whatever else a process has loaded: the CPU device's functions
# have the names of CUDA's.
LIB_LINK_recurrences_cpu = $(CXX) -shared $(OPENMP) -Wl,-soname,$2 -Wl,--version-script=solvers/lib.map -Wl,-Bsymbolic -Wl,-z,defs
LIB_LINK_recurrences = $(NVCC) -shared $(GENCODE) -Xcompiler -fPIC$(OPENMP:%=$(COMMA)%) -Xlinker -soname=$2 \
                       -Xlinker --version-script=solvers/lib.map -Xlinker -Bsymbolic -Xlinker -z -Xlinker defs \
                       -Xlinker --exclude-libs -Xlinker ALL

.PHONY: lib install uninstall
lib: $(LIB_KINDS:%=$(BUILD)/lib/lib%.so)

define LIB_RULES
$(BUILD)/lib/lib$1.so: $(BUILD)/lib/lib$1.so.$(LIB_MAJOR)
	@ln -sf $$(<F) $$@
$(BUILD)/lib/lib$1.so.$(LIB_MAJOR): $(BUILD)/lib/lib$1.so.$(LIB_VERSION)
	@ln -sf $$(<F) $$@
$(BUILD)/lib/lib$1.so.$(LIB_VERSION): $$(call LIB_OBJECTS,$1) solvers/lib.map
	$$(call SAY,LINK,$$@)
	$$(Q)$$(call LIB_LINK_$1,,lib$1.so.$(LIB_MAJOR)) -o $$@ $$(call LIB_OBJECTS,$1) -lm -lpthread
$(LIB_OBJ)/$1/flags: FORCE
	$$(call WRITE_IF_NEW,'$$(LIB_C) | $$(LIB_CU_$1)')
$(LIB_OBJ)/$1/%.c.o: %.c $(LIB_OBJ)/$1/flags
	@mkdir -p $$(@D)
	$$(call SAY,CC,$$< (lib))
	$$(Q)$$(LIB_C) $$(ROOM) -MMD -MP -c $$< -o $$@
$(LIB_OBJ)/$1/%.cu.o: %.cu $(LIB_OBJ)/$1/flags
	@mkdir -p $$(@D)
	$$(call SAY,CXX,$$< ($1))
	$$(Q)$$(LIB_CU_$1) $$(ROOM) -MMD -MP -c $$< -o $$@
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
	@install -m 644 solvers/python/recurrences.py "$(DESTDIR)$(LIB_PYTHONDIR)"
	@for kind in $(LIB_KINDS); do \
	    install -m 755 $(BUILD)/lib/lib$$kind.so.$(LIB_VERSION) "$(DESTDIR)$(LIBDIR)" && \
	    cp -P $(BUILD)/lib/lib$$kind.so.$(LIB_MAJOR) $(BUILD)/lib/lib$$kind.so "$(DESTDIR)$(LIBDIR)" || exit 1; done
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
