"""heavy.py SM FOLDER COUNT SEED: compiles COUNT random kernels that want many registers to PTX, without a GPU, and
with OURS and REF (two compilers) counts what each spills and how many registers it takes.

Products with random strides and ends, attention and its gradients, rows, transposes, scaled products and scans, of
random types, tiles, warps and stages."""

import glob, math, os, random, re, subprocess, sys, tempfile
T=os.path.join(os.path.dirname(os.path.abspath(__file__)),"../../tools/record/triton")
os.environ["TRITON_PTXAS_PATH"]=os.environ["TRITON_PTXAS_BLACKWELL_PATH"]=T+"/no-ptxas.sh"
os.environ.setdefault("TRITON_CACHE_DIR",os.path.join(sys.argv[2],"cache")); os.environ["TRITON_DISABLE_LINE_INFO"]="1"
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def mm(a,b,c,d,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,P:tl.constexpr,ACC:tl.constexpr,EPI:tl.constexpr,CAST:tl.constexpr):
    pid=tl.program_id(0); nn=tl.cdiv(N,BN)
    pm=pid//nn; pn=pid%nn
    om=(pm*BM+tl.arange(0,BM))%M; on=(pn*BN+tl.arange(0,BN))%N; ok=tl.arange(0,BK)
    pa=a+om[:,None]*sam+ok[None,:]*sak; pb=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),ACC)
    for k in range(0,tl.cdiv(K,BK)):
        x=tl.load(pa,mask=ok[None,:]<K-k*BK,other=0.0); y=tl.load(pb,mask=ok[:,None]<K-k*BK,other=0.0)
        if CAST: y=y.to(x.dtype)
        acc=tl.dot(x,y,acc,input_precision=P,out_dtype=ACC); pa+=BK*sak; pb+=BK*sbk
    om=pm*BM+tl.arange(0,BM); on=pn*BN+tl.arange(0,BN)
    m=(om[:,None]<M)&(on[None,:]<N)
    at=om[:,None]*scm+on[None,:]*scn
    if EPI==1: acc=acc.to(tl.float32)*tl.sigmoid(acc.to(tl.float32))
    if EPI==2: acc=acc.to(tl.float32)+tl.load(d+at,mask=m,other=0.0).to(tl.float32)
    if EPI==3:
        z=acc.to(tl.float32); z=z-tl.max(z,1)[:,None]; e=tl.exp(z); acc=e/tl.sum(e,1)[:,None]
    if EPI==4:
        z=acc.to(tl.float32); acc=0.5*z*(1.0+tl.erf(z*0.70710678))
    if EPI==5: tl.atomic_add(c+at,acc.to(c.dtype.element_ty),mask=m)
    else: tl.store(c+at, acc.to(c.dtype.element_ty), mask=m)

@triton.jit
def att(Q,K,V,B,O,L,sq,sk,sv,so,sh,S,scale,D:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,C:tl.constexpr,BIAS:tl.constexpr):
    pm=tl.program_id(0); h=tl.program_id(1).to(tl.int64)
    om=pm*BM+tl.arange(0,BM); on=tl.arange(0,BN); od=tl.arange(0,D)
    q=tl.load(Q+h*sh+om[:,None]*sq+od[None,:],mask=om[:,None]<S,other=0.)
    m=tl.full((BM,),-float('inf'),tl.float32); l=tl.zeros((BM,),tl.float32); acc=tl.zeros((BM,D),tl.float32)
    hi=min((pm+1)*BM,S) if C else S
    for n in range(0,hi,BN):
        k=tl.load(K+h*sh+(n+on)[None,:]*sk+od[:,None],mask=(n+on)[None,:]<S,other=0.)
        s=tl.dot(q,k)*scale
        if BIAS: s+=tl.load(B+om[:,None]*S+(n+on)[None,:],mask=(om[:,None]<S)&((n+on)[None,:]<S),other=0.).to(tl.float32)
        if C: s=tl.where((om[:,None]>=(n+on)[None,:]),s,-1e6)
        else: s=tl.where((n+on)[None,:]<S,s,-1e6)
        mn=tl.maximum(m,tl.max(s,1)); p=tl.math.exp2(s-mn[:,None]); al=tl.math.exp2(m-mn)
        l=l*al+tl.sum(p,1); acc=acc*al[:,None]
        v=tl.load(V+h*sh+(n+on)[:,None]*sv+od[None,:],mask=(n+on)[:,None]<S,other=0.)
        acc=tl.dot(p.to(v.dtype),v,acc); m=mn
    tl.store(L+h*S+om,m+tl.log2(l),mask=om<S)
    tl.store(O+h*sh+om[:,None]*so+od[None,:],(acc/l[:,None]).to(O.dtype.element_ty),mask=om[:,None]<S)

@triton.jit
def bwd(Q,K,V,DO,DK,DV,L,DL,sq,sh,S,scale,D:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,C:tl.constexpr):
    pn=tl.program_id(0); h=tl.program_id(1).to(tl.int64)
    on=pn*BN+tl.arange(0,BN); od=tl.arange(0,D); om0=tl.arange(0,BM)
    k=tl.load(K+h*sh+on[:,None]*sq+od[None,:]); v=tl.load(V+h*sh+on[:,None]*sq+od[None,:])
    dk=tl.zeros((BN,D),tl.float32); dv=tl.zeros((BN,D),tl.float32)
    lo=pn*BN if C else 0
    for m in range(lo,S,BM):
        om=m+om0
        qt=tl.load(Q+h*sh+om[None,:]*sq+od[:,None]); l=tl.load(L+h*S+om); dl=tl.load(DL+h*S+om)
        p=tl.math.exp2(tl.dot(k,qt)*scale-l[None,:])
        if C: p=tl.where(om[None,:]>=on[:,None],p,0.0)
        do=tl.load(DO+h*sh+om[:,None]*sq+od[None,:])
        dv=tl.dot(p.to(do.dtype),do,dv)
        dp=tl.dot(v,tl.trans(do))
        ds=p*(dp-dl[None,:])
        dk=tl.dot(ds.to(qt.dtype),tl.trans(qt),dk)
    tl.store(DV+h*sh+on[:,None]*sq+od[None,:],dv.to(DV.dtype.element_ty)); tl.store(DK+h*sh+on[:,None]*sq+od[None,:],(dk*scale).to(DK.dtype.element_ty))

@triton.jit
def row(x,y,w,z,n,eps,B:tl.constexpr,R:tl.constexpr,KIND:tl.constexpr):
    r=tl.program_id(0)*R+tl.arange(0,R); o=tl.arange(0,B)
    at=r[:,None]*n+o[None,:]; m=o[None,:]<n
    v=tl.load(x+at,mask=m,other=0.).to(tl.float32)
    if KIND==0:
        mu=tl.sum(v,1)/n; d=tl.where(m,v-mu[:,None],0.); var=tl.sum(d*d,1)/n
        out=d*tl.rsqrt(var+eps)[:,None]*tl.load(w+o,mask=o<n,other=0.).to(tl.float32)[None,:]+tl.load(z+o,mask=o<n,other=0.).to(tl.float32)[None,:]
    elif KIND==1:
        e=tl.exp(v-tl.max(v,1)[:,None]); out=e/tl.sum(e,1)[:,None]
    elif KIND==2:
        out=tl.cumsum(v,1)
    elif KIND==3:
        g=tl.load(z+at,mask=m,other=0.).to(tl.float32); ww=tl.load(w+o,mask=o<n,other=0.).to(tl.float32)[None,:]
        c1=tl.sum(v*g*ww,1)/n; c2=tl.sum(g*ww,1)/n
        out=(g*ww-(v*c1[:,None]+c2[:,None]))*eps
    elif KIND==4:
        out=tl.sort(v,dim=1)
    elif KIND==5:
        g=tl.load(z+at,mask=m,other=0.).to(tl.float32)
        t=tl.exp(-tl.abs(v)); sg=tl.where(v>=0,1/(1+t),t/(1+t)); out=g*(sg+v*sg*(1-sg))+tl.log(1+t)
    elif KIND==6:
        rr=tl.rand(3,at); out=tl.where(rr>0.5,v*2,0.0)
    else:
        mu=tl.max(tl.abs(v),1); out=v/mu[:,None]*448.0
    tl.store(y+at,out.to(y.dtype.element_ty),mask=m)

@triton.jit
def tr(x,y,sa,sb,sc,sd,M,N,BM:tl.constexpr,BN:tl.constexpr,KIND:tl.constexpr):
    om=tl.program_id(0)*BM+tl.arange(0,BM); on=tl.program_id(1)*BN+tl.arange(0,BN)
    m=(om[:,None]<M)&(on[None,:]<N)
    v=tl.load(x+om[:,None]*sa+on[None,:]*sb,mask=m)
    if KIND==1: v=tl.flip(v,1)
    if KIND==2: v=tl.reshape(tl.trans(v),(BM,BN))
    if KIND==3:
        a,b=tl.split(tl.reshape(v,(BM,BN//2,2))); v=tl.reshape(tl.join(b,a),(BM,BN))
    if KIND==4: v=tl.cumsum(v.to(tl.float32),0).to(v.dtype)
    if KIND==5: v=tl.sort(v,dim=1)
    tl.store(y+om[:,None]*sc+on[None,:]*sd,v.to(y.dtype.element_ty),mask=m)

@triton.jit
def dsc(a,sa,b,sb,c,N,K,FA:tl.constexpr,FB:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    m=tl.program_id(0)*BM+tl.arange(0,BM); n=tl.program_id(1)*BN+tl.arange(0,BN)
    DA:tl.constexpr=2 if FA=="e2m1" else 1
    DB:tl.constexpr=2 if FB=="e2m1" else 1
    ka=tl.arange(0,BK//DA); kb=tl.arange(0,BK//DB); ks=tl.arange(0,BK//32)
    s=tl.zeros((BM,BN),tl.float32)
    for k in range(0,K,BK):
        x=tl.load(a+m[:,None]*(K//DA)+k//DA+ka[None,:]); y=tl.load(b+n[:,None]*(K//DB)+k//DB+kb[None,:])
        xs=tl.load(sa+m[:,None]*(K//32)+k//32+ks[None,:]); ys=tl.load(sb+n[:,None]*(K//32)+k//32+ks[None,:])
        if FA=="bf16" or FA=="fp16": s=tl.dot_scaled(x,None,FA,y.T,ys,FB,s)
        else: s=tl.dot_scaled(x,xs,FA,y.T,ys,FB,s)
    tl.store(c+m[:,None]*N+n[None,:],s)

@triton.jit
def sc2(x,y,a,n,B:tl.constexpr,R:tl.constexpr):
    r=tl.program_id(0)*R+tl.arange(0,R); o=tl.arange(0,B); at=r[:,None]*n+o[None,:]
    u=tl.load(x+at); v=tl.load(a+at)
    p,q=tl.associative_scan((u,v),1,comb); tl.store(y+at,q)
@triton.jit
def comb(a,b,c,d): return a*c, b*c+d

sm=int(sys.argv[1]); out=sys.argv[2]; n=int(sys.argv[3]); random.seed(sm*1000+int(sys.argv[4])); R=random.choice
os.makedirs(out,exist_ok=True)
def sig(fn,con,types):
    s={}
    for p in fn.arg_names:
        s[p]="constexpr" if p in con else types[p]
    return s
def align(s):  # divisibility of pointers, and of some ints
    return {(i,):[["tt.divisibility",16]] for i,(k,v) in enumerate(s.items()) if v[0]=="*" or v=="i32" and random.random()<.5}
KIND=os.environ.get("KINDS","mm mm mm att att bwd row row tr tr dsc sc2").split()
for q in range(n):
    k=R(KIND); w=R([1,2,4,4,8]); st=R([1,2,3,4])
    if k=="mm":
        t,p,acc=R([("fp32","ieee",tl.float32),("fp32","tf32",tl.float32),("fp32","tf32x3",tl.float32),("fp16","ieee",tl.float32),("bf16","ieee",tl.float32),("i8","ieee",tl.int32),("fp8e4nv","ieee",tl.float32),("fp8e5","ieee",tl.float32),("fp64","ieee",tl.float64)])
        bm,bn,bk=R([16,32,64,128,256]),R([16,32,64,128,256]),R([32,64,128] if t!="fp64" else [16,32])
        w=R([2,4,8])
        if bm*bn//(32*w)>R([128,128,256]) or t=="fp64" and bm*bn>4096 or (bm+bn)*bk//(32*w)>256: continue
        if t in("fp32","fp64") and bm*bk>8192: continue
        cast=t in("fp16","bf16") and random.random()<.3
        fn=mm; ty=dict(a="*"+t,b="*"+(R(["i8","fp8e5"]) if cast else t),c="*"+{"i8":"i32","fp64":"fp64"}.get(t,R(["fp16","fp32","bf16"])))
        ty["d"]=ty["c"]; epi=R([0,0,1,2,3,4,5])
        if epi==5 and t!="i8": ty["c"]=ty["d"]="*fp32"
        if t=="fp64": epi=0
        con=dict(BM=bm,BN=bn,BK=bk,P=p,ACC=acc,EPI=epi,CAST=cast)
        for s in ("sak","sbn","scn","sam","sbk"):
            if random.random()<.5 and s[2] in"kn" and s!="sbk": con[s]=1
            ty[s]="i32"
        for s in("M","N","K","scm"): ty[s]="i32"
        nm="mm_%s%s_%s_%dx%dx%d_e%d_w%d_s%d_%s"%(t,"c" if cast else "",p,bm,bn,bk,epi,w,st,"".join(str(int(s in con)) for s in("sak","sbn","scn")))
    elif k=="att":
        t=R(["fp16","bf16","fp32","fp8e5"]); d=R([32,64,128,256]); bm,bn=R([32,64,128,256]),R([16,32,64,128]); w=R([4,8])
        if bm*(d+bn)//(32*w)>384 or t=="fp32" and bm*d>8192: continue
        fn=att; ty=dict(Q="*"+t,K="*"+t,V="*"+t,B="*fp32",O="*fp16",L="*fp32",scale="fp32"); ty.update({s:"i32" for s in("sq","sk","sv","so","sh","S")})
        con=dict(D=d,BM=bm,BN=bn,C=R([0,1]),BIAS=R([0,0,1])); nm="att_%s_%d_%dx%d_c%d_b%d_w%d_s%d"%(t,d,bm,bn,con["C"],con["BIAS"],w,st)
    elif k=="bwd":
        t=R(["fp16","bf16"]); d=R([32,64,128]); bm,bn=R([16,32,64,128]),R([32,64,128]); w=R([4,8])
        if (2*bn*d+2*bm*bn)//(32*w)>400: continue
        fn=bwd; ty={s:"*"+t for s in("Q","K","V","DO","DK","DV")}; ty.update(L="*fp32",DL="*fp32",scale="fp32"); ty.update({s:"i32" for s in("sq","sh","S")})
        con=dict(D=d,BM=bm,BN=bn,C=R([0,1])); nm="bwd_%s_%d_%dx%d_c%d_w%d_s%d"%(t,d,bm,bn,con["C"],w,st)
    elif k=="row":
        t=R(["fp16","bf16","fp32"]); r=R([1,1,2,4,8,16]); b=R([256,512,1024,2048,4096,8192,16384]); kd=R(range(8))
        if not 16<=r*b//(32*w)<=128 or kd==4 and r*b//(32*w)>32: continue
        fn=row; ty=dict(x="*"+t,y="*"+R([t,"fp32","fp8e4nv"]),w="*fp32",z="*"+R(["fp32",t]),n="i32",eps="fp32"); con=dict(B=b,R=r,KIND=kd); nm="row_%s_%s_k%d_%dx%d_w%d"%(t,ty["y"][1:],kd,r,b,w)
    elif k=="tr":
        t=R(["i8","fp16","fp32","i64","fp8e5"]); bm,bn=R([16,32,64,128,256]),R([16,32,64,128,256]); kd=R(range(6))
        if not 16<=bm*bn//(32*w)<=(128 if t!="i64" else 64) or kd==5 and (t=="i64" or bm*bn//(32*w)>32) or t=="fp8e5" and kd>3: continue
        fn=tr; ty=dict(x="*"+t,y="*"+t); ty.update({s:"i32" for s in("sa","sb","sc","sd","M","N")}); con=dict(BM=bm,BN=bn,KIND=kd)
        for s in("sa","sb","sc","sd"):
            if random.random()<.4: con[s]=1
        nm="tr_%s_%dx%d_k%d_w%d_%s"%(t,bm,bn,kd,w,"".join(str(int(s in con)) for s in("sa","sb","sc","sd")))
    elif k=="dsc":
        fa=R(["e4m3","e5m2","e2m1","bf16","fp16"]); fb=R(["e4m3","e5m2","e2m1"]); bm,bn,bk=R([32,64,128]),R([32,64,128,256]),R([64,128,256]); w=R([4,8])
        if bm*bn//(32*w)>128: continue
        P=dict(e4m3="*fp8e4nv",e5m2="*fp8e5",e2m1="*u8",bf16="*bf16",fp16="*fp16"); fn=dsc; ty=dict(a=P[fa],b=P[fb],sa="*u8",sb="*u8",c="*fp32",N="i32",K="i32"); con=dict(FA=fa,FB=fb,BM=bm,BN=bn,BK=bk); nm="dsc_%s_%s_%dx%dx%d_w%d_s%d"%(fa,fb,bm,bn,bk,w,st)
    else:
        r=R([1,2,4,8]); b=R([256,1024,4096]); t=R(["fp32","fp64"])
        if not 16<=r*b//(32*w)<=64: continue
        fn=sc2; ty=dict(x="*"+t,y="*"+t,a="*"+t,n="i32"); con=dict(B=b,R=r); nm="sc_%s_%dx%d_w%d"%(t,r,b,w)
    try:
        s=sig(fn,con,ty)
        kk=triton.compile(ASTSource(fn=fn,signature=s,constexprs=con,attrs=align(s)),target=GPUTarget("cuda",sm,32),options=dict(num_warps=w,num_stages=st))
        open("%s/%s_%d_sm%d.ptx"%(out,nm,q,sm),"w").write(kk.asm["ptx"])
    except Exception as e: print(nm,str(e)[:100].replace("\n"," "),flush=True)


def spilled(tool,f):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as o:
        p=subprocess.run([tool,"-v","-arch="+re.search(r"^\.target\s+(\w+)",open(f).read(),re.M)[1],f,"-o",o.name],capture_output=True,text=True)
    n=lambda r:[int(x) for x in re.findall(r,p.stdout+p.stderr)]
    return p.returncode,sum(n(r"(\d+) bytes spill stores")),max(n(r"Used (\d+) registers") or [1])
if "OURS" in os.environ:
    L=[(f,spilled(os.environ["OURS"],f),spilled(os.environ["REF"],f)) for f in sorted(glob.glob(out+"/*.ptx"))]
    print(len(L),"kernels,",sum(1 for x in L if x[1][0]),"refused, registers %.3f,"%math.exp(sum(math.log(a[2]/b[2]) for _,a,b in L)/len(L)),"bytes stored",sum(x[1][1] for x in L),"beside",sum(x[2][1] for x in L))
    for f,a,b in L:
        if a[1] and not b[1]: print("spills alone:",os.path.basename(f),a[1])
