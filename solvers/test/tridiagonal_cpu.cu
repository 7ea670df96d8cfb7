/* The tests of tridiagonal_cpu.h: errors of solutions, results that must be bitwise equal, pivots
 * of 0 or NaN, systems that are solved in parts, numbers near the ends of the types' ranges, and
 * invalid arguments. Every array is allocated with exactly the size it needs, so that a sanitizer
 * detects accesses beyond its end. */
#include "test/tridiagonal_cpu_test.h"
#include "device_program.h"
#include "expect.h"
#include "problems.h"
#include "test/gradient.h"
#include "test/hard_systems.h"
#include "test/matrices.h"
#include "tridiagonal_cpu.h"
#include "verify.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* Bounds on the backward error of a row, in units of roundoff: of dominant systems, and of hard
 * ones. */
static double error_units;
static const double HARD_UNITS = 32;
enum { PIVOTS = 3 }; /* values of enum tridiagonal_pivot */

/* ---- systems ---- */

struct problem {
    struct memory memory;
    struct tridiagonal_cpu s;
    void *in[4]; /* sub, diag, super, rhs: a test may change them */
    size_t bytes;
};

static void set_inputs(struct tridiagonal_cpu *s, void *const in[4])
{
    s->sub = in[0];
    s->diag = in[1];
    s->super = in[2];
    s->rhs = in[3];
}

static struct problem make(char type, enum system kind, uint64_t seed, int64_t n, int cores)
{
    struct problem p = {};
    size_t work = tridiagonal_cpu_work(type, n);
    p.bytes = (size_t)(n * size_of(type));
    for (void *&array : p.in)
        array = memory_host(&p.memory, p.bytes);
    fill_systems(type, kind, seed, n, 1, p.in[0], p.in[1], p.in[2], p.in[3]);
    p.s.type = type;
    p.s.n = n;
    set_inputs(&p.s, p.in);
    p.s.x = memset(memory_host(&p.memory, p.bytes), 0xff, p.bytes);
    p.s.work = memset(memory_host(&p.memory, work), 0xff, work);
    p.s.cores = cores;
    return p;
}

static struct verdict verdict_of(const struct problem *p)
{
    return verify_systems(p->s.type, p->s.n, 1, p->in[0], p->in[1], p->in[2], p->in[3], p->s.x,
                          error_units);
}

static int reals_of(char type)
{
    return is_complex(type) ? 2 : 1;
}

/* Sets sub, diag and super of a row to `value`, in complex types both the real and the imaginary
 * part. */
static void put_row(struct problem *p, int64_t row, double value)
{
    int reals = reals_of(p->s.type);
    for (int array = 0; array < 3; array++)
        for (int64_t k = reals * row; k < reals * (row + 1); k++)
            put(real_type(p->s.type), p->in[array], k, value);
}

/* A factor for every row of a system. The row's coefficients are multiplied by 2^matrix and by a
 * random power of two between 2^-spread and 2^spread. The row's rhs is multiplied by the same two
 * factors and by 2^x. This multiplies the solution by 2^x. */
struct scaling {
    int matrix, x, spread;
};
static void scale(struct problem *p, struct scaling by, uint64_t seed)
{
    struct random r = {seed};
    int reals = reals_of(p->s.type);
    char real = real_type(p->s.type);
    for (int64_t i = 0; i < p->s.n; i++) {
        uint64_t choices = 2 * (uint64_t)by.spread + 1;
        int row = by.matrix + (int)(random_bits(&r) % choices) - by.spread;
        for (int array = 0; array < 4; array++)
            for (int64_t k = reals * i; k < reals * (i + 1); k++)
                put(real, p->in[array], k,
                    ldexp(get(real, p->in[array], k), array < 3 ? row : row + by.x));
    }
}

/* A system, scaled. Its solution is in x. */
static void expect_solved(const struct problem *p, const char *what, struct scaling by = {})
{
    long long status = tridiagonal_cpu_solve(&p->s);
    struct verdict v = verdict_of(p);
    EXPECT(status == 0 && v.ok,
           "lanes, %s, type %c, n = %lld, pivot %d, matrix 2^%d, x 2^%d, rows 2^+-%d: status %lld, "
           "%.2g of the bound",
           what, p->s.type, (long long)p->s.n, p->s.pivot, by.matrix, by.x, by.spread, status,
           v.used);
}

/* ---- solutions ---- */

static void check_one(char type, enum system kind, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, kind, seed, n, 1);
    expect_solved(&p, system_name(kind));
    memory_free(&p.memory);
}

/* The solution must have the same bits in further calls: on other numbers of cores, with a
 * workspace that an earlier call has used, and with x in the place of rhs. */
static void check_bits(char type, int pivot, struct scaling by, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    scale(&p, by, seed);
    p.s.pivot = pivot;
    void *first = memory_host(&p.memory, p.bytes);
    expect_solved(&p, "one core", by);
    memcpy(first, p.s.x, p.bytes);
    for (int cores : {2, 3, 7, 1}) {
        memset(p.s.x, 0xff, p.bytes);
        if (cores == 1) /* in place */
            p.s.rhs = memcpy(p.s.x, p.in[3], p.bytes);
        p.s.cores = cores;
        EXPECT(tridiagonal_cpu_solve(&p.s) == 0 && memcmp(first, p.s.x, p.bytes) == 0,
               "lanes, type %c, n = %lld, pivot %d: not the same bits on %d cores%s", type,
               (long long)n, pivot, cores, cores == 1 ? ", in place" : "");
    }
    memory_free(&p.memory);
}

/* Every thread of an OpenMP team solves the same system with arrays of its own. The solutions must
 * have the same bits as the solution of a single thread. */
static void check_in_team(uint64_t seed, int64_t n)
{
    struct problem alone = make('d', SYSTEM_DOMINANT, seed, n, 1);
    tridiagonal_cpu_solve(&alone.s);
    int same = 0, team = 0;
#pragma omp parallel num_threads(3) reduction(+ : same, team)
    {
        team++;
        struct problem p = make('d', SYSTEM_DOMINANT, seed, n, 1);
        same += tridiagonal_cpu_solve(&p.s) == 0 && memcmp(p.s.x, alone.s.x, alone.bytes) == 0;
        memory_free(&p.memory);
    }
    EXPECT(same == team, "lanes, n = %lld: in a team %d are right", (long long)n, same);
    memory_free(&alone.memory);
}

/* ---- pivoting ---- */

/* The backward error of a row in x, in units of roundoff. */
static double units_of(const struct problem *p)
{
    return verdict_of(p).error / unit_roundoff(p->s.type);
}

/* LAPACK's types of matrices. */
static void check_lapack(char type, int pivot, int64_t n, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    p.s.pivot = pivot;
    for (int which = 1; which <= LAPACK_TYPES; which++) {
        if (!lapack_fill(which, type, n, seed, p.in[0], p.in[1], p.in[2], p.in[3], p.s.x))
            continue;
        long long status = tridiagonal_cpu_solve(&p.s);
        double units = status == 0 ? units_of(&p) : 0;
        /* 8 eps, as the accuracy experiment allows the solver of the GPU */
        EXPECT(lapack_is_singular(which) ? status > 0 && status <= n : status == 0 && units <= 16,
               "lanes, LAPACK's type %d (%s), type %c, n = %lld, pivot %d: status %lld, %g u",
               which, lapack_text(which), type, (long long)n, pivot, status, units);
    }
    memory_free(&p.memory);
}

/* Random hard systems. If automatic pivoting breaks down, then pivoting must, too. */
static void check_families(char type, int pivot, int64_t count, uint64_t seed)
{
    struct random r = {seed};
    for (int64_t k = 0; k < count; k++) {
        const int family = (int)(k % FAMILIES);
        const bool singular = family == FAMILY_SIGNS || family == FAMILY_LAPLACIAN ||
                              family == FAMILY_BIRTH_AND_DEATH || family == FAMILY_DECOUPLED ||
                              (family == FAMILY_SKEW && is_complex(type));
        int64_t n = 1 + (int64_t)(random_bits(&r) % (k / FAMILIES % 4 ? 40 : 1500));
        struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
        uint64_t begin = r.state;
        family_fill(family, type, n, &r, p.in[0], p.in[1], p.in[2], p.in[3]);
        p.s.pivot = pivot;
        long long status = tridiagonal_cpu_solve(&p.s);
        double units = status == 0 ? units_of(&p) : 0;
        bool right = status == 0 ? units <= HARD_UNITS : singular && status > 0 && status <= n;
        p.s.pivot = TRIDIAGONAL_PIVOT_ALWAYS;
        EXPECT(right && (status == 0 || tridiagonal_cpu_solve(&p.s) > 0),
               "lanes, %s, random number %llu, type %c, n = %lld, pivot %d: status %lld, %g u",
               family_text(family), (unsigned long long)begin, type, (long long)n, pivot, status,
               units);
        memory_free(&p.memory);
    }
}

/* A dominant system of partitions of 32 rows, each of which is nearly singular without the rows
 * around it: sub of its first row is 2^-weak, and in its two halves sub and super differ by a
 * factor `drift`. rhs is A x for a random x. Returns the backward error. */
static double weak_units(char type, int pivot, int weak, double drift, uint64_t seed)
{
    const int64_t n = 4096;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    const bool is_wide = is_complex(type);
    for (int64_t i = 0; i < n; i++) {
        double sub = i % 32 < 16 ? 1 : drift, super = i % 32 < 16 ? drift : 1;
        sub = i % 32 == 0 ? ldexp(1, -weak) : sub;
        const double row[] = {-sub, sub + super, -super};
        for (int a = 0; a < 3; a++)
            put_number(type, p.in[a], i, row[a], is_wide ? row[a] : 0);
    }
    memcpy(p.s.x, p.in[3], p.bytes);
    matrix_product(type, n, p.in[0], p.in[1], p.in[2], p.s.x, p.in[3]);
    p.s.pivot = pivot;
    long long status = tridiagonal_cpu_solve(&p.s);
    double units = status == 0 ? units_of(&p) : (double)INFINITY;
    memory_free(&p.memory);
    return units;
}
/* Without the certificate, automatic pivoting would not pivot here. */
static void check_weak_partitions(char type, uint64_t seed)
{
    double without = 0, automatic = 0;
    for (double drift : {1., 1.25, 2.})
        for (int weak = 0; weak <= 20; weak++) {
            without = fmax(without, weak_units(type, TRIDIAGONAL_PIVOT_NEVER, weak, drift, seed));
            automatic =
                fmax(automatic, weak_units(type, TRIDIAGONAL_PIVOT_AUTO, weak, drift, seed));
        }
    EXPECT(automatic <= HARD_UNITS && without > HARD_UNITS,
           "lanes, weak partitions, type %c: %g u, without pivoting %g u", type, automatic,
           without);
}
/* Automatic pivoting must not pivot if rows are dominant: real solutions have the same bits. */
static void check_dominant(char type, uint64_t seed, int64_t n)
{
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    void *x = p.s.x;
    p.s.x = memory_host(&p.memory, p.bytes);
    long long status = tridiagonal_cpu_solve(&p.s);
    memcpy(x, p.s.x, p.bytes);
    p.s.pivot = TRIDIAGONAL_PIVOT_AUTO;
    EXPECT(status == 0 && tridiagonal_cpu_solve(&p.s) == 0 && memcmp(x, p.s.x, p.bytes) == 0,
           "lanes, type %c, n = %lld: automatic pivoting changes bits", type, (long long)n);
    memory_free(&p.memory);
}

/* ---- gradient ---- */

static int64_t length_of(const void *rows, int64_t)
{
    return *(const int64_t *)rows;
}
static int64_t element_of(const void *, int, int64_t, int64_t i)
{
    return i;
}
/* With pivoting, matrices that are too large for finite differences are not dominant. */
static void check_gradient(char type, int pivot, uint64_t seed, int64_t n, int cores)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, cores),
                   other = make(type, SYSTEM_DOMINANT, seed + 1, n, 1);
    struct random r = {seed};
    void *d[4];
    for (void *&array : d)
        array = memory_host(&p.memory, p.bytes);
    if (pivot && n > GRADIENT_SMALL)
        family_fill(FAMILY_RANDOM, type, n, &r, p.in[0], p.in[1], p.in[2], p.in[3]);
    memcpy(d[3], other.in[3], p.bytes);
    p.s.pivot = pivot;
    long long solved = tridiagonal_cpu_solve(&p.s);
    p.s.rhs = NULL;
    const bool in_place = n % 2;
    struct tridiagonal_derivatives to = {in_place ? d[3] : other.in[3], d[0], d[1],
                                         n % 3 ? d[2] : NULL, d[3]};
    long long status = tridiagonal_cpu_gradient(&p.s, &to);
    struct gradient_test t = {.type = type,
                              .systems = 1,
                              .x = p.s.x,
                              .dx = other.in[3],
                              .of = &n,
                              .length = length_of,
                              .element = element_of};
    for (int a = 0; a < 4; a++) {
        t.in[a] = p.in[a];
        t.d[a] = a == 2 && !to.dsuper ? NULL : d[a];
        t.elements[a] = n;
    }
    struct gradient_errors e = gradient_errors(&t);
    double difference = n <= GRADIENT_SMALL ? gradient_difference(&t) : 0;
    EXPECT(solved == 0 && status == 0 && e.adjoint <= error_units && e.matrix <= 1 &&
               difference <= (real_type(type) == 'd' ? 1e-6 : 1e-4),
           "lanes, gradient, type %c, pivot %d, n = %lld: status %lld, errors %.2g u of the "
           "adjoint system, %.2g of the bound of the derivatives, %.2g to finite differences",
           type, pivot, (long long)n, status, e.adjoint, e.matrix, difference);
    memory_free(&other.memory);
    memory_free(&p.memory);
}

/* ---- parts of a system ---- */

/* Runs one pass over part w of a system, its rows from `first` on, as an MPI rank does. The first
 * pass reduces the rows to two lines and adds them to lines w and w + 1 of `joint`, which holds
 * sub, diag, super, rhs and x of all joint lines. The second pass reads x of these two lines and
 * writes x of the rows. Returns the status of the first pass. */
static long long run_part(const struct problem *whole, void *const joint[5], int w, int64_t first,
                          int64_t rows, bool second_pass)
{
    struct memory memory = {};
    char type = whole->s.type, real = real_type(type);
    size_t element = (size_t)size_of(type), bytes = (size_t)rows * element;
    int reals = reals_of(type);
    struct tridiagonal_cpu part = whole->s;
    void *in[4], *two[5];
    for (int i = 0; i < 4; i++) {
        in[i] = memory_host(&memory, bytes);
        memcpy(in[i], (char *)whole->in[i] + (size_t)first * element, bytes);
        if (w > 0 && i % 2 == 1)
            memset(in[i], 0, element); /* this row's diag and rhs belong to the part before */
    }
    for (void *&array : two)
        array = memory_host(&memory, 2 * element);
    part.n = rows;
    set_inputs(&part, in);
    part.x = memory_host(&memory, bytes);
    part.work = memory_host(&memory, tridiagonal_cpu_work(type, rows));
    struct tridiagonal_cpu_lines lines = {two[0], two[1], two[2], two[3], two[4]};
    long long status = tridiagonal_cpu_reduce(&part, lines);
    for (int64_t k = 0; !second_pass && k < reals; k++) {
        int64_t up = w * reals + k, down = up + reals;
        put(real, joint[0], down, get(real, two[0], reals + k));
        put(real, joint[2], up, get(real, two[2], k));
        for (int i : {1, 3}) {
            put(real, joint[i], up, get(real, joint[i], up) + get(real, two[i], k));
            put(real, joint[i], down, get(real, joint[i], down) + get(real, two[i], reals + k));
        }
    }
    if (second_pass) {
        memcpy(two[4], (char *)joint[4] + (size_t)w * element, 2 * element);
        tridiagonal_cpu_finish(&part, lines);
        memcpy((char *)whole->s.x + (size_t)first * element, part.x, bytes);
    }
    memory_free(&memory);
    return status;
}

/* Solves a system in parts. Each part is reduced to two lines. The system of all joint lines is
 * solved by the same method, and then each part computes its x. */
static void check_parts(char type, struct scaling by, uint64_t seed, int64_t n, int parts)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 2);
    scale(&p, by, seed);
    size_t bytes = (size_t)((parts + 1) * size_of(type));
    void *joint[5]; /* sub, diag, super, rhs, x of parts + 1 lines */
    for (void *&array : joint)
        array = memset(memory_host(&p.memory, bytes), 0, bytes);
    struct tridiagonal_cpu lines = {};
    lines.type = type;
    lines.n = parts + 1;
    set_inputs(&lines, joint);
    lines.x = joint[4];
    lines.work = memory_host(&p.memory, tridiagonal_cpu_work(type, parts + 1));
    lines.cores = 1;
    long long status = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int w = 0; w < parts; w++) {
            int64_t first = (n - 1) * w / parts, last = (n - 1) * (w + 1) / parts;
            long long bad = run_part(&p, joint, w, first, last - first + 1, pass == 1);
            status = status ? status : bad;
        }
        if (pass == 0)
            status = status ? status : tridiagonal_cpu_solve(&lines);
    }
    struct verdict v = verdict_of(&p);
    EXPECT(status == 0 && v.ok,
           "lanes, type %c, n = %lld in %d parts, matrix 2^%d, x 2^%d, rows 2^+-%d: status %lld, "
           "%.2g of the bound",
           type, (long long)n, parts, by.matrix, by.x, by.spread, status, v.used);
    memory_free(&p.memory);
}

/* ---- pivots and range ---- */

/* A row of zeros must be reported, without pivoting with its own number. A row of NaN or infinities
 * must be reported too, but the status may name another row. */
static void check_pivots(char type, int pivot, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct random r = {seed};
    for (int i = 0; i < 40; i++) {
        /* the first ten rows, the last row, then random rows */
        int64_t at = i < 10    ? (i < n ? i : n - 1)
                     : i == 10 ? n - 1
                               : (int64_t)(random_bits(&r) % (uint64_t)n);
        struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1 + i % 3);
        p.s.pivot = pivot;
        put_row(&p, at, 0);
        long long status = tridiagonal_cpu_solve(&p.s);
        EXPECT(pivot ? status > 0 && status <= n : status == at + 1,
               "lanes, type %c, n = %lld, pivot %d: row %lld is 0, reported %lld", type,
               (long long)n, pivot, (long long)(at + 1), status);
        for (double value : {(double)NAN, (double)INFINITY}) {
            put_row(&p, at, value);
            status = tridiagonal_cpu_solve(&p.s);
            EXPECT(status > 0 && status <= n, "lanes, type %c, n = %lld, pivot %d: %g in row %lld",
                   type, (long long)n, pivot, value, (long long)at);
        }
        memory_free(&p.memory);
    }
}

/* Solves a system in which one row is coupled to no other. The pivot of this row is very large,
 * very small or infinite. With n = 1 the Thomas algorithm eliminates the row, with n = 3000 a SIMD
 * lane does. */
static void check_range(char type, uint64_t seed, double pivot)
{
    for (int64_t n : {1, 3000}) {
        struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
        int64_t at = n / 2;
        put_row(&p, at, 0);
        put(real_type(type), p.in[1], reals_of(type) * at, pivot);
        put(real_type(type), p.in[3], reals_of(type) * at, 2 * pivot);
        if (isinf(pivot))
            EXPECT(tridiagonal_cpu_solve(&p.s) == at + 1, "lanes, type %c: infinite pivot", type);
        else
            expect_solved(&p, "a pivot near the ends of the range");
        memory_free(&p.memory);
    }
}

/* Solves a system whose solution is too large for the type. The status is 1 + the first row whose x
 * is infinite or NaN. */
static void check_overflow(char type, int pivot, struct scaling by, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    p.s.pivot = pivot;
    scale(&p, by, seed);
    long long status = tridiagonal_cpu_solve(&p.s);
    int64_t i = 0, reals = reals_of(type);
    while (i < reals * n && isfinite(get(real_type(type), p.s.x, i)))
        i++;
    EXPECT(i < reals * n && status == 1 + i / reals,
           "lanes, type %c, n = %lld, pivot %d: x is too large, status %lld, x is finite up to row "
           "%lld",
           type, (long long)n, pivot, status, (long long)(i / reals));
    memory_free(&p.memory);
}

/* Scales matrices and right-hand sides to both ends of the type's range, so that products, squares
 * or reciprocals leave it. */
static void check_scalings(char type, uint64_t seed)
{
    bool single = real_type(type) == 's';
    int low = single ? -114 : -996, high = single ? 124 : 1020;
    const struct scaling all[] = {{low, 0, 0},
                                  {low, -34, 0}, /* rhs is subnormal */
                                  {single ? -58 : -508, 0, 0},
                                  {single ? -30 : -250, 0, 0},
                                  {single ? 64 : 512, 0, 0},
                                  {high, 0, 0},
                                  {0, low, 0},
                                  {0, high, 0},
                                  {low, -low, 0},
                                  {high, -high, 0},
                                  {0, 0, -low},
                                  {0, low / 2, -low / 2}};
    for (struct scaling by : all) {
        for (int64_t n : {1, 2, 40, 700, 9000})
            for (int pivot = 0; pivot < PIVOTS; pivot++)
                check_bits(type, pivot, by, seed, n);
        if (by.x != -34) /* with -34 the rhs of the two lines would be subnormal and lose digits */
            for (int64_t n : {6, 3000})
                check_parts(type, by, seed, n, 2);
    }
    for (int64_t n : {1, 700, 9000})
        for (int pivot = 0; pivot < PIVOTS; pivot++)
            check_overflow(type, pivot, {low, high + 20, 0}, seed, n);
}

/* ---- arguments ---- */

static void check_misuse(void)
{
    struct problem p = make('d', SYSTEM_DOMINANT, 1, 3, 1);
    struct tridiagonal_cpu s = {}, good = p.s;
    s.type = 'd';
    s.cores = 1;
    EXPECT(tridiagonal_cpu_solve(&s) == 0, "no rows");
    EXPECT(tridiagonal_cpu_solve(&good) == 0, "three rows");
    for (int wrong = 0; wrong < 5; wrong++) {
        s = good;
        s.pivot = wrong == 3 ? PIVOTS : wrong == 4 ? -1 : s.pivot;
        s.n = wrong == 0 ? -1 : s.n;
        s.cores = wrong == 1 ? 0 : s.cores;
        s.type = wrong == 2 ? 'x' : s.type;
        EXPECT(tridiagonal_cpu_solve(&s) == -1 &&
                   (tridiagonal_cpu_work(s.type, s.n) == 0) == (wrong % 2 == 0 && wrong < 3),
               "type %c, n = %lld, %d cores, pivot %d", s.type, (long long)s.n, s.cores, s.pivot);
    }
    EXPECT(tridiagonal_cpu_solve(nullptr) == -1, "no struct");
    memory_free(&p.memory);
}

/* Each pointer in turn is NULL or misaligned. The call must be refused and must not write x. */
static void check_pointers(char type)
{
    struct problem p = make(type, SYSTEM_DOMINANT, 1, 3, 1);
    struct tridiagonal_cpu s = p.s;
    size_t real = (size_t)size_of(real_type(type));
    void *two[5];
    for (void *&array : two)
        array = memory_host(&p.memory, 2 * (size_t)size_of(type));
    struct tridiagonal_cpu_lines lines = {two[0], two[1], two[2], two[3], two[4]};
    struct expect_pointer pointers[] = {EXPECT_POINTER(s.sub, real),   EXPECT_POINTER(s.diag, real),
                                        EXPECT_POINTER(s.super, real), EXPECT_POINTER(s.rhs, real),
                                        EXPECT_POINTER(s.x, real),     EXPECT_POINTER(s.work, 64)};
    EXPECT_POINTERS(pointers, tridiagonal_cpu_solve(&s), -1);
    EXPECT_POINTERS(pointers,
                    (tridiagonal_cpu_finish(&s, lines), tridiagonal_cpu_reduce(&s, lines)), -1);
    EXPECT(tridiagonal_cpu_reduce(&s, lines) == 0, "lanes, type %c: reduce", type);
    struct expect_pointer line_pointers[] = {
        EXPECT_POINTER(lines.sub, real), EXPECT_POINTER(lines.diag, real),
        EXPECT_POINTER(lines.super, real), EXPECT_POINTER(lines.rhs, real)};
    EXPECT_POINTERS(line_pointers, tridiagonal_cpu_reduce(&s, lines), -1);
    for (void *wrong : {(void *)NULL, (void *)((char *)two[4] + real / 2)})
        lines.x = wrong, tridiagonal_cpu_finish(&s, lines);
    EXPECT(tridiagonal_cpu_reduce(nullptr, lines) == -1, "reduce, no struct");
    tridiagonal_cpu_finish(nullptr, lines);
    lines.x = two[4];
    for (s.pivot = 1; s.pivot < PIVOTS; s.pivot++)
        EXPECT(tridiagonal_cpu_reduce(&s, lines) == -1 && tridiagonal_cpu_finish(&s, lines) == -1,
               "reduce, pivot %d", s.pivot);
    s.pivot = 0;
    struct tridiagonal_derivatives d = {p.in[3], two[0], two[1], two[2], two[3]};
    struct expect_pointer derivatives[] = {EXPECT_POINTER(s.x, real), EXPECT_POINTER(s.work, 64),
                                           EXPECT_POINTER(d.dx, real),
                                           EXPECT_POINTER(d.drhs, real)};
    EXPECT_POINTERS(derivatives, tridiagonal_cpu_gradient(&s, &d), -1);
    EXPECT(tridiagonal_cpu_gradient(nullptr, &d) == -1 &&
               tridiagonal_cpu_gradient(&s, nullptr) == -1,
           "gradient, no struct");
    for (void **array : {&d.dsub, &d.ddiag, &d.dsuper}) {
        void *right = *array;
        *array = (char *)right + real / 2;
        EXPECT(tridiagonal_cpu_gradient(&s, &d) == -1, "gradient, not aligned");
        *array = right;
    }
    unsigned char untouched = 0xff;
    for (size_t i = 0; i < p.bytes; i++)
        untouched &= ((unsigned char *)p.s.x)[i];
    EXPECT(untouched == 0xff, "lanes, type %c: x was written", type);
    memory_free(&p.memory);
}

void tridiagonal_cpu_check(uint64_t seed, double units)
{
    error_units = units;
    for (const char *type = "sdcz"; *type; type++) {
        for (int64_t n = 1; n <= 2000; n++)
            check_one(*type, (enum system)(n % SYSTEM_KINDS), seed, n);
        for (int64_t n : {512, 1023, 16384, 50001, 300000})
            for (int kind = 0; kind < SYSTEM_KINDS; kind++)
                check_one(*type, (enum system)kind, seed, n);
        for (int pivot = 0; pivot < PIVOTS; pivot++) {
            for (int64_t n : {1, 5, 700, 8192, 50001, 300000})
                check_bits(*type, pivot, {}, seed, n);
            for (int64_t n : {1, 2, 40, 1000, 20000})
                check_pivots(*type, pivot, seed, n);
            for (int64_t n : {1, 2, 3, 6, 256, 700, 4096, 8192, 50001})
                check_gradient(*type, pivot, seed, n, 1 + (int)(n % 2));
        }
        for (int pivot : {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_PIVOT_AUTO}) {
            for (int64_t n : {130, 5000})
                check_lapack(*type, pivot, n, seed);
            check_families(*type, pivot, expect_few ? 900 : 9000, seed);
        }
        check_weak_partitions(*type, seed);
        for (int64_t n : {40, 700, 9000})
            if (!is_complex(*type))
                check_dominant(*type, seed, n);
        for (int64_t n : {2, 3, 100, 1000, 50001})
            for (int parts : {1, 2, 5})
                if (parts < n)
                    check_parts(*type, {}, seed, n, parts);
        check_scalings(*type, seed);
        check_pointers(*type);
    }
    for (int64_t n : {1000, 20000})
        check_in_team(seed, n);
    static const double pivots[][2] = {
        {1e-44, (double)INFINITY}, {1e-320, (double)INFINITY}, {3e19, 1e-25}, {1e200, 1e-200}};
    for (int type = 0; type < 4; type++)
        for (double pivot : pivots[type])
            check_range("sdcz"[type], seed, pivot);
    check_misuse();
}
