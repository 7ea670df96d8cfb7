# The compilers and their flags, and what is installed on this machine.
SHELL := /bin/bash
COMMA := ,
EMPTY :=
BLANK := $(EMPTY) $(EMPTY)
BUILD := build

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
# "clang" if this compiler is one. Without a compiler, as before `make setup`, they are empty.
CC_CLANG  := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
CXX_CLANG := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
# clang needs it for OpenMP's reductions of long double.
LIBATOMIC := $(if $(CC_CLANG),-latomic)
NVCC   ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
MPICC  ?= mpicc
OPT    ?= -O3
NATIVE ?= -march=native
# -g1 gives line numbers to sanitizers and profilers; with -g compiling takes 1.5 times as long.
DEBUG  ?= -g1
WARN   := -Wall -Wextra -Wpedantic $(WERROR)

# probe.sh finds out what this machine has and sets OPENMP, SANITIZE, LAPACK, MPI, MPI_INCLUDE, MPI_LIBS and NVCC. The
# build leaves out what needs a missing tool or library.
ifneq ($(filter-out clean help setup dist format,$(or $(MAKECMDGOALS),all)),)
PROBED := $(shell mkdir -p $(BUILD) && CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' MPICC='$(MPICC)' \
            common/probe.sh $(BUILD) >$(BUILD)/probe.mk || echo failed)
ifneq ($(PROBED),)
$(error common/probe.sh failed)
endif
include $(BUILD)/probe.mk
endif

# ARCH: that of the GPU in this machine. Without a GPU: all major ones that this nvcc knows, and PTX for newer ones.
ifneq ($(NVCC),)
ifeq ($(ARCH),)
ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
          grep -xE '[0-9]+\.[0-9]+' | tr -d . | sort -u | sed 's/^/sm_/')
endif
ifeq ($(ARCH),)
ARCH := all-major
endif
GENCODE := $(if $(filter 1,$(words $(ARCH))),-arch=$(ARCH),\
           $(foreach a,$(ARCH),-gencode=arch=compute_$(a:sm_%=%),code=$(a)))
endif

# A flavour is a way to build the programs. For flavour x, C_x compiles .c files, CU_x compiles .cu files (kernels), and
# LINK_x links.
#   cpu    kernels on the CPU device
#   gpu    kernels on a GPU
#   san    like cpu, with the sanitizers for addresses and for undefined behaviour
#   count  like cpu, with every memory access of a kernel counted (cpu_device/count.c)
#   avx2, plain   like cpu, but for the vectors of other processors: AVX2, or only what every processor has
#   lib_cpu, lib_gpu, lib_avx512, lib_avx2, lib_plain   for the libraries (solvers/lib.mk)
# -ffp-contract=fast: as g++ and nvcc do by default, gcc may compute a product and a sum with one instruction (FMA).
# AS_IN_C: no C++ warnings about what C allows: members that a designated initializer leaves out, and arithmetic with
# enumerators. gcc does not know clang's option and would name it beside every other warning.
C11   := $(CC) -std=c11 -D_GNU_SOURCE $(if $(LAPACK),-DHAVE_LAPACKE) -ffp-contract=fast -Icommon -Isolvers \
         $(WARN) $(OPENMP) $(DEBUG)
AS_IN_C := -Wno-missing-field-initializers -Wno-deprecated-enum-enum-conversion -Wno-deprecated-enum-float-conversion \
           $(if $(CXX_CLANG),-Wno-deprecated-anon-enum-enum-conversion)
CXX20 := $(CXX) -x c++ -std=c++20 -Icommon -Isolvers $(WARN) $(AS_IN_C) $(OPENMP) $(DEBUG)

# The second scheduling pass of gcc 14 takes minutes for many unrolled loops and does not make this code faster.
SCHEDULE   := $(if $(CC_CLANG),,-fno-schedule-insns2)

C_cpu      := $(C11) $(OPT) $(NATIVE) $(SCHEDULE) $(CFLAGS)
# With AVX-512 the vectoriser of straight-line code of g++ 12 passes a struct {1, 1, 0, 0} of doubles by value as
# {1, 1, 1, 1}: struct m { double a[2], b[2]; }; double f(m x) { return x.b[0]; }, called as f({{1, 1}, {0, 0}}) when it
# is not inlined, returns 1. In recurrence_strided.cuh identity() was such an argument.
CU_cpu     := $(CXX20) $(OPT) $(NATIVE) $(SCHEDULE) -fno-tree-slp-vectorize $(CXXFLAGS)
LINK_cpu   := $(CXX) $(OPENMP)

# SANITIZE has -fsanitize=bounds for static shared arrays: they are thread-local on the CPU device, which AddressSanitizer
# does not check. -Wno-pass-failed: at -O1 clang would warn that it does not vectorise loops.
C_san      := $(C11) -O1 $(NATIVE) -Wno-pass-failed $(CFLAGS) $(SANITIZE)
CU_san     := $(CXX20) -O1 $(CXXFLAGS) $(SANITIZE)
LINK_san   := $(CXX) $(OPENMP) $(SANITIZE)

# -fsanitize=thread only compiles kernels; the sanitizer's library is not linked. With -mllvm clang reports a read even if
# a write to the same address follows. -g: with -g1 clang attributes inlined lines to the wrong file. -gdwarf-4: in gcc's
# DWARF 5 addr2line (binutils 2.40) takes the first included file for the kernel's own one. C with -O1: with -O2 -g the
# units with SIMD lanes, which nobody counts, take 40% of the build.
COUNT      := -fsanitize=thread $(if $(CXX_CLANG),\
                -mllvm -tsan-instrument-read-before-write=1,-Wno-tsan)
C_count    := $(C11) -O1 -Wno-pass-failed $(CFLAGS) -DCPU_DEVICE_COUNT
CU_count   := $(CXX20) -g -gdwarf-4 -O0 $(CXXFLAGS) -fno-pie -DCPU_DEVICE_COUNT $(COUNT)
LINK_count := $(CXX) $(OPENMP) -no-pie -Wl,--wrap=memcpy,--wrap=memset

C_avx2     := $(C11) -O1 -Wno-pass-failed -mavx2 -mfma $(CFLAGS)
C_plain    := $(C11) -O1 -Wno-pass-failed $(CFLAGS)
LINK_avx2  := $(LINK_cpu)
LINK_plain := $(LINK_cpu)

# The vectors for which the libraries have the units that use SIMD lanes.
LANE_KINDS := $(if $(filter x86_64,$(shell uname -m)),avx512 avx2) plain

C_gpu      := $(C_cpu)
# A file has many kernels. nvcc compiles them at the same time if it is new enough to know the option.
SPLIT      := $(if $(NVCC),$(shell $(NVCC) --help | grep -q split-compile && echo -split-compile=0))
CU_gpu     := $(NVCC) -std=c++20 -O3 -lineinfo $(SPLIT) $(GENCODE) -Icommon -Isolvers \
              -Xcompiler $(subst $(BLANK),$(COMMA),$(strip -Wall -Wextra $(AS_IN_C) $(OPENMP))) \
              $(if $(WERROR),-Werror all-warnings)
LINK_gpu   := $(NVCC) $(GENCODE) $(OPENMP:%=-Xcompiler %)
