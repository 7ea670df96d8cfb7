"""The natural cubic spline through a million points: its second derivatives m solve a tridiagonal system,
h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (slope_i - slope_{i-1}). solvers/python/README.md says how to
install recurrences."""

import numpy
from recurrences import solve_tridiagonal

n = 1_000_000
x = numpy.cumsum(numpy.random.default_rng(0).uniform(0.5, 1.5, n))
x *= 2000 / x[-1]
y = numpy.sin(x)

h, slope = numpy.diff(x), numpy.diff(y) / numpy.diff(x)
m = numpy.zeros(n)  # 0 at both ends: natural
m[1:-1] = solve_tridiagonal(h[1:-1], 2 * (h[:-1] + h[1:]), h[1:-1], 6 * numpy.diff(slope))


def spline(at):
    """The spline at positions `at`."""
    i = numpy.clip(numpy.searchsorted(x, at) - 1, 0, n - 2)
    left, right = at - x[i], x[i + 1] - at
    cubic = (m[i] * right**3 + m[i + 1] * left**3) / (6 * h[i])
    return cubic + (y[i] / h[i] - m[i] * h[i] / 6) * right + (y[i + 1] / h[i] - m[i + 1] * h[i] / 6) * left


middle = (x[1:] + x[:-1]) / 2
inner = slice(50, -50)  # at its ends a natural spline does not follow a curved function
error = numpy.abs(spline(middle) - numpy.sin(middle))[inner].max()
left = slope[:-1] + h[:-1] / 6 * (m[:-2] + 2 * m[1:-1])  # first derivatives at the points, from both sides
right = slope[1:] - h[1:] / 6 * (2 * m[1:-1] + m[2:])
step = numpy.abs(left - right).max()
print(f"error between the points {error:.2g}, greatest step of the first derivative {step:.2g}")
assert numpy.abs(spline(x) - y).max() < 1e-12 and step < 1e-9 and error < 1e-12
try:
    from scipy.interpolate import CubicSpline
except ImportError:
    pass
else:
    assert numpy.abs(spline(middle) - CubicSpline(x, y, bc_type="natural")(middle)).max() < 1e-11
