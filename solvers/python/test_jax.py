"""Tests of recurrences.jax, on JAX's default device. Ends with "N passed, N failed".

python3 solvers/python/test_jax.py         after make lib-cpu, on a GPU after make lib"""

import functools
import itertools
import os
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
try:
    import jax
except ImportError:
    print("recurrences.jax is not tested: JAX is not installed\n0 passed, 0 failed")
    sys.exit(0)
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # compiles in less time
from recurrences import _core  # noqa: E402

try:
    _core.library(True)
except OSError:
    jax.config.update("jax_platforms", "cpu")
import recurrences.jax as r  # noqa: E402
from cases import CONSTANTS, GROWN, PACKED, SEQUENCES, SYSTEMS, filter_loop, sections_of  # noqa: E402

CLOSE = {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-12, "complex128": 1e-12}
random = numpy.random.default_rng(1)


def draw(*shape, dtype="float64"):
    made = random.uniform(-1, 1, shape)
    if dtype.startswith("complex"):
        made = made + 1j * random.uniform(-1, 1, shape)
    return made.astype(dtype)  # not a JAX array, because every operation of JAX would be compiled


def near(got, wanted, factor=1.0):
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (got.shape, wanted.shape, got.dtype, wanted.dtype)
    if wanted.size:
        error = abs(got - wanted).max() / max(abs(wanted).max(), 1.0)
        assert error <= CLOSE[got.dtype.name] * factor, f"error {error}"


def raises(kind, words, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert all(word in str(error) for word in words.split("|")), f"'{error}' does not say '{words}'"
        return
    raise AssertionError(f"no {kind.__name__} '{words}'")


# ---- independent solutions, in NumPy, or in JAX, so that it finds their derivatives ----


def along(axis, *operands):
    """The operands, those of one dimension reshaped to lie along the axis, and the axis counted from the end."""
    ndim = max(a.ndim for a in operands)
    axis = axis - ndim if axis >= 0 else axis
    return [a.reshape(-1, *[1] * (-axis - 1)) if a.ndim == 1 else a for a in operands], axis


def dense(sub, diag, super, rhs, axis=-1, periodic=False, np=jnp):
    (sub, diag, super, rhs), axis = along(axis, sub, diag, super, rhs)
    n = numpy.broadcast_shapes(diag.shape, rhs.shape)[axis]

    def padded(a, where):
        short = a.ndim and a.shape[axis] == n - 1
        return np.pad(a, [(0, 0)] * (a.ndim + axis) + [where] + [(0, 0)] * (-axis - 1)) if short else a

    sub, diag, super, rhs = (np.moveaxis(a, axis, -1) for a in np.broadcast_arrays(
        padded(sub, (1, 0)), diag, padded(super, (0, 1)), rhs))
    one = numpy.eye(n, dtype=rhs.dtype)
    before, after = numpy.roll(one, -1, 1), numpy.roll(one, 1, 1)
    if not periodic and n:
        before[0], after[-1] = 0, 0
    matrix = diag[..., None] * one + sub[..., None] * before + super[..., None] * after
    return np.moveaxis(np.linalg.solve(matrix, rhs[..., None])[..., 0], -1, axis)


def loop(s, t, w0=None, axis=-1, reverse=False, np=jnp):
    ndim = max(s.ndim, t.ndim, 0 if w0 is None or not w0.ndim else w0.ndim + 1)
    (s, t), axis = along(axis - ndim if axis >= 0 else axis, s, t)
    s, t = np.broadcast_arrays(s, t, *[] if w0 is None else [np.expand_dims(w0, axis)] * (w0.ndim > 0))[:2]
    w, found = np.zeros((), t.dtype) if w0 is None else w0, []
    order = range(t.shape[axis])
    for i in reversed(order) if reverse else order:
        w = s.take(i, axis) * w + t.take(i, axis)
        found.append(w)
    return np.stack(found[::-1] if reverse else found, axis) if found else t


def packed_loop(s, t, w0=None, axis=-1, reverse=False, offset=None, np=jnp):
    if offset is None:
        return loop(s, t, w0, axis, reverse, np)
    (s, t, w0), axis = along(axis, s, t, np.zeros((), t.dtype) if w0 is None else w0)
    shape = [*numpy.broadcast_shapes(s.shape, t.shape, w0.take(numpy.zeros(1, int), axis).shape if w0.ndim else ())]
    starts = [*shape]
    starts[axis] = len(offset) - 1
    s, t, w0 = np.broadcast_to(s, shape), np.broadcast_to(t, shape), np.broadcast_to(w0, starts)
    return np.concatenate([loop(s.take(i := numpy.arange(a, b), axis), t.take(i, axis), w0.take(k, axis), axis, reverse,
                                np) for k, (a, b) in enumerate(zip(offset, offset[1:]))], axis)


def filtered(b, a, x, axis=-1, zi=None, sos=None):
    """(y, zf), by a loop of JAX's operations; the axis is counted from the end."""
    rows, x = sections_of(b, a, sos), jnp.moveaxis(x, axis, 0)
    z = jnp.moveaxis(zi if b is None else zi[None], axis, 1)
    states = [[*z] for z in jnp.broadcast_to(z, (*z.shape[:2], *x.shape[1:]))]
    y = filter_loop(rows, x, states)
    zf = jnp.moveaxis(jnp.stack([jnp.stack(z) for z in states]), 1, axis)
    return jnp.moveaxis(jnp.stack(y), 0, axis), zf if sos is not None else zf[0]


def problem(solve, case, dtype="float64"):
    """(operands without None, a function of them, an independent one)"""
    *shapes, axis, flag = case if solve is r.solve_tridiagonal else case[:5]
    operands = [draw(*shape, dtype=dtype) for shape in shapes if shape is not None]
    if solve is r.solve_tridiagonal:
        operands[1] = operands[1] + 4
        return operands, *(functools.partial(f, axis=axis, periodic=flag) for f in (solve, dense))
    more = {"offset": case[5]} if case[5:] else {}
    return operands, *(functools.partial(f, axis=axis, reverse=flag, **more) for f in (solve, packed_loop))


PROBLEMS = [(r.solve_tridiagonal, SYSTEMS), (r.solve_recurrence, [*SEQUENCES, *CONSTANTS, *PACKED])]


def real(call):
    """A real function with all derivatives, and which complex ones have."""
    return lambda *operands: jnp.sum(jnp.sin(jnp.real(x := call(*operands))) + jnp.imag(x) ** 2)


def neighbours(x, periodic=False):
    before, after = numpy.roll(x, 1, -1), numpy.roll(x, -1, -1)
    if not periodic:
        before[..., 0] = after[..., -1] = 0
    return before, after


# ---- tests ----


def test_values():
    for solve, cases in PROBLEMS:
        for number, case in enumerate(cases):
            operands, call, known = problem(solve, case, list(CLOSE)[number % 4])
            near(call(*operands), known(*operands, np=numpy), 10)
    near(r.solve_tridiagonal([9, 1], [4, 4], 1, [6, 9]), [1.0, 2.0])
    operands = [draw(3, 6) for _ in range(4)]
    for pivot in "auto", "always":
        near(r.solve_tridiagonal(*operands, pivot=pivot), dense(*operands, np=numpy), 1e5)
    for shape, periodic in ((3000,), False), ((3000,), True), ((1500, 40), False):
        sub, diag, super, rhs = (draw(*shape) for _ in range(4))
        x = numpy.asarray(r.solve_tridiagonal(sub, diag + 4, super, rhs, periodic=periodic))
        before, after = neighbours(x, periodic)
        near(sub * before + (diag + 4) * x + super * after, rhs)


def differences(call, operands, step=1e-6):
    """The gradient of a real function, as JAX defines it, by central differences."""
    for k, operand in enumerate(operands):
        found = numpy.zeros(operand.shape, operand.dtype)
        for at in numpy.ndindex(operand.shape):
            for way in (1, -1j) if numpy.iscomplexobj(operand) else (1,):  # JAX: dL/dRe - i dL/dIm
                values = []
                for change in step, -step:
                    changed = numpy.array(operand)
                    changed[at] += change * numpy.conj(way)
                    values.append(call(*operands[:k], changed, *operands[k + 1:]).item())
                found[at] += way * (values[0] - values[1]) / (2 * step)
        yield found


def test_gradients():
    """Against finite differences, and for some cases against JAX's derivatives of the independent solutions, also
    second and third ones. The matrices are not symmetric."""
    for solve, cases in PROBLEMS:
        for number, case in enumerate(cases):
            operands, call, known = problem(solve, case, "complex128" if number % 5 == 4 else "float64")
            some = number % 3 == 0 or number == 4 or case in CONSTANTS or case in PACKED
            if not some or not all(a.size for a in operands):
                continue
            every, loss = tuple(range(len(operands))), jax.jit(real(call))
            for a, b in zip(jax.jit(jax.grad(loss, every))(*operands), differences(loss, operands)):
                near(a, b, 1e5)
            if number not in (4, 6) and case not in (CONSTANTS[1], PACKED[2], PACKED[6]):
                continue

            def second(call, operands=operands, every=every):
                return jax.grad(lambda *a: sum(jnp.sum(jnp.sin(jnp.real(g))) for g in jax.grad(real(call), every)(*a)),
                                every)(*operands)

            for a, b in zip(*(jax.jit(second, static_argnums=0)(f) for f in (call, known))):
                near(a, b, 1000)
    four = [draw(5) + 2 for _ in range(4)]
    for k, wanted in enumerate(jax.jit(jax.grad(real(dense), (0, 1, 2, 3)))(*four)):
        near(jax.jit(jax.grad(real(r.solve_tridiagonal), k))(*four), wanted, 1000)  # only one operand has a derivative
    sub, diag, super, rhs = draw(3), draw(3) + 4, draw(3), draw(2, 3)
    thirds = [jax.jit(jax.jacrev(jax.jacrev(jax.grad(lambda d: real(f)(sub, d, super, rhs)))))(diag)
              for f in (r.solve_tridiagonal, dense)]
    near(*thirds, 1000)


def test_long_gradient():
    """One system that all cores solve."""
    sub, diag, super, rhs, dx = (draw(3000) for _ in range(5))
    diag = diag + 4
    x, back = jax.vjp(r.solve_tridiagonal, sub, diag, super, rhs)
    dsub, ddiag, dsuper, y = map(numpy.asarray, back(dx))
    near(neighbours(super * y)[0] + diag * y + neighbours(sub * y)[1], dx)
    before, after = neighbours(numpy.asarray(x))
    for got, at in (dsub, before), (ddiag, x), (dsuper, after):
        near(got, -y * at)


def test_types_of_16_bits():
    """Solutions and gradients beside those of the same numbers in single precision."""
    for dtype, unit in ("float16", 2.0**-11), ("bfloat16", 2.0**-8):
        for case in SEQUENCES[3], CONSTANTS[1], PACKED[2]:
            operands, call, _ = problem(r.solve_recurrence, case, "float32")
            half = [jnp.asarray(a, dtype) for a in operands]
            single = [a.astype("float32") for a in half]
            found = [[call(*a), *jax.grad(lambda *b: call(*b).sum(), (0, 1, 2))(*a)] for a in (half, single)]
            for a, b in zip(*found):
                assert a.dtype == dtype and abs(a.astype("float32") - b).max() <= 8 * unit * max(1, abs(b).max())


def test_offsets():
    """As an array of 32 and of 64 bits, that is known only at run time."""
    s, t = draw(2, 7), draw(2, 7)
    wanted = packed_loop(s, t, None, 1, False, [0, 3, 3, 7], numpy)
    for dtype in numpy.int32, numpy.int64:
        near(jax.jit(lambda o: r.solve_recurrence(s, t, offset=o))(numpy.array([0, 3, 3, 7], dtype)), wanted)
    raises(NotImplementedError, "offset", jax.vmap(lambda o: r.solve_recurrence(s, t, offset=o)), jnp.ones((2, 3), int))


def test_vmap():
    for solve, case in (r.solve_tridiagonal, SYSTEMS[8]), (r.solve_recurrence, SEQUENCES[4]), (
            r.solve_recurrence, PACKED[2]), (r.solve_recurrence, CONSTANTS[1]):
        operands, call, _ = problem(solve, case)
        every = tuple(range(len(operands)))
        for batched in itertools.product((False, True), repeat=len(operands)):
            if sum(batched) not in (1, len(operands)):
                continue
            single = jax.jit(jax.grad(real(call), every))
            given = [numpy.stack([a, 1.1 * a], -1) if b else a for a, b in zip(operands, batched)]
            axes = [-1 if b else None for b in batched]
            one = [[a[..., k] if b else a for a, b in zip(given, batched)] for k in range(2)]
            near(jax.vmap(call, axes)(*given), numpy.stack([call(*o) for o in one]))
            for got, *wanted in zip(jax.jit(jax.vmap(single, axes))(*given), *(single(*o) for o in one)):
                near(got, numpy.stack(wanted), 10)
    operands, call, _ = problem(r.solve_tridiagonal, SYSTEMS[0])
    sub, diag, super, rhs = operands
    twice = jax.vmap(jax.vmap(call, (None, None, None, 0)), (None, 0, None, None))(
        sub, numpy.stack([diag] * 2), super, numpy.stack([rhs] * 3))
    near(twice, numpy.broadcast_to(call(*operands), (2, 3, 5)))


def test_filters():
    sos = [[1.0, 0.5, 0.25, 2.0, -1.0, 0.5], [0.5, 0.0, 1.0, 1.0, 0.5, 0.25]]
    for b, a, sos, shape, axis, states in [([1.0, 2.0, 0.5], [2.0, -1.0, 0.5], None, (6,), -1, (2,)),
                                           ([1.0, 0.0, 2.0, 1.0], [1.0, -0.5], None, (5, 2), -2, (3, 1)),
                                           (None, None, sos, (2, 5, 2), -2, (2, 2, 2, 2))]:
        x, zi = draw(*shape), draw(*states)

        def call(solve, x, zi):
            return solve(b, a, x, axis, zi, sos=sos)

        def value(solve):
            return lambda x, zi: sum(jnp.sin(t).sum() for t in call(solve, x, zi))

        for got, wanted in zip(call(r.solve_filter, x, zi), call(filtered, x, zi)):
            near(got, wanted)
        near(r.solve_filter(b, a, x, axis, sos=sos), call(filtered, x, 0 * zi)[0])
        raises(TypeError, "zi: of type complex", lambda: call(r.solve_filter, x, 1j * zi))
        gradients = [jax.jit(jax.grad(value(solve), (0, 1))) for solve in (r.solve_filter, filtered)]
        for got, wanted in zip(*(grad(x, zi) for grad in gradients)):
            near(got, wanted, GROWN)
        # The second derivative, in a direction.
        second = [jax.grad(lambda x: (grad(x, zi)[0] * zi.sum()).sum()) for grad in gradients]
        near(second[0](x), second[1](x), GROWN)
        many = numpy.stack([x, 2 * x], -1)
        each = [gradients[1](x * k, zi) for k in (1, 2)]
        for got, *wanted in zip(jax.vmap(gradients[0], (-1, None))(many, zi), *each):
            near(got, jnp.stack(wanted), GROWN)
    x = draw(5, dtype="float32")
    assert r.solve_filter([1], [1, 0.5], x).dtype == "float32" and r.solve_filter([1], [1, 0.5], x[:0]).shape == (0,)
    raises(TypeError, "x: of type complex64", r.solve_filter, [1], [1, 2], x * 1j)
    raises(ValueError, "zi has shape (2,); wanted: (1,)", r.solve_filter, [1], [1, 2], x, zi=[1, 2])
    raises(NotImplementedError, "b: coefficients of filters are not traced", jax.grad(
        lambda b: r.solve_filter(b, [1, 2], x).sum()), numpy.ones(2))


def test_conventions():
    """Those of jax.lax.linalg.tridiagonal_solve. The elements that have no effect are NaN."""
    for batch, k, dtype in ((), 1, "float64"), ((2, 3), 5, "float32"):
        dl, d, du = (draw(*batch, 6, dtype=dtype) for _ in range(3))
        b, d = draw(*batch, 6, k, dtype=dtype), d + 4
        dl[..., 0] = du[..., -1] = 0
        wanted = jax.lax.linalg.tridiagonal_solve(dl, d, du, b)
        dl[..., 0], du[..., -1] = numpy.nan, numpy.inf
        near(r.tridiagonal_solve(dl, d, du, b), wanted, 10)
    raises(ValueError, "dl has shape (5,)|(6,)", r.tridiagonal_solve, *map(numpy.ones, (5, 6, 6, (6, 2))))
    dl, d, du, b = draw(2, 6), draw(2, 6) + 4, draw(2, 6), draw(2, 6, 3)
    found = jax.grad(lambda *a: real(r.tridiagonal_solve)(*a), (0, 1, 2, 3))(dl, d, du, b)
    wanted = jax.grad(lambda dl, d, du, b: real(functools.partial(dense, axis=-2))(
        dl[..., None], d[..., None], du[..., None], b), (0, 1, 2, 3))(dl, d, du, b)
    for x, y in zip(found, wanted):
        near(x, y, 10)


def test_breakdowns():
    for shape in (3, 4), (2000,):
        sub, diag, super, rhs = (draw(*shape) for _ in range(4))
        diag = diag + 4
        bad = [a * (numpy.arange(shape[0])[:, None] != 1 if len(shape) == 2 else 0) for a in (sub, diag, super)]
        gradients = jax.grad(lambda *a: r.solve_tridiagonal(*a).sum(), (0, 1, 2, 3))(*bad, rhs)
        for x in (jax.jit(r.solve_tridiagonal)(*bad, rhs), *gradients):
            rows = numpy.isnan(x).any(-1)
            assert (rows == (numpy.arange(3) == 1)).all() if len(shape) == 2 else rows, (shape, rows)
    assert numpy.isnan(r.solve_tridiagonal(0.0, numpy.zeros(4), 0.0, numpy.ones((3, 4)))).all()
    diag[7] = numpy.nan
    assert numpy.isnan(r.solve_tridiagonal(sub, diag, super, rhs)).all()


def test_bad_calls():
    a, b = draw(5) + 4, draw(3, 5) + 4
    tri, rec = r.solve_tridiagonal, r.solve_recurrence
    for kind, words, call, *arguments in [
            (TypeError, "sub, diag, super, rhs: of type bfloat16|complex128", tri, *[jnp.asarray(a, "bfloat16")] * 4),
            (TypeError, "diag: not an array of numbers", tri, a, "a", a, a),
            (TypeError, "rhs: not an array of numbers", tri, a, a, a, None),
            (ValueError, "sub has shape (3,)|n = 5 or n - 1 = 4", tri, a[:3], a, a, a),
            (ValueError, "super has shape (4,)|n = 5 elements, or 1", tri, a, a, a[:4], a, -1, True),
            (ValueError, "rhs has shape (2, 5)|broadcasts with (3, 5)", tri, a, b, a, b[:2]),
            (ValueError, "axis: 2 is out of range for operands of 2", tri, b, b, b, b, 2),
            (ValueError, "axis: -1 is out of range for operands of 0", tri, 1, 2, 3, 4),
            (TypeError, "axis: a whole number wanted, not 0.5", tri, b, b, b, b, 0.5),
            (ValueError, "pivot: one of auto", tri, a, a, a, a, -1, False, "sometimes"),
            (ValueError, "t has shape (4,)|broadcasts with (5,)", rec, a, a[:4]),
            (ValueError, "w0 has shape (2,)|broadcasts with (3,)", rec, b, b, a[:2]),
            (ValueError, "offset: from 0 to 4; wanted: from 0 to 5", rec, a, a, None, -1, False, [0, 4]),
            (TypeError, "offset: of type float64 and shape (2,)", rec, a, a, None, -1, False, jnp.ones(2)),
            (ValueError, "w0 has 2 elements along the axis; wanted: 1", rec, a, a, a[:2], -1, False, [0, 5])]:
        raises(kind, words, call, *arguments)
    raises(TypeError, "forward-mode", jax.jvp, lambda t: tri(1.0, t, 1.0, 1.0), (a,), (a,))


def test_compiler():
    """What the import says without a compiler, or if that fails."""
    with tempfile.TemporaryDirectory() as cache:
        for compiler, words in ("/none/c++", "recurrences.jax needs a C++ compiler"), ("false", "false -std=c++17"):
            done = subprocess.run([sys.executable, "-c", "import recurrences.jax"], capture_output=True, text=True,
                                  cwd=HERE, env=os.environ | {"CXX": compiler, "RECURRENCES_CACHE": cache})
            assert done.returncode == 1 and "ImportError" in done.stderr and words in done.stderr, done.stderr


def main():
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED: {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"recurrences.jax on {jax.devices()[0].platform}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
