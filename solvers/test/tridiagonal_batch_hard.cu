/* Tests of tridiagonal_batch.h with hard systems: LAPACK's types of matrices, the matrices of Klein
 * and Strzodka, and random systems of hard families (hard_systems.h, matrices.h). Pivoting must
 * solve those that are regular, whatever their neighbours in the batch are. No x with status 0 may
 * be wrong. */
#include "test/hard_systems.h"
#include "test/matrices.h"
#include "test/tridiagonal_batch_trial.h"

#include <initializer_list>

/* A system in arrays of its own, with room for n rows. */
struct one_system {
    char *of[ARRAYS];
};
static struct one_system open_system(struct memory *memory, char type, int64_t n)
{
    struct one_system s;
    for (char *&array : s.of)
        array = (char *)memory_host(memory, (size_t)((n + 1) * size_of(type)));
    return s;
}
/* Makes it system k of the batch. */
static void put_system(const struct trial *t, int64_t k, const struct one_system *s)
{
    int64_t bytes = size_of(t->shape.type);
    for (int a = SUB; a <= RHS; a++)
        for (int64_t i = 0; i < length_of(t, k); i++)
            memcpy((char *)t->host[a] + bytes * element_at(t, a, k, i), s->of[a] + bytes * i,
                   (size_t)bytes);
}

/* ---- LAPACK's types, and the matrices of Klein and Strzodka ---- */

enum { KINDS = LAPACK_TYPES + MATRICES };

static const char *kind_text(int kind)
{
    return kind < LAPACK_TYPES ? lapack_text(kind + 1) : matrix_text(kind - LAPACK_TYPES + 1);
}
/* Makes a system of a kind, 0 <= kind < KINDS. Returns false if this build cannot. */
static bool make_kind(const struct one_system *s, int kind, char type, int64_t n, uint64_t seed)
{
    char *const *a = s->of;
    if (kind < LAPACK_TYPES)
        return lapack_fill(kind + 1, type, n, seed, a[SUB], a[DIAG], a[SUPER], a[RHS], a[X]);
    if (!matrix_fill(kind - LAPACK_TYPES + 1, type, n, seed, a[SUB], a[DIAG], a[SUPER]))
        return false;
    matrix_solution(type, n, seed, a[X]);
    matrix_product(type, n, a[SUB], a[DIAG], a[SUPER], a[X], a[RHS]);
    return true;
}

static enum outcome outcome_of(int kind, char type, int64_t n)
{
    int matrix = kind - LAPACK_TYPES + 1;
    if (matrix < 1)
        return lapack_is_singular(kind + 1) ? BROKEN : SOLVED;
    if (matrix == 15 && n % 2)
        return BROKEN;
    /* The inverses of matrices 12, 14 and 15 (matrices.h) grow exponentially with n, beyond the
     * range of floats. The condition number of matrix 13 is 4e5, 2e12 and 7e17 for n = 3, 10 and
     * 20, that of matrix 16 is 2e8 if n is odd. */
    bool single = real_type(type) == 's', grows = matrix == 12 || matrix == 14 || matrix == 15;
    return (grows && single && n > 50) || (matrix == 13 && n > (single ? 3 : 10)) ||
                   (matrix == 16 && single && n % 2 && n > 3)
               ? EITHER
               : SOLVED;
}
/* LAPACK's xLATMS makes these, which takes time proportional to n^2. */
static bool is_slow(int kind)
{
    int matrix = kind - LAPACK_TYPES + 1;
    return (matrix >= 8 && matrix <= 11) || (kind >= 3 && kind <= 5);
}

/* Solves a batch in which `kinds` kinds take turns, from `first` on, with and without automatic
 * pivoting, as contiguous and as interleaved systems. */
static void check_kinds(char type, int64_t n, int first, int kinds, int64_t batch, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct shape shape = {.type = type, .n = n, .batch = batch};
    struct trial made = open_trial(shape);
    struct one_system one = open_system(&made.memory, type, n);
    for (int64_t k = 0; k < batch; k++) {
        int kind = first + (int)(k % kinds);
        /* those that are not made remain dominant */
        if ((n <= 1000 || !is_slow(kind)) &&
            make_kind(&one, kind, type, n, seed + (uint64_t)(k / kinds)))
            put_system(&made, k, &one);
    }
    for (int pivot : {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_PIVOT_AUTO})
        for (enum layout layout : {CONTIGUOUS, INTERLEAVED}) {
            shape.pivot = pivot;
            shape.layout = layout;
            struct trial t = open_trial(shape);
            copy_inputs(&t, &made);
            for (int64_t k = 0; k < batch; k++)
                t.outcome[k] = outcome_of(first + (int)(k % kinds), type, n);
            expect_solved(&t, kinds > 1 ? "LAPACK's types, then Klein's" : kind_text(first));
            close_trial(&t);
        }
    close_trial(&made);
}

/* ---- hard families ---- */

/* The random numbers of system k. */
static struct random random_of(uint64_t seed, int64_t k)
{
    struct random r = {seed};
    random_skip(&r, k << 20);
    return r;
}

/* Makes system k of a batch: a random system of a family. */
static void put_family(const struct trial *t, int family, int64_t k, uint64_t seed, int64_t number,
                       const struct one_system *one)
{
    struct random r = random_of(seed, number);
    char *const *a = one->of;
    family_fill(family, t->shape.type, length_of(t, k), &r, a[SUB], a[DIAG], a[SUPER], a[RHS]);
    put_system(t, k, one);
    t->outcome[k] = family_is_regular(family, t->shape.type) ? SOLVED : EITHER;
}

/* Solves random systems. They are of one family, or of all families in turn
 * if `family` is FAMILIES. shape.n is their number of rows, or the largest one. Each system has
 * random numbers of its own, so threads can make them. Returns how many systems are solved. */
static int64_t check_families(int family, struct shape shape, uint64_t seed)
{
    struct trial t = open_trial(shape);
#pragma omp parallel
    {
        struct memory memory = {};
        struct one_system one = open_system(&memory, shape.type, shape.n);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < shape.batch; k++)
            if (length_of(&t, k) > 0)
                put_family(&t, family < FAMILIES ? family : (int)(k % FAMILIES), k, seed, k, &one);
        memory_free(&memory);
    }
    char what[200];
    snprintf(what, sizeof what, "seed %llu, family %d (%s)", (unsigned long long)seed, family,
             family < FAMILIES ? family_text(family) : "all in turn");
    int64_t solved = expect_solved(&t, what);
    close_trial(&t);
    return solved;
}

/* Systems of the family "birth and death" in which the pivot of a merge consists of rounding
 * errors. Without pivoting their x are wrong by 35 to 104 u. */
static void check_found(void)
{
    static const struct {
        uint64_t seed;
        int64_t k;
    } found[] = {{UINT64_C(15593953646079023958), 4981},
                 {UINT64_C(3633191138996939195), 3519},
                 {UINT64_C(14645540625834893577), 5419},
                 {UINT64_C(16607766319720050516), 1716}};
    const int64_t n = 63, count = sizeof found / sizeof *found;
    struct shape shape = {.type = 'd', .n = n, .batch = count, .layout = INTERLEAVED};
    shape.pivot = TRIDIAGONAL_PIVOT_AUTO;
    struct trial t = open_trial(shape);
    struct one_system one = open_system(&t.memory, 'd', n);
    for (int64_t k = 0; k < count; k++)
        put_family(&t, FAMILY_BIRTH_AND_DEATH, k, found[k].seed, found[k].k, &one);
    expect_solved(&t, "birth and death");
    close_trial(&t);
}

static void check_all_families(char type, int64_t count, uint64_t seed)
{
    const int64_t most = 64, batch = count / (3 * (FAMILIES + 1));
    struct random r = {seed};
    int64_t solved = 0;
    for (int family = 0; family <= FAMILIES; family++)
        for (int kind = 0; kind < 3; kind++) {
            struct shape shape = {.type = type, .n = most, .batch = batch, .lengths = kind == 2};
            shape.pivot = TRIDIAGONAL_PIVOT_AUTO;
            shape.layout = kind == 1 ? INTERLEAVED : CONTIGUOUS;
            if (kind < 2)
                shape.n = 1 + (int64_t)(random_bits(&r) % (uint64_t)most);
            solved += check_families(family, shape, random_bits(&r));
        }
    count = batch * 3 * (FAMILIES + 1);
    EXPECT(solved >= count * 3 / 4, "type %c: only %lld of %lld hard systems solved", type,
           (long long)solved, (long long)count);
    printf("tridiagonal_batch.h, type %c: %lld of %lld hard systems solved\n", type,
           (long long)solved, (long long)count);
}

/* All families in turn, in three layouts and with up to two slices. */
static void check_layouts(char type, int pivot, bool periodic, uint64_t seed)
{
    struct shape shape = {.type = type, .pivot = pivot, .padding = GAPS, .periodic = periodic};
    for (enum layout layout : {CONTIGUOUS, INTERLEAVED, NARROW})
        for (int64_t n : {2, 6, 100, 500, 700}) {
            shape.layout = layout;
            shape.padding = layout == CONTIGUOUS && periodic && n != 100 ? TIGHT : GAPS;
            shape.n = n;
            shape.batch = expect_few || n > 100 ? 36 : 300;
            if (static int turns; (n <= 100 || !expect_few) && !expect_skips(&turns))
                check_families(FAMILIES, shape, seed + (uint64_t)n);
        }
    shape.layout = INTERLEAVED;
    shape.n = 700;
    shape.batch = 36;
    if (type == 'z') /* a thread has so few rows that many partitions are merged in turn */
        check_families(FAMILY_SKEW, shape, seed);
    int multiprocessors;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    shape.batch = 64 * (multiprocessors + 40); /* wide blocks, and more lists than 32 */
    for (int64_t n : {350, 500})
        if (shape.n = n, !expect_few && !periodic && pivot == TRIDIAGONAL_PIVOT_AUTO)
            check_families(FAMILIES, shape, seed);
}

/* Contiguous periodic systems: families with one that is wrong if PCR does not test how pivots
 * shrink; and so many that need pivoting that 32 lists have 32 times 17, of which a turn of a retry
 * takes 64. */
static void check_rings(uint64_t seed)
{
    static const struct {
        char type;
        int family;
        int64_t n;
        uint64_t seed;
    } found[] = {{'s', FAMILY_LAPLACIAN, 148, UINT64_C(13482837419225875617)},
                 {'d', FAMILY_BIRTH_AND_DEATH, 49, UINT64_C(7007033219422966111)}};
    struct shape shape = {.batch = 757, .periodic = true};
    shape.pivot = TRIDIAGONAL_PIVOT_AUTO;
    for (const auto &one : found) {
        shape.type = one.type;
        shape.n = one.n;
        check_families(one.family, shape, one.seed);
    }
    int multiprocessors;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    shape.type = 's';
    shape.n = 20;
    shape.batch = 66 * multiprocessors;
    check_families(FAMILY_SKEW, shape, seed);
}

/* So many short systems that a thread of a retry looks at several turns. */
static void check_many_turns(uint64_t seed)
{
    const int64_t threads = 256, systems_of_turn = 256;
    struct shape shape = {.type = 's', .n = 3, .layout = INTERLEAVED};
    int multiprocessors;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    shape.pivot = TRIDIAGONAL_PIVOT_AUTO;
    shape.batch = multiprocessors * threads * systems_of_turn + 10000;
    if (multiprocessors <= 4)
        check_families(FAMILIES, shape, seed);
}

void tridiagonal_batch_check_hard(bool all, uint64_t seed)
{
    for (char type : {'s', 'd', 'c', 'z'}) {
        int64_t longest = batch_longest(type, TRIDIAGONAL_PIVOT_AUTO);
        for (int64_t n : {1, 2, 3, 10, 50})
            check_kinds(type, n, 0, KINDS, KINDS * (all ? 100 : expect_few ? 1 : 5), seed);
        for (int kind = 0; kind < KINDS; kind++) /* a tile without neighbours of other kinds */
            check_kinds(type, 50, kind, 1, 3, seed);
        for (int64_t n : {(int64_t)512, longest + 1})
            if (!expect_few)
                check_kinds(type, n, 0, KINDS, KINDS, seed);
        for (int pivot : {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_PIVOT_AUTO})
            for (bool periodic : {false, true})
                check_layouts(type, pivot, periodic, seed);
        check_all_families(type, all ? 250000 : expect_few ? 1000 : 10000, seed);
    }
    check_found();
    check_rings(seed);
    check_many_turns(seed);
}
