#: make                build everything that this machine can: CPU always, GPU where nvcc is
#: make setup          install by apt what is missing (as root), or print the command
#: make test           run all tests, also with sanitizers
#: make run ONLY=pcr   run one program
#: make figures RESULTS=results/DEVICE   draw the figures and write the report of a run again
#: make count          count the memory accesses of every kernel on the CPU
#: make lib            all solvers in a library, for the CPU and, where nvcc is, for a GPU: build/lib
#: make install        library, headers, pkg-config file, Python module: PREFIX=/usr/local DESTDIR=; make uninstall
#: make examples       the examples of solvers/examples, linked with that library: build/examples
#: make format         clang-format
#: make clean          delete build/
#: Variables: V=1 shows commands, -j1 or -j8, ONLY="pcr nshape", CC=clang CXX=clang++, ARCH=sm_90, OPT=-O2, DEBUG=-g,
#: NATIVE= (for other processors than this one), WERROR=-Werror. In a program's directory and in solvers/: make,
#: make run, make test.

# How it works:
#   common/mk/tools.mk      compilers, flags, what this machine has
#   common/mk/rules.mk      from a source file to an object, for each flavour of the build
#   common/mk/programs.mk   from objects to the common library, its tests and the programs
#   common/mk/program.mk    one program; PROGRAM/Makefile lists its sources
#   solvers/lib.mk          the library of solvers, its installation, the examples
PROGRAMS := pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape
# These also check and measure the solvers of solvers/.
SOLVER_PROGRAMS := pscheme_g thomas_batch nshape

# As many jobs as cores, unless -j says otherwise; one line a file, unless V=1 asks for commands.
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules

.PHONY: all cpu gpu san count tests test run setup figures format clean help
all:

include common/mk/tools.mk
include common/mk/rules.mk
include common/mk/programs.mk
include solvers/lib.mk

all: cpu $(if $(NVCC),gpu)
	@if [ -d $(BUILD)/gpu ]; then echo "built: $(BUILD)/cpu and $(BUILD)/gpu"; else echo "built: $(BUILD)/cpu"; fi
	@sed -n 's/^# left out: /left out: /p' $(BUILD)/probe.mk

help:
	@sed -n 's/^#: //p' Makefile

count: counted
	$(if $(ONLY),,@common/count.sh)

test: tests
	@common/test.sh $(ONLY)

# The Debian packages that `make` and `make test` use. Only gcc, g++ and make are needed, the others are optional.
PACKAGES := gcc g++ libc6-dev make gnuplot-nox liblapacke-dev mpich libmpich-dev python3 pkg-config
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

format:
	clang-format -i $$(git ls-files "*.c" "*.cu" "*.h" "*.cuh")
clean:
	rm -rf $(if $(ONLY),$(CLEANED),$(BUILD))
