/* solve_tridiagonal and solve_recurrence of the Python package for small NumPy arrays, at a tenth of
 * the overhead of ctypes. They take contiguous arrays of one type; whatever else a call has, they
 * return False, and the Python functions take over.
 *
 * _core.py makes Python functions of them. They use functions of Python's stable ABI, which are
 * declared here: so no headers of Python are needed to build them, and they work with every
 * Python from 3.9 on. */
#include "recurrence_cpu.h"
#include "tridiagonal_batch_cpu.h"

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

enum {
    MOST_ELEMENTS = 1 << 15, /* larger calls may use several cores */
    MOST_ROWS = 1 << 10,     /* longer systems may be solved by tridiagonal_cpu.h */
    MOST_WORK = 1 << 16
};

/* Opens the arrays; the last is the result. Returns how many are open: fewer than `count` if one is
 * not contiguous, or the last one not writable. */
static int open_buffers(object *const *arrays, int count, struct buffer *b)
{
    for (int k = 0; k < count; k++)
        if (PyObject_GetBuffer(arrays[k], &b[k],
                               FORMAT | SHAPE | (k == count - 1 ? WRITABLE : 0)) != 0) {
            PyErr_Clear();
            return k;
        }
    return count;
}

static void close_buffers(struct buffer *b, int open)
{
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

/* (sub, diag, super, rhs, x, periodic, pivot): True if x is the solution of all systems. The
 * diagonals have the shape of rhs, or n elements each. */
object *fast_tridiagonal(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct buffer b[5];
    int open = open_buffers(arguments, 5, b), solved = 0;
    _Alignas(64) char work[MOST_WORK];
    int64_t n, batch = open == 5 ? small(&b[4], &n) : 0;
    const int own = open == 5 && b[0].dimensions == b[4].dimensions;
    if (batch > 0 && n < MOST_ROWS && type_of(&b[4]) && like_last(b, 3, 5) &&
        (own || b[0].dimensions == 1) && suits(b, 0, 5) && suits(b, 1, 5) &&
        b[1].dimensions == b[0].dimensions && suits(b, 2, 5) &&
        b[2].dimensions == b[0].dimensions) {
        struct tridiagonal_batch t = {.type = type_of(&b[4]),
                                      .n = n,
                                      .batch = batch,
                                      .sub = b[0].data,
                                      .diag = b[1].data,
                                      .super = b[2].data,
                                      .rhs = b[3].data,
                                      .x = b[4].data,
                                      .periodic = (int)PyLong_AsLong(arguments[5]),
                                      .pivot = (int)PyLong_AsLong(arguments[6]),
                                      .matrix =
                                          own ? TRIDIAGONAL_BATCH_OWN : TRIDIAGONAL_BATCH_SHARED,
                                      .work = work};
        size_t bytes = tridiagonal_batch_cpu_work(&t, 1);
        solved = bytes <= sizeof work && tridiagonal_batch_cpu_solve(&t, 1) == 0;
    }
    close_buffers(b, open);
    return PyBool_FromLong(solved);
}

/* (s, t, w, w0, reverse, constant): True if w is the solution. s is an array like t, or with
 * `constant` a float; w0 is a float, for several sequences 0. */
object *fast_recurrence(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct buffer b[3];
    const int constant = (int)PyLong_AsLong(arguments[5]);
    int open = open_buffers(arguments + constant, 3 - constant, b + constant), solved = 0;
    int64_t n, batch = open == 3 - constant ? small(&b[2], &n) : 0;
    const double start = PyFloat_AsDouble(arguments[3]);
    const char type = batch > 0 ? type_of(&b[2]) : 0;
    if (type && (batch == 1 || start == 0) && (constant || like_last(b, 0, 3)) &&
        like_last(b, 1, 3)) {
        const int single = type == 's' || type == 'c';
        const double number[][2] = {{constant ? PyFloat_AsDouble(arguments[0]) : 0}, {start}};
        const float rounded[][2] = {{(float)number[0][0]}, {(float)start}};
        struct recurrence r = {.type = type,
                               .length = n,
                               .batch = batch,
                               .reverse = (int)PyLong_AsLong(arguments[4]),
                               .constant = constant,
                               .s = !constant ? b[0].data
                                    : single  ? (void *)rounded[0]
                                              : (void *)number[0],
                               .t = b[1].data,
                               .w0 = start == 0 ? NULL
                                     : single   ? (void *)rounded[1]
                                                : (void *)number[1],
                               .w = b[2].data};
        solved = recurrence_cpu_solve(&r, 1) == 0;
    }
    close_buffers(b + constant, open);
    return PyBool_FromLong(solved);
}
