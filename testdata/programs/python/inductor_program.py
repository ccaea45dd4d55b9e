"""torch.compile: Inductor writes Triton, which calls the assembler under test."""
import os
os.environ["TRITON_PTXAS_PATH"] = os.environ["PTXAS"]
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
import torch
import torch.nn.functional as F
from torch._inductor.runtime import triton_heuristics
from assemble import show

# Without measuring: which tile sizes win would change the order of sums.
triton_heuristics.CachingAutotuner.benchmark_all_configs = lambda self, *args, **kw: {l: float(n) for n, l in enumerate(self.launchers)}


@torch.compile
def gelu_norm(x, w, b):
    return F.layer_norm(F.gelu(x) + x.sin(), (x.shape[-1],), w, b)


@torch.compile
def attention_weights(q, mask):
    s = q.masked_fill(mask, float("-inf"))
    return torch.softmax(s, -1).sum(0), s.amax(-1)


@torch.compile
def loss(p, t):
    return F.cross_entropy(p, t), (p.argmax(-1) == t).float().mean()


@torch.compile
def integers(i):
    return (i * 17 + 3) // 5 % 13, i.cumsum(0), torch.where(i > 50, i, -i).to(torch.int16)


torch.manual_seed(7)
d = "cuda"
x, w, b = torch.randn(128, 300, device=d), torch.rand(300, device=d), torch.rand(300, device=d)
show("gelu_norm", gelu_norm(x, w, b).cpu().numpy())
q = torch.randn(40, 64, 64, device=d)
for n, r in enumerate(attention_weights(q, torch.ones(64, 64, device=d).triu(1).bool())):
    show("weights%d" % n, r.cpu().numpy())
p, t = torch.randn(200, 33, device=d), torch.randint(0, 33, (200,), device=d)
for n, r in enumerate(loss(p, t)):
    show("loss%d" % n, r.cpu().numpy())
for n, r in enumerate(integers(torch.randint(0, 100, (1000,), device=d))):
    show("integers%d" % n, r.cpu().numpy())
y = torch.randn(64, 50, device=d, dtype=torch.bfloat16, requires_grad=True)
s = torch.compile(lambda v: (torch.tanh(v.float()) * torch.sigmoid(v.float())).mean())(y)
s.backward()
show("gradient", y.grad.float().cpu().numpy())
