"""Attention: forwards and backwards, windows, sinks, pages, parts of the keys, states in place of keys."""

import recorder
from recorder import ask

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

torch.manual_seed(1)
f8, f16, bf16, f32 = torch.float8_e4m3fn, torch.float16, torch.bfloat16, torch.float32
TENSOR = recorder.SM in (100, 103)


def r(*shape, dt=f16):
    return (torch.randint(-4, 5, shape) / 4).to(dt)


@triton.jit
def changed(s, m, n, mine, KIND: tl.constexpr, L, WINDOW: tl.constexpr):
    """Scores of rows m and keys n as KIND asks for them."""
    if KIND == "cap":
        s = 20.0 * (2 / (1 + tl.exp2(-2.885 * s / 20.0)) - 1)
    elif KIND == "alibi":
        s += mine * (n[None, :] - m[:, None])
    if KIND == "causal" or KIND == "sink" or KIND == "alibi":
        s = tl.where(m[:, None] >= n[None, :], s, -1e6)
    elif KIND == "window":
        s = tl.where((m[:, None] >= n[None, :]) & (m[:, None] - n[None, :] < WINDOW), s, -1e6)
    elif KIND == "prefix":
        s = tl.where((m[:, None] >= n[None, :]) | (n[None, :] < WINDOW), s, -1e6)
    return tl.where(n[None, :] < L, s, float("-inf"))


@triton.jit
def forward(q, k, v, o, lse, sinks, L, scale, H: tl.constexpr, SHARE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, KIND: tl.constexpr, WINDOW: tl.constexpr):
    h = tl.program_id(1)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + (h * L + m[:, None]) * D + d[None, :], mask=m[:, None] < L, other=0.0)
    g = h // SHARE
    mine = tl.load(sinks + h)
    most = tl.full((BM,), mine if KIND == "sink" else -1e30, tl.float32)
    total = tl.full((BM,), 1.0 if KIND == "sink" else 0.0, tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    first = 0
    last = L
    if KIND == "causal" or KIND == "window" or KIND == "sink" or KIND == "alibi":
        last = tl.minimum(L, tl.program_id(0) * BM + BM)
    if KIND == "window":
        first = tl.maximum(0, (tl.program_id(0) * BM - WINDOW + 1) // BN * BN)
    for s in range(first, last, BN):
        n = s + tl.arange(0, BN)
        kk = tl.load(k + (g * L + n[None, :]) * D + d[:, None], mask=n[None, :] < L, other=0.0)
        p = changed(tl.dot(x, kk) * scale, m, n, mine, KIND, L, WINDOW)
        now = tl.maximum(most, tl.max(p, 1))
        p = tl.exp2((p - now[:, None]) * 1.44269504)
        a = tl.exp2((most - now) * 1.44269504)
        total = total * a + tl.sum(p, 1)
        vv = tl.load(v + (g * L + n[:, None]) * D + d[None, :], mask=n[:, None] < L, other=0.0)
        out = tl.dot(p.to(vv.dtype), vv, out * a[:, None])
        most = now
    tl.store(o + (h * L + m[:, None]) * D + d[None, :], (out / total[:, None]).to(o.dtype.element_ty), mask=m[:, None] < L)
    tl.store(lse + h * L + m, most + tl.log(total), mask=m < L)


def forwards():
    for kind, dt, D, BM, BN, share, L, warps, stages in [
        ("causal", f16, 64, 64, 64, 1, 100, 4, 2),
        ("full", bf16, 128, 128, 64, 1, 128, 8, 3),
        ("cap", bf16, 64, 64, 32, 2, 96, 4, 3),
        ("alibi", f16, 32, 64, 64, 1, 128, 4, 2),
        ("window", bf16, 128, 64, 64, 2, 192, 4, 2),
        ("sink", bf16, 64, 128, 64, 2, 128, 4, 3),
        ("prefix", f16, 64, 64, 64, 1, 128, 4, 4),
        ("causal", f8, 64, 64, 64, 1, 128, 4, 2),
        ("full", f32, 64, 64, 32, 1, 64, 4, 2),
        ("causal", f16, 256, 64, 32, 1, 64, 8, 2),
        ("full", f16, 16, 32, 64, 1, 70, 2, 3),
        ("causal", bf16, 128, 128, 128, 1, 128, 8, 2),
    ]:
        ask("forward_%s" % kind, lambda: forward[(triton.cdiv(L, BM), 2)](r(2, L, D, dt=dt), r(2 // share, L, D, dt=dt), r(2 // share, L, D, dt=dt), torch.empty(2, L, D, dtype=f16 if dt == f8 else dt), torch.empty(2, L), r(2, dt=f32), L, 0.125, 2, share, D, BM, BN, kind, 48, num_warps=warps, num_stages=stages))


@triton.jit
def by_maps(q, k, v, o, lse, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, WS: tl.constexpr, TURN: tl.constexpr):
    """The same by descriptors; the warps may be of two kinds."""
    start = tl.program_id(0) * BM
    base = tl.program_id(1) * L
    m = start + tl.arange(0, BM)
    x = q.load([base + start, 0])
    most = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for s in tl.range(0, start + BM if CAUSAL else L, BN, warp_specialize=WS):
        p = tl.dot(x, k.load([base + s, 0]).T) * scale
        if CAUSAL:
            p = tl.where(m[:, None] >= s + tl.arange(0, BN)[None, :], p, -1e6)
        now = tl.maximum(most, tl.max(p, 1))
        p = tl.exp2(p - now[:, None])
        a = tl.exp2(most - now)
        if TURN:
            lo, hi = tl.split(tl.permute(tl.reshape(out, (BM, 2, D // 2)), (0, 2, 1)))
            out = tl.reshape(tl.permute(tl.join(lo * a[:, None], hi * a[:, None]), (0, 2, 1)), (BM, D))
        else:
            out = out * a[:, None]
        out = tl.dot(p.to(tl.float16), v.load([base + s, 0]), out)
        total = total * a + tl.sum(p, 1)
        most = now
    o.store([base + start, 0], (out / total[:, None]).to(tl.float16))
    tl.store(lse + base + m, most + tl.log2(total))


def maps():
    for D, BM, BN, causal, ws, turn, warps, stages in [(64, 128, 64, False, True, False, 4, 3), (128, 128, 128, False, True, True, 8, 2), (64, 128, 128, True, False, False, 4, 2), (128, 64, 64, True, False, True, 4, 3), (64, 64, 32, False, False, False, 4, 4)]:
        L = 256
        q, k, v, o = (r(2 * L, D) for _ in range(4))
        d = lambda t, n: TensorDescriptor.from_tensor(t, [n, D])
        ask("maps", lambda: by_maps[(2, 2)](d(q, BM), d(k, BN), d(v, BN), d(o, BM), torch.empty(2 * L), L, 0.18, D, BM, BN, causal, ws and TENSOR, turn, num_warps=warps, num_stages=stages))


# ---- backwards


@triton.jit
def sums_of_rows(o, do, delta, L, D: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = m[:, None] * D + d[None, :]
    x = tl.load(o + at, mask=m[:, None] < L, other=0.0).to(tl.float32) * tl.load(do + at, mask=m[:, None] < L, other=0.0).to(tl.float32)
    tl.store(delta + m, tl.sum(x, 1), mask=m < L)


@triton.jit
def keys_back(q, k, v, do, lse, delta, dk, dv, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, KIND: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    base = tl.program_id(1) * L
    d = tl.arange(0, D)
    kk = tl.load(k + (base + n[:, None]) * D + d[None, :])
    vv = tl.load(v + (base + n[:, None]) * D + d[None, :])
    gk = tl.zeros((BN, D), tl.float32)
    gv = tl.zeros((BN, D), tl.float32)
    for s in range(tl.program_id(0) * BN // BM * BM if CAUSAL else 0, L, BM):
        m = s + tl.arange(0, BM)
        at = (base + m[:, None]) * D + d[None, :]
        qq, oo = tl.load(q + at), tl.load(do + at)
        x = tl.dot(kk, qq.T) * scale
        if KIND == "cap":
            t = 2 / (1 + tl.exp2(-x * 0.2)) - 1
            x = t * 10.0
        p = tl.exp2(x - tl.load(lse + base + m)[None, :])
        if CAUSAL:
            p = tl.where(m[None, :] >= n[:, None], p, 0.0)
        gv = tl.dot(p.to(qq.dtype), oo, gv)
        ds = p * (tl.dot(vv, oo.T) - tl.load(delta + base + m)[None, :])
        if KIND == "cap":
            ds = ds * (1 - t * t)
        gk = tl.dot(ds.to(qq.dtype), qq, gk)
    at = (base + n[:, None]) * D + d[None, :]
    tl.store(dv + at, gv.to(dv.dtype.element_ty))
    tl.store(dk + at, (gk * scale).to(dk.dtype.element_ty))


@triton.jit
def queries_back(q, k, v, do, lse, delta, dq, bias, dbias, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, KIND: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * L
    d = tl.arange(0, D)
    at = (base + m[:, None]) * D + d[None, :]
    qq, oo = tl.load(q + at), tl.load(do + at)
    ll, dd = tl.load(lse + base + m), tl.load(delta + base + m)
    g = tl.zeros((BM, D), tl.float32)
    for s in range(0, tl.program_id(0) * BM + BM if CAUSAL else L, BN):
        n = s + tl.arange(0, BN)
        kt = tl.load(k + (base + n[None, :]) * D + d[:, None])
        vt = tl.load(v + (base + n[None, :]) * D + d[:, None])
        x = tl.dot(qq, kt) * scale
        if KIND == "bias":
            x += tl.load(bias + m[:, None] * L + n[None, :])
        p = tl.exp2(x - ll[:, None])
        if CAUSAL:
            p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        ds = p * (tl.dot(oo, vt) - dd[:, None])
        if KIND == "bias":
            tl.atomic_add(dbias + m[:, None] * L + n[None, :], ds, sem="relaxed")
        g = tl.dot(ds.to(kt.dtype), kt.T, g)
    tl.store(dq + at, (g * scale).to(dq.dtype.element_ty))


def backwards():
    L = 128
    for D, dt in ((64, f16), (128, bf16)):
        ask("sums", lambda: sums_of_rows[(2,)](r(L, D, dt=dt), r(L, D, dt=dt), torch.empty(L), L, D, 64))
    for D, dt, BM, BN, causal, kind, warps, stages in [(64, f16, 32, 64, True, "", 4, 2), (128, bf16, 32, 128, False, "", 8, 2), (64, bf16, 64, 64, False, "cap", 4, 3), (32, f16, 64, 128, True, "", 4, 2), (128, f16, 64, 64, True, "", 8, 2), (64, f32, 32, 32, False, "", 4, 2)]:
        x = [r(L, D, dt=dt) for _ in range(4)]
        ask("keys", lambda: keys_back[(triton.cdiv(L, BN), 1)](*x, r(L, dt=f32), r(L, dt=f32), torch.empty(L, D, dtype=dt), torch.empty(L, D, dtype=dt), L, 0.125, D, BM, BN, causal, kind, num_warps=warps, num_stages=stages))
        ask("queries", lambda: queries_back[(triton.cdiv(L, BM), 1)](*x, r(L, dt=f32), r(L, dt=f32), torch.empty(L, D, dtype=dt), r(L, L, dt=f32), torch.zeros(L, L), L, 0.125, D, BM, BN, causal, "bias" if kind else "", num_warps=warps, num_stages=stages))


# ---- one row of queries


@triton.jit
def paged(q, pages, table, lengths, o, lse, scale, SHARE: tl.constexpr, D: tl.constexpr, DV: tl.constexpr, PAGE: tl.constexpr, PARTS: tl.constexpr, kscale):
    """Queries that share keys beside each other, keys in pages, a part of them for each block; values may be the first columns of the keys."""
    b, part = tl.program_id(0), tl.program_id(1)
    length = tl.load(lengths + b)
    each = tl.cdiv(tl.cdiv(length, PARTS), PAGE) * PAGE
    first, last = part * each, tl.minimum((part + 1) * each, length)
    i, d, dv = tl.arange(0, 16), tl.arange(0, D), tl.arange(0, DV)
    x = tl.load(q + (b * SHARE + i[:, None]) * D + d[None, :], mask=i[:, None] < SHARE, other=0.0)
    most, total, out = tl.full((16,), -1e30, tl.float32), tl.zeros((16,), tl.float32), tl.zeros((16, DV), tl.float32)
    for s in range(first, last, PAGE):
        n = s + tl.arange(0, PAGE)
        page = tl.load(table + b * 8 + s // PAGE).to(tl.int64)
        row = pages + (page * PAGE + tl.arange(0, PAGE)) * D
        kk = tl.load(row[None, :] + d[:, None], mask=n[None, :] < last, other=0.0)
        vv = tl.load(row[:, None] + dv[None, :], mask=n[:, None] < last, other=0.0)
        if pages.dtype.element_ty == tl.int8 or pages.dtype.element_ty == tl.float8e4nv:
            kk, vv = (kk.to(tl.float32) * kscale).to(x.dtype), (vv.to(tl.float32) * kscale).to(x.dtype)
        p = tl.where(n[None, :] < last, tl.dot(x, kk) * scale, float("-inf"))
        now = tl.maximum(most, tl.max(p, 1))
        p, a = tl.exp(p - now[:, None]), tl.exp(most - now)
        out = tl.dot(p.to(vv.dtype), vv, out * a[:, None])
        total, most = total * a + tl.sum(p, 1), now
    at = (b * PARTS + part) * SHARE + i
    tl.store(o + at[:, None] * DV + dv[None, :], out / total[:, None], mask=(i[:, None] < SHARE) & (first < last))
    tl.store(lse + at, most + tl.log(total), mask=(i < SHARE) & (first < last))


@triton.jit
def joined(o, lse, lengths, out, SHARE: tl.constexpr, DV: tl.constexpr, PAGE: tl.constexpr, PARTS: tl.constexpr):
    b, i = tl.program_id(0), tl.program_id(1)
    length = tl.load(lengths + b)
    each = tl.cdiv(tl.cdiv(length, PARTS), PAGE) * PAGE
    d = tl.arange(0, DV)
    most, total, sums = -1e30, 0.0, tl.zeros((DV,), tl.float32)
    for part in range(PARTS):
        if part * each < length:
            at = (b * PARTS + part) * SHARE + i
            x = tl.load(lse + at)
            now = tl.maximum(x, most)
            a, w = tl.exp(most - now), tl.exp(x - now)
            sums = sums * a + w * tl.load(o + at * DV + d)
            total, most = total * a + w, now
    tl.store(out + (b * SHARE + i) * DV + d, (sums / total).to(out.dtype.element_ty))


def pages():
    lengths, table = torch.tensor([100, 37], dtype=torch.int32), torch.randperm(16).int()
    for D, DV, share, page, dt, kd, warps in [(64, 64, 8, 16, f16, f16, 4), (128, 128, 4, 32, bf16, bf16, 4), (128, 64, 16, 64, bf16, f8, 4), (64, 64, 5, 32, f16, torch.int8, 2), (256, 128, 16, 32, bf16, bf16, 8)]:
        store = torch.randint(-100, 100, (16 * page, D)).to(torch.int8) if kd == torch.int8 else r(16 * page, D, dt=kd)
        ask("paged", lambda: paged[(2, 2)](r(2 * share, D, dt=dt), store, table, lengths, torch.empty(4 * share, DV), torch.empty(4 * share), 0.1, share, D, DV, page, 2, 0.01, num_warps=warps))
        ask("joined", lambda: joined[(2, share)](r(4 * share, DV, dt=f32), r(4 * share, dt=f32), lengths, torch.empty(2 * share, DV, dtype=dt), share, DV, page, 2, num_warps=warps))


# ---- states


@triton.jit
def chunks(q, k, v, g, beta, o, state, L, K: tl.constexpr, V: tl.constexpr, C: tl.constexpr, GATE: tl.constexpr, DELTA: tl.constexpr):
    """Linear attention by chunks: a state is carried, decays, and may be corrected."""
    i, kk, vv = tl.arange(0, C), tl.arange(0, K), tl.arange(0, V)
    h = tl.load(state + kk[:, None] * V + vv[None, :])
    for s in range(0, L, C):
        t = s + i
        x = tl.load(q + t[:, None] * K + kk[None, :])
        y = tl.load(k + t[:, None] * K + kk[None, :])
        z = tl.load(v + t[:, None] * V + vv[None, :])
        a = tl.dot(x, y.T)
        if GATE:
            c = tl.cumsum(tl.load(g + t).to(tl.float32), 0)
            a = a * tl.exp(tl.where(i[:, None] >= i[None, :], c[:, None] - c[None, :], 0.0))
        if DELTA:
            z = (z - tl.dot(y, h.to(y.dtype))).to(y.dtype) * tl.load(beta + t)[:, None]
        a = tl.where(i[:, None] >= i[None, :], a, 0.0)
        out = tl.dot(a.to(z.dtype), z)
        if GATE:
            out += tl.dot(x, h.to(x.dtype)) * tl.exp(c)[:, None]
            e = tl.sum(tl.where(i == C - 1, c, 0.0), 0)
            h = h * tl.exp(e) + tl.dot((y * tl.exp(e - c)[:, None]).to(y.dtype).T, z)
        else:
            out += tl.dot(x, h.to(x.dtype))
            h += tl.dot(y.T, z)
        tl.store(o + t[:, None] * V + vv[None, :], out.to(o.dtype.element_ty))
    tl.store(state + kk[:, None] * V + vv[None, :], h)


@triton.jit
def step(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def selective(x, dt, A, B, C, D, z, y, L, N: tl.constexpr, BD: tl.constexpr, BL: tl.constexpr):
    """A selective scan: of N states for each channel, BL steps at once by an associative scan."""
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    n = tl.arange(0, N)
    W = tl.num_programs(0) * BD
    a = tl.load(A + d[:, None] * N + n[None, :])
    h = tl.zeros((BD, N), tl.float32)
    skip = tl.load(D + d)
    for s in range(0, L, BL):
        t = s + tl.arange(0, BL)
        xx = tl.load(x + t[:, None] * W + d[None, :]).to(tl.float32)
        w = tl.load(dt + t[:, None] * W + d[None, :]).to(tl.float32)
        w = tl.where(w > 20.0, w, tl.log(1 + tl.exp(w)))
        bb = tl.load(B + t[:, None] * N + n[None, :]).to(tl.float32)
        cc = tl.load(C + t[:, None] * N + n[None, :]).to(tl.float32)
        decay = tl.exp(w[:, :, None] * a[None, :, :])
        add = (w * xx)[:, :, None] * bb[:, None, :]
        p, q = tl.associative_scan((decay, add), 0, step)
        states = p * h[None, :, :] + q
        out = tl.sum(states * cc[:, None, :], 2) + skip[None, :] * xx
        h = tl.sum(tl.where(tl.arange(0, BL)[:, None, None] == BL - 1, states, 0.0), 0)
        g = tl.load(z + t[:, None] * W + d[None, :]).to(tl.float32)
        tl.store(y + t[:, None] * W + d[None, :], (out * g * tl.sigmoid(g)).to(y.dtype.element_ty))


def states():
    for K, V, C, gate, delta, dt, warps in [(64, 64, 32, True, False, bf16, 4), (64, 32, 64, False, True, f16, 4), (128, 64, 64, True, True, bf16, 8), (32, 32, 16, True, False, f32, 2)]:
        ask("chunks", lambda: chunks[(1,)](r(128, K, dt=dt), r(128, K, dt=dt), r(128, V, dt=dt), -r(128, dt=f32).abs(), r(128, dt=dt), torch.empty(128, V, dtype=dt), torch.zeros(K, V), 128, K, V, C, gate, delta, num_warps=warps))
    for N, BD, BL, dt, warps in [(16, 16, 16, f16, 4), (8, 32, 8, f32, 4), (4, 64, 32, bf16, 8)]:
        W = 2 * BD
        ask("selective", lambda: selective[(2,)](r(64, W, dt=dt), r(64, W, dt=dt), -r(W, N, dt=f32).abs(), r(64, N, dt=dt), r(64, N, dt=dt), r(W, dt=f32), r(64, W, dt=dt), torch.empty(64, W, dtype=dt), 64, N, BD, BL, num_warps=warps))


forwards()
maps()
backwards()
pages()
states()
