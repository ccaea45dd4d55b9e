"""Kernels that timed.py of testdata/suites and triton_speed.py time."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def mm(a,b,c,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    pid=tl.program_id(0); nb=tl.cdiv(N,BN); pm=pid//nb; pn=pid%nb
    om=pm*BM+tl.arange(0,BM); on=pn*BN+tl.arange(0,BN); ok=tl.arange(0,BK)
    pa=a+om[:,None]*sam+ok[None,:]*sak; pb=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),tl.float32)
    for k in range(0,K,BK):
        x=tl.load(pa); y=tl.load(pb); acc=tl.dot(x,y,acc); pa+=BK*sak; pb+=BK*sbk
    tl.store(c+om[:,None]*scm+on[None,:]*scn, acc.to(c.dtype.element_ty))


@triton.jit
def mmodd(a,b,c,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    pid=tl.program_id(0); nb=tl.cdiv(N,BN); pm=pid//nb; pn=pid%nb
    om=(pm*BM+tl.arange(0,BM))%M; on=(pn*BN+tl.arange(0,BN))%N; ok=tl.arange(0,BK)
    pa=a+om[:,None]*sam+ok[None,:]*sak; pb=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),tl.float32)
    for k in range(0,tl.cdiv(K,BK)):
        x=tl.load(pa,mask=ok[None,:]<K-k*BK,other=0.0); y=tl.load(pb,mask=ok[:,None]<K-k*BK,other=0.0); acc=tl.dot(x,y,acc); pa+=BK*sak; pb+=BK*sbk
    om=pm*BM+tl.arange(0,BM); on=pn*BN+tl.arange(0,BN)
    tl.store(c+om[:,None]*scm+on[None,:]*scn, acc.to(c.dtype.element_ty), mask=(om[:,None]<M)&(on[None,:]<N))


@triton.jit
def attn(Q,K,V,O,sm,S,H:tl.constexpr,D:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,CAUSAL:tl.constexpr):
    pm=tl.program_id(0); hb=tl.program_id(1); base=hb.to(tl.int64)*S*D
    om=pm*BM+tl.arange(0,BM); on=tl.arange(0,BN); od=tl.arange(0,D)
    q=tl.load(Q+base+om[:,None]*D+od[None,:])
    m=tl.full((BM,),-float('inf'),tl.float32); l=tl.zeros((BM,),tl.float32); acc=tl.zeros((BM,D),tl.float32)
    hi=(pm+1)*BM if CAUSAL else S
    for n in range(0,hi,BN):
        k=tl.load(K+base+(n+on)[None,:]*D+od[:,None])
        s=tl.dot(q,k)*sm
        if CAUSAL: s=tl.where(om[:,None]>=(n+on)[None,:],s,-1e6)
        mn=tl.maximum(m,tl.max(s,1)); p=tl.math.exp2(s-mn[:,None]); al=tl.math.exp2(m-mn)
        l=l*al+tl.sum(p,1); acc=acc*al[:,None]
        v=tl.load(V+base+(n+on)[:,None]*D+od[None,:])
        acc=tl.dot(p.to(v.dtype),v,acc); m=mn
    tl.store(O+base+om[:,None]*D+od[None,:],(acc/l[:,None]).to(O.dtype.element_ty))


@triton.jit
def lnorm(x,y,w,b,N,eps,BLK:tl.constexpr):
    r=tl.program_id(0); o=tl.arange(0,BLK); mk=o<N
    v=tl.load(x+r*N+o,mask=mk,other=0.0).to(tl.float32); mu=tl.sum(v,0)/N; d=tl.where(mk,v-mu,0.0); var=tl.sum(d*d,0)/N
    z=d/tl.sqrt(var+eps)*tl.load(w+o,mask=mk).to(tl.float32)+tl.load(b+o,mask=mk).to(tl.float32)
    tl.store(y+r*N+o,z.to(y.dtype.element_ty),mask=mk)


@triton.jit
def smax(x,y,N,BLK:tl.constexpr):
    r=tl.program_id(0); o=tl.arange(0,BLK); mk=o<N
    v=tl.load(x+r*N+o,mask=mk,other=-float('inf')).to(tl.float32); v=v-tl.max(v,0); e=tl.exp(v); tl.store(y+r*N+o,(e/tl.sum(e,0)).to(y.dtype.element_ty),mask=mk)


@triton.jit
def part(acc, l, m, q, K, V, on, om, sk, sv, sd, lo, hi, scale, BN: tl.constexpr, MASK: tl.constexpr):
    """The turns of attention forward over columns lo to hi; sv and sd are V's steps from row to row and within one."""
    for n in range(lo, hi, BN):
        n = tl.multiple_of(n, BN)
        k = tl.load(K + n * sk)
        s = tl.dot(q, k)
        if MASK:
            s = s * scale + tl.where(om[:, None] >= (n + on)[None, :], 0, -1.0e6)
            mn = tl.maximum(m, tl.max(s, 1))
            s -= mn[:, None]
        else:
            mn = tl.maximum(m, tl.max(s, 1) * scale)
            s = s * scale - mn[:, None]
        p = tl.math.exp2(s)
        f = tl.math.exp2(m - mn)
        l = l * f + tl.sum(p, 1)
        acc = acc * f[:, None]
        v = tl.load(V + n * sv)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m = mn
    return acc, l, m


@triton.jit
def flash(Q, K, V, O, L, S, sv, sd, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Attention forward whose columns before the diagonal are not masked."""
    pm = tl.program_id(0)
    base = tl.program_id(1).to(tl.int64) * S * D
    om = pm * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * D + od[None, :])
    pk = K + base + on[None, :] * D + od[:, None]
    pv = V + base + on[:, None] * sv + od[None, :] * sd
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    if CAUSAL:
        acc, l, m = part(acc, l, m, q, pk, pv, on, om, D, sv, sd, 0, pm * BM, scale, BN, False)
        acc, l, m = part(acc, l, m, q, pk, pv, on, om, D, sv, sd, pm * BM, (pm + 1) * BM, scale, BN, True)
    else:
        acc, l, m = part(acc, l, m, q, pk, pv, on, om, D, sv, sd, 0, S, scale, BN, False)
    tl.store(L + tl.program_id(1) * S + om, m + tl.math.log2(l))
    tl.store(O + base + om[:, None] * D + od[None, :], (acc / l[:, None]).to(O.dtype.element_ty))


@triton.jit
def flash_desc(Q, K, V, O, H, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WS: tl.constexpr):
    """The same with tensor maps, without a mask."""
    dq = tl.make_tensor_descriptor(Q, [H * S, D], [D, 1], [BM, D])
    dk = tl.make_tensor_descriptor(K, [H * S, D], [D, 1], [BN, D])
    dv = tl.make_tensor_descriptor(V, [H * S, D], [D, 1], [BN, D])
    do = tl.make_tensor_descriptor(O, [H * S, D], [D, 1], [BM, D])
    row = tl.program_id(1) * S
    q = dq.load([row + tl.program_id(0) * BM, 0])
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in tl.range(0, S, BN, warp_specialize=WS):
        s = tl.dot(q, dk.load([row + n, 0]).T)
        mn = tl.maximum(m, tl.max(s, 1) * scale)
        p = tl.math.exp2(s * scale - mn[:, None])
        f = tl.math.exp2(m - mn)
        l = l * f + tl.sum(p, 1)
        v = dv.load([row + n, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * f[:, None])
        m = mn
    do.store([row + tl.program_id(0) * BM, 0], (acc / l[:, None]).to(O.dtype.element_ty))


@triton.jit
def flash_dkdv(Q, K, V, G, DK, DV, L, E, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Attention backward: the gradients of BN keys and values; E holds the sums of O times its gradient."""
    pn = tl.program_id(0)
    base = tl.program_id(1).to(tl.int64) * S * D
    rows = tl.program_id(1) * S
    on = pn * BN + tl.arange(0, BN)
    od = tl.arange(0, D)
    k = tl.load(K + base + on[:, None] * D + od[None, :])
    v = tl.load(V + base + on[:, None] * D + od[None, :])
    dk = tl.zeros((BN, D), tl.float32)
    dv = tl.zeros((BN, D), tl.float32)
    lo = pn * BN if CAUSAL else 0
    for s in range(lo, S, BM):
        om = s + tl.arange(0, BM)
        qt = tl.load(Q + base + om[None, :] * D + od[:, None])
        l = tl.load(L + rows + om)
        p = tl.math.exp2(tl.dot(k, qt) * scale - l[None, :])
        if CAUSAL:
            p = tl.where(om[None, :] >= on[:, None], p, 0.0)
        g = tl.load(G + base + om[:, None] * D + od[None, :])
        dv += tl.dot(p.to(g.dtype), g)
        e = tl.load(E + rows + om)
        ds = p * (tl.dot(v, tl.trans(g)) - e[None, :])
        dk += tl.dot(ds.to(g.dtype), tl.trans(qt))
    tl.store(DV + base + on[:, None] * D + od[None, :], dv.to(DV.dtype.element_ty))
    tl.store(DK + base + on[:, None] * D + od[None, :], (dk * 0.6931471824645996 * scale).to(DK.dtype.element_ty))


@triton.jit
def flash_dq(Q, K, V, G, DQ, L, E, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Attention backward: the gradients of BM queries."""
    pm = tl.program_id(0)
    base = tl.program_id(1).to(tl.int64) * S * D
    om = pm * BM + tl.arange(0, BM)
    od = tl.arange(0, D)
    q = tl.load(Q + base + om[:, None] * D + od[None, :])
    g = tl.load(G + base + om[:, None] * D + od[None, :])
    l = tl.load(L + tl.program_id(1) * S + om)
    e = tl.load(E + tl.program_id(1) * S + om)
    dq = tl.zeros((BM, D), tl.float32)
    hi = (pm + 1) * BM if CAUSAL else S
    for n in range(0, hi, BN):
        on = n + tl.arange(0, BN)
        kt = tl.load(K + base + on[None, :] * D + od[:, None])
        vt = tl.load(V + base + on[None, :] * D + od[:, None])
        p = tl.math.exp2(tl.dot(q, kt) * scale - l[:, None])
        if CAUSAL:
            p = tl.where(om[:, None] >= on[None, :], p, 0.0)
        ds = p * (tl.dot(g, vt) - e[:, None])
        dq += tl.dot(ds.to(q.dtype), tl.trans(kt))
    tl.store(DQ + base + om[:, None] * D + od[None, :], (dq * 0.6931471824645996 * scale).to(DQ.dtype.element_ty))


@triton.jit
def decode(Q, K, V, O, L, S, scale, D: tl.constexpr, G: tl.constexpr, BN: tl.constexpr, SPLITS: tl.constexpr):
    """One token of G query heads that share keys, a part of the keys for each block."""
    base = tl.program_id(0).to(tl.int64) * S * D
    at = (tl.program_id(0) * SPLITS + tl.program_id(1)) * G + tl.arange(0, G)
    od = tl.arange(0, D)
    q = tl.load(Q + (tl.program_id(0) * G + tl.arange(0, G))[:, None] * D + od[None, :])
    m = tl.full((G,), -float("inf"), tl.float32)
    l = tl.zeros((G,), tl.float32)
    acc = tl.zeros((G, D), tl.float32)
    each = S // SPLITS
    for n in range(tl.program_id(1) * each, (tl.program_id(1) + 1) * each, BN):
        on = n + tl.arange(0, BN)
        k = tl.load(K + base + on[None, :] * D + od[:, None])
        v = tl.load(V + base + on[:, None] * D + od[None, :])
        s = tl.dot(q, k) * scale
        mn = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - mn[:, None])
        f = tl.math.exp2(m - mn)
        l = l * f + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * f[:, None])
        m = mn
    tl.store(L + at, m + tl.math.log2(l))
    tl.store(O + at[:, None] * D + od[None, :], acc / l[:, None])


@triton.jit
def mm_desc(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BLOCKS: tl.constexpr, WS: tl.constexpr):
    """A persistent product by tensor maps."""
    a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    w = tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), tl.cdiv(M, BM) * w, BLOCKS, flatten=True, warp_specialize=WS):
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(a.load([t // w * BM, k * BK]), b.load([t % w * BN, k * BK]).T, acc)
        c.store([t // w * BM, t % w * BN], acc.to(C.dtype.element_ty))


@triton.jit
def mm_int4(A, B, SCALE, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A product with 4-bit weights, two of a column to a byte, scaled by column."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    pa = A + om[:, None] * K + ok[None, :]
    pb = B + (ok[:, None] // 2) * N + on[None, :]
    shift = (ok[:, None] % 2) * 4
    scale = tl.load(SCALE + on)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(pa)
        b = ((tl.load(pb) >> shift) & 15).to(tl.float16) - 8.0
        acc = tl.dot(a, b * scale[None, :], acc)
        pa += BK
        pb += BK // 2 * N
    tl.store(C + om[:, None] * N + on[None, :], acc.to(tl.float16))


@triton.jit
def mm_splits(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLITS: tl.constexpr):
    """A product of few rows, its sums made by several blocks, each for itself."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    ok = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK * SPLITS):
        a = tl.load(A + om[:, None] * K + (k + ok)[None, :])
        b = tl.load(B + (k + ok)[:, None] * N + on[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(C + tl.program_id(2) * M * N + om[:, None] * N + on[None, :], acc)


@triton.jit
def mm_gelu(A, B, BIAS, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A product, a bias and GELU."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(A + om[:, None] * K + (k + ok)[None, :])
        b = tl.load(B + (k + ok)[:, None] * N + on[None, :])
        acc = tl.dot(a, b, acc)
    x = acc + tl.load(BIAS + on)[None, :]
    y = 0.5 * x * (1 + tl.math.erf(x * 0.7071067811865476))
    tl.store(C + om[:, None] * N + on[None, :], y.to(C.dtype.element_ty))


@triton.jit
def lnorm_back(X, G, W, DX, DW, N, EPS, BLK: tl.constexpr, ROWS: tl.constexpr):
    """Gradients of a layer norm: of ROWS rows, and their part of those of the weights."""
    o = tl.arange(0, BLK)
    mk = o < N
    w = tl.load(W + o, mask=mk, other=0.0).to(tl.float32)
    dw = tl.zeros((BLK,), tl.float32)
    for i in range(ROWS):
        r = tl.program_id(0) * ROWS + i
        x = tl.load(X + r * N + o, mask=mk, other=0.0).to(tl.float32)
        g = tl.load(G + r * N + o, mask=mk, other=0.0).to(tl.float32)
        mu = tl.sum(x, 0) / N
        d = tl.where(mk, x - mu, 0.0)
        rs = tl.rsqrt(tl.sum(d * d, 0) / N + EPS)
        h = d * rs
        wg = w * g
        dx = (wg - (tl.sum(h * wg, 0) * h + tl.sum(wg, 0)) / N) * rs
        dw += g * h
        tl.store(DX + r * N + o, dx.to(DX.dtype.element_ty), mask=mk)
    tl.store(DW + tl.program_id(0) * N + o, dw, mask=mk)


@triton.jit
def rms_rope(X, W, COS, SIN, O, EPS, D: tl.constexpr, ROWS: tl.constexpr):
    """The root mean square norm of rows, and the turn of their halves."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    h = tl.arange(0, D // 2)[None, :]
    a = tl.load(X + r * D + h).to(tl.float32)
    b = tl.load(X + r * D + D // 2 + h).to(tl.float32)
    f = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / D + EPS)[:, None]
    a *= f * tl.load(W + h)
    b *= f * tl.load(W + D // 2 + h)
    c = tl.load(COS + r * (D // 2) + h)
    s = tl.load(SIN + r * (D // 2) + h)
    tl.store(O + r * D + h, (a * c - b * s).to(O.dtype.element_ty))
    tl.store(O + r * D + D // 2 + h, (b * c + a * s).to(O.dtype.element_ty))


@triton.jit
def swiglu(A, B, O, n, BLK: tl.constexpr):
    o = tl.program_id(0) * BLK + tl.arange(0, BLK)
    a = tl.load(A + o, mask=o < n).to(tl.float32)
    b = tl.load(B + o, mask=o < n).to(tl.float32)
    tl.store(O + o, (a / (1 + tl.exp(-a)) * b).to(O.dtype.element_ty), mask=o < n)


@triton.jit
def odd_copy(A, O, n, BLK: tl.constexpr):
    """The size is no multiple of anything, so words go one by one."""
    o = tl.program_id(0) * BLK + tl.arange(0, BLK)
    tl.store(O + o, tl.load(A + o, mask=o < n), mask=o < n)


@triton.jit
def odd_add(A, B, O, n, BLK: tl.constexpr):
    o = tl.program_id(0) * BLK + tl.arange(0, BLK)
    tl.store(O + o, tl.load(A + o, mask=o < n) + tl.load(B + o, mask=o < n), mask=o < n)


@triton.jit
def odd_gelu(A, O, n, BLK: tl.constexpr):
    o = tl.program_id(0) * BLK + tl.arange(0, BLK)
    a = tl.load(A + o, mask=o < n).to(tl.float32)
    tl.store(O + o, (a / (1 + tl.exp(-1.702 * a))).to(O.dtype.element_ty), mask=o < n)


@triton.jit
def entropy(X, T, O, N, BLK: tl.constexpr):
    """Cross entropy of rows that are read in turns."""
    r = tl.program_id(0).to(tl.int64)
    m = tl.full((), -float("inf"), tl.float32)
    s = tl.zeros((), tl.float32)
    for j in range(0, N, BLK):
        o = j + tl.arange(0, BLK)
        x = tl.load(X + r * N + o, mask=o < N, other=-float("inf")).to(tl.float32)
        n = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - n) + tl.sum(tl.exp(x - n), 0)
        m = n
    t = tl.load(T + r)
    tl.store(O + r, tl.log(s) + m - tl.load(X + r * N + t).to(tl.float32))


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def linear(a, x, b, y):
    return a * b, x * b + y


@triton.jit
def scan(X, O, N: tl.constexpr, ROWS: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]) * N + tl.arange(0, N)[None, :]
    tl.store(O + at, tl.associative_scan(tl.load(X + at), 1, plus))


@triton.jit
def scan_linear(A, X, O, S, C, BS: tl.constexpr, BC: tl.constexpr):
    """x[t] = a[t] x[t-1] + y[t] over S steps of C channels."""
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    h = tl.zeros((BC,), tl.float32)
    last = tl.arange(0, BS)[:, None] == BS - 1
    for t in range(0, S, BS):
        at = (tl.program_id(1) * S + t + tl.arange(0, BS)[:, None]) * C + c[None, :]
        f, y = tl.associative_scan((tl.load(A + at), tl.load(X + at)), 0, linear)
        y += f * h[None, :]
        tl.store(O + at, y)
        h = tl.sum(tl.where(last, y, 0.0), 0)


@triton.jit
def sort(X, O, N: tl.constexpr, ROWS: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]) * N + tl.arange(0, N)[None, :]
    tl.store(O + at, tl.sort(tl.load(X + at)))


@triton.jit
def topk(X, O, N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    tl.store(O + r * K + tl.arange(0, K)[None, :], tl.topk(tl.load(X + r * N + tl.arange(0, N)[None, :]), K))


@triton.jit
def histogram(X, O, BLK: tl.constexpr, BINS: tl.constexpr, TURNS: tl.constexpr):
    h = tl.zeros((BINS,), tl.int32)
    for i in range(TURNS):
        x = tl.load(X + (tl.program_id(0) * TURNS + i) * BLK + tl.arange(0, BLK))
        h += tl.histogram(x & (BINS - 1), BINS)
    tl.atomic_add(O + tl.arange(0, BINS), h)


@triton.jit
def sums(X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Sums of columns."""
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for r in range(0, M, BM):
        acc += tl.load(X + (r + tl.arange(0, BM))[:, None] * N + c[None, :]).to(tl.float32)
    tl.store(O + c, tl.sum(acc, 0))


@triton.jit
def transpose(X, O, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(X + m[:, None] * N + n[None, :])
    tl.store(O + n[:, None] * M + m[None, :], tl.trans(x))


@triton.jit
def quantise(X, O, SCALE, N: tl.constexpr, ROWS: tl.constexpr):
    """Rows as bytes, scaled by their largest number."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = r[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(X + at).to(tl.float32)
    s = tl.max(tl.abs(x), 1) / 127.0
    tl.store(SCALE + r, s)
    tl.store(O + at, libdevice.rint(x / s[:, None]).to(tl.int8))


@triton.jit
def dropout(X, O, n, p, seed, BLK: tl.constexpr):
    o = tl.program_id(0) * BLK + tl.arange(0, BLK)
    x = tl.load(X + o, mask=o < n)
    tl.store(O + o, tl.where(tl.rand(seed, o) > p, x / (1 - p), 0.0), mask=o < n)


@triton.jit
def conv(X, W, O, H, WIDTH, CI: tl.constexpr, CO: tl.constexpr, BP: tl.constexpr, BO: tl.constexpr):
    """A convolution of 3 x 3 as products, channels last."""
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    o = tl.program_id(1) * BO + tl.arange(0, BO)
    y = p // WIDTH % H
    x = p % WIDTH
    c = tl.arange(0, 32)
    acc = tl.zeros((BP, BO), tl.float32)
    for i in range(9 * (CI // 32)):
        t = i // (CI // 32)
        dy = t // 3 - 1
        dx = t % 3 - 1
        ch = i % (CI // 32) * 32 + c
        inside = (y + dy >= 0) & (y + dy < H) & (x + dx >= 0) & (x + dx < WIDTH)
        a = tl.load(X + (p + dy * WIDTH + dx)[:, None] * CI + ch[None, :], mask=inside[:, None], other=0.0)
        b = tl.load(W + (t * CI + ch)[:, None] * CO + o[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(O + p[:, None] * CO + o[None, :], acc.to(O.dtype.element_ty))
