/* L22 2, 4 and 5.4: counts the method's operations and its memory. The number type of this file
 * counts the calls of inverse(), the only division in the stages, of * and of + and -. */
#include "main.h"
#include "csv.h"
#include "expect.h"
#include "nshape_stages.h"

struct counted {
    double value;
};
struct operations {
    int64_t divisions, products, sums; /* a difference is a sum; a change of sign is nothing */
};
static struct operations operations;
#ifdef __CUDA_ARCH__
#define TALLY(what)
#else
#define TALLY(what) operations.what++
#endif

HOST_DEVICE counted operator+(counted x, counted y)
{
    TALLY(sums);
    return {x.value + y.value};
}
HOST_DEVICE counted operator-(counted x, counted y)
{
    TALLY(sums);
    return {x.value - y.value};
}
HOST_DEVICE counted operator-(counted x)
{
    return {-x.value};
}
HOST_DEVICE counted operator*(counted x, counted y)
{
    TALLY(products);
    return {x.value * y.value};
}
HOST_DEVICE counted inverse(counted x)
{
    TALLY(divisions);
    return {1 / x.value};
}
HOST_DEVICE double abs1(counted x)
{
    return abs1(x.value);
}
HOST_DEVICE void add_atomically(counted *to, counted x)
{
    add_atomically(&to->value, x.value);
}

struct counts {
    int64_t parallel;         /* divisions of RD, JD, RU, JU and SS of all blocks */
    int64_t serial;           /* divisions of RS */
    struct operations thomas; /* of Thomas on all rows */
    int64_t elements;         /* of memory that a solve needs, in double complex */
    bool ok;                  /* both solutions are correct */
};

/* Returns the operations since the last call of this function. */
static struct operations count_reset(void)
{
    struct operations count = operations;
    operations = {};
    return count;
}

/* The system, psi and the workspace, in elements. */
static int64_t elements_of(int64_t n, int64_t nbl)
{
    const struct nshape s = nshape_plan('z', n, 1, &nbl);
    return 5 * n + (int64_t)nshape_work(&s) / size_of(s.type);
}

/* True if psi solves the system. */
static bool solved(const counted *const *given, int64_t n, const counted *psi)
{
    return verify_systems('d', n, 1, given[0], given[1], given[2], given[3], psi, 16).ok;
}

/* Runs one application stage by stage, then Thomas. joint = NULL: equal blocks. */
static struct counts count(int64_t n, int64_t nbl, const int64_t *joint, bool atomic)
{
    enum { GIVEN = 4 };
    int64_t lines = nbl + 1;
    size_t system = (size_t)(GIVEN * n) * sizeof(counted);
    counted *memory = (counted *)calloc((size_t)((2 * GIVEN + 1) * n + 7 * lines), sizeof(counted));
    counted *given[GIVEN], *at[GIVEN], *psi = memory + 2 * GIVEN * n, *line = psi + n;
    int64_t *row = (int64_t *)malloc((size_t)lines * sizeof *row);
    long long status = -1;
    struct counts result;
    for (int i = 0; i < GIVEN; i++) {
        given[i] = memory + i * n;
        at[i] = given[i] + GIVEN * n;
    }
    fill_systems('d', SYSTEM_DOMINANT, SEED_DEFAULT, n, 1, given[0], given[1], given[2], given[3]);

    application<counted> p = {};
    p.rows = {at[0], at[1], at[2], at[3], psi, NULL, NULL, NULL, n, 0};
    p.joints = {.row = row, .n = lines, .number = 1};
    counted **const arrays[] = {&p.joints.b,   &p.joints.a,       &p.joints.c,      &p.joints.d,
                                &p.joints.psi, &p.joints.extra_a, &p.joints.extra_d};
    for (int i = 0; i < 7; i++)
        *arrays[i] = line + i * lines;
    p.nbl = nbl;
    p.joint = joint;
    p.atomic = atomic;
    p.status = &status;
    memcpy(at[0], given[0], system);
    count_reset();
    for (int64_t w = 0; w <= nbl; w++)
        begin_line(&p, w);
    for (int64_t w = 0; w < nbl; w++)
        reduce_and_join(&p, w);
    for (int64_t w = 0; !atomic && w <= nbl; w++)
        end_line(&p, w);
    result.parallel = count_reset().divisions;
    reduced_solve(&p, &p.joints);
    result.serial = count_reset().divisions;
    for (int64_t w = 0; w < nbl; w++)
        substitute(&p, w);
    result.parallel += count_reset().divisions;
    result.ok = status == -1 && solved(given, n, psi);

    memcpy(at[0], given[0], system);
    memset(psi, 0, (size_t)n * sizeof *psi);
    reduced_solve(&p, &p.rows);
    result.thomas = count_reset();
    result.elements = elements_of(n, nbl);
    result.ok = result.ok && status == -1 && solved(given, n, psi);
    free(memory);
    free(row);
    return result;
}

/* A row between joint lines costs 3 divisions, one each in RD or JD, RU or JU, and SS, whatever the
 * blocks are. Thomas costs 2 for a row, but 1 for the first; each is an inverse and a product. It
 * also costs 3 products and 3 sums for each row but one. The joint lines, whose number is rounded
 * up to a multiple of 4, take 7 elements each and a row number, which is half an element. */
static void expect_counts(int64_t n, int64_t nbl, const int64_t *joint, const char *blocks)
{
    for (int atomic = 0; atomic < 2; atomic++) {
        struct counts c = count(n, nbl, joint, atomic);
        EXPECT(c.ok && c.parallel == 3 * (n - nbl - 1) && c.serial == 2 * nbl + 1 &&
                   c.thomas.divisions == 2 * n - 1,
               "n = %lld, %lld %s blocks: %lld divisions in parallel, %lld in RS, Thomas %lld%s",
               (long long)n, (long long)nbl, blocks, (long long)c.parallel, (long long)c.serial,
               (long long)c.thomas.divisions, c.ok ? "" : "; not solved");
        EXPECT(c.thomas.products - c.thomas.divisions == 3 * (n - 1) &&
                   c.thomas.sums == 3 * (n - 1) &&
                   2 * (c.elements - 5 * n) == 15 * ((nbl + 1 + 3) / 4 * 4),
               "n = %lld, %lld blocks: Thomas %lld products, %lld sums; %lld elements",
               (long long)n, (long long)nbl, (long long)c.thomas.products, (long long)c.thomas.sums,
               (long long)c.elements);
    }
}

void divisions_check(void)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 31, 1000, 4097};
    /* Blocks of 0, 1, 2, 3, 7 and 0 rows; all empty; all rows in the last block; in the first. */
    static const int64_t mixed[] = {0, 1, 3, 6, 10, 18, 19}, empty[] = {0, 1, 2, 3, 4, 5},
                         first[] = {0, 1, 2, 99}, last[] = {0, 97, 98, 99};
    for (int64_t n : sizes) {
        const int64_t parts[] = {1, 2, 10, n / 2, n - 1};
        for (int64_t nbl : parts)
            if (nbl < n)
                expect_counts(n, nbl, NULL, "equal");
    }
    expect_counts(20, 6, mixed, "unequal");
    expect_counts(6, 5, empty, "empty");
    expect_counts(100, 3, first, "unequal");
    expect_counts(100, 3, last, "unequal");
}

int divisions_run(const char *csv_prefix)
{
    static const int64_t sizes[] = {1000, 10000, 100000, 300000};
    struct csv csv;
    int status = EXIT_VERIFIED;
    if (!csv_open(
            &csv, "nshape", csv_prefix, "divisions",
            "n,parts,nest,parallel,serial,thomas,thomas_multiplications,thomas_additions,elements"))
        return EXIT_USAGE;
    for (int64_t n : sizes) {
        const int64_t parts[] = {1, 2, 10, 100, 1000, 10000, n / 2};
        for (int64_t nbl : parts) {
            if (nbl > n / 2)
                continue;
            struct counts c = count(n, nbl, NULL, false);
            if (!c.ok)
                status = EXIT_WRONG;
            if (csv.file)
                fprintf(csv.file, "%lld,%lld,1,%lld,%lld,%lld,%lld,%lld,%lld\n", (long long)n,
                        (long long)nbl, (long long)c.parallel, (long long)c.serial,
                        (long long)c.thomas.divisions,
                        (long long)(c.thomas.products - c.thomas.divisions),
                        (long long)c.thomas.sums, (long long)c.elements);
        }
    }
    return csv_close(&csv) ? status : EXIT_USAGE;
}
