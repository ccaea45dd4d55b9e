"""Products and attention of every type that Triton has, by pointers and by descriptors, persistent, grouped, with warps of their own."""

import recorder
from recorder import ask

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

torch.manual_seed(0)
f8, f8b, f16, bf16, f32, f64, i8 = torch.float8_e4m3fn, torch.float8_e5m2, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8
TENSOR = recorder.SM in (100, 103)  # a GPU with tensor memory


def r(*shape, dt=f16):
    if dt in (i8, torch.uint8):
        return torch.randint(0 if dt == torch.uint8 else -8, 8, shape, dtype=torch.int32).to(dt)
    return (torch.randint(-4, 5, shape) / 4).to(dt)


def descriptor(t, *block):
    return TensorDescriptor.from_tensor(t, list(block))


# ---- persistent products


@triton.jit
def persistent(a, b, c, bias, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr, WS: tl.constexpr, END: tl.constexpr, FLAT: tl.constexpr):
    """Tiles in rows of four; what is done with a sum is told by END."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, SMS, flatten=FLAT, warp_specialize=WS):
        wide = 4 * columns
        first = tile // wide * 4
        high = min(rows - first, 4)
        m = (first + tile % wide % high) * BM
        n = tile % wide // high * BN
        sums = tl.zeros((BM, BN), tl.int32 if END == "int" else tl.float32)
        for k in range(tl.cdiv(K, BK)):
            sums = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, sums, out_dtype=tl.int32 if END == "int" else tl.float32)
        if END == "int":
            scale = tl.load(bias + n + tl.arange(0, BN))
            c.store([m, n], (sums.to(tl.float32) * scale[None, :]).to(tl.float16))
        elif END == "halves":
            lo, hi = tl.split(tl.permute(tl.reshape(sums, (BM, 2, BN // 2)), (0, 2, 1)))
            c.store([m, n], lo.to(tl.float16))
            c.store([m, n + BN // 2], hi.to(tl.float16))
        elif END == "silu":
            x = sums + tl.load(bias + n + tl.arange(0, BN))[None, :]
            c.store([m, n], (x * tl.sigmoid(x)).to(tl.float16))
        elif END == "gelu":
            x = sums + tl.load(bias + n + tl.arange(0, BN))[None, :]
            c.store([m, n], (x * 0.5 * (1 + tl.erf(x * 0.7071067811865476))).to(tl.float16))
        elif END == "rows":
            x = tl.exp(sums - tl.max(sums, 1)[:, None])
            c.store([m, n], (x / tl.sum(x, 1)[:, None]).to(tl.float16))
        else:
            c.store([m, n], sums.to(tl.float16))


def persistents():
    for dt, BM, BN, BK, end, ws, flat, warps in [
        (f16, 128, 128, 64, "plain", True, True, 4),
        (f16, 128, 64, 64, "silu", False, True, 4),
        (bf16, 64, 128, 64, "gelu", False, False, 8),
        (f8, 128, 128, 128, "halves", True, True, 8),
        (f8b, 128, 64, 64, "rows", False, False, 4),
        (f32, 64, 64, 32, "silu", False, True, 4),
        (i8, 128, 64, 64, "int", False, False, 4),
        (i8, 64, 32, 128, "int", False, True, 4),
        (bf16, 128, 256, 64, "halves", TENSOR, True, 8),
    ]:
        a, b, c = r(256, 256, dt=dt), r(256, 256, dt=dt), torch.empty(256, 256, dtype=f16)
        wide = BN // 2 if end == "halves" else BN
        ask("persistent_%s_%s" % (dt, end), lambda: persistent[(2,)](
            descriptor(a, BM, BK), descriptor(b, BN, BK), descriptor(c, BM, wide), r(256, dt=f32), 256, 256, 256, BM, BN, BK, 2, ws and TENSOR, end, flat, num_warps=warps, num_stages=3))


# ---- products by pointers


@triton.jit
def pointers(a, b, c, d, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr, T: tl.constexpr, OPS: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    pa = a + (m % M)[:, None] * am + k[None, :] * ak
    pb = b + k[:, None] * bk + (n % N)[None, :] * bn
    sums = tl.zeros((BM, BN), T)
    for left in range(K, 0, -BK * SPLIT):
        x = tl.load(pa, mask=k[None, :] < left, other=0.0)
        y = tl.load(pb, mask=k[:, None] < left, other=0.0)
        if OPS == "cast":
            y = y.to(x.dtype)
        if OPS == "abs":
            x = tl.abs(x)
        sums = tl.dot(x, y, sums, out_dtype=T, input_precision="tf32x3" if OPS == "tf32x3" else ("ieee" if OPS == "ieee" else "tf32"))
        pa += BK * SPLIT * ak
        pb += BK * SPLIT * bk
    at = c + m[:, None] * cm + n[None, :] * cn
    inside = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT > 1:
        tl.atomic_add(at, sums, mask=inside, sem="relaxed")
    elif OPS == "residual":
        tl.store(at, sums.to(c.dtype.element_ty) + tl.load(d + m[:, None] * cm + n[None, :] * cn, mask=inside, other=0.0), mask=inside)
    else:
        tl.store(at, sums.to(c.dtype.element_ty), mask=inside)


def pointer_products():
    for dt, db, out, BM, BN, BK, split, t, ops, warps, turned in [
        (f32, f32, f32, 64, 64, 32, 1, tl.float32, "ieee", 4, 0),
        (f32, f32, f32, 64, 64, 32, 1, tl.float32, "tf32", 4, 1),
        (f32, f32, f32, 128, 64, 32, 1, tl.float32, "tf32x3", 8, 0),
        (f32, f32, f32, 32, 32, 32, 4, tl.float32, "ieee", 2, 3),
        (f64, f64, f64, 32, 32, 16, 1, tl.float64, "ieee", 4, 0),
        (f64, f64, f64, 64, 32, 32, 1, tl.float64, "residual", 4, 2),
        (f16, f16, f16, 64, 128, 32, 1, tl.float16, "residual", 4, 0),
        (f16, i8, f16, 64, 64, 64, 1, tl.float32, "cast", 4, 1),
        (bf16, i8, bf16, 128, 64, 64, 1, tl.float32, "cast", 4, 2),
        (f16, f8, f16, 64, 64, 64, 1, tl.float32, "cast", 4, 0),
        (bf16, bf16, f32, 32, 64, 64, 4, tl.float32, "abs", 4, 1),
        (f16, f16, f32, 16, 32, 128, 2, tl.float32, "none", 2, 0),
        (i8, i8, torch.int32, 64, 64, 64, 1, tl.int32, "none", 4, 1),
        (i8, i8, torch.int32, 32, 64, 32, 2, tl.int32, "none", 4, 0),
        (f8, f8, f16, 64, 64, 64, 1, tl.float32, "none", 4, 0),
        (f8b, f8, f32, 128, 128, 64, 1, tl.float32, "none", 8, 1),
        (bf16, bf16, bf16, 256, 64, 32, 1, tl.float32, "residual", 8, 3),
    ]:
        M, N, K = 96, 112, 144
        a = r(K, M, dt=dt).T if turned & 1 else r(M, K, dt=dt)
        b = r(N, K, dt=db).T if turned & 2 else r(K, N, dt=db)
        c, d = torch.zeros(M, N, dtype=out), r(M, N, dt=out)
        ask("pointers_%s_%s_%s" % (dt, db, ops), lambda: pointers[(triton.cdiv(M, BM), triton.cdiv(N, BN), split)](
            a, b, c, d, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM, BN, BK, split, t, ops, num_warps=warps, num_stages=3))


@triton.jit
def batch(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr):
    """A product of three dimensions."""
    i, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None, None] * M * K + m[None, :, None] * K + k[None, None, :])
    y = tl.load(b + i[:, None, None] * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(c + i[:, None, None] * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(x, y, out_dtype=T))


def batches():
    for dt, out, t, B, M, N, K, warps in [(f16, f32, tl.float32, 4, 32, 32, 32, 4), (bf16, f32, tl.float32, 8, 16, 32, 64, 8), (f32, f32, tl.float32, 2, 32, 64, 32, 4), (i8, torch.int32, tl.int32, 4, 32, 32, 64, 4), (f64, f64, tl.float64, 2, 16, 16, 16, 2), (f8, f32, tl.float32, 2, 64, 32, 64, 4)]:
        ask("batch_%s" % dt, lambda: batch[(1,)](r(B, M, K, dt=dt), r(B, K, N, dt=dt), torch.empty(B, M, N, dtype=out), B, M, N, K, t, num_warps=warps))


# ---- scaled products


@triton.jit
def scaled(a, sa, b, sb, c, N, K, FA: tl.constexpr, FB: tl.constexpr, VEC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    DA: tl.constexpr = 2 if FA == "e2m1" else 1
    DB: tl.constexpr = 2 if FB == "e2m1" else 1
    ka, kb, ks = tl.arange(0, BK // DA), tl.arange(0, BK // DB), tl.arange(0, BK // VEC)
    sums = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=STAGES):
        x = tl.load(a + m[:, None] * (K // DA) + k // DA + ka[None, :])
        y = tl.load(b + n[:, None] * (K // DB) + k // DB + kb[None, :])
        xs = tl.load(sa + m[:, None] * (K // VEC) + k // VEC + ks[None, :])
        ys = tl.load(sb + n[:, None] * (K // VEC) + k // VEC + ks[None, :])
        if FA == "bf16" or FA == "fp16":
            sums = tl.dot_scaled(x, None, FA, y.T, ys, FB, sums)
        else:
            sums = tl.dot_scaled(x, xs, FA, y.T, ys, FB, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


def scaled_products():
    kinds = dict(e4m3=(f8, 1), e5m2=(f8b, 1), e2m1=(torch.uint8, 2), bf16=(bf16, 1), fp16=(f16, 1))
    for fa, fb, vec, BM, BN, BK, stages, warps in [
        ("e4m3", "e4m3", 32, 128, 128, 128, 3, 4),
        ("e5m2", "e4m3", 32, 128, 64, 128, 2, 8),
        ("e2m1", "e2m1", 32, 128, 128, 128, 2, 4),
        ("e2m1", "e2m1", 16, 128, 64, 256, 3, 4),
        ("e4m3", "e2m1", 32, 128, 128, 64, 2, 4),
        ("e2m1", "e5m2", 32, 64, 64, 128, 2, 4),
        ("bf16", "e2m1", 32, 64, 64, 64, 2, 4),
        ("fp16", "e4m3", 32, 64, 32, 64, 1, 4),
        ("bf16", "e5m2", 32, 32, 64, 128, 3, 8),
    ]:
        M, N, K = 128, 128, 512
        (ta, pa), (tb, pb) = kinds[fa], kinds[fb]
        a = torch.randint(0, 256, (M, K // pa), dtype=torch.uint8) if pa == 2 else r(M, K // pa, dt=ta)
        b = torch.randint(0, 256, (N, K // pb), dtype=torch.uint8) if pb == 2 else r(N, K // pb, dt=tb)
        scale = (lambda n: r(n, K // vec, dt=f32).abs().to(f8)) if vec == 16 else (lambda n: torch.randint(124, 130, (n, K // vec), dtype=torch.uint8))
        ask("scaled_%s_%s_%d" % (fa, fb, vec), lambda: scaled[(M // BM, N // BN)](a, scale(M), b, scale(N), torch.empty(M, N), N, K, fa, fb, vec, BM, BN, BK, stages, num_warps=warps))


# ---- groups and experts


@triton.jit
def groups(a, b, c, starts, N, K, G, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    """Rows of A in groups of any size, each with a matrix of its own: descriptors made on the GPU."""
    da = tl.make_tensor_descriptor(a, shape=[tl.load(starts + G), K], strides=[K, 1], block_shape=[BM, BK])
    columns = tl.cdiv(N, BN)
    done = 0
    tile = tl.program_id(0)
    for g in range(G):
        first, last = tl.load(starts + g), tl.load(starts + g + 1)
        tiles = tl.cdiv(last - first, BM) * columns
        db = tl.make_tensor_descriptor(b + g.to(tl.int64) * N * K, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
        while tile >= done and tile < done + tiles:
            m = first + (tile - done) // columns * BM
            n = (tile - done) % columns * BN
            sums = tl.zeros((BM, BN), tl.float32)
            for k in range(0, K, BK):
                sums = tl.dot(da.load([m, k]), db.load([n, k]).T, sums)
            rows, cols = m + tl.arange(0, BM), n + tl.arange(0, BN)
            tl.store(c + rows[:, None] * N + cols[None, :], sums.to(tl.bfloat16), mask=(rows[:, None] < last) & (cols[None, :] < N))
            tile += SMS
        done += tiles


@triton.jit
def experts(x, w, y, ids, which, weight, N, K, top: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows gathered by a list, one expert a block of rows, weights of a gate behind the product."""
    e = tl.load(which + tl.program_id(0))
    if e >= 0:
        rows = tl.load(ids + tl.program_id(0) * BM + tl.arange(0, BM))
        n = tl.program_id(1) * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        sums = tl.zeros((BM, BN), tl.float32)
        up = tl.zeros((BM, BN), tl.float32)
        for s in range(0, K, BK):
            t = tl.load(x + (rows // top)[:, None] * K + s + k[None, :], mask=rows[:, None] >= 0, other=0.0)
            q = w + e.to(tl.int64) * 2 * N * K + n[None, :] * K + s + k[:, None]
            sums = tl.dot(t, tl.load(q), sums)
            up = tl.dot(t, tl.load(q + N * K), up)
        out = sums * tl.sigmoid(sums) * up * tl.load(weight + rows, mask=rows >= 0, other=0.0)[:, None]
        tl.store(y + rows[:, None] * N + n[None, :], out.to(y.dtype.element_ty), mask=rows[:, None] >= 0)


def groupings():
    for dt, BM, BN, BK in [(bf16, 64, 64, 64), (bf16, 128, 128, 64)]:
        ask("groups", lambda: groups[(2,)](r(192, 128, dt=dt), r(3, 128, 128, dt=dt), torch.empty(192, 128, dtype=dt), torch.tensor([0, 40, 136, 192], dtype=torch.int32), 128, 128, 3, BM, BN, BK, 2))
    for dt, BM, BN, warps in [(f16, 16, 64, 4), (bf16, 64, 32, 4), (f8, 32, 64, 4)]:
        ids = torch.randint(0, 64, (2 * BM,), dtype=torch.int32)
        ids[3::7] = -1
        ids = torch.where(ids >= 0, torch.randperm(2 * BM).int(), ids)
        ask("experts_%s" % dt, lambda: experts[(2, 2)](r(BM, 128, dt=dt), r(2, 2 * 128, 128, dt=dt), torch.empty(2 * BM, 128, dtype=f16), ids, torch.tensor([1, 0], dtype=torch.int32), r(2 * BM, dt=f32), 128, 128, 2, BM, BN, 64, num_warps=warps))


# ---- products with weights of few bits


@triton.jit
def few_bits(x, q, scales, zeros, y, M, N, K, BITS: tl.constexpr, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    EACH: tl.constexpr = 32 // BITS
    sums = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        words = tl.load(q + ((s + k) // EACH)[:, None] * N + n[None, :])
        w = (words >> ((k % EACH) * BITS)[:, None]) & ((1 << BITS) - 1)
        sc = tl.load(scales + (s // GROUP) * N + n)
        z = tl.load(zeros + (s // GROUP) * N + n)
        w = ((w - z[None, :]).to(tl.float16) * sc[None, :]).to(x.dtype.element_ty)
        sums = tl.dot(tl.load(x + m[:, None] * K + s + k[None, :], mask=m[:, None] < M, other=0.0), w, sums)
    tl.store(y + m[:, None] * N + n[None, :], sums.to(y.dtype.element_ty), mask=m[:, None] < M)


def weights():
    for bits, dt, BM, BN, BK in [(4, f16, 16, 64, 64), (8, bf16, 32, 64, 64), (2, f16, 64, 32, 128), (4, bf16, 64, 128, 32)]:
        M, N, K = 40, 128, 256
        q = torch.randint(-(1 << 31), 1 << 31, (K * bits // 32, N)).int()
        ask("bits_%d" % bits, lambda: few_bits[(triton.cdiv(M, BM), N // BN)](r(M, K, dt=dt), q, r(K // 128, N, dt=f16), torch.randint(0, 1 << bits, (K // 128, N), dtype=torch.int32), torch.empty(M, N, dtype=dt), M, N, K, bits, 128, BM, BN, BK))


persistents()
pointer_products()
batches()
scaled_products()
groupings()
weights()
