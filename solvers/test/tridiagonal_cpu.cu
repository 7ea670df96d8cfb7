/* See test/tridiagonal_cpu_test.h. Arrays are exactly as long as they must be, for a sanitizer. */
#include "test/tridiagonal_cpu_test.h"
#include "device_program.h"
#include "expect.h"
#include "tridiagonal_cpu.h"
#include "problems.h"
#include "verify.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

struct lanes_system {
    struct tridiagonal_cpu s;
    void *in[4]; /* sub, diag, super, rhs */
    size_t bytes;
};

static struct lanes_system open_system(char type, enum system kind, uint64_t seed, int64_t n,
                                       int cores)
{
    struct lanes_system l = {};
    l.bytes = (size_t)n * (size_t)size_of(type);
    for (void *&array : l.in)
        array = host_alloc("nshape", (int64_t)l.bytes);
    fill_systems(type, kind, seed, n, 1, l.in[0], l.in[1], l.in[2], l.in[3]);
    size_t work = tridiagonal_cpu_work(type, n);
    l.s = {type,
           n,
           l.in[0],
           l.in[1],
           l.in[2],
           l.in[3],
           host_alloc("nshape", (int64_t)l.bytes),
           host_alloc("nshape", (int64_t)work),
           cores};
    memset(l.s.x, 0xff, l.bytes);
    memset(l.s.work, 0xff, work);
    return l;
}
static void close_system(struct lanes_system *l)
{
    for (void *array : l->in)
        free(array);
    free(l->s.x);
    free(l->s.work);
}

/* Powers of two: every row of the matrix times 2^matrix and one more, of -spread … spread, and rhs
 * so that x is 2^x times what it was. */
struct scaling {
    int matrix, x, spread;
};
static void scale(struct lanes_system *l, struct scaling by, uint64_t seed)
{
    struct random r = {seed};
    int parts = is_complex(l->s.type) ? 2 : 1;
    char real = real_type(l->s.type);
    for (int64_t i = 0; i < l->s.n; i++) {
        uint64_t choices = 2 * (uint64_t)by.spread + 1;
        int row = by.matrix + (int)(random_bits(&r) % choices) - by.spread;
        for (int array = 0; array < 4; array++)
            for (int64_t k = parts * i; k < parts * (i + 1); k++)
                put(real, l->in[array], k,
                    ldexp(get(real, l->in[array], k), array < 3 ? row : row + by.x));
    }
}

/* Where products, squares and inverses of the matrix, or of rhs, leave the type. In the place of
 * rhs, and on two cores. */
static void check_scaled(char type, struct scaling by, uint64_t seed, int64_t n, double units)
{
    struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 1);
    scale(&l, by, seed);
    struct tridiagonal_cpu in_place = l.s;
    in_place.x = host_alloc("nshape", (int64_t)l.bytes);
    memcpy(in_place.x, l.in[3], l.bytes);
    in_place.rhs = in_place.x;
    EXPECT(tridiagonal_cpu_solve(&in_place) == 0, "lanes, in place");
    l.s.cores = 2;
    long long status = tridiagonal_cpu_solve(&l.s);
    struct verdict v = verify_systems(type, n, 1, l.in[0], l.in[1], l.in[2], l.in[3], l.s.x, units);
    EXPECT(status == 0 && v.ok && memcmp(in_place.x, l.s.x, l.bytes) == 0,
           "lanes, type %c, n = %lld, matrix 2^%d, x 2^%d, rows 2^+-%d: status %lld, %.2g of the "
           "bound, in place on one core%s the same bits",
           type, (long long)n, by.matrix, by.x, by.spread, status, v.used,
           memcmp(in_place.x, l.s.x, l.bytes) == 0 ? "" : " not");
    free(in_place.x);
    close_system(&l);
}

static void check_one(char type, enum system kind, uint64_t seed, int64_t n, double units)
{
    struct lanes_system l = open_system(type, kind, seed, n, 1);
    long long status = tridiagonal_cpu_solve(&l.s);
    struct verdict v = verify_systems(type, n, 1, l.in[0], l.in[1], l.in[2], l.in[3], l.s.x, units);
    EXPECT(status == 0 && v.ok, "lanes, %s, type %c, n = %lld: status %lld, %.2g of the bound",
           system_name(kind), type, (long long)n, status, v.used);
    close_system(&l);
}

/* The same bits on any number of cores, from a work space that was used, and in the place of the right-hand side. */
static void check_bits(char type, uint64_t seed, int64_t n)
{
    struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 1);
    void *first = host_alloc("nshape", (int64_t)l.bytes);
    tridiagonal_cpu_solve(&l.s);
    memcpy(first, l.s.x, l.bytes);
    for (int cores : {2, 3, 7}) {
        memset(l.s.x, 0xff, l.bytes);
        l.s.cores = cores;
        EXPECT(tridiagonal_cpu_solve(&l.s) == 0 && memcmp(first, l.s.x, l.bytes) == 0,
               "lanes, type %c, n = %lld: not the same bits on %d cores", type, (long long)n,
               cores);
    }
    memcpy(l.s.x, l.in[3], l.bytes);
    l.s.rhs = l.s.x;
    EXPECT(tridiagonal_cpu_solve(&l.s) == 0 && memcmp(first, l.s.x, l.bytes) == 0,
           "lanes, type %c, n = %lld: not the same bits in place", type, (long long)n);
    free(first);
    close_system(&l);
}

static void put_row(struct lanes_system *l, int64_t row, double value)
{
    int parts = is_complex(l->s.type) ? 2 : 1;
    for (int array = 0; array < 3; array++)
        for (int part = 0; part < parts; part++)
            put(real_type(l->s.type), l->in[array], parts * row + part, value);
}

/* A row of zeros is reported wherever it is, and NaN somewhere. */
static void check_pivots(char type, uint64_t seed, int64_t n)
{
    struct random r = {seed};
    for (int i = 0; i < 40; i++) {
        /* the first rows, the last, and others */
        int64_t at = i < 10    ? (i < n ? i : n - 1)
                     : i == 10 ? n - 1
                               : (int64_t)(random_bits(&r) % (uint64_t)n);
        struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 1 + i % 3);
        put_row(&l, at, 0);
        long long status = tridiagonal_cpu_solve(&l.s);
        EXPECT(status == at + 1, "lanes, type %c, n = %lld: row %lld is 0, reported %lld", type,
               (long long)n, (long long)(at + 1), status);
        put_row(&l, at, (double)NAN);
        EXPECT(tridiagonal_cpu_solve(&l.s) > 0, "lanes, type %c, n = %lld: NaN in row %lld", type,
               (long long)n, (long long)at);
        close_system(&l);
    }
}

/* A system in parts, as ranks have it: each leaves two lines, which are put together and solved by the same method. */
static void check_parts(char type, struct scaling by, uint64_t seed, int64_t n, int parts,
                        double units)
{
    struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 2);
    scale(&l, by, seed);
    size_t word = (size_t)size_of(type);
    int64_t reals = is_complex(type) ? 2 : 1;
    char real = real_type(type);
    void *joint[5]; /* sub, diag, super, rhs, x of parts + 1 lines */
    for (void *&array : joint) {
        array = host_alloc("nshape", (parts + 1) * (int64_t)word);
        memset(array, 0, (size_t)(parts + 1) * word);
    }
    long long status = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int w = 0; w < parts; w++) {
            int64_t first = (n - 1) * w / parts, rows = (n - 1) * (w + 1) / parts - first + 1;
            struct tridiagonal_cpu part = l.s;
            void *in[4], *lines[5];
            for (int i = 0; i < 4; i++) {
                in[i] = host_alloc("nshape", rows * (int64_t)word);
                memcpy(in[i], (char *)l.in[i] + (size_t)first * word, (size_t)rows * word);
                if (w > 0 && i % 2 == 1)
                    memset(in[i], 0, word); /* the part before has them */
            }
            for (void *&array : lines)
                array = host_alloc("nshape", 2 * (int64_t)word);
            part.n = rows;
            part.sub = in[0];
            part.diag = in[1];
            part.super = in[2];
            part.rhs = in[3];
            part.x = host_alloc("nshape", rows * (int64_t)word);
            part.work = host_alloc("nshape", (int64_t)tridiagonal_cpu_work(type, rows));
            struct tridiagonal_cpu_lines to = {lines[0], lines[1], lines[2], lines[3], lines[4]};
            long long bad = tridiagonal_cpu_reduce(&part, to);
            status = status ? status : bad;
            if (pass == 0) {
                for (int64_t k = 0; k < reals; k++) {
                    int64_t up = w * reals + k, down = up + reals;
                    put(real, joint[0], down, get(real, lines[0], reals + k));
                    put(real, joint[2], up, get(real, lines[2], k));
                    for (int i : {1, 3}) {
                        put(real, joint[i], up, get(real, joint[i], up) + get(real, lines[i], k));
                        put(real, joint[i], down,
                            get(real, joint[i], down) + get(real, lines[i], reals + k));
                    }
                }
            } else {
                memcpy(lines[4], (char *)joint[4] + (size_t)w * word, 2 * word);
                tridiagonal_cpu_finish(&part, to);
                memcpy((char *)l.s.x + (size_t)first * word, part.x, (size_t)rows * word);
            }
            for (void *array : in)
                free(array);
            for (void *array : lines)
                free(array);
            free(part.x);
            free(part.work);
        }
        if (pass == 0) {
            void *work = host_alloc("nshape", (int64_t)tridiagonal_cpu_work(type, parts + 1));
            struct tridiagonal_cpu lines = {type,     parts + 1, joint[0], joint[1], joint[2],
                                            joint[3], joint[4],  work,     1};
            status = status ? status : tridiagonal_cpu_solve(&lines);
            free(work);
        }
    }
    struct verdict v = verify_systems(type, n, 1, l.in[0], l.in[1], l.in[2], l.in[3], l.s.x, units);
    EXPECT(status == 0 && v.ok,
           "lanes, type %c, n = %lld in %d parts, matrix 2^%d, x 2^%d, rows 2^+-%d: status %lld, "
           "%.2g of the bound",
           type, (long long)n, parts, by.matrix, by.x, by.spread, status, v.used);
    for (void *array : joint)
        free(array);
    close_system(&l);
}

/* Called by every thread of a team, each with a system of its own: the same bits as alone. */
static void check_in_team(uint64_t seed, int64_t n)
{
    struct lanes_system one = open_system('d', SYSTEM_DOMINANT, seed, n, 1);
    tridiagonal_cpu_solve(&one.s);
    int same = 0, team = 0;
#pragma omp parallel num_threads(3) reduction(+ : same, team)
    {
        team++;
        struct lanes_system l = open_system('d', SYSTEM_DOMINANT, seed, n, 1);
        same += tridiagonal_cpu_solve(&l.s) == 0 && memcmp(l.s.x, one.s.x, one.bytes) == 0;
        close_system(&l);
    }
    EXPECT(same == team, "lanes, n = %lld: in a team %d are right", (long long)n, same);
    close_system(&one);
}

/* A row of its own with a pivot far from all others, by Thomas and by lanes. */
static void check_range(char type, uint64_t seed, double pivot, double units)
{
    for (int64_t n : {1, 3000}) {
        struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 1);
        char real = real_type(type);
        int64_t at = n / 2, first = is_complex(type) ? 2 * at : at;
        put_row(&l, at, 0);
        put(real, l.in[1], first, pivot);
        put(real, l.in[3], first, 2 * pivot);
        long long status = tridiagonal_cpu_solve(&l.s);
        struct verdict v =
            verify_systems(type, n, 1, l.in[0], l.in[1], l.in[2], l.in[3], l.s.x, units);
        EXPECT(isinf(pivot) ? status == at + 1 : status == 0 && v.ok,
               "lanes, type %c, n = %lld: pivot %g: status %lld, %.2g of the bound", type,
               (long long)n, pivot, status, v.used);
        close_system(&l);
    }
}
/* All of x is 2^x times too large for the type: no number that could be taken for it. */
static void check_overflow(char type, struct scaling by, uint64_t seed, int64_t n)
{
    struct lanes_system l = open_system(type, SYSTEM_DOMINANT, seed, n, 1);
    scale(&l, by, seed);
    EXPECT(tridiagonal_cpu_solve(&l.s) == 0, "lanes, too large");
    bool finite = true;
    for (int64_t i = 0; i < (is_complex(type) ? 2 : 1) * n; i++)
        finite = finite && isfinite(get(real_type(type), l.s.x, i));
    EXPECT(!finite, "lanes, type %c, n = %lld: x is too large and all finite", type, (long long)n);
    close_system(&l);
}

/* Matrices and right-hand sides at both ends of the type's range. */
static void check_scalings(char type, uint64_t seed, double units)
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
            check_scaled(type, by, seed, n, units);
        if (by.x != -34) /* the lines' rhs would be rounded */
            for (int64_t n : {6, 3000})
                check_parts(type, by, seed, n, 2, units);
    }
    for (int64_t n : {1, 700, 9000})
        check_overflow(type, {low, high + 20, 0}, seed, n);
}

static void check_misuse(void)
{
    struct tridiagonal_cpu s = {};
    s.type = 'd';
    s.cores = 1;
    EXPECT(tridiagonal_cpu_solve(&s) == 0, "no rows");
    struct lanes_system l = open_system('d', SYSTEM_DOMINANT, 1, 3, 1);
    s = l.s;
    EXPECT(tridiagonal_cpu_solve(&s) == 0, "three rows");
    s.n = -1;
    EXPECT(tridiagonal_cpu_solve(&s) == -1 && tridiagonal_cpu_work('d', -1) == 0, "n = -1");
    s = l.s;
    s.cores = 0;
    EXPECT(tridiagonal_cpu_solve(&s) == -1, "no cores");
    s = l.s;
    s.type = 'x';
    EXPECT(tridiagonal_cpu_solve(&s) == -1 && tridiagonal_cpu_work('x', 1) == 0, "type x");
    EXPECT(tridiagonal_cpu_solve(nullptr) == -1, "no struct");
    close_system(&l);
}

/* Pointers that are NULL or misaligned, one after the other: nothing is touched. */
static void check_pointers(char type)
{
    enum { N = 3, POINTERS = 6, LINES = 5 };
    struct lanes_system l = open_system(type, SYSTEM_DOMINANT, 1, N, 1);
    size_t pair = 2 * (size_t)size_of(type);
    uintptr_t real = (uintptr_t)size_of(real_type(type));
    void *two[LINES];
    for (void *&array : two)
        array = host_alloc("nshape", (int64_t)pair);
    struct tridiagonal_cpu_lines lines = {two[0], two[1], two[2], two[3], two[4]};
    const void *before[POINTERS] = {l.s.sub, l.s.diag, l.s.super, l.s.rhs, l.s.x, l.s.work};
    for (int i = 0; i < POINTERS; i++) {
        uintptr_t address = (uintptr_t)before[i];
        for (uintptr_t bad : {(uintptr_t)0, address + (i < 5 ? real / 2 : 32)}) {
            const void *p[POINTERS];
            memcpy(p, before, sizeof p);
            p[i] = (void *)bad;
            struct tridiagonal_cpu s = l.s;
            s.sub = p[0];
            s.diag = p[1];
            s.super = p[2];
            s.rhs = p[3];
            s.x = (void *)p[4];
            s.work = (void *)p[5];
            EXPECT(tridiagonal_cpu_solve(&s) == -1, "lanes, type %c: solve, pointer %d", type, i);
            EXPECT(tridiagonal_cpu_reduce(&s, lines) == -1, "lanes, type %c: reduce, pointer %d",
                   type, i);
            tridiagonal_cpu_finish(&s, lines);
        }
    }
    EXPECT(tridiagonal_cpu_reduce(&l.s, lines) == 0, "lanes, type %c: reduce", type);
    for (int i = 0; i < LINES; i++) {
        uintptr_t address = (uintptr_t)two[i];
        for (uintptr_t bad : {(uintptr_t)0, address + real / 2}) {
            void *p[LINES];
            memcpy(p, two, sizeof p);
            p[i] = (void *)bad;
            struct tridiagonal_cpu_lines to = {p[0], p[1], p[2], p[3], p[4]};
            if (i < 4)
                EXPECT(tridiagonal_cpu_reduce(&l.s, to) == -1, "lanes, type %c: reduce, line %d",
                       type, i);
            else
                tridiagonal_cpu_finish(&l.s, to);
        }
    }
    EXPECT(tridiagonal_cpu_reduce(nullptr, lines) == -1, "reduce, no struct");
    tridiagonal_cpu_finish(nullptr, lines);
    unsigned char untouched = 0xff;
    for (size_t i = 0; i < l.bytes; i++)
        untouched &= ((unsigned char *)l.s.x)[i];
    EXPECT(untouched == 0xff, "lanes, type %c: x was touched", type);
    for (void *array : two)
        free(array);
    close_system(&l);
}

void tridiagonal_cpu_check(uint64_t seed, double units)
{
    for (const char *type = "sdcz"; *type; type++) {
        for (int64_t n = 1; n <= 2000; n++)
            check_one(*type, (enum system)(n % SYSTEM_KINDS), seed, n, units);
        for (int64_t n : {512, 1023, 16384, 50001, 300000})
            for (int kind = 0; kind < SYSTEM_KINDS; kind++)
                check_one(*type, (enum system)kind, seed, n, units);
        for (int64_t n : {1, 5, 700, 8192, 50001, 300000})
            check_bits(*type, seed, n);
        for (int64_t n : {1, 2, 40, 1000, 20000})
            check_pivots(*type, seed, n);
        for (int64_t n : {2, 3, 100, 1000, 50001})
            for (int parts : {1, 2, 5})
                if (parts < n)
                    check_parts(*type, {0, 0, 0}, seed, n, parts, units);
        check_scalings(*type, seed, units);
        check_pointers(*type);
    }
    for (int64_t n : {1000, 20000})
        check_in_team(seed, n);
    for (double pivot : {1e-44, (double)INFINITY})
        check_range('s', seed, pivot, units);
    for (double pivot : {3e19, 1e-25})
        check_range('c', seed, pivot, units);
    for (double pivot : {1e-320, (double)INFINITY})
        check_range('d', seed, pivot, units);
    for (double pivot : {1e200, 1e-200})
        check_range('z', seed, pivot, units);
    check_misuse();
}
