"""The smallest set: one kernel. Its launch must come out equal."""

from recorder import ask

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


x, y = torch.randn(1000, device="cuda"), torch.randn(1000, device="cuda")
ask("add", lambda: add[(8,)](x, y, torch.empty_like(x), 1000, B=128))
