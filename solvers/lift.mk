# Builds the example of the solver in this directory: example-cpu, its kernels on the CPU device, and where nvcc is
# example-gpu. Without an example it compiles the solver. `make lift` wrote this directory. Variables: CC, CXX, CFLAGS,
# NVCC (empty: only for the CPU), NVCCFLAGS.
CFLAGS ?= -O3 -march=native
NVCC   ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
NVCCFLAGS ?= -O3 -arch=native

SOURCES := $(wildcard *.c *.cu)
# Not compiled by themselves: what another source includes.
SOURCES := $(filter-out $(shell sed -n 's/^#include "\(.*\.cu\{0,1\}\)".*/\1/p' $(SOURCES)),$(SOURCES))
KERNELS := $(filter %.cu,$(SOURCES))
# The CPU device finds the kernels' shared variables between shared_begin and shared_end.
DEVICE  := $(if $(KERNELS),$(wildcard cpu_device/*.c))
MARK     = $(filter cpu_device/shared_$1.c,$(DEVICE))
CPU     := $(call MARK,begin) $(SOURCES) $(call MARK,end) $(filter-out cpu_device/shared_%,$(DEVICE))
CPU     := $(addsuffix .o,$(addprefix cpu/,$(notdir $(CPU))))
GPU     := $(SOURCES:%=gpu/%.o)
ifneq ($(shell grep -l '^.include <mpi.h>' $(wildcard *.h *.c *.cu)),)
CC  := mpicc
CXX := mpicxx
CCBIN := -ccbin mpicxx
endif
C  = $(CC) -std=gnu11 -D_GNU_SOURCE -fopenmp $(CFLAGS)
# With AVX-512 the vectoriser of straight-line code of g++ 12 passes a struct {1, 1, 0, 0} of doubles as {1, 1, 1, 1}.
CU = $(CXX) -std=c++17 -x c++ -fopenmp $(CFLAGS) -fno-tree-slp-vectorize

EXAMPLE := $(wildcard example.c example.cu)
all: $(if $(EXAMPLE),example-cpu,$(CPU)) $(if $(and $(NVCC),$(KERNELS)),$(if $(EXAMPLE),example-gpu,$(GPU)))
example-cpu: $(CPU)
	$(CXX) -fopenmp -o $@ $^ -lm -lpthread
example-gpu: $(GPU)
	$(NVCC) $(CCBIN) $(NVCCFLAGS) -Xcompiler -fopenmp -o $@ $^

HEADERS := $(wildcard *.h *.cuh cpu_device/*.h)
cpu/%.c.o gpu/%.c.o: %.c $(HEADERS)
	@mkdir -p $(@D)
	$(C) -c $< -o $@
cpu/%.c.o: cpu_device/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(C) -c $< -o $@
cpu/%.cu.o: %.cu $(HEADERS)
	@mkdir -p $(@D)
	$(CU) -c $< -o $@
gpu/%.cu.o: %.cu $(HEADERS)
	@mkdir -p $(@D)
	$(NVCC) $(CCBIN) -std=c++17 $(NVCCFLAGS) -c $< -o $@
.PHONY: all clean
clean:
	rm -rf cpu gpu example-cpu example-gpu
