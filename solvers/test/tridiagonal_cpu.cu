/* The tests of tridiagonal_cpu.h: errors of solutions, results that must be bitwise equal, pivots
 * of 0 or NaN, systems that are solved in parts, numbers near the ends of the types' ranges, and
 * invalid arguments. Every array is allocated with exactly the size it needs, so that a sanitizer
 * detects accesses beyond its end. */
#include "test/tridiagonal_cpu_test.h"
#include "device_program.h"
#include "expect.h"
#include "problems.h"
#include "tridiagonal_cpu.h"
#include "verify.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

/* Bound on the backward error of a row, in units of roundoff. */
static double error_units;

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
           "lanes, %s, type %c, n = %lld, matrix 2^%d, x 2^%d, rows 2^+-%d: status %lld, %.2g of "
           "the bound",
           what, p->s.type, (long long)p->s.n, by.matrix, by.x, by.spread, status, v.used);
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
static void check_bits(char type, struct scaling by, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    scale(&p, by, seed);
    void *first = memory_host(&p.memory, p.bytes);
    expect_solved(&p, "one core", by);
    memcpy(first, p.s.x, p.bytes);
    for (int cores : {2, 3, 7, 1}) {
        memset(p.s.x, 0xff, p.bytes);
        if (cores == 1) /* in place */
            p.s.rhs = memcpy(p.s.x, p.in[3], p.bytes);
        p.s.cores = cores;
        EXPECT(tridiagonal_cpu_solve(&p.s) == 0 && memcmp(first, p.s.x, p.bytes) == 0,
               "lanes, type %c, n = %lld: not the same bits on %d cores%s", type, (long long)n,
               cores, cores == 1 ? ", in place" : "");
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

/* ---- gradient ---- */

/* conj(value) of element `from`, or 0 if there is no such element, becomes element `to`. */
static void put_conjugate(char type, void *array, int64_t to, const void *values, int64_t from,
                          int64_t n)
{
    bool none = from < 0 || from >= n;
    int reals = reals_of(type);
    for (int k = 0; k < reals; k++)
        put(real_type(type), array, reals * to + k,
            none ? 0 : (k ? -1 : 1) * get(real_type(type), values, reals * from + k));
}

/* drhs must solve the adjoint system, and the other derivatives must be products of it and x. */
static void check_gradient(char type, int pivot, uint64_t seed, int64_t n, int cores)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, cores), adjoint = p;
    int reals = reals_of(type);
    char real = real_type(type);
    void *d[5], *x = p.s.x;
    for (void *&array : d)
        array = memory_host(&p.memory, p.bytes);
    for (void *&array : adjoint.in)
        array = memory_host(&p.memory, p.bytes);
    p.s.pivot = pivot;
    fill_systems(type, SYSTEM_DOMINANT, seed + 1, n, 1, d[0], d[1], d[2], x);
    for (int64_t i = 0; i < n; i++) {
        put_conjugate(type, adjoint.in[0], i, p.in[2], i - 1, n);
        put_conjugate(type, adjoint.in[1], i, p.in[1], i, n);
        put_conjugate(type, adjoint.in[2], i, p.in[0], i + 1, n);
    }
    memcpy(adjoint.in[3], p.in[3], p.bytes); /* dx */
    struct tridiagonal_derivatives to = {cores > 1 ? memcpy(d[3], p.in[3], p.bytes) : p.in[3], d[0],
                                         d[1], d[2], d[3]};
    p.s.rhs = NULL;
    long long status = tridiagonal_cpu_gradient(&p.s, &to);
    adjoint.s.x = d[3];
    struct verdict v = verdict_of(&adjoint);
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            put_conjugate(type, d[4], 0, x, i + k - 1, n);
            double sum[2] = {};
            for (int a = 0; a < reals; a++)
                for (int b = 0; b < reals; b++)
                    sum[a ^ b] +=
                        (a & b ? 1 : -1) * get(real, d[3], reals * i + a) * get(real, d[4], b);
            for (int a = 0; a < reals; a++)
                worst = fmax(worst, fabs(get(real, d[k], reals * i + a) - sum[a]) /
                                        (fabs(sum[0]) + fabs(sum[1]) + 1e-30));
        }
    EXPECT(status == 0 && v.ok && worst <= 4 * unit_roundoff(type),
           "gradient, type %c, pivot %d, n = %lld: status %lld, %.2g of the bound, products %.2g",
           type, pivot, (long long)n, status, v.used, worst);
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

/* A row of zeros must be reported with its own number. A row of NaN must be reported too, but the
 * status may name another row. */
static void check_pivots(char type, uint64_t seed, int64_t n)
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
        put_row(&p, at, 0);
        long long status = tridiagonal_cpu_solve(&p.s);
        EXPECT(status == at + 1, "lanes, type %c, n = %lld: row %lld is 0, reported %lld", type,
               (long long)n, (long long)(at + 1), status);
        put_row(&p, at, (double)NAN);
        EXPECT(tridiagonal_cpu_solve(&p.s) > 0, "lanes, type %c, n = %lld: NaN in row %lld", type,
               (long long)n, (long long)at);
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
static void check_overflow(char type, struct scaling by, uint64_t seed, int64_t n)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct problem p = make(type, SYSTEM_DOMINANT, seed, n, 1);
    scale(&p, by, seed);
    long long status = tridiagonal_cpu_solve(&p.s);
    int64_t i = 0, reals = reals_of(type);
    while (i < reals * n && isfinite(get(real_type(type), p.s.x, i)))
        i++;
    EXPECT(i < reals * n && status == 1 + i / reals,
           "lanes, type %c, n = %lld: x is too large, status %lld, x is finite up to row %lld",
           type, (long long)n, status, (long long)(i / reals));
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
            check_bits(type, by, seed, n);
        if (by.x != -34) /* with -34 the rhs of the two lines would be subnormal and lose digits */
            for (int64_t n : {6, 3000})
                check_parts(type, by, seed, n, 2);
    }
    for (int64_t n : {1, 700, 9000})
        check_overflow(type, {low, high + 20, 0}, seed, n);
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
    for (int wrong = 0; wrong < 3; wrong++) {
        s = good;
        s.n = wrong == 0 ? -1 : s.n;
        s.cores = wrong == 1 ? 0 : s.cores;
        s.type = wrong == 2 ? 'x' : s.type;
        EXPECT(tridiagonal_cpu_solve(&s) == -1 &&
                   (tridiagonal_cpu_work(s.type, s.n) == 0) == (wrong != 1),
               "type %c, n = %lld, %d cores", s.type, (long long)s.n, s.cores);
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
        for (int64_t n : {1, 5, 700, 8192, 50001, 300000})
            check_bits(*type, {}, seed, n);
        for (int64_t n : {1, 2, 40, 1000, 20000})
            check_pivots(*type, seed, n);
        for (int64_t n : {2, 3, 100, 1000, 50001})
            for (int parts : {1, 2, 5})
                if (parts < n)
                    check_parts(*type, {}, seed, n, parts);
        for (int64_t n : {1, 2, 5, 256, 700, 4096, 8192, 50001})
            for (int pivot = 0; pivot < 3; pivot++)
                check_gradient(*type, pivot, seed, n, 1 + (int)(n % 2));
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
