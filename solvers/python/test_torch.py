"""Tests of recurrences.torch. Ends with "N passed, N failed".

python3 solvers/python/test_torch.py         on the CPU, after make lib-cpu; calls of the GPU library on the CPU device
python3 solvers/python/test_torch.py --gpu   the same on a GPU, after make lib; also streams, graphs and waiting"""

import contextlib
import functools
import itertools
import os
import runpy
import sys
import traceback
from unittest import mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
try:
    import torch
except ImportError:
    print("recurrences.torch is not tested: torch is not installed\n0 passed, 0 failed")
    sys.exit(0)
import recurrences.torch as r  # noqa: E402
from cases import CONSTANTS, GROWN, PACKED, SEQUENCES, SYSTEMS, filter_loop, sections_of  # noqa: E402
from recurrences import _core  # noqa: E402

GPU = "--gpu" in sys.argv[1:]
DEVICE = "cuda" if GPU else "cpu"
REAL, COMPLEX = torch.float64, torch.complex128
CLOSE = {torch.float32: 2e-5, torch.complex64: 2e-5, REAL: 1e-12, COMPLEX: 1e-12}
OPS = torch.ops.recurrences


def draw(*shape, dtype=REAL, low=-1.0, high=1.0):
    made = torch.rand(shape, dtype=dtype, device=DEVICE)
    return made * (high - low) + (low * (1 + 1j) if dtype.is_complex else low)


def near(got, wanted, factor=1.0):
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (got.shape, wanted.shape, got.dtype, wanted.dtype)
    scale = max(wanted.abs().max().item(), 1.0) if wanted.numel() else 1.0
    error = (got - wanted).abs().max().item() / scale if wanted.numel() else 0.0
    assert error <= CLOSE[got.dtype] * factor, f"error {error}"


def raises(kind, words, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert all(word in str(error) for word in words.split("|")), f"'{error}' does not say '{words}'"
        return error
    raise AssertionError(f"no {kind.__name__}")


# ---- problems, and independent solutions ----

def shifts(n, periodic):
    """Matrices that take x to x_{i-1} and to x_{i+1}."""
    one = torch.eye(n, dtype=REAL, device=DEVICE)
    before, after = one.roll(-1, 1), one.roll(1, 1)
    if not periodic and n:
        before[0], after[-1] = 0, 0
    return before, after


def dense(sub, diag, super, rhs, dim=-1, periodic=False):
    """By dense matrices. The operands are broadcast here, in another way than by the module."""
    ndim = max(t.ndim for t in (sub, diag, super, rhs))
    back = dim - ndim if dim >= 0 else dim
    sub, diag, super, rhs = (t.reshape(-1, *[1] * (-back - 1)) if t.ndim == 1 else t for t in (sub, diag, super, rhs))
    n = torch.broadcast_shapes(diag.shape, rhs.shape)[back]
    if sub.ndim and sub.shape[back] == n - 1:
        sub = torch.cat([torch.zeros_like(sub.narrow(back, 0, 1)), sub], back) if n > 1 else diag * 0
    if super.ndim and super.shape[back] == n - 1:
        super = torch.cat([super, torch.zeros_like(super.narrow(back, 0, 1))], back) if n > 1 else diag * 0
    sub, diag, super, rhs = (t.movedim(back, -1) for t in torch.broadcast_tensors(sub, diag, super, rhs))
    before, after = (s.to(diag.dtype) for s in shifts(n, periodic))
    matrix = torch.diag_embed(diag) + sub[..., None] * before + super[..., None] * after
    return torch.linalg.solve(matrix, rhs[..., None])[..., 0].movedim(-1, back)


def system(case, dtype=REAL, grad=False, dominant=True):
    *shapes, dim, periodic = case
    operands = [draw(*shape, dtype=dtype) for shape in shapes]
    if dominant:
        operands[1] = operands[1] + 4
    return [t.requires_grad_(grad) for t in operands], {"dim": dim, "periodic": periodic}


def loop(s, t, w0=None, dim=-1, reverse=False):
    ndim = max(s.ndim, t.ndim, 0 if w0 is None or not w0.ndim else w0.ndim + 1)
    back = dim - ndim if dim >= 0 else dim
    s, t = (a.reshape(-1, *[1] * (-back - 1)) if a.ndim == 1 else a for a in (s, t))
    s, t = torch.broadcast_tensors(s, t)
    if w0 is not None and w0.ndim >= s.ndim:
        s, t = (a.expand(*w0.shape[:w0.ndim + 1 - a.ndim], *a.shape) for a in (s, t))
    w = torch.zeros((), dtype=t.dtype, device=DEVICE) if w0 is None else w0
    found = []
    order = range(t.shape[back])
    for i in reversed(order) if reverse else order:
        w = s.select(back, i) * w + t.select(back, i)
        found.append(w)
    if not found:
        return t + 0 * s
    return torch.stack(found[::-1] if reverse else found, back)


def packed_loop(s, t, w0=None, dim=-1, reverse=False, offset=None):
    if offset is None:
        return loop(s, t, w0, dim, reverse)
    w0 = torch.zeros((), dtype=t.dtype, device=DEVICE) if w0 is None else w0
    back = dim - max(s.ndim, t.ndim, w0.ndim) if dim >= 0 else dim
    s, t, w0 = (a.reshape(-1, *[1] * (-back - 1)) if a.ndim == 1 else a for a in (s, t, w0))
    shape = [*torch.broadcast_shapes(s.shape, t.shape, w0.select(back, 0).unsqueeze(back).shape if w0.ndim else ())]
    starts = [*shape]
    starts[back] = offset.numel() - 1
    s, t, w0 = s.expand(shape), t.expand(shape), w0.expand(starts)
    ends = offset.tolist()
    return torch.cat([loop(s.narrow(back, a, b - a), t.narrow(back, a, b - a), w0.select(back, k), back, reverse)
                      for k, (a, b) in enumerate(zip(ends, ends[1:]))], back)


def sequence(case, dtype=REAL, grad=False):
    *shapes, dim, reverse, offset = (*case, None)[:6]
    operands = [None if shape is None else draw(*shape, dtype=dtype).requires_grad_(grad) for shape in shapes]
    return operands, {"dim": dim, "reverse": reverse, "offset": offset and torch.tensor(offset, device=DEVICE)}


def problems():
    """For each problem the function, an independent one, one that draws operands, and the cases."""
    yield r.solve_tridiagonal, dense, system, SYSTEMS
    yield r.solve_recurrence, packed_loop, sequence, [*SEQUENCES, *CONSTANTS, *PACKED]


def filtered(b, a, x, dim=-1, zi=None, sos=None):
    """(y, zf), by a loop of PyTorch's operations."""
    rows, dim = sections_of(b, a, sos), dim if dim < 0 else dim - x.ndim
    x = x.movedim(dim, 0)
    z = x.new_zeros(1) if zi is None else (zi if sos is not None else zi[None]).movedim(dim, 1)
    states = [[*z] for z in z.expand(len(rows), len(rows[0]) // 2 - 1, *x.shape[1:])]
    y = filter_loop(rows, x, states)
    zf = torch.stack([torch.stack(z) for z in states]).movedim(1, dim)
    return torch.stack(y).movedim(0, dim), zf if sos is not None else zf[0]


SOS = [[1.0, 0.5, 0.25, 2.0, -1.0, 0.5], [0.5, 0.0, 1.0, 1.0, 0.5, 0.25], [1.0, 1.0, 0.0, 1.0, -0.75, 0.0]]
# b, a, sos, shape of x, dim, shape of zi (None: no zi)
FILTERS = [([1.0, 2.0, 0.5], [2.0, -1.0, 0.5], None, (9,), -1, None), ([1.0], [1.0, -0.5], None, (3, 7), 1, (3, 1)),
           ([1.0, 0.0, 2.0, 1.0], [1.0, -0.5], None, (7, 3), 0, (3, 3)), ([0.5, 0.25], [1.0, 0.0, 0.0, 0.25, 0.5], None,
                                                                        (2, 6, 3), 1, (1, 4, 3)),
           ([1.0, -1.0, 0.5], [1.0], None, (2, 8), -1, (2, 2)), (None, None, SOS, (11,), 0, (3, 2)),
           (None, None, SOS, (2, 6, 2), 1, (3, 2, 2, 2)), (None, None, SOS[:1], (4, 5), -1, None)]


def filter_of(case, dtype=REAL, grad=False):
    """The tensors (x, or x and zi), and the function of them."""
    b, a, sos, shape, dim, states = case
    tensors = [draw(*of, dtype=dtype).requires_grad_(grad) for of in (shape, states) if of is not None]

    def call(solve, x, zi=None):
        found = solve(b, a, x, dim, zi, sos=sos)
        return found[0] if zi is None and isinstance(found, tuple) else found

    return tensors, call


# ---- tests ----


def test_filters():
    """Values and gradients beside a loop of PyTorch's operations."""
    for dtype, case in itertools.product((torch.float32, REAL), FILTERS):
        given, call = filter_of(case, dtype, grad=True)
        found = []
        for solve in r.solve_filter, filtered:
            outputs = call(solve, *given)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            loss = sum(t.sin().sum() for t in outputs)
            found.append([*outputs, *torch.autograd.grad(loss, given)])
        for got, wanted in zip(*found):
            near(got, wanted, GROWN)
    x = draw(3, 30000)
    near(r.solve_filter(None, None, x, sos=torch.tensor(SOS)), torch.stack([
        r.solve_filter(None, None, row, sos=SOS) for row in x.to("cpu")]).to(x))
    given, call = filter_of(FILTERS[1])
    near(call(r.solve_filter, given[0][:, :0], given[1])[1], given[1])
    x = draw(5000, dtype=torch.float32)
    slow = [1.0, -2 * 0.9999 * 0.9999995, 0.9999**2]
    near(r.solve_filter([1.0], slow, x, carry_in_double=True), r.solve_filter([1.0], slow, x.double()).float(), GROWN)


def test_gradients_of_filters():
    for case in FILTERS:
        given, call = filter_of(case, grad=True)

        def run(*tensors):
            return call(r.solve_filter, *tensors)

        assert torch.autograd.gradcheck(run, given)
        assert torch.autograd.gradgradcheck(run, given)
    x, zi = draw(2, 9), draw(2, 1).requires_grad_()  # only zi has a gradient
    found = [torch.autograd.grad(sum(t.sum() for t in solve([1.0, 2.0], [1.0, 0.5], x, -1, zi)), zi)[0]
             for solve in (r.solve_filter, filtered)]
    near(*found)
    raises(ValueError, "zi has shape (); wanted: (2, 1)", r.solve_filter, [1.0, 2.0], [1.0, 0.5], x, -1, 0)


def test_transforms_of_filters():
    """compile, vmap, torch.func.grad and opcheck."""
    backend = "inductor" if GPU else "aot_eager"
    for case in FILTERS[0], FILTERS[2], FILTERS[6]:
        given, call = filter_of(case, grad=True)

        def value(solve, *tensors):
            found = call(solve, *tensors)
            return sum(t.sin().sum() for t in (found if isinstance(found, tuple) else (found,)))

        compiled = torch.compile(functools.partial(value, r.solve_filter), fullgraph=True, backend=backend)
        for got, wanted in zip(*(torch.autograd.grad(f(*given), given)
                                 for f in (compiled, functools.partial(value, filtered)))):
            near(got, wanted, GROWN)
        given = [t.detach() for t in given]
        for batched in itertools.product((False, True), repeat=len(given)):
            if not any(batched):
                continue
            stacked = [torch.stack([t, t * 1.1], -1) if many else t for t, many in zip(given, batched)]
            dims = tuple(-1 if many else None for many in batched)
            every = [[t[..., k] if many else t for t, many in zip(stacked, batched)] for k in range(2)]
            numbers = tuple(range(len(given)))
            grad = torch.func.grad(functools.partial(value, r.solve_filter), numbers)
            known = torch.func.grad(functools.partial(value, filtered), numbers)
            for got, *wanted in zip(torch.vmap(grad, dims)(*stacked), *(known(*one) for one in every)):
                near(got, torch.stack(wanted), GROWN)
    numbers = [v for row in SOS for v in row]
    for zi in None, draw(3, 2, 2).requires_grad_():
        for name, result in torch.library.opcheck(OPS.filter.default, (
                draw(2, 5).requires_grad_(), zi, numbers, 3, 2, False)).items():
            assert result == "SUCCESS", (name, result)


def test_wrong_filters():
    x, b, a = draw(5), [1.0, 2.0], [1.0, 0.5]
    raises(NotImplementedError, "b: coefficients of filters have no gradients", r.solve_filter,
           torch.ones(2, requires_grad=True), a, x)
    raises(TypeError, "x: of type torch.complex128", r.solve_filter, b, a, x + 1j)
    raises(TypeError, "zi: of type torch.float32; wanted: torch.float64", r.solve_filter, b, a, x, zi=draw(
        1, dtype=torch.float32))
    raises(TypeError, "at least one tensor", r.solve_filter, b, a, 1.0)
    raises(ValueError, "zi has shape (2,); wanted: (1,)", r.solve_filter, b, a, x, zi=draw(2))
    raises(ValueError, "dim: 1", r.solve_filter, b, a, x, 1)
    raises(ValueError, "a: the first number is 0", r.solve_filter, b, [0.0, 1.0], x)
    raises(ValueError, "not finite", r.solve_filter, [float("inf"), 1], a, x)
    with torch.autograd.forward_ad.dual_level():
        raises(NotImplementedError, "forward-mode", r.solve_filter, b, a, torch.autograd.forward_ad.make_dual(x, x))


def test_values():
    for solve, known, make, cases in problems():
        for case, dtype in itertools.product(cases, CLOSE):
            operands, options = make(case, dtype)
            kept = [None if t is None else t.clone() for t in operands]
            got = solve(*operands, **options)
            near(got, known(*operands, **options), 10)
            assert got.is_contiguous(), case
            assert all(a is b or torch.equal(a, b) for a, b in zip(operands, kept)), case


def test_pivots():
    for case in SYSTEMS:
        operands, options = system(case, dominant=False)
        for pivot in "auto", "always", True:
            near(r.solve_tridiagonal(*operands, pivot=pivot, **options), dense(*operands, **options), 1e5)
    operands, options = system(SYSTEMS[6])
    near(r.solve_tridiagonal(*operands, pivot=False), dense(*operands))


def test_large():
    """More than one core, systems that are solved one by one, and batches of them."""
    for shape, periodic in ((70000,), False), ((3, 20000), False), ((70000,), True), ((500, 200), False), (
            (2, 4000), True), ((2, 2000), False):
        operands, _ = system((shape,) * 4 + (-1, periodic))
        plain = r.solve_tridiagonal(*operands, periodic=periodic)
        x = r.solve_tridiagonal(*(t.requires_grad_() for t in operands), periodic=periodic)
        near(plain, x.detach())
        sub, diag, super, rhs = operands
        before, after = x.roll(1, -1), x.roll(-1, -1)
        if not periodic:
            before, after = before.index_fill(-1, torch.tensor(0, device=DEVICE), 0), after.index_fill(
                -1, torch.tensor(shape[-1] - 1, device=DEVICE), 0)
        near(sub * before + diag * x + super * after, rhs, 10)
        dx = draw(*shape)
        gradients = torch.autograd.grad(x, operands, dx)
        y = gradients[3]
        up, down = (super * y).roll(1, -1), (sub * y).roll(-1, -1)
        if not periodic:
            up[..., 0], down[..., -1] = 0, 0
        near(up + diag * y + down, dx, 10)
        for got, at in zip(gradients, (before, x, after)):
            near(got, -y * at, 10)
    s, t = draw(3, 50000, low=-0.9, high=0.9), draw(3, 50000)
    near(r.solve_recurrence(s[:, :500], t[:, :500]), loop(s[:, :500], t[:, :500]))
    w = r.solve_recurrence(s, t)
    near(w[:, 1:], s[:, 1:] * w[:, :-1] + t[:, 1:])


def test_gradients():
    for solve, known, make, cases in problems():
        for number, case in enumerate(cases):
            for dtype in (REAL, COMPLEX) if number % 2 == 0 else (REAL,):
                operands, options = make(case, dtype, grad=True)
                given = [t for t in operands if t is not None]

                def call(*given):
                    given = list(given)
                    return solve(*(None if t is None else given.pop(0) for t in operands), **options)

                assert torch.autograd.gradcheck(call, given, fast_mode=number > 6), case
                if number < 2 or number % 3 == 0 or case[-1]:
                    assert torch.autograd.gradgradcheck(call, given, fast_mode=number > 1), case
                if not all(t.numel() for t in given):
                    continue
                # against autograd through the independent solution
                got, wanted = call(*given), known(*operands, **options)
                weights = draw(*got.shape, dtype=dtype)
                for a, b in zip(torch.autograd.grad(got, given, weights), torch.autograd.grad(wanted, given, weights)):
                    near(a, b, 100)


def test_types_of_16_bits():
    """Solutions and gradients beside those of the same numbers in single precision."""
    large = ((70, 3000), (70, 3000), (70,), -1, False), ((3000, 300), (3000, 300), (300,), 0, True)
    for dtype, unit in (torch.float16, 2.0**-11), (torch.bfloat16, 2.0**-8):
        for case in [*SEQUENCES, *CONSTANTS, *PACKED, *large]:
            operands, options = sequence(case, torch.float32)
            small = [None if t is None else t.to(dtype).requires_grad_() for t in operands]
            exact = [None if t is None else t.detach().float().requires_grad_() for t in small]
            found = []
            for given in small, exact:
                w = r.solve_recurrence(*given, **options)
                given = [t for t in given if t is not None]
                found.append([w, *torch.autograd.grad(w.sum(), given)])
            for k, (a, b) in enumerate(zip(*found)):
                assert a.dtype == dtype and a.shape == b.shape, (a.dtype, a.shape, b.shape)
                # ds is a product with the rounded w, and is rounded, as are the terms of sums over what was broadcast
                close = unit if k == 0 else 4 * unit
                scale = b.abs().max().clamp(min=1) if k and b.numel() else b.abs()
                assert ((a.float() - b).abs() <= close * scale + 1e-5).all(), (dtype, case, k)
    half = draw(5, dtype=torch.float32).half()
    raises(TypeError, "diag: of type torch.float16|torch.float32", r.solve_tridiagonal, 1, half, 1, half)


def test_third_derivative():
    for solve, known, make, cases in problems():
        operands, options = make(cases[0], grad=True)
        thirds = []
        for call in solve, known:
            value = call(*operands, **options).sin().sum()
            for _ in range(3):
                value = sum((g.sin() * (1 + k)).sum() for k, g in enumerate(torch.autograd.grad(
                    value, operands[:2], create_graph=True)))
            thirds.append(value.detach())
        near(*thirds, 1e3)


def test_some_gradients():
    """Only some of the operands need a gradient."""
    for solve, known, make, cases in problems():
        for case in cases[3], cases[6]:
            operands, options = make(case)
            for k in range(len(operands)):
                if operands[k] is None:
                    continue
                found = []
                for call in solve, known:
                    some = [t if j != k or t is None else t.clone().requires_grad_() for j, t in enumerate(operands)]
                    found += torch.autograd.grad(call(*some, **options).sin().sum(), some[k])
                near(*found, 10)


def samples():
    """Arguments of the operators."""
    (sub, diag, super, rhs), _ = system(SYSTEMS[6], grad=True)
    dx = draw(3, 5).requires_grad_()
    one = [t.detach()[:1].clone().requires_grad_() for t in (sub, diag, super)]
    yield OPS.tridiagonal.default, (sub, diag, super, rhs, 1, False, "auto", True)
    yield OPS.tridiagonal_gradient.default, (sub, diag, super, rhs, dx, 1, True, "never", False, False)
    yield OPS.tridiagonal_gradient.default, (*one, rhs, dx, 1, False, "always", True, True)
    yield OPS.recurrence.default, (sub, rhs, dx[:, 0].detach().clone().requires_grad_(), None, 1, True)
    yield OPS.recurrence_gradient.default, (sub, rhs, None, dx, None, 0, False)
    offset, w0 = torch.tensor([0, 1, 1, 5], device=DEVICE), draw(3, 3).requires_grad_()
    yield OPS.recurrence.default, (sub, rhs, w0, offset, 1, True)
    yield OPS.recurrence_gradient.default, (sub, rhs, w0, dx, offset, 1, False)


def test_opcheck():
    for operator, arguments in samples():
        for name, result in torch.library.opcheck(operator, arguments).items():
            assert result == "SUCCESS", (operator, name, result)


def test_compile():
    backend = "inductor" if GPU else "aot_eager"
    for solve, known, make, case in (r.solve_tridiagonal, dense, system, SYSTEMS[-3]), (
            r.solve_recurrence, packed_loop, sequence, SEQUENCES[6]), (
            r.solve_recurrence, packed_loop, sequence, PACKED[6]):
        operands, options = make(case, grad=True)
        values = [call(*operands, **options).sin().sum()
                  for call in (torch.compile(solve, fullgraph=True, backend=backend), known)]
        for a, b in zip(*(torch.autograd.grad(value, operands) for value in values)):
            near(a, b, 10)
    call = torch.compile(r.solve_tridiagonal, fullgraph=True, backend=backend, dynamic=True)
    for shape in (3, 5), (4, 7):
        operands, _ = system((shape,) * 4 + (-1, False))
        near(call(*operands), dense(*operands))
    broken = [torch.zeros(3, dtype=REAL, device=DEVICE)] * 3 + [torch.ones(3, dtype=REAL, device=DEVICE)]
    raises(r.SingularMatrixError, "row", call, *broken)


def test_vmap():
    for make, case in (system, ((3, 5),) * 4 + (-1, True)), (sequence, ((3, 5), (3, 5), (3,), -1, True)), (
            sequence, ((3, 5), (3, 5), (3, 2), -1, True, (0, 1, 5))), (sequence, ((3, 1), (3, 5), (3,), -1, True)):
        solve, (operands, options) = r.solve_tridiagonal if make is system else r.solve_recurrence, make(case)
        for batched in itertools.product((False, True), repeat=len(operands)):
            if not any(batched):
                continue
            given = [torch.stack([t, t * 1.1], -1) if b else t for t, b in zip(operands, batched)]
            dims = tuple(-1 if b else None for b in batched)

            def call(*given):
                return solve(*given, **options)

            def grad(*given):
                return torch.func.grad(lambda *g: call(*g).sin().sum(), argnums=tuple(range(len(given))))(*given)

            every = [[t[..., k] if b else t for t, b in zip(given, batched)] for k in range(2)]
            near(torch.vmap(call, dims)(*given), torch.stack([call(*one) for one in every]))
            for got, *wanted in zip(torch.vmap(grad, dims)(*given), *(grad(*one) for one in every)):
                near(got, torch.stack(wanted))
    s = draw()
    t = draw(2, 4)
    near(torch.vmap(r.solve_recurrence, (None, 0))(s, t), loop(s, t))
    near(torch.vmap(lambda a, b: r.solve_recurrence(a, b))(t[:, 0], t), loop(t[:, :1], t))
    hessian = torch.func.jacrev(torch.func.jacrev(lambda d: r.solve_tridiagonal(0.5, d, 0.25, s).sin().sum()))
    wanted = torch.func.jacrev(torch.func.jacrev(lambda d: dense(s * 0 + 0.5, d, s * 0 + 0.25, s).sin().sum()))
    near(hessian(t[0] + 3), wanted(t[0] + 3), 10)


def test_views():
    """Views that are strided, or of which conjugation or sign are not in memory."""
    operands, _ = system(((3, 5),) * 4 + (-1, False), COMPLEX)
    wide = [torch.stack([t, t], -1)[..., 0] for t in operands]
    near(r.solve_tridiagonal(*wide), dense(*operands))
    near(r.solve_tridiagonal(*(t.conj() for t in operands)), dense(*(t.conj().resolve_conj() for t in operands)))
    minus = [t.conj().imag for t in operands[1::2]]  # two real tensors with the negative bit
    assert minus[0].is_neg()
    near(r.solve_recurrence(*minus), loop(*(t.resolve_neg() for t in minus)))
    sub, diag, super, rhs = (t.detach() for t in operands)
    near(r.solve_tridiagonal(sub, torch.nn.Parameter(diag), super, rhs).detach(), dense(sub, diag, super, rhs))
    with torch.inference_mode():
        near(r.solve_tridiagonal(*operands), dense(*operands))
    flipped = [t.T.contiguous() for t in operands]
    near(r.solve_tridiagonal(*flipped, dim=0), dense(*operands).T)


def test_shortest_way():
    """fast.c solves small systems, but only where nothing but the solver takes part."""
    for solve, known, make, cases in problems():
        operands, _ = make(cases[6] if make is system else ((3, 5), (3, 5), None, -1, False))
        operands = [t for t in operands if t is not None]
        fast = r._fast_tridiagonal if solve is r.solve_tridiagonal else r._fast_recurrence
        for dim in (0, 1, -1, -2) if not GPU else ():
            near(fast(*operands, dim, False, *[2] * (make is system)), known(*operands, dim=dim))
        counts = [sys.getrefcount(t) for t in operands]
        for _ in range(100):
            fast(*operands, 1, False, 2)
        assert counts == [sys.getrefcount(t) for t in operands]
        for k in range(len(operands)):
            some = [t.clone().requires_grad_() if j == k else t for j, t in enumerate(operands)]
            assert solve(*some).requires_grad, k
            with torch.no_grad():
                assert not solve(*some).requires_grad, k
            minus = [torch.view_as_complex(torch.stack([t, -t], -1)).conj().imag if j == k else t
                     for j, t in enumerate(operands)]
            assert minus[k].is_neg()
            near(solve(*minus), known(*operands))
            wide = [torch.stack([t, t], -1)[..., 0] if j == k else t for j, t in enumerate(operands)]
            near(solve(*wide), known(*operands))
            raises(TypeError, "of type torch.float|wanted: torch.float", solve,
                   *(t.float() if j == k else t for j, t in enumerate(operands)))
        raises(TypeError, "dim: a whole number", solve, *operands, dim=True)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(operands[0], operands[0])
            raises(NotImplementedError, "forward-mode", solve, dual, *operands[1:])
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode(allow_non_fake_inputs=True):
            assert type(solve(*operands)) is not torch.Tensor


def test_breakdowns():
    for shape, dim in ((3, 4), -1), ((2000,), -1), ((4, 3), 0):
        n = shape[dim]
        sub, diag, super, rhs = (draw(*shape) for _ in range(4))
        diag = diag + 4
        whole = len(shape) == 1
        for t in sub, diag, super:
            if whole:
                t.zero_()
            else:
                t.select(1 + dim, 1).zero_()
        error = raises(r.SingularMatrixError, "row", r.solve_tridiagonal, sub, diag, super, rhs, dim=dim)
        assert error.system == (() if whole else (1,)) and 0 <= error.row < n, error.failures
        assert len(error.failures) == 1, error.failures
        with torch.no_grad():
            x = r.solve_tridiagonal(sub, diag, super, rhs, dim=dim, check=False)
            bad = x.select(dim, 0).isnan()
            assert bad.sum() == 1 and (whole or bad[1]), bad
            if not whole:
                kept = torch.tensor([0, 2], device=DEVICE)
                others = [t.index_select(1 + dim, kept) for t in (sub, diag, super, rhs, x)]
                near(others.pop(), dense(*others, dim=dim))
    zero, one = (torch.full((3,), value, dtype=REAL, device=DEVICE) for value in (0.0, 1.0))
    gradient = functools.partial(OPS.tridiagonal_gradient, zero, zero, zero, one, one, 0, False, "auto")
    raises(r.SingularMatrixError, "row", gradient, True, True)
    assert all(g[0].isnan() for g in gradient(False, True))
    for bad in float("nan"), float("inf"):
        operands, _ = system(SYSTEMS[6])
        operands[1][1, 2] = bad
        assert raises(r.SingularMatrixError, "row", r.solve_tridiagonal, *operands).system == (1,)


def test_bad_calls():
    a, b = draw(5) + 4, draw(3, 5) + 4
    tri, rec = r.solve_tridiagonal, r.solve_recurrence
    packed, whole = (rec, a, a, None, -1, False), torch.tensor([0, 5], device=DEVICE)
    for kind, words, call, *arguments in [
            (TypeError, "diag: of type torch.float64|torch.float32, as sub", tri, a.float(), a, a, b),
            (TypeError, "sub: of type torch.float16|torch.complex128", tri, a.half(), a.half(), a.half(), a.half()),
            (TypeError, "sub: of type torch.int64", tri, *[a.long()] * 4),
            (TypeError, "rhs: of type torch.complex128", tri, a, a, a, b.to(COMPLEX)),
            (TypeError, "diag: a tensor or a number wanted, not list", tri, a, [1.0] * 5, a, a),
            (TypeError, "rhs: a tensor or a number wanted, not NoneType", tri, a, a, a, None),
            (TypeError, "diag: a tensor or a number wanted, not complex", tri, a, 1j, a, a),
            (TypeError, "sub, diag, super, rhs: at least one tensor", tri, 1, 2, 3, 4),
            (TypeError, "sub: of layout", tri, a.to_sparse(), a, a, a),
            (TypeError, "sub: of layout", tri, *[a.to_sparse()] * 4),
            (ValueError, "diag: on meta", tri, a, a.to("meta"), a, a),
            (ValueError, "sub has shape (3,)|n = 5 or n - 1 = 4|first has no effect", tri, a[:3], a, a, a),
            (ValueError, "super has shape (6,)|last has no effect", tri, a, a, torch.cat([a, a[:1]]), a),
            (ValueError, "sub has shape (4,)|n = 5 elements, or 1", tri, a[:4], a, a, a, -1, True),
            (ValueError, "rhs has shape (2, 5)|broadcasts with (3, 5)", tri, a, b, a, b[:2]),
            (ValueError, "rhs has shape (4,)", tri, a, a, a, a[:4]),
            (ValueError, "dim: 2 is out of range for operands of 2 dimensions", tri, b, b, b, b, 2),
            (ValueError, "dim: -3 is out of range", tri, b, b, b, b, -3),
            (ValueError, "dim: 0 is out of range for operands of 0", tri, *[a[0]] * 4, 0),
            (TypeError, "dim: a whole number wanted, not 0.0", tri, b, b, b, b, 0.0),
            (TypeError, "dim: a whole number wanted, not True", tri, b, b, b, b, True),
            (ValueError, "pivot: one of auto", tri, a, a, a, a, -1, False, "sometimes"),
            (ValueError, "pivot: one of auto", tri, a, a, a, a, -1, False, None),
            (TypeError, "t: of type torch.float32", rec, a, a.float()),
            (TypeError, "t: a tensor or a number wanted, not str", rec, a, "a"),
            (ValueError, "t has shape (4,)|broadcasts with (5,)", rec, a, a[:4]),
            (ValueError, "w0 has shape (2,)|broadcasts with (3,)", rec, b, b, a[:2]),
            (TypeError, "w0: of type torch.complex128", rec, a, a, a.to(COMPLEX)),
            (ValueError, "dim: 1 is out of range", rec, a, a, None, 1),
            (TypeError, "offset: torch.int32; wanted: a tensor of torch.int64", *packed, torch.tensor([0, 5]).int()),
            (TypeError, "offset: list; wanted: a tensor of torch.int64", *packed, [0, 5]),
            (ValueError, "offset has shape (1, 2); wanted: one dimension", *packed, torch.tensor([[0, 5]])),
            (ValueError, "offset has shape (0,); wanted: one dimension", *packed, torch.tensor([]).long()),
            (ValueError, "offset: on meta; wanted: ", *packed, torch.tensor([0, 5], device="meta")),
            (ValueError, "w0 has 2 elements along the axis; wanted: 1", rec, a, a, a[:2], -1, False, whole),
            (ValueError, "w0 has shape (2, 5)|broadcasts with (3, 1)", rec, a, b, b[:2], -1, False, whole)]:
        try:
            raises(kind, words, call, *arguments)
        except AssertionError as error:
            raise AssertionError(f"{words}: {error}") from None
    if not GPU:
        raises(ValueError, "refused", *packed, torch.tensor([0, 3, 2, 5]))
        raises(ValueError, "offset: to 4; wanted: to 5", rec, b, b, None, -1, False, torch.tensor([0, 4]))
    raises(NotImplementedError, "offset", torch.vmap(lambda o: rec(a, a, offset=o)), torch.stack([whole, whole]))
    raises(NotImplementedError, "", torch.func.jvp, lambda t: tri(1.0, t, 1.0, 1.0), (a,), (a,))


def test_cores():
    assert r._cores(torch.ones(8)) == 1
    assert r._cores(torch.ones(1 << 20)) == torch.get_num_threads()


def test_threads():
    """Calls from several threads at once, each with its own workspace."""
    import threading

    operands, _ = system(((40, 30),) * 4 + (-1, False))
    wanted, failures = dense(*operands), []

    def work():
        try:
            for _ in range(20):
                near(r.solve_tridiagonal(*operands), wanted)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_calls_of_the_gpu_library():
    """On a CPU: the code that calls the GPU library, with tensors in main memory, as the CPU device takes them."""
    library = _core.library()
    r._systems.cache_clear()
    with mock.patch.multiple(r, _on_gpu=lambda t: True, _stream=lambda t: None, _fast_tridiagonal=lambda *_: False,
                             _fast_recurrence=lambda *_: False), (
            mock.patch.object(_core, "library", lambda gpu=False: library)), (
            mock.patch.object(torch.cuda, "device", lambda device: contextlib.nullcontext())), (
            mock.patch.object(torch.cuda, "current_device", lambda: 0)):
        for solve, known, make, cases in problems():
            for case in [*cases[::2], *([((1100,),) * 4 + (-1, True)] if make is system else [])]:
                operands, options = make(case, grad=True)
                needed, found = [t for t in operands if t is not None], []
                for call in solve, known:
                    x = call(*operands, **options)
                    found.append([x, *torch.autograd.grad(x.sin().sum(), needed)])
                for a, b in zip(*found):
                    near(a, b, 10)
        test_breakdowns()
        test_types_of_16_bits()
        test_filters()
        for words, options in ("float32 (carry_in_double=True may do)", {}), ("float64", {"carry_in_double": True}):
            raises(ValueError, f"powers of the filter grow|on a GPU in {words}", r.solve_filter, [1.0], [1.0, -1.5],
                   draw(9000, dtype=torch.float32), **options)
    r._systems.cache_clear()


def test_examples():
    for name in "torch_heat", "moving_average":
        runpy.run_path(os.path.join(HERE, "..", "examples", f"{name}.py"), run_name="__main__")


# ---- tests that only a GPU can pass ----


def steps():
    """Calls of both functions, forward and backward, as a function without arguments that returns tensors."""
    tri, _ = system(((30, 200),) * 4 + (-1, False), grad=True)
    one, _ = system(((5000,),) * 4 + (-1, False), grad=True)
    shared, _ = system(((200,),) * 3 + ((30, 200), -1, True), grad=True)
    rec, _ = sequence(((30, 200), (30, 200), (30,), -1, False), grad=True)

    def step():
        x = r.solve_tridiagonal(*tri, check=False).sum() + r.solve_tridiagonal(*one, check=False).sum()
        x = x + r.solve_tridiagonal(*shared, check=False, periodic=True).sum() + r.solve_recurrence(*rec).sum()
        return torch.autograd.grad(x, [*tri, *one, *shared, *rec])

    return step, [*tri, *one, *shared, *rec]


def gpu_test_no_waiting():
    step, _ = steps()
    step()  # loads kernels
    torch.cuda.set_sync_debug_mode("error")
    try:
        step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def gpu_test_asynchronous():
    """The calls return while the stream is still busy with work before them."""
    step, _ = steps()
    step()
    torch.cuda.synchronize()
    torch.cuda._sleep(2_000_000_000)
    step()
    assert not torch.cuda.current_stream().query(), "the stream was idle: the call waited"
    torch.cuda.synchronize()


def gpu_test_stream():
    """On another stream, behind work that is still running there."""
    step, operands = steps()
    wanted = [2 * g for g in step()]
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(500_000_000)
        a = [t.detach().clone() for t in operands]
        x = r.solve_tridiagonal(*a[:4], check=False)
        w = r.solve_recurrence(*a[-3:])
    stream.synchronize()
    near(x, dense(*a[:4]))
    near(w, loop(*a[-3:]))
    assert wanted


def gpu_test_graph():
    step, operands = steps()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = step()
    for factor in 1.0, 0.9, 1.1:
        with torch.no_grad():
            for t in operands:
                t.mul_(factor)
        graph.replay()
        torch.cuda.synchronize()
        for got, wanted in zip(captured, step()):
            near(got, wanted, 10)


def gpu_test_devices():
    """Tensors of a GPU that is not the current one."""
    if torch.cuda.device_count() < 2:
        return
    operands, _ = system(SYSTEMS[6], grad=True)
    other = [t.detach().to("cuda:1").requires_grad_() for t in operands]
    raises(ValueError, "sub: on cuda:0", r.solve_tridiagonal, operands[0], *other[1:])
    for call in r.solve_tridiagonal, lambda *t: r.solve_recurrence(*t[:2]):
        found = []
        for given in operands, other:
            x = call(*given)
            found.append([x, *torch.autograd.grad(x.sin().sum(), given, allow_unused=True)])
        for a, b in zip(*found):
            assert a is b is None or b.device.index == 1 and (near(b.cpu(), a.cpu()) or True)
    assert torch.cuda.current_device() == 0


def main():
    torch.manual_seed(1)
    if not GPU:
        torch.set_num_threads(2)
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_") and not (GPU and name == "test_calls_of_the_gpu_library") or (
                GPU and name.startswith("gpu_test_")):
            try:
                test()
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED: {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
