# Compilers, flags, and what this machine has.
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
NVCC   ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
MPICC  ?= mpicc
OPT    ?= -O3
NATIVE ?= -march=native
# Line numbers for sanitizers and profilers. Full debug information (-g) takes half as long again to compile.
DEBUG  ?= -g1
WARN   := -Wall -Wextra -Wpedantic $(WERROR)

# probe.sh compiles and links small files to find out what is here. It sets OPENMP, SANITIZE, LAPACK, MPI, MPI_INCLUDE,
# MPI_LIBS and NVCC; whatever needs a thing that is missing is left out of the build.
ifneq ($(filter-out clean help setup format,$(or $(MAKECMDGOALS),all)),)
PROBED := $(shell mkdir -p $(BUILD) && CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' MPICC='$(MPICC)' \
            common/probe.sh $(BUILD) >$(BUILD)/probe.mk || echo failed)
ifneq ($(PROBED),)
$(error common/probe.sh failed)
endif
include $(BUILD)/probe.mk
endif

# ARCH: the GPU that is present, else all major architectures that this nvcc knows, with PTX for later ones.
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

# A flavour is a way to build: C_x compiles .c files, CU_x compiles .cu files (kernels), LINK_x links.
#   cpu    kernels on the CPU device
#   gpu    kernels on a GPU
#   san    as cpu, with address and undefined-behaviour sanitizers
#   count  as cpu, with every memory access of a kernel counted (cpu_device/count.c)
#   avx2, plain   as cpu, for the SIMD lanes of other processors
# -ffp-contract=fast: gcc with -std=c11 may fuse a product and a sum into one instruction, as g++ and nvcc do.
# AS_IN_C: as in C, members that a designated initializer leaves out are zero, and enumerators are ints.
C11   := $(CC) -std=c11 -D_GNU_SOURCE $(if $(LAPACK),-DHAVE_LAPACKE) -ffp-contract=fast -Icommon -Isolvers \
         $(WARN) $(OPENMP) $(DEBUG)
AS_IN_C := -Wno-missing-field-initializers -Wno-deprecated-enum-enum-conversion -Wno-deprecated-anon-enum-enum-conversion \
           -Wno-deprecated-enum-float-conversion
CXX20 := $(CXX) -x c++ -std=c++20 -Icommon -Isolvers $(WARN) $(AS_IN_C) $(OPENMP) $(DEBUG)

# gcc 14's second scheduling pass gains nothing here and takes minutes for files with many unrolled lanes.
SCHEDULE   := $(if $(findstring clang,$(shell $(CC) --version)),,-fno-schedule-insns2)

C_cpu      := $(C11) $(OPT) $(NATIVE) $(SCHEDULE) $(CFLAGS)
CU_cpu     := $(CXX20) $(OPT) $(NATIVE) $(SCHEDULE) $(CXXFLAGS)
LINK_cpu   := $(CXX) $(OPENMP)

# SANITIZE contains -fsanitize=bounds for static shared arrays, which are thread-local here, so that AddressSanitizer
# does not see them. -Wno-pass-failed: at -O1 clang warns that it does not vectorise.
C_san      := $(C11) -O1 -Wno-pass-failed $(CFLAGS) $(SANITIZE)
CU_san     := $(CXX20) -O1 $(CXXFLAGS) $(SANITIZE)
LINK_san   := $(CXX) $(OPENMP) $(SANITIZE)

# The code generation of -fsanitize=thread at -O0, without its runtime. clang leaves out a read that precedes a write
# unless told otherwise. -g: with -g1 clang attributes inlined lines to the wrong file.
COUNT      := -fsanitize=thread $(if $(findstring clang,$(shell $(CXX) --version)),\
                -mllvm -tsan-instrument-read-before-write=1,-Wno-tsan)
C_count    := $(C11) -g -O2 $(CFLAGS) -DCPU_DEVICE_COUNT
CU_count   := $(CXX20) -g -O0 $(CXXFLAGS) -fno-pie -DCPU_DEVICE_COUNT $(COUNT)
LINK_count := $(CXX) $(OPENMP) -no-pie -Wl,--wrap=memcpy,--wrap=memset

C_avx2     := $(C11) -O1 -Wno-pass-failed -mavx2 -mfma $(CFLAGS)
C_plain    := $(C11) -O1 -Wno-pass-failed $(CFLAGS)
LINK_avx2  := $(LINK_cpu)
LINK_plain := $(LINK_cpu)

C_gpu      := $(C_cpu)
CU_gpu     := $(NVCC) -std=c++20 -O3 -lineinfo $(GENCODE) -Icommon -Isolvers \
              -Xcompiler $(subst $(BLANK),$(COMMA),$(strip -Wall -Wextra $(AS_IN_C) $(OPENMP))) \
              $(if $(WERROR),-Werror all-warnings)
LINK_gpu   := $(NVCC) $(GENCODE) $(OPENMP:%=-Xcompiler %)
