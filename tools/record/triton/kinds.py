"""Kernels that are no products: norms, scans, sorts, searches, atomics, convolutions, transforms, numbers of every width."""

from recorder import ask

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

torch.manual_seed(2)
f8, f16, bf16, f32, f64, i8, i16, i32, i64, u8 = torch.float8_e4m3fn, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8


def r(*shape, dt=f32):
    if not dt.is_floating_point:
        return torch.randint(0 if dt == u8 else -100, 100, shape, dtype=i32).to(dt)
    return (torch.randint(-16, 17, shape) / 8).to(dt)


def go(name, fn, grid, *args, **kw):
    ask(name, lambda: fn[grid](*args, **kw))


# ---- rows


@triton.jit
def softmax_back(y, dy, dx, n, B: tl.constexpr, LOG: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * n + i
    a = tl.load(y + at, mask=i < n, other=0).to(tl.float32)
    b = tl.load(dy + at, mask=i < n, other=0).to(tl.float32)
    out = b - tl.exp(a) * tl.sum(b, 0) if LOG else a * (b - tl.sum(a * b, 0))
    tl.store(dx + at, out.to(dx.dtype.element_ty), mask=i < n)


@triton.jit
def norm_back(x, w, dy, mean, rstd, dx, dw, db, n, rows, B: tl.constexpr, RMS: tl.constexpr):
    i = tl.arange(0, B)
    weight = tl.load(w + i, mask=i < n, other=0).to(tl.float32)
    gw, gb = tl.zeros((B,), tl.float32), tl.zeros((B,), tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        a = tl.load(x + row * n + i, mask=i < n, other=0).to(tl.float32)
        g = tl.load(dy + row * n + i, mask=i < n, other=0).to(tl.float32)
        s = tl.load(rstd + row)
        h = a * s if RMS else (a - tl.load(mean + row)) * s
        wg = weight * g
        c1 = tl.sum(h * wg, 0) / n
        c2 = 0.0 if RMS else tl.sum(wg, 0) / n
        tl.store(dx + row * n + i, ((wg - (h * c1 + c2)) * s).to(dx.dtype.element_ty), mask=i < n)
        gw += g * h
        gb += g
    tl.atomic_add(dw + i, gw, mask=i < n)
    tl.atomic_add(db + i, gb, mask=i < n)


@triton.jit
def group_norm(x, w, b, y, C: tl.constexpr, HW: tl.constexpr, G: tl.constexpr, B: tl.constexpr):
    c, p = tl.arange(0, C // G), tl.arange(0, B)
    base = tl.program_id(0) * (C // G) * HW
    s, q = tl.zeros((C // G, B), tl.float32), tl.zeros((C // G, B), tl.float32)
    for o in range(0, HW, B):
        a = tl.load(x + base + c[:, None] * HW + o + p[None, :], mask=(o + p < HW)[None, :], other=0).to(tl.float32)
        s += a
        q += a * a
    m = tl.sum(tl.sum(s, 1), 0) / (C // G * HW)
    v = tl.sum(tl.sum(q, 1), 0) / (C // G * HW) - m * m
    k = tl.program_id(0) % G * (C // G) + c
    ww, bb = tl.load(w + k), tl.load(b + k)
    for o in range(0, HW, B):
        at = base + c[:, None] * HW + o + p[None, :]
        a = tl.load(x + at, mask=(o + p < HW)[None, :], other=0).to(tl.float32)
        a = (a - m) * tl.rsqrt(v + 1e-5) * ww[:, None] + bb[:, None]
        tl.store(y + at, (a * tl.sigmoid(a)).to(y.dtype.element_ty), mask=(o + p < HW)[None, :])


@triton.jit
def both(n1, m1, s1, n2, m2, s2):
    n = n1 + n2
    d = m2 - m1
    w = tl.where(n == 0, 0.0, n2 / n)
    return n, m1 + d * w, s1 + s2 + d * d * n1 * w


@triton.jit
def welford(x, out, n, B: tl.constexpr):
    count, mean, m2 = tl.zeros((B,), tl.float32), tl.zeros((B,), tl.float32), tl.zeros((B,), tl.float32)
    for o in range(0, n, B):
        i = o + tl.arange(0, B)
        a = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0).to(tl.float32)
        one = (i < n).to(tl.float32)
        count += one
        d = (a - mean) * one
        mean += d / tl.maximum(count, 1)
        m2 += d * (a - mean)
    count, mean, m2 = tl.reduce((count, mean, m2), 0, both)
    tl.store(out + tl.program_id(0) * 2, mean)
    tl.store(out + tl.program_id(0) * 2 + 1, m2 / count)


@triton.jit
def cross_entropy(x, labels, loss, dx, n, smooth, cap, B: tl.constexpr, CAP: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    most, total, all = -1e30, 0.0, 0.0
    for o in range(0, n, B):
        i = o + tl.arange(0, B)
        a = tl.load(x + row * n + i, mask=i < n, other=-1e30).to(tl.float32)
        if CAP:
            a = cap * libdevice.tanh(a / cap)
        all += tl.sum(tl.where(i < n, a, 0.0), 0)
        now = tl.maximum(most, tl.max(a, 0))
        total = total * tl.exp(most - now) + tl.sum(tl.exp(a - now), 0)
        most = now
    lse = most + tl.log(total)
    at = tl.load(x + row * n + label).to(tl.float32)
    tl.store(loss + row, tl.where(label == -100, 0.0, (1 - smooth) * (lse - at) + smooth * (lse - all / n)))
    for o in range(0, n, B):
        i = o + tl.arange(0, B)
        a = tl.load(x + row * n + i, mask=i < n, other=0).to(tl.float32)
        p = tl.exp(a - lse) - smooth / n - tl.where(i == label, 1 - smooth, 0.0)
        tl.store(dx + row * n + i, tl.where(label == -100, 0.0, p).to(dx.dtype.element_ty), mask=i < n)


@triton.jit
def quantize(x, res, w, q, scales, out, n, B: tl.constexpr, GROUP: tl.constexpr, T: tl.constexpr):
    """A sum, its norm, and numbers of eight bits with a scale for each group."""
    row = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + row * n + i, mask=i < n, other=0).to(tl.float32) + tl.load(res + row * n + i, mask=i < n, other=0).to(tl.float32)
    tl.store(out + row * n + i, a.to(out.dtype.element_ty), mask=i < n)
    a = a * tl.rsqrt(tl.sum(a * a, 0) / n + 1e-6) * tl.load(w + i, mask=i < n, other=0).to(tl.float32)
    g = tl.reshape(a, (B // GROUP, GROUP))
    top: tl.constexpr = 127.0 if T == tl.int8 else 448.0
    s = tl.maximum(tl.max(tl.abs(g), 1), 1e-8) / top
    v = g / s[:, None]
    if T == tl.int8:
        v = libdevice.rint(v)
    tl.store(scales + row * (B // GROUP) + tl.arange(0, B // GROUP), s)
    tl.store(q + row * n + i, tl.reshape(v, (B,)).to(T), mask=i < n)


def rows():
    for dt, n, log in ((f16, 200, False), (bf16, 500, True), (f64, 100, False)):
        go("softmax_back", softmax_back, (4,), r(4, n, dt=dt), r(4, n, dt=dt), torch.empty(4, n, dtype=dt), n, triton.next_power_of_2(n), log)
    for dt, n, rms in ((f16, 200, False), (bf16, 1000, True), (f32, 64, False)):
        go("norm_back", norm_back, (2,), r(6, n, dt=dt), r(n, dt=dt), r(6, n, dt=dt), r(6), r(6).abs(), torch.empty(6, n, dtype=dt), torch.zeros(n), torch.zeros(n), n, 6, triton.next_power_of_2(n), rms)
    go("group_norm", group_norm, (4,), r(1, 32, 100, dt=f16), r(32), r(32), torch.empty(1, 32, 100, dtype=f16), 32, 100, 4, 64)
    for dt, B in ((f32, 128), (bf16, 512)):
        go("welford", welford, (3,), r(3, 700, dt=dt), torch.empty(6), 700, B)
    for dt, cap in ((f32, False), (bf16, True)):
        go("cross_entropy", cross_entropy, (3,), r(3, 700, dt=dt), torch.tensor([3, -100, 699]), torch.empty(3), torch.empty(3, 700, dtype=dt), 700, 0.1, 30.0, 256, cap)
    for dt, qt, t, group in ((f16, f8, tl.float8e4nv, 128), (bf16, i8, tl.int8, 32), (bf16, f8, tl.float8e4nv, 512)):
        go("quantize", quantize, (3,), r(3, 500, dt=dt), r(3, 500, dt=dt), r(500, dt=dt), torch.zeros(3, 500, dtype=qt), torch.empty(3, 512 // group), torch.empty(3, 500, dtype=dt), 500, 512, group, t)


# ---- scans, sorts, searches


@triton.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def last_kept(v1, f1, v2, f2):
    return tl.where(f2 != 0, v2, v1 + v2), f1 | f2


@triton.jit
def scans(x, y, out, N: tl.constexpr, M: tl.constexpr, AXIS: tl.constexpr, BACK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    a, b = tl.load(x + at), tl.load(y + at)
    if KIND == "sum":
        o = tl.cumsum(a, AXIS, reverse=BACK)
    elif KIND == "product":
        o = tl.cumprod(a, AXIS, reverse=BACK)
    elif KIND == "affine":
        _, o = tl.associative_scan((a, b), AXIS, affine, reverse=BACK)
    else:
        o, _ = tl.associative_scan((a, (b > 50).to(tl.int32)), AXIS, last_kept, reverse=BACK)
    tl.store(out + at, o)


@triton.jit
def sorts(x, out, idx, N: tl.constexpr, M: tl.constexpr, KIND: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    a = tl.load(x + at)
    if KIND == "sort":
        tl.store(out + at, tl.sort(a, 1, descending=True))
    elif KIND == "topk":
        tl.store(out + tl.arange(0, N)[:, None] * K + tl.arange(0, K)[None, :], tl.topk(a, K, 1))
    elif KIND == "flip":
        tl.store(out + at, tl.flip(a, 0) + tl.flip(a, 1))
    else:
        v, i = tl.max(a, 1, return_indices=True)
        w, j = tl.min(a, 1, return_indices=True, return_indices_tie_break_left=False)
        tl.store(out + tl.arange(0, N), v + w)
        tl.store(idx + tl.arange(0, N), i * 1000 + j)


@triton.jit
def argsort(x, idx, N: tl.constexpr):
    """Keys with their places in one word of 64 bits."""
    i = tl.arange(0, N)
    v = tl.load(x + i)
    b = v.to(tl.int32, bitcast=True)
    b = b ^ ((b >> 31) & 0x7FFFFFFF)
    s = tl.sort((b.to(tl.int64) << 32) | i.to(tl.int64), 0)
    tl.store(idx + i, (s & 0xFFFFFFFF).to(tl.int32))


@triton.jit
def search(table, x, out, n, size, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    lo, hi = tl.zeros((B,), tl.int32), tl.full((B,), size, tl.int32)
    while tl.max(hi - lo, 0) > 0:
        mid = (lo + hi) // 2
        less = (tl.load(table + mid, mask=mid < size, other=0) < v) & (lo < hi)
        lo, hi = tl.where(less, mid + 1, lo), tl.where(less, hi, mid)
    tl.store(out + i, lo, mask=i < n)


@triton.jit
def radix(x, counts, out, n, shift, B: tl.constexpr):
    """One pass: digits of four bits counted, places by scans."""
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-1)
    digit = (v >> shift) & 15
    hot = (digit[:, None] == tl.arange(0, 16)[None, :]).to(tl.int32)
    rank = tl.cumsum(hot, 0)
    total = tl.sum(hot, 0)
    start = tl.cumsum(total, 0) - total
    place = tl.sum(hot * (start[None, :] + rank - 1), 1)
    tl.store(out + place, v, mask=i < n)
    tl.store(counts + tl.arange(0, 16), total)
    tl.store(counts + 16 + tl.arange(0, 16), tl.histogram(digit, 16, mask=i < n))


def orders():
    for kind, dt, N, M, axis, back, warps in [("sum", f32, 16, 64, 1, False, 4), ("sum", i64, 32, 16, 0, True, 4), ("product", f64, 8, 32, 1, True, 2), ("affine", f32, 64, 32, 0, False, 4), ("affine", f16, 4, 256, 1, False, 8), ("kept", i32, 32, 64, 1, False, 4), ("sum", i8, 16, 128, 1, False, 4)]:
        go("scan_" + kind, scans, (1,), r(N, M, dt=dt), r(N, M, dt=dt), torch.empty(N, M, dtype=dt), N, M, axis, back, kind, num_warps=warps)
    for kind, dt, N, M, warps in [("sort", f32, 4, 128, 4), ("sort", i16, 8, 64, 4), ("sort", f64, 2, 64, 2), ("topk", f16, 8, 128, 4), ("topk", i64, 2, 64, 4), ("flip", bf16, 16, 32, 4), ("extremes", f32, 16, 64, 4), ("extremes", i8, 8, 128, 8)]:
        go("sort_" + kind, sorts, (1,), r(N, M, dt=dt), torch.empty(N, M, dtype=dt), torch.empty(N, dtype=i32), N, M, kind, 8, num_warps=warps)
    go("argsort", argsort, (1,), r(256), torch.empty(256, dtype=i32), 256)
    go("search", search, (2,), torch.sort(torch.randn(300))[0], torch.randn(200), torch.empty(200, dtype=i32), 200, 300, 128)
    go("radix", radix, (1,), torch.randint(0, 1 << 30, (240,), dtype=i32), torch.empty(32, dtype=i32), torch.empty(240, dtype=i32), 240, 4, 256)


# ---- memory that many write


@triton.jit
def atomics(x, i, out, old, n, B: tl.constexpr, KIND: tl.constexpr):
    j = tl.program_id(0) * B + tl.arange(0, B)
    inside = j < n
    v = tl.load(x + j, mask=inside, other=0)
    at = out + tl.load(i + j, mask=inside, other=0)
    if KIND == "add":
        tl.atomic_add(at, v, mask=inside)
    elif KIND == "max":
        tl.atomic_max(at, v, mask=inside)
    elif KIND == "min":
        tl.atomic_min(at, v, mask=inside, sem="release")
    elif KIND == "bits":
        tl.atomic_or(at, v, mask=inside)
        tl.atomic_xor(at + 64, v, mask=inside)
        tl.atomic_and(at + 128, v, mask=inside)
    elif KIND == "cas":
        tl.store(old + j, tl.atomic_cas(out + j, tl.full((B,), 0, v.dtype), v), mask=inside)
    else:
        tl.store(old + j, tl.atomic_xchg(out + j, v, mask=inside), mask=inside)


@triton.jit
def locked(x, out, count, lock, n, B: tl.constexpr):
    """Sums of blocks under a lock; the last block knows that it is."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + s)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
    if tl.atomic_add(count, 1) == tl.num_programs(0) - 1:
        tl.store(out + 1, 1.0)


@triton.jit
def embedding_back(ids, dy, dw, n, D: tl.constexpr, B: tl.constexpr):
    t = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    rows = tl.load(ids + t, mask=t < n, other=0)
    g = tl.load(dy + t[:, None] * D + d[None, :], mask=t[:, None] < n, other=0)
    tl.atomic_add(dw + rows[:, None] * D + d[None, :], g, mask=(t[:, None] < n) & (rows[:, None] != 0), sem="relaxed")


@triton.jit
def sparse_rows(starts, columns, values, x, y, D: tl.constexpr, B: tl.constexpr):
    """A sparse matrix by rows times a dense one."""
    row = tl.program_id(0)
    d = tl.arange(0, D)
    first, last = tl.load(starts + row), tl.load(starts + row + 1)
    s = tl.zeros((B, D), tl.float32)
    for o in range(first, last, B):
        j = o + tl.arange(0, B)
        c = tl.load(columns + j, mask=j < last, other=0)
        v = tl.load(values + j, mask=j < last, other=0).to(tl.float32)
        s += v[:, None] * tl.load(x + c[:, None] * D + d[None, :], mask=(j < last)[:, None], other=0).to(tl.float32)
    tl.store(y + row * D + d, tl.sum(s, 0).to(y.dtype.element_ty))


def shared_memory():
    spread = torch.randperm(128).int() % 64
    for kind, dt in [("add", f32), ("add", f16), ("add", bf16), ("add", f64), ("max", i32), ("max", f32), ("min", i64), ("bits", i32), ("cas", i64), ("cas", i32), ("swap", f32)]:
        x = r(128, dt=dt)
        go("atomic_%s" % kind, atomics, (2,), x, spread, torch.zeros(256, dtype=dt), torch.empty(128, dtype=dt), 120, 64, kind)
    go("locked", locked, (4,), r(400), torch.zeros(2), torch.zeros(1, dtype=i32), torch.zeros(1, dtype=i32), 400, 128)
    for dt in (f32, bf16):
        go("embedding_back", embedding_back, (2,), torch.randperm(64), r(64, 64, dt=dt), torch.zeros(64, 64, dtype=dt), 60, 64, 32)
    go("sparse_rows", sparse_rows, (4,), torch.tensor([0, 3, 20, 20, 64], dtype=i32), torch.randint(0, 40, (64,), dtype=i32), r(64, dt=f16), r(40, 64, dt=f16), torch.empty(4, 64, dtype=f16), 64, 16)


# ---- pictures and signals


@triton.jit
def conv2d(x, w, b, y, C, H, W, O, OH, OW, KH: tl.constexpr, KW: tl.constexpr, STRIDE: tl.constexpr, PAD: tl.constexpr, BP: tl.constexpr, BO: tl.constexpr, BC: tl.constexpr):
    """A convolution as a product: places times filters, NHWC."""
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    o = tl.program_id(1) * BO + tl.arange(0, BO)
    oh, ow = p // OW % OH, p % OW
    s = tl.zeros((BP, BO), tl.float32)
    for k in range(KH * KW):
        h, v = oh * STRIDE - PAD + k // KW, ow * STRIDE - PAD + k % KW
        inside = (h >= 0) & (h < H) & (v >= 0) & (v < W)
        for c in range(0, C, BC):
            cc = c + tl.arange(0, BC)
            xx = tl.load(x + (h * W + v)[:, None] * C + cc[None, :], mask=inside[:, None] & (cc < C)[None, :], other=0)
            ww = tl.load(w + (o[None, :] * KH * KW + k) * C + cc[:, None], mask=(cc < C)[:, None] & (o < O)[None, :], other=0)
            s = tl.dot(xx, ww, s)
    s += tl.load(b + o, mask=o < O, other=0)[None, :]
    tl.store(y + p[:, None] * O + o[None, :], tl.maximum(s, 0.0).to(y.dtype.element_ty), mask=(p < OH * OW)[:, None] & (o < O)[None, :])


@triton.jit
def depthwise(x, w, y, L, C, K: tl.constexpr, BL: tl.constexpr, BC: tl.constexpr):
    t, c = tl.program_id(0) * BL + tl.arange(0, BL), tl.program_id(1) * BC + tl.arange(0, BC)
    s = tl.zeros((BL, BC), tl.float32)
    for k in tl.static_range(K):
        at = t - (K - 1) + k
        s += tl.load(x + at[:, None] * C + c[None, :], mask=((at >= 0) & (at < L))[:, None], other=0).to(tl.float32) * tl.load(w + c * K + k).to(tl.float32)[None, :]
    tl.store(y + t[:, None] * C + c[None, :], (s * tl.sigmoid(s)).to(y.dtype.element_ty), mask=(t < L)[:, None])


@triton.jit
def pooled(x, y, where, H, W, OW, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h, w = i // OW * 2, i % OW * 2
    best, at = tl.full((B,), float("-inf"), tl.float32), tl.zeros((B,), tl.int32)
    for a in tl.static_range(3):
        for b in tl.static_range(3):
            p = (h + a - 1) * W + w + b - 1
            v = tl.load(x + p, mask=(h + a >= 1) & (h + a - 1 < H) & (w + b >= 1) & (w + b - 1 < W), other=float("-inf")).to(tl.float32)
            at = tl.where(v > best, p, at)
            best = tl.maximum(best, v)
    tl.store(y + i, best.to(y.dtype.element_ty), mask=i < H * W // 4)
    tl.store(where + i, at, mask=i < H * W // 4)


@triton.jit
def bilinear(x, grid, y, H, W, C: tl.constexpr, B: tl.constexpr, n):
    i = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, C)
    gx = (tl.load(grid + 2 * i, mask=i < n, other=0) + 1) * 0.5 * (W - 1)
    gy = (tl.load(grid + 2 * i + 1, mask=i < n, other=0) + 1) * 0.5 * (H - 1)
    x0, y0 = tl.floor(gx), tl.floor(gy)
    out = tl.zeros((B, C), tl.float32)
    for a in tl.static_range(2):
        for b in tl.static_range(2):
            u, v = x0 + b, y0 + a
            k = (1 - tl.abs(gx - u)) * (1 - tl.abs(gy - v))
            inside = (u >= 0) & (u < W) & (v >= 0) & (v < H) & (i < n)
            out += k[:, None] * tl.load(x + (v.to(tl.int32) * W + u.to(tl.int32))[:, None] * C + c[None, :], mask=inside[:, None], other=0).to(tl.float32)
    tl.store(y + i[:, None] * C + c[None, :], out.to(y.dtype.element_ty), mask=(i < n)[:, None])


@triton.jit
def hadamard(x, y, N: tl.constexpr, LOG: tl.constexpr, scale):
    i = tl.arange(0, N)
    a = tl.load(x + tl.program_id(0) * N + i).to(tl.float32)
    for s in tl.static_range(LOG):
        b = tl.reshape(a, (N >> (s + 1), 2, 1 << s))
        lo, hi = tl.split(tl.permute(b, (0, 2, 1)))
        a = tl.reshape(tl.permute(tl.join(lo + hi, lo - hi), (0, 2, 1)), (N,))
    tl.store(y + tl.program_id(0) * N + i, (a * scale).to(y.dtype.element_ty))


@triton.jit
def fourier(re, im, ore, oim, N: tl.constexpr):
    """A transform of N points as a sum over angles in f32."""
    k, n = tl.arange(0, N), tl.arange(0, N)
    angle = ((k[:, None] * n[None, :]) % N).to(tl.float32) * (-6.283185307179586 / N)
    c, s = tl.cos(angle), tl.sin(angle)
    a, b = tl.load(re + n)[None, :], tl.load(im + n)[None, :]
    tl.store(ore + k, tl.sum(a * c - b * s, 1))
    tl.store(oim + k, tl.sum(a * s + b * c, 1))


@triton.jit
def rotary(q, cos, sin, L, H: tl.constexpr, D: tl.constexpr, PAIRS: tl.constexpr, BACK: tl.constexpr):
    t, d = tl.program_id(0), tl.arange(0, D // 2)
    h = tl.arange(0, H)
    c, s = tl.load(cos + t * (D // 2) + d)[None, :], tl.load(sin + t * (D // 2) + d)[None, :]
    if BACK:
        s = -s
    base = q + (t * H + h[:, None]) * D
    if PAIRS:
        at = tl.arange(0, D)
        lo, hi = tl.split(tl.reshape(tl.load(base + at[None, :]).to(tl.float32), (H, D // 2, 2)))
        o = tl.reshape(tl.join(lo * c - hi * s, hi * c + lo * s), (H, D))
        tl.store(base + at[None, :], o.to(q.dtype.element_ty))
    else:
        lo, hi = tl.load(base + d[None, :]).to(tl.float32), tl.load(base + D // 2 + d[None, :]).to(tl.float32)
        tl.store(base + d[None, :], (lo * c - hi * s).to(q.dtype.element_ty))
        tl.store(base + D // 2 + d[None, :], (hi * c + lo * s).to(q.dtype.element_ty))


def pictures():
    for dt, C, O, K, stride, BP, BO, BC in [(f16, 32, 32, 3, 1, 64, 32, 32), (bf16, 20, 24, 3, 2, 32, 32, 16), (f32, 16, 16, 1, 1, 32, 16, 16), (f16, 64, 64, 5, 1, 64, 64, 32)]:
        H = 9
        OH = (H + 2 * (K // 2) - K) // stride + 1
        go("conv2d", conv2d, (triton.cdiv(OH * OH, BP), triton.cdiv(O, BO)), r(H, H, C, dt=dt), r(O, K, K, C, dt=dt), r(O), torch.empty(OH, OH, O, dtype=dt), C, H, H, O, OH, OH, K, K, stride, K // 2, BP, BO, BC)
    for dt, K in ((f16, 4), (bf16, 3), (f32, 7)):
        go("depthwise", depthwise, (2, 2), r(50, 64, dt=dt), r(64, K, dt=dt), torch.empty(50, 64, dtype=dt), 50, 64, K, 32, 32)
    go("pooled", pooled, (1,), r(16, 16, dt=f16), torch.empty(8, 8, dtype=f16), torch.empty(64, dtype=i32), 16, 16, 8, 64)
    go("bilinear", bilinear, (2,), r(9, 9, 32, dt=bf16), torch.rand(50, 2) * 2.2 - 1.1, torch.empty(50, 32, dtype=bf16), 9, 9, 32, 32, 50)
    for dt, log in ((f16, 9), (f32, 6)):
        go("hadamard", hadamard, (2,), r(2, 1 << log, dt=dt), torch.empty(2, 1 << log, dtype=dt), 1 << log, log, 0.25)
    go("fourier", fourier, (1,), r(64), r(64), torch.empty(64), torch.empty(64), 64)
    for dt, pairs, back in ((f16, False, False), (bf16, True, True)):
        go("rotary", rotary, (3,), r(3, 4, 64, dt=dt), r(3, 32), r(3, 32), 3, 4, 64, pairs, back)


# ---- numbers


@triton.jit
def functions(x, y, out, n, B: tl.constexpr, KIND: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b = tl.load(x + i, mask=i < n, other=1), tl.load(y + i, mask=i < n, other=1)
    if KIND == "slow":
        o = libdevice.pow(tl.abs(a) + 0.5, b) + libdevice.lgamma(tl.abs(a) + 1) + libdevice.erfinv(b * 0.1)
    elif KIND == "angles":
        o = tl.sin(a * 100) + libdevice.atan2(a, b) + libdevice.acosh(tl.abs(b) + 1) + libdevice.tan(a)
    elif KIND == "roots":
        o = tl.sqrt(tl.abs(a)) + a / (tl.abs(b) + 1) + tl.rsqrt(tl.abs(b) + 1) + libdevice.cbrt(a) + libdevice.fmod(a, tl.abs(b) + 0.3)
    elif KIND == "bits":
        o = libdevice.popc(a) + libdevice.clz(b) + libdevice.brev(a) + tl.umulhi(a, b) + (a >> (b & 7)) + ~b
    elif KIND == "divide":
        o = a // (tl.abs(b) + 1) + a % (tl.abs(b) + 3) + a // 7 + b % 1000003
    elif KIND == "next":
        o = libdevice.nextafter(a, b) + libdevice.trunc(a) + libdevice.round(b) + libdevice.copysign(a, b) + tl.fma(a, b, a)
    tl.store(out + i, o.to(out.dtype.element_ty), mask=i < n)


@triton.jit
def convert(x, out, n, B: tl.constexpr, VIA: tl.constexpr, BACK: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0).to(VIA)
    tl.store(out + i, a.to(BACK), mask=i < n)


@triton.jit
def dropout_adam(p, g, m, v, mask, n, lr, step, seed, B: tl.constexpr, AMS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > 0.25
    gg = tl.where(keep, tl.load(g + i, mask=i < n, other=0).to(tl.float32) / 0.75, 0.0)
    gg += tl.randn(seed + 1, i) * 1e-3
    a = 0.9 * tl.load(m + i, mask=i < n, other=0) + 0.1 * gg
    b = 0.999 * tl.load(v + i, mask=i < n, other=0) + 0.001 * gg * gg
    w = tl.load(p + i, mask=i < n, other=0).to(tl.float32)
    w -= lr * (a / (1 - libdevice.pow(0.9, step)) / (tl.sqrt(b / (1 - libdevice.pow(0.999, step))) + 1e-8) + 0.01 * w)
    tl.store(p + i, w.to(p.dtype.element_ty), mask=i < n)
    tl.store(m + i, a, mask=i < n)
    tl.store(v + i, b, mask=i < n)
    tl.store(mask + i, keep, mask=i < n)


@triton.jit
def swiglu_back(dy, x, dx, n, D: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, D)
    row = tl.program_id(0)
    a = tl.load(x + row * 2 * n + i, mask=i < n, other=0).to(tl.float32)
    b = tl.load(x + row * 2 * n + n + i, mask=i < n, other=0).to(tl.float32)
    g = tl.load(dy + row * n + i, mask=i < n, other=0).to(tl.float32)
    if KIND == "silu":
        s = tl.sigmoid(a)
        da, db = g * b * s * (1 + a * (1 - s)), g * a * s
    elif KIND == "gelu":
        c = 0.5 * (1 + tl.erf(a * 0.70710678))
        da, db = g * b * (c + a * 0.39894228 * tl.exp(-0.5 * a * a)), g * a * c
    else:
        t = libdevice.tanh(0.79788456 * (a + 0.044715 * a * a * a))
        da, db = g * b * (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * 0.79788456 * (1 + 0.134145 * a * a)), g * 0.5 * a * (1 + t)
    tl.store(dx + row * 2 * n + i, da.to(dx.dtype.element_ty), mask=i < n)
    tl.store(dx + row * 2 * n + n + i, db.to(dx.dtype.element_ty), mask=i < n)


@triton.jit
def mandelbrot(out, W, B: tl.constexpr, MOST: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    cx, cy = (i % W).to(tl.float32) / W * 3 - 2, (i // W).to(tl.float32) / W * 2 - 1
    x, y, n = tl.zeros((B,), tl.float32), tl.zeros((B,), tl.float32), tl.zeros((B,), tl.int32)
    for _ in range(MOST):
        x, y = x * x - y * y + cx, 2 * x * y + cy
        n += (x * x + y * y < 4.0).to(tl.int32)
        x, y = tl.clamp(x, -10.0, 10.0), tl.clamp(y, -10.0, 10.0)
    tl.store(out + i, n)


@triton.jit
def bodies(p, a, n, B: tl.constexpr, BJ: tl.constexpr, T: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x, y, z = tl.load(p + i * 4).to(T), tl.load(p + i * 4 + 1).to(T), tl.load(p + i * 4 + 2).to(T)
    ax, ay, az = tl.zeros((B,), T), tl.zeros((B,), T), tl.zeros((B,), T)
    for s in range(0, n, BJ):
        j = s + tl.arange(0, BJ)
        dx = tl.load(p + j * 4).to(T)[None, :] - x[:, None]
        dy = tl.load(p + j * 4 + 1).to(T)[None, :] - y[:, None]
        dz = tl.load(p + j * 4 + 2).to(T)[None, :] - z[:, None]
        d = dx * dx + dy * dy + dz * dz + 0.01
        k = tl.load(p + j * 4 + 3).to(T)[None, :] / (d * tl.sqrt(d))
        ax += tl.sum(dx * k, 1)
        ay += tl.sum(dy * k, 1)
        az += tl.sum(dz * k, 1)
    tl.store(a + i * 3, ax)
    tl.store(a + i * 3 + 1, ay)
    tl.store(a + i * 3 + 2, az)


@triton.jit
def nearest(x, c, which, n, K: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    i, k, d = tl.program_id(0) * B + tl.arange(0, B), tl.arange(0, K), tl.arange(0, D)
    a = tl.load(x + i[:, None] * D + d[None, :], mask=(i < n)[:, None], other=0)
    b = tl.load(c + k[:, None] * D + d[None, :])
    far = tl.sum(tl.abs(a[:, None, :] - b[None, :, :]), 2)
    tl.store(which + i, tl.argmin(far, 1), mask=i < n)


@triton.jit
def gathered(x, idx, out, tail, N: tl.constexpr, M: tl.constexpr):
    at = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    a, i = tl.load(x + at), tl.load(idx + at)
    tl.store(out + at, tl.gather(a, i, 1))
    lo, hi = tl.split(tl.reshape(a, (N, M // 2, 2)))
    tl.store(tail + at, tl.reshape(tl.interleave(hi, lo), (N, M)))


@triton.jit
def turned(x, y, M, N, B: tl.constexpr, T: tl.constexpr):
    m, n = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    a = tl.load(x + m[:, None] * N + n[None, :], mask=(m < M)[:, None] & (n < N)[None, :], other=0)
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(a).to(T), mask=(n < N)[:, None] & (m < M)[None, :])


@triton.jit
def assembled(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    o = tl.inline_asm_elementwise("{ .reg .b32 t; and.b32 t, $1, 0x0f0f0f0f; shr.b32 $0, $1, 4; and.b32 $0, $0, 0x0f0f0f0f; add.u32 $0, $0, t; }", "=r,r", [a], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + i, o)


def numbers():
    for kind, dt in [("slow", f32), ("slow", f64), ("angles", f32), ("angles", f64), ("roots", f32), ("roots", f64), ("bits", i32), ("bits", i64), ("divide", i32), ("divide", i64), ("divide", i16), ("next", f32), ("next", f64)]:
        go("function_" + kind, functions, (2,), r(200, dt=dt), r(200, dt=dt), torch.empty(200, dtype=dt), 200, 128, kind)
    T = dict(f8=tl.float8e4nv, f8b=tl.float8e5, f16=tl.float16, bf16=tl.bfloat16, f32=tl.float32, f64=tl.float64, i8=tl.int8, u8=tl.uint8, i16=tl.int16, i64=tl.int64, u32=tl.uint32, u64=tl.uint64)
    for dt, via, back, out in [(f32, "f8", "f16", f16), (f16, "f8b", "f32", f32), (bf16, "f8", "bf16", bf16), (f64, "bf16", "i64", i64), (f32, "u64", "f64", f64), (i8, "bf16", "f8", f8), (u8, "f16", "f8", f8), (i64, "f32", "u8", u8), (f64, "f16", "i16", i16), (bf16, "i8", "f64", f64), (f16, "u32", "bf16", bf16)]:
        go("convert", convert, (2,), r(500, dt=dt), torch.zeros(500, dtype=out), 500, 256, T[via], T[back])
    for dt in (f32, bf16):
        go("dropout_adam", dropout_adam, (2,), r(500, dt=dt), r(500, dt=dt), r(500), r(500).abs(), torch.empty(500, dtype=i8), 500, 0.01, 3.0, 77, 256, False)
    for dt, kind in ((f16, "silu"), (bf16, "gelu"), (f32, "tanh")):
        go("swiglu_back", swiglu_back, (3,), r(3, 200, dt=dt), r(3, 400, dt=dt), torch.empty(3, 400, dtype=dt), 200, 256, kind)
    go("mandelbrot", mandelbrot, (2,), torch.empty(256, dtype=i32), 16, 128, 20)
    for dt, t in ((f32, tl.float32), (f64, tl.float64)):
        go("bodies", bodies, (2,), r(64, 4).abs().to(dt), torch.empty(64, 3, dtype=dt), 64, 32, 32, t)
    go("nearest", nearest, (2,), r(60, 32), r(16, 32), torch.empty(60, dtype=i32), 60, 16, 32, 32)
    for dt in (f32, f16):
        go("gathered", gathered, (1,), r(16, 64, dt=dt), torch.randint(0, 64, (16, 64), dtype=i32), torch.empty(16, 64, dtype=dt), torch.empty(16, 64, dtype=dt), 16, 64)
    for dt, out, t, B in ((f16, f16, tl.float16, 64), (i8, i8, tl.int8, 128), (f32, bf16, tl.bfloat16, 32), (i64, i64, tl.int64, 32)):
        go("turned", turned, (2, 2), r(100, 70, dt=dt), torch.empty(70, 100, dtype=out), 100, 70, B, t)
    go("assembled", assembled, (1,), r(512, dt=i8), torch.empty(512, dtype=i8), 512)


rows()
orders()
shared_memory()
pictures()
numbers()
