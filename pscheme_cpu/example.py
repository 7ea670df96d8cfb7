"""w_i = s_i w_{i-1} + t_i from Python: `make lib`, then python3 pscheme_cpu/example.py"""

import ctypes
import os

library = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/lib/libpscheme_cpu.so")
solve = ctypes.CDLL(library).recurrence_pscheme_d
double_array = ctypes.POINTER(ctypes.c_double)
solve.restype = None
solve.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_int, ctypes.c_double] + 4 * [double_array]

n, parts, cores = 1000, 8, 2
s = (ctypes.c_double * n)(*[0.5] * n)
t = (ctypes.c_double * n)(*[3.0] * n)
w = (ctypes.c_double * (n + 1))()
work = (ctypes.c_double * (n + 1 + parts))()
solve(n, parts, cores, 1.0, s, t, w, work)
print("w_1 =", w[1], " w_1000 =", w[n])
assert w[0] == 1.0 and w[1] == 3.5 and w[n] == 6.0
