"""The C libraries, called by ctypes: their structs and functions, errors, and arrays on a CPU or a GPU.

The libraries are searched for in RECURRENCES_LIBRARY (a directory, or a library in it), or else beside this file, in
build/lib of the sources, where `make install` puts them, and where the dynamic loader looks."""

import functools
import math
import numbers
import os
import sys

import numpy

try:
    import ctypes
except ImportError as error:
    raise ImportError("recurrences needs ctypes; in Debian it is in python3, not in python3-minimal") from error


class SingularMatrixError(numpy.linalg.LinAlgError):
    """A pivot is zero or out of range, or a number is not finite, also in rhs. failures: (system, row) of every system
    in which this happened; system, row: the first of them. A system is a tuple, an index into the array of systems. x:
    the result, in which the other systems are solved."""

    def __init__(self, failures, x=None):
        self.failures, self.x = failures, x
        self.system, self.row = failures[0]
        where = f" in system {', '.join(map(str, self.system))}" if self.system else ""
        more = f" (and in {len(failures) - 1} more)" if len(failures) > 1 else ""
        super().__init__(f"a pivot is zero, or a number not finite{where} near row {self.row}{more}")

    def __reduce__(self):  # for multiprocessing
        return SingularMatrixError, (self.failures, self.x)


class DeviceError(RuntimeError):
    """code: a cudaError_t of the runtime, or a CUresult of the driver."""

    def __init__(self, code, message):
        self.code = code
        super().__init__(message)

    def __reduce__(self):
        return DeviceError, (self.code, *self.args)


# ---- structs and functions, as the headers declare them ----

_int, _long, _double, pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_char, _bool, _size = ctypes.c_char, ctypes.c_bool, ctypes.c_size_t
Nest = _long * 8  # the length is NSHAPE_NEST_MOST of nshape.h


def _struct(name, **fields):
    """The ctypes type for C's `struct name`; a__b=TYPE declares two fields, a and b."""
    pairs = [(field, kind) for names, kind in fields.items() for field in names.split("__")]
    return type(name, (ctypes.Structure,), {"_fields_": pairs})


Layout = _struct("pscheme_layout", n__parts__rows__part_stride__row_stride=_long)
PschemeRecurrence = _struct("pscheme_recurrence", variant=_int, type=_char, layout=Layout, blocks__threads=_int,
                            w0__scale__offset=_double, w__products=pointer)
PschemeTridiagonal = _struct("pscheme_tridiagonal", type=_char, layout=Layout, blocks__threads=_int,
                             first__last=_double, diag__off__rhs__x__work__status=pointer)
Pcr = _struct("pcr", type=_char, n=_long, blocks__threads=_int, w0=_double, s__t__w__work=pointer)
Coefficient = _struct("pscheme_g_coefficient", rounds=_int, up__down__scale__offset=_double)
PschemeG = _struct("pscheme_g", variant=_int, type=_char, n__parts__rows=_long, blocks__threads=_int, w0=_double,
                   coefficient=Coefficient, s__t__w__products__carry=pointer)
ThomasBatch = _struct("thomas_batch", type=_char, interleaved=_bool, n__batch=_long,
                      sub__diag__super__rhs__x__work__status=pointer, threads__shared_limit=_int)
Heat = _struct("heat", type=_char, n=_long, dt=_double, u__work=pointer)
Nshape = _struct("nshape", type=_char, n=_long, sub__diag__super__rhs__x=pointer, nest=_int, parts=Nest,
                 joints=pointer, joining=_int, work__status=pointer, threads=_int)
Tdse = _struct("tdse", type=_char, n__first=_long, x0__dx__dt=_double, v__psi=pointer, matrix__solver__nest=_int,
               parts=Nest, joints__work=pointer, threads=_int)
Recurrence = _struct("recurrence", type=_char, length__batch=_long, reverse__constant=_int, s__t__w0__w=pointer,
                     carry__blocks=_int, inner__row_stride__plane_stride=_long, offset=pointer)
Filter = _struct("filter", type=_char, length__batch=_long, sections__order=_int, coefficients__x__y__zi__zf=pointer,
                 carry_in_double=_int)
Tridiagonal = _struct("tridiagonal", type=_char, n=_long, sub__diag__super__rhs__x=pointer, sides__stride=_long,
                      toeplitz__periodic__pivot=_int, status=pointer, way=_int)
TridiagonalBatch = _struct("tridiagonal_batch", type=_char, n__batch=_long, sub__diag__super__rhs__x__status=pointer,
                           pivot__matrix=_int, sides=_long, periodic=_int, inner__row_stride__plane_stride=_long,
                           offset=pointer, crank_nicolson=_int, work=pointer)
TridiagonalCpu = _struct("tridiagonal_cpu", type=_char, n=_long, sub__diag__super__rhs__x__work=pointer,
                         cores__pivot=_int)
Derivatives = _struct("tridiagonal_derivatives", dx__dsub__ddiag__dsuper__drhs=pointer)
# The structs and enumerators of each header. test_recurrences.py --layout compares them with those in C.
STRUCTS = {"pscheme_gpu.h": [Layout, PschemeRecurrence, PschemeTridiagonal], "pcr.h": [Pcr],
           "pscheme_g.h": [Coefficient, PschemeG], "thomas_batch.h": [ThomasBatch], "heat.h": [Heat],
           "nshape.h": [Nshape], "tdse.h": [Tdse], "recurrence.h": [Recurrence], "filter_problem.h": [Filter],
           "tridiagonal.h": [Tridiagonal],
           "tridiagonal_batch.h": [TridiagonalBatch], "tridiagonal_cpu.h": [TridiagonalCpu],
           "tridiagonal_problem.h": [Derivatives]}
PIVOTS = ("never", "always", "auto")
OWN, SHARED, CONSTANT = range(3)
S_EACH, S_ONE, S_SEQUENCE, S_CHANNEL = range(4)
LONG = 1024  # recurrences.torch and .jax solve one system of so many rows by tridiagonal.h, shorter ones as a batch
ENUMS = {"TRIDIAGONAL_PIVOT_": PIVOTS, "TRIDIAGONAL_BATCH_": ("own", "shared", "constant"),
         "RECURRENCE_S_": ("each", "one", "sequence", "channel")}

# The functions of each signature: type of the result, types of the arguments. The result i of a function that gets a
# stream is a cudaError_t. A name that ends with _ is that of two functions, for the types s and d of r.
_LETTERS = {"i": _int, "l": _long, "d": _double, "p": pointer, "c": _char, "b": _bool, "z": _size, "v": None,
            "R": PschemeRecurrence, "T": PschemeTridiagonal, "G": PschemeG, "C": Coefficient}
_SIGNATURES = """
    l lpppppp:      substitution_solve_
    l illippppppp:  pscheme_solve_
    l lipppppp:     pscheme_solve_lanes_
    l lrppp:        recurrence_serial_
    l llirpppp:     recurrence_pscheme_
    R icliiddd:     pscheme_recurrence_plan
    T bcliidd:      pscheme_tridiagonal_plan
    G icliidC:      pscheme_g_plan
    l l:            pcr_work
    l p:            pscheme_elements pscheme_product_elements pscheme_tridiagonal_work pscheme_g_elements
                    tridiagonal_cpu_solve
    l pp:           tridiagonal_cpu_gradient
    l pi:           tridiagonal_batch_cpu_solve
    l ppi:          tridiagonal_batch_cpu_gradient
    z p:            tridiagonal_batch_work tridiagonal_batch_gradient_work heat_work nshape_work tdse_work
                    tridiagonal_workspace tridiagonal_gradient_workspace recurrence_workspace_of filter_workspace
    z pi:           tridiagonal_batch_cpu_work
    z cl:           tridiagonal_cpu_work
    l ip:           thomas_batch_work
    d p:            heat_ratio filter_growth
    i pp:           pscheme_solve pscheme_tridiagonal_solve pcr_solve pscheme_g_solve tridiagonal_batch_solve
                    heat_prepare nshape_solve
    i ppp:          tridiagonal_batch_gradient
    i ipp:          thomas_batch_solve
    i cpppp:        pscheme_to_natural pscheme_from_natural
    i pipp:         pscheme_g_to_natural
    i cillppp:      pscheme_g_transpose
    i pzp:          recurrence_prepare filter_prepare tridiagonal_prepare
    i ppzp:         recurrence_solve filter_solve tridiagonal_solve
    i pppzp:        tridiagonal_gradient
    i ppppppzp:     recurrence_gradient
    i pppppi:       recurrence_cpu_gradient
    i plp:          heat_steps
    i pippp:        heat_explicit
    i pi:           nshape_solve_cpu recurrence_cpu_solve filter_cpu_solve
    i pdp:          tdse_step tdse_keep
    i pdi:          tdse_step_cpu tdse_keep_cpu
"""


def _signatures():
    """{name: (type of the result, types of the arguments)}"""
    found = {}
    for word in _SIGNATURES.split():
        if len(word) == 1:
            result = _LETTERS[word]
        elif word.endswith(":"):
            arguments = word[:-1]
        else:
            for suffix, real in [("s", ctypes.c_float), ("d", _double)] if word.endswith("_") else [("", None)]:
                found[word + suffix] = result, [real if a == "r" else _LETTERS[a] for a in arguments]
    return found


def _find(file, given=None):
    here = os.path.dirname(os.path.realpath(__file__))
    places = [here, os.path.join(here, "../../../build/lib"), os.path.join(here, "../../..")]
    if given:
        places = [given if os.path.isdir(given) else os.path.dirname(given) or "."]
    paths = [os.path.join(place, file) for place in places]
    return next(filter(os.path.exists, paths), paths[0] if given else file)


class Library:
    """The functions of a library, as attributes. Each is looked up at its first use, so a library may lack some."""

    known = _signatures()

    def __init__(self, name):
        self.path = _find(name, os.environ.get("RECURRENCES_LIBRARY"))
        try:
            self.functions = ctypes.CDLL(self.path)
        except OSError as error:
            raise OSError(f"{name} not found (make lib, or RECURRENCES_LIBRARY=DIRECTORY): {error}") from None

    def __getattr__(self, name):
        if name not in self.known:
            raise AttributeError(name)
        try:
            function = self.functions[name]
        except AttributeError:
            raise NotImplementedError(f"{self.path} has no function {name}") from None
        function.restype, function.argtypes = self.known[name]
        setattr(self, name, function)
        return function


@functools.lru_cache(None)
def library(gpu=False):
    """The library for arrays on the CPU, or that for arrays on a GPU; each is loaded once."""
    return Library("librecurrences.so.1" if gpu else "librecurrences_cpu.so.1")


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", pointer), ("flags", _int), ("doc", ctypes.c_char_p)]


@functools.lru_cache(None)
def fast(name):
    """A function of fast.c, for small arrays. If there is none: a function that returns False, as those do for calls
    that they do not take."""
    library()  # fast.so needs it
    try:
        functions = ctypes.CDLL(_find("fast.so"))
        new = ctypes.pythonapi.PyCFunction_NewEx
    except (OSError, AttributeError):
        return lambda *arguments: False
    new.restype, new.argtypes = ctypes.py_object, [pointer] * 3
    definition = _MethodDef(name.encode(), ctypes.cast(functions[name], pointer), 0x80, None)  # METH_FASTCALL
    function = new(ctypes.addressof(definition), None, None)
    _kept.extend((functions, definition))
    return function


_kept = []  # what functions of fast() refer to


# ---- devices ----


class _Driver:
    """CUDA's driver, which every process with arrays on a GPU has loaded."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise DeviceError(100, f"no CUDA driver: {error}") from None
        self.contexts = {}
        self("cuInit", _int(0))

    def __call__(self, function, *arguments):
        code = self.cuda[function](*arguments)
        if code:
            raise DeviceError(code, f"{function} failed with CUresult {code}")

    def device_of(self, address):
        ordinal = _int()
        self("cuPointerGetAttribute", ctypes.byref(ordinal), _int(9), pointer(address))  # 9: DEVICE_ORDINAL
        return ordinal.value

    def enter(self, ordinal):
        """Makes a GPU's primary context current, as CUDA's runtime does."""
        if ordinal not in self.contexts:
            device, context = _int(), pointer()
            self("cuDeviceGet", ctypes.byref(device), _int(ordinal))
            self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.contexts[ordinal] = context
        self("cuCtxPushCurrent_v2", self.contexts[ordinal])

    def leave(self):
        self("cuCtxPopCurrent_v2", ctypes.byref(pointer()))


_driver = None


class Memory:
    """Memory on a device, aligned to at least 64 bytes, freed with this object."""

    def __init__(self, ordinal, stream, count):
        self.ordinal, self.stream, self.pointer = ordinal, stream, None
        if ordinal is None:
            self.buffer = numpy.empty(count + 64, "u1")
            self.pointer = (self.buffer.ctypes.data + 63) & -64
        elif count > 0:
            address = ctypes.c_uint64()
            _driver("cuMemAllocAsync", ctypes.byref(address), _size(count), stream)
            self.pointer = address.value

    def __del__(self):
        if self.ordinal is not None and self.pointer is not None and _driver is not None:  # None when Python exits
            _driver.enter(self.ordinal)
            _driver("cuMemFreeAsync", ctypes.c_uint64(self.pointer), self.stream)
            _driver.leave()


class Device:
    """The device of a call's arrays: with Device(arrays, stream) as on: on("pcr_solve", …)."""

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
        self.stream = pointer(int(stream))
        self.library = library(self.ordinal is not None)
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
        if code == 1:
            raise ValueError(f"{name}: refused (cudaErrorInvalidValue)")
        if code == 2:
            raise MemoryError(f"{name}: not enough memory on the device")
        if code:
            raise DeviceError(code, f"{name}: cudaError_t {code}")

    def call(self, name, *arguments):
        """Calls a function and returns its result. Structs are passed by reference."""
        function = getattr(self.library, name)
        return function(*(ctypes.byref(a) if isinstance(a, ctypes.Structure) and kind is pointer else a
                          for a, kind in zip(arguments, function.argtypes)))

    def scratch(self, count):
        """The address of `count` bytes, which are freed at the end of the call; None for 0."""
        if count <= 0:
            return None
        self.memory.append(Memory(self.ordinal, self.stream, count))
        return self.memory[-1].pointer

    def copy(self, to, source, count):
        """Copies `count` bytes between two addresses, each in main memory or on the device."""
        if count > 0 and self.ordinal is None:
            ctypes.memmove(to, source, count)
        elif count > 0:
            _driver("cuMemcpyAsync", ctypes.c_uint64(to), ctypes.c_uint64(source), _size(count), self.stream)

    def upload(self, data):
        """The address of a copy of a numpy array on the device, until the end of the call."""
        to = self.scratch(data.nbytes)
        self.copy(to, data.ctypes.data, data.nbytes)
        return to

    def download(self, source, count, dtype):
        """`count` numbers from the device, after all work on the stream."""
        data = numpy.empty(count, dtype)
        self.copy(data.ctypes.data, source, data.nbytes)
        if self.ordinal is not None and count:
            _driver("cuStreamSynchronize", self.stream)
        return data


def check(x, statuses, base=1):
    """x; or SingularMatrixError, if a system has a status other than 0, which is row + base. statuses: an array."""
    statuses = numpy.asarray(statuses)
    if statuses.any():
        failures = [(tuple(map(int, k)), int(statuses[tuple(k)]) - base) for k in numpy.argwhere(statuses)]
        raise SingularMatrixError(failures, x)
    return x


# ---- arrays ----

TYPES = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
LETTERS = {"f": b"s", "d": b"d", "F": b"c", "D": b"z"}  # by numpy.dtype.char
LETTERS_OF_SEQUENCES = LETTERS | {"e": b"h"}
NAMES = {letter: name for name, letter in TYPES.items()}
BYTES = {"s": 4, "d": 8, "c": 8, "z": 16}


class _DlTensor(ctypes.Structure):
    """DLTensor of DLPack, with which a capsule begins."""

    _fields_ = [("data", pointer), ("device_type", _int), ("device_id", _int), ("ndim", _int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(_long)),
                ("strides", ctypes.POINTER(_long)), ("byte_offset", ctypes.c_uint64)]


class DlpackTensor:
    """The array of an object with __dlpack__. It lives as long as this object."""

    def __init__(self, value, stream):
        self.capsule = value.__dlpack__(stream=stream)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]
        tensor = _DlTensor.from_address(get(self.capsule, b"dltensor"))
        self.shape = tuple(tensor.shape[:tensor.ndim])
        self.dtype = numpy.dtype(f"{'iufVVc'[tensor.code]}{tensor.bits // 8}")
        strides = [math.prod(self.shape[k + 1:]) for k in range(tensor.ndim)]
        self.contiguous = not tensor.strides or all(
            a == b or size == 1 for a, b, size in zip(tensor.strides[:tensor.ndim], strides, self.shape))
        self.pointer, self.ordinal = (tensor.data or 0) + tensor.byte_offset, tensor.device_id


def _kind(dtype):
    return dtype.name if dtype.isnative else f"{dtype.name} in the other byte order"


class Array:
    """An array as solvers need it: address, type, shape, and the GPU's number (None: on a CPU)."""

    def __init__(self, name, value, types="sdcz", write=False):
        global _driver
        self.name, self.value, self.ordinal, readonly = name, value, None, False
        on_gpu = False
        if callable(getattr(value, "data_ptr", None)):  # torch
            kind = str(value.dtype).rpartition(".")[2]
            self.shape, contiguous = tuple(value.shape), value.is_contiguous()
            if value.requires_grad:
                raise TypeError(f"{name}: a tensor that needs a gradient; use recurrences.torch, or detach()")
            if value.is_conj() or value.is_neg():
                raise ValueError(f"{name}: its conjugation or sign is not yet in memory; resolve_conj(), resolve_neg()")
            if value.device.type not in ("cpu", "cuda"):
                raise TypeError(f"{name}: on {value.device}, neither CPU nor CUDA")
            self.pointer, on_gpu = value.data_ptr() or None, value.device.type == "cuda"
        elif hasattr(value, "__cuda_array_interface__"):
            face = value.__cuda_array_interface__
            dtype = numpy.dtype(face["typestr"])
            kind, self.shape, on_gpu = _kind(dtype), tuple(face["shape"]), True
            strides = [dtype.itemsize * math.prod(self.shape[i + 1:]) for i in range(len(self.shape))]
            contiguous = face.get("strides") is None or list(face["strides"]) == strides
            self.pointer, readonly = face["data"][0] or None, face["data"][1]
        elif not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            self.tensor = tensor = DlpackTensor(value, 1)  # 1: CUDA's default stream
            kind, self.shape, contiguous, on_gpu = tensor.dtype.name, tensor.shape, tensor.contiguous, True
            self.pointer = tensor.pointer
        else:
            if write and not isinstance(value, numpy.ndarray):
                raise TypeError(f"{name}: a numpy array wanted, not {type(value).__name__}")
            array = self.value = numpy.asarray(value)
            kind, self.shape, contiguous = _kind(array.dtype), array.shape, array.flags.c_contiguous
            self.pointer, readonly = array.ctypes.data, not array.flags.writeable
        if TYPES.get(kind, "none") not in types:
            raise TypeError(f"{name}: {' or '.join(NAMES[t] for t in types)} wanted, not {kind}")
        if not contiguous:
            raise ValueError(f"{name}: not contiguous")
        if write and readonly:
            raise ValueError(f"{name}: read-only")
        if not self.shape:
            raise ValueError(f"{name}: a number, not an array")
        self.type, self.size = TYPES[kind], math.prod(self.shape)
        self.bytes = self.size * BYTES[self.type]
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
        return self.bytes and other.bytes and (
            self.pointer < other.pointer + other.bytes and other.pointer < self.pointer + self.bytes)


def inputs_of(types="sdcz", **values):
    """The arrays of a call, which must all have the type of the first."""
    arrays = []
    for name, value in values.items():
        arrays.append(Array(name, value, types))
        types = arrays[0].type
    return arrays


def at(*arrays):
    return [a.pointer for a in arrays]


def shaped(a, *shapes):
    """Refuses an array that has none of these shapes."""
    if a.shape not in shapes:
        *others, last = dict.fromkeys(map(str, shapes))
        raise ValueError(f"{a.name} has shape {a.shape}; wanted: " + ", ".join(others) + " or " * bool(others) + last)


def same_shape(like, *arrays):
    for a in arrays:
        if a.shape != like.shape:
            raise ValueError(f"{a.name} has shape {a.shape}; wanted: {like.shape}, as {like.name}")


def vectors(*arrays):
    """The arrays, which must have one dimension and one length."""
    for a in arrays:
        if len(a.shape) != 1 or a.shape != arrays[0].shape:
            every = ", ".join(f"{b.name} {b.shape}" for b in arrays)
            raise ValueError(f"{a.name} has shape {a.shape}; wanted: one dimension and one length, not {every}")
    return arrays


def new(like, shape, name="out"):
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
    else:
        made = numpy.empty(shape, NAMES[like.type])
    return Array(name, made, like.type, write=True)


def output(out, like, inputs, shape=None, alias=(), name="out"):
    """`out`, or a new array. `out` may not overlap an input, but it may be one of `alias` itself."""
    shape = shape or like.shape
    if out is None:
        return new(like, shape, name)
    made = Array(name, out, like.type, write=True)
    shaped(made, shape)
    for a in inputs:
        if made.overlaps(a) and not (a in alias and a.pointer == made.pointer):
            raise ValueError(f"{name} overlaps {a.name}")
    return made


# ---- arguments ----


def choice(name, value, *choices):
    if value not in choices:
        raise ValueError(f"{name}: one of {', '.join(map(str, choices))}")
    return choices.index(value)


def pivot_of(value):
    name = PIVOTS[value] if isinstance(value, bool) else value
    if not isinstance(name, str) or name not in PIVOTS:
        raise ValueError(f"pivot: one of auto, always, True, never, False, not {value!r}")
    return PIVOTS.index(name)


def at_least(least, **values):
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not least <= value < 2**31:
            raise ValueError(f"{name}: a whole number, {least} or more, not {value!r}")
