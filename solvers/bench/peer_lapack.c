/* Peer: LAPACK's solver of one tridiagonal system (peers.h). It calls LAPACKE's functions with the
 * ending _work. The functions without this ending first search the arrays for NaN, and the search
 * would be timed, too. */
#include "peers.h"

#ifdef HAVE_LAPACKE
#include <complex.h>
#include <lapacke.h>

long peer_lapack(char type, int64_t n, void *sub, void *diag, void *super, void *rhs)
{
    lapack_int rows = (lapack_int)n;
    switch (type) { /* LAPACK's sub has no element for row 0, so sub + 1 is passed */
    case 's':
        return LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, rows, 1, (float *)sub + 1, diag, super, rhs,
                                  rows);
    case 'd':
        return LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, rows, 1, (double *)sub + 1, diag, super, rhs,
                                  rows);
    case 'c':
        return LAPACKE_cgtsv_work(LAPACK_COL_MAJOR, rows, 1, (float complex *)sub + 1, diag, super,
                                  rhs, rows);
    default:
        return LAPACKE_zgtsv_work(LAPACK_COL_MAJOR, rows, 1, (double complex *)sub + 1, diag, super,
                                  rhs, rows);
    }
}
#else
long peer_lapack(char type, int64_t n, void *sub, void *diag, void *super, void *rhs)
{
    (void)type, (void)n, (void)sub, (void)diag, (void)super, (void)rhs;
    return -1;
}
#endif
