"""Tridiagonal systems and linear recurrences of PyTorch tensors, on the CPU or a GPU, with gradients.

    x = solve_tridiagonal(sub, diag, super, rhs)    sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i
    w = solve_recurrence(s, t, w0)                  w_i = s_i w_{i-1} + t_i
    y = solve_filter(b, a, x)                       as scipy.signal.lfilter; solve_filter(sos=sos, x=x) as sosfilt

Operands. Tensors of one device and one type: float32, float64, complex64, complex128, and for solve_recurrence also
float16 and bfloat16, which are computed in single precision; numbers stand for constant tensors. They are broadcast as
PyTorch does, with one addition: an operand of one dimension lies along `dim`. A matrix that all systems share, or those
along the last dimensions of the batch, is not expanded. Contiguous tensors are not copied, whatever `dim` is. The result
is contiguous.

PyTorch. Work goes on the current stream of the tensors' device, workspace comes from PyTorch's allocator, and on a CPU
torch.get_num_threads() cores are used. The functions have gradients of every order in reverse mode, and are operators
of torch.library, so torch.compile(fullgraph=True), torch.export, torch.vmap and torch.func.grad take them. With plain
tensors they call the C library without PyTorch's dispatcher, which takes longer than a small system."""

import ctypes
import functools
import math
import threading

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import Parameter
from torch.nn.functional import pad

import recurrences

from . import _FEW, _PARALLEL, _core
from ._core import SingularMatrixError
from ._filter import Filter, refused, reversed_sections, state_matrices
from ._layout import kind_of_s, length, matrix_of, must_be_padded, with_axis, without

__all__ = ["solve_tridiagonal", "solve_recurrence", "solve_filter", "SingularMatrixError"]

_LETTERS = {getattr(torch, name): letter.encode() for name, letter in _core.TYPES.items()}
_LETTERS_OF_SEQUENCES = _LETTERS | {torch.float16: b"h", torch.bfloat16: b"b"}


# ---- operators of torch.library, and the short ways to their kernels ----

_functorch, _modes, _tracing = torch._C._functorch.peek_interpreter_stack, torch._C._len_torch_dispatch_stack, (
    torch._C._get_tracing_state)


def _plain(tensors):
    """Whether PyTorch would call the kernel with these tensors as they are, apart from autograd, and no mode or tracer
    sees it."""
    if _modes() or _tracing() is not None:
        return False
    for t in tensors:
        if t is not None and not ((type(t) is Tensor or type(t) is Parameter) and (t.is_cpu or t.is_cuda)
                                  and not t.is_neg() and not t.is_conj()):
            return False
    return True


def _operator(schema, kernel, fake, setup, backward, vmap):
    """Registers an operator, and returns a function that calls it, or in the short ways the kernel or an
    autograd.Function. Transforms of torch.func know no gradients of operators, so they also get a Function."""
    name = "recurrences::" + schema.partition("(")[0]
    torch.library.define(name, schema[schema.index("("):], tags=torch.Tag.pt2_compliant_tag)
    torch.library.impl(name, ("cpu", "cuda"), kernel)
    torch.library.register_fake(name, fake)
    torch.library.register_autograd(name, backward, setup_context=setup)
    torch.library.register_vmap(name, vmap)
    operator = getattr(torch.ops.recurrences, name.partition("::")[2]).default
    count = schema.count("Tensor", 0, schema.index("->"))  # the tensors are the first arguments

    def call(*arguments):
        if torch.compiler.is_compiling():
            return operator(*arguments)
        if _functorch() is not None:
            return transformed.apply(*arguments)
        tensors = arguments[:count]
        if forward_ad._current_level >= 0 and any(  # operators would ignore these derivatives
                t is not None and forward_ad.unpack_dual(t).tangent is not None for t in tensors):
            raise NotImplementedError(f"{name}: forward-mode derivatives")
        if not _plain(tensors):
            return operator(*arguments)
        if torch.is_grad_enabled():
            for t in tensors:
                if t is not None and t.requires_grad:
                    return recorded.apply(*arguments)
        return kernel(*arguments)

    def forward(ctx, *arguments):
        output = kernel(*arguments)
        setup(ctx, arguments, output)
        return output

    def function(**methods):
        return type(name, (torch.autograd.Function,), {name: staticmethod(method) for name, method in methods.items()})

    # torch.func wants setup_context, which makes apply() slower.
    recorded = function(forward=forward, backward=backward)
    transformed = function(forward=call, setup_context=setup, backward=backward, vmap=vmap)
    return call


def _to_front(info, in_dims, tensors):
    """The tensors with the dimension of a vmap in front; it has one element if the tensor has none, so that tensors
    broadcast. And the number of elements that it has in the others."""
    return [t if t is None else t.unsqueeze(0) if dim is None else t.movedim(dim, 0)
            for t, dim in zip(tensors, in_dims)], info.batch_size


def _expanded(tensors, size):
    return [t if t is None else t.expand(size, *t.shape[1:]) for t in tensors]


def _shifted(t, by, dim, periodic):
    """by = 1: the elements before those of t along dim; by = -1: the elements after them. None is 0 unless periodic."""
    if periodic or not t.numel():
        return t.roll(by, dim)
    rest = t.narrow(dim, 0 if by > 0 else 1, t.shape[dim] - 1)
    return pad(rest, (0, 0) * (t.ndim - 1 - dim) + ((1, 0) if by > 0 else (0, 1)))


# ---- calls of the C libraries ----

_kept = threading.local()


def _on_gpu(t):
    return t.is_cuda


def _cores(t):
    return torch.get_num_threads() if t.numel() >= _PARALLEL and not recurrences._forked.is_set() else 1


def _scratch(count, like):
    """The address of `count` bytes on the tensor's device, aligned to 64, and what keeps them. A thread keeps a small
    one in main memory."""
    found = None if _on_gpu(like) else getattr(_kept, "scratch", None)
    if found is None or len(found[1]) < count:
        memory = torch.empty(max(count, 64), dtype=torch.uint8, device=like.device)
        found = memory.data_ptr(), memory
        if not _on_gpu(like) and count <= 1 << 20:
            _kept.scratch = found
    return found


def _pointers(tensors, offset=0):
    return [None if t is None else t.data_ptr() + offset for t in tensors]


def _stream(like):
    return torch._C._cuda_getCurrentRawStream(like.get_device())


def _new(like):
    return torch.empty_like(like, memory_format=torch.contiguous_format)


def _call(function, *arguments):
    """Calls a function of the GPU library or of recurrence_cpu.h, and raises an exception for an error."""
    code = function(*arguments)
    if code in (1, -1):
        raise ValueError(f"{function.__name__}: the C library refused the arguments")
    if code:
        raise _core.DeviceError(code, f"{function.__name__}: cudaError_t {code}")


class _Systems:
    """How tensors of some shapes are handed to the C library: made once for them and the options. gpu: the number of
    the GPU, or None."""

    def __init__(self, matrix, shape, dim, dtype, periodic, pivot, cores, gpu):
        self.library, self.letter, self.cores, self.gpu = _core.library(gpu is not None), _LETTERS[dtype], cores, gpu
        self.n, self.dim, self.batch_shape = shape[dim], dim, shape[:dim] + shape[dim + 1:]
        self.batch, self.bytes = math.prod(self.batch_shape), self.n * dtype.itemsize
        inner = math.prod(shape[dim + 1:])
        periodic, pivot = bool(periodic), _core.PIVOTS.index(pivot)
        # Whether each system is solved by itself, by all cores or the whole GPU. On a CPU there is no periodic one.
        self.apart = self.batch == 1 and self.n >= _core.LONG if gpu is not None else (
            not periodic and inner == 1 and self.batch <= _FEW * cores)
        # diagonals: the shape of the diagonals that C gets; last: their rows are moved to the last dimension.
        self.diagonals, self.last, kind, sides = shape, False, _core.OWN, 0
        if not self.apart and matrix != shape:
            kind, sides = matrix_of(matrix, shape, dim - len(shape))
            if kind != _core.OWN or sides:
                self.diagonals, self.last = matrix, kind != _core.CONSTANT
        self.as_is = self.diagonals == matrix and not self.last
        if not self.apart:
            problem = _core.TridiagonalBatch(type=self.letter, n=self.n, batch=self.batch, pivot=pivot, matrix=kind,
                                             sides=sides, periodic=periodic, inner=inner)
        elif gpu is None:
            problem = _core.TridiagonalCpu(type=self.letter, n=self.n, cores=cores, pivot=pivot)
        else:
            problem = _core.Tridiagonal(type=self.letter, n=self.n, periodic=periodic, pivot=pivot)
        self.kind, self.image, library, by = type(problem), bytes(problem), self.library, ctypes.byref(problem)
        if gpu is None:  # bytes of workspace: for a solve, for a gradient
            self.work = [library.tridiagonal_cpu_work(self.letter, self.n) if self.apart else
                         library.tridiagonal_batch_cpu_work(by, cores)] * 2
        elif self.apart:
            self.work = [library.tridiagonal_workspace(by), library.tridiagonal_gradient_workspace(by)]
        else:
            self.work = [library.tridiagonal_batch_work(by), library.tridiagonal_batch_gradient_work(by)]

    def diagonal(self, t):
        """A tensor of the matrices as C gets it."""
        if not self.as_is:
            t = t.expand(self.diagonals)
            if self.last:
                t = t.movedim(self.dim, -1)
        return t.contiguous()

    def run(self, sub, diag, super, rhs, x, derivatives, check):
        """Solves, or with derivatives computes the gradient."""
        work, memory = _scratch(self.work[derivatives is not None], x)
        tensors = [sub, diag, super, rhs, x]
        if self.gpu is not None:
            status = self.run_on_gpu(tensors, derivatives, work)
        elif self.apart:
            status = self.run_apart(tensors, derivatives, work)
        else:
            status = self.run_batch(tensors, derivatives, work)
        if status is None:
            return
        *matrices, result = [x] if derivatives is None else derivatives[1:]
        if check:
            # A copy of a few is quicker than kernels that look for one.
            if (status.cpu() if status.numel() <= 1024 else status).any():
                _core.check(result, status.cpu().numpy())
            return
        broken = status != 0  # only first elements are marked, as one more pass over x would take long on a GPU
        result.select(self.dim, 0).masked_fill_(broken, math.nan)
        for t in matrices:
            if t is not None:
                own = t.shape == result.shape
                t.select(self.dim if own else -1, 0).masked_fill_(broken if own else broken.any(), math.nan)

    def problem(self, tensors, derivatives, work, status=None, system=0):
        """The C struct, and struct tridiagonal_derivatives or None; if each system is solved apart, for this one."""
        offset, problem = system * self.bytes, self.kind.from_buffer_copy(self.image)
        problem.sub, problem.diag, problem.super, problem.rhs, problem.x = _pointers(tensors, offset)
        if hasattr(problem, "work"):
            problem.work = work
        if status is not None:
            problem.status = status.data_ptr()
        return ctypes.byref(problem), None if derivatives is None else ctypes.byref(
            _core.Derivatives(*_pointers(derivatives, offset)))

    def run_apart(self, tensors, derivatives, work):
        statuses = []
        for system in range(self.batch):
            p, d = self.problem(tensors, derivatives, work, None, system)
            statuses.append(self.checked(self.library.tridiagonal_cpu_solve(p) if d is None else
                                         self.library.tridiagonal_cpu_gradient(p, d)))
        return torch.tensor(statuses).reshape(self.batch_shape) if any(statuses) else None

    def run_batch(self, tensors, derivatives, work):
        status = None
        for _ in range(2):
            p, d = self.problem(tensors, derivatives, work, status)
            if not self.checked(self.library.tridiagonal_batch_cpu_solve(p, self.cores) if d is None else
                                self.library.tridiagonal_batch_cpu_gradient(p, d, self.cores)):
                return None
            if status is None:  # once more, to know which systems broke down
                status = torch.empty(self.batch_shape, dtype=torch.int32)
        return status

    def checked(self, status):
        if status < 0:
            raise ValueError(f"the C library refused systems of n = {self.n}, batch = {self.batch}")
        return status

    def run_on_gpu(self, tensors, derivatives, work):
        library, like = self.library, tensors[-1]
        status = torch.empty(self.batch_shape, dtype=torch.int64 if self.apart else torch.int32, device=like.device)
        p, d = self.problem(tensors, derivatives, work, status)
        more = () if d is None else (d,)
        stream, name = _stream(like), "solve" if d is None else "gradient"
        if self.apart:
            workspace = work, self.work[d is not None], stream
            _call(library.tridiagonal_prepare, *workspace)
            _call(getattr(library, f"tridiagonal_{name}"), p, *more, *workspace)
        else:
            _call(getattr(library, f"tridiagonal_batch_{name}"), p, *more, stream)
        return status


_systems = functools.lru_cache(4096)(_Systems)


def _systems_of(diag, x, dim, periodic, pivot):
    gpu = x.get_device() if _on_gpu(x) else None
    return _systems(diag.shape, x.shape, dim, x.dtype, periodic, pivot, _cores(x) if gpu is None else 1, gpu)


def _on_device(kernel):
    """The kernel, which runs with the tensors' GPU as the current one."""

    @functools.wraps(kernel)
    def run(first, *more):
        if _on_gpu(first) and first.get_device() != torch.cuda.current_device():
            with torch.cuda.device(first.device):
                return kernel(first, *more)
        return kernel(first, *more)

    return run


# ---- tridiagonal systems ----
#
# The operators take rhs of the full shape, and diagonals of one shape with as many dimensions, in each of which they
# have the size of rhs or 1. Along dim they have n elements each, or all dimensions have one element.


@_on_device
def _tridiagonal(sub, diag, super, rhs, dim, periodic, pivot, check):
    x = _new(rhs)
    if x.numel():
        systems = _systems_of(diag, x, dim, periodic, pivot)
        if not systems.as_is:
            sub, diag, super = map(systems.diagonal, (sub, diag, super))
        systems.run(sub.contiguous(), diag.contiguous(), super.contiguous(), rhs.contiguous(), x, None, check)
    return x


@_on_device
def _tridiagonal_gradient(sub, diag, super, x, dx, dim, periodic, pivot, check, matrix):
    drhs = _new(x)
    if not x.numel():
        return (*(torch.zeros_like(diag) if matrix else diag.new_empty(0) for _ in range(3)), drhs)
    systems = _systems_of(diag, x, dim, periodic, pivot)
    diagonals = [systems.diagonal(t) for t in (sub, diag, super)]
    gradients = [_new(t) if matrix else None for t in diagonals]
    systems.run(*diagonals, None, x.contiguous(), [dx.contiguous(), *gradients, drhs], check)
    if not matrix:
        return (*(diag.new_empty(0) for _ in range(3)), drhs)
    if systems.last:
        gradients = [g.movedim(-1, dim).contiguous() for g in gradients]
    return (*(g.sum_to_size(diag.shape) for g in gradients), drhs)


def _tridiagonal_setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:3], output)
    ctx.options = inputs[4:]


def _tridiagonal_backward(ctx, dx):
    matrix = any(ctx.needs_input_grad[:3])
    *gradients, drhs = _gradient_of_systems(*ctx.saved_tensors, dx, *ctx.options, matrix)
    return *(gradients if matrix else [None] * 3), drhs, None, None, None, None


def _tridiagonal_vmap(info, in_dims, sub, diag, super, rhs, dim, *options):
    (*diagonals, rhs), size = _to_front(info, in_dims, (sub, diag, super, rhs))
    return _solve_systems(*torch.broadcast_tensors(*diagonals), *_expanded([rhs], size), dim + 1, *options), 0


def _gradient_fake(sub, diag, super, x, dx, dim, periodic, pivot, check, matrix):
    return (*(_new(diag) if matrix else diag.new_empty(0) for _ in range(3)), _new(x))


def _gradient_setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:4], output[3])
    ctx.options, ctx.matrix = inputs[5:9], inputs[9]


def _gradient_backward(ctx, gsub, gdiag, gsuper, grhs):
    # With y = drhs: A^H y = dx and dsub_i = -y_i conj(x_{i-1}), and so on. So gy, the gradient for y, leads to
    # z = A^-1 gy, the gradient for dx, and conj(A)_ij gets -conj(y_i) z_j.
    sub, diag, super, x, y = ctx.saved_tensors
    dim, periodic, *_ = ctx.options

    def before(t):
        return _shifted(t, 1, dim, periodic)

    def after(t):
        return _shifted(t, -1, dim, periodic)

    gx = None
    if ctx.matrix:
        grhs = grhs - gsub * before(x) - gdiag * x - gsuper * after(x)
        gx = -(after(gsub.conj() * y) + gdiag.conj() * y + before(gsuper.conj() * y))
    z = _solve_systems(sub, diag, super, grhs, *ctx.options)
    gradients = [None] * 3
    if ctx.matrix:
        gradients = [(-y * t.conj()).sum_to_size(diag.shape) for t in (before(z), z, after(z))]
    return *gradients, gx, z, None, None, None, None, None


def _gradient_vmap(info, in_dims, sub, diag, super, x, dx, dim, *options):
    tensors, size = _to_front(info, in_dims, (sub, diag, super, x, dx))
    return _gradient_of_systems(*_expanded(tensors, size), dim + 1, *options), (0, 0, 0, 0)


_solve_systems = _operator(
    "tridiagonal(Tensor sub, Tensor diag, Tensor super, Tensor rhs, int dim, bool periodic, str pivot, bool check) "
    "-> Tensor",
    _tridiagonal, lambda sub, diag, super, rhs, *options: _new(rhs), _tridiagonal_setup, _tridiagonal_backward,
    _tridiagonal_vmap)
_gradient_of_systems = _operator(
    "tridiagonal_gradient(Tensor sub, Tensor diag, Tensor super, Tensor x, Tensor dx, int dim, bool periodic, "
    "str pivot, bool check, bool matrix) -> (Tensor, Tensor, Tensor, Tensor)",
    _tridiagonal_gradient, _gradient_fake, _gradient_setup, _gradient_backward, _gradient_vmap)


# ---- linear recurrences ----
#
# The operators take t of the full shape, w0 of this shape without dim, and s of the full shape, or a constant: with one
# element along dim, and in other dimensions the size of t or 1. The gradient takes no constant. With offset, w0 has
# dim, with an element for each sequence.


def _sequences(s, t, w0, w, offset, dim, reverse):
    """The struct of C, and tensors that it refers to."""
    n, inner, outer, count = t.shape[dim], math.prod(t.shape[dim + 1:]), 1, 1
    if offset is not None:
        if not _on_gpu(t) and offset[-1] != n:
            raise ValueError(f"offset: to {int(offset[-1])}; wanted: to {n}, the size along dim")
        outer, count = math.prod(t.shape[:dim]), offset.numel() - 1
        if outer > 1:  # C knows one plane
            planes = torch.arange(outer, device=t.device)[:, None] * n
            offset = torch.cat([(offset[:-1] + planes).reshape(-1), offset.new_full((1,), outer * n)])
        offset = offset.contiguous()
    constant = kind_of_s(s.shape, t.shape, dim)
    if constant == _core.S_SEQUENCE:
        s = s.expand(*t.shape[:dim], count, *t.shape[dim + 1:])
    s = s.contiguous()
    return _core.Recurrence(_LETTERS_OF_SEQUENCES[t.dtype], outer * n, t.numel() // n * count, reverse, constant,
                            *_pointers((s, t, w0, w)), 0, 0, 0 if inner == 1 else inner, 0, 0,
                            *_pointers((offset,))), (s, offset)


def _run_sequences(name, problem, like, *pointers):
    """Calls recurrence_NAME() of the GPU library, or that of recurrence_cpu.h."""
    by, library = ctypes.byref(problem), _core.library(_on_gpu(like))
    if not _on_gpu(like):
        return _call(getattr(library, f"recurrence_cpu_{name}"), by, *pointers, _cores(like))
    stream = _stream(like)
    size = library.recurrence_workspace_of(by)
    work, memory = _scratch(size, like)
    _call(library.recurrence_prepare, work, size, stream)
    _call(getattr(library, f"recurrence_{name}"), by, *pointers, work, size, stream)


@_on_device
def _recurrence(s, t, w0, offset, dim, reverse):
    w = _new(t)
    if w.numel():
        t, w0 = t.contiguous(), None if w0 is None else w0.contiguous()
        problem, kept = _sequences(s, t, w0, w, offset, dim, reverse)
        _run_sequences("solve", problem, w)
    return w


@_on_device
def _recurrence_gradient(s, w, w0, dw, offset, dim, reverse):
    ds, dt = _new(w), _new(w)
    dw0 = w.new_empty(0) if w0 is None else w0.new_zeros(w0.shape)
    if w.numel():
        w, dw, w0 = w.contiguous(), dw.contiguous(), None if w0 is None else w0.contiguous()
        problem, kept = _sequences(s, w, w0, w, offset, dim, reverse)
        _run_sequences("gradient", problem, w, *_pointers((dw, ds, dt, None if w0 is None else dw0)))
    return ds, dt, dw0


def _firsts(t, offset, dim, reverse):
    """For each element along dim the number of its sequence, and whether it is the first one."""
    i = torch.arange(t.shape[dim], device=t.device)
    sequence = torch.searchsorted(offset, i, right=True) - 1
    return sequence, _along(i == (offset[1:] - 1 if reverse else offset)[sequence], dim - t.ndim)


def _before(w, w0, offset, dim, reverse):
    """w_{i-1} for all i."""
    by = -1 if reverse else 1
    if offset is not None:
        sequence, first = _firsts(w, offset, dim, reverse)
        return torch.where(first, 0 if w0 is None else w0.index_select(dim, sequence), _shifted(w, by, dim, False))
    if w0 is None or not w.numel():
        return _shifted(w, by, dim, False)
    parts = [w0.unsqueeze(dim), w.narrow(dim, int(reverse), w.shape[dim] - 1)]
    return torch.cat(parts[::-1] if reverse else parts, dim)


def _after(t, offset, dim, reverse):
    """t_{i+1} for all i, 0 for the last of a sequence."""
    if offset is not None:
        t = t.masked_fill(_firsts(t, offset, dim, reverse)[1], 0)
    return _shifted(t, 1 if reverse else -1, dim, False)


def _first(t, offset, dim, reverse):
    """The first element of each sequence, 0 of empty ones."""
    n = t.shape[dim]
    if offset is None:
        return t.select(dim, n - 1 if reverse else 0) if n else t.sum(dim)
    if not n:
        return t.sum(dim, True).repeat_interleave(offset.numel() - 1, dim)
    first = t.index_select(dim, (offset[1:] - 1 if reverse else offset[:-1]).clamp(0, n - 1))
    return first.masked_fill(_along(offset[1:] == offset[:-1], dim - t.ndim), 0)


def _recurrence_setup(ctx, inputs, output):
    s, _, w0, offset, *ctx.options = inputs
    ctx.save_for_backward(s, w0, output, offset)


def _recurrence_backward(ctx, dw):
    s, w0, w, offset = ctx.saved_tensors
    dim, reverse = ctx.options
    if s.shape == w.shape:
        ds, dt, dw0 = _gradient_of_sequences(s, w, w0, dw, offset, *ctx.options)
        return ds, dt, None if w0 is None else dw0, None, None, None
    dt = _solve_sequences(s.conj(), dw, None, offset, dim, not reverse)
    ds = None
    if ctx.needs_input_grad[0]:
        ds = (dt * _before(w, w0, offset, dim, reverse).conj()).sum_to_size(s.shape)
    dw0 = None
    if w0 is not None:
        dw0 = (s.squeeze(dim) if offset is None else s).conj() * _first(dt, offset, dim, reverse)
    return ds, dt, dw0, None, None, None


def _recurrence_vmap(info, in_dims, s, t, w0, offset, dim, reverse):
    (s, t, w0), size = _to_front(info, in_dims, (s, t, w0))
    _same_offset(in_dims[3])
    t, w0 = _expanded((t, w0), size)
    if s.shape[dim + 1] != 1:
        s = s.expand(t.shape)
    return _solve_sequences(s, t, w0, offset, dim + 1, reverse), 0


def _same_offset(in_dim):
    if in_dim is not None:
        raise NotImplementedError("offset: of torch.vmap's dimension")


def _sequences_setup(ctx, inputs, output):
    s, w, w0, _, offset, *ctx.options = inputs
    ctx.save_for_backward(s, w, w0, output[1], offset)


def _sequences_backward(ctx, gs, gt, g0):
    # With y = dt: y_i = dw_i + conj(s_{i+1}) y_{i+1}, ds_i = y_i conj(w_{i-1}) and dw0 = conj(s_1) y_1. So z with
    # z_i = s_i z_{i-1} + gy_i and z_0 = g0 is the gradient for dw.
    s, w, w0, y, offset = ctx.saved_tensors
    along = offset, *ctx.options
    g0 = None if w0 is None else g0
    z = _solve_sequences(s, gt + gs * _before(w, w0, *along), g0, *along)
    gbefore = gs.conj() * y
    gw = _after(gbefore, *along)
    gw0 = None if w0 is None else _first(gbefore, *along)
    return y * _before(z, g0, *along).conj(), gw, gw0, z, None, None, None


def _sequences_vmap(info, in_dims, s, w, w0, dw, offset, dim, reverse):
    tensors, size = _to_front(info, in_dims, (s, w, w0, dw))
    _same_offset(in_dims[4])
    return _gradient_of_sequences(*_expanded(tensors, size), offset, dim + 1, reverse), (
        0, 0, None if w0 is None else 0)


_solve_sequences = _operator(
    "recurrence(Tensor s, Tensor t, Tensor? w0, Tensor? offset, int dim, bool reverse) -> Tensor",
    _recurrence, lambda s, t, *more: _new(t), _recurrence_setup, _recurrence_backward, _recurrence_vmap)
_gradient_of_sequences = _operator(
    "recurrence_gradient(Tensor s, Tensor w, Tensor? w0, Tensor dw, Tensor? offset, int dim, bool reverse) "
    "-> (Tensor, Tensor, Tensor)",
    _recurrence_gradient,
    lambda s, w, w0, *more: (_new(w), _new(w), w.new_empty(0) if w0 is None else _new(w0)),
    _sequences_setup, _sequences_backward, _sequences_vmap)


# ---- filters ----
#
# The operators take x of the shape (batch, n), and zi of the shape (sections, batch, order), as C does. A filter is
# linear: no tensor is saved for the gradient.


@_on_device
def _filter(x, zi, coefficients, sections, order, carry_in_double):
    y, zf = _new(x), x.new_empty(0) if zi is None else zi.clone(memory_format=torch.contiguous_format)
    if x.numel():
        x, library, letter = x.contiguous(), _core.library(_on_gpu(x)), _LETTERS[x.dtype]
        numbers = (ctypes.c_double * len(coefficients))(*coefficients)
        states = [None if zi is None else zf.data_ptr()] * 2
        by = ctypes.byref(_core.Filter(letter, x.shape[1], x.shape[0], sections, order, ctypes.addressof(numbers),
                                       *_pointers((x, y)), *states, carry_in_double))
        if not _on_gpu(x):
            if library.filter_cpu_solve(by, _cores(x)):
                raise refused(letter)
            return y, zf
        size, stream = library.filter_workspace(by), _stream(x)
        work, memory = _scratch(size, x)
        _call(library.filter_prepare, work, size, stream)
        try:
            _call(library.filter_solve, by, work, size, stream)
        except ValueError:
            raise refused(letter, carry_in_double, library.filter_growth(by)) from None
    return y, zf


def _filter_setup(ctx, inputs, output):
    ctx.options, ctx.has_states = inputs[2:], inputs[1] is not None


def _filter_backward(ctx, dy, dzf):
    # The gradient for x is a filter of dy in reversed time.
    coefficients, sections, order, carry_in_double = ctx.options
    reverse, states = reversed_sections(coefficients, order), None
    if ctx.has_states:
        states = dzf.flip(0) @ torch.tensor(state_matrices(reverse, order), dtype=dy.dtype, device=dy.device)
    dx = _run_filter(dy.flip(1), states, reverse, sections, order, carry_in_double)[0].flip(1)
    if not ctx.has_states or not ctx.needs_input_grad[1]:
        return dx, None, None, None, None, None
    # y and zf from zi alone are sums of those from unit vectors.
    batch, count = dy.shape[0], sections * order
    units = torch.eye(count, dtype=dy.dtype, device=dy.device).reshape(count, sections, order).transpose(0, 1)
    of_y, of_zf = _run_filter(dy.new_zeros(count, dy.shape[1]), units, *ctx.options)
    dzi = dy @ of_y.T + dzf.transpose(0, 1).reshape(batch, count) @ of_zf.transpose(0, 1).reshape(count, count).T
    return dx, dzi.reshape(batch, sections, order).transpose(0, 1), None, None, None, None


def _filter_vmap(info, in_dims, x, zi, coefficients, sections, order, *options):
    (x, zi), size = _to_front(info, in_dims[:2], (x, zi))
    x, zi = _expanded((x, zi), size)
    batch = size * x.shape[1]
    states = None if zi is None else zi.transpose(0, 1).reshape(sections, batch, order)
    y, zf = _run_filter(x.reshape(batch, x.shape[2]), states, coefficients, sections, order, *options)
    if zi is None:
        return (y.reshape(x.shape), zf), (0, None)
    return (y.reshape(x.shape), zf.reshape(sections, size, x.shape[1], order)), (0, 1)


_run_filter = _operator(
    "filter(Tensor x, Tensor? zi, float[] coefficients, int sections, int order, bool carry_in_double) "
    "-> (Tensor, Tensor)",
    _filter, lambda x, zi, *options: (_new(x), x.new_empty(0) if zi is None else _new(zi)), _filter_setup,
    _filter_backward, _filter_vmap)


# ---- operands ----


def _tensors(operands, letters):
    """The operands as tensors of one type and device, by name. Numbers become tensors without dimensions."""
    like = next((t for t in operands.values() if isinstance(t, Tensor)), None)
    if like is None:
        raise TypeError(f"{', '.join(operands)}: at least one tensor wanted")
    first = next(name for name, t in operands.items() if t is like)
    if like.dtype not in letters:
        raise TypeError(f"{first}: of type {like.dtype}; wanted: {', '.join(map(str, letters))}")
    for name, t in operands.items():
        if isinstance(t, (int, float)) or isinstance(t, complex) and like.is_complex():
            operands[name] = torch.full((), t, dtype=like.dtype, device=like.device)
        elif not isinstance(t, Tensor):
            raise TypeError(f"{name}: a tensor or a number wanted, not {type(t).__name__}")
        elif t.dtype != like.dtype:
            raise TypeError(f"{name}: of type {t.dtype}; wanted: {like.dtype}, as {first}")
        elif t.device != like.device:
            raise ValueError(f"{name}: on {t.device}; wanted: {like.device}, as {first}")
        elif t.layout is not torch.strided:
            raise TypeError(f"{name}: of layout {t.layout}; wanted: {torch.strided}")


def _dimension(dim, ndim):
    """dim, counted from the end."""
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"dim: a whole number wanted, not {dim!r}")
    if not -ndim <= dim < ndim:
        raise ValueError(f"dim: {dim} is out of range for operands of {ndim} dimensions")
    return dim if dim < 0 else dim - ndim


def _along(t, dim):
    """A tensor of one dimension along dim."""
    return t.reshape(-1, *[1] * (-dim - 1)) if t.ndim == 1 else t


def _shape(operands, shape=()):
    """The shape to which the operands broadcast."""
    for name, t in operands.items():
        try:
            shape = torch.broadcast_shapes(shape, t.shape)
        except RuntimeError:
            raise ValueError(f"{name} has shape {tuple(t.shape)}; wanted: one that broadcasts with "
                             f"{tuple(shape)}") from None
    return shape


def _systems_operands(operands, dim, periodic):
    """The operands as the operators take them, and dim, counted from the front."""
    _tensors(operands, _LETTERS)
    dim = _dimension(dim, max(t.ndim for t in operands.values()))
    for name, t in operands.items():
        operands[name] = _along(t, dim)
    n = next((m for m in (length(operands[name], dim) for name in ("diag", "rhs")) if m != 1), 1)
    for name in "sub", "super":
        if must_be_padded(name, operands[name], n, dim, periodic):
            operands[name] = pad(operands[name], (0, 0) * (-dim - 1) + ((1, 0) if name == "sub" else (0, 1)))
    shape = _shape(operands)
    if shape[dim] != n:
        raise ValueError(f"diag, rhs: 1 element along dim; wanted: n = {shape[dim]}")
    *diagonals, rhs = operands.values()
    matrix = _shape(operands | {"rhs": rhs.new_empty(())})
    matrix = (1,) * (len(shape) - len(matrix)) + matrix
    if math.prod(matrix) > 1:
        matrix = matrix[:dim] + (n,) + matrix[len(shape) + dim + 1:]
    return [t.expand(matrix) for t in diagonals] + [rhs.expand(shape)], len(shape) + dim


def _sequences_operands(s, t, w0, offset, dim):
    """The operands as the operators take them, and dim, counted from the front."""
    operands = {"s": s, "t": t} | ({} if w0 is None else {"w0": w0})
    _tensors(operands, _LETTERS_OF_SEQUENCES)
    s, t, w0 = operands["s"], operands["t"], operands.pop("w0", None)
    packed = offset is not None
    dim = _dimension(dim, max(s.ndim, t.ndim, w0.ndim + (not packed) if w0 is not None and w0.ndim else 0))
    s, t = operands["s"], operands["t"] = _along(s, dim), _along(t, dim)
    shape = _shape(operands)
    if len(shape) < -dim:
        shape = (1,) * (-dim - len(shape)) + shape
    n, count = shape[dim], (_checked_offset(offset, t),) if packed else ()
    if w0 is not None:
        w0 = _along(w0, dim) if packed else w0
        batch = _shape({"w0": w0}, without(tuple(shape), dim, *count))
        w0, shape = w0.expand(batch), with_axis(batch, dim, n, *count)
    s = s.reshape((1,) * (len(shape) - s.ndim) + s.shape)
    s = s if s.numel() == 1 or s.shape[dim] == 1 < n else s.expand(shape)
    return s, t.expand(shape), w0, offset, len(shape) + dim


def _checked_offset(offset, like):
    """The number of sequences. The numbers are not looked at, for which a GPU would have to be waited for."""
    if not isinstance(offset, Tensor) or offset.dtype != torch.int64:
        raise TypeError(f"offset: {getattr(offset, 'dtype', type(offset).__name__)}; wanted: a tensor of torch.int64")
    if offset.ndim != 1 or not offset.numel():
        raise ValueError(f"offset has shape {tuple(offset.shape)}; wanted: one dimension, one more than sequences")
    if offset.device != like.device:
        raise ValueError(f"offset: on {offset.device}; wanted: {like.device}, as t")
    return offset.numel() - 1


def _alike(tensors, letters):
    """Whether these are tensors of one shape, of one type that the C functions have, and on one device."""
    first, strided = tensors[0], torch.strided
    if not isinstance(first, Tensor):
        return False
    shape, dtype, device = first.shape, first.dtype, first.device
    for t in tensors:
        if not isinstance(t, Tensor) or t.shape != shape or t.dtype is not dtype or t.device != device or (
                t.layout is not strided):
            return False
    return dtype in letters


# A small system takes about a microsecond, much less than all that is above, and than PyTorch's dispatcher. These
# functions solve it if nothing but the solver takes part in the call, and else return False.
_core.fast("fast_torch_setup")(Tensor, torch.float32, torch.float64, torch.empty_like, Tensor.is_neg,
                               Tensor.is_contiguous, Tensor.data_ptr, _functorch, _modes, _tracing,
                               torch.is_grad_enabled, forward_ad)
_fast_tridiagonal, _fast_recurrence = _core.fast("fast_torch_tridiagonal"), _core.fast("fast_torch_recurrence")
_PIVOTS = {name: code for code, name in enumerate(_core.PIVOTS)}


# ---- the functions ----


def solve_tridiagonal(sub, diag, super, rhs, dim=-1, periodic=False, pivot="auto", check=True):
    """Solves tridiagonal systems: sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i along `dim`, for all other
    dimensions.

    sub, diag, super: n elements along dim, or one for all rows. sub and super may have n - 1: with n, sub[0] and
    super[n - 1] have no effect; with n - 1, they are left out, so sub[i - 1] and super[i] belong to row i.
    periodic: sub[0] multiplies x[n - 1], and super[n - 1] multiplies x[0]; so both have n elements.
    pivot: "auto" pivots where rows are not diagonally dominant, "always" or True everywhere, "never" or False nowhere.
    check: SingularMatrixError is raised if elimination breaks down, also in the backward pass. For this the call waits
    for the GPU. check=False does not wait, so it can be captured in a CUDA graph; then x of a system that breaks down
    is undefined, but the first element is NaN."""
    code, periodic = _PIVOTS.get(pivot) if type(pivot) is str else None, bool(periodic)
    if code is None:
        code = _core.pivot_of(pivot)
    if type(dim) is int and not torch.compiler.is_compiling():
        x = _fast_tridiagonal(sub, diag, super, rhs, dim, periodic, code)
        if x is not False:
            return x
    operands = sub, diag, super, rhs
    if _alike(operands, _LETTERS) and type(dim) is int and -rhs.ndim <= dim < rhs.ndim:
        dim = dim + rhs.ndim if dim < 0 else dim
    else:
        operands, dim = _systems_operands(dict(zip(("sub", "diag", "super", "rhs"), operands)), dim, periodic)
    return _solve_systems(*operands, dim, periodic, _core.PIVOTS[code], bool(check))


def solve_recurrence(s, t, w0=None, dim=-1, reverse=False, offset=None):
    """Solves linear recurrences: w_i = s_i w_{i-1} + t_i along `dim`, for all other dimensions; with `reverse`, from
    the last element to the first: w_i = s_i w_{i+1} + t_i.

    s: elements like t, or one for all i. w0: the value before the first element, a number or a tensor that broadcasts
    with the shape of the batch (without dim); None: 0. In float16 and bfloat16, w_i is rounded when it is stored, not
    where it goes on to w_{i+1}, so it is as exact as the type allows.
    offset: packed sequences of different lengths: sequence k has the elements offset[k] to offset[k + 1] - 1 along dim.
    An int64 tensor beside the others, which ascends from 0 to the size of dim; on a GPU this is not checked. w0 then
    has dim, with an element for each sequence."""
    reverse = bool(reverse)
    if w0 is None and offset is None and type(dim) is int and not torch.compiler.is_compiling():
        w = _fast_recurrence(s, t, dim, reverse)
        if w is not False:
            return w
    if w0 is None and offset is None and _alike((s, t), _LETTERS_OF_SEQUENCES) and type(dim) is int and (
            -t.ndim <= dim < t.ndim):
        return _solve_sequences(s, t, None, None, dim + t.ndim if dim < 0 else dim, reverse)
    return _solve_sequences(*_sequences_operands(s, t, w0, offset, dim), reverse)


def solve_filter(b=None, a=None, x=None, dim=-1, zi=None, *, sos=None, carry_in_double=False):
    """Filters x along `dim`, as scipy.signal.lfilter(b, a, x, dim, zi); or with sos instead of b and a, as
    scipy.signal.sosfilt(sos, x, dim, zi). Returns y, or (y, zf) if zi is given.

    b, a: at most 9 real numbers each. sos: (sections, 6), at most 4 sections. They are used in double precision, and
    have no gradients; for torch.compile they are lists. x: float32 or float64, of one dimension or more.
    zi: the states before the first elements, of the type of x and SciPy's shape: for b and a that of x with
    max(len(a), len(b)) - 1 elements along dim; for sos (sections, *that of x with 2 elements along dim). It may have 1
    element where that has more. zf: the states after the last elements.
    carry_in_double: x in single precision is filtered in double precision, on a GPU its states are carried in it; for
    poles close to the unit circle. On a GPU filters whose powers grow are refused."""
    for name, value in ("b", b), ("a", a), ("sos", sos):
        if isinstance(value, Tensor) and value.requires_grad:
            raise NotImplementedError(f"{name}: coefficients of filters have no gradients; detach()")
    made, operands = Filter(b, a, sos), {"x": x} | ({} if zi is None else {"zi": zi})
    _tensors(operands, (torch.float32, torch.float64))
    dim = _dimension(dim, operands["x"].ndim)
    rows = operands["x"].movedim(dim, -1)
    shape = rows.shape
    batch = math.prod(shape[:-1])
    if zi is not None:
        zi = operands["zi"]
        zi = zi.expand(made.states(x.shape, dim, zi)).movedim(dim, -1).reshape(made.sections, batch, made.order)
    y, zf = _run_filter(rows.reshape(batch, shape[-1]), zi, made.coefficients, made.sections, made.order,
                        bool(carry_in_double))
    y = y.reshape(shape).movedim(-1, dim)
    if zi is None:
        return y
    zf = zf.reshape(made.sections, *shape[:-1], made.order).movedim(-1, dim)
    return y, zf if made.cascade else zf[0]
