/* See hard_systems.h. */
#include "test/hard_systems.h"
#include "test/matrices.h"
#include "verify.h"

#include <math.h>

/* The arrays of a system. */
enum { SUB, DIAG, SUPER, RHS, ARRAYS };
struct arrays {
    char type;
    int64_t n;
    void *of[ARRAYS];
};

static void set(const struct arrays *s, int array, int64_t i, double re, double im)
{
    put_number(s->type, s->of[array], i, re, im);
}

/* ---- LAPACK's types ---- */

const char *lapack_text(int which)
{
    static const char *const texts[LAPACK_TYPES] = {
        "diagonal",
        "condition 2",
        "condition 1 / sqrt(eps)",
        "condition 1 / eps",
        "as 4, near underflow",
        "as 4, near overflow",
        "random",
        "first column 0",
        "last column 0",
        "last n / 2 columns 0",
        "random, near underflow",
        "random, near overflow",
    };
    return texts[which - 1];
}
bool lapack_is_singular(int which)
{
    return which >= 8 && which <= 10;
}

static void put_random_row(const struct arrays *s, int64_t i, struct random *r)
{
    for (int a = SUB; a <= SUPER; a++) {
        double re = random_uniform(r, -1, 1), im = random_uniform(r, -1, 1);
        set(s, a, i, re, im);
    }
}
/* Types 1 to 3. */
static void put_blocks(const struct arrays *s, int which, struct random *r)
{
    const double d[2] = {1, which == 2 ? 0.5 : sqrt(unit_roundoff(s->type))}, pi = 3.14159265358979;
    for (int64_t i = 0; i < s->n; i += 2) {
        const double a = random_uniform(r, 0, pi), b = random_uniform(r, 0, pi),
                     block[2][2] = {{d[0] * cos(a) * cos(b) - d[1] * sin(a) * sin(b),
                                     -d[0] * cos(a) * sin(b) - d[1] * sin(a) * cos(b)},
                                    {d[0] * sin(a) * cos(b) + d[1] * cos(a) * sin(b),
                                     -d[0] * sin(a) * sin(b) + d[1] * cos(a) * cos(b)}};
        for (int k = 0; k < 2 && i + k < s->n; k++) {
            const bool single = which == 1 || i + 1 == s->n;
            set(s, SUB, i + k, k && !single ? block[1][0] : 0, 0);
            set(s, DIAG, i + k, single ? random_uniform(r, 0.1, 1) : block[k][k], 0);
            set(s, SUPER, i + k, k || single ? 0 : block[0][1], 0);
        }
    }
}
static void scale_arrays(const struct arrays *s, double by)
{
    int parts = is_complex(s->type) ? 2 : 1;
    char real = real_type(s->type);
    for (int a = SUB; a <= RHS; a++)
        for (int64_t i = 0; i < parts * s->n; i++)
            put(real, s->of[a], i, by * get(real, s->of[a], i));
}
bool lapack_fill(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag, void *super,
                 void *rhs, void *x)
{
    const struct arrays s = {type, n, {sub, diag, super, rhs}};
    const bool single = real_type(type) == 's';
    const double small = single ? 0x1p-104 : 0x1p-970;
    struct random r = {seed + (uint64_t)which};
    if (which >= 4 && which <= 6) {
        if (!matrix_fill(9, type, n, seed, sub, diag, super))
            return false;
    } else
        for (int64_t i = 0; i < n; i++)
            put_random_row(&s, i, &r);
    if (which <= 3)
        put_blocks(&s, which, &r);
    const int64_t zero_from = which == 8    ? 0
                              : which == 9  ? n - 1
                              : which == 10 ? n / 2
                                            : n,
                  zero_to = which == 8 ? 1 : n;
    for (int64_t j = zero_from; j < zero_to; j++) {
        set(&s, DIAG, j, 0, 0);
        if (j > 0)
            set(&s, SUPER, j - 1, 0, 0);
        if (j < n - 1)
            set(&s, SUB, j + 1, 0, 0);
    }
    matrix_solution(type, n, seed, x);
    matrix_product(type, n, sub, diag, super, x, rhs);
    if (which == 5 || which == 11)
        scale_arrays(&s, small);
    if (which == 6 || which == 12)
        scale_arrays(&s, 1 / small);
    return true;
}

/* ---- hard families ---- */

const char *family_text(int family)
{
    static const char *const texts[FAMILIES] = {
        /* u is a unit of roundoff. */
        [FAMILY_SIGNS] = "signs: all elements 1 or -1",
        [FAMILY_TINY_DIAGONALS] = "tiny diagonals, down to 2^-60",
        [FAMILY_GRADED] =
            "graded: dominant rows, the scale of each 1/16 to 16 times that of the row before",
        [FAMILY_LAPLACIAN] =
            "a graph Laplacian: the sum of every row is 0, so the matrix is singular",
        [FAMILY_BIRTH_AND_DEATH] =
            "birth and death: sums near 0, and sub and super differ by up to 2^20",
        [FAMILY_ONE_HARD_ROW] = "dominant, except one row",
        [FAMILY_BORDER] = "on the border: |diag| is |sub| + |super| but for -12 u to 12 u",
        [FAMILY_RANDOM] = "random",
        [FAMILY_DECOUPLED] = "decoupled: on the border, sub or super may be tiny or 0",
        [FAMILY_SKEW] = "skew: nearly equal rows; sub and super have opposite signs or two phases",
    };
    return texts[family];
}
bool family_is_regular(int family, char type)
{
    return family == FAMILY_GRADED || (family == FAMILY_SKEW && !is_complex(type));
}

static double sign(struct random *r)
{
    return random_bits(r) % 2 ? 1 : -1;
}
/* A power of two from 2^-most to 1. */
static double power(struct random *r, int most)
{
    return ldexp(1, -(int)(random_bits(r) % (uint64_t)(most + 1)));
}
void family_fill(int family, char type, int64_t n, struct random *r, void *sub_of, void *diag_of,
                 void *super_of, void *rhs_of)
{
    const struct arrays s = {type, n, {sub_of, diag_of, super_of, rhs_of}};
    const int64_t odd = (int64_t)(random_bits(r) % (uint64_t)n);
    const double u = unit_roundoff(type), angle = random_uniform(r, 0, 6.2831853);
    /* one phase for all elements, so that sums stay near 0 */
    const double re = is_complex(type) ? cos(angle) : 1, im = sin(angle);
    const bool rounded = random_bits(r) % 2, ends = random_bits(r) % 2;
    const int tiny = real_type(type) == 's' ? 30 : 70;
    double scale = 1;
    for (int64_t i = 0; i < n; i++) {
        double sub = random_uniform(r, 0.1, 1), super = random_uniform(r, 0.1, 1), diag,
               units = (double)(random_bits(r) % 25) - 12;
        switch (family) {
        case FAMILY_SIGNS:
            sub = sign(r), diag = sign(r), super = sign(r);
            break;
        case FAMILY_TINY_DIAGONALS:
            diag = random_uniform(r, -1, 1) * power(r, 60);
            sub *= sign(r), super *= sign(r);
            break;
        case FAMILY_GRADED:
            scale *= ldexp(1, (int)(random_bits(r) % 9) - 4);
            scale = fmin(fmax(scale, 0x1p-80), 0x1p80);
            diag = (sub + super) * random_uniform(r, 1, 1.5) * scale;
            sub *= scale * sign(r), super *= scale * sign(r);
            break;
        case FAMILY_BIRTH_AND_DEATH:
            sub *= power(r, 20), super *= power(r, 20);
            __attribute__((fallthrough));
        case FAMILY_LAPLACIAN:
            sub = i == 0 && !ends ? 0 : sub, super = i == n - 1 && !ends ? 0 : super;
            diag = -(sub + super) * (rounded ? 1 : 1 + units * u);
            break;
        case FAMILY_DECOUPLED:
            sub *= random_bits(r) % 3 ? power(r, tiny) : sign(r);
            super *= random_bits(r) % 3 ? power(r, tiny) : sign(r);
            sub = random_bits(r) % 8 ? sub : 0, super = random_bits(r) % 8 ? super : 0;
            diag = (fabs(sub) + fabs(super)) * (rounded ? 1 : 1 + units * u);
            break;
        case FAMILY_SKEW:
            sub = diag = is_complex(type) ? -0.6 - angle / 40 : -1.3 - angle / 32;
            super = (is_complex(type) ? -1 : 1.5) * (1 + units * u);
            break;
        case FAMILY_ONE_HARD_ROW:
            diag =
                (sub + super) * random_uniform(r, 1, 1.2) * sign(r) * (i == odd ? power(r, 30) : 1);
            break;
        case FAMILY_BORDER:
            sub *= sign(r), super *= sign(r);
            diag = (fabs(sub) + fabs(super)) * (1 + units * u) * sign(r);
            break;
        default: /* FAMILY_RANDOM */
            sub *= sign(r), super *= sign(r);
            diag = random_uniform(r, -1, 1);
        }
        const double row[] = {sub, diag, super};
        for (int a = SUB; a <= SUPER; a++)
            if (family == FAMILY_SKEW && is_complex(type)) /* x grows from row to row */
                set(&s, a, i, row[a] * cos((a + 1) * (a + 1) * angle),
                    row[a] * sin((a + 1) * (a + 1) * angle));
            else
                set(&s, a, i, row[a] * re, row[a] * im);
        bool zero = rounded && random_bits(r) % 4;
        set(&s, RHS, i, zero ? 0 : random_uniform(r, -1, 1) * power(r, zero ? 0 : 3), 0);
    }
}
