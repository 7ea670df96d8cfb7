# The library, its examples and its installation. The top Makefile includes this file.
#   make lib        build/lib/librecurrences_cpu.so: all solver units but those over MPI, on the CPU device; if nvcc is
#                   found, also build/lib/librecurrences.so: the same units for a GPU. make lib-cpu: only the first
#   make install    libraries, headers, files for pkg-config and CMake, and the Python package; make uninstall removes
#                   them. Variables:
#                   PREFIX=/usr/local DESTDIR= LIBDIR=PREFIX/lib PYTHONDIR=where python3 below PREFIX finds modules
#   make wheel      build/wheel/recurrences-….whl: the Python package with the libraries inside (setup.py)
#   make examples   build/examples/NAME, linked with the library for the CPU
#   make run ONLY=solvers   run the programs that measure the solvers, with small sizes
LIB_UNITS := pscheme_cpu/pscheme_cpu.c pscheme_gpu/pscheme_gpu.cu pcr/pcr.cu pscheme_g/pscheme_g.cu \
             thomas_batch/thomas_batch.cu nshape/nshape.cu nshape/tdse/tdse.cu \
             solvers/recurrence.cu solvers/recurrence2.cu solvers/filter.cu solvers/tridiagonal.cu \
             solvers/tridiagonal_batch.cu solvers/applications/heat.cu
# Units that use SIMD lanes. They are compiled for each of LANE_KINDS (lanes_choice.c).
LANE_UNITS  := solvers/tridiagonal_cpu.c solvers/recurrence_cpu.c solvers/filter_cpu.c solvers/tridiagonal_batch_cpu.c
LIB_HEADERS := $(addsuffix .h,$(basename $(LIB_UNITS) $(LANE_UNITS))) common/device.h common/device_limits.h \
               $(addprefix solvers/,recurrence_problem.h filter_problem.h tridiagonal_problem.h \
                                    tridiagonal_batch_problem.h recurrences.hpp recurrences_device.hpp)

LIB_VERSION := $(file <VERSION)
LIB_MAJOR   := $(firstword $(subst ., ,$(LIB_VERSION)))
LIB_KINDS   := recurrences_cpu $(if $(NVCC),recurrences)

# ---- the libraries ----

# More flavours (common/mk/rules.mk). The libraries run on every processor of this kind. Kernels on the CPU device are
# for learning and tests, so they are compiled in little time.
C_lib_cpu  := $(filter-out $(NATIVE),$(C_cpu)) -fPIC
CU_lib_cpu := $(patsubst -O3,-O1,$(filter-out $(NATIVE),$(CU_cpu))) -fPIC
C_lib_gpu  := $(C_lib_cpu)
CU_lib_gpu := $(CU_gpu) -Xcompiler -fPIC
LANE_FUNCTIONS := $(shell sed -n 's/^CHOOSE.[^,]*, \([a-z_]*\),.*/\1/p' solvers/lanes_choice.c)
# Hidden: the libraries do not export what lanes_choice.c chooses from.
C_LANES         = $(C_lib_cpu) -fvisibility=hidden $(foreach f,$(LANE_FUNCTIONS),-D$f=$f_$1)
C_lib_avx512   := $(call C_LANES,avx512) -march=x86-64-v4 -mprefer-vector-width=512
C_lib_avx2     := $(call C_LANES,avx2) -march=x86-64-v3
C_lib_plain    := $(call C_LANES,plain)

# The libraries export only what the headers declare (lib.map), and nothing of CUDA's static runtime. The CPU device has
# functions with the names of CUDA's; with -Bsymbolic the library calls its own, even if CUDA's are loaded. A wheel has
# OpenMP's library beside them (-rpath).
LINK_lib_cpu = $(CXX) -shared $(OPENMP) -Wl,-rpath,'$$ORIGIN' -Wl,-soname,$(LIB_CPU:.$(LIB_VERSION)=.$(LIB_MAJOR)) \
               -Wl,--version-script=solvers/lib.map -Wl,-Bsymbolic -Wl,-z,defs
LINK_lib_gpu = $(NVCC) -shared $(GENCODE) -Xcompiler -fPIC$(OPENMP:%=$(COMMA)%) \
               -Xlinker -rpath='$$ORIGIN' -Xlinker -soname=$(LIB_GPU:.$(LIB_VERSION)=.$(LIB_MAJOR)) -Xlinker --version-script=solvers/lib.map \
               -Xlinker -Bsymbolic -Xlinker -z -Xlinker defs -Xlinker --exclude-libs -Xlinker ALL
LIB_CPU := librecurrences_cpu.so.$(LIB_VERSION)
LIB_GPU := librecurrences.so.$(LIB_VERSION)

.PHONY: lib lib-cpu wheel install uninstall examples
lib: lib-cpu $(LIB_KINDS:%=$(BUILD)/lib/lib%.so)
lib-cpu: $(BUILD)/lib/librecurrences_cpu.so $(BUILD)/lib/fast.so
wheel:
	python3 -m pip wheel --no-deps --wheel-dir $(BUILD)/wheel .

# The kernels' shared variables must lie between shared_begin.c and shared_end.c (LINKED in common/mk/programs.mk).
LANE_OBJECTS    := $(call OBJECTS,lib_cpu,solvers/lanes_choice.c) $(foreach k,$(LANE_KINDS),$(call OBJECTS,lib_$k,$(LANE_UNITS)))
LIB_CPU_OBJECTS := $(call OBJECTS,lib_cpu,common/cpu_device/shared_begin.c $(LIB_UNITS) \
                     common/cpu_device/shared_end.c $(CPU_DEVICE)) $(LANE_OBJECTS)
LIB_GPU_OBJECTS := $(call OBJECTS,lib_gpu,$(LIB_UNITS)) $(LANE_OBJECTS)
$(BUILD)/lib/$(LIB_CPU): $(LIB_CPU_OBJECTS)
$(BUILD)/lib/$(LIB_GPU): $(LIB_GPU_OBJECTS)
$(BUILD)/lib/$(LIB_CPU): LINK_LIB = $(LINK_lib_cpu)
$(BUILD)/lib/$(LIB_GPU): LINK_LIB = $(LINK_lib_gpu)
$(BUILD)/lib/$(LIB_CPU) $(BUILD)/lib/$(LIB_GPU): solvers/lib.map
	@mkdir -p $(@D)
	$(call SAY,LINK,$@)
	$(Q)$(LINK_LIB) -o $@ $(filter %.o,$^) -lm -lpthread
# A part of the Python package. Python has the functions that it lacks.
$(BUILD)/lib/fast.so: $(call OBJECTS,lib_cpu,solvers/python/fast.c) | $(BUILD)/lib/librecurrences_cpu.so
	$(call SAY,LINK,$@)
	$(Q)$(CC) -shared $(OPENMP) -o $@ $< -L$(BUILD)/lib -lrecurrences_cpu -Wl,-rpath,'$$ORIGIN' -Wl,-z,now
$(BUILD)/lib/lib%.so.$(LIB_MAJOR): $(BUILD)/lib/lib%.so.$(LIB_VERSION)
	@ln -sf $(<F) $@
$(BUILD)/lib/lib%.so: $(BUILD)/lib/lib%.so.$(LIB_MAJOR)
	@ln -sf $(<F) $@

# ---- examples, and the programs that measure the solvers ----

# The library has no unit over MPI.
EXAMPLES     := $(filter-out %_mpi.cu,$(wildcard solvers/examples/*.c solvers/examples/*.cu))
EXAMPLES_OUT := $(patsubst solvers/examples/%,$(BUILD)/examples/%,$(basename $(EXAMPLES)))
EXAMPLE_LINK  = -L$(BUILD)/lib -lrecurrences_cpu -Wl,-rpath,'$$ORIGIN/../lib' -lm
EXAMPLE_UNITS = $(addprefix -I,$(sort $(dir $(LIB_UNITS) $(LANE_UNITS))))
examples: lib $(EXAMPLES_OUT)
	@echo "built: $(BUILD)/lib and $(BUILD)/examples"
$(BUILD)/examples/%: solvers/examples/%.c $(BUILD)/lib/librecurrences_cpu.so
	@mkdir -p $(@D)
	$(call SAY,CC,$<)
	$(Q)$(C_cpu) $(EXAMPLE_UNITS) -o $@ $< $(EXAMPLE_LINK)
$(BUILD)/examples/%: solvers/examples/%.cu $(BUILD)/lib/librecurrences_cpu.so
	@mkdir -p $(@D)
	$(call SAY,CXX,$<)
	$(Q)$(CU_cpu) $(EXAMPLE_UNITS) -o $@ $< -x none $(EXAMPLE_LINK)

# RUN_PROGRAM: the solvers among the variants of PROGRAM, which `make run ONLY=solvers` measures.
RUN_recurrence   := one_pass,cub_scan
RUN_recurrence2  := recurrence2_linear,recurrence2_mobius,recurrence2_lu
RUN_filter       := filter_sos,filter_order
RUN_tridiagonal_batch := tridiagonal_batch,tridiagonal_batch_pivoted,tridiagonal_batch_shared
RUN_heat         := heat
RUN_tridiagonal  := tridiagonal,tridiagonal_pivoted,tridiagonal_auto,nshape_lanes
ifeq ($(ONLY),solvers)
run: cpu $(if $(NVCC),gpu)
	@flavour=cpu status=0; ! nvidia-smi -L >/dev/null 2>&1 || [ ! -d $(BUILD)/gpu ] || flavour=gpu; \
	 $(foreach p,$(SOLVER_PROGRAMS),echo "$(BUILD)/$$flavour/$p --quick --variant $(RUN_$p)"; \
	 $(BUILD)/$$flavour/$p --quick --variant $(RUN_$p) || status=$$?;) exit $$status
endif

# ---- install ----

PREFIX      ?= /usr/local
LIBDIR      ?= $(PREFIX)/lib

PYTHON_FILES = $(wildcard solvers/python/recurrences/*.py solvers/python/recurrences/*.cpp) $(BUILD)/lib/fast.so

# $(call LIB_WORD,TEXT): TEXT with its blanks escaped, as pkg-config needs it.
LIB_WORD = $(subst $(BLANK),\$(BLANK),$1)
# PYTHONDIR, or else the first directory below PREFIX in which python3 looks for modules, or else a default.
LIB_PYTHONDIR = $(or $(PYTHONDIR),$(shell python3 -c 'import sys; print(next((d for d in sys.path \
                  if d.startswith(sys.argv[1] + "/") and d.endswith("-packages")), ""))' '$(PREFIX)' 2>/dev/null),\
                  $(PREFIX)/lib/python3/dist-packages)
LIB_INCLUDE   = $(DESTDIR)$(PREFIX)/include/recurrences
# $(call LIB_PC,NAME,DEVICE,CFLAGS,LIBS,VARIABLE): a command that writes the pkg-config file of library NAME for a DEVICE,
# with more flags and one more line VARIABLE (NAME=VALUE). LIBS have the run path, so that programs start wherever PREFIX
# is; nvcc knows it as -Xlinker.
LIB_PC = printf '%s\n' 'prefix=$(call LIB_WORD,$(PREFIX))' 'includedir=$${prefix}/include' \
    'libdir=$(call LIB_WORD,$(subst $(PREFIX)/,$${prefix}/,$(LIBDIR)))' $5 '' 'Name: $1' \
    'Description: Recurrences and tridiagonal systems in parallel, on $2' 'Version: $(LIB_VERSION)' \
    'Cflags: -I$${includedir}/recurrences$3' 'Libs: -L$${libdir} -l$1 $(strip $4)' >"$(DESTDIR)$(LIBDIR)/pkgconfig/$1.pc"

# nvcc cannot hand a run path with a blank on to the linker.
LIB_CUDA = -L$${cudadir}/lib64 -lcudart \
           $(if $(findstring $(BLANK),$(LIBDIR)),,-Xlinker -rpath=$${libdir}:$${cudadir}/lib64)

LIB_CMAKE = $(LIBDIR)/cmake/recurrences

install: lib
	@install -d "$(LIB_INCLUDE)/cpu_device" "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(LIB_CMAKE)" \
	    "$(DESTDIR)$(LIB_PYTHONDIR)/recurrences"
	@install -m 644 $(LIB_HEADERS) "$(LIB_INCLUDE)"
	@install -m 644 common/cpu_device/cpu_device.h "$(LIB_INCLUDE)/cpu_device"
	@install -m 644 $(PYTHON_FILES) "$(DESTDIR)$(LIB_PYTHONDIR)/recurrences"
	@for kind in $(LIB_KINDS); do \
	    install -m 755 $(BUILD)/lib/lib$$kind.so.$(LIB_VERSION) "$(DESTDIR)$(LIBDIR)" && \
	    cp -P $(BUILD)/lib/lib$$kind.so.$(LIB_MAJOR) $(BUILD)/lib/lib$$kind.so "$(DESTDIR)$(LIBDIR)" || exit 1; done
	@$(call LIB_PC,recurrences_cpu,a CPU,,-Wl$(COMMA)-rpath$(COMMA)$${libdir})
ifneq ($(NVCC),)
	@cuda=$$(dirname "$$(dirname "$$(readlink -f "$(NVCC)")")"); \
	 $(call LIB_PC,recurrences,a GPU, -DDEVICE_CUDA -I$${cudadir}/include,$(LIB_CUDA),"cudadir=$$cuda")
endif
	@include=$$(realpath -ms --relative-to="$(LIB_CMAKE)" "$(PREFIX)/include/recurrences"); \
	 for file in recurrencesConfig recurrencesConfigVersion; do \
	    sed "s|@INCLUDE@|$$include|; s|@VERSION@|$(LIB_VERSION)|" solvers/cmake/$$file.cmake \
	        >"$(DESTDIR)$(LIB_CMAKE)/$$file.cmake" || exit 1; done
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || :
	@echo "installed: $(LIB_KINDS:%=lib%) $(LIB_VERSION) in $(DESTDIR)$(LIBDIR), Python package in $(DESTDIR)$(LIB_PYTHONDIR)"

uninstall:
	@rm -rf "$(LIB_INCLUDE)" "$(DESTDIR)$(LIB_CMAKE)" "$(DESTDIR)$(LIB_PYTHONDIR)/recurrences"
	@rm -f "$(DESTDIR)$(LIBDIR)"/librecurrences.so* "$(DESTDIR)$(LIBDIR)"/librecurrences_cpu.so* \
	    "$(DESTDIR)$(LIBDIR)"/pkgconfig/recurrences.pc "$(DESTDIR)$(LIBDIR)"/pkgconfig/recurrences_cpu.pc
