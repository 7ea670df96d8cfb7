"""Shapes of operands for test_torch.py and test_jax.py, and a filter as a loop."""

# Shapes of sub, diag, super, rhs; axis; periodic.
SYSTEMS = [((5,), (5,), (5,), (5,), -1, False), ((1,), (1,), (1,), (1,), 0, False), ((1,), (1,), (1,), (1,), 0, True),
           ((2,), (2,), (2,), (2,), 0, True), ((5,), (5,), (5,), (5,), 0, True), ((4,), (5,), (4,), (5,), -1, False),
           ((3, 5), (3, 5), (3, 5), (3, 5), -1, False), ((3, 5), (3, 5), (3, 5), (3, 5), 0, False),
           ((3, 5), (3, 5), (3, 5), (3, 5), 0, True), ((2, 4, 3),) * 4 + (1, False), ((2, 4, 3),) * 4 + (-2, True),
           ((5,), (5,), (5,), (2, 3, 5), -1, False), ((5,), (5,), (5,), (2, 5, 3), 1, True),
           ((2, 1, 5),) * 3 + ((2, 3, 5), -1, False), ((2, 5, 1),) * 3 + ((2, 5, 3), 1, False),
           ((3, 5),) * 3 + ((2, 3, 5), -1, False), ((5, 3),) * 3 + ((2, 5, 3), 1, False),
           ((5, 1, 2),) * 3 + ((5, 3, 2), 0, False), ((5, 2, 1),) * 3 + ((5, 2, 3), 0, True),
           ((4,), (3, 5), (1, 4), (5,), -1, False), ((), (), (), (2, 5), -1, False), ((), (3, 1), (), (5,), -1, True),
           ((1,), (4, 1), (3,), (4, 2), 0, False), ((0,), (0,), (0,), (0,), 0, False),
           ((5,), (5,), (5,), (0, 5), -1, False)]

# Shapes of s, t, w0 (None: no w0); axis; reverse.
SEQUENCES = [((5,), (5,), None, -1, False), ((5,), (5,), (), -1, True), ((1,), (1,), (), 0, False),
             ((3, 5), (3, 5), (3,), -1, False), ((3, 5), (3, 5), (5,), 0, True),
             ((2, 4, 3), (2, 4, 3), (2, 3), 1, False),
             ((), (3, 5), (3,), -1, False), ((1,), (5, 3), (3,), 0, True), ((5,), (3, 5), (), -1, False),
             ((3, 5), (5,), (2, 3), -1, True), ((5,), (5, 3), None, 0, False), ((), (5,), None, -1, True),
             ((0,), (0,), None, -1, False), ((2, 0), (2, 0), (2,), -1, True)]
# The same with an s that is constant along the axis, but not for all sequences.
CONSTANTS = [((1, 3), (5, 3), (3,), 0, False), ((2, 1, 3), (2, 4, 3), (2, 3), 1, True),
             ((3, 1), (3, 5), None, -1, False), ((2, 1, 1), (2, 4, 3), (3,), 1, False),
             ((1, 1, 3), (2, 4, 3), (2, 1), 1, True)]
# Packed sequences. The last of a case is offset; w0 has an element for each sequence along the axis.
PACKED = [((5,), (5,), (3,), -1, False, (0, 2, 2, 5)), ((5,), (5,), None, -1, True, (0, 0, 1, 5, 5)),
          ((2, 5, 3), (2, 5, 3), (2, 3, 3), 1, True, (0, 2, 4, 5)), ((3, 5), (3, 5), (4,), -1, False, (0, 0, 1, 5, 5)),
          ((), (5, 3), (2, 1), 0, False, (0, 3, 5)), ((1, 3), (5, 3), (2, 3), 0, True, (0, 3, 5)),
          ((2, 1, 1), (2, 5, 3), (3, 3), 1, False, (0, 0, 3, 5)), ((5,), (5,), (), 0, True, (0, 5)),
          ((0, 2), (0, 2), (2, 2), 0, False, (0, 0, 0))]

GROWN = 10  # a factor for near(): errors of filters, and of their gradients, grow with the powers of a matrix


def sections_of(b, a, sos):
    """The rows (b0, …, a0, …) of the sections. A filter of b and a has one, in which zeros fill the shorter of them."""
    if sos is not None:
        return sos
    width = max(len(b), len(a))
    return [[*b, *[0.0] * (width - len(b)), *a, *[0.0] * (width - len(a))]]


def filter_loop(rows, x, states):
    """y as a list. x: the elements in time. states: a list for each section; they become those after the last one."""
    y, width = [], len(rows[0]) // 2
    for here in x:
        for row, z in zip(rows, states):
            b, a = [v / row[width] for v in row[:width]], [v / row[width] for v in row[width:]]
            out = b[0] * here + z[0]
            z[:] = [b[k] * here - a[k] * out + (z[k] if k < width - 1 else 0) for k in range(1, width)]
            here = out
        y.append(here)
    return y
