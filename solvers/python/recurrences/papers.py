"""The solvers of the papers: P-scheme (W12, W13), parallel cyclic reduction (W12), batched Thomas, SERICR and PARACR
(PL19), the N-shaped partition (L22), and time steps that use the solvers (heat equation, Schroedinger equation).

Arrays of a call have one type ('s' and 'd' single and double precision, 'c' and 'z' complex), are contiguous and lie on
one device. On a CPU they are numpy arrays or CPU tensors, and kernels run on the CPU device, which is for learning and
testing. On a GPU they are torch tensors, cupy and numba arrays, or any object with data_ptr() or
__cuda_array_interface__. Inputs are not modified. Results are new arrays of the same kind and shape, or `out`, which is
returned and may overlap no input.

On a GPU, work goes on `stream`, a number (torch: torch.cuda.current_stream().cuda_stream; 0 is the default stream).
Functions that can raise SingularMatrixError wait for the stream."""

import math
import numbers

import numpy

from . import _core
from ._core import (BYTES, NAMES, Array, Device, Memory, at, at_least, check, choice, inputs_of, output, same_shape,
                    vectors)

def _systems(a, batch, interleaved=False):
    """(batch, n) of an array. Interleaved arrays of two dimensions are (n, batch)."""
    if batch is not None:
        at_least(0, batch=batch)
    if len(a.shape) == 2:
        count, n = reversed(a.shape) if interleaved else a.shape
        if batch not in (None, count):
            raise ValueError(f"batch is {batch}, {a.name} has {count} systems")
        return count, n
    if len(a.shape) != 1:
        raise ValueError(f"{a.name} has shape {a.shape}; wanted: one dimension or two")
    batch = 1 if batch is None else batch
    if batch < 1 or a.size % batch:
        raise ValueError(f"batch: {a.name} has {a.size} numbers, not a multiple of {batch}")
    return batch, a.size // batch


def _launch(blocks, threads):
    at_least(1, blocks=blocks, threads=threads)
    if threads > 1024:
        raise ValueError("threads: at most 1024")


def _on_cpu(arrays):
    for a in arrays:
        if a.ordinal is not None:
            raise TypeError(f"{a.name}: this solver runs on CPU cores, the array is on a GPU")
    return Device(arrays)


def _on(arrays, stream, cores):
    """The device of the arrays or, if `cores` are given, that many CPU cores."""
    if cores is None:
        return Device(arrays, stream)
    at_least(1, cores=cores)
    return _on_cpu(arrays)


# ---- linear recurrences w_i = s_i w_{i-1} + t_i ----


def pcr(s, t, w0=0.0, *, blocks=64, threads=128, out=None, stream=0):
    """w_1..w_n by parallel cyclic reduction (W12 V-E). s, t: s_1..s_n, t_1..t_n. Types s, d."""
    s, t = vectors(*inputs_of("sd", s=s, t=t))
    _launch(blocks, threads)
    w = output(out, t, [s, t])
    with Device([s, t, w], stream) as on:
        work = on.scratch(on.call("pcr_work", t.size) * BYTES[t.type])
        on("pcr_solve", _core.Pcr(t.letter, t.size, blocks, threads, w0, *at(s, t, w), work), on.stream)
    return w.value


_PSCHEME_VARIANTS = ("block", "rearranged", "register", "recompute", "ahead", "block_no_l1", "rearranged_no_l1")
_G_VARIANTS = ("block", "soa", "extended", "warp", "ends", "fused", "arrays")
_TRANSPOSITIONS = ("global", "tile", "padded")


def pscheme_recurrence(out, scale, offset, w0=0.0, *, variant="ahead", blocks=16, threads=128, stream=0):
    """w_i = scale w_{i-1} + offset by P-scheme (W12). Writes w_1..w_n, in this order, to out.
    variant: block, rearranged, register, recompute, ahead, block_no_l1, rearranged_no_l1. Types s, d."""
    (w,) = vectors(Array("out", out, "sd", write=True))
    variant = choice("variant", variant, *_PSCHEME_VARIANTS)
    _launch(blocks, threads)
    with Device([w], stream) as on:
        plan = on.call("pscheme_recurrence_plan", variant, w.letter, w.size, blocks, threads, w0, scale, offset)
        plan.w = on.scratch(on.call("pscheme_elements", plan.layout) * BYTES[w.type])
        plan.products = on.scratch(on.call("pscheme_product_elements", plan) * BYTES[w.type])
        on("pscheme_solve", plan, on.stream)
        on("pscheme_to_natural", w.letter, plan.layout, plan.w, w.pointer, on.stream)
    return w.value


def _pscheme_g_run(w, variant, w0, coefficient, blocks, threads, stream, inputs=()):
    _launch(blocks, threads)
    with Device([w, *inputs], stream) as on:
        plan = on.call("pscheme_g_plan", variant, w.letter, w.size, blocks, threads, w0, coefficient)
        size = on.call("pscheme_g_elements", plan) * BYTES[w.type]
        plan.s, plan.t = at(*inputs) or (None, None)
        plan.w, plan.products = on.scratch(size), None if inputs else on.scratch(size)
        plan.carry = on.scratch(2 * plan.parts * BYTES[w.type])
        on("pscheme_g_solve", plan, on.stream)
        on("pscheme_g_to_natural", plan, 2, w.pointer, on.stream)
    return w.value


def pscheme_g(s, t, w0=0.0, *, blocks=64, threads=128, out=None, stream=0):
    """w_1..w_n by P-scheme/G (W13) with general coefficients s_1..s_n, t_1..t_n. Types s, d."""
    inputs = s, t = vectors(*inputs_of("sd", s=s, t=t))
    w = output(out, t, inputs)
    return _pscheme_g_run(w, _G_VARIANTS.index("arrays"), w0, _core.Coefficient(), blocks, threads, stream, inputs)


def pscheme_g_constant(out, scale, offset, w0=0.0, *, rounds=0, up=1.0, down=1.0, variant="ends", blocks=64,
                       threads=128, stream=0):
    """w_i = s_i w_{i-1} + offset by P-scheme/G (W13). Writes w_1..w_n, in this order, to out. s_i is
    computed from scale as in W13's cases: rounds = 0 (case L), 200 (M) or 500 (H). variant: block,
    soa, extended, warp, ends, fused. Types s, d."""
    (w,) = vectors(Array("out", out, "sd", write=True))
    variant = choice("variant", variant, *_G_VARIANTS[:-1])
    at_least(0, rounds=rounds)
    return _pscheme_g_run(w, variant, w0, _core.Coefficient(rounds, up, down, scale, offset), blocks, threads, stream)


def transpose(a, *, how="padded", out=None, stream=0):
    """The transpose of an array of two dimensions, as W13 rearranges arrays. how: global, tile,
    padded. Types s, d."""
    (a,) = inputs_of("sd", a=a)
    how = choice("how", how, *_TRANSPOSITIONS)
    if len(a.shape) != 2:
        raise ValueError("a: two dimensions")
    rows, columns = a.shape
    to = output(out, a, [a], (columns, rows))
    with Device([a, to], stream) as on:
        on("pscheme_g_transpose", a.letter, how, rows, columns, a.pointer, to.pointer, on.stream)
    return to.value


def _recurrence_cpu(name, s, t, w0, out, *numbers, words=None):
    s, t = vectors(*inputs_of("sd", s=s, t=t))
    w = output(out, t, [s, t], (t.size + 1,))
    with _on_cpu([s, t, w]) as on:
        work = [] if words is None else [on.scratch((t.size + 1 + words) * BYTES[t.type])]
        if on.call(f"{name}_{t.type}", t.size, *numbers, w0, *at(s, t, w), *work):
            raise ValueError(f"{name}: the C library refused the arguments; are the arrays aligned to their elements?")
    return w.value


def recurrence_serial(s, t, w0=0.0, *, out=None):
    """w_0..w_n (n + 1 numbers) on one CPU core. s, t: s_1..s_n, t_1..t_n. Types s, d."""
    return _recurrence_cpu("recurrence_serial", s, t, w0, out)


def recurrence_pscheme(s, t, w0=0.0, *, parts=8, cores=1, out=None):
    """The same by P-scheme on CPU cores."""
    at_least(1, parts=parts, cores=cores)
    return _recurrence_cpu("recurrence_pscheme", s, t, w0, out, parts, cores, words=parts)


# ---- tridiagonal systems sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i ----


_THOMAS_VARIANTS = ("thomas_global", "thomas_global_early", "thomas_shared", "thomas_tile", "sericr_global",
                    "sericr_shared", "paracr_global", "paracr_shared", "paracr_partial", "paracr_block")


def thomas_batch(sub, diag, super, rhs, *, batch=None, variant="thomas_tile", interleaved=False, threads=128, out=None,
                 stream=0):
    """Many systems by the methods of PL19, without pivoting. All arrays are (batch, n); interleaved:
    (n, batch). variant: thomas_global, _global_early, _shared, _tile, sericr_global, _shared,
    paracr_global, _shared, _partial, _block. Types s, d."""
    inputs = sub, diag, super, rhs = inputs_of("sd", sub=sub, diag=diag, super=super, rhs=rhs)
    same_shape(rhs, sub, diag, super)
    variant = choice("variant", variant, *_THOMAS_VARIANTS)
    _launch(1, threads)
    if threads % 32:
        raise ValueError("threads: a multiple of 32")
    batch, n = _systems(rhs, batch, interleaved)
    x = output(out, rhs, inputs)
    with Device([*inputs, x], stream) as on:
        status = on.upload(numpy.zeros(batch, "i8"))
        system = _core.ThomasBatch(rhs.letter, bool(interleaved), n, batch, *at(*inputs, x), None, status, threads)
        system.work = on.scratch(on.call("thomas_batch_work", variant, system) * BYTES[rhs.type])
        on("thomas_batch_solve", variant, system, on.stream)
        return check(x.value, on.download(status, batch, "i8"))


def _nest_of(n, parts):
    if parts is None:
        parts = (math.isqrt(n - 1),) if n > 1 else ()
    parts = tuple(parts)
    if len(parts) > 8:
        raise ValueError("parts: at most 8 applications")
    before = n - 1
    for count in parts if n > 1 else ():
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or not 1 <= count <= before:
            raise ValueError(f"parts: each 1 or more and no more than the one before, the first at most {n - 1}")
        before = count
    return len(parts), _core.Nest(*parts)


def nshape(sub, diag, super, rhs, *, parts=None, threads=128, cores=None, out=None, stream=0):
    """One system by the N-shaped partition (L22), without pivoting. parts: the number of blocks in
    each nested application; (): Thomas; None: one application of about sqrt(n) blocks. cores, for
    arrays on a CPU: solves on this many cores, not on the CPU device. The solver overwrites its
    inputs, so it gets copies. Types s, d, c, z."""
    inputs = sub, diag, super, rhs = vectors(*inputs_of(sub=sub, diag=diag, super=super, rhs=rhs))
    if rhs.size < 1:
        raise ValueError("rhs: one row or more")
    nest, counts = _nest_of(rhs.size, parts)
    _launch(1, threads)
    x = output(out, rhs, inputs)
    with _on([*inputs, x], stream, cores) as on:
        copies = [on.scratch(a.bytes) for a in inputs]
        for to, a in zip(copies, inputs):
            on.copy(to, a.pointer, a.bytes)
        status = on.upload(numpy.zeros(1, "i8"))
        system = _core.Nshape(rhs.letter, rhs.size, *copies, x.pointer, nest, counts, None, 0, None, status, threads)
        system.work = on.scratch(on.call("nshape_work", system))
        if cores is None:
            on("nshape_solve", system, on.stream)
        else:
            on("nshape_solve_cpu", system, cores)
        return check(x.value, on.download(status, 1, "i8")[0])


# ---- W12's symmetric systems (W12 eq. 1-3): x_0 = rhs_0, x_{n-1} = rhs_{n-1}, and for 0 < i < n - 1
#      -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i ----


def pscheme_tridiagonal(diag, off, rhs, *, rearranged=True, blocks=16, threads=128, out=None, stream=0):
    """By P-scheme on a GPU (W12). All arrays have n >= 2 rows. diag and off of the first and the last
    row are not used. Types s, d."""
    inputs = diag, off, rhs = vectors(*inputs_of("sd", diag=diag, off=off, rhs=rhs))
    n, size = rhs.size, BYTES[rhs.type]
    if n < 2:
        raise ValueError("rhs: two rows or more")
    _launch(blocks, threads)
    x = output(out, rhs, inputs)
    with Device([*inputs, x], stream) as on:
        ends = [(n - 1) * k * size for k in (0, 1)]
        first, last = (on.download(rhs.pointer + end, 1, NAMES[rhs.type])[0] for end in ends)
        plan = on.call("pscheme_tridiagonal_plan", bool(rearranged), rhs.letter, n, blocks, threads, first, last)
        words = on.call("pscheme_elements", plan.layout) * size
        plan.diag, plan.off, plan.rhs, plan.x = (on.scratch(words) for _ in range(4))
        plan.work = on.scratch(on.call("pscheme_tridiagonal_work", plan.layout) * size)
        plan.status = on.upload(numpy.zeros(1, "i8"))
        if n > 2:
            for to, a in (plan.diag, diag), (plan.off, off), (plan.rhs, rhs):
                on("pscheme_from_natural", rhs.letter, plan.layout, a.pointer + size, to, on.stream)
            on("pscheme_tridiagonal_solve", plan, on.stream)
            on("pscheme_to_natural", rhs.letter, plan.layout, plan.x, x.pointer + size, on.stream)
        for end in ends:
            on.copy(x.pointer + end, rhs.pointer + end, size)
        return check(x.value, on.download(plan.status, 1, "i8")[0], 0)


def _symmetric_cpu(name, diag, off, rhs, out, *numbers, method=None):
    inputs = diag, off, rhs = vectors(*inputs_of("sd", diag=diag, off=off, rhs=rhs))
    n = rhs.size
    if n < 1:
        raise ValueError("rhs: one row or more")
    x = output(out, rhs, inputs)
    with _on_cpu([*inputs, x]) as on:
        first, work = [], []
        if method is not None:
            first, work = [method], [on.scratch((3 * n + 5 * numbers[0]) * BYTES[rhs.type])]
        row = on.call(f"{name}_{rhs.type}", *first, n, *numbers, *at(*inputs), on.scratch(rhs.bytes),
                      on.scratch(rhs.bytes), x.pointer, *work)
        if row < 0:
            raise ValueError("refused: eq13 wants constant coefficients and off that is not 0")
        return check(x.value, numpy.int64(row), 0)


def substitution_solve(diag, off, rhs, *, out=None):
    """By substitution on one CPU core (W12). Types s, d."""
    return _symmetric_cpu("substitution_solve", diag, off, rhs, out)


def pscheme_solve(diag, off, rhs, *, method="map", parts=8, cores=1, out=None):
    """By P-scheme on CPU cores (W12). method: eq13, repeat, map. Types s, d."""
    method = choice("method", method, "eq13", "repeat", "map")
    at_least(1, parts=parts, cores=cores)
    return _symmetric_cpu("pscheme_solve", diag, off, rhs, out, parts, cores, method=method)


def pscheme_solve_lanes(diag, off, rhs, *, cores=1, out=None):
    """On the SIMD lanes of CPU cores. Types s, d."""
    at_least(1, cores=cores)
    return _symmetric_cpu("pscheme_solve_lanes", diag, off, rhs, out, cores)


# ---- time steps ----


def _step_work(on, work_size, problem, refusal):
    """The workspace of a problem that is stepped, as long as the problem lives."""
    size = on.call(work_size, problem)
    if not size:
        raise ValueError(refusal)
    memory = Memory(on.ordinal, on.stream, size)
    problem.work = memory.pointer
    return memory


class Heat:
    """The heat equation on the unit square by alternating directions (ADI). u, n x n numbers on a grid
    of width h = 1 / (n + 1), is stepped by dt in place. Types s, d."""

    def __init__(self, u, dt, *, stream=0):
        self._u = u = Array("u", u, "sd", write=True)
        n = math.isqrt(u.size)
        if n < 1 or n * n != u.size or len(u.shape) > 2 or (len(u.shape) == 2 and u.shape[0] != n):
            raise ValueError("u: n x n numbers")
        self._on = Device([u], stream)
        self._problem = _core.Heat(u.letter, n, dt, u.pointer, None)
        with self._on as on:
            self._work = _step_work(on, "heat_work", self._problem,
                                    "Heat: refused (dt > 0, and 1 + dt/h^2 must differ from 1)")
            on("heat_prepare", self._problem, on.stream)

    def step(self, count=1):
        """Makes `count` steps and returns u."""
        with self._on as on:
            on("heat_steps", self._problem, count, on.stream)
        return self._u.value

    def explicit(self, along="x", *, out=None):
        """(1 + r D) u, where D is the second difference along x or y: the explicit part of a half step."""
        to = output(out, self._u, [self._u])
        with self._on as on:
            on("heat_explicit", self._problem, choice("along", along, "x", "y"), self._u.pointer, to.pointer, on.stream)
        return to.value

    @property
    def ratio(self):
        """r = dt / (2 h^2), rounded to the type as in the steps."""
        return self._on.call("heat_ratio", self._problem)


class Tdse:
    """The Schroedinger equation in one dimension by the Crank-Nicolson method (L22). psi, complex, is
    stepped by dt in place, in the potential v (real, of the same precision) and a field. solver:
    tridiagonal, or n_shaped (parts and cores as for nshape()). kept: the matrix is constant, and
    its factors are made once, for `field`. With kept or the solver tridiagonal, call keep() after a
    change of v."""

    def __init__(self, psi, v, x0, dx, dt, *, solver="tridiagonal", kept=False, field=0.0, parts=None, threads=128,
                 cores=None, stream=0):
        self._psi = psi = Array("psi", psi, "cz", write=True)
        self._v = v = Array("v", v, "s" if psi.type == "c" else "d")
        vectors(psi, v)
        if psi.overlaps(v):
            raise ValueError("psi overlaps v")
        if psi.size < 2:
            raise ValueError("psi: two numbers or more")
        solver = choice("solver", solver, "n_shaped", "tridiagonal")
        _launch(1, threads)
        self._on = _on([psi, v], stream, cores)
        if cores is not None and solver == 1:
            raise ValueError("cores: only for solver n_shaped")
        nest, counts = _nest_of(psi.size, parts) if solver == 0 else (0, _core.Nest())
        self._cores, self._kept, self._field = cores, bool(kept), field
        self._problem = _core.Tdse(psi.letter, psi.size, 0, x0, dx, dt, v.pointer, psi.pointer, self._kept, solver,
                                   nest, counts, None, None, threads)
        with self._on as on:
            self._work = _step_work(on, "tdse_work", self._problem, "Tdse: refused")
        if kept or solver == 1:
            self.keep(field)

    def _run(self, what, field):
        with self._on as on:
            if self._cores is None:
                on(f"tdse_{what}", self._problem, field, on.stream)
            else:
                on(f"tdse_{what}_cpu", self._problem, field, self._cores)

    def keep(self, field=0.0):
        """Makes the kept factors again, after a change of v or of the field."""
        self._field = field
        self._run("keep", field)

    def step(self, field=None):
        """Makes one step and returns psi. field: E(t + dt/2); None: the field of keep()."""
        if self._kept and field not in (None, self._field):
            raise ValueError("field: factors are kept for another; keep(field) first")
        self._run("step", self._field if field is None else field)
        return self._psi.value
