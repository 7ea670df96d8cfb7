"""The coefficients of a filter, and the shapes of its states, for all modules."""

import math

_MOST = 8  # FILTER_STATES_MOST of filter_problem.h


def _numbers(name, value):
    value = value.tolist() if hasattr(value, "tolist") else value  # arrays of any library
    try:
        if isinstance(value, (str, bytes, dict)):
            raise TypeError
        return [float(v) for v in (value if hasattr(value, "__iter__") else [value])]
    except (TypeError, ValueError):
        raise TypeError(f"{name}: real numbers in one dimension wanted, not {value!r:.60}") from None


class Filter:
    """The filter lfilter(b, a, …) or sosfilt(sos, …) of SciPy. coefficients: a list in C's order."""

    def __init__(self, b, a, sos):
        if (sos is None) == (b is None) or (sos is None) == (a is None):
            raise TypeError("b and a wanted, or sos alone")
        self.cascade = sos is not None
        if self.cascade:
            rows = [_numbers("sos", row) for row in (sos.tolist() if hasattr(sos, "tolist") else sos)]
            self.sections, self.order = len(rows), 2
            if not 1 <= len(rows) <= _MOST // 2 or any(len(row) != 6 for row in rows):
                raise ValueError(f"sos has rows of {', '.join(str(len(row)) for row in rows) or 'no'} numbers; wanted: "
                                 f"1 to {_MOST // 2} rows of 6 (filter the result by the other sections)")
        else:
            b, a = _numbers("b", b), _numbers("a", a)
            self.sections, self.order = 1, max(len(a), len(b)) - 1
            if not a or not b or not 1 <= self.order <= _MOST:
                raise ValueError(f"b, a: {len(b)} and {len(a)} numbers; wanted: 1 to {_MOST + 1} each, and not both 1")
            rows = [[*part, *[0.0] * (self.order + 1 - len(part))] for part in (b, a)]
        self.coefficients = [v for row in rows for v in row]
        for n in range(self.sections):
            if not self.coefficients[n * 2 * (self.order + 1) + self.order + 1]:
                raise ValueError(f"sos: a0 of section {n} is 0" if self.cascade else "a: the first number is 0")

    def states(self, shape, axis, zi=None):
        """SciPy's shape of zi and zf for x of a shape; the axis is counted from the end. Refuses a zi that does not
        have it, or 1 element where it has more."""
        axis += len(shape)
        wanted = (self.sections,) * self.cascade + tuple(shape[:axis]) + (self.order,) + tuple(shape[axis + 1:])
        # Not `size in (1, n)`: torch.compile (2.11) compares sizes that vary by == only.
        if zi is not None and (zi.ndim != len(wanted) or any(s != 1 and s != n for s, n in zip(zi.shape, wanted))):
            raise ValueError(f"zi has shape {tuple(zi.shape)}; wanted: {wanted}")
        return wanted


def reversed_sections(coefficients, order):
    """The filter for derivatives, which runs in reversed time, has the sections in reverse order."""
    step = 2 * order + 2
    return [v for k in range(len(coefficients) - step, -1, -step) for v in coefficients[k:k + step]]


def state_matrices(coefficients, order):
    """A matrix for each section of that filter. The derivative for zf is a state of it in direct form II, w_{-1} to
    w_{-order}, and times the matrix in the transposed form, which C has: z_j = sum of b_{j+m} x_{-m} - a_{j+m} y_{-m},
    where x_{-m} is the sum of a_i w_{-m-i} and y_{-m} that of b_i w_{-m-i}. (They are Bezout matrices.)"""
    matrices, step = [], 2 * order + 2
    for row in (coefficients[k:k + step] for k in range(0, len(coefficients), step)):
        b, a = [v / row[order + 1] for v in row[:order + 1]], [v / row[order + 1] for v in row[order + 1:]]
        matrices.append([[sum(b[j + m] * a[k + 1 - m] - a[j + m] * b[k + 1 - m] for m in range(
            1, min(order - j, k + 1) + 1)) for j in range(order)] for k in range(order)])
    return matrices


def refused(letter, carry_in_double=False, growth=math.nan):
    """The error of a call that filter_cpu.h refused, or filter.h, with its filter_growth()."""
    kind = "float64" if letter == b"d" or carry_in_double else "float32 (carry_in_double=True may do)"
    dtype = "float64" if letter == b"d" else "float32"
    return ValueError(f"b, a, sos: a number is not finite in {dtype}" if math.isnan(growth) else
                      f"x: powers of the filter grow to {growth:.2g}, which is too much on a GPU in {kind}")
