"""An exponential moving average, y_i = (1 - a) y_{i-1} + a x_i, and its gradient: fits a so that the average predicts
the next value of a noisy series best. Needs PyTorch; solvers/python/README.md says how to install recurrences."""

import torch
from recurrences.torch import solve_recurrence

torch.manual_seed(0)
level = torch.cumsum(0.1 * torch.randn(4, 5000, dtype=torch.float64), -1)  # four random walks,
series = level + torch.randn_like(level)  # seen with noise


def average(a):
    return solve_recurrence(1 - a, a * series, w0=series[:, 0])


def loss(a):
    return ((average(a)[:, :-1] - series[:, 1:]) ** 2).mean()


a = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
for _ in range(100):
    (slope,) = torch.autograd.grad(loss(a), a)
    a = (a - 0.1 * slope).detach().requires_grad_()

y, rows = series[:, 0], []
for i in range(100):  # the same average by a loop
    y = (1 - a) * y + a * series[:, i]
    rows.append(y)
assert torch.allclose(average(a)[:, :100], torch.stack(rows, -1), rtol=1e-12)
step = 1e-5
assert abs(slope - (loss(a + step) - loss(a - step)) / (2 * step)) < 1e-6  # the gradient, by a difference
best = min(torch.linspace(0.01, 0.99, 99, dtype=torch.float64), key=loss)
print(f"fitted a = {a.item():.4f}; best of a grid: {best.item():.2f}")
assert abs(a - best) < 0.01
