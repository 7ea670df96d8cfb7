"""Recurrences and tridiagonal systems in parallel: the solvers of librecurrences, called by ctypes.

Arrays. On a CPU: numpy arrays, array.array, ctypes arrays (also of complex64 and complex128 below),
CPU tensors, or any contiguous buffer; librecurrences_cpu solves, with kernels on the CPU device,
which is for learning and testing. On a GPU: torch tensors, cupy and numba arrays, or any object with
data_ptr() or __cuda_array_interface__; librecurrences solves. All arrays of a call have one type
('s' and 'd' single and double precision, 'c' and 'z' complex) and lie on one device. Inputs are not
modified.

Shapes. Arrays have one dimension, and those of a call have one length, unless the function says
otherwise. A batch is an array of two dimensions, or a flat array and batch=K.

Results are new arrays of the same kind and shape, or `out`, which is returned. `out` may overlap no
input, unless the function says otherwise.

pivot="always" or True is scaled partial pivoting, "never" or False none. "auto" pivots unless all
rows are diagonally dominant.

Streams. On a GPU, work goes on `stream`, a number (torch: torch.cuda.current_stream().cuda_stream;
0 is the default stream), in whose order the arrays must be ready and workspace is allocated and
freed. Functions that can raise Breakdown wait for the stream.

Errors. ValueError and TypeError: an argument is not valid, and nothing was done. Breakdown: a pivot
failed; it says in which row and system. DeviceError: the device failed.

The libraries are searched for in RECURRENCES_LIBRARY (a directory, or a library in it), or else
beside this file, in build/lib of the sources, where `make install` puts them, and where the dynamic
loader looks."""

import array
import functools
import math
import numbers
import os
import struct
import sys

try:
    import ctypes
except ImportError as error:
    raise ImportError("recurrences needs ctypes; in Debian it is in python3, not in python3-minimal") from error


class Breakdown(ArithmeticError):
    """A pivot failed. failures: (system, row) of every system that broke down; system, row: the first
    of them; x: the result, in which the other systems are solved."""

    def __init__(self, failures, x):
        self.failures, self.x = failures, x
        self.system, self.row = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        super().__init__(f"elimination broke down in system {self.system} near row {self.row}{more}")


class DeviceError(RuntimeError):
    """code: a cudaError_t of the runtime, or a CUresult of the driver."""

    def __init__(self, code, message):
        self.code = code
        super().__init__(message)


# ---- structs and functions, as the headers declare them ----

_int, _long, _double, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_char, _bool, _size = ctypes.c_char, ctypes.c_bool, ctypes.c_size_t
_nest = _long * 8  # the length is NSHAPE_NEST_MOST of nshape.h


def _struct(name, **fields):
    """The ctypes type for C's `struct name`; a__b=TYPE declares two fields, a and b."""
    pairs = [(field, kind) for names, kind in fields.items() for field in names.split("__")]
    return type(name, (ctypes.Structure,), {"_fields_": pairs})


# (complex64 * n)() is an array of n single complex numbers, (complex128 * n)() one of double ones.
complex64, complex128 = _struct("complex64", re__im=ctypes.c_float), _struct("complex128", re__im=_double)
_layout = _struct("pscheme_layout", n__parts__rows__part_stride__row_stride=_long)
_pscheme_recurrence = _struct("pscheme_recurrence", variant=_int, type=_char, layout=_layout, blocks__threads=_int,
                              w0__scale__offset=_double, w__products=_pointer)
_pscheme = _struct("pscheme_tridiagonal", type=_char, layout=_layout, blocks__threads=_int, first__last=_double,
                   diag__off__rhs__x__work__status=_pointer)
_pcr = _struct("pcr", type=_char, n=_long, blocks__threads=_int, w0=_double, s__t__w__work=_pointer)
_coefficient = _struct("pscheme_g_coefficient", rounds=_int, up__down__scale__offset=_double)
_pscheme_g = _struct("pscheme_g", variant=_int, type=_char, n__parts__rows=_long, blocks__threads=_int, w0=_double,
                     coefficient=_coefficient, s__t__w__products__carry=_pointer)
_recurrence = _struct("recurrence", type=_char, length__batch=_long, reverse__constant=_int, s__t__w0__w=_pointer,
                    carry__blocks=_int)
_thomas = _struct("thomas_batch", type=_char, interleaved=_bool, n__batch=_long,
                  sub__diag__super__rhs__x__work__status=_pointer, threads__shared_limit=_int)
_batch = _struct("tridiagonal_batch", type=_char, n__batch=_long, sub__diag__super__rhs__x__status=_pointer,
                 pivot__matrix=_int, sides=_long, periodic=_int, inner__row_stride__plane_stride=_long,
                 offset=_pointer, crank_nicolson=_int, work=_pointer)
_heat = _struct("heat", type=_char, n=_long, dt=_double, u__work=_pointer)
_nshape = _struct("nshape", type=_char, n=_long, sub__diag__super__rhs__x=_pointer, nest=_int, parts=_nest,
                  joints=_pointer, joining=_int, work__status=_pointer, threads=_int)
_lanes = _struct("tridiagonal_cpu", type=_char, n=_long, sub__diag__super__rhs__x__work=_pointer, cores=_int)
_tdse = _struct("tdse", type=_char, n__first=_long, x0__dx__dt=_double, v__psi=_pointer, matrix__solver__nest=_int,
                parts=_nest, joints__work=_pointer, threads=_int)
_tridiagonal = _struct("tridiagonal", type=_char, n=_long, sub__diag__super__rhs__x=_pointer, sides__stride=_long,
                       toeplitz__periodic__pivot=_int, status=_pointer, way=_int)
# The structs of each header. test_recurrences.py --layout compares their layout with that in C.
STRUCTS = {"pscheme_gpu.h": [_layout, _pscheme_recurrence, _pscheme], "pcr.h": [_pcr],
           "pscheme_g.h": [_coefficient, _pscheme_g], "recurrence.h": [_recurrence], "thomas_batch.h": [_thomas],
           "tridiagonal_batch.h": [_batch], "heat.h": [_heat], "nshape.h": [_nshape], "tridiagonal_cpu.h": [_lanes],
           "tdse.h": [_tdse], "tridiagonal.h": [_tridiagonal]}

# The functions of each signature: type of the result, types of the arguments. The result i is a
# cudaError_t. A name that ends with _ is that of two functions, for the types s and d of r.
_LETTERS = {"i": _int, "l": _long, "d": _double, "p": _pointer, "c": _char, "b": _bool, "z": _size, "v": None,
            "R": _pscheme_recurrence, "T": _pscheme, "G": _pscheme_g, "C": _coefficient}
_SIGNATURES = """
    l lpppppp:      substitution_solve_
    l illippppppp:  pscheme_solve_
    l lipppppp:     pscheme_solve_lanes_
    v lrppp:        recurrence_serial_
    v llirpppp:     recurrence_pscheme_
    v lirppp:       recurrence_lanes_
    R icliiddd:     pscheme_recurrence_plan
    T bcliidd:      pscheme_tridiagonal_plan
    G icliidC:      pscheme_g_plan
    l l:            pcr_work
    l p:            pscheme_elements pscheme_product_elements pscheme_tridiagonal_work pscheme_g_elements
                    tridiagonal_cpu_solve
    z p:            tridiagonal_batch_work heat_work nshape_work tdse_work tridiagonal_workspace
    z cl:           recurrence_workspace tridiagonal_cpu_work
    l ip:           thomas_batch_work
    d p:            heat_ratio
    i pp:           pscheme_solve pscheme_tridiagonal_solve pcr_solve pscheme_g_solve tridiagonal_batch_solve heat_prepare
                    nshape_solve
    i ipp:          thomas_batch_solve
    i cpppp:        pscheme_to_natural pscheme_from_natural
    i pipp:         pscheme_g_to_natural
    i cillppp:      pscheme_g_transpose
    i pzp:          recurrence_prepare tridiagonal_prepare
    i ppzp:         recurrence_solve tridiagonal_solve
    i ppppppzp:     recurrence_gradient
    i plp:          heat_steps
    i pippp:        heat_explicit
    i pi:           nshape_solve_cpu
    i pdp:          tdse_step tdse_keep
    i pdi:          tdse_step_cpu tdse_keep_cpu
"""

_BYTES = {"s": 4, "d": 8, "c": 8, "z": 16, "int64": 8}


def _bind(library):
    """The functions of a library, by name."""
    functions = {}
    for word in _SIGNATURES.split():
        if len(word) == 1:
            result = word
        elif word.endswith(":"):
            arguments = word[:-1]
        else:
            for suffix, real in [("s", ctypes.c_float), ("d", _double)] if word.endswith("_") else [("", None)]:
                function = functions[word + suffix] = library[word + suffix]
                function.restype = _LETTERS[result]
                function.argtypes = [real if a == "r" else _LETTERS[a] for a in arguments]
    return functions


@functools.lru_cache(None)
def _library(name):
    """A library and its functions; it is loaded once."""
    file, given = f"lib{name}.so.1", os.environ.get("RECURRENCES_LIBRARY")
    here = os.path.dirname(os.path.realpath(__file__))
    places = [here, os.path.join(here, "..", "..", "build", "lib"), os.path.join(here, "..", "..")]
    if given:
        places = [given if os.path.isdir(given) else os.path.dirname(given) or "."]
    paths = [os.path.join(place, file) for place in places]
    path = next(filter(os.path.exists, paths), paths[0] if given else file)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"{file} not found (make lib, or RECURRENCES_LIBRARY=DIRECTORY): {error}") from None
    return library, _bind(library)


# ---- devices ----


class _Driver:
    """CUDA's driver, which every process with arrays on a GPU has loaded."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.contexts = {}
        self("cuInit", _int(0))

    def __call__(self, function, *arguments):
        code = self.cuda[function](*arguments)
        if code:
            raise DeviceError(code, f"{function} failed with CUresult {code}")

    def device_of(self, pointer):
        ordinal = _int()
        self("cuPointerGetAttribute", ctypes.byref(ordinal), _int(9), _pointer(pointer))  # 9: DEVICE_ORDINAL
        return ordinal.value

    def enter(self, ordinal):
        """Makes a GPU's primary context current, as CUDA's runtime does."""
        if ordinal not in self.contexts:
            device, context = _int(), _pointer()
            self("cuDeviceGet", ctypes.byref(device), _int(ordinal))
            self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.contexts[ordinal] = context
        self("cuCtxPushCurrent_v2", self.contexts[ordinal])

    def leave(self):
        self("cuCtxPopCurrent_v2", ctypes.byref(_pointer()))


_driver = None


class _Memory:
    """Memory on a device, aligned to at least 64 bytes, freed with this object."""

    def __init__(self, ordinal, stream, count):
        self.ordinal, self.stream, self.pointer = ordinal, stream, None
        if ordinal is None:
            self.buffer = ctypes.create_string_buffer(count + 64)
            self.pointer = (ctypes.addressof(self.buffer) + 63) & -64
        elif count > 0:
            pointer = ctypes.c_uint64()
            _driver("cuMemAllocAsync", ctypes.byref(pointer), _size(count), stream)
            self.pointer = pointer.value

    def __del__(self):
        if self.ordinal is not None and self.pointer is not None and _driver is not None:  # None when Python exits
            _driver.enter(self.ordinal)
            _driver("cuMemFreeAsync", ctypes.c_uint64(self.pointer), self.stream)
            _driver.leave()


class _Device:
    """The device of a call's arrays: with _Device(arrays, stream) as on: on("pcr_solve", …)."""

    def __init__(self, arrays, stream=0):
        ordinals = {a.ordinal for a in arrays}
        if len(ordinals) > 1:
            raise ValueError("arrays are on different devices: " + ", ".join(
                f"{a.name} on " + ("the CPU" if a.ordinal is None else f"GPU {a.ordinal}") for a in arrays))
        self.ordinal = ordinals.pop()
        if isinstance(stream, bool) or not isinstance(stream, numbers.Integral):
            raise TypeError("stream: a number, such as torch's stream.cuda_stream")
        if self.ordinal is None and stream:
            raise ValueError("stream: arrays are on the CPU")
        self.stream = _pointer(int(stream))
        self.library, self.functions = _library("recurrences_cpu" if self.ordinal is None else "recurrences")
        self.memory = []

    def __enter__(self):
        if self.ordinal is not None:
            _driver.enter(self.ordinal)
        return self

    def __exit__(self, *error):
        self.memory.clear()
        if self.ordinal is not None:
            _driver.leave()

    def __call__(self, name, *arguments):
        """Calls a function that returns a cudaError_t, and raises an exception for an error."""
        code = self.call(name, *arguments)
        if code:
            message = f"error {code}"
            if self.ordinal is None:
                self.library.cudaGetErrorString.restype = ctypes.c_char_p
                message = self.library.cudaGetErrorString(code).decode()
            if code == 1:
                raise ValueError(f"{name}: refused (cudaErrorInvalidValue)")
            if code == 2:
                raise MemoryError(f"{name}: not enough memory on the device")
            raise DeviceError(code, f"{name}: {message}")

    def call(self, name, *arguments):
        """Calls a function and returns its result. Structs are passed by reference."""
        by_value = self.functions[name].argtypes
        return self.functions[name](*(
            ctypes.byref(a) if isinstance(a, ctypes.Structure) and kind is _pointer else a
            for a, kind in zip(arguments, by_value)))

    def scratch(self, count):
        """The address of `count` bytes, which are freed at the end of the call; None for 0."""
        if count <= 0:
            return None
        self.memory.append(_Memory(self.ordinal, self.stream, count))
        return self.memory[-1].pointer

    def copy(self, to, source, count):
        """Copies `count` bytes between two addresses, each in main memory or on the device."""
        if count > 0 and self.ordinal is None:
            ctypes.memmove(to, source, count)
        elif count > 0:
            _driver("cuMemcpyAsync", ctypes.c_uint64(to), ctypes.c_uint64(source), _size(count), self.stream)

    def upload(self, data):
        """The address of a copy of these bytes on the device, until the end of the call."""
        to = self.scratch(len(data))
        self.copy(to, ctypes.cast(ctypes.c_char_p(data), _pointer).value, len(data))
        return to

    def download(self, source, count, kind):
        """`count` numbers from the device, after all work on the stream; kind: their letter in module struct."""
        data = ctypes.create_string_buffer(count * struct.calcsize(kind))
        self.copy(ctypes.addressof(data), source, len(data))
        if self.ordinal is not None and count:
            _driver("cuStreamSynchronize", self.stream)
        return struct.unpack(f"{count}{kind}", data.raw)

    def solved(self, x, status, count=1, kind="q", base=1):
        """x; or Breakdown, if a system has a status other than 0, which is row + base. status: the address
        of `count` statuses, or the status of a function that returns it."""
        statuses = [status] if kind is None else self.download(status, count, kind)
        failures = [(system, status - base) for system, status in enumerate(statuses) if status]
        if failures:
            raise Breakdown(failures, x.value)
        return x.value


# ---- arrays ----


class _Buffer(ctypes.Structure):
    """CPython's Py_buffer."""

    _fields_ = [("buf", _pointer), ("obj", _pointer), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", _int), ("ndim", _int), ("format", ctypes.c_char_p), ("shape", _pointer),
                ("strides", _pointer), ("suboffsets", _pointer), ("internal", _pointer)]


def _address(view):
    """The address of a buffer, also of one that is read-only."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), _int(0))
    address = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return address


_FORMATS = {"f": "s", "d": "d", "Zf": "c", "Zd": "z", "F": "c", "D": "z", "T{<f:re:<f:im:}": "c", "T{<d:re:<d:im:}": "z",
            "l": "int64", "q": "int64"}
_TYPES = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z", "int64": "int64",
          "f4": "s", "f8": "d", "c8": "c", "c16": "z", "i8": "int64"}


class _Array:
    """An array as solvers need it: address, type, shape, and the GPU's number (None: on a CPU)."""

    def __init__(self, name, value, types="sdcz", write=False):
        global _driver
        self.name, self.value, self.ordinal, readonly = name, value, None, False
        on_gpu = False
        if callable(getattr(value, "data_ptr", None)):  # torch
            kind = _TYPES.get(str(value.dtype).rpartition(".")[2])
            self.shape, contiguous = tuple(value.shape), value.is_contiguous()
            if getattr(value, "is_conj", bool)() or getattr(value, "is_neg", bool)():
                raise ValueError(f"{name}: its conjugation or sign is not yet in memory; resolve_conj(), resolve_neg()")
            if value.device.type not in ("cpu", "cuda"):
                raise TypeError(f"{name}: on {value.device}, neither CPU nor CUDA")
            self.pointer, on_gpu = value.data_ptr() or None, value.device.type == "cuda"
        elif hasattr(value, "__cuda_array_interface__"):
            face = value.__cuda_array_interface__
            kind = _TYPES.get(face["typestr"].lstrip("<=|"))
            self.shape, on_gpu = tuple(face["shape"]), True
            strides = [_BYTES.get(kind, 1) * math.prod(self.shape[i + 1:]) for i in range(len(self.shape))]
            contiguous = face.get("strides") is None or list(face["strides"]) == strides
            self.pointer, readonly = face["data"][0] or None, face["data"][1]
        else:
            try:
                self.view = memoryview(value)
            except TypeError:
                raise TypeError(f"{name}: not an array: {type(value).__name__}") from None
            form = self.view.format
            kind = _FORMATS.get(form) or _FORMATS.get(form.lstrip("<=@"))
            if kind is not None and self.view.itemsize != _BYTES[kind]:
                kind = None
            self.shape, contiguous, readonly = self.view.shape, self.view.c_contiguous, self.view.readonly
            self.pointer = _address(self.view) if contiguous and self.view.nbytes else None
        if kind not in ((types,) if types == "int64" else tuple(types)):
            names = {kind: text for text, kind in reversed(_TYPES.items()) if kind != text}
            wanted = "64-bit integers" if types == "int64" else " or ".join(names[t] for t in types)
            raise TypeError(f"{name}: {wanted} wanted")
        if not contiguous:
            raise ValueError(f"{name}: not contiguous")
        if write and readonly:
            raise ValueError(f"{name}: read-only")
        if not self.shape:
            raise ValueError(f"{name}: a number, not an array")
        self.type, self.size = kind, math.prod(self.shape)
        self.bytes = self.size * _BYTES[kind]
        if on_gpu:
            if _driver is None:
                _driver = _Driver()
            device = getattr(value, "device", None)  # the GPU's number is device.index in torch and device.id in cupy
            known = [n for n in (getattr(device, "index", None), getattr(device, "id", None)) if isinstance(n, int)]
            self.ordinal = known[0] if known else _driver.device_of(self.pointer) if self.pointer else 0

    @property
    def letter(self):
        return self.type.encode()

    def overlaps(self, other):
        return self.pointer is not None and other.pointer is not None and (
            self.pointer < other.pointer + other.bytes and other.pointer < self.pointer + self.bytes)


def _inputs(types="sdcz", **values):
    """The arrays of a call, which must all have the type of the first."""
    arrays = []
    for name, value in values.items():
        arrays.append(_Array(name, value, types))
        types = arrays[0].type
    return arrays


def _at(*arrays):
    return [a.pointer for a in arrays]


def _shaped(a, *shapes):
    """Refuses an array that has none of these shapes."""
    if a.shape not in shapes:
        *others, last = dict.fromkeys(map(str, shapes))
        raise ValueError(f"{a.name} has shape {a.shape}; wanted: " + ", ".join(others) + " or " * bool(others) + last)


def _same_shape(like, *arrays):
    for a in arrays:
        if a.shape != like.shape:
            raise ValueError(f"{a.name} has shape {a.shape}; wanted: {like.shape}, as {like.name}")


def _vectors(*arrays):
    """The arrays, which must have one dimension and one length."""
    for a in arrays:
        if len(a.shape) != 1 or a.shape != arrays[0].shape:
            every = ", ".join(f"{b.name} {b.shape}" for b in arrays)
            raise ValueError(f"{a.name} has shape {a.shape}; wanted: one-dimensional arrays of equal length, not {every}")
    return arrays


def _new(like, shape, name="out"):
    """A new array of the kind and type of `like`."""
    value, module = like.value, type(like.value).__module__
    if callable(getattr(value, "new_empty", None)):
        made = value.new_empty(shape)
    elif module.startswith("cupy"):
        with value.device:
            made = sys.modules["cupy"].empty(shape, dtype=value.dtype)
    elif module.startswith("numba"):
        made = sys.modules["numba"].cuda.device_array(shape, dtype=value.dtype)
    elif like.ordinal is not None:
        raise TypeError(f"{name}: needed, as there is no way known to make a {type(value).__name__}")
    elif module == "numpy":
        made = sys.modules["numpy"].empty(shape, dtype=value.dtype)
    else:
        count = math.prod(shape)
        if like.type in "cz":
            made = ((complex64 if like.type == "c" else complex128) * count)()
        else:
            made = array.array("f" if like.type == "s" else "d", bytes(count * _BYTES[like.type]))
            if len(shape) > 1 and count:
                made = memoryview(made).cast("B").cast(made.typecode, shape)
    return _Array(name, made, like.type, write=True)


def _output(out, like, inputs, shape=None, alias=(), name="out"):
    """`out`, or a new array. `out` may not overlap an input, but it may be one of `alias` itself."""
    shape = shape or like.shape
    if out is None:
        return _new(like, shape, name)
    made = _Array(name, out, like.type, write=True)
    _shaped(made, shape)
    for a in inputs:
        if made.overlaps(a) and not (a in alias and a.pointer == made.pointer):
            raise ValueError(f"{name} overlaps {a.name}")
    return made


def _systems(a, batch, interleaved=False):
    """(batch, n) of an array. Interleaved arrays of two dimensions are (n, batch)."""
    if batch is not None:
        _at_least(0, batch=batch)
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


def _choice(name, value, *choices):
    if value not in choices:
        raise ValueError(f"{name}: one of {', '.join(map(str, choices))}")
    return choices.index(value)


_PIVOTS = ("never", "always", "auto")
_WAYS = ("auto", "resident", "partly_resident", "two_pass")


def _pivot(value):
    name = _PIVOTS[value] if isinstance(value, bool) else value
    if not isinstance(name, str) or name not in _PIVOTS:
        raise ValueError("pivot: one of auto, always, True, never, False")
    return _PIVOTS.index(name)


def _at_least(least, **values):
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not least <= value < 2**31:
            raise ValueError(f"{name}: a whole number, {least} or more")


def _launch(blocks, threads):
    _at_least(1, blocks=blocks, threads=threads)
    if threads > 1024:
        raise ValueError("threads: at most 1024")


def _on_cpu(arrays):
    for a in arrays:
        if a.ordinal is not None:
            raise TypeError(f"{a.name}: this solver runs on CPU cores, the array is on a GPU")
    return _Device(arrays)


def _on(arrays, stream, cores):
    """The device of the arrays or, if `cores` are given, that many CPU cores."""
    if cores is None:
        return _Device(arrays, stream)
    _at_least(1, cores=cores)
    return _on_cpu(arrays)


# ---- linear recurrences w_i = s_i w_{i-1} + t_i ----


def _packed(kind, number):
    """The bytes of a number of this type."""
    if kind in "sd":
        return struct.pack("f" if kind == "s" else "d", float(number))
    number = complex(number)
    return struct.pack("ff" if kind == "c" else "dd", number.real, number.imag)


def _starts(w0, kind, batch, inputs):
    """w0 of recurrence: an array of `batch` numbers, which becomes one of the inputs; this many numbers
    as bytes; or None."""
    if w0 is None or isinstance(w0, numbers.Number):
        return None if w0 is None else _packed(kind, w0) * batch
    inputs.append(_Array("w0", w0, kind))
    _shaped(inputs[-1], (batch,))
    return inputs[-1]


def _sequences(on, function, shape, reverse, constant, s, t, w0, w, *gradient):
    """Calls recurrence_solve or recurrence_gradient. shape: (batch, length)."""
    batch, length = shape
    first = w0.pointer if isinstance(w0, _Array) else None if w0 is None else on.upload(w0)
    size = on.call("recurrence_workspace", w.letter, w.size)
    work = on.scratch(size)
    on("recurrence_prepare", work, size, on.stream)
    problem = _recurrence(w.letter, length, batch, bool(reverse), constant, s.pointer, t, first, w.pointer, 0, 0)
    on(function, problem, *_at(*gradient), work, size, on.stream)


def recurrence(s, t, w0=None, *, batch=None, reverse=False, out=None, stream=0):
    """Linear recurrences in one pass over memory; returns w, of the shape of t. s: an array like t,
    or of one number, which is used for every i. w0: a number, or an array with one number for each
    sequence; None means 0. reverse: solves w_i = s_i w_{i+1} + t_i. out may be t or s. Types s, d,
    c, z."""
    s, t = inputs = _inputs(s=s, t=t)
    shape = _systems(t, batch)
    constant = s.shape == (1,) != t.shape
    if not constant:
        _same_shape(t, s)
    w0 = _starts(w0, t.type, shape[0], inputs)
    w = _output(out, t, inputs, alias=(t,) if constant else (t, s))
    with _Device(inputs + [w], stream) as on:
        _sequences(on, "recurrence_solve", shape, reverse, constant, s, t.pointer, w0, w)
    return w.value


def recurrence_gradient(s, w, dw, w0=None, *, batch=None, reverse=False, stream=0):
    """The gradient of recurrence: with w = recurrence(s, t, w0) and dw = dL/dw it returns
    (ds, dt, dw0), where dt_i = dw_i + s_{i+1} dt_{i+1}, ds_i = dt_i w_{i-1} and dw0 = s_1 dt_1, one
    number for each sequence. In complex types s and w are conjugated. w0: as for recurrence."""
    s, w, dw = inputs = _inputs(s=s, w=w, dw=dw)
    shape = _systems(w, batch)
    _same_shape(w, s, dw)
    w0 = _starts(w0, w.type, shape[0], inputs)
    ds, dt, dw0 = _new(w, w.shape), _new(w, w.shape), _new(w, shape[:1])
    with _Device(inputs + [ds, dt, dw0], stream) as on:
        _sequences(on, "recurrence_gradient", shape, reverse, False, s, None, w0, w, dw, ds, dt, dw0)
    return ds.value, dt.value, dw0.value


def pcr(s, t, w0=0.0, *, blocks=64, threads=128, out=None, stream=0):
    """w_1..w_n by parallel cyclic reduction (W12 V-E). s, t: s_1..s_n, t_1..t_n. Types s, d."""
    s, t = _vectors(*_inputs("sd", s=s, t=t))
    _launch(blocks, threads)
    w = _output(out, t, [s, t])
    with _Device([s, t, w], stream) as on:
        work = on.scratch(on.call("pcr_work", t.size) * _BYTES[t.type])
        on("pcr_solve", _pcr(t.letter, t.size, blocks, threads, w0, *_at(s, t, w), work), on.stream)
    return w.value


_PSCHEME_VARIANTS = ("block", "rearranged", "register", "recompute", "ahead", "block_no_l1", "rearranged_no_l1")
_G_VARIANTS = ("block", "soa", "extended", "warp", "ends", "fused", "arrays")
_TRANSPOSITIONS = ("global", "tile", "padded")


def pscheme_recurrence(out, scale, offset, w0=0.0, *, variant="ahead", blocks=16, threads=128, stream=0):
    """w_i = scale w_{i-1} + offset by P-scheme (W12). Writes w_1..w_n, in this order, to out.
    variant: block, rearranged, register, recompute, ahead, block_no_l1, rearranged_no_l1. Types s, d."""
    (w,) = _vectors(_Array("out", out, "sd", write=True))
    variant = _choice("variant", variant, *_PSCHEME_VARIANTS)
    _launch(blocks, threads)
    with _Device([w], stream) as on:
        plan = on.call("pscheme_recurrence_plan", variant, w.letter, w.size, blocks, threads, w0, scale, offset)
        plan.w = on.scratch(on.call("pscheme_elements", plan.layout) * _BYTES[w.type])
        plan.products = on.scratch(on.call("pscheme_product_elements", plan) * _BYTES[w.type])
        on("pscheme_solve", plan, on.stream)
        on("pscheme_to_natural", w.letter, plan.layout, plan.w, w.pointer, on.stream)
    return w.value


def _pscheme_g_run(w, variant, w0, coefficient, blocks, threads, stream, inputs=()):
    _launch(blocks, threads)
    with _Device([w, *inputs], stream) as on:
        plan = on.call("pscheme_g_plan", variant, w.letter, w.size, blocks, threads, w0, coefficient)
        size = on.call("pscheme_g_elements", plan) * _BYTES[w.type]
        plan.s, plan.t = _at(*inputs) or (None, None)
        plan.w, plan.products = on.scratch(size), None if inputs else on.scratch(size)
        plan.carry = on.scratch(2 * plan.parts * _BYTES[w.type])
        on("pscheme_g_solve", plan, on.stream)
        on("pscheme_g_to_natural", plan, 2, w.pointer, on.stream)
    return w.value


def pscheme_g(s, t, w0=0.0, *, blocks=64, threads=128, out=None, stream=0):
    """w_1..w_n by P-scheme/G (W13) with general coefficients s_1..s_n, t_1..t_n. Types s, d."""
    inputs = s, t = _vectors(*_inputs("sd", s=s, t=t))
    w = _output(out, t, inputs)
    return _pscheme_g_run(w, _G_VARIANTS.index("arrays"), w0, _coefficient(), blocks, threads, stream, inputs)


def pscheme_g_constant(out, scale, offset, w0=0.0, *, rounds=0, up=1.0, down=1.0, variant="ends", blocks=64, threads=128,
                       stream=0):
    """w_i = s_i w_{i-1} + offset by P-scheme/G (W13). Writes w_1..w_n, in this order, to out. s_i is
    computed from scale as in W13's cases: rounds = 0 (case L), 200 (M) or 500 (H). variant: block,
    soa, extended, warp, ends, fused. Types s, d."""
    (w,) = _vectors(_Array("out", out, "sd", write=True))
    variant = _choice("variant", variant, *_G_VARIANTS[:-1])
    _at_least(0, rounds=rounds)
    return _pscheme_g_run(w, variant, w0, _coefficient(rounds, up, down, scale, offset), blocks, threads, stream)


def transpose(a, *, how="padded", out=None, stream=0):
    """The transpose of an array of two dimensions, as W13 rearranges arrays. how: global, tile,
    padded. Types s, d."""
    (a,) = _inputs("sd", a=a)
    how = _choice("how", how, *_TRANSPOSITIONS)
    if len(a.shape) != 2:
        raise ValueError("a: two dimensions")
    rows, columns = a.shape
    to = _output(out, a, [a], (columns, rows))
    with _Device([a, to], stream) as on:
        on("pscheme_g_transpose", a.letter, how, rows, columns, a.pointer, to.pointer, on.stream)
    return to.value


def _recurrence_cpu(name, s, t, w0, out, *numbers, words=None):
    s, t = _vectors(*_inputs("sd", s=s, t=t))
    w = _output(out, t, [s, t], (t.size + 1,))
    with _on_cpu([s, t, w]) as on:
        work = [] if words is None else [on.scratch((t.size + 1 + words) * _BYTES[t.type])]
        on.call(f"{name}_{t.type}", t.size, *numbers, w0, *_at(s, t, w), *work)
    return w.value


def recurrence_serial(s, t, w0=0.0, *, out=None):
    """w_0..w_n (n + 1 numbers) on one CPU core. s, t: s_1..s_n, t_1..t_n. Types s, d."""
    return _recurrence_cpu("recurrence_serial", s, t, w0, out)


def recurrence_pscheme(s, t, w0=0.0, *, parts=8, cores=1, out=None):
    """The same by P-scheme on CPU cores."""
    _at_least(1, parts=parts, cores=cores)
    return _recurrence_cpu("recurrence_pscheme", s, t, w0, out, parts, cores, words=parts)


def recurrence_lanes(s, t, w0=0.0, *, cores=1, out=None):
    """The same on the SIMD lanes of CPU cores."""
    _at_least(1, cores=cores)
    return _recurrence_cpu("recurrence_lanes", s, t, w0, out, cores)


# ---- tridiagonal systems sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i ----


def tridiagonal(sub, diag, super, rhs, *, pivot="auto", periodic=False, way="auto", out=None, stream=0):
    """One system, at the speed of a GPU's memory; an rhs of two dimensions is several right-hand
    sides. Diagonals have n numbers, or one number each, which is used in all rows. way: auto, resident,
    partly_resident, two_pass. out may be rhs. Types s, d, c, z. Breakdown's row is the first of the
    block of rows, some hundred or more, in which a pivot failed."""
    inputs = sub, diag, super, rhs = _inputs(sub=sub, diag=diag, super=super, rhs=rhs)
    sides, n = _systems(rhs, None)
    _same_shape(diag, sub, super)
    _shaped(diag, (n,), (1,))
    toeplitz = diag.shape == (1,) and n != 1
    way, pivot = _choice("way", way, *_WAYS), _pivot(pivot)
    x = _output(out, rhs, inputs, alias=(rhs,))
    with _Device([*inputs, x], stream) as on:
        step = n * _BYTES[rhs.type]
        status = on.upload(bytes(8 * max(sides, 1)))
        system = _tridiagonal(rhs.letter, n, *_at(*inputs, x), 1, n, toeplitz, bool(periodic), pivot, status, way)
        size = on.call("tridiagonal_workspace", system)
        work = on.scratch(size)
        if rhs.size:
            on("tridiagonal_prepare", work, size, on.stream)
            for side in range(sides):  # one call for each right-hand side, so that each has a status
                system.rhs, system.x = rhs.pointer + side * step, x.pointer + side * step
                system.status = status + 8 * side
                on("tridiagonal_solve", system, work, size, on.stream)
        return on.solved(x, status, sides)


def tridiagonal_batch(sub, diag, super, rhs, *, batch=None, pivot="auto", interleaved=False, offset=None, out=None,
                      stream=0):
    """Many systems. rhs: (batch, n); interleaved: (n, batch). Diagonals: arrays like rhs; or of n
    numbers, one matrix for all systems; or of one number each. offset is for systems of different
    lengths, one after the other in flat arrays: batch + 1 64-bit integers on the same device; system
    k has rows offset[k] to offset[k + 1] - 1. out may be rhs. Types s, d, c, z."""
    inputs = sub, diag, super, rhs = _inputs(sub=sub, diag=diag, super=super, rhs=rhs)
    _same_shape(diag, sub, super)
    pivot = _pivot(pivot)
    if offset is not None:
        offset = _Array("offset", offset, "int64")
        if batch is not None or interleaved or len(rhs.shape) != 1 or len(offset.shape) != 1 or offset.size < 2:
            raise ValueError("offset: batch + 1 numbers, for flat arrays that are not interleaved")
        count = offset.size - 1
        inputs.append(offset)
        matrices = [rhs.shape]
    else:
        count, n = _systems(rhs, batch, interleaved)
        matrices = [rhs.shape, (n,), (1,)]  # in the order of enum tridiagonal_matrix
    _shaped(diag, *matrices)
    x = _output(out, rhs, inputs, alias=(rhs,))
    with _Device([*inputs, x], stream) as on:
        if offset is not None:
            ends = on.download(offset.pointer, count + 1, "q")
            if ends[0] != 0 or ends[-1] != rhs.size or any(a > b for a, b in zip(ends, ends[1:])):
                raise ValueError(f"offset: from 0 to {rhs.size}, not falling")
            n = max(b - a for a, b in zip(ends, ends[1:]))
        status = on.upload(bytes(4 * count))
        system = _batch(rhs.letter, n, count, *_at(sub, diag, super, rhs, x), status, pivot, matrices.index(diag.shape), 0,
                        0, count if interleaved else 1, 0, 0, None if offset is None else offset.pointer, 0, None)
        system.work = on.scratch(on.call("tridiagonal_batch_work", system))
        on("tridiagonal_batch_solve", system, on.stream)
        return on.solved(x, status, count, "i")


_THOMAS_VARIANTS = ("thomas_global", "thomas_global_early", "thomas_shared", "thomas_tile", "sericr_global",
                    "sericr_shared", "paracr_global", "paracr_shared", "paracr_partial", "paracr_block")


def thomas_batch(sub, diag, super, rhs, *, batch=None, variant="thomas_tile", interleaved=False, threads=128, out=None,
                 stream=0):
    """Many systems by the methods of PL19, without pivoting. All arrays are (batch, n); interleaved:
    (n, batch). variant: thomas_global, _global_early, _shared, _tile, sericr_global, _shared,
    paracr_global, _shared, _partial, _block. Types s, d."""
    inputs = sub, diag, super, rhs = _inputs("sd", sub=sub, diag=diag, super=super, rhs=rhs)
    _same_shape(rhs, sub, diag, super)
    variant = _choice("variant", variant, *_THOMAS_VARIANTS)
    _launch(1, threads)
    if threads % 32:
        raise ValueError("threads: a multiple of 32")
    batch, n = _systems(rhs, batch, interleaved)
    x = _output(out, rhs, inputs)
    with _Device([*inputs, x], stream) as on:
        status = on.upload(bytes(8 * batch))
        system = _thomas(rhs.letter, bool(interleaved), n, batch, *_at(*inputs, x), None, status, threads)
        system.work = on.scratch(on.call("thomas_batch_work", variant, system) * _BYTES[rhs.type])
        on("thomas_batch_solve", variant, system, on.stream)
        return on.solved(x, status, batch)


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
    return len(parts), _nest(*parts)


def nshape(sub, diag, super, rhs, *, parts=None, threads=128, cores=None, out=None, stream=0):
    """One system by the N-shaped partition (L22), without pivoting. parts: the number of blocks in
    each nested application; (): Thomas; None: one application of about sqrt(n) blocks. cores, for
    arrays on a CPU: solves on this many cores, not on the CPU device. The solver overwrites its
    inputs, so it gets copies. Types s, d, c, z."""
    inputs = sub, diag, super, rhs = _vectors(*_inputs(sub=sub, diag=diag, super=super, rhs=rhs))
    if rhs.size < 1:
        raise ValueError("rhs: one row or more")
    nest, counts = _nest_of(rhs.size, parts)
    _launch(1, threads)
    x = _output(out, rhs, inputs)
    with _on([*inputs, x], stream, cores) as on:
        copies = [on.scratch(a.bytes) for a in inputs]
        for to, a in zip(copies, inputs):
            on.copy(to, a.pointer, a.bytes)
        status = on.upload(bytes(8))
        system = _nshape(rhs.letter, rhs.size, *copies, x.pointer, nest, counts, None, 0, None, status, threads)
        system.work = on.scratch(on.call("nshape_work", system))
        if cores is None:
            on("nshape_solve", system, on.stream)
        else:
            on("nshape_solve_cpu", system, cores)
        return on.solved(x, status)


def tridiagonal_cpu(sub, diag, super, rhs, *, cores=1, out=None):
    """One system on the SIMD lanes of CPU cores, without pivoting. out may be rhs. Types s, d, c,
    z."""
    inputs = sub, diag, super, rhs = _vectors(*_inputs(sub=sub, diag=diag, super=super, rhs=rhs))
    _at_least(1, cores=cores)
    x = _output(out, rhs, inputs, alias=(rhs,))
    with _on_cpu([*inputs, x]) as on:
        work = on.scratch(on.call("tridiagonal_cpu_work", rhs.letter, rhs.size))
        status = on.call("tridiagonal_cpu_solve", _lanes(rhs.letter, rhs.size, *_at(*inputs, x), work, cores))
        if status < 0:
            raise ValueError("tridiagonal_cpu: refused")
        return on.solved(x, status, kind=None)


# ---- W12's symmetric systems (W12 eq. 1-3): x_0 = rhs_0, x_{n-1} = rhs_{n-1}, and for 0 < i < n - 1
#      -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i ----


def pscheme_tridiagonal(diag, off, rhs, *, rearranged=True, blocks=16, threads=128, out=None, stream=0):
    """By P-scheme on a GPU (W12). All arrays have n >= 2 rows. diag and off of the first and the last
    row are not used. Types s, d."""
    inputs = diag, off, rhs = _vectors(*_inputs("sd", diag=diag, off=off, rhs=rhs))
    n, size = rhs.size, _BYTES[rhs.type]
    if n < 2:
        raise ValueError("rhs: two rows or more")
    _launch(blocks, threads)
    x = _output(out, rhs, inputs)
    with _Device([*inputs, x], stream) as on:
        ends = [(n - 1) * k * size for k in (0, 1)]
        first, last = (on.download(rhs.pointer + end, 1, "f" if rhs.type == "s" else "d")[0] for end in ends)
        plan = on.call("pscheme_tridiagonal_plan", bool(rearranged), rhs.letter, n, blocks, threads, first, last)
        words = on.call("pscheme_elements", plan.layout) * size
        plan.diag, plan.off, plan.rhs, plan.x = (on.scratch(words) for _ in range(4))
        plan.work = on.scratch(on.call("pscheme_tridiagonal_work", plan.layout) * size)
        plan.status = on.upload(bytes(8))
        if n > 2:
            for to, a in (plan.diag, diag), (plan.off, off), (plan.rhs, rhs):
                on("pscheme_from_natural", rhs.letter, plan.layout, a.pointer + size, to, on.stream)
            on("pscheme_tridiagonal_solve", plan, on.stream)
            on("pscheme_to_natural", rhs.letter, plan.layout, plan.x, x.pointer + size, on.stream)
        for end in ends:
            on.copy(x.pointer + end, rhs.pointer + end, size)
        return on.solved(x, plan.status, base=0)


def _symmetric_cpu(name, diag, off, rhs, out, *numbers, method=None):
    inputs = diag, off, rhs = _vectors(*_inputs("sd", diag=diag, off=off, rhs=rhs))
    n = rhs.size
    if n < 1:
        raise ValueError("rhs: one row or more")
    x = _output(out, rhs, inputs)
    with _on_cpu([*inputs, x]) as on:
        first, work = ([], []) if method is None else ([method], [on.scratch((3 * n + 5 * numbers[0]) * _BYTES[rhs.type])])
        row = on.call(f"{name}_{rhs.type}", *first, n, *numbers, *_at(*inputs), on.scratch(rhs.bytes),
                      on.scratch(rhs.bytes), x.pointer, *work)
        if row < 0:
            raise ValueError("refused: eq13 wants constant coefficients and off that is not 0")
        return on.solved(x, row, kind=None, base=0)


def substitution_solve(diag, off, rhs, *, out=None):
    """By substitution on one CPU core (W12). Types s, d."""
    return _symmetric_cpu("substitution_solve", diag, off, rhs, out)


def pscheme_solve(diag, off, rhs, *, method="map", parts=8, cores=1, out=None):
    """By P-scheme on CPU cores (W12). method: eq13, repeat, map. Types s, d."""
    method = _choice("method", method, "eq13", "repeat", "map")
    _at_least(1, parts=parts, cores=cores)
    return _symmetric_cpu("pscheme_solve", diag, off, rhs, out, parts, cores, method=method)


def pscheme_solve_lanes(diag, off, rhs, *, cores=1, out=None):
    """On the SIMD lanes of CPU cores. Types s, d."""
    _at_least(1, cores=cores)
    return _symmetric_cpu("pscheme_solve_lanes", diag, off, rhs, out, cores)


# ---- time steps ----


def _step_work(on, work_size, problem, refusal):
    """The workspace of a problem that is stepped, as long as the problem lives."""
    size = on.call(work_size, problem)
    if not size:
        raise ValueError(refusal)
    memory = _Memory(on.ordinal, on.stream, size)
    problem.work = memory.pointer
    return memory


class Heat:
    """The heat equation on the unit square by alternating directions (ADI). u, n x n numbers on a grid
    of width h = 1 / (n + 1), is stepped by dt in place. Types s, d."""

    def __init__(self, u, dt, *, stream=0):
        self._u = u = _Array("u", u, "sd", write=True)
        n = math.isqrt(u.size)
        if n < 1 or n * n != u.size or len(u.shape) > 2 or (len(u.shape) == 2 and u.shape[0] != n):
            raise ValueError("u: n x n numbers")
        self._on = _Device([u], stream)
        self._problem = _heat(u.letter, n, dt, u.pointer, None)
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
        to = _output(out, self._u, [self._u])
        with self._on as on:
            on("heat_explicit", self._problem, _choice("along", along, "x", "y"), self._u.pointer, to.pointer, on.stream)
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
        self._psi = psi = _Array("psi", psi, "cz", write=True)
        self._v = v = _Array("v", v, "s" if psi.type == "c" else "d")
        _vectors(psi, v)
        if psi.overlaps(v):
            raise ValueError("psi overlaps v")
        if psi.size < 2:
            raise ValueError("psi: two numbers or more")
        solver = _choice("solver", solver, "n_shaped", "tridiagonal")
        _launch(1, threads)
        self._on = _on([psi, v], stream, cores)
        if cores is not None and solver == 1:
            raise ValueError("cores: only for solver n_shaped")
        nest, counts = _nest_of(psi.size, parts) if solver == 0 else (0, _nest())
        self._cores, self._kept, self._field = cores, bool(kept), field
        self._problem = _tdse(psi.letter, psi.size, 0, x0, dx, dt, v.pointer, psi.pointer, self._kept, solver, nest, counts,
                              None, None, threads)
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
