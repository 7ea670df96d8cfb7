/* solve_tridiagonal and solve_recurrence of the Python package for small NumPy arrays, at a tenth of
 * the overhead of ctypes. They take contiguous arrays of one type; whatever else a call has, they
 * return False, and the Python functions take over.
 *
 * _core.py makes Python functions of them. They use functions of Python's stable ABI, which are
 * declared here: so no headers of Python are needed to build them, and they work with every
 * Python from 3.9 on. */
#include "recurrence_cpu.h"
#include "tridiagonal_batch_cpu.h"
#include "tridiagonal_cpu.h"

#include <stdlib.h>
#include <string.h>

typedef struct object object;
struct buffer { /* Py_buffer */
    void *data;
    object *owner;
    intptr_t bytes, element;
    int readonly, dimensions;
    char *format;
    intptr_t *shape, *strides, *suboffsets;
    void *internal;
};
enum { WRITABLE = 1, FORMAT = 4, SHAPE = 8 }; /* PyBUF_WRITABLE, _FORMAT, _ND: contiguous */
extern int PyObject_GetBuffer(object *, struct buffer *, int flags);
extern void PyBuffer_Release(struct buffer *);
extern void PyErr_Clear(void);
extern object *PyBool_FromLong(long);
extern long PyLong_AsLong(object *);
extern double PyFloat_AsDouble(object *);
extern object *PyErr_Occurred(void);

enum {
    MOST_ELEMENTS = 1 << 15, /* larger calls may use several cores */
    FEW = 4                  /* as _FEW in __init__.py */
};

/* Opens the arrays; the last is the result. Returns how many are open: fewer than `count` if one is
 * not contiguous, or the last one not writable. */
static int open_buffers(object *const *arrays, int count, struct buffer *b)
{
    for (int k = 0; k < count; k++)
        if (PyObject_GetBuffer(arrays[k], &b[k],
                               FORMAT | SHAPE | (k == count - 1 ? WRITABLE : 0)) != 0)
            return k;
    return count;
}

/* Closes them, and drops the error of an array that did not open or of a number that is too large. */
static void close_buffers(struct buffer *b, int open)
{
    PyErr_Clear();
    for (int k = 0; k < open; k++)
        PyBuffer_Release(&b[k]);
}

/* The type of an array as in BLAS, or 0. */
static char type_of(const struct buffer *b)
{
    const char *const formats[] = {"f", "d", "Zf", "Zd"};
    for (int k = 0; k < 4; k++)
        if (strcmp(b->format, formats[k]) == 0)
            return "sdcz"[k];
    return 0;
}

/* Whether array k of `count` has the type and the last dimensions of the last array, which is the
 * result, is aligned, and does not overlap the result. */
static int suits(const struct buffer *b, int k, int count)
{
    const struct buffer *a = &b[k], *x = &b[count - 1];
    const uintptr_t from = (uintptr_t)a->data, to = (uintptr_t)x->data;
    return a->dimensions >= 1 && a->dimensions <= x->dimensions && type_of(a) == type_of(x) &&
           memcmp(a->shape, x->shape + x->dimensions - a->dimensions,
                  sizeof *a->shape * (size_t)a->dimensions) == 0 &&
           (from | to) % (uintptr_t)x->element == 0 &&
           (from >= to + (uintptr_t)x->bytes || to >= from + (uintptr_t)a->bytes);
}

/* The same, with all dimensions. */
static int like_last(const struct buffer *b, int k, int count)
{
    return b[k].dimensions == b[count - 1].dimensions && suits(b, k, count);
}

/* The number of sequences or systems, and their length; 0 if they are not small. */
static int64_t small(const struct buffer *x, int64_t *n)
{
    int64_t elements = x->dimensions >= 1 && x->element > 0 ? x->bytes / x->element : 0;
    *n = elements > 0 ? x->shape[x->dimensions - 1] : 0;
    return elements > 0 && elements < MOST_ELEMENTS ? elements / *n : 0;
}

/* A real number as one of a type. */
union number {
    float single[2];
    double twice[2];
};
static union number number_of(char type, object *value)
{
    union number number = {.twice = {0}};
    if (type == 's' || type == 'c')
        number.single[0] = (float)PyFloat_AsDouble(value);
    else
        number.twice[0] = PyFloat_AsDouble(value);
    return number;
}

/* Solves a few systems, one after the other. */
static int solve_few(const struct tridiagonal_batch *t, int64_t element)
{
    const int64_t step = t->n * element, matrix = t->matrix == TRIDIAGONAL_BATCH_OWN ? step : 0;
    const char *sub = t->sub, *diag = t->diag, *super = t->super, *rhs = t->rhs;
    for (int64_t k = 0; k < t->batch; k++) {
        struct tridiagonal_cpu c = {.type = t->type, .n = t->n, .work = t->work, .cores = 1};
        c.sub = sub + k * matrix, c.diag = diag + k * matrix, c.super = super + k * matrix;
        c.rhs = rhs + k * step, c.x = (char *)t->x + k * step, c.pivot = t->pivot;
        if (tridiagonal_cpu_solve(&c) != 0)
            return 0;
    }
    return 1;
}

static int solve_systems(struct tridiagonal_batch *t, int64_t element)
{
    const int few = t->batch <= FEW && !t->periodic && t->matrix != TRIDIAGONAL_BATCH_CONSTANT;
    const size_t bytes =
        few ? tridiagonal_cpu_work(t->type, t->n) : tridiagonal_batch_cpu_work(t, 1);
    _Alignas(64) char memory[1 << 14];
    void *more = bytes > sizeof memory ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    t->work = more ? more : memory;
    const int solved = bytes > 0 && (more || bytes <= sizeof memory) &&
                       (few ? solve_few(t, element) : tridiagonal_batch_cpu_solve(t, 1) == 0);
    free(more);
    return solved;
}

/* (sub, diag, super, rhs, x, periodic, pivot, constant): True if x is the solution of all systems.
 * The diagonals are arrays like rhs, or of n elements, or with `constant` real numbers. */
object *fast_tridiagonal(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct buffer b[5];
    const int constant = (int)PyLong_AsLong(arguments[7]), first = constant ? 3 : 0;
    const int open = open_buffers(arguments + first, 5 - first, b + first);
    int64_t n, batch = open == 5 - first ? small(&b[4], &n) : 0;
    const char type = batch > 0 && like_last(b, 3, 5) ? type_of(&b[4]) : 0;
    const int own = type && !constant && b[0].dimensions == b[4].dimensions;
    int fits = type != 0;
    for (int k = first; k < 3 && fits; k++)
        fits = suits(b, k, 5) && b[k].dimensions == (own ? b[4].dimensions : 1);
    if (fits) {
        union number numbers[3];
        const void *diagonals[3];
        for (int k = 0; k < 3; k++)
            if (constant) {
                numbers[k] = number_of(type, arguments[k]);
                diagonals[k] = &numbers[k];
            } else
                diagonals[k] = b[k].data;
        struct tridiagonal_batch t = {.type = type, .n = n, .batch = batch};
        t.sub = diagonals[0], t.diag = diagonals[1], t.super = diagonals[2];
        t.rhs = b[3].data, t.x = b[4].data;
        t.periodic = (int)PyLong_AsLong(arguments[5]), t.pivot = (int)PyLong_AsLong(arguments[6]);
        t.matrix = constant ? TRIDIAGONAL_BATCH_CONSTANT
                   : own    ? TRIDIAGONAL_BATCH_OWN
                            : TRIDIAGONAL_BATCH_SHARED;
        fits = !PyErr_Occurred() && solve_systems(&t, b[4].element);
    }
    close_buffers(b + first, open);
    return PyBool_FromLong(fits);
}

/* (s, t, w, w0, reverse, constant): True if w is the solution. s is an array like t, or with
 * `constant` a real number; w0 is a real number, which must be 0 for several sequences. */
object *fast_recurrence(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct buffer b[3];
    const int constant = (int)PyLong_AsLong(arguments[5]);
    int open = open_buffers(arguments + constant, 3 - constant, b + constant), solved = 0;
    int64_t n, batch = open == 3 - constant ? small(&b[2], &n) : 0;
    const char type = batch > 0 && like_last(b, 1, 3) ? type_of(&b[2]) : 0;
    if (type && (constant || like_last(b, 0, 3))) {
        const union number zero = {.twice = {0}}, start = number_of(type, arguments[3]),
                           factor = constant ? number_of(type, arguments[0]) : zero;
        const int starts = memcmp(&start, &zero, sizeof zero) != 0;
        struct recurrence r = {.type = type, .length = n, .batch = batch, .constant = constant};
        r.reverse = (int)PyLong_AsLong(arguments[4]);
        r.s = constant ? &factor : b[0].data, r.t = b[1].data, r.w = b[2].data;
        r.w0 = starts ? &start : NULL;
        solved = !PyErr_Occurred() && (batch == 1 || !starts) && recurrence_cpu_solve(&r, 1) == 0;
    }
    close_buffers(b + constant, open);
    return PyBool_FromLong(solved);
}
