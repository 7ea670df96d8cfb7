# The program that writes the report of a run, BUILD/cpu/report, and its tests.
REPORT := $(addprefix plots/report/,text.c run.c report.c statistics.c stability.c fits.c claims.c claims_w12.c claims_w13.c \
            claims_pl19.c claims_l22.c claims_l22_mpi.c grids.c tables.c tables_pl19.c tables_best.c highlights.c \
            summary.c page.c index.c explore.c)
REPORT_TESTS := $(addprefix plots/report/,test_report.c test_claims_w12.c test_claims_w13.c test_claims_pl19.c \
            test_claims_l22.c test_claims_l22_mpi.c test_fits.c test_summary.c test_pages.c test_explore.c)
# It is built with all programs, or with ONLY=plots.
REPORT_CHOSEN := $(if $(filter-out plots,$(ONLY)),,report)

$(BUILD)/cpu/report: $(call LINKED,cpu,$(REPORT) plots/report/main.c)
	$(LINK)
$(BUILD)/san/report: $(call LINKED,san,$(REPORT) plots/report/main.c)
	$(LINK)
$(BUILD)/cpu/test_report: $(call LINKED,cpu,$(REPORT) $(REPORT_TESTS))
	$(LINK)
$(BUILD)/san/test_report: $(call LINKED,san,$(REPORT) $(REPORT_TESTS))
	$(LINK)
cpu: $(REPORT_CHOSEN:%=$(BUILD)/cpu/%)
tests: $(REPORT_CHOSEN:%=$(BUILD)/cpu/test_%)
ifneq ($(SANITIZE),)
san: $(REPORT_CHOSEN:%=$(BUILD)/san/%)
tests: $(REPORT_CHOSEN:%=$(BUILD)/san/test_%)
endif
