"""Tests of recurrences.papers. Ends with "N passed, N failed".

python3 solvers/python/test_papers.py           the CPU library, with numpy (after make lib)
python3 solvers/python/test_papers.py --gpu     the GPU library, with torch
"""

import cmath
import math
import os
import random
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy  # noqa: E402
from recurrences import SingularMatrixError, papers as r  # noqa: E402

NAMES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
CLOSE = {"s": 2e-5, "c": 2e-5, "d": 1e-12, "z": 1e-12}


class Numpy:
    name, gpu = "numpy", False

    def make(self, numbers, kind, shape=None):
        made = numpy.array(numbers, dtype=NAMES[kind])
        return made.reshape(shape) if shape else made

    def read(self, made):
        assert type(made).__module__ == "numpy"
        return made.reshape(-1).tolist()


class Torch:
    name, gpu = "torch", True

    def __init__(self):
        import torch

        self.torch = torch

    def make(self, numbers, kind, shape=None):
        made = self.torch.tensor(numbers, dtype=getattr(self.torch, NAMES[kind]), device="cuda")
        return made.reshape(shape) if shape else made

    def read(self, made):
        assert made.is_cuda
        return made.reshape(-1).tolist()


# ---- references ----


def draw(kind, count, low=-1.0, high=1.0):
    def one():
        return random.uniform(low, high)

    return [complex(one(), one()) if kind in "cz" else one() for _ in range(count)]


def near(kind, got, wanted, factor=1.0):
    assert len(got) == len(wanted), (len(got), len(wanted))
    scale = max([abs(v) for v in wanted] + [1.0])
    for i, (a, b) in enumerate(zip(got, wanted)):
        assert abs(a - b) <= CLOSE[kind] * factor * scale, f"number {i}: {a}, not {b}"


def loop(s, t, w0):
    w = []
    for a, b in zip(s, t):
        w0 = a * w0 + b
        w.append(w0)
    return w


def system(kind, n):
    """A system that needs no pivoting, and its solution."""
    sub, super_, x = draw(kind, n), draw(kind, n), draw(kind, n)
    diag = [v + 4 for v in draw(kind, n)]
    return sub, diag, super_, product(sub, diag, super_, x), x


def product(sub, diag, super_, x, periodic=False):
    n = len(x)
    return [(sub[i] * x[i - 1] if i or periodic else 0) + diag[i] * x[i]
            + (super_[i] * x[(i + 1) % n] if i < n - 1 or periodic else 0) for i in range(n)]


def interleaved(numbers, batch, n):
    return [numbers[k * n + i] for i in range(n) for k in range(batch)]


def arrays_of(m, kind, rows):
    """The arrays sub, diag, super and rhs of a system()."""
    return [m.make(a, kind) for a in rows[:4]]


def joined(systems):
    """The systems one after the other: sub, diag, super, rhs and x."""
    return [[v for one in systems for v in one[k]] for k in range(5)]


def raises(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), f"'{error}' does not say {words}"
        return error
    raise AssertionError(f"no {kind.__name__}")


# ---- tests. The argument m is a Plain, Numpy or Torch, which makes and reads arrays of its kind ----


def test_recurrences_of_papers(m):
    """The kernels of W12 and W13: with arrays s and t, and with constants."""
    for kind in "sd":
        s, t = draw(kind, 777), draw(kind, 777)
        for solve in r.pcr, r.pscheme_g:
            near(kind, m.read(solve(m.make(s, kind), m.make(t, kind), 2.0, blocks=3, threads=64)), loop(s, t, 2.0))
        for solve, variants in ((r.pscheme_recurrence, "block rearranged register recompute ahead"),
                                (r.pscheme_g_constant, "block soa extended warp ends fused")):
            for variant in variants.split():
                out = m.make([0.0] * 501, kind)
                assert solve(out, 0.5, 3.0, 1.0, variant=variant, blocks=2, threads=32) is out
                near(kind, m.read(out), loop([0.5] * 501, [3.0] * 501, 1.0))


def test_transpose(m):
    a = list(range(35 * 70))
    for how in "global", "tile", "padded":
        b = r.transpose(m.make(a, "s", (35, 70)), how=how)
        assert tuple(b.shape) == (70, 35) and m.read(b) == [float(i * 70 + j) for j in range(70) for i in range(35)]


def test_batch_breaks(m):
    """The second of three systems is singular."""
    systems = [system("d", 60) for _ in range(3)]
    for k in range(3):
        systems[1][k][:] = [0.0] * 60
    arrays = [m.make(a, "d", (3, 60)) for a in joined(systems)[:4]]
    error = raises(SingularMatrixError, lambda: r.thomas_batch(*arrays), "system 1")
    assert [k for k, _ in error.failures] == [(1,)] and error.system == (1,) and 0 <= error.row < 60
    x = m.read(error.x)
    near("d", x[:60] + x[120:], systems[0][4] + systems[2][4])


def test_thomas_batch(m):
    batch, n = 6, 63
    for kind in "sd":
        rows = joined([system(kind, n) for _ in range(batch)])
        mixed = [interleaved(a, batch, n) for a in rows]
        for variant in r._THOMAS_VARIANTS:
            for all_rows, shape, across in (rows, (batch, n), False), (mixed, (n, batch), True):
                arrays = [m.make(a, kind, shape) for a in all_rows[:4]]
                got = r.thomas_batch(*arrays, variant=variant, interleaved=across, threads=64)
                near(kind, m.read(got), all_rows[4])


def test_nshape(m):
    for kind in "sdcz":
        rows = system(kind, 400)
        arrays = arrays_of(m, kind, rows)
        for parts in None, (), (20,), (50, 7):
            near(kind, m.read(r.nshape(*arrays, parts=parts)), rows[4])
        if not m.gpu:
            near(kind, m.read(r.nshape(*arrays, cores=2)), rows[4])
    rows = system("d", 1)
    near("d", m.read(r.nshape(*arrays_of(m, "d", rows))), rows[4])
    rows = system("d", 40)
    rows[1][0] = rows[2][0] = 0.0
    error = raises(SingularMatrixError, lambda: r.nshape(*arrays_of(m, "d", rows)))
    assert error.row == 0


def test_pscheme_tridiagonal(m):
    for kind in "sd":
        for n in 2, 3, 200:
            off, x = draw(kind, n), draw(kind, n)
            diag = [v + 4 for v in draw(kind, n)]
            rhs = [x[i] if i in (0, n - 1) else diag[i] * x[i] - off[i] * (x[i - 1] + x[i + 1]) for i in range(n)]
            arrays = [m.make(a, kind) for a in (diag, off, rhs)]
            for rearranged in True, False:
                near(kind, m.read(r.pscheme_tridiagonal(*arrays, rearranged=rearranged, blocks=2, threads=32)), x)
            if not m.gpu:
                near(kind, m.read(r.substitution_solve(*arrays)), x)
                near(kind, m.read(r.pscheme_solve_lanes(*arrays, cores=2)), x)
                for method in "repeat", "map":
                    near(kind, m.read(r.pscheme_solve(*arrays, method=method, parts=5, cores=2)), x)
    diag, off = m.make([3.0] * 50, "d"), m.make([1.0] * 50, "d")
    zero = m.make([3.0] * 20 + [0.0] + [3.0] * 29, "d")
    no_off = m.make([0.0] * 50, "d")
    error = raises(SingularMatrixError, lambda: r.pscheme_tridiagonal(zero, no_off, diag, blocks=1, threads=32))
    assert error.row == 20
    if not m.gpu:
        assert raises(SingularMatrixError, lambda: r.substitution_solve(zero, no_off, diag)).row == 20
        wanted = m.read(r.substitution_solve(diag, off, diag))
        near("d", m.read(r.pscheme_solve(diag, off, diag, method="eq13")), wanted)
        raises(ValueError, lambda: r.pscheme_solve(zero, off, diag, method="eq13"), "constant")


def test_heat(m):
    n, dt = 15, 0.01
    h = 1 / (n + 1)
    u = [math.sin(math.pi * (i + 1) * h) * math.sin(2 * math.pi * (j + 1) * h) for j in range(n) for i in range(n)]
    for kind in "sd":
        square = m.make(u, kind, (n, n))
        heat = r.Heat(square, dt)
        ratio = dt / (2 * h * h)
        assert abs(heat.ratio - ratio) < 1e-6 * ratio
        x, y = 2 - 2 * math.cos(math.pi * h), 2 - 2 * math.cos(2 * math.pi * h)
        near(kind, m.read(heat.explicit("x")), [v * (1 - ratio * x) for v in u])
        near(kind, m.read(heat.explicit("y")), [v * (1 - ratio * y) for v in u])
        assert heat.step(3) is square
        factor = (1 - ratio * x) * (1 - ratio * y) / (1 + ratio * x) / (1 + ratio * y)
        near(kind, m.read(square), [v * factor**3 for v in u])


def test_tdse(m):
    n, dx, dt = 120, 0.1, 0.02
    psi = [complex(math.sin(2 * math.pi * (i + 1) / (n + 1))) for i in range(n)]
    energy = (1 - math.cos(2 * math.pi / (n + 1))) / dx**2
    factor = (1 - 0.5j * dt * energy) / (1 + 0.5j * dt * energy)
    for kind in "cz":
        v = m.make([0.0] * n, "s" if kind == "c" else "d")
        for options in ({}, {"kept": True}, {"solver": "n_shaped"},
                        {"solver": "n_shaped", "kept": True, "parts": (12, 3)},
                        {"solver": "n_shaped", "cores": 2}, {"solver": "n_shaped", "cores": 2, "kept": True}):
            if m.gpu and "cores" in options:
                continue
            wave = m.make(psi, kind)
            tdse = r.Tdse(wave, v, 0.0, dx, dt, **options)
            for _ in range(3):
                assert tdse.step() is wave
            near(kind, m.read(wave), [p * factor**3 for p in psi], 10)
    # A potential and a field change the phase of psi, but not its norm.
    wave, v = m.make(psi, "z"), m.make([0.25] * n, "d")
    tdse = r.Tdse(wave, v, -6.0, dx, dt)
    for _ in range(2):
        tdse.step(field=0.5)
    moved = m.read(wave)
    assert abs(sum(abs(p)**2 for p in moved) / sum(abs(p)**2 for p in psi) - 1) < 1e-12
    assert max(abs(cmath.phase(a / b)) for a, b in zip(moved, psi) if abs(b) > 0.1) > 0.01


def test_cpu_only(m):
    if m.gpu:
        raises(TypeError, lambda: r.nshape(*4 * [m.make([1.0], "d")], cores=1), "GPU")
        return
    for kind in "sd":
        s, t = draw(kind, 300), draw(kind, 300)
        S, T = m.make(s, kind), m.make(t, kind)
        wanted = [2.0] + loop(s, t, 2.0)
        near(kind, m.read(r.recurrence_serial(S, T, 2.0)), wanted)
        near(kind, m.read(r.recurrence_pscheme(S, T, 2.0, parts=7, cores=2)), wanted)


# Functions of several arrays: their arrays, how many dimensions these may have, which of them `out` may be (None: there
# is no `out`), and more arguments.
SHAPES = [
    (r.pcr, "s t", 1, "", {}),
    (r.pscheme_g, "s t", 1, "", {}),
    (r.thomas_batch, "sub diag super rhs", 2, "", {}),
    (r.nshape, "sub diag super rhs", 1, "", {}),
    (r.pscheme_tridiagonal, "diag off rhs", 1, "", {}),
]
CPU_SHAPES = [
    (r.recurrence_serial, "s t", 1, None, {}),
    (r.recurrence_pscheme, "s t", 1, None, {}),
    (r.nshape, "sub diag super rhs", 1, "", {"cores": 2}),
    (r.substitution_solve, "diag off rhs", 1, "", {}),
    (r.pscheme_solve, "diag off rhs", 1, "", {}),
    (r.pscheme_solve_lanes, "diag off rhs", 1, "", {}),
]


def test_shapes(m):
    """Shapes that a function does not take: more dimensions, or another shape than the other arrays."""

    def filled(*shape):
        return m.make([3.0] * math.prod(shape), "d", shape)

    for solve, names, most, outputs, options in SHAPES + CPU_SHAPES * (not m.gpu):
        names = names.split()
        for shape in (4, 6), (2, 3, 4):
            if len(shape) > most:
                raises(ValueError, lambda: solve(*(filled(*shape) for _ in names), **options), f"has shape {shape}")
        good = (4, 6) if most == 2 else (24,)
        for bad in (24,), (4, 6), (6, 4), (25,), (24, 1):
            if bad == good:
                continue
            for i, name in enumerate(names):
                arrays = [filled(*(bad if k == i else good)) for k in range(len(names))]
                words = ["has shape"] if name == "rhs" else ["has shape", str(bad)]
                raises(ValueError, lambda: solve(*arrays, **options), *words)
            if outputs is not None:
                raises(ValueError, lambda: solve(*(filled(*good) for _ in names), out=filled(*bad), **options),
                       f"out has shape {bad}")


def test_overlaps(m):
    """`out` may be some inputs. It may overlap no other input and no part of one."""
    for solve, names, _, outputs, options in SHAPES + CPU_SHAPES * (not m.gpu):
        for i, name in enumerate(names.split() if outputs is not None else []):
            number = {"diag": 9.0}
            long = m.make([number.get(name, 3.0)] * 31, "d")
            views = [long[k:k + 30] for k in range(2)]
            arrays = [m.make([number.get(other, 3.0)] * 30, "d") for other in names.split()]
            arrays[i] = views[0]
            raises(ValueError, lambda: solve(*arrays, out=views[1], **options), f"out overlaps {name}")
            if name in outputs.split():
                assert solve(*arrays, out=arrays[i], **options) is arrays[i]
                continue
            raises(ValueError, lambda: solve(*arrays, out=arrays[i], **options), f"out overlaps {name}")
            assert m.read(long) == [number.get(name, 3.0)] * 31


def test_refused(m):
    ten, nine = m.make([1.0] * 10, "d"), m.make([1.0] * 9, "d")
    single, two = m.make([1.0] * 10, "s"), m.make([1.0] * 10, "d", (2, 5))
    psi = m.make([1] * 10, "z")
    flat = 4 * [ten]
    wrong = [
        (TypeError, "s: float32 or float64 wanted", lambda: r.pcr(psi, psi)),
        (ValueError, "out has shape (10,); wanted: (11,)", lambda: r.recurrence_serial(ten, ten, out=ten)),
        (ValueError, "a: two dimensions", lambda: r.transpose(ten)),
        (ValueError, "out has shape (2, 5); wanted: (5, 2)", lambda: r.transpose(two, out=two)),
        (ValueError, "out has shape (2, 5)", lambda: r.pscheme_recurrence(two, 0.5, 1.0)),
        (ValueError, "out has shape (2, 5)", lambda: r.pscheme_g_constant(two, 0.5, 1.0)),
        (ValueError, "blocks", lambda: r.pcr(ten, ten, blocks=0)),
        (ValueError, "threads", lambda: r.pcr(ten, ten, threads=2048)),
        (ValueError, "multiple of 32", lambda: r.thomas_batch(*flat, threads=48)),
        (ValueError, "thomas_tile", lambda: r.thomas_batch(*flat, variant="none")),
        (ValueError, "parts", lambda: r.nshape(*flat, parts=(3, 4))),
        (ValueError, "n x n", lambda: r.Heat(ten, 0.1)),
        (ValueError, "n x n", lambda: r.Heat(m.make([1.0] * 16, "d", (2, 8)), 0.1)),
        (ValueError, "refused", lambda: r.Heat(nine, -1.0)),
        (ValueError, "out has shape (10,)", lambda: r.Heat(nine, 0.1).explicit(out=ten)),
        (TypeError, "v: float64 wanted", lambda: r.Tdse(psi, single, 0.0, 0.1, 0.1)),
        (ValueError, "v has shape (9,)", lambda: r.Tdse(psi, nine, 0.0, 0.1, 0.1)),
    ]
    if not m.gpu:
        wrong += [
            (ValueError, "out overlaps t", lambda: r.recurrence_serial(nine, ten[1:], out=ten)),
            (ValueError, "psi overlaps v", lambda: r.Tdse(psi, psi.view("d")[:10], 0.0, 0.1, 0.1)),
            (ValueError, "contiguous", lambda: r.pcr(ten, ten, out=numpy.ones(20)[::2])),
            (TypeError, "s: float32 or float64 wanted", lambda: r.pcr(ten.astype(">f8"), ten)),
            (ValueError, "aligned", lambda: r.recurrence_serial(numpy.ones(81, "u1")[1:].view("d"), ten)),
            (ValueError, "read-only", lambda: r.pcr(ten, ten, out=numpy.frombuffer(bytes(80)))),
        ]
    for kind, message, call in wrong:
        raises(kind, call, message)
    assert m.read(ten) == [1.0] * 10


def main():
    m = Torch() if sys.argv[1:] == ["--gpu"] else Numpy()
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            random.seed(1)
            try:
                test(m)
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED: {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
