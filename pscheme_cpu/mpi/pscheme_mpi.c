/* The functions of pscheme_mpi.h. pscheme_mpi_body.h has those for one floating-point type. */
#include "pscheme_mpi.h"

/* For its static functions, which sweep over the rows of a part: here the rows of a rank. */
#include "pscheme_cpu.c"
#undef REAL
#undef NAME

/* As TRY in device.h: returns from the calling function if a call of MPI fails. */
#define TRY_MPI(call)                                                                              \
    do {                                                                                           \
        if ((call) != MPI_SUCCESS)                                                                 \
            return PSCHEME_MPI_FAILED;                                                             \
    } while (0)

/* The elements of an affine and of a Moebius map. The first is the value of the map at 0. */
enum { AFFINE = 2, MOEBIUS = 3 };
enum { TAG = 0 }; /* all messages have the same tag, because they arrive in order */

/* A bad pivot is one number, with the sweep in the upper bits and the row in the lower ones, and
 * the ranks take the minimum. So a row from an earlier sweep is chosen before a smaller row from a
 * later one, as in pscheme_solve, which stops after the first sweep with a bad pivot. */
enum sweep { PRECOMPUTE_P, DETERMINE_P, PRECOMPUTE_Q };
enum { SWEEP_SHIFT = 56 };

static int64_t bad_pivot(enum sweep sweep, int64_t start, int64_t row)
{
    return row == NO_ROW ? NO_ROW : ((int64_t)sweep << SWEEP_SHIFT) + start + row;
}

enum phase { PRECOMPUTE, PROPAGATE, DETERMINE, PHASES };

static int has_seconds(const double *seconds)
{
    return !seconds || (uintptr_t)seconds % sizeof *seconds == 0;
}

int64_t pscheme_mpi_rows(int64_t rows, int ranks, int rank, int64_t *start)
{
    *start = part_start(rows, ranks, rank);
    return part_start(rows, ranks, rank + 1) - *start;
}

static int refused_mpi(const struct pscheme_mpi *mpi, int64_t n, int64_t least,
                       enum pscheme_mpi_how how)
{
    return !mpi || n < least || n > MOST || (how != PSCHEME_MPI_CHAIN && how != PSCHEME_MPI_EXSCAN);
}

/* If the phases are timed, all ranks begin a phase together. */
static int phases_begin(const struct pscheme_mpi *mpi, const double *seconds, double *since)
{
    if (seconds) {
        TRY_MPI(MPI_Barrier(mpi->up));
        *since = MPI_Wtime();
    }
    return 0;
}

static int phase_ends(const struct pscheme_mpi *mpi, enum phase phase, double *seconds,
                      double *since)
{
    if (seconds)
        seconds[phase] += MPI_Wtime() - *since;
    return phases_begin(mpi, seconds, since);
}

#define REAL       float
#define REAL_MPI   MPI_FLOAT
#define NAME(name) name##_s
#include "pscheme_mpi_body.h"
#undef REAL
#undef REAL_MPI
#undef NAME

#define REAL       double
#define REAL_MPI   MPI_DOUBLE
#define NAME(name) name##_d
#include "pscheme_mpi_body.h"

static int map_open(MPI_Datatype type, int elements, MPI_User_function *compose,
                    struct pscheme_mpi_map *map)
{
    int commute = 0;
    TRY_MPI(MPI_Type_contiguous(elements, type, &map->elements));
    TRY_MPI(MPI_Type_commit(&map->elements));
    TRY_MPI(MPI_Op_create(compose, commute, &map->compose));
    return 0;
}

static int map_close(struct pscheme_mpi_map *map)
{
    TRY_MPI(MPI_Type_free(&map->elements));
    TRY_MPI(MPI_Op_free(&map->compose));
    return 0;
}

int pscheme_mpi_open(MPI_Comm comm, struct pscheme_mpi *mpi)
{
    int rank, ranks, all = 0;
    if (!mpi)
        return PSCHEME_MPI_FAILED;
    TRY_MPI(MPI_Comm_rank(comm, &rank));
    TRY_MPI(MPI_Comm_size(comm, &ranks));
    TRY_MPI(MPI_Comm_dup(comm, &mpi->up));
    TRY_MPI(MPI_Comm_split(comm, all, ranks - 1 - rank, &mpi->down));
    int failed = map_open(MPI_FLOAT, AFFINE, compose_affine_s, &mpi->affine_s) ||
                 map_open(MPI_DOUBLE, AFFINE, compose_affine_d, &mpi->affine_d) ||
                 map_open(MPI_FLOAT, MOEBIUS, compose_moebius_s, &mpi->moebius_s) ||
                 map_open(MPI_DOUBLE, MOEBIUS, compose_moebius_d, &mpi->moebius_d);
    return failed ? PSCHEME_MPI_FAILED : 0;
}

int pscheme_mpi_close(struct pscheme_mpi *mpi)
{
    if (!mpi)
        return PSCHEME_MPI_FAILED;
    int failed = map_close(&mpi->affine_s) || map_close(&mpi->affine_d) ||
                 map_close(&mpi->moebius_s) || map_close(&mpi->moebius_d);
    TRY_MPI(MPI_Comm_free(&mpi->down));
    TRY_MPI(MPI_Comm_free(&mpi->up));
    return failed ? PSCHEME_MPI_FAILED : 0;
}
