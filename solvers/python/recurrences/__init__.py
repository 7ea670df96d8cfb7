"""Linear recurrences and tridiagonal systems in parallel, on the SIMD lanes and cores of a CPU, or on a GPU.

    x = solve_tridiagonal(sub, diag, super, rhs)    sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i
    w = solve_recurrence(s, t, w0)                  w_i = s_i w_{i-1} + t_i
    y = solve_filter(b, a, x)                       as scipy.signal.lfilter; solve_filter(sos=sos, x=x) as sosfilt

Operands. NumPy arrays, numbers, lists, and objects with __array__ or __dlpack__ on a CPU. They are broadcast as NumPy
does, with one addition: an operand of one dimension lies along `axis`. Integers become float64; float32, float64,
complex64, complex128, and float16 in recurrences, stay, and mixed types become NumPy's result_type. Inputs are not
modified.

Copies. Arrays of the result's shape and type whose memory has one order are used as they are, for any axis: C's order,
Fortran's, any other permutation of the axes, and also parts of larger arrays if all arrays and `out` have the same
strides. Other arrays are copied first: strided and reversed views, other types, several layouts in one call, and
operands that are broadcast; but a matrix that all systems share, or the last axes of the batch, is not expanded.

On a GPU. Objects with __cuda_array_interface__ or __dlpack__ of a CUDA device, such as arrays of CuPy and Numba, are
solved there (recurrences._gpu says with which shapes). For tensors with gradients see recurrences.torch, for JAX
recurrences.jax; recurrences.papers has the solvers of the papers."""

import ctypes
import math
import os
import threading

import numpy

from . import _core, _gpu
from ._core import DeviceError, SingularMatrixError
from ._filter import Filter, refused
from ._layout import (Arranged, Operands, checked_out, compact, length, matrices, offsets, on_gpu, padded, repeated,
                      to_last, with_axis, without)

__all__ = ["solve_tridiagonal", "tridiagonal_gradient", "solve_recurrence", "recurrence_gradient",
           "solve_filter", "SingularMatrixError", "DeviceError"]

# After a fork, OpenMP would wait for ever for threads that the child process does not have.
_forked = threading.Event()
os.register_at_fork(after_in_child=_forked.set)
_PARALLEL = 1 << 15  # a call with fewer elements uses one core
_PIVOTS = {name: code for code, name in enumerate(_core.PIVOTS)}
_FAST, _START = (numpy.ndarray, float, int), (float, int, type(None))
_FEW = 4  # times the number of cores: of so few systems each is solved by itself, on SIMD lanes that share it
_cache = threading.local()


def _cores(cores, size):
    if cores is None:
        cores = 1 if size < _PARALLEL else len(os.sched_getaffinity(0))
    _core.at_least(1, cores=cores)
    return 1 if _forked.is_set() else int(cores)


class _Workspace:
    """Memory of this size, aligned to 64 bytes. A small one is kept for the next call of this thread."""

    def __init__(self, size):
        self.memory = getattr(_cache, "memory", None)
        if self.memory is None or len(self.memory) < size + 64:
            self.memory = numpy.empty(size + 64, "u1")
            if size <= 1 << 24:
                _cache.memory = self.memory
        self.pointer = (self.memory.ctypes.data + 63) & -64


def _at(*arrays):
    return [None if a is None else a.ctypes.data for a in arrays]


# ---- tridiagonal systems ----


class _Systems:
    """Operands as the C functions take them. others: operands like rhs, of which the first may become the result."""

    def __init__(self, sub, diag, super, others, axis, periodic, pivot, out, cores):
        self.pivot, self.periodic = _core.pivot_of(pivot), bool(periodic)
        operands = self.operands = Operands(axis, **others, diag=diag, sub=sub, super=super)
        arrays, dtype, axis = dict(operands.arrays), operands.dtype, operands.axis
        self.n = n = next((m for name, a in arrays.items() if name not in ("sub", "super")
                           and (m := length(a, axis)) != 1), 1)
        for name in "sub", "super":
            arrays[name] = padded(name, arrays[name], n, axis, dtype, self.periodic)
        self.shape, self.axis, self.letter = operands.broadcast(arrays), axis, _core.LETTERS[dtype.char]
        self.batch_shape = without(self.shape, axis)
        self.batch = math.prod(self.batch_shape)
        self.cores = _cores(cores, n * self.batch)
        checked_out(out, self.shape, dtype)
        self.empty = n == 0 or self.batch == 0
        if self.empty:
            self.x = numpy.empty(self.shape, dtype) if out is None else out
            return
        self.matrix, self.sides, self.diagonals = matrices([arrays[name] for name in ("sub", "diag", "super")],
                                                           self.shape, axis, dtype)
        own = self.matrix == _core.OWN and not self.sides
        self.arranged = Arranged(self.shape, dtype, axis, [arrays[name] for name in others],
                                 self.diagonals if own else [], out, list(arrays.values()), self.sides > 0)
        self.x, self.others, self.layout = self.arranged.x, self.arranged.others, self.arranged.layout
        if own:
            self.diagonals = self.arranged.own
        self.apart = self.layout.inner == self.layout.row_stride == 1 and not periodic and (
            self.batch <= _FEW * self.cores)

    def each(self):
        """A struct tridiagonal_cpu for each system, without rhs and x, and the offset of its elements."""
        if self.matrix == _core.CONSTANT:
            self.diagonals = [numpy.full(self.n, a[0]) for a in self.diagonals]
        work = _Workspace(_core.library().tridiagonal_cpu_work(self.letter, self.n))
        size = self.x.itemsize
        for k in range(self.batch):
            offset = k * self.layout.plane_stride * size
            matrix = 0 if self.matrix else k // self.sides * self.n * size if self.sides else offset
            arrays = [p + matrix for p in _at(*self.diagonals)]
            yield k, offset, _core.TridiagonalCpu(self.letter, self.n, *arrays, None, None, work.pointer, self.cores,
                                                  self.pivot)

    def all(self, rhs, x, statuses):
        """The struct tridiagonal_batch, and its workspace."""
        layout = self.layout
        b = _core.TridiagonalBatch(self.letter, self.n, self.batch, *_at(*self.diagonals, rhs, x, statuses), self.pivot,
                                   self.matrix, self.sides, self.periodic, layout.inner, layout.row_stride,
                                   layout.plane_stride, None, 0, None)
        work = _Workspace(_core.library().tridiagonal_batch_cpu_work(ctypes.byref(b), self.cores))
        b.work = work.pointer
        return b, work

    def checked(self, result):
        if result < 0:
            raise ValueError(f"the C library refused systems of n = {self.n}, batch = {self.batch}")
        return result


def solve_tridiagonal(sub, diag, super, rhs, axis=-1, periodic=False, pivot="auto", out=None, status=False, cores=None,
                      stream=0):
    """Solves tridiagonal systems, which lie along `axis`: sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i.

    sub, diag, super: n elements along the axis, or one for all rows. sub and super may have n - 1: with n, sub[0] and
    super[n - 1] have no effect; with n - 1, they are left out, so sub[i - 1] and super[i] belong to row i.
    periodic: sub[0] multiplies x[n - 1], and super[n - 1] multiplies x[0]; so both have n elements.
    pivot: "auto" pivots where that may be needed, not where rows are diagonally dominant; "always" or True everywhere,
    "never" or False nowhere.
    out: an array for the result, of its shape and type. It may be rhs or overlap any operand.
    status: returns (x, status). status has the shape of the batch (without the axis): 0, or 1 + a row where elimination
    broke down; x of such a system must not be used. Otherwise SingularMatrixError is raised, which has x.
    cores: at most this many threads; None: all that the process may use, and one for small systems.
    stream: for arrays on a GPU, the number of a stream."""
    kind = type(diag)
    if (type(rhs) is numpy.ndarray and kind in _FAST and type(sub) is kind and type(super) is kind
            and rhs.size < _PARALLEL and type(axis) is int and axis == -1 and type(pivot) is str and pivot in _PIVOTS
            and cores is None and not stream and (out is None or type(out) is numpy.ndarray)):
        x, lower, upper = numpy.empty_like(rhs) if out is None else out, sub, super
        if (kind is numpy.ndarray and sub.ndim == super.ndim == 1 and sub.size + 1 == diag.size == super.size + 1
                and sub.dtype == super.dtype == diag.dtype and not periodic):
            ends = numpy.zeros((2, diag.size), diag.dtype)
            ends[0, 1:], ends[1, :-1] = sub, super
            lower, upper = ends
        if _core.fast("fast_tridiagonal")(lower, diag, upper, rhs, x, 1 if periodic else 0, _PIVOTS[pivot],
                                          0 if kind is numpy.ndarray else 1):
            return (x, numpy.zeros(rhs.shape[:-1], int)) if status else x
    if on_gpu(rhs) or on_gpu(diag) or on_gpu(sub) or on_gpu(super):
        return _gpu.solve_tridiagonal(sub, diag, super, rhs, axis, periodic, pivot, out, status, stream)
    _gpu.no_stream(stream)
    s = _Systems(sub, diag, super, {"rhs": rhs}, axis, periodic, pivot, out, cores)
    if s.empty:
        return (s.x, numpy.zeros(s.batch_shape, int)) if status else s.x
    (rhs,), x, library = s.others, s.x, _core.library()
    if s.apart:
        statuses = numpy.zeros(s.batch, int)
        for k, offset, c in s.each():
            c.rhs, c.x = rhs.ctypes.data + offset, x.ctypes.data + offset
            statuses[k] = s.checked(library.tridiagonal_cpu_solve(ctypes.byref(c)))
        broken = statuses.any()
    else:
        statuses = numpy.empty(s.batch, "i4")
        b, _ = s.all(rhs, x, statuses)
        broken = s.checked(library.tridiagonal_batch_cpu_solve(ctypes.byref(b), s.cores))
    result = s.arranged.result()
    if status:
        return result, s.layout.restored(statuses).astype(int)
    return _core.check(result, s.layout.restored(statuses)) if broken else result


def tridiagonal_gradient(sub, diag, super, x, dx, axis=-1, periodic=False, pivot="auto", cores=None, stream=0):
    """(dsub, ddiag, dsuper, drhs): the gradient of a real function L of x = solve_tridiagonal(sub, diag, super, rhs),
    given dx = dL/dx. drhs has the shape of x, the others have those of sub, diag and super, summed over the elements to
    which these were broadcast. For complex types dL/dz means dL/dRe z + i dL/dIm z."""
    if any(map(on_gpu, (sub, diag, super, x, dx))):
        return _gpu.tridiagonal_gradient(sub, diag, super, x, dx, axis, periodic, pivot, stream)
    _gpu.no_stream(stream)
    s = _Systems(sub, diag, super, {"dx": dx, "x": x}, axis, periodic, pivot, None, cores)
    library, drhs = _core.library(), s.x
    if s.empty:
        gradients = [numpy.zeros(s.shape, drhs.dtype)] * 3
    elif s.apart:
        dx, x = s.others
        gradients, statuses = [numpy.empty_like(x) for _ in range(3)], numpy.zeros(s.batch, int)
        for k, offset, c in s.each():
            c.x = x.ctypes.data + offset
            d = _core.Derivatives(*(p + offset for p in _at(dx, *gradients, drhs)))
            statuses[k] = s.checked(library.tridiagonal_cpu_gradient(ctypes.byref(c), ctypes.byref(d)))
    else:
        dx, x = s.others
        gradients, statuses = [numpy.empty_like(a) for a in s.diagonals], numpy.empty(s.batch, "i4")
        b, _ = s.all(None, x, statuses)
        d = _core.Derivatives(*_at(dx, *gradients, drhs))
        s.checked(library.tridiagonal_batch_cpu_gradient(ctypes.byref(b), ctypes.byref(d), s.cores))
        if s.matrix == _core.CONSTANT:
            gradients = [g.reshape((1,) * drhs.ndim) for g in gradients]
        elif s.matrix == _core.SHARED or s.sides:
            gradients = [numpy.moveaxis(g, -1, s.axis) for g in gradients]
    if not s.empty:
        _core.check(None, s.layout.restored(statuses))
    return (*map(s.operands.reduced, ("sub", "diag", "super"), gradients), drhs)


# ---- linear recurrences ----


class _Sequences:
    """Operands as the C functions take them. others: operands of which the first may become the result. expanded: s
    gets an element for each of w."""

    def __init__(self, s, w0, others, axis, reverse, out, cores, offset, expanded=False):
        given, packed = {} if w0 is None else {"w0": w0}, offset is not None
        operands = self.operands = Operands(axis, _core.LETTERS_OF_SEQUENCES, packed, **others, s=s, **given)
        arrays, dtype, axis = dict(operands.arrays), operands.dtype, operands.axis
        w0 = arrays.pop("w0", None)
        shape = operands.broadcast(arrays)
        if len(shape) < -axis:
            raise ValueError("s, t: single numbers; wanted: at least one array")
        n, count = shape[axis], ()
        if packed:
            offset = offsets(offset, n)
            count = (len(offset) - 1,)
        starts = without(shape, axis, *count)
        if w0 is not None:
            starts = operands.broadcast({"w0": w0}, starts)
        self.starts, self.shape = starts, with_axis(starts, axis, n, *count)
        checked_out(out, self.shape, dtype)
        self.batch, size = math.prod(starts), math.prod(self.shape)
        self.cores, self.empty = _cores(cores, size), size == 0
        if self.empty:
            self.x = numpy.empty(self.shape, dtype) if out is None else out
            return
        self.expanded = expanded or arrays["s"].size > 1 and (length(arrays["s"], axis) > 1 or n == 1)
        own = [arrays["s"]] if self.expanded else []
        inputs = [*arrays.values()] + ([] if w0 is None else [w0])
        arranged = self.arranged = Arranged(self.shape, dtype, axis, [arrays[name] for name in others], own, out,
                                            inputs, packed=packed)
        self.x, self.others, self.layout = arranged.x, arranged.others, arranged.layout
        self.w0 = None if w0 is None else self.ordered(w0)
        self.s, kind = (arranged.own[0], _core.S_EACH) if own else self.constant(arrays["s"], packed)
        layout, self.offset = self.layout, None
        if packed:
            n, self.offset = n * layout.outer, offset if layout.outer == 1 else repeated(offset, n, layout.outer)
        self.problem = _core.Recurrence(_core.LETTERS_OF_SEQUENCES[dtype.char], n, self.batch, bool(reverse), kind,
                                        *_at(self.s, None, self.w0, None), 0, 0, layout.inner, layout.row_stride,
                                        layout.plane_stride, *_at(self.offset))

    def ordered(self, a):
        return self.layout.ordered(numpy.broadcast_to(a, self.starts).astype(self.x.dtype, copy=False))

    def constant(self, s, packed):
        """s, which has one element along the axis, as C takes it, and its enum recurrence_s."""
        if s.size == 1:
            return compact(s, self.x.dtype), _core.S_ONE
        wide, inner = s.reshape((1,) * (len(self.shape) - s.ndim) + s.shape), self.layout.inner_axes
        outer = [k for k in range(wide.ndim) if k not in inner]
        if all(wide.shape[k] == 1 for k in outer) and all(wide.shape[k] == self.shape[k] for k in inner):
            return compact(wide.transpose(outer + inner).reshape(-1), self.x.dtype), _core.S_CHANNEL
        batch = s if packed else s.reshape(without(s.shape, self.operands.axis))
        return self.ordered(batch), _core.S_SEQUENCE

    def checked(self, code):
        if code:
            raise ValueError(f"the C library refused sequences of shape {self.shape}")


def solve_recurrence(s, t, w0=None, axis=-1, reverse=False, out=None, cores=None, stream=0, offset=None):
    """Solves linear recurrences, which lie along `axis`: w_i = s_i w_{i-1} + t_i; with `reverse`, from the last element
    to the first: w_i = s_i w_{i+1} + t_i.

    s: elements like t, or one for all i. w0: the value before the first element, a number or an array that broadcasts
    with the shape of the batch (without the axis); None: 0. float16 is computed in single precision. If a product of up
    to 32 consecutive s overflows, w may be NaN where that of the loop is finite.
    offset: packed sequences of different lengths: sequence k has the elements offset[k] to offset[k + 1] - 1 along the
    axis. offset ascends from 0 to the size of the axis. w0 then has the axis, with an element for each sequence.
    out: an array for the result, of its shape and type. It may be t or s or overlap any operand.
    cores, stream: as for solve_tridiagonal."""
    if (type(t) is numpy.ndarray and type(s) in _FAST and type(w0) in _START and t.size < _PARALLEL
            and type(axis) is int and axis == -1 and cores is None and not stream and offset is None
            and (out is None or type(out) is numpy.ndarray)):
        w = numpy.empty_like(t) if out is None else out
        if _core.fast("fast_recurrence")(s, t, w, w0 or 0.0, 1 if reverse else 0, 0 if type(s) is numpy.ndarray else 1):
            return w
    if on_gpu(t) or on_gpu(s) or on_gpu(w0):
        return _gpu.solve_recurrence(s, t, w0, axis, reverse, out, stream, offset)
    _gpu.no_stream(stream)
    call = _Sequences(s, w0, {"t": t}, axis, reverse, out, cores, offset)
    if call.empty:
        return call.x
    call.problem.t, call.problem.w = _at(*call.others, call.x)
    call.checked(_core.library().recurrence_cpu_solve(ctypes.byref(call.problem), call.cores))
    return call.arranged.result()


def recurrence_gradient(s, w, dw, w0=None, axis=-1, reverse=False, cores=None, stream=0, offset=None):
    """(ds, dt, dw0): the gradient of a real function L of w = solve_recurrence(s, t, w0, …), given dw = dL/dw:

        dt_i = dw_i + s_{i+1} dt_{i+1},  ds_i = dt_i w_{i-1},  dw0 = s_1 dt_1

    dt has the shape of w; ds and dw0 have those of s and w0 (None: that of the batch), summed over the elements to
    which these were broadcast. For complex types s and w are conjugated in these formulas, and dL/dz means
    dL/dRe z + i dL/dIm z."""
    if any(map(on_gpu, (s, w, dw, w0))):
        return _gpu.recurrence_gradient(s, w, dw, w0, axis, reverse, stream, offset)
    _gpu.no_stream(stream)
    call = _Sequences(s, w0, {"dw": dw, "w": w}, axis, reverse, None, cores, offset, expanded=True)
    dt = call.x
    if call.empty:
        ds, dw0 = numpy.empty(call.shape, dt.dtype), numpy.zeros(call.starts, dt.dtype)
    else:
        dw, call.problem.w = call.others[0], call.others[1].ctypes.data
        ds, dw0 = numpy.empty_like(dt), numpy.empty(call.batch, dt.dtype)
        call.checked(_core.library().recurrence_cpu_gradient(ctypes.byref(call.problem), *_at(dw, ds, dt, dw0),
                                                             call.cores))
        dw0 = call.arranged.layout.restored(dw0)
    return call.operands.reduced("s", ds), dt, dw0 if w0 is None else call.operands.reduced("w0", dw0)


# ---- filters ----


def solve_filter(b=None, a=None, x=None, axis=-1, zi=None, *, sos=None, carry_in_double=False, cores=None, stream=0):
    """Filters x along `axis`, as scipy.signal.lfilter(b, a, x, axis, zi); or with sos instead of b and a, as
    scipy.signal.sosfilt(sos, x, axis, zi). Returns y, or (y, zf) if zi is given.

    b, a: at most 9 real numbers each. sos: (sections, 6), at most 4 sections. They are used in double precision.
    x: real, of one dimension or more. y has its shape and type; integers become float64.
    zi: the states before the first elements, of SciPy's shape: for b and a that of x with max(len(a), len(b)) - 1
    elements along the axis; for sos (sections, *that of x with 2 elements along the axis). It may have 1 element where
    that has more. zf: the states after the last elements.
    carry_in_double: x in single precision is filtered in double precision; for poles close to the unit circle.
    cores, stream: as for solve_tridiagonal."""
    if (type(x) is type(a) is type(b) is numpy.ndarray and x.size < _PARALLEL and type(axis) is int and axis == -1
            and zi is None and sos is None and cores is None and not stream):
        y = numpy.empty_like(x)
        if _core.fast("fast_filter")(b, a, x, y, 1 if carry_in_double else 0):
            return y
    if on_gpu(x) or on_gpu(zi):
        return _gpu.solve_filter(b, a, x, axis, zi, sos, carry_in_double, stream)
    _gpu.no_stream(stream)
    made, operands = Filter(b, a, sos), Operands(axis, "fd", x=x)
    x, axis, dtype = operands.arrays["x"], operands.axis, operands.dtype
    if zi is not None:
        zi = numpy.asarray(zi).astype(dtype, casting="same_kind")
        zi = numpy.broadcast_to(zi, made.states(x.shape, axis, zi))
        zi = numpy.array(to_last(zi if made.cascade else zi[None], axis), order="C")  # becomes zf
    x = compact(to_last(x, axis), dtype)
    y, coefficients = numpy.empty_like(x), numpy.array(made.coefficients)
    problem = _core.Filter(_core.LETTERS[dtype.char], x.shape[-1], math.prod(x.shape[:-1]), made.sections, made.order,
                           *_at(coefficients, x, y, zi, zi), bool(carry_in_double))
    if _core.library().filter_cpu_solve(ctypes.byref(problem), _cores(cores, x.size)):
        raise refused(problem.type)
    y = y if axis == -1 else numpy.moveaxis(y, -1, axis)
    if zi is None:
        return y
    zf = numpy.moveaxis(zi, -1, axis)
    return y, zf if made.cascade else zf[0]
