"""Operations of flash-linear-attention, forwards and backwards. Arguments: seconds, and anything for halves."""

import importlib, inspect, os, sys, time
import recorder
import torch

sys.path.insert(0, os.environ["SOURCES"] + "/flash-linear-attention")
import torch.nn.functional as F

torch.manual_seed(0)
B_, T_, H_, K_ = 1, 64, 1, 64
DT = torch.bfloat16
if len(sys.argv) > 2:
    DT = torch.float16
    T_ = 96
L = "gla.chunk_gla gla.fused_recurrent_gla gla.fused_chunk_gla simple_gla.chunk_simple_gla simple_gla.parallel_simple_gla simple_gla.fused_recurrent_simple_gla gated_delta_rule.chunk_gated_delta_rule gated_delta_rule.fused_recurrent_gated_delta_rule delta_rule.chunk_delta_rule delta_rule.fused_recurrent_delta_rule kda.chunk_kda kda.fused_recurrent_kda gsa.chunk_gsa gsa.fused_recurrent_gsa hgrn.chunk_hgrn hgrn.fused_recurrent_hgrn rwkv6.chunk_rwkv6 rwkv6.fused_recurrent_rwkv6 rwkv7.chunk_rwkv7 rwkv7.fused_recurrent_rwkv7 rwkv4.fused_recurrent_rwkv4 nsa.parallel_nsa linear_attn.chunk_linear_attn linear_attn.fused_chunk_linear_attn retention.chunk_retention retention.parallel_retention lightning_attn.chunk_lightning_attn attn.parallel_attn based.parallel_based based.fused_chunk_based rebased.parallel_rebased forgetting_attn.parallel_forgetting_attn path_attn.parallel_path_attn ttt.chunk_ttt_linear ttt.fused_chunk_ttt_linear comba.chunk_comba comba.fused_recurrent_comba log_linear_attn.chunk_log_linear_attn gated_delta_product.chunk_gated_delta_product mesa_net.chunk_mesa_net generalized_delta_rule.dplr.chunk_dplr_delta_rule generalized_delta_rule.iplr.chunk_iplr_delta_rule utils.cumsum.chunk_global_cumsum utils.pooling.mean_pooling utils.matmul.matmul utils.solve_tril.solve_tril deltaformer.deltaformer_attn abc.chunk_abc moba.parallel_moba gdn2.chunk_gdn2 gated_oja_rule.chunk_gated_oja_rule titans.chunk_titans_linear".split()


def t(*s, dt=None, g=True, sc=1.0):
    return (torch.randn(*s) * sc).to(dt or DT).requires_grad_(g)


def make(f, var):
    kw = {}
    for p in inspect.signature(f).parameters.values():
        n = p.name
        if n in ("q", "k", "v", "r", "do", "o", "x", "h", "a_", "p"):
            kw[n] = t(B_, T_, H_, K_, sc=0.5)
        elif n in ("w",):
            kw[n] = F.logsigmoid(t(B_, T_, H_, K_, dt=torch.float32, g=False)).to(DT).requires_grad_()
        elif n in ("a", "b"):
            kw[n] = t(B_, T_, H_, K_, sc=0.1)
        elif n in ("g", "gk", "gv", "log_g", "decay", "g_gamma_", "f") and p.default in (inspect._empty, None) and (n in ("g",) or p.default is inspect._empty):
            kw[n] = F.logsigmoid(torch.randn(B_, T_, H_, *([K_] if var & 1 else []))).to(torch.float32 if var & 2 else DT).requires_grad_()
        elif n in ("beta", "lamb") and p.default in (inspect._empty, None):
            kw[n] = torch.rand(B_, T_, H_, *([K_] if var & 4 else [])).to(DT).requires_grad_()
        elif n == "s":
            kw[n] = t(B_, T_, H_, K_, sc=0.3)
        elif n == "u":
            kw[n] = t(H_, K_)
        elif n == "eta":
            kw[n] = torch.rand(B_, T_, H_, 1).to(DT) * 0.01
        elif n in ("scale",):
            kw[n] = 0.125
        elif n == "chunk_size" and p.default is inspect._empty:
            kw[n] = 32
        elif n == "block_size" and p.default is inspect._empty:
            kw[n] = 32
        elif n in ("cu_seqlens", "initial_state", "head_first"):
            pass
        elif p.default is inspect._empty and p.kind in (0, 1, 3):
            raise TypeError("argument " + n)
    return kw


t0 = time.time()
LIM = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
for n in L:
    if time.time() - t0 > LIM:
        print("time")
        break
    mod, fn = n.rsplit(".", 1)
    got = len(recorder.record.hashes)
    last = ""
    try:
        f = getattr(importlib.import_module("fla.ops." + mod), fn)
    except Exception as e:
        print(n, "import", str(e)[:100])
        continue
    for var in (1, 0, 3, 2, 5):
        try:
            kw = make(f, var)
            r = f(**kw)
            r = [x for x in (r if isinstance(r, (tuple, list)) else [r]) if isinstance(x, torch.Tensor) and x.requires_grad]
            if r:
                r[0].float().sum().backward()
        except Exception as e:
            last = type(e).__name__ + str(e)[:150].replace("\n", " ")
        else:
            last = ""
        if not last:
            break
    print(n, len(recorder.record.hashes) - got, last, "%.0f" % (time.time() - t0), flush=True)
