"""Operations of Liger-Kernel and attorch, forwards and backwards."""

import os, sys
from recorder import ask as go
import torch

for path in ("Liger-Kernel/src", "attorch"):
    sys.path.insert(0, os.environ["SOURCES"] + "/" + path)
torch.manual_seed(0)
bf = torch.bfloat16


def t(*s, dt=bf):
    return torch.randn(*s).to(dt).requires_grad_()


from liger_kernel.ops import *
import liger_kernel.ops as LO, importlib


def L(m, c):
    return getattr(importlib.import_module("liger_kernel.ops." + m), c).apply


x = lambda *s: t(*(s or (4, 256)))
go("rms", lambda: L("rms_norm", "LigerRMSNormFunction")(x(), t(256), 1e-6, 0.0, "llama", False))
go("rms_gemma", lambda: L("rms_norm", "LigerRMSNormFunction")(x(), t(256), 1e-6, 1.0, "gemma", False))
go("addrms", lambda: L("fused_add_rms_norm", "LigerFusedAddRMSNormFunction")(x(), x(), t(256), 1e-6))
go("ln", lambda: L("layer_norm", "LigerLayerNormFunction")(x(), t(256), t(256), 1e-5))
go("gn", lambda: L("group_norm", "LigerGroupNormFunction")(t(2, 8, 32), t(8), t(8), 8, 4, 1e-5))
go("geglu", lambda: L("geglu", "LigerGELUMulFunction")(x(), x()))
go("swiglu", lambda: L("swiglu", "LigerSiLUMulFunction")(x(), x()))
go("swiglu2", lambda: L("swiglu", "LigerFusedGateUpSiLUMulFunction")(x(4, 512)))
go("dyt", lambda: L("dyt", "LigerDyTFunction")(x(), t(1), t(256), t(256)))
go("relu2", lambda: L("relu_squared", "LigerReLUSquaredFunction")(x()))
go("softmax", lambda: L("softmax", "LigerSoftmaxFunction")(x()))
go("softmax2", lambda: L("softmax", "LigerSoftmaxFunction")(t(2, 9000, dt=torch.float32)))
go("sparsemax", lambda: L("sparsemax", "LigerSparsemaxFunction")(t(4, 256, dt=torch.float32), -1))
tgt = lambda: torch.randint(0, 256, (4,))
go("ce", lambda: L("cross_entropy", "LigerCrossEntropyFunction")(x(), tgt(), None, -100, 0.0, 0.1, "mean", None, False))
go("ce_cap", lambda: L("cross_entropy", "LigerCrossEntropyFunction")(x(), tgt(), torch.rand(256), -100, 1e-4, 0.1, "sum", 30.0, True))
go("jsd", lambda: L("jsd", "LigerJSDFunction")(t(4, 256, dt=torch.float32), torch.log_softmax(torch.randn(4, 256), -1), None, 0.5))
go("kl", lambda: L("kl_div", "LigerKLDivLossFunction")(t(4, 256, dt=torch.float32), torch.softmax(torch.randn(4, 256), -1), "batchmean", False))
go("tvd", lambda: L("tvd", "LigerTVDLossFunction")(torch.softmax(t(4, 256, dt=torch.float32), -1), torch.softmax(torch.randn(4, 256), -1)))
go("rope", lambda: L("rope", "LigerRopeFunction")(t(1, 4, 8, 64), t(1, 2, 8, 64), torch.randn(1, 8, 64), torch.randn(1, 8, 64)))
go("mrope", lambda: L("qwen2vl_mrope", "LigerQwen2VLMRopeFunction")(t(1, 4, 8, 64), t(1, 2, 8, 64), torch.randn(3, 1, 8, 64), torch.randn(3, 1, 8, 64), [8, 12, 12]))
go("l4rope", lambda: L("llama4_rope", "LigerLlama4RopeFunction")(t(1, 8, 4, 64, dt=torch.float32), t(1, 8, 2, 64, dt=torch.float32), torch.polar(torch.ones(8, 32), torch.randn(8, 32))))
go("poly", lambda: L("poly_norm", "LigerPolyNormFunction")(x(), t(3), t(1), 1e-6, False))
go("mta", lambda: L("multi_token_attention", "LigerMultiTokenAttentionFunction")(t(1, 2, 16, 16, dt=torch.float32), t(2, 1, 3, 3, dt=torch.float32), t(2, dt=torch.float32), 1, 1, 1, 2, False))
go("natten", lambda: L("fused_neighborhood_attention", "LigerFusedNeighborhoodAttentionFunction")(t(1, 1, 64, 32), t(1, 1, 64, 32), t(1, 1, 64, 32), 7, 1, 0.2))
go("flce", lambda: L("fused_linear_cross_entropy", "LigerFusedLinearCrossEntropyFunction")(t(8, 64, dt=torch.float32), t(128, 64, dt=torch.float32), torch.randint(0, 128, (8,))))
go("fljsd", lambda: L("fused_linear_jsd", "LigerFusedLinearJSDFunction")(t(8, 64, dt=torch.float32), t(128, 64, dt=torch.float32), torch.randn(8, 64), torch.randn(128, 64)))
go("grpo", lambda: L("grpo_loss", "GrpoLossFunction")(t(2, 9, 128), None, None, torch.randint(0, 128, (2, 8)), torch.randn(2), None, 0.9, 0.0, 0.2, 0.2, True))
go(
    "grpo2",
    lambda: L("grpo_loss", "GrpoLossFunction")(
        t(2, 9, 128), torch.randn(2, 8), torch.randn(2, 8), torch.randint(0, 128, (2, 8)), torch.randn(2), torch.ones(2, 8, dtype=torch.int32), 0.9, 0.04, 0.2, 0.2, False
    ),
)
go("mhc_post", lambda: L("mhc", "LigerMHCPostResFunction")(t(1, 8, 4, 64), t(1, 8, 64), torch.rand(1, 8, 4), torch.rand(1, 8, 4, 4)))
go("mhc_pre", lambda: L("mhc", "LigerMHCPreFunction")(t(1, 8, 4, 64), torch.rand(1, 8, 4)))
go("mhc_coeff", lambda: L("mhc", "LigerMHCCoeffsFunction")(t(1, 8, 4, 64), t(256, 24), torch.randn(24), torch.tensor(0.1), torch.tensor(0.1), torch.tensor(0.1)))
go("attnres", lambda: L("attn_res", "LigerAttnResFunction")(t(4, 1, 8, 64), t(64), t(64), 1e-6))
go("fmoe", lambda: L("fused_moe", "LigerFusedMoEFunction")(t(16, 64), t(4, 128, 64), t(4, 64, 64), torch.randint(0, 4, (16, 2)), torch.rand(16, 2)))
import liger_kernel.ops.experimental as _x

go("embed", lambda: importlib.import_module("liger_kernel.ops.experimental.embedding").LigerEmbeddingFunction.apply(t(32, 64, dt=torch.float32), torch.randint(0, 32, (4, 8))))
try:
    import attorch
    from attorch import nn as A

    f = torch.float32
    for n in "Sigmoid Tanh ReLU GELU SiLU ReLU6 Hardsigmoid Hardtanh Hardswish SELU Mish Softplus Softsign Tanhshrink LeakyReLU ELU CELU Hardshrink Softshrink LogSigmoid".split():
        if hasattr(A, n):
            go("att_" + n, lambda: getattr(A, n)()(t(4, 256, dt=f)))
    go("att_ln", lambda: A.LayerNorm(64)(t(8, 64, dt=f)))
    go("att_rms", lambda: A.RMSNorm(64)(t(8, 64, dt=f)))
    go("att_bn", lambda: A.BatchNorm1d(16)(t(8, 16, dt=f)))
    go("att_bn2", lambda: A.BatchNorm2d(8)(t(2, 8, 4, 4, dt=f)))
    go("att_softmax", lambda: A.Softmax(-1)(t(8, 64, dt=f)))
    go("att_logsm", lambda: A.LogSoftmax(-1)(t(8, 64, dt=f)))
    go("att_softmin", lambda: A.Softmin(-1)(t(8, 64, dt=f)))
    go("att_lin", lambda: A.Linear(64, 64)(t(32, 64, dt=f)))
    go("att_lin_g", lambda: A.Linear(64, 64, act_func="gelu")(t(32, 64, dt=f)))
    go("att_conv", lambda: A.Conv2d(8, 16, 3)(t(1, 8, 10, 10, dt=f)))
    go("att_glu", lambda: A.GLU()(t(4, 256, dt=f)))
    go("att_do", lambda: A.Dropout(0.3)(t(4, 256, dt=f)))
    go("att_mha", lambda: A.MultiheadAttention(64, 2, batch_first=True)(*[t(1, 64, 64, dt=f)] * 3))
    go("att_ce", lambda: A.CrossEntropyLoss()(t(8, 32, dt=f), torch.randint(0, 32, (8,))))
    go("att_nll", lambda: A.NLLLoss()(t(8, 32, dt=f), torch.randint(0, 32, (8,))))
    go("att_mse", lambda: A.MSELoss()(t(8, 32, dt=f), torch.randn(8, 32)))
    go("att_l1", lambda: A.L1Loss()(t(8, 32, dt=f), torch.randn(8, 32)))
    go("att_hub", lambda: A.HuberLoss()(t(8, 32, dt=f), torch.randn(8, 32)))
    go("att_sl1", lambda: A.SmoothL1Loss()(t(8, 32, dt=f), torch.randn(8, 32)))
except Exception as e:
    print("attorch", e)
