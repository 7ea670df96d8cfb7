"""solve_tridiagonal, solve_recurrence and their gradients, and solve_filter, for arrays on a GPU.

All arrays of a call are contiguous, of one type, and on one GPU; results are of the kind of rhs, t, x or w.
Broadcasting: sub, diag and super have one shape: that of rhs; (n,) or (1,), one matrix for all systems; or that of rhs
with 1 for the last axes of the batch. s has the shape of t; in solve_recurrence it may also be constant along the axis:
of shape (1,); of that of t with 1 for the axis, without offset; or of that of t with 1 for the axis and 1, or nothing,
for each axis before it. w0 is a number or has the shape of the batch; offset is in main memory. `out` may be rhs, t or
s, and may not otherwise overlap an operand. Recurrences lie along any axis, filters along the last one. The functions
that have a status wait for the stream."""

import numbers

import numpy

from . import _core
from ._core import Array, Device, at, check, inputs_of, new, output, same_shape, shaped
from ._filter import Filter, refused
from ._layout import matrix_of, offsets, on_gpu, repeated, without


def no_stream(stream):
    """Refuses a stream for arrays on the CPU."""
    if stream:
        raise ValueError("stream: arrays are on the CPU")


def _shape(a, axis):
    """(outer, n, inner, axis from the end) of an array."""
    ndim = len(a.shape)
    if isinstance(axis, bool) or not isinstance(axis, numbers.Integral):
        raise TypeError(f"axis: a whole number wanted, not {axis!r}")
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis: {axis} is out of range for arrays of {ndim} dimensions")
    axis = axis % ndim
    outer, inner = (int(numpy.prod(part, dtype=int)) for part in (a.shape[:axis], a.shape[axis + 1:]))
    return outer, a.shape[axis], inner, axis - ndim


class _Systems:
    """The struct of a call. It is that of tridiagonal.h for one system, else that of tridiagonal_batch.h."""

    def __init__(self, sub, diag, super, rhs, axis, periodic, pivot):
        outer, n, inner, axis = _shape(rhs, axis)
        same_shape(diag, sub, super)
        batch, shape = outer * inner, rhs.shape
        flat = diag.shape == (n,) or diag.shape == (1,)
        own = diag.shape[:1] + (1,) * (-axis - 1) if flat else diag.shape
        own = (1,) * (len(shape) - len(own)) + own
        matrix, sides = matrix_of(own, shape, axis)
        if any(size not in (1, whole) for size, whole in zip(own, shape)) or len(own) > len(shape) or (
                matrix != _core.CONSTANT and own[axis] != n) or (
                matrix == _core.OWN and own != shape and (not sides or any(size != 1 for size in own[axis:][1:]))):
            raise ValueError(f"diag has shape {diag.shape}; wanted: {shape}, ({n},), (1,), or {shape} with 1 for the "
                             "last axes of the batch")
        self.n, self.batch, self.batch_shape = n, batch, without(shape, axis)
        pivot, arrays = _core.pivot_of(pivot), at(sub, diag, super)
        self.name, self.one = ("tridiagonal", True) if batch == 1 else ("tridiagonal_batch", False)
        if self.one:
            self.struct = _core.Tridiagonal(rhs.letter, n, *arrays, None, None, 1, n,
                                            matrix == _core.CONSTANT and n > 1, bool(periodic), pivot, None, 0)
        else:
            self.struct = _core.TridiagonalBatch(rhs.letter, n, batch, *arrays, None, None, None, pivot, matrix, sides,
                                                 bool(periodic), inner, 0, 0, None, 0, None)

    def run(self, on, function, size, *derivatives):
        """Calls the C function and returns the statuses."""
        dtype = "i8" if self.one else "i4"
        self.struct.status = on.upload(numpy.zeros(max(self.batch, 1), dtype))
        bytes_ = on.call(size, self.struct)
        work = on.scratch(bytes_)
        if self.n and self.batch:
            if self.one:
                on("tridiagonal_prepare", work, bytes_, on.stream)
                on(function, self.struct, *derivatives, work, bytes_, on.stream)
            else:
                self.struct.work = work
                on(function, self.struct, *derivatives, on.stream)
        return on.download(self.struct.status, self.batch, dtype).reshape(self.batch_shape)


def solve_tridiagonal(sub, diag, super, rhs, axis=-1, periodic=False, pivot="auto", out=None, status=False, stream=0):
    inputs = rhs, sub, diag, super = inputs_of(rhs=rhs, sub=sub, diag=diag, super=super)
    systems = _Systems(sub, diag, super, rhs, axis, periodic, pivot)
    x = output(out, rhs, inputs, alias=(rhs,))
    with Device([*inputs, x], stream) as on:
        systems.struct.rhs, systems.struct.x = at(rhs, x)
        statuses = systems.run(on, f"{systems.name}_solve",
                               "tridiagonal_workspace" if systems.one else "tridiagonal_batch_work")
    return (x.value, statuses.astype(int)) if status else check(x.value, statuses)


def tridiagonal_gradient(sub, diag, super, x, dx, axis=-1, periodic=False, pivot="auto", stream=0):
    inputs = x, dx, sub, diag, super = inputs_of(x=x, dx=dx, sub=sub, diag=diag, super=super)
    same_shape(x, dx)
    systems = _Systems(sub, diag, super, x, axis, periodic, pivot)
    made = [new(x, a.shape) for a in (sub, diag, super, x)]
    with Device(inputs, stream) as on:
        systems.struct.x = x.pointer
        derivatives = _core.Derivatives(*at(dx, *made))
        statuses = systems.run(on, f"{systems.name}_gradient",
                               f"{systems.name}_gradient_{'workspace' if systems.one else 'work'}", derivatives)
    check(None, statuses)
    return tuple(a.value for a in made)


def _starts(w0, w, batch_shape, inputs):
    """w0 as an array of the call, as numbers to upload, or None."""
    if w0 is None:
        return None
    if isinstance(w0, numbers.Number):
        return numpy.full(batch_shape, w0, _core.NAMES[w.type])
    inputs.append(Array("w0", w0, w.type))
    if inputs[-1].shape not in (batch_shape, batch_shape or (1,)):
        raise ValueError(f"w0 has shape {inputs[-1].shape}; wanted: {batch_shape}")
    return inputs[-1]


def _starts_of(t, axis, offset):
    """The shape of w0, and the offsets."""
    outer, n, _, axis = _shape(t, axis)
    if offset is None:
        return without(t.shape, axis), None
    if on_gpu(offset):
        raise TypeError("offset: wanted in main memory")
    offset = offsets(offset, n)
    return without(t.shape, axis, len(offset) - 1), offset if outer == 1 else repeated(offset, n, outer)


def _constant(s, t, axis, offset):
    """enum recurrence_s, of a shape that s may have."""
    outer, n, inner, axis = _shape(t, axis)
    if s.shape == t.shape:
        return _core.S_EACH
    if s.shape == (1,):
        return _core.S_ONE
    if s.shape[axis:] == (1,) + t.shape[axis:][1:] and s.size == inner:
        return _core.S_CHANNEL
    if s.shape == without(t.shape, axis, 1) and offset is None:
        return _core.S_SEQUENCE
    raise ValueError(f"s has shape {s.shape}; wanted: {t.shape}, as t, or with 1 for the axis, or (1,)")


def _sequences(on, function, s, t, w0, w, axis, constant, reverse, offset, *gradient):
    outer, length, inner, _ = _shape(w, axis)
    batch = outer * inner
    if offset is not None:
        length, batch, offset = outer * length, (len(offset) - 1) * inner, on.upload(offset)
    first = w0.pointer if isinstance(w0, Array) else None if w0 is None else on.upload(w0)
    problem = _core.Recurrence(w.letter, length, batch, bool(reverse), constant, s.pointer, t, first, w.pointer, 0, 0,
                               inner, 0, 0, offset)
    size = on.call("recurrence_workspace_of", problem)
    work = on.scratch(size)
    on("recurrence_prepare", work, size, on.stream)
    on(function, problem, *at(*gradient), work, size, on.stream)


def solve_recurrence(s, t, w0=None, axis=-1, reverse=False, out=None, stream=0, offset=None):
    t, s = inputs = inputs_of(t=t, s=s)
    starts, offset = _starts_of(t, axis, offset)
    constant = _constant(s, t, axis, offset)
    w0 = _starts(w0, t, starts, inputs)
    w = output(out, t, inputs, alias=(t,) if constant else (t, s))
    with Device([*inputs, w], stream) as on:
        _sequences(on, "recurrence_solve", s, t.pointer, w0, w, axis, constant, reverse, offset)
    return w.value


def recurrence_gradient(s, w, dw, w0=None, axis=-1, reverse=False, stream=0, offset=None):
    w, s, dw = inputs = inputs_of(w=w, s=s, dw=dw)
    starts, offset = _starts_of(w, axis, offset)
    same_shape(w, s, dw)
    w0 = _starts(w0, w, starts, inputs)
    ds, dt, dw0 = new(w, w.shape), new(w, w.shape), new(w, starts or (1,))
    with Device([*inputs, ds, dt, dw0], stream) as on:
        _sequences(on, "recurrence_gradient", s, None, w0, w, axis, _core.S_EACH, reverse, offset, dw, ds, dt, dw0)
    return ds.value, dt.value, dw0.value


def solve_filter(b, a, x, axis=-1, zi=None, sos=None, carry_in_double=False, stream=0):
    made, given = Filter(b, a, sos), {} if zi is None else {"zi": zi}
    x, *zi = inputs_of("sd", x=x, **given)
    outer, length, inner, axis = _shape(x, axis)
    if inner > 1:
        raise ValueError(f"axis: {axis}; wanted: the last one, for arrays on a GPU")
    for z in zi:  # none or one
        shaped(z, made.states(x.shape, axis))
    y, zf = new(x, x.shape), [new(x, z.shape) for z in zi]
    coefficients = numpy.array(made.coefficients)
    with Device([x, y, *zi, *zf], stream) as on:
        problem = _core.Filter(x.letter, length, outer, made.sections, made.order, coefficients.ctypes.data, *at(x, y),
                               *(at(*zi, *zf) or (None, None)), bool(carry_in_double))
        size = on.call("filter_workspace", problem)
        work = on.scratch(size)
        on("filter_prepare", work, size, on.stream)
        try:
            on("filter_solve", problem, work, size, on.stream)
        except ValueError:
            raise refused(x.letter, carry_in_double, on.call("filter_growth", problem)) from None
        if zi and not length:
            on.copy(zf[0].pointer, zi[0].pointer, zi[0].bytes)  # filter_solve() does nothing then
    return (y.value, zf[0].value) if zi else y.value
