# The kernels that the packed PTX comes from, compiled by Triton 3.9 for sm_100 and sm_120
# with tt.divisibility 16 for pointers and for sizes that have it; the names of the files
# say the constants.
import triton
import triton.language as tl


@triton.jit
def mmg(a,b,c,bias,M,N,K,sam,sbk,scm,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,G:tl.constexpr,EPI:tl.constexpr,INT:tl.constexpr):
    pid=tl.program_id(0);nm=tl.cdiv(M,BM);nn=tl.cdiv(N,BN)
    ng=G*nn;g=pid//ng;f=g*G;gs=min(nm-f,G);pm=f+(pid%ng)%gs;pn=(pid%ng)//gs
    om=(pm*BM+tl.arange(0,BM))%M;on=(pn*BN+tl.arange(0,BN))%N;ok=tl.arange(0,BK)
    ap=a+om[:,None]*sam+ok[None,:];bp=b+ok[:,None]*sbk+on[None,:]
    acc=tl.zeros((BM,BN),tl.int32 if INT else tl.float32)
    for k in range(0,tl.cdiv(K,BK)):
        x=tl.load(ap,mask=ok[None,:]<K-k*BK,other=0.0);y=tl.load(bp,mask=ok[:,None]<K-k*BK,other=0.0)
        acc=tl.dot(x,y,acc);ap+=BK;bp+=BK*sbk
    if EPI==1: acc=tl.maximum(acc+tl.load(bias+on)[None,:],0.0)
    if EPI==2: acc=acc*tl.sigmoid(acc)
    om=pm*BM+tl.arange(0,BM);on=pn*BN+tl.arange(0,BN)
    tl.store(c+om[:,None]*scm+on[None,:],acc.to(c.dtype.element_ty),mask=(om[:,None]<M)&(on[None,:]<N))


@triton.jit
def splitk(a,b,c,M,N,K,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,S:tl.constexpr):
    pm=tl.program_id(0);z=tl.program_id(1)
    om=pm*BM+tl.arange(0,BM);on=tl.arange(0,BN);ok=z*BK+tl.arange(0,BK)
    acc=tl.zeros((BM,BN),tl.float32)
    for k in range(0,tl.cdiv(K,BK*S)):
        x=tl.load(a+om[:,None]*K+ok[None,:],mask=ok[None,:]<K,other=0.0);y=tl.load(b+ok[:,None]*N+on[None,:],mask=ok[:,None]<K,other=0.0)
        acc=tl.dot(x,y,acc);ok+=BK*S
    tl.atomic_add(c+om[:,None]*N+on[None,:],acc)


@triton.jit
def rms(x,y,g,n,eps,B:tl.constexpr):
    r=tl.program_id(0);o=tl.arange(0,B);v=tl.load(x+r*n+o,mask=o<n,other=0.).to(tl.float32)
    tl.store(y+r*n+o,(v*tl.rsqrt(tl.sum(v*v,0)/n+eps)*tl.load(g+o,mask=o<n).to(tl.float32)).to(y.dtype.element_ty),mask=o<n)


@triton.jit
def red2(x,y,z,n,BM:tl.constexpr,BN:tl.constexpr):
    om=tl.arange(0,BM);on=tl.arange(0,BN);v=tl.load(x+om[:,None]*n+on[None,:],mask=on[None,:]<n,other=0).to(tl.float32)
    tl.store(y+om,tl.sum(v,1));tl.store(z+on,tl.max(v,0))


@triton.jit
def quant(x,y,s,n,B:tl.constexpr):
    r=tl.program_id(0);o=tl.arange(0,B);v=tl.load(x+r*n+o,mask=o<n,other=0.).to(tl.float32)
    m=tl.maximum(tl.max(tl.abs(v),0),1e-6)/448.0;tl.store(s+r,m);tl.store(y+r*n+o,(v/m).to(y.dtype.element_ty),mask=o<n)


# attention_bf16_sm120, which is compiled only: bf16, D and DV 128, BM 128, BN 64, C and BIAS 0, eight warps, two
# stages, by Triton 3.6, with pointers alone known to be divisible by 16.
@triton.jit
def attnf(Q,K,V,O,L,sq,sk,sv,so,sh,S,scale,D:tl.constexpr,DV:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,C:tl.constexpr,BIAS:tl.constexpr,B):
    pm=tl.program_id(0); h=tl.program_id(1).to(tl.int64)
    om=pm*BM+tl.arange(0,BM); on=tl.arange(0,BN); od=tl.arange(0,D); ov=tl.arange(0,DV)
    q=tl.load(Q+h*sh+om[:,None]*sq+od[None,:],mask=om[:,None]<S,other=0.)
    m=tl.full((BM,),-float('inf'),tl.float32); l=tl.zeros((BM,),tl.float32); acc=tl.zeros((BM,DV),tl.float32)
    hi=min((pm+1)*BM,S) if C else S
    for n in range(0,hi,BN):
        k=tl.load(K+h*sh+(n+on)[None,:]*sk+od[:,None],mask=(n+on)[None,:]<S,other=0.)
        s=tl.dot(q,k)*scale
        if BIAS: s+=tl.load(B+om[:,None]*S+(n+on)[None,:],mask=(om[:,None]<S)&((n+on)[None,:]<S),other=0.).to(tl.float32)
        if C: s=tl.where((om[:,None]>=(n+on)[None,:]),s,-1e6)
        else: s=tl.where((n+on)[None,:]<S,s,-1e6)
        mn=tl.maximum(m,tl.max(s,1)); p=tl.math.exp2(s-mn[:,None]); al=tl.math.exp2(m-mn)
        l=l*al+tl.sum(p,1); acc=acc*al[:,None]
        v=tl.load(V+h*sh+(n+on)[:,None]*sv+ov[None,:],mask=(n+on)[:,None]<S,other=0.)
        acc=tl.dot(p.to(v.dtype),v,acc); m=mn
    tl.store(L+h*S+om,m+tl.log2(l),mask=om<S)
    tl.store(O+h*sh+om[:,None]*so+ov[None,:],(acc/l[:,None]).to(O.dtype.element_ty),mask=om[:,None]<S)


# product_i8_sm120, compiled only, too: i8, BM 32, BN and BK 64, G 8, ACC int32, two warps, four stages.
@triton.jit
def mmu(a,b,c,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,P:tl.constexpr,ACC:tl.constexpr,G:tl.constexpr):
    pid=tl.program_id(0); nm=tl.cdiv(M,BM); nn=tl.cdiv(N,BN)
    ng=G*nn; g=pid//ng; f=g*G; gs=min(nm-f,G); pm=f+(pid%ng)%gs; pn=(pid%ng)//gs
    om=(pm*BM+tl.arange(0,BM))%M; on=(pn*BN+tl.arange(0,BN))%N; ok=tl.arange(0,BK)
    pa=a+om[:,None]*sam+ok[None,:]*sak; pb=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),ACC)
    for k in range(0,tl.cdiv(K,BK)):
        x=tl.load(pa,mask=ok[None,:]<K-k*BK,other=0.0); y=tl.load(pb,mask=ok[:,None]<K-k*BK,other=0.0)
        acc=tl.dot(x,y,acc,input_precision=P,out_dtype=ACC); pa+=BK*sak; pb+=BK*sbk
    om=pm*BM+tl.arange(0,BM); on=pn*BN+tl.arange(0,BN)
    tl.store(c+om[:,None]*scm+on[None,:]*scn, acc.to(c.dtype.element_ty), mask=(om[:,None]<M)&(on[None,:]<N))
