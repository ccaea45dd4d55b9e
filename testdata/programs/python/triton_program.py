"""Triton: TRITON_PTXAS_PATH names the assembler under test."""
import os
os.environ["TRITON_PTXAS_PATH"] = os.environ["PTXAS"]
import torch
import triton
import triton.language as tl
from assemble import show


@triton.jit
def add(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m) * 2, mask=m)


@triton.jit
def softmax(o, x, stride, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * stride + i, mask=i < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * stride + i, e / tl.sum(e, 0), mask=i < cols)


@triton.jit
def layernorm(o, x, w, b, cols, eps, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < cols
    v = tl.load(x + r * cols + i, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / cols
    d = tl.where(m, v - mean, 0.0)
    s = 1 / tl.sqrt(tl.sum(d * d, 0) / cols + eps)
    tl.store(o + r * cols + i, d * s * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def scan(o, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + i, tl.cumsum(v, 0), mask=i < n)


@triton.jit
def argmax(o, x, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * cols + i, mask=i < cols, other=-float("inf"))
    tl.store(o + r, tl.argmax(v, 0))


@triton.jit
def histogram(o, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(o + v % 16, 1, mask=i < n)


@triton.jit
def dropout(o, x, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(o + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


torch.manual_seed(3)
d = "cuda"
x, y = torch.randn(5000, device=d), torch.randn(5000, device=d)
o = torch.empty_like(x)
add[(triton.cdiv(5000, 512),)](x, y, o, 5000, BLOCK=512)
show("add", o.cpu().numpy())
z = torch.randn(64, 781, device=d)
o = torch.empty_like(z)
softmax[(64,)](o, z, z.stride(0), 781, BLOCK=1024)
show("softmax", o.cpu().numpy())
h = torch.randn(33, 500, device=d, dtype=torch.float16)
w, b = torch.rand(500, device=d), torch.rand(500, device=d)
o = torch.empty(33, 500, device=d)
layernorm[(33,)](o, h, w, b, 500, 1e-5, BLOCK=512)
show("layernorm", o.cpu().numpy())
i = torch.randint(0, 100, (1000,), device=d, dtype=torch.int32)
o = torch.empty_like(i)
scan[(1,)](o, i, 1000, BLOCK=1024)
show("scan", o.cpu().numpy())
o = torch.empty(64, device=d, dtype=torch.int32)
argmax[(64,)](o, z, 781, BLOCK=1024)
show("argmax", o.cpu().numpy())
o = torch.zeros(16, device=d, dtype=torch.int32)
histogram[(4,)](o, i, 1000, BLOCK=256)
show("histogram", o.cpu().numpy())
o = torch.empty_like(x)
dropout[(10,)](o, x, 5000, 0.25, 42, BLOCK=512)
show("dropout", o.cpu().numpy())
