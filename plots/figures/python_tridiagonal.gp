# Tridiagonal systems solved from Python: elements per second by library, one system against n and
# systems of 256 rows against their number, forward and with the gradient. Look at where the curves
# of the solvers of this project leave those of the libraries, and at the cost of a call at small n.
# Shows: python_@(cpu|gpu).csv
# Needs: python_@(cpu|gpu).csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

figure = "python_tridiagonal"
title_of = "Tridiagonal systems in Python"
one = "one system"
many = "many systems"
variants = "recurrences_tridiagonal jax_tridiagonal_solve scipy_solve_banded torch_thomas recurrences_torch_tridiagonal torch_linalg_solve recurrences_jax_tridiagonal numpy_thomas"
names = "'recurrences (NumPy)' 'JAX tridiagonal\\_solve' 'SciPy solve\\_banded' 'PyTorch, loop' 'recurrences.torch' 'PyTorch, dense' 'recurrences.jax' 'NumPy, loop'"
load "plots/figures/python.inc"
