"""Operations of FlagGems. Arguments: seconds, and which part of how many."""

import os, sys, time
import recorder
import torch

os.environ.setdefault("GEMS_VENDOR", "nvidia")
sys.path.insert(0, os.environ["SOURCES"] + "/FlagGems/src")
import flag_gems.ops as ops, flag_gems.fused as fused

torch.manual_seed(0)
X = lambda: torch.rand(4, 64, dtype=torch.float32) + 0.5
H = lambda: torch.randn(6, 72, dtype=torch.float16)
B = lambda: torch.randn(4, 64, dtype=torch.bfloat16)
I = lambda: torch.randint(1, 9, (4, 64), dtype=torch.int32)
M = lambda: torch.rand(4, 64) > 0.5
special = {
    "mm": [(torch.randn(64, 64).half(), torch.randn(64, 64).half())],
    "bmm": [(torch.randn(2, 64, 64).half(), torch.randn(2, 64, 64).half())],
    "addmm": [(torch.randn(64, 64).half(), torch.randn(64, 64).half(), torch.randn(64, 64).half())],
    "mv": [(torch.randn(32, 64), torch.randn(64))],
    "addmv": [(torch.randn(32), torch.randn(32, 64), torch.randn(64))],
    "dot": [(torch.randn(256), torch.randn(256))],
    "vdot": [(torch.randn(256), torch.randn(256))],
    "outer": [(torch.randn(64), torch.randn(64))],
    "conv2d": [(torch.randn(1, 8, 8, 8).half(), torch.randn(16, 8, 3, 3).half())],
    "conv1d": [(torch.randn(1, 8, 32), torch.randn(16, 8, 3))],
    "layer_norm": [(X(), [64], torch.randn(64), torch.randn(64))],
    "rms_norm": [(X(), [64], torch.randn(64))],
    "softmax": [(X(), -1), (torch.randn(4, 8, 8), 1)],
    "log_softmax": [(X(), -1)],
    "cumsum": [(X(), 1)],
    "sort": [(X(),)],
    "topk": [(X(), 8)],
    "gather": [(X(), 1, torch.randint(0, 64, (4, 16)))],
    "scatter": [(X(), 1, torch.randint(0, 64, (4, 16)), X())],
    "index_select": [(X(), 1, torch.tensor([1, 5, 9]))],
    "embedding": [(torch.randn(32, 64), torch.randint(0, 32, (4, 8)))],
    "group_norm": [(torch.randn(2, 8, 16), torch.randn(8), torch.randn(8), 2, 8, 16, 4)],
    "avg_pool2d": [(torch.randn(1, 4, 8, 8), [2, 2])],
    "max_pool2d_with_indices": [(torch.randn(1, 4, 8, 8), [2, 2])],
    "kron": [(torch.randn(4, 4), torch.randn(4, 4))],
    "where_self": [(M(), X(), X())],
    "masked_fill": [(X(), M(), 0.5)],
    "lerp_tensor": [(X(), X(), X())],
    "addcmul": [(X(), X(), X())],
    "addcdiv": [(X(), X(), X())],
    "cat": [([X(), X()], 1)],
    "stack": [([X(), X()],)],
    "pad": [(X(), [1, 2])],
    "quantile": [(X(), 0.5)],
    "isin": [(I(), I())],
    "triu": [(torch.randn(16, 16),)],
    "trace": [(torch.randn(16, 16),)],
    "diag": [(torch.randn(16),)],
    "var_mean": [(X(), [1])],
    "vector_norm": [(X(), 2, [1])],
    "std": [(X(), [1])],
    "upsample_nearest2d": [(torch.randn(1, 2, 4, 4), [8, 8])],
    "batch_norm": [(torch.randn(4, 8, 16), torch.randn(8), torch.randn(8), torch.zeros(8), torch.ones(8), True)],
    "repeat_interleave_self_int": [(X(), 2)],
    "flip": [(X(), [0])],
    "tile": [(X(), [2, 2])],
    "select_scatter": [(X(), torch.randn(64), 0, 1)],
    "slice_scatter": [(X(), torch.randn(2, 64), 0, 1, 3)],
    "index_add": [(X(), 0, torch.tensor([1, 2]), torch.randn(2, 64))],
    "linspace": [(0.0, 1.0, 32)],
    "arange": [(64,)],
    "eye": [(16,)],
    "full": [((4, 64), 2.0)],
    "zeros": [((4, 64),)],
    "ones": [((4, 64),)],
    "randn": [((4, 64),)],
    "rand": [((4, 64),)],
    "clamp": [(X(), 0.6, 0.9)],
    "pow_scalar": [(2.0, X())],
    "threshold": [(X(), 0.7, 0.1)],
    "mse_loss": [(X(), X())],
    "scaled_dot_product_attention": [(torch.randn(1, 1, 64, 64).half(),) * 3],
    "glu": [(X(),)],
    "cummax": [(X(), 1)],
    "cummin": [(X(), 1)],
    "weight_norm_interface": [(X(), torch.randn(4, 1))],
    "mm_streamk": [(torch.randn(64, 64).half(), torch.randn(64, 64).half())],
    "polar": [(X(), X())],
    "angle": [(torch.complex(X(), X()),)],
}
templ = [lambda: (H(),), lambda: (X(),), lambda: (I(),), lambda: (X(), X()), lambda: (I(), I()), lambda: (X(), 1), lambda: (X(), X(), X()), lambda: (M(), M())]
names = sorted(set(ops.__all__))
t0 = time.time()
LIM = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
part = int(sys.argv[2]) if len(sys.argv) > 2 else 0
of = int(sys.argv[3]) if len(sys.argv) > 3 else 1
for n in names[part::of]:
    if time.time() - t0 > LIM:
        break
    if n.endswith("_") or "rand" in n or n.endswith("out"):
        continue
    f = getattr(ops, n, None)
    if not callable(f):
        continue
    got = len(recorder.record.hashes)
    for t in ([(lambda v=v: v) for v in special[n]] if n in special else templ):
        recorder.record.per.clear()
        try:
            f(*t())
        except Exception as e:
            last = e
        if len(recorder.record.hashes) > got and n not in special:
            break
    print(n, len(recorder.record.hashes) - got, "" if len(recorder.record.hashes) > got else str(last)[:80] if "last" in dir() else "", flush=True)
