/* The tests of nshape --check: each stage of L22 Table 1 alone, whole solutions, bad pivots,
 * numbers near the ends of their range, invalid arguments. */
#include "main.h"
#include "expect.h"
#include "nshape_model.h"
#include "problems.h"

#include <complex>
#include <math.h>

/* ---- the stages ---- */

/* The reference for the stages: a dense matrix; column n is the right-hand side. */
typedef std::complex<double> number;
struct dense {
    int n;
    number *m;
};
static number *element(const struct dense *d, int64_t i, int64_t j)
{
    return &d->m[i * (d->n + 1) + j];
}

static number number_at(char type, const void *array, int64_t i)
{
    if (!is_complex(type))
        return get(type, array, i);
    return {get(real_type(type), array, 2 * i), get(real_type(type), array, 2 * i + 1)};
}

static struct dense dense_of(const struct systems *s)
{
    int n = (int)s->n;
    struct dense d = {n, (number *)calloc((size_t)(n * (n + 1)), sizeof(number))};
    for (int i = 0; i < n; i++) {
        if (i > 0)
            *element(&d, i, i - 1) = number_at(s->type, s->host[0], i);
        *element(&d, i, i) = number_at(s->type, s->host[1], i);
        if (i < n - 1)
            *element(&d, i, i + 1) = number_at(s->type, s->host[2], i);
        *element(&d, i, n) = number_at(s->type, s->host[3], i);
    }
    return d;
}

/* Adds r times row k to row i, with the r that makes element (i, column) 0. */
static void eliminate(const struct dense *d, int64_t i, int64_t k, int64_t column)
{
    number r = -*element(d, i, column) / *element(d, k, column);
    for (int64_t j = 0; j <= d->n; j++)
        *element(d, i, j) += r * *element(d, k, j);
}

/* Runs one stage of the block between the joint lines j and end on the dense matrix. */
static void eliminate_block(const struct dense *d, int stage, int64_t j, int64_t end)
{
    for (int64_t i = j + 2; stage == NSHAPE_RD && i < end; i++)
        eliminate(d, i, i - 1, i - 1);
    if (stage == NSHAPE_JD && end > j + 1)
        eliminate(d, end, end - 1, end - 1);
    for (int64_t i = end - 2; stage == NSHAPE_RU && i > j; i--)
        eliminate(d, i, i + 1, i + 1);
    if (stage == NSHAPE_JU && end > j + 1)
        eliminate(d, j, j + 1, j + 1);
}

static void expect_number(char type, const void *array, int64_t at, const struct dense *d,
                          int64_t i, int64_t j, const char *what)
{
    number got = number_at(type, array, at), want = *element(d, i, j);
    EXPECT(abs(got - want) <= 64 * unit_roundoff(type) * (1 + abs(want)),
           "%s, type %c: row %lld: (%g, %g), not (%g, %g)", what, type, (long long)i, got.real(),
           got.imag(), want.real(), want.imag());
}

/* Expects x, the result of RS and SS, to satisfy all equations of the dense matrix. */
static void expect_solution(char type, const void *x, const struct dense *d)
{
    for (int64_t i = 0; i < d->n; i++) {
        number sum = 0, want = *element(d, i, d->n);
        double terms = 0;
        for (int64_t j = 0; j < d->n; j++) {
            number term = *element(d, i, j) * number_at(type, x, j);
            sum += term;
            terms += abs(term);
        }
        EXPECT(abs(sum - want) <= 64 * unit_roundoff(type) * terms,
               "RS, SS, type %c: row %lld: (%g, %g), not (%g, %g)", type, (long long)i, sum.real(),
               sum.imag(), want.real(), want.imag());
    }
}

/* Runs the stages one by one, on blocks of 0, 1, 2, 3, 7 and 0 rows. */
static void check_stages(struct problem *p, int variant)
{
    static const int64_t joints[] = {0, 1, 3, 6, 10, 18, 19};
    static const char *const names[] = {"RD", "JD", "RU", "JU"};
    enum { NBL = 6, N = 20 };
    char type = p->system.type;
    systems_make(&p->system, SYSTEM_DOMINANT, 3, N, 1);
    struct nshape s = plan(p, variant, NBL, 1, 32);
    struct dense d = dense_of(&p->system);
    size_t bytes = systems_bytes(&p->system);
    struct memory memory = {};
    void *got[SYSTEM_ARRAYS];
    for (void *&array : got)
        array = memory_host(&memory, bytes);
    device_upload(p->joints, joints, sizeof joints);
    s.joints = p->joints;
    CHECK(restore(p, 0));
    device_poison(p->work, nshape_work(&s));
    for (int stage = NSHAPE_RD; stage <= NSHAPE_JU; stage++) {
        CHECK(nshape_stage(&s, (enum nshape_stage)stage, 0));
        for (int w = 0; w < NBL; w++)
            eliminate_block(&d, stage, joints[w], joints[w + 1]);
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            device_download(got[i], p->matrix[i], bytes);
        for (int w = 0; w < NBL; w++)
            for (int64_t i = joints[w] + 1; i < joints[w + 1]; i++) {
                /* after RD b is in the column of J_w, after RU c in that of J_{w+1} */
                int64_t c_column = stage >= NSHAPE_RU ? joints[w + 1] : i + 1;
                const int64_t columns[] = {joints[w], i, c_column, N};
                for (int k = 0; k < SYSTEM_ARRAYS; k++)
                    expect_number(type, got[k], i, &d, i, columns[k], names[stage]);
            }
    }
    struct nshape_lines lines = nshape_lines(&s, 0);
    const void *const line_arrays[] = {lines.sub, lines.diag, lines.super, lines.rhs};
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        device_download(got[i], line_arrays[i], (size_t)((NBL + 1) * size_of(type)));
    for (int w = 0; w <= NBL; w++) {
        const int64_t columns[] = {w > 0 ? joints[w - 1] : -1, joints[w],
                                   w < NBL ? joints[w + 1] : -1, N};
        for (int k = 0; k < SYSTEM_ARRAYS; k++)
            if (columns[k] >= 0)
                expect_number(type, got[k], w, &d, joints[w], columns[k], "joint line");
    }
    CHECK(nshape_stage(&s, NSHAPE_RS, 0));
    CHECK(nshape_stage(&s, NSHAPE_SS, 0));
    device_download(p->system.host_x, p->system.x, bytes);
    expect_solution(type, p->system.host_x, &d);
    memory_free(&memory);
    free(d.m);
}

/* ---- whole solutions ---- */

/* Names a solve in a message. */
static const char *name_of(const struct problem *p, const struct nshape *s, int variant)
{
    static char name[160];
    snprintf(name, sizeof name, "%s, %s, type %c, n = %lld, %lld blocks, nest %d",
             variants[variant].name, system_name(p->system.kind), s->type, (long long)s->n,
             (long long)s->parts[0], s->nest);
    return name;
}

/* The largest backward error so far of each kind of system, in units of roundoff. */
static double worst_units[SYSTEM_KINDS];

/* Returns the last variant that check_solve() and check_pivots() test for this type. */
static int last_variant(char type)
{
    return is_complex(type) ? COMPLEX_TYPE : CORES;
}

/* Solves one system in all variants, twice with other threads or cores: both must have the same
 * bits, except with ATOMIC. joints is in device memory; NULL: equal blocks. */
static void check_solve(struct problem *p, const int64_t *joints, int64_t parts, int nest)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    const struct systems *system = &p->system;
    char type = system->type;
    size_t bytes = systems_bytes(system);
    void *first = malloc(bytes);
    for (int v = EXTRA_ELEMENTS; v <= last_variant(type); v++)
        for (int again = 0; again < 2; again++) {
            struct nshape s = plan(p, v, parts, nest, again ? 32 : 128);
            if (v == CORES && joints)
                continue;
            s.joints = joints;
            long long status = solve_poisoned(p, &s, v, again + 1);
            struct verdict verdict = systems_verdict(&p->system, ERROR_UNITS);
            double *worst = &worst_units[system->kind];
            *worst = fmax(*worst, verdict.error / unit_roundoff(type));
            EXPECT(status == 0 && verdict.ok, "%s: status %lld, %.2g of the bound",
                   name_of(p, &s, v), status, verdict.used);
            if (again)
                EXPECT(v == ATOMIC || memcmp(first, system->host_x, bytes) == 0,
                       "%s: not the same bits", name_of(p, &s, v));
            memcpy(first, system->host_x, bytes);
        }
    free(first);
}

/* Makes random joint lines. Some blocks have no row. */
static void random_joints(struct problem *p, struct random *r, int64_t parts)
{
    int64_t *joints = (int64_t *)malloc((size_t)(parts + 1) * sizeof *joints), n = p->system.n;
    joints[0] = 0;
    /* at least one row after the previous line, and one row is left for each later line */
    for (int64_t w = 1; w <= parts; w++) {
        int64_t room = n - 1 - joints[w - 1] - (parts - w);
        int64_t step = 1 + (int64_t)(random_bits(r) % (uint64_t)room);
        step = random_bits(r) % 4 ? (step - 1) / 8 + 1 : 1;
        joints[w] = w == parts ? n - 1 : joints[w - 1] + step;
    }
    device_upload(p->joints, joints, (size_t)(parts + 1) * sizeof *joints);
    free(joints);
}

/* Equal and random blocks, from 1 to n/2. few: fewer numbers of blocks, and one n_it for each. */
static void check_partitions(struct problem *p, struct random *r, bool few)
{
    int64_t n = p->system.n;
    for (int64_t parts = 1; parts < n || n == 1;
         parts = n <= 5 ? parts + 1 : parts * (few ? 25 : 5)) {
        if (parts > n / 2 && n > 5)
            break;
        /* Few blocks of many rows take long on a GPU: one kind of system, without nesting. */
        bool serial = n > 4097 && parts < 100;
        if (serial && p->system.kind != SYSTEM_DOMINANT)
            continue;
        for (int nest = few ? 1 + (int)(parts / 25 % 3) : 1; nest <= (serial ? 1 : 3);
             nest += few ? 3 : 1)
            check_solve(p, NULL, parts, nest);
        if (n == 1)
            break;
        random_joints(p, r, parts);
        check_solve(p, p->joints, parts, 1 + (int)(parts % 3));
    }
}

/* ---- pivots and range ---- */

/* Sets one row of the matrix to zeros or to NaN, in many places. The status must report it. */
static void check_pivots(struct problem *p)
{
    char type = p->system.type;
    int reals = is_complex(type) ? 2 : 1;
    for (int64_t at = 0; at < 40; at += 3)
        for (int64_t parts = 1; parts <= 39; parts = parts * 3 + 1)
            for (int v = EXTRA_ELEMENTS; v <= last_variant(type); v++)
                for (int nan = 0; nan < 2; nan++) {
                    systems_make(&p->system, SYSTEM_DOMINANT, 5, 40, 1);
                    for (int array = 0; array < 3; array++)
                        for (int64_t k = reals * at; k < reals * (at + 1); k++)
                            put(real_type(type), p->system.host[array], k, nan ? (double)NAN : 0);
                    systems_upload(&p->system);
                    struct nshape s = plan(p, v, parts, 2, 32);
                    long long status = solve_poisoned(p, &s, v, 2);
                    EXPECT(nan ? status > 0 : status == at + 1, "%s: row %lld, reported %lld",
                           name_of(p, &s, v), (long long)(at + 1), status);
                }
}

/* Makes a new system, multiplies its matrix by 2^matrix and its right-hand side by 2^rhs. */
static void make_scaled(struct problem *p, enum system kind, int64_t n, int matrix, int rhs)
{
    systems_make(&p->system, kind, 5, n, 1);
    char type = p->system.type, real = real_type(type);
    for (int array = 0; array < SYSTEM_ARRAYS; array++)
        for (int64_t i = 0; i < n * (is_complex(type) ? 2 : 1); i++) {
            void *at = p->system.host[array];
            put(real, at, i, ldexp(get(real, at, i), array == SYSTEM_ARRAYS - 1 ? rhs : matrix));
        }
    systems_upload(&p->system);
}

/* A dominant matrix times many powers of two: solved, or a bad pivot reported. One is half of the
 * largest exponent, from where squares overflow, which complex division uses. */
static void check_range(struct problem *p)
{
    char type = p->system.type;
    bool single = real_type(type) == 's';
    const int least = single ? -126 : -1022, most = single ? 125 : 1021, half = most / 2 + 2,
              beyond = single ? 26 : 55;
    for (int by = least - beyond; by <= most + 2; by++) {
        bool near_an_end = by < least + 3 || by > most - 3 || abs(abs(by) - half) < 3;
        if (!near_an_end && by % (single ? 5 : 50))
            continue;
        for (int v = EXTRA_ELEMENTS; v <= CORES; v++)
            for (int nest = 0; nest < 3; nest++) {
                make_scaled(p, SYSTEM_DOMINANT, 40, by, by);
                struct nshape s = plan(p, v, 7, nest, 32);
                long long status = solve_poisoned(p, &s, v, 2);
                struct verdict verdict = systems_verdict(&p->system, ERROR_UNITS);
                bool solved = status == 0 && verdict.ok;
                EXPECT(by > least && by < most ? solved : solved || status > 0,
                       "%s, all times 2^%d: status %lld, %.2g of the bound", name_of(p, &s, v), by,
                       status, verdict.used);
            }
    }
    /* The right-hand side is not scaled, so x becomes large when the matrix becomes small. */
    const int sizes[] = {-most / 2 - 10, most / 2 + 10, -most + 10, most - 10};
    for (int by : sizes) {
        make_scaled(p, SYSTEM_DOMINANT, 40, by, 0);
        struct nshape s = plan(p, EXTRA_ELEMENTS, 7, 1, 32);
        long long status = solve_poisoned(p, &s, EXTRA_ELEMENTS, 0);
        struct verdict verdict = systems_verdict(&p->system, ERROR_UNITS);
        EXPECT(status == 0 && verdict.ok, "%s, matrix times 2^%d: status %lld, %.2g",
               name_of(p, &s, EXTRA_ELEMENTS), by, status, verdict.used);
    }
    /* A single row whose 1/diag overflows must be reported, because no later row becomes NaN. */
    for (int v = EXTRA_ELEMENTS; v <= CORES; v += CORES) {
        make_scaled(p, SYSTEM_POISSON, 1, single ? -140 : -1060, single ? -140 : -1060);
        struct nshape s = plan(p, v, 1, 1, 32);
        long long status = solve_poisoned(p, &s, v, 1);
        EXPECT(status == 1, "%s: a subnormal diagonal: status %lld", name_of(p, &s, v), status);
    }
}

/* ---- arguments ---- */

/* Returns cudaErrorInvalidValue if every function refuses the struct and no function writes x. */
static cudaError_t refusal(struct problem *p, const struct nshape *s, bool cpu)
{
    size_t bytes = systems_bytes(&p->system);
    bool refused = true, untouched = true;
    if (cpu) {
        const unsigned char *x = (const unsigned char *)memset(p->system.host_x, 0xff, bytes);
        refused = nshape_solve_cpu(s, 1) == cudaErrorInvalidValue;
        for (size_t i = 0; i < bytes; i++)
            untouched = untouched && x[i] == 0xff;
    } else {
        device_poison(p->system.x, bytes);
        refused = nshape_solve(s, 0) == cudaErrorInvalidValue;
        for (int stage = NSHAPE_RD; stage < NSHAPE_STAGES; stage++)
            refused &= nshape_stage(s, (enum nshape_stage)stage, 0) == cudaErrorInvalidValue;
        for (int stage = NSHAPE_PART_DOWN; stage <= NSHAPE_PART_KEEP; stage++)
            refused &= nshape_part(s, (enum nshape_part_stage)stage, 0) == cudaErrorInvalidValue;
        untouched = device_holds(p->system.x, 0xff, bytes);
    }
    return refused && untouched ? cudaErrorInvalidValue : cudaSuccess;
}

static void check_misuse(struct problem *p)
{
    systems_make(&p->system, SYSTEM_DOMINANT, 1, 100, 1);
    struct nshape s = plan(p, EXTRA_ELEMENTS, 10, 1, 32);
    EXPECT_REFUSED(s, s.parts[0] = 100, nshape_solve(&s, 0));
    EXPECT_REFUSED(s, s.parts[0] = 0, nshape_solve(&s, 0));
    EXPECT_REFUSED(s, s.nest = 9, nshape_solve(&s, 0));
    EXPECT_REFUSED(s, s.type = 'x', nshape_solve(&s, 0));
    EXPECT_REFUSED(s, s.n = 0, nshape_solve(&s, 0));
    EXPECT(nshape_solve_cpu(&s, 0) == cudaErrorInvalidValue, "no cores");
}

static void check_pointers(struct problem *p)
{
    char type = p->system.type;
    size_t element = (size_t)size_of(type);
    systems_make(&p->system, SYSTEM_DOMINANT, 1, 100, 1);
    CHECK(restore(p, 0));
    restore_cpu(p);
    for (int cpu = 0; cpu < 2; cpu++) {
        struct nshape s = plan(p, cpu ? CORES : EXTRA_ELEMENTS, 1, 1, 32);
        s.joints = p->joints;
        struct expect_pointer pointers[] = {
            EXPECT_POINTER(s.sub, element),
            EXPECT_POINTER(s.diag, element),
            EXPECT_POINTER(s.super, element),
            EXPECT_POINTER(s.rhs, element),
            EXPECT_POINTER(s.x, element),
            EXPECT_POINTER(s.work, 16),
            EXPECT_POINTER(s.status, sizeof *s.status),
            EXPECT_POINTER_OR_NULL(s.joints, sizeof *s.joints),
        };
        EXPECT_POINTERS(pointers, refusal(p, &s, cpu), cudaErrorInvalidValue);
        s.joints = NULL;
        s.nest = 0; /* Thomas needs no workspace */
        s.work = NULL;
        EXPECT((cpu ? nshape_solve_cpu(&s, 1) : nshape_solve(&s, 0)) == cudaSuccess,
               "type %c, no work for Thomas", type);
    }
}

/* A fit to the times that a model predicts must give this model; 1e-6 allows for rounding in the
 * normal equations, whose columns differ by a factor 1e5. Its plan must have the smallest predicted
 * time; 1.001 allows for numbers of blocks rounded to integers. */
static void check_model(void)
{
    static const struct nshape_model models[] = {{4e-7, 1e-7, 0.002}, {1e-6, 3e-6, 0}};
    static const int64_t nbl[] = {100, 300, 1000, 3000};
    for (const struct nshape_model &model : models)
        for (int64_t n = 30000; n <= 30000000; n *= 10) {
            double ms[4];
            struct nshape_model fitted;
            for (int k = 0; k < 4; k++) {
                struct nshape s = nshape_plan('z', n, 1, &nbl[k]);
                ms[k] = nshape_predict(&model, &s);
            }
            cudaError_t error = nshape_fit(n, 4, nbl, ms, &fitted);
            EXPECT(error == cudaSuccess && fabs(fitted.alpha / model.alpha - 1) < 1e-6 &&
                       fabs(fitted.beta / model.beta - 1) < 1e-6 &&
                       fabs(fitted.fixed - model.fixed) < 1e-6,
                   "n = %lld: fitted %g, %g, %g", (long long)n, fitted.alpha, fitted.beta,
                   fitted.fixed);
            struct nshape chosen = nshape_plan_by(&model, 'z', n);
            double least = nshape_predict(&model, &chosen);
            for (int nest = 0; nest <= 4; nest++)
                for (double ratio = 2; ratio < (double)n; ratio *= 1.1) {
                    int64_t parts[4];
                    for (int l = 0; l < nest; l++)
                        parts[l] = (int64_t)fmax((double)n * pow(ratio, -l - 1), 1);
                    struct nshape s = nshape_plan('z', n, nest, parts);
                    EXPECT(least <= 1.001 * nshape_predict(&model, &s),
                           "n = %lld: n_it %d, %g ms, not %d, %g ms", (long long)n, chosen.nest,
                           least, nest, nshape_predict(&model, &s));
                }
        }
    /* Times that a negative constant would fit best: the fit is that of alpha and beta alone. */
    static const int64_t few[] = {30, 100, 300, 1000};
    double times[4], best[2] = {0, 0}, least = INFINITY;
    struct nshape_model bound;
    for (int k = 0; k < 4; k++)
        times[k] = 1e-3 * 100000 / (double)few[k] + 3e-4 * (double)few[k] - 0.05;
    EXPECT(nshape_fit(100000, 4, few, times, &bound) == cudaSuccess && bound.fixed == 0, "fixed %g",
           bound.fixed);
    for (int i = -40; i <= 40; i++)
        for (int j = -40; j <= 40; j++) {
            double alpha = bound.alpha * (1 + i / 400.), beta = bound.beta * (1 + j / 400.),
                   sum = 0;
            for (int k = 0; k < 4; k++)
                sum += pow((alpha * 100000 / (double)few[k] + beta * (double)few[k]) / times[k] - 1,
                           2);
            if (sum < least) {
                least = sum;
                best[0] = i;
                best[1] = j;
            }
        }
    EXPECT(best[0] == 0 && best[1] == 0, "a better fit: %g and %g away", best[0], best[1]);
    static const int64_t same[] = {100, 100, 100};
    static const double ms[] = {1, 1, 1};
    struct nshape_model none;
    EXPECT(nshape_fit(1000, 3, same, ms, &none) == cudaErrorInvalidValue,
           "one number of blocks cannot tell alpha from beta");
}

static void check_type(char type, const struct options *o, struct random *r)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 1000, 4097, 300000};
    bool all = !device_is_cpu() && !o->quick;
    struct problem p = {};
    allocate(&p, type, 300000, 300000, 3);
    check_stages(&p, EXTRA_ELEMENTS);
    check_stages(&p, ATOMIC);
    for (int64_t n : sizes)
        for (int kind = 0; kind < SYSTEM_KINDS; kind++) {
            if (n > 4097 && (expect_few || (kind != SYSTEM_DOMINANT && !all)))
                continue;
            systems_make(&p.system, (enum system)kind, o->seed, n, 1);
            check_partitions(&p, r, n > 4097 && !all);
        }
    check_pivots(&p);
    check_range(&p);
    if (type == 's')
        check_misuse(&p);
    check_pointers(&p);
    memory_free(&p.memory);
}

int check(const struct options *o)
{
    struct random r = {o->seed};
    for (const char *type = "zcds"; *type; type++)
        check_type(*type, o, &r);
    check_model();
    divisions_check();
    tdse_check();
    printf("largest backward error of a row, in units of roundoff:\n");
    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
        printf("%-9s %9.3g\n", system_name((enum system)kind), worst_units[kind]);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}
