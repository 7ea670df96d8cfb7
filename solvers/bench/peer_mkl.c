/* Peer: Intel MKL's solver of one diagonally dominant system without pivoting, xDTSVB (peers.h).
 * It is loaded when the peer is first called; the loader must find it (LD_LIBRARY_PATH). */
#include "peers.h"

#include <dlfcn.h>
#include <stddef.h>

typedef void solver(const int *n, const int *sides, void *sub, void *diag, void *super, void *rhs,
                    const int *rows, int *status);

long peer_mkl(char type, int64_t n, void *sub, void *diag, void *super, void *rhs)
{
    static void *library;
    static solver *solve;
    static char solve_type;
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2"};
    for (int i = 0; !library && i < 2; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        return -1;
    if (type != solve_type) {
        const char name[] = {type, 'd', 't', 's', 'v', 'b', '\0'};
        *(void **)&solve = dlsym(library, name); /* as POSIX has it: ISO C has no such conversion */
        solve_type = type;
    }
    if (!solve)
        return -1;
    const int rows = (int)n, sides = 1;
    int status = 0;
    solve(&rows, &sides,
          (char *)sub + (type == 'z'   ? 16
                         : type == 's' ? 4
                                       : 8),
          diag, super, rhs, &rows, &status);
    return status;
}
