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
import triton.language as tl
from triton.testing import do_bench
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
def run_mm(k,M,N,K,dt,BM,BN,BK,w,s):
    a=torch.randn(M,K,device='cuda').to(dt); b=torch.randn(K,N,device='cuda').to(dt); c=torch.empty(M,N,device='cuda',dtype=torch.float16 if dt!=torch.float32 else dt)
    g=(triton.cdiv(M,BM)*triton.cdiv(N,BN),)
    def f():
        k[g](a,b,c,M,N,K,a.stride(0),a.stride(1),b.stride(0),b.stride(1),c.stride(0),c.stride(1),BM,BN,BK,num_warps=w,num_stages=s); return c
    ref=(a.float()@b.float())
    return f,ref
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
def run_attn(D,causal,dt,BM,BN,w,s):
    B,H,S=2,16,2048
    q,k,v=[(torch.randn(B*H,S,D,device='cuda')*0.5).to(dt) for _ in range(3)]; o=torch.empty(B*H,S,D,device='cuda',dtype=torch.float16)
    sm=1/math.sqrt(D)*1.44269504
    def f():
        attn[(S//BM,B*H)](q,k,v,o,sm,S,H,D,BM,BN,causal,num_warps=w,num_stages=s); return o
    ref=torch.nn.functional.scaled_dot_product_attention(q.float(),k.float(),v.float(),is_causal=causal)
    return f,ref
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
