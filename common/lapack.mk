# LAPACK is a peer, not a need: whichever of these links, or none. Included before common.mk.
LAPACK := $(shell f=$$(mktemp); for libs in "-llapacke -llapack -lblas" "-llapacke -lopenblas" "-lopenblas"; do \
    echo 'int main(void) { return (int)(LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, 0, 1, 0, 0, 0, 0, 1) + \
    LAPACKE_dlatms_work(LAPACK_COL_MAJOR, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0)); }' | \
    $(CC) -include lapacke.h -x c - -o $$f $$libs 2>/dev/null && echo $$libs && break; done; rm -f $$f)
ifneq ($(LAPACK),)
CPPFLAGS += -DHAVE_LAPACKE
LDLIBS   += $(LAPACK)
endif
