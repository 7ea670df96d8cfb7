# Linear recurrences solved from Python: elements per second by library, one sequence against n and
# sequences of 256 elements against their number, forward and with the gradient. Look at how many
# times an associative scan takes what one pass over memory takes.
# Shows: python_@(cpu|gpu).csv
# Needs: python_@(cpu|gpu).csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

figure = "python_recurrence"
title_of = "Linear recurrences in Python"
one = "one sequence"
many = "many sequences"
variants = "recurrences_recurrence jax_associative_scan scipy_lfilter torch_associative_scan recurrences_torch_recurrence torch_associative_scan_compiled recurrences_jax_recurrence accelerated_scan"
names = "'recurrences (NumPy)' 'JAX associative\\_scan' 'SciPy lfilter (constant s)' 'PyTorch associative\\_scan' 'recurrences.torch' 'PyTorch, compiled' 'recurrences.jax' 'accelerated-scan'"
load "plots/figures/python.inc"
