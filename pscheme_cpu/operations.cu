/* W12 II.B: counts the operations of the ways to compute p. pscheme_cpu_body.h is compiled here
 * with a number type that counts what is done with it, and so in C++. */
#include "main.h"
#include "csv.h"
#include "expect.h"

#include <math.h>
#include <string.h>

enum { MULTIPLICATIONS, DIVISIONS, ADDITIONS, LOADS, STORES, OPERATIONS };
enum { ROWS = 1000, LENGTH = ROWS + 2, ARRAYS = 6 };

/* A load is the first use of an element in a phase that has not stored it: then it is in a
 * register. A subtraction is an addition. A product by 1 or -1 is a sign and, as other signs, does
 * not count, nor does the test of a pivot, whose ABS() is a plain number. */
struct counted {
    double value;
    counted() = default;
    counted(double x) : value(x)
    {
    }
    counted(const counted &x);
    counted &operator=(const counted &x);
};
static int64_t done[OPERATIONS];
static counted memory[ARRAYS * LENGTH];
static bool in_register[ARRAYS * LENGTH]; /* the phase has loaded or stored the element */

/* Counts a load or a store if x is an element of `memory`. */
static void move(const counted &x, int how)
{
    const uintptr_t at = ((uintptr_t)&x - (uintptr_t)memory) / sizeof x; /* huge if x is before */
    if (at >= ARRAYS * LENGTH || (how == LOADS && in_register[at]))
        return;
    done[how]++;
    in_register[at] = true;
}
static double loaded(const counted &x)
{
    move(x, LOADS);
    return x.value;
}
counted::counted(const counted &x) : value(loaded(x))
{
}
counted &counted::operator=(const counted &x)
{
    value = loaded(x);
    move(*this, STORES);
    return *this;
}

static counted operator*(const counted &x, const counted &y)
{
    const double a = loaded(x), b = loaded(y);
    done[MULTIPLICATIONS] += fabs(a) != 1 && fabs(b) != 1;
    return a * b;
}
static counted operator/(const counted &x, const counted &y)
{
    done[DIVISIONS]++;
    return loaded(x) / loaded(y);
}
static counted operator+(const counted &x, const counted &y)
{
    done[ADDITIONS]++;
    return loaded(x) + loaded(y);
}
static counted operator-(const counted &x, const counted &y)
{
    done[ADDITIONS]++;
    return loaded(x) - loaded(y);
}
static counted operator-(const counted &x)
{
    return -loaded(x);
}
static counted &operator*=(counted &x, const counted &y)
{
    return x = x * y;
}
static counted &operator+=(counted &x, const counted &y)
{
    return x = x + y;
}
static counted &operator-=(counted &x, const counted &y)
{
    return x = x - y;
}
static counted &operator+=(counted &x, bool bad) /* how many p are not finite */
{
    x.value += bad;
    return x;
}
static bool operator==(const counted &x, const counted &y)
{
    return loaded(x) == loaded(y);
}
static double ABS(const counted &x)
{
    return fabs(loaded(x));
}

/* What the body needs of pscheme_cpu.c. Only functions for a single part are called here. */
static const int64_t NO_ROW = INT64_MAX;
static int64_t part_start(int64_t rows, int64_t parts, int64_t k)
{
    return rows * k / parts;
}
static bool refused(int64_t, int64_t, int)
{
    return false;
}
template <class... Arrays> static bool has_arrays(Arrays...)
{
    return true;
}
#define HAS_ARRAYS(...) has_arrays(__VA_ARGS__)
#define REAL            counted
#define REAL_EPSILON    0x1p-52
#define REAL_MAX        1e300
#define NAME(name)      name##_counted
#ifdef __clang__ /* loops over this type have no vector instructions */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#pragma omp declare reduction(+ : counted : omp_out.value += omp_in.value)
#include "pscheme_cpu_body.h"

/* Computes p of the rows 1..rows as one part and counts. Returns false if a p is wrong. */
static bool count(enum variant_id variant, int64_t rows, int64_t result[OPERATIONS])
{
    counted *diag = memory, *off = diag + LENGTH, *p = off + LENGTH, *u = p + LENGTH,
            *v = u + LENGTH, *w = v + LENGTH, chain[4];
    for (int64_t i = 0; i < LENGTH; i++) {
        diag[i] = 8;
        off[i] = 2;
    }
    p[0] = 0.125; /* not 0, so that every row depends on it */
    memset(in_register, 0, sizeof in_register);
    memset(done, 0, sizeof done);
    if (variant == EQ13)
        eq13_precompute_counted(0, rows, diag, off, u, v, w);
    if (variant == REPEAT)
        repeat_precompute_counted(0, rows, diag, off, chain);
    if (variant == MAP)
        map_precompute_counted(0, rows, diag, off, u, v, w);
    memset(in_register, 0, sizeof in_register); /* the next phase */
    if (variant == EQ13)
        eq13_determine_counted(0, 1, rows, u, v, w, p);
    else if (variant == MAP)
        map_determine_counted(0, 1, rows, u, v, w, p);
    else
        eq5_p_counted(0, rows, diag, off, p[0], p);
    memcpy(result, done, sizeof done);
    double expected = 0.125;
    for (int64_t i = 1; i <= rows; i++) {
        expected = 2 / (8 - 2 * expected);
        if (!(fabs(p[i].value - expected) < 1e-9))
            return false;
    }
    return true;
}

/* Counts the operations for one more row. */
static bool count_row(enum variant_id variant, int64_t result[OPERATIONS])
{
    int64_t less[OPERATIONS];
    bool right = count(variant, ROWS - 1, less) && count(variant, ROWS, result);
    for (int i = 0; i < OPERATIONS; i++)
        result[i] -= less[i];
    return right;
}

void operations_check(void)
{
    static const int64_t expected[][OPERATIONS] = {
        {1, 1, 1, 2, 1}, {4, 3, 4, 5, 4}, {4, 3, 3, 4, 1}, {5, 2, 4, 5, 4}};
    for (int variant = SUBSTITUTION; variant <= MAP; variant++) {
        int64_t is[OPERATIONS];
        bool right = count_row((enum variant_id)variant, is);
        EXPECT(right && memcmp(is, expected[variant], sizeof is) == 0,
               "%s: %lld mul, %lld div, %lld add, %lld loads, %lld stores%s",
               variants[variant].name, (long long)is[MULTIPLICATIONS], (long long)is[DIVISIONS],
               (long long)is[ADDITIONS], (long long)is[LOADS], (long long)is[STORES],
               right ? "" : "; p is wrong");
    }
}

int operations_run(const char *csv_prefix)
{
    struct csv csv;
    int status = EXIT_VERIFIED;
    if (!csv_open(&csv, "pscheme_cpu", csv_prefix, "operations",
                  "variant,multiplications,divisions,additions,loads,stores"))
        return EXIT_USAGE;
    for (int variant = SUBSTITUTION; csv.file && variant <= MAP; variant++) {
        int64_t is[OPERATIONS];
        if (!count_row((enum variant_id)variant, is))
            status = EXIT_WRONG;
        fprintf(csv.file, "%s", variants[variant].name);
        for (int i = 0; i < OPERATIONS; i++)
            fprintf(csv.file, ",%lld", (long long)is[i]);
        fprintf(csv.file, "\n");
    }
    return csv_close(&csv) ? status : EXIT_USAGE;
}
