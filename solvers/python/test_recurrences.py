"""Tests of the NumPy functions of package recurrences. Ends with "N passed, N failed".

python3 solvers/python/test_recurrences.py           the CPU library (after make lib)
python3 solvers/python/test_recurrences.py --gpu     the GPU library, with torch
python3 solvers/python/test_recurrences.py --layout  prints C that compiles if Python's structs are those of the headers
"""

import array
import itertools
import multiprocessing
import os
import pickle
import sys
import threading
import traceback
import tracemalloc

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np  # noqa: E402
import recurrences as r  # noqa: E402
from cases import GROWN, filter_loop, sections_of  # noqa: E402
from recurrences import SingularMatrixError, _core, _gpu  # noqa: E402

TYPES = np.float32, np.float64, np.complex64, np.complex128
random = np.random.default_rng(1)


def draw(shape, dtype=float, low=-1.0):
    real = random.uniform(low, 1, shape)
    return (real + 1j * random.uniform(low, 1, shape) if np.iscomplexobj(dtype()) else real).astype(dtype)


def near(got, wanted, factor=1.0):
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    if got.size:
        error, scale = np.abs(got - wanted).max(), max(1.0, np.abs(wanted).max())
        assert error <= 100 * factor * np.finfo(got.dtype).eps * scale, error


def raises(kind, call, *words):
    try:
        result = call()
    except kind as error:
        assert all(word in str(error) for word in words), f"'{error}' does not say {words}"
        return error
    raise AssertionError(f"no {kind.__name__}, but {result}")


# ---- references: dense matrices in double precision, and loops ----


def dense(sub, diag, super, periodic):
    n = len(diag)
    a = np.zeros((n, n), np.result_type(sub, diag, super, float))
    for i in range(n):
        a[i, i] += diag[i]
        if i > 0 or periodic:
            a[i, i - 1] += sub[i]
        if i < n - 1 or periodic:
            a[i, (i + 1) % n] += super[i]
    return a


def along(axis, *operands):
    """The operands broadcast, with the axis last."""
    operands = [np.asarray(a) for a in operands]
    operands = [a.reshape(-1, *[1] * (-axis - 1)) if a.ndim == 1 else a for a in operands]
    return [np.moveaxis(a, axis, -1) for a in np.broadcast_arrays(*operands)]


def solved(sub, diag, super, rhs, axis=-1, periodic=False):
    sub, diag, super, rhs = along(axis, sub, diag, super, rhs)
    x = np.empty(rhs.shape, np.result_type(sub, diag, super, rhs, float))
    for k in np.ndindex(rhs.shape[:-1]):
        x[k] = np.linalg.solve(dense(sub[k], diag[k], super[k], periodic), rhs[k])
    return np.moveaxis(x, -1, axis)


def differentiated(sub, diag, super, x, dx, axis=-1, periodic=False):
    """The derivatives of each system, not yet summed over those that share an element."""
    sub, diag, super, x, dx = along(axis, sub, diag, super, x, dx)
    made = [np.zeros(x.shape, np.result_type(sub, diag, super, x, dx, float)) for _ in range(4)]
    for k in np.ndindex(x.shape[:-1]):
        drhs = np.linalg.solve(dense(sub[k], diag[k], super[k], periodic).conj().T, dx[k])
        of_matrix = [-drhs * np.roll(x[k].conj(), step) for step in (1, 0, -1)]
        if not periodic:
            of_matrix[0][0] = of_matrix[2][-1] = 0
        for a, b in zip(made, [*of_matrix, drhs]):
            a[k] = b
    return [np.moveaxis(a, -1, axis) for a in made]


def summed(a, axis, operand):
    """A gradient, summed over the elements to which the operand was broadcast."""
    shape = (operand.size, *[1] * (-axis - 1)) if operand.ndim == 1 else operand.shape
    shape = (1,) * (a.ndim - len(shape)) + shape
    return a.sum(tuple(k for k in range(a.ndim) if shape[k] != a.shape[k]), keepdims=True).reshape(operand.shape)


def loop(s, t, w0=0, axis=-1, reverse=False):
    s, t = along(axis, s, t)
    w = np.empty(t.shape, np.result_type(s, t, w0, float))
    n, last = t.shape[-1], w0
    for i in reversed(range(n)) if reverse else range(n):
        last = w[..., i] = s[..., i] * last + t[..., i]
    return np.moveaxis(w, -1, axis)


def filtered(b, a, x, axis=-1, zi=None, sos=None):
    """(y, zf), by a loop in double precision."""
    rows, x = sections_of(b, a, sos), np.moveaxis(np.asarray(x, float), axis, 0)
    z = np.zeros(1) if zi is None else np.moveaxis(zi if sos is not None else zi[None], axis, 1)
    states = [[*z] for z in np.broadcast_to(z, (len(rows), len(rows[0]) // 2 - 1, *x.shape[1:])).astype(float)]
    y = filter_loop(rows, x, states)
    zf = np.moveaxis(np.array(states), 1, axis)
    return np.moveaxis(np.array(y), 0, axis), zf if sos is not None else zf[0]


def ordered(a, axes):
    """A copy whose memory has this order of axes."""
    made = np.empty([a.shape[k] for k in axes], a.dtype).transpose(np.argsort(axes))
    made[...] = a
    return made


# ---- tests ----


def test_systems():
    """All types, axes and orders in memory; matrices of all systems, of some, of each."""
    for dtype, shape in itertools.product(TYPES, [(1,), (2,), (40,), (3, 9), (2, 3, 8)]):
        for axis in range(len(shape)):
            last = axis - len(shape)
            ones = [1] * len(shape)
            alone = (*ones[:axis], shape[axis], *ones[axis + 1:])
            matrices = {shape, alone, tuple(ones), shape[axis:axis + 1], (1, *shape[1:]), (*shape[:-1], 1)}
            for periodic, matrix in itertools.product((False, True), matrices):
                sub, super, diag = draw(matrix, dtype), draw(matrix, dtype), draw(matrix, dtype) + dtype(4)
                for axes in itertools.permutations(range(len(shape))):
                    rhs = ordered(draw(shape, dtype), axes)
                    wanted = solved(sub, diag, super, rhs, last, periodic)
                    got = r.solve_tridiagonal(sub, diag, super, rhs, axis=axis, periodic=periodic)
                    assert got.dtype == dtype
                    near(got, wanted)
                    assert r.solve_tridiagonal(sub, diag, super, rhs, last, periodic, out=rhs) is rhs
                    near(rhs, wanted)


def test_long_systems():
    """Few long systems are solved one by one."""
    for dtype, shape in itertools.product(TYPES, [(5000,), (2, 3000)]):
        for matrix in {shape, shape[-1:], (1,)}:
            x, sub, super, diag = draw(shape, dtype), draw(matrix, dtype), draw(matrix, dtype), draw(matrix, dtype) + 4
            rhs = diag * x
            rhs[..., 1:] += np.broadcast_to(sub, shape)[..., 1:] * x[..., :-1]
            rhs[..., :-1] += np.broadcast_to(super, shape)[..., :-1] * x[..., 1:]
            for cores in None, 1, 2:
                near(r.solve_tridiagonal(sub, diag, super, rhs, cores=cores), x)
            _, status = r.solve_tridiagonal(sub, diag, super, rhs, status=True)
            assert status.shape == shape[:-1] and not status.any()


def test_shorter_diagonals():
    for n in 1, 2, 3, 10:
        for shape in (n,), (4, n):
            sub, diag, super, rhs = draw(shape), draw(shape) + 4, draw(shape), draw(shape)
            wanted = solved(sub, diag, super, rhs)
            near(r.solve_tridiagonal(sub[..., 1:], diag, super[..., :-1], rhs), wanted)
            near(r.solve_tridiagonal(sub, diag, super[..., :-1].tolist(), rhs), wanted)
            dx = draw(shape)
            full = r.tridiagonal_gradient(sub, diag, super, wanted, dx)
            short = r.tridiagonal_gradient(sub[..., 1:], diag, super[..., :-1], wanted, dx)
            for a, b in zip(short, (full[0][..., 1:], full[1], full[2][..., :-1], full[3])):
                near(a, b)


def test_conversion():
    x = r.solve_tridiagonal([1, 1, 1], [4, 4, 4], 1, [5, 6, 5])
    assert x.dtype == np.float64
    near(x, [1, 1, 1])
    near(r.solve_tridiagonal(array.array("d", [1, 1, 1]), 4, np.float32(1), np.array([5, 6, 5], ">i2")), [1, 1, 1])
    assert r.solve_tridiagonal(1, 4, 1, np.ones(3, np.float32)).dtype == np.float32
    assert r.solve_tridiagonal(1, 4j, 1, np.ones(3, np.float32)).dtype == np.complex64
    assert r.solve_recurrence(np.ones(3, np.float32), np.ones(3)).dtype == np.float64
    assert r.solve_recurrence(1, np.ones(3, np.float32), 2).dtype == np.float32
    near(r.solve_recurrence(True, [1, 2, 3], 1), [2.0, 4.0, 7.0])
    backwards, strided = np.arange(10.0)[::-1], np.arange(20.0)[::2]
    near(r.solve_recurrence(0.5, backwards), loop([0.5] * 10, backwards))
    near(r.solve_tridiagonal(strided, 50, backwards, strided), solved(strided, [50] * 10, backwards, strided))
    odd = np.frombuffer(b"x" + np.arange(5.0).tobytes(), "u1")[1:].view(float)  # not aligned
    near(r.solve_recurrence(odd, odd), loop(odd, odd))
    short = np.empty(9, np.float32)[1:].view(np.complex64)  # aligned to a float
    short[...] = [1, 2, 3, 4]
    near(r.solve_tridiagonal(short, 9, short, short), solved(short, [9] * 4, short, short))

    class Dlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    near(r.solve_recurrence(Dlpack(backwards), Dlpack(strided)), loop(backwards, strided))


def test_out():
    """`out` with every layout, and overlapping every operand."""
    n = 12
    for name, first, step in itertools.product(("sub", "diag", "super", "rhs", ""), (0, 1), (1, 2)):
        memory = np.zeros(64)
        operands = {"sub": draw(n), "diag": draw(n) + 4, "super": draw(n), "rhs": draw(n)}
        wanted = solved(*operands.values())
        if name:
            view = memory[4:4 + 2 * n:step][:n]
            view[:] = operands[name]
            operands[name] = view
        out = memory[4 + first:4 + first + 2 * n:step][:n]
        assert r.solve_tridiagonal(**operands, out=out) is out
        near(out, wanted)
    for name, first, step in itertools.product(("s", "t", "w0", ""), (0, 1), (1, 2)):
        memory = np.zeros((3, 64))
        operands = {"s": draw((3, n)), "t": draw((3, n)), "w0": draw(3)}
        wanted = loop(**operands)
        if name:
            view = memory[:, 4] if name == "w0" else memory[:, 4:4 + 2 * n:step][:, :n]
            view[:] = operands[name]
            operands[name] = view
        out = memory[:, 4 + first:4 + first + 2 * n:step][:, :n]
        assert r.solve_recurrence(**operands, out=out) is out
        near(out, wanted)
    # Parts of larger arrays: nothing around `out` changes.
    for axes in itertools.permutations(range(3)):
        large = [ordered(draw((5, 8, 7)) + (4 if k == 1 else 0), axes) for k in range(4)]
        parts = [a[1:4, 2:7, 1:6] for a in large]
        for axis in range(3):
            before = large[3].copy()
            for rhs in parts[3], parts[3].copy():
                for matrix in parts[:3], [a.copy() for a in parts[:3]]:
                    large[3][...] = before
                    wanted = solved(*parts[:3], rhs, axis - 3)
                    r.solve_tridiagonal(*matrix, rhs, axis, out=parts[3])
                    near(parts[3], wanted)
                    large[3][1:4, 2:7, 1:6] = before[1:4, 2:7, 1:6]
                    assert (large[3] == before).all()


def test_copies():
    """Which calls copy nothing: NumPy tells tracemalloc of its arrays."""
    axes = list(itertools.permutations(range(3)))
    large = [[ordered(draw((14, 82, 42)) + (8 if k == 1 else 0), order) for k in range(4)] for order in axes]
    whole = [[ordered(a[:12, :80, :40], order) for a in four] for order, four in zip(axes, large)]
    parts = [[a[1:13, 1:81, 1:41] for a in four] for order, four in zip(axes, large) if order[2] == 2]
    line, number, side = [draw((80, 1)), draw((80, 1)) + 4, draw((80, 1))], [1, 4, 1], [draw((12, 80, 1))] * 3
    calls = [(four, axis) for four in whole for axis in range(3)] + [(four, 1) for four in parts]
    calls += [([*matrix, four[3]], 1) for four in whole[:1] for matrix in (line, number, side)]
    for four, axis in calls:
        for call in (lambda: r.solve_tridiagonal(*four, axis, out=four[3], status=True, cores=1),
                     lambda: r.solve_recurrence(four[0], four[3], None, axis, out=four[3], cores=1)):
            call()
            tracemalloc.start()
            call()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < four[3].nbytes / 3, (np.shape(four[0]), four[3].strides, axis, peak)
            if np.ndim(four[0]) > 0 and four[0].shape != four[3].shape:
                break  # s of some sequences is expanded


def test_statuses():
    for shape, axis, bad in [((3, 4, 6), 1, (2, 5)), ((6, 3, 4), 0, (1, 2)), ((3, 4, 6), 2, (0, 3)),
                             ((2, 3000), 1, (1,))]:
        sub, diag, super, rhs = draw(shape), draw(shape) + 4, draw(shape), draw(shape)
        for a in sub, diag, super:
            np.moveaxis(a, axis, -1)[bad] = 0
        for pivot in "auto", "always", "never", True, False:
            x, status = r.solve_tridiagonal(sub, diag, super, rhs, axis, pivot=pivot, status=True)
            n = shape[axis]
            wanted = np.zeros([size for k, size in enumerate(shape) if k != axis], bool)
            wanted[bad] = True
            assert status.shape == wanted.shape and ((status > 0) == wanted).all() and (status <= n).all()
            error = raises(SingularMatrixError, lambda: r.solve_tridiagonal(sub, diag, super, rhs, axis, pivot=pivot),
                           f"in system {', '.join(map(str, bad))} near row")
            assert isinstance(error, np.linalg.LinAlgError) and error.system == bad and error.row == status[bad] - 1
            good = np.moveaxis(x, axis, -1)[~wanted]
            assert np.isfinite(good).all() and (good == np.moveaxis(error.x, axis, -1)[~wanted]).all()
    assert raises(SingularMatrixError, lambda: r.solve_tridiagonal(0, 0, 0, np.ones(9)), "near row").system == ()
    # NaN and infinity are a breakdown, wherever they are, except in the two elements that have no effect.
    names = "sub", "diag", "super", "rhs"
    for n, value, name, row in itertools.product((20, 3000), (np.nan, np.inf), names, (0, 9, -1)):
        operands = {"sub": draw(n), "diag": draw(n) + 4, "super": draw(n), "rhs": draw(n)}
        operands[name][row] = value
        _, status = r.solve_tridiagonal(**operands, status=True)
        assert (status > 0) == ((name, row) not in (("sub", 0), ("super", -1))), (n, value, name, row, status)


def test_pivot():
    """A matrix that needs pivoting and has no bad pivot without."""
    for n in 40, 3000:
        diag, x = np.full(n, 1e-14), draw(n)
        rhs = diag * x
        rhs[1:] += x[:-1]
        rhs[:-1] += x[1:]
        got = {pivot: r.solve_tridiagonal(1, diag, 1, rhs, pivot=pivot)
               for pivot in ("auto", True, "always", False, "never")}
        for pivot in "auto", True, "always":
            near(got[pivot], x, 100)
        assert (got[False] == got["never"]).all() and np.abs(got[False] - x).max() > 1e-6


def test_gradients_of_systems():
    for dtype, shape in itertools.product(TYPES, [(1,), (2,), (7,), (3, 5), (2, 3, 4), (1, 1100)]):
        long = shape[-1] == 1100
        for axis in [1] if long else range(len(shape)):
            last, ones = axis - len(shape), [1] * len(shape)
            alone = (*ones[:axis], shape[axis], *ones[axis + 1:])
            matrices = {shape, tuple(ones)} if long else {shape, alone, tuple(ones), (1, *shape[1:]), (*shape[:-1], 1)}
            for periodic, matrix in itertools.product([False] if long else [False, True], matrices):
                operands = draw(matrix, dtype), draw(matrix, dtype) + dtype(4), draw(matrix, dtype)
                x, dx = draw(shape, dtype), draw(shape, dtype)
                wide = [np.asarray(a, np.result_type(dtype, float)) for a in (*operands, x, dx)]
                wanted = differentiated(*wide, last, periodic)
                for k, size in enumerate(matrix):
                    if size != shape[k]:
                        wanted[:3] = [a.sum(k, keepdims=True) for a in wanted[:3]]
                got = r.tridiagonal_gradient(*operands, x, dx, axis=axis, periodic=periodic)
                for a, b in zip(got, wanted):
                    assert a.dtype == dtype
                    near(a, b, 10)
    dsub, ddiag, dsuper, drhs = r.tridiagonal_gradient(1.0, np.full(4, 4.0), draw((3, 4)), draw((3, 4)),
                                                       draw((3, 4), complex))
    assert (dsub.shape, ddiag.shape, dsuper.shape, drhs.shape) == ((), (4,), (3, 4), (3, 4))
    assert (dsub.dtype, ddiag.dtype, drhs.dtype) == (float, float, complex)
    raises(SingularMatrixError, lambda: r.tridiagonal_gradient(0, 0, 0, np.ones(5), np.ones(5)), "near row")


def test_recurrences():
    for dtype, shape in itertools.product(TYPES, [(1,), (50,), (3, 9), (2, 3, 8)]):
        for axis in range(len(shape)):
            last, batch = axis - len(shape), shape[:axis] + shape[axis + 1:]
            starts = None, 2, draw(batch, dtype), draw(batch[-1:], dtype)
            alone, channels = (*shape[:axis], 1, *shape[axis + 1:]), (*[1] * (axis + 1), *shape[axis + 1:])
            s_shapes = {shape, (1,), shape[axis:axis + 1], (1, *shape[1:]), alone, channels}
            for s_shape, w0, reverse in itertools.product(s_shapes, starts, (False, True)):
                s = draw(s_shape, dtype)
                for axes in itertools.permutations(range(len(shape))):
                    t = ordered(draw(shape, dtype), axes)
                    wanted = loop(s, t, 0 if w0 is None else w0, last, reverse)
                    got = r.solve_recurrence(s, t, w0, axis, reverse)
                    assert got.dtype == dtype
                    near(got, wanted)
                    assert r.solve_recurrence(s, t, w0, last, reverse, out=t) is t
                    near(t, wanted)
    s, t, w0 = draw(6), draw(6), draw((4, 3))
    near(r.solve_recurrence(s, t, w0), loop(np.broadcast_to(s, (4, 3, 6)), np.broadcast_to(t, (4, 3, 6)), w0))
    near(r.solve_recurrence(s, t, w0[0], axis=0), loop(np.broadcast_to(s, (3, 6)), np.broadcast_to(t, (3, 6)), w0[0]).T)
    s, t = draw(1 << 18), draw(1 << 18)
    near(r.solve_recurrence(s, t, 1), loop(s, t, 1))
    assert np.isnan(r.solve_recurrence(s[:9], [1, 1, 1, np.nan, 1, 1, 1, 1, 1])).tolist() == [False] * 3 + [True] * 6
    # Powers of s overflow that no w has.
    for dtype, value in ("e", 16), ("f", 16), ("f", 1e18), ("d", 1e20), ("d", 1e100), ("F", 16j), ("D", 1e20j):
        for batch, reverse in itertools.product((1, 2, 3, 8, 40), (False, True)):
            s, t = np.array(value, dtype), np.ones((batch, 3), dtype)
            near(r.solve_recurrence(s, t, reverse=reverse), loop(s, t, reverse=reverse))
    odd = np.zeros(25, "u1")[1:].view("f8")  # not aligned
    odd[:] = 1, 2, 3
    t = np.ones((3, 4))
    near(r.solve_recurrence(odd[:, None], t, odd), loop(odd[:, None], t, odd))


def test_packed():
    """Sequences of different lengths, also as parts of larger arrays, and their gradients, against calls of each."""
    offset, shapes = [0, 0, 4, 5, 5, 12], [(12,), (3, 12), (12, 3), (2, 12, 3)]
    for dtype, shape in itertools.product((np.float32, np.complex128, np.float16), shapes):
        axis = shape.index(12) - len(shape)
        starts = tuple(5 if size == 12 else size for size in shape)
        ones = tuple(1 if size == 12 else size for size in shape)
        s_shapes = {shape, (1,), (12,), ones, (*[1] * (len(shape) + axis), *ones[axis:])}
        for s_shape, first, reverse in itertools.product(s_shapes, {None, starts, (5,), ones}, (False, True)):
            s, dw, w0 = draw(s_shape, dtype), draw(shape, dtype), None if first is None else draw(first, dtype)
            for axes in itertools.permutations(range(len(shape))):
                whole = ordered(draw([size + 1 for size in shape], dtype), axes)
                for t in whole[tuple(slice(size) for size in shape)], ordered(draw(shape, dtype), axes):
                    got = r.solve_recurrence(s, t, w0, axis, reverse, offset=offset)
                    assert got.dtype == dtype
                    S, T, W, D = (np.moveaxis(np.broadcast_to(a, shape), axis, 0) for a in (
                        np.reshape(s, (-1, *[1] * (-axis - 1))) if s.ndim == 1 else s, t, got, dw))
                    w0s = along(axis, np.zeros(starts, dtype), dtype(0) if w0 is None else w0)[1]
                    w0s = np.moveaxis(np.broadcast_to(w0s, along(axis, np.zeros(starts))[0].shape), -1, 0)
                    ds, dt, dw0 = r.recurrence_gradient(S, W, D, w0s, 0, reverse, offset=np.array(offset, np.int32))
                    for k, (a, b) in enumerate(zip(offset, offset[1:])):
                        near(W[a:b], loop(S[a:b], T[a:b], w0s[k], -T.ndim, reverse))
                        for one, many in zip(r.recurrence_gradient(S[a:b], W[a:b], D[a:b], w0s[k], 0, reverse),
                                             (ds[a:b], dt[a:b], dw0[k])):
                            near(many, one)
                    sums = r.recurrence_gradient(s, got, dw, w0, axis, reverse, offset=offset)
                    near(sums[1], np.moveaxis(dt, 0, axis))
                    near(sums[0], summed(np.moveaxis(ds, 0, axis), axis, s), 10)
                    near(sums[2], summed(np.moveaxis(dw0, 0, axis), axis, np.ones(starts) if w0 is None else w0), 10)
                    near(r.solve_recurrence(s, t, w0, axis, reverse, t, offset=offset), got)
    lengths = [0, 70000, 3, 100000, 0, *range(300)]
    offset, s, t = np.cumsum([0, *lengths]), *draw((2, sum(lengths), 2))
    w = r.solve_recurrence(s, t, axis=0, cores=2, offset=offset)
    assert (w == r.solve_recurrence(s, t, axis=0, cores=1, offset=offset)).all()
    for a, b in zip(offset, offset[1:]):
        near(w[a:b], loop(s[a:b], t[a:b], 0, -2))
    assert r.solve_recurrence(1, np.ones((0, 3)), axis=0, offset=[0]).shape == (0, 3)
    assert r.solve_recurrence(1, np.ones((3, 0)), axis=1, offset=[0, 0]).shape == (3, 0)
    none = np.ones((0, 3))
    assert (r.recurrence_gradient(1, none, none, axis=0, offset=[0, 0])[2] == np.zeros((1, 3))).all()


def test_gradients_of_recurrences():
    for dtype, shape in itertools.product(TYPES, [(1,), (9,), (3, 5), (2, 3, 4)]):
        for axis, reverse in itertools.product(range(len(shape)), (False, True)):
            last, batch = axis - len(shape), shape[:axis] + shape[axis + 1:]
            starts = None, draw((), dtype), draw(batch, dtype)
            for s_shape, w0 in itertools.product({shape, (1,), (1, *shape[1:])}, starts):
                s, t, dw = draw(s_shape, dtype), draw(shape, dtype), draw(shape, dtype)
                w = r.solve_recurrence(s, t, w0, axis, reverse)
                ds, dt, dw0 = r.recurrence_gradient(s, w, dw, w0, axis, reverse)
                S, W, D = along(last, s, w, dw)
                S, W, D = (np.flip(a.conj(), -1) if reverse else a.conj() for a in (S, W, D))
                factors = np.concatenate([np.zeros_like(S[..., :1]), np.flip(S, -1)[..., :-1]], -1)
                back = np.flip(loop(factors, np.flip(D.conj(), -1)), -1)
                first = np.broadcast_to(np.conj(0 if w0 is None else w0), batch)[..., None]
                wanted = [back * np.concatenate([first, W[..., :-1]], -1), back]
                wanted = [np.moveaxis(np.flip(a, -1) if reverse else a, -1, last) for a in wanted]
                total = (S * back)[..., 0]
                wanted[0] = summed(wanted[0], last, s)
                total = total.sum() if np.shape(w0) == () and w0 is not None else total
                for a, b in zip((ds, dt, dw0), (*wanted, total)):
                    assert a.dtype == dtype
                    near(a, b, 10)


def some_filters():
    """(b, a, sos) of all orders and numbers of sections"""
    for order in range(1, 9):
        yield draw(order + 1), np.poly(draw(order) * 0.8) * 2, None
    yield draw(3), [2.0], None
    yield [0.5], [1.0, -0.5, 0.25], None
    for sections in range(1, 5):
        yield None, None, np.array([[*draw(3), *np.poly(draw(2) * 0.8) * 3] for _ in range(sections)])


def test_filters():
    """All orders and sections, types, axes, lengths, and states, beside a loop and SciPy."""
    try:
        from scipy import signal
    except ImportError:
        signal = None
        print("test_filters: not compared with SciPy, which is not installed")
    for b, a, sos in some_filters():
        for dtype, (shape, axis) in itertools.product((np.float32, np.float64), [
                ((1,), -1), ((500,), 0), ((3, 40), 1), ((40, 3), 0), ((2, 9, 20), 1), ((17, 300), -1), ((0, 4), -1)]):
            x, states = draw(shape, dtype), list(shape)
            states[axis] = 2 if sos is not None else max(len(a), len(b)) - 1
            zi = draw(([len(sos)] if sos is not None else []) + states)
            last = axis - len(shape) if axis >= 0 else axis
            wanted, wanted_zf = filtered(b, a, x, last, zi, sos)
            got, zf = r.solve_filter(b, a, x, axis, zi, sos=sos)
            assert got.dtype == zf.dtype == dtype
            near(got, wanted, GROWN)
            near(zf, wanted_zf, GROWN)
            near(r.solve_filter(b, a, x, axis, sos=sos, cores=2), filtered(b, a, x, last, None, sos)[0], GROWN)
            if signal and x.size:
                y, zf = signal.lfilter(b, a, x, axis, zi) if sos is None else signal.sosfilt(
                    sos / sos[:, 3:4], x, axis, zi)
                near(wanted, y)
                near(wanted_zf, zf)
    b, a = [1, 2, 1], [4, -3, 1]
    x, zi = draw((4, 30)), draw((4, 1))
    near(r.solve_filter(b, a, x, zi=zi)[0], filtered(b, a, x, -1, np.repeat(zi, 2, 1))[0])
    empty = r.solve_filter(b, a, x[:, :0], zi=np.repeat(zi, 2, 1))
    assert empty[0].shape == (4, 0) and (empty[1] == zi).all()
    near(r.solve_filter(b, a, range(9)), filtered(b, a, range(9))[0])
    near(r.solve_filter(b, a, x[:, ::-3]), filtered(b, a, x[:, ::-3])[0])
    x, a = draw(30000, np.float32), np.poly([0.9999 * np.exp(1e-3j), 0.9999 * np.exp(-1e-3j)])
    near(r.solve_filter(1, a, x, carry_in_double=True), filtered([1], a, x)[0].astype(np.float32))


def wrong_filters():
    b, a, x, sos = [1, 2], [1, 0.5], np.ones(5), [[1, 0, 0, 1, 0, 0]]
    yield TypeError, "b and a wanted, or sos alone", lambda: r.solve_filter(b, None, x)
    yield TypeError, "b and a wanted, or sos alone", lambda: r.solve_filter(b, a, x, sos=sos)
    yield TypeError, "a: real numbers", lambda: r.solve_filter(b, [1, 1j], x)
    yield TypeError, "b: real numbers", lambda: r.solve_filter([b, b], a, x)
    yield TypeError, "b: real numbers", lambda: r.solve_filter("12", a, x)
    yield TypeError, "x: of type float16; wanted: float32, float64", lambda: r.solve_filter(b, a, x.astype(">f2"))
    yield ValueError, "not finite in float32", lambda: r.solve_filter(b, [1, 1e40], x.astype("f"))
    yield TypeError, "x: of type complex128", lambda: r.solve_filter(b, a, x * 1j)
    yield TypeError, "x: numbers wanted", lambda: r.solve_filter(b, a)
    yield ValueError, "b, a: 10 and 2 numbers; wanted: 1 to 9", lambda: r.solve_filter([1] * 10, a, x)
    yield ValueError, "not both 1", lambda: r.solve_filter(2, 1, x)
    yield ValueError, "a: the first number is 0", lambda: r.solve_filter(b, [0, 1], x)
    yield ValueError, "sos: a0 of section 1 is 0", lambda: r.solve_filter(sos=[*sos, [1, 0, 0, 0, 1, 0]], x=x)
    yield ValueError, "sos has rows of 6, 6, 6, 6, 6 numbers", lambda: r.solve_filter(sos=sos * 5, x=x)
    yield ValueError, "sos has rows of no numbers", lambda: r.solve_filter(sos=[], x=x)
    yield ValueError, "not finite", lambda: r.solve_filter([np.inf, 1], a, x)
    yield ValueError, "axis", lambda: r.solve_filter(b, a, x, axis=1)
    yield ValueError, "zi has shape (2,); wanted: (1,)", lambda: r.solve_filter(b, a, x, zi=[1, 2])
    yield ValueError, "zi has shape (1, 3); wanted: (1, 2)", lambda: r.solve_filter(sos=sos, x=x, zi=[[1, 2, 3]])
    yield TypeError, "complex128", lambda: r.solve_filter(b, a, x, zi=[1j])
    yield ValueError, "stream", lambda: r.solve_filter(b, a, x, stream=3)
    yield ValueError, "cores", lambda: r.solve_filter(b, a, x, cores=0)


def test_wrong_filters():
    for kind, words, call in wrong_filters():
        raises(kind, call, words)


def test_small_calls():
    """What the functions for small arrays take, and that they agree with the others."""
    solve, run = _core.fast("fast_tridiagonal"), _core.fast("fast_recurrence")
    for dtype, shape, shared in itertools.product(TYPES, [(32,), (3, 8), (2, 3, 4)], (False, True)):
        matrix = shape[-1:] if shared else shape
        sub, super, diag = draw(matrix, dtype), draw(matrix, dtype), draw(matrix, dtype) + dtype(4)
        rhs, x = draw(shape, dtype), draw(shape, dtype)
        for periodic, pivot in itertools.product((0, 1), range(3)):
            assert solve(sub, diag, super, rhs, x, periodic, pivot, 0) is True
            near(x, solved(sub, diag, super, rhs, -1, periodic))
            assert solve(1, 3.5, -1, rhs, x, periodic, pivot, 1) is True
            near(x, solved([1], [3.5], [-1], rhs, -1, periodic))
        for reverse in 0, 1:
            assert run(rhs, rhs, x, 0.0, reverse, 0) is True
            near(x, loop(rhs, rhs, 0, -1, reverse))
            assert run(0.5, rhs, x, 2.0, reverse, 1) is (len(shape) == 1)
            if len(shape) == 1:
                near(x, loop([0.5], rhs, 2, -1, reverse))
    a, b, fixed, large = np.ones(8), np.full(8, 4.0), np.ones(8), np.ones((100, 1000))
    fixed.flags.writeable = False
    x = np.empty(8)
    for call in ([0, b, a, a, x], [a, b, a, a, a], [a, b, a, a, fixed], [a, b, a, a, x[:7]], [a[:7], b, a, a, x],
                 [a, b, a, np.ones((2, 8)), x], [a, b, a.astype("f4"), a, x], [a, b.astype(">f8"), a, a, x],
                 [a, b, a, np.ones(16)[::2], x], [a, 0 * b, 0 * a, a, x], [a, b * np.nan, a, a, x],
                 [large] * 4 + [large.copy()], [np.float64(1)] * 4 + [x], [a[:0]] * 5,
                 [a.astype(int)] * 4 + [x.astype(int)], [a[None], b, a, a, x]):
        assert solve(*call, 0, 2, 0) is False
    assert solve(0.0, 0.0, 0.0, a, x, 0, 2, 1) is False
    two = np.ones((2, 8))
    for call in [a, a, a], [a, a[:7], x], [large, large, large.copy()], ["s", a, x], [a, two, two.copy()]:
        assert run(*call, 0.0, 0, 0) is False
    assert run(two, two, two.copy(), 1.0, 0, 0) is False
    run, b, a = _core.fast("fast_filter"), np.array([1.0, 2.0]), np.array([2.0, -1.0, 0.5])
    for dtype, shape in itertools.product((np.float32, np.float64), [(32,), (2, 3, 4)]):
        x, y = draw(shape, dtype), draw(shape, dtype)
        for first, second in (b, a), (a, b):
            assert run(first, second, x, y, 0) is True
            near(y, filtered(first, second, x)[0])
    for call in [a, b, x, x], [a[:1], a[:1], x, y], [a, 0 * b, x, y], [a[None], b, x, y], [b, a[:0], x, y], [
            np.ones(10), a, x, y], [a, b.astype("f4"), x, y], [a, b, large, large.copy()], [a, b, x * 1j, y * 1j]:
        assert run(*call, 0) is False


def test_empty():
    for shape in (0,), (3, 0), (0, 5), (2, 0, 4):
        none = np.empty(shape, np.float32)
        for axis in range(len(shape)):
            batch = shape[:axis] + shape[axis + 1:]
            x, status = r.solve_tridiagonal(none, none, none, none, axis, status=True)
            assert x.shape == shape and x.dtype == np.float32 and status.shape == batch and not status.any()
            assert r.solve_tridiagonal(1, 4, 1, none, axis, out=x) is x
            assert r.solve_recurrence(none, none, 1, axis).shape == shape
            assert [a.shape for a in r.tridiagonal_gradient(none, none, none, none, none, axis)] == [shape] * 4
            ds, dt, dw0 = r.recurrence_gradient(none, none, none, None, axis)
            assert (ds.shape, dt.shape, dw0.shape) == (shape, shape, batch) and not dw0.any()


def test_threads():
    """Calls in several threads at a time, and in a child process that has been forked after a parallel call."""
    s, t = draw((8, 1 << 14)), draw((8, 1 << 14))
    wanted, failed = r.solve_recurrence(s, t), []

    def work():
        for _ in range(5):
            if not (r.solve_recurrence(s, t) == wanted).all():
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()
        raise AssertionError("the child process does not end")
    assert child.exitcode == 0


# ---- wrong calls ----


class OnGpu:
    """Looks like an array on a GPU."""

    __cuda_array_interface__ = {"shape": (5,), "typestr": "<f8", "data": (64, False), "version": 3}


def wrong_calls():
    """(kind of the exception, piece of its message, call)"""
    x, x4, x35, xi = np.ones(5), np.ones(4), np.ones((3, 5)), np.ones(5, int)
    half, wide, fixed = np.ones(5, np.float16), np.ones(5, np.longdouble), np.ones(5)
    fixed.flags.writeable = False
    masked = np.ma.masked_array(np.ones(5), [0, 1, 0, 0, 0])
    words = np.array(["1", "2"])

    def solve(sub=1, diag=4, super=1, rhs=x, *options, **named):
        return lambda: r.solve_tridiagonal(sub, diag, super, rhs, *options, **named)

    def run(s=x, t=x, *options, **named):
        return lambda: r.solve_recurrence(s, t, *options, **named)

    def gradient(sub=1, diag=4, super=1, y=x, dx=x, **named):
        return lambda: r.tridiagonal_gradient(sub, diag, super, y, dx, **named)

    def back(s=x, w=x, dw=x, *options, **named):
        return lambda: r.recurrence_gradient(s, w, dw, *options, **named)

    return [
        (ValueError, "diag has shape (4,); wanted: one that broadcasts with (5,)", solve(diag=x4)),
        (ValueError, "diag has shape (4, 5)", solve(diag=np.ones((4, 5)), rhs=x35)),
        (ValueError, "sub has shape (3,), so 3 elements along axis -1; wanted: n = 5 or n - 1 = 4", solve(sub=x[:3])),
        (ValueError, "Of n elements the first has no effect", solve(sub=np.ones(6))),
        (ValueError, "sub has shape (4,), so 4 elements along axis -1", solve(x4, x, x4, np.ones((5, 3)))),
        (ValueError, "Of n elements the last has no effect", solve(super=np.ones(3))),
        (ValueError, "super has shape (6,)", solve(super=np.ones(6))),
        (ValueError, "sub has shape (4,), so 4 elements along axis -1; wanted: n = 5", solve(sub=x4, periodic=True)),
        (ValueError, "super has shape (4,)", solve(super=x4, periodic=True)),
        (ValueError, "sub has shape (2, 4)", solve(sub=np.ones((2, 4)), rhs=x35)),
        (ValueError, "sub has shape (0,)", solve(sub=np.ones(0))),
        (ValueError, "diag has shape (0,)", solve(diag=np.ones(0))),
        (ValueError, "single numbers", solve(rhs=1.0)),
        (ValueError, "single numbers", solve(rhs=np.float64(1))),
        (ValueError, "axis: 1 is out of range for arrays of 1 dimensions", solve(axis=1)),
        (ValueError, "axis: -3 is out of range", solve(rhs=x35, axis=-3)),
        (TypeError, "axis: a whole number wanted, not 0.0", solve(axis=0.0)),
        (TypeError, "axis", solve(axis=None)),
        (TypeError, "axis", solve(axis=True)),
        (TypeError, "axis", solve(axis="0")),
        (ValueError, "pivot: one of auto, always, True, never, False, not 'Auto'", solve(pivot="Auto")),
        (OverflowError, "too large", solve(diag=10**400)),
        (ValueError, "pivot", solve(pivot=None)),
        (ValueError, "pivot", solve(pivot=1)),
        (ValueError, "pivot", solve(pivot=["auto"])),
        (ValueError, "cores: a whole number, 1 or more, not 0", solve(cores=0)),
        (ValueError, "cores", solve(cores=-1)),
        (ValueError, "cores", solve(cores=1.5)),
        (ValueError, "cores", solve(cores=True)),
        (ValueError, "cores", run(cores=1 << 40)),
        (ValueError, "out has shape (4,); wanted: (5,)", solve(out=x4)),
        (ValueError, "out has shape (5,); wanted: (3, 5)", solve(rhs=x35, out=np.ones(5))),
        (ValueError, "out has shape (5,); wanted: (3, 5)", solve(diag=4 * x35, out=np.ones(5))),
        (TypeError, "out: of type float32; wanted: float64", solve(out=np.ones(5, np.float32))),
        (TypeError, "out: of type int64", solve(out=xi)),
        (TypeError, "out: of type float64; wanted: complex128", solve(diag=4j, out=np.ones(5))),
        (ValueError, "out: read-only", solve(out=fixed)),
        (TypeError, "out: a NumPy array wanted, not MaskedArray", solve(out=masked)),
        (ValueError, "out: some of its elements", solve(out=np.lib.stride_tricks.as_strided(np.ones(1), (5,), (0,)))),
        (TypeError, "out: a NumPy array wanted, not list", solve(out=[1.0] * 5)),
        (ValueError, "stream: arrays are on the CPU", solve(stream=1)),
        (TypeError, "rhs: of type float16", solve(rhs=half)),
        (TypeError, "diag: of type ", solve(diag=wide)),
        (TypeError, "rhs: masked arrays", solve(rhs=masked)),
        (TypeError, "rhs: numbers wanted", solve(rhs=words)),
        (TypeError, "rhs: numbers wanted", solve(rhs="12345")),
        (TypeError, "sub: numbers wanted, not NoneType", solve(sub=None)),
        (TypeError, "diag: numbers wanted, not dict", solve(diag={})),
        (TypeError, "rhs: numbers wanted", solve(rhs=np.array([1, None]))),
        (TypeError, "rhs: numbers wanted", solve(rhs=np.zeros(3, "f8,f8"))),
        (TypeError, "rhs: numbers wanted", solve(rhs=np.zeros(3, "M8[s]"))),
        (TypeError, "rhs: not an array of numbers", solve(rhs=[[1.0, 2.0], [3.0]])),
        (r.DeviceError, "CU", solve(rhs=OnGpu())),  # no CUDA driver, or no such address
        (TypeError, "missing", lambda: r.solve_tridiagonal(1, 4, 1)),
        (TypeError, "unexpected", solve(way="auto")),
        (SingularMatrixError, "near row", solve(diag=0, sub=0)),
        (SingularMatrixError, "near row", solve(diag=np.nan)),
        (SingularMatrixError, "in system 1 near row", solve(diag=[[4.0], [np.nan], [4.0]], rhs=x35)),
        (SingularMatrixError, "(and in 2 more)", solve(diag=np.inf, rhs=x35)),
        (ValueError, "s has shape (4,); wanted: one that broadcasts with (5,)", run(s=x4)),
        (ValueError, "s has shape (2, 5)", run(s=np.ones((2, 5)), t=x35)),
        (ValueError, "w0 has shape (2,); wanted: one that broadcasts with (3,), that of the batch",
         run(t=x35, w0=np.ones(2))),
        (ValueError, "w0 has shape (3, 5)", run(t=x35, w0=np.ones((3, 5)))),
        (TypeError, "w0: numbers wanted", run(w0="1")),
        (ValueError, "single numbers", run(s=1, t=1)),
        (ValueError, "single numbers", run(s=1, t=1, w0=x)),
        (TypeError, "t: numbers wanted", run(t=None)),
        (TypeError, f"t: of type {wide.dtype}; wanted: float32, float64, complex64, complex128, float16", run(t=wide)),
        (TypeError, "offset: of type float64 and shape (2,); wanted: whole numbers", run(offset=[0.0, 5.0])),
        (TypeError, "offset: of type int64 and shape (1, 2)", run(offset=[[0, 5]])),
        (TypeError, "offset: of type float64 and shape (0,)", run(offset=[])),
        (ValueError, "offset: from 1 to 5; wanted: from 0 to 5, the size along the axis", run(offset=[1, 5])),
        (ValueError, "offset: from 0 to 4; wanted: from 0 to 5", run(offset=[0, 4])),
        (ValueError, "offset: 3 before 2, at 1; wanted: ascending numbers", run(offset=[0, 3, 2, 5])),
        (ValueError, "w0 has shape (3,); wanted: one that broadcasts with (2,), that of the batch: an element for each",
         run(w0=np.ones(3), offset=[0, 2, 5])),
        (ValueError, "w0 has 2 elements along the axis; wanted: 1", run(w0=np.ones(2), offset=[0, 5])),
        (OverflowError, "too large", run(s=10**400)),
        (OverflowError, "too large", run(s=-10**400)),
        (ValueError, "out has shape", run(out=x4)),
        (ValueError, "out has shape (5,); wanted: (3, 5)", run(w0=np.ones(3), out=np.ones(5))),
        (TypeError, "out: of type", run(out=np.ones(5, complex))),
        (ValueError, "out: read-only", run(out=fixed)),
        (ValueError, "axis", run(axis=2)),
        (ValueError, "stream", run(stream=3)),
        (ValueError, "x has shape (4,)", gradient(y=x4)),
        (ValueError, "diag has shape (4,)", gradient(diag=x4)),
        (TypeError, "dx: numbers wanted", gradient(dx=None)),
        (ValueError, "pivot", gradient(pivot="none")),
        (SingularMatrixError, "near row", gradient(diag=0)),
        (ValueError, "w has shape (4,)", back(w=x4)),
        (ValueError, "s has shape (4,)", back(s=x4)),
        (ValueError, "w0 has shape (2,)", back(x, x35, x35, np.ones(2))),
        (ValueError, "axis", back(axis=-2)),
        (ValueError, "cores", back(cores=0)),
    ]


def test_wrong_calls():
    for kind, words, call in wrong_calls():
        raises(kind, call, words)


def test_growth():
    """Matrices whose coefficients would grow from row to row if the first unknowns of a partition or a ring were the
    last to be eliminated. The first one has a condition number of 10^5, which times the roundoff is what
    near(…, 1e3) allows."""
    n, rhs = 1000, random.standard_normal(1000)
    a, b, c = (np.full(n, value) for value in (-1.4, -1.4, 1.5))
    b[[0, 500]], a[500], c[500] = 1e-17, 1e-3, 1e-3
    matrix = dense(a, b, c, False)
    for pivot in "auto", "always":
        x, inplace = r.solve_tridiagonal(a, b, c, rhs, pivot=pivot), rhs.copy()
        r.solve_tridiagonal(a, b, c, inplace, pivot=pivot, out=inplace)
        near(x, np.linalg.solve(matrix, rhs), 1e3)
        near(inplace, x)
        near(r.tridiagonal_gradient(a, b, c, x, rhs, pivot=pivot)[3], np.linalg.solve(matrix.T, rhs), 1e3)
    for dtype, pivot in itertools.product((np.float32, np.float64), ("auto", "always")):
        a, b, c, rhs = (np.full(300, value, dtype) for value in (-1.4, -0.6, 1.5, 1))
        x, status = r.solve_tridiagonal(a, b, c, rhs, periodic=True, pivot=pivot, status=True)
        assert status == 0 and abs(x + 2).max() < 1e-5  # each row sums to -1/2


def test_subnormal_elements():
    """A matrix gives the same x whether all systems share it or each has its own."""
    sub, diag, rhs = np.full(4, 6e-39, "f"), np.full(4, 2e-38, "f"), np.float32([2e-18, -1e-18, 3e-18, 1e-18])
    shared = r.solve_tridiagonal(sub, diag, sub, np.tile(rhs, (40, 1)))
    own = r.solve_tridiagonal(*(np.tile(a, (40, 1)) for a in (sub, diag, sub, rhs)))
    assert (shared == own).all() and abs(own[0, 0] - 1.46e20) < 1e18


def test_errors_are_pickled():
    zeros = np.zeros((2, 3))
    error = raises(SingularMatrixError, lambda: r.solve_tridiagonal(1, zeros, 0, zeros + 1, pivot="never"))
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.system, copy.row) == (str(error), error.system, error.row) and copy.x.shape == (2, 3)
    copy = pickle.loads(pickle.dumps(r.DeviceError(2, "no memory")))
    assert (str(copy), copy.code) == ("no memory", 2)


def test_dlpack():
    """The reader of DLPack's structs, which is for arrays on a GPU without __cuda_array_interface__."""
    for dtype in TYPES:
        for made in draw((3, 4), dtype), draw((3, 8), dtype)[1:, ::2], draw((1,), dtype).reshape(()):
            read = _core.DlpackTensor(made, None)
            assert (read.dtype, read.shape, read.pointer) == (dtype, made.shape, made.ctypes.data)
            assert read.contiguous == made.flags.c_contiguous


# ---- the functions for a GPU, also with NumPy's arrays and the CPU device ----


def for_gpu(torch):
    """A module with the functions, and functions that make an array for them and read one."""
    if torch:
        return r, lambda a: torch.tensor(np.ascontiguousarray(a), device="cuda"), lambda a: a.cpu().numpy()
    return _gpu, np.ascontiguousarray, np.asarray


def test_gpu_systems(torch=None):
    m, on, read = for_gpu(torch)
    for dtype, shape in itertools.product(TYPES, [(300,), (5, 60), (3, 20, 4)]):
        for axis in range(len(shape)):
            n, ones = shape[axis], [1] * len(shape)
            sides = {1: (*shape[:-2], *ones[:len(shape) > 1], n), 2: (*shape[:-1], 1)}.get(len(shape) - axis, shape)
            for matrix, periodic in itertools.product({shape, (n,), (1,), sides}, (False, True)):
                sub, super, diag = draw(matrix, dtype), draw(matrix, dtype), draw(matrix, dtype) + dtype(4)
                rhs, dx, last = draw(shape, dtype), draw(shape, dtype), axis - len(shape)
                x = m.solve_tridiagonal(*map(on, (sub, diag, super, rhs)), axis, periodic)
                assert type(x) is type(on(rhs))
                near(read(x), solved(sub, diag, super, rhs, last, periodic), 10)
                got = m.tridiagonal_gradient(*map(on, (sub, diag, super)), x, on(dx), axis, periodic)
                wanted = differentiated(sub, diag, super, read(x), dx, last, periodic)
                for a, b in zip(map(read, got), wanted):
                    a = a.reshape(-1, *ones[axis + 1:]) if a.ndim == 1 else a
                    a = a.reshape(*ones[:len(shape) - a.ndim], *a.shape)
                    b = b.sum(tuple(k for k in range(b.ndim) if b.shape[k] != a.shape[k]), keepdims=True)
                    near(a, b, 100)
    zero, ones = on(np.zeros(5)), on(np.ones((3, 5)))
    error = raises(SingularMatrixError, lambda: m.solve_tridiagonal(zero, zero, zero, on(np.ones(5))), "near row")
    assert error.system == () and type(error.x) is type(zero)
    x, status = m.solve_tridiagonal(zero, zero, zero, ones, status=True)
    assert status.shape == (3,) and status.all()
    rhs = on(np.ones((3, 5)))
    assert m.solve_tridiagonal(ones, ones + 2, ones, rhs, out=rhs) is rhs


def test_gpu_recurrences(torch=None):
    m, on, read = for_gpu(torch)
    for dtype, (shape, axis) in itertools.product(TYPES, [((3000,), 0), ((5, 700), 1), ((700, 5), 0), ((2, 90, 33), 1)]):
        w0 = draw(shape[:axis] + shape[axis + 1:], dtype)
        s, t, dw = draw(shape, dtype) / 2, draw(shape, dtype), draw(shape, dtype)
        for reverse, start, first in (False, None, 0 * w0), (True, 2, 0 * w0 + 2), (False, on(np.atleast_1d(w0)), w0):
            w = m.solve_recurrence(on(s), on(t), start, axis, reverse)
            near(read(w), loop(s, t, first, axis - len(shape), reverse), 10)
            got = m.recurrence_gradient(on(s), w, on(dw), start, axis, reverse)
            for a, b in zip(map(read, got), r.recurrence_gradient(s, read(w), dw, np.array(first), axis, reverse)):
                near(a, b.reshape(a.shape), 10)
        near(read(m.solve_recurrence(on(s.reshape(-1)[:1]), on(t), None, axis)),
             loop(s.reshape(-1)[:1], t, 0, axis - len(shape)), 10)


def test_gpu_filters(torch=None):
    m, on, read = for_gpu(torch)
    for dtype, (b, a, sos) in itertools.product((np.float32, np.float64), some_filters()):
        for shape in (300,), (5, 700), (2, 3, 40):
            x, states = draw(shape, dtype), [*shape[:-1], 2 if sos is not None else max(len(a), len(b)) - 1]
            zi = draw(([len(sos)] if sos is not None else []) + states, dtype)
            for got, wanted in zip(m.solve_filter(b, a, on(x), zi=on(zi), sos=sos), filtered(b, a, x, -1, zi, sos)):
                near(read(got), wanted, GROWN)
            near(read(m.solve_filter(b, a, on(x), sos=sos)), filtered(b, a, x, -1, None, sos)[0], GROWN)
    x, zi, slow = on(draw(5000, np.float32)), on(draw(2, np.float32)), np.poly([0.9999999, 0.999])
    near(read(m.solve_filter([1], slow, x, carry_in_double=True)), filtered([1], slow, read(x))[0].astype(np.float32),
         100)  # a thread's 68 elements are filtered in single precision
    assert (read(m.solve_filter([1], slow, x[:0], zi=zi)[1]) == read(zi)).all()
    for words, call in [("on a GPU in float32 (carry_in_double=True may do)", lambda: m.solve_filter([1], slow, x)),
                        ("on a GPU in float64", lambda: m.solve_filter([1], [1, -2], x, carry_in_double=True)),
                        ("not finite", lambda: m.solve_filter([1], [1, np.inf], x)),
                        ("zi has shape (2,); wanted: (1,)", lambda: m.solve_filter([1], [1, 2], x, zi=zi)),
                        ("axis: -2; wanted: the last", lambda: m.solve_filter([1], [1, 2], on(np.ones((3, 4))), 0))]:
        raises(ValueError, call, words)


def test_gpu_wrong_calls(torch=None):
    m, on, _ = for_gpu(torch)
    x, x45, x5, single = on(np.ones(9)), on(np.ones((4, 5))), on(np.ones(5)), on(np.ones(9, np.float32))
    for kind, words, call in [
            (ValueError, "not contiguous", lambda: m.solve_recurrence(x45[:, 0], x45[:, 0])),
            (TypeError, "s: float64 wanted, not float32", lambda: m.solve_recurrence(single, x)),
            (ValueError, "s has shape (5,); wanted: (9,), as t", lambda: m.solve_recurrence(x5, x)),
            (ValueError, "axis: 2 is out of range", lambda: m.solve_recurrence(x45, x45, None, 2)),
            (ValueError, "axis: 2 is out of range", lambda: m.solve_tridiagonal(x45, x45, x45, x45, 2)),
            (ValueError, "diag has shape (4, 1); wanted: (4, 5), (5,), (1,)", lambda: m.solve_tridiagonal(
                *[x45[:, :1].reshape(4, 1) + 0] * 3, x45)),
            (ValueError, "sub has shape (5,)", lambda: m.solve_tridiagonal(x5, x45, x45, x45)),
            (ValueError, "diag has shape (9,)", lambda: m.solve_tridiagonal(x, x, x, x45)),
            (ValueError, "pivot", lambda: m.solve_tridiagonal(x, x, x, x, pivot="some")),
            (ValueError, "out overlaps sub", lambda: m.solve_tridiagonal(x, x, x, x + 1, out=x)),
            (ValueError, "out has shape (5,); wanted: (9,)", lambda: m.solve_recurrence(x, x, out=x5)),
            (ValueError, "w0 has shape (5,); wanted: (4,)", lambda: m.solve_recurrence(x45, x45, x5)),
            (ValueError, "dx has shape (5,)", lambda: m.tridiagonal_gradient(x, x, x, x, x5)),
            (ValueError, "dw has shape (5,)", lambda: m.recurrence_gradient(x, x, x5)),
            (TypeError, "stream: a number", lambda: m.solve_recurrence(x, x, stream="0"))]:
        raises(kind, call, words)


def gpu_alone(torch):
    """Streams, other kinds of arrays, and wrong calls."""
    s, t = draw(100000), draw(100000)
    S, T = (torch.tensor(a, device="cuda") for a in (s, t))
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    w = r.solve_recurrence(S, T, 1, stream=side.cuda_stream)
    side.synchronize()
    near(w.cpu(), loop(s, t, 1))

    class Face:
        """An array with the interface of CuPy's and Numba's."""

        def __init__(self, tensor, typestr="<f8"):
            self.tensor = tensor
            self.__cuda_array_interface__ = {"shape": tuple(tensor.shape), "typestr": typestr, "version": 3,
                                             "data": (tensor.data_ptr(), False), "strides": None}

    class Dlpack:
        def __init__(self, tensor):
            self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

    for kind in Face, Dlpack:
        out = torch.empty_like(T)
        r.solve_recurrence(kind(S), kind(T), 1, out=kind(out))
        near(out.cpu(), loop(s, t, 1))
        raises(TypeError, lambda: r.solve_recurrence(kind(S), kind(T)), "needed")
    for kind, words, call in [
            (ValueError, "different devices: t on the CPU, s on GPU 0", lambda: r.solve_recurrence(S, T.cpu())),
            (ValueError, "different devices", lambda: r.solve_tridiagonal(s, S, s, s)),
            (TypeError, "needs a gradient", lambda: r.solve_recurrence(S, T.clone().requires_grad_())),
            (TypeError, "wanted", lambda: r.solve_recurrence(Face(S, "<i4"), T))]:
        raises(kind, call, words)


def layout():
    print("#include <assert.h>\n#include <stddef.h>\n#include <stdbool.h>")
    for header, structs in _core.STRUCTS.items():
        print(f'#include "{header}"')
        for struct in structs:
            name = f"struct {struct.__name__}"
            print(f'static_assert(sizeof({name}) == {_core.ctypes.sizeof(struct)}, "{name}");')
            for field, kind in struct._fields_:
                place = getattr(struct, field)
                print(f'static_assert(offsetof({name}, {field}) == {place.offset} && '
                      f'sizeof((({name} *)0)->{field}) == {_core.ctypes.sizeof(kind)}, "{name}.{field}");')
    for prefix, names in _core.ENUMS.items():
        for value, name in enumerate(names):
            print(f'static_assert({prefix}{name.upper()} == {value}, "{name}");')


def main():
    if sys.argv[1:] == ["--layout"]:
        layout()
        return 0
    on_gpu = sys.argv[1:] == ["--gpu"]
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith(("gpu_", "test_gpu_") if on_gpu else "test_"):
            try:
                test(*[__import__("torch")] if on_gpu else [])
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED: {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
