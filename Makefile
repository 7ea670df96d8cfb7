# make             build everything that this machine can: CPU always, GPU where nvcc is
# make setup       install by apt what is missing (as root), or say what to install
# make test        all tests, also with sanitizers: at most 5 minutes on two cores
# make figures RESULTS=results/DEVICE   draw the figures and write the report again
# make count       count every kernel's memory accesses on the CPU: tables, build/count/counts.csv
# make lib         build/lib/lib*.so: the solvers as shared objects
# make format      clang-format;  make clean
# Variables: CC, CXX, NVCC, ARCH (sm_90, …), OPT, REVISION; see common/common.mk.

PROGRAMS := pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape
RESULTS  ?= $(firstword $(wildcard results/*))

.PHONY: all cpu gpu san test setup figures count lib format clean common $(PROGRAMS)
all: $(PROGRAMS)
	@if [ -d build/gpu ]; then echo "built: build/cpu and build/gpu"; \
	 else echo "built: build/cpu (no nvcc: no GPU build)"; fi
$(PROGRAMS): common
pcr: pscheme_gpu
common $(PROGRAMS):
	@$(MAKE) --no-print-directory -C $@ $(or $(TARGET),all)

cpu gpu san:
	@$(MAKE) --no-print-directory TARGET=$@ $(PROGRAMS)
test: cpu san
	@$(MAKE) --no-print-directory -C common tests
	@common/test.sh

PACKAGES := gcc g++ make gnuplot-nox liblapacke-dev mpich
setup:
	@missing=$$(for p in $(PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done); \
	 if [ -z "$$missing" ]; then echo "setup: nothing is missing"; \
	 elif [ "$$(id -u)" = 0 ]; then echo "setup: installing" $$missing; \
	      apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	 else echo "setup: as root, run: apt-get update && apt-get install --no-install-recommends" $$missing; exit 1; fi

figures:
	@[ -d "$(RESULTS)" ] || { echo "figures: no directory '$(RESULTS)': RESULTS=results/DEVICE"; exit 2; }
	plots/draw.sh "$(RESULTS)"
	plots/report.sh "$(RESULTS)"

# Figures of it: plots/draw.sh build/count
count:
	+@common/count.sh

lib:
	@$(MAKE) --no-print-directory TARGET=lib $(PROGRAMS)

format:
	clang-format -i */*.c */*.h */*.cu */*/*.c */*/*.h
clean:
	rm -rf build
