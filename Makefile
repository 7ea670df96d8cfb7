#: make                build for the CPU and, if nvcc is found, for a GPU
#: make setup          install the missing packages with apt (as root), or print the command for it
#: make test           run tests of every kind, also with sanitizers, in minutes
#: make test-all       run all tests, in a quarter of an hour
#: make run ONLY=pcr   run one program, here pcr
#: make figures RESULTS=results/DEVICE   draw the figures and write the report again from the results of a run
#: make count          count the memory accesses of every kernel on the CPU
#: make lab              list the labs, exercises that are graded without a GPU
#: make lab LAB=3        grade the kernel of lab 3 (SHOW=1: beside the solution; TOUR=1: walk through wrong answers)
#: make lab_time LAB=14  time the kernel of lab 14 on a GPU (FILE=solution: the solution)
#: make class CSV='group*.csv'   the table of a class, from the files that LAB_CSV names
#: make students TO=DIRECTORY    the students' copy, without solutions (LABS="1 2": these labs alone)
#: make picture KERNEL=rearranged LINE=31   draw which memory each lane of a warp accesses in a source line
#:                       (SVG=FILE: also as SVG; without LINE: list the lines; without KERNEL: list the kernels)
#: make lib            build the library of all solvers in build/lib, for the CPU and, if nvcc is found, for a GPU
#: make lib-cpu        build the library for the CPU alone
#: make wheel          build the Python package with the library inside, for pip
#: make install        install library, headers, pkg-config file and Python package (PREFIX=/usr/local DESTDIR=;
#:                       NVCC=: for the CPU alone)
#: make uninstall      delete them
#: make lift SOLVER=tridiagonal TO=DIRECTORY   copy the files of one solver, with a Makefile for its example
#: make dist           make the archive of a release, with the article as PDF, in build/dist (needs Chromium)
#: make examples       build solvers/examples in build/examples, linked with the library
#: make format         format the C and CUDA files with clang-format
#: make clean          delete build/
#: Variables: V=1 (show commands), ONLY="pcr nshape heat", CC=clang CXX=clang++, ARCH=sm_90, OPT=-O2, DEBUG=-g,
#: WERROR=-Werror, NATIVE= (empty: the programs also run on other processors). -j1 or -j8 sets the number of jobs.
#: In a program's directory and in solvers/ you can run make, make run and make test.

PROGRAMS := pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape
SOLVER_PROGRAMS := recurrence recurrence2 filter tridiagonal tridiagonal_batch heat dpcm gated equaliser depth_of_field

# Without -j, make runs as many jobs as there are cores.
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules

.PHONY: all cpu gpu san count tests test test-all run setup figures dist format clean help
all:

ifeq ($(MAKECMDGOALS),lift) # without the rules below, where SOLVER is another variable
.PHONY: lift
lift:
	@solvers/lift.sh '$(SOLVER)' '$(TO)'
else
include common/mk/tools.mk
include common/mk/rules.mk
include common/mk/programs.mk
include common/mk/lab.mk
include solvers/lib.mk
include plots/report/report.mk
endif

all: cpu $(if $(NVCC),gpu)
	@if [ -d $(BUILD)/gpu ]; then echo "built: $(BUILD)/cpu and $(BUILD)/gpu"; else echo "built: $(BUILD)/cpu"; fi
	@sed -n 's/^# left out: /left out: /p' $(BUILD)/probe.mk

help:
	@sed -n 's/^#: //p' Makefile

count: $(if $(ONLY),counted,listed)
	$(if $(ONLY),,@COUNT_BUILT=1 common/count.sh)

test: tests
	@common/test.sh $(ONLY)
test-all: tests
	@TESTS=all common/test.sh $(ONLY)

# Debian packages. Only gcc, g++ and make are needed.
PACKAGES := gcc g++ libc6-dev make gnuplot-nox liblapacke-dev mpich libmpich-dev python3 python3-numpy pkg-config
setup:
	@missing=$$(for p in $(PACKAGES); do \
	    dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q ' installed$$' || echo $$p; done); \
	 if [ -z "$$missing" ]; then echo "setup: nothing is missing"; \
	 elif [ "$$(id -u)" = 0 ]; then \
	    echo "setup: installing" $$missing; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	 else \
	    echo "setup: not root; run: sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends" $$missing"'"; \
	    exit 1; \
	 fi

RESULTS ?= $(firstword $(wildcard results/*))
figures:
	@[ -d "$(RESULTS)" ] || { echo "figures: no directory '$(RESULTS)': RESULTS=results/DEVICE"; exit 2; }
	plots/draw.sh "$(RESULTS)"
	plots/report.sh "$(RESULTS)"

dist:
	@plots/dist.sh $(BUILD)/dist

format:
	clang-format -i $$(git ls-files "*.c" "*.cu" "*.h" "*.cuh")
clean:
	rm -rf $(if $(ONLY),$(CLEANED),$(BUILD))
