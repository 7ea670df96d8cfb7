# The last line of every PROGRAM/Makefile includes this. Read by the top Makefile it keeps the program's variables
# under PROGRAM_…; read by `make` in the program's directory it hands the target to the top.
ifdef PROGRAM
$(foreach v,$(FIELDS),$(eval $(PROGRAM)_$v := $$($v)) $(eval $v :=))
else
PROGRAM := $(lastword $(subst /, ,$(CURDIR)))
TARGETS := all cpu gpu san count test run clean
.PHONY: $(TARGETS)
$(TARGETS):
	@$(MAKE) --no-print-directory -C .. ONLY=$(PROGRAM) $@
all:
endif
