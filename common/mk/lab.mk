# The labs (common/lab/README.md): builds the harness. common/lab/lab.sh compiles the kernel with the commands that it
# reads in BUILD/lab/tools.
LAB :=
# nvcc also compiles a kernel for a lab, but nothing runs it.
LAB_NVCC := $(if $(NVCC),$(NVCC) -x cu -std=c++20 -Icommon -Isolvers)
LAB_MAINS := $(wildcard */lab/*/lab.cu)
# $(call LAB_USES,files): the files that the labs with these lab.cu name in uses.txt
LAB_USES = $(sort $(shell cat $(wildcard $(1:%lab.cu=%uses.txt)) /dev/null))
# $(call LAB_NEEDS,files): what lab.sh links with the kernel of a lab
LAB_NEEDS = $(BUILD)/lab/tools $(BUILD)/count/libcommon.a $(call MARK,count,begin) $(call MARK,count,end) \
            $(call OBJECTS,count,common/lab/lab.cu $1 $(call LAB_USES,$1))
.PHONY: lab
$(BUILD)/lab/tools: FORCE
	$(call WRITE_IF_NEW,'$(CU_count)' '$(LINK_count)' '$(LAB_NVCC)')
lab: $(if $(LAB),$(call LAB_NEEDS,$(wildcard */lab/$(LAB)_*/lab.cu)))
	@SHOW='$(SHOW)' TOUR='$(TOUR)' common/lab/lab.sh $(LAB)
tests: $(call LAB_NEEDS,$(LAB_MAINS))

# `make class CSV='group*.csv'`: the table of a class (common/lab/class.sh).
CSV :=
.PHONY: class
class:
	@common/lab/class.sh $(CSV)
# `make students TO=DIRECTORY`: the students' copy; LABS="1 2": of these labs alone (common/lab/students.sh).
TO :=
LABS :=
.PHONY: students
students:
	@common/lab/students.sh '$(TO)' $(LABS)

# `make lab_time LAB=N` times the kernel of a lab that has a time.cu on a GPU; FILE=solution times the solution.
FILE := kernel
TIMED := $(wildcard */lab/*/time.cu)
NUMBER_OF = $(firstword $(subst _, ,$(notdir $(patsubst %/,%,$(dir $1)))))
.PHONY: lab_time
$(foreach t,$(TIMED),$(foreach f,kernel solution,$(if $(wildcard $(dir $t)$f.cu),$(eval \
    $(call PROGRAM_OF,gpu,lab$(call NUMBER_OF,$t)_$f,$(dir $t)$f.cu $t $(call LAB_USES,$(dir $t)lab.cu))))))
ifneq ($(and $(NVCC),$(filter $(LAB),$(foreach t,$(TIMED),$(call NUMBER_OF,$t)))),)
lab_time: $(BUILD)/gpu/lab$(LAB)_$(FILE)
	@if nvidia-smi -L >/dev/null 2>&1; then $<; else echo 'lab_time: left out: it needs a GPU'; fi
else
lab_time:
	@echo 'lab_time: left out: it needs nvcc, and LAB=$(or $(foreach t,$(TIMED),$(call NUMBER_OF,$t)),N)'
endif
ifneq ($(NVCC),)
tests: $(foreach t,$(wildcard $(TIMED:%time.cu=%solution.cu)),$(BUILD)/gpu/lab$(call NUMBER_OF,$t)_solution)
endif

# `make picture KERNEL=NAME LINE=N` draws the requests of a source line; common/lab/picture.sh explains the variables.
KERNEL :=
LINE :=
SVG :=
ACCESS :=
.PHONY: picture pictures
picture: listed
	@COUNT_BUILT=1 common/lab/picture.sh '$(KERNEL)' '$(LINE)' '$(SVG)' '$(ACCESS)'
# The pictures in the READMEs.
pictures: listed
	@COUNT_BUILT=1 plots/pictures.sh
