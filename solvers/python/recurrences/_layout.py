"""Operands of the NumPy functions: conversion, broadcasting, and the layouts that the C functions take as they are."""

import math

import numpy

from ._core import CONSTANT, LETTERS, OWN, S_CHANNEL, S_EACH, S_ONE, S_SEQUENCE, SHARED

_NUMBER = (int, float, complex)


def on_gpu(value):
    """Whether the value is an array on a GPU."""
    if isinstance(value, (numpy.ndarray, numpy.generic, list, tuple, *_NUMBER)):
        return False
    if getattr(value, "is_cuda", False) is True or hasattr(value, "__cuda_array_interface__"):
        return True
    return hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] in (2, 13)  # kDLCUDA, kDLCUDAManaged


def _array(name, value):
    """The value as an array of numbers. Python's numbers stay, because they do not determine the type of the result."""
    if isinstance(value, _NUMBER):
        try:  # NumPy 1 has no larger integers
            return float(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value
        except OverflowError as error:
            raise OverflowError(f"{name}: {error}") from None
    if isinstance(value, numpy.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; use filled()")
    try:
        lacks = not hasattr(value, "__array__") and hasattr(value, "__dlpack__")
        array = numpy.from_dlpack(value) if lacks else numpy.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise TypeError(f"{name}: not an array of numbers: {error}") from None
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name}: numbers wanted, not {type(value).__name__} of type {array.dtype}")
    return array


class Operands:
    """The operands of a call. arrays: by name; arrays of one dimension are reshaped so that they lie along the axis.
    dtype: the type of the result, one of `letters`. axis: counted from the end. packed: w0 has the axis."""

    def __init__(self, axis, letters=LETTERS, packed=False, **values):
        self.packed, lacking = packed, () if packed else ("w0",)
        self.arrays = {name: _array(name, value) for name, value in values.items()}
        dtype = numpy.result_type(*self.arrays.values())
        self.dtype = numpy.dtype("float64") if dtype.kind in "biu" else dtype.newbyteorder("=")
        if self.dtype.char not in letters:
            name = next((name for name, a in self.arrays.items() if getattr(a, "dtype", None) == dtype),
                        ", ".join(values))
            raise TypeError(f"{name}: of type {dtype.name}; wanted: {', '.join(numpy.dtype(c).name for c in letters)}")
        for name, a in self.arrays.items():
            if isinstance(a, _NUMBER):
                made = numpy.array(a, self.dtype)
                self.arrays[name] = made if isinstance(a, complex) else made.real
        ndim = max(a.ndim + (name in lacking and a.ndim > 0) for name, a in self.arrays.items())
        if not isinstance(axis, (int, numpy.integer)) or isinstance(axis, bool):
            raise TypeError(f"axis: a whole number wanted, not {axis!r}")
        if not -ndim <= axis < ndim:
            raise ValueError(f"axis: {axis} is out of range for arrays of {ndim} dimensions" if ndim else
                             f"{', '.join(values)}: single numbers; wanted: at least one array")
        self.axis = axis = int(axis) - ndim if axis >= 0 else int(axis)
        self.given = dict(self.arrays)
        for name, a in self.arrays.items():
            if a.ndim == 1 and name not in lacking:
                self.arrays[name] = a.reshape(-1, *[1] * (-axis - 1))

    def broadcast(self, arrays, shape=()):
        """The shape to which these arrays broadcast."""
        for k, (name, a) in enumerate(arrays.items()):
            try:
                shape = shape if a.shape == shape else numpy.broadcast_shapes(shape, a.shape)
            except ValueError:
                batch = "the batch: " + ("an element for each sequence" if self.packed else "without the axis")
                of = batch if name == "w0" else ", ".join([*arrays][:k])
                raise ValueError(f"{name} has shape {self.given[name].shape}; wanted: one that broadcasts with "
                                 f"{shape}, that of {of}") from None
        return shape

    def reduced(self, name, gradient):
        """The gradient with respect to an operand: summed over elements to which it was broadcast, without those that
        it leaves out, and real if it is real."""
        given, shape, axis = self.given[name], self.arrays[name].shape, self.axis
        dtype = given.dtype if given.dtype.kind in "fc" else gradient.real.dtype
        if gradient.dtype.char == "e" and shape != gradient.shape:
            gradient = gradient.astype(numpy.float32)  # in which the sums are exact enough
        if dtype.kind == "f":
            gradient = gradient.real
        if name != "w0" and length(self.arrays[name], axis) not in (1, length(gradient, axis)):
            gradient = gradient[(Ellipsis, slice(1, None) if name == "sub" else slice(None, -1),
                                 *[slice(None)] * (-axis - 1))]
        shape = (1,) * (gradient.ndim - len(shape)) + shape
        wide = tuple(k for k, size in enumerate(shape) if size != gradient.shape[k])
        if wide:  # a sum over no axis would copy
            gradient = gradient.sum(wide, keepdims=True)
        return gradient.reshape(given.shape).astype(dtype, copy=False)


def length(a, axis):
    return a.shape[axis] if a.ndim >= -axis else 1


def to_last(a, axis):
    """The array with the axis last: moveaxis takes microseconds."""
    return a if axis == -1 else numpy.moveaxis(a, axis, -1)


def without(shape, axis, *size):
    """The shape of the batch: without the axis, which is counted from the end, or with another size of it."""
    return shape[:axis] + size + (shape[axis + 1:] if axis < -1 else ())


def with_axis(starts, axis, n, count=None):
    """The shape of w, with n elements along the axis, from that of w0, which has the axis only for `count` packed
    sequences."""
    if count is None:
        cut = len(starts) + axis + 1
        return starts[:cut] + (n,) + starts[cut:]
    if starts[axis] != count:  # then count is 1, since w0 broadcasts with it
        raise ValueError(f"w0 has {starts[axis]} elements along the axis; wanted: {count}")
    return without(starts, axis, n)


def alike(a, b):
    """Whether two arrays of one shape have the same layout."""
    return all(s == t or size == 1 for s, t, size in zip(a.strides, b.strides, a.shape))


def usable(a, shape, dtype):
    return a.shape == shape and a.dtype == dtype and a.ctypes.data % dtype.itemsize == 0


def compact(a, dtype):
    """The array in C's order, copied only if necessary."""
    a = numpy.ascontiguousarray(a, dtype)
    return a if usable(a, a.shape, dtype) else a.copy()


class Layout:
    """How the systems of an array lie along an axis: inner, row_stride and plane_stride of the C structs, and the batch
    axes in the order of the systems, with `packed` also the axis. valid: whether the C functions take the array as it
    is; dense: whether it has no gaps; in_order: whether the systems have the order of NumPy."""

    def __init__(self, a, axis, packed=False):
        n, axis = a.shape[axis], axis + a.ndim
        steps = [stride / a.itemsize if size > 1 else 0 for stride, size in zip(a.strides, a.shape)]
        self.axes = sorted((k for k in range(a.ndim) if k != axis), key=lambda k: -steps[k])  # stable
        self.sizes = [a.shape[k] for k in self.axes]
        moving = [(steps[k], a.shape[k]) for k in self.axes if a.shape[k] > 1]
        self.in_order = [k for k in self.axes if a.shape[k] > 1] == [k for k in range(a.ndim) if k != axis and steps[k]]
        self.inner = outer = 1
        self.inner_axes = [k for k in self.axes if a.shape[k] > 1]
        while moving and moving[-1][0] == self.inner:
            self.inner *= moving.pop()[1]
        del self.inner_axes[:len(moving)]
        row = steps[axis] or self.inner
        plane = moving[-1][0] if moving else n * row
        mergeable = True
        for stride, count in reversed(moving):
            mergeable = mergeable and stride == plane * outer
            outer *= count
        last = (n - 1) * row + self.inner
        self.valid = mergeable and row % 1 == plane % 1 == 0 and row >= self.inner and (
            plane >= last or plane >= self.inner and row >= (outer - 1) * plane + self.inner)
        self.dense = last + (outer - 1) * plane == a.size
        self.row_stride, self.plane_stride, self.outer = int(row), int(plane), outer
        if packed:  # C knows one plane, so the planes have to be one after the other
            self.valid = self.valid and (outer == 1 or plane == n * row)
            steps[axis] = row
            self.axes = sorted(range(a.ndim), key=lambda k: (-steps[k], k == axis))
            self.sizes = [-1 if k == axis else a.shape[k] for k in self.axes]

    def ordered(self, a):
        """An array of the shape of the batch, with one dimension and in the order of the systems."""
        return compact(a.transpose(numpy.argsort(numpy.argsort(self.axes))), a.dtype).reshape(-1)

    def restored(self, flat):
        """The inverse of ordered()."""
        return flat.reshape(self.sizes).transpose(numpy.argsort(self.axes))


class Arranged:
    """Arrays as a C function takes them, all in one layout. x: where the result goes; others, own: as given or copies;
    others[0] may be x. out: what the caller gave. in_order: the systems must have the order of NumPy. packed: as for
    Layout."""

    def __init__(self, shape, dtype, axis, others, own, out, inputs, in_order=False, packed=False):
        first, *more = others
        self.out, direct = out, None
        if out is not None and usable(out, shape, dtype):
            same = first.ctypes.data == out.ctypes.data and first.shape == shape and alike(first, out)
            if not any(numpy.may_share_memory(out, a) and not (same and a is first) for a in inputs):
                direct = out

        def suits(a):
            self.layout = Layout(a, axis, packed)
            return self.layout.valid and (self.layout.in_order or not in_order)

        self.x = None
        if usable(first, shape, dtype) and suits(first):
            if direct is not None and alike(first, direct):
                self.x = direct
            elif self.layout.dense:
                self.x = numpy.empty_like(first)
            if not self.layout.dense and not all(usable(a, shape, dtype) and alike(a, first) for a in more + own):
                self.x = None
        if self.x is None:
            self.x = direct if direct is not None and suits(direct) and self.layout.dense else numpy.empty(shape, dtype)
            self.layout = Layout(self.x, axis, packed)
            self.x[...] = first
            first = self.x
        self.others, self.own = [first, *map(self.like_x, more)], [self.like_x(a) for a in own]

    def like_x(self, a):
        if usable(a, self.x.shape, self.x.dtype) and alike(a, self.x):
            return a
        copy = numpy.empty_like(self.x)
        copy[...] = a
        return copy

    def result(self):
        if self.out is None or self.out is self.x:
            return self.x
        self.out[...] = self.x
        return self.out


def offsets(offset, n):
    """The offsets of packed sequences as numbers of 64 bits."""
    a = numpy.asarray(offset)
    if a.ndim != 1 or a.dtype.kind not in "iu" or not a.size:
        raise TypeError(f"offset: of type {a.dtype} and shape {a.shape}; wanted: whole numbers in one dimension")
    a = numpy.ascontiguousarray(a, numpy.int64)
    if a[0] != 0 or a[-1] != n:
        raise ValueError(f"offset: from {a[0]} to {a[-1]}; wanted: from 0 to {n}, the size along the axis")
    if (a[1:] < a[:-1]).any():
        k = int((a[1:] < a[:-1]).argmax())
        raise ValueError(f"offset: {a[k]} before {a[k + 1]}, at {k}; wanted: ascending numbers")
    return a


def repeated(offset, n, outer):
    """The offsets of `outer` times n rows."""
    return numpy.append(offset[:-1] + n * numpy.arange(outer)[:, None], outer * n)


def checked_out(out, shape, dtype):
    if out is None:
        return
    if not isinstance(out, numpy.ndarray) or isinstance(out, numpy.ma.MaskedArray):
        raise TypeError(f"out: a NumPy array wanted, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}; wanted: {shape}")
    if out.dtype != dtype:
        raise TypeError(f"out: of type {out.dtype}; wanted: {dtype}, the type of the result")
    if not out.flags.writeable:
        raise ValueError("out: read-only")
    if out.size and any(step == 0 and size > 1 for step, size in zip(out.strides, out.shape)):
        raise ValueError("out: some of its elements are the same memory")


def must_be_padded(name, a, n, axis, periodic):
    """Whether an off-diagonal leaves out the element that has no effect. Otherwise it has n elements, or 1."""
    count = length(a, axis)
    if count in (n, 1):
        return False
    if count == n - 1 and not periodic:
        return True
    wanted = f"n = {n}" if periodic else f"n = {n} or n - 1 = {n - 1}"
    raise ValueError(f"{name} has shape {tuple(a.shape)}, so {count} elements along axis {axis}; wanted: {wanted} "
                     "elements, or 1 that all rows share" + ("" if periodic else
                     f". Of n elements the {'first' if name == 'sub' else 'last'} has no effect; "
                     "with n - 1 elements it is left out"))


def padded(name, a, n, axis, dtype, periodic):
    """An off-diagonal with n elements along the axis, or 1."""
    if not must_be_padded(name, a, n, axis, periodic):
        return a
    made = numpy.zeros(a.shape[:a.ndim + axis] + (n,) + a.shape[a.ndim + axis + 1:], dtype)
    rows = slice(1, None) if name == "sub" else slice(None, -1)
    made[(Ellipsis, rows) + (slice(None),) * (-axis - 1)] = a
    return made


def matrix_of(own, shape, axis):
    """(enum tridiagonal_matrix, sides) for matrices of the shape `own`, of as many dimensions as the systems' shape.
    OWN with sides = 0 is also the answer if the matrices must be expanded."""
    if math.prod(own) == 1:
        return CONSTANT, 0
    batch, whole = without(own, axis), without(shape, axis)
    level = max((k + 1 for k, size in enumerate(batch) if size != 1), default=0)  # the axes after it share a matrix
    sides = math.prod(whole[level:])
    return (SHARED, 0) if not level else (OWN, sides if batch[:level] == whole[:level] and sides > 1 else 0)


def kind_of_s(own, shape, axis):
    """enum recurrence_s for an s of the shape `own`, of as many dimensions as t's shape. With S_SEQUENCE, C wants s
    expanded: an element for each sequence."""
    if own == shape:
        return S_EACH
    if math.prod(own) == 1:
        return S_ONE
    inner = shape[axis:][1:]
    return S_CHANNEL if own[axis:][1:] == inner and math.prod(own) == math.prod(inner) else S_SEQUENCE


def matrices(arrays, shape, axis, dtype):
    """(enum tridiagonal_matrix, sides, arrays) of the diagonals of the matrices of systems of this shape. The arrays
    are compact, except those of OWN with sides = 0, which are as given."""
    own = arrays[0].shape
    if not own == arrays[1].shape == arrays[2].shape:
        own = numpy.broadcast_shapes(*(a.shape for a in arrays))
    own = (1,) * (len(shape) - len(own)) + own
    matrix, sides = matrix_of(own, shape, axis)
    if matrix == CONSTANT:
        arrays = [compact(a, dtype).reshape(1) for a in arrays]
    elif matrix == SHARED or sides:
        rows = [*own]
        rows[axis] = shape[axis]
        arrays = [compact(numpy.moveaxis(numpy.broadcast_to(a, rows), axis, -1), dtype) for a in arrays]
    return matrix, sides, arrays
