#!/usr/bin/env python3
"""Times the solvers beside what people use from Python: SciPy, loops in NumPy, PyTorch, JAX, accelerated-scan.

    python3 solvers/python/bench.py --csv results/x/python_cpu.csv                  # 15 minutes
    python3 solvers/python/bench.py --device cuda --csv results/x/python_gpu.csv    # 6 minutes
    python3 solvers/python/bench.py --device cuda --shapes --csv results/x/python_shapes.csv

Every peer that imports is timed, forward and, as phase "gradient", forward and backward. Its results are put into the
equations first, and the error is in its row. The columns of the CSV file are those of all programs (common/results.h).
A peer is not timed with larger problems once a call takes more than --limit seconds; what is left out, and why, is said
in the lines that begin with #. All peers use their own number of threads; `cores` is what the process may use.
A variant c_call calls the C function by ctypes, without arguments to convert: what a call costs at least."""

import argparse
import datetime
import functools
import importlib
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import time

import numpy

sys.path.append(sys.path.pop(0))  # an installed package goes before that of the sources
COLUMNS = ("program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,samples,"
           "median_ms,q1_ms,q3_ms,min_ms,bytes,error,status").split(",")
TYPES = {"s": numpy.float32, "d": numpy.float64}
options = None  # of the command line


@functools.lru_cache(None)
def why_missing(name):
    """Why a module cannot be imported, or None."""
    try:
        importlib.import_module(name)
    except Exception as error:  # whatever its initialisation raises
        return repr(error)[:200]


def module(name):
    """A module, or None."""
    if why_missing(name):
        return None
    loaded = importlib.import_module(name)
    if name == "jax":
        loaded.config.update("jax_enable_x64", True)
    return loaded


# ---- problems: `batch` systems or sequences of n elements, and how wrong results are ----


class Problem:
    def __init__(self, n, batch, letter):
        self.n, self.batch, self.letter, self.dtype = n, batch, letter, TYPES[letter]
        self.shape = (n,) if batch == 1 else (batch, n)
        self.random = numpy.random.default_rng(1)
        self.arrays = {}  # the operands of the solver; `d` is dL/dx of a function L of the result
        self.forms = {}

    def uniform(self, low, high):
        return self.random.uniform(low, high, self.shape).astype(self.dtype)

    def torch(self):
        """The operands and d as tensors. A tensor of the CPU shares NumPy's memory."""
        if "torch" not in self.forms:
            torch = module("torch")
            self.forms["torch"] = [torch.from_numpy(a).to(options.device) for a in (*self.arrays.values(), self.d)]
        return self.forms["torch"][:-1], self.forms["torch"][-1]

    def jax(self):
        if "jax" not in self.forms:
            self.forms["jax"] = [module("jax").device_put(a) for a in (*self.arrays.values(), self.d)]
        return self.forms["jax"][:-1], self.forms["jax"][-1]


def largest(*values):
    """The largest absolute value; NaN if there is a NaN."""
    return float(numpy.max([numpy.max(numpy.abs(v), initial=0) for v in values]))


class Tridiagonal(Problem):
    name, words = "tridiagonal", 5
    limit = 32  # units of roundoff, for solvers without pivoting that solve a dominant system in parts

    def __init__(self, *size):
        super().__init__(*size)
        self.arrays = {"sub": self.uniform(-1, 1), "diag": self.uniform(2, 3), "super": self.uniform(-1, 1),
                       "rhs": self.uniform(-1, 1)}
        self.arrays["sub"][..., 0] = self.arrays["super"][..., -1] = 0
        self.d = self.uniform(-1, 1)

    @staticmethod
    def residual(sub, diag, super, rhs, x):
        """The largest residual, relative to the norms."""
        r = diag * x - rhs
        r[..., 1:] += sub[..., 1:] * x[..., :-1]
        r[..., :-1] += super[..., :-1] * x[..., 1:]
        return largest(r) / (largest(numpy.abs(sub) + numpy.abs(diag) + numpy.abs(super)) * largest(x) + largest(rhs))

    def error(self, x, *gradient):
        sub, diag, super, rhs = self.arrays.values()
        errors = [self.residual(sub, diag, super, rhs, x)]
        if gradient:
            dsub, ddiag, dsuper, drhs = gradient
            below, above = numpy.zeros_like(sub), numpy.zeros_like(super)  # of the transpose
            below[..., 1:], above[..., :-1] = super[..., :-1], sub[..., 1:]
            errors += [self.residual(below, diag, above, self.d, drhs), largest(ddiag + drhs * x),
                       largest(dsub[..., 1:] + drhs[..., 1:] * x[..., :-1]),
                       largest(dsuper[..., :-1] + drhs[..., :-1] * x[..., 1:])]
        return largest(errors)


class Recurrence(Problem):
    name, words, axis = "recurrence", 3, -1
    limit = 512  # an error is multiplied by at most 1 / (1 - s), about 100

    def __init__(self, *size):
        super().__init__(*size)
        self.arrays = {"s": self.uniform(0.5, 0.99), "t": self.uniform(-1, 1)}
        self.d = self.uniform(-1, 1)

    def error(self, w, *gradient):
        s, t, d, w, *gradient = (numpy.moveaxis(a, self.axis, -1) if a.ndim else a
                                 for a in (*self.arrays.values(), self.d, w, *gradient))
        before = numpy.zeros_like(w)
        before[..., 1:] = w[..., :-1]
        errors = [largest(w - s * before - t) / (largest(w) + largest(t))]
        if gradient:
            ds, dt = gradient
            after = numpy.zeros_like(w)
            after[..., :-1] = s[..., 1:] * dt[..., 1:]
            errors += [largest(dt - after - d) / (largest(dt) + largest(d)),
                       largest(ds - dt * before) / (largest(dt) * largest(w))]
        return largest(errors)


class Constant(Recurrence):
    """With one s, which SciPy's filter needs; only forward."""
    name, words = "constant", 2

    def __init__(self, *size):
        super().__init__(*size)
        self.arrays["s"] = numpy.array(0.9, self.dtype)


class Channels(Recurrence):
    """As (time, channels)."""
    name, axis = "channels", 0

    def __init__(self, n, batch, letter):
        super().__init__(batch, n, letter)
        self.n, self.batch = n, batch


class Sum(Recurrence):
    """With s = 1, a prefix sum; only forward."""
    name, words = "sum", 2

    def __init__(self, *size):
        super().__init__(*size)
        self.arrays["s"] = numpy.array(1, self.dtype)


class Filter(Problem):
    """A low-pass, scipy.signal.butter(4, 0.2)."""
    name, words = "filter", 2
    limit = 64
    b = [0.004824343357716228, 0.019297373430864913, 0.02894606014629737, 0.019297373430864913, 0.004824343357716228]
    a = [1.0, -2.369513007182038, 2.313988414415881, -1.054665405878568, 0.18737949236818502]
    sos = [[0.004824343357716228, 0.009648686715432456, 0.004824343357716228,  # the same, output="sos"
            1.0, -1.0485995763626117, 0.2961403575616696],
           [1.0, 2.0, 1.0, 1.0, -1.3209134308194264, 0.6327387928852766]]

    def __init__(self, *size):
        super().__init__(*size)
        self.arrays, self.d = {"x": self.uniform(-1, 1)}, self.uniform(-1, 1)

    def residual(self, x, y):
        r = numpy.zeros_like(y)
        for k, (b, a) in enumerate(zip(self.b, self.a)):
            r[..., k:] += a * y[..., :self.n - k] - b * x[..., :self.n - k]
        return largest(r) / (largest(x) * largest(self.b) + largest(y) * largest(self.a))

    def error(self, y, *gradient):
        reverse = [(self.d[..., ::-1], dx[..., ::-1]) for dx in gradient]
        return largest(*(self.residual(*pair) for pair in [(self.arrays["x"], y), *reverse]))


# ---- peers: functions that take a problem, and whether to compute the gradient, and return a call ----

PEERS = []


def peer(problem, variant=None, device="cpu", needs=(), most=1 << 40, gradient=True):
    """device: cpu, cuda or both. needs: modules. most: the largest number of elements. gradient: has one."""
    def add(function):
        PEERS.append((problem, variant or function.__name__, device, needs.split() if needs else (), most, gradient,
                      function))
        return function
    return add


def of_torch(p, gradient, function):
    torch = module("torch")
    operands, d = p.torch()
    if not gradient:
        def call():
            with torch.no_grad():
                return (function(*operands),)
        return call
    leaves = [a.detach().clone().requires_grad_() for a in operands]

    def call():
        x = function(*leaves)
        return (x.detach(), *torch.autograd.grad(x, leaves, d))
    return call


def of_jax(p, gradient, function):
    jax = module("jax")
    operands, d = p.jax()

    def both(d, *operands):
        x, pull_back = jax.vjp(function, *operands)
        return (x, *pull_back(d))
    compiled = jax.jit(both if gradient else lambda d, *operands: (function(*operands),))
    return lambda: jax.block_until_ready(compiled(d, *operands))


@peer("tridiagonal", "recurrences_tridiagonal", needs="recurrences")
def _(p, gradient):
    recurrences = module("recurrences")
    sub, diag, super, rhs = p.arrays.values()

    def call():
        x = recurrences.solve_tridiagonal(sub, diag, super, rhs)
        return (x, *recurrences.tridiagonal_gradient(sub, diag, super, x, p.d)) if gradient else (x,)
    return call


@peer("tridiagonal", "recurrences_torch_tridiagonal", "both", "recurrences.torch")
def _(p, gradient):
    return of_torch(p, gradient, module("recurrences.torch").solve_tridiagonal)


@peer("tridiagonal", "recurrences_torch_tridiagonal_unchecked", "cuda", "recurrences.torch", most=1 << 20)
def _(p, gradient):
    solve = module("recurrences.torch").solve_tridiagonal
    return of_torch(p, gradient, lambda *operands: solve(*operands, check=False))


@peer("tridiagonal", "recurrences_jax_tridiagonal", "both", "recurrences.jax")
def _(p, gradient):
    return of_jax(p, gradient, module("recurrences.jax").solve_tridiagonal)


@peer("tridiagonal", "scipy_solve_banded", needs="scipy.linalg", gradient=False)
def _(p, gradient):
    sub, diag, super, rhs = (a.reshape(p.batch, p.n) for a in p.arrays.values())
    bands = numpy.zeros((p.batch, 3, p.n), p.dtype)
    bands[:, 0, 1:], bands[:, 1], bands[:, 2, :-1] = super[:, :-1], diag, sub[:, 1:]
    solve = module("scipy.linalg").solve_banded
    x = numpy.empty((p.batch, p.n), p.dtype)

    def call():
        for k in range(p.batch):
            x[k] = solve((1, 1), bands[k], rhs[k], check_finite=False)
        return (x.reshape(p.shape),)
    return call


@peer("tridiagonal", "numpy_thomas", gradient=False)
def _(p, gradient):
    sub, diag, super, rhs = (numpy.moveaxis(a, -1, 0).copy() for a in p.arrays.values())

    def call():
        c, x = numpy.empty_like(diag), numpy.empty_like(rhs)
        c[0], x[0] = super[0] / diag[0], rhs[0] / diag[0]
        for i in range(1, p.n):
            pivot = diag[i] - sub[i] * c[i - 1]
            c[i], x[i] = super[i] / pivot, (rhs[i] - sub[i] * x[i - 1]) / pivot
        for i in range(p.n - 2, -1, -1):
            x[i] -= c[i] * x[i + 1]
        return (numpy.moveaxis(x, 0, -1),)
    return call


@peer("tridiagonal", "torch_thomas", "both", "torch")
def _(p, gradient):
    def thomas(sub, diag, super, rhs):
        sub, diag, super, rhs = (a.unbind(-1) for a in (sub, diag, super, rhs))
        c, y = [super[0] / diag[0]], [rhs[0] / diag[0]]
        for i in range(1, p.n):
            pivot = diag[i] - sub[i] * c[-1]
            c.append(super[i] / pivot)
            y.append((rhs[i] - sub[i] * y[-1]) / pivot)
        x = [y[-1]]
        for i in range(p.n - 2, -1, -1):
            x.append(y[i] - c[i] * x[-1])
        return module("torch").stack(x[::-1], -1)
    return of_torch(p, gradient, thomas)


@peer("tridiagonal", "torch_linalg_solve", "both", "torch")
def _(p, gradient):
    torch = module("torch")
    if p.batch * p.n ** 2 > 1 << 26:  # 0.5 GB in double precision
        return None

    def dense(sub, diag, super, rhs):
        matrix = torch.diag_embed(diag) + torch.diag_embed(sub[..., 1:], -1) + torch.diag_embed(super[..., :-1], 1)
        return torch.linalg.solve(matrix, rhs)
    return of_torch(p, gradient, dense)


@peer("tridiagonal", "jax_tridiagonal_solve", "both", "jax")
def _(p, gradient):
    solve = module("jax").lax.linalg.tridiagonal_solve
    return of_jax(p, gradient, lambda sub, diag, super, rhs: solve(sub, diag, super, rhs[..., None])[..., 0])


@peer("recurrence", "recurrences_recurrence", needs="recurrences")
def _(p, gradient):
    recurrences = module("recurrences")
    s, t = p.arrays.values()

    def call():
        w = recurrences.solve_recurrence(s, t)
        return (w, *recurrences.recurrence_gradient(s, w, p.d)[:2]) if gradient else (w,)
    return call


@peer("recurrence", "recurrences_torch_recurrence", "both", "recurrences.torch")
@peer("channels", "recurrences_torch_channels", "both", "recurrences.torch")
@peer("sum", "recurrences_torch_sum", "both", "recurrences.torch", gradient=False)
def _(p, gradient):
    solve = module("recurrences.torch").solve_recurrence
    return of_torch(p, gradient, lambda s, t: solve(s, t, dim=p.axis))


@peer("sum", "torch_cumsum", "both", "torch", gradient=False)
def _(p, gradient):
    return of_torch(p, gradient, lambda s, t: t.cumsum(p.axis))


@peer("recurrence", "recurrences_jax_recurrence", "both", "recurrences.jax")
def _(p, gradient):
    return of_jax(p, gradient, module("recurrences.jax").solve_recurrence)


@peer("recurrence", "numpy_loop", gradient=False)
def _(p, gradient):
    s, t = (numpy.moveaxis(a, -1, 0).copy() for a in p.arrays.values())

    def call():
        w = numpy.empty_like(t)
        w[0] = t[0]
        for i in range(1, p.n):
            w[i] = s[i] * w[i - 1] + t[i]
        return (numpy.moveaxis(w, 0, -1),)
    return call


def after(a, b):
    """The map of two steps, for associative scans."""
    return a[0] * b[0], b[0] * a[1] + b[1]


def torch_scan(p, mode):
    scan = module("torch._higher_order_ops.associative_scan").associative_scan
    return lambda s, t: scan(after, (s, t), p.axis % s.ndim, combine_mode=mode)[1]


@peer("recurrence", "torch_associative_scan", "both", "torch")
@peer("channels", "torch_associative_scan_channels", "both", "torch")
def _(p, gradient):
    return of_torch(p, gradient, torch_scan(p, "generic"))


@peer("recurrence", "torch_associative_scan_compiled", "both", "torch", gradient=False)
@peer("channels", "torch_associative_scan_compiled_channels", "both", "torch", gradient=False)
def _(p, gradient):
    if options.quick or options.device == "cpu" and (p.n not in (1 << 11, 1 << 20) or p.batch > 1):
        return None  # compiling takes a minute for each size
    mode, torch = "pointwise" if options.device == "cuda" else "generic", module("torch")
    torch.compiler.reset()  # else it compiles a function for eight sizes and no more
    return of_torch(p, gradient, torch.compile(torch_scan(p, mode), dynamic=False))


@peer("recurrence", "jax_associative_scan", "both", "jax")
def _(p, gradient):
    return of_jax(p, gradient, lambda s, t: module("jax").lax.associative_scan(after, (s, t), axis=s.ndim - 1)[1])


@peer("recurrence", "accelerated_scan", "cuda", "accelerated_scan.warp")
def _(p, gradient):
    if p.letter != "s" or not 32 <= p.n <= 1 << 16:
        return None
    scan = module("accelerated_scan.warp").scan
    return of_torch(p, gradient, lambda s, t: scan(*(a.reshape(1, p.batch, p.n) for a in (s, t))).reshape(p.shape))


@peer("constant", "recurrences_constant", needs="recurrences", gradient=False)
def _(p, gradient):
    solve, s, t = module("recurrences").solve_recurrence, *p.arrays.values()
    return lambda: (solve(s, t),)


@peer("constant", "scipy_lfilter", needs="scipy.signal", gradient=False)
def _(p, gradient):
    lfilter, s, t = module("scipy.signal").lfilter, float(p.arrays["s"]), p.arrays["t"]
    one, two = numpy.array([1], p.dtype), numpy.array([1, -s], p.dtype)
    return lambda: (lfilter(one, two, t),)


@peer("filter", "recurrences_filter", needs="recurrences", gradient=False)
def _(p, gradient):
    solve, b, a, x = module("recurrences").solve_filter, numpy.array(p.b), numpy.array(p.a), p.arrays["x"]
    return lambda: (solve(b, a, x),)


@peer("filter", "recurrences_torch_filter", "both", "recurrences.torch")
def _(p, gradient):
    return of_torch(p, gradient, lambda x: module("recurrences.torch").solve_filter(p.b, p.a, x))


@peer("filter", "recurrences_jax_filter", "both", "recurrences.jax")
def _(p, gradient):
    return of_jax(p, gradient, lambda x: module("recurrences.jax").solve_filter(p.b, p.a, x))


@peer("filter", "scipy_filter", needs="scipy.signal", gradient=False)
def _(p, gradient):
    lfilter, b, a, x = module("scipy.signal").lfilter, *(numpy.array(c, p.dtype) for c in (p.b, p.a)), p.arrays["x"]
    return lambda: (lfilter(b, a, x),)


@peer("filter", "recurrences_sosfilt", needs="recurrences", gradient=False)
def _(p, gradient):
    solve, sos, x = module("recurrences").solve_filter, numpy.array(p.sos), p.arrays["x"]
    return lambda: (solve(sos=sos, x=x),)


@peer("filter", "scipy_sosfilt", needs="scipy.signal", gradient=False)
def _(p, gradient):
    sosfilt, sos, x = module("scipy.signal").sosfilt, numpy.array(p.sos, p.dtype), p.arrays["x"]
    return lambda: (sosfilt(sos, x),)


def c_call(function, p, struct, *more):
    """A call of a C function whose arguments need no conversion: a struct, and `more`. struct(core, addresses of the
    operands, of the result and of workspace) makes the struct."""
    ctypes, core, on_gpu = module("ctypes"), module("recurrences")._core, options.device == "cuda"
    torch = module("torch") if on_gpu else None
    operands = p.torch()[0] if on_gpu else list(p.arrays.values())
    result, work = [torch.zeros(m, dtype=t, device="cuda") if on_gpu else numpy.zeros(m, t)
                    for m, t in ((p.shape, operands[-1].dtype), (1 << 20, torch.uint8 if on_gpu else "u1"))]
    addresses = [a.data_ptr() if on_gpu else a.ctypes.data for a in (*operands, result, work)]
    problem, call = struct(core, *addresses[:-1], addresses[-1] + 63 & -64), getattr(core.library(on_gpu), function)
    arguments = ctypes.byref(problem), *more
    return lambda kept=work: (result if call(*arguments) == 0 else result * numpy.nan,)


@peer("tridiagonal", "c_call_tridiagonal", "both", "recurrences", most=32, gradient=False)
def _(p, gradient):
    def struct(core, *addresses):
        return core.TridiagonalBatch(p.letter.encode(), p.n, p.batch, *addresses[:5], None, 2, work=addresses[5])
    if options.device == "cuda":
        return c_call("tridiagonal_batch_solve", p, struct, None)
    return c_call("tridiagonal_batch_cpu_solve", p, struct, 1)


@peer("recurrence", "c_call_recurrence", needs="recurrences", most=32, gradient=False)
def _(p, gradient):
    return c_call("recurrence_cpu_solve", p, lambda core, s, t, w, work: core.Recurrence(
        p.letter.encode(), p.n, p.batch, 0, 0, s, t, None, w), 1)


# ---- times ----


def synchronized(call):
    if options.device == "cpu":
        return call

    def wait():
        result = call()
        module("torch").cuda.synchronize()
        return result
    return wait


def timed(call, first):
    """Seconds a call: (samples, calls a sample). A sample takes a millisecond or more; one call took `first`."""
    calls = 1 if first > 1e-3 else int(2e-3 / max(first, 1e-7))
    samples, end = [], time.perf_counter() + options.limit
    while len(samples) < 3 or len(samples) < 20 and time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(calls - 1):
            call()
        synchronized(call)()
        samples.append((time.perf_counter() - begin) / calls)
    return samples, calls


def arrays_of(results):
    return [a.cpu().numpy() if hasattr(a, "cpu") else numpy.asarray(a) for a in results]


class Table:
    def __init__(self):
        self.rows, self.left_out, self.too_slow, self.wrong = [], [], set(), False
        self.begin = time.perf_counter()
        self.cores = len(os.sched_getaffinity(0))

    def note(self, *words):
        line = " ".join(map(str, words))
        print("left out:", line, file=sys.stderr, flush=True)
        self.left_out.append(line)

    def measure(self, p, variant, gradient, make):
        what = f"{variant} {'gradient' if gradient else 'total'} {p.letter}"
        size = f"n={p.n} batch={p.batch}"
        series = what, p.batch > 1
        if series in self.too_slow:
            return
        if time.perf_counter() - self.begin > 60 * options.minutes:
            return self.note(what, size, "no time left")
        try:
            begin = time.perf_counter()
            call = make(p, gradient)
            if call is None:
                return
            results = arrays_of(synchronized(call)())
            prepared = time.perf_counter() - begin
            error = p.error(*results)
            del results
            begin = time.perf_counter()
            synchronized(call)()
            first = time.perf_counter() - begin
            samples, calls = timed(call, first)
        except Exception as failure:  # of a peer, which may lack a kernel or memory
            self.too_slow.add(series)
            return self.note(what, size, repr(failure)[:200].replace("\n", " "))
        if first > options.limit or prepared > 20 + 20 * first:
            self.too_slow.add(series)
            self.note(what, "more than", size, f"took {first:.1f} s a call, {prepared:.0f} s to begin")
        right = error < p.limit * numpy.finfo(p.dtype).eps
        self.wrong |= not right
        samples = sorted(1e3 * s for s in samples)
        quartiles = statistics.quantiles(samples, n=4, method="inclusive")
        row = dict.fromkeys(COLUMNS, "")
        row.update(program="python", variant=variant, type=p.letter, n=p.n, batch=p.batch if p.batch > 1 else "",
                   cores=self.cores if options.device == "cpu" else "", phase="gradient" if gradient else "total",
                   device=self.device(), timer="clock" + (f" x{calls}" if calls > 1 else ""), samples=len(samples),
                   median_ms=f"{quartiles[1]:.6g}", q1_ms=f"{quartiles[0]:.6g}", q3_ms=f"{quartiles[2]:.6g}",
                   min_ms=f"{samples[0]:.6g}", error=f"{error:.3e}", status="ok" if right else "wrong",
                   bytes="" if gradient else p.words * p.n * p.batch * numpy.dtype(p.dtype).itemsize)
        self.rows.append(row)
        print(f"{variant:34} {row['phase']:9} {p.letter} {p.n:9} {p.batch:7} {quartiles[1]:12.6f} ms  {row['error']} "
              f"{row['status']}", flush=True)

    @staticmethod
    @functools.lru_cache(None)
    def device():
        return module("torch").cuda.get_device_name() if options.device == "cuda" else cpu()

    def write(self, path):
        def version(name):
            try:
                return importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                return "none"
        here = os.path.dirname(os.path.abspath(__file__))
        revision = os.environ.get("REVISION") or subprocess.run(
            ["git", "-C", here, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
        names = ["numpy", "scipy", "torch", "jax", "accelerated-scan"]
        lines = ["program: python", f"device: {self.device()}", f"cpu: {cpu()}",
                 f"versions: Python {platform.python_version()}, " + ", ".join(f"{n} {version(n)}" for n in names),
                 f"revision: {revision or 'unknown'}",
                 f"date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"]
        lines += [f"left out: {line}" for line in self.left_out]
        with open(path + ".new", "w") as file:
            file.writelines(f"# {line}\n" for line in lines)
            file.write(",".join(COLUMNS) + "\n")
            file.writelines(",".join(str(row[c]) for c in COLUMNS) + "\n" for row in self.rows)
        os.replace(path + ".new", path)


@functools.lru_cache(None)
def cpu():
    """As common/results.c names it."""
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    cores = os.cpu_count()
    return f"{model.replace(',', ' ')} ({cores} core{'s' if cores != 1 else ''})"


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--csv", metavar="FILE", help="write the results to this file")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--type", help="number types, such as s,d (default: d, on a GPU s)")
    parser.add_argument("--quick", action="store_true", help="small problems only, in half a minute")
    parser.add_argument("--shapes", action="store_true",
                        help="2^26 elements as one sequence and as many, in both layouts, and prefix sums")
    parser.add_argument("--limit", type=float, default=1, metavar="SECONDS", help="of a measurement (default: 1)")
    parser.add_argument("--minutes", type=float, help="begin no measurement later (default: 30, on a GPU 6)")
    parser.add_argument("--variant", help="only these, separated by commas")
    options = parser.parse_args()
    options.type = options.type or ("d" if options.device == "cpu" else "s")
    options.minutes = options.minutes or (30 if options.device == "cpu" else 6)
    known = [v for _, v, *_ in PEERS]
    chosen = options.variant.split(",") if options.variant else known
    unknown = set(chosen) - set(known) | set(options.type.split(",")) - set(TYPES)
    if unknown:
        parser.error(f"{', '.join(unknown)}: variants are {', '.join(known)}, types s,d")
    if options.device == "cuda" and not (module("torch") and module("torch").cuda.is_available()):
        parser.error("--device cuda: no PyTorch here that finds a GPU")
    if options.quick:
        options.limit = min(options.limit, 0.05)
    available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    table, ready = Table(), []
    for problem, variant, device, needs, most, gradient, make in PEERS:
        if variant in chosen and device in (options.device, "both"):
            missing = [name for name in needs if not module(name)]
            if missing:
                table.note(variant, missing[0], why_missing(missing[0]))
            else:
                ready.append((problem, variant, most, gradient, make))
    powers = range(5, 15, 3) if options.quick else range(5, 27, 3)
    batches = range(2, 7, 2) if options.quick else range(2, 17, 2)
    sizes = [(1 << k, 1) for k in powers] + [(256, 1 << k) for k in batches]
    kinds = Tridiagonal, Recurrence, Constant, Filter
    if options.shapes:
        total = 18 if options.quick else 26
        sizes = [(1 << k, 1 << total - k) for k in (6, 12, 18, 26) if k <= total]
        kinds = Recurrence, Channels, Sum
    for n, batch in sizes:
        for letter in options.type.split(","):
            if 40 * n * batch * numpy.dtype(TYPES[letter]).itemsize > available:  # arrays of all peers, and temporaries
                table.note(f"n={n} batch={batch} {letter}", "not enough memory")
                continue
            for kind in kinds:
                if kind is Channels and batch == 1:
                    continue
                p = kind(n, batch, letter)
                for problem, variant, most, gradient, make in ready:
                    if problem == kind.name and n * batch <= most:
                        table.measure(p, variant, False, make)
                        if gradient:
                            table.measure(p, variant, True, make)
        if options.csv:
            table.write(options.csv)  # after each size, so that little is lost if it is stopped
    sys.exit(1 if table.wrong else 0)


if __name__ == "__main__":
    main()
