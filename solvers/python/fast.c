/* solve_tridiagonal and solve_recurrence of the Python package for small NumPy arrays and PyTorch
 * tensors, and solve_filter for NumPy arrays, at a tenth of the overhead of ctypes. They take
 * contiguous arrays of one type; whatever else a call has, they return False, and the Python
 * functions take over.
 *
 * _core.py makes Python functions of them. They use functions of Python's stable ABI, which are
 * declared here: so no headers of Python are needed to build them, and they work with every Python
 * from 3.9 on. */
#include "filter_cpu.h"
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
    const int few =
        t->batch <= FEW && t->inner <= 1 && !t->periodic && t->matrix != TRIDIAGONAL_BATCH_CONSTANT;
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

/* (b, a, x, y, carry_in_double): True if y is x filtered. b and a are arrays of doubles. */
object *fast_filter(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    enum { MOST = FILTER_STATES_MOST + 1 };
    struct buffer b[4];
    int open = open_buffers(arguments, 4, b), solved = 0;
    int64_t n, batch = open == 4 ? small(&b[3], &n) : 0;
    const char type = batch > 0 && like_last(b, 2, 4) ? type_of(&b[3]) : 0;
    int fits = type != 0;
    for (int k = 0; k < 2 && fits; k++)
        fits = b[k].dimensions == 1 && type_of(&b[k]) == 'd' && b[k].bytes > 0 &&
               b[k].shape[0] <= MOST;
    if (fits) {
        double coefficients[2 * MOST] = {0};
        const int longer = b[0].bytes < b[1].bytes;
        const intptr_t columns = b[longer].shape[0];
        memcpy(coefficients, b[0].data, (size_t)b[0].bytes);
        memcpy(coefficients + columns, b[1].data, (size_t)b[1].bytes);
        struct filter f = {.type = type, .length = n, .batch = batch, .sections = 1};
        f.order = (int)columns - 1, f.coefficients = coefficients;
        f.x = b[2].data, f.y = b[3].data, f.carry_in_double = (int)PyLong_AsLong(arguments[4]);
        solved = filter_cpu_solve(&f, 1) == 0;
    }
    close_buffers(b, open);
    return PyBool_FromLong(solved);
}

/* ---- for recurrences.torch ---- */

extern char _Py_NoneStruct[], _Py_TrueStruct[], _Py_FalseStruct[];
extern object *PyObject_Type(object *);
extern object *PyObject_GetAttr(object *, object *name);
extern object *PyObject_CallFunctionObjArgs(object *, ...);
extern int PyObject_RichCompareBool(object *, object *, int operation);
extern object *PyUnicode_InternFromString(const char *);
extern intptr_t PyTuple_Size(object *);
extern object *PyTuple_GetItem(object *, intptr_t);
extern void *PyLong_AsVoidPtr(object *);
extern void Py_IncRef(object *);
extern void Py_DecRef(object *);
enum { EQUAL = 2 }; /* Py_EQ */

/* What fast_torch_setup() gets, in this order, and the names of attributes. */
static struct {
    object *tensor, *float32, *float64, *empty_like, *is_neg, *is_contiguous, *data_ptr;
    object *functorch, *modes, *tracing, *grad_enabled, *forward_ad;
} torch;
static struct {
    object *shape, *dtype, *is_cpu, *requires_grad, *current_level;
} name;

object *fast_torch_setup(object *self, object *const *arguments, intptr_t count)
{
    (void)self;
    for (intptr_t k = 0; k < count; k++)
        Py_IncRef(arguments[k]);
    memcpy(&torch, arguments, sizeof torch);
    name.shape = PyUnicode_InternFromString("shape");
    name.dtype = PyUnicode_InternFromString("dtype");
    name.is_cpu = PyUnicode_InternFromString("is_cpu");
    name.requires_grad = PyUnicode_InternFromString("requires_grad");
    name.current_level = PyUnicode_InternFromString("_current_level");
    return PyBool_FromLong(1);
}

/* These drop the reference to a value, which is NULL after an error. */
static int is(object *value, const void *what)
{
    if (value)
        Py_DecRef(value);
    return value == what;
}
static long number(object *value)
{
    const long found = value ? PyLong_AsLong(value) : -1;
    if (value)
        Py_DecRef(value);
    return found;
}

static object *get(object *value, object *attribute)
{
    return PyObject_GetAttr(value, attribute);
}
static object *call(object *function)
{
    return PyObject_CallFunctionObjArgs(function, NULL);
}
static object *call_with(object *function, object *value)
{
    return PyObject_CallFunctionObjArgs(function, value, NULL);
}
static void *address(object *tensor)
{
    object *value = call_with(torch.data_ptr, tensor);
    void *found = value ? PyLong_AsVoidPtr(value) : NULL;
    if (value)
        Py_DecRef(value);
    return found;
}

/* Whether this is a real tensor on the CPU that C takes as it is, of this shape and type. */
static int takes(object *tensor, object *shape, object *dtype, int grad)
{
    object *own = is(PyObject_Type(tensor), torch.tensor) ? get(tensor, name.shape) : NULL;
    const int same = own && PyObject_RichCompareBool(own, shape, EQUAL) == 1;
    if (own)
        Py_DecRef(own);
    return same && is(get(tensor, name.dtype), dtype) &&
           is(get(tensor, name.is_cpu), _Py_TrueStruct) &&
           is(call_with(torch.is_neg, tensor), _Py_FalseStruct) &&
           is(call_with(torch.is_contiguous, tensor), _Py_TrueStruct) &&
           !(grad && is(get(tensor, name.requires_grad), _Py_TrueStruct));
}

/* How systems lie in tensors along a dimension. */
struct layout {
    char type;
    int64_t n, batch, inner;
};

/* Whether C takes these small tensors, and nothing else takes part in the call: no gradient,
 * transform, mode or tracer. */
static int takes_all(object *const *tensors, int count, long dim, struct layout *l)
{
    object *first = tensors[count - 1];
    if (!is(call(torch.functorch), _Py_NoneStruct) || number(call(torch.modes)) != 0 ||
        !is(call(torch.tracing), _Py_NoneStruct) ||
        number(get(torch.forward_ad, name.current_level)) >= 0 || PyErr_Occurred() ||
        !is(PyObject_Type(first), torch.tensor))
        return 0;
    object *shape = get(first, name.shape), *dtype = get(first, name.dtype);
    const int grad = is(call(torch.grad_enabled), _Py_TrueStruct);
    l->type = dtype == torch.float32 ? 's' : dtype == torch.float64 ? 'd' : 0;
    int good = shape && l->type;
    for (int k = 0; k < count && good; k++)
        good = takes(tensors[k], shape, dtype, grad);
    const intptr_t ndim = good ? PyTuple_Size(shape) : 0;
    good = -ndim <= dim && dim < ndim;
    l->batch = l->inner = 1;
    for (intptr_t k = 0; k < ndim && good; k++) {
        const int64_t size = PyLong_AsLong(PyTuple_GetItem(shape, k));
        const intptr_t along = dim < 0 ? dim + ndim : dim;
        *(k == along ? &l->n : &l->batch) = k == along ? size : l->batch * size;
        l->inner *= k > along ? size : 1;
        good = size > 0 && size < MOST_ELEMENTS && l->batch < MOST_ELEMENTS;
    }
    if (shape)
        Py_DecRef(shape);
    if (dtype)
        Py_DecRef(dtype);
    return good && l->n * l->batch < MOST_ELEMENTS;
}

/* The result, or False. */
static object *finish(object *x, int solved)
{
    PyErr_Clear();
    if (solved)
        return x;
    if (x)
        Py_DecRef(x);
    return PyBool_FromLong(0);
}

/* (sub, diag, super, rhs, dim, periodic, pivot): x, or False. */
object *fast_torch_tridiagonal(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct layout l;
    const long dim = PyLong_AsLong(arguments[4]);
    object *x = takes_all(arguments, 4, dim, &l) ? call_with(torch.empty_like, arguments[3]) : NULL;
    if (!x)
        return finish(x, 0);
    struct tridiagonal_batch t = {.type = l.type, .n = l.n, .batch = l.batch, .inner = l.inner};
    t.sub = address(arguments[0]), t.diag = address(arguments[1]);
    t.super = address(arguments[2]), t.rhs = address(arguments[3]), t.x = address(x);
    t.periodic = (int)PyLong_AsLong(arguments[5]), t.pivot = (int)PyLong_AsLong(arguments[6]);
    return finish(x, !PyErr_Occurred() && solve_systems(&t, l.type == 's' ? 4 : 8));
}

/* (s, t, dim, reverse): w, or False. */
object *fast_torch_recurrence(object *self, object *const *arguments, intptr_t count)
{
    (void)self, (void)count;
    struct layout l;
    const long dim = PyLong_AsLong(arguments[2]);
    object *w = takes_all(arguments, 2, dim, &l) ? call_with(torch.empty_like, arguments[1]) : NULL;
    if (!w)
        return finish(w, 0);
    struct recurrence r = {.type = l.type, .length = l.n, .batch = l.batch, .inner = l.inner};
    r.s = address(arguments[0]), r.t = address(arguments[1]), r.w = address(w);
    r.reverse = (int)PyLong_AsLong(arguments[3]);
    return finish(w, !PyErr_Occurred() && recurrence_cpu_solve(&r, 1) == 0);
}
