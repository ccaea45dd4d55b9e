"""Times Triton kernels and compiled flex attention on a GPU.

    python3 triton_speed.py run FILE       times them with the assembler that TRITON_PTXAS_PATH names
    python3 triton_speed.py compare A B    the times of A over those of B, and their geometric mean

Every result is compared with PyTorch's. Give each run its own TRITON_CACHE_DIR and
TORCHINDUCTOR_CACHE_DIR, or the second finds the code of the first.
"""
import json
import math
import sys

if len(sys.argv) == 4 and sys.argv[1] == 'compare':
    a, b = (json.load(open(f)) for f in sys.argv[2:])
    logs = []
    for k in a:
        ratio = a[k][0] / b[k][0] if k in b else float('nan')
        if ratio == ratio:
            logs.append(math.log(ratio))
        print(f'{k:28s} {a[k][0]:8.1f} us {a[k][1]}  {b.get(k, [0])[0]:8.1f} us {b.get(k, [0, 0])[1]}  {ratio:.3f}')
    print(f'geometric mean of {len(logs)}: {math.exp(sum(logs) / max(1, len(logs))):.3f}')
    sys.exit()
if len(sys.argv) != 3 or sys.argv[1] != 'run':
    sys.exit(__doc__)

import torch
import triton
from triton.testing import do_bench
from triton_kernels import attn, lnorm, mm, mmodd, smax
out={}
def kernels(fn, calls=30):
    """The microseconds that the GPU spends in the kernels of one call: what the host does between them is left out."""
    from torch.profiler import ProfilerActivity, profile
    for _ in range(5): fn()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        for _ in range(calls): fn()
        torch.cuda.synchronize()
    return sum(e.device_time for e in p.events() if e.device_type == torch.autograd.DeviceType.CUDA and 'tem_fused' in e.name) / calls
def rec(name, fn, ref=None, tol=3e-2, host=False):
    try:
        r=fn(); torch.cuda.synchronize()
        ok=True
        if ref is not None:
            e=(r.float()-ref.float()).abs().max().item(); m=ref.float().abs().max().item()
            ok = e <= tol*max(m,1e-3)
        t=kernels(fn) if host else do_bench(fn, warmup=50, rep=200, return_mode="median")*1000
        out[name]=(t, ok)
    except Exception as ex:
        out[name]=(float('nan'), 'ERR '+str(ex)[:80].replace('\n',' '))
    print(name, out[name], flush=True)

def run_mm(k,M,N,K,dt,BM,BN,BK,w,s):
    a=torch.randn(M,K,device='cuda').to(dt); b=torch.randn(K,N,device='cuda').to(dt); c=torch.empty(M,N,device='cuda',dtype=torch.float16 if dt!=torch.float32 else dt)
    g=(triton.cdiv(M,BM)*triton.cdiv(N,BN),)
    def f():
        k[g](a,b,c,M,N,K,a.stride(0),a.stride(1),b.stride(0),b.stride(1),c.stride(0),c.stride(1),BM,BN,BK,num_warps=w,num_stages=s); return c
    ref=(a.float()@b.float())
    return f,ref
def run_attn(D,causal,dt,BM,BN,w,s):
    B,H,S=2,16,2048
    q,k,v=[(torch.randn(B*H,S,D,device='cuda')*0.5).to(dt) for _ in range(3)]; o=torch.empty(B*H,S,D,device='cuda',dtype=torch.float16)
    sm=1/math.sqrt(D)*1.44269504
    def f():
        attn[(S//BM,B*H)](q,k,v,o,sm,S,H,D,BM,BN,causal,num_warps=w,num_stages=s); return o
    ref=torch.nn.functional.scaled_dot_product_attention(q.float(),k.float(),v.float(),is_causal=causal)
    return f,ref
h=torch.float16
for nm,a in {"mm_f16_128x256":(mm,4096,4096,4096,h,128,256,64,8,3),"mm_f16_128x128":(mm,4096,4096,4096,h,128,128,64,4,4),"mm_f16_64x64":(mm,2048,2048,2048,h,64,64,64,4,3),"mm_bf16_128x128x32":(mm,4096,4096,4096,torch.bfloat16,128,128,32,8,4),
  "mmodd_f16":(mmodd,2047,2049,1111,h,128,128,32,4,4),"mmodd_f16_64":(mmodd,1023,1025,777,h,64,128,32,4,3),"mm_tf32":(mm,2048,2048,2048,torch.float32,128,128,32,8,3),"mm_f16_small":(mm,512,512,4096,h,32,32,64,4,4)}.items():
    f,r=run_mm(*a); rec(nm,f,r)
for D in (64,128):
    for c in (False,True):
        for dt in (torch.float16,torch.bfloat16):
            f,r=run_attn(D,c,dt,128,64 if D==128 else 128,8 if D==128 else 4,3); rec(f"attn_d{D}_{'causal' if c else 'full'}_{str(dt)[6:]}",f,r)
    f,r=run_attn(D,True,torch.float16,64,64,4,3); rec(f"attn_d{D}_causal_64x64",f,r)
x=torch.randn(8192,2000,device='cuda',dtype=h); y=torch.empty_like(x); w=torch.randn(2000,device='cuda',dtype=h); b=torch.randn(2000,device='cuda',dtype=h)
rec("layernorm",lambda:(lnorm[(8192,)](x,y,w,b,2000,1e-5,2048,num_warps=8),y)[1],torch.nn.functional.layer_norm(x.float(),(2000,),w.float(),b.float(),1e-5))
rec("softmax",lambda:(smax[(8192,)](x,y,2000,2048,num_warps=8),y)[1],torch.softmax(x.float(),1))
import torch.nn.attention.flex_attention as fa
fx=torch.compile(fa.flex_attention)
for D in (64,128):
    q,k,v=[(torch.randn(2,8,2048,D,device='cuda',dtype=h)*0.5).requires_grad_() for _ in range(3)]
    bm=fa.create_block_mask(lambda b,h,i,j:i>=j,None,None,2048,2048)
    ref=torch.nn.functional.scaled_dot_product_attention(q.float(),k.float(),v.float(),is_causal=True).detach()
    rec(f"flex_fwd_d{D}",lambda:fx(q,k,v,block_mask=bm),ref,host=True)
    o=fx(q,k,v,block_mask=bm); g=torch.randn_like(o)
    gr=torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention(q.float(),k.float(),v.float(),is_causal=True),q,g.float(),retain_graph=True)[0]
    rec(f"flex_bwd_d{D}",lambda:torch.autograd.grad(o,(q,k,v),g,retain_graph=True)[0],gr,host=True)
json.dump(out, open(sys.argv[2], 'w'))
