"""Tridiagonal systems and linear recurrences of JAX arrays, with gradients, vmap and jit, on the CPU or a CUDA GPU.

    x = solve_tridiagonal(sub, diag, super, rhs)    sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i
    w = solve_recurrence(s, t, w0)                  w_i = s_i w_{i-1} + t_i
    y = solve_filter(b, a, x)                       as scipy.signal.lfilter; solve_filter(sos=sos, x=x) as sosfilt
    x = tridiagonal_solve(dl, d, du, b)             as jax.lax.linalg.tridiagonal_solve

Operands are broadcast and converted as NumPy does, with one addition: an operand of one dimension lies along `axis`.
The types are float32, float64, complex64 and complex128, and for solve_recurrence float16 and bfloat16. A matrix that
all systems share, or those along the last axes of the batch, is not expanded. There are reverse-mode derivatives of
every order, but no forward-mode ones.

No function raises an error for a singular matrix: where elimination breaks down, x of this system is NaN.

At the first import a C++ compiler (c++, or that in CXX) compiles XLA's handlers, jax_handlers.cpp, to a file in
RECURRENCES_CACHE, or else in ~/.cache/recurrences. That takes some seconds; later imports load the file."""

import ctypes
import functools
import hashlib
import math
import os
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy
from jax.custom_batching import custom_vmap

from . import _core, _cores
from ._filter import Filter, reversed_sections, state_matrices
from ._layout import kind_of_s, length, matrix_of, must_be_padded, offsets, with_axis, without

__all__ = ["solve_tridiagonal", "solve_recurrence", "solve_filter", "tridiagonal_solve"]


# ---- XLA's handlers ----

# In the order of the structs in jax_handlers.cpp.
_CPU_FUNCTIONS = """tridiagonal_batch_cpu_work tridiagonal_batch_cpu_solve tridiagonal_batch_cpu_gradient
    tridiagonal_cpu_work tridiagonal_cpu_solve tridiagonal_cpu_gradient recurrence_cpu_solve recurrence_cpu_gradient
    filter_cpu_solve"""
_GPU_FUNCTIONS = """tridiagonal_batch_work tridiagonal_batch_solve tridiagonal_batch_gradient_work
    tridiagonal_batch_gradient tridiagonal_workspace tridiagonal_prepare tridiagonal_solve
    tridiagonal_gradient_workspace tridiagonal_gradient recurrence_workspace_of recurrence_prepare
    recurrence_solve recurrence_gradient filter_workspace filter_prepare filter_solve"""


def _structs():
    """structs.h: the C structs as _core has them."""
    names = {ctypes.c_char: "char", ctypes.c_int: "int", ctypes.c_int64: "int64_t", ctypes.c_void_p: "void *"}
    lines = ["#include <cstddef>", "#include <cstdint>"]
    for kind in (_core.TridiagonalBatch, _core.Tridiagonal, _core.TridiagonalCpu, _core.Derivatives, _core.Recurrence,
                 _core.Filter):
        fields = "".join(f" {names[t]} {field};" for field, t in kind._fields_)
        lines.append(f"struct {kind.__name__} {{{fields} }};")
    return "\n".join(lines)


def _compiled():
    """The path of the compiled handlers."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "jax_handlers.cpp")) as file:
        source = file.read()
    structs, compiler = _structs(), os.environ.get("CXX", "c++")
    digest = hashlib.sha256((source + structs + compiler + jax.lib.__version__).encode()).hexdigest()[:16]
    cache = os.environ.get("RECURRENCES_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "recurrences")
    path = os.path.join(cache, f"jax_handlers-{digest}.so")
    if os.path.exists(path):
        return path
    os.makedirs(cache, 0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as here:
        for name, text in ("jax_handlers.cpp", source), ("structs.h", structs):
            with open(os.path.join(here, name), "w") as file:
                file.write(text)
        command = [*compiler.split(), "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{here}",
                   f"-I{jax.ffi.include_dir()}", "-o", os.path.join(here, "handlers.so"),
                   os.path.join(here, "jax_handlers.cpp")]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise ImportError(f"recurrences.jax needs a C++ compiler, c++ or that in CXX: {error}") from None
        if done.returncode:
            raise ImportError(f"recurrences.jax: {' '.join(command)} failed:\n{done.stderr}")
        os.rename(os.path.join(here, "handlers.so"), path)
    return path


def _register():
    handlers = ctypes.CDLL(_compiled())

    def register(device, platform, library, names):
        functions = [ctypes.cast(getattr(library, name), ctypes.c_void_p) for name in names.split()]
        getattr(handlers, f"set_{device}_functions")((ctypes.c_void_p * len(functions))(*functions))
        for what in "systems", "sequences", "filters":
            handler = jax.ffi.pycapsule(handlers[f"recurrences_{what}_{device}"])
            jax.ffi.register_ffi_target(f"recurrences_{what}", handler, platform=platform)

    register("cpu", "cpu", _core.library(), _CPU_FUNCTIONS)
    try:
        library = _core.library(True)
    except OSError:  # then XLA says that there is no such target
        return
    register("gpu", "CUDA", library, _GPU_FUNCTIONS)


_register()


def _call(target, results, operands, *numbers):
    return jax.ffi.ffi_call(target, results)(*operands, numbers=numpy.array(numbers, numpy.int64))


def _like(a, shape=None):
    return jax.ShapeDtypeStruct(a.shape if shape is None else shape, a.dtype)


# ---- what both problems need ----


def _shifted(a, by, axis, periodic=False):
    """by = 1: the elements before those of a along the axis; by = -1: the elements after them. None is 0 unless
    periodic."""
    if periodic or not a.size:
        return jnp.roll(a, by, axis)
    n = a.shape[axis]
    rest = jax.lax.slice_in_dim(a, *((0, n - 1) if by > 0 else (1, n)), axis=axis)
    return jnp.pad(rest, [(int(by > 0), int(by < 0)) if k == axis else (0, 0) for k in range(a.ndim)])


def _reduced(a, shape, how=jnp.sum):
    """The sum over the axes along which `shape` has one element."""
    return how(a, [k for k, size in enumerate(shape) if size != a.shape[k]], keepdims=True)


def _conj(a):
    return a.conj() if jnp.iscomplexobj(a) else a


def _batching(solve, rule):
    """The function, with a rule for vmap: rule(size of the new axis, which operands have it, operands with it in front,
    of one element for those that have none)."""
    solve = custom_vmap(solve)

    @solve.def_vmap
    def batched(size, batched, *operands):
        found = rule(size, batched, [a if b else a[None] for a, b in zip(operands, batched)])
        return found, jax.tree.map(lambda _: True, found)

    return solve


def _expanded(size, operands):
    return [jnp.broadcast_to(a, (size, *a.shape[1:])) for a in operands]


# ---- tridiagonal systems ----
#
# rhs has the full shape. The diagonals have one shape with as many axes, in each of which they have the size of rhs or
# 1; along the axis they have n elements, or all axes have one. JAX does not conjugate derivatives, the C library does.


@functools.lru_cache(None)
class _Systems:
    """The functions for one set of options. With a transposed matrix: gradient(sub, diag, super, x, dx) is (drhs, dsub,
    ddiag, dsuper), adjoint of the same arguments is drhs."""

    def __init__(self, axis, periodic, pivot):
        self.options, self.axis, self.periodic = (axis, periodic, pivot), axis, periodic
        self.batched_solve = _batching(self.solve_once, self.solve_batch)
        self.solve = jax.custom_vjp(self.batched_solve)
        self.solve.defvjp(self.forward, self.backward, symbolic_zeros=True)
        self.gradient, self.adjoint = (self.derivative(matrix) for matrix in (True, False))

    def derivative(self, matrix):
        once = _batching(lambda *operands: self.gradient_once(matrix, *operands),
                         lambda size, batched, operands: _Systems(self.axis + 1, *self.options[1:]).derivative(matrix)(
                             *_expanded(size, operands)))
        call = jax.custom_vjp(once)

        def forward(sub, diag, super, x, dx):
            found = call(sub, diag, super, x, dx)
            return found, (sub, diag, super, x, found[0])

        call.defvjp(forward, functools.partial(self.gradient_backward, matrix))
        return call

    def call(self, diagonals, like, more, matrix):
        """Calls the solver with operands `more` after the diagonals. (x or drhs, [dsub, ddiag, dsuper] if matrix)."""
        axis, periodic, pivot = self.options
        shape, given, n = like.shape, diagonals[1].shape, like.shape[axis]
        batch_shape, inner = shape[:axis] + shape[axis + 1:], math.prod(shape[axis + 1:])
        batch = math.prod(batch_shape)
        one = batch == 1 and n >= _core.LONG
        kind, sides = (_core.OWN, 0) if one or given == shape else matrix_of(given, shape, axis - len(shape))
        if kind == _core.OWN and not sides:
            diagonals = [jnp.broadcast_to(a, shape) for a in diagonals]
        elif kind != _core.CONSTANT:
            diagonals = [jnp.moveaxis(a, axis, -1) for a in diagonals]
        # The status of one system is a 64-bit number, of which JAX knows two halves.
        results = [_like(like), jax.ShapeDtypeStruct((2,) if one else (batch,), numpy.int32)]
        results += [_like(a) for a in diagonals] if matrix else []
        x, status, *gradients = _call("recurrences_systems", results, (*diagonals, *more), n, batch, inner,
                                      _cores(None, like.size), len(more) > 1, kind, sides, periodic,
                                      _core.PIVOTS.index(pivot), one)
        broken = (status != 0).any(keepdims=True) if one else status != 0
        broken = jnp.expand_dims(broken.reshape(batch_shape), axis)
        if kind != _core.CONSTANT and (kind != _core.OWN or sides):
            gradients = [jnp.moveaxis(g, -1, axis) for g in gradients]
        parts = [_reduced(broken, g.shape[:axis] + (1,) + g.shape[axis + 1:], jnp.any) for g in gradients]
        gradients = [_reduced(jnp.where(b, jnp.nan, g), given) for b, g in zip(parts, gradients)]
        return jnp.where(broken, jnp.nan, x), gradients

    def solve_once(self, sub, diag, super, rhs):
        return self.call((sub, diag, super), rhs, (rhs,), False)[0] if rhs.size else rhs

    def gradient_once(self, matrix, sub, diag, super, x, dx):
        if not x.size:
            return (dx, *[jnp.zeros_like(diag)] * 3) if matrix else (dx,)
        drhs, gradients = self.call((sub, diag, super), x, (x, _conj(dx)), matrix)
        return tuple(map(_conj, (drhs, *gradients)))

    def solve_batch(self, size, batched, operands):
        *diagonals, rhs = operands
        if any(batched[:3]):
            diagonals = _expanded(size, diagonals)
        return _Systems(self.axis + 1, *self.options[1:]).batched_solve(*diagonals, *_expanded(size, [rhs]))

    def forward(self, *primals):
        x = self.solve(*(p.value for p in primals))
        # Whether the matrix has a derivative is told by the form of the residuals, as they have no other static part.
        matrix = ((),) if any(p.perturbed for p in primals[:3]) else ()
        return x, (*(p.value for p in primals[:3]), x, matrix)

    def backward(self, residuals, dx):
        *operands, matrix = residuals
        if isinstance(dx, jax.custom_derivatives.SymbolicZero):
            return None, None, None, None
        if matrix:
            drhs, *gradients = self.gradient(*operands, dx)
            return *gradients, drhs
        return None, None, None, self.adjoint(*operands, dx)[0]

    def gradient_backward(self, matrix, residuals, cotangents):
        # y = drhs is A^-T dx, and dsub_i = -y_i x_{i-1}, and so on. So gy, the cotangent of y, leads to z = A^-1 gy,
        # that of dx, and A_ij gets -y_i z_j.
        sub, diag, super, x, y = residuals
        gy, *given = cotangents
        before, after = (functools.partial(_shifted, by=by, axis=self.axis, periodic=self.periodic) for by in (1, -1))
        gx = jnp.zeros_like(x)
        if matrix:
            gsub, gdiag, gsuper = given
            gy = gy - gsub * before(x) - gdiag * x - gsuper * after(x)
            gx = -(after(gsub * y) + gdiag * y + before(gsuper * y))
        z = self.solve(sub, diag, super, gy)
        return *(_reduced(-y * a, diag.shape) for a in (before(z), z, after(z))), gx, z


# ---- linear recurrences ----
#
# t has the full shape, w0 this shape without the axis, and s the full shape, or a constant: with one element along the
# axis, and in other axes the size of t or 1. The gradient takes no constant. The last operand of packed sequences is
# offset; then w0 has the axis, with an element for each sequence.


def _same_offset(batched, offset):
    """offset in the rule of a vmap."""
    if offset and batched[-1]:
        raise NotImplementedError("offset: of jax.vmap's axis")
    return [a[0] for a in offset]


@functools.lru_cache(None)
class _Sequences:
    def __init__(self, axis, reverse):
        self.axis, self.reverse = axis, reverse
        self.batched_solve = _batching(self.solve_once, self.solve_batch)
        self.solve = jax.custom_vjp(self.batched_solve)
        self.solve.defvjp(self.forward, self.backward)
        self.batched_gradient = _batching(self.gradient_once, self.gradient_batch)
        self.gradient = jax.custom_vjp(self.batched_gradient)
        self.gradient.defvjp(self.gradient_forward, self.gradient_backward)

    def call(self, operands, like, results, gradient, offset):
        """A call of the solver."""
        s, *more = operands
        sizes, inner = like.shape, like.shape[self.axis + 1:]
        n, count, outer = sizes[self.axis], 1, 1
        if offset:
            outer, count = math.prod(sizes[:self.axis]), offset[0].size - 1
            offset = [_plane_of(offset[0], outer, n)]
        constant = kind_of_s(s.shape, sizes, self.axis)
        if constant == _core.S_SEQUENCE:
            s = jnp.broadcast_to(s, (*sizes[:self.axis], count, *inner))
        return _call("recurrences_sequences", results, (s, *more, *offset), outer * n, like.size // n * count,
                     math.prod(inner), _cores(None, like.size), gradient, self.reverse, constant, len(offset))

    def solve_once(self, s, t, w0, *offset):
        return self.call((s, t, w0), t, [_like(t)], False, offset)[0] if t.size else t

    def gradient_once(self, s, w, w0, dw, *offset):
        if not w.size:
            return dw, dw, jnp.zeros_like(w0)
        found = self.call((s, w, w0, _conj(dw)), w, [_like(w), _like(w), _like(w0)], True, offset)
        return tuple(map(_conj, found))

    def solve_batch(self, size, batched, operands):
        s, t, w0, *offset = operands
        t, w0 = _expanded(size, (t, w0))
        if s.shape[self.axis + 1] != 1:
            s = jnp.broadcast_to(s, t.shape)
        return _Sequences(self.axis + 1, self.reverse).batched_solve(s, t, w0, *_same_offset(batched, offset))

    def gradient_batch(self, size, batched, operands):
        return _Sequences(self.axis + 1, self.reverse).batched_gradient(
            *_expanded(size, operands[:4]), *_same_offset(batched, operands[4:]))

    def firsts(self, a, offset):
        """For each element along the axis the number of its sequence, and whether it is the first one."""
        i = jnp.arange(a.shape[self.axis])
        sequence = jnp.searchsorted(offset, i, side="right") - 1
        first = i == (offset[1:] - 1 if self.reverse else offset)[sequence]
        return sequence, first.reshape(-1, *[1] * (a.ndim - self.axis - 1))

    def before(self, w, w0, *offset):
        """w_{i-1} for all i."""
        axis, n = self.axis, w.shape[self.axis]
        if not w.size:
            return w
        if offset:
            sequence, first = self.firsts(w, *offset)
            return jnp.where(first, w0.take(sequence, axis), _shifted(w, -1 if self.reverse else 1, axis))
        rest = jax.lax.slice_in_dim(w, *((1, n) if self.reverse else (0, n - 1)), axis=axis)
        parts = [jnp.expand_dims(w0, axis), rest]
        return jnp.concatenate(parts[::-1] if self.reverse else parts, axis)

    def after(self, a, *offset):
        """a_{i+1} for all i, 0 for the last of a sequence."""
        if offset:
            a = jnp.where(self.firsts(a, *offset)[1], 0, a)
        return _shifted(a, 1 if self.reverse else -1, self.axis)

    def first(self, a, *offset):
        """The first element of each sequence, 0 of empty ones."""
        n, axis = a.shape[self.axis], self.axis
        if not offset:
            return jax.lax.index_in_dim(a, n - 1 if self.reverse else 0, axis, False) if n else a.sum(axis)
        begin, end = offset[0][:-1], offset[0][1:]
        if not n:
            return jnp.zeros((*a.shape[:axis], begin.size, *a.shape[axis + 1:]), a.dtype)
        found = a.take(end - 1 if self.reverse else begin, axis, mode="clip")
        return jnp.where((begin == end).reshape(-1, *[1] * (a.ndim - axis - 1)), 0, found)

    def forward(self, s, t, w0, *offset):
        w = self.solve(s, t, w0, *offset)
        return w, (s, w, w0, *offset)

    def backward(self, residuals, dw):
        s, w, w0, *offset = residuals
        nothing = [None] * len(offset)
        if s.shape == w.shape:
            return *self.gradient(s, w, w0, dw, *offset), *nothing
        dt = _Sequences(self.axis, not self.reverse).solve(s, dw, jnp.zeros_like(w0), *offset)
        ds = _reduced(dt * self.before(w, w0, *offset), s.shape)
        return ds, dt, (s if offset else s.squeeze(self.axis)) * self.first(dt, *offset), *nothing

    def gradient_forward(self, s, w, w0, dw, *offset):
        found = self.gradient(s, w, w0, dw, *offset)
        return found, (s, w, w0, found[1], *offset)

    def gradient_backward(self, residuals, cotangents):
        # y = dt: y_i = dw_i + s_{i+1} y_{i+1}, ds_i = y_i w_{i-1} and dw0 = s_1 y_1. So z with z_i = s_i z_{i-1} + gy_i
        # and z_0 = g0 is the cotangent of dw.
        s, w, w0, y, *offset = residuals
        gs, gt, g0 = cotangents
        z = self.solve(s, gt + gs * self.before(w, w0, *offset), g0, *offset)
        gbefore = gs * y
        return (y * self.before(z, g0, *offset), self.after(gbefore, *offset), self.first(gbefore, *offset), z,
                *[None] * len(offset))


def _plane_of(offset, outer, n):
    """The offsets of `outer` times n rows, as C knows one plane, of 64 bits."""
    if outer * n >= 1 << 31 and offset.dtype == numpy.int32:
        raise ValueError("offset: so many elements want jax_enable_x64")
    if outer > 1:
        planes = n * jnp.arange(outer, dtype=offset.dtype)[:, None]
        offset = jnp.append((offset[:-1] + planes).reshape(-1), jnp.full(1, outer * n, offset.dtype))
    return offset if offset.dtype == numpy.int64 else jnp.stack([offset, offset >> 31], -1)  # halves of 64 bits


# ---- filters ----
#
# x has the shape (batch, n), zi and zf have the shape (sections, batch, order), as C has them.


@functools.lru_cache(1024)
class _Filters:
    def __init__(self, coefficients, sections, order, carry_in_double):
        self.options = coefficients, sections, order, carry_in_double
        self.batched_solve = _batching(self.solve_once, self.solve_batch)
        self.solve = jax.custom_vjp(self.batched_solve)
        self.solve.defvjp(lambda x, zi: (self.solve(x, zi), None), lambda _, cotangents: self.backward(*cotangents))

    def solve_once(self, x, zi):
        coefficients, *numbers = self.options
        return tuple(_call("recurrences_filters", [_like(x), _like(zi)], (x, zi), x.shape[1], x.shape[0], *numbers,
                           _cores(None, x.size), *numpy.array(coefficients).view(numpy.int64))) if x.size else (x, zi)

    def solve_batch(self, size, batched, operands):
        x, zi = _expanded(size, operands)
        _, sections, order, _ = self.options
        y, zf = self.batched_solve(x.reshape(size * x.shape[1], x.shape[2]),
                                   zi.swapaxes(0, 1).reshape(sections, size * x.shape[1], order))
        return y.reshape(x.shape), zf.reshape(sections, size, x.shape[1], order).swapaxes(0, 1)

    def backward(self, dy, dzf):
        coefficients, sections, order, carry_in_double = self.options
        reverse = tuple(reversed_sections(coefficients, order))
        states = jnp.einsum("nbk,nkj->nbj", dzf[::-1], jnp.asarray(state_matrices(reverse, order), dy.dtype),
                            precision="highest")
        dx = _Filters(reverse, sections, order, carry_in_double).solve(dy[:, ::-1], states)[0][:, ::-1]
        # y and zf from zi alone are sums of those from unit vectors.
        count = sections * order
        units = jnp.eye(count, dtype=dy.dtype).reshape(count, sections, order).swapaxes(0, 1)
        of_y, of_zf = self.solve(jnp.zeros((count, dy.shape[1]), dy.dtype), units)
        dzi = jnp.einsum("bn,sn->sb", dy, of_y, precision="highest") + jnp.einsum("nbk,nsk->sb", dzf, of_zf,
                                                                                  precision="highest")
        return dx, dzi.reshape(sections, order, dy.shape[0]).swapaxes(1, 2)


# ---- operands ----


def _arrays(axis, operands, types=tuple(_core.TYPES), lacking=()):
    """The operands as arrays of one type, of which those of one dimension lie along the axis, by name; and the axis
    counted from the end. lacking: operands without the axis."""
    for name, a in operands.items():
        try:
            operands[name] = a if isinstance(a, (int, float, complex)) else jnp.asarray(a)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name}: not an array of numbers: {error}") from None
    dtype = jnp.result_type(*operands.values())
    dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(float)
    if dtype.name not in types:
        raise TypeError(f"{', '.join(operands)}: of type {dtype.name}; wanted: {', '.join(types)}")
    operands = {name: jnp.asarray(a, dtype) for name, a in operands.items()}
    ndim = max(a.ndim + (name in lacking and a.ndim > 0) for name, a in operands.items())
    if isinstance(axis, bool) or not isinstance(axis, (int, numpy.integer)):
        raise TypeError(f"axis: a whole number wanted, not {axis!r}")
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis: {axis} is out of range for operands of {ndim} dimensions")
    axis = int(axis) if axis < 0 else int(axis) - ndim
    return {name: a.reshape(-1, *[1] * (-axis - 1)) if a.ndim == 1 and name not in lacking else a
            for name, a in operands.items()}, axis


def _broadcast(operands, shape=()):
    for name, a in operands.items():
        try:
            shape = numpy.broadcast_shapes(shape, a.shape)
        except ValueError:
            raise ValueError(f"{name} has shape {a.shape}; wanted: one that broadcasts with {shape}") from None
    return shape


@functools.partial(jax.jit, static_argnums=(0, 1))
def _run(solver, shapes, *operands):
    return solver.solve(*(jnp.broadcast_to(a, shape) for a, shape in zip(operands, shapes)))


# ---- the functions ----


def solve_tridiagonal(sub, diag, super, rhs, axis=-1, periodic=False, pivot="auto"):
    """Solves tridiagonal systems: sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i along `axis`, for all other
    axes.

    sub, diag, super: n elements along the axis, or one for all rows. sub and super may have n - 1: with n, sub[0] and
    super[n - 1] have no effect; with n - 1, they are left out, so sub[i - 1] and super[i] belong to row i.
    periodic: sub[0] multiplies x[n - 1], and super[n - 1] multiplies x[0]; so both have n elements.
    pivot: "auto" pivots where rows are not diagonally dominant, "always" or True everywhere, "never" or False nowhere.
    """
    pivot, periodic = _core.PIVOTS[_core.pivot_of(pivot)], bool(periodic)
    operands, axis = _arrays(axis, dict(sub=sub, diag=diag, super=super, rhs=rhs))
    n = next((m for name in ("diag", "rhs") if (m := length(operands[name], axis)) != 1), 1)
    for name in "sub", "super":
        if must_be_padded(name, operands[name], n, axis, periodic):
            a = operands[name]
            operands[name] = jnp.pad(a, [(0, 0)] * (a.ndim + axis) + [(1, 0) if name == "sub" else (0, 1)]
                                     + [(0, 0)] * (-axis - 1))
    shape = _broadcast(operands)
    matrix = numpy.broadcast_shapes(*(operands[name].shape for name in ("sub", "diag", "super")))
    matrix = [1] * (len(shape) - len(matrix)) + [*matrix]
    if math.prod(matrix) > 1:
        matrix[axis] = n
    matrix = tuple(matrix)
    return _run(_Systems(len(shape) + axis, periodic, pivot), (matrix, matrix, matrix, shape), *operands.values())


def solve_recurrence(s, t, w0=None, axis=-1, reverse=False, offset=None):
    """Solves linear recurrences: w_i = s_i w_{i-1} + t_i along `axis`, for all other axes; with `reverse`, from the
    last element to the first: w_i = s_i w_{i+1} + t_i.

    s: elements like t, or one for all i. w0: the value before the first element, a number or an array that broadcasts
    with the shape of the batch (without the axis); None: 0. float16 and bfloat16 are computed in single precision.
    offset: packed sequences of different lengths: sequence k has the elements offset[k] to offset[k + 1] - 1 along the
    axis. offset ascends from 0 to the size of the axis, which is not checked of an array of JAX. w0 then has the axis,
    with an element for each sequence."""
    packed = offset is not None
    operands, axis = _arrays(axis, dict(s=s, t=t, w0=0 if w0 is None else w0), (*_core.TYPES, "float16", "bfloat16"),
                             () if packed else ("w0",))
    w0 = operands.pop("w0")
    shape = _broadcast(operands)
    n = shape[axis]
    more = [_offset(offset, n)] if packed else []
    count = [a.size - 1 for a in more]
    starts = _broadcast({"w0": w0}, without(shape, axis, *count))
    shape = with_axis(starts, axis, n, *count)
    s, t = operands.values()
    s = s.reshape((1,) * (len(shape) - s.ndim) + s.shape)
    shapes = s.shape if s.size == 1 or s.shape[axis] == 1 < n else shape, shape, starts, *(a.shape for a in more)
    return _run(_Sequences(len(shape) + axis, bool(reverse)), shapes, s, t, w0, *more)


def _offset(offset, n):
    """The offsets as an array; their values are looked at only if they are not JAX's."""
    offset = offset if isinstance(offset, jax.Array) else jnp.asarray(offsets(offset, n))
    if offset.ndim != 1 or not offset.size or offset.dtype not in (numpy.int32, numpy.int64):
        raise TypeError(f"offset: of type {offset.dtype} and shape {offset.shape}; wanted: int32 or int64, one axis")
    return offset


def solve_filter(b=None, a=None, x=None, axis=-1, zi=None, *, sos=None, carry_in_double=False):
    """Filters x along `axis`, as scipy.signal.lfilter(b, a, x, axis, zi); or with sos instead of b and a, as
    scipy.signal.sosfilt(sos, x, axis, zi). Returns y, or (y, zf) if zi is given.

    b, a: at most 9 real numbers each. sos: (sections, 6), at most 4 sections. They are used in double precision, and
    have no derivatives; in jit they are constants.
    x: real, of one dimension or more. zi: the states before the first elements, of SciPy's shape: for b and a that of x
    with max(len(a), len(b)) - 1 elements along the axis; for sos (sections, *that of x with 2 elements along the axis).
    It may have 1 element where that has more. zf: the states after the last elements.
    carry_in_double: x in single precision is filtered in double precision, on a GPU its states are carried in it. There
    filters whose powers grow are refused."""
    for name, value in ("b", b), ("a", a), ("sos", sos):
        if isinstance(value, jax.core.Tracer):
            raise NotImplementedError(f"{name}: coefficients of filters are not traced, and have no derivatives")
    made, (operands, axis) = Filter(b, a, sos), _arrays(axis, {"x": x})
    x = operands["x"]
    for name, value in ("x", x), ("zi", zi):
        if value is not None and jnp.iscomplexobj(value):
            raise TypeError(f"{name}: of type {jnp.asarray(value).dtype.name}; wanted: float32, float64")
    rows, z = jnp.moveaxis(x, axis, -1), jnp.asarray(0 if zi is None else zi, x.dtype)
    z = jnp.moveaxis(jnp.broadcast_to(z, made.states(x.shape, axis, None if zi is None else z)), axis, -1)
    shape = (made.sections, math.prod(rows.shape[:-1]), made.order)
    y, zf = _Filters(tuple(made.coefficients), *shape[::2], bool(carry_in_double)).solve(
        rows.reshape(shape[1], rows.shape[-1]), z.reshape(shape))
    y, zf = jnp.moveaxis(y.reshape(rows.shape), -1, axis), jnp.moveaxis(zf.reshape(z.shape), -1, axis)
    return y if zi is None else (y, zf)


def tridiagonal_solve(dl, d, du, b):
    """As jax.lax.linalg.tridiagonal_solve: b has the shape (..., n, k), the others have the shape (..., n); dl[..., 0]
    and du[..., n - 1] have no effect."""
    dl, d, du, b = map(jnp.asarray, (dl, d, du, b))
    for name, a in dict(dl=dl, d=d, du=du).items():
        if b.ndim < 2 or a.shape != b.shape[:-1]:
            raise ValueError(f"{name} has shape {a.shape}; wanted: {b.shape[:-1]}, that of b without the last axis")
    return solve_tridiagonal(dl[..., None], d[..., None], du[..., None], b, axis=-2)
