"""Linear recurrences and tridiagonal systems in parallel, on the SIMD lanes and cores of a CPU or on a GPU."""

from ._core import DeviceError, SingularMatrixError

__all__ = ["DeviceError", "SingularMatrixError"]
