"""Triton's tutorials."""

import importlib.util, os, sys, types
import recorder
from recorder import ask as go
import torch
import triton, triton.language as tl

torch.manual_seed(0)
import triton.testing as T

T.perf_report = lambda *a, **k: (lambda f: types.SimpleNamespace(run=lambda *a, **k: None))
T.do_bench = lambda *a, **k: 1.0
f16 = torch.float16


def load(n):
    p = os.environ["SOURCES"] + "/triton/python/tutorials/" + n + ".py"
    s = importlib.util.spec_from_file_location("tut_" + n[:2], p)
    m = importlib.util.module_from_spec(s)
    sys.modules[s.name] = m
    # what the file runs at its end is left out
    try:
        s.loader.exec_module(m)
    except BaseException as e:
        print(n, type(e).__name__, str(e)[:100])
    return m


R = lambda *s, dt=f16: torch.randn(*s).to(dt)
for n in (
    "02-fused-softmax",
    "05-layer-norm",
    "06-fused-attention",
    "09-persistent-matmul",
    "10-block-scaled-matmul",
    "08-grouped-gemm",
    "11-programmatic-dependent-launch",
    "03-matrix-multiplication",
    "04-low-memory-dropout",
    "07-extern-functions",
):
    got = len(recorder.record.hashes)
    m = load(n)
    print(n, "loaded", len(recorder.record.hashes) - got, flush=True)
    if n[:2] == "05":
        go("ln", lambda: m.layer_norm(R(8, 256).requires_grad_(), (256,), R(256).requires_grad_(), R(256).requires_grad_(), 1e-5))
    if n[:2] == "03":
        go("mm", lambda: m.matmul(R(64, 64), R(64, 64)))
        go("mmr", lambda: m.matmul(R(64, 64), R(64, 64), activation="leaky_relu"))
    if n[:2] == "06":
        for causal in (True, False):
            for ws in ((False, True) if recorder.SM == 100 else (False,)):
                go("attn%d%d" % (causal, ws), lambda: m.attention(R(1, 1, 128, 64).requires_grad_(), R(1, 1, 128, 64).requires_grad_(), R(1, 1, 128, 64).requires_grad_(), causal, 0.5, ws))
    if n[:2] == "09":
        for fn in ("matmul", "matmul_persistent"):
            go(fn, lambda: getattr(m, fn)(R(128, 128), R(128, 128)))
        for fn in ("matmul_tma", "matmul_tma_persistent", "matmul_descriptor_persistent"):
            for ws in ((False, True) if recorder.SM == 100 else (False,)):
                go(fn, lambda: getattr(m, fn)(R(128, 128), R(128, 128), ws))
    if n[:2] == "10":
        for bt in ("nvfp4", "mxfp4", "mxfp8", "mixed"):
            go("bs_" + bt, lambda: m.validate_block_scaled(128, 128, 256, block_scale_type=bt))
    if n[:2] == "08":
        go("grouped", lambda: m.group_gemm_fn([R(64, 64)] * 2, [R(64, 64)] * 2))
        if recorder.SM >= 100:
            go("grouped_tma", lambda: m.group_gemm_tma_fn([R(64, 64)] * 2, [R(64, 64)] * 2))
