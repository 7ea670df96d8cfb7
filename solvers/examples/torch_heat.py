"""Recovers the diffusivity of a rod from its final temperatures: gradients through 10 implicit steps of the heat
equation, each a tridiagonal solve. Needs PyTorch; solvers/python/README.md says how to install recurrences."""

import torch
from recurrences.torch import solve_tridiagonal

n, steps, dt = 31, 10, 2e-3
h = 1 / (n + 1)
x = torch.linspace(h, 1 - h, n, dtype=torch.float64)
faces = torch.linspace(h / 2, 1 - h / 2, n + 1, dtype=torch.float64)


def final(log_diffusivity):
    """(1 - dt d/dx k d/dx) u_new = u_old with ends at temperature 0; k lies on the faces between the points."""
    k = log_diffusivity.exp() * dt / h**2
    u = torch.stack([torch.sin((m + 1) * torch.pi * x) for m in range(8)])  # 8 experiments with one rod
    for _ in range(steps):
        u = solve_tridiagonal(-k[:-1], 1 + k[:-1] + k[1:], -k[1:], u)
    return u


true = torch.where(faces < 0.5, 0.2, 1.0).to(faces).log()  # the left half conducts worse
data = final(true)
guess = torch.zeros_like(faces, requires_grad=True)
fit = torch.optim.LBFGS([guess], max_iter=300, line_search_fn="strong_wolfe", tolerance_grad=1e-14, tolerance_change=0)


def loss():
    fit.zero_grad()
    misfit = ((final(guess) - data) ** 2).sum()
    misfit.backward()
    return misfit


before, after = fit.step(loss).item(), loss().item()
error = (guess.detach().exp() - true.exp()).abs().max().item()
print(f"misfit {before:.3g} -> {after:.3g}, largest error of the diffusivity {error:.3g}")
assert after < 1e-9 * before and error < 0.02
