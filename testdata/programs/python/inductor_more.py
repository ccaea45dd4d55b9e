"""torch.compile over programs of many kinds, each with its results saved: inductor_more.py OUT.npz.

Nothing here depends on the order of atomic additions of floats.
"""
import os
import sys
import traceback

os.environ["TRITON_PTXAS_PATH"] = os.environ["PTXAS"]
os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = os.environ["PTXAS"]
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
import numpy as np
import torch
import torch.nn.functional as F
from torch._inductor.runtime import triton_heuristics

# Without measuring: which tile sizes win would change the order of sums.
triton_heuristics.CachingAutotuner.benchmark_all_configs = lambda self, *args, **kw: {l: float(n) for n, l in enumerate(self.launchers)}
D = "cuda"
PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def compiled(f, *args, **options):
    torch._dynamo.reset()
    r = torch.compile(f, **options)(*args)
    return list(r) if isinstance(r, (list, tuple)) else [r]


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=D).to(dtype)


@program
def elementwise():
    x = normal(4001) * 3
    fs = [torch.sin, torch.tan, torch.exp, torch.expm1, torch.tanh, torch.erf, torch.lgamma, torch.digamma, torch.special.i0e, torch.floor, torch.round, torch.special.ndtri, torch.sigmoid, torch.special.bessel_j0]
    return compiled(lambda v: [f(v) for f in fs], x) + compiled(lambda v: [f(v) for f in fs], x.double()) + compiled(lambda v: [v.log(), v.log2(), v.rsqrt(), v**2.3, torch.atan2(v, v - 1), torch.fmod(v, 0.7), torch.ldexp(v, v)], x.abs() + 0.1)


@program
def narrow_types():
    x = normal(3000)
    return [t.float() for t in compiled(lambda v: [v.half() * v.half(), v.bfloat16() + v.bfloat16().sin(), v.to(torch.float8_e4m3fn), v.to(torch.float8_e5m2), v.to(torch.int8), (v * 50).to(torch.uint8)], x)]


@program
def integers():
    a, b = torch.randint(-2**31, 2**31, (3000,), device=D, dtype=torch.int32), torch.randint(1, 999, (3000,), device=D, dtype=torch.int32)
    return compiled(lambda a, b: [a // b, a % b, torch.remainder(a, -b), a << (b % 31), a >> (b % 31), a.long() * b, (a.long() << 20) // b, a ^ b, ~a & b, a.to(torch.int8) + b.to(torch.int8), torch.bitwise_not(a).short()], a, b)


@program
def reductions():
    x = normal(129, 2570)
    return compiled(lambda v: [v.sum(), v.sum(0), v.amax(1), v.argmin(1), v.argmax(), v.prod(1), torch.var_mean(v, 1)[0], v.std(0), v.logsumexp(1), (v > 4).any(0), v.norm(dim=1), (v > 0).sum(1)], x)


@program
def norms():
    x, w, b = normal(64, 300), torch.rand(300, device=D), torch.rand(300, device=D)
    img = normal(4, 32, 9, 9)
    return compiled(lambda x, w, b, img: [F.layer_norm(x, (300,), w, b), F.rms_norm(x, (300,), w), F.softmax(x, 1), F.log_softmax(x, 0), F.group_norm(img, 8), F.instance_norm(img), F.batch_norm(img, None, None, training=True), F.normalize(x)], x, w, b, img)


@program
def losses():
    p, t = normal(200, 33), torch.randint(0, 33, (200,), device=D)
    return compiled(lambda p, t: [F.cross_entropy(p, t, label_smoothing=0.1), F.nll_loss(p, t), F.mse_loss(p, p.sin()), F.huber_loss(p, p * 2), F.kl_div(p.log_softmax(1), p.softmax(1), reduction="batchmean"), F.binary_cross_entropy_with_logits(p, (p > 1).float())], p, t)


@program
def backward():
    x, w = normal(64, 300).requires_grad_(), torch.rand(300, device=D, requires_grad=True)
    torch._dynamo.reset()
    y = torch.compile(lambda x, w: (F.layer_norm(F.gelu(x), (300,), w) * torch.tanh(x)).pow(2).mean())(x, w)
    y.backward()
    return [y.detach(), x.grad, w.grad]


@program
def products():
    a, b = normal(130, 200, dtype=torch.float16), normal(200, 70, dtype=torch.float16)
    r = compiled(lambda a, b: [F.relu(a @ b), (a @ b).float().sum(1), torch.einsum("ij,kj->ik", a, a)], a, b)
    return [t.float() for t in r]


@program
def indexing():
    x, i = normal(500, 40), torch.randint(0, 500, (2000,), device=D)
    v = torch.randint(0, 1000, (2000,), device=D)
    m = x > 0.5
    return compiled(lambda x, i, v, m: [x[i], torch.gather(x, 1, i[:1500].reshape(500, 3) % 40), torch.zeros(500, dtype=torch.long, device=D).index_add(0, i, v), torch.zeros(500, dtype=torch.long, device=D).scatter_reduce(0, i, v, "amax"),
                                        x.masked_fill(m, -1), torch.where(m, x, x.t().reshape(500, 40)), F.embedding(i, x), x.index_select(1, i % 40), F.one_hot(i % 40, 40)], x, i, v, m)


@program
def scans_and_sorts():
    x, i = normal(70, 130), torch.randint(-9, 9, (3000,), device=D)
    return compiled(lambda x, i: [i.cumsum(0), x.cumsum(1), x.cummax(1)[0], x.cumprod(0), x.sort(1)[0], x.argsort(0, stable=True), x.topk(9)[0], x.logcumsumexp(1), torch.searchsorted(x.sort(1)[0], x), torch.bucketize(x, x[0].sort()[0])], x, i)


@program
def shapes():
    x = normal(33, 65, 17)
    return compiled(lambda v: [v.permute(2, 0, 1) + 1, v.flip(1), v.roll(5, 2), F.pad(v, (1, 2, 0, 3), value=2.0), torch.cat([v, v * 2], 1), v.unfold(1, 5, 3).sum(-1), v.repeat_interleave(3, 0), torch.stack([v, -v]).view(-1), v.tril(), v[:, ::3, 1:]], x)


@program
def images():
    x = normal(2, 8, 20, 24)
    return compiled(lambda x: [F.max_pool2d(x, 3, 2), F.avg_pool2d(x, 3, 2, 1), F.interpolate(x, scale_factor=2, mode="bilinear"), F.interpolate(x, size=(13, 17), mode="nearest"), F.interpolate(x, scale_factor=1.5, mode="bicubic"), F.adaptive_avg_pool2d(x, (5, 7)), F.pixel_shuffle(x, 2),
                               F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1).tanh()), F.unfold(x, 3)], x)


@program
def rotary_attention():
    q, k, v = (normal(2, 4, 128, 64) for _ in range(3))

    def f(q, k, v):
        t = torch.arange(128, device=D)[:, None] * 10000 ** (-torch.arange(0, 64, 2, device=D) / 64)
        rot = lambda z: torch.cat([z[..., ::2] * t.cos() - z[..., 1::2] * t.sin(), z[..., 1::2] * t.cos() + z[..., ::2] * t.sin()], -1)
        s = (rot(q) @ rot(k).transpose(-1, -2)) * 0.125
        return s.masked_fill(torch.ones(128, 128, device=D).triu(1).bool(), -torch.inf).softmax(-1) @ v
    return compiled(f, q, k, v)


@program
def flexible_attention():
    from torch.nn.attention.flex_attention import flex_attention, create_block_mask
    q, k, v = (normal(1, 2, 256, 64, dtype=torch.float16) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < 100), 1, 1, 256, 256, device=D)
    torch._dynamo.reset()
    return [torch.compile(flex_attention)(q, k, v, block_mask=mask).float(), torch.compile(flex_attention)(q, k, v, score_mod=lambda s, b, h, i, j: s + 0.01 * (j - i)).float()]


@program
def triton_products():
    a, b = normal(256, 192, dtype=torch.float16), normal(192, 320, dtype=torch.float16)
    torch._dynamo.reset()
    f = torch.compile(lambda a, b: F.gelu(a @ b + 1), options={"max_autotune": True, "max_autotune_gemm_backends": "TRITON", "benchmark_kernel": False, "autotune_in_subproc": False})
    # The winner of the measurement may change: rounded to what all agree on.
    return [(f(a, b).float() / 4).round()]


@program
def dynamic_shapes():
    f = torch.compile(lambda v: [(v * 2).sum(1), v.softmax(0), v.sin().amax(0)], dynamic=True)
    return [t for n in (7, 65, 130) for t in f(normal(n, 50))]


@program
def optimizer():
    ps = [normal(40, 30).requires_grad_() for _ in range(5)]
    opt = torch.optim.AdamW(ps, lr=0.01, foreach=True)
    for p in ps:
        p.grad = torch.cos(p.detach())
    torch._dynamo.reset()
    step = torch.compile(opt.step)
    for _ in range(3):
        step()
    return [p.detach() for p in ps]


@program
def random_numbers():
    torch.manual_seed(3)
    return compiled(lambda v: [torch.rand_like(v), F.dropout(v, 0.3), torch.randint_like(v, 0, 100), torch.randn_like(v)], normal(2000))


def main():
    results = {}
    chosen = os.environ.get("PROGRAMS")
    for f in PROGRAMS:
        if chosen and f.__name__ not in chosen.split(","):
            continue
        torch.manual_seed(7)
        try:
            for n, r in enumerate(f()):
                results["%s.%d" % (f.__name__, n)] = r.detach().cpu().numpy()
        except Exception as e:
            traceback.print_exc()
            results[f.__name__ + ".error"] = np.frombuffer((type(e).__name__ + str(e)[:80]).encode(), np.uint8)
    np.savez(sys.argv[1], **results)


main()
